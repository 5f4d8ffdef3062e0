"""Convolutions and poolings against loops over windows."""

import itertools

import numpy as np

from .base import *  # noqa: F403

NCHW, NHWC, HWCN = 0, 1, 16


def places(windows, strides, tap, dilations):
    """For one tap of the kernel, the slice of the padded input that it meets."""
    return tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for n, s, t, d in zip(windows, strides, tap, dilations))


def outer(x, before, after, value=0.0):
    return np.pad(x, [(0, 0), (0, 0), *zip(before, after)], constant_values=value)


def count(sizes, kernel, strides, dilations, before, after):
    return [(n + b + a - d * (k - 1) - 1) // s + 1 for n, k, s, d, b, a in zip(sizes, kernel, strides, dilations, before, after)]


def conv(x, w, strides, dilations, before, after, groups):
    x, w = x.astype(f64), w.astype(f64)
    windows = count(x.shape[2:], w.shape[2:], strides, dilations, before, after)
    padded = outer(x, before, after)
    y = np.zeros((x.shape[0], w.shape[0], *windows))
    each, wide_ = w.shape[0] // groups, w.shape[1]
    for tap in itertools.product(*map(range, w.shape[2:])):
        seen = padded[(slice(None), slice(None), *places(windows, strides, tap, dilations))]
        for g in range(groups):
            part = seen[:, g * wide_ : (g + 1) * wide_]
            kernel = w[(slice(g * each, (g + 1) * each), slice(None), *tap)]
            y[:, g * each : (g + 1) * each] += np.einsum("nc...,oc->no...", part, kernel)
    return y


def conv_back(x_shape, w, dy, x, strides, dilations, before, after, groups):
    """Both gradients."""
    w, dy, x = w.astype(f64), dy.astype(f64), x.astype(f64)
    windows = dy.shape[2:]
    padded, dpadded, dw = outer(x, before, after), None, np.zeros(w.shape)
    dpadded = np.zeros(padded.shape)
    each, wide_ = w.shape[0] // groups, w.shape[1]
    for tap in itertools.product(*map(range, w.shape[2:])):
        at = places(windows, strides, tap, dilations)
        for g in range(groups):
            inputs, outputs = slice(g * wide_, (g + 1) * wide_), slice(g * each, (g + 1) * each)
            dpadded[(slice(None), inputs, *at)] += np.einsum("no...,oc->nc...", dy[:, outputs], w[(outputs, slice(None), *tap)])
            dw[(outputs, slice(None), *tap)] = np.einsum("ncs,nos->oc", padded[(slice(None), inputs, *at)].reshape(len(x), wide_, -1), dy[:, outputs].reshape(len(x), each, -1))
    inside = tuple(slice(b, b + n) for b, n in zip(before, x_shape[2:]))
    return dpadded[(slice(None), slice(None), *inside)], dw


def last(x):
    return np.moveaxis(x, 1, -1)


SHAPES = [
    # x, filter, strides, dilations, before, after, groups
    ((2, 4, 7, 8), (6, 4, 3, 3), (1, 1), (1, 1), (0, 0), (0, 0), 1),
    ((2, 4, 7, 8), (6, 4, 3, 2), (2, 3), (1, 1), (1, 0), (1, 0), 1),
    ((2, 4, 9, 8), (6, 2, 3, 3), (2, 1), (1, 2), (1, 2), (0, 1), 2),
    ((1, 4, 6, 6), (4, 1, 3, 3), (2, 2), (1, 1), (1, 1), (1, 1), 4),
    ((3, 3, 5, 5), (2, 3, 1, 1), (2, 2), (1, 1), (0, 0), (0, 0), 1),
    ((1, 2, 5, 6, 4), (4, 2, 3, 2, 2), (2, 1, 1), (1, 1, 2), (1, 0, 1), (1, 0, 1), 1),
    ((2, 4, 5, 4, 4), (4, 2, 2, 2, 3), (1, 2, 1), (2, 1, 1), (0, 1, 0), (0, 1, 0), 2),
]
for (xs, ws, strides, dilations, before, after, groups), dtype in itertools.product(SHAPES, (f32, f16, bf16)):
    x, w, bias = rand(*xs, dtype=dtype), rand(*ws, dtype=dtype), rand(ws[0], dtype=dtype)
    y = conv(wide(x), wide(w), strides, dilations, before, after, groups)
    dy = rand(*y.shape, dtype=dtype)
    dx, dw = conv_back(xs, wide(w), wide(dy), wide(x), strides, dilations, before, after, groups)
    spatial = len(strides)
    name = f"Conv{spatial}D"
    pads = [int(n) for pair in zip(before, after) for n in pair]
    first = {"strides": [1, 1, *strides], "dilations": [1, 1, *dilations], "pads": pads, "groups": groups, "data_format": "NCHW" if spatial == 2 else "NCDHW"}
    biased = (y + wide(bias).reshape(-1, *[1] * spatial)).astype(dtype)
    case(name, [x, w], y.astype(dtype), **first)
    case(name, [x, w, bias], biased, **first)
    case(name + "BackpropInput", [Const(xs, i32), w, dy], dx.astype(dtype), **first)
    case(name + "BackpropInputD", [w, dy], dx.astype(dtype), input_size=list(xs), **first)
    case(name + "BackpropFilter", [x, Const(ws, i32), dy], dw.astype(f32), **first)
    case(name + "BackpropFilterD", [x, dy], dw.astype(f32), filter_size=list(ws), **first)
    if spatial == 3:
        continue
    second = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "pads": pads, "groups": groups, "data_format": "NHWC"}
    for layout, order in ((NCHW, (0, 1, 2, 3)), (NHWC, (0, 2, 3, 1)), (HWCN, (2, 3, 1, 0))):
        laid = w.transpose(order).copy()
        case("Conv2D", [last(x), laid, bias], last(biased), formats={0: 1, 1: layout}, **second)
        case("Conv2DBackpropInput", [Const(last(x).shape, i32), laid, last(dy)], last(dx).astype(dtype), formats={1: layout}, **second)
        case("Conv2DBackpropFilter", [last(x), Const(laid.shape, i32), last(dy)], dw.transpose(order).astype(f32), formats={"y0": layout}, **second)

