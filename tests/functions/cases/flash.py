"""Attention for training, and its gradient."""

import ml_dtypes
import numpy

from harness import Any, case, exempt

ALL = 2**31 - 1
LEAST = numpy.finfo("float32").min
CLOSE = (1e-4, 1e-5)

SCORES = ["", "V2", "V3", "V4"]
# How the arguments of the versions are called.
NAMES = {
    "": dict(pse="realShift", scale="scaleValue", before="preTokens", after="nextTokens", out="attentionOut"),
    "V2": dict(pse="realShift", scale="scaleValue", before="preTokens", after="nextTokens", out="attentionOut"),
    "V3": dict(pse="pse", scale="scale", before="preTockens", after="nextTockens", out="attentionScore"),
    "V4": dict(pse="pse", scale="scale", before="preTockens", after="nextTockens", out="attentionScore"),
}


def attention(q, k, v, scale, hidden=None, shift=None, sink=None, kept=None, chance=1.0, dy=None):
    """Attention of [batch, head, row, number] in float64: results, greatest scores, sums; with dy the gradients of q, k, v, shift and sink."""
    q, k, v = (one.astype("float64") for one in (q, k, v))
    group = q.shape[1] // k.shape[1]
    keys, values = numpy.repeat(k, group, 1), numpy.repeat(v, group, 1)
    scores = q @ keys.swapaxes(-1, -2) * scale
    if shift is not None:
        scores = scores + shift
    see = numpy.ones(scores.shape, bool) if hidden is None else ~numpy.broadcast_to(hidden, scores.shape)
    seen = numpy.where(see, scores, -numpy.inf)
    if sink is not None:
        last = numpy.broadcast_to(numpy.asarray(sink, "float64")[None, :, None, None], (*scores.shape[:3], 1))
        seen = numpy.concatenate([seen, last], -1)
    greatest = seen.max(-1, keepdims=True, initial=-numpy.inf)
    blind = numpy.isneginf(greatest)
    exps = numpy.where(blind, 0, numpy.exp(seen - numpy.where(blind, 0, greatest)))
    sums = numpy.where(blind, 1, exps.sum(-1, keepdims=True))
    greatest = numpy.where(blind, LEAST, greatest)
    every = exps / sums
    shares = every[..., : scores.shape[-1]]
    raised = 1.0 if kept is None else kept / chance
    out = (shares * raised) @ values
    if dy is None:
        return out, greatest, sums
    dy = dy.astype("float64")
    d_shares = dy @ values.swapaxes(-1, -2) * raised
    common = (dy * out).sum(-1, keepdims=True)
    d_scores = shares * (d_shares - common)
    fold = lambda x: x.reshape(k.shape[0], k.shape[1], group, *x.shape[2:]).sum(2)
    d_sink = -(every[..., -1:] * common).sum((0, 2, 3)) if sink is not None else None
    return (d_scores @ keys * scale, fold(d_scores.swapaxes(-1, -2) @ q * scale), fold((shares * raised).swapaxes(-1, -2) @ dy), d_scores, d_sink)


def turned(x, layout):
    """[batch, head, row, number] in a layout."""
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return x.transpose(0, 2, 1, 3)
    if layout == "BSH":
        return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)
    if layout == "SBH":
        return x.transpose(2, 0, 1, 3).reshape(x.shape[2], x.shape[0], -1)
    if layout == "TND":
        return x[0].transpose(1, 0, 2)
    raise ValueError(layout)


def eight(x):
    return numpy.repeat(x, 8, -1).astype("float32")


def causal(rows, columns, end=False, before=ALL, after=0):
    ahead = numpy.arange(columns)[None, :] - numpy.arange(rows)[:, None] - (columns - rows if end else 0)
    return (ahead > after) | (ahead < -before)


def made(f, batch=2, heads=4, key_heads=2, rows=5, columns=7, size=8, value_size=8, dtype="float32"):
    return [f.rand(shape, dtype, -1, 1) for shape in [(batch, heads, rows, size), (batch, key_heads, columns, size), (batch, key_heads, columns, value_size)]]


