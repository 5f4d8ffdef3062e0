"""Tensors whose elements follow from numbers."""

import ml_dtypes
import numpy

from harness import Ref, Typed, case, exempt

SHAPES = [(3, 4), (0, 3), (), (2, 3, 4)]
ALL = ["float32", "float16", "float64", "int64", "int32", "int8", "uint8", "bool", ml_dtypes.bfloat16, "complex64"]


@case("aclnnInplaceFillScalar")
def _(f):
    for dtype in ALL:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            for value in (0, 1, 2.5):
                number = numpy.array(value) != 0 if dtype == "bool" else int(value) if numpy.dtype(dtype).kind in "iu" else value
                f.check(selfRef=Ref(x, numpy.full(shape, number, dtype)), value=value)
    f.check(selfRef=Ref(numpy.zeros(2, "int64"), numpy.full(2, 2**62 + 1)), value=2**62 + 1)
    f.check(selfRef=Ref(numpy.zeros(2, "float32"), numpy.full(2, 0.25, "float32")), value=Typed(0.25, "float32"))
    f.check(selfRef=Ref(numpy.zeros(2, "complex64"), numpy.full(2, 1 + 2j, "complex64")), value=1 + 2j)
    f.check(selfRef=Ref(numpy.zeros(2, "float32"), numpy.full(2, -numpy.inf, "float32")), value=float("-inf"))


@case("aclnnInplaceFillTensor")
def _(f):
    for shape in SHAPES:
        for one in [(), (1,)]:
            f.check(selfRef=Ref(f.rand(shape), numpy.full(shape, 2.5, "float32")), other=numpy.full(one, 2.5, "float32"))
    f.check(selfRef=Ref(f.rand((3,), "int32"), numpy.full((3,), 2, "int32")), other=numpy.array(2.5))
    f.refuses(selfRef=Ref(f.rand((3,)), f.rand((3,))), other=f.rand((2,)))


@case("aclnnInplaceZero")
def _(f):
    for dtype in ALL:
        for shape in SHAPES:
            f.check(selfRef=Ref(f.rand(shape, dtype), numpy.zeros(shape, dtype)))


@case("aclnnInplaceOne")
def _(f):
    for dtype in ALL:
        for shape in SHAPES:
            f.check(selfRef=Ref(f.rand(shape, dtype), numpy.ones(shape, dtype)))


@case("aclnnInplaceFillDiagonal")
def _(f):
    for shape in [(3, 4), (4, 3), (9, 3), (8, 3), (3, 3, 3), (0, 3), (5, 1)]:
        for wrap in (False, True):
            x = f.rand(shape)
            want = x.copy()
            if x.ndim == 2 and x.size:
                numpy.fill_diagonal(want, 7, wrap)
                if not wrap:
                    want = x.copy()
                    for place in range(min(shape)):
                        want[place, place] = 7
            elif x.size:
                for place in range(3):
                    want[place, place, place] = 7
            f.check(selfRef=Ref(x, want), fill=7, wrap=wrap)
    f.refuses(selfRef=Ref(f.rand((3,)), f.rand((3,))), fill=1, wrap=False)
    f.refuses(selfRef=Ref(f.rand((3, 3, 4)), f.rand((3, 3, 4))), fill=1, wrap=False)


exempt("aclnnInplaceFillDiagonal", zero_dim="a diagonal needs two dimensions")


@case("aclnnEye")
def _(f):
    for rows, columns in [(3, 4), (4, 3), (0, 3), (1, 1)]:
        for dtype in ["float32", "int64", "bool", "float16"]:
            f.check(n=rows, m=columns, out=numpy.eye(rows, columns, dtype=dtype))
    f.refuses(n=3, m=3, out=numpy.eye(4))


@case("aclnnArange")
def _(f):
    for start, end, step, dtype in [(0, 5, 1, "int64"), (2, 11, 3, "int32"), (5, 0, -2, "float32"), (0.5, 2.0, 0.25, "float32"), (0, 0, 1, "float32"), (-3, 4, 1, "float16"),
                                    (2**40, 2**40 + 3, 1, "int64"), (0, 700, 1, "float64"), (0.0, 1.0, 0.1, "float64")]:
        f.check(start=start, end=end, step=step, out=numpy.arange(start, end, step).astype(dtype))
    f.refuses(start=0, end=5, step=0, out=numpy.zeros(5))
    f.refuses(start=0, end=5, step=-1, out=numpy.zeros(5))
    f.refuses(start=0, end=5, step=1, out=numpy.zeros(9))


