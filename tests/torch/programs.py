"""Small realistic programs, one function each, that take a device and return tensors.

Random numbers are generated on the CPU, so every device sees the same ones. `test_programs.py` compares the results. Run as a script,
this file runs all of them on the device, for `millpond check`.
"""

import collections
import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def state(*modules):
    """The trained parameters."""
    return [parameter.detach() for module in modules for parameter in module.parameters()]


def autoencoder(device):
    """Variational, with a learning-rate schedule and clipped gradients."""
    encoder = nn.Sequential(nn.Linear(64, 48), nn.ELU(), nn.Linear(48, 32)).to(device)
    decoder = nn.Sequential(nn.Linear(16, 48), nn.SiLU(), nn.Linear(48, 64)).to(device)
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = torch.optim.AdamW(parameters, 1e-3, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=4)
    losses = []
    for _ in range(4):
        x, noise = torch.rand(32, 64).to(device), torch.randn(32, 16).to(device)
        mean, log_var = encoder(x).chunk(2, -1)
        again = decoder(mean + (0.5 * log_var).exp() * noise)
        prior = torch.distributions.Normal(torch.zeros_like(mean), torch.ones_like(mean))
        posterior = torch.distributions.Normal(mean, (0.5 * log_var).exp())
        loss = F.binary_cross_entropy_with_logits(again, x, reduction="sum")
        loss = (loss + torch.distributions.kl_divergence(posterior, prior).sum()) / 32
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return [torch.tensor(losses), *state(encoder, decoder)]


def adversaries(device):
    """Two networks, two optimisers, and a gradient of the input."""
    maker = nn.Sequential(
        nn.Linear(16, 512), nn.Unflatten(1, (32, 4, 4)), nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.LeakyReLU(0.2),
        nn.ConvTranspose2d(16, 1, 4, 2, 1), nn.Tanh(),
    ).to(device)
    judge = nn.Sequential(
        nn.utils.parametrizations.weight_norm(nn.Conv2d(1, 16, 4, 2, 1)), nn.LeakyReLU(0.2),
        nn.Conv2d(16, 32, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(512, 1),
    ).to(device)
    makes = torch.optim.Adam(maker.parameters(), 2e-4, betas=(0.5, 0.999))
    judges = torch.optim.SGD(judge.parameters(), 1e-2)
    losses = []
    for _ in range(2):
        real, made = torch.randn(8, 1, 16, 16).to(device), maker(torch.randn(8, 16).to(device))
        loss = F.softplus(-judge(real)).mean() + F.softplus(judge(made.detach())).mean()
        judges.zero_grad(set_to_none=False)
        loss.backward()
        judges.step()
        cheated = F.softplus(-judge(made)).mean()
        makes.zero_grad()
        cheated.backward()
        makes.step()
        losses += [loss.item(), cheated.item()]
    between = torch.lerp(real, made.detach(), 0.3).requires_grad_()
    (slope,) = torch.autograd.grad(judge(between).sum(), between)
    return [torch.tensor(losses), (slope.flatten(1).norm(2, 1) - 1).square().mean(), *state(judge)]


def language_model(device):
    """Recurrent, with output weights tied to the embedding."""
    embedding, recurrent = nn.Embedding(50, 24, padding_idx=0).to(device), nn.GRU(24, 24, batch_first=True).to(device)
    optimizer = torch.optim.SGD([*embedding.parameters(), *recurrent.parameters()], 0.5, momentum=0.9, nesterov=True)
    losses = []
    for _ in range(3):
        words = [torch.randint(1, 50, (count,)) for count in (9, 7, 4, 2)]
        words = nn.utils.rnn.pad_sequence(words, batch_first=True).to(device)
        y, _ = recurrent(embedding(words[:, :-1]))
        y = F.linear(y, embedding.weight)
        loss = F.cross_entropy(y.reshape(-1, 50), words[:, 1:].reshape(-1), ignore_index=0, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [torch.tensor(losses), *state(embedding, recurrent)]


def segmentation(device):
    """Downsampling and upsampling with skip connections."""
    down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.GELU()).to(device)
    bottom = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(inplace=True)).to(device)
    up = nn.ConvTranspose2d(16, 8, 2, 2).to(device)
    top = nn.Conv2d(16, 4, 1).to(device)
    optimizer = torch.optim.SGD([p for part in (down, bottom, up, top) for p in part.parameters()], 0.1)
    for _ in range(2):
        x, target = torch.randn(2, 3, 16, 16).to(device), torch.randint(0, 4, (2, 16, 16)).to(device)
        skipped = down(x)
        y = top(torch.cat([up(bottom(F.max_pool2d(skipped, 2))), skipped], 1))
        shares, truth = y.softmax(1), F.one_hot(target, 4).permute(0, 3, 1, 2).to(y.dtype)
        overlap = (shares * truth).sum((2, 3))
        dice = 1 - ((2 * overlap + 1) / ((shares + truth).sum((2, 3)) + 1)).mean()
        optimizer.zero_grad()
        (F.cross_entropy(y, target) + dice).backward()
        optimizer.step()
    found = y.argmax(1)
    hits = [((found == k) & (target == k)).sum() / ((found == k) | (target == k)).sum().clamp(min=1) for k in range(4)]
    large = F.interpolate(y, size=(24, 20), mode="bilinear", align_corners=False)
    return [large, torch.stack(hits), *state(down, bottom, up, top)]


