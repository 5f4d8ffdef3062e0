#!/usr/bin/env python3
"""Results of operators by function, in all types: what does this library compute where our tests expect a number?

    python3 operators.py [--library PATH ...] [--seconds N] [NAME ...]

The cases are those of tests/functions, with numpy as the reference. One question is one function; its answer counts the calls whose
results match the reference, and names the first ones that do not. Prints lines of JSON. Needs numpy and ml_dtypes (pip).

Functions are asked in a child process, which goes on until one of them ends it; the next child begins behind that one.
"""

import argparse
import importlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Releases divide their functions in different ways.
LIBRARIES = re.findall(r'^"(.+)",$', (HERE / "libraries.inc").read_text(), re.MULTILINE)
# Of an installation, or of the repository.
CASES = HERE / "functions" if (HERE / "functions").is_dir() else HERE.parent / "tests/functions"
MOST_NOTES = 5


def load():
    """The harness of the tests with all its cases, or None without the packages that it needs."""
    sys.path.insert(0, str(CASES))
    try:
        import harness
    except (ImportError, AttributeError) as missing:
        print(f"operators.py: {missing}: operators are not asked (pip install numpy 'ml_dtypes>=0.5')", file=sys.stderr)
        return None
    for family in sorted((CASES / "cases").glob("*.py")):
        importlib.import_module(f"cases.{family.stem}")
    return harness


def ask(harness, library, name, prototype):
    """The answer of one function: how many calls matched, and what the others did."""

    class Asked(harness.Function):
        def __init__(self):
            super().__init__(library, name, prototype)
            self.calls, self.matched, self.notes = 0, 0, []

        def note_call(self, outcome):
            self.calls += 1
            if outcome is None:
                self.matched += 1
            elif len(self.notes) < MOST_NOTES:
                self.notes.append(f"call {self.calls}: {outcome}"[:300])

        def check(self, /, tolerance=None, layouts=("contiguous", "strided"), **values):
            self.first = self.first or values
            for layout in layouts:
                try:
                    self.run(values, layout == "strided", tolerance)
                except harness.Refused as refusal:
                    self.note_call(f"{layout}: refused with {refusal.code}")
                except Exception as error:  # noqa: BLE001 whatever it is, it is the answer
                    self.note_call(f"{layout}: {str(error).strip().splitlines()[0]}")
                else:
                    self.note_call(None)

        def refuses(self, code=161002, /, **values):
            try:
                self.run(values, False, None)
            except harness.Refused as refusal:
                self.note_call(None if refusal.code == code else f"refused with {refusal.code}, expected {code}")
            except Exception as error:  # noqa: BLE001
                self.note_call(f"expected to be refused: {str(error).strip().splitlines()[0]}")
            else:
                self.note_call(f"accepted, expected {code}")

    asked = Asked()
    for body in harness.FUNCTIONS.get(name, []):
        try:
            body(asked)
        except Exception as error:  # noqa: BLE001 the rest of this case depends on what failed
            asked.notes.append(f"stopped: {type(error).__name__}: {str(error).strip()[:200]}")
    return f"match={asked.matched} of={asked.calls}", asked.notes


def child(arguments):
    """Asks the functions in order and prints each answer as soon as there is one."""
    harness = load()
    library = harness.Library(arguments.library or LIBRARIES)
    table = harness.rows()
    for name in arguments.names:
        print(json.dumps({"asking": name}), flush=True)
        if not hasattr(library.c, name):
            answer, notes = f"missing={name}", []
        else:
            answer, notes = ask(harness, library, name, table[name])
        print(json.dumps({"function": name, "answer": answer, "notes": notes}), flush=True)
    # Not every library ends well; the answers are out.
    os._exit(0)


def parent(arguments):
    """Starts children until every function is answered."""
    harness = load()
    if harness is None:
        return 0
    left = arguments.names or list(harness.rows())
    while left:
        named = [f"--library={path}" for path in arguments.library]
        command = [sys.executable, __file__, "--child", *named, *left]
        answered, asking, failure = 0, None, None
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=None if os.environ.get("ORACLE_STDERR") else subprocess.DEVNULL, text=True)

        def stop(number, frame, process=process):
            process.kill()

        signal.signal(signal.SIGALRM, stop)
        signal.alarm(arguments.seconds)
        for line in process.stdout:
            signal.alarm(arguments.seconds)
            said = json.loads(line)
            if "asking" in said:
                asking = said["asking"]
                continue
            show(said["function"], said["answer"], said["notes"])
            answered, asking = answered + 1, None
        signal.alarm(0)
        status = process.wait()
        if answered < len(left):
            failure = "timeout" if status == -signal.SIGKILL else f"crashed={-status}" if status < 0 else "exited"
            show(asking or left[answered], failure if asking else f"setup:{failure}", [])
            answered += 1
        left = left[answered:]
        if asking is None and failure:
            # The child did not come as far as a question: the others would not either.
            for name in left:
                show(name, f"setup:{failure}", [])
            return 0
    return 0


def show(name, answer, notes):
    print(json.dumps({"id": f"result.{name}", "functions": [name], "asks": "How many of our calls give the result that numpy gives, in all types?",
                      "answer": answer, "notes": notes}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", default=[], help="a library, instead of those of an installation; may be repeated")
    parser.add_argument("--seconds", type=int, default=300, help="how long one function may take")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments)
    return parent(arguments)


if __name__ == "__main__":
    sys.exit(main())
