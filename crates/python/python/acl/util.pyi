"""The functions of acl.util.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def numpy_to_ptr(array: Any, /) -> int:
    """The address of an array's first byte. The array must be contiguous and stay alive."""

def numpy_contiguous_to_ptr(array: Any, /) -> Tuple[int, Any]:
    """The address of an array or of a contiguous copy of it, and that array, which must stay alive."""

def ptr_to_numpy(ptr: int, shape: Sequence[int], npy_type: Any, /) -> Any:
    """An array over host memory, without a copy. npy_type is a type number of NumPy (NPY_FLOAT is 11)
    or a dtype. Device memory raises ValueError."""

def bytes_to_ptr(data: Any, /) -> int:
    """The address of the data of bytes, a bytearray or another buffer. The object must stay alive."""

def ptr_to_bytes(ptr: int, size: int, /) -> bytes:
    """A copy of host memory. Device memory raises ValueError."""

def vector_to_ptr(values: Sequence[int], /) -> Tuple[int, Any]:
    """The address of an array of 64-bit numbers with these values, and the array, which must stay
    alive."""

def start_thread(func: Callable[[Any], Any], args: Any, /) -> Tuple[int, int]:
    """Runs func(args) on a new thread. Returns its number for subscribe_report, and a code."""

def stop_thread(tid: int, /) -> int:
    """Waits for a thread of start_thread to end."""
