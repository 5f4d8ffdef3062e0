"""What PyTorch's operators read and write on CUDA, for `millpond check`.

The library sees blocks, events and waits by itself. What work does with memory only PyTorch knows, so a dispatch mode looks at the
arguments and results of every operator. Its schema says which of them it writes. An operator is recorded on the stream that is
current when it is called: what it reads and overwrites before the call, because a call may wait for the device itself, and what
it created after it. A mode belongs to a thread: every thread that is started with `threading` gets one of its own.

A custom operator must say in its schema what it writes, as PyTorch demands. Memory that a library uses behind an operator
(workspaces of cuBLAS, buffers of NCCL) is not seen.
"""

import ctypes
import importlib
import threading
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional

# Where the package is checked, PyTorch is not installed.
torch: Any = importlib.import_module("torch")
Mode: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode

EVERYTHING = 2  # of millpondCudaRecording: work is recorded, too

# Operators that create a tensor and write nothing to it, or that only say something of one.
SILENT = frozenset(
    f"aten::{name}"
    for name in (
        "empty",
        "empty_like",
        "empty_strided",
        "empty_permuted",
        "new_empty",
        "new_empty_strided",
        "is_pinned",
        "is_same_size",
        "record_stream",
        "resize_",
        "set_",
        "sym_numel",
        "sym_size",
        "sym_storage_offset",
        "sym_stride",
    )
)


class Span(ctypes.Structure):
    """millpondCudaSpan."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("start", "width", "pitch", "rows")]


def span(tensor: Any) -> Span:
    """The bytes of a tensor: one range, or rows at a constant distance. Anything else is the range from its first byte to its last."""
    size = tensor.element_size()
    dimensions = sorted((stride * size, count) for stride, count in zip(tensor.stride(), tensor.shape) if count > 1)
    last = sum(stride * (count - 1) for stride, count in dimensions)
    width = size
    while dimensions and dimensions[0][0] <= width:
        stride, count = dimensions.pop(0)
        width += stride * (count - 1)
    if dimensions:
        pitch, rows = dimensions.pop(0)
        while dimensions and dimensions[0][0] == pitch * rows:
            rows *= dimensions.pop(0)[1]
        if not dimensions:
            return Span(tensor.data_ptr(), width, pitch, rows)
    return Span(tensor.data_ptr(), last + size, last + size, 1)


def tensors(value: Any, device: str) -> Iterator[Any]:
    """The tensors with memory on this kind of device in an argument or a result."""
    if isinstance(value, torch.Tensor):
        if value.device.type == device and value.layout == torch.strided and value.numel():
            yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors(item, device)


def current_stream(device: Optional[int]) -> int:
    return int(torch.cuda.current_stream(device).cuda_stream)


class Schema:
    """Which arguments an operator reads and writes, and which of its results are new."""

    def __init__(self, schema: Any) -> None:
        self.name: str = schema.name
        writes = {argument.name: argument.alias_info is not None and argument.alias_info.is_write for argument in schema.arguments}
        self.names = list(writes)
        self.writes = writes
        self.fresh = [result.alias_info is None for result in schema.returns]
        # A view of an argument: nothing runs on the device.
        views = any(result.alias_info is not None and not result.alias_info.is_write for result in schema.returns)
        self.silent = views or schema.name in SILENT


class Accesses(Mode):  # type: ignore[misc]
    def __init__(self, library: Any, device: str = "cuda", stream: Callable[[Optional[int]], int] = current_stream) -> None:
        super().__init__()
        self.library, self.device, self.stream = library, device, stream
        self.schemas: Dict[Any, Schema] = {}

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        schema = self.schemas.get(function)
        if schema is None:
            schema = self.schemas[function] = Schema(function._schema)
        if schema.silent:
            return function(*args, **kwargs)
        reads: List[Any] = []
        writes: List[Any] = []
        for name, value in (*zip(schema.names, args), *kwargs.items()):
            (writes if schema.writes.get(name) else reads).extend(tensors(value, self.device))
        self.record(schema.name, reads, writes)
        result = function(*args, **kwargs)
        results = result if isinstance(result, tuple) and len(schema.fresh) > 1 else (result,)
        known = {tensor.data_ptr() for tensor in (*reads, *writes)}
        created = [tensor for fresh, value in zip(schema.fresh, results) if fresh for tensor in tensors(value, self.device)]
        # An operator may return its argument where its schema promises a new tensor.
        self.record(schema.name, [], [tensor for tensor in created if tensor.data_ptr() not in known])
        return result

    def record(self, name: str, reads: List[Any], writes: List[Any]) -> None:
        devices = {tensor.device.index for tensor in (*reads, *writes)}
        for device in devices:
            spans: List[Any] = []
            for group in (reads, writes):
                there = [span(tensor) for tensor in group if tensor.device.index == device]
                spans += [(Span * len(there))(*there), ctypes.c_size_t(len(there))]
            self.library.millpondCudaWork(device, ctypes.c_void_p(self.stream(device)), name.encode(), *spans)


def watch_threads(make: Callable[[], Any]) -> Callable[[], None]:
    """Has each thread that `threading` starts from now on run inside what `make` returns; the result ends that."""
    begin = threading.Thread.start

    def start(self: threading.Thread) -> None:
        run = self.run

        def inside() -> None:
            vars(self).pop("run", None)
            with make():
                run()

        # Found before the `run` of its class.
        self.run = inside  # type: ignore[method-assign]
        try:
            begin(self)
        except BaseException:
            vars(self).pop("run", None)
            raise

    def end() -> None:
        threading.Thread.start = begin  # type: ignore[method-assign]

    threading.Thread.start = start  # type: ignore[method-assign]
    return end


def warn_of_unseen_threads() -> None:
    """A mode cannot be given to a thread that runs already."""
    own = threading.current_thread()
    names = [thread.name for thread in threading.enumerate() if thread is not own]
    if names:
        warnings.warn(
            f"millpond check does not see the operators of threads that were started before millpond.torch.enable(): {', '.join(names)}. "
            "Call it before they start",
            RuntimeWarning,
            stacklevel=2,
        )


_mode: Optional[Accesses] = None


def start(library: Any) -> bool:
    """Records accesses from now on, if `millpond check` wants them. Returns whether it does."""
    global _mode
    if _mode is None and library.millpondCudaRecording() == EVERYTHING:
        warn_of_unseen_threads()
        _mode = Accesses(library)
        _mode.__enter__()
        watch_threads(lambda: Accesses(library))
    return _mode is not None
