"""Attention for inference."""

import numpy

from cases.flash import ALL, attention, causal
from harness import Any, case, exempt

CLOSE = (1e-4, 1e-5)
SQUARE = numpy.triu(numpy.ones((2048, 2048), bool), 1)
FUSED = ["", "V2", "V3", "V4", "V5"]


def turned(x, letters):
    """[batch, head, row, number] in a layout."""
    axes = {"B": 0, "N": 1, "S": 2, "D": 3}
    if letters == "BSH":
        return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)
    if "T" in letters:
        return x[0].transpose([axes[one] - 1 for one in letters.replace("T", "S")])
    if letters == "NSD":
        return x[0]
    return x.transpose([axes[one] for one in letters])


def made(f, batch=2, heads=4, key_heads=2, rows=5, columns=7, size=8):
    return [f.rand(shape, low=-1, high=1) for shape in [(batch, heads, rows, size), (batch, key_heads, columns, size), (batch, key_heads, columns, size)]]


def log_sum(greatest, sums):
    return numpy.where(greatest < -1e38, -numpy.inf, greatest + numpy.log(sums))


def by_length(q, k, v, rows, columns, hidden=None, shift=None, sink=None):
    """Each batch with lengths of its own; rows behind them are 0."""
    out, lse = numpy.zeros((*q.shape[:3], v.shape[3])), numpy.zeros((*q.shape[:3], 1))
    for b in range(q.shape[0]):
        n, m = rows[b], columns[b]
        own = lambda x: None if x is None else numpy.broadcast_to(x, (*q.shape[:3], k.shape[2]))[b : b + 1, :, :n, :m]
        mask = hidden(n, m) if callable(hidden) else own(hidden)
        result, greatest, sums = attention(q[b : b + 1, :, :n], k[b : b + 1, :, :m], v[b : b + 1, :, :m], 0.5, hidden=mask, shift=own(shift), sink=sink)
        out[b, :, :n], lse[b, :, :n] = result[0], log_sum(greatest, sums)[0]
    return out, lse


def situations(f):
    """Tensors, arguments, and the result with its logarithms of sums."""
    for layout in ["BSH", "BSND", "BNSD", "BNSD_BSND", "BSH_BNSD", "BSND_NBSD"]:
        q, k, v = made(f)
        yield (q, k, v), dict(inputLayout=layout), by_length(q, k, v, [5, 5], [7, 7])
    q, k, v = made(f)
    yield (q, k, v), dict(inputLayout="BSH", actualSeqLengths=[3, 5], actualSeqLengthsKv=[7, 2]), by_length(q, k, v, [3, 5], [7, 2])
    yield (q, k, v), dict(inputLayout="BNSD", actualSeqLengthsKv=[4]), by_length(q, k, v, [5, 5], [4, 4])
    yield (q, k, v), dict(inputLayout="BNSD", sparseMode=2, attenMask=SQUARE), by_length(q, k, v, [5, 5], [7, 7], causal)
    yield (q, k, v), dict(inputLayout="BNSD", sparseMode=3, attenMask=SQUARE, actualSeqLengths=[5, 2], actualSeqLengthsKv=[6, 7]), by_length(
        q, k, v, [5, 2], [6, 7], lambda n, m: causal(n, m, True))
    yield (q, k, v), dict(inputLayout="BNSD", sparseMode=4, attenMask=SQUARE, preTokens=1, nextTokens=2), by_length(
        q, k, v, [5, 5], [7, 7], lambda n, m: causal(n, m, True, 1, 2))
    mask = f.rand((2, 5, 7), bool)
    yield (q, k, v), dict(inputLayout="BNSD", attenMask=mask), by_length(q, k, v, [5, 5], [7, 7], mask[:, None])
    mask = f.rand((2, 1, 6, 9), "int8", 0, 1)
    yield (q, k, v), dict(inputLayout="BNSD", sparseMode=1, attenMask=mask), by_length(q, k, v, [5, 5], [7, 7], mask[:, :, :5, :7] != 0)
    shift = f.rand((1, 4, 5, 7), low=-1, high=1)
    yield (q, k, v), dict(inputLayout="BNSD", pseShift=shift), by_length(q, k, v, [5, 5], [7, 7], shift=shift)
    q, k, v = made(f, rows=1, columns=130)
    yield (q, k, v), dict(inputLayout="BNSD", actualSeqLengthsKv=[130, 64]), by_length(q, k, v, [1, 1], [130, 64])
    q, k, v = made(f, batch=0)
    yield (q, k, v), dict(inputLayout="BNSD"), by_length(q, k, v, [], [])
    q, k, v = made(f, columns=0)
    yield (q, k, v), dict(inputLayout="BNSD"), by_length(q, k, v, [5, 5], [0, 0])


