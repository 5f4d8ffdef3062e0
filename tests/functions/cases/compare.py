"""Comparisons."""

import ml_dtypes
import numpy

from harness import Ref, case

from cases.arithmetic import in_place, pairs

REALS = ["float32", "float16", "float64", ml_dtypes.bfloat16, "int8", "int16", "int32", "int64", "uint8", "uint64", bool]
RELATIONS = {"Eq": numpy.equal, "Ne": numpy.not_equal, "Lt": numpy.less, "Le": numpy.less_equal, "Gt": numpy.greater, "Ge": numpy.greater_equal}


def compare(relation):
    reference = RELATIONS[relation]

    def body(f):
        def check(a, b, want):
            want = numpy.asarray(want)
            if in_place(f):
                f.check(selfRef=Ref(a, want.astype(a.dtype)), other=b)
            else:
                f.check(self=a, other=b, out=want)
                f.check(self=a, other=b, out=want.astype("float32"))

        number = f.name.endswith("Scalar")
        for a, b in pairs(f, REALS):
            if number:
                check(a, 1, reference(a.astype("int64") if a.dtype.kind in "iub" else a, 1))
            else:
                check(a, b, reference(a, b))
        nan = numpy.nan
        a = numpy.array([nan, 1, nan, numpy.inf, 0.0, 2], "float32")
        b = numpy.array([1, nan, nan, numpy.inf, -0.0, 3], "float32")
        if number:
            check(a, nan, reference(a, numpy.float32(nan)))
            check(a, 1.0, reference(a, numpy.float32(1)))
            # Numbers become elements of the tensor's type: 0.1 of 16 bits.
            half = numpy.array([0.1, 0.2], "float16")
            check(half, 0.1, reference(half, numpy.float16(0.1)))
            if not in_place(f):
                whole = numpy.array([0, 1, 2], "int32")
                f.check(self=whole, other=0.5, out=reference(whole, 0.5))
                f.check(self=numpy.array([True, False]), other=2, out=reference(numpy.array([1, 0]), 2))
        else:
            check(a, b, reference(a, b))
            a, b = numpy.array([2**63, 5], "uint64"), numpy.array([1, 5], "uint64")
            check(a, b, reference(a, b))
            a, b = numpy.array([2**53 + 1, -1], "int64"), numpy.array([2**53, -1], "int64")
            check(a, b, reference(a, b))
            a, b = numpy.array([1, 2, 3], "int32"), numpy.array([1.0, 2.5, 2.5], "float32")
            check(a, b, reference(a, b))
        z = numpy.array([1 + 2j, 1 + 3j, 2 + 2j], "complex64")
        other = 1 + 2j if number else numpy.array([1 + 2j, 1 + 2j, 2 - 2j], "complex64")
        if relation in ("Eq", "Ne"):
            check(z, other, reference(z, other))
        elif in_place(f):
            f.refuses(selfRef=Ref(z, z), other=other)
        else:
            f.refuses(self=z, other=other, out=numpy.zeros(3, bool))
        large = f.rand((3, 40000))
        check(large, 0.5 if number else large[:1], reference(large, numpy.float32(0.5) if number else large[:1]))

    return body


for _relation in RELATIONS:
    case(*[f"aclnn{place}{_relation}{kind}" for place in ("", "Inplace") for kind in ("Tensor", "Scalar")])(compare(_relation))


@case("aclnnEqual")
def _(f):
    yes, no = numpy.array([True]), numpy.array([False])
    for dtype in [*REALS, "complex64"]:
        for shape in [(3, 4), (0, 3), (), (70000,)]:
            a = f.rand(shape, dtype)
            f.check(self=a, other=a, out=yes)
            if a.size:
                b = numpy.array(a)
                b[(-1,) * b.ndim] = b[(-1,) * b.ndim] == 0
                f.check(self=a, other=b, out=no)
    a = numpy.array([1, numpy.nan], "float32")
    f.check(self=a, other=a, out=no)
    f.check(self=a, other=a[:1], out=no)
    f.check(self=a[:1], other=a[0], out=no)
    f.check(self=a[:1], other=a[:1], out=numpy.array(True))
    f.check(self=a[:1], other=a[:1].astype("int32"), out=yes)
    f.refuses(self=a, other=a, out=numpy.zeros(2, bool))


@case("aclnnIsClose")
def _(f):
    def check(a, b, want=None, rtol=1e-3, atol=1e-2, equal_nan=False):
        wide = "complex128" if a.dtype.kind == "c" else "float64"
        if want is None:
            want = numpy.isclose(a.astype(wide), b.astype(wide), rtol, atol, equal_nan)
        f.check(self=a, other=b, rtol=rtol, atol=atol, equalNan=equal_nan, out=numpy.asarray(want))

    for a, b in pairs(f, [*REALS, "complex64"]):
        check(a, b)
        check(a, a)
        check(a, b, rtol=0.5, atol=0.3)
    nan, inf = numpy.nan, numpy.inf
    a, b = numpy.array([nan, inf, inf, 1, nan, -inf], "float32"), numpy.array([nan, inf, -inf, inf, 1, -inf], "float32")
    for equal_nan, first in [(False, False), (True, True)]:
        check(a, b, numpy.array([first, True, False, False, False, True]), equal_nan=equal_nan)
    a, b = numpy.array([2**62 + 1, 100], "int64"), numpy.array([2**62, 101], "int64")
    check(a, b, numpy.array([False, False]), rtol=0.0, atol=0.0)
    check(a, b, numpy.array([True, True]), rtol=0.0, atol=1.0)
    f.refuses(self=a, other=b, rtol=-1.0, atol=0.0, equalNan=False, out=numpy.zeros(2, bool))
