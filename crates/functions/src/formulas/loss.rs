//! Losses of elements: a distance for each pair of elements, their mean, or their sum.

use millpond_kernels::{
    Dims, Element, Float, broadcast_dims, compute_type, count, floats, map, reduce,
};

use super::elementwise::expect_kind;
use super::{broadcast, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, as_float, check_result, promote};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;
use millpond_kernels::activation::{log_sigmoid, sigmoid};

/// What becomes of the losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// They stay.
    None,
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
}

impl Reduction {
    pub(crate) fn of(number: i64) -> Result<Self, Refusal> {
        match number {
            0 => Ok(Self::None),
            1 => Ok(Self::Mean),
            2 => Ok(Self::Sum),
            _ => Err(Refusal::invalid(format!(
                "'reduction' is {number}: it must be 0 (none), 1 (mean) or 2 (sum)"
            ))),
        }
    }

    pub(crate) fn named(name: &str) -> Result<Self, Refusal> {
        match name {
            "none" => Ok(Self::None),
            "mean" => Ok(Self::Mean),
            "sum" => Ok(Self::Sum),
            _ => Err(Refusal::invalid(format!(
                "'reduction' is \"{name}\": it must be \"none\", \"mean\" or \"sum\""
            ))),
        }
    }

    /// What the gradient of each loss is multiplied by.
    #[expect(clippy::cast_precision_loss, reason = "the nearest one")]
    fn scale(self, dims: &[i64]) -> f64 {
        if self == Self::Mean {
            1.0 / count(dims) as f64
        } else {
            1.0
        }
    }
}

/// Refuses an output that is not one number.
pub(crate) fn expect_one(out: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        out.count() == 1,
        "'{argument}' has the shape {:?}: it must have one element",
        out.dims
    );
    Ok(())
}

/// A value with one element, without axes.
pub(crate) fn single(value: &Value) -> Value {
    value.reshaped(&[]).unwrap_or_else(|| value.clone())
}

/// A tensor that broadcasts to dimensions. One element always does, whatever axes it has.
fn input_for(
    plan: &mut Plan,
    tensor: &Tensor,
    dims: &[i64],
    argument: &str,
) -> Result<Value, Refusal> {
    let value = plan.input(tensor);
    if value.count() == 1 {
        return Ok(single(&value));
    }
    let wide = broadcast_dims(&tensor.dims, dims);
    require!(
        wide.is_some_and(|wide| wide[..] == *dims),
        "'{argument}' has the shape {:?}, which does not broadcast to {dims:?}",
        tensor.dims
    );
    Ok(value)
}

/// The type that losses are computed in.
fn loss_element(tensors: &[&Tensor], out: &Tensor) -> Result<Element, Refusal> {
    let promoted = tensors
        .iter()
        .map(|tensor| tensor.element())
        .reduce(promote)
        .unwrap_or(Element::F32);
    let element = as_float(promoted);
    expect_kind(element, Category::Float, Category::Float)?;
    check_result(element, out)?;
    Ok(element)
}

/// Where losses go, and the steps that reduce them there. `losses` adds the step that computes them.
fn reduced(
    mut plan: Plan,
    element: Element,
    dims: &Dims,
    reduction: Reduction,
    out: &Tensor,
    losses: impl FnOnce(&mut Plan, Value),
) -> Planned {
    if reduction == Reduction::None {
        expect_shape(out, dims)?;
        let out = plan.output(out);
        losses(&mut plan, out);
        return plan.done();
    }
    expect_one(out, "out")?;
    let all = plan.temp(compute_type(element), dims);
    losses(&mut plan, all.clone());
    let out = single(&plan.output_apart(out));
    let scale = reduction.scale(dims);
    let axes: Vec<usize> = (0..dims.len()).collect();
    plan.step(move |m| {
        let (all, out) = (m.view(&all), m.view(&out));
        floats!(element, C => reduce::sum::<C, C>(&all, &axes, &out, |sum| C::of(sum * scale)));
    });
    plan.done()
}

/// A loss of two elements, written once for both types.
macro_rules! loss_of {
    ($x:expr, $target:expr, $reduction:expr, $out:expr, $type:ident, |$v:ident, $w:ident| $body:expr) => {{
        let (x, target, out) = ($x, $target, $out);
        let dims = broadcast(&[x, target])?;
        let element = loss_element(&[x, target], out)?;
        let mut plan = Plan::new();
        let (x, target) = (plan.input(x), plan.input(target));
        reduced(plan, element, &dims, Reduction::of($reduction)?, out, move |plan, into| {
            plan.step(move |m| {
                floats!(element, $type => {
                    map::map2::<$type, $type, $type>(&m.view(&x), &m.view(&target), &m.view(&into), |$v, $w| $body);
                });
            });
        })
    }};
}

