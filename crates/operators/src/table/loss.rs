//! Losses and their gradients.

use super::{Row, row};
use crate::Why;
use crate::context::{Context, refused};
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row(
        "NLLLoss",
        "x [N, C], target [N], weight? [C]; reduction = mean, ignore_index = -100: loss, total weight",
        nll,
    ),
    row(
        "NLLLossGrad",
        "x, dy, target, weight, total_weight; reduction = mean, ignore_index = -100",
        nll_grad,
    ),
    row("MseLoss", "x, target; reduction = mean", |cx| {
        loss(cx, |x, y| (x - y).square())
    }),
    row("MseLossGrad", "x, target, dy; reduction = mean", |cx| {
        loss_grad(cx, [0, 1, 2], |x, y| (x - y) * 2.0)
    }),
    row(
        "LpLoss",
        "x, target; p = 1, reduction = mean",
        |cx| match cx.int_or("p", 1)? {
            1 => loss(cx, |x, y| (x - y).abs()),
            other => Err(refused("p", &other, "1")),
        },
    ),
    row("L1LossGrad", "dy, x, target; reduction = mean", |cx| {
        loss_grad(cx, [1, 2, 0], |x, y| (x - y).sign())
    }),
    row(
        "SmoothL1LossV2",
        "x, target; sigma = 1, reduction = mean: a parabola nearer than sigma",
        |cx| {
            let sigma = cx.real_or("sigma", 1.0)?;
            loss(cx, |x, y| {
                let far = (x - y).abs();
                far.below(sigma)
                    .choose(far * far * 0.5 / sigma, far - 0.5 * sigma)
            })
        },
    ),
    row(
        "SmoothL1LossGradV2",
        "x, target, dy; sigma = 1, reduction = mean",
        |cx| {
            let sigma = cx.real_or("sigma", 1.0)?;
            loss_grad(cx, [0, 1, 2], |x, y| {
                let apart = x - y;
                apart.abs().below(sigma).choose(apart / sigma, apart.sign())
            })
        },
    ),
    row("SoftMarginLoss", "x, target; reduction = mean", |cx| {
        loss(cx, |x, y| (-y * x).softplus())
    }),
    row(
        "SoftMarginLossGrad",
        "x, target, dy; reduction = mean",
        |cx| loss_grad(cx, [0, 1, 2], |x, y| -y * (-y * x).sigmoid()),
    ),
    row(
        "BinaryCrossEntropy",
        "x, target, weight?; reduction = mean",
        |cx| {
            let [x, y] = [cx.float(0)?, cx.float(1)?];
            // A logarithm of 0 counts as -100, so that 0 times it is 0.
            let loss =
                -(y * x.log().at_least(-100.0) + (1.0 - y) * (1.0 - x).log().at_least(-100.0));
            give_reduced(cx, weighted(cx, loss, 2)?)
        },
    ),
    row(
        "BinaryCrossEntropyGrad",
        "x, target, dy, weight?; reduction = mean",
        |cx| {
            let [x, y, dy] = [cx.float(0)?, cx.float(1)?, cx.float(2)?];
            let slope = (x - y) / (x * (1.0 - x)).at_least(1e-12);
            give_share(cx, weighted(cx, slope * dy, 3)?)
        },
    ),
    row("SigmoidCrossEntropyWithLogits", "x, target", |cx| {
        let [x, y] = [cx.float(0)?, cx.float(1)?];
        cx.give(0, x.at_least(0.0) - x * y + (-x.abs()).softplus())
    }),
    row("SigmoidCrossEntropyWithLogitsGrad", "x, target, dy", |cx| {
        let [x, y, dy] = [cx.float(0)?, cx.float(1)?, cx.float(2)?];
        cx.give(0, (x.sigmoid() - y) * dy)
    }),
    row(
        "SigmoidCrossEntropyWithLogitsV2",
        "x, target, weight?, pos_weight?; reduction = mean",
        |cx| {
            let [x, y] = [cx.float(0)?, cx.float(1)?];
            let low = (-x).softplus();
            let positive = cx.optional_float(3)?;
            let rise = positive.map_or(low, |weight| ((weight - 1.0) * y + 1.0) * low);
            give_reduced(cx, weighted(cx, (1.0 - y) * x + rise, 2)?)
        },
    ),
    row(
        "SigmoidCrossEntropyWithLogitsGradV2",
        "x, target, dy, weight?, pos_weight?; reduction = mean",
        |cx| {
            let [x, y, dy] = [cx.float(0)?, cx.float(1)?, cx.float(2)?];
            let slope = match cx.optional_float(4)? {
                Some(weight) => (weight * y + 1.0 - y) * x.sigmoid() - weight * y,
                None => x.sigmoid() - y,
            };
            give_share(cx, weighted(cx, slope * dy, 3)?)
        },
    ),
    row(
        "KLDiv",
        "x, target; reduction = mean, log_target = false",
        |cx| {
            let [x, y] = [cx.float(0)?, cx.float(1)?];
            let loss = if cx.flag_or("log_target", false)? {
                y.exp() * (y - x)
            } else {
                (y * (y.log() - x)).where_true(y.above(0.0))
            };
            give_reduced(cx, loss)
        },
    ),
    row(
        "KlDivLossGrad",
        "dy, x, target; reduction = mean, log_target = false",
        |cx| {
            let log = cx.flag_or("log_target", false)?;
            loss_grad(cx, [1, 2, 0], |x, y| {
                // The input has no part in it beyond its shape.
                let share = if log { y.exp() } else { y };
                -share + x.filled(0.0)
            })
        },
    ),
];

