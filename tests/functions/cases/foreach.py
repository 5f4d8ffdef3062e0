"""The same function of every member of a list, and steps of optimisers."""

import math

import ml_dtypes
import numpy

from harness import Ref, case

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
SHAPES = [(3, 4), (0, 2), (), (1500,)]
LOOSE = {"float16": (3e-3, 1e-3), "bfloat16": (3e-2, 1e-2), "float32": (2e-5, 1e-6), "float64": (1e-11, 1e-12)}


def wide(array):
    return array.astype("int64" if array.dtype.kind in "iub" else "float64")


def lists(f, count=1, types=(*FLOATS, "int32"), low=-2.0, high=2.0):
    for dtype in types:
        yield [[f.rand(shape, dtype, low, high) for shape in SHAPES] for _ in range(count)], numpy.dtype(dtype)


def expected(f, dtype, *rows):
    return [numpy.asarray(f(*(wide(one) for one in members))).astype(dtype) for members in zip(*rows)]


def tolerance(dtype):
    return LOOSE.get(dtype.name)


BINARY = {
    "Add": lambda x, y, a=1: x + a * y,
    "Sub": lambda x, y, a=1: x - a * y,
    "Mul": lambda x, y, a=1: x * y,
    "Div": lambda x, y, a=1: x / y,
    "Maximum": lambda x, y, a=1: numpy.maximum(x, y),
    "Minimum": lambda x, y, a=1: numpy.minimum(x, y),
    "Pow": lambda x, y, a=1: x**y,
}


def operation(name):
    return next(key for key in BINARY if name.startswith("aclnnForeach" + key))


def types_of(key):
    return FLOATS if key in ("Div", "Pow") else (*FLOATS, "int32", "int64")


def names(form):
    return ["aclnnForeach" + key + form for key in BINARY]


@case(*(name for form in ["List", "ListV2"] for name in names(form) if not name.endswith("ListV2") or "Add" in name or "Sub" in name))
def _(f):
    key = operation(f.name)
    reference, alpha = BINARY[key], key in ("Add", "Sub")
    name = f.arguments[2].name
    for (x, y), dtype in lists(f, 2, types_of(key), 0.5, 3.0):
        for factor in [1, 2] if alpha else [None]:
            more = {}
            if alpha:
                more[name] = factor if f.name.endswith("V2") else numpy.array([factor], dtype)
            want = expected(lambda a, b: reference(a, b, factor or 1), dtype, x, y)
            f.check(x1=x, x2=y, out=want, tolerance=tolerance(dtype), **more)
    x, y = [f.rand((3,))], [f.rand((2,))]
    more = {name: 1.0 if f.name.endswith("V2") else numpy.float32(1)} if alpha else {}
    f.refuses(x1=x, x2=y, out=x, **more)
    f.refuses(x1=x, x2=[], out=x, **more)


@case(*(name for form in ["Scalar", "ScalarV2", "ScalarList"] for name in names(form)))
def _(f):
    key = operation(f.name)
    reference = BINARY[key]
    first, number, out = (argument.name for argument in f.arguments)
    for (x,), dtype in lists(f, 1, types_of(key), 0.5, 3.0):
        for value in [2, 3] if dtype.kind in "iu" else [2.0, 0.5, -1.5]:
            if f.name.endswith("List"):
                values = [value + index for index in range(len(x))]
                given = values
            else:
                values = [value] * len(x)
                given = value if f.name.endswith("V2") else numpy.array([value], dtype)
            want = [numpy.asarray(reference(wide(one), v)).astype(dtype) for one, v in zip(x, values)]
            f.check(**{first: x, number: given, out: want}, tolerance=tolerance(dtype))
    x = [f.rand((3,))]
    f.refuses(**{first: x, number: [1.0] if f.name.endswith("List") else 1.0 if f.name.endswith("V2") else numpy.float32(1), out: [f.rand((2,))]})


@case("aclnnForeachPowScalarAndTensor")
def _(f):
    for (x,), dtype in lists(f, 1, FLOATS):
        f.check(scalar=1.5, exponent=x, out=expected(lambda x: 1.5**x, dtype, x), tolerance=tolerance(dtype))


@case(*(f"aclnnForeachAddc{op}{form}" for op in ["div", "mul"] for form in ["Scalar", "ScalarV2", "ScalarList"]))
def _(f):
    divide, number = "div" in f.name, f.arguments[3].name
    for (x, y, z), dtype in lists(f, 3, FLOATS, 0.5, 2.0):
        values = [0.5 + index for index in range(len(x))] if f.name.endswith("List") else [1.5] * len(x)
        given = numpy.array(values, dtype) if f.name.endswith("List") else 1.5 if f.name.endswith("V2") else numpy.array(1.5, dtype)
        want = []
        for a, b, c, value in zip(x, y, z, values):
            a, b, c = wide(a), wide(b), wide(c)
            want.append(numpy.asarray(a + value * (b / c if divide else b * c)).astype(dtype))
        f.check(**{"input": x, "x1": y, "x2": z, number: given, "out": want}, tolerance=tolerance(dtype))


@case("aclnnForeachLerpScalar")
def _(f):
    for (x, y), dtype in lists(f, 2, FLOATS):
        for weight in [0.25, 0.75, 0.0, 1.0]:
            f.check(x1=x, x2=y, weight=weight, out=expected(lambda a, b: a + weight * (b - a), dtype, x, y), tolerance=tolerance(dtype))


