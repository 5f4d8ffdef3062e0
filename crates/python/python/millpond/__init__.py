"""What Millpond offers beyond pyACL: a checker for a part of a program, memory statistics, faults.

    import acl, millpond

    with millpond.check() as findings:
        ...
    for finding in findings:
        print(finding.text)

`python -m millpond doctor` says what is missing; `python -m millpond check -- python x.py` checks a whole
program, and needs none of this.
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
    """A call that failed: its code, and why."""

    def __init__(self, function: str, code: int) -> None:
        why = _acl.get_recent_err_msg()
        super().__init__(f"{function} returned {code}" + (f": {why}" if why else ""))
        self.code = code


def home() -> str:
    """The folder with bin, include and lib64: what ASCEND_HOME_PATH would be."""
    return _os.path.dirname(_os.path.abspath(__file__))


def memory(pool: int = 0) -> Dict[str, Any]:
    """Numbers of a pool, or of the current device's own memory, in bytes but for blocks, pages and streams."""
    statistics, code = _acl._millpond.mem_get_statistics(pool)
    if code != 0:
        raise Error("millpond.memory", code)
    return dict(statistics)


def stream_memory(part: int, pool: int = 0) -> Dict[str, Any]:
    """What one stream has been handed; part 0 is memory that belongs to no stream."""
    statistics, code = _acl._millpond.mem_get_stream_statistics(pool, part)
    if code != 0:
        raise Error("millpond.stream_memory", code)
    return dict(statistics)


def trim() -> int:
    """Returns idle pages to the operating system, and how many bytes that were."""
    returned, code = _acl._millpond.mem_trim()
    if code != 0:
        raise Error("millpond.trim", code)
    return int(returned)


def record_use(ptr: int, stream: int) -> None:
    """Work of a stream that the runtime cannot see uses this memory, up to what is in the stream now."""
    code = _acl._millpond.record_use(ptr, stream)
    if code != 0:
        raise Error("millpond.record_use", code)
