"""Batch norm, and its statistics joined from several devices."""

import numpy

from harness import Any, Ref, case, exempt

SHAPES = [(4, 3), (2, 3, 5), (2, 3, 4, 5), (2, 1, 2, 2, 3)]
LOOSE = {"float32": (1e-4, 1e-5), "float16": (5e-3, 5e-3), "float64": (1e-10, 1e-10)}
NAMES = ["aclnnBatchNorm", "aclnnBatchNormBackward", "aclnnBatchNormElemt", "aclnnBatchNormElemtBackward", "aclnnBatchNormStats", "aclnnBatchNormReduceBackward",
         "aclnnBatchNormGatherStatsWithCounts", "aclnnSyncBatchNormGatherStats"]
for name in NAMES:
    exempt(name, zero_dim="samples and channels are two dimensions")


def along(v, x):
    return numpy.asarray(v).astype("float64").reshape((1, -1) + (1,) * (x.ndim - 2))


def others(x):
    return (0,) + tuple(range(2, x.ndim))


def statistics(x):
    x = x.astype("float64")
    count = x.size / x.shape[1]
    mean = x.mean(others(x))
    return mean, x.var(others(x)), count


@case("aclnnBatchNorm")
def _(f):
    for dtype in ["float32", "float16", "float64"]:
        stats = "float64" if dtype == "float64" else "float32"
        for shape in SHAPES:
            x, c = f.rand(shape, dtype), shape[1]
            weight, bias = f.rand((c,), stats), f.rand((c,), stats)
            running_mean, running_var = f.rand((c,), stats), f.rand((c,), stats, 0.5, 2.0)
            mean, var, count = statistics(x)
            invstd = 1 / numpy.sqrt(var + 1e-5)
            y = (x.astype("float64") - along(mean, x)) * along(invstd, x)
            want = (y * along(weight, x) + along(bias, x)).astype(dtype)
            saved = dict(saveMean=mean.astype(stats), saveInvstd=invstd.astype(stats))
            new_mean, new_var = (0.9 * running_mean + 0.1 * mean).astype(stats), (0.9 * running_var + 0.1 * var * count / (count - 1)).astype(stats)
            f.check(input=x, weight=weight, bias=bias, runningMean=Ref(running_mean, new_mean), runningVar=Ref(running_var, new_var), training=True, momentum=0.1,
                    eps=1e-5, output=want, tolerance=LOOSE[dtype], **saved)
            f.check(input=x, training=True, momentum=0.1, eps=1e-5, output=y.astype(dtype), tolerance=LOOSE[dtype], **saved)
            y = (x.astype("float64") - along(running_mean, x)) / numpy.sqrt(along(running_var, x) + 1e-5) * along(weight, x) + along(bias, x)
            f.check(input=x, weight=weight, bias=bias, runningMean=Ref(running_mean, running_mean), runningVar=Ref(running_var, running_var), training=False,
                    momentum=0.1, eps=1e-5, output=y.astype(dtype), saveMean=Any((0,), stats), saveInvstd=Any((0,), stats), tolerance=LOOSE[dtype])
    x, one = f.rand((0, 3, 2)), numpy.ones(3, "float32")
    f.check(input=x, weight=one, bias=one, runningMean=Ref(one, one), runningVar=Ref(one, one), training=False, momentum=0.1, eps=1e-5, output=x,
            saveMean=Any((0,), "float32"), saveInvstd=Any((0,), "float32"))
    f.refuses(input=x, weight=f.rand((2,)), training=True, momentum=0.1, eps=1e-5, output=x, saveMean=one, saveInvstd=one)
    f.refuses(input=x, training=False, momentum=0.1, eps=1e-5, output=x, saveMean=one, saveInvstd=one)


@case("aclnnBatchNormBackward")
def _(f):
    for dtype in ["float32", "float64", "float16"]:
        stats = "float64" if dtype == "float64" else "float32"
        for shape in SHAPES:
            x, grad, c = f.rand(shape, dtype), f.rand(shape, dtype), shape[1]
            weight = f.rand((c,), stats)
            g = grad.astype("float64")
            for training in [True, False]:
                mean, var, count = statistics(x)
                if not training:
                    mean, var = f.rand((c,), "float64"), f.rand((c,), "float64", 0.5, 2.0)
                    mean, var = mean.astype(stats), var.astype(stats)
                invstd = 1 / numpy.sqrt(var + 1e-5)
                z = (x.astype("float64") - along(mean, x)) * along(invstd, x)
                db, dw = g.sum(others(x)), (g * z).sum(others(x))
                dx = g - (along(db, x) + z * along(dw, x)) / count if training else g
                dx = dx * along(invstd, x) * along(weight, x)
                given = dict(saveMean=mean.astype(stats), saveInvstd=invstd.astype(stats)) if training else dict(runningMean=mean, runningVar=var)
                f.check(gradOut=grad, input=x, weight=weight, training=training, eps=1e-5, outputMask=[True, True, True], gradInput=dx.astype(dtype),
                        gradWeight=dw.astype(stats), gradBias=db.astype(stats), tolerance=LOOSE[dtype], **given)
                f.check(gradOut=grad, input=x, weight=weight, training=training, eps=1e-5, outputMask=[False, False, True], gradBias=db.astype(stats),
                        tolerance=LOOSE[dtype], **given)
    x, one = f.rand((0, 3, 2)), numpy.ones(3, "float32")
    f.check(gradOut=x, input=x, weight=one, runningMean=one, runningVar=one, training=False, eps=1e-5, outputMask=[True, True, True], gradInput=x, gradWeight=0 * one, gradBias=0 * one)
    f.refuses(gradOut=x, input=x, training=True, eps=1e-5, outputMask=[True, True, True], gradInput=x)


