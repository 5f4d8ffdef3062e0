//! The larger, the smaller, and what is between.

use millpond_kernels::{Compute, map};

use super::elementwise::{Pair, Side, expect_kind, finish, one, ordered, rounded, zip};
use super::{broadcast, expect_shape};
use crate::plan::{Plan, Planned};
use crate::promote::{Category, check_result, promote, with_scalar};
use crate::refusal::Refusal;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// Numbers with an order; NaN is larger and smaller than all.
trait Ordered: Compute + PartialOrd {
    const LEAST: Self;
    const MOST: Self;
    #[inline(always)]
    fn is_number(self) -> bool {
        true
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self >= other || !self.is_number() {
            self
        } else {
            other
        }
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self <= other || !self.is_number() {
            self
        } else {
            other
        }
    }
}

impl Ordered for i64 {
    const LEAST: Self = Self::MIN;
    const MOST: Self = Self::MAX;
}

impl Ordered for u64 {
    const LEAST: Self = Self::MIN;
    const MOST: Self = Self::MAX;
}

impl Ordered for f32 {
    const LEAST: Self = Self::NEG_INFINITY;
    const MOST: Self = Self::INFINITY;
    #[inline(always)]
    fn is_number(self) -> bool {
        !self.is_nan()
    }
}

impl Ordered for f64 {
    const LEAST: Self = Self::NEG_INFINITY;
    const MOST: Self = Self::INFINITY;
    #[inline(always)]
    fn is_number(self) -> bool {
        !self.is_nan()
    }
}

/// The larger of a and b.
pub(crate) fn maximum(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Planned {
    let pair = Pair::of(a, b, out)?.with_rounded_numbers();
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Bool, Category::Float)?;
    pair.step(element, out, move |a, b, out| {
        ordered!(element, C => zip::<C, C>(a, b, out, Ordered::larger));
    })
}

/// The smaller of a and b.
pub(crate) fn minimum(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Planned {
    let pair = Pair::of(a, b, out)?.with_rounded_numbers();
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Bool, Category::Float)?;
    pair.step(element, out, move |a, b, out| {
        ordered!(element, C => zip::<C, C>(a, b, out, Ordered::smaller));
    })
}

fn no_bounds() -> Refusal {
    Refusal::invalid("'clipValueMin' and 'clipValueMax' are both NULL: at least one must be given")
}

/// Within bounds; if they cross, the upper one.
pub(crate) fn clamp(
    x: &Tensor,
    least: Option<&Scalar>,
    most: Option<&Scalar>,
    out: &Tensor,
) -> Planned {
    if least.is_none() && most.is_none() {
        return Err(no_bounds());
    }
    let bounds = [least, most];
    let element = bounds
        .iter()
        .flatten()
        .fold(x.element(), |element, bound| with_scalar(element, bound));
    check_result(element, out)?;
    expect_kind(element, Category::Bool, Category::Float)?;
    let [least, most] = bounds.map(|bound| bound.map(|bound| rounded(bound, element)));
    one(x, element, out, move |x, out| {
        ordered!(element, C => {
            let least: C = least.map_or(Ordered::LEAST, |bound| bound.compute());
            let most: C = most.map_or(Ordered::MOST, |bound| bound.compute());
            map::map1::<C, C>(x, out, move |x| x.larger(least).smaller(most));
        });
    })
}

/// The same with bounds for each element.
pub(crate) fn clamp_tensor(
    x: &Tensor,
    least: Option<&Tensor>,
    most: Option<&Tensor>,
    out: &Tensor,
) -> Planned {
    let (least, most) = match (least, most) {
        (None, None) => return Err(no_bounds()),
        (Some(least), None) => return maximum(x.into(), least.into(), out),
        (None, Some(most)) => return minimum(x.into(), most.into(), out),
        (Some(least), Some(most)) => (least, most),
    };
    expect_shape(out, &broadcast(&[x, least, most])?)?;
    let element = promote(promote(x.element(), least.element()), most.element());
    check_result(element, out)?;
    expect_kind(element, Category::Bool, Category::Float)?;
    let mut plan = Plan::new();
    let [x, least, most] = [x, least, most].map(|tensor| plan.input(tensor));
    finish(plan, element, out, move |m, out| {
        ordered!(element, C => {
            map::map3::<C, C, C, C>(&m.view(&x), &m.view(&least), &m.view(&most), out, |x, least, most| {
                x.larger(least).smaller(most)
            });
        });
    })
}
