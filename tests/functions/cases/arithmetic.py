"""Sums, differences, products, and what is made of them."""

import ml_dtypes
import numpy

from harness import Ref, Typed, case

SHAPES = [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((0, 3), (1, 3)), ((), ()), ((5,), ())]
NUMBERS = ["float32", "float16", "float64", "int32", "int64", "int8", "uint8", "int16", ml_dtypes.bfloat16, "complex64", "complex128"]


def pairs(f, types=NUMBERS, low=-2.0, high=2.0):
    """Operands of the same type, the second broadcast to the first."""
    for dtype in types:
        for a, b in SHAPES:
            yield f.rand(a, dtype, low, high), f.rand(b, dtype, low, high)


def wide(array):
    """16-bit floats are computed in 32 bits."""
    return array.astype("float32") if array.dtype.itemsize == 2 and array.dtype.kind not in "iu" else array


def plain(f, a, want, **rest):
    """Checks the plain form, or the one in place, where its first operand has the shape and type of the result."""
    if f.name.startswith("aclnnInplace"):
        f.check(selfRef=Ref(a, want), **rest)
    else:
        f.check(self=a, out=want, **rest)


def in_place(f):
    return f.name.startswith("aclnnInplace")


@case("aclnnAdd", "aclnnInplaceAdd")
def _(f):
    for a, b in pairs(f):
        plain(f, a, (wide(a) + wide(b)).astype(a.dtype), other=b, alpha=1)
        plain(f, a, (wide(a) + a.dtype.type(2) * wide(b)).astype(a.dtype), other=b, alpha=2)
    big = numpy.array([2**31 - 1, -(2**31)], "int32")
    with numpy.errstate(over="ignore"):
        plain(f, big, big + big, other=big, alpha=1)
    a, b = f.rand((3, 4), "int32"), f.rand((3, 4), "float32")
    if in_place(f):
        f.refuses(selfRef=Ref(a, a), other=b, alpha=1)
        f.refuses(selfRef=Ref(a[0], a[0]), other=a, alpha=1)
        return
    f.check(self=a, other=b, alpha=1, out=(a + b).astype("float32"))
    f.check(self=b, other=a, alpha=0.5, out=(b + 0.5 * a).astype("float32"))
    f.check(self=f.rand((2,), bool) | True, other=f.rand((2,), bool), alpha=1, out=numpy.array([True, True]))
    f.check(self=numpy.array([True, False]), other=numpy.array([True, False]), alpha=1, out=numpy.array([1, 0], "int32"))
    # Computed in the promoted type, then converted: what wraps in int8 has wrapped.
    small = numpy.array([100, -100], "int8")
    f.check(self=small, other=small, alpha=1, out=numpy.array([-56, 56], "int32"))
    f.check(self=numpy.array([2**64 - 1], "uint64"), other=numpy.array([1], "uint64"), alpha=1, out=numpy.array([0], "uint64"))
    f.check(self=numpy.array([2**63], "uint64"), other=numpy.array([1], "uint64"), alpha=1, out=numpy.array([2.0**63], "float32"))
    f.check(self=f.rand((3,), "int8") * 0, other=numpy.full(3, 200, "uint8"), alpha=1, out=numpy.full(3, 200, "int16"))
    infinite = numpy.array([complex(numpy.inf, 1)], "complex64")
    f.check(self=infinite, other=infinite, alpha=1, out=infinite + infinite)
    f.refuses(self=a, other=f.rand((2, 4)), alpha=1, out=b)
    f.refuses(self=b, other=b, alpha=1, out=a)
    f.refuses(self=a, other=a, alpha=0.5, out=a)
    f.check(self=a, other=a, alpha=2.0, out=a + 2 * a)
    f.refuses(161001, self=None, other=b, alpha=1, out=a)


@case("aclnnAdds", "aclnnInplaceAdds")
def _(f):
    for a, _ in pairs(f):
        plain(f, a, (wide(a) + a.dtype.type(6)).astype(a.dtype), other=3, alpha=2)
    plain(f, a := f.rand((3,), "float16"), (a.astype("float32") + 0.25).astype("float16"), other=0.5, alpha=0.5)
    if not in_place(f):
        a = f.rand((3,), "int32")
        f.check(self=a, other=0.5, alpha=1, out=(a + 0.5).astype("float32"))
        f.check(self=numpy.array([True, False]), other=2, alpha=1, out=numpy.array([3, 2]))


@case("aclnnAddV3")
def _(f):
    for a, _ in pairs(f):
        f.check(selfs=3, other=a, alpha=2, out=(a.dtype.type(3) + a.dtype.type(2) * wide(a)).astype(a.dtype))


@case("aclnnSub", "aclnnInplaceSub")
def _(f):
    for a, b in pairs(f):
        plain(f, a, (wide(a) - wide(b)).astype(a.dtype), other=b, alpha=1)
        plain(f, a, (wide(a) - a.dtype.type(3) * wide(b)).astype(a.dtype), other=b, alpha=3)
    x = numpy.array([True, False])
    if in_place(f):
        f.refuses(selfRef=Ref(x, x), other=x, alpha=1)
    else:
        f.refuses(self=x, other=x, alpha=1, out=x)


@case("aclnnSubs", "aclnnInplaceSubs")
def _(f):
    for a, _ in pairs(f):
        plain(f, a, (wide(a) - a.dtype.type(6)).astype(a.dtype), other=3, alpha=2)


