//! What programs are told about an arena: statistics, what is where, and why a request got nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use millpond_pool::{Extent, ExtentUse};

use super::{Arena, NoBlock};
use crate::direct::clocks;
use crate::message::count;

/// One number over time. The C structure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Stat {
    pub(crate) current: i64,
    pub(crate) peak: i64,
    pub(crate) allocated: i64,
    pub(crate) freed: i64,
}

impl Stat {
    /// From what there is, the most there was, all that ever came, and how much of that had come, and had gone, at the last reset.
    fn new(current: u64, peak: u64, total: u64, base: Gone) -> Self {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Self {
            current: number(current),
            peak: number(peak.max(current)),
            allocated: number(total.saturating_sub(base.came)),
            freed: number(total.saturating_sub(current).saturating_sub(base.went)),
        }
    }

    fn add(&mut self, other: &Self) {
        self.current += other.current;
        self.peak += other.peak;
        self.allocated += other.allocated;
        self.freed += other.freed;
    }
}

/// What had come and gone when counts were reset.
#[derive(Debug, Clone, Copy, Default)]
struct Gone {
    came: u64,
    went: u64,
}

/// See [`Gone`]; and the most that was seen of what is only looked at when somebody asks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Base {
    blocks: Gone,
    bytes: Gone,
    requested: Gone,
    pages: Gone,
    grown: u64,
    returns: u64,
    most_blocks: u64,
    most_requested: u64,
    most_active: (u64, u64),
    most_split: (u64, u64),
}

/// The C structure `millpondCudaStatistics`. Fields are only ever added at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Statistics {
    pub(crate) struct_size: usize,
    pub(crate) device: i32,
    pub(crate) pools: u32,
    pub(crate) blocks: Stat,
    pub(crate) used_bytes: Stat,
    pub(crate) requested_bytes: Stat,
    pub(crate) active_blocks: Stat,
    pub(crate) active_bytes: Stat,
    pub(crate) split_blocks: Stat,
    pub(crate) split_bytes: Stat,
    pub(crate) pages: Stat,
    pub(crate) reserved_bytes: Stat,
    pub(crate) page_bytes: u64,
    pub(crate) limit_bytes: u64,
    pub(crate) largest_free_bytes: u64,
    pub(crate) idle_bytes: u64,
    pub(crate) moved_pages: u64,
    pub(crate) streams: u64,
    pub(crate) retries: u64,
    pub(crate) failures: u64,
    pub(crate) device_allocs: u64,
    pub(crate) device_frees: u64,
    pub(crate) seen_records: u64,
    pub(crate) seen_waits: u64,
    pub(crate) seen_synchronisations: u64,
    pub(crate) epochs_recorded: u64,
    pub(crate) epochs_passed: u64,
    pub(crate) waits: u64,
}

// The header's twin: crates/plugin/tests/cuda/layout.c has the same numbers.
const _: () = assert!(
    size_of::<Statistics>() == 432
        && std::mem::offset_of!(Statistics, blocks) == 16
        && std::mem::offset_of!(Statistics, reserved_bytes) == 272
        && std::mem::offset_of!(Statistics, page_bytes) == 304
        && std::mem::offset_of!(Statistics, waits) == 424
);

impl Statistics {
    /// Adds another pool of the same device.
    pub(crate) fn add(&mut self, other: &Self) {
        self.pools += other.pools;
        for (sum, more) in [
            (&mut self.blocks, &other.blocks),
            (&mut self.used_bytes, &other.used_bytes),
            (&mut self.requested_bytes, &other.requested_bytes),
            (&mut self.active_blocks, &other.active_blocks),
            (&mut self.active_bytes, &other.active_bytes),
            (&mut self.split_blocks, &other.split_blocks),
            (&mut self.split_bytes, &other.split_bytes),
            (&mut self.pages, &other.pages),
            (&mut self.reserved_bytes, &other.reserved_bytes),
        ] {
            sum.add(more);
        }
        self.largest_free_bytes = self.largest_free_bytes.max(other.largest_free_bytes);
        self.idle_bytes += other.idle_bytes;
        self.moved_pages += other.moved_pages;
        self.device_allocs += other.device_allocs;
        self.device_frees += other.device_frees;
        self.streams = self.streams.max(other.streams);
    }
}

