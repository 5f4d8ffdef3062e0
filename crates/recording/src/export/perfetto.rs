//! Perfetto's protobuf: the same as in Chrome's JSON, as tracks.
//!
//! Only a few messages and fields of the schema are needed, so they are written by hand; tests decode the result with the
//! published schema.

use std::collections::HashMap;
use std::io::{self, Write};

use super::spans::{Span, Spans};
use super::totals::Totals;
use super::{ExportError, for_each, site};
use crate::event::{Event, Kind};
use crate::source::Source;
use crate::tables::Tables;

/// Fields of the schema, by message.
mod field {
    pub(super) const TRACE_PACKET: u64 = 1;
    pub(super) mod packet {
        pub(in super::super) const TIMESTAMP: u64 = 8;
        pub(in super::super) const SEQUENCE: u64 = 10;
        pub(in super::super) const TRACK_EVENT: u64 = 11;
        pub(in super::super) const TRACK_DESCRIPTOR: u64 = 60;
    }
    pub(super) mod track {
        pub(in super::super) const UUID: u64 = 1;
        pub(in super::super) const NAME: u64 = 2;
        pub(in super::super) const PROCESS: u64 = 3;
        pub(in super::super) const PARENT: u64 = 5;
        pub(in super::super) const COUNTER: u64 = 8;
    }
    pub(super) mod process {
        pub(in super::super) const PID: u64 = 1;
        pub(in super::super) const NAME: u64 = 6;
    }
    pub(super) mod counter {
        pub(in super::super) const UNIT: u64 = 3;
    }
    pub(super) mod event {
        pub(in super::super) const ANNOTATION: u64 = 4;
        pub(in super::super) const TYPE: u64 = 9;
        pub(in super::super) const TRACK: u64 = 11;
        pub(in super::super) const NAME: u64 = 23;
        pub(in super::super) const COUNTER_VALUE: u64 = 30;
    }
    pub(super) mod annotation {
        pub(in super::super) const UINT: u64 = 3;
        pub(in super::super) const STRING: u64 = 6;
        pub(in super::super) const NAME: u64 = 10;
    }
}

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;
const UNIT_BYTES: u64 = 3;
const SEQUENCE: u64 = 1;

/// A message that is being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn raw(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(0x80 | (number & 0x7F) as u8);
            number >>= 7;
        }
        self.0.push((number & 0x7F) as u8);
    }

    fn number(mut self, field: u64, number: u64) -> Self {
        self.raw(field << 3);
        self.raw(number);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.raw(field << 3 | 2);
        self.raw(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }
}

/// The tracks of a device: itself, its live and its reserved bytes.
fn uuid(device: u64, which: u64) -> u64 {
    1 + device * 3 + which
}

fn packet(message: Message, out: &mut dyn Write) -> io::Result<()> {
    let message = message.number(field::packet::SEQUENCE, SEQUENCE);
    out.write_all(&Message::default().message(field::TRACE_PACKET, &message).0)
}

/// The tracks of spans: of a track, the end of a slice ends the one that began last, so spans that are open together have their own.
struct Tracks {
    /// By stream and lane.
    known: HashMap<(u32, u32), u64>,
    /// Behind those of devices.
    first: u64,
}

impl Tracks {
    /// The track of a span; it is described when it is first used. Those of a stream have one name, so that they are shown as one.
    fn of(
        &mut self,
        tables: &Tables,
        event: &Event,
        span: Span,
        out: &mut dyn Write,
    ) -> io::Result<u64> {
        let next = self.first + self.known.len() as u64;
        let track = *self.known.entry((span.stream, span.lane)).or_insert(next);
        if track == next {
            let stream = tables.streams().get(span.stream as usize);
            let name = format!("spans of stream {}", stream.map_or(0, |it| it.number));
            let track = Message::default()
                .number(field::track::UUID, track)
                .number(field::track::PARENT, uuid(event.device.into(), 0))
                .bytes(field::track::NAME, name.as_bytes());
            packet(
                Message::default().message(field::packet::TRACK_DESCRIPTOR, &track),
                out,
            )?;
        }
        Ok(track)
    }
}

