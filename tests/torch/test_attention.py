"""Attention in every form that PyTorch offers, compared with the CPU: results and gradients."""

import copy
import math
import shutil

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
from support import ROOT, same, script
from torch.nn.attention import SDPBackend, sdpa_kernel

HALF = {torch.float16: dict(rtol=2e-2, atol=4e-3), torch.bfloat16: dict(rtol=4e-2, atol=4e-2)}
CLOSE = dict(rtol=1e-4, atol=2e-5)


def numbers(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def result_and_gradients(function, inputs, device):
    leaves = [value.detach().to(device).requires_grad_() for value in inputs]
    result = function(*leaves)
    weights = torch.linspace(-1, 1, result.numel()).reshape(result.shape).cos()
    result.backward(weights.to(result.dtype).to(device))
    return [result, *(leaf.grad for leaf in leaves)]


def compare(q, k, v, **options):
    """The same call on both devices."""

    def attend(device):
        given = {name: value.to(device) if torch.is_tensor(value) else value for name, value in options.items()}
        return result_and_gradients(lambda *qkv: F.scaled_dot_product_attention(*qkv, **given), (q, k, v), device)

    # The CPU's formula written out: its fused kernel gives NaN for the gradient of a fully masked row.
    with sdpa_kernel(SDPBackend.MATH):
        cpu = attend("cpu")
    same(attend("npu"), cpu, **HALF.get(q.dtype, CLOSE))


SHAPES = {
    "square": ((2, 4, 8, 16), (2, 4, 8, 16), (2, 4, 8, 16)),
    "longer keys": ((2, 4, 5, 16), (2, 4, 9, 16), (2, 4, 9, 16)),
    "shorter keys": ((2, 4, 9, 16), (2, 4, 5, 16), (2, 4, 5, 16)),
    "wider values": ((2, 4, 8, 16), (2, 4, 8, 16), (2, 4, 8, 24)),
    "one row": ((2, 4, 1, 16), (2, 4, 7, 16), (2, 4, 7, 16)),
    "three axes": ((4, 8, 16), (4, 8, 16), (4, 8, 16)),
}


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("causal", [False, True])
def test_shapes(shapes, causal):
    compare(*(numbers(*shape) for shape in shapes), is_causal=causal)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("causal", [False, True])
def test_half_types(dtype, causal):
    compare(*(numbers(2, 4, 8, 16, dtype=dtype) for _ in range(3)), is_causal=causal)


def test_a_scale_of_ones_own():
    compare(*(numbers(2, 4, 8, 16) for _ in range(3)), scale=0.05, is_causal=True)


MASKS = {"for all": (6, 7), "for a batch": (2, 1, 6, 7), "for a head": (2, 4, 6, 7), "for keys": (2, 1, 1, 7)}


@pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("kind", ["bool", "numbers", "half"])
def test_masks(shape, kind):
    dtype = torch.float16 if kind == "half" else torch.float32
    q, k, v = numbers(2, 4, 6, 16, dtype=dtype), numbers(2, 4, 7, 16, dtype=dtype), numbers(2, 4, 7, 16, dtype=dtype)
    seen = torch.rand(shape) > 0.4
    seen[..., 0] = True
    mask = seen if kind == "bool" else numbers(*shape, dtype=dtype).masked_fill(~seen, -math.inf)
    compare(q, k, v, attn_mask=mask)


@pytest.mark.parametrize("kind", ["bool", "numbers"])
def test_a_row_that_sees_nothing_is_0(kind):
    q, k, v = (numbers(2, 4, 6, 16) for _ in range(3))
    seen = torch.rand(6, 6) > 0.3
    seen[:, 0] = True
    seen[3] = False
    mask = seen if kind == "bool" else torch.zeros(6, 6).masked_fill(~seen, -math.inf)
    compare(q, k, v, attn_mask=mask)
    result = F.scaled_dot_product_attention(q.npu(), k.npu(), v.npu(), attn_mask=mask.npu())
    assert not result[:, :, 3].cpu().any()


def test_views_are_read_as_they_lie():
    qkv = numbers(2, 8, 3, 4, 16)
    split = lambda x: x.permute(2, 0, 3, 1, 4).unbind(0)

    def attend(x):
        return F.scaled_dot_product_attention(*split(x), is_causal=True).transpose(1, 2).reshape(2, 8, 64)

    ours, cpu = (result_and_gradients(attend, [qkv], device) for device in ("npu", "cpu"))
    same(ours, cpu, **CLOSE)


def test_a_view_into_a_cache():
    cache = numbers(2, 2, 4, 32, 16)
    q = numbers(2, 4, 1, 16)
    for length in (1, 2, 17, 32):
        k, v = cache[0, :, :, :length], cache[1, :, :, :length]
        there = cache.npu()
        ours = F.scaled_dot_product_attention(q.npu(), there[0, :, :, :length], there[1, :, :, :length])
        same(ours, F.scaled_dot_product_attention(q, k, v), **CLOSE)


def test_repeated_keys_are_read_as_they_lie():
    compare(numbers(2, 4, 5, 16), numbers(1, 4, 6, 16).expand(2, 4, 6, 16), numbers(1, 1, 6, 16).expand(2, 4, 6, 16))


@pytest.mark.parametrize("causal", [False, True])
def test_heads_that_share_keys(causal):
    compare(numbers(2, 8, 6, 16), numbers(2, 2, 6, 16), numbers(2, 2, 6, 16), enable_gqa=True, is_causal=causal)


def test_dropout_drops_and_its_gradient_drops_the_same():
    q, k, v = numbers(2, 4, 32, 16), numbers(2, 4, 32, 16), torch.eye(32).repeat(2, 4, 1, 1)
    there = [x.npu().requires_grad_() for x in (q, k, v)]
    result = F.scaled_dot_product_attention(*there, dropout_p=0.25)
    shares = torch.softmax(q @ k.transpose(-1, -2) / 4, -1)
    # With the identity as values, the result is the attention weights after dropout.
    kept = result.detach().cpu() / shares
    assert abs((kept == 0).float().mean().item() - 0.25) < 0.03
    same(kept[kept != 0], torch.full_like(kept[kept != 0], 1 / 0.75))
    here = [x.requires_grad_() for x in (q, k, v)]
    again = (torch.softmax(here[0] @ here[1].transpose(-1, -2) / 4, -1) * (kept != 0) / 0.75) @ here[2]
    weights = torch.randn_like(again)
    result.backward(weights.npu())
    again.backward(weights)
    same([x.grad for x in there], [x.grad for x in here], **CLOSE)


def test_dropout_repeats_with_its_seed():
    q, k, v = (numbers(2, 4, 8, 16).npu() for _ in range(3))
    results = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        results.append(F.scaled_dot_product_attention(q, k, v, dropout_p=0.5).cpu())
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH", "SBH"])
def test_the_clients_own_function(layout):
    import torch_npu

    q, k, v = (numbers(2, 4, 6, 16) for _ in range(3))
    hidden = torch.ones(6, 6, dtype=torch.bool).triu(1)

    def laid(x):
        if layout == "BNSD":
            return x
        if layout == "SBH":
            return x.permute(2, 0, 1, 3).reshape(6, 2, 64)
        x = x.transpose(1, 2)
        return x.contiguous() if layout == "BSND" else x.reshape(2, 6, 64)

    def ours(*qkv):
        return torch_npu.npu_fusion_attention(*qkv, 4, layout, atten_mask=hidden.npu(), scale=0.25)[0]

    def cpu(*qkv):
        return laid(F.scaled_dot_product_attention(*qkv, is_causal=True))

    mine = result_and_gradients(ours, [laid(x) for x in (q, k, v)], "npu")
    result, *gradients = result_and_gradients(cpu, (q, k, v), "cpu")
    same(mine, [result, *(laid(x) for x in gradients)], **CLOSE)


def test_what_is_not_offered_is_said():
    import torch_npu

    q = numbers(2, 4, 6, 16).npu()
    mask = torch.ones(2048, 2048, dtype=torch.bool).triu(1).npu()
    with pytest.raises(RuntimeError, match="prefix.*use attenMask"):
        torch_npu.npu_fusion_attention(q, q, q, 4, "BNSD", atten_mask=mask, sparse_mode=6, prefix=[1, 1])
        torch.npu.synchronize()


def both(make, call, inputs, training):
    """A module with its inputs on both devices: results, and the gradients of its parameters and inputs."""
    module = make()
    module.train(training)

    def on(device):
        there = copy.deepcopy(module).to(device)
        given = [value.detach().to(device) for value in inputs]
        if not training:
            with torch.no_grad():
                results = call(there, *given)
            return [value for value in (results if isinstance(results, tuple) else (results,)) if value is not None]
        leaves = [value.requires_grad_() for value in given if value.is_floating_point() and value.dim() == 3]
        results = call(there, *given)
        results = [value for value in (results if isinstance(results, tuple) else (results,)) if value is not None]
        total = sum((value * torch.arange(value.numel(), device=device).reshape(value.shape).float().cos()).sum() for value in results)
        total.backward()
        return [*results, *(p.grad for p in there.parameters() if p.grad is not None), *(leaf.grad for leaf in leaves)]

    same(on("npu"), on("cpu"), **CLOSE)


PADDING = torch.arange(6)[None] >= torch.tensor([6, 4])[:, None]
AHEAD = torch.ones(6, 6, dtype=torch.bool).triu(1)
MINUS = torch.zeros(6, 6).masked_fill(AHEAD, -math.inf)

ATTENTION_CALLS = {
    "plain": (lambda m, x, **o: m(x, x, x, **o), []),
    "bool mask": (lambda m, x, mask, **o: m(x, x, x, attn_mask=mask, **o), [AHEAD]),
    "number mask": (lambda m, x, mask, **o: m(x, x, x, attn_mask=mask, **o), [MINUS]),
    "causal": (lambda m, x, mask, **o: m(x, x, x, attn_mask=mask, is_causal=True, **o), [MINUS]),
    "padding": (lambda m, x, hidden, **o: m(x, x, x, key_padding_mask=hidden, **o), [PADDING]),
    "both": (lambda m, x, hidden, mask, **o: m(x, x, x, key_padding_mask=hidden, attn_mask=mask, **o), [PADDING, AHEAD]),
    "other keys": (lambda m, x, y, **o: m(x, y, y, **o), [torch.ones(2, 5, 16).cumsum(1).cos()]),
}


@pytest.mark.parametrize("training", [True, False], ids=["training", "inference"])
@pytest.mark.parametrize("weights", [True, False], ids=["weights", "no weights"])
@pytest.mark.parametrize("name", ATTENTION_CALLS)
def test_multihead_attention(name, weights, training):
    call, more = ATTENTION_CALLS[name]
    both(
        lambda: nn.MultiheadAttention(16, 4, batch_first=True),
        lambda module, *given: call(module, *given, need_weights=weights),
        [numbers(2, 6, 16), *more],
        training,
    )


def layer(**options):
    return nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True, **options)


