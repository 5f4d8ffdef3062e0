//! A picture taken apart into planes of samples.

use crate::colour::Matrix;
use crate::format::{Family, Packing, Sampling};
use crate::layout::{Layout, Region};
use crate::resample::{self, Method};

/// A value of a colour difference that means no colour.
const NEUTRAL: u8 = 128;

/// Samples of one kind, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plane {
    /// Samples in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The samples.
    pub data: Vec<u8>,
}

impl Plane {
    fn filled(width: usize, height: usize, value: u8) -> Self {
        Self {
            width,
            height,
            data: vec![value; width * height],
        }
    }

    fn at(&self, x: usize, y: usize) -> u8 {
        self.data[y * self.width + x]
    }

    fn row(&self, y: usize) -> &[u8] {
        &self.data[y * self.width..][..self.width]
    }
}

/// A picture: one plane of brightness, or three of YUV or RGB. Chroma planes are smaller as the family says, rounded up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// What the planes mean.
    pub family: Family,
    /// The planes.
    pub planes: Vec<Plane>,
}

fn chroma_size(sampling: Sampling, width: usize, height: usize) -> (usize, usize) {
    let (across, down) = sampling.step();
    (width.div_ceil(across), height.div_ceil(down))
}

impl Image {
    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.planes[0].width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.planes[0].height
    }

    /// Reads a region of a picture. `bytes` has, for each of the region's parts, the bytes from its start to its end.
    pub fn read(layout: &Layout, region: Region, bytes: &[&[u8]]) -> Self {
        let parts = layout.parts(region);
        let row =
            |part: usize, row: usize| &bytes[part][row * parts[part].pitch..][..parts[part].width];
        let plane = |part: usize, step: usize, offset: usize, width: usize, height: usize| {
            let mut data = Vec::with_capacity(width * height);
            for y in 0..height {
                let samples = row(part, y).iter().skip(offset).step_by(step);
                data.extend(samples.take(width));
            }
            Plane {
                width,
                height,
                data,
            }
        };
        let (width, height) = (region.width, region.height);
        let family = layout.format.family();
        let planes = match layout.format.packing() {
            Packing::Gray => vec![plane(0, 1, 0, width, height)],
            Packing::SemiPlanar(sampling, v_first) => {
                let (across, down) = chroma_size(sampling, width, height);
                let (u, v) = if v_first { (1, 0) } else { (0, 1) };
                vec![
                    plane(0, 1, 0, width, height),
                    plane(1, 2, u, across, down),
                    plane(1, 2, v, across, down),
                ]
            }
            Packing::Packed422([y, u, y2, v]) => {
                let half = width.div_ceil(2);
                // The two Y of a pair are two bytes apart.
                vec![
                    plane(0, 2, y.min(y2), width, height),
                    plane(0, 4, u, half, height),
                    plane(0, 4, v, half, height),
                ]
            }
            Packing::Pixels(size, places, _) => places
                .map(|place| plane(0, size, place, width, height))
                .into(),
        };
        Self { family, planes }
    }

    /// Writes a picture of the region's size. `bytes` has, for each of the region's parts, the bytes from its start to its end.
    pub fn write(&self, layout: &Layout, region: Region, bytes: &mut [&mut [u8]]) {
        let parts = layout.parts(region);
        let mut put = |part: usize, step: usize, offset: usize, plane: &Plane| {
            for y in 0..plane.height.min(parts[part].rows) {
                let row = &mut bytes[part][y * parts[part].pitch..][..parts[part].width];
                let places = row.iter_mut().skip(offset).step_by(step);
                for (place, sample) in places.zip(plane.row(y)) {
                    *place = *sample;
                }
            }
        };
        match layout.format.packing() {
            Packing::Gray => put(0, 1, 0, &self.planes[0]),
            Packing::SemiPlanar(_, v_first) => {
                let (u, v) = if v_first { (1, 0) } else { (0, 1) };
                put(0, 1, 0, &self.planes[0]);
                put(1, 2, u, &self.planes[1]);
                put(1, 2, v, &self.planes[2]);
            }
            Packing::Packed422([y, u, y2, v]) => {
                put(0, 2, y.min(y2), &self.planes[0]);
                put(0, 4, u, &self.planes[1]);
                put(0, 4, v, &self.planes[2]);
            }
            Packing::Pixels(size, places, _) => {
                for (place, plane) in places.into_iter().zip(&self.planes) {
                    put(0, size, place, plane);
                }
                if let Some(unused) = layout.format.unused() {
                    let opaque = Plane::filled(region.width, region.height, u8::MAX);
                    put(0, size, unused, &opaque);
                }
            }
        }
    }

    /// The picture in another size.
    #[must_use]
    pub fn resize(&self, width: usize, height: usize, method: Method) -> Self {
        let planes = self.planes.iter().enumerate().map(|(index, plane)| {
            let (width, height) = match self.family {
                Family::Yuv(sampling) if index > 0 => chroma_size(sampling, width, height),
                Family::Yuv(_) | Family::Gray | Family::Rgb => (width, height),
            };
            resample::resize(plane, width, height, method)
        });
        Self {
            family: self.family,
            planes: planes.collect(),
        }
    }

    /// The picture with other kinds of samples. Chroma is repeated where it gets finer, and averaged where it gets coarser.
    #[must_use]
    pub fn convert(self, family: Family, matrix: Matrix) -> Self {
        if self.family == family {
            return self;
        }
        match (self.family, family) {
            (Family::Gray, Family::Yuv(sampling)) => {
                let (across, down) = chroma_size(sampling, self.width(), self.height());
                let mut planes = self.planes;
                planes.extend((0..2).map(|_| Plane::filled(across, down, NEUTRAL)));
                Self { family, planes }
            }
            (Family::Yuv(_), Family::Gray) => {
                let mut planes = self.planes;
                planes.truncate(1);
                Self { family, planes }
            }
            (Family::Yuv(from), Family::Yuv(to)) => {
                let (width, height) = (self.width(), self.height());
                let mut planes = self.planes;
                for plane in &mut planes[1..] {
                    *plane = chroma(plane, from, to, width, height);
                }
                Self { family, planes }
            }
            (Family::Rgb, to) => self
                .each_pixel(Family::Yuv(Sampling::Full), |pixel| matrix.to_yuv(pixel))
                .convert(to, matrix),
            (_, Family::Rgb) => self
                .convert(Family::Yuv(Sampling::Full), matrix)
                .each_pixel(Family::Rgb, |pixel| matrix.to_rgb(pixel)),
            (Family::Gray, Family::Gray) => self,
        }
    }

    /// The picture with its last column and row repeated until it has this size, which differs by one at most. Chroma stays.
    #[must_use]
    pub fn padded(mut self, width: usize, height: usize) -> Self {
        let plane = &self.planes[0];
        if (plane.width, plane.height) != (width, height) {
            let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            let last = (plane.width - 1, plane.height - 1);
            let data = places.map(|(x, y)| plane.at(x.min(last.0), y.min(last.1)));
            self.planes[0] = Plane {
                width,
                height,
                data: data.collect(),
            };
        }
        self
    }

    fn each_pixel(mut self, family: Family, change: impl Fn([u8; 3]) -> [u8; 3]) -> Self {
        if let [one, two, three] = &mut self.planes[..] {
            let others = two.data.iter_mut().zip(&mut three.data);
            for (one, (two, three)) in one.data.iter_mut().zip(others) {
                [*one, *two, *three] = change([*one, *two, *three]);
            }
        }
        self.family = family;
        self
    }
}

