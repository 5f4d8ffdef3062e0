"""Products of quantised matrices, and two linear layers in one function."""

import ml_dtypes
import numpy

from cases.activation import gelu, sigmoid, silu
from cases.norm_quant import by_row, draw, to_int8, wide
from cases.swiglu_quant import gated, spread
from harness import Any, Fractal, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]
LOOSE = {"float32": (1e-5, 1e-4)}

for name in ["QuantMatmulV3", "QuantMatmulDequant", "QuantGroupedMatmulDequant", "WeightQuantBatchMatmulV3", "GroupedMatmulSwigluQuantV2", "FFN", "FFNV2",
             "QuantGroupedMatmulDequantWeightNZ", "GroupedMatmulSwigluQuantWeightNzV2"]:
    exempt(f"aclnn{name}", zero_dim="matrices have two dimensions")
for name in ["FlatQuant", "FlatQuantV2", "MatmulCompressDequant"]:
    exempt(f"aclnn{name}", zero_dim="refused", empty="refused", strided="refused")


def tolerance(dtype):
    return LOOSE.get(dtype, (2e-2, 2e-2))


@case("aclnnQuantMatmulV3")
def _(f):
    for left, right in [((3, 70), (70, 5)), ((2, 3, 8), (2, 8, 4)), ((0, 8), (8, 4)), ((3, 0), (0, 4))]:
        x1, x2 = f.rand(left, "int8", -128, 127), f.rand(right, "int8", -128, 127)
        sums, columns = x1.astype("int64") @ x2.astype("int64"), right[-1]
        whole = f.rand((columns,), "int32", -1000, 1000)
        for count in {1, columns}:
            scale = f.rand((count,), "float32", 0.001, 0.01)
            packed = scale.view("uint32").astype("uint64") | numpy.uint64(1 << 46)
            for out in FLOATS:
                for given in (scale, packed):
                    f.check(x1=x1, x2=x2, scale=given, bias=whole, out=((sums + whole) * wide(scale)).astype(out))
                f.check(x1=x1.swapaxes(-1, -2), x2=x2.swapaxes(-1, -2), scale=scale, transposeX1=True, transposeX2=True, out=(sums * wide(scale)).astype(out))
            scale, offset = (2.0 ** f.random.integers(-9, -5, (count,))).astype("float32"), f.rand((count,), "float32", -9, 9).round()
            f.check(x1=x1, x2=x2, scale=scale, offset=offset, out=to_int8(sums * wide(scale) + offset))
    f.refuses(161001, x1=x1, x2=x2, out=Any((3, 4), "float16"))
    f.refuses(x1=x1, x2=x2, scale=f.rand((3,)), out=Any((3, 4), "float16"))


def left_side(f, shape, dtype, mode, static, smooth):
    """The left side of a product, and what it is as integers with a scale for each row."""
    given = {"x": f.rand(shape, dtype), "quantMode": mode}
    x = wide(given["x"])
    if smooth:
        given["smoothScale"] = f.rand(shape[1:], dtype, 0.5, 2)
        x = x * wide(given["smoothScale"])
    if static:
        given["xScale"] = f.rand((1,) if mode == "pertensor" else shape[:1], "float32", 0.01, 0.03)
        scale = numpy.broadcast_to(wide(given["xScale"]), shape[:1])
        return given, x / scale[:, None], scale
    unrounded, scale = by_row(x)
    return given, unrounded, wide(scale)


MODES = [("pertoken", False), ("", False), ("pertoken", True), ("pertensor", True)]


@case("aclnnQuantMatmulDequant")
def _(f):
    for dtype in FLOATS:
        for rows, depth, columns in [(3, 8, 5), (4, 70, 9), (0, 4, 2), (2, 0, 3), (2, 4, 0)]:
            for mode, static in MODES:
                for full in [False, True]:
                    def attempt():
                        given, unrounded, scale = left_side(f, (rows, depth), dtype, mode, static, full)
                        return [unrounded], given, to_int8(unrounded).astype("int64"), scale

                    given, x, steps = draw(attempt)
                    weight, scale = f.rand((depth, columns), "int8", -128, 127), f.rand((columns,), "float32", 0.001, 0.01)
                    sums = x @ weight.astype("int64")
                    if full:
                        given["bias"] = f.rand((columns,), "int32", -1000, 1000)
                        sums = sums + given["bias"]
                    out = sums * wide(scale) * steps[:, None]
                    f.check(quantizedWeight=weight, weightScale=scale, trans=False, out=out.astype(dtype), tolerance=tolerance(dtype), **given)
                    f.check(quantizedWeight=weight.T, weightScale=scale, trans=True, out=out.astype(dtype), tolerance=tolerance(dtype), **given)
                    if mode == "pertensor":
                        # The scale of x is part of these.
                        joined = (scale * given["xScale"]).astype("float32")
                        packed = joined.view("uint32").astype("int64")
                        f.check(quantizedWeight=weight, weightScale=packed, trans=False, out=(sums * wide(joined)).astype(dtype), tolerance=tolerance(dtype), **given)
    x, weight, scale = f.rand((3, 4)), f.rand((4, 2), "int8", -9, 9), f.rand((2,))
    fine = {"x": x, "quantizedWeight": weight, "weightScale": scale, "quantMode": "pertoken", "out": Any((3, 2), "float32")}
    f.refuses(**fine | {"quantMode": "perblock"})
    f.refuses(**fine | {"quantMode": "pertensor"})
    f.refuses(**fine | {"xOffset": scale})
    f.refuses(**fine | {"trans": True})
    f.refuses(**fine | {"weightScale": f.rand((3,))})
    f.refuses(**fine | {"weightScale": numpy.ones(2, "int64")})
    f.refuses(**fine | {"xScale": f.rand((2,))})
    f.refuses(**fine | {"bias": scale})


