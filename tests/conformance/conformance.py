#!/usr/bin/env python3
"""Runs a suite that others wrote and compares the outcome with what is checked in.

    python3 tests/conformance/conformance.py opinfo --command MILLPOND --python PYTHON [--only PATTERN] [--forms FORM…] [--accept]
    python3 tests/conformance/conformance.py upstream --command MILLPOND --python PYTHON --folder DIR

`opinfo`: every operator of PyTorch's database runs on the NPU device and on the CPU device. Operators run in groups, one process each; one
that ends its process is a crash, one that shows no result for a long time is a hang. What does not pass is in expected.tsv with whose it is
(ours, torch_npu, hardware) and why. The command fails when reality and that file disagree, when an entry has no class or reason, and when the
table of docs/conformance.md is not the one of this run. --accept writes both anew and keeps the reasons that still apply.

`upstream`: the tests of a checkout of torch_npu, one process for each file. They are not ours and nothing is expected of them; the counts are
printed.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected.tsv"
DOCUMENT = HERE.parent.parent / "docs" / "conformance.md"
BEGIN, END = "<!-- opinfo: written by the command -->\n", "<!-- opinfo: end -->\n"
CLASSES = ["ours", "torch_npu", "hardware"]
# What counts as a hang: so many seconds of processor time without a result, or so many by the clock in which the process used less than one
# second of the processor. A busy machine makes neither happen.
BUSY, STILL = 240, 120
GROUP = 60
FORMS = ["forward_float32", "backward_float32", "forward_float16", "forward_bfloat16", "forward_int64"]
RESULTS = ["pass", "fallback", "refused", "wrong", "crash", "hang"]


def processor_seconds(group):
    """Processor time of all processes of a session."""
    total = 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == group:
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def end(process):
    """Ends a process that was started here, and its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return process.wait()


def run_group(command, lines, show):
    """Runs one group; a process that ends or stands still costs one operator."""
    left = list(lines)
    while left:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        process.stdin.write(("\n".join(left) + "\n").encode())
        process.stdin.close()
        ended = "crash"
        buffer, used, seen = b"", 0, (time.monotonic(), 0)
        while left:
            ready, _, _ = select.select([process.stdout], [], [], 5)
            if not ready:
                now, processor = time.monotonic(), processor_seconds(process.pid)
                if processor - seen[1] >= 1:
                    seen = (now, processor)
                if processor - used > BUSY or now - seen[0] > STILL:
                    ended = "hang"
                    break
                continue
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                break
            used = processor_seconds(process.pid)
            seen = (time.monotonic(), used)
            buffer += data
            *whole, buffer = buffer.split(b"\n")
            for line in whole:
                if line.startswith(b"{"):
                    show(json.loads(line))
                    left.pop(0)
        if left:
            name, variant, form = left.pop(0).split("\t")
            code = end(process) if ended == "hang" else process.wait()
            reason = f"no result after {BUSY} s of processor time, or no progress for {STILL} s" if ended == "hang" else f"exit status {code}"
            show({"name": name, "variant": variant, "form": form, "result": ended, "reason": reason, "samples": 0})
        else:
            process.wait()


def key(one):
    return one["name"], one["variant"], one["form"]


def read_expected():
    expected = {}
    if EXPECTED.exists():
        for line in EXPECTED.read_text().splitlines()[1:]:
            name, variant, form, result, whose, reason = line.split("\t")
            expected[name, variant, form] = (result, whose, reason)
    return expected


