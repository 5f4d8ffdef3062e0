//! Resizing by interpolation, axis by axis.

use millpond_kernels::Element;
use millpond_kernels::floats;
use millpond_kernels::resample::Taps;

use super::convolution::real_type;
use super::expect_shape;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// How values between elements are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The element before.
    Nearest,
    /// The element whose middle is nearest.
    NearestExact,
    /// On a straight line between two.
    Linear,
    /// On a curve through four.
    Cubic,
    /// A weighted mean as wide as the scale asks for, with weights that fall in a straight line.
    LinearArea,
    /// The same with the weights of a curve.
    CubicArea,
}

/// The weight of an element at a distance, for interpolation by cubic curves.
fn cubic(distance: f64, sharpness: f64) -> f64 {
    let x = distance.abs();
    if x < 1.0 {
        ((sharpness + 2.0) * x - (sharpness + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * sharpness
    } else {
        0.0
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes of axes, and positions between 0 and such a size"
)]
fn taps(mode: Mode, from: usize, to: usize, align: bool, scale: f64) -> Taps {
    let (size, last) = (from as f64, from.saturating_sub(1));
    let given = (scale > 0.0).then(|| 1.0 / scale);
    let ratio = if align && !matches!(mode, Mode::Nearest | Mode::NearestExact) {
        if to > 1 {
            (size - 1.0) / (to as f64 - 1.0)
        } else {
            0.0
        }
    } else {
        given.unwrap_or(size / to as f64)
    };
    let source = |place: usize| {
        if align {
            ratio * place as f64
        } else {
            ratio * (place as f64 + 0.5) - 0.5
        }
    };
    match mode {
        Mode::Nearest => Taps::new(from, to, |place| {
            let at = if from == to {
                place
            } else if to == 2 * from {
                place / 2
            } else {
                // In `float`, as PyTorch does: where products are near whole numbers, rounding decides.
                (place as f32 * ratio as f32).floor() as usize
            };
            [(at.min(last), 1.0)]
        }),
        Mode::NearestExact => Taps::new(from, to, |place| {
            let at = ((place as f32 + 0.5) * ratio as f32).floor() as usize;
            [(at.min(last), 1.0)]
        }),
        Mode::Linear => Taps::new(from, to, |place| {
            let at = source(place).max(0.0);
            let first = (at.floor() as usize).min(last);
            let share = (at - first as f64).clamp(0.0, 1.0);
            [(first, 1.0 - share), ((first + 1).min(last), share)]
        }),
        Mode::Cubic => Taps::new(from, to, |place| {
            let at = source(place);
            let first = at.floor();
            let share = at - first;
            [-1.0, 0.0, 1.0, 2.0].map(|shift: f64| {
                let index = (first + shift).clamp(0.0, last as f64) as usize;
                (index, cubic(shift - share, -0.75))
            })
        }),
        Mode::LinearArea | Mode::CubicArea => Taps::new(from, to, |place| {
            let reach = if mode == Mode::LinearArea { 1.0 } else { 2.0 };
            let (support, shrink) = (reach * ratio.max(1.0), 1.0 / ratio.max(1.0));
            let middle = ratio * (place as f64 + 0.5);
            let first = (middle - support + 0.5).max(0.0) as usize;
            let end = ((middle + support + 0.5).max(0.0) as usize).min(from);
            let weight = move |at: usize| {
                let distance = (at as f64 - middle + 0.5) * shrink;
                if mode == Mode::LinearArea {
                    (1.0 - distance.abs()).max(0.0)
                } else {
                    cubic(distance, -0.5)
                }
            };
            let total: f64 = (first..end).map(weight).sum();
            (first..end).map(move |at| {
                let share = if total == 0.0 {
                    0.0
                } else {
                    weight(at) / total
                };
                (at, share)
            })
        }),
    }
}

/// Sums along axes, one after the other, into `out`. The axes are contiguous from the back: `taps[i]` is for axis `first + i`.
pub(crate) fn apply(
    plan: &mut Plan,
    input: &Value,
    first: usize,
    taps: Vec<Taps>,
    out: &Value,
    element: Element,
) {
    let mut work: Vec<(usize, Taps)> = taps
        .into_iter()
        .enumerate()
        .map(|(index, taps)| (first + index, taps))
        .filter(|(_, taps)| !taps.is_identity())
        .collect();
    // What makes the tensor smaller comes first.
    work.sort_by(|(_, a), (_, b)| (a.to() * b.from()).cmp(&(b.to() * a.from())));
    let mut current = plan.contiguous(input, element);
    let count = work.len();
    for (index, (axis, taps)) in work.into_iter().enumerate() {
        let mut dims = current.dims().to_vec();
        dims[axis] = i64::try_from(taps.to()).unwrap_or(i64::MAX);
        let next = if index + 1 == count {
            plan.dense_room(out, element)
        } else {
            plan.temp(element, &dims)
        };
        let outer: i64 = dims[..axis].iter().product();
        let inner: i64 = dims[axis + 1..].iter().product();
        let from = plan.reshape(&current, &[outer, current.dim(axis), inner]);
        let to = plan.reshape(&next, &[outer, dims[axis], inner]);
        plan.step(move |m| {
            floats!(element, T => taps.apply::<T>(&m.view(&from), &m.view(&to)));
        });
        current = next;
    }
    plan.deliver(&current, out);
}

/// Which type a resized tensor is computed in.
fn type_for(mode: Mode, tensors: &[&Tensor]) -> Result<Element, Refusal> {
    let bytes = matches!(mode, Mode::Nearest | Mode::NearestExact)
        && tensors.iter().all(|tensor| tensor.element() == Element::U8);
    if bytes {
        return Ok(Element::F32);
    }
    real_type(tensors, "resizing")
}

/// The taps of every axis between images of these dimensions.
fn all_taps(
    mode: Mode,
    from: &[i64],
    to: &[i64],
    align: bool,
    scales: &[f64],
) -> Result<Vec<Taps>, Refusal> {
    require!(
        from.len() == scales.len() + 2 && to.len() == from.len() && from[..2] == to[..2],
        "images of {from:?} cannot be resized to {to:?}: both need {} dimensions, of which the first two are equal",
        scales.len() + 2
    );
    require!(
        from[2..].iter().chain(&to[2..]).all(|dim| *dim > 0),
        "images of {from:?} cannot be resized to {to:?}: they must have elements"
    );
    let size = |dim: i64| usize::try_from(dim).unwrap_or(0);
    Ok(scales
        .iter()
        .enumerate()
        .map(|(axis, scale)| {
            taps(
                mode,
                size(from[axis + 2]),
                size(to[axis + 2]),
                align,
                *scale,
            )
        })
        .collect())
}

/// Images `[batch, channels, …]` resized to `size`. A scale of 0 stands for none given.
pub(crate) fn resize(
    mode: Mode,
    input: &Tensor,
    size: &[i64],
    align: bool,
    scales: &[f64],
    out: &Tensor,
) -> Planned {
    let element = type_for(mode, &[input, out])?;
    require!(
        out.rank() >= 2 && out.dims[2..] == *size,
        "'outputSize' is {size:?}, but 'out' has the shape {:?}",
        out.dims
    );
    let taps = all_taps(mode, &input.dims, &out.dims, align, scales)?;
    let mut plan = Plan::new();
    let x = plan.input(input);
    let y = plan.output_apart(out);
    apply(&mut plan, &x, 2, taps, &y, element);
    plan.done()
}

/// The gradient of resizing images of the shape `input_size` to `size`.
pub(crate) fn resize_gradient(
    mode: Mode,
    slope: &Tensor,
    size: &[i64],
    input_size: &[i64],
    align: bool,
    scales: &[f64],
    out: &Tensor,
) -> Planned {
    let element = type_for(mode, &[slope, out])?;
    require!(
        slope.rank() >= 2 && slope.dims[2..] == *size,
        "'outputSize' is {size:?}, but 'gradOutput' has the shape {:?}",
        slope.dims
    );
    expect_shape(out, input_size)?;
    let taps = all_taps(mode, input_size, &slope.dims, align, scales)?;
    let mut plan = Plan::new();
    let x = plan.input(slope);
    let y = plan.output_apart(out);
    let back = taps.iter().map(Taps::reversed).collect();
    apply(&mut plan, &x, 2, back, &y, element);
    plan.done()
}
