"""Arithmetic, elementwise functions, comparisons, logic and bits."""

import torch
from operator_table import Table, b, exactly, f, i, scalar

half, brain = torch.float16, torch.bfloat16
case = Table()

# Two tensors, broadcast.
PAIRS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
}
for name, function in PAIRS.items():
    case(name, function, f(2, 3), f(2, 3, low=0.5))
    case(f"{name} broadcast", function, f(4, 1, 3), f(2, 1, low=0.5))
    case(f"{name} half", function, f(2, 3, dtype=half), f(2, 3, low=0.5, dtype=half))
    case(f"{name} bfloat16", function, f(2, 3, dtype=brain), f(3, low=0.5, dtype=brain))
    case(f"{name} int32", function, i(2, 3, dtype=torch.int32), i(2, 3, low=1, dtype=torch.int32))
    case(f"{name} int64", function, i(2, 3), i(3, low=1))
    case(f"{name} without elements", function, f(0, 3), f(1, 3))
    case(f"{name} without dimensions", function, f(), f(low=0.5))

case("add number", lambda x: x + 2, f(2, 3))
case("add alpha", lambda x, y: torch.add(x, y, alpha=0.5), f(2, 3), f(2, 3))
case("sub alpha", lambda x, y: torch.sub(x, y, alpha=3), f(2, 3), f(3))
case("add int alpha", lambda x, y: torch.add(x, y, alpha=3), i(2, 3), i(3))
case("rsub", lambda x: 3 - x, f(2, 3))
case("reflected division", lambda x: 1 / x, f(2, 3, low=0.5))
case("mul number half", lambda x: x * 0.1, f(2, 3, dtype=half))
case("add uint8 wraps", lambda x, y: x + y, i(2, 9, low=100, high=250, dtype=torch.uint8), i(2, 9, low=100, high=250, dtype=torch.uint8))
case("add int8 wraps", lambda x, y: x + y, i(2, 9, low=60, high=127, dtype=torch.int8), i(2, 9, low=60, high=127, dtype=torch.int8))
case("mul int16", lambda x, y: x * y, i(2, 9, dtype=torch.int16), i(2, 9, dtype=torch.int16))
case("add large int64", lambda x: x + 1, exactly(2**53 + 1, -(2**53) - 1, 2**62))
case("mul bool and float", lambda x, y: x * y, f(2, 3), b(2, 3))
case("add int64 and float", lambda x, y: x + y, f(2, 3), i(2, 3), grad=False)
case("add half and float", lambda x, y: x + y, f(2, 3, dtype=half), f(2, 3))
case("add bool", lambda x, y: x + y, b(2, 9), b(2, 9))
case("mul bool", lambda x, y: x * y, b(2, 9), b(2, 9))
case("div int64 is true division", lambda x, y: x / y, i(2, 3), i(2, 3, low=1))
case("floor division", lambda x, y: x // y, f(2, 9, low=-9, high=9), f(2, 9, low=0.5), grad=False)
case("floor division int64", lambda x, y: x // y, i(2, 9, low=-20, high=20), i(2, 9, low=1, high=5))
case("floor division by number", lambda x: x // 3, i(2, 9, low=-20, high=20))
case("div trunc", lambda x, y: torch.div(x, y, rounding_mode="trunc"), f(2, 9, low=-9, high=9), f(2, 9, low=0.5), grad=False)
case("div floor", lambda x, y: torch.div(x, y, rounding_mode="floor"), f(2, 9, low=-9, high=9), f(2, 9, low=0.5), grad=False)
case("div trunc int64", lambda x, y: torch.div(x, y, rounding_mode="trunc"), i(2, 9, low=-20, high=20), i(2, 9, low=1, high=5))
case("remainder", lambda x: torch.remainder(x, 1.5), f(2, 9, low=-9, high=9), grad=False)
case("remainder int64", lambda x: x % 3, i(2, 9, low=-20, high=20))
case("remainder int64 tensor", lambda x, y: x % y, i(2, 9, low=-20, high=20), i(2, 9, low=1, high=7))
case("remainder int64 negative", lambda x, y: x % y, i(2, 9, low=-20, high=20), i(2, 9, low=-7, high=0))
case("fmod", lambda x: torch.fmod(x, 1.5), f(2, 9, low=-9, high=9), grad=False)
case("fmod tensor", torch.fmod, f(2, 9, low=-9, high=9), f(2, 9, low=0.5, high=3), grad=False)
case("pow number", lambda x: x**3, f(2, 3))
case("pow half number", lambda x: x**0.5, f(2, 3, low=0.1))
case("pow tensor", torch.pow, f(2, 3, low=0.1), f(2, 3))
case("pow of number", lambda x: 2**x, f(2, 3))
case("pow int64", lambda x: x**2, i(2, 3))
case("square", torch.square, f(2, 3))
case("square int64", torch.square, i(2, 3))
case("addcmul", lambda x, y, z: torch.addcmul(x, y, z, value=0.5), f(2, 3), f(2, 3), f(3))
case("addcdiv", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), f(2, 3), f(2, 3), f(2, 3, low=0.5))
case("lerp number", lambda x, y: torch.lerp(x, y, 0.3), f(2, 3), f(2, 3))
case("lerp tensor", torch.lerp, f(2, 3), f(2, 3), f(2, 3))
case("atan2", torch.atan2, f(3, 5), f(3, 5), grad=False)
case("hypot by sqrt", lambda x, y: torch.sqrt(x * x + y * y), f(2, 3), f(2, 3))
case("logaddexp", torch.logaddexp, f(2, 3), f(2, 3), grad=False)
case("cross", lambda x, y: torch.cross(x, y, dim=-1), f(4, 3), f(4, 3), grad=False)
case("xlogy", torch.xlogy, f(2, 3), f(2, 3, low=0.1), grad=False)

case("logaddexp2", torch.logaddexp2, f(2, 3), f(2, 3), grad=False)
case("heaviside", torch.heaviside, i(2, 5, dtype=torch.float32), f(5), grad=False)
case("copysign", torch.copysign, f(2, 5), f(5), grad=False)
case("hypot", torch.hypot, f(2, 3), f(2, 3), grad=False)
case("fmax", torch.fmax, exactly(float("nan"), 1.0, 3.0), exactly(1.0, float("nan"), 2.0), grad=False)
case("gcd", torch.gcd, i(2, 5, low=1, high=30), i(5, low=1, high=30))

# In place.
case("add_", lambda x, y: x.clone().add_(y), f(2, 3), f(3))
case("add_ alpha", lambda x, y: x.clone().add_(y, alpha=0.1), f(2, 3), f(3))
case("sub_", lambda x, y: x.clone().sub_(y), f(2, 3), f(3))
case("mul_", lambda x, y: x.clone().mul_(y), f(2, 3), f(3))
case("div_", lambda x, y: x.clone().div_(y), f(2, 3), f(3, low=0.5))
case("mul_ itself", lambda x: x.clone().mul_(3).add_(x), f(2, 3))
case("add_ on a part", lambda x: torch.cat([x, x]).clone()[1:3].add_(1), f(2, 3))
case("add_ through a view", lambda x: (y := x.clone(), y[:, 1].add_(1), y)[2], f(2, 3), grad=False)
case("add_ transposed", lambda x, y: (z := x.clone(), z.t().add_(y), z)[2], f(2, 3), f(3, 2), grad=False)
case("clamp_", lambda x: x.clone().clamp_(-1, 1), f(3, 5))
case("neg_", lambda x: x.clone().neg_(), f(2, 3))
case("zero_", lambda x: x.clone().zero_(), f(2, 3), grad=False)
case("fill_", lambda x: x.clone().fill_(2.5), f(2, 3), grad=False)
case("sqrt_", lambda x: x.clone().sqrt_(), f(2, 3, low=0.1))
case("exp_", lambda x: x.clone().exp_(), f(2, 3))
case("pow_", lambda x: x.clone().pow_(2), f(2, 3), grad=False)
case("addcmul_", lambda x, y: x.clone().addcmul_(y, y, value=0.1), f(2, 3), f(2, 3), grad=False)
case("addcdiv_", lambda x, y: x.clone().addcdiv_(y, y.abs() + 1, value=-0.1), f(2, 3), f(2, 3), grad=False)
case("lerp_", lambda x, y: x.clone().lerp_(y, 0.1), f(2, 3), f(2, 3), grad=False)
case("copy_ other type", lambda x, y: x.clone().copy_(y), f(2, 3), i(2, 3), grad=False)
case("copy_ broadcast", lambda x, y: x.clone().copy_(y), f(2, 3), f(3), grad=False)
case("out=", lambda x, y: torch.add(x, y, out=torch.empty_like(x)), f(2, 3), f(2, 3), grad=False)

# Elementwise functions, with gradients.
EVERYWHERE = "abs sin cos tan atan sinh cosh asinh exp expm1 erf erfc sigmoid tanh neg sign floor ceil round trunc frac exp2 deg2rad sgn"
case.each(EVERYWHERE, lambda name: getattr(torch, name), f(3, 5))
POSITIVE = "log log2 log10 log1p sqrt rsqrt reciprocal"
case.each(POSITIVE, lambda name: getattr(torch, name), f(3, 5, low=0.1))
case.each("asin acos atanh erfinv", lambda name: getattr(torch, name), f(3, 5, low=-0.9, high=0.9))
case("acosh", torch.acosh, f(3, 5, low=1.1, high=3))
for name in "abs exp sin sqrt log sigmoid tanh rsqrt neg floor round".split():
    function = getattr(torch, name)
    case(f"{name} half", function, f(3, 5, low=0.1, dtype=half))
    case(f"{name} bfloat16", function, f(3, 5, low=0.1, dtype=brain))
case("abs int64", torch.abs, i(3, 5))
case("neg int32", torch.neg, i(3, 5, dtype=torch.int32))
case("sign int64", torch.sign, i(3, 5))
case("round decimals", lambda x: torch.round(x, decimals=2), f(3, 5))
case("round ties to even", torch.round, exactly(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5))
case("expm1 near 0", torch.expm1, exactly(-1e-6, 1e-7, 3e-5), atol=0)
case("log1p near 0", torch.log1p, exactly(-1e-6, 1e-7, 3e-5), atol=0)
case("erfc far out", torch.erfc, exactly(3.0, 5.0, 9.0), atol=0, rtol=1e-3, grad=False)
case("exp not contiguous", lambda x: torch.exp(x.t()), f(3, 5))
case("exp of every second", lambda x: torch.exp(x[:, ::2]), f(3, 5))
case("exp expanded", lambda x: torch.exp(x.expand(4, 5)), f(1, 5))
case("log of 0 and below", torch.log, exactly(0.0, -1.0, 1.0), grad=False)
case("sqrt below 0", torch.sqrt, exactly(-1.0, 4.0), grad=False)
case("nan_to_num", torch.nan_to_num, exactly(float("nan"), float("inf"), -float("inf"), 1.0))
case("nan_to_num values", lambda x: torch.nan_to_num(x, 1.0, 2.0, 3.0), exactly(float("nan"), float("inf"), -float("inf"), 1.0))
case("digamma by the host", torch.digamma, f(3, low=0.5), grad=False)
case("sinc", torch.sinc, f(3, 5), grad=False)
case("logit", torch.logit, f(3, 5, low=0.1, high=0.9), grad=False)

# Clamping.
case("clamp", lambda x: x.clamp(-0.5, 0.5), f(3, 5))
case("clamp below", lambda x: x.clamp(min=0.5), f(3, 5))
case("clamp above", lambda x: x.clamp(max=0.5), f(3, 5))
case("clamp tensors", torch.clamp, f(3, 5), f(5, high=-1), f(5, low=1), grad=False)
case("clamp int64", lambda x: x.clamp(-2, 2), i(3, 5))
case("clamp nan", lambda x: x.clamp(-1, 1), exactly(float("nan"), 2.0, -3.0), grad=False)
case("clamp half", lambda x: x.clamp(min=0), f(3, 5, dtype=half))
case("relu of integers by clamp", lambda x: x.clamp_min(0), i(3, 5))

# Comparisons.
for name in "eq ne lt le gt ge".split():
    function = getattr(torch, name)
    case(name, function, f(3, 5), f(5))
    case(f"{name} number", lambda x, function=function: function(x, 1), i(3, 5))
    case(f"{name} bfloat16", function, i(3, 5, dtype=brain), i(3, 5, dtype=brain), grad=False)
case("eq nan", lambda x: x == x, exactly(float("nan"), 1.0))
case("eq bool", torch.eq, b(3, 5), b(3, 5))
case("lt int and float", lambda x: x < 0.5, i(3, 5))
case("isnan", torch.isnan, exactly(float("nan"), float("inf"), 1.0))
case("isinf", torch.isinf, exactly(float("nan"), float("inf"), -float("inf"), 1.0))
case("isfinite", torch.isfinite, exactly(float("nan"), float("inf"), 1.0))
case("isclose", torch.isclose, exactly(1.0, 2.0, 3.0), exactly(1.0, 2.00001, 3.1))
case("allclose", lambda x: torch.allclose(x, x + 1e-9), f(3, 5), grad=False)
case("equal", lambda x: torch.equal(x, x.clone()), f(3, 5), grad=False)
case("equal not", lambda x: torch.equal(x, x + 1), f(3, 5), grad=False)
case("maximum nan", torch.maximum, exactly(float("nan"), 1.0), exactly(1.0, float("nan")), grad=False)

# Logic and bits.
for name in "logical_and logical_or logical_xor".split():
    case(name, getattr(torch, name), b(3, 5), b(3, 5))
case("logical_not", torch.logical_not, b(3, 5))
case("logical_and numbers", torch.logical_and, i(3, 5, low=0, high=2), f(3, 5), grad=False)
case("and", lambda x, y: x & y, b(3, 5), b(3, 5))
case("or", lambda x, y: x | y, b(3, 5), b(3, 5))
case("xor", lambda x, y: x ^ y, b(3, 5), b(3, 5))
case("not", lambda x: ~x, b(3, 5))
case("and int64", lambda x, y: x & y, i(3, 5), i(3, 5))
case("or int32", lambda x, y: x | y, i(3, 5, dtype=torch.int32), i(3, 5, dtype=torch.int32))
case("xor int64", lambda x, y: x ^ y, i(3, 5), i(3, 5))
case("not int32", lambda x: ~x, i(3, 5, dtype=torch.int32))
case("shift left", lambda x: x << 2, i(3, 5, low=0))
case("shift right", lambda x: x >> 1, i(3, 5, low=0, high=90))
case("where", lambda c, x, y: torch.where(c, x, y), b(3, 5), f(3, 5), f(5))
case("where number", lambda c, x: torch.where(c, x, 0.0), b(3, 5), f(3, 5))
case("where int64", lambda c, x, y: torch.where(c, x, y), b(3, 5), i(3, 5), i(3, 1))
case("where half", lambda c, x, y: torch.where(c, x, y), b(3, 5), f(3, 5, dtype=half), f(3, 5, dtype=half))

# Types.
TYPES = [torch.float32, half, brain, torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8, torch.bool]
for to in TYPES:
    case(f"float to {to}", lambda x, to=to: x.to(to), f(3, 5, low=0, high=90), grad=False)
    case(f"int64 to {to}", lambda x, to=to: x.to(to), i(3, 5, low=0, high=90))
    case(f"bool to {to}", lambda x, to=to: x.to(to), b(3, 5))
case("negative float to int32", lambda x: x.int(), f(3, 5, low=-9, high=9))
case("half to float", lambda x: x.float(), f(3, 5, dtype=half))
case("bfloat16 to half", lambda x: x.half(), f(3, 5, dtype=brain), grad=False)
case("float to bfloat16 rounds to even", lambda x: x.bfloat16(), exactly(1.00390625, 1.01171875, 3.0e38, 1e-40))
case("scalar to python", lambda x: (x.item(), x.long().item(), bool(x > 0)), scalar(2.5), grad=False)

test = case.test()
