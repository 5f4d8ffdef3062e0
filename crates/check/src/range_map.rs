//! A map from byte ranges to values.
//!
//! Most blocks are accessed as a whole, so most maps have one entry. A block that is accessed in very many small
//! parts exceeds a limit: then [`RangeMap::full`] is true, and judges report nothing about it.

/// Values for the bytes from 0 to some length.
#[derive(Debug, Clone)]
pub(crate) struct RangeMap<T> {
    /// Ends and the values up to there; ascending, the last end is the length.
    pieces: Vec<(u64, T)>,
    full: bool,
}

/// The most entries: an image of 16,384 rows needs 32,769.
const MOST: usize = 1 << 16;

impl<T: Clone + PartialEq> RangeMap<T> {
    /// The same value for all bytes.
    pub(crate) fn new(length: u64, all: T) -> Self {
        Self {
            pieces: vec![(length, all)],
            full: false,
        }
    }

    /// Whether there were too many entries, so that the map is useless.
    pub(crate) fn full(&self) -> bool {
        self.full
    }

    /// The number of entries.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The entries of a part: their bytes inside the part, and their values.
    pub(crate) fn look(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, &T)> {
        let first = self.index(start);
        let mut from = self.start_of(first);
        self.pieces[first.min(self.pieces.len())..]
            .iter()
            .map(move |(until, known)| {
                let piece = (from.max(start), (*until).min(end), known);
                from = *until;
                piece
            })
            .take_while(move |(from, _, _)| *from < end)
            .filter(|(from, until, _)| from < until)
    }

    /// Changes the values of a part. Equal neighbours are merged.
    pub(crate) fn change(&mut self, start: u64, end: u64, mut change: impl FnMut(&mut T)) {
        self.visit(start, end, |_, known| change(known));
    }

    /// The same, with the end of each entry of the part.
    pub(crate) fn visit(&mut self, start: u64, end: u64, mut change: impl FnMut(u64, &mut T)) {
        let end = end.min(self.length());
        if start >= end || self.full {
            return;
        }
        // Nearly always: the part is one whole piece.
        let first = self.index(start);
        if self.start_of(first) == start && self.pieces[first].0 == end && self.pieces.len() == 1 {
            change(end, &mut self.pieces[first].1);
            return;
        }
        self.cut(start);
        self.cut(end);
        let (first, last) = (self.index(start), self.index(end - 1));
        for (until, known) in &mut self.pieces[first..=last] {
            change(*until, known);
        }
        self.merge(first.saturating_sub(1), last + 1);
        self.bound();
    }

    /// Gives everything up where there are too many.
    fn bound(&mut self) {
        if self.pieces.len() > MOST {
            self.full = true;
            self.pieces.truncate(1);
            self.pieces.shrink_to_fit();
        }
    }

    /// Changes what is known of many parts, which ascend and do not overlap, in one go. `change` gets the number of the
    /// part, and from where to where a piece of it reaches.
    pub(crate) fn visit_all(
        &mut self,
        parts: impl Iterator<Item = (u64, u64)>,
        mut change: impl FnMut(usize, (u64, u64), &mut T),
    ) {
        if self.full {
            return;
        }
        let length = self.length();
        let mut before = std::mem::take(&mut self.pieces).into_iter();
        let mut after = Joined(Vec::with_capacity(before.len()));
        let mut from = 0;
        let mut piece = before.next();
        for (number, (start, end)) in parts.enumerate() {
            let end = end.min(length);
            while from < end
                && let Some((until, known)) = &piece
            {
                let until = *until;
                if from >= start {
                    // Inside the part.
                    let stop = until.min(end);
                    let mut known = known.clone();
                    change(number, (from, stop), &mut known);
                    after.push(stop, known);
                    from = stop;
                } else {
                    let stop = until.min(start);
                    after.push(stop, known.clone());
                    from = stop;
                }
                if from == until {
                    piece = before.next();
                }
            }
        }
        for (until, known) in piece.into_iter().chain(before) {
            after.push(until, known);
        }
        self.pieces = after.0;
        self.bound();
    }

    /// Bytes of memory that this state takes.
    pub(crate) fn state_bytes(&self) -> u64 {
        (self.pieces.capacity() * size_of::<(u64, T)>()) as u64
    }

