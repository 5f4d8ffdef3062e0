"""Beginnings and ends: fork, threads that are left, callbacks of init and finalize, and leaks."""

import gc
import os
import sys

import pytest

import acl

from conftest import CHECKED, ok, run_script


def test_a_forked_child_gets_codes(device):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        codes = [acl.rt.malloc(64, 0)[1], acl.rt.synchronize_device(), acl.rt.set_device(0)]
        os.write(writer, repr(codes).encode())
        os._exit(0)
    os.close(writer)
    assert os.waitpid(child, 0)[1] == 0
    codes = eval(os.read(reader, 1000))
    os.close(reader)
    assert all(code != 0 for code in codes)
    ok(acl.rt.set_device(0))
    ok(acl.rt.reset_device(0))


def test_a_child_that_forks_before_use_works():
    text = (
        "import acl, os, sys\n"
        "child = os.fork()\n"
        "assert acl.init() == 0 and acl.rt.set_device(0) == 0\n"
        "p, ret = acl.rt.malloc(64, 0)\n"
        "assert ret == 0\n"
        "if child: sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    run_script(text)


def test_a_child_that_forks_after_looking_works():
    text = (
        "import acl, os, sys\n"
        "assert acl.init() == 0 and acl.rt.get_device_count()[1] == 0\n"
        "child = os.fork()\n"
        "assert acl.rt.set_device(0) == 0\n"
        "p, ret = acl.rt.malloc(64, 0)\n"
        "assert ret == 0 and acl.rt.free(p) == 0\n"
        "if child: sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    run_script(text)


def test_objects_that_live_until_the_interpreter_ends_give_back_what_they_have():
    text = (
        "import acl, builtins, os, threading\n"
        "def ok(ret):\n"
        "    assert ret == 0, ret\n"
        "class Owner:\n"
        "    def __init__(self, name):\n"
        "        self.name, self.acl, self.os, self.ok = name, acl, os, ok\n"
        "        self.stream, self.block = acl.rt.create_stream()[0], acl.rt.malloc(4096, 0)[0]\n"
        "        ok(acl.rt.memset_async(self.block, 4096, 7, 4096, self.stream))\n"
        "    def __del__(self):\n"
        "        self.ok(self.acl.rt.synchronize_stream(self.stream))\n"
        "        self.ok(self.acl.rt.destroy_stream(self.stream))\n"
        "        self.ok(self.acl.rt.free(self.block))\n"
        "        self.os.write(1, (self.name + '\\n').encode())\n"
        "ok(acl.init()); ok(acl.rt.set_device(0))\n"
        "local = threading.local()\n"
        "def work():\n"
        "    ok(acl.rt.set_device(0)); local.owner = Owner('thread')\n"
        "thread = threading.Thread(target=work); thread.start(); thread.join()\n"
        "one, builtins.two, loop = Owner('global'), Owner('builtin'), [Owner('loop')]\n"
        "loop.append(loop)\n"
    )
    out, err = run_script(text)
    assert sorted(out.split()) == ["builtin", "global", "loop", "thread"], (out, err)


def test_a_forked_child_ends_by_itself():
    text = (
        "import acl, os, sys\n"
        "acl.init(); acl.rt.set_device(0); s, _ = acl.rt.create_stream()\n"
        "acl.rt.launch_host_func(s, print, 'parent')\n"
        "acl.rt.synchronize_stream(s)\n"
        "sys.stdout.flush()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    assert acl.rt.launch_host_func(s, print, 'child') != 0\n"
        "    sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
    )
    assert run_script(text)[0] == "parent\n"


def test_a_callback_may_fork():
    """The child is inside the callback too: it must neither wait for itself at its end nor shut callbacks out."""
    text = (
        "import acl, os, sys, threading, time\n"
        "acl.init(); acl.rt.set_device(0); s, _ = acl.rt.create_stream()\n"
        "acl.rt.subscribe_report(threading.get_ident(), s)\n"
        "child = []\n"
        "acl.rt.launch_callback(lambda _: child.append(os.fork()), None, 0, s)\n"
        "acl.rt.process_report(1000)\n"
        "if child[0] == 0: sys.exit(7)\n"
        "start = time.time()\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child[0], 0)[1]) == 7\n"
        "assert time.time() - start < 4\n"
    )
    run_script(text)


def test_a_callback_that_never_ends_is_asked_to():
    text = (
        "import acl, time\n"
        "acl.init(); acl.rt.set_device(0); s, _ = acl.rt.create_stream()\n"
        "def forever(_):\n"
        "    while True: pass\n"
        "acl.rt.launch_host_func(s, forever, None)\n"
        "time.sleep(0.1)\n"
    )
    assert "SystemExit" in run_script(text)[1]


@pytest.mark.parametrize("how", ["", "sys.exit(0)", "acl.finalize()"])
def test_a_script_may_end_with_work_queued(how):
    text = (
        "import acl, sys, time, threading\n"
        "acl.init(); acl.rt.set_device(0); s, _ = acl.rt.create_stream()\n"
        "for n in range(200): acl.rt.launch_host_func(s, lambda n: time.sleep(0.0005), n)\n"
        "threading.Thread(target=lambda: acl.rt.synchronize_stream(s), daemon=True).start()\n"
        "time.sleep(0.01)\n" + how
    )
    run_script(text)


def test_a_report_thread_that_is_left_does_not_hang():
    text = (
        "import acl, time\n"
        "acl.init(); acl.rt.set_device(0); s, _ = acl.rt.create_stream()\n"
        "def loop(ctx):\n"
        "    acl.rt.set_context(ctx)\n"
        "    while True: acl.rt.process_report(20)\n"
        "t, _ = acl.util.start_thread(loop, acl.rt.get_context()[0])\n"
        "acl.rt.subscribe_report(t, s)\n"
        "acl.rt.launch_callback(print, 'said', 1, s)\n"
        "acl.rt.synchronize_stream(s)\n"
    )
    assert "said" in run_script(text)[0]


def test_callbacks_of_init_and_finalize():
    text = (
        "import acl\n"
        "def at_init(config, data): print('init', config, data)\n"
        "def at_end(data): print('finalize', data); return 0\n"
        "def never(data): print('never')\n"
        "assert acl.init_callback_register(0, at_init, 'x') == 0\n"
        "assert acl.finalize_callback_register(1, at_end, [1]) == 0\n"
        "assert acl.finalize_callback_register(1, never) == 0\n"
        "assert acl.finalize_callback_unregister(1, never) == 0\n"
        "assert acl.finalize_callback_unregister(1, never) != 0\n"
        "assert acl.init() == 0 and acl.finalize() == 0\n"
        "assert acl.init_callback_unregister(0, at_init) == 0\n"
    )
    out, _ = run_script(text)
    assert out.splitlines()[0].startswith("init ") and out.splitlines()[-1] == "finalize [1]", out


@pytest.mark.parametrize("length", [1, 56, 1000])
def test_a_callback_of_init_gets_the_text_of_the_file(tmp_path, length):
    """C says how long the text is, and puts no zero behind it."""
    text = (
        "import acl, sys\n"
        "acl.init_callback_register(0, lambda config, data: data.append(config), seen := [])\n"
        "assert acl.init(sys.argv[1]) == 0\n"
        "assert seen == [open(sys.argv[1]).read()], seen\n"
    )
    file = tmp_path / "acl.json"
    file.write_text('{"note": "' + "x" * length + '"}')
    run_script(text, str(file))


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_100_000_calls_leave_nothing(device):
    """Memory of the process, and references to what is used most."""
    data, name, numbers = bytes(64), "name", [1, 2, 3]
    callback = lambda _: None  # noqa: E731
    stream = ok(acl.rt.create_stream())

    def calls(times):
        for _ in range(times):
            block, _ = acl.rt.malloc_align32(64, 0)
            acl.rt.memcpy(block, 64, acl.util.bytes_to_ptr(data), 64, 1)
            acl.rt.pointer_get_attributes(block)
            acl.rt.free(block)
            desc = acl.create_tensor_desc(0, numbers, 2)
            acl.set_tensor_desc_name(desc, name)
            acl.get_tensor_desc_name(desc)
            acl.destroy_tensor_desc(desc)
            try:
                acl.rt.malloc("x", 0)
            except TypeError:
                pass
            if not CHECKED:
                acl.rt.free(1)
            acl.get_recent_err_msg()
        for _ in range(times // 10):
            acl.rt.launch_host_func(stream, callback, data)
        acl.rt.synchronize_stream(stream)
        allocator = acl.rt.allocator_create_desc()
        for _ in range(times // 10):
            acl.rt.allocator_set_alloc_func_to_desc(allocator, callback)
            acl.rt.allocator_set_obj_to_desc(allocator, data)
        acl.rt.allocator_destroy_desc(allocator)

    calls(1000)
    gc.collect()
    memory = resident()
    watched = [data, name, numbers, callback, None, 0, 64, ()]
    before = [sys.getrefcount(one) for one in watched]
    calls(10_000)
    gc.collect()
    after = [sys.getrefcount(one) for one in watched]
    grown = resident() - memory
    ok(acl.rt.destroy_stream(stream))
    assert all(abs(one - other) < 100 for one, other in zip(before, after)), (before, after)
    # Records of a checked run are the checker's own.
    if not CHECKED:
        assert grown < 8 << 20, f"{grown} bytes more"
