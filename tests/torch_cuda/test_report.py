"""The tables of bench/gpu, what is skipped when time is short, which GPU is asked, and the comparison that needs no pytest, from figures that are made up. Needs neither PyTorch nor a GPU."""

import pathlib
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench" / "gpu"))
import compare  # noqa: E402
import memory  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402

MACHINE = {"date": "2026-01-02", "gpu": "G", "driver": "1", "cuda": "2", "torch": "3", "python": "4", "command": "run.py", "commit": "abc"}


def inside(ns, of_threads):
    return {
        "lines": [
            {"what": "pair, PyTorch from C++", "bytes": 512, "ns": ns - 1},
            {"what": "pair, PyTorch from C++", "bytes": 1 << 20, "ns": ns},
            {"what": "mix, PyTorch from C++", "threads": 1, "ns": ns},
            {"what": "mix, PyTorch from C++", "threads": 8, "ns": of_threads},
        ]
    }


def entry(workload, arm, held, times):
    samples = [{"ms": ms, "steps": 1} for ms in times]
    return {"workload": workload, "arm": arm, "about": {}, "memory": {"peak_allocated": 1000, "peak_reserved": held, "gpu_peak": held, "gpu_rest": 0}, "time": samples}


@pytest.fixture
def figures():
    own = [
        {"what": "pair", "allocator": "millpond", "bytes": 512, "ns": 21.0},
        {"what": "pair", "allocator": "millpond", "bytes": 1 << 20, "ns": 41.0},
        {"what": "pair", "allocator": "cuMemAllocAsync", "bytes": 512, "ns": 600.0},
        {"what": "mix", "allocator": "millpond", "threads": 8, "ns": 55.0},
        {"what": "copy", "memory": "pages of 4 MiB", "bytes": 1, "tb_per_s": 4.0},
        {"what": "grow", "memory": "pages of 4 MiB", "bytes": 1, "ms": 7.5},
    ]
    calls = {"cpp": {"lines": own}, "default": inside(650.0, 19_000.0), "millpond": inside(60.0, 101.0)}
    results = [
        entry("moe", "default", 1250, [10.0, 10.0, 10.0]),
        entry("moe", "millpond", 1015, [10.1, 9.9, 10.3]),
        entry("decode", "default", 1075, [10.0, 10.0]),
        entry("decode", "millpond", 1011, [10.1, 10.2]),
    ]
    return {"machines": [MACHINE], "results": results, "calls": calls}


