//! Builds an [`Index`] for each device of a recording.

use std::sync::Arc;

use millpond_recording::owner::Owners;
use millpond_recording::{Error, Event as Recorded, Kind, Reserved, Source, Tables};
use millpond_replay::holders::{PARTS, Sum, leak};
use millpond_replay::recorded::in_words;
use rustc_hash::FxHashMap;

use crate::addresses::Addresses;
use crate::band::Bands;
use crate::index::{
    Block, BlockChunk, CHUNK, Event, EventChunk, Extremes, Index, Left, Level, MOST_BLOCKS, Mark,
    NEVER, What,
};
use crate::pyramid::Pyramid;
use crate::sums::AllSums;
use crate::tile::Tile;

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
    let mut owners = Owners::default();
    let mut number = 0;
    let mut take = |event: &Recorded, tables: &Tables| {
        builder(&mut devices, event).push(event, number, &mut owners, tables);
        number += 1;
    };
    for event in source.before() {
        take(event, source.tables());
    }
    let mut events = Vec::new();
    while source.read(&mut events)? {
        let tables = source.tables();
        for event in &events {
            take(event, tables);
        }
        events.clear();
        progress(source.progress());
    }
    let shared = Shared {
        tables: Arc::new(source.tables().clone()),
        names: Arc::new(owners),
        notes: in_words(source.notes()),
        began_unix_ns: source.about().began_unix_ns,
        events: number,
    };
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
            let name = name(called, &shared.tables, place, several);
            let rank = shared.tables.devices().get(place).and_then(|it| it.rank);
            device.finish(name, rank, &shared)
        })
        .collect())
}

/// What the devices of a recording have in common.
struct Shared {
    tables: Arc<Tables>,
    names: Arc<Owners>,
    notes: Vec<String>,
    began_unix_ns: Option<u64>,
    /// Events of all devices.
    events: u64,
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
    /// Who has each block, and which event of the file it began with.
    owners: Vec<u32>,
    numbers: Vec<u64>,
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
    /// Blocks beyond the most that an index can have.
    beyond: u64,
}

