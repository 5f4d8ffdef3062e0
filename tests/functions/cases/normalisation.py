"""Layer norm, root-mean-square norm, group norm, and their gradients."""

import ml_dtypes
import numpy

from harness import Any, Ref, case, exempt

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
SHAPES = [((3, 5), (5,)), ((2, 3, 4), (3, 4)), ((2, 2, 70), (70,)), ((0, 4), (4,))]
LOOSE = {"float16": (5e-3, 2e-3), "bfloat16": (4e-2, 2e-2), "float32": (1e-4, 1e-5), "float64": (1e-10, 1e-10)}


def loose(dtype):
    return LOOSE[numpy.dtype(dtype).name]


def wide(dtype):
    return "float64" if numpy.dtype(dtype) == "float64" else "float32"


def normalised(x, shape, eps):
    """x of mean 0 and variance 1, mean, reciprocal of the deviation, in float64."""
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    x = x.astype("float64")
    mean = x.mean(axes, keepdims=True) if x.size else x.sum(axes, keepdims=True)
    rstd = 1 / numpy.sqrt(((x - mean) ** 2).sum(axes, keepdims=True) / max(numpy.prod(shape), 1) + eps)
    return (x - mean) * rstd, mean, rstd


@case("aclnnLayerNorm")
def _(f):
    for dtype in FLOATS:
        for dims, shape in SHAPES:
            x, weight, bias = f.rand(dims, dtype), f.rand(shape, dtype), f.rand(shape, dtype)
            y, mean, rstd = normalised(x, shape, 1e-5)
            stats = wide(dtype)
            common = dict(input=x, normalizedShape=list(shape), eps=1e-5, meanOut=mean.astype(stats), rstdOut=rstd.astype(stats), tolerance=loose(dtype))
            f.check(weight=weight, bias=bias, out=(y * weight.astype("float64") + bias.astype("float64")).astype(dtype), **common)
            f.check(weight=weight, out=(y * weight.astype("float64")).astype(dtype), **common)
            f.check(out=y.astype(dtype), **common)
    x = f.rand((4, 5))
    y, mean, _ = normalised(x, (5,), 1e-5)
    f.check(input=x, normalizedShape=[5], eps=1e-5, out=y.astype("float32"), tolerance=(1e-4, 1e-5))
    # Far from 0 the mean must not cost the digits of the variance.
    x = (f.rand((2, 300)) + 5000).astype("float32")
    y, mean, rstd = normalised(x, (300,), 1e-5)
    f.check(input=x, normalizedShape=[300], eps=1e-5, out=y.astype("float32"), tolerance=(1e-3, 1e-3))
    f.refuses(input=x, normalizedShape=[4], eps=1e-5, out=x)
    f.refuses(input=x, normalizedShape=[], eps=1e-5, out=x)


exempt("aclnnLayerNorm", zero_dim="at least one dimension is normalised")


@case("aclnnLayerNormBackward")
def _(f):
    for dtype in FLOATS:
        for dims, shape in SHAPES:
            for with_weight in [True, False]:
                x, grad, weight = f.rand(dims, dtype), f.rand(dims, dtype), f.rand(shape, dtype)
                y, mean, rstd = normalised(x, shape, 1e-5)
                axes = tuple(range(len(dims) - len(shape), len(dims)))
                g = grad.astype("float64") * (weight.astype("float64") if with_weight else 1)
                n = numpy.prod(shape)
                dx = rstd * (g - g.sum(axes, keepdims=True) / n - y * (g * y).sum(axes, keepdims=True) / n)
                lead = tuple(range(len(dims) - len(shape)))
                dw, db = (grad.astype("float64") * y).sum(lead), grad.astype("float64").sum(lead)
                stats = wide(dtype)
                common = dict(gradOut=grad, input=x, normalizedShape=list(shape), mean=mean.astype(stats), rstd=rstd.astype(stats),
                              weight=weight if with_weight else None, bias=weight if with_weight else None, tolerance=loose(dtype))
                f.check(outputMask=[True, True, True], gradInput=dx.astype(dtype), gradWeight=dw.astype(dtype), gradBias=db.astype(dtype), **common)
                f.check(outputMask=[True, False, False], gradInput=dx.astype(dtype), **common)
    f.refuses(gradOut=x, input=x, normalizedShape=list(shape), mean=mean, rstd=rstd, outputMask=[True], gradInput=x)


exempt("aclnnLayerNormBackward", zero_dim="at least one dimension is normalised")


def rms(x, shape, eps):
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    x = x.astype("float64")
    rstd = 1 / numpy.sqrt((x**2).sum(axes, keepdims=True) / numpy.prod(shape) + eps)
    return x * rstd, rstd


