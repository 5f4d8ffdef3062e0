"""A transformer that learns to write text, byte by byte, and then writes some.

    millpond run -- python transformer.py      # on an Ascend NPU that your machine does not have
    millpond run -- python transformer.py --attention sdpa --amp bf16 --generate 40
    millpond run -- python transformer.py --device cpu  # the same on PyTorch's own CPU device

It has 6 layers with 8 heads and reads this very file, 8 pieces of 128 bytes per step.
"""

import argparse
import contextlib
import math
import pathlib
import time

import torch
import torch.nn.functional as F
from torch import nn

LAYERS, WIDTH, HEADS, CONTEXT, BATCH, VOCABULARY = 6, 256, 8, 128, 8, 256
TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


class Attention(nn.Module):
    """Each token looks at the tokens before it; written in one of the three ways that people use.

    `mask` says which tokens may not be looked at (None: all may). `cache` is a list of tensors that lets
    generation hand over only the newest token: what is needed of the older ones is kept in it.
    """

    def __init__(self, way):
        super().__init__()
        self.way = way
        if way == "mha":
            self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        else:
            self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
            self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, mask, cache=None):
        if self.way == "mha":
            # The module makes keys and values itself, so what is kept are its inputs.
            (seen,) = remember(cache, (x,), dim=1)
            return self.attention(x, seen, seen, attn_mask=mask, need_weights=False)[0]

        batch, tokens, _ = x.shape
        qkv = self.qkv(x).view(batch, tokens, 3, HEADS, WIDTH // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        k, v = remember(cache, (k, v), dim=2)
        if self.way == "sdpa":
            y = F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None)
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
            if mask is not None:
                scores = scores.masked_fill(mask, float("-inf"))
            y = torch.softmax(scores, -1) @ v
        return self.out(y.transpose(1, 2).reshape(batch, tokens, WIDTH))


def remember(cache, new, dim):
    """Puts new tensors behind those of the cache and returns both together; without a cache, the new ones."""
    if cache is None:
        return new
    together = [torch.cat(pair, dim) for pair in zip(cache, new)] if cache else list(new)
    cache[:] = together
    return together


class Layer(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = Attention(way)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.think = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, mask, cache=None):
        x = x + self.attention(self.norm1(x), mask, cache)
        return x + self.think(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(Layer(way) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens, caches=None, start=0):
        """What may come next behind each token. With caches, `start` tokens were seen before these."""
        count = tokens.shape[1]
        x = self.tokens(tokens) + self.places(torch.arange(start, start + count, device=tokens.device))
        mask = None
        if count > 1:
            mask = torch.ones(count, count, dtype=torch.bool, device=tokens.device).triu(1)
        for index, layer in enumerate(self.layers):
            x = layer(x, mask, caches[index] if caches else None)
        return self.head(self.norm(x))


def text():
    return torch.frombuffer(bytearray(pathlib.Path(__file__).read_bytes()), dtype=torch.uint8).long()


def train(device, steps, way="matmul", amp=None, say=print):
    """Trains for some steps. Returns the model and the loss of each step."""
    torch.manual_seed(0)
    model = Transformer(way).to(device)
    all_text = text()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)

    kind = torch.device(device).type
    precision = torch.autocast(kind, TYPES[amp]) if amp else contextlib.nullcontext()
    scaler = torch.amp.GradScaler(kind, enabled=amp == "fp16")  # see resnet.py

    losses = []
    for step in range(steps):
        places = torch.randint(len(all_text) - CONTEXT, (BATCH,))
        pieces = torch.stack([all_text[place : place + CONTEXT + 1] for place in places]).to(device)

        optimizer.zero_grad()
        with precision:
            answers = model(pieces[:, :-1])
            loss = F.cross_entropy(answers.reshape(-1, VOCABULARY), pieces[:, 1:].reshape(-1))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)  # the limit below is one for the real gradients
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
        say(f"step {step}  loss {losses[-1]:.6f}")
    return model, losses


@torch.no_grad()
def generate(model, prompt, count):
    """Continues a text, always with the likeliest byte. Returns the new bytes."""
    model.eval()
    device = next(model.parameters()).device
    caches = [[] for _ in range(LAYERS)]
    tokens = torch.tensor([list(prompt)], device=device)
    start, written = 0, []
    for _ in range(min(count, CONTEXT - len(prompt) + 1)):
        answers = model(tokens, caches, start)
        start += tokens.shape[1]
        tokens = answers[:, -1:].argmax(-1)  # from here on, only the newest token is handed over
        written.append(tokens)
    return bytes(torch.cat(written, 1)[0].tolist())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="npu", help="npu (default), npu:1, cpu, ...")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--attention", choices=("matmul", "mha", "sdpa"), default="matmul", help="how it is written")
    parser.add_argument("--amp", choices=TYPES, help="compute in mixed precision")
    parser.add_argument("--generate", type=int, default=0, metavar="N", help="then write N bytes")
    arguments = parser.parse_args()
    if arguments.device.startswith("npu"):
        import torch_npu  # noqa: F401  (makes the device "npu" known to PyTorch)

    ended = []  # when each step ended; the first one also prepares, so it does not count below

    def say(line):
        print(line, flush=True)
        ended.append(time.perf_counter())

    model, _ = train(arguments.device, arguments.steps, arguments.attention, arguments.amp, say)
    if len(ended) > 1:
        print(f"{(ended[-1] - ended[0]) / (len(ended) - 1):.4f} s per step, after the first")
    if arguments.generate:
        prompt = b"import "
        before = time.perf_counter()
        written = generate(model, prompt, arguments.generate)
        seconds = time.perf_counter() - before
        print((prompt + written).decode("utf-8", "replace"))
        print(f"{seconds / len(written):.4f} s per byte")


if __name__ == "__main__":
    main()
