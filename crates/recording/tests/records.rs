//! Record files of Millpond.

use std::sync::{Arc, Mutex};

use millpond_recording::{Format, Kind, from_bytes, read_all};
use millpond_trace::file::{Header, Writer};
use millpond_trace::{
    Accesses, Bytes, Frame, Operation, Outcome, Position, Record, Sink, Site, Space, Target,
    TaskKind,
};

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no test panics here").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn file(operations: Vec<Operation>) -> Vec<u8> {
    let out = Shared::default();
    let writer = Writer::new(out.clone(), &Header::of_this_process()).expect("memory is writable");
    for (operation, order) in operations.into_iter().zip(1..) {
        let site = Site {
            stack: 7,
            ..Site::default()
        };
        writer.record(&Record {
            order,
            nanoseconds: order * 100,
            thread: 1,
            site,
            operation,
        });
    }
    drop(writer);
    std::mem::take(&mut *out.0.lock().expect("no test panics here"))
}

fn bytes(start: u64, bytes: u64) -> Bytes {
    Bytes { start, bytes }
}

fn allocated(block: u64, range: Bytes) -> Operation {
    Operation::Allocated {
        block,
        space: Space::Device(0),
        range,
        requested: range.bytes - 12,
        charged: range.bytes,
        pool: None,
        ordered: None,
    }
}

/// A caching allocator takes a segment and gives regions of it to tensors, with or without a heap.
#[test]
fn tensors_and_not_only_segments() {
    for heap in [Some(1), None] {
        tensors(heap);
    }
}

fn tensors(heap: Option<u64>) {
    let region = |region, range| Operation::RegionRegistered {
        region,
        domain: 1,
        heap,
        device: 0,
        range,
    };
    let freed = |block, range| Operation::Freed {
        block,
        range,
        retired: false,
        ordered: None,
    };
    let file = file(vec![
        Operation::DeviceOpened {
            device: 0,
            capacity: 1 << 35,
            unified: false,
        },
        Operation::StackSeen {
            stack: 7,
            frames: vec![Frame::Named {
                function: "step".into(),
                file: "train.py".into(),
                line: 12,
            }],
        },
        allocated(1, bytes(0x1000, 4096)),
        match heap {
            Some(heap) => Operation::HeapRegistered {
                heap,
                domain: 1,
                device: 0,
                range: bytes(0x1000, 4084),
            },
            None => Operation::Initialized,
        },
        region(1, bytes(0x1000, 512)),
        allocated(2, bytes(0x9000, 512)),
        region(2, bytes(0x1200, 100)),
        Operation::RegionUnregistered { region: 1 },
        freed(2, bytes(0x9000, 512)),
        Operation::DeviceReset { device: 0 },
    ]);
    let mut source = from_bytes(&file, "run.mpt").expect("a recording");
    assert_eq!(source.about().format, Format::Millpond);
    assert_eq!(source.tables().devices()[0].capacity, 1 << 35);
    let events = read_all(&mut *source).expect("a recording");
    let brief: Vec<_> = events
        .iter()
        .map(|e| (e.time_ns, e.kind, e.address, e.bytes))
        .collect();
    assert_eq!(
        brief,
        [
            (0, Kind::SegmentAlloc, 0x1000, 4096),
            (200, Kind::Alloc, 0x1000, 512),
            (300, Kind::Alloc, 0x9000, 500),
            (400, Kind::Alloc, 0x1200, 100),
            (500, Kind::FreeRequested, 0x1000, 512),
            (500, Kind::FreeCompleted, 0x1000, 512),
            (600, Kind::FreeRequested, 0x9000, 500),
            (600, Kind::FreeCompleted, 0x9000, 500),
            (700, Kind::FreeRequested, 0x1200, 100),
            (700, Kind::FreeCompleted, 0x1200, 100),
            (700, Kind::SegmentFree, 0x1000, 4096),
        ]
    );
    let tables = source.tables();
    let frames: Vec<_> = tables
        .stack(events[1].stack)
        .map(|f| (tables.text(f.file), f.line))
        .collect();
    assert_eq!(frames, [("train.py", 12)]);
    // Cut anywhere, the rest is read and the loss is counted.
    for length in 8..file.len() {
        let source = from_bytes(&file[..length], "cut.mpt").expect("what is left of it");
        assert!(
            source.events() == Some(11) || source.notes().lost > 0 || source.events() == Some(0),
            "{length}"
        );
    }
}

