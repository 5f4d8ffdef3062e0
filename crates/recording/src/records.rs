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
//! That a block is divided is recorded after the block: most often at once, because a program takes a segment from the device to give a part of
//! it away. So some records are held back. If a block turns out to be divided when its record was already taken into account, the file is
//! read again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};
use std::time::{Duration, UNIX_EPOCH};

use millpond_symbols::{Files, ResolvedFrame, trim};
use millpond_trace::file::Reader;
use millpond_trace::{
    Bytes, Frame as Recorded, NumberMap, Operation, Outcome, Record, Space, TaskKind,
};

use crate::builder::Lane;
use crate::error::Fault;
use crate::event::{Event, Kind, StackId, TextId};
use crate::kept::Kept;
use crate::source::{About, Allocator, Notes};
use crate::tables::{Device, Frame, MOST_DEVICES, Tables};

/// The first bytes of a record file.
pub(crate) const MAGIC: &[u8] = b"\x89MPR\r\n\x1a\n";

type Open<'a> = &'a dyn Fn() -> io::Result<Box<dyn Read + 'a>>;

fn reader<'a>(open: Open<'a>) -> Result<Reader<Box<dyn Read + 'a>>, Fault> {
    let failed = |what: String| Fault::at(0, what);
    let input = open().map_err(|error| failed(error.to_string()))?;
    Reader::new(input).map_err(|error| failed(error.to_string()))
}

/// The most addresses whose names are remembered.
const MOST_NAMES: usize = 1 << 16;

/// Records that are held back. Each may have texts of a megabyte.
const HELD: usize = 64;

/// Reads a file. If `looks_up`, native frames get the names that the modules on this machine have for them.
pub(crate) fn read(open: Open<'_>, mut about: About, looks_up: bool) -> Result<Kept, Fault> {
    let mut divided = Divided::default();
    let world = loop {
        let mut records = reader(open)?;
        if let Some(header) = records.header() {
            about.process = header.process;
            about.began_unix_ns = Some(header.started);
            if !header.program.is_empty() {
                about.title.clone_from(&header.program);
            }
        }
        // A module that was built again since has other functions at the same places.
        let began = records
            .header()
            .map(|header| UNIX_EPOCH + Duration::from_nanos(header.started));
        let files = began
            .filter(|_| looks_up)
            .map_or_else(Files::closed, Files::until);
        let mut world = World {
            divided,
            files,
            ..World::default()
        };
        let read = world.read(&mut records);
        if !world.divided.is_late {
            read?;
            break world;
        }
        // Now all of them are known, so this is the last time.
        divided = Divided {
            found: world.divided.found,
            ..Divided::default()
        };
    };
    about.allocator = world.traits.allocator();
    if world.traits.grows {
        let grows = ("expandable_segments".to_owned(), "true".to_owned());
        about.settings.push(grows);
    }
    Ok(Kept::new(
        about,
        world.tables,
        world.notes,
        world.lanes,
        false,
    ))
}

/// The blocks in which heaps or regions are registered. It is [`HELD`] records ahead of the world.
#[derive(Debug, Default)]
struct Divided {
    found: HashSet<u64>,
    /// What is alive, by address.
    live: BTreeMap<u64, Undivided>,
    /// How many records it saw.
    seen: usize,
    /// The world had a block before it was found.
    is_late: bool,
}

/// A block that is alive.
#[derive(Debug)]
struct Undivided {
    block: u64,
    bytes: u64,
    /// How many records were before its own.
    at: usize,
    /// Or so it was.
    is_found: bool,
}

impl Divided {
    fn see(&mut self, record: &Record) {
        match &record.operation {
            Operation::Allocated {
                block,
                range,
                space: Space::Device(_),
                ..
            } => {
                let new = Undivided {
                    block: *block,
                    bytes: range.bytes,
                    at: self.seen,
                    is_found: false,
                };
                self.live.insert(range.start, new);
            }
            Operation::Freed { range, .. } => {
                self.live.remove(&range.start);
            }
            Operation::HeapRegistered { range, .. } | Operation::RegionRegistered { range, .. } => {
                if let Some((&start, around)) = self.live.range_mut(..=range.start).next_back()
                    && range.start - start < around.bytes
                    && !around.is_found
                {
                    around.is_found = true;
                    let is_new = self.found.insert(around.block);
                    self.is_late |= is_new && self.seen - around.at >= HELD;
                }
            }
            _ => {}
        }
        self.seen += 1;
    }
}

