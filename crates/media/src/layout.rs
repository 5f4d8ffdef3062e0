//! Where the bytes of a picture are.

use crate::format::{Format, Packing};

/// A part of a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Region {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

/// A picture in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// How its pixels are stored.
    pub format: Format,
    /// Pixels in a row.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Bytes from the start of a row to the start of the next.
    pub width_stride: usize,
    /// Rows that the first plane has room for.
    pub height_stride: usize,
}

/// Rows of bytes of one plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Bytes before the first of them.
    pub start: usize,
    /// Bytes of a row.
    pub width: usize,
    /// From the start of a row to the start of the next.
    pub pitch: usize,
    /// How many rows.
    pub rows: usize,
}

impl Part {
    /// The end of its last row.
    pub fn end(&self) -> usize {
        self.start + self.rows.saturating_sub(1) * self.pitch + self.width
    }
}

impl Layout {
    /// The whole picture.
    pub fn whole(&self) -> Region {
        Region {
            left: 0,
            top: 0,
            width: self.width,
            height: self.height,
        }
    }

    /// Bytes of memory that the manual requires for it.
    pub fn bytes(&self) -> usize {
        let first = self.width_stride * self.height_stride;
        match self.chroma_pitch() {
            Some(pitch) => first + pitch * self.chroma_rows(self.height_stride),
            None => first,
        }
    }

    /// Bytes between rows of pairs of chroma samples, if they have a plane.
    fn chroma_pitch(&self) -> Option<usize> {
        match self.format.packing() {
            // A row has as many chroma samples as luma samples, or half of them, and two bytes for each.
            Packing::SemiPlanar(sampling, _) => Some(self.width_stride * 2 / sampling.step().0),
            Packing::Gray | Packing::Packed422(_) | Packing::Pixels(..) => None,
        }
    }

    fn chroma_rows(&self, rows: usize) -> usize {
        match self.format.packing() {
            Packing::SemiPlanar(sampling, _) => rows.div_ceil(sampling.step().1),
            Packing::Gray | Packing::Packed422(_) | Packing::Pixels(..) => 0,
        }
    }

    /// The bytes of a region, by plane. Its corner is at a whole chroma sample.
    pub fn parts(&self, region: Region) -> Vec<Part> {
        let pixel = self.format.bytes_per_pixel();
        // Two packed pixels share their chroma.
        let columns = match self.format.packing() {
            Packing::Packed422(_) => region.width.next_multiple_of(2),
            Packing::Gray | Packing::SemiPlanar(..) | Packing::Pixels(..) => region.width,
        };
        let mut parts = vec![Part {
            start: region.top * self.width_stride + region.left * pixel,
            width: columns * pixel,
            pitch: self.width_stride,
            rows: region.height,
        }];
        if let (Packing::SemiPlanar(sampling, _), Some(pitch)) =
            (self.format.packing(), self.chroma_pitch())
        {
            let (across, down) = sampling.step();
            let first = self.width_stride * self.height_stride;
            parts.push(Part {
                start: first + region.top / down * pitch + region.left / across * 2,
                width: region.width.div_ceil(across) * 2,
                pitch,
                rows: region.height.div_ceil(down),
            });
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(format: Format) -> Layout {
        Layout {
            format,
            width: 30,
            height: 10,
            width_stride: 32 * format.bytes_per_pixel(),
            height_stride: 12,
        }
    }

    /// The formulas of the manual's table.
    #[test]
    fn sizes_are_those_of_the_manual() {
        for (format, expected) in [
            (Format::Yuv400, 32 * 12),
            (Format::Yuv420Sp, 32 * 12 * 3 / 2),
            (Format::Yvu422Sp, 32 * 12 * 2),
            (Format::Yuv444Sp, 32 * 12 * 3),
            (Format::Uyvy, 64 * 12),
            (Format::Bgr888, 96 * 12),
            (Format::Argb8888, 128 * 12),
        ] {
            assert_eq!(layout(format).bytes(), expected, "{}", format.name());
        }
    }

    #[test]
    fn parts_stay_inside_the_buffer_and_do_not_overlap() {
        for &format in Format::ALL {
            let layout = layout(format);
            let parts = layout.parts(layout.whole());
            assert!(parts.last().unwrap().end() <= layout.bytes());
            if let [luma, chroma] = *parts {
                assert!(luma.end() <= chroma.start, "{}", format.name());
            }
        }
        let nv12 = layout(Format::Yuv420Sp);
        let region = Region {
            left: 4,
            top: 2,
            width: 6,
            height: 4,
        };
        let expected = [
            Part {
                start: 2 * 32 + 4,
                width: 6,
                pitch: 32,
                rows: 4,
            },
            Part {
                start: 12 * 32 + 32 + 4,
                width: 6,
                pitch: 32,
                rows: 2,
            },
        ];
        assert_eq!(nv12.parts(region), expected);
    }
}
