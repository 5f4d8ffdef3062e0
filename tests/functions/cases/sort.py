"""Sorting, choosing by rank, searching."""

import ml_dtypes
import numpy

from harness import case, exempt

ORDERED = ["float32", "float16", "float64", ml_dtypes.bfloat16, "int32", "int64", "int8", "uint8", "uint64", "bool"]
SHAPES = [((3, 4), 0), ((3, 4), -1), ((2, 3, 5), 1), ((0, 3), 1), ((3, 0), 1), ((), 0), ((), -1), ((2, 700), 1)]
NAN = numpy.array([3.0, numpy.nan, 1.0, numpy.nan, 2.0, -numpy.inf, 3.0], "float32")


def argsort(x, dim, descending):
    """Stable; NaN is the largest."""
    if x.ndim == 0:
        return numpy.zeros((), "int64")
    ranks = numpy.unique(x.astype("float64") if x.dtype.kind not in "iub" else x, return_inverse=True)[1].reshape(x.shape)
    return numpy.argsort(-ranks if descending else ranks, dim, kind="stable").astype("int64")


def take(x, at, dim):
    return numpy.take_along_axis(x, at, dim) if x.ndim else x


def inputs(f):
    for dtype in ORDERED:
        for shape, dim in SHAPES:
            yield f.rand(shape, dtype, 0, 9), dim
    yield NAN, 0


@case("aclnnSort")
def _(f):
    for x, dim in inputs(f):
        for descending in [False, True]:
            at = argsort(x, dim, descending)
            f.check(self=x, stable=True, dim=dim, descending=descending, values=take(x, at, dim), indices=at)
    f.refuses(self=NAN, stable=True, dim=1, descending=False, values=NAN, indices=NAN.astype(bool).astype("int64"))


@case("aclnnArgsort")
def _(f):
    for x, dim in inputs(f):
        for descending in [False, True]:
            at = argsort(x, dim, descending)
            f.check(self=x, dim=dim, descending=descending, out=at)
            f.check(self=x, dim=dim, descending=descending, out=at.astype("int32"))


