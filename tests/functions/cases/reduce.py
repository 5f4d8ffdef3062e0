"""Sums, products, means, extremes and truth over axes."""

import warnings

import ml_dtypes
import numpy

from harness import case, exempt

NUMBERS = ["float32", "float16", "float64", ml_dtypes.bfloat16, "int32", "int64", "int8", "uint8", "complex64"]
SHAPES = [((3, 4), [1]), ((3, 4), [0]), ((2, 3, 5), [0, 2]), ((2, 3, 5), [-2]), ((2, 3), []), ((0, 3), [1]), ((0, 3), [0]), ((), []), ((), [0]), ((), [-1]), ((1030, 70), [0]), ((70, 1030), [1])]
CODES = {"float32": 0, "float16": 1, "int8": 2, "int32": 3, "uint8": 4, "int64": 9, "float64": 11, "bool": 12, "complex64": 16, "bfloat16": 27}


def code(dtype):
    return CODES[numpy.dtype(dtype).name]


def axes(shape, dims):
    return tuple(dims) if dims and shape else None


def wide(x):
    return x.astype("complex128" if x.dtype.kind == "c" else "float64" if x.dtype.kind not in "iub" else "int64")


def over(f, reference, types):
    """Inputs, the dimensions, and the result with and without kept dimensions."""
    for dtype in types:
        for shape, dims in SHAPES:
            x = f.rand(shape, dtype)
            for keep in [False, True]:
                yield x, dims, keep, numpy.asarray(reference(wide(x), axis=axes(shape, dims), keepdims=keep and bool(shape)))


@case("aclnnReduceSum")
def _(f):
    for x, dims, keep, want in over(f, numpy.sum, NUMBERS):
        out = "int64" if x.dtype.kind in "iu" else x.dtype
        f.check(self=x, dims=dims, keepDims=keep, dtype=code(out), out=want.astype(out))
    f.check(self=numpy.array([2**25, 1, 1]), dims=[0], keepDims=False, dtype=9, out=numpy.int64(2**25 + 2))
    f.check(self=numpy.array([True, True, False]), dims=[0], keepDims=False, dtype=9, out=numpy.int64(2))
    big = numpy.array([2**63 - 1, 1])
    f.check(self=big, dims=[0], keepDims=False, dtype=9, out=numpy.int64(-(2**63)))
    x = f.rand((3,), "float16")
    f.check(self=x, dims=[], keepDims=False, dtype=0, out=x.astype("float32").sum())
    many = numpy.full(20_000_003, 0.1, "float32")
    f.check(self=many, dims=[], keepDims=False, dtype=0, out=numpy.float32(many.astype("float64").sum()), layouts=["contiguous"], tolerance=(2e-7, 0))
    f.refuses(self=x, dims=[0, 0], keepDims=False, dtype=0, out=numpy.float32(0))
    f.refuses(self=x, dims=[1], keepDims=False, dtype=0, out=numpy.float32(0))
    f.refuses(self=x, dims=[0], keepDims=True, dtype=0, out=numpy.float32(0))


@case("aclnnReduceNansum")
def _(f):
    for x, dims, keep, want in over(f, numpy.nansum, ["float32", "float16", "int32"]):
        out = "int64" if x.dtype.kind in "iu" else x.dtype
        f.check(self=x, dim=dims, keepDim=keep, dtype=code(out), out=want.astype(out))
    f.check(self=numpy.array([1.0, numpy.nan, 2.0], "float32"), dim=[], keepDim=False, dtype=0, out=numpy.float32(3))


@case("aclnnMean")
def _(f):
    with numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        for x, dims, keep, want in over(f, numpy.mean, ["float32", "float16", "float64", ml_dtypes.bfloat16, "complex64"]):
            f.check(self=x, dim=dims, keepDim=keep, dtype=code(x.dtype), out=want.astype(x.dtype))
    x = numpy.arange(10)
    f.check(self=x, dim=[], keepDim=False, dtype=0, out=numpy.float32(4.5))
    f.refuses(self=x, dim=[], keepDim=False, dtype=9, out=numpy.int64(4))
    many = numpy.full(30_000_001, 50.0026, "float32")
    f.check(self=many, dim=[], keepDim=False, dtype=0, out=numpy.float32(50.0026), layouts=["contiguous"], tolerance=(2e-7, 0))


