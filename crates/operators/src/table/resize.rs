//! Pictures in other sizes, and their gradients.
//!
//! A resize is a product with one matrix for each axis, whose rows are the weights of the pixels that an
//! output pixel is mixed from. Its gradient is the product with the same matrices, transposed. So every mode
//! and every rule for coordinates is one function, and the engine's own, which differ between versions in
//! corners, are not needed.

use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::request::format;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row(
        "ResizeNearestNeighborV2",
        "x, size; align_corners, half_pixel_centers = false",
        |cx| {
            cx.ignore(1);
            forward(cx, Mode::Nearest, flags(cx)?, &planes(cx, 0)?)
        },
    ),
    row(
        "ResizeNearestNeighborV2Grad",
        "dy, size; align_corners, half_pixel_centers = false",
        |cx| {
            cx.ignore(1);
            backward(cx, Mode::Nearest, flags(cx)?, &planes(cx, 0)?)
        },
    ),
    row(
        "ResizeBilinearV2",
        "x, size; align_corners, half_pixel_centers = false",
        |cx| {
            cx.ignore(1);
            forward(cx, Mode::Linear, flags(cx)?, &planes(cx, 0)?)
        },
    ),
    row(
        "ResizeBilinearV2Grad",
        "dy, x; align_corners, half_pixel_centers = false",
        |cx| {
            cx.ignore(1);
            backward(cx, Mode::Linear, flags(cx)?, &planes(cx, 0)?)
        },
    ),
    row(
        "ResizeArea",
        "images [n, h, w, c], size; align_corners = false: the mean of the area that a pixel covers",
        |cx| {
            cx.ignore(1);
            cx.needs_rank(0, |rank| rank == 4, "4")?;
            // As in TensorFlow, channels come last unless the format says otherwise.
            let axes = match cx.format(0)? {
                format::NCHW => [2, 3],
                _ => [1, 2],
            };
            let ends = cx.flag_or("align_corners", false)?;
            let rule = if ends { Rule::Ends } else { Rule::Corner };
            forward(cx, Mode::Area, rule, &axes)
        },
    ),
    row(
        "ResizeD",
        "x; sizes, scales, mode = nearest, linear or cubic, coordinate_transformation_mode = half_pixel, cubic_coeff_a = -0.75",
        |cx| {
            let (mode, rule) = named(cx)?;
            forward(cx, mode, rule, &by_format(cx)?)
        },
    ),
    row(
        "ResizeGradD",
        "dy; original_size, the attributes of ResizeD, data_format",
        |cx| {
            let (mode, rule) = named(cx)?;
            backward(cx, mode, rule, &by_format(cx)?)
        },
    ),
    row("UpsampleNearest1d", "x; output_size", |cx| {
        forward(cx, Mode::Nearest, Rule::Corner, &[2])
    }),
    row("UpsampleNearest3d", "x; output_size", |cx| {
        forward(cx, Mode::Nearest, Rule::Corner, &[2, 3, 4])
    }),
    row(
        "UpsampleNearest3dGrad",
        "dy; input_size, output_size",
        |cx| backward(cx, Mode::Nearest, Rule::Corner, &[2, 3, 4]),
    ),
    row(
        "UpsampleTrilinear3d",
        "x; output_size, align_corners = false",
        |cx| forward(cx, Mode::Linear, trilinear(cx)?, &[2, 3, 4]),
    ),
    row(
        "UpsampleTrilinear3dGrad",
        "dy; input_size, output_size, align_corners = false",
        |cx| backward(cx, Mode::Linear, trilinear(cx)?, &[2, 3, 4]),
    ),
];

#[derive(Debug, Clone, Copy)]
enum Mode {
    Nearest,
    Linear,
    /// With its coefficient.
    Cubic(f64),
    /// The mean of everything that an output pixel covers.
    Area,
}

/// Where the middle of an output pixel is among the input's.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    /// Their corners coincide.
    Corner,
    /// Their middles are half a pixel from their corners.
    Half,
    /// The first and last pixels coincide.
    Ends,
}

fn flags<'c>(cx: &'c Context<'c>) -> Result<Rule, Why> {
    Ok(if cx.flag_or("align_corners", false)? {
        Rule::Ends
    } else if cx.flag_or("half_pixel_centers", false)? {
        Rule::Half
    } else {
        Rule::Corner
    })
}

