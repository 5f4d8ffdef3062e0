"""Gated units: one half of an axis, activated, multiplies the other half."""

import math

import ml_dtypes
import numpy

from cases.activation import derivative, gelu, gelu_tanh, sigmoid, silu
from harness import case, exempt

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
SHAPES = [((3, 4), -1), ((3, 4), 1), ((4, 3), 0), ((2, 4, 3), 1), ((2, 3, 8), 2), ((0, 4), 1), ((2, 0), -1), ((1030,), 0)]
REASON = "an axis is cut in two"

for _name in ["Glu", "GluBackward", "SwiGlu", "SwiGluGrad", "GeGluV3", "GeGluV3Backward"]:
    exempt("aclnn" + _name, zero_dim=REASON)


def inputs(f):
    for dtype in FLOATS:
        for shape, dim in SHAPES:
            x = f.rand(shape, dtype)
            yield x, dim, numpy.split(x.astype("float64"), 2, dim)


def tolerance(x):
    """Difference quotients have not all digits."""
    return (1e-7, 1e-8) if x.dtype == "float64" else None


@case("aclnnGlu")
def _(f):
    for x, dim, (a, b) in inputs(f):
        f.check(self=x, dim=dim, out=(a * sigmoid(b)).astype(x.dtype))
    x = f.rand((3, 5))
    f.refuses(self=x, dim=1, out=x)
    f.refuses(self=x, dim=2, out=x)
    f.refuses(self=f.rand(()), dim=0, out=f.rand(()))


@case("aclnnGluBackward")
def _(f):
    for x, dim, (a, b) in inputs(f):
        g = f.rand(a.shape, x.dtype)
        wide = g.astype("float64")
        want = numpy.concatenate([wide * sigmoid(b), wide * a * derivative(sigmoid)(b)], dim)
        f.check(gradOutput=g, self=x, dim=dim, out=want.astype(x.dtype), tolerance=tolerance(x))


@case("aclnnSwiGlu")
def _(f):
    for x, dim, (a, b) in inputs(f):
        f.check(self=x, dim=dim, out=(silu(a) * b).astype(x.dtype))
    f.refuses(self=f.rand((3, 5)), dim=1, out=f.rand((3, 2)))
    f.refuses(self=f.rand((3, 4)), dim=1, out=f.rand((3, 4)))
    f.refuses(self=f.rand((3, 4), "int32"), dim=1, out=f.rand((3, 2)))


@case("aclnnSwiGluGrad")
def _(f):
    for x, dim, (a, b) in inputs(f):
        g = f.rand(a.shape, x.dtype)
        wide = g.astype("float64")
        want = numpy.concatenate([wide * b * derivative(silu)(a), wide * silu(a)], dim)
        f.check(gradOutput=g, self=x, dim=dim, out=want.astype(x.dtype), tolerance=tolerance(x))
    f.refuses(gradOutput=f.rand((3, 4)), self=f.rand((3, 4)), dim=1, out=f.rand((3, 4)))


def forms():
    for approximate, function in [(0, gelu), (1, gelu_tanh)]:
        for left in [False, True]:
            yield approximate, function, left


@case("aclnnGeGluV3")
def _(f):
    for approximate, function, left in forms():
        for x, dim, (a, b) in inputs(f):
            active, other = (a, b) if left else (b, a)
            f.check(x=x, dim=dim, approximate=approximate, activateLeft=left, out=(function(active) * other).astype(x.dtype),
                    outGelu=function(active).astype(x.dtype))
    f.refuses(x=f.rand((2, 4)), dim=1, approximate=3, activateLeft=False, out=f.rand((2, 2)), outGelu=f.rand((2, 2)))


@case("aclnnGeGluV3Backward")
def _(f):
    for approximate, function, left in forms():
        for x, dim, (a, b) in inputs(f):
            active, other = (a, b) if left else (b, a)
            g, saved = f.rand(a.shape, x.dtype), function(active).astype(x.dtype)
            wide = g.astype("float64")
            parts = [wide * other * derivative(function)(active), wide * saved.astype("float64")]
            want = numpy.concatenate(parts if left else parts[::-1], dim)
            f.check(gradOutput=g, self=x, gelu=saved, dim=dim, approximate=approximate, activateLeft=left, gradInput=want.astype(x.dtype),
                    tolerance=tolerance(x))


assert math.isclose(derivative(math.sin)(1.0), math.cos(1.0), rel_tol=1e-10)
