"""Nothing that a script passes ends the interpreter."""

import os
import subprocess
import sys

import pytest

from conftest import HERE, unchecked


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_strange_calls_are_survived(seed):
    environment = {**unchecked(), "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, "strange_calls.py"), str(seed)],
        capture_output=True, text=True, errors="replace", timeout=600, env=environment, cwd=HERE,
    )
    assert done.stdout.endswith("survived\n"), (done.returncode, done.stderr[-2000:])
