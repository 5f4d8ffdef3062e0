//! Record files of Millpond, through `millpond-trace`.
//!
//! | records | events |
//! | --- | --- |
//! | a block, freed | `Alloc`, `FreeRequested`; `FreeCompleted` at once, or, if queued work still used the block, when the program next synchronised or the address was used again or unmapped |
//! | a block that the program divides, because it registers heaps or regions in it | `SegmentAlloc`, `SegmentFree` |
//! | such a region | `Alloc`, `FreeRequested`, `FreeCompleted`: what a caching allocator such as `torch_npu`'s gives to tensors |
//! | mapped pages | `SegmentMap`, `SegmentUnmap` |
//! | marks and ranges of the program | `Mark`, `RangeBegin`, `RangeEnd` |
//! | an event is recorded, a stream waits for it | `EventRecord`, `StreamWait` |
//! | a block is used by another stream | `StreamUse` |
//!
//! That a block is divided is recorded after the block. So the file is read twice.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};

use millpond_trace::file::Reader;
use millpond_trace::{
    Bytes, Frame as Recorded, NumberMap, Operation, Outcome, Record, Space, TaskKind,
};

use crate::builder::Lane;
use crate::error::Fault;
use crate::event::{Event, Kind, StackId, TextId};
use crate::kept::Kept;
use crate::source::{About, Notes};
use crate::tables::{Device, Frame, MOST_DEVICES, Tables};

/// The first bytes of a record file.
pub(crate) const MAGIC: &[u8] = b"\x89MPR\r\n\x1a\n";

type Open<'a> = &'a dyn Fn() -> io::Result<Box<dyn Read + 'a>>;

fn reader<'a>(open: Open<'a>) -> Result<Reader<Box<dyn Read + 'a>>, Fault> {
    let failed = |what: String| Fault::at(0, what);
    let input = open().map_err(|error| failed(error.to_string()))?;
    Reader::new(input).map_err(|error| failed(error.to_string()))
}

pub(crate) fn read(open: Open<'_>, mut about: About) -> Result<Kept, Fault> {
    let divided = divided(reader(open)?);
    let mut records = reader(open)?;
    if let Some(header) = records.header() {
        about.process = header.process;
        about.began_unix_ns = Some(header.started);
        if !header.program.is_empty() {
            about.title.clone_from(&header.program);
        }
    }
    let mut world = World {
        divided,
        ..World::default()
    };
    while let Some(one) = records.next_ref() {
        match one {
            Ok(record) => world.learn(record)?,
            Err(loss) => world.notes.lost += loss.records.unwrap_or(1).max(1),
        }
    }
    world.notes.unknown += records.losses().unknown;
    Ok(Kept::new(
        about,
        world.tables,
        world.notes,
        world.lanes,
        false,
    ))
}

/// The numbers of blocks in which heaps or regions are registered.
fn divided(mut reader: Reader<Box<dyn Read + '_>>) -> HashSet<u64> {
    let mut live: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    let mut divided = HashSet::new();
    while let Some(one) = reader.next_ref() {
        let Ok(record) = one else { continue };
        match &record.operation {
            Operation::Allocated {
                block,
                range,
                space: Space::Device(_),
                ..
            } => {
                live.insert(range.start, (range.bytes, *block));
            }
            Operation::Freed { range, .. } => {
                live.remove(&range.start);
            }
            Operation::HeapRegistered { range, .. } | Operation::RegionRegistered { range, .. } => {
                if let Some((&start, &(bytes, block))) = live.range(..=range.start).next_back()
                    && range.start - start < bytes
                {
                    divided.insert(block);
                }
            }
            _ => {}
        }
    }
    divided
}

/// Something alive: where it is, and on which device and stream.
#[derive(Debug, Clone, Copy)]
struct Alive {
    range: Bytes,
    device: u16,
    stream: u32,
}

/// What is known while records are read.
#[derive(Debug, Default)]
struct World {
    tables: Tables,
    notes: Notes,
    lanes: Vec<Lane>,
    divided: HashSet<u64>,
    blocks: NumberMap<u64, Alive>,
    /// The number of the block at an address.
    by_address: BTreeMap<u64, u64>,
    regions: NumberMap<u64, Alive>,
    /// Heaps that are not in a block of ours.
    heaps: HashMap<u64, Alive>,
    pieces: HashMap<u64, u32>,
    mapped: crate::ranges::Ranges,
    /// Freed, but still used by queued work, by address.
    retired: BTreeMap<(u16, u64), Alive>,
    ranges: HashMap<u64, TextId>,
    /// The number of each recording of an event that may be waited for, by its position.
    recordings: HashMap<(u64, u64), u64>,
    /// The device of each stream that allocated.
    homes: HashMap<u64, u16>,
    stacks: NumberMap<u32, StackId>,
    modules: BTreeMap<u64, (u64, u64, String)>,
    rank: Option<u32>,
}

