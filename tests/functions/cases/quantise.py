"""Quantisation."""

import ml_dtypes
import numpy

from harness import Any, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]
INT8 = 2
ROUND = {"round": numpy.rint, "floor": numpy.floor, "ceil": numpy.ceil, "trunc": numpy.trunc}

for name in ["DynamicQuant", "DynamicQuantV2"]:
    exempt(f"aclnn{name}", zero_dim="rows have a scale each")
for name in ["QuantMatmulV5", "WeightQuantBatchMatmulV2"]:
    exempt(f"aclnn{name}", zero_dim="matrices have two dimensions")


def eighths(f, shape, dtype, limit=40):
    """Multiples of 1/8: products with powers of two are exact, and many are halfway between integers."""
    return (f.random.integers(-8 * limit, 8 * limit + 1, shape) / 8).astype(dtype)


def powers(f, shape, dtype):
    return (2.0 ** f.random.integers(-2, 3, shape)).astype(dtype)


def to_int8(x):
    return numpy.clip(x, -128, 127).astype("int8")


def quants(f, call, axes):
    for dtype in FLOATS:
        for rounding, apply in ROUND.items():
            for shape in [(3, 4, 5), (7,), (2, 0), ()]:
                x = eighths(f, shape, dtype)
                for axis in axes:
                    if axis < -max(len(shape), 1):
                        continue
                    length = shape[axis] if shape else 1
                    for count in {1, length}:
                        scale, offset = powers(f, (count,), dtype), eighths(f, (count,), dtype)
                        spread = [1] * len(shape)
                        if shape:
                            spread[axis] = count
                        s, o = scale.astype("float64").reshape(spread), offset.astype("float64").reshape(spread)
                        wide = x.astype("float64")
                        call(axis, x=x, scale=scale, roundMode=rounding, y=to_int8(apply(wide * s)))
                        call(axis, x=x, scale=scale, offset=offset, roundMode=rounding, y=to_int8(apply(wide * s + o)))
                        call(axis, x=x, scale=scale, offset=offset, sqrtMode=True, roundMode=rounding, y=to_int8(apply(wide * s * s + o)))


@case("aclnnAscendQuant")
def _(f):
    quants(f, lambda _, **values: f.check(dstType=INT8, **values), (-1,))
    x, one = f.rand((3,)), numpy.ones(1, "float32")
    f.refuses(x=x, scale=one, roundMode="nearest", dstType=INT8, y=Any((3,), "int8"))
    f.refuses(x=x, scale=f.rand((2,)), roundMode="round", dstType=INT8, y=Any((3,), "int8"))
    f.refuses(x=x, scale=one, roundMode="round", dstType=4, y=Any((3,), "int8"))


@case("aclnnAscendQuantV3")
def _(f):
    quants(f, lambda axis, **values: f.check(dstType=INT8, axis=axis, **values), (-1, -2))
    f.refuses(x=f.rand((3,)), scale=numpy.ones(1, "float32"), roundMode="round", dstType=INT8, axis=1, y=Any((3,), "int8"))


@case("aclnnAscendAntiQuant")
def _(f):
    for dtype in FLOATS:
        for shape in [(3, 4), (5,), (0, 4), ()]:
            x = f.rand(shape, "int8", -128, 127)
            for count in {1, shape[-1] if shape else 1}:
                scale, offset = f.rand((count,), dtype), f.rand((count,), dtype)
                s, o = (scale.astype("float64"), offset.astype("float64")) if shape else (float(scale[0]), float(offset[0]))
                out = numpy.asarray((x + o) * s)
                f.check(x=x, scale=scale, offset=offset, yAcltype=1, out=out.astype(dtype))
                f.check(x=x, scale=scale, offset=offset, yAcltype=1, sqrtMode=True, out=numpy.asarray(out * s).astype(dtype))
                f.check(x=x, scale=scale, yAcltype=1, out=numpy.asarray(x * s).astype(dtype))