@case("aclnnRmsNorm", "aclnnGemmaRmsNorm")
def _(f):
    gemma = "Gemma" in f.name
    for dtype in FLOATS:
        for dims, shape in SHAPES:
            x, gamma = f.rand(dims, dtype), f.rand(shape, dtype)
            y, rstd = rms(x, shape, 1e-6)
            y = y * (gamma.astype("float64") + gemma)
            f.check(**{"self" if gemma else "x": x}, gamma=gamma, epsilon=1e-6, y=y.astype(dtype), rstd=rstd.astype(wide(dtype)), tolerance=loose(dtype))
    x = f.rand((3, 4))
    f.refuses(**{"self" if gemma else "x": x}, gamma=f.rand((3,)), epsilon=1e-6, y=x, rstd=f.rand((3, 1)))


for name in ["aclnnRmsNorm", "aclnnGemmaRmsNorm", "aclnnRmsNormGrad", "aclnnAddRmsNorm", "aclnnAddRmsNormCast", "aclnnInplaceAddRmsNorm", "aclnnAddLayerNorm",
             "aclnnAddLayerNormGrad"]:
    exempt(name, zero_dim="at least one dimension is normalised")


@case("aclnnRmsNormGrad")
def _(f):
    for dtype in FLOATS:
        for dims, shape in SHAPES:
            x, dy, gamma = f.rand(dims, dtype), f.rand(dims, dtype), f.rand(shape, dtype)
            y, rstd = rms(x, shape, 1e-6)
            axes = tuple(range(len(dims) - len(shape), len(dims)))
            g, x64 = dy.astype("float64") * gamma.astype("float64"), x.astype("float64")
            dx = rstd * (g - x64 * rstd**2 * (g * x64).sum(axes, keepdims=True) / numpy.prod(shape))
            dgamma = (dy.astype("float64") * y).sum(tuple(range(len(dims) - len(shape))))
            f.check(dy=dy, x=x, rstd=rstd.astype(wide(dtype)), gamma=gamma, dx=dx.astype(dtype), dgamma=dgamma.astype(wide(dtype)), tolerance=loose(dtype))


def sums(f):
    for dtype in FLOATS:
        for dims, shape in SHAPES:
            x1, x2, gamma = f.rand(dims, dtype), f.rand(dims, dtype), f.rand(shape, dtype)
            x = (x1.astype("float64") + x2.astype("float64")).astype(dtype)
            y, rstd = rms(x, shape, 1e-6)
            yield x1, x2, gamma, x, y * gamma.astype("float64"), rstd.astype(wide(dtype)), loose(dtype)


@case("aclnnAddRmsNorm")
def _(f):
    for x1, x2, gamma, x, y, rstd, tolerance in sums(f):
        f.check(x1=x1, x2=x2, gamma=gamma, epsilon=1e-6, y=y.astype(x.dtype), rstd=rstd, x=x, tolerance=tolerance)


@case("aclnnAddRmsNormCast")
def _(f):
    for x1, x2, gamma, x, y, rstd, tolerance in sums(f):
        f.check(x1=x1, x2=x2, gamma=gamma, epsilon=1e-6, y1=y.astype("float32"), y2=y.astype(x.dtype), rstd=rstd, x=x, tolerance=tolerance)


@case("aclnnInplaceAddRmsNorm")
def _(f):
    for x1, x2, gamma, x, y, rstd, tolerance in sums(f):
        f.check(x1Ref=Ref(x1, y.astype(x.dtype)), x2Ref=Ref(x2, x), gamma=gamma, epsilon=1e-6, rstd=rstd, tolerance=tolerance)


@case("aclnnAddLayerNorm")
def _(f):
    for dtype in FLOATS:
        for dims, shape in SHAPES:
            x1, x2, gamma, beta, bias = f.rand(dims, dtype), f.rand(dims, dtype), f.rand(shape, dtype), f.rand(shape, dtype), f.rand(shape, dtype)
            for add in [None, bias]:
                x = x1.astype("float64") + x2.astype("float64") + (0 if add is None else add.astype("float64"))
                y, mean, rstd = normalised(x, shape, 1e-5)
                y = y * gamma.astype("float64") + beta.astype("float64")
                common = dict(x1=x1, x2=x2, gamma=gamma, beta=beta, bias=add, epsilon=1e-5, y=y.astype(dtype), mean=mean.astype(wide(dtype)),
                              rstd=rstd.astype(wide(dtype)), tolerance=loose(dtype))
                f.check(additionalOutput=True, x=x.astype(dtype), **common)
                f.check(additionalOutput=False, x=Any(dims, dtype), **common)


@case("aclnnAddLayerNormGrad")
def _(f):
    for dims, shape in SHAPES:
        x1, x2, dy, dsum, gamma = f.rand(dims), f.rand(dims), f.rand(dims), f.rand(dims), f.rand(shape)
        y, mean, rstd = normalised(x1 + x2, shape, 1e-5)
        axes, lead = tuple(range(len(dims) - len(shape), len(dims))), tuple(range(len(dims) - len(shape)))
        g, n = dy.astype("float64") * gamma, numpy.prod(shape)
        dx = rstd * (g - g.sum(axes, keepdims=True) / n - y * (g * y).sum(axes, keepdims=True) / n)
        common = dict(dY=dy, x1=x1, x2=x2, rstd=rstd.astype("float32"), mean=mean.astype("float32"), gamma=gamma, dgamma=(dy * y).sum(lead).astype("float32"),
                      dbeta=dy.astype("float64").sum(lead).astype("float32"), tolerance=(1e-4, 1e-5))
        f.check(dSum=dsum, dx=(dx + dsum).astype("float32"), **common)
        f.check(dx=dx.astype("float32"), **common)


