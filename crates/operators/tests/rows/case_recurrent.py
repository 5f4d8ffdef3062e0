"""Recurrent networks. Gradients are compared with differences of the network itself."""

import numpy as np

from .base import *  # noqa: F403
from .case_normalisation import difference

T, B, I, H = 4, 2, 3, 5


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, w, b, h, c, order, reverse=False, forget=0.0):
    made = []
    for t in range(len(x))[::-1] if reverse else range(len(x)):
        gates = np.split(np.concatenate([x[t], h], 1) @ w + b, 4, 1)
        i, j, f, o = (gates[order.replace("c", "j").index(k)] for k in "ijfo")
        i, j, f, o = sigmoid(i), np.tanh(j), sigmoid(f + forget), sigmoid(o)
        c = f * c + i * j
        h = o * np.tanh(c)
        made.append((h, h, c, i, j, f, o, np.tanh(c)))
    made = made[::-1] if reverse else made
    return [np.stack(column) for column in zip(*made)]


def gru(x, wi, wh, bi, bh, h, order, reverse=False, after=True):
    made = []
    at = {k: order.index(k) for k in "zrh"}
    for t in range(len(x))[::-1] if reverse else range(len(x)):
        a = np.split(x[t] @ wi + bi, 3, 1)
        e = np.split(h @ wh + bh, 3, 1)
        r, z = sigmoid(a[at["r"]] + e[at["r"]]), sigmoid(a[at["z"]] + e[at["z"]])
        inside = e[at["h"]] if after else (r * h) @ np.split(wh, 3, 1)[at["h"]] + np.split(bh, 3)[at["h"]]
        n = np.tanh(a[at["h"]] + (r * inside if after else inside))
        h = (1 - z) * n + z * h
        made.append((h, h, z, r, n, inside))
    made = made[::-1] if reverse else made
    return [np.stack(column) for column in zip(*made)]


for dtype in (f32, f16, bf16):
    tolerance = {f32: 1e-4, f16: 4e-3, bf16: 4e-2}[dtype]
    loose = lambda values: [Loose(np.asarray(v).astype(dtype), tolerance) for v in values]
    for order, reverse, forget in (("ifjo", False, 0.0), ("ifco", True, 0.0), ("ijfo", False, 1.0)):
        x, w, b, h, c = (rand(*s, dtype=dtype, low=-1, high=1) for s in ((T, B, I), (I + H, 4 * H), (4 * H,), (1, B, H), (1, B, H)))
        wx, ww, wb, wh, wc = (wide(v).astype(f64) for v in (x, w, b, h, c))
        made = lstm(wx, ww, wb, wh[0], wc[0], order, reverse, forget)
        how = {"cell_type": "LSTM", "direction": "REDIRECTIONAL" if reverse else "UNIDIRECTIONAL", "gate_order": order, "forget_bias": forget, "time_major": True}
        case("DynamicRNN", [x, w, b, None, h, c], loose(made), **how)
        case("DynamicRNNV2", [x, w[:I].copy(), w[I:].copy(), b, None, h, c], loose(made), **how)
        none = lstm(wx, ww, wb, np.zeros((B, H)), np.zeros((B, H)), order, reverse, forget)
        case("DynamicRNN", [x, w, b], loose(none), **how)
        dy, dh, dc = rand(T, B, H, dtype=dtype), rand(1, B, H, dtype=dtype), rand(1, B, H, dtype=dtype)
        wdy, wdh, wdc = (wide(v).astype(f64) for v in (dy, dh, dc))
        end = 0 if reverse else -1

        def whole(x, w, b, h, c):
            y = lstm(x, w, b, h, c, order, reverse, forget)
            return np.array((y[0] * wdy).sum() + (y[1][end] * wdh[0]).sum() + (y[2][end] * wdc[0]).sum())

        if dtype == f32:
            values = [wx, ww, wb, wh[0], wc[0]]
            grads = [difference(lambda v, k=k: whole(*[v if k == n else values[n] for n in range(5)]), values[k], 1) for k in range(5)]
            dx, dw, db, dh0, dc0 = grads
            saved = [v.astype(f32) for v in made]
            empty = np.zeros(1, f32)
            inputs = [x, w, b, saved[0], h, c, saved[1], saved[2], dy, dh, dc, *saved[3:], empty, np.zeros(1, u8), empty, empty, empty]
            case("DynamicRNNGrad", inputs, [Loose(v.astype(f32), 2e-4) for v in (dw, db, dx, dh0[None], dc0[None])], **how)
            case("DynamicRNNGrad", inputs, [Loose(v.astype(f32), 2e-4) for v in (dw, db, dx, dh0, dc0)], **how)
    for order, reverse, after in (("rzh", False, True), ("zrh", True, True), ("rzh", False, False)):
        x, wi, wh, bi, bh, h = (rand(*s, dtype=dtype, low=-1, high=1) for s in ((T, B, I), (I, 3 * H), (H, 3 * H), (3 * H,), (3 * H,), (1, B, H)))
        values = [wide(v).astype(f64) for v in (x, wi, wh, bi, bh, h[0])]
        made = gru(*values, order, reverse, after)
        how = {"direction": "REDIRECTIONAL" if reverse else "UNIDIRECTIONAL", "gate_order": order, "reset_after": after}
        case("DynamicGRUV2", [x, wi, wh, bi, bh, None, h], loose(made), **how)
        bare = gru(*values[:3], np.zeros(3 * H), np.zeros(3 * H), np.zeros((B, H)), order, reverse, after)
        case("DynamicGRUV2", [x, wi, wh], loose(bare), **how)
        if dtype != f32 or not after:
            continue
        dy, dh = rand(T, B, H), rand(B, H)
        end = 0 if reverse else -1

        def whole(*values):
            y = gru(*values, order, reverse)[0]
            return np.array((y * dy).sum() + (y[end] * dh).sum())

        dx, dwi, dwh, dbi, dbh, dh0 = [difference(lambda v, k=k: whole(*[v if k == n else values[n] for n in range(6)]), values[k], 1) for k in range(6)]
        saved = [v.astype(f32) for v in made]
        inputs = [x, wi, wh, saved[0], h, saved[1], dy, dh, *saved[2:], np.zeros(1, f32), np.zeros(1, u8)]
        case("DynamicGRUV2Grad", inputs, [Loose(v.astype(f32), 2e-4) for v in (dwi, dwh, dbi, dbh, dx, dh0)], **how)
case("DynamicRNN", [x, rand(I + H, 4 * H), rand(4 * H), np.array([4, 2], i32)], [rand(T, B, H)], refuse="single sequences")
case("DynamicRNN", [x.astype(f32), rand(I + H, 4 * H), rand(4 * H)], [rand(T, B, H)], gate_order="xyzw", refuse="an order of the gates")