/// Something alive: where it is, and on which device and stream.
#[derive(Debug, Clone, Copy)]
struct Alive {
    range: Bytes,
    device: u16,
    stream: u32,
}

/// The functions that give blocks of the pool on a GPU, and of the plug-in's.
const GPU_ALLOC: &str = "millpondCudaAlloc";
const PLUGIN_ALLOC: &str = "aclrtAllocatorAllocFunc";
/// The domains of `torch_npu`'s regions: now, and in older versions. Recordings of memory only do not name domains.
const NPU_DOMAINS: [&str; 2] = ["ptaCaching", "msleaks"];
/// Blocks of a caching allocator have whole units of this.
const UNIT: u64 = 512;

/// What shows whose allocator it was.
#[derive(Debug, Default)]
struct Traits {
    /// The pool whose function allocated a block.
    pool: Option<Allocator>,
    /// Whether a region is not of whole units, if there are regions as `torch_npu` registers them: by address, without a heap.
    odd_regions: Option<bool>,
    /// Such a region lies in mapped pages, not in a block.
    grows: bool,
    /// Domains of somebody else.
    others: HashSet<u64>,
}

impl Traits {
    fn allocator(&self) -> Option<Allocator> {
        match self.odd_regions {
            // It reports what it has set aside: only sizes that are not rounded are without what it adds.
            Some(pads) => Some(Allocator::TorchNpu { pads }),
            None => self.pool,
        }
    }
}

/// What is known while records are read.
#[derive(Debug, Default)]
struct World {
    traits: Traits,
    tables: Tables,
    notes: Notes,
    lanes: Vec<Lane>,
    divided: Divided,
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
    /// Open ranges of the program.
    ranges: HashMap<u64, (TextId, Alive)>,
    /// The number of each recording of an event that may be waited for, by its position.
    recordings: HashMap<(u64, u64), u64>,
    /// The device of each stream that allocated.
    homes: HashMap<u64, u16>,
    stacks: NumberMap<u32, StackId>,
    modules: BTreeMap<u64, (u64, u64, String)>,
    files: Files,
    /// The frames of return addresses.
    names: HashMap<u64, Vec<ResolvedFrame>>,
    rank: Option<u32>,
}

impl World {
    /// Takes all records into account, unless a block is found to be divided too late; then the others are only looked at for more of them.
    fn read(&mut self, records: &mut Reader<Box<dyn Read + '_>>) -> Result<(), Fault> {
        // The latest records, each with the place of its block in the file.
        let mut held = vec![(Record::default(), 0); HELD];
        let mut taken = Ok(());
        let mut take = |world: &mut Self, (record, at): &(Record, u64)| {
            if taken.is_ok() && !world.divided.is_late {
                taken = world.learn(record).map_err(|fault| Fault {
                    // Records have no places of their own in a packed block.
                    at: Some(*at),
                    line: None,
                    what: format!(
                        "record {} in the block that begins here: {}",
                        record.order, fault.what
                    ),
                });
            }
        };
        loop {
            let next = self.divided.seen % HELD;
            let (record, at) = &mut held[next];
            match records.next_into(record) {
                None => break,
                Some(Err(loss)) => self.notes.lost += loss.records.unwrap_or(1).max(1),
                Some(Ok(())) => {
                    *at = records.block_at();
                    self.divided.see(record);
                    let seen = self.divided.seen;
                    if seen >= HELD {
                        take(self, &held[seen % HELD]);
                    }
                }
            }
        }
        let seen = self.divided.seen;
        for number in seen.saturating_sub(HELD - 1)..seen {
            take(self, &held[number % HELD]);
        }
        self.notes.unknown += records.losses().unknown;
        taken
    }