@case("aclnnBatchNormElemt")
def _(f):
    for dtype in ["float32", "float16"]:
        for shape in SHAPES + [(0, 3)]:
            x, c = f.rand(shape, dtype), shape[1]
            weight, bias, mean, invstd = f.rand((c,)), f.rand((c,)), f.rand((c,)), f.rand((c,), "float32", 0.5, 2.0)
            y = (x.astype("float64") - along(mean, x)) * along(invstd, x)
            f.check(input=x, weight=weight, bias=bias, mean=mean, invstd=invstd, eps=1e-5, out=(y * along(weight, x) + along(bias, x)).astype(dtype), tolerance=LOOSE[dtype])
            f.check(input=x, mean=mean, invstd=invstd, eps=1e-5, out=y.astype(dtype), tolerance=LOOSE[dtype])


@case("aclnnBatchNormStats")
def _(f):
    for dtype in ["float32", "float16"]:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            mean, var, _ = statistics(x)
            f.check(input=x, eps=1e-5, out0=mean.astype("float32"), out1=(1 / numpy.sqrt(var + 1e-5)).astype("float32"), tolerance=LOOSE["float32"])


exempt("aclnnBatchNormStats", empty="no elements have no mean")


@case("aclnnBatchNormReduceBackward")
def _(f):
    for shape in SHAPES + [(0, 3, 2)]:
        x, grad, c = f.rand(shape), f.rand(shape), shape[1]
        mean, invstd = f.rand((c,)), f.rand((c,), "float32", 0.5, 2.0)
        g = grad.astype("float64")
        dy, xmu = g.sum(others(x)), (g * (x - along(mean, x))).sum(others(x))
        f.check(gradOut=grad, input=x, mean=mean, invstd=invstd, weight=f.rand((c,)), inputG=True, weightG=True, biasG=True, sumDy=dy.astype("float32"),
                sumDyXmu=xmu.astype("float32"), gradWeight=(xmu * invstd).astype("float32"), gradBias=dy.astype("float32"), tolerance=LOOSE["float32"])
        f.check(gradOut=grad, input=x, mean=mean, invstd=invstd, inputG=False, weightG=False, biasG=True, gradBias=dy.astype("float32"), tolerance=LOOSE["float32"])


@case("aclnnBatchNormElemtBackward")
def _(f):
    for shape in SHAPES + [(0, 3, 2)]:
        x, grad, c = f.rand(shape), f.rand(shape), shape[1]
        mean, invstd, weight, dy, xmu = f.rand((c,)), f.rand((c,), "float32", 0.5, 2.0), f.rand((c,)), f.rand((c,)), f.rand((c,))
        counts = numpy.array([5, 7], "int32")
        z = grad - along(dy, x) / 12 - (x - along(mean, x)) * along(invstd, x) ** 2 * along(xmu, x) / 12
        z = z * along(invstd, x)
        common = dict(gradOut=grad, input=x, mean=mean, invstd=invstd, sumDy=dy, sumDyXmu=xmu, count=counts, tolerance=LOOSE["float32"])
        f.check(weight=weight, out=(z * along(weight, x)).astype("float32"), **common)
        f.check(out=z.astype("float32"), **common)


def joined(f):
    """Three parts of a batch: their statistics, and those of the whole."""
    parts = [f.rand((n, 4)) for n in (3, 5, 2)]
    whole = numpy.concatenate(parts).astype("float64")
    return parts, whole.mean(0), whole.var(0), whole.var(0, ddof=1)


@case("aclnnBatchNormGatherStatsWithCounts")
def _(f):
    parts, mean, var, unbiased = joined(f)
    means = numpy.stack([part.mean(0) for part in parts]).astype("float32")
    invstds = numpy.stack([1 / numpy.sqrt(part.var(0) + 1e-5) for part in parts]).astype("float32")
    running_mean, running_var = f.rand((4,)), f.rand((4,), "float32", 0.5, 2.0)
    for counts in [numpy.array([3, 5, 2], "float32"), numpy.array([3, 5, 2], "int32")]:
        common = dict(input=parts[0], mean=means, invstd=invstds, momentum=0.1, eps=1e-5, counts=counts, meanAll=mean.astype("float32"),
                      invstdAll=(1 / numpy.sqrt(var + 1e-5)).astype("float32"), tolerance=(1e-3, 1e-4))
        f.check(runningMean=Ref(running_mean, (0.9 * running_mean + 0.1 * mean).astype("float32")),
                runningVar=Ref(running_var, (0.9 * running_var + 0.1 * unbiased).astype("float32")), **common)
        f.check(**common)


@case("aclnnSyncBatchNormGatherStats")
def _(f):
    parts, mean, var, unbiased = joined(f)
    sums, squares = numpy.stack([part.sum(0) for part in parts]), numpy.stack([(part**2).sum(0) for part in parts])
    running_mean, running_var = f.rand((4,)), f.rand((4,), "float32", 0.5, 2.0)
    f.check(totalSum=sums, totalSquareSum=squares, sampleCount=numpy.array([3, 5, 2], "int32"), momentum=0.1, eps=1e-5,
            runningMean=Ref(running_mean, (0.9 * running_mean + 0.1 * mean).astype("float32")),
            runningVar=Ref(running_var, (0.9 * running_var + 0.1 * unbiased).astype("float32")),
            batchMean=mean.astype("float32"), batchInvstd=(1 / numpy.sqrt(var + 1e-5)).astype("float32"), tolerance=(1e-3, 1e-4))


for name in ["aclnnBatchNormGatherStatsWithCounts", "aclnnSyncBatchNormGatherStats"]:
    exempt(name, empty="without channels there is nothing to join")
