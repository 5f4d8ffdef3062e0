"""The package millpond: the checker, faults, numbers, the plug-in, and Python's lines in findings."""

import json
import os
import subprocess
import sys

import pytest

import acl
import millpond

from conftest import ok, unchecked, wrong_on_purpose

WRONG = '''
import acl
acl.init()
acl.rt.set_device(0)

class Owner:
    def forget(self):
        self.block = acl.rt.malloc(64, 0)[0]
        acl.rt.memset(self.block, 64, 0, 64)

def main():
    Owner().forget()

main()
stream, _ = acl.rt.create_stream()
acl.rt.destroy_stream(stream)
acl.rt.synchronize_stream(stream)
acl.rt.reset_device(0)
acl.finalize()
'''


@wrong_on_purpose
def test_findings_name_the_lines_of_the_script():
    assert acl.init() in (0, 100002)
    with millpond.check() as findings:
        ok(acl.rt.set_device(0))
        block = ok(acl.rt.malloc(64, 0))
        ok(acl.rt.memset(block, 64, 0, 64))
        ok(acl.rt.free(block))
        assert acl.rt.free(block) != 0
        assert [finding.rule for finding in findings] == ["memory.double-free"]
        ok(acl.rt.reset_device(0))
    (finding,) = findings.at_least("warning")
    assert finding.rule == "memory.double-free" and finding.severity == "error"
    assert finding.call == "aclrtFree" and finding.function == "test_findings_name_the_lines_of_the_script"
    assert finding.file == __file__ and finding.line > 0 and finding.times == 1
    assert "test_millpond.py" in finding.text and findings.of("memory.*") == [finding]


@wrong_on_purpose
def test_a_checker_is_one_at_a_time_and_ends_with_its_block():
    with millpond.check(leaks=False) as findings:
        with pytest.raises(millpond.Error, match="millpondCheckBegin"):
            with millpond.check():
                pass
    assert len(findings) == 0 and list(findings) == []
    with pytest.raises(millpond.Error):
        with millpond.check("no.such.rule"):
            pass


def test_a_checked_program_shows_frames_of_python(tmp_path):
    script, report = tmp_path / "wrong.py", tmp_path / "report.json"
    script.write_text(WRONG)
    command = [sys.executable, "-m", "millpond", "check", "--format", "json", "--output", str(report)]
    done = subprocess.run(
        [*command, "--", sys.executable, str(script)], capture_output=True, text=True, env=unchecked(), timeout=600
    )
    assert done.returncode != 0, done.stdout + done.stderr
    text = report.read_text()
    assert "memory.leak" in text and str(script) in text
    assert "forget" in text and "main" in text
    json.loads(text)


def test_faults_make_calls_fail(device):
    with millpond.fault("aclrtMalloc", nth=2, code=207001):
        codes = []
        for _ in range(3):
            block, code = acl.rt.malloc(64, 0)
            codes.append(code)
            if code == 0:
                ok(acl.rt.memset(block, 64, 0, 64))
                ok(acl.rt.free(block))
    assert codes == [0, 207001, 0]
    with pytest.raises(millpond.Error, match="unknown function"):
        with millpond.fault("aclrtNothing", nth=1):
            pass


def test_numbers_of_memory(device):
    before = millpond.memory()
    block = ok(acl.rt.malloc(1 << 20, 0))
    ok(acl.rt.memset(block, 64, 0, 64))
    now = millpond.memory()
    assert now["blocks"] == before["blocks"] + 1 and now["charged"] > before["charged"]
    assert millpond.stream_memory(0)["bytes"]["total"] > 0
    ok(acl.rt.free(block))
    assert millpond.trim() >= 0
    with pytest.raises(millpond.Error) as raised:
        millpond.stream_memory(10**6)
    assert raised.value.code != 0


