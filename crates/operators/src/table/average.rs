//! Poolings by the mean and their gradients.

use super::pooling::Pool;
use super::window::{Window, channels_back, channels_first};
use super::{Row, row};
use crate::Why;
use crate::context::Context;
use crate::flow::Val;

pub(super) const ROWS: &[Row] = &[
    row(
        "AvgPool",
        "x; ksize, strides, padding = SAME or VALID, data_format = NHWC",
        |cx| {
            let pool = Pool::by_name(cx, 2, "padding", "NHWC")?;
            give_mean(cx, &pool, true)
        },
    ),
    row(
        "AvgPoolV2",
        "x; ksize, strides, padding_mode = CALCULATED, pads, data_format = NCHW, global_pooling, ceil_mode = false, exclusive = true, divisor_override = 0",
        |cx| {
            let pool = Pool::of_any_rank(cx)?;
            give_mean(cx, &pool, cx.flag_or("exclusive", true)?)
        },
    ),
    row(
        "AvgPool3D",
        "x; ksize, strides, pads, ceil_mode = false, count_include_pad = true, divisor_override = 0, data_format = NDHWC",
        |cx| {
            let pool = Pool::by_name(cx, 3, "padding_mode", "NDHWC")?;
            give_mean(cx, &pool, !cx.flag_or("count_include_pad", true)?)
        },
    ),
    row(
        "AvgPoolGrad",
        "input shape, dy; the attributes of AvgPool",
        |cx| give_mean_grad(cx, 2, "padding", "NHWC", true),
    ),
    row(
        "AvgPoolV2Grad",
        "input shape, dy; the attributes of AvgPoolV2",
        |cx| {
            give_mean_grad(
                cx,
                2,
                "padding_mode",
                "NCHW",
                cx.flag_or("exclusive", true)?,
            )
        },
    ),
    row(
        "AvgPool3DGrad",
        "input shape, dy; the attributes of AvgPool3D",
        |cx| {
            give_mean_grad(
                cx,
                3,
                "padding_mode",
                "NDHWC",
                !cx.flag_or("count_include_pad", true)?,
            )
        },
    ),
    row(
        "GlobalAveragePool",
        "x [N, C, ...]: the mean of each channel",
        |cx| {
            let axes: Vec<i64> = (2..cx.axes(0)?).collect();
            cx.give(0, cx.float(0)?.mean_kept(&axes))
        },
    ),
    row(
        "AdaptiveAvgPool2d",
        "x; output_size: means over areas that divide the input evenly",
        |cx| {
            let (sizes, wanted) = (last_two(cx.dims(0)?)?, last_two(&cx.list("output_size")?)?);
            let x = cx.float(0)?;
            let [rows, columns] =
                [0, 1].map(|axis| shares(cx, sizes[axis], wanted[axis]).cast(x.element()));
            cx.give(0, rows.matmul(x).matmul(columns.transpose(&[1, 0])))
        },
    ),
    row("AdaptiveAvgPool2dGrad", "dy; orig_input_shape", |cx| {
        let (sizes, wanted) = (
            last_two(&cx.list("orig_input_shape")?)?,
            last_two(cx.dims(0)?)?,
        );
        let dy = cx.float(0)?;
        let [rows, columns] =
            [0, 1].map(|axis| shares(cx, sizes[axis], wanted[axis]).cast(dy.element()));
        cx.give(0, rows.transpose(&[1, 0]).matmul(dy).matmul(columns))
    }),
];

/// By how much the sum of each window is divided. What is past the border never counts; the border itself
/// does unless it is excluded.
#[allow(clippy::cast_precision_loss, reason = "windows have few elements")]
fn divisors(
    window: &Window,
    declared_after: &[i64],
    sizes: &[i64],
    windows: &[i64],
    exclusive: bool,
) -> Vec<f32> {
    let mut all = vec![1.0];
    for axis in 0..window.spatial {
        let (size, before) = (sizes[axis], window.before[axis]);
        let counts = (0..windows[axis]).map(|at| {
            let start = at * window.strides[axis] - before;
            let end = (start + window.kernel[axis]).min(size + declared_after[axis]);
            let (low, high) = if exclusive {
                (start.max(0), end.min(size))
            } else {
                (start, end)
            };
            (high - low).max(1) as f32
        });
        let counts: Vec<f32> = counts.collect();
        all = all
            .iter()
            .flat_map(|outer: &f32| counts.iter().map(move |inner| outer * inner))
            .collect();
    }
    all
}

