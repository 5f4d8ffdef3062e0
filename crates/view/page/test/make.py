"""Writes the snapshots of this folder: a small transformer in training, as torch.cuda.memory._snapshot() shows it.

`before` keeps every loss with its graph's memory (a leak) and does not recompute; `after` frees the losses and recomputes activations.
`ranks` has four devices, of which the first holds more. The allocator is a simple one: best fit in segments, blocks are split.
"""

import gzip
import pickle
import random
from pathlib import Path

MIB = 1 << 20
LIBRARY = "/opt/env/lib/python3.11/site-packages/torch/"
TRAIN, MODEL = "/home/me/llm/train.py", "/home/me/llm/model.py"


class Frames:
    def __init__(self):
        self.known = {}

    def stack(self, *frames):
        """The innermost frame first. Equal frames are one object, as PyTorch makes them."""
        return [
            self.known.setdefault(frame, {"filename": frame[0], "line": frame[1], "name": frame[2]}) for frame in frames
        ]


class Device:
    def __init__(self, frames, number):
        self.frames, self.number = frames, number
        self.time, self.events = 1_700_000_000_000_000 + number * 900, []
        self.next, self.free = 0x7F20_0000_0000 + number * 0x100_0000_0000, []
        self.segments, self.live = [], {}

    def event(self, action, address, size, stack, stream=0):
        self.time += random.randint(1, 9)
        self.events.append({
            "action": action, "addr": address, "size": size, "stream": stream, "time_us": self.time,
            "compile_context": "N/A", "user_metadata": "", "frames": stack,
        })

    def alloc(self, size, stack, stream=0):
        size = (size + 511) // 512 * 512
        fitting = [(bytes, start) for start, bytes in self.free if bytes >= size]
        if fitting:
            bytes, start = min(fitting)
            self.free.remove((start, bytes))
        else:
            bytes = max((size + 2 * MIB - 1) // (2 * MIB) * 2 * MIB, 20 * MIB)
            start, self.next = self.next, self.next + bytes + 2 * MIB
            self.event("segment_alloc", start, bytes, stack)
            self.segments.append((start, bytes, stack))
        if bytes > size:
            self.free.append((start + size, bytes - size))
        self.event("alloc", start, size, stack, stream)
        self.live[start] = (size, stack)
        return start

    def release(self, start):
        size, _ = self.live.pop(start)
        self.event("free_requested", start, size, [])
        self.event("free_completed", start, size, [])
        self.free.append((start, size))
        self.free.sort()
        merged = []
        ends = {start + bytes for start, bytes, _ in self.segments}
        for start, bytes in self.free:
            if merged and sum(merged[-1]) == start and start not in ends:
                merged[-1] = (merged[-1][0], merged[-1][1] + bytes)
            else:
                merged.append((start, bytes))
        self.free = merged

    def snapshot_segments(self):
        for start, bytes, stack in self.segments:
            inside = sorted(
                [(at, size, "active_allocated", frames) for at, (size, frames) in self.live.items()]
                + [(at, size, "inactive", []) for at, size in self.free]
            )
            yield {
                "device": self.number, "address": start, "total_size": bytes, "stream": 0, "segment_type": "large",
                "is_expandable": False, "frames": stack,
                "blocks": [
                    {"address": at, "size": size, "requested_size": size, "state": state, "frames": frames}
                    for at, size, state, frames in inside if start <= at < start + bytes
                ],
            }


def train(device, layers, steps, leaks, recomputes, scale=1.0):
    stack = device.frames.stack
    main = (TRAIN, 104, "<module>")
    size = lambda mib: int(mib * MIB * scale)
    build = [(MODEL, 31, "__init__"), (MODEL, 72, "build"), (TRAIN, 41, "main"), main]
    linear = (LIBRARY + "nn/modules/linear.py", 114, "__init__")
    for layer in range(layers):
        for mib, line in ((6, 31), (2, 33), (8, 36), (8, 37)):
            device.alloc(size(mib), stack(linear, (MODEL, line, "__init__"), *build[1:]))
    embedding = device.alloc(size(24), stack((LIBRARY + "nn/modules/sparse.py", 142, "__init__"), (MODEL, 64, "__init__"), *build[1:]))
    assert embedding
    moments = []
    for step in range(steps):
        step_frames = [(TRAIN, 79, "step"), (TRAIN, 96, "main"), main]
        run = (LIBRARY + "nn/modules/module.py", 1747, "_call_impl")
        kept, tokens = [], 0.85 + 0.3 * ((step * 5) % 7) / 7
        for layer in range(layers):
            block = [(MODEL, 58, "forward"), run, (MODEL, 80, "forward"), run, *step_frames]
            attention = device.alloc(size(5 * tokens), stack((LIBRARY + "nn/functional.py", 5912, "scaled_dot_product_attention"), (MODEL, 44, "attention"), *block))
            scratch = device.alloc(size(9 * tokens), stack((LIBRARY + "nn/functional.py", 2100, "softmax"), (MODEL, 45, "attention"), *block), stream=layer % 2)
            hidden = device.alloc(size(12 * tokens), stack((LIBRARY + "nn/functional.py", 1702, "gelu"), (MODEL, 51, "mlp"), *block))
            device.release(scratch)
            if recomputes:
                device.release(hidden)
                kept.append([attention])
            else:
                kept.append([attention, hidden])
        loss = device.alloc(size(1.5), stack((LIBRARY + "nn/functional.py", 3494, "cross_entropy"), (TRAIN, 80, "loss"), *step_frames))
        gradients = []
        for layer in reversed(range(layers)):
            back = [(LIBRARY + "_tensor.py", 648, "backward"), (TRAIN, 83, "step"), (TRAIN, 96, "main"), main]
            for block in kept[layer]:
                gradient = device.alloc(size(3 * tokens), stack(*back))
                device.release(block)
                device.release(gradient)
            gradients.append(device.alloc(size(24), stack((LIBRARY + "autograd/graph.py", 829, "_engine_run_backward"), *back)))
        if step == 0:
            adam = [(LIBRARY + "optim/adam.py", 175, "_init_group"), (LIBRARY + "optim/optimizer.py", 493, "wrapper"), (TRAIN, 85, "step"), (TRAIN, 96, "main"), main]
            moments = [device.alloc(size(24), stack(*adam)) for _ in range(2 * layers)]
        for gradient in gradients:
            device.release(gradient)
        if not leaks:
            device.release(loss)
        device.time += 4000
    return moments


def snapshot(devices, frames):
    start = min(device.events[0]["time_us"] for device in devices)
    end = max(device.time for device in devices)
    steps = [
        {"device": 0, "time_us": start + (end - start) * step // 8, "name": f"ProfilerStep#{step}", "stage": stage}
        for step in range(8) for stage in ("START",)
    ]
    return {
        "segments": [segment for device in devices for segment in device.snapshot_segments()],
        "device_traces": [device.events for device in devices],
        "allocator_settings": {"expandable_segments": False},
        "external_annotations": steps,
    }


def write(name, runs):
    random.seed(7)
    frames = Frames()
    devices = []
    for number, run in enumerate(runs):
        device = Device(frames, number)
        train(device, **run)
        devices.append(device)
    text = pickle.dumps(snapshot(devices, frames), protocol=4)
    (Path(__file__).parent / f"{name}.pickle.gz").write_bytes(gzip.compress(text, 9, mtime=0))


whole = {"layers": 8, "steps": 14, "leaks": True, "recomputes": False}
write("before", [whole])
write("after", [{**whole, "leaks": False, "recomputes": True}])
write("ranks", [{**whole, "leaks": False, "scale": scale} for scale in (1.4, 1.0, 0.95, 1.05)])
