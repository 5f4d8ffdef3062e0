//! Logs of RAPIDS Memory Manager.

use millpond_recording::{Format, Kind, from_bytes, read_all};

const HEADER: &str = "Thread,Time,Action,Pointer,Size,Stream\n";

#[test]
fn rows_become_events() {
    let log = format!(
        "{HEADER}77,23:59:59.999999,allocate,0x7f0000000000,1024,0x0\n\
         77,00:00:00:000001,allocate failure,(nil),4096,0x2\n\
         78,00:00:00.5,free,0x7f0000000000,1024,0x0\n"
    );
    let mut source = from_bytes(log.as_bytes(), "rmm.csv").unwrap();
    assert_eq!(source.about().format, Format::Rmm);
    let events = read_all(&mut *source).unwrap();
    let brief: Vec<_> = events
        .iter()
        .map(|e| (e.time_ns, e.kind, e.bytes))
        .collect();
    assert_eq!(
        brief,
        [
            (0, Kind::Alloc, 1024),
            (2000, Kind::OutOfMemory, 4096),
            (500_001_000, Kind::FreeRequested, 1024),
            (500_001_000, Kind::FreeCompleted, 1024),
        ]
    );
}

#[test]
fn errors_name_line_and_byte() {
    for (row, what) in [
        (
            "1,25:00:00.0,allocate,0x1,1,0x0",
            "line 2, byte 39: Time is \"25:00:00.0\"",
        ),
        ("1,10:00:00.0,grow,0x1,1,0x0", "Action is \"grow\""),
        ("1,10:00:00.0,allocate,0x1,-1,0x0", "Size is \"-1\""),
        (
            "1,10:00:00.0,allocate,0x10000000000000000,1,0x0",
            "Pointer is",
        ),
        ("1,10:00:00.0,allocate", "the line has no field Pointer"),
        (
            "1,10:00:00.0,free,0x1,99999999999999999,0x0",
            "no device has so much memory",
        ),
        (
            "1,10:00:09.0,allocate,0x1,1,0x0\n1,10:00:07.0,allocate,0x2,1,0x0",
            "line 3, byte 71: the time runs backwards",
        ),
    ] {
        let error = from_bytes(format!("{HEADER}{row}\n").as_bytes(), "rmm.csv").expect_err(row);
        assert!(error.to_string().contains(what), "{error}");
    }
}
