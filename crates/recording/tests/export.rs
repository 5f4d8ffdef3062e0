//! Exports, read back: by our own readers, by Python's pickle and by the parquet crate. With packages of others they are read in
//! `crates/cli/tests/packages.rs`.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::path::PathBuf;
use std::process::Command;

use bytes::Bytes;
use millpond_recording::{Event, Kind, Options, Source, Target, export, from_bytes, read_all};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

const SNAPSHOT: &[u8] = include_bytes!("data/snapshot4.pickle");

fn exported(bytes: &[u8], target: Target) -> Vec<u8> {
    let mut source = from_bytes(bytes, "in").expect("a recording");
    let mut out = Vec::new();
    export(&mut *source, target, Options::default(), &mut out).expect("memory is writable");
    out
}

/// Time, kind, address, bytes, stack, label, stream, device.
type Seen = (u64, Kind, u64, u64, Vec<String>, String, u64, u32);

fn events(source: &mut dyn Source) -> Vec<Seen> {
    let all: Vec<Event> = read_all(source).expect("the rest of a recording");
    let tables = source.tables();
    let of = |event: &Event| {
        let stack = tables
            .stack(event.stack)
            .map(|f| format!("{}:{}", tables.text(f.function), f.line));
        let stream = tables
            .streams()
            .get(event.stream as usize)
            .map_or(0, |stream| stream.number);
        let device = tables.devices()[usize::from(event.device)].index;
        let label = tables.text(event.label).to_owned();
        (
            event.time_ns,
            event.kind,
            event.address,
            event.bytes,
            stack.collect(),
            label,
            stream,
            device,
        )
    };
    all.iter().map(of).collect()
}

#[test]
fn a_snapshot_comes_back() {
    let out = exported(SNAPSHOT, Target::Snapshot);
    let mut first = from_bytes(SNAPSHOT, "first").unwrap();
    let mut second = from_bytes(&out, "second").unwrap();
    assert_eq!(events(&mut *first), events(&mut *second));
    assert_eq!(first.about().began_unix_ns, second.about().began_unix_ns);
    let key = |event: &Event| (event.kind, event.address, event.bytes);
    let mut before = first.before().iter().map(key).collect::<Vec<_>>();
    let mut again = second.before().iter().map(key).collect::<Vec<_>>();
    // A block outside of all segments, as that of device 2, gets one of its own.
    before.push((Kind::SegmentAlloc, 0x7F00_0000_0000, 64));
    before.sort();
    again.sort();
    assert_eq!(before, again);
}

/// Python must load it, and it must have the shape that `memory_viz` reads.
#[test]
fn python_loads_the_snapshot() {
    let file = written(&exported(SNAPSHOT, Target::Snapshot), "snapshot.pickle");
    let script = r"
import pickle, sys
s = pickle.load(open(sys.argv[1], 'rb'))
assert sorted(s) == ['allocator_settings', 'device_traces', 'external_annotations', 'segments'], sorted(s)
assert [len(t) for t in s['device_traces']] == [9, 0, 2], s['device_traces']
entry = s['device_traces'][0][3]
assert entry['action'] == 'alloc' and entry['size'] == 1000 and entry['addr'] == 0x7F00_0020_0000, entry
assert [f['name'] for f in entry['frames']] == ['recursive', 'recursive', 'step', 'main'], entry
assert entry['time_us'] == 1_700_000_000_000_003
for segment in s['segments']:
    assert sum(b['size'] for b in segment['blocks']) == segment['total_size'], segment
    at = segment['address']
    for b in segment['blocks']:
        assert b['address'] == at and b['state'] in ('active_allocated', 'active_pending_free', 'inactive')
        at += b['size']
print(len(s['segments']))
";
    let Ok(output) = Command::new("python3")
        .arg("-c")
        .arg(script)
        .arg(&file)
        .output()
    else {
        eprintln!("skipped: python3 cannot be started");
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Two of device 0; the block of device 2, whose free is pending, is its own.
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "3");
}

#[test]
fn csv_comes_back() {
    let lines = "t_us,op,addr,size,stream\n0,S,7f00,4096,0\n0.5,a,7f00,100,0\n1.25,f,7f00,100,0\n2,c,7f00,100,0\n3,a,7f00,8,4\n";
    let out = exported(lines.as_bytes(), Target::Csv);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        lines.replace("0.5,", "0.500,").replace("1.25,", "1.250,")
    );
}

