//! Softmax and normalisations, row by row, and their gradients.
//!
//! All views are contiguous, in the type that is computed in, with rows along the last axis. Outputs overlap no input.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "`wide!` calls loops compiled for wide vectors")
)]

use crate::math::{Real, largest, sum1, sum2, wide};
use crate::parallel;
use crate::rows::{for_rows, row_length, rows1, rows2, whole};
use crate::view::View;

wide! {
    fn softmax_row<T: Real>(x: &[T], y: &mut [T]) {
        let max = largest(x);
        for (y, x) in y.iter_mut().zip(x) {
            *y = (*x - max).quick_exp();
        }
        let scale = T::of(1.0 / sum1(y, |y| y));
        for y in y {
            *y = *y * scale;
        }
    }
}

wide! {
    fn log_sum_exp_row<T: Real>(x: &[T]) -> f64 {
        let max = largest(x);
        let max = if max.to_f64().is_infinite() { T::ZERO } else { max };
        sum1(x, |x| (x - max).quick_exp()).ln() + max.to_f64()
    }
}

wide! {
    fn log_softmax_row<T: Real>(x: &[T], y: &mut [T]) {
        let max = largest(x);
        let log = T::of(sum1(x, |x| (x - max).quick_exp()).ln());
        for (y, x) in y.iter_mut().zip(x) {
            *y = (*x - max) - log;
        }
    }
}

wide! {
    fn softmax_backward_row<T: Real>(grad: &[T], y: &[T], out: &mut [T]) {
        let dot = T::of(sum2(grad, y, |grad, y| grad * y));
        for ((out, grad), y) in out.iter_mut().zip(grad).zip(y) {
            *out = *y * (*grad - dot);
        }
    }
}

wide! {
    fn log_softmax_backward_row<T: Real>(grad: &[T], y: &[T], out: &mut [T]) {
        let sum = T::of(sum1(grad, |grad| grad));
        for ((out, grad), y) in out.iter_mut().zip(grad).zip(y) {
            *out = *grad - y.quick_exp() * sum;
        }
    }
}

/// e^x over the sum of e^x.
pub fn softmax<T: Real>(x: &View, y: &View) {
    rows1(x, y, |_, x: &[T], y: &mut [T]| softmax_row(x, y));
}

/// The logarithm of softmax.
pub fn log_softmax<T: Real>(x: &View, y: &View) {
    rows1(x, y, |_, x: &[T], y: &mut [T]| log_softmax_row(x, y));
}

/// The logarithm of the sum of e^x; `out` has one element for each row.
pub fn log_sum_exp<T: Real>(x: &View, out: &View) {
    rows1(x, out, |_, x: &[T], out: &mut [T]| {
        if let Some(out) = out.first_mut() {
            *out = T::of(log_sum_exp_row(x));
        }
    });
}

/// The gradient of softmax, from its result `y`.
pub fn softmax_backward<T: Real>(grad: &View, y: &View, out: &View) {
    rows2(grad, y, out, |_, grad: &[T], y: &[T], out: &mut [T]| {
        softmax_backward_row(grad, y, out);
    });
}

/// The gradient of the logarithm of softmax, from its result `y`.
pub fn log_softmax_backward<T: Real>(grad: &View, y: &View, out: &View) {
    rows2(grad, y, out, |_, grad: &[T], y: &[T], out: &mut [T]| {
        log_softmax_backward_row(grad, y, out);
    });
}

/// The mean of a row and the reciprocal of its standard deviation.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "lengths of rows")]
fn statistics<T: Real>(x: &[T], epsilon: f64) -> (T, T) {
    let count = x.len() as f64;
    let mean = sum1(x, |x| x) / count;
    let center = T::of(mean);
    let square = sum1(x, |x| (x - center) * (x - center)) / count;
    // What rounding the mean left over.
    let rest = mean - center.to_f64();
    let variance = (square - rest * rest).max(0.0);
    let variance = if square.is_nan() { square } else { variance };
    (center, T::of(1.0 / (variance + epsilon).sqrt()))
}

