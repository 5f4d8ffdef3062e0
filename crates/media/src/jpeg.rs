//! JPEG files: what is in them, and their pixels.
//!
//! The markers are read here, because the library does not tell how chroma is sampled; it decodes the pixels. It makes
//! chroma as fine as brightness with a triangle filter. The stored samples are wanted, so the filter is undone: of two
//! neighbours of the finer plane, `a = (3c + d) / 4` and `b = (3d + c) / 4`, one stored sample is `c = (3a − b) / 2`.

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::format::{Family, Sampling};
use crate::image::{Image, Plane};

/// Why a file cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It is not a JPEG file, or not a whole one.
    Damaged(String),
    /// It is one of a kind that is not decoded.
    Unsupported(String),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Damaged(text) | Self::Unsupported(text) => f.write_str(text),
        }
    }
}

/// What the headers of a file say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Samples of a pixel: 1 or 3.
    pub components: usize,
    /// What they are.
    pub family: Family,
}

/// The smallest and the largest side of a picture.
const SIDES: std::ops::RangeInclusive<usize> = 32..=8192;

/// Reads the headers of a file.
pub fn info(bytes: &[u8]) -> Result<Info, Problem> {
    let damaged = |what: &str| Problem::Damaged(format!("this is not a JPEG file: {what}"));
    if !bytes.starts_with(&[0xff, 0xd8]) {
        return Err(damaged("it does not begin with the marker SOI"));
    }
    let mut at = 2;
    loop {
        let cut = || damaged("it ends before its frame header");
        while bytes.get(at..at + 2).ok_or_else(cut)? == [0xff, 0xff] {
            at += 1;
        }
        let &[0xff, marker] = bytes.get(at..at + 2).ok_or_else(cut)? else {
            return Err(damaged(
                "something other than a marker is between its segments",
            ));
        };
        let &[high, low] = bytes.get(at + 2..at + 4).ok_or_else(cut)? else {
            return Err(cut());
        };
        let length = usize::from(high) << 8 | usize::from(low);
        let body = bytes.get(at + 4..at + 2 + length).ok_or_else(cut)?;
        match marker {
            0xc0 => return frame(body),
            0xc1 => {
                return Err(Problem::Unsupported(
                    "the JPEG file is extended sequential; only baseline files are decoded"
                        .to_owned(),
                ));
            }
            0xc2 => {
                return Err(Problem::Unsupported(
                    "the JPEG file is progressive; only baseline files are decoded".to_owned(),
                ));
            }
            0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Err(Problem::Unsupported(
                    "the JPEG file is lossless, hierarchical or arithmetically coded; only baseline files are decoded"
                        .to_owned(),
                ));
            }
            0xe1 => {
                if let Some(orientation) = orientation(body)
                    && orientation != 1
                {
                    return Err(Problem::Unsupported(format!(
                        "the JPEG file has the EXIF orientation {orientation}, and Millpond does not rotate: store it upright"
                    )));
                }
            }
            0xd9 | 0xda => return Err(damaged("it has no frame header")),
            _ => {}
        }
        at += 2 + length;
    }
}

fn frame(body: &[u8]) -> Result<Info, Problem> {
    let &[precision, h1, h2, w1, w2, count, ref components @ ..] = body else {
        return Err(Problem::Damaged(
            "the frame header of the JPEG file is too short".to_owned(),
        ));
    };
    let unsupported = |text: String| Err(Problem::Unsupported(text));
    let side = |high: u8, low: u8| usize::from(high) << 8 | usize::from(low);
    let (width, height) = (side(w1, w2), side(h1, h2));
    if precision != 8 {
        return unsupported(format!(
            "the JPEG file has {precision} bits per sample; 8 are supported"
        ));
    }
    if !SIDES.contains(&width) || !SIDES.contains(&height) {
        return unsupported(format!(
            "the JPEG file is {width} × {height}; pictures of {0} × {0} to {1} × {1} are decoded",
            SIDES.start(),
            SIDES.end()
        ));
    }
    let factors: Vec<u8> = components.chunks_exact(3).map(|one| one[1]).collect();
    let family = match (count, &factors[..]) {
        (1, [_]) => Family::Gray,
        (3, [0x11, 0x11, 0x11]) => Family::Yuv(Sampling::Full),
        (3, [0x21, 0x11, 0x11]) => Family::Yuv(Sampling::Half),
        (3, [0x12, 0x11, 0x11]) => Family::Yuv(Sampling::Tall),
        (3, [0x22, 0x11, 0x11]) => Family::Yuv(Sampling::Quarter),
        (3, [first, second, third]) => {
            return unsupported(format!(
                "the JPEG file has the sampling factors {first:#x}, {second:#x}, {third:#x}; 4:4:4, 4:2:2, 4:4:0 and \
                 4:2:0 are supported"
            ));
        }
        _ => {
            return unsupported(format!(
                "the JPEG file has {count} components; 1 and 3 are supported"
            ));
        }
    };
    Ok(Info {
        width,
        height,
        components: usize::from(count),
        family,
    })
}