def share(counted, *names):
    total = max(sum(counted.values()), 1)
    return f"{100 * sum(counted[name] for name in names) / total:.1f} %"


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(results, expected):
    """The counts form by form, whose the failures are, and a sentence."""
    ours = []
    lines = [row("form", "operators", *RESULTS, "on the device", "of those with a kernel", "with CPU fallback"), "|" + " --- |" * (len(RESULTS) + 5)]
    for form in FORMS:
        counted = collections.Counter(one["result"] for one in results if one["form"] == form and one["result"] != "skipped")
        if counted:
            counts = [counted[name] for name in RESULTS]
            with_kernel = collections.Counter({name: number for name, number in counted.items() if name != "fallback"})
            percentages = [share(counted, "pass"), share(with_kernel, "pass"), share(counted, "pass", "fallback")]
            lines.append(row(form.replace("_", " "), sum(counts), *counts, *percentages))
    lines += ["", row("not passed, by whose fault", *CLASSES), "|" + " --- |" * (len(CLASSES) + 1)]
    for form in FORMS:
        found = [one for one in results if one["form"] == form and one["result"] not in ("pass", "skipped")]
        whose = collections.Counter(expected.get(key(one), ("", "unclassified", ""))[1] for one in found)
        if found:
            lines.append(row(form.replace("_", " "), *(whose[name] for name in CLASSES)))
    for one in results:
        if one["result"] in ("wrong", "crash", "hang") and expected.get(key(one), ("", "ours", ""))[1] == "ours":
            ours.append(one)
    share_of = lambda form: [row.split(" | ")[-1].strip(" |") for row in lines if row.startswith(f"| {form} |")][:1] or ["?"]  # noqa: E731
    lines += ["", "In one sentence:", ""]
    lines.append(f"> PyTorch's own operator database, float32: {share_of('forward float32')[0]} of the operators and {share_of('backward float32')[0]} of the")
    lines.append("> gradients give the CPU device's numbers, with torch_npu's fallback to the CPU where it has no kernel;")
    lines.append(f"> {len(ours) or 'no'} wrong numbers, crashes or hangs of ours in any form.")
    return "\n".join(lines)


def disagreements(results, expected, whole):
    found = []
    for one in results:
        if one["result"] == "skipped":
            continue
        known = expected.get(key(one), ("pass", "", ""))
        if known[0] != one["result"]:
            label = " ".join(part for part in key(one) if part)
            found.append(f"{label}: {one['result']} ({one['reason']}), expected.tsv says {known[0]}")
    for where, (_, whose, reason) in expected.items():
        if whose not in CLASSES or not reason:
            found.append(f"expected.tsv: {' '.join(where)}: the class must be one of {', '.join(CLASSES)}, and a reason is needed")
    if whole:
        ran = {key(one) for one in results}
        found += [f"expected.tsv: {' '.join(where)} is not in the database" for where in expected if where not in ran]
        if table(results, expected) not in DOCUMENT.read_text():
            found.append("docs/conformance.md: the table is not the one of this run; --accept writes it")
    return found


def write_document(results, expected):
    before, rest = DOCUMENT.read_text().split(BEGIN)
    DOCUMENT.write_text(f"{before}{BEGIN}{table(results, expected)}\n{END}{rest.split(END)[1]}")


def accept(results, expected, whole):
    """Writes expected.tsv anew. An entry keeps its class and reason while its result stays the same."""
    kept = {} if whole else dict(expected)
    for one in results:
        kept.pop(key(one), None)
        if one["result"] not in ("pass", "skipped"):
            result, whose, reason = expected.get(key(one), ("", "", ""))
            if result != one["result"]:
                whose, reason = "", re.sub(r"\s+", " ", one["reason"])
                # The warning that names the operator is torch_npu's own.
                whose = "torch_npu" if one["result"] == "fallback" else "unclassified"
            kept[key(one)] = (one["result"], whose, reason)
    lines = ["name\tvariant\tform\tresult\twhose\treason"]
    lines += ["\t".join([*where, *what]) for where, what in sorted(kept.items())]
    EXPECTED.write_text("\n".join(lines) + "\n")
    return kept


def environment(python):
    """Some virtual machines announce the processor's matrix units (AMX) and do not let programs use them; PyTorch's CPU device dies there."""
    settings = dict(os.environ)
    if "amx_bf16" in pathlib.Path("/proc/cpuinfo").read_text():
        product = "import torch; a = torch.ones(64, 64, dtype=torch.bfloat16); a @ a"
        probe = {**settings, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "MILLPOND_CHECK": "0"}
        if subprocess.run([python, "-c", product], env=probe, stderr=subprocess.DEVNULL, check=False).returncode:
            settings.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")
    return settings


