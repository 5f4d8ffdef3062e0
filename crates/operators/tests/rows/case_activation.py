"""Activation functions and losses. Gradients are compared with differences of the function itself."""

import math

import numpy as np

from .base import *  # noqa: F403

FLOATS = (f32, f16, bf16, f64)
erf = np.vectorize(math.erf, otypes=[f64])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.log1p(np.exp(x))


def elu(x, alpha=1.0, scale=1.0, inner=1.0):
    return np.where(x > 0, x * scale, alpha * scale * (np.exp(np.minimum(x, 0) * inner) - 1))


def slope(function, x):
    """The derivative, from differences; no sample lies on a kink."""
    x, h = x.astype(f64), 1e-5
    return (function(x + h) - function(x - h)) / (2 * h)


def away(*shape, dtype=f32, kinks=(0,)):
    """Numbers that keep a distance from the kinks."""
    x = rand(*shape, dtype=f64, low=-4, high=4)
    for kink in kinks:
        x = np.where(abs(x - kink) < 0.05, x + 0.2, x)
    return x.astype(dtype)


def activation(kind, function, grad=None, kinks=(0,), order="dy,x", extra=0, **attributes):
    """The function in each type, and its gradient; `order` names what the gradient is given."""
    for shape in [(3, 5), (), (0, 2)]:
        for dtype in FLOATS:
            x = away(*shape, dtype=dtype, kinks=kinks)
            y = function(wide(x).astype(f64)).astype(dtype)
            if kind:
                case(kind, [x], y, **attributes)
            if grad:
                dy = rand(*shape, dtype=dtype)
                want = (wide(dy) * slope(function, wide(x))).astype(dtype)
                known = {"dy": dy, "x": x, "y": function(wide(x).astype(f64)).astype(dtype)}
                inputs = [known[name] for name in order.split(",")]
                tolerance = {f32: 5e-5, f16: 6e-3, bf16: 6e-2, f64: 1e-5}[dtype]
                case(grad, inputs, Loose(want, tolerance), **attributes)


relu = lambda x: np.maximum(x, 0)
activation("Relu", relu, "ReluGrad", order="dy,y")
for dtype in (i32, i64, i8):
    formula("Relu", [(3, 4)], relu, (dtype,))
activation("Relu6", lambda x: np.clip(x, 0, 6), "Relu6Grad", order="dy,y")
activation("LeakyRelu", lambda x: np.where(x > 0, x, 0.1 * x), "LeakyReluGrad", negative_slope=0.1)
activation("Elu", elu, "EluGradV2", alpha=1.0, scale=1.0, input_scale=1.0)
activation("Elu", lambda x: elu(x, 1.5, 2.0, 0.5), "EluGradV2", alpha=1.5, scale=2.0, input_scale=0.5)
activation(None, lambda x: elu(x, 1.5, 2.0, 0.5), "EluGradV2", order="dy,y", alpha=1.5, scale=2.0, input_scale=0.5, is_result=True)
activation(None, elu, "EluGrad", order="dy,y")
activation("Selu", lambda x: elu(x, 1.6732632, 1.050701), "SeluGrad", order="dy,y")
activation("CeluV2", lambda x: np.where(x > 0, x, 2 * (np.exp(np.minimum(x, 0) / 2) - 1)), alpha=2.0)
case("Elu", [np.array([100, -100], f32)], np.array([100, -1], f32))
gelu = lambda x: x * 0.5 * (1 + erf(x / np.sqrt(2)))
gelu_tanh = lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
activation("Gelu", gelu, "GeluGrad", order="dy,x,y")
activation("GeluV2", gelu, approximate="none")
activation("GeluV2", gelu_tanh, approximate="tanh")
activation("FastGelu", lambda x: x * sigmoid(1.702 * x), "FastGeluGrad")
activation("Swish", lambda x: x * sigmoid(x), "SiluGrad")
activation("Swish", lambda x: x * sigmoid(2 * x), "SwishGrad", order="dy,x,y", scale=2.0)
activation("Sigmoid", sigmoid, "SigmoidGrad", order="y,dy")
activation("Tanh", np.tanh, "TanhGrad", order="y,dy")
activation("Softplus", softplus, "SoftplusGrad")
activation("BNLL", softplus)
v2 = lambda x: np.where(2 * x > 5, x, softplus(2 * x) / 2)
activation("SoftplusV2", v2, "SoftplusV2Grad", kinks=(2.5,), beta=2.0, threshold=5.0)
activation("Softsign", lambda x: x / (1 + abs(x)))
activation("LogSigmoid", lambda x: -softplus(-x), "LogSigmoidGrad")
case("LogSigmoid", [np.array([-200, 200], f32)], np.array([-200, 0], f32))
activation("Mish", lambda x: x * np.tanh(softplus(x)), "MishGrad")
activation("HardSwish", lambda x: x * np.clip(x + 3, 0, 6) / 6, "HardSwishGrad", kinks=(-3, 3))
activation("HardSigmoid", lambda x: np.clip(x / 6 + 0.5, 0, 1), "HardSigmoidGrad", kinks=(-3, 3))
activation("HardSigmoid", lambda x: np.clip(x * 0.25 + 0.5, 0, 1), "HardSigmoidGrad", kinks=(-2, 2), alpha=0.25, beta=0.5)
activation("HardShrink", lambda x: np.where(abs(x) > 0.5, x, 0), "HardShrinkGrad", kinks=(-0.5, 0.5))
activation("SoftShrink", lambda x: np.sign(x) * np.maximum(abs(x) - 1, 0), "SoftShrinkGrad", kinks=(-1, 1), lambd=1.0)
activation("ThresholdV2D", lambda x: np.where(x > 0.3, x, 7.0), "ThresholdGradV2D", kinks=(0.3,), threshold=0.3, value=7.0)
activation(None, lambda x: np.clip(x, -1, 1.5), "HardtanhGrad", kinks=(-1, 1.5), order="y,dy", min_val=-1.0, max_val=1.5)


