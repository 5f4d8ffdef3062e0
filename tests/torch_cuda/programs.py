"""Small programs that run with PyTorch's own allocator and with Millpond's pool, and must come to the same results.

    python programs.py own|pool|pluggable [PROGRAM...]     one line of JSON for each: its name, and its result or its error

A program is a function that returns what is compared. Names that begin with `_` in a result are for one of the two only: they are
shown, and judged by the tests. A program that needs kernels to compute is marked.
"""

import gc
import json
import os
import sys
import threading
import traceback

import torch

PROGRAMS = {}
NEED_KERNELS = set()


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def kernels(function):
    NEED_KERNELS.add(function.__name__)
    return program(function)


def filled(bytes, value):
    """Bytes on the device that a copy wrote, so that no kernel is needed."""
    return torch.full((bytes,), value, dtype=torch.uint8).cuda()


def holds(tensor, value):
    return bool((tensor.cpu() == value).all())


MIB = 1 << 20


# ---- statistics ----


@program
def statistics():
    sizes = [1, 511, 512, 513, 4096, 100_000, MIB, MIB + 1, 3 * MIB, 20 * MIB]
    blocks = [torch.empty(size, dtype=torch.uint8, device="cuda") for size in sizes]
    full = torch.cuda.memory_allocated()
    del blocks[::2]
    stats = torch.cuda.memory_stats()
    result = {
        "full": full,
        "half": torch.cuda.memory_allocated(),
        "peak": torch.cuda.max_memory_allocated(),
        # The peaks of the next four were asked for when they were there, by `memory_allocated`.
        "blocks": [stats[f"allocation.all.{field}"] for field in ("current", "peak", "allocated", "freed")],
        "bytes": [stats[f"allocated_bytes.all.{field}"] for field in ("current", "peak", "allocated", "freed")],
        "requested": [stats[f"requested_bytes.all.{field}"] for field in ("current", "peak", "allocated", "freed")],
        "active": [stats[f"active_bytes.all.{field}"] for field in ("current", "peak", "allocated", "freed")],
        "reserved is enough": stats["reserved_bytes.all.current"] >= stats["allocated_bytes.all.current"],
        "keys": sorted(key for key in stats if not key.startswith("oversize")),
        "ooms": stats["num_ooms"],
    }
    torch.cuda.reset_peak_memory_stats()
    result["peak after reset"] = torch.cuda.max_memory_allocated()
    torch.cuda.reset_accumulated_memory_stats()
    result["sum after reset"] = torch.cuda.memory_stats()["allocated_bytes.all.allocated"]
    blocks.clear()
    result["none"] = torch.cuda.memory_allocated()
    result["summary"] = len(torch.cuda.memory_summary().splitlines())
    return result


@program
def peaks():
    """Peaks that nobody queried while they lasted: the pool keeps the peaks of allocated and reserved bytes, and PyTorch's allocator all."""
    torch.cuda.reset_peak_memory_stats()
    blocks = [torch.empty(size, dtype=torch.uint8, device="cuda") for size in (1, 1000, MIB + 1, 20 * MIB)]
    blocks.clear()
    stats = torch.cuda.memory_stats()
    return {
        "allocated": stats["allocated_bytes.all.peak"],
        "reserved is enough": stats["reserved_bytes.all.peak"] >= stats["allocated_bytes.all.peak"],
        "_seen": {name: stats[f"{name}.all.peak"] for name in ("requested_bytes", "allocation", "active", "active_bytes")},
    }


@program
def empty_cache():
    block = filled(40 * MIB, 7)
    reserved = torch.cuda.memory_reserved() >= 40 * MIB
    del block
    torch.cuda.empty_cache()
    return {"held before": reserved, "held after": torch.cuda.memory_reserved()}


@program
def raw_blocks():
    stream = torch.cuda.Stream()
    before = torch.cuda.memory_allocated()
    block = torch.cuda.caching_allocator_alloc(1000, stream=stream)
    during = torch.cuda.memory_allocated() - before
    torch.cuda.caching_allocator_delete(block)
    try:
        torch.cuda.caching_allocator_delete(0x1234)
        wrong = "accepted"
    except RuntimeError as error:
        wrong = "invalid device pointer" in str(error)
    return {"during": during, "after": torch.cuda.memory_allocated() - before, "wrong pointer": wrong}


