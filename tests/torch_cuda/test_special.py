"""Programs that need a process of their own."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT


def result(machine, *arguments, **environment):
    code, lines, said = machine.run("special.py", *arguments, **environment)
    assert code == 0 and len(lines) == 1, (code, said)
    return lines[0]["result"]


def test_memory_was_allocated_before(machine):
    found = result(machine, "too_late")
    assert found["text"].startswith("CUDA memory was allocated before millpond.torch.enable() was called")
    assert not found["enabled"] and found["right"]


def test_initialised_but_unused_is_early_enough(machine):
    found = result(machine, "after_init")
    assert found == {"used": 1024, "allocated": 1024, "right": True}


def test_another_allocator_is_there(machine):
    found = result(machine, "after_another_allocator")
    assert "already uses another allocator" in found["said"][0], found
    assert "accepted" not in found["said"] and not found["enabled"] and found["right"], found


def test_limit_and_statistics(machine):
    found = result(machine, "limited")
    assert "This process may hold 64.00 MiB of it" in found["text"]
    del found["text"]
    assert found == {"limit": 64 << 20, "page": 4 << 20, "failures": 1, "equal": True, "right": True}


def test_the_pluggable_form_without_memory(machine):
    found = result(machine, "pluggable_without_memory")
    assert found["text"].startswith("CUDA out of memory. millpondTorchCudaAlloc: no block of "), found
    assert found["right"]


@pytest.fixture
def two(machine):
    """A machine with two GPUs."""
    import torch

    if machine.has_gpu and torch.cuda.device_count() < 2:
        pytest.skip("skipped: one GPU")
    return machine


TWO = {"STANDIN_DEVICES": "2"}


def test_two_devices(two):
    found = result(two, "two_devices", **TWO)
    assert found == {"used": [1024, 512 + (5 << 20)], "text": True, "right": True, "held": [0, 0]}


@pytest.mark.parametrize("standin", [{}, {"STANDIN_LATE": "1"}, {"STANDIN_PEERS": "0"}])
def test_several_devices(two, standin):
    if standin and two.has_gpu:
        pytest.skip("skipped: a real GPU cannot be made late or denied access to another")
    own, pool = (result(two, "several_devices", form, **TWO, **standin) for form in ("own", "pool"))
    assert pool == own
    assert pool["device 2"] == ["error"] * 4 and pool["wrong"] == [] and pool["limits"] == ["accepted", True], pool


def test_tensors_of_two_devices_shared_between_processes(two):
    found = result(two, "share_devices", "pool", **TWO)
    unseen = found.pop()
    assert found == [[0, [9], 0], [1, [9], 0]]
    if not two.has_gpu:
        assert "Start both processes with the same CUDA_VISIBLE_DEVICES" in unseen[0] and unseen[1:] == [[4], 0], unseen


@pytest.mark.parametrize("call", ["cuMemCreate:3:2", "cuMemMap:5:2", "cuMemSetAccess:2:2"])
def test_a_call_for_memory_that_is_refused_once_is_tried_again(machine, call):
    if machine.has_gpu:
        pytest.skip("skipped: a GPU cannot be told to fail")
    found = result(machine, "refused_once", "pool", STANDIN_FAIL=call)
    assert found == {"said": None, "retries": 1, "right": True}


def test_an_error_that_is_not_about_memory_ends_the_request(machine):
    """As after a kernel that failed: the driver's name and text, and no `out of memory`."""
    if machine.has_gpu:
        pytest.skip("skipped: a GPU cannot be told to fail")
    found = result(machine, "refused_once", "pool", STANDIN_FAIL="cuMemCreate:3:719")
    assert "CUDA_ERROR_LAUNCH_FAILED" in found["said"] and "out of memory" not in found["said"], found
    assert found["right"]


def test_a_kernel_that_failed(gpu):
    assert result(gpu, "sticky", "pool") == {"said": [True, True, True]}


def test_a_device_that_was_reset(gpu):
    """Below PyTorch, which cannot know: a request succeeds or CUDA's error is reported, and the process ends as usual."""
    found = result(gpu, "reset", "pool")
    assert found["code"] == 0
    assert all(said == "accepted" or "CUDA" in said for said in found["said"]), found


def test_tensors_shared_between_processes(machine):
    found = result(machine, "share", "pool")
    assert found == {"said": [4, [5, 6, 7], 995], "back": True, "changed": True, "status": 0}


def test_variable_for_unchanged_scripts(machine, tmp_path):
    """MILLPOND_TORCH=1 with the sitecustomize of `millpond run`, and `python -m millpond.torch`."""
    import millpond

    # Of the wheel, or of the repository.
    places = [os.path.join(os.path.dirname(millpond.__file__), "python-path"), os.path.join(ROOT, "packaging", "torch")]
    place = next(filter(os.path.isdir, places))
    script = tmp_path / "script.py"
    script.write_text("import sys, torch\nprint(torch.cuda.get_allocator_backend(), sys.argv[1:], __name__)\n")
    path = os.pathsep.join(filter(None, [place, os.environ.get("PYTHONPATH")]))

    def said(*command, **environment):
        return subprocess.run(
            [sys.executable, *command, str(script), "a"],
            env={**machine.environment, "PYTHONPATH": path, **environment},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.strip()

    assert said(MILLPOND_TORCH="1") == "millpond ['a'] __main__"
    assert said("-m", "millpond.torch") == "millpond ['a'] __main__"
    assert said(MILLPOND_TORCH="0") == "native ['a'] __main__"


@pytest.mark.parametrize("name", ["compiled", "compiled_with_graphs"])
def test_compiled_models(gpu, name):
    pytest.importorskip("triton")
    own, pool = result(gpu, name, "own"), result(gpu, name, "pool")
    assert pool == own and all(pool["close"])
