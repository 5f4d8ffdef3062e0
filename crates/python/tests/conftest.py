"""What the tests share. They run against an installed wheel: `cargo xtask test`, or pytest after `pip install`."""

import os
import subprocess
import sys

import pytest

import acl

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2

# Whether the whole run is checked: `millpond check -- pytest`.
CHECKED = os.environ.get("MILLPOND_CHECK", "0") not in ("", "0")
wrong_on_purpose = pytest.mark.skipif(CHECKED, reason="breaks rules on purpose, and the run is checked")


def ok(answer):
    """The value of a call that must succeed."""
    code = answer[-1] if isinstance(answer, tuple) else answer
    assert code == 0, (answer, acl.get_recent_err_msg())
    if not isinstance(answer, tuple):
        return None
    return answer[0] if len(answer) == 2 else answer[:-1]


@pytest.fixture
def device(millpond_device):
    """The plug-in's own device, so that a checked run of these tests checks them."""
    return millpond_device


@pytest.fixture
def stream(device):
    handle = ok(acl.rt.create_stream())
    yield handle
    ok(acl.rt.destroy_stream(handle))


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A model of changing shape: 1 to 64 rows of 16 numbers in, rows of 8 out."""
    pytest.importorskip("onnxruntime")
    folder = tmp_path_factory.mktemp("model")
    subprocess.run(
        [sys.executable, "-m", "millpond", "atc", "--framework", "5", "--input_shape", "x:1~64,16"]
        + ["--model", os.path.join(ROOT, "examples/models/mlp.onnx"), "--output", str(folder / "mlp")],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return str(folder / "mlp.om")


def unchecked():
    """The environment for scripts that break rules on purpose."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MILLPOND_CHECK")}
    # Meant, and not an environment that somebody emptied.
    return {**kept, "MILLPOND_CHECK": "0"}


def run_script(text, *arguments, code=0, **variables):
    """Runs a script in a process of its own, unchecked; answers what it printed."""
    environment = {**unchecked(), **variables}
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments], env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr
