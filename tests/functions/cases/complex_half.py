"""Complex numbers of two 16-bit floats (type 33): what they are made of and from, and that they compute as wider ones, rounded at the end."""

import numpy

from harness import TYPES, Ref, case, halved, widened

SHAPES = [(3, 4), (), (0, 4)]


def numbers(f, shape, low=-2.0, high=2.0):
    halves = halved(f.rand(shape, "complex64", low, high))
    return halves, widened(halves)


@case("aclnnCast")
def _(f):
    for shape in SHAPES:
        halves, wide = numbers(f, shape)
        for dtype in ["float32", "float16", "float64", "int64", "int32", "uint8", "bool", "complex64", "complex128"]:
            x = f.rand(shape, dtype, 0, 9)
            f.check(self=x, dtype=33, out=halved(x), tolerance=(0, 0))
            if numpy.dtype(dtype).kind != "u":
                want = wide if dtype.startswith("complex") else wide != 0 if dtype == "bool" else wide.real
                f.check(self=halves, dtype=TYPES[numpy.dtype(dtype)], out=want.astype(dtype), tolerance=(0, 0))
        f.check(self=halves, dtype=33, out=halves, tolerance=(0, 0))
    special = numpy.array([1e6, -1e6, numpy.inf, numpy.nan, 1e-9, 65504.0, 65519.0, 65520.0], "float32")
    f.check(self=special, dtype=33, out=halved(special), tolerance=(0, 0))
    both = numpy.array([complex(1e6, -1e-9), complex(numpy.nan, numpy.inf), 1 + 2.0**-11, 1 + 3 * 2.0**-11], "complex64")
    f.check(self=both, dtype=33, out=halved(both), tolerance=(0, 0))


@case("aclnnInplaceCopy")
def _(f):
    for shape in SHAPES:
        halves, wide = numbers(f, shape)
        other, _ = numbers(f, shape)
        f.check(selfRef=Ref(other, halves), src=halves, tolerance=(0, 0))
        f.check(selfRef=Ref(numpy.zeros(shape, "complex64"), wide.astype("complex64")), src=halves, tolerance=(0, 0))
        x = f.rand(shape, "float16")
        f.check(selfRef=Ref(other, halved(x)), src=x, tolerance=(0, 0))


@case("aclnnComplex")
def _(f):
    for shape in SHAPES:
        re, im = f.rand(shape, "float16"), f.rand(shape, "float16")
        f.check(real=re, imag=im, out=halved(re.astype("float32") + 1j * im.astype("float32")), tolerance=(0, 0))


@case("aclnnAdd")
def _(f):
    for shape in SHAPES:
        (a, x), (b, y) = numbers(f, shape), numbers(f, shape)
        f.check(self=a, other=b, alpha=2, out=halved(x + 2 * y))
        half, single = f.rand(shape, "float16"), f.rand(shape, "float32")
        f.check(self=a, other=half, alpha=1, out=halved(x + half))
        # A wider operand makes the result wider.
        f.check(self=a, other=single, alpha=1, out=(x + single).astype("complex64"))
        wide = f.rand(shape, "complex64")
        f.check(self=a, other=wide, alpha=1, out=(x + wide).astype("complex64"))
    f.refuses(self=a, other=b, alpha=1, out=numpy.zeros(a.shape, "float16"))


@case("aclnnMul")
def _(f):
    for shape in SHAPES:
        (a, x), (b, y) = numbers(f, shape), numbers(f, shape)
        f.check(self=a, other=b, out=halved(x * y))


@case("aclnnNeg")
def _(f):
    for shape in SHAPES:
        a, x = numbers(f, shape)
        f.check(self=a, out=halved(-x), tolerance=(0, 0))


@case("aclnnExp")
def _(f):
    a, x = numbers(f, (3, 4))
    f.check(self=a, out=halved(numpy.exp(x)))


@case("aclnnAbs")
def _(f):
    for shape in SHAPES:
        a, x = numbers(f, shape)
        f.check(self=a, out=numpy.abs(x).astype("float16"))


@case("aclnnAngleV2")
def _(f):
    a, x = numbers(f, (3, 4))
    f.check(x=a, out=numpy.angle(x).astype("float16"))


@case("aclnnMm")
def _(f):
    (a, x), (b, y) = numbers(f, (3, 40)), numbers(f, (40, 5))
    f.check(self=a, mat2=b, out=halved(x @ y), cubeMathType=0, tolerance=(5e-3, 1e-2))


@case("aclnnReduceSum")
def _(f):
    a, x = numbers(f, (3, 40))
    f.check(self=a, dims=[1], keepDims=False, dtype=33, out=halved(x.sum(1)), tolerance=(5e-3, 1e-2))


@case("aclnnIsClose")
def _(f):
    a, x = numbers(f, (3, 4))
    b = a.copy()
    b["im"][1, 2] += 1
    f.check(self=a, other=b, rtol=1e-3, atol=1e-3, equalNan=False, out=numpy.isclose(x, widened(b), 1e-3, 1e-3))


@case("aclnnIndexAdd")
def _(f):
    (a, x), (b, y) = numbers(f, (3, 4)), numbers(f, (2, 4))
    want = x.copy()
    want[[2, 0]] += y
    f.check(self=a, dim=0, index=numpy.array([2, 0]), source=b, alpha=1, out=halved(want))
