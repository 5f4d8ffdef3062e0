//! Registered regions, as far as their bytes lose their content when they go.

use std::collections::{BTreeMap, HashSet};

use millpond_trace::{Bytes, DomainRef, NumberMap, RegionRef};

/// Regions that are remembered. Of later ones nothing is known.
const MOST: usize = 1 << 16;

/// Regions that are compared with one that goes.
const COMPARED: usize = 64;

/// Regions that are registered.
#[derive(Debug, Default)]
pub(super) struct Regions {
    live: NumberMap<RegionRef, (DomainRef, Bytes)>,
    by_start: BTreeMap<(u64, RegionRef), u64>,
    /// The longest that there ever was.
    longest: u64,
    /// Domains whose registrations are not what the documentation asks for.
    strange: HashSet<DomainRef>,
    pub(super) forgotten: u64,
}

impl Regions {
    pub(super) fn add(&mut self, region: RegionRef, domain: DomainRef, range: Bytes) {
        if self.strange.contains(&domain) {
            return;
        }
        if self.live.len() == MOST {
            self.forgotten += 1;
            return;
        }
        self.longest = self.longest.max(range.bytes);
        self.live.insert(region, (domain, range));
        self.by_start.insert((range.start, region), range.bytes);
    }

    /// The bytes of a region that goes, if they belong to nothing else.
    pub(super) fn remove(&mut self, region: RegionRef) -> Option<Bytes> {
        let (_, range) = self.live.remove(&region)?;
        self.by_start.remove(&(range.start, region));
        (!self.overlaps(range)).then_some(range)
    }

    /// What the domain registers says nothing.
    pub(super) fn distrust(&mut self, domain: DomainRef) {
        self.strange.insert(domain);
        let by_start = &mut self.by_start;
        self.live.retain(|region, (of, range)| {
            let stays = *of != domain;
            if !stays {
                by_start.remove(&(range.start, *region));
            }
            stays
        });
    }

    /// Whether another region has bytes in a range; also if there are too many to tell.
    fn overlaps(&self, range: Bytes) -> bool {
        let end = range.start.saturating_add(range.bytes);
        let first = range.start.saturating_sub(self.longest);
        let mut near = self.by_start.range((first, 0)..(end, 0));
        for _ in 0..COMPARED {
            match near.next_back() {
                None => return false,
                Some(((start, _), bytes)) if start.saturating_add(*bytes) > range.start => {
                    return true;
                }
                Some(_) => {}
            }
        }
        true
    }

    pub(super) fn books(&self) -> u64 {
        (self.live.capacity() * 40 + self.by_start.len() * 32) as u64
    }
}
