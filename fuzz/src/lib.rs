//! What the fuzzer does with any bytes, for each reader: a function that ends, or panics because a promise was broken. It returns how
//! many records or events the bytes became.
//!
//! The programs in `fuzz_targets` only call these. So does a test that needs no fuzzer (`crates/recording/tests/fuzz.rs`), with seeds and
//! with seeds that were changed.

#[path = "../../crates/recording/tests/common/promises.rs"]
mod promises;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use millpond_recording::{Options, Target, export, from_bytes};
use millpond_trace::file::{Header, Reader, Writer};
use millpond_trace::{
    Accesses, Bytes, Operation, Outcome, Position, Record, Sink, Site, Space, Spans,
    Target as Waited, TaskKind,
};

/// Reads a file as a recording. What becomes events holds what a source promises, and can be exported.
fn recorded(file: &[u8]) -> u64 {
    let Ok(mut source) = from_bytes(file, "fuzzed") else {
        return 0;
    };
    promises::hold(&mut *source);
    // Parquet is left out: the time would be spent in another project's writer.
    for target in [
        Target::Snapshot,
        Target::Perfetto,
        Target::Chrome,
        Target::Csv,
    ] {
        let written = export(&mut *source, target, Options::default(), &mut io::sink());
        assert!(written.is_ok(), "a sink takes everything: {written:?}");
    }
    source.events().unwrap_or(0)
}

/// The header of a trace.
pub const CSV: &[u8] = b"t_us,op,addr,size,stream\n";

/// Lines of a trace, without the header.
pub fn csv(bytes: &[u8]) -> u64 {
    recorded(&[CSV, bytes].concat())
}

/// The header of a log.
pub const RMM: &[u8] = b"Thread,Time,Action,Pointer,Size,Stream\n";

/// Lines of a log of RAPIDS Memory Manager, without the header.
pub fn rmm(bytes: &[u8]) -> u64 {
    recorded(&[RMM, bytes].concat())
}

/// The first bytes of a pickle of protocol 4.
pub const PICKLE: &[u8] = b"\x80\x04";

/// A pickled memory snapshot, without the protocol's number.
pub fn snapshot(bytes: &[u8]) -> u64 {
    recorded(&[PICKLE, bytes].concat())
}

/// A record file as a recording. The first byte says whether the rest is calls of a program, the payloads of blocks, or a whole file.
pub fn recording(bytes: &[u8]) -> u64 {
    let Some((&form, rest)) = bytes.split_first() else {
        return 0;
    };
    match form % 4 {
        0 => recorded(rest),
        1 => recorded(&blocks(rest, 1 + usize::from(form / 4) % 4)),
        _ => recorded(&write(&calls(rest))),
    }
}

/// A record file. The first byte says whether the rest is a whole file or the payloads of blocks; these get right checksums, which no
/// fuzzer finds by itself. The records come back when they are written again.
pub fn records(bytes: &[u8]) -> u64 {
    let Some((&form, rest)) = bytes.split_first() else {
        return 0;
    };
    let file = if form % 4 == 0 {
        rest.to_vec()
    } else {
        blocks(rest, usize::from(form % 4))
    };
    let records = read(&file);
    let again = read(&write(&records));
    assert_eq!(again, records);
    records.len() as u64
}

fn read(file: &[u8]) -> Vec<Record> {
    let Ok(mut reader) = Reader::new(file) else {
        return Vec::new();
    };
    let records: Vec<Record> = reader.by_ref().filter_map(Result::ok).collect();
    assert_eq!(reader.bytes(), file.len() as u64);
    assert!(reader.losses().bytes <= file.len() as u64);
    records
}

