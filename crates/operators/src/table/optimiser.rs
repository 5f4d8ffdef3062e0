//! Steps of optimisers.
//!
//! State beside the variable is updated as well. A request must have an output for it; without one the
//! update would be lost without a word.

use super::{Row, row};
use crate::Why;
use crate::context::Context;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row(
        "ApplyGradientDescent",
        "var, alpha, delta: var - alpha delta",
        |cx| cx.give(0, cx.float(0)? - scalar(cx, 1)? * cx.float(2)?),
    ),
    row(
        "ApplyMomentum",
        "var, accum, lr, grad, momentum; use_nesterov = false: var, accum",
        momentum,
    ),
    row(
        "ApplyMomentumD",
        "var, accum, lr, grad, momentum; use_nesterov = false: var, accum",
        momentum,
    ),
    row(
        "ApplyAdam",
        "var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad; use_nesterov = false: var, m, v",
        adam,
    ),
    row(
        "ApplyAdamD",
        "var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad; use_nesterov = false: var, m, v",
        adam,
    ),
    row(
        "ApplyAdaMax",
        "var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad: var, m, v",
        |cx| {
            let [var, m, v, grad] = [cx.float(0)?, cx.float(1)?, cx.float(2)?, cx.float(8)?];
            let [power, lr, beta1, beta2, epsilon] = scalars(cx, 3)?;
            let m = m * beta1 + grad * (1.0 - beta1);
            let v = (v * beta2).max(grad.abs());
            give_all(cx, &[var - lr / (1.0 - power) * m / (v + epsilon), m, v])
        },
    ),
    row(
        "ApplyAdagrad",
        "var, accum, lr, grad; update_slots = true: var, accum",
        |cx| adagrad(cx, None),
    ),
    row(
        "ApplyAdagradD",
        "var, accum, lr, grad; update_slots = true: var, accum",
        |cx| adagrad(cx, None),
    ),
    row(
        "ApplyAdagradV2",
        "var, accum, lr, epsilon, grad; update_slots = true: var, accum",
        |cx| adagrad(cx, Some(scalar(cx, 3)?)),
    ),
    row(
        "ApplyAdadelta",
        "var, accum, accum_update, lr, rho, epsilon, grad: var, accum, accum_update",
        |cx| {
            let [var, accum, updates, grad] =
                [cx.float(0)?, cx.float(1)?, cx.float(2)?, cx.float(6)?];
            let [lr, rho, epsilon] = scalars(cx, 3)?;
            let accum = accum * rho + grad.square() * (1.0 - rho);
            let step = (updates + epsilon).sqrt() * (accum + epsilon).sqrt().reciprocal() * grad;
            let updates = updates * rho + step.square() * (1.0 - rho);
            give_all(cx, &[var - step * lr, accum, updates])
        },
    ),
    row(
        "ApplyRMSProp",
        "var, ms, mom, lr, rho, momentum, epsilon, grad: var, ms, mom",
        |cx| {
            let [lr, rho, momentum, epsilon] = scalars(cx, 3)?;
            rms(cx, lr, [rho, momentum, epsilon], 7)
        },
    ),
    row(
        "ApplyRMSPropD",
        "var, ms, mom, lr, grad; rho, momentum, epsilon: var, ms, mom",
        |cx| {
            let lr = scalar(cx, 3)?;
            let [rho, momentum, epsilon] =
                [cx.real("rho")?, cx.real("momentum")?, cx.real("epsilon")?];
            rms(cx, lr, [rho, momentum, epsilon].map(|it| lr.like(it)), 4)
        },
    ),
    row(
        "AmpUpdateScale",
        "scale, good steps, found_inf; growth_factor, backoff_factor, growth_interval: scale, good steps",
        amp_scale,
    ),
];

/// An input that is a single number, whatever its rank.
fn scalar<'c>(cx: &'c Context<'c>, index: usize) -> Result<Val<'c>, Why> {
    Ok(cx.float(index)?.reshape(&[]))
}

