//! Two-level segregated fit: a block from the smallest class whose blocks are all large enough, in constant time.
//!
//! Sizes are classes: the power of two below, divided in 32 equal parts. A request is rounded up to the next class, so that any
//! block found there fits; the latest freed block of the class is taken, or of the next class that has one. Blocks are cut
//! exactly and free neighbours merge. One range for each stream, in units of 512 bytes, that grows by pages of 2 MiB, at least
//! 32 MiB at a time. Nothing goes back before the end.
//!
//! Source: Masmano, Ripoll, Crespo, Real: TLSF, a new dynamic memory allocator for real-time systems, 2004.

use super::MIB;
use super::per_stream::Arena;
use crate::fast_map::FastMap;

const UNIT_SHIFT: u32 = 9;
const PARTS_SHIFT: u32 = 5;
const PARTS: usize = 1 << PARTS_SHIFT;
const LEVELS: usize = 48;
const GROWTH: u64 = 32 * MIB;
const PAGE: u64 = 2 * MIB;

#[derive(Debug, Clone, Copy)]
struct Block {
    units: u64,
    free: bool,
    before: Option<u64>,
    behind: Option<u64>,
    /// Its place in its class, if it is free.
    place: usize,
}

/// The range of one stream. Starts are in units.
#[derive(Debug)]
pub struct Tlsf {
    blocks: FastMap<Block>,
    /// Free blocks of each class, the latest last.
    classes: Vec<Vec<u64>>,
    /// A bit for each class that has a block, and one for each level that has a class with one.
    parts: [u32; LEVELS],
    levels: u64,
    end: u64,
    last: Option<u64>,
    calls: u64,
}

/// The class that a block belongs to.
fn class(units: u64) -> (usize, usize) {
    let power = units.ilog2();
    if power < PARTS_SHIFT {
        // Below 32 units every size is a class.
        return (0, usize::try_from(units).unwrap_or(0));
    }
    let part = (units >> (power - PARTS_SHIFT)) & (PARTS as u64 - 1);
    let level = (power - PARTS_SHIFT + 1) as usize;
    (level, usize::try_from(part).unwrap_or(0))
}

/// The first class whose blocks are all large enough.
fn class_for(units: u64) -> (usize, usize) {
    let power = units.ilog2();
    if power < PARTS_SHIFT {
        return class(units);
    }
    let part = 1 << (power - PARTS_SHIFT);
    class(units + part - 1)
}

impl Tlsf {
    fn file(&mut self, start: u64, mut block: Block) {
        let (level, part) = class(block.units);
        let class = &mut self.classes[level * PARTS + part];
        block.free = true;
        block.place = class.len();
        class.push(start);
        self.parts[level] |= 1 << part;
        self.levels |= 1 << level;
        self.blocks.insert(start, block);
    }

    fn unfile(&mut self, block: &Block) {
        let (level, part) = class(block.units);
        let class = &mut self.classes[level * PARTS + part];
        class.swap_remove(block.place);
        if let Some(moved) = class
            .get(block.place)
            .and_then(|at| self.blocks.get_mut(at))
        {
            moved.place = block.place;
        }
        if class.is_empty() {
            self.parts[level] &= !(1 << part);
            if self.parts[level] == 0 {
                self.levels &= !(1 << level);
            }
        }
    }

    fn find(&self, units: u64) -> Option<u64> {
        let (mut level, part) = class_for(units);
        let mut parts = self.parts[level] & (u32::MAX << part);
        if parts == 0 {
            let levels = self.levels & u64::MAX.checked_shl(u32::try_from(level).ok()? + 1)?;
            if levels == 0 {
                return None;
            }
            level = levels.trailing_zeros() as usize;
            parts = self.parts[level];
        }
        let part = parts.trailing_zeros() as usize;
        self.classes[level * PARTS + part].last().copied()
    }

    fn grow(&mut self, bytes: u64) -> Option<u64> {
        let more = bytes.max(GROWTH).checked_next_multiple_of(PAGE)? >> UNIT_SHIFT;
        let start = self.end;
        self.end += more;
        self.calls += 1;
        let before = self.last.replace(start);
        if let Some(before) = before.and_then(|at| self.blocks.get_mut(&at)) {
            before.behind = Some(start);
        }
        let block = Block {
            units: more,
            free: false,
            before,
            behind: None,
            place: 0,
        };
        self.blocks.insert(start, block);
        Some(self.release(start))
    }

    /// Frees a block and merges it. Returns where it starts then.
    fn release(&mut self, mut start: u64) -> u64 {
        let Some(mut block) = self.blocks.remove(&start) else {
            return start;
        };
        for neighbour in [block.before, block.behind].into_iter().flatten() {
            let Some(other) = self.blocks.get(&neighbour).copied().filter(|it| it.free) else {
                continue;
            };
            self.unfile(&other);
            self.blocks.remove(&neighbour);
            block.units += other.units;
            if neighbour < start {
                start = neighbour;
                block.before = other.before;
            } else {
                block.behind = other.behind;
            }
        }
        self.link(start, &block);
        self.file(start, block);
        start
    }

