//! Reductions over axes.

use super::recurrent::over_time;
use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row("ReduceSum", "x, axes; keep_dims = false", |cx| {
        by_input(cx, "ReduceSum")
    }),
    row("ReduceMean", "x, axes; keep_dims = false", |cx| {
        by_input(cx, "ReduceMean")
    }),
    row("ReduceMax", "x, axes; keep_dims = false", |cx| {
        by_input(cx, "ReduceMax")
    }),
    row("ReduceMin", "x, axes; keep_dims = false", |cx| {
        by_input(cx, "ReduceMin")
    }),
    row("ReduceProd", "x, axes; keep_dims = false", |cx| {
        by_input(cx, "ReduceProd")
    }),
    row("ReduceAll", "x, axes; keep_dims = false", |cx| {
        by_input(cx, "All")
    }),
    row("ReduceAny", "x, axes; keep_dims = false", |cx| {
        by_input(cx, "Any")
    }),
    row("ReduceLogSumExp", "x, axes; keep_dims = false", |cx| {
        by_input(cx, "ReduceLogSumExp")
    }),
    row("ReduceSumD", "x; axes, keep_dims = false", |cx| {
        by_attribute(cx, "ReduceSum")
    }),
    row("ReduceMeanD", "x; axes, keep_dims = false", |cx| {
        by_attribute(cx, "ReduceMean")
    }),
    row("ReduceMaxD", "x; axes, keep_dims = false", |cx| {
        by_attribute(cx, "ReduceMax")
    }),
    row("ReduceMinD", "x; axes, keep_dims = false", |cx| {
        by_attribute(cx, "ReduceMin")
    }),
    row("ReduceProdD", "x; axes, keep_dims = false", |cx| {
        by_attribute(cx, "ReduceProd")
    }),
    row("ReduceAllD", "x; axes, keep_dims = false", |cx| {
        by_attribute(cx, "All")
    }),
    row("ReduceAnyD", "x; axes, keep_dims = false", |cx| {
        by_attribute(cx, "Any")
    }),
    row(
        "SquareSumV1",
        "x; axis, keep_dims = false: the sum of squares",
        |cx| {
            let keep = cx.flag_or("keep_dims", false)?;
            let axes = cx.list("axis")?;
            let squares = cx.number(0)?.square();
            // Added in 32 bits: 64 would need a second block of workspace at the same time as the squares.
            cx.give(0, squares.reduce("ReduceSum", &axes, keep))
        },
    ),
    row("SquareSumAll", "x1, x2: the sum of squares of each", |cx| {
        cx.give_scalar(0, cx.number(0)?.square().total())?;
        cx.give_scalar(1, cx.number(1)?.square().total())
    }),
    row("L2Loss", "x: half the sum of squares", |cx| {
        cx.give_scalar(0, cx.float(0)?.square().total() * 0.5)
    }),
    row(
        "ReduceStdV2Update",
        "x, mean; dim, if_std = false, keepdim, correction: variance about a mean",
        |cx| {
            let variance = variance_about(cx)?;
            cx.give(
                0,
                if cx.flag_or("if_std", false)? {
                    variance.sqrt()
                } else {
                    variance
                },
            )
        },
    ),
    row(
        "ReduceStdWithMean",
        "x, mean; dim, keepdim, correction, invert = false, epsilon",
        |cx| {
            let variance = variance_about(cx)?;
            let epsilon = cx.real_or("epsilon", 0.001)?;
            let inverted = cx.flag_or("invert", false)?;
            let plain = variance.sqrt();
            cx.give(
                0,
                if inverted {
                    (variance + epsilon).sqrt().reciprocal()
                } else {
                    plain
                },
            )
        },
    ),
    row(
        "ReduceStd",
        "x; dim, unbiased = true, keepdim = false: deviation, mean",
        |cx| {
            let (x, axes, keep) = (
                cx.float(0)?,
                dims_or_all(cx, "dim")?,
                cx.flag_or("keepdim", false)?,
            );
            let mean = x.in_double(|it| it.mean_kept(&axes));
            let squares = (x - mean).square();
            let squares = squares.in_double(|it| it.reduce("ReduceSum", &axes, keep));
            let free = x.extent(&axes) - correction(cx)?;
            cx.give(0, (squares / free).sqrt())?;
            cx.give(1, x.in_double(|it| it.reduce("ReduceMean", &axes, keep)))
        },
    ),
    row(
        "ReduceMeanVariance",
        "x; axes, keep_dims = true: mean, variance",
        |cx| {
            let (x, axes, keep) = (
                cx.float(0)?,
                dims_or_all(cx, "axes")?,
                cx.flag_or("keep_dims", true)?,
            );
            let squares = (x - x.in_double(|it| it.mean_kept(&axes))).square();
            for (index, values) in [x, squares].into_iter().enumerate() {
                let mean = values.in_double(|it| it.reduce("ReduceMean", &axes, keep));
                cx.give(index, mean)?;
            }
            Ok(())
        },
    ),
    row(
        "LpNormReduceV2",
        "x; p = 2, axes = [], keepdim = false: the norm before its root",
        |cx| cx.give(0, powers(cx)?),
    ),
    row(
        "LpNormUpdateV2",
        "x; p = 2: the root that ends a norm",
        |cx| cx.give(0, root(cx.float(0)?, cx.real_or("p", 2.0)?)),
    ),
    row(
        "LpNormReduce",
        "x; p = 2, axes = [], keepdim = false",
        |cx| cx.give(0, powers(cx)?),
    ),
    row("LpNormUpdate", "x; p = 2", |cx| {
        cx.give(0, root(cx.float(0)?, cx.real_or("p", 2.0)?))
    }),
    row("LpNormV2", "x; p = 2, axes = [], keepdim = false", |cx| {
        cx.give(0, root(powers(cx)?, cx.real_or("p", 2.0)?))
    }),
    row("LpNorm", "x; p = 2, axes = [], keepdim = false", |cx| {
        cx.give(0, root(powers(cx)?, cx.real_or("p", 2.0)?))
    }),
    row(
        "Renorm",
        "x; p, dim, maxnorm: the factor that shortens each row to the norm; in a result like x they come first, then ones",
        renorm,
    ),
    row(
        "Cdist",
        "x1, x2: [..., M]; p = 2: the distance over the last axis",
        |cx| {
            let p = cx.real_or("p", 2.0)?;
            let apart = cx.float(0)? - cx.float(1)?;
            cx.give(0, root(power_sum(apart, p, &[-1], false), p))
        },
    ),
    row(
        "CdistGrad",
        "grad, x1, x2, cdist: all [..., P, R, M]; p = 2, -1 for the largest coordinate: the gradient of x1, [..., P, M]",
        cdist_grad,
    ),
];

