//! Pictures seen through grids, taken apart into patches and put together again; other geometry.

use super::scatter::{Reduction, scatter};
use super::window::{Window, borders};
use super::{Row, row};
use crate::Why;
use crate::context::{Context, refused};
use crate::flow::Val;
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row(
        "GridSampler2D",
        "x [N, C, H, W], grid [N, h, w, 2]; interpolation_mode, padding_mode = zeros, align_corners = false",
        grid_sample,
    ),
    row(
        "GridSampler2DGrad",
        "dy, x, grid; interpolation_mode = bilinear, padding_mode = zeros or border, align_corners = false: dx, dgrid",
        grid_sample_grad,
    ),
    row(
        "AffineGrid",
        "theta [N, 2, 3], size [N, C, H, W]; align_corners = false: [N, H W, 2] or [N, H, W, 2]",
        affine_grid,
    ),
    row(
        "Im2col",
        "x; ksizes, strides, dilations, padding_mode, pads: patches as columns",
        |cx| {
            let pads = cx.list_or("pads", &[0])?;
            let pads = if pads.len() == 2 {
                vec![pads[0], pads[0], pads[1], pads[1]]
            } else {
                each(&pads, 4)
            };
            let window = window(cx, "ksizes", "strides", "dilations", &pads)?;
            let sizes = window.sizes(cx.dims(0)?)?;
            let places = places(cx, &window, &sizes)?;
            let x = padded(cx.float(0)?, &window).reshape_keeping(&[0, 0, -1]);
            // [N, C, taps, windows]; channels and taps are one axis in the result.
            cx.give_shaped(0, x.gather(places, 2))
        },
    ),
    row(
        "Col2im",
        "x [N, C, taps, windows], output_size; kernel_size, dilation, padding, stride: patches added up",
        |cx| {
            let size = cx.constant_ints(1)?;
            let pads = match cx.list_or("padding", &[0])?[..] {
                [rows, columns] => vec![rows, rows, columns, columns],
                ref other => each(other, 4),
            };
            let window = window(cx, "kernel_size", "stride", "dilation", &pads)?;
            let [height, width] = size[..] else {
                return Err(Why::Constant {
                    index: 1,
                    reason: "two numbers are needed".into(),
                });
            };
            let sizes = [height, width];
            let places = places(cx, &window, &sizes)?.flat();
            let x = cx.float(0)?;
            let [rows, columns] =
                [0, 1].map(|axis| sizes[axis] + window.before[axis] + window.after[axis]);
            // Pixels first, so that each patch is a row to be added: [pixels, N, C].
            let moved = x.reshape_keeping(&[0, 0, -1]).transpose(&[2, 0, 1]);
            let shape = Val::concat(0, &[cx.list_of(&[rows * columns]), x.shape().part(0, 0, 2)]);
            let sum = scatter(
                x.like(0.0).expand_to(shape),
                &[places],
                moved,
                Reduction::Add,
                3,
            );
            let sum = sum
                .transpose(&[1, 2, 0])
                .reshape_keeping(&[0, 0, rows, columns]);
            let ends = [0, 1].map(|axis| window.before[axis] + sizes[axis]);
            cx.give(0, sum.slice(&[2, 3], &window.before, &ends, &[1, 1]))
        },
    ),
    row(
        "Cross",
        "x1, x2; dim: the cross product of vectors of three",
        |cx| {
            let dim = cx.optional_int("dim")?.filter(|dim| *dim != -65530);
            let axis = match dim {
                Some(dim) => dim,
                None => (0..)
                    .zip(cx.dims(0)?)
                    .find(|(_, dim)| **dim == 3)
                    .map_or(-1, |(axis, _)| axis),
            };
            let [a, b] = [cx.number(0)?, cx.number(1)?];
            let [ahead, behind] = [[1, 2, 0], [2, 0, 1]].map(|order| cx.list_of(&order));
            let one = a.gather(ahead, axis) * b.gather(behind, axis);
            cx.give(0, one - a.gather(behind, axis) * b.gather(ahead, axis))
        },
    ),
];

fn each(list: &[i64], count: usize) -> Vec<i64> {
    if let [one] = *list {
        vec![one; count]
    } else {
        list.to_vec()
    }
}

