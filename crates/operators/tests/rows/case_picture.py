"""Resizing, grids, patches."""

import numpy as np

from .base import *  # noqa: F403
from .case_normalisation import difference


def weights(mode, rule, source, target, a=-0.75):
    matrix = np.zeros((target, source))
    for i in range(target):
        at = {"ends": i * (source - 1) / max(target - 1, 1), "half": (i + 0.5) * source / target - 0.5, "corner": i * source / target}[rule]
        def add(place, weight):
            matrix[i, int(np.clip(place, 0, source - 1))] += weight
        if mode == "nearest":
            # As PyTorch: floor of i * scale, or of (i + 0.5) * scale.
            add(i * source // target if rule == "corner" else np.floor((i + 0.5) * source / target) if rule == "half" else np.floor(at + 0.5), 1)
        elif mode == "linear":
            at = max(at, 0)
            low = int(np.floor(at))
            add(low, 1 - (at - low))
            add(low + 1, at - low)
        else:
            low = int(np.floor(at))
            for step in range(-1, 3):
                d = abs(at - low - step)
                w = (a + 2) * d**3 - (a + 3) * d**2 + 1 if d <= 1 else a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
                add(low + step, w)
    return matrix


def resize(x, matrices):
    for axis, matrix in matrices.items():
        x = np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)
    return x


RULES = {"corner": {}, "half": {"half_pixel_centers": True}, "ends": {"align_corners": True}}
for dtype in (f32, f16, bf16):
    for h, w in ((10, 6), (3, 9), (5, 7)):
        for rule, flags in RULES.items():
            for mode, name in (("nearest", "ResizeNearestNeighborV2"), ("linear", "ResizeBilinearV2")):
                x, dy = rand(2, 3, 5, 7, dtype=dtype), rand(2, 3, h, w, dtype=dtype)
                m = {2: weights(mode, rule, 5, h), 3: weights(mode, rule, 7, w)}
                y = resize(wide(x), m).astype(dtype)
                dx = resize(wide(dy), {axis: one.T for axis, one in m.items()}).astype(dtype)
                case(name, [x, Const([h, w], i32)], y, **flags)
                second = Const([5, 7], i32) if mode == "nearest" else x
                case(name + "Grad", [dy, second], dx, **flags)
                last = lambda v: np.moveaxis(v, 1, -1)
                case(name, [last(x), Const([h, w], i32)], last(y), formats={0: 1}, **flags)
        for mode in ("cubic", "linear", "nearest"):
            for rule, text in (("half", "half_pixel"), ("ends", "align_corners"), ("corner", "asymmetric")):
                m = {2: weights(mode, rule, 5, h), 3: weights(mode, rule, 7, w)}
                how = {"mode": mode, "coordinate_transformation_mode": text, "scales": [h / 5, w / 7], "roi": []}
                case("ResizeD", [x], resize(wide(x), m).astype(dtype), sizes=[h, w], **how)
                dx = resize(wide(dy), {axis: one.T for axis, one in m.items()}).astype(dtype)
                case("ResizeGradD", [dy], dx, original_size=[2, 3, 5, 7], **how)
                case("ResizeGradD", [dy.transpose(2, 3, 0, 1)], dx.transpose(2, 3, 0, 1), original_size=[2, 3, 5, 7], data_format="HWNC", **how)
    x, dy = rand(2, 3, 4, dtype=dtype), rand(2, 3, 7, dtype=dtype)
    m = weights("linear", "half", 4, 7)
    how = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    case("ResizeD", [x[:, :, None]], resize(wide(x), {2: m}).astype(dtype), sizes=[7], scales=[1.75], **how)
    case("ResizeGradD", [dy], resize(wide(dy), {2: m.T}).astype(dtype), original_size=[2, 3, 4], **how)
    case("ResizeGradD", [dy[:, :, None]], resize(wide(dy), {2: m.T}).astype(dtype), original_size=[2, 3, 4], **how)
    case("UpsampleNearest1d", [x], resize(wide(x), {2: weights("nearest", "corner", 4, 7)}).astype(dtype), output_size=[7])
    x, dy = rand(1, 2, 3, 4, 2, dtype=dtype), rand(1, 2, 6, 7, 4, dtype=dtype)
    for name, mode, rule, flags in (("Nearest", "nearest", "corner", {}), ("Trilinear", "linear", "half", {}), ("Trilinear", "linear", "ends", {"align_corners": True})):
        m = {2: weights(mode, rule, 3, 6), 3: weights(mode, rule, 4, 7), 4: weights(mode, rule, 2, 4)}
        case(f"Upsample{name}3d", [x], resize(wide(x), m).astype(dtype), output_size=[6, 7, 4], **flags)
        dx = resize(wide(dy), {axis: one.T for axis, one in m.items()}).astype(dtype)
        case(f"Upsample{name}3dGrad", [dy], dx, input_size=[1, 2, 3, 4, 2], output_size=[6, 7, 4], **flags)


