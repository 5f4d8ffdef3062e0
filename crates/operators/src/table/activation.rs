//! Activation functions.

use super::math::float;
use super::{Row, row};
use crate::Why;
use crate::context::Context;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row("Relu", "x: x or 0", |cx| {
        let x = cx.number(0)?;
        cx.give(0, x.at_least(0.0))
    }),
    row("Relu6", "x: between 0 and 6", |cx| {
        let x = cx.number(0)?;
        cx.give(0, x.at_least(0.0).at_most(6.0))
    }),
    row(
        "LeakyRelu",
        "x; negative_slope = 0: slope x below 0",
        |cx| {
            let slope = cx.real_or("negative_slope", 0.0)?;
            float(cx, |x| x.above(0.0).choose(x, x * slope))
        },
    ),
    row(
        "PRelu",
        "x, weight: weight x below 0, weight by channel",
        |cx| {
            let x = cx.float(0)?;
            let weight = by_channel(cx, 0, 1)?;
            cx.give(0, x.above(0.0).choose(x, x * weight))
        },
    ),
    row("Elu", "x; alpha, scale, input_scale = 1", |cx| {
        let [alpha, scale, inner] = elu_attributes(cx)?;
        float(cx, |x| elu(x, alpha, scale, inner))
    }),
    row("CeluV2", "x; alpha = 1", |cx| {
        let alpha = cx.real_or("alpha", 1.0)?;
        float(cx, |x| elu(x, alpha, 1.0, 1.0 / alpha))
    }),
    row("Selu", "x", |cx| {
        float(cx, |x| elu(x, SELU_ALPHA, SELU_SCALE, 1.0))
    }),
    row("Gelu", "x: x Φ(x)", |cx| {
        float(cx, |x| x * normal_below(x))
    }),
    row("GeluV2", "x; approximate = none or tanh", |cx| {
        let tanh = cx.text_or("approximate", "none")? == "tanh";
        float(cx, |x| {
            if tanh {
                x * (inner_tanh(x).tanh() + 1.0) * 0.5
            } else {
                x * normal_below(x)
            }
        })
    }),
    row("FastGelu", "x: x sigmoid(1.702 x)", |cx| {
        float(cx, |x| x * (x * 1.702).sigmoid())
    }),
    row("Swish", "x; scale = 1: x sigmoid(scale x)", |cx| {
        let scale = cx.real_or("scale", 1.0)?;
        float(cx, |x| x * (x * scale).sigmoid())
    }),
    row("Sigmoid", "x", |cx| float(cx, Val::sigmoid)),
    row("Tanh", "x", |cx| float(cx, Val::tanh)),
    row("Softplus", "x: log(1 + exp(x))", |cx| {
        float(cx, Val::softplus)
    }),
    row("BNLL", "x: log(1 + exp(x))", |cx| float(cx, Val::softplus)),
    row(
        "SoftplusV2",
        "x; beta = 1, threshold = 20: x itself above the threshold",
        |cx| {
            let (beta, threshold) = softplus_attributes(cx)?;
            float(cx, |x| {
                let inner = x * beta;
                inner.above(threshold).choose(x, inner.softplus() / beta)
            })
        },
    ),
    row("Softsign", "x: x / (1 + |x|)", |cx| {
        float(cx, |x| x / (x.abs() + 1.0))
    }),
    row("LogSigmoid", "x", |cx| float(cx, |x| -(-x).softplus())),
    row("Mish", "x: x tanh(softplus(x))", |cx| {
        float(cx, |x| x * x.softplus().tanh())
    }),
    row("HardSwish", "x: x min(max(x + 3, 0), 6) / 6", |cx| {
        float(cx, |x| x * (x + 3.0).at_least(0.0).at_most(6.0) / 6.0)
    }),
    row(
        "HardSigmoid",
        "x; alpha = 1/6, beta = 0.5: alpha x + beta, between 0 and 1",
        |cx| {
            let (alpha, beta) = hard_sigmoid(cx)?;
            float(cx, |x| (x * alpha + beta).at_least(0.0).at_most(1.0))
        },
    ),
    row("HardShrink", "x; lambd = 0.5: 0 near 0", |cx| {
        let bound = cx.real_or("lambd", 0.5)?;
        float(cx, |x| x.where_true(x.abs().above(bound)))
    }),
    row("SoftShrink", "x; lambd = 0.5: closer to 0", |cx| {
        let bound = cx.real_or("lambd", 0.5)?;
        float(cx, |x| x.sign() * (x.abs() - bound).at_least(0.0))
    }),
    row(
        "ThresholdV2D",
        "x; threshold, value: value at the threshold and below",
        |cx| {
            let (threshold, value) = (cx.real("threshold")?, cx.real_or("value", 0.0)?);
            let x = cx.number(0)?;
            cx.give(0, x.above(threshold).choose(x, x.like(value)))
        },
    ),
    row(
        "GLU",
        "x; dim = -1: the first half times sigmoid of the second",
        |cx| {
            let dim = cx.int_or("dim", -1)?;
            float(cx, |x| {
                let halves = x.split_evenly(dim, 2);
                halves[0] * halves[1].sigmoid()
            })
        },
    ),
    row(
        "SwiGlu",
        "x; dim = -1: swish of the first half times the second",
        |cx| {
            let dim = cx.int_or("dim", -1)?;
            float(cx, |x| {
                let halves = x.split_evenly(dim, 2);
                halves[0] * halves[0].sigmoid() * halves[1]
            })
        },
    ),
];

pub(super) const SELU_ALPHA: f32 = 1.673_263_2;
pub(super) const SELU_SCALE: f32 = 1.050_701;

pub(super) fn elu_attributes<'c>(cx: &'c Context<'c>) -> Result<[f32; 3], Why> {
    let [alpha, scale, inner] = ["alpha", "scale", "input_scale"].map(|name| cx.real_or(name, 1.0));
    Ok([alpha?, scale?, inner?])
}

/// `exp` of a large number is not chosen, but it must not be infinite either: its gradient is 0 times that.
fn elu(x: Val<'_>, alpha: f32, scale: f32, inner: f32) -> Val<'_> {
    let curve = ((x.at_most(0.0) * inner).exp() - 1.0) * (alpha * scale);
    x.above(0.0).choose(x * scale, curve)
}

/// The share of a normal distribution below `x`.
pub(super) fn normal_below(x: Val<'_>) -> Val<'_> {
    ((x * std::f32::consts::FRAC_1_SQRT_2).erf() + 1.0) * 0.5
}

/// What the approximation by a hyperbolic tangent takes the tangent of.
fn inner_tanh(x: Val<'_>) -> Val<'_> {
    (x + x * x * x * 0.044_715) * 0.797_884_6
}

pub(super) fn softplus_attributes<'c>(cx: &'c Context<'c>) -> Result<(f32, f32), Why> {
    Ok((cx.real_or("beta", 1.0)?, cx.real_or("threshold", 20.0)?))
}

pub(super) fn hard_sigmoid<'c>(cx: &'c Context<'c>) -> Result<(f32, f32), Why> {
    Ok((cx.real_or("alpha", 1.0 / 6.0)?, cx.real_or("beta", 0.5)?))
}

/// The weight in `weight`, laid along the channels of `x` if it is a row of numbers.
pub(super) fn by_channel<'c>(cx: &'c Context<'c>, x: usize, weight: usize) -> Result<Val<'c>, Why> {
    let rank = cx.rank(x)?;
    let value = cx.float(weight)?;
    let is_row = cx.rank(weight)? == 1 && rank > 1;
    Ok(if is_row { value.along(1, rank) } else { value })
}
