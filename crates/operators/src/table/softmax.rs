//! Softmax and its relatives.

use super::{Row, row};
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row("SoftmaxV2", "x; axes = [-1]", |cx| {
        let axes = cx.list_or("axes", &[-1])?;
        cx.give(0, softmax(cx.float(0)?, &axes))
    }),
    row(
        "SoftmaxGrad",
        "y, dy; axes = [-1]: (dy - sum(dy y)) y",
        |cx| {
            let axes = cx.list_or("axes", &[-1])?;
            cx.give(0, softmax_grad(cx.float(0)?, cx.float(1)?, &axes))
        },
    ),
    row(
        "ConfusionSoftmaxGrad",
        "dy, y: dy - sum(dy y) over the last axis",
        |cx| {
            let [dy, y] = [cx.float(0)?, cx.float(1)?];
            cx.give(0, dy - (dy * y).sum_kept(&[-1]))
        },
    ),
    row("LogSoftmaxV2", "x; axes = [-1]", |cx| {
        let axes = cx.list_or("axes", &[-1])?;
        let x = cx.float(0)?;
        if let [axis] = axes[..] {
            return cx.give(0, x.apply("LogSoftmax", &[], &[("axis", axis.into())]));
        }
        let moved = x - x.reduce("ReduceMax", &axes, true);
        cx.give(0, moved - moved.exp().sum_kept(&axes).log())
    }),
    row(
        "LogSoftmaxGrad",
        "dy, y; axis = [-1]: dy - exp(y) sum(dy)",
        |cx| {
            let axes = cx.list_or("axis", &[-1])?;
            let [dy, y] = [cx.float(0)?, cx.float(1)?];
            cx.give(0, dy - y.exp() * dy.sum_kept(&axes))
        },
    ),
    row(
        "ScaledMaskedSoftmax",
        "x, mask; scale = 1: masked places get nothing",
        |cx| {
            let x = cx.float(0)? * cx.real_or("scale", 1.0)?;
            let x = if cx.has(1) {
                cx.bool(1)?.choose(x.like(-10000.0), x)
            } else {
                x
            };
            cx.give(0, softmax(x, &[-1]))
        },
    ),
    row("ScaledMaskedSoftmaxGrad", "dy, y, mask; scale = 1", |cx| {
        let dx = softmax_grad(cx.float(1)?, cx.float(0)?, &[-1]) * cx.real_or("scale", 1.0)?;
        let dx = if cx.has(2) {
            dx.where_true(cx.bool(2)?.not())
        } else {
            dx
        };
        cx.give(0, dx)
    }),
    row(
        "SoftmaxCrossEntropyWithLogits",
        "x, labels: loss, dx",
        |cx| {
            let [x, labels] = [cx.float(0)?, cx.float(1)?];
            let log = x.apply("LogSoftmax", &[], &[("axis", (-1_i64).into())]);
            cx.give(0, -(labels * log).sum(&[-1]))?;
            cx.give(1, log.exp() - labels)
        },
    ),
    row(
        "SparseSoftmaxCrossEntropyWithLogits",
        "x, label indices: loss, dx",
        |cx| {
            let [x, labels] = [cx.float(0)?, cx.indices(1)?];
            let log = x.apply("LogSoftmax", &[], &[("axis", (-1_i64).into())]);
            let hot = labels.unsqueeze(&[-1]).equal(x.length(-1).count_up());
            let hot = hot.cast(x.element());
            cx.give(0, -(hot * log).sum(&[-1]))?;
            cx.give(1, log.exp() - hot)
        },
    ),
    row(
        "HardMax",
        "x; axis = -1: 1 at the first of the greatest, 0 elsewhere",
        |cx| {
            let axis = cx.int_or("axis", -1)?;
            cx.give(
                0,
                cx.float(0)?.apply("Hardmax", &[], &[("axis", axis.into())]),
            )
        },
    ),
];

fn softmax<'c>(x: Val<'c>, axes: &[i64]) -> Val<'c> {
    if let [axis] = *axes {
        return x.apply("Softmax", &[], &[("axis", axis.into())]);
    }
    let powers = (x - x.reduce("ReduceMax", axes, true)).exp();
    powers / powers.sum_kept(axes)
}

fn softmax_grad<'c>(y: Val<'c>, dy: Val<'c>, axes: &[i64]) -> Val<'c> {
    (dy - (dy * y).sum_kept(axes)) * y
}
