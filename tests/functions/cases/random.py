"""Random numbers: repeatable by seed and offset, and distributed as they should be.

The numbers are Millpond's own, so the reference is Philox written once more here, with the same use of its words.
"""

import numpy

from harness import Ref, case, exempt

WORD = 0xFFFFFFFF


def words(seed, offset, index):
    """Ten rounds of Philox 4x32."""
    x = [index & WORD, index >> 32 & WORD, offset & WORD, offset >> 32 & WORD]
    key = [seed & WORD, seed >> 32 & WORD]
    for _ in range(10):
        first, second = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [second >> 32 ^ x[1] ^ key[0], second & WORD, first >> 32 ^ x[3] ^ key[1], first & WORD]
        key = [key[0] + 0x9E3779B9 & WORD, key[1] + 0xBB67AE85 & WORD]
    return x


def unit(high, low):
    return ((high << 32 | low) >> 11) / 2**53


def uniforms(seed, offset, shape):
    count = int(numpy.prod(shape))
    return numpy.array([unit(*words(seed, offset, index)[:2]) for index in range(count)]).reshape(shape)


def normals(seed, offset, shape):
    numbers = []
    for index in range(int(numpy.prod(shape))):
        a, b, c, d = words(seed, offset, index)
        numbers.append(numpy.sqrt(-2 * numpy.log(1 - unit(a, b))) * numpy.cos(2 * numpy.pi * unit(c, d)))
    return numpy.array(numbers).reshape(shape)


def integers(seed, offset, shape, low, high):
    numbers = []
    for index in range(int(numpy.prod(shape))):
        a, b = words(seed, offset, index)[:2]
        numbers.append(low + ((a << 32 | b) * (high - low) >> 64))
    return numpy.array(numbers, "int64").reshape(shape)


SEEDS = [(1, 0), (12345678901234, 7), (1, 2**40)]
SHAPES = [(3, 5), (40,), (0, 2), ()]
FLOATS = ["float32", "float64", "float16"]


def truncated(numbers, dtype):
    digits = {"float16": 11, "float32": 24, "float64": 53}[dtype]
    return numpy.floor(numbers * 2**digits) / 2**digits


def device(seed, offset, more=3):
    return {"seed": numpy.array([seed]), "offset": numpy.array([offset - more]), "offsetIntragraph": more}


@case("aclnnInplaceNormal", "aclnnInplaceNormalTensor")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            for seed, offset in SEEDS:
                want = (1.5 + 2 * normals(seed, offset, shape)).astype(dtype)
                if f.name.endswith("Tensor"):
                    f.check(selfRef=Ref(f.rand(shape, dtype), want), mean=1.5, rstd=2.0, **device(seed, offset))
                else:
                    f.check(selfRef=Ref(f.rand(shape, dtype), want), mean=1.5, std=2.0, seed=seed, offset=offset)
    numbers = normals(5, 0, (4000,))
    assert abs(numbers.mean()) < 0.05 and abs(numbers.std() - 1) < 0.05
    if not f.name.endswith("Tensor"):
        f.refuses(selfRef=Ref(f.rand((3,), "int32"), f.rand((3,), "int32")), mean=0.0, std=1.0, seed=1, offset=0)
        f.refuses(selfRef=Ref(f.rand((3,)), f.rand((3,))), mean=0.0, std=-1.0, seed=1, offset=0)


@case("aclnnNormalFloatFloat")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            f.check(mean=1.5, std=2.0, seed=5, offset=6, out=(1.5 + 2 * normals(5, 6, shape)).astype(dtype))


exempt("aclnnNormalFloatFloat", empty="there is no input", zero_dim="there is no input")


@case("aclnnNormalTensorTensor", "aclnnNormalTensorFloat", "aclnnNormalFloatTensor")
def _(f):
    for dtype in FLOATS:
        for mean, std in [((3, 4), (4,)), ((), ()), ((0, 3), (0, 3))]:
            mean = f.rand(mean, dtype) if "NormalTensor" in f.name else 1.5
            std = abs(f.rand(std, dtype)) if "NormalTensorTensor" in f.name or "FloatTensor" in f.name else 2.0
            shape = numpy.broadcast_shapes(numpy.shape(mean), numpy.shape(std))
            want = numpy.asarray(mean, "float64") + numpy.asarray(std, "float64") * normals(9, 4, shape)
            f.check(mean=mean, std=std, seed=9, offset=4, out=want.astype(dtype))


@case("aclnnInplaceUniform", "aclnnInplaceUniformTensor")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            for seed, offset in SEEDS:
                want = (-1 + 3 * truncated(uniforms(seed, offset, shape), dtype)).astype(dtype)
                more = device(seed, offset) if f.name.endswith("Tensor") else {"seed": seed, "offset": offset}
                f.check(selfRef=Ref(f.rand(shape, dtype), want), **{"from": -1.0, "to": 2.0}, **more)
    numbers = uniforms(5, 0, (4000,))
    assert abs(numbers.mean() - 0.5) < 0.02 and numbers.min() >= 0 and numbers.max() < 1
    if not f.name.endswith("Tensor"):
        f.refuses(selfRef=Ref(f.rand((3,)), f.rand((3,))), **{"from": 1.0, "to": 0.0}, seed=1, offset=0)


