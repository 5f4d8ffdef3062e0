"""millpond.torch without a GPU and without PyTorch: options, messages, and how the class is built and kept.

tests/torch_cuda has what needs PyTorch.
"""

import ctypes
import errno
import os
import re
import stat
import subprocess
import sys
import textwrap

import pytest

import millpond
import millpond.torch
from millpond.torch import _build, _library, _options
from millpond.torch._options import Options

GIB = 1 << 30


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in ("MILLPOND_TORCH_OPTIONS", "MILLPOND_TORCH", "MILLPOND_PLUGIN", "CUDA_HOME", "CUDA_PATH", "CXX"):
        monkeypatch.delenv(name, raising=False)


# ---- options ----


def test_defaults():
    options = Options.of()
    assert (options.limit_bytes, options.page_size, options.windows, options.waits, options.form) == (2**64 - 1, None, True, "watch", "auto")
    assert options.as_text() == ""


def test_arguments_win_over_the_variable(monkeypatch):
    monkeypatch.setenv("MILLPOND_TORCH_OPTIONS", "limit=16GiB, page_size=8MiB,windows=off,slack=20,ahead=700")
    options = Options.of(limit=5 * GIB)
    assert (options.limit_bytes, options.page_size, options.windows) == (5 * GIB, 8 << 20, False)
    made = options.for_library()
    assert (made.struct_size, made.page_bytes, made.slack_permille, made.ahead_permille) == (ctypes.sizeof(made), 8 << 20, 20, 700)
    assert made.flags == _options.NO_WINDOWS
    assert options.as_text() == f"page={8 << 20},slack=20,ahead=700,windows=0"


@pytest.mark.parametrize("text, bytes", [("512MiB", 512 << 20), ("1 gib", GIB), ("77", 77), (1000, 1000), ("2TiB", 2 << 40)])
def test_sizes(text, bytes):
    assert _options.size("limit", text) == bytes


