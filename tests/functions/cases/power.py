"""Powers, and functions of two real numbers."""

import math

import ml_dtypes
import numpy

from harness import Ref, case

from cases.arithmetic import in_place, pairs, plain

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]
COMPLEX = ["complex64", "complex128"]
BASES = [0.0, -0.0, 1, -1, 2, -2, numpy.inf, -numpy.inf, numpy.nan, 0.5]


def double(array):
    return numpy.asarray(array).astype("complex128" if numpy.iscomplexobj(array) else "float64")


def integer_power(a, b):
    bits = a.dtype.itemsize * 8

    def power(x, y):
        x, y = int(x), int(y)
        if y < 0:
            return {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0) % 2**bits
        return pow(x, y, 2**bits)

    shape = numpy.broadcast_shapes(numpy.shape(a), numpy.shape(b))
    flat = [power(x, y) for x, y in zip(numpy.broadcast_to(a, shape).ravel(), numpy.broadcast_to(b, shape).ravel())]
    return numpy.array(flat, f"uint{bits}").astype(a.dtype).reshape(shape)


@case("aclnnPowTensorTensor", "aclnnInplacePowTensorTensor")
def _(f):
    with numpy.errstate(all="ignore"):
        for a, b in pairs(f, [*FLOATS, *COMPLEX], 0.2, 3):
            plain(f, a, (double(a) ** double(b)).astype(a.dtype), exponent=b)
        for a, b in pairs(f, ["int8", "int32", "int64", "uint8"], -5, 9):
            plain(f, a, integer_power(a, b), exponent=b)
        for exponent in [0, 1, 2, -1, 0.5, numpy.inf, -numpy.inf, numpy.nan, 3]:
            a = numpy.array(BASES, "float32")
            exponents = numpy.full(a.shape, exponent, "float32")
            plain(f, a, numpy.power(a, exponents), exponent=exponents)
        a = numpy.array([3, 2**64 - 1, 1], "uint64")
        plain(f, a, integer_power(a, numpy.array([41, 3, 2**64 - 1], "uint64")), exponent=numpy.array([41, 3, 2**64 - 1], "uint64"))
        z = numpy.array([0, 0, 1j], "complex64")
        plain(f, z, numpy.array([1, 0, -1], "complex64"), exponent=numpy.array([0, 2, 2], "complex64"))
    if not in_place(f):
        a, b = f.rand((4,), "float32", 0.5, 2), f.rand((4,), "int32")
        f.check(self=a, exponent=b, out=(a**b).astype("float32"))
        f.refuses(self=f.rand((4,), bool), exponent=f.rand((4,), bool), out=f.rand((4,), bool))


@case("aclnnPowTensorScalar", "aclnnInplacePowTensorScalar")
def _(f):
    with numpy.errstate(all="ignore"):
        for a, _ in pairs(f, [*FLOATS, *COMPLEX], 0.2, 3):
            for exponent in [0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.7]:
                plain(f, a, (double(a) ** exponent).astype(a.dtype), exponent=exponent)
        for a, _ in pairs(f, ["int8", "int32", "int64", "uint8"], -5, 9):
            for exponent in [0, 1, 2, 7]:
                plain(f, a, integer_power(a, exponent), exponent=exponent)
        a = numpy.array(BASES, "float32")
        plain(f, a, numpy.sqrt(a), exponent=0.5)
        for exponent in [2, 3, -1, 1.5, -3]:
            plain(f, a, a ** numpy.float32(exponent), exponent=exponent)
    a = f.rand((3,), "int32", 1, 4)
    if in_place(f):
        f.refuses(selfRef=Ref(a, a), exponent=-1)
        f.refuses(selfRef=Ref(a, a), exponent=0.5)
    else:
        f.refuses(self=a, exponent=-1, out=a)
        f.check(self=a, exponent=0.5, out=numpy.sqrt(a).astype("float32"))
        f.check(self=a, exponent=2.0, out=(a**2).astype("float32"))
        f.check(self=a, exponent=-2.0, out=(1 / a**2).astype("float32"))
        f.check(self=numpy.array([True, False]), exponent=2, out=numpy.array([1, 0]))