/// Its gradient, which is multiplied by that of the result and by the scale of the reduction.
macro_rules! gradient_of {
    ($gradient:expr, $x:expr, $target:expr, $reduction:expr, $out:expr, $type:ident, |$v:ident, $w:ident| $body:expr) => {{
        let (gradient, x, target, out) = ($gradient, $x, $target, $out);
        let dims = broadcast(&[x, target])?;
        expect_shape(out, &dims)?;
        let element = loss_element(&[gradient, x, target], out)?;
        let scale = Reduction::of($reduction)?.scale(&dims);
        let mut plan = Plan::new();
        let gradient = input_for(&mut plan, gradient, &dims, "gradOutput")?;
        let (x, target) = (plan.input(x), plan.input(target));
        let into = plan.output(out);
        plan.step(move |m| {
            floats!(element, $type => {
                let scale = $type::of(scale);
                let (gradient, x, target) = (m.view(&gradient), m.view(&x), m.view(&target));
                map::map3::<$type, $type, $type, $type>(&gradient, &x, &target, &m.view(&into), |g, $v, $w| {
                    g * scale * $body
                });
            });
        });
        plan.done()
    }};
}

/// (x − target)².
pub(crate) fn mse(x: &Tensor, target: &Tensor, reduction: i64, out: &Tensor) -> Planned {
    loss_of!(x, target, reduction, out, C, |x, t| (x - t) * (x - t))
}

/// The gradient of [`mse`].
pub(crate) fn mse_backward(
    gradient: &Tensor,
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    out: &Tensor,
) -> Planned {
    gradient_of!(gradient, x, target, reduction, out, C, |x, t| {
        let twice: C = 2.0 * (x - t);
        twice
    })
}

/// |x − target|.
pub(crate) fn l1(x: &Tensor, target: &Tensor, reduction: i64, out: &Tensor) -> Planned {
    loss_of!(x, target, reduction, out, C, |x, t| (x - t).abs())
}

/// −1, 0 or 1; 0 for NaN.
#[inline(always)]
fn sign<C: Float>(x: C) -> C {
    let zero = C::of(0.0);
    let below = if x < zero { C::of(-1.0) } else { zero };
    if x > zero { C::of(1.0) } else { below }
}

/// The gradient of [`l1`].
pub(crate) fn l1_backward(
    gradient: &Tensor,
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    out: &Tensor,
) -> Planned {
    gradient_of!(gradient, x, target, reduction, out, C, |x, t| sign(x - t))
}

fn expect_beta(beta: f32) -> Result<f64, Refusal> {
    require!(beta >= 0.0, "'sigma' is {beta}: it must not be negative");
    Ok(f64::from(beta))
}

/// The square of small differences, the distance of others.
pub(crate) fn smooth_l1(
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    beta: f32,
    out: &Tensor,
) -> Planned {
    let beta = expect_beta(beta)?;
    loss_of!(x, target, reduction, out, C, |x, t| {
        let (distance, beta) = ((x - t).abs(), C::of(beta));
        if distance < beta {
            0.5 * distance * distance / beta
        } else {
            distance - 0.5 * beta
        }
    })
}

/// The gradient of [`smooth_l1`].
pub(crate) fn smooth_l1_backward(
    gradient: &Tensor,
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    beta: f32,
    out: &Tensor,
) -> Planned {
    let beta = expect_beta(beta)?;
    gradient_of!(gradient, x, target, reduction, out, C, |x, t| {
        let (difference, beta) = (x - t, C::of(beta));
        if difference.abs() >= beta {
            sign(difference)
        } else {
            difference / beta
        }
    })
}

/// target · (ln target − x), or exp(target) · (target − x) for targets that are logarithms. A target of 0 counts for nothing.
pub(crate) fn kl_div(
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    is_log: bool,
    out: &Tensor,
) -> Planned {
    if is_log {
        loss_of!(x, target, reduction, out, C, |x, t| t.exp() * (t - x))
    } else {
        loss_of!(x, target, reduction, out, C, |x, t| {
            let own: C = if t == 0.0 { 0.0 } else { t * t.ln() };
            own - t * x
        })
    }
}

