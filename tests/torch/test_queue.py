"""torch_npu's own settings: where it launches operators (TASK_QUEUE_ENABLE), and whether it starts operators by name (ACL_OP_INIT_MODE).

With 0 operators are launched by the calling thread, which `millpond run` sets unless the user did. With 1 a second thread launches
them; with 2 it also plans them.
"""

import pathlib
import subprocess
import sys

import pytest
from support import EXAMPLES, ROOT, millpond, script
from test_check import RECORD_STREAM, RIGHT, SECOND_STREAM, checked, stands_at

SETTINGS = [
    {"TASK_QUEUE_ENABLE": "1"},
    {"TASK_QUEUE_ENABLE": "2"},
    {"TASK_QUEUE_ENABLE": "0", "ACL_OP_INIT_MODE": "2"},
    {"TASK_QUEUE_ENABLE": "2", "ACL_OP_INIT_MODE": "2"},
]
TESTS = ["test_streams.py", "test_training.py::test_small_networks_learn_alike", "test_training.py::test_transformer_learns_and_writes_alike[sdpa]"]


def named(settings):
    return " ".join(f"{name}={value}" for name, value in settings.items())


@pytest.mark.parametrize("settings", SETTINGS, ids=named)
def test_streams_and_training(settings, monkeypatch):
    """The tests of streams and training again, in a process with these settings."""
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    folder = pathlib.Path(__file__).parent
    command = [millpond(), "run", "--", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(str(folder / test) for test in TESTS)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False, cwd=ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(params=["1", "2"])
def queue(request, monkeypatch):
    monkeypatch.setenv("TASK_QUEUE_ENABLE", request.param)
    return request.param


def only_the_note(ended):
    """Lifetimes of tensors are not judged, and the report says so. That is no reason to fail."""
    assert [finding["rule"] for finding in ended.findings] == ["heap.dialect"], ended
    assert "set TASK_QUEUE_ENABLE=0 to check it" in " ".join(ended.err.split()), ended
    assert ended.status == 0, ended


RIGHT_SCRIPTS = [("mlp.py",), ("transformer.py", "--steps", "1", "--attention", "sdpa"), ("prefetch.py", "--right")]


@pytest.mark.parametrize("command", RIGHT_SCRIPTS, ids=" ".join)
def test_a_script_that_is_right_has_only_the_note(command, queue, tmp_path):
    name, *arguments = command
    only_the_note(script(EXAMPLES / name, *arguments, check=[], folder=str(tmp_path), timeout=600))


@pytest.mark.parametrize("source", [RIGHT, RECORD_STREAM.format(record="batch.record_stream(side)")], ids=["events", "record_stream"])
def test_streams_used_rightly_have_only_the_note(source, queue, tmp_path):
    only_the_note(checked(tmp_path, source)[1])


def test_a_missing_wait_is_found(queue, tmp_path):
    """With 1, operators carry the lines of their launch: they are planned by the thread that runs the script."""
    file, ended = checked(tmp_path, SECOND_STREAM.format(before="pass", after="pass"))
    races = [finding for finding in ended.findings if finding["rule"] == "stream.race"]
    assert len(races) == 2 and ended.status == 1, ended
    if queue == "1":
        first, second = races
        assert stands_at(first["operations"][0], file, "return x * 2", "double"), ended
        assert stands_at(first["operations"][1], file, "x = torch.ones", "main"), ended
        assert stands_at(second["operations"][0], file, "z = y + 1", "main"), ended
        assert stands_at(second["operations"][1], file, "return x * 2", "double"), ended
