"""Normalisations. Gradients of the batch are compared with differences of the function."""

import numpy as np

from .base import *  # noqa: F403

EPS = float(f32(1e-5))


def difference(function, x, dy):
    """The gradient of sum(function(x) * dy), element by element."""
    x = x.astype(f64)
    grad, h = np.zeros(x.shape), 1e-5
    for at in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[at] += h
        down[at] -= h
        grad[at] = ((function(up) - function(down)) * dy).sum() / (2 * h)
    return grad


def batch(x, scale, offset, axes, eps=EPS):
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + eps) * scale + offset


for prefix, shape, last in (("BN", (3, 4, 2, 3), False), ("BN", (6, 4), False), ("BN", (3, 2, 3, 4), True), ("BN3D", (2, 4, 2, 3, 2), False)):
    channel = len(shape) - 1 if last else 1
    axes = tuple(axis for axis in range(len(shape)) if axis != channel)
    laid = [4 if axis == channel else 1 for axis in range(len(shape))]
    formats = {0: 1 if last else 0}
    for dtype in (f32, f16, bf16):
        x, dy = rand(*shape, dtype=dtype), rand(*shape, dtype=dtype)
        wx, wd = wide(x).astype(f64), wide(dy).astype(f64)
        scale, offset, mean, var = rand(4), rand(4), rand(4), rand(4, low=0.5)
        n = x.size // 4
        total, squares = wx.sum(axes), (wx * wx).sum(axes)
        case(prefix + "TrainingReduce", [x], [total.astype(f32), squares.astype(f32)], epsilon=EPS, formats=formats)
        bm, bv = wx.mean(axes), wx.var(axes)
        y = batch(wx, scale.reshape(laid), offset.reshape(laid), axes)
        wants = [y.astype(dtype), (0.9 * mean + 0.1 * bm).astype(f32), (0.9 * var + 0.1 * bv * n / (n - 1)).astype(f32), bm.astype(f32), bv.astype(f32)]
        inputs = [x, total.astype(f32), squares.astype(f32), scale, offset, mean, var]
        case(prefix + "TrainingUpdate", inputs, [wants[0], *[Loose(w, 1e-4) for w in wants[1:]]], epsilon=EPS, factor=0.1, formats=formats)
        normal = (wx - bm.reshape(laid)) / np.sqrt(bv.reshape(laid) + EPS)
        dscale, doffset = (wd * normal).sum(axes), wd.sum(axes)
        stats = [bm.astype(f32), bv.astype(f32)]
        case(prefix + "TrainingUpdateGrad", [dy, x, *stats], [Loose(dscale.astype(f32), 1e-4), doffset.astype(f32)], epsilon=EPS, formats=formats)
        dx = difference(lambda x: batch(x, scale.reshape(laid), offset.reshape(laid), axes), wx, wd)
        tolerance = {f32: 1e-4, f16: 5e-3, bf16: 4e-2}[dtype]
        case(prefix + "TrainingReduceGrad", [dy, x, dscale.astype(f32), doffset.astype(f32), scale, *stats], Loose(dx.astype(dtype), tolerance), epsilon=EPS, formats=formats)
        if prefix == "BN":
            s, o, m, v = (a.reshape(laid).astype(f64) for a in (scale, offset, mean, var))
            case("BNInfer", [x, scale, offset, mean, var], ((wx - m) / np.sqrt(v + EPS) * s + o).astype(dtype), epsilon=EPS, formats=formats)
            infer = ((wx - m) / np.sqrt(v + EPS) * s + o).astype(dtype)
            case("BatchNorm", [x, scale, offset, mean, var], [infer, mean, var, mean, var], epsilon=EPS, is_training=False, formats=formats)
            case("BNInferGrad", [dy, scale, var], (wd * s / np.sqrt(v + EPS)).astype(dtype), epsilon=EPS, formats=formats)


def layer(x, gamma, beta, axes, eps=EPS):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps) * gamma + beta


