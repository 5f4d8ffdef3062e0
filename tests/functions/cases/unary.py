"""Functions of one element."""

import math
import statistics

import ml_dtypes
import numpy

from harness import Ref, case

SHAPES = [(3, 4), (0, 3), ()]
SPECIAL = [numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.0, -1.0, 1e-8, 3.0, 100.0, -100.0]
FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
COMPLEX = ["complex64", "complex128"]


def both(f, x, want):
    """Checks the plain form, or the one in place."""
    if f.name.startswith("aclnnInplace"):
        f.check(selfRef=Ref(x, want))
    else:
        f.check(self=x, out=want)


def each(function):
    return numpy.vectorize(function, otypes=["float64"])


def inverse_erf(y):
    if abs(y) >= 1 or math.isnan(y):
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    return statistics.NormalDist().inv_cdf((y + 1) / 2) / math.sqrt(2)


def stable_log1p(x):
    return numpy.log1p(x) if not numpy.iscomplexobj(x) else numpy.log(1 + x)


# Name, reference in double precision, bounds of the inputs, whether complex numbers are allowed.
ANALYTIC = [
    ("Acos", numpy.arccos, -1, 1, True),
    ("Acosh", numpy.arccosh, 1, 9, True),
    ("Asin", numpy.arcsin, -1, 1, True),
    ("Asinh", numpy.arcsinh, -9, 9, True),
    ("Atan", numpy.arctan, -9, 9, True),
    ("Atanh", numpy.arctanh, -0.9, 0.9, True),
    ("Cos", numpy.cos, -9, 9, True),
    ("Cosh", numpy.cosh, -2, 2, True),
    ("Erf", each(math.erf), -3, 3, False),
    ("Erfc", each(math.erfc), -3, 3, False),
    ("Erfinv", each(inverse_erf), -1, 1, False),
    ("Exp", numpy.exp, -4, 4, True),
    ("Exp2", numpy.exp2, -4, 4, True),
    ("Expm1", numpy.expm1, -2, 2, True),
    ("Log", numpy.log, 0, 9, True),
    ("Log10", numpy.log10, 0, 9, True),
    ("Log1p", stable_log1p, -0.9, 9, True),
    ("Log2", numpy.log2, 0, 9, True),
    ("Reciprocal", lambda x: 1 / x, 0.2, 4, True),
    ("Rsqrt", lambda x: 1 / numpy.sqrt(x), 0.2, 4, True),
    ("Sin", numpy.sin, -9, 9, True),
    ("Sinc", lambda x: numpy.where(x == 0, 1, numpy.sin(numpy.pi * x) / numpy.where(x == 0, 1, numpy.pi * x)), -2, 2, True),
    ("Sinh", numpy.sinh, -2, 2, True),
    ("Sqrt", numpy.sqrt, 0, 9, True),
    ("Tan", numpy.tan, -1, 1, True),
]


def analytic(reference, low, high, has_complex):
    def body(f):
        inplace = f.name.startswith("aclnnInplace")
        with numpy.errstate(all="ignore"):
            for dtype in FLOATS:
                for shape in SHAPES:
                    x = f.rand(shape, dtype, low, high)
                    both(f, x, numpy.asarray(reference(x.astype("float64"))).astype(dtype))
            for dtype in ["float32", "float64"]:
                x = numpy.array(SPECIAL, dtype)
                want = numpy.asarray(reference(x.astype("float64"))).astype(dtype)
                # Where the exact value is a multiple of a zero of the function, nothing but rounding is left.
                far = numpy.abs(x) >= 100
                if "Sinc" in f.name:
                    x, want = x[~far], want[~far]
                both(f, x, want)
            for dtype in ["int32", "uint8", bool]:
                x = f.rand((5,), dtype, math.ceil(low), math.floor(high))
                if inplace:
                    f.refuses(selfRef=Ref(x, x))
                else:
                    f.check(self=x, out=numpy.asarray(reference(x.astype("float64"))).astype("float32"))
            for dtype in COMPLEX:
                x = f.rand((3, 4), dtype, low + 0.05 if low >= 0 else low, high)
                if has_complex:
                    both(f, x, reference(x.astype("complex128")).astype(dtype))
                elif inplace:
                    f.refuses(selfRef=Ref(x, x))
                else:
                    f.refuses(self=x, out=x)
        if not inplace:
            x = f.rand((3,))
            f.refuses(self=x, out=x.astype("int32"))
            f.refuses(self=x, out=f.rand((4,)))
            with numpy.errstate(all="ignore"):
                f.check(self=x * 0 + 1, out=numpy.asarray(reference(numpy.ones(3))), tolerance=(1e-6, 1e-6))

    return body


