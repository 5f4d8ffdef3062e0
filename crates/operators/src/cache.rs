//! Things that were made for requests, found again without copying the request.

use crate::key::{First, Hashed, Second};
use crate::{Asked, Request};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Numbers of slots by the hash of what is in them. Different things with the same hash share a list.
type Index = HashMap<u64, Vec<usize>, BuildHasherDefault<Hashed>>;

/// Requests with the same first key, and everything that was ever asked about one of them.
#[derive(Debug)]
struct Family {
    key: First,
    hash: u64,
    asked: Asked,
    entries: usize,
}

#[derive(Debug)]
struct Entry<V> {
    family: usize,
    key: Second,
    hash: u64,
    value: V,
    /// Neighbours in the order of use; towards the newest, towards the oldest.
    newer: Option<usize>,
    older: Option<usize>,
}

/// What was made for requests, by what it depends on; the least recently used goes first.
///
/// The rule: all entries of a first key are filed under the values of everything that was *ever* asked for
/// under that key. When a new entry asked for more than the others, those were filed under too little and
/// are dropped; they are made again when they are needed.
#[derive(Debug)]
pub struct Cache<V> {
    capacity: usize,
    family_of: Index,
    entry_of: Index,
    families: Slab<Family>,
    entries: Slab<Entry<V>>,
    newest: Option<usize>,
    oldest: Option<usize>,
}

impl<V> Cache<V> {
    /// A cache for up to `capacity` things, and at least one.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            family_of: Index::default(),
            entry_of: Index::default(),
            families: Slab::default(),
            entries: Slab::default(),
            newest: None,
            oldest: None,
        }
    }

    /// How many things it holds.
    pub fn len(&self) -> usize {
        self.entries.len
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many things it may hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Changes how many things it may hold, at least one; returns what does not fit any more.
    pub fn set_capacity(&mut self, capacity: usize) -> Vec<V> {
        self.capacity = capacity.max(1);
        self.shrink_to(self.capacity)
    }

    /// What was made for a request like this one. Nothing is copied or allocated.
    pub fn get(&mut self, request: &Request) -> Option<&V> {
        let (family, _) = self.family(request);
        let slot = self.entry(request, family?)?;
        self.unlink(slot);
        self.link_newest(slot);
        self.entries.get(slot).map(|entry| &entry.value)
    }

    /// Keeps `value` for requests that differ from `request` only in what was not `asked` for. Returns what
    /// had to go for it.
    pub fn insert(&mut self, request: &Request, asked: Asked, value: V) -> Vec<V> {
        let mut gone = Vec::new();
        let (found, hash) = self.family(request);
        let family = found.unwrap_or_else(|| {
            let slot = self.families.add(Family {
                key: First::of(request),
                hash,
                asked,
                entries: 0,
            });
            self.family_of.entry(hash).or_default().push(slot);
            slot
        });
        let known = self.families.get(family).map_or(asked, |it| it.asked);
        let all = known.union(asked);
        if all != known {
            // The family must outlive its entries here, so it holds on to itself.
            if let Some(it) = self.families.get_mut(family) {
                it.asked = all;
                it.entries += 1;
            }
            let slots = self.entries.slots();
            for slot in slots {
                if self.entries.get(slot).is_some_and(|it| it.family == family) {
                    gone.extend(self.remove(slot));
                }
            }
            if let Some(it) = self.families.get_mut(family) {
                it.entries -= 1;
            }
        }
        if let Some(slot) = self.entry(request, family) {
            self.unlink(slot);
            self.link_newest(slot);
            if let Some(entry) = self.entries.get_mut(slot) {
                gone.push(std::mem::replace(&mut entry.value, value));
            }
            return gone;
        }
        if let Some(it) = self.families.get_mut(family) {
            it.entries += 1;
        }
        gone.extend(self.shrink_to(self.capacity - 1));
        let hash = Second::hash(request, all, family);
        let slot = self.entries.add(Entry {
            family,
            key: Second::of(request, all),
            hash,
            value,
            newer: None,
            older: None,
        });
        self.entry_of.entry(hash).or_default().push(slot);
        self.link_newest(slot);
        gone
    }

    /// Forgets everything and returns it.
    pub fn clear(&mut self) -> Vec<V> {
        self.shrink_to(0)
    }

    /// The family of a request if there is one, and the hash of its key.
    fn family(&self, request: &Request) -> (Option<usize>, u64) {
        let hash = First::hash(request);
        let slots = self.family_of.get(&hash).into_iter().flatten();
        let found = slots.copied().find(|slot| {
            let family = self.families.get(*slot);
            family.is_some_and(|it| it.key.matches(request))
        });
        (found, hash)
    }

    fn entry(&self, request: &Request, family: usize) -> Option<usize> {
        let asked = self.families.get(family)?.asked;
        let hash = Second::hash(request, asked, family);
        let slots = self.entry_of.get(&hash)?.iter().copied();
        slots.into_iter().find(|slot| {
            let entry = self.entries.get(*slot);
            entry.is_some_and(|it| it.family == family && it.key.matches(request, asked))
        })
    }

    fn shrink_to(&mut self, len: usize) -> Vec<V> {
        let mut gone = Vec::new();
        while self.len() > len {
            let Some(slot) = self.oldest else { break };
            gone.extend(self.remove(slot));
        }
        gone
    }

    /// Takes an entry out, and its family with it if it was the last one.
    fn remove(&mut self, slot: usize) -> Option<V> {
        self.unlink(slot);
        let entry = self.entries.take(slot)?;
        forget(&mut self.entry_of, entry.hash, slot);
        if let Some(family) = self.families.get_mut(entry.family) {
            family.entries -= 1;
            if family.entries == 0 {
                let hash = family.hash;
                forget(&mut self.family_of, hash, entry.family);
                self.families.take(entry.family);
            }
        }
        Some(entry.value)
    }

    fn unlink(&mut self, slot: usize) {
        let Some(entry) = self.entries.get_mut(slot) else {
            return;
        };
        let (newer, older) = (entry.newer.take(), entry.older.take());
        match newer.and_then(|slot| self.entries.get_mut(slot)) {
            Some(neighbour) => neighbour.older = older,
            None if self.newest == Some(slot) => self.newest = older,
            None => {}
        }
        match older.and_then(|slot| self.entries.get_mut(slot)) {
            Some(neighbour) => neighbour.newer = newer,
            None if self.oldest == Some(slot) => self.oldest = newer,
            None => {}
        }
    }

    fn link_newest(&mut self, slot: usize) {
        let before = self.newest.replace(slot);
        if let Some(entry) = self.entries.get_mut(slot) {
            entry.older = before;
        }
        match before.and_then(|slot| self.entries.get_mut(slot)) {
            Some(neighbour) => neighbour.newer = Some(slot),
            None => self.oldest = Some(slot),
        }
    }
}

