"""Attention and its gradient, against the formula written out head by head."""

import numpy as np

from .base import *  # noqa: F403

ALL = 2**31 - 1


def open_heads(x, layout, heads):
    """Batch, head, row, number."""
    if layout in ("BSH", "SBH"):
        x = x.reshape(*x.shape[:2], heads, -1)
        return x.transpose(0, 2, 1, 3) if layout == "BSH" else x.transpose(1, 2, 0, 3)
    return x if layout == "BNSD" else x.transpose(0, 2, 1, 3)


def close_heads(x, layout):
    if layout == "BNSD":
        return x
    if layout == "SBH":
        return x.transpose(2, 0, 1, 3).reshape(x.shape[2], x.shape[0], -1)
    x = x.transpose(0, 2, 1, 3)
    return x if layout == "BSND" else x.reshape(*x.shape[:2], -1)


def hidden(mode, mask, rows, columns, before, after):
    i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
    end = columns - rows
    if mode == 0:
        return None if mask is None else mask.astype(bool) | (j > i + after) | (j < i - before)
    if mode == 1:
        return mask.astype(bool)
    if mode == 2:
        return j > i
    if mode == 3:
        return j > i + end
    return (j > i + end + after) | (j < i + end - before)


def reference(q, k, v, dy, pse, drop, mask, scale, keep, mode, before, after, pse_type):
    """In 64 bits: maxima, sums, result, dq, dk, dv, dpse."""
    q, k, v, dy = (x.astype(f64) for x in (q, k, v, dy))
    group = q.shape[1] // k.shape[1]
    K, V = np.repeat(k, group, 1), np.repeat(v, group, 1)
    s = np.einsum("bnid,bnjd->bnij", q, K)
    if pse is not None:
        s = (s + pse) * scale if pse_type == 1 else s * scale + pse
    else:
        s = s * scale
    away = hidden(mode, mask, s.shape[2], s.shape[3], before, after)
    away = np.zeros(s.shape, bool) if away is None else np.broadcast_to(away, s.shape)
    s = np.where(away, -np.inf, s)
    top = s.max(-1, keepdims=True)
    top = np.where(np.isinf(top), 0, top)
    e = np.exp(s - top)
    total = e.sum(-1, keepdims=True)
    p = e / np.where(total == 0, 1, total)
    factor = np.ones(s.shape) if drop is None else drop.reshape(s.shape) / keep
    y = (p * factor) @ V
    dp = (dy @ V.swapaxes(2, 3)) * factor
    ds = p * (dp - (p * dp).sum(-1, keepdims=True))
    back = lambda x: x.reshape(x.shape[0], k.shape[1], group, *x.shape[2:]).sum(2)
    dq, dk = ds @ K * scale, back(ds.swapaxes(2, 3) @ q * scale)
    dv = back((p * factor).swapaxes(2, 3) @ dy)
    dpse = None
    if pse is not None:
        axes = tuple(axis for axis in range(4) if pse.shape[axis] == 1)
        dpse = ds.sum(axes, keepdims=True) * (scale if pse_type == 1 else 1)
    return top, total, y, dq, dk, dv, dpse


