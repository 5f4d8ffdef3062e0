"""Functions of one number, comparisons, bits, casts."""

import math

import numpy as np

from .base import *  # noqa: F403

FLOATS = (f32, f16, bf16, f64)
erf = np.vectorize(math.erf, otypes=[f64])
erfc = np.vectorize(math.erfc, otypes=[f64])


def unary(kind, function, dtypes=FLOATS, low=-2.0, high=2.0, **attributes):
    for shape in [(3, 4), (), (0, 2), (2, 3, 4, 5)]:
        formula(kind, [shape], function, dtypes, low, high, **attributes)


unary("Abs", np.abs, (*FLOATS, i32, i64, i8, i16), -5, 5)
unary("Neg", np.negative, (*FLOATS, i32, i64, i8), -5, 5)
unary("Sign", np.sign, (*FLOATS, i32, i64, i8), -2, 2)
unary("Square", np.square, (*FLOATS, i32, i64), -5, 5)
unary("Sqrt", np.sqrt, low=0)
unary("Rsqrt", lambda x: 1 / np.sqrt(x), low=0.1)
unary("Reciprocal", lambda x: 1 / x, low=0.1)
unary("Inv", lambda x: 1 / x, low=0.1)
unary("Exp", np.exp)
unary("Exp", lambda x: 2 ** (3 * x + 1), (f32,), base=2.0, scale=3.0, shift=1.0)
unary("Log", np.log, low=0.1)
unary("Log", np.log2, (f32,), low=0.1, base=2.0, scale=1.0, shift=0.0)
unary("Log", lambda x: np.log10(2 * x + 1), (f32,), low=0.1, base=10.0, scale=2.0, shift=1.0)
SMALL = np.array([0, 1e-8, -1e-8, 1e-4, -1e-3, 0.3, -0.3, 5, 80], f32)
case("Expm1", [SMALL], Loose(np.expm1(SMALL.astype(f64)).astype(f32), 1e-5))
case("Expm1", [np.array([-np.inf, 100, -200], f32)], np.array([-1, np.inf, -1], f32))
unary("Expm1", np.expm1)
case("Log1p", [SMALL], np.log1p(SMALL.astype(f64)).astype(f32))
case("Log1p", [np.array([-1, np.inf, 1e30], f32)], np.array([-np.inf, np.inf, np.log(1e30)], f32))
unary("Log1p", np.log1p, low=-0.9)
for name, function, low, high in [
    ("Sin", np.sin, -9, 9), ("Cos", np.cos, -9, 9), ("Tan", np.tan, -1, 1), ("Asin", np.arcsin, -1, 1),
    ("Acos", np.arccos, -1, 1), ("Atan", np.arctan, -9, 9), ("Sinh", np.sinh, -2, 2), ("Cosh", np.cosh, -2, 2),
    ("Asinh", np.arcsinh, -9, 9), ("Acosh", np.arccosh, 1.5, 9), ("Atanh", np.arctanh, -0.9, 0.9),
    ("Erf", erf, -2, 2), ("Erfc", erfc, -2, 2),
]:
    unary(name, function, FLOATS, low, high)
case("Erfc", [np.array([3, 5, 8, -3, 0.6], f32)], Loose(erfc(np.array([3, 5, 8, -3, 0.6], f32)).astype(f32), 1e-5))
GRID = np.linspace(-2.9, 2.9, 59)
case("Erfinv", [erf(GRID).astype(f32)[8:-8]], Loose(GRID.astype(f32)[8:-8], 1e-3))
case("Erfinv", [np.array([0, 0.5, -0.25, 0.9, 1, -1, 2], f32)], np.array([0, 0.47693628, -0.22531206, 1.16308716, np.inf, -np.inf, np.nan], f32))
unary("Floor", np.floor)
unary("Ceil", np.ceil)
unary("Rint", np.rint)
HALVES = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 1.2], f32)
case("Round", [HALVES], np.array([0, 2, 2, -0.0, -2, 1], f32))
unary("Round", np.round, (f32, bf16, i64))
case("Round", [np.array([1.234, -5.678], f32)], np.array([1.23, -5.68], f32), decimals=2)
unary("Trunc", np.trunc)
case("Trunc", [np.array([1, -2], i64)], np.array([1, -2], i64))
formula("SqrtGrad", [(3, 4)] * 2, lambda y, dy: dy * 0.5 / y, low=0.5)
formula("RsqrtGrad", [(3, 4)] * 2, lambda y, dy: -0.5 * dy * y**3)
for name in ("ReciprocalGrad", "InvGrad"):
    formula(name, [(3, 4)] * 2, lambda y, dy: -dy * y * y)
case("Sqrt", [np.array([1], i32)], np.array([1], i32), refuse="floating-point")
case("Sqrt", [], np.array([1], f32), refuse="input 0 is missing")
case("Sqrt", [rand(2), rand(2)], rand(2), refuse="at most 1 inputs")

ORDER = {"Equal": np.equal, "NotEqual": np.not_equal, "Less": np.less, "LessEqual": np.less_equal,
         "Greater": np.greater, "GreaterEqual": np.greater_equal}
for name, function in ORDER.items():
    for shapes in [((3, 4), (3, 4)), ((3, 4), ()), ((2, 1), (3,)), ((0,), ())]:
        formula(name, shapes, function, (*FLOATS, i32, i64, i8, u8, i16, np.bool_), 0, 3, out=np.bool_)
