"""The command: the environment that it sets up for the published packages, and that it does not affect other programs."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from support import millpond

# An environment without any setup, except for the path of ONNX Runtime.
BARE = {
    name: value
    for name, value in os.environ.items()
    if name in ("PATH", "HOME", "TMPDIR", "MILLPOND_ONNXRUNTIME")
}

TRAIN = """
import torch
torch.manual_seed(0)
model = torch.nn.Linear(4, 2).npu()
model(torch.ones(3, 4).npu()).sum().backward()
print(model.weight.grad.cpu().tolist())
"""


def ended(*command, **env):
    """Runs a process in that environment."""
    command = [str(word) for word in command]
    return subprocess.run(command, env={**BARE, **env}, capture_output=True, text=True, timeout=300, check=False)


def variables(*command):
    """The variables that a program sees."""
    result = ended(*command)
    assert result.returncode == 0, result.stderr
    return dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)


@pytest.fixture
def plain(tmp_path):
    """A build folder with only the command and the library."""
    found = ended(millpond(), "run", "--", sys.executable, "-c", "import os; print(os.environ['ASCEND_HOME_PATH'])")
    library = pathlib.Path(found.stdout.strip()) / "lib64" / "libascendcl.so"
    (tmp_path / "libascendcl.so").symlink_to(library.resolve())
    command = shutil.which(millpond())
    shutil.copy(command, tmp_path / "millpond")
    return tmp_path / "millpond"


def test_the_doctor_finds_nothing_to_change():
    result = ended(millpond(), "doctor", "--torch", "--python", sys.executable)
    assert result.returncode == 0, result.stdout
    assert "torch.ones(2).npu() + 1 is [2.0, 2.0]" in result.stdout
    assert "missing" not in result.stdout


def test_an_import_is_not_commented_on():
    result = ended(millpond(), "run", "--", sys.executable, "-c", "import torch_npu")
    assert result.returncode == 0, result.stderr
    assert "millpond" not in result.stderr


def test_a_build_folder_is_enough(plain):
    # The second run reuses files of the first; the result must be the same.
    for _ in range(2):
        result = ended(plain, "run", "--", sys.executable, "-c", TRAIN)
        assert result.stdout == "[[3.0, 3.0, 3.0, 3.0], [3.0, 3.0, 3.0, 3.0]]\n", result.stderr
    # Millpond printed nothing.
    assert "millpond:" not in result.stderr


def test_a_console_script_is_a_python_too(plain, tmp_path):
    script = tmp_path / "trainer"
    script.write_text(f"#!{sys.executable}\n{TRAIN}")
    script.chmod(0o755)
    result = ended(plain, "check", "--leak-check", "no", "--record", tmp_path / "records", "--", script)
    assert "[[3.0" in result.stdout, result.stderr
    records = ended(plain, "records", tmp_path / "records").stdout
    # torch_npu annotated its allocations through MSTX.
    assert "region 1 registered" in records


def test_a_python_behind_a_shell_is_told_the_same(plain, tmp_path):
    script = tmp_path / "train.sh"
    script.write_text(f"'{sys.executable}' -c 'import os, torch, torch_npu; print(os.environ)'\n")
    for command in [("run",), ("check", "--leak-check", "no", "--allow-unused")]:
        result = ended(plain, *command, "--", "sh", script)
        assert "'TASK_QUEUE_ENABLE': '0'" in result.stdout, result.stderr
    result = ended(plain, "run", "--", "sh", script, TASK_QUEUE_ENABLE="1")
    assert "'TASK_QUEUE_ENABLE': '1'" in result.stdout, result.stderr


SHOW_PRELOAD = """
import ctypes, os, subprocess, sys, torch, torch_npu
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print("c", (getenv(b"LD_PRELOAD") or b"").decode())
print("python", os.environ.get("LD_PRELOAD", ""))
sys.stdout.flush()
subprocess.run([sys.executable, "-c", "import os; print('child', os.environ.get('LD_PRELOAD', ''))"], check=True)
"""


@pytest.mark.parametrize("own", ["", "/usr/lib/x86_64-linux-gnu/libm.so.6"])
def test_the_hook_is_for_checking_only_and_scripts_do_not_see_it(plain, own):
    def seen(*command):
        environment = {"LD_PRELOAD": own} if own else {}
        result = ended(plain, *command, "--", sys.executable, "-c", SHOW_PRELOAD, **environment)
        lines = dict(line.partition(" ")[::2] for line in result.stdout.splitlines() if " " in line)
        assert (lines["python"], lines["child"]) == (own, own), result.stderr
        return lines["c"]

    assert "libascend_kernel_hook.so" not in seen("run")
    hook = seen("check", "--allow-unused").split(":")[0]
    # torch_npu looks at what a link leads to.
    assert pathlib.Path(hook).resolve().name == "libascend_kernel_hook.so"


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_program_that_is_not_python_is_not_disturbed(plain, command):
    unused = ["--allow-unused"] if command == "check" else []
    found = variables(plain, command, *unused, "--", "/usr/bin/env")
    for name in ("LD_PRELOAD", "PYTHONHOME"):
        assert name not in found
    result = ended(plain, command, *unused, "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (result.returncode, result.stdout) == (3, "out\n")
    assert result.stderr.startswith("err\n")
    if command == "run":
        assert result.stderr == "err\n"


def test_versions_that_do_not_fit_are_told_and_the_program_starts(plain, tmp_path):
    # A package in PYTHONPATH takes precedence over the environment's.
    (tmp_path / "more" / "torch_npu-2.14.0.dist-info").mkdir(parents=True)
    result = ended(plain, "run", "--", sys.executable, "-c", "print('started')", PYTHONPATH=str(tmp_path / "more"))
    assert result.stdout == "started\n"
    assert "built for torch 2.14.0" in result.stderr
    assert "pip install --no-deps torch_npu==" in result.stderr