LAYERS = {
    "layer": (layer, lambda m, x: m(x), []),
    "layer with mask": (layer, lambda m, x, mask: m(x, src_mask=mask), [MINUS]),
    "layer causal": (layer, lambda m, x, mask: m(x, src_mask=mask, is_causal=True), [MINUS]),
    "layer with padding": (layer, lambda m, x, hidden: m(x, src_key_padding_mask=hidden), [PADDING]),
    "layer norm first": (lambda: layer(norm_first=True, activation="gelu"), lambda m, x: m(x), []),
    "encoder": (lambda: nn.TransformerEncoder(layer(), 2), lambda m, x: m(x), []),
    "encoder causal": (lambda: nn.TransformerEncoder(layer(), 2), lambda m, x, mask: m(x, mask=mask), [MINUS]),
    # In inference PyTorch would turn padded batches into nested tensors, which torch_npu does not support.
    "encoder with padding": (
        lambda: nn.TransformerEncoder(layer(), 2, enable_nested_tensor=False),
        lambda m, x, hidden: m(x, src_key_padding_mask=hidden),
        [PADDING],
    ),
    "transformer": (
        lambda: nn.Transformer(16, 4, 1, 1, 32, dropout=0.0, batch_first=True),
        lambda m, x, y: m(x, y, tgt_mask=nn.Transformer.generate_square_subsequent_mask(5, device=x.device)),
        [torch.ones(2, 5, 16).cumsum(1).cos()],
    ),
}


