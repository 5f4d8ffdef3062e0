"""Copies: conversion, joining, taking apart, and other orders of the same elements."""

import ml_dtypes
import numpy

from harness import TYPES, Ref, case, exempt

TYPES_TO_COPY = ["float32", "float16", "float64", "int64", "int32", "int16", "int8", "uint8", "bool", ml_dtypes.bfloat16, "complex64", "complex128"]
SHAPES = [(3, 4), (2, 3, 4, 5), (0, 3), (), (1,), (70, 33)]


def convert(array, dtype):
    """As C converts: the integer part, != 0, the real part."""
    dtype = numpy.dtype(dtype)
    if array.dtype.kind == "c" and dtype.kind != "c":
        if dtype == bool:
            return array != 0
        array = array.real
    if dtype == bool:
        return array != 0
    if dtype.kind in "iu" and array.dtype.kind not in "iub":
        return numpy.trunc(array.astype("float64")).astype("int64").astype(dtype)
    return array.astype(dtype)


@case("aclnnInplaceCopy")
def _(f):
    for dtype in TYPES_TO_COPY:
        for shape in SHAPES:
            x = f.rand(shape, dtype, -100, 100)
            f.check(selfRef=Ref(numpy.zeros(shape, dtype), x), src=x)
    for source in TYPES_TO_COPY:
        for target in TYPES_TO_COPY:
            x = f.rand((3, 5), source, 0 if target == "uint8" else -100, 100)
            f.check(selfRef=Ref(numpy.zeros((3, 5), target), convert(x, target)), src=x)
    for shape, wide in [((), (3, 4)), ((4,), (3, 4)), ((3, 1), (2, 3, 4)), ((1, 3), (0, 3)), ((5, 1), (5, 300))]:
        x = f.rand(shape)
        f.check(selfRef=Ref(numpy.zeros(wide, "float32"), numpy.broadcast_to(x, wide)), src=x)
    for shape in [(1,), (1, 1)]:
        x = f.rand(shape)
        f.check(selfRef=Ref(numpy.zeros((), "float32"), x.reshape(())), src=x)
    f.refuses(selfRef=f.rand((1,)), src=f.rand((1, 1)))
    odd = numpy.array([numpy.nan, numpy.inf, -0.0, 0.5], "float32")
    f.check(selfRef=Ref(numpy.zeros(4, bool), numpy.array([True, True, False, True])), src=odd)
    big = numpy.array([2**62 + 1, -(2**63)], "int64")
    f.check(selfRef=Ref(numpy.zeros(2, "int64"), big), src=big)
    for shape in [(130, 70), (3, 130, 70), (64, 64, 3)]:
        x = f.rand(shape)
        f.check(selfRef=Ref(numpy.zeros(shape, "float32"), x), src=x)
    f.refuses(selfRef=Ref(numpy.zeros((3,), "float32"), numpy.zeros((3,))), src=numpy.zeros((1, 3), "float32"))
    f.refuses(selfRef=Ref(numpy.zeros((3,), "float32"), numpy.zeros((3,))), src=numpy.zeros((2,), "float32"))
    f.refuses(161001, selfRef=None, src=numpy.zeros((2,), "float32"))


@case("aclnnCast")
def _(f):
    for source in TYPES_TO_COPY:
        for target in TYPES_TO_COPY:
            for shape in [(7, 90), (0, 2), ()]:
                x = f.rand(shape, source, 0 if target == "uint8" else -100, 100)
                f.check(self=x, dtype=TYPES[numpy.dtype(target)], out=convert(x, target))
    x = numpy.array([1.0, 2.5, 65504.0, 1e-7, -65520.0, 3e38], "float32")
    with numpy.errstate(over="ignore"):
        f.check(self=x, dtype=1, out=x.astype("float16"))
    f.check(self=x, dtype=27, out=x.astype(ml_dtypes.bfloat16))
    f.refuses(self=x, dtype=1, out=x)
    f.refuses(self=x, dtype=0, out=x[:2])


@case("aclnnCat")
def _(f):
    for dtype in ["float32", "float16", "int64", "bool", "complex128"]:
        parts = [f.rand((3, size, 4), dtype) for size in (2, 0, 5)]
        f.check(tensors=parts, dim=1, out=numpy.concatenate(parts, 1))
        f.check(tensors=parts, dim=-2, out=numpy.concatenate(parts, 1))
    a, b = f.rand((2, 3)), f.rand((2, 3))
    f.check(tensors=[a, numpy.zeros((0,), "float32"), b], dim=0, out=numpy.concatenate([a, b]))
    f.check(tensors=[a.astype("int32"), b], dim=1, out=numpy.concatenate([a.astype("int32"), b], 1).astype("float32"))
    f.check(tensors=[numpy.zeros((0,), "float32")], dim=0, out=numpy.zeros((0,), "float32"))
    f.refuses(tensors=[a, f.rand((2, 4))], dim=0, out=f.rand((4, 3)))
    f.refuses(tensors=[a, b], dim=2, out=f.rand((4, 3)))
    f.refuses(tensors=[f.rand(()), f.rand(())], dim=0, out=f.rand((2,)))


