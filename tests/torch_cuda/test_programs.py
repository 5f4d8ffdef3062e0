"""The same programs with PyTorch's own allocator and with the pool."""

import pytest

import programs

# What the pool shows and PyTorch's allocator does not promise.
JUDGED = {"waits_between_streams"}


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_same_as_pytorchs_allocator(machine, name):
    if name in programs.NEED_KERNELS and not machine.has_gpu:
        pytest.skip("skipped: no GPU (kernels compute nothing on the stand-in)")
    own, pool = machine.all("own")[name], machine.all("pool")[name]
    assert "error" not in own, own
    assert "error" not in pool, pool
    public = [{key: value for key, value in line["result"].items() if not key.startswith("_")} for line in (own, pool)]
    assert public[1] == public[0]


def test_streams_that_wait_reuse_memory(gpu):
    """The CPU runs far ahead of two streams that hand buffers to each other."""
    result = gpu.all("pool")["waits_between_streams"]["result"]
    assert result["_reserved"] <= 2 * result["_allocated"]


def test_waits_that_are_not_seen_cost_only_memory(machine):
    """Every program comes to the same results without the library's own eyes."""
    names = [name for name in machine.names() if name not in JUDGED]
    _, lines, said = machine.run("programs.py", "pool", *names, MILLPOND_TORCH_OPTIONS="waits=off")
    assert [line["program"] for line in lines] == names, said
    for line in lines:
        assert line.get("result") == machine.all("pool")[line["program"]].get("result"), line


PLUGGABLE = ["record_stream", "threads", "data_loader", "fork", "training", "cudnn_benchmark"]


def test_pluggable_form(machine):
    """What needs no statistics and no private pools works with PyTorch's pluggable interface."""
    names = [name for name in PLUGGABLE if name in machine.names() and name not in ("threads", "cudnn_benchmark")]
    _, lines, said = machine.run("programs.py", "pluggable", *names)
    assert [line["program"] for line in lines] == names, said
    for line in lines:
        assert line.get("result") == machine.all("own")[line["program"]].get("result"), line
