"""Convolutions, their transposes and gradients. The reference goes through windows one by one."""

import itertools

import numpy

from harness import case, exempt


def windows(size, kernel, stride, padding, dilation):
    """For each place in a window: its index, and for each position of the window the place in the padded image."""
    counts = [(s + 2 * p - d * (k - 1) - 1) // t + 1 for s, k, t, p, d in zip(size, kernel, stride, padding, dilation)]
    for place in itertools.product(*map(range, kernel)):
        yield place, tuple(slice(at * d, at * d + (n - 1) * t + 1, t) for at, d, n, t in zip(place, dilation, counts, stride))


def padded(x, padding):
    return numpy.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in padding])


def convolve(x, w, stride, padding, dilation, groups):
    x, w = padded(x.astype("float64"), padding), w.astype("float64")
    parts = []
    for xs, ws in zip(numpy.split(x, groups, 1), numpy.split(w, groups, 0)):
        total = 0
        for place, at in windows(xs.shape[2:], w.shape[2:], stride, [0] * len(stride), dilation):
            total = total + numpy.einsum("nc...,oc->no...", xs[(slice(None), slice(None), *at)], ws[(slice(None), slice(None), *place)])
        parts.append(total)
    return numpy.concatenate(parts, 1)


def spread(y, w, size, stride, padding, dilation, groups):
    """The transpose: every element of y adds its weights to an image of the given size."""
    y, w = y.astype("float64"), w.astype("float64")
    parts = []
    for ys, ws in zip(numpy.split(y, groups, 1), numpy.split(w, groups, 0)):
        x = numpy.zeros([y.shape[0], w.shape[1]] + [s + 2 * p for s, p in zip(size, padding)])
        for place in itertools.product(*map(range, w.shape[2:])):
            at = tuple(slice(a * d, a * d + (n - 1) * t + 1, t) for a, d, n, t in zip(place, dilation, y.shape[2:], stride))
            x[(slice(None), slice(None), *at)] += numpy.einsum("no...,oc->nc...", ys, ws[(slice(None), slice(None), *place)])
        parts.append(x[(slice(None), slice(None), *(slice(p, p + s) for s, p in zip(size, padding)))])
    return numpy.concatenate(parts, 1)


def weights(x, y, kernel, stride, padding, dilation, groups):
    """The gradient of the weights."""
    x, y = padded(x.astype("float64"), padding), y.astype("float64")
    parts = []
    for xs, ys in zip(numpy.split(x, groups, 1), numpy.split(y, groups, 1)):
        w = numpy.zeros([ys.shape[1], xs.shape[1], *kernel])
        for place in itertools.product(*map(range, kernel)):
            at = tuple(slice(a * d, a * d + (n - 1) * t + 1, t) for a, d, n, t in zip(place, dilation, y.shape[2:], stride))
            others = [0, *range(2, y.ndim)]
            w[(slice(None), slice(None), *place)] = numpy.tensordot(ys, xs[(slice(None), slice(None), *at)], (others, others))
        parts.append(w)
    return numpy.concatenate(parts, 0)


# input, weight, stride, padding, dilation, groups
PLAIN = [
    ((2, 3, 9), (4, 3, 3), [1], [1], [1], 1),
    ((2, 4, 9), (6, 2, 3), [2], [0], [2], 2),
    ((2, 3, 7, 8), (4, 3, 3, 3), [1, 1], [1, 1], [1, 1], 1),
    ((2, 3, 7, 8), (4, 3, 1, 1), [1, 1], [0, 0], [1, 1], 1),
    ((2, 3, 7, 9), (4, 3, 2, 3), [2, 3], [1, 2], [2, 1], 1),
    ((2, 6, 7, 8), (6, 1, 3, 3), [1, 1], [1, 1], [1, 1], 6),
    ((2, 6, 7, 8), (12, 1, 3, 5), [2, 1], [0, 2], [1, 1], 6),
    ((1, 4, 5, 6, 7), (6, 2, 2, 3, 3), [1, 2, 1], [0, 1, 1], [2, 1, 1], 2),
    ((0, 3, 7, 8), (4, 3, 3, 3), [1, 1], [1, 1], [1, 1], 1),
]
# input, weight, stride, padding, dilation, groups, output padding
TRANSPOSED = [
    ((2, 3, 5), (3, 4, 3), [2], [1], [1], 1, [1]),
    ((2, 4, 5, 4), (4, 3, 3, 2), [2, 1], [1, 0], [1, 2], 2, [1, 0]),
    ((2, 4, 5, 4), (4, 3, 1, 1), [1, 1], [0, 0], [1, 1], 1, [0, 0]),
    ((1, 2, 3, 4, 3), (2, 3, 2, 3, 2), [2, 1, 2], [0, 1, 0], [1, 1, 1], 1, [0, 0, 1]),
    ((0, 3, 5), (3, 4, 3), [2], [1], [1], 1, [1]),
]


