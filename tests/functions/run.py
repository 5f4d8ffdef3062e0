#!/usr/bin/env python3
"""Every operator by function, run through the C interface and compared with numpy.

    python3 tests/functions/run.py [--library PATH] [NAME ...]

Needs numpy and ml_dtypes. Cases are in cases/*.py, by family. A function without a case is a failure, and so is one whose cases have no
strided, no empty or no 0-dim input, unless they say why. What follows from a row alone (NULL, stale handles, an executor that is used twice)
is tried for every function with the arguments of its first case. With names, only those functions run.
"""

import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import harness  # noqa: E402


def main():
    arguments = sys.argv[1:]
    path = harness.ROOT / "target/debug/libascendcl.so"
    if "--library" in arguments:
        at = arguments.index("--library")
        path = pathlib.Path(arguments[at + 1])
        del arguments[at : at + 2]
    for family in sorted((HERE / "cases").glob("*.py")):
        importlib.import_module(f"cases.{family.stem}")
    table = harness.rows()
    library = harness.Library(path)
    failures, passed = [], 0
    failures += [f"{name}: a case, but no row in {harness.TABLE.name}" for name in harness.FUNCTIONS if name not in table]
    for name, prototype in table.items():
        if arguments and name not in arguments:
            continue
        function = harness.Function(library, name, prototype)
        bodies = harness.FUNCTIONS.get(name)
        if not bodies:
            failures.append(f"{name}: no case")
            continue
        try:
            for body in bodies:
                body(function)
            function.misuse()
        except Exception as error:  # noqa: BLE001 every failure is shown with its function
            failures.append(f"{name}: {str(error).strip()[:1500]}")
            continue
        missing = [kind for kind in ("strided", "empty", "0-dim") if kind not in function.covered and (name, kind) not in harness.EXEMPT]
        if missing:
            failures.append(f"{name}: no case has an input that is {', '.join(missing)}")
        passed += 1
    for failure in failures:
        print(failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