@case("aclnnTopk")
def _(f):
    for x, dim in inputs(f):
        length = x.shape[dim] if x.ndim else 1
        for k in sorted({0, 1, length // 2, length}):
            if k > length or (k == 0 and not x.ndim):
                continue
            for largest in [True, False]:
                at = argsort(x, dim, largest)
                at = numpy.take(at, numpy.arange(k), dim) if x.ndim else at
                f.check(self=x, k=k, dim=dim, largest=largest, sorted=True, values=take(x, at, dim), indices=at)
    f.refuses(self=NAN, k=8, dim=0, largest=True, sorted=True, values=NAN, indices=argsort(NAN, 0, False))
    f.refuses(self=NAN, k=-1, dim=0, largest=True, sorted=True, values=NAN, indices=argsort(NAN, 0, False))


@case("aclnnKthvalue")
def _(f):
    for x, dim in inputs(f):
        length = x.shape[dim] if x.ndim else 1
        for k in sorted({1, (length + 1) // 2, length}):
            if not 1 <= k <= length:
                continue
            at = argsort(x, dim, False)
            at = numpy.take(at, [k - 1], dim) if x.ndim else at
            values = take(x, at, dim)
            f.check(self=x, k=k, dim=dim, keepdim=True, values=values, indices=at)
            if x.ndim:
                f.check(self=x, k=k, dim=dim, keepdim=False, values=values.squeeze(dim), indices=at.squeeze(dim))
    f.refuses(self=NAN, k=0, dim=0, keepdim=False, values=numpy.float32(0), indices=numpy.int64(0))
    f.refuses(self=NAN, k=8, dim=0, keepdim=False, values=numpy.float32(0), indices=numpy.int64(0))


@case("aclnnMedian", "aclnnNanMedian")
def _(f):
    for dtype in ORDERED:
        for shape in [(3, 4), (5,), (), (1001,)]:
            x = f.rand(shape, dtype, 0, 9)
            f.check(self=x, out=numpy.sort(x.reshape(-1))[(x.size - 1) // 2])
    f.check(self=f.rand((0, 3)), out=numpy.float32(numpy.nan))
    f.check(self=NAN, out=numpy.float32(2.0 if "Nan" in f.name else numpy.nan))
    f.check(self=numpy.full(3, numpy.nan, "float32"), out=numpy.float32(numpy.nan))
    f.refuses(self=f.rand((0,), "int32"), out=numpy.int32(0))


@case("aclnnMedianDim")
def _(f):
    for x, dim in inputs(f):
        length = x.shape[dim] if x.ndim else 1
        if length == 0 or numpy.isnan(x.astype("float64")).any():
            continue
        at = argsort(x, dim, False)
        at = numpy.take(at, [(length - 1) // 2], dim) if x.ndim else at
        values = take(x, at, dim)
        f.check(self=x, dim=dim, keepdim=True, values=values, indices=at)
    f.check(self=NAN, dim=0, keepdim=False, values=numpy.float32(numpy.nan), indices=numpy.int64(1))


@case("aclnnNanMedianDim")
def _(f):
    for x, dim in inputs(f):
        length = x.shape[dim] if x.ndim else 1
        if length == 0 or numpy.isnan(x.astype("float64")).any():
            continue
        at = argsort(x, dim, False)
        at = numpy.take(at, [(length - 1) // 2], dim) if x.ndim else at
        f.check(self=x, dim=dim, keepdim=True, values=take(x, at, dim), indices=at)
    x = numpy.array([[3, numpy.nan, 1, 2, numpy.nan], [numpy.nan] * 5], "float32")
    f.check(self=x, dim=1, keepdim=False, values=numpy.array([2, numpy.nan], "float32"), indices=numpy.array([3, 0]))


def search(sequence, values, right):
    return numpy.searchsorted(sequence, values, "right" if right else "left")


@case("aclnnSearchSorted")
def _(f):
    for dtype in ["float32", "float16", "float64", "int32", "int64", "uint8"]:
        sequence = numpy.sort(f.rand((8,), dtype, 0, 9))
        rows = numpy.sort(f.rand((3, 8), dtype, 0, 9), 1)
        for right in [False, True]:
            for shape in [(5,), (2, 3), (0,), ()]:
                values = f.rand(shape, dtype, 0, 9)
                f.check(sortedSequence=sequence, self=values, outInt32=False, right=right, out=numpy.asarray(search(sequence, values, right)).astype("int64"))
            values = f.rand((3, 4), dtype, 0, 9)
            want = numpy.stack([search(row, one, right) for row, one in zip(rows, values)])
            f.check(sortedSequence=rows, self=values, outInt32=True, right=right, out=want.astype("int32"))
            order = numpy.stack([f.random.permutation(8) for _ in range(3)])
            shuffled = numpy.empty_like(rows)
            numpy.put_along_axis(shuffled, order, rows, 1)
            f.check(sortedSequence=shuffled, self=values, outInt32=False, right=right, sorter=order.astype("int64"), out=want.astype("int64"))
    values = numpy.array([numpy.nan, 2.0], "float32")
    f.check(sortedSequence=numpy.array([1.0, 2.0, 3.0], "float32"), self=values, outInt32=False, right=False, out=numpy.array([3, 1]))
    f.check(sortedSequence=numpy.array([1, 2, 3]), self=numpy.array([1.5, 3.0], "float32"), outInt32=False, right=False, out=numpy.array([1, 2]))
    f.refuses(sortedSequence=rows, self=f.rand((2, 4), "uint8"), outInt32=False, right=False, out=numpy.zeros((2, 4), "int64"))


@case("aclnnSearchSorteds")
def _(f):
    sequence = numpy.array([1.0, 2.0, 2.0, 5.0], "float32")
    f.check(sortedSequence=sequence, self=2.0, outInt32=False, right=False, out=numpy.int64(1))
    f.check(sortedSequence=sequence, self=2.0, outInt32=True, right=True, out=numpy.int32(3))
    f.check(sortedSequence=sequence[[3, 0, 1, 2]], self=3.0, outInt32=False, right=False, sorter=numpy.array([1, 2, 3, 0]), out=numpy.int64(3))
    f.check(sortedSequence=numpy.array([1, 2, 5]), self=2.5, outInt32=False, right=False, out=numpy.int64(2))
    f.check(sortedSequence=sequence[:0], self=2.5, outInt32=False, right=False, out=numpy.int64(0))


exempt("aclnnSearchSorteds", zero_dim="a sequence has a dimension")


@case("aclnnBucketize")
def _(f):
    boundaries = numpy.array([1.0, 3.0, 3.0, 7.0], "float32")
    for right in [False, True]:
        for shape in [(3, 4), (0, 2), ()]:
            x = f.rand(shape, "float32", 0, 9)
            f.check(self=x, boundaries=boundaries, outInt32=False, right=right, out=numpy.asarray(search(boundaries, x, right)).astype("int64"))
        x = f.rand((5,), "int64", 0, 9)
        f.check(self=x, boundaries=boundaries, outInt32=True, right=right, out=search(boundaries, x, right).astype("int32"))
