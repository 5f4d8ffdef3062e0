"""Elements by index, and views by strides."""

import numpy as np

from .base import *  # noqa: F403

FLOATS = (f32, f16, bf16, f64)
ALL = (*FLOATS, i64, i32, i16, i8, u8, np.bool_)
NUMBERS = (*FLOATS, i64, i32)

for dtype in ALL:
    x = rand(4, 5, 6, dtype=dtype, low=0)
    for index in (np.array([[3, 0], [1, 1]], i64), np.array([2, -1], i32), np.array(1, i64), np.zeros((0, 2), i64)):
        case("Gather", [x, index], x[index], validate_indices=False)
        for axis in (0, 1, -1):
            want = np.take(x, index, axis)
            case("GatherV2", [x, index, Const([axis])], want, batch_dims=0)
            case("GatherV2D", [x, index], want, axis=axis)
    index = RNG.integers(0, 5, (4, 2, 6))
    for axis in (1, -2):
        want = np.take_along_axis(x, index, axis)
        case("GatherElements", [x, index], want, dim=axis)
        case("GatherD", [x, Const(axis), index.astype(i32)], want)
    tuples = np.array([[1, 2], [3, 4], [0, 0]], i64)
    case("GatherNd", [x, tuples], x[tuples[:, 0], tuples[:, 1]])
    index = RNG.integers(0, 5, (4, 3))
    case("GatherV2", [x, index, Const(1)], np.stack([x[b][index[b]] for b in range(4)]), batch_dims=1)
    i, j = np.array([0, 3, 3]), np.array([2, 2, 4])
    case("Index", [x, Const([1]), Const([3, 5, 6]), i], x[i])
    case("Index", [x, Const([1, 1]), Const([3, 6]), i, j], x[i, j])
    case("Index", [x, Const([0, 1, 1]), Const([4, 3]), j, j], x[:, j, j])
    case("Index", [x, Const([0, 1]), Const([4, 3, 6]), j], x[:, j])
    case("Index", [x, Const([1, 0, 1]), Const([3, 5]), i, j], x[i, :, j])
    i2 = np.array([[0, 1], [2, 3]])
    case("Index", [x, Const([0, 0, 1]), Const([4, 5, 2, 2]), i2], x[:, :, i2])
    mask = rand(4, 5, 6, dtype=np.bool_)
    case("MaskedSelect", [x, mask], x[mask], data_dependent=True)
    case("MaskedSelect", [x, mask[0]], x[np.broadcast_to(mask[0], x.shape)], data_dependent=True)
    mask[:] = False
    case("MaskedSelect", [x, mask], x[mask], data_dependent=True)
    z = rand(3, 4, dtype=dtype, low=0, high=1)
    z[0, 0] = 0
    case("NonZero", [z], np.stack(np.nonzero(z)), transpose=True, data_dependent=True)
    case("NonZero", [z], np.stack(np.nonzero(z), -1), transpose=False, data_dependent=True)
    case("Where", [z], np.stack(np.nonzero(z), -1), data_dependent=True)
for dtype in (*NUMBERS, i8, u8):
    x = RNG.integers(0, 5, (3, 4)).astype(dtype)
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    case("UniqueWithCountsAndSorting", [x], [values, inverse.reshape(x.shape), counts], sorted=True, return_inverse=True, return_counts=True, data_dependent=True)
    case("UniqueWithCountsAndSorting", [x], [values, Skip(np.zeros(1, i64)), Skip(np.zeros(1, i64))], sorted=True, return_inverse=False, return_counts=False, data_dependent=True)
    x = np.array([3, 1, 3, 2, 1]).astype(dtype)
    case("Unique", [x], [np.array([3, 1, 2]).astype(dtype), np.array([0, 1, 0, 2, 1], i32)], out_idx=Ty(i32), data_dependent=True)
case("NonZero", [np.zeros((2, 3), f32)], np.zeros((0, 2), i64), data_dependent=True)
case("Index", [rand(2, 3), Const([0]), Const([2]), np.array([0])], rand(2), refuse="no axis")
w, idx, off = rand(7, 3), np.array([1, 2, 4, 5, 4, 3, 2, 6], i32), np.array([0, 3, 3], i32)
parts = [w[idx[:3]], w[idx[3:3]], w[idx[3:]]]
bags, sizes = np.array([0] * 3 + [2] * 5, i32), np.array([3, 0, 5], i32)
case("EmbeddingBag", [w, idx, off], [np.stack([p.sum(0) for p in parts]), bags, sizes, Skip(np.zeros(3, i32))], mode="sum")
case("EmbeddingBag", [w, idx, off], [np.stack([p.sum(0) / max(len(p), 1) for p in parts]), bags, sizes, Skip(np.zeros(3, i32))], mode="mean", padding_idx=-1)