@case("aclnnProd")
def _(f):
    for dtype in NUMBERS:
        for shape in [(3, 4), (0, 3), ()]:
            x = f.rand(shape, dtype)
            out = "int64" if x.dtype.kind in "iu" else x.dtype
            f.check(self=x, dstType=code(out), out=numpy.prod(wide(x)).astype(out))
    odd = numpy.array([2**53 + 1, 3])
    f.check(self=odd, dstType=9, out=numpy.int64((2**53 + 1) * 3))


@case("aclnnProdDim")
def _(f):
    for dtype in NUMBERS:
        for shape, dim in [((3, 4), 0), ((3, 4), -1), ((2, 3, 4), 1), ((0, 3), 0), ((), 0)]:
            x = f.rand(shape, dtype)
            out = "int64" if x.dtype.kind in "iu" else x.dtype
            want = numpy.asarray(numpy.prod(wide(x), axis=dim if shape else None))
            f.check(self=x, dim=dim, keepdim=False, dstType=code(out), out=want.astype(out))
            if shape:
                f.check(self=x, dim=dim, keepdim=True, dstType=code(out), out=numpy.prod(wide(x), axis=dim, keepdims=True).astype(out))


@case("aclnnAll", "aclnnAny")
def _(f):
    every = f.name.endswith("All")
    reference = numpy.all if every else numpy.any
    for dtype in ["bool", "float32", "float64", "int64", "uint8", "float16", "complex64"]:
        for shape, dims in SHAPES:
            x = f.rand(shape, dtype, 0, 1) if numpy.dtype(dtype).kind in "iub" else (f.rand(shape, dtype) * f.rand(shape, bool)).astype(dtype)
            for keep in [False, True]:
                want = numpy.asarray(reference(x, axis=axes(shape, dims), keepdims=keep and bool(shape)))
                f.check(**{"self": x, "dims": dims, "keepdim" if every else "keepDim": keep, "out": want.astype(bool)})
    x = numpy.array([numpy.nan, 0.0, 0.25], "float32")
    f.check(**{"self": x, "dims": [0], "keepdim" if every else "keepDim": False, "out": numpy.array(not every)})
    f.check(**{"self": numpy.array([0, 3], "uint8"), "dims": [0], "keepdim" if every else "keepDim": False, "out": numpy.array(not every, "uint8")})
    f.check(**{"self": numpy.zeros(0, bool), "dims": [], "keepdim" if every else "keepDim": False, "out": numpy.array(every)})


ORDERED = ["float32", "float16", "float64", ml_dtypes.bfloat16, "int32", "int64", "int8", "uint8", "uint64", "bool"]
FULL = [((3, 4), [1]), ((3, 4), [0]), ((2, 3, 5), [0, 2]), ((2, 3), []), ((0, 3), [1]), ((), []), ((), [0]), ((70, 1030), [1]), ((1030, 7), [0])]
NANS = numpy.array([[1.0, numpy.nan, 3.0], [numpy.nan, 0.0, 1.0], [0.0, 1.0, numpy.nan], [2.0, 1.0, 0.0]], "float32")


@case("aclnnAmax", "aclnnAmin")
def _(f):
    reference = numpy.max if f.name.endswith("max") else numpy.min
    for dtype in ORDERED:
        for shape, dims in FULL:
            x = f.rand(shape, dtype, 0, 100)
            for keep in [False, True]:
                f.check(self=x, dim=dims, keepdim=keep, out=numpy.asarray(reference(x, axis=axes(shape, dims), keepdims=keep and bool(shape))))
    f.check(self=NANS, dim=[1], keepdim=False, out=reference(NANS, 1))
    f.check(self=NANS, dim=[0], keepdim=False, out=reference(NANS, 0))
    big = numpy.array([2**63 - 1, 2**63 - 2, -(2**63)])
    f.check(self=big, dim=[], keepdim=False, out=reference(big))
    f.refuses(self=f.rand((0, 3)), dim=[0], keepdim=False, out=f.rand((3,)))
    f.refuses(self=f.rand((3,), "complex64"), dim=[], keepdim=False, out=f.rand((), "complex64"))