BASE = dict(numHeads=4, scaleValue=0.5, preTokens=ALL, nextTokens=ALL, numKeyValueHeads=2, sparseMode=0)


def fused(version):
    name = "aclnnFusedInferAttentionScore" + version
    exempt(name, zero_dim="queries have three or four axes")

    @case(name)
    def _(f):
        base = dict(BASE)
        for (q, k, v), how, (out, lse) in situations(f):
            inputs, _, results = how["inputLayout"].partition("_")
            f.check(query=turned(q, inputs), key=[turned(k, inputs)], value=[turned(v, inputs)], **{**base, **how}, softmaxLseFlag=True,
                    attentionOut=turned(out, results or inputs).astype("float32"), softmaxLse=lse.astype("float32"), tolerance=CLOSE)
        # A tensor of keys for each batch.
        q, k, v = made(f)
        short = [k[:1], k[1:, :, :4]], [v[:1], v[1:, :, :4]]
        out, lse = by_length(q, k, v, [5, 5], [7, 4])
        f.check(query=q, key=short[0], value=short[1], **base, inputLayout="BNSD", attentionOut=out.astype("float32"), tolerance=CLOSE)
        for dtype, tolerance in [("float16", (1e-2, 2e-3))]:
            halves = [one.astype(dtype) for one in (q, k, v)]
            out, lse = by_length(*halves, [5, 5], [7, 7])
            f.check(query=halves[0], key=[halves[1]], value=[halves[2]], **base, inputLayout="BNSD", attentionOut=out.astype(dtype), tolerance=tolerance)
        paged(f, base)
        packed(f, base)
        if version in ("V3", "V4", "V5"):
            qr, kr = f.rand((2, 4, 5, 4), low=-1, high=1), f.rand((2, 2, 7, 4), low=-1, high=1)
            out, lse = by_length(numpy.concatenate([q, qr], -1), numpy.concatenate([k, kr], -1), v, [5, 5], [7, 7])
            f.check(query=q, key=[k], value=[v], queryRope=qr, keyRope=kr, **base, inputLayout="BNSD", attentionOut=out.astype("float32"), tolerance=CLOSE)
        if version in ("V4", "V5"):
            sink = f.rand((4,), low=-1, high=1)
            out, lse = by_length(q, k, v, [5, 5], [7, 7], sink=sink)
            f.check(query=q, key=[k], value=[v], learnableSink=sink, **base, inputLayout="BNSD", attentionOut=out.astype("float32"), tolerance=CLOSE)
        good = dict(query=q, key=[k], value=[v], **base, inputLayout="BNSD", attentionOut=Any(q.shape, "float32"))
        f.refuses(**{**good, "inputLayout": "SBH"})
        f.refuses(**{**good, "numKeyValueHeads": 3})
        f.refuses(**{**good, "sparseMode": 3})
        f.refuses(**{**good, "actualSeqLengthsKv": [8, 7]})
        f.refuses(**{**good, "quantScale2": numpy.ones(1, "float32")})
        f.refuses(161001, **{**good, "key": None})


def paged(f, base):
    """A cache of pages with 4 rows each."""
    q, k, v = made(f, batch=3, rows=2, columns=12)
    lengths, table = [9, 0, 12], numpy.array([[5, 0, 7], [9, 9, 9], [2, 1, 6]], "int32")
    pages_k, pages_v = f.rand((8, 2, 4, 8)), f.rand((8, 2, 4, 8))
    for b, row in enumerate(table):
        for place, page in enumerate(row):
            if place * 4 < lengths[b]:
                pages_k[page], pages_v[page] = (x[b, :, place * 4 : place * 4 + 4] for x in (k, v))
    flat = lambda x: x.transpose(0, 2, 1, 3).reshape(8, 4, 16)
    out, lse = by_length(q, k, v, [2, 2, 2], lengths)
    for keys, values in [(pages_k, pages_v), (flat(pages_k), flat(pages_v))]:
        f.check(query=q, key=[keys], value=[values], **base, inputLayout="BNSD", blockTable=table, blockSize=4, actualSeqLengthsKv=lengths,
                attentionOut=out.astype("float32"), tolerance=CLOSE)
    # Packed queries: their lengths are cumulated, those of pages are not.
    rows = [2, 1, 2]
    out, lse = by_length(q, k, v, rows, lengths, lambda n, m: causal(n, m, True))
    pack = lambda x: numpy.concatenate([x[b, :, :n].swapaxes(0, 1) for b, n in enumerate(rows)]).astype("float32")
    said = {**base, "sparseMode": 3}
    f.check(query=pack(q), key=[flat(pages_k)], value=[flat(pages_v)], **said, inputLayout="TND", attenMask=SQUARE, blockTable=table, blockSize=4,
            actualSeqLengths=[2, 3, 5], actualSeqLengthsKv=lengths, softmaxLseFlag=True, attentionOut=pack(out), softmaxLse=pack(lse), tolerance=CLOSE)
    f.refuses(query=q, key=[pages_k], value=[pages_v], **base, inputLayout="BNSD", blockTable=table, blockSize=8, actualSeqLengthsKv=lengths, attentionOut=out.astype("float32"))


