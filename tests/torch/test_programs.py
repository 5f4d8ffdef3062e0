"""Realistic programs give the CPU's results and have no findings; common errors are reported with their lines."""

import pathlib

import pytest
import torch

from programs import PROGRAMS
from support import same, script
from test_check import checked, silent, stands_at

# Differences accumulate over steps: a few times the tolerance of one result.
LOOSE = dict(rtol=2e-3, atol=3e-4)
HALF = dict(rtol=3e-2, atol=1e-2)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_the_results_of_the_cpu(program):
    torch.manual_seed(0)
    cpu = program("cpu")
    torch.manual_seed(0)
    ours = program("npu")
    for one, other in zip(ours, cpu, strict=True):
        if one.dtype.is_floating_point:
            same(one, other, **(HALF if program.__name__ == "accumulated" else LOOSE))
        else:
            same(one, other)


def test_all_programs_are_silent_under_the_checker(tmp_path):
    file = pathlib.Path(__file__).with_name("programs.py")
    silent(script(file, check=[], folder=str(tmp_path)))


# Streams: a loader that runs ahead ----------------------------------------------------------------------------------

AHEAD = """
    import torch, torch_npu

    def main():
        side = torch.npu.Stream()
        total = torch.zeros(256, 256, device="npu")
        host = [torch.full((256, 256), float(step)).pin_memory() for step in range(4)]
        for batch in host:
            with torch.npu.stream(side):
                x = batch.to("npu", non_blocking=True)
                x = x.sub_(1).mul_(2)
            {wait}
            total += x
            {record}
            del x
            with torch.npu.stream(side):
                scratch = torch.zeros(256, 256, device="npu")
        torch.npu.synchronize()
        print(total[0, 0].item())

    main()
"""
WAIT, RECORD = "torch.npu.current_stream().wait_stream(side)", "x.record_stream(torch.npu.current_stream())"


def test_a_loader_that_runs_ahead_is_silent(tmp_path):
    _, ended = checked(tmp_path, AHEAD.format(wait=WAIT, record=RECORD))
    silent(ended)
    assert ended.out.splitlines()[-1] == "4.0", ended


def test_a_batch_of_the_loader_that_nobody_records_is_told(tmp_path):
    file, ended = checked(tmp_path, AHEAD.format(wait=WAIT, record="pass"))
    assert [finding["rule"] for finding in ended.findings] == ["stream.missing-record-use"], ended
    reused, used, freed = ended.findings[0]["operations"]
    assert stands_at(reused, file, "scratch = torch.zeros", "main"), ended
    assert stands_at(used, file, "total += x", "main"), ended
    assert stands_at(freed, file, "del x", "main"), ended


EVENT = """
    import torch, torch_npu

    def main():
        side, event = torch.npu.Stream(), torch.npu.Event()
        x = torch.ones(256, 256, device="npu")
        torch.npu.synchronize()
        with torch.npu.stream(side):
            y = x * 2
            {right}
        {late}
        event.wait()
        z = y + 1
        torch.npu.synchronize()
        print(z.sum().item())

    main()
"""


def test_an_event_that_is_recorded_in_another_stream_orders_nothing(tmp_path):
    file, ended = checked(tmp_path, EVENT.format(right="pass", late="event.record()"))
    assert [finding["rule"] for finding in ended.findings] == ["stream.race"], ended
    read, wrote = ended.findings[0]["operations"]
    assert stands_at(read, file, "z = y + 1", "main"), ended
    assert stands_at(wrote, file, "y = x * 2", "main"), ended


def test_an_event_that_is_recorded_behind_the_work_is_silent(tmp_path):
    silent(checked(tmp_path, EVENT.format(right="event.record()", late="pass"))[1])


# Uninitialised memory ----------------------------------------------------------------------------------------------

EMPTY = """
    import torch, torch_npu

    def main():
        x, places = torch.randn(32, 16).npu(), torch.randint(0, 4, (32,)).npu()
        total = x.{new}(4, 16)
        total.index_add_(0, places, x)
        half = torch.empty(128, 128, device="npu")
        half[:{rows}] = 1.0
        print(half.sum().item())

    main()
"""


def test_sums_into_memory_that_nobody_wrote_are_told(tmp_path):
    file, ended = checked(tmp_path, EMPTY.format(new="new_empty", rows=64))
    assert [finding["rule"] for finding in ended.findings] == ["memory.uninitialised-read"] * 2, ended
    added, summed = (finding["operations"][0] for finding in ended.findings)
    assert stands_at(added, file, "total.index_add_", "main"), ended
    assert stands_at(summed, file, "half.sum()", "main"), ended


def test_sums_into_zeros_are_silent(tmp_path):
    silent(checked(tmp_path, EMPTY.format(new="new_zeros", rows=128))[1])


# Pinned memory that is filled again ---------------------------------------------------------------------------------

REFILLED = """
    import torch, torch_npu

    def main():
        pinned = torch.ones(1 << {bits}).pin_memory()
        total = torch.zeros(1 << {bits}).npu()
        for step in range(4):
            pinned.fill_(float(step))
            total += pinned.to("npu", non_blocking=True)
            {wait}
        torch.npu.synchronize()
        print(total[0].item())

    main()
"""


def test_pinned_memory_that_is_filled_again_while_it_is_copied_is_told(tmp_path):
    # Few enough numbers that one thread fills them.
    file, ended = checked(tmp_path, REFILLED.format(wait="pass", bits=14), "--schedule", "latest")
    assert [finding["rule"] for finding in ended.findings] == ["stream.host-buffer"], ended
    write, copy = ended.findings[0]["operations"]
    assert stands_at(write, file, "pinned.fill_", "main"), ended
    assert stands_at(copy, file, "non_blocking=True", "main"), ended


def test_a_copy_that_finds_its_source_changed_is_told_where_nothing_is_closed(tmp_path):
    text = REFILLED.format(wait="pass", bits=16)
    file, ended = checked(tmp_path, text, "--schedule", "latest", "--pinned-access", "no")
    assert {finding["rule"] for finding in ended.findings} == {"stream.host-buffer"}, ended
    for finding in ended.findings:
        assert stands_at(finding["operations"][0], file, "non_blocking=True", "main"), ended


def test_pinned_memory_that_is_filled_again_after_the_copy_is_silent(tmp_path):
    text = REFILLED.format(wait="torch.npu.synchronize()", bits=20)
    silent(checked(tmp_path, text, "--schedule", "latest")[1])
