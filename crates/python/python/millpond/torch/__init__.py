"""Millpond's pool as PyTorch's allocator of CUDA memory.

    import torch
    import millpond.torch

    millpond.torch.enable()          # before the first tensor on a GPU
    ...
    print(millpond.torch.statistics())

An unchanged script: `python -m millpond.torch train.py`, or MILLPOND_TORCH=1 under `millpond run`. docs/cuda.md says what behaves
differently from PyTorch's own allocator.
"""

import importlib
import os
import sys
import threading
import warnings
from typing import Any, Dict, Optional, Union

from . import _build, _library
from ._options import Options

__all__ = ["Error", "enable", "form", "is_enabled", "memory_stats", "statistics"]

# The least version whose allocator interface the class is written for.
OLDEST = (2, 9)

_lock = threading.Lock()
# How the pool was installed: "class", "pluggable", or None.
_form: Optional[str] = None


class Error(RuntimeError):
    """The pool cannot be used. The message says why and what to do."""


def enable(
    *,
    limit: Union[int, str, None] = None,
    page_size: Union[int, str, None] = None,
    slack: Optional[int] = None,
    ahead: Optional[int] = None,
    windows: Optional[bool] = None,
    waits: Optional[str] = None,
    form: Optional[str] = None,
) -> None:
    """Makes PyTorch take its CUDA memory from Millpond's pool. Call it before the first tensor on a GPU.

    limit      the most bytes that each device may hold, such as 2**34 or "16GiB"; none by default
    page_size  the unit in which memory is taken from the device, a power of two from 2 MiB to 1 GiB; chosen by the library by default
    slack      how much more than the peak needs may be held before free pages are moved together, in thousandths
    ahead      how much more may be held while other streams have not finished their work, before a request waits for them, in thousandths
    windows    whether pages may be shown at a second address to avoid holding more memory; True by default
    waits      "watch": waits between streams are seen and memory is reused after them (default); "off": they are not
    form       "class": an allocator class that is compiled once for this PyTorch; "pluggable": PyTorch's pluggable interface, slower
               and without statistics; "auto" (default): the class, and without a compiler the pluggable form, with a warning

    What is not given comes from the variable MILLPOND_TORCH_OPTIONS, such as "limit=16GiB,windows=off".
    """
    options = Options.of(limit=limit, page_size=page_size, slack=slack, ahead=ahead, windows=windows, waits=waits, form=form)
    global _form
    with _lock:
        if _form is not None:
            raise Error("millpond.torch is enabled already: its options are set once per process")
        torch = _cuda_torch()
        library = _library.load()
        if options.form == "pluggable":
            _form = _install_pluggable(torch, library, options)
            _check_if_wanted(library)
            return
        try:
            extension = _class_for(torch)
        except _build.CannotBuild as error:
            if options.form == "class":
                raise Error(str(error)) from None
            _form = _install_pluggable(torch, library, options)
            _check_if_wanted(library)
            warnings.warn(
                f"millpond.torch uses PyTorch's pluggable allocator because {error}. It is slower, and statistics, snapshots, "
                "memory limits, MemPool, CUDA graphs and tensors shared between processes do not work",
                RuntimeWarning,
                stacklevel=2,
            )
            return
        _install_class(extension, options)
        _form = "class"
        _check_if_wanted(library)


def is_enabled() -> bool:
    """Whether PyTorch uses the pool in this process."""
    if _form == "class":
        return bool(_library.extension().millpond_torch_installed())
    return _form is not None


def form() -> Optional[str]:
    """How the pool is installed: "class", "pluggable", or None."""
    return _form


def statistics(device: Optional[int] = None) -> Dict[str, Any]:
    """What the pools of a device hold and did; sizes are in bytes. Numbers over time are dictionaries with current, peak, allocated and freed."""
    if _form is None:
        raise Error("millpond.torch is not enabled: call millpond.torch.enable() first")
    if device is None:
        device = sys.modules["torch"].cuda.current_device()
    return _library.statistics(_library.load(), device)


