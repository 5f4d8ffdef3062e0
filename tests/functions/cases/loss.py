"""Losses of elements: a distance for each pair, their mean, or their sum."""

import ml_dtypes
import numpy

from cases.activation import sigmoid
from harness import case

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
SHAPES = [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((0, 3), (0, 3)), ((), ()), ((5,), ())]
NAN = numpy.nan


def reduce(losses, reduction):
    with numpy.errstate(all="ignore"):
        return [losses, numpy.asarray(losses.sum() / losses.dtype.type(losses.size)), numpy.asarray(losses.sum())][reduction]


def losses(f, reference, low=-2, high=2, t_low=-2, t_high=2, x_name="self", **more):
    for dtype in FLOATS:
        for shape, other in SHAPES:
            x, t = f.rand(shape, dtype, low, high), f.rand(other, dtype, t_low, t_high)
            want = numpy.asarray(reference(x.astype("float64"), t.astype("float64")))
            for reduction in range(3):
                f.check(**{x_name: x}, target=t, reduction=reduction, out=reduce(want, reduction).astype(dtype), **more)
    x, t = f.rand((700, 130), "float32", low, high), f.rand((700, 130), "float32", t_low, t_high)
    want = reference(x.astype("float64"), t.astype("float64"))
    for reduction in (1, 2):
        f.check(**{x_name: x}, target=t, reduction=reduction, out=reduce(want, reduction).astype("float32").reshape(1), **more)
    x = f.rand((3,), "float32", low, high)
    f.refuses(**{x_name: x}, target=x, reduction=3, out=x, **more)
    f.refuses(**{x_name: x}, target=x, reduction=1, out=x, **more)
    f.refuses(**{x_name: x}, target=f.rand((4,)), reduction=0, out=x, **more)


def gradients(f, slope, low=-2, high=2, t_low=-2, t_high=2, **more):
    names = [argument.name for argument in f.arguments]
    for dtype in FLOATS:
        for shape, other in SHAPES:
            x, t = f.rand(shape, dtype, low, high), f.rand(other, dtype, t_low, t_high)
            slopes = numpy.asarray(slope(x.astype("float64"), t.astype("float64")))
            for reduction in range(3):
                one = f.rand(slopes.shape if reduction == 0 else (), dtype)
                for g in [one] if reduction == 0 else [one, one.reshape(1)]:
                    scale = 1 / slopes.size if reduction == 1 and slopes.size else 1
                    want = numpy.asarray(slopes * g.astype("float64").reshape(one.shape) * scale).astype(dtype)
                    f.check(**{names[0]: g, "self": x, "target": t, "reduction": reduction, names[-1]: want}, **more)
    x = f.rand((3,), "float32", low, high)
    f.refuses(**{names[0]: f.rand((2,)), "self": x, "target": x, "reduction": 0, names[-1]: x}, **more)


@case("aclnnMseLoss")
def _(f):
    losses(f, lambda x, t: (x - t) ** 2)
    x = numpy.array([NAN, 1.0], "float32")
    f.check(self=x, target=x * 0 + 1, reduction=1, out=numpy.array(NAN, "float32"))


@case("aclnnMseLossBackward")
def _(f):
    gradients(f, lambda x, t: 2 * (x - t))


@case("aclnnL1Loss")
def _(f):
    losses(f, lambda x, t: abs(x - t))


@case("aclnnL1LossBackward")
def _(f):
    gradients(f, lambda x, t: numpy.sign(x - t))
    x = numpy.array([NAN, 0.0, 1.0, -1.0], "float32")
    f.check(gradOutput=numpy.float32(3), self=x, target=numpy.zeros(4, "float32"), reduction=2,
            gradInput=numpy.array([0, 0, 3, -3], "float32"))


@case("aclnnSmoothL1Loss")
def _(f):
    for beta in [1.0, 0.5, 0.0]:
        losses(f, lambda x, t: numpy.where(abs(x - t) < beta, (x - t) ** 2 / (2 * beta or 1), abs(x - t) - beta / 2), sigma=beta)
    x = f.rand((3,))
    f.refuses(self=x, target=x, reduction=0, sigma=-1.0, out=x)


@case("aclnnSmoothL1LossBackward")
def _(f):
    for beta in [1.0, 0.5, 0.0]:
        gradients(f, lambda x, t: numpy.clip((x - t) / beta, -1, 1) if beta else numpy.sign(x - t), sigma=beta)
    x = numpy.array([0.0, 1.0, -1.0, 0.5], "float32")
    for beta, want in [(0.0, [0, 1, -1, 1]), (1.0, [0, 1, -1, 0.5])]:
        f.check(gradOut=numpy.float32(1), self=x, target=x * 0, reduction=2, sigma=beta, gradInput=numpy.array(want, "float32"))


@case("aclnnKlDiv")
def _(f):
    losses(f, lambda x, t: t * numpy.log(t) - t * x, t_low=0.1, t_high=1, logTarget=False)
    losses(f, lambda x, t: numpy.exp(t) * (t - x), t_low=-3, t_high=0, logTarget=True)
    x, t = numpy.array([-1.0, -1.0, -1.0, NAN], "float32"), numpy.array([0.0, -1.0, NAN, 0.0], "float32")
    f.check(self=x, target=t, reduction=0, logTarget=False, out=numpy.array([0.0, NAN, NAN, NAN], "float32"))


