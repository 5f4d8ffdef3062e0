"""The suite runs on the stock packages, in an environment that `millpond run` made.

    millpond run -- python -m pytest tests/onnxruntime

`cargo xtask test` installs the packages and calls exactly that.
"""

import numpy as np
import pytest

ort = pytest.importorskip("onnxruntime")
# What goes wrong is in the exceptions; the provider's log says it a second and third time.
ort.set_default_logger_severity(4)


@pytest.fixture
def rng():
    """Every test begins with the same random numbers."""
    return np.random.default_rng(7)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The provider leaves compiled graphs in the current folder and takes those that it finds there."""
    monkeypatch.chdir(tmp_path)
