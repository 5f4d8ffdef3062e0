//! Pooling by the maximum, over planes of up to three axes.

use crate::element::Float;
use crate::parallel;
use crate::view::View;

/// The elements of an axis that one result looks at: `start`, `start + step`, … before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first one.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// How far they are apart.
    pub step: usize,
}

/// The positions of windows: for each axis its size, and the span of each result.
#[derive(Debug, Clone)]
pub struct Spans {
    /// The axes of a plane of the input.
    pub sizes: [usize; 3],
    /// The spans along each axis.
    pub spans: [Vec<Span>; 3],
}

impl Spans {
    fn input_plane(&self) -> usize {
        self.sizes.iter().product()
    }

    fn output_plane(&self) -> usize {
        self.spans.iter().map(Vec::len).product()
    }

    /// The maximum of a window and where in the plane it is. The first one counts, but the last NaN counts more.
    fn largest<T: Float>(&self, plane: &[T], number: usize) -> (T, i64) {
        let [first, second, third] = &self.spans;
        let (width, height) = (third.len(), second.len());
        let (a, b, c) = (
            first[number / (width * height)],
            second[number / width % height],
            third[number % width],
        );
        let at = |y: usize, z: usize, x: usize| (y * self.sizes[1] + z) * self.sizes[2] + x;
        let mut best = (T::of(f64::NEG_INFINITY), at(a.start, b.start, c.start));
        for y in (a.start..a.end).step_by(a.step) {
            for z in (b.start..b.end).step_by(b.step) {
                for x in (c.start..c.end).step_by(c.step) {
                    let place = at(y, z, x);
                    let value = plane[place];
                    if value > best.0 || value.is_nan() {
                        best = (value, place);
                    }
                }
            }
        }
        (best.0, i64::try_from(best.1).unwrap_or(0))
    }

    /// The largest element of every window, and where in its plane it is. All are contiguous.
    pub fn max<T: Float>(&self, input: &View, out: &View, places: &View) {
        let (size, room) = (self.input_plane(), self.output_plane());
        let values = input.slice::<T>().unwrap_or_default();
        let planes = values.len().checked_div(size).unwrap_or(0);
        for_planes(planes, size + room, |plane| {
            let (Some(out), Some(places)) = (
                out.row_mut::<T>(plane, room),
                places.row_mut::<i64>(plane, room),
            ) else {
                return;
            };
            let values = &values[plane * size..][..size];
            for (number, (out, place)) in out.iter_mut().zip(places).enumerate() {
                (*out, *place) = self.largest(values, number);
            }
        });
    }

    /// Adds the gradient of every result to the largest element of its window. `grad` must be zero before.
    pub fn max_gradient<T: Float>(&self, input: &View, slope: &View, grad: &View) {
        let (size, room) = (self.input_plane(), self.output_plane());
        let values = input.slice::<T>().unwrap_or_default();
        let slopes = slope.slice::<T>().unwrap_or_default();
        let planes = values.len().checked_div(size).unwrap_or(0);
        for_planes(planes, size + room, |plane| {
            let Some(grad) = grad.row_mut::<T>(plane, size) else {
                return;
            };
            let values = &values[plane * size..][..size];
            for (number, slope) in slopes[plane * room..][..room].iter().enumerate() {
                let (_, place) = self.largest(values, number);
                if let Some(sum) = usize::try_from(place).ok().and_then(|at| grad.get_mut(at)) {
                    *sum = sum.add(*slope);
                }
            }
        });
    }
}

/// Adds every element of `slope` to the element of its plane that `places` names. `grad` must be zero before; all are contiguous and have
/// two axes, planes and elements. Returns a place that there is not, if one occurs.
pub fn scatter<T: Float>(slope: &View, places: &View, grad: &View) -> Result<(), String> {
    let size = |view: &View| usize::try_from(view.dims()[1]).unwrap_or(0);
    let (room, plane) = (size(slope), size(grad));
    let slopes = slope.slice::<T>().unwrap_or_default();
    let places = places.slice::<i64>().unwrap_or_default();
    let wrong = places
        .iter()
        .find(|place| usize::try_from(**place).map_or(true, |place| place >= plane));
    if let Some(place) = wrong {
        return Err(format!(
            "an index is {place}, but the planes of the input have {plane} elements"
        ));
    }
    let planes = slopes.len().checked_div(room).unwrap_or(0);
    for_planes(planes, room + plane, |number| {
        let Some(grad) = grad.row_mut::<T>(number, plane) else {
            return;
        };
        let range = number * room..(number + 1) * room;
        for (slope, place) in slopes[range.clone()].iter().zip(&places[range]) {
            let sum = &mut grad[usize::try_from(*place).unwrap_or(0)];
            *sum = sum.add(*slope);
        }
    });
    Ok(())
}

fn for_planes(planes: usize, size: usize, each: impl Fn(usize) + Sync) {
    parallel::ranges(planes, (16 * 1024 / size.max(1)).max(1), |range| {
        range.for_each(&each);
    });
}
