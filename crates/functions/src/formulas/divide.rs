//! Quotients and remainders.

use millpond_kernels::Compute;

use super::elementwise::{Pair, Side, expect_kind, fields, ordered, zip};
use crate::plan::Planned;
use crate::promote::{Category, as_float, check_result};
use crate::refusal::Refusal;
use crate::tensor::Tensor;

/// a / b; integers are divided as `float`.
pub(crate) fn div(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Planned {
    let pair = Pair::of(a, b, out)?;
    let element = as_float(pair.element);
    check_result(element, out)?;
    pair.step(element, out, move |a, b, out| {
        fields!(element, C => zip::<C, C>(a, b, out, Compute::div));
    })
}

/// a / b, rounded as `mode` says: 0 not at all, 1 towards zero, 2 down.
pub(crate) fn div_mod(a: Side<'_>, b: Side<'_>, mode: i32, out: &Tensor) -> Planned {
    match mode {
        0 => div(a, b, out),
        1 => whole(a, b, out, Whole::Truncated),
        2 => floor_divide(a, b, out),
        _ => Err(Refusal::invalid(format!(
            "'mode' is {mode}: it must be 0 (exact), 1 (rounded towards zero) or 2 (rounded down)"
        ))),
    }
}

/// a / b, rounded down.
pub(crate) fn floor_divide(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Planned {
    whole(a, b, out, Whole::Floored)
}

/// The remainder with the sign of a.
pub(crate) fn fmod(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Planned {
    whole(a, b, out, Whole::Fmod)
}

/// The remainder with the sign of b.
pub(crate) fn remainder(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Planned {
    whole(a, b, out, Whole::Remainder)
}

/// Which part of a division with remainder is asked for.
#[derive(Debug, Clone, Copy)]
enum Whole {
    Truncated,
    Floored,
    Fmod,
    Remainder,
}

fn whole(a: Side<'_>, b: Side<'_>, out: &Tensor, part: Whole) -> Planned {
    let pair = Pair::of(a, b, out)?.with_rounded_numbers();
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Int, Category::Float)?;
    pair.step(element, out, move |a, b, out| {
        ordered!(element, C => {
            // One loop for all four: the division takes longer than the call.
            let divide: fn(C, C) -> C = match part {
                Whole::Truncated => Divide::truncated,
                Whole::Floored => Divide::floored,
                Whole::Fmod => Divide::fmod,
                Whole::Remainder => Divide::remainder,
            };
            zip::<C, C>(a, b, out, divide);
        });
    })
}

/// Division with remainder. No integer division traps: by 0 the quotient and the remainder are 0.
trait Divide: Copy {
    fn truncated(self, by: Self) -> Self;
    fn floored(self, by: Self) -> Self;
    fn fmod(self, by: Self) -> Self;
    fn remainder(self, by: Self) -> Self;
}

macro_rules! divide_integers {
    ($($type:ty),*) => {$(
        #[allow(unused_comparisons, reason = "one text for signed and unsigned integers")]
        impl Divide for $type {
            fn truncated(self, by: Self) -> Self {
                self.div(by)
            }
            fn floored(self, by: Self) -> Self {
                let quotient = self.div(by);
                let exact = by == 0 || quotient.wrapping_mul(by) == self;
                if !exact && (self < 0) != (by < 0) { quotient.wrapping_sub(1) } else { quotient }
            }
            fn fmod(self, by: Self) -> Self {
                if by == 0 { 0 } else { self.wrapping_rem(by) }
            }
            fn remainder(self, by: Self) -> Self {
                let rest = Divide::fmod(self, by);
                if rest != 0 && (rest < 0) != (by < 0) { rest.wrapping_add(by) } else { rest }
            }
        }
    )*};
}
divide_integers!(i64, u64);

macro_rules! divide_floats {
    ($($type:ty),*) => {$(
        impl Divide for $type {
            fn truncated(self, by: Self) -> Self {
                (self / by).trunc()
            }
            fn floored(self, by: Self) -> Self {
                if by == 0.0 {
                    return self / by;
                }
                // The quotient may be rounded up to an integer that it does not reach. What the exact remainder leaves is a
                // multiple of the divisor, but for one rounding.
                let rest = self % by;
                let borrow = if rest != 0.0 && (by < 0.0) != (rest < 0.0) { 1.0 } else { 0.0 };
                let quotient = (self - rest) / by - borrow;
                if quotient == 0.0 { (0.0 as $type).copysign(self / by) } else { quotient.round() }
            }
            fn fmod(self, by: Self) -> Self {
                self % by
            }
            fn remainder(self, by: Self) -> Self {
                let rest = self % by;
                if rest != 0.0 && (rest < 0.0) != (by < 0.0) { rest + by } else { rest }
            }
        }
    )*};
}
divide_floats!(f32, f64);