impl Builder {
    fn push(&mut self, event: &Recorded, number: u64, owners: &mut Owners, tables: &Tables) {
        // Files count microseconds, and many events share one. Each gets a nanosecond of its own, so that a time names one state.
        let time = match self.first {
            None => event.time_ns,
            Some(_) => event.time_ns.max(self.last.saturating_add(1)),
        };
        self.first.get_or_insert(time);
        self.last = time;
        self.reserve(time, event);
        match event.kind {
            Kind::Alloc => self.allocated(time, event, number, owners, tables),
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

    fn allocated(
        &mut self,
        time: u64,
        event: &Recorded,
        number: u64,
        owners: &mut Owners,
        tables: &Tables,
    ) {
        // Blocks of no bytes share addresses, and hold nothing.
        if event.bytes == 0 {
            return;
        }
        let place = self.blocks.len();
        let Some(place) = u32::try_from(place).ok().filter(|_| place < MOST_BLOCKS) else {
            self.beyond += 1;
            return;
        };
        self.owners.push(owners.of(event, tables));
        self.numbers.push(number);
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
        self.held.insert(event.address, place);
        self.event(time, What::Allocated, place);
    }

    fn freed(&mut self, time: u64, address: u64) {
        // A block of no bytes, or one beyond the most.
        let Some(&block) = self.held.get(&address) else {
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

    fn finish(self, name: String, rank: Option<u32>, shared: &Shared) -> Index {
        // Without segments, only the pages of blocks would be known.
        let reserved = if self.reserved_now.has_segments() {
            self.reserved
        } else {
            Vec::new()
        };
        let left = left(&self.blocks, &self.owners, &self.numbers, shared.events);
        drop(self.numbers);
        let (event_chunks, sums) = std::thread::scope(|scope| {
            let sums = scope.spawn(|| AllSums::new(&self.events, &self.blocks, &self.owners));
            let chunks = event_chunks(&self.events, &self.blocks, self.streams.len());
            // A panic there is one here.
            (chunks, sums.join().unwrap_or_default())
        });
        let block_chunks = self
            .blocks
            .chunks(CHUNK)
            .map(|chunk| BlockChunk {
                latest: chunk.iter().map(|block| block.done).max().unwrap_or(0),
                most_bytes: chunk.iter().map(|block| block.bytes).max().unwrap_or(0),
            })
            .collect();
        let addresses = Addresses::of(self.blocks.iter().map(|block| (block.address, block.bytes)));
        let mut notes = shared.notes.clone();
        if self.beyond > 0 {
            notes.push(format!("{} blocks are more than a page shows", self.beyond));
        }
        let index = Index {
            name,
            // The last moment belongs to it, so that every event lies inside a tile.
            span: (self.first.unwrap_or(0), self.last.saturating_add(1)),
            began_unix_ns: shared.began_unix_ns,
            rank,
            blocks: self.blocks,
            owners: self.owners,
            names: Arc::clone(&shared.names),
            times: self.times,
            events: self.events,
            extremes: extremes(&event_chunks),
            event_chunks,
            block_chunks,
            streams: self.streams,
            most_reserved: Pyramid::new(
                reserved.iter().map(|&(_, bytes)| bytes).collect(),
                |part| part.iter().copied().max().unwrap_or(0),
            ),
            reserved,
            marks: self.marks,
            failures: self.failures,
            tables: Arc::clone(&shared.tables),
            addresses,
            left,
            notes,
            findings: Vec::new(),
            sums,
            bands: Bands::default(),
        };
        // Computed now, not when the first picture is asked for.
        index.bands.get(
            &index,
            Tile {
                level: 0,
                number: 0,
            },
        );
        index
    }
}

fn extremes(chunks: &[EventChunk]) -> Pyramid<Extremes> {
    let single = chunks.iter().enumerate().map(|(place, chunk)| Extremes {
        highest: place,
        live: chunk.highest.live,
        lowest: chunk.lowest,
    });
    Pyramid::new(single.collect(), |part| {
        let mut joined = part[0];
        for &other in &part[1..] {
            joined = joined.join(other);
        }
        joined
    })
}

/// Who left blocks behind. `numbers` says with which of `all` events of the file each block began.
fn left(blocks: &[Block], owners: &[u32], numbers: &[u64], all: u64) -> Vec<Left> {
    let mut parts: FxHashMap<u32, [Sum; PARTS]> = FxHashMap::default();
    for (place, block) in blocks.iter().enumerate() {
        if block.end == NEVER {
            let part = u128::from(numbers[place]) * PARTS as u128 / u128::from(all.max(1));
            let part = usize::try_from(part).unwrap_or(PARTS).min(PARTS - 1);
            parts.entry(owners[place]).or_default()[part].add(block.bytes);
        }
    }
    let mut left: Vec<Left> = parts
        .into_iter()
        .map(|(owner, parts)| Left {
            owner,
            bytes: parts.iter().map(|part| part.bytes).sum(),
            blocks: parts.iter().map(|part| part.blocks).sum(),
            leaked: leak(&parts).map_or(0, |sum| sum.bytes),
        })
        .collect();
    left.sort_unstable_by_key(|one| (std::cmp::Reverse((one.leaked, one.bytes)), one.owner));
    left
}

fn event_chunks(events: &[Event], blocks: &[Block], streams: usize) -> Vec<EventChunk> {
    let mut level = Level {
        by_stream: vec![0; streams],
        ..Level::default()
    };
    let mut highest = level.clone();
    let mut chunks = Vec::with_capacity(events.len().div_ceil(CHUNK));
    for (place, chunk) in events.chunks(CHUNK).enumerate() {
        let before = level.clone();
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
            highest: highest.clone(),
            highest_event: highest_event.unwrap_or(place * CHUNK),
            lowest,
        });
    }
    chunks
}
