"""Rotary positions."""

import ml_dtypes
import numpy

from harness import Any, Ref, case, exempt

TYPES = ["float32", "float16", ml_dtypes.bfloat16]
for one in ["RotaryPositionEmbedding", "RotaryPositionEmbeddingV2", "RotaryPositionEmbeddingGrad", "InterleaveRope", "ApplyRotaryPosEmb", "ApplyRotaryPosEmbV2",
            "RopeWithSinCosCache", "RopeWithSinCosCacheV2"]:
    exempt("aclnn" + one, zero_dim="rows have pairs of numbers")


def rotated(x, mode):
    """What is multiplied by cos, and what by sin."""
    if mode in (0, "half"):
        a, b = numpy.split(x, 2, -1)
        return x, numpy.concatenate([-b, a], -1)
    if mode in (1, "interleave"):
        other = numpy.empty_like(x)
        other[..., ::2], other[..., 1::2] = -x[..., 1::2], x[..., ::2]
        return x, other
    if mode in (2, "quarter"):
        a, b, c, d = numpy.split(x, 4, -1)
        return x, numpy.concatenate([-b, a, -d, c], -1)
    a, b = x[..., ::2], x[..., 1::2]
    return numpy.concatenate([a, b], -1), numpy.concatenate([-b, a], -1)


def turned(x, cos, sin, mode):
    one, other = rotated(x.astype("float32"), mode)
    return (one * cos.astype("float32") + other * sin.astype("float32")).astype(x.dtype)


SHAPES = [((2, 3, 5, 8), (1, 1, 5, 8)), ((2, 5, 3, 8), (2, 5, 1, 8)), ((5, 2, 3, 8), (5, 2, 3, 8)), ((2, 0, 3, 8), (1, 1, 1, 8)), ((4, 8), (8,))]


@case("aclnnRotaryPositionEmbedding")
def _(f):
    for dtype in TYPES:
        for shape, angles in SHAPES:
            for mode in range(4):
                x, cos, sin = f.rand(shape, dtype), f.rand(angles, dtype), f.rand(angles, dtype)
                f.check(x=x, cos=cos, sin=sin, mode=mode, out=turned(x, cos, sin, mode))
    x = f.rand((2, 7))
    f.refuses(x=x, cos=x, sin=x, mode=0, out=x)
    x = f.rand((2, 8))
    f.refuses(x=x, cos=x, sin=x, mode=4, out=x)
    f.refuses(x=x, cos=f.rand((3, 8)), sin=x, mode=0, out=x)


@case("aclnnRotaryPositionEmbeddingV2")
def _(f):
    for shape, angles in SHAPES:
        x, cos, sin = f.rand(shape), f.rand(angles), f.rand(angles)
        f.check(x=x, cos=cos, sin=sin, mode=1, out=turned(x, cos, sin, 1))
        rotate = f.rand((8, 8))
        f.check(x=x, cos=cos, sin=sin, mode=1, rotate=rotate, out=(x * cos + (x @ rotate) * sin).astype("float32"), tolerance=(1e-4, 1e-5))


@case("aclnnRotaryPositionEmbeddingGrad")
def _(f):
    for shape, angles in SHAPES[:4]:
        for mode in range(4):
            dy, x, cos, sin = f.rand(shape), f.rand(shape), f.rand(angles), f.rand(angles)
            # The matrix of the linear map, column by column.
            dx = numpy.zeros(shape)
            for number in range(8):
                unit = numpy.zeros(8, "float32")
                unit[number] = 1
                one, other = rotated(unit, mode)
                dx[..., number] = (dy * (one * cos + other * sin)).sum(-1)
            axes = tuple(axis for axis in range(4) if angles[axis] == 1)
            one, other = rotated(x, mode)
            want = dict(dx=dx.astype("float32"))
            f.check(dy=dy, cos=cos, sin=sin, mode=mode, **want)
            f.check(dy=dy, cos=cos, sin=sin, mode=mode, **want, dcos=Any(angles, "float32"), dsin=Any(angles, "float32"))
            if x.size:
                want.update(dcos=(dy * one).sum(axes, keepdims=True), dsin=(dy * other).sum(axes, keepdims=True))
                f.check(dy=dy, cos=cos, sin=sin, x=x, mode=mode, **want, tolerance=(1e-4, 1e-5))