@program
def accelerator():
    module = getattr(torch, "accelerator", None)
    if module is None or not hasattr(module, "memory_allocated"):
        return {}
    block = torch.empty(5000, device="cuda")
    result = {"allocated": module.memory_allocated(), "equal": module.memory_allocated() == torch.cuda.memory_allocated()}
    del block
    return result


# ---- snapshots ----


@program
def snapshot():
    from torch.cuda import _memory_viz

    torch.cuda.memory._record_memory_history(stacks="python", max_entries=1000)
    try:
        kept = [torch.empty(size, dtype=torch.uint8, device="cuda") for size in (1000, 2 * MIB, 5 * MIB)]
        torch.empty(3000, device="cuda")
        found = torch.cuda.memory._snapshot()
    finally:
        torch.cuda.memory._record_memory_history(enabled=None)
    blocks = [block for segment in found["segments"] for block in segment["blocks"]]
    live = [block for block in blocks if block["state"] == "active_allocated"]
    frames = [frame["name"] for block in live for frame in block.get("frames", [])]
    actions = [entry["action"] for entry in found["device_traces"][0]]
    # PyTorch's own views must be able to read it. (Two others download a script that draws flames.)
    texts = [_memory_viz.segsum(found), _memory_viz.trace(found), _memory_viz.trace_plot(found), _memory_viz.segment_plot(found)]
    result = {
        "live": sorted(block["requested_size"] for block in live),
        "live bytes": sum(block["size"] for block in live) == torch.cuda.memory_allocated(),
        "has lines": "snapshot" in frames,
        "allocations": actions.count("alloc"),
        "frees": actions.count("free_requested"),
        "blocks fill segments": all(
            sum(block["size"] for block in segment["blocks"]) == segment["total_size"] for segment in found["segments"]
        ),
        "addresses": all(
            block["address"] >= segment["address"] for segment in found["segments"] for block in segment["blocks"] if "address" in block
        ),
        "views": all(bool(text) for text in texts),
    }
    del kept
    return result


# ---- streams ----


@kernels
def record_stream():
    """A side stream reads a tensor late, after the main stream freed it and wants memory of that size."""
    side = torch.cuda.Stream()
    right = []
    for round in range(8):
        source = torch.full((MIB,), float(round), device="cuda")
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            torch.cuda._sleep(2_000_000)
            copy = source * 1
        source.record_stream(side)
        del source
        others = [torch.full((MIB,), -1.0, device="cuda") for _ in range(4)]
        side.synchronize()
        right.append(bool((copy == round).all()))
        del others
    return {"right": right}


@kernels
def waits_between_streams():
    """Two streams hand buffers to each other with events, and the CPU runs ahead."""
    main, side = torch.cuda.current_stream(), torch.cuda.Stream()
    total = torch.zeros((), device="cuda", dtype=torch.float64)
    for round in range(200):
        with torch.cuda.stream(side):
            batch = torch.full((4 * MIB,), float(round % 7), device="cuda")
        main.wait_stream(side)
        # The GPU is slower than the CPU that gives it work.
        torch.cuda._sleep(400_000)
        total += batch[::4096].double().sum()
        batch.record_stream(main)
        del batch
        side.wait_stream(main)
    torch.cuda.synchronize()
    return {"total": total.item(), "_reserved": torch.cuda.max_memory_reserved(), "_allocated": torch.cuda.max_memory_allocated()}


@kernels
def stress():
    """Blocks that are written on one stream and read on another, in any order that is right, with streams that lag behind."""
    import random

    choose = random.Random(7)
    streams = [torch.cuda.current_stream(), *(torch.cuda.Stream() for _ in range(3))]
    live, counts = [], []
    for step in range(3000):
        writer = choose.choice(streams)
        with torch.cuda.stream(writer):
            if choose.random() < 0.1:
                torch.cuda._sleep(choose.randrange(300_000))
            block = torch.full((choose.choice([100, 5000, 70_000, 600_000]),), float(step), device="cuda")
        live.append((block, writer, float(step)))
        if len(live) > 25:
            block, writer, value = live.pop(choose.randrange(len(live)))
            reader = choose.choice(streams)
            reader.wait_stream(writer)
            with torch.cuda.stream(reader):
                counts.append((block != value).sum())
            # Two ways to keep the writer's stream from using the memory too early.
            if choose.random() < 0.5:
                block.record_stream(reader)
            else:
                writer.wait_stream(reader)
            del block
    torch.cuda.synchronize()
    wrong = sum(int(count) for count in counts)
    return {"wrong": wrong, "checked": len(counts), "_reserved": torch.cuda.max_memory_reserved()}


