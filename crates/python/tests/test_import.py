"""How the module is found, and that there is one runtime in a process."""

import ctypes
import os
import subprocess
import sys

import acl
import millpond

from conftest import CHECKED, ROOT, ok, run_script, unchecked


def test_submodules_can_be_imported_in_every_way():
    import acl.rt
    from acl import mdl, rt
    from acl.rt import malloc_align32

    assert acl.rt is rt and rt.malloc_align32 is malloc_align32 and acl.mdl is mdl
    assert sys.modules["acl.util"] is acl.util


def test_it_needs_no_variable():
    clean = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "PYTHONPATH")}
    if CHECKED:
        # A process whose variables are lost is a hole in a check, unless it says that it is meant.
        clean["MILLPOND_CHECK"] = "0"
    text = "import acl; print(acl.init(), acl.rt.set_device(0), acl.rt.get_device())"
    done = subprocess.run([sys.executable, "-c", text], env=clean, capture_output=True, text=True)
    assert done.stdout == "0 0 (0, 0)\n", done.stderr


def test_numpy_is_not_imported():
    out, _ = run_script("import acl, sys; print('numpy' in sys.modules)")
    assert out == "False\n"


def library():
    return os.path.join(millpond.home(), "lib64", "libascendcl.so")


def test_c_and_python_share_one_runtime(device):
    ok(acl.rt.set_device(0))
    stranger = ctypes.CDLL("libascendcl.so", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    pointer = ctypes.c_void_p()
    assert stranger.aclrtMalloc(ctypes.byref(pointer), ctypes.c_size_t(64), 0) == 0
    assert acl.rt.free(pointer.value) == 0


def test_a_library_that_is_there_already_is_used():
    text = (
        "import ctypes, sys\n"
        "first = ctypes.CDLL(sys.argv[1])\n"
        "assert first.aclInit(None) == 0\n"
        "import acl\n"
        "assert acl.init() == 100002\n"
        "maps = {line.split()[-1] for line in open('/proc/self/maps') if 'libascendcl' in line}\n"
        "print(len(maps))"
    )
    assert run_script(text, library())[0] == "1\n"


def test_companions_lead_to_the_same_library():
    folder = os.path.dirname(library())
    text = (
        "import acl, ctypes, sys\n"
        "assert acl.init() == 0\n"
        "assert ctypes.CDLL(sys.argv[1]).aclInit(None) == 100002"
    )
    # The first is the library itself; the second is empty and only there to be seen. Those of our own name have their own purpose.
    others = ("libascendcl.so", "libascend_kernel_hook.so")
    names = [name for name in os.listdir(folder) if name.endswith(".so") and name not in others]
    names = [name for name in names if not name.startswith("libmillpond")]
    assert len(names) > 8
    for name in names[:3]:
        run_script(text, os.path.join(folder, name))


def test_the_command_is_there():
    done = subprocess.run([sys.executable, "-m", "millpond", "home"], capture_output=True, text=True)
    assert done.stdout.strip() == millpond.home()
    done = subprocess.run([sys.executable, "-m", "millpond", "doctor"], capture_output=True, text=True, env=unchecked())
    assert "libascendcl.so" in done.stdout, done


def test_examples_run(model):
    for name in ("first.py", "allocator.py"):
        example = os.path.join(ROOT, "examples/python", name)
        done = subprocess.run([sys.executable, example, model], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
