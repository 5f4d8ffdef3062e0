//! Statistics of a pool: current, peak and total; by size and by stream.

use crate::GRANULE;

/// Blocks of one size class: sizes from a power of two up to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassCount {
    /// Live now.
    pub current: u64,
    /// The peak of live blocks.
    pub peak: u64,
    /// Allocated in total.
    pub total: u64,
}

/// Number of size classes; the last one includes all larger sizes.
pub const CLASSES: usize = 40;

/// The statistics of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamStatistics {
    /// The stream; [`crate::HOST`] for memory that belongs to none.
    pub stream: u64,
    /// The charge of its live blocks, current and peak; and the total bytes of all blocks that it ever
    /// allocated.
    pub bytes: ClassCount,
    /// The bytes that the program requested in total.
    pub requested: u64,
    /// Blocks by size: entry `n` counts sizes from 2ⁿ to less than 2ⁿ⁺¹ bytes.
    pub classes: Vec<ClassCount>,
    /// Pending blocks (freed, but other streams may still use them), and their bytes.
    pub pending: (usize, u64),
    /// Cached blocks.
    pub kept: usize,
}

/// The statistics of a pool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// The current charge of live blocks.
    pub charged: u64,
    /// The peak of the charge. Without [`crate::Options::exact_peak`] it is approximate while threads use several
    /// streams.
    pub peak: u64,
    /// The limit of the charge.
    pub limit: u64,
    /// Live blocks.
    pub blocks: u64,
    /// Bytes of pages that the device backs.
    pub reserved: u64,
    /// The peak of `reserved`.
    pub peak_reserved: u64,
    /// Pages that were mapped at a second address, in total.
    pub pages_moved: u64,
    /// By stream.
    pub streams: Vec<StreamStatistics>,
}

/// The counters of one shard, under its lock.
#[derive(Debug)]
pub(crate) struct Counters {
    /// More entries than classes, so that every index below 64 is valid.
    classes: [Class; 64],
    total_granules: u64,
    total_requested: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Class {
    current: u32,
    peak: u32,
    total: u64,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            classes: [Class::default(); 64],
            total_granules: 0,
            total_requested: 0,
        }
    }
}

impl Counters {
    /// Counts an allocation of a known class.
    #[inline(always)]
    pub(crate) fn handed_out(&mut self, granules: u64, class: u8, requested: u64) {
        self.total_granules += granules;
        self.total_requested = self.total_requested.wrapping_add(requested);
        let class = &mut self.classes[usize::from(class & 63)];
        let current = class.current + 1;
        class.current = current;
        // Rarely taken: a branch is cheaper than another write.
        if current > class.peak {
            class.peak = current;
        }
        class.total += 1;
    }

    #[inline(always)]
    pub(crate) fn taken_back(&mut self, class: u8) {
        self.classes[usize::from(class & 63)].current -= 1;
    }

    /// Reverts an allocation that failed.
    pub(crate) fn undo(&mut self, bytes: u64, requested: u64) {
        let class = class_of(bytes);
        self.taken_back(class);
        self.total_granules -= bytes / GRANULE;
        self.total_requested = self.total_requested.wrapping_sub(requested);
        self.classes[usize::from(class)].total -= 1;
    }

    pub(crate) fn forget_peaks(&mut self) {
        for class in &mut self.classes {
            class.peak = class.current;
        }
    }

    pub(crate) fn live_blocks(&self) -> u64 {
        let classes = self.classes.iter();
        classes.map(|class| u64::from(class.current)).sum()
    }

    pub(crate) fn total_bytes(&self) -> u64 {
        self.total_granules * GRANULE
    }

    pub(crate) fn total_requested(&self) -> u64 {
        self.total_requested
    }

    pub(crate) fn classes(&self) -> Vec<ClassCount> {
        let classes = self.classes[..CLASSES].iter().map(|class| ClassCount {
            current: class.current.into(),
            peak: class.peak.into(),
            total: class.total,
        });
        classes.collect()
    }
}

/// The size class of a number of bytes.
pub(crate) fn class_of(bytes: u64) -> u8 {
    const LAST: u8 = 39;
    const _: () = assert!(LAST as usize + 1 == CLASSES, "the last class");
    u8::try_from((bytes | 1).ilog2()).map_or(LAST, |class| class.min(LAST))
}
