"""The suite runs on the stock packages, in an environment that `millpond run` made.

    millpond run -- python -m pytest tests/torch

`cargo xtask torch` installs the packages and calls exactly that.
"""

import os

import pytest

# Two devices, so that tests can use a second one. Read by the runtime when it starts, which is later.
os.environ.setdefault("MILLPOND_DEVICES", "2")

import torch  # noqa: E402

torch_npu = pytest.importorskip("torch_npu")


@pytest.fixture(autouse=True)
def same_numbers():
    """Every test begins with the same random numbers and ends with nothing queued."""
    torch.manual_seed(0)
    yield
    torch.npu.synchronize()
