//! Sums, products, means, extremes and truth over axes.

use millpond_kernels::order::{self, ordered_type};
use millpond_kernels::reduce::{self, Fold, kept_dims};
use millpond_kernels::{
    Complex64, Compute, Element, floats, map, ordered, read_block, write_block,
};

use super::{axes_of, axis_of, expect_shape};
use crate::plan::{Plan, Planned};
use crate::promote::{Category, category, check_result, is_complex, is_float};
use crate::refusal::Refusal;
use crate::require;
use crate::row_ops::with_axis;
use crate::tensor::Tensor;

fn keeps_imaginary_part(x: &Tensor, out: &Tensor) -> Result<(), Refusal> {
    if is_complex(x.element()) {
        check_result(x.element(), out)?;
    }
    Ok(())
}

/// The sum over axes, in the type of the result.
pub(crate) fn sum(x: &Tensor, dims: &[i64], keep: bool, out: &Tensor) -> Planned {
    let axes = axes_of(x, dims, "dims")?;
    expect_shape(out, &kept_dims(&x.dims, &axes, keep))?;
    keeps_imaginary_part(x, out)?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    plan.sum_to(&value, &axes, &result);
    plan.done()
}

/// The sum of elements that are numbers.
pub(crate) fn nansum(x: &Tensor, dims: &[i64], keep: bool, out: &Tensor) -> Planned {
    if !is_float(x.element()) {
        return sum(x, dims, keep, out);
    }
    let axes = axes_of(x, dims, "dim")?;
    expect_shape(out, &kept_dims(&x.dims, &axes, keep))?;
    check_result(x.element(), out)?;
    let element = x.element();
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    plan.step(move |m| {
        floats!(element, C => {
            let fold = Fold {
                init: 0.0_f64,
                step: |sum: f64, x: C| if x.is_nan() { sum } else { sum + x.to_f64() },
                merge: |a, b| a + b,
                finish: |sum: f64| sum,
            };
            reduce::reduce(&m.view(&value), &axes, &m.view(&result), &fold);
        });
    });
    plan.done()
}

/// The mean over axes; NaN of no elements.
#[expect(clippy::cast_precision_loss, reason = "counts of elements")]
pub(crate) fn mean(x: &Tensor, dims: &[i64], keep: bool, out: &Tensor) -> Planned {
    let axes = axes_of(x, dims, "dim")?;
    expect_shape(out, &kept_dims(&x.dims, &axes, keep))?;
    keeps_imaginary_part(x, out)?;
    require!(
        category(out.element()) >= Category::Float,
        "a mean is a real number, which 'out' of type {} cannot hold",
        out.element().name()
    );
    let amount: f64 = axes.iter().map(|axis| x.dims[*axis] as f64).product();
    let element = x.element();
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    plan.step(move |m| {
        let (from, to) = (m.view(&value), m.view(&result));
        match category(element) {
            Category::Complex => {
                let fold = Fold {
                    init: Complex64::default(),
                    step: |sum, x: Complex64| sum + x,
                    merge: |a, b| a + b,
                    finish: |sum: Complex64| sum / amount,
                };
                reduce::reduce(&from, &axes, &to, &fold);
            }
            Category::Float if element != Element::F64 => {
                reduce::sum::<f32, f64>(&from, &axes, &to, |sum| sum / amount);
            }
            _ => reduce::sum::<f64, f64>(&from, &axes, &to, |sum| sum / amount),
        }
    });
    plan.done()
}

/// The product over axes, in the type of the result.
pub(crate) fn prod(x: &Tensor, dims: &[i64], keep: bool, out: &Tensor) -> Planned {
    let axes = axes_of(x, dims, "dim")?;
    expect_shape(out, &kept_dims(&x.dims, &axes, keep))?;
    keeps_imaginary_part(x, out)?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    plan.step(move |m| {
        let (from, to) = (m.view(&value), m.view(&result));
        match category(to.element()) {
            Category::Complex => {
                let fold = Fold {
                    init: Complex64::new(1.0, 0.0),
                    step: |product, x: Complex64| product * x,
                    merge: |a, b| a * b,
                    finish: |product: Complex64| product,
                };
                reduce::reduce(&from, &axes, &to, &fold);
            }
            Category::Float => {
                let fold = Fold {
                    init: 1.0,
                    step: |product: f64, x: f64| product * x,
                    merge: |a, b| a * b,
                    finish: |product: f64| product,
                };
                reduce::reduce(&from, &axes, &to, &fold);
            }
            _ => {
                let fold = Fold {
                    init: 1,
                    step: |product: i64, x: i64| product.wrapping_mul(x),
                    merge: |a: i64, b: i64| a.wrapping_mul(b),
                    finish: |product: i64| product,
                };
                reduce::reduce(&from, &axes, &to, &fold);
            }
        }
    });
    plan.done()
}

