from typing import Any

from . import blas as blas, mdl as mdl, media as media, op as op, rt as rt, util as util

_millpond: Any

def __getattr__(name: str) -> Any: ...
