//! Pooling: the largest element or the mean of every window.

use millpond_kernels::pool::{self, Span, Spans};
use millpond_kernels::resample::Taps;
use millpond_kernels::{Element, floats};

use super::convolution::{grid, per_axis, real_type};
use super::expect_shape;
use super::resize::apply;
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// The positions of windows of a fixed size on an image.
struct Frame {
    rank: usize,
    sizes: [usize; 3],
    kernel: [usize; 3],
    stride: [usize; 3],
    padding: [usize; 3],
    dilation: [usize; 3],
    /// How many windows there are along each axis.
    counts: [usize; 3],
}

/// What the caller gives for windows. An empty stride stands for the size of the windows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) kernel: &'a [i64],
    pub(crate) stride: &'a [i64],
    pub(crate) padding: &'a [i64],
    pub(crate) dilation: &'a [i64],
    pub(crate) ceil: bool,
}

impl Setting<'_> {
    fn frame(&self, image: &Tensor, rank: usize) -> Result<Frame, Refusal> {
        require!(
            image.rank() == rank + 1 || image.rank() == rank + 2,
            "'self' has the shape {:?}, but must have {} or {} dimensions",
            image.dims,
            rank + 1,
            rank + 2
        );
        let kernel = per_axis(self.kernel, rank, 1, 1, "kernelSize")?;
        let stride = if self.stride.is_empty() {
            kernel
        } else {
            per_axis(self.stride, rank, 1, 1, "stride")?
        };
        let padding = per_axis(self.padding, rank, 0, 0, "padding")?;
        let dilation = per_axis(self.dilation, rank, 1, 1, "dilation")?;
        let sizes = grid(&image.dims, rank);
        let mut counts = [1; 3];
        for axis in 3 - rank..3 {
            require!(
                2 * padding[axis] <= kernel[axis],
                "'padding' is {:?}, but must be at most half of the window {:?}",
                self.padding,
                self.kernel
            );
            let reach = dilation[axis] * (kernel[axis] - 1) + 1;
            let padded = sizes[axis] + 2 * padding[axis];
            let Some(rest) = padded.checked_sub(reach).filter(|_| sizes[axis] > 0) else {
                return Err(Refusal::invalid(format!(
                    "an image of {:?} is too small for windows of {reach}",
                    image.dims
                )));
            };
            let mut count = if self.ceil {
                rest.div_ceil(stride[axis]) + 1
            } else {
                rest / stride[axis] + 1
            };
            // The last window must begin in the image or before it.
            if self.ceil && (count - 1) * stride[axis] >= sizes[axis] + padding[axis] {
                count -= 1;
            }
            counts[axis] = count;
        }
        Ok(Frame {
            rank,
            sizes,
            kernel,
            stride,
            padding,
            dilation,
            counts,
        })
    }
}