/// What was looked at.
struct Seen {
    blocks: u64,
    bytes: u64,
    total_blocks: u64,
    total_bytes: u64,
    total_requested: u64,
    peak_bytes: u64,
    requested: u64,
    pending: (u64, u64),
    split: (u64, u64),
    pages: (u64, u64),
    largest: u64,
    idle: u64,
}

impl Arena {
    pub(crate) fn statistics(&self) -> Statistics {
        let seen = self.seen();
        let page = self.settings.page;
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (held, most_held) = (load(&self.counts.held), load(&self.counts.most_held));
        let mut base = self.counts.base.lock();
        let most = |most: &mut u64, now: u64| {
            *most = now.max(*most);
            *most
        };
        let active = (seen.blocks + seen.pending.0, seen.bytes + seen.pending.1);
        let most_blocks = most(&mut base.most_blocks, seen.blocks);
        let most_requested = most(&mut base.most_requested, seen.requested);
        let most_active = (
            most(&mut base.most_active.0, active.0),
            most(&mut base.most_active.1, active.1.max(seen.peak_bytes)),
        );
        let most_split = (
            most(&mut base.most_split.0, seen.split.0),
            most(&mut base.most_split.1, seen.split.1),
        );
        let none = Gone::default();
        let blocks = Stat::new(seen.blocks, most_blocks, seen.total_blocks, base.blocks);
        let bytes = Stat::new(seen.bytes, seen.peak_bytes, seen.total_bytes, base.bytes);
        let (taken, pages) = (seen.pages.0, base.pages);
        let in_bytes = Gone {
            came: page.start(pages.came),
            went: page.start(pages.went),
        };
        Statistics {
            struct_size: size_of::<Statistics>(),
            device: self.gpu.number,
            pools: 1,
            blocks,
            used_bytes: bytes,
            requested_bytes: Stat::new(
                seen.requested,
                most_requested,
                seen.total_requested,
                base.requested,
            ),
            active_blocks: Stat {
                allocated: blocks.allocated,
                ..Stat::new(active.0, most_active.0, seen.total_blocks, base.blocks)
            },
            active_bytes: Stat::new(active.1, most_active.1, seen.total_bytes, base.bytes),
            split_blocks: Stat::new(seen.split.0, most_split.0, 0, none),
            split_bytes: Stat::new(seen.split.1, most_split.1, 0, none),
            pages: Stat::new(page.at(held), page.at(most_held), taken, pages),
            reserved_bytes: Stat::new(held, most_held, page.start(taken), in_bytes),
            page_bytes: page.bytes(),
            limit_bytes: self.gpu.limit(),
            largest_free_bytes: seen.largest,
            idle_bytes: seen.idle,
            moved_pages: self.pool.pages_moved(),
            streams: self.lanes.read().len() as u64,
            retries: load(&self.gpu.counts.retries),
            failures: load(&self.gpu.counts.failures),
            device_allocs: load(&self.counts.grown).saturating_sub(base.grown),
            device_frees: load(&self.counts.returns).saturating_sub(base.returns),
            seen_records: load(&clocks::SEEN.records),
            seen_waits: load(&clocks::SEEN.waits),
            seen_synchronisations: load(&clocks::SEEN.synchronisations),
            epochs_recorded: load(&self.gpu.counts.recorded),
            epochs_passed: load(&self.gpu.counts.passed),
            waits: load(&self.gpu.counts.waits),
        }
    }