def opinfo(arguments):
    os.environ.update(environment(arguments.python))
    start = [arguments.command, "run", "--", arguments.python, str(HERE / "opinfo.py")]
    listed = subprocess.run(start + ["--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    lines = [line for line in listed if line.count("\t") == 2 and line.split("\t")[2] in arguments.forms]
    if arguments.only:
        lines = [line for line in lines if re.search(arguments.only, line)]
    lines.sort(key=lambda line: FORMS.index(line.split("\t")[2]))
    groups = [lines[at : at + GROUP] for at in range(0, len(lines), GROUP)]
    results, lock = [], threading.Lock()
    with open(arguments.save, "w") if arguments.save else contextlib.nullcontext() as file:

        def show(one):
            with lock:
                results.append(one)
                if file:
                    print(json.dumps(one), file=file, flush=True)
                print(f"\r{len(results)} of {len(lines)}", end="", file=sys.stderr, flush=True)

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda group: run_group(start, group, show), groups))
    print(file=sys.stderr)
    return results


def run_file(command, folder, file):
    """Runs one file of tests; what it has shown until it ends or stands still counts."""
    process = subprocess.Popen(command + [str(file)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    counted, tail, used, seen = collections.Counter(), b"", 0, (time.monotonic(), 0)
    while True:
        ready, _, _ = select.select([process.stdout], [], [], 5)
        if ready:
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                break
            *whole, tail = (tail + data).split(b"\n")
            for line in whole:
                found = re.search(rb" (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b.*\[ *\d+%\]", line)
                if found:
                    counted[{b"PASSED": "passed", b"FAILED": "failed", b"ERROR": "failed"}.get(found[1], "skipped")] += 1
                    used = processor_seconds(process.pid)
        now, processor = time.monotonic(), processor_seconds(process.pid)
        if processor - seen[1] >= 1:
            seen = (now, processor)
        if processor - used > BUSY or now - seen[0] > STILL:
            end(process)
            counted["hang"] += 1
            return counted
    code = process.wait()
    # 0 and 1: all tests ran; 5: there were none. 2 to 4: the file cannot be loaded.
    if code < 0 or code > 5:
        counted["crash"] += 1
    elif code in (2, 3, 4):
        counted["not loaded"] += 1
    return counted


def upstream(arguments):
    os.environ.update(environment(arguments.python))
    folder = pathlib.Path(arguments.folder).resolve()
    below = folder / "test" if (folder / "test").is_dir() else folder
    files = sorted(file for file in below.rglob("test_*.py") if not arguments.only or re.search(arguments.only, str(file.relative_to(folder))))
    if not files:
        sys.exit(f"no test_*.py is below {below}")
    start = [arguments.command, "run", "--", arguments.python, "-m", "pytest", "-v", "--tb=no", "-p", "no:cacheprovider"]
    total = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for file, counted in zip(files, pool.map(lambda file: run_file(start, file.parent, file), files)):
            total.update(counted)
            bad = ", ".join(f"{counted[name]} {name}" for name in ("failed", "not loaded", "crash", "hang") if counted[name])
            print(f"{file.relative_to(folder)}: {counted['passed']} passed{', ' + bad if bad else ''}", flush=True)
    names = ["passed", "failed", "skipped", "not loaded", "crash", "hang"]
    judged = collections.Counter({name: total[name] for name in names if name != "skipped"})
    print(row("files", *names, "passed"))
    print("|" + " --- |" * (len(names) + 2))
    print(row(len(files), *(total[name] for name in names), share(judged, "passed") if sum(judged.values()) else "-"))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=["opinfo", "upstream"])
    parser.add_argument("--command", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--folder", help="the checkout whose tests run; for upstream")
    parser.add_argument("--only", help="a regular expression over `NAME<TAB>VARIANT<TAB>FORM`, or over paths of files")
    parser.add_argument("--forms", nargs="*", default=FORMS, choices=FORMS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", help="where results go as they come, one JSON line each")
    parser.add_argument("--from", dest="earlier", help="judge results that --save wrote instead of running")
    parser.add_argument("--accept", action="store_true")
    arguments = parser.parse_args()
    if arguments.suite == "upstream":
        if not arguments.folder:
            parser.error("upstream needs --folder")
        return upstream(arguments)
    if arguments.earlier:
        results = [json.loads(line) for line in pathlib.Path(arguments.earlier).read_text().splitlines()]
    else:
        results = opinfo(arguments)
    whole = not arguments.only and {one["form"] for one in results} == set(FORMS)
    expected = read_expected()
    if arguments.accept:
        expected = accept(results, expected, whole)
        if whole:
            write_document(results, expected)
    print(table(results, expected))
    wrong = disagreements(results, expected, whole)
    for line in wrong:
        print(line)
    print(f"{len(results)} operators and forms, {len(wrong)} disagreements")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
