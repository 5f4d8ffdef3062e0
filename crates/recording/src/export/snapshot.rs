//! A PyTorch memory snapshot, as `torch.cuda.memory._snapshot()` returns it.
//!
//! What PyTorch does not record (marks, waits) is left out; spans become `external_annotations`.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use super::pickle::{Memo, Pickle};
use super::{ExportError, for_each};
use crate::event::{Event, Kind, StackId};
use crate::ranges::Ranges;
use crate::source::Source;
use crate::tables::Tables;

/// A list or dictionary is appended to in batches of this many, as Python does.
const BATCH: usize = 1000;

struct Frames {
    stacks: HashMap<StackId, Memo>,
    frames: HashMap<u32, Memo>,
}

impl Frames {
    fn write(
        &mut self,
        pickle: &mut Pickle<'_>,
        tables: &Tables,
        stack: StackId,
    ) -> io::Result<()> {
        if let Some(&memo) = self.stacks.get(&stack) {
            return pickle.again(memo);
        }
        let memo = pickle.list()?;
        let mut next = stack;
        while next != StackId(0) {
            let Some(node) = tables.nodes().get(next.0 as usize) else {
                break;
            };
            next = node.parent;
            if let Some(&memo) = self.frames.get(&node.frame) {
                pickle.again(memo)?;
                continue;
            }
            let Some(frame) = tables.frames().get(node.frame as usize) else {
                continue;
            };
            let memo = pickle.dict()?;
            pickle.named("filename", tables.text(frame.file))?;
            pickle.named("name", tables.text(frame.function))?;
            pickle.field("line", frame.line.into())?;
            pickle.close_dict()?;
            self.frames.insert(node.frame, memo);
        }
        pickle.close_list()?;
        self.stacks.insert(stack, memo);
        Ok(())
    }
}

/// What exists on a device at the end.
#[derive(Default)]
struct End {
    blocks: BTreeMap<u64, (Event, bool)>,
    /// Where segments begin; expandable ones are ranges.
    segments: BTreeMap<u64, Event>,
    mapped: Ranges,
}

impl End {
    fn apply(&mut self, event: &Event) {
        let end = event.address.saturating_add(event.bytes);
        match event.kind {
            Kind::Alloc => drop(self.blocks.insert(event.address, (*event, true))),
            Kind::FreeRequested => {
                if let Some((_, allocated)) = self.blocks.get_mut(&event.address) {
                    *allocated = false;
                }
            }
            Kind::FreeCompleted => drop(self.blocks.remove(&event.address)),
            Kind::SegmentAlloc => drop(self.segments.insert(event.address, *event)),
            Kind::SegmentFree => drop(self.segments.remove(&event.address)),
            Kind::SegmentMap => self.mapped.add(event.address, end),
            Kind::SegmentUnmap => drop(self.mapped.remove(event.address, end)),
            _ => {}
        }
    }
}

pub(super) fn write(source: &mut dyn Source, out: &mut dyn Write) -> Result<(), ExportError> {
    let began = source.about().began_unix_ns.unwrap_or(0);
    let microseconds = |event: &Event| began.saturating_add(event.time_ns) / 1000;
    let mut pickle = Pickle::begin(out)?;
    let mut frames = Frames {
        stacks: HashMap::new(),
        frames: HashMap::new(),
    };
    let mut annotations: Vec<Event> = Vec::new();
    let devices = source.tables().devices().to_vec();
    let last = devices.iter().map(|device| device.index).max().unwrap_or(0);
    let mut ends: Vec<(u32, u16, End)> = Vec::new();
    pickle.dict()?;
    pickle.text("device_traces")?;
    pickle.list()?;
    // The place in the list is the device.
    for index in 0..=last {
        pickle.list()?;
        for (place, _) in (0..)
            .zip(&devices)
            .filter(|(_, device)| device.index == index)
        {
            let mut end = End::default();
            let mut written = 0;
            source.rewind()?;
            for_each(source, |tables, event, before| {
                if event.device != place {
                    return Ok(());
                }
                end.apply(event);
                if matches!(event.kind, Kind::RangeBegin | Kind::RangeEnd) {
                    annotations.push(*event);
                }
                let stands_for = !matches!(
                    event.kind,
                    Kind::Mark
                        | Kind::RangeBegin
                        | Kind::RangeEnd
                        | Kind::StreamWait
                        | Kind::StreamUse
                        | Kind::EventRecord
                );
                if before || !stands_for {
                    return Ok(());
                }
                written += 1;
                if written % BATCH == 0 {
                    pickle.next_items()?;
                }
                pickle.dict()?;
                pickle.named("action", event.kind.name())?;
                let address = if event.kind == Kind::OutOfMemory {
                    0
                } else {
                    event.address
                };
                pickle.field("addr", address)?;
                if event.kind == Kind::OutOfMemory {
                    pickle.field("device_free", event.address)?;
                }
                pickle.field("size", event.bytes)?;
                pickle.field("stream", stream(tables, event))?;
                pickle.field("time_us", microseconds(event))?;
                pickle.text("frames")?;
                frames.write(&mut pickle, tables, event.stack)?;
                pickle.close_dict()?;
                Ok(())
            })?;
            ends.push((index, place, end));
        }
        pickle.close_list()?;
    }
    pickle.close_list()?;
    pickle.text("segments")?;
    pickle.list()?;
    for (index, _, end) in &mut ends {
        segments(&mut pickle, source.tables(), &mut frames, *index, end)?;
    }
    pickle.close_list()?;
    pickle.text("allocator_settings")?;
    pickle.dict()?;
    for (name, value) in &source.about().settings {
        pickle.named(name, value)?;
    }
    pickle.close_dict()?;
    pickle.text("external_annotations")?;
    pickle.list()?;
    for event in &annotations {
        pickle.dict()?;
        let device = devices.get(usize::from(event.device));
        let index = device.map_or(0, |device| device.index);
        pickle.field("device", index.into())?;
        pickle.field("time_us", microseconds(event))?;
        pickle.named("name", source.tables().text(event.label))?;
        pickle.named(
            "stage",
            if event.kind == Kind::RangeBegin {
                "START"
            } else {
                "END"
            },
        )?;
        pickle.close_dict()?;
    }
    pickle.close_list()?;
    pickle.close_dict()?;
    pickle.end()?;
    Ok(())
}

