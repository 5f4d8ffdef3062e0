"""Shared by the rank scripts: the process group, and values that any rank can compute for any other."""

import datetime
import os

import torch
import torch.distributed as dist

RANK = int(os.environ["RANK"])
RANKS = int(os.environ["WORLD_SIZE"])
DEVICE = f"npu:{os.environ['LOCAL_RANK']}"


def begin(**options):
    """Joins the process group, on a device of this rank's own. Some programs choose the device first, some later."""
    if os.environ.get("RANKS_DEVICE") != "later":
        torch.npu.set_device(DEVICE)
    dist.init_process_group("hccl", **options)
    torch.npu.set_device(DEVICE)


def values(rank, *shape, kind=torch.float32, seed=0):
    """Numbers that depend on the rank; on the CPU. Small integers, so that sums are exact in every type."""
    numbers = torch.Generator().manual_seed(1000 * seed + rank)
    return torch.randint(-5, 6, shape, generator=numbers).to(kind)


def of_all(*shape, kind=torch.float32, seed=0):
    """What `values` is on each rank."""
    return [values(rank, *shape, kind=kind, seed=seed) for rank in range(RANKS)]


def same(ours, cpu, rtol=0.0, atol=0.0):
    torch.testing.assert_close(ours.detach().cpu(), cpu.detach(), rtol=rtol, atol=atol)


def close(ours, cpu):
    """For results of training steps, where the order of sums differs."""
    same(ours, cpu, rtol=1e-4, atol=1e-5)


def run(cases, **options):
    """Runs the cases in order. Each rank prints a line for each, which the test counts."""
    begin(timeout=datetime.timedelta(seconds=240), **options)
    chosen = os.environ.get("RANKS_CASES", "").split()
    for case in cases:
        if chosen and case.__name__ not in chosen:
            continue
        torch.manual_seed(0)
        case()
        torch.npu.synchronize()
        # One write, so that lines of two ranks do not mix.
        os.write(1, f"passed {case.__name__} on {RANK} of {RANKS}\n".encode())
    if os.environ.get("RANKS_END") != "0":
        dist.destroy_process_group()