exempt("aclnnCat", zero_dim="tensors without dimensions cannot be concatenated")


@case("aclnnStack")
def _(f):
    for shape, dims in [((3, 4), (0, 1, 2, -1, -3)), ((), (0, -1)), ((0, 2), (0, 2))]:
        parts = [f.rand(shape) for _ in range(3)]
        for dim in dims:
            f.check(tensors=parts, dim=dim, out=numpy.stack(parts, dim))
    f.refuses(tensors=[f.rand((2,)), f.rand((3,))], dim=0, out=f.rand((2, 3)))
    f.refuses(tensors=[f.rand((2,)), f.rand((2,))], dim=3, out=f.rand((2, 2)))


@case("aclnnChunkCat")
def _(f):
    for shapes, dim, chunks in [([(5, 2, 3), (4, 2, 3), (1, 2, 3)], 0, 3), ([(7,), (2,), (3,)], 0, 4), ([(2, 5, 3), (2, 4, 3)], 1, 2), ([(0, 3), (4, 3)], 0, 2)]:
        tensors = [f.rand(shape) for shape in shapes]
        parts = []
        for x in tensors:
            pad = -x.shape[dim] % chunks
            x = numpy.pad(x, [(0, pad if axis == dim else 0) for axis in range(x.ndim)])
            width = x.size // (int(numpy.prod(x.shape[:dim])) * chunks)
            parts.append(x.reshape(*x.shape[:dim], chunks, width))
        f.check(tensors=tensors, dim=dim, numChunks=chunks, out=numpy.concatenate(parts, dim + 1))
    f.refuses(tensors=[f.rand((3,))], dim=0, numChunks=0, out=f.rand((3,)))


exempt("aclnnChunkCat", zero_dim="a tensor without dimensions has no chunks")


@case("aclnnPermute")
def _(f):
    for shape, dims in [((3, 4), (1, 0)), ((2, 3, 4, 5), (0, 2, 1, 3)), ((2, 3, 4), (-1, 0, 1)), ((0, 3), (1, 0)), ((), ()), ((40, 3, 70), (2, 1, 0))]:
        for dtype in ["float32", "int8", "complex128"]:
            x = f.rand(shape, dtype)
            f.check(self=x, dims=dims, out=x.transpose([dim % max(x.ndim, 1) for dim in dims]))
    f.refuses(self=f.rand((2, 3)), dims=(0, 0), out=f.rand((2, 2)))
    f.refuses(self=f.rand((2, 3)), dims=(0,), out=f.rand((2,)))


@case("aclnnExpand")
def _(f):
    for shape, size, wide in [((3, 1), (3, 4), (3, 4)), ((3, 1), (-1, 4), (3, 4)), ((), (2,), (2,)), ((4,), (2, 3, -1), (2, 3, 4)), ((1, 0), (3, 0), (3, 0))]:
        x = f.rand(shape)
        f.check(self=x, size=size, out=numpy.broadcast_to(x, wide))
    f.refuses(self=f.rand((3,)), size=(4,), out=f.rand((4,)))
    f.refuses(self=f.rand((3, 1)), size=(3,), out=f.rand((3,)))


@case("aclnnRepeat")
def _(f):
    for shape, repeats in [((3, 4), (2, 3)), ((3,), (2, 1, 4)), ((), (3,)), ((2, 3), (0, 2)), ((0, 3), (2, 2)), ((), ()), ((2, 2), (1, 1))]:
        x = f.rand(shape)
        f.check(self=x, repeats=repeats, out=numpy.tile(x, repeats))
    f.refuses(self=f.rand((2, 3)), repeats=(2,), out=f.rand((2, 6)))
    f.refuses(self=f.rand((2,)), repeats=(-1,), out=f.rand((2,)))


@case("aclnnSlice")
def _(f):
    x = f.rand((5, 7))
    for dim, start, end, step in [(0, 1, 4, 1), (1, 0, 7, 2), (1, -3, 100, 1), (-1, 2, -1, 3), (0, 3, 1, 1), (1, -100, 2, 1), (1, 6, 7, 50)]:
        f.check(self=x, dim=dim, start=start, end=end, step=step, out=x[start:end:step] if dim % 2 == 0 else x[:, start:end:step])
    f.check(self=f.rand((0, 3)), dim=0, start=0, end=5, step=1, out=numpy.zeros((0, 3), "float32"))
    f.refuses(self=x, dim=0, start=0, end=2, step=0, out=x[:2])
    f.refuses(self=x, dim=2, start=0, end=2, step=1, out=x[:2])


