"""Steps of a decoder."""

import ml_dtypes
import numpy

from harness import Any, Ref, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]

exempt("aclnnTopKTopPSample", zero_dim="logits are rows of a matrix")
exempt("aclnnAdvanceStep", zero_dim="sequences are a list")
exempt("aclnnRingAttentionUpdateV2", zero_dim="attention has three axes")


@case("aclnnTopKTopPSample")
def _(f):
    for dtype in FLOATS:
        for batch, words in [(6, 40), (3, 1500), (1, 1), (0, 5)]:
            # Numbers that differ, so that their order does not depend on rounding.
            steps = numpy.array([f.random.permutation(words) for _ in range(batch)]).reshape(batch, words)
            logits = (steps / 128 if words < 100 else steps / 8).astype(dtype)
            if words > 100 and dtype != "float32":
                continue
            for ks in ([3, 0, words, 1024, -1, 2000], [1] * 6):
                for ps in ([0.5, 1.0, 0.9, 0.01, 0.0, 2.0], [1.0] * 6):
                    for sampled in (False, True):
                        q = f.rand((batch, words), "float32", 0.1, 3) if sampled else None
                        k, p = numpy.array(ks[:batch], "int32"), numpy.array(ps[:batch], dtype)
                        best, left = numpy.zeros(batch, "int64"), logits.astype("float32")
                        for row in range(batch):
                            order, own = numpy.arange(words), logits[row].astype("float64")
                            filters = 1 <= k[row] <= min(words, 1024), float(p[row]) < 1
                            if any(filters):
                                order = numpy.argsort(-own, kind="stable")
                            if filters[0]:
                                order = order[: k[row]]
                            if filters[1]:
                                shares = numpy.exp(own[order] - own.max())
                                shares /= shares.sum()
                                order = order[(shares.cumsum() - shares < float(p[row])) | (numpy.arange(order.size) == 0)]
                            left[row][numpy.isin(numpy.arange(words), order, invert=True)] = -numpy.inf
                            shares = numpy.exp(own[order] - own.max())
                            best[row] = order[numpy.argmax(shares / (q[row, : order.size].astype("float64") + 1e-8) if sampled else shares)]
                        f.check(logits=logits, topK=k, topP=p, q=q, eps=1e-8, isNeedLogits=True, topKGuess=32, logitsSelectIdx=best, logitsTopKPSelect=left)
                        f.check(logits=logits, topK=k, topP=p, q=q, eps=1e-8, topKGuess=32, logitsSelectIdx=best)
    logits, k, p = f.rand((2, 5)), numpy.array([1, 1], "int32"), numpy.ones(2, "float32")
    f.refuses(161001, logits=logits, topK=k, topP=p, isNeedLogits=True, logitsSelectIdx=Any((2,), "int64"))
    f.refuses(logits=logits, topK=k[:1], topP=p, logitsSelectIdx=Any((2,), "int64"))
    f.refuses(logits=logits, topK=k, topP=p, q=f.rand((2, 4)), logitsSelectIdx=Any((2,), "int64"))


@case("aclnnAdvanceStep")
def _(f):
    for kind in ("int64", "int32"):
        for sequences, queries, block in [(6, 4, 3), (3, 3, 1), (4, 0, 2), (0, 0, 4)]:
            tokens, positions, slots = (f.rand((sequences,), kind, 5, 50) for _ in range(3))
            lengths, sampled = f.rand((sequences,), kind, 0, 3 * block - 1), f.rand((queries, 1), kind, 5, 50)
            tables = f.rand((sequences, 3), kind, 0, 20)
            after = [tokens.copy(), positions.copy(), lengths.copy(), slots.copy()]
            for at in range(sequences):
                if at >= queries:
                    after[0][at], after[1][at], after[3][at] = 0, 0, -1
                    continue
                position = lengths[at]
                after[0][at], after[1][at], after[2][at] = sampled[at, 0], position, position + 1
                after[3][at] = tables[at, position // block] * block + position % block
            f.check(inputTokens=Ref(tokens, after[0]), sampledTokenIds=sampled, inputPositions=Ref(positions, after[1]), seqLens=Ref(lengths, after[2]),
                    slotMapping=Ref(slots, after[3]), blockTables=tables, numSeqs=sequences, numQueries=queries, blockSize=block)
    one = numpy.array([4])
    rest = dict(inputTokens=Ref(one, one), sampledTokenIds=one, inputPositions=Ref(one, one), seqLens=Ref(one, one), slotMapping=Ref(one, one))
    f.refuses(blockTables=numpy.array([[1]]), numSeqs=1, numQueries=2, blockSize=1, **rest)
    f.refuses(blockTables=numpy.array([[1]]), numSeqs=1, numQueries=1, blockSize=0, **rest)
    f.fails(blockTables=numpy.array([[1]]), numSeqs=1, numQueries=1, blockSize=4, **rest)


@case("aclnnRingAttentionUpdateV2")
def _(f):
    for dtype in FLOATS:
        tolerance = (1e-5, 1e-5) if dtype == "float32" else (2e-2, 2e-2)
        for layout, shape, stats in [("SBH", (5, 2, 12), (2, 3, 5, 8)), ("TND", (7, 3, 4), (7, 3, 8)), ("SBH", (0, 2, 12), (2, 3, 0, 8))]:
            parts = [f.rand(shape, dtype) for _ in range(2)]
            most = [numpy.repeat(f.rand((*stats[:-1], 1)), 8, -1) for _ in range(2)]
            sums = [numpy.repeat(f.rand((*stats[:-1], 1), "float32", 0.5, 9), 8, -1) for _ in range(2)]
            # As one softmax over the keys of both parts: weights are exp(max) · sum.
            weights = [numpy.exp(m.astype("float64")) * s for m, s in zip(most, sums)]
            top = numpy.maximum(*most)
            total = (weights[0] + weights[1]) / numpy.exp(top.astype("float64"))

            def spread(weight):
                weight = weight[..., 0]
                if layout == "SBH":
                    return numpy.repeat(weight.transpose(2, 0, 1), shape[2] // stats[1], -1).reshape(shape)
                return weight[..., None]

            out = sum(part.astype("float64") * spread(weight / (weights[0] + weights[1])) for part, weight in zip(parts, weights))
            f.check(prevAttnOut=parts[0], prevSoftmaxMax=most[0], prevSoftmaxSum=sums[0], curAttnOut=parts[1], curSoftmaxMax=most[1], curSoftmaxSum=sums[1],
                    actualSeqQlen=numpy.array([0, shape[0]]) if layout == "TND" else None, inputLayout=layout, inputSoftmaxLayout="TND" if layout == "TND" else "",
                    attnOut=out.astype(dtype), softmaxMax=top, softmaxSum=total.astype("float32"), tolerance=tolerance)
    x, stats = f.rand((2, 3, 4)), f.rand((2, 3, 8))
    rest = dict(prevAttnOut=x, prevSoftmaxMax=stats, prevSoftmaxSum=stats, curAttnOut=x, curSoftmaxMax=stats, curSoftmaxSum=stats,
                attnOut=Any((2, 3, 4), "float32"), softmaxMax=Any((2, 3, 8), "float32"), softmaxSum=Any((2, 3, 8), "float32"))
    f.refuses(inputLayout="TND", inputSoftmaxLayout="", **rest)
    f.refuses(inputLayout="SBH", inputSoftmaxLayout="", **rest)
    f.refuses(inputLayout="BSH", inputSoftmaxLayout="", **rest)
