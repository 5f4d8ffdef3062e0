#!/usr/bin/env python3
"""Asks an AscendCL library every question and writes the answers to one JSON file.

    python3 oracle/run.py -o answers.json

The library is the one that programs would get: libascendcl.so by LD_LIBRARY_PATH, which the toolkit's set_env.sh sets. --library names
another folder of libraries. Needs a C compiler; operators are asked if numpy and ml_dtypes are installed. docs/oracle.md has more.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FORMAT = 1


def questions(arguments, build):
    """The answers of the C program."""
    subprocess.run(["make", "-s", "-C", str(HERE), f"BUILD={build}"], check=True)
    command = [str(build / "oracle"), "--seconds", str(arguments.seconds), "--only", arguments.only]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        identifier, functions, asks, answer = line.split("\t")
        yield {"id": identifier, "functions": functions.split(), "asks": asks, "answer": answer}


def operators(arguments):
    """The answers of operators.py."""
    if arguments.no_operators:
        return
    command = [sys.executable, str(HERE / "operators.py"), "--seconds", str(arguments.seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        answer = json.loads(line)
        if answer["id"].startswith(arguments.only):
            yield answer
    if process.wait() != 0:
        # The other answers took minutes: they are written all the same.
        print(f"run.py: operators.py ended with {process.returncode}: results of operators are missing", file=sys.stderr)


def fact(answers, identifier, name):
    """One fact of an answer, or an empty text."""
    for answer in answers:
        if answer["id"] == identifier:
            for part in answer["answer"].split():
                if part.startswith(name + "="):
                    return part.split("=", 1)[1]
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="answers.json")
    parser.add_argument("--library", help="a folder with libascendcl.so; without it LD_LIBRARY_PATH decides")
    parser.add_argument("--build", default=str(HERE / "build"), help="where the C program is built")
    parser.add_argument("--only", default="", help="ask only questions whose id begins with this")
    parser.add_argument("--no-operators", action="store_true", help="leave out the results of operators")
    parser.add_argument("--seconds", type=int, default=60, help="how long one question may take")
    parser.add_argument("--note", default="", help="a line about the machine, for the file")
    arguments = parser.parse_args()
    if arguments.library:
        paths = [str(pathlib.Path(arguments.library).resolve()), os.environ.get("LD_LIBRARY_PATH", "")]
        os.environ["LD_LIBRARY_PATH"] = ":".join(path for path in paths if path)
    answers = list(questions(arguments, pathlib.Path(arguments.build).resolve()))
    answers += operators(arguments)
    answers.sort(key=lambda answer: answer["id"])
    about = {
        "soc": fact(answers, "process.run_mode", "~soc"),
        "cann": fact(answers, "process.versions", "~cann"),
        "api": fact(answers, "process.versions", "~api"),
        "machine": platform.machine(),
        "note": arguments.note,
    }
    pathlib.Path(arguments.output).write_text(json.dumps({"format": FORMAT, "about": about, "answers": answers}, indent=1) + "\n")
    unanswered = sum("missing=" in answer["answer"] for answer in answers)
    crashed = sum("crashed=" in answer["answer"] or "timeout" in answer["answer"] for answer in answers)
    print(f"{arguments.output}: {len(answers)} answers ({unanswered} functions missing, {crashed} crashes and timeouts)")


if __name__ == "__main__":
    main()
