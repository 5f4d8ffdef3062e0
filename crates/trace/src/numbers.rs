//! Maps with numbers of records as keys: cheap to look up, and the same in every run.
//!
//! The numbers are assigned in order and never reused, so no input can make them collide.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with such keys.
pub type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Spreads numbers over all bits.
#[derive(Debug, Default)]
pub struct NumberHasher(u64);

/// An odd number with as many ones as zeros and no pattern.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0.rotate_left(5) ^ number).wrapping_mul(SPREAD);
        self.0 = mixed ^ (mixed >> 32);
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write_isize(&mut self, number: isize) {
        self.write_usize(number.cast_unsigned());
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::BuildHasher;

    #[test]
    fn numbers_in_order_are_spread_at_both_ends() {
        let build = BuildHasherDefault::<NumberHasher>::default();
        let hashes: Vec<u64> = (0..4096_u64).map(|it| build.hash_one(it)).collect();
        // A table takes its place from the lowest bits, and its tag from the highest.
        let low: HashSet<_> = hashes.iter().map(|it| it % 4096).collect();
        let high: HashSet<_> = hashes.iter().map(|it| it >> 57).collect();
        assert!(low.len() > 2048, "{}", low.len());
        assert_eq!(high.len(), 128);
    }
}
