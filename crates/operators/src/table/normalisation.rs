//! Normalisations and their gradients.

use super::{Row, row};
use crate::Why;
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::request::format;

pub(super) const ROWS: &[Row] = &[
    row(
        "BNTrainingReduce",
        "x: sum, sum of squares of each channel",
        reduce,
    ),
    row(
        "BNTrainingUpdate",
        "x, sum, square_sum, scale, offset, mean, variance; factor, epsilon: y, mean, variance, batch mean, batch variance",
        update,
    ),
    row(
        "BNTrainingUpdateGrad",
        "dy, x, batch_mean, batch_variance; epsilon: dscale, doffset",
        update_grad,
    ),
    row(
        "BNTrainingReduceGrad",
        "dy, x, dscale, doffset, scale, batch_mean, batch_variance; epsilon: dx",
        reduce_grad,
    ),
    row("BN3DTrainingReduce", "as BNTrainingReduce", reduce),
    row("BN3DTrainingUpdate", "as BNTrainingUpdate", update),
    row(
        "BN3DTrainingUpdateGrad",
        "as BNTrainingUpdateGrad",
        update_grad,
    ),
    row(
        "BN3DTrainingReduceGrad",
        "as BNTrainingReduceGrad",
        reduce_grad,
    ),
    row(
        "BNInfer",
        "x, scale, offset, mean, variance; epsilon: y",
        |cx| {
            let channels = Channels::of(cx, 0)?;
            let x = cx.float(0)?;
            let [scale, offset, mean, variance] = channels.four(cx, 1)?;
            let slope = scale * (variance + epsilon(cx, 1e-4)?).sqrt().reciprocal();
            cx.give(0, (x - mean) * slope + offset)
        },
    ),
    row(
        "BNInferGrad",
        "dy, scale, batch_variance; epsilon: dx",
        |cx| {
            let channels = Channels::of(cx, 0)?;
            let [scale, variance] = [channels.input(cx, 1)?, channels.input(cx, 2)?];
            cx.give(
                0,
                cx.float(0)? * scale * (variance + epsilon(cx, 1e-4)?).sqrt().reciprocal(),
            )
        },
    ),
    row(
        "BatchNorm",
        "x, scale, offset, mean?, variance?; epsilon = 1e-4, data_format, is_training = true, exponential_avg_factor = 1: y, mean, variance, batch mean, batch variance, none",
        batch_norm,
    ),
    row(
        "BatchNormGrad",
        "dy, x, scale, batch mean, batch variance, none; epsilon = 1e-4, data_format, is_training = true: dx, dscale, doffset, none, none",
        batch_norm_grad,
    ),
    row(
        "LayerNorm",
        "x, gamma, beta; begin_norm_axis, epsilon: y, mean, variance + epsilon",
        |cx| {
            let [y, mean, variance] = layer_norm(cx, 1)?;
            cx.give(0, y)?;
            cx.give(1, mean)?;
            // The gradient is given this and no epsilon.
            cx.give(2, variance)
        },
    ),
    row(
        "LayerNormV3",
        "x, gamma, beta; begin_norm_axis, epsilon: y, mean, 1 / deviation",
        |cx| {
            let [y, mean, variance] = layer_norm(cx, 1)?;
            cx.give(0, y)?;
            cx.give(1, mean)?;
            cx.give(2, variance.sqrt().reciprocal())
        },
    ),
    row(
        "LayerNormV4",
        "x, normalized_shape, gamma?, beta?; epsilon = 1e-5: y, mean, 1 / deviation",
        |cx| {
            let count = cx.dims(1)?.first().copied().unwrap_or(1);
            let axes: Vec<i64> = (-count.clamp(1, cx.axes(0)?.max(1))..0).collect();
            let x = cx.float(0)?;
            let mean = x.mean_kept(&axes);
            let apart = x - mean;
            let inverse = (apart.square().mean_kept(&axes) + epsilon(cx, 1e-5)?)
                .sqrt()
                .reciprocal();
            let scaled = cx
                .optional_float(2)?
                .map_or(apart * inverse, |gamma| apart * inverse * gamma);
            cx.give(
                0,
                cx.optional_float(3)?.map_or(scaled, |beta| scaled + beta),
            )?;
            cx.give(1, mean)?;
            cx.give(2, inverse)
        },
    ),
    row(
        "LayerNormGrad",
        "dy, x, variance + epsilon, mean, gamma: dx, dgamma, dbeta",
        |cx| {
            let variance = cx.float(2)?;
            layer_norm_grad(cx, variance.sqrt().reciprocal())
        },
    ),
    row(
        "LayerNormGradV3",
        "dy, x, 1 / deviation, mean, gamma: dx, dgamma, dbeta",
        |cx| layer_norm_grad(cx, cx.float(2)?),
    ),
    row(
        "RmsNorm",
        "x, gamma; epsilon = 1e-6: y, 1 / root of the mean square",
        |cx| {
            let axes = axes_of(cx, 0, 1)?;
            let x = cx.float(0)?;
            let inverse = (x.square().mean_kept(&axes) + epsilon(cx, 1e-6)?)
                .sqrt()
                .reciprocal();
            cx.give(0, x * inverse * cx.float(1)?)?;
            cx.give(1, inverse)
        },
    ),
    row("RmsNormGrad", "dy, x, 1 / root, gamma: dx, dgamma", |cx| {
        let axes = axes_of(cx, 0, 3)?;
        let [dy, x, inverse, gamma] = [cx.float(0)?, cx.float(1)?, cx.float(2)?, cx.float(3)?];
        let normal = x * inverse;
        let inner = dy * gamma;
        cx.give(
            0,
            (inner - normal * (inner * normal).mean_kept(&axes)) * inverse,
        )?;
        cx.give(1, (dy * normal).sum(&leading(cx, 0, 3)?))
    }),
    row(
        "AddLayerNorm",
        "x1, x2, gamma, beta, bias?; epsilon = 1e-5: y, mean, 1 / deviation, x1 + x2",
        |cx| {
            let axes = axes_of(cx, 0, 2)?;
            let mut x = cx.float(0)? + cx.float(1)?;
            if let Some(bias) = cx.optional_float(4)? {
                x = x + bias;
            }
            let mean = x.mean_kept(&axes);
            let apart = x - mean;
            let inverse = (apart.square().mean_kept(&axes) + epsilon(cx, 1e-5)?)
                .sqrt()
                .reciprocal();
            cx.give(0, apart * inverse * cx.float(2)? + cx.float(3)?)?;
            cx.give(1, mean)?;
            cx.give(2, inverse)?;
            cx.give(3, x)
        },
    ),
    row(
        "AddRmsNorm",
        "x1, x2, gamma; epsilon = 1e-6: y, 1 / root of the mean square, x1 + x2",
        |cx| {
            let axes = axes_of(cx, 0, 2)?;
            let x = cx.float(0)? + cx.float(1)?;
            let inverse = (x.square().mean_kept(&axes) + epsilon(cx, 1e-6)?)
                .sqrt()
                .reciprocal();
            cx.give(0, x * inverse * cx.float(2)?)?;
            cx.give(1, inverse)?;
            cx.give(2, x)
        },
    ),
    row(
        "GroupNorm",
        "x [N, C, ...], gamma, beta; num_groups, eps: y, mean, variance: [N, groups]",
        group_norm,
    ),
    row(
        "GroupNormSwish",
        "x [N, C, ...], gamma, beta; num_groups, eps, activate_swish = true, swish_scale = 1: y, mean, 1 / deviation: [N, groups]",
        group_norm_swish,
    ),
    row("L2Normalize", "x; axis, eps = 1e-4: x / its norm", |cx| {
        let axes = cx.list_or("axis", &[-1])?;
        let least = cx.real_or("eps", 1e-4)?;
        let x = cx.float(0)?;
        cx.give(0, x / x.square().sum_kept(&axes).at_least(least).sqrt())
    }),
    row(
        "InstanceNorm",
        "x [N, C, ...], gamma, beta; epsilon = 1e-6: y, mean, variance",
        |cx| {
            let rank = cx.rank(0)?;
            let axes: Vec<i64> = (2..cx.axes(0)?).collect();
            let x = cx.float(0)?;
            let mean = x.mean_kept(&axes);
            let variance = (x - mean).square().mean_kept(&axes);
            let inverse = (variance + epsilon(cx, 1e-6)?).sqrt().reciprocal();
            let [gamma, beta] = [cx.float(1)?, cx.float(2)?].map(|it| it.flat().along(1, rank));
            cx.give(0, (x - mean) * inverse * gamma + beta)?;
            cx.give(1, mean)?;
            cx.give(2, variance)
        },
    ),
];

