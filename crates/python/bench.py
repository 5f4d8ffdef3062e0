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


def loop(statement, names):
    """A loop around a statement, as a script would have it."""
    body = "def run(times):\n    start = clock()\n    for _ in range(times):\n        {}\n    return clock() - start\n"
    names = {**names, "clock": time.perf_counter}
    exec(body.format(statement), names)
    return names["run"]


def timed(statements, names, times=20_000, rounds=100):
    """Nanoseconds of each statement, without the loop: the best of many short rounds, in turn, because others run too."""
    loops = [loop(statement, names) for statement in ["pass", *statements]]
    best = [float("inf")] * len(loops)
    for _ in range(rounds):
        for index, run in enumerate(loops):
            best[index] = min(best[index], run(times))
    empty, *rest = (nanoseconds / times * 1e9 for nanoseconds in best)
    return [nanoseconds - empty for nanoseconds in rest]


def main():
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    stream, _ = acl.rt.create_stream()
    host, _ = acl.rt.malloc_host(4096)
    block, _ = acl.rt.malloc(4096, 0)
    names = dict(nothing=_acl._millpond.nothing, empty=_acl._millpond.empty, malloc=acl.rt.malloc_align32)
    names.update(free=acl.rt.free, memcpy=acl.rt.memcpy, sync=acl.rt.synchronize_stream)
    names.update(stream=stream, host=host, block=block, acl=acl)

    statements = {
        "two calls without arguments and results": "nothing(); nothing()",
        "two calls of an empty function": "pointer, code = empty(1024, 0); pointer, code = empty(pointer, 0)",
        "malloc_align32 and free": "pointer, code = malloc(1024, 0); free(pointer)",
        "the same, written acl.rt.malloc_align32": "pointer, code = acl.rt.malloc_align32(1024, 0); acl.rt.free(pointer)",
        "memcpy of 64 bytes to the device": "memcpy(block, 4096, host, 64, 1)",
        "synchronize_stream, idle, lock let go": "sync(stream)",
    }
    bare, two, pair, *rest = timed(statements.values(), names)
    notes = ["", "", f"{pair / two:.2f} times the empty function (limit {LIMIT}), {pair / bare:.1f} times the one without"]
    rows = zip(statements, [bare, two, pair, *rest], notes + [""] * len(rest))
    for what, nanoseconds, note in rows:
        print(f"{what:42} {nanoseconds:8.1f} ns   {note}".rstrip())
    sys.exit(0 if pair <= LIMIT * two else "error: above the limit")


main()
