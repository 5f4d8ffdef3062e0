//! CSV traces.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use flate2::{Compression, write::GzEncoder};
use millpond_recording::Kind::{Alloc, FreeCompleted, FreeRequested, SegmentFree};
use millpond_recording::{Event, Format, Kind, Source, from_bytes, open, read_all};

const HEADER: &str = "t_us,op,addr,size,stream\n";

fn source(lines: &str) -> Box<dyn Source> {
    from_bytes(format!("{HEADER}{lines}").as_bytes(), "t.csv").expect("a trace")
}

fn refused(bytes: &[u8]) -> String {
    match from_bytes(bytes, "t.csv") {
        Ok(_) => panic!("was read"),
        Err(error) => error.to_string(),
    }
}

fn brief(events: &[Event]) -> Vec<(u64, Kind, u64, u64)> {
    events
        .iter()
        .map(|e| (e.time_ns, e.kind, e.address, e.bytes))
        .collect()
}

#[test]
fn lines_become_events() {
    let mut source = source("5,S,7f00,4096,0\n7,a,7f00,100,0\n9,f,7f00,100,0\n12,c,7f00,100,3\n");
    let events = read_all(&mut *source).unwrap();
    assert_eq!(
        brief(&events),
        [
            (0, Kind::SegmentAlloc, 0x7F00, 4096),
            (2000, Kind::Alloc, 0x7F00, 100),
            (4000, Kind::FreeRequested, 0x7F00, 100),
            (7000, Kind::FreeCompleted, 0x7F00, 100),
        ]
    );
    assert_eq!(source.about().format, Format::Csv);
    let streams: Vec<_> = source.tables().streams().iter().map(|s| s.number).collect();
    assert_eq!(streams, [0, 3]);
    assert!(source.before().is_empty());
    source.rewind().unwrap();
    assert_eq!(read_all(&mut *source).unwrap(), events);
}

#[test]
fn what_is_only_freed_was_there_before() {
    let mut source =
        source("1,f,200,64,1\n1,c,200,64,1\n2,a,200,32,1\n3,s,0,4096,0\n4,c,900,8,0\n");
    assert_eq!(
        brief(source.before()),
        [
            (0, Kind::SegmentAlloc, 0, 4096),
            (0, Kind::Alloc, 0x200, 64),
            (0, Kind::Alloc, 0x900, 8)
        ]
    );
    let events = read_all(&mut *source).unwrap();
    let kinds: Vec<_> = events.iter().map(|e| e.kind).collect();
    assert_eq!(
        kinds,
        [
            FreeRequested,
            FreeCompleted,
            Alloc,
            SegmentFree,
            FreeRequested,
            FreeCompleted
        ]
    );
}

#[test]
fn contradictions_are_mended_and_counted() {
    let mut source = source(
        "1,a,10,8,0\n2,a,10,16,0\n3,f,10,99,0\n4,f,10,16,0\n5,c,10,16,0\n5,c,10,16,0\n4,a,20,1,0\n",
    );
    let events = read_all(&mut *source).unwrap();
    assert_eq!(
        brief(&events),
        [
            (0, Kind::Alloc, 0x10, 8),
            (1000, Kind::FreeRequested, 0x10, 8),
            (1000, Kind::FreeCompleted, 0x10, 8),
            (1000, Kind::Alloc, 0x10, 16),
            (2000, Kind::FreeRequested, 0x10, 16),
            (4000, Kind::FreeCompleted, 0x10, 16),
            (4000, Kind::Alloc, 0x20, 1),
        ]
    );
    let notes = source.notes();
    assert_eq!(
        (notes.implied, notes.unmatched, notes.resized, notes.late),
        (1, 2, 1, 1)
    );
}