/// Whether all elements, or any, are something else than zero.
pub(crate) fn truth(x: &Tensor, dims: &[i64], keep: bool, all: bool, out: &Tensor) -> Planned {
    let axes = axes_of(x, dims, "dims")?;
    expect_shape(out, &kept_dims(&x.dims, &axes, keep))?;
    let element = x.element();
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    plan.step(move |m| {
        let (from, to) = (m.view(&value), m.view(&result));
        macro_rules! judge {
            ($type:ty) => {{
                let fold = Fold {
                    init: all,
                    step: |so_far: bool, x: $type| {
                        if all {
                            so_far & x.to_bool()
                        } else {
                            so_far | x.to_bool()
                        }
                    },
                    merge: |a: bool, b: bool| if all { a & b } else { a | b },
                    finish: |found: bool| u8::from(found),
                };
                reduce::reduce(&from, &axes, &to, &fold);
            }};
        }
        match category(element) {
            Category::Complex => judge!(Complex64),
            Category::Float => judge!(f64),
            Category::Int => judge!(i64),
            Category::Bool => judge!(u8),
        }
    });
    plan.done()
}

/// Refuses to look for an extreme among no elements.
fn expect_elements(x: &Tensor, axes: &[usize], out: &Tensor) -> Result<(), Refusal> {
    require!(
        out.is_empty() || axes.iter().all(|axis| x.dims.get(*axis) != Some(&0)),
        "a tensor of shape {:?} has no elements to compare",
        x.dims
    );
    refuse_complex(x)
}

fn refuse_complex(x: &Tensor) -> Result<(), Refusal> {
    require!(
        !is_complex(x.element()),
        "{} numbers have no order",
        x.element().name()
    );
    Ok(())
}

fn add_extreme(
    plan: &mut Plan,
    value: &crate::plan::Value,
    axes: &[usize],
    result: &crate::plan::Value,
    largest: bool,
) {
    let (value, result, axes) = (value.clone(), result.clone(), axes.to_vec());
    plan.step(move |m| {
        let (from, to) = (m.view(&value), m.view(&result));
        match ordered_type(from.element()) {
            Element::F32 => reduce::extreme::<f32>(
                &from,
                &axes,
                &to,
                largest,
                if largest {
                    f32::NEG_INFINITY
                } else {
                    f32::INFINITY
                },
            ),
            Element::F64 => reduce::extreme::<f64>(
                &from,
                &axes,
                &to,
                largest,
                if largest {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                },
            ),
            Element::U64 => reduce::extreme::<u64>(
                &from,
                &axes,
                &to,
                largest,
                if largest { u64::MIN } else { u64::MAX },
            ),
            _ => reduce::extreme::<i64>(
                &from,
                &axes,
                &to,
                largest,
                if largest { i64::MIN } else { i64::MAX },
            ),
        }
    });
}

/// The largest or smallest element over axes. NaN wins.
pub(crate) fn extreme(
    x: &Tensor,
    dims: &[i64],
    keep: bool,
    largest: bool,
    out: &Tensor,
) -> Planned {
    let axes = axes_of(x, dims, "dim")?;
    expect_shape(out, &kept_dims(&x.dims, &axes, keep))?;
    expect_elements(x, &axes, out)?;
    check_result(x.element(), out)?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    add_extreme(&mut plan, &value, &axes, &result, largest);
    plan.done()
}

/// Both extremes over axes.
pub(crate) fn extremes(
    x: &Tensor,
    dims: &[i64],
    keep: bool,
    min: &Tensor,
    max: &Tensor,
) -> Planned {
    let axes = axes_of(x, dims, "dims")?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let results = [(min, false), (max, true)];
    for (out, _) in results {
        expect_shape(out, &kept_dims(&x.dims, &axes, keep))?;
        expect_elements(x, &axes, out)?;
        check_result(x.element(), out)?;
    }
    for (out, largest) in results {
        let result = plan.output_apart(out);
        add_extreme(&mut plan, &value, &axes, &result, largest);
    }
    plan.done()
}

