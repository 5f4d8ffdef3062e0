//! Functions of one number.

use super::{Row, row};
use crate::Why;
use crate::context::Context;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row("Abs", "x: |x|", |cx| number(cx, Val::abs)),
    row("Neg", "x: -x", |cx| number(cx, |x| -x)),
    row("Sign", "x: -1, 0 or 1", |cx| number(cx, Val::sign)),
    row("Square", "x: x²", |cx| number(cx, Val::square)),
    row("Sqrt", "x: the square root", |cx| float(cx, Val::sqrt)),
    row("Rsqrt", "x: 1 / the square root", |cx| {
        float(cx, |x| x.sqrt().reciprocal())
    }),
    row("Reciprocal", "x: 1 / x", |cx| float(cx, Val::reciprocal)),
    row("Inv", "x: 1 / x", |cx| float(cx, Val::reciprocal)),
    row(
        "Exp",
        "x; base = -1 (e), scale = 1, shift = 0: base^(scale * x + shift)",
        |cx| {
            let (inner, log_base) = scaled(cx)?;
            cx.give(0, log_base.map_or(inner, |log| inner * log).exp())
        },
    ),
    row(
        "Log",
        "x; base = -1 (e), scale = 1, shift = 0: log of scale * x + shift",
        |cx| {
            let (inner, log_base) = scaled(cx)?;
            let log = inner.log();
            cx.give(0, log_base.map_or(log, |base| log / base))
        },
    ),
    row("Expm1", "x: exp(x) - 1", |cx| float(cx, expm1)),
    row("Log1p", "x: log(1 + x)", |cx| float(cx, log1p)),
    row("Sin", "x", |cx| float(cx, |x| x.unary("Sin"))),
    row("Cos", "x", |cx| float(cx, |x| x.unary("Cos"))),
    row("Tan", "x", |cx| float(cx, |x| x.unary("Tan"))),
    row("Asin", "x", |cx| float(cx, |x| x.unary("Asin"))),
    row("Acos", "x", |cx| float(cx, |x| x.unary("Acos"))),
    row("Atan", "x", |cx| float(cx, |x| x.unary("Atan"))),
    row("Sinh", "x", |cx| float(cx, |x| x.unary("Sinh"))),
    row("Cosh", "x", |cx| float(cx, |x| x.unary("Cosh"))),
    row("Asinh", "x", |cx| float(cx, |x| x.unary("Asinh"))),
    row("Acosh", "x", |cx| float(cx, |x| x.unary("Acosh"))),
    row("Atanh", "x", |cx| float(cx, |x| x.unary("Atanh"))),
    row("Erf", "x: the error function", |cx| float(cx, Val::erf)),
    row("Erfc", "x: 1 - the error function", |cx| float(cx, erfc)),
    row("Erfinv", "x: the inverse of the error function", |cx| {
        float(cx, erfinv)
    }),
    row("Floor", "x: rounded down", |cx| float(cx, Val::floor)),
    row("Ceil", "x: rounded up", |cx| float(cx, Val::ceil)),
    row("Rint", "x: rounded, halves to even", |cx| {
        float(cx, Val::round)
    }),
    row("Trunc", "x: rounded towards 0", |cx| {
        number(cx, |x| if x.element().is_float() { x.trunc() } else { x })
    }),
    row("Round", "x; decimals = 0: rounded, halves to even", |cx| {
        let decimals = cx.int_or("decimals", 0)?.clamp(-38, 38);
        #[allow(clippy::cast_possible_truncation, reason = "it was clamped")]
        let scale = 10_f32.powi(decimals as i32);
        number(cx, |x| match decimals {
            _ if !x.element().is_float() => x,
            0 => x.round(),
            _ => (x * scale).round() / scale,
        })
    }),
    row("SqrtGrad", "y, dy: dy / (2 y)", |cx| {
        grad(cx, |y, dy| dy * 0.5 / y)
    }),
    row("RsqrtGrad", "y, dy: -dy y³ / 2", |cx| {
        grad(cx, |y, dy| dy * -0.5 * y * y * y)
    }),
    row("ReciprocalGrad", "y, dy: -dy y²", |cx| {
        grad(cx, |y, dy| -dy * y * y)
    }),
    row("InvGrad", "y, dy: -dy y²", |cx| {
        grad(cx, |y, dy| -dy * y * y)
    }),
];

