"""Tensors made from nothing, reductions, products, softmax."""

import numpy as np

from .base import *  # noqa: F403

FLOATS = (f32, f16, bf16, f64)
ALL = (*FLOATS, i64, i32, i16, i8, u8, np.bool_)

for dtype in ALL:
    for shape in [(2, 3), (), (0, 3), (2, 1, 4, 2)]:
        case("ZerosLike", [rand(*shape, dtype=dtype, low=0)], np.zeros(shape, dtype))
        case("OnesLike", [rand(*shape, dtype=dtype, low=0)], np.ones(shape, dtype))
    case("Fill", [Const([2, 3]), np.array(1, dtype)], np.ones((2, 3), dtype))
    case("Fill", [Const([1]), np.array([1], dtype)], np.array(1, dtype))
    case("FillD", [np.array([1], dtype)], np.ones((2, 0), dtype), dims=[2, 0])
    case("FillV2D", [], np.full((2, 3), 1, dtype), dims=[2, 3], value=1.0)
    case("Eye", [], np.eye(3, 4, dtype=dtype), num_rows=3, num_columns=4, dtype=Ty(dtype))
case("Eye", [], np.broadcast_to(np.eye(2, dtype=f32), (5, 2, 2)), num_rows=2, num_columns=2, batch_shape=[5])
for dtype in (f32, f64, i32, i64, f16, bf16):
    case("Range", [Const(2, dtype), Const(11, dtype), Const(3, dtype)], np.arange(2, 11, 3).astype(dtype))
    case("Range", [Const([9], dtype), Const([0], dtype), Const([-2], dtype)], np.arange(9, 0, -2).astype(dtype))
    case("Range", [Const(2, dtype), Const(2, dtype), Const(3, dtype)], np.zeros(0, dtype))
case("RangeD", [Const(np.zeros(4), f32)], np.arange(4).astype(f32) * 0.5 + 1, start=1.0, limit=2.5, delta=0.5)
case("LinSpace", [Const(0.1, f32), Const(0.9, f32), Const([7], i32)], np.linspace(f32(0.1), f32(0.9), 7, dtype=f32))
case("LinSpace", [Const(3.0, f32), Const(0.9, f32), Const([1], i32)], np.array([3], f32))
case("LinSpace", [Const(3.0, f32), Const(-1.0, f32), Const([2], i32)], np.array([3, -1], f32))
for dtype in (f32, i64, i32, f16, bf16, u8):
    x = np.array([[0, 2], [1, 7]], i64)
    want = np.where(x[..., None] == np.arange(3), dtype(5), dtype(1)).astype(dtype)
    on_off = [Const([5], dtype), Const([1], dtype)]
    case("OneHot", [x, Const([3], i32), *on_off], want, axis=-1)
    case("OneHot", [x.astype(i32), Const(3, i32), *on_off], np.moveaxis(want, -1, 1), axis=1)
    case("OneHotD", [x.astype(i32), *on_off], np.moveaxis(want, -1, 0), axis=0, depth=3)
case("OneHot", [x, Const([3], i32), *on_off], want, axis=9, refuse="an axis")
case("OneHot", [x, np.array([3], i32), *on_off], want, refuse="must be constant")
for dtype in ALL:
    x = rand(2, 4, 5, dtype=dtype, low=0)
    for diagonal in (0, 1, -2):
        case("Tril", [x], np.tril(x, diagonal), diagonal=diagonal)
        case("Triu", [x], np.triu(x, diagonal), diagonal=diagonal)
case("Tril", [rand(3)], rand(3), refuse="2 or more")
for dtype in (f32, bf16, i32, np.bool_):
    x = rand(4, dtype=dtype)
    case("Diag", [x], np.diag(x))
    case("DiagPart", [np.diag(x)], x)

REDUCTIONS = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceProd": np.prod}
for name, function in REDUCTIONS.items():
    dtypes = FLOATS if name == "ReduceMean" else (*FLOATS, i32, i64, i8)
    for dtype in dtypes:
        for axes, keep in [([0], False), ([1], True), ([-1], False), ([0, 2], True), ([0, 1, 2], False), ([2, 0], False)]:
            x = rand(2, 3, 4, dtype=dtype)
            with np.errstate(all="ignore"):
                want = np.asarray(function(wide(x), axis=tuple(axes), keepdims=keep)).astype(dtype)
            case(name, [x, Const(axes)], want, keep_dims=keep)
            case(name + "D", [x], want, keep_dims=keep, axes=axes)
    case(name, [(x := rand(2, 3)), Const([], i64)], x, keep_dims=False)
    case(name, [(x := rand()), Const([0], i64)], x)
