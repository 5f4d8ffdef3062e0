"""Gated units around quantisation, and scales that the numbers decide."""

import ml_dtypes
import numpy

from cases.activation import sigmoid, silu
from cases.norm_quant import by_row, draw, to_int8, wide
from harness import Any, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]
INT8 = 2
NUMBERS = {"float32": 0, "float16": 1, ml_dtypes.bfloat16: 27}

for name in ["DequantBias", "DynamicBlockQuant", "DynamicBlockQuantV2"]:
    exempt(f"aclnn{name}", zero_dim="a matrix has two axes")
for name in ["DequantSwigluQuant", "DequantSwigluQuantV2", "SwiGluQuantV2", "ClippedSwiglu"]:
    exempt(f"aclnn{name}", zero_dim="an axis is cut in two")
for name in ["DynamicQuantV3", "DynamicQuantV4"]:
    exempt(f"aclnn{name}", zero_dim="at least two axes: rows and columns have scales")


@case("aclnnDequantBias")
def _(f):
    for dtype in FLOATS:
        for shape in [(3, 5), (40, 33), (0, 4), (4, 0)]:
            x = f.rand(shape, "int32", -(2**20), 2**20)
            columns, lines = f.rand(shape[1:], "float32", 1e-5, 1e-4), f.rand(shape[:1], "float32", 0.5, 2)
            scale = wide(columns) * wide(lines)[:, None]
            f.check(x=x, weightScale=columns, dtypeNum=NUMBERS[dtype], out=(x * wide(columns)).astype(dtype))
            f.check(x=x, weightScale=columns, activationScale=lines, dtypeNum=NUMBERS[dtype], out=(x * scale).astype(dtype))
            whole, real = f.rand(shape[1:], "int32", -(2**20), 2**20), f.rand(shape[1:], dtype)
            f.check(x=x, weightScale=columns, activationScale=lines, bias=whole, dtypeNum=NUMBERS[dtype], out=((x.astype("int64") + whole) * scale).astype(dtype))
            loose = (1e-4, 1e-4) if dtype == "float32" else None
            f.check(x=x, weightScale=columns, activationScale=lines, bias=real, dtypeNum=NUMBERS[dtype], out=(x * scale + wide(real)).astype(dtype), tolerance=loose)
    largest = numpy.full((1, 1), 2**31 - 1, "int32")
    f.check(x=largest, weightScale=numpy.ones(1, "float32"), bias=largest[0], dtypeNum=0, out=numpy.array([[2.0**32]], "float32"))
    f.refuses(x=x, weightScale=columns, dtypeNum=3, out=Any((4, 0), "float32"))
    f.refuses(x=x.astype("int8"), weightScale=columns, dtypeNum=0, out=Any((4, 0), "float32"))
    f.refuses(x=x, weightScale=lines, dtypeNum=0, out=Any((4, 0), "float32"))


def gated(x, left):
    first, second = numpy.split(x, 2, -1)
    return silu(first) * second if left else silu(second) * first


def spread(ends, rows):
    """For each row the group that it belongs to, -1 behind the last one."""
    groups = numpy.full(rows, -1)
    for number in reversed(range(len(ends))):
        groups[: ends[number]] = number
    return groups