def accumulated(device):
    """Half precision, scaled losses, gradients accumulated over four steps, activation checkpointing."""
    blocks = nn.ModuleList(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)) for _ in range(3)).to(device)
    average = torch.optim.swa_utils.AveragedModel(blocks, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.SGD(blocks.parameters(), 0.1)
    scaler = torch.amp.GradScaler(device, init_scale=128.0)
    for step in range(8):
        x = torch.randn(16, 32).to(device)
        with torch.autocast(device, torch.bfloat16):
            h = x
            for block in blocks:
                h = h + checkpoint(block, h, use_reentrant=False)
            loss = F.mse_loss(h.float(), x * 2) / 4
        scaler.scale(loss).backward()
        if step % 4 == 3:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(blocks.parameters(), 0.5)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            average.update_parameters(blocks)
    return [loss, *state(blocks, average)]


def experts(device):
    """Tokens are routed to two of four experts and combined again."""
    router, inner, outer = torch.randn(16, 4), torch.randn(4, 16, 32) * 0.2, torch.randn(4, 32, 16) * 0.2
    router, inner, outer = (nn.Parameter(weight.to(device)) for weight in (router, inner, outer))
    optimizer = torch.optim.Adagrad([router, inner, outer], 0.05)
    for _ in range(2):
        x = torch.randn(40, 16).to(device)
        shares = (x @ router).softmax(-1)
        weights, chosen = shares.topk(2, -1)
        y = torch.zeros_like(x)
        for expert in range(4):
            token, place = torch.where(chosen == expert)
            part = F.silu(x[token] @ inner[expert]) @ outer[expert]
            y.index_add_(0, token, part * weights[token, place, None])
        load = torch.zeros(4, device=device).scatter_add_(0, chosen.flatten(), torch.ones(80, device=device))
        loss = (y - x.flip(0)).abs().mean() + (load / load.sum() * shares.mean(0)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    queue = F.one_hot(chosen[:, 0], 4).float()
    return [load, (queue.cumsum(0) * queue).sum(-1), y, router, inner, outer]


def player(device):
    """Learns from a replay buffer; every move reads from the device."""
    dice = random.Random(0)
    values = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3)).to(device)
    steady = copy.deepcopy(values).requires_grad_(False)
    optimizer, memory, now, moves = torch.optim.Adam(values.parameters(), 1e-3), collections.deque(maxlen=100), torch.randn(4), []
    for step in range(24):
        with torch.no_grad():
            move = values(now.to(device)[None]).argmax(1).item() if dice.random() > 0.3 else dice.randrange(3)
        moves.append(move)
        then = torch.tanh(now + torch.randn(4) * 0.1 + (move - 1) * 0.2)
        memory.append((now, move, -then.square().sum().item(), then, step % 10 == 9))
        now = then
        if len(memory) < 16:
            continue
        before, move, gain, after, ended = zip(*dice.sample(list(memory), 16))
        before, after = torch.stack(before).to(device), torch.stack(after).to(device)
        move, gain, ended = (torch.tensor(it, device=device) for it in (move, gain, ended))
        with torch.no_grad():
            best = steady(after).gather(1, values(after).argmax(1, keepdim=True)).squeeze(1)
            target = gain + 0.99 * best.masked_fill(ended, 0.0)
        loss = F.smooth_l1_loss(values(before).gather(1, move[:, None]).squeeze(1), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for old, new in zip(steady.parameters(), values.parameters()):
                old.lerp_(new, 0.05)
    return [torch.tensor(moves), loss, *state(values, steady)]


def sampling(device):
    """Inference on texts of any length: rotary positions, a mask, top-k sampling."""
    embedding, mix, out = (part.to(device) for part in (nn.Embedding(40, 32), nn.Linear(32, 96), nn.Linear(32, 40)))

    def turned(x):
        steps = torch.arange(x.size(-2), device=device).float()
        angle = torch.outer(steps, 10000 ** (-torch.arange(0, 8, 2, device=device).float() / 8))
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack([even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()], -1).flatten(-2)

    results = []
    with torch.inference_mode():
        for count in (1, 3, 7):
            words = torch.randint(0, 40, (2, count)).to(device)
            q, k, v = (part.unflatten(-1, (4, 8)).transpose(1, 2) for part in mix(embedding(words)).split(32, -1))
            scores = torch.einsum("bhqd,bhkd->bhqk", turned(q), turned(k)) / 8**0.5
            later = torch.ones(count, count, dtype=torch.bool, device=device).triu(1)
            seen = scores.masked_fill(later, -math.inf).softmax(-1)
            logits = out(torch.einsum("bhqk,bhkd->bqhd", seen, v).flatten(2))[:, -1]
            values, places = logits.topk(10)
            values, order = torch.full_like(logits, -math.inf).scatter(-1, places, values).sort(descending=True)
            shares = values.softmax(-1)
            values = values.masked_fill(shares.cumsum(-1) - shares > 0.8, -math.inf)
            results.append(torch.zeros_like(logits).scatter(-1, order, values).softmax(-1))
    return results


def diffusion(device):
    """Learns the noise of each time step, and removes it again."""
    first, middle, last = nn.Conv2d(1, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.Conv2d(16, 1, 3, padding=1)
    times = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 32))
    network = nn.ModuleList([first, middle, last, times]).to(device)

    def noise_in(x, t):
        angle = t[:, None].float() * torch.exp(-math.log(10000) * torch.arange(8, device=device) / 7)
        scale, shift = times(torch.cat([angle.sin(), angle.cos()], -1))[:, :, None, None].chunk(2, 1)
        return last(F.silu(middle(first(x)) * (1 + scale) + shift))

    kept = (1 - torch.linspace(1e-4, 0.02, 50).to(device)).cumprod(0)
    optimizer = torch.optim.AdamW(network.parameters(), 1e-3)
    for _ in range(2):
        x, noise, t = torch.randn(4, 1, 12, 12).to(device), torch.randn(4, 1, 12, 12).to(device), torch.randint(0, 50, (4,)).to(device)
        share = kept[t].view(-1, 1, 1, 1)
        loss = F.mse_loss(noise_in(share.sqrt() * x + (1 - share).sqrt() * noise, t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        x = torch.randn(2, 1, 12, 12).to(device)
        for step in (40, 20, 0):
            noise = noise_in(x, torch.full((2,), step, device=device))
            x = ((x - (1 - kept[step]).sqrt() * noise) / kept[step].sqrt()).clamp(-3, 3)
    return [loss, x, *state(network)]


def clusters(device):
    """Centres move to the mean of their nearest points."""
    x = torch.cat([torch.randn(50, 3) + 4 * torch.eye(3)[k] for k in range(3)]).to(device)
    centres = x[[0, 60, 120]].clone()
    for _ in range(4):
        distance = torch.cdist(x, centres)
        nearest = distance.argmin(1)
        count = torch.bincount(nearest, minlength=3).clamp(min=1)
        centres = torch.zeros_like(centres).index_add_(0, nearest, x) / count[:, None]
    close = distance.min(1).values < 1.5
    return [centres, nearest, x[close], close.nonzero(), *torch.unique(nearest, return_counts=True), x.median(0).values, x.std(0)]


class Squared(torch.autograd.Function):
    """A hand-written gradient."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x.clamp(min=0).square() * factor

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 2 * x.clamp(min=0) * gradient * ctx.factor, None


def functions(device):
    """Per-sample gradients, second-order gradients, and gradients of custom functions."""
    network = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
    weights = {name: parameter.detach() for name, parameter in network.named_parameters()}
    x, target = torch.randn(10, 6).to(device), torch.randn(10, 1).to(device)

    def loss(weights, x, target):
        return (torch.func.functional_call(network, weights, (x[None],)) - target).square().mean()

    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(weights, x, target)
    z = torch.randn(5, 5).to(device).requires_grad_()
    Squared.apply(z, 3.0).sum().backward()
    w = torch.randn(4, 4).to(device).requires_grad_()
    (slope,) = torch.autograd.grad((w.sin() * w).sum(), w, create_graph=True)
    (bend,) = torch.autograd.grad(slope.square().sum(), w)
    return [*each.values(), torch.func.jacrev(lambda x: network(x).sum(0))(x), z.grad, bend]


PROGRAMS = [
    autoencoder, adversaries, language_model, segmentation, accumulated, experts, player, sampling, diffusion, clusters, functions,
]

if __name__ == "__main__":
    import torch_npu  # noqa: F401

    for program in PROGRAMS:
        torch.manual_seed(0)
        program("npu")
        print(program.__name__)