/// A chroma plane of a picture of this size, for another number of samples.
fn chroma(plane: &Plane, from: Sampling, to: Sampling, width: usize, height: usize) -> Plane {
    let (from, (across, down)) = (from.step(), to.step());
    let (to_width, to_height) = chroma_size(to, width, height);
    let mut data = Vec::with_capacity(to_width * to_height);
    // The samples that cover a range of columns or rows.
    let covered = |index: usize, step: usize, from: usize, size: usize| {
        let start = index * step;
        let end = (start + step).min(size).max(start + 1);
        start / from..(end - 1) / from + 1
    };
    for y in 0..to_height {
        let rows = covered(y, down, from.1, height);
        for x in 0..to_width {
            let columns = covered(x, across, from.0, width);
            let count = (rows.len() * columns.len()).max(1);
            let samples = rows
                .clone()
                .flat_map(|y| columns.clone().map(move |x| usize::from(plane.at(x, y))));
            let mean = (samples.sum::<usize>() + count / 2) / count;
            data.push(u8::try_from(mean).unwrap_or(u8::MAX));
        }
    }
    Plane {
        width: to_width,
        height: to_height,
        data,
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "bytes of a pattern")]
mod tests {
    use super::*;
    use crate::format::Format;
    use proptest::prelude::*;

    fn layout(format: Format, width: usize, height: usize) -> Layout {
        Layout {
            format,
            width,
            height,
            width_stride: width.next_multiple_of(16) * format.bytes_per_pixel(),
            height_stride: height.next_multiple_of(2),
        }
    }

