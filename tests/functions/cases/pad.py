"""Padding, flipping, rolling."""

import numpy

from harness import case, exempt


@case("aclnnFlip")
def _(f):
    for shape, dims in [((3, 4), (0,)), ((2, 3, 4), (0, -1)), ((2, 3, 4), (1,)), ((), (0,)), ((3,), ()), ((0, 3), (0, 1)), ((5,), (0,))]:
        for dtype in ["float32", "float16", "int8", "complex128"]:
            x = f.rand(shape, dtype)
            f.check(self=x, dims=dims, out=numpy.flip(x, dims if x.ndim else ()))
    f.refuses(self=f.rand((2, 3)), dims=(0, -2), out=f.rand((2, 3)))
    f.refuses(self=f.rand((2, 3)), dims=(2,), out=f.rand((2, 3)))


@case("aclnnRoll")
def _(f):
    for shape, shifts, dims in [((3, 4), (1,), (0,)), ((3, 4), (-1, 7), (1, 0)), ((2, 3, 4), (5,), ()), ((5,), (2,), ()), ((), (3,), (0,)), ((0, 3), (1,), (1,)),
                                ((3, 4), (1, 2), (0, 0)), ((3, 4), (0,), (0,)), ((), (1,), ())]:
        x = f.rand(shape)
        f.check(self=x, shifts=shifts, dims=dims, out=numpy.roll(x, shifts, dims) if x.ndim and dims else numpy.roll(x, sum(shifts)))
    f.refuses(self=f.rand((2, 3)), shifts=(1, 2), dims=(0,), out=f.rand((2, 3)))


@case("aclnnConstantPadNd")
def _(f):
    x = f.rand((3, 4, 5))
    for pad, widths in [((1, 2), [(0, 0), (0, 0), (1, 2)]), ((1, 0, 0, 3), [(0, 0), (0, 3), (1, 0)]), ((), [(0, 0)] * 3), ((0, 0, 0, 0, 2, 1), [(2, 1), (0, 0), (0, 0)])]:
        f.check(self=x, pad=pad, value=1.5, out=numpy.pad(x, widths, constant_values=1.5))
    f.check(self=x, pad=(-1, -2), value=0.0, out=x[..., 1:3])
    f.check(self=x, pad=(-1, 2), value=9.0, out=numpy.pad(x[..., 1:], [(0, 0), (0, 0), (0, 2)], constant_values=9))
    f.check(self=x, pad=(-5, 3), value=9.0, out=numpy.full((3, 4, 3), 9, "float32"))
    f.check(self=numpy.zeros((0, 2), "int64"), pad=(0, 0, 1, 1), value=2**40, out=numpy.full((2, 2), 2**40))
    f.check(self=numpy.array([True]), pad=(1, 1), value=0.5, out=numpy.array([True] * 3))
    y = f.rand(())
    f.check(self=y, pad=(), value=0, out=y)
    f.refuses(self=x, pad=(1,), value=0, out=x)
    f.refuses(self=x, pad=(-3, -3), value=0, out=x)


def padded(mode, axes):
    def run(f):
        shapes = {1: [(2, 3, 5), (3, 5), (0, 3, 5)], 2: [(2, 3, 5, 6), (3, 5, 6), (0, 3, 5, 6)], 3: [(2, 3, 5, 6, 4), (3, 5, 6, 4), (0, 2, 5, 6, 4)]}[axes]
        paddings = [[2, 3, 1, 0, 0, 2][: 2 * axes], [0] * (2 * axes), [-1, 2, 0, -2, 1, 1][: 2 * axes]]
        for shape in shapes:
            for padding in paddings:
                for dtype in ["float32", "float16", "int32"]:
                    x = f.rand(shape, dtype)
                    f.check(self=x, padding=padding, out=pad(x, padding, mode))
        f.refuses(self=f.rand((3,) * (axes + 1)), padding=[1], out=f.rand((3,) * (axes + 1)))
        if mode == "reflect":
            f.refuses(self=f.rand((3,) * (axes + 1)), padding=[3, 0] + [0] * (2 * axes - 2), out=f.rand((3,) * axes + (6,)))

    return run


def pad(x, padding, mode):
    """Negative padding cuts: the indices of a wider padding, cut afterwards."""
    for number in range(len(padding) // 2):
        before, after = padding[2 * number : 2 * number + 2]
        axis = x.ndim - 1 - number
        widths = [(0, 0)] * x.ndim
        widths[axis] = (max(before, 0), max(after, 0))
        if x.size:
            x = numpy.pad(x, widths, mode=mode)
        else:
            x = numpy.zeros([size + sum(width) for size, width in zip(x.shape, widths)], x.dtype)
        cut = slice(max(-before, 0), x.shape[axis] - max(-after, 0))
        x = x[(slice(None),) * axis + (cut,)]
    return x


def padded_backward(mode, axes):
    def run(f):
        shapes = {1: [(2, 3, 5), (0, 3, 5)], 2: [(2, 3, 5, 6), (3, 5, 6), (0, 3, 5, 6)], 3: [(2, 3, 5, 6, 4), (0, 2, 5, 6, 4)]}[axes]
        for shape in shapes:
            for padding in [[2, 3, 1, 0, 0, 2][: 2 * axes], [0] * (2 * axes)]:
                for dtype in ["float32", "float16"]:
                    x = f.rand(shape, dtype)
                    places = pad(numpy.arange(x.size).reshape(shape), padding, mode)
                    grad = f.rand(places.shape, dtype)
                    want = numpy.bincount(places.reshape(-1), grad.reshape(-1).astype("float64"), x.size).reshape(shape)
                    f.check(gradOutput=grad, self=x, padding=padding, gradInput=want.astype(dtype))
        f.refuses(gradOutput=f.rand((3,) * (axes + 1)), self=f.rand((3,) * (axes + 1)), padding=[1, 0] + [0] * (2 * axes - 2), gradInput=f.rand((3,) * (axes + 1)))

    return run


for kind, how in (("Reflection", "reflect"), ("Replication", "edge")):
    for count in (1, 2, 3):
        case(f"aclnn{kind}Pad{count}d")(padded(how, count))
        case(f"aclnn{kind}Pad{count}dBackward")(padded_backward(how, count))
        exempt(f"aclnn{kind}Pad{count}d", zero_dim="what is padded has dimensions")
        exempt(f"aclnn{kind}Pad{count}dBackward", zero_dim="what is padded has dimensions")
