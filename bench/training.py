"""`cargo xtask bench torch`: what a training step costs on this library, beside PyTorch's own CPU device.

    cargo xtask bench torch [--attention KIND] [--rounds N] [--steps N] [--save]

The same script (examples/torch/transformer.py, unchanged) runs in turn on the CPU device, under `millpond run` and under
`millpond check --stacks 0`, with the same number of threads; others use the machine too, so the ratio is taken within a round
and the median of the rounds counts. Then single calls: what an operator costs from Python until PyTorch has it back, and until it is done.
"""

import argparse
import datetime
import importlib.metadata
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "examples" / "torch" / "transformer.py"
MILLPOND = os.environ.get("MILLPOND_COMMAND", "millpond")

STEP_LIMIT = 3.0
CHECK_LIMIT = 2.0

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


def run(command, label):
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    environment["OMP_NUM_THREADS"] = str(os.cpu_count())  # what our engine takes, too
    environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch_npu would look for an installation on the CPU device, too
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"error: {label} ended with status {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def step(words, device, options):
    """Seconds of one training step: the script's own figure."""
    command = [*words, sys.executable, str(SCRIPT), "--device", device, "--attention", options.attention]
    command += ["--steps", str(options.steps)]
    said = run(command, " ".join(words) or "the CPU device")
    found = re.search(r"([0-9.]+) s per step", said)
    if not found:
        sys.exit(f"error: the script did not say how long a step took:\n{said}")
    return float(found.group(1))


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
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results")
    options = parser.parse_args()

    ways = {
        "cpu": ([], "cpu"),
        "run": ([MILLPOND, "run", "--"], "npu"),
        "check": ([MILLPOND, "check", "--stacks", "0", "--"], "npu"),
    }
    seconds = {way: [] for way in ways}
    for number in range(options.rounds):
        for way, (words, device) in ways.items():
            seconds[way].append(step(words, device, options))
        print(f"round {number + 1}: " + ", ".join(f"{way} {seconds[way][-1]:.3f} s" for way in ways), file=sys.stderr)

    middle = {way: statistics.median(values) for way, values in seconds.items()}
    against = lambda one, other: statistics.median(a / b for a, b in zip(seconds[one], seconds[other]))
    ran, checked = against("run", "cpu"), against("check", "run")
    theirs, ours = calls(*ways["cpu"]), calls(*ways["run"])

    lines = [
        "# A training step of PyTorch for Ascend",
        "",
        f"{datetime.date.today()}, commit {commit()}",
        f"{platform.machine()}, {os.cpu_count()} CPUs and as many threads, torch {importlib.metadata.version('torch')}",
        f"examples/torch/transformer.py --attention {options.attention}, {options.steps} steps, {options.rounds} rounds",
        "",
        "| what | seconds per step | ratio | bound |",
        "| --- | --- | --- | --- |",
        f"| PyTorch's CPU device | {middle['cpu']:.3f} | 1 | |",
        f"| `millpond run` | {middle['run']:.3f} | {ran:.2f} of the CPU device | {verdict(ran, STEP_LIMIT)} |",
        f"| `millpond check --stacks 0` | {middle['check']:.3f} | {checked:.2f} of `millpond run` | {verdict(checked, CHECK_LIMIT)} |",
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
    sys.exit(0 if ran <= STEP_LIMIT and checked <= CHECK_LIMIT else 1)


if __name__ == "__main__":
    main()
