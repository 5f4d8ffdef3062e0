"""The life of a process: what may come before the first use of a device, forks, and what is left at the end."""

import shutil
import subprocess

import pytest

from support import ROOT, script

COUNTED = """
import ctypes, sys, torch, torch_npu
wanted, count = int(sys.argv[1]), ctypes.c_uint32(99)
assert ctypes.CDLL("libascendcl.so").aclrtGetDeviceCount(ctypes.byref(count)) == 0
assert torch.npu.device_count() == torch_npu._C._npu_getDeviceCount() == count.value == wanted
assert torch.npu.is_available() == (wanted > 0)
if wanted:
    assert torch.ones(3, device=f"npu:{wanted - 1}").sum().item() == 3
"""


@pytest.mark.parametrize("shown, count", [("", 0), ("1,3", 2), ("0 ,1", 1), ("0,0", 0), ("3,0", 0)])
def test_the_runtime_and_torch_npu_count_the_same_devices(shown, count):
    ended = script(COUNTED, count, env={"MILLPOND_DEVICES": "4", "ASCEND_RT_VISIBLE_DEVICES": shown})
    assert ended.status == 0, ended


FORKS = """
import multiprocessing, torch, torch_npu

def work(number):
    return (torch.ones(4, device="npu") * number).sum().item()

assert torch.npu.is_available() and torch.npu.device_count() > 0
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(work, range(4)) == [0, 4, 8, 12]
    pool.close()
    pool.join()
assert work(5) == 20
"""


def test_workers_may_be_forked_after_devices_were_counted():
    ended = script(FORKS)
    assert ended.status == 0, ended


def test_workers_may_be_forked_under_a_checker():
    ended = script(FORKS, check=[])
    assert ended.status == 0 and not ended.findings, ended


EXPANDABLE = """
import torch, torch_npu
torch.npu.memory._set_allocator_settings("expandable_segments:True")
assert torch.ones(1000, device="npu").sum().item() == 1000
"""


def test_expandable_segments_may_be_chosen_before_anything_else():
    ended = script(EXPANDABLE)
    assert ended.status == 0, ended


LEFT = """
import atexit, builtins, torch, torch_npu

class Owner:
    def __init__(self):
        self.stream, self.event = torch.npu.Stream(), torch.npu.Event()
        with torch.npu.stream(self.stream):
            self.tensor = torch.ones(1000, device="npu") * 2
            self.event.record()
        self.pinned = torch.ones(1000).pin_memory()

    def __del__(self):
        self.event.synchronize()
        self.stream.synchronize()
        del self.tensor, self.pinned, self.event, self.stream

first = Owner()
builtins.second = Owner()
loop = [Owner()]
loop.append(loop)
atexit.register(lambda: first.stream.synchronize())
print("done")
"""


def test_what_lives_until_the_interpreter_ends_is_given_back_in_peace():
    ended = script(LEFT, check=[])
    assert ended.status == 0 and ended.out == "done\n" and not ended.findings, ended


HOOKED = """
import ctypes, torch, torch_npu
assert torch.ones(1000, device="npu").sum().item() == 1000
assert ctypes.c_int.in_dll(ctypes.CDLL(None), "hook_calls").value > 0
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("check", [None, []])
def test_a_preloaded_hook_finds_the_function_that_it_stands_before(tmp_path, check):
    hook = tmp_path / "hook.so"
    source = ROOT / "crates" / "capi" / "tests" / "c" / "parts" / "next_hook.c"
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", hook, "-ldl"], check=True)
    ended = script(HOOKED, check=check, env={"LD_PRELOAD": str(hook)})
    assert ended.status == 0, ended
