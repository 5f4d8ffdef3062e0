//! What the manual requires of pictures, for each kind of chip.
//!
//! Each check returns a sentence that says which value is wrong, and what it should be.

use crate::format::{Format, Packing};
use crate::layout::{Layout, Region};

/// Whether a picture is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Side {
    Input,
    Output,
}

/// The bounds of an area as programs give them: `right` and `bottom` are the last column and row inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Area {
    pub left: u32,
    pub right: u32,
    pub top: u32,
    pub bottom: u32,
}

/// The rules of a kind of chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// What width strides are multiples of, in pixels.
    stride: usize,
    /// The smallest width stride.
    least_stride: usize,
    /// Whether height strides are always even, and not only where chroma needs it.
    even_rows: bool,
    /// The largest output: width and height.
    output: (usize, usize),
    /// What the left edge of a paste area is a multiple of.
    paste_left: u32,
    /// Whether interpolation 3 and 4 are accepted.
    more_methods: bool,
}

/// The smallest picture, and the largest input.
const LEAST: (usize, usize) = (10, 6);
const LARGEST_INPUT: (usize, usize) = (8192, 8192);
/// The largest strides.
const LARGEST_STRIDE: usize = 16384;
/// How much a picture may shrink and grow in each direction.
const SHRINK: usize = 32;
const GROW: usize = 16;

impl Rules {
    /// Chips of the A2 and A3 series, for example 910B.
    pub const A2: Self = Self {
        stride: 1,
        least_stride: 10,
        even_rows: false,
        output: (4096, 8192),
        paste_left: 1,
        more_methods: true,
    };
    /// Inference chips, for example 310P.
    pub const INFERENCE: Self = Self {
        stride: 16,
        least_stride: 32,
        even_rows: true,
        output: (4096, 4096),
        paste_left: 16,
        more_methods: false,
    };