@case("aclnnInterleaveRope")
def _(f):
    for dtype in TYPES:
        for shape, angles in SHAPES[:4]:
            x, cos, sin = f.rand(shape, dtype), f.rand(angles, dtype), f.rand(angles, dtype)
            f.check(x=x, cos=cos, sin=sin, out=turned(x, cos, sin, 3))


def applied(f, modes):
    for layout, (query, key, angles) in {
        1: ((2, 5, 4, 8), (2, 5, 1, 8), (2, 5, 1, 8)), 2: ((5, 2, 4, 8), (5, 2, 2, 8), (5, 2, 1, 8)), 3: ((2, 4, 5, 8), (2, 2, 5, 8), (2, 1, 5, 8)),
        4: ((6, 4, 8), (6, 2, 8), (6, 1, 8)),
    }.items():
        for mode in modes:
            for dtype in ["float32", "float16"]:
                q, k, cos, sin = (f.rand(shape, dtype) for shape in (query, key, angles, angles))
                said = {} if modes == ["half"] else dict(rotaryMode=mode)
                f.check(query=Ref(q, turned(q, cos, sin, mode)), key=Ref(k, turned(k, cos, sin, mode)), cos=cos, sin=sin, layout=layout, **said)
    q, cos = f.rand((0, 4, 8)), f.rand((0, 1, 8))
    f.check(query=Ref(q, q), key=Ref(q, q), cos=cos, sin=cos, layout=4, **said)


@case("aclnnApplyRotaryPosEmb")
def _(f):
    applied(f, ["half"])


@case("aclnnApplyRotaryPosEmbV2")
def _(f):
    applied(f, ["half", "interleave", "quarter"])
    q, cos = f.rand((3, 4, 8)), f.rand((3, 1, 8))
    f.refuses(query=q, key=q, cos=cos, sin=cos, layout=4, rotaryMode="third")


def by_position(f, names, second):
    query, key = names
    for dtype in ["float32", "float16"]:
        for size, heads in [(8, 8), (12, 8)]:
            for halves in (True, False):
                for sections, mixed in [(None, 0), ([2, 1, 1], 0), ([2, 1, 1], 1)]:
                    if mixed and not second:
                        continue
                    cache = f.rand((20, 8), dtype)
                    q, k = f.rand((5, 3 * size), dtype), f.rand((5, size), dtype)
                    positions = f.rand((5,) if sections is None else (3, 5), "int64", 0, 19)
                    if sections is None:
                        rows = cache[positions].astype("float32")
                    else:
                        which = [0, 1, 2, 0] if mixed else [0, 0, 1, 2]
                        rows = numpy.stack([numpy.concatenate([[cache[positions[w, t], part * 4 + i] for i, w in enumerate(which)] for part in range(2)]) for t in range(5)]).astype("float32")
                    cos, sin = rows[:, None, :4], rows[:, None, 4:]

                    def turn(x):
                        x = x.reshape(5, -1, size).astype("float32")
                        out = x.copy()
                        if halves:
                            a, b = x[..., :4], x[..., 4:8]
                            out[..., :4], out[..., 4:8] = a * cos - b * sin, b * cos + a * sin
                        else:
                            a, b = x[..., :8:2], x[..., 1:8:2]
                            out[..., :8:2], out[..., 1:8:2] = a * cos - b * sin, b * cos + a * sin
                        return out.reshape(5, -1).astype(dtype)

                    said = dict(cacheMode=mixed) if second else {}
                    f.check(positions=positions, **{query: q, key: k}, cosSinCache=cache, mropeSection=sections, headSize=size, isNeoxStyle=halves, **said,
                            queryOut=turn(q), keyOut=turn(k))
    q = f.rand((0, 8))
    f.check(positions=numpy.zeros(0, "int64"), **{query: q, key: q}, cosSinCache=cache, headSize=8, isNeoxStyle=True, queryOut=q, keyOut=q)
    q = f.rand((1, 8), "float16")
    f.refuses(positions=numpy.zeros(2, "int64"), **{query: q, key: q}, cosSinCache=cache, headSize=8, isNeoxStyle=True, queryOut=q, keyOut=q)


@case("aclnnRopeWithSinCosCache")
def _(f):
    by_position(f, ("queryIn", "keyIn"), False)


@case("aclnnRopeWithSinCosCacheV2")
def _(f):
    by_position(f, ("query", "key"), True)
