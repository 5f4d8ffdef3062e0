"""LeNet: convolutions and pooling, trained with SGD, momentum and weight decay.

    millpond run -- python lenet.py            # on an emulated Ascend NPU
    millpond run -- python lenet.py --device cpu  # the same on PyTorch's own CPU device

The images are generated, so nothing is downloaded: each class is a pattern plus noise.
"""

import argparse
import time

import torch
import torch.nn.functional as F
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.avg_pool2d(torch.tanh(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def data(count):
    """Images of 28 × 28 pixels and their classes."""
    patterns = torch.randn(10, 1, 28, 28)
    classes = torch.arange(count) % 10
    return patterns[classes] + 0.5 * torch.randn(count, 1, 28, 28), classes


def train(device, steps, say=print):
    """Trains for some steps. Returns the loss of each step and the final accuracy."""
    torch.manual_seed(0)
    model = LeNet().to(device)
    pictures, classes = (tensor.to(device) for tensor in data(32))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(pictures), classes)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        say(f"step {step}  loss {losses[-1]:.6f}")

    model.eval()
    with torch.no_grad():
        right = (model(pictures).argmax(1) == classes).float().mean().item()
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
    print(f"{right:.0%} of the images are classified correctly")
    if len(ended) > 1:
        print(f"{(ended[-1] - ended[0]) / (len(ended) - 1):.4f} s per step, after the first")


if __name__ == "__main__":
    main()
