"""Writes the snapshots of this folder: the shape of torch.cuda.memory._snapshot(), pickled with each protocol.

Frames are shared objects, as PyTorch makes them, so the pickles name them again from the memo. `recursive` is a frame that
is twice in one stack.
"""

import pickle
from pathlib import Path


def frame(name, line):
    return {"filename": "model.py", "name": name, "line": line}


def snapshot():
    main, step, recursive = frame("main", 10), frame("step", 20), frame("recursive", 30)
    long, short, none = [recursive, recursive, step, main], [step, main], []
    base = 0x7F00_0000_0000
    start = 1_700_000_000_000_000

    def event(action, address, size, time, frames, stream=0, **more):
        return {
            "action": action, "addr": base + address, "size": size, "stream": stream, "time_us": start + time,
            "compile_context": "N/A", "user_metadata": "", "frames": frames, **more,
        }

    first = [
        event("free_requested", 0x8000, 300, 0, short),
        event("free_completed", 0x8000, 300, 1, none),
        event("segment_alloc", 0x200000, 2 << 20, 2, long),
        event("alloc", 0x200000, 1000, 3, long),
        event("alloc", 0x200400, 2000, 5, short, stream=0xFFFF_FFFF_FFFF_FFF0),
        event("oom", 0, 1 << 40, 6, short, device_free=4096),
        event("free_requested", 0x200000, 1000, 8, none),
        event("free_completed", 0x200000, 1000, 9, none),
        event("snapshot", 0, 0, 10, none),
        event("a new action", 0, 0, 11, none),
    ]
    second = [event("alloc", 0, 64, 4, long), event("free_requested", 0, 64, 7, short)]

    def block(address, size, requested, state, frames):
        return {"address": base + address, "size": size, "requested_size": requested, "state": state, "frames": frames}

    segments = [
        {
            "device": 0, "address": base, "total_size": 2 << 20, "allocated_size": 512, "active_size": 512,
            "requested_size": 500, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False,
            "frames": none,
            "blocks": [block(0, 512, 500, "active_allocated", long), block(512, (2 << 20) - 512, 0, "inactive", none)],
        },
        {
            "device": 0, "address": base + 0x200000, "total_size": 2 << 20, "stream": 0, "segment_type": "large",
            "is_expandable": False, "frames": long,
            "blocks": [
                block(0x200000, 1024, 1000, "inactive", none),
                block(0x200400, 2048, 2000, "active_allocated", short),
            ],
        },
    ]
    return {
        "segments": segments,
        "device_traces": [first, [], second],
        "allocator_settings": {
            "PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:128", "max_split_size": 134217728,
            "expandable_segments": False, "garbage_collection_threshold": 0.0,
            "roundup_power2_divisions": {"1": 0, "2": 4},
        },
        "external_annotations": [
            {"device": 0, "time_us": start + 2, "name": "step 1", "stage": "START"},
            {"device": 0, "time_us": start + 9, "name": "step 1", "stage": "END"},
        ],
    }


folder = Path(__file__).parent
for protocol in range(6):
    (folder / f"snapshot{protocol}.pickle").write_bytes(pickle.dumps(snapshot(), protocol=protocol))
