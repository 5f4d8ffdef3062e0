"""Reading by index."""

import ml_dtypes
import numpy

from harness import Ref, case, exempt

TYPES = ["float32", "float16", "int64", "int8", "bool", "complex128", ml_dtypes.bfloat16]


@case("aclnnIndexSelect")
def _(f):
    for dtype in TYPES:
        for kind in ["int64", "int32"]:
            x = f.rand((4, 5, 6), dtype)
            for dim in (0, 1, -1):
                index = f.rand((7,), kind, 0, 3)
                f.check(self=x, dim=dim, index=index, out=numpy.take(x, index, dim))
    x = f.rand((4, 5))
    f.check(self=x, dim=0, index=numpy.array([], "int64"), out=x[:0])
    f.check(self=x, dim=1, index=numpy.array(2), out=x[:, 2:3])
    f.check(self=x[:, :0], dim=0, index=numpy.array([1, 1]), out=x[[1, 1], :0])
    f.check(self=numpy.float32(3), dim=0, index=numpy.array([0]), out=numpy.float32(3))
    f.fails(self=x, dim=0, index=numpy.array([0, 4]), out=x[:2])
    f.fails(self=x, dim=0, index=numpy.array([0, -1]), out=x[:2])
    f.refuses(self=x, dim=2, index=numpy.array([0]), out=x)
    f.refuses(self=x, dim=0, index=numpy.array([0.5]), out=x[:1])


@case("aclnnGatherV2")
def _(f):
    x = f.rand((4, 5, 6))
    for dim in (0, 1, -1):
        for shape in [(7,), (), (2, 3), (0,), (2, 0)]:
            index = f.rand(shape, "int32", 0, 3)
            f.check(self=x, dim=dim, index=index, out=numpy.take(x, index, dim))
    f.check(self=x, dim=1, index=numpy.array([-1, 0]), out=x[:, [-1, 0]])
    f.check(self=x[:, :0], dim=0, index=numpy.array([1]), out=x[[1], :0])
    f.fails(self=x, dim=1, index=numpy.array([5]), out=x[:, :1])


@case("aclnnEmbedding")
def _(f):
    for dtype in ["float32", "float16", ml_dtypes.bfloat16]:
        for kind in ["int64", "int32"]:
            weight = f.rand((10, 300), dtype)
            for shape in [(4,), (2, 3), (), (0,), (2, 0)]:
                index = f.rand(shape, kind, 0, 9)
                f.check(weight=weight, indices=index, out=weight[index])
    f.fails(weight=weight, indices=numpy.array([10]), out=weight[:1])
    f.refuses(weight=weight, indices=numpy.array([1]), out=weight[:2])


@case("aclnnGather")
def _(f):
    for dtype in TYPES:
        x = f.rand((4, 5, 6), dtype)
        for dim in (0, 1, -1):
            index = f.rand((3, 5, 2), "int64", 0, 3)
            part = x[tuple(slice(None) if axis == dim % 3 else slice(size) for axis, size in enumerate(index.shape))]
            f.check(self=x, dim=dim, index=index, out=numpy.take_along_axis(part, index, dim))
    y = f.rand(())
    f.check(self=y, dim=0, index=numpy.array(0), out=y)
    f.check(self=f.rand((3, 4)), dim=0, index=numpy.zeros((0, 4), "int64"), out=numpy.zeros((0, 4), "float32"))
    f.fails(self=f.rand((3,)), dim=0, index=numpy.array([3]), out=f.rand((1,)))
    f.refuses(self=f.rand((3, 4)), dim=0, index=numpy.zeros((2, 5), "int64"), out=f.rand((2, 5)))
    f.refuses(self=f.rand((3, 4)), dim=0, index=numpy.zeros((2,), "int64"), out=f.rand((2,)))


@case("aclnnTake")
def _(f):
    x = f.rand((4, 5))
    for shape in [(7,), (2, 3), (), (0, 2)]:
        index = f.rand(shape, "int64", -20, 19)
        f.check(self=x, index=index, out=numpy.take(x, index))
    f.check(self=f.rand(()) * 0, index=numpy.array([0, -1]), out=numpy.zeros(2, "float32"))
    f.fails(self=x, index=numpy.array([20]), out=f.rand((1,)))


@case("aclnnGatherNd")
def _(f):
    x = f.rand((3, 4, 5))
    for shape in [(2, 1), (2, 3, 2), (6, 3), (3,), (0, 2), (2, 0)]:
        index = f.rand(shape, "int64", 0, 2)
        f.check(self=x, indices=index, negativeIndexSupport=False, out=x[tuple(numpy.moveaxis(index, -1, 0))] if shape[-1] else numpy.broadcast_to(x, (2, 3, 4, 5)))
    f.check(self=x, indices=numpy.array([[-1, 1]]), negativeIndexSupport=True, out=x[[-1], [1]])
    f.fails(self=x, indices=numpy.array([[-1, 1]]), negativeIndexSupport=False, out=x[[-1], [1]])
    f.refuses(self=x, indices=numpy.zeros((2, 4), "int64"), negativeIndexSupport=False, out=f.rand((2,)))


