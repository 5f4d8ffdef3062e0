//! A part of the addresses with its levels of detail, and the few parts that are kept.
//!
//! The levels of all addresses are computed when a recording is read. Those of a smaller part are computed when it is first shown; the
//! latest few are kept.

use std::sync::{Arc, Mutex, PoisonError};

use crate::held::{Events, Held, Rows};
use crate::index::{Event, Index, What};
use crate::shelves::Shelves;
use crate::tile::Tile;

/// Parts that are kept, apart from the whole.
const KEPT: usize = 6;

/// One part.
#[derive(Debug)]
pub(crate) struct Band {
    pub(crate) rows: Rows,
    pub(crate) shelves: Shelves,
    pub(crate) held: Held,
    /// The events of its blocks; none for the whole, which has all events of the recording.
    own: Option<(Vec<u64>, Vec<Event>)>,
}

impl Band {
    fn rows(index: &Index, band: Tile) -> Rows {
        let height = u128::from(index.addresses.height());
        let edge = |number: u128| {
            u64::try_from(height * number / (1_u128 << band.level)).unwrap_or(u64::MAX)
        };
        Rows {
            low: edge(u128::from(band.number)),
            high: edge(u128::from(band.number) + 1),
        }
    }

    /// All addresses.
    pub(crate) fn whole(index: &Index) -> Self {
        let rows = Self::rows(
            index,
            Tile {
                level: 0,
                number: 0,
            },
        );
        let events = Events {
            times: &index.times,
            events: &index.events,
        };
        // A recording of ten million events has two cores for the two parts of this.
        let (shelves, held) = std::thread::scope(|scope| {
            let shelves = scope.spawn(|| Shelves::new(index, 0..index.blocks.len()));
            let held = Held::new(index, events, rows);
            // A panic there is one here.
            (shelves.join().unwrap_or_default(), held)
        });
        Self {
            rows,
            shelves,
            held,
            own: None,
        }
    }

    /// A part of them.
    fn part(index: &Index, band: Tile) -> Self {
        let rows = Self::rows(index, band);
        let mut inside = vec![0_u64; index.blocks.len().div_ceil(64)];
        let mut numbers = Vec::new();
        for number in 0..index.blocks.len() {
            let (bottom, block) = index.bottom(number);
            if bottom < rows.high && bottom.saturating_add(block.bytes) > rows.low {
                inside[number / 64] |= 1 << (number % 64);
                numbers.push(number);
            }
        }
        let mut own = (Vec::new(), Vec::new());
        for (&time, &event) in index.times.iter().zip(&index.events) {
            let block = event.block();
            if inside[block / 64] >> (block % 64) & 1 == 1 && event.what() != What::Freed {
                own.0.push(time);
                own.1.push(event);
            }
        }
        let events = Events {
            times: &own.0,
            events: &own.1,
        };
        Self {
            rows,
            shelves: Shelves::new(index, numbers.into_iter()),
            held: Held::new(index, events, rows),
            own: Some(own),
        }
    }

    pub(crate) fn events<'a>(&'a self, index: &'a Index) -> Events<'a> {
        match &self.own {
            Some((times, events)) => Events { times, events },
            None => Events {
                times: &index.times,
                events: &index.events,
            },
        }
    }
}

/// The level and the number of a part.
type Part = (u32, u64);

/// The parts that were shown latest, the latest one last.
#[derive(Debug, Default)]
pub(crate) struct Bands {
    whole: std::sync::OnceLock<Arc<Band>>,
    parts: Mutex<Vec<(Part, Arc<Band>)>>,
}

impl Bands {
    /// The levels of a part of the addresses.
    pub(crate) fn get(&self, index: &Index, band: Tile) -> Arc<Band> {
        if band.level == 0 {
            return Arc::clone(self.whole.get_or_init(|| Arc::new(Band::whole(index))));
        }
        let name = (band.level, band.number);
        // Computed under the lock: several questions about a new part come at once, and one answer serves them all.
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let found = parts.iter().position(|(one, _)| *one == name);
        let part = match found {
            Some(place) => parts.remove(place).1,
            None => Arc::new(Band::part(index, band)),
        };
        parts.push((name, Arc::clone(&part)));
        if parts.len() > KEPT {
            parts.remove(0);
        }
        part
    }
}