@case("aclnnKlDivBackward")
def _(f):
    gradients(f, lambda x, t: -t + 0 * x, t_low=0, t_high=1, logTarget=False)
    gradients(f, lambda x, t: -numpy.exp(t) + 0 * x, t_low=-3, t_high=0, logTarget=True)


@case("aclnnKlDivTargetBackward")
def _(f):
    gradients(f, lambda x, t: numpy.log(t) + 1 - x, t_low=0.1, t_high=1, logTarget=False)
    gradients(f, lambda x, t: numpy.exp(t) * (t + 1 - x), t_low=-3, t_high=0, logTarget=True)
    # What PyTorch's CPU device has for x = −1, −2, −3, −1.
    x, t = numpy.array([-1.0, -2.0, -3.0, -1.0], "float32"), numpy.array([0.0, 0.5, 1.0, -1.0], "float32")
    given = {"gradOutput": numpy.ones((), "float32"), "self": x, "target": t}
    f.check(reduction=2, logTarget=False, gradTarget=numpy.array([NAN, 2.306853, 4.0, NAN], "float32"), **given)
    f.check(reduction=1, logTarget=True, gradTarget=numpy.array([0.5, 1.442631, 3.397852, 0.09196986], "float32"), **given)


@case("aclnnSoftMarginLoss")
def _(f):
    losses(f, lambda x, t: numpy.log(1 + numpy.exp(-t * x)))
    f.check(self=numpy.array([-200.0, 200.0], "float32"), target=numpy.ones(2, "float32"), reduction=0, out=numpy.array([200, 0], "float32"))


@case("aclnnSoftMarginLossBackward")
def _(f):
    gradients(f, lambda x, t: -t * sigmoid(-t * x))


def entropy(x, t):
    return -(t * numpy.log(x) + (1 - t) * numpy.log(1 - x))


def weighed(f, dtype, shape):
    """Weights that broadcast to the losses, and none."""
    yield None
    yield f.rand(shape, dtype, 0, 1)
    yield f.rand(shape[-1:], dtype, 0, 1)


def binary(f, reference, low, high):
    """Checks losses with every combination of weights; `reference` gets 1 for absent ones."""
    gradient = "gradOutput" in [argument.name for argument in f.arguments]
    positive = "posWeight" in [argument.name for argument in f.arguments]
    for dtype in FLOATS:
        for shape in [(3, 4), (2, 3, 4), (0, 3), ()]:
            x, t = f.rand(shape, dtype, low, high), f.rand(shape, dtype, 0, 1)
            for weight in weighed(f, dtype, shape):
                for extra in weighed(f, dtype, shape) if positive else [None]:
                    more = {"self": x, "target": t, "weight": weight, **({"posWeight": extra} if positive else {})}
                    wide = [1.0 if one is None else one.astype("float64") for one in (weight, extra)]
                    want = numpy.asarray(reference(x.astype("float64"), t.astype("float64"), wide[1]) * wide[0])
                    for reduction in range(3):
                        if gradient:
                            g = f.rand(shape if reduction == 0 else (), dtype)
                            scale = 1 / want.size if reduction == 1 and want.size else 1
                            result = numpy.asarray(want * g.astype("float64") * scale)
                            f.check(**more, gradOutput=g, reduction=reduction, out=result.astype(dtype), layouts=("contiguous", "strided")[: 1 + (reduction == 0)])
                        else:
                            f.check(**more, reduction=reduction, out=reduce(want, reduction).astype(dtype))


@case("aclnnBinaryCrossEntropy")
def _(f):
    binary(f, lambda x, t, _: entropy(x, t), 0.05, 0.95)
    x, t = numpy.array([0, 1, 0, 1, NAN], "float32"), numpy.array([0, 1, 1, 0, 0], "float32")
    f.check(self=x, target=t, reduction=0, out=numpy.array([0, 0, 100, 100, NAN], "float32"))
    f.refuses(self=x, target=t, weight=f.rand((2,)), reduction=0, out=x)


@case("aclnnBinaryCrossEntropyBackward")
def _(f):
    binary(f, lambda x, t, _: (1 - t) / (1 - x) - t / x, 0.1, 0.9)
    x, t = numpy.array([0, 1, 0], "float32"), numpy.array([0, 1, 1], "float32")
    f.check(gradOutput=numpy.float32(1), self=x, target=t, reduction=2, out=numpy.array([0, 0, -1e12], "float32"))


@case("aclnnBinaryCrossEntropyWithLogits")
def _(f):
    binary(f, lambda x, t, p: -(p * t * numpy.log(sigmoid(x)) + (1 - t) * numpy.log(1 - sigmoid(x))), -3, 3)
    x, t = numpy.array([NAN, 200.0, -200.0, 200.0], "float32"), numpy.array([0, 1, 1, 0], "float32")
    f.check(self=x, target=t, reduction=0, out=numpy.array([NAN, 0, 200, 200], "float32"))


@case("aclnnBinaryCrossEntropyWithLogitsBackward")
def _(f):
    binary(f, lambda x, t, p: (1 - t) * sigmoid(x) - p * t * (1 - sigmoid(x)), -3, 3)
