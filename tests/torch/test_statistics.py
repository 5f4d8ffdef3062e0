"""torch_npu's statistics and Millpond's count the same bytes."""

import ctypes
import gc

import pytest
import torch
from support import script

MB = 1 << 20


class MemInfo:
    """The free and total bytes of a device, according to the runtime."""

    def __init__(self):
        acl = ctypes.CDLL("libascendcl.so")
        self.free, self.total = ctypes.c_size_t(), ctypes.c_size_t()
        HBM = 1
        status = acl.aclrtGetMemInfo(HBM, ctypes.byref(self.free), ctypes.byref(self.total))
        assert status == 0, status

    @property
    def used(self):
        return self.total.value - self.free.value


def begin():
    """Empties the caches; returns the bytes in use outside of torch_npu's cache, according to the runtime."""
    torch.npu.synchronize()
    gc.collect()
    torch.npu.empty_cache()
    return MemInfo().used - torch.npu.memory_reserved()


def same_reserved(beside):
    torch.npu.synchronize()
    assert torch.npu.memory_reserved() == MemInfo().used - beside


def test_reserved_bytes_are_those_that_the_runtime_gave():
    beside = begin()
    same_reserved(beside)
    small = torch.zeros(100, device="npu")
    same_reserved(beside)
    large = [torch.zeros(3 * MB, device="npu") for _ in range(3)]
    same_reserved(beside)
    huge = torch.zeros(50 * MB, device="npu")
    same_reserved(beside)
    assert torch.npu.memory_reserved() >= sum(it.nbytes for it in [small, huge, *large])
    del huge, large
    same_reserved(beside)
    torch.npu.empty_cache()
    same_reserved(beside)
    del small


def test_mem_get_info_is_what_the_runtime_says():
    free, total = torch.npu.mem_get_info()
    info = MemInfo()
    assert (free, total) == (info.free.value, info.total.value)


def test_reserved_bytes_agree_after_training():
    beside = begin()
    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8)).npu()
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(64, 256, device="npu")
    for _ in range(3):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        same_reserved(beside)
    stats = torch.npu.memory_stats()
    assert stats["reserved_bytes.all.current"] == torch.npu.memory_reserved()


STEPS = """
import torch, torch_npu

def say(where):
    torch.npu.synchronize()
    print(where, torch.npu.memory_allocated(), torch.npu.memory_reserved(), torch.npu.max_memory_allocated())

def main():
    held = []
    say("begin")
    for step in range(5):
        held.append(torch.ones(1000 * (step + 1), device="npu"))
        say(f"one {step}")
    big = torch.ones(4 << 20, device="npu")
    say("big")
    del held[1], big
    say("less")
    held.clear()
    say("none")

main()
"""


@pytest.mark.parametrize("segments", ["False", "True"])
def test_allocated_bytes_are_the_sum_of_what_the_checker_sees_handed_out(segments, tmp_path):
    """The regions in the records, as the checker reads them, always add up to torch_npu's own count."""
    records = tmp_path / "records.txt"
    ended = script(
        STEPS,
        check=["--stacks", "0"],
        env={"MILLPOND_RECORDS": str(records), "PYTORCH_NPU_ALLOC_CONF": f"expandable_segments:{segments}"},
        folder=str(tmp_path),
    )
    assert ended.status == 0 and ended.findings == [], ended
    live, peak, seen = {}, 0, [(0, 0)]
    for line in records.read_text().splitlines():
        words = line.split()
        if "region" not in words:
            continue
        number = words[words.index("region") + 1]
        if "registered" in words and "device" in words:
            size = next(word for word in words if word.startswith("0x") and "+" in word)
            live[number] = int(size.split("+")[1])
        elif "unregistered" in words:
            live.pop(number)
        now = sum(live.values())
        peak = max(peak, now)
        seen.append((now, peak))
    said = [line.split() for line in ended.out.splitlines() if len(line.split()) >= 4]
    assert len(said) == 9, ended
    # The output of the script must match the records, in that order.
    moments = iter(seen)
    for line in said:
        told = int(line[-3]), int(line[-1])
        assert told in moments, (line, seen)
    assert int(said[-1][-3]) == 0 and live == {}, "all tensors have died, for both"
