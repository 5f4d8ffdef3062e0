//! Record files of Millpond.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use millpond_recording::{
    Allocator, Format, Kind, Options, Target as Export, export, from_bytes, read_all,
};
use millpond_trace::file::{Header, Writer};
use millpond_trace::{
    Accesses, Bytes, Frame, Operation, Outcome, Position, Record, Sink, Site, Space, Target,
    TaskKind,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

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
    file_of(operations, "")
}

/// All of them in one call of the program.
fn file_of(operations: Vec<Operation>, call: &'static str) -> Vec<u8> {
    let out = Shared::default();
    let writer = Writer::new(out.clone(), &Header::of_this_process()).expect("memory is writable");
    for (operation, order) in operations.into_iter().zip(1..) {
        let site = Site {
            stack: 7,
            call: call.into(),
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
    // torch_npu registers no heaps.
    let npu = heap.is_none().then_some(Allocator::TorchNpu { pads: true });
    assert_eq!(source.about().allocator, npu);
    assert_eq!(source.about().settings, []);
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

/// What divides a block may come long after it: the block is a segment all the same, and errors behind it are reported.
#[test]
fn a_block_is_divided_however_late() {
    for between in [0, 1, 62, 63, 64, 65, 130, 5000] {
        for is_wrong in [false, true] {
            let mut operations = vec![allocated(1, bytes(0x1000, 4096))];
            operations.extend((0..between).map(|event| Operation::EventCreated { event }));
            operations.extend([
                allocated(2, bytes(0x9000, 512)),
                Operation::RegionRegistered {
                    region: 1,
                    domain: 1,
                    heap: None,
                    device: 0,
                    // What the program did not ask for is in the block, too.
                    range: bytes(0x1000 + 4090, 2),
                },
            ]);
            if is_wrong {
                operations.push(allocated(3, bytes(1 << 50, 1 << 49)));
            }
            let last = operations.len();
            let source = from_bytes(&file(operations), "run.mpt");
            if is_wrong {
                let error = source.expect_err("it is wrong").to_string();
                assert!(error.contains(&format!("record {last} in")), "{error}");
                continue;
            }
            let events = read_all(&mut *source.expect("a recording")).expect("a recording");
            let brief: Vec<_> = events
                .iter()
                .map(|e| (e.kind, e.address, e.bytes))
                .collect();
            assert_eq!(
                brief,
                [
                    (Kind::SegmentAlloc, 0x1000, 4096),
                    (Kind::Alloc, 0x9000, 500),
                    (Kind::Alloc, 0x1000 + 4090, 2),
                ],
                "{between}"
            );
        }
    }
}

/// Whose allocator it was: `torch_npu`'s regions lie in blocks or, if its segments grow, in pages; the pool on a GPU has its function.
#[test]
fn the_allocator_shows_in_regions_and_calls() {
    let named = |name: &str| Operation::DomainCreated {
        domain: 1,
        name: name.to_owned(),
    };
    let region = |start, count| Operation::RegionRegistered {
        region: 1,
        domain: 1,
        heap: None,
        device: 0,
        range: bytes(start, count),
    };
    let mapped = || {
        let piece = Operation::PhysicalAllocated {
            piece: 5,
            space: Space::Device(0),
            bytes: 1 << 21,
        };
        let mapped = Operation::Mapped {
            piece: 5,
            range: bytes(1 << 30, 1 << 21),
            access: None,
        };
        [piece, mapped]
    };
    let [piece, page] = mapped();
    let [other_piece, other_page] = mapped();
    let npu = |pads| Some(Allocator::TorchNpu { pads });
    let block = || allocated(1, bytes(0x1000, 4096));
    for (operations, call, expected, grows) in [
        (vec![block()], "aclrtMalloc", None, false),
        (
            vec![block()],
            "millpondCudaAlloc",
            Some(Allocator::MillpondCuda),
            false,
        ),
        (
            vec![block()],
            "aclrtAllocatorAllocFunc",
            Some(Allocator::MillpondPlugin),
            false,
        ),
        (vec![block(), region(0x1000, 512)], "", npu(false), false),
        (vec![block(), region(0x1000, 500)], "", npu(true), false),
        (
            vec![named("ptaCaching"), block(), region(0x1000, 512)],
            "",
            npu(false),
            false,
        ),
        (
            vec![named("mine"), block(), region(0x1000, 512)],
            "",
            None,
            false,
        ),
        (
            vec![piece, page, region(1 << 30, 512)],
            "",
            npu(false),
            true,
        ),
        (vec![other_piece, other_page], "", None, false),
    ] {
        let file = file_of(operations, call);
        let source = from_bytes(&file, "run.mpt").expect("a recording");
        assert_eq!(source.about().allocator, expected);
        let settings = source.about().settings.len();
        assert_eq!(settings, usize::from(grows), "{:?}", source.about());
    }
}

/// Fields of a protobuf message: numbers, and bytes.
fn fields(mut message: &[u8]) -> Vec<(u64, u64, &[u8])> {
    fn number(from: &mut &[u8]) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = from[0];
            *from = &from[1..];
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }
    let mut all = Vec::new();
    while !message.is_empty() {
        let tag = number(&mut message);
        let value = number(&mut message);
        let (value, bytes) = if tag & 7 == 2 {
            let (bytes, rest) = message.split_at(usize::try_from(value).expect("small"));
            message = rest;
            (0, bytes)
        } else {
            (value, &[][..])
        };
        all.push((tag >> 3, value, bytes));
    }
    all
}

/// Name, begin and end.
type Spans = Vec<(String, u64, u64)>;

/// The slices of a trace of Perfetto: an end ends the slice of its track that began last.
fn slices(trace: &[u8]) -> Spans {
    let mut open: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
    let mut spans = Vec::new();
    for (_, _, packet) in fields(trace) {
        let packet = fields(packet);
        let of = |fields: &[(u64, u64, &[u8])], wanted| {
            fields.iter().find(|it| it.0 == wanted).map_or(0, |it| it.1)
        };
        let Some((.., event)) = packet.iter().find(|it| it.0 == 11) else {
            continue;
        };
        let (event, time) = (fields(event), of(&packet, 8));
        let (kind, track) = (of(&event, 9), of(&event, 11));
        if kind == 1 {
            let name = event.iter().find(|it| it.0 == 23).expect("a name").2;
            let name = String::from_utf8(name.to_vec()).expect("text");
            open.entry(track).or_default().push((name, time));
        } else if kind == 2 {
            let began = open.get_mut(&track).and_then(Vec::pop);
            let (name, began) = began.expect("every end has a begin on its track");
            spans.push((name, began, time));
        }
    }
    assert!(open.values().all(Vec::is_empty), "{open:?}");
    spans.sort();
    spans
}

/// The asynchronous events of a trace of Chrome.
fn chrome_spans(trace: &[u8]) -> Spans {
    let trace: serde_json::Value = serde_json::from_slice(trace).expect("JSON");
    let mut open: BTreeMap<String, (String, u64)> = BTreeMap::new();
    let mut spans = Vec::new();
    for event in trace["traceEvents"].as_array().expect("a list") {
        let phase = event["ph"].as_str().expect("a phase");
        assert!(!["B", "E"].contains(&phase), "{event}");
        let key = format!("{} {} {}", event["cat"], event["id"], event["pid"]);
        let name = || event["name"].as_str().expect("a name").to_owned();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small numbers"
        )]
        let time = || (event["ts"].as_f64().expect("a time") * 1000.0).round() as u64;
        if phase == "b" {
            assert_eq!(open.insert(key, (name(), time())), None, "{event}");
        } else if phase == "e" {
            let (began, at) = open.remove(&key).expect("every end has a begin");
            assert_eq!(began, name());
            spans.push((began, at, time()));
        }
    }
    assert!(open.is_empty(), "{open:?}");
    spans.sort();
    spans
}

