"""The gated delta rule."""

import ml_dtypes
import numpy

from harness import Any, Ref, case, exempt

exempt("aclnnRecurrentGatedDeltaRule", zero_dim="tokens have heads")
exempt("aclnnChunkGatedDeltaRule", zero_dim="tokens have heads")

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]


def close(dtype):
    return (1e-4, 1e-5) if dtype == "float32" else (3e-2, 3e-2)


def tokens(f, dtype, count, key_heads, heads, keys, values):
    q, k = f.rand((count, key_heads, keys), dtype, -1, 1), f.rand((count, key_heads, keys), dtype, -0.5, 0.5)
    return q, k, f.rand((count, heads, values), dtype, -1, 1), f.rand((count, heads), dtype, 0, 1), f.rand((count, heads), "float32", -1, 0)


def step(state, q, k, v, beta, alpha):
    """One token of one head: S (I − β k kᵀ) α + β v kᵀ, as the definition has it."""
    q, k, v = (one.astype("float64") for one in (q, k, v))
    state = (state * alpha) @ (numpy.eye(k.size) - float(beta) * numpy.outer(k, k)) + float(beta) * numpy.outer(v, k)
    return state, state @ q


@case("aclnnRecurrentGatedDeltaRule")
def _(f):
    for dtype in FLOATS:
        for lengths, key_heads, heads, keys, values in [([2, 1, 3], 2, 4, 5, 3), ([1], 1, 1, 4, 4), ([], 1, 2, 3, 2)]:
            count = sum(lengths)
            q, k, v, beta, g = tokens(f, dtype, count, key_heads, heads, keys, values)
            gk, places = f.rand((count, heads, keys), "float32", -1, 0), f.random.permutation(count + 2)[:count].astype("int32")
            states = f.rand((count + 2, heads, values, keys), dtype, -1, 1)
            for accepted in (None, numpy.array([f.random.integers(1, length + 1) for length in lengths], "int32")):
                for some in (0, 1, 2):
                    after, out, start = states.astype("float64"), numpy.zeros((count, heads, values)), 0
                    for number, length in enumerate(lengths):
                        before = after[places[start + (0 if accepted is None else accepted[number] - 1)]].copy()
                        for head in range(heads):
                            state = before[head]
                            for at in range(start, start + length):
                                alpha = 1.0 if some == 0 else numpy.exp(float(g[at, head]))
                                if some == 2:
                                    alpha = alpha * numpy.exp(gk[at, head].astype("float64"))[None, :]
                                own = head // (heads // key_heads)
                                state, out[at, head] = step(state, q[at, own], k[at, own], v[at, head], 1 if some == 0 else beta[at, head], alpha)
                                after[places[at], head] = state
                        start += length
                    f.check(query=q, key=k, value=v, beta=beta if some else None, stateRef=Ref(states, after.astype(dtype)), actualSeqLengths=numpy.array(lengths, "int32"),
                            ssmStateIndices=places, g=g if some else None, gk=gk if some == 2 else None, numAcceptedTokens=accepted, scaleValue=0.5,
                            out=(out * numpy.float32(0.5)).astype(dtype), tolerance=close(dtype))
    q, k, v, beta, g = tokens(f, "float32", 2, 1, 1, 3, 2)
    state = f.rand((2, 1, 2, 3))
    rest = dict(query=q, key=k, value=v, stateRef=Ref(state, state), scaleValue=1.0, out=Any((2, 1, 2), "float32"))
    f.refuses(161001, actualSeqLengths=numpy.array([2]), **rest)
    f.refuses(actualSeqLengths=numpy.array([2]), ssmStateIndices=numpy.array([0]), **rest)
    f.fails(actualSeqLengths=numpy.array([3]), ssmStateIndices=numpy.array([0, 1]), **rest)
    f.fails(actualSeqLengths=numpy.array([2]), ssmStateIndices=numpy.array([0, 2]), **rest)
    f.fails(actualSeqLengths=numpy.array([2]), ssmStateIndices=numpy.array([0, 1]), numAcceptedTokens=numpy.array([3]), **rest)


@case("aclnnChunkGatedDeltaRule")
def _(f):
    for dtype in FLOATS:
        for lengths, key_heads, heads, keys, values in [([4, 1, 0], 2, 4, 5, 3), ([7], 1, 1, 4, 4), ([], 1, 2, 3, 2)]:
            count = sum(lengths)
            q, k, v, beta, g = tokens(f, dtype, count, key_heads, heads, keys, values)
            first = f.rand((len(lengths), heads, values, keys), dtype, -1, 1)
            for some in (False, True):
                last, out, start = first.astype("float64") if some else numpy.zeros(first.shape), numpy.zeros((count, heads, values)), 0
                for number, length in enumerate(lengths):
                    for head in range(heads):
                        for at in range(start, start + length):
                            own, alpha = head // (heads // key_heads), numpy.exp(float(g[at, head])) if some else 1.0
                            last[number, head], out[at, head] = step(last[number, head], q[at, own], k[at, own], v[at, head], beta[at, head], alpha)
                    start += length
                f.check(query=q, key=k, value=v, beta=beta, initialState=first if some else None, actualSeqLengths=numpy.array(lengths, "int32"), scale=0.25,
                        g=g if some else None, outResult=(out * 0.25).astype(dtype), finalStateResult=last.astype(dtype), tolerance=close(dtype))
    q, k, v, beta, g = tokens(f, "float32", 2, 1, 1, 3, 2)
    rest = dict(query=q, key=k, value=v, scale=1.0, outResult=Any((2, 1, 2), "float32"), finalStateResult=Any((1, 1, 2, 3), "float32"))
    f.refuses(161001, **rest)
    f.refuses(actualSeqLengths=numpy.array([1, 1]), **rest)
    f.fails(actualSeqLengths=numpy.array([3]), **rest)
