//! Registered regions whose bytes become undefined when they are unregistered.

use std::collections::{BTreeMap, HashSet};

use millpond_trace::{Bytes, DomainRef, NumberMap, RegionRef};

/// How many regions are remembered. Later ones are unknown.
const MOST: usize = 1 << 16;

/// How many regions are compared with one that is unregistered.
const COMPARED: usize = 64;

/// The registered regions.
#[derive(Debug, Default)]
pub(super) struct RegisteredRegions {
    live: NumberMap<RegionRef, (DomainRef, Bytes)>,
    by_start: BTreeMap<(u64, RegionRef), u64>,
    /// The longest that there ever was.
    longest: u64,
    /// Domains whose registrations violate the documentation.
    strange: HashSet<DomainRef>,
    pub(super) dropped_facts: u64,
}

impl RegisteredRegions {
    pub(super) fn add(&mut self, region: RegionRef, domain: DomainRef, range: Bytes) {
        if self.strange.contains(&domain) {
            return;
        }
        if self.live.len() == MOST {
            self.dropped_facts += 1;
            return;
        }
        self.longest = self.longest.max(range.bytes);
        self.live.insert(region, (domain, range));
        self.by_start.insert((range.start, region), range.bytes);
    }

    /// The bytes of a region that is unregistered, if they belong to nothing else.
    pub(super) fn remove(&mut self, region: RegionRef) -> Option<Bytes> {
        let (_, range) = self.live.remove(&region)?;
        self.by_start.remove(&(range.start, region));
        (!self.overlaps(range)).then_some(range)
    }

    /// The registrations of the domain are ignored.
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

    pub(super) fn state_bytes(&self) -> u64 {
        (self.live.capacity() * 40 + self.by_start.len() * 32) as u64
    }
}