fn cdist_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let p = cx.real_or("p", 2.0)?;
    let (grad, distance) = (cx.float(0)?, cx.float(3)?);
    if let [lead @ .., points, 0, depth] = cx.dims(0)? {
        // The engine does not sum over nothing here.
        let zeros = [lead, &[*points, *depth]].concat();
        return cx.give(0, grad.like(0.0).expand(&zeros));
    }
    let apart = cx.float(1)? - cx.float(2)?;
    let sign = apart.sign();
    let slope = match p {
        0.0 => apart.filled(0.0),
        1.0 => sign,
        -1.0 | f32::INFINITY => {
            let largest = apart.abs().extreme("ReduceMax", &[-1], true);
            sign * apart.abs().equal(largest).cast(apart.element())
        }
        _ if p > 0.0 => {
            // Equal points have no direction; where a coordinate is equal, its power may be infinite.
            let moves = distance.is(0.0).or(apart.is(0.0)).not();
            let one = apart.filled(1.0);
            let share = moves.choose(apart.abs(), one) / moves.choose(distance, one);
            (sign * share.pow(share.like(p - 1.0))).where_true(moves)
        }
        _ => return Err(refused("p", &p, "-1, or not negative")),
    };
    cx.give(0, (grad * slope).sum(&[-2]))
}

/// A reduction whose type is the input's; a single number has no axes to reduce.
fn reduced<'c>(cx: &'c Context<'c>, op: &str, axes: &[i64]) -> Result<(), Why> {
    let keep = cx.flag_or("keep_dims", false)?;
    let x = cx.number(0)?;
    let axes = if cx.rank(0)? == 0 { &[] } else { axes };
    cx.give(
        0,
        match op {
            // The least and the greatest of nothing are the ends of the type.
            "All" => {
                let all = truth(x).reduce("ReduceMin", axes, keep);
                all.at_most(1.0).cast(x.element())
            }
            "Any" => {
                let any = truth(x).reduce("ReduceMax", axes, keep);
                any.at_least(0.0).cast(x.element())
            }
            "ReduceMax" | "ReduceMin" => x.extreme(op, axes, keep),
            "ReduceLogSumExp" if cx.rank(0)? == 0 => x + 0.0,
            "ReduceSum" | "ReduceMean" => x.in_double(|it| it.reduce(op, axes, keep)),
            "ReduceProd" if x.element() == Element::I64 => {
                exact_product(x, cx.axes(0)?, axes, keep)
            }
            _ => x.reduce(op, axes, keep),
        },
    )
}