fn number<'c>(cx: &'c Context<'c>, formula: impl Fn(Val<'c>) -> Val<'c>) -> Result<(), Why> {
    cx.give(0, formula(cx.number(0)?))
}

pub(super) fn float<'c>(
    cx: &'c Context<'c>,
    formula: impl Fn(Val<'c>) -> Val<'c>,
) -> Result<(), Why> {
    cx.give(0, formula(cx.float(0)?))
}

/// A gradient from two tensors of floating-point numbers, in the order in which they come.
pub(super) fn grad<'c>(
    cx: &'c Context<'c>,
    formula: impl Fn(Val<'c>, Val<'c>) -> Val<'c>,
) -> Result<(), Why> {
    cx.give(0, formula(cx.float(0)?, cx.float(1)?))
}

/// `scale * x + shift`, and the natural logarithm of the base if there is another base than e.
fn scaled<'c>(cx: &'c Context<'c>) -> Result<(Val<'c>, Option<f32>), Why> {
    let mut inner = cx.float(0)?;
    let scale = cx.real_or("scale", 1.0)?;
    let shift = cx.real_or("shift", 0.0)?;
    let base = cx.real_or("base", -1.0)?;
    if scale.to_bits() != 1_f32.to_bits() {
        inner = inner * scale;
    }
    if shift != 0.0 {
        inner = inner + shift;
    }
    Ok((inner, (base > 0.0).then(|| base.ln())))
}

/// What rounding takes from `1 + x`, the quotient gives back.
fn log1p(x: Val<'_>) -> Val<'_> {
    let sum = x + 1.0;
    let lost = sum.is(1.0);
    let rest = lost.choose(x.like(1.0), sum - 1.0);
    let log = sum.log();
    let small = x.abs().below(1.0);
    small.choose(lost.choose(x, log * x / rest), log)
}

/// The same for `exp(x) - 1`.
fn expm1(x: Val<'_>) -> Val<'_> {
    let power = x.exp();
    let lost = power.is(1.0);
    let log = lost.choose(x.like(1.0), power.log());
    let small = x.abs().below(0.5);
    let exact = lost.choose(x, (power - 1.0) * x / log);
    small.choose(exact, power - 1.0)
}

fn polynomial<'c>(x: Val<'c>, coefficients: &[f32]) -> Val<'c> {
    let mut sum = x.like(0.0);
    for coefficient in coefficients {
        sum = sum * x + *coefficient;
    }
    sum
}

/// A fit by exp(-x²) times a polynomial, good to seven digits even where the difference from 1 has lost all.
fn erfc(x: Val<'_>) -> Val<'_> {
    const FIT: [f32; 10] = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_9,
        -1.135_204,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_7,
        -1.265_512_2,
    ];
    let far = x.abs();
    let t = (far * 0.5 + 1.0).reciprocal();
    let tail = t * (polynomial(t, &FIT) - far * far).exp();
    let tail = x.below(0.0).choose(2.0 - tail, tail);
    far.below(0.5).choose(1.0 - x.erf(), tail)
}

/// Giles's two polynomials in log(1 - x²), one for the middle and one for the ends.
pub(super) fn erfinv(x: Val<'_>) -> Val<'_> {
    const MIDDLE: [f32; 9] = [
        2.810_226_4e-8,
        3.432_739_4e-7,
        -3.523_387_7e-6,
        -4.391_506_5e-6,
        0.000_218_580_87,
        -0.001_253_725,
        -0.004_177_681_6,
        0.246_640_73,
        1.501_409_4,
    ];
    const ENDS: [f32; 9] = [
        -0.000_200_214_26,
        0.000_100_950_56,
        0.001_349_343_2,
        -0.003_673_428_4,
        0.005_739_507_7,
        -0.007_622_461_3,
        0.009_438_870_5,
        1.001_674,
        2.832_976_8,
    ];
    let w = -((1.0 - x) * (x + 1.0)).log();
    let middle = polynomial(w - 2.5, &MIDDLE);
    let ends = polynomial(w.sqrt() - 3.0, &ENDS);
    let inside = x * w.below(5.0).choose(middle, ends);
    let edge = x * f32::INFINITY;
    x.abs().is(1.0).choose(edge, inside)
}