fn trilinear<'c>(cx: &'c Context<'c>) -> Result<Rule, Why> {
    let ends = cx.flag_or("align_corners", false)?;
    Ok(if ends { Rule::Ends } else { Rule::Half })
}

fn named<'c>(cx: &'c Context<'c>) -> Result<(Mode, Rule), Why> {
    let mode = match cx.text_or("mode", "nearest")?.as_str() {
        "nearest" => Mode::Nearest,
        "linear" => Mode::Linear,
        "cubic" => Mode::Cubic(cx.real_or("cubic_coeff_a", -0.75)?.into()),
        other => return Err(refused("mode", &other, "nearest, linear or cubic")),
    };
    let rule = match cx
        .text_or("coordinate_transformation_mode", "half_pixel")?
        .as_str()
    {
        "half_pixel" | "pytorch_half_pixel" => Rule::Half,
        "align_corners" => Rule::Ends,
        "asymmetric" => Rule::Corner,
        other => {
            let wants = "half_pixel, align_corners or asymmetric";
            return Err(refused("coordinate_transformation_mode", &other, wants));
        }
    };
    Ok((mode, rule))
}

/// The axes of a picture: the last two, or the middle ones if the format says so.
fn planes<'c>(cx: &'c Context<'c>, index: usize) -> Result<Vec<usize>, Why> {
    cx.needs_rank(index, |rank| rank == 4, "4")?;
    Ok(if cx.format(index)? == format::NHWC {
        vec![1, 2]
    } else {
        vec![2, 3]
    })
}

/// Everything behind samples and channels, unless the attribute says that pixels come first.
fn by_format<'c>(cx: &'c Context<'c>) -> Result<Vec<usize>, Why> {
    let rank = cx.needs_rank(0, |rank| (3..6).contains(&rank), "3 to 5")?;
    let first = cx.text_or("data_format", "NCHW")? == "HWNC";
    Ok(if first {
        (0..rank - 2).collect()
    } else {
        (2..rank).collect()
    })
}

/// An axis that changes its length, and by which factor if one was given.
#[derive(Debug, Clone, Copy)]
struct Resized {
    axis: usize,
    source: i64,
    target: i64,
    scale: Option<f64>,
}

/// Axes of the input with those of the output: a row of pixels may come as a picture with one line.
fn lengths<'c>(cx: &'c Context<'c>, axes: &[usize]) -> Result<Vec<Resized>, Why> {
    let from = cx.dims(0)?;
    // Where pixels come first, the output is described in the order of the size before.
    let pixels_first = axes.first() == Some(&0);
    let size = cx.list_or("original_size", &[])?;
    let swapped: Vec<i64> = match size[..] {
        [samples, channels, ref sizes @ ..] if pixels_first => {
            [sizes, &[samples, channels]].concat()
        }
        _ => cx.output_dims(0)?.to_vec(),
    };
    let to = &swapped[..];
    let shorter = from.len().saturating_sub(to.len());
    let longer = to.len().saturating_sub(from.len());
    // Where a factor was given, it says where pixels are: sizes are rounded. The last ones belong together.
    let scales = cx.reals_or("scales", &[])?;
    let extra = axes.len().saturating_sub(scales.len());
    let mut made = Vec::new();
    for (place, axis) in axes.iter().enumerate() {
        let scale = place.checked_sub(extra).and_then(|at| scales.get(at));
        let scale = scale.filter(|scale| **scale > 0.0);
        let scale = scale.map(|scale| f64::from(*scale));
        let source = from.get(*axis).copied();
        let target = match (axis + longer).checked_sub(shorter) {
            Some(place) if place >= 2 || shorter == 0 => to.get(place).copied(),
            _ => Some(1),
        };
        let (Some(source), Some(target)) = (source, target) else {
            return Err(Why::other(format!("{from:?} cannot be resized to {to:?}")));
        };
        // A matrix of these lengths must fit into memory.
        if source < 1 || target < 1 || source.saturating_mul(target) > 1 << 26 {
            return Err(Why::other(format!(
                "{source} pixels cannot be resized to {target}"
            )));
        }
        made.push(Resized {
            axis: *axis,
            source,
            target,
            scale,
        });
    }
    Ok(made)
}

