"""`cargo xtask bench python`: what calls of the module cost, beside calls that do nothing.

The limit: malloc_align32 and free together cost at most 2.5 times two calls of an empty function of the same extension.
The empty function takes the same arguments and gives the same answer, a tuple of an address and a code, with nothing in
between: Python's own objects are no cost of the module's. What a function without arguments and results costs is told, too.
"""

import sys
import time

import acl
from acl import _acl

LIMIT = 2.5


def best(run, times=200_000, rounds=15):
    """Nanoseconds of one turn, in the best of several rounds: the others had company."""
    return min(run(times) for _ in range(rounds)) / times * 1e9


def timed(statement, **names):
    """A loop around a statement, as a script would have it; the loop itself is not counted."""
    body = "def run(times):\n    start = clock()\n    for _ in range(times):\n        {}\n    return clock() - start\n"
    names["clock"] = time.perf_counter
    exec(body.format(statement), names)
    empty = dict(names)
    exec(body.format("pass"), empty)
    return best(names["run"]) - best(empty["run"], rounds=5)


def main():
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    stream, _ = acl.rt.create_stream()
    host, _ = acl.rt.malloc_host(4096)
    block, _ = acl.rt.malloc(4096, 0)
    names = dict(nothing=_acl._millpond.nothing, empty=_acl._millpond.empty, malloc=acl.rt.malloc_align32)
    names.update(free=acl.rt.free, memcpy=acl.rt.memcpy, sync=acl.rt.synchronize_stream)
    names.update(stream=stream, host=host, block=block, acl=acl)

    bare = timed("nothing(); nothing()", **names)
    two = timed("pointer, code = empty(1024, 0); pointer, code = empty(pointer, 0)", **names)
    pair = timed("pointer, code = malloc(1024, 0); free(pointer)", **names)
    rows = [
        ("two calls without arguments and results", bare, ""),
        ("two calls of an empty function", two, ""),
        ("malloc_align32 and free", pair, f"{pair / two:.2f} times the empty function (limit {LIMIT})"),
        ("the same, written acl.rt.malloc_align32", timed(
            "pointer, code = acl.rt.malloc_align32(1024, 0); acl.rt.free(pointer)", **names), ""),
        ("memcpy of 64 bytes to the device", timed("memcpy(block, 4096, host, 64, 1)", **names), ""),
        ("synchronize_stream, idle, lock let go", timed("sync(stream)", **names), ""),
    ]
    for what, nanoseconds, note in rows:
        print(f"{what:42} {nanoseconds:8.1f} ns   {note}".rstrip())
    sys.exit(0 if pair <= LIMIT * two else "error: above the limit")


main()
