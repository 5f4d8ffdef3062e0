"""acl.util: memory of Python's objects for C, memory of C for Python, and threads for reports.

Modules are imported by the functions that need them, so that `import acl` is quick; NumPy only by what makes arrays.
"""

from __future__ import annotations

from . import _acl

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from typing import Any, Callable, Dict, Sequence, Tuple

__all__ = [
    "bytes_to_ptr",
    "numpy_contiguous_to_ptr",
    "numpy_to_ptr",
    "ptr_to_bytes",
    "ptr_to_numpy",
    "start_thread",
    "stop_thread",
    "vector_to_ptr",
]

# ACL_MEM_LOCATION_TYPE_DEVICE, and ACL_HOST of aclrtRunMode.
_DEVICE = 1
_HOST = 1
_INVALID_PARAM = 100000

# NumPy's numbers of types, by the names that it gives to dtypes.
_NPY_TYPES = {
    0: "?", 1: "b", 2: "B", 3: "h", 4: "H", 5: "i", 6: "I", 7: "l", 8: "L", 9: "q", 10: "Q",
    11: "f", 12: "d", 13: "g", 14: "F", 15: "D", 16: "G", 23: "e",
}


def _interface(array: Any, function: str) -> Dict[str, Any]:
    interface = getattr(array, "__array_interface__", None)
    if not isinstance(interface, dict):
        raise TypeError(
            f"acl.util.{function}(): argument 'array' must be a NumPy array, not {type(array).__name__}"
        )
    if "O" in str(interface.get("typestr")):
        raise TypeError(
            f"acl.util.{function}(): argument 'array' contains Python objects, which C cannot use"
        )
    return interface


def _integer(value: Any, function: str, argument: str) -> int:
    try:
        return int(value.__index__())
    except AttributeError:
        raise TypeError(
            f"acl.util.{function}(): argument '{argument}' must be int, not {type(value).__name__}"
        ) from None


def _contiguous(interface: Dict[str, Any]) -> bool:
    """Whether the array is C-contiguous."""
    return interface.get("strides") is None


def _refuse_device_memory(ptr: int, function: str) -> None:
    """Raises if the host cannot access an address."""
    if ptr == 0:
        raise ValueError(f"acl.util.{function}(): the address is 0")
    if not 0 < ptr < 1 << 64:
        raise OverflowError(f"acl.util.{function}(): argument 'ptr' is not an address: {ptr:#x}")
    attributes, ret = _acl.rt.pointer_get_attributes(ptr)
    if ret != 0:
        # Unknown: the runtime has not started, or the memory is not ours.
        _acl.get_recent_err_msg()
        return
    if attributes["location"]["type"] == _DEVICE:
        mode, ret = _acl.rt.get_run_mode()
        if ret != 0 or mode == _HOST:
            raise ValueError(
                f"acl.util.{function}(): {ptr:#x} is device memory, which the host cannot read; "
                "copy it with acl.rt.memcpy first"
            )


def numpy_to_ptr(array: Any, /) -> int:
    """The address of an array's first byte. The array must be contiguous and stay alive."""
    interface = _interface(array, "numpy_to_ptr")
    if not _contiguous(interface):
        raise ValueError(
            "acl.util.numpy_to_ptr(): the array is not contiguous; use numpy_contiguous_to_ptr"
        )
    return int(interface["data"][0])


def numpy_contiguous_to_ptr(array: Any, /) -> Tuple[int, Any]:
    """The address of an array or of a contiguous copy of it, and that array, which must stay alive."""
    if not _contiguous(_interface(array, "numpy_contiguous_to_ptr")):
        import numpy

        array = numpy.ascontiguousarray(array)
    return array.__array_interface__["data"][0], array


