"""Pooling. The reference goes through windows one by one."""

import itertools
import math

import ml_dtypes
import numpy

from harness import Any, case, exempt


def count(size, kernel, stride, padding, dilation, ceil):
    rest = size + 2 * padding - dilation * (kernel - 1) - 1
    number = (math.ceil if ceil else math.floor)(rest / stride) + 1
    return number - (ceil and (number - 1) * stride >= size + padding)


def fixed(size, kernel, stride, padding, dilation, ceil):
    """For each axis and window: the elements that it covers, and its length with padding."""
    stride = stride or kernel
    axes = []
    for s, k, t, p, d in zip(size, kernel, stride, padding, dilation):
        spans = []
        for number in range(count(s, k, t, p, d, ceil)):
            start = number * t - p
            spans.append(([at for at in range(start, start + d * (k - 1) + 1, d) if 0 <= at < s], min(start + k, s + p) - start))
        axes.append(spans)
    return axes


def adaptive(size, counts):
    return [[(list(range(n * s // c, -((n + 1) * s // -c))), 0) for n in range(c)] for s, c in zip(size, counts)]


def positions(axes):
    return itertools.product(*(range(len(axis)) for axis in axes))


def largest(x, axes):
    rank = len(axes)
    lead, size = x.shape[:-rank], x.shape[-rank:]
    flat = x.reshape(-1, *size)
    out = numpy.zeros((flat.shape[0], *map(len, axes)), x.dtype)
    indices = numpy.zeros(out.shape, "int64")
    for plane in range(flat.shape[0]):
        for at in positions(axes):
            best = None
            for place in itertools.product(*(axis[a][0] for axis, a in zip(axes, at))):
                value = flat[(plane, *place)]
                if best is None or value > best or value != value:
                    best, where = value, numpy.ravel_multi_index(place, size)
            out[(plane, *at)], indices[(plane, *at)] = best, where
    return out.reshape(*lead, *out.shape[1:]), indices.reshape(*lead, *out.shape[1:])


def divisor(axes, at, include, override):
    if override:
        return override
    spans = [axis[a] for axis, a in zip(axes, at)]
    return math.prod(length if include else len(places) for places, length in spans)


def means(x, axes, include=False, override=0):
    out = numpy.zeros((*x.shape[: -len(axes)], *map(len, axes)))
    for at in positions(axes):
        places = numpy.ix_(*(axis[a][0] for axis, a in zip(axes, at)))
        values = x.astype("float64")[(..., *places)]
        out[(..., *at)] = values.sum(tuple(range(-len(axes), 0))) / divisor(axes, at, include, override)
    return out.astype(x.dtype)


def means_gradient(y, shape, axes, include=False, override=0):
    out = numpy.zeros(shape)
    for at in positions(axes):
        places = numpy.ix_(*(axis[a][0] for axis, a in zip(axes, at)))
        share = y.astype("float64")[(..., *at)] / divisor(axes, at, include, override)
        out[(..., *places)] += share[(..., *[None] * len(axes))]
    return out.astype(y.dtype)


def scattered(y, indices, shape, rank):
    out = numpy.zeros((math.prod(shape[:-rank]), math.prod(shape[-rank:])))
    flat, at = (one.reshape(out.shape[0], math.prod(one.shape[-rank:])) for one in (y, indices))
    for plane in range(out.shape[0]):
        numpy.add.at(out[plane], at[plane], flat[plane].astype("float64"))
    return out.reshape(shape).astype(y.dtype)


# shape, kernel, stride, padding, dilation, ceil
WINDOWS = [
    ((2, 3, 7, 8), [3, 3], [2, 2], [1, 1], [1, 1], False),
    ((2, 3, 7, 8), [2, 3], [], [0, 1], [1, 1], True),
    ((3, 7, 8), [3, 2], [2, 1], [1, 0], [2, 3], False),
    ((2, 3, 7, 8), [3, 3], [3, 2], [1, 1], [1, 1], True),
    ((1, 2, 5, 5), [2, 2], [3, 3], [1, 1], [1, 1], True),
    ((0, 3, 7, 8), [3, 3], [2, 2], [1, 1], [1, 1], False),
]
TYPES = ["float32", "float16", "float64", ml_dtypes.bfloat16]


def maxima(f, dtypes=TYPES):
    for dtype in dtypes:
        for shape, kernel, stride, padding, dilation, ceil in WINDOWS:
            x = f.rand(shape, dtype)
            if dtype == "float32" and x.size:
                x.flat[5] = numpy.nan
            out, indices = largest(x, fixed(shape[-2:], kernel, stride, padding, dilation, ceil))
            yield x, out, indices, {"kernelSize": kernel, "stride": stride, "padding": padding, "dilation": dilation, "ceilMode": ceil}


@case("aclnnMaxPool2dWithIndices")
def _(f):
    for x, out, indices, given in maxima(f):
        f.check(self=x, out=out, indices=indices.astype("int32"), **given)
        f.check(self=x, out=out, indices=indices, layouts=["contiguous"], **given)
    x = numpy.full((1, 4, 4), -numpy.inf, "float32")
    f.check(self=x, kernelSize=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], ceilMode=False, out=x[:, :2, :2],
            indices=numpy.array([[[0, 2], [8, 10]]], "int32"))
    f.refuses(self=x, kernelSize=[2, 2], stride=[2, 2], padding=[2, 2], dilation=[1, 1], out=x, indices=numpy.zeros((1, 4, 4), "int32"))
    f.refuses(self=x, kernelSize=[5, 5], stride=[2, 2], padding=[0, 0], dilation=[1, 1], out=x, indices=numpy.zeros((1, 4, 4), "int32"))


@case("aclnnMaxPool2dWithMask")
def _(f):
    for x, out, _, given in maxima(f, ["float32", "float16"]):
        f.check(self=x, out=out, indices=Any((*x.shape[:-2], 9, 64), "int8"), **given)


@case("aclnnMaxPool2dWithMaskBackward")
def _(f):
    for x, out, indices, given in maxima(f, ["float32", "float16"]):
        y = f.rand(out.shape, x.dtype)
        mask = numpy.zeros((*x.shape[:-2], 9, 64), "int8")
        f.check(gradOutput=y, self=x, indices=mask, gradInput=scattered(y, indices, x.shape, 2), **given)


@case("aclnnMaxPool2dWithIndicesBackward")
def _(f):
    for x, out, indices, given in maxima(f, ["float32", "float16", "float64"]):
        y = f.rand(out.shape, x.dtype)
        f.check(gradOutput=y, self=x, indices=indices.astype("int32"), gradInput=scattered(y, indices, x.shape, 2), **given)
    f.refuses(gradOutput=y, self=f.rand((1, 3, 7, 8), "float64"), indices=indices, gradInput=f.rand((1, 3, 7, 8), "float64"), **given)


@case("aclnnMaxPool")
def _(f):
    for x, out, _, given in maxima(f, ["float32", "float16", "int8"]):
        f.check(self=x, kernelShape=given["kernelSize"], strides=given["stride"], autoPad=0, pads=given["padding"] * 2, dilations=given["dilation"],
                ceilMode=int(given["ceilMode"]), out=out)
    f.refuses(self=x, kernelShape=[2, 2], strides=[2, 2], autoPad=1, pads=[0, 0], dilations=[1, 1], ceilMode=0, out=out)


# shape, kernel, stride, padding, ceil
MEANS = {
    2: [((2, 3, 7, 8), [3, 3], [2, 2], [1, 1], False), ((3, 7, 8), [3, 2], [2, 1], [1, 0], True), ((2, 3, 7, 8), [2, 4], [], [1, 2], True),
        ((1, 2, 5, 5), [2, 2], [3, 3], [1, 1], True), ((0, 3, 7, 8), [3, 3], [2, 2], [1, 1], False)],
    3: [((2, 3, 5, 7, 8), [3, 3, 2], [2, 2, 1], [1, 1, 0], False), ((3, 5, 7, 8), [2, 3, 4], [], [1, 0, 2], True), ((0, 3, 5, 7, 8), [3, 3, 3], [2, 2, 2], [1, 1, 1], False)],
}


def mean_cases(f, rank):
    for dtype in ["float32", "float16", "float64"]:
        for shape, kernel, stride, padding, ceil in MEANS[rank]:
            for include, override in [(True, 0), (False, 0), (True, 5)]:
                x = f.rand(shape, dtype)
                axes = fixed(shape[-rank:], kernel, stride, padding, [1] * rank, ceil)
                given = {"stride": stride, "padding": padding, "ceilMode": ceil, "countIncludePad": include}
                yield x, axes, kernel, include, override, given


@case("aclnnAvgPool2d")
def _(f):
    for x, axes, kernel, include, override, given in mean_cases(f, 2):
        f.check(self=x, kernelSize=kernel, divisorOverride=override, out=means(x, axes, include, override), **given)


@case("aclnnAvgPool3d")
def _(f):
    for x, axes, kernel, include, override, given in mean_cases(f, 3):
        f.check(self=x, kernel=kernel, sDivisorOverride=override, out=means(x, axes, include, override), **given)


@case("aclnnAvgPool2dBackward")
def _(f):
    for x, axes, kernel, include, override, given in mean_cases(f, 2):
        y = f.rand(means(x, axes).shape, x.dtype)
        f.check(gradOutput=y, self=x, kernelSize=kernel, divisorOverride=override, gradInput=means_gradient(y, x.shape, axes, include, override), **given)


@case("aclnnAvgPool3dBackward")
def _(f):
    for x, axes, kernel, include, override, given in mean_cases(f, 3):
        y = f.rand(means(x, axes).shape, x.dtype)
        f.check(gradOutput=y, self=x, kernelSize=kernel, newDivisorOverride=override, gradInput=means_gradient(y, x.shape, axes, include, override), **given)


ADAPTIVE = {2: [((2, 3, 7, 8), [3, 5]), ((3, 7, 8), [1, 1]), ((2, 3, 2, 3), [4, 3]), ((0, 3, 7, 8), [2, 2])],
            3: [((2, 3, 5, 7, 8), [2, 3, 5]), ((3, 5, 7, 8), [1, 1, 1]), ((0, 3, 5, 7, 8), [2, 2, 2])]}


@case("aclnnAdaptiveAvgPool2d", "aclnnAdaptiveAvgPool3d")
def _(f):
    rank = int(f.name[-2])
    for dtype in ["float32", "float16", "float64"]:
        for shape, counts in ADAPTIVE[rank]:
            x = f.rand(shape, dtype)
            f.check(self=x, outputSize=counts, out=means(x, adaptive(shape[-rank:], counts)))
    f.refuses(self=f.rand((3, 4)), outputSize=[2] * rank, out=f.rand((2, 2)))


@case("aclnnAdaptiveAvgPool2dBackward", "aclnnAdaptiveAvgPool3dBackward")
def _(f):
    rank = 2 if "2d" in f.name else 3
    for dtype in ["float32", "float16"]:
        for shape, counts in ADAPTIVE[rank]:
            y = f.rand((*shape[:-rank], *counts), dtype)
            f.check(gradOutput=y, self=f.rand(shape, dtype), out=means_gradient(y, shape, adaptive(shape[-rank:], counts)))


@case("aclnnAdaptiveMaxPool2d", "aclnnAdaptiveMaxPool3d")
def _(f):
    rank = int(f.name[-2])
    for dtype in ["float32", "float16"]:
        for shape, counts in ADAPTIVE[rank]:
            x = f.rand(shape, dtype)
            out, indices = largest(x, adaptive(shape[-rank:], counts))
            f.check(self=x, outputSize=counts, out=out, indices=indices)


@case("aclnnAdaptiveMaxPool2dBackward")
def _(f):
    for shape, counts in ADAPTIVE[2]:
        x = f.rand(shape)
        out, indices = largest(x, adaptive(shape[-2:], counts))
        y = f.rand(out.shape)
        f.check(gradOutput=y, self=x, indices=indices, out=scattered(y, indices, shape, 2))


@case("aclnnAdaptiveMaxPool3dBackward")
def _(f):
    for shape, counts in ADAPTIVE[3]:
        x = f.rand(shape)
        out, indices = largest(x, adaptive(shape[-3:], counts))
        y = f.rand(out.shape)
        f.check(gradOutput=y, self=x, indices=indices.astype("int32"), gradInput=scattered(y, indices, shape, 3))


VOLUMES = [
    ((2, 3, 4, 5, 6), [2, 2, 2], [], [0, 0, 0], [1, 1, 1], False),
    ((3, 5, 6, 7), [3, 2, 3], [2, 1, 2], [1, 1, 1], [1, 1, 1], True),
    ((1, 2, 6, 7, 5), [2, 3, 2], [1, 2, 3], [1, 0, 1], [2, 1, 2], False),
    ((0, 3, 4, 4, 4), [2], [2], [0], [1], False),
]


def volumes(f, dtypes):
    for dtype, (shape, kernel, stride, padding, dilation, ceil) in itertools.product(dtypes, VOLUMES):
        x = f.rand(shape, dtype)
        each = [(one * 3)[:3] for one in (kernel, stride, padding, dilation)]
        out, indices = largest(x, fixed(shape[-3:], *each, ceil))
        yield x, out, indices, {"kernelSize": kernel, "stride": stride, "padding": padding, "dilation": dilation, "ceilMode": ceil}


@case("aclnnMaxPool3dWithArgmax")
def _(f):
    for x, out, indices, given in volumes(f, ["float32", "float16", "float64"]):
        f.check(self=x, out=out, indices=indices.astype("int32"), **given)
        f.check(self=x, out=out, indices=indices, layouts=["contiguous"], **given)
    f.refuses(self=f.rand((4, 4, 4)), kernelSize=[2], stride=[2], padding=[0], dilation=[1], out=f.rand((2, 2, 2)), indices=numpy.zeros((2, 2, 2), "int32"))


@case("aclnnMaxPool3dWithArgmaxBackward")
def _(f):
    for x, out, indices, given in volumes(f, ["float32", "float64"]):
        y = f.rand(out.shape, x.dtype)
        f.check(gradOutput=y, self=x, indices=indices.astype("int32"), gradInput=scattered(y, indices, x.shape, 3), **given)


for name in ["MaxPool2dWithIndices", "MaxPool2dWithMask", "MaxPool2dWithMaskBackward", "MaxPool2dWithIndicesBackward", "MaxPool", "AvgPool2d", "AvgPool3d",
             "AvgPool2dBackward", "AvgPool3dBackward", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveAvgPool2dBackward", "AdaptiveAvgPool3dBackward",
             "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AdaptiveMaxPool2dBackward", "AdaptiveMaxPool3dBackward", "MaxPool3dWithArgmax", "MaxPool3dWithArgmaxBackward"]:
    exempt("aclnn" + name, zero_dim="images have at least three axes")
