//! Windows that slide over planes: convolutions as products of matrices.
//!
//! A window of `kernel` elements stands at every position of a small grid and looks at a large one. Written out, the elements under all
//! windows are a matrix ("columns"): one row for each channel and place in the window, one column for each position. A convolution is
//! the weights times that matrix. All three products of a convolution are here: the small grid from the large one, the large one from
//! the small one, and the weights from both.
//!
//! Grids have three axes; one or two are grids with axes of one element in front. Everything is contiguous, in `f32` or `f64`. The matrix is
//! written a few positions at a time, into memory that the caller gives.

use num_complex::Complex64;

use crate::element::Float;
use crate::matmul::matmul_add;
use crate::parallel;
use crate::view::View;

/// The positions of windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// The axes of the large grid.
    pub large: [usize; 3],
    /// The axes of the small grid: how many windows there are.
    pub small: [usize; 3],
    /// The axes of a window.
    pub kernel: [usize; 3],
    /// How far neighbouring windows are apart.
    pub stride: [usize; 3],
    /// How far the first window begins before the large grid.
    pub padding: [usize; 3],
    /// How far neighbours in a window are apart.
    pub dilation: [usize; 3],
}

impl Windows {
    /// Elements of a plane of the large grid.
    pub fn large_count(&self) -> usize {
        self.large.iter().product()
    }

    /// Elements of a plane of the small grid.
    pub fn small_count(&self) -> usize {
        self.small.iter().product()
    }

    /// Elements of a window.
    pub fn kernel_count(&self) -> usize {
        self.kernel.iter().product()
    }

    /// Whether windows are single elements that cover the grid in order: the columns are the grid itself.
    pub fn is_identity(&self) -> bool {
        self.kernel == [1; 3]
            && self.stride == [1; 3]
            && self.padding == [0; 3]
            && self.large == self.small
    }

    /// Where an element of a window is on an axis of the large grid.
    #[inline]
    fn at(&self, axis: usize, position: usize, place: usize) -> Option<usize> {
        let reached = position * self.stride[axis] + place * self.dilation[axis];
        reached
            .checked_sub(self.padding[axis])
            .filter(|at| *at < self.large[axis])
    }

    /// The positions along the last axis at which a place in the window is inside the large grid.
    fn inside(&self, place: usize) -> (usize, usize) {
        let (stride, shift) = (self.stride[2], place * self.dilation[2]);
        let begin = self.padding[2].saturating_sub(shift).div_ceil(stride);
        let reach = (self.large[2] + self.padding[2]).saturating_sub(shift);
        (
            begin.min(self.small[2]),
            reach
                .div_ceil(stride)
                .clamp(begin.min(self.small[2]), self.small[2]),
        )
    }

    /// Goes through positions `start..end` of the small grid for one place in the window: for every run along the last axis, the
    /// number of the first position (from `start`), how many positions it has, how many of these are before and up to the end of what is
    /// inside the large grid, and where in its plane the first one inside is.
    #[inline]
    fn runs(
        &self,
        place: usize,
        start: usize,
        end: usize,
        mut each: impl FnMut(usize, usize, usize, usize, usize),
    ) {
        let [_, height, width] = self.kernel;
        let places = [
            place / (height * width),
            place / width % height,
            place % width,
        ];
        let row_length = self.small[2];
        let (first, last) = self.inside(places[2]);
        let mut number = start;
        while number < end {
            let (row, column) = (number / row_length, number % row_length);
            let length = (row_length - column).min(end - number);
            let reached = (
                self.at(0, row / self.small[1], places[0]),
                self.at(1, row % self.small[1], places[1]),
            );
            let inside = match reached {
                (Some(layer), Some(line)) => {
                    let from = first.clamp(column, column + length) - column;
                    let to = last.clamp(column + from, column + length) - column;
                    (from < to).then(|| {
                        let along = (column + from) * self.stride[2] + places[2] * self.dilation[2]
                            - self.padding[2];
                        let before = (layer * self.large[1] + line) * self.large[2];
                        (from, to, before + along)
                    })
                }
                _ => None,
            };
            let (from, to, at) = inside.unwrap_or((length, length, 0));
            each(number - start, length, from, to, at);
            number += length;
        }
    }

