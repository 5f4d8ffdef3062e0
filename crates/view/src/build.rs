//! Builds an [`Index`] for each device of a recording.

use std::sync::Arc;

use millpond_recording::{Error, Event as Recorded, Kind, Reserved, Source, Tables};
use rustc_hash::FxHashMap;

use crate::addresses::Addresses;
use crate::index::{
    Block, BlockChunk, CHUNK, Event, EventChunk, Index, Level, MOST_BLOCKS, Mark, NEVER, What,
};

/// Streams that are told apart; the others count as one. Every level has a number for each stream, so the levels of a hundred thousand
/// streams would not fit into memory.
const MOST_STREAMS: usize = 128;

/// Reads a recording to its end. `called` is its name on the page; `progress` hears how far it has come, from 0 to 1.
pub fn read(
    source: &mut dyn Source,
    called: &str,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Index>, Error> {
    let mut devices: Vec<Builder> = Vec::new();
    for event in source.before() {
        builder(&mut devices, event).push(event, source.tables());
    }
    let mut events = Vec::new();
    while source.read(&mut events)? {
        for event in &events {
            builder(&mut devices, event).push(event, source.tables());
        }
        events.clear();
        progress(source.progress());
    }
    let tables = Arc::new(source.tables().clone());
    let several = devices
        .iter()
        .filter(|device| device.first.is_some())
        .count()
        > 1;
    Ok(devices
        .into_iter()
        .enumerate()
        .filter(|(_, device)| device.first.is_some())
        .map(|(place, device)| {
            let name = name(called, &tables, place, several);
            device.finish(name, Arc::clone(&tables))
        })
        .collect())
}

fn name(title: &str, tables: &Tables, device: usize, several: bool) -> String {
    let Some(device) = tables.devices().get(device).filter(|_| several) else {
        return title.to_owned();
    };
    match device.rank {
        Some(rank) => format!("{title}, rank {rank}"),
        None => format!("{title}, device {}", device.index),
    }
}

fn builder<'a>(devices: &'a mut Vec<Builder>, event: &Recorded) -> &'a mut Builder {
    let place = usize::from(event.device);
    if place >= devices.len() {
        devices.resize_with(place + 1, Builder::default);
    }
    &mut devices[place]
}

/// Collects one device.
#[derive(Debug, Default)]
struct Builder {
    blocks: Vec<Block>,
    times: Vec<u64>,
    events: Vec<Event>,
    streams: Vec<String>,
    /// Places in `streams`, by number of the recording's table.
    stream_places: FxHashMap<u32, u32>,
    /// Blocks whose memory cannot be reused yet, by address.
    held: FxHashMap<u64, u32>,
    reserved: Vec<(u64, u64)>,
    reserved_now: Reserved,
    marks: Vec<Mark>,
    failures: Vec<Mark>,
    first: Option<u64>,
    last: u64,
    unmatched: u64,
}

impl Builder {
    fn push(&mut self, event: &Recorded, tables: &Tables) {
        // Files count microseconds, and many events share one. Each gets a nanosecond of its own, so that a time names one state.
        let time = match self.first {
            None => event.time_ns,
            Some(_) => event.time_ns.max(self.last.saturating_add(1)),
        };
        self.first.get_or_insert(time);
        self.last = time;
        self.reserve(time, event);
        match event.kind {
            Kind::Alloc => self.allocated(time, event, tables),
            Kind::FreeRequested => self.freed(time, event.address),
            Kind::FreeCompleted => self.reusable(time, event.address),
            Kind::OutOfMemory => self.failures.push(Mark {
                time,
                text: format!("a request of {} bytes failed", event.bytes),
            }),
            Kind::Mark | Kind::RangeBegin => self.marks.push(Mark {
                time,
                text: tables.text(event.label).to_owned(),
            }),
            Kind::SegmentAlloc
            | Kind::SegmentMap
            | Kind::SegmentFree
            | Kind::SegmentUnmap
            | Kind::RangeEnd
            | Kind::StreamWait
            | Kind::StreamUse
            | Kind::EventRecord
            | Kind::Snapshot => {}
        }
    }

    fn event(&mut self, time: u64, what: What, block: u32) {
        self.times.push(time);
        self.events.push(Event::new(what, block));
    }

