"""Trains while the next batch is being copied. It contains a mistake, yet every test passes on an idle machine.

    millpond run -- python prefetch.py            # trains, and looks right
    millpond check -- python prefetch.py          # reports the line
    millpond check -- python prefetch.py --right  # the same without the mistake: no findings

A batch is copied on a separate stream, so its memory belongs to that stream. When the training step drops the batch, the memory
returns to that stream, and the copy of a later batch may overwrite it while the step still reads it. `record_stream` prevents this.
"""

import argparse

import torch
import torch.nn.functional as F
import torch_npu  # noqa: F401  (makes the device "npu" known to PyTorch)
from torch import nn


class Prefetcher:
    """Returns batches on the device and copies the next one in the meantime."""

    def __init__(self, batches, right):
        self.batches = iter(batches)
        self.right = right
        self.copies = torch.npu.Stream()
        self.fetch()

    def fetch(self):
        self.next = next(self.batches, None)
        if self.next is not None:
            with torch.npu.stream(self.copies):
                self.next = [tensor.to("npu", non_blocking=True) for tensor in self.next]

    def take(self):
        torch.npu.current_stream().wait_stream(self.copies)  # the copy completes before the batch is read
        batch = self.next
        if batch is not None and self.right:
            for tensor in batch:
                tensor.record_stream(torch.npu.current_stream())  # no reuse before this stream is done with it
        self.fetch()
        return batch


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--right", action="store_true", help="without the mistake")
    parser.add_argument("--steps", type=int, default=8)
    arguments = parser.parse_args()

    torch.manual_seed(0)
    batches = [
        (torch.randn(64, 256).pin_memory(), torch.randint(10, (64,)).pin_memory()) for _ in range(arguments.steps)
    ]
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    prefetcher = Prefetcher(batches, arguments.right)

    while (batch := prefetcher.take()) is not None:
        inputs, labels = batch
        loss = F.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
