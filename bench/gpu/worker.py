"""One workload under one allocator, in a process of its own; `run.py` starts it and tells it what to do.

    python worker.py --workload gpt-fixed --arm default [--device cuda|cpu] [--tiny]

It loads PyTorch at once, and opens the GPU when it is told to. It reads requests from stdin, one JSON object a line, and writes one line
of JSON for each to the descriptor that stdout was:

    {"do": "begin"}                      opens the GPU and installs the allocator: what it is
    {"do": "calls"}                      what allocations cost; only with --workload calls, which has no steps
    {"do": "measure"}                    all steps, once: peaks of the allocator's statistics
    {"do": "time", "steps": N}           a few steps and then N steps: milliseconds a step
    {"do": "limit", "bytes": N}          some steps while other memory leaves N bytes free, or, without "bytes", all that there is:
                                         whether they finish, and peaks
    {"do": "clear"}                      frees everything and returns the allocator's memory
"""

import argparse
import gc
import json
import os
import sys
import time

import arms
import calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workload", required=True)
    parser.add_argument("--arm", default="default", choices=arms.ARMS)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()

    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**what):
        print(json.dumps(what), file=answers, flush=True)

    try:
        worker = Worker(options)
    except Exception as error:  # whatever it is: the run says so and goes on with the other arms
        answer(error=f"{type(error).__name__}: {error}")
        return 1
    for line in sys.stdin:
        request = json.loads(line)
        what = getattr(worker, request.pop("do"))
        try:
            answer(**what(**request))
        except Exception as error:
            answer(error=f"{type(error).__name__}: {str(error).splitlines()[0]}")
            worker.clear()
    return 0


class Worker:
    def __init__(self, options):
        arms.prepare(options.arm, options.device)
        import torch
        self.torch, self.options, self.kind = torch, options, None
        if options.workload != "calls":
            from workloads import WORKLOADS

            self.kind = WORKLOADS[options.workload]
            self.steps = self.kind.tiny_steps if options.tiny else self.kind.steps
        self.cuda = options.device == "cuda"
        self.workload = None

    def begin(self):
        arm = arms.install(self.options.arm, self.options.device)
        about = {"torch": self.torch.__version__, "python": sys.version.split()[0], "arm": arm, "pid": os.getpid()}
        if self.cuda:
            self.torch.cuda.synchronize()  # makes the context, whose memory is no allocator's
            properties = self.torch.cuda.get_device_properties(0)
            about |= {"gpu": properties.name, "cuda": self.torch.version.cuda, "bytes": properties.total_memory}
        return about

    def wait(self):
        if self.cuda:
            self.torch.cuda.synchronize()

    def fresh(self):
        """The workload at its first step, in an allocator that holds nothing."""
        self.clear()
        self.workload = self.kind(self.options.device, self.options.tiny)

    def calls(self):
        return {"lines": calls.measure(self.torch, self.options.device, self.options.tiny)}

    def measure(self):
        self.fresh()
        start = time.perf_counter()
        for number in range(self.steps):
            self.workload.step(number)
        self.wait()
        took = time.perf_counter() - start
        said = {"seconds": took, "steps": self.steps, "loss": self.workload.loss()}
        return said | self.statistics()

    def time(self, steps=None):
        steps = steps or self.kind.timed
        if self.workload is None:
            self.fresh()
        for number in range(self.kind.warm):
            self.workload.step(number)
        self.wait()
        start = time.perf_counter()
        for number in range(steps):
            self.workload.step(number)
        self.wait()
        took = time.perf_counter() - start
        if not self.kind.stays:
            self.clear()
        return {"ms": took * 1e3 / steps, "steps": steps}

    def limit(self, bytes=None):
        torch = self.torch
        self.clear()
        with arms.Ballast(bytes) as ballast:
            peaks = {}
            start = time.perf_counter()
            try:
                self.workload = self.kind(self.options.device, self.options.tiny)
                for number in range(self.kind.enough):
                    self.workload.step(number)
                self.wait()
                finished, peaks = True, self.statistics()
            except torch.OutOfMemoryError:
                finished = False
            except RuntimeError as error:  # the pluggable form cannot raise PyTorch's own error
                if "out of memory" not in str(error).lower():
                    raise
                finished = False
            took = time.perf_counter() - start
            self.clear()
        return {"finished": finished, "left": ballast.left, "seconds": took} | peaks

    def clear(self):
        self.workload = None
        gc.collect()
        if self.cuda:
            self.wait()
            self.torch._C._cuda_clearCublasWorkspaces()
            self.torch.cuda.empty_cache()
            try:
                self.torch.cuda.reset_peak_memory_stats()
            except RuntimeError:  # the pluggable form has no statistics
                arms.clear()
        return self.statistics()

    def statistics(self):
        """Bytes, by the allocator's own statistics; nothing where it has none."""
        if not self.cuda:
            return {}
        try:
            read = self.torch.cuda.memory_stats()
        except RuntimeError:
            return arms.own_statistics()
        return {
            "allocated": read.get("allocated_bytes.all.current", 0),
            "peak_allocated": read.get("allocated_bytes.all.peak", 0),
            "reserved": read.get("reserved_bytes.all.current", 0),
            "peak_reserved": read.get("reserved_bytes.all.peak", 0),
            "retries": read.get("num_alloc_retries", 0),
        }


if __name__ == "__main__":
    sys.exit(main())
