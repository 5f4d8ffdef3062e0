"""Operators that few programs use."""

import itertools

import numpy as np

from .base import *  # noqa: F403
from .case_normalisation import difference
from .case_recurrent import H, I, lstm
from .case_window import conv, conv_back


def log_sum(values):
    return np.logaddexp.reduce(values)


def spread(target, blank):
    """A target with blanks around its labels."""
    return [blank, *itertools.chain.from_iterable((label, blank) for label in target)]


def ctc(log_probs, targets, lengths, blank, places):
    """Losses by adding up ways, place by place: the losses and the table of what came before."""
    steps, samples, _ = log_probs.shape
    losses, table = np.zeros(samples), np.full((samples, steps, places), -np.inf)
    for n in range(samples):
        line = spread(targets[n], blank)
        alpha = np.full(len(line), -np.inf)
        for t in range(steps):
            before = alpha.copy()
            for k, label in enumerate(line):
                ways = [before[k]] if t else [0.0 if k < 2 else -np.inf]
                if t and k > 0:
                    ways.append(before[k - 1])
                if t and k > 1 and label != line[k - 2]:
                    ways.append(before[k - 2])
                alpha[k] = log_sum(ways) + log_probs[t, n, label]
            table[n, t, : len(line)] = alpha
        last = table[n, lengths[n] - 1]
        losses[n] = -log_sum([last[len(line) - 1]] + ([last[len(line) - 2]] if len(line) > 1 else []))
    return losses, table


logits = rand(6, 3, 5).astype(f64)
log_probs = logits - np.log(np.exp(logits).sum(2, keepdims=True))
for blank, lengths, targets in ((0, [6, 5, 4], [[1, 1, 2], [3], [4, 2]]), (4, [6, 6, 6], [[0, 1, 2], [], [3, 3, 3]]), (2, [6, 5, 6], [[1, 2, 3], [2], [2, 2]]), (0, [6, 5, 6], [[1, 0, 2], [0], [3, 0, 3]])):
    losses, table = ctc(log_probs, targets, lengths, blank, 8)
    padded = np.array([target + [0] * (3 - len(target)) for target in targets])
    joined = np.array(list(itertools.chain.from_iterable(targets)))
    sizes = [len(target) for target in targets]
    dy = rand(3)
    grad = difference(lambda v: np.array((ctc(v, targets, lengths, blank, 8)[0] * dy).sum()), log_probs, 1)
    # The gradient is that of the scores behind the logarithms of probabilities, as PyTorch has it.
    grad = grad + np.exp(log_probs) * dy[:, None]
    grad *= (np.arange(6)[:, None] < np.array(lengths))[:, :, None]
    for written in (padded, joined):
        for kind in (i64, i32):
            inputs = [log_probs.astype(f32), written.astype(kind), Const(lengths), Const(sizes)]
            # PyTorch's plug-in adds the greatest length times the classes.
            case("CTCLossV2", inputs, [losses.astype(f32), Loose(table.astype(f32), 1e-4)], blank=blank + 15, zero_infinity=False)
        inputs = [dy, log_probs.astype(f32), written, np.array(lengths), np.array(sizes), losses.astype(f32), table.astype(f32)]
        case("CTCLossV2Grad", inputs, Loose(grad.astype(f32), 3e-4), blank=blank, zero_infinity=False)
short, _ = ctc(log_probs[:2], [[1, 1, 2], [3], [4, 2]], [2, 2, 2], 0, 8)
assert np.isinf(short[0])
inputs = [log_probs[:2].astype(f32), np.array([[1, 1, 2], [3, 0, 0], [4, 2, 0]]), Const([2, 2, 2]), Const([3, 1, 2])]
case("CTCLossV2", inputs, [short.astype(f32), Skip(rand(3, 2, 8))][:1] + [Check(rand(3, 2, 8), lambda a: True)], blank=0, zero_infinity=True)
inputs = [np.ones(3, f32), *[v.array if isinstance(v, Const) else v for v in inputs], short.astype(f32), ctc(log_probs[:2], [[1, 1, 2], [3], [4, 2]], [2] * 3, 0, 8)[1].astype(f32)]
case("CTCLossV2Grad", inputs, Check(rand(2, 3, 5), lambda a: np.isfinite(a).all() and not a[:, 0].any() and a[:, 1].any()), blank=0, zero_infinity=True)
case("CTCLossV2", [rand(3, 5), padded, Const([3]), Const([2])], [rand(1), rand(1, 3, 8)], refuse="3 are needed")