/// scale · x + shift with numbers for each position.
#[inline(always)]
fn affine<T: Real>(y: &mut [T], weight: Option<&[T]>, bias: Option<&[T]>) {
    match (weight, bias) {
        (Some(weight), Some(bias)) => {
            for ((y, weight), bias) in y.iter_mut().zip(weight).zip(bias) {
                *y = *y * *weight + *bias;
            }
        }
        (Some(weight), None) => {
            for (y, weight) in y.iter_mut().zip(weight) {
                *y = *y * *weight;
            }
        }
        (None, Some(bias)) => {
            for (y, bias) in y.iter_mut().zip(bias) {
                *y += *bias;
            }
        }
        (None, None) => {}
    }
}

wide! {
    fn layer_norm_row<T: Real>(x: &[T], weight: Option<&[T]>, bias: Option<&[T]>, epsilon: f64, y: &mut [T]) -> (T, T) {
        let (mean, scale) = statistics(x, epsilon);
        for (y, x) in y.iter_mut().zip(x) {
            *y = (*x - mean) * scale;
        }
        affine(y, weight, bias);
        (mean, scale)
    }
}

wide! {
    fn group_norm_row<T: Real>(x: &[T], weight: Option<&[T]>, bias: Option<&[T]>, width: usize, epsilon: f64, y: &mut [T]) -> (T, T) {
        let (mean, scale) = statistics(x, epsilon);
        let width = width.max(1);
        for (channel, (x, y)) in x.chunks(width).zip(y.chunks_mut(width)).enumerate() {
            let factor = weight.map_or(T::ONE, |weight| weight[channel]);
            let shift = bias.map_or(T::ZERO, |bias| bias[channel]);
            for (y, x) in y.iter_mut().zip(x) {
                *y = (*x - mean) * scale * factor + shift;
            }
        }
        (mean, scale)
    }
}

wide! {
    fn rms_norm_row<T: Real>(x: &[T], weight: &[T], shift: T, epsilon: f64, y: &mut [T]) -> T {
        let scale = T::of(1.0 / (sum1(x, |x| x * x) / length(x) + epsilon).sqrt());
        for ((y, x), weight) in y.iter_mut().zip(x).zip(weight) {
            *y = *x * scale * (*weight + shift);
        }
        scale
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths of rows")]
fn length<T>(row: &[T]) -> f64 {
    row.len() as f64
}

wide! {
    fn layer_norm_backward_row<T: Real>(grad: &[T], x: &[T], weight: Option<&[T]>, mean: T, scale: T, out: &mut [T]) {
        match weight {
            Some(weight) => {
                for ((out, grad), weight) in out.iter_mut().zip(grad).zip(weight) {
                    *out = *grad * *weight;
                }
            }
            None => out.copy_from_slice(grad),
        }
        let count = length(x);
        let shift = T::of(sum1(out, |grad| grad) / count);
        let slope = T::of(sum2(out, x, |grad, x| grad * ((x - mean) * scale)) / count);
        for (out, x) in out.iter_mut().zip(x) {
            *out = scale * (*out - shift - (*x - mean) * scale * slope);
        }
    }
}

wide! {
    fn rms_norm_backward_row<T: Real>(grad: &[T], x: &[T], weight: &[T], shift: T, scale: T, out: &mut [T]) {
        for ((out, grad), weight) in out.iter_mut().zip(grad).zip(weight) {
            *out = *grad * (*weight + shift);
        }
        let slope = T::of(sum2(out, x, |grad, x| grad * x) / length(x)) * scale * scale;
        for (out, x) in out.iter_mut().zip(x) {
            *out = scale * (*out - *x * slope);
        }
    }
}

/// Factors and shifts that belong to positions of a row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Affine<'a> {
    /// The factors.
    pub weight: Option<&'a View>,
    /// The shifts.
    pub bias: Option<&'a View>,
}

/// Where the statistics of rows go: one element for each row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Statistics<'a> {
    /// Means.
    pub mean: Option<&'a View>,
    /// Reciprocals of standard deviations.
    pub scale: Option<&'a View>,
}

