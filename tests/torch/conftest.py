"""Tests of the published packages, run in the environment that `millpond run` sets up.

    millpond run -- python -m pytest tests/torch

`cargo xtask torch` installs the packages and runs this command.
"""

import os

import pytest

# Two devices, so that tests can use a second one. The runtime reads this when it starts, which is later.
os.environ.setdefault("MILLPOND_DEVICES", "2")

import torch  # noqa: E402

torch_npu = pytest.importorskip("torch_npu")


@pytest.fixture(autouse=True)
def same_numbers():
    """Every test starts with the same random numbers and ends with empty queues."""
    torch.manual_seed(0)
    yield
    torch.npu.synchronize()
