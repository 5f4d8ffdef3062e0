"""Trains on a GPU while the next batch is being copied. It contains a mistake, and nearly always works.

    python cuda_prefetch.py                               # trains, and looks right
    millpond check -- python cuda_prefetch.py             # reports the line
    millpond check -- python cuda_prefetch.py --no-wait   # the other mistake: the step does not wait for the copy
    millpond check -- python cuda_prefetch.py --right     # without mistakes: no findings

A batch is copied on a separate stream, so its memory belongs to that stream. When the training step drops the batch, the memory
returns to that stream, and the copy of a later batch may overwrite it while the step still reads it. `record_stream` prevents this.
"""

import argparse

import torch
import torch.nn.functional as F
from torch import nn

import millpond.torch


class Prefetcher:
    """Returns batches on the device and copies the next one in the meantime."""

    def __init__(self, batches, records, waits):
        self.batches = iter(batches)
        self.records, self.waits = records, waits
        self.copies = torch.cuda.Stream()
        self.fetch()

    def fetch(self):
        self.next = next(self.batches, None)
        if self.next is not None:
            with torch.cuda.stream(self.copies):
                self.next = [tensor.to("cuda", non_blocking=True) for tensor in self.next]

    def take(self):
        if self.waits:
            torch.cuda.current_stream().wait_stream(self.copies)  # the copy completes before the batch is read
        batch = self.next
        if batch is not None and self.records:
            for tensor in batch:
                tensor.record_stream(torch.cuda.current_stream())  # no reuse before this stream is done with it
        self.fetch()
        return batch


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--right", action="store_true", help="without the mistake")
    parser.add_argument("--no-wait", action="store_true", help="with another mistake")
    parser.add_argument("--steps", type=int, default=8)
    arguments = parser.parse_args()

    millpond.torch.enable()
    torch.manual_seed(0)
    batches = [
        (torch.randn(64, 256).pin_memory(), torch.randint(10, (64,)).pin_memory()) for _ in range(arguments.steps)
    ]
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    prefetcher = Prefetcher(batches, records=arguments.right or arguments.no_wait, waits=not arguments.no_wait)

    while (batch := prefetcher.take()) is not None:
        inputs, labels = batch
        loss = F.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
