#!/usr/bin/env python3
"""Runs a suite that others wrote and compares the outcome with what is checked in.

    python3 tests/conformance/conformance.py opinfo --command MILLPOND --python PYTHON [--only PATTERN] [--save FILE] [--accept]

Every operator of PyTorch's database runs on the NPU device and on the CPU device. Operators run in groups, one process each; one that
ends its process is a crash, one that shows no result for a long time is a hang. What does not pass is in expected.tsv with whose it is
(ours, torch_npu, hardware) and why. The command fails when reality and that file disagree; --accept writes the file anew and keeps the
reasons that still apply.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected.tsv"
# Seconds without a result that count as a hang.
PATIENCE = 180
GROUP = 60
FORMS = ["forward_float32", "backward_float32", "forward_float16", "forward_bfloat16", "forward_int64"]
RESULTS = ["pass", "fallback", "refused", "wrong", "crash", "hang"]


def run_group(command, lines):
    """Runs one group; a process that ends or stands still costs one operator."""
    results, left = [], list(lines)
    while left:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        process.stdin.write(("\n".join(left) + "\n").encode())
        process.stdin.close()
        ended = "crash"
        buffer, last = b"", time.monotonic()
        while left:
            ready, _, _ = select.select([process.stdout], [], [], 5)
            if not ready:
                if time.monotonic() - last > PATIENCE:
                    ended = "hang"
                    break
                continue
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                break
            last = time.monotonic()
            buffer += data
            *whole, buffer = buffer.split(b"\n")
            for line in whole:
                if line.startswith(b"{"):
                    results.append(json.loads(line))
                    left.pop(0)
        if left:
            name, variant, form = left.pop(0).split("\t")
            process.kill()
            code = process.wait()
            reason = f"no result for {PATIENCE} s" if ended == "hang" else f"exit status {code}"
            results.append({"name": name, "variant": variant, "form": form, "result": ended, "reason": reason, "samples": 0})
        else:
            process.wait()
    return results


def key(one):
    return one["name"], one["variant"], one["form"]


def read_expected():
    expected = {}
    if EXPECTED.exists():
        for line in EXPECTED.read_text().splitlines()[1:]:
            name, variant, form, result, whose, reason = line.split("\t")
            expected[name, variant, form] = (result, whose, reason)
    return expected


def table(results):
    """The percentages, form by form."""
    lines = ["| form | operators | " + " | ".join(RESULTS) + " | on the device | with fallback |", "|" + " --- |" * (len(RESULTS) + 4)]
    for form in FORMS:
        counted = collections.Counter(one["result"] for one in results if one["form"] == form and one["result"] != "skipped")
        total = sum(counted.values())
        if total:
            share = lambda *names: f"{100 * sum(counted[name] for name in names) / total:.1f} %"  # noqa: E731
            cells = [form.replace("_", " "), str(total)] + [str(counted[name]) for name in RESULTS] + [share("pass"), share("pass", "fallback")]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def disagreements(results, expected):
    found = []
    for one in results:
        if one["result"] == "skipped":
            continue
        known = expected.get(key(one), ("pass", "", ""))
        if known[0] != one["result"]:
            label = " ".join(part for part in key(one) if part)
            found.append(f"{label}: {one['result']} ({one['reason']}), expected.tsv says {known[0]}")
    return found


def accept(results, expected, partial):
    kept = dict(expected) if partial else {}
    for one in results:
        kept.pop(key(one), None)
        if one["result"] not in ("pass", "skipped"):
            _, whose, reason = expected.get(key(one), ("", "", ""))
            reason = reason or re.sub(r"[\t\n]", " ", one["reason"])
            kept[key(one)] = (one["result"], whose or "unclassified", reason)
    lines = ["name\tvariant\tform\tresult\twhose\treason"]
    lines += ["\t".join([*where, *what]) for where, what in sorted(kept.items())]
    EXPECTED.write_text("\n".join(lines) + "\n")


def opinfo(arguments):
    start = [arguments.command, "run", "--", arguments.python, str(HERE / "opinfo.py")]
    listed = subprocess.run(start + ["--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    lines = [line for line in listed if line.count("\t") == 2]
    if arguments.only:
        lines = [line for line in lines if re.search(arguments.only, line)]
    groups = [lines[at : at + GROUP] for at in range(0, len(lines), GROUP)]
    results = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, part in enumerate(pool.map(lambda group: run_group(start + arguments.pass_on, group), groups)):
            results += part
            print(f"\r{number + 1} of {len(groups)} groups", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=["opinfo"])
    parser.add_argument("--command", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--pass-on", nargs="*", default=[])
    arguments = parser.parse_args()
    results = opinfo(arguments)
    if arguments.save:
        pathlib.Path(arguments.save).write_text("".join(json.dumps(one) + "\n" for one in results))
    print(table(results))
    expected = read_expected()
    if arguments.accept:
        accept(results, expected, bool(arguments.only))
        return 0
    wrong = disagreements(results, expected)
    for line in wrong:
        print(line)
    print(f"{len(results) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
