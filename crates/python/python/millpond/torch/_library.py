"""The pool's library, libmillpond_plugin.so, and the extension that is built on it."""

import ctypes
import os
from typing import Any, Dict

from ._options import CudaOptions

NAME = "libmillpond_plugin.so"
# A file to use instead, for developers.
VARIABLE = "MILLPOND_PLUGIN"

_loaded: Any = None
_extension: Any = None


class Stat(ctypes.Structure):
    """millpondCudaStat."""

    _fields_ = [("current", ctypes.c_int64), ("peak", ctypes.c_int64), ("allocated", ctypes.c_int64), ("freed", ctypes.c_int64)]


FIELDS = ("current", "peak", "allocated", "freed")
STATS = ("blocks", "used_bytes", "requested_bytes", "active_blocks", "active_bytes", "split_blocks", "split_bytes", "pages", "reserved_bytes")
NUMBERS = (
    "page_bytes",
    "limit_bytes",
    "largest_free_bytes",
    "idle_bytes",
    "moved_pages",
    "streams",
    "retries",
    "failures",
    "device_allocs",
    "device_frees",
    "seen_records",
    "seen_waits",
    "seen_synchronisations",
    "epochs_recorded",
    "epochs_passed",
    "waits",
)


class Statistics(ctypes.Structure):
    """millpondCudaStatistics."""

    _fields_ = (
        [("struct_size", ctypes.c_size_t), ("device", ctypes.c_int32), ("pools", ctypes.c_uint32)]
        + [(name, Stat) for name in STATS]
        + [(name, ctypes.c_uint64) for name in NUMBERS]
    )


def home() -> str:
    """The folder of the package: bin, include, lib64, share."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def path() -> str:
    return os.environ.get(VARIABLE) or os.path.join(home(), "lib64", NAME)


def load() -> Any:
    """The library, loaded once, with its symbols visible to the extension."""
    global _loaded
    if _loaded is None:
        if not os.path.isfile(path()):
            raise ImportError(f"{path()} does not exist: install the wheel of Millpond again, or set {VARIABLE} to the library")
        library = ctypes.CDLL(path(), mode=ctypes.RTLD_GLOBAL)
        library.millpondCudaMessage.restype = ctypes.c_char_p
        library.millpondCudaVersion.restype = ctypes.c_char_p
        library.millpondCudaDeviceStats.argtypes = [ctypes.c_int, ctypes.POINTER(Statistics)]
        library.millpondCudaWatch.argtypes = [ctypes.POINTER(ctypes.c_uint32)]
        _loaded = library
    return _loaded


def load_extension(file: str) -> Any:
    """The allocator class that was built for this PyTorch."""
    global _extension
    extension = ctypes.CDLL(file)
    extension.millpond_torch_install.argtypes = [ctypes.POINTER(CudaOptions), ctypes.c_uint64, ctypes.c_int]
    extension.millpond_torch_install.restype = ctypes.c_char_p
    extension.millpond_torch_time_pairs.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.POINTER(ctypes.c_double)]
    extension.millpond_torch_time_pairs.restype = ctypes.c_char_p
    extension.millpond_torch_time_threads.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.POINTER(ctypes.c_double)]
    extension.millpond_torch_time_threads.restype = ctypes.c_char_p
    _extension = extension
    return extension


def extension() -> Any:
    return _extension


def address(library: Any, name: str) -> int:
    value = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    assert value is not None
    return value


def watch(library: Any) -> int:
    """Has the library see waits; returns how many calls it sees."""
    replaced = ctypes.c_uint32()
    if library.millpondCudaWatch(ctypes.byref(replaced)) != 0:
        raise RuntimeError(library.millpondCudaMessage().decode())
    return replaced.value


def statistics(library: Any, device: int) -> Dict[str, Any]:
    found = Statistics(struct_size=ctypes.sizeof(Statistics))
    if library.millpondCudaDeviceStats(device, ctypes.byref(found)) != 0:
        raise RuntimeError(library.millpondCudaMessage().decode())
    result: Dict[str, Any] = {"device": found.device, "pools": found.pools}
    for name in STATS:
        stat = getattr(found, name)
        result[name] = {field: getattr(stat, field) for field in FIELDS}
    for name in NUMBERS:
        result[name] = getattr(found, name)
    return result


# What torch.cuda.memory_stats calls the statistics that it has, too.
PYTORCH = {
    "blocks": "allocation",
    "used_bytes": "allocated_bytes",
    "requested_bytes": "requested_bytes",
    "active_blocks": "active",
    "active_bytes": "active_bytes",
    "split_blocks": "inactive_split",
    "split_bytes": "inactive_split_bytes",
    "pages": "segment",
    "reserved_bytes": "reserved_bytes",
}


def memory_stats(found: Dict[str, Any]) -> Dict[str, Any]:
    """Statistics under the names of torch.cuda.memory_stats."""
    result: Dict[str, Any] = {}
    for ours, theirs in PYTORCH.items():
        for field in FIELDS:
            result[f"{theirs}.all.{field}"] = result[f"{theirs}.large_pool.{field}"] = found[ours][field]
            result[f"{theirs}.small_pool.{field}"] = 0
    result["num_alloc_retries"] = found["retries"]
    result["num_ooms"] = found["failures"]
    result["num_sync_all_streams"] = found["waits"]
    result["num_device_alloc"] = found["device_allocs"]
    result["num_device_free"] = found["device_frees"]
    return result