def area(x, h, w, ends=False):
    """What TensorFlow's documentation says: pixels weighted by how much of each an output pixel covers."""
    n, height, width, channels = x.shape
    spans = []
    for source, target in ((height, h), (width, w)):
        step = (source - 1) / (target - 1) if ends and target > 1 else source / target
        cover = np.zeros((target, source))
        for out in range(target):
            begin, end = out * step, (out + 1) * step
            for pixel in range(int(np.ceil(end))):
                covered = max(0.0, min(end, pixel + 1) - max(begin, pixel))
                cover[out, min(pixel, source - 1)] += covered / step
        spans.append(cover)
    return np.einsum("yh,xw,nhwc->nyxc", *spans, x.astype(f64))


for dtype in (f32, f16, u8, i32):
    x = rand(2, 5, 7, 3, dtype=dtype, low=0, high=9)
    for h, w in ((10, 6), (3, 9), (5, 7), (1, 1), (2, 4)):
        for ends in (False, True):
            y = area(wide(x), h, w, ends).astype(f32)
            case("ResizeArea", [x, Const([h, w], i32)], y, align_corners=ends)
            flat = np.moveaxis(x, -1, 1), np.moveaxis(y, -1, 1)
            case("ResizeArea", [flat[0], Const([h, w], i32)], flat[1], formats={0: 0}, align_corners=ends)
x = np.arange(16, dtype=f32).reshape(1, 4, 4, 1)
case("ResizeArea", [x, Const([2, 2], i32)], np.array([2.5, 4.5, 10.5, 12.5], f32).reshape(1, 2, 2, 1))
case("ResizeArea", [rand(2, 3), Const([2, 2], i32)], rand(2, 2), refuse="dimensions")
case("ResizeD", [rand(1, 1, 2, 2)], rand(1, 1, 4, 4), mode="odd", refuse="nearest, linear or cubic")
case("ResizeBilinearV2", [rand(1, 1, 0, 2), Const([4, 4], i32)], rand(1, 1, 4, 4), refuse="cannot be resized")


def sample(x, grid, align):
    n, c, h, w = x.shape
    y = np.zeros((n, c, *grid.shape[1:3]))
    for b, i, j in np.ndindex(n, *grid.shape[1:3]):
        gx, gy = grid[b, i, j]
        px = (gx + 1) / 2 * (w - 1) if align else ((gx + 1) * w - 1) / 2
        py = (gy + 1) / 2 * (h - 1) if align else ((gy + 1) * h - 1) / 2
        for dy in (0, 1):
            for dx in (0, 1):
                u, v = int(np.floor(px)) + dx, int(np.floor(py)) + dy
                if 0 <= u < w and 0 <= v < h:
                    y[b, :, i, j] += x[b, :, v, u] * (1 - abs(px - u)) * (1 - abs(py - v))
    return y


