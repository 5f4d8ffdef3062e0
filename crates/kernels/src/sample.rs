//! Reading images at places between their elements, two or three axes at a time.

use crate::element::Float;
use crate::parallel;
use crate::view::View;

/// How a value between elements is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// On straight lines between neighbours.
    Linear,
    /// The nearest element.
    Nearest,
    /// On curves through four neighbours.
    Cubic,
}

/// What is outside an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// Zeros.
    Zeros,
    /// The nearest element of the border, repeated.
    Border,
    /// The image as in a mirror.
    Mirror,
}

/// How images are read.
#[derive(Debug, Clone, Copy)]
pub struct Sampler {
    /// How a value between elements is found.
    pub between: Between,
    /// What is outside.
    pub outside: Outside,
    /// Whether −1 and 1 are the middles of the outermost elements, not their outer edges.
    pub align: bool,
    /// How many axes images have: 2 or 3.
    pub axes: usize,
    /// The axes of an image, with 1 in front of two.
    pub sizes: [usize; 3],
}

/// An element that a value depends on: where it is along one axis, with which weight, and how the weight changes with the place.
#[derive(Debug, Clone, Copy, Default)]
struct Tap {
    at: Option<usize>,
    weight: f64,
    slope: f64,
}

/// The elements along one axis.
type Taps = [Tap; 4];

const SHARPNESS: f64 = -0.75;

/// The weight of an element at a distance, and how it changes with the distance.
fn cubic(distance: f64) -> (f64, f64) {
    let (a, x) = (SHARPNESS, distance.abs());
    let (weight, slope) = if x < 1.0 {
        (
            ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            (3.0 * (a + 2.0) * x - 2.0 * (a + 3.0)) * x,
        )
    } else {
        (
            (((x - 5.0) * x + 8.0) * x - 4.0) * a,
            ((3.0 * x - 10.0) * x + 8.0) * a,
        )
    };
    (weight, slope * distance.signum())
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes of axes, and places that are compared with them"
)]
impl Sampler {
    /// A place that may be outside, brought inside; and the factor by which it moves when the place moves.
    fn inside(&self, place: f64, size: usize) -> (f64, f64) {
        let last = size as f64 - 1.0;
        let (place, factor) = match self.outside {
            Outside::Zeros => return (place, 1.0),
            Outside::Border => (place, 1.0),
            Outside::Mirror => {
                let (low, span) = if self.align {
                    (0.0, last)
                } else {
                    (-0.5, size as f64)
                };
                if span == 0.0 {
                    return (0.0, 0.0);
                }
                let from_low = place - low;
                let sign = if from_low < 0.0 { -1.0 } else { 1.0 };
                let from_low = from_low.abs();
                let (rest, turns) = (from_low % span, (from_low / span).floor());
                if turns % 2.0 == 0.0 {
                    (rest + low, sign)
                } else {
                    (span - rest + low, -sign)
                }
            }
        };
        if place > 0.0 && place < last {
            (place, factor)
        } else if place >= last && place > 0.0 {
            (last, 0.0)
        } else {
            (0.0, 0.0)
        }
    }

    fn element(place: f64, size: usize) -> Option<usize> {
        (place >= 0.0 && place < size as f64).then_some(place as usize)
    }

    /// The elements along one axis that a coordinate between −1 and 1 depends on.
    fn taps<T: Float>(&self, coordinate: T, size: usize) -> Taps {
        // In the type of the coordinates, so that places round as they do there.
        let (one, two, length) = (T::of(1.0), T::of(2.0), T::of(size as f64));
        let (place, scale) = if self.align {
            let place = coordinate.add(one).div(two).mul(length.sub(one));
            (place, (size as f64 - 1.0) / 2.0)
        } else {
            let place = coordinate.add(one).mul(length).sub(one).div(two);
            (place, size as f64 / 2.0)
        };
        let place = place.to_f64();
        let mut taps = Taps::default();
        match self.between {
            Between::Nearest => {
                let (place, _) = self.inside(place, size);
                taps[0] = Tap {
                    at: Self::element(place.round_ties_even(), size),
                    weight: 1.0,
                    slope: 0.0,
                };
            }
            Between::Linear => {
                let (place, factor) = self.inside(place, size);
                let low = place.floor();
                let share = place - low;
                for (shift, weight, sign) in [(0.0, 1.0 - share, -1.0), (1.0, share, 1.0)] {
                    taps[usize::from(shift > 0.0)] = Tap {
                        at: Self::element(low + shift, size),
                        weight,
                        slope: sign * factor * scale,
                    };
                }
            }
            Between::Cubic => {
                let low = place.floor();
                for (tap, shift) in taps.iter_mut().zip([-1.0, 0.0, 1.0, 2.0]) {
                    let (weight, slope) = cubic(place - low - shift);
                    let (at, _) = self.inside(low + shift, size);
                    *tap = Tap {
                        at: Self::element(at, size),
                        weight,
                        slope: slope * scale,
                    };
                }
            }
        }
        taps
    }

