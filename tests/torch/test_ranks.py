"""Several ranks: torchrun, DDP, FSDP, tensor parallel and pipelines on HCCL, and what happens when a rank fails.

A start costs seconds, so the scripts in `ranks/` have many cases each; every rank prints a line for each case that passed.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import uuid

import pytest
from support import Ended, millpond

SCRIPTS = pathlib.Path(__file__).parent / "ranks"

# Far more than anything takes: only what hangs reaches it.
LIMIT = 400


class Job:
    """A command with a mark in its environment, by which everything that it leaves behind is found."""

    def __init__(self, command, **settings):
        self.mark = f"MILLPOND_TEST_MARK={uuid.uuid4().hex}"
        environment = {key: value for key, value in os.environ.items() if key != "MILLPOND_DEVICES"}
        name, value = self.mark.split("=")
        environment.update(settings, **{name: value})
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def processes(self):
        """Those with the mark, and their command lines. A process that has ended and not been waited for has none."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                pass  # ended, or another user's
        return found

    def wait(self):
        """Its end. Nothing of it may be left then."""
        try:
            out, err = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            for process in self.processes():
                os.kill(process, signal.SIGKILL)
            out, err = self.process.communicate()
            pytest.fail(f"the ranks hang\n{Ended('none', out, err, None)}")
        left = self.processes()
        for process in left:
            os.kill(process, signal.SIGKILL)
        ended = Ended(self.process.returncode, out, err, None)
        assert not left, (left, ended)
        return ended


def torchrun(script, ranks, *arguments, check=None, **settings):
    """The command `millpond run -- torchrun`, or `millpond check`."""
    words = ["run"] if check is None else ["check", *check]
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    return Job([millpond(), *words, "--", *launcher, str(SCRIPTS / script), *arguments], **settings)


ONLY_WITH_FOUR = {"fsdp2_with_tensor_parallel", "hybrid_shards"}
HELPERS = {"network", "group"}


def all_passed(ended, script, ranks):
    """Asserts that every rank printed that each case of a script passed."""
    cases = set(re.findall(r"^def (\w+)\(\):", (SCRIPTS / script).read_text(), re.MULTILINE)) - HELPERS
    if ranks != 4:
        cases -= ONLY_WITH_FOUR
    for rank in range(ranks):
        passed = re.findall(rf"^passed (\w+) on {rank} of {ranks}$", ended.out, re.MULTILINE)
        assert set(passed) == cases, ended


RUNS = [
    ("collectives.py", 2, dict(MILLPOND_SCHEDULE="eager")),
    ("collectives.py", 3, dict(MILLPOND_SCHEDULE="seed=7", TASK_QUEUE_ENABLE="1")),
    ("collectives.py", 4, dict(MILLPOND_SCHEDULE="latest", RANKS_END="0")),
    (
        "collectives.py",
        2,
        dict(
            TASK_QUEUE_ENABLE="2",
            TORCH_HCCL_BLOCKING_WAIT="1",
            TORCH_HCCL_TRACE_BUFFER_SIZE="200",
            TORCH_HCCL_ENABLE_MONITORING="1",
        ),
    ),
    ("experts.py", 2, dict(MILLPOND_SCHEDULE="latest")),
    ("experts.py", 4, dict(MILLPOND_SCHEDULE="seed=7", TASK_QUEUE_ENABLE="1")),
    ("graphs.py", 2, dict(MILLPOND_SCHEDULE="eager")),
    ("graphs.py", 3, dict(MILLPOND_SCHEDULE="latest")),
    ("graphs.py", 2, dict(MILLPOND_SCHEDULE="seed=7", TASK_QUEUE_ENABLE="1")),
    ("training.py", 2, dict(MILLPOND_SCHEDULE="latest", RANKS_END="0", RANKS_DEVICE="later")),
    ("training.py", 2, dict(MILLPOND_SCHEDULE="seed=7", TASK_QUEUE_ENABLE="2")),
    ("training.py", 4, dict(MILLPOND_SCHEDULE="eager", TASK_QUEUE_ENABLE="1")),
]


def name(value):
    return " ".join(f"{key}={word}" for key, word in value.items()) if isinstance(value, dict) else str(value)


@pytest.mark.parametrize("script, ranks, settings", RUNS, ids=name)
def test_every_rank_has_the_results_of_the_cpu(script, ranks, settings):
    ended = torchrun(script, ranks, **settings).wait()
    assert ended.status == 0, ended
    all_passed(ended, script, ranks)


@pytest.mark.parametrize("script", ["collectives.py", "experts.py", "graphs.py", "training.py"])
def test_a_checker_has_nothing_to_say_about_ranks_that_are_right(script, tmp_path):
    report = tmp_path / "report.json"
    ended = torchrun(script, 2, check=["--format", "json", "-o", str(report)]).wait()
    assert ended.status == 0, ended
    assert json.loads(report.read_text())["findings"] == [], ended
    all_passed(ended, script, 2)


def test_a_rank_that_fails_ends_the_others():
    command = [millpond(), "run", "--", sys.executable, str(SCRIPTS / "failures.py")]
    ended = Job(command, RANKS_KILLS="5").wait()
    assert ended.status == 0, ended
    passed = set(re.findall(r"^passed (\w+) ", ended.out, re.MULTILINE))
    names = re.search(r"^CASES = \[(.*?)\]", (SCRIPTS / "failures.py").read_text(), re.MULTILINE | re.DOTALL)
    assert passed == set(re.findall(r"\w+", names.group(1))), ended


def test_an_exception_of_one_rank_ends_the_launcher():
    ended = torchrun("one_fails.py", 2).wait()
    assert ended.status == 1, ended
    # The other rank gives this one 3 s to end. On a busy machine that may be too short, so which of the two ends first is open.
    assert "[rank1]: ValueError: the data are wrong" in ended.err, ended
    assert "ChildFailedError" in ended.err, ended