    /// Writes the columns of positions `start..end` of one image: `columns` has a row for each channel and place in the window.
    pub fn unfold<T: Float>(&self, image: &[T], start: usize, end: usize, columns: &View) {
        let (plane, places) = (self.large_count(), self.kernel_count());
        let channels = image.len() / plane.max(1);
        let width = end - start;
        for_channels(channels * places, width, |row| {
            let Some(into) = columns.row_mut::<T>(row, width) else {
                return;
            };
            let plane = &image[row / places * plane..][..plane];
            self.runs(row % places, start, end, |at, length, from, to, first| {
                let into = &mut into[at..at + length];
                into[..from].fill(T::default());
                into[to..].fill(T::default());
                let inside = &mut into[from..to];
                match self.stride[2] {
                    1 => inside.copy_from_slice(&plane[first..][..inside.len()]),
                    step => {
                        for (index, value) in inside.iter_mut().enumerate() {
                            *value = plane[first + index * step];
                        }
                    }
                }
            });
        });
    }

    /// Adds the columns of positions `start..end` to the image that they came from.
    pub fn fold<T: Float>(&self, columns: &[T], start: usize, end: usize, image: &View) {
        let (plane, places) = (self.large_count(), self.kernel_count());
        let channels = image.count() / plane.max(1);
        let width = end - start;
        for_channels(channels, width * places, |channel| {
            let Some(plane) = image.row_mut::<T>(channel, plane) else {
                return;
            };
            for place in 0..places {
                let from_row = &columns[(channel * places + place) * width..][..width];
                self.runs(place, start, end, |at, length, from, to, first| {
                    let values = &from_row[at..at + length][from..to];
                    for (index, value) in values.iter().enumerate() {
                        let sum = &mut plane[first + index * self.stride[2]];
                        *sum = sum.add(*value);
                    }
                });
            }
        });
    }

    /// How many columns fit into room for `room` elements, and at least one.
    fn step(&self, room: usize, rows: usize) -> usize {
        (room / rows.max(1)).clamp(1, self.small_count().max(1))
    }
}

fn for_channels(rows: usize, width: usize, each: impl Fn(usize) + Sync) {
    parallel::ranges(rows, (32 * 1024 / width.max(1)).max(1), |range| {
        range.for_each(&each);
    });
}

/// Elements of the columns that a convolution writes at a time: few megabytes, and at least one column.
pub fn columns_room(windows: &Windows, channels: usize) -> usize {
    let rows = channels.saturating_mul(windows.kernel_count());
    if windows.is_identity() {
        return 0;
    }
    rows.saturating_mul(((1 << 20) / rows.max(1)).clamp(1, windows.small_count().max(1)))
}

const ONE: Complex64 = Complex64::new(1.0, 0.0);

/// The operands of a convolution: `large` is `[batch, channels, planes of the large grid]`, `small` the same for the small grid, and
/// `weight` `[channels of small, channels of large / groups, window]`, all flattened to three axes; `room` has
/// [`columns_room`] elements.
#[derive(Debug)]
pub struct Convolution<'a> {
    /// The positions of windows.
    pub windows: &'a Windows,
    /// Into how many independent parts the channels fall.
    pub groups: usize,
    /// The large grids.
    pub large: &'a View,
    /// The small grids.
    pub small: &'a View,
    /// The weights.
    pub weight: &'a View,
    /// Room for columns.
    pub room: &'a View,
}

