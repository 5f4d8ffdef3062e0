"""What comes before latent attention: queries and keys from tokens."""

import ml_dtypes
import numpy

from cases.norm_quant import clear, rms, to_int8, wide
from harness import Any, Fractal, Ref, case, exempt

for name in ["MlaPrologV2WeightNz", "MlaPrologV3WeightNz"]:
    exempt(f"aclnn{name}", zero_dim="tokens have rows")

BF16 = ml_dtypes.bfloat16
HIDDEN, LOW, HEADS, PLAIN, LATENT, ROPE = 8, 6, 2, 4, 6, 4


class Doubt(Exception):
    """Single precision could round otherwise."""


def rounded(x, dtype):
    """Rounded to a type, where no other rounding is near."""
    near = [(x * factor).astype(dtype) for factor in (1, 1 + 3e-6, 1 - 3e-6)]
    if dtype != "float32" and any((one != near[0]).any() for one in near):
        raise Doubt
    return wide(near[0])


def turned(x, sin, cos):
    """Neighbours are turned together, results go into halves."""
    halves = numpy.concatenate([x[..., ::2], x[..., 1::2]], -1)
    half = x.shape[-1] // 2
    return halves * cos + numpy.concatenate([-halves[..., half:], halves[..., :half]], -1) * sin


def rows_to_int8(x):
    scale = numpy.abs(x).max(-1, keepdims=True, initial=0) / 127
    with numpy.errstate(invalid="ignore"):
        y = numpy.where(scale == 0, 0, x / scale)
    if not clear(y):
        raise Doubt
    return to_int8(y), scale


def prolog(f, lead, dtype, tokens8, up8, keys8, smooth=False, factors=(1.0, 1.0)):
    """The arguments and results of a call, without caches: keys as they are stored."""
    count = int(numpy.prod(lead))

    def matrix(shape, integer):
        return f.rand(shape, "int8", -100, 100) if integer else f.rand(shape, dtype, -1, 1)

    given = {
        "tokenX": matrix((*lead, HIDDEN), tokens8), "weightDq": matrix((HIDDEN, LOW), tokens8), "weightUqQr": matrix((LOW, HEADS * (PLAIN + ROPE)), up8),
        "weightUk": f.rand((HEADS, PLAIN, LATENT), dtype), "weightDkvKr": matrix((HIDDEN, LATENT + ROPE), tokens8), "rmsnormGammaCq": f.rand((LOW,), dtype),
        "rmsnormGammaCkv": f.rand((LATENT,), dtype), "ropeSin": f.rand((*lead, ROPE), dtype), "ropeCos": f.rand((*lead, ROPE), dtype),
        "rmsnormEpsilonCq": 1e-5, "rmsnormEpsilonCkv": 1e-4,
    }
    x = wide(given["tokenX"]).reshape(count, HIDDEN)
    down, keys = x @ wide(given["weightDq"]), x @ wide(given["weightDkvKr"])
    if tokens8:
        given |= {"dequantScaleX": f.rand((count, 1), "float32", 0.01, 0.02), "dequantScaleWDq": f.rand((1, LOW), "float32", 0.01, 0.02),
                  "dequantScaleWDkvKr": f.rand((1, LATENT + ROPE), "float32", 0.01, 0.02)}
        down = down * wide(given["dequantScaleX"]) * wide(given["dequantScaleWDq"])
        keys = keys * wide(given["dequantScaleX"]) * wide(given["dequantScaleWDkvKr"])
    low = rms(down, given["rmsnormGammaCq"], 1e-5) * factors[0]
    results = {}
    if up8:
        given["dequantScaleWUqQr"] = f.rand((1, HEADS * (PLAIN + ROPE)), "float32", 0.01, 0.02)
        if smooth:
            given["smoothScalesCq"] = f.rand((1, LOW), "float32", 0.5, 2)
            low = low * wide(given["smoothScalesCq"])
        numbers, scale = rows_to_int8(low)
        both = (wide(numbers) @ wide(given["weightUqQr"])) * scale * wide(given["dequantScaleWUqQr"])
        results |= {"norm": numbers.reshape(*lead, LOW), "normScale": scale.astype("float32")}
    else:
        low = rounded(low, dtype)
        both = low @ wide(given["weightUqQr"])
        results["norm"] = low.astype(dtype).reshape(*lead, LOW)
    both = both.reshape(count, HEADS, PLAIN + ROPE)
    query = rounded(numpy.einsum("tnd,ndl->tnl", rounded(both[..., :PLAIN], dtype), wide(given["weightUk"])), dtype)
    sin, cos = (wide(given[name]).reshape(count, ROPE) for name in ("ropeSin", "ropeCos"))
    rope = turned(both[..., PLAIN:], sin[:, None], cos[:, None])
    latent = rms(keys[:, :LATENT], given["rmsnormGammaCkv"], 1e-4) * factors[1]
    other = turned(keys[:, LATENT:], sin, cos)
    results["queryScale"] = None
    if keys8 and tokens8:
        given["quantScaleCkv"] = numpy.full((1, LATENT) if smooth else (1,), f.rand((1,), "float32", 20, 40)[0])
        unit = wide(given["quantScaleCkv"]).ravel()[0]
        if not clear(latent * unit):
            raise Doubt
        latent = to_int8(latent * unit)
        query, scale = rows_to_int8(query)
        rope = rounded(rope, dtype) * unit / numpy.where(scale == 0, 1, scale)
        results["queryScale"] = scale.astype("float32")
    elif keys8:
        given |= {"quantScaleCkv": f.rand((1, LATENT), "float32", 20, 40), "quantScaleCkr": f.rand((1, ROPE), "float32", 20, 40)}
        if not (clear(latent * wide(given["quantScaleCkv"])) and clear(other * wide(given["quantScaleCkr"]))):
            raise Doubt
        latent, other = to_int8(latent * wide(given["quantScaleCkv"])), to_int8(other * wide(given["quantScaleCkr"]))
    kinds = ("int8" if keys8 else dtype, "int8" if keys8 and not tokens8 else dtype)
    results |= {"query": query.astype("int8" if keys8 and tokens8 else dtype).reshape(*lead, HEADS, LATENT), "rope": rope.astype(dtype).reshape(*lead, HEADS, ROPE),
                "keys": latent.astype(kinds[0]), "turned": other.astype(kinds[1])}
    return given, results


