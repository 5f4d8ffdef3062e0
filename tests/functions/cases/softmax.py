"""Softmax, its logarithm, and their gradients."""

import ml_dtypes
import numpy

from harness import case

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
SHAPES = [((3, 4), -1), ((3, 4), 0), ((2, 3, 5), 1), ((0, 3), 1), ((3, 0), 1), ((), 0), ((), -1), ((2, 1037), 1)]


def softmax(x, dim):
    x = x.astype("float64")
    if x.size == 0:
        return x
    if x.ndim == 0:
        return numpy.ones_like(x)
    with numpy.errstate(invalid="ignore"):
        e = numpy.exp(x - x.max(dim, keepdims=True))
        return e / e.sum(dim, keepdims=True)


def inputs(f):
    for dtype in FLOATS:
        for shape, dim in SHAPES:
            yield f.rand(shape, dtype, -5, 5), dim
    rows = numpy.array([[numpy.nan, 1.0, 2.0], [-numpy.inf, -numpy.inf, -numpy.inf], [-numpy.inf, 0.0, 1.0], [numpy.inf, 0.0, 1.0], [1e4, 1e4, -1e4]], "float32")
    yield rows, 1


@case("aclnnSoftmax")
def _(f):
    for x, dim in inputs(f):
        f.check(self=x, dim=dim, out=softmax(x, dim).astype(x.dtype))
    x = f.rand((3, 4), "float16")
    f.check(self=x, dim=1, out=softmax(x, 1).astype("float32"))
    f.refuses(self=x, dim=2, out=x)
    f.refuses(self=x, dim=0, out=x[:2])


@case("aclnnLogSoftmax")
def _(f):
    with numpy.errstate(divide="ignore"):
        for x, dim in inputs(f):
            if x.size == 15:
                continue
            f.check(self=x, dim=dim, out=numpy.log(softmax(x, dim)).astype(x.dtype))
    x = numpy.array([[1e4, 0.0, -1e4]], "float32")
    f.check(self=x, dim=1, out=numpy.array([[0.0, -1e4, -2e4]], "float32"))


@case("aclnnSoftmaxBackward")
def _(f):
    for dtype in FLOATS:
        for shape, dim in SHAPES:
            y = softmax(f.rand(shape), dim).astype(dtype)
            grad = f.rand(shape, dtype)
            g, s = grad.astype("float64"), y.astype("float64")
            want = s * (g - (g * s).sum(dim if shape else None, keepdims=bool(shape)))
            f.check(gradOutput=grad, output=y, dim=dim, gradInput=want.astype(dtype))


@case("aclnnLogSoftmaxBackward")
def _(f):
    for dtype in FLOATS:
        for shape, dim in SHAPES:
            y = numpy.log(softmax(f.rand(shape), dim)).astype(dtype)
            grad = f.rand(shape, dtype)
            g = grad.astype("float64")
            want = g - numpy.exp(y.astype("float64")) * g.sum(dim if shape else None, keepdims=bool(shape))
            f.check(gradOutput=grad, output=y, dim=dim, out=want.astype(dtype))


@case("aclnnLogSumExp")
def _(f):
    for dtype in ["float32", "float16", "float64"]:
        for shape, dims in [((3, 4), [1]), ((2, 3, 5), [0, 2]), ((3, 4), [0, -1]), ((0, 3), [1]), ((), [])]:
            x = f.rand(shape, dtype)
            axes = tuple(dims) if shape else None
            want = numpy.log(numpy.exp(x.astype("float64")).sum(axes))
            f.check(self=x, dims=dims, keepdim=False, out=numpy.asarray(want).astype(dtype))
            if shape:
                want = numpy.log(numpy.exp(x.astype("float64")).sum(axes, keepdims=True))
                f.check(self=x, dims=dims, keepdim=True, out=want.astype(dtype))
    x = numpy.array([[-numpy.inf, -numpy.inf], [numpy.inf, 1.0], [1e4, 1e4]], "float32")
    f.check(self=x, dims=[1], keepdim=False, out=numpy.array([-numpy.inf, numpy.inf, 1e4 + numpy.log(2)], "float32"))
    f.check(self=f.rand((3, 0)), dims=[1], keepdim=False, out=numpy.full(3, -numpy.inf, "float32"))