@program
def threads():
    """Threads with a stream each, and blocks that another thread frees."""
    wrong = []
    handed = []

    def work(number):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for round in range(60):
                value = (number * 60 + round) % 251
                block = filled(1000 * (1 + round % 9), value)
                if not holds(block, value):
                    wrong.append((number, round))
                handed.append(block)
                if len(handed) > 8:
                    handed.pop(0)

    all = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in all:
        thread.start()
    for thread in all:
        thread.join()
    handed.clear()
    return {"wrong": wrong, "left": torch.cuda.memory_allocated()}


# ---- private pools and graphs ----


@program
def mem_pool():
    pool = torch.cuda.MemPool()
    counts = [pool.use_count()]
    with torch.cuda.use_mem_pool(pool):
        counts.append(pool.use_count())
        inside = filled(3 * MIB, 5)
    outside = filled(3 * MIB, 6)
    counts.append(pool.use_count())
    segments = pool.snapshot()
    live = [block["requested_size"] for segment in segments for block in segment["blocks"] if block["state"] == "active_allocated"]
    address = inside.data_ptr()
    within = any(segment["address"] <= address < segment["address"] + segment["total_size"] for segment in segments)
    apart = not any(segment["address"] <= outside.data_ptr() < segment["address"] + segment["total_size"] for segment in segments)
    owner = {tuple(segment["segment_pool_id"]) == pool.id for segment in segments}
    right = holds(inside, 5) and holds(outside, 6)
    del inside
    del pool
    del outside
    gc.collect()
    torch.cuda.empty_cache()
    return {
        "counts": counts,
        "live": live,
        "within": within,
        "apart": apart,
        "owner": sorted(owner),
        "right": right,
        "left": torch.cuda.memory_allocated(),
        "held": torch.cuda.memory_reserved(),
    }


def live_in(segments):
    """What a snapshot says of live blocks: their sizes as asked for, and their bytes."""
    live = [block for segment in segments for block in segment["blocks"] if block["state"] == "active_allocated"]
    return sorted(block["requested_size"] for block in live), sum(block["size"] for block in live)


@program
def released_pool():
    """A private pool that nobody holds, with a tensor that lives on: it is seen until it goes, and its memory goes back then."""
    torch.cuda.empty_cache()
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        kept, gone = filled(3 * MIB, 5), filled(5 * MIB, 6)
    id = pool.id
    del pool, gone
    gc.collect()
    torch.cuda.empty_cache()
    segments = torch.cuda.memory_snapshot()
    sizes, bytes = live_in(segments)
    owners = [tuple(segment["segment_pool_id"]) for segment in segments if live_in([segment])[0]]
    result = {
        "live": sizes,
        "counted": bytes == torch.cuda.memory_allocated(),
        "owner": owners == [id],
        "right": holds(kept, 5),
    }
    del kept
    torch.cuda.empty_cache()
    return result | {"left": live_in(torch.cuda.memory_snapshot())[0], "held": torch.cuda.memory_reserved()}


