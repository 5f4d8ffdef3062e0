"""Arithmetic on two tensors and its combinations."""

import numpy as np

from .base import *  # noqa: F403

FLOATS = (f32, f16, bf16, f64)
NUMBERS = (*FLOATS, i32, i64, i8, u8, i16)
PAIRS = [((3, 4), (3, 4)), ((2, 1, 5), (4, 1)), ((3,), ()), ((0, 3), (1, 3))]


def wrap(function, dtypes, low=-3, high=3):
    """Each pair of shapes, each type; unsigned ones from 0."""
    def make(kind, **attributes):
        for dtype in dtypes:
            start = max(low, 1) if np.dtype(dtype).kind == "u" else low
            for shapes in PAIRS:
                formula(kind, shapes, function, (dtype,), start, high, **attributes)
    return make


for name in ("Add", "AddV2"):
    wrap(np.add, NUMBERS)(name)
wrap(np.subtract, NUMBERS)("Sub")
wrap(np.multiply, NUMBERS)("Mul")
wrap(np.maximum, NUMBERS)("Maximum")
wrap(np.minimum, NUMBERS)("Minimum")
wrap(np.divide, FLOATS, 0.5)("RealDiv")
wrap(np.divide, FLOATS, 0.5)("Div")
case("Add", [np.array([250, 3], u8), np.array([10, 4], u8)], np.array([4, 7], u8))
case("Div", [np.array([7, -7, 7, -7], i32), np.array([2, 2, -2, -2], i32)], np.array([3, -3, -3, 3], i32))
case("Mul", [np.array([True, True, False]), np.array([True, False, False])], np.array([True, False, False]))
case("Maximum", [np.array([1, np.nan, 2], f32), np.array([np.nan, 1, 1], f32)], np.array([np.nan, np.nan, 2], f32))

for name in ("AddN", "AccumulateNV2"):
    formula(name, [(2, 3)] * 4, lambda *x: sum(x), (f32, f16, i32), N=4)
    formula(name, [(2, 3)], lambda x: x, N=1)
formula("Axpy", [(2, 3), (2, 3)], lambda a, b: a + 0.5 * b, alpha=0.5)
case("Axpy", [rand(2), rand(2)], rand(2), refuse="`alpha` is not set")
formula("AxpyV2", [(2, 3), (2, 3), ()], lambda a, b, c: a + c * b, FLOATS)
formula("AxpyV2", [(2, 3), (2, 3), (1,)], lambda a, b, c: a + c * b, (f32, i32))
formula("Addcmul", [(2, 3), (2, 3), (3,), ()], lambda x, a, b, v: x + v * a * b, FLOATS)
formula("Addcdiv", [(2, 3), (2, 3), (3,), ()], lambda x, a, b, v: x + v * a / b, FLOATS, low=0.5)
formula("Lerp", [(2, 3), (2, 3), ()], lambda a, b, w: a + w * (b - a), FLOATS)
formula("Lerp", [(2, 3), (2, 3), (2, 3)], lambda a, b, w: a + w * (b - a))
for name in ("FusedMulAdd", "FusedMulAddN"):
    formula(name, [(2, 3), (2, 3), (1,)], lambda a, b, c: a * b + c, (f32, f16, i32))
formula("Adds", [(2, 3)], lambda x: x + 3, (f32, bf16, i32), value=3.0)
formula("Muls", [(2, 3)], lambda x: x * 3, (f32, bf16, i32), value=3.0)
wrap(np.power, FLOATS, 0.1)("Pow")
wrap(lambda a, b: a**b, (i32, i64), 0, 4)("Pow")
formula("SquaredDifference", [(2, 3), (3,)], lambda a, b: (a - b) ** 2, (*FLOATS, i32, i64))

case("DivNoNan", [np.array([1, 2, 0], f32), np.array([0, 4, 0], f32)], np.array([0, 0.5, 0], f32))
case("DivNoNan", [np.array([1, 9, 0], i32), np.array([0, 4, 0], i32)], np.array([0, 2, 0], i32))
case("Xdivy", [np.array([0, 2, 1], f32), np.array([0, 4, 2], f32)], np.array([0, 0.5, 0.5], f32))
case("Xlogy", [np.array([0, 2], f32), np.array([0, 4], f32)], np.array([0, 2 * np.log(4)], f32))

SEVENS = [np.array([7, -7, 7, -7, 6], f32), np.array([2, 2, -2, -2, 3], f32)]
for dtype in (f32, f16, bf16, f64, i32, i64):
    a, b = (x.astype(dtype) for x in SEVENS)
    case("FloorDiv", [a, b], np.array([3, -4, -4, 3, 2], dtype))
    case("FloorMod", [a, b], np.array([1, 1, -1, -1, 0], dtype))
    case("Mod", [a, b], np.array([1, -1, 1, -1, 0], dtype))
    case("TruncateMod", [a, b], np.array([1, -1, 1, -1, 0], dtype))
    case("TruncateDiv", [a, b], np.array([3, -3, -3, 3, 2], dtype))
