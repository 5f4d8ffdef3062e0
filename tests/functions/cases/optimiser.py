"""Steps of optimisers, compared with the same step in float64."""

import numpy

from harness import Ref, case

SHAPES = [(3, 4), (0, 2), (), (1500,)]
LOOSE = {"float32": (2e-5, 1e-6), "float16": (3e-3, 1e-3), "float64": (1e-10, 1e-11)}


def adam_w(var, m, v, most, grad, powers, lr, beta1, beta2, decay, eps, maximize):
    var, m, v, grad = (one.astype("float64") for one in (var, m, v, grad))
    grad = -grad if maximize else grad
    var = var * (1 - lr * decay)
    m, v = beta1 * m + (1 - beta1) * grad, beta2 * v + (1 - beta2) * grad**2
    spread = v
    if most is not None:
        spread = most = numpy.maximum(most, v)
    var = var - lr / (1 - powers[0]) * m / (numpy.sqrt(spread) / numpy.sqrt(1 - powers[1]) + eps)
    return var, m, v, most


@case("aclnnApplyAdamWV2")
def _(f):
    for dtype in ["float32", "float16", "float64"]:
        for shape in SHAPES:
            for amsgrad in [False, True]:
                for maximize in [False, True]:
                    var, m, grad = f.rand(shape, dtype), f.rand(shape, dtype), f.rand(shape, dtype)
                    v, most = f.rand(shape, dtype, 0.1, 1.0), f.rand(shape, dtype, 0.1, 1.0)
                    after = adam_w(var, m, v, most if amsgrad else None, grad, (0.9**3, 0.99**3), 0.01, 0.9, 0.99, 0.1, 1e-8, maximize)
                    changed = [Ref(before, numpy.asarray(now).astype(dtype)) for before, now in zip((var, m, v, most), after) if now is not None]
                    for step in [numpy.array([2], "float32"), numpy.array(2, "int64")]:
                        f.check(var=changed[0], m=changed[1], v=changed[2], maxGradNorm=changed[3] if amsgrad else None, grad=grad, step=step, lr=0.01, beta1=0.9,
                                beta2=0.99, weightDecay=0.1, eps=1e-8, amsgrad=amsgrad, maximize=maximize, tolerance=LOOSE[dtype])
    x = f.rand((3,))
    same = Ref(x, x)
    f.refuses(var=same, m=same, v=same, grad=x, step=numpy.float32(1), lr=0.01, beta1=0.9, beta2=0.99, weightDecay=0.1, eps=1e-8, amsgrad=True, maximize=False)


@case("aclnnApplyAdamW")
def _(f):
    for dtype in ["float32", "float64"]:
        for shape in SHAPES:
            for amsgrad in [False, True]:
                var, m, grad = f.rand(shape, dtype), f.rand(shape, dtype), f.rand(shape, dtype)
                v, most = f.rand(shape, dtype, 0.1, 1.0), f.rand(shape, dtype, 0.1, 1.0)
                numbers = dict(beta1Power=0.729, beta2Power=0.97, lr=0.01, weightDecay=0.1, beta1=0.9, beta2=0.99, epsilon=1e-8)
                after = adam_w(var, m, v, most if amsgrad else None, grad, (0.729, 0.97), 0.01, 0.9, 0.99, 0.1, 1e-8, False)
                changed = [Ref(before, numpy.asarray(now).astype(dtype)) for before, now in zip((var, m, v, most), after) if now is not None]
                f.check(var=changed[0], m=changed[1], v=changed[2], maxGradNorm=changed[3] if amsgrad else None, grad=grad, amsgrad=amsgrad, maximize=False,
                        tolerance=LOOSE[dtype], **{name: numpy.array([number], dtype) for name, number in numbers.items()})


@case("aclnnFusedSgd")
def _(f):
    for dtype in ["float32", "float16"]:
        for nesterov in [False, True]:
            for maximize in [False, True]:
                for first in [False, True]:
                    for scale in [None, numpy.array([2.0], "float32")]:
                        params, grads, buffers = [], [], []
                        for shape in SHAPES:
                            param, grad, buffer = f.rand(shape, dtype), f.rand(shape, dtype), f.rand(shape, dtype)
                            g = grad.astype("float64") / (1 if scale is None else 2.0)
                            slope = (-g if maximize else g) + 0.1 * param.astype("float64")
                            moved = slope if first else 0.9 * buffer.astype("float64") + 0.75 * slope
                            slope = slope + 0.9 * moved if nesterov else moved
                            params.append(Ref(param, numpy.asarray(param.astype("float64") - 0.01 * slope).astype(dtype)))
                            grads.append(Ref(grad, numpy.asarray(g).astype(dtype)))
                            buffers.append(Ref(buffer, numpy.asarray(moved).astype(dtype)))
                        f.check(params=params, grads=grads, momentumBufferList=buffers, gradScale=scale, weightDecay=0.1, momentum=0.9, lr=0.01, dampening=0.25,
                                nesterov=nesterov, maximize=maximize, isFirstStep=first, tolerance=LOOSE[dtype])
    x = f.rand((3,))
    f.check(params=[Ref(x, x - numpy.float32(0.5) * x)], grads=[Ref(x, x)], weightDecay=0.0, momentum=0.0, lr=0.5, dampening=0.0, nesterov=False, maximize=False,
            isFirstStep=False)
    f.refuses(params=[Ref(x, x)], grads=[], weightDecay=0.0, momentum=0.9, lr=0.5, dampening=0.0, nesterov=False, maximize=False, isFirstStep=False)
