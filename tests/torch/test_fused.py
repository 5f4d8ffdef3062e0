"""Fused operators that training and serving programs call on NPUs: results and gradients against plain formulas on the CPU."""

import math

import pytest
import torch
import torch.nn.functional as F
import torch_npu
from support import same

TYPES = [torch.float32, torch.float16, torch.bfloat16]
# Formulas are computed in float32 and rounded once.
CLOSE = {
    torch.float32: dict(rtol=1e-4, atol=1e-5),
    torch.float16: dict(rtol=5e-3, atol=5e-3),
    torch.bfloat16: dict(rtol=3e-2, atol=3e-2),
}


def compared(fused, formula, *inputs, dtype=torch.float32, **tolerance):
    """Results and gradients of floating-point inputs; the formula is computed in float32 from the same rounded numbers."""
    inputs = [value.to(dtype) if value.is_floating_point() else value for value in inputs]

    def run(function, values):
        leaves = [value.detach().clone().requires_grad_() if value.is_floating_point() else value for value in values]
        result = function(*leaves)
        weights = torch.linspace(-1, 1, result.numel(), device=result.device).reshape(result.shape)
        result.float().mul(weights).sum().backward()
        return [result, *(leaf.grad for leaf in leaves if leaf.is_floating_point())]

    wanted = run(formula, [value.float() if value.is_floating_point() else value for value in inputs])
    found = run(fused, [value.npu() for value in inputs])
    assert found[0].dtype == dtype
    for ours, cpu in zip(found, wanted, strict=True):
        same(ours.float(), cpu, **{**CLOSE[dtype], **tolerance})


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_rms_norm(dtype):
    def formula(x, gamma):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * gamma

    fused = lambda x, gamma: torch_npu.npu_rms_norm(x, gamma, epsilon=1e-6)[0]  # noqa: E731
    compared(fused, formula, torch.randn(4, 6, 32), torch.rand(32) + 0.5, dtype=dtype, atol=CLOSE[dtype]["atol"] * 4)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("dim", [-1, 1])