case("ReduceSum", [rand(0, 3), Const([0], i32)], np.zeros(3, f32))
case("ReduceSum", [rand(2, 3), np.array([0], i64)], rand(3), refuse="must be constant")
case("ReduceSum", [rand(2, 3), Const([0.0], f32)], rand(3), refuse="integer")
case("ReduceSum", [(x := rand(300, 300, dtype=f16, low=0)), Const([0])], x.astype(f32).sum(0).astype(f16))
for name, function in {"ReduceAll": np.all, "ReduceAny": np.any}.items():
    for axes, keep in [([0], False), ([1], True), ([0, 1], False)]:
        x = rand(3, 2, dtype=np.bool_)
        want = np.asarray(function(x, axis=tuple(axes), keepdims=keep))
        case(name, [x, Const(axes)], want, keep_dims=keep)
        case(name + "D", [x], want, keep_dims=keep, axes=axes)
    # Numbers are true unless they are 0: also negative ones, and what is no number.
    for dtype in (*FLOATS, i32, i64):
        x = np.array([[-3, 0], [0, 0], [-1, -2]], dtype)
        case(name, [x, Const([1])], function(x != 0, axis=1).astype(dtype))
    x = np.array([[0, np.nan], [0.25, 0.5]], f32)
    case(name, [x, Const([1])], function(x != 0, axis=1).astype(f32))
    case(name, [np.array(-7, f32), Const([0], i64)], np.array(1, f32))
# What is no number comes out wherever it is.
for dtype in FLOATS:
    for place in range(4):
        x = rand(3, 4, dtype=dtype)
        x[1, place] = np.nan
        for name, function in {"ReduceMax": np.max, "ReduceMin": np.min}.items():
            case(name, [x, Const([1])], function(wide(x), axis=1).astype(dtype))
            case(name + "D", [x], function(wide(x), axis=0, keepdims=True).astype(dtype), axes=[0], keep_dims=True)
for dtype in FLOATS:
    x = rand(3, 4, dtype=dtype)
    case("ReduceLogSumExp", [x, Const([1])], np.log(np.exp(wide(x)).sum(1)).astype(dtype))
formula("SquareSumV1", [(3, 4)], lambda x: (x * x).sum(0), axis=[0])
formula("SquareSumAll", [(3, 4), (2,)], lambda a, b: [(a * a).sum(), (b * b).sum()], (f32,))
formula("L2Loss", [(3, 4)], lambda x: (x * x).sum() / 2)
for correction, keep, axes in [(1, False, (1,)), (0, True, (0, 1))]:
    x = rand(5, 6)
    mean = np.broadcast_to(x.mean(axes, keepdims=True), x.shape)
    var = x.var(axes, ddof=correction, keepdims=keep)
    attributes = {"dim": list(axes), "unbiased": correction == 1, "keepdim": keep, "correction": correction}
    case("ReduceStdV2Update", [x, mean], var, if_std=False, **attributes)
    case("ReduceStdV2Update", [x, mean], np.sqrt(var), if_std=True, **attributes)
    case("ReduceStdWithMean", [x, mean], np.sqrt(var), **attributes)
    case("ReduceStdWithMean", [x, mean], 1 / np.sqrt(var + 0.5), invert=True, epsilon=0.5, **attributes)
    case("ReduceStd", [x], [np.sqrt(var), x.mean(axes, keepdims=keep)], dim=list(axes), unbiased=correction == 1, keepdim=keep)
formula("ReduceMeanVariance", [(3, 4)], lambda x: [x.mean(1, keepdims=True), x.var(1, keepdims=True)], axes=[1], keep_dims=True)

INF = 2147483648.0
NORMS = {2.0: lambda x, a: (x * x).sum(a), 1.0: lambda x, a: abs(x).sum(a), 3.0: lambda x, a: (abs(x) ** 3).sum(a),
         0.0: lambda x, a: (x != 0).sum(a), INF: lambda x, a: abs(x).max(a), -INF: lambda x, a: abs(x).min(a)}
