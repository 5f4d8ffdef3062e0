"""Programs that need a process of their own: python special.py PROGRAM [own|pool]. Each prints one line of JSON."""

import ctypes
import json
import os
import sys
import threading

import torch


def start(form):
    if form != "own":
        import millpond.torch

        millpond.torch.enable(form="class" if form == "pool" else form)


def too_late(form):
    """PyTorch's own allocator has given out memory before."""
    import millpond.torch

    block = torch.full((1000,), 3, dtype=torch.uint8).cuda()
    try:
        millpond.torch.enable()
        text = "accepted"
    except millpond.torch.Error as error:
        text = str(error)
    return {"text": text, "enabled": millpond.torch.is_enabled(), "right": bool((block.cpu() == 3).all())}


def after_init(form):
    """PyTorch was initialised, but nothing was allocated: that is early enough."""
    import millpond.torch

    torch.cuda.init()
    torch.cuda.current_device()
    millpond.torch.enable(form="class")
    block = torch.full((1000,), 3, dtype=torch.uint8).cuda()
    used = millpond.torch.statistics()["used_bytes"]["current"]
    return {"used": used, "allocated": torch.cuda.memory_allocated(), "right": bool((block.cpu() == 3).all())}


def after_another_allocator(form):
    """The program has given PyTorch an allocator of its own."""
    import millpond.torch
    from millpond.torch import _library

    library = _library.load()
    other = torch.cuda.memory.CUDAPluggableAllocator(library._name, "millpondTorchCudaAlloc", "millpondTorchCudaFree")
    torch.cuda.memory.change_current_allocator(other)
    said = []
    for wanted in ("class", "pluggable"):
        try:
            millpond.torch.enable(form=wanted)
            said.append("accepted")
        except millpond.torch.Error as error:
            said.append(str(error))
    block = torch.full((1000,), 3, dtype=torch.uint8).cuda()
    return {"said": said, "enabled": millpond.torch.is_enabled(), "right": bool((block.cpu() == 3).all())}


def forked_before_use(form):
    """A child uses CUDA, which its parent has not done yet, and makes a mistake that `millpond check` finds."""
    # As on a machine where NVIDIA's management library reports the count, which does not start CUDA.
    torch.cuda._device_count_nvml = lambda: 1
    start(form)
    child = os.fork()
    block = torch.full((1000,), 3, dtype=torch.uint8).cuda()
    if child == 0:
        with torch.cuda.stream(torch.cuda.Stream()):
            block.add_(1)
        sys.exit(0)
    status = os.waitpid(child, 0)[1]
    return {"status": status, "child": child, "parent": os.getpid(), "right": bool((block.cpu() == 3).all())}


def pluggable_without_memory(form):
    """A request that the pluggable form cannot serve is PyTorch's error, and the program goes on."""
    import millpond.torch

    millpond.torch.enable(form="pluggable")
    kept = torch.full((1 << 20,), 3, dtype=torch.uint8).cuda()
    try:
        torch.empty(2 * torch.cuda.mem_get_info()[1], dtype=torch.uint8, device="cuda")
        text = "accepted"
    except RuntimeError as error:
        text = str(error)
    more = torch.full((1 << 20,), 4, dtype=torch.uint8).cuda()
    return {"text": text, "right": bool((kept.cpu() == 3).all() and (more.cpu() == 4).all())}


def limited(form):
    """A limit for the process, and statistics of the module."""
    import millpond.torch

    millpond.torch.enable(limit="64MiB", page_size="4MiB", form="class")
    kept = torch.full((1 << 20,), 3, dtype=torch.uint8).cuda()
    try:
        torch.empty(100 << 20, dtype=torch.uint8, device="cuda")
        text = "accepted"
    except torch.OutOfMemoryError as error:
        text = str(error)
    found = millpond.torch.statistics()
    equal = millpond.torch.memory_stats() == dict(torch.cuda.memory_stats())
    return {
        "text": text,
        "limit": found["limit_bytes"],
        "page": found["page_bytes"],
        "failures": found["failures"],
        "equal": equal,
        "right": bool((kept.cpu() == 3).all()),
    }


def two_devices(form):
    """Tensors of two devices, copies between them, and limits and statistics of each."""
    import millpond.torch

    millpond.torch.enable(limit="256MiB", form="class")
    first = torch.arange(100, dtype=torch.uint8).cuda(0)
    second = first.to("cuda:1")
    back = second.to("cuda:0")
    with torch.cuda.device(1):
        more = torch.empty(5 << 20, dtype=torch.uint8, device="cuda")
    try:
        torch.empty(300 << 20, dtype=torch.uint8, device="cuda:1")
        text = "accepted"
    except torch.OutOfMemoryError as error:
        text = str(error)
    used = [millpond.torch.statistics(device)["used_bytes"]["current"] for device in (0, 1)]
    right = bool((back.cpu() == torch.arange(100, dtype=torch.uint8)).all())
    del first, second, back, more
    torch.cuda.empty_cache()
    held = [torch.cuda.memory_reserved(device) for device in (0, 1)]
    return {"used": used, "text": "GPU 1 has" in text, "right": right, "held": held}