    fn slices<'b>(layout: &Layout, region: Region, bytes: &'b [u8]) -> Vec<&'b [u8]> {
        let parts = layout.parts(region);
        parts
            .iter()
            .map(|part| &bytes[part.start..part.end()])
            .collect()
    }

    fn write(image: &Image, layout: &Layout, region: Region, bytes: &mut [u8]) {
        let parts = layout.parts(region);
        let mut rest = bytes;
        let (mut slices, mut at) = (Vec::new(), 0);
        for part in &parts {
            let (_, after) = std::mem::take(&mut rest).split_at_mut(part.start - at);
            let (slice, after) = after.split_at_mut(part.end() - part.start);
            slices.push(slice);
            (rest, at) = (after, part.end());
        }
        image.write(layout, region, &mut slices);
    }

    proptest! {
        /// What was written is read back, and nothing outside the region changes.
        #[test]
        fn a_region_is_read_as_it_was_written(
            format in 0..Format::ALL.len(),
            (left, top) in (0_usize..5, 0_usize..5),
            (width, height) in (1_usize..8, 1_usize..8),
            seed in any::<u8>(),
        ) {
            let layout = layout(Format::ALL[format], 26, 26);
            let region = Region { left: left * 2, top: top * 2, width: width * 2, height: height * 2 };
            let source: Vec<u8> = (0..layout.bytes()).map(|n| (n * 7) as u8 ^ seed).collect();
            let image = Image::read(&layout, region, &slices(&layout, region, &source));
            let mut target = vec![0xee; layout.bytes()];
            write(&image, &layout, region, &mut target);
            let again = Image::read(&layout, region, &slices(&layout, region, &target));
            prop_assert_eq!(&again, &image);
            let mut inside = vec![false; target.len()];
            for part in layout.parts(region) {
                for row in 0..part.rows {
                    inside[part.start + row * part.pitch..][..part.width].fill(true);
                }
            }
            for (byte, inside) in target.iter().zip(inside) {
                prop_assert!(inside || *byte == 0xee);
            }
        }
    }

    /// One pixel of each format, written by hand.
    #[test]
    fn samples_are_where_the_format_says() {
        let family = |format: Format| format.family();
        for (format, bytes, expected) in [
            (
                Format::Yuyv,
                &[1, 2, 3, 4][..],
                [vec![1, 3], vec![2], vec![4]],
            ),
            (Format::Uyvy, &[1, 2, 3, 4], [vec![2, 4], vec![1], vec![3]]),
            (Format::Yvyu, &[1, 2, 3, 4], [vec![1, 3], vec![4], vec![2]]),
            (Format::Vyuy, &[1, 2, 3, 4], [vec![2, 4], vec![3], vec![1]]),
            (
                Format::Bgr888,
                &[1, 2, 3, 4, 5, 6],
                [vec![3, 6], vec![2, 5], vec![1, 4]],
            ),
            (
                Format::Argb8888,
                &[1, 2, 3, 4, 5, 6, 7, 8],
                [vec![2, 6], vec![3, 7], vec![4, 8]],
            ),
            (
                Format::Bgra8888,
                &[1, 2, 3, 4, 5, 6, 7, 8],
                [vec![3, 7], vec![2, 6], vec![1, 5]],
            ),
        ] {
            let layout = layout(format, 2, 1);
            let image = Image::read(&layout, layout.whole(), &[bytes]);
            assert_eq!(image.family, family(format));
            let planes: Vec<Vec<u8>> = image.planes.into_iter().map(|plane| plane.data).collect();
            assert_eq!(planes, expected, "{}", format.name());
        }
        let nv21 = layout(Format::Yvu420Sp, 2, 2);
        let luma: Vec<u8> = (0..18).collect();
        let image = Image::read(&nv21, nv21.whole(), &[&luma, &[7, 9]]);
        assert_eq!((image.planes[1].data[0], image.planes[2].data[0]), (9, 7));
    }

    #[test]
    fn chroma_is_repeated_and_averaged() {
        let plane = |width, data: &[u8]| Plane {
            width,
            height: data.len() / width,
            data: data.to_vec(),
        };
        let full = Image {
            family: Family::Yuv(Sampling::Full),
            planes: vec![
                plane(4, &[0; 8]),
                plane(4, &[1, 3, 10, 20, 5, 7, 30, 40]),
                plane(4, &[9; 8]),
            ],
        };
        let quarter = full.convert(Family::Yuv(Sampling::Quarter), Matrix::default());
        assert_eq!(quarter.planes[1].data, [4, 25]);
        let half = quarter
            .clone()
            .convert(Family::Yuv(Sampling::Half), Matrix::default());
        assert_eq!(half.planes[1].data, [4, 25, 4, 25]);
        let full = quarter.convert(Family::Yuv(Sampling::Full), Matrix::default());
        assert_eq!(full.planes[1].data, [4, 4, 25, 25, 4, 4, 25, 25]);
        let gray = full.convert(Family::Gray, Matrix::default());
        assert_eq!(gray.planes.len(), 1);
        let rgb = gray.convert(Family::Rgb, Matrix::default());
        assert_eq!(rgb.planes[2].data, [0; 8]);
    }

    /// A picture with odd sizes has chroma samples that cover one column only.
    #[test]
    fn odd_sizes_have_a_last_chroma_sample() {
        let plane = |width, height, value| Plane::filled(width, height, value);
        let image = Image {
            family: Family::Yuv(Sampling::Full),
            planes: vec![plane(3, 3, 1), plane(3, 3, 50), plane(3, 3, 60)],
        };
        let quarter = image
            .clone()
            .convert(Family::Yuv(Sampling::Quarter), Matrix::default());
        assert_eq!(quarter.planes[1], plane(2, 2, 50));
        assert_eq!(
            quarter.convert(Family::Yuv(Sampling::Full), Matrix::default()),
            image
        );
    }
}