@case("aclnnPowScalarTensor")
def _(f):
    for b, _ in pairs(f, [*FLOATS, *COMPLEX], -3, 3):
        f.check(self=2, exponent=b, out=(2.0 ** double(b)).astype(b.dtype))
    for b, _ in pairs(f, ["int8", "int32", "int64"], -5, 9):
        f.check(self=3, exponent=b, out=integer_power(numpy.full(b.shape, 3, b.dtype), b))
        f.check(self=-1, exponent=b, out=integer_power(numpy.full(b.shape, -1, b.dtype), b))
        f.check(self=2.5, exponent=b, out=(2.5 ** b.astype("float64")).astype("float32"))


@case("aclnnAtan2", "aclnnInplaceAtan2")
def _(f):
    for a, b in pairs(f, FLOATS):
        plain(f, a, numpy.arctan2(double(a), double(b)).astype(a.dtype), other=b)
    a, b = numpy.array([0.0, -0.0, 0.0, -0.0, 1, numpy.inf, numpy.nan], "float32"), numpy.array([1, 1, -1, -1, 0, -numpy.inf, 1], "float32")
    plain(f, a, numpy.arctan2(a, b), other=b)
    if not in_place(f):
        a, b = f.rand((4,), "int32"), f.rand((4,), "int32")
        f.check(self=a, other=b, out=numpy.arctan2(a, b).astype("float32"))


@case("aclnnLogAddExp", "aclnnLogAddExp2")
def _(f):
    reference = numpy.logaddexp2 if f.name.endswith("2") else numpy.logaddexp
    for a, b in pairs(f, FLOATS, -9, 9):
        f.check(self=a, other=b, out=numpy.asarray(reference(double(a), double(b))).astype(a.dtype))
    inf, nan = numpy.inf, numpy.nan
    a, b = numpy.array([inf, -inf, inf, -inf, 1000, nan, 1], "float32"), numpy.array([inf, -inf, -inf, 1, 1000, 1, nan], "float32")
    with numpy.errstate(all="ignore"):
        f.check(self=a, other=b, out=reference(a, b))


@case("aclnnXLogYTensor", "aclnnXLogYScalarOther", "aclnnXLogYScalarSelf", "aclnnInplaceXLogYScalarOther")
def _(f):
    def reference(x, y):
        x, y = numpy.broadcast_arrays(double(x), double(y))
        with numpy.errstate(all="ignore"):
            return numpy.where(numpy.isnan(y), numpy.nan, numpy.where(x == 0, 0, x * numpy.log(y)))

    for a, b in pairs(f, FLOATS, 0.3, 4):
        if f.name.endswith("Self"):
            f.check(self=2.5, other=b, out=reference(2.5, b).astype(b.dtype))
        else:
            other, value = (1.75, 1.75) if f.name.endswith("Other") else (b, b)
            plain(f, a, reference(a, value).astype(a.dtype), other=other)
    x = numpy.array([0, 0, 0, 1, 0, numpy.nan, 2], "float32")
    y = numpy.array([0, -1, numpy.inf, 0, numpy.nan, 1, -1], "float32")
    if f.name.endswith("Self"):
        f.check(self=2, other=y[:0], out=y[:0])
        f.check(self=0, other=y, out=reference(0, y).astype("float32"))
        f.check(self=2, other=numpy.array([1, 2, 3]), out=reference(2, [1, 2, 3]).astype("float32"))
    elif f.name.endswith("Other"):
        for other in [0, -1, numpy.nan, numpy.inf]:
            plain(f, x, reference(x, other).astype("float32"), other=other)
    else:
        f.check(self=x, other=y, out=reference(x, y).astype("float32"))


@case("aclnnComplex", "aclnnPolar")
def _(f):
    names = ("real", "imag") if f.name == "aclnnComplex" else ("abs", "angle")
    for a, b in pairs(f, ["float32", "float64"]):
        want = a + 1j * b if f.name == "aclnnComplex" else a * numpy.exp(1j * double(b))
        f.check(out=want.astype("complex64" if a.dtype == "float32" else "complex128"), **dict(zip(names, (a, b))))
    if f.name == "aclnnComplex":
        f.check(real=numpy.array([1], "float32"), imag=numpy.array([numpy.inf], "float32"), out=numpy.array([complex(1, math.inf)], "complex64"))
    f.refuses(out=a, **dict(zip(names, (a, b))))
