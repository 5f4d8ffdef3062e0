"""Shapes, parts, joins, borders, order, indices."""

import numpy as np

from .base import *  # noqa: F403

FLOATS = (f32, f16, bf16, f64)
ALL = (*FLOATS, i64, i32, i16, i8, u8, np.bool_)

for dtype in ALL:
    x = rand(2, 3, 4, dtype=dtype, low=0)
    case("Reshape", [x, Const([4, -1])], x.reshape(4, 6))
    case("ExpandDims", [x, Const(1)], x[:, None])
    case("Squeeze", [x[:, None]], x, axis=[1])
    case("Unsqueeze", [x], x[..., None], axes=[-1])
    case("Flatten", [x], x.reshape(2, 12), axis=1)
    case("FlattenV2", [x], x.reshape(6, 4), axis=0, end_axis=1)
    case("Transpose", [x, Const([2, 0, 1])], x.transpose(2, 0, 1))
    case("Transpose", [x, Const([-1, 0, 1], i32)], x.transpose(2, 0, 1))
    case("TransposeD", [x], x.transpose(0, 2, 1), perm=[0, 2, 1])
    case("BroadcastTo", [x[:, :1], Const([2, 3, 4])], np.broadcast_to(x[:, :1], (2, 3, 4)))
    case("BroadcastTo", [x[0, 0, 0], Const([2, 0])], np.zeros((2, 0), dtype))
    case("BroadcastToD", [x[:, :1]], np.broadcast_to(x[:, :1], (5, 2, 3, 4)), shape=[5, 2, 3, 4])
    case("Tile", [x, Const([2, 1, 3])], np.tile(x, (2, 1, 3)))
    case("Tile", [x, Const([2, 2, 1, 1])], np.tile(x, (2, 2, 1, 1)))
    case("TileD", [x], np.tile(x, (1, 2, 1)), multiples=[2, 1])
    case("RepeatInterleave", [x, Const([3])], np.repeat(x, 3, 0), axis=0)
    case("RepeatInterleave", [x, Const(2)], np.repeat(x, 2, -1), axis=-1)
    case("RepeatInterleave", [x, np.array([1, 0, 2], i64)], np.repeat(x, [1, 0, 2], 1), axis=1)
    case("ReverseV2", [x, Const([0, 2])], x[::-1, :, ::-1])
    case("ReverseV2", [x, Const([-1], i32)], x[..., ::-1])
    case("ReverseV2D", [x], x[:, ::-1], axis=[1])
    case("Roll", [x], np.roll(x, 1, 0), shifts=[1], dims=[0])
    case("Roll", [x], np.roll(x, (-5, 2), (1, 2)), shifts=[-5, 2], dims=[1, -1])
    case("Roll", [x], np.roll(x, 7), shifts=[7], dims=[])
    case("ConfusionTransposeD", [x], x.transpose(1, 0, 2).reshape(3, 8), perm=[1, 0, 2], shape=[3, 8], transpose_first=True)
    case("ConfusionTransposeD", [x], x.reshape(6, 4).T, perm=[1, 0], shape=[6, 4], transpose_first=False)
    case("Shape", [x], np.array(x.shape, i32))
    case("Size", [x], np.array(24, i32))
    case("Rank", [x], np.array(3, i32))
    y = rand(1, dtype=dtype, low=0)
case("Transpose", [rand(2, 3), Const([0, 0])], rand(2, 3), refuse="not a permutation")
case("Roll", [rand(0, 3)], np.zeros((0, 3), f32), shifts=[1], dims=[0])
x = rand(1, 8, 2, 3)
dcr = x.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 6)
for dtype in (f32, f16, bf16, f64, i32, u8):
    a, b = x.astype(dtype), dcr.astype(dtype)
    case("DepthToSpace", [a], b, block_size=2, data_format="NCHW")
    case("DepthToSpace", [a.transpose(0, 2, 3, 1)], b.transpose(0, 2, 3, 1), block_size=2)
    case("SpaceToDepth", [b], a, block_size=2, data_format="NCHW")
    case("SpaceToDepth", [b.transpose(0, 2, 3, 1)], a.transpose(0, 2, 3, 1), block_size=2, data_format="NHWC")