fn forward<'c>(cx: &'c Context<'c>, mode: Mode, rule: Rule, axes: &[usize]) -> Result<(), Why> {
    // Means of whole numbers are not whole.
    let mut x = match mode {
        Mode::Area if !cx.element(0)?.is_float() => cx.number(0)?.cast(Element::F32),
        _ => cx.float(0)?,
    };
    for one in lengths(cx, axes)? {
        let Resized { source, target, .. } = one;
        let matrix = weights(mode, rule, source, target, one.scale);
        x = along(
            x,
            one.axis,
            cx.rank(0)?,
            cx.reals_of(&[target, source], &matrix),
        );
    }
    cx.give_shaped(0, x)
}

fn backward<'c>(cx: &'c Context<'c>, mode: Mode, rule: Rule, axes: &[usize]) -> Result<(), Why> {
    let mut dy = cx.float(0)?;
    for one in lengths(cx, axes)? {
        // Back from what is the input here.
        let (source, target) = (one.target, one.source);
        let matrix = weights(mode, rule, source, target, one.scale);
        let back = cx.reals_of(&[target, source], &matrix).transpose(&[1, 0]);
        dy = along(dy, one.axis, cx.rank(0)?, back);
    }
    cx.give_shaped(0, dy)
}

/// The product of a matrix with every row of numbers along an axis.
fn along<'c>(x: Val<'c>, axis: usize, rank: usize, matrix: Val<'c>) -> Val<'c> {
    let matrix = matrix.cast(x.element());
    let last = rank.cast_signed() as i64 - 1;
    let mut order: Vec<i64> = (0..=last).collect();
    order.swap(axis, rank - 1);
    let back = matrix.transpose(&[1, 0]);
    if axis == rank - 1 {
        return x.matmul(back);
    }
    x.transpose(&order).matmul(back).transpose(&order)
}

/// From which input pixels, and how much of each, every output pixel is made: [target, source].
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions in pictures are small, and clamped to them"
)]
fn weights(mode: Mode, rule: Rule, source: i64, target: i64, scale: Option<f64>) -> Vec<f32> {
    let (from, to) = (source as f64, target as f64);
    let step = scale.map_or(from / to, f64::recip);
    let mut matrix = vec![0_f32; (source * target) as usize];
    for pixel in 0..target {
        let here = pixel as f64;
        let at = match rule {
            Rule::Ends if target == 1 => 0.0,
            Rule::Ends => here * (from - 1.0) / (to - 1.0),
            Rule::Half => (here + 0.5) * step - 0.5,
            Rule::Corner => here * step,
        };
        let mut add = |place: f64, weight: f64| {
            let place = place.clamp(0.0, from - 1.0) as usize;
            matrix[pixel as usize * source as usize + place] += weight as f32;
        };
        match mode {
            // Half a pixel is not taken off again: what is under the middle counts.
            Mode::Nearest if rule == Rule::Half => add((at + 0.5).floor(), 1.0),
            Mode::Nearest if rule == Rule::Ends => add((at + 0.5).floor(), 1.0),
            Mode::Nearest => add((at + 1e-9).floor(), 1.0),
            Mode::Linear => {
                let at = at.max(0.0);
                let rest = at - at.floor();
                add(at.floor(), 1.0 - rest);
                add(at.floor() + 1.0, rest);
            }
            Mode::Area => {
                let width = match rule {
                    Rule::Ends if target > 1 => (from - 1.0) / (to - 1.0),
                    _ => step,
                };
                let (begin, end) = (at, at + width);
                let mut place = begin.floor();
                // What reaches beyond the last pixel counts as that pixel.
                while place < end {
                    let covered = end.min(place + 1.0) - begin.max(place);
                    add(place, covered / width);
                    place += 1.0;
                }
            }
            Mode::Cubic(a) => {
                let rest = at - at.floor();
                for step in -1..3_i32 {
                    let far = (f64::from(step) - rest).abs();
                    let weight = if far <= 1.0 {
                        ((a + 2.0) * far - (a + 3.0)) * far * far + 1.0
                    } else {
                        ((far - 5.0) * far + 8.0) * far * a - 4.0 * a
                    };
                    add(at.floor() + f64::from(step), weight);
                }
            }
        }
    }
    matrix
}
