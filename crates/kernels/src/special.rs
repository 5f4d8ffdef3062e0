//! Functions of real numbers that the standard library does not have, or has only one element at a time.

use std::cmp::Ordering;
use std::f32::consts::LOG2_E;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

pub use libm::{acosh, asinh, atanh, erf, erfc};

/// The nearest `f32`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "rounds to the nearest")]
pub fn single(value: f64) -> f32 {
    value as f32
}

/// exp(x) without branches and calls, so that loops over it use vector instructions. Within 2 units of the last place.
#[inline(always)]
pub fn exp32(x: f32) -> f32 {
    // Adding this leaves an integer in the low bits of the sum.
    const SHIFT: f32 = 12_582_912.0;
    // ln 2 in two parts: products of the first with integers up to 512 are exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    // Beyond these bounds the result is infinite or zero. NaN passes.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    let shifted = x * LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    let rest = x - whole * LN_2_HIGH - whole * LN_2_LOW;
    let mut sum = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5] {
        sum = sum * rest + coefficient;
    }
    let sum = sum * (rest * rest) + rest + 1.0;
    // Two factors, because the power of two alone may have no exponent that fits.
    let exponent = shifted
        .to_bits()
        .wrapping_sub(SHIFT.to_bits())
        .cast_signed();
    let half = exponent >> 1;
    sum * power_of_two(half) * power_of_two(exponent.wrapping_sub(half))
}

/// The error function without branches and calls. Within 3 units of the last place.
#[inline(always)]
pub fn erf32(x: f32) -> f32 {
    // Fitted at Chebyshev's points: erf(x) / x over x² up to 1, and ln(erfc(x)) over x from 0.95 to 4.
    const NEAR: [f32; 7] = [
        std::f32::consts::FRAC_2_SQRT_PI,
        -0.376_126_26,
        0.112_835_97,
        -0.026_854_329,
        0.005_189_312,
        -0.000_801_885_5,
        7.882_497_4e-5,
    ];
    const FAR: [f32; 9] = [
        0.000_304_176_76,
        -1.130_170_3,
        -0.631_931_36,
        -0.109_983_3,
        0.026_367_415,
        -0.004_741_118,
        0.000_592_950_56,
        -4.561_102e-5,
        1.615_045e-6,
    ];
    let size = x.abs();
    // Beyond 4 the result is 1 in this precision. NaN passes.
    let bounded = if size > 4.0 { 4.0 } else { size };
    let near = x * polynomial(&NEAR, x * x);
    let far = (1.0 - exp32(polynomial(&FAR, bounded))).copysign(x);
    if size < 1.0 { near } else { far }
}

#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    let mut sum = 0.0;
    for coefficient in coefficients.iter().rev() {
        sum = sum * x + coefficient;
    }
    sum
}

#[inline(always)]
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(exponent.wrapping_add(127).cast_unsigned() << 23)
}

/// The number whose error function is `y`: infinite at ±1, NaN beyond.
pub fn erfinv(y: f64) -> f64 {
    match y.abs().partial_cmp(&1.0) {
        None | Some(Ordering::Greater) => return f64::NAN,
        Some(Ordering::Equal) => return f64::INFINITY.copysign(y),
        Some(Ordering::Less) => {}
    }
    // A closed form that is right to three digits.
    let shape = 0.147;
    let log = (-y * y).ln_1p();
    let middle = 2.0 / (PI * shape) + log / 2.0;
    let mut x = (((middle * middle - log / shape).sqrt() - middle).max(0.0))
        .sqrt()
        .copysign(y);
    // Halley's method triples the digits. Near ±1 the complement has more of them than the function.
    for _ in 0..3 {
        let miss = if y.abs() > 0.5 {
            ((1.0 - y.abs()) - erfc(x.abs())) * y.signum()
        } else {
            erf(x) - y
        };
        let step = miss / (FRAC_2_SQRT_PI * (-x * x).exp());
        x -= step / (1.0 + x * step);
    }
    x
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "results that are exact")]
mod tests {
    use super::*;

    #[test]
    fn exp32_is_close_to_exp() {
        let mut x = -110.0_f32;
        while x < 95.0 {
            let (got, want) = (f64::from(exp32(x)), f64::from(x).exp());
            let rounded = f64::from(single(want));
            let close = (got - want).abs() <= want * 2.4e-7 + 1.5e-45;
            assert!(got == rounded || close, "exp({x}) = {got}, expected {want}");
            x += 0.003_7;
        }
        assert!(exp32(f32::NAN).is_nan());
        assert_eq!(exp32(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp32(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp32(0.0), 1.0);
    }

    #[test]
    fn erf32_is_close_to_erf() {
        let mut x = -5.0_f32;
        while x < 5.0 {
            let (got, want) = (f64::from(erf32(x)), erf(f64::from(x)));
            assert!(
                (got - want).abs() <= want.abs() * 2.4e-7,
                "erf({x}) = {got}, expected {want}"
            );
            x += 0.000_37;
        }
        assert!(erf32(f32::NAN).is_nan());
        assert_eq!(erf32(f32::NEG_INFINITY), -1.0);
        assert_eq!(erf32(f32::INFINITY), 1.0);
        assert!((1.128e-40..1.129e-40).contains(&erf32(1e-40)));
    }

    #[test]
    fn erfinv_inverts_erf() {
        for x in [0.0, 1e-200, 1e-9, 0.01, 0.3, 0.7, 1.5, 2.5, 3.5] {
            for x in [x, -x] {
                let back = erfinv(erf(x));
                // Where the function is flat, one unit of its last place is many of the argument's.
                let slope = FRAC_2_SQRT_PI * (-x * x).exp();
                assert!(
                    (back - x).abs()
                        <= x.abs() * 1e-14 + 4e-16 / slope * f64::from(u8::from(x.abs() > 0.5)),
                    "{back} instead of {x}"
                );
            }
        }
        assert_eq!(erfinv(1.0), f64::INFINITY);
        assert_eq!(erfinv(-1.0), f64::NEG_INFINITY);
        assert!(erfinv(1.1).is_nan() && erfinv(f64::NAN).is_nan());
    }
}