fn stream(tables: &Tables, event: &Event) -> u64 {
    tables
        .streams()
        .get(event.stream as usize)
        .map_or(0, |stream| stream.number)
}

fn segments(
    pickle: &mut Pickle<'_>,
    tables: &Tables,
    frames: &mut Frames,
    device: u32,
    end: &mut End,
) -> io::Result<()> {
    // Start, bytes, whether it can grow, its event.
    let mut all: Vec<(u64, u64, bool, Option<Event>)> = Vec::new();
    for (start, stop) in end.mapped.iter() {
        all.push((start, stop - start, true, None));
    }
    for (&start, event) in &end.segments {
        all.push((start, event.bytes, false, Some(*event)));
    }
    all.sort_by_key(|segment| segment.0);
    // A recording without segments has one around each block.
    let mut covered = Ranges::default();
    for segment in &all {
        covered.add(segment.0, segment.0.saturating_add(segment.1));
    }
    for (&address, (event, _)) in &end.blocks {
        let stop = address.saturating_add(event.bytes);
        if !covered.missing(address, stop).is_empty() {
            covered.add(address, stop);
            all.push((address, event.bytes, false, Some(*event)));
        }
    }
    all.sort_by_key(|segment| segment.0);
    let mut reached = 0;
    for (start, bytes, expandable, event) in all {
        // Pages may be mapped into what was a segment already: no byte and no block is in two segments.
        let stop = start.saturating_add(bytes);
        let start = start.max(reached);
        if start >= stop {
            continue;
        }
        reached = stop;
        let bytes = stop - start;
        let blocks: Vec<(u64, Event, bool)> = end
            .blocks
            .range(start..stop)
            .map(|(&at, &(event, allocated))| (at, event, allocated))
            .collect();
        let sum = |only: bool| {
            blocks
                .iter()
                .filter(|block| block.2 || !only)
                .map(|block| block.1.bytes)
                .sum::<u64>()
        };
        pickle.dict()?;
        pickle.field("device", device.into())?;
        pickle.field("address", start)?;
        pickle.field("total_size", bytes)?;
        pickle.field("allocated_size", sum(true))?;
        pickle.field("active_size", sum(false))?;
        pickle.field("requested_size", sum(true))?;
        let owner = event.or(blocks.first().map(|block| block.1));
        pickle.field("stream", owner.map_or(0, |event| stream(tables, &event)))?;
        pickle.named(
            "segment_type",
            if bytes > 2 << 20 { "large" } else { "small" },
        )?;
        pickle.text("is_expandable")?;
        pickle.bool(expandable)?;
        pickle.text("frames")?;
        frames.write(
            pickle,
            tables,
            event.map_or(StackId(0), |event| event.stack),
        )?;
        pickle.text("blocks")?;
        pickle.list()?;
        let mut at = start;
        let mut written = 0;
        let mut block = |pickle: &mut Pickle<'_>, address, bytes, requested, state, stack| {
            written += 1;
            if written % BATCH == 0 {
                pickle.next_items()?;
            }
            pickle.dict()?;
            pickle.field("address", address)?;
            pickle.field("size", bytes)?;
            pickle.field("requested_size", requested)?;
            pickle.named("state", state)?;
            pickle.text("frames")?;
            frames.write(pickle, tables, stack)?;
            pickle.close_dict()
        };
        for (place, &(address, event, allocated)) in blocks.iter().enumerate() {
            if address > at {
                block(pickle, at, address - at, 0, "inactive", StackId(0))?;
            }
            // What the allocator rounds up to, up to the next block.
            let next = blocks.get(place + 1).map_or(stop, |next| next.0);
            let size = event
                .bytes
                .next_multiple_of(512)
                .min(next - address)
                .max(event.bytes.min(next - address));
            let state = if allocated {
                "active_allocated"
            } else {
                "active_pending_free"
            };
            block(pickle, address, size, event.bytes, state, event.stack)?;
            at = address + size;
        }
        if at < stop {
            block(pickle, at, stop - at, 0, "inactive", StackId(0))?;
        }
        pickle.close_list()?;
        pickle.close_dict()?;
    }
    Ok(())
}