def attention(layout="BNSD", B=2, N=4, kv=4, S=5, T=5, D=8, E=8, dtype=f32, mode=0, mask=None, pse=None, keep=1.0,
              before=ALL, after=ALL, scale=0.3, pse_type=1, sparse_mask=False):
    q, k, v, dy = (rand(*shape, dtype=dtype) for shape in ((B, N, S, D), (B, kv, T, D), (B, kv, T, E), (B, N, S, E)))
    pse = None if pse is None else rand(*pse, dtype=dtype)
    drop, packed = None, None
    if keep < 1:
        count = B * N * S * T
        drop = RNG.integers(0, 2, -(-count // 128) * 128).astype(u8)
        packed, drop = np.packbits(drop, bitorder="little"), drop[:count]
    given = np.triu(np.ones((16, 16), bool), 1) if sparse_mask else mask
    wanted = reference(wide(q), wide(k), wide(v), wide(dy), None if pse is None else wide(pse).astype(f64), drop, mask,
                       scale, keep, mode, before, after, pse_type)
    top, total, y, dq, dk, dv, dpse = wanted
    closed = lambda x: close_heads(x, layout).astype(dtype)
    attributes = dict(head_num=N, input_layout=layout, scale_value=scale, keep_prob=keep, sparse_mode=mode,
                      pre_tockens=before, next_tockens=after, pse_type=pse_type, inner_precise=0)
    nothing = Skip(np.zeros(0, dtype))
    seen = np.broadcast_to(total > 0, (*total.shape[:3], 8))

    def kept(values):
        values = np.broadcast_to(values, seen.shape).astype(f32)
        return Check(values, lambda got: np.allclose(got[seen], values[seen], 2e-3 if dtype != f32 else 1e-4, 1e-3) and np.isfinite(got).all())

    tolerance = {f32: 1e-4, f16: 4e-3, bf16: 3e-2}[dtype]
    inputs = [closed(x) for x in (q, k, v)]
    case("FlashAttentionScore", [*inputs, pse, packed, None, given],
         [kept(top), kept(total), nothing, Loose(closed(y), tolerance)], **attributes)
    stored = [np.repeat(np.where(total > 0, x, other), 8, 3).astype(f32) for x, other in ((top, f32(np.finfo(f32).min)), (total, 1))]
    grads = [Loose(closed(x), tolerance) for x in (dq, dk, dv)]
    grads.append(nothing if dpse is None else Loose(dpse.astype(dtype), tolerance))
    for result in (closed(y), None) if dtype == f32 else (closed(y),):
        case("FlashAttentionScoreGrad", [*inputs, closed(dy), pse, packed, None, given, *stored, None, result], grads, **attributes)


for layout in ("BNSD", "BSND", "BSH", "SBH"):
    for kv in (4, 2, 1):
        attention(layout, kv=kv, T=7, E=6)
for dtype in (f32, f16, bf16):
    attention(dtype=dtype)
    attention(dtype=dtype, mode=2, sparse_mask=True)
for mode in (2, 3, 4):
    for T in (3, 5, 8):
        attention(mode=mode, sparse_mask=True, T=T, before=2, after=1, kv=2)
half = rand(5, 5, dtype=np.bool_)
half[2] = True
for mode in (0, 1):
    attention(mode=mode, mask=half)
    attention(mode=mode, mask=half.astype(u8))
    for shape in ((2, 1, 5, 5), (2, 4, 5, 5), (1, 1, 5, 5), (2, 1, 1, 5), (4, 5, 5)):
        attention(mode=mode, mask=rand(*shape, dtype=np.bool_), kv=2)
attention(mask=np.zeros((5, 5), bool), before=1, after=0)
attention(keep=0.75)
attention(keep=0.5, kv=2, layout="BSH", mode=2, sparse_mask=True)
for shape in ((2, 4, 5, 5), (2, 4, 1, 5), (1, 4, 5, 5), (1, 1, 5, 5)):
    attention(pse=shape, kv=2)
    attention(pse=shape, pse_type=0)

q = rand(1, 2, 3, 4)
rows = np.zeros((1, 2, 3, 8), f32)
for refuse, inputs, changed in (
    ("input_layout", [q, q, q], {"input_layout": "TND"}),
    ("sparse_mode", [q, q, q], {"sparse_mode": 6}),
    ("needs atten_mask", [q, q, q], {"sparse_mode": 2}),
    ("needs drop_mask", [q, q, q], {"keep_prob": 0.5}),
    ("padding_mask", [q, q, q, None, None, q], {}),
    ("prefix and sequence lengths", [q, q, q, None, None, None, None, np.array([1], i64)], {}),
    ("pse_type", [q, q, q, rand(1, 2, 3, 3)], {"pse_type": 2}),
    ("dimensions", [q[0], q, q], {}),
    ("head_num", [q, q, q], {"head_num": 0}),
    ("do not fit", [q[0], q[0], q[0]], {"input_layout": "BSH", "head_num": 3}),
):
    attributes = {"head_num": 2, "input_layout": "BNSD", **changed}
    case("FlashAttentionScore", inputs, [rows, rows, Skip(np.zeros(0, f32)), q], refuse=refuse, **attributes)