@case("aclnnQuantize")
def _(f):
    for dtype in FLOATS:
        for kind, number in [("int8", 2), ("uint8", 4), ("int32", 3)]:
            limits = numpy.iinfo(kind)
            for shape, axis in [((3, 4, 5), 0), ((3, 4, 5), 1), ((3, 4, 5), -1), ((0, 2), 1), ((), 0)]:
                x = eighths(f, shape, dtype)
                for count in {1, shape[axis] if shape else 1}:
                    scales, zeros = powers(f, (count,), dtype), f.rand((count,), "int32", -9, 9)
                    spread = [1] * len(shape)
                    if shape:
                        spread[axis] = count
                    plain = numpy.rint(x.astype("float64") / scales.astype("float64").reshape(spread))
                    f.check(self=x, scales=scales, outputDtype=number, axis=axis, out=numpy.clip(plain, limits.min, limits.max).astype(kind))
                    f.check(self=x, scales=scales, zeroPoints=zeros, outputDtype=number, axis=axis,
                            out=numpy.clip(plain + zeros.reshape(spread), limits.min, limits.max).astype(kind))
    big = numpy.array([1e20, -1e20], "float32")
    f.check(self=big, scales=numpy.ones(1, "float32"), outputDtype=3, axis=0, out=numpy.array([2**31 - 1, -(2**31)], "int32"))
    f.refuses(self=big, scales=numpy.ones(3, "float32"), outputDtype=2, axis=0, out=Any((2,), "int8"))


def by_row(x):
    """Rows as int8, in single precision as the scale has it."""
    most = numpy.abs(x).max(-1, initial=0).astype("float32")
    scale = most / numpy.float32(127)
    with numpy.errstate(all="ignore"):
        y = numpy.where(scale[..., None] == 0, 0, numpy.rint(x / scale[..., None]))
    return to_int8(y), scale


def dynamics(f, call):
    for dtype in FLOATS:
        for shape in [(3, 5), (2, 3, 40), (7,), (0, 4), (2, 0)]:
            x = f.rand(shape, dtype)
            y, scale = by_row(x.astype("float32"))
            call(x=x, y=y, scale=scale)
            smooth = powers(f, shape[-1:], dtype)
            y, scale = by_row(x.astype("float32") * smooth.astype("float32"))
            call(x=x, smoothScales=smooth, y=y, scale=scale)
    zeros = numpy.zeros((2, 3), "float32")
    call(x=zeros, y=zeros.astype("int8"), scale=zeros[:, 0])
    f.refuses(x=zeros, y=Any((2, 2), "int8"), scale=Any((2,), "float32"))


@case("aclnnDynamicQuant")
def _(f):
    dynamics(f, f.check)


@case("aclnnDynamicQuantV2")
def _(f):
    dynamics(f, lambda **values: f.check(dstType=INT8, **values))
    x, smooth, ends = f.rand((6, 5)), powers(f, (3, 5), "float32"), numpy.array([2, 2, 6], "int32")
    y, scale = by_row(x * smooth[[0, 0, 2, 2, 2, 2]])
    f.check(x=x, smoothScales=smooth, groupIndex=ends, dstType=INT8, y=y, scale=scale)
    f.fails(x=x, smoothScales=smooth, groupIndex=ends - 1, dstType=INT8, y=y, scale=scale)


@case("aclnnTransQuantParamV2")
def _(f):
    for shape in [(5,), (1,), (2, 3), (0,), ()]:
        scale, offset = f.rand(shape), f.rand(shape, "float32", -400, 400)
        bits = (scale.view("uint32") & numpy.uint32(0xFFFFE000)).astype("uint64") | numpy.uint64(1 << 46)
        f.check(scale=scale, out=bits)
        low = (numpy.clip(numpy.rint(offset), -256, 255).astype("int64") & 0x1FF).astype("uint64")
        f.check(scale=scale, offset=offset, out=bits | low << numpy.uint64(37))
    f.refuses(scale=numpy.ones(2), out=Any((2,), "uint64"))