/// Ranges of two streams that overlap, with and without the same name, and one whose begin is not in the file.
#[test]
fn spans_that_overlap_keep_their_durations() {
    let began = |range, message: &str, stream| Operation::RangeStarted {
        range,
        domain: 0,
        message: message.to_owned(),
        stream,
    };
    let ended = |range| Operation::RangeEnded { range };
    let bytes = file(vec![
        began(1, "load", Some(5)),
        began(2, "load", Some(5)),
        began(3, "step", None),
        ended(1),
        ended(9),
        began(4, "save", Some(5)),
        ended(3),
        ended(2),
        ended(4),
    ]);
    let mut expected: Spans = [
        ("load", 0, 300),
        ("load", 100, 700),
        ("step", 200, 600),
        ("save", 500, 800),
    ]
    .map(|(name, from, to)| (name.to_owned(), from, to))
    .to_vec();
    expected.sort();
    let mut source = from_bytes(&bytes, "run.mpt").expect("a recording");
    for event in read_all(&mut *source).expect("a recording") {
        let stream = source.tables().streams()[event.stream as usize].number;
        let expected = if event.address == 3 { 0 } else { 5 };
        assert_eq!(stream, expected, "{event:?}");
    }
    let mut exported = |target| {
        let mut out = Vec::new();
        export(&mut *source, target, Options::default(), &mut out).expect("memory is writable");
        out
    };
    assert_eq!(slices(&exported(Export::Perfetto)), expected);
    assert_eq!(chrome_spans(&exported(Export::Chrome)), expected);
}

