"""Rounding."""

import ml_dtypes
import numpy

from harness import Ref, case

from cases.arithmetic import in_place, plain

SHAPES = [(3, 4), (0, 3), ()]
FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
EDGES = [0.5, -0.5, 1.5, 2.5, -2.5, -0.0, 1e20, numpy.nan, numpy.inf, -numpy.inf, 8388607.5, 0.49999997]


@case("aclnnCeil", "aclnnFloor", "aclnnInplaceFloor", "aclnnTrunc", "aclnnRound")
def _(f):
    name = f.name.removeprefix("aclnn").removeprefix("Inplace").lower()
    reference = {"ceil": numpy.ceil, "floor": numpy.floor, "trunc": numpy.trunc, "round": numpy.rint}[name]
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype, -20, 20)
            plain(f, x, numpy.asarray(reference(x.astype("float64"))).astype(dtype))
        with numpy.errstate(over="ignore"):
            x = numpy.array(EDGES).astype(dtype)
        plain(f, x, reference(x.astype("float64")).astype(dtype))
    for dtype in ["int8", "int64", "uint64"]:
        x = f.rand((5,), dtype)
        plain(f, x, x)
    z = f.rand((3,), "complex64")
    if in_place(f):
        f.refuses(selfRef=Ref(z, z))
    else:
        f.refuses(self=z, out=z)


@case("aclnnRoundDecimals", "aclnnInplaceRoundDecimals")
def _(f):
    for dtype in ["float32", "float64", "float16"]:
        for shape in SHAPES:
            for decimals in [0, 1, 2, -1]:
                x = f.rand(shape, dtype, -200, 200)
                plain(f, x, numpy.round(x.astype("float64" if dtype == "float64" else "float32"), decimals).astype(dtype), decimals=decimals)
    x = numpy.array([2.5, 3.5, 0.125, 0.375, 15, 25, numpy.nan, numpy.inf], "float32")
    plain(f, x, numpy.array([2.5, 3.5, 0.12, 0.38, 15, 25, numpy.nan, numpy.inf], "float32"), decimals=2)
    plain(f, x, numpy.array([0, 0, 0, 0, 20, 20, numpy.nan, numpy.inf], "float32"), decimals=-1)
    x = f.rand((3,), "int32")
    plain(f, x, x, decimals=0)
    if in_place(f):
        f.refuses(selfRef=Ref(x, x), decimals=1)
    else:
        f.refuses(self=x, decimals=1, out=x)


@case("aclnnFrac", "aclnnInplaceFrac")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype, -20, 20)
            wide = x.astype("float64")
            plain(f, x, (wide - numpy.trunc(wide)).astype(dtype))
    x = f.rand((3,), "int32")
    if in_place(f):
        f.refuses(selfRef=Ref(x, x))
    else:
        f.refuses(self=x, out=x)