    /// The rules for a chip, by the name that `aclrtGetSocName` returns.
    pub fn of(chip: &str) -> &'static Self {
        if chip.starts_with("Ascend310") {
            &Self::INFERENCE
        } else {
            &Self::A2
        }
    }

    /// Checks a picture, and that `size` bytes are enough for it.
    pub fn check(&self, layout: &Layout, size: usize, side: Side) -> Result<(), String> {
        let Layout {
            format,
            width,
            height,
            width_stride,
            height_stride,
        } = *layout;
        let name = format.name();
        let most = match side {
            Side::Input => LARGEST_INPUT,
            Side::Output => self.output,
        };
        let what = match side {
            Side::Input => "input",
            Side::Output => "output",
        };
        let range = |value: usize, least: usize, most: usize, of: &str| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(format!(
                "the {of} of the {what} picture is {value}: it must be {least} to {most}"
            ))
        };
        range(width, LEAST.0, most.0, "width")?;
        range(height, LEAST.1, most.1, "height")?;
        range(
            width_stride,
            self.least_stride,
            LARGEST_STRIDE,
            "width stride",
        )?;
        range(height_stride, LEAST.1, LARGEST_STRIDE, "height stride")?;

        let (across, down) = units(format);
        let even = |value: usize, unit: usize, of: &str| {
            if value.is_multiple_of(unit) {
                return Ok(());
            }
            Err(format!(
                "the {of} of the {what} picture is {value}: in {name} it must be a multiple of {unit}"
            ))
        };
        even(width, across, "width")?;
        even(height, down, "height")?;
        let pixel = format.bytes_per_pixel();
        even(width_stride, self.stride * pixel, "width stride")?;
        let rows = if self.even_rows { 2 } else { down };
        even(height_stride, rows, "height stride")?;
        if width_stride < width * pixel {
            return Err(format!(
                "the width stride of the {what} picture is {width_stride}: a row of {width} pixels of {name} has {} bytes",
                width * pixel
            ));
        }
        if height_stride < height {
            return Err(format!(
                "the height stride of the {what} picture is {height_stride}, less than its height, {height}"
            ));
        }
        let needed = layout.bytes();
        if size < needed {
            return Err(format!(
                "the {what} picture has {size} bytes of memory, but {name} with width stride {width_stride} and height \
                 stride {height_stride} needs {needed}"
            ));
        }
        Ok(())
    }

    /// Checks an area of a picture: in formats with shared chroma, `left` and `top` are even, `right` and `bottom` odd.
    pub fn area(&self, area: Area, layout: &Layout, what: &str) -> Result<Region, String> {
        let Area {
            left,
            right,
            top,
            bottom,
        } = area;
        let shown =
            format!("the {what} area is left {left}, right {right}, top {top}, bottom {bottom}");
        if right < left || bottom < top {
            return Err(format!(
                "{shown}: right and bottom are the last column and row inside it, so they cannot be less than left and top"
            ));
        }
        let region = Region {
            left: left as usize,
            top: top as usize,
            width: (right - left) as usize + 1,
            height: (bottom - top) as usize + 1,
        };
        if right as usize >= layout.width || bottom as usize >= layout.height {
            return Err(format!(
                "{shown}: it is not inside the picture, which is {} × {}",
                layout.width, layout.height
            ));
        }
        let (across, down) = units(layout.format);
        if !region.left.is_multiple_of(across)
            || !region.top.is_multiple_of(down)
            || !region.width.is_multiple_of(across)
            || !region.height.is_multiple_of(down)
        {
            return Err(format!(
                "{shown}: in {} left and top must be even, right and bottom odd",
                layout.format.name()
            ));
        }
        if region.width < LEAST.0 || region.height < LEAST.1 {
            return Err(format!(
                "{shown}, {} × {} pixels: the smallest area is {} × {}",
                region.width, region.height, LEAST.0, LEAST.1
            ));
        }
        Ok(region)
    }

    /// Checks where an area is pasted.
    pub fn paste(&self, area: Area, layout: &Layout) -> Result<Region, String> {
        let region = self.area(area, layout, "paste")?;
        if !area.left.is_multiple_of(self.paste_left) {
            return Err(format!(
                "the left edge of the paste area is {}: on this chip it must be a multiple of {}",
                area.left, self.paste_left
            ));
        }
        Ok(region)
    }

    /// Checks how much a picture shrinks or grows.
    pub fn scale(from: Region, to: Region) -> Result<(), String> {
        for (of, from, to) in [
            ("width", from.width, to.width),
            ("height", from.height, to.height),
        ] {
            if to * SHRINK < from || to > from * GROW {
                return Err(format!(
                    "the {of} changes from {from} to {to}: a picture can shrink to 1/{SHRINK} and grow {GROW} times"
                ));
            }
        }
        Ok(())
    }

    /// The method with this number of `acldvppSetResizeConfigInterpolation`.
    pub fn method(&self, number: u32) -> Result<crate::Method, String> {
        match number {
            0 | 1 => Ok(crate::Method::Bilinear),
            2 => Ok(crate::Method::Nearest),
            3 if self.more_methods => Ok(crate::Method::Bilinear),
            4 if self.more_methods => Ok(crate::Method::Nearest),
            3 | 4 => Err(format!("interpolation {number} does not exist on this chip: use 1 (bilinear) or 2 (nearest)")),
            5 if self.more_methods => Err(
                "interpolation 5, a filter that the manual does not define, is not supported: use 1 (bilinear) or 2 (nearest)"
                    .to_owned(),
            ),
            _ => Err(format!("interpolation {number} does not exist: use 0 or 1 (bilinear) or 2 (nearest)")),
        }
    }
}

