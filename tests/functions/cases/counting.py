"""Histograms, occurrences, and elements without repetitions."""

import numpy

from harness import Any, Wanted, case, exempt


@case("aclnnHistc")
def _(f):
    for dtype in ["float32", "float64"]:
        for shape in [(40,), (3, 4), (0,), ()]:
            x = f.rand(shape, dtype, -2, 2)
            for bins in [1, 4, 7]:
                want = numpy.histogram(x.astype("float64"), bins, (-1, 1.5))[0]
                f.check(self=x, bins=bins, min=-1.0, max=1.5, out=want.astype(dtype))
    x = numpy.array([1.0, 2.0, 3.0, 4.0, 4.0], "float32")
    f.check(self=x, bins=3, min=0, max=0, out=numpy.array([1, 1, 3], "float32"))
    f.check(self=numpy.full(3, 2.0, "float32"), bins=2, min=0, max=0, out=numpy.array([0, 3], "float32"))
    f.check(self=numpy.array([numpy.nan, 0.5, -3.0, 9.0], "float32"), bins=2, min=0.0, max=1.0, out=numpy.array([0, 1], "float32"))
    f.refuses(self=x, bins=0, min=0, max=1, out=numpy.zeros(0, "float32"))
    f.refuses(self=x, bins=2, min=2, max=1, out=numpy.zeros(2, "float32"))


@case("aclnnBincount")
def _(f):
    for dtype in ["int64", "int32", "uint8"]:
        for shape in [(20,), (0,)]:
            x, weight = f.rand(shape, dtype, 0, 5), f.rand(shape)
            f.check(self=x, minlength=8, out=numpy.bincount(x.astype("int64"), minlength=8))
            f.check(self=x, weight=weight, minlength=8, out=numpy.bincount(x.astype("int64"), weight, 8).astype("float32"))
            f.check(self=x, weight=weight.astype("float64"), minlength=8, out=numpy.bincount(x.astype("int64"), weight, 8))
    f.refuses(self=f.rand((3,)), minlength=3, out=numpy.zeros(3, "int64"))
    f.refuses(self=numpy.array([[1]]), minlength=3, out=numpy.zeros(3, "int64"))


exempt("aclnnBincount", zero_dim="numbers to count have one dimension")

TYPES = ["float32", "float16", "int64", "int32", "uint8", "bool", "float64"]


@case("aclnnUnique", "aclnnUnique2")
def _(f):
    two = f.name.endswith("2")
    for dtype in TYPES:
        for shape in [(12,), (3, 4), (0,), ()]:
            x = f.rand(shape, dtype, 0, 5)
            values, inverse, counts = numpy.unique(x, return_inverse=True, return_counts=True)
            inverse = inverse.reshape(shape).astype("int64")
            more = dict(returnCounts=True, yCounts=Wanted((x.size,), counts.astype("int64"))) if two else {}
            f.check(self=x, sorted=True, returnInverse=True, y=Wanted((x.size,), values), yInverse=inverse, **more)
            more = dict(returnCounts=False, yCounts=Any((0,), "int64")) if two else {}
            f.check(self=x, sorted=True, returnInverse=False, y=Wanted((x.size,), values), yInverse=Any((0,), "int64"), **more)
    nan = numpy.nan
    more = dict(returnCounts=False, yCounts=Any((0,), "int64")) if two else {}
    f.check(self=numpy.array([nan, 1.0, nan], "float32"), sorted=True, returnInverse=False, y=Wanted((3,), numpy.array([1.0, nan, nan], "float32")),
            yInverse=Any((0,), "int64"), **more)


@case("aclnnUniqueDim")
def _(f):
    for dtype in TYPES:
        for shape, dim in [((6, 2), 0), ((2, 6), 1), ((2, 6, 2), 1), ((5,), 0)]:
            x = f.rand(shape, dtype, 0, 1)
            values, inverse, counts = numpy.unique(x, return_inverse=True, return_counts=True, axis=dim)
            f.check(self=x, sorted=True, returnInverse=True, dim=dim, y=Wanted(shape, values), yInverse=inverse.reshape(-1).astype("int64"),
                    yCounts=Wanted((shape[dim],), counts.astype("int64")))
    x = f.rand((0, 3))
    f.check(self=x, sorted=True, returnInverse=True, dim=0, y=Wanted((0, 3), x), yInverse=numpy.zeros(0, "int64"), yCounts=Wanted((0,), numpy.zeros(0, "int64")))
    f.refuses(self=x, sorted=True, returnInverse=True, dim=1, y=x, yInverse=numpy.zeros(3, "int64"), yCounts=numpy.zeros(3, "int64"))


exempt("aclnnUniqueDim", zero_dim="slices are taken along a dimension")


@case("aclnnUniqueConsecutive")
def _(f):
    for dtype in TYPES:
        for shape, dim in [((12,), 1000), ((3, 4), 1000), ((8, 1), 0), ((2, 6), 1), ((0,), 1000), ((), 1000)]:
            x = f.rand(shape, dtype, 0, 1)
            flat = dim == 1000
            slices = list(x.reshape(-1)) if flat else list(numpy.moveaxis(x, dim, 0))
            kept, inverse, counts = [], [], []
            for one in slices:
                if kept and numpy.array_equal(kept[-1], one):
                    counts[-1] += 1
                else:
                    kept.append(one)
                    counts.append(1)
                inverse.append(len(kept) - 1)
            values = numpy.array(kept, dtype) if flat else numpy.moveaxis(numpy.array(kept, dtype), 0, dim)
            inverse = numpy.array(inverse, "int64").reshape(shape if flat else -1)
            f.check(self=x, returnInverse=True, returnCounts=True, dim=dim, valueOut=Wanted((x.size,) if flat else shape, values), inverseOut=inverse,
                    countsOut=Wanted((len(slices),), numpy.array(counts, "int64")))
