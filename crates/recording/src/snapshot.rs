//! Memory snapshots of PyTorch and `torch_npu`: what `torch.cuda.memory._snapshot()` returns, pickled.
//!
//! The dictionaries of a snapshot are told apart by their keys, because a pickle completes the inner ones first:
//!
//! | keys | what it is |
//! | --- | --- |
//! | `filename`, `name`, `line` | a frame of a call stack |
//! | `action`, `addr`, `size`, `stream`, `frames`, `time_us` | an event of a device; its list's place in `device_traces` is the device |
//! | `state`, `size`, `address` | a block of a segment |
//! | `total_size`, `blocks` | a segment as it was when the snapshot was taken |
//! | `stage`, `name`, `time_us` | the begin or end of an annotation |
//! | `expandable_segments`, `max_split_size` and others | the allocator's settings |
//!
//! Everything else is skipped.

use crate::builder::{Lane, MOST_BYTES};
use crate::error::Fault;
use crate::event::{Event, Kind, StackId, TextId};
use crate::input::Input;
use crate::kept::Kept;
use crate::pickle::{Machine, Meaning, Value};
use crate::source::{About, Allocator, Notes};
use crate::tables::{Device, Frame, MOST_DEVICES, Tables};

/// Keys and words, numbered from 1 in this order because the tables get them first.
const WORDS: [&str; 29] = [
    "action",
    "addr",
    "size",
    "stream",
    "frames",
    "time_us",
    "filename",
    "name",
    "line",
    "state",
    "address",
    "requested_size",
    "total_size",
    "blocks",
    "device",
    "is_expandable",
    "stage",
    "active_allocated",
    "active_pending_free",
    "START",
    "END",
    "device_free",
    "user_metadata",
    "expandable_segments",
    "max_split_size",
    "garbage_collection_threshold",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_NPU_ALLOC_CONF",
];

const ACTION: TextId = TextId(1);
const ADDR: TextId = TextId(2);
const SIZE: TextId = TextId(3);
const STREAM: TextId = TextId(4);
const FRAMES: TextId = TextId(5);
const TIME: TextId = TextId(6);
const FILENAME: TextId = TextId(7);
const NAME: TextId = TextId(8);
const LINE: TextId = TextId(9);
const STATE: TextId = TextId(10);
const ADDRESS: TextId = TextId(11);
const REQUESTED: TextId = TextId(12);
const TOTAL: TextId = TextId(13);
const BLOCKS: TextId = TextId(14);
const DEVICE: TextId = TextId(15);
const EXPANDABLE: TextId = TextId(16);
const STAGE: TextId = TextId(17);
const ALLOCATED: TextId = TextId(18);
const PENDING: TextId = TextId(19);
const START: TextId = TextId(20);
const END: TextId = TextId(21);
const DEVICE_FREE: TextId = TextId(22);
const METADATA: TextId = TextId(23);
/// From here on, the words are settings.
const SETTINGS: u32 = 24;

/// The longest text that a nested setting becomes.
const LONGEST_SETTING: usize = 4096;

/// A block of a segment, at the end of the recording.
#[derive(Debug, Clone, Copy)]
struct Block {
    address: Option<u64>,
    bytes: u64,
    requested: u64,
    live: bool,
    stack: StackId,
}

/// A list while it grows: what its items were.
#[derive(Debug, Default)]
pub(crate) struct List {
    items: u64,
    frames: Vec<u32>,
    blocks: Vec<Block>,
    lane: Option<u32>,
}

#[derive(Debug)]
struct Snapshot {
    tables: Tables,
    notes: Notes,
    lanes: Vec<Lane>,
    /// The device of each lane, when its list has a place.
    devices: Vec<Option<u32>>,
    /// The event that was completed last, with its stream, until its list takes it.
    event: Option<(Event, u64)>,
    /// The same for a block.
    block: Option<Block>,
    /// Lists of blocks that are not yet in a segment.
    lists: Vec<Option<Vec<Block>>>,
    /// Segments and blocks at the end; `device` is the index of the device, `stream` the place in `end_streams`.
    end: Vec<Event>,
    /// Bytes of those together.
    end_bytes: u64,
    end_streams: Vec<u64>,
    annotations: Lane,
    settings: Vec<(String, String)>,
    padding: Padding,
    recognised: bool,
    timeless: u64,
}

