"""Running sums, products and extremes."""

import ml_dtypes
import numpy

from harness import case

NUMBERS = ["float32", "float16", "float64", ml_dtypes.bfloat16, "int32", "int64", "int8", "bool", "complex64"]
SHAPES = [((3, 4), 0), ((3, 4), -1), ((2, 3, 4), 1), ((0, 3), 1), ((), 0), ((), -1), ((2, 1000), 1)]
CODES = {"float32": 0, "float16": 1, "int64": 9, "float64": 11, "complex64": 16, "bfloat16": 27}


def inputs(f):
    for dtype in NUMBERS:
        for shape, dim in SHAPES:
            x = f.rand(shape, dtype)
            out = numpy.dtype("int64") if x.dtype.kind in "iub" else x.dtype
            yield x, dim, x.astype("complex128" if out.kind == "c" else "int64" if out == "int64" else "float64"), out


def run(x, dim, how):
    return how(x, dim) if x.ndim else x


@case("aclnnCumsum")
def _(f):
    for x, dim, wide, out in inputs(f):
        f.check(self=x, dim=dim, dtype=CODES[out.name], out=run(wide, dim, numpy.cumsum).astype(out))
    big = numpy.array([2**31 - 1, 1], "int32")
    f.check(self=big, dim=0, dtype=9, out=numpy.array([2**31 - 1, 2**31]))
    f.refuses(self=big, dim=1, dtype=9, out=big)


@case("aclnnCumsumV2")
def _(f):
    for x, dim, wide, out in inputs(f):
        for exclusive in [False, True]:
            for reverse in [False, True]:
                y = numpy.flip(wide, dim) if reverse and x.ndim else wide
                y = run(y, dim, numpy.cumsum) - (y if exclusive else 0)
                y = numpy.flip(y, dim) if reverse and x.ndim else y
                # Short sums only: the reference subtracts what it added.
                if x.size < 100:
                    f.check(self=x, dim=dim, exclusive=exclusive, reverse=reverse, out=numpy.asarray(y).astype(out), tolerance=(1e-3, 1e-5) if out == "float16" else None)


@case("aclnnCumprod")
def _(f):
    for x, dim, wide, out in inputs(f):
        if x.size < 100:
            f.check(self=x, dim=dim, dtype=CODES[out.name], out=run(wide, dim, numpy.cumprod).astype(out))


@case("aclnnCummax", "aclnnCummin")
def _(f):
    largest = "max" in f.name
    for dtype in ["float32", "float16", "float64", "int64", "int32", "uint8"]:
        for shape, dim in SHAPES:
            x = f.rand(shape, dtype, 0, 6)
            rows = numpy.moveaxis(x, dim, -1).reshape(-1, x.shape[dim]) if shape else x.reshape(1, 1)
            at = numpy.zeros(rows.shape, "int64")
            for row, places in zip(rows, at):
                best = 0
                for index, value in enumerate(row):
                    if value >= row[best] if largest else value <= row[best]:
                        best = index
                    places[index] = best
            values = numpy.take_along_axis(rows, at, 1)
            if shape:
                moved = numpy.moveaxis(x, dim, -1).shape
                values, at = (numpy.moveaxis(one.reshape(moved), -1, dim) for one in (values, at))
            else:
                values, at = values.reshape(()), at.reshape(())
            f.check(self=x, dim=dim, values=values, indices=at)
    nan = numpy.nan
    x = numpy.array([1.0, nan, 2.0, nan, 3.0], "float32")
    f.check(self=x, dim=0, values=numpy.array([1.0, nan, nan, nan, nan], "float32"), indices=numpy.array([0, 1, 1, 3, 3]))
