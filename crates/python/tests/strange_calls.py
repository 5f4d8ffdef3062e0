"""Calls everything with whatever there is, in an order that a number chooses. Run by test_strange.py.

Left out is what reads memory at an address that the script names, and what could wait for ever.
"""

import random
import re
import sys

import test_every_function as table

import acl

WAITS = re.compile(
    r"synchronize|reset_device|destroy_stream|destroy_context|finalize|process_report|wait_event|dev_sync|"
    r"device_task_abort|op\.execute|execute_with_handle|mdl\.execute|op\.cast|set_stream_failure_mode"
)


class Strange:
    def __index__(self):
        raise RuntimeError("no number")

    def __bool__(self):
        raise RuntimeError("no truth")

    def __fspath__(self):
        return 5

    def __iter__(self):
        yield from (1, "two", None)


def main(seed):
    dice = random.Random(seed)
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    things = [
        None, True, 0, 1, -1, 2**31, 2**40, 2**64, -(2**63), 1.5, float("nan"), "", "text", "a\0b", "\udcff", b"bytes",
        [], [1], [1, 2, 3], ["a"], [[1, 2], [3]], (), {}, {"id": 0, "type": 1}, {"location": 5}, {1: 2}, object(),
        Strange(), len, lambda *_: None, range(3), [None], [2**70], [-1], "x" * 100_000, [1] * 1000,
    ]
    rows = [row for row in table.ROWS if row[0] not in table.DEREFERENCE and not WAITS.search(row[0])]
    rows = [row for row in rows if not row[0].startswith(("util.", "millpond.bytes", "millpond.close", "millpond.check"))]
    handles = [0]
    for _ in range(3000):
        name, how, parameters = dice.choice(rows)
        count = parameters.count(":") if how not in ("hand", "python") else parameters.split(")")[0].count(":")
        arguments = [dice.choice(handles) if dice.random() < 0.5 else dice.choice(things) for _ in range(count)]
        if dice.random() < 0.3 and how not in ("hand", "python"):
            arguments = table.arguments(parameters)
        print(name, file=sys.stderr)
        try:
            answer = table.find(name)(*arguments)
        except (TypeError, ValueError, OverflowError, RuntimeError, UnicodeError):
            continue
        finally:
            acl.get_recent_err_msg()
        first = answer[0] if isinstance(answer, tuple) else answer
        if isinstance(first, int) and first > 4096 and "mem" not in name and "malloc" not in name:
            handles.append(first)


main(int(sys.argv[1]))
print("survived")
