"""`cargo xtask bench python`: what calls of the module cost, beside a call that does nothing.

The limit: malloc_align32 and free together cost at most 2.5 times two calls of an empty function of the same extension.
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
    names = dict(rt=acl.rt, nothing=_acl._millpond.nothing, malloc=acl.rt.malloc_align32, free=acl.rt.free)
    names.update(stream=stream, host=host, block=block, acl=acl, memcpy=acl.rt.memcpy, sync=acl.rt.synchronize_stream)
    two = timed("nothing(); nothing()", **names)
    pair = timed("pointer, code = malloc(1024, 0); free(pointer)", **names)
    print(f"two calls of an empty function           {two:8.1f} ns")
    print(f"malloc_align32 and free                  {pair:8.1f} ns   {pair / two:.2f} times (limit {LIMIT})")
    dotted = timed("pointer, code = acl.rt.malloc_align32(1024, 0); acl.rt.free(pointer)", **names)
    print(f"the same, written acl.rt.malloc_align32  {dotted:8.1f} ns")
    print(f"memcpy of 64 bytes to the device         {timed('memcpy(block, 4096, host, 64, 1)', **names):8.1f} ns")
    print(f"synchronize_stream, idle (lock let go)   {timed('sync(stream)', **names):8.1f} ns")
    sys.exit(0 if pair <= LIMIT * two else "error: above the limit")


main()
