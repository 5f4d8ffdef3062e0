"""For test suites: calls that fail by rule, counts of calls, a reset between tests, and time that does not pass.

    from millpond import testing

    with testing.faults("aclrtMemcpyAsync:nth=2:task=507014"), testing.calls() as calls:
        run_one_step()
    assert calls["aclrtMalloc*"] == 3
    assert calls.failures("aclrtMemcpyAsync") == 0

    with testing.virtual_time() as time:
        assert acl.rt.synchronize_stream_with_timeout(stream, 60_000) == 507046     # takes no time
        assert time.now() == 60.0

    left = testing.reset()          # {} if the test tidied up

The pytest plug-in has these as fixtures: millpond_faults, millpond_calls, millpond_time, and resets between tests with
`millpond_reset = devices` in the ini file. docs/testing.md has the language of the rules.
"""

import json
from contextlib import contextmanager
from typing import Dict, Iterator, List, Tuple

from acl import _acl

from . import Error

__all__ = ["Calls", "Faults", "Time", "calls", "faults", "reset", "virtual_time"]

_LEVELS = {"testing": 0, "devices": 1, "all": 2}
_MODES = {"real": 0, "virtual": 1, "manual": 2}


def _checked(function: str, code: int) -> None:
    if code != 0:
        raise Error(function, code)


class Faults:
    """Rules by which calls fail. They are removed at the end of the block or the test."""

    def __init__(self) -> None:
        self._rules: List[Tuple[str, int]] = []

    def add(self, rule: str) -> int:
        """Adds a rule such as "aclrtMalloc*:nth=3:code=207001" and returns its number. An invalid one raises millpond.Error."""
        number, code = _acl._millpond.fault_add(rule)
        _checked("millpond.testing.Faults.add", code)
        self._rules.append((rule, number))
        return int(number)

    def seen(self, rule: str) -> Tuple[int, int]:
        """How many calls a rule has counted, and how many it has made fail or wait."""
        for text, number in self._rules:
            if text == rule:
                calls, hits, code = _acl._millpond.fault_seen(number)
                _checked("millpond.testing.Faults.seen", code)
                return int(calls), int(hits)
        raise KeyError(rule)

    def clear(self) -> None:
        """Removes the rules that were added here."""
        for _, number in self._rules:
            # A reset may have removed it.
            _acl._millpond.fault_remove(number)
        self._rules.clear()


class Calls:
    """Counts of calls by C function. A name may have a `*` in it: then it is the sum."""

    def _of(self, function: str) -> Tuple[int, int]:
        calls, failures, code = _acl._millpond.calls_get(function)
        if code != 0:
            raise KeyError(function)
        return int(calls), int(failures)

    def __getitem__(self, function: str) -> int:
        return self._of(function)[0]

    def failures(self, function: str) -> int:
        """How many of the calls returned an error."""
        return self._of(function)[1]

    def restart(self) -> None:
        """Sets all counts to 0."""
        _checked("millpond.testing.Calls.restart", _acl._millpond.calls_begin())


class Time:
    """The clock that limits of waits and times of events go by."""

    def now(self) -> float:
        """Seconds from the beginning of the block or test."""
        return (self._read() - self._began) / 1e6

    def advance(self, seconds: float) -> None:
        """Moves time forward. Waits whose limits are on the way end."""
        _checked("millpond.testing.Time.advance", _acl._millpond.time_advance(round(seconds * 1e6)))

    def __init__(self) -> None:
        self._began = self._read()

    @staticmethod
    def _read() -> int:
        now, code = _acl._millpond.time_now()
        _checked("millpond.testing.Time", code)
        return int(now)


@contextmanager
def faults(*rules: str) -> Iterator[Faults]:
    """Makes calls fail inside the `with` block. More rules can be added in it."""
    added = Faults()
    try:
        for rule in rules:
            added.add(rule)
        yield added
    finally:
        added.clear()


@contextmanager
def calls() -> Iterator[Calls]:
    """Counts calls inside the `with` block, from 0. The counts can be read until the next one begins."""
    counts = Calls()
    counts.restart()
    try:
        yield counts
    finally:
        _acl._millpond.calls_end()


@contextmanager
def virtual_time(mode: str = "virtual") -> Iterator[Time]:
    """Time stands still inside the `with` block. When nothing can run it jumps to the next limit, or with mode "manual" only `advance`
    moves it."""
    before, code = _acl._millpond.time_get_mode()
    _checked("millpond.testing.virtual_time", code)
    _checked("millpond.testing.virtual_time", _acl._millpond.time_set_mode(_MODES[mode]))
    try:
        yield Time()
    finally:
        _acl._millpond.time_set_mode(before)


def reset(level: str = "devices") -> Dict[str, Dict[str, int]]:
    """Brings the process back to the state after acl.init, and returns what was left: {"stream": {"count": 2, "bytes": 0}}.

    "testing" resets faults, counts and time only; "all" also takes acl.init back. Raises millpond.Error where that is impossible: while
    torch_npu is loaded only "testing" works.
    """
    if level not in _LEVELS:
        raise ValueError(f"level is {level!r}, but must be one of {', '.join(_LEVELS)}")
    _, code = _acl._millpond.reset(_LEVELS[level])
    _checked("millpond.testing.reset", code)
    text, code = _acl._millpond.reset_report(65536)
    _checked("millpond.testing.reset", code)
    return dict(json.loads(text))