# As ONNX Runtime's provider asks: the format says where the channels are, and the attributes are ONNX's.
for xs, ws, strides, dilations, before, after, groups in [*SHAPES, ((2, 4, 9), (6, 2, 3), (2,), (1,), (1,), (2,), 2)]:
    x, w, bias = rand(*xs), rand(*ws), rand(ws[0])
    y = conv(x, w, strides, dilations, before, after, groups)
    biased = (y + bias.reshape(-1, *[1] * len(strides))).astype(f32)
    onnx = {"strides": [1, 1, *strides], "dilations": [1, 1, *dilations], "pads": [*before, *after], "group": groups}
    onnx |= {"auto_pad": "NOTSET", "dim_size": len(xs), "trans_2d": len(xs) < 5}
    case("Conv3D" if len(xs) == 5 else "Conv2D", [x, w, bias], biased, formats={0: NCHW, 1: NCHW}, **onnx)

# SAME borders, which come as -1.
x, w = rand(1, 3, 7, 8), rand(2, 3, 3, 3)
case("Conv2D", [x, w], conv(x, w, (2, 2), (1, 1), (1, 0), (1, 1), 1).astype(f32), strides=[1, 1, 2, 2], pads=[-1] * 4, data_format="NCHW")
case("Conv2D", [x, w], x, strides=[1, 1, 2], pads=[0] * 4, data_format="NCHW", refuse="a number for each axis")
case("Conv2D", [x, w], x, strides=[1, 1, 0, 1], pads=[0] * 4, data_format="NCHW", refuse="must be positive")
case("Conv2D", [x[0], w], x, strides=[1, 1, 1, 1], pads=[0] * 4, data_format="NCHW", refuse="dimensions")
case("Conv2D", [x, w], x, strides=[1] * 4, pads=[0] * 4, data_format="HWNC", refuse="NCHW, NHWC")