pub(super) fn write(source: &mut dyn Source, out: &mut dyn Write) -> Result<(), ExportError> {
    for (place, device) in (0..).zip(source.tables().devices()) {
        let rank = device
            .rank
            .map_or_else(String::new, |rank| format!("rank {rank}, "));
        let name = format!("{rank}device {}", device.index);
        let process = Message::default()
            .number(field::process::PID, place + 1)
            .bytes(field::process::NAME, name.as_bytes());
        let track = Message::default()
            .number(field::track::UUID, uuid(place, 0))
            .message(field::track::PROCESS, &process);
        packet(
            Message::default().message(field::packet::TRACK_DESCRIPTOR, &track),
            out,
        )?;
        for (which, name) in [(1, "live bytes"), (2, "reserved bytes")] {
            let counter = Message::default().number(field::counter::UNIT, UNIT_BYTES);
            let track = Message::default()
                .number(field::track::UUID, uuid(place, which))
                .number(field::track::PARENT, uuid(place, 0))
                .bytes(field::track::NAME, name.as_bytes())
                .message(field::track::COUNTER, &counter);
            packet(
                Message::default().message(field::packet::TRACK_DESCRIPTOR, &track),
                out,
            )?;
        }
    }
    let mut tracks = Tracks {
        known: HashMap::new(),
        first: uuid(source.tables().devices().len() as u64, 0),
    };
    let mut spans = Spans::default();
    let mut totals = Totals::of(source)?;
    for_each(source, |tables, event, _| {
        let now = totals.apply(event);
        let device = u64::from(event.device);
        let on = |kind: u64, track: u64| {
            Message::default()
                .number(field::event::TYPE, kind)
                .number(field::event::TRACK, track)
        };
        let of = |kind: u64, which: u64| on(kind, uuid(device, which));
        let track_event = |written: &Message, out: &mut dyn Write| {
            let message = Message::default()
                .number(field::packet::TIMESTAMP, event.time_ns)
                .message(field::packet::TRACK_EVENT, written);
            packet(message, out)
        };
        if now.reserved_changed {
            let counter = of(COUNTER, 2).number(field::event::COUNTER_VALUE, now.reserved);
            track_event(&counter, out)?;
        }
        let label = tables.text(event.label).as_bytes();
        let written = match event.kind {
            Kind::Alloc | Kind::FreeRequested => {
                of(COUNTER, 1).number(field::event::COUNTER_VALUE, now.live)
            }
            Kind::Mark => of(INSTANT, 0).bytes(field::event::NAME, label),
            Kind::RangeBegin => {
                let track = tracks.of(tables, event, spans.begin(event), out)?;
                on(SLICE_BEGIN, track).bytes(field::event::NAME, label)
            }
            Kind::RangeEnd => match spans.end(event) {
                Some(span) => on(SLICE_END, tracks.of(tables, event, span, out)?),
                // It began before the recording did.
                None => return Ok(()),
            },
            Kind::OutOfMemory => {
                let bytes = Message::default()
                    .bytes(field::annotation::NAME, b"bytes")
                    .number(field::annotation::UINT, event.bytes);
                let site = Message::default()
                    .bytes(field::annotation::NAME, b"site")
                    .bytes(
                        field::annotation::STRING,
                        site(tables, event.stack).as_bytes(),
                    );
                of(INSTANT, 0)
                    .bytes(field::event::NAME, b"out of memory")
                    .message(field::event::ANNOTATION, &bytes)
                    .message(field::event::ANNOTATION, &site)
            }
            Kind::SegmentAlloc
            | Kind::SegmentFree
            | Kind::SegmentMap
            | Kind::SegmentUnmap
            | Kind::FreeCompleted
            | Kind::StreamWait
            | Kind::StreamUse
            | Kind::EventRecord
            | Kind::Snapshot => return Ok(()),
        };
        Ok(track_event(&written, out)?)
    })
}
