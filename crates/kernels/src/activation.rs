//! Activation functions of one element, and their gradients.
//!
//! In `f32` they use neither branches nor calls, so that loops over them use vector instructions.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::element::Float;
use crate::special::{erfc, exp32};

/// Real numbers with the functions that activations are made of.
pub trait Real:
    Float
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// eˣ.
    #[must_use]
    fn exponential(self) -> Self;
    /// Hyperbolic tangent.
    #[must_use]
    fn tangent(self) -> Self;
    /// The share of the standard normal distribution below x.
    #[must_use]
    fn below(self) -> Self;
}

impl Real for f64 {
    #[inline(always)]
    fn exponential(self) -> Self {
        self.exp()
    }
    #[inline(always)]
    fn tangent(self) -> Self {
        self.tanh()
    }
    #[inline(always)]
    fn below(self) -> Self {
        0.5 * erfc(-self * FRAC_1_SQRT_2)
    }
}

impl Real for f32 {
    #[inline(always)]
    fn exponential(self) -> Self {
        exp32(self)
    }
    #[inline(always)]
    fn tangent(self) -> Self {
        // Near 0 the quotient below would lose digits. A polynomial fitted to tanh on −0.6..0.6 has them.
        let square = self * self;
        let mut sum = -0.005_893_945;
        for coefficient in [0.020_794_617, -0.053_783_294, 0.133_319_15, -0.333_333] {
            sum = sum * square + coefficient;
        }
        let near = self + self * square * sum;
        let far = 1.0 - 2.0 / (1.0 + exp32(2.0 * self.abs()));
        if self.abs() < 0.6 {
            near
        } else {
            far.copysign(self)
        }
    }
    #[inline(always)]
    fn below(self) -> Self {
        // erfc(t)·exp(t²) as a polynomial in 1 − 6 / (t + 3), fitted for all t ≥ 0.
        const COEFFICIENTS: [f32; 11] = [
            4.564_087_8e-5,
            1.839_823_2e-5,
            -5.781_56e-4,
            7.320_455_6e-4,
            4.259_767e-3,
            -0.024_402_605,
            0.071_667_98,
            -0.150_114_18,
            0.245_603_62,
            -0.326_233_66,
            0.179_001_15,
        ];
        let place = 1.0 - 6.0 / (self.abs() * std::f32::consts::FRAC_1_SQRT_2 + 3.0);
        let mut sum = 0.0;
        for coefficient in COEFFICIENTS {
            sum = sum * place + coefficient;
        }
        let tail = 0.5 * sum * exp32(-0.5 * self * self);
        if self > 0.0 { 1.0 - tail } else { tail }
    }
}

/// 1 / (1 + e⁻ˣ).
#[inline(always)]
pub fn sigmoid<C: Real>(x: C) -> C {
    let one = C::of(1.0);
    one / (one + (-x).exponential())
}

/// x · sigmoid(x).
#[inline(always)]
pub fn silu<C: Real>(x: C) -> C {
    x / (C::of(1.0) + (-x).exponential())
}

/// The slope of [`silu`].
#[inline(always)]
pub fn silu_slope<C: Real>(x: C) -> C {
    let (one, s) = (C::of(1.0), sigmoid(x));
    s * (one + x * (one - s))
}

/// x · Φ(x): the exact form of GELU.
#[inline(always)]
pub fn gelu<C: Real>(x: C) -> C {
    x * x.below()
}

/// The slope of [`gelu`].
#[inline(always)]
pub fn gelu_slope<C: Real>(x: C) -> C {
    let density = (C::of(-0.5) * x * x).exponential() * C::of(0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2);
    x.below() + x * density
}

const CUBE: f64 = 0.044_715;

/// Twice the argument of the hyperbolic tangent in [`gelu_tanh`].
#[inline(always)]
fn gelu_inner<C: Real>(x: C) -> C {
    C::of(2.0 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2) * (x + C::of(CUBE) * x * x * x)
}

/// x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))): the approximate form of GELU.
#[inline(always)]
pub fn gelu_tanh<C: Real>(x: C) -> C {
    // (1 + tanh(y)) / 2 is the sigmoid of 2y.
    x * sigmoid(gelu_inner(x))
}

/// The slope of [`gelu_tanh`].
#[inline(always)]
pub fn gelu_tanh_slope<C: Real>(x: C) -> C {
    let (one, s) = (C::of(1.0), sigmoid(gelu_inner(x)));
    let inner = C::of(2.0 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2) * (one + C::of(3.0 * CUBE) * x * x);
    s + x * s * (one - s) * inner
}

const FAST: f64 = 1.702;

