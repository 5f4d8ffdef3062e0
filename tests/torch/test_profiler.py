"""torch_npu.profiler: its tables and its trace say what ran, once each, and lose nothing silently."""

import collections
import csv
import json
import pathlib

import pytest
from support import script

TRAINING = """
import sys, json, torch, torch_npu
P = torch_npu.profiler
out = sys.argv[1]
torch.manual_seed(0)
layers = torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)
model = torch.nn.Sequential(*layers).npu()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 16).npu(), torch.randn(8, 4).npu()
config = P._ExperimentalConfig(profiler_level=P.ProfilerLevel.Level1, mstx=True, data_simplification=False)
peak = 0
with P.profile(
    activities=[P.ProfilerActivity.CPU, P.ProfilerActivity.NPU],
    schedule=P.schedule(wait=1, warmup=1, active=3, repeat=1),
    on_trace_ready=P.tensorboard_trace_handler(out),
    record_shapes=True,
    profile_memory=True,
    with_stack=True,
    experimental_config=config,
) as profiler:
    for step in range(6):
        span = torch_npu.npu.mstx.range_start(f"batch {step}", torch.npu.current_stream())
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimiser.step()
        torch_npu.npu.mstx.range_end(span)
        torch_npu.npu.mstx.mark(f"done {step}")
        profiler.step()
print("reserved", torch.npu.max_memory_reserved())
"""

STEPS = ["2", "3", "4"]


def table(folder, name):
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of a profile of three steps of training, and what the program printed."""
    folder = tmp_path_factory.mktemp("profile")
    ended = script(TRAINING, folder)
    assert ended.status == 0, ended
    [profile] = folder.iterdir()
    for log in (profile / "logs").iterdir():
        assert "[ERROR]" not in log.read_text(encoding="utf-8"), log
    return profile, ended.out


@pytest.fixture(scope="module")
def tables(trained):
    return trained[0] / "ASCEND_PROFILER_OUTPUT"


@pytest.fixture(scope="module")
def trace(tables):
    return json.loads((tables / "trace_view.json").read_text(encoding="utf-8"))


def test_every_launch_is_one_row(tables):
    rows = table(tables, "kernel_details")
    kernels = collections.Counter(row["Name"] for row in rows)
    calls = {row["API Name"]: int(row["Count"]) for row in table(tables, "api_statistic")}
    launched = {name: count for name, count in calls.items() if name.startswith("aclnn") and not name.endswith("Size")}
    assert launched
    assert kernels == launched
    by_type = {row["OP Type"]: int(row["Count"]) for row in table(tables, "op_statistic")}
    assert by_type == collections.Counter(row["Type"] for row in rows)
    # Every step does the same.
    per_step = [collections.Counter(row["Name"] for row in rows if row["Step Id"] == step) for step in STEPS]
    assert per_step[0] == per_step[1] == per_step[2]
    assert sum(map(sum, (counts.values() for counts in per_step))) == len(rows)
    assert kernels["aclnnAddmm"] == 2 * len(STEPS)


def test_times_are_in_order(tables):
    rows = table(tables, "task_time")
    assert rows
    last = collections.defaultdict(float)
    for row in rows:
        start, stop = float(row["task_start(us)"]), float(row["task_stop(us)"])
        assert start <= stop
        # A stream does one thing at a time. Floats of these sizes have quarters of a microsecond.
        assert start >= last[row["stream_id"]] - 0.5
        last[row["stream_id"]] = stop


def test_steps_have_times(tables):
    rows = table(tables, "step_trace_time")
    assert [row["Step"] for row in rows] == STEPS
    assert all(float(row["Computing"]) > 0 for row in rows)


def test_operators_of_torch_own_their_kernels(tables):
    rows = table(tables, "operator_details")
    linear = [row for row in rows if row["Name"] == "aten::addmm"]
    assert len(linear) == 2 * len(STEPS)
    assert all(float(row["Device Total Duration(us)"]) > 0 for row in linear)
    assert all(row["Input Shapes"] for row in linear)


def test_memory_is_what_the_allocator_reserved(trained, tables):
    rows = table(tables, "memory_record")
    reserved = int(trained[1].split()[-1]) / (1 << 20)
    ours = [float(row["Total Reserved(MB)"]) for row in rows if row["Component"] == "APP"]
    theirs = [float(row["Total Reserved(MB)"]) for row in rows if row["Component"] == "PTA"]
    assert max(theirs) == reserved
    # Everything that this program has comes from the allocator; the runtime counts whole pages of it.
    assert max(ours) >= max(theirs)
    assert table(tables, "operator_memory")


def test_ranges_and_marks_are_in_the_trace(trace):
    slices = [event for event in trace if event.get("ph") == "X"]
    ranges = [event for event in slices if str(event["name"]).startswith("batch ")]
    # Once where the program was, and once where the stream was.
    assert collections.Counter(event["name"] for event in ranges) == {f"batch {step}": 2 for step in STEPS}
    marks = {event["name"] for event in slices if str(event["name"]).startswith("done ")}
    assert marks == {f"done {step}" for step in STEPS}


def test_arrows_lead_from_torch_to_kernels(trace, tables):
    arrows = [event for event in trace if event.get("name") == "torch_to_npu" and event["ph"] == "f"]
    kernels = table(tables, "kernel_details")
    assert len(arrows) == len(kernels)
    starts = {event["ts"] for event in arrows}
    assert starts == {row["Start Time(us)"].strip() for row in kernels}


EXPORTED = """
import sys, torch, torch_npu
P = torch_npu.profiler
x = torch.ones(64, 64).npu()
with P.profile(activities=[P.ProfilerActivity.CPU, P.ProfilerActivity.NPU]) as profiler:
    y = (x @ x).relu()
    torch.npu.synchronize()
profiler.export_chrome_trace(sys.argv[1])
"""


def test_export_chrome_trace(tmp_path):
    path = tmp_path / "trace.json"
    ended = script(EXPORTED, path, folder=tmp_path, env={"ASCEND_WORK_PATH": str(tmp_path)})
    assert ended.status == 0, ended
    trace = json.loads(path.read_text(encoding="utf-8"))
    names = collections.Counter(event["name"] for event in trace if event.get("ph") == "X")
    assert names["aten::relu"] == 1
    kernels = [event for event in trace if event.get("args", {}).get("Task Type") == "HOST_CPU"]
    assert sorted(event["name"] for event in kernels) == ["aclnnMatmul", "aclnnRelu"]


def test_check_and_profile_together(tmp_path):
    ended = script(TRAINING, tmp_path / "profile", check=[], folder=tmp_path)
    assert ended.status == 0, ended
    assert not ended.findings, ended
    [output] = (tmp_path / "profile").glob("*/ASCEND_PROFILER_OUTPUT")
    assert len(table(output, "kernel_details")) % len(STEPS) == 0


def test_a_profile_that_cannot_be_read_is_an_error(trained, tmp_path):
    """Without records there must be no empty table that looks like a result."""
    import subprocess

    from support import millpond

    source = next(trained[0].glob("PROF_*"))
    broken = tmp_path / source.name
    for part in ("host/data", "device_0"):
        (broken / part).mkdir(parents=True)
    (broken / "host/start_info").write_bytes((source / "host/start_info").read_bytes())
    (broken / "host/data/records.millpond").write_bytes(b"")
    export = [millpond(), "msprof", "--export=on", f"--output={broken}"]
    ended = subprocess.run(export, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert "records.millpond" in ended.stderr
    assert not (broken / "mindstudio_profiler_output").exists()
    assert pathlib.Path(source, "mindstudio_profiler_output").is_dir()
