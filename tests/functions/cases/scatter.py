"""Writing by index."""

import ml_dtypes
import numpy

from harness import Ref, case, exempt

JOIN = {0: lambda old, new: new, 1: lambda old, new: old + new, 2: lambda old, new: old * new}


def scattered(x, dim, index, source, reduction):
    """One after the other, in the precision that is rounded to after each step."""
    result = numpy.atleast_1d(x).copy()
    index, source = numpy.atleast_1d(index), numpy.broadcast_to(source, numpy.atleast_1d(source).shape)
    for at in numpy.ndindex(*index.shape):
        to = list(at)
        to[dim] = index[at]
        result[tuple(to)] = JOIN[reduction](result[tuple(to)], source[at])
    return result.reshape(x.shape)


def scatters(f, call, reductions=(0, 1, 2)):
    for reduction in reductions:
        for dtype in ["float32", "float16", "int32", "uint8", "bool", "complex64", ml_dtypes.bfloat16]:
            x = f.rand((4, 5, 3), dtype)
            for dim in (0, -2, 2):
                index = f.rand((3, 4, 3), "int64", 0, 2)
                source = f.rand((3, 5, 3), dtype)
                with numpy.errstate(over="ignore"):
                    call(x, dim, index, source, reduction, scattered(x, dim, index, source, reduction))
        y = f.rand(())
        call(y, 0, numpy.array(0), numpy.array(2, "float32"), reduction, scattered(y, 0, numpy.array(0), numpy.array(2, "float32"), reduction))
        call(y, -1, numpy.array([0], "int32"), numpy.array([2], "float32"), reduction, scattered(y, 0, numpy.array([0]), numpy.array([2], "float32"), reduction))
        x = f.rand((2, 3))
        call(x, 0, numpy.zeros((0, 3), "int64"), numpy.zeros((0, 3), "float32"), reduction, x)


@case("aclnnScatter")
def _(f):
    scatters(f, lambda x, dim, index, source, reduction, want: f.check(self=x, dim=dim, index=index, src=source, reduction=reduction, out=want))
    x = f.rand((3,))
    f.fails(self=x, dim=0, index=numpy.array([3]), src=f.rand((1,)), reduction=0, out=x)
    f.fails(self=x, dim=0, index=numpy.array([-1]), src=f.rand((1,)), reduction=0, out=x)
    f.refuses(self=x, dim=0, index=numpy.array([0, 1]), src=f.rand((1,)), reduction=0, out=x)
    f.refuses(self=x, dim=0, index=numpy.array([0]), src=f.rand((1,)), reduction=3, out=x)


@case("aclnnInplaceScatter")
def _(f):
    scatters(f, lambda x, dim, index, source, reduction, want: f.check(selfRef=Ref(x, want), dim=dim, index=index, src=source, reduction=reduction))


@case("aclnnScatterAdd")
def _(f):
    scatters(f, lambda x, dim, index, source, reduction, want: f.check(self=x, dim=dim, index=index, src=source, out=want), (1,))
    # The order of the index decides how sums are rounded.
    big = numpy.array([1e8, 1.0, -1e8, 1.0], "float32")
    f.check(self=numpy.zeros(1, "float32"), dim=0, index=numpy.zeros(4, "int64"), src=big, out=numpy.array([1.0], "float32"))


@case("aclnnScatterValue")
def _(f):
    for reduction in (0, 1, 2):
        for shape, dim in [((4, 5), 0), ((4, 5), -1), ((), 0)]:
            x = f.rand(shape)
            index = f.rand(shape, "int64", 0, min(shape, default=1) - 1)
            want = scattered(x, dim, index, numpy.full(shape, 2.5, "float32"), reduction)
            f.check(self=x, dim=dim, index=index, value=2.5, reduction=reduction, out=want)
    x = f.rand((2, 3))
    f.check(self=x, dim=0, index=numpy.zeros((0, 3), "int64"), value=1, reduction=0, out=x)


@case("aclnnInplaceScatterValue")
def _(f):
    for reduction in (0, 1, 2):
        for shape, dim in [((4, 5), 0), ((), 0), ((0, 2), 0)]:
            for dtype in ["float32", "int64"]:
                x = f.rand(shape, dtype)
                index = f.rand(shape, "int64", 0, max(min(shape, default=1) - 1, 0))
                want = scattered(x, dim, index, numpy.full(shape, 2, dtype), reduction)
                f.check(selfRef=Ref(x, want), dim=dim, index=index, value=2, reduction=reduction)


