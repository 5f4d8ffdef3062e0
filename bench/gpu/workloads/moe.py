"""A mixture of experts that is trained: 16 experts, each token goes to two of them, so every expert gets another number of tokens."""

import torch
import torch.nn.functional as F
from torch import nn

from .gpt import Block


class Mixture(nn.Module):
    """The experts of a layer, in the place of the two products of a plain block."""

    def __init__(self, width, hidden, experts, choices):
        super().__init__()
        self.choices = choices
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width)) for _ in range(experts)
        )

    def forward(self, x):
        rows = x.flatten(0, 1)
        weights, chosen = self.router(rows).softmax(-1).topk(self.choices)
        total = torch.zeros_like(rows)
        for number, expert in enumerate(self.experts):
            row, choice = torch.where(chosen == number)  # the host waits here for the number of rows
            if len(row):
                total = total.index_add(0, row, (expert(rows[row]) * weights[row, choice, None]).to(total.dtype))
        return total.view_as(x)


class Experts:
    name, steps, enough, tiny_steps = "moe", 25, 6, 3
    warm, timed, stays = 2, 5, True

    def __init__(self, device, tiny):
        torch.manual_seed(0)
        self.device = device
        self.vocabulary, self.batch, self.length = (64, 2, 16) if tiny else (8_192, 6, 1024)
        width, heads, layers, experts = (32, 4, 2, 4) if tiny else (1024, 16, 3, 16)
        with torch.device(device):
            blocks = [Block(width, heads) for _ in range(layers)]
            for block in blocks:
                block.think = Mixture(width, 4 * width, experts, choices=2)
            self.model = nn.Sequential(
                nn.Embedding(self.vocabulary, width), *blocks, nn.LayerNorm(width), nn.Linear(width, self.vocabulary, bias=False)
            )
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def step(self, _number):
        # Few of the words are frequent, so the router has something to learn and the loads of the experts move.
        tokens = (torch.rand(self.batch, self.length + 1, device=self.device) ** 3 * self.vocabulary).long()
        with torch.autocast(self.device, dtype=torch.bfloat16):
            logits = self.model(tokens[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.last = loss.detach()

    def loss(self):
        return self.last.item()