    fn allocated(&mut self, time: u64, event: &Recorded, tables: &Tables) {
        // Blocks of no bytes share addresses, and hold nothing.
        if event.bytes == 0 {
            return;
        }
        let number = self.blocks.len();
        let Some(number) = u32::try_from(number).ok().filter(|_| number < MOST_BLOCKS) else {
            self.unmatched += 1;
            return;
        };
        let stream = self.stream(event.stream, tables);
        self.blocks.push(Block {
            start: time,
            end: NEVER,
            done: NEVER,
            address: event.address,
            bytes: event.bytes,
            stack: event.stack,
            stream,
        });
        self.held.insert(event.address, number);
        self.event(time, What::Allocated, number);
    }

    fn freed(&mut self, time: u64, address: u64) {
        let Some(&block) = self.held.get(&address) else {
            self.unmatched += 1;
            return;
        };
        if self.blocks[block as usize].end == NEVER {
            self.blocks[block as usize].end = time;
            self.event(time, What::Freed, block);
        }
    }

    fn reusable(&mut self, time: u64, address: u64) {
        // It is freed by then, even if nothing said so.
        self.freed(time, address);
        if let Some(block) = self.held.remove(&address) {
            self.blocks[block as usize].done = time;
            self.event(time, What::Reusable, block);
        }
    }

    fn stream(&mut self, number: u32, tables: &Tables) -> u32 {
        if let Some(&place) = self.stream_places.get(&number) {
            return place;
        }
        let place = self.streams.len().min(MOST_STREAMS);
        if place == self.streams.len() {
            self.streams
                .push(match tables.streams().get(number as usize) {
                    _ if place == MOST_STREAMS => "all other streams".to_owned(),
                    None => "a stream".to_owned(),
                    Some(stream) => format!("stream {}", stream.number),
                });
        }
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        self.stream_places.insert(number, place);
        place
    }

    fn reserve(&mut self, time: u64, event: &Recorded) {
        let before = self.reserved_now.bytes();
        self.reserved_now.apply(event);
        let bytes = self.reserved_now.bytes();
        if bytes != before {
            self.reserved.push((time, bytes));
        }
    }

    fn finish(self, name: String, tables: Arc<Tables>) -> Index {
        let event_chunks = event_chunks(&self.events, &self.blocks, self.streams.len());
        let block_chunks = self
            .blocks
            .chunks(CHUNK)
            .map(|chunk| BlockChunk {
                latest: chunk.iter().map(|block| block.done).max().unwrap_or(0),
                most_bytes: chunk.iter().map(|block| block.bytes).max().unwrap_or(0),
            })
            .collect();
        let addresses = Addresses::of(self.blocks.iter().map(|block| (block.address, block.bytes)));
        let first = self.first.unwrap_or(0);
        Index {
            name,
            // The last moment belongs to it, so that every event lies inside a tile.
            span: (first, self.last.saturating_add(1)),
            blocks: self.blocks,
            times: self.times,
            events: self.events,
            event_chunks,
            block_chunks,
            streams: self.streams,
            // Without segments, only the pages of blocks would be known.
            reserved: if self.reserved_now.has_segments() {
                self.reserved
            } else {
                Vec::new()
            },
            marks: self.marks,
            failures: self.failures,
            tables,
            addresses,
            unmatched: self.unmatched,
        }
    }
}

fn event_chunks(events: &[Event], blocks: &[Block], streams: usize) -> Vec<EventChunk> {
    let mut level = Level {
        by_stream: vec![0; streams],
        ..Level::default()
    };
    let mut chunks = Vec::with_capacity(events.len().div_ceil(CHUNK));
    for (place, chunk) in events.chunks(CHUNK).enumerate() {
        let before = level.clone();
        let mut highest = level.clone();
        let mut highest_event = None;
        let mut lowest = u64::MAX;
        for (offset, &event) in chunk.iter().enumerate() {
            level.apply(event, &blocks[event.block()]);
            lowest = lowest.min(level.held());
            if highest_event.is_none() || level.live > highest.live {
                highest.copy_from(&level);
                highest_event = Some(place * CHUNK + offset);
            }
        }
        chunks.push(EventChunk {
            before,
            highest,
            highest_event: highest_event.unwrap_or(place * CHUNK),
            lowest,
        });
    }
    chunks
}