#[test]
fn errors_name_line_and_byte() {
    for (lines, what) in [
        (
            "1,a,10\n",
            "t.csv: line 2, byte 25: the line has no field size",
        ),
        (
            "1,a,10,8,0\n2,x,10,8,0\n",
            "t.csv: line 3, byte 36: op is \"x\"",
        ),
        ("1,a,zz,8,0\n", "addr is \"zz\", not a number"),
        (
            "1,a,10,18446744073709551615,0\n",
            "line 2, byte 25: alloc of 18446744073709551615 bytes at 0x10",
        ),
        (
            "1,a,10,18446744073709551616,0\n",
            "size is \"18446744073709551616\", not a number below 2^64",
        ),
        (
            "9000000,a,10,8,0\n1,a,20,8,0\n",
            "line 3, byte 42: the time runs backwards",
        ),
    ] {
        let told = refused(format!("{HEADER}{lines}").as_bytes());
        assert!(told.contains(what), "{told}");
    }
    let told = refused(&[HEADER.as_bytes(), &vec![b'1'; 1 << 17]].concat());
    assert!(
        told.contains("line 2, byte 25: the line has more than"),
        "{told}"
    );
    assert!(refused(b"").contains("byte 0: the file is empty"));
    assert!(refused(b"PK\x03\x04....").contains("zip archive"));
    assert!(refused(b"time,what\n").contains("none of the formats"));
}

#[test]
fn gzip_is_unpacked_up_to_a_bound() {
    let pack = |bytes: &[u8]| {
        let mut out = GzEncoder::new(Vec::new(), Compression::best());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let good = pack(format!("{HEADER}1,a,10,8,0\n").as_bytes());
    let mut source = from_bytes(&good, "t.csv.gz").unwrap();
    assert_eq!(read_all(&mut *source).unwrap().len(), 1);
    let told = refused(&good[..good.len() - 4]);
    assert!(
        told.contains("of the unpacked content: cannot unpack it further"),
        "{told}"
    );
    let bomb = pack(&[HEADER.as_bytes(), &b"1,f,10,8,0\n".repeat(2 << 20)].concat());
    let told = refused(&bomb);
    assert!(
        told.contains("unpacks to more than 100 times its size"),
        "{told}"
    );
}

/// Counts are those of the traces' documentation; peaks were computed with a few lines of Python.
#[test]
fn recorded_traces() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces");
    if !folder.exists() {
        eprintln!("skipped: {} does not exist", folder.display());
        return;
    }
    for (name, allocations, peak) in [
        ("gpt_train_fixed", 21_520, 10_321_019_080),
        ("gpt_train_varlen", 42_334, 16_747_369_160),
        ("llm_decode_growing_kv", 141_414, 8_003_196_048),
        ("moe_train", 126_244, 8_935_480_648),
        ("multistream_prefetch", 4_928, 1_424_490_496),
    ] {
        let mut source = open(&folder.join(format!("{name}.csv.gz"))).unwrap();
        let events = read_all(&mut *source).unwrap();
        let count = events.iter().filter(|e| e.kind == Kind::Alloc).count();
        let (mut live, mut most) = (0_u64, 0);
        for event in &events {
            match event.kind {
                Kind::Alloc => live += event.bytes,
                Kind::FreeRequested => live -= event.bytes,
                _ => {}
            }
            most = most.max(live);
        }
        assert_eq!(count, allocations, "{name}");
        assert_eq!(most, peak, "{name}");
        assert_eq!(
            source.notes(),
            millpond_recording::Notes::default(),
            "{name}"
        );
        assert!(source.before().is_empty(), "{name}");
    }
}

#[test]
fn more_than_any_device_has_is_refused_with_its_line() {
    let half = 1_u64 << 47;
    let three = |op: &str| {
        let mut lines = String::new();
        for place in 0..3 {
            writeln!(lines, "{place},{op},{:x},{half},0", place * half).unwrap();
        }
        lines
    };
    // Blocks, blocks and segments that are older than the trace, segments.
    for op in ["a", "f", "c", "S", "s", "M", "m"] {
        let error = refused(format!("{HEADER}{}", three(op)).as_bytes());
        assert!(error.contains("line 4, byte "), "{op}: {error}");
        assert!(
            error.contains("no device has so much memory"),
            "{op}: {error}"
        );
    }
    let error = refused(format!("{HEADER}0,a,0,{},0\n", (1_u64 << 48) + 1).as_bytes());
    assert!(error.contains("line 2"), "{error}");
    // What was given back leaves room, and pages that are mapped twice count once.
    let mut lines = String::new();
    for time in 0..5 {
        let at = time * half;
        for op in ["a", "f", "c"] {
            writeln!(lines, "{time},{op},{at:x},{half},0").unwrap();
        }
        writeln!(lines, "{time},S,{:x},{half},0", time % 2).unwrap();
    }
    assert_eq!(source(&lines).events(), Some(20));
}