formula("LogAddExp", [(3, 4), (4,)], np.logaddexp, (f32, f16, bf16, f64))
formula("LogAddExp", [(3, 4), (4,)], np.logaddexp2, base=2.0, scale=1.0, shift=0.0)
edges = np.array([np.inf, -np.inf, -np.inf, np.inf], f32), np.array([np.inf, -np.inf, 1.0, -np.inf], f32)
case("LogAddExp", list(edges), np.logaddexp(*edges), base=-1.0)
case("LogSpaceD", [rand(5)], np.logspace(0, 2, 5, dtype=f32), start=0.0, end=2.0, steps=5, base=10.0, dtype=1)
case("LogSpaceD", [rand(1)], np.array([4.0], f32), start=2.0, end=7.0, steps=1, base=2.0)
formula("SoftMarginLoss", [(3, 4), (3, 4)], lambda x, y: np.log1p(np.exp(-y * x)), reduction="none")
formula("SoftMarginLoss", [(3, 4), (3, 4)], lambda x, y: np.log1p(np.exp(-y * x)).mean())
formula("SoftMarginLossGrad", [(3, 4), (3, 4), ()], lambda x, y, dy: dy * -y / (1 + np.exp(y * x)), reduction="sum")
formula("SoftMarginLossGrad", [(3, 4), (3, 4), ()], lambda x, y, dy: dy * -y / (1 + np.exp(y * x)) / 12)

for shape, wrap in (((4, 4), False), ((3, 5), False), ((7, 3), False), ((7, 3), True), ((3, 3, 3), False), ((0, 3), False)):
    for dtype in (f32, bf16, i64):
        x = rand(*shape, dtype=dtype)
        want = x.copy()
        if x.size:
            np.fill_diagonal(want, 9, wrap=wrap)
        case("FillDiagonal", [x], want, fill_value=9.0, wrap=wrap)
case("FillDiagonal", [rand(3, 4, 3)], rand(3, 4, 3), fill_value=1.0, refuse="no diagonal")

for dtype, out in ((f32, f32), (f16, f32), (i32, i32)):
    x = rand(40, dtype=dtype, low=-3, high=3)
    case("Histogram", [x], np.histogram(x, 5, (-2, 2))[0].astype(out), bins=5, min=-2.0, max=2.0)
    case("Histogram", [x.reshape(4, 10)], np.histogram(x.astype(f32), 8)[0].astype(out), bins=8)
case("Histogram", [np.full(3, 2, f32)], np.histogram(np.full(3, 2, f32), 4, (1, 3))[0].astype(f32), bins=4)
case("Histogram", [rand(3)], rand(4), bins=4, min=2.0, max=1.0, refuse="not below")

for x in (np.array([1, 1, 2, 2, 2, 1, 3, 3]), np.array([5]), np.zeros(0, i64), rand(3, 4, low=0, high=1, dtype=i64)):
    for dtype in (i64, i32, f32, bf16):
        flat = x.ravel()
        begins = np.append([True] * min(1, flat.size), flat[1:] != flat[:-1]).astype(bool)
        starts = np.flatnonzero(begins)
        index = (np.cumsum(begins) - 1).reshape(x.shape).astype(i64)
        counts = np.diff(np.append(starts, flat.size)).astype(i64)
        outputs = [flat[begins].astype(dtype), index, counts]
        case("UniqueConsecutive", [x.astype(dtype)], outputs, data_dependent=True, return_idx=True, return_counts=True)
        outputs = [outputs[0], Skip(index), Skip(counts)]
        case("UniqueConsecutive", [x.astype(dtype)], outputs, data_dependent=True, return_idx=False, return_counts=False)
case("UniqueConsecutive", [rand(2, 3)], [rand(6)], axis=1, refuse="left out")

x = rand(2, 6, 3, 2)
case("ShuffleChannel", [x], x.reshape(2, 3, 2, 3, 2).swapaxes(1, 2).reshape(x.shape), group=3)
case("ShuffleChannel", [x], x, group=4, refuse="a divisor")
case("NPUGetFloatStatusV2", [], [np.zeros(8, i32)], refuse="aclrtGetOverflowStatus")
case("NPUClearFloatStatusV2", [], [], refuse="aclrtGetOverflowStatus")

# A table of weights for each index: the greatest of each bag, and where it came from.
w, idx, off = rand(6, 4), np.array([1, 3, 3, 5, 0, 2], i32), np.array([0, 3, 3], i32)
parts = [idx[0:3], idx[3:3], idx[3:6]]
most = np.stack([w[part].max(0) if len(part) else np.zeros(4, f32) for part in parts])
whence = np.stack([part[w[part].argmax(0)] if len(part) else np.full(4, -1) for part in parts]).astype(i32)
case("EmbeddingBag", [w, idx, off], [most, np.array([0, 0, 0, 2, 2, 2], i32), np.array([3, 0, 3], i32), whence], mode="max")

# One step, in a network's own dimensions and without the first.
x, weight, b, h, c = (rand(*s, low=-1, high=1) for s in ((2, I), (I + H, 4 * H), (4 * H,), (2, H), (2, H)))
values = [v.astype(f64) for v in (x, weight, b, h, c)]
made = lstm(values[0][None], *values[1:], "ifjo")
dy, dh, dc = rand(1, 2, H), rand(2, H), rand(2, H)


def step(x, weight, b, h, c):
    y = lstm(x[None], weight, b, h, c, "ifjo")
    return np.array((y[0] * dy).sum() + (y[1][-1] * dh).sum() + (y[2][-1] * dc).sum())