# A transposed convolution is the gradient of one by its input.
for name, (xs, ws, strides, dilations, before, after, groups) in zip(("Conv2DTranspose", "Conv2DTranspose", "Conv3DTranspose"), (SHAPES[1], SHAPES[2], SHAPES[5])):
    w, bias = rand(*ws), rand(xs[1])
    y = conv(np.zeros(xs), w, strides, dilations, before, after, groups)
    dy = rand(*y.shape)
    dx, _ = conv_back(xs, w, dy, np.zeros(xs), strides, dilations, before, after, groups)
    spatial = len(strides)
    pads = [n for pair in zip(before, after) for n in pair]
    attributes = {"strides": [1, 1, *strides], "dilations": [1, 1, *dilations], "pads": pads, "groups": groups, "data_format": "NCHW" if spatial == 2 else "NCDHW", "output_padding": [0] * (spatial + 2)}
    biased = (dx + bias.reshape(-1, *[1] * spatial)).astype(f32)
    case(name, [Const(xs, i32), dy, w, bias], biased, **attributes)
    case(name, [Const([0] * len(xs), i32), dy, w], dx.astype(f32), **attributes)
    if spatial == 2:
        case(name + "D", [dy, w, bias], biased, input_size=list(xs), **attributes)
formula("BiasAdd", [(2, 3, 4, 5), (5,)], np.add)
formula("BiasAdd", [(2, 3, 4, 5), (3,)], lambda x, b: x + b.reshape(3, 1, 1), data_format="NCHW")
formula("BiasAdd", [(2, 3), (3,)], np.add, (f32, i32))
formula("BiasAddGrad", [(2, 3, 4, 5)], lambda x: x.sum((0, 1, 2)))
formula("BiasAddGrad", [(2, 3, 4, 5)], lambda x: x.sum((0, 2, 3)), data_format="NCHW")


def pooled(x, kernel, strides, dilations, before, after, windows):
    """All taps of all windows, and where the input is: [taps, n, c, ...]."""
    reach = [(n - 1) * s + d * (k - 1) + 1 for n, s, d, k in zip(windows, strides, dilations, kernel)]
    far = [max(r - b - n, a) for r, b, n, a in zip(reach, before, x.shape[2:], after)]
    padded = outer(x.astype(f64), before, far, np.nan)
    index = outer(np.arange(x.size).reshape(x.shape).astype(f64), before, far, -1).astype(i64)
    declared = outer(np.ones(x.shape), before, after)
    declared = np.pad(declared, [(0, 0), (0, 0), *[(0, max(f - a, 0)) for f, a in zip(far, after)]])
    taps = list(itertools.product(*map(range, kernel)))
    at = [(slice(None), slice(None), *places(windows, strides, tap, dilations)) for tap in taps]
    inside = outer(np.ones(x.shape), before, after, 1.0)
    inside = np.pad(inside, [(0, 0), (0, 0), *[(0, max(f - a, 0)) for f, a in zip(far, after)]])
    return np.stack([padded[p] for p in at]), np.stack([index[p] for p in at]), np.stack([inside[p] for p in at])


