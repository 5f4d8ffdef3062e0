"""Activation functions and their gradients."""

import math

import ml_dtypes
import numpy

from harness import Ref, case

SHAPES = [(3, 4), (2, 3, 4), (0, 3), ()]
FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
NAN, INF = numpy.nan, numpy.inf


def inplace(f):
    return f.name.startswith("aclnnInplace")


def run(f, x, want, **more):
    """Checks the plain form, or the one in place."""
    if inplace(f):
        f.check(selfRef=Ref(x, want), **more)
    else:
        (source,) = [argument.name for argument in f.arguments if argument.name in ("self", "x")]
        f.check(**{source: x}, out=want, **more)


def of(reference, x):
    with numpy.errstate(all="ignore"):
        return numpy.asarray(reference(x.astype("float64"))).astype(x.dtype)


def derivative(function):
    """The derivative of a smooth function by a difference quotient of fourth order."""

    def at(x):
        h = 1e-3
        return (8 * (function(x + h) - function(x - h)) - (function(x + 2 * h) - function(x - 2 * h))) / (12 * h)

    return at


def sigmoid(x):
    return numpy.exp(-numpy.logaddexp(0, -x))


phi = numpy.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), otypes=["float64"])


def gelu(x):
    return x * phi(x)


def gelu_tanh(x):
    return 0.5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def fast_gelu(x):
    return x * sigmoid(1.702 * x)


def silu(x):
    return x * sigmoid(x)


def mish(x):
    return x * numpy.tanh(numpy.logaddexp(0, x))


def log_sigmoid(x):
    return -numpy.logaddexp(0, -x)


def hardsigmoid(x):
    return numpy.clip(x + 3, 0, 6) / 6


SPECIAL = [NAN, INF, -INF, 0.0, 50.0, -50.0, 1e-6, -1e-6]

# Name, reference in double precision, results for SPECIAL where the reference has none.
SMOOTH = [
    ("Gelu", gelu, {2: NAN}),
    ("FastGelu", fast_gelu, {2: NAN}),
    ("Silu", silu, {2: NAN}),
    ("Mish", mish, {2: NAN}),
    ("InplaceMish", mish, {2: NAN}),
    ("Sigmoid", sigmoid, {}),
    ("InplaceSigmoid", sigmoid, {}),
    ("Tanh", numpy.tanh, {}),
    ("InplaceTanh", numpy.tanh, {}),
    ("LogSigmoid", log_sigmoid, {1: 0.0, 2: -INF}),
    ("Hardsigmoid", hardsigmoid, {}),
    ("InplaceHardsigmoid", hardsigmoid, {}),
    ("Hardswish", lambda x: x * hardsigmoid(x), {2: NAN}),
    ("InplaceHardswish", lambda x: x * hardsigmoid(x), {2: NAN}),
]


def smooth(reference, special):
    def body(f, **more):
        for dtype in FLOATS:
            for shape in SHAPES:
                x = f.rand(shape, dtype, -4, 4)
                run(f, x, of(reference, x), **more)
        x = numpy.linspace(-9, 9, 2000).astype("float32")
        run(f, x, of(reference, x), tolerance=(2e-6, 2e-7), **more)
        x = numpy.array(SPECIAL, "float32")
        want = of(reference, x)
        for index, value in special.items():
            want[index] = value
        run(f, x, want, **more)

    return body


for _name, _reference, _special in SMOOTH:
    case("aclnn" + _name)(smooth(_reference, _special))