    fn length(&self) -> u64 {
        self.pieces.last().map_or(0, |(end, _)| *end)
    }

    /// The piece that contains a byte.
    fn index(&self, at: u64) -> usize {
        self.pieces.partition_point(|(end, _)| *end <= at)
    }

    fn start_of(&self, index: usize) -> u64 {
        match index.checked_sub(1) {
            Some(before) => self.pieces[before.min(self.pieces.len() - 1)].0,
            None => 0,
        }
    }

    /// Makes a piece end at a byte.
    fn cut(&mut self, at: u64) {
        let index = self.index(at);
        if at == 0 || index >= self.pieces.len() || self.start_of(index) == at {
            return;
        }
        let known = self.pieces[index].1.clone();
        self.pieces.insert(index, (at, known));
    }

    /// Joins equal neighbours among the pieces from `first` to `last`.
    fn merge(&mut self, first: usize, last: usize) {
        let mut index = last.min(self.pieces.len() - 1);
        while index > first {
            if self.pieces[index - 1].1 == self.pieces[index].1 {
                self.pieces.remove(index - 1);
            }
            index -= 1;
        }
    }
}

/// New entries; equal neighbours are merged.
struct Joined<T>(Vec<(u64, T)>);

impl<T: PartialEq> Joined<T> {
    fn push(&mut self, until: u64, known: T) {
        match self.0.last_mut() {
            Some((end, last)) if *last == known => *end = until,
            _ => self.0.push((until, known)),
        }
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "the numbers are small")]
mod tests {
    use super::*;

    /// A simple generator: the same numbers on every run.
    fn next(state: &mut u64) -> u64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    #[test]
    fn pieces_say_the_same_as_bytes_would() {
        const LENGTH: u64 = 50;
        let mut state = 1;
        for _ in 0..200 {
            let mut ranges = RangeMap::new(LENGTH, 0_u64);
            let mut bytes = [0_u64; LENGTH as usize];
            for _ in 0..40 {
                let (a, b) = (next(&mut state) % LENGTH, next(&mut state) % (LENGTH + 5));
                let value = next(&mut state) % 3;
                ranges.change(a, b, |known| *known = value);
                for byte in a..b.min(LENGTH) {
                    bytes[byte as usize] = value;
                }
                let (from, until) = (next(&mut state) % LENGTH, next(&mut state) % (LENGTH + 9));
                let mut seen = from;
                for (start, end, known) in ranges.look(from, until) {
                    assert_eq!(start, seen);
                    assert!((start..end).all(|byte| bytes[byte as usize] == *known));
                    seen = end;
                }
                assert_eq!(seen, until.min(LENGTH).max(from));
                let neighbours = ranges.pieces.windows(2);
                assert!(neighbours.into_iter().all(|two| two[0].1 != two[1].1));
            }
        }
    }

    #[test]
    fn many_parts_in_one_go_are_the_same_as_one_after_the_other() {
        const LENGTH: u64 = 60;
        let mut state = 7;
        for _ in 0..300 {
            let mut one = RangeMap::new(LENGTH, 0_u64);
            let mut all = RangeMap::new(LENGTH, 0_u64);
            for _ in 0..5 {
                let (width, gap) = (next(&mut state) % 5, next(&mut state) % 5);
                let (start, rows) = (next(&mut state) % 20, next(&mut state) % 12);
                let value = next(&mut state) % 3;
                let parts = (0..rows).map(|row| {
                    let start = start + row * (width + gap);
                    (start, start + width)
                });
                for (start, end) in parts.clone() {
                    one.change(start, end, |known| *known = *known * 3 + value);
                }
                all.visit_all(parts, |_, _, known| *known = *known * 3 + value);
                assert_eq!(one.pieces, all.pieces);
            }
        }
    }

    #[test]
    fn too_many_pieces_are_given_up() {
        let mut ranges = RangeMap::new(1 << 20, 0);
        for piece in 0..=MOST as u64 {
            ranges.change(piece * 2, piece * 2 + 1, |known| *known = 1);
        }
        assert!(ranges.full());
        assert!(ranges.state_bytes() < 1000);
    }
}
