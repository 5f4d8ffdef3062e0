"""Attention over chosen keys."""

import ml_dtypes
import numpy

from harness import Any, Fractal, case, exempt

for name in ["LightningIndexer", "QuantLightningIndexer", "SparseFlashAttention", "SparseFlashAttentionV2", "KvQuantSparseFlashAttention",
             "KvQuantSparseFlashAttentionV2"]:
    exempt(f"aclnn{name}", zero_dim="queries have heads")
for name in ["GroupedMatmulSwigluQuantWeightNZ", "GroupedMatmulFinalizeRoutingV2", "GroupedMatmulFinalizeRoutingV3", "GroupedMatmulFinalizeRoutingWeightNz"]:
    exempt(f"aclnn{name}", zero_dim="groups have matrices")

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


@case("aclnnQuantLightningIndexer")
def _(f):
    for layout, key_layout in LAYOUTS:
        for dtype in ["int8", ml_dtypes.float8_e4m3fn]:
            for scale in ["float16", "float32"]:
                counts, lengths = [2, 1, 3], [9, 4, 5]
                data = Data(f, layout, key_layout, counts, lengths, 3)
                q = [f.rand((count, 3, 4), "int64", -6, 6).astype("float32").astype(dtype) for count in counts]
                k = [f.rand((length, 1, 4), "int64", -6, 6).astype("float32").astype(dtype) for length in lengths]
                w = [f.rand((count, 3), "int64", -2, 3).astype("float16") for count in counts]
                # Powers of two: scores are exact, and equal ones are common. A negative scale turns the order of what max has left.
                qs = [(2.0 ** f.random.integers(-3, 3, (count, 3))).astype(scale) for count in counts]
                ks = [(2.0 ** f.random.integers(-3, 3, (length, 1)) * f.random.choice([1, 1, -1], (length, 1))).astype(scale) for length in lengths]
                for mode in (0, 3):
                    for most in (3, 12):
                        places = []
                        for number, (count, length) in enumerate(zip(counts, lengths)):
                            place = numpy.full((count, 1, most), -1, "int32")
                            for row in range(count):
                                products = q[number][row].astype("float64") @ k[number][:, 0].astype("float64").T
                                weights = w[number][row].astype("float64") * qs[number][row].astype("float64")
                                scores = (weights[:, None] * numpy.maximum(products, 0)).sum(0) * ks[number][:, 0].astype("float64")
                                scores = scores[: length - count + row + 1] if mode == 3 else scores
                                order = numpy.argsort(-scores, kind="stable")[:most]
                                place[row, 0, : order.size] = order
                            places.append(place)
                        a, b, table = data.lists()
                        same = dict(query=data.queries(q), key=data.keys(k), weights=data.queries(w), queryDequantScale=data.queries(qs), keyDequantScale=data.keys(ks),
                                    actualSeqLengthsQuery=a, actualSeqLengthsKey=b, blockTable=table, queryLayout=layout, keyLayout=key_layout, sparseCount=most,
                                    sparseMode=mode, preTokens=MOST, nextTokens=MOST)
                        f.check(**same, quantLightningIndexerOutput=data.queries(places, -1))
    out = Any(same["query"].shape[:-2] + (1, most), "int32")
    for name, value in [("queryQuantMode", 1), ("keyQuantMode", 2), ("sparseMode", 1), ("nextTokens", 1), ("key", same["key"].astype("float16")), ("sparseCount", 5),
                        ("queryDequantScale", same["queryDequantScale"][1:]), ("keyDequantScale", same["keyDequantScale"][1:]), ("weights", same["weights"].astype("int8"))]:
        f.refuses(**{**same, name: value}, quantLightningIndexerOutput=out)
    none = f.rand((0, 2, 3, 4), "int8")
    f.check(query=none, key=f.rand((0, 5, 1, 4), "int8"), weights=f.rand((0, 2, 3), "float16"), queryDequantScale=f.rand((0, 2, 3), "float16"),
            keyDequantScale=f.rand((0, 5, 1), "float16"), queryLayout="BSND", keyLayout="BSND", preTokens=MOST, nextTokens=MOST, sparseCount=2, sparseMode=3,
            quantLightningIndexerOutput=numpy.zeros((0, 2, 1, 2), "int32"))