def packed(f, base):
    q, k, v = made(f, rows=3, columns=4)
    rows, columns = [3, 2], [4, 1]
    out, lse = by_length(q, k, v, rows, columns)
    pack = lambda x, counts: numpy.concatenate([x[b, :, :n].swapaxes(0, 1) for b, n in enumerate(counts)]).astype("float32")
    said = dict(**base, actualSeqLengths=[3, 5], actualSeqLengthsKv=[4, 5])
    for layout in ["TND", "NTD_TND", "TND_NTD"]:
        inputs, _, results = layout.partition("_")
        put = lambda x, letters: x if letters == "TND" else x.swapaxes(0, 1)
        f.check(query=put(pack(q, rows), inputs), key=[put(pack(k, columns), inputs)], value=[put(pack(v, columns), inputs)], **said, inputLayout=layout,
                attentionOut=put(pack(out, rows), results or inputs), tolerance=CLOSE)


for one in FUSED:
    fused(one)

exempt("aclnnPromptFlashAttentionV3", zero_dim="queries have three or four axes")
exempt("aclnnIncreFlashAttentionV4", zero_dim="queries have three or four axes")


@case("aclnnPromptFlashAttentionV3")
def _(f):
    for (q, k, v), how, (out, lse) in situations(f):
        inputs, _, results = how["inputLayout"].partition("_")
        base = {**BASE, **how}
        base["scale"] = base.pop("scaleValue")
        for old, new in [("actualSeqLengths", "actSeqLen"), ("actualSeqLengthsKv", "actSeqLenKv")]:
            if old in base:
                base[new] = base.pop(old)
        f.check(query=turned(q, inputs), key=turned(k, inputs), value=turned(v, inputs), **base, output=turned(out, results or inputs).astype("float32"), tolerance=CLOSE)


@case("aclnnIncreFlashAttentionV4")
def _(f):
    said = dict(numHeads=4, scale=0.5, numKeyValueHeads=2)
    for layout in ["BSH", "BNSD", "BSND"]:
        q, k, v = made(f, rows=1, columns=9)
        out, lse = by_length(q, k, v, [1, 1], [9, 4])
        f.check(query=turned(q, layout), key=[turned(k, layout)], value=[turned(v, layout)], **said, inputLayout=layout, actualSeqLengths=[9, 4],
                output=turned(out, layout).astype("float32"), tolerance=CLOSE)
    mask = f.rand((2, 9), bool)
    mask[1] = True
    out, lse = by_length(q, k, v, [1, 1], [9, 9], mask[:, None, None])
    f.check(query=q, key=[k], value=[v], **said, inputLayout="BNSD", attenMask=mask, output=out.astype("float32"), tolerance=CLOSE)
    table = numpy.array([[1, 2], [0, 3]], "int32")
    pages = [numpy.zeros((4, 2, 8, 8), "float32") for _ in range(2)]
    for b, row in enumerate(table):
        for place, page in enumerate(row):
            for cache, x in zip(pages, (k, v)):
                part = x[b, :, place * 8 : place * 8 + 8]
                cache[page, :, : part.shape[1]] = part
    out, lse = by_length(q, k, v, [1, 1], [9, 7])
    f.check(query=q, key=[pages[0]], value=[pages[1]], **said, inputLayout="BNSD", blockTable=table, blockSize=8, actualSeqLengths=[9, 7],
            output=out.astype("float32"), tolerance=CLOSE)
    q, k, v = made(f, batch=0, rows=1)
    f.check(query=q, key=[k], value=[v], **said, inputLayout="BNSD", output=q, tolerance=CLOSE)