fn epsilon<'c>(cx: &'c Context<'c>, default: f32) -> Result<f32, Why> {
    cx.real_or("epsilon", default)
}

/// Where the channels are: the second axis, or the last one if the format says so.
struct Channels {
    axis: usize,
    rank: usize,
    others: Vec<i64>,
}

impl Channels {
    fn of<'c>(cx: &'c Context<'c>, index: usize) -> Result<Self, Why> {
        let rank = cx.needs_rank(index, |rank| rank >= 2, "2 or more")?;
        let last = matches!(cx.format(index)?, format::NHWC | format::NDHWC) && rank >= 4;
        let axis = if last { rank - 1 } else { 1 };
        let others = (0..cx.axes(index)?)
            .filter(|other| usize::try_from(*other) != Ok(axis))
            .collect();
        Ok(Self { axis, rank, others })
    }

    /// As the attribute says, for operators that have one; as the format does if it is not set.
    fn named<'c>(cx: &'c Context<'c>, index: usize) -> Result<Self, Why> {
        let rank = cx.needs_rank(index, |rank| rank >= 2, "2 or more")?;
        let axis = match cx.text_or("data_format", "")?.as_str() {
            "" => return Self::of(cx, index),
            "NHWC" | "NDHWC" => rank - 1,
            "NCHW" | "NCDHW" => 1,
            other => return Err(refused("data_format", &other, "NHWC, NCHW, NDHWC or NCDHW")),
        };
        let others = (0..cx.axes(index)?)
            .filter(|other| usize::try_from(*other) != Ok(axis))
            .collect();
        Ok(Self { axis, rank, others })
    }

    /// A number per channel, laid along the channels.
    fn input<'c>(&self, cx: &'c Context<'c>, index: usize) -> Result<Val<'c>, Why> {
        Ok(cx.float(index)?.flat().along(self.axis, self.rank))
    }

    fn four<'c>(&self, cx: &'c Context<'c>, first: usize) -> Result<[Val<'c>; 4], Why> {
        let [a, b, c, d] = [0, 1, 2, 3].map(|more| self.input(cx, first + more));
        Ok([a?, b?, c?, d?])
    }

    /// Gives a number per channel that is still along the channels.
    fn give<'c>(&self, cx: &'c Context<'c>, index: usize, value: Val<'c>) -> Result<(), Why> {
        if !cx.wants(index) {
            return Ok(());
        }
        match cx.output_rank(index)? {
            1 => cx.give(index, value.flat()),
            rank if rank == self.rank => cx.give(index, value),
            _ => cx.give_shaped(index, value),
        }
    }
}

