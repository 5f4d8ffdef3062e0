//! Any records, from a number.

use crate::file::field::Field;
use crate::file::kinds;
use crate::{Record, Site, Text};

/// The same number gives the same values.
#[derive(Debug)]
pub(in crate::file) struct Random(u64);

impl Random {
    pub(in crate::file) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(in crate::file) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.bits() >> 32).unwrap() % limit
    }

    /// Small and large ones, and those where an encoding may break.
    pub(in crate::file) fn number(&mut self) -> u64 {
        match self.below(8) {
            0 => u64::MAX - self.bits() % 2,
            1 => (1 << (7 * (1 + self.below(9)))) - self.bits() % 2,
            2 => 0,
            _ => self.bits() >> self.below(64),
        }
    }

    pub(in crate::file) fn small(&mut self) -> u32 {
        u32::try_from(self.number() >> 32).unwrap()
    }

    pub(in crate::file) fn text(&mut self) -> String {
        const WORDS: [&str; 6] = ["", "aclrtMalloc", "é", "step start", "\0\u{F5}MB", "日本"];
        if self.below(40) == 0 {
            return "long ".repeat(self.below(400));
        }
        (0..self.below(3)).map(|_| WORDS[self.below(6)]).collect()
    }

    /// One record of each kind, in the order that a tap gives them.
    pub(in crate::file) fn records(&mut self) -> Vec<Record> {
        let mut operations = kinds::any_of_each(self);
        for index in 0..operations.len() {
            let other = self.below(operations.len());
            operations.swap(index, other);
        }
        let mut order = self.bits() >> 20;
        let mut nanoseconds = 0;
        let sites = [Site::default(), self.site(), self.site()];
        operations
            .into_iter()
            .map(|operation| {
                order += 1;
                nanoseconds += self.bits() >> self.below(64).max(20);
                Record {
                    order,
                    nanoseconds,
                    thread: self.number(),
                    site: sites[self.below(3)].clone(),
                    operation,
                }
            })
            .collect()
    }

    fn site(&mut self) -> Site {
        Site {
            call: Text::any(self),
            caller: self.number(),
            stack: self.small(),
        }
    }
}