pub(crate) fn read(mut input: Input<'_>, mut about: About) -> Result<Kept, Fault> {
    let mut snapshot = Snapshot {
        tables: Tables::default(),
        notes: Notes::default(),
        lanes: Vec::new(),
        devices: Vec::new(),
        event: None,
        block: None,
        lists: Vec::new(),
        end: Vec::new(),
        end_bytes: 0,
        end_streams: Vec::new(),
        annotations: Lane::default(),
        settings: Vec::new(),
        padding: Padding::default(),
        recognised: false,
        timeless: 0,
    };
    for word in WORDS {
        snapshot.tables.add_text(word);
    }
    Machine::new(&mut input, &mut snapshot).run()?;
    if !snapshot.recognised {
        return Err(Fault::at(
            0,
            "this pickle is not a memory snapshot: it has neither segments nor events. Write one with \
             torch.cuda.memory._dump_snapshot(), after torch.cuda.memory._record_memory_history()",
        ));
    }
    about.settings = std::mem::take(&mut snapshot.settings);
    snapshot.complete(&mut about.settings);
    about.allocator = snapshot.allocator(&about.settings);
    about.has_times = snapshot.timeless == 0;
    Ok(snapshot.finish(about))
}

/// Live blocks for whole units of the allocator: how many are as large as was asked for, and how many one unit larger.
#[derive(Debug, Default)]
struct Padding {
    exact: u64,
    padded: u64,
}

impl Padding {
    const UNIT: u64 = 512;
    /// Rests of small blocks are split off whenever they have a unit, so their size tells what was asked of the allocator.
    const SMALL: u64 = 512 << 10;

    fn saw(&mut self, block: &Block) {
        let asked = block.requested;
        if !block.live || asked == 0 || asked > Self::SMALL || !asked.is_multiple_of(Self::UNIT) {
            return;
        }
        self.exact += u64::from(block.bytes == asked);
        self.padded += u64::from(block.bytes == asked + Self::UNIT);
    }
}

/// Whether a frame is of `torch_npu`: its Python, or its part of C++.
fn is_npu(tables: &Tables, frame: &Frame) -> bool {
    let (file, function) = (tables.text(frame.file), tables.text(frame.function));
    file.contains("/torch_npu/")
        || file.contains("libtorch_npu")
        || function.starts_with("c10_npu::")
}

impl Snapshot {
    /// `torch_npu` shows in what it adds to requests, and, from CANN 9.1 on, where it adds nothing, in its setting or its frames.
    fn allocator(&self, settings: &[(String, String)]) -> Option<Allocator> {
        let pads = self.padding.exact == 0;
        let is_told = settings
            .iter()
            .any(|(name, _)| name == "PYTORCH_NPU_ALLOC_CONF")
            || self
                .tables
                .frames()
                .iter()
                .any(|frame| is_npu(&self.tables, frame));
        (pads && self.padding.padded > 0 || is_told).then_some(Allocator::TorchNpu { pads })
    }

    /// `torch_npu` writes no settings; its segments tell whether they grow.
    fn complete(&self, settings: &mut Vec<(String, String)>) {
        let grows = self.end.iter().any(|it| it.kind == Kind::SegmentMap);
        if settings.is_empty() && grows {
            settings.push(("expandable_segments".to_owned(), "true".to_owned()));
        }
    }

    fn finish(mut self, about: About) -> Kept {
        // Lanes were numbered as they came; tables have one device for each.
        for (place, device) in self.devices.iter().enumerate() {
            let place = u16::try_from(place).unwrap_or(u16::MAX);
            if let (Some(index), Some(device)) = (device, self.tables.device_mut(place)) {
                device.index = *index;
            }
        }
        let mut end = std::mem::take(&mut self.end);
        for event in &mut end {
            let index = u32::from(event.device);
            let known = self
                .tables
                .devices()
                .iter()
                .position(|device| device.index == index);
            let place = known.unwrap_or_else(|| {
                self.lanes.push(Lane::default());
                usize::from(self.tables.push_device(Device {
                    index,
                    ..Device::default()
                }))
            });
            event.device = u16::try_from(place).unwrap_or(u16::MAX);
            let stream = self
                .end_streams
                .get(event.stream as usize)
                .copied()
                .unwrap_or(0);
            event.stream = self.tables.add_stream(event.device, stream);
            if let Some(lane) = self.lanes.get_mut(place) {
                lane.exists_at_end(*event, &mut self.notes);
            }
        }
        let mut lanes = self.lanes;
        if self.annotations.packed.events() > 0 {
            lanes.push(self.annotations);
        }
        let unix = about.has_times;
        Kept::new(about, self.tables, self.notes, lanes, unix)
    }

