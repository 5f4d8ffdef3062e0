"""Quotients and remainders."""

import ml_dtypes
import numpy

from harness import Ref, case

from cases.arithmetic import in_place, pairs, plain, wide

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint64"]
A = numpy.array([7, -7, 7, -7, 0.5, -0.5, 1, -1, 0, 1, -1, 5, numpy.inf, numpy.nan, 1, 1, -1, 0.3, 6], "float64")
B = numpy.array([2, 2, -2, -2, 0.5, 0.2, 0, 0, 0, numpy.inf, numpy.inf, -numpy.inf, 2, 2, numpy.nan, 0.1, 0.1, 0.1, -0.1], "float64")


def scalar(f):
    """Whether the divisor is a number."""
    return f.name.endswith("s") or f.name.endswith("Scalar")


@case("aclnnDiv", "aclnnInplaceDiv", "aclnnDivs", "aclnnInplaceDivs")
def _(f):
    for a, b in pairs(f, [*FLOATS, "complex64", "complex128"], 0.5, 4):
        if scalar(f):
            plain(f, a, (wide(a) / a.dtype.type(4)).astype(a.dtype), other=4)
            plain(f, a, (wide(a) / a.dtype.type(0.5)).astype(a.dtype), other=0.5)
        else:
            plain(f, a, (wide(a) / wide(b)).astype(a.dtype), other=b)
    with numpy.errstate(all="ignore"):
        a = numpy.array([1, -1, 0, numpy.nan], "float32")
        plain(f, a, a / 0, other=0 if scalar(f) else numpy.zeros(4, "float32"))
        for dtype in [*INTS, bool]:
            a = f.rand((3, 4), dtype)
            b = 3 if scalar(f) else f.rand((4,), dtype)
            if in_place(f):
                f.refuses(selfRef=Ref(a, a), other=b)
            else:
                f.check(self=a, other=b, out=(a.astype("float32") / numpy.asarray(b).astype("float32")))
                f.refuses(self=a, other=b, out=a)


def quotient(mode, a, b):
    """The quotient of integers by Python's arithmetic, wrapped; 0 for divisions by 0."""
    bits = a.dtype.itemsize * 8

    def divide(x, y):
        x, y = int(x), int(y)
        if y == 0:
            return 0
        q = x // y if mode == 2 or x * y >= 0 else -(abs(x) // abs(y))
        return q % 2**bits

    flat = [divide(x, y) for x, y in zip(a.ravel(), numpy.broadcast_to(b, a.shape).ravel())]
    return numpy.array(flat, f"uint{bits}").astype(a.dtype).reshape(a.shape)


def integer_pairs(f):
    for a, b in pairs(f, INTS, -9, 9):
        yield a, b
    for dtype in INTS:
        info = numpy.iinfo(dtype)
        yield numpy.array([info.min, info.min, info.max, 5, info.min, info.max], dtype), numpy.array([info.max if info.min == 0 else -1, 0, 2, 0, 3, 1], dtype)


@case("aclnnDivMod", "aclnnInplaceDivMod", "aclnnDivMods", "aclnnInplaceDivMods")
def _(f):
    by_number = f.name.endswith("s")
    with numpy.errstate(all="ignore"):
        for dtype in FLOATS:
            for mode, rounding in [(0, lambda x: x), (1, numpy.trunc), (2, numpy.floor)]:
                for a, b in pairs(f, [dtype], 0.5, 9):
                    b = b.dtype.type(0.75) if by_number else b
                    want = rounding(wide(a) / wide(numpy.asarray(b)))
                    plain(f, a, want.astype(dtype), other=float(b) if by_number else b, mode=mode)
        for a, b in integer_pairs(f):
            for mode in [1, 2]:
                if by_number:
                    for other in {int(x) for x in numpy.asarray(b).ravel()[:3]}:
                        if -(2**63) <= other < 2**63:
                            plain(f, a, quotient(mode, a, numpy.array(other).astype(a.dtype)), other=numpy.int64(other), mode=mode)
                else:
                    plain(f, a, quotient(mode, a, b), other=b, mode=mode)
        if not by_number:
            plain(f, A, numpy.floor_divide(A, B), other=B, mode=2)
            plain(f, A, numpy.trunc(A / B), other=B, mode=1)
    a = f.rand((3,))
    b = 2 if by_number else a
    if in_place(f):
        f.refuses(selfRef=Ref(a, a), other=b, mode=3)
        a = f.rand((3,), "int32")
        f.refuses(selfRef=Ref(a, a), other=2 if by_number else a, mode=0)
    else:
        f.refuses(self=a, other=b, mode=3, out=a)
        a = f.rand((5,), "int32", -9, 9)
        f.check(self=a, other=2 if by_number else a * 0 + 2, mode=0, out=(a / 2).astype("float32"))
        f.check(self=a, other=0.5 if by_number else numpy.full(5, 0.5, "float32"), mode=2, out=(a * 2).astype("float32"))


