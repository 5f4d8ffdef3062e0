//! Allocators that are linked as they are.
//!
//! None of them knows streams. A program that uses one with streams keeps an arena for each and gives
//! a block back when it sees that other streams have passed it, so that is what [`PerStream`] does.

pub(crate) mod gpu;
pub(crate) mod offset;
pub(crate) mod rlsf;

use super::pending::Pending;
use super::policy::Policy;

/// Room between the arenas of two streams.
const ARENA_SHIFT: u32 = 56;

/// Cuts blocks from a range, for one stream.
pub(crate) trait Arena: Sized {
    fn new() -> Result<Self, String>;
    /// Where the block starts in this arena.
    fn alloc(&mut self, bytes: u64) -> Option<u64>;
    fn free(&mut self, start: u64);
    /// Bytes of device memory held now.
    fn reserved(&self) -> u64;
}

/// An arena for each stream.
#[derive(Debug)]
pub(crate) struct PerStream<A> {
    arenas: Vec<A>,
    pending: Pending,
}

impl<A: Arena> PerStream<A> {
    pub(crate) fn new() -> Self {
        Self {
            arenas: Vec::new(),
            pending: Pending::default(),
        }
    }

    fn give_back(&mut self, offset: u64) {
        let arena = usize::try_from(offset >> ARENA_SHIFT).unwrap_or(usize::MAX);
        if let Some(arena) = self.arenas.get_mut(arena) {
            arena.free(offset & ((1 << ARENA_SHIFT) - 1));
        }
    }
}

impl<A: Arena> Policy for PerStream<A> {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        for passed in self.pending.take_ready() {
            self.give_back(passed);
        }
        while self.arenas.len() <= stream as usize {
            self.arenas.push(A::new().ok()?);
        }
        let start = self.arenas[stream as usize].alloc(bytes)?;
        Some(u64::from(stream) << ARENA_SHIFT | start)
    }

    fn free(&mut self, offset: u64, _stream: u32) {
        let owner = u32::try_from(offset >> ARENA_SHIFT).unwrap_or(u32::MAX);
        if self.pending.free(offset, owner) {
            self.give_back(offset);
        }
    }

    fn free_held(&mut self, offset: u64, _stream: u32) {
        self.pending.hold(offset);
    }

    fn settled(&mut self, offset: u64) {
        self.pending.settled(offset);
    }

    fn record_use(&mut self, offset: u64, stream: u32) {
        self.pending.record_use(offset, stream);
    }

    fn synchronize(&mut self, stream: u32) {
        self.pending.synchronize(stream);
    }

    fn begin(&mut self, mark: u64) {
        self.pending.begin(mark);
    }

    fn completed(&mut self, stream: u32, mark: u64) {
        self.pending.completed(stream, mark);
    }

    fn reserved(&self) -> u64 {
        self.arenas.iter().map(A::reserved).sum()
    }
}

/// The pages of a range that a block has ever lain on: what an arena over a large range of addresses
/// holds that takes pages as it needs them and gives none back.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    words: Vec<u64>,
    pages: u64,
}

const PAGE_SHIFT: u32 = 21;

impl Touched {
    pub(crate) fn add(&mut self, start: u64, bytes: u64) {
        for page in start >> PAGE_SHIFT..=(start + bytes.max(1) - 1) >> PAGE_SHIFT {
            let (word, bit) = ((page / 64) as usize, 1 << (page % 64));
            if self.words.len() <= word {
                self.words.resize(word + 1, 0);
            }
            if self.words[word] & bit == 0 {
                self.words[word] |= bit;
                self.pages += 1;
            }
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.pages << PAGE_SHIFT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policies() -> Vec<(&'static str, Box<dyn Policy>)> {
        vec![
            (
                "offset-allocator",
                Box::new(PerStream::<offset::Offset>::new()),
            ),
            ("rlsf", Box::new(PerStream::<rlsf::Rlsf>::new())),
            ("gpu-allocator", Box::new(PerStream::<gpu::Gpu>::new())),
        ]
    }

    #[test]
    fn pages_are_counted_once() {
        let mut touched = Touched::default();
        touched.add(0, 512);
        touched.add((2 << 20) - 512, 1024);
        assert_eq!(touched.bytes(), 4 << 20);
        touched.add(0, 512);
        assert_eq!(touched.bytes(), 4 << 20);
    }

    #[test]
    fn blocks_of_a_peer_do_not_overlap_and_are_reused() {
        for (name, mut policy) in policies() {
            let sizes = [700_u64, 3 << 20, 512, 300 << 20];
            let starts: Vec<u64> = sizes
                .iter()
                .map(|it| policy.alloc(0, *it).unwrap())
                .collect();
            for (one, (start, bytes)) in starts.iter().zip(sizes).enumerate() {
                for (other, begin) in starts.iter().enumerate() {
                    let inside = (*start..start + bytes).contains(begin);
                    assert!(one == other || !inside, "{name}");
                }
            }
            let held = policy.reserved();
            assert!(held >= sizes.iter().sum(), "{name}");
            for start in &starts {
                policy.free(*start, 0);
            }
            for bytes in sizes {
                policy.alloc(0, bytes).unwrap();
            }
            assert_eq!(policy.reserved(), held, "{name}");
        }
    }

    #[test]
    fn streams_do_not_share_and_uses_are_waited_for() {
        for (name, mut policy) in policies() {
            policy.begin(0);
            let block = policy.alloc(0, 1 << 20).unwrap();
            policy.free(block, 0);
            assert_ne!(policy.alloc(1, 1 << 20), Some(block), "{name}");
            assert_eq!(policy.alloc(0, 1 << 20), Some(block), "{name}");
            // Half of it fits best where it was, and nowhere else so well.
            let lies_there = |policy: &mut dyn Policy| {
                let half = policy.alloc(0, 512 << 10).unwrap();
                (block..block + (1 << 20)).contains(&half)
            };
            assert!(!lies_there(policy.as_mut()), "{name}: it is live");
            policy.alloc(0, 1 << 20).unwrap();
            policy.record_use(block, 1);
            policy.free(block, 0);
            assert!(
                !lies_there(policy.as_mut()),
                "{name}: stream 1 has not passed"
            );
            policy.synchronize(1);
            assert!(lies_there(policy.as_mut()), "{name}");
        }
    }
}