    fn frame(&mut self, get: &impl Fn(TextId) -> Option<Value>) -> Value {
        let text = |key| match get(key) {
            Some(Value::Text(text)) => text,
            _ => TextId(0),
        };
        let line = get(LINE).and_then(Value::unsigned).unwrap_or(0);
        let frame = Frame {
            function: text(NAME),
            file: text(FILENAME),
            line: u32::try_from(line).unwrap_or(0),
        };
        Value::Frame(self.tables.add_frame(frame))
    }

    fn event(&mut self, get: &impl Fn(TextId) -> Option<Value>, at: u64) -> Result<Value, Fault> {
        let Some(Value::Text(action)) = get(ACTION) else {
            return Err(Fault::at(at, "the action of an event is not a text"));
        };
        let number = |key: TextId, name: &str| match get(key) {
            None | Some(Value::None) => Ok(0),
            Some(value) => value.unsigned().ok_or_else(|| {
                Fault::at(
                    at,
                    format!("{name} of an event is not a number from 0 to 2^64 - 1"),
                )
            }),
        };
        let Some(kind) = Kind::named(self.tables.text(action)) else {
            self.notes.unknown += 1;
            self.event = Some((NOTHING, UNKNOWN));
            return Ok(Value::Lane(EVENT));
        };
        let stack = match get(FRAMES) {
            Some(Value::Stack(stack)) => stack,
            Some(Value::Used) => {
                return Err(Fault::at(
                    at,
                    "the frames of an event name an object that is not a list of frames",
                ));
            }
            _ => StackId(0),
        };
        let label = match get(METADATA) {
            Some(Value::Text(text)) => text,
            _ => TextId(0),
        };
        let time = if get(TIME).is_some() {
            number(TIME, "time_us")?
        } else {
            // Early versions did not note the time. The order is all there is: one microsecond stands for one event.
            self.timeless += 1;
            self.timeless
        };
        let address = if kind == Kind::OutOfMemory {
            number(DEVICE_FREE, "device_free")?
        } else {
            number(ADDR, "addr")?
        };
        let stream = number(STREAM, "stream")?;
        let event = Event {
            time_ns: nanoseconds(time, at)?,
            address,
            bytes: number(SIZE, "size")?,
            stream: 0,
            stack,
            label,
            device: 0,
            kind,
        };
        self.event = Some((event, stream));
        Ok(Value::Lane(EVENT))
    }

    fn add_event(&mut self, list: &mut List, at: u64) -> Result<(), Fault> {
        let Some((mut event, stream)) = self.event.take() else {
            return Err(Fault::at(at, "an event is in two lists"));
        };
        let lane = if let Some(lane) = list.lane {
            lane
        } else {
            let lane = self.tables.push_device(Device::default());
            if self.lanes.len() == MOST_DEVICES {
                return Err(Fault::at(
                    at,
                    format!("events of more than {MOST_DEVICES} devices"),
                ));
            }
            self.lanes.push(Lane::default());
            self.devices.push(None);
            *list.lane.insert(lane.into())
        };
        list.items += 1;
        if stream == UNKNOWN {
            return Ok(());
        }
        event.device = u16::try_from(lane).unwrap_or(u16::MAX);
        event.stream = self.tables.add_stream(event.device, stream);
        self.lanes[lane as usize].push(event, at, &mut self.notes)
    }

    fn block(&mut self, get: &impl Fn(TextId) -> Option<Value>) -> Value {
        let number = |key| get(key).and_then(Value::unsigned);
        let bytes = number(SIZE).unwrap_or(0);
        let state = get(STATE);
        let block = Block {
            address: number(ADDRESS),
            bytes,
            requested: number(REQUESTED).unwrap_or(bytes),
            live: state == Some(Value::Text(ALLOCATED)) || state == Some(Value::Text(PENDING)),
            stack: match get(FRAMES) {
                Some(Value::Stack(stack)) => stack,
                _ => StackId(0),
            },
        };
        self.padding.saw(&block);
        self.block = Some(block);
        Value::Blocks(BLOCK)
    }