exempt("aclnnSlice", zero_dim="a tensor without dimensions cannot be sliced")


@case("aclnnSliceV2")
def _(f):
    x = f.rand((5, 7, 3))
    f.check(self=x, starts=(1, -3), ends=(4, 2**62), axes=(0, 1), steps=(2, 1), out=x[1:4:2, -3:])
    f.check(self=x, starts=(0,), ends=(2,), axes=(-1,), steps=(1,), out=x[:, :, :2])
    f.check(self=x[:0], starts=(0,), ends=(2,), axes=(-1,), steps=(1,), out=x[:0, :, :2])
    f.refuses(self=x, starts=(0, 1), ends=(2,), axes=(-1,), steps=(1,), out=x)


exempt("aclnnSliceV2", zero_dim="a tensor without dimensions cannot be sliced")


@case("aclnnStridedSlice")
def _(f):
    x = f.rand((5, 7, 3))

    def slices(starts, ends, steps, out, x=x, **masks):
        named = {name + "Mask": masks.get(name, 0) for name in ("begin", "end", "ellipsis", "newAxis", "shrinkAxis")}
        f.check(self=x, begin=starts, end=ends, strides=steps, out=out, **named)

    slices((1, 2), (4, 6), (1, 2), x[1:4, 2:6:2])
    slices((4, -1), (0, 1), (-1, -2), x[4:0:-1, -1:1:-2])
    slices((4, 5), (0, 1), (-2, -1), x[::-2, 5::-1], begin=1, end=3)
    slices((0, 1), (0, 2), (1, 1), x[..., 1:2], ellipsis=1)
    slices((2, 0, 1), (3, 0, 3), (1, 1, 1), x[2, None, 1:3], shrinkAxis=1, newAxis=2)
    slices((), (), (), x)
    slices((3,), (1,), (1,), x[3:1])
    slices((0,), (2,), (1,), x[:0][0:2], x=x[:0])
    y = f.rand(())
    slices((), (), (), y, x=y)
    f.refuses(self=x, begin=(0,), end=(2,), strides=(0,), beginMask=0, endMask=0, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=0, out=x[:2])


@case("aclnnSplitWithSize")
def _(f):
    x = f.rand((4, 9))
    f.check(self=x, splitSize=(2, 3, 4), dim=1, out=[x[:, :2], x[:, 2:5], x[:, 5:]])
    f.check(self=x, splitSize=(0, 4), dim=-2, out=[x[:0], x])
    f.check(self=x[:0], splitSize=(4, 5), dim=1, out=[x[:0, :4], x[:0, 4:]])
    f.refuses(self=x, splitSize=(2, 3), dim=1, out=[x[:, :2], x[:, 2:5]])
    f.refuses(self=x, splitSize=(4, 5), dim=1, out=[x[:, :4]])


exempt("aclnnSplitWithSize", zero_dim="a tensor without dimensions cannot be split")


@case("aclnnSplitTensor")
def _(f):
    x = f.rand((4, 9))
    f.check(self=x, splitSections=4, dim=1, out=[x[:, :4], x[:, 4:8], x[:, 8:]])
    f.check(self=x, splitSections=9, dim=1, out=[x])
    f.check(self=x[:0], splitSections=2, dim=0, out=[x[:0]])
    f.refuses(self=x, splitSections=0, dim=1, out=[x])
    f.refuses(self=x, splitSections=4, dim=1, out=[x[:, :4]])


exempt("aclnnSplitTensor", zero_dim="a tensor without dimensions cannot be split")


@case("aclnnRepeatInterleaveInt")
def _(f):
    for shape, repeats in [((3, 4), 2), ((), 3), ((0, 2), 2), ((5,), 0)]:
        x = f.rand(shape)
        want = numpy.repeat(x.reshape(-1), repeats)
        f.check(self=x, repeats=repeats, outputSize=want.size, out=want)
    f.refuses(self=f.rand((2,)), repeats=2, outputSize=5, out=f.rand((5,)))


@case("aclnnRepeatInterleaveIntWithDim")
def _(f):
    for shape, repeats, dim in [((3, 4), 2, 0), ((2, 3, 4), 3, -2), ((), 3, 0), ((0, 2), 2, 1), ((5,), 0, 0)]:
        x = f.rand(shape)
        want = numpy.repeat(numpy.atleast_1d(x), repeats, dim)
        f.check(self=x, repeats=repeats, dim=dim, outputSize=want.shape[dim], out=want)
    f.refuses(self=f.rand((2,)), repeats=-1, dim=0, outputSize=2, out=f.rand((2,)))