@program
def checkpoint():
    """The blocks of a private pool become what they were: what compiled graphs do before a replay. The history has that too."""
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        kept = filled(2 * MIB, 1)
    state = torch._C._cuda_getCheckpointState(0, pool.id)
    with torch.cuda.use_mem_pool(pool):
        stale = filled(3 * MIB, 2)
    torch.cuda.memory._record_memory_history(stacks="python")
    try:
        owner = torch._C._construct_storage_from_data_pointer(kept.data_ptr(), kept.device, 2 * MIB)
        storages = [tensor.untyped_storage()._cdata for tensor in (kept, stale)]
        torch._C._cuda_setCheckpointPoolState(0, state, storages, [owner._cdata])
        found = torch.cuda.memory._snapshot()
    finally:
        torch.cuda.memory._record_memory_history(enabled=None)
    live, _ = live_in(found["segments"])
    actions = [entry["action"] for entry in found["device_traces"][0]]
    result = {
        "live": live,
        "allocated": torch.cuda.memory_allocated(),
        "right": holds(kept, 1),
        # PyTorch's own also takes and frees what it splits.
        "traced": actions.count("alloc") >= 1 and actions.count("free_completed") >= 2,
        "_actions": actions,
    }
    del kept, stale, owner
    return result | {"left": torch.cuda.memory_allocated()}


@kernels
def graph():
    torch.manual_seed(1)
    weight = torch.randn(512, 512, device="cuda")
    given = torch.randn(64, 512, device="cuda")

    def compute():
        hidden = torch.relu(given @ weight)
        # Frees and allocations during the capture.
        for _ in range(3):
            hidden = torch.tanh(hidden @ weight) + hidden
        return hidden.sum(dim=1)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        compute()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        out = compute()
    address = out.data_ptr()
    equal = []
    for round in range(5):
        given.copy_(torch.full_like(given, 0.01 * round))
        # What is allocated and written between replays must not meet the graph's memory.
        noise = [torch.full((64 * 512,), 9.0, device="cuda") for _ in range(20)]
        captured.replay()
        expected = compute()
        equal.append(bool(torch.equal(out, expected)))
        del noise
    same = out.data_ptr() == address
    del out
    captured.reset()
    del captured
    return {"equal": equal, "same address": same}


@kernels
def graphs_in_one_pool():
    given = torch.ones(1000, device="cuda")
    pool = torch.cuda.graph_pool_handle()
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(first, pool=pool):
        doubled = given * 2
    with torch.cuda.graph(second, pool=pool):
        sum = (doubled + 1).sum()
    results = []
    for value in (1.0, 3.0):
        given.fill_(value)
        first.replay()
        second.replay()
        results.append(sum.item())
    return {"results": results}


@kernels
def graphed_callables():
    torch.manual_seed(2)
    layer = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64)).cuda()
    sample = torch.randn(32, 64, device="cuda", requires_grad=True)
    eager = {name: parameter.detach().clone() for name, parameter in layer.state_dict().items()}
    graphed = torch.cuda.make_graphed_callables(layer, (sample,))
    torch.manual_seed(3)
    batches = [torch.randn(32, 64, device="cuda") for _ in range(6)]

    def train(model):
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        losses = []
        for batch in batches:
            optimiser.zero_grad(set_to_none=True)
            loss = (model(batch) - batch).square().mean()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        return losses

    first = train(graphed)
    layer.load_state_dict(eager)
    return {"losses": first}


@kernels
def graph_with_streams():
    """A capture that forks into a second stream, with record_stream inside."""
    given = torch.ones(MIB, device="cuda")
    captured = torch.cuda.CUDAGraph()
    side = torch.cuda.Stream()
    with torch.cuda.graph(captured):
        base = given * 3
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            left = base + 1
        base.record_stream(side)
        right = given + 2
        del base
        more = torch.zeros(MIB, device="cuda")
        torch.cuda.current_stream().wait_stream(side)
        out = left + right + more
    values = []
    for value in (1.0, 2.0):
        given.fill_(value)
        captured.replay()
        values.append([out.min().item(), out.max().item()])
    return {"values": values}


# ---- what asks the allocator ----


@kernels
def cudnn_benchmark():
    torch.manual_seed(4)
    layer = torch.nn.Conv2d(16, 32, 3, padding=1).cuda()
    image = torch.randn(8, 16, 64, 64, device="cuda")
    torch.backends.cudnn.benchmark = False
    plain = layer(image)
    torch.backends.cudnn.benchmark = True
    try:
        tuned = layer(image)
    finally:
        torch.backends.cudnn.benchmark = False
    return {"close": bool(torch.allclose(plain, tuned, atol=1e-2, rtol=1e-2))}


