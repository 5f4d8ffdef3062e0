"""Tests of the published packages, run in the environment that `millpond run` sets up.

    millpond run -- python -m pytest tests/onnxruntime

`cargo xtask test` installs the packages and runs this command.
"""

import numpy as np
import pytest

ort = pytest.importorskip("onnxruntime")
# Exceptions contain the errors; the provider's log only repeats them.
ort.set_default_logger_severity(4)


@pytest.fixture
def rng():
    """Every test starts with the same random numbers."""
    return np.random.default_rng(7)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """A fresh folder: the provider writes compiled graphs to the current folder and reuses the ones it finds."""
    monkeypatch.chdir(tmp_path)