for dtype in ALL:
    a, b, c = rand(2, 3, dtype=dtype, low=0), rand(2, 1, dtype=dtype, low=0), rand(2, 0, dtype=dtype)
    want = np.concatenate([a, b, c], 1)
    case("ConcatD", [a, b, c], want, concat_dim=1, N=3)
    case("ConcatV2D", [a, b, c], want, concat_dim=-1, N=3)
    case("Concat", [Const(1, i32), a, b, c], want, N=3)
    case("ConcatV2", [a, b, c, Const([1])], want, N=3)
    case("Pack", [a, a, a], np.stack([a] * 3), axis=0, N=3)
    case("Pack", [a, a], np.stack([a] * 2, -1), axis=-1, N=2)
    case("Unpack", [a], [a[:, 0], a[:, 1], a[:, 2]], num=3, axis=1)
    x = rand(2, 6, dtype=dtype, low=0)
    case("Split", [Const(1, i32), x], np.split(x, 3, 1), num_split=3)
    case("SplitD", [x], np.split(x, 2, -1), num_split=2, split_dim=-1)
    case("SplitV", [x, Const([1, -1, 2]), Const(1)], [x[:, :1], x[:, 1:4], x[:, 4:]], num_split=3)
    case("SplitVD", [x], [x[:, :0], x[:, :5], x[:, 5:]], size_splits=[0, 5, 1], split_dim=1, num_split=3)
case("Pack", [np.array(i, f32) for i in range(77)], np.arange(77, dtype=f32), axis=0, N=77)
case("Pack", [np.array(i, f32) for i in range(200)], np.arange(200, dtype=f32), axis=0, N=200)
case("ConcatD", [rand(2)], rand(2), refuse="`concat_dim` is not set")
case("ConcatD", [(x := rand(2, 3))], x, concat_dim=0, N=1)

