"""Attention over chosen keys."""

import ml_dtypes
import numpy

from harness import Any, Fractal, case, exempt

for name in ["LightningIndexer", "SparseFlashAttention", "SparseFlashAttentionV2"]:
    exempt(f"aclnn{name}", zero_dim="queries have heads")
exempt("aclnnGroupedMatmulSwigluQuantWeightNZ", zero_dim="groups have matrices")

MOST = 2**63 - 1
FLOATS = ["float32", "float16", ml_dtypes.bfloat16]


class Data:
    """Sequences with their queries and keys, in one of the layouts."""

    def __init__(self, f, layout, key_layout, counts, lengths, heads, page=4):
        self.layout, self.key_layout, self.counts, self.lengths, self.heads, self.page = layout, key_layout, counts, lengths, heads, page
        self.steps, self.key_steps, self.f = max(counts, default=2), max(lengths, default=3), f
        need = [-(-length // page) for length in lengths]
        pages = f.random.permutation(sum(need) + 2)
        self.table = numpy.zeros((len(lengths), max(need, default=1) + 1), "int32")
        for number, count in enumerate(need):
            self.table[number, :count], pages = pages[:count], pages[count:]

    def queries(self, parts, fill=0):
        """Tensors of each sequence in the layout of queries."""
        if self.layout == "TND":
            return numpy.concatenate(parts) if parts else None
        shape = (len(parts), self.steps, *parts[0].shape[1:])
        whole = numpy.full(shape, fill, parts[0].dtype)
        for number, part in enumerate(parts):
            whole[number, : len(part)] = part
        return whole

    def keys(self, parts):
        if self.key_layout == "TND":
            return numpy.concatenate(parts)
        if self.key_layout == "BSND":
            whole = self.f.rand((len(parts), self.key_steps, *parts[0].shape[1:]), parts[0].dtype)
            for number, part in enumerate(parts):
                whole[number, : len(part)] = part
            return whole
        whole = self.f.rand((self.table.max() + 3, self.page, *parts[0].shape[1:]), parts[0].dtype)
        for number, part in enumerate(parts):
            for at, row in enumerate(part):
                whole[self.table[number, at // self.page], at % self.page] = row
        return whole

    def lists(self):
        counts = numpy.cumsum(self.counts) if self.layout == "TND" else numpy.array(self.counts)
        lengths = numpy.cumsum(self.lengths) if self.key_layout == "TND" else numpy.array(self.lengths)
        return counts.astype("int32"), lengths.astype("int32"), self.table if self.key_layout == "PA_BSND" else None

    def rand(self, sizes, *shape, dtype):
        return [self.f.rand((size, *shape), dtype, -1, 1) for size in sizes]


LAYOUTS = [("BSND", "BSND"), ("TND", "TND"), ("BSND", "PA_BSND"), ("TND", "PA_BSND")]


@case("aclnnLightningIndexer")
def _(f):
    for layout, key_layout in LAYOUTS:
        for dtype in FLOATS:
            for counts, lengths in [([2, 1, 3], [9, 4, 5]), ([1], [6])]:
                data = Data(f, layout, key_layout, counts, lengths, 3)
                # Small whole numbers: scores are exact, and equal ones are common.
                q = [f.rand((count, 3, 4), "int64", -3, 3).astype(dtype) for count in counts]
                k = [f.rand((length, 1, 4), "int64", -3, 3).astype(dtype) for length in lengths]
                w = [f.rand((count, 3), "int64", -2, 3).astype(dtype) for count in counts]
                for mode in (0, 3):
                    for most in (3, 12):
                        places, values = [], []
                        for number, (count, length) in enumerate(zip(counts, lengths)):
                            place, value = numpy.full((count, 1, most), -1, "int32"), numpy.full((count, 1, most), -numpy.inf, "float32")
                            for row in range(count):
                                products = q[number][row].astype("float64") @ k[number][:, 0].astype("float64").T
                                scores = (w[number][row].astype("float64")[:, None] * numpy.maximum(products, 0)).sum(0)
                                scores = scores[: length - count + row + 1] if mode == 3 else scores
                                order = numpy.argsort(-scores, kind="stable")[:most]
                                place[row, 0, : order.size], value[row, 0, : order.size] = order, scores[order]
                            places.append(place)
                            values.append(value)
                        a, b, table = data.lists()
                        same = dict(query=data.queries(q), key=data.keys(k), weights=data.queries(w), actualSeqLengthsQuery=a, actualSeqLengthsKey=b, blockTable=table,
                                    layoutQuery=layout, layoutKey=key_layout, sparseCount=most, sparseMode=mode, preTokens=MOST, nextTokens=MOST)
                        f.check(**same, sparseIndices=data.queries(places, -1))
                        f.check(**same, returnValue=True, sparseIndices=data.queries(places, -1), sparseValues=data.queries(values, -numpy.inf))
    none = f.rand((0, 2, 3, 4))
    same = dict(query=none, key=f.rand((0, 5, 1, 4)), weights=none[..., 0], layoutQuery="BSND", layoutKey="BSND", preTokens=MOST, nextTokens=MOST)
    f.check(**same, sparseCount=2, sparseMode=3, sparseIndices=numpy.zeros((0, 2, 1, 2), "int32"))
    f.refuses(**same, sparseCount=2, sparseMode=1, sparseIndices=numpy.zeros((0, 2, 1, 2), "int32"))
    f.refuses(**{**same, "nextTokens": 5}, sparseCount=2, sparseMode=3, sparseIndices=numpy.zeros((0, 2, 1, 2), "int32"))
    f.refuses(161001, **{**same, "layoutKey": "PA_BSND"}, sparseCount=2, sparseMode=3, sparseIndices=numpy.zeros((0, 2, 1, 2), "int32"))
    x = f.rand((1, 2, 3, 4))
    f.fails(**{**same, "query": x, "key": f.rand((1, 5, 1, 4)), "weights": x[..., 0]}, actualSeqLengthsKey=numpy.array([6], "int32"), sparseCount=2, sparseMode=3,
            sparseIndices=Any((1, 2, 1, 2), "int32"))


def attends(f, sinks_too):
    for layout, key_layout in LAYOUTS:
        for dtype in FLOATS:
            for counts, lengths, block in [([2, 1, 3], [9, 4, 5], 1), ([2], [11], 4)]:
                data = Data(f, layout, key_layout, counts, lengths, 3)
                q, k, v = data.rand(counts, 3, 5, dtype=dtype), data.rand(lengths, 1, 5, dtype=dtype), data.rand(lengths, 1, 6, dtype=dtype)
                qr, kr = data.rand(counts, 3, 2, dtype=dtype), data.rand(lengths, 1, 2, dtype=dtype)
                chosen = []
                for count, length in zip(counts, lengths):
                    own = numpy.full((count, 1, 4), -1, "int32")
                    for row in own:
                        some = f.random.permutation(-(-length // block))[: f.random.integers(0, 5)]
                        row[0, : some.size] = some
                    chosen.append(own)
                for mode in (0, 3):
                    for turned in (False, True):
                        for sinks in (None, f.rand((3,))) if sinks_too else (None,):
                            outs, tops, sums = [], [], []
                            for number, (count, length) in enumerate(zip(counts, lengths)):
                                out, top, total = numpy.zeros((count, 3, 6)), numpy.zeros((count, 3)), numpy.zeros((count, 3))
                                for row in range(count):
                                    seen = length - count + row + 1 if mode == 3 else length
                                    at = [p for one in chosen[number][row, 0] if one >= 0 for p in range(one * block, min((one + 1) * block, seen))]
                                    if not at:
                                        continue
                                    scores = q[number][row].astype("float64") @ k[number][at, 0].astype("float64").T
                                    if turned:
                                        scores = scores + qr[number][row].astype("float64") @ kr[number][at, 0].astype("float64").T
                                    scores = scores * 0.7
                                    most = scores.max(1)
                                    if sinks is not None:
                                        most = numpy.maximum(most, sinks)
                                    shares = numpy.exp(scores - most[:, None])
                                    whole = shares.sum(1) + (0 if sinks is None else numpy.exp(sinks - most))
                                    out[row], top[row], total[row] = shares / whole[:, None] @ v[number][at, 0].astype("float64"), most, whole
                                outs.append(out.astype(dtype))
                                tops.append(top.astype("float32"))
                                sums.append(total.astype("float32"))
                            a, b, table = data.lists()
                            same = dict(query=data.queries(q), key=data.keys(k), value=data.keys(v), sparseIndices=data.queries(chosen, -1), blockTable=table,
                                        actualSeqLengthsQuery=a, actualSeqLengthsKv=b, scale=0.7, sparseBlockSize=block, layoutQuery=layout, layoutKv=key_layout,
                                        sparseMode=mode, preTokens=MOST, nextTokens=MOST, attentionMode=2 if turned else 0)
                            if turned:
                                same |= dict(queryRope=data.queries(qr), keyRope=data.keys(kr))
                            if sinks_too:
                                same |= dict(sinks=sinks)
                            same |= dict(sparseFlashAttentionOutput=data.queries(outs), tolerance=(1e-4, 1e-5) if dtype == "float32" else (3e-2, 1e-2))
                            f.check(**same)
                            if sinks is None:
                                # One head of keys: [batch, 1, steps, heads] or [1, tokens, heads].
                                extra = [data.queries(one) for one in (tops, sums)]
                                extra = [one[None] if layout == "TND" else one[:, None] for one in extra]
                                f.check(**same, returnSoftmaxLse=True, softmaxMax=extra[0], softmaxSum=extra[1])
    none = f.rand((0, 2, 3, 4))
    same = dict(query=none, key=f.rand((0, 5, 1, 4)), value=f.rand((0, 5, 1, 4)), scale=1.0, sparseBlockSize=1, layoutQuery="BSND", layoutKv="BSND", preTokens=MOST,
                nextTokens=MOST, sparseIndices=numpy.zeros((0, 2, 1, 2), "int32"), sparseFlashAttentionOutput=none)
    f.check(**same)
    f.refuses(**same, attentionMode=1)
    f.refuses(161001, **same, attentionMode=2)
    f.refuses(161001, **same, returnSoftmaxLse=True)
    f.refuses(**{**same, "key": f.rand((0, 5, 2, 4))})
    x = f.rand((1, 2, 3, 4))
    f.fails(**{**same, "query": x, "key": f.rand((1, 5, 1, 4)), "value": f.rand((1, 5, 1, 4)), "sparseFlashAttentionOutput": x, "sparseIndices": numpy.full((1, 2, 1, 2), 5, "int32")})


@case("aclnnSparseFlashAttention")
def _(f):
    attends(f, False)


@case("aclnnSparseFlashAttentionV2")
def _(f):
    attends(f, True)


@case("aclnnGroupedMatmulSwigluQuantWeightNZ")
def _(f):
    for counts, spare, depth, columns in [([2, 0, 3], 2, 5, 8), ([20, 1], 0, 33, 40), ([0, 0], 0, 4, 6)]:
        rows, groups = sum(counts) + spare, len(counts)
        x, w = f.rand((rows, depth), "int8", -100, 100), f.rand((groups, depth, columns), "int8", -100, 100)
        factors, scales = f.rand((groups, columns), "float32", 0.001, 0.01), f.rand((rows,), "float32", 0.01, 0.1)
        out, scale, start = numpy.zeros((rows, columns // 2), "int8"), numpy.zeros(rows, "float32"), 0
        for group, count in enumerate(counts):
            own = slice(start, start + count)
            values = (x[own].astype("int64") @ w[group].astype("int64")) * factors[group].astype("float64") * scales[own].astype("float64")[:, None]
            a, b = numpy.split(values, 2, 1)
            gated = a / (1 + numpy.exp(-a)) * b
            scale[own] = numpy.abs(gated).max(1, initial=0) / 127
            out[own] = numpy.rint(gated / (numpy.abs(gated).max(1, keepdims=True, initial=0) / 127))
            start += count
        f.check(x=x, weight=Fractal(w), weightScale=factors, xScale=scales, groupList=numpy.cumsum(counts), output=out, outputScale=scale)
    f.refuses(x=x, weight=w, weightScale=factors, xScale=scales, groupList=numpy.cumsum(counts), output=out, outputScale=scale)
    x, w = f.rand((2, 4), "int8"), Fractal(f.rand((1, 4, 6), "int8"))
    rest = dict(x=x, weight=w, weightScale=f.rand((1, 6)), xScale=f.rand((2,)), output=Any((2, 3), "int8"), outputScale=Any((2,), "float32"))
    f.refuses(**rest, groupList=numpy.array([2]), bias=f.rand((1, 6)))
    f.fails(**rest, groupList=numpy.array([3]))
