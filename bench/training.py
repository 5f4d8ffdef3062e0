"""`cargo xtask bench torch`: what a training step costs on this library, beside PyTorch's own CPU device.

    cargo xtask bench torch [--attention KIND] [--rounds N] [--steps N] [--save]

The same script (examples/torch/transformer.py, unchanged) runs in turn on the CPU device, under `millpond run`, under `millpond record`
with call stacks and with `--stacks 0`, and under `millpond check --stacks 0`, with the same number of threads; others use the machine
too, so the ratio is taken within a round and the median of the rounds counts. Then tiny models (bench/tiny.py), whose steps are many
small operators; then single calls: what an operator costs from Python until PyTorch has it back, and until it is done; and a + b beside
a library whose functions return at once (bench/standin.c), which shows what PyTorch itself costs.

The bounds are for time by the clock. On a machine that others use, OpenMP's threads wait for each other and the clock says little, so
the processor time of the same steps is printed beside it. `--one-thread` lets both sides use one thread.
"""

import argparse
import datetime
import importlib.metadata
import os
import pathlib
import platform
import statistics
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "examples" / "torch" / "transformer.py"
MILLPOND = os.environ.get("MILLPOND_COMMAND", "millpond")

STEP_LIMIT = 1.1
RECORD_LIMIT = 1.05
CHECK_LIMIT = 2.0
TINY_LIMIT = 1.5
CALL_LIMIT = 1.0  # microseconds

CALLS = """
import sys, time, torch
device = sys.argv[1]
if device == "npu":
    import torch_npu
wait = torch.npu.synchronize if device == "npu" else (lambda: None)

def timed(function, times=2000, rounds=7):
    best = done = float("inf")
    for _ in range(rounds):
        wait()
        start = time.perf_counter()
        for _ in range(times):
            function()
        returned = time.perf_counter()
        wait()
        best = min(best, (returned - start) / times)
        done = min(done, (time.perf_counter() - start) / times)
    return best * 1e6, done * 1e6

a, b = torch.ones(16, device=device), torch.ones(16, device=device)
m = torch.ones(16, 16, device=device)
with torch.no_grad():
    for name, function in {
        "a + b, 16 floats": lambda: a + b,
        "a.add_(b), 16 floats": lambda: a.add_(b),
        "torch.relu, 16 floats": lambda: torch.relu(a),
        "m @ m, 16 x 16": lambda: m @ m,
        "torch.empty, 64 bytes": lambda: torch.empty(16, device=device),
    }.items():
        function()
        returned, done = timed(function)
        print(f"{name}|{returned:.2f}|{done:.2f}")
"""

# `torch.empty` calls no function of an operator, so a stand-in that computes nothing is enough for this.
SUM = """
import time, torch, torch_npu
a, b = torch.empty(16, device="npu"), torch.empty(16, device="npu")

def timed(times=3000):
    torch.npu.synchronize()
    wall, thread = time.perf_counter(), time.thread_time()
    for _ in range(times):
        a + b
    return (time.perf_counter() - wall) / times * 1e6, (time.thread_time() - thread) / times * 1e6

timed()
best = [min(column) for column in zip(*(timed() for _ in range(9)))]
print(f"a + b|{best[0]:.3f}|{best[1]:.3f}")
"""

THREADS = os.cpu_count()

# The script with the processor time of its steps beside the time by the clock.
STEP = """
import sys, time
sys.path.insert(0, sys.argv[1])
import transformer, torch
device, attention, steps = sys.argv[2], sys.argv[3], int(sys.argv[4])
if device == "npu":
    import torch_npu
ended = []
transformer.train(device, steps, attention, say=lambda line: ended.append((time.perf_counter(), time.process_time())))
print("|".join(str((last - first) / (len(ended) - 1)) for first, last in zip(ended[0], ended[-1])))
"""


def run(command, label):
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    environment["OMP_NUM_THREADS"] = environment["MILLPOND_THREADS"] = str(THREADS)
    environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch_npu would look for an installation on the CPU device, too
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"error: {label} ended with status {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def step(words, device, options):
    """Seconds of one training step of the script, by the clock and of the processor."""
    command = [*words, sys.executable, "-c", STEP, str(SCRIPT.parent), device, options.attention, str(options.steps)]
    said = run(command, " ".join(words) or "the CPU device").strip().splitlines()[-1]
    return [float(number) for number in said.split("|")]