for align in (False, True):
    for dtype in (f32, f16, bf16):
        x, grid = rand(2, 3, 4, 5, dtype=dtype), rand(2, 3, 2, 2, dtype=dtype, low=-1.2, high=1.2)
        case("GridSampler2D", [x, grid], Loose(sample(wide(x).astype(f64), wide(grid).astype(f64), align).astype(dtype), {f32: 1e-4, f16: 2e-3, bf16: 2e-2}[dtype]), interpolation_mode="bilinear", padding_mode="zeros", align_corners=align)
    theta = rand(2, 2, 3)
    h, w = 3, 4
    axis = lambda n: np.linspace(-1, 1, n) if align else (2 * np.arange(n) + 1) / n - 1
    base = np.stack([np.tile(axis(w), h), np.repeat(axis(h), w), np.ones(h * w)], -1)
    want = (base @ theta.transpose(0, 2, 1)).astype(f32)
    case("AffineGrid", [theta, Const([2, 5, h, w], i32)], want, align_corners=align)
    case("AffineGrid", [theta, Const([2, 5, h, w], i32)], want.reshape(2, h, w, 2), align_corners=align)
case("GridSampler2D", [x, grid], x, interpolation_mode="odd", refuse="bilinear, nearest")


def clamped(x, grid, align):
    """Outside of the picture counts as its border."""
    n, c, h, w = x.shape
    limit = lambda g, size: np.clip(g, -1, 1) if align else np.clip(g, 1 / size - 1, 1 - 1 / size)
    return sample(x, np.stack([limit(grid[..., 0], w), limit(grid[..., 1], h)], -1), align)


for align in (False, True):
    for mode, function in (("zeros", sample), ("border", clamped)):
        x, grid, dy = rand(2, 3, 4, 5), rand(2, 3, 2, 2, low=-1.2, high=1.2), rand(2, 3, 3, 2)
        dx = difference(lambda x: function(x, grid.astype(f64), align), x, dy)
        dgrid = difference(lambda grid: function(x.astype(f64), grid, align), grid, dy)
        wants = [Loose(dx.astype(f32), 1e-4), Loose(dgrid.astype(f32), 1e-3)]
        case("GridSampler2DGrad", [dy, x, grid], wants, interpolation_mode="bilinear", padding_mode=mode, align_corners=align)
case("GridSampler2DGrad", [dy, x, grid], wants[0].array, interpolation_mode="nearest", refuse="bilinear")


def columns(x, k, s, d, p):
    padded = np.pad(x, [(0, 0), (0, 0), (p[0], p[0]), (p[1], p[1])])
    oh = (padded.shape[2] - d[0] * (k[0] - 1) - 1) // s[0] + 1
    ow = (padded.shape[3] - d[1] * (k[1] - 1) - 1) // s[1] + 1
    taps = [padded[:, :, a * d[0] : a * d[0] + (oh - 1) * s[0] + 1 : s[0], b * d[1] : b * d[1] + (ow - 1) * s[1] + 1 : s[1]] for a in range(k[0]) for b in range(k[1])]
    return np.stack([tap.reshape(*x.shape[:2], -1) for tap in taps], 2)


for k, s, d, p in (((2, 2), (1, 1), (1, 1), (0, 0)), ((3, 2), (2, 1), (1, 2), (1, 0))):
    for dtype in (f32, f16, bf16):
        x = rand(2, 3, 6, 5, dtype=dtype)
        y = columns(x, k, s, d, p)
        how = {"ksizes": list(k), "strides": list(s), "dilations": list(d), "padding_mode": "CALCULATED"}
        case("Im2col", [x], y.reshape(2, -1, y.shape[-1]), pads=[p[0], p[0], p[1], p[1]], **how)
        case("Im2col", [x], y.reshape(2, -1, y.shape[-1]), pads=list(p), **how)
        index = columns(np.arange(x.size).reshape(x.shape) + 1, k, s, d, p)
        dy = rand(*y.shape, dtype=dtype)
        dx = np.zeros(x.size + 1)
        np.add.at(dx, index, wide(dy))
        case("Col2im", [dy, Const([6, 5], i32)], dx[1:].reshape(x.shape).astype(dtype), kernel_size=list(k), dilation=list(d), padding=list(p), stride=list(s))
formula("Cross", [(4, 3)] * 2, lambda a, b: np.cross(a, b), (f32, f16, bf16, f64, i32), dim=-1)
formula("Cross", [(3, 4)] * 2, lambda a, b: np.cross(a, b, axis=0), (f32,), dim=0)
formula("Cross", [(2, 3, 4)] * 2, lambda a, b: np.cross(a, b, axis=1), (f32,))
