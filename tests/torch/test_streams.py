"""Streams and events: order, waiting, timing, and memory that another stream still uses."""

import threading
import time

import pytest
import torch

from support import same


def busy(seconds=0.05):
    """Queues work of about this duration on the current stream."""
    a = torch.ones(300, 300, device="npu") / 300
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        a = a @ a
    return a


def test_the_current_stream():
    default = torch.npu.default_stream()
    assert torch.npu.current_stream() == default
    one = torch.npu.Stream()
    with torch.npu.stream(one):
        assert torch.npu.current_stream() == one != default
        with torch.npu.stream(default):
            assert torch.npu.current_stream() == default
        assert torch.npu.current_stream() == one
    assert torch.npu.current_stream() == default
    torch.npu.set_stream(one)
    assert torch.npu.current_stream() == one
    torch.npu.set_stream(default)


def test_a_stream_of_another_device():
    second = torch.npu.Stream(device="npu:1")
    with torch.npu.stream(second):
        assert torch.npu.current_device() == 1
        x = torch.ones(4, device="npu") * 2
        assert x.device == torch.device("npu:1")
    assert torch.npu.current_device() == 0
    second.synchronize()
    assert x.tolist() == [2, 2, 2, 2]


def test_synchronising_and_asking():
    one = torch.npu.Stream()
    with torch.npu.stream(one):
        busy()
    one.synchronize()
    assert one.query()
    torch.npu.synchronize()
    torch.npu.synchronize("npu:1")
    assert torch.npu.current_stream().query()


def test_one_stream_waits_for_another():
    one, two = torch.npu.Stream(), torch.npu.Stream()
    host = torch.randn(200, 200)
    source = host.npu()
    one.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(one):
        product = source @ source
        source.record_stream(one)
    two.wait_stream(one)
    with torch.npu.stream(two):
        total = product.sum(0)
        product.record_stream(two)
    torch.npu.current_stream().wait_stream(two)
    total.record_stream(torch.npu.current_stream())
    same(total * 2, (host @ host).sum(0) * 2, rtol=1e-3, atol=1e-3)


def test_events():
    begin, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    assert begin.query()  # an event that was never recorded counts as complete
    # Before the first event and after the second: the machine may pause the program anywhere.
    started = time.perf_counter()
    begin.record()
    busy()
    end.record()
    end.synchronize()
    passed = (time.perf_counter() - started) * 1000
    assert end.query() and begin.query()
    assert 0 < begin.elapsed_time(end) <= passed + 1


def test_elapsed_time_needs_events_that_keep_it():
    begin, end = torch.npu.Event(), torch.npu.Event(enable_timing=True)
    begin.record()
    end.record()
    torch.npu.synchronize()
    with pytest.raises(RuntimeError):
        begin.elapsed_time(end)


def test_a_stream_waits_for_an_event():
    one = torch.npu.Stream()
    done = torch.npu.Event()
    host = torch.randn(64, 64)
    with torch.npu.stream(one):
        x = host.to("npu")
        for _ in range(10):
            x = torch.tanh(x @ x / 64)
        done.record()
    done.wait()
    x.record_stream(torch.npu.current_stream())
    cpu = host
    for _ in range(10):
        cpu = torch.tanh(cpu @ cpu / 64)
    same(x, cpu)
    assert one.record_event().wait() is None
    event = torch.npu.current_stream().record_event()
    one.wait_event(event)
    one.synchronize()


def test_memory_stays_while_another_stream_uses_it():
    """Memory of a tensor recorded on a stream is not reused before that stream has passed."""
    one = torch.npu.Stream()
    results = []
    for number in range(20):
        x = torch.full((512, 512), float(number), device="npu")
        one.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(one):
            results.append(x.mean())
            x.record_stream(one)
        del x  # its memory may be reused later, but not yet
    torch.npu.current_stream().wait_stream(one)
    assert [result.item() for result in results] == [float(number) for number in range(20)]


def test_many_streams():
    streams = [torch.npu.Stream() for _ in range(12)]
    host = torch.randn(50, 50)
    x = host.npu()
    torch.npu.synchronize()
    answers = []
    for stream in streams:
        with torch.npu.stream(stream):
            answers.append((x @ x).sum(1))
    torch.npu.synchronize()
    for answer in answers:
        same(answer, (host @ host).sum(1), rtol=1e-3, atol=1e-3)


def test_priorities():
    with torch.npu.stream(torch.npu.Stream(priority=-1)):
        assert torch.ones(3, device="npu").sum().item() == 3


def test_threads():
    """Each thread has its own current device and stream."""
    host = torch.randn(60, 60)
    wrong = []

    def work(index):
        try:
            torch.npu.set_device(index % 2)
            with torch.npu.stream(torch.npu.Stream()):
                x = host.npu()
                for _ in range(20):
                    x = torch.tanh(x @ host.npu() / 60)
                same(x, expected)
        except BaseException as error:  # noqa: BLE001  (passed to the test's thread)
            wrong.append(error)

    expected = host
    for _ in range(20):
        expected = torch.tanh(expected @ host / 60)
    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def test_copies_and_work_on_a_stream_of_their_own():
    """The usual pattern of loaders: the next batch is copied during the computation on the current one."""
    copying = torch.npu.Stream()
    batches = [torch.randn(256, 64).pin_memory() for _ in range(6)]
    weight = torch.randn(64, 8)
    ours_weight = weight.npu()
    answers = []
    for batch in batches:
        with torch.npu.stream(copying):
            ours = batch.to("npu", non_blocking=True)
        torch.npu.current_stream().wait_stream(copying)
        ours.record_stream(torch.npu.current_stream())
        answers.append(ours @ ours_weight)
    for batch, answer in zip(batches, answers):
        same(answer, batch @ weight, rtol=1e-3, atol=1e-4)