exempt("aclnnGatherNd", zero_dim="the last dimension of the indices holds tuples")


def absent(x):
    return numpy.zeros((0,), x.dtype)


def selections(f, x):
    """Index lists, and what numpy takes for them."""
    a, b = f.rand((6,), "int64", -4, 3), f.rand((6,), "int64", 0, 3)
    c = f.rand((2, 6), "int64", 0, 3)
    whole, none = slice(None), absent(x)
    yield [a], (a,)
    yield [none, a], (whole, a)
    yield [a, b], (a, b)
    yield [none, a, b], (whole, a, b)
    yield [a, none, b], (a, whole, b)
    yield [c, b], (c, b)
    yield [None, None, c], (whole, whole, c)
    yield [numpy.array(2)], (numpy.array(2),)
    yield [a[:, None], b[None]], (a[:, None], b[None])
    yield [a.astype("int32")], (a,)
    mask = f.rand(x.shape[:1], bool)
    yield [mask], (mask,)
    mask = f.rand(x.shape[1:3], bool)
    yield [none, mask], (whole, mask)
    mask = f.rand(x.shape, bool)
    yield [mask], (mask,)
    yield [numpy.zeros(x.shape, bool)], (numpy.zeros(x.shape, bool),)


@case("aclnnIndex")
def _(f):
    for dtype in TYPES:
        x = f.rand((4, 5, 6), dtype)
        for indices, taken in selections(f, x):
            f.check(self=x, indices=indices, out=x[taken])
    x = f.rand((4, 5))
    f.check(self=x, indices=[numpy.zeros((0,), "int64")], out=x[:0])
    f.check(self=x[:, :0], indices=[numpy.array([1, 1])], out=x[[1, 1], :0])
    y = f.rand((4,), "int64")
    f.check(self=y, indices=[numpy.zeros((0,), "int64")], out=y[:0])
    z = f.rand((4, 5), "int64")
    f.check(self=z, indices=[numpy.zeros((0,), "int64"), numpy.array([1, 2])], out=z[:, [1, 2]])
    f.fails(self=x, indices=[numpy.array([0, 4])], out=x[:2])
    f.fails(self=x, indices=[numpy.array([0, -5])], out=x[:2])
    f.fails(self=x, indices=[numpy.array([True, False, True, True])], out=x[:2])
    f.refuses(self=x, indices=[numpy.array([0])] * 3, out=x)
    f.refuses(self=x, indices=[numpy.array([0])], out=x)


@case("aclnnIndexPutImpl")
def _(f):
    for dtype in TYPES:
        x = f.rand((4, 5, 6), dtype)
        for indices, taken in selections(f, x):
            values = f.rand(x[taken].shape, dtype)
            want = x.copy()
            # The last one of several for the same place stays.
            places = numpy.arange(x.size).reshape(x.shape)[taken].reshape(-1)
            for place, value in zip(places, values.reshape(-1)):
                want.reshape(-1)[place] = value
            f.check(selfRef=Ref(x, want), indices=indices, values=values, accumulate=False, unsafe=False)
    for dtype in ["float32", "int64", "float16", "complex64"]:
        x = f.rand((4, 5, 6), dtype)
        for indices, taken in selections(f, x):
            values = f.rand(x[taken].shape, dtype)
            want = x.astype("complex128" if dtype == "complex64" else "float64")
            numpy.add.at(want, taken, values)
            f.check(selfRef=Ref(x, want.astype(dtype)), indices=indices, values=values, accumulate=True, unsafe=False, tolerance=(1e-2, 1e-2) if dtype == "float16" else None)
    x = f.rand((4, 5))
    want = x.copy()
    want[[1, 3]] = 7
    f.check(selfRef=Ref(x, want), indices=[numpy.array([1, 3])], values=numpy.float32(7), accumulate=False, unsafe=False)
    mask = numpy.array([True, False, True, True])
    want = x.copy()
    want[mask] = 7
    f.check(selfRef=Ref(x, want), indices=[mask], values=numpy.array([7], "float32"), accumulate=False, unsafe=False)
    f.check(selfRef=Ref(x, want), indices=[mask], values=numpy.full((3, 1), 7, "float32"), accumulate=False, unsafe=False)
    f.check(selfRef=Ref(x, x), indices=[numpy.zeros((0,), "int64")], values=numpy.zeros((0, 5), "float32"), accumulate=False, unsafe=False)
    f.fails(selfRef=Ref(x, x), indices=[numpy.array([4])], values=numpy.zeros((1, 5), "float32"), accumulate=False, unsafe=False)
    f.fails(selfRef=Ref(x, x), indices=[mask], values=numpy.zeros((2, 5), "float32"), accumulate=False, unsafe=False)
    f.refuses(selfRef=Ref(x, x), indices=[numpy.array([4, 1])], values=numpy.zeros((3, 5), "float32"), accumulate=False, unsafe=False)
