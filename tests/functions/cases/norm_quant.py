"""Norms whose results are quantised."""

import ml_dtypes
import numpy

from harness import Any, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]

for name in ["AddRmsNormQuant", "AddRmsNormQuantV2", "AddRmsNormDynamicQuantV2", "DeepNorm"]:
    exempt(f"aclnn{name}", zero_dim="at least one axis is normalised")


def wide(array):
    return array.astype("float64")


def rms(x, gamma, epsilon, beta=0.0):
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    mean = (x**2).sum(axes, keepdims=True) / max(gamma.size, 1)
    return x / numpy.sqrt(mean + epsilon) * wide(gamma) + beta


def clear(values):
    """Whether no number is so close to the middle of two integers that single precision could decide otherwise."""
    return bool((numpy.abs(values - numpy.floor(values) - 0.5) > 1e-3).all())


def draw(attempt):
    """What `attempt` gives, tried until its rounding is beyond doubt: it returns the numbers before rounding first."""
    while True:
        unrounded, *rest = attempt()
        if clear(numpy.concatenate([numpy.ravel(one) for one in unrounded])):
            return rest


def to_int8(x):
    return numpy.clip(numpy.rint(x), -128, 127).astype("int8")


SHAPES = [((3, 8), (8,)), ((2, 3, 6), (3, 6)), ((5,), (5,)), ((0, 4), (4,)), ((2, 0), (0,))]


def static(f, version2):
    for dtype in FLOATS:
        for shape, normalised in SHAPES:
            for second in [False, True]:
                for divide in [False, True]:
                    for zero in [None, "int32", dtype]:
                        def attempt():
                            given = {"x1": f.rand(shape, dtype), "x2": f.rand(shape, dtype), "gamma": f.rand(normalised, dtype)}
                            total = wide(given["x1"]) + wide(given["x2"])
                            plain = rms(total, given["gamma"], 1e-5)
                            whole = plain
                            if version2 and second:
                                given["beta"] = f.rand(normalised, dtype)
                                whole = plain + wide(given["beta"])
                            results = []
                            for number in ["1", "2"][: 1 + second]:
                                given["scales" + number] = scales = f.rand(normalised if divide else (1,), dtype, 0.02, 0.1) if divide else f.rand((1,), dtype, 10, 90)
                                scaled = whole / wide(scales) if divide else whole * wide(scales)
                                if zero:
                                    given["zeroPoints" + number] = points = f.rand(scales.shape, zero, -9, 9)
                                    scaled = scaled + wide(points)
                                results.append(scaled)
                            return results, given, total, plain, results

                        given, total, plain, results = draw(attempt)
                        given["xOut"] = total.astype(dtype)
                        if version2:
                            given["rmsnormOut"] = plain.astype(dtype)
                        for number, result in zip("12", results):
                            given["y" + number] = to_int8(result)
                        if not second:
                            given["y2"] = Any(shape, "int8")
                        f.check(axis=-1, epsilon=1e-5, divMode=divide, **given)
    x, one = f.rand((3, 8)), numpy.ones(1, "float32")
    fine = {"x1": x, "x2": x, "gamma": f.rand((8,)), "scales1": one, "epsilon": 1e-5, "divMode": True, "y1": Any((3, 8), "int8"), "xOut": Any((3, 8), "float32")}
    f.refuses(axis=0, **fine)
    f.refuses(axis=-1, **fine | {"gamma": f.rand((7,))})
    f.refuses(axis=-1, **fine | {"scales1": f.rand((7,))})
    f.refuses(axis=-1, **fine | {"y1": Any((3, 8), "uint8")})
    f.refuses(axis=-1, zeroPoints2=one, **fine)
    f.refuses(161001, axis=-1, scales2=one, **fine)


@case("aclnnAddRmsNormQuant")
def _(f):
    static(f, False)


@case("aclnnAddRmsNormQuantV2")
def _(f):
    static(f, True)


