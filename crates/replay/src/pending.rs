//! Freed blocks that other streams may still use, until the host sees that they have passed.
//!
//! This is how an allocator works that knows nothing of the waits between streams: a block that was
//! used on another stream gets an event there when it is freed, and at each allocation the host
//! asks which events have passed. How soon they pass depends on how far the host runs ahead.

use std::collections::{HashMap, HashSet};

use crate::fast_map::FastMap;

#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// The streams that blocks in use were also used on.
    uses: FastMap<Vec<u32>>,
    /// Freed blocks, with the events that must pass first, oldest first.
    waiting: Vec<(u64, Vec<Event>)>,
    /// Freed blocks of which only the trace knows when they pass.
    held: HashSet<u64>,
    /// Blocks whose passing the trace will still tell, although the host has waited for them: how many at each offset.
    told_late: HashMap<u64, u32>,
    /// Which may go back now.
    ready: Vec<u64>,
    /// How many events were recorded so far.
    recorded: u64,
    /// At which event each mark began.
    begins: HashMap<u64, u64>,
    /// Up to which event, not including it, each stream has passed.
    passed: HashMap<u32, u64>,
    /// Something has passed since the last look.
    news: bool,
}

#[derive(Debug, Clone, Copy)]
struct Event {
    stream: u32,
    number: u64,
}

impl Pending {
    pub(crate) fn record_use(&mut self, offset: u64, stream: u32) {
        let uses = self.uses.entry(offset).or_default();
        if !uses.contains(&stream) {
            uses.push(stream);
        }
    }

    /// Whether the block, which belongs to `stream`, may be reused there at once. If not, it comes
    /// out of [`Pending::take_ready`] later.
    pub(crate) fn free(&mut self, offset: u64, stream: u32) -> bool {
        if self.uses.is_empty() {
            return true;
        }
        let mut uses = self.uses.remove(&offset).unwrap_or_default();
        uses.retain(|user| *user != stream);
        if uses.is_empty() {
            return true;
        }
        let number = self.recorded;
        self.recorded += 1;
        let event = |stream| Event { stream, number };
        self.waiting
            .push((offset, uses.into_iter().map(event).collect()));
        false
    }

    /// The block waits for [`Pending::settled`].
    pub(crate) fn hold(&mut self, offset: u64) {
        self.uses.remove(&offset);
        self.held.insert(offset);
    }

    pub(crate) fn settled(&mut self, offset: u64) {
        if let Some(late) = self.told_late.get_mut(&offset) {
            *late -= 1;
            if *late == 0 {
                self.told_late.remove(&offset);
            }
        } else if self.held.remove(&offset) {
            self.ready.push(offset);
        }
    }

    /// The host waits for every stream: all blocks that were waited for may go back, in the order of their addresses.
    pub(crate) fn take_all(&mut self) -> Vec<u64> {
        let mut all = std::mem::take(&mut self.ready);
        all.extend(self.waiting.drain(..).map(|(offset, _)| offset));
        for offset in self.held.drain() {
            *self.told_late.entry(offset).or_default() += 1;
            all.push(offset);
        }
        all.sort_unstable();
        all
    }

    pub(crate) fn synchronize(&mut self, stream: u32) {
        self.passed.insert(stream, self.recorded);
        self.news = true;
    }

    pub(crate) fn begin(&mut self, mark: u64) {
        self.begins.entry(mark).or_insert(self.recorded);
    }

    pub(crate) fn completed(&mut self, stream: u32, mark: u64) {
        // A mark ends where the next one begins.
        let Some(&end) = self.begins.get(&(mark + 1)) else {
            return;
        };
        let passed = self.passed.entry(stream).or_default();
        *passed = end.max(*passed);
        self.news = true;
    }

    /// Looks which events have passed: the blocks that may be reused now.
    #[inline]
    pub(crate) fn take_ready(&mut self) -> Vec<u64> {
        if !self.news && self.ready.is_empty() {
            return Vec::new();
        }
        self.look()
    }

    fn look(&mut self) -> Vec<u64> {
        let (passed, ready) = (&self.passed, &mut self.ready);
        if self.news {
            let has_passed = |event: &Event| {
                passed
                    .get(&event.stream)
                    .is_some_and(|end| event.number < *end)
            };
            self.waiting.retain(|(offset, events)| {
                let all = events.iter().all(has_passed);
                if all {
                    ready.push(*offset);
                }
                !all
            });
            self.news = false;
        }
        std::mem::take(ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_one_stream_is_free_at_once() {
        let mut pending = Pending::default();
        assert!(pending.free(0, 1));
        pending.record_use(0, 1);
        assert!(pending.free(0, 1), "a use on its own stream is none");
    }

    #[test]
    fn a_block_waits_until_every_stream_that_used_it_has_passed_the_free() {
        let mut pending = Pending::default();
        pending.begin(0);
        pending.record_use(512, 2);
        pending.record_use(512, 3);
        assert!(!pending.free(512, 1));
        pending.begin(1);
        pending.completed(2, 0);
        assert!(pending.take_ready().is_empty());
        pending.completed(3, 0);
        assert_eq!(pending.take_ready(), [512]);
        assert!(pending.take_ready().is_empty());
    }

    #[test]
    fn a_mark_before_the_free_or_a_synchronisation_before_it_is_not_enough() {
        let mut pending = Pending::default();
        pending.begin(0);
        pending.begin(1);
        pending.record_use(512, 2);
        pending.synchronize(2);
        assert!(!pending.free(512, 1));
        pending.completed(2, 0);
        assert!(pending.take_ready().is_empty());
        pending.synchronize(2);
        assert_eq!(pending.take_ready(), [512]);
    }

    #[test]
    fn what_the_host_waited_for_is_not_given_back_twice() {
        let mut pending = Pending::default();
        pending.hold(512);
        assert_eq!(pending.take_all(), [512]);
        // Another block at the same place is held before the trace tells of the first.
        pending.hold(512);
        pending.settled(512);
        assert!(pending.take_ready().is_empty());
        pending.settled(512);
        assert_eq!(pending.take_ready(), [512]);
    }

    #[test]
    fn a_held_block_waits_for_the_trace() {
        let mut pending = Pending::default();
        pending.hold(512);
        pending.settled(1024);
        assert!(pending.take_ready().is_empty());
        pending.settled(512);
        assert_eq!(pending.take_ready(), [512]);
    }
}
