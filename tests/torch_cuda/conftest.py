"""Tests of the pool inside PyTorch on CUDA, with stock PyTorch for CUDA and the package millpond.

    python -m pytest tests/torch_cuda

With a GPU everything runs. Without one, programs that need no kernels run on a stand-in of the CUDA runtime and driver, built with gcc, and
the others are skipped. MILLPOND_REQUIRE=cuda makes a missing GPU an error. Every program runs in a process of its own.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
REQUIRED = "cuda" in os.environ.get("MILLPOND_REQUIRE", "").split(",")
# Only ends a hang.
LONG = 900

class Machine:
    """Where programs run: on a GPU, or on the stand-in."""

    def __init__(self, has_gpu, environment):
        self.has_gpu = has_gpu
        self.environment = {**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:8", **environment}
        if not has_gpu:
            # It is meant for real GPUs, and may hide all of them.
            self.environment.pop("CUDA_VISIBLE_DEVICES", None)
        self.results = {}

    def run(self, script, *arguments, **environment):
        """Runs a script of this folder; returns its lines of JSON and the end of what it said beside."""
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, script), *arguments],
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LONG,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"program"')]
        return done.returncode, lines, done.stderr[-3000:]

    def all(self, form):
        """The results of all programs with an allocator; each runs once."""
        if form not in self.results:
            code, lines, said = self.run("programs.py", form, *self.names())
            found = {line["program"]: line for line in lines}
            missing = [name for name in self.names() if name not in found]
            # A crash is a failure of the program that it happened in, and of those that it kept from running.
            for name in missing:
                found[name] = {"error": f"did not run: the process ended with {code} before or in {missing[0]}: {said}"}
            self.results[form] = found
        return self.results[form]

    def names(self):
        import programs

        return [name for name in programs.PROGRAMS if self.has_gpu or name not in programs.NEED_KERNELS]


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    if torch.version.cuda is None and not REQUIRED:
        pytest.skip(f"skipped: PyTorch {torch.__version__} has no CUDA")
    if has_gpu():
        return Machine(True, {})
    if REQUIRED:
        pytest.fail("MILLPOND_REQUIRE=cuda is set, and PyTorch finds no GPU")
    return Machine(False, standin(torch, tmp_path_factory.mktemp("standin")))


@pytest.fixture
def gpu(machine):
    if not machine.has_gpu:
        pytest.skip("skipped: no GPU (kernels compute nothing on the stand-in)")
    return machine


def has_gpu():
    ask = "import torch; torch.cuda.init(); print(torch.cuda.device_count())"
    done = subprocess.run([sys.executable, "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.returncode == 0 and int(done.stdout) > 0


def standin(torch, folder):
    """Builds the stand-ins; returns the environment in which PyTorch uses them."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("skipped: no GPU, and no gcc to build the stand-in")
    from millpond.torch import _build

    try:
        headers = [part for path in _build.cuda_headers(torch) for part in ("-isystem", path)]
    except _build.CannotBuild as error:
        pytest.skip(f"skipped: no GPU, and no stand-in: {error}")
    # Names that PyTorch asks the loader for.
    driver, runtime = folder / "libcuda.so.1", folder / "preloaded" / f"libcudart.so.{torch.version.cuda.partition('.')[0]}"
    runtime.parent.mkdir()
    shared = [gcc, "-O1", "-w", "-shared", "-fPIC"]
    subprocess.run([*shared, os.path.join(ROOT, "crates/cuda/src/testing/standin.c"), "-o", str(driver), "-lpthread"], check=True)
    subprocess.run([*shared, *headers, os.path.join(HERE, "standin", "runtime.c"), "-o", str(runtime), "-ldl"], check=True)
    return {
        "LD_PRELOAD": str(runtime),
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")])),
        "MILLPOND_CUDA_DRIVER": str(driver),
        "STANDIN_MEMORY": str(4 << 30),
    }