def test_swiglu(dim, dtype):
    def formula(x):
        gate, up = x.chunk(2, dim)
        return F.silu(gate) * up

    compared(lambda x: torch_npu.npu_swiglu(x, dim=dim), formula, torch.randn(3, 8, 16), dtype=dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_rotary_mul(dtype):
    heads, size = 4, 64
    angles = torch.arange(6.0)[:, None] * (10000.0 ** (-torch.arange(size / 2) / (size / 2)))[None]
    cos, sin = (function(torch.cat([angles, angles], -1))[None, None] for function in (torch.cos, torch.sin))

    def formula(x):
        one, two = x.chunk(2, -1)
        c, s = cos.to(x.device).to(dtype).float(), sin.to(x.device).to(dtype).float()
        return x * c + torch.cat([-two, one], -1) * s

    fused = lambda x: torch_npu.npu_rotary_mul(x, cos.npu().to(dtype), sin.npu().to(dtype))  # noqa: E731
    compared(fused, formula, torch.randn(2, heads, 6, size), dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("layout", ["BNSD", "BSH", "SBH", "BSND"])
def test_fusion_attention_with_a_causal_mask(layout, dtype):
    """As training libraries call it: a triangular mask of 2048 x 2048 and sparse mode 2."""
    batch, heads, length, size = 2, 4, 24, 16
    triangle = torch.triu(torch.ones(2048, 2048, dtype=torch.bool), 1)

    def laid_out(x):
        order = {"BNSD": (0, 1, 2, 3), "BSH": (0, 2, 1, 3), "BSND": (0, 2, 1, 3), "SBH": (2, 0, 1, 3)}[layout]
        x = x.permute(order)
        return x.flatten(2) if layout in ("BSH", "SBH") else x

    def back(x):
        if layout in ("BSH", "SBH"):
            x = x.unflatten(-1, (heads, size))
        return x.permute({"BNSD": (0, 1, 2, 3), "BSH": (0, 2, 1, 3), "BSND": (0, 2, 1, 3), "SBH": (1, 2, 0, 3)}[layout])

    def fused(q, k, v):
        given = [laid_out(x).contiguous() for x in (q, k, v)]
        return back(torch_npu.npu_fusion_attention(
            *given, heads, layout, atten_mask=triangle.npu(), scale=1 / math.sqrt(size), keep_prob=1.0, sparse_mode=2)[0])

    formula = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)  # noqa: E731
    shape = (batch, heads, length, size)
    compared(fused, formula, *(torch.randn(shape) for _ in range(3)), dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_fusion_attention_of_packed_sequences(dtype):
    """Sequences one after the other in one tensor, each with a mask of its own."""
    heads, size, ends = 4, 16, [5, 12, 20]
    triangle = torch.triu(torch.ones(2048, 2048, dtype=torch.bool), 1)

    def fused(q, k, v):
        return torch_npu.npu_fusion_attention(
            q, k, v, heads, "TND", atten_mask=triangle.npu(), scale=1 / math.sqrt(size), keep_prob=1.0, actual_seq_qlen=ends,
            actual_seq_kvlen=ends, sparse_mode=3)[0]

    def formula(q, k, v):
        parts = []
        for first, end in zip([0, *ends], ends):
            rows = [x[first:end].transpose(0, 1) for x in (q, k, v)]
            parts.append(F.scaled_dot_product_attention(*rows, is_causal=True).transpose(0, 1))
        return torch.cat(parts)

    compared(fused, formula, *(torch.randn(ends[-1], heads, size) for _ in range(3)), dtype=dtype)


class GroupedProduct(torch.autograd.Function):
    """Rows of `x`, sorted by expert, times the weight of their expert; its gradient is grouped products again."""

    @staticmethod
    def forward(ctx, x, weight, counts):
        ctx.save_for_backward(x, weight, counts)
        return torch_npu.npu_grouped_matmul([x], [weight], bias=None, group_list=counts, split_item=2, group_type=0, group_list_type=1)[0]

    @staticmethod
    def backward(ctx, gradient):
        x, weight, counts = ctx.saved_tensors
        options = dict(bias=None, group_list=counts, group_list_type=1)
        for_x = torch_npu.npu_grouped_matmul([gradient], [weight.transpose(1, 2)], split_item=2, group_type=0, **options)[0]
        for_weight = torch_npu.npu_grouped_matmul([x.t()], [gradient], split_item=3, group_type=2, **options)[0]
        return for_x, for_weight, None


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_grouped_matmul(dtype):
    counts = torch.tensor([3, 0, 5, 2])

    def formula(x, weight):
        rows = x.split(counts.tolist())
        return torch.cat([part @ weight[expert] for expert, part in enumerate(rows)])

    fused = lambda x, weight: GroupedProduct.apply(x, weight, counts.npu())  # noqa: E731
    compared(fused, formula, torch.randn(10, 16), torch.randn(4, 16, 24) / 4, dtype=dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("count", [1, 2])
def test_tokens_to_experts_and_back(count, dtype):
    tokens, experts = 7, 4
    chosen = torch.stack([torch.randperm(experts)[:count] for _ in range(tokens)])
    if count == 1:
        chosen = chosen[:, 0]

    def fused(x, share):
        sent, places = torch_npu.npu_moe_token_permute(x, chosen.npu())
        return torch_npu.npu_moe_token_unpermute(sent * 2, places, probs=share)

    # Every token comes back `count` times, with its shares.
    formula = lambda x, share: (2 * x[:, None] * share[..., None]).sum(1)  # noqa: E731
    compared(fused, formula, torch.randn(tokens, 16), torch.rand(tokens, count), dtype=dtype)


def test_tokens_are_sorted_by_expert():
    x = torch.arange(8.0).reshape(4, 2)
    chosen = torch.tensor([[1, 2], [0, 1], [2, 0], [0, 2]])
    sent, places = torch_npu.npu_moe_token_permute(x.npu(), chosen.npu())
    order = chosen.flatten().argsort(stable=True)
    same(sent, x[order // 2])
    same(places.long(), order.argsort())


def test_fused_adamw():
    """One operator for all parameters: the same steps as PyTorch's loop."""

    def train(device, fused):
        torch.manual_seed(4)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4)).to(device)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2, weight_decay=0.1, fused=fused)
        x = torch.linspace(-1, 1, 48).reshape(6, 8).to(device)
        for _ in range(5):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        return list(model.parameters())

    same(train("npu", True), train("cpu", False))


def test_the_clients_own_adamw():
    def train(device, optimiser):
        torch.manual_seed(4)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4)).to(device)
        optimizer = optimiser(model.parameters(), lr=1e-2, weight_decay=0.1)
        x = torch.linspace(-1, 1, 48).reshape(6, 8).to(device)
        for _ in range(5):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        return list(model.parameters())

    same(train("npu", torch_npu.optim.NpuFusedAdamW), train("cpu", torch.optim.AdamW))


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile(backend):
    def step(device):
        torch.manual_seed(6)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4)).to(device)
        compiled = torch.compile(model, backend=backend)
        x = torch.linspace(-1, 1, 48).reshape(6, 8).to(device)
        loss = compiled(x).square().mean()
        loss.backward()
        return [loss, *(parameter.grad for parameter in model.parameters())]

    same(step("npu"), step("cpu"))