def several_devices(form):
    """What programs do with two devices; results must equal those of PyTorch's own allocator."""
    start(form)
    said = {}
    first = torch.arange(200, dtype=torch.uint8).cuda(0)
    second = first.to("cuda:1")
    with torch.cuda.device(1):
        here = torch.zeros(10, dtype=torch.uint8, device="cuda")
    said["places"] = [str(tensor.device) for tensor in (first, second, here)]
    said["current"] = torch.cuda.current_device()
    said["allocated"] = [torch.cuda.memory_allocated(device) for device in (0, 1)]

    # Streams of one device and memory of the other.
    stream = torch.cuda.Stream(device=1)
    with torch.cuda.stream(stream):
        said["on a stream of 1"] = [str(torch.empty(10, device=place).device) for place in ("cuda:0", "cuda")]
    used = torch.full((1 << 20,), 5, dtype=torch.uint8).cuda(0)
    copy = torch.empty(1 << 20, dtype=torch.uint8, device="cuda:1")
    with torch.cuda.stream(stream):
        copy.copy_(used, non_blocking=True)
    used.record_stream(stream)
    del used
    other = torch.full((1 << 20,), 6, dtype=torch.uint8).cuda(0)
    stream.synchronize()
    said["a copy of what was freed"] = bool((copy.cpu() == 5).all() and (other.cpu() == 6).all())
    del copy, other

    # A limit applies to one device.
    torch.cuda.set_per_process_memory_fraction(0.01, 1)
    said["limits"] = []
    for place in ("cuda:0", "cuda:1"):
        try:
            torch.empty(200 << 20, dtype=torch.uint8, device=place)
            said["limits"].append("accepted")
        except torch.OutOfMemoryError as error:
            said["limits"].append("GPU 1 has" in str(error))
    torch.cuda.set_per_process_memory_fraction(1.0, 1)

    # A device without memory does not affect the other, and failed requests do not count in the peaks.
    for device in (0, 1):
        try:
            torch.empty(torch.cuda.mem_get_info(device)[1] + 1, dtype=torch.uint8, device=f"cuda:{device}")
        except torch.OutOfMemoryError as error:
            said[f"no memory on {device}"] = f"GPU {device} has" in str(error)
    said["peaks"] = [torch.cuda.max_memory_allocated(device) for device in (0, 1)]
    said["held at most 512 MiB"] = [torch.cuda.max_memory_reserved(device) <= 512 << 20 for device in (0, 1)]
    torch.cuda.reset_peak_memory_stats(1)
    said["peaks after a reset of 1"] = [torch.cuda.max_memory_allocated(device) > 100 << 20 for device in (0, 1)]

    torch.cuda.memory._record_memory_history()
    kept = [torch.empty(1000, device=f"cuda:{device}") for device in (0, 1)]
    snapshot = torch.cuda.memory._snapshot()
    said["segments"] = sorted({segment["device"] for segment in snapshot["segments"]})
    said["traces"] = [sum(entry["action"] == "alloc" for entry in trace) for trace in snapshot["device_traces"]]
    torch.cuda.memory._record_memory_history(enabled=None)
    del kept, first, second, here
    torch.cuda.empty_cache()
    said["held"] = [torch.cuda.memory_reserved(device) for device in (0, 1)]

    # A device that does not exist is an error.
    said["device 2"] = []
    for function in (torch.cuda.memory_stats, torch.cuda.memory_allocated, torch.cuda.reset_peak_memory_stats, torch.cuda.mem_get_info):
        try:
            function(2)
            said["device 2"].append("accepted")
        except RuntimeError:
            said["device 2"].append("error")

    wrong = []

    def work(device):
        for step in range(100):
            value = step % 250
            there = torch.full((1000 * (step % 7 + 1),), value, dtype=torch.uint8).cuda(device)
            back = there.to(f"cuda:{1 - device}", non_blocking=True)
            if not bool((back.cpu() == value).all()):
                wrong.append((device, step))

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said["wrong"] = wrong
    said["left"] = [torch.cuda.memory_allocated(device) for device in (0, 1)]
    return said


def _receive_on_devices(form, visible, inbox, outbox):
    if visible is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible
    start(form)
    try:
        tensor = inbox.get()
        here = tensor.device.index
        there = tensor.to(f"cuda:{1 - here}")
        there.copy_(torch.full((there.numel(),), 9, dtype=torch.uint8))
        # The other device writes the sender's memory.
        tensor.copy_(there)
        for device in (0, 1):
            torch.cuda.synchronize(device)
        outbox.put(here)
    except RuntimeError as error:
        outbox.put(str(error))
    inbox.get()


