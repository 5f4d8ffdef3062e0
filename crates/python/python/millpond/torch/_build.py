"""Builds the allocator class for the PyTorch that is installed, once.

The class is C++ of PyTorch's own interface, so it must be compiled against the very headers and with the very ABI of the
PyTorch that loads it. That needs a C++ compiler and CUDA's headers, which PyTorch's packages bring; no nvcc. The result is
kept in the user's cache folder under a name that contains everything that it depends on.
"""

import contextlib
import errno
import glob
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
from typing import Any, Iterator, List, Tuple

from . import _library

NAME = "libmillpond_torch.so"
# The suffix of the file beside it with its digest, and the prefix of files that are not in place yet.
DIGEST = ".sha256"
UNFINISHED = "unfinished-"
# Where the results are kept, instead of the user's cache folder.
VARIABLE = "MILLPOND_CACHE"
COMPILERS = ("c++", "g++", "clang++")


class CannotBuild(Exception):
    """The class cannot be built here. The text completes "because"."""


def library_for(torch: Any) -> str:
    """The path of the class for this PyTorch, built now if it was not before."""
    command = compile_command(torch)
    key = key_of(torch, command)
    unusable = []
    for folder in folders():
        place = os.path.join(folder, key)
        path = os.path.join(place, NAME)
        # A complete library that nobody else could have put there is used, even in a read-only folder.
        if is_trusted(folder) and is_trusted(place) and is_trusted(path) and is_whole(path):
            return path
        try:
            make_own(folder)
            make_own(place)
            with locked(os.path.join(place, "lock")) as alone:
                if alone:
                    remove_unfinished(place)
                # Another process may have built it while this one waited.
                if not is_whole(path):
                    build(command, place, path)
            return path
        except OSError as error:
            unusable.append(f"{folder} ({error.strerror or error})")
    raise CannotBuild(f"none of these folders can be used: {', '.join(unusable)}; set {VARIABLE} to a writable folder")


def version_of(text: str) -> Tuple[int, int]:
    """2.11 of "2.11.0+cu130"."""
    found = re.match(r"(\d+)\.(\d+)", text)
    if not found:
        raise CannotBuild(f"PyTorch's version is unknown: {text!r}")
    return int(found.group(1)), int(found.group(2))


def sources() -> str:
    """The folder of the class's source: of the wheel, or of the repository."""
    here = _library.home()
    for folder in (os.path.join(here, "share", "torch_cuda"), os.path.join(here, "..", "..", "..", "..", "companions", "torch_cuda")):
        if os.path.isfile(os.path.join(folder, "all.cpp")):
            return os.path.abspath(folder)
    raise CannotBuild(f"{here}/share/torch_cuda, the source of the class, does not exist: install the wheel of Millpond again")


def own_headers() -> str:
    """The folder with millpond/cuda.h."""
    here = _library.home()
    for folder in (os.path.join(here, "include"), os.path.join(here, "..", "..", "..", "..", "include")):
        if os.path.isfile(os.path.join(folder, "millpond", "cuda.h")):
            return os.path.abspath(folder)
    raise CannotBuild(f"{here}/include/millpond/cuda.h does not exist: install the wheel of Millpond again")


def compiler() -> List[str]:
    """The C++ compiler and its first arguments: that of CXX, or the first of the usual names."""
    try:
        chosen = shlex.split(os.environ.get("CXX", ""))
    except ValueError as error:
        raise CannotBuild(f"invalid CXX {os.environ['CXX']!r}: {error}") from None
    if chosen:
        if shutil.which(chosen[0]) is None:
            raise CannotBuild(f"the compiler of CXX, {chosen[0]}, was not found")
        return chosen
    for name in COMPILERS:
        found = shutil.which(name)
        if found:
            return [found]
    raise CannotBuild(f"no C++ compiler was found (CXX, {', '.join(COMPILERS)}): install g++")


def cuda_headers(torch: Any) -> List[str]:
    """Folders with the headers of CUDA's runtime: of a toolkit, or of the packages that PyTorch needs."""
    packages = os.path.dirname(os.path.dirname(os.path.abspath(torch.__file__)))
    major = (torch.version.cuda or "").partition(".")[0]
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), f"/usr/local/cuda-{torch.version.cuda}", "/usr/local/cuda"]
    candidates = [os.path.join(root, "include") for root in roots if root]
    candidates += [os.path.join(packages, "nvidia", f"cu{major}", "include"), os.path.join(packages, "nvidia", "cuda_runtime", "include")]
    # Packages of CUDA 13 leave out a part that these have.
    rest = [os.path.join(packages, "triton", "backends", "nvidia", "include"), *glob.glob(os.path.join(packages, "nvidia", "*", "include"))]
    for folder in candidates:
        if not os.path.isfile(os.path.join(folder, "cuda_runtime.h")):
            continue
        if os.path.isfile(os.path.join(folder, "crt", "host_config.h")):
            return [folder]
        for other in rest:
            if os.path.isfile(os.path.join(other, "crt", "host_config.h")):
                return [folder, other]
    raise CannotBuild(
        f"CUDA's headers (cuda_runtime.h, crt/host_config.h) were not found: pip install nvidia-cuda-runtime triton, or set CUDA_HOME "
        f"to a toolkit of CUDA {torch.version.cuda}"
    )