fn loss<'c>(cx: &'c Context<'c>, formula: impl Fn(Val<'c>, Val<'c>) -> Val<'c>) -> Result<(), Why> {
    give_reduced(cx, formula(cx.float(0)?, cx.float(1)?))
}

/// A gradient whose prediction, target and incoming gradient are these inputs.
fn loss_grad<'c>(
    cx: &'c Context<'c>,
    [x, y, dy]: [usize; 3],
    slope: impl Fn(Val<'c>, Val<'c>) -> Val<'c>,
) -> Result<(), Why> {
    let slope = slope(cx.float(x)?, cx.float(y)?);
    give_share(cx, slope * cx.float(dy)?)
}

fn weighted<'c>(cx: &'c Context<'c>, value: Val<'c>, weight: usize) -> Result<Val<'c>, Why> {
    let weight = cx.optional_float(weight)?;
    Ok(weight.map_or(value, |weight| value * weight))
}

fn reduction<'c>(cx: &'c Context<'c>) -> Result<String, Why> {
    let reduction = cx.text_or("reduction", "mean")?;
    match reduction.as_str() {
        "none" | "mean" | "sum" | "batchmean" => Ok(reduction),
        other => Err(refused("reduction", &other, "none, mean, sum or batchmean")),
    }
}

fn give_reduced<'c>(cx: &'c Context<'c>, losses: Val<'c>) -> Result<(), Why> {
    match reduction(cx)?.as_str() {
        "none" => cx.give(0, losses),
        "mean" => cx.give_scalar(0, losses.total() / losses.size()),
        "batchmean" => cx.give_scalar(0, losses.total() / losses.extent(&[0])),
        _ => cx.give_scalar(0, losses.total()),
    }
}

/// The gradient of one element, as its share in the reduced loss has it.
fn give_share<'c>(cx: &'c Context<'c>, slopes: Val<'c>) -> Result<(), Why> {
    match reduction(cx)?.as_str() {
        "mean" => cx.give(0, slopes / slopes.size()),
        "batchmean" => cx.give(0, slopes / slopes.extent(&[0])),
        _ => cx.give(0, slopes),
    }
}

/// For each target: the index with ignored ones at 0, and its weight, which is 0 for ignored ones.
fn targets<'c>(
    cx: &'c Context<'c>,
    x: Val<'c>,
    target: usize,
    weight: usize,
) -> Result<[Val<'c>; 2], Why> {
    let ignored = cx.int_or("ignore_index", -100)?;
    let target = cx.indices(target)?.flat();
    let counts = target.equal(cx.int_of(ignored)).not();
    let safe = target.where_true(counts);
    let weight = match cx.optional_float(weight)? {
        Some(weight) => weight.flat().gather(safe, 0),
        None => x.like(1.0),
    };
    Ok([safe, weight * counts.cast(x.element())])
}

/// The scores as [N, C]; a single sample may come without its N.
fn scores<'c>(cx: &'c Context<'c>) -> Result<Val<'c>, Why> {
    let rank = cx.needs_rank(0, |rank| rank == 1 || rank == 2, "1 or 2")?;
    let x = cx.float(0)?;
    Ok(if rank == 1 { x.unsqueeze(&[0]) } else { x })
}

fn nll<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let x = scores(cx)?;
    let [target, weight] = targets(cx, x, 1, 2)?;
    let chosen = x.apply(
        "GatherElements",
        &[target.unsqueeze(&[1])],
        &[("axis", 1_i64.into())],
    );
    let losses = -chosen.squeeze(&[1]) * weight;
    let total = weight.total();
    match reduction(cx)?.as_str() {
        "none" if cx.output_rank(0)? == 0 => cx.give_scalar(0, losses)?,
        "none" => cx.give(0, losses)?,
        "mean" => cx.give_scalar(0, losses.total() / total)?,
        _ => cx.give_scalar(0, losses.total())?,
    }
    cx.give_scalar(1, total)
}

fn nll_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let x = scores(cx)?;
    let [target, weight] = targets(cx, x, 2, 3)?;
    let share = weight * cx.float(1)?.flat();
    cx.ignore(4);
    let is_mean = reduction(cx)? == "mean";
    let share = if is_mean {
        share / cx.float(4)?.flat()
    } else {
        share
    };
    let hot = target.unsqueeze(&[1]).equal(x.length(1).count_up());
    let grad = -share.unsqueeze(&[1]).where_true(hot);
    cx.give(0, grad.reshape_like(cx.float(0)?))
}