/// A product of integers, step by step: the engine computes it in `double`, which loses bits above 2⁵³.
fn exact_product<'c>(x: Val<'c>, rank: i64, axes: &[i64], keep: bool) -> Val<'c> {
    let mut axes: Vec<i64> = axes.iter().map(|axis| axis.rem_euclid(rank)).collect();
    axes.sort_unstable();
    axes.dedup();
    let mut product = x;
    let mut left = rank;
    // From the last, so that those before keep their numbers.
    for axis in axes.iter().rev() {
        let others = (0..left).filter(|other| other != axis);
        let order: Vec<i64> = std::iter::once(*axis).chain(others).collect();
        let rows = product.transpose(&order);
        let one = x.cx().int_of(1).expand_to(rows.shape().part(0, 1, left));
        // The loop needs a step, also where there is nothing to multiply.
        let rows = Val::concat(0, &[one.unsqueeze(&[0]), rows]);
        product = over_time(&[one], &[rows], 0, false, |values| {
            vec![values[0] * values[1]]
        })[0];
        left -= 1;
    }
    if keep {
        product.unsqueeze(&axes)
    } else {
        product
    }
}

/// 0 where it is 0, elsewhere 1: also for what is negative, or no number.
fn truth(x: Val<'_>) -> Val<'_> {
    x.is(0.0).not().cast(Element::I32)
}

fn by_input<'c>(cx: &'c Context<'c>, op: &str) -> Result<(), Why> {
    reduced(cx, op, &cx.constant_ints(1)?)
}

fn by_attribute<'c>(cx: &'c Context<'c>, op: &str) -> Result<(), Why> {
    reduced(cx, op, &cx.list("axes")?)
}

/// The axes of an attribute; an empty list or none at all means all of them.
fn dims_or_all<'c>(cx: &'c Context<'c>, name: &'static str) -> Result<Vec<i64>, Why> {
    let axes = cx.list_or(name, &[])?;
    Ok(if axes.is_empty() {
        (0..cx.axes(0)?).collect()
    } else {
        axes
    })
}

#[allow(clippy::cast_precision_loss, reason = "it is 0 or 1")]
fn correction<'c>(cx: &'c Context<'c>) -> Result<f32, Why> {
    let unbiased = cx.flag_or("unbiased", true)?;
    Ok(cx.int_or("correction", unbiased.into())? as f32)
}

fn variance_about<'c>(cx: &'c Context<'c>) -> Result<Val<'c>, Why> {
    let [x, mean] = [cx.float(0)?, cx.float(1)?];
    let axes = dims_or_all(cx, "dim")?;
    let keep = cx.flag_or("keepdim", false)?;
    let squares = (x - mean).square();
    let squares = squares.in_double(|it| it.reduce("ReduceSum", &axes, keep));
    let free = x.extent(&axes) - correction(cx)?;
    Ok(squares / free.max(free.like(0.0)))
}

/// Programs write infinity as the greatest 32-bit integer, which is 2³¹ as a float.
const INFINITE: f32 = 2_147_483_648.0;

fn power_sum<'c>(x: Val<'c>, p: f32, axes: &[i64], keep: bool) -> Val<'c> {
    let size = x.abs();
    if p >= INFINITE {
        return size.extreme("ReduceMax", axes, keep);
    }
    if p <= -INFINITE {
        return size.extreme("ReduceMin", axes, keep);
    }
    let terms = if p == 0.0 {
        x.is(0.0).not().cast(x.element())
    } else if p.to_bits() == 1_f32.to_bits() {
        size
    } else if p.to_bits() == 2_f32.to_bits() {
        x.square()
    } else {
        size.pow(size.like(p))
    };
    terms.in_double(|it| it.reduce("ReduceSum", axes, keep))
}

fn powers<'c>(cx: &'c Context<'c>) -> Result<Val<'c>, Why> {
    let axes = dims_or_all(cx, "axes")?;
    let keep = cx.flag_or("keepdim", false)?;
    Ok(power_sum(cx.float(0)?, cx.real_or("p", 2.0)?, &axes, keep))
}

fn root(x: Val<'_>, p: f32) -> Val<'_> {
    if p.to_bits() == 2_f32.to_bits() {
        return x.sqrt();
    }
    let has_none = p == 0.0 || p.to_bits() == 1_f32.to_bits() || p.abs() >= INFINITE;
    if has_none { x } else { x.pow(x.like(1.0 / p)) }
}

/// The caller multiplies by it.
fn renorm<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let x = cx.float(0)?;
    let (p, most) = (cx.real("p")?, cx.real("maxnorm")?);
    let rank = cx.axes(0)?;
    let dim = cx.int("dim")?;
    let axes: Vec<i64> = (0..rank)
        .filter(|axis| *axis != dim && *axis - rank != dim)
        .collect();
    let norm = root(power_sum(x, p, &axes, true), p);
    // As PyTorch has it, so that a division by 0 cannot happen.
    let factor = most / (norm + 1e-7);
    let factor = norm.above(most).choose(factor, norm.like(1.0));
    if cx.output_dims(0)? != cx.dims(0)? {
        return cx.give(0, factor);
    }
    // Programs that describe a result like x read the factors one behind the other at its beginning.
    let all: i64 = cx.dims(0)?.iter().product();
    let ones = x.like(1.0).expand(&[all]);
    let packed = Val::concat(0, &[factor.flat(), ones]).part(0, 0, all);
    cx.give(0, packed.reshape(cx.dims(0)?))
}
