//! Numbers as small integers with scales.

use crate::element::{F8E4M3, F8E5M2, Stored, exponent_of, power_of_two};
use crate::rows::{for_rows, rows1_2, whole};
use crate::view::View;

/// A number as `i8`: the nearest one, of two as near the even one; what is outside becomes −128 or 127, and NaN 0.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a conversion that saturates, as stated"
)]
pub fn to_i8(x: f32) -> i8 {
    x.round_ties_even() as i8
}

/// A row as `i8` so that its largest magnitude becomes `limit`. The distance of neighbours is returned; it is 0 for a row of zeros.
pub fn row_to_i8(from: impl Iterator<Item = f32> + Clone, limit: f32, to: &mut [i8]) -> f32 {
    let most = from.clone().fold(0.0_f32, |most, x| most.max(x.abs()));
    let step = most / limit;
    for (to, x) in to.iter_mut().zip(from) {
        *to = if step == 0.0 { 0 } else { to_i8(x / step) };
    }
    step
}

/// What scaled numbers are stored as.
pub trait Target: Stored {
    /// Its largest number.
    const LARGEST: f32;
    /// The nearest number that it has.
    fn nearest(x: f32) -> Self;
}

impl Target for i8 {
    const LARGEST: f32 = 127.0;
    #[inline(always)]
    fn nearest(x: f32) -> Self {
        to_i8(x)
    }
}

impl Target for F8E4M3 {
    const LARGEST: f32 = 448.0;
    #[inline(always)]
    fn nearest(x: f32) -> Self {
        Self::store(x)
    }
}

impl Target for F8E5M2 {
    const LARGEST: f32 = 57344.0;
    #[inline(always)]
    fn nearest(x: f32) -> Self {
        Self::store(x)
    }
}

/// Matrices in blocks of `height` by `width`, each in a small type with a scale of its own: its largest magnitude becomes the largest number
/// of the type. A block of zeros has the scale 0. All views are contiguous with three axes; `steps` has an element for each block. Outputs
/// overlap no input.
pub fn quantise_blocks<T: Target>(
    x: &View,
    (height, width): (usize, usize),
    y: &View,
    steps: &View,
) {
    let length = |view: &View, axis: usize| usize::try_from(view.dims()[axis]).unwrap_or(0);
    let (rows, columns) = (length(x, 1), length(x, 2));
    let (down, across) = (length(steps, 1), length(steps, 2));
    let all = whole::<f32>(x, "the input");
    let work = height.min(rows) * columns;
    for_rows(length(x, 0) * down, work, |number| {
        let (sample, first) = (number / down, number % down * height);
        let lines = sample * rows + first..sample * rows + (first + height).min(rows);
        let Some(steps) = steps.row_mut::<f32>(number, across) else {
            return;
        };
        let part = |block: usize| block * width..(block * width + width).min(columns);
        for (block, step) in steps.iter_mut().enumerate() {
            let most = lines.clone().fold(0.0_f32, |most, line| {
                let x = &all[line * columns..][part(block)];
                x.iter().fold(most, |most, x| most.max(x.abs()))
            });
            *step = most / T::LARGEST;
        }
        for line in lines {
            let Some(to) = y.row_mut::<T>(line, columns) else {
                return;
            };
            for (block, step) in steps.iter().enumerate() {
                let x = &all[line * columns..][part(block)];
                for (to, x) in to[part(block)].iter_mut().zip(x) {
                    *to = T::nearest(if *step == 0.0 { 0.0 } else { x / step });
                }
            }
        }
    });
}

/// Which 8-bit float blocks become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrow {
    /// 4 bits of exponent, 3 of fraction.
    E4M3,
    /// 5 bits of exponent, 2 of fraction.
    E5M2,
}

impl Narrow {
    /// The exponent of its largest number.
    fn most(self) -> i32 {
        match self {
            Self::E4M3 => 8,
            Self::E5M2 => 15,
        }
    }

    fn bits(self, x: f64) -> u8 {
        match self {
            Self::E4M3 => F8E4M3::store(x).0,
            Self::E5M2 => F8E5M2::store(x).0,
        }
    }
}

/// Rows in blocks of `length`, as 8-bit floats with a power of two for each block: the exponent of its largest magnitude, less that of
/// the largest number of the type. `x` has rows of `f32`, `y` rows of bytes, `scales` rows of bytes with at least one for each block;
/// those behind are 0. A block of zeros has the scale 2⁻¹²⁷. One with an infinity or NaN is NaN, and so is its scale. All views are
/// contiguous and do not overlap.
pub fn blocks_to_narrow(x: &View, length: usize, narrow: Narrow, y: &View, scales: &View) {
    rows1_2(
        x,
        y,
        scales,
        |_, x: &[f32], y: &mut [u8], scales: &mut [u8]| {
            scales.fill(0);
            for ((x, y), scale) in x.chunks(length).zip(y.chunks_mut(length)).zip(scales) {
                let finite = x.iter().all(|x| x.is_finite());
                if !finite {
                    *scale = 0xff;
                    y.fill(narrow.bits(f64::NAN));
                    continue;
                }
                let most = x.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
                let exponent = exponent_of(f64::from(most)) - narrow.most();
                let exponent = exponent.clamp(-127, 127);
                *scale = u8::try_from(exponent + 127).unwrap_or(0);
                for (y, x) in y.iter_mut().zip(x) {
                    *y = narrow.bits(f64::from(*x) / power_of_two(exponent));
                }
            }
        },
    );
}
