"""Tokens and their experts, spread over ranks. Here with one rank; crates/capi/tests/c/hccl_experts.c has several."""

import ml_dtypes
import numpy

from cases.between_ranks import group
from cases.norm_quant import by_row, draw, to_int8, wide
from harness import Any, case, exempt

VERSIONS = ["", "V2", "V3", "V4"]
FLOATS = ["float32", "float16", ml_dtypes.bfloat16]
for version in VERSIONS:
    for name in ["Dispatch", "Combine"]:
        exempt(f"aclnnMoeDistribute{name}{version}", zero_dim="tokens have rows")


def version(f):
    return 1 if not f.name[-1].isdigit() else int(f.name[-1])


def choose(f, tokens, top, ids):
    """Different experts for each token."""
    rows = [f.random.permutation(ids)[:top] for _ in range(tokens)]
    return numpy.array(rows, "int32").reshape(tokens, top)


def world(f, experts, special=(0, 0, 0)):
    given = dict(groupEp=group(f), groupTp="", epWorldSize=1, epRankId=0, moeExpertNum=experts, sharedExpertNum=1)
    if version(f) > 1:
        given["commAlg"] = ""
    if version(f) > 2:
        given |= dict(zip(["zeroExpertNum", "copyExpertNum", "constExpertNum"], special))
    return given


def order(ids, active, experts):
    """Pairs of tokens and choices, by expert; and how many each expert has."""
    pairs, counts = [], []
    for expert in range(experts):
        own = [(token, choice) for token, row in enumerate(ids) for choice, one in enumerate(row) if one == expert and active[token, choice]]
        pairs += own
        counts.append(len(own))
    return pairs, counts


def masks(f, tokens, top):
    yield None, numpy.ones((tokens, top), bool)
    first = numpy.arange(tokens) < tokens - 1
    yield first, numpy.repeat(first[:, None], top, 1)
    some = f.rand((tokens, top), bool)
    yield some, some


def numbers(ids, active, experts):
    """How many pairs with the same expert come before."""
    seen, result = {}, numpy.zeros(ids.size, "int32")
    for at, (one, takes_part) in enumerate(zip(ids.ravel(), active.ravel())):
        if takes_part and one < experts:
            result[at] = seen.get(one, 0)
            seen[one] = result[at] + 1
    return result


@case(*[f"aclnnMoeDistributeDispatch{version}" for version in VERSIONS])
def _(f):
    index = "expandIdx" if version(f) == 1 else "assistInfoForcombine"
    for dtype in FLOATS:
        for tokens, top, width, experts in [(5, 2, 8, 3), (4, 3, 6, 7), (0, 2, 4, 2)]:
            special = (2, 1, 1) if version(f) > 2 else (0, 0, 0)
            rows = tokens * min(top, experts) + 2
            x, ids = f.rand((tokens, width), dtype), choose(f, tokens, top, experts + sum(special))
            for given, active in masks(f, tokens, top):
                pairs, counts = order(ids, active, experts)
                out = numpy.zeros((rows, width), dtype)
                for row, (token, _) in enumerate(pairs):
                    out[row] = x[token]
                place = numpy.zeros(tokens * top + 3, "int32")
                place[: tokens * top] = numbers(ids, active, experts)
                same = dict(x=x, expertIds=ids, xActiveMask=given, **world(f, experts, special)) | {
                    index: place, "epRecvCounts": numpy.cumsum(counts).astype("int32"), "tpRecvCounts": numpy.zeros(1, "int32")}
                for kind, wanted in [(0, numpy.cumsum(counts)), (1, numpy.array(counts))]:
                    f.check(**same, globalBs=tokens * kind, expertTokenNumsType=kind, expandX=out, dynamicScales=numpy.zeros(0, "float32"), expertTokenNums=wanted.astype("int64"))
                weights = f.rand((tokens, top))
                spread = numpy.zeros(rows, "float32")
                spread[: len(pairs)] = [weights[pair] for pair in pairs]
                f.check(**same, expertScales=weights, expertTokenNumsType=1, expandX=out, expertTokenNums=numpy.array(counts), expandScales=spread)
                for smooth in [False, True]:
                    def attempt():
                        x = f.rand((tokens, width), dtype)
                        scales = f.rand((experts, width), "float32", 0.5, 2)
                        values = numpy.zeros((rows, width))
                        for row, (token, choice) in enumerate(pairs):
                            values[row] = wide(x[token]) * (wide(scales[ids[token, choice]]) if smooth else 1)
                        y, step = by_row(values)
                        return [y], x, scales, to_int8(y), step

                    x8, scales, y, step = draw(attempt)
                    f.check(**same | {"x": x8}, scales=scales if smooth else None, quantMode=2, expertTokenNumsType=1, expandX=y, dynamicScales=step,
                            expertTokenNums=numpy.array(counts))
    x, ids = f.rand((3, 4), "float16"), choose(f, 3, 2, 4)
    fine = dict(x=x, expertIds=ids, **world(f, 4), expertTokenNumsType=1, expandX=Any((6, 4), "float16"), expertTokenNums=Any((4,), "int64"), epRecvCounts=Any((4,), "int32")) | {index: Any((6,), "int32")}
    f.run(fine, False, None)
    for name, value in [("tpWorldSize", 2), ("expertShardType", 1), ("sharedExpertNum", 2), ("sharedExpertRankNum", 1), ("moeExpertNum", 0), ("quantMode", 1), ("quantMode", 3),
                        ("globalBs", 2), ("epRankId", 1), ("epWorldSize", 2), ("expertTokenNumsType", 2), ("scales", f.rand((4, 4))), ("x", x.astype("int8")),
                        ("expertIds", ids[1:]), ("expandX", Any((6, 4), "int8")), ("expertTokenNums", Any((3,), "int64")), ("xActiveMask", numpy.ones((2,), bool))]:
        f.refuses(**fine | {name: value})
    f.refuses(161001, **fine | {"quantMode": 2, "expandX": Any((6, 4), "int8")})
    if version(f) > 1:
        f.refuses(**fine | {"commAlg": "ring"})
    if version(f) > 2:
        f.refuses(**fine | {"elasticInfo": numpy.zeros(6, "int32")})
        f.refuses(**fine | {"zeroExpertNum": -1})
    if version(f) > 3:
        f.refuses(**fine | {"performanceInfo": numpy.zeros(1, "int64")})
    f.fails(**fine | {"expertIds": ids + 4})
    f.fails(**fine | {"expandX": Any((5, 4), "float16")})
    f.fails(**fine | {"xActiveMask": numpy.array([True, False, True])})