def by_row(x):
    most = numpy.abs(x).max(-1, initial=0)
    scale = most / 127
    with numpy.errstate(all="ignore"):
        return numpy.where(scale[..., None] == 0, 0, x / scale[..., None]), scale.astype("float32")


@case("aclnnAddRmsNormDynamicQuantV2")
def _(f):
    for dtype in FLOATS:
        for shape in [(3, 8), (2, 3, 6), (5,), (0, 4), (2, 0)]:
            for smooth in [(), ("1",), ("1", "2")]:
                for mask in [None, [True, True], [True, False], [False, True]]:
                    def attempt():
                        given = {"x1": f.rand(shape, dtype), "x2": f.rand(shape, dtype), "gamma": f.rand(shape[-1:], dtype)}
                        if mask:
                            given["beta"] = f.rand(shape[-1:], dtype)
                        total = wide(given["x1"]) + wide(given["x2"])
                        normed = rms(total, given["gamma"], 1e-5, wide(given["beta"]) if mask else 0.0)
                        results = []
                        for number in "12":
                            factor = 1.0
                            if number in smooth:
                                given["smoothScale" + number] = f.rand(shape[-1:], dtype, 0.5, 2)
                                factor = wide(given["smoothScale" + number])
                            results.append(by_row(normed * factor))
                        return [result for result, _ in results], given, total, results

                    given, total, results = draw(attempt)
                    shown = mask or [True, smooth == ("1", "2")]
                    for number, wanted, (y, scale) in zip("12", shown, results):
                        given["y" + number] = to_int8(y) if wanted else Any((1,), "int8")
                        given["scale" + number] = scale if wanted else Any((1,), "float32")
                    f.check(epsilon=1e-5, outputMask=mask, x=total.astype(dtype), **given)
    zeros = numpy.zeros((2, 4), "float32")
    f.check(x1=zeros, x2=zeros, gamma=zeros[0], epsilon=1e-5, y1=zeros.astype("int8"), scale1=zeros[:, 0], x=zeros)
    f.refuses(161001, x1=zeros, x2=zeros, gamma=zeros[0], epsilon=1e-5, x=zeros)
    f.refuses(x1=zeros, x2=zeros, gamma=zeros[0], epsilon=1e-5, outputMask=[True], y1=Any((2, 4), "int8"), scale1=Any((2,), "float32"), x=zeros)
    f.refuses(x1=zeros, x2=zeros, gamma=zeros, epsilon=1e-5, y1=Any((2, 4), "int8"), scale1=Any((), "float32"), x=zeros)


@case("aclnnDeepNorm")
def _(f):
    for dtype in FLOATS:
        for shape, normalised in [((3, 8), (8,)), ((2, 3, 6), (3, 6)), ((0, 4), (4,))]:
            x, gx, beta, gamma = f.rand(shape, dtype), f.rand(shape, dtype), f.rand(normalised, dtype), f.rand(normalised, dtype)
            total = numpy.float64(numpy.float32(0.3)) * wide(x) + wide(gx)
            axes = tuple(range(len(shape) - len(normalised), len(shape)))
            mean = total.sum(axes, keepdims=True) / gamma.size
            rstd = 1 / numpy.sqrt(((total - mean) ** 2).sum(axes, keepdims=True) / gamma.size + 1e-6)
            y = (total - mean) * rstd * wide(gamma) + wide(beta)
            f.check(x=x, gx=gx, beta=beta, gamma=gamma, alpha=0.3, epsilon=1e-6, mean=mean.astype("float32"), rstd=rstd.astype("float32"), y=y.astype(dtype))
    f.refuses(x=x, gx=gx[:, :3], beta=beta, gamma=gamma, alpha=0.3, epsilon=1e-6, mean=Any((0, 1), "float32"), rstd=Any((0, 1), "float32"), y=Any((0, 4), dtype))
    f.refuses(x=x, gx=gx, beta=beta[:3], gamma=gamma, alpha=0.3, epsilon=1e-6, mean=Any((0, 1), "float32"), rstd=Any((0, 1), "float32"), y=Any((0, 4), dtype))