def row(text, name):
    """The cells of the first row with this name."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {name}"))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_figures_are_judged_by_their_targets(figures):
    text = report.markdown(figures)
    assert row(text, "pair from C++, our own") == ["650", "", "", "41", "≤ 40", "missed"]
    assert row(text, "pair inside PyTorch, allocator class") == ["650", "", "", "60", "≤ 150", "met"]
    assert row(text, "8 threads, own streams, mix, our own") == ["19,000", "", "", "55", "≤ 100", "met"]
    assert row(text, "8 threads, own streams, mix, inside") == ["19,000", "", "", "101", "≤ 100", "missed"]
    assert row(text, "reserved / allocated, MoE") == ["1.250", "", "", "1.015", "≤ 1.020", "met"]
    assert row(text, "reserved / allocated, growing KV, token by token")[3:] == ["1.011", "≤ 1.010", "missed"]
    assert row(text, "step time, moe")[3:] == ["1.010 (0.990 to 1.030)", "≤ 1.00 within the spread", "met"]
    assert row(text, "step time, decode")[-1] == "missed"
    assert row(text, "pages of 4 MiB") == ["4.00", "7.5"]
    assert "Millpond abc" in text and "| step time, streams" not in text


def test_runs_are_merged_with_their_calls(figures):
    first = {"machines": [MACHINE], "results": figures["results"][:2], "calls": {"cpp": {"error": "no driver"}}}
    second = {"machines": [MACHINE], "results": figures["results"][2:], "calls": figures["calls"]}
    for runs in ([first, second], [second, first]):
        merged = report.merged(runs)
        assert merged["calls"] == figures["calls"] and len(merged["results"]) == 4


def test_what_failed_is_a_problem(figures):
    figures["calls"]["expandable"] = {"error": "no compiler"}
    figures["results"][0]["memory"] = {"error": "out of memory"}
    assert list(report.problems(figures)) == ["calls, expandable: no compiler", "moe, default, memory: out of memory"]
    assert "- calls, expandable: no compiler" in report.markdown(figures)


class Worker:
    """Needs 1 GB, holds 2 GB without a limit, and finishes with 1.4 GB."""

    arm = "millpond"

    def __init__(self):
        self.asked = []

    def ask(self, do, bytes=None):
        self.asked.append(bytes)
        if bytes is None:
            return {"finished": True, "peak_allocated": 10**9, "peak_reserved": 2 * 10**9}
        return {"finished": bytes >= 1.4e9}


class Until:
    """Time for so many attempts."""

    def __init__(self, attempts):
        self.attempts = attempts

    def allows(self, expected=0.0):
        self.attempts -= 1
        return self.attempts >= 0


def test_a_workload_that_ends_early_is_an_error():
    class Ends(Worker):
        def ask(self, do, bytes=None):
            return {"finished": False}

    assert "did not finish without a limit" in run.limits(Ends(), 5, Until(9))["error"]


def test_attempts_that_are_skipped_are_named(figures):
    whole, short = (run.limits(Worker(), 5, Until(attempts)) for attempts in (9, 2))
    assert len(whole["tried"]) == 5 and whole["skipped"] == 0 and 1.35e9 < whole["smallest"] < 1.5e9
    assert len(short["tried"]) == 2 and short["skipped"] == 3 and short["too_small"] < 1.4e9 <= short["smallest"]
    figures["results"][0]["limit"], figures["results"][1]["limit"] = whole, short
    figures["skipped"] = ["limit, moe, millpond: 3 of 5 attempts"]
    text = report.markdown(figures)
    assert "3 of 5 attempts" in text and "(3 attempts skipped)" in text
    cells = next(row for row in map(str.strip, text.splitlines()) if "attempts skipped" in row).split("|")
    assert "skipped" not in cells[2] and cells[3].strip().startswith("≤ ")
    assert list(report.problems(figures)) == []


def test_nothing_begins_after_the_deadline():
    assert run.Deadline(None).allows(1e9)
    assert run.Deadline(100).allows(1) and not run.Deadline(100).allows(200) and not run.Deadline(-1).allows()


def test_what_was_not_measured_is_said(figures):
    del figures["calls"]["millpond"]
    assert row(report.markdown(figures), "pair inside PyTorch, allocator class")[-1] == "not measured"


def test_a_missing_compiler_is_said_at_once(monkeypatch):
    class CannotBuild(Exception):
        pass

    def compiler():
        raise CannotBuild("no C++ compiler was found (CXX, c++, g++, clang++): install g++")

    package = types.SimpleNamespace(_build=types.SimpleNamespace(CannotBuild=CannotBuild, compiler=compiler))
    monkeypatch.setitem(sys.modules, "millpond", types.SimpleNamespace(torch=package))
    monkeypatch.setitem(sys.modules, "millpond.torch", package)
    assert run.arms.cannot_build() == (
        "the arm millpond is a class that is compiled here, and no C++ compiler was found (CXX, c++, g++, clang++): install g++"
    )


def test_the_gpu_that_is_asked_is_cudas_first():
    """NVML counts all GPUs, CUDA those of CUDA_VISIBLE_DEVICES."""

    class Driver:
        def cuInit(self, flags):
            return 0

        def cuDeviceGet(self, device, index):
            device._obj.value = 5 + index
            return 0

        def cuDeviceGetPCIBusId(self, text, room, device):
            text.value = f"0000:{device.value:02x}:00.0".encode()
            return 0

    class Management:
        asked = None

        def nvmlInit_v2(self):
            return 0

        def nvmlDeviceGetHandleByPciBusId_v2(self, bus, device):
            self.asked = bus
            return 0

    management = Management()
    memory.Gpu(Driver(), management)
    assert management.asked == b"0000:05:00.0"


def test_results_are_compared():
    def line(**result):
        return {"program": "p", "result": result}

    assert compare.difference(line(a=1, _b=2), line(a=1, _b=3), "") is None
    assert compare.difference(line(a=1), line(a=2), "") == "a: 1 with its own, 2 with the pool"
    assert compare.difference(line(a=1), None, "it ended") == "did not run with the pool; it ended"
    assert compare.difference(line(a=1), {"program": "p", "error": "E: no"}, "") == "failed with the pool: E: no"
    assert compare.difference(None, line(a=1), "") == "did not run with PyTorch's own allocator"