def rows(f, call):
    """Rows along an axis: shapes, axes and indices."""
    for dtype in ["float32", "float16", "int64"]:
        for shape, dim, count in [((4, 5, 6), 0, 3), ((4, 5, 6), 1, 4), ((4, 5, 6), -1, 5), ((4,), 0, 2), ((4, 0), 0, 2), ((4, 5), 0, 0)]:
            x = f.rand(shape, dtype)
            for kind in ["int64", "int32"]:
                index = f.random.permutation(shape[dim])[:count].astype(kind)
                source = f.rand([count if axis == dim % len(shape) else size for axis, size in enumerate(shape)], dtype)
                call(x, dim, index, source)
    x = f.rand(())
    call(x, 0, numpy.array([0]), numpy.array([2], "float32"))
    call(x, -1, numpy.array(0), numpy.array(2, "float32"))


def changed(x, dim, index, source, join):
    result = numpy.atleast_1d(x).copy()
    source = numpy.moveaxis(numpy.atleast_1d(source), dim, 0)
    for number, place in enumerate(numpy.atleast_1d(index)):
        moved = numpy.moveaxis(result, dim, 0)
        moved[place] = join(moved[place], source[number])
    return result.reshape(x.shape)


@case("aclnnIndexAdd")
def _(f):
    rows(f, lambda x, dim, index, source: f.check(self=x, dim=dim, index=index, source=source, alpha=1, out=changed(x, dim, index, source, lambda old, new: old + new)))
    rows(f, lambda x, dim, index, source: f.check(self=x, dim=dim, index=index, source=source, alpha=3, out=changed(x, dim, index, source, lambda old, new: old + new * 3)))
    x, source = f.rand((3, 2)), f.rand((4, 2))
    index = numpy.array([1, 1, 0, 1])
    f.check(self=x, dim=0, index=index, source=source, alpha=1, out=changed(x, 0, index, source, lambda old, new: old + new))
    f.fails(self=x, dim=0, index=numpy.array([3]), source=source[:1], alpha=1, out=x)
    f.refuses(self=x, dim=0, index=index, source=source[:2], alpha=1, out=x)


@case("aclnnIndexAddV2")
def _(f):
    for mode in (0, 1):
        rows(f, lambda x, dim, index, source, mode=mode: f.check(self=x, dim=dim, index=index, source=source, alpha=2, mode=mode,
                                                                 out=changed(x, dim, index, source, lambda old, new: old + new * 2)))
    x = f.rand((3, 2))
    f.refuses(self=x, dim=0, index=numpy.array([1]), source=x[:1], alpha=1, mode=2, out=x)
    f.fails(self=x, dim=0, index=numpy.array([3]), source=x[:1], alpha=1, mode=0, out=x)


@case("aclnnIndexCopy")
def _(f):
    rows(f, lambda x, dim, index, source: f.check(self=x, dim=dim, index=index, source=source, out=changed(x, dim, index, source, lambda old, new: new)))
    x = f.rand((3, 2))
    f.fails(self=x, dim=0, index=numpy.array([-1]), source=x[:1], out=x)


@case("aclnnInplaceIndexCopy")
def _(f):
    rows(f, lambda x, dim, index, source: f.check(selfRef=Ref(x, changed(x, dim, index, source, lambda old, new: new)), dim=dim, index=index, source=source))
    x = f.rand((3, 2))
    f.check(selfRef=Ref(x, numpy.array([x[0], x[0] * 0 + 2, x[2]])), dim=0, index=numpy.array([1, 1]), source=numpy.array([[1, 1], [2, 2]], "float32"))


def fills(f, call):
    for shape, dim, index in [((4, 5), 0, [1, 3]), ((4, 5), -1, [0, -1]), ((), 0, [0]), ((3, 0), 0, [1]), ((3, 2), 0, [])]:
        for dtype in ["float32", "int32", "float16"]:
            x = f.rand(shape, dtype)
            want = numpy.atleast_1d(x).copy()
            numpy.moveaxis(want, dim, 0)[numpy.array(index, "int64")] = 7
            call(x, dim, index, want.reshape(shape))


@case("aclnnIndexFillTensor")
def _(f):
    fills(f, lambda x, dim, index, want: f.check(self=x, dim=dim, index=index, valueScalar=7, out=want))
    f.fails(self=f.rand((3,)), dim=0, index=[3], valueScalar=7, out=f.rand((3,)))


@case("aclnnInplaceIndexFillTensor")
def _(f):
    fills(f, lambda x, dim, index, want: f.check(selfRef=Ref(x, want), dim=dim, index=index, value=7))


@case("aclnnInplaceIndexFill")
def _(f):
    fills(f, lambda x, dim, index, want: f.check(selfRef=Ref(x, want), dim=dim, index=numpy.array(index, "int64"), valueScalar=7))


