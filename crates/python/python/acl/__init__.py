"""AscendCL for Python, compatible with pyACL, on top of Millpond's runtime.

Functions mirror C: pointers and handles are ints, results come before the code, `(value, ret)`.
Constants are not here: scripts write the numbers, as for pyACL.
"""

import atexit
import os
import sys

try:
    from . import _acl
except ImportError as error:  # pragma: no cover
    raise ImportError(
        f"acl._acl could not be loaded: {error}. If it misses a symbol, another libascendcl.so was "
        "found first: look at LD_LIBRARY_PATH, or run `python -m millpond doctor`."
    ) from error

from ._acl import *  # noqa: F401,F403
from ._acl import blas, mdl, media, op, prof, rt, util
from . import _util

for _name in ("blas", "mdl", "media", "op", "prof", "rt", "util"):
    sys.modules[f"{__name__}.{_name}"] = getattr(_acl, _name)
for _name in _util.__all__:
    _function = getattr(_util, _name)
    _function.__module__ = f"{__name__}.util"
    setattr(util, _name, _function)
del _name, _function

__version__ = _acl._millpond.version()

# Callbacks of the runtime's threads must not come in while the interpreter ends.
atexit.register(_acl._millpond.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_acl._millpond.forked)


def _find_engine() -> None:
    """Names the ONNX Runtime of this environment, which operators and models run on."""
    if "MILLPOND_ONNXRUNTIME" in os.environ:
        return
    for folder in sys.path:
        capi = os.path.join(folder, "onnxruntime", "capi")
        if os.path.isdir(capi):
            os.environ["MILLPOND_ONNXRUNTIME"] = capi
            return


_find_engine()
