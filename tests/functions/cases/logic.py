"""Truth values, and choices that they make."""

import ml_dtypes
import numpy

from harness import Ref, case

from cases.arithmetic import in_place, pairs

ANY = ["float32", "float16", "float64", ml_dtypes.bfloat16, "int8", "int32", "int64", "uint8", "uint64", bool, "complex64", "complex128"]


@case("aclnnLogicalAnd", "aclnnInplaceLogicalAnd", "aclnnLogicalOr", "aclnnInplaceLogicalOr", "aclnnLogicalXor")
def _(f):
    reference = {"And": numpy.logical_and, "Or": numpy.logical_or}.get(f.name.split("Logical")[1], numpy.logical_xor)

    def check(a, b):
        want = reference(a != 0, b != 0)
        if in_place(f):
            f.check(selfRef=Ref(a, want.astype(a.dtype)), other=b)
        else:
            f.check(self=a, other=b, out=want)
            f.check(self=a, other=b, out=want.astype("int32"))

    for a, b in pairs(f, ANY):
        check(a, b)
    a = numpy.array([numpy.nan, 0.0, -0.0, 2], "float32")
    check(a, numpy.array([1, 1, 0, 4], "int8"))
    check(numpy.array([2, 1, 0, 4], "uint8"), numpy.array([1, 2, 0, 0], "uint8"))


@case("aclnnLogicalNot", "aclnnInplaceLogicalNot")
def _(f):
    for a, _ in pairs(f, ANY):
        want = numpy.asarray(a == 0)
        if in_place(f):
            f.check(selfRef=Ref(a, want.astype(a.dtype)))
        else:
            f.check(self=a, out=want)
            f.check(self=a, out=want.astype("float16"))


@case("aclnnSWhere")
def _(f):
    for a, b in pairs(f, ANY):
        shape = numpy.broadcast_shapes(a.shape, b.shape)
        c = f.rand(shape, bool)
        f.check(condition=c, self=a, other=b, out=numpy.where(c, a, b))
        f.check(condition=c.astype("uint8") * 2, self=a, other=b, out=numpy.where(c, a, b))
    c, a, b = f.rand((3, 1, 1), bool), f.rand((4, 1), "int32"), f.rand((5,), "float16")
    f.check(condition=c, self=a, other=b, out=numpy.where(c, a.astype("float16"), b))
    f.check(condition=c, self=a, other=b, out=numpy.where(c, a.astype("float64"), b.astype("float64")))
    c, a, b = f.rand((300, 400), bool), f.rand((300, 400)), f.rand(())
    f.check(condition=c, self=a, other=b, out=numpy.where(c, a, b))
    f.refuses(condition=a, self=a, other=a, out=a)
    f.refuses(condition=c, self=a, other=a, out=a.astype("int32"))
    f.refuses(condition=f.rand((7,), bool), self=a, other=a, out=a)