@case("aclnnForeachLerpList")
def _(f):
    for (x, y, weight), dtype in lists(f, 3, FLOATS):
        f.check(x1=x, x2=y, weight=weight, out=expected(lambda a, b, w: a + w * (b - a), dtype, x, y, weight), tolerance=tolerance(dtype))


UNARY = {
    "Sqrt": (numpy.sqrt, 0, 4), "Acos": (numpy.arccos, -1, 1), "Asin": (numpy.arcsin, -1, 1), "Atan": (numpy.arctan, -4, 4), "Cos": (numpy.cos, -4, 4),
    "Cosh": (numpy.cosh, -3, 3), "Exp": (numpy.exp, -3, 3), "Expm1": (numpy.expm1, -1, 1), "Log": (numpy.log, 0.1, 5), "Log10": (numpy.log10, 0.1, 5),
    "Log1p": (numpy.log1p, -0.5, 5), "Log2": (numpy.log2, 0.1, 5), "Sin": (numpy.sin, -4, 4), "Sinh": (numpy.sinh, -3, 3), "Tan": (numpy.tan, -1, 1),
    "Tanh": (numpy.tanh, -3, 3), "Reciprocal": (lambda x: 1 / x, 0.5, 3), "Sigmoid": (lambda x: 1 / (1 + numpy.exp(-x)), -4, 4),
    "Erf": (numpy.vectorize(math.erf, otypes=["float64"]), -3, 3), "Erfc": (numpy.vectorize(math.erfc, otypes=["float64"]), -3, 3),
    "Abs": (numpy.abs, -3, 3), "Neg": (numpy.negative, -3, 3), "Sign": (numpy.sign, -3, 3),
}


@case(*("aclnnForeach" + name for name in UNARY))
def _(f):
    key = f.name.removeprefix("aclnnForeach")
    reference, low, high = UNARY[key]
    for (x,), dtype in lists(f, 1, (*FLOATS, "int32", "int64") if key in ("Abs", "Neg", "Sign") else FLOATS, low, high):
        f.check(x1=x, out=expected(reference, dtype, x), tolerance=tolerance(dtype))
    if key == "Sign":
        f.check(x1=[numpy.array([numpy.nan, -0.0, -numpy.inf], "float32")], out=[numpy.array([0.0, 0.0, -1.0], "float32")])
    f.refuses(x1=[f.rand((3,))], out=[f.rand((4,))])
    f.refuses(x1=[f.rand((3,))], out=[])


@case("aclnnForeachRoundOffNumber", "aclnnForeachRoundOffNumberV2")
def _(f):
    first, mode, out = (argument.name for argument in f.arguments)
    modes = {1: numpy.round, 2: numpy.floor, 3: numpy.ceil, 5: numpy.trunc, 7: lambda x: x - numpy.trunc(x)}
    for (x,), dtype in lists(f, 1, FLOATS):
        for number, reference in modes.items():
            given = number if f.name.endswith("V2") else numpy.array([number], "int8")
            f.check(**{first: x, mode: given, out: expected(reference, dtype, x)}, tolerance=tolerance(dtype))
    half = [numpy.array([0.5, 1.5, -2.5], "float32")]
    f.check(**{first: half, mode: 1 if f.name.endswith("V2") else numpy.int8(1), out: [numpy.array([0.0, 2.0, -2.0], "float32")]})
    if f.name.endswith("V2"):
        f.refuses(**{first: half, mode: 4, out: half})


@case("aclnnForeachNorm")
def _(f):
    for (x,), dtype in lists(f, 1, FLOATS):
        for p in [1, 2, 2.0, 0.0, 3.0]:
            want = []
            for one in x:
                one = numpy.abs(wide(one))
                want.append((one != 0).sum() if p == 0 else (one**p).sum() ** (1 / p))
            f.check(x1=x, scalar=p, out=[numpy.asarray(one).astype(dtype) for one in want], tolerance=tolerance(dtype))
            f.check(x1=x, scalar=p, out=[numpy.asarray([one]).astype(dtype) for one in want], tolerance=tolerance(dtype))
    x = [f.rand((3, 4))]
    f.check(x1=x, scalar=numpy.inf, out=[numpy.abs(x[0]).max()])


@case("aclnnForeachCopy")
def _(f):
    for (x,), dtype in lists(f):
        for to in ["float32", "float16"]:
            f.check(src=x, dst=[one.astype(to) for one in x])


@case("aclnnForeachZeroInplace")
def _(f):
    for (x,), _ in lists(f):
        f.check(x=[Ref(one, numpy.zeros_like(one)) for one in x])


@case("aclnnForeachNonFiniteCheckAndUnscale")
def _(f):
    zero, one = numpy.zeros(1, "float32"), numpy.ones(1, "float32")
    scale = numpy.array([0.5], "float32")
    for (x,), dtype in lists(f, 1, ["float32", "float16", ml_dtypes.bfloat16]):
        halves = [Ref(member, (wide(member) * 0.5).astype(dtype)) for member in x]
        f.check(scaledGrads=halves, foundInf=Ref(zero, zero), inScale=scale)
        f.check(scaledGrads=halves, foundInf=Ref(one, one), inScale=scale)
    for bad in [numpy.nan, numpy.inf, -numpy.inf]:
        grads = [f.rand((3,)), numpy.array([1.0, bad], "float32")]
        f.check(scaledGrads=[Ref(grad, grad * numpy.float32(0.5)) for grad in grads], foundInf=Ref(zero, one), inScale=scale)
