"""Compares allocators under PyTorch on a GPU: what calls cost, memory held, step times, and the smallest memory in which a program still
finishes.

    python bench/gpu/run.py                                    # all workloads, arms and parts: about five minutes
    python bench/gpu/run.py --workloads moe --arms default millpond --parts memory
    python bench/gpu/run.py --deadline 480                     # what is not begun by then is skipped, and named
    python bench/gpu/run.py --tiny --device cpu                # only whether the workloads run

Every arm of every workload runs in a process of its own. All processes load PyTorch and open the GPU at the start; then they work one
at a time, in turn, while the others wait. After the memory part a process gives its memory back. What the GPU says of its memory (NVML) is
sampled from this process, which has no context. Calls are measured first, in processes of their own, and by `cpp/latency.c`, which
`cargo xtask gpu` compiles; then the memory of all workloads, their step times, and the limits last. The tables and all figures go to
`--out` as NAME.md and NAME.json, again after each part of each workload.
"""

import argparse
import datetime
import json
import pathlib
import platform
import subprocess
import sys
import threading
import time

import arms
import report

HERE = pathlib.Path(__file__).resolve().parent
WORKLOADS = ("gpt-fixed", "gpt-varlen", "decode", "decode-chunks", "moe", "streams")
PARTS = ("calls", "memory", "time", "limit")
PATIENCE = 40  # seconds that a request may take
# Seconds until a process has loaded PyTorch: all of them do so at once, and one compiles the allocator class meanwhile.
START = 120
# Where `cargo xtask gpu` puts the program, from the root of its folder or of the repository.
LATENCY = ("benchmarks/latency", "target/gpu/benchmarks/latency")