/// Columns and rows that share chroma.
fn units(format: Format) -> (usize, usize) {
    match format.packing() {
        Packing::SemiPlanar(sampling, _) => sampling.step(),
        Packing::Packed422(_) => (2, 1),
        Packing::Gray | Packing::Pixels(..) => (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nv12(width: usize, height: usize, width_stride: usize, height_stride: usize) -> Layout {
        Layout {
            format: Format::Yuv420Sp,
            width,
            height,
            width_stride,
            height_stride,
        }
    }

    #[test]
    fn each_rule_has_its_sentence() {
        for (layout, size, expected) in [
            (
                nv12(8, 64, 64, 64),
                6144,
                "width of the input picture is 8: it must be 10 to 8192",
            ),
            (
                nv12(64, 4, 64, 64),
                6144,
                "height of the input picture is 4",
            ),
            (
                nv12(63, 64, 64, 64),
                6144,
                "width of the input picture is 63: in YUV420SP (NV12) it must be a multiple of 2",
            ),
            (
                nv12(64, 63, 64, 64),
                6144,
                "height of the input picture is 63",
            ),
            (
                nv12(64, 64, 72, 64),
                6912,
                "width stride of the input picture is 72",
            ),
            (
                nv12(64, 64, 64, 65),
                6912,
                "height stride of the input picture is 65",
            ),
            (nv12(64, 64, 48, 64), 6144, "a row of 64 pixels"),
            (nv12(64, 64, 64, 62), 6144, "less than its height"),
            (nv12(64, 64, 64, 64), 6143, "needs 6144"),
        ] {
            let error = Rules::INFERENCE
                .check(&layout, size, Side::Input)
                .unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let fits = nv12(64, 64, 64, 64);
        for side in [Side::Input, Side::Output] {
            assert_eq!(Rules::INFERENCE.check(&fits, 6144, side), Ok(()));
        }
    }

    #[test]
    fn chips_differ() {
        let odd_stride = nv12(50, 50, 50, 50);
        assert_eq!(
            Rules::of("Ascend910B2").check(&odd_stride, 3750, Side::Input),
            Ok(())
        );
        assert!(
            Rules::of("Ascend310P3")
                .check(&odd_stride, 3750, Side::Input)
                .is_err()
        );
        let tall = nv12(64, 8192, 64, 8192);
        let bytes = tall.bytes();
        assert_eq!(Rules::A2.check(&tall, bytes, Side::Output), Ok(()));
        assert!(Rules::INFERENCE.check(&tall, bytes, Side::Output).is_err());
        assert!(Rules::A2.method(3).is_ok() && Rules::INFERENCE.method(3).is_err());
        assert!(Rules::A2.method(5).is_err() && Rules::A2.method(6).is_err());
        let area = Area {
            left: 8,
            right: 27,
            top: 0,
            bottom: 19,
        };
        assert!(Rules::A2.paste(area, &nv12(64, 64, 64, 64)).is_ok());
        assert!(Rules::INFERENCE.paste(area, &nv12(64, 64, 64, 64)).is_err());
    }

    #[test]
    fn areas_are_checked() {
        let picture = nv12(64, 64, 64, 64);
        let area = |left, right, top, bottom| Area {
            left,
            right,
            top,
            bottom,
        };
        let region = Rules::A2
            .area(area(2, 21, 4, 13), &picture, "crop")
            .unwrap();
        assert_eq!(
            region,
            Region {
                left: 2,
                top: 4,
                width: 20,
                height: 10
            }
        );
        for (area, expected) in [
            (area(20, 2, 0, 9), "cannot be less"),
            (
                area(0, 64, 0, 9),
                "not inside the picture, which is 64 × 64",
            ),
            (area(1, 20, 0, 9), "must be even"),
            (area(0, 18, 0, 9), "right and bottom odd"),
            (area(0, 7, 0, 9), "smallest area is 10 × 6"),
            (area(0, u32::MAX, 0, 9), "not inside"),
        ] {
            let error = Rules::A2.area(area, &picture, "crop").unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let region = |width, height| Region {
            left: 0,
            top: 0,
            width,
            height,
        };
        assert!(Rules::scale(region(320, 320), region(10, 10)).is_ok());
        assert!(Rules::scale(region(330, 320), region(10, 10)).is_err());
        assert!(Rules::scale(region(10, 10), region(160, 161)).is_err());
    }
}
