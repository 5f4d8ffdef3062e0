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


def cases(script):
    """The names in the list at the end of a script."""
    return set(re.findall(r"^def (\w+)\(\):", (SCRIPTS / script).read_text(), re.MULTILINE))


def passed(ended, rank, ranks):
    return set(re.findall(rf"^passed (\w+) on {rank} of {ranks}$", ended.out, re.MULTILINE))


ONLY_WITH_FOUR = {"fsdp2_with_tensor_parallel", "hybrid_shards"}
HELPERS = {"network"}

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
    expected = cases(script) - HELPERS - (ONLY_WITH_FOUR if ranks != 4 else set())
    for rank in range(ranks):
        assert passed(ended, rank, ranks) == expected, ended


def test_a_checker_has_nothing_to_say_about_ranks_that_are_right(tmp_path):
    report = tmp_path / "report.json"
    for script in ("training.py", "collectives.py"):
        job = torchrun(script, 2, check=["--format", "json", "-o", str(report)], RANKS_CASES=" ".join(CHECKED))
        ended = job.wait()
        assert ended.status == 0, ended
        assert json.loads(report.read_text())["findings"] == [], ended
        for rank in range(2):
            assert passed(ended, rank, 2) == cases(script) & CHECKED, ended


# What a checked run is worth the time for.
CHECKED = {
    "ddp",
    "ddp_with_uneven_inputs",
    "synchronised_batch_norm",
    "fsdp1",
    "fsdp2",
    "tensor_parallel",
    "pipeline_by_hand",
    "all_reduce_of_a_large_tensor",
    "all_gather",
    "all_gather_of_uneven_parts",
    "all_to_all_of_uneven_parts",
    "reduce_scatter",
    "gather",
    "scatter",
    "batch_isend_irecv",
    "asynchronous",
    "on_a_stream",
    "objects",
    "groups",
}


def test_a_rank_that_fails_ends_the_others():
    command = [millpond(), "run", "--", sys.executable, str(SCRIPTS / "failures.py")]
    ended = Job(command, RANKS_KILLS="5").wait()
    assert ended.status == 0, ended
    passed = set(re.findall(r"^passed (\w+) ", ended.out, re.MULTILINE))
    names = re.search(r"^CASES = \[(.*?)\]", (SCRIPTS / "failures.py").read_text(), re.MULTILINE | re.DOTALL)
    assert passed == set(re.findall(r"\w+", names.group(1))), ended


def test_the_launcher_reports_the_rank_that_failed():
    ended = torchrun("one_fails.py", 2).wait()
    assert ended.status == 1, ended
    assert "the data are wrong" in ended.err and "rank      : 1 (local_rank: 1)" in ended.err, ended