@case("aclnnFloorDivide", "aclnnInplaceFloorDivide", "aclnnFloorDivides", "aclnnInplaceFloorDivides")
def _(f):
    by_number = f.name.endswith("s")
    with numpy.errstate(all="ignore"):
        for dtype in FLOATS:
            for a, b in pairs(f, [dtype], -9, 9):
                b = numpy.asarray(0.75, dtype) if by_number else b
                plain(f, a, numpy.floor_divide(wide(a), wide(b)).astype(dtype), other=0.75 if by_number else b)
        for a, b in integer_pairs(f):
            b = numpy.asarray(4, a.dtype) if by_number else b
            plain(f, a, quotient(2, a, b), other=4 if by_number else b)
        if not by_number:
            plain(f, A, numpy.floor_divide(A, B), other=B)
            plain(f, A.astype("float32"), numpy.floor_divide(A.astype("float32"), B.astype("float32")), other=B.astype("float32"))


def remainder(floored, a, b):
    if a.dtype.kind not in "iu":
        return (numpy.remainder if floored else numpy.fmod)(wide(a), wide(b)).astype(a.dtype)

    def rest(x, y):
        x, y = int(x), int(y)
        if y == 0:
            return 0
        return x % y if floored else (abs(x) % abs(y)) * (-1 if x < 0 else 1)

    flat = [rest(x, y) for x, y in zip(a.ravel(), numpy.broadcast_to(b, a.shape).ravel())]
    return numpy.array(flat, a.dtype).reshape(a.shape)


@case("aclnnFmodTensor", "aclnnInplaceFmodTensor", "aclnnRemainderTensorTensor", "aclnnInplaceRemainderTensorTensor")
def _(f):
    floored = "Remainder" in f.name
    with numpy.errstate(all="ignore"):
        for a, b in pairs(f, FLOATS, -9, 9):
            plain(f, a, remainder(floored, a, b), other=b)
        for a, b in integer_pairs(f):
            plain(f, a, remainder(floored, a, b), other=b)
        for dtype in ["float32", "float64"]:
            a, b = A.astype(dtype), B.astype(dtype)
            plain(f, a, remainder(floored, a, b), other=b)
    if floored:
        plain(f, numpy.array([1.0, -1.0, numpy.inf]), numpy.array([-numpy.inf, -1.0, numpy.nan]), other=numpy.array([-numpy.inf, -numpy.inf, 2.0]))


@case("aclnnFmodScalar", "aclnnInplaceFmodScalar", "aclnnRemainderTensorScalar", "aclnnInplaceRemainderTensorScalar")
def _(f):
    floored = "Remainder" in f.name
    for a, _ in pairs(f, FLOATS, -9, 9):
        plain(f, a, remainder(floored, a, numpy.asarray(-2.5, a.dtype)), other=-2.5)
    for a, _ in integer_pairs(f):
        for b in [3, -4, 0]:
            if a.dtype.kind == "i" or b >= 0:
                plain(f, a, remainder(floored, a, numpy.asarray(b, a.dtype)), other=b)
    if not in_place(f):
        a = f.rand((4,), "int32", -9, 9)
        f.check(self=a, other=2.5, out=remainder(floored, a.astype("float32"), numpy.float32(2.5)))


@case("aclnnRemainderScalarTensor")
def _(f):
    with numpy.errstate(all="ignore"):
        for b, _ in pairs(f, FLOATS, 0.5, 9):
            f.check(other=7.5, other2=b, out=numpy.remainder(wide(numpy.full(b.shape, 7.5, b.dtype)), wide(b)).astype(b.dtype))
        for b, _ in pairs(f, ["int32", "int8", "int64"], -4, 4):
            f.check(other=7, other2=b, out=remainder(True, numpy.full(b.shape, 7, b.dtype), b))
