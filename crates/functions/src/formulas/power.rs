//! Powers, and functions of two real numbers.

use std::f64::consts::LN_2;

use millpond_kernels::special::single;
use millpond_kernels::{Complex64, Compute, Element, Float, floats};

use super::elementwise::{Pair, Side, expect_kind, one, wholes, zip};
use super::unary;
use crate::plan::Planned;
use crate::promote::{Category, as_float, category, check_result, with_scalar};
use crate::require;
use crate::scalar::{Number, Scalar};
use crate::tensor::Tensor;

/// The power of an integer, wrapped. Of those with negative exponents only 1 and −1 are integers; the others give 0.
fn integer_power<C: Compute + PartialOrd>(base: C, exponent: C) -> C {
    let one = C::from_i64(1);
    let mut rest = exponent.to_i64().cast_unsigned();
    if exponent < C::default() {
        return match (base == one, base == C::from_i64(-1), rest.is_multiple_of(2)) {
            (true, ..) | (_, true, true) => one,
            (_, true, false) => base,
            _ => C::default(),
        };
    }
    let (mut power, mut square) = (one, base);
    while rest > 0 {
        if rest % 2 == 1 {
            power = power.mul(square);
        }
        square = square.mul(square);
        rest /= 2;
    }
    power
}

fn complex_power(base: Complex64, exponent: Complex64) -> Complex64 {
    if exponent == Complex64::default() {
        return Complex64::new(1.0, 0.0);
    }
    if base == Complex64::default() && exponent.re > 0.0 {
        return Complex64::default();
    }
    base.powc(exponent)
}

/// base to the exponent.
pub(crate) fn pow(base: Side<'_>, exponent: Side<'_>, out: &Tensor) -> Planned {
    let pair = Pair::of(base, exponent, out)?;
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Int, Category::Complex)?;
    pair.step(element, out, move |a, b, out| match category(element) {
        Category::Complex => {
            zip::<Complex64, Complex64>(a, b, out, complex_power);
        }
        Category::Float => floats!(element, C => zip::<C, C>(a, b, out, C::powf)),
        _ => wholes!(element, C => zip::<C, C>(a, b, out, integer_power)),
    })
}

/// The elements to a power that is the same for all.
#[expect(
    clippy::float_cmp,
    reason = "only these very exponents have other forms"
)]
pub(crate) fn pow_scalar(base: &Tensor, exponent: &Scalar, out: &Tensor) -> Planned {
    let element = with_scalar(base.element(), exponent);
    if let Number::Int(value) = exponent.number {
        require!(
            value >= 0 || category(element) >= Category::Float,
            "'exponent' is {value}, but 'self' has integers: their powers with negative exponents are not integers"
        );
    }
    if category(element) == Category::Float && category(exponent.element) != Category::Complex {
        let value = exponent.real();
        // The usual ones have faster forms.
        if value == 0.5 {
            return unary::sqrt(base, out);
        }
        if value == -0.5 {
            return unary::rsqrt(base, out);
        }
        if value == -1.0 {
            return unary::reciprocal(base, out);
        }
        if value == 2.0 || value == 3.0 {
            check_result(element, out)?;
            return one(base, element, out, move |x, out| {
                floats!(element, C => {
                    if value == 2.0 {
                        millpond_kernels::map::map1::<C, C>(x, out, |x| x * x);
                    } else {
                        millpond_kernels::map::map1::<C, C>(x, out, |x| x * x * x);
                    }
                });
            });
        }
    }
    pow(base.into(), exponent.into(), out)
}

/// A function of two real numbers; integers are computed as `float`.
fn real(
    a: Side<'_>,
    b: Side<'_>,
    out: &Tensor,
    narrow: fn(f32, f32) -> f32,
    wide: fn(f64, f64) -> f64,
) -> Planned {
    let pair = Pair::of(a, b, out)?;
    let element = as_float(pair.element);
    check_result(element, out)?;
    expect_kind(element, Category::Float, Category::Float)?;
    pair.step(element, out, move |a, b, out| {
        if element == Element::F64 {
            zip::<f64, f64>(a, b, out, wide);
        } else {
            zip::<f32, f32>(a, b, out, narrow);
        }
    })
}

/// The angle of the point (b, a).
pub(crate) fn atan2(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    real(a.into(), b.into(), out, f32::atan2, f64::atan2)
}

fn log_sum<C: Float>(a: C, b: C, smooth: impl Fn(C) -> C) -> C {
    // Of equal infinities the difference is NaN.
    if a == b && a.abs() == C::of(f64::INFINITY) {
        return a;
    }
    a.max_nan(b).add(smooth(C::of(0.0).sub(a.sub(b).abs())))
}

/// ln(exp(a) + exp(b)), without overflow.
pub(crate) fn log_add_exp(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    real(
        a.into(),
        b.into(),
        out,
        |a, b| log_sum(a, b, |less| less.exp().ln_1p()),
        |a, b| log_sum(a, b, |less| less.exp().ln_1p()),
    )
}

/// log₂(2ᵃ + 2ᵇ), without overflow.
pub(crate) fn log_add_exp2(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    real(
        a.into(),
        b.into(),
        out,
        |a, b| log_sum(a, b, |less| less.exp2().ln_1p() / single(LN_2)),
        |a, b| log_sum(a, b, |less| less.exp2().ln_1p() / LN_2),
    )
}

fn x_log_y_of<C: Float>(x: C, y: C) -> C {
    if y.is_nan() {
        y
    } else if x == C::of(0.0) {
        x
    } else {
        x.mul(y.ln())
    }
}

/// a · ln(b), and 0 where a is 0.
pub(crate) fn x_log_y(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Planned {
    real(a, b, out, x_log_y_of::<f32>, x_log_y_of::<f64>)
}

/// A complex number from its parts.
pub(crate) fn complex(re: &Tensor, im: &Tensor, out: &Tensor) -> Planned {
    complex_of(re, im, out, Complex64::new)
}

/// A complex number from its size and angle.
pub(crate) fn polar(size: &Tensor, angle: &Tensor, out: &Tensor) -> Planned {
    complex_of(size, angle, out, Complex64::from_polar)
}

fn complex_of(a: &Tensor, b: &Tensor, out: &Tensor, join: fn(f64, f64) -> Complex64) -> Planned {
    let pair = Pair::of(a.into(), b.into(), out)?;
    expect_kind(pair.element, Category::Float, Category::Float)?;
    require!(
        category(out.element()) == Category::Complex,
        "'out' has the type {}: it must be complex",
        out.element().name()
    );
    pair.step(out.element(), out, move |a, b, out| {
        zip::<f64, Complex64>(a, b, out, join);
    })
}