/// The windows of patches; each attribute has one or two numbers.
fn window<'c>(
    cx: &'c Context<'c>,
    kernel: &'static str,
    strides: &'static str,
    dilations: &'static str,
    pads: &[i64],
) -> Result<Window, Why> {
    let two = |name: &'static str, list: Vec<i64>| match list[..] {
        [one] => Ok(vec![one, one]),
        [rows, columns] => Ok(vec![rows, columns]),
        _ => Err(refused(name, &format!("{list:?}"), "one or two numbers")),
    };
    let (before, after) = borders(pads, 2)?;
    let window = Window {
        spatial: 2,
        channels_last: false,
        kernel: two(kernel, cx.list(kernel)?)?,
        strides: two(strides, cx.list_or(strides, &[1])?)?,
        dilations: two(dilations, cx.list_or(dilations, &[1])?)?,
        before,
        after,
    };
    window.checked()
}

fn padded<'c>(x: Val<'c>, window: &Window) -> Val<'c> {
    let pads = [&[0, 0], &window.before[..], &[0, 0], &window.after[..]].concat();
    x.apply(
        "Pad",
        &[x.cx().list_of(&pads)],
        &[("mode", Attribute::from("constant"))],
    )
}

/// Where each tap of each window is in the padded picture: [taps, windows].
fn places<'c>(cx: &'c Context<'c>, window: &Window, sizes: &[i64]) -> Result<Val<'c>, Why> {
    let mut full = [0; 2];
    let mut windows = [0; 2];
    for axis in 0..2 {
        full[axis] = sizes[axis].saturating_add(window.before[axis] + window.after[axis]);
        let room = full[axis].saturating_sub(window.reach(axis));
        windows[axis] = if room < 0 {
            0
        } else {
            room / window.strides[axis] + 1
        };
    }
    let numbers = [window.kernel[0], window.kernel[1], windows[0], windows[1]];
    let count = numbers
        .iter()
        .fold(1_i64, |all, number| all.saturating_mul(*number));
    let sane = full.iter().all(|length| (1..1 << 24).contains(length));
    if count > 1 << 24 || !sane {
        return Err(Why::other(format!(
            "{windows:?} windows in {full:?} pixels are too many, or none"
        )));
    }
    let mut table = Vec::new();
    for tap_row in 0..window.kernel[0] {
        for tap_column in 0..window.kernel[1] {
            for row in 0..windows[0] {
                for column in 0..windows[1] {
                    let down = row * window.strides[0] + tap_row * window.dilations[0];
                    let right = column * window.strides[1] + tap_column * window.dilations[1];
                    table.push(down * full[1] + right);
                }
            }
        }
    }
    Ok(cx.table_of(&[numbers[0] * numbers[1], windows[0] * windows[1]], &table))
}

fn grid_sample<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let mode = match cx.text_or("interpolation_mode", "bilinear")?.as_str() {
        "bilinear" => "linear",
        "nearest" => "nearest",
        "bicubic" => "cubic",
        other => {
            return Err(refused(
                "interpolation_mode",
                &other,
                "bilinear, nearest or bicubic",
            ));
        }
    };
    let border = cx.text_or("padding_mode", "zeros")?;
    if !matches!(border.as_str(), "zeros" | "border" | "reflection") {
        return Err(refused(
            "padding_mode",
            &border,
            "zeros, border or reflection",
        ));
    }
    let attributes = [
        ("mode", Attribute::from(mode)),
        ("padding_mode", Attribute::Text(border)),
        ("align_corners", cx.flag_or("align_corners", false)?.into()),
    ];
    let x = cx.float(0)?;
    let grid = cx.float(1)?.cast(x.element());
    cx.give(0, x.apply("GridSample", &[grid], &attributes))
}