#[test]
fn chrome_is_json() {
    let out = exported(SNAPSHOT, Target::Chrome);
    let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let all = read["traceEvents"].as_array().unwrap();
    let live: Vec<_> = all
        .iter()
        .filter(|event| event["name"] == "live bytes" && event["pid"] == 0)
        .map(|event| event["args"]["bytes"].as_u64().unwrap())
        .collect();
    assert_eq!(live, [300, 800, 500, 1500, 3500, 2500]);
    assert!(
        all.iter()
            .any(|event| event["ph"] == "b" && event["name"] == "step 1")
    );
    assert!(all.iter().any(|event| event["name"] == "out of memory"));
}

/// Reserved bytes are counted as `millpond view` and `millpond replay` do: pages that are mapped twice once, and blocks outside of all
/// segments with their pages. A device without segments has none.
#[test]
fn reserved_bytes_have_one_rule() {
    let csv = "t_us,op,addr,size,stream\n0,a,40000000,100,0\n1,S,80000000,4194304,0\n2,M,80200000,4194304,0\n\
               3,a,80000000,50,0\n4,m,80000000,2097152,0\n5,f,40000000,100,0\n6,s,80200000,4194304,0\n";
    let mut source = from_bytes(csv.as_bytes(), "in").unwrap();
    let mut counted = millpond_recording::Reserved::default();
    let mut all = source.before().to_vec();
    all.extend(read_all(&mut *source).unwrap());
    let expected: Vec<u64> = all
        .iter()
        .map(|event| {
            counted.apply(event);
            counted.bytes()
        })
        .collect();
    assert_eq!(
        expected,
        [1, 3, 4, 4, 3, 3, 1].map(|pages| pages << 21),
        "the rule itself"
    );
    assert_eq!(reserved(csv), expected);
    let without = "t_us,op,addr,size,stream\n0,a,40000000,100,0\n1,f,40000000,100,0\n";
    assert_eq!(reserved(without), [0, 0]);
}

/// The column of a table; Chrome's counters have the same changes.
fn reserved(csv: &str) -> Vec<u64> {
    let table = exported(csv.as_bytes(), Target::Parquet);
    let reader = SerializedFileReader::new(Bytes::from(table)).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    let column: Vec<u64> = rows
        .map(|row| row.get_long(9).unwrap().cast_unsigned())
        .collect();
    let mut changes = column.clone();
    changes.insert(0, 0);
    changes.dedup();
    let chrome = exported(csv.as_bytes(), Target::Chrome);
    let read: serde_json::Value = serde_json::from_slice(&chrome).unwrap();
    let counters = read["traceEvents"].as_array().unwrap().iter();
    let told: Vec<u64> = counters
        .filter(|event| event["name"] == "reserved bytes")
        .map(|event| event["args"]["bytes"].as_u64().unwrap())
        .collect();
    assert_eq!(told, changes[1..]);
    column
}

#[test]
fn parquet_has_its_rows() {
    let out = exported(SNAPSHOT, Target::Parquet);
    let reader = SerializedFileReader::new(Bytes::from(out)).unwrap();
    let rows: Vec<_> = reader
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut source = from_bytes(SNAPSHOT, "in").unwrap();
    assert_eq!(
        rows.len(),
        source.before().len() + read_all(&mut *source).unwrap().len()
    );
    let names: Vec<_> = rows[0]
        .get_column_iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "rank",
            "device",
            "time_ns",
            "kind",
            "address",
            "bytes",
            "stream",
            "step",
            "live_bytes",
            "reserved_bytes",
            "before",
            "label",
            "site",
            "stack",
            "event",
            "owner"
        ]
    );
    let peak = rows.iter().map(|row| row.get_long(8).unwrap()).max();
    assert_eq!(peak, Some(3500));
    let row = rows
        .iter()
        .find(|row| row.get_long(5).unwrap() == 1000)
        .unwrap();
    assert_eq!(row.get_string(12).unwrap(), "model.py:30 recursive");
    assert_eq!(
        row.get_string(13).unwrap(),
        "model.py:10 main;model.py:20 step;model.py:30 recursive;model.py:30 recursive"
    );
    assert_eq!(
        (row.get_int(7).unwrap(), row.get_bool(10).unwrap()),
        (1, false)
    );
    assert!(rows[0].get_bool(10).unwrap());
    // In the order of the file, and an allocation has its owner.
    for (number, row) in (0_i64..).zip(&rows) {
        assert_eq!(row.get_long(14).unwrap(), number);
        let is_alloc = row.get_string(3).unwrap() == "alloc";
        assert_eq!(row.get_string(15).unwrap().is_empty(), !is_alloc);
    }
    assert_eq!(row.get_string(15).unwrap(), "model.py:30");
    // The document for those who query has the same columns.
    let document = include_str!("../../../docs/queries/README.md");
    for name in names {
        assert!(document.contains(&format!("| `{name}` |")), "{name}");
    }
}

fn written(bytes: &[u8], name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("millpond-export-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).expect("a folder for temporary files");
    path
}