case("Equal", [np.array([np.nan, np.inf], f32)] * 2, np.array([False, True]))
NEAR = np.array([1, 1, np.nan, np.inf, np.inf, 2], f32), np.array([1.000001, 1.1, np.nan, np.inf, 1, np.inf], f32)
case("IsClose", NEAR, np.array([True, False, False, True, False, False]), rtol=1e-5, atol=1e-8, equal_nan=False)
case("IsClose", NEAR, np.array([True, False, True, True, False, False]), equal_nan=True)
case("ApproximateEqual", [np.array([1, 2], f32), np.array([1, 2.1], f32)], np.array([True, False]), tolerance=0.01)
case("TensorEqual", [np.array([[1, 2]], f32)] * 2, np.array([True]))
case("TensorEqual", [np.array([1, 2], f32), np.array([1, 3], f32)], np.array([False]))
case("TensorEqual", [np.array([1, 2], i64), np.array([1, 3], i64)], np.array(False))
SPECIAL = np.array([1, np.nan, np.inf, -np.inf], f32)
for dtype in FLOATS:
    x = SPECIAL.astype(dtype)
    case("IsNan", [x], np.array([False, True, False, False]))
    case("IsInf", [x], np.array([False, False, True, True]))
    case("IsFinite", [x], np.array([True, False, False, False]))
for name, function in {"LogicalAnd": np.logical_and, "LogicalOr": np.logical_or, "LogicalXor": np.logical_xor}.items():
    formula(name, [(4, 5), (5,)], function, (np.bool_,))
formula("LogicalNot", [(4, 5)], np.logical_not, (np.bool_,))
for name, function in {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor}.items():
    formula(name, [(4, 5), (5,)], function, (i64, i32, i16, i8, u8, np.bool_), 0, 100)
    case(name, [rand(2), rand(2)], rand(2), refuse="integer")
formula("Invert", [(4, 5)], np.invert, (i64, i32, i16, i8, u8), 0, 100)
formula("LeftShift", [(4, 5), (4, 5)], np.left_shift, (i64, i32, u8), 0, 3)
case("LeftShift", [np.array([-3, 5], i64), np.array([2, 40], i64)], np.array([-12, 5 << 40], i64))
case("RightShift", [np.array([-9, 9, -1], i64), np.array([1, 1, 5], i64)], np.array([-5, 4, -1], i64))
case("RightShift", [np.array([-9, 9], i32), np.array([1, 1], i32)], np.array([-5, 4], i32))
for name in ("Select", "SelectV2"):
    for dtype in (*FLOATS, i64, i32, i16, i8, u8, np.bool_):
        c, a, b = rand(3, 4, dtype=np.bool_), rand(3, 4, dtype=dtype, low=0), rand(3, 4, dtype=dtype, low=0)
        case(name, [c, a, b], np.where(c, a, b))
    c, a, b = np.array([True, False, True]), rand(3, 4), rand(3, 4)
    case(name, [c, a, b], np.where(c[:, None], a, b))
    c, a, b = np.array([[True], [False]]), rand(2, 3), rand(1, 3)
    case(name, [c, a, b], np.where(c, a, b))
for dtype in (*FLOATS, i64, i32, np.bool_):
    x, m, v = rand(2, 3, 4, dtype=dtype), rand(3, 4, dtype=np.bool_), rand(dtype=dtype)
    case("MaskedFill", [x, m, v], np.where(m, v, x))
case("MaskedFill", [rand(2), np.array([True, True]), np.array([-np.inf], f32)], np.array([-np.inf] * 2, f32))
case("NanToNum", [SPECIAL], np.array([1, 7, 8, -9], f32), nan=7.0, posinf=8.0, neginf=-9.0)
case("NanToNum", [SPECIAL], np.array([1, 0, np.inf, -np.inf], f32), nan=0.0, posinf=np.inf, neginf=-np.inf)
case("NanToNum", [SPECIAL.astype(f16)], np.array([1, 0, 65504, -65504], f16))
for name in ("ClipByValue", "ClipByValueV2"):
    formula(name, [(3, 4), (), ()], lambda x, a, b: np.minimum(np.maximum(x, a), b), (*FLOATS, i64, i32))
    formula(name, [(3, 4), (4,), (3, 4)], lambda x, a, b: np.minimum(np.maximum(x, a), b), (f32, i32))

ALL = (f32, f16, bf16, f64, i64, i32, i16, i8, u8, np.bool_)
for source in ALL:
    for target in ALL:
        x = rand(3, 4, dtype=source, low=0, high=3)
        case("Cast", [x], wide(x).astype(target), dst_type=ACL[target])
case("Cast", [np.array([1.7, -1.7], f32)], np.array([1, -1], i32), dst_type=3)
TIES = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-16], f32)
case("Cast", [TIES], Check(TIES.astype(bf16), lambda y: (y == TIES.astype(bf16)).all()), dst_type=27)
for name in ("Identity", "TensorMove", "StopGradient"):
    for dtype in (*ALL, u16, u32, u64):
        x = rand(2, 3, dtype=dtype, low=0)
        case(name, [x], x)
case("Assign", [rand(2, 3), (v := rand(2, 3))], v)
formula("AssignAdd", [(2, 3)] * 2, np.add, (f32, f16, i64))
formula("AssignSub", [(2, 3)] * 2, np.subtract, (f32, f16, i64))
case("Identity", [rand(2)], rand(2), refuse="format 29", formats={0: 29})
