"""Mixture of experts."""

import ml_dtypes
import numpy

from harness import Any, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]

for name in ["TokenPermute", "TokenPermuteGrad", "TokenUnpermute", "TokenUnpermuteGrad", "InitRouting", "InitRoutingV2", "FinalizeRouting",
             "FinalizeRoutingV2", "GatingTopK", "GatingTopKSoftmax", "ComputeExpertTokens"]:
    exempt(f"aclnnMoe{name}", zero_dim="tokens are rows of a matrix")


def inverse_of(order):
    places = numpy.empty_like(order)
    places[order] = numpy.arange(order.size)
    return places.astype("int32")


@case("aclnnMoeTokenPermute")
def _(f):
    for dtype in FLOATS:
        for tokens, top, kind in [(7, 2, "int64"), (5, 1, "int32"), (300, 8, "int64"), (0, 2, "int64")]:
            x = f.rand((tokens, 6), dtype)
            indices = f.rand((tokens, top), kind, 0, 3)
            order = numpy.argsort(indices.ravel(), kind="stable")
            for number in (0, 3):
                kept = order[:number] if number else order
                f.check(tokens=x, indices=indices, actualNumOutTokens=number, paddedMode=False, permutedTokens=x[kept // top], sortedIndices=inverse_of(order))
    x, indices = f.rand((3, 2)), numpy.array([2, 0, 2])
    f.check(tokens=x, indices=indices, actualNumOutTokens=0, paddedMode=False, permutedTokens=x[[1, 0, 2]], sortedIndices=numpy.array([1, 0, 2], "int32"))
    f.refuses(tokens=x, indices=indices[:2], actualNumOutTokens=0, paddedMode=False, permutedTokens=x, sortedIndices=Any((3,), "int32"))
    f.refuses(tokens=x, indices=indices, actualNumOutTokens=-1, paddedMode=False, permutedTokens=x, sortedIndices=Any((3,), "int32"))


def places_of(f, tokens, top):
    return inverse_of(f.random.permutation(tokens * top)).reshape(tokens * top)


def rows_at(matrix, index):
    """Rows by number, zeros behind the last one."""
    wide = numpy.vstack([matrix.astype("float64"), numpy.zeros((1, matrix.shape[1]))])
    return wide[numpy.minimum(index, len(matrix))]


@case("aclnnMoeTokenPermuteGrad")
def _(f):
    for dtype in FLOATS:
        for tokens, top, kept in [(5, 2, 10), (5, 3, 9), (200, 8, 1600), (0, 2, 0)]:
            grad, places = f.rand((kept, 6), dtype), places_of(f, tokens, top)
            want = rows_at(grad, places).reshape(tokens, top, 6).sum(1).astype(dtype)
            f.check(gradPermutedTokens=grad, sortedIndices=places, numTopK=top, paddedMode=False, gradTokens=want)
    grad = f.rand((2, 3))
    f.fails(gradPermutedTokens=grad, sortedIndices=numpy.array([0, -1], "int32"), numTopK=1, paddedMode=False, gradTokens=grad)
    f.refuses(gradPermutedTokens=grad, sortedIndices=numpy.array([0, 1], "int32"), numTopK=2, paddedMode=False, gradTokens=grad)


@case("aclnnMoeTokenUnpermute")
def _(f):
    for dtype in FLOATS:
        for tokens, top, kept in [(5, 2, 10), (5, 3, 9), (200, 8, 1600), (0, 2, 0)]:
            x, places, probs = f.rand((kept, 6), dtype), places_of(f, tokens, top), f.rand((tokens, top), dtype, 0, 1)
            chosen = rows_at(x, places).reshape(tokens, top, 6)
            want = (chosen * probs.astype("float64")[:, :, None]).sum(1).astype(dtype)
            f.check(permutedTokens=x, sortedIndices=places, probs=probs, paddedMode=False, out=want)
        x = f.rand((4, 3), dtype)
        f.check(permutedTokens=x, sortedIndices=numpy.array([2, 0, 3, 1], "int32"), paddedMode=False, out=x[[2, 0, 3, 1]])
    f.refuses(permutedTokens=x, sortedIndices=numpy.array([2, 0, 3, 1], "int32"), paddedMode=False, out=x[:2])
    f.fails(permutedTokens=x, sortedIndices=numpy.array([2, 0, 3, -1], "int32"), paddedMode=False, out=x)


@case("aclnnMoeTokenUnpermuteGrad")
def _(f):
    for dtype in FLOATS:
        for tokens, top, kept in [(5, 2, 10), (5, 3, 9), (0, 2, 0)]:
            x, grad = f.rand((kept, 6), dtype), f.rand((tokens, 6), dtype)
            places, probs = places_of(f, tokens, top), f.rand((tokens, top), dtype, 0, 1)
            grad_x = numpy.zeros((tokens * top, 6))
            grad_x[places] = numpy.repeat(grad.astype("float64"), top, 0) * probs.astype("float64").reshape(-1, 1)
            chosen = rows_at(x, places).reshape(tokens, top, 6)
            grad_probs = (chosen * grad.astype("float64")[:, None, :]).sum(2)
            f.check(permutedTokens=x, gradUnpermutedTokens=grad, sortedIndices=places, probs=probs, paddedMode=False,
                    gradPermutedTokens=grad_x[:kept].astype(dtype), gradProbs=grad_probs.astype(dtype), tolerance=None if dtype == "float32" else (2e-2, 1e-2))
        grad = f.rand((3, 2), dtype)
        f.check(gradUnpermutedTokens=grad, sortedIndices=numpy.array([1, 2, 0], "int32"), paddedMode=False, gradPermutedTokens=grad[[2, 0, 1]])
    f.fails(gradUnpermutedTokens=grad, sortedIndices=numpy.array([1, 1, 0], "int32"), paddedMode=False, gradPermutedTokens=grad)


@case("aclnnMoeInitRouting")
def _(f):
    for dtype in FLOATS:
        for tokens, top in [(5, 2), (3, 1), (0, 2)]:
            x, experts = f.rand((tokens, 4), dtype), f.rand((tokens, top), "int32", 0, 3)
            numbers = numpy.arange(tokens * top, dtype="int32").reshape(top, tokens).T.copy()
            order = numpy.argsort(experts.ravel(), kind="stable")
            source = numbers.ravel()[order]
            for active in (tokens, 2, 100):
                kept = min(active, tokens) * top
                f.check(x=x, rowIdx=numbers, expertIdx=experts, activeNum=active, expandedX=x[source[:kept] % max(tokens, 1)], expandedRowIdx=inverse_of(source),
                        expandedExpertIdx=experts.ravel()[order])
    x, experts = f.rand((2, 4)), numpy.array([[0], [1]], "int32")
    for numbers in ([[0], [0]], [[0], [2]], [[0], [-1]]):
        f.fails(x=x, rowIdx=numpy.array(numbers, "int32"), expertIdx=experts, activeNum=2, expandedX=x, expandedRowIdx=numpy.array([0, 1], "int32"),
                expandedExpertIdx=numpy.array([0, 1], "int32"))


@case("aclnnMoeInitRoutingV2")
def _(f):
    for dtype in FLOATS:
        for tokens, top in [(9, 2), (3, 1), (0, 2)]:
            x, experts = f.rand((tokens, 4), dtype), f.rand((tokens, top), "int32", 0, 3)
            order = numpy.argsort(experts.ravel(), kind="stable")
            counts = numpy.bincount(experts.ravel(), minlength=5).astype("int32")
            for active in (0, 4, 1000):
                kept = order[:active] if active else order
                for flag, tally in [(0, None), (1, counts.cumsum().astype("int32")), (2, counts)]:
                    f.check(x=x, expertIdx=experts, activeNum=active, expertNum=5, expertTokensCountOrCumsumFlag=flag, expandedX=x[kept // top],
                            expandedRowIdx=inverse_of(order), expertTokensCountOrCumsum=tally)
            for capacity in (1, 3, 20):
                room, places, used = numpy.zeros((5, capacity, 4), dtype), [], [0] * 5
                for number, expert in enumerate(experts.ravel()):
                    places.append(expert * capacity + used[expert] if used[expert] < capacity else -1)
                    if used[expert] < capacity:
                        room[expert, used[expert]] = x[number // top]
                    used[expert] += 1
                f.check(x=x, expertIdx=experts, expertCapacity=capacity, expertNum=5, dropPadMode=1, expertTokensBeforeCapacityFlag=True, expandedX=room,
                        expandedRowIdx=numpy.array(places, "int32"), expertTokensBeforeCapacity=counts)
    x, places = f.rand((1, 4)), numpy.array([0], "int32")
    for expert in (5, -1):
        f.fails(x=x, expertIdx=numpy.array([[expert]], "int32"), expertNum=5, expertTokensCountOrCumsumFlag=2, expandedX=x, expandedRowIdx=places,
                expertTokensCountOrCumsum=Any((5,), "int32"))
        f.fails(x=x, expertIdx=numpy.array([[expert]], "int32"), expertNum=5, expertCapacity=1, dropPadMode=1, expandedX=Any((5, 1, 4), "float32"),
                expandedRowIdx=places)
    f.refuses(x=x, expertIdx=numpy.array([[0]], "int32"), expertNum=5, dropPadMode=2, expandedX=x, expandedRowIdx=places)


def softmax(x):
    x = x.astype("float64")
    shifted = numpy.exp(x - x.max(-1, keepdims=True, initial=-numpy.inf))
    return shifted / shifted.sum(-1, keepdims=True)


@case("aclnnMoeGatingTopKSoftmax")
def _(f):
    for shape, k in [((7, 8), 2), ((1, 3), 3), ((2, 3, 64), 6), ((0, 4), 2)]:
        for dtype in FLOATS:
            # Multiples of 1/64 that differ within a row: the order does not depend on rounding.
            count = int(numpy.prod(shape[:-1]))
            x = numpy.array([f.random.permutation(shape[-1]) for _ in range(count)]).reshape(shape).astype(dtype) / numpy.array(16, dtype)
            values = softmax(x)
            order = numpy.argsort(-values, axis=-1, kind="stable")[..., :k].astype("int32")
            y = numpy.take_along_axis(values, order, -1).astype(dtype)
            numbers = numpy.arange(count * k, dtype="int32").reshape(k, count).T.reshape(order.shape)
            f.check(x=x, k=k, y=y, expertIdx=order, rowIdx=numbers)
            done = f.rand(shape[:-1], "bool")
            f.check(x=x, finished=done, k=k, y=y, expertIdx=numpy.where(done[..., None], numpy.int32(shape[-1]), order), rowIdx=numbers)
    x = numpy.zeros((1, 4), "float32")
    f.check(x=x, k=2, y=numpy.full((1, 2), 0.25, "float32"), expertIdx=numpy.array([[0, 1]], "int32"), rowIdx=numpy.array([[0, 1]], "int32"))
    f.refuses(x=x, k=5, y=Any((1, 5), "float32"), expertIdx=Any((1, 5), "int32"), rowIdx=Any((1, 5), "int32"))


@case("aclnnMoeGatingTopK")
def _(f):
    for dtype in ["float32", "float16"]:
        for tokens, experts, k, groups, kept in [(5, 8, 2, 1, 1), (5, 8, 3, 4, 2), (6, 256, 8, 8, 4), (0, 8, 2, 2, 1)]:
            for mode in (0, 1):
                for norm in (0, 1):
                    for biased in (False, True):
                        x = numpy.array([f.random.permutation(experts) for _ in range(tokens)]).reshape(tokens, experts).astype(dtype) / numpy.array(32, dtype)
                        bias = (f.random.permutation(experts) / 7).astype(dtype) if biased else None
                        scores = softmax(x) if norm == 0 else 1 / (1 + numpy.exp(-x.astype("float64")))
                        ranks = scores + (bias.astype("float64") if biased else 0)
                        order = numpy.zeros((tokens, k), "int32")
                        for token in range(tokens):
                            parts = ranks[token].reshape(groups, -1)
                            marks = parts.max(1) if mode == 0 else numpy.sort(parts, 1)[:, -2:].sum(1)
                            best = numpy.argsort(-marks, kind="stable")[:kept]
                            open_ = numpy.isin(numpy.arange(groups), best).repeat(experts // groups)
                            order[token] = numpy.argsort(-numpy.where(open_, ranks[token], -numpy.inf), kind="stable")[:k]
                        y = numpy.take_along_axis(scores, order, -1)
                        if norm == 1:
                            y = y / (y.sum(-1, keepdims=True) + 1e-3)
                        f.check(x=x, bias=bias, k=k, kGroup=kept, groupCount=groups, groupSelectMode=mode, normType=norm, outFlag=True, routedScalingFactor=2.5,
                                eps=1e-3, y=(y * 2.5).astype(dtype), expertIdx=order, out=scores.astype("float32"))
    f.refuses(x=f.rand((2, 8)), k=3, kGroup=1, groupCount=4, y=Any((2, 3), "float32"), expertIdx=Any((2, 3), "int32"))
    f.refuses(x=f.rand((2, 8)), k=3, kGroup=1, groupCount=3, y=Any((2, 3), "float32"), expertIdx=Any((2, 3), "int32"))


def finalized(rows, places, skips, bias, scales, experts, tokens, top, columns_first):
    out = sum((skip.astype("float64") for skip in skips if skip is not None), numpy.zeros((tokens, rows.shape[-1])))
    flat = rows.reshape(-1, rows.shape[-1]).astype("float64")
    for token in range(tokens):
        for choice in range(top):
            place = places[choice * tokens + token] if columns_first else places[token * top + choice]
            row = numpy.zeros(rows.shape[-1]) if place == -1 else flat[place]
            if bias is not None:
                row = row + bias[experts[token, choice]].astype("float64")
            out[token] += row * (1 if scales is None else float(scales[token, choice]))
    return out


def finalizes(f, modes, call):
    for dtype in FLOATS:
        for mode in modes:
            for tokens, top in [(5, 2), (4, 1), (0, 1)]:
                places = places_of(f, tokens, top)
                rows = f.rand((tokens * top, 6), dtype) if mode % 2 == 0 else f.rand((3, tokens * top, 6), dtype)
                if mode:
                    places[: tokens // 2] = -1
                skips = f.rand((tokens, 6), dtype), f.rand((tokens, 6), dtype)
                bias, scales, experts = f.rand((3, 6), dtype), f.rand((tokens, top), dtype), f.rand((tokens, top), "int32", 0, 2)
                tolerance = None if dtype == "float32" else (2e-2, 2e-2)
                for some in range(4):
                    skip1, skip2 = (skips[0] if some > 0 else None), (skips[1] if some > 1 else None)
                    b, s = (bias if some > 2 else None), (scales if some != 1 else None)
                    want = finalized(rows, places, (skip1, skip2), b, s, experts, tokens, top, mode < 2).astype(dtype)
                    values = dict(expandedPermutedRows=rows, expandedSrcToDstRow=places, skip1=skip1, skip2=skip2, bias=b, scales=s,
                                  expertForSourceRow=experts if some > 2 else None, out=want, tolerance=tolerance)
                    call(mode, values)


@case("aclnnMoeFinalizeRouting")
def _(f):
    finalizes(f, (0,), lambda _, values: f.check(**values))
    rows = f.rand((2, 3))
    f.fails(expandedPermutedRows=rows, expandedSrcToDstRow=numpy.array([0, 2], "int32"), out=rows)
    f.refuses(expandedPermutedRows=rows, expandedSrcToDstRow=numpy.array([0, 1, 0], "int32"), out=rows)


@case("aclnnMoeFinalizeRoutingV2")
def _(f):
    finalizes(f, (0, 1, 2, 3), lambda mode, values: f.check(mode=mode, **values))
    rows = f.rand((2, 3))
    f.refuses(expandedPermutedRows=rows, expandedSrcToDstRow=numpy.array([0, 1], "int32"), mode=4, out=rows)


@case("aclnnMoeComputeExpertTokens")
def _(f):
    for count in (0, 1, 50):
        ids = numpy.sort(f.rand((count,), "int32", 0, 6))
        f.check(sortedExpertForSourceRow=ids, numExpert=6, out=numpy.bincount(ids, minlength=7)[:6].cumsum().astype("int32"))
    f.refuses(sortedExpertForSourceRow=ids, numExpert=0, out=numpy.zeros(0, "int32"))
