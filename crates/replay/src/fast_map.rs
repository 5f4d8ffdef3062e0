//! A map by offset whose hashing costs next to nothing, so that adapters do not slow peers down.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by offset.
pub type FastMap<T> = HashMap<u64, T, BuildHasherDefault<Multiply>>;

/// Multiplies by an odd number: offsets differ above their lowest nine bits, and the map wants
/// differences at both ends of the hash.
#[derive(Debug, Default, Clone, Copy)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