for dtype in ALL:
    x = rand(4, 5, 6, dtype=dtype, low=0)
    case("Slice", [x, Const([1, 0, 2]), Const([2, 5, 3])], x[1:3, :, 2:5])
    case("Slice", [x, Const([1, 0, 2], i32), Const([-1, 5, 0], i32)], x[1:, :, 2:2])
    case("SliceD", [x], x[1:3, :, 2:5], offsets=[1, 0, 2], size=[2, 5, 3])
    case("StridedSlice", [x, Const([1, 0, 5]), Const([4, 99, 0]), Const([2, 1, -2])], x[1:4:2, :, 5:0:-2],
         begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    case("StridedSlice", [x, Const([1, 2]), Const([0, 0]), Const([1, 1])], x[1, 2], shrink_axis_mask=3)
    case("StridedSlice", [x, Const([0, -1, 0]), Const([0, 0, 0]), Const([1, 1, 1])], x[:, -1], shrink_axis_mask=2, begin_mask=5, end_mask=5)
    case("StridedSlice", [x, Const([0, 0, 1]), Const([0, 0, 3]), Const([1, 1, 1])], x[..., None, 1:3], ellipsis_mask=1, new_axis_mask=2)
    case("StridedSlice", [x, Const([0]), Const([0]), Const([-1])], x[::-1], begin_mask=1, end_mask=1)
    case("StridedSlice", [x, Const([1, 0, 2]), Const([-1, 5, 4])], x[1:-1, :, 2:4])
    case("StridedSliceD", [x], x[1:4:2], begin=[1], end=[4], strides=[2])
    case("StridedSliceV2", [x, Const([1]), Const([3]), Const([-1]), Const([1])], x[..., 1:3])
    case("StridedSliceV2", [x, Const([1, 0]), Const([3, 2])], x[1:3, :2])
for dtype in (f32, f16, u8, i64, np.bool_):
    a, like = rand(2, 5, 8, 9, dtype=dtype), rand(2, 3, 4, 5, dtype=dtype)
    case("Crop", [a, like], a[:, 1:4, 2:6, 3:8], axis=1, offsets=[1, 2, 3])
    case("Crop", [a, rand(2, 5, 4, 5)], a[:, :, 3:7, 3:8], offsets=[3])
    case("Crop", [a, rand(9, 9, 4, 5)], a[:, :, :4, :5])
    case("Crop", [a, like], a[..., 2:7], axis=-1, offset=[2])
case("Crop", [rand(2, 4), rand(2, 3)], rand(2, 3), axis=1, offsets=[2], refuse="exceed axis 1")
case("Crop", [rand(2, 4), rand(2, 3)], rand(2, 3), axis=1, offsets=[-1], refuse="exceed axis 1")
case("Crop", [rand(2, 4), rand(2, 3)], rand(2, 3), axis=2, offsets=[0], refuse="an axis of x")
case("Crop", [rand(2, 4), rand(2, 3)], rand(2, 3), axis=0, offsets=[0, 0, 0], refuse="different lengths")
case("Crop", [rand(2, 4), rand(3)], rand(2, 3), axis=1, offsets=[0], refuse="cannot be cropped")
case("Slice", [x, Const([1]), Const([1, 2])], x, refuse="different lengths")
case("StridedSlice", [rand(2), Const([0] * 3), Const([1] * 3)], rand(2), refuse="axes are sliced")

for dtype in ALL:
    x, v = rand(3, 4, dtype=dtype, low=0), rand(1, dtype=dtype, low=0)
    pads = [(1, 0), (2, 3)]
    case("Pad", [x, Const(pads, i32)], np.pad(x, pads))
    case("PadD", [x], np.pad(x, pads), paddings=pads)
    case("PadV2", [x, Const(pads), v], np.pad(x, pads, constant_values=v[0]))
    case("PadV3", [x, Const([1, 0, 2, 3], i32), v], np.pad(x, pads, constant_values=v[0]), mode="constant", paddings_contiguous=True)
    case("PadV3", [x, Const([1, 2, 0, 3], i32)], np.pad(x, pads), mode="constant", paddings_contiguous=False)
    for mode in ("edge", "reflect", "symmetric"):
        case("PadV3", [x, Const([1, 0, 2, 3], i32)], np.pad(x, pads, mode), mode=mode)
    case("MirrorPad", [x, Const(pads, i32)], np.pad(x, pads, "reflect"), mode="REFLECT")
    case("MirrorPad", [x, Const(pads, i32)], np.pad(x, pads, "symmetric"), mode="SYMMETRIC")
case("Pad", [rand(3, 4), Const([1, 1])], rand(3, 4), refuse="1 pairs for 2 axes")
case("PadV3", [rand(3), Const([1, 1])], rand(5), mode="odd", refuse="edge, reflect")
for dtype in (f32, f16, bf16):
    for mode in ("edge", "reflect", "symmetric"):
        for pads in ([(0, 0), (2, 3)], [(1, 2), (0, 1)]):
            source = np.pad(np.arange(20).reshape(4, 5), pads, mode)
            dy = rand(*source.shape, dtype=dtype)
            dx = np.zeros(20)
            np.add.at(dx, source, wide(dy))
            case("PadV3Grad", [dy, Const(np.ravel(pads), i32)], dx.reshape(4, 5).astype(dtype), mode=mode, paddings_contiguous=True)

for dtype in (*FLOATS, i64, i32, i16, i8, u8):
    for axis in (0, 1, -1):
        x = RNG.permutation(60).reshape(3, 4, 5).astype(dtype)
        for down in (False, True):
            order = np.argsort(-wide(x) if down and dtype != u8 else (255 - x if down else x), axis, kind="stable")
            values = np.take_along_axis(x, order, axis)
            case("Sort", [x], [values, order.astype(i32)], axis=axis, descending=down)
            case("SortV2", [x], values, axis=axis, descending=down)
            part = [np.take(values, [0, 1], axis), np.take(order, [0, 1], axis).astype(i32)]
            case("TopKV2", [x, Const([2], i32)], part, dim=axis, largest=down, sorted=True)
            case("TopK", [x, Const(2, i32)], part, dim=axis, largest=down)
            case("TopKD", [x, rand(4, dtype=f16)], part, k=2, dim=axis, largest=down)
        for keep in (False, True):
            arg = lambda f: np.asarray(f(x, axis, keepdims=keep)).astype(i32)
            case("ArgMaxV2", [x, Const(axis, i32)], arg(np.argmax), keep_dims=keep)
            case("ArgMax", [x, Const([axis], i64)], arg(np.argmax).astype(i64), keep_dims=keep)
            case("ArgMaxD", [x], arg(np.argmax), dimension=axis, keep_dims=keep)
            case("ArgMin", [x, Const(axis, i32)], arg(np.argmin), keep_dims=keep)
            case("ArgMaxWithValue", [x], [arg(np.argmax), x.max(axis, keepdims=keep)], dimension=axis, keep_dims=keep)
            case("ArgMinWithValue", [x], [arg(np.argmin), x.min(axis, keepdims=keep)], dimension=axis, keep_dims=keep)
case("ArgMaxV2", [np.array([1, 3, 3], f32), Const(0, i32)], np.array(1, i32))
# The first that is no number goes before all that are.
for values in ([np.nan, 1, 2, 5], [1, np.inf, np.nan, np.nan], [1, 2, -np.inf, np.nan]):
    for dtype in FLOATS:
        x = np.array(values, dtype)
        first = np.array(np.argmax(np.isnan(wide(x))), i32)
        case("ArgMaxV2", [x, Const(0, i32)], first)
        case("ArgMaxWithValue", [x], [first, np.array(np.nan, dtype)], dimension=0)
        case("ArgMinWithValue", [x], [first, np.array(np.nan, dtype)], dimension=0)


def running(function, x, axis, exclusive, reverse):
    x = np.flip(x, axis) if reverse else x
    y = function(x, axis)
    if exclusive:
        y = np.roll(y, 1, axis)
        first = [slice(None)] * x.ndim
        first[axis] = 0
        y[tuple(first)] = 0 if function is np.cumsum else 1
    return np.flip(y, axis) if reverse else y


for dtype in (*FLOATS, i32, i64):
    for axis in (0, 1, -1):
        for exclusive in (False, True):
            for reverse in (False, True):
                x = rand(3, 4, dtype=dtype)
                flags = {"exclusive": exclusive, "reverse": reverse}
                y = running(np.cumsum, wide(x), axis, exclusive, reverse).astype(dtype)
                case("Cumsum", [x, Const(axis, i32)], y, **flags)
                case("CumsumD", [x], y, axis=axis, **flags)
                y = running(np.cumprod, wide(x), axis, exclusive, reverse).astype(dtype)
                case("Cumprod", [x, Const(axis)], y, **flags)
                case("CumprodD", [x], y, axis=axis, **flags)
        x = RNG.integers(0, 4, (4, 5)).astype(dtype)
        for name, best, key in (("Cummax", np.maximum, "dim"), ("Cummin", np.minimum, "axis")):
            y = best.accumulate(x.astype(f64), axis)
            moved = np.moveaxis(x.astype(f64), axis, 0)
            idx = np.zeros(moved.shape, i64)
            for at in range(1, len(moved)):
                seen = np.moveaxis(y, axis, 0)[at]
                idx[at] = np.where(moved[at] == seen, at, idx[at - 1])
            case(name, [x], [y.astype(dtype), np.moveaxis(idx, 0, axis)], **{key: axis})
case("Cumsum", [rand(0, 3), Const(0)], np.zeros((0, 3), f32))
s = np.array([1, 3, 3, 5], f32)
v = np.array([[0, 1, 3], [4, 5, 6]], f32)
for side in ("left", "right"):
    case("SearchSorted", [s, v], np.searchsorted(s, v, side), right=side == "right", dtype=Ty(i64))
    case("SearchSorted", [np.stack([s, s + 1]), v], np.stack([np.searchsorted(s, v[0], side), np.searchsorted(s + 1, v[1], side)]).astype(i32), right=side == "right")
    case("Bucketize", [v], np.searchsorted(s, v, side).astype(i32), boundaries=[1.0, 3.0, 3.0, 5.0], right=side == "right")

case("ShapeN", [rand(2, 3), rand(4)], [np.array([2, 3], i32), np.array([4], i32)])
