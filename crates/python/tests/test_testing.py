"""What the module and the plug-in offer to test suites: faults by rule, counts, a reset, virtual time."""

import subprocess
import sys
import textwrap

import pytest

import acl
import millpond
from millpond import testing

from conftest import ok, wrong_on_purpose

STREAM_TIMEOUT = 507046
MALLOC_FAILED = 207001
LOST = 507010


def allocate(size=64):
    return acl.rt.malloc(size, 0)


def test_faults_by_rule(device):
    with testing.faults("aclrtMalloc:bytes>=1K:code=ACL_ERROR_BAD_ALLOC") as faults:
        small = ok(allocate())
        assert allocate(4096)[-1] == 200000
        assert "aclrtMalloc:bytes>=1K" in acl.get_recent_err_msg()
        assert faults.seen("aclrtMalloc:bytes>=1K:code=ACL_ERROR_BAD_ALLOC") == (1, 1)
    large = ok(allocate(4096))
    ok(acl.rt.free(small))
    ok(acl.rt.free(large))
    with pytest.raises(millpond.Error, match="similar names: aclrtMalloc"):
        with testing.faults("aclrtMaloc:nth=1"):
            pass


def test_counts(device):
    with testing.calls() as calls:
        for _ in range(3):
            ok(acl.rt.free(ok(allocate())))
        with testing.faults("aclrtMalloc:always"):
            assert allocate()[-1] == MALLOC_FAILED
    assert calls["aclrtMalloc"] == 4
    assert calls.failures("aclrtMalloc") == 1
    assert calls["aclrtFree"] == 3
    with pytest.raises(KeyError):
        calls["aclrtMaloc"]


def test_a_task_fails_in_the_order_of_its_stream(device, stream):
    block = ok(allocate())
    with testing.faults("aclrtMemsetAsync:nth=1:task=507014"):
        ok(acl.rt.memset_async(block, 64, 1, 64, stream))
    assert acl.rt.synchronize_stream(stream) == 507014
    ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.free(block))


def test_a_timeout_takes_no_time(device, stream):
    block = ok(allocate())
    with testing.virtual_time() as time, testing.faults("aclrtMemsetAsync:nth=1:delay=600000"):
        ok(acl.rt.memset_async(block, 64, 1, 64, stream))
        assert acl.rt.synchronize_stream_with_timeout(stream, 60_000) == STREAM_TIMEOUT
        assert time.now() == 60.0
        ok(acl.rt.synchronize_stream(stream))
        assert time.now() == 600.0
        time.advance(1.5)
        assert time.now() == 601.5
    ok(acl.rt.free(block))


def test_a_lost_device_is_back_after_the_block(device, stream):
    with testing.faults("aclrtStreamQuery:nth=1:lost"):
        assert acl.rt.stream_query(stream)[-1] == LOST
        assert allocate()[-1] == LOST
    ok(acl.rt.free(ok(allocate())))


@wrong_on_purpose
def test_rules_of_a_marker(tmp_path):
    run = suite(
        tmp_path,
        """
        @pytest.mark.millpond_faults("aclrtMalloc:nth=2")
        def test_marked(millpond_device, millpond_calls):
            assert acl.rt.malloc(64, 0)[1] == 0
            assert acl.rt.malloc(64, 0)[1] == 207001
            assert millpond_calls["aclrtMalloc"] == 2

        def test_unmarked(millpond_device):
            assert acl.rt.malloc(64, 0)[1] == 0
            assert acl.rt.malloc(64, 0)[1] == 0
        """,
    )
    assert "2 passed" in run.stdout, run.stdout


@wrong_on_purpose
def test_a_reset_between_tests(tmp_path):
    run = suite(
        tmp_path,
        """
        def test_leaves_a_stream():
            acl.init()
            assert acl.rt.set_device(0) == 0
            acl.rt.create_stream()

        def test_begins_anew():
            assert acl.rt.malloc(64, 0)[1] == 107002    # no context
            assert acl.rt.set_device(0) == 0
        """,
        "-o",
        "millpond_reset=devices",
        "-o",
        "millpond_leaks=error",
    )
    assert "the test left 1 x stream" in run.stdout, run.stdout
    assert "2 passed, 1 error" in run.stdout, run.stdout


@wrong_on_purpose
def test_a_test_may_reset_what_the_fixture_set(tmp_path):
    run = suite(
        tmp_path,
        """
        from millpond import testing

        def test_all(millpond_device):
            testing.reset("all")

        def test_devices(millpond_device):
            testing.reset()

        def test_its_own_device(millpond_device):
            assert acl.rt.reset_device(0) == 0

        def test_none(millpond_device):
            assert acl.rt.malloc(64, 0)[1] == 0
        """,
    )
    assert run.returncode == 0 and "4 passed" in run.stdout, run.stdout


@wrong_on_purpose
def test_reset_reports_what_was_left():
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(
            """
            import acl
            from millpond import testing
            assert acl.init() == 0 and acl.rt.set_device(0) == 0
            acl.rt.create_stream()
            acl.rt.malloc(100, 0)
            left = testing.reset()
            assert left["stream"] == {"count": 1, "bytes": 0}, left
            assert left["device memory"]["count"] == 1, left
            assert testing.reset() == {}
            assert testing.reset("all") == {} and acl.init() == 0
            """
        )],
        capture_output=True, text=True, check=False,
    )
    assert run.returncode == 0, run.stderr


def suite(folder, text, *options):
    """A run of pytest over these tests, in a process of its own."""
    (folder / "test_inner.py").write_text("import acl, pytest\n" + textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