@case("aclnnInplaceRandom", "aclnnInplaceRandomTensor")
def _(f):
    for dtype in ["int64", "int32", "float32", "uint8", "float16"]:
        for shape in SHAPES:
            for low, high in [(0, 10), (3, 4), (2, 200)]:
                want = integers(7, 9, shape, low, high).astype(dtype)
                more = device(7, 9) if f.name.endswith("Tensor") else {"seed": 7, "offset": 9}
                f.check(selfRef=Ref(f.rand(shape, dtype), want), **{"from": low, "to": high}, **more)
    if not f.name.endswith("Tensor"):
        f.check(selfRef=Ref(numpy.zeros(5, "int64"), integers(7, 9, (5,), -(2**60), 2**60)), **{"from": -(2**60), "to": 2**60}, seed=7, offset=9)
        f.refuses(selfRef=Ref(f.rand((3,)), f.rand((3,))), **{"from": 1, "to": 1}, seed=1, offset=0)


@case("aclnnInplaceRandomWithoutFromTo", "aclnnInplaceRandomWithoutFromToTensor")
def _(f):
    highs = {"int64": 2**63 - 1, "int32": 2**31, "uint8": 256, "int8": 128, "bool": 2, "float32": 2**24 + 1, "float16": 2**11 + 1, "float64": 2**53 + 1}
    for dtype, high in highs.items():
        for shape in SHAPES:
            want = integers(7, 9, shape, 0, high).astype(dtype)
            more = device(7, 9) if f.name.endswith("Tensor") else {"seed": 7, "offset": 9}
            f.check(selfRef=Ref(f.rand(shape, dtype), want), **more)


@case("aclnnInplaceBernoulli")
def _(f):
    for dtype in ["float32", "bool", "int64", "float16"]:
        for shape in SHAPES:
            for probability in (0.0, 0.3, 1.0):
                f.check(selfRef=Ref(f.rand(shape, dtype), (uniforms(3, 4, shape) < probability).astype(dtype)), prob=probability, seed=3, offset=4)
    f.refuses(selfRef=Ref(f.rand((3,)), f.rand((3,))), prob=1.5, seed=3, offset=4)


@case("aclnnInplaceBernoulliTensor")
def _(f):
    for shape in SHAPES:
        probability = f.rand(shape, "float32", 0, 1)
        f.check(selfRef=Ref(f.rand(shape), (uniforms(3, 4, shape) < probability).astype("float32")), prob=probability, seed=3, offset=4)
    one = numpy.float32(0.5)
    f.check(selfRef=Ref(f.rand((3, 5)), (uniforms(3, 4, (3, 5)) < one).astype("float32")), prob=one, seed=3, offset=4)


@case("aclnnSimThreadExponential")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            want = -numpy.log1p(-uniforms(3, 4, shape)) / 2.5
            f.check(selfRef=Ref(f.rand(shape, dtype), want.astype(dtype)), count=want.size, lambd=2.5, seed=3, offset=4)
    f.refuses(selfRef=Ref(f.rand((3,)), f.rand((3,))), count=3, lambd=0.0, seed=3, offset=4)


def permutation(count, seed, offset):
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        a, b = words(seed, offset, last)[:2]
        other = (a << 32 | b) * (last + 1) >> 64
        order[last], order[other] = order[other], order[last]
    return numpy.array(order, "int64")


@case("aclnnRandperm")
def _(f):
    for count in (0, 1, 5, 100):
        for dtype in ["int64", "int32", "float32"]:
            want = permutation(count, 8, 2)
            assert sorted(want) == list(range(count))
            f.check(n=count, seed=8, offset=2, out=want.astype(dtype))
    f.refuses(n=-1, seed=8, offset=2, out=numpy.zeros(1, "int64"))


exempt("aclnnRandperm", empty="there is no input", zero_dim="there is no input")


@case("aclnnMultinomial", "aclnnMultinomialTensor")
def _(f):
    more = device(6, 8) if f.name.endswith("Tensor") else {"seed": 6, "offset": 8}
    for dtype in ["float32", "float64", "float16"]:
        for shape in [(7,), (3, 7), (0, 7)]:
            weights = f.rand(shape, dtype, 0, 1)
            weights[..., 2] = 0
            for replacement in (True, False):
                samples = 20 if replacement else 5
                rows = weights.reshape(-1, 7).astype("float64")
                drawn = []
                for number, row in enumerate(rows):
                    if replacement:
                        sums = numpy.cumsum(row)
                        numbers = [unit(*words(6, 8, number * samples + sample)[:2]) * sums[-1] for sample in range(samples)]
                        drawn.append(numpy.searchsorted(sums, numbers, "right"))
                    else:
                        waits = [-numpy.log1p(-unit(*words(6, 8, number * 7 + place)[:2])) for place in range(7)]
                        with numpy.errstate(divide="ignore"):
                            drawn.append(numpy.argsort(numpy.array(waits) / row, kind="stable")[:samples])
                want = numpy.array(drawn, "int64").reshape(shape[:-1] + (samples,))
                assert 2 not in want
                f.check(self=weights, numSamples=samples, replacement=replacement, out=want, **more)
    weights = numpy.array([1.0, 2.0], "float32")
    f.refuses(self=weights, numSamples=3, replacement=False, out=numpy.zeros(3, "int64"), **more)
    f.fails(self=-weights, numSamples=1, replacement=True, out=numpy.zeros(1, "int64"), **more)
    f.fails(self=weights * 0, numSamples=1, replacement=True, out=numpy.zeros(1, "int64"), **more)


for name in ["aclnnMultinomial", "aclnnMultinomialTensor"]:
    exempt(name, zero_dim="weights have a dimension")