formula("FloorDiv", [(4, 5), ()], np.floor_divide, low=0.3)
formula("FloorMod", [(4, 5), (1,)], np.mod, (i64,), low=1, high=9)
formula("Mod", [(4, 5), (5,)], np.fmod, (f32, f64), low=0.3)

SIGNS = np.array([1.0, 1, -1, -1, 0, 0, 2, -2, 0], f32), np.array([1.0, -1, 1, -1, 1, -1, 0, 0, 0], f32)
case("Atan2", SIGNS, np.arctan2(*SIGNS))
formula("Atan2", [(3, 4), (4,)], np.arctan2, FLOATS)
formula("Dot", [(7,), (7,)], np.dot, (*FLOATS, i32, i64))

# Division of integers: by 0 gives 0, and the least number by -1 wraps. Neither ends the process.
for dtype in (i8, i16, i32, i64):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    tops = np.array([least, most, least, 0, 7, -7, 7, -7, 7, least], dtype)
    bottoms = np.array([-1, -1, 0, 0, 0, 0, -2, 2, -1, 1], dtype)
    towards_zero = np.array([least, -most, 0, 0, 0, 0, -3, -3, -7, least], dtype)
    down = np.array([least, -most, 0, 0, 0, 0, -4, -4, -7, least], dtype)
    rest = np.array([0, 0, 0, 0, 0, 0, 1, -1, 0, 0], dtype)
    rest_down = np.array([0, 0, 0, 0, 0, 0, -1, 1, 0, 0], dtype)
    for name in ("Div", "RealDiv", "TruncateDiv", "DivNoNan", "Xdivy"):
        case(name, [tops, bottoms], towards_zero)
    case("FloorDiv", [tops, bottoms], down)
    for name in ("Mod", "TruncateMod"):
        case(name, [tops, bottoms], rest)
    case("FloorMod", [tops, bottoms], rest_down)
    one = np.ones(len(tops), dtype)
    with np.errstate(over="ignore"):
        case("Addcdiv", [one, tops, bottoms, np.array(1, dtype)], one + towards_zero)
for dtype in (u8, u16, u32, u64):
    tops, bottoms = np.array([np.iinfo(dtype).max, 9, 9], dtype), np.array([np.iinfo(dtype).max, 0, 4], dtype)
    case("Div", [tops, bottoms], np.array([1, 0, 2], dtype))
    case("FloorDiv", [tops, bottoms], np.array([1, 0, 2], dtype))
    case("FloorMod", [tops, bottoms], np.array([0, 0, 1], dtype))
    case("Mod", [tops, bottoms], np.array([0, 0, 1], dtype))
# Remainders of 64 bits keep all of them.
case("Mod", [np.array([2**62 + 1, -(2**62) - 1], i64), np.array([2**31, 2**31], i64)], np.array([1, -1], i64))
case("Div", [np.array([[4, -4], [9, 0]], i32), np.array(0, i32)], np.zeros((2, 2), i32))

# Powers of integers keep all their bits and wrap around, as numpy's do.
for dtype in (i64, i32, u8):
    a = np.array([3, -3, 2, 2, 7, 0, 0, 1, -1, -1, 10, 5, 3, 6], np.int64).astype(dtype)
    b = np.array([39, 39, 62, 64, 3, 0, 5, 100, 100, 101, 18, 27, 255, 1000], np.int64).astype(dtype)
    with np.errstate(all="ignore"):
        want = np.array([pow(int(x), int(y), 2**64) for x, y in zip(a, b)], np.uint64).astype(dtype)
    case("Pow", [a, b], want)
# Exponents of more than 8 bits.
a, b = np.array([2, 0, 6, 3, -3, -1, 1, 7], i64), np.array([256, 256, 512, 256, 257, 2**40 + 1, 2**62, 2**33 + 5], i64)
case("Pow", [a, b], np.array([pow(int(x), int(y), 2**64) for x, y in zip(a, b)], np.uint64).astype(i64))
# A negative power of an integer is towards 0; of 0 it is 0, as everything that is divided by it.
case("Pow", [np.array([2, 1, -1, -1, 0, -5], i64), np.array([-1, -7, -2, -3, -1, -1], i64)], np.array([0, 1, 1, -1, 0, 0], i64))
case("Pow", [np.array([3**20, 3**20 + 1], i64), np.array(2, i64)], np.array([3**40, (3**20 + 1) ** 2], np.uint64).astype(i64))
