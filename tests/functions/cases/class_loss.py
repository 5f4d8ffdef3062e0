"""Losses over classes: one class is right at each position."""

import ml_dtypes
import numpy

from harness import Any, case, exempt

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
NAN = numpy.nan


def batches(f, flat, dtype):
    shapes = [((3, 5), ()), ((1, 2), ()), ((0, 4), ()), ((40, 7), ())] if flat else [((2, 3), (2, 2)), ((0, 3), (2, 2)), ((2, 3), (0, 2)), ((1, 4), (3, 1))]
    for (count, classes), rest in shapes:
        x = f.rand((count, classes, *rest), dtype, -4, 0)
        target = f.rand((count, *rest), "int64", 0, classes - 1)
        weight = f.rand((classes,), dtype, 0, 1)
        for ignored in [-100, 1]:
            yield x, target, weight, ignored


def picked(x, target, weight, ignored):
    """Losses and weights of positions."""
    losses, weights = numpy.zeros(target.shape), numpy.zeros(target.shape)
    for index in numpy.ndindex(target.shape):
        if target[index] != ignored:
            weights[index] = weight[target[index]]
            losses[index] = -float(weights[index]) * float(x[(index[0], target[index], *index[1:])])
    return losses, weights


def nll(f, flat):
    for dtype in FLOATS:
        for x, target, weight, ignored in batches(f, flat, dtype):
            losses, weights = picked(x, target, weight, ignored)
            with numpy.errstate(all="ignore"):
                mean = numpy.asarray(losses.sum() / weights.sum())
            more = {"self": x, "target": target, "weight": weight, "ignoreIndex": ignored}
            total = numpy.asarray(weights.sum()).astype(dtype)
            f.check(**more, reduction=0, out=losses.astype(dtype), totalWeight=numpy.zeros((), dtype))
            f.check(**more, reduction=1, out=mean.astype(dtype), totalWeight=total)
            f.check(**more, reduction=2, out=numpy.asarray(losses.sum()).astype(dtype), totalWeight=total)
            f.check(**{**more, "target": target.astype("int32")}, reduction=2, out=numpy.asarray(losses.sum()).astype(dtype), totalWeight=total)
    x = f.rand((3, 4) if flat else (3, 4, 1, 1))
    target = numpy.array([0, 4, 1]).reshape((3,) if flat else (3, 1, 1))
    more = {"self": x, "weight": numpy.ones(4, "float32"), "ignoreIndex": -100, "totalWeight": Any((), "float32"), "out": Any((), "float32")}
    f.fails(target=target, reduction=1, **more)
    f.refuses(target=target[:2], reduction=1, **more)
    f.refuses(target=target, reduction=5, **more)
    f.refuses(target=target, **{**more, "weight": f.rand((3,))}, reduction=1)


def nll_backward(f, flat):
    for dtype in FLOATS:
        for x, target, weight, ignored in batches(f, flat, dtype):
            _, weights = picked(x, target, weight, ignored)
            total = numpy.asarray(weights.sum()).astype(dtype)
            for reduction in range(3):
                g = f.rand(target.shape if reduction == 0 else (), dtype)
                want = numpy.zeros(x.shape)
                for index in numpy.ndindex(target.shape):
                    if target[index] != ignored:
                        value = -weights[index] * float(g[index] if reduction == 0 else g)
                        want[(index[0], target[index], *index[1:])] = value / float(total) if reduction == 1 else value
                f.check(gradOutput=g, self=x, target=target, weight=weight, reduction=reduction, ignoreIndex=ignored, totalWeight=total, out=want.astype(dtype))
    # No position counts: the total is 0, and nothing is divided by it.
    x = f.rand((2, 3) if flat else (2, 3, 1, 1))
    target = numpy.full((2,) if flat else (2, 1, 1), 1)
    f.check(gradOutput=numpy.float32(1), self=x, target=target, weight=numpy.ones(3, "float32"), reduction=1, ignoreIndex=1, totalWeight=numpy.float32(0),
            out=x * 0)