@pytest.mark.parametrize("training", [True, False], ids=["training", "inference"])
@pytest.mark.parametrize("name", LAYERS)
def test_transformer_layers(name, training):
    make, call, more = LAYERS[name]
    both(make, call, [numbers(2, 6, 16), *more], training)


FIRST_USE = """
import torch, torch_npu
x = torch.zeros(1, 2, 3, 4); x[0, 0, 0] = float("-inf")
assert torch.equal(torch._safe_softmax(x.npu(), -1).cpu(), torch._safe_softmax(x, -1))
"""


@pytest.mark.parametrize("first", ["torch", "torch_npu"])
@pytest.mark.parametrize("autoload", ["0", "1"])
def test_the_remedy_is_there_however_a_script_begins(first, autoload):
    ended = script(f"import {first}\n{FIRST_USE}", env={"TORCH_DEVICE_BACKEND_AUTOLOAD": autoload})
    assert ended.status == 0, ended


def test_the_remedy_is_there_after_a_look_for_the_package():
    ended = script(f"import importlib.util; assert importlib.util.find_spec('torch_npu')\n{FIRST_USE}")
    assert ended.status == 0, ended


def test_what_was_found_can_be_copied():
    look = "import copy, importlib.util; spec = copy.deepcopy(importlib.util.find_spec('torch_npu')); assert spec.loader.is_package('torch_npu')"
    ended = script(look)
    assert ended.status == 0, ended