@case("aclnnQuantGroupedMatmulDequant", "aclnnQuantGroupedMatmulDequantWeightNZ")
def _(f):
    blocked = f.name.endswith("NZ")
    stored = Fractal if blocked else numpy.asarray
    for dtype in FLOATS:
        for rows, depth, columns, ends in [(6, 8, 5, [2, 2, 6]), (6, 70, 9, [1, 3, 4]), (0, 4, 2, [0, 0])]:
            for mode, static in MODES:
                for smooth in [False, True]:
                    def attempt():
                        given, unrounded, scale = left_side(f, (rows, depth), dtype, mode, static, smooth)
                        return [unrounded], given, to_int8(unrounded).astype("int64"), scale

                    given, x, steps = draw(attempt)
                    count, groups = len(ends), spread(ends, rows)
                    weight, scale = f.rand((count, depth, columns), "int8", -128, 127), f.rand((count, columns), "float32", 0.001, 0.01)
                    out = numpy.zeros((rows, columns))
                    for row in range(rows):
                        if groups[row] >= 0:
                            out[row] = x[row] @ weight[groups[row]].astype("int64") * wide(scale[groups[row]]) * steps[row]
                    for turned, matrix in [(False, weight), (True, weight.swapaxes(1, 2))]:
                        f.check(quantizedWeight=stored(matrix), weightScale=scale, groupList=numpy.array(ends), trans=turned, out=out.astype(dtype), tolerance=tolerance(dtype), **given)
    x, weight, scale = f.rand((3, 4)), f.rand((2, 4, 2), "int8", -9, 9), f.rand((2, 2))
    fine = {"x": x, "quantizedWeight": stored(weight), "weightScale": scale, "groupList": numpy.array([1, 3]), "quantMode": "pertoken", "out": Any((3, 2), "float32")}
    if blocked:
        f.refuses(**fine | {"quantizedWeight": weight})
    f.fails(**fine | {"groupList": numpy.array([1, 4])})
    f.refuses(**fine | {"groupList": numpy.array([1, 2, 3])})
    f.refuses(**fine | {"bias": numpy.ones((2, 2), "int32")})
    f.refuses(**fine | {"weightScale": scale[0]})


