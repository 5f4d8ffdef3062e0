"""Elements joined at places which indices name."""

import numpy

from harness import Ref, case, exempt

SHAPES = [((3, 4), 0, (5, 4), (5, 3)), ((3, 4), -1, (3, 9), (2, 9)), ((2, 3, 4), 1, (2, 6, 4), (2, 6, 4)), ((6,), 0, (1200,), (1200,)), ((), 0, (), ())]


def joined(x, dim, index, source, reduction, with_self):
    """One element after the other, in float64 or int64."""
    whole = x.dtype.kind in "iu"
    result = x.astype("int64" if whole else "float64").reshape(x.shape or (1,))
    index, source = index.reshape(index.shape or (1,)), source.astype(result.dtype).reshape(source.shape or (1,))
    seen = {}
    for at in numpy.ndindex(index.shape):
        target = list(at)
        target[dim] = index[at]
        seen.setdefault(tuple(target), []).append(source[at])
    for target, values in seen.items():
        values = ([result[target]] if with_self and reduction else []) + values
        if reduction == 0:
            result[target] = values[-1]
        elif reduction == 1:
            result[target] = sum(values)
        elif reduction == 2:
            result[target] = numpy.prod(values)
        elif reduction == 3:
            result[target] = numpy.max(values)
        elif reduction == 4:
            result[target] = numpy.min(values)
        else:
            result[target] = sum(values) // len(values) if whole else sum(values) / len(values)
    return result.reshape(x.shape).astype(x.dtype)


@case("aclnnScatterReduce", "aclnnInplaceScatterReduce")
def _(f):
    for dtype in ["float32", "float16", "float64", "int32", "int64"]:
        for shape, dim, given, places in SHAPES:
            x, source = f.rand(shape, dtype), f.rand(given, dtype)
            index = f.rand(places, "int64", 0, (shape[dim] if shape else 1) - 1)
            for reduction in range(6):
                if reduction == 2 and places == (1200,):
                    continue
                for with_self in [True, False]:
                    want = joined(x, dim, index, source, reduction, with_self)
                    common = dict(dim=dim, index=index, src=source, reduction=reduction, includeSelf=with_self,
                                  tolerance=(5e-3, 5e-3) if dtype == "float16" else (1e-4, 1e-4) if dtype == "float32" else None)
                    if "Inplace" in f.name:
                        f.check(selfRef=Ref(x, want), **common)
                    else:
                        f.check(self=x, out=want, **common)
    x, none = f.rand((3,)), numpy.zeros(0, "int64")
    for reduction in [1, 7]:
        common = dict(dim=0, index=none, src=x, reduction=reduction, includeSelf=True)
        call = f.check if reduction == 1 else f.refuses
        call(**common, **({"selfRef": Ref(x, x)} if "Inplace" in f.name else {"self": x, "out": x}))
    if "Inplace" not in f.name:
        nan = numpy.array([1.0, numpy.nan], "float32")
        f.check(self=x[:1], dim=0, index=numpy.array([0, 0]), src=nan, reduction=3, includeSelf=True, out=nan[1:])


@case("aclnnMaxUnpool2d")
def _(f):
    for dtype in ["float32", "float16", "int64"]:
        for shape in [(2, 3, 2, 3), (3, 2, 2), (0, 2, 2, 2)]:
            x = f.rand(shape, dtype)
            planes, width = int(numpy.prod(shape[:-2])), shape[-1] * shape[-2]
            at = numpy.array([f.random.permutation(20)[:width] for _ in range(planes)], "int64").reshape(planes, width)
            want = numpy.zeros((planes, 20), dtype)
            numpy.put_along_axis(want, at, x.reshape(planes, width), 1)
            f.check(self=x, indices=at.reshape(shape), outputSize=[4, 5], out=want.reshape(shape[:-2] + (4, 5)))
    x = f.rand((2, 2))
    f.refuses(self=x, indices=numpy.zeros((2, 2), "int64"), outputSize=[4, 5], out=f.rand((4, 5)))


exempt("aclnnMaxUnpool2d", zero_dim="planes have two dimensions")