fn reduce<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let channels = Channels::of(cx, 0)?;
    let x = cx.float(0)?;
    channels.give(cx, 0, x.in_double(|it| it.sum_kept(&channels.others)))?;
    channels.give(
        cx,
        1,
        x.square().in_double(|it| it.sum_kept(&channels.others)),
    )
}

/// The running variance is that of a sample, as PyTorch has it; what normalises is that of the batch.
fn update<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let channels = Channels::of(cx, 0)?;
    let x = cx.float(0)?;
    let [sum, _, scale, offset] = channels.four(cx, 1)?;
    let [mean, variance] = [channels.input(cx, 5)?, channels.input(cx, 6)?];
    let factor = cx.real_or("factor", 0.1)?;
    let count = x.extent(&channels.others);
    let batch_mean = sum / count;
    // The difference of two large numbers would leave nothing of a small variance.
    let batch_variance = (x - batch_mean)
        .square()
        .in_double(|it| it.mean_kept(&channels.others));
    let slope = scale * (batch_variance + epsilon(cx, 1e-4)?).sqrt().reciprocal();
    cx.give(0, (x - batch_mean) * slope + offset)?;
    let unbiased = batch_variance * count / (count - 1.0).at_least(1.0);
    channels.give(cx, 1, mean * (1.0 - factor) + batch_mean * factor)?;
    channels.give(cx, 2, variance * (1.0 - factor) + unbiased * factor)?;
    channels.give(cx, 3, batch_mean)?;
    channels.give(cx, 4, batch_variance)
}

