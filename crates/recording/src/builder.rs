//! Turns what a foreign file says into events that hold what [`Source`](crate::Source) promises.

use std::collections::HashMap;

use crate::error::Fault;
use crate::event::{Event, Kind, StackId, TextId};
use crate::packed::Packed;
use crate::ranges::Ranges;
use crate::source::Notes;

/// How far back a time may step. Threads note the time before they wait for the lock under which they write.
const SLACK_NS: u64 = 1_000_000_000;
/// No device has more bytes, neither in one block nor in all that are alive at once: 256 TiB. So sums over devices and doubled sizes
/// fit into 64 bits, here and in whoever reads a recording.
pub(crate) const MOST_BYTES: u64 = 1 << 48;
const MOST_WAITING: u64 = MOST_BYTES << 8;

/// An event of more bytes than there can be.
fn too_much(event: &Event, at: u64) -> Fault {
    Fault::at(
        at,
        format!(
            "{} of {} bytes at {:#x}: no device has so much memory",
            event.kind.name(),
            event.bytes,
            event.address
        ),
    )
}

/// What is known of the address of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    Requested,
    Gone,
}

/// Size and state in eight bytes.
#[derive(Clone, Copy)]
struct Known(u64);

impl Known {
    fn new(bytes: u64, state: State) -> Self {
        Self(bytes << 2 | state as u64)
    }

    fn bytes(self) -> u64 {
        self.0 >> 2
    }

    /// Changes the state. Returns the bytes.
    fn turn(&mut self, state: State) -> u64 {
        *self = Self::new(self.bytes(), state);
        self.bytes()
    }

    fn state(self) -> State {
        match self.0 & 3 {
            0 => State::Live,
            1 => State::Requested,
            _ => State::Gone,
        }
    }
}

/// With the library's hasher: addresses come from a file, and a hostile one must not make it slow.
type ByAddress = HashMap<u64, Known>;

/// One device's events, in the order of their file.
#[derive(Default)]
pub(crate) struct Lane {
    pub(crate) packed: Packed,
    blocks: ByAddress,
    segments: Ranges,
    pub(crate) before_segments: Vec<Event>,
    pub(crate) before_blocks: Vec<Event>,
    /// Bytes of blocks that began in the events and are alive.
    live: u64,
    /// Bytes of `before_blocks`: each of them may have been alive until now.
    live_before: u64,
    /// Bytes of blocks that were freed and are not completed. In a trace without completions this only grows.
    waiting: u64,
    /// As `live` and `live_before`, of segments.
    reserved: u64,
    reserved_before: u64,
    first: Option<u64>,
    last: u64,
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lane")
            .field("packed", &self.packed)
            .finish_non_exhaustive()
    }
}

impl Lane {
    /// Adds the next event, whose time may count from anywhere. `at` is its byte in the file.
    pub(crate) fn push(
        &mut self,
        mut event: Event,
        at: u64,
        notes: &mut Notes,
    ) -> Result<(), Fault> {
        if event.time_ns < self.last {
            if self.last - event.time_ns > SLACK_NS {
                return Err(Fault::at(
                    at,
                    format!(
                        "the time runs backwards, from {} ns to {} ns",
                        self.last, event.time_ns
                    ),
                ));
            }
            notes.late += 1;
            event.time_ns = self.last;
        }
        if event.bytes > MOST_BYTES || event.address.checked_add(event.bytes).is_none() {
            return Err(too_much(&event, at));
        }
        self.last = event.time_ns;
        self.first.get_or_insert(event.time_ns);
        match event.kind {
            Kind::Alloc => self.alloc(event, notes),
            Kind::FreeRequested => self.request(event, notes),
            Kind::FreeCompleted => self.complete(event, notes),
            Kind::SegmentAlloc | Kind::SegmentMap => {
                let end = event.address + event.bytes;
                self.reserved += Ranges::sum(&self.segments.missing(event.address, end));
                self.segments.add(event.address, end);
                self.packed.push(event);
            }
            Kind::SegmentFree | Kind::SegmentUnmap => {
                let end = event.address + event.bytes;
                let missing = self.segments.remove(event.address, end);
                self.reserved -= event.bytes - Ranges::sum(&missing);
                for (start, end) in missing {
                    self.segment_before(event, start, end, event.kind == Kind::SegmentUnmap);
                }
                self.packed.push(event);
            }
            _ => self.packed.push(event),
        }
        if self.live + self.live_before > MOST_BYTES
            || self.reserved + self.reserved_before > MOST_BYTES
            || self.waiting > MOST_WAITING
        {
            return Err(too_much(&event, at));
        }
        Ok(())
    }