def memory_stats(device: Optional[int] = None) -> Dict[str, Any]:
    """torch.cuda.memory_stats, which works with the pluggable form too."""
    if _form == "class":
        return dict(sys.modules["torch"].cuda.memory_stats(device))
    return _library.memory_stats(statistics(device))


def _check_if_wanted(library: Any) -> None:
    """Under `millpond check`, operators are recorded with the memory that they use."""
    recording = getattr(library, "millpondCudaRecording", None)
    if recording is not None and recording() == 2:
        importlib.import_module("millpond.torch._check").start(library)


def _cuda_torch() -> Any:
    """The module torch, if it can use a GPU."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise Error(f"millpond.torch needs PyTorch, which cannot be imported: {error}") from error
    if getattr(torch.version, "hip", None):
        raise Error(f"millpond.torch needs PyTorch for CUDA; this one ({torch.__version__}) is for ROCm")
    if torch.version.cuda is None:
        raise Error(
            f"millpond.torch needs PyTorch for CUDA; this one ({torch.__version__}) has no CUDA. "
            "https://pytorch.org/get-started lists builds that have"
        )
    if torch.cuda.device_count() == 0:
        raise Error(
            "millpond.torch found no CUDA device: check that nvidia-smi lists one, that CUDA_VISIBLE_DEVICES does not hide it, "
            f"and that the driver is new enough for CUDA {torch.version.cuda}"
        )
    return torch


def _class_for(torch: Any) -> Any:
    """Builds the class's library if necessary, and loads it."""
    version = _build.version_of(torch.__version__)
    if version < OLDEST:
        raise _build.CannotBuild(f"the allocator class needs PyTorch {OLDEST[0]}.{OLDEST[1]} or newer, and this is {torch.__version__}")
    path = _build.library_for(torch)
    try:
        return _library.load_extension(path)
    except (OSError, AttributeError) as error:
        advice = f"set {_build.VARIABLE} to a folder from which libraries can be loaded"
        raise _build.CannotBuild(f"the allocator class cannot be loaded: {error}; {advice}") from None


def _install_class(extension: Any, options: Options) -> None:
    made = options.for_library()
    problem = extension.millpond_torch_install(made, options.limit_bytes, 1 if options.waits == "watch" else 0)
    if problem is not None:
        raise Error(problem.decode(errors="replace"))


def _install_pluggable(torch: Any, library: Any, options: Options) -> str:
    if options.limit is not None:
        raise Error("PyTorch's pluggable allocator has no limit: leave limit out, or install a C++ compiler for the class")
    # The library reads C's environment, which this sets, when the first block is allocated. Later words win.
    words = [os.environ.get("MILLPOND_CUDA_OPTIONS"), options.as_text()]
    os.environ["MILLPOND_CUDA_OPTIONS"] = ",".join(filter(None, words))
    made = torch.cuda.memory.CUDAPluggableAllocator(library._name, "millpondTorchCudaAlloc", "millpondTorchCudaFree")
    # Without this, record_stream would do nothing, and memory would be reused while it is in use.
    made.allocator().set_record_stream_fn(_library.address(library, "millpondCudaRecordUse"))
    try:
        torch.cuda.memory.change_current_allocator(made)
    except RuntimeError:
        raise Error(
            "CUDA was used before millpond.torch.enable() was called: call it before the first use of a GPU, best right after import torch"
        ) from None
    if options.waits == "watch":
        _library.watch(library)
    _forbid_graphs(torch)
    return "pluggable"


def _forbid_graphs(torch: Any) -> None:
    """A graph needs memory that nobody else gets, which the pluggable interface cannot promise."""

    def capture_begin(self: Any, *args: Any, **kwargs: Any) -> None:
        raise Error(
            "CUDA graphs cannot be captured with PyTorch's pluggable allocator: install a C++ compiler, so that millpond.torch can "
            "build the allocator class, or do not enable millpond.torch"
        )

    torch.cuda.CUDAGraph.capture_begin = capture_begin
