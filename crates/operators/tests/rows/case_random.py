"""Random numbers against the same generator in Python; dropout; steps of optimisers."""

import numpy as np

from .base import *  # noqa: F403

M32 = 0xFFFFFFFF


def philox(key, low, high, count):
    """Four words at a time, as the generator's authors have it."""
    words = []
    for block in range((count + 3) // 4):
        first = (low + block) & (2**64 - 1)
        c = [first & M32, first >> 32, high & M32, high >> 32]
        k = [key & M32, key >> 32]
        for _ in range(10):
            left, right = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
            c = [right >> 32 ^ c[1] ^ k[0], right & M32, left >> 32 ^ c[3] ^ k[1], left & M32]
            k = [k[0] + 0x9E3779B9 & M32, k[1] + 0xBB67AE85 & M32]
        words += c
    return np.array(words[: max(count, 0)], u64)


# The authors' own known answers for ten rounds.
assert [int(w) for w in philox(0, 0, 0, 4)] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert [int(w) for w in philox(2**64 - 1, 2**64 - 1, 2**64 - 1, 4)] == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def uniform(words, digits=24):
    return ((words >> u64(32 - digits)).astype(f32) * f32(0.5**digits)).astype(f32)


KEYS = [(0, 0, 0), (2**64 - 1, 2**64 - 1, 2**64 - 1), (1234567890123456789, 0, 7), (42, 2**64 - 1, 2**40)]
for key, low, high in KEYS:
    for dtype, digits in ((f32, 24), (f16, 11), (bf16, 8)):
        for shape in ((3, 5), (), (16,)):
            n = int(np.prod(shape))
            inputs = [Const(list(shape)), np.array([key], u64), np.array([low, high], u64), Const(1, i32)]
            want = uniform(philox(key, low, high, n), digits).reshape(shape).astype(dtype)
            case("StatelessRandomUniformV2", inputs, want, dtype=Ty(dtype))
            u = uniform(philox(key, low, high, n + 1 + (n + 1) % 2)).reshape(-1, 2).astype(f64)
            r, a = np.sqrt(-2 * np.log(1 - u[:, 0])), 2 * np.pi * u[:, 1]
            z = np.stack([r * np.cos(a), r * np.sin(a)], 1).ravel()[:n].reshape(shape)
            case("StatelessRandomNormalV2", inputs, Loose(z.astype(dtype), {f32: 1e-4, f16: 2e-3, bf16: 2e-2}[dtype]), dtype=Ty(dtype))

big = [Const([100000]), np.array([5], u64), np.array([0, 3], u64), Const(1, i32)]
room = np.zeros(100000, f32)
case("StatelessRandomUniformV2", big, Check(room, lambda y: abs(y.mean() - 0.5) < 0.005 and abs(y.var() - 1 / 12) < 0.002 and 0 <= y.min() and y.max() < 1))
case("StatelessRandomNormalV2", big, Check(room, lambda y: abs(y.mean()) < 0.02 and abs(y.std() - 1) < 0.01 and abs((y**4).mean() - 3) < 0.2))
case("StatelessTruncatedNormalV2", big, Check(room, lambda y: abs(y.mean()) < 0.02 and abs(y.std() - 0.8796) < 0.01 and abs(y).max() <= 2))
for dtype in (i32, i64):
    low, high = np.array(-3, dtype), np.array(4, dtype)
    words = philox(5, 0, 3, 20).reshape(-1, 2)
    want = (((words[:, 0] >> u64(1)) << u64(32)) ^ words[:, 1]) % u64(7)
    case("StatelessRandomUniformIntV2", [Const([10]), *big[1:], low, high], (want.astype(i64) - 3).astype(dtype))
    case("StatelessRandomUniformIntV2", [Const([100000]), *big[1:], low, high], Check(np.zeros(100000, dtype), lambda y: y.min() == -3 and y.max() == 3 and abs(y.mean()) < 0.05))
for dtype in (f32, f16, bf16, u8, np.bool_):
    draws = uniform(philox(9, 0, 4, 12)).reshape(3, 4)
    chances = rand(3, 4, low=0, high=1)
    tail = [np.array(9, i64), np.array([4], i64)]
    case("StatelessBernoulli", [Const([3, 4]), Const(0.3, f32), *tail], (draws < f32(0.3)).astype(dtype), dtype=Ty(dtype))
    case("StatelessBernoulli", [Const([3, 4]), Const([0.3], f32), *tail], (draws < f32(0.3)).astype(dtype))
    case("StatelessBernoulli", [Const([3, 4]), chances, *tail], (draws < chances).astype(dtype))
for n, dtype in ((100, f32), (128, f16), (129, bf16)):
    size = -(-n // 128) * 16
    keep = np.array([0.75], dtype)
    draws = uniform(philox(7 | 8 << 32, 2, 11, size * 8))
    want = np.packbits(draws < wide(keep)[0], bitorder="little")
    case("StatelessDropOutGenMask", [Const([n]), Const(keep, dtype), np.array(7, i32), np.array([8], i32), np.array([2, 11], i64)], want)
case("StatelessDropOutGenMask", [Const([80000]), Const(0.9, f32), np.array(1, i32), np.array(0, i32), np.array([0, 5], i64)],
     Check(np.zeros(10000, u8), lambda y: abs(np.unpackbits(y).mean() - 0.9) < 0.005))
for dtype in (i64, i32):
    for n in (0, 1, 10, 1000):
        case("StatelessRandperm", [Const(n), np.array(3, i64), np.array(4, i64)], Check(np.zeros(n, dtype), lambda y: (np.sort(y) == np.arange(len(y))).all() and (len(y) < 10 or (y != np.arange(len(y))).any())), layout=1, dtype=Ty(dtype))
weights = np.array([[1, 0, 3], [0, 0, 5]], f32)
seeds = [np.array(3, i64), np.array(4, i64)]
shares = lambda y: abs((y[0] == 2).mean() - 0.75) < 0.05 and not (y[0] == 1).any() and (y[1] == 2).all()
case("MultinomialWithReplacement", [weights, *seeds], Check(np.zeros((2, 3000), i64), shares), numsamples=3000, replacement=True)
case("MultinomialWithReplacement", [weights[:, ::2], *seeds], Check(np.zeros((2, 2), i64), lambda y: (np.sort(y, 1) == [0, 1]).all() and y[1, 0] == 1), numsamples=2, replacement=False)
case("MultinomialWithReplacement", [np.tile(weights[:1], (3000, 1)), *seeds], Check(np.zeros((3000, 1), i64), lambda y: abs((y == 2).mean() - 0.75) < 0.05 and not (y == 1).any()), numsamples=1)
case("MultinomialWithReplacement", [weights[0], *seeds], Check(np.zeros(1, i64), lambda y: y[0] in (0, 2)), numsamples=1)

for dtype in (f32, f16, bf16):
    for shape in ((3, 5), (2, 8), (), (130,)):
        x, n = rand(*shape, dtype=dtype), int(np.prod(shape))
        bits = RNG.integers(0, 2, -(-n // 128) * 128).astype(u8)
        kept = bits[:n].reshape(shape)
        keep = dtype(0.5)
        want = (wide(x) * kept / wide(np.asarray(keep))).astype(dtype)
        case("DropOutDoMask", [x, np.packbits(bits, bitorder="little"), Const(keep, dtype)], want)
        case("DropOutDoMaskV3", [x, kept, Const([keep], dtype)], want)
        case("DropOutDoMaskV3", [x, kept.astype(bool), Const(keep, dtype)], want)
        case("DropOutDoMaskV3D", [x, kept], want, keep_prob=0.5)
case("DropOutDoMask", [np.array([np.inf, 1], f32), np.zeros(16, u8), Const(0.5, f32)], np.zeros(2, f32))

# Optimisers: var, state, then numbers.
T = ((3, 4), (1,), (), (5,))
for dtype in (f32, f16, bf16):
    var, a, b, g = (rand(*((3, 4)), dtype=dtype, low=0.5) for _ in range(4))
    s = [np.array(v, dtype) for v in (0.1, 0.9, 0.5, 0.25, 0.75, 0.125)]
    wv, wa, wb, wg = (wide(v).astype(f64) for v in (var, a, b, g))
    w = [float(wide(v)) for v in s]
    out = lambda *values: [Loose(v.astype(dtype), {f32: 1e-4, f16: 6e-3, bf16: 4e-2}[dtype]) for v in values]
    case("ApplyGradientDescent", [var, s[0], g], out(wv - w[0] * wg))
    for name in ("ApplyMomentum", "ApplyMomentumD"):
        accum = wa * w[1] + wg
        case(name, [var, a, s[0], g, s[1]], out(wv - accum * w[0], accum), use_nesterov=False)
        case(name, [var, a, s[0].reshape(1), g, s[1]], out(wv - (wg + accum * w[1]) * w[0], accum), use_nesterov=True)
    for name in ("ApplyAdam", "ApplyAdamD"):
        p1, p2, lr, b1, b2, eps = w
        m, v = b1 * wa + (1 - b1) * wg, b2 * wb + (1 - b2) * wg * wg
        rate = lr * np.sqrt(1 - p2) / (1 - p1)
        case(name, [var, a, b, *s, g], out(wv - rate * m / (np.sqrt(v) + eps), m, v), use_nesterov=False)
        case(name, [var, a, b, *s, g], out(wv - rate * (b1 * m + (1 - b1) * wg) / (np.sqrt(v) + eps), m, v), use_nesterov=True)
    p1, lr, b1, b2, eps = w[:5]
    m, v = b1 * wa + (1 - b1) * wg, np.maximum(b2 * wb, abs(wg))
    case("ApplyAdaMax", [var, a, b, *s[:5], g], out(wv - lr / (1 - p1) * m / (v + eps), m, v))
    for name in ("ApplyAdagrad", "ApplyAdagradD"):
        accum = wa + wg * wg
        case(name, [var, a, s[0], g], out(wv - w[0] * wg / np.sqrt(accum), accum))
        case(name, [var, a, s[0], g], out(wv - w[0] * wg / np.sqrt(wa), wa), update_slots=False)
    case("ApplyAdagradV2", [var, a, s[0], s[1], g], out(wv - w[0] * wg / (np.sqrt(accum) + w[1]), accum))
    lr, rho, eps = w[:3]
    accum = rho * wa + (1 - rho) * wg * wg
    step = np.sqrt(wb + eps) / np.sqrt(accum + eps) * wg
    case("ApplyAdadelta", [var, a, b, *s[:3], g], out(wv - lr * step, accum, rho * wb + (1 - rho) * step * step))
    lr, rho, mu, eps = w[:4]
    ms = rho * wa + (1 - rho) * wg * wg
    mom = mu * wb + lr * wg / np.sqrt(ms + eps)
    case("ApplyRMSProp", [var, a, b, *s[:4], g], out(wv - mom, ms, mom))
    case("ApplyRMSPropD", [var, a, b, s[0], g], out(wv - mom, ms, mom), rho=rho, momentum=mu, epsilon=eps)
case("ApplyAdam", [var, a, b, *s, g], [var], refuse="output 1 is missing")

# The scale of mixed precision: scale, good steps, whether a gradient was infinite.
for shape in ((1,), ()):
    for scale, steps, inf, want, left in (
        (64, 0, 0, 64, 1),
        (64, 2, 0, 128, 0),
        (64, 5, 0, 64, 6),
        (64, 2, 1, 32, 0),
        (3e38, 2, 0, 3e38, 0),
    ):
        inputs = [np.full(shape, scale, f32), np.full(shape, steps, i32), np.full(shape, inf, f32)]
        case("AmpUpdateScale", inputs, [np.full(shape, want, f32), np.full(shape, left, i32)],
             growth_factor=2.0, backoff_factor=0.5, growth_interval=3)
case("AmpUpdateScale", inputs, inputs[:1], refuse="output 1 is missing", growth_factor=2.0, backoff_factor=0.5, growth_interval=3)