def situations(f, version):
    """Arguments by name, and what they mean."""
    square = numpy.triu(numpy.ones((2048, 2048), bool), 1)
    for layout in ["BNSD", "BSND", "BSH", "SBH"]:
        yield made(f), dict(layout=layout), {}
    yield made(f, value_size=3), dict(layout="BNSD"), {}
    yield made(f, key_heads=4, rows=150, columns=130), dict(layout="BSH", mode=3, mask=square), dict(hidden=causal(150, 130, True))
    yield made(f, rows=70, columns=140), dict(layout="BNSD", mode=2, mask=square), dict(hidden=causal(70, 140))
    yield made(f), dict(layout="BNSD", mode=3, mask=square), dict(hidden=causal(5, 7, True))
    yield made(f), dict(layout="BSND", mode=4, mask=square, before=2, after=1), dict(hidden=causal(5, 7, True, 2, 1))
    mask = f.rand((5, 7), bool)
    yield made(f), dict(layout="BNSD", mode=1, mask=mask), dict(hidden=mask)
    mask = f.rand((2, 1, 5, 7), bool).astype("uint8")
    mask[0, 0, 2] = 1
    yield made(f), dict(layout="BNSD", mode=0, mask=mask), dict(hidden=mask.astype(bool))
    mask = f.rand((2, 4, 5, 7), bool)
    yield made(f), dict(layout="BNSD", mode=0, mask=mask, before=3, after=2), dict(hidden=mask | causal(5, 7, False, 3, 2))
    for shape in [(2, 4, 5, 7), (1, 4, 5, 7), (2, 1, 5, 7)]:
        shift = f.rand(shape, "float32", -1, 1)
        yield made(f), dict(layout="BNSD", pse=shift, kind=1), dict(shift=shift * 0.5)
        if version:
            yield made(f), dict(layout="BNSD", pse=shift, kind=0), dict(shift=shift)
    bits = f.rand((2 * 4 * 5 * 7,), bool)
    yield made(f), dict(layout="BSH", drop=numpy.packbits(bits, bitorder="little"), chance=0.5), dict(kept=bits.reshape(2, 4, 5, 7), chance=0.5)
    for dtype in ["float16", ml_dtypes.bfloat16]:
        yield made(f, dtype=dtype), dict(layout="BSH"), {}
    yield made(f, rows=0), dict(layout="BNSD"), {}
    yield made(f, columns=0), dict(layout="BNSD"), {}
    yield made(f, batch=0), dict(layout="BSND"), {}
    if version == "V3":
        sink = f.rand((4,), "float32", -1, 1)
        yield made(f), dict(layout="BNSD", sink=sink), dict(sink=sink)
        yield made(f), dict(layout="BNSD", mode=3, mask=square, sink=sink), dict(sink=sink, hidden=causal(5, 7, True))


def arguments(version, how, heads, names):
    """What both directions take."""
    said = {
        names["pse"]: how.get("pse"), "dropMask": how.get("drop"), "attenMask": how.get("mask"), names["scale"]: 0.5, "keepProb": how.get("chance", 1.0),
        names["before"]: how.get("before", ALL), names["after"]: how.get("after", ALL), "headNum": heads, "inputLayout": how["layout"],
        "sparseMode": how.get("mode", 0),
    }
    if version:
        said["pseType"] = how.get("kind", 1)
    if how.get("sink") is not None:
        said["sink"] = how["sink"]
    return said


def tolerance(dtype):
    return {"float16": (1e-2, 2e-3), "bfloat16": (5e-2, 2e-2)}.get(numpy.dtype(dtype).name, CLOSE)