def gated(kind, grad, function, dim):
    for dtype in (f32, f16, bf16):
        x, dy = rand(4, 6, dtype=dtype), rand(4 // (2 if dim == 0 else 1), 6 // (1 if dim == 0 else 2), dtype=dtype)
        case(kind, [x], function(*np.split(wide(x).astype(f64), 2, dim)).astype(dtype), dim=dim)
        a, b = np.split(wide(x).astype(f64), 2, dim)
        da = wide(dy) * slope(lambda a: function(a, b), a)
        db = wide(dy) * slope(lambda b: function(a, b), b)
        want = np.concatenate([da, db], dim).astype(dtype)
        case(grad, [dy, x], Loose(want, {f32: 5e-5, f16: 6e-3, bf16: 6e-2}[dtype]), dim=dim)


for dim in (0, 1, -1):
    gated("GLU", "GLUGrad", lambda a, b: a * sigmoid(b), dim)
    gated("SwiGlu", "SwiGluGrad", lambda a, b: a * sigmoid(a) * b, dim)

for shape, where in [((4,), (1, 4, 1, 1)), ((1, 4, 1, 1), (1, 4, 1, 1)), ((1,), (1, 1, 1, 1)), ((4, 1, 1), (1, 4, 1, 1))]:
    x, w, dy = away(2, 4, 3, 5), rand(*shape), rand(2, 4, 3, 5)
    laid = w.reshape(where)
    case("PRelu", [x, w], np.where(x > 0, x, x * laid))
    da = np.where(x > 0, 0, dy * x)
    axes = tuple(axis for axis, dim in enumerate(where) if dim == 1)
    case("PReluGrad", [dy, x, w], [np.where(x > 0, dy, dy * laid), da.sum(axes).reshape(shape)])

# Losses.

REDUCE = {"none": lambda x: x, "mean": np.mean, "sum": np.sum}


def loss(kind, function, grad=None, order="x,t,dy", low=-2.0, high=2.0, more=(), **attributes):
    for dtype in (f32, f16, bf16):
        for reduction, reduce in REDUCE.items():
            x, t = rand(3, 4, dtype=dtype, low=low, high=high), rand(3, 4, dtype=dtype, low=low, high=high)
            extra = [rand(*shape, dtype=dtype, low=0.5) for shape in more]
            wx, wt, we = wide(x).astype(f64), wide(t).astype(f64), [wide(one).astype(f64) for one in extra]
            losses = function(wx, wt, *we)
            if kind:
                case(kind, [x, t, *extra], np.asarray(reduce(losses)).astype(dtype), reduction=reduction, **attributes)
            if grad:
                dy = rand(*(() if reduction != "none" else (3, 4)), dtype=dtype)
                want = wide(dy) * slope(lambda x: function(x, wt, *we), wx) / (12 if reduction == "mean" else 1)
                known = {"x": x, "t": t, "dy": dy}
                inputs = [known[name] for name in order.split(",")] + extra
                tolerance = {f32: 5e-5, f16: 6e-3, bf16: 6e-2}[dtype]
                case(grad, inputs, Loose(want.astype(dtype), tolerance), reduction=reduction, **attributes)


loss("MseLoss", lambda x, t: (x - t) ** 2, "MseLossGrad")
loss("LpLoss", lambda x, t: abs(x - t), p=1)
loss(None, lambda x, t: abs(x - t), "L1LossGrad", order="dy,x,t")
loss("SmoothL1LossV2", lambda x, t: np.where(abs(x - t) < 0.5, (x - t) ** 2, abs(x - t) - 0.25), "SmoothL1LossGradV2", sigma=0.5)
bce = lambda x, t, w=1: -w * (t * np.log(x) + (1 - t) * np.log(1 - x))
loss("BinaryCrossEntropy", bce, "BinaryCrossEntropyGrad", low=0.2, high=0.8)
loss("BinaryCrossEntropy", bce, "BinaryCrossEntropyGrad", low=0.2, high=0.8, more=[(3, 4)])
case("BinaryCrossEntropy", [np.array([0, 1, 0], f32), np.array([0, 1, 1], f32)], np.array([0, 0, 100], f32), reduction="none")
logits = lambda x, t, w=1, p=1: w * ((1 - t) * x + (1 + (p - 1) * t) * softplus(-x))
V2 = "SigmoidCrossEntropyWithLogitsV2", logits, "SigmoidCrossEntropyWithLogitsGradV2"
loss(*V2)
loss(*V2, more=[(3, 4)])
loss(*V2, more=[(3, 4), (4,)])
formula("SigmoidCrossEntropyWithLogits", [(3, 4)] * 2, logits)
formula("SigmoidCrossEntropyWithLogitsGrad", [(3, 4)] * 3, lambda x, t, dy: (sigmoid(x) - t) * dy)
case("SigmoidCrossEntropyWithLogits", [np.array([200, -200], f32), np.array([0, 1], f32)], np.array([200, 200], f32))
loss("KLDiv", lambda x, t: t * (np.log(t) - x), "KlDivLossGrad", order="dy,x,t", low=0.2, log_target=False)
loss("KLDiv", lambda x, t: np.exp(t) * (t - x), "KlDivLossGrad", order="dy,x,t", log_target=True)
case("KLDiv", [np.ones((2, 2), f32), np.array([[0, 1], [1, 0]], f32)], np.array(-1, f32), reduction="batchmean")
case("MseLoss", [rand(2), rand(2)], rand(2), reduction="odd", refuse="none, mean, sum")

for dtype in (f32, f16, bf16):
    for ignored in (-100, 2):
        for reduction in ("mean", "sum", "none"):
            x, w = rand(5, 4, dtype=dtype), rand(4, dtype=dtype, low=0.5)
            t = np.array([0, 3, 2, 1, -100 if ignored < 0 else 2], i32)
            ww, keep = wide(w), t != ignored
            weight = np.where(keep, ww[np.where(keep, t, 0)], 0)
            losses = -wide(x)[np.arange(5), np.where(keep, t, 0)] * weight
            total = weight.sum()
            y = {"mean": losses.sum() / total, "sum": losses.sum(), "none": losses}[reduction]
            attributes = {"reduction": reduction, "ignore_index": ignored}
            case("NLLLoss", [x, t, w], [np.asarray(y).astype(dtype), np.asarray(total).astype(dtype)], **attributes)
            dy = rand(*(() if reduction != "none" else (5,)), dtype=dtype)
            share = weight * wide(dy) / (total if reduction == "mean" else 1)
            dx = np.where(t[:, None] == np.arange(4), -share[:, None], 0)
            total = np.asarray(total).astype(f32).astype(dtype)
            case("NLLLossGrad", [x, dy, t, w, total], Loose(dx.astype(dtype), {f32: 2e-5, f16: 4e-3, bf16: 4e-2}[dtype]), **attributes)
case("NLLLoss", [(x := rand(3, 4)), np.array([1, 0, 3], i64)], [np.asarray(-(x[0, 1] + x[1, 0] + x[2, 3]) / 3), np.array(3, f32)])
case("NLLLoss", [(x := rand(4)), np.array([1], i32), np.ones(4, f32)], [-x[1], np.array(1, f32)])

# The ends of the middle belong to it.
case("HardSwishGrad", [np.ones(4, f32), np.array([-3, 3, -3.5, 3.5], f32)], np.array([-0.5, 1.5, 0, 1], f32))
