"""acl.prof: a profile from Python, its tables, and what wrong calls return."""

import csv
import subprocess
import sys

import acl

from conftest import HOST_TO_DEVICE, ok

ACL_API, TASK_TIME, MSPROFTX = 0x1, 0x2, 0x80
NO_COUNTERS = 0xFF
COPIES = 5


def test_a_profile_counts_what_ran(device, stream, tmp_path):
    host, block = ok(acl.rt.malloc_host(4096)), ok(acl.rt.malloc(4096, 0))
    ok(acl.prof.init(str(tmp_path)))
    config = acl.prof.create_config([0], NO_COUNTERS, 0, ACL_API | TASK_TIME | MSPROFTX)
    assert config != 0
    ok(acl.prof.start(config))
    stamp = acl.prof.create_stamp()
    ok(acl.prof.set_stamp_trace_message(stamp, "the copies"))
    number = ok(acl.prof.range_start(stamp))
    for _ in range(COPIES):
        ok(acl.rt.memcpy_async(block, 4096, host, 4096, HOST_TO_DEVICE, stream))
    ok(acl.prof.range_stop(number))
    acl.prof.destroy_stamp(stamp)
    ok(acl.rt.synchronize_stream(stream))
    ok(acl.prof.stop(config))
    ok(acl.prof.finalize())
    ok(acl.prof.destroy_config(config))
    ok(acl.rt.free(block))
    ok(acl.rt.free_host(host))

    export = [sys.executable, "-m", "millpond", "msprof", "--export=on", f"--output={tmp_path}"]
    subprocess.run(export, check=True, stdout=subprocess.DEVNULL)
    [output] = tmp_path.glob("PROF_*/mindstudio_profiler_output")

    def column(table, name):
        [path] = output.glob(f"{table}_[0-9]*.csv")
        with open(path, newline="", encoding="utf-8") as file:
            return [row[name] for row in csv.DictReader(file)]

    assert column("task_time", "kernel_type") == ["MEMCPY_ASYNC"] * COPIES
    assert column("msprof_tx", "message") == ["the copies"]
    calls = dict(zip(column("api_statistic", "API Name"), column("api_statistic", "Count")))
    assert calls["aclrtMemcpyAsync"] == str(COPIES)


def test_wrong_calls_say_why(device):
    assert acl.prof.finalize() == 100001
    assert "aclprofInit" in acl.get_recent_err_msg()
    assert acl.prof.create_config([77], NO_COUNTERS, 0, TASK_TIME) == 0
    assert "device" in acl.get_recent_err_msg()
    assert acl.prof.start(0) != 0
    assert acl.prof.pop() != 0
