"""Weights in blocks."""

import ml_dtypes
import numpy

from harness import Any, Fractal, Ref, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]
MATRIX = "FRACTAL_NZ has matrices"
for one in ["NpuFormatCast", "MatmulWeightNz", "AddmmWeightNz", "BatchMatMulWeightNz", "QuantMatmulWeightNz", "GroupedMatmulWeightNz", "TransposeBatchMatMulWeightNz",
            "WeightQuantBatchMatmulNz", "TransMatmulWeight"]:
    exempt("aclnn" + one, zero_dim=MATRIX)


def close(dtype):
    return None if dtype == "float32" else (2e-2, 5e-2)


@case("aclnnNpuFormatCast")
def _(f):
    for dtype in [*FLOATS, "int8", "float64", "bool", ml_dtypes.float8_e4m3fn]:
        for shape in [(16, 16), (5, 3), (33, 70), (2, 17, 40), (1, 1), (0, 4), (3, 0)]:
            x = f.rand(shape, dtype)
            for width in (None, 16):
                f.check(srcTensor=x, dstTensor=Fractal(x, width))
                f.check(srcTensor=Fractal(x, width), dstTensor=x)
            f.check(srcTensor=Fractal(x, 8), dstTensor=Fractal(x, 16))
            f.check(srcTensor=x, dstTensor=x)
    x = f.rand((3, 4))
    f.refuses(srcTensor=x, dstTensor=Fractal(x[:2]))
    f.refuses(srcTensor=x, dstTensor=Fractal(x.astype("float16")))


@case("aclnnTransMatmulWeight")
def _(f):
    for shape in [(5, 3), (2, 4, 4), (0, 3)]:
        x = f.rand(shape, "float16")
        f.check(mmWeightRef=Ref(x, x))
    f.refuses(mmWeightRef=f.rand((3,)))


@case("aclnnMatmulWeightNz", "aclnnBatchMatMulWeightNz")
def _(f):
    batched = f.name == "aclnnBatchMatMulWeightNz"
    for dtype in FLOATS:
        for m, k, n in [(3, 5, 7), (20, 33, 40), (2, 16, 16), (0, 4, 3), (3, 0, 2)]:
            lead = (2,) if batched else ()
            a, b = f.rand((*lead, m, k), dtype), f.rand((*lead, k, n), dtype)
            f.check(self=a, mat2=Fractal(b), out=(a.astype("float64") @ b.astype("float64")).astype(dtype), tolerance=close(dtype) or (1e-5, 1e-5))
    f.refuses(self=a, mat2=b, out=Any((*lead, 3, 2), dtype))
    f.refuses(self=a, mat2=Fractal(f.rand((*lead, 4, 2), dtype)), out=Any((*lead, 3, 2), dtype))


@case("aclnnAddmmWeightNz")
def _(f):
    for dtype in FLOATS:
        for m, k, n in [(3, 5, 7), (20, 33, 40), (0, 4, 3)]:
            c, a, b = f.rand((m, n), dtype), f.rand((m, k), dtype), f.rand((k, n), dtype)
            want = c.astype("float64") * 0.5 + 2 * (a.astype("float64") @ b.astype("float64"))
            f.check(self=c, mat1=a, mat2=Fractal(b), beta=0.5, alpha=2.0, out=want.astype(dtype), tolerance=close(dtype) or (1e-5, 1e-5))
    f.refuses(self=c, mat1=a, mat2=b, beta=1.0, alpha=1.0, out=c)


@case("aclnnQuantMatmulWeightNz")
def _(f):
    for m, k, n in [(3, 5, 7), (20, 33, 40), (0, 4, 3)]:
        a, b = f.rand((m, k), "int8", -100, 100), f.rand((k, n), "int8", -100, 100)
        scale, rows = f.rand((n,), "float32", 0.001, 0.01), f.rand((m,), "float32", 0.5, 2)
        want = (a.astype("int64") @ b.astype("int64")) * scale.astype("float64") * rows.astype("float64")[:, None]
        f.check(x1=a, x2=Fractal(b), x1Scale=rows, x2Scale=scale, out=want.astype("float16"))
    f.refuses(x1=a, x2=b, x1Scale=rows, x2Scale=scale, out=want.astype("float16"))


@case("aclnnWeightQuantBatchMatmulNz")
def _(f):
    for dtype in ["float16", ml_dtypes.bfloat16]:
        for m, k, n in [(3, 5, 7), (20, 33, 40), (0, 4, 3)]:
            x, w = f.rand((m, k), dtype), f.rand((k, n), "int8", -100, 100)
            scale = f.rand((n,), dtype, 0.001, 0.01)
            want = x.astype("float64") @ (w.astype("float64") * scale.astype("float64"))
            f.check(x=x, weight=Fractal(w), antiquantScale=scale, y=want.astype(dtype), tolerance=(2e-2, 5e-2))
    f.refuses(x=x, weight=w, antiquantScale=scale, y=want.astype(dtype))


@case("aclnnTransposeBatchMatMulWeightNz")
def _(f):
    for dtype in FLOATS:
        for b, m, k, n in [(2, 3, 5, 7), (3, 20, 33, 40), (0, 2, 3, 4)]:
            x, w = f.rand((m, b, k), dtype), f.rand((b, k, n), dtype)
            want = numpy.einsum("mbk,bkn->mbn", x.astype("float64"), w.astype("float64"))
            f.check(input=x, weight=Fractal(w), permX1=[1, 0, 2], permX2=[0, 1, 2], permY=[1, 0, 2], batchSplitFactor=1, out=want.astype(dtype),
                    tolerance=close(dtype) or (1e-5, 1e-5))
    f.refuses(input=x, weight=w, permX1=[1, 0, 2], permX2=[0, 1, 2], permY=[1, 0, 2], batchSplitFactor=1, out=want.astype(dtype))


@case("aclnnGroupedMatmulWeightNz")
def _(f):
    for dtype in FLOATS:
        for counts, k, n in [([2, 0, 3], 5, 7), ([20, 13, 1], 33, 40), ([0, 0], 4, 3)]:
            x, w = f.rand((sum(counts), k), dtype), f.rand((len(counts), k, n), dtype)
            ends = numpy.cumsum(counts)
            want = numpy.concatenate([x[end - count : end].astype("float64") @ w[at].astype("float64") for at, (end, count) in enumerate(zip(ends, counts))])
            for kind, groups in enumerate([ends, numpy.array(counts)]):
                f.check(x=[x], weight=[Fractal(w)], groupList=groups.astype("int64"), splitItem=3, groupType=0, groupListType=kind, out=[want.astype(dtype)],
                        tolerance=close(dtype) or (1e-5, 1e-5))
    f.refuses(x=[x], weight=[w], groupList=groups.astype("int64"), splitItem=3, groupType=0, groupListType=1, out=[want.astype(dtype)])


@case("aclnnAdd")
def _(f):
    """Any function reads blocks; none but the cast writes them."""
    x, y = f.rand((5, 20)), f.rand((5, 20))
    f.check(self=Fractal(x), other=y, alpha=1, out=x + y)
    f.refuses(self=x, other=y, alpha=1, out=Fractal(x))


@case("aclnnInplaceAdd")
def _(f):
    x = f.rand((5, 20))
    f.refuses(selfRef=Fractal(x), other=x, alpha=1)