for _name, *_rest in ANALYTIC:
    case("aclnn" + _name, "aclnnInplace" + _name)(analytic(*_rest))


@case("aclnnExp")
def _(f):
    x = numpy.concatenate([numpy.linspace(-110, 95, 4001), [88.7, 88.73, -87.4, -103.9, -104.1]]).astype("float32")
    with numpy.errstate(all="ignore"):
        f.check(self=x, out=numpy.exp(x.astype("float64")).astype("float32"), tolerance=(3e-7, 2e-45))


@case("aclnnErf")
def _(f):
    x = numpy.linspace(-7, 7, 501)
    f.check(self=x, out=each(math.erf)(x))


@case("aclnnErfinv")
def _(f):
    def bisected(y):
        """Near 1 by the complement, whose digits are all there: erfc(x) = 1 - y."""
        low, high = 0.0, 6.0
        for _ in range(800):
            middle = (low + high) / 2
            beyond = math.erfc(middle) < 1 - abs(y) if abs(y) > 0.5 else math.erf(middle) > abs(y)
            low, high = (low, middle) if beyond else (middle, high)
        return math.copysign(low, y)

    x = numpy.array([1 - 1e-10, -1 + 1e-7, 1e-200, -1e-12, 0.5, -0.3, 0.999])
    f.check(self=x, out=each(bisected)(x), tolerance=(1e-13, 0))


@case("aclnnNeg")
def _(f):
    for dtype in ["float32", "float16", "int32", "int8", "int64", "complex64", "complex128"]:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            f.check(self=x, out=-x)
    f.check(self=numpy.array([-128, 127], "int8"), out=numpy.array([-128, -127], "int8"))
    f.check(self=numpy.array([1, 0, 255], "uint8"), out=numpy.array([255, 0, 1], "uint8"))


@case("aclnnRelu")
def _(f):
    for shape in SHAPES:
        x = f.rand(shape)
        f.check(self=x, out=numpy.maximum(x, 0))
    x = numpy.array([numpy.nan, -1.0, 1.0], "float32")
    f.check(self=x, out=numpy.array([numpy.nan, 0.0, 1.0], "float32"))


@case("aclnnAbs")
def _(f):
    for dtype in [*FLOATS, "int8", "int16", "int32", "int64", "uint8"]:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            f.check(self=x, out=numpy.abs(x))
    f.check(self=numpy.array(SPECIAL, "float32"), out=numpy.abs(numpy.array(SPECIAL, "float32")))
    for dtype in ["int8", "int32", "int64"]:
        least = numpy.array([numpy.iinfo(dtype).min, -3], dtype)
        f.check(self=least, out=numpy.abs(least))
    f.check(self=numpy.array([-128], "int8"), out=numpy.array([-128], "int32"))
    f.check(self=numpy.array([2**64 - 1], "uint64"), out=numpy.array([2**64 - 1], "uint64"))
    for dtype, part in [("complex64", "float32"), ("complex128", "float64")]:
        z = f.rand((3, 4), dtype)
        f.check(self=z, out=numpy.abs(z).astype(part))
    f.refuses(self=f.rand((3,)), out=f.rand((3,), "int32"))


@case("aclnnSign")
def _(f):
    for dtype in ["float32", "float16", "float64", "int8", "int32", "int64", "uint8", bool]:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            f.check(self=x, out=numpy.sign(x.astype("float64")).astype(dtype))
    x = numpy.array(SPECIAL, "float32")
    f.check(self=x, out=numpy.where(numpy.isnan(x), 0, numpy.sign(x)))
    z = numpy.concatenate([f.rand((5,), "complex64"), numpy.zeros(1, "complex64")])
    f.check(self=z, out=numpy.where(z == 0, 0, z / numpy.where(z == 0, 1, numpy.abs(z))).astype("complex64"))
    f.refuses(self=z, out=f.rand((6,)))


@case("aclnnAngleV2")
def _(f):
    for dtype, out in [("float32", "float32"), ("float64", "float64"), ("float16", "float16"), ("int32", "float32"), ("complex64", "float32"),
                       ("complex128", "float64")]:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            f.check(x=x, out=numpy.angle(x).astype(out))
    x = numpy.array([0.0, -0.0, -1.0, numpy.nan, -numpy.inf], "float32")
    f.check(x=x, out=numpy.array([0, 0, numpy.pi, numpy.nan, numpy.pi], "float32"))
    f.refuses(x=f.rand((3,), "complex64"), out=f.rand((3,), "int32"))