@case("aclnnSigmoid", "aclnnTanh", "aclnnInplaceSigmoid", "aclnnInplaceTanh")
def _(f):
    reference = numpy.tanh if "Tanh" in f.name else lambda z: 1 / (1 + numpy.exp(-z))
    for dtype in ["complex64", "complex128"]:
        z = f.rand((3, 4), dtype)
        run(f, z, reference(z.astype("complex128")).astype(dtype))
    if not inplace(f):
        for dtype in ["int32", "uint8", bool]:
            x = f.rand((5,), dtype)
            f.check(self=x, out=reference(x.astype("float64")).astype("float32"))
        f.refuses(self=f.rand((3,)), out=f.rand((3,), "int32"))
        f.refuses(self=f.rand((3,)), out=f.rand((4,)))
    small = numpy.array([1e-30, -1e-20, 1e-4, 0.59, 0.61], "float32")
    run(f, small, of(reference, small), tolerance=(4e-7, 0))


@case("aclnnGeluV2")
def _(f):
    smooth(gelu, {2: NAN})(f, approximate=0)
    smooth(gelu_tanh, {2: NAN})(f, approximate=1)
    f.refuses(x=f.rand((3,)), approximate=2, out=f.rand((3,)))
    f.refuses(x=f.rand((3,), "complex64"), approximate=0, out=f.rand((3,), "complex64"))


def gradients(f, slope, saved="self", values=None, low=-4, high=4, **more):
    """Checks a gradient: `slope` of what was saved, times the gradient of the result."""
    names = [argument.name for argument in f.arguments]
    source, result = names[0], names[-1]
    for dtype in FLOATS:
        tolerance = (1e-7, 1e-8) if dtype == "float64" else None
        for shape in SHAPES:
            g, x = f.rand(shape, dtype), f.rand(shape, dtype, low, high) if values is None else values(shape, dtype)
            want = numpy.asarray(g.astype("float64") * slope(x.astype("float64"))).astype(dtype)
            f.check(**{source: g, saved: x, result: want}, tolerance=tolerance, **more)
    g, x = f.rand((4,), "float16"), f.rand((3, 1), "float32", low, high)
    f.check(**{source: g, saved: x, result: (g.astype("float64") * slope(x.astype("float64"))).astype("float32")}, **more)
    f.refuses(**{source: g, saved: x, result: f.rand((3,))}, **more)


def at_points(f, points, wants, saved="self", **more):
    """Checks the slope at some points."""
    names = [argument.name for argument in f.arguments]
    x = numpy.array(points * 8, "float32")
    f.check(**{names[0]: numpy.full(x.size, 2, "float32"), saved: x, names[-1]: 2 * numpy.array(wants * 8, "float32")}, **more)


SLOPES = [
    ("GeluBackward", gelu),
    ("FastGeluBackward", fast_gelu),
    ("SiluBackward", silu),
    ("MishBackward", mish),
]


for _name, _reference in SLOPES:
    case("aclnn" + _name)(lambda f, reference=_reference: gradients(f, derivative(reference)))


@case(*("aclnn" + _name for _name, _ in SLOPES))
def _(f):
    at_points(f, [NAN, INF, -INF, 0.0], [NAN, NAN, NAN, 0.6 if "Mish" in f.name else 0.5])


@case("aclnnGeluBackwardV2")
def _(f):
    gradients(f, derivative(gelu), approximate="none")
    gradients(f, derivative(gelu_tanh), approximate="tanh")
    f.refuses(gradOutput=f.rand((3,)), self=f.rand((3,)), approximate="fast", out=f.rand((3,)))


@case("aclnnSigmoidBackward", "aclnnTanhBackward")
def _(f):
    slope = (lambda y: y - y**2) if "Sigmoid" in f.name else (lambda y: 1 - y**2)
    gradients(f, slope, "output", low=-1, high=1)
    at_points(f, [NAN, 0.0, 1.0], [NAN, *([0.0, 0.0] if "Sigmoid" in f.name else [1.0, 0.0])], "output")
    g, y = f.rand((3, 4), "complex64"), f.rand((3, 4), "complex64")
    f.check(gradOutput=g, output=y, gradInput=(g * numpy.conj(slope(y))).astype("complex64"))