@case("aclnnNLLLoss")
def _(f):
    nll(f, True)
    # One position without an axis.
    x, weight = f.rand((4,)), f.rand((4,), "float32", 0, 1)
    for reduction, want in [(0, -weight[2] * x[2]), (1, -x[2]), (2, -weight[2] * x[2])]:
        f.check(self=x, target=numpy.array(2), weight=weight, reduction=reduction, ignoreIndex=-100, out=numpy.asarray(want), totalWeight=weight[2])


@case("aclnnNLLLossBackward")
def _(f):
    nll_backward(f, True)
    x, weight = f.rand((4,)), f.rand((4,), "float32", 0, 1)
    want = numpy.zeros(4, "float32")
    want[2] = -weight[2] * 3
    f.check(gradOutput=numpy.float32(3), self=x, target=numpy.array(2), weight=weight, reduction=2, ignoreIndex=-100, totalWeight=weight[2], out=want)


@case("aclnnNLLLoss2d")
def _(f):
    nll(f, False)


@case("aclnnNLLLoss2dBackward")
def _(f):
    nll_backward(f, False)


for _name in ["NLLLoss2d", "CrossEntropyLoss", "SoftmaxCrossEntropyWithLogits"]:
    exempt("aclnn" + _name, zero_dim="positions and classes are axes")


def log_softmax(x):
    most = x.max(-1, keepdims=True) if x.size else x.sum(-1, keepdims=True)
    return x - most - numpy.log(numpy.exp(x - most).sum(-1, keepdims=True))


def smoothed(x, target, weight, ignored, smoothing):
    """Losses of positions, their weights, and the gradient of the sum of losses times `g` for each position."""
    logs, classes = log_softmax(x), x.shape[1]
    losses, weights, share = numpy.zeros(len(x)), numpy.zeros(len(x)), numpy.zeros(x.shape)
    for row, right in enumerate(target):
        if right != ignored:
            weights[row] = weight[right]
            # The distribution that the row should have, weighed.
            share[row] = smoothing / classes * weight
            share[row, right] += (1 - smoothing) * weight[right]
            losses[row] = -(share[row] * logs[row]).sum()
    gradient = numpy.exp(logs) * share.sum(-1, keepdims=True) - share
    return logs, losses, weights, gradient


def entropies(f):
    for dtype in FLOATS:
        for count, classes in [(3, 5), (0, 4), (20, 33)]:
            x = f.rand((count, classes), dtype, -4, 4)
            target = f.rand((count,), "int64", 0, classes - 1)
            for weight in [None, f.rand((classes,), "float32", 0, 1)]:
                for ignored, smoothing in [(-100, 0.0), (1, 0.0), (1, 0.3), (-100, 1.0)]:
                    wide = numpy.ones(classes) if weight is None else weight.astype("float64")
                    more = {"target": target, "weight": weight, "ignoreIndex": ignored, "labelSmoothing": smoothing}
                    yield x, target, wide, more


def tolerance(dtype):
    return {"float32": (1e-5, 2e-6), "float64": (1e-11, 1e-12)}.get(numpy.dtype(dtype).name)


@case("aclnnCrossEntropyLoss")
def _(f):
    for x, target, weight, more in entropies(f):
        logs, losses, weights, _ = smoothed(x.astype("float64"), target, weight, more["ignoreIndex"], more["labelSmoothing"])
        with numpy.errstate(all="ignore"):
            results = {"none": losses, "mean": (losses.sum() / weights.sum()).reshape(1), "sum": numpy.asarray(losses.sum())}
        for reduction, want in results.items():
            f.check(input=x, reduction=reduction, loss=want.astype(x.dtype), logProb=logs.astype(x.dtype), tolerance=tolerance(x.dtype), **more)
    x = f.rand((2, 3))
    more = {"target": numpy.array([0, 2]), "loss": Any((), "float32"), "logProb": Any((2, 3), "float32"), "ignoreIndex": -100}
    f.refuses(input=x, reduction="all", **more)
    f.refuses(input=x, reduction="mean", labelSmoothing=1.5, **more)
    f.refuses(input=f.rand((3,)), reduction="mean", **more)
    f.fails(input=x, reduction="mean", **{**more, "target": numpy.array([0, 3])})