/// The orientation in an EXIF segment: entry 0x112 of its first directory.
fn orientation(segment: &[u8]) -> Option<u16> {
    let tiff = segment.strip_prefix(b"Exif\0\0")?;
    let little = tiff.starts_with(b"II");
    let number = |at: usize, bytes: usize| {
        let bytes = tiff.get(at..at.checked_add(bytes)?)?;
        let join = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        Some(if little {
            bytes.iter().rev().fold(0, join)
        } else {
            bytes.iter().fold(0, join)
        })
    };
    let directory = number(4, 4)?;
    let entries = (0..number(directory, 2)?).map(|entry| directory + 2 + entry * 12);
    let mut entries = entries.filter(|entry| number(*entry, 2) == Some(0x112));
    u16::try_from(number(entries.next()? + 8, 2)?).ok()
}

/// Decodes a file to the samples that it stores.
pub fn decode(bytes: &[u8]) -> Result<Image, Problem> {
    let Info {
        width,
        height,
        family,
        ..
    } = info(bytes)?;
    let space = match family {
        Family::Gray => ColorSpace::Luma,
        Family::Yuv(_) | Family::Rgb => ColorSpace::YCbCr,
    };
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(space)
        .set_strict_mode(true);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let broken =
        |text: String| Problem::Damaged(format!("the JPEG file cannot be decoded: {text}"));
    let pixels = decoder
        .decode()
        .map_err(|error| broken(error.to_string()))?;
    let channels = if family == Family::Gray { 1 } else { 3 };
    if pixels.len() != width * height * channels {
        return Err(broken(format!("{} bytes of pixels", pixels.len())));
    }
    let plane = |channel: usize| Plane {
        width,
        height,
        data: pixels
            .iter()
            .skip(channel)
            .step_by(channels)
            .copied()
            .collect(),
    };
    let planes = match family {
        Family::Yuv(sampling) => {
            let (across, down) = sampling.step();
            let stored = |channel: usize| {
                let mut plane = plane(channel);
                if down == 2 {
                    plane = transposed(&halved(&transposed(&plane)));
                }
                if across == 2 {
                    plane = halved(&plane);
                }
                plane
            };
            vec![plane(0), stored(1), stored(2)]
        }
        Family::Gray | Family::Rgb => (0..channels).map(plane).collect(),
    };
    Ok(Image { family, planes })
}

/// The stored samples of rows that were made twice as long with the triangle filter.
fn halved(plane: &Plane) -> Plane {
    let width = plane.width.div_ceil(2);
    let mut data = Vec::with_capacity(width * plane.height);
    for row in plane.data.chunks_exact(plane.width) {
        let at = |index: usize| row.get(index).map(|byte| i32::from(*byte));
        data.extend((0..width).map(|index| {
            // Each side gives twice the sample.
            let left = match index {
                // The first is not filtered.
                0 => at(0).map(|first| 2 * first),
                _ => at(2 * index).zip(at(2 * index - 1)).map(|(a, b)| 3 * a - b),
            };
            let right = at(2 * index + 1)
                .zip(at(2 * index + 2))
                .map(|(a, b)| 3 * a - b);
            let (left, right) = match (left, right) {
                (Some(left), Some(right)) if index > 0 => (left, right),
                (Some(one), _) | (None, Some(one)) => (one, one),
                (None, None) => (0, 0),
            };
            u8::try_from(((left + right + 2) >> 2).clamp(0, 255)).unwrap_or(u8::MAX)
        }));
    }
    Plane {
        width,
        height: plane.height,
        data,
    }
}

fn transposed(plane: &Plane) -> Plane {
    let (width, height) = (plane.height, plane.width);
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    Plane {
        width,
        height,
        data: places
            .map(|(x, y)| plane.data[x * plane.width + y])
            .collect(),
    }
}

#[cfg(test)]
mod tests;
