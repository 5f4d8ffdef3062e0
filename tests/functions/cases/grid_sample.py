"""Reading images at given places. The reference reads one place at a time; gradients are compared with differences."""

import itertools
import math

import numpy

from harness import case, exempt


def mirrored(place, size, align):
    if align:
        low, high = 0.0, size - 1.0
    else:
        low, high = -0.5, size - 0.5
    if high == low:
        return 0.0
    while place < low or place > high:
        place = 2 * low - place if place < low else 2 * high - place
    return place


def brought_inside(place, size, outside, align):
    if outside == 2:
        place = mirrored(place, size, align)
    return min(max(place, 0.0), size - 1.0) if outside else place


def curve(t):
    t, a = abs(t), -0.75
    return (a + 2) * t**3 - (a + 3) * t**2 + 1 if t <= 1 else a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def taps(coordinate, size, between, outside, align):
    place = (coordinate + 1) / 2 * (size - 1) if align else ((coordinate + 1) * size - 1) / 2
    if between == 2:
        low = math.floor(place)
        return [(int(brought_inside(at, size, outside, align)), curve(place - at)) for at in range(low - 1, low + 3)]
    place = brought_inside(place, size, outside, align)
    if between == 1:
        return [(round(place), 1.0)]
    low = math.floor(place)
    return [(low, low + 1 - place), (low + 1, place - low)]


def sample(x, grid, between, outside, align):
    x, grid = x.astype("float64"), grid.astype("float64")
    size = x.shape[2:]
    out = numpy.zeros(x.shape[:2] + grid.shape[1:-1])
    for n in range(x.shape[0]):
        for at in itertools.product(*map(range, grid.shape[1:-1])):
            axes = [taps(c, s, between, outside, align) for c, s in zip(grid[(n, *at)][::-1], size)]
            for place in itertools.product(*axes):
                index = [one[0] for one in place]
                if all(0 <= i < s for i, s in zip(index, size)):
                    out[(n, slice(None), *at)] += x[(n, slice(None), *index)] * math.prod(one[1] for one in place)
    return out


SHAPES = {2: ((2, 3, 4, 5), (2, 3, 4, 2)), 3: ((2, 2, 3, 4, 3), (2, 2, 3, 2, 3))}


def modes(axes):
    return itertools.product([0, 1, 2] if axes == 2 else [0, 1], [0, 1, 2], [False, True])


@case("aclnnGridSampler2D", "aclnnGridSampler3D")
def _(f):
    axes = int(f.name[-2])
    out = "out" if axes == 2 else "out0"
    image, grid = SHAPES[axes]
    for dtype in ["float32", "float64", "float16"]:
        for between, outside, align in modes(axes):
            if between == 1 and dtype == "float16":
                continue
            x, g = f.rand(image, dtype), f.rand(grid, dtype, -1.7, 1.7)
            f.check(input=x, grid=g, interpolationMode=between, paddingMode=outside, alignCorners=align, tolerance={"float32": (1e-4, 1e-5)}.get(dtype),
                    **{out: sample(x, g, between, outside, align).astype(dtype)})
    x, g = f.rand((0, *image[1:])), f.rand((0, *grid[1:]))
    f.check(input=x, grid=g, interpolationMode=0, paddingMode=0, alignCorners=False, **{out: numpy.zeros((0, image[1], *grid[1:-1]), "float32")})
    f.refuses(input=x, grid=g, interpolationMode=3, paddingMode=0, alignCorners=False, **{out: numpy.zeros((0, image[1], *grid[1:-1]), "float32")})
    f.refuses(input=f.rand((2, 3)), grid=g, interpolationMode=0, paddingMode=0, alignCorners=False, **{out: x})


@case("aclnnGridSampler2DBackward", "aclnnGridSampler3DBackward")
def _(f):
    axes = 2 if "2D" in f.name else 3
    names = ("inputGrad", "gridGrad") if axes == 2 else ("dinput", "dgrid")
    image, grid = SHAPES[axes]
    for between, outside, align in modes(axes):
        x, g = f.rand(image, "float64"), f.rand(grid, "float64", -1.4, 1.4)
        slope = f.rand((*image[:2], *grid[1:-1]), "float64")
        # The images enter linearly: each element's gradient is what an image with only that element gives.
        count = math.prod(image[2:])
        basis = numpy.broadcast_to(numpy.eye(count).reshape(1, count, *image[2:]), (image[0], count, *image[2:]))
        weights = sample(basis, g, between, outside, align).reshape(image[0], count, -1)
        of_image = numpy.einsum("nep,ncp->nce", weights, slope.reshape(*image[:2], -1)).reshape(image)
        of_grid = numpy.zeros(grid)
        for axis in range(axes):
            step = numpy.zeros(axes)
            step[axis] = 1e-6
            change = sample(x, g + step, between, outside, align) - sample(x, g - step, between, outside, align)
            of_grid[..., axis] = (change * slope).sum(1) / 2e-6
        given = {"gradOutput": slope, "input": x, "grid": g, "interpolationMode": between, "paddingMode": outside, "alignCorners": align}
        f.check(outputMask=[True, True], tolerance=(1e-5, 1e-6), **given, **{names[0]: of_image, names[1]: of_grid})
        f.check(outputMask=[True, False], tolerance=(1e-5, 1e-6), **given, **{names[0]: of_image})
        single = {name: value.astype("float32") if isinstance(value, numpy.ndarray) else value for name, value in given.items()}
        if between != 1:
            f.check(outputMask=[False, True], tolerance=(1e-2, 2e-3), **single, **{names[1]: of_grid.astype("float32")})
    empty = {"gradOutput": slope[:0], "input": x[:0], "grid": g[:0], "interpolationMode": 0, "paddingMode": 0, "alignCorners": False}
    f.check(outputMask=[True, True], **empty, **{names[0]: x[:0], names[1]: g[:0]})
    f.refuses(161001, outputMask=[True, True], **empty)


@case("aclnnAffineGrid")
def _(f):
    for size in [(2, 3, 4, 5), (2, 3, 1, 5), (2, 1, 3, 4, 2), (0, 3, 4, 5)]:
        for align in [False, True]:
            for dtype in ["float32", "float16"]:
                axes = len(size) - 2
                theta = f.rand((size[0], axes, axes + 1), dtype)
                lines = [numpy.linspace(-1, 1, s) * (1 if align else (s - 1) / s) if s > 1 else numpy.zeros(1) for s in size[2:]]
                places = numpy.stack([*numpy.meshgrid(*lines, indexing="ij")[::-1], numpy.ones(size[2:])], -1)
                want = numpy.einsum("...j,nij->n...i", places, theta.astype("float64")).astype(dtype)
                f.check(theta=theta, size=list(size), alignCorners=align, out=want, tolerance=(2e-3, 2e-3) if dtype == "float16" else None)
    f.refuses(theta=theta, size=[2, 3], alignCorners=False, out=want)


for name in ["GridSampler2D", "GridSampler3D", "GridSampler2DBackward", "GridSampler3DBackward", "AffineGrid"]:
    exempt("aclnn" + name, zero_dim="images have at least four axes")
