"""Blocks of 8-bit floats that share a power of two, and products of 8-bit floats."""

import ml_dtypes
import numpy

from cases.norm_quant import rms, wide
from harness import Any, Fractal, Ref, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]
# The number of the type, the exponent of its largest number, and that number.
NARROW = {ml_dtypes.float8_e4m3fn: (36, 8, 448.0), ml_dtypes.float8_e5m2: (35, 15, 57344.0)}
E8M0 = ml_dtypes.float8_e8m0fnu

for name in ["DynamicMxQuant", "DynamicMxQuantV2", "DynamicMxQuantV3"]:
    exempt(f"aclnn{name}", zero_dim="blocks lie along an axis")
for name in ["RmsNormDynamicMxQuant", "AddRmsNormDynamicMxQuant"]:
    exempt(f"aclnn{name}", zero_dim="at least one axis is normalised")
for name in ["TransposeQuantBatchMatMul", "TransposeQuantBatchMatMulWeightNz"]:
    exempt(f"aclnn{name}", zero_dim="matrices have two dimensions")
exempt("aclnnDynamicDualLevelMxQuant", zero_dim="refused", empty="refused", strided="refused")


def saturated(x, dtype):
    """The nearest 8-bit float, as ml_dtypes rounds; beyond the largest it is the largest."""
    largest = NARROW[dtype][2]
    return numpy.clip(x, -largest, largest).astype("float32").astype(dtype)