def certain(*arguments, **more):
    while True:
        try:
            return prolog(*arguments, **more)
        except Doubt:
            pass


def blocks(given):
    """The arguments with the weights in blocks."""
    return given | {name: Fractal(given[name]) for name in ("weightDq", "weightUqQr", "weightDkvKr")}


def caches(f, results):
    """Caches before and after, and where rows go."""
    count, given = len(results["keys"]), {}
    index = f.random.permutation(3 * 5)[:count].astype("int64")
    for name, rows in [("kvCache", results["keys"]), ("krCache", results["turned"])]:
        before = f.rand((3, 5, 1, rows.shape[1]), rows.dtype)
        after = before.copy()
        after.reshape(15, -1)[index] = rows
        given[name] = Ref(before, after)
    return given, index


KINDS = [(False, False, False), (False, True, False), (False, True, True), (True, True, False), (True, True, True)]


def loose(dtype):
    return (1e-4, 1e-4) if dtype == "float32" else (3e-2, 3e-2)


@case("aclnnMlaPrologV2WeightNz")
def _(f):
    for dtype in [BF16, "float32"]:
        for lead in [(5,), (2, 3), (0,), (2, 0)]:
            for kinds in KINDS:
                for smooth in [False, True][: 1 + kinds[1]]:
                    given, results = certain(f, lead, dtype, *kinds, smooth=smooth)
                    places, index = caches(f, results)
                    scale = results["queryScale"]
                    f.check(**blocks(given), **places, cacheIndex=index.reshape(lead), cacheMode="PA_BSND", query=results["query"], queryRope=results["rope"],
                            dequantScaleQNope=numpy.zeros(1, "float32") if scale is None else scale, tolerance=loose(dtype))
    given, results = certain(f, (5,), "float32", *KINDS[4], smooth=True)
    places, index = caches(f, results)
    fine = blocks(given) | {name: one.before for name, one in places.items()} | dict(
        cacheIndex=index, cacheMode="PA_BSND", query=Any((5, HEADS, LATENT), "int8"), queryRope=Any((5, HEADS, ROPE), "float32"), dequantScaleQNope=Any((5, HEADS, 1), "float32"))
    for name, value in [("cacheMode", "PA_NZ"), ("weightDq", given["weightDq"]), ("weightUqQr", Fractal(given["weightUqQr"][:, 1:])), ("ropeSin", given["ropeSin"][1:]),
                        ("query", Any((5, HEADS, LATENT), "float32")), ("quantScaleCkr", f.rand((1, ROPE))), ("dequantScaleX", f.rand((4, 1))), ("cacheIndex", index[1:]),
                        ("kvCache", places["kvCache"].before[..., 1:]), ("krCache", places["krCache"].before.astype("int8")), ("rmsnormGammaCq", f.rand((LOW,), "int8"))]:
        f.refuses(**fine | {name: value})
    for name in ["dequantScaleX", "dequantScaleWDq", "dequantScaleWUqQr", "dequantScaleWDkvKr", "quantScaleCkv", "dequantScaleQNope"]:
        f.refuses(161001, **fine | {name: None})
    f.fails(**fine | {"cacheIndex": index + 15})
    f.fails(**fine | {"quantScaleCkv": f.rand((1, LATENT), "float32", 20, 40)})


