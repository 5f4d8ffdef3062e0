"""A GPT that is trained: 12 layers, AdamW, autocast to bfloat16; with one shape, and with another shape at each step."""

import random

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.think(self.norm2(x))

    def attend(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Gpt(nn.Module):
    def __init__(self, vocabulary, context, width, heads, layers):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        return self.head(self.norm(self.blocks(x)))


class Training:
    """One model; `shape(number)` says which batch and length a step has."""

    def __init__(self, device, tiny):
        torch.manual_seed(0)
        self.device, self.tiny = device, tiny
        self.vocabulary, self.context = (64, 32) if tiny else (32_000, 1024)
        width, heads, layers = (32, 4, 2) if tiny else (1024, 16, 12)
        with torch.device(device):
            self.model = Gpt(self.vocabulary, self.context, width, heads, layers)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4)
        self.last = None

    def step(self, number):
        batch, length = self.shape(number)
        tokens = torch.randint(self.vocabulary, (batch, length + 1), device=self.device)
        with torch.autocast(self.device, dtype=torch.bfloat16):
            logits = self.model(tokens[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.last = loss.detach()

    def loss(self):
        return self.last.item()


class FixedLengths(Training):
    name, steps, enough, tiny_steps = "gpt-fixed", 20, 4, 3
    warm, timed, stays = 2, 8, True

    def shape(self, _number):
        return (2, 16) if self.tiny else (8, 1024)


class VaryingLengths(Training):
    name, steps, enough, tiny_steps = "gpt-varlen", 40, 16, 4
    warm, timed, stays = 2, 10, True

    def shape(self, number):
        choose = random.Random(number)
        if self.tiny:
            return choose.randint(1, 4), choose.randint(4, self.context)
        return choose.choice((4, 8, 12, 16)), 4 * choose.randint(32, 256)
