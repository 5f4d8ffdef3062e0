"""Softmax of scaled scores, some of which are masked."""

import numpy

from harness import case, exempt


def scores(f):
    for dtype in ["float32", "float16"]:
        for shape, smaller in [((2, 3, 4, 5), (2, 1, 4, 5)), ((3, 6), (3, 6)), ((0, 3, 4), (3, 4)), ((2, 4, 4), (4,))]:
            yield f.rand(shape, dtype), f.rand(smaller, bool)
    yield f.rand((2, 3)), numpy.ones((2, 3), bool)


def softmax(x, mask, scale):
    x = numpy.where(mask, -10000.0, x.astype("float64") * scale)
    if not x.size:
        return x
    y = numpy.exp(x - x.max(-1, keepdims=True))
    return y / y.sum(-1, keepdims=True)


def causal(x):
    return numpy.triu(numpy.ones(x.shape[-2:], bool), 1)


@case("aclnnScaledMaskedSoftmax")
def _(f):
    for x, mask in scores(f):
        f.check(self=x, mask=mask, scale=0.5, fixedTriuMask=False, out=softmax(x, mask, 0.5).astype(x.dtype))
        f.check(self=x, mask=mask, scale=0.5, fixedTriuMask=True, out=softmax(x, causal(x), 0.5).astype(x.dtype))
    f.refuses(self=x, mask=numpy.ones((3, 3), bool), scale=0.5, fixedTriuMask=False, out=x)


@case("aclnnScaledMaskedSoftmaxBackward")
def _(f):
    for x, mask in scores(f):
        for fixed in (False, True):
            used = causal(x) if fixed else mask
            y = softmax(x, used, 0.5)
            grad = f.rand(x.shape, x.dtype)
            y16 = y.astype(x.dtype)
            want = 0.5 * y16.astype("float64") * (grad - (grad * y16.astype("float64")).sum(-1, keepdims=True))
            f.check(yGrad=grad, y=y16, mask=mask, scale=0.5, fixedTriuMask=fixed, out=numpy.where(used, 0, want).astype(x.dtype))


for name in ["aclnnScaledMaskedSoftmax", "aclnnScaledMaskedSoftmaxBackward"]:
    exempt(name, zero_dim="scores have rows and columns")
