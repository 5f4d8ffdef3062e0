//! What was allocated and freed in stretches of events, by size and by owner, joined level by level.

use rustc_hash::FxHashMap;

use crate::index::{Block, Event, What};
use crate::pyramid::Pyramid;
use crate::range::{Size, bar};

/// Events of the shortest stretch whose sums are kept. Each has the sums of all owners that allocate in it, so many events share one.
const STRETCH: usize = 1 << 16;

/// Sums of a stretch of events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) allocations: u64,
    pub(crate) allocated: u64,
    pub(crate) frees: u64,
    pub(crate) freed: u64,
    pub(crate) sizes: Vec<Size>,
    /// Bytes and number of allocated blocks by owner.
    pub(crate) owners: FxHashMap<u32, (u64, u64)>,
}

impl Sums {
    fn add_event(&mut self, event: Event, blocks: &[Block], owners: &[u32]) {
        let number = event.block();
        let bytes = blocks[number].bytes;
        match event.what() {
            What::Allocated => {
                self.allocations += 1;
                self.allocated += bytes;
                let bar = bar(bytes);
                if self.sizes.len() <= bar {
                    self.sizes.resize(bar + 1, Size::default());
                }
                self.sizes[bar].blocks += 1;
                self.sizes[bar].bytes += bytes;
                let sum = self.owners.entry(owners[number]).or_default();
                sum.0 += bytes;
                sum.1 += 1;
            }
            What::Freed => {
                self.frees += 1;
                self.freed += bytes;
            }
            What::Reusable => {}
        }
    }

    fn add(&mut self, other: &Self) {
        self.allocations += other.allocations;
        self.allocated += other.allocated;
        self.frees += other.frees;
        self.freed += other.freed;
        if self.sizes.len() < other.sizes.len() {
            self.sizes.resize(other.sizes.len(), Size::default());
        }
        for (size, more) in self.sizes.iter_mut().zip(&other.sizes) {
            size.blocks += more.blocks;
            size.bytes += more.bytes;
        }
        for (&owner, more) in &other.owners {
            let sum = self.owners.entry(owner).or_default();
            sum.0 += more.0;
            sum.1 += more.1;
        }
    }
}

/// The sums of all stretches.
#[derive(Debug, Default)]
pub(crate) struct AllSums(Pyramid<Sums>);

impl AllSums {
    pub(crate) fn new(events: &[Event], blocks: &[Block], owners: &[u32]) -> Self {
        let stretches = events.chunks_exact(STRETCH).map(|stretch| {
            let mut sums = Sums::default();
            for &event in stretch {
                sums.add_event(event, blocks, owners);
            }
            sums
        });
        Self(Pyramid::new(stretches.collect(), |parts| {
            let mut sums = Sums::default();
            for part in parts {
                sums.add(part);
            }
            sums
        }))
    }

    /// The sums of the events from `first` to before `last`, and how many events and stretches were visited for it.
    pub(crate) fn between(
        &self,
        (events, blocks, owners): (&[Event], &[Block], &[u32]),
        first: usize,
        last: usize,
    ) -> (Sums, usize) {
        let mut sums = Sums::default();
        let whole = first.div_ceil(STRETCH)..last / STRETCH;
        let mut visited = 0;
        let mut walk = |sums: &mut Sums, from: usize, to: usize| {
            for &event in &events[from..to] {
                sums.add_event(event, blocks, owners);
            }
            visited += to - from;
        };
        if whole.is_empty() {
            walk(&mut sums, first, last);
        } else {
            walk(&mut sums, first, whole.start * STRETCH);
            walk(&mut sums, whole.end * STRETCH, last);
            visited += self.0.visit(whole.start, whole.end, |part| sums.add(part));
        }
        (sums, visited)
    }
}