def runtime_library() -> List[str]:
    """The C++ library that PyTorch uses in this process. Some compilers link a copy of their own, and two in one process do not mix."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        paths = [line.split(maxsplit=5)[5].strip() for line in file if "/libstdc++.so" in line]
    return paths[:1]


def compile_command(torch: Any) -> List[str]:
    """The command without its output file."""
    base = os.path.dirname(os.path.abspath(torch.__file__))
    headers = os.path.join(base, "include")
    if not os.path.isfile(os.path.join(headers, "c10", "cuda", "CUDACachingAllocator.h")):
        raise CannotBuild(f"PyTorch's headers are missing in {headers}")
    major, minor = version_of(torch.__version__)
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    include = [headers, os.path.join(headers, "torch", "csrc", "api", "include"), *cuda_headers(torch)]
    return [
        *compiler(),
        "-std=c++20" if (major, minor) >= (2, 12) else "-std=c++17",
        "-O2",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-w",
        f"-DMILLPOND_TORCH={major * 100 + minor}",
        f"-D_GLIBCXX_USE_CXX11_ABI={abi}",
        f"-I{own_headers()}",
        *(part for folder in include for part in ("-isystem", folder)),
        os.path.join(sources(), "all.cpp"),
        f"-L{os.path.join(base, 'lib')}",
        "-lc10",
        "-lc10_cuda",
        "-ltorch_cuda",
        *runtime_library(),
    ]


def key_of(torch: Any, command: List[str]) -> str:
    """A name that changes with everything that the result depends on."""
    digest = hashlib.sha256("\0".join(command).encode())
    digest.update(str(getattr(torch.version, "git_version", "")).encode())
    files = [os.path.join(sources(), name) for name in sorted(os.listdir(sources()))]
    for path in [*files, os.path.join(own_headers(), "millpond", "cuda.h")]:
        if path.endswith((".h", ".cpp")):
            with open(path, "rb") as file:
                digest.update(file.read())
    version = re.sub(r"[^0-9A-Za-z.+_-]", "_", torch.__version__)
    return f"torch-{version}-{platform.machine()}-{digest.hexdigest()[:16]}"


def folders() -> List[str]:
    """Where results are looked for and kept, in this order."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return [os.path.join(chosen, "torch_cuda")]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    # Right in the folder for temporary files, where nobody but its owner can rename it: who owned a folder between them could put
    # another library there after the look at its owner.
    temporary = os.path.join(tempfile.gettempdir(), f"millpond-torch_cuda-{os.getuid()}")
    return [os.path.join(cache, "millpond", "torch_cuda"), temporary]


def is_trusted(path: str) -> bool:
    """Whether it exists, and only this user or root can have changed it: a library from there is loaded."""
    try:
        about = os.stat(path)
    except OSError:
        return False
    return about.st_uid in (0, os.getuid()) and about.st_mode & 0o022 == 0


def make_own(folder: str) -> None:
    """Makes the folder if it does not exist; an error unless this user, and nobody else, can put files into it."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    about = os.stat(folder)
    if about.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "the folder belongs to another user")
    if about.st_mode & 0o022:
        raise PermissionError(errno.EPERM, "other users can write to the folder")
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def digest_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def is_whole(path: str) -> bool:
    """Whether the library is as it was built. Loading a truncated one ends the process."""
    try:
        with open(path + DIGEST, encoding="ascii") as file:
            return file.read() == digest_of(path)
    except (OSError, ValueError):
        return False


def remove_unfinished(place: str) -> None:
    """Removes files of processes that were killed during a build."""
    for name in os.listdir(place):
        if name.startswith(UNFINISHED):
            os.unlink(os.path.join(place, name))


@contextlib.contextmanager
def locked(path: str) -> Iterator[bool]:
    """Admits one process at a time and yields True. Without file locks it yields False: several may build, and each moves a complete file into place."""
    import fcntl

    with open(path, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            alone = True
        except OSError:
            alone = False
        yield alone


def build(command: List[str], place: str, path: str) -> None:
    """Puts the library and its digest into place. OSError if the disk is full or the folder cannot be written."""
    with unfinished(place) as made:
        try:
            done = subprocess.run([*command, "-o", made], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        except OSError as error:
            raise CannotBuild(f"the compiler {command[0]} cannot be started: {error.strerror or error}") from None
        if done.returncode != 0:
            if os.strerror(errno.ENOSPC) in done.stdout:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            log = os.path.join(place, "build.log")
            with open(log, "w") as file:
                file.write(shlex.join(command) + "\n" + done.stdout)
            first = next((line for line in done.stdout.splitlines() if "error" in line), f"the compiler returned {done.returncode}")
            raise CannotBuild(f"compiling the allocator class failed ({log}): {first.strip()}")
        if os.path.getsize(made) == 0:
            raise CannotBuild(f"the compiler {command[0]} reported success but made no library")
        with unfinished(place) as digest:
            with open(digest, "w", encoding="ascii") as file:
                file.write(digest_of(made))
            os.chmod(made, 0o755)
            # If the process ends between the two, the digest does not match, and the library is built again.
            os.replace(made, path)
            os.replace(digest, path + DIGEST)


@contextlib.contextmanager
def unfinished(place: str) -> Iterator[str]:
    """A file that is removed unless it was put into place."""
    handle, path = tempfile.mkstemp(dir=place, prefix=UNFINISHED)
    os.close(handle)
    try:
        yield path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