    fn segment(&mut self, get: &impl Fn(TextId) -> Option<Value>, at: u64) -> Result<Value, Fault> {
        let number = |key| get(key).and_then(Value::unsigned).unwrap_or(0);
        let device = device(number(DEVICE), at)?;
        let stream = u32::try_from(self.end_streams.len()).unwrap_or(u32::MAX);
        self.end_streams.push(number(STREAM));
        let expandable = get(EXPANDABLE) == Some(Value::Bool(true));
        let segment = Event {
            address: number(ADDRESS),
            bytes: number(TOTAL),
            stream,
            device,
            kind: if expandable {
                Kind::SegmentMap
            } else {
                Kind::SegmentAlloc
            },
            ..NOTHING
        };
        let too_much =
            segment.bytes > MOST_BYTES || segment.address.checked_add(segment.bytes).is_none();
        self.end_bytes = self.end_bytes.saturating_add(segment.bytes);
        if too_much || self.end_bytes > MOST_BYTES {
            return Err(Fault::at(
                at,
                format!(
                    "a segment of {} bytes at {:#x}: no device has so much memory",
                    segment.bytes, segment.address
                ),
            ));
        }
        self.end.push(segment);
        let blocks = match get(BLOCKS) {
            Some(Value::Blocks(list)) => self.lists.get_mut(list as usize).and_then(Option::take),
            _ => None,
        };
        // Python writes a thousand segments before it appends the first, so lists of later ones are there already.
        while matches!(self.lists.last(), Some(None)) {
            self.lists.pop();
        }
        let mut next = segment.address;
        for block in blocks.unwrap_or_default() {
            let address = block.address.unwrap_or(next);
            next = address.checked_add(block.bytes).ok_or_else(|| {
                Fault::at(
                    at,
                    format!(
                        "a block of {} bytes at {address:#x}: no device has so much memory",
                        block.bytes
                    ),
                )
            })?;
            if block.live {
                self.end_bytes = self.end_bytes.saturating_add(block.requested);
                if self.end_bytes > MOST_BYTES {
                    return Err(Fault::at(
                        at,
                        format!(
                            "a block of {} bytes at {address:#x}: no device has so much memory",
                            block.requested
                        ),
                    ));
                }
                self.end.push(Event {
                    address,
                    bytes: block.requested,
                    stack: block.stack,
                    kind: Kind::Alloc,
                    ..segment
                });
            }
        }
        Ok(Value::Used)
    }

    fn annotation(
        &mut self,
        get: &impl Fn(TextId) -> Option<Value>,
        at: u64,
    ) -> Result<Value, Fault> {
        let label = match get(NAME) {
            Some(Value::Text(text)) => text,
            _ => TextId(0),
        };
        let kind = match get(STAGE) {
            Some(Value::Text(START)) => Kind::RangeBegin,
            Some(Value::Text(END)) => Kind::RangeEnd,
            _ => Kind::Mark,
        };
        let time = get(TIME).and_then(Value::unsigned).unwrap_or(0);
        let event = Event {
            time_ns: nanoseconds(time, at)?,
            label,
            kind,
            ..NOTHING
        };
        self.annotations.push(event, at, &mut self.notes)?;
        Ok(Value::Used)
    }