    fn link(&mut self, start: u64, block: &Block) {
        if let Some(before) = block.before.and_then(|at| self.blocks.get_mut(&at)) {
            before.behind = Some(start);
        }
        match block.behind.and_then(|at| self.blocks.get_mut(&at)) {
            Some(behind) => behind.before = Some(start),
            None => self.last = Some(start),
        }
    }
}

impl Arena for Tlsf {
    fn new() -> Result<Self, String> {
        Ok(Self {
            blocks: FastMap::default(),
            classes: vec![Vec::new(); LEVELS * PARTS],
            parts: [0; LEVELS],
            levels: 0,
            end: 0,
            last: None,
            calls: 0,
        })
    }

    fn alloc(&mut self, bytes: u64) -> Option<u64> {
        if bytes > 1 << 48 {
            return None;
        }
        let units = bytes.max(1).div_ceil(1 << UNIT_SHIFT);
        let start = match self.find(units) {
            Some(start) => start,
            None => self.grow(units << UNIT_SHIFT)?,
        };
        let whole = *self.blocks.get(&start)?;
        self.unfile(&whole);
        let block = Block {
            units,
            free: false,
            behind: (whole.units > units)
                .then_some(start + units)
                .or(whole.behind),
            ..whole
        };
        self.blocks.insert(start, block);
        if whole.units > units {
            let rest = Block {
                units: whole.units - units,
                before: Some(start),
                ..whole
            };
            self.link(start + units, &rest);
            self.file(start + units, rest);
        }
        Some(start << UNIT_SHIFT)
    }

    fn free(&mut self, start: u64) {
        self.release(start >> UNIT_SHIFT);
    }

    fn trim(&mut self) {
        if self.blocks.len() == 1
            && let Some((&start, &block)) = self.blocks.iter().next()
            && block.free
            && start == 0
        {
            self.unfile(&block);
            self.blocks.clear();
            (self.end, self.last) = (0, None);
            self.calls += 1;
        }
    }

    fn device_calls(&self) -> u64 {
        self.calls
    }

    fn reserved(&self) -> u64 {
        self.end << UNIT_SHIFT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: u64 = 512;

    #[test]
    fn classes_are_32_parts_of_a_power_of_two() {
        let rows = [
            (1, (0, 1), (0, 1)),
            (31, (0, 31), (0, 31)),
            (32, (1, 0), (1, 0)),
            (63, (1, 31), (1, 31)),
            (64, (2, 0), (2, 0)),
            // 65 and 66 share a class; only the next one holds nothing smaller than 66.
            (65, (2, 0), (2, 1)),
            (127, (2, 31), (3, 0)),
        ];
        for (units, own, from) in rows {
            assert_eq!((class(units), class_for(units)), (own, from), "{units}");
        }
    }

    #[test]
    fn the_class_above_is_searched_although_the_own_one_has_a_block_that_fits() {
        let mut arena = Tlsf::new().unwrap();
        let first = arena.alloc(65 * UNIT).unwrap();
        let second = arena.alloc(UNIT).unwrap();
        assert_eq!((first, second), (0, 65 * UNIT));
        arena.free(first);
        // The hole has just this size, but its class also has smaller blocks, so the end is cut.
        assert_eq!(arena.alloc(65 * UNIT), Some(66 * UNIT));
        // 64 units are a class of their own: the hole is found.
        assert_eq!(arena.alloc(64 * UNIT), Some(0));
        assert_eq!((arena.reserved(), arena.device_calls()), (32 * MIB, 1));
    }

    #[test]
    fn everything_merges_again() {
        let mut arena = Tlsf::new().unwrap();
        let starts: Vec<u64> = (1..40)
            .map(|it| arena.alloc(it * 300_000).unwrap())
            .collect();
        for start in starts
            .iter()
            .step_by(2)
            .chain(starts.iter().skip(1).step_by(2))
        {
            arena.free(*start);
        }
        assert_eq!(arena.blocks.len(), 1);
        arena.trim();
        assert_eq!(arena.reserved(), 0);
    }

    #[test]
    fn it_grows_by_32_mib_or_by_the_request() {
        let mut arena = Tlsf::new().unwrap();
        arena.alloc(1).unwrap();
        assert_eq!(arena.reserved(), 32 * MIB);
        // 31.9 MiB are free, which is not enough: the whole request is new.
        arena.alloc(33 * MIB).unwrap();
        assert_eq!(arena.reserved(), 66 * MIB);
    }
}
