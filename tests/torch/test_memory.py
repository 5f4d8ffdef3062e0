"""Memory: statistics, out of memory, history, and expandable segments."""

import gc
import json
import pickle

import pytest
import torch

from support import script

MIB = 1024 * 1024


@pytest.fixture(autouse=True)
def nothing_kept():
    gc.collect()
    torch.npu.synchronize()
    torch.npu.empty_cache()
    yield


def test_what_tensors_take():
    before = torch.npu.memory_allocated()
    x = torch.empty(MIB, dtype=torch.float32, device="npu")
    # torch_npu allocates 32 bytes more than the tensor needs, in steps of 512.
    assert torch.npu.memory_allocated() - before == 4 * MIB + 512
    assert torch.npu.memory_reserved() >= torch.npu.memory_allocated()
    del x
    assert torch.npu.memory_allocated() == before


def test_the_cache_is_given_back():
    x = torch.empty(64 * MIB, dtype=torch.uint8, device="npu")
    free = torch.npu.mem_get_info()[0]
    reserved = torch.npu.memory_reserved()
    del x
    assert torch.npu.memory_reserved() == reserved  # cached by torch_npu
    assert torch.npu.mem_get_info()[0] == free
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() <= reserved - 64 * MIB
    assert torch.npu.mem_get_info()[0] >= free + 64 * MIB  # and back in the runtime


def test_peaks():
    torch.npu.reset_peak_memory_stats()
    before = torch.npu.memory_allocated()
    assert torch.npu.max_memory_allocated() == before
    x = torch.empty(8 * MIB, dtype=torch.uint8, device="npu")
    top = torch.npu.memory_allocated()
    del x
    assert torch.npu.max_memory_allocated() == top > before
    assert torch.npu.max_memory_reserved() >= top
    torch.npu.reset_peak_memory_stats()
    assert torch.npu.max_memory_allocated() == before


def test_statistics():
    count = torch.npu.memory_stats()["allocation.all.allocated"]
    x = [torch.empty(100, device="npu") for _ in range(5)]
    stats = torch.npu.memory_stats()
    assert stats["allocation.all.allocated"] == count + 5
    assert stats["active_bytes.all.current"] >= 5 * 512
    assert torch.npu.memory_stats(1)["allocated_bytes.all.current"] == torch.npu.memory_allocated(1)
    torch.npu.reset_accumulated_memory_stats()
    assert torch.npu.memory_stats()["allocation.all.allocated"] == 0
    del x


def test_the_summary():
    text = torch.npu.memory_summary()
    assert "Allocated memory" in text and "memory summary" in text
    assert "Allocated memory" in torch.npu.memory_summary(abbreviated=True)


def test_segments():
    x = torch.empty(3 * MIB, dtype=torch.uint8, device="npu")
    segments = torch.npu.memory_snapshot()
    mine = [s for s in segments if s["address"] <= x.data_ptr() < s["address"] + s["total_size"]]
    assert len(mine) == 1
    assert sum(s["total_size"] for s in segments if s["device"] == 0) == torch.npu.memory_reserved()


def test_a_limit_for_the_process():
    """A limit below the device's memory: exceeding it raises a clear error, and later work succeeds."""
    total = torch.npu.mem_get_info()[1]
    torch.npu.set_per_process_memory_fraction(256 * MIB / total)
    try:
        with pytest.raises(torch.OutOfMemoryError, match="out of memory"):
            torch.empty(300 * MIB, dtype=torch.uint8, device="npu")
        assert torch.ones(1000, device="npu").sum().item() == 1000
    finally:
        torch.npu.set_per_process_memory_fraction(1.0)
    assert torch.empty(300 * MIB, dtype=torch.uint8, device="npu").numel() == 300 * MIB


OUT_OF_MEMORY = """
import torch, torch_npu
x = torch.ones(1024, device="npu")
kept = []
try:
    while len(kept) < 100:
        kept.append(torch.empty(16 << 20, dtype=torch.uint8, device="npu"))
except torch.OutOfMemoryError as error:
    print("caught", len(kept), str(error).splitlines()[0])
print("still", x.sum().item())
kept.clear()
torch.npu.empty_cache()   # operators need room too
y = torch.ones(16 << 20, dtype=torch.uint8, device="npu")     # fits again
print("again", y[-1].item(), torch.npu.memory_stats()["num_ooms"])
print("total", torch.npu.mem_get_info()[1] >> 20)
"""


