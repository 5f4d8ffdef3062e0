//! What PyTorch gives back, and when: before it takes more than a share of the device (garbage collection), and when the device
//! is full.
//!
//! A full device is met in this order: blocks that are too large to be cut (`max_split_size_mb`), as many as the request needs;
//! then the host waits until every stream has passed its blocks, and every segment without a block in use goes back.

use super::{Caching, MIB, page};
use crate::ranges;

/// Large blocks that are whole segments: bytes, start, and for how many looks they have been free.
struct Idle {
    bytes: u64,
    start: u64,
    age: u64,
}

impl Caching {
    /// More memory from the device, whatever has to be given back for it.
    pub(super) fn grow_somehow(&mut self, list: usize, bytes: u64) -> Option<u64> {
        if self.collects_garbage() {
            self.collect_garbage();
        }
        if let Some(start) = self.grow(list, bytes) {
            return Some(start);
        }
        if self.release_uncut(list, bytes)
            && let Some(start) = self.grow(list, bytes)
        {
            return Some(start);
        }
        for passed in self.pending.take_all() {
            self.give_back(passed);
        }
        self.release_all();
        // What came back by waiting may serve the request as it is.
        self.best(list, bytes).or_else(|| self.grow(list, bytes))
    }

    /// Gives back what lies on no block: whole segments, or whole pages.
    pub(super) fn release_all(&mut self) {
        if self.settings.expandable {
            for list in 0..self.blocks.lists() {
                ranges::unmap_free(
                    &mut self.blocks,
                    &mut self.ledger,
                    list,
                    page(list),
                    u64::MAX,
                );
            }
            return;
        }
        for start in self.blocks.whole_ranges() {
            self.release(start);
        }
    }

    fn release(&mut self, start: u64) -> u64 {
        let bytes = self.blocks.remove_whole(start).unwrap_or(0);
        if bytes > 0 {
            self.ledger.give(bytes);
            self.since.remove(&start);
        }
        bytes
    }

    /// Gives back blocks that are not cut: one that is as large as the request, or the largest until they are together.
    fn release_uncut(&mut self, list: usize, bytes: u64) -> bool {
        let most = self.settings.max_split;
        // Small blocks are always cut.
        if most == u64::MAX || self.settings.expandable || list.is_multiple_of(2) {
            return false;
        }
        let wanted = bytes.max(most);
        let fitting = self.blocks.fitting(list, wanted).next();
        if let Some((_, start)) = fitting {
            return self.release(start) > 0;
        }
        let uncut: Vec<u64> = self
            .blocks
            .free(list)
            .rev()
            .take_while(|(size, _)| *size >= most)
            .map(|(_, start)| start)
            .collect();
        let mut released = 0;
        for start in uncut {
            if released >= wanted {
                break;
            }
            released += self.release(start);
        }
        released >= wanted
    }

    /// Gives back large segments that were not used for longer than average, until little more than the threshold is held.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a device's memory, and no device has 2^53 bytes"
    )]
    fn collect_garbage(&mut self) {
        let threshold = (self.settings.garbage_threshold * self.ledger.limit() as f64) as u64;
        let target = self.ledger.reserved().saturating_sub(threshold);
        if target == 0 || self.settings.expandable {
            return;
        }
        let mut reclaimed = 0;
        loop {
            let idle = self.idle_segments();
            let ages: u64 = idle.iter().map(|it| it.age).sum();
            let Some(mean) = ages.checked_div(idle.len() as u64) else {
                return;
            };
            let before = reclaimed;
            for segment in idle {
                if reclaimed >= target {
                    return;
                }
                if segment.age >= mean {
                    reclaimed += self.release(segment.start);
                }
            }
            if reclaimed == before || reclaimed >= target {
                return;
            }
        }
    }

    fn idle_segments(&self) -> Vec<Idle> {
        let whole = self.blocks.whole_ranges().into_iter();
        let idle = whole.filter_map(|start| {
            let block = self.blocks.get(start)?;
            let since = self.since.get(&start).copied().unwrap_or(self.looks);
            (!block.list.is_multiple_of(2)).then_some(Idle {
                bytes: block.bytes,
                start,
                age: self.looks - since,
            })
        });
        let mut idle: Vec<Idle> = idle.collect();
        idle.sort_unstable_by_key(|it| (it.bytes, it.start));
        debug_assert!(idle.iter().all(|it| it.bytes > MIB));
        idle
    }
}