fn update_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let channels = Channels::of(cx, 0)?;
    let [dy, x] = [cx.float(0)?, cx.float(1)?];
    let [mean, variance] = [channels.input(cx, 2)?, channels.input(cx, 3)?];
    let normal = (x - mean) * (variance + epsilon(cx, 1e-4)?).sqrt().reciprocal();
    channels.give(
        cx,
        0,
        (dy * normal).in_double(|it| it.sum_kept(&channels.others)),
    )?;
    channels.give(cx, 1, dy.in_double(|it| it.sum_kept(&channels.others)))
}

fn reduce_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let channels = Channels::of(cx, 0)?;
    let [dy, x] = [cx.float(0)?, cx.float(1)?];
    let [dscale, doffset, scale, mean] = channels.four(cx, 2)?;
    let inverse = (channels.input(cx, 6)? + epsilon(cx, 1e-4)?)
        .sqrt()
        .reciprocal();
    let count = x.extent(&channels.others);
    let normal = (x - mean) * inverse;
    cx.give(
        0,
        scale * inverse * (dy - (doffset + normal * dscale) / count),
    )
}

/// With statistics of the batch in training, with those that are given otherwise.
fn batch_norm<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let channels = Channels::named(cx, 0)?;
    let x = cx.float(0)?;
    let [scale, offset] = [channels.input(cx, 1)?, channels.input(cx, 2)?];
    let epsilon = epsilon(cx, 1e-4)?;
    let training = cx.flag_or("is_training", true)?;
    let factor = cx.real_or("exponential_avg_factor", 1.0)?;
    // Half of one is as good as none.
    let old = if cx.has(3) && cx.has(4) {
        Some([channels.input(cx, 3)?, channels.input(cx, 4)?])
    } else {
        None
    };
    let [mean, variance, new_mean, new_variance] = match old {
        Some([mean, variance]) if !training => [mean, variance, mean, variance],
        _ if !training => return Err(Why::MissingInput(3)),
        old => {
            let mean = x.in_double(|it| it.mean_kept(&channels.others));
            let variance = (x - mean)
                .square()
                .in_double(|it| it.mean_kept(&channels.others));
            let count = x.extent(&channels.others);
            let unbiased = variance * count / (count - 1.0).at_least(1.0);
            let mixed = old
                .filter(|_| factor < 1.0)
                .map(|[old_mean, old_variance]| {
                    let keep = 1.0 - factor;
                    [
                        old_mean * keep + mean * factor,
                        old_variance * keep + unbiased * factor,
                    ]
                });
            let [new_mean, new_variance] = mixed.unwrap_or([mean, unbiased]);
            [mean, variance, new_mean, new_variance]
        }
    };
    let slope = scale * (variance + epsilon).sqrt().reciprocal();
    cx.give(0, (x - mean) * slope + offset)?;
    for (index, value) in [new_mean, new_variance, mean, variance]
        .into_iter()
        .enumerate()
    {
        channels.give(cx, index + 1, value)?;
    }
    Ok(())
}

fn batch_norm_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    cx.ignore(5);
    let channels = Channels::named(cx, 0)?;
    let [dy, x] = [cx.float(0)?, cx.float(1)?];
    let [scale, mean, variance] = [
        channels.input(cx, 2)?,
        channels.input(cx, 3)?,
        channels.input(cx, 4)?,
    ];
    let inverse = (variance + epsilon(cx, 1e-4)?).sqrt().reciprocal();
    let normal = (x - mean) * inverse;
    let dscale = (dy * normal).in_double(|it| it.sum_kept(&channels.others));
    let doffset = dy.in_double(|it| it.sum_kept(&channels.others));
    let rest = if cx.flag_or("is_training", true)? {
        dy - (doffset + normal * dscale) / x.extent(&channels.others)
    } else {
        dy
    };
    cx.give(0, scale * inverse * rest)?;
    channels.give(cx, 1, dscale)?;
    channels.give(cx, 2, doffset)
}

