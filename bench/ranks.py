"""`cargo xtask bench ranks`: collectives between two ranks of this machine, beside PyTorch's own gloo backend.

    cargo xtask bench ranks [--rounds N] [--save]

Both backends run in the same two processes, in turns: AllReduce of 64 MiB and of 1 KiB, until the result is there. Then a step of the
transformer of examples/torch with data parallelism: two ranks with a batch each, against one rank with both batches, with as many
threads in all. Others use the machine too, so ratios are taken within a round and the median of the rounds counts.
"""

import argparse
import datetime
import importlib.metadata
import os
import pathlib
import platform
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MILLPOND = os.environ.get("MILLPOND_COMMAND", "millpond")
STEP_LIMIT = 1.3

COLLECTIVES = """
import os, sys, time, torch, torch_npu
import torch.distributed as dist
torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
torch.set_num_threads(1)
dist.init_process_group("cpu:gloo,npu:hccl")

def timed(tensor, wait, times):
    dist.all_reduce(tensor)
    wait()
    start = time.perf_counter()
    for _ in range(times):
        dist.all_reduce(tensor)
        wait()
    return (time.perf_counter() - start) / times

for elements, times in ((256, 300), (16 << 20, 8)):
    ours, theirs = torch.ones(elements, device="npu"), torch.ones(elements)
    for _ in range(int(sys.argv[1])):
        seconds = []
        for tensor, wait in ((theirs, lambda: None), (ours, torch.npu.synchronize)):
            tensor.fill_(1)
            seconds.append(timed(tensor, wait, times))
        if dist.get_rank() == 0:
            print(f"collective|{4 * elements}|{seconds[0]}|{seconds[1]}")
dist.destroy_process_group()
"""

STEP = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
import torch, torch_npu, transformer
import torch.distributed as dist
import torch.nn.functional as F
ranks = int(os.environ.get("WORLD_SIZE", "1"))
steps = int(sys.argv[2])
if ranks > 1:
    torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("hccl")
torch.manual_seed(0)
model = transformer.Transformer("matmul").npu()
if ranks > 1:
    model = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.AdamW(model.parameters())
tokens = torch.randint(0, 256, (2 * transformer.BATCH // ranks, transformer.CONTEXT + 1)).npu()
for number in range(steps + 2):
    if number == 2:
        torch.npu.synchronize()
        start = time.perf_counter()
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    loss.item()
torch.npu.synchronize()
if int(os.environ.get("RANK", "0")) == 0:
    print(f"step|{(time.perf_counter() - start) / steps}")
if ranks > 1:
    dist.destroy_process_group()
"""


def run(script, arguments, ranks, threads):
    """The lines that a script prints, under `millpond run` with so many ranks."""
    folder = ROOT / "target" / "bench-ranks"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "script.py"
    place.write_text(script)
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    environment["OMP_NUM_THREADS"] = environment["MILLPOND_THREADS"] = str(threads)
    starter = [sys.executable]
    if ranks > 1:
        starter += ["-m", "torch.distributed.run", "--nproc-per-node", str(ranks)]
    command = [MILLPOND, "run", "--", *starter, str(place), *arguments]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=900)
    if ended.returncode != 0:
        sys.exit(f"error: {ranks} ranks ended with status {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return [line.split("|") for line in ended.stdout.splitlines() if "|" in line]


def commit():
    said = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results")
    options = parser.parse_args()
    threads = max(1, (os.cpu_count() or 2) // 2)
    median = statistics.median

    rows = [row[1:] for row in run(COLLECTIVES, [str(options.rounds)], 2, 1) if row[0] == "collective"]
    sizes = {}
    for size, theirs, ours in rows:
        sizes.setdefault(int(size), []).append((float(theirs), float(ours)))
    steps = []
    for _ in range(options.rounds):
        pair = []
        for ranks in (1, 2):
            said = run(STEP, [str(ROOT / "examples" / "torch"), str(options.steps)], ranks, threads * 2 // ranks)
            pair += [float(row[1]) for row in said if row[0] == "step"]
        steps.append(pair)
    ratio = median(two / one for one, two in steps)

    lines = [
        "# Collectives between two ranks of one machine",
        "",
        f"{datetime.date.today()}, commit {commit()}",
        f"{platform.machine()}, {os.cpu_count()} CPUs, torch {importlib.metadata.version('torch')}, {options.rounds} rounds, "
        f"load average at the end {os.getloadavg()[0]:.1f}",
        "",
        "| AllReduce of float32, 2 ranks | gloo, ms | HCCL, ms | gloo / HCCL | bound |",
        "| --- | --- | --- | --- | --- |",
    ]
    met = ratio <= STEP_LIMIT
    for size, pairs in sizes.items():
        faster = median(theirs / ours for theirs, ours in pairs)
        met &= faster >= 1
        name = f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
        times = [median(column) * 1000 for column in zip(*pairs)]
        lines += [f"| {name} | {times[0]:.3f} | {times[1]:.3f} | {faster:.2f} | ≥ 1: {'met' if faster >= 1 else 'MISSED'} |"]
    lines += [
        "",
        "| transformer step | seconds | ratio | bound |",
        "| --- | --- | --- | --- |",
        f"| one rank, both batches, {threads * 2} threads | {median(one for one, _ in steps):.3f} | 1 | |",
        f"| two ranks (DDP), a batch and {threads} thread(s) each | {median(two for _, two in steps):.3f} | {ratio:.2f} | "
        f"≤ {STEP_LIMIT}: {'met' if ratio <= STEP_LIMIT else 'MISSED'} |",
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if options.save:
        place = ROOT / "bench" / "results" / f"{datetime.date.today()}-{commit()}-ranks.md"
        place.write_text(text)
        print(f"kept in {place.relative_to(ROOT)}", file=sys.stderr)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
