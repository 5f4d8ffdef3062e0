//! Softmax of scaled scores, some of which are masked.

use millpond_kernels::{Bool8, Compute, Element, Float, floats, rows};

use super::expect_shape;
use crate::plan::{Plan, Planned, Value};
use crate::promote::is_float;
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// What a masked score is replaced by.
const MASKED: f64 = -10_000.0;

/// The mask for each score, one behind the other. A causal mask covers the columns behind the row's own number, and leaves out the tensor.
fn mask_of(
    plan: &mut Plan,
    x: &Tensor,
    mask: &Tensor,
    causal: bool,
) -> Result<Option<Value>, Refusal> {
    require!(
        is_float(x.element()) && x.rank() >= 2,
        "scores of type {} and shape {:?} must have a floating-point type and at least two dimensions",
        x.element().name(),
        x.dims
    );
    if causal {
        return Ok(None);
    }
    require!(
        super::broadcast(&[mask, x])? == x.dims,
        "'mask' of shape {:?} does not broadcast to {:?}",
        mask.dims,
        x.dims
    );
    let mask = plan.input(mask).expand(&x.dims);
    Ok(Some(plan.contiguous(&mask, Element::Bool)))
}

/// Whether the score of a row and column is masked.
fn is_masked(
    flags: Option<&[Bool8]>,
    row: usize,
    height: usize,
    width: usize,
    column: usize,
) -> bool {
    match flags {
        Some(flags) => flags[row * width + column].0 != 0,
        None => column > row % height,
    }
}

/// softmax(scale · self), where masked scores are −10000.
pub(crate) fn forward(
    x: &Tensor,
    mask: &Tensor,
    scale: f64,
    causal: bool,
    out: &Tensor,
) -> Planned {
    expect_shape(out, &x.dims)?;
    let mut plan = Plan::new();
    let flags = mask_of(&mut plan, x, mask, causal)?;
    let value = plan.input(x);
    let z = plan.output_apart(out);
    if out.is_empty() {
        return plan.done();
    }
    let value = plan.computable(&value);
    let result = plan.temp(value.element(), &x.dims);
    let (into, element) = (result.clone(), value.element());
    let height = usize::try_from(x.dims[x.rank() - 2]).unwrap_or(1);
    plan.step(move |m| {
        let flags = flags.as_ref().map(|flags| m.view(flags));
        let flags = flags.as_ref().and_then(|flags| flags.slice::<Bool8>());
        floats!(element, C => rows::rows1::<C, C>(&m.view(&value), &m.view(&into), |row, from, to| {
            let width = from.len();
            let mut most = C::of(f64::NEG_INFINITY);
            for (column, (x, y)) in from.iter().zip(to.iter_mut()).enumerate() {
                *y = if is_masked(flags, row, height, width, column) { C::of(MASKED) } else { *x * C::of(scale) };
                most = most.max_nan(*y);
            }
            let mut sum = 0.0;
            for y in to.iter_mut() {
                *y = (*y - most).exp();
                sum += y.to_f64();
            }
            for y in to.iter_mut() {
                *y /= C::of(sum);
            }
        }));
    });
    plan.copy(&result, &z);
    plan.done()
}

/// Its gradient: scale · y · (dy − Σ dy·y), and 0 where scores are masked.
pub(crate) fn backward(
    grad: &Tensor,
    y: &Tensor,
    mask: &Tensor,
    scale: f64,
    causal: bool,
    out: &Tensor,
) -> Planned {
    expect_shape(out, &y.dims)?;
    expect_shape(grad, &y.dims)?;
    let mut plan = Plan::new();
    let flags = mask_of(&mut plan, y, mask, causal)?;
    let (grad, value) = (plan.input(grad), plan.input(y));
    let z = plan.output_apart(out);
    if out.is_empty() {
        return plan.done();
    }
    let value = plan.computable(&value);
    let element = value.element();
    let grad = plan.contiguous(&grad, element);
    let result = plan.temp(element, &y.dims);
    let into = result.clone();
    let height = usize::try_from(y.dims[y.rank() - 2]).unwrap_or(1);
    plan.step(move |m| {
        let flags = flags.as_ref().map(|flags| m.view(flags));
        let flags = flags.as_ref().and_then(|flags| flags.slice::<Bool8>());
        floats!(element, C => rows::rows2::<C, C, C>(&m.view(&grad), &m.view(&value), &m.view(&into), |row, grad, y, to| {
            let sum: f64 = grad.iter().zip(y).map(|(grad, y)| grad.to_f64() * y.to_f64()).sum();
            for (column, place) in to.iter_mut().enumerate() {
                *place = if is_masked(flags, row, height, y.len(), column) {
                    C::of(0.0)
                } else {
                    C::of(scale * y[column].to_f64() * (grad[column].to_f64() - sum))
                };
            }
        }));
    });
    plan.copy(&result, &z);
    plan.done()
}
