"""The option `--millpond-check` of pytest: findings of the checker become failures of the tests that caused them.

    pytest --millpond-check                          starts itself again under `millpond check`
    millpond check -o r.sarif -- pytest --millpond-check   does not have to

`millpond check` hands every checked process a file to which each finding is appended, as a line of JSON, while the call that
causes it is on the stack. So what is new in that file after a phase of a test belongs to that phase: setup, call or teardown. Findings of
processes that a test starts belong to the test too. With pytest-xdist several tests run at the same time, so a worker takes only
the findings of its own process.
"""

import json
import os
import subprocess
import sys
from typing import Any, Dict, Iterator, List, Optional

import pytest

_WRONG = ("warning", "error")
_KEY = "millpond-check"


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("millpond", "devices without hardware")
    group.addoption(
        "--millpond-check", action="store_true", help="check the whole run; fail each test during which a rule is broken"
    )
    group.addoption("--millpond-report", help="with --millpond-check: write all findings to this file (.sarif, .xml, .json, .html)")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: Any) -> Optional[int]:
    """Starts the run again under the checker, unless it is checked already."""
    unwanted = config.option.help or config.option.version or config.option.collectonly
    if not config.getoption("--millpond-check") or _findings_file() is not None or unwanted:
        return None
    options: List[str] = []
    for option, name in (("-o", "report"), ("--rules", "rules"), ("--suppressions", "suppressions")):
        value = config.getoption(f"--millpond-{name}", None)
        if value is not None:
            options += [option, str(value)]
    command = [sys.executable, "-m", "millpond", "check", *options, "--"]
    return subprocess.call([*command, sys.executable, "-m", "pytest", *config.invocation_params.args])


def pytest_configure(config: Any) -> None:
    path = _findings_file()
    if config.getoption("--millpond-check") and path is not None:
        config.pluginmanager.register(_ByTest(path), _KEY)


def _findings_file() -> Optional[str]:
    if os.environ.get("MILLPOND_CHECK", "0") in ("", "0"):
        return None
    return os.environ.get("MILLPOND_CHECK_FINDINGS")


class _ByTest:
    """Gives every finding to the test that ran when it appeared."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._read = 0
        self._outside: List[str] = []
        self._exempt: List[str] = []

    def _new(self) -> List[str]:
        """The texts of the findings since the last call."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self._read)
                data = file.read()
        except OSError as error:
            raise pytest.UsageError(f"--millpond-check: cannot read the findings of millpond check: {error}") from error
        # A line that is being written is read the next time.
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        found = []
        for line in whole.splitlines():
            entry = json.loads(line)
            finding = entry.get("finding")
            if finding and finding["severity"] in _WRONG and _is_ours(entry):
                found.append(_text(finding))
        return found

    def pytest_runtest_logstart(self) -> None:
        # What appeared between tests: imports, fixtures of a module, threads.
        self._outside += self._new()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any) -> Iterator[None]:
        outcome: Any = yield
        report = outcome.get_result()
        found = self._new()
        if not found:
            return
        text = "\n\n".join(found)
        marker = item.get_closest_marker("millpond")
        if marker is not None and marker.kwargs.get("check") is False:
            self._exempt.append(f"in {report.nodeid}:\n{text}")
        elif report.failed:
            report.sections.append(("millpond check", text))
        else:
            report.outcome = "failed"
            report.longrepr = text
            report.__dict__.pop("wasxfail", None)

    def pytest_sessionfinish(self, session: Any) -> None:
        self._outside += self._new()
        if self._outside and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for title, texts in (
            ("millpond check: findings outside of tests", self._outside),
            ("millpond check: findings of tests that are not checked", self._exempt),
        ):
            if texts:
                terminalreporter.section(title)
            for text in texts:
                terminalreporter.line(text)
                terminalreporter.line("")


def _is_ours(entry: Dict[str, Any]) -> bool:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return True
    return str(entry.get("process", "")).split(".")[0] == str(os.getpid())


def _text(finding: Dict[str, Any]) -> str:
    """A finding for people: the rule, what happened, and the lines that did it."""
    lines = [f"{finding['severity']}[{finding['rule']}]: {finding['title']}", f"  {finding['message']}"]
    for operation in finding.get("operations", []):
        lines.append(f"  {operation['what']} ({operation.get('call') or 'the program'})")
        for frame in operation.get("stack", []):
            place = f"{frame['file']}:{frame['line']}" if frame.get("file") else "?"
            lines.append(f"    {place} in {frame.get('function') or '?'}")
    if finding.get("advice"):
        lines.append(f"  help: {finding['advice']}")
    return "\n".join(lines)