impl World {
    fn device(&mut self, index: u32) -> Result<u16, Fault> {
        if index as usize >= MOST_DEVICES {
            return Err(Fault {
                at: None,
                line: None,
                what: format!(
                    "a device with the index {index}; at most {} is expected",
                    MOST_DEVICES - 1
                ),
            });
        }
        let rank = self.rank;
        let known = self
            .tables
            .devices()
            .iter()
            .position(|device| device.index == index);
        let place = known.unwrap_or_else(|| {
            self.lanes.push(Lane::default());
            usize::from(self.tables.push_device(Device {
                rank,
                index,
                capacity: 0,
            }))
        });
        Ok(u16::try_from(place).unwrap_or(u16::MAX))
    }

    fn event(
        &mut self,
        record: &Record,
        kind: Kind,
        alive: Alive,
        label: TextId,
    ) -> Result<(), Fault> {
        let stack = self
            .stacks
            .get(&record.site.stack)
            .copied()
            .unwrap_or_default();
        let event = Event {
            time_ns: record.nanoseconds,
            address: alive.range.start,
            bytes: alive.range.bytes,
            stream: alive.stream,
            stack,
            label,
            device: alive.device,
            kind,
        };
        let Some(lane) = self.lanes.get_mut(usize::from(alive.device)) else {
            return Ok(());
        };
        let fault = |fault: Fault| Fault {
            at: None,
            what: format!("record {}: {}", record.order, fault.what),
            ..fault
        };
        lane.push(event, 0, &mut self.notes).map_err(fault)
    }

    fn plain(&mut self, record: &Record, kind: Kind, alive: Alive) -> Result<(), Fault> {
        self.event(record, kind, alive, TextId(0))
    }

    /// A free that queued work does not delay.
    fn free(&mut self, record: &Record, alive: Alive) -> Result<(), Fault> {
        self.plain(record, Kind::FreeRequested, alive)?;
        self.plain(record, Kind::FreeCompleted, alive)
    }

    fn settle(&mut self, record: &Record) -> Result<(), Fault> {
        for alive in std::mem::take(&mut self.retired).into_values() {
            self.plain(record, Kind::FreeCompleted, alive)?;
        }
        Ok(())
    }

    /// Bytes are used again, or unmapped: whatever was freed there has ended.
    fn end_retired(&mut self, record: &Record, device: u16, range: Bytes) -> Result<(), Fault> {
        let end = range.start.saturating_add(range.bytes.max(1));
        loop {
            let before = self.retired.range((device, 0)..(device, end)).next_back();
            let Some((&place, &alive)) = before else {
                return Ok(());
            };
            if alive.range.start.saturating_add(alive.range.bytes) <= range.start {
                return Ok(());
            }
            self.retired.remove(&place);
            self.plain(record, Kind::FreeCompleted, alive)?;
        }
    }

    /// Marks belong to no device: they go to the first one.
    fn named(
        &mut self,
        record: &Record,
        kind: Kind,
        label: TextId,
        stream: u64,
    ) -> Result<(), Fault> {
        let device = self.device_of_marks()?;
        let stream = self.tables.add_stream(device, stream);
        let nowhere = Alive {
            range: Bytes { start: 0, bytes: 0 },
            device,
            stream,
        };
        self.event(record, kind, nowhere, label)
    }

    fn device_of_marks(&mut self) -> Result<u16, Fault> {
        match self.tables.devices().first().map(|device| device.index) {
            Some(index) => self.device(index),
            None => self.device(0),
        }
    }

    /// The device of a stream: that of its blocks.
    fn home(&mut self, stream: u64) -> Result<u16, Fault> {
        match self.homes.get(&stream) {
            Some(&device) => Ok(device),
            None => self.device_of_marks(),
        }
    }

    /// The block that contains an address.
    fn block_at(&self, address: u64) -> Option<Alive> {
        let (_, block) = self.by_address.range(..=address).next_back()?;
        let alive = self.blocks.get(block)?;
        (address - alive.range.start < alive.range.bytes.max(1)).then_some(*alive)
    }

