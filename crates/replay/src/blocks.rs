//! Ranges cut into blocks, with lists of the free ones: what most policies here are made of.
//!
//! A range is added whole. Its blocks know their neighbours, so a block that changes its state merges with neighbours of the
//! same state in constant time. Blocks of different ranges never merge, even if they lie side by side.

use std::collections::BTreeSet;

use crate::fast_map::FastMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Used,
    Free,
    /// Addresses without memory behind them.
    Bare,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) bytes: u64,
    pub(crate) list: usize,
    pub(crate) state: State,
    pub(crate) before: Option<u64>,
    pub(crate) behind: Option<u64>,
}

/// Free blocks by size, then by address, and bare ones by address.
#[derive(Debug, Default)]
struct List {
    free: BTreeSet<(u64, u64)>,
    bare: BTreeSet<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct Blocks {
    by_start: FastMap<Block>,
    lists: Vec<List>,
}

impl Blocks {
    /// Makes sure that lists up to this one are there.
    pub(crate) fn open(&mut self, list: usize) {
        if self.lists.len() <= list {
            self.lists.resize_with(list + 1, List::default);
        }
    }

    pub(crate) fn lists(&self) -> usize {
        self.lists.len()
    }

    pub(crate) fn get(&self, start: u64) -> Option<Block> {
        self.by_start.get(&start).copied()
    }

    /// A new range, as one block.
    pub(crate) fn add(&mut self, list: usize, start: u64, bytes: u64, state: State) {
        self.open(list);
        let block = Block {
            bytes,
            list,
            state,
            before: None,
            behind: None,
        };
        self.file(start, &block);
        self.by_start.insert(start, block);
    }

    /// Lengthens the range that ends with the block at `last`: the new part is a block behind it, free and merged with it if that
    /// is free. Returns where the free block starts.
    pub(crate) fn append(&mut self, last: u64, start: u64, bytes: u64) -> u64 {
        let Some(before) = self.by_start.get_mut(&last) else {
            return start;
        };
        before.behind = Some(start);
        let block = Block {
            bytes,
            list: before.list,
            state: State::Used,
            before: Some(last),
            behind: None,
        };
        self.by_start.insert(start, block);
        self.change(start, State::Free)
    }

    /// Free blocks of a list with at least as many bytes, the best fit first, as bytes and start.
    pub(crate) fn fitting(&self, list: usize, bytes: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let list = self.lists.get(list);
        list.into_iter()
            .flat_map(move |list| list.free.range((bytes, 0)..).copied())
    }

    /// All free blocks of a list, the smallest first, as bytes and start.
    pub(crate) fn free(&self, list: usize) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.lists[list].free.iter().copied()
    }