def forward(version):
    @case("aclnnFlashAttentionScore" + version)
    def _(f):
        names = NAMES[version]
        for (q, k, v), how, means in situations(f, version):
            layout, dtype = how["layout"], q.dtype
            out, greatest, sums = attention(q, k, v, 0.5, **means)
            results = {names["out"]: turned(out, layout).astype(dtype), "softmaxMax": eight(greatest), "softmaxSum": eight(sums), "softmaxOut": Any((0,), dtype)}
            f.check(query=turned(q, layout), key=turned(k, layout), value=turned(v, layout), **arguments(version, how, 4, names), **results,
                    tolerance=tolerance(dtype))
        q, k, v = made(f)
        good = dict(query=q, key=k, value=v, **arguments(version, dict(layout="BNSD"), 4, names), **{names["out"]: q}, softmaxMax=Any((2, 4, 5, 8), "float32"),
                    softmaxSum=Any((2, 4, 5, 8), "float32"))
        f.refuses(**{**good, "inputLayout": "BDSN"})
        f.refuses(**{**good, "headNum": 3})
        f.refuses(**{**good, "sparseMode": 2})
        f.refuses(**{**good, "sparseMode": 6, "attenMask": numpy.ones((5, 7), bool)})
        f.refuses(**{**good, "keepProb": 0.5})
        f.refuses(**{**good, "attenMask": numpy.ones((5, 6), bool)})
        f.refuses(**{**good, "key": f.rand((2, 3, 7, 8))})
        f.refuses(**{**good, "prefix": [1, 2]})
        f.refuses(161001, **{**good, "query": None})


for one in SCORES:
    forward(one)
    exempt("aclnnFlashAttentionScore" + one, zero_dim="queries have three or four axes")
    exempt("aclnnFlashAttentionScoreGrad" + one, zero_dim="queries have three or four axes")


def backward(version):
    @case("aclnnFlashAttentionScoreGrad" + version)
    def _(f):
        names = dict(NAMES[version], pse="pseShift" if version in ("", "V2") else "pse")
        attention_in = "attentionIn" if version in ("", "V2") else "attention"
        for (q, k, v), how, means in situations(f, version):
            layout, dtype = how["layout"], q.dtype
            out, greatest, sums = attention(q, k, v, 0.5, **means)
            dy = f.rand(out.shape, "float32", -1, 1).astype(dtype)
            dq, dk, dv, d_scores, d_sink = attention(q, k, v, 0.5, **means, dy=dy)
            results = {name: turned(one, layout).astype(dtype) for name, one in [("dq", dq), ("dk", dk), ("dv", dv)]}
            if how.get("pse") is not None:
                shape = how["pse"].shape
                whole = d_scores * (0.5 if how.get("kind", 1) == 1 else 1.0)
                results["dpse"] = whole.sum(tuple(axis for axis in range(4) if shape[axis] == 1 < whole.shape[axis]), keepdims=True).astype("float32")
            if how.get("sink") is not None:
                results["dsink"] = d_sink.astype("float32")
            for keep_out in (False, True):
                given = {attention_in: turned(out, layout).astype(dtype)} if keep_out else {}
                f.check(query=turned(q, layout), key=turned(k, layout), value=turned(v, layout), dy=turned(dy, layout), softmaxMax=eight(greatest),
                        softmaxSum=eight(sums), **given, **arguments(version, how, 4, names), **results, tolerance=tolerance(dtype))
        q, k, v = made(f)
        kept = numpy.ones((2, 4, 5, 8), "float32")
        good = dict(query=q, key=k, value=v, dy=q, **arguments(version, dict(layout="BNSD"), 4, names), softmaxMax=kept, softmaxSum=kept, dq=q, dk=k, dv=v)
        f.refuses(**{**good, "dq": k})
        f.refuses(161001, **{**good, "softmaxMax": None})


for one in SCORES:
    backward(one)


# Packed sequences: what the versions have besides.
PACKED = {
    "": dict(out="attentionOut", pse="realShift", scale="scaleValue", before="preTokens", after="nextTokens"),
    "V2": dict(out="attentionScore", pse="pse", scale="scale", before="preTokens", after="nextTokens", kind=True),
    "V3": dict(out="attentionScore", pse="pse", scale="scale", before="preTokens", after="nextTokens", kind=True, rope=True),
    "V4": dict(out="attentionScore", pse="pse", scale="scale", before="preTockens", after="nextTockens", layout=True),
    "V5": dict(out="attentionScore", pse="pse", scale="scale", before="preTockens", after="nextTockens", kind=True, rope=True, layout=True, sink=True),
}
LENGTHS = [([3, 0, 70, 2], [4, 5, 80, 2]), ([4], [4]), ([2, 3], [0, 5]), ([], [])]