def with_ceil(sizes, kernel, strides, dilations, before, after):
    made = []
    for n, k, s, d, b, a in zip(sizes, kernel, strides, dilations, before, after):
        windows = -((n + b + a - d * (k - 1) - 1) // -s) + 1
        made.append(windows - 1 if (windows - 1) * s >= n + b else windows)
    return made


POOLS = [
    # x, kernel, strides, dilations, before, after, ceil
    ((2, 3, 6, 8), (2, 2), (2, 2), (1, 1), (0, 0), (0, 0), False),
    ((2, 3, 7, 9), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1), False),
    ((2, 3, 7, 9), (3, 2), (2, 2), (1, 1), (1, 0), (1, 0), True),
    ((1, 2, 8, 8), (3, 3), (3, 3), (1, 1), (0, 0), (0, 0), True),
    ((1, 2, 8, 9), (2, 2), (1, 2), (2, 2), (1, 1), (1, 1), False),
    ((2, 3, 7, 9), (3, 3), (1, 2), (1, 1), (1, 0), (0, 1), False),
    ((1, 2, 5, 6, 7), (2, 3, 2), (2, 2, 2), (1, 1, 1), (0, 1, 1), (0, 1, 1), False),
    ((1, 2, 5, 6, 7), (2, 2, 3), (2, 2, 2), (1, 1, 1), (0, 0, 0), (0, 0, 0), True),
]
for (xs, kernel, strides, dilations, before, after, ceil), dtype in itertools.product(POOLS, (f32, f16, bf16)):
    x = rand(*xs, dtype=dtype)
    sizes, spatial = xs[2:], len(kernel)
    windows = (with_ceil if ceil else count)(sizes, kernel, strides, dilations, before, after)
    taps, index, declared = pooled(wide(x), kernel, strides, dilations, before, after, windows)
    best = np.nanargmax(taps, 0)[None]
    y = np.take_along_axis(taps, best, 0)[0].astype(dtype)
    where = np.take_along_axis(index, best, 0)[0]
    dy = rand(*y.shape, dtype=dtype)
    dx = np.zeros(x.size)
    np.add.at(dx, where.ravel(), wide(dy).ravel())
    dx = dx.reshape(xs).astype(dtype)
    pads = [n for pair in zip(before, after) for n in pair]
    first = {"ksize": [1, 1, *kernel], "strides": [1, 1, *strides], "pads": pads, "ceil_mode": ceil}
    if spatial == 3:
        case("MaxPool3D", [x], y, padding="CALCULATED", data_format="NCDHW", dilation=[1, 1, *dilations], **first)
        case("MaxPool3DGrad", [x, y, dy], dx, padding="CALCULATED", data_format="NCDHW", **first)
    if spatial == 2 and before == after:
        odd = {"ksize": [1, *kernel, 1], "strides": [1, *strides, 1], "pads": [1, *before, 1], "ceil_mode": ceil}
        mask = Skip(np.zeros((1, 1, 1, 1, 16), u16), 3)
        case("MaxPoolWithArgmaxV1", [x], [y, mask], dilation=[1, *dilations, 1], **odd)
        case("MaxPoolGradWithArgmaxV1", [x, dy, mask.array], dx, dilations=[1, *dilations, 1], formats={2: 3}, **odd)
    if spatial == 2 and dilations == (1, 1):
        case("MaxPoolV3", [x], y, padding_mode="CALCULATED", data_format="NCHW", **first)
        case("MaxPoolV3Grad", [x, y, dy], dx, padding_mode="CALCULATED", data_format="NCHW", **first)
        odd = {**first, "ksize": [1, *kernel, 1], "strides": [1, *strides, 1]}
        case("MaxPoolV3", [last(x)], last(y), data_format="NHWC", **odd)
        case("MaxPoolV3Grad", [last(x), last(y), last(dy)], last(dx), data_format="NHWC", **odd)
    if max(dilations) > 1:
        continue
    real = ~np.isnan(taps)
    # Windows count what is inside the declared border; past it is nothing.
    reach = [[min(i * s + k, n + b + a) - i * s for i in range(w)] for w, s, k, n, b, a in zip(windows, strides, kernel, sizes, before, after)]
    area = np.ones(())
    for axis in reach:
        area = np.multiply.outer(area, np.array(axis, f64))
    for exclusive, override in ((True, 0), (False, 0), (True, 3)):
        divisor = override or (real.sum(0) if exclusive else area)
        y = np.where(real, taps, 0).sum(0) / divisor
        share = wide(dy) / divisor
        dx = np.zeros(x.size)
        np.add.at(dx, index[real], np.broadcast_to(share, taps.shape)[real])
        dx, y = dx.reshape(xs).astype(dtype), y.astype(dtype)
        if spatial == 2:
            more = {**first, "padding_mode": "CALCULATED", "data_format": "NCHW", "global_pooling": False, "exclusive": exclusive, "divisor_override": override}
            case("AvgPoolV2", [x], y, **more)
            case("AvgPoolV2Grad", [Const(xs), dy], dx, **more)
        else:
            more = {**first, "data_format": "NCDHW", "count_include_pad": not exclusive, "divisor_override": override}
            case("AvgPool3D", [x], y, **{**more, "ksize": list(kernel), "strides": list(strides)})
            case("AvgPool3DGrad", [Const(xs), dy], dx, **more)