def size_of(x, w, stride, padding, dilation, more):
    return [(s - 1) * t - 2 * p + d * (k - 1) + 1 + m for s, k, t, p, d, m in zip(x[2:], w[2:], stride, padding, dilation, more)]


TOLERANCE = {"float32": (1e-4, 1e-4), "float16": (5e-3, 1e-2), "float64": None}


@case("aclnnConvolution")
def _(f):
    for dtype in ["float32", "float16", "float64"]:
        for x, w, stride, padding, dilation, groups in PLAIN:
            x, w = f.rand(x, dtype), f.rand(w, dtype)
            want = convolve(x, w, stride, padding, dilation, groups)
            given = {"input": x, "weight": w, "stride": stride, "padding": padding, "dilation": dilation, "transposed": False,
                     "outputPadding": [0] * len(stride), "groups": groups, "tolerance": TOLERANCE[dtype]}
            f.check(output=want.astype(dtype), **given)
            bias = f.rand(w.shape[:1], dtype)
            f.check(bias=bias, output=(want + bias.astype("float64").reshape([-1] + [1] * len(stride))).astype(dtype), **given)
        for x, w, stride, padding, dilation, groups, more in TRANSPOSED:
            x, w = f.rand(x, dtype), f.rand(w, dtype)
            want = spread(x, w, size_of(x.shape, w.shape, stride, padding, dilation, more), stride, padding, dilation, groups)
            bias = f.rand((want.shape[1],), dtype)
            f.check(input=x, weight=w, bias=bias, stride=stride, padding=padding, dilation=dilation, transposed=True, outputPadding=more,
                    groups=groups, output=(want + bias.astype("float64").reshape([-1] + [1] * len(stride))).astype(dtype), tolerance=TOLERANCE[dtype])
    # Without a batch, and with columns in several pieces.
    x, w = f.rand((3, 7, 8)), f.rand((4, 3, 3, 3))
    f.check(input=x, weight=w, stride=[1], padding=[1], dilation=[1], groups=1, outputPadding=[0],
            output=convolve(x[None], w, [1, 1], [1, 1], [1, 1], 1)[0].astype("float32"), tolerance=TOLERANCE["float32"])
    x, w = f.rand((1, 32, 80, 70)), f.rand((8, 32, 3, 3))
    f.check(input=x, weight=w, stride=[1], padding=[1], dilation=[1], groups=1, outputPadding=[0],
            output=convolve(x, w, [1, 1], [1, 1], [1, 1], 1).astype("float32"), tolerance=(1e-3, 1e-3))
    f.refuses(input=f.rand((1, 3, 2, 2)), weight=w, stride=[1], padding=[0], dilation=[1], groups=1, outputPadding=[0], output=f.rand((1, 8, 1, 1)))
    f.refuses(input=x, weight=w, stride=[0], padding=[1], dilation=[1], groups=1, outputPadding=[0], output=f.rand((1, 8, 80, 70)))
    f.refuses(input=x, weight=w, stride=[1], padding=[1], dilation=[1], groups=3, outputPadding=[0], output=f.rand((1, 8, 80, 70)))


@case("aclnnConvolutionBackward")
def _(f):
    for dtype in ["float32", "float16", "float64"]:
        for x, w, stride, padding, dilation, groups in PLAIN:
            x, w = f.rand(x, dtype), f.rand(w, dtype)
            y = f.rand(convolve(x, w, stride, padding, dilation, groups).shape, dtype)
            gradients = (spread(y, w, x.shape[2:], stride, padding, dilation, groups), weights(x, y, w.shape[2:], stride, padding, dilation, groups),
                         y.astype("float64").sum((0, *range(2, y.ndim))))
            compare(f, x, w, y, gradients, stride, padding, dilation, groups, False, [0] * len(stride), dtype)
        for x, w, stride, padding, dilation, groups, more in TRANSPOSED:
            x, w = f.rand(x, dtype), f.rand(w, dtype)
            size = size_of(x.shape, w.shape, stride, padding, dilation, more)
            y = f.rand((x.shape[0], w.shape[1] * groups, *size), dtype)
            full = convolve(y, w, stride, padding, dilation, groups)
            gradients = (full[(slice(None), slice(None), *(slice(0, s) for s in x.shape[2:]))],
                         weights(y, x, w.shape[2:], stride, padding, dilation, groups), y.astype("float64").sum((0, *range(2, y.ndim))))
            compare(f, x, w, y, gradients, stride, padding, dilation, groups, True, more, dtype)
    x, w, y = f.rand((1, 32, 80, 70)), f.rand((8, 32, 3, 3)), f.rand((1, 8, 80, 70))
    gradients = (spread(y, w, (80, 70), [1, 1], [1, 1], [1, 1], 1), weights(x, y, (3, 3), [1, 1], [1, 1], [1, 1], 1), y.astype("float64").sum((0, 2, 3)))
    compare(f, x, w, y, gradients, [1, 1], [1, 1], [1, 1], 1, False, [0, 0], "float32", (1e-3, 2e-3))
    f.refuses(161001, gradOutput=y, input=x, weight=w, stride=[1, 1], padding=[1, 1], dilation=[1, 1], outputPadding=[0, 0], groups=1,
              outputMask=[True, False, False])