def scattered(function, x, places, updates):
    y = x.astype(f64 if np.dtype(x.dtype).kind not in "iub" else x.dtype).copy()
    function(y, places, updates.astype(y.dtype))
    return y.astype(x.dtype)


def put(y, places, updates):
    y[places] = updates


sub = lambda y, p, u: np.add.at(y, p, -u)
WAYS = {"Update": put, "Add": np.add.at, "Sub": sub, "Max": np.maximum.at, "Min": np.minimum.at}
for dtype in NUMBERS:
    x, index = rand(5, 3, dtype=dtype, high=9), np.array([4, 0, -2], i32)
    again, updates = np.array([[1, 1], [0, 1]], i64), rand(2, 2, 3, dtype=dtype, high=9)
    for way, function in WAYS.items():
        case("Scatter" + way, [x, again, updates], scattered(function, x, again, updates))
        case("Scatter" + way, [x, index, updates[0, 0] + x[:3]], scattered(function, x, index, updates[0, 0] + x[:3]))
    case("InplaceUpdate", [x, index, x[:3]], scattered(put, x, index, x[:3]))
    case("InplaceAdd", [x, index, x[:3]], scattered(np.add.at, x, index, x[:3]))
    tuples = np.array([[4, 1], [0, 0], [4, 1]], i32)
    places = (tuples[:, 0], tuples[:, 1])
    for way in ("Update", "Add", "Sub"):
        case("ScatterNd" + way, [x, tuples, x[0]], scattered(WAYS[way], x, places, x[0]))
        case("ScatterNd" + way, [x, tuples[:2, :1], x[:2]], scattered(WAYS[way], x, tuples[:2, 0], x[:2]))
    for way in ("Update", "Add", "Max"):
        case("TensorScatter" + way, [x, tuples.astype(i64), x[0]], scattered(WAYS[way], x, places, x[0]))
    case("ScatterNd", [tuples, x[0], Const([5, 3], i32)], scattered(np.add.at, np.zeros((5, 3), dtype), places, x[0]))
    index = RNG.integers(0, 5, (2, 3))
    columns = np.broadcast_to(np.arange(3), (2, 3))
    case("ScatterElements", [x, index, x[:2]], scattered(np.add.at, x, (index, columns), x[:2]), axis=0, reduction="add")
    index[1] = (index[0] + 1) % 5
    case("ScatterElements", [x, index, x[:2]], scattered(put, x, (index, columns), x[:2]), axis=0)
    for axis in (0, 1, -1):
        index = np.array([1, 1], i32)
        updates = np.take(x, [0, 2], axis)
        place = (index,) if axis == 0 else (slice(None), index)
        scaled = (wide(updates) * wide(dtype(2))).astype(dtype)
        case("InplaceIndexAdd", [x, index, updates, Const(2, dtype)], scattered(np.add.at, x, place, scaled), axis=axis)
        case("IndexAdd", [x, index, updates], scattered(np.add.at, x, place, updates), axis=axis)
    keep = np.array([[1], [0], [1], [1], [0]], dtype)
    case("IndexFillD", [x, keep, x], (wide(x) * wide(keep) + wide(x)).astype(dtype), dim=0)
    i, j = np.array([0, 3, 3]), np.array([2, 2, 1])
    none = Const([0, 1], i64)
    for accumulate, function in ((False, put), (True, np.add.at)):
        value = rand(3, 3, dtype=dtype)
        value[2] = value[1]
        case("IndexPutV2", [x, value, Const([1]), none, i], scattered(function, x, i, value), accumulate=accumulate)
        case("IndexPutV2", [x, value[0], Const([1, 1]), none, i, j], scattered(function, x, (i, j), value[0]), accumulate=accumulate)
        apart, k = np.array([[0], [2]]), np.array([2, 0, 1])
        case("IndexPutV2", [x, np.broadcast_to(value[0], (2, len(j))).astype(x.dtype), Const([1, 1]), none, apart, k], scattered(function, x, (apart, k), np.broadcast_to(value[0], (2, len(j)))), accumulate=accumulate)
        case("IndexPutV2", [x, value[0, 0], Const([1, 1]), none, i, j], scattered(function, x, (i, j), value[0, 0]), accumulate=accumulate)
        y = rand(2, 5, 3, 4, dtype=dtype)
        value = rand(2, 3, 3, 4, dtype=dtype)
        value[:, 2] = value[:, 1]
        case("IndexPutV2", [y, value, Const([0, 1]), none, i], scattered(function, y, (slice(None), i), value), accumulate=accumulate)
        value = rand(3, 2, 4, dtype=dtype)
        value = rand(2, 3, 4, dtype=dtype)
        case("IndexPutV2", [y, value, Const([0, 1, 1]), none, i, j], scattered(function, y, (slice(None), i, j), value), accumulate=accumulate)
        value = rand(3, 5, 3, dtype=dtype)
        k = np.array([1, 0, 1])
        case("IndexPutV2", [y, value, Const([1, 0, 0, 1]), none, k, i], scattered(function, y, (k, slice(None), slice(None), i), value), accumulate=accumulate)
    x, ids = rand(2, 3, 4, dtype=dtype), np.array([[1, 0, 1], [4, 4, 4]], i32)
    want = scattered(np.add.at, np.zeros((5, 4), dtype), ids, x)
    case("UnsortedSegmentSum", [x, ids, Const(5, i32)], want)
    case("UnsortedSegmentSumD", [x, ids], want, num_segments=5)
