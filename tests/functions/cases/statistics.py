"""Variance, standard deviation and norms."""

import warnings

import ml_dtypes
import numpy

from harness import Ref, case, exempt

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
SHAPES = [((3, 4), [1]), ((3, 4), [0]), ((2, 3, 5), [0, 2]), ((2, 3), []), ((1, 3, 1), [1]), ((0, 3), [1]), ((), []), ((), [0]), ((900, 5), [0]), ((4, 1100), [1])]


def axes(shape, dims):
    return tuple(dims) if dims and shape else None


def variance(x, axis, correction, keep):
    x = x.astype("float64")
    count = x.size if axis is None else int(numpy.prod([x.shape[one] for one in axis]))
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mean = x.mean(axis, keepdims=True)
        total = ((x - mean) ** 2).sum(axis, keepdims=keep)
        return numpy.asarray(total / numpy.float64(max(count - correction, 0))), numpy.asarray(x.mean(axis, keepdims=keep))


@case("aclnnStd", "aclnnVarCorrection", "aclnnVarMean", "aclnnStdMeanCorrection")
def _(f):
    outs = {"aclnnStd": ["out"], "aclnnVarCorrection": ["out"], "aclnnVarMean": ["varOut", "meanOut"], "aclnnStdMeanCorrection": ["stdOut", "meanOut"]}[f.name]
    root = "Std" in f.name
    for dtype in FLOATS:
        for shape, dims in SHAPES:
            x = f.rand(shape, dtype)
            for keep in [False, True]:
                for correction in [0, 1, 2]:
                    spread, mean = variance(x, axes(shape, dims), correction, keep and bool(shape))
                    results = [numpy.sqrt(spread) if root else spread, mean]
                    f.check(self=x, dim=dims, correction=correction, keepdim=keep, **{name: numpy.asarray(one).astype(dtype) for name, one in zip(outs, results)})
    # Far from 0, and of many elements.
    x = (f.rand((2_000_000,)) + 1000).astype("float32")
    spread, mean = variance(x, None, 1, False)
    results = [numpy.sqrt(spread) if root else spread, mean]
    f.check(self=x, dim=[], correction=1, keepdim=False, **{name: numpy.float32(one) for name, one in zip(outs, results)}, tolerance=(3e-7, 0))
    f.refuses(self=x[:4], dim=[], correction=1, keepdim=False, **{name: numpy.int32(0) for name in outs})


def norm(x, p, axis, keep):
    x = numpy.abs(x.astype("complex128" if x.dtype.kind == "c" else "float64"))
    if p == numpy.inf:
        return x.max(axis, keepdims=keep)
    if p == -numpy.inf:
        return x.min(axis, keepdims=keep)
    if p == 0:
        return (x != 0).sum(axis, keepdims=keep)
    with numpy.errstate(divide="ignore"):
        return (x**p).sum(axis, keepdims=keep) ** (1 / p)


@case("aclnnNorm", "aclnnLinalgVectorNorm")
def _(f):
    old = f.name == "aclnnNorm"
    for dtype in FLOATS + ["complex64"]:
        out = "float32" if dtype == "complex64" else dtype
        for shape, dims in SHAPES:
            x = f.rand(shape, dtype)
            for p in [2.0, 1.0, 0.0, 3.0, 0.5, numpy.inf, -numpy.inf]:
                if x.size == 0 and numpy.isinf(p):
                    continue
                for keep in [False, True]:
                    want = numpy.asarray(norm(x, p, axes(shape, dims), keep and bool(shape))).astype(out)
                    more = dict(pvalue=p) if old else dict(scalarOrd=p, dtype=0)
                    f.check(self=x, dim=dims, keepdim=keep, out=want, **more)
    x = numpy.array([1.0, numpy.nan, 2.0], "float32")
    for p in [2.0, numpy.inf]:
        f.check(self=x, dim=[], keepdim=False, out=numpy.float32(numpy.nan), **(dict(pvalue=p) if old else dict(scalarOrd=p, dtype=0)))
    if not old:
        f.check(self=numpy.array([3.0, 4.0], "float32"), dim=[], keepdim=False, dtype=0, out=numpy.float32(5))
    f.refuses(self=f.rand((0,)), dim=[], keepdim=False, out=numpy.float32(0), **(dict(pvalue=numpy.inf) if old else dict(scalarOrd=numpy.inf, dtype=0)))


def renormed(x, p, dim, largest):
    x = x.astype("float64")
    others = tuple(axis for axis in range(x.ndim) if axis != dim % x.ndim)
    norms = (numpy.abs(x) ** p).sum(others, keepdims=True) ** (1 / p)
    return x * numpy.where(norms > largest, largest / (norms + 1e-7), 1)


@case("aclnnRenorm", "aclnnInplaceRenorm")
def _(f):
    for dtype in ["float32", "float16", "float64"]:
        for shape, dim in [((3, 4), 0), ((3, 4), -1), ((2, 3, 4), 1), ((0, 3), 1)]:
            for p in [1.0, 2.0, 3.0]:
                x = f.rand(shape, dtype)
                want = renormed(x, p, dim, 1.5).astype(dtype)
                if "Inplace" in f.name:
                    f.check(selfRef=Ref(x, want), p=p, dim=dim, maxnorm=1.5)
                else:
                    f.check(self=x, p=p, dim=dim, maxnorm=1.5, out=want)
    x = f.rand((3,))
    name = "selfRef" if "Inplace" in f.name else "self"
    f.refuses(**{name: x}, p=2.0, dim=0, maxnorm=1.0, **({} if "Inplace" in f.name else {"out": x}))


for name in ["aclnnRenorm", "aclnnInplaceRenorm", "aclnnEmbeddingRenorm"]:
    exempt(name, zero_dim="slices along a dimension have at least one more")


@case("aclnnEmbeddingRenorm")
def _(f):
    for dtype in ["float32", "float16"]:
        for p in [2.0, 1.0, 3.0]:
            table = f.rand((5, 4), dtype)
            want = table.copy()
            for row in [1, 3]:
                want[row] = renormed(table[row : row + 1], p, 0, 1.0)[0].astype(dtype)
            f.check(selfRef=Ref(table, want), indices=numpy.array([[1, 3], [3, 1]]), maxNorm=1.0, normType=p)
    table = f.rand((5, 4))
    f.check(selfRef=Ref(table, table), indices=numpy.zeros(0, "int64"), maxNorm=1.0, normType=2.0)
    f.refuses(selfRef=Ref(table, table), indices=f.rand((2,)), maxNorm=1.0, normType=2.0)
