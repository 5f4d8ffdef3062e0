"""Steps of tiny models, on one device: what is measured is how much an operator costs, not how fast it computes.

    python bench/tiny.py cpu | npu [--steps N]

One line for each model: its name, the milliseconds of a training step, and of its forward pass without gradients; best of several.
"""

import argparse
import math
import time

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HEADS, TOKENS, BATCH, WORDS = 32, 4, 12, 2, 99


class Block(nn.Module):
    """A layer of a transformer as BERT (norm behind, GELU), GPT-2 (norm before, causal) or Llama (RMS norm, gates, rotation) has it."""

    def __init__(self, kind):
        super().__init__()
        norm = nn.RMSNorm if kind == "llama" else nn.LayerNorm
        self.kind, self.first, self.second = kind, norm(WIDTH), norm(WIDTH)
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        if kind == "llama":
            self.gate = nn.Linear(WIDTH, 4 * WIDTH)

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], HEADS, WIDTH // HEADS).transpose(1, 2)

    def attend(self, x, mask, rotation):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        if rotation is not None:
            cos, sin = rotation
            turn = lambda x: torch.cat((-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]), -1)
            q, k = q * cos + turn(q) * sin, k * cos + turn(k) * sin
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        if mask is not None:
            scores = scores + mask
        y = torch.softmax(scores, -1) @ v
        return self.out(y.transpose(1, 2).reshape(x.shape))

    def think(self, x):
        if self.kind == "llama":
            return self.down(F.silu(self.gate(x)) * self.up(x))
        return self.down(F.gelu(self.up(x), approximate="tanh" if self.kind == "gpt2" else "none"))

    def forward(self, x, mask, rotation):
        if self.kind == "bert":
            x = self.first(x + self.attend(x, mask, rotation))
            return self.second(x + self.think(x))
        x = x + self.attend(self.first(x), mask, rotation)
        return x + self.think(self.second(x))


class Words(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(TOKENS, WIDTH)
        self.blocks = nn.ModuleList(Block(kind) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)
        self.register_buffer("mask", torch.full((TOKENS, TOKENS), float("-inf")).triu(1), persistent=False)
        angles = torch.outer(torch.arange(TOKENS).float(), 100.0 ** -torch.linspace(0, 1, WIDTH // HEADS // 2)).repeat(1, 2)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, tokens):
        x = self.words(tokens)
        if self.kind != "llama":
            x = x + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        mask = None if self.kind == "bert" else self.mask
        rotation = (self.cos, self.sin) if self.kind == "llama" else None
        for block in self.blocks:
            x = block(x, mask, rotation)
        return self.head(self.norm(x))

    def loss(self, tokens):
        return F.cross_entropy(self(tokens).view(-1, WORDS), tokens.view(-1))

    @staticmethod
    def data():
        return torch.randint(WORDS, (BATCH, TOKENS))


class Picture(nn.Module):
    """Convolutions with batch norms and shortcuts, as a ResNet has them."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(8)
        self.convolutions = nn.ModuleList(nn.Conv2d(8, 8, 3, padding=1, bias=False) for _ in range(4))
        self.norms = nn.ModuleList(nn.BatchNorm2d(8) for _ in range(4))
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.stem_norm(self.stem(x))), 2)
        for index in range(0, 4, 2):
            y = F.relu(self.norms[index](self.convolutions[index](x)))
            x = F.relu(x + self.norms[index + 1](self.convolutions[index + 1](y)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))

    def loss(self, x):
        return self(x).pow(2).mean()

    @staticmethod
    def data():
        return torch.randn(2, 3, 16, 16)


class Mixer(nn.Module):
    """Products over places and over channels in turn."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(4))
        sizes = [TOKENS, WIDTH, TOKENS, WIDTH]
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(s, 2 * s), nn.GELU(), nn.Linear(2 * s, s)) for s in sizes)

    def forward(self, x):
        for number, (norm, layer) in enumerate(zip(self.norms, self.layers)):
            y = norm(x)
            x = x + (layer(y) if number % 2 else layer(y.transpose(1, 2)).transpose(1, 2))
        return x

    def loss(self, x):
        return self(x).pow(2).mean()

    @staticmethod
    def data():
        return torch.randn(BATCH, TOKENS, WIDTH)


MODELS = {
    "BERT": lambda: Words("bert"),
    "GPT-2": lambda: Words("gpt2"),
    "Llama": lambda: Words("llama"),
    "ResNet": Picture,
    "Mixer": Mixer,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("device", choices=["cpu", "npu"])
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    device = options.device
    if device == "npu":
        import torch_npu  # noqa: F401
    wait = torch.npu.synchronize if device == "npu" else (lambda: None)

    def best(function):
        function()
        wait()
        times = []
        for _ in range(options.steps):
            wall, processor = time.perf_counter(), time.process_time()
            function()
            wait()
            times.append((time.perf_counter() - wall, time.process_time() - processor))
        return [min(column) * 1000 for column in zip(*times)]

    for name, make in MODELS.items():
        torch.manual_seed(0)
        model = make()
        data = model.data().to(device)
        model = model.to(device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def step():
            optimizer.zero_grad()
            model.loss(data).backward()
            optimizer.step()

        def forward():
            with torch.no_grad():
                model(data)

        numbers = best(step) + best(forward)
        print(f"{name}|" + "|".join(f"{number:.4f}" for number in numbers), flush=True)


if __name__ == "__main__":
    main()
