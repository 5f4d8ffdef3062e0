"""Matrices taken apart, and distances."""

import itertools

import numpy

from harness import Any, Seen, case, exempt

EXACT = {"float32": (1e-4, 1e-4), "float64": (1e-10, 1e-10)}


@case("aclnnInverse")
def _(f):
    for dtype in ["float32", "float64"]:
        for shape in [(4, 4), (2, 3, 5, 5), (1, 1), (0, 0), (0, 3, 3)]:
            a = f.rand(shape, dtype) + numpy.eye(shape[-1], dtype=dtype) * 3
            f.check(self=a, out=numpy.linalg.inv(a.astype("float64")).astype(dtype), tolerance=EXACT[dtype])
    swap = numpy.array([[0, 1], [1, 0]], "float32")
    f.check(self=swap, out=swap)
    f.refuses(self=f.rand((3, 4)), out=f.rand((3, 4)))


@case("aclnnTriangularSolve")
def _(f):
    for dtype in ["float32", "float64"]:
        for lead, other in [((), ()), ((2,), (2,)), ((2, 1), (3,)), ((0,), (0,))]:
            for upper, transpose, ones in itertools.product([False, True], repeat=3):
                a = f.rand((*lead, 4, 4), dtype) + 3 * numpy.eye(4, dtype=dtype)
                b = f.rand((*other, 4, 3), dtype)
                used = (numpy.triu if upper else numpy.tril)(a.astype("float64"))
                if ones:
                    used = used - used * numpy.eye(4) + numpy.eye(4)
                used = used.swapaxes(-1, -2) if transpose else used
                want = numpy.linalg.inv(used) @ b.astype("float64")
                f.check(self=b, A=a, upper=upper, transpose=transpose, unitriangular=ones, X=want.astype(dtype),
                        M=numpy.broadcast_to(a, (*want.shape[:-2], 4, 4)).copy(), tolerance=EXACT[dtype])
    f.refuses(self=f.rand((3, 2)), A=f.rand((4, 4)), X=f.rand((3, 2)), M=f.rand((4, 4)))


@case("aclnnLinalgCholesky")
def _(f):
    for dtype in ["float32", "float64"]:
        for shape in [(4, 4), (2, 3, 5, 5), (1, 1), (0, 3, 3)]:
            a = f.rand(shape, dtype)
            a = (a @ a.swapaxes(-1, -2) + numpy.eye(shape[-1], dtype=dtype)).astype(dtype)
            low = numpy.linalg.cholesky(a.astype("float64"))
            f.check(self=a, upper=False, out=low.astype(dtype), tolerance=EXACT[dtype])
            f.check(self=a, upper=True, out=low.swapaxes(-1, -2).astype(dtype), tolerance=EXACT[dtype])
    f.refuses(self=f.rand((3, 4)), upper=False, out=f.rand((3, 4)))


@case("aclnnLinalgQr")
def _(f):
    for dtype in ["float32", "float64"]:
        for shape in [(4, 4), (5, 3), (3, 5), (2, 6, 4), (0, 3, 2)]:
            a = f.rand(shape, dtype)
            for number, mode in enumerate(["reduced", "complete", "r"]):
                if mode == "r":
                    q, r = numpy.zeros(0), numpy.linalg.qr(a.astype("float64"), "r")
                else:
                    q, r = numpy.linalg.qr(a.astype("float64"), mode)
                f.check(self=a, modeInt=number, Q=q.astype(dtype), R=r.astype(dtype), tolerance=EXACT[dtype])
    f.refuses(self=f.rand((4, 3)), modeInt=0, Q=f.rand((4, 2)), R=f.rand((2, 3)))


@case("aclnnLinalgCross")
def _(f):
    for dtype in ["float32", "float16", "int32", "complex64"]:
        for a, b, axis in [((4, 3), (4, 3), -1), ((3, 4), (3, 4), 0), ((1, 3, 2), (4, 3, 1), 1), ((0, 3), (0, 3), 1), ((3,), (3,), -1)]:
            x, y = f.rand(a, dtype), f.rand(b, dtype)
            wide = "float32" if dtype == "float16" else dtype
            want = numpy.cross(*(numpy.broadcast_to(one.astype(wide), numpy.broadcast_shapes(a, b)) for one in (x, y)), axis=axis)
            f.check(self=x, other=y, dim=axis, out=want.astype(dtype), tolerance=(2e-3, 2e-3) if dtype == "float16" else None)
    f.refuses(self=f.rand((4, 2)), other=f.rand((4, 2)), dim=-1, out=f.rand((4, 2)))


def distance(a, b, p):
    d = numpy.abs(a - b)
    if p == 0:
        return (d != 0).sum(-1).astype("float64")
    if d.shape[-1] == 0:
        return d.sum(-1)
    return d.max(-1) if p == numpy.inf else (d**p).sum(-1) ** (1 / p)


@case("aclnnCdist")
def _(f):
    for dtype in ["float32", "float64", "float16"]:
        for p in [0.0, 1.0, 2.0, 3.5, numpy.inf]:
            for a, b in [((4, 3), (5, 3)), ((2, 4, 3), (2, 5, 3)), ((2, 1, 4, 3), (3, 2, 3)), ((4, 0), (5, 0)), ((0, 3), (5, 3))]:
                x, y = f.rand(a, dtype), f.rand(b, dtype)
                want = distance(x.astype("float64")[..., :, None, :], y.astype("float64")[..., None, :, :], p)
                f.check(x1=x, x2=y, p=p, mode=0, out=want.astype(dtype))
    f.refuses(x1=x, x2=y, p=-1.0, mode=0, out=want)


