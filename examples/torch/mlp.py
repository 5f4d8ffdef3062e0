"""A small network with two layers, trained with SGD.

    millpond run -- python mlp.py              # on an emulated Ascend NPU
    millpond run -- python mlp.py --device cpu  # the same on PyTorch's own CPU device

Nothing in this script is specific to Millpond: it is an ordinary script for an Ascend NPU.
"""

import argparse
import time

import torch
import torch.nn.functional as F
from torch import nn


def build():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))


def data():
    """128 points of 32 numbers, in 10 classes: the class is the largest of the first ten numbers."""
    points = torch.randn(128, 32)
    return points, points[:, :10].argmax(1)


def train(device, steps, say=print):
    """Trains for some steps. Returns the loss of each step and the final accuracy."""
    torch.manual_seed(0)
    # Created on the CPU and moved, so every device starts with the same numbers.
    model = build().to(device)
    points, classes = (tensor.to(device) for tensor in data())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(points), classes)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())  # .item() waits for the device
        say(f"step {step}  loss {losses[-1]:.6f}")

    with torch.no_grad():
        right = (model(points).argmax(1) == classes).float().mean().item()
    return losses, right


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="npu", help="npu (default), npu:1, cpu, ...")
    parser.add_argument("--steps", type=int, default=10)
    arguments = parser.parse_args()
    if arguments.device.startswith("npu"):
        import torch_npu  # noqa: F401  (makes the device "npu" known to PyTorch)

    ended = []  # end time of each step; the first step is a warm-up and is excluded below

    def say(line):
        print(line, flush=True)
        ended.append(time.perf_counter())

    _, right = train(arguments.device, arguments.steps, say=say)
    print(f"{right:.0%} of the points are classified correctly")
    if len(ended) > 1:
        print(f"{(ended[-1] - ended[0]) / (len(ended) - 1):.4f} s per step, after the first")


if __name__ == "__main__":
    main()