@case("aclnnLogSigmoidBackward")
def _(f):
    gradients(f, lambda x: sigmoid(-x), buffer=numpy.zeros(0, "float32"))
    at_points(f, [NAN, INF, -INF, 0.0], [NAN, 0.0, 1.0, 0.5], buffer=numpy.zeros(0, "float32"))


@case("aclnnLogSigmoidForward")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype, -4, 4)
            f.check(self=x, out=of(log_sigmoid, x), buffer=numpy.zeros(0, dtype))
            f.check(self=x, out=of(log_sigmoid, x), buffer=of(lambda x: numpy.exp(-abs(x)), x))
    x = f.rand((3,))
    f.refuses(self=x, out=x, buffer=f.rand((2,)))


@case("aclnnHardsigmoidBackward")
def _(f):
    gradients(f, lambda x: ((x > -3) & (x < 3)) / 6)
    at_points(f, [-3.0, 3.0, NAN, 0.0, -4.0, 4.0, INF, -INF], [0.0, 0.0, 0.0, 1 / 6, 0.0, 0.0, 0.0, 0.0])


@case("aclnnHardswishBackward")
def _(f):
    gradients(f, lambda x: numpy.where(x <= -3, 0, numpy.where(x >= 3, 1, (2 * x + 3) / 6)))
    at_points(f, [-3.0, 3.0, NAN, 0.0, -4.0, 4.0, INF, -INF], [0.0, 1.0, NAN, 0.5, 0.0, 1.0, 1.0, 0.0])


@case("aclnnHardtanh", "aclnnInplaceHardtanh")
def _(f):
    for dtype in [*FLOATS, "int32", "int8"]:
        for shape in SHAPES:
            x = f.rand(shape, dtype, -4, 4)
            run(f, x, numpy.clip(x, -1, 2).astype(dtype), min=-1, max=2)
    x = numpy.array([NAN, INF, -INF], "float32")
    run(f, x, numpy.array([NAN, 2.5, -1.5], "float32"), min=-1.5, max=2.5)
    x = numpy.array([-5, 0, 5], "int32")
    run(f, x, numpy.array([-1, 0, 2], "int32"), min=-1.5, max=2.5)
    if not inplace(f):
        f.refuses(self=x, min=2, max=1, out=x)
        f.refuses(self=x > 0, min=0, max=1, out=x > 0)


@case("aclnnHardtanhBackward")
def _(f):
    gradients(f, lambda x: (x > -1) & (x < 2), min=-1.0, max=2.0)
    at_points(f, [-1.0, 2.0, NAN, 0.0, INF], [0.0, 0.0, 0.0, 1.0, 0.0], min=-1.0, max=2.0)


@case("aclnnHardshrink")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            f.check(self=x, lambd=0.5, out=numpy.where(abs(x) > 0.5, x, 0).astype(dtype))
    x = numpy.array([NAN, 0.5, -0.5, INF], "float32")
    f.check(self=x, lambd=0.5, out=numpy.array([NAN, 0, 0, INF], "float32"))
    # A bound below 0 leaves everything as it is.
    f.check(self=x, lambd=-1.0, out=x)


@case("aclnnHardshrinkBackward")
def _(f):
    gradients(f, lambda x: abs(x) > 0.5, lambd=0.5)
    at_points(f, [0.5, -0.5, NAN, INF], [0.0, 0.0, 0.0, 1.0], lambd=0.5)


@case("aclnnLeakyRelu", "aclnnInplaceLeakyRelu")
def _(f):
    for slope in [0.01, 0, -0.5, 2.0]:
        for dtype in FLOATS:
            for shape in SHAPES:
                x = f.rand(shape, dtype)
                run(f, x, of(lambda x: numpy.where(x > 0, x, x * slope), x), negativeSlope=slope)
    x = numpy.array([NAN, INF, -INF], "float32")
    run(f, x, numpy.array([NAN, INF, -INF], "float32"), negativeSlope=0.1)