/// The extreme along one axis and where it is; either may be left out.
pub(crate) fn extreme_along(
    x: &Tensor,
    dim: i64,
    keep: bool,
    largest: bool,
    values: Option<&Tensor>,
    positions: &Tensor,
) -> Planned {
    let axis = axis_of(x, dim, "dim")?;
    let axes: &[usize] = if x.rank() == 0 { &[] } else { &[axis] };
    let dims = kept_dims(&x.dims, axes, keep);
    for out in values.iter().chain([&positions]) {
        expect_shape(out, &dims)?;
        expect_elements(x, axes, out)?;
    }
    if let Some(values) = values {
        check_result(x.element(), values)?;
    }
    require!(
        category(positions.element()) == Category::Int,
        "positions are integers, which a tensor of type {} cannot hold",
        positions.element().name()
    );
    let element = ordered_type(x.element());
    let mut plan = Plan::new();
    let input = with_axis(&plan.input(x));
    let values = values.map(|values| plan.output_apart(values));
    let positions = plan.output_apart(positions);
    if positions.count() == 0 {
        return plan.done();
    }
    let rows = plan.rows_of(&input, &[axis], element);
    let values = values.unwrap_or_else(|| plan.temp(element, positions.dims()));
    let found = plan.packed_into(&values, element);
    let places = plan.packed_into(&positions, Element::I64);
    let (to_values, to_places) = (found.rows.clone(), places.rows.clone());
    plan.step(move |m| {
        let (values, places) = (
            m.view(&to_values).unsqueeze(1),
            m.view(&to_places).unsqueeze(1),
        );
        ordered!(element, T => order::extremes::<T>(&m.view(&rows), largest, &values, &places));
    });
    plan.rows_done(&found);
    plan.rows_done(&places);
    plan.done()
}

/// The sum of the diagonal of a matrix.
pub(crate) fn trace(x: &Tensor, out: &Tensor) -> Planned {
    require!(
        x.rank() == 2,
        "'self' has the shape {:?}, but a matrix is expected",
        x.dims
    );
    expect_shape(out, &[])?;
    keeps_imaginary_part(x, out)?;
    let element = x.element();
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    plan.step(move |m| {
        let (from, to) = (m.view(&value), m.view(&result));
        let length = from.dims()[0].min(from.dims()[1]);
        macro_rules! add_up {
            ($type:ty, $add:expr) => {{
                let mut sum = <$type>::default();
                for index in 0..length {
                    let mut one = [<$type>::default()];
                    read_block(&from.narrow(0, index, 1).narrow(1, index, 1), 0, &mut one);
                    sum = $add(sum, one[0]);
                }
                write_block(&to, 0, &[sum]);
            }};
        }
        match category(element) {
            Category::Complex => add_up!(Complex64, |a: Complex64, b| a + b),
            Category::Float => add_up!(f64, |a: f64, b| a + b),
            _ => add_up!(i64, |a: i64, b| a.wrapping_add(b)),
        }
    });
    plan.done()
}

/// The sum of tensors, element by element.
pub(crate) fn sum_of_tensors(tensors: &[&Tensor], out: &Tensor) -> Planned {
    require!(
        !tensors.is_empty(),
        "the list of tensors is empty, but at least one is expected"
    );
    expect_shape(out, &super::broadcast(tensors)?)?;
    for tensor in tensors {
        check_result(tensor.element(), out)?;
    }
    let mut plan = Plan::new();
    let values: Vec<_> = tensors.iter().map(|tensor| plan.input(tensor)).collect();
    let result = plan.output_apart(out);
    let through = match category(out.element()) {
        Category::Complex => Element::C128,
        Category::Float if out.element() == Element::F64 => Element::F64,
        Category::Float => Element::F32,
        _ => Element::I64,
    };
    let sum = plan.packed_into(&result, through);
    let all = sum
        .rows
        .reshaped(result.dims())
        .unwrap_or_else(|| sum.rows.clone());
    plan.fill(&all, 0.0);
    for value in values {
        let all = all.clone();
        plan.step(move |m| {
            let (sum, value) = (m.view(&all), m.view(&value));
            match through {
                Element::C128 => {
                    map::map2::<Complex64, Complex64, Complex64>(&sum, &value, &sum, |a, b| a + b);
                }
                Element::I64 => map::map2::<i64, i64, i64>(&sum, &value, &sum, i64::wrapping_add),
                other => {
                    floats!(other, C => map::map2::<C, C, C>(&sum, &value, &sum, |a, b| a + b));
                }
            }
        });
    }
    plan.rows_done(&sum);
    plan.done()
}
