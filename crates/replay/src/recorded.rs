//! Recordings as traces: one for each device that a recording has.
//!
//! Blocks that were there before the recording began are allocated first, in the order of their addresses. A block that the
//! recorder could not reuse at once, because another stream still used it, is freed *held*, and settles later.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use millpond_recording::owner::Owners;
use millpond_recording::{
    About, Device, Error, Event, Kind, Notes, Reserved, Source, Tables, open_watched,
};

use crate::holders::{left_behind, part};
use crate::trace::{Op, Trace};

/// How much of opening a recording is reading its file.
const FILE_SHARE: f64 = 0.8;

/// Blocks that are left out of a replay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Without {
    /// All blocks of these owners.
    pub owners: Vec<String>,
    /// Of these owners, the blocks that are never freed and came after the first quarter of the recording: what advice calls a leak.
    pub leaks: Vec<String>,
}

impl Without {
    /// Whether everything is replayed.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty() && self.leaks.is_empty()
    }
}

/// A recording that has been read.
#[derive(Debug)]
pub struct Recording {
    source: Box<dyn Source>,
    /// Everything, what was there before the first event in front.
    events: Vec<Event>,
}

impl Recording {
    /// Reads a file of any format. `progress` hears how far it is, from 0 to 1.
    pub fn open(path: &Path, mut progress: impl FnMut(f64) + Send) -> Result<Self, Error> {
        // Most of the time goes into the file, not into its events.
        let source = open_watched(path, &mut |part| progress(part * FILE_SHARE))?;
        Self::read(source, |part| {
            progress(FILE_SHARE + part * (1.0 - FILE_SHARE));
        })
    }

    /// Reads a source to its end.
    pub fn read(mut source: Box<dyn Source>, mut progress: impl FnMut(f64)) -> Result<Self, Error> {
        let mut events = source.before().to_vec();
        while source.read(&mut events)? {
            progress(source.progress());
        }
        Ok(Self { source, events })
    }

    /// What the recording says about itself.
    pub fn about(&self) -> &About {
        self.source.about()
    }

    /// What the reader had to mend or leave out, in words; nothing if that was nothing.
    pub fn notes(&self) -> Vec<String> {
        in_words(self.source.notes())
    }

    /// Names and stacks that the events refer to.
    pub fn tables(&self) -> &Tables {
        self.source.tables()
    }

    /// Everything that happened, what was there before the first event in front.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The devices that blocks were allocated on.
    pub fn devices(&self) -> Vec<u16> {
        let mut seen = Vec::new();
        for event in &self.events {
            if event.kind == Kind::Alloc && !seen.contains(&event.device) {
                seen.push(event.device);
            }
        }
        seen.sort_unstable();
        seen
    }

    /// What a device is called: its rank, if the recording has ranks.
    pub fn device_name(&self, device: u16) -> String {
        match self.tables().devices().get(usize::from(device)) {
            Some(Device {
                rank: Some(rank), ..
            }) => format!("rank {rank}"),
            Some(Device { index, .. }) => format!("device {index}"),
            None => format!("device {device}"),
        }
    }

    /// The calls of each device.
    pub fn traces(&self) -> Vec<Trace> {
        self.traces_without(&Without::default())
    }

    /// The same without some blocks.
    pub fn traces_without(&self, without: &Without) -> Vec<Trace> {
        let devices = self.devices();
        let several = devices.len() > 1;
        let title = title(&self.about().title);
        let of_device = |device: u16| {
            let name = if several {
                format!("{title}:{}", self.device_name(device).replace(' ', ""))
            } else {
                title.clone()
            };
            let mut trace = self.trace(device, without);
            trace.name = name;
            trace
        };
        devices.into_iter().map(of_device).collect()
    }

    /// Whether somebody of that name has blocks in it.
    pub fn has_owner(&self, name: &str) -> bool {
        let mut owners = Owners::default();
        let mut allocations = self.events.iter().filter(|it| it.kind == Kind::Alloc);
        allocations.any(|event| {
            let owner = owners.of(event, self.tables());
            owners.name(owner) == name
        })
    }

