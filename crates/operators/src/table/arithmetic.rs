//! Arithmetic on two tensors that are broadcast against each other, and its combinations.

use super::{Row, row};
use crate::context::Context;
use crate::flow::Val;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row("Add", "x1, x2: x1 + x2", |cx| pair(cx, |a, b| a + b)),
    row("AddV2", "x1, x2: x1 + x2", |cx| pair(cx, |a, b| a + b)),
    row("Sub", "x1, x2: x1 - x2", |cx| pair(cx, |a, b| a - b)),
    row("Mul", "x1, x2: x1 * x2", |cx| pair(cx, |a, b| a * b)),
    row("Div", "x1, x2: x1 / x2, integers towards 0", |cx| {
        pair(cx, |a, b| a / b)
    }),
    row("RealDiv", "x1, x2: x1 / x2", |cx| pair(cx, |a, b| a / b)),
    row("Maximum", "x1, x2: the greater one", |cx| {
        pair(cx, Val::max)
    }),
    row("Minimum", "x1, x2: the lesser one", |cx| pair(cx, Val::min)),
    row("AddN", "x0, x1, ...; N: their sum", add_n),
    row("AccumulateNV2", "x0, x1, ...; N: their sum", add_n),
    row("Axpy", "x1, x2; alpha: x1 + alpha * x2", |cx| {
        let alpha = cx.real("alpha")?;
        pair(cx, |a, b| a + b * alpha)
    }),
    row("AxpyV2", "x1, x2, alpha: x1 + alpha * x2", |cx| {
        let [a, b, alpha] = [cx.number(0)?, cx.number(1)?, cx.number(2)?];
        cx.give(0, a + alpha * b)
    }),
    row("Addcmul", "x, x1, x2, value: x + value * x1 * x2", |cx| {
        let [x, a, b, value] = four(cx)?;
        cx.give(0, x + value * a * b)
    }),
    row("Addcdiv", "x, x1, x2, value: x + value * x1 / x2", |cx| {
        let [x, a, b, value] = four(cx)?;
        cx.give(0, x + value * a / b)
    }),
    row(
        "Lerp",
        "start, end, weight: start + weight * (end - start)",
        |cx| {
            let [start, end, weight] = [cx.number(0)?, cx.number(1)?, cx.number(2)?];
            cx.give(0, start + weight * (end - start))
        },
    ),
    row("FusedMulAdd", "x1, x2, x3: x1 * x2 + x3", mul_add),
    row("FusedMulAddN", "x1, x2, x3: x1 * x2 + x3", mul_add),
    row("Adds", "x; value: x + value", |cx| {
        let value = cx.real("value")?;
        cx.give(0, cx.number(0)? + value)
    }),
    row("Muls", "x; value: x * value", |cx| {
        let value = cx.real("value")?;
        cx.give(0, cx.number(0)? * value)
    }),
    row("Pow", "x1, x2: x1 to the power of x2", |cx| pair(cx, pow)),
    row("SquaredDifference", "x1, x2: (x1 - x2)²", |cx| {
        pair(cx, |a, b| (a - b).square())
    }),
    row("DivNoNan", "x1, x2: x1 / x2, and 0 where x2 is 0", |cx| {
        pair(cx, |a, b| {
            let zero = b.is(0.0);
            // Nothing is divided by 0, which integers cannot be.
            zero.choose(a.like(0.0), a / zero.choose(b.like(1.0), b))
        })
    }),
    row("Xdivy", "x1, x2: x1 / x2, and 0 where x1 is 0", |cx| {
        pair(cx, |a, b| (a / b).where_true(a.is(0.0).not()))
    }),
    row("Xlogy", "x1, x2: x1 * log(x2), and 0 where x1 is 0", |cx| {
        pair(cx, |a, b| (a * b.log()).where_true(a.is(0.0).not()))
    }),
    row("FloorDiv", "x1, x2: x1 / x2, rounded down", |cx| {
        pair(cx, floor_div)
    }),
    row(
        "FloorMod",
        "x1, x2: the remainder, with the sign of x2",
        |cx| pair(cx, floor_mod),
    ),
    row("Mod", "x1, x2: the remainder, with the sign of x1", |cx| {
        pair(cx, remainder)
    }),
    row(
        "TruncateMod",
        "x1, x2: the remainder, with the sign of x1",
        |cx| pair(cx, remainder),
    ),
    row("TruncateDiv", "x1, x2: x1 / x2, towards 0", |cx| {
        pair(cx, |a, b| {
            let quotient = a / b;
            if quotient.element().is_float() {
                quotient.trunc()
            } else {
                quotient
            }
        })
    }),
    row("Atan2", "x1, x2: the angle of the point (x2, x1)", |cx| {
        pair(cx, atan2)
    }),
    row(
        "LogAddExp",
        "x1, x2; base = -1 (e), scale = 1, shift = 0: log of base^(scale * x1 + shift) + base^(scale * x2 + shift)",
        |cx| {
            let base = cx.real_or("base", -1.0)?;
            let rate = if base > 0.0 { base.ln() } else { 1.0 };
            let (scale, shift) = (cx.real_or("scale", 1.0)?, cx.real_or("shift", 0.0)?);
            let [a, b] = [cx.float(0)?, cx.float(1)?].map(|it| (it * scale + shift) * rate);
            let most = a.max(b);
            // Two infinities have no difference.
            let apart = (a - b).abs();
            let sum = most + (-apart).softplus();
            cx.give(0, a.equal(b).choose(a + 2_f32.ln(), sum) / rate)
        },
    ),
    row("Dot", "x1, x2: the sum of their products", |cx| {
        pair(cx, |a, b| (a * b).total())
    }),
];