impl Statistics<'_> {
    fn set<T: Real>(&self, row: usize, mean: T, scale: T) {
        for (view, value) in [(self.mean, mean), (self.scale, scale)] {
            if let Some([place]) = view.and_then(|view| view.row_mut::<T>(row, 1)) {
                *place = value;
            }
        }
    }
}

/// Rows of mean 0 and variance 1, times weights, plus biases.
pub fn layer_norm<T: Real>(
    x: &View,
    affine: Affine<'_>,
    epsilon: f64,
    y: &View,
    statistics: Statistics<'_>,
) {
    let (weight, bias) = (
        affine.weight.map(|view| whole::<T>(view, "the weight")),
        affine.bias.map(|view| whole::<T>(view, "the bias")),
    );
    rows1(x, y, |row, x: &[T], y: &mut [T]| {
        let (mean, scale) = layer_norm_row(x, weight, bias, epsilon, y);
        statistics.set(row, mean, scale);
    });
}

/// The same for groups of channels: a row is a group of `channels` channels of `width` elements, and there are `groups` in a sample.
/// Weights and biases belong to channels.
pub fn group_norm<T: Real>(
    x: &View,
    affine: Affine<'_>,
    (groups, channels, width): (usize, usize, usize),
    epsilon: f64,
    y: &View,
    statistics: Statistics<'_>,
) {
    let (weight, bias) = (
        affine.weight.map(|view| whole::<T>(view, "the weight")),
        affine.bias.map(|view| whole::<T>(view, "the bias")),
    );
    rows1(x, y, |row, x: &[T], y: &mut [T]| {
        let first = row % groups.max(1) * channels;
        let of_group = |all: &'_ [T]| first..(first + channels).min(all.len());
        let weight = weight.map(|weight| &weight[of_group(weight)]);
        let bias = bias.map(|bias| &bias[of_group(bias)]);
        let (mean, scale) = group_norm_row(x, weight, bias, width, epsilon, y);
        statistics.set(row, mean, scale);
    });
}

/// Rows divided by their root mean square, times `shift` + weight.
pub fn rms_norm<T: Real>(
    x: &View,
    weight: &View,
    shift: f64,
    epsilon: f64,
    y: &View,
    scale: &View,
) {
    let weight = whole::<T>(weight, "the weight");
    let statistics = Statistics {
        mean: None,
        scale: Some(scale),
    };
    rows1(x, y, |row, x: &[T], y: &mut [T]| {
        let scale = rms_norm_row(x, weight, T::of(shift), epsilon, y);
        statistics.set(row, T::ZERO, scale);
    });
}

/// The gradient of a layer norm's input. `mean` and `scale` have an element for each row.
pub fn layer_norm_backward<T: Real>(
    grad: &View,
    x: &View,
    weight: Option<&View>,
    mean: &View,
    scale: &View,
    out: &View,
) {
    let weight = weight.map(|view| whole::<T>(view, "the weight"));
    let (mean, scale) = (whole::<T>(mean, "the mean"), whole::<T>(scale, "the scale"));
    rows2(grad, x, out, |row, grad: &[T], x: &[T], out: &mut [T]| {
        layer_norm_backward_row(grad, x, weight, mean[row], scale[row], out);
    });
}

/// The gradient of a root-mean-square norm's input.
pub fn rms_norm_backward<T: Real>(
    grad: &View,
    x: &View,
    weight: &View,
    shift: f64,
    scale: &View,
    out: &View,
) {
    let weight = whole::<T>(weight, "the weight");
    let scale = whole::<T>(scale, "the scale");
    rows2(grad, x, out, |row, grad: &[T], x: &[T], out: &mut [T]| {
        rms_norm_backward_row(grad, x, weight, T::of(shift), scale[row], out);
    });
}

/// So many columns are summed by one thread at a time.
const COLUMNS: usize = 64;

wide! {
    fn add_products<T: Real>(sums: &mut [f64; COLUMNS], grad: &[T], x: &[T], mean: T, scale: T) {
        for ((sum, grad), x) in sums.iter_mut().zip(grad).zip(x) {
            *sum += (*grad * ((*x - mean) * scale)).to_f64();
        }
    }
}