def share_devices(form):
    """Tensors of both devices go to other processes; one of them does not see the device."""
    import torch.multiprocessing as processes

    start(form)
    context = processes.get_context("spawn")
    said = []
    for device, visible in ((0, None), (1, None), (0, "1")):
        inbox, outbox = context.Queue(), context.Queue()
        child = context.Process(target=_receive_on_devices, args=(form, visible, inbox, outbox))
        child.start()
        tensor = torch.full((3 << 20,), 4, dtype=torch.uint8).cuda(device)
        inbox.put(tensor)
        heard = outbox.get(timeout=600)
        inbox.put("done")
        child.join(600)
        said.append((heard, sorted(set(tensor.cpu().tolist())), child.exitcode))
    return said


def refused_once(form):
    """The driver refuses one call for memory."""
    start(form)
    kept = torch.full((1000,), 3, dtype=torch.uint8).cuda()
    said = None
    try:
        torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
    except RuntimeError as error:
        said = str(error)
    big = torch.full((1 << 28,), 4, dtype=torch.uint8).cuda()
    return {"said": said, "retries": torch.cuda.memory_stats()["num_alloc_retries"], "right": holds(kept, 3) and holds(big, 4)}


def holds(tensor, value):
    return bool((tensor.cpu() == value).all())


def sticky(form):
    """A kernel fails. CUDA reports that from then on, whether or not memory is asked for in between."""
    start(form)
    values = torch.ones(10, device="cuda")
    said = []
    try:
        values[torch.tensor([100], device="cuda")]
        torch.cuda.synchronize()
    except RuntimeError as error:
        said.append("device-side assert" in str(error))
    for bytes in (1000, 1 << 30):
        try:
            torch.empty(bytes, dtype=torch.uint8, device="cuda").fill_(1)
            torch.cuda.synchronize()
            said.append("accepted")
        except RuntimeError as error:
            said.append("device-side assert" in str(error))
    del values
    return {"said": said}


def reset(form):
    """The program resets the device below PyTorch."""
    start(form)
    values = torch.ones(10, device="cuda")
    torch.cuda.synchronize()
    library = next(line.split()[-1] for line in open("/proc/self/maps") if "/libcudart.so" in line)
    code = ctypes.CDLL(library).cudaDeviceReset()
    said = []
    for bytes in (1000, 1 << 32):
        try:
            block = torch.empty(bytes, dtype=torch.uint8, device="cuda")
            block.zero_()
            torch.cuda.synchronize()
            said.append("accepted")
        except RuntimeError as error:
            said.append(str(error))
    del values
    return {"code": code, "said": said}


def _receive(form, inbox, outbox):
    start(form)
    tensor = inbox.get()
    value = int(tensor.cpu()[0])
    tensor.copy_(torch.full((tensor.numel(),), 9, dtype=torch.uint8))
    torch.cuda.synchronize()
    part = inbox.get()
    outbox.put((value, part.cpu().tolist()[:3], part.numel()))
    mine = torch.full((5000,), 8, dtype=torch.uint8).cuda()
    outbox.put(mine)
    # The sender keeps its memory until the receiver is done.
    inbox.get()


def share(form):
    """A tensor, and a part of one, go to another process; a tensor of that one comes back."""
    import torch.multiprocessing as processes

    start(form)
    context = processes.get_context("spawn")
    inbox, outbox = context.Queue(), context.Queue()
    child = context.Process(target=_receive, args=(form, inbox, outbox))
    child.start()
    whole = torch.full((3 << 20,), 4, dtype=torch.uint8).cuda()
    inbox.put(whole)
    big = torch.arange(256, dtype=torch.uint8).repeat(100_000).cuda()
    inbox.put(big[5:1000])
    said = outbox.get(timeout=120)
    theirs = outbox.get(timeout=120)
    back = bool((theirs.cpu() == 8).all())
    del theirs
    inbox.put("done")
    child.join(120)
    changed = bool((whole.cpu() == 9).all())
    return {"said": said, "back": back, "changed": changed, "status": child.exitcode}


def _compiled(form, mode):
    start(form)
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 64)).cuda()
    batches = [torch.randn(16, 64, device="cuda") for _ in range(5)]
    compiled = torch.compile(model, mode=mode)
    close = []
    for batch in batches:
        with torch.no_grad():
            close.append(bool(torch.allclose(compiled(batch), model(batch), atol=1e-4)))
    loss = []
    for batch in batches:
        found = compiled(batch).square().mean()
        found.backward()
        loss.append(found.item())
        model.zero_grad()
    return {"close": close, "losses": [round(value, 5) for value in loss]}


def compiled(form):
    return _compiled(form, "default")


def compiled_with_graphs(form):
    return _compiled(form, "reduce-overhead")


def times(form):
    """Nanoseconds of a pair of allocation and free, and of threads with streams of their own: from C++, and from Python."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "gpu"))
    import calls

    start(form)
    lines = calls.measure(torch, "cuda", tiny=False)
    return {f"{line['what']}, {line.get('bytes', line.get('threads'))}": line["ns"] for line in lines}


def main():
    name = sys.argv[1]
    form = sys.argv[2] if len(sys.argv) > 2 else "pool"
    print(json.dumps({"program": name, "form": form, "result": globals()[name](form)}), flush=True)


if __name__ == "__main__":
    main()