fn give_mean<'c>(cx: &'c Context<'c>, pool: &Pool, exclusive: bool) -> Result<(), Why> {
    let spatial = pool.window.spatial;
    let windows = if pool.ceil {
        cx.output_dims(0)?
    } else {
        &[0; 5][..spatial + 2]
    };
    let window = pool.fitted(cx, 0, windows)?;
    let x = channels_first(cx.float(0)?, spatial, window.channels_last);
    let divisor = cx.int_or("divisor_override", 0)?;
    let plain = !pool.ceil && divisor == 0;
    let mut borders = window.before.iter().chain(&window.after);
    #[allow(clippy::cast_precision_loss, reason = "windows have few elements")]
    let [area, divisor] = [window.kernel.iter().product::<i64>() as f32, divisor as f32];
    let counted = borders.any(|width| *width > 0) && !(plain && exclusive);
    let mut y = if counted {
        sums(x, &window)
    } else {
        let mut attributes = window.attributes();
        attributes.remove(2);
        x.apply("AveragePool", &[], &attributes)
    };
    if plain && counted {
        y = y / area;
    } else if !plain {
        let sum = if counted { y } else { y * area };
        y = if divisor > 0.0 {
            sum / divisor
        } else {
            let (sizes, windows) = (window.sizes(cx.dims(0)?)?, window.sizes(windows)?);
            let counts =
                checked_divisors(&window, &pool.window.after, &sizes, &windows, exclusive)?;
            sum / cx.reals_of(&windows, &counts).cast(sum.element())
        };
    }
    cx.give(0, channels_back(y, spatial, window.channels_last))
}

/// The sum of each window, border and all: a convolution with ones, of every channel of every sample for itself. The
/// engine's own way to count borders is wrong for some of them in ONNX Runtime 1.24.
fn sums<'c>(x: Val<'c>, window: &Window) -> Val<'c> {
    let alone: Vec<i64> = [-1, 1].into_iter().chain(vec![0; window.spatial]).collect();
    let ones = x.like(1.0).expand(&[&[1, 1], &window.kernel[..]].concat());
    let mut attributes = window.attributes();
    attributes.remove(0);
    let y = x
        .reshape_keeping(&alone)
        .apply("Conv", &[ones], &attributes);
    let [first, rest] = [x.shape().part(0, 0, 2), y.shape().part(0, 2, i64::MAX)];
    y.reshape_to(Val::concat(0, &[first, rest]))
}

/// The same, unless the request speaks of more windows than any memory holds.
fn checked_divisors(
    window: &Window,
    after: &[i64],
    sizes: &[i64],
    windows: &[i64],
    exclusive: bool,
) -> Result<Vec<f32>, Why> {
    let count = windows
        .iter()
        .try_fold(1_i64, |all, one| all.checked_mul(*one));
    let sane = sizes
        .iter()
        .chain(windows)
        .all(|dim| (0..1 << 31).contains(dim));
    match count {
        Some(count) if sane && (0..1 << 26).contains(&count) => {
            Ok(divisors(window, after, sizes, windows, exclusive))
        }
        _ => Err(Why::other(format!("{windows:?} windows are too many"))),
    }
}

/// Each window hands its gradient back in equal shares.
fn give_mean_grad<'c>(
    cx: &'c Context<'c>,
    spatial: usize,
    padding: &'static str,
    format: &str,
    exclusive: bool,
) -> Result<(), Why> {
    let shape = cx.constant_ints(0)?;
    let mut pool = Pool::by_name(cx, spatial, padding, format)?;
    let declared = pool.window.after.clone();
    let (sizes, windows) = (pool.window.sizes(&shape)?, pool.window.sizes(cx.dims(1)?)?);
    pool.fit(&sizes, &windows);
    let window = pool.window.checked()?;
    let after = if pool.same { &window.after } else { &declared };
    let dy = channels_first(cx.float(1)?, spatial, window.channels_last);
    let divisor = cx.int_or("divisor_override", 0)?;
    #[allow(clippy::cast_precision_loss, reason = "windows have few elements")]
    let share = if divisor > 0 {
        dy / divisor as f32
    } else {
        let counts = checked_divisors(&window, after, &sizes, &windows, exclusive)?;
        dy / cx.reals_of(&windows, &counts).cast(dy.element())
    };
    // Every channel of every sample is a picture of its own.
    let one = |dims: &[i64]| {
        [-1, 1]
            .into_iter()
            .chain(dims.iter().copied())
            .collect::<Vec<i64>>()
    };
    let ones = share
        .like(1.0)
        .expand(&[&[1, 1], &window.kernel[..]].concat());
    let spread = window.spread(share.reshape(&one(&windows)), ones, &windows, &sizes, 1)?;
    let full = Val::concat(0, &[share.shape().part(0, 0, 2), cx.list_of(&sizes)]);
    cx.give(
        0,
        channels_back(spread.reshape_to(full), spatial, window.channels_last),
    )
}

fn last_two(dims: &[i64]) -> Result<[i64; 2], Why> {
    // Two such numbers make a matrix that fits into memory.
    let fits = |dim: &i64| (1..1 << 13).contains(dim);
    match dims {
        [.., rows, columns] if fits(rows) && fits(columns) => Ok([*rows, *columns]),
        _ => Err(Why::other(format!("there are no areas in {dims:?}"))),
    }
}

/// A matrix that takes `size` numbers to the means of `wanted` areas.
#[allow(clippy::cast_precision_loss, reason = "areas have few elements")]
fn shares<'c>(cx: &'c Context<'c>, size: i64, wanted: i64) -> Val<'c> {
    let mut matrix = Vec::new();
    for area in 0..wanted {
        let (start, end) = (
            area * size / wanted,
            ((area + 1) * size + wanted - 1) / wanted,
        );
        let share = 1.0 / (end - start) as f32;
        matrix.extend((0..size).map(|at| {
            if (start..end).contains(&at) {
                share
            } else {
                0.0
            }
        }));
    }
    cx.reals_of(&[wanted, size], &matrix)
}