/// x · sigmoid(1.702 x): the fast form of GELU.
#[inline(always)]
pub fn gelu_fast<C: Real>(x: C) -> C {
    x * sigmoid(C::of(FAST) * x)
}

/// The slope of [`gelu_fast`].
#[inline(always)]
pub fn gelu_fast_slope<C: Real>(x: C) -> C {
    let (one, s) = (C::of(1.0), sigmoid(C::of(FAST) * x));
    s * (one + C::of(FAST) * x * (one - s))
}

/// tanh(ln(1 + eˣ)).
#[inline(always)]
fn tanh_softplus<C: Real>(x: C) -> C {
    // Beyond 20 it is 1 in both types, and squares do not overflow before.
    let x = if x > C::of(20.0) { C::of(20.0) } else { x };
    let e = x.exponential();
    let n = e * (e + C::of(2.0));
    n / (n + C::of(2.0))
}

/// x · tanh(softplus(x)).
#[inline(always)]
pub fn mish<C: Real>(x: C) -> C {
    x * tanh_softplus(x)
}

/// The slope of [`mish`].
#[inline(always)]
pub fn mish_slope<C: Real>(x: C) -> C {
    let (one, t) = (C::of(1.0), tanh_softplus(x));
    t + x * sigmoid(x) * (one - t) * (one + t)
}

/// ln(sigmoid(x)).
#[inline(always)]
pub fn log_sigmoid<C: Real>(x: C) -> C {
    x.min_nan(C::of(0.0)) - (-x.abs()).exponential().ln_1p()
}

/// x·(x + 3)/6 between −3 and 3; 0 below, x above.
#[inline(always)]
pub fn hardswish<C: Real>(x: C) -> C {
    x * hardsigmoid(x)
}

/// (x + 3)/6, bounded to 0..1.
#[inline(always)]
pub fn hardsigmoid<C: Real>(x: C) -> C {
    let bounded = (x + C::of(3.0)).max_nan(C::of(0.0)).min_nan(C::of(6.0));
    bounded / C::of(6.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares a function in `f32` with the same in `f64`, over the range where both have digits.
    fn close(name: &str, single: fn(f32) -> f32, double: fn(f64) -> f64, relative: f64) {
        let mut x = -12.0_f32;
        while x < 12.0 {
            let (got, want) = (f64::from(single(x)), double(f64::from(x)));
            assert!(
                (got - want).abs() <= relative * want.abs() + 1e-30,
                "{name}({x}) = {got}, expected {want}"
            );
            x += 0.001_3;
        }
        assert!(single(f32::NAN).is_nan() && double(f64::NAN).is_nan());
    }

    #[test]
    fn single_precision_has_its_digits() {
        close("exp", Real::exponential, Real::exponential, 3e-7);
        close("tanh", Real::tangent, Real::tangent, 4e-7);
        close("sigmoid", sigmoid, sigmoid, 6e-7);
        close("silu", silu, silu, 6e-7);
        // The square of x is rounded before the exponential multiplies its error.
        close("below", Real::below, Real::below, 1e-5);
        close("gelu", gelu, gelu, 1e-5);
        close("gelu_tanh", gelu_tanh, gelu_tanh, 2e-5);
        close("mish", mish, mish, 2e-6);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "limits are exact")]
    fn limits() {
        assert_eq!(f32::INFINITY.below(), 1.0);
        assert_eq!(f32::NEG_INFINITY.below(), 0.0);
        assert_eq!(f32::INFINITY.tangent(), 1.0);
        assert_eq!(f32::NEG_INFINITY.tangent(), -1.0);
        assert_eq!(sigmoid(-1000.0_f32), 0.0);
        assert_eq!(sigmoid(1000.0_f32), 1.0);
        assert_eq!(mish(1000.0_f32), 1000.0);
        assert_eq!(log_sigmoid(f64::NEG_INFINITY), f64::NEG_INFINITY);
    }

    /// Slopes against difference quotients.
    #[test]
    fn slopes() {
        type Function = fn(f64) -> f64;
        let pairs: [(Function, Function); 5] = [
            (silu, silu_slope),
            (gelu, gelu_slope),
            (gelu_tanh, gelu_tanh_slope),
            (gelu_fast, gelu_fast_slope),
            (mish, mish_slope),
        ];
        for (number, (function, slope)) in pairs.into_iter().enumerate() {
            for x in [-4.0, -1.3, -0.2, 0.0, 0.7, 2.1, 5.0] {
                let quotient = (function(x + 1e-5) - function(x - 1e-5)) / 2e-5;
                assert!(
                    (slope(x) - quotient).abs() < 1e-8,
                    "function {number} at {x}"
                );
            }
        }
    }
}