for p, function in NORMS.items():
    x = rand(3, 4)
    x[1, 1] = 0
    root = 1 / p if p in (2.0, 3.0) else 1
    for axes, axis in ([], None), ([1], 1):
        want = np.asarray(function(x, axis)).astype(f32)
        case("LpNormReduceV2", [x], want, p=p, axes=axes, keepdim=False, epsilon=0.0)
        case("LpNormV2", [x], want**f32(root), p=p, axes=axes)
        case("LpNorm", [x], want**f32(root), p=int(p), axes=axes)
        case("LpNormReduce", [x], want, p=int(p), axes=axes)
    case("LpNormUpdateV2", [abs(x)], abs(x) ** f32(root), p=p, epsilon=0.0)
    case("LpNormUpdate", [abs(x)], abs(x) ** f32(root), p=int(p))
x = rand(3, 4)
norm = np.sqrt((x * x).sum(1, keepdims=True))
factors = np.where(norm > 1.5, 1.5 / norm, 1).astype(f32)
packed = np.ones(x.shape, f32)
packed.ravel()[:3] = factors.ravel()
case("Renorm", [x], packed, p=2.0, dim=0, maxnorm=1.5)
case("Renorm", [x], np.where(norm > 1.5, 1.5 / norm, 1).astype(f32), p=2.0, dim=0, maxnorm=1.5)
formula("Cdist", [(2, 3, 4, 5)] * 2, lambda a, b: np.sqrt(((a - b) ** 2).sum(-1)), p=2.0)
formula("Cdist", [(2, 3, 5)] * 2, lambda a, b: abs(a - b).sum(-1), (f32,), p=1.0)
for p in (0.0, 1.0, 1.5, 2.0, -1.0):
    one, two, grad = rand(2, 3, 1, 5), rand(2, 1, 4, 5), rand(2, 3, 4, 1)
    two[:, :, 0] = one[:, 0]
    one, two, grad = (np.broadcast_to(each, (2, 3, 4, 5)).copy() for each in (one, two, grad))
    gap = wide(one) - wide(two)
    far = abs(gap).max(-1) if p < 0 else (gap != 0).sum(-1) if p == 0 else (abs(gap) ** p).sum(-1) ** (1 / p)
    far = np.broadcast_to(far[..., None], gap.shape).astype(f32)
    if p == 0:
        slope = 0 * gap
    elif p < 0:
        slope = np.sign(gap) * (abs(gap) == abs(gap).max(-1, keepdims=True))
    else:
        slope = np.where(gap == 0, 0, np.sign(gap) * (np.where(gap == 0, 1, abs(gap)) / np.where(far == 0, 1, far)) ** (p - 1))
    case("CdistGrad", [grad, one, two, far], (wide(grad) * slope).sum(-2).astype(f32), p=p)
case("CdistGrad", [grad, one, two, far], rand(2, 3, 5), refuse="`p`", p=-3.0)
case("CdistGrad", [rand(4, 0, 5)] * 4, np.zeros((4, 5), f32), p=2.0)

for name in ("MatMul", "MatMulV2", "MatMulV3"):
    for dtype in (*FLOATS, i32, i64):
        for ta in (False, True):
            for tb in (False, True):
                a, b = rand(5, 3, dtype=dtype), rand(3, 4, dtype=dtype)
                bias = rand(4, dtype=dtype)
                want = wide(a) @ wide(b)
                a, b = (a.T.copy() if ta else a), (b.T.copy() if tb else b)
                case(name, [a, b], want.astype(dtype), transpose_x1=ta, transpose_x2=tb)
                case(name, [a, b, bias], (want + wide(bias)).astype(dtype), transpose_x1=ta, transpose_x2=tb)
a, b = rand(3, 4, dtype=i8), rand(4, 2, dtype=i8)
case("MatMulV2", [a * 30, b * 30], a.astype(i32) * 30 @ (b.astype(i32) * 30))
case("MatMul", [(a := rand(0, 3)), (b := rand(3, 5))], a @ b)
case("MatMul", [rand(2, 0), rand(0, 5)], np.zeros((2, 5), f32))
for name in ("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"):
    for dtype in (*FLOATS, i32):
        for ta in (False, True):
            a, b = rand(2, 5, 3, dtype=dtype), rand(2, 3, 4, dtype=dtype)
            want = (wide(a) @ wide(b)).astype(dtype)
            a2, b2 = (np.swapaxes(a, 1, 2).copy(), np.swapaxes(b, 1, 2).copy()) if ta else (a, b)
            case(name, [a2, b2], want, adj_x1=ta, adj_x2=ta)
    case(name, [(a := rand(3, 1, 2, 3)), (b := rand(4, 3, 2))], a @ b)
    case(name, [rand(2, 3, 0), rand(2, 0, 4)], np.zeros((2, 3, 4), f32))