@case("aclnnLeakyReluBackward")
def _(f):
    for slope in [0.01, -0.5]:
        gradients(f, lambda x: numpy.where(x > 0, 1, slope), negativeSlope=slope, selfIsResult=False)
    gradients(f, lambda x: numpy.where(x > 0, 1, 0.2), negativeSlope=0.2, selfIsResult=True)
    at_points(f, [NAN, 0.0], [0.25, 0.25], negativeSlope=0.25, selfIsResult=False)
    x = f.rand((3,))
    f.refuses(gradOutput=x, self=x, negativeSlope=-0.1, selfIsResult=True, out=x)


def elu(alpha, scale, rate):
    return lambda x: numpy.where(x > 0, scale * x, alpha * scale * numpy.expm1(numpy.minimum(x, 0) * rate))


@case("aclnnElu", "aclnnInplaceElu")
def _(f):
    for factors in [(1.0, 1.0, 1.0), (1.6733, 1.0507, 1.0), (0.5, 2.0, 3), (-1.0, 1, 1)]:
        for dtype in FLOATS:
            for shape in SHAPES:
                x = f.rand(shape, dtype)
                run(f, x, of(elu(*factors), x), **dict(zip(("alpha", "scale", "inputScale"), factors)))
    x = numpy.array([NAN, INF, -INF, -1e-6], "float32")
    run(f, x, numpy.array([NAN, INF, -1.0, -1e-6], "float32"), alpha=1.0, scale=1.0, inputScale=1.0)


@case("aclnnCelu", "aclnnInplaceCelu")
def _(f):
    for alpha in [1.0, 0.3, 2.0]:
        for dtype in FLOATS:
            for shape in SHAPES:
                x = f.rand(shape, dtype)
                run(f, x, of(lambda x: numpy.maximum(x, 0) + numpy.minimum(0, alpha * (numpy.exp(x / alpha) - 1)), x), alpha=alpha)
    if not inplace(f):
        f.refuses(self=f.rand((3,)), alpha=0.0, out=f.rand((3,)))


@case("aclnnEluBackward")
def _(f):
    for alpha, scale, rate in [(1.0, 1.0, 1.0), (1.7, 1.05, 0.5)]:
        factors = {"alpha": alpha, "scale": scale, "inputScale": rate}
        gradients(f, lambda x: numpy.where(x > 0, scale, scale * alpha * rate * numpy.exp(x * rate)), "selfOrResult", isResult=False, **factors)
        # From the result: exp(x * rate) is y / (alpha * scale) + 1.
        gradients(f, lambda y: numpy.where(y > 0, scale, rate * (y + alpha * scale)), "selfOrResult", low=-1, isResult=True, **factors)
        at_points(f, [NAN, 0.0, -INF], [NAN, scale * alpha * rate, 0.0], "selfOrResult", isResult=False, **factors)
    x = f.rand((3,))
    f.refuses(gradOutput=x, alpha=-1.0, scale=1.0, inputScale=1.0, isResult=True, selfOrResult=x, out=x)


@case("aclnnSoftplus")
def _(f):
    for beta in [1.0, 2.0, 0.5]:
        for dtype in FLOATS:
            for shape in SHAPES:
                x = f.rand(shape, dtype, -4, 4)
                f.check(self=x, beta=beta, threshold=20.0, out=of(lambda x: numpy.logaddexp(0, beta * x) / beta, x))
    x = numpy.array([NAN, INF, -INF, 1.5, 2.5, 100.0], "float32")
    want = numpy.array([NAN, INF, 0.0, math.log1p(math.exp(1.5)), 2.5, 100.0], "float32")
    f.check(self=x, beta=1.0, threshold=2.0, out=want)


