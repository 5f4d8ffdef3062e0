"""Copies, computation and communication on three streams, with record_stream; the CPU runs ahead of the device.

Each step copies a batch of another size on one stream, computes on a second one, and sums buckets on a third one, as data-parallel
training does. All order between the streams is made by events that streams wait for; the CPU waits for nothing:

    computing waits for the copy of its batch
    communication waits for the bucket that was computed
    computing waits for all buckets of a step before the weights change
    copying waits for the step before the last, so that it is at most two batches ahead
"""

import contextlib
import random

import torch


class OnCpu:
    """Streams of a device that has none: what is queued is done at once."""

    def __init__(self, *_):
        pass

    wait_stream = wait_event = lambda self, _other: None
    record_event = lambda self: None


class Streams:
    name, steps, enough, tiny_steps = "streams", 120, 40, 4
    warm, timed, stays = 20, 20, False

    def __init__(self, device, tiny):
        torch.manual_seed(0)
        self.device = device
        self.width, self.buckets, self.products = (16, 3, 2) if tiny else (4096, 24, 8)
        self.rows = (2, 8) if tiny else (2_048, 8_192)
        self.weights = [torch.randn(self.width, self.width, device=device, dtype=torch.bfloat16) / 64 for _ in range(self.products)]
        self.host = torch.randn(self.rows[1], self.width).bfloat16()
        self.last = torch.zeros((), device=device)
        if device == "cpu":
            self.copies, self.reduces, self.on = OnCpu(), OnCpu(), lambda _stream: contextlib.nullcontext()
            self.current = OnCpu
        else:
            self.host = self.host.pin_memory()
            self.copies, self.reduces, self.on = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.stream
            self.current = torch.cuda.current_stream
        self.done = []

    @torch.no_grad()
    def step(self, number):
        compute = self.current()
        if len(self.done) >= 2:
            self.copies.wait_event(self.done[-2])
        with self.on(self.copies):
            batch = self.host[: random.Random(number).randint(*self.rows)].to(self.device, non_blocking=True)
        compute.wait_stream(self.copies)
        self.uses(batch, compute)

        x = batch
        for weight in self.weights:
            x = torch.tanh(x @ weight)
        summed = []
        for bucket in range(self.buckets):
            gradient = x.T @ (x * (bucket + 1))
            self.reduces.wait_stream(compute)
            with self.on(self.reduces):
                self.uses(gradient, self.reduces)
                total = gradient.float()  # what a collective would write
                summed.append((total * 0.5).bfloat16())
        compute.wait_stream(self.reduces)
        for bucket, gradient in enumerate(summed):
            self.uses(gradient, compute)
            self.weights[bucket % self.products].add_(gradient, alpha=-1e-7)
        self.last = x.float().mean()
        self.done = [*self.done[-1:], compute.record_event()]

    def uses(self, tensor, stream):
        if tensor.is_cuda:
            tensor.record_stream(stream)

    def loss(self):
        return self.last.item()
