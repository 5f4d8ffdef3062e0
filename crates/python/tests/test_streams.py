"""Streams, events, callbacks and report threads."""

import gc
import threading
import time
import weakref

import pytest

import acl

from conftest import ok, run_script, wrong_on_purpose


def test_events_order_streams(stream):
    other = ok(acl.rt.create_stream())
    event = ok(acl.rt.create_event())
    block = ok(acl.rt.malloc(64, 0))
    ok(acl.rt.memset_async(block, 64, 1, 64, stream))
    ok(acl.rt.record_event(event, stream))
    ok(acl.rt.stream_wait_event(other, event))
    ok(acl.rt.memset_async(block, 64, 2, 64, other))
    ok(acl.rt.synchronize_event(event))
    ok(acl.rt.synchronize_stream(other))
    assert ok(acl.rt.query_event_status(event)) == 1
    assert ok(acl.rt.stream_query(other)) == 0
    ok(acl.rt.free(block))
    ok(acl.rt.destroy_event(event))
    ok(acl.rt.destroy_stream(other))


def test_elapsed_time_is_a_float(stream):
    first, second = ok(acl.rt.create_event_with_flag(8)), ok(acl.rt.create_event_with_flag(8))
    ok(acl.rt.record_event(first, stream))
    ok(acl.rt.record_event(second, stream))
    ok(acl.rt.synchronize_stream(stream))
    assert isinstance(ok(acl.rt.event_elapsed_time(first, second)), float)
    ok(acl.rt.destroy_event(first))
    ok(acl.rt.destroy_event(second))


def test_a_host_function_runs_in_the_order_of_its_stream(stream):
    seen = []
    for number in range(10):
        ok(acl.rt.launch_host_func(stream, seen.append, number))
    ok(acl.rt.synchronize_stream(stream))
    assert seen == list(range(10))


def test_a_call_that_waits_lets_others_run(stream):
    """With the lock kept this would never end: the stream waits for a function of Python."""
    gate = threading.Event()
    ok(acl.rt.launch_host_func(stream, lambda gate: gate.wait(30), gate))
    timer = threading.Timer(0.05, gate.set)
    timer.start()
    ok(acl.rt.synchronize_stream(stream))
    assert gate.is_set()
    timer.join()


@pytest.mark.parametrize("name", ["memcpy_async", "memcpy_async_with_condition", "memcpy_2d_async", "memset_d32_async"])
def test_a_queueing_call_that_waits_lets_others_run(name):
    """Host memory that is not pinned makes these wait for their stream, and so for the functions of Python in it."""
    text = (
        "import acl, sys, faulthandler\n"
        "faulthandler.dump_traceback_later(20, exit=True)\n"
        "acl.init(); acl.rt.set_device(0); s, _ = acl.rt.create_stream()\n"
        "block, pinned = acl.rt.malloc(64, 0)[0], acl.rt.malloc_host(64)[0]\n"
        "room, seen = bytearray(64), []\n"
        "place = acl.util.bytes_to_ptr(room)\n"
        "given = {'memcpy_2d_async': (place, 8, block, 8, 8, 8, 2, s), 'memset_d32_async': (pinned, 64, 0, 16, s)}\n"
        "acl.rt.launch_host_func(s, seen.append, 1)\n"
        "name = sys.argv[1]\n"
        "ret = getattr(acl.rt, name)(*given.get(name, (place, 64, block, 64, 2, s)))\n"
        "assert ret == 0 and seen == [1], (ret, seen)\n"
    )
    run_script(text, name)


def test_a_seed_gives_functions_of_python_one_order():
    """A schedule with a seed runs queued work inside calls that queue more, and waits for the functions in it."""
    text = (
        "import acl\n"
        "acl.init(); acl.rt.set_device(0)\n"
        "(one, _), (two, _), (event, _) = acl.rt.create_stream(), acl.rt.create_stream(), acl.rt.create_event()\n"
        "order = []\n"
        "for number in range(40):\n"
        "    acl.rt.launch_host_func(one, order.append, number)\n"
        "    acl.rt.launch_host_func(two, order.append, -number)\n"
        "    acl.rt.record_event(event, one)\n"
        "acl.rt.synchronize_device()\n"
        "print(order)\n"
    )
    # A machine that is busy lets a script stand still for longer than the usual 5 ms.
    orders = {run_script(text, MILLPOND_SCHEDULE="seed=1", MILLPOND_PATIENCE="60000")[0] for _ in range(3)}
    assert len(orders) == 1, orders


# The documentation forbids these calls there; here they work.
@wrong_on_purpose
def test_a_host_function_may_call(stream):
    def work(results):
        results.append(acl.rt.set_device(0))
        block, code = acl.rt.malloc(64, 0)
        results.append(code)
        results.append(acl.rt.memset(block, 64, 0, 64))
        results.append(acl.rt.free(block))

    results = []
    ok(acl.rt.launch_host_func(stream, work, results))
    ok(acl.rt.synchronize_stream(stream))
    assert results == [0, 0, 0, 0]