fn forget(index: &mut Index, hash: u64, slot: usize) {
    if let Some(slots) = index.get_mut(&hash) {
        slots.retain(|other| *other != slot);
        if slots.is_empty() {
            index.remove(&hash);
        }
    }
}

/// Things at numbers that stay theirs until they are taken out.
#[derive(Debug)]
struct Slab<T> {
    slots: Vec<Option<T>>,
    free: Vec<usize>,
    len: usize,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            len: 0,
        }
    }
}

impl<T> Slab<T> {
    fn add(&mut self, thing: T) -> usize {
        self.len += 1;
        if let Some(slot) = self.free.pop() {
            self.slots[slot] = Some(thing);
            return slot;
        }
        self.slots.push(Some(thing));
        self.slots.len() - 1
    }

    fn get(&self, slot: usize) -> Option<&T> {
        self.slots.get(slot)?.as_ref()
    }

    fn get_mut(&mut self, slot: usize) -> Option<&mut T> {
        self.slots.get_mut(slot)?.as_mut()
    }

    fn take(&mut self, slot: usize) -> Option<T> {
        let thing = self.slots.get_mut(slot)?.take()?;
        self.len -= 1;
        self.free.push(slot);
        Some(thing)
    }

    fn slots(&self) -> std::ops::Range<usize> {
        0..self.slots.len()
    }
}

#[cfg(test)]
mod tests;
