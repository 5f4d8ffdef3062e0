"""The compared allocators, and how a process chooses one before it uses PyTorch."""

import ctypes
import os

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

    return str(millpond.torch.enable(form="pluggable" if arm.endswith("pluggable") else "class"))


def own_statistics():
    """Statistics of Millpond's pool, where PyTorch cannot ask for them."""
    import millpond.torch

    read = millpond.torch.memory_stats()
    return {
        "allocated": read["allocated_bytes.all.current"],
        "peak_allocated": read["allocated_bytes.all.peak"],
        "reserved": read["reserved_bytes.all.current"],
        "peak_reserved": read["reserved_bytes.all.peak"],
    }


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