def test_exceptions_in_callbacks_go_to_the_hook(stream, monkeypatch):
    import sys

    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: caught.append(info.exc_value))
    ok(acl.rt.launch_host_func(stream, lambda _: 1 / 0, None))
    ok(acl.rt.synchronize_stream(stream))
    assert isinstance(caught[0], ZeroDivisionError)


def test_reports_are_processed_by_their_thread(stream):
    """The pattern of pyACL's samples: a thread of acl.util that processes reports until it is told to stop."""
    running = [True]
    seen = []

    def process(arguments):
        context, patience = arguments
        acl.rt.set_context(context)
        while running[0]:
            acl.rt.process_report(patience)

    context = ok(acl.rt.get_context())
    thread, code = acl.util.start_thread(process, [context, 10])
    assert code == 0 and thread != 0
    ok(acl.rt.subscribe_report(thread, stream))
    ok(acl.rt.launch_callback(lambda data: seen.append((data, threading.get_ident())), "one", 1, stream))
    ok(acl.rt.launch_callback(lambda data: seen.append((data, threading.get_ident())), [2], 0, stream))
    ok(acl.rt.synchronize_stream(stream))
    limit = time.time() + 120
    while len(seen) < 2 and time.time() < limit:
        time.sleep(0.005)
    # A report is processed when its callback has returned, a moment after what it has written is seen.
    unprocessed = 107011
    while (code := acl.rt.unsubscribe_report(thread, stream)) == unprocessed and time.time() < limit:
        time.sleep(0.005)
    assert code == 0
    running[0] = False
    assert acl.util.stop_thread(thread) == 0
    assert seen == [("one", thread), ([2], thread)]
    assert acl.util.stop_thread(thread) != 0


@pytest.mark.parametrize("end", [acl.rt.stream_abort, acl.rt.destroy_stream_force])
@pytest.mark.parametrize("reports", [False, True])
def test_callbacks_that_never_run_are_dropped(device, end, reports):
    class Data:
        pass

    stream, gate, data = ok(acl.rt.create_stream()), threading.Event(), Data()
    watched = weakref.ref(data)
    if reports:
        ok(acl.rt.subscribe_report(threading.get_ident(), stream))
        ok(acl.rt.launch_callback(print, data, 0, stream))
    else:
        ok(acl.rt.launch_host_func(stream, lambda gate: gate.wait(30), gate))
        ok(acl.rt.launch_host_func(stream, print, data))
    del data
    threading.Timer(0.05, gate.set).start()
    ok(end(stream))
    if end is not acl.rt.destroy_stream_force:
        ok(acl.rt.destroy_stream_force(stream))
    gc.collect()
    assert watched() is None


def test_callbacks_must_be_callable(stream):
    with pytest.raises(TypeError, match=r"acl.rt.launch_host_func\(\): argument 'fn' must be callable"):
        acl.rt.launch_host_func(stream, 5, None)
    with pytest.raises(TypeError, match="must be callable"):
        acl.util.start_thread(None, [])
    assert acl.rt.launch_callback(print, None, 1, 0) != 0


def test_states_of_streams_and_devices_are_told(device):
    seen = []
    ok(acl.rt.reg_stream_state_callback("python", lambda stream, state, data: seen.append((stream, state, data)), 5))
    stream = ok(acl.rt.create_stream())
    ok(acl.rt.destroy_stream(stream))
    ok(acl.rt.reg_stream_state_callback("python", None))
    assert seen == [(stream, 1, 5), (stream, 2, 5)]
    ok(acl.rt.destroy_stream(ok(acl.rt.create_stream())))
    assert len(seen) == 2
    states = []
    ok(acl.rt.reg_device_state_callback("python", lambda *given: states.append(given)))
    ok(acl.rt.set_device(0))
    ok(acl.rt.reset_device(0))
    ok(acl.rt.reg_device_state_callback("python", None))
    assert all(given[0] == 0 and given[2] is None for given in states)


def test_many_threads_have_streams_of_their_own(device):
    failures = []

    def work(number):
        try:
            ok(acl.rt.set_device(0))
            stream = ok(acl.rt.create_stream())
            data, back = bytes([number]) * 1024, bytearray(1024)
            for _ in range(50):
                block = ok(acl.rt.malloc(1024, 0))
                ok(acl.rt.memcpy(block, 1024, acl.util.bytes_to_ptr(data), 1024, 1))
                ok(acl.rt.synchronize_stream(stream))
                ok(acl.rt.memcpy(acl.util.bytes_to_ptr(back), 1024, block, 1024, 2))
                assert back == data
                ok(acl.rt.free(block))
            ok(acl.rt.destroy_stream(stream))
            ok(acl.rt.reset_device(0))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