@case("aclnnRange")
def _(f):
    for start, end, step, dtype in [(0, 5, 1, "int64"), (2, 11, 3, "int32"), (5, 1, -2, "float32"), (0.5, 2.0, 0.25, "float32"), (3, 3, 1, "float32")]:
        count = int(numpy.floor((end - start) / step)) + 1
        f.check(start=start, end=end, step=step, out=(start + step * numpy.arange(count)).astype(dtype))
    f.refuses(start=0, end=5, step=0, out=numpy.zeros(5))


@case("aclnnLinspace")
def _(f):
    for start, end, steps in [(0, 1, 5), (3.0, -2.0, 7), (1, 5, 1), (1, 5, 0), (-1.5, 1.5, 1000)]:
        for dtype in ["float32", "float64", "float16"]:
            f.check(start=start, end=end, steps=steps, out=numpy.linspace(start, end, steps).astype(dtype))
    f.check(start=0, end=10, steps=5, out=numpy.array([0, 2, 5, 7, 10], "int32"))
    f.check(start=4.3, end=-3, steps=4, out=numpy.array([4, 1, 0, -3], "int64"))
    f.refuses(start=0, end=1, steps=-1, out=numpy.zeros(3))


for name in ["Eye", "Arange", "Range", "Linspace"]:
    exempt(f"aclnn{name}", empty="there is no input", zero_dim="there is no input")


@case("aclnnOneHot")
def _(f):
    for shape, axis in [((4,), -1), ((2, 3), 1), ((2, 3), 0), ((), -1), ((0, 2), -1)]:
        for dtype in ["int64", "int32"]:
            index = f.rand(shape, dtype, 0, 4)
            want = numpy.moveaxis(numpy.eye(5, dtype="int64")[index], -1, axis)
            f.check(self=index, numClasses=5, onValue=numpy.array([1]), offValue=numpy.array([0]), axis=axis, out=want)
    index = numpy.array([0, 7, -1, 2])
    want = numpy.full((4, 3), 0.5, "float32")
    want[0, 0] = want[3, 2] = 2
    f.check(self=index, numClasses=3, onValue=numpy.array([2.0], "float32"), offValue=numpy.array([0.5], "float32"), axis=-1, out=want)
    f.refuses(self=index, numClasses=3, onValue=numpy.array([1, 2]), offValue=numpy.array([0]), axis=-1, out=numpy.zeros((4, 3), "int64"))


def triangles(function):
    def run(f):
        for shape in [(4, 4), (3, 5), (2, 5, 3), (0, 4), (2, 0, 3)]:
            for diagonal in (0, 1, -2, 10, -10):
                for dtype in ["float32", "float16", "bool", "int64", "complex128"]:
                    x = f.rand(shape, dtype)
                    want = function(x, diagonal)
                    if "Inplace" in f.name:
                        f.check(selfRef=Ref(x, want), diagonal=diagonal)
                    else:
                        f.check(self=x, diagonal=diagonal, out=want)
        x = f.rand((3,))
        if "Inplace" in f.name:
            f.refuses(selfRef=Ref(x, x), diagonal=0)
        else:
            f.refuses(self=x, diagonal=0, out=x)

    return run


for name, function in [("Tril", numpy.tril), ("Triu", numpy.triu)]:
    for prefix in ("", "Inplace"):
        case(f"aclnn{prefix}{name}")(triangles(function))
        exempt(f"aclnn{prefix}{name}", zero_dim="a triangle needs two dimensions")


@case("aclnnIsInTensorScalar")
def _(f):
    for shape in SHAPES:
        for dtype in ["int64", "float32"]:
            x = f.rand(shape, dtype)
            for invert in (False, True):
                f.check(element=x, testElements=1, assumeUnique=False, invert=invert, out=(x == 1) != invert)


@case("aclnnIsInScalarTensor")
def _(f):
    for shape in SHAPES:
        x = f.rand(shape, "int64")
        for number in (1, 50):
            for invert in (False, True):
                f.check(element=number, testElements=x, assumeUnique=False, invert=invert, out=numpy.array((number in x) != invert))