@program
def out_of_memory():
    observed = []
    torch._C._cuda_attach_out_of_memory_observer(lambda device, size, total, free: observed.append((device, size, total > 0)))
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(0.25)
    before = torch.cuda.memory_stats()["num_ooms"]
    texts = []
    for attempt in range(2):
        try:
            torch.empty(int(total * 0.5), dtype=torch.uint8, device="cuda")
            texts.append("accepted")
        except torch.OutOfMemoryError as error:
            texts.append(str(error).startswith("CUDA out of memory. Tried to allocate"))
    fraction = torch.cuda.get_per_process_memory_fraction()
    kept = filled(MIB, 3)
    right = holds(kept, 3)
    torch.cuda.set_per_process_memory_fraction(1.0)
    allowed = torch.empty(int(total * 0.3), dtype=torch.uint8, device="cuda")
    del allowed
    torch.cuda.empty_cache()
    return {
        "texts": texts,
        "ooms": torch.cuda.memory_stats()["num_ooms"] - before,
        "observed": len(observed),
        "fraction": fraction,
        "right": right,
    }


@program
def full_and_free():
    """Fills the allowed memory, frees every second block, and asks for blocks that fit only if freed memory is used again."""
    torch.cuda.set_per_process_memory_fraction(0.2)
    total = torch.cuda.get_device_properties(0).total_memory
    part = int(total * 0.2 / 12)
    blocks = []
    while len(blocks) < 64:
        try:
            blocks.append(torch.empty(part, dtype=torch.uint8, device="cuda"))
        except torch.OutOfMemoryError:
            break
    count = len(blocks)
    del blocks[::2]
    again = [torch.empty(part, dtype=torch.uint8, device="cuda") for _ in range(count // 2)]
    fits = len(again) == count // 2
    del blocks, again
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(1.0)
    return {"several": count > 6, "fits": fits}


@kernels
def training():
    torch.manual_seed(5)
    model = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True, dropout=0.1), 2, enable_nested_tensor=False
    ).cuda()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for step in range(25):
        length = 16 + step * 7 % 48
        batch = torch.randn(8, length, 128, device="cuda")
        optimiser.zero_grad(set_to_none=step % 2 == 0)
        loss = (model(batch) - batch).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return {"losses": losses}


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((1000,), index, dtype=torch.uint8)


@program
def data_loader():
    """Workers are forked after CUDA was initialised; batches are pinned by a thread."""
    torch.empty(1, device="cuda")
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=2, pin_memory=True)
    wrong = 0
    for number, batch in enumerate(loader):
        there = batch.to("cuda", non_blocking=True)
        wrong += not holds(there, torch.arange(8 * number, 8 * number + 8, dtype=torch.uint8)[:, None].expand(8, 1000))
    return {"wrong": wrong}


@kernels
def profiler():
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
        block = torch.empty(MIB, dtype=torch.uint8, device="cuda")
        del block
    events = [event for event in found.events() if event.name == "[memory]"]
    return {"memory events": bool(events) or any(event.device_memory_usage for event in found.events())}


@program
def fork():
    """A forked process drops its parent's tensors, and cannot use CUDA itself."""
    block = filled(MIB, 1)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            del block
            gc.collect()
            torch.empty(10, device="cuda")
            text = "accepted"
        except RuntimeError as error:
            text = str(error)[:60]
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    said = os.read(read, 1000).decode()
    _, status = os.waitpid(child, 0)
    return {"said": said, "status": status, "right": holds(block, 1)}


# ---- the runner ----


def start(form):
    """Enables the pool, unless PyTorch's own allocator is wanted."""
    if form != "own":
        import millpond.torch

        millpond.torch.enable(form="class" if form == "pool" else form)


def main():
    form, names = sys.argv[1], sys.argv[2:]
    torch.use_deterministic_algorithms(True)
    start(form)
    torch.cuda.init()
    # Libraries take their workspaces from the allocator at the first use; both forms get them before anything is counted.
    for name in names or PROGRAMS:
        gc.collect()
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        if form != "pluggable":
            torch.cuda.reset_peak_memory_stats()
            torch.cuda.reset_accumulated_memory_stats()
        try:
            line = {"program": name, "result": PROGRAMS[name]()}
        except Exception as error:
            line = {"program": name, "error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
