//! Softmax, its logarithm, and their gradients.

use millpond_kernels::{Element, View, floats, norm};

use super::{axes_of, axis_of, expect_shape};
use crate::plan::{Plan, Planned};
use crate::promote::is_complex;
use crate::refusal::Refusal;
use crate::require;
use crate::row_ops::with_axis;
use crate::tensor::Tensor;

/// The type that functions over rows compute in.
pub(super) fn row_type(tensors: &[&Tensor]) -> Result<Element, Refusal> {
    if let Some(complex) = tensors.iter().find(|tensor| is_complex(tensor.element())) {
        return Err(Refusal::unsupported(format!(
            "Millpond does not compute this function of {} numbers",
            complex.element().name()
        )));
    }
    let double = tensors
        .iter()
        .any(|tensor| tensor.element() == Element::F64);
    Ok(if double { Element::F64 } else { Element::F32 })
}

fn forward(
    x: &Tensor,
    dim: i64,
    out: &Tensor,
    single: fn(&View, &View),
    double: fn(&View, &View),
) -> Planned {
    expect_shape(out, &x.dims)?;
    let axis = axis_of(x, dim, "dim")?;
    let element = row_type(&[x, out])?;
    let mut plan = Plan::new();
    let input = with_axis(&plan.input(x));
    let output = with_axis(&plan.output_apart(out));
    let rows = plan.rows_of(&input, &[axis], element);
    let results = plan.rows_into(&output, &[axis], element);
    let into = results.rows.clone();
    plan.step(move |m| {
        let kernel = if element == Element::F64 {
            double
        } else {
            single
        };
        kernel(&m.view(&rows), &m.view(&into));
    });
    plan.rows_done(&results);
    plan.done()
}

/// e^x / Σ e^x along an axis.
pub(crate) fn softmax(x: &Tensor, dim: i64, out: &Tensor) -> Planned {
    forward(x, dim, out, norm::softmax::<f32>, norm::softmax::<f64>)
}

/// The logarithm of softmax.
pub(crate) fn log_softmax(x: &Tensor, dim: i64, out: &Tensor) -> Planned {
    forward(
        x,
        dim,
        out,
        norm::log_softmax::<f32>,
        norm::log_softmax::<f64>,
    )
}

fn backward(
    grad: &Tensor,
    y: &Tensor,
    dim: i64,
    out: &Tensor,
    single: fn(&View, &View, &View),
    double: fn(&View, &View, &View),
) -> Planned {
    expect_shape(out, &y.dims)?;
    require!(
        grad.dims == y.dims,
        "'gradOutput' has the shape {:?}, but 'output' has {:?}",
        grad.dims,
        y.dims
    );
    let axis = axis_of(y, dim, "dim")?;
    let element = row_type(&[grad, y, out])?;
    let mut plan = Plan::new();
    let (grad, y) = (with_axis(&plan.input(grad)), with_axis(&plan.input(y)));
    let output = with_axis(&plan.output_apart(out));
    let grad = plan.rows_of(&grad, &[axis], element);
    let y = plan.rows_of(&y, &[axis], element);
    let results = plan.rows_into(&output, &[axis], element);
    let into = results.rows.clone();
    plan.step(move |m| {
        let kernel = if element == Element::F64 {
            double
        } else {
            single
        };
        kernel(&m.view(&grad), &m.view(&y), &m.view(&into));
    });
    plan.rows_done(&results);
    plan.done()
}

/// y · (grad − Σ grad · y).
pub(crate) fn softmax_backward(grad: &Tensor, y: &Tensor, dim: i64, out: &Tensor) -> Planned {
    backward(
        grad,
        y,
        dim,
        out,
        norm::softmax_backward::<f32>,
        norm::softmax_backward::<f64>,
    )
}

/// grad − e^y · Σ grad.
pub(crate) fn log_softmax_backward(grad: &Tensor, y: &Tensor, dim: i64, out: &Tensor) -> Planned {
    backward(
        grad,
        y,
        dim,
        out,
        norm::log_softmax_backward::<f32>,
        norm::log_softmax_backward::<f64>,
    )
}

/// ln Σ e^x over axes.
pub(crate) fn log_sum_exp(x: &Tensor, dims: &[i64], keep: bool, out: &Tensor) -> Planned {
    let axes = axes_of(x, dims, "dims")?;
    expect_shape(
        out,
        &millpond_kernels::reduce::kept_dims(&x.dims, &axes, keep),
    )?;
    let element = row_type(&[x, out])?;
    let mut plan = Plan::new();
    let input = plan.input(x);
    let output = plan.output_apart(out);
    let rows = plan.rows_of(&input, &axes, element);
    let results = plan.packed_into(&output, element);
    let into = results.rows.clone();
    plan.step(move |m| {
        let into = m.view(&into).unsqueeze(1);
        floats!(element, T => norm::log_sum_exp::<T>(&m.view(&rows), &into));
    });
    plan.rows_done(&results);
    plan.done()
}