def test_a_small_device_is_full():
    ended = script(OUT_OF_MEMORY, env={"MILLPOND_CAPACITY": "192M"})
    assert ended.status == 0, ended
    lines = dict(line.split(" ", 1) for line in ended.out.splitlines())
    count, sentence = lines["caught"].split(" ", 1)
    assert 6 <= int(count) < 12, ended
    assert "NPU out of memory. Tried to allocate 18.00 MiB" in sentence  # the tensor, with 32 bytes, on pages of 2 MiB
    assert "192.00 MiB total capacity" in sentence
    assert lines["still"] == "1024.0"
    assert lines["again"] == "1 1"
    assert lines["total"] == "192"


EXPANDABLE = """
import torch, torch_npu, json
sizes = [5, 40, 3, 90, 17]
segments = []
for round in range(3):
    tensors = [torch.full((size << 18,), float(size), device="npu") for size in sizes]
    assert all(t[-1].item() == s for t, s in zip(tensors, sizes))
    segments.append(sorted((s["total_size"], s["is_expandable"]) for s in torch.npu.memory_snapshot()))
    del tensors
big = torch.full((150 << 18,), 7.0, device="npu")          # grows over what was freed
assert big.min().item() == big.max().item() == 7.0
print(json.dumps(dict(segments=segments, reserved=torch.npu.memory_reserved() >> 20)))
del big
torch.npu.empty_cache()
print(torch.npu.memory_reserved(), torch.npu.memory_allocated())
try:
    torch.empty(1 << 50, dtype=torch.uint8, device="npu")
except torch.OutOfMemoryError:
    print("out of memory")
print(torch.ones(10, device="npu").sum().item())
"""


def test_expandable_segments():
    ended = script(EXPANDABLE, env={"PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True"})
    assert ended.status == 0, ended
    seen, left, full, after = ended.out.splitlines()
    seen = json.loads(seen)
    assert all(expandable for segments in seen["segments"] for _, expandable in segments)
    assert len(seen["segments"][-1]) <= 2  # an expandable one, and one for small tensors
    assert seen["reserved"] < 155 + 150  # the large tensor reused the pages of the others
    assert int(left.split()[0]) <= 4 * MIB
    assert full == "out of memory"
    assert after == "10.0"


def test_history_and_snapshot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.npu.memory._record_memory_history(max_entries=1000)
    try:
        x = torch.empty(5 * MIB, dtype=torch.uint8, device="npu")
        address = x.data_ptr()
        del x
        torch.npu.memory._dump_snapshot(str(tmp_path / "memory.pickle"))
        # torch_npu also writes the usage of each driver module to the current folder.
        (usage,) = tmp_path.glob("device_0_memUsageInfo_*.csv")
    finally:
        torch.npu.memory._record_memory_history(None)
    assert "app" in usage.read_text()
    with open(tmp_path / "memory.pickle", "rb") as file:
        snapshot = pickle.load(file)
    trace = snapshot["device_traces"][0]
    mine = [entry for entry in trace if entry.get("addr") == address]
    assert [entry["action"] for entry in mine if entry["action"] in ("alloc", "free_completed")] == [
        "alloc",
        "free_completed",
    ]
    (born,) = [entry for entry in mine if entry["action"] == "alloc"]
    assert any(frame["filename"].endswith("test_memory.py") for frame in born["frames"])
    assert snapshot["segments"]


def test_addresses_for_other_libraries():
    address = torch.npu.caching_allocator_alloc(1000)
    assert address % 512 == 0
    torch.npu.caching_allocator_delete(address)


def test_pinned_memory_is_not_the_devices():
    before = torch.npu.memory_allocated()
    x = torch.empty(MIB, pin_memory=True)
    assert torch.npu.memory_allocated() == before
    del x
