"""Latent and sparse attention of serving programs, and products with weights in blocks: against plain formulas on the CPU."""

import pytest
import torch
import torch_npu
from support import same

CLOSE = dict(rtol=3e-2, atol=3e-2)


@pytest.fixture(autouse=True)
def blocks():
    """Tensors may be stored in blocks."""
    torch.npu.config.allow_internal_format = True
    yield
    torch.npu.synchronize()
    torch.npu.config.allow_internal_format = False


def in_blocks(tensor):
    stored = torch_npu.npu_format_cast(tensor.npu().contiguous(), 29)
    assert torch_npu.get_npu_format(stored) == 29
    return stored


@pytest.mark.parametrize("dtype", [torch.float16, torch.int8], ids=str)
@pytest.mark.parametrize("shape", [(64, 48), (17, 20), (3, 33, 65)], ids=str)
def test_blocks_have_the_numbers_of_the_matrix(dtype, shape):
    matrix = torch.randint(-100, 100, shape).to(dtype)
    stored = in_blocks(matrix)
    same(torch_npu.npu_format_cast(stored, 2), matrix)
    same(stored.cpu(), matrix)


def test_a_product_reads_blocks():
    x, weight = torch.randn(5, 64).half(), torch.randn(64, 48).half()
    same(x.npu() @ in_blocks(weight), (x.float() @ weight.float()).half(), rtol=1e-2, atol=2e-2)


def test_projections_of_latent_attention():
    hidden, low, latent, heads, plain, rope = 64, 32, 32, 2, 16, 8
    x = torch.randn(2, 2, hidden).bfloat16()
    down, up, keys = torch.randn(hidden, low) / 8, torch.randn(low, heads * (plain + rope)) / 6, torch.randn(hidden, latent + rope) / 8
    down, up, keys, matrices = down.bfloat16(), up.bfloat16(), keys.bfloat16(), (torch.randn(heads, plain, latent) / 4).bfloat16()
    sin, cos = torch.randn(2, 2, rope).bfloat16(), torch.randn(2, 2, rope).bfloat16()
    index = torch.tensor([[0, 5], [17, 30]])
    caches = torch.zeros(2, 16, 1, latent).bfloat16().npu(), torch.zeros(2, 16, 1, rope).bfloat16().npu()
    given = [x.npu(), in_blocks(down), in_blocks(up), matrices.npu(), in_blocks(keys), torch.ones(low).bfloat16().npu(), torch.ones(latent).bfloat16().npu(),
             sin.npu(), cos.npu()]

    def normed(x):
        return x / torch.sqrt((x**2).mean(-1, keepdim=True) + 1e-5)

    def turned(x, sin, cos):
        halves = torch.cat([x[..., ::2], x[..., 1::2]], -1)
        return halves * cos + torch.cat([-halves[..., rope // 2 :], halves[..., : rope // 2]], -1) * sin

    low_rank = normed(x.float() @ down.float())
    both = (low_rank.bfloat16().float() @ up.float()).view(2, 2, heads, plain + rope)
    query = torch.einsum("bsnd,ndl->bsnl", both[..., :plain].bfloat16().float(), matrices.float())
    both_keys = x.float() @ keys.float()
    query_rope, *_ = (turned(both[..., plain:], sin.float()[:, :, None], cos.float()[:, :, None]),)
    results = torch_npu.npu_mla_prolog_v3(*given, *caches, cache_index=index.npu(), query_norm_flag=True)
    same(results[0].float(), query, **CLOSE)
    same(results[1].float(), query_rope, **CLOSE)
    same(results[3].float(), low_rank, **CLOSE)
    rows = [cache.float().cpu().view(32, -1)[index.view(-1)] for cache in caches]
    same(rows[0], normed(both_keys[..., :latent]).view(4, -1), **CLOSE)
    same(rows[1], turned(both_keys[..., latent:], sin.float(), cos.float()).view(4, -1), **CLOSE)
    older = torch_npu.npu_mla_prolog_v2(*given, index.npu(), *caches)
    same(older[0].float(), query, **CLOSE)


def test_attention_over_a_quantised_cache():
    width, rope = 128, 64
    query = torch.randn(1, 2, 4, width + rope).bfloat16()
    numbers, turned, scale = torch.randint(-100, 100, (2, 16, 1, width), dtype=torch.int8), torch.randn(2, 16, 1, rope).bfloat16(), torch.rand(2, 16, 1, 1) / 100
    cache = torch.cat([numbers, turned.view(torch.int8), scale.view(torch.int8)], -1).contiguous().npu()
    chosen = torch.arange(8, dtype=torch.int32).view(1, 1, 1, 8).repeat(1, 2, 1, 1)
    lengths = [torch.tensor([count], dtype=torch.int32).npu() for count in (2, 20)]
    ours = torch_npu.npu_kv_quant_sparse_flash_attention(
        query.npu(), cache, cache, chosen.npu(), 0.1, 2, 2, block_table=torch.tensor([[0, 1]], dtype=torch.int32).npu(), actual_seq_lengths_query=lengths[0],
        actual_seq_lengths_kv=lengths[1], sparse_block_size=1, layout_kv="PA_BSND", attention_mode=2, quant_scale_repo_mode=1, tile_size=128, rope_head_dim=rope)
    keys = (numbers.float() * scale).view(32, width)[:8]
    whole = torch.cat([keys, turned.float().view(32, rope)[:8]], -1)
    same(ours.float(), (torch.softmax(query[0].float() @ whole.T * 0.1, -1) @ keys)[None], **CLOSE)


def grouped():
    """Rows of integers in three groups, the matrices of the groups, and scales."""
    x, weight = torch.randint(-10, 10, (12, 32), dtype=torch.int8), torch.randint(-10, 10, (3, 32, 64), dtype=torch.int8)
    scale, lines = torch.rand(3, 64) * 0.01, torch.rand(12) * 0.1
    products = torch.stack([x[row].float() @ weight[row // 4].float() * scale[row // 4] * lines[row] for row in range(12)])
    return x, weight, scale, lines, products


def test_grouped_products_go_to_their_tokens():
    x, weight, scale, lines, products = grouped()
    logit, index, shared = torch.rand(12), torch.randint(0, 5, (12,)), torch.randn(2, 64).bfloat16()
    cpu = torch.zeros(5, 64)
    cpu[1:3] += shared.float()
    cpu.index_add_(0, index, products * logit[:, None])
    ours = torch_npu.npu_grouped_matmul_finalize_routing(
        x.npu(), in_blocks(weight), torch.tensor([4, 4, 4]).npu(), scale=scale.npu(), pertoken_scale=lines.npu(), shared_input=shared.npu(), logit=logit.npu(),
        row_index=index.npu(), shared_input_offset=1, output_bs=5)
    same(ours, cpu)


def test_grouped_products_are_gated_and_quantised():
    x, weight, scale, lines, products = grouped()
    y, step = torch_npu.npu_grouped_matmul_swiglu_quant_v2(x.npu(), [in_blocks(weight)], [scale.npu()], lines.npu(), torch.tensor([4, 8, 12]).npu())
    cpu = torch.nn.functional.silu(products[:, :32]) * products[:, 32:]
    assert y.dtype == torch.int8
    same(y.float() * step[:, None], cpu, rtol=0, atol=float(cpu.abs().max()) / 127)
