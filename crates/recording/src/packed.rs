//! Events in memory, packed: about ten bytes each instead of forty.
//!
//! Foreign files are read once and kept like this, because what was alive before the first event is only known after
//! the last one. Each chunk is decoded on its own.
//!
//! An event is a byte with its kind and flags, and then numbers of seven bits a byte, the lowest first: the time since
//! the event before, the distance of the address from the one before (as z: even for z/2, odd for -(z+1)/2), the bytes,
//! and what the flags announce. A completed free that follows its request is two numbers.

use crate::event::{Event, Kind, StackId, TextId};

/// A chunk is closed when it has this many bytes.
const CHUNK: usize = 1 << 16;
/// The largest event.
const LARGEST: usize = 1 + 3 * 10 + 4 * 5;

const STACK: u8 = 0x10;
const LABEL: u8 = 0x20;
const STREAM: u8 = 0x40;
const DEVICE: u8 = 0x80;
/// In place of a kind: the block of the event before is completed.
const COMPLETED: u8 = 15;

const START: Event = Event {
    time_ns: 0,
    address: 0,
    bytes: 0,
    stream: 0,
    stack: StackId(0),
    label: TextId(0),
    device: 0,
    kind: Kind::Snapshot,
};

/// Packed events.
#[derive(Debug, Clone, Default)]
pub(crate) struct Packed {
    chunks: Vec<Box<[u8]>>,
    open: Vec<u8>,
    last: Option<Event>,
    events: u64,
}

impl Packed {
    pub(crate) fn push(&mut self, event: Event) {
        if self.open.len() + LARGEST > CHUNK {
            self.close();
        }
        let before = self.last.unwrap_or(START);
        let bytes = &mut self.open;
        let completes = Event {
            time_ns: event.time_ns,
            kind: Kind::FreeCompleted,
            ..before
        };
        if before.kind == Kind::FreeRequested && event == completes {
            bytes.push(COMPLETED);
            put(bytes, event.time_ns.wrapping_sub(before.time_ns));
        } else {
            let flag = |set: bool, flag: u8| if set { flag } else { 0 };
            bytes.push(
                event.kind as u8
                    | flag(event.stack != StackId(0), STACK)
                    | flag(event.label != TextId(0), LABEL)
                    | flag(event.stream != before.stream, STREAM)
                    | flag(event.device != before.device, DEVICE),
            );
            put(bytes, event.time_ns.wrapping_sub(before.time_ns));
            let distance = event.address.wrapping_sub(before.address).cast_signed();
            put(bytes, ((distance << 1) ^ (distance >> 63)).cast_unsigned());
            put(bytes, event.bytes);
            if event.stack != StackId(0) {
                put(bytes, event.stack.0.into());
            }
            if event.label != TextId(0) {
                put(bytes, event.label.0.into());
            }
            if event.stream != before.stream {
                put(bytes, event.stream.into());
            }
            if event.device != before.device {
                put(bytes, event.device.into());
            }
        }
        self.last = Some(event);
        self.events += 1;
    }

    /// To be called after the last event.
    pub(crate) fn close(&mut self) {
        if !self.open.is_empty() {
            self.chunks.push(self.open.as_slice().into());
            self.open.clear();
        }
        self.last = None;
    }

    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    #[cfg(test)]
    pub(crate) fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Appends the events of a chunk. Returns whether it exists.
    pub(crate) fn unpack(&self, chunk: usize, into: &mut Vec<Event>) -> bool {
        let Some(bytes) = self.chunks.get(chunk) else {
            return false;
        };
        let mut bytes = &bytes[..];
        let mut event = START;
        while let Some((&first, rest)) = bytes.split_first() {
            bytes = rest;
            event.time_ns = event.time_ns.wrapping_add(take(&mut bytes));
            if first == COMPLETED {
                event.kind = Kind::FreeCompleted;
                into.push(event);
                continue;
            }
            event.kind = Kind::ALL[usize::from(first & 15)];
            let distance = take(&mut bytes);
            let distance = (distance >> 1) ^ (distance & 1).wrapping_neg();
            event.address = event.address.wrapping_add(distance);
            event.bytes = take(&mut bytes);
            event.stack = StackId(small(first & STACK, &mut bytes, 0));
            event.label = TextId(small(first & LABEL, &mut bytes, 0));
            event.stream = small(first & STREAM, &mut bytes, event.stream);
            let device = small(first & DEVICE, &mut bytes, event.device.into());
            event.device = u16::try_from(device).unwrap_or(u16::MAX);
            into.push(event);
        }
        true
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(0x80 | (number & 0x7F) as u8);
        number >>= 7;
    }
    bytes.push((number & 0x7F) as u8);
}

/// A number that `put` wrote: this module reads only what it wrote itself.
fn take(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte < 0x80 || shift > 63 {
            break;
        }
    }
    number
}

fn small(flag: u8, bytes: &mut &[u8], otherwise: u32) -> u32 {
    if flag == 0 {
        return otherwise;
    }
    u32::try_from(take(bytes)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event() -> impl Strategy<Value = Event> {
        (
            any::<(u64, u64, u64)>(),
            any::<(u32, u32, u32, u16)>(),
            0..Kind::ALL.len(),
            0..4_u8,
        )
            .prop_map(
                |((time_ns, address, bytes), (stream, stack, label, device), kind, few)| {
                    let plain = few > 0;
                    Event {
                        time_ns,
                        address,
                        bytes,
                        stream: if plain { 1 } else { stream },
                        stack: StackId(if plain { 0 } else { stack }),
                        label: TextId(if plain { 0 } else { label }),
                        device: if plain { 0 } else { device },
                        kind: Kind::ALL[kind],
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_out(mut events in prop::collection::vec(event(), 0..4000)) {
            // Some requests are completed at once, as in real recordings.
            for place in 1..events.len() {
                if events[place - 1].kind == Kind::FreeRequested && place % 2 == 0 {
                    events[place] = Event { kind: Kind::FreeCompleted, ..events[place - 1] };
                }
            }
            let mut packed = Packed::default();
            for &event in &events {
                packed.push(event);
            }
            packed.close();
            let mut out = Vec::new();
            for chunk in 0..packed.chunks() {
                packed.unpack(chunk, &mut out);
            }
            prop_assert_eq!(packed.events(), events.len() as u64);
            prop_assert_eq!(out, events);
        }
    }
}