    fn device(&mut self, index: u32) -> Result<u16, Fault> {
        if index as usize >= MOST_DEVICES {
            return Err(Fault::at(
                0,
                format!(
                    "a device with the index {index}; at most {} is expected",
                    MOST_DEVICES - 1
                ),
            ));
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
        // The caller knows the place.
        lane.push(event, 0, &mut self.notes)
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

    /// Where a mark or a range with that number is. They belong to no device: they go to the first one.
    fn named(&mut self, number: u64, stream: Option<u64>) -> Result<Alive, Fault> {
        let device = self.device_of_marks()?;
        Ok(Alive {
            range: Bytes {
                start: number,
                bytes: 0,
            },
            device,
            stream: self.tables.add_stream(device, stream.unwrap_or(0)),
        })
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
                match &*record.site.call {
                    GPU_ALLOC => self.traits.pool = Some(Allocator::MillpondCuda),
                    PLUGIN_ALLOC => self.traits.pool = Some(Allocator::MillpondPlugin),
                    _ => {}
                }
                let stream = ordered.map_or(0, |position| position.stream);
                self.homes.insert(stream, device);
                let stream = self.tables.add_stream(device, stream);
                let segment = self.divided.found.contains(block);
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
                if self.divided.found.contains(block) {
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
            Operation::DomainCreated { domain, name } if !NPU_DOMAINS.contains(&&**name) => {
                self.traits.others.insert(*domain);
            }
            Operation::RegionRegistered {
                region,
                domain,
                heap,
                device,
                range,
            } => {
                // A region of memory that is not a device's says nothing here.
                if !self.is_known(*range) {
                    return Ok(());
                }
                if heap.is_none() && !self.traits.others.contains(domain) {
                    let odd = self.traits.odd_regions.get_or_insert(false);
                    *odd |= !range.bytes.is_multiple_of(UNIT);
                    self.traits.grows |= self.block_at(range.start).is_none();
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
                let place = self.named(0, *stream)?;
                self.event(record, Kind::Mark, place, label)?;
            }
            Operation::RangeStarted {
                range,
                message,
                stream,
                ..
            } => {
                let label = self.tables.add_text(message);
                let place = self.named(*range, *stream)?;
                self.ranges.insert(*range, (label, place));
                self.event(record, Kind::RangeBegin, place, label)?;
            }
            Operation::RangeEnded { range } => {
                if let Some((label, place)) = self.ranges.remove(range) {
                    self.event(record, Kind::RangeEnd, place, label)?;
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
            Operation::ModuleSeen { range, bias, file } => self.module(*range, *bias, file),
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
            if self.divided.found.contains(&number) {
                self.plain(record, Kind::SegmentFree, alive)?;
            } else {
                self.free(record, alive)?;
            }
        }
        Ok(())
    }

    /// A module takes the addresses of those that were there before.
    fn module(&mut self, range: Bytes, bias: u64, file: &str) {
        let end = range.start.saturating_add(range.bytes);
        while let Some((&start, (bytes, _, _))) = self.modules.range(..end).next_back()
            && start.saturating_add(*bytes) > range.start
        {
            self.modules.remove(&start);
        }
        self.names.clear();
        let module = (range.bytes, bias, file.to_owned());
        self.modules.insert(range.start, module);
    }

    fn stack(&mut self, number: u32, frames: &[Recorded]) {
        let mut resolved = Vec::with_capacity(frames.len());
        let mut named = false;
        for frame in frames {
            match frame {
                Recorded::Named {
                    function,
                    file,
                    line,
                } => {
                    named = true;
                    resolved.push(ResolvedFrame {
                        function: function.clone().into_owned(),
                        file: file.clone().into_owned(),
                        line: *line,
                        ..ResolvedFrame::default()
                    });
                }
                Recorded::Address(address) => resolved.extend(self.native(*address)),
            }
        }
        let places: Vec<u32> = trim(resolved, named)
            .iter()
            .map(|frame| {
                let frame = self.frame(frame);
                self.tables.add_frame(frame)
            })
            .collect();
        let stack = self.tables.add_stack(&places);
        self.stacks.insert(number, stack);
    }

    /// The frames of a return address. Without names, it is a module and a distance: what `addr2line` takes.
    fn native(&mut self, address: u64) -> Vec<ResolvedFrame> {
        if let Some(known) = self.names.get(&address) {
            return known.clone();
        }
        // The call is before it, perhaps at the end of the module.
        let call = address.saturating_sub(1);
        let resolved = match self.modules.range(..=call).next_back() {
            Some((&start, (bytes, bias, file))) if call - start < *bytes => {
                self.files.frames(file, address.wrapping_sub(*bias))
            }
            _ => vec![ResolvedFrame {
                module: format!("{address:#x}"),
                ..ResolvedFrame::default()
            }],
        };
        if self.names.len() == MOST_NAMES {
            self.names.clear();
        }
        self.names.insert(address, resolved.clone());
        resolved
    }

    fn frame(&mut self, frame: &ResolvedFrame) -> Frame {
        let module = frame.module.rsplit_once("+0x").map_or("", |(file, _)| file);
        let file = if frame.file.is_empty() {
            module
        } else {
            &frame.file
        };
        let function = if frame.function.is_empty() {
            let name = frame.module.rsplit('/').next();
            name.unwrap_or_default()
        } else {
            &frame.function
        };
        Frame {
            function: self.tables.add_text(function),
            file: self.tables.add_text(file),
            line: frame.line,
        }
    }
}
