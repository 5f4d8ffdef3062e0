"""Products of matrices and vectors."""

import ml_dtypes
import numpy

from harness import Ref, case, exempt

TYPES = ["float32", "float64", "float16", ml_dtypes.bfloat16, "complex64", "int32"]
SIZES = [(3, 4, 5), (1, 7, 6), (6, 7, 1), (1, 40, 1), (3, 0, 5), (0, 4, 5)]


def exact(array):
    """In a type whose sums are as good as exact."""
    kind = array.dtype.kind
    return array.astype("int64" if kind in "iu" else "complex128" if kind == "c" else "float64")


def tolerance(dtype):
    return {"bfloat16": (2e-2, 2e-2), "float16": (2e-3, 5e-3), "float32": (1e-5, 1e-5)}.get(numpy.dtype(dtype).name)


def product(a, b, dtype=None):
    return (exact(a) @ exact(b)).astype(dtype or a.dtype)


@case("aclnnMm")
def _(f):
    for dtype in TYPES:
        for m, k, n in SIZES:
            a, b = f.rand((m, k), dtype), f.rand((k, n), dtype)
            f.check(self=a, mat2=b, out=product(a, b), tolerance=tolerance(dtype))
    a, b = f.rand((70, 300)), f.rand((300, 90))
    f.check(self=a, mat2=b, out=product(a, b), tolerance=(1e-4, 1e-4))
    f.check(self=a, mat2=numpy.asfortranarray(b), out=product(a, b), tolerance=(1e-4, 1e-4))
    a, b = f.rand((5, 6), "float16"), f.rand((6, 7), "float16")
    f.check(self=a, mat2=b, out=product(a, b, "float32"))
    a, b = f.rand((1, 2000)), f.rand((2000, 1100))
    f.check(self=a, mat2=b, out=product(a, b), tolerance=(1e-4, 1e-3))
    a = numpy.array([[numpy.inf, 1]], "float32")
    f.check(self=a, mat2=numpy.zeros((2, 2), "float32"), out=numpy.full((1, 2), numpy.nan, "float32"))
    f.refuses(self=f.rand((2, 3)), mat2=f.rand((2, 3)), out=f.rand((2, 3)))
    f.refuses(self=f.rand((3,)), mat2=f.rand((3, 2)), out=f.rand((2,)))
    f.refuses(self=f.rand((2, 2), bool), mat2=f.rand((2, 2), bool), out=f.rand((2, 2), bool))


