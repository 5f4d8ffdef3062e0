"""What an allocation and its free cost inside PyTorch, for `run.py`: from C++, from threads, and from Python."""

import ctypes
import time

SIZES = (512, 1 << 20, 16 << 20)
THREADS = (1, 8)
# How long one measurement of threads should take, in nanoseconds; a step is a free and an allocation.
LONG = 0.3e9


def measure(torch, device, tiny):
    """Lines as `cpp/latency.c` prints them: what was measured, with which size or how many threads, and nanoseconds."""
    lines = []
    if device == "cuda":
        torch.empty(1, device=device)
        lines += from_cpp(extension(torch), tiny)
    return lines + from_python(torch, device, tiny)


def extension(torch):
    """The library of the allocator class. Its functions measure the allocator that PyTorch uses, whichever that is."""
    from millpond.torch import _build, _library

    _library.load()
    return _library.extension() or _library.load_extension(_build.library_for(torch))


def from_cpp(library, tiny):
    lines = []
    spent = ctypes.c_double()

    def call(function, *arguments):
        problem = function(*arguments, ctypes.byref(spent))
        if problem is not None:
            raise RuntimeError(problem.decode(errors="replace"))
        return spent.value

    pairs = 100 if tiny else 100_000
    for bytes in SIZES:
        call(library.millpond_torch_time_pairs, bytes, pairs // 10)
        best = min(call(library.millpond_torch_time_pairs, bytes, pairs) for _ in range(5))
        lines.append({"what": "pair, PyTorch from C++", "bytes": bytes, "ns": round(best, 1)})
    for threads in THREADS:
        steps = 100 if tiny else 2000
        first = call(library.millpond_torch_time_threads, threads, steps)
        if not tiny:
            steps = int(min(max(LONG / (2 * first), 1000), 1_000_000))
        best = min(call(library.millpond_torch_time_threads, threads, steps) for _ in range(3))
        lines.append({"what": "mix, PyTorch from C++", "threads": threads, "ns": round(best, 1)})
    return lines


def from_python(torch, device, tiny):
    lines = []
    pairs = 10 if tiny else 20_000
    for bytes in SIZES:
        best = min(python_pairs(torch, device, bytes, pairs) for _ in range(5))
        lines.append({"what": "pair, PyTorch from Python", "bytes": bytes, "ns": round(best, 1)})
    best = min(python_mix(torch, device) for _ in range(1 if tiny else 5))
    lines.append({"what": "mix, PyTorch from Python", "threads": 1, "ns": round(best, 1)})
    return lines


def python_pairs(torch, device, bytes, pairs):
    begin = time.perf_counter_ns()
    for _ in range(pairs):
        torch.empty(bytes, dtype=torch.uint8, device=device)
    return (time.perf_counter_ns() - begin) / pairs


def python_mix(torch, device):
    """A thousand live tensors of mixed sizes; each is replaced."""
    live = [None] * 1000
    sizes = [(512 << (index * 7 % 13)) for index in range(1000)]
    for _ in range(2):
        begin = time.perf_counter_ns()
        for index in range(1000):
            live[index * 617 % 1000] = torch.empty(sizes[index], dtype=torch.uint8, device=device)
        spent = (time.perf_counter_ns() - begin) / 1000
    return spent