    fn seen(&self) -> Seen {
        let pool = self.pool.statistics();
        let report = self.pool.report(0);
        let live = self.pool.live();
        let (pieces, free) = self.pool.free_pieces();
        let streams = || pool.streams.iter();
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Seen {
            blocks: pool.blocks,
            bytes: pool.charged,
            total_blocks: streams()
                .flat_map(|stream| stream.classes.iter())
                .map(|class| class.total)
                .sum(),
            total_bytes: streams().map(|stream| stream.bytes.total).sum(),
            total_requested: streams().map(|stream| stream.requested).sum(),
            peak_bytes: pool.peak,
            requested: live.iter().map(|block| block.requested).sum(),
            pending: (
                streams().map(|stream| stream.pending.0 as u64).sum(),
                streams().map(|stream| stream.pending.1).sum(),
            ),
            split: (pieces as u64, free.saturating_sub(report.idle)),
            pages: (
                load(&self.counts.grown_pages),
                load(&self.counts.returned_pages),
            ),
            largest: report.largest_free,
            idle: report.idle,
        }
    }

    pub(crate) fn reset_peaks(&self) {
        self.pool.reset_peak();
        let held = self.counts.held.load(Ordering::Acquire);
        self.counts.most_held.store(held, Ordering::Release);
        let mut base = self.counts.base.lock();
        base.most_blocks = 0;
        base.most_requested = 0;
        base.most_active = (0, 0);
        base.most_split = (0, 0);
    }

    pub(crate) fn reset_counts(&self) {
        let seen = self.seen();
        let mut base = self.counts.base.lock();
        let gone = |came: u64, now: u64| Gone {
            came,
            went: came.saturating_sub(now),
        };
        base.blocks = gone(seen.total_blocks, seen.blocks);
        base.bytes = gone(seen.total_bytes, seen.bytes);
        base.requested = gone(seen.total_requested, seen.requested);
        base.pages = Gone {
            came: seen.pages.0,
            went: seen.pages.1,
        };
        base.grown = self.counts.grown.load(Ordering::Relaxed);
        base.returns = self.counts.returns.load(Ordering::Relaxed);
    }

    /// What is where: each range of contiguous pages with what is in it.
    pub(crate) fn segments(&self) -> Vec<Vec<Extent>> {
        let mut segments: Vec<Vec<Extent>> = Vec::new();
        let visible = |extent: &Extent| extent.is != ExtentUse::Lent;
        for extent in self.pool.extents().into_iter().filter(visible) {
            let continues = |segment: &&mut Vec<Extent>| {
                let behind = |last: &Extent| last.offset + last.bytes == extent.offset;
                segment.last().is_some_and(behind) && extent.offset != self.home
            };
            match segments.last_mut().filter(continues) {
                Some(segment) => segment.push(extent),
                None => segments.push(vec![extent]),
            }
        }
        segments
    }

    /// Reason a request got nothing, and where the memory is now.
    pub(crate) fn report(&self, no_block: &NoBlock) -> String {
        let report = self.pool.report(3);
        let numbers = &report.statistics;
        let waiting: u64 = numbers.streams.iter().map(|stream| stream.pending.1).sum();
        let (held, _) = self.gpu.held();
        let mut parts = vec![
            no_block.to_string(),
            format!(
                "{} bytes are in use in {}",
                numbers.charged,
                count(numbers.blocks, "block")
            ),
            format!(
                "{} bytes are held in {} of {} bytes",
                self.counts.held.load(Ordering::Relaxed),
                count(self.mapped.count() as u64, "page"),
                self.settings.page.bytes()
            ),
            format!("all pools of the device hold {held} bytes"),
            format!("{waiting} freed bytes wait for other streams"),
            format!("{} bytes in whole pages are idle", report.idle),
            format!("the largest free range has {} bytes", report.largest_free),
        ];
        let largest: Vec<String> = report
            .holders
            .iter()
            .map(|holder| holder.requested.to_string())
            .collect();
        if !largest.is_empty() {
            parts.push(format!(
                "the largest requests were {} bytes",
                largest.join(", ")
            ));
        }
        parts.join("; ")
    }
}