def compare(f, x, w, y, gradients, stride, padding, dilation, groups, transposed, more, dtype, tolerance=None):
    names = ["gradInput", "gradWeight", "gradBias"]
    for mask in [(True, True, True), (True, False, False), (False, True, False)]:
        wanted = {name: gradient.astype(dtype) for name, gradient, asked in zip(names, gradients, mask) if asked}
        f.check(gradOutput=y, input=x, weight=w, biasSizes=[y.shape[1]], stride=stride, padding=padding, dilation=dilation, transposed=transposed,
                outputPadding=more, groups=groups, outputMask=list(mask), tolerance=tolerance or {"float16": (1e-2, 5e-2)}.get(dtype, TOLERANCE[dtype]), **wanted)


@case("aclnnConvDepthwise2d")
def _(f):
    for batch in [2, 0]:
        x, w, bias = f.rand((batch, 3, 7, 8)), f.rand((6, 1, 3, 2)), f.rand((6,))
        want = convolve(x, w, [2, 1], [1, 0], [1, 2], 3) + bias.reshape(-1, 1, 1)
        given = {"self": x, "weight": w, "kernelSize": [3, 2], "stride": [2, 1], "padding": [1, 0], "dilation": [1, 2], "tolerance": TOLERANCE["float32"]}
        f.check(bias=bias, out=want.astype("float32"), **given)
        f.check(out=(want - bias.reshape(-1, 1, 1)).astype("float32"), **given)


@case("aclnnConvTbc")
def _(f):
    for batch in [3, 0]:
        x, w, bias = f.rand((7, batch, 4)), f.rand((3, 4, 5)), f.rand((5,))
        want = convolve(x.transpose(1, 2, 0), w.transpose(2, 1, 0), [1], [2], [1], 1) + bias.reshape(-1, 1)
        f.check(self=x, weight=w, bias=bias, pad=2, out=want.transpose(2, 0, 1).astype("float32"), tolerance=TOLERANCE["float32"])


def columns(x, kernel, stride, padding, dilation):
    x = padded(x, padding)
    parts = [x[(slice(None), slice(None), *at)].reshape(*x.shape[:2], -1) for _, at in windows(x.shape[2:], kernel, stride, [0, 0], dilation)]
    return numpy.stack(parts, 2).reshape(x.shape[0], x.shape[1] * len(parts), -1)


@case("aclnnIm2col")
def _(f):
    for dtype in ["float32", "float16"]:
        for batch in [2, 0]:
            x = f.rand((batch, 3, 7, 8), dtype)
            want = columns(x, (3, 2), [2, 1], [1, 0], [1, 2]) if batch else numpy.zeros((0, 18, 24), dtype)
            f.check(self=x, kernelSize=[3, 2], dilation=[1, 2], padding=[1, 0], stride=[2, 1], out=want)
    x = f.rand((3, 7, 8))
    f.check(self=x, kernelSize=[2, 2], dilation=[1, 1], padding=[0, 0], stride=[2, 2], out=columns(x[None], (2, 2), [2, 2], [0, 0], [1, 1])[0])
    f.refuses(self=x, kernelSize=[9, 9], dilation=[1, 1], padding=[0, 0], stride=[2, 2], out=x)


@case("aclnnIm2colBackward")
def _(f):
    for batch in [2, 0]:
        x = f.rand((batch, 18, 24))
        want = numpy.zeros((batch, 3, 9, 8))
        parts = x.reshape(batch, 3, 6, 4, 6)
        for number, (_, at) in enumerate(windows((9, 8), (3, 2), [2, 1], [0, 0], [1, 2])):
            want[(slice(None), slice(None), *at)] += parts[:, :, number]
        f.check(self=x, outputSize=[7, 8], kernelSize=[3, 2], dilation=[1, 2], padding=[1, 0], stride=[2, 1], out=want[:, :, 1:-1].astype("float32"))
    f.refuses(self=f.rand((2, 18, 25)), outputSize=[7, 8], kernelSize=[3, 2], dilation=[1, 2], padding=[1, 0], stride=[2, 1], out=f.rand((2, 3, 7, 8)))


for name in ["Convolution", "ConvolutionBackward", "ConvDepthwise2d", "ConvTbc", "Im2col", "Im2colBackward"]:
    exempt("aclnn" + name, zero_dim="images have at least two axes")