@case("aclnnSignbit")
def _(f):
    for dtype in ["float32", "float16", "float64"]:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            f.check(self=x, out=numpy.signbit(x))
        x = numpy.array(SPECIAL, dtype)
        f.check(self=x, out=numpy.signbit(x))
    for dtype in ["int8", "int64", "uint8", bool]:
        x = f.rand((6,), dtype)
        f.check(self=x, out=x.astype("int64") < 0)


@case("aclnnIsFinite", "aclnnIsPosInf", "aclnnIsNegInf")
def _(f):
    reference = {"aclnnIsFinite": numpy.isfinite, "aclnnIsPosInf": numpy.isposinf, "aclnnIsNegInf": numpy.isneginf}[f.name]
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            f.check(self=x, out=numpy.asarray(reference(x.astype("float64"))))
        x = numpy.array(SPECIAL, dtype)
        f.check(self=x, out=reference(x.astype("float64")))
    for dtype in ["int8", "int64", "uint64", bool]:
        x = f.rand((4, 2), dtype)
        f.check(self=x, out=reference(x.astype("float64")))
    f.check(self=numpy.array(SPECIAL, "float32"), out=reference(numpy.array(SPECIAL)).astype("float32"))
    z = numpy.array([1 + 1j, complex(math.nan, 0), complex(0, math.inf), complex(-math.inf, 1)], "complex64")
    if f.name == "aclnnIsFinite":
        f.check(self=z, out=numpy.array([True, False, False, False]))
    else:
        f.refuses(self=z, out=numpy.zeros(4, bool))


@case("aclnnNanToNum", "aclnnInplaceNanToNum")
def _(f):
    values = {"newNan": 7.0, "newPosinf": 50.0, "newNeginf": -60.0}

    def check(x, want):
        if f.name.startswith("aclnnInplace"):
            f.check(selfRef=Ref(x, want), **values)
        else:
            f.check(self=x, out=want, **values)

    def reference(x):
        return numpy.nan_to_num(x.astype("float64"), nan=7.0, posinf=50.0, neginf=-60.0).astype(x.dtype)

    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            check(x, x)
        x = numpy.array(SPECIAL, dtype)
        check(x, reference(x))
    x = f.rand((4,), "int32")
    check(x, x)
    z = numpy.array([complex(math.nan, math.inf), complex(-math.inf, 2)], "complex64")
    check(z, numpy.array([7 + 50j, -60 + 2j], "complex64"))


@case("aclnnLogit")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype, 0.05, 0.95)
            wide = x.astype("float64")
            f.check(self=x, eps=-1.0, out=numpy.asarray(numpy.log(wide / (1 - wide))).astype(dtype))
            low = numpy.clip(wide, 0.25, 0.75)
            f.check(self=x, eps=0.25, out=numpy.asarray(numpy.log(low / (1 - low))).astype(dtype))
    x = numpy.array([0, 1, 2, -1, numpy.nan], "float32")
    f.check(self=x, eps=-1.0, out=numpy.array([-numpy.inf, numpy.inf, numpy.nan, numpy.nan, numpy.nan], "float32"))
    f.check(self=x, eps=0.25, out=numpy.log(numpy.array([1 / 3, 3, 3, 1 / 3, numpy.nan])).astype("float32"))


@case("aclnnSoftshrink")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            wide = x.astype("float64")
            f.check(self=x, lambd=0.5, out=(numpy.sign(wide) * numpy.maximum(numpy.abs(wide) - 0.5, 0)).astype(dtype))
    x = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.5, -0.5], "float32")
    f.check(self=x, lambd=0.5, out=numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0, 0], "float32"))
    f.refuses(self=x, lambd=-0.5, out=x)


@case("aclnnSoftshrinkBackward")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x, g = f.rand(shape, dtype), f.rand(shape, dtype)
            f.check(gradOutput=g, self=x, lambd=0.5, gradInput=numpy.where(numpy.abs(x.astype("float64")) > 0.5, g, numpy.zeros_like(g)))
    f.refuses(gradOutput=f.rand((3,)), self=f.rand((3,)), lambd=-0.5, gradInput=f.rand((3,)))
