"""Writes the memory snapshot of one rank of a made-up training run: `snapshots.py RANK FILE`.

Ten steps, many events in each microsecond, blocks of forty source lines, and blocks that are older than the recording. The two ranks
need the same in some steps and not in others.
"""

import pickle
import random
import sys

rank, file = int(sys.argv[1]), sys.argv[2]
chance = random.Random(7)
BASE, SEGMENT = 0x7F00_0000_0000, 64 << 20
OWN = [{"filename": "/home/me/train.py", "name": "step", "line": 100 + line} for line in range(40)]
LIBRARY = {"filename": "/env/lib/python3.11/site-packages/torch/nn/functional.py", "name": "linear", "line": 5}


def event(action, address, size, time, frames=()):
    return {"action": action, "addr": BASE + address, "size": size, "stream": 0, "time_us": 1_700_000_000_000_000 + time,
            "frames": list(frames)}


events, marks, live, time = [event("segment_alloc", 0, SEGMENT, 0)], [], {}, 1
for step in range(10):
    marks.append({"device": 0, "time_us": 1_700_000_000_000_000 + time, "name": f"ProfilerStep#{step}", "stage": "START"})
    extra = rank if step % 3 == 1 else 0
    for number in range(120 + 40 * extra):
        slot = chance.randrange(200)
        time += number % 7 == 0
        address = slot << 16
        if address in live:
            size = live.pop(address)
            events.append(event("free_requested", address, size, time))
            events.append(event("free_completed", address, size, time))
        if chance.random() < 0.7:
            live[address] = 512 * chance.randrange(1, 100)
            events.append(event("alloc", address, live[address], time, [LIBRARY, OWN[slot % 40]]))
    time += 1
    marks.append({"device": 0, "time_us": 1_700_000_000_000_000 + time, "name": f"ProfilerStep#{step}", "stage": "END"})
    time += 1
    # Both ranks go on alike.
    chance = random.Random(step)

old = 4096
blocks, at = [], BASE
for address, size in sorted({**live, 0xFF_0000: old}.items()):
    if BASE + address > at:
        blocks.append({"address": at, "size": BASE + address - at, "requested_size": 0, "state": "inactive", "frames": []})
    frames = [LIBRARY, OWN[(address >> 16) % 40]]
    blocks.append({"address": BASE + address, "size": size, "requested_size": size, "state": "active_allocated", "frames": frames})
    at = BASE + address + size
blocks.append({"address": at, "size": BASE + SEGMENT - at, "requested_size": 0, "state": "inactive", "frames": []})
segment = {"device": 0, "address": BASE, "total_size": SEGMENT, "stream": 0, "segment_type": "large", "is_expandable": False,
           "blocks": blocks}
with open(file, "wb") as out:
    pickle.dump({"segments": [segment], "device_traces": [events], "allocator_settings": {}, "external_annotations": marks}, out)