MODES = {kinds: modes for kinds, modes in zip(KINDS, [(0, 0, 0), (1, 0, 0), (1, 2, 0), (2, 0, 0), (2, 1, 1)])}


def numbered(modes):
    return dict(zip(["weightQuantMode", "kvCacheQuantMode", "queryQuantMode"], modes))


@case("aclnnMlaPrologV3WeightNz")
def _(f):
    for dtype in [BF16, "float32"]:
        for lead in [(5,), (2, 3), (0,)]:
            for kinds, modes in MODES.items():
                given, results = certain(f, lead, dtype, *kinds, smooth=kinds[1], factors=(1.5, 0.75))
                places, index = caches(f, results)
                scale = results["queryScale"]
                same = dict(**blocks(given), **numbered(modes), qcQrScale=1.5, kcScale=0.75, tileSize=128, query=results["query"], queryRope=results["rope"],
                            dequantScaleQNope=scale, tolerance=loose(dtype))
                f.check(**same, **places, cacheIndex=index.reshape(lead), cacheMode="PA_BSND")
                f.check(**same, **places, cacheIndex=index.reshape(lead), cacheMode="PA_BSND", queryNorm=results["norm"], dequantScaleQNorm=results.get("normScale"))
                rows = {}
                for name, after in [("kvCache", results["keys"]), ("krCache", results["turned"])]:
                    after = after.reshape(*lead, 1, after.shape[1])
                    rows[name] = Ref(numpy.zeros_like(after), after)
                f.check(**same, **rows, cacheMode="TND" if len(lead) == 1 else "BSND")
    given, results = certain(f, (5,), "float32", *KINDS[2])
    places, index = caches(f, results)
    fine = blocks(given) | {name: one.before for name, one in places.items()} | numbered((1, 2, 0)) | dict(
        cacheIndex=index, cacheMode="PA_BSND", qcQrScale=1.0, kcScale=1.0, query=Any((5, HEADS, LATENT), "float32"), queryRope=Any((5, HEADS, ROPE), "float32"))
    f.run(fine, False, None)
    f.run(fine | numbered((2, 2, 0)), False, None)
    for modes in [(0, 0, 0), (2, 1, 1), (3, 3, 0), (1, 3, 0), (2, 0, 1)]:
        f.refuses(**fine | numbered(modes))
    for name, value in [("cacheMode", "PA_NZ"), ("cacheMode", "PA_BLK_BSND"), ("ckvkrRepoMode", 1), ("quantScaleRepoMode", 1), ("kNopeClipAlpha", f.rand((1,))),
                        ("queryNorm", Any((5, LOW), "float32")), ("dequantScaleX", f.rand((5, 1)))]:
        f.refuses(**fine | {name: value})
    f.refuses(161001, **fine | {"cacheIndex": None})
    f.refuses(161001, **fine | {"queryNorm": Any((5, LOW), "int8")})
