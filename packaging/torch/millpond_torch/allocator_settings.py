"""Lets torch_npu register its allocator settings beside those of a torch with CUDA.

From 2.10 on PyTorch keeps one set of names of allocator settings, and ends the process when a name is registered twice. Two names
(`pinned_reserve_segment_size_mb`, `per_process_memory_fraction`) are registered by libc10_cuda and, in most builds, by libtorch_npu.
While `torch_npu._C` is loaded, names that are not PyTorch's own are hidden: their first byte is changed in place, so that no other
name equals them. Those that torch_npu did not register itself come back afterwards. Settings are parsed as before.

Where the set does not look as expected, nothing is changed, and a note says so: the import may then abort.
"""

import contextlib
import ctypes
import sys

_COMMON = {
    b"max_split_size_mb", b"max_non_split_rounding_mb", b"garbage_collection_threshold", b"roundup_power2_divisions", b"expandable_segments",
    b"pinned_use_background_threads",
}
# c10::CachingAllocator::AcceleratorAllocatorConfig::getMutableKeys() and, in 2.10, the variable inside it: with and without the
# mark that some compilers put on functions that return strings.
_KEYS = "3c1016CachingAllocator26AcceleratorAllocatorConfig14getMutableKeys"
_FUNCTIONS = (f"_ZN{_KEYS}B5cxx11Ev", f"_ZN{_KEYS}Ev")
_VARIABLES = (f"_ZZN{_KEYS}B5cxx11EvE4keysB5cxx11", f"_ZZN{_KEYS}B5cxx11EvE4keys", f"_ZZN{_KEYS}EvE4keys")
_MOST = 64
_HIDDEN = b"\x01"


class _Nodes:
    """The nodes of a `std::unordered_set<std::string>` of libstdc++: next node, then the string: pointer, length, short text."""

    def __init__(self, address):
        self.first, self.count = self._words(address + 16, 2)

    @staticmethod
    def _words(address, count):
        return list((ctypes.c_uint64 * count).from_address(address))

    def read(self):
        """Each name with the address of its first byte; `None` if this is not such a set."""
        found, node = [], self.first
        if self.count == 0 and self.first == 0:
            return found
        if not 0 < self.count <= _MOST:
            return None
        while node:
            if len(found) == self.count:
                return None
            following, text, length = self._words(node, 3)
            if not 0 < length < 256 or not text:
                return None
            found.append((ctypes.string_at(text, length), text))
            node = following
        return found if len(found) == self.count else None


def _address():
    """Where the set is; `None` in versions that have none."""
    try:
        library = ctypes.CDLL("libc10.so", mode=ctypes.RTLD_GLOBAL | 4)  # RTLD_NOLOAD
    except OSError:
        return None
    for name in _FUNCTIONS:
        if hasattr(library, name):
            function = getattr(library, name)
            function.restype = ctypes.c_void_p
            return function()
    for name in _VARIABLES:
        with contextlib.suppress(ValueError):
            return ctypes.addressof(ctypes.c_char.in_dll(library, name))
    return None


def _names():
    address = _address()
    found = _Nodes(address).read() if address else None
    # PyTorch 2.9 has the set and nobody registers anything.
    if found == []:
        return found
    if found is None or not _COMMON <= {name for name, _ in found}:
        return None
    return found


def _write(address, byte):
    ctypes.memmove(address, byte, 1)


@contextlib.contextmanager
def hidden():
    """Hides names that are not PyTorch's own while the module is loaded."""
    names = _names()
    if names is None and _address():
        print("millpond: this PyTorch keeps the names of allocator settings in an unknown form; if the import of torch_npu aborts now, "
              "that is why (millpond_torch/allocator_settings.py)", file=sys.stderr)
    others = [(name, text) for name, text in names or [] if name not in _COMMON]
    for _, text in others:
        _write(text, _HIDDEN)
    try:
        yield
    finally:
        # A set that torch_npu has enlarged has other nodes first, but the strings stay where they are.
        now = {name for name, _ in _names() or []}
        for name, text in others:
            if name not in now:
                _write(text, name[:1])