@case("aclnnSoftplusBackward")
def _(f):
    for beta in [1.0, 2.0]:
        gradients(f, lambda x: sigmoid(beta * x), beta=beta, threshold=20.0)
    at_points(f, [NAN, INF, -INF, 1.5, 2.5], [NAN, 1.0, 0.0, sigmoid(1.5), 1.0], beta=1.0, threshold=2.0)
    at_points(f, [500.0], [1.0], beta=1.0, threshold=1000.0)


@case("aclnnThreshold", "aclnnInplaceThreshold")
def _(f):
    for dtype in [*FLOATS, "int32", "int64", "int8", "uint8"]:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            run(f, x, numpy.where(x > 1, x, 7).astype(dtype), threshold=1, value=7)
    x = numpy.array([NAN, 0.5, INF, -INF], "float32")
    run(f, x, numpy.array([NAN, -2, INF, -2], "float32"), threshold=0.5, value=-2.0)
    # Integers take the integer part of the threshold.
    x = numpy.array([1, 2, 3], "int8")
    run(f, x, numpy.array([7, 2, 3], "int8"), threshold=1.5, value=7)


@case("aclnnThresholdBackward")
def _(f):
    gradients(f, lambda x: x > 0.25, threshold=0.25)
    at_points(f, [NAN, 0.0, 1.0, -INF], [1.0, 0.0, 1.0, 0.0], threshold=0)
    g, x = f.rand((3, 4), "int32", -9, 9), f.rand((3, 4), "int32")
    f.check(gradOutput=g, self=x, threshold=0, out=numpy.where(x > 0, g, 0).astype("int32"))


@case("aclnnRelu", "aclnnInplaceRelu")
def _(f):
    for dtype in [*FLOATS, "int32", "int64", "int8", "uint8"]:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            run(f, x, numpy.maximum(x, 0).astype(dtype))
    x = numpy.array([NAN, INF, -INF], "float32")
    run(f, x, numpy.array([NAN, INF, 0], "float32"))
    x = numpy.array([2**31 - 1, -(2**31)], "int32")
    run(f, x, numpy.array([2**31 - 1, 0], "int32"))
    if not inplace(f):
        f.refuses(self=x > 0, out=x > 0)


@case("aclnnAddRelu", "aclnnInplaceAddRelu")
def _(f):
    for dtype in [*FLOATS, "int32", "int64", "int8"]:
        wide = "float64" if numpy.dtype(dtype).kind not in "iu" else "int64"
        for shape, other in [((3, 4), (4,)), ((0, 3), (1, 3)), ((), ()), ((5,), ())]:
            a, b = f.rand(shape, dtype), f.rand(other, dtype)
            want = numpy.maximum(a.astype(wide) + 2 * b.astype(wide), 0).astype(dtype)
            if inplace(f):
                f.check(selfRef=Ref(a, want), other=b, alpha=2)
            else:
                f.check(self=a, other=b, alpha=2, out=want)
    a = numpy.array([100, -100], "int8")
    # The sum wraps to -56 and 56 before it is compared with 0.
    want = numpy.array([0, 56], "int8")
    if inplace(f):
        f.check(selfRef=Ref(a, want), other=a, alpha=1)
    else:
        f.check(self=a, other=a, alpha=1, out=want)
        f.refuses(self=a, other=a, alpha=0.5, out=a)


@case("aclnnPrelu")
def _(f):
    for dtype in FLOATS:
        for shape in [(3, 4), (2, 3, 4), (2, 3, 2, 2), (0, 3), (), (5,)]:
            x = f.rand(shape, dtype)
            weights = [f.rand((1,), dtype), f.rand((), dtype)]
            if len(shape) >= 2:
                weights.append(f.rand((shape[1],), dtype))
            for weight in weights:
                wide = weight.astype("float64").reshape((-1,) + (1,) * (len(shape) - 2) if weight.size > 1 else ())
                f.check(self=x, weight=weight, out=of(lambda x: numpy.where(x > 0, x, x * wide), x))
    x = numpy.array([[NAN, -1.0, 1.0]], "float32")
    f.check(self=x, weight=numpy.array([2.0], "float32"), out=numpy.array([[NAN, -2, 1]], "float32"))
    f.refuses(self=x, weight=f.rand((2,)), out=x)


