//! What a pool has handed out: now, at most, in all; by size and by stream.

use crate::GRANULE;

/// Blocks of one size class: sizes from a power of two up to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassCount {
    /// Live now.
    pub current: u64,
    /// Live at most at one time.
    pub peak: u64,
    /// Handed out in all.
    pub total: u64,
}

/// Size classes: the last takes everything above.
pub const CLASSES: usize = 40;

/// What one stream has been handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamStatistics {
    /// The stream; [`crate::HOST`] for memory that belongs to none.
    pub stream: u64,
    /// What its live blocks count against the limit, now and at most; and the bytes of all blocks that
    /// it was ever handed.
    pub bytes: ClassCount,
    /// Blocks by size: entry `n` counts those of at least 2ⁿ and less than 2ⁿ⁺¹ bytes.
    pub classes: Vec<ClassCount>,
    /// Blocks that were freed and that other streams may still use, and their bytes.
    pub pending: (usize, u64),
    /// Blocks that are kept for the next request of their size.
    pub kept: usize,
}

/// A pool's numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// What live blocks count against the limit, now and at most.
    pub charged: u64,
    /// The most that was ever charged. While threads work on several streams of a pool without
    /// [`crate::Options::exact_peak`] it is looked at only now and then.
    pub peak: u64,
    /// What may be charged.
    pub limit: u64,
    /// Live blocks.
    pub blocks: u64,
    /// Bytes of pages that the device backs, now and at most.
    pub reserved: u64,
    /// The most that was ever reserved.
    pub peak_reserved: u64,
    /// Pages that were given a second address.
    pub pages_moved: u64,
    /// By stream.
    pub streams: Vec<StreamStatistics>,
}

/// The numbers of one shard, under its lock.
#[derive(Debug)]
pub(crate) struct Counters {
    /// A few more than there can be, so that any number that [`class_of`] answers finds one.
    classes: [Class; 64],
    total_granules: u64,
}

/// Blocks of one class. What changes with every block is one word: live blocks in the upper half, and
/// in the lower one what was handed out since [`Counters::settle`].
#[derive(Debug, Clone, Copy)]
struct Class {
    counts: u64,
    /// The most that `counts` may be without a new peak.
    peak: u64,
    settled: u64,
}

const LIVE: u64 = 1 << 32;
const HANDED: u64 = LIVE - 1;

impl Default for Counters {
    fn default() -> Self {
        let none = Class {
            counts: 0,
            peak: HANDED,
            settled: 0,
        };
        Self {
            classes: [none; 64],
            total_granules: 0,
        }
    }
}

impl Class {
    fn count(&self) -> ClassCount {
        ClassCount {
            current: self.counts / LIVE,
            peak: self.peak / LIVE,
            total: self.settled + (self.counts & HANDED),
        }
    }
}

impl Counters {
    /// A block was handed out whose class is known.
    #[inline(always)]
    pub(crate) fn handed_out(&mut self, granules: u64, class: u8) {
        self.total_granules += granules;
        let class = &mut self.classes[usize::from(class & 63)];
        class.counts += LIVE + 1;
        if class.counts > class.peak {
            class.peak = class.counts | HANDED;
        }
    }

    #[inline(always)]
    pub(crate) fn taken_back(&mut self, class: u8) {
        self.classes[usize::from(class & 63)].counts -= LIVE;
    }

    /// Makes room for as many blocks as can be handed out in a turn.
    pub(crate) fn settle(&mut self) {
        for class in &mut self.classes {
            class.settled += class.counts & HANDED;
            class.counts &= !HANDED;
        }
    }

    /// Takes back what was never really handed out.
    pub(crate) fn undo(&mut self, bytes: u64) {
        let class = class_of(bytes);
        self.settle();
        self.taken_back(class);
        self.total_granules -= bytes / GRANULE;
        self.classes[usize::from(class)].settled -= 1;
    }

    pub(crate) fn forget_peaks(&mut self) {
        for class in &mut self.classes {
            class.peak = class.counts | HANDED;
        }
    }

    pub(crate) fn live_blocks(&self) -> u64 {
        let classes = self.classes.iter();
        classes.map(|class| class.count().current).sum()
    }

    pub(crate) fn total_bytes(&self) -> u64 {
        self.total_granules * GRANULE
    }

    pub(crate) fn classes(&self) -> Vec<ClassCount> {
        self.classes[..CLASSES].iter().map(Class::count).collect()
    }
}

/// The class of a size.
pub(crate) fn class_of(bytes: u64) -> u8 {
    const LAST: u8 = 39;
    const _: () = assert!(LAST as usize + 1 == CLASSES);
    u8::try_from((bytes | 1).ilog2()).map_or(LAST, |class| class.min(LAST))
}
