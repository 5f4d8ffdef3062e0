//! PyTorch memory snapshots.

use millpond_recording::{Allocator, Event, Format, Kind, Source, StackId, from_bytes, read_all};

const ALL: [&[u8]; 6] = [
    include_bytes!("data/snapshot0.pickle"),
    include_bytes!("data/snapshot1.pickle"),
    include_bytes!("data/snapshot2.pickle"),
    include_bytes!("data/snapshot3.pickle"),
    include_bytes!("data/snapshot4.pickle"),
    include_bytes!("data/snapshot5.pickle"),
];

const BASE: u64 = 0x7F00_0000_0000;

fn functions(source: &dyn Source, stack: StackId) -> Vec<String> {
    let tables = source.tables();
    tables
        .stack(stack)
        .map(|frame| format!("{}:{}", tables.text(frame.function), frame.line))
        .collect()
}

fn brief(events: &[Event]) -> Vec<(u64, Kind, u64, u64, u16)> {
    events
        .iter()
        .map(|e| {
            (
                e.time_ns,
                e.kind,
                e.address.saturating_sub(BASE),
                e.bytes,
                e.device,
            )
        })
        .collect()
}

#[test]
fn every_protocol_reads_the_same() {
    for (protocol, bytes) in ALL.into_iter().enumerate() {
        let mut source = from_bytes(bytes, "snapshot.pickle")
            .unwrap_or_else(|error| panic!("{protocol}: {error}"));
        assert_eq!(source.about().format, Format::Snapshot);
        assert_eq!(
            source.about().began_unix_ns,
            Some(1_700_000_000_000_000_000)
        );
        assert_eq!(
            brief(source.before()),
            [
                (0, Kind::SegmentAlloc, 0, 2 << 20, 0),
                (0, Kind::Alloc, 0x8000, 300, 0),
                (0, Kind::Alloc, 0, 500, 0),
            ],
            "{protocol}"
        );
        let events = read_all(&mut *source).unwrap();
        assert_eq!(
            brief(&events),
            [
                (0, Kind::FreeRequested, 0x8000, 300, 0),
                (1000, Kind::FreeCompleted, 0x8000, 300, 0),
                (2000, Kind::SegmentAlloc, 0x20_0000, 2 << 20, 0),
                (2000, Kind::RangeBegin, 0, 0, 0),
                (3000, Kind::Alloc, 0x20_0000, 1000, 0),
                (4000, Kind::Alloc, 0, 64, 1),
                (5000, Kind::Alloc, 0x20_0400, 2000, 0),
                (6000, Kind::OutOfMemory, 0, 1 << 40, 0),
                (7000, Kind::FreeRequested, 0, 64, 1),
                (8000, Kind::FreeRequested, 0x20_0000, 1000, 0),
                (9000, Kind::FreeCompleted, 0x20_0000, 1000, 0),
                (9000, Kind::RangeEnd, 0, 0, 0),
                (10000, Kind::Snapshot, 0, 0, 0),
            ],
            "{protocol}"
        );
        let long = ["recursive:30", "recursive:30", "step:20", "main:10"];
        assert_eq!(functions(&*source, events[4].stack), long);
        assert_eq!(functions(&*source, source.before()[2].stack), long);
        assert_eq!(functions(&*source, events[6].stack), long[2..]);
        assert_eq!(events[7].address, 4096, "free bytes of the device");
        let tables = source.tables();
        assert_eq!(tables.text(events[3].label), "step 1");
        assert_eq!(
            tables.streams()[events[6].stream as usize].number,
            0xFFFF_FFFF_FFFF_FFF0
        );
        let devices: Vec<_> = tables.devices().iter().map(|device| device.index).collect();
        assert_eq!(devices, [0, 2]);
        let notes = source.notes();
        assert_eq!((notes.unknown, notes.unmatched, notes.implied), (1, 0, 0));
        let setting = |name: &str| {
            let settings = &source.about().settings;
            settings
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        };
        assert_eq!(setting("max_split_size").as_deref(), Some("134217728"));
        assert_eq!(
            setting("roundup_power2_divisions").as_deref(),
            Some("1:0,2:4")
        );
    }
}

