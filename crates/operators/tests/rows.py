#!/usr/bin/env python3
"""Every row of the table, run by ONNX Runtime and compared with numpy.

    python3 crates/operators/tests/rows.py [--emit PATH] [NAME ...]

Needs numpy, ml_dtypes and onnxruntime. Cases are in rows/*.py, by family. A row of the table without a case
is a failure. With names, only their cases run.
"""

import importlib
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from rows import base  # noqa: E402

FAMILIES = sorted(path.stem for path in (HERE / "rows").glob("case_*.py"))


def shared(cases, answers):
    """A row that asked for nothing must make the same model for every shape of these ranks."""
    models, wrong = {}, []
    for case, answer in zip(cases, answers):
        if "refusal" in answer or answer["asked"]:
            continue
        request = case.request()
        tensors = [one and (one["element"], len(one["dims"]), "constant" in one) for one in request["inputs"] + request["outputs"]]
        key = json.dumps([case.kind, tensors, request["attributes"]])
        if models.setdefault(key, answer["model"]) != answer["model"]:
            wrong.append(f"{case}: asked for nothing, but its model differs from that of another shape")
    return wrong


def main():
    arguments = sys.argv[1:]
    emit = None
    if "--emit" in arguments:
        at = arguments.index("--emit")
        emit = [arguments[at + 1]]
        del arguments[at : at + 2]
    emit = emit or ["cargo", "run", "-q", "-p", "millpond-operators", "--example", "emit", "--"]
    known = subprocess.run(emit + ["--known"], check=True, capture_output=True, text=True).stdout.split()
    for family in FAMILIES:
        importlib.import_module(f"rows.{family}")
    cases = [case for case in base.CASES if not arguments or case.kind in arguments]
    lines = "".join(json.dumps(case.request()) + "\n" for case in cases)
    answers = subprocess.run(emit, input=lines, check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(answers) == len(cases), "an answer for each request"
    failures = []
    for case, answer in zip(cases, answers):
        try:
            case.check(json.loads(answer))
        except Exception as error:  # noqa: BLE001 every failure is shown with its case
            failures.append(f"{case}: {type(error).__name__}: {str(error).strip()[:600]}")
    failures += shared(cases, [json.loads(answer) for answer in answers])
    for failure in failures:
        print(failure)
    missing = sorted(set(known) - {case.kind for case in base.CASES})
    if missing and not arguments:
        failures.append("rows without a case: " + " ".join(missing))
        print(failures[-1])
    unknown = sorted({case.kind for case in base.CASES} - set(known) - base.REFUSED)
    if unknown:
        failures.append("cases without a row: " + " ".join(unknown))
        print(failures[-1])
    print(f"{len(known)} rows, {len(cases)} cases, {len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