@case("aclnnMatmul")
def _(f):
    shapes = [((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((2, 3, 4), (4,)),
              ((4,), (2, 4, 3)), ((2, 3, 0), (2, 0, 4)), ((0, 3, 4), (4, 5))]
    for dtype in ["float32", "float16", "int64"]:
        for a, b in shapes:
            a, b = f.rand(a, dtype), f.rand(b, dtype)
            f.check(self=a, mat2=b, out=product(a, b), tolerance=tolerance(dtype))
    f.refuses(self=f.rand(()), mat2=f.rand((3,)), out=f.rand((3,)))
    f.refuses(self=f.rand((2, 3, 4)), mat2=f.rand((3, 4, 5)), out=f.rand((2, 3, 5)))


@case("aclnnBatchMatMul")
def _(f):
    for dtype in TYPES:
        for batch, other in [(3, 3), (3, 1), (0, 0), (1, 1)]:
            a, b = f.rand((batch, 4, 5), dtype), f.rand((other, 5, 6), dtype)
            f.check(self=a, mat2=b, out=product(a, b), tolerance=tolerance(dtype))
    f.refuses(self=f.rand((2, 3)), mat2=f.rand((3, 2)), out=f.rand((2, 2)))


@case("aclnnMv")
def _(f):
    for dtype in TYPES:
        for m, k in [(4, 5), (0, 5), (4, 0), (300, 700)]:
            a, b = f.rand((m, k), dtype), f.rand((k,), dtype)
            f.check(self=a, vec=b, out=product(a, b), tolerance=tolerance(dtype) if k < 100 else (3e-2, 1.5) if numpy.dtype(dtype).itemsize == 2 else (1e-4, 1e-3))
    f.refuses(self=f.rand((2, 3)), vec=f.rand((2,)), out=f.rand((2,)))


@case("aclnnDot")
def _(f):
    for dtype in TYPES:
        for size in [5, 0, 33]:
            a, b = f.rand((size,), dtype), f.rand((size,), dtype)
            f.check(self=a, tensor=b, out=product(a, b), tolerance=(2e-2, 1e-1) if numpy.dtype(dtype).itemsize == 2 else (1e-4, 1e-4))
    f.refuses(self=f.rand((2, 3)), tensor=f.rand((3,)), out=f.rand(()))


def combined(addend, beta, value, alpha, dtype):
    value = alpha * value
    return (value if beta == 0 else beta * exact(addend) + value).astype(dtype)


def sums(f, shapes, names, value, in_place=False, cut=True):
    """beta · self + alpha · value for each triple of shapes. Of integers, the factors lose their fraction if `cut`, or are refused."""
    for dtype in ["float32", "float64", "float16", "int32", "int64", "complex64"]:
        whole = dtype.startswith("int")
        for addend, first, second in shapes:
            fractions = [(0.5, -1.5), (2.9, 1), (-2.9, 0.2), (1, -0.9)] if whole and cut else [(0.5, -1.5)]
            for beta, alpha in [(1, 1), (2, 3), (0, 1)] + (fractions if cut or not whole else []):
                s, a, b = f.rand(addend, dtype), f.rand(first, dtype), f.rand(second, dtype)
                if beta == 0 and dtype == "float32":
                    s = numpy.full_like(s, numpy.nan)
                factors = (int(beta), int(alpha)) if whole else (beta, alpha)
                want = combined(s, factors[0], value(exact(a), exact(b)), factors[1], dtype)
                given = {names[0]: a, names[1]: b, "beta": beta, "alpha": alpha}
                if in_place:
                    f.check(selfRef=Ref(s, want), tolerance=tolerance(dtype), **given)
                else:
                    f.check(self=s, out=want, tolerance=tolerance(dtype), **given)


@case("aclnnAddmm")
def _(f):
    shapes = [((3, 5), (3, 4), (4, 5)), ((5,), (3, 4), (4, 5)), ((), (3, 4), (4, 5)), ((3, 1), (3, 0), (0, 5)), ((0, 5), (0, 4), (4, 5)), ((1, 5), (1, 9), (9, 5))]
    sums(f, shapes, ["mat1", "mat2"], lambda a, b: a @ b)
    f.refuses(self=f.rand((4,)), mat1=f.rand((3, 4)), mat2=f.rand((4, 5)), beta=1, alpha=1, out=f.rand((3, 5)))
    integers = {"self": f.rand((5,), "int32"), "mat1": f.rand((3, 4), "int32"), "mat2": f.rand((4, 5), "int32"), "out": f.rand((3, 5), "int32")}
    for factor in [3e9, -3e9, numpy.nan, numpy.inf, 1 + 1j]:
        f.refuses(beta=factor, alpha=1, **integers)
        f.refuses(beta=1, alpha=factor, **integers)


@case("aclnnInplaceAddmm")
def _(f):
    sums(f, [((3, 5), (3, 4), (4, 5)), ((3, 5), (3, 0), (0, 5)), ((0, 5), (0, 4), (4, 5))], ["mat1", "mat2"], lambda a, b: a @ b, True)


@case("aclnnBaddbmm")
def _(f):
    shapes = [((2, 3, 5), (2, 3, 4), (2, 4, 5)), ((5,), (2, 3, 4), (2, 4, 5)), ((), (2, 3, 0), (2, 0, 5)), ((0, 3, 5), (0, 3, 4), (0, 4, 5))]
    sums(f, shapes, ["batch1", "batch2"], lambda a, b: a @ b)


@case("aclnnAddbmm")
def _(f):
    shapes = [((3, 5), (2, 3, 4), (2, 4, 5)), ((5,), (2, 3, 4), (2, 4, 5)), ((), (0, 3, 4), (0, 4, 5))]
    sums(f, shapes, ["batch1", "batch2"], lambda a, b: (a @ b).sum(0))


@case("aclnnAddmv")
def _(f):
    sums(f, [((3,), (3, 4), (4,)), ((), (3, 4), (4,)), ((3,), (3, 0), (0,)), ((0,), (0, 4), (4,))], ["mat", "vec"], lambda a, b: a @ b)


@case("aclnnAddr")
def _(f):
    sums(f, [((3, 4), (3,), (4,)), ((4,), (3,), (4,)), ((), (3,), (4,)), ((0, 4), (0,), (4,))], ["vec1", "vec2"], numpy.outer, cut=False)
    integers = {"self": f.rand((4,), "int32"), "vec1": f.rand((3,), "int32"), "vec2": f.rand((4,), "int32"), "out": f.rand((3, 4), "int32")}
    f.refuses(beta=0.5, alpha=1, **integers)


@case("aclnnInplaceAddr")
def _(f):
    sums(f, [((3, 4), (3,), (4,)), ((0, 4), (0,), (4,))], ["vec1", "vec2"], numpy.outer, True, cut=False)


@case("aclnnTransposeBatchMatMul")
def _(f):
    for dtype in ["float32", "float16"]:
        for m in [4, 0]:
            a, b = f.rand((m, 3, 5), dtype), f.rand((3, 5, 6), dtype)
            want = numpy.einsum("mbk,bkn->mbn", exact(a), exact(b)).astype(dtype)
            given = {"input": a, "weight": b, "permX1": [1, 0, 2], "permX2": [0, 1, 2], "permY": [1, 0, 2]}
            f.check(batchSplitFactor=1, out=want, tolerance=tolerance(dtype), **given)
            f.check(batchSplitFactor=3, out=want.reshape(m, 3, 6).transpose(1, 0, 2), tolerance=tolerance(dtype), **given)
    f.refuses(input=a, weight=b, permX1=[1, 1, 2], permX2=[0, 1, 2], permY=[1, 0, 2], batchSplitFactor=1, out=want)


@case("aclnnGer")
def _(f):
    for dtype in TYPES + ["uint8", "int64"]:
        for m, n in [(3, 4), (0, 4), (3, 0), (1, 1), (40, 17)]:
            a, b = f.rand((m,), dtype), f.rand((n,), dtype)
            f.check(self=a, vec2=b, out=numpy.multiply.outer(a, b).astype(dtype), tolerance=tolerance(dtype))
    f.refuses(self=f.rand((2, 3)), vec2=f.rand((3,)), out=f.rand((2, 3)))
    f.refuses(self=f.rand((2,)), vec2=f.rand((3,)), out=f.rand((3, 2)))


for name in ["Mm", "BatchMatMul", "Mv", "Dot", "Ger", "InplaceAddmm", "InplaceAddr", "TransposeBatchMatMul"]:
    exempt("aclnn" + name, zero_dim="operands are vectors or matrices")