    /// The elements along all axes; `place` has the coordinates from the last axis to the first.
    fn all_taps<T: Float>(&self, place: &[T]) -> [Taps; 3] {
        let mut all = [Taps::default(); 3];
        all[0][0] = Tap {
            at: Some(0),
            weight: 1.0,
            slope: 0.0,
        };
        for (number, coordinate) in place.iter().enumerate() {
            all[2 - number] = self.taps(*coordinate, self.sizes[2 - number]);
        }
        all
    }

    /// Calls `each` for every element that a place depends on: where in its plane it is, and its taps.
    fn for_elements(&self, taps: &[Taps; 3], mut each: impl FnMut(usize, [&Tap; 3])) {
        for first in &taps[0] {
            let Some(y) = first.at else { continue };
            for second in &taps[1] {
                let Some(z) = second.at else { continue };
                for third in &taps[2] {
                    let Some(x) = third.at else { continue };
                    let at = (y * self.sizes[1] + z) * self.sizes[2] + x;
                    each(at, [first, second, third]);
                }
            }
        }
    }

    fn plane(&self) -> usize {
        self.sizes.iter().product()
    }

    /// `out[n, c, p]` is image `[n, c]` at the place `grid[n, p]`. Views are contiguous: images `[n, c, elements]`, grid `[n, p, axes]`.
    pub fn read<T: Float>(&self, images: &View, grid: &View, out: &View) {
        let channels = size(images, 1);
        let (plane, places) = (self.plane(), size(grid, 1));
        let (values, grid) = (all::<T>(images), all::<T>(grid));
        rows(size(images, 0) * channels, places, |row| {
            let Some(out) = out.row_mut::<T>(row, places) else {
                return;
            };
            let image = &values[row * plane..][..plane];
            let grid = &grid[row / channels * places * self.axes..][..places * self.axes];
            for (out, place) in out.iter_mut().zip(grid.chunks_exact(self.axes)) {
                let mut sum = 0.0;
                self.for_elements(&self.all_taps(place), |at, [a, b, c]| {
                    sum += image[at].to_f64() * a.weight * b.weight * c.weight;
                });
                *out = T::of(sum);
            }
        });
    }

    /// Adds the gradient of what was read to the images, which must be zero before.
    pub fn image_gradient<T: Float>(&self, slope: &View, grid: &View, images: &View) {
        let channels = size(images, 1);
        let (plane, places) = (self.plane(), size(grid, 1));
        let (slopes, grid) = (all::<T>(slope), all::<T>(grid));
        rows(size(images, 0) * channels, places, |row| {
            let Some(image) = images.row_mut::<T>(row, plane) else {
                return;
            };
            let slopes = &slopes[row * places..][..places];
            let grid = &grid[row / channels * places * self.axes..][..places * self.axes];
            for (slope, place) in slopes.iter().zip(grid.chunks_exact(self.axes)) {
                self.for_elements(&self.all_taps(place), |at, [a, b, c]| {
                    let weight = a.weight * b.weight * c.weight;
                    image[at] = image[at].add(T::of(slope.to_f64() * weight));
                });
            }
        });
    }

    /// The gradient of the places.
    pub fn grid_gradient<T: Float>(&self, slope: &View, images: &View, grid: &View, out: &View) {
        let channels = size(images, 1);
        let (plane, places) = (self.plane(), size(grid, 1));
        let (slopes, values, grid) = (all::<T>(slope), all::<T>(images), all::<T>(grid));
        rows(size(images, 0) * places, channels * 8, |row| {
            let Some(out) = out.row_mut::<T>(row, self.axes) else {
                return;
            };
            let (image, number) = (row / places, row % places);
            let taps = self.all_taps(&grid[row * self.axes..][..self.axes]);
            let mut sums = [0.0; 3];
            for channel in 0..channels {
                let channel = image * channels + channel;
                let slope = slopes[channel * places + number].to_f64();
                let values = &values[channel * plane..][..plane];
                self.for_elements(&taps, |at, [a, b, c]| {
                    let value = values[at].to_f64() * slope;
                    sums[0] += value * a.weight * b.weight * c.slope;
                    sums[1] += value * a.weight * b.slope * c.weight;
                    sums[2] += value * a.slope * b.weight * c.weight;
                });
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = T::of(sum);
            }
        });
    }
}

fn size(view: &View, axis: usize) -> usize {
    usize::try_from(view.dims()[axis]).unwrap_or(0)
}

fn all<T: Float>(view: &View) -> &[T] {
    view.slice::<T>()
        .unwrap_or_else(|| panic!("not contiguous {:?}: {view:?}", T::ELEMENT))
}

fn rows(count: usize, width: usize, each: impl Fn(usize) + Sync) {
    parallel::ranges(count, (4 * 1024 / width.max(1)).max(1), |range| {
        range.for_each(&each);
    });
}