dx, dw, db, dh0, dc0 = [difference(lambda v, k=k: step(*[v if k == n else values[n] for n in range(5)]), values[k], 1) for k in range(5)]
saved = [v.astype(f32) for v in made]
none = np.zeros((), f32)
inputs = [x, weight[:I].copy(), weight[I:].copy(), saved[0], h, c, saved[1][0], saved[2][0], dy, dh, dc, *saved[3:], none, none, none, none, np.zeros((), u8)]
outputs = [Loose(v.astype(f32), 2e-4) for v in (dw[:I], dw[I:], db, dx, dh0, dc0)]
case("DynamicRNNV2Grad", inputs, outputs, gate_order="ifjo", cell_type="LSTM", time_major=True, keep_prob=1.0)
case("DynamicRNNV2Grad", inputs, outputs, gate_order="ifjo", cell_type="GRU", refuse="LSTM")

# Batch normalisation in one piece.
for layout, axes, shape, dtype in itertools.product(("NHWC", "NCHW"), [(0, 2, 3)], [(3, 4, 2, 5)], (f32, f16)):
    x, dy = rand(*shape, dtype=dtype), rand(*shape, dtype=dtype)
    scale, offset, mean, var = rand(4), rand(4), rand(4), rand(4, low=0.1)
    laid = (1, 4, 1, 1)
    wx, wd = wide(x).astype(f64), wide(dy).astype(f64)
    order = (0, 2, 3, 1) if layout == "NHWC" else (0, 1, 2, 3)
    turn = lambda a: np.ascontiguousarray(a.transpose(order)).astype(dtype)
    m, v, n = wx.mean(axes), wx.var(axes), wx.size // 4
    norm = lambda m, v: (wx - m.reshape(laid)) / np.sqrt(v.reshape(laid) + 1e-3)
    apply = lambda m, v: turn(norm(m, v) * scale.reshape(laid) + offset.reshape(laid))
    how = {"epsilon": 1e-3, "data_format": layout}
    one = [a.astype(f32) for a in (m, v * n / (n - 1), m, v)]
    case("BatchNorm", [turn(x), scale, offset], [apply(m, v), *one], **how)
    mixed = [a.astype(f32) for a in (mean * 0.9 + m * 0.1, var * 0.9 + v * n / (n - 1) * 0.1, m, v)]
    case("BatchNorm", [turn(x), scale, offset, mean, var], [apply(m, v), *mixed], exponential_avg_factor=0.1, is_training=True, **how)
    case("BatchNorm", [turn(x), scale, offset, mean, var], [apply(mean, var), mean, var, mean, var], is_training=False, **how)
    case("BatchNorm", [turn(x), scale, offset], [turn(x)], is_training=False, refuse="input 3 is missing", **how)
    xhat = norm(m, v)
    dscale, doffset = (wd * xhat).sum(axes), wd.sum(axes)
    factor = scale.reshape(laid) / np.sqrt(v.reshape(laid) + 1e-3)
    dx = factor * (wd - (doffset.reshape(laid) + xhat * dscale.reshape(laid)) / n)
    stats = [m.astype(f32), v.astype(f32)]
    tolerance = 1e-4 if dtype == f32 else 5e-3
    case("BatchNormGrad", [turn(dy), turn(x), scale, *stats], [Loose(turn(dx), tolerance), Loose(dscale.astype(f32), tolerance), Loose(doffset.astype(f32), tolerance)], **how)
    case("BatchNormGrad", [turn(dy), turn(x), scale, *stats], [Loose(turn(factor * wd), tolerance), Loose(dscale.astype(f32), tolerance)], is_training=False, **how)

# A filter for each channel.
for each, layout in itertools.product((1, 3), (0, 16)):
    xs, ws = (2, 4, 7, 6), (4 * each, 1, 3, 3)
    x, w = rand(*xs), rand(*ws)
    y = conv(x, w, (2, 1), (1, 1), (1, 1), (1, 0), 4)
    dy = rand(*y.shape)
    dx, dw = conv_back(xs, w, dy, x, (2, 1), (1, 1), (1, 1), (1, 0), 4)
    order = (2, 3, 0, 1) if layout == 16 else (1, 0, 2, 3)
    lay = lambda a: np.ascontiguousarray(a.reshape(4, each, 3, 3).transpose(order)).astype(f32)
    how = {"strides": [1, 1, 2, 1], "pads": [1, 1, 1, 0], "dilations": [1, 1, 1, 1], "data_format": "NCHW"}
    case("DepthwiseConv2D", [x, lay(w)], y.astype(f32), formats={1: layout}, **how)
    case("DepthwiseConv2DBackpropInput", [Const(xs, i32), lay(w), dy], dx.astype(f32), formats={1: layout}, **how)
    case("DepthwiseConv2DBackpropFilter", [x, Const(lay(w).shape, i32), dy], lay(dw), formats={"y0": layout}, **how)
case("DepthwiseConv2D", [x, rand(4, 3, 3)], x, strides=[1] * 4, pads=[0] * 4, data_format="NCHW", refuse="dimensions")
