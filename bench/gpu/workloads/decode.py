"""Decoders that serve requests: they join and leave, and each one's keys and values grow by concatenation.

Every request has its own length, so nothing is batched but the layers' products: the newest tokens of all requests go through
them together, and attention runs request by request. The numbers of the memory that this takes are those of a small server without
paged attention.

`decode` replaces the keys, and the values, of a request layer by layer and token by token: no freed block fits the next request.
`decode-chunks` takes sixteen tokens at a time, as with drafts that are verified, and keeps what all requests had until the step
is over, so that it can be repeated.
"""

import random

import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, caches, counts):
        """`x` has the new tokens of all requests, one after the other; `counts` says how many each one has."""
        parts = self.qkv(self.norm1(x)).split(counts)
        x = x + self.out(torch.cat([self.attend(part, cache) for part, cache in zip(parts, caches)]))
        return x + self.think(self.norm2(x))

    def attend(self, qkv, cache):
        q, k, v = qkv.view(qkv.shape[0], 3, self.heads, -1).permute(1, 2, 0, 3).unbind(0)
        first = not cache
        cache[:] = [k.contiguous(), v.contiguous()] if first else [torch.cat((cache[0], k), 1), torch.cat((cache[1], v), 1)]
        y = F.scaled_dot_product_attention(q[None], cache[0][None], cache[1][None], is_causal=first)
        return y[0].transpose(0, 1).reshape(qkv.shape[0], -1)


class ChunkLayer(Layer):
    """Two heads share their keys and values, which are one tensor."""

    def __init__(self, width, heads):
        super().__init__(width, heads)
        self.qkv = nn.Linear(width, 2 * width)

    def attend(self, qkv, cache):
        q, kv = qkv.split(qkv.shape[1] // 2, 1)
        q = q.view(q.shape[0], self.heads, -1).transpose(0, 1)
        kv = kv.view(kv.shape[0], 2, self.heads // 2, -1).permute(1, 2, 0, 3)
        first = not cache
        cache.append(kv.contiguous() if first else torch.cat((cache[0], kv), 2))
        k, v = cache[-1]
        y = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=first, enable_gqa=True)
        return y[0].transpose(0, 1).reshape(qkv.shape[0], -1)


class Request:
    def __init__(self, prompt, answer, layers):
        self.tokens, self.left = prompt, answer
        self.caches = [[] for _ in range(layers)]


class Decode:
    name, steps, enough, tiny_steps = "decode", 80, 40, 12
    warm, timed, stays = 2, 24, True
    layer, slots, tiny_slots, chunk = Layer, 14, 3, 1
    kept = 2  # keys and values

    def __init__(self, device, tiny):
        torch.manual_seed(0)
        self.device = device
        self.vocabulary = 64 if tiny else 32_000
        self.width, heads, layers = (32, 4, 2) if tiny else (2048, 16, 24)
        self.room = self.tiny_slots if tiny else self.slots
        self.prompts, self.answers = ((2, 9), (2, 6)) if tiny else ((256, 3_072), (16, 96))
        with torch.device(device):
            self.tokens = nn.Embedding(self.vocabulary, self.width, dtype=torch.bfloat16)
            self.layers = nn.ModuleList(self.layer(self.width, heads) for _ in range(layers)).bfloat16()
            self.head = nn.Linear(self.width, self.vocabulary, bias=False, dtype=torch.bfloat16)
        self.choose = random.Random(0)
        self.requests = []

    @torch.no_grad()
    def step(self, _number):
        if len(self.requests) < self.room:  # one joins at a time, as its prompt takes longer than a step
            prompt = torch.randint(self.vocabulary, (self.choose.randint(*self.prompts),), device=self.device)
            self.requests.append(Request(prompt, self.choose.randint(*self.answers), len(self.layers)))
        counts = [len(request.tokens) for request in self.requests]
        x = self.tokens(torch.cat([request.tokens for request in self.requests]))
        for number, layer in enumerate(self.layers):
            x = layer(x, [request.caches[number] for request in self.requests], counts)
        ends = [sum(counts[: number + 1]) - 1 for number in range(len(counts))]
        self.last = self.head(x[ends])
        # The host reads the tokens, as a server does that sends them.
        chosen = self.last.argmax(-1).tolist()
        for request, token in zip(self.requests, chosen):
            request.tokens = torch.tensor([token] * self.chunk, device=self.device)
            request.left -= 1
            for cache in request.caches:
                del cache[: -self.kept]
        self.requests = [request for request in self.requests if request.left > 0]

    def loss(self):
        return self.last.float().mean().item()


class DecodeChunks(Decode):
    name, layer, slots, chunk = "decode-chunks", ChunkLayer, 14, 16
    kept = 1  # the newest
