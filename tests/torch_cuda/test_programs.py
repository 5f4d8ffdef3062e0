"""The same programs with PyTorch's own allocator and with the pool."""

import pytest

pytest.importorskip("torch")

import programs  # noqa: E402

# What needs no statistics and no private pools.
PLUGGABLE = ("record_stream", "data_loader", "fork", "training")


def compared(line):
    """The part of a result that is compared; an error is none."""
    assert "error" not in line, line
    return {key: value for key, value in line["result"].items() if not key.startswith("_")}


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_same_as_pytorchs_allocator(machine, name):
    if name in programs.NEED_KERNELS and not machine.has_gpu:
        pytest.skip("skipped: no GPU (kernels compute nothing on the stand-in)")
    assert compared(machine.all("pool")[name]) == compared(machine.all("own")[name])


def test_peaks_that_are_not_kept_are_never_too_high(machine):
    """docs/cuda.md: of most numbers the pool knows only what was there when somebody asked."""
    own, pool = (machine.all(form)["peaks"]["result"]["_seen"] for form in ("own", "pool"))
    assert all(0 <= pool[name] <= own[name] for name in own), (own, pool)
    assert pool["active_bytes"] == own["active_bytes"]


def test_streams_that_wait_reuse_memory(gpu):
    """The CPU runs far ahead of two streams that hand buffers to each other."""
    result = gpu.all("pool")["waits_between_streams"]["result"]
    assert result["_reserved"] <= 2 * result["_allocated"]


def test_waits_that_are_not_seen_cost_only_memory(machine):
    """Every program comes to the same results without the library's own eyes."""
    names = machine.names()
    _, lines, said = machine.run("programs.py", "pool", *names, MILLPOND_TORCH_OPTIONS="waits=off")
    assert [line["program"] for line in lines] == names, said
    for line in lines:
        assert compared(line) == compared(machine.all("pool")[line["program"]])


def test_pluggable_form(machine):
    names = [name for name in PLUGGABLE if name in machine.names()]
    _, lines, said = machine.run("programs.py", "pluggable", *names)
    assert [line["program"] for line in lines] == names, said
    for line in lines:
        assert compared(line) == compared(machine.all("own")[line["program"]])
