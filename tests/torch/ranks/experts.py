"""Experts on several ranks, and products whose results are added up over ranks, with the results computed on the CPU."""

import torch
import torch.distributed as dist
import torch_npu
from common import DEVICE, RANK, RANKS, run, same, values

TOKENS, WIDTH, CHOICES, OWN = 6, 32, 3, 2
EXPERTS = OWN * RANKS


def group():
    backend = dist.distributed_c10d._get_default_group()._get_backend(torch.device("npu"))
    return backend.get_hccl_comm_name(RANK)


def routed(version, quantised):
    """Tokens go to their experts, which multiply them by their number, and come back."""
    x = values(RANK, TOKENS, WIDTH).bfloat16()
    # The largest number of a row is 127, so that its scale is 1.
    x[:, 0] = 127
    numbers = torch.Generator().manual_seed(RANK)
    ids = torch.stack([torch.randperm(EXPERTS, generator=numbers)[:CHOICES] for _ in range(TOKENS)]).int()
    weights = values(RANK, TOKENS, CHOICES, seed=1)
    dispatch = getattr(torch_npu, f"npu_moe_distribute_dispatch{version}")
    combine = getattr(torch_npu, f"npu_moe_distribute_combine{version}")
    where = dict(group_ep=group(), ep_world_size=RANKS, ep_rank_id=RANK, moe_expert_num=EXPERTS)
    rows, scales, index, counts, received, other, _ = dispatch(x.to(DEVICE), ids.to(DEVICE), quant_mode=2 if quantised else 0, **where)
    assert rows.dtype == (torch.int8 if quantised else torch.bfloat16)
    factors = torch.zeros(rows.shape[0])
    starts = [0, *counts.cumsum(0).tolist()]
    for own in range(OWN):
        factors[starts[own] : starts[own + 1]] = RANK * OWN + own + 1
    results = rows.float() * factors.to(DEVICE)[:, None]
    if quantised:
        results = results * scales[:, None]
    name = "assist_info_for_combine" if version else "expand_idx"
    ours = combine(expand_x=results.bfloat16(), expert_ids=ids.to(DEVICE), ep_send_counts=received, expert_scales=weights.to(DEVICE), tp_send_counts=other,
                   **{name: index}, **where)
    cpu = (x.float() * ((ids + 1) * weights).sum(1, keepdim=True)).bfloat16()
    same(ours, cpu, rtol=2e-2, atol=2e-2)


def first_version():
    routed("", False)


def second_version():
    routed("_v2", False)


def quantised_tokens():
    routed("", True)
    routed("_v2", True)


def products_of_integers():
    x, y = values(RANK, 4, 16, kind=torch.int8), values(RANK, 16, 8, kind=torch.int8, seed=1)
    products = [values(rank, 4, 16) @ values(rank, 16, 8, seed=1) for rank in range(RANKS)]
    scale = torch.full((8,), 0.5, dtype=torch.bfloat16)
    cpu = sum(product * 0.5 for product in products).bfloat16()
    same(torch_npu.npu_mm_all_reduce_base(x.to(DEVICE), y.to(DEVICE), group(), dequant_scale=scale.to(DEVICE)), cpu, rtol=2e-2, atol=2)
    lines = torch.full((4,), 2.0)
    ours = torch_npu.npu_mm_all_reduce_base(x.to(DEVICE), y.to(DEVICE), group(), dequant_scale=scale.to(DEVICE), pertoken_scale=lines.to(DEVICE))
    same(ours, (cpu.float() * 2).bfloat16(), rtol=2e-2, atol=4)


def products_with_a_third_tensor():
    x, y, z = values(RANK, 4, 16).half(), values(RANK, 16, 8, seed=1).half(), values(RANK, 4, 8, seed=2).half()
    parts = [values(rank, 4, 16) @ values(rank, 16, 8, seed=1) + values(rank, 4, 8, seed=2) for rank in range(RANKS)]
    same(torch_npu.npu_mm_all_reduce_base(x.to(DEVICE), y.to(DEVICE), group(), x3=z.to(DEVICE)), sum(parts).half())


run([first_version, second_version, quantised_tokens, products_of_integers, products_with_a_third_tensor])