    /// Whether somebody of that name leaves blocks behind that count as a leak.
    pub fn has_leak(&self, name: &str) -> bool {
        let leaks = Without {
            leaks: vec![name.to_owned()],
            ..Without::default()
        };
        !self.leaked(&leaks).is_empty()
    }

    /// The numbers of the events that allocate what `without` leaves out as leaks.
    fn leaked(&self, without: &Without) -> HashSet<usize> {
        if without.leaks.is_empty() {
            return HashSet::new();
        }
        let mut owners = Owners::default();
        let mut left = left_behind(&self.events);
        left.retain(|&number| {
            let owner = owners.of(&self.events[number], self.tables());
            // What was there from the beginning is no leak.
            part(number, &self.events) > 0
                && without.leaks.iter().any(|it| it == owners.name(owner))
        });
        left.into_iter().collect()
    }

    fn trace(&self, device: u16, without: &Without) -> Trace {
        let mut writer = Writer::default();
        for (place, stream) in (0..).zip(self.tables().streams()) {
            if stream.device == device {
                writer.places.insert(stream.number, place);
            }
        }
        writer.trace.older = self.older(device);
        let mut owners = Owners::default();
        let leaked = self.leaked(without);
        let mut skipped: HashSet<u64> = HashSet::new();
        let mut events = self
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| event.device == device);
        while let Some((number, event)) = events.next() {
            if event.kind == Kind::Alloc && !without.is_empty() {
                let owner = owners.of(event, self.tables());
                let is_leaked = leaked.contains(&number);
                if is_leaked || without.owners.iter().any(|it| it == owners.name(owner)) {
                    writer.trace.left_out.add(event.bytes);
                    skipped.insert(event.address);
                    continue;
                }
            }
            if matches!(event.kind, Kind::FreeRequested | Kind::FreeCompleted)
                && skipped.contains(&event.address)
            {
                if event.kind == Kind::FreeCompleted {
                    skipped.remove(&event.address);
                }
                continue;
            }
            if event.kind == Kind::Alloc {
                skipped.remove(&event.address);
            }
            // Without another stream's use, a recorder completes a free at once. Annotations are of other threads, or of another list.
            let at_once = event.kind == Kind::FreeRequested && {
                let mut rest = events.clone();
                rest.find(|(_, next)| !is_annotation(next.kind))
                    .is_some_and(|(_, next)| {
                        next.kind == Kind::FreeCompleted && next.address == event.address
                    })
            };
            writer.event(event, at_once);
        }
        writer.finish()
    }

    fn older(&self, device: u16) -> usize {
        let block = |event: &&Event| event.kind == Kind::Alloc && event.device == device;
        self.source.before().iter().filter(block).count()
    }
}

/// Whether an event says nothing about memory.
fn is_annotation(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Mark | Kind::RangeBegin | Kind::RangeEnd | Kind::Snapshot
    )
}

/// What a reader had to mend or leave out, in words; nothing if that was nothing.
pub fn in_words(notes: Notes) -> Vec<String> {
    let rows = [
        (
            notes.unmatched,
            "frees of blocks that were not alive were left out",
        ),
        (notes.implied, "frees that were not recorded were added"),
        (notes.lost, "records are damaged or missing"),
        (notes.unknown, "entries of unknown kinds were left out"),
    ];
    let told = rows.iter().filter(|(count, _)| *count > 0);
    told.map(|(count, what)| format!("{count} {what}"))
        .collect()
}

/// A file's name without the endings.
fn title(name: &str) -> String {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let endings = [".csv", ".pickle", ".pkl", ".mpt", ".log"];
    let plain = endings.iter().find_map(|it| name.strip_suffix(it));
    plain.unwrap_or(name).to_owned()
}

