//! How much of each row of addresses was held, over time: the shades of the picture of blocks.
//!
//! The addresses of a band are cut into [`ROWS`] rows. For every row the bytes held, summed over time, are known at every
//! [`STEP`]th event. What a row held between two moments is the difference of two such sums, so an answer walks at most one step for each of
//! its edges, however long the time between them is. All sums are whole numbers: nothing is rounded, and what is not held is exactly 0.

use crate::index::{Block, Event, Index, What};

/// Rows of one picture.
pub const ROWS: usize = 96;
/// Events between two known sums.
const STEP: usize = 1024;

/// A part of all heights, cut into rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Rows {
    fn edge(self, row: usize) -> u64 {
        let height = u128::from(self.high - self.low);
        // At most `height`.
        u64::try_from((row as u128 * height).div_ceil(ROWS as u128)).unwrap_or(u64::MAX)
    }

    fn row(self, above_low: u64) -> usize {
        let height = (self.high - self.low).max(1);
        let row = match above_low.checked_mul(ROWS as u64) {
            Some(product) => product / height,
            None => u64::try_from(u128::from(above_low) * ROWS as u128 / u128::from(height))
                .unwrap_or(u64::MAX),
        };
        usize::try_from(row).unwrap_or(ROWS).min(ROWS - 1)
    }

    /// The bytes of a row.
    pub(crate) fn bytes(self, row: usize) -> u64 {
        self.edge(row + 1) - self.edge(row)
    }

    /// Calls `visit` with each row that a block lies in, and how many of its bytes lie there.
    pub(crate) fn of(self, bottom: u64, bytes: u64, mut visit: impl FnMut(usize, u64)) {
        let begin = bottom.max(self.low);
        let end = bottom.saturating_add(bytes).min(self.high);
        if begin >= end {
            return;
        }
        let (begin, end) = (begin - self.low, end - self.low);
        let (first, last) = (self.row(begin), self.row(end - 1));
        if first == last {
            visit(first, end - begin);
            return;
        }
        for row in first..=last {
            let part = end.min(self.edge(row + 1)) - begin.max(self.edge(row));
            visit(row, part);
        }
    }
}

/// The state after some events.
#[derive(Clone, Debug)]
struct State {
    time: u64,
    /// Bytes held now.
    held: Vec<u64>,
    /// Bytes held, times nanoseconds, up to `since`.
    sums: Vec<u128>,
    /// Until when each sum counts.
    since: Vec<u64>,
}

impl State {
    fn begin(time: u64) -> Self {
        Self {
            time,
            held: vec![0; ROWS],
            sums: vec![0; ROWS],
            since: vec![time; ROWS],
        }
    }

    fn copy_from(&mut self, other: &Known) {
        self.time = other.time;
        self.held.copy_from_slice(&other.held);
        self.sums.copy_from_slice(&other.sums);
        self.since.fill(other.time);
    }

    fn advance(&mut self, row: usize, time: u64) {
        self.sums[row] += u128::from(self.held[row]) * u128::from(time - self.since[row]);
        self.since[row] = time;
    }

    fn apply(&mut self, rows: Rows, time: u64, what: What, bottom: u64, bytes: u64) {
        self.time = time;
        if what == What::Freed {
            return;
        }
        rows.of(bottom, bytes, |row, part| {
            self.advance(row, time);
            if what == What::Allocated {
                self.held[row] += part;
            } else {
                self.held[row] -= part;
            }
        });
    }

    fn advance_all(&mut self, time: u64) {
        for row in 0..ROWS {
            self.advance(row, time);
        }
        self.time = time;
    }
}

/// What is known before one event of every step.
#[derive(Debug)]
struct Known {
    time: u64,
    held: Box<[u64]>,
    sums: Box<[u128]>,
    /// Allocations, and blocks that became reusable, before it.
    begun: u64,
    ended: u64,
}

/// The sums of one band.
#[derive(Debug)]
pub(crate) struct Held {
    rows: Rows,
    known: Vec<Known>,
}

/// Events of a band and their times.
#[derive(Clone, Copy)]
pub(crate) struct Events<'a> {
    pub(crate) times: &'a [u64],
    pub(crate) events: &'a [Event],
}

impl Held {
    pub(crate) fn new(index: &Index, events: Events<'_>, rows: Rows) -> Self {
        let mut state = State::begin(index.span.0);
        let mut known = Vec::with_capacity(events.events.len() / STEP + 1);
        let (mut begun, mut ended) = (0, 0);
        for (place, (&event, &time)) in events.events.iter().zip(events.times).enumerate() {
            if place.is_multiple_of(STEP) {
                state.advance_all(state.time);
                known.push(Known {
                    time: state.time,
                    held: state.held.as_slice().into(),
                    sums: state.sums.as_slice().into(),
                    begun,
                    ended,
                });
            }
            let what = event.what();
            begun += u64::from(what == What::Allocated);
            ended += u64::from(what == What::Reusable);
            if what != What::Freed {
                let (bottom, block) = index.bottom(event.block());
                state.apply(rows, time, what, bottom, block.bytes);
            }
        }
        Self { rows, known }
    }

    /// Blocks that were allocated, and that became reusable, in the first events.
    fn count(&self, events: Events<'_>, first: usize) -> (u64, u64) {
        let Some(known) = self.known.get(first / STEP).or(self.known.last()) else {
            return (0, 0);
        };
        let begin = (first / STEP).min(self.known.len() - 1) * STEP;
        events.events[begin..first].iter().fold(
            (known.begun, known.ended),
            |(begun, ended), event| {
                let what = event.what();
                (
                    begun + u64::from(what == What::Allocated),
                    ended + u64::from(what == What::Reusable),
                )
            },
        )
    }

    /// How many blocks were held at some moment of a stretch of time.
    pub(crate) fn blocks_in(&self, events: Events<'_>, from: u64, to: u64) -> u64 {
        let (begun, _) = self.count(events, events.times.partition_point(|&time| time < to));
        let (_, ended) = self.count(events, events.times.partition_point(|&time| time <= from));
        begun.saturating_sub(ended)
    }

    /// Bytes times nanoseconds that each row held in each of the columns between `edges`, rows one after the other, and how many events
    /// were walked for it.
    pub(crate) fn cells(
        &self,
        index: &Index,
        events: Events<'_>,
        edges: &[u64],
    ) -> (Vec<u128>, usize) {
        let columns = edges.len().saturating_sub(1);
        let mut cells = vec![0; columns * ROWS];
        if self.known.is_empty() {
            return (cells, 0);
        }
        let mut walked = 0;
        let mut state = State::begin(index.span.0);
        let mut at = 0;
        let mut before = vec![0; ROWS];
        for (column, &edge) in edges.iter().enumerate() {
            let next = at + events.times[at..].partition_point(|&time| time < edge);
            let step = (next / STEP).min(self.known.len() - 1);
            if column == 0 || step * STEP > at {
                state.copy_from(&self.known[step]);
                at = step * STEP;
            }
            walked += next - at;
            for place in at..next {
                let event = events.events[place];
                let (bottom, block): (u64, &Block) = index.bottom(event.block());
                state.apply(
                    self.rows,
                    events.times[place],
                    event.what(),
                    bottom,
                    block.bytes,
                );
            }
            at = next;
            state.advance_all(edge.max(state.time));
            if column > 0 {
                for row in 0..ROWS {
                    cells[row * columns + column - 1] = state.sums[row] - before[row];
                }
            }
            before.copy_from_slice(&state.sums);
        }
        (cells, walked)
    }
}