def dequants(f, call):
    for shape in [(5, 8), (2, 3, 4), (0, 6), (2, 0)]:
        width, lead = shape[-1], shape[:-1]
        for left in [False, True]:
            for mode in ["static", "dynamic"]:
                for dtype in ["int32", *FLOATS]:
                    for full in [False, True]:
                        def attempt():
                            given = {"x": f.rand(shape, dtype, -500, 500) if dtype == "int32" else f.rand(shape, dtype)}
                            x = wide(given["x"])
                            if dtype == "int32":
                                given["weightScale"] = f.rand((width,), "float32", 0.001, 0.01)
                                if full:
                                    given["bias"] = f.rand((width,), "int32", -99, 99)
                                    x = x + wide(given["bias"])
                                x = x * wide(given["weightScale"])
                                if full:
                                    given["activationScale"] = f.rand((*lead, 1), "float32", 0.5, 1.5)
                                    x = x * wide(given["activationScale"])
                            y = gated(x, left)
                            if full:
                                given["quantScale"] = f.rand((1, width // 2), "float32", 3, 9)
                                y = y * wide(given["quantScale"])
                                if mode == "static":
                                    given["quantOffset"] = f.rand((width // 2,), "float32", -9, 9)
                                    y = y + wide(given["quantOffset"])
                            scale = numpy.zeros(lead, "float32")
                            if mode == "dynamic":
                                y, scale = by_row(y)
                            return [y], given, to_int8(y), scale

                        given, y, scale = draw(attempt)
                        call(activateLeft=left, quantMode=mode, y=y, scale=scale, **given)
    for counts in [[2, 0, 3], [1, 1, 1]]:
        groups = spread(numpy.cumsum(counts), 5)
        def attempt():
            x, columns, lines = f.rand((5, 8), "int32", -500, 500), f.rand((3, 8), "float32", 0.001, 0.01), f.rand((5,), "float32", 0.5, 1.5)
            factors = f.rand((3, 4), "float32", 0.5, 2)
            y = gated(x * wide(columns)[groups] * wide(lines)[:, None], True) * wide(factors)[groups]
            y[groups < 0] = 0
            result, scale = by_row(y)
            return [result], {"x": x, "weightScale": columns, "activationScale": lines, "quantScale": factors}, to_int8(result), scale

        given, y, scale = draw(attempt)
        call(activateLeft=True, quantMode="dynamic", groupIndex=numpy.array(counts), y=y, scale=scale, **given)
    fine = {"quantMode": "dynamic", "y": Any((5, 4), "int8"), "scale": Any((5,), "float32")}
    return given, fine


@case("aclnnDequantSwigluQuant")
def _(f):
    given, fine = dequants(f, f.check)
    f.fails(groupIndex=numpy.array([2, 2, 2]), **given, **fine)
    f.fails(groupIndex=numpy.array([2, -1, 2]), **given, **fine)
    f.refuses(**given, **fine)
    f.refuses(groupIndex=numpy.array([2, 1, 2]), **given, **fine | {"quantMode": "static"})
    f.refuses(groupIndex=numpy.array([2, 1, 2]), **given, **fine | {"quantMode": "both"})
    f.refuses(161001, x=given["x"], **fine)
    f.refuses(x=f.rand((5, 8)), weightScale=f.rand((8,)), **fine)
    f.refuses(x=f.rand((5, 7)), **fine)


@case("aclnnDequantSwigluQuantV2")
def _(f):
    attributes = {"dstType": INT8, "roundMode": "rint", "activateDim": -1, "swigluMode": 0, "clampLimit": 7.0, "gluAlpha": 1.702, "gluBias": 1.0}
    dequants(f, lambda **values: f.check(**attributes, **values))
    fine = {"x": f.rand((5, 8)), "quantMode": "dynamic", "y": Any((5, 4), "int8"), "scale": Any((5,), "float32")}
    for name, value in [("dstType", 36), ("roundMode", "floor"), ("activateDim", 0), ("activateDim", 2), ("swigluMode", 1)]:
        f.refuses(**fine, **attributes | {name: value})


@case("aclnnSwiGluQuantV2")
def _(f):
    for dtype in FLOATS:
        for shape in [(5, 8), (0, 6), (2, 0), (2, 3, 4)]:
            rows, half = int(numpy.prod(shape[:-1])), shape[-1] // 2
            for left in [False, True]:
                for mode in ["static", "dynamic"]:
                    for kind, numbers in [(0, None), (0, [2, 2, 5]), (1, [2, 0, 3]), (1, [1, 0, 2])]:
                        ends = numpy.cumsum(numbers) if kind else numbers
                        if numbers and shape != (5, 8):
                            continue
                        groups = spread(ends, rows) if numbers else numpy.zeros(rows, int)
                        count = len(numbers) if numbers else 1
                        for wanted in [None, (count,), (count, half)]:
                            if wanted is None and mode == "static":
                                continue
                            def attempt():
                                x = f.rand(shape, dtype)
                                given, y = {"x": x}, gated(wide(x), left).reshape(rows, half)
                                if wanted:
                                    given["smoothScales"] = factors = f.rand(wanted, "float32", 5, 30)
                                    given["offsets"] = offsets = f.rand(wanted, "float32", -9, 9)
                                    pick = lambda all: numpy.broadcast_to(wide(all).reshape(count, -1), (count, half))[groups]
                                    y = y * pick(factors) + (pick(offsets) if mode == "static" else 0)
                                y[groups < 0] = 0
                                scale = numpy.zeros(rows, "float32")
                                if mode == "dynamic":
                                    y, step = by_row(y)
                                    with numpy.errstate(all="ignore"):
                                        scale = numpy.where(groups < 0, 0, 1 / wide(step)).astype("float32")
                                return [y], given, to_int8(y).reshape(*shape[:-1], half), scale.reshape(shape[:-1])

                            given, y, scale = draw(attempt)
                            if shape == (2, 0):
                                scale = Any(shape[:-1], "float32")
                            index = numpy.array(numbers, "int32") if numbers else None
                            f.check(groupIndex=index, activateLeft=left, quantMode=mode, groupListType=kind, dstType=INT8, y=y, scale=scale, **given)
    fine = {"x": f.rand((5, 8)), "quantMode": "dynamic", "dstType": INT8, "y": Any((5, 4), "int8"), "scale": Any((5,), "float32")}
    f.fails(groupIndex=numpy.array([2, 1, 5]), **fine)
    f.fails(groupIndex=numpy.array([2, 6]), **fine)
    f.refuses(groupListType=2, **fine)
    f.refuses(**fine | {"dstType": 29})
    f.refuses(**fine | {"x": f.rand((5, 7))})
    f.refuses(161001, **fine | {"quantMode": "static"})
    f.refuses(smoothScales=f.rand((3,)), **fine)


@case("aclnnClippedSwiglu")
def _(f):
    for dtype in FLOATS:
        for shape, dim in [((5, 8), -1), ((5, 8), 1), ((2, 3, 4), 2), ((2, 6, 3), 1), ((4, 3), 0), ((0, 4), 1), ((3, 0), 1), ((8,), 0)]:
            x = f.rand(shape, dtype, -4, 4)
            for interleaved in [False, True]:
                if interleaved and dim not in (-1, len(shape) - 1):
                    continue
                for numbers in [None, [1, 0], [1, 1], [99]]:
                    if interleaved:
                        gate, linear = wide(x)[..., ::2], wide(x)[..., 1::2]
                    else:
                        gate, linear = numpy.split(wide(x), 2, dim)
                    alpha, limit, bias = (float(numpy.float32(one)) for one in (0.7, 1.5, 1.2))
                    gate, linear = numpy.minimum(gate, limit), numpy.clip(linear, -limit, limit)
                    out = gate * sigmoid(alpha * gate) * (linear + bias)
                    if numbers:
                        axis = dim % len(shape)
                        flat = out.reshape(int(numpy.prod(shape[:axis])), -1) if out.size else out
                        flat[sum(numbers) :] = 0
                    f.check(x=x, groupIndex=numpy.array(numbers) if numbers else None, dim=dim, alpha=0.7, limit=1.5, bias=1.2, interleaved=interleaved, out=out.astype(dtype))
    odd = numpy.array([[numpy.nan, 1, 2, numpy.nan]], "float32")
    f.check(x=odd, dim=1, alpha=1.0, limit=7.0, bias=0.0, out=numpy.full((1, 2), numpy.nan, "float32"))
    f.refuses(x=f.rand((2, 6, 3)), dim=1, interleaved=True, out=Any((2, 3, 3), "float32"))
    f.refuses(x=f.rand((2, 5)), dim=1, out=Any((2, 2), "float32"))
    f.refuses(x=f.rand((2, 4)), dim=2, out=Any((2, 2), "float32"))


def single_rows(x, symmetric):
    """Scales, offsets and the numbers before rounding, as single precision has the scales."""
    least, most = x.min(-1, initial=numpy.inf), x.max(-1, initial=-numpy.inf)
    if x.shape[-1] == 0:
        least = most = numpy.zeros(x.shape[:-1])
    if symmetric:
        scale, offset = numpy.maximum(most, -least) / 127, numpy.zeros(most.shape)
    else:
        scale = (most - least) / 255
        with numpy.errstate(all="ignore"):
            offset = numpy.where(scale == 0, 0, 127 - most / scale)
    with numpy.errstate(all="ignore"):
        y = numpy.where(scale[..., None] == 0, 0, x / scale[..., None] + offset[..., None])
    return y, scale, offset


def dynamics(f, call):
    for dtype in FLOATS:
        for shape in [(5, 8), (2, 3, 4), (0, 3), (2, 0)]:
            for symmetric in [False, True]:
                for mode in ["pertoken", "pertensor", "perchannel"]:
                    for smooth in [False, True]:
                        if smooth and mode == "perchannel":
                            continue
                        def attempt():
                            given = {"x": f.rand(shape, dtype)}
                            x = wide(given["x"])
                            if smooth:
                                given["smoothScales"] = f.rand(shape[-1:], dtype, 0.5, 2)
                                x = x * wide(given["smoothScales"])
                            if mode == "pertensor":
                                y, scale, offset = single_rows(x.reshape(1, -1), symmetric)
                                y = y.reshape(shape)
                            elif mode == "perchannel":
                                y, scale, offset = single_rows(x.swapaxes(-1, -2), symmetric)
                                y = y.swapaxes(-1, -2)
                            else:
                                y, scale, offset = single_rows(x, symmetric)
                            return [y], given, to_int8(y), scale.astype("float32"), offset.astype("float32")

                        given, y, scale, offset = draw(attempt)
                        if not symmetric:
                            given["offset"] = offset
                        call(isSymmetrical=symmetric, quantMode=mode, y=y, scale=scale, tolerance=(1e-5, 1e-4), **given)
    ends = numpy.array([2, 2, 6], "int32")
    def attempt():
        x, factors = f.rand((6, 5)), f.rand((3, 5), "float32", 0.5, 2)
        y, scale, _ = single_rows(wide(x) * wide(factors)[[0, 0, 2, 2, 2, 2]], True)
        return [y], {"x": x, "smoothScales": factors}, to_int8(y), scale.astype("float32")

    given, y, scale = draw(attempt)
    call(isSymmetrical=True, quantMode="pertoken", groupIndex=ends, y=y, scale=scale, **given)
    equal = numpy.full((2, 3), 5, "float32")
    zeros = numpy.zeros((2,), "float32")
    call(x=equal, isSymmetrical=False, quantMode="pertoken", y=numpy.zeros((2, 3), "int8"), scale=zeros, offset=zeros)
    fine = {"x": equal, "dstType": INT8, "isSymmetrical": True, "quantMode": "pertoken", "y": Any((2, 3), "int8"), "scale": Any((2,), "float32")}
    f.fails(**fine | {"smoothScales": f.rand((2, 3)), "groupIndex": numpy.array([1, 1], "int32")})
    f.refuses(**fine | {"groupIndex": ends})
    f.refuses(**fine | {"quantMode": "perrow"})
    f.refuses(**fine | {"dstType": 34})
    f.refuses(**fine | {"offset": Any((2,), "float32")})
    f.refuses(161001, **fine | {"isSymmetrical": False})
    f.refuses(**fine | {"scale": Any((3,), "float32")})
    f.refuses(**fine | {"x": equal[0], "y": Any((3,), "int8"), "scale": Any((), "float32")})
    return fine


@case("aclnnDynamicQuantV3")
def _(f):
    dynamics(f, lambda **values: f.check(dstType=INT8, **values))


@case("aclnnDynamicQuantV4")
def _(f):
    fine = dynamics(f, lambda **values: f.check(dstType=INT8, dstTypeMax=0.0, **values))
    f.refuses(dstTypeMax=15.0, **fine)


def blocks(f, call):
    for dtype in FLOATS:
        for shape in [(5, 8), (4, 300), (2, 7, 9), (0, 3), (3, 0)]:
            for height, width in [(1, 128), (1, 3), (2, 3), (128, 128)]:
                lead, (rows, columns) = shape[:-2], shape[-2:]
                def attempt():
                    x = f.rand(shape, dtype)
                    steps = numpy.zeros((*lead, -(-rows // height), -(-columns // width)))
                    spread = numpy.zeros(shape)
                    for down in range(steps.shape[-2]):
                        for across in range(steps.shape[-1]):
                            part = (..., slice(down * height, (down + 1) * height), slice(across * width, (across + 1) * width))
                            steps[..., down, across] = numpy.abs(wide(x)[part]).max((-1, -2)) / 127
                            spread[part] = steps[..., down, across][..., None, None]
                    return [wide(x) / spread], x, to_int8(wide(x) / spread), steps.astype("float32")

                x, y, scale = draw(attempt)
                call(x=x, rowBlockSize=height, colBlockSize=width, y=y, scale=scale)
    zeros = numpy.zeros((2, 3), "float32")
    call(x=zeros, rowBlockSize=1, colBlockSize=2, y=zeros.astype("int8"), scale=zeros[:, :2])
    fine = {"x": zeros, "roundMode": "rint", "yAcltype": INT8, "rowBlockSize": 1, "colBlockSize": 2, "y": Any((2, 3), "int8"), "scale": Any((2, 2), "float32")}
    f.refuses(**fine | {"minScale": 0.5})
    f.refuses(**fine | {"yAcltype": 34})
    f.refuses(**fine | {"roundMode": "floor"})
    f.refuses(**fine | {"colBlockSize": 0})
    f.refuses(**fine | {"colBlockSize": 3})
    return fine


@case("aclnnDynamicBlockQuant")
def _(f):
    blocks(f, lambda **values: f.check(roundMode="rint", yAcltype=INT8, **values))


@case("aclnnDynamicBlockQuantV2")
def _(f):
    fine = blocks(f, lambda **values: f.check(roundMode="rint", yAcltype=INT8, **values))
    f.refuses(dstTypeMax=15.0, **fine)