/// Each point of the grid is between four pixels. What it was mixed from them is what they get back, and
/// how the mixture changes with the point is the point's own gradient.
fn grid_sample_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let mode = cx.text_or("interpolation_mode", "bilinear")?;
    if mode != "bilinear" {
        return Err(refused("interpolation_mode", &mode, "bilinear"));
    }
    let border = match cx.text_or("padding_mode", "zeros")?.as_str() {
        "zeros" => false,
        "border" => true,
        other => return Err(refused("padding_mode", &other, "zeros or border")),
    };
    for index in 0..3 {
        cx.needs_rank(index, |rank| rank == 4, "4")?;
    }
    let aligned = cx.flag_or("align_corners", false)?;
    let [dy, x, grid] = [cx.float(0)?, cx.float(1)?, cx.float(2)?];
    let element = x.element();
    let flat = dy.cast(element).reshape_keeping(&[0, 0, -1]);
    let pixels = x.reshape_keeping(&[0, 0, -1]);
    // For columns, then rows: the pixel before the point, the distance from it, what the point's change counts.
    let axis = |place: i64, length: Val<'c>| {
        let at = grid
            .cast(element)
            .pick(3, place)
            .reshape_keeping(&[0, -1])
            .unsqueeze(&[1]);
        let (scale, start) = if aligned {
            ((length - 1.0) * 0.5, length * 0.0)
        } else {
            (length * 0.5, length * 0.0 - 0.5)
        };
        let point = (at + 1.0) * scale + start;
        let last = length - 1.0;
        let inside = point.above(0.0).and(point.less(last)).cast(element);
        let kept = if border {
            point.at_least(0.0).min(last)
        } else {
            point
        };
        let low = kept.floor();
        (low, kept - low, if border { inside * scale } else { scale })
    };
    let [height, width] = [2, 3].map(|axis| x.length(axis).cast(element));
    let (left, across, across_scale) = axis(0, width);
    let (top, down, down_scale) = axis(1, height);
    let (mut dx, mut to_right, mut to_bottom) = (pixels.flat().filled(0.0), None, None);
    let pictures = x.shape().part(0, 0, 2).reduce_all("ReduceProd").count_up();
    let first = (pictures * pixels.length(2))
        .reshape_to(Val::concat(0, &[x.shape().part(0, 0, 2), cx.list_of(&[1])]));
    for (bottom, right) in [(false, false), (false, true), (true, false), (true, true)] {
        let part = |is_far: bool, far: Val<'c>| if is_far { far } else { 1.0 - far };
        let sign = |is_far: bool| if is_far { 1.0 } else { -1.0 };
        let column = if right { left + 1.0 } else { left };
        let row = if bottom { top + 1.0 } else { top };
        let inside = column
            .below(0.0)
            .or(column.less(width).not())
            .or(row.below(0.0))
            .or(row.less(height).not())
            .not();
        let place = (row * width + column)
            .where_true(inside)
            .cast(crate::Element::I64);
        let share = (part(right, across) * part(bottom, down)).where_true(inside);
        let places = first + place;
        dx = scatter(dx, &[places], (flat * share).flat(), Reduction::Add, 1);
        let seen = pixels.flat().gather(places, 0) * flat * inside.cast(element);
        let seen = seen.sum_kept(&[1]);
        let more = |sum: Option<Val<'c>>, term: Val<'c>| Some(sum.map_or(term, |sum| sum + term));
        to_right = more(to_right, seen * part(bottom, down) * sign(right));
        to_bottom = more(to_bottom, seen * part(right, across) * sign(bottom));
    }
    cx.give(0, dx.reshape_like(x))?;
    let (Some(to_right), Some(to_bottom)) = (to_right, to_bottom) else {
        return Ok(());
    };
    let both = [to_right * across_scale, to_bottom * down_scale]
        .map(|it| it.squeeze(&[1]).unsqueeze(&[-1]));
    cx.give(1, Val::concat(-1, &both).reshape_like(grid))
}

/// The corners of the picture are -1 and 1, or half a pixel further in.
#[allow(
    clippy::cast_precision_loss,
    reason = "positions in pictures are small"
)]
fn affine_grid<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let size = cx.constant_ints(1)?;
    let aligned = cx.flag_or("align_corners", false)?;
    let fits = |length: i64| (1..1 << 12).contains(&length);
    let [_, _, height, width] = size[..] else {
        return Err(Why::Constant {
            index: 1,
            reason: "four numbers are needed".into(),
        });
    };
    if !fits(height) || !fits(width) {
        return Err(Why::other(format!(
            "no grid has {height} by {width} places"
        )));
    }
    let at = |place: i64, length: i64| match (aligned, length) {
        (true, 1) => 0.0,
        (true, _) => 2.0 * place as f32 / (length - 1) as f32 - 1.0,
        (false, _) => (2.0 * place as f32 + 1.0) / length as f32 - 1.0,
    };
    let mut base = Vec::new();
    for row in 0..height {
        for column in 0..width {
            base.extend([at(column, width), at(row, height), 1.0]);
        }
    }
    let theta = cx.float(0)?;
    let base = cx
        .reals_of(&[height * width, 3], &base)
        .cast(theta.element());
    cx.give_shaped(0, base.matmul(theta.transpose(&[0, 2, 1])))
}