    fn learn(&mut self, record: &Record) -> Result<(), Fault> {
        match &record.operation {
            Operation::DeviceOpened {
                device, capacity, ..
            } => {
                let place = self.device(*device)?;
                if let Some(device) = self.tables.device_mut(place) {
                    device.capacity = *capacity;
                }
            }
            Operation::RankJoined { rank, .. } if self.rank.is_none() => {
                self.rank = Some(*rank);
                for place in 0..self.tables.devices().len() {
                    if let Some(device) = self
                        .tables
                        .device_mut(u16::try_from(place).unwrap_or(u16::MAX))
                    {
                        device.rank = Some(*rank);
                    }
                }
            }
            Operation::Allocated {
                block,
                space: Space::Device(index),
                range,
                requested,
                ordered,
                ..
            } => {
                let device = self.device(*index)?;
                let stream = ordered.map_or(0, |position| position.stream);
                self.homes.insert(stream, device);
                let stream = self.tables.add_stream(device, stream);
                let segment = self.divided.contains(block);
                let bytes = if segment { range.bytes } else { *requested };
                let alive = Alive {
                    range: Bytes {
                        start: range.start,
                        bytes,
                    },
                    device,
                    stream,
                };
                self.end_retired(record, device, alive.range)?;
                self.blocks.insert(*block, alive);
                self.by_address.insert(range.start, *block);
                self.plain(
                    record,
                    if segment {
                        Kind::SegmentAlloc
                    } else {
                        Kind::Alloc
                    },
                    alive,
                )?;
            }
            Operation::AllocationFailed {
                space: Space::Device(index),
                requested,
                ..
            } => {
                let device = self.device(*index)?;
                let stream = self.tables.add_stream(device, 0);
                let alive = Alive {
                    range: Bytes {
                        start: 0,
                        bytes: *requested,
                    },
                    device,
                    stream,
                };
                self.plain(record, Kind::OutOfMemory, alive)?;
            }
            Operation::Freed { block, retired, .. } => {
                // Pinned memory is not in the recording.
                let Some(alive) = self.blocks.remove(block) else {
                    return Ok(());
                };
                if self.by_address.get(&alive.range.start) == Some(block) {
                    self.by_address.remove(&alive.range.start);
                }
                if self.divided.contains(block) {
                    self.plain(record, Kind::SegmentFree, alive)?;
                } else if *retired {
                    self.plain(record, Kind::FreeRequested, alive)?;
                    let place = (alive.device, alive.range.start);
                    self.retired.insert(place, alive);
                } else {
                    self.free(record, alive)?;
                }
            }
            Operation::Synchronized {
                outcome: Outcome::Done,
                ..
            } => self.settle(record)?,
            Operation::DeviceReset { device } => self.reset(record, *device)?,
            _ => return self.learn_more(record),
        }
        Ok(())
    }