@case(*[f"aclnnMoeDistributeCombine{version}" for version in VERSIONS])
def _(f):
    index = "expandIdx" if version(f) == 1 else "assistInfoForCombine"
    for dtype in FLOATS:
        for tokens, top, width, experts in [(5, 2, 8, 3), (4, 3, 6, 7), (0, 2, 4, 2)]:
            special = (2, 1, 2) if version(f) > 2 else (0, 0, 0)
            rows = tokens * min(top, experts) + 2
            ids, weights, x = choose(f, tokens, top, experts + sum(special)), f.rand((tokens, top)), f.rand((rows, width), dtype)
            original = f.rand((tokens, width), dtype)
            constants = [f.rand((2, width), dtype) for _ in range(3)]
            for given, active in masks(f, tokens, top):
                pairs, counts = order(ids, active, experts)
                out = numpy.zeros((tokens, width))
                for row, (token, choice) in enumerate(pairs):
                    out[token] += weights[token, choice] * wide(x[row])
                for token, choice in numpy.argwhere(active):
                    one = ids[token, choice] - experts - special[0]
                    if 0 <= one < special[1]:
                        out[token] += weights[token, choice] * wide(original[token])
                    elif special[1] <= one:
                        alpha1, alpha2, value = (wide(constant[one - special[1]]) for constant in constants)
                        out[token] += weights[token, choice] * (alpha1 * wide(original[token]) + alpha2 * value)
                same = dict(expandX=x, expertIds=ids, epSendCounts=numpy.cumsum(counts).astype("int32"), expertScales=weights, xActiveMask=given,
                            **world(f, experts, special)) | {index: numpy.zeros(tokens * top, "int32")}
                if version(f) > 2:
                    same |= dict(oriX=original, constExpertAlpha1=constants[0], constExpertAlpha2=constants[1], constExpertV=constants[2])
                f.check(**same, output=out.astype(dtype))
                if version(f) > 1:
                    more = f.rand((tokens, width), dtype)
                    f.check(**same, sharedExpertX=more, output=(out + wide(more)).astype(dtype))
                    f.check(**same, sharedExpertX=more.reshape(1, tokens, width), output=(out + wide(more)).astype(dtype))
    x, ids = f.rand((6, 4), "float16"), choose(f, 3, 2, 2)
    fine = dict(expandX=x, expertIds=ids, epSendCounts=numpy.array([3, 6], "int32"), expertScales=f.rand((3, 2)), **world(f, 2), output=Any((3, 4), "float16")) | {
        index: numpy.zeros(6, "int32")}
    f.run(fine, False, None)
    for name, value in [("tpWorldSize", 2), ("sharedExpertNum", 2), ("commQuantMode", 2), ("outDtype", 1), ("groupListType", 1), ("epSendCounts", numpy.array([6], "int32")),
                        ("expertScales", f.rand((2, 2))), ("expandX", x.astype("int8")), ("output", Any((2, 4), "float16")), ("globalBs", 1), ("epRankId", 1)]:
        f.refuses(**fine | {name: value})
    if version(f) == 1:
        f.refuses(**fine | {"activationScale": f.rand((3,))})
    if version(f) > 2:
        f.refuses(161001, **fine | {"copyExpertNum": 1})
        f.refuses(161001, **fine | {"constExpertNum": 1, "oriX": f.rand((3, 4), "float16")})
        f.refuses(**fine | {"elasticInfo": numpy.zeros(6, "int32")})
    f.fails(**fine | {"epSendCounts": numpy.array([3, 7], "int32")})
    f.fails(**fine | {"epSendCounts": numpy.array([3, 2], "int32")})
    f.fails(**fine | {"epSendCounts": numpy.array([2, 5], "int32")})
    f.fails(**fine | {"expertIds": ids + 2})
    f.fails(**fine | {"xActiveMask": numpy.array([True, False, True])})