fn int(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// The shape of the result: the dimensions before the image, and the numbers of windows.
fn pooled(image: &Tensor, rank: usize, counts: [usize; 3]) -> Vec<i64> {
    let lead = image.dims[..image.rank() - rank].iter().copied();
    lead.chain(counts[3 - rank..].iter().map(|count| int(*count)))
        .collect()
}

impl Frame {
    fn spans(&self) -> Spans {
        let axis = |axis: usize| {
            (0..self.counts[axis])
                .map(|number| {
                    let (begin, step) = (number * self.stride[axis], self.dilation[axis]);
                    let end = begin + step * (self.kernel[axis] - 1) + 1;
                    let padding = self.padding[axis];
                    // The first element of the window that is inside.
                    let start = if begin >= padding {
                        begin - padding
                    } else {
                        (step - (padding - begin) % step) % step
                    };
                    let last = self.sizes[axis].saturating_sub(1);
                    // A window may jump over the image: then it has no elements.
                    let end = if start > last {
                        last
                    } else {
                        end.saturating_sub(padding).min(self.sizes[axis])
                    };
                    Span {
                        start: start.min(last),
                        end,
                        step,
                    }
                })
                .collect()
        };
        Spans {
            sizes: self.sizes,
            spans: [axis(0), axis(1), axis(2)],
        }
    }

    /// The weights of means: each axis contributes its part of the divisor.
    fn taps(&self, include_padding: bool, divisor: i64) -> Vec<Taps> {
        (3 - self.rank..3)
            .map(|axis| {
                Taps::new(self.sizes[axis], self.counts[axis], |number| {
                    let (size, padding) = (self.sizes[axis], self.padding[axis]);
                    let begin = number * self.stride[axis];
                    let end = (begin + self.kernel[axis]).min(size + 2 * padding);
                    let padded = end.saturating_sub(begin);
                    let start = begin.saturating_sub(padding);
                    let end = end.saturating_sub(padding).min(size);
                    let count = if include_padding {
                        padded
                    } else {
                        end.saturating_sub(start)
                    };
                    let weight = match (divisor, axis) {
                        (0, _) => reciprocal(int(count)),
                        (divisor, 2) => reciprocal(divisor),
                        _ => 1.0,
                    };
                    (start..end).map(move |at| (at, weight))
                })
            })
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of windows")]
fn reciprocal(count: i64) -> f64 {
    if count == 0 { 0.0 } else { 1.0 / count as f64 }
}

/// Where elements of adaptive windows begin and end: as even a division as there is.
fn adaptive_span(number: usize, size: usize, count: usize) -> (usize, usize) {
    (number * size / count, ((number + 1) * size).div_ceil(count))
}

/// The numbers of adaptive windows.
fn adaptive_counts(image: &Tensor, counts: &[i64], rank: usize) -> Result<[usize; 3], Refusal> {
    require!(
        image.rank() == rank + 1 || image.rank() == rank + 2,
        "'self' has the shape {:?}, but must have {} or {} dimensions",
        image.dims,
        rank + 1,
        rank + 2
    );
    require!(
        image.dims[image.rank() - rank..].iter().all(|dim| *dim > 0),
        "'self' has the shape {:?}: images must have elements",
        image.dims
    );
    per_axis(counts, rank, 1, 0, "outputSize")
}

/// The type that elements are compared in, to find the largest: exact for all types that are allowed.
fn compared_type(image: &Tensor) -> Result<Element, Refusal> {
    let element = image.element();
    match (element, category(element)) {
        (Element::I64 | Element::U64, _) | (_, Category::Complex | Category::Bool) => {
            Err(Refusal::unsupported(format!(
                "Millpond does not pool {} elements by their maximum",
                element.name()
            )))
        }
        (Element::F32 | Element::F16 | Element::BF16, _) => Ok(Element::F32),
        _ => Ok(Element::F64),
    }
}

/// Plans the largest elements of windows.
fn max_of(
    image: &Tensor,
    spans: Spans,
    rank: usize,
    out: &Tensor,
    indices: Option<&Tensor>,
) -> Planned {
    let element = compared_type(image)?;
    let counts = [0, 1, 2].map(|axis| spans.spans[axis].len());
    let dims = pooled(image, rank, counts);
    expect_shape(out, &dims)?;
    if let Some(indices) = indices {
        expect_shape(indices, &dims)?;
        require!(
            category(indices.element()) == Category::Int,
            "'indices' has {} elements, but must have integers",
            indices.element().name()
        );
    }
    let mut plan = Plan::new();
    let x = plan.input(image);
    let y = plan.output_apart(out);
    let places = indices.map(|indices| plan.output_apart(indices));
    let x = plan.contiguous(&x, element);
    let room = plan.dense_room(&y, element);
    let at = match &places {
        Some(places) => plan.dense_room(places, Element::I64),
        None => plan.temp(Element::I64, &dims),
    };
    let (largest, found) = (room.clone(), at.clone());
    plan.step(move |m| {
        let (x, room, at) = (m.view(&x), m.view(&largest), m.view(&found));
        floats!(element, T => spans.max::<T>(&x, &room, &at));
    });
    plan.deliver(&room, &y);
    if let Some(places) = places {
        plan.deliver(&at, &places);
    }
    plan.done()
}

/// The largest elements of windows of a fixed size, and where in their plane they are.
pub(crate) fn max(
    image: &Tensor,
    rank: usize,
    setting: Setting<'_>,
    out: &Tensor,
    indices: Option<&Tensor>,
) -> Planned {
    let frame = setting.frame(image, rank)?;
    max_of(image, frame.spans(), rank, out, indices)
}

/// The largest elements, and a mask that only [`max_with_mask_backward`] is given. It finds the largest elements again, so the mask
/// is zero.
pub(crate) fn max_with_mask(
    image: &Tensor,
    setting: Setting<'_>,
    out: &Tensor,
    mask: &Tensor,
) -> Planned {
    let mut plan = max(image, 2, setting, out, None)?;
    require!(
        !mask.overlaps(image) && !mask.overlaps(out),
        "'indices' shares memory with 'self' or 'out'"
    );
    let mask = plan.output_apart(mask);
    plan.fill(&mask, 0.0);
    plan.done()
}

/// The gradient of [`max_with_mask`].
pub(crate) fn max_with_mask_backward(
    slope: &Tensor,
    image: &Tensor,
    setting: Setting<'_>,
    out: &Tensor,
) -> Planned {
    let element = compared_type(image)?;
    let frame = setting.frame(image, 2)?;
    let dims = pooled(image, 2, frame.counts);
    expect_gradient(slope, &dims)?;
    expect_shape(out, &image.dims)?;
    let spans = frame.spans();
    let mut plan = Plan::new();
    let (x, g) = (plan.input(image), plan.input(slope));
    let y = plan.output_apart(out);
    let (x, g) = (plan.contiguous(&x, element), plan.contiguous(&g, element));
    let room = plan.dense_room(&y, element);
    plan.fill(&room, 0.0);
    let sums = room.clone();
    plan.step(move |m| {
        let (x, g, room) = (m.view(&x), m.view(&g), m.view(&sums));
        floats!(element, T => spans.max_gradient::<T>(&x, &g, &room));
    });
    plan.deliver(&room, &y);
    plan.done()
}

fn expect_gradient(slope: &Tensor, dims: &[i64]) -> Result<(), Refusal> {
    require!(
        slope.dims[..] == *dims,
        "'gradOutput' has the shape {:?}, but the result of pooling has {dims:?}",
        slope.dims
    );
    Ok(())
}

/// Pooling by the maximum with the arguments of ONNX. `autoPad` must be 0: pads are given.
pub(crate) fn max_pool(args: table::MaxPool<'_>) -> Planned {
    require!(
        args.auto_pad == 0,
        "'autoPad' is {}, but must be 0",
        args.auto_pad
    );
    let pads = args.pads;
    let padding: &[i64] = match pads {
        [] => &[0],
        [top, left, bottom, right] => {
            if top != bottom || left != right {
                return Err(Refusal::unsupported(format!(
                    "Millpond does not pool with pads that differ at opposite ends, as {pads:?} do"
                )));
            }
            &pads[..2]
        }
        other => other,
    };
    let setting = Setting {
        kernel: args.kernel_shape,
        stride: args.strides,
        padding,
        dilation: if args.dilations.is_empty() {
            &[1]
        } else {
            args.dilations
        },
        ceil: args.ceil_mode != 0,
    };
    max(args.self_, 2, setting, args.out, None)
}

/// Gradients go to the elements that indices name.
pub(crate) fn max_backward(
    slope: &Tensor,
    image: &Tensor,
    indices: &Tensor,
    rank: usize,
    out: &Tensor,
) -> Planned {
    let element = real_type(&[slope, out], "gradients of pooling")?;
    require!(
        image.rank() == rank + 1 || image.rank() == rank + 2,
        "'self' has the shape {:?}, but must have {} or {} dimensions",
        image.dims,
        rank + 1,
        rank + 2
    );
    expect_shape(out, &image.dims)?;
    let lead = image.rank() - rank;
    require!(
        slope.dims == indices.dims
            && slope.rank() == image.rank()
            && slope.dims[..lead] == image.dims[..lead],
        "'gradOutput' has the shape {:?} and 'indices' {:?}, which do not fit 'self' of {:?}",
        slope.dims,
        indices.dims,
        image.dims
    );
    let mut plan = Plan::new();
    let (g, i) = (plan.input(slope), plan.input(indices));
    let y = plan.output_apart(out);
    let (g, i) = (
        plan.contiguous(&g, element),
        plan.contiguous(&i, Element::I64),
    );
    let room = plan.dense_room(&y, element);
    plan.fill(&room, 0.0);
    let mut flat = |value: &Value| {
        let planes: i64 = value.dims()[..lead].iter().product();
        let plane: i64 = value.dims()[lead..].iter().product();
        plan.reshape(value, &[planes, plane])
    };
    let (g, i, sums) = (flat(&g), flat(&i), flat(&room));
    plan.try_step(move |m| {
        let (g, i, sums) = (m.view(&g), m.view(&i), m.view(&sums));
        floats!(element, T => pool::scatter::<T>(&g, &i, &sums))
    });
    plan.deliver(&room, &y);
    plan.done()
}

/// Plans sums along the last axes of an image.
fn mean_of(image: &Tensor, rank: usize, taps: Vec<Taps>, out: &Tensor) -> Planned {
    let element = real_type(&[image, out], "pooling by the mean")?;
    let mut plan = Plan::new();
    let x = plan.input(image);
    let y = plan.output_apart(out);
    apply(&mut plan, &x, image.rank() - rank, taps, &y, element);
    plan.done()
}

/// What means are divided by: with the padding or without, or by a number that is given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Divisor {
    pub(crate) include_padding: bool,
    pub(crate) number: i64,
}

/// The means of windows of a fixed size.
pub(crate) fn mean(
    image: &Tensor,
    rank: usize,
    setting: Setting<'_>,
    divisor: Divisor,
    out: &Tensor,
) -> Planned {
    let frame = setting.frame(image, rank)?;
    expect_shape(out, &pooled(image, rank, frame.counts))?;
    let taps = frame.taps(divisor.include_padding, divisor.number);
    mean_of(image, rank, taps, out)
}

/// The gradient of [`mean`].
pub(crate) fn mean_backward(
    slope: &Tensor,
    image: &Tensor,
    rank: usize,
    setting: Setting<'_>,
    divisor: Divisor,
    out: &Tensor,
) -> Planned {
    let frame = setting.frame(image, rank)?;
    expect_gradient(slope, &pooled(image, rank, frame.counts))?;
    expect_shape(out, &image.dims)?;
    let taps = frame.taps(divisor.include_padding, divisor.number);
    mean_of(slope, rank, taps.iter().map(Taps::reversed).collect(), out)
}

fn adaptive_taps(sizes: [usize; 3], counts: [usize; 3], rank: usize) -> Vec<Taps> {
    (3 - rank..3)
        .map(|axis| {
            Taps::new(sizes[axis], counts[axis], |number| {
                let (start, end) = adaptive_span(number, sizes[axis], counts[axis]);
                let weight = reciprocal(int(end - start));
                (start..end).map(move |at| (at, weight))
            })
        })
        .collect()
}

/// The means of as many windows as `counts` says.
pub(crate) fn adaptive_mean(image: &Tensor, rank: usize, counts: &[i64], out: &Tensor) -> Planned {
    let counts = adaptive_counts(image, counts, rank)?;
    expect_shape(out, &pooled(image, rank, counts))?;
    let taps = adaptive_taps(grid(&image.dims, rank), counts, rank);
    mean_of(image, rank, taps, out)
}

/// The gradient of [`adaptive_mean`].
pub(crate) fn adaptive_mean_backward(
    slope: &Tensor,
    image: &Tensor,
    rank: usize,
    out: &Tensor,
) -> Planned {
    require!(
        slope.rank() == image.rank() && image.rank() > rank,
        "'gradOutput' has the shape {:?}, which does not fit 'self' of {:?}",
        slope.dims,
        image.dims
    );
    let lead = image.rank() - rank;
    let counts = adaptive_counts(image, &slope.dims[lead..], rank)?;
    expect_gradient(slope, &pooled(image, rank, counts))?;
    expect_shape(out, &image.dims)?;
    let taps = adaptive_taps(grid(&image.dims, rank), counts, rank);
    mean_of(slope, rank, taps.iter().map(Taps::reversed).collect(), out)
}

/// The largest elements of as many windows as `counts` says, and where in their plane they are.
pub(crate) fn adaptive_max(
    image: &Tensor,
    rank: usize,
    counts: &[i64],
    out: &Tensor,
    indices: &Tensor,
) -> Planned {
    let counts = adaptive_counts(image, counts, rank)?;
    let sizes = grid(&image.dims, rank);
    let spans = [0, 1, 2].map(|axis| {
        (0..counts[axis])
            .map(|number| {
                let (start, end) = adaptive_span(number, sizes[axis], counts[axis]);
                Span {
                    start,
                    end,
                    step: 1,
                }
            })
            .collect()
    });
    max_of(image, Spans { sizes, spans }, rank, out, Some(indices))
}