    fn learn_more(&mut self, record: &Record) -> Result<(), Fault> {
        match &record.operation {
            Operation::HeapRegistered {
                heap,
                device,
                range,
                ..
            } if !self.is_known(*range) => {
                let device = self.device(*device)?;
                let stream = self.tables.add_stream(device, 0);
                let alive = Alive {
                    range: *range,
                    device,
                    stream,
                };
                self.heaps.insert(*heap, alive);
                self.plain(record, Kind::SegmentAlloc, alive)?;
            }
            Operation::HeapUnregistered { heap } => {
                if let Some(alive) = self.heaps.remove(heap) {
                    self.plain(record, Kind::SegmentFree, alive)?;
                }
            }
            Operation::RegionRegistered {
                region,
                device,
                range,
                ..
            } => {
                // A region of memory that is not a device's says nothing here.
                if !self.is_known(*range) {
                    return Ok(());
                }
                let device = self.device(*device)?;
                let stream = self.tables.add_stream(device, 0);
                let alive = Alive {
                    range: *range,
                    device,
                    stream,
                };
                self.regions.insert(*region, alive);
                self.plain(record, Kind::Alloc, alive)?;
            }
            Operation::RegionUnregistered { region } => {
                if let Some(alive) = self.regions.remove(region) {
                    self.free(record, alive)?;
                }
            }
            Operation::PhysicalAllocated {
                piece,
                space: Space::Device(device),
                ..
            }
            | Operation::PhysicalImported {
                piece,
                space: Space::Device(device),
                ..
            } => {
                self.pieces.insert(*piece, *device);
            }
            Operation::PhysicalFreed { piece, .. } => drop(self.pieces.remove(piece)),
            Operation::Mapped { piece, range, .. } | Operation::Unmapped { piece, range, .. } => {
                let Some(&device) = self.pieces.get(piece) else {
                    return Ok(());
                };
                let device = self.device(device)?;
                let stream = self.tables.add_stream(device, 0);
                let end = range.start.saturating_add(range.bytes);
                let kind = if matches!(record.operation, Operation::Mapped { .. }) {
                    self.mapped.add(range.start, end);
                    Kind::SegmentMap
                } else {
                    // A pool gives back only what no stream uses any more.
                    self.end_retired(record, device, *range)?;
                    self.mapped.remove(range.start, end);
                    Kind::SegmentUnmap
                };
                self.plain(
                    record,
                    kind,
                    Alive {
                        range: *range,
                        device,
                        stream,
                    },
                )?;
            }
            Operation::Marked {
                message, stream, ..
            } => {
                let label = self.tables.add_text(message);
                self.named(record, Kind::Mark, label, stream.unwrap_or(0))?;
            }
            Operation::RangeStarted {
                range,
                message,
                stream,
                ..
            } => {
                let label = self.tables.add_text(message);
                self.ranges.insert(*range, label);
                self.named(record, Kind::RangeBegin, label, stream.unwrap_or(0))?;
            }
            Operation::RangeEnded { range } => {
                if let Some(label) = self.ranges.remove(range) {
                    self.named(record, Kind::RangeEnd, label, 0)?;
                }
            }
            Operation::Enqueued {
                position,
                accesses,
                captured: Some(other),
                ..
            } if accesses.task == TaskKind::WaitEvent && other.stream != position.stream => {
                let device = self.home(position.stream)?;
                let stream = self.tables.add_stream(device, position.stream);
                let recording = self.recordings.get(&(other.stream, other.task));
                let range = Bytes {
                    start: other.stream,
                    bytes: recording.copied().unwrap_or(0),
                };
                self.plain(
                    record,
                    Kind::StreamWait,
                    Alive {
                        range,
                        device,
                        stream,
                    },
                )?;
            }
            Operation::Enqueued {
                position, accesses, ..
            } if accesses.task == TaskKind::RecordEvent => {
                let number = self.recordings.len() as u64 + 1;
                let place = (position.stream, position.task);
                self.recordings.insert(place, number);
                let device = self.home(position.stream)?;
                let stream = self.tables.add_stream(device, position.stream);
                let range = Bytes {
                    start: number,
                    bytes: 0,
                };
                self.plain(
                    record,
                    Kind::EventRecord,
                    Alive {
                        range,
                        device,
                        stream,
                    },
                )?;
            }
            Operation::UseRecorded { address, position } => {
                let Some(alive) = self.block_at(*address) else {
                    return Ok(());
                };
                let stream = self.tables.add_stream(alive.device, position.stream);
                self.plain(record, Kind::StreamUse, Alive { stream, ..alive })?;
            }
            Operation::StackSeen { stack, frames } => self.stack(*stack, frames),
            Operation::ModuleSeen { range, bias, file } => {
                self.modules
                    .insert(range.start, (range.bytes, *bias, file.clone()));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a range begins in device memory that the recording has: a block, mapped pages, or a heap.
    fn is_known(&self, range: Bytes) -> bool {
        let contains = |alive: &Alive| {
            let distance = range.start.checked_sub(alive.range.start);
            distance.is_some_and(|distance| distance < alive.range.bytes)
        };
        let first = self.by_address.range(..=range.start).next_back();
        first.is_some_and(|(_, block)| self.blocks.get(block).is_some_and(contains))
            || range
                .start
                .checked_add(1)
                .is_some_and(|end| self.mapped.missing(range.start, end).is_empty())
            || self.heaps.values().any(contains)
    }

    /// A reset frees what is left of a device.
    fn reset(&mut self, record: &Record, index: u32) -> Result<(), Fault> {
        self.settle(record)?;
        let device = self.device(index)?;
        let mut regions: Vec<_> = self
            .regions
            .extract_if(|_, alive| alive.device == device)
            .collect();
        regions.sort_by_key(|&(number, _)| number);
        for (_, alive) in regions {
            self.free(record, alive)?;
        }
        let mut blocks: Vec<_> = self
            .blocks
            .extract_if(|_, alive| alive.device == device)
            .collect();
        blocks.sort_by_key(|&(number, _)| number);
        for (number, alive) in blocks {
            if self.divided.contains(&number) {
                self.plain(record, Kind::SegmentFree, alive)?;
            } else {
                self.free(record, alive)?;
            }
        }
        Ok(())
    }

    fn stack(&mut self, number: u32, frames: &[Recorded]) {
        let mut places = Vec::with_capacity(frames.len());
        for frame in frames {
            let frame = match frame {
                Recorded::Named {
                    function,
                    file,
                    line,
                } => Frame {
                    function: self.tables.add_text(function),
                    file: self.tables.add_text(file),
                    line: *line,
                },
                Recorded::Address(address) => self.native(*address),
            };
            places.push(self.tables.add_frame(frame));
        }
        let stack = self.tables.add_stack(&places);
        self.stacks.insert(number, stack);
    }

    /// A return address, as module and distance: what `addr2line` takes.
    fn native(&mut self, address: u64) -> Frame {
        let module = self.modules.range(..=address).next_back();
        let (function, file) = match module {
            Some((&start, (bytes, bias, file))) if address - start < *bytes => {
                let name = file.rsplit('/').next().unwrap_or(file);
                (
                    format!("{name}+{:#x}", address.wrapping_sub(*bias)),
                    file.as_str(),
                )
            }
            _ => (format!("{address:#x}"), ""),
        };
        let file = file.to_owned();
        Frame {
            function: self.tables.add_text(&function),
            file: self.tables.add_text(&file),
            line: 0,
        }
    }
}
