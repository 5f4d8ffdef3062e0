//! Rounding.

use millpond_kernels::{Float, floats, map};

use super::elementwise::{expect_kind, one};
use super::expect_shape;
use crate::plan::{Plan, Planned};
use crate::promote::{Category, category, check_result};
use crate::refusal::Refusal;
use crate::tensor::Tensor;

/// Where a real number is rounded to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Towards {
    Up,
    Down,
    Zero,
    /// The nearest one, and the even one of two that are as near.
    Nearest,
}

/// The integer next to each element. Integers stay what they are.
pub(crate) fn round(x: &Tensor, towards: Towards, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    expect_kind(element, Category::Int, Category::Float)?;
    if category(element) == Category::Int {
        expect_shape(out, &x.dims)?;
        let mut plan = Plan::new();
        let x = plan.input(x);
        let out = plan.output(out);
        plan.copy(&x, &out);
        return plan.done();
    }
    one(x, element, out, move |x, out| {
        floats!(element, C => match towards {
            Towards::Up => map::map1::<C, C>(x, out, C::ceil),
            Towards::Down => map::map1::<C, C>(x, out, C::floor),
            Towards::Zero => map::map1::<C, C>(x, out, C::trunc),
            Towards::Nearest => map::map1::<C, C>(x, out, C::round_ties_even),
        });
    })
}

/// The nearest multiple of 10 to the power of `-decimals`.
pub(crate) fn round_decimals(x: &Tensor, decimals: i64, out: &Tensor) -> Planned {
    if decimals == 0 {
        return round(x, Towards::Nearest, out);
    }
    let element = x.element();
    check_result(element, out)?;
    if category(element) == Category::Int {
        return Err(Refusal::invalid(format!(
            "'decimals' is {decimals}, but 'self' has integers: it must be 0 for them"
        )));
    }
    expect_kind(element, Category::Float, Category::Float)?;
    let digits = i32::try_from(decimals.unsigned_abs()).unwrap_or(i32::MAX);
    let power = 10_f64.powi(digits);
    one(x, element, out, move |x, out| {
        floats!(element, C => {
            let power = C::of(power);
            if decimals > 0 {
                map::map1::<C, C>(x, out, move |x| (x * power).round_ties_even() / power);
            } else {
                map::map1::<C, C>(x, out, move |x| (x / power).round_ties_even() * power);
            }
        });
    })
}

/// What is behind the point.
pub(crate) fn frac(x: &Tensor, out: &Tensor) -> Planned {
    let element = x.element();
    check_result(element, out)?;
    expect_kind(element, Category::Float, Category::Float)?;
    one(x, element, out, move |x, out| {
        floats!(element, C => map::map1::<C, C>(x, out, |x| x - x.trunc()));
    })
}