def tiny(words, device):
    """For each tiny model: milliseconds of a training step by the clock and of the processor, and the same of its forward pass."""
    said = run([*words, sys.executable, str(ROOT / "bench" / "tiny.py"), device], "tiny models")
    rows = [line.split("|") for line in said.splitlines() if line.count("|") == 4]
    return {name: [float(number) for number in numbers] for name, *numbers in rows}


def stand_in():
    """Makes the library whose functions return at once, and returns its folder."""
    folder = ROOT / "target" / "bench-standin"
    folder.mkdir(parents=True, exist_ok=True)
    ours = pathlib.Path(MILLPOND).resolve().parents[1] / "lib64"
    command = [*shlex.split(os.environ.get("CC", "cc")), "-O2", "-shared", "-fPIC", "-o", folder / "libopapi.so", ROOT / "bench" / "standin.c"]
    command += [f"-L{ours}", "-Wl,--no-as-needed", "-lascendcl"]
    subprocess.run(command, check=True)
    return folder


def sums(words, before=None):
    """Microseconds of one a + b, by the clock and of the thread; `before` is a folder of libraries that are found first."""
    command = [sys.executable, "-c", SUM]
    if before:
        command = ["sh", "-c", f'LD_LIBRARY_PATH="{before}:$LD_LIBRARY_PATH" exec "$@"', "sh", *command]
    said = run([*words, *command], "a + b")
    return [float(number) for number in said.strip().splitlines()[-1].split("|")[1:]]


def calls(words, device):
    """Microseconds of single calls, by name: until the call returns, and until it is done."""
    said = run([*words, sys.executable, "-c", CALLS, device], "single calls")
    rows = [line.split("|") for line in said.splitlines() if line.count("|") == 2]
    return {name: (float(returned), float(done)) for name, returned, done in rows}


def verdict(ratio, limit):
    return f"≤ {limit:g}: {'met' if ratio <= limit else 'MISSED'}"