@case("aclnnPdist")
def _(f):
    for dtype in ["float32", "float64"]:
        for p in [0.0, 1.0, 2.0, 3.5, numpy.inf]:
            for shape in [(5, 3), (2, 3), (1, 3), (0, 3), (6, 0)]:
                x = f.rand(shape, dtype)
                first, second = numpy.triu_indices(shape[0], 1)
                f.check(self=x, p=p, out=distance(x.astype("float64")[first], x.astype("float64")[second], p).astype(dtype))


@case("aclnnCdistBackward")
def _(f):
    for dtype in ["float32", "float64", "float16"]:
        for p in [0.0, 1.0, 1.5, 2.0, 3.5, numpy.inf, -1.0]:
            for a, b in [((4, 3), (5, 3)), ((2, 4, 3), (2, 5, 3)), ((4, 0), (5, 0)), ((0, 3), (5, 3)), ((4, 3), (0, 3))]:
                x, y = f.rand(a, dtype), f.rand(b, dtype)
                if x.size and y.size:
                    # A pair of equal points: their distance has no direction.
                    y[..., 0, :] = x[..., 0, :]
                wide = x.astype("float64")[..., :, None, :] - y.astype("float64")[..., None, :, :]
                norm = numpy.inf if p == -1 else p
                far = distance(x.astype("float64")[..., :, None, :], y.astype("float64")[..., None, :, :], norm).astype(dtype)
                grad = f.rand(far.shape, dtype)
                with numpy.errstate(all="ignore"):
                    if norm == 0:
                        slope = numpy.zeros(wide.shape)
                    elif norm == numpy.inf:
                        slope = numpy.sign(wide) * (numpy.abs(wide) == numpy.abs(wide).max(-1, keepdims=True)) if wide.shape[-1] else wide
                    else:
                        share = numpy.abs(wide) / far.astype("float64")[..., None]
                        slope = numpy.where(wide == 0, 0, numpy.sign(wide) * share ** (norm - 1))
                want = (grad.astype("float64")[..., None] * slope).sum(-2)
                f.check(grad=grad, x1=x, x2=y, cdist=far, p=p, out=want.astype(dtype), tolerance=(2e-2, 2e-2) if dtype == "float16" else (1e-4, 1e-5))
    f.refuses(grad=f.rand((4, 5)), x1=f.rand((4, 3)), x2=f.rand((5, 3)), cdist=f.rand((4, 5)), p=-2.0, out=f.rand((4, 3)))


@case("aclnnSvd")
def _(f):
    for dtype in ["float32", "float64"]:
        for shape in [(4, 4), (5, 3), (3, 5), (2, 6, 4), (2, 3, 4, 1), (0, 3, 2), (3, 0), (1, 1)]:
            a = f.rand(shape, dtype)
            m, n, k = *shape[-2:], min(shape[-2:])
            values = numpy.linalg.svd(a.astype("float64"), compute_uv=False)
            f.check(input=a, fullMatrices=False, computeUV=False, sigma=values.astype(dtype), u=Any((0,), dtype), v=Any((0,), dtype), tolerance=EXACT[dtype])
            for full in [False, True]:
                shapes = [(*shape[:-2], m, m if full else k), (*shape[:-2], n, n if full else k)]
                got = {}
                f.check(input=a, fullMatrices=full, computeUV=True, sigma=values.astype(dtype), u=Seen(shapes[0], dtype, got, "u"),
                        v=Seen(shapes[1], dtype, got, "v"), tolerance=EXACT[dtype])
                u, v = got["u"].astype("float64"), got["v"].astype("float64")
                for basis in (u, v):
                    assert numpy.allclose(basis.swapaxes(-1, -2) @ basis, numpy.eye(basis.shape[-1]), atol=1e-5), "not orthonormal"
                made = u[..., :k] * values[..., None, :] @ v[..., :k].swapaxes(-1, -2)
                assert numpy.allclose(made, a, atol=1e-4), "the factors do not give the matrix"
    a = numpy.outer(numpy.arange(1.0, 5), numpy.arange(1.0, 4)).astype("float32")
    f.check(input=a, fullMatrices=True, computeUV=False, sigma=numpy.linalg.svd(a, compute_uv=False) * [1, 0, 0] + numpy.float32(0), u=Any((0,), "float32"),
            v=Any((0,), "float32"), tolerance=(1e-4, 1e-5))
    f.refuses(input=f.rand((4, 3)), fullMatrices=False, computeUV=True, sigma=f.rand((3,)), u=f.rand((4, 2)), v=f.rand((3, 2)))
    f.fails(input=numpy.full((2, 2), numpy.nan, "float32"), fullMatrices=False, computeUV=False, sigma=f.rand((2,)), u=Any((0,), "float32"),
            v=Any((0,), "float32"))


for name in ["Inverse", "TriangularSolve", "LinalgCholesky", "LinalgQr", "LinalgCross", "Cdist", "CdistBackward", "Pdist", "Svd"]:
    exempt("aclnn" + name, zero_dim="vectors and matrices have axes")