@case("aclnnRepeatInterleave")
def _(f):
    for shape, repeats in [((2, 3), [1, 0, 2, 3, 0, 1]), ((4,), [2]), ((), [3]), ((0,), []), ((3,), [0, 0, 0])]:
        x = f.rand(shape)
        for dtype in ["int64", "int32"]:
            repeats = numpy.array(repeats, dtype)
            want = numpy.repeat(x.reshape(-1), repeats)
            f.check(self=x, repeats=repeats, outputSize=want.size, out=want)
    f.fails(self=f.rand((2,)), repeats=numpy.array([1, 2]), outputSize=2, out=f.rand((2,)))
    f.fails(self=f.rand((2,)), repeats=numpy.array([3, -1]), outputSize=2, out=f.rand((2,)))


@case("aclnnRepeatInterleaveWithDim")
def _(f):
    for shape, repeats, dim in [((2, 3), [1, 0, 2], 1), ((2, 3, 4), [3, 1], 0), ((4, 2), [2], 0), ((), [3], 0), ((0, 3), [1, 2, 3], -1)]:
        x = f.rand(shape)
        repeats = numpy.array(repeats)
        want = numpy.repeat(numpy.atleast_1d(x), repeats, dim)
        f.check(self=x, repeats=repeats, dim=dim, outputSize=want.shape[dim], out=want)
    f.refuses(self=f.rand((2, 3)), repeats=numpy.array([1, 2]), dim=1, outputSize=3, out=f.rand((2, 3)))


@case("aclnnRepeatInterleaveTensor")
def _(f):
    for repeats in [[1, 0, 2, 3], [], [0, 0]]:
        repeats = numpy.array(repeats, "int64")
        want = numpy.repeat(numpy.arange(repeats.size), repeats)
        f.check(repeats=repeats, total=want.size, out=want)
    f.fails(repeats=numpy.array([1, 2]), total=4, out=numpy.zeros(4, "int64"))


exempt("aclnnRepeatInterleaveTensor", zero_dim="one number stands for one element")


@case("aclnnRepeatInterleaveGrad")
def _(f):
    for shape, repeats, dim in [((2, 3), [1, 0, 2], 1), ((2, 3, 4), [3, 1], 0), ((4, 2), [2], 0), ((0, 3), [1, 2, 3], -1)]:
        for dtype in ["float32", "float16"]:
            repeats = numpy.array(repeats)
            counts = numpy.broadcast_to(repeats, shape[dim])
            grad = f.rand([int(counts.sum()) if axis == dim % len(shape) else size for axis, size in enumerate(shape)], dtype)
            want = numpy.zeros(shape, "float64")
            sums = numpy.moveaxis(want, dim, 0)
            for number, place in enumerate(numpy.repeat(numpy.arange(shape[dim]), counts)):
                sums[place] += numpy.moveaxis(grad, dim, 0)[number]
            f.check(grad=grad, repeats=repeats, dimPos=dim, out=want.astype(dtype))


exempt("aclnnRepeatInterleaveGrad", zero_dim="the result of repeating has a dimension")


@case("aclnnUnfoldGrad")
def _(f):
    for dtype in ["float32", "float16", "float64"]:
        for shape, dim, size, step in [((7,), 0, 3, 2), ((2, 6, 3), 1, 2, 1), ((2, 6, 3), -3, 2, 5), ((), 0, 1, 1), ((), 0, 0, 1), ((4, 5), 1, 0, 2), ((0, 5), 1, 2, 2)]:
            count = ((shape[dim] if shape else 1) - size) // step + 1
            windows = list(shape)
            if shape:
                windows[dim] = count
            grad = f.rand((*windows, size), dtype)
            want = numpy.zeros(shape or (1,))
            axis = dim % max(len(shape), 1)
            for window in range(count):
                for place in range(size):
                    part = grad[..., place].reshape(windows or (1,))
                    at = [slice(None)] * want.ndim
                    at[axis] = window * step + place
                    want[tuple(at)] += numpy.take(part, window, axis)
            f.check(gradOut=grad, inputSizes=list(shape), dim=dim, size=size, step=step, gradIn=want.reshape(shape).astype(dtype))
    f.refuses(gradOut=f.rand((3, 3)), inputSizes=[7], dim=0, size=3, step=0, gradIn=f.rand((7,)))
    f.refuses(gradOut=f.rand((2, 3)), inputSizes=[7], dim=0, size=3, step=2, gradIn=f.rand((7,)))


exempt("aclnnUnfoldGrad", zero_dim="windows add an axis")