def tiled(f, lengths, dtype, width, turned, tile):
    """Keys with their turned part, and the rows that they are stored in."""
    keys, ropes, rows = [], [], []
    for length in lengths:
        numbers, scales = f.rand((length, 1, width), "int8", -127, 127), f.rand((length, 1, width // tile), "float32", 0.002, 0.01)
        rope = f.rand((length, 1, turned), dtype, -1, 1)
        keys.append(numbers * scales.repeat(tile, 2).astype("float64"))
        ropes.append(rope.astype("float64"))
        rows.append(numpy.concatenate([numbers, numpy.ascontiguousarray(rope).view("int8"), scales.view("int8")], 2))
    return keys, ropes, rows


def attends_to_tiles(f, sinks_too):
    width, turned, tile = 8, 2, 4
    for layout, key_layout in LAYOUTS:
        for dtype in ["float16", ml_dtypes.bfloat16]:
            for counts, lengths, block in [([2, 1, 3], [9, 4, 5], 1), ([2], [11], 4)]:
                data = Data(f, layout, key_layout, counts, lengths, 3)
                q = data.rand(counts, 3, width + turned, dtype=dtype)
                keys, ropes, rows = tiled(f, lengths, dtype, width, turned, tile)
                chosen = []
                for count, length in zip(counts, lengths):
                    own = numpy.full((count, 1, 4), -1, "int32")
                    for row in own:
                        some = f.random.permutation(-(-length // block))[: f.random.integers(0, 5)]
                        row[0, : some.size] = some
                    chosen.append(own)
                for mode in (0, 3):
                    for sinks in (None, f.rand((3,))) if sinks_too else (None,):
                        outs = []
                        for number, (count, length) in enumerate(zip(counts, lengths)):
                            out = numpy.zeros((count, 3, width))
                            for row in range(count):
                                seen = length - count + row + 1 if mode == 3 else length
                                at = [p for one in chosen[number][row, 0] if one >= 0 for p in range(one * block, min((one + 1) * block, seen))]
                                if not at:
                                    continue
                                whole = numpy.concatenate([keys[number][at, 0], ropes[number][at, 0]], 1)
                                scores = q[number][row].astype("float64") @ whole.T * 0.7
                                most = scores.max(1) if sinks is None else numpy.maximum(scores.max(1), sinks)
                                shares = numpy.exp(scores - most[:, None])
                                total = shares.sum(1) + (0 if sinks is None else numpy.exp(sinks - most))
                                out[row] = shares / total[:, None] @ keys[number][at, 0]
                            outs.append(out.astype(dtype))
                        a, b, table = data.lists()
                        stored = data.keys(rows)
                        same = dict(query=data.queries(q), key=stored, value=stored, sparseIndices=data.queries(chosen, -1), blockTable=table, actualSeqLengthsQuery=a,
                                    actualSeqLengthsKv=b, scale=0.7, keyQuantMode=2, valueQuantMode=2, sparseBlockSize=block, layoutQuery=layout, layoutKv=key_layout,
                                    sparseMode=mode, preTokens=MOST, nextTokens=MOST, attentionMode=2, quantScaleRepoMode=1, tileSize=tile, ropeHeadDim=turned)
                        if sinks_too:
                            same |= dict(sinks=sinks)
                        f.check(**same, output=data.queries(outs), tolerance=(3e-2, 1e-2))
    out = Any(data.queries(outs).shape, dtype)
    for name, value in [("keyQuantMode", 0), ("valueQuantMode", 1), ("attentionMode", 0), ("quantScaleRepoMode", 0), ("tileSize", 3), ("ropeHeadDim", 4), ("sparseMode", 2),
                        ("keyDequantScale", f.rand((3,))), ("key", stored[..., 1:]), ("sparseBlockSize", 0), ("query", data.queries(q).astype("float32"))]:
        f.refuses(**{**same, name: value}, output=out)
    f.fails(**{**same, "value": stored + numpy.int8(1)}, output=out)
    none = f.rand((0, 2, 3, 10), "float16")
    f.check(query=none, key=f.rand((0, 5, 1, 20), "int8"), value=f.rand((0, 5, 1, 20), "int8"), scale=1.0, keyQuantMode=2, valueQuantMode=2, sparseBlockSize=1, layoutQuery="BSND",
            layoutKv="BSND", preTokens=MOST, nextTokens=MOST, attentionMode=2, quantScaleRepoMode=1, tileSize=4, ropeHeadDim=2, sparseIndices=numpy.zeros((0, 2, 1, 2), "int32"),
            output=none[..., :8])


@case("aclnnKvQuantSparseFlashAttention")
def _(f):
    attends_to_tiles(f, False)


@case("aclnnKvQuantSparseFlashAttentionV2")
def _(f):
    attends_to_tiles(f, True)


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


@case("aclnnGroupedMatmulFinalizeRoutingV2", "aclnnGroupedMatmulFinalizeRoutingV3", "aclnnGroupedMatmulFinalizeRoutingWeightNz")
def _(f):
    blocked = f.name.endswith("Nz")
    stored = Fractal if blocked else numpy.asarray
    for counts, spare, depth, columns, tokens in [([2, 0, 3], 2, 5, 8, 4), ([20, 1], 0, 33, 40, 9), ([0, 0], 0, 4, 6, 3)]:
        rows, groups = sum(counts) + spare, len(counts)
        x, w = f.rand((rows, depth), "int8", -100, 100), f.rand((groups, depth, columns), "int8", -100, 100)
        scale, lines, logit = f.rand((groups, columns), "float32", 0.001, 0.01), f.rand((rows,), "float32", 0.01, 0.1), f.rand((rows,))
        for integer in ["int32", "int64"]:
            index = f.rand((rows,), integer, 0, tokens - 1)
            shared = f.rand((2, columns), ml_dtypes.bfloat16)
            out = numpy.zeros((tokens, columns))
            for row, group in enumerate(numpy.repeat(range(groups), counts)):
                sums = x[row].astype("int64") @ w[group].astype("int64")
                out[index[row]] += sums * scale[group].astype("float64") * float(lines[row]) * float(logit[row])
            more = out.copy()
            more[1:3] += 0.5 * shared.astype("float64")
            for kind, numbers in [(0, numpy.cumsum(counts)), (1, numpy.array(counts))]:
                same = dict(x=x, w=stored(w), scale=scale, pertokenScale=lines, groupList=numbers, logit=logit, rowIndex=index, groupListType=kind, tolerance=(1e-4, 1e-4))
                f.check(**same, out=out.astype("float32"))
                f.check(**{**same, "w": Fractal(w)}, sharedInput=shared, sharedInputWeight=0.5, sharedInputOffset=1, out=more.astype("float32"))
                f.check(**{**same, "w": stored(w.swapaxes(1, 2))}, transposeW=True, out=out.astype("float32"))
    x, w = f.rand((2, 4), "int8"), f.rand((1, 4, 6), "int8")
    fine = dict(x=x, w=stored(w), scale=f.rand((1, 6)), pertokenScale=f.rand((2,)), groupList=numpy.array([2]), logit=f.rand((2,)), rowIndex=numpy.array([0, 1]), out=Any((2, 6), "float32"))
    f.fails(**{**fine, "rowIndex": numpy.array([0, 2])})
    f.fails(**{**fine, "groupList": numpy.array([3])})
    for name, value in [("bias", f.rand((1, 6))), ("offset", f.rand((1, 6))), ("antiquantScale", f.rand((6,))), ("transposeX", True), ("dtype", 1), ("groupListType", 2),
                        ("groupList", numpy.array([1, 2])), ("x", x.astype("float16")), ("transposeW", True), ("out", Any((2, 6), "float16")), ("sharedInput", f.rand((3, 6))),
                        ("logit", f.rand((3,)))]:
        if name in {argument.name for argument in f.arguments}:
            f.refuses(**{**fine, name: value})
    if blocked:
        f.refuses(**{**fine, "w": w})
    for name in ["scale", "pertokenScale", "groupList", "logit", "rowIndex"]:
        f.refuses(161001, **{**fine, name: None})
