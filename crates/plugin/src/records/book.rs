//! Numbers for what CUDA names by address, and the records that carry them.
//!
//! Records of one stream are in the order in which its work was queued, as far as threads that queue in one stream order their
//! calls themselves.

use std::collections::{BTreeMap, HashMap};

use millpond_trace::{
    Accesses, Bytes, Operation, Outcome, Position, Space, Span, Spans, Tap, Target, TaskKind,
};

use super::{Awaited, Lane};

/// The number of the pool in the records: the blocks of a process are in stream order, all in one.
const POOL: u64 = 1;
/// What the driver takes for the legacy default stream too.
const LEGACY: u64 = 1;
/// The largest handle that is not the address of a stream.
const PER_THREAD: u64 = 2;

/// What is known of the program.
#[derive(Debug, Default)]
pub(super) struct Book {
    /// Records of work are wanted, and not those of pages.
    everything: bool,
    last: u64,
    devices: HashMap<i32, u64>,
    streams: HashMap<Lane, Stream>,
    events: HashMap<u64, Event>,
    blocks: BTreeMap<u64, Block>,
    /// Pages, by the address that they were mapped at first.
    pages: BTreeMap<u64, Page>,
    /// Which page can be used at a second address, whether blocks are there or at its first one.
    windows: BTreeMap<u64, u64>,
}

/// A stream: its number, and how many tasks it got.
#[derive(Debug, Clone, Copy)]
struct Stream {
    number: u64,
    device: i32,
    tasks: u64,
}

/// A page that the pool holds.
#[derive(Debug, Clone, Copy)]
struct Page {
    piece: u64,
    bytes: u64,
    /// Where blocks use it now.
    at: u64,
}

#[derive(Debug, Clone, Copy)]
struct Event {
    number: u64,
    recorded: Option<Position>,
}

#[derive(Debug, Clone)]
struct Block {
    number: u64,
    range: Bytes,
    stream: Lane,
    /// Other streams that use it.
    users: Vec<Lane>,
}

impl Stream {
    /// Its last task.
    fn position(self) -> Position {
        Position {
            stream: self.number,
            task: self.tasks,
        }
    }
}

/// One key for each stream: most handles are addresses and need no device.
fn key(lane: Lane) -> Lane {
    match lane.handle {
        0 | LEGACY => Lane { handle: 0, ..lane },
        PER_THREAD => lane,
        handle => Lane { device: 0, handle },
    }
}

fn index(device: i32) -> u32 {
    u32::try_from(device).unwrap_or(0)
}

/// The entries that may reach into a range: those in it, and the one before it.
fn from<T>(map: &BTreeMap<u64, T>, start: u64, end: u64) -> impl Iterator<Item = (&u64, &T)> {
    let before = map.range(..=start).next_back();
    map.range(before.map_or(start, |(at, _)| *at)..end)
}

fn map(tap: &Tap, page: Page) {
    tap.emit(|| Operation::Mapped {
        piece: page.piece,
        range: page.range(),
        access: None,
    });
}

fn unmap(tap: &Tap, page: Page) {
    tap.emit(|| Operation::Unmapped {
        piece: page.piece,
        range: page.range(),
        retired: false,
    });
}

impl Page {
    fn range(self) -> Bytes {
        Bytes {
            start: self.at,
            bytes: self.bytes,
        }
    }
}

impl Book {
    pub(super) fn new(everything: bool) -> Self {
        Self {
            everything,
            ..Self::default()
        }
    }

    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(super) fn device(&mut self, tap: &Tap, device: i32, capacity: u64) {
        if self.devices.contains_key(&device) {
            return;
        }
        if self.devices.is_empty() {
            tap.emit(|| Operation::Initialized);
        }
        let context = self.number();
        self.devices.insert(device, context);
        let device = index(device);
        tap.emit(|| Operation::DeviceOpened {
            device,
            capacity,
            unified: false,
        });
        tap.emit(|| Operation::ContextCreated { context, device });
        tap.emit(|| Operation::PoolCreated {
            pool: POOL + u64::from(device),
            device,
            limit: capacity,
        });
    }

    /// The stream's state; it is created when it is first seen.
    fn stream(&mut self, tap: &Tap, lane: Lane) -> &mut Stream {
        let known = key(lane);
        if !self.streams.contains_key(&known) {
            self.device(tap, lane.device, 0);
        }
        let context = self.devices.get(&lane.device).copied().unwrap_or(0);
        let last = &mut self.last;
        self.streams.entry(known).or_insert_with(|| {
            *last += 1;
            let stream = *last;
            tap.emit(|| Operation::StreamCreated {
                stream,
                context,
                device: index(lane.device),
            });
            Stream {
                number: stream,
                device: lane.device,
                tasks: 0,
            }
        })
    }