@case("aclnnPreluBackward")
def _(f):
    for dtype in FLOATS:
        for shape in [(3, 4), (2, 3, 4), (2, 3, 2, 2), (0, 3), (), (5,)]:
            g, x = f.rand(shape, dtype), f.rand(shape, dtype)
            weights = [f.rand((1,), dtype)]
            if len(shape) >= 2:
                weights.append(f.rand((shape[1],), dtype))
            for weight in weights:
                wide = weight.astype("float64").reshape((-1,) + (1,) * (len(shape) - 2) if weight.size > 1 else ())
                g64, x64 = g.astype("float64"), x.astype("float64")
                parts = numpy.asarray(g64 * numpy.minimum(x64, 0))
                axes = tuple(axis for axis in range(len(shape)) if axis != 1 or weight.size == 1)
                f.check(gradOutput=g, self=x, reshapeWeight=weight, gradInput=(g64 * numpy.where(x64 > 0, 1, wide)).astype(dtype),
                        gradWeight=parts.sum(axes).reshape(weight.shape).astype(dtype))
    x = f.rand((2, 3))
    f.refuses(gradOutput=x, self=x, reshapeWeight=f.rand((3,)), gradInput=x, gradWeight=f.rand((2,)))


@case("aclnnInplaceRReluWithNoise")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            noise = f.rand(shape, dtype)
            more = {"seed": 3, "offset": 5}
            # Outside training the mean is the slope, and the noise stays as it was.
            want = of(lambda x: numpy.where(x > 0, x, x * 0.375), x)
            f.check(selfRef=Ref(x, want), noise=Ref(noise, noise), lower=0.25, upper=0.5, training=False, **more)
            # Equal bounds leave nothing to chance.
            want = of(lambda x: numpy.where(x > 0, x, x * 0.25), x)
            slopes = numpy.where(x > 0, 1, 0.25).astype(dtype)
            f.check(selfRef=Ref(x, want), noise=Ref(noise, slopes), lower=0.25, upper=0.25, training=True, **more)
    from cases.dropout import uniform

    x = f.rand((40,), "float64")
    slopes = numpy.where(x > 0, 1, 0.1 + 0.8 * uniform(3, 5, 40))
    f.check(selfRef=Ref(x, numpy.where(x > 0, x, x * slopes)), noise=Ref(x * 0, slopes), lower=0.1, upper=0.9, training=True, **more)
    f.refuses(selfRef=Ref(x, x), noise=Ref(x, x), lower=0.9, upper=0.1, training=True, **more)


@case("aclnnLogitGrad")
def _(f):
    for dtype in ["float32", "float64", "float16"]:
        for shape in [(3, 4), (), (0, 2)]:
            for eps in [-1.0, 0.1]:
                x, dy = f.rand(shape, dtype, 0.02, 0.98), f.rand(shape, dtype)
                wide = x.astype("float64")
                want = dy.astype("float64") / (wide * (1 - wide))
                if eps > 0:
                    want = numpy.where((x < numpy.asarray(eps, dtype)) | (x > numpy.asarray(1 - eps, dtype)), 0, want)
                f.check(x=x, dy=dy, eps=eps, out=want.astype(dtype))
    x, nan, inf = numpy.array([-0.5, 0, 1, 1.5], "float32"), numpy.nan, numpy.inf
    f.check(x=x, dy=numpy.ones(4, "float32"), eps=-1.0, out=numpy.array([nan, inf, inf, nan], "float32"))
    f.check(x=x, dy=numpy.ones(4, "float32"), eps=0.0, out=numpy.array([0, inf, inf, 0], "float32"))
    f.refuses(x=x, dy=f.rand((3,)), eps=-1.0, out=x)