def commit():
    said = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--attention", default="matmul", choices=["matmul", "mha", "sdpa"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--one-thread", action="store_true", help="one thread on both sides")
    parser.add_argument("--without-check", action="store_true", help="leave `millpond check` out")
    parser.add_argument("--without-record", action="store_true", help="leave `millpond record` out")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results")
    options = parser.parse_args()

    # Recordings are written to where a user's would be, a disk, and not kept.
    kept = tempfile.TemporaryDirectory(dir=ROOT / "target")
    recording = pathlib.Path(kept.name) / "run.mpt"
    ways = {
        "cpu": ([], "cpu"),
        "run": ([MILLPOND, "run", "--"], "npu"),
        "record": ([MILLPOND, "record", "-o", str(recording), "--"], "npu"),
        "record --stacks 0": ([MILLPOND, "record", "--stacks", "0", "-o", str(recording), "--"], "npu"),
        "check": ([MILLPOND, "check", "--stacks", "0", "--"], "npu"),
    }
    if options.without_check:
        del ways["check"]
    records = [way for way in ways if way.startswith("record") and not options.without_record]
    ways = {way: how for way, how in ways.items() if way in records or not way.startswith("record")}
    written = {}
    global THREADS
    THREADS = 1 if options.one_thread else os.cpu_count()
    standin = stand_in()
    seconds = {way: [] for way in ways}
    models = {way: [] for way in ("cpu", "run")}
    added = {"ours": [], "stand-in": []}
    for number in range(options.rounds):
        for way, (words, device) in ways.items():
            seconds[way].append(step(words, device, options))
            if way in records:
                written[way] = recording.stat().st_size
                recording.unlink()
        for way in models:
            models[way].append(tiny(*ways[way]))
        added["ours"].append(sums(ways["run"][0]))
        added["stand-in"].append(sums(ways["run"][0], standin))
        told = [f"{way} {seconds[way][-1][0]:.3f} s ({seconds[way][-1][1]:.3f} s processor)" for way in ways]
        told += [f"a + b {added['ours'][-1][1]:.2f} µs, {added['stand-in'][-1][1]:.2f} µs without us"]
        print(f"round {number + 1}: " + ", ".join(told), file=sys.stderr)

    median = statistics.median
    middle = {way: [median(column) for column in zip(*rounds)] for way, rounds in seconds.items()}

    def against(one, other):
        return [median(a[kind] / b[kind] for a, b in zip(seconds[one], seconds[other])) for kind in (0, 1)]

    ran = against("run", "cpu")
    checked = against("check", "run") if "check" in ways else None
    recorded = {way: against(way, "run") for way in records}
    theirs, ours = calls(*ways["cpu"]), calls(*ways["run"])
    more = [median(a[kind] - b[kind] for a, b in zip(added["ours"], added["stand-in"])) for kind in (0, 1)]

    def model_ratio(name, kind):
        return median(a[name][kind] / b[name][kind] for a, b in zip(models["run"], models["cpu"]))

    names = list(models["cpu"][0])
    ratios = {name: [model_ratio(name, kind) for kind in range(4)] for name in names}
    average = [statistics.mean(ratios[name][kind] for name in names) for kind in range(4)]

    lines = [
        "# A training step of PyTorch for Ascend",
        "",
        f"{datetime.date.today()}, commit {commit()}",
        f"{platform.machine()}, {os.cpu_count()} CPUs, {THREADS} threads on each side, torch {importlib.metadata.version('torch')}, "
        f"load average at the end {os.getloadavg()[0]:.1f}",
        f"examples/torch/transformer.py --attention {options.attention}, {options.steps} steps, {options.rounds} rounds",
        "",
        "| what | seconds per step | of the processor | ratio | ratio of processor times | bound |",
        "| --- | --- | --- | --- | --- | --- |",
        f"| PyTorch's CPU device | {middle['cpu'][0]:.3f} | {middle['cpu'][1]:.3f} | 1 | 1 | |",
        f"| `millpond run` | {middle['run'][0]:.3f} | {middle['run'][1]:.3f} | {ran[0]:.2f} of the CPU device | {ran[1]:.2f} | {verdict(ran[0], STEP_LIMIT)} |",
    ]
    for way, ratio in recorded.items():
        size = f"{written[way] / 1e3:.0f} kB"
        lines += [
            f"| `millpond {way}`, {size} | {middle[way][0]:.3f} | {middle[way][1]:.3f} | {ratio[0]:.3f} of `millpond run` | {ratio[1]:.3f} | {verdict(ratio[0], RECORD_LIMIT)} |"
        ]
    if checked:
        lines += [
            f"| `millpond check --stacks 0` | {middle['check'][0]:.3f} | {middle['check'][1]:.3f} | {checked[0]:.2f} of `millpond run` | {checked[1]:.2f} | {verdict(checked[0], CHECK_LIMIT)} |"
        ]
    lines += [
        "",
        "| tiny models (bench/tiny.py), ratio to the CPU device | step | step, processor | forward | forward, processor | bound |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [f"| {name} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios[name]) + " | |" for name in names]
    lines += [f"| average | " + " | ".join(f"{ratio:.2f}" for ratio in average) + f" | step {verdict(average[0], TINY_LIMIT)} |"]
    lines += [
        "",
        "| `a + b` of 16 floats, µs until it returns | by the clock | of the thread | bound |",
        "| --- | --- | --- | --- |",
    ]
    for name, label in {"ours": "with our functions", "stand-in": "functions that return at once"}.items():
        columns = [median(column) for column in zip(*added[name])]
        lines += [f"| {label} | {columns[0]:.2f} | {columns[1]:.2f} | |"]
    lines += [f"| difference | {more[0]:.2f} | {more[1]:.2f} | {verdict(more[0], CALL_LIMIT)} |"]
    lines += [
        "",
        "| one call, µs | CPU device | until it returns | until it is done |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| {name} | {theirs[name][0]:.1f} | {returned:.1f} | {done:.1f} |" for name, (returned, done) in ours.items()]
    text = "\n".join(lines) + "\n"
    print(text)
    if options.save:
        place = ROOT / "bench" / "results" / f"{datetime.date.today()}-{commit()}-torch.md"
        place.write_text(text)
        print(f"kept in {place.relative_to(ROOT)}", file=sys.stderr)
    met = ran[0] <= STEP_LIMIT and all(ratio[0] <= RECORD_LIMIT for ratio in recorded.values()) and (not checked or checked[0] <= CHECK_LIMIT) and average[0] <= TINY_LIMIT and more[0] <= CALL_LIMIT
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
