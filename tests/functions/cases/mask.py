"""Elements that a mask selects."""

import ml_dtypes
import numpy

from harness import Ref, Wanted, case

SHAPES = [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((2, 3, 4), (3, 1)), ((0, 3), (0, 3)), ((), ()), ((3,), ())]
TYPES = ["float32", "float16", "int64", "bool", "complex64", ml_dtypes.bfloat16]


@case("aclnnInplaceMaskedFillScalar")
def _(f):
    for dtype in TYPES:
        for shape, smaller in SHAPES:
            x, mask = f.rand(shape, dtype), f.rand(smaller, bool)
            f.check(selfRef=Ref(x, numpy.where(mask, numpy.array(2).astype(dtype), x)), mask=mask, value=2)
    x, mask = f.rand((3, 4)), f.rand((3, 4), bool)
    f.check(selfRef=Ref(x, numpy.where(mask, numpy.float32("-inf"), x)), mask=mask, value=float("-inf"))
    f.check(selfRef=Ref(x, numpy.where(mask, numpy.float32(1), x)), mask=mask.astype("uint8") * 255, value=1.0)
    f.refuses(selfRef=Ref(x, x), mask=f.rand((2, 4), bool), value=1)
    f.refuses(selfRef=Ref(x, x), mask=f.rand((2, 3, 4), bool), value=1)


@case("aclnnInplaceMaskedFillTensor")
def _(f):
    for dtype in TYPES:
        for shape, smaller in SHAPES:
            x, mask = f.rand(shape, dtype), f.rand(smaller, bool)
            for one in ((), (1,)):
                f.check(selfRef=Ref(x, numpy.where(mask, numpy.array(2).astype(dtype), x)), mask=mask, value=numpy.full(one, 2, dtype))
    f.refuses(selfRef=Ref(x, x), mask=f.rand((3,), bool), value=f.rand((2,)))


@case("aclnnInplaceMaskedScatter")
def _(f):
    for dtype in TYPES:
        for shape, smaller in SHAPES:
            x, mask = f.rand(shape, dtype), f.rand(smaller, bool)
            source = f.rand((5, 6), dtype)
            want = numpy.array(x)
            wide = numpy.broadcast_to(mask, shape)
            want[wide] = source.reshape(-1)[: numpy.count_nonzero(wide)]
            f.check(selfRef=Ref(x, want), mask=mask, source=source)
    x = f.rand((4,))
    f.fails(selfRef=Ref(x, x), mask=numpy.ones(4, bool), source=f.rand((3,)))
    f.check(selfRef=Ref(x, x), mask=numpy.zeros(4, bool), source=numpy.zeros((0,), "float32"))


@case("aclnnMaskedSelect")
def _(f):
    for dtype in TYPES:
        for shape, smaller in SHAPES + [((3, 1), (1, 4))]:
            x, mask = f.rand(shape, dtype), f.rand(smaller, bool)
            wide = numpy.broadcast_shapes(shape, smaller)
            want = numpy.broadcast_to(x, wide)[numpy.broadcast_to(mask, wide)]
            f.check(self=x, mask=mask, out=Wanted((int(numpy.prod(wide)),), want))
    x = f.rand((4,))
    f.check(self=x, mask=numpy.ones(4, bool), out=Wanted((4,), x))
    f.check(self=x, mask=numpy.zeros(4, bool), out=Wanted((4,), x[:0]))
    f.fails(self=x, mask=numpy.ones(4, bool), out=Wanted((3,), x[:3]))
    f.refuses(self=x, mask=numpy.ones(3, bool), out=Wanted((4,), x))
    f.refuses(self=x, mask=x, out=Wanted((4,), x))


@case("aclnnNonzero", "aclnnNonzeroV2")
def _(f):
    for dtype in ["float32", "int32", "bool", "float16", "complex64"]:
        for shape in [(3, 4), (2, 3, 4), (5,), (0, 3), (70, 9)]:
            x = f.rand(shape, dtype) * f.rand(shape, "bool").astype(dtype)
            want = numpy.argwhere(x)
            if f.name.endswith("V2"):
                f.check(self=x, out=Wanted((x.ndim, x.size), want.T))
            else:
                f.check(self=x, out=Wanted((x.size, x.ndim), want))
    x = numpy.array([numpy.nan, 0.0, -0.0, 1e-45], "float32")
    places = numpy.array([[0], [3]])
    y = numpy.float32(3)
    if f.name.endswith("V2"):
        f.check(self=x, out=Wanted((1, 4), places.T))
        f.check(self=y, out=Wanted((0, 1), numpy.zeros((0, 1), "int64")))
        f.refuses(self=x, out=Wanted((4, 1), places))
    else:
        f.check(self=x, out=Wanted((4, 1), places))
        f.check(self=y, out=Wanted((1, 0), numpy.zeros((1, 0), "int64")))
        f.refuses(self=x, out=Wanted((1, 4), places))