/// A row on two tensors of numbers.
fn pair<'c>(cx: &'c Context<'c>, formula: impl Fn(Val<'c>, Val<'c>) -> Val<'c>) -> Result<(), Why> {
    cx.give(0, formula(cx.number(0)?, cx.number(1)?))
}

fn four<'c>(cx: &'c Context<'c>) -> Result<[Val<'c>; 4], Why> {
    Ok([cx.number(0)?, cx.number(1)?, cx.number(2)?, cx.number(3)?])
}

fn mul_add<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    cx.give(0, cx.number(0)? * cx.number(1)? + cx.number(2)?)
}

fn add_n<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let mut sum = cx.number(0)?;
    for index in 1..cx.count() {
        sum = sum + cx.number(index)?;
    }
    cx.give(0, sum)
}

fn floor_div<'c>(a: Val<'c>, b: Val<'c>) -> Val<'c> {
    if (a + b).element().is_float() {
        return (a / b).floor();
    }
    // The engine's division of integers goes towards 0: one less where a remainder has the other sign.
    let quotient = a / b;
    if matches!(
        quotient.element(),
        Element::U8 | Element::U16 | Element::U32 | Element::U64
    ) {
        return quotient;
    }
    // A quotient by 0 is 0 and has no remainder.
    let inexact = (quotient * b).equal(a).not().and(b.is(0.0).not());
    let opposite = a.below(0.0).cast(Element::I32) + b.below(0.0).cast(Element::I32);
    quotient - inexact.and(opposite.is(1.0)).cast(quotient.element())
}

fn floor_mod<'c>(a: Val<'c>, b: Val<'c>) -> Val<'c> {
    if (a + b).element().is_float() {
        let rest = remainder(a, b);
        let opposite = (rest * b).below(0.0);
        return opposite.choose(rest + b, rest);
    }
    a.apply("Mod", &[b], &[])
}

fn remainder<'c>(a: Val<'c>, b: Val<'c>) -> Val<'c> {
    a.apply("Mod", &[b], &[("fmod", true.into())])
}

/// The engine computes powers of integers as floating-point numbers, which lose bits above the 53rd. So they are multiplied out, modulo
/// 2⁶⁴: for each of the low bits of the exponent once. The rest of the exponent is a multiple of 256, and [`power_of_256`] has a formula
/// for it.
fn pow<'c>(a: Val<'c>, b: Val<'c>) -> Val<'c> {
    const BITS: usize = 8;
    let element = (a + b).element();
    if element.is_float() {
        return a.pow(b);
    }
    let (a, b) = (a.cast(Element::I64), b.cast(Element::I64));
    let (mut power, mut base, mut left) = (a.like(1.0), a, b.abs());
    for _ in 0..BITS {
        let half = left / 2.0;
        let bit = left - half * 2.0;
        power = power * (bit * (base - 1.0) + 1.0);
        base = base.square();
        left = half;
    }
    let is_odd = (a - a / 2.0 * 2.0).is(0.0).not();
    let none_left = left.is(0.0).cast(Element::I64);
    power = power * is_odd.choose(power_of_256(base, left), none_left);
    // A negative power is a fraction, whose whole part is 0 but for 1 and -1.
    let whole = b.above(-1.0).or(a.abs().is(1.0));
    power.where_true(whole).cast(element)
}

/// `base` to the power of `times`, modulo 2⁶⁴, if it is the power of 256 of an odd number. Then it is 1 + d with 2¹⁰ a factor of d, so the
/// binomial series ends: d⁷ is 0. The odd factors of the factorials have inverses modulo 2⁶⁴. Their powers of 2 divide dⁱ, and what a
/// division of the wrapped dⁱ loses at the top, the falling product makes up for, because it has the same power of 2 as a factor.
fn power_of_256<'c>(base: Val<'c>, times: Val<'c>) -> Val<'c> {
    const INVERSE_OF_3: i64 = -6_148_914_691_236_517_205;
    const INVERSE_OF_15: i64 = -1_229_782_938_247_303_441;
    const INVERSE_OF_45: i64 = 5_738_987_045_154_082_725;
    // Of each factorial: its power of 2, and the inverse of the rest.
    const FACTORIALS: [(f32, i64); 6] = [
        (1.0, 1),
        (2.0, 1),
        (2.0, INVERSE_OF_3),
        (8.0, INVERSE_OF_3),
        (8.0, INVERSE_OF_15),
        (16.0, INVERSE_OF_45),
    ];
    let d = base - 1.0;
    let (mut sum, mut power, mut falling) = (base.like(1.0), base.like(1.0), base.like(1.0));
    let mut before = 0.0;
    for (twos, inverse) in FACTORIALS {
        power = power * d;
        falling = falling * (times - before);
        sum = sum + power / twos * falling * base.cx().int_of(inverse);
        before += 1.0;
    }
    sum
}

/// The arctangent of a quotient knows half of the directions; the signs tell the other half.
fn atan2<'c>(y: Val<'c>, x: Val<'c>) -> Val<'c> {
    let pi = std::f32::consts::PI;
    let angle = (y / x).unary("Atan");
    let turn = y.below(0.0).choose(angle - pi, angle + pi);
    let straight = y.sign() * (pi / 2.0);
    let beside = x.below(0.0).choose(turn, angle);
    x.is(0.0).choose(straight, beside)
}
