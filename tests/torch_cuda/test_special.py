"""Programs that need a process of their own."""

import pytest


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


def test_limit_and_statistics(machine):
    found = result(machine, "limited")
    assert "This process may hold 64.00 MiB of it" in found["text"]
    del found["text"]
    assert found == {"limit": 64 << 20, "page": 4 << 20, "failures": 1, "equal": True, "right": True}


def test_a_kernel_that_failed(gpu):
    said = result(gpu, "sticky")["said"]
    assert said[0] is True and "CUDA" in said[2], said


def test_tensors_shared_between_processes(machine):
    found = result(machine, "share", "pool")
    assert found == {"said": [4, [5, 6, 7], 995], "back": True, "changed": True, "status": 0}


def test_variable_for_unchanged_scripts(machine, tmp_path):
    """MILLPOND_TORCH=1 with the sitecustomize of `millpond run`, and `python -m millpond.torch`."""
    import os
    import subprocess
    import sys

    from conftest import ROOT

    script = tmp_path / "script.py"
    script.write_text("import sys, torch\nprint(torch.cuda.get_allocator_backend(), sys.argv[1:], __name__)\n")
    path = os.pathsep.join(filter(None, [os.path.join(ROOT, "packaging", "torch"), os.environ.get("PYTHONPATH")]))

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