@case("aclnnWeightQuantBatchMatmulV3")
def _(f):
    for dtype in FLOATS:
        loose = (1e-4, 1e-3) if dtype == "float32" else (2e-2, 5e-1)
        for rows, depth, columns in [(3, 8, 5), (0, 4, 2)]:
            x, weight, bias = f.rand((rows, depth), dtype), f.rand((depth, columns), "int8", -128, 127), f.rand((columns,), dtype)
            for shape, group in [((1,), 0), ((columns,), 0), ((depth // 2, columns), 2)]:
                scale, offset = f.rand(shape, dtype), f.rand(shape, dtype, -9, 9)
                s, o = (wide(one).repeat(max(group, 1), 0) for one in (scale, offset))
                full = wide(x) @ ((weight + o) * s) + wide(bias)
                for precise in [0, 1]:
                    f.check(x=x, weight=weight, antiquantScale=scale, antiquantOffset=offset, bias=bias, antiquantGroupSize=group, innerPrecise=precise,
                            y=full.astype(dtype), tolerance=loose)
    f.refuses(x=x, weight=weight, antiquantScale=f.rand((3,), dtype), y=Any((0, 2), dtype))


@case("aclnnGroupedMatmulSwigluQuantV2", "aclnnGroupedMatmulSwigluQuantWeightNzV2")
def _(f):
    blocked = "WeightNz" in f.name
    stored = Fractal if blocked else numpy.asarray
    for rows, depth, columns in [(6, 8, 10), (6, 70, 4), (0, 4, 2)]:
        for kind, numbers in [(0, [2, 2, 6]), (1, [1, 0, 3])]:
            if not rows:
                numbers = [0, 0, 0]
            groups = spread(numpy.cumsum(numbers) if kind else numbers, rows)
            for dtype in ["float32", ml_dtypes.bfloat16]:
                def attempt():
                    x, weight = f.rand((rows, depth), "int8", -128, 127), f.rand((3, depth, columns), "int8", -128, 127)
                    scale, lines = f.rand((3, columns), dtype, 0.001, 0.01), f.rand((rows,), "float32", 0.001, 0.01)
                    plain = numpy.zeros((rows, columns))
                    for row in range(rows):
                        if groups[row] >= 0:
                            plain[row] = x[row].astype("int64") @ weight[groups[row]].astype("int64") * wide(scale[groups[row]]) * lines[row]
                    y, step = by_row(gated(plain, True))
                    return [y], {"x": x, "weight": [stored(weight)], "weightScale": [scale], "xScale": lines}, to_int8(y), step

                given, y, step = draw(attempt)
                f.check(groupList=numpy.array(numbers), groupListType=kind, output=y, outputScale=step, **given)
    x, weight = f.rand((3, 4), "int8", -9, 9), f.rand((2, 4, 6), "int8", -9, 9)
    fine = {"x": x, "weight": [stored(weight)], "weightScale": [f.rand((2, 6))], "xScale": f.rand((3,)), "groupList": numpy.array([1, 3]),
            "output": Any((3, 3), "int8"), "outputScale": Any((3,), "float32")}
    f.fails(**fine | {"groupList": numpy.array([1, 4])})
    f.refuses(**fine | {"groupList": numpy.array([3])})
    f.refuses(**fine | {"groupListType": 2})
    f.refuses(**fine | {"quantMode": 2})
    f.refuses(**fine | {"dequantMode": 1})
    f.refuses(**fine | {"bias": f.rand((2, 6))})
    f.refuses(**fine | {"weight": [stored(weight[0]), stored(weight[1])]})
    f.refuses(**fine | {"weight": [stored(weight[:, :, :5])]})
    if blocked:
        f.refuses(**fine | {"weight": [weight]})


ACTIVATIONS = {"relu": lambda x: numpy.maximum(x, 0), "gelu": gelu, "fastgelu": lambda x: x * sigmoid(1.702 * x), "silu": silu}


def layers(f, call, indices):
    for dtype in FLOATS:
        loose = (1e-4, 1e-4) if dtype == "float32" else (2e-2, 5e-2)
        for name, function in ACTIVATIONS.items():
            for shape, hidden in [((5, 6), 7), ((2, 3, 4), 8), ((0, 4), 3)]:
                depth = shape[-1]
                x = f.rand(shape, dtype)
                first, second = f.rand((depth, hidden), dtype), f.rand((hidden, depth), dtype)
                one, two = f.rand((hidden,), dtype), f.rand((depth,), dtype)
                plain = function(wide(x) @ wide(first)) @ wide(second)
                call(x=x, weight1=first, weight2=second, activation=name, y=plain.astype(dtype), tolerance=loose)
                full = function(wide(x) @ wide(first) + wide(one)) @ wide(second) + wide(two)
                call(x=x, weight1=first, weight2=second, bias1=one, bias2=two, activation=name, innerPrecise=1, y=full.astype(dtype), tolerance=loose)
            x, first, second = f.rand((6, 4), dtype), f.rand((3, 4, 5), dtype), f.rand((3, 5, 4), dtype)
            one, two = f.rand((3, 5), dtype), f.rand((3, 4), dtype)
            for counts in [[2, 0, 4], [6, 0, 0]]:
                groups = spread(numpy.cumsum(counts), 6)
                full = numpy.stack([function(wide(x[row]) @ wide(first[group]) + wide(one[group])) @ wide(second[group]) + wide(two[group])
                                    for row, group in enumerate(groups)])
                for flag in [False, True][: 1 + indices]:
                    more = {"tokensIndexFlag": flag} if indices else {}
                    call(x=x, weight1=first, weight2=second, bias1=one, bias2=two, expertTokens=list(numpy.cumsum(counts)) if flag else counts,
                         activation=name, y=full.astype(dtype), tolerance=loose, **more)
    fine = {"x": x, "weight1": first, "weight2": second, "expertTokens": [2, 0, 4], "activation": "relu", "y": Any((6, 4), dtype)}
    for name, value in [("activation", "swiglu"), ("activation", "tanh"), ("expertTokens", [2, 4]), ("expertTokens", [2, 0, 5]), ("expertTokens", [2, 0, 3]),
                        ("expertTokens", [7, -1, 0]), ("expertTokens", None), ("weight2", first), ("bias1", two), ("deqScale1", one), ("antiquantScale2", one), ("y", Any((6, 5), dtype))]:
        f.refuses(**fine | {name: value})


@case("aclnnFFN")
def _(f):
    layers(f, f.check, False)


@case("aclnnFFNV2")
def _(f):
    layers(f, f.check, True)


@case("aclnnFlatQuant", "aclnnFlatQuantV2")
def _(f):
    f.refuses(x=f.rand((2, 3, 8), "float16"), kroneckerP1=f.rand((3, 3), "float16"), kroneckerP2=f.rand((8, 8), "float16"), clipRatio=1.0,
              out=Any((2, 3, 1), "int32"), quantScale=Any((2,), "float32"))


@case("aclnnMatmulCompressDequant")
def _(f):
    f.refuses(x1=f.rand((2, 3), "int8"), x2=f.rand((12,), "int8"), compressIndex=f.rand((4,), "int8"), bias=f.rand((4,), "int32"), deqScale=numpy.ones(4, "uint64"),
              compressInfo=[1, 1, 3, 4, 1], out=Any((2, 4), "float16"))
