"""The pytest plugin: a device for a test, and a check of how the test uses it.

    def test_copies(millpond_device):
        ptr, ret = acl.rt.malloc_align32(1024, 0)
        ...

The fixture sets the device and resets it afterwards. With the marker `@pytest.mark.millpond(check=True)` the test fails if the
checker has findings. Under `millpond check -- pytest` the whole run is checked: findings go to stderr, which pytest captures, so the
summary lists them by test. `--millpond-check` fails those tests instead: `pytest_check.py`.

For tests of how a program handles trouble:

    @pytest.mark.millpond_faults("aclrtMalloc:nth=2")           # rules for one test
    def test_out_of_memory(millpond_device, millpond_calls):
        ...
        assert millpond_calls["aclrtMalloc"] == 2

The fixtures millpond_faults, millpond_calls and millpond_time are those of `millpond.testing`. With `millpond_reset = devices` in the ini
file, or `--millpond-reset devices`, the process is reset after each test, and a test that left something on a device fails with
`millpond_leaks = error`.
"""

import os
import re
from typing import Any, Iterator, List, Tuple

import pytest

_REPEATED = 100002  # ACL_ERROR_REPEAT_INITIALIZE
# ACL_ERROR_RT_CONTEXT_RELEASE_ERROR: the test has reset the device itself, or the process.
_NOT_SET = 507007


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("millpond", "devices without hardware")
    group.addoption("--millpond-rules", help='rules to check, such as "memory.*,stream.*"')
    group.addoption("--millpond-suppressions", help="file with findings to ignore")
    group.addoption("--millpond-profile", help="chip to simulate, such as ascend910b4")
    group.addoption("--millpond-devices", help="number of devices")
    group.addoption("--millpond-capacity", help="memory of each device, such as 4G")
    group.addoption("--millpond-time", help="how time passes for limits of waits: real, virtual or manual")
    group.addoption("--millpond-reset", help="reset after each test: no, testing, devices or all")
    parser.addini("millpond_reset", "reset after each test: no, testing, devices or all", default="no")
    parser.addini("millpond_leaks", "what a test that left something does: ignore, or error to fail it", default="ignore")
    group.addoption("--millpond-schedule", help="order of queued work: eager, latest or seed=N")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line(
        "markers",
        "millpond(device=0, check=None, rules=None, leaks=True): the device that millpond_device sets, and whether "
        "and how to check the test",
    )
    global _fails_tests
    _fails_tests = bool(config.getoption("--millpond-check", False))
    # The runtime reads these when the first test calls it.
    config.addinivalue_line("markers", "millpond_faults(*rules): rules by which calls fail during the test")
    for name in ("profile", "devices", "capacity", "schedule", "time"):
        value = config.getoption(f"--millpond-{name}")
        if value is not None:
            os.environ[f"MILLPOND_{name.upper()}"] = value


def _checked_from_outside() -> bool:
    return os.environ.get("MILLPOND_CHECK", "0") not in ("", "0")


#: `--millpond-check` fails the tests, so nothing is left to list.
_fails_tests = False
#: Findings by test, in a run that is checked from outside.
_found: List[Tuple[str, str]] = []
_FINDING = re.compile(r"^(?:error|warning)\[[\w.-]+\]:.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


def pytest_runtest_logreport(report: Any) -> None:
    if not _checked_from_outside() or _fails_tests:
        return
    for name, text in report.sections:
        if name == f"Captured stderr {report.when}":
            _found.extend((report.nodeid, finding) for finding in _FINDING.findall(text))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _found:
        terminalreporter.section("millpond check")
    for test, finding in _found:
        terminalreporter.line(f"in {test}:")
        terminalreporter.line(finding)
        terminalreporter.line("")


@pytest.fixture
def millpond_device(request: Any) -> Iterator[int]:
    """The number of a device that is set, and reset after the test."""
    import acl
    import millpond

    marker = request.node.get_closest_marker("millpond")
    wishes = dict(marker.kwargs) if marker else {}
    device = wishes.pop("device", 0)
    leaks = wishes.pop("leaks", True)
    rules = wishes.pop("rules", request.config.getoption("--millpond-rules"))
    checks = wishes.pop("check", None)
    if wishes:
        raise pytest.UsageError(f"pytest.mark.millpond: unknown arguments {sorted(wishes)}")
    if checks is None:
        checks = request.config.getoption("--millpond-check", False)

    code = acl.init()
    if code not in (0, _REPEATED):
        raise millpond.Error("acl.init", code)
    if not checks or _checked_from_outside():
        yield from _device(acl, millpond, device)
        return
    suppressions = request.config.getoption("--millpond-suppressions")
    with millpond.check(rules, suppressions=suppressions, leaks=leaks) as findings:
        yield from _device(acl, millpond, device)
    wrong = findings.at_least("warning")
    if wrong:
        pytest.fail("\n".join(finding.text for finding in wrong), pytrace=False)


def _device(acl: Any, millpond: Any, device: int) -> Iterator[int]:
    code = acl.rt.set_device(device)
    if code != 0:
        raise millpond.Error(f"acl.rt.set_device({device})", code)
    try:
        yield device
    finally:
        code = acl.rt.reset_device(device)
    if code not in (0, _NOT_SET):
        raise millpond.Error(f"acl.rt.reset_device({device})", code)


@pytest.fixture
def millpond_faults(request: Any) -> Iterator[Any]:
    """Rules by which calls fail: `millpond_faults.add("aclrtMalloc:nth=2")`. Those of the marker are there already."""
    from millpond import testing

    with testing.faults(*_marked(request.node)) as faults:
        yield faults


@pytest.fixture
def millpond_calls() -> Iterator[Any]:
    """Counts of the calls that the test makes: `millpond_calls["aclrtMalloc"]`."""
    from millpond import testing

    with testing.calls() as calls:
        yield calls


@pytest.fixture
def millpond_time() -> Iterator[Any]:
    """Virtual time for limits of waits: `millpond_time.advance(seconds)`, `millpond_time.now()`."""
    from millpond import testing

    with testing.virtual_time() as time:
        yield time


def _marked(node: Any) -> List[str]:
    return [rule for marker in node.iter_markers("millpond_faults") for rule in marker.args]


@pytest.fixture(autouse=True)
def _millpond_around(request: Any) -> Iterator[None]:
    """Sets the rules of the marker, and resets after the test if that is wanted."""
    level = request.config.getoption("--millpond-reset") or request.config.getini("millpond_reset")
    rules = _marked(request.node)
    if level not in ("no", "testing", "devices", "all"):
        raise pytest.UsageError(f"millpond_reset is {level!r}, but must be no, testing, devices or all")
    if level == "no" and not rules:
        yield
        return
    from millpond import testing

    # With the fixture, the rules are its own.
    if rules and "millpond_faults" not in request.fixturenames:
        with testing.faults(*rules):
            yield
    else:
        yield
    if level == "no":
        return
    left = testing.reset(level)
    if left and request.config.getini("millpond_leaks") == "error":
        things = ", ".join(f"{left[kind]['count']} x {kind}" for kind in sorted(left))
        pytest.fail(f"the test left {things}", pytrace=False)