/// What is wrong is in a block of the file: an error names its byte, and the record.
#[test]
fn an_error_names_the_block_and_the_record() {
    let far = Operation::DeviceOpened {
        device: 5000,
        capacity: 0,
        unified: false,
    };
    let huge = || allocated(2, bytes(1 << 50, 1 << 49));
    for (wrong, what) in [
        (far, "a device with the index 5000"),
        (huge(), "no device has so much memory"),
    ] {
        // So much before it that the block is not the first.
        let mut operations: Vec<Operation> = (0..4000)
            .map(|number| Operation::Marked {
                domain: 0,
                message: format!("mark {number} of a program that names everything it does"),
                stream: None,
            })
            .collect();
        operations.push(wrong);
        let file = file(operations);
        let error = from_bytes(&file, "run.mpt").expect_err("it is wrong");
        let at = usize::try_from(error.at.expect("a byte")).expect("small");
        assert!(at > 1000 && at < file.len(), "{error}");
        let cut = from_bytes(&file[..at], "cut.mpt").expect("everything before is right");
        assert!(
            cut.events()
                .is_some_and(|events| events > 0 && events < 4001)
        );
        let text = error.to_string();
        let begin = format!("run.mpt: byte {at}: record 4001 in the block that begins here: ");
        assert!(text.starts_with(&begin) && text.contains(what), "{text}");
    }
}

/// Two calls of a program without names are two owners, and the column `site` has the same words.
#[test]
fn native_frames_are_told_apart() {
    let stack = |stack, address| Operation::StackSeen {
        stack,
        frames: vec![Frame::Address(address), Frame::Address(0x5000_2000)],
    };
    let module = Operation::ModuleSeen {
        range: bytes(0x5000_0000, 0x10000),
        bias: 0x5000_0000,
        file: "/home/me/prog".to_owned(),
    };
    let file = file(vec![
        module,
        stack(7, 0x5000_11C9),
        allocated(1, bytes(0x1000, 512)),
        stack(7, 0x5000_11D9),
        allocated(2, bytes(0x2000, 512)),
        stack(7, 0x9000_0000),
        allocated(3, bytes(0x3000, 512)),
    ]);
    let mut source = from_bytes(&file, "run.mpt").expect("a recording");
    let mut out = Vec::new();
    export(&mut *source, Export::Parquet, Options::default(), &mut out).expect("memory");
    let reader = SerializedFileReader::new(::bytes::Bytes::from(out)).expect("a table");
    let rows = reader.get_row_iter(None).expect("rows");
    let texts: Vec<_> = rows
        .map(|row| {
            let row = row.expect("a row");
            let column = |place| row.get_string(place).expect("a text").clone();
            (column(12), column(15))
        })
        .collect();
    let expected = ["prog+0x11c9", "prog+0x11d9", "0x90000000"];
    let expected = expected.map(|name| (name.to_owned(), name.to_owned()));
    assert_eq!(texts, expected);
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
