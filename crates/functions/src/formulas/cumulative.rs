//! Running sums, products and extremes along an axis.

use millpond_kernels::order::ordered_type;
use millpond_kernels::scan::{self, Direction};
use millpond_kernels::{Complex64, Element, ordered};

use super::{axis_of, expect_shape};
use crate::plan::{Plan, Planned};
use crate::promote::{Category, category, check_result, is_complex};
use crate::require;
use crate::row_ops::with_axis;
use crate::tensor::Tensor;

/// What runs along the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Running {
    /// Sums.
    Sum,
    /// Products.
    Product,
}

/// Running sums or products, in the type of the result.
pub(crate) fn running(
    x: &Tensor,
    dim: i64,
    what: Running,
    exclusive: bool,
    reverse: bool,
    out: &Tensor,
) -> Planned {
    expect_shape(out, &x.dims)?;
    let axis = axis_of(x, dim, "dim")?;
    if is_complex(x.element()) {
        check_result(x.element(), out)?;
    }
    let element = match category(out.element()) {
        Category::Complex => Element::C128,
        Category::Float if out.element() == Element::F64 => Element::F64,
        Category::Float => Element::F32,
        _ => Element::I64,
    };
    let direction = Direction { reverse, exclusive };
    let mut plan = Plan::new();
    let input = with_axis(&plan.input(x));
    let output = with_axis(&plan.output_apart(out));
    let rows = plan.rows_of(&input, &[axis], element);
    let results = plan.rows_into(&output, &[axis], element);
    let into = results.rows.clone();
    plan.step(move |m| {
        let (from, to) = (m.view(&rows), m.view(&into));
        macro_rules! run {
            ($type:ty, $wide:ty, $zero:expr, $one:expr, $add:expr, $mul:expr, $widen:expr, $narrow:expr) => {
                match what {
                    Running::Sum => scan::scan(&from, &to, direction, $zero, |sum: $wide, x: $type| $add(sum, $widen(x)), $narrow),
                    Running::Product => scan::scan(&from, &to, direction, $one, |product: $wide, x: $type| $mul(product, $widen(x)), $narrow),
                }
            };
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounds to the nearest")]
        match element {
            Element::F32 => run!(f32, f64, 0.0, 1.0, |a: f64, b: f64| a + b, |a: f64, b: f64| a * b, f64::from, |x: f64| x as f32),
            Element::F64 => run!(f64, f64, 0.0, 1.0, |a: f64, b: f64| a + b, |a: f64, b: f64| a * b, |x: f64| x, |x: f64| x),
            Element::C128 => run!(Complex64, Complex64, Complex64::default(), Complex64::new(1.0, 0.0), |a: Complex64, b: Complex64| a + b, |a: Complex64, b: Complex64| a * b, |x: Complex64| x, |x: Complex64| x),
            _ => run!(i64, i64, 0, 1, i64::wrapping_add, i64::wrapping_mul, |x: i64| x, |x: i64| x),
        }
    });
    plan.rows_done(&results);
    plan.done()
}

/// Running extremes and their positions.
pub(crate) fn extremes(
    x: &Tensor,
    dim: i64,
    largest: bool,
    values: &Tensor,
    positions: &Tensor,
) -> Planned {
    expect_shape(values, &x.dims)?;
    expect_shape(positions, &x.dims)?;
    check_result(x.element(), values)?;
    require!(
        !is_complex(x.element()),
        "{} numbers have no order",
        x.element().name()
    );
    require!(
        category(positions.element()) == Category::Int,
        "'indices' have the type {}, but integers are expected",
        positions.element().name()
    );
    let axis = axis_of(x, dim, "dim")?;
    let element = ordered_type(x.element());
    let mut plan = Plan::new();
    let input = with_axis(&plan.input(x));
    let values = with_axis(&plan.output_apart(values));
    let positions = with_axis(&plan.output_apart(positions));
    let rows = plan.rows_of(&input, &[axis], element);
    let found = plan.rows_into(&values, &[axis], element);
    let places = plan.rows_into(&positions, &[axis], Element::I64);
    let (to_values, to_places) = (found.rows.clone(), places.rows.clone());
    plan.step(move |m| {
        ordered!(element, T => scan::extremes::<T>(&m.view(&rows), largest, &m.view(&to_values), &m.view(&to_places)));
    });
    plan.rows_done(&found);
    plan.rows_done(&places);
    plan.done()
}
