"""The compared allocators, and how a process chooses one before it uses PyTorch."""

import ctypes
import os
import subprocess
import sys

# name: what PYTORCH_CUDA_ALLOC_CONF says; None for Millpond, which is installed once PyTorch is loaded
ARMS = {
    "default": "",
    "expandable": "expandable_segments:True",
    "cudaMallocAsync": "backend:cudaMallocAsync",
    "millpond": None,
    "millpond-pluggable": None,
}


def prepare(arm, device):
    """Before PyTorch is imported: it reads its settings then."""
    os.environ.pop("PYTORCH_ALLOC_CONF", None)
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = ARMS[arm] or ""
    if device == "cuda":
        os.environ.setdefault("CUDA_MODULE_LOADING", "LAZY")


def install(arm, device):
    """Returns what is really installed, in words."""
    if device == "cpu" or ARMS[arm] is not None:
        return arm
    import millpond.torch

    millpond.torch.enable(form="pluggable" if arm.endswith("pluggable") else "class")
    return f"{arm}, {millpond.torch.form()}"


def own_statistics():
    """Statistics of Millpond's pool, where PyTorch cannot ask for them."""
    import millpond.torch

    read = millpond.torch.statistics()
    used, reserved = read["used_bytes"], read["reserved_bytes"]
    return {
        "allocated": used["current"],
        "peak_allocated": used["peak"],
        "reserved": reserved["current"],
        "peak_reserved": reserved["peak"],
        "retries": read["retries"],
    }


def clear():
    """Returns what the pool has idle and begins its peaks anew, where PyTorch cannot ask for that."""
    import millpond.torch
    from millpond.torch import _library

    device = millpond.torch.statistics()["device"]
    library = _library.load()
    library.millpondCudaTrim(None, ctypes.c_uint64(0), None)
    library.millpondCudaResetPeaks(device)


def cannot_build():
    """Why the allocator class cannot be built here, if that is known without PyTorch."""
    from millpond.torch import _build

    try:
        _build.compiler()
    except _build.CannotBuild as problem:
        return f"the arm millpond is a class that is compiled here, and {problem}"
    return None


def build():
    """Starts building the allocator class, which is done once for each PyTorch, and returns the process."""
    program = "import torch; from millpond.torch import _build; _build.library_for(torch)"
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Ballast:
    """Takes device memory beside all allocators, so that `left` bytes of it stay free; with None it takes nothing."""

    def __init__(self, left):
        self.wanted, self.block = left, ctypes.c_void_p()

    def __enter__(self):
        self.runtime = runtime()
        self.left = self.free()
        take = 0 if self.wanted is None else self.left - self.wanted
        if take > 0:
            self.check(self.runtime.cudaMalloc(ctypes.byref(self.block), ctypes.c_size_t(take)), f"cudaMalloc({take})")
            self.left = self.free()
        return self

    def __exit__(self, *_):
        if self.block:
            self.check(self.runtime.cudaFree(self.block), "cudaFree")

    def free(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.check(self.runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)), "cudaMemGetInfo")
        return free.value

    @staticmethod
    def check(status, call):
        if status:
            raise OSError(f"{call} returned {status}")


def runtime():
    """The CUDA runtime that PyTorch has loaded."""
    for line in open("/proc/self/maps", encoding="utf-8"):
        path = line.split()[-1]
        if "/libcudart.so" in path:
            return ctypes.CDLL(path)
    raise OSError("PyTorch has not loaded libcudart.so")
