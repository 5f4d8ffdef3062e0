"""`millpond record` and `millpond check` for PyTorch on CUDA: what programs do becomes records, and mistakes are found with their lines."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
PROGRAM = HERE / "prefetch.py"


@pytest.fixture(scope="session")
def millpond():
    """The command: of the wheel, or the one that MILLPOND_COMMAND names."""
    from millpond.torch import _library

    for command in (os.environ.get("MILLPOND_COMMAND"), os.path.join(_library.home(), "bin", "millpond"), shutil.which("millpond")):
        if command and os.access(command, os.X_OK):
            return command
    pytest.skip("skipped: no millpond command; set MILLPOND_COMMAND")


def line_of(words):
    """The line of the program with these words."""
    return next(number for number, line in enumerate(PROGRAM.read_text().splitlines(), 1) if words in line)


def records(machine, file, mistake, *more, **environment):
    code, lines, said = machine.run("prefetch.py", mistake, *more, **environment)
    assert (code, len(lines)) == (0, 1), said
    assert file.exists(), said
    return lines[0]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def test_a_right_program_has_no_findings(machine, millpond, tmp_path):
    file = tmp_path / "right.mpt"
    assert records(machine, file, "right", MILLPOND_CHECK_CUDA=str(file))["waits"] >= 3
    code, said = run(millpond, "check", "--from", str(file))
    assert (code, "no findings" in said) == (0, True), said


@pytest.mark.parametrize("more", [[], ["thread"]])
@pytest.mark.parametrize("mistake, rule, words", [("no-record", "stream.missing-record-use", "# the free"), ("no-wait", "stream.race", "# the use")])
def test_a_mistake_is_found_with_its_line(machine, millpond, tmp_path, mistake, rule, words, more):
    """Also in a thread."""
    file = tmp_path / "wrong.mpt"
    records(machine, file, mistake, *more, MILLPOND_CHECK_CUDA=str(file))
    code, said = run(millpond, "check", "--from", str(file))
    assert code == 1, said
    assert f"error[{rule}]" in said
    assert f"prefetch.py:{line_of(words)}" in said
    assert "aten::copy_" in said


def test_a_child_that_was_forked_before_cuda_was_used_is_checked(machine, millpond, tmp_path):
    """It has records of its own."""
    code, lines, said = machine.run("special.py", "forked_before_use", "pool", MILLPOND_CHECK_CUDA=str(tmp_path / "%p.mpt"))
    assert (code, len(lines)) == (0, 1), said
    found = lines[0]["result"]
    assert (found["status"], found["right"]) == (0, True)
    code, said = run(millpond, "check", "--from", str(tmp_path / f"{found['child']}.mpt"))
    assert (code, "error[stream.race]" in said) == (1, True), said
    code, said = run(millpond, "check", "--from", str(tmp_path / f"{found['parent']}.mpt"))
    assert (code, "no findings" in said) == (0, True), said


def test_a_recording_has_blocks_uses_and_waits(machine, millpond, tmp_path):
    file = tmp_path / "run.mpt"
    records(machine, file, "right", MILLPOND_RECORD=str(file), MILLPOND_RECORD_SCOPE="memory")
    code, said = run(millpond, "records", "--stats", str(file))
    assert code == 0, said
    counts = {words[1]: int(words[0]) for words in map(str.split, said.splitlines()) if len(words) == 2 and words[0].isdigit()}
    assert counts["UseRecorded"] >= 3 and counts["Allocated"] >= 4 and counts["Enqueued"] >= 6 and counts["Mapped"] >= 1, said
    code, said = run(millpond, "replay", "--no-time", str(file))
    assert (code, "| millpond " in said, "2 streams" in said) == (0, True, True), said
    # A recording has no accesses, so it cannot be judged.
    code, said = run(millpond, "check", "--from", str(file))
    assert code == 2, said


def test_the_command_judges_when_the_program_has_ended(gpu, millpond):
    code, said = run(millpond, "check", "--", sys.executable, str(PROGRAM), "no-record")
    assert (code, "error[stream.missing-record-use]" in said) == (1, True), said
    code, said = run(millpond, "check", "--", sys.executable, str(PROGRAM), "right")
    assert (code, "no findings" in said) == (0, True), said