def packed(f, has, grad):
    square = numpy.triu(numpy.ones((2048, 2048), bool), 1)
    for rows, columns in LENGTHS:
        for mode in (0, 3):
            for rope in {False, has.get("rope", False)}:
                for sink in {False, has.get("sink", False)}:
                    total, keys = sum(rows), sum(columns)
                    q, k, v = f.rand((total, 4, 8), low=-1, high=1), f.rand((keys, 2, 8), low=-1, high=1), f.rand((keys, 2, 6), low=-1, high=1)
                    qr, kr = f.rand((total, 4, 4), low=-1, high=1), f.rand((keys, 2, 4), low=-1, high=1)
                    sinks = f.rand((4,), low=-1, high=1) if sink else None
                    dy = f.rand((total, 4, 6), low=-1, high=1)
                    whole_q, whole_k = (numpy.concatenate([q, qr], -1), numpy.concatenate([k, kr], -1)) if rope else (q, k)
                    out, greatest, sums = numpy.zeros((total, 4, 6)), numpy.zeros((total, 4, 1)), numpy.zeros((total, 4, 1))
                    dq, dk, dv, dsink = numpy.zeros(whole_q.shape), numpy.zeros(whole_k.shape), numpy.zeros(v.shape), numpy.zeros(4)
                    row = column = 0
                    for n, m in zip(rows, columns):
                        here, there = slice(row, row + n), slice(column, column + m)
                        row, column = row + n, column + m
                        parts = [x[None].swapaxes(1, 2) for x in (whole_q[here], whole_k[there], v[there])]
                        means = dict(hidden=causal(n, m, True) if mode else None, sink=sinks)
                        for into, one in zip((out, greatest, sums), attention(*parts, 0.5, **means)):
                            into[here] = one[0].swapaxes(0, 1)
                        grads = attention(*parts, 0.5, **means, dy=dy[here][None].swapaxes(1, 2))
                        for into, place, one in [(dq, here, grads[0]), (dk, there, grads[1]), (dv, there, grads[2])]:
                            into[place] = one[0].swapaxes(0, 1)
                        if sink:
                            dsink += grads[4]
                    said = {
                        "query": q, "key": k, "value": v, has["scale"]: 0.5, "keepProb": 1.0, has["before"]: ALL, has["after"]: ALL, "headNum": 4,
                        "inputLayout": "TND", "sparseMode": mode, "attenMask": square if mode else None,
                        "actualSeqQLen": list(numpy.cumsum(rows)), "actualSeqKvLen": list(numpy.cumsum(columns)),
                    }
                    if has.get("layout"):
                        said["softmaxLayout"] = "same_as_input"
                    if rope:
                        said.update(queryRope=qr, keyRope=kr)
                    if sink:
                        said["sink"] = sinks
                    kept = dict(softmaxMax=eight(greatest), softmaxSum=eight(sums))
                    if not grad:
                        f.check(**said, **{has["out"]: out.astype("float32")}, **kept, tolerance=CLOSE)
                        continue
                    results = dict(dq=dq[..., :8].astype("float32"), dk=dk[..., :8].astype("float32"), dv=dv.astype("float32"))
                    if rope:
                        results.update(dqRope=dq[..., 8:].astype("float32"), dkRope=dk[..., 8:].astype("float32"))
                    if sink:
                        results["dsink"] = dsink.astype("float32")
                    f.check(**said, **kept, dy=dy, **results, tolerance=CLOSE)


def declare(version, has):
    @case("aclnnFlashAttentionVarLenScore" + version)
    def _(f):
        packed(f, has, False)

    @case("aclnnFlashAttentionUnpaddingScoreGrad" + version)
    def _(f):
        packed(f, has, True)

    for name in ("VarLenScore", "UnpaddingScoreGrad"):
        exempt("aclnnFlashAttention" + name + version, zero_dim="queries have three axes")


for one in PACKED:
    declare(one, PACKED[one])
