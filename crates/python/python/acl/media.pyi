"""The functions of acl.media.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def dvpp_malloc(size: int, /) -> Tuple[int, int]:
    """dev_ptr, ret = acl.media.dvpp_malloc(size)

    Device memory whose start is a multiple of 128 bytes.

    Note: the same memory as aclrtMalloc: every block starts at a multiple of 512.

    C: acldvppMalloc"""

def dvpp_free(dev_ptr: int, /) -> int:
    """ret = acl.media.dvpp_free(dev_ptr)

    Device memory whose start is a multiple of 128 bytes.

    C: acldvppFree"""
