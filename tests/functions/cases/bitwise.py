"""Integers as bits."""

import numpy

from harness import Ref, case

from cases.arithmetic import in_place, pairs, plain

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint64"]


@case(*[f"aclnn{name}" for name in ("BitwiseAndTensor", "BitwiseOrTensor", "BitwiseXorTensor", "InplaceBitwiseAndTensor", "InplaceBitwiseXorTensor",
                                    "BitwiseAndScalar", "BitwiseOrScalar", "BitwiseXorScalar", "InplaceBitwiseAndScalar", "InplaceBitwiseXorScalar")])
def _(f):
    reference = numpy.bitwise_and if "And" in f.name else numpy.bitwise_or if "Or" in f.name else numpy.bitwise_xor
    number = f.name.endswith("Scalar")
    for a, b in pairs(f, [*INTS, bool], -100, 100):
        if number and a.dtype == bool:
            plain(f, a, reference(a, True), other=True)
        elif number:
            plain(f, a, reference(a, a.dtype.type(85)), other=85)
        else:
            plain(f, a, reference(a, b), other=b)
    a = f.rand((3,), "int32", -100, 100)
    if number and not in_place(f):
        f.check(self=numpy.array([True, False]), other=6, out=reference(numpy.array([1, 0]), 6))
        f.refuses(self=a, other=0.5, out=a)
    elif not in_place(f):
        b = f.rand((3,), "int8", -100, 100)
        f.check(self=a, other=b, out=reference(a, b))
        x = f.rand((3,))
        f.refuses(self=x, other=x, out=x)
    else:
        x = f.rand((3,))
        f.refuses(selfRef=Ref(x, x), other=1 if number else a)


@case("aclnnBitwiseNot")
def _(f):
    for a, _ in pairs(f, [*INTS, bool], -100, 100):
        f.check(self=a, out=~a)
    f.check(self=numpy.array([1, 0], "uint8"), out=numpy.array([254, 255], "int32"))
    f.refuses(self=f.rand((2,)), out=f.rand((2,)))


@case("aclnnLeftShift", "aclnnRightShift")
def _(f):
    left = f.name == "aclnnLeftShift"

    def shift(x, y, dtype):
        info, x, y = numpy.iinfo(dtype), int(x), int(y)
        if left:
            return (x << y) % 2**info.bits if 0 <= y < info.bits else 0
        return x >> (y if 0 <= y < info.bits else info.bits)

    def check(a, b):
        shape = numpy.broadcast_shapes(a.shape, b.shape)
        flat = [shift(x, y, a.dtype) % 2 ** numpy.iinfo(a.dtype).bits for x, y in zip(numpy.broadcast_to(a, shape).ravel(), numpy.broadcast_to(b, shape).ravel())]
        f.check(self=a, other=b, out=numpy.array(flat, f"uint{a.dtype.itemsize * 8}").astype(a.dtype).reshape(shape))

    for a, b in pairs(f, INTS, -100, 100):
        check(a, b % a.dtype.type(8))
    for dtype in INTS:
        bits, signed = numpy.iinfo(dtype).bits, numpy.dtype(dtype).kind == "i"
        b = numpy.array([0, 1, bits - 2, bits - 1, bits, bits + 1, 100] + [-1] * signed, dtype)
        check(numpy.full(b.shape, 85, dtype), b)
        check(numpy.full(b.shape, -85 if signed else numpy.iinfo(dtype).max, dtype), b)
    if left:
        f.check(self=numpy.array([64, 127], "int8"), other=numpy.array([1, 1], "int8"), out=numpy.array([-128, -2], "int32"))
    f.refuses(self=f.rand((2,)), other=f.rand((2,)), out=f.rand((2,)))


@case("aclnnGcd")
def _(f):
    for a, b in pairs(f, ["int8", "int16", "int32", "int64", "uint8"], -60, 60):
        f.check(self=a, other=b, out=numpy.gcd(a, b))
    f.check(self=numpy.array([0, 0, 12, -12]), other=numpy.array([0, -5, 18, 18]), out=numpy.array([0, 5, 6, 6]))
    a = numpy.array([2**64 - 2, 2**63], "uint64")
    f.check(self=a, other=numpy.array([6, 2**62], "uint64"), out=numpy.array([6 if (2**64 - 2) % 6 == 0 else 2, 2**62], "uint64"))
    f.refuses(self=f.rand((2,)), other=f.rand((2,)), out=f.rand((2,)))