fn scalars<'c, const N: usize>(cx: &'c Context<'c>, first: usize) -> Result<[Val<'c>; N], Why> {
    let mut made = [scalar(cx, first)?; N];
    for (place, value) in made.iter_mut().enumerate() {
        *value = scalar(cx, first + place)?;
    }
    Ok(made)
}

fn give_all<'c>(cx: &'c Context<'c>, values: &[Val<'c>]) -> Result<(), Why> {
    if cx.outputs() < values.len() {
        return Err(Why::MissingOutput(cx.outputs()));
    }
    let mut values = values.iter().enumerate();
    values.try_for_each(|(index, value)| cx.give(index, *value))
}

/// The scale shrinks when a gradient was infinite, and grows after so many good steps.
fn amp_scale<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [scale, steps] = [cx.float(0)?, cx.number(1)?];
    let infinite = cx.float(2)?.is(0.0).not();
    let [growth, backoff] = [cx.real("growth_factor")?, cx.real("backoff_factor")?];
    let interval = cx.int("growth_interval")?;
    let none = steps.filled(0.0);
    let next = steps + cx.scalar(steps.element(), 1.0);
    // Growing takes place once: a count beyond the interval, as a checkpoint may bring it, goes on counting.
    let full = next.equal(cx.int_of(interval).cast(steps.element()));
    let grown = scale * scale.like(growth);
    let grown = grown.below(f32::INFINITY).choose(grown, scale);
    let good = full.choose(grown, scale);
    let values = [
        infinite.choose(scale * scale.like(backoff), good),
        infinite.choose(none, full.choose(none, next)),
    ];
    give_all(cx, &values)
}

fn momentum<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [var, accum, grad] = [cx.float(0)?, cx.float(1)?, cx.float(3)?];
    let [lr, momentum] = [scalar(cx, 2)?, scalar(cx, 4)?];
    let accum = accum * momentum + grad;
    let nesterov = cx.flag_or("use_nesterov", false)?;
    let step = if nesterov {
        (grad + accum * momentum) * lr
    } else {
        accum * lr
    };
    give_all(cx, &[var - step, accum])
}

fn adam<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [var, m, v, grad] = [cx.float(0)?, cx.float(1)?, cx.float(2)?, cx.float(9)?];
    let [power1, power2, lr, beta1, beta2, epsilon] = scalars(cx, 3)?;
    let rate = lr * (1.0 - power2).sqrt() / (1.0 - power1);
    let m = m + (grad - m) * (1.0 - beta1);
    let v = v + (grad.square() - v) * (1.0 - beta2);
    let nesterov = cx.flag_or("use_nesterov", false)?;
    let step = if nesterov {
        m * beta1 + grad * (1.0 - beta1)
    } else {
        m
    };
    give_all(cx, &[var - rate * step / (v.sqrt() + epsilon), m, v])
}

fn adagrad<'c>(cx: &'c Context<'c>, epsilon: Option<Val<'c>>) -> Result<(), Why> {
    let grad = cx.float(if epsilon.is_some() { 4 } else { 3 })?;
    let [var, accum, lr] = [cx.float(0)?, cx.float(1)?, scalar(cx, 2)?];
    let updated = cx.flag_or("update_slots", true)?;
    let accum = if updated {
        accum + grad.square()
    } else {
        accum
    };
    let root = epsilon.map_or(accum.sqrt(), |epsilon| accum.sqrt() + epsilon);
    give_all(cx, &[var - lr * grad / root, accum])
}

fn rms<'c>(
    cx: &'c Context<'c>,
    lr: Val<'c>,
    [rho, momentum, epsilon]: [Val<'c>; 3],
    grad: usize,
) -> Result<(), Why> {
    let [var, ms, mom, grad] = [cx.float(0)?, cx.float(1)?, cx.float(2)?, cx.float(grad)?];
    let ms = ms * rho + grad.square() * (1.0 - rho);
    let mom = mom * momentum + lr * grad / (ms + epsilon).sqrt();
    give_all(cx, &[var - mom, ms, mom])
}
