"""The functions of acl.util.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def numpy_to_ptr(array: Any, /) -> int:
    """The address of an array's first byte. The array has to be kept, and to be contiguous."""

def numpy_contiguous_to_ptr(array: Any, /) -> Tuple[int, Any]:
    """The address of an array, or of a contiguous copy of it; and whichever it is, to be kept."""

def ptr_to_numpy(ptr: int, shape: Sequence[int], npy_type: Any, /) -> Any:
    """An array over memory of the host, without a copy. npy_type is a number of NumPy (NPY_FLOAT is
    11) or a dtype. Device memory raises ValueError."""

def bytes_to_ptr(data: Any, /) -> int:
    """The address of the bytes themselves, of bytes, a bytearray or another buffer. The object has to
    be kept."""

def ptr_to_bytes(ptr: int, size: int, /) -> bytes:
    """A copy of memory of the host. Device memory raises ValueError."""

def vector_to_ptr(values: Sequence[int], /) -> Tuple[int, Any]:
    """The address of an array of 64-bit numbers with these values, and the array, to be kept."""

def start_thread(func: Callable[[Any], Any], args: Any, /) -> Tuple[int, int]:
    """Runs func(args) on a new thread. Answers its number, as subscribe_report wants it, and a code."""

def stop_thread(tid: int, /) -> int:
    """Waits until a thread of start_thread has ended."""