fn int(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

impl Convolution<'_> {
    fn batch(&self) -> i64 {
        self.large.dims()[0]
    }

    fn channels(&self) -> usize {
        usize::try_from(self.large.dims()[1]).unwrap_or(0)
    }

    /// Calls `each` for pieces of the positions: the first one, the one behind the last, and room for the columns.
    fn pieces(&self, mut each: impl FnMut(usize, usize, &View)) {
        let rows = self.channels() * self.windows.kernel_count();
        let step = self.windows.step(self.room.count(), rows);
        for start in (0..self.windows.small_count()).step_by(step) {
            let end = (start + step).min(self.windows.small_count());
            let used = int(rows * (end - start));
            let columns = self.room.narrow(0, 0, used);
            each(start, end, &columns.reshape(&[int(rows), int(end - start)]));
        }
    }

    /// The products of each group: rows of the small grid, of the weights, and of the columns.
    fn for_groups(
        &self,
        small: &View,
        weight: &View,
        columns: &View,
        each: impl Fn(&View, &View, &View) + Sync,
    ) {
        let groups = int(self.groups);
        let (rows, deep) = (small.dims()[0] / groups, columns.dims()[0] / groups);
        let work = usize::try_from(rows * deep * columns.dims()[1]).unwrap_or(usize::MAX);
        // Many small products share the threads; each large one has them all.
        parallel::ranges(self.groups, ((1 << 18) / work.max(1)).max(1), |range| {
            for group in range {
                let group = int(group);
                each(
                    &small.narrow(0, group * rows, rows),
                    &weight.narrow(0, group * rows, rows),
                    &columns.narrow(0, group * deep, deep),
                );
            }
        });
    }

    fn weights(&self) -> View {
        let dims = self.weight.dims();
        self.weight.reshape(&[dims[0], dims[1] * dims[2]])
    }

    /// The small grids from the large ones: a convolution.
    pub fn gather<T: Float>(&self) {
        let weight = self.weights();
        for number in 0..self.batch() {
            let (large, small) = (self.large.select(0, number), self.small.select(0, number));
            if self.windows.is_identity() {
                self.for_groups(&small, &weight, &large, |small, weight, large| {
                    matmul_add(weight, large, small, ONE, false);
                });
                continue;
            }
            let image = large.slice::<T>().unwrap_or_default();
            self.pieces(|start, end, columns| {
                self.windows.unfold(image, start, end, columns);
                let small = small.narrow(1, int(start), int(end - start));
                self.for_groups(&small, &weight, columns, |small, weight, columns| {
                    matmul_add(weight, columns, small, ONE, false);
                });
            });
        }
    }

    /// The large grids from the small ones: a transposed convolution, and the gradient of the input of a convolution. The large grids
    /// must be zero before, unless windows are single elements.
    pub fn spread<T: Float>(&self) {
        let weight = self.weights();
        for number in 0..self.batch() {
            let (large, small) = (self.large.select(0, number), self.small.select(0, number));
            if self.windows.is_identity() {
                self.for_groups(&small, &weight, &large, |small, weight, large| {
                    matmul_add(&weight.transpose(0, 1), small, large, ONE, false);
                });
                continue;
            }
            self.pieces(|start, end, columns| {
                let small = small.narrow(1, int(start), int(end - start));
                self.for_groups(&small, &weight, columns, |small, weight, columns| {
                    matmul_add(&weight.transpose(0, 1), small, columns, ONE, false);
                });
                let columns = columns.slice::<T>().unwrap_or_default();
                self.windows.fold(columns, start, end, &large);
            });
        }
    }

    /// Adds the gradient of the weights, which must be zero before.
    pub fn correlate<T: Float>(&self) {
        let weight = self.weights();
        for number in 0..self.batch() {
            let (large, small) = (self.large.select(0, number), self.small.select(0, number));
            if self.windows.is_identity() {
                self.for_groups(&small, &weight, &large, |small, weight, large| {
                    matmul_add(small, &large.transpose(0, 1), weight, ONE, true);
                });
                continue;
            }
            let image = large.slice::<T>().unwrap_or_default();
            self.pieces(|start, end, columns| {
                self.windows.unfold(image, start, end, columns);
                let small = small.narrow(1, int(start), int(end - start));
                self.for_groups(&small, &weight, columns, |small, weight, columns| {
                    matmul_add(small, &columns.transpose(0, 1), weight, ONE, true);
                });
            });
        }
    }
}