    /// The next task of a stream.
    fn task(&mut self, tap: &Tap, lane: Lane) -> Position {
        let stream = self.stream(tap, lane);
        stream.tasks += 1;
        stream.position()
    }

    pub(super) fn allocated(&mut self, tap: &Tap, stream: Lane, range: Bytes, requested: u64) {
        let position = self.stream(tap, stream).position();
        self.bring_pages(tap, range);
        let number = self.number();
        let block = Block {
            number,
            range,
            stream,
            users: Vec::new(),
        };
        self.blocks.insert(range.start, block);
        let device = index(stream.device);
        tap.emit(|| Operation::Allocated {
            block: number,
            space: Space::Device(device),
            range,
            requested,
            charged: range.bytes,
            pool: Some(POOL + u64::from(device)),
            ordered: Some(position),
        });
    }

    pub(super) fn refused(&mut self, tap: &Tap, device: i32, requested: u64, reason: &str) {
        self.device(tap, device, 0);
        tap.emit(|| Operation::AllocationFailed {
            space: Space::Device(index(device)),
            requested,
            reason: reason.to_owned(),
        });
    }

    pub(super) fn freed(&mut self, tap: &Tap, address: u64) {
        let Some(block) = self.blocks.remove(&address) else {
            return;
        };
        if self.everything {
            // What counts in PyTorch is what these streams have queued when the block is freed.
            for &user in &block.users {
                let position = self.stream(tap, user).position();
                tap.emit(|| Operation::UseRecorded { address, position });
            }
        }
        let position = self.stream(tap, block.stream).position();
        tap.emit(|| Operation::Freed {
            block: block.number,
            range: block.range,
            retired: !block.users.is_empty(),
            ordered: Some(position),
        });
    }

    pub(super) fn used(&mut self, tap: &Tap, address: u64, stream: Lane) {
        let Some(block) = self.blocks.get_mut(&address) else {
            return;
        };
        if key(block.stream) == key(stream) {
            return;
        }
        if block.users.iter().any(|&user| key(user) == key(stream)) {
            return;
        }
        block.users.push(stream);
        let position = self.stream(tap, stream).position();
        tap.emit(|| Operation::UseRecorded { address, position });
    }

    pub(super) fn event_recorded(&mut self, tap: &Tap, event: u64, stream: Lane) {
        let position = self.task(tap, stream);
        let known = self.events.get(&event).map(|known| known.number);
        let number = known.unwrap_or_else(|| {
            let number = self.number();
            tap.emit(|| Operation::EventCreated { event: number });
            number
        });
        self.events.insert(
            event,
            Event {
                number,
                recorded: Some(position),
            },
        );
        tap.emit(|| Operation::Enqueued {
            position,
            accesses: Accesses::none(TaskKind::RecordEvent),
            event: Some(number),
            captured: None,
        });
    }

    pub(super) fn event_gone(&mut self, tap: &Tap, event: u64) {
        if let Some(event) = self.events.remove(&event) {
            tap.emit(|| Operation::EventDestroyed {
                event: event.number,
            });
        }
    }

    /// An event that was never recorded is no wait for CUDA either.
    pub(super) fn stream_waits(&mut self, tap: &Tap, stream: Lane, event: u64) {
        let Some(Event {
            number,
            recorded: Some(recorded),
        }) = self.events.get(&event).copied()
        else {
            return;
        };
        let position = self.task(tap, stream);
        tap.emit(|| Operation::Enqueued {
            position,
            accesses: Accesses::none(TaskKind::WaitEvent),
            event: Some(number),
            captured: Some(recorded),
        });
    }

    /// What a record names as awaited; nothing for a stream or event that was never seen.
    fn target(&self, what: Awaited) -> Option<Target> {
        match what {
            Awaited::Stream(lane) => {
                let stream = self.streams.get(&key(lane))?;
                Some(Target::Stream(stream.number))
            }
            Awaited::Event(event) => {
                let event = self.events.get(&event)?;
                Some(Target::Event(event.number))
            }
            Awaited::Device(device) => {
                let known = self.devices.contains_key(&device);
                known.then(|| Target::Device(index(device)))
            }
        }
    }

    pub(super) fn synchronized(&mut self, tap: &Tap, what: Awaited) {
        if let Some(target) = self.target(what) {
            self.ended(tap, what);
            let outcome = Outcome::Done;
            tap.emit(|| Operation::Synchronized { target, outcome });
        }
    }

    pub(super) fn passed(&mut self, tap: &Tap, what: Awaited) {
        if let Some(target) = self.target(what) {
            self.ended(tap, what);
            let outcome = Outcome::Done;
            tap.emit(|| Operation::Queried { target, outcome });
        }
    }

