"""Mixture of experts: quantised routing, routing by a map, and order after an exchange between ranks."""

import ml_dtypes
import numpy

from cases.moe import finalizes, inverse_of, softmax
from harness import Any, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]

for name in ["InitRoutingV3", "InitRoutingQuantV2", "FinalizeRoutingV4", "GatingTopKV2", "GatingTopKSoftmaxV2", "ReRouting", "TokenPermuteWithRoutingMap",
             "TokenPermuteWithRoutingMapGrad", "TokenUnpermuteWithRoutingMap", "TokenUnpermuteWithRoutingMapGrad"]:
    exempt(f"aclnnMoe{name}", zero_dim="tokens are rows of a matrix")


def by_rows(rows):
    """Rows as int8 with the scale of each."""
    most = numpy.abs(rows).max(-1, initial=0)
    scale = (most / 127).astype("float32")
    with numpy.errstate(all="ignore"):
        return numpy.where(scale[:, None] == 0, 0, numpy.rint(rows / scale[:, None])).astype("int8"), scale


def places_of(experts, start, end, capacity):
    """For each choice, its row; and rows as (choice, expert)."""
    flat, rows, used, place = experts.ravel(), {}, {}, []
    order = sorted((number for number, expert in enumerate(flat) if start <= expert < end), key=lambda number: (flat[number], number))
    goes = {}
    for row, number in enumerate(order):
        expert = int(flat[number])
        if capacity is None:
            goes[number] = row
        else:
            count = used.get(expert, 0)
            used[expert] = count + 1
            if count < capacity:
                goes[number] = expert * capacity + count
    for number, row in goes.items():
        rows[row] = (number, int(flat[number]) - start)
    place = numpy.array([goes.get(number, -1) for number in range(flat.size)], "int32")
    return place, rows, order