@case("aclnnInplacePut")
def _(f):
    for shape in [(4, 5), (0,), ()]:
        for accumulate in (False, True):
            x = f.rand(shape)
            index = f.rand((2, 3) if x.size else (0,), "int64", -x.size, x.size - 1) if x.size else numpy.zeros((0,), "int64")
            source = f.rand(index.shape)
            want = x.copy().reshape(-1)
            for place, value in zip(index.reshape(-1), source.reshape(-1)):
                want[place] = want[place] + value if accumulate else value
            f.check(selfRef=Ref(x, want.reshape(shape)), index=index, source=source, accumulate=accumulate)
    x = f.rand((4,))
    f.fails(selfRef=Ref(x, x), index=numpy.array([4]), source=f.rand((1,)), accumulate=False)
    f.refuses(selfRef=Ref(x, x), index=numpy.array([1, 2]), source=f.rand((1,)), accumulate=False)


def tuples(f, call):
    x = f.rand((3, 4, 5))
    for shape in [(2, 1), (2, 3, 2), (6, 3), (3,), (0, 2)]:
        for kind in ["int64", "int32"]:
            index = f.rand(shape, kind, 0, 2)
            updates = f.rand(shape[:-1] + x.shape[shape[-1] :])
            want = x.copy()
            for at in numpy.ndindex(*shape[:-1]):
                want[tuple(index[at])] = updates[at]
            call(x, index, updates, want)


@case("aclnnScatterNd")
def _(f):
    tuples(f, lambda x, index, updates, want: f.check(data=x, indices=index, updates=updates, out=want))
    x = f.rand((3, 2))
    f.fails(data=x, indices=numpy.array([[3]]), updates=x[:1], out=x)
    f.refuses(data=x, indices=numpy.array([[1]]), updates=x, out=x)


@case("aclnnScatterNdUpdate")
def _(f):
    tuples(f, lambda x, index, updates, want: f.check(varRef=Ref(x, want), indices=index, updates=updates))


for name in ["aclnnScatterNd", "aclnnScatterNdUpdate"]:
    exempt(name, zero_dim="the last dimension of the indices holds tuples")


@case("aclnnInplaceScatterUpdate")
def _(f):
    for count in (1, 3):
        for dtype in ["float32", "float16", "int8"]:
            x, index = f.rand((2, 3, 8, 4), dtype), numpy.array([5, 0])
            updates = f.rand((2, 3, count, 4), dtype)
            want = x.copy()
            for batch, start in enumerate(index):
                want[batch, :, start : start + count] = updates[batch]
            f.check(selfRef=Ref(x, want), indices=index, updates=updates, axis=-2)
    x = f.rand((0, 3, 4))
    f.check(selfRef=Ref(x, x), indices=numpy.zeros((0,), "int64"), updates=x[:, :1], axis=1)
    x = f.rand((2, 3, 4))
    f.fails(selfRef=Ref(x, x), indices=numpy.array([0, 2]), updates=x[:, :2], axis=1)
    f.refuses(selfRef=Ref(x, x), indices=numpy.array([0]), updates=x[:, :2], axis=1)


exempt("aclnnInplaceScatterUpdate", zero_dim="a batch and an axis are two dimensions")


@case("aclnnEmbeddingDenseBackward")
def _(f):
    for dtype in ["float32", "float16", ml_dtypes.bfloat16]:
        for kind in ["int64", "int32"]:
            for shape in [(7,), (2, 5), (), (0,), (3, 0)]:
                for padding, scale in [(2**64 - 1, False), (2, False), (1, True)]:
                    index = f.rand(shape, kind, 0, 4)
                    grad = f.rand(shape + (6,), dtype)
                    want = numpy.zeros((5, 6))
                    flat = index.reshape(-1)
                    for place, row in zip(flat, grad.reshape(-1, 6).astype("float64")):
                        if place != padding:
                            want[place] += row / (numpy.count_nonzero(flat == place) if scale else 1)
                    f.check(grad=grad, indices=index, numWeights=5, paddingIdx=padding, scaleGradByFreq=scale, out=want.astype(dtype))
    f.fails(grad=f.rand((1, 2)), indices=numpy.array([5]), numWeights=5, paddingIdx=2**64 - 1, scaleGradByFreq=False, out=f.rand((5, 2)))
    f.refuses(grad=f.rand((2, 2)), indices=numpy.array([1]), numWeights=5, paddingIdx=2**64 - 1, scaleGradByFreq=False, out=f.rand((5, 2)))