    /// The work that the host has seen end: of each stream the last task, because that is what a checker needs.
    fn ended(&self, tap: &Tap, what: Awaited) {
        if !self.everything {
            return;
        }
        let last: Vec<Position> = match what {
            Awaited::Stream(lane) => {
                let stream = self.streams.get(&key(lane));
                stream.map(|stream| stream.position()).into_iter().collect()
            }
            Awaited::Event(event) => {
                let event = self.events.get(&event);
                event.and_then(|event| event.recorded).into_iter().collect()
            }
            Awaited::Device(device) => {
                let mine = self.streams.values();
                mine.filter(|stream| stream.device == device)
                    .map(|stream| stream.position())
                    .collect()
            }
        };
        for position in last.into_iter().filter(|last| last.task > 0) {
            tap.emit(|| Operation::Completed {
                position,
                outcome: Outcome::Done,
            });
        }
    }

    pub(super) fn stream_gone(&mut self, tap: &Tap, stream: Lane) {
        // The default streams stay.
        if stream.handle <= PER_THREAD {
            return;
        }
        if let Some(stream) = self.streams.remove(&key(stream)) {
            tap.emit(|| Operation::StreamDestroyed {
                stream: stream.number,
                dropped: 0,
            });
        }
    }

    /// Pages one by one, because they are unmapped in other pieces than they were mapped in.
    pub(super) fn mapped(&mut self, tap: &Tap, device: i32, range: Bytes, page: u64) {
        if self.everything || page == 0 {
            return;
        }
        self.device(tap, device, 0);
        for number in 0..range.bytes / page {
            let at = range.start + number * page;
            let piece = self.number();
            let bytes = page;
            self.pages.insert(at, Page { piece, bytes, at });
            tap.emit(|| Operation::PhysicalAllocated {
                piece,
                space: Space::Device(index(device)),
                bytes,
            });
            map(tap, Page { piece, bytes, at });
        }
    }

    /// A page is used at a second address now. Readers learn it as if it had left the first one, because blocks are at one of them.
    pub(super) fn moved(&mut self, tap: &Tap, home: u64, window: u64) {
        if let Some(before) = self.windows.insert(window, home)
            && before != home
        {
            self.place(tap, before, before);
        }
        self.place(tap, home, window);
    }

    /// Blocks use a page at this address.
    fn place(&mut self, tap: &Tap, home: u64, at: u64) {
        if let Some(page) = self.pages.get_mut(&home)
            && page.at != at
        {
            unmap(tap, *page);
            page.at = at;
            map(tap, *page);
        }
    }

    /// A block lies on these bytes: pages that are used at another of their addresses come here.
    fn bring_pages(&mut self, tap: &Tap, range: Bytes) {
        if self.windows.is_empty() {
            return;
        }
        let end = range.start.saturating_add(range.bytes);
        let here = |at: u64, home: u64| {
            let page = self.pages.get(&home)?;
            let elsewhere = page.at != at && at + page.bytes > range.start;
            elsewhere.then_some((home, at))
        };
        let homes = from(&self.pages, range.start, end).map(|(&home, _)| (home, home));
        let windows = from(&self.windows, range.start, end).map(|(&at, &home)| (at, home));
        let coming: Vec<(u64, u64)> = homes
            .chain(windows)
            .filter_map(|(at, home)| here(at, home))
            .collect();
        for (home, at) in coming {
            self.place(tap, home, at);
        }
    }

    pub(super) fn unmapped(&mut self, tap: &Tap, range: Bytes) {
        let end = range.start.saturating_add(range.bytes);
        let mut start = range.start;
        while start < end {
            let Some(page) = self.pages.remove(&start) else {
                return;
            };
            unmap(tap, page);
            self.windows.retain(|_, home| *home != start);
            tap.emit(|| Operation::PhysicalFreed {
                piece: page.piece,
                bytes: page.bytes,
                retired: false,
            });
            start += page.bytes;
        }
    }

    /// Whether bytes begin in a live block. Others are not ours: memory that a library took from CUDA itself, or from before.
    fn is_ours(&self, span: Span) -> bool {
        let block = self.blocks.range(..=span.start).next_back();
        block.is_some_and(|(start, block)| span.start - start < block.range.bytes)
    }

    pub(super) fn work(
        &mut self,
        tap: &Tap,
        stream: Lane,
        name: &str,
        mut reads: Spans,
        mut writes: Spans,
    ) {
        if !self.everything {
            return;
        }
        reads.retain(|span| self.is_ours(*span));
        writes.retain(|span| self.is_ours(*span));
        let position = self.task(tap, stream);
        tap.emit(|| Operation::Enqueued {
            position,
            accesses: Accesses {
                reads,
                writes,
                name: name.to_owned().into(),
                ..Accesses::none(TaskKind::Compute)
            },
            event: None,
            captured: None,
        });
    }
}

#[cfg(test)]
mod tests;