/// The axes that are normalised: as many as the weight has, from the end.
fn axes_of<'c>(cx: &'c Context<'c>, x: usize, gamma: usize) -> Result<Vec<i64>, Why> {
    let count = cx.axes(gamma)?.clamp(1, cx.axes(x)?.max(1));
    Ok((-count..0).collect())
}

/// The other axes.
fn leading<'c>(cx: &'c Context<'c>, x: usize, gamma: usize) -> Result<Vec<i64>, Why> {
    let count = axes_of(cx, x, gamma)?.len().cast_signed() as i64;
    Ok((0..cx.axes(x)? - count).collect())
}

/// y, mean, variance + epsilon.
fn layer_norm<'c>(cx: &'c Context<'c>, gamma: usize) -> Result<[Val<'c>; 3], Why> {
    let axes = axes_of(cx, 0, gamma)?;
    let x = cx.float(0)?;
    let mean = x.mean_kept(&axes);
    let apart = x - mean;
    let variance = apart.square().mean_kept(&axes) + epsilon(cx, 1e-7)?;
    let normal = apart * variance.sqrt().reciprocal();
    Ok([
        normal * cx.float(gamma)? + cx.float(gamma + 1)?,
        mean,
        variance,
    ])
}

fn layer_norm_grad<'c>(cx: &'c Context<'c>, inverse: Val<'c>) -> Result<(), Why> {
    let axes = axes_of(cx, 0, 4)?;
    let leading = leading(cx, 0, 4)?;
    let [dy, x, mean, gamma] = [cx.float(0)?, cx.float(1)?, cx.float(3)?, cx.float(4)?];
    let normal = (x - mean) * inverse;
    let inner = dy * gamma;
    let straight = inner.mean_kept(&axes);
    let turned = normal * (inner * normal).mean_kept(&axes);
    cx.give(0, (inner - straight - turned) * inverse)?;
    cx.give(1, (dy * normal).sum(&leading))?;
    cx.give(2, dy.sum(&leading))
}

/// What is normalised in groups of channels.
struct Groups<'c> {
    y: Val<'c>,
    /// For each group: [N, groups, 1].
    mean: Val<'c>,
    variance: Val<'c>,
    /// 1 / the deviation.
    inverse: Val<'c>,
}

impl<'c> Groups<'c> {
    fn of(cx: &'c Context<'c>) -> Result<Self, Why> {
        let rank = cx.needs_rank(0, |rank| rank >= 2, "2 or more")?;
        let groups = cx.int("num_groups")?;
        if groups < 1 {
            return Err(refused("num_groups", &groups, "positive"));
        }
        let x = cx.float(0)?;
        let apart = x.reshape_keeping(&[0, groups, -1]);
        let mean = apart.mean_kept(&[2]);
        let variance = (apart - mean).square().mean_kept(&[2]);
        let inverse = (variance + cx.real_or("eps", 1e-5)?).sqrt().reciprocal();
        let normal = ((apart - mean) * inverse).reshape_like(x);
        let [gamma, beta] = [cx.float(1)?, cx.float(2)?].map(|it| it.flat().along(1, rank));
        Ok(Self {
            y: normal * gamma + beta,
            mean,
            variance,
            inverse,
        })
    }
}

fn group_norm<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let groups = Groups::of(cx)?;
    cx.give(0, groups.y)?;
    give_statistics(cx, [groups.mean, groups.variance])
}

fn group_norm_swish<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let groups = Groups::of(cx)?;
    let scale = cx.real_or("swish_scale", 1.0)?;
    cx.give(
        0,
        if cx.flag_or("activate_swish", true)? {
            groups.y * (groups.y * scale).sigmoid()
        } else {
            groups.y
        },
    )?;
    give_statistics(cx, [groups.mean, groups.inverse])
}

/// The second and the third result, of each group.
fn give_statistics<'c>(cx: &'c Context<'c>, values: [Val<'c>; 2]) -> Result<(), Why> {
    for (index, value) in (1..).zip(values) {
        if cx.wants(index) {
            let flat = cx.output_rank(index)? == 1;
            cx.give(
                index,
                if flat {
                    value.flat()
                } else {
                    value.squeeze(&[2])
                },
            )?;
        }
    }
    Ok(())
}
