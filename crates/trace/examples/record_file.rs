//! What the record file costs: `cargo run --release -p millpond-trace --example record_file [FILE]`.
//!
//! A million records as a training step makes them: a block is allocated, an operator that uses it is
//! enqueued, the task completes, the block is freed.
#![expect(clippy::print_stdout, reason = "figures for whoever runs this")]

use std::collections::VecDeque;
use std::time::Instant;

use millpond_trace::file::{Reader, Writer};
use millpond_trace::{
    Accesses, Bytes, Operation, Outcome, Position, Record, Sink, Site, Space, Span, TaskKind, Text,
};

const RECORDS: u64 = 1_000_000;
const LIVE: u64 = 300;
const NAMES: [&str; 6] = [
    "MatMul",
    "Add",
    "SoftmaxV2",
    "LayerNorm",
    "Transpose",
    "Cast",
];

fn main() {
    let path = std::env::args_os().nth(1).unwrap_or("records.mpr".into());
    let records: Vec<Record> = stream().collect();
    let count = u32::try_from(records.len()).unwrap_or(u32::MAX);
    let writer = Writer::create(&path).expect("a file to write");
    let began = Instant::now();
    for record in &records {
        writer.record(record);
    }
    writer.close();
    let written = began.elapsed();
    assert!(writer.problem().is_none(), "the disk has room");
    let began = Instant::now();
    let reader = Reader::open(&path).expect("the file just written");
    let mut found = 0;
    for (one, record) in reader.zip(&records) {
        assert_eq!(one.as_ref(), Ok(record));
        found += 1;
    }
    let read = began.elapsed();
    assert_eq!(found, count, "all come back");
    let bytes = std::fs::metadata(&path).map_or(0, |found| found.len());
    println!("{count} records in {bytes} bytes");
    println!("written: {:?} a record", written / count);
    println!("read and compared: {:?} a record", read / count);
    println!(
        "{}.{} bytes a record",
        bytes / RECORDS,
        bytes * 10 / RECORDS % 10
    );
}

fn stream() -> impl Iterator<Item = Record> {
    let mut seed = 1_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) % below
    };
    let any = |number: u64| Bytes {
        start: 0x7F12_0000_0000 + (number << 20),
        bytes: 4096,
    };
    // Enough that a block lives for a while.
    let mut live: VecDeque<(u64, Bytes)> = (1..=LIVE).map(|block| (block, any(block))).collect();
    let mut nanoseconds = 0;
    (0..RECORDS).map(move |order| {
        let round = order / 4;
        let position = Position {
            stream: 1 + round % 4,
            task: 1 + round / 4,
        };
        let (call, operation) = match order % 4 {
            0 => {
                let range = Bytes {
                    start: 0x7F12_0000_0000 + random(1 << 25) * 512,
                    bytes: (1 + random(4096)) * 512,
                };
                live.push_back((LIVE + 1 + round, range));
                let operation = Operation::Allocated {
                    block: LIVE + 1 + round,
                    space: Space::Device(0),
                    range,
                    requested: range.bytes - 32,
                    charged: range.bytes,
                    pool: Some(1),
                    ordered: Some(position),
                };
                ("aclrtMemPoolMallocAsync", operation)
            }
            1 => {
                let one = |index: usize| live.get(index).map(|&(_, range)| Span::from(range));
                let accesses = Accesses {
                    reads: [one(0), one(1)].into_iter().flatten().collect(),
                    writes: one(live.len() - 1).into_iter().collect(),
                    name: Text::Borrowed(NAMES[usize::try_from(round % 6).unwrap_or(0)]),
                    ..Accesses::none(TaskKind::Compute)
                };
                let operation = Operation::Enqueued {
                    position,
                    accesses,
                    event: None,
                    captured: None,
                };
                ("aclopExecuteV2", operation)
            }
            2 => {
                let operation = Operation::Completed {
                    position,
                    outcome: Outcome::Done,
                };
                ("", operation)
            }
            _ => {
                let (block, range) = live.pop_front().unwrap_or((0, any(0)));
                let operation = Operation::Freed {
                    block,
                    range,
                    retired: false,
                    ordered: Some(position),
                };
                ("aclrtMemPoolFreeAsync", operation)
            }
        };
        nanoseconds += 200 + random(3000);
        let caller = 0x5555_5555_0000 + random(40) * 64;
        Record {
            order: order + 1,
            nanoseconds,
            thread: if call.is_empty() { 2 } else { 1 },
            site: Site {
                call: Text::Borrowed(call),
                caller: if call.is_empty() { 0 } else { caller },
                stack: if call.is_empty() {
                    0
                } else {
                    1 + u32::try_from(caller % 97).unwrap_or(0)
                },
            },
            operation,
        }
    })
}