formula("GEMM", [(3, 4), (4, 2), (3, 2), (1,), (1,)], lambda a, b, c, x, y: x * (a @ b) + y * c, (f32, f16, i32))
formula("Einsum", [(2, 3, 4), (2, 4, 5)], lambda a, b: np.einsum("bij,bjk->bik", a, b), equation="bij,bjk->bik", N=2)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


for axis in (-1, 0, 1):
    formula("SoftmaxV2", [(3, 4, 5)], lambda x: softmax(x, axis), FLOATS, axes=[axis])
    formula("LogSoftmaxV2", [(3, 4, 5)], lambda x: np.log(softmax(x, axis)), FLOATS, axes=[axis])
    formula("SoftmaxGrad", [(3, 4, 5)] * 2, lambda y, dy: (dy - (dy * y).sum(axis, keepdims=True)) * y, axes=[axis])
    formula("LogSoftmaxGrad", [(3, 4, 5)] * 2, lambda dy, y: dy - np.exp(y) * dy.sum(axis, keepdims=True), axis=[axis])
formula("SoftmaxV2", [(3, 4, 5)], lambda x: softmax(x, (1, 2)), axes=[1, 2])
formula("LogSoftmaxV2", [(3, 4, 5)], lambda x: np.log(softmax(x, (1, 2))), axes=[1, 2])
formula("SoftmaxV2", [(0, 5)], lambda x: x, (f32,), axes=[-1])
case("SoftmaxV2", [np.array([1000, 1000, -np.inf], f32)], np.array([0.5, 0.5, 0], f32), axes=[-1])
formula("ConfusionSoftmaxGrad", [(3, 4)] * 2, lambda dy, y: dy - (dy * y).sum(-1, keepdims=True))
x, m, dy = rand(2, 3, 4), rand(2, 1, 4, dtype=np.bool_), rand(2, 3, 4)
y = softmax(np.where(m, -10000, x * 0.5)).astype(f32)
case("ScaledMaskedSoftmax", [x, m], y, scale=0.5)
case("ScaledMaskedSoftmax", [x], softmax(x * 0.5), scale=0.5)
dx = (dy - (dy * y).sum(-1, keepdims=True)) * y * 0.5
case("ScaledMaskedSoftmaxGrad", [dy, y, m], np.where(m, 0, dx).astype(f32), scale=0.5)
x, t = rand(4, 5), softmax(rand(4, 5))
case("SoftmaxCrossEntropyWithLogits", [x, t], [-(t * np.log(softmax(x))).sum(-1), softmax(x) - t])
t = np.array([0, 4, 2, 2], i32)
hot = (t[:, None] == np.arange(5)).astype(f32)
case("SparseSoftmaxCrossEntropyWithLogits", [x, t], [-(hot * np.log(softmax(x))).sum(-1), softmax(x) - hot])

formula("Trace", [(4, 4)], np.trace, (*FLOATS, i32))
formula("Trace", [(3, 5)], np.trace, (f32,))
case("HardMax", [np.array([[1, 3, 3], [5, 2, 1]], f32)], np.array([[0, 1, 0], [1, 0, 0]], f32))
for dtype in (f32, f16, bf16):
    x = RNG.permutation(60).reshape(3, 4, 5).astype(dtype)
    case("HardMax", [x], (x == x.max(1, keepdims=True)).astype(dtype), axis=1)