fn refused(bytes: &[u8]) -> String {
    match from_bytes(bytes, "bad.pickle") {
        Ok(_) => panic!("was read: {bytes:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn hostile_pickles_are_refused_with_the_byte() {
    let cases: [(&[u8], &str); 12] = [
        (
            b"cos\nsystem\n(S'true'\ntR.",
            "byte 0: the pickle has the instruction GLOBAL, which names os.system",
        ),
        (
            b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
            "byte 14: the pickle has the instruction STACK_GLOBAL, which names os.system",
        ),
        (
            b"\x80\x02}(X\x01\x00\x00\x00aK\x01R",
            "byte 12: the pickle has the instruction REDUCE",
        ),
        (b"\x80\x06.", "byte 0: pickle protocol 6 is newer than 5"),
        (
            b"\x80\x02h\x05.",
            "byte 2: nothing was put at place 5 of the memo",
        ),
        (
            b"\x80\x02j\xff\xff\xff\xff.",
            "byte 2: nothing was put at place 4294967295",
        ),
        (
            b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffa",
            "byte 2: a text or number of 18446744073709551615 bytes",
        ),
        (b"\x80\x02]q\x00h\x00a.", "contains itself"),
        (b"\x80\x02e.", "byte 2: the instruction needs a mark"),
        (b"\x80\x02}s.", "byte 3: the instruction needs a value"),
        (
            b"\x80\x02\xffq.",
            "byte 2: 0xff is not an instruction of a pickle",
        ),
        (
            b"\x80\x02K\x01.",
            "byte 0: this pickle is not a memory snapshot",
        ),
    ];
    for (bytes, what) in cases {
        let told = refused(bytes);
        // An object inside itself is found as soon as it is used up, by whichever instruction.
        assert!(
            told.contains(what) || what == "contains itself" && told.contains("bad.pickle: byte"),
            "{told}"
        );
    }
    let deep = [&b"\x80\x02"[..], &b"](".repeat(5000)].concat();
    assert!(
        refused(&deep).contains("byte 2051: more than 1024 objects inside each other"),
        "{}",
        refused(&deep)
    );
    let wide = [&b"\x80\x02("[..], &b"N".repeat(3 << 20)].concat();
    assert!(refused(&wide).contains("values wait for their list"));
}

#[test]
fn a_cut_file_says_where_it_ends() {
    let whole = ALL[4];
    for length in 3..whole.len() {
        let told = refused(&whole[..length]);
        assert!(
            told.contains(&format!("byte {length}: the file ends inside the pickle")),
            "{length}: {told}"
        );
    }
}

/// Any change of any byte gives events or an error, and never a panic.
#[test]
fn changed_bytes() {
    for bytes in [ALL[2], ALL[4]] {
        for place in 0..bytes.len() {
            for change in [
                0x01,
                0x80,
                0xFF,
                b'.' ^ bytes[place],
                b'a' ^ bytes[place],
                b'0' ^ bytes[place],
            ] {
                let mut changed = bytes.to_vec();
                changed[place] ^= change;
                if let Ok(mut source) = from_bytes(&changed, "changed.pickle") {
                    let events = read_all(&mut *source).unwrap();
                    assert!(events.is_sorted_by_key(|event| event.time_ns));
                }
            }
        }
    }
}

#[test]
fn sizes_and_times_beyond_reason() {
    let at = |needle: &[u8], with: &[u8]| {
        let place = ALL[2]
            .windows(needle.len())
            .position(|window| window == needle)
            .expect("it is there");
        let mut changed = ALL[2].to_vec();
        changed.splice(place..place + needle.len(), with.iter().copied());
        refused(&changed)
    };
    // The size of the first event, 300, becomes 2^64 - 1.
    let told = at(
        b"M\x2c\x01",
        b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00",
    );
    assert!(told.contains("no device has so much memory"), "{told}");
    // The size of the first event becomes negative.
    let told = at(b"M\x2c\x01", b"J\xff\xff\xff\xff");
    assert!(
        told.contains("size of an event is not a number from 0"),
        "{told}"
    );
}

/// A snapshot that `torch_npu` 2.7.1 wrote on Millpond: it has no times, and segments at the end.
#[test]
fn torch_npu_wrote_it() {
    let bytes = include_bytes!("data/torch_npu.pickle");
    let mut source = from_bytes(bytes, "snapshot.pickle").unwrap();
    assert!(!source.about().has_times);
    let events = read_all(&mut *source).unwrap();
    let count = |kind| events.iter().filter(|event| event.kind == kind).count();
    assert_eq!((count(Kind::SegmentAlloc), count(Kind::Alloc)), (3, 25));
    assert!(
        events
            .windows(2)
            .all(|pair| pair[1].time_ns == pair[0].time_ns + 1000)
    );
    let stack = functions(&*source, events[1].stack);
    assert_eq!(stack.last().map(String::as_str), Some("<module>:4"));
    assert!(source.before().is_empty());
    assert_eq!(
        source.about().allocator,
        Some(Allocator::TorchNpu { pads: true }),
        "blocks of whole units are a unit larger"
    );
    let notes = source.notes();
    assert_eq!(
        (notes.unmatched, notes.implied, notes.resized, notes.unknown),
        (0, 0, 0, 0)
    );
}

/// What a snapshot without settings tells of its allocator: by a block's size, and by how its segments grow.
#[test]
fn the_allocator_shows_in_blocks_and_segments() {
    let about = |size, requested, expandable| {
        let bytes = segment(1 << 20, size, requested, expandable);
        from_bytes(&bytes, "a.pickle")
            .expect("a snapshot")
            .about()
            .clone()
    };
    for (size, requested, pads) in [
        (1024, 1024, false),
        (1536, 1024, true),
        // Any of both makes such a block of such a request.
        (1024, 1000, false),
        // The rest of a large block is not cut off.
        ((1 << 20) + 512, 1 << 20, false),
    ] {
        assert_eq!(
            about(size, requested, false).allocator,
            pads.then_some(Allocator::TorchNpu { pads }),
            "{size} {requested}"
        );
    }
    let growing = [("expandable_segments".to_owned(), "true".to_owned())];
    assert_eq!(about(512, 512, true).settings, growing);
    assert_eq!(about(512, 512, false).settings, []);
}

/// With CANN 9.1 `torch_npu` adds nothing to requests; a frame of its own still names it.
#[test]
fn torch_npu_without_padding_shows_in_its_frames() {
    let npu = "/env/site-packages/torch_npu/npu/memory.py";
    for (file, size, expected) in [
        (npu, 1024, Some(Allocator::TorchNpu { pads: false })),
        (npu, 1536, Some(Allocator::TorchNpu { pads: true })),
        ("/home/me/train.py", 1024, None),
    ] {
        // Behind the segment of a block of 1024 bytes, an event with one frame.
        let mut bytes = segment(1 << 20, size, 1024, false);
        bytes.truncate(bytes.len() - 2);
        for part in [
            [word("device_traces"), b"](](}(".to_vec()],
            [word("action"), word("alloc")],
            [word("addr"), b"K\x10".to_vec()],
            [word("size"), b"K\x08".to_vec()],
            [word("frames"), b"](}(".to_vec()],
            [word("filename"), word(file)],
            [word("name"), word("empty")],
            [word("line"), b"K\x07ueueeu.".to_vec()],
        ] {
            bytes.extend(part.concat());
        }
        let source = from_bytes(&bytes, "a.pickle").expect("a snapshot");
        assert_eq!(source.about().allocator, expected, "{file} {size}");
    }
}

/// A text of a pickle.
fn word(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("a short text");
    [b"X", &length.to_le_bytes()[..], text.as_bytes()].concat()
}

/// A snapshot of one segment with one live block, with these sizes.
fn segment(total: u64, size: u64, requested: u64, expandable: bool) -> Vec<u8> {
    let number = |number: u64| [b"\x8a\x09", &number.to_le_bytes()[..], b"\0"].concat();
    [
        b"\x80\x02}(".to_vec(),
        word("segments"),
        b"](}(".to_vec(),
        [word("total_size"), number(total)].concat(),
        [
            word("is_expandable"),
            vec![if expandable { 0x88 } else { 0x89 }],
        ]
        .concat(),
        [word("blocks"), b"](}(".to_vec()].concat(),
        [word("state"), word("active_allocated")].concat(),
        [word("size"), number(size)].concat(),
        [word("requested_size"), number(requested)].concat(),
        b"ueueu.".to_vec(),
    ]
    .concat()
}

#[test]
fn a_state_of_more_bytes_than_any_device_has_is_refused_with_the_byte() {
    let source = from_bytes(&segment(4096, 512, 100, false), "a.pickle").expect("a snapshot");
    assert_eq!(source.before().len(), 2, "a segment and a block");
    for (total, requested) in [
        (u64::MAX, 100),
        ((1 << 48) + 1, 100),
        (4096, u64::MAX),
        (4096, 1 << 48),
    ] {
        let error = refused(&segment(total, 512, requested, false));
        assert!(
            error.contains("byte ") && error.contains("no device has so much memory"),
            "{total} {requested}: {error}"
        );
    }
}

#[test]
fn devices_beyond_all_machines_are_refused_with_the_byte() {
    // An event at a place of the list that no machine has a device for, and a list for each of many devices.
    let event = [
        b"](}(".to_vec(),
        word("action"),
        word("alloc"),
        b"ue".to_vec(),
    ]
    .concat();
    let list = |before: &[u8], events: usize| {
        let head = [
            b"\x80\x02}(".to_vec(),
            word("device_traces"),
            b"](".to_vec(),
        ]
        .concat();
        [&head, before, &event.repeat(events), b"eu."].concat()
    };
    let source = from_bytes(&list(&b"]".repeat(1023), 1), "a.pickle").expect("a snapshot");
    assert_eq!(source.tables().devices()[0].index, 1023);
    for bytes in [list(&b"]".repeat(1024), 1), list(b"", 1025)] {
        let error = refused(&bytes);
        assert!(
            error.contains("byte ") && error.contains("device"),
            "{error}"
        );
    }
}