def blocks(x, axis, length, dtype):
    """Quantised numbers and the bytes of the scales."""
    x = numpy.moveaxis(x, axis, -1)
    count = -(-x.shape[-1] // length)
    y, scales = numpy.zeros(x.shape), numpy.zeros((*x.shape[:-1], count + count % 2), "uint8")
    for block in range(count):
        part = x[..., block * length : (block + 1) * length]
        most = numpy.abs(part).max(-1)
        with numpy.errstate(divide="ignore"):
            exponent = numpy.where(most == 0, -127, numpy.clip(numpy.floor(numpy.log2(most)) - NARROW[dtype][1], -127, 127))
        scales[..., block] = exponent + 127
        y[..., block * length : (block + 1) * length] = part / 2.0 ** exponent[..., None]
    axis %= x.ndim
    pairs = scales.reshape(*x.shape[:-1], -1, 2) if scales.size else scales.reshape(*x.shape[:-1], (count + 1) // 2, 2)
    return numpy.moveaxis(saturated(y, dtype), -1, axis), numpy.moveaxis(pairs, -2, axis).view(E8M0)


def quants(f, call):
    for narrow, (number, _, _) in NARROW.items():
        for dtype in FLOATS:
            for shape, axis in [((3, 70), -1), ((2, 64), 1), ((70, 3), 0), ((2, 40, 3), 1), ((2, 3, 33), -1), ((5,), 0), ((0, 40), 1), ((2, 0), 1), ((3, 0, 4), 2)]:
                for length in [32, 64]:
                    x = (wide(f.rand(shape)) * 2.0 ** f.random.integers(-12, 12, shape)).astype(dtype)
                    y, scales = blocks(wide(x), axis, length, narrow)
                    call(input=x, axis=axis, roundMode="rint", yAcltype=number, blockSize=length, y=y, mxscale=scales)
    # Numbers between the largest of the type and twice the largest power of two in it, zeros, and the ends of the range.
    for narrow, (number, _, _) in NARROW.items():
        x = numpy.zeros((5, 32), "float32")
        x[0, :4], x[1, 0], x[2, 0], x[3, :3], x[4, 0] = [1.99, -1.99, 1.75, 1.8], 1e-45, 3e38, [1e-38, 1.0, -0.0], -7.0
        y, scales = blocks(wide(x), 1, 32, narrow)
        call(input=x, axis=1, roundMode="", yAcltype=number, blockSize=32, y=y, mxscale=scales)
    for odd in [numpy.nan, numpy.inf]:
        x = numpy.ones((1, 64), "float32")
        x[0, 3] = odd
        y, scales = blocks(numpy.ones((1, 64)), 1, 32, ml_dtypes.float8_e4m3fn)
        scales[0, 0, 0] = numpy.nan
        bits = y.view("uint8").copy()
        bits[0, :32] = 0x7F
        call(input=x, axis=1, roundMode="rint", yAcltype=36, blockSize=32, y=bits.view(ml_dtypes.float8_e4m3fn), mxscale=scales)
    fine = {"input": f.rand((2, 64)), "axis": 1, "roundMode": "rint", "yAcltype": 36, "blockSize": 32, "y": Any((2, 64), ml_dtypes.float8_e4m3fn), "mxscale": Any((2, 1, 2), E8M0)}
    for name, value in [("axis", 2), ("roundMode", "floor"), ("yAcltype", 40), ("yAcltype", 35), ("blockSize", 16), ("blockSize", 2048), ("scaleAlgOptional", 1),
                        ("mxscale", Any((2, 2, 2), E8M0)), ("mxscale", Any((2, 1, 2), "float32")), ("y", Any((2, 63), ml_dtypes.float8_e4m3fn)), ("input", f.rand((2, 64), "float64"))]:
        f.refuses(**fine | {name: value})
    return fine


@case("aclnnDynamicMxQuant")
def _(f):
    quants(f, f.check)


@case("aclnnDynamicMxQuantV2")
def _(f):
    f.refuses(dstTypeMax=6.0, **quants(f, f.check))


@case("aclnnDynamicMxQuantV3")
def _(f):
    fine = quants(f, f.check)
    f.refuses(dstTypeMax=6.0, **fine)
    f.refuses(maxLowBound=1.0, **fine)


def norms(f, added):
    for narrow, (number, _, _) in NARROW.items():
        for dtype in FLOATS:
            for shape in [(3, 70), (2, 3, 32), (5,), (0, 40), (2, 0)]:
                for beta in [False, True]:
                    while True:
                        given = {"gamma": f.rand(shape[-1:], "float32")}
                        if added:
                            given |= {"x1": f.rand(shape, dtype), "x2": f.rand(shape, dtype)}
                            x = wide(given["x1"]) + wide(given["x2"])
                        else:
                            given["x"] = f.rand(shape, dtype)
                            x = wide(given["x"])
                        if beta:
                            given["beta"] = f.rand(shape[-1:], "float32")
                        result = rms(x, given["gamma"], 1e-6, wide(given["beta"]) if beta else 0.0)
                        # The same with a little more and a little less: single precision cannot decide otherwise.
                        near = [blocks(result * factor, -1, 32, narrow) for factor in (1, 1 + 1e-5, 1 - 1e-5)]
                        if all((one[0] == near[0][0]).all() and (one[1] == near[0][1]).all() for one in near):
                            break
                    y, scales = near[0]
                    with numpy.errstate(all="ignore"):
                        rstd = (1 / numpy.sqrt((x**2).sum(-1, keepdims=True) / numpy.float64(shape[-1]) + 1e-6)).astype("float32")
                    if added:
                        given["xOut"] = x.astype(dtype)
                    common = {"epsilon": 1e-6, "roundMode": "rint", "yAcltype": number, "y": y, "mxscale": scales}
                    f.check(outputRstd=True, rstd=rstd, **common, **given)
                    f.check(outputRstd=False, rstd=numpy.zeros(0, "float32"), **common, **given)
    fine = common | given | {"outputRstd": True, "rstd": Any((2, 1), "float32")}
    f.refuses(**fine | {"scaleAlg": 1})
    f.refuses(**fine | {"rstd": Any((3,), "float32")})
    f.refuses(**fine | {"gamma": f.rand((3,))})


@case("aclnnRmsNormDynamicMxQuant")
def _(f):
    norms(f, False)


@case("aclnnAddRmsNormDynamicMxQuant")
def _(f):
    norms(f, True)


@case("aclnnTransposeQuantBatchMatMul", "aclnnTransposeQuantBatchMatMulWeightNz")
def _(f):
    blocked = f.name.endswith("Nz")
    stored = Fractal if blocked else numpy.asarray
    orders = {"permX1": [1, 0, 2], "permX2": [0, 1, 2], "permY": [1, 0, 2], "batchSplitFactor": 1}
    numbers = {"float32": 0, "float16": 1, ml_dtypes.bfloat16: 27}
    for narrow in NARROW:
        for dtype in FLOATS:
            for rows, batch, depth, columns in [(3, 2, 8, 5), (4, 3, 70, 9), (0, 2, 4, 3), (2, 0, 4, 3), (2, 3, 0, 4)]:
                x1, x2 = f.rand((rows, batch, depth)).astype(narrow), f.rand((batch, depth, columns)).astype(narrow)
                lines, across = f.rand((rows,)), f.rand((columns,))
                product = numpy.einsum("mbk,bkn->mbn", wide(x1), wide(x2)) * wide(lines)[:, None, None] * wide(across)
                f.check(x1=x1, x2=stored(x2), x1Scale=lines, x2Scale=across, dtype=numbers[dtype], out=product.astype(dtype), **orders)
            for rows, batch, depth, columns in [(3, 2, 64, 5), (4, 3, 70, 9), (2, 2, 33, 4), (0, 2, 64, 3)]:
                # A power of two for each 32 numbers of the depth; two of them side by side.
                x1, x2, pairs = f.rand((rows, batch, depth)).astype(narrow), f.rand((batch, depth, columns)).astype(narrow), -(-depth // 64)
                lines = (2.0 ** f.random.integers(-4, 4, (rows, batch, pairs, 2))).astype(E8M0)
                across = (2.0 ** f.random.integers(-4, 4, (batch, pairs, columns, 2))).astype(E8M0)
                left = wide(x1) * wide(lines).reshape(rows, batch, 2 * pairs).repeat(32, 2)[..., :depth]
                right = wide(x2) * numpy.moveaxis(wide(across), 3, 2).reshape(batch, 2 * pairs, columns).repeat(32, 1)[:, :depth]
                product = numpy.einsum("mbk,bkn->mbn", left, right)
                for group in [32, 1 << 32 | 1 << 16 | 32]:
                    f.check(x1=x1, x2=stored(x2), x1Scale=lines, x2Scale=across, groupSize=group, dtype=numbers[dtype], out=product.astype(dtype), **orders)
    fine = {"x1": x1, "x2": stored(x2), "x1Scale": lines, "x2Scale": across, "groupSize": 32, "dtype": 27, "out": Any((0, 2, 3), ml_dtypes.bfloat16)} | orders
    for name, value in [("groupSize", 0), ("groupSize", 64), ("x1Scale", f.rand((0,))), ("x1Scale", lines[:, :1]), ("x2Scale", across[:1])]:
        f.refuses(**fine | {name: value})
    x1, x2, lines, across = x1[:, :, :0], x2[:, :0], f.rand((0,)), f.rand((3,))
    fine = {"x1": x1, "x2": stored(x2), "x1Scale": lines, "x2Scale": across, "dtype": 27, "out": Any((0, 2, 3), ml_dtypes.bfloat16)} | orders
    if blocked:
        f.refuses(**fine | {"x2": x2})
    for name, value in [("permX1", [0, 1, 2]), ("permY", [0, 1, 2]), ("groupSize", 32), ("batchSplitFactor", 2), ("dtype", 1), ("x1", f.rand((0, 2, 0), "int8")),
                        ("x2", stored(x2[:1])), ("x1Scale", f.rand((3,))), ("x1Scale", numpy.ones(2, E8M0)), ("bias", across)]:
        f.refuses(**fine | {name: value})
    f.refuses(161001, **fine | {"x2Scale": None})


@case("aclnnDynamicDualLevelMxQuant")
def _(f):
    f.refuses(input=f.rand((1, 512), "float16"), roundMode="rint", level0BlockSize=512, level1BlockSize=32, y=Any((1, 256), "uint8"),
              level0Scale=Any((1, 1), "float32"), level1Scale=Any((1, 8, 2), E8M0))


def every(dtype):
    """Every number of a type, NaN left out."""
    all = numpy.arange(256, dtype="uint8").view(dtype)
    return all[~numpy.isnan(all.astype("float32"))]


@case("aclnnCast", "aclnnInplaceCopy")
def _(f):
    for narrow, number in [(ml_dtypes.float8_e5m2, 35), (ml_dtypes.float8_e4m3fn, 36), (E8M0, 37)]:
        x = every(narrow)
        targets = {"float32": 0, "float64": 11, narrow: number}
        if narrow != E8M0:
            targets |= {"float16": 1, ml_dtypes.bfloat16: 27}
        for dtype, code in targets.items():
            out = x.astype("float64").astype(dtype) if dtype != narrow else x
            # Nothing is lost, so nothing is tolerated.
            if f.name == "aclnnCast":
                f.check(self=x, dtype=code, out=out, tolerance=(0, 0))
            else:
                f.check(selfRef=Ref(numpy.zeros_like(out), out), src=x, tolerance=(0, 0))
        if f.name == "aclnnCast":
            f.refuses(self=f.rand((3,)), dtype=number, out=Any((3,), narrow))
            f.refuses(self=x, dtype=3, out=Any(x.shape, "int32"))


def scaled(x, most, dtype):
    largest = NARROW[dtype][2]
    scale = most / largest
    with numpy.errstate(all="ignore"):
        return numpy.where(scale == 0, 0, x / scale), scale


def clear(x, dtype):
    """Whether single precision cannot decide otherwise."""
    return all((saturated(x * factor, dtype) == saturated(x, dtype)).all() for factor in (1 + 1e-6, 1 - 1e-6))


@case("aclnnDynamicQuantV3", "aclnnDynamicQuantV4")
def _(f):
    for narrow, (number, _, _) in NARROW.items():
        for dtype in FLOATS:
            for shape in [(5, 8), (2, 3, 4), (0, 3), (2, 0)]:
                for mode in ["pertoken", "pertensor", "perchannel"]:
                    axes = {"pertoken": -1, "perchannel": -2, "pertensor": None}[mode]
                    while True:
                        x = f.rand(shape, dtype)
                        y, scale = scaled(wide(x), numpy.abs(wide(x)).max(axes, keepdims=True, initial=0), narrow)
                        if clear(y, narrow):
                            break
                    scale = scale.reshape(1) if mode == "pertensor" else scale.squeeze(axes)
                    f.check(x=x, dstType=number, isSymmetrical=True, quantMode=mode, y=saturated(y, narrow), scale=scale.astype("float32"))
    f.refuses(x=x, dstType=number, isSymmetrical=False, quantMode="pertoken", y=Any((2, 0), narrow), scale=Any((2,), "float32"), offset=Any((2,), "float32"))
    f.refuses(x=x, dstType=34, isSymmetrical=True, quantMode="pertoken", y=Any((2, 0), narrow), scale=Any((2,), "float32"))
    f.refuses(x=x, dstType=number, isSymmetrical=True, quantMode="pertoken", y=Any((2, 0), "int8"), scale=Any((2,), "float32"))


@case("aclnnDynamicBlockQuant", "aclnnDynamicBlockQuantV2")
def _(f):
    for narrow, (number, _, _) in NARROW.items():
        for dtype in FLOATS:
            while True:
                x = f.rand((4, 12), dtype)
                most = numpy.abs(wide(x)).reshape(2, 2, 3, 4).max((1, 3))
                y, scale = scaled(wide(x), most.repeat(2, 0).repeat(4, 1), narrow)
                if clear(y, narrow):
                    break
            f.check(x=x, roundMode="rint", yAcltype=number, rowBlockSize=2, colBlockSize=4, y=saturated(y, narrow), scale=scale[::2, ::4].astype("float32"))
    zeros = numpy.zeros((2, 3), "float32")
    f.check(x=zeros, roundMode="rint", yAcltype=36, rowBlockSize=1, colBlockSize=2, y=zeros.astype(ml_dtypes.float8_e4m3fn), scale=zeros[:, :2])


@case("aclnnAdd")
def _(f):
    x = numpy.ones(3, "float32").astype(ml_dtypes.float8_e4m3fn)
    # Functions that do not know 8-bit floats refuse them.
    f.refuses(self=x, other=x, alpha=1.0, out=Any((3,), ml_dtypes.float8_e4m3fn))
    f.refuses(self=x, other=numpy.ones(3, "float32"), alpha=1.0, out=Any((3,), "float32"))
