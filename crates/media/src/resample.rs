//! Planes of other sizes. Both methods put samples where `OpenCV` puts them, as the manual says of its own.
//!
//! Written here instead of taken from a library: the positions and the rounding are part of the documented result, and
//! planes are small loops.

use crate::image::Plane;

/// How the samples of a new size are found. The manual's numbers are in [`Method::from_number`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Between the nearest two samples in each direction.
    #[default]
    Bilinear,
    /// The nearest sample, rounded down.
    Nearest,
}

/// One, as a fixed-point factor of `OpenCV`.
const ONE: f64 = 2048.0;
const BITS: u32 = 22;

/// Two neighbours and their weights.
#[derive(Clone, Copy)]
struct Mix {
    at: [usize; 2],
    weight: [u32; 2],
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes of pictures are small, and positions are not negative"
)]
fn mixes(from: usize, to: usize) -> Vec<Mix> {
    let scale = from as f64 / to as f64;
    let last = from.saturating_sub(1);
    let mix = |index: usize| {
        let place = ((index as f64 + 0.5) * scale - 0.5).max(0.0);
        let first = (place as usize).min(last);
        let part = if first == last {
            0.0
        } else {
            place - first as f64
        };
        let second = (part * ONE).round() as u32;
        Mix {
            at: [first, (first + 1).min(last)],
            weight: [ONE as u32 - second, second],
        }
    };
    (0..to).map(mix).collect()
}

/// A plane in another size.
pub(crate) fn resize(plane: &Plane, width: usize, height: usize, method: Method) -> Plane {
    if (plane.width, plane.height) == (width, height) {
        return plane.clone();
    }
    match method {
        Method::Bilinear => bilinear(plane, width, height),
        Method::Nearest => nearest(plane, width, height),
    }
}

fn bilinear(plane: &Plane, width: usize, height: usize) -> Plane {
    let (across, down) = (mixes(plane.width, width), mixes(plane.height, height));
    let mut data = Vec::with_capacity(width * height);
    let row = |row: usize| &plane.data[row * plane.width..][..plane.width];
    for y in &down {
        let rows = y.at.map(row);
        data.extend(across.iter().map(|x| {
            let side = |row: &[u8]| {
                u32::from(row[x.at[0]]) * x.weight[0] + u32::from(row[x.at[1]]) * x.weight[1]
            };
            let sum = side(rows[0]) * y.weight[0] + side(rows[1]) * y.weight[1];
            u8::try_from((sum + (1 << (BITS - 1))) >> BITS).unwrap_or(u8::MAX)
        }));
    }
    Plane {
        width,
        height,
        data,
    }
}

fn nearest(plane: &Plane, width: usize, height: usize) -> Plane {
    let place = |index: usize, from: usize, to: usize| (index * from / to).min(from - 1);
    let columns: Vec<usize> = (0..width)
        .map(|column| place(column, plane.width, width))
        .collect();
    let mut data = Vec::with_capacity(width * height);
    for row in 0..height {
        let row = &plane.data[place(row, plane.height, height) * plane.width..][..plane.width];
        data.extend(columns.iter().map(|column| row[*column]));
    }
    Plane {
        width,
        height,
        data,
    }
}

#[cfg(test)]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers"
)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plane(width: usize, height: usize, at: impl Fn(usize, usize) -> u8) -> Plane {
        let rows = 0..height;
        Plane {
            width,
            height,
            data: rows
                .flat_map(|y| (0..width).map(move |x| (x, y)))
                .map(|(x, y)| at(x, y))
                .collect(),
        }
    }

    /// The definition, in floating point.
    fn reference(plane: &Plane, width: usize, height: usize) -> Vec<f64> {
        let position = |index: usize, from: usize, to: usize| {
            let place = (index as f64 + 0.5) * from as f64 / to as f64 - 0.5;
            let place = place.clamp(0.0, (from - 1) as f64);
            (place.floor() as usize, place.fract())
        };
        let mut values = Vec::new();
        for y in 0..height {
            let (top, down) = position(y, plane.height, height);
            for x in 0..width {
                let (left, across) = position(x, plane.width, width);
                let at = |x: usize, y: usize| {
                    f64::from(
                        plane.data[y.min(plane.height - 1) * plane.width + x.min(plane.width - 1)],
                    )
                };
                let upper = at(left, top) * (1.0 - across) + at(left + 1, top) * across;
                let lower = at(left, top + 1) * (1.0 - across) + at(left + 1, top + 1) * across;
                values.push(upper * (1.0 - down) + lower * down);
            }
        }
        values
    }

    proptest! {
        #[test]
        fn bilinear_is_the_definition(
            (width, height) in (1_usize..20, 1_usize..20),
            (to_width, to_height) in (1_usize..30, 1_usize..30),
            seed in 0_usize..1000,
        ) {
            let source = plane(width, height, |x, y| (x * 37 + y * 101 + seed * 13) as u8);
            let ours = resize(&source, to_width, to_height, Method::Bilinear);
            let expected = reference(&source, to_width, to_height);
            for (ours, expected) in ours.data.iter().zip(expected) {
                prop_assert!((f64::from(*ours) - expected).abs() < 0.75, "{ours} {expected}");
            }
        }
    }

    /// What `OpenCV` gives for `cv2.resize` of this row, 0 to 70 in tens.
    #[test]
    fn positions_are_those_of_opencv() {
        let row = plane(8, 1, |x, _| (x * 10) as u8);
        let half = resize(&row, 4, 1, Method::Bilinear);
        assert_eq!(half.data, [5, 25, 45, 65]);
        let twice = resize(&plane(2, 1, |x, _| (x * 100) as u8), 4, 1, Method::Bilinear);
        assert_eq!(twice.data, [0, 25, 75, 100]);
        let nearest = resize(&row, 3, 1, Method::Nearest);
        assert_eq!(nearest.data, [0, 20, 50]);
    }
}
