"""The checker, for a part of a program."""

from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Union, overload

from acl import _acl

_SEVERITIES = ("hint", "warning", "error")


class Finding(NamedTuple):
    """One report of a broken rule."""

    #: The rule, such as "memory.double-free"; docs/rules has a page for each.
    rule: str
    #: "hint", "warning" or "error".
    severity: str
    #: What happened, in one sentence.
    message: str
    #: The full report: several lines of text.
    text: str
    #: The AscendCL function, and where it was called from. Empty and 0 if unknown.
    call: str
    function: str
    file: str
    line: int
    #: How often it happened: repeats at the same place are one finding.
    times: int


class Findings(Sequence[Finding]):
    """The findings in the order in which they were reported. Grows while the checker runs."""

    def __init__(self) -> None:
        self._final: Optional[List[Finding]] = None

    def _all(self) -> List[Finding]:
        if self._final is not None:
            return self._final
        count, code = _acl._millpond.check_count(0)
        _demand("millpondCheckCount", code)
        return [_finding(index) for index in range(count)]

    def _end(self) -> None:
        self._final = self._all()

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> List[Finding]: ...
    def __getitem__(self, index: Union[int, slice]) -> Any:
        return self._all()[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"Findings({self._all()!r})"

    def of(self, rule: str) -> List[Finding]:
        """The findings of one rule, or of a group such as "stream.*"."""
        if rule.endswith("*"):
            return [finding for finding in self if finding.rule.startswith(rule[:-1])]
        return [finding for finding in self if finding.rule == rule]

    def at_least(self, severity: str) -> List[Finding]:
        """The findings of at least this severity."""
        if severity not in _SEVERITIES:
            raise ValueError(f"unknown severity {severity!r}; use one of {', '.join(_SEVERITIES)}")
        least = _SEVERITIES.index(severity)
        return [finding for finding in self if _SEVERITIES.index(finding.severity) >= least]


class check:
    """Checks what the process does inside the `with` block. Memory from before the block is not judged.

    rules: the rules to check, such as "memory.leak,stream.*"; None for all.
    suppressions: a file with findings to ignore.
    stacks: how many stack frames of the script each finding shows.
    leaks: whether to report what is still allocated at the end of the block.
    prints: whether to print findings to stderr as they happen.
    """

    def __init__(
        self,
        rules: Optional[str] = None,
        *,
        suppressions: Optional[str] = None,
        stacks: int = 8,
        leaks: bool = True,
        prints: bool = False,
    ) -> None:
        self._options = (rules, suppressions, stacks, not leaks, prints)
        self._findings: Optional[Findings] = None

    def __enter__(self) -> Findings:
        _demand("millpondCheckBegin", _acl._millpond.check_begin(*self._options))
        self._findings = Findings()
        return self._findings

    def __exit__(self, *_: Any) -> None:
        code = _acl._millpond.check_end()
        if self._findings is not None:
            self._findings._end()
        _demand("millpondCheckEnd", code)


def _finding(index: int) -> Finding:
    found, code = _acl._millpond.check_get(index)
    _demand("millpondCheckGet", code)
    found["severity"] = _SEVERITIES[min(found["severity"], 2)]
    return Finding(**found)


def _demand(function: str, code: int) -> None:
    if code != 0:
        from . import Error

        raise Error(function, code)