/// The gradient of [`kl_div`].
pub(crate) fn kl_div_backward(
    gradient: &Tensor,
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    is_log: bool,
    out: &Tensor,
) -> Planned {
    if is_log {
        gradient_of!(gradient, x, target, reduction, out, C, |_x, t| -t.exp())
    } else {
        gradient_of!(gradient, x, target, reduction, out, C, |_x, t| -t)
    }
}

/// The gradient of [`kl_div`] for the target. At a target of 0 it is NaN, as on PyTorch's CPU device.
pub(crate) fn kl_div_target_backward(
    gradient: &Tensor,
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    is_log: bool,
    out: &Tensor,
) -> Planned {
    if is_log {
        gradient_of!(gradient, x, target, reduction, out, C, |x, t| t.exp()
            * (t + C::of(1.0) - x))
    } else {
        gradient_of!(gradient, x, target, reduction, out, C, |x, t| {
            if t == 0.0 {
                C::of(f64::NAN)
            } else {
                t.ln() + C::of(1.0) - x
            }
        })
    }
}

/// ln(1 + exp(−target · x)).
pub(crate) fn soft_margin(x: &Tensor, target: &Tensor, reduction: i64, out: &Tensor) -> Planned {
    loss_of!(x, target, reduction, out, C, |x, t| -log_sigmoid::<C>(
        t * x
    ))
}

/// The gradient of [`soft_margin`].
pub(crate) fn soft_margin_backward(
    gradient: &Tensor,
    x: &Tensor,
    target: &Tensor,
    reduction: i64,
    out: &Tensor,
) -> Planned {
    gradient_of!(gradient, x, target, reduction, out, C, |x, t| -t
        * sigmoid::<C>(-t * x))
}

/// Optional weights, which broadcast to the losses.
fn weights_for(
    plan: &mut Plan,
    weights: [Option<&Tensor>; 2],
    dims: &[i64],
) -> Result<[Option<Value>; 2], Refusal> {
    let [weight, positive] = weights;
    let mut input = |tensor: Option<&Tensor>, argument| {
        tensor
            .map(|tensor| input_for(plan, tensor, dims, argument))
            .transpose()
    };
    Ok([input(weight, "weight")?, input(positive, "posWeight")?])
}

/// Adds the step that multiplies results by weights, which may be absent.
fn weigh(plan: &mut Plan, element: Element, weight: Option<Value>, into: &Value) {
    let Some(weight) = weight else { return };
    let into = into.clone();
    plan.step(move |m| {
        let into = m.view(&into);
        floats!(element, C => map::map2::<C, C, C>(&into, &m.view(&weight), &into, |x, w| x * w));
    });
}

/// Losses of probabilities or of their logits, weighed before they are reduced. Weights multiply unrounded losses.
fn binary(
    [x, target]: [&Tensor; 2],
    weights: [Option<&Tensor>; 2],
    reduction: i64,
    out: &Tensor,
    single_loss: fn(f32, f32, f32) -> f32,
    double_loss: fn(f64, f64, f64) -> f64,
) -> Planned {
    let dims = broadcast(&[x, target])?;
    let element = loss_element(&[x, target], out)?;
    let mut plan = Plan::new();
    let (x, target) = (plan.input(x), plan.input(target));
    let [weight, positive] = weights_for(&mut plan, weights, &dims)?;
    let reduction = Reduction::of(reduction)?;
    reduced(plan, element, &dims, reduction, out, move |plan, into| {
        let losses = if weight.is_some() && into.element() != compute_type(element) {
            plan.temp(compute_type(element), into.dims())
        } else {
            into.clone()
        };
        let first = losses.clone();
        plan.step(move |m| {
            let (x, target, into) = (m.view(&x), m.view(&target), m.view(&first));
            match (&positive, element) {
                (Some(positive), Element::F64) => {
                    map::map3(&x, &target, &m.view(positive), &into, double_loss);
                }
                (Some(positive), _) => {
                    map::map3(&x, &target, &m.view(positive), &into, single_loss);
                }
                (None, Element::F64) => {
                    map::map2(&x, &target, &into, |x, t| double_loss(x, t, 1.0));
                }
                (None, _) => map::map2(&x, &target, &into, |x, t| single_loss(x, t, 1.0)),
            }
        });
        let weighs = weight.is_some();
        weigh(plan, element, weight, &losses);
        if weighs && into.element() != compute_type(element) {
            plan.copy(&losses, &into);
        }
    })
}