    /// Bare blocks of a list in the order of their addresses.
    pub(crate) fn bare(&self, list: usize) -> impl Iterator<Item = u64> + '_ {
        self.lists[list].bare.iter().copied()
    }

    fn file(&mut self, start: u64, block: &Block) {
        let list = &mut self.lists[block.list];
        match block.state {
            State::Used => {}
            State::Free => {
                list.free.insert((block.bytes, start));
            }
            State::Bare => {
                list.bare.insert(start);
            }
        }
    }

    fn unfile(&mut self, start: u64, block: &Block) {
        let list = &mut self.lists[block.list];
        match block.state {
            State::Used => {}
            State::Free => {
                list.free.remove(&(block.bytes, start));
            }
            State::Bare => {
                list.bare.remove(&start);
            }
        }
    }

    /// Gives a block another state and merges it with neighbours of the same, unless they are in use. Returns where it starts then.
    pub(crate) fn change(&mut self, start: u64, state: State) -> u64 {
        let Some(block) = self.by_start.get_mut(&start) else {
            return start;
        };
        let was = *block;
        block.state = state;
        let now = *block;
        self.unfile(start, &was);
        if state != State::Used {
            let same = |at: &u64| self.by_start.get(at).is_some_and(|it| it.state == state);
            let (before, behind) = (now.before.filter(same), now.behind.filter(same));
            if before.is_some() || behind.is_some() {
                return self.merge(before, start, behind);
            }
        }
        self.file(start, &now);
        start
    }

    /// Makes one block of neighbours of the same state; the one in the middle is in no list.
    fn merge(&mut self, before: Option<u64>, middle: u64, behind: Option<u64>) -> u64 {
        let Some(mut whole) = self.by_start.remove(&middle) else {
            return middle;
        };
        let mut start = middle;
        for neighbour in [before, behind].into_iter().flatten() {
            let Some(other) = self.by_start.remove(&neighbour) else {
                continue;
            };
            self.unfile(neighbour, &other);
            whole.bytes += other.bytes;
            if neighbour < middle {
                start = neighbour;
                whole.before = other.before;
            } else {
                whole.behind = other.behind;
            }
        }
        self.link(start, &whole);
        self.file(start, &whole);
        self.by_start.insert(start, whole);
        start
    }

    /// Divides a block in two of the same state, the first with as many bytes. Returns where the second starts.
    pub(crate) fn split(&mut self, start: u64, bytes: u64) -> u64 {
        let second = start + bytes;
        let Some(whole) = self.by_start.get(&start).copied() else {
            return second;
        };
        debug_assert!(0 < bytes && bytes < whole.bytes);
        self.unfile(start, &whole);
        let first = Block {
            bytes,
            behind: Some(second),
            ..whole
        };
        let rest = Block {
            bytes: whole.bytes - bytes,
            before: Some(start),
            ..whole
        };
        self.link(second, &rest);
        for (at, block) in [(start, first), (second, rest)] {
            self.file(at, &block);
            self.by_start.insert(at, block);
        }
        second
    }

    /// Cuts a block that is in use to as many bytes, and frees the rest.
    pub(crate) fn cut(&mut self, start: u64, bytes: u64) {
        let rest = self.split(start, bytes);
        self.change(rest, State::Free);
    }

    /// Tells the neighbours where the block starts.
    fn link(&mut self, start: u64, block: &Block) {
        if let Some(before) = block.before.and_then(|at| self.by_start.get_mut(&at)) {
            before.behind = Some(start);
        }
        if let Some(behind) = block.behind.and_then(|at| self.by_start.get_mut(&at)) {
            behind.before = Some(start);
        }
    }

    /// Removes a whole range that is one free block. Returns its bytes, or `None` if it is not.
    pub(crate) fn remove_whole(&mut self, start: u64) -> Option<u64> {
        let block = self.get(start)?;
        let whole = block.state == State::Free && block.before.is_none() && block.behind.is_none();
        whole.then(|| {
            self.unfile(start, &block);
            self.by_start.remove(&start);
            block.bytes
        })
    }

    /// The free blocks that are whole ranges.
    pub(crate) fn whole_ranges(&self) -> Vec<u64> {
        let whole = |(_, start): &(u64, u64)| {
            self.get(*start)
                .is_some_and(|it| it.before.is_none() && it.behind.is_none())
        };
        (0..self.lists())
            .flat_map(|list| self.free(list).filter(whole))
            .map(|(_, start)| start)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_the_same_state_merge_inside_a_range_only() {
        let mut blocks = Blocks::default();
        blocks.add(0, 0, 100, State::Used);
        blocks.add(0, 100, 50, State::Free);
        blocks.cut(0, 30);
        assert_eq!(blocks.fitting(0, 60).collect::<Vec<_>>(), [(70, 30)]);
        assert_eq!(blocks.change(0, State::Free), 0);
        assert_eq!(blocks.free(0).collect::<Vec<_>>(), [(50, 100), (100, 0)]);
        assert_eq!(blocks.whole_ranges(), [100, 0]);
        assert_eq!(blocks.remove_whole(0), Some(100));
        assert_eq!(blocks.remove_whole(0), None);
    }

    #[test]
    fn a_block_between_two_free_ones_joins_both() {
        let mut blocks = Blocks::default();
        blocks.add(0, 0, 90, State::Used);
        for start in [0, 30] {
            blocks.split(start, 30);
        }
        blocks.change(0, State::Free);
        blocks.change(60, State::Free);
        assert_eq!(blocks.free(0).count(), 2);
        assert_eq!(blocks.change(30, State::Free), 0);
        assert_eq!(blocks.free(0).collect::<Vec<_>>(), [(90, 0)]);
    }

    #[test]
    fn a_range_is_lengthened_behind_its_last_block() {
        let mut blocks = Blocks::default();
        blocks.add(0, 0, 40, State::Used);
        assert_eq!(blocks.append(0, 40, 20), 40);
        assert_eq!(blocks.append(40, 60, 20), 40);
        assert_eq!(blocks.free(0).collect::<Vec<_>>(), [(40, 40)]);
        blocks.change(0, State::Free);
        assert_eq!(blocks.free(0).collect::<Vec<_>>(), [(80, 0)]);
    }

    #[test]
    fn bare_addresses_are_found_by_address_and_do_not_merge_with_free_bytes() {
        let mut blocks = Blocks::default();
        blocks.add(1, 0, 100, State::Bare);
        let rest = blocks.split(0, 40);
        blocks.change(0, State::Free);
        assert_eq!(blocks.bare(1).collect::<Vec<_>>(), [rest]);
        assert_eq!(blocks.fitting(1, 1).collect::<Vec<_>>(), [(40, 0)]);
        assert_eq!(blocks.change(0, State::Bare), 0);
        assert_eq!(blocks.get(0).map(|it| it.bytes), Some(100));
    }
}
