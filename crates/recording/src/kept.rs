//! A source whose events are kept in memory, packed: what readers of foreign files produce.

use crate::builder::Lane;
use crate::error::Error;
use crate::event::Event;
use crate::source::{About, Notes, Source};
use crate::tables::Tables;

/// Events of one or several devices, merged by time while they are read.
#[derive(Debug)]
pub(crate) struct Kept {
    about: About,
    tables: Tables,
    notes: Notes,
    before: Vec<Event>,
    lanes: Vec<Playing>,
    /// Time of the first event, which becomes 0.
    base: u64,
    events: u64,
    read: u64,
}

/// A lane and how far it was read.
#[derive(Debug)]
struct Playing {
    lane: Lane,
    chunk: usize,
    ready: Vec<Event>,
    next: usize,
}

impl Playing {
    /// The next event, unpacked if it has to be.
    fn peek(&mut self) -> Option<Event> {
        if self.next == self.ready.len() {
            self.ready.clear();
            self.next = 0;
            if !self.lane.packed.unpack(self.chunk, &mut self.ready) {
                return None;
            }
            self.chunk += 1;
        }
        self.ready.get(self.next).copied()
    }
}

impl Kept {
    pub(crate) fn new(
        mut about: About,
        tables: Tables,
        notes: Notes,
        lanes: Vec<Lane>,
        unix: bool,
    ) -> Self {
        let base = lanes.iter().filter_map(Lane::first).min().unwrap_or(0);
        if unix {
            about.began_unix_ns = Some(base);
        } else if let Some(began) = &mut about.began_unix_ns {
            *began = began.saturating_add(base);
        }
        let mut before = Vec::new();
        let mut playing = Vec::new();
        for mut lane in lanes {
            lane.close();
            before.append(&mut lane.before_segments);
            playing.push(lane);
        }
        for lane in &mut playing {
            before.append(&mut lane.before_blocks);
        }
        for event in &mut before {
            event.time_ns = 0;
        }
        let lanes: Vec<_> = playing
            .into_iter()
            .map(|lane| Playing {
                lane,
                chunk: 0,
                ready: Vec::new(),
                next: 0,
            })
            .collect();
        let events = lanes
            .iter()
            .map(|playing| playing.lane.packed.events())
            .sum();
        Self {
            about,
            tables,
            notes,
            before,
            lanes,
            base,
            events,
            read: 0,
        }
    }
}

/// How many events of several lanes are delivered at once.
const AT_ONCE: usize = 1 << 13;

impl Source for Kept {
    fn about(&self) -> &About {
        &self.about
    }

    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn before(&self) -> &[Event] {
        &self.before
    }

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, Error> {
        let start = into.len();
        if let [one] = &mut self.lanes[..] {
            if one.lane.packed.unpack(one.chunk, into) {
                one.chunk += 1;
            }
        } else {
            while into.len() < start + AT_ONCE {
                let mut first: Option<(usize, u64)> = None;
                for (place, lane) in self.lanes.iter_mut().enumerate() {
                    if let Some(event) = lane.peek()
                        && first.is_none_or(|(_, time)| event.time_ns < time)
                    {
                        first = Some((place, event.time_ns));
                    }
                }
                let Some((place, _)) = first else { break };
                let lane = &mut self.lanes[place];
                into.push(lane.ready[lane.next]);
                lane.next += 1;
            }
        }
        for event in &mut into[start..] {
            event.time_ns -= self.base;
        }
        self.read += (into.len() - start) as u64;
        Ok(into.len() > start)
    }

    fn rewind(&mut self) -> Result<(), Error> {
        for lane in &mut self.lanes {
            lane.chunk = 0;
            lane.ready.clear();
            lane.next = 0;
        }
        self.read = 0;
        Ok(())
    }

    fn notes(&self) -> Notes {
        self.notes
    }

    fn events(&self) -> Option<u64> {
        Some(self.events)
    }

    #[expect(clippy::cast_precision_loss, reason = "a fraction for a progress bar")]
    fn progress(&self) -> f64 {
        if self.events == 0 {
            return 1.0;
        }
        self.read as f64 / self.events as f64
    }
}
