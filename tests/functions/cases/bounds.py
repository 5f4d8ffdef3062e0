"""The larger, the smaller, and what lies between."""

import ml_dtypes
import numpy

from harness import Ref, case

from cases.arithmetic import in_place, pairs, plain

REALS = ["float32", "float16", "float64", ml_dtypes.bfloat16, "int8", "int16", "int32", "int64", "uint8", "uint64", bool]


@case("aclnnMaximum", "aclnnMinimum", "aclnnClampMaxTensor", "aclnnClampMinTensor", "aclnnInplaceClampMaxTensor", "aclnnInplaceClampMinTensor")
def _(f):
    larger = f.name == "aclnnMaximum" or "ClampMin" in f.name
    reference = numpy.maximum if larger else numpy.minimum
    argument = ("min" if larger else "max") if "Clamp" in f.name else "other"
    for a, b in pairs(f, REALS):
        plain(f, a, reference(a, b), **{argument: b})
    nan = numpy.nan
    a, b = numpy.array([nan, 1, nan, numpy.inf, 2], "float32"), numpy.array([1, nan, nan, 1, -numpy.inf], "float32")
    plain(f, a, reference(a, b), **{argument: b})
    a, b = numpy.array([2**64 - 1, 0], "uint64"), numpy.array([1, 2**63], "uint64")
    plain(f, a, reference(a, b), **{argument: b})
    a, b = f.rand((2, 3), "int32"), f.rand((2, 3), "float32")
    if not in_place(f):
        f.check(self=a, out=reference(a, b).astype("float32"), **{argument: b})
        f.refuses(self=f.rand((2,), "complex64"), out=f.rand((2,), "complex64"), **{argument: f.rand((2,), "complex64")})
    else:
        f.refuses(selfRef=Ref(a, a), **{argument: b})


@case("aclnnClamp")
def _(f):
    for a, _ in pairs(f, REALS[:-1]):
        low, high = (0, 1) if a.dtype.kind in "iu" else (-0.5, 1.25)
        kind = a.dtype.type
        f.check(self=a, clipValueMin=low, clipValueMax=high, out=numpy.minimum(numpy.maximum(a, kind(low)), kind(high)))
        f.check(self=a, clipValueMin=low, out=numpy.maximum(a, kind(low)))
        f.check(self=a, clipValueMax=high, out=numpy.minimum(a, kind(high)))
    a = numpy.array([numpy.nan, -numpy.inf, numpy.inf, 0], "float32")
    f.check(self=a, clipValueMin=-1.0, clipValueMax=1.0, out=numpy.array([numpy.nan, -1, 1, 0], "float32"))
    f.check(self=a, clipValueMin=2.0, clipValueMax=1.0, out=numpy.array([numpy.nan, 1, 1, 1], "float32"))
    f.check(self=a, clipValueMin=-1.0, out=numpy.array([numpy.nan, -1, numpy.inf, 0], "float32"))
    f.check(self=a, clipValueMin=float("nan"), clipValueMax=1.0, out=numpy.full(4, numpy.nan, "float32"))
    f.check(self=a, clipValueMax=float("nan"), out=numpy.full(4, numpy.nan, "float32"))
    a = f.rand((5,), "int32")
    f.check(self=a, clipValueMin=0.5, out=numpy.maximum(a, 0.5).astype("float32"))
    f.refuses(self=a, clipValueMin=0.5, out=a)
    f.refuses(self=a, out=a)


@case("aclnnClampMax", "aclnnInplaceClampMax", "aclnnClampMin")
def _(f):
    larger = f.name == "aclnnClampMin"
    reference = numpy.maximum if larger else numpy.minimum
    argument = "min" if larger else "max"
    for a, _ in pairs(f, REALS[:-1]):
        plain(f, a, reference(a, a.dtype.type(1)), **{argument: 1})
    a = numpy.array([numpy.nan, -numpy.inf, numpy.inf, 0], "float32")
    plain(f, a, reference(a, numpy.float32(0.5)), **{argument: 0.5})
    plain(f, a, numpy.full(4, numpy.nan, "float32"), **{argument: float("nan")})


@case("aclnnClampTensor")
def _(f):
    for a, b in pairs(f, REALS[:-1]):
        c = f.rand(b.shape, b.dtype)
        f.check(self=a, clipValueMin=b, clipValueMax=c, out=numpy.minimum(numpy.maximum(a, b), c))
        f.check(self=a, clipValueMin=b, out=numpy.maximum(a, b))
        f.check(self=a, clipValueMax=c, out=numpy.minimum(a, c))
    nan = numpy.nan
    a, b, c = (numpy.array(x, "float32") for x in ([nan, 1, 1, 5], [0, nan, 0, 0], [2, 2, nan, 2]))
    f.check(self=a, clipValueMin=b, clipValueMax=c, out=numpy.array([nan, nan, nan, 2], "float32"))
    f.refuses(self=a, out=a)