# As ONNX Runtime's provider asks: over one axis and three too, with borders before all axes and then behind them.
for xs, kernel, before, after in [((2, 3, 7), (3,), (1,), (1,)), ((2, 3, 6, 7), (3, 3), (2, 1), (0, 1)), ((2, 3, 4, 5, 6), (2, 3, 2), (0, 1, 0), (1, 0, 0))]:
    x = rand(*xs)
    padded = np.pad(x.astype(f64), [(0, 0), (0, 0), *zip(before, after)], constant_values=np.nan)
    taps = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=tuple(range(2, len(xs))))
    taps = taps.reshape(*taps.shape[: len(xs)], -1)
    asked = {"ksize": [1, 1, *kernel], "strides": [1] * len(xs), "pads": [*before, *after], "padding_mode": "CALCULATED"}
    asked |= {"data_format": "NCHW", "global_pooling": False, "ceil_mode": False}
    case("MaxPoolV3", [x], np.nanmax(taps, -1).astype(f32), **asked)
    case("AvgPoolV2", [x], np.nanmean(taps, -1).astype(f32), exclusive=True, **asked)
    case("AvgPoolV2", [x], (np.nansum(taps, -1) / np.prod(kernel)).astype(f32), exclusive=False, **asked)

# SAME and VALID, channels last.
x = rand(2, 5, 8, 3)
for padding, before, after in (("SAME", (1, 0), (1, 1)), ("VALID", (0, 0), (0, 0))):
    windows = count((5, 8), (3, 3), (2, 2), (1, 1), before, after)
    first = np.moveaxis(x, -1, 1)
    taps, index, _ = pooled(first, (3, 3), (2, 2), (1, 1), before, after, windows)
    real = ~np.isnan(taps)
    attributes = {"ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": padding, "data_format": "NHWC"}
    y = np.nanmax(taps, 0)
    dy = rand(*y.shape)
    where = np.take_along_axis(index, np.nanargmax(taps, 0)[None], 0)[0]
    dx = np.zeros(x.size)
    np.add.at(dx, where.ravel(), dy.ravel())
    case("MaxPool", [x], last(y).astype(f32), **attributes)
    case("MaxPoolGrad", [x, last(y).astype(f32), last(dy)], last(dx.reshape(first.shape)).astype(f32), **attributes)
    case("AvgPool", [x], last(np.nanmean(taps, 0)).astype(f32), **attributes)
    dx = np.zeros(x.size)
    np.add.at(dx, index[real], np.broadcast_to(dy / real.sum(0), taps.shape)[real])
    case("AvgPoolGrad", [Const(x.shape, i32), last(dy)], last(dx.reshape(first.shape)).astype(f32), **attributes)
x = rand(2, 3, 5, 7)
case("AvgPoolV2", [x], x.mean((2, 3), keepdims=True), ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], global_pooling=True, data_format="NCHW")
case("MaxPoolV3", [x], x.max((2, 3), keepdims=True), ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], global_pooling=True)
case("AvgPoolV2", [x], x, ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], padding_mode="ODD", refuse="SAME or VALID")
formula("GlobalAveragePool", [(2, 3, 4, 5)], lambda x: x.mean((2, 3), keepdims=True))


def areas(size, wanted):
    matrix = np.zeros((wanted, size))
    for i in range(wanted):
        a, b = i * size // wanted, -((i + 1) * size // -wanted)
        matrix[i, a:b] = 1 / (b - a)
    return matrix


for h, w in ((3, 3), (4, 4), (1, 7), (8, 6)):
    rows, columns = areas(8, h), areas(6, w)
    formula("AdaptiveAvgPool2d", [(2, 4, 8, 6)], lambda x: rows @ x @ columns.T, output_size=[h, w])
    formula("AdaptiveAvgPool2dGrad", [(2, 4, h, w)], lambda d: rows.T @ d @ columns, orig_input_shape=[2, 4, 8, 6])