#[derive(Default)]
struct Writer {
    trace: Trace,
    live: HashMap<u64, u32>,
    held: HashMap<u64, u32>,
    /// Streams are numbered from 0 in the order in which they come.
    streams: HashMap<u32, u32>,
    /// Where a stream with that handle is in the recording's table.
    places: HashMap<u64, u32>,
    events: u32,
    /// The event of each recording in the trace, by its number in the file.
    recordings: HashMap<u64, u32>,
    reserved: Reserved,
    peak_reserved: u64,
}

impl Writer {
    fn event(&mut self, event: &Event, at_once: bool) {
        let stream = self.stream(event.stream);
        match event.kind {
            Kind::Alloc => self.alloc(event, stream),
            Kind::FreeRequested => {
                if let Some(block) = self.live.remove(&event.address) {
                    let held = !at_once;
                    if held {
                        self.held.insert(event.address, block);
                    }
                    self.push(
                        event,
                        Op::Free {
                            block,
                            stream,
                            held,
                        },
                    );
                }
            }
            Kind::FreeCompleted => {
                if let Some(block) = self.held.remove(&event.address) {
                    self.push(event, Op::Settled { block });
                }
            }
            Kind::SegmentAlloc | Kind::SegmentMap | Kind::SegmentFree | Kind::SegmentUnmap => {
                self.note_reserved(event);
            }
            Kind::StreamUse => {
                if let Some(&block) = self.live.get(&event.address) {
                    self.push(event, Op::Use { block, stream });
                }
            }
            Kind::EventRecord => {
                let number = self.events;
                self.events += 1;
                self.recordings.insert(event.address, number);
                self.push(
                    event,
                    Op::Record {
                        event: number,
                        stream,
                    },
                );
            }
            Kind::StreamWait => {
                if let Some(&number) = self.recordings.get(&event.bytes) {
                    self.push(
                        event,
                        Op::Wait {
                            event: number,
                            stream,
                        },
                    );
                    return;
                }
                // A stream that never allocated has nothing to wait for.
                let Some(&place) = self.places.get(&event.address) else {
                    return;
                };
                let of = self.stream(place);
                let number = self.events;
                self.events += 1;
                self.push(
                    event,
                    Op::Record {
                        event: number,
                        stream: of,
                    },
                );
                self.push(
                    event,
                    Op::Wait {
                        event: number,
                        stream,
                    },
                );
            }
            Kind::OutOfMemory | Kind::Mark | Kind::RangeBegin | Kind::RangeEnd | Kind::Snapshot => {
            }
        }
    }

    fn stream(&mut self, stream: u32) -> u32 {
        let next = u32::try_from(self.streams.len()).unwrap_or(u32::MAX);
        *self.streams.entry(stream).or_insert(next)
    }

    fn push(&mut self, event: &Event, op: Op) {
        self.trace.ops.push(op);
        self.trace.times.push(event.time_ns);
    }

    fn alloc(&mut self, event: &Event, stream: u32) {
        let block = u32::try_from(self.trace.blocks).unwrap_or(u32::MAX);
        self.live.insert(event.address, block);
        self.trace.blocks += 1;
        let bytes = event.bytes;
        self.push(
            event,
            Op::Alloc {
                block,
                bytes,
                stream,
            },
        );
        self.note_reserved(event);
    }

    fn note_reserved(&mut self, event: &Event) {
        self.reserved.apply(event);
        self.peak_reserved = self.peak_reserved.max(self.reserved.bytes());
    }

    fn finish(mut self) -> Trace {
        self.trace.recorded_reserved = self.reserved.has_segments().then_some(self.peak_reserved);
        // Without any completion there is nothing to be learnt about reuse.
        let settles = |op: &Op| matches!(op, Op::Settled { .. });
        if !self.trace.ops.iter().any(settles) {
            for op in &mut self.trace.ops {
                if let Op::Free { held, .. } = op {
                    *held = false;
                }
            }
        }
        self.trace
    }
}
