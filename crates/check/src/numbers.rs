//! Maps by number. Numbers of records are given out by ourselves, so nobody chooses them to be slow,
//! and a multiplication is hash enough.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are numbers, or made of them.
pub(crate) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Mixes numbers.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct NumberHasher(u64);

/// An odd number with its bits well spread: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(SPREAD);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_usize(number.cast_unsigned());
    }

    fn finish(&self) -> u64 {
        // Tables look at the low bits, and a multiplication mixes the high ones.
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::Hash;

    #[test]
    fn numbers_in_a_row_and_addresses_are_spread() {
        let low = |number: (u8, u64)| {
            let mut hasher = NumberHasher::default();
            number.hash(&mut hasher);
            hasher.finish() & 0xfff
        };
        for step in [1, 64, 512, 4096, 1 << 21] {
            let different: HashSet<_> = (0..4096_u64).map(|at| low((1, at * step))).collect();
            assert!(different.len() > 2000, "{step}: {}", different.len());
        }
    }
}
