//! Between RGB and YUV, with the matrices of `acldvppCscMatrix`.
//!
//! The manual gives the factors of each standard to three digits; here they follow from the standard's two constants.
//! It also gives an offset of −0.5 for the way to YUV, which makes rounding to the nearest a rounding down.

/// A standard for colour differences. The numbers are those of `acldvppCscMatrix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "named as in the manual")]
pub enum Matrix {
    #[default]
    Bt601Wide,
    Bt601Narrow,
    Bt709Wide,
    Bt709Narrow,
    Bt2020Wide,
    Bt2020Narrow,
}

impl Matrix {
    /// The standard with this number.
    pub const fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Bt601Wide,
            1 => Self::Bt601Narrow,
            2 => Self::Bt709Wide,
            3 => Self::Bt709Narrow,
            4 => Self::Bt2020Wide,
            5 => Self::Bt2020Narrow,
            _ => return None,
        })
    }

    /// The weights of red and blue in the brightness.
    const fn weights(self) -> (f32, f32) {
        match self {
            Self::Bt601Wide | Self::Bt601Narrow => (0.299, 0.114),
            Self::Bt709Wide | Self::Bt709Narrow => (0.2126, 0.0722),
            Self::Bt2020Wide | Self::Bt2020Narrow => (0.2627, 0.0593),
        }
    }

    /// Black, and the ranges of brightness and of colour differences, of 255.
    const fn range(self) -> (f32, f32, f32) {
        match self {
            Self::Bt601Wide | Self::Bt709Wide | Self::Bt2020Wide => (0.0, 1.0, 1.0),
            Self::Bt601Narrow | Self::Bt709Narrow | Self::Bt2020Narrow => {
                (16.0, 219.0 / 255.0, 224.0 / 255.0)
            }
        }
    }

    /// A pixel as red, green and blue.
    pub fn to_rgb(self, [y, u, v]: [u8; 3]) -> [u8; 3] {
        let (red, blue) = self.weights();
        let (black, luma, chroma) = self.range();
        let y = (f32::from(y) - black) / luma;
        let (u, v) = (
            (f32::from(u) - 128.0) / chroma,
            (f32::from(v) - 128.0) / chroma,
        );
        let (u, v) = (u * 2.0 * (1.0 - blue), v * 2.0 * (1.0 - red));
        let green = y - (red * v + blue * u) / (1.0 - red - blue);
        [y + v, green, y + u].map(|value| byte(value + 0.5))
    }

    /// A pixel as brightness and colour differences.
    pub fn to_yuv(self, pixel: [u8; 3]) -> [u8; 3] {
        let (red, blue) = self.weights();
        let (black, luma, chroma) = self.range();
        let [first, second, third] = pixel.map(f32::from);
        let bright = red * first + (1.0 - red - blue) * second + blue * third;
        let to_blue = (third - bright) / (2.0 * (1.0 - blue)) * chroma;
        let to_red = (first - bright) / (2.0 * (1.0 - red)) * chroma;
        // A sum that should be whole may be a little less.
        [black + bright * luma, 128.0 + to_blue, 128.0 + to_red].map(|value| byte(value + 0.001))
    }
}

/// The value without its fraction, or the nearest value that a byte has.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
fn byte(value: f32) -> u8 {
    value.floor() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factors of the manual for the default standard.
    #[test]
    fn the_default_agrees_with_the_manual() {
        for pixel in [
            [0, 0, 0],
            [255, 255, 255],
            [255, 0, 0],
            [12, 200, 99],
            [1, 2, 250],
        ] {
            let [r, g, b] = pixel.map(f32::from);
            let expected = [
                0.299 * r + 0.587 * g + 0.114 * b - 0.5,
                -0.168 * r - 0.331 * g + 0.5 * b + 127.5,
                0.5 * r - 0.419 * g - 0.081 * b + 127.5,
            ];
            let ours = Matrix::Bt601Wide.to_yuv(pixel);
            for (ours, expected) in ours.iter().zip(expected) {
                // The manual's factors have three digits: 0.0005 × 255 each.
                assert!(
                    (f32::from(*ours) - expected).abs() <= 0.9,
                    "{pixel:?}: {ours} {expected}"
                );
            }
        }
        for pixel in [[128, 128, 128], [76, 85, 255], [200, 30, 140]] {
            let [y, u, v] = pixel.map(f32::from);
            let (u, v) = (u - 128.0, v - 128.0);
            let expected = [y + 1.402 * v, y - 0.344 * u - 0.714 * v, y + 1.772 * u];
            let ours = Matrix::Bt601Wide.to_rgb(pixel);
            for (ours, expected) in ours.iter().zip(expected) {
                assert!(
                    (f32::from(*ours) - expected.clamp(0.0, 255.0)).abs() <= 0.7,
                    "{pixel:?}"
                );
            }
        }
    }

    #[test]
    fn black_and_white_are_at_the_ends_of_each_range() {
        for number in 0..6 {
            let matrix = Matrix::from_number(number).unwrap();
            let (least, most) = if number % 2 == 0 { (0, 255) } else { (16, 235) };
            assert_eq!(matrix.to_yuv([0, 0, 0]), [least, 128, 128]);
            assert_eq!(matrix.to_yuv([255, 255, 255]), [most, 128, 128]);
            assert_eq!(matrix.to_rgb([most, 128, 128]), [255; 3]);
        }
        assert_eq!(Matrix::from_number(6), None);
    }

    #[test]
    fn there_and_back_is_nearly_the_same() {
        for number in 0..6 {
            let matrix = Matrix::from_number(number).unwrap();
            for r in (0..=255).step_by(51) {
                for g in (0..=255).step_by(51) {
                    for b in (0..=255).step_by(51) {
                        let back = matrix.to_rgb(matrix.to_yuv([r, g, b]));
                        for (back, was) in back.iter().zip([r, g, b]) {
                            assert!(back.abs_diff(was) <= 4, "{matrix:?} {r} {g} {b}: {back:?}");
                        }
                    }
                }
            }
        }
    }
}
