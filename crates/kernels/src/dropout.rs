//! Masks that drop elements at random: one bit for each element, the lowest bit of a byte first.

use crate::map;
use crate::random::Generator;
use crate::view::View;

/// How many bytes the mask of so many elements has: it comes in pieces of 128 bits.
pub fn mask_bytes(elements: usize) -> usize {
    elements.div_ceil(128) * 16
}

/// Which of elements `4 * draw` to `4 * draw + 3` are kept: four bits.
fn kept(generator: &Generator, draw: usize, keep: f64) -> u8 {
    let words = generator.words(draw);
    let bits = words.iter().enumerate();
    bits.map(|(bit, word)| u8::from(f64::from(*word) < keep * 4_294_967_296.0) << bit)
        .sum()
}

/// Writes the mask of `elements` elements: a bit is 1 with probability `keep`. Bits behind them are 0.
pub fn generate_mask(generator: &Generator, elements: usize, keep: f64, out: &View) {
    map::generate(out, |byte| {
        let bits = kept(generator, 2 * byte, keep) | kept(generator, 2 * byte + 1, keep) << 4;
        match elements.saturating_sub(byte * 8) {
            rest @ 0..8 => bits & ((1 << rest) - 1),
            _ => bits,
        }
    });
}

/// Writes 1 for elements whose bit is set and 0 for the others. The mask is contiguous and long enough.
pub fn unpack_mask(mask: &View, out: &View) {
    let bytes = mask.slice::<u8>().unwrap_or_default();
    map::generate(out, |index| bytes[index / 8] >> (index % 8) & 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        let generator = Generator::new(7, 0);
        let share = |keep| {
            (0..5_000)
                .map(|draw| kept(&generator, draw, keep).count_ones())
                .sum::<u32>()
        };
        assert_eq!((share(0.0), share(1.0)), (0, 20_000));
        // Five standard deviations are 350.
        assert!(share(0.5).abs_diff(10_000) < 350);
        assert_eq!((mask_bytes(0), mask_bytes(1), mask_bytes(129)), (0, 16, 32));
    }
}