@case("aclnnQuantMatmulV5")
def _(f):
    for left, right in [((3, 70), (70, 5)), ((2, 3, 8), (2, 8, 4)), ((2, 3, 8), (8, 4)), ((0, 8), (8, 4)), ((3, 0), (0, 4))]:
        x1, x2 = f.rand(left, "int8", -128, 127), f.rand(right, "int8", -128, 127)
        rows, columns = left[-2], right[-1]
        sums = x1.astype("int64") @ x2.astype("int64")
        whole, real = f.rand((columns,), "int32", -1000, 1000), f.rand((columns,))
        tokens = f.rand((rows,), "float32", 0.01, 0.1)
        f.check(x1=x1, x2=x2, out=sums.astype("int32"))
        f.check(x1=x1, x2=x2, bias=whole, out=(sums + whole).astype("int32"))
        for count in {1, columns}:
            scale = f.rand((count,), "float32", 0.001, 0.01)
            packed = scale.view("uint32").astype("uint64") | numpy.uint64(1 << 46)
            for out in FLOATS:
                for given in (scale, packed, packed.astype("int64")):
                    f.check(x1=x1, x2=x2, x2Scale=given, out=(sums * scale.astype("float64")).astype(out))
                scaled = (sums + whole) * scale.astype("float64") * tokens.astype("float64")[:, None]
                f.check(x1=x1, x2=x2, x1Scale=tokens, x2Scale=scale, bias=whole, out=scaled.astype(out))
                scaled = sums * scale.astype("float64") * tokens.astype("float64")[:, None] + real
                f.check(x1=x1, x2=x2, x1Scale=tokens, x2Scale=scale, bias=real, out=scaled.astype(out), tolerance=(2e-2, 1e-3) if out != "float32" else (1e-4, 1e-4))
            scale, offset = powers(f, (count,), "float32") / 512, numpy.rint(f.rand((count,), "float32", -9, 9))
            f.check(x1=x1, x2=x2, x2Scale=scale, x2Offset=offset, out=to_int8(numpy.rint(sums * scale.astype("float64") + offset)))
            f.check(x1=x1.swapaxes(-1, -2), x2=x2.swapaxes(-1, -2), x2Scale=scale, transposeX1=True, transposeX2=True,
                    out=(sums * scale.astype("float64")).astype("float16"))
    f.refuses(x1=x1, x2=x2, out=Any((3, 4), "float16"))
    f.refuses(x1=x1, x2=x2, x2Scale=f.rand((3,)), out=Any((3, 4), "float16"))


@case("aclnnWeightQuantBatchMatmulV2")
def _(f):
    for dtype in FLOATS:
        loose = (1e-4, 1e-3) if dtype == "float32" else (2e-2, 5e-1)
        for rows, depth, columns in [(3, 8, 5), (40, 64, 33), (0, 4, 2)]:
            x, weight, bias = f.rand((rows, depth), dtype), f.rand((depth, columns), "int8", -128, 127), f.rand((columns,), dtype)
            for shape, group in [((1,), 0), ((columns,), 0), ((1, columns), 0), ((depth // 2, columns), 2)]:
                scale, offset = f.rand(shape, dtype), f.rand(shape, dtype, -9, 9)
                s, o = scale.astype("float64"), offset.astype("float64")
                if group:
                    s, o = s.repeat(group, 0), o.repeat(group, 0)
                plain = x.astype("float64") @ (weight * s)
                f.check(x=x, weight=weight, antiquantScale=scale, antiquantGroupSize=group, y=plain.astype(dtype), tolerance=loose)
                full = x.astype("float64") @ ((weight + o) * s) + bias.astype("float64")
                f.check(x=x, weight=weight, antiquantScale=scale, antiquantOffset=offset, bias=bias, antiquantGroupSize=group, y=full.astype(dtype), tolerance=loose)
    f.refuses(x=x, weight=weight, antiquantScale=f.rand((3,), dtype), y=Any((0, 2), dtype))
    f.refuses(x=x, weight=weight, antiquantScale=f.rand((1, 2), dtype), antiquantGroupSize=3, y=Any((0, 2), dtype))