@case("aclnnRsub")
def _(f):
    for a, b in pairs(f):
        f.check(self=a, other=b, alpha=2, out=(wide(b) - a.dtype.type(2) * wide(a)).astype(a.dtype))


@case("aclnnRsubs")
def _(f):
    for a, _ in pairs(f):
        f.check(self=a, other=5, alpha=2, out=(a.dtype.type(5) - a.dtype.type(2) * wide(a)).astype(a.dtype))


@case("aclnnMul", "aclnnInplaceMul")
def _(f):
    for a, b in pairs(f):
        plain(f, a, (wide(a) * wide(b)).astype(a.dtype), other=b)
    with numpy.errstate(over="ignore"):
        for dtype in ["int8", "int32", "int64"]:
            a = numpy.array([numpy.iinfo(dtype).max, numpy.iinfo(dtype).min, 77], dtype)
            plain(f, a, a * a, other=a)
    plain(f, numpy.array([True, True, False]), numpy.array([True, False, False]), other=numpy.array([True, False, True]))
    if not in_place(f):
        a, b = f.rand((2, 3), "int64"), f.rand((2, 3), "float16")
        f.check(self=a, other=b, out=(a.astype("float32") * b.astype("float32")).astype("float16"))
        a, b = f.rand((2, 3), "complex64"), f.rand((2, 3), "float32")
        f.check(self=a, other=b, out=a * b)
        f.refuses(self=a, other=b, out=b)


@case("aclnnMuls", "aclnnInplaceMuls")
def _(f):
    for a, _ in pairs(f):
        plain(f, a, (wide(a) * a.dtype.type(3)).astype(a.dtype), other=3)
    a = f.rand((7, 5), "float16")
    plain(f, a, (a.astype("float32") * numpy.float32(0.1)).astype("float16"), other=0.1)
    a = f.rand((2000, 33))
    plain(f, a, a * numpy.float32(0.1), other=0.1)
    plain(f, a, a * numpy.float32(0.1), other=Typed(0.1, "float32"))
    if not in_place(f):
        a = f.rand((5,), "int32")
        f.check(self=a, other=0.5, out=(a * 0.5).astype("float32"))
        f.check(self=a, other=1j, out=(a * 1j).astype("complex64"))


@case("aclnnAddcmul", "aclnnInplaceAddcmul")
def _(f):
    for a, b in pairs(f):
        c = f.rand(a.shape, a.dtype)
        plain(f, a, (wide(a) + a.dtype.type(2) * wide(b) * wide(c)).astype(a.dtype), tensor1=b, tensor2=c, value=2)
    a, b, c = (f.rand((4, 5)) for _ in range(3))
    plain(f, a, a + numpy.float32(0.3) * b * c, tensor1=b, tensor2=c, value=0.3)
    a = f.rand((3,), "int32")
    if in_place(f):
        f.refuses(selfRef=Ref(a, a), tensor1=a, tensor2=a, value=0.5)
    else:
        f.refuses(self=a, tensor1=a, tensor2=a, value=0.5, out=a)


@case("aclnnAddcdiv", "aclnnInplaceAddcdiv")
def _(f):
    for a, b in pairs(f, ["float32", "float16", "float64", ml_dtypes.bfloat16, "complex64", "complex128"]):
        c = f.rand(a.shape, a.dtype, 0.5, 2)
        want = wide(a) + a.dtype.type(2) * wide(b) / wide(c)
        plain(f, a, want.astype(a.dtype), tensor1=b, tensor2=c, value=2)
    a = numpy.array([1, 1, 0], "float32")
    with numpy.errstate(all="ignore"):
        plain(f, a, numpy.array([numpy.inf, -numpy.inf, numpy.nan], "float32"), tensor1=numpy.array([1, -1, 0], "float32"), tensor2=a * 0, value=1)
    a = f.rand((3,), "int32")
    if in_place(f):
        f.refuses(selfRef=Ref(a, a), tensor1=a, tensor2=a, value=1)
    else:
        f.refuses(self=a, tensor1=a, tensor2=a, value=1, out=a)


@case("aclnnLerp", "aclnnInplaceLerp")
def _(f):
    for a, b in pairs(f, ["float32", "float16", "float64", ml_dtypes.bfloat16, "complex64"]):
        w = f.rand(a.shape, a.dtype)
        plain(f, a, (wide(a) + wide(w) * (wide(b) - wide(a))).astype(a.dtype), end=b, weight=w, tolerance=(2e-2, 1e-2) if a.dtype.itemsize == 2 else None)
    a = numpy.array([1e20, 1e20], "float32")
    plain(f, a, numpy.array([1, 1e20], "float32"), end=numpy.ones(2, "float32"), weight=numpy.array([1, 0], "float32"))


@case("aclnnLerps", "aclnnInplaceLerps")
def _(f):
    for a, b in pairs(f, ["float32", "float16", "float64", ml_dtypes.bfloat16, "complex64"]):
        for w in [0.25, 0.75, 2]:
            plain(f, a, (wide(a) + a.dtype.type(w) * (wide(b) - wide(a))).astype(a.dtype), end=b, weight=w, tolerance=(2e-2, 1e-2) if a.dtype.itemsize == 2 else None)
    a = numpy.array([1e20], "float32")
    plain(f, a, numpy.array([1], "float32"), end=numpy.ones(1, "float32"), weight=1)