/// Six bytes a call: what it is, three numbers, and a size. Numbers are small, so that calls meet each other's objects.
pub fn calls(bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut next = 1;
    for (order, call) in (1..).zip(bytes.chunks_exact(6)) {
        let [what, number, place, other, low, high] = *call else {
            break;
        };
        let (number, stream) = (u64::from(number % 16), u64::from(other % 4));
        let device = u32::from(other >> 6);
        let range = Bytes {
            start: (1 << 32) + (u64::from(place) << 12),
            bytes: u64::from(u16::from_le_bytes([low, high])) << (other & 3),
        };
        let space = Space::Device(device);
        let position = Position { stream, task: next };
        let queued = |task, captured| {
            let accesses = Accesses {
                task,
                reads: Spans::new(),
                writes: Spans::new(),
                scratch: 0,
                room: 0,
                name: "".into(),
                model: 0,
                geared: false,
            };
            Operation::Enqueued {
                position,
                accesses,
                event: Some(number),
                captured,
            }
        };
        next += 1;
        let operation = match what % 18 {
            0 | 1 => Operation::Allocated {
                block: number,
                space,
                range,
                requested: range.bytes,
                charged: range.bytes,
                pool: None,
                ordered: (what > 127).then_some(position),
            },
            2 | 3 => Operation::Freed {
                block: number,
                range,
                retired: what > 127,
                ordered: None,
            },
            4 => Operation::HeapRegistered {
                heap: number,
                domain: 0,
                device,
                range,
            },
            5 => Operation::HeapUnregistered { heap: number },
            6 => Operation::RegionRegistered {
                region: number,
                domain: 0,
                heap: None,
                device,
                range,
            },
            7 => Operation::RegionUnregistered { region: number },
            8 => Operation::PhysicalAllocated {
                piece: number,
                space,
                bytes: range.bytes,
            },
            9 => Operation::Mapped {
                piece: number,
                range,
                access: None,
            },
            10 => Operation::Unmapped {
                piece: number,
                range,
                retired: false,
            },
            11 => Operation::Synchronized {
                target: Waited::Stream(stream),
                outcome: Outcome::Done,
            },
            12 => Operation::DeviceReset { device },
            13 => queued(TaskKind::RecordEvent, None),
            14 => {
                // The recording of so many calls before.
                let task = next.saturating_sub(1 + u64::from(low));
                let stream = u64::from(high % 4);
                queued(TaskKind::WaitEvent, Some(Position { stream, task }))
            }
            15 => Operation::UseRecorded {
                address: range.start,
                position,
            },
            16 => Operation::RangeStarted {
                range: number,
                domain: 0,
                message: "step".to_owned(),
                stream: Some(stream),
            },
            _ => Operation::RangeEnded { range: number },
        };
        records.push(Record {
            order,
            nanoseconds: order * 10,
            thread: 1,
            site: Site::default(),
            operation,
        });
    }
    records
}

fn header() -> Header {
    Header {
        major: 1,
        minor: 0,
        started: 0,
        process: 0,
        program: String::new(),
        memory_only: false,
    }
}

/// A file whose blocks have these bytes as payloads, written as docs/record-format.md says.
fn blocks(bytes: &[u8], count: usize) -> Vec<u8> {
    let mut file = write(&[]);
    for payload in bytes.chunks(bytes.len() / count + 1) {
        let start = file.len();
        file.extend([0xF5, b'M', b'B', 1]);
        file.extend(
            u32::try_from(payload.len())
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
        file.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        file.extend(start.to_le_bytes());
        file.extend([0; 8]);
        file.extend(crc32fast::hash(payload).to_le_bytes());
        let checksum = crc32fast::hash(&file[start..]);
        file.extend(checksum.to_le_bytes());
        file.extend(payload);
    }
    file
}

/// A record file.
pub fn write(records: &[Record]) -> Vec<u8> {
    let memory = Memory::default();
    let Ok(writer) = Writer::new(memory.clone(), &header()) else {
        unreachable!("memory takes everything");
    };
    for record in records {
        writer.record(record);
    }
    assert_eq!(writer.lost(), 0);
    drop(writer);
    let file = memory.0.lock().unwrap_or_else(PoisonError::into_inner);
    file.clone()
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
