//! A checksum that detects every change of a few adjacent bytes, and other accidental damage. It does not
//! protect against deliberate changes.

/// Eight bytes at a time: each step is reversible, so two inputs that differ in one word never have the same
/// sum.
#[derive(Debug)]
pub(super) struct Checksum {
    sum: u64,
}

impl Checksum {
    pub(super) fn new() -> Self {
        Self {
            sum: 0xcbf2_9ce4_8422_2325,
        }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        // So that trailing zeros change the sum.
        self.word(bytes.len() as u64);
    }

    fn word(&mut self, word: u64) {
        const PRIME: u64 = 0x9e37_79b1_85eb_ca87;
        self.sum = (self.sum ^ word).wrapping_mul(PRIME).rotate_left(29);
    }

    pub(super) fn finish(self) -> u64 {
        self.sum
    }
}
