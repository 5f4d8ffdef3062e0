"""What Millpond adds to pyACL: a checker for a part of a program, memory statistics, fault injection.

    import acl, millpond

    with millpond.check() as findings:
        ...
    for finding in findings:
        print(finding.text)

`python -m millpond doctor` reports what is missing. `python -m millpond check -- python x.py` checks a whole
program without any change to it.
"""

import os as _os
from typing import Any, Dict

import acl as _acl_package  # noqa: F401
from acl import _acl

from ._check import Finding, Findings, check
from ._fault import fault

__all__ = [
    "Error",
    "Finding",
    "Findings",
    "check",
    "fault",
    "home",
    "memory",
    "record_use",
    "stream_memory",
    "trim",
]

__version__ = _acl._millpond.version()


class Error(RuntimeError):
    """A failed call: its code and the reason."""

    def __init__(self, function: str, code: int) -> None:
        why = _acl.get_recent_err_msg()
        super().__init__(f"{function} returned {code}" + (f": {why}" if why else ""))
        self.code = code


def home() -> str:
    """The folder that contains bin, include and lib64; usable as ASCEND_HOME_PATH."""
    return _os.path.dirname(_os.path.abspath(__file__))


def memory(pool: int = 0) -> Dict[str, Any]:
    """Statistics of a pool, or of the current device's memory. Sizes are in bytes."""
    statistics, code = _acl._millpond.mem_get_statistics(pool)
    if code != 0:
        raise Error("millpond.memory", code)
    return dict(statistics)


def stream_memory(part: int, pool: int = 0) -> Dict[str, Any]:
    """Statistics of one stream; part 0 is memory that belongs to no stream."""
    statistics, code = _acl._millpond.mem_get_stream_statistics(pool, part)
    if code != 0:
        raise Error("millpond.stream_memory", code)
    return dict(statistics)


def trim() -> int:
    """Gives idle pages back to the operating system. Returns the number of bytes."""
    returned, code = _acl._millpond.mem_trim()
    if code != 0:
        raise Error("millpond.trim", code)
    return int(returned)


def record_use(ptr: int, stream: int) -> None:
    """Declares that work in a stream, up to its current end, uses this memory in a way that the runtime cannot see."""
    code = _acl._millpond.record_use(ptr, stream)
    if code != 0:
        raise Error("millpond.record_use", code)