class Process:
    """A worker: one workload under one allocator."""

    def __init__(self, workload, arm, options):
        self.workload, self.arm = workload, arm
        command = [sys.executable, str(HERE / "worker.py"), "--workload", workload, "--arm", arm, "--device", options.device]
        self.errors = open(options.out / f"{options.name}-{workload}-{arm}.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            command + ["--tiny"] * options.tiny, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )

    def read(self, patience=PATIENCE):
        watch = threading.Timer(patience, self.process.kill)
        watch.start()
        line = self.process.stdout.readline()
        watch.cancel()
        if line:
            return json.loads(line)
        status = self.process.wait()
        if status == -9:
            return {"error": f"the process was killed: by us, if it took more than {patience} s"}
        self.errors.seek(0)
        last = (self.errors.read().strip().splitlines() or ["it wrote nothing to stderr"])[-1]
        return {"error": f"the process ended with status {status}: {last}"}

    def send(self, do, **what):
        try:
            print(json.dumps({"do": do, **what}), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass  # `read` says how it ended

    def ask(self, do, **what):
        self.send(do, **what)
        return self.read()

    def end(self):
        """Has the process end; `close` waits for it."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def close(self):
        self.end()
        if self.errors.closed:
            return
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()
        log = pathlib.Path(self.errors.name)
        if not log.stat().st_size:
            log.unlink()


def memory(process, gpu):
    """The peaks of one run: by the allocator's statistics, and by the GPU."""
    from memory import Sampler

    if gpu is None:
        return process.ask("measure")
    with Sampler(gpu) as sampler:
        said = process.ask("measure")
    left = process.ask("clear")
    if "error" not in said and "error" not in left:
        # What stays when the allocator holds nothing is the context, and the code of kernels that were loaded meanwhile.
        after = gpu.used() - left["reserved"]
        said |= {"gpu_peak": sampler.peak - after, "gpu_samples": sampler.samples, "left_reserved": left["reserved"]}
        said |= {"gpu_rest": after - process.before}
    return said


class Deadline:
    """When to begin nothing more, in seconds from the start of the program."""

    def __init__(self, seconds):
        self.begun, self.seconds = time.monotonic(), seconds

    def allows(self, expected=0.0):
        """Whether something that takes so long would be over in time."""
        return self.seconds is None or time.monotonic() - self.begun + expected <= self.seconds


def limits(process, attempts, deadline):
    """The smallest memory in which a run finished, between what is live at its peak and what it holds without a limit."""
    begun = time.monotonic()
    free = process.ask("limit")
    if "error" in free:
        return free
    longest = time.monotonic() - begun
    if not free["finished"]:
        return {"error": "it did not finish without a limit"}
    low, high = free["peak_allocated"], free["peak_reserved"]
    tried, skipped = [], 0
    for attempt in range(attempts):
        if not deadline.allows(longest):
            skipped = attempts - attempt
            break
        # The first attempts are close to what is live: where that is enough, no other is needed.
        middle = int(low * 1.002) if attempt == 0 else (low * high) ** 0.5 if high > 1.5 * low else (low + high) / 2
        middle = -(-int(middle) // (2 << 20)) * (2 << 20)
        begun = time.monotonic()
        said = process.ask("limit", bytes=middle)
        longest = max(longest, time.monotonic() - begun)
        tried.append({"bytes": middle, **said})
        if "error" in said:
            break
        if said["finished"]:
            high = middle
            if attempt == 0:
                break
        else:
            low = middle
    return {"live": free["peak_allocated"], "smallest": int(high), "too_small": int(low), "tried": tried, "skipped": skipped}


def memory_part(workload, working, entries, options, gpu, skip):
    for process in working:
        if not options.until.allows():
            skip(f"memory, {workload}, {process.arm}")
            continue
        process.before = gpu.used() if gpu else 0
        entries[process.arm]["memory"] = said = memory(process, gpu)
        say(f"{workload}, {process.arm}: {report.memory_line(said)}")


def time_part(workload, working, entries, options, gpu, skip):
    steps = 2 if options.tiny else None
    # The first round fills caches and does not count.
    for number in range(options.rounds + 1):
        if not options.until.allows():
            skip(f"time, {workload}: {options.rounds + 1 - max(number, 1)} of {options.rounds} rounds")
            break
        order = working if number % 2 else working[::-1]
        for process in order:
            said = process.ask("time", steps=steps)
            if number:
                entries[process.arm].setdefault("time", []).append(said)
    for process in working:
        say(f"{workload}, {process.arm}: {report.time_line(entries[process.arm].get('time', []))}")
        # What it keeps between rounds would be missing to the workloads after it.
        process.ask("clear")


def limit_part(workload, working, entries, options, gpu, skip):
    for process in working:
        # A run without a limit, and an attempt.
        if not options.until.allows():
            skip(f"limit, {workload}, {process.arm}: all attempts")
            continue
        entries[process.arm]["limit"] = said = limits(process, options.attempts, options.until)
        if said.get("skipped"):
            skip(f"limit, {workload}, {process.arm}: {said['skipped']} of {options.attempts} attempts")
        say(f"{workload}, {process.arm}: {report.limit_line(said)}")


def run_workloads(started, options, gpu, figures):
    """Part by part, so that a run that is cut short has each figure of the first parts."""
    entries = {
        workload: {process.arm: {"workload": workload, "arm": process.arm, "about": process.about} for process in processes}
        for workload, processes in started.items()
    }
    figures["results"] = [entry for each in entries.values() for entry in each.values()]

    def skip(what):
        figures.setdefault("skipped", []).append(what)
        say(f"skipped: {what}: the deadline of {options.deadline:g} s")

    for part, run in (("memory", memory_part), ("time", time_part), ("limit", limit_part)):
        if part not in options.parts:
            continue
        for workload, processes in started.items():
            working = [process for process in processes if "error" not in entries[workload][process.arm]["about"]]
            run(workload, working, entries[workload], options, gpu, skip)
            save(options, figures)


def run_calls(processes, options, figures):
    """What an allocation and its free cost: through the C interface, and inside PyTorch by arm."""
    found = {"cpp": latency(options) if options.device == "cuda" else {"error": "it needs a CUDA driver"}}
    save(options, figures | {"calls": found})
    for process in processes:
        said = process.about if "error" in process.about else process.ask("calls")
        process.close()  # its memory goes before other memory is measured
        found[process.arm] = said
        say(f"calls, {process.arm}: {report.calls_line(said)}")
    figures["calls"] = found


def latency(options):
    """The lines of cpp/latency.c, also of a run that failed half way."""
    candidates = [options.latency] if options.latency else [HERE.parents[1] / name for name in LATENCY]
    program = next(filter(pathlib.Path.is_file, candidates), None)
    if program is None:
        return {"error": f"there is no {candidates[0]}: cargo xtask gpu makes it"}
    command = [str(program), *["--tiny"] * options.tiny]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"error": f"{program.name}: {error}"}
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for line in lines:
        say(f"calls, {json.dumps(line)}")
    if done.returncode or not lines:
        last = (done.stderr.strip() or done.stdout.strip() or "it wrote nothing").splitlines()[-1]
        return {"lines": lines, "error": f"{program.name} ended with status {done.returncode}: {last}"}
    return {"lines": lines}


def commit():
    """The commit that this comes from: of the folder of `cargo xtask gpu`, or of the repository."""
    root = HERE.parents[1]
    if (root / "commit.txt").is_file():
        return (root / "commit.txt").read_text(encoding="utf-8").strip()
    try:
        asked = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workloads", nargs="+", default=WORKLOADS, choices=WORKLOADS, metavar="NAME", help=", ".join(WORKLOADS))
    parser.add_argument("--arms", nargs="+", choices=arms.ARMS, metavar="NAME", help=", ".join(arms.ARMS))
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS, metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=5, help="alternating timed runs of each arm (default 5)")
    parser.add_argument("--attempts", type=int, default=5, help="runs for each smallest limit (default 5)")
    parser.add_argument("--deadline", type=float, metavar="SECONDS", help="begin nothing more after so long, and name what is skipped")
    parser.add_argument("--latency", type=pathlib.Path, metavar="PROGRAM", help="the compiled cpp/latency.c")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--tiny", action="store_true", help="tiny sizes")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("target/gpu-results"), help="folder for the results")
    parser.add_argument("--name", default=f"{datetime.date.today()}-gpu", help="name of the results")
    parser.add_argument("--merge", nargs="+", type=pathlib.Path, metavar="JSON", help="run nothing; write one table of these results")
    options = parser.parse_args()
    options.until = Deadline(options.deadline)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.merge:
        return write(options, report.merged([json.loads(path.read_text()) for path in options.merge]))

    gpu = None
    if options.device == "cuda":
        from memory import Gpu

        gpu = Gpu()
    else:
        options.parts = [part for part in options.parts if part != "limit"]
    if not options.arms:
        options.arms = list(arms.ARMS) if gpu else ["default"]
    if gpu and ("millpond" in options.arms or "calls" in options.parts):
        problem = arms.cannot_build()
        if problem:
            print(f"error: {problem}", file=sys.stderr)
            return 2
        arms.build()
    workloads = ["calls"] * ("calls" in options.parts) + list(options.workloads) * (set(options.parts) != {"calls"})
    say(f"{len(workloads) * len(options.arms)} processes load PyTorch")
    started = {workload: [Process(workload, arm, options) for arm in options.arms] for workload in workloads}
    everyone = [process for processes in started.values() for process in processes]
    for process in everyone:
        process.send("begin")
    for process in everyone:
        process.about = process.read(START)
        if "error" in process.about:
            say(f"{process.workload}, {process.arm}: {process.about['error']}")
    about = next((process.about for process in everyone if "error" not in process.about), {})
    machine = {
        "date": str(datetime.date.today()),
        "gpu": about.get("gpu", "none"),
        "driver": gpu.driver() if gpu else "none",
        "cuda": about.get("cuda", "none"),
        "torch": about.get("torch", "unknown"),
        "python": about.get("python", platform.python_version()),
        "commit": commit(),
        "command": " ".join(["run.py", *sys.argv[1:]]),
    }
    figures = {"machines": [machine], "results": []}
    try:
        if "calls" in started:
            run_calls(started.pop("calls"), options, figures)
            save(options, figures)
        run_workloads(started, options, gpu, figures)
    finally:
        for process in everyone:
            process.end()
        for process in everyone:
            process.close()
    return write(options, figures)


def save(options, figures):
    text = report.markdown(figures)
    (options.out / f"{options.name}.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    (options.out / f"{options.name}.md").write_text(text, encoding="utf-8")
    return text


def write(options, figures):
    print(save(options, figures))
    problems = list(report.problems(figures))
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