    fn alloc(&mut self, event: Event, notes: &mut Notes) {
        let new = Known::new(event.bytes, State::Live);
        if let Some(old) = self.blocks.insert(event.address, new) {
            let freed = Event {
                bytes: old.bytes(),
                stack: StackId(0),
                label: TextId(0),
                ..event
            };
            if old.state() == State::Live {
                notes.implied += 1;
                self.live -= old.bytes();
                self.packed.push(Event {
                    kind: Kind::FreeRequested,
                    ..freed
                });
            } else if old.state() == State::Requested {
                self.waiting -= old.bytes();
            }
            if old.state() != State::Gone {
                self.packed.push(Event {
                    kind: Kind::FreeCompleted,
                    ..freed
                });
            }
        }
        self.live += event.bytes;
        self.packed.push(event);
    }

    fn request(&mut self, event: Event, notes: &mut Notes) {
        let bytes = match self.blocks.get_mut(&event.address) {
            None => {
                self.block_before(Event {
                    stack: StackId(0),
                    label: TextId(0),
                    ..event
                });
                let new = Known::new(event.bytes, State::Requested);
                self.blocks.insert(event.address, new);
                event.bytes
            }
            Some(known) if known.state() == State::Live => {
                self.live -= known.bytes();
                known.turn(State::Requested)
            }
            Some(_) => {
                notes.unmatched += 1;
                return;
            }
        };
        notes.resized += u64::from(bytes != event.bytes);
        self.waiting += bytes;
        self.packed.push(Event { bytes, ..event });
    }

    fn complete(&mut self, event: Event, notes: &mut Notes) {
        let bytes = match self.blocks.get_mut(&event.address) {
            // The recording began between request and completion, or has no requests.
            None => {
                let plain = Event {
                    stack: StackId(0),
                    label: TextId(0),
                    ..event
                };
                self.block_before(plain);
                self.packed.push(Event {
                    kind: Kind::FreeRequested,
                    ..plain
                });
                let new = Known::new(event.bytes, State::Gone);
                self.blocks.insert(event.address, new);
                event.bytes
            }
            Some(known) if known.state() == State::Live => {
                notes.implied += 1;
                let bytes = known.turn(State::Gone);
                self.live -= bytes;
                self.packed.push(Event {
                    kind: Kind::FreeRequested,
                    bytes,
                    ..event
                });
                bytes
            }
            Some(known) if known.state() == State::Requested => {
                self.waiting -= known.bytes();
                known.turn(State::Gone)
            }
            Some(_) => {
                notes.unmatched += 1;
                return;
            }
        };
        notes.resized += u64::from(bytes != event.bytes);
        self.packed.push(Event { bytes, ..event });
    }

    fn block_before(&mut self, event: Event) {
        self.live_before += event.bytes;
        self.before_blocks.push(Event {
            kind: Kind::Alloc,
            ..event
        });
    }

    fn segment_before(&mut self, event: Event, start: u64, end: u64, mapped: bool) {
        self.reserved_before += end - start;
        self.before_segments.push(Event {
            kind: if mapped {
                Kind::SegmentMap
            } else {
                Kind::SegmentAlloc
            },
            address: start,
            bytes: end - start,
            stack: StackId(0),
            label: TextId(0),
            ..event
        });
    }

    /// What the file says exists after the last event. What no event made was there before the first one. The reader of the file makes
    /// sure that all of it together has at most [`MOST_BYTES`].
    pub(crate) fn exists_at_end(&mut self, event: Event, notes: &mut Notes) {
        let Some(end) = event.address.checked_add(event.bytes) else {
            return;
        };
        match event.kind {
            Kind::SegmentAlloc | Kind::SegmentMap => {
                for (start, end) in self.segments.missing(event.address, end) {
                    self.segment_before(event, start, end, event.kind == Kind::SegmentMap);
                }
            }
            Kind::Alloc => match self.blocks.get(&event.address) {
                None => self.block_before(event),
                Some(known) if known.state() != State::Gone => {}
                // The events say that it is gone.
                Some(_) => notes.unmatched += 1,
            },
            _ => {}
        }
    }

    /// Ends the lane: gives back what only pushing needs.
    pub(crate) fn close(&mut self) {
        self.packed.close();
        self.blocks = ByAddress::default();
        self.segments = Ranges::default();
    }

    /// The time of the first event.
    pub(crate) fn first(&self) -> Option<u64> {
        self.first
    }
}