for dtype in ALL:
    x, mask = rand(3, 4, dtype=dtype, low=0), rand(4, dtype=np.bool_)
    full = np.broadcast_to(mask, x.shape)
    updates, want = rand(15, dtype=dtype, low=0), x.copy()
    want[full] = updates[: full.sum()]
    case("MaskedScatter", [x, mask, updates], want)
case("MaskedScatter", [(x := rand(2, 2)), np.zeros((2, 2), bool), np.zeros(0, f32)], x)
n = np.array([1, 3, 3, 0], i32)
case("Bincount", [n, Const(5, i32), np.array([5, 6, 7, 8])], np.array([8, 5, 0, 13, 0]))
case("Bincount", [n, Const(5, i32), np.zeros(0, f32)], np.array([1, 1, 0, 2, 0], f32))
for dtype in (f32, f16, bf16):
    dy, ids = rand(2, 3, 4, dtype=dtype), np.array([[1, 0, 1], [6, 1, 2]], i32)
    want = np.zeros((7, 4))
    np.add.at(want, ids, wide(dy))
    case("EmbeddingDenseGrad", [dy, ids], want.astype(dtype), num_weights=7, padding_idx=-1, scale_grad_by_freq=False)
    padded = want.copy()
    padded[1] = 0
    case("EmbeddingDenseGrad", [dy, ids], padded.astype(dtype), num_weights=7, padding_idx=1)
    often = np.bincount(ids.ravel(), minlength=7).clip(1)[:, None]
    case("EmbeddingDenseGrad", [dy, ids], (want / often).astype(dtype), num_weights=7, scale_grad_by_freq=True)


def view(x, size, stride, offset):
    item = x.dtype.itemsize
    return np.lib.stride_tricks.as_strided(x.ravel()[offset:], size, [s * item for s in stride])


VIEWS = [
    ((4, 6), (6, 1), 0), ((6, 4), (1, 6), 0), ((2, 3), (6, 1), 7), ((2, 3, 4), (0, 1, 6), 0), ((3, 2), (2, 1), 1),
    ((3, 3), (1, 1), 0), ((5,), (4,), 2), ((), (), 3), ((1, 2, 1), (99, 6, 1), 5), ((0, 3), (1, 1), 0),
    ((2, 2, 3), (12, 3, 1), 0), ((2, 3, 2), (12, 4, 2), 1), ((2, 2, 2, 3), (12, 3, 6, 1), 0), ((3, 4), (5, 1), 4),
]
for dtype in ALL:
    x = rand(4, 6, dtype=dtype, low=0)
    for size, stride, offset in VIEWS:
        constants = [Const(list(size)), Const(list(stride)), Const([offset])]
        case("AsStrided", [x, *constants], np.array(view(x, size, stride, offset)))
    for size, stride, offset in [((4, 6), (6, 1), 0), ((6, 4), (1, 6), 0), ((2, 3), (6, 2), 7), ((5,), (4,), 2), ((), (), 3)]:
        src = rand(*size, dtype=dtype, low=0)
        dst = x.copy()
        view(dst, size, stride, offset)[...] = src
        whole = [int(np.prod(size[a + 1 :])) for a in range(len(size))]
        case("ViewCopy", [x, Const(list(size)), Const(list(stride)), Const([offset]), src, Const(list(size)), Const(whole), Const([0])], dst)
    src = rand(6, 4, dtype=dtype, low=0)
    case("ViewCopy", [x, Const([4, 6]), Const([6, 1]), Const([0]), src, Const([4, 6]), Const([1, 4]), Const([0])], src.T)
case("AsStrided", [rand(4), Const([3]), Const([2]), Const([0])], rand(3), refuse="reaches element 4")