/// Streams that use a block of another one, and the recordings of events that they wait for.
#[test]
fn a_wait_names_the_recording_of_the_event() {
    let at = |stream, task| Position { stream, task };
    let task = |position, task, captured| Operation::Enqueued {
        position,
        accesses: Accesses::none(task),
        event: Some(5),
        captured,
    };
    let file = file(vec![
        Operation::Allocated {
            block: 1,
            space: Space::Device(0),
            range: bytes(0x1000, 512),
            requested: 500,
            charged: 512,
            pool: Some(1),
            ordered: Some(at(7, 0)),
        },
        task(at(7, 1), TaskKind::RecordEvent, None),
        task(at(7, 2), TaskKind::RecordEvent, None),
        task(at(8, 1), TaskKind::WaitEvent, Some(at(7, 1))),
        Operation::UseRecorded {
            address: 0x1008,
            position: at(8, 1),
        },
        Operation::UseRecorded {
            address: 0x9000,
            position: at(8, 1),
        },
    ]);
    let mut source = from_bytes(&file, "run.mpt").expect("a recording");
    let events = read_all(&mut *source).expect("a recording");
    let streams = source.tables().streams();
    let brief: Vec<_> = events
        .iter()
        .map(|e| {
            let stream = streams[e.stream as usize].number;
            (e.kind, stream, e.address, e.bytes)
        })
        .collect();
    assert_eq!(
        brief,
        [
            (Kind::Alloc, 7, 0x1000, 500),
            (Kind::EventRecord, 7, 1, 0),
            (Kind::EventRecord, 7, 2, 0),
            (Kind::StreamWait, 8, 7, 1),
            (Kind::StreamUse, 8, 0x1000, 500),
        ]
    );
}

/// A block that another stream still used when it was freed has ended when its bytes are used again, or at a synchronisation.
#[test]
fn a_free_that_waits_ends_once() {
    let pooled = |block, range| Operation::Allocated {
        block,
        space: Space::Device(0),
        range,
        requested: range.bytes,
        charged: range.bytes,
        pool: Some(1),
        ordered: Some(Position { stream: 7, task: 0 }),
    };
    let freed = |block, range| Operation::Freed {
        block,
        range,
        retired: true,
        ordered: Some(Position { stream: 7, task: 0 }),
    };
    let (first, second) = (bytes(0x1000, 512), bytes(0x1200, 512));
    let file = file(vec![
        pooled(1, first),
        pooled(2, second),
        freed(1, first),
        freed(2, second),
        // It lies on the end of the first block.
        pooled(3, bytes(0x1100, 256)),
        Operation::Synchronized {
            target: Target::Device(0),
            outcome: Outcome::Done,
        },
        Operation::Synchronized {
            target: Target::Device(0),
            outcome: Outcome::Done,
        },
    ]);
    let mut source = from_bytes(&file, "run.mpt").expect("a recording");
    let events = read_all(&mut *source).expect("a recording");
    let brief: Vec<_> = events.iter().map(|e| (e.kind, e.address)).collect();
    assert_eq!(
        brief,
        [
            (Kind::Alloc, 0x1000),
            (Kind::Alloc, 0x1200),
            (Kind::FreeRequested, 0x1000),
            (Kind::FreeRequested, 0x1200),
            (Kind::FreeCompleted, 0x1000),
            (Kind::Alloc, 0x1100),
            (Kind::FreeCompleted, 0x1200),
        ]
    );
    assert_eq!(source.notes().unmatched, 0);
}