@case("aclnnAminmax")
def _(f):
    for dtype in ORDERED:
        for shape, dims in FULL:
            x = f.rand(shape, dtype, 0, 100)
            a = axes(shape, dims)
            f.check(self=x, dims=dims, keepdim=False, min=numpy.asarray(x.min(a)), max=numpy.asarray(x.max(a)))
    f.check(self=NANS, dims=[1], keepdim=True, min=NANS.min(1, keepdims=True), max=NANS.max(1, keepdims=True))


@case("aclnnMax", "aclnnMin")
def _(f):
    reference = numpy.max if f.name.endswith("Max") else numpy.min
    for dtype in ORDERED:
        for shape in [(3, 4), (), (100_000,)]:
            x = f.rand(shape, dtype, 0, 100)
            f.check(self=x, out=numpy.asarray(reference(x)))
    f.check(self=NANS, out=numpy.float32(numpy.nan))
    late = numpy.zeros(200_000, "float32")
    late[150_000] = numpy.nan
    f.check(self=late, out=numpy.float32(numpy.nan))
    f.refuses(self=f.rand((0, 3)), out=f.rand(()))


for name in ["aclnnMax", "aclnnMin"]:
    exempt(name, empty="no elements have no extreme")

ALONG = [((3, 4), 0), ((3, 4), -1), ((2, 3, 5), 1), ((), 0), ((), -1), ((0, 3), 1), ((5, 2000), 1)]


@case("aclnnMaxDim", "aclnnMinDim")
def _(f):
    largest = "Max" in f.name
    for dtype in ORDERED:
        for shape, dim in ALONG:
            x = f.rand(shape, dtype, 0, 9)
            at = numpy.argmax(x, dim) if largest else numpy.argmin(x, dim)
            if not shape:
                f.check(self=x, dim=dim, keepDim=False, out=x, indices=numpy.int64(0))
                continue
            values = numpy.take_along_axis(x, numpy.expand_dims(at, dim), dim)
            f.check(self=x, dim=dim, keepDim=True, out=values, indices=numpy.expand_dims(at, dim).astype("int64"))
            f.check(self=x, dim=dim, keepDim=False, out=values.squeeze(dim), indices=at.astype("int64"))
    at = numpy.array([1, 0, 2, 0 if largest else 2])
    f.check(self=NANS, dim=1, keepDim=False, out=NANS[numpy.arange(4), at], indices=at)
    f.refuses(self=f.rand((0, 3)), dim=0, keepDim=False, out=f.rand((3,)), indices=f.rand((3,), "int64"))


@case("aclnnArgMax", "aclnnArgMin")
def _(f):
    reference = numpy.argmax if "Max" in f.name else numpy.argmin
    for dtype in ORDERED:
        for shape, dim in ALONG:
            x = f.rand(shape, dtype, 0, 9)
            at = numpy.asarray(reference(x, dim) if shape else 0).astype("int64")
            f.check(self=x, dim=dim, keepdim=False, out=at)
            if shape:
                f.check(self=x, dim=dim, keepdim=True, out=numpy.expand_dims(at, dim).astype("int32"))
    f.check(self=NANS, dim=1, keepdim=False, out=numpy.array([1, 0, 2, 0 if reference is numpy.argmax else 2]))
    f.refuses(self=f.rand((3,)), dim=0, keepdim=False, out=f.rand(()))


@case("aclnnTrace")
def _(f):
    for dtype in NUMBERS:
        for shape in [(3, 4), (4, 3), (0, 3)]:
            x = f.rand(shape, dtype)
            out = "int64" if x.dtype.kind in "iu" else x.dtype
            f.check(self=x, out=numpy.asarray(wide(x).trace()).astype(out))
    f.refuses(self=f.rand((3,)), out=f.rand(()))


exempt("aclnnTrace", zero_dim="a matrix has two dimensions")


@case("aclnnSum")
def _(f):
    for dtype in NUMBERS:
        for shape in [(3, 4), (0, 3), ()]:
            tensors = [f.rand(shape, dtype) for _ in range(3)]
            f.check(tensors=tensors, out=numpy.asarray(sum(wide(tensor) for tensor in tensors)).astype(dtype))
    f.refuses(tensors=[f.rand((3,)), f.rand((2,))], out=f.rand((3,)))