half = lambda x: np.concatenate([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1)
pairs = lambda x: np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
ROPE = [(2, 3, 4, 6), (1, 3, 1, 6), (1, 3, 1, 6)]
formula("RotaryMul", ROPE, lambda x, c, s: x * c + half(x) * s)
formula("RotaryPositionEmbedding", ROPE, lambda x, c, s: x * c + half(x) * s, mode=0)
formula("RotaryPositionEmbedding", ROPE, lambda x, c, s: x * c + pairs(x) * s, mode=1)
formula("ApplyRotaryPosEmb", [(2, 3, 4, 6), (2, 3, 2, 6), *ROPE[1:]], lambda q, k, c, s: [q * c + half(q) * s, k * c + half(k) * s])
back = lambda x: np.concatenate([x[..., x.shape[-1] // 2 :], -x[..., : x.shape[-1] // 2]], -1)
total = lambda x: x.sum((0, 2), keepdims=True)
for dtype, tolerance in ((f32, 1e-4), (f16, 1e-2), (bf16, 1e-1)):
    x, c, s, d = (rand(*shape, dtype=dtype) for shape in (*ROPE, ROPE[0]))
    wx, wc, ws, wd = map(wide, (x, c, s, d))
    grads = [wd * wc + back(wd * ws), total(wd * wx), total(wd * half(wx))]
    case("RotaryMulGrad", [x, c, s, d], [Loose(g.astype(dtype), tolerance) for g in grads])

# Reductions over nothing, of what is no number, and of more bits than a float has.
nothing = np.zeros((0,), bool)
for name, value in (("ReduceAny", False), ("ReduceAll", True)):
    case(name, [nothing, Const([0])], np.array(value))
    case(name, [np.zeros((2, 0, 3), bool), Const([1])], np.full((2, 3), value))
    case(name, [np.zeros((2, 0), f32), Const([1])], np.full(2, value, f32))
    case(name + "D", [np.zeros((2, 0), bool)], np.full(2, value), axes=[1])
for dtype in (f32, f16, f64):
    x = np.array([[1, 2, np.nan], [np.nan, 1, 2], [1, np.nan, 2], [3, 2, 1]], dtype)
    for name, function in (("ReduceMax", np.max), ("ReduceMin", np.min)):
        case(name, [x, Const([1])], function(x, 1))
        case(name, [x, Const([0, 1])], np.array(np.nan, dtype))
        case(name + "D", [x], function(x, 1), axes=[1])
large = np.array([[3, 2**31 + 1, 2**20 + 3], [-7, 2**40 + 1, 5]], i64)
case("ReduceProd", [large, Const([1])], np.prod(large, 1))
case("ReduceProdD", [large], np.prod(large, 1), axes=[1])
large = np.array([[3**20, 3**15 + 2], [2**40 + 1, -(2**22) - 1]], i64)
case("ReduceProd", [large, Const([-1])], np.prod(large, 1, keepdims=True), keep_dims=True)
case("ReduceProd", [large[:1], Const([0, 1])], np.prod(large[:1]))
case("ReduceProd", [np.zeros((2, 0, 3), i64), Const([1])], np.ones((2, 3), i64))
case("ReduceProd", [np.array(7, i64), Const([])], np.array(7, i64))
case("SearchSorted", [np.array([1, 2, np.nan], f32), np.array([np.nan, 1.5, 9], f32)], np.array([3, 1, 2], i64))
case("SearchSorted", [np.array([1, 2, 3], f32), np.array([np.nan, 2], f32)], np.array([3, 2], i64), right=True)
case("Bucketize", [np.array([np.nan, 1.5], f32)], np.array([2, 1], i64), boundaries=[1.0, 2.0])

# Sums of many floats keep their digits: added one after another in 32 bits, the ones would be lost beside the large number.
for dtype in (f32, f16, bf16):
    large = 2**25 if dtype == f32 else 2**14
    lost = np.concatenate([[large], np.ones(4096), [-large]]).astype(dtype)
    case("ReduceSum", [lost, Const([0])], np.array(4096, dtype))
    case("ReduceSumD", [lost.reshape(2, -1)], lost.astype(f64).reshape(2, -1).sum(1).astype(dtype), axes=[1])
    case("ReduceMean", [lost, Const([0])], np.array(4096 / 4098, dtype))
    case("ReduceMeanD", [lost], np.array(4096 / 4098, dtype), axes=[0])
many = rand(2**23, dtype=f32) * 50 + 50
exact = many.astype(f64)
case("ReduceStd", [many], [np.array(exact.std(ddof=1), f32), np.array(exact.mean(), f32)], dim=[0], unbiased=True, keepdim=False)
case("ReduceMeanVariance", [many], [np.array([exact.mean()], f32), np.array([exact.var()], f32)], axes=[0], keep_dims=True)
mean = np.array(exact.mean(), f32)
case("ReduceStdV2Update", [many, mean], np.array(exact.var(), f32), dim=[0], if_std=False, unbiased=False, keepdim=False)
case("LpNormV2", [many], np.array(np.sqrt((exact**2).sum()), f32), p=2.0, axes=[0], keepdim=False)
case("LpNormV2", [many], np.array(abs(exact).sum(), f32), p=1.0, axes=[0], keepdim=False)
case("L2Loss", [many], np.array((exact**2).sum() / 2, f32))