GROUPS = [((2, 6, 4, 3), 3), ((2, 4, 5), 2), ((3, 4), 4), ((1, 4, 700), 1), ((0, 4, 2), 2)]


def grouped(f, dtypes=("float32", "float16", "float64")):
    for dtype in dtypes:
        for shape, groups in GROUPS:
            x, gamma, beta = f.rand(shape, dtype), f.rand(shape[1:2], dtype), f.rand(shape[1:2], dtype)
            rows = x.reshape(shape[0], groups, int(numpy.prod(shape[1:])) // groups)
            y, mean, rstd = normalised(rows, rows.shape[2:], 1e-5)
            yield dtype, x, gamma, beta, groups, y.reshape(shape), mean[..., 0], rstd[..., 0]


def channel(array, like):
    return array.astype("float64").reshape((1, -1) + (1,) * (like.ndim - 2))


@case("aclnnGroupNorm")
def _(f):
    for dtype, x, gamma, beta, groups, y, mean, rstd in grouped(f):
        stats, (n, c) = wide(dtype), x.shape[:2]
        common = dict(self=x, N=n, C=c, HxW=int(numpy.prod(x.shape[2:])), group=groups, eps=1e-5, meanOut=mean.astype(stats), rstdOut=rstd.astype(stats),
                      tolerance=loose(dtype))
        f.check(gamma=gamma, beta=beta, out=(y * channel(gamma, x) + channel(beta, x)).astype(dtype), **common)
        f.check(out=y.astype(dtype), **common)
    x = f.rand((2, 4, 3))
    stats = f.rand((2, 3))
    f.refuses(self=x, N=2, C=4, HxW=3, group=3, eps=1e-5, out=x, meanOut=stats, rstdOut=stats)
    f.refuses(self=x, N=2, C=4, HxW=4, group=2, eps=1e-5, out=x, meanOut=stats, rstdOut=stats)
    f.refuses(self=x, N=2, C=4, HxW=3, group=0, eps=1e-5, out=x, meanOut=stats, rstdOut=stats)


@case("aclnnGroupNormSilu", "aclnnGroupNormSwish")
def _(f):
    silu = f.name.endswith("Silu")
    for dtype, x, gamma, beta, groups, y, mean, rstd in grouped(f, ["float32", "float16"]):
        y = y * channel(gamma, x) + channel(beta, x)
        mean, rstd = mean.astype("float32"), rstd.astype("float32")
        if silu:
            want = (y / (1 + numpy.exp(-y))).astype(dtype)
            f.check(input=x, weight=gamma, bias=beta, group=groups, eps=1e-5, out0=want, out1=mean, out2=rstd, tolerance=loose(dtype))
        else:
            common = dict(x=x, gamma=gamma, beta=beta, numGroups=groups, dataFormat="NCHW", eps=1e-5, mean=mean, rstd=rstd, tolerance=loose(dtype))
            f.check(activateSwish=True, swishScale=1.5, out=(y / (1 + numpy.exp(-1.5 * y))).astype(dtype), **common)
            f.check(activateSwish=False, swishScale=1.5, out=y.astype(dtype), **common)


@case("aclnnGroupNormBackward")
def _(f):
    for dtype, x, gamma, _, groups, y, mean, rstd in grouped(f, ["float32", "float64"]):
        grad = f.rand(x.shape, dtype)
        n, c = x.shape[:2]
        for weight in [gamma, None]:
            g = grad.astype("float64") * (1 if weight is None else channel(weight, x))
            rows = (n, groups, int(numpy.prod(x.shape[1:])) // groups)
            g, z = g.reshape(rows), y.reshape(rows)
            dx = rstd[..., None] * (g - g.sum(-1, keepdims=True) / rows[2] - z * (g * z).sum(-1, keepdims=True) / rows[2])
            axes = (0,) + tuple(range(2, x.ndim))
            common = dict(gradOut=grad, input=x, mean=mean.astype(dtype), rstd=rstd.astype(dtype), gamma=weight, N=n, C=c, HxW=int(numpy.prod(x.shape[2:])), group=groups,
                          tolerance=loose(dtype))
            f.check(outputMask=[True, True, True], gradInput=dx.reshape(x.shape).astype(dtype), gradGamma=(grad * y).sum(axes).astype(dtype),
                    gradBeta=grad.astype("float64").sum(axes).astype(dtype), **common)
            f.check(outputMask=[False, False, True], gradBeta=grad.astype("float64").sum(axes).astype(dtype), **common)


for name in ["aclnnGroupNorm", "aclnnGroupNormSilu", "aclnnGroupNormSwish", "aclnnGroupNormBackward"]:
    exempt(name, zero_dim="samples and channels are two dimensions")