def test_a_sitecustomize_of_the_users_own_still_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("HERE = 'the user'\n")
    ended = script(f"import sitecustomize; assert sitecustomize.HERE == 'the user'\n{FIRST_USE}", env={"PYTHONPATH": str(tmp_path)})
    assert ended.status == 0, ended


def test_two_installations_on_the_way_do_not_look_for_each_other(tmp_path):
    other, user = tmp_path / "other", tmp_path / "user"
    shutil.copytree(ROOT / "packaging" / "torch", other)
    user.mkdir()
    (user / "sitecustomize.py").write_text("HERE = 'the user'\n")
    ended = script(f"import sitecustomize; assert sitecustomize.HERE == 'the user'\n{FIRST_USE}", env={"PYTHONPATH": f"{other}:{user}"})
    assert (ended.status, "sitecustomize" in ended.err) == (0, False), ended


CHECKED = """
import torch, torch_npu, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
q, k, v = (torch.randn(2, 4, 16, 16).npu().requires_grad_() for _ in range(3))
layer = nn.MultiheadAttention(16, 4, batch_first=True).npu()
hidden = torch.ones(8, 8, dtype=torch.bool).triu(1).npu()
for _ in range(3):
    y = F.scaled_dot_product_attention(q.transpose(1, 2).contiguous().transpose(1, 2), k, v, is_causal=True, dropout_p=0.1)
    z = layer(*(torch.randn(2, 8, 16).npu() for _ in range(3)), attn_mask=hidden, need_weights=False)[0]
    (y.sum() + z.sum()).backward()
torch.npu.synchronize()
"""


def test_attention_is_silent_under_check():
    ended = script(CHECKED, check=["--stacks", "0"])
    assert ended.findings is not None, ended
    # Leaks of torch_npu at exit are unrelated to attention.
    found = [finding for finding in ended.findings if not finding["rule"].endswith((".leak", ".dialect"))]
    assert found == [], ended
