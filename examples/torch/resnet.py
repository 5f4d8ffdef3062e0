"""A small ResNet with batch normalisation, trained with Adam, in full or mixed precision.

    millpond run -- python resnet.py           # on an emulated Ascend NPU
    millpond run -- python resnet.py --amp fp16
    millpond run -- python resnet.py --device cpu  # the same on PyTorch's own CPU device

The images are generated, so nothing is downloaded.
"""

import argparse
import contextlib
import time

import torch
import torch.nn.functional as F
from torch import nn

TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


class Block(nn.Module):
    """Two convolutions with a shortcut around them."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.short = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.short = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(y + self.short(x))


def build():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, 1, 1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
        Block(16, 16, 1),
        Block(16, 32, 2),
        Block(32, 64, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def train(device, steps, amp=None, say=print):
    """Trains for some steps. Returns the loss of each step and the output in evaluation mode."""
    torch.manual_seed(0)
    model = build().to(device)
    pictures = torch.randn(8, 3, 32, 32).to(device)
    classes = torch.randint(0, 10, (8,)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    kind = torch.device(device).type
    precision = torch.autocast(kind, TYPES[amp]) if amp else contextlib.nullcontext()
    # Small gradients underflow to zero in fp16: the scaler multiplies the loss and divides the gradients
    # again before the step. bf16 has the range of float32 and needs no scaler.
    scaler = torch.amp.GradScaler(kind, enabled=amp == "fp16")

    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        with precision:
            loss = F.cross_entropy(model(pictures), classes)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
        say(f"step {step}  loss {losses[-1]:.6f}")

    # In evaluation mode, batch normalisation uses its running statistics.
    model.eval()
    with torch.no_grad():
        answers = model(pictures)
    return losses, answers.cpu()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="npu", help="npu (default), npu:1, cpu, ...")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--amp", choices=TYPES, help="compute in mixed precision")
    arguments = parser.parse_args()
    if arguments.device.startswith("npu"):
        import torch_npu  # noqa: F401  (makes the device "npu" known to PyTorch)

    ended = []  # end time of each step; the first step is a warm-up and is excluded below

    def say(line):
        print(line, flush=True)
        ended.append(time.perf_counter())

    train(arguments.device, arguments.steps, arguments.amp, say=say)
    if len(ended) > 1:
        print(f"{(ended[-1] - ended[0]) / (len(ended) - 1):.4f} s per step, after the first")


if __name__ == "__main__":
    main()