@case("aclnnCrossEntropyLossGrad")
def _(f):
    for x, target, weight, more in entropies(f):
        logs, _, weights, gradient = smoothed(x.astype("float64"), target, weight, more["ignoreIndex"], more["labelSmoothing"])
        # Logarithms come rounded to their type.
        logs = logs.astype(x.dtype)
        for reduction in ["none", "mean", "sum"]:
            g = f.rand(target.shape if reduction == "none" else (), x.dtype)
            factor = g.astype("float64").reshape(-1, 1) / (weights.sum() if reduction == "mean" and weights.sum() else 1)
            want = numpy.asarray(gradient * factor).astype(x.dtype)
            rough = (5e-2, 3e-2) if x.dtype.itemsize == 2 else tolerance(x.dtype)
            f.check(gradLoss=g, logProb=logs, reduction=reduction, xGradOut=want, tolerance=rough, **more)
    x = f.rand((2, 3))
    f.refuses(gradLoss=f.rand((3,)), logProb=x, target=numpy.array([0, 1]), reduction="none", xGradOut=x)


@case("aclnnSoftmaxCrossEntropyWithLogits")
def _(f):
    for dtype in FLOATS:
        for shape in [(3, 5), (0, 4), (20, 33)]:
            x, labels = f.rand(shape, dtype, -4, 4), f.rand(shape, dtype, 0, 1)
            logs, wide = log_softmax(x.astype("float64")), labels.astype("float64")
            for loss in [(shape[0],), (shape[0], 1)]:
                f.check(features=x, labels=labels, loss=-(wide * logs).sum(-1).reshape(loss).astype(dtype), backprop=(numpy.exp(logs) - wide).astype(dtype),
                        tolerance=tolerance(dtype))
    x = f.rand((2, 3))
    f.refuses(features=x, labels=f.rand((2, 4)), loss=f.rand((2,)), backprop=x)
    f.refuses(features=x, labels=x, loss=f.rand((3,)), backprop=x)


@case("aclnnMultilabelMarginLoss")
def _(f):
    for dtype in ["float32", "float64", "float16"]:
        for shape in [(4,), (3, 5), (1, 1), (), (0, 4)]:
            x = f.rand(shape, dtype)
            rows = x.astype("float64").reshape(-1, shape[-1] if shape else 1)
            targets, marks, losses = numpy.full(rows.shape, -1), numpy.zeros(rows.shape), numpy.zeros(len(rows))
            for row in range(len(rows)):
                chosen = numpy.random.default_rng(row).permutation(rows.shape[1])[: (row + 1) % rows.shape[1] + (rows.shape[1] == 1)]
                targets[row, : len(chosen)] = chosen
                # What follows the end counts for nothing.
                if len(chosen) + 1 < rows.shape[1]:
                    targets[row, len(chosen) + 1] = 0
                marks[row, chosen] = 1
                others = [at for at in range(rows.shape[1]) if at not in chosen]
                losses[row] = sum(max(0, 1 - rows[row, t] + rows[row, o]) for t in chosen for o in others) / rows.shape[1]
            for reduction in [0, 1, 2]:
                total = losses.sum() / (max(len(rows), 1) if reduction == 1 else 1)
                want = losses if reduction == 0 and len(shape) == 2 else numpy.asarray(total)
                f.check(self=x, target=targets.reshape(shape), reduction=reduction, out=want.astype(dtype), isTarget=marks.reshape(shape).astype("int32"),
                        tolerance=(2e-3, 2e-3) if dtype == "float16" else (1e-5, 1e-5))
    x = f.rand((2, 3))
    f.refuses(self=x, target=numpy.zeros((2, 2), "int64"), reduction=0, out=f.rand((2,)), isTarget=numpy.zeros((2, 2), "int32"))
    f.fails(self=x, target=numpy.full((2, 3), 3), reduction=0, out=f.rand((2,)), isTarget=numpy.zeros((2, 3), "int32"))