/// The gradient of [`binary`], from functions of the argument, the target and the weight of positives.
fn binary_backward(
    [gradient, x, target]: [&Tensor; 3],
    weights: [Option<&Tensor>; 2],
    reduction: i64,
    out: &Tensor,
    single_slope: fn(f32, f32, f32) -> f32,
    double_slope: fn(f64, f64, f64) -> f64,
) -> Planned {
    let dims = broadcast(&[x, target])?;
    expect_shape(out, &dims)?;
    let element = loss_element(&[gradient, x, target], out)?;
    let scale = Reduction::of(reduction)?.scale(&dims);
    let mut plan = Plan::new();
    let gradient = input_for(&mut plan, gradient, &dims, "gradOutput")?;
    let (x, target) = (plan.input(x), plan.input(target));
    let [weight, positive] = weights_for(&mut plan, weights, &dims)?;
    let factors = plan.temp(compute_type(element), &dims);
    let into = plan.output(out);
    plan.step({
        let factors = factors.clone();
        move |m| {
            let (gradient, factors) = (m.view(&gradient), m.view(&factors));
            floats!(element, C => {
                let scale = C::of(scale);
                map::map1::<C, C>(&gradient, &factors, |g| g * scale);
            });
        }
    });
    weigh(&mut plan, element, weight, &factors);
    plan.step(move |m| {
        let (x, target, factors, into) =
            (m.view(&x), m.view(&target), m.view(&factors), m.view(&into));
        match (&positive, element) {
            (Some(positive), Element::F64) => {
                map::map4(
                    &x,
                    &target,
                    &m.view(positive),
                    &factors,
                    &into,
                    |x, t, p, f: f64| f * double_slope(x, t, p),
                );
            }
            (Some(positive), _) => {
                map::map4(
                    &x,
                    &target,
                    &m.view(positive),
                    &factors,
                    &into,
                    |x, t, p, f: f32| f * single_slope(x, t, p),
                );
            }
            (None, Element::F64) => map::map3(&x, &target, &factors, &into, |x, t, f: f64| {
                f * double_slope(x, t, 1.0)
            }),
            (None, _) => map::map3(&x, &target, &factors, &into, |x, t, f: f32| {
                f * single_slope(x, t, 1.0)
            }),
        }
    });
    plan.done()
}

/// A function for both types, as a pair.
macro_rules! for_both {
    ($call:ident($($argument:expr),*), $type:ident, |$x:ident, $t:ident, $p:ident| $body:expr) => {
        $call(
            $($argument,)*
            |$x, $t, $p| {
                type $type = f32;
                $body
            },
            |$x, $t, $p| {
                type $type = f64;
                $body
            },
        )
    };
}

/// −(t · ln x + (1 − t) · ln(1 − x)); logarithms end at −100.
pub(crate) fn binary_cross_entropy(
    x: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    out: &Tensor,
) -> Planned {
    for_both!(
        binary([x, target], [weight, None], reduction, out),
        C,
        |x, t, _p| {
            let least: C = -100.0;
            (t - 1.0) * (-x).ln_1p().max_nan(least) - t * x.ln().max_nan(least)
        }
    )
}

/// The gradient of [`binary_cross_entropy`].
pub(crate) fn binary_cross_entropy_backward(
    gradient: &Tensor,
    x: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    out: &Tensor,
) -> Planned {
    for_both!(
        binary_backward([gradient, x, target], [weight, None], reduction, out),
        C,
        |x, t, _p| {
            let least: C = 1e-12;
            (x - t) / ((1.0 - x) * x).max_nan(least)
        }
    )
}

/// The same of sigmoid(x), without its overflow. Positives weigh `positive`.
pub(crate) fn binary_cross_entropy_with_logits(
    x: &Tensor,
    target: &Tensor,
    weights: [Option<&Tensor>; 2],
    reduction: i64,
    out: &Tensor,
) -> Planned {
    for_both!(
        binary([x, target], weights, reduction, out),
        C,
        |x, t, p| (1.0 - t) * x - ((p - 1.0) * t + 1.0) * log_sigmoid::<C>(x)
    )
}

/// The gradient of [`binary_cross_entropy_with_logits`].
pub(crate) fn binary_cross_entropy_with_logits_backward(
    gradient: &Tensor,
    x: &Tensor,
    target: &Tensor,
    weights: [Option<&Tensor>; 2],
    reduction: i64,
    out: &Tensor,
) -> Planned {
    for_both!(
        binary_backward([gradient, x, target], weights, reduction, out),
        C,
        |x, t, p| (p * t + 1.0 - t) * sigmoid::<C>(x) - p * t
    )
}