    fn written(&self, value: Value) -> Option<String> {
        Some(match value {
            Value::Text(text) => self.tables.text(text).to_owned(),
            Value::Int(number) => number.to_string(),
            Value::Large(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Bool(yes) => yes.to_string(),
            _ => return None,
        })
    }

    /// A dictionary of scalars, as one text: a setting may be one.
    fn other(&mut self, fields: &[(TextId, Value)]) -> Value {
        if fields.is_empty() || fields.len() > 64 {
            return Value::Used;
        }
        let mut pairs = Vec::new();
        for &(key, value) in fields {
            let Some(value) = self.written(value) else {
                return Value::Used;
            };
            pairs.push(format!("{}:{value}", self.tables.text(key)));
        }
        let text = pairs.join(",");
        if text.len() > LONGEST_SETTING {
            return Value::Used;
        }
        Value::Text(self.tables.add_text(&text))
    }
}

/// In place of a number of a lane or list: one event, one block.
const EVENT: u32 = u32::MAX;
const BLOCK: u32 = u32::MAX;
/// In place of a stream: an event that is left out.
const UNKNOWN: u64 = u64::MAX;

const NOTHING: Event = Event {
    time_ns: 0,
    address: 0,
    bytes: 0,
    stream: 0,
    stack: StackId(0),
    label: TextId(0),
    device: 0,
    kind: Kind::Snapshot,
};

/// The index of a device.
fn device(index: u64, at: u64) -> Result<u16, Fault> {
    u16::try_from(index)
        .ok()
        .filter(|&index| usize::from(index) < MOST_DEVICES)
        .ok_or_else(|| {
            Fault::at(
                at,
                format!(
                    "a device with the index {index}; at most {} is expected",
                    MOST_DEVICES - 1
                ),
            )
        })
}

fn nanoseconds(microseconds: u64, at: u64) -> Result<u64, Fault> {
    microseconds
        .checked_mul(1000)
        .ok_or_else(|| Fault::at(at, format!("time_us is {microseconds}, too large")))
}

impl Meaning for Snapshot {
    type List = List;

    fn text(&mut self, text: &str) -> TextId {
        self.tables.add_text(text)
    }

    fn spell(&self, text: TextId) -> &str {
        self.tables.text(text)
    }

    fn dict(&mut self, fields: &[(TextId, Value)], at: u64) -> Result<Value, Fault> {
        let get = |key: TextId| {
            fields
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| *value)
        };
        let has = |key: TextId| get(key).is_some();
        if has(ACTION) {
            self.recognised = true;
            return self.event(&get, at);
        }
        if has(FILENAME) && has(LINE) {
            return Ok(self.frame(&get));
        }
        if has(TOTAL) && has(BLOCKS) {
            self.recognised = true;
            return self.segment(&get, at);
        }
        if has(STATE) && has(SIZE) {
            return Ok(self.block(&get));
        }
        if has(STAGE) && has(TIME) {
            return self.annotation(&get, at);
        }
        let is_setting =
            |&(key, _): &(TextId, Value)| key.0 >= SETTINGS && (key.0 as usize) <= WORDS.len();
        if fields.iter().any(is_setting) && self.settings.is_empty() {
            for &(key, value) in fields {
                if let Some(value) = self.written(value) {
                    self.settings
                        .push((self.tables.text(key).to_owned(), value));
                }
            }
            return Ok(Value::Used);
        }
        // A snapshot of nothing is a snapshot too.
        let empty = ["segments", "device_traces"];
        if fields
            .iter()
            .any(|&(key, _)| empty.contains(&self.tables.text(key)))
        {
            self.recognised = true;
            return Ok(Value::Used);
        }
        Ok(self.other(fields))
    }

    fn item(&mut self, list: &mut List, item: Value, at: u64) -> Result<(), Fault> {
        match item {
            Value::Frame(frame) => list.frames.push(frame),
            Value::Lane(EVENT) => return self.add_event(list, at),
            Value::Blocks(BLOCK) => list.blocks.extend(self.block.take()),
            Value::Lane(lane) => {
                let index = device(list.items, at)?;
                if let Some(device) = self.devices.get_mut(lane as usize) {
                    *device = Some(index.into());
                }
            }
            Value::Used if list.lane.is_some() => {
                return Err(Fault::at(
                    at,
                    "a list of events names an object that is not an event of its own",
                ));
            }
            _ => {}
        }
        list.items += 1;
        Ok(())
    }

    fn list(&mut self, list: List, _at: u64) -> Result<Value, Fault> {
        if let Some(lane) = list.lane {
            return Ok(Value::Lane(lane));
        }
        if !list.blocks.is_empty() {
            self.lists.push(Some(list.blocks));
            return Ok(Value::Blocks(
                u32::try_from(self.lists.len() - 1).unwrap_or(BLOCK),
            ));
        }
        // Without frames, the empty stack: the lists of devices without events are empty too.
        Ok(Value::Stack(self.tables.add_stack(&list.frames)))
    }
}
