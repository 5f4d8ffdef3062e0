//! Random numbers by counter: Philox 4×32-10.
//!
//! Element `i` of a tensor depends on seed, offset and `i` alone, so results repeat by seed under every schedule and with every
//! number of threads.

use crate::view::View;

/// Ten rounds of Philox: four random words for a counter and a key.
#[expect(
    clippy::cast_possible_truncation,
    reason = "takes the halves of products apart"
)]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    const MULTIPLIERS: [u64; 2] = [0xd251_1f53, 0xcd9e_8d57];
    const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
    let (mut x, mut key) = (counter, key);
    for _ in 0..10 {
        let first = MULTIPLIERS[0] * u64::from(x[0]);
        let second = MULTIPLIERS[1] * u64::from(x[2]);
        x = [
            (second >> 32) as u32 ^ x[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ x[3] ^ key[1],
            first as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    x
}

/// The random words of one draw.
#[derive(Debug, Clone, Copy)]
pub struct Generator {
    key: [u32; 2],
    offset: u64,
}

impl Generator {
    /// The generator with a seed, after `offset` numbers were drawn from it.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "takes the halves of a word apart"
    )]
    pub fn new(seed: i64, offset: i64) -> Self {
        let seed = seed.cast_unsigned();
        Self {
            key: [seed as u32, (seed >> 32) as u32],
            offset: offset.cast_unsigned(),
        }
    }

    /// Four random words for element `index`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "takes the halves of words apart"
    )]
    pub fn words(&self, index: usize) -> [u32; 4] {
        let index = index as u64;
        philox(
            [
                index as u32,
                (index >> 32) as u32,
                self.offset as u32,
                (self.offset >> 32) as u32,
            ],
            self.key,
        )
    }

    /// A number of [0, 1) for element `index`, with 53 random bits.
    pub fn uniform(&self, index: usize) -> f64 {
        let words = self.words(index);
        unit(words[0], words[1])
    }

    /// A number of the standard normal distribution for element `index`.
    pub fn normal(&self, index: usize) -> f64 {
        let words = self.words(index);
        // Away from 0, whose logarithm does not exist.
        let radius = 1.0 - unit(words[0], words[1]);
        let angle = std::f64::consts::TAU * unit(words[2], words[3]);
        (-2.0 * radius.ln()).sqrt() * angle.cos()
    }

    /// A whole number of `low..high` for element `index`.
    pub fn integer(&self, index: usize, low: i64, high: i64) -> i64 {
        let words = self.words(index);
        let word = u64::from(words[0]) << 32 | u64::from(words[1]);
        let range = high.wrapping_sub(low).cast_unsigned();
        // The high half of the product: every result is hit by the same share of words, up to one in 2^64.
        let scaled = if range == 0 {
            word
        } else {
            ((u128::from(word) * u128::from(range)) >> 64) as u64
        };
        low.wrapping_add(scaled.cast_signed())
    }
}

#[expect(clippy::cast_precision_loss, reason = "53 bits have room in a double")]
fn unit(high: u32, low: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
    bits as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// The numbers from 0 on in a random order, in a contiguous view of `i64`.
pub fn permutation(generator: &Generator, out: &View) {
    let Some(order) = out.slice_mut::<i64>() else {
        panic!("not contiguous: {out:?}")
    };
    for (number, place) in order.iter_mut().enumerate() {
        *place = i64::try_from(number).unwrap_or(0);
    }
    for last in (1..order.len()).rev() {
        let high = i64::try_from(last + 1).unwrap_or(1);
        let other = generator.integer(last, 0, high);
        order.swap(last, usize::try_from(other).unwrap_or(0));
    }
}

/// Draws indices from rows of weights, which it changes. `keys`, the weights, and `order` are contiguous and have one shape; `out` has as many
/// rows. All are `f64` or `i64`.
pub fn multinomial(
    generator: &Generator,
    keys: &View,
    order: &View,
    replacement: bool,
    out: &View,
) -> Result<(), String> {
    let row = |view: &View| {
        let last = view.dims().last().copied().unwrap_or(0);
        usize::try_from(last).unwrap_or(0)
    };
    let (width, samples) = (row(keys), row(out));
    let (Some(keys), Some(order), Some(out)) = (
        keys.slice_mut::<f64>(),
        order.slice_mut::<i64>(),
        out.slice_mut::<i64>(),
    ) else {
        return Err("scratch memory is not contiguous".to_owned());
    };
    if width == 0 || samples == 0 {
        return Ok(());
    }
    let rows = keys.chunks_mut(width).zip(order.chunks_mut(width));
    for (number, ((keys, order), out)) in rows.zip(out.chunks_mut(samples)).enumerate() {
        if let Some(bad) = keys.iter().find(|key| !(key.is_finite() && **key >= 0.0)) {
            return Err(format!(
                "row {number} of 'self' has the weight {bad}; weights are finite and not negative"
            ));
        }
        let total: f64 = keys.iter().sum();
        if total <= 0.0 {
            return Err(format!(
                "the weights in row {number} of 'self' add up to {total}"
            ));
        }
        if replacement {
            let mut sum = 0.0;
            for key in keys.iter_mut() {
                sum += *key;
                *key = sum;
            }
            for (sample, drawn) in out.iter_mut().enumerate() {
                let target = generator.uniform(number * samples + sample) * sum;
                let found = keys.partition_point(|key| *key <= target);
                *drawn = i64::try_from(found.min(width - 1)).unwrap_or(0);
            }
            continue;
        }
        // The one whose exponential clock with its weight as rate rings first, then the second, and so on.
        for (place, key) in keys.iter_mut().enumerate() {
            let wait = -(-generator.uniform(number * width + place)).ln_1p();
            *key = if *key > 0.0 {
                wait / *key
            } else {
                f64::INFINITY
            };
        }
        for (place, slot) in order.iter_mut().enumerate() {
            *slot = i64::try_from(place).unwrap_or(0);
        }
        let key = |place: i64| keys[usize::try_from(place).unwrap_or(0)];
        order.sort_unstable_by(|a, b| key(*a).total_cmp(&key(*b)).then(a.cmp(b)));
        out.copy_from_slice(&order[..samples]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the published algorithm.
    #[test]
    fn known_answers() {
        assert_eq!(
            philox([0; 4], [0; 2]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }

    #[test]
    fn numbers_are_in_range() {
        let generator = Generator::new(5, 0);
        for index in 0..1000 {
            assert!((0.0..1.0).contains(&generator.uniform(index)));
            assert!((-3..4).contains(&generator.integer(index, -3, 4)));
        }
    }
}
