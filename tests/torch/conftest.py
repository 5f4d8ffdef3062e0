"""Tests of the published packages, run in the environment that `millpond run` sets up.

    millpond run -- python -m pytest tests/torch

`cargo xtask torch` installs the packages and runs this command.
"""

import os
import subprocess
import sys

import pytest

# Two devices, so that tests can use a second one. The runtime reads this when it starts, which is later.
os.environ.setdefault("MILLPOND_DEVICES", "2")



def matrix_units_work():
    """Some virtual machines announce the processor's matrix units (AMX) and do not let programs use them."""
    product = "import torch; a = torch.ones(64, 64, dtype=torch.bfloat16); a @ a"
    environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "MILLPOND_CHECK": "0"}
    return subprocess.run([sys.executable, "-c", product], env=environment, check=False).returncode == 0


# PyTorch's own CPU device, which results are compared with, dies of an illegal instruction there.
with open("/proc/cpuinfo", encoding="utf-8") as processor:
    if "amx_bf16" in processor.read() and not matrix_units_work():
        os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

import torch  # noqa: E402

torch_npu = pytest.importorskip("torch_npu")


@pytest.fixture(autouse=True)
def same_numbers():
    """Every test starts with the same random numbers and ends with empty queues."""
    torch.manual_seed(0)
    yield
    torch.npu.synchronize()
