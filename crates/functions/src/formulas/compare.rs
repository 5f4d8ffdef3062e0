//! Comparisons.
#![expect(
    clippy::float_cmp,
    reason = "exact comparisons are what these functions are for"
)]

use millpond_kernels::{Complex64, Element, map, reduce};

use super::elementwise::{Pair, Side, as_bytes, expect_kind, ordered, zip};
use crate::plan::{Plan, Planned};
use crate::promote::{Category, is_complex, promote};
use crate::require;
use crate::tensor::Tensor;

/// Which outcomes of a comparison count as true. NaN is neither less, equal nor greater, only different.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relation {
    less: u8,
    equal: u8,
    greater: u8,
    /// Inverts the result.
    not: u8,
}

impl Relation {
    const fn new(less: u8, equal: u8, greater: u8, not: u8) -> Self {
        Self {
            less,
            equal,
            greater,
            not,
        }
    }
    pub(crate) const EQ: Self = Self::new(0, 1, 0, 0);
    pub(crate) const NE: Self = Self::new(0, 1, 0, 1);
    pub(crate) const LT: Self = Self::new(1, 0, 0, 0);
    pub(crate) const LE: Self = Self::new(1, 1, 0, 0);
    pub(crate) const GT: Self = Self::new(0, 0, 1, 0);
    pub(crate) const GE: Self = Self::new(0, 1, 1, 0);

    fn is_order(self) -> bool {
        self.less != self.greater
    }
}

/// Whether a and b stand in a relation: 1 or 0 in the type of `out`.
pub(crate) fn compare(a: Side<'_>, b: Side<'_>, relation: Relation, out: &Tensor) -> Planned {
    let pair = Pair::of(a, b, out)?.with_rounded_numbers();
    let element = pair.element;
    if relation.is_order() {
        expect_kind(element, Category::Bool, Category::Float)?;
    }
    // One kernel for all relations: three comparisons take no longer than the memory.
    let Relation {
        less,
        equal,
        greater,
        not,
    } = relation;
    pair.step(out.element(), out, move |a, b, out| {
        let out = as_bytes(out);
        if is_complex(element) {
            zip::<Complex64, u8>(a, b, &out, move |x, y| (u8::from(x == y) & equal) ^ not);
            return;
        }
        ordered!(element, C => zip::<C, u8>(a, b, &out, move |x, y| {
            ((u8::from(x < y) & less) | (u8::from(x == y) & equal) | (u8::from(x > y) & greater)) ^ not
        }));
    })
}

/// Whether two tensors have the same shape and equal elements.
pub(crate) fn equal(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    require!(
        out.count() == 1,
        "'out' has the shape {:?}: it must have one element",
        out.dims
    );
    let mut plan = Plan::new();
    if a.dims != b.dims {
        let target = plan.output_apart(out);
        plan.fill(&target, 0.0);
        return plan.done();
    }
    let element = promote(a.element(), b.element());
    let (x, y) = (plan.input(a), plan.input(b));
    let target = plan.output_apart(out);
    let differ = plan.temp(Element::U8, &a.dims);
    let (into, from, axes) = (
        differ.clone(),
        differ,
        (0..a.rank()).collect::<Vec<usize>>(),
    );
    plan.step(move |m| {
        let (x, y, into) = (m.view(&x), m.view(&y), m.view(&into));
        if is_complex(element) {
            map::map2::<Complex64, Complex64, u8>(&x, &y, &into, |x, y| u8::from(x != y));
        } else {
            ordered!(element, C => map::map2::<C, C, u8>(&x, &y, &into, |x, y| u8::from(x != y)));
        }
    });
    let result = plan.temp(Element::U8, &[]);
    let folded = result.clone();
    plan.step(move |m| {
        let fold = reduce::Fold {
            init: 0_u8,
            step: |any: u8, x: u8| any | x,
            merge: |a: u8, b: u8| a | b,
            finish: |any: u8| any ^ 1,
        };
        reduce::reduce(&m.view(&from), &axes, &m.view(&folded), &fold);
    });
    plan.copy(&result, &target);
    plan.done()
}

/// |a − b| ≤ atol + rtol · |b|.
pub(crate) fn is_close(
    a: &Tensor,
    b: &Tensor,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
    out: &Tensor,
) -> Planned {
    require!(
        rtol >= 0.0 && atol >= 0.0,
        "'rtol' is {rtol} and 'atol' is {atol}: they must not be negative"
    );
    let pair = Pair::of(a.into(), b.into(), out)?;
    let element = pair.element;
    pair.step(out.element(), out, move |a, b, out| {
        let out = as_bytes(out);
        match element {
            Element::C32 | Element::C64 | Element::C128 => {
                zip::<Complex64, u8>(a, b, &out, move |x, y| {
                    let distance = (x - y).norm();
                    let close = distance.is_finite() && distance <= atol + rtol * y.norm();
                    u8::from(x == y || close || equal_nan && x.is_nan() && y.is_nan())
                });
            }
            Element::F64 => zip::<f64, u8>(a, b, &out, move |x, y| {
                let distance = (x - y).abs();
                let close = distance.is_finite() && distance <= atol + (rtol * y).abs();
                u8::from(x == y || close || equal_nan && x.is_nan() && y.is_nan())
            }),
            Element::F32 | Element::F16 | Element::BF16 => {
                use millpond_kernels::special::single;
                let (rtol, atol) = (single(rtol), single(atol));
                zip::<f32, u8>(a, b, &out, move |x, y| {
                    let distance = (x - y).abs();
                    let close = distance.is_finite() && distance <= atol + (rtol * y).abs();
                    u8::from(x == y || close || equal_nan && x.is_nan() && y.is_nan())
                });
            }
            #[expect(clippy::cast_precision_loss, reason = "bounds are real numbers")]
            Element::U64 => zip::<u64, u8>(a, b, &out, move |x, y| {
                u8::from(x == y || x.abs_diff(y) as f64 <= atol + rtol * y as f64)
            }),
            #[expect(clippy::cast_precision_loss, reason = "bounds are real numbers")]
            _ => zip::<i64, u8>(a, b, &out, move |x, y| {
                u8::from(x == y || x.abs_diff(y) as f64 <= atol + (rtol * y as f64).abs())
            }),
        }
    })
}