for shape, inner in (((3, 4, 5), (5,)), ((2, 3, 4), (3, 4)), ((2, 1, 6), (1, 6)), ((5, 6), (6,))):
    axes = tuple(range(len(shape) - len(inner), len(shape)))
    lead = tuple(range(len(shape) - len(inner)))
    begin = len(lead)
    for dtype in (f32, f16, bf16):
        x, gamma, beta, dy = (rand(*s, dtype=dtype) for s in (shape, inner, inner, shape))
        wx, wg, wb, wd = (wide(a).astype(f64) for a in (x, gamma, beta, dy))
        mean, var = wx.mean(axes, keepdims=True), wx.var(axes, keepdims=True) + EPS
        y = layer(wx, wg, wb, axes)
        norm = {"begin_norm_axis": begin, "begin_params_axis": begin, "epsilon": EPS}
        case("LayerNorm", [x, gamma, beta], [y.astype(dtype), mean.astype(dtype), var.astype(dtype)], **norm)
        case("LayerNormV3", [x, gamma, beta], [y.astype(dtype), mean.astype(dtype), (1 / np.sqrt(var)).astype(dtype)], **norm)
        inverse = (1 / np.sqrt(var)).astype(f32)
        case("LayerNormV4", [x, Const(inner), gamma, beta], [y.astype(dtype), mean.astype(f32), inverse], epsilon=EPS)
        case("LayerNormV4", [x, Const(inner, i32)], [((wx - mean) / np.sqrt(var)).astype(dtype), mean.astype(f32), inverse], epsilon=EPS)
        normal = (wx - mean) / np.sqrt(var)
        dx = difference(lambda x: layer(x, wg, wb, axes), wx, wd)
        grads = [dx, (wd * normal).sum(lead), wd.sum(lead)]
        tolerance = {f32: 1e-4, f16: 2e-2, bf16: 1e-1}[dtype]
        wants = [Loose(g.astype(dtype), tolerance) for g in grads]
        case("LayerNormGrad", [dy, x, var.astype(dtype), mean.astype(dtype), gamma], wants)
        case("LayerNormGradV3", [dy, x, (1 / np.sqrt(var)).astype(dtype), mean.astype(dtype), gamma], wants)
        rms = lambda x: x / np.sqrt((x * x).mean(axes, keepdims=True) + 1e-6) * wg
        inverse = 1 / np.sqrt((wx * wx).mean(axes, keepdims=True) + 1e-6)
        case("RmsNorm", [x, gamma], [rms(wx).astype(dtype), inverse.astype(f32)])
        dx = difference(rms, wx, wd)
        case("RmsNormGrad", [dy, x, inverse.astype(f32), gamma], [Loose(dx.astype(dtype), tolerance), Loose((wd * wx * inverse).sum(lead).astype(dtype), tolerance)])
        other = rand(*shape, dtype=dtype)
        both = wx + wide(other)
        mean, inv = both.mean(axes, keepdims=True), 1 / np.sqrt(both.var(axes, keepdims=True) + 1e-5)
        wants = [layer(both, wg, wb, axes, 1e-5), mean, inv, both]
        case("AddLayerNorm", [x, other, gamma, beta], [w.astype(t) for w, t in zip(wants, (dtype, f32, f32, dtype))])
        inverse = 1 / np.sqrt((both * both).mean(axes, keepdims=True) + 1e-6)
        case("AddRmsNorm", [x, other, gamma], [(both * inverse * wg).astype(dtype), inverse.astype(f32), both.astype(dtype)])
for dtype in (f32, f16, bf16):
    x, gamma, beta = rand(2, 6, 3, 4, dtype=dtype), rand(6, dtype=dtype), rand(6, dtype=dtype)
    g = wide(x).reshape(2, 3, -1)
    mean, var = g.mean(2), g.var(2)
    y = ((g - mean[..., None]) / np.sqrt(var + 1e-5)[..., None]).reshape(x.shape)
    y = y * wide(gamma).reshape(6, 1, 1) + wide(beta).reshape(6, 1, 1)
    case("GroupNorm", [x, gamma, beta], [y.astype(dtype), mean.astype(dtype), var.astype(dtype)], num_groups=3, eps=1e-5, is_training=True)
    case("GroupNorm", [x, gamma, beta], [y.astype(dtype), mean.ravel().astype(dtype), var.ravel().astype(dtype)], num_groups=3, eps=1e-5)
    inverse = 1 / np.sqrt(var + 1e-5)
    statistics = [mean.astype(dtype), Loose(inverse.astype(dtype), 2e-2 if dtype == bf16 else 2e-3)]
    case("GroupNormSwish", [x, gamma, beta], [y.astype(dtype), *statistics], num_groups=3, eps=1e-5, activate_swish=False)
    swish = Loose((y / (1 + np.exp(-1.5 * y))).astype(dtype), 2e-2 if dtype == bf16 else 2e-3)
    case("GroupNormSwish", [x, gamma, beta], [swish, *statistics], num_groups=3, eps=1e-5, swish_scale=1.5)
    g = wide(x)
    mean, var = g.mean((2, 3), keepdims=True), g.var((2, 3), keepdims=True)
    y = (g - mean) / np.sqrt(var + 1e-6) * wide(gamma).reshape(6, 1, 1) + wide(beta).reshape(6, 1, 1)
    case("InstanceNorm", [x, gamma, beta], [y.astype(dtype), mean.astype(dtype), var.astype(dtype)])
formula("L2Normalize", [(3, 4)], lambda x: x / np.sqrt((x * x).sum(1, keepdims=True)), axis=[1], eps=1e-12)
