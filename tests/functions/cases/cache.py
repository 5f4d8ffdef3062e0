"""Caches of keys and values, and parts of attention."""

import ml_dtypes
import numpy

from cases.rotary import turned
from harness import Any, Ref, case, exempt

for one in ["ScatterPaKvCache", "ScatterPaCache", "GatherPaKvCache", "KvRmsNormRopeCache", "KvRmsNormRopeCacheV2", "AttentionUpdate"]:
    exempt("aclnn" + one, zero_dim="tokens and pages have axes of their own")


def filled(f, tokens, cache, slots, pieces):
    after = cache.copy()
    for token, slot in zip(tokens, slots):
        if slot < 0:
            continue
        if pieces:
            after[slot // 4, :, slot % 4] = token.reshape(after.shape[1], after.shape[3])
        else:
            after[slot // 4, slot % 4] = token
    return after


def scattered(f, both):
    for dtype in ["float32", "float16", "int8", ml_dtypes.bfloat16]:
        for pieces in (False, True):
            for index in ["int32", "int64"]:
                key, value = f.rand((5, 2, 32), dtype), f.rand((5, 2, 16), dtype)
                slots = numpy.array([7, 0, -1, 11, 2], index)
                caches = [f.rand((3, 64 // 16 if one else 32 // 16, 4, 16), dtype) if pieces else f.rand((3, 4, 2, 32 if one else 16), dtype) for one in (True, False)]
                said = dict(key=key, keyCache=Ref(caches[0], filled(f, key, caches[0], slots, pieces)), slotMapping=slots, cacheMode="PA_NZ" if pieces else "Norm")
                if both:
                    said.update(value=value, valueCache=Ref(caches[1], filled(f, value, caches[1], slots, pieces)), scatterMode="None", strides=[1, 1], offsets=[0, 0])
                f.check(**said)
    none = f.rand((0, 2, 32), "float32")
    cache = f.rand((3, 4, 2, 32), "float32")
    said = dict(key=none, keyCache=Ref(cache, cache), slotMapping=numpy.zeros(0, "int32"), cacheMode="Norm")
    if both:
        said.update(value=none, valueCache=Ref(cache, cache), scatterMode="None")
    f.check(**said)
    f.refuses(**{**said, "cacheMode": "Other"})
    f.refuses(**{**said, "slotMapping": numpy.zeros(2, "int32")})


@case("aclnnScatterPaKvCache")
def _(f):
    scattered(f, True)


@case("aclnnScatterPaCache")
def _(f):
    scattered(f, False)


@case("aclnnGatherPaKvCache")
def _(f):
    for dtype in ["float32", "float16", "int8"]:
        keys, values = f.rand((6, 4, 2, 8), dtype), f.rand((6, 4, 2, 5), dtype)
        tables = numpy.array([[3, 1, 0], [5, 0, 0], [2, 4, 0]], "int32")
        lengths = numpy.array([6, 0, 8], "int32")
        for offsets in (None, numpy.array([2, 0, 1], "int32")):
            for cumulated, said in [(False, lengths), (True, numpy.cumsum(lengths).astype("int32")), (True, numpy.concatenate([[0], numpy.cumsum(lengths)]).astype("int32"))]:
                start = numpy.zeros(3, int) if offsets is None else offsets
                place = [(tables[b, at // 4], at % 4) for b in range(3) for at in range(start[b], start[b] + lengths[b])]
                # One row more than sequences have stays as it is.
                before = f.rand((15, 2, 8), dtype), f.rand((15, 2, 5), dtype)
                after = [one.copy() for one in before]
                for row, (page, at) in enumerate(place):
                    after[0][row], after[1][row] = keys[page, at], values[page, at]
                f.check(keyCache=keys, valueCache=values, blockTables=tables, seqLens=said, key=Ref(before[0], after[0]), value=Ref(before[1], after[1]),
                        seqOffset=offsets, cacheMode="Norm", isSeqLensCumsum=cumulated)
    none = f.rand((0, 2, 8)), f.rand((0, 2, 5))
    f.check(keyCache=f.rand((6, 4, 2, 8)), valueCache=f.rand((6, 4, 2, 5)), blockTables=tables, seqLens=numpy.zeros(3, "int32"), key=Ref(none[0], none[0]),
            value=Ref(none[1], none[1]), cacheMode="Norm")


@case("aclnnKvRmsNormRopeCache", "aclnnKvRmsNormRopeCacheV2")
def _(f):
    for dtype, tolerance in [("float32", None), ("float16", (5e-3, 2e-3))]:
        kv, gamma = f.rand((2, 1, 3, 24), dtype), f.rand((16,), dtype)
        cos, sin = f.rand((2, 1, 3, 8), dtype), f.rand((2, 1, 3, 8), dtype)
        latent = kv[..., :16].astype("float64")
        latent = (latent / numpy.sqrt((latent**2).mean(-1, keepdims=True) + 1e-5) * gamma.astype("float64")).astype(dtype)
        rope = turned(kv[..., 16:], cos, sin, 3)
        same = dict(kv=kv, gamma=gamma, cos=cos, sin=sin, epsilon=1e-5, tolerance=tolerance)
        caches = [f.rand((2, 1, 6, 8), dtype), f.rand((2, 1, 6, 16), dtype)]
        index = numpy.array([[4, 0, -1], [1, 2, 5]], "int64")
        after = [one.copy() for one in caches]
        for b in range(2):
            for s in range(3):
                if index[b, s] >= 0:
                    after[0][b, 0, index[b, s]], after[1][b, 0, index[b, s]] = rope[b, 0, s], latent[b, 0, s]
        f.check(**same, index=index, kCacheRef=Ref(caches[0], after[0]), ckvCacheRef=Ref(caches[1], after[1]), cacheMode="Norm")
        slots = numpy.array([7, 0, -1, 11, 2, 3], "int64")
        for mode in ["PA", "PA_BNSD"]:
            order = (0, 1, 2, 3) if mode == "PA" else (0, 2, 1, 3)
            caches = [f.rand((3, 4, 1, 8), dtype), f.rand((3, 4, 1, 16), dtype)]
            after = [one.copy() for one in caches]
            for number, slot in enumerate(slots):
                if slot >= 0:
                    after[0][slot // 4, slot % 4, 0], after[1][slot // 4, slot % 4, 0] = rope[number // 3, 0, number % 3], latent[number // 3, 0, number % 3]
            refs = [Ref(a.transpose(order), b.transpose(order)) for a, b in zip(caches, after)]
            f.check(**same, index=slots, kCacheRef=refs[0], ckvCacheRef=refs[1], cacheMode=mode, isOutputKv=True, kRope=rope, cKv=latent)
    none = f.rand((0, 1, 3, 24))
    caches = [f.rand((3, 4, 1, 8)), f.rand((3, 4, 1, 16))]
    said = dict(kv=none, gamma=f.rand((16,)), cos=f.rand((0, 1, 3, 8)), sin=f.rand((0, 1, 3, 8)), index=numpy.zeros(0, "int64"), epsilon=1e-5)
    f.check(**said, kCacheRef=Ref(caches[0], caches[0]), ckvCacheRef=Ref(caches[1], caches[1]), cacheMode="PA")
    f.refuses(**said, kCacheRef=caches[0], ckvCacheRef=caches[1], cacheMode="PA_BLK_NZ")
    if f.name.endswith("V2"):
        f.refuses(**said, v=f.rand((0, 1, 3, 16)), kCacheRef=caches[0], ckvCacheRef=caches[1], cacheMode="PA")


@case("aclnnAttentionUpdate")
def _(f):
    for dtype in ["float32", "float16", ml_dtypes.bfloat16]:
        for count in (1, 3):
            lse = [f.rand((5,)) for _ in range(count)]
            lse[0][2] = -numpy.inf
            outs = [f.rand((5, 8), dtype) for _ in range(count)]
            if count > 1:
                total = numpy.logaddexp.reduce([one.astype("float64") for one in lse])
                want = sum(out.astype("float64") * numpy.exp(one - total)[:, None] for one, out in zip(lse, outs))
                f.check(lse=lse, localOut=outs, updateType=1, out=want.astype(dtype), lseOut=total.astype("float32"))
                f.check(lse=lse, localOut=outs, updateType=0, out=want.astype(dtype))
    f.check(lse=[f.rand((0,))], localOut=[f.rand((0, 8))], updateType=0, out=f.rand((0, 8)))
    f.refuses(lse=[f.rand((5,))], localOut=[f.rand((4, 8))], updateType=0, out=Any((4, 8), "float32"))
