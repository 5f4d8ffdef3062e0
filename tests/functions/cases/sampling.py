"""Choosing the next token."""

import ml_dtypes
import numpy

from harness import case, exempt

exempt("aclnnApplyTopKTopP", zero_dim="there is a row for each sequence")


def likely(logits, p, k):
    """Rows in ascending order, as samplers write it."""
    out = logits.astype("float64").copy()
    for row in range(len(out)):
        order = numpy.argsort(out[row], kind="stable")
        if k is not None:
            least = out[row][order[len(order) - k[row]]]
            out[row][out[row] < least] = -numpy.inf
        if p is not None:
            values = out[row][order]
            shares = numpy.exp(values - values[-1])
            drop = numpy.cumsum(shares / shares.sum()) <= 1 - float(p[row])
            drop[-1] = False
            out[row][order[drop]] = -numpy.inf
    return out.astype(logits.dtype)


@case("aclnnApplyTopKTopP")
def _(f):
    for dtype in ["float32", "float16", ml_dtypes.bfloat16]:
        for shape in [(3, 11), (1, 1), (4, 700)]:
            logits = f.rand(shape, dtype, -3, 3)
            k = f.rand(shape[:1], "int32", 1, shape[1])
            p = f.rand(shape[:1], "float32", 0.31, 0.97)
            f.check(logits=logits, p=p.astype(dtype), k=k, out=likely(logits, p.astype(dtype), k))
            f.check(logits=logits, k=k, out=likely(logits, None, k))
            f.check(logits=logits, p=p.astype(dtype), out=likely(logits, p.astype(dtype), None))
            f.check(logits=logits, out=logits)
    # Equal numbers.
    logits = numpy.array([[1, 2, 2, 2, 0]], "float32")
    f.check(logits=logits, k=numpy.array([2], "int32"), out=numpy.where(logits == 2, logits, -numpy.inf).astype("float32"))
    logits = numpy.zeros((1, 4), "float32")
    f.check(logits=logits, p=numpy.array([0.6], "float32"), out=numpy.array([[-numpy.inf, 0, 0, 0]], "float32"))
    for shape in [(0, 5), (2, 0)]:
        logits = numpy.zeros(shape, "float32")
        f.check(logits=logits, k=numpy.ones(shape[0], "int32"), out=logits)
    f.refuses(logits=numpy.zeros((2, 3), "float32"), k=numpy.ones(3, "int32"), out=numpy.zeros((2, 3), "float32"))