/// Sums over rows of grad · (x − mean) · scale, one for each column: the gradient of weights. Without `mean` it is 0.
pub fn weight_gradient<T: Real>(
    grad: &View,
    x: &View,
    mean: Option<&View>,
    scale: &View,
    out: &View,
) {
    let width = row_length(x);
    let (grad, x) = (whole::<T>(grad, "the gradient"), whole::<T>(x, "the input"));
    let mean = mean.map(|view| whole::<T>(view, "the mean"));
    let scale = whole::<T>(scale, "the scale");
    let rows = x.len().checked_div(width).unwrap_or(0);
    let least = (16 * 1024 / (rows * COLUMNS).max(1)).max(1);
    parallel::ranges(width.div_ceil(COLUMNS), least, |range| {
        for block in range {
            let columns = block * COLUMNS..width.min((block + 1) * COLUMNS);
            let mut sums = [0.0; COLUMNS];
            for row in 0..rows {
                let of_row = |all: &'_ [T]| -> std::ops::Range<usize> {
                    debug_assert!(all.len() >= (row + 1) * width);
                    row * width + columns.start..row * width + columns.end
                };
                let mean = mean.map_or(T::ZERO, |mean| mean[row]);
                add_products(
                    &mut sums,
                    &grad[of_row(grad)],
                    &x[of_row(x)],
                    mean,
                    scale[row],
                );
            }
            crate::block::write_block(out, columns.start, &sums[..columns.len()]);
        }
    });
}

/// The gradient of a group norm's input. Rows are groups, as in [`group_norm`].
pub fn group_norm_backward<T: Real>(
    grad: &View,
    x: &View,
    weight: Option<&View>,
    (groups, channels, width): (usize, usize, usize),
    mean: &View,
    scale: &View,
    out: &View,
) {
    let weight = weight.map(|view| whole::<T>(view, "the weight"));
    let (mean, scale) = (whole::<T>(mean, "the mean"), whole::<T>(scale, "the scale"));
    rows2(grad, x, out, |row, grad: &[T], x: &[T], out: &mut [T]| {
        let first = row % groups.max(1) * channels;
        out.copy_from_slice(grad);
        if let Some(weight) = weight {
            for (channel, out) in out.chunks_mut(width.max(1)).enumerate() {
                for out in out {
                    *out = *out * weight[first + channel];
                }
            }
        }
        let (count, mean, scale) = (length(x), mean[row], scale[row]);
        let shift = T::of(sum1(out, |grad| grad) / count);
        let slope = T::of(sum2(out, x, |grad, x| grad * ((x - mean) * scale)) / count);
        for (out, x) in out.iter_mut().zip(x) {
            *out = scale * (*out - shift - (*x - mean) * scale * slope);
        }
    });
}

/// The gradients of a group norm's weights and biases: `weights` and `biases` have an element for each channel.
pub fn group_norm_sums<T: Real>(
    grad: &View,
    x: &View,
    (samples, groups, channels, width): (usize, usize, usize, usize),
    mean: &View,
    scale: &View,
    weights: &View,
    biases: &View,
) {
    let (grad, x) = (whole::<T>(grad, "the gradient"), whole::<T>(x, "the input"));
    let (mean, scale) = (whole::<T>(mean, "the mean"), whole::<T>(scale, "the scale"));
    let all = groups * channels;
    for_rows(all, samples * width, |channel| {
        let (mut weight, mut bias) = (0.0, 0.0);
        for sample in 0..samples {
            let row = sample * groups + channel / channels.max(1);
            let from = (sample * all + channel) * width;
            let (grad, x) = (&grad[from..from + width], &x[from..from + width]);
            weight += sum2(grad, x, |grad, x| grad * ((x - mean[row]) * scale[row]));
            bias += sum1(grad, |grad| grad);
        }
        crate::block::write_block(weights, channel, &[weight]);
        crate::block::write_block(biases, channel, &[bias]);
    });
}
