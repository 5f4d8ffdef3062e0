"""Dropout: masks by seed, and what they leave of a tensor."""

import ml_dtypes
import numpy

from harness import case, exempt

FLOATS = ["float32", "float16", "float64", ml_dtypes.bfloat16]


def philox(seed, offset, draws):
    """Ten rounds of Philox 4x32 for counters 0, 1, ...: four words each."""
    mask = 0xFFFFFFFF
    results = []
    for draw in range(draws):
        counter = [draw & mask, draw >> 32, offset & mask, (offset >> 32) & mask]
        key = [seed & mask, (seed >> 32) & mask]
        for _ in range(10):
            low, high = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
            counter = [(high >> 32) ^ counter[1] ^ key[0], high & mask, (low >> 32) ^ counter[3] ^ key[1], low & mask]
            key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
        results.append(counter)
    return numpy.array(results, "uint64").reshape(draws, 4)


def uniform(seed, offset, count):
    """Numbers of [0, 1) with 53 bits, one for each draw."""
    words = philox(seed, offset, count)
    return ((words[:, 0] << numpy.uint64(32) | words[:, 1]) >> numpy.uint64(11)).astype("float64") / 2.0**53


def kept(seed, offset, count, drop):
    """Which elements stay."""
    return philox(seed, offset, -(-count // 4)).reshape(-1)[:count].astype("float64") < (1 - drop) * 2.0**32


def packed(bits):
    size = -(-bits.size // 128) * 128
    return numpy.packbits(numpy.concatenate([bits, numpy.zeros(size - bits.size, bool)]), bitorder="little")


SHAPES = [(3, 4), (129,), (2, 64), (0, 3), ()]

exempt("aclnnDropoutGenMask", strided="it has no input tensor", empty="it has no input tensor", zero_dim="it has no input tensor")
exempt("aclnnDropoutGenMaskV2", strided="it has no input tensor", empty="it has no input tensor", zero_dim="it has no input tensor")
exempt("aclnnDropoutGenMaskV2Tensor", empty="seed and offset are numbers")


@case("aclnnDropoutGenMask", "aclnnDropoutGenMaskV2", "aclnnDropoutGenMaskV2Tensor")
def _(f):
    for shape in SHAPES:
        size = int(numpy.prod(shape))
        for seed, offset, drop in [(0, 0, 0.5), (2**40 + 7, 12, 0.1), (-3, 2**33, 0.9), (1, 1, 0.0), (1, 1, 1.0)]:
            more = {} if f.name == "aclnnDropoutGenMask" else {"probDataType": 0}
            numbers = {"seed": seed, "offset": offset}
            if f.name.endswith("Tensor"):
                numbers = {"seed": numpy.array([seed]), "offset": numpy.array(offset - 4), "offsetIntraGraph": 4}
            f.check(shape=shape, prob=drop, out=packed(kept(seed, offset, size, drop)), **numbers, **more)
    out = numpy.zeros(16, "uint8")
    f.refuses(shape=(3,), prob=1.5, out=out, **numbers, **more)
    f.refuses(shape=(300,), prob=0.5, out=out, **numbers, **more)
    f.refuses(shape=(3, -1), prob=0.5, out=out, **numbers, **more)
    f.refuses(shape=(2**40, 2**40), prob=0.5, out=out, **numbers, **more)


@case("aclnnDropoutDoMask")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            bits = f.rand(shape, bool)
            for drop in [0.5, 0.1, 0.0]:
                want = numpy.asarray(x.astype("float64") * bits / (1 - drop)).astype(dtype)
                f.check(self=x, mask=packed(bits.reshape(-1)), prob=drop, out=want)
            f.check(self=x, mask=packed(bits.reshape(-1)), prob=1.0, out=numpy.asarray(x * 0))
    x = f.rand((200,))
    f.refuses(self=x, mask=numpy.zeros(16, "uint8"), prob=0.5, out=x)
    f.refuses(self=x, mask=numpy.zeros(32, "uint8"), prob=-0.5, out=x)


@case("aclnnDropoutV3")
def _(f):
    for dtype in FLOATS:
        for shape in SHAPES:
            x = f.rand(shape, dtype)
            for seed, offset, drop in [(5, 10, 0.5), (9, 0, 0.25), (1, 2, 0.0), (1, 2, 1.0)]:
                bits = kept(seed, offset, x.size, drop)
                scale = 0 if drop == 1 else 1 / (1 - drop)
                want = numpy.asarray(x.astype("float64") * bits.reshape(shape) * scale).astype(dtype)
                f.check(input=x, p=drop, seed=seed, offset=offset, out=want, maskOut=packed(bits))
    x = f.rand((3, 4))
    mask = numpy.zeros(16, "uint8")
    f.refuses(input=x, p=2.0, seed=0, offset=0, out=x, maskOut=mask)
    f.refuses(input=x, p=0.5, seed=0, offset=0, out=x, maskOut=mask[:8])