@pytest.mark.parametrize(
    "given, said",
    [
        ({"limit": "16GB"}, 'invalid limit \'16GB\': a number of bytes or a text such as "512MiB"'),
        ({"limit": -1}, "invalid limit -1"),
        ({"limit": True}, "invalid limit True"),
        ({"limit": 0}, "invalid limit 0"),
        ({"limit": 10**30}, "invalid limit 1000000000000000000000000000000"),
        ({"limit": "16777216TiB"}, "invalid limit '16777216TiB'"),
        ({"page_size": "3MiB"}, "invalid page_size '3MiB': a power of two from 2 MiB to 1 GiB is expected"),
        ({"page_size": 4096}, "invalid page_size 4096"),
        ({"slack": 0}, "invalid slack 0: thousandths from 1 to 1000 are expected"),
        ({"slack": "2 %"}, "invalid slack '2 %'"),
        ({"ahead": 100_001}, "invalid ahead 100001: thousandths from 1 to 100000 are expected"),
        ({"waits": "on"}, "invalid waits 'on': one of watch, off is expected"),
        ({"form": "fast"}, "invalid form 'fast': one of auto, class, pluggable is expected"),
        ({"windows": 3}, "invalid windows 3"),
    ],
)
def test_invalid_options(given, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        millpond.torch.enable(**given)
    assert not millpond.torch.is_enabled()


@pytest.mark.parametrize("text", ["size=3", "limit", "windows=maybe", "limit=1,,page=x"])
def test_invalid_variable(monkeypatch, text):
    monkeypatch.setenv("MILLPOND_TORCH_OPTIONS", text)
    with pytest.raises(ValueError):
        Options.of()


def test_structures_are_those_of_the_header():
    """Names, order and types of the fields that Python fills and reads."""
    with open(os.path.join(millpond.home(), "include", "millpond", "cuda.h"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    types = {
        "size_t": ctypes.c_size_t,
        "uint64_t": ctypes.c_uint64,
        "uint32_t": ctypes.c_uint32,
        "int32_t": ctypes.c_int32,
        "int64_t": ctypes.c_int64,
        "millpondCudaStat": _library.Stat,
    }
    for name, ours in [("Options", _options.CudaOptions), ("Statistics", _library.Statistics), ("Stat", _library.Stat)]:
        body = re.search(rf"typedef struct millpondCuda{name} {{(.*?)}}", text, re.DOTALL).group(1)
        fields = [tuple(line.split()[::-1]) for line in body.split(";") if line.strip()]
        assert list(ours._fields_) == [(field, types[kind]) for field, kind in fields], name


# ---- what is missing ----


def fake_torch(folder, version="2.11.0+cu130", cuda="'13.0'", devices=0, extra=""):
    """A package that looks like PyTorch to millpond.torch."""
    package = folder / "torch"
    headers = package / "include" / "c10" / "cuda"
    headers.mkdir(parents=True)
    (headers / "CUDACachingAllocator.h").write_text("")
    (package / "__init__.py").write_text(
        textwrap.dedent(
            f"""
            class version:
                cuda = {cuda}
                hip = None
                git_version = "abc"
            class _C:
                _GLIBCXX_USE_CXX11_ABI = True
            class cuda:
                @staticmethod
                def device_count():
                    return {devices}
            __version__ = {version!r}
            {extra}
            """
        )
    )
    return str(folder)


def before(folder):
    """The search path with a folder in front."""
    return os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))


def enabled_with(folder, **environment):
    """What enable() says in a process that finds this torch."""
    script = (
        "import millpond.torch\n"
        "try: millpond.torch.enable()\n"
        "except millpond.torch.Error as error: print(error)\n"
        "print(millpond.torch.is_enabled())"
    )
    kept = {**os.environ, "PYTHONPATH": before(folder), **environment}
    done = subprocess.run([sys.executable, "-c", script], env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *said, enabled = done.stdout.splitlines()
    assert enabled == "False"
    return " ".join(said)


def test_without_pytorch(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('not here')")
    assert "needs PyTorch, which cannot be imported: not here" in enabled_with(str(tmp_path))


def test_pytorch_without_cuda(tmp_path):
    said = enabled_with(fake_torch(tmp_path, version="2.11.0+cpu", cuda="None"))
    assert "needs PyTorch for CUDA; this one (2.11.0+cpu) has no CUDA" in said


def test_without_a_device(tmp_path):
    assert "found no CUDA device: check that nvidia-smi lists one" in enabled_with(fake_torch(tmp_path))


def test_statistics_before_enable():
    with pytest.raises(millpond.torch.Error, match="not enabled: call millpond.torch.enable"):
        millpond.torch.statistics()


def test_library_that_is_missing(monkeypatch):
    monkeypatch.setenv("MILLPOND_PLUGIN", "/nowhere/libmillpond_plugin.so")
    monkeypatch.setattr(_library, "_loaded", None)
    with pytest.raises(ImportError, match="/nowhere/libmillpond_plugin.so does not exist"):
        _library.load()


def test_the_wheel_has_everything():
    assert os.path.isfile(_library.path())
    assert sorted(os.listdir(_build.sources())) == [
        "all.cpp",
        "allocator.cpp",
        "allocator.h",
        "history.cpp",
        "history.h",
        "install.cpp",
        "pools.cpp",
        "sharing.cpp",
        "sharing.h",
        "snapshot.cpp",
        "version.h",
    ]
    assert os.path.isfile(os.path.join(_build.own_headers(), "millpond", "cuda.h"))


def test_functions_for_the_pluggable_interface():
    library = _library.load()
    for name in ("millpondTorchCudaAlloc", "millpondTorchCudaFree", "millpondCudaRecordUse", "millpondTorchNpuAlloc", "millpondTorchNpuFree"):
        assert _library.address(library, name) != 0
    # Nothing to allocate, and nothing to free: neither needs a driver.
    library.millpondTorchCudaAlloc.restype = ctypes.c_void_p
    assert library.millpondTorchCudaAlloc(ctypes.c_ssize_t(0), 0, None) is None
    library.millpondTorchCudaFree(None, ctypes.c_ssize_t(0), 0, None)


# ---- building ----

# Writes its output file, and a line per run; fails if it is told to.
COMPILER = """#!/bin/sh
echo run >> "$LOG"
[ -n "$SLOW" ] && sleep "$SLOW"
[ -n "$BROKEN" ] && { echo "x.cpp:1: error: broken on purpose"; exit 1; }
while [ $# -gt 0 ]; do
    [ "$1" = -o ] && case "$2" in "${FULL:-none}"/*) echo "ld: final link failed: No space left on device"; exit 1;; esac
    [ "$1" = -o ] && echo built > "$2"
    shift
done
exit 0
"""


@pytest.fixture
def builder(tmp_path, monkeypatch):
    """A PyTorch, CUDA's headers, a compiler that counts, and an empty cache."""
    folder = fake_torch(tmp_path / "packages", devices=1)
    toolkit = tmp_path / "toolkit" / "include" / "crt"
    toolkit.mkdir(parents=True)
    (toolkit / "host_config.h").write_text("")
    (toolkit.parent / "cuda_runtime.h").write_text("")
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    log = tmp_path / "log"
    log.write_text("")
    for name, value in {
        "CUDA_HOME": toolkit.parent.parent,
        "CXX": f"{compiler} --first",
        "LOG": log,
        "MILLPOND_CACHE": tmp_path / "cache",
        "SLOW": "",
        "BROKEN": "",
        "FULL": "",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    import torch

    yield torch, log, folder
    sys.modules.pop("torch", None)


def runs(log):
    return len(log.read_text().splitlines())


def test_built_once(builder):
    torch, log, _ = builder
    path = _build.library_for(torch)
    assert os.path.basename(path) == "libmillpond_torch.so" and "torch-2.11.0+cu130" in path
    assert _build.library_for(torch) == path
    assert runs(log) == 1
    assert sorted(os.listdir(os.path.dirname(path))) == ["libmillpond_torch.so", "libmillpond_torch.so.sha256", "lock"]


def test_the_command(builder):
    torch, _, _ = builder
    command = _build.compile_command(torch)
    assert command[1] == "--first"
    assert {"-DMILLPOND_TORCH=211", "-D_GLIBCXX_USE_CXX11_ABI=1", "-std=c++17", "-lc10_cuda"} <= set(command)
    torch.__version__ = "2.14.1"
    assert {"-DMILLPOND_TORCH=214", "-std=c++20"} <= set(_build.compile_command(torch))


def test_another_pytorch_is_another_class(builder):
    torch, log, _ = builder
    paths = {_build.library_for(torch)}
    torch.__version__ = "2.12.0"
    paths.add(_build.library_for(torch))
    torch._C._GLIBCXX_USE_CXX11_ABI = False
    paths.add(_build.library_for(torch))
    torch.version.git_version = "def"
    paths.add(_build.library_for(torch))
    assert len(paths) == 4 and runs(log) == 4


def test_two_processes_build_once(builder, monkeypatch):
    _, log, folder = builder
    monkeypatch.setenv("SLOW", "1")
    script = "import torch; from millpond.torch import _build; print(_build.library_for(torch))"
    kept = {**os.environ, "PYTHONPATH": before(folder)}
    both = [subprocess.Popen([sys.executable, "-c", script], env=kept, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    paths = {process.communicate()[0] for process in both}
    assert len(paths) == 1 and paths != {""} and runs(log) == 1


def test_a_compiler_that_fails(builder, monkeypatch):
    torch, log, _ = builder
    monkeypatch.setenv("BROKEN", "1")
    with pytest.raises(_build.CannotBuild, match=r"compiling the allocator class failed \(.*build.log\): x.cpp:1: error: broken on purpose"):
        _build.library_for(torch)
    monkeypatch.setenv("BROKEN", "")
    assert os.path.isfile(_build.library_for(torch)) and runs(log) == 2


def test_a_compiler_that_is_missing(builder, monkeypatch):
    torch, _, _ = builder
    monkeypatch.setenv("CXX", "/nowhere/c++")
    with pytest.raises(_build.CannotBuild, match="the compiler of CXX, /nowhere/c\\+\\+, was not found"):
        _build.library_for(torch)
    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(_build.CannotBuild, match="no C\\+\\+ compiler was found .*: install g\\+\\+"):
        _build.library_for(torch)


def test_a_folder_that_others_can_write_is_not_used(builder, tmp_path, monkeypatch):
    """A library is loaded from it."""
    torch, _, _ = builder
    folder = tmp_path / "cache" / "torch_cuda"
    folder.mkdir(parents=True)
    folder.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    with pytest.raises(_build.CannotBuild, match=r"none of these folders can be used: .*torch_cuda \(other users can write to the folder\)"):
        _build.library_for(torch)


@pytest.mark.parametrize("damage", [b"", b"bui", b"other", None])
def test_a_library_that_is_not_whole_is_built_again(builder, damage):
    """A full disk or an interrupted copy can leave such a file. Loading it ends the process."""
    torch, log, _ = builder
    path = _build.library_for(torch)
    if damage is None:
        os.unlink(path + ".sha256")
    else:
        with open(path, "wb") as file:
            file.write(damage)
    assert _build.library_for(torch) == path and runs(log) == 2
    with open(path, encoding="ascii") as file:
        assert file.read() == "built\n"


def test_what_a_killed_build_left_is_removed(builder):
    torch, log, _ = builder
    path = _build.library_for(torch)
    os.unlink(path)
    left = os.path.join(os.path.dirname(path), "unfinished-12345678")
    with open(left, "w", encoding="ascii") as file:
        file.write("half")
    assert _build.library_for(torch) == path and not os.path.exists(left)


def test_a_folder_that_can_only_be_read_serves_what_is_there(builder, monkeypatch):
    torch, log, _ = builder
    path = _build.library_for(torch)

    def refuse(folder):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(_build, "make_own", refuse)
    assert _build.library_for(torch) == path and runs(log) == 1
    os.unlink(path)
    with pytest.raises(_build.CannotBuild, match=r"none of these folders can be used: .*torch_cuda \(Permission denied\); set MILLPOND_CACHE"):
        _build.library_for(torch)


def test_a_full_disk_is_not_used(builder, tmp_path, monkeypatch):
    """The folder for temporary files is used instead."""
    torch, log, _ = builder
    monkeypatch.setenv("FULL", str(tmp_path / "cache"))
    with pytest.raises(_build.CannotBuild, match=r"none of these folders can be used: .*torch_cuda \(No space left on device\)"):
        _build.library_for(torch)
    monkeypatch.delenv("MILLPOND_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(_build.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    assert _build.library_for(torch).startswith(str(tmp_path / "temporary")) and runs(log) == 3
    # Whoever owned a folder between them could replace it.
    assert os.path.dirname(_build.folders()[1]) == str(tmp_path / "temporary")


def test_a_compiler_that_makes_nothing(builder, tmp_path, monkeypatch):
    torch, _, _ = builder
    script = tmp_path / "nothing"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    with pytest.raises(_build.CannotBuild, match="nothing reported success but made no library"):
        _build.library_for(torch)
    script.write_text("no program")
    with pytest.raises(_build.CannotBuild, match="the compiler .*nothing cannot be started: Exec format error"):
        _build.library_for(torch)
    monkeypatch.setenv("CXX", "g++ 'x")
    with pytest.raises(_build.CannotBuild, match="invalid CXX .*: No closing quotation"):
        _build.library_for(torch)


def test_a_library_that_cannot_be_loaded(builder):
    """The compiler of these tests writes a text file, not a library."""
    torch, _, _ = builder
    with pytest.raises(_build.CannotBuild, match="the allocator class cannot be loaded: .*libmillpond_torch.so.*; set MILLPOND_CACHE to a folder"):
        millpond.torch._class_for(torch)


def test_an_old_pytorch_gets_the_pluggable_form(builder):
    torch, _, _ = builder
    torch.__version__ = "2.8.0"
    with pytest.raises(_build.CannotBuild, match="needs PyTorch 2.9 or newer, and this is 2.8.0"):
        millpond.torch._class_for(torch)


def test_class_wanted_and_impossible(builder):
    _, _, folder = builder
    said = enabled_with(folder, MILLPOND_TORCH_OPTIONS="form=class", CXX="/nowhere/c++")
    assert said == "the compiler of CXX, /nowhere/c++, was not found"


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "usage: python -m millpond.torch SCRIPT"),
        (["nowhere.py"], "error: nowhere.py does not exist"),
        (["-c", "print(1)"], "usage: python -m millpond.torch SCRIPT"),
    ],
)
def test_a_command_line_without_a_script(arguments, said):
    done = subprocess.run([sys.executable, "-m", "millpond.torch", *arguments], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stderr.startswith(said) and len(done.stderr.splitlines()) == 1