PLUGIN = '''
import acl, pytest

def test_right(millpond_device):
    assert millpond_device == 0
    block, code = acl.rt.malloc(64, 0)
    assert code == 0 and acl.rt.memset(block, 64, 0, 64) == 0 and acl.rt.free(block) == 0

def test_leak(millpond_device):
    block, code = acl.rt.malloc(64, 0)
    assert acl.rt.memset(block, 64, 0, 64) == 0

@pytest.mark.millpond(leaks=False, device=1)
def test_other_device(millpond_device):
    assert acl.rt.get_device() == (1, 0)

@pytest.mark.millpond(check=False)
def test_unchecked(millpond_device):
    acl.rt.malloc(64, 0)
'''


@pytest.mark.parametrize("checked", [True, False])
def test_the_plugin_fails_tests_that_leak(tmp_path, checked):
    (tmp_path / "test_it.py").write_text(PLUGIN)
    options = ["--millpond-check"] if checked else []
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--millpond-devices", "2", *options, str(tmp_path)],
        capture_output=True, text=True, env=unchecked(), cwd=tmp_path, timeout=600,
    )
    if checked:
        assert "1 error" in done.stdout and "4 passed" in done.stdout, done.stdout + done.stderr
        assert "memory.leak" in done.stdout and "test_it.py:10" in done.stdout, done.stdout
    else:
        assert "4 passed" in done.stdout and done.returncode == 0, done.stdout + done.stderr


def test_a_checked_test_run_tells_findings_by_test(tmp_path):
    (tmp_path / "test_it.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "millpond", "check", "--devices", "2", "--", sys.executable, "-m", "pytest"]
    done = subprocess.run(
        [*command, "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True, text=True, env=unchecked(), cwd=tmp_path, timeout=600,
    )
    assert done.returncode == 1 and "4 passed" in done.stdout, done.stdout + done.stderr
    assert "in test_it.py::test_leak:" in done.stdout and "memory.leak" in done.stdout, done.stdout
    assert "test_it.py:10" in done.stdout, done.stdout


FAILING = '''
import subprocess, sys
import acl, pytest

acl.init(); acl.rt.set_device(0)

def test_right():
    block, code = acl.rt.malloc(64, 0)
    assert acl.rt.memset(block, 64, 0, 64) == 0 and acl.rt.free(block) == 0

def test_free_twice():
    block, code = acl.rt.malloc(64, 0)
    acl.rt.memset(block, 64, 0, 64)
    acl.rt.free(block)
    acl.rt.free(block)

def test_fails_anyway():
    acl.rt.free(4096)
    assert False, "its own reason"

@pytest.mark.millpond(check=False)
def test_exempt():
    acl.rt.free(8192)

def test_in_a_process():
    program = "import acl; acl.init(); acl.rt.set_device(0); acl.rt.free(12288)"
    subprocess.run([sys.executable, "-c", program], check=True)
'''


@pytest.mark.parametrize("outside", [True, False])
def test_findings_fail_the_test_that_ran(tmp_path, outside):
    (tmp_path / "test_it.py").write_text(FAILING)
    command = [sys.executable, "-m", "millpond", "check", "--"] if outside else []
    done = subprocess.run(
        [*command, sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "--millpond-check", str(tmp_path)],
        capture_output=True, text=True, env=unchecked(), cwd=tmp_path, timeout=600,
    )
    said = done.stdout + done.stderr
    assert "3 failed, 2 passed" in done.stdout and done.returncode == 1, said
    outcomes = {line.split("::")[1].split(" ")[0]: line.split(" ")[0] for line in done.stdout.splitlines() if line[:6] in ("PASSED", "FAILED")}
    assert outcomes == {
        "test_right": "PASSED", "test_free_twice": "FAILED", "test_fails_anyway": "FAILED", "test_exempt": "PASSED",
        "test_in_a_process": "FAILED",
    }, said
    assert "memory.double-free" in done.stdout and "test_it.py:14" in done.stdout, said
    assert "its own reason" in done.stdout and "findings of tests that are not checked" in done.stdout, said


def test_a_severity_that_is_none_is_named():
    with millpond.check() as findings:
        pass
    with pytest.raises(ValueError, match="unknown severity 'bad'; use one of hint, warning, error"):
        findings.at_least("bad")
