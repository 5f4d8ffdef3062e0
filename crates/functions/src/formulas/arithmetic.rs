//! Sums, differences, products, and what is made of them.

use millpond_kernels::{Complex64, Compute, Element, map};

use super::elementwise::{Pair, Side, expect_factor, expect_kind, fields, finish, rings, zip};
use super::{broadcast, expect_shape};
use crate::plan::{Place, Plan, Planned};
use crate::promote::{Category, category, check_result, is_complex, promote};
use crate::refusal::Refusal;
use crate::scalar::{Number, Scalar};
use crate::tensor::Tensor;

/// a + alpha · b.
pub(crate) fn add(a: Side<'_>, b: Side<'_>, alpha: &Scalar, out: &Tensor) -> Planned {
    let pair = Pair::of(a, b, out)?;
    let element = pair.element;
    check_result(element, out)?;
    expect_factor(alpha, element, "alpha")?;
    let alpha = match category(element) {
        Category::Bool => Scalar::int(i64::from(alpha.is_true())),
        _ => *alpha,
    };
    if is_complex(element) && alpha.complex() == Complex64::new(1.0, 0.0) {
        // The product with 1 + 0i would make NaN of infinities.
        return pair.step(element, out, |a, b, out| {
            zip::<Complex64, Complex64>(a, b, out, |x, y| x + y);
        });
    }
    pair.step(element, out, move |a, b, out| {
        rings!(element, C => {
            let alpha: C = alpha.compute();
            zip::<C, C>(a, b, out, move |x, y| x.add(alpha.mul(y)));
        });
    })
}

/// a − alpha · b.
pub(crate) fn sub(a: Side<'_>, b: Side<'_>, alpha: &Scalar, out: &Tensor) -> Planned {
    let kind = |side| match side {
        Side::Tensor(tensor) => category(tensor.element()),
        Side::Number(number) => category(number.element),
    };
    if kind(a) == Category::Bool && kind(b) == Category::Bool {
        return Err(Refusal::invalid(
            "both operands are truth values, which have no difference: use aclnnLogicalXor",
        ));
    }
    let negative = Scalar {
        element: alpha.element,
        number: match alpha.number {
            Number::Bool(value) => Number::Int(-i64::from(value)),
            Number::Int(value) => Number::Int(value.wrapping_neg()),
            Number::Float(value) => Number::Float(-value),
            Number::Complex(value) => Number::Complex(-value),
        },
    };
    add(a, b, &negative, out)
}

/// a · b.
pub(crate) fn mul(a: Side<'_>, b: Side<'_>, out: &Tensor) -> Planned {
    let pair = Pair::of(a, b, out)?;
    let element = pair.element;
    check_result(element, out)?;
    pair.step(element, out, move |a, b, out| {
        rings!(element, C => zip::<C, C>(a, b, out, Compute::mul));
    })
}

/// Three tensors: the type that they are promoted to, and a plan that has them as inputs.
fn three(tensors: [&Tensor; 3], out: &Tensor) -> Result<(Element, Plan, [Place; 3]), Refusal> {
    expect_shape(out, &broadcast(&tensors)?)?;
    let element = tensors[1..]
        .iter()
        .fold(tensors[0].element(), |element, tensor| {
            promote(element, tensor.element())
        });
    check_result(element, out)?;
    let mut plan = Plan::new();
    let places = tensors.map(|tensor| plan.input_place(tensor));
    Ok((element, plan, places))
}

/// self + value · tensor1 · tensor2.
pub(crate) fn addcmul(
    start: &Tensor,
    one: &Tensor,
    other: &Tensor,
    value: &Scalar,
    out: &Tensor,
) -> Planned {
    let (element, plan, [x, y, z]) = three([start, one, other], out)?;
    expect_kind(element, Category::Int, Category::Complex)?;
    expect_factor(value, element, "value")?;
    let value = *value;
    finish(plan, element, out, move |m, out| {
        rings!(element, C => {
            let value: C = value.compute();
            map::map3::<C, C, C, C>(&m.at(&x), &m.at(&y), &m.at(&z), out, move |x, y, z| x.add(value.mul(y).mul(z)));
        });
    })
}

/// self + value · tensor1 / tensor2.
pub(crate) fn addcdiv(
    start: &Tensor,
    one: &Tensor,
    other: &Tensor,
    value: &Scalar,
    out: &Tensor,
) -> Planned {
    let (element, plan, [x, y, z]) = three([start, one, other], out)?;
    expect_kind(element, Category::Float, Category::Complex)?;
    expect_factor(value, element, "value")?;
    let value = *value;
    finish(plan, element, out, move |m, out| {
        fields!(element, C => {
            let value: C = value.compute();
            map::map3::<C, C, C, C>(&m.at(&x), &m.at(&y), &m.at(&z), out, move |x, y, z| x.add(value.mul(y).div(z)));
        });
    })
}

/// The distance of a weight from 0.
trait Weight {
    fn is_small(&self) -> bool;
}

impl Weight for f32 {
    fn is_small(&self) -> bool {
        self.abs() < 0.5
    }
}

impl Weight for f64 {
    fn is_small(&self) -> bool {
        self.abs() < 0.5
    }
}

impl Weight for Complex64 {
    fn is_small(&self) -> bool {
        self.norm() < 0.5
    }
}

/// From the end that is nearer, as PyTorch does.
#[inline(always)]
fn between<C: Compute + Weight>(start: C, end: C, weight: C) -> C {
    let distance = end.sub(start);
    if weight.is_small() {
        start.add(weight.mul(distance))
    } else {
        end.sub(distance.mul(C::from_i64(1).sub(weight)))
    }
}

/// self + weight · (end − self).
pub(crate) fn lerp(start: &Tensor, end: &Tensor, weight: &Tensor, out: &Tensor) -> Planned {
    let (element, plan, [x, y, z]) = three([start, end, weight], out)?;
    expect_kind(element, Category::Float, Category::Complex)?;
    finish(plan, element, out, move |m, out| {
        fields!(element, C => map::map3::<C, C, C, C>(&m.at(&x), &m.at(&y), &m.at(&z), out, between));
    })
}

/// The same with one weight for all elements.
pub(crate) fn lerps(start: &Tensor, end: &Tensor, weight: &Scalar, out: &Tensor) -> Planned {
    let pair = Pair::of(start.into(), end.into(), out)?;
    let element = pair.element;
    check_result(element, out)?;
    expect_kind(element, Category::Float, Category::Complex)?;
    expect_factor(weight, element, "weight")?;
    let weight = *weight;
    pair.step(element, out, move |a, b, out| {
        fields!(element, C => {
            let weight: C = weight.compute();
            zip::<C, C>(a, b, out, move |x, y| between(x, y, weight));
        });
    })
}