def ptr_to_numpy(ptr: int, shape: Sequence[int], npy_type: Any, /) -> Any:
    """An array over host memory, without a copy. npy_type is a type number of NumPy (NPY_FLOAT is 11) or
    a dtype. Device memory raises ValueError."""
    import ctypes

    import numpy

    ptr = _integer(ptr, "ptr_to_numpy", "ptr")
    if isinstance(npy_type, int):
        if npy_type not in _NPY_TYPES:
            raise ValueError(
                f"acl.util.ptr_to_numpy(): unknown NumPy type number {npy_type}"
            )
        npy_type = _NPY_TYPES[npy_type]
    if npy_type is None:
        # NumPy would treat None as double.
        raise TypeError("acl.util.ptr_to_numpy(): argument 'npy_type' must be int or a dtype, not NoneType")
    dtype = numpy.dtype(npy_type)
    if dtype.hasobject:
        raise TypeError("acl.util.ptr_to_numpy(): the dtype must not contain Python objects")
    if not hasattr(shape, "__iter__"):
        raise TypeError(
            f"acl.util.ptr_to_numpy(): argument 'shape' must be a list, not {type(shape).__name__}"
        )
    shape = tuple(_integer(size, "ptr_to_numpy", "shape") for size in shape)
    count = 1
    for size in shape:
        if size < 0:
            raise ValueError(f"acl.util.ptr_to_numpy(): argument 'shape' has the negative dimension {size}")
        count *= size
    if count == 0:
        return numpy.empty(shape, dtype)
    if count * dtype.itemsize >= 1 << 63:
        raise OverflowError(f"acl.util.ptr_to_numpy(): argument 'shape' is too large: {shape}")
    _refuse_device_memory(ptr, "ptr_to_numpy")
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(ptr)
    return numpy.frombuffer(memory, dtype).reshape(shape)


def bytes_to_ptr(data: Any, /) -> int:
    """The address of the data of bytes, a bytearray or another buffer. The object must stay alive."""
    if isinstance(data, (bytes, bytearray)):
        return int(_acl._millpond.bytes_address(data))
    import ctypes

    try:
        # Any other writable buffer.
        view = memoryview(data).cast("B")
        return ctypes.addressof(ctypes.c_char.from_buffer(view))
    except (TypeError, ValueError):
        raise TypeError(
            "acl.util.bytes_to_ptr(): argument 'data' must be bytes, a bytearray or a writable "
            f"buffer, not {type(data).__name__}"
        ) from None


def ptr_to_bytes(ptr: int, size: int, /) -> bytes:
    """A copy of host memory. Device memory raises ValueError."""
    ptr = _integer(ptr, "ptr_to_bytes", "ptr")
    size = _integer(size, "ptr_to_bytes", "size")
    if size < 0:
        raise ValueError(f"acl.util.ptr_to_bytes(): argument 'size' must not be negative: {size}")
    if size == 0:
        return b""
    _refuse_device_memory(ptr, "ptr_to_bytes")
    return bytes(_acl._millpond.bytes_at(ptr, size))


def vector_to_ptr(values: Sequence[int], /) -> Tuple[int, Any]:
    """The address of an array of 64-bit numbers with these values, and the array, which must stay alive."""
    if not hasattr(values, "__iter__"):
        raise TypeError(
            f"acl.util.vector_to_ptr(): argument 'values' must be a list, not {type(values).__name__}"
        )
    import array

    try:
        vector = array.array("q", [_integer(value, "vector_to_ptr", "values") for value in values])
    except OverflowError:
        raise OverflowError(
            "acl.util.vector_to_ptr(): argument 'values' has a number that is out of range for i64"
        ) from None
    return vector.buffer_info()[0], vector


_threads: Dict[int, threading.Thread] = {}


def start_thread(func: Callable[[Any], Any], args: Any, /) -> Tuple[int, int]:
    """Runs func(args) on a new thread. Returns its number for subscribe_report, and a code."""
    if not callable(func):
        raise TypeError(
            f"acl.util.start_thread(): argument 'func' must be callable, not {type(func).__name__}"
        )
    import threading

    # A script that never calls stop_thread still exits.
    thread = threading.Thread(target=func, args=(args,), name="acl.util", daemon=True)
    thread.start()
    tid = thread.ident or 0
    _threads[tid] = thread
    return tid, 0


def stop_thread(tid: int, /) -> int:
    """Waits for a thread of start_thread to end."""
    import threading

    thread = _threads.pop(_integer(tid, "stop_thread", "tid"), None)
    if thread is None or thread is threading.current_thread():
        return _INVALID_PARAM
    thread.join()
    return 0
