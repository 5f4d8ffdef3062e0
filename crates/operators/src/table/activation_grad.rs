//! Gradients of activation functions. Each says in which order its inputs come: they differ.

use super::activation::{
    SELU_ALPHA, SELU_SCALE, by_channel, elu_attributes, hard_sigmoid, normal_below,
    softplus_attributes,
};
use super::math::grad;
use super::{Row, row};
use crate::Why;
use crate::context::Context;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row("ReluGrad", "dy, y", |cx| {
        grad(cx, |dy, y| dy.where_true(y.above(0.0)))
    }),
    row("Relu6Grad", "dy, y", |cx| {
        grad(cx, |dy, y| dy.where_true(y.above(0.0).and(y.below(6.0))))
    }),
    row("LeakyReluGrad", "dy, x; negative_slope = 0", |cx| {
        let slope = cx.real_or("negative_slope", 0.0)?;
        grad(cx, |dy, x| x.above(0.0).choose(dy, dy * slope))
    }),
    row("PReluGrad", "dy, x, weight: dx, dweight", prelu_grad),
    row("EluGrad", "dy, y", |cx| {
        grad(cx, |dy, y| y.below(0.0).choose(dy * (y + 1.0), dy))
    }),
    row(
        "EluGradV2",
        "dy, x; alpha, scale, input_scale = 1, is_result = false: y instead of x if so",
        |cx| {
            let [alpha, scale, inner] = elu_attributes(cx)?;
            let is_result = cx.flag_or("is_result", false)?;
            grad(cx, |dy, x| {
                let curve = (x.at_most(0.0) * inner).exp() * (alpha * scale * inner);
                let slope = if is_result {
                    (x + alpha * scale) * inner
                } else {
                    curve
                };
                x.above(0.0).choose(dy * scale, dy * slope)
            })
        },
    ),
    row("SeluGrad", "dy, y", |cx| {
        grad(cx, |dy, y| {
            let below = dy * (y + SELU_ALPHA * SELU_SCALE);
            y.above(0.0).choose(dy * SELU_SCALE, below)
        })
    }),
    row("GeluGrad", "dy, x, y", |cx| {
        cx.ignore(2);
        grad(cx, |dy, x| {
            let density = (x.square() * -0.5).exp() * 0.398_942_3;
            dy * (normal_below(x) + x * density)
        })
    }),
    row("FastGeluGrad", "dy, x", |cx| {
        grad(cx, |dy, x| dy * swish_slope(x, 1.702))
    }),
    row("SiluGrad", "dy, x", |cx| {
        grad(cx, |dy, x| dy * swish_slope(x, 1.0))
    }),
    row("SwishGrad", "dy, x, y; scale = 1", |cx| {
        cx.ignore(2);
        let scale = cx.real_or("scale", 1.0)?;
        grad(cx, |dy, x| dy * swish_slope(x, scale))
    }),
    row("SigmoidGrad", "y, dy: dy y (1 - y)", |cx| {
        grad(cx, |y, dy| dy * y * (1.0 - y))
    }),
    row("TanhGrad", "y, dy: dy (1 - y²)", |cx| {
        grad(cx, |y, dy| dy * (1.0 - y * y))
    }),
    row("SoftplusGrad", "dy, x", |cx| {
        grad(cx, |dy, x| dy * x.sigmoid())
    }),
    row("SoftplusV2Grad", "dy, x; beta = 1, threshold = 20", |cx| {
        let (beta, threshold) = softplus_attributes(cx)?;
        grad(cx, |dy, x| {
            let inner = x * beta;
            inner.above(threshold).choose(dy, dy * inner.sigmoid())
        })
    }),
    row("LogSigmoidGrad", "dy, x", |cx| {
        grad(cx, |dy, x| dy * (-x).sigmoid())
    }),
    row("MishGrad", "dy, x, tanh?", |cx| {
        cx.ignore(2);
        grad(cx, |dy, x| {
            let tanh = x.softplus().tanh();
            dy * (tanh + x * x.sigmoid() * (1.0 - tanh * tanh))
        })
    }),
    row("HardSwishGrad", "dy, x", |cx| {
        grad(cx, |dy, x| {
            // The ends belong to the middle.
            let middle = dy * (x / 3.0 + 0.5);
            let low = middle.where_true(x.below(-3.0).not());
            x.above(3.0).choose(dy, low)
        })
    }),
    row("HardSigmoidGrad", "dy, x; alpha = 1/6, beta = 0.5", |cx| {
        let (alpha, beta) = hard_sigmoid(cx)?;
        grad(cx, |dy, x| {
            let y = x * alpha + beta;
            (dy * alpha).where_true(y.above(0.0).and(y.below(1.0)))
        })
    }),
    row("HardtanhGrad", "y, dy; min_val = -1, max_val = 1", |cx| {
        let (low, high) = (cx.real_or("min_val", -1.0)?, cx.real_or("max_val", 1.0)?);
        grad(cx, |y, dy| dy.where_true(y.above(low).and(y.below(high))))
    }),
    row("HardShrinkGrad", "dy, x; lambd = 0.5", shrink_grad),
    row("SoftShrinkGrad", "dy, x; lambd = 0.5", shrink_grad),
    row("ThresholdGradV2D", "dy, x; threshold", |cx| {
        let threshold = cx.real("threshold")?;
        grad(cx, |dy, x| dy.where_true(x.above(threshold)))
    }),
    row("GLUGrad", "dy, x; dim = -1", |cx| {
        let dim = cx.int_or("dim", -1)?;
        grad(cx, |dy, x| {
            let halves = x.split_evenly(dim, 2);
            let gate = halves[1].sigmoid();
            let second = dy * halves[0] * gate * (1.0 - gate);
            Val::concat(dim, &[dy * gate, second])
        })
    }),
    row("SwiGluGrad", "dy, x; dim = -1", |cx| {
        let dim = cx.int_or("dim", -1)?;
        grad(cx, |dy, x| {
            let halves = x.split_evenly(dim, 2);
            let first = dy * halves[1] * swish_slope(halves[0], 1.0);
            Val::concat(dim, &[first, dy * halves[0] * halves[0].sigmoid()])
        })
    }),
];

fn shrink_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let bound = cx.real_or("lambd", 0.5)?;
    grad(cx, |dy, x| dy.where_true(x.abs().above(bound)))
}

/// The slope of x sigmoid(scale x).
fn swish_slope(x: Val<'_>, scale: f32) -> Val<'_> {
    let gate = (x * scale).sigmoid();
    gate + x * gate * (1.0 - gate) * scale
}

fn prelu_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let [dy, x] = [cx.float(0)?, cx.float(1)?];
    let weight = by_channel(cx, 1, 2)?;
    cx.give(0, x.above(0.0).choose(dy, dy * weight))?;
    let share = (dy * x).where_true(x.above(0.0).not());
    // The weight's gradient is summed over every axis along which one weight served many.
    let (rank, dims) = (cx.axes(1)?, cx.dims(2)?);
    let laid = match dims {
        [one] if *one != 1 && rank > 1 => (0..rank)
            .map(|axis| if axis == 1 { *one } else { 1 })
            .collect(),
        _ => dims.to_vec(),
    };
    let missing = usize::try_from(rank)
        .unwrap_or(0)
        .saturating_sub(laid.len());
    let full = std::iter::repeat_n(1, missing).chain(laid);
    let axes: Vec<i64> = (0..)
        .zip(full)
        .filter(|(_, dim)| *dim == 1)
        .map(|(axis, _)| axis)
        .collect();
    cx.give(1, share.sum_kept(&axes).reshape(dims))
}