@case("aclnnMoeInitRoutingV3")
def _(f):
    for dtype in [*FLOATS, "int8"]:
        for tokens, top in [(9, 2), (5, 3), (0, 2)]:
            x, experts = f.rand((tokens, 6), dtype, -100, 100), f.rand((tokens, top), "int32", 0, 6)
            for start, end in [(0, 7), (2, 5)]:
                for active in (0, 4, tokens * top):
                    place, rows, order = places_of(experts, start, end, None)
                    counts = numpy.bincount(experts.ravel(), minlength=8)[start:end].astype("int64")
                    pairs = numpy.zeros((7, 2), "int64")
                    found = [(start + at, count) for at, count in enumerate(counts) if count]
                    pairs[: len(found)] = numpy.array(found).reshape(-1, 2)
                    rest = [n for n, e in sorted(enumerate(experts.ravel()), key=lambda pair: pair[1]) if e >= end]
                    rest += [n for n, e in enumerate(experts.ravel()) if e < start]
                    out, scales = numpy.zeros((tokens * top, 6), dtype), numpy.zeros(tokens * top, "float32")
                    given = f.rand((tokens,))
                    for row in range(min(len(order), active or len(order))):
                        out[row], scales[row] = x[order[row] // top], given[order[row] // top]
                    for kind, tally in enumerate([counts.cumsum(), counts, pairs]):
                        f.check(x=x, expertIdx=experts, scale=given, activeNum=active, expertNum=7, expertTokensNumType=kind, expertTokensNumFlag=True,
                                quantMode=-1, activeExpertRange=[start, end], expandedX=out, expandedRowIdx=place, expertTokensCountOrCumsum=tally,
                                expandedScale=scales)
                    f.check(x=x, expertIdx=experts, activeNum=active, expertNum=7, quantMode=-1, activeExpertRange=[start, end], rowIdxType=1, expandedX=out,
                            expandedRowIdx=numpy.array(order + rest, "int32"))
                    if dtype == "int8":
                        continue
                    for smooth in (None, f.rand((end - start, 6)), f.rand((1, 6))):
                        wide = numpy.zeros((tokens * top, 6), "float32")
                        for row in range(min(len(order), active or len(order))):
                            number, expert = rows[row]
                            wide[row] = x[number // top].astype("float32") * (1 if smooth is None else smooth[expert % len(smooth)])
                        values, scale = by_rows(wide)
                        f.check(x=x, expertIdx=experts, scale=smooth, activeNum=active, expertNum=7, quantMode=1, activeExpertRange=[start, end],
                                expandedX=values, expandedRowIdx=place, expandedScale=scale)
                    factor, offset = numpy.array([0.25], "float32"), numpy.array([3], "float32")
                    wide = numpy.zeros((tokens * top, 6), "int8")
                    for row in range(min(len(order), active or len(order))):
                        wide[row] = numpy.clip(numpy.rint(x[order[row] // top].astype("float32") * factor + offset), -128, 127)
                    f.check(x=x, expertIdx=experts, scale=factor, offset=offset, activeNum=active, expertNum=7, quantMode=0, activeExpertRange=[start, end],
                            expandedX=wide, expandedRowIdx=place)
            for capacity in (1, 3):
                place, rows, _ = places_of(experts, 0, 7, capacity)
                out, scales, given = numpy.zeros((7, capacity, 6), dtype), numpy.zeros(7 * capacity, "float32"), f.rand((tokens,))
                for row, (number, _) in rows.items():
                    out.reshape(-1, 6)[row], scales[row] = x[number // top], given[number // top]
                counts = numpy.bincount(experts.ravel(), minlength=7).astype("int64")
                f.check(x=x, expertIdx=experts, scale=given, expertCapacity=capacity, expertNum=7, dropPadMode=1, expertTokensNumType=1, expertTokensNumFlag=True,
                        quantMode=-1, activeExpertRange=[0, 7], expandedX=out, expandedRowIdx=place, expertTokensCountOrCumsum=counts, expandedScale=scales)
    x, experts = f.rand((2, 4)), numpy.array([[0], [1]], "int32")
    rest = dict(expandedX=Any((2, 4), "float32"), expandedRowIdx=Any((2,), "int32"))
    f.refuses(x=x, expertIdx=experts, expertNum=3, quantMode=-1, activeExpertRange=[0], **rest)
    f.refuses(x=x, expertIdx=experts, expertNum=3, quantMode=-1, activeExpertRange=[2, 2], **rest)
    f.refuses(x=x, expertIdx=experts, expertNum=3, quantMode=2, activeExpertRange=[0, 3], **rest)
    f.refuses(161001, x=x, expertIdx=experts, expertNum=3, quantMode=0, activeExpertRange=[0, 3], **rest)
    f.refuses(x=x, expertIdx=experts, expertNum=3, quantMode=-1, activeExpertRange=[0, 4], **rest)
    f.fails(x=x, expertIdx=-experts, expertNum=3, quantMode=-1, activeExpertRange=[0, 3], **rest)


@case("aclnnMoeInitRoutingQuantV2")
def _(f):
    for dtype in FLOATS:
        for tokens, top in [(9, 2), (3, 1), (0, 2)]:
            x, experts = f.rand((tokens, 6), dtype), f.rand((tokens, top), "int32", 0, 4)
            counts = numpy.bincount(experts.ravel(), minlength=5).astype("int32")
            for active in (0, 4, 1000):
                place, rows, order = places_of(experts, 0, 5, None)
                kept = order[:active] if active else order
                wide = x.astype("float32")[numpy.array(kept, int) // top].reshape(-1, 6)
                for mode, tally in [(0, None), (1, counts.cumsum().astype("int32")), (2, counts)]:
                    values, scale = by_rows(wide)
                    f.check(x=x, expertIdx=experts, activeNum=active, expertNum=5, expertTokensNumMode=mode, quantMode=1, expandedX=values,
                            expandedRowIdx=place, expertTokenCumsumOrCount=tally, expandedScale=scale)
                fixed = numpy.clip(numpy.rint(wide * numpy.float32(50) + 2), -128, 127).astype("int8")
                f.check(x=x, expertIdx=experts, pScale=numpy.array([50], "float32"), pOffset=numpy.array([2], "float32"), activeNum=active, expertNum=5,
                        quantMode=0, expandedX=fixed, expandedRowIdx=place)
            place, rows, _ = places_of(experts, 0, 5, 2)
            smooth, wide = f.rand((5, 6)), numpy.zeros((10, 6), "float32")
            for row, (number, expert) in rows.items():
                wide[row] = x[number // top].astype("float32") * smooth[expert]
            values, scale = by_rows(wide)
            f.check(x=x, expertIdx=experts, pScale=smooth, expertCapacity=2, expertNum=5, dropPadMode=1, expertTokensBeforeCapacityFlag=True, quantMode=1,
                    expandedX=values.reshape(5, 2, 6), expandedRowIdx=place, expertTokensBeforeCapacity=counts, expandedScale=scale)
    x, experts = f.rand((2, 4)), numpy.array([[0], [1]], "int32")
    rest = dict(expertNum=3, expandedX=Any((2, 4), "int8"), expandedRowIdx=Any((2,), "int32"))
    f.refuses(x=x, expertIdx=experts, quantMode=2, **rest)
    f.refuses(161001, x=x, expertIdx=experts, quantMode=1, **rest)
    f.refuses(161001, x=x, expertIdx=experts, quantMode=0, **rest)
    f.refuses(x=x, expertIdx=experts, quantMode=1, expandedScale=Any((3,), "float32"), **rest)


@case("aclnnMoeFinalizeRoutingV4")
def _(f):
    finalizes(f, (0, 1, 2, 3), lambda mode, values: f.check(mode=mode, kAttr=1, **values))
    rows = f.rand((2, 3))
    f.refuses(expandedPermutedRows=rows, expandedSrcToDstRow=numpy.array([0, 1], "int32"), nullTensor2=rows, out=rows)
    f.refuses(expandedPermutedRows=rows, expandedSrcToDstRow=numpy.array([0, 1], "int32"), nullIntArray=[1], out=rows)


@case("aclnnMoeGatingTopKSoftmaxV2")
def _(f):
    for shape, k in [((7, 8), 2), ((1, 3), 3), ((2, 3, 64), 6), ((0, 4), 2)]:
        for dtype in FLOATS:
            count = int(numpy.prod(shape[:-1]))
            x = numpy.array([f.random.permutation(shape[-1]) for _ in range(count)]).reshape(shape).astype(dtype) / numpy.array(16, dtype)
            values, done = softmax(x), f.rand(shape[:-1], "bool")
            order = numpy.argsort(-x.astype("float64"), axis=-1, kind="stable")[..., :k].astype("int32")
            early = numpy.take_along_axis(values, order, -1)
            f.check(x=x, k=k, renorm=0, outputSoftmaxResultFlag=True, y=early.astype(dtype), expertIdx=order, softmaxResult=values.astype("float32"))
            f.check(x=x, finished=done, k=k, renorm=1, y=(early / early.sum(-1, keepdims=True)).astype(dtype),
                    expertIdx=numpy.where(done[..., None], numpy.int32(shape[-1]), order))
    x = f.rand((2, 4))
    rest = dict(y=Any((2, 2), "float32"), expertIdx=Any((2, 2), "int32"))
    f.refuses(x=x, k=2, renorm=2, **rest)
    f.refuses(161001, x=x, k=2, renorm=0, outputSoftmaxResultFlag=True, **rest)


@case("aclnnMoeGatingTopKV2")
def _(f):
    for dtype in FLOATS:
        for tokens in (5, 0):
            x, ids, names = f.rand((tokens, 8), dtype), f.rand((tokens,), "int64", 0, 9), f.rand((10, 3), "int32", 0, 7)
            for norm in (0, 1):
                scores = softmax(x) if norm == 0 else 1 / (1 + numpy.exp(-x.astype("float64")))
                order = names[ids]
                y = numpy.take_along_axis(scores, order, -1)
                if norm == 1:
                    y = y / (y.sum(-1, keepdims=True) + 1e-3)
                f.check(x=x, inputIds=ids, tid2eid=names, k=3, kGroup=1, groupCount=1, normType=norm, outFlag=True, routedScalingFactor=2.0, eps=1e-3,
                        y=(y * 2).astype(dtype), expertIdx=order, out=scores.astype("float32"))
    x = numpy.arange(8, dtype="float32").reshape(2, 4)
    rest = dict(k=2, kGroup=1, groupCount=1, routedScalingFactor=1.0, y=softmax(x)[:, :1:-1].astype("float32"), expertIdx=numpy.array([[3, 2], [3, 2]], "int32"))
    f.check(x=x, **rest)
    f.refuses(161001, x=x, inputIds=numpy.array([0, 1]), **rest)
    f.refuses(x=x, inputIds=numpy.array([0, 1]), tid2eid=numpy.zeros((2, 3), "int32"), **rest)
    f.refuses(x=x, inputIds=numpy.array([0, 1]), tid2eid=numpy.zeros((2, 2), "int32"), normType=2, **rest)
    f.fails(x=x, inputIds=numpy.array([0, 2]), tid2eid=numpy.zeros((2, 2), "int32"), **rest)
    f.fails(x=x, inputIds=numpy.array([0, 1]), tid2eid=numpy.full((2, 2), 4, "int32"), **rest)


@case("aclnnMoeReRouting")
def _(f):
    for dtype in [*FLOATS, "int8"]:
        for ranks, experts, most in [(3, 4, 3), (1, 2, 2), (2, 3, 0)]:
            numbers = f.rand((ranks, experts), "int32", 0, most)
            tokens, scales = f.rand((int(numbers.sum()), 5), dtype), f.rand((int(numbers.sum()),))
            source = numpy.repeat(numpy.tile(numpy.arange(experts), ranks), numbers.ravel())
            order = numpy.argsort(source, kind="stable").astype("int32")
            for kind, tally in enumerate([numbers.sum(0).cumsum(), numbers.sum(0)]):
                f.check(tokens=tokens, expertTokenNumPerRank=numbers, perTokenScales=scales, expertTokenNumType=kind, permuteTokens=tokens[order],
                        permutePerTokenScales=scales[order], permuteTokenIdx=order, expertTokenNum=tally.astype("int32"))
            f.check(tokens=tokens, expertTokenNumPerRank=numbers, expertTokenNumType=1, permuteTokens=tokens[order], permuteTokenIdx=order,
                    expertTokenNum=numbers.sum(0).astype("int32"))
    tokens, numbers = f.rand((3, 2)), numpy.array([[1, 2]])
    rest = dict(permuteTokens=Any((3, 2), "float32"), permuteTokenIdx=Any((3,), "int32"), expertTokenNum=Any((2,), "int64"))
    f.refuses(tokens=tokens, expertTokenNumPerRank=numbers, expertTokenNumType=1, idxType=1, **rest)
    f.fails(tokens=tokens, expertTokenNumPerRank=numbers + 1, expertTokenNumType=1, **rest)
    f.fails(tokens=tokens, expertTokenNumPerRank=numpy.array([[4, -1]]), expertTokenNumType=1, **rest)


def maps(f, tokens, experts, top):
    """A map with `top` experts for each token, and one with any number."""
    even = numpy.zeros((tokens, experts), bool)
    for row in even:
        row[f.random.permutation(experts)[:top]] = True
    return even


def listed(chosen):
    """Pairs of token and expert, by expert."""
    return [(token, expert) for expert in range(chosen.shape[1]) for token in range(chosen.shape[0]) if chosen[token, expert]]


def padded(chosen, capacity):
    pairs = []
    for expert in range(chosen.shape[1]):
        order = sorted(range(chosen.shape[0]), key=lambda token: not chosen[token, expert])
        pairs += [(token, expert) for token in order[:capacity]]
    return pairs


def items(chosen):
    """Rows by expert, for each pair by token."""
    pairs = listed(chosen)
    return numpy.array(sorted(range(len(pairs)), key=lambda at: (pairs[at][0], pairs[at][1])), "int32")


CASES = [(5, 4, 2), (3, 2, 2), (6, 3, 1), (0, 3, 2)]


@case("aclnnMoeTokenPermuteWithRoutingMap")
def _(f):
    for dtype in [*FLOATS, "int8"]:
        for tokens, experts, top in CASES:
            x, chosen, probs = f.rand((tokens, 4), dtype), maps(f, tokens, experts, top), f.rand((tokens, experts), "float32")
            for kind in ("bool", "int8"):
                pairs = listed(chosen)
                at = numpy.array([token for token, _ in pairs], int)
                f.check(tokens=x, routingMap=chosen.astype(kind), probs=probs, numOutTokens=tokens * top, permutedTokens=x[at],
                        permutedProbs=numpy.array([probs[pair] for pair in pairs], "float32"), sortedIndices=items(chosen))
                f.check(tokens=x, routingMap=chosen.astype(kind), numOutTokens=tokens * top, permutedTokens=x[at], sortedIndices=items(chosen))
            for capacity in (1, 3):
                if capacity > tokens:
                    continue
                pairs = padded(chosen, capacity)
                at = numpy.array([token for token, _ in pairs], "int32")
                f.check(tokens=x, routingMap=chosen, probs=probs, numOutTokens=experts * capacity, dropAndPad=True, permutedTokens=x[at],
                        permutedProbs=numpy.array([probs[pair] for pair in pairs], "float32"), sortedIndices=at)
    x, chosen = f.rand((3, 2)), numpy.ones((3, 2), bool)
    rest = dict(permutedTokens=Any((3, 2), "float32"), sortedIndices=Any((3,), "int32"))
    f.fails(tokens=x, routingMap=chosen, numOutTokens=3, **rest)
    f.refuses(tokens=x, routingMap=chosen, numOutTokens=6, **rest)
    f.refuses(tokens=x, routingMap=chosen[:2], numOutTokens=3, **rest)
    f.refuses(161001, tokens=x, routingMap=chosen, probs=f.rand((3, 2)), numOutTokens=3, **rest)


@case("aclnnMoeTokenPermuteWithRoutingMapGrad")
def _(f):
    for dtype in FLOATS:
        for tokens, experts, top in CASES:
            chosen = maps(f, tokens, experts, top)
            for capacity in (None, 1, 2):
                if capacity is not None and capacity > tokens:
                    continue
                pairs = listed(chosen) if capacity is None else padded(chosen, capacity)
                grad, probs = f.rand((len(pairs), 4), dtype), f.rand((len(pairs),), dtype)
                index = items(chosen) if capacity is None else numpy.array([token for token, _ in pairs], "int32")
                x, p = numpy.zeros((tokens, 4)), numpy.zeros((tokens, experts), dtype)
                for row, (token, expert) in enumerate(pairs):
                    x[token] += grad[row].astype("float64")
                    p[token, expert] = probs[row]
                f.check(permutedTokenOutGrad=grad, probsGrad=probs, sortedIndices=index, routingMap=chosen, expertsNum=experts, tokensNum=tokens,
                        dropAndPad=capacity is not None, tokensGrad=x.astype(dtype), probsGradOut=p)
                f.check(permutedTokenOutGrad=grad, sortedIndices=index, routingMap=chosen, expertsNum=experts, tokensNum=tokens,
                        dropAndPad=capacity is not None, tokensGrad=x.astype(dtype))
    grad, chosen = f.rand((4, 2)), numpy.ones((2, 2), bool)
    f.refuses(permutedTokenOutGrad=grad, sortedIndices=numpy.arange(4), routingMap=chosen, expertsNum=3, tokensNum=2, tokensGrad=Any((2, 2), "float32"))
    f.fails(permutedTokenOutGrad=grad, sortedIndices=numpy.arange(4) + 1, routingMap=chosen, expertsNum=2, tokensNum=2, tokensGrad=Any((2, 2), "float32"))
    f.fails(permutedTokenOutGrad=grad[:3], sortedIndices=numpy.arange(3), routingMap=chosen, expertsNum=2, tokensNum=2, tokensGrad=Any((2, 2), "float32"))


@case("aclnnMoeTokenUnpermuteWithRoutingMap")
def _(f):
    for dtype in FLOATS:
        tolerance = None if dtype == "float32" else (2e-2, 2e-2)
        for tokens, experts, top in CASES:
            chosen, probs = maps(f, tokens, experts, top), f.rand((tokens, experts), dtype)
            for capacity in (None, 1, 2):
                if capacity is not None and capacity > tokens:
                    continue
                pairs = listed(chosen) if capacity is None else padded(chosen, capacity)
                x = f.rand((len(pairs), 4), dtype)
                ids = numpy.array([token for token, _ in pairs], "int32").reshape(-1)
                order = numpy.array(sorted(range(len(pairs)), key=lambda at: (ids[at], at)), "int32")
                index = items(chosen) if capacity is None else ids
                own = numpy.array([probs[pair] for pair in pairs], dtype)
                for weights in (None, own):
                    out = numpy.zeros((tokens, 4))
                    for row, (token, _) in enumerate(pairs):
                        out[token] += x[row].astype("float64") * (1 if weights is None else float(weights[row]))
                    values = dict(permutedTokens=x, sortedIndices=index, routingMap=chosen, dropAndPad=capacity is not None, restoreShape=[tokens, 4],
                                  unpermutedTokens=out.astype(dtype), outIndex=order, permutedTokenId=ids[order], tolerance=tolerance)
                    if weights is not None:
                        values |= dict(probs=probs, permuteProbs=own[order] if capacity is None else own)
                    f.check(**values)
                if capacity is None:
                    f.check(permutedTokens=x, sortedIndices=index, restoreShape=[tokens, 4], tolerance=tolerance,
                            unpermutedTokens=sum((x[order].reshape(tokens, top, 4)[:, at].astype("float64") for at in range(top)), numpy.zeros((tokens, 4))).astype(dtype))
    x = f.rand((4, 2))
    f.refuses(permutedTokens=x, sortedIndices=numpy.arange(4), restoreShape=[3, 2], unpermutedTokens=Any((2, 2), "float32"))
    f.refuses(permutedTokens=x, sortedIndices=numpy.arange(4), restoreShape=[3, 2], unpermutedTokens=Any((3, 2), "float32"))
    f.refuses(161001, permutedTokens=x, sortedIndices=numpy.arange(4), probs=f.rand((2, 2)), restoreShape=[2, 2], unpermutedTokens=Any((2, 2), "float32"))
    f.fails(permutedTokens=x, sortedIndices=numpy.arange(4) + 1, restoreShape=[2, 2], unpermutedTokens=Any((2, 2), "float32"))


@case("aclnnMoeTokenUnpermuteWithRoutingMapGrad")
def _(f):
    for dtype in FLOATS:
        tolerance = None if dtype == "float32" else (2e-2, 2e-2)
        for tokens, experts, top in CASES:
            chosen, probs = maps(f, tokens, experts, top), f.rand((tokens, experts), dtype)
            for capacity in (None, 1, 2):
                if capacity is not None and capacity > tokens:
                    continue
                pairs = listed(chosen) if capacity is None else padded(chosen, capacity)
                x, grad = f.rand((len(pairs), 4), dtype), f.rand((tokens, 4), dtype)
                ids = numpy.array([token for token, _ in pairs], "int32").reshape(-1)
                order = numpy.array(sorted(range(len(pairs)), key=lambda at: (ids[at], at)), "int32")
                common = dict(unpermutedTokensGrad=grad, outIndex=order, permutedTokenId=ids[order], routingMap=chosen, dropAndPad=capacity is not None,
                              restoreShape=[tokens, 4], tolerance=tolerance)
                f.check(permutedTokensGradOut=grad[ids], **common)
                wide, p = numpy.zeros((len(pairs), 4)), numpy.zeros((tokens, experts))
                for row, pair in enumerate(pairs):
                    wide[row] = grad[pair[0]].astype("float64") * float(probs[pair])
                    p[pair] = (grad[pair[0]].astype("float64") * x[row].astype("float64")).sum()
                f.check(permutedTokens=x, probs=probs, permutedTokensGradOut=wide.astype(dtype), probsGradOut=p.astype(dtype), **common)
    grad = f.rand((2, 2))
    rest = dict(permutedTokensGradOut=Any((4, 2), "float32"))
    f.refuses(161001, unpermutedTokensGrad=grad, outIndex=numpy.arange(4), permutedTokenId=numpy.arange(4) // 2, routingMap=numpy.ones((2, 2), bool),
              probs=grad, **rest)
    f.fails(unpermutedTokensGrad=grad, outIndex=numpy.arange(4), permutedTokenId=numpy.arange(4), **rest)
