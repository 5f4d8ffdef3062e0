//! `millpond records`, with files that are whole, damaged, and none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use millpond_trace::file::Writer;
use millpond_trace::{Operation, Record, Sink, Site};

/// A file with three blocks of one record each.
fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let writer = Writer::create(&path).expect("a file for the test");
    for order in 1..=3 {
        writer.record(&Record {
            order,
            nanoseconds: order * 1_000_000,
            thread: 1,
            site: Site {
                call: "aclrtResetDevice".into(),
                caller: 0x1234,
                stack: 0,
            },
            operation: Operation::DeviceReset { device: 5 },
        });
        writer.flush();
    }
    path
}

#[test]
fn a_text_cannot_talk_to_the_terminal() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terminal.mpr");
    let writer = Writer::create(&path).expect("a file for the test");
    writer.record(&Record {
        order: 1,
        nanoseconds: 0,
        thread: 1,
        site: Site::default(),
        operation: Operation::Marked {
            domain: 0,
            message: "\u{1b}[2J\ngone".to_owned(),
            stream: None,
        },
    });
    drop(writer);
    let printed = text(&millpond(&[], &path).stdout);
    assert_eq!(printed.lines().count(), 1, "{printed}");
    assert!(!printed.contains('\u{1b}'), "{printed}");
}

fn millpond(arguments: &[&str], file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_millpond"))
        .arg("records")
        .args(arguments)
        .arg(file)
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_file_is_printed_as_lines() {
    let result = millpond(&[], &file("lines.mpr"));
    let printed = text(&result.stdout);
    assert_eq!(printed.lines().count(), 3, "{printed}");
    let last = printed.lines().last().expect("three lines");
    assert!(
        last.ends_with("device 5 reset  in aclrtResetDevice  from 0x1234"),
        "{last}"
    );
    assert_eq!(result.status.code(), Some(0));
    assert_eq!(text(&result.stderr), "");
}

#[test]
fn statistics_count_kinds() {
    let result = millpond(&["--stats"], &file("stats.mpr"));
    let printed = text(&result.stdout);
    for expected in [
        "records    3\n",
        "closed     yes\n",
        "lost       nothing\n",
        "         3 DeviceReset\n",
    ] {
        assert!(printed.contains(expected), "{printed}");
    }
}

#[test]
fn damage_is_said_and_the_rest_is_printed() {
    let path = file("damaged.mpr");
    let mut bytes = fs::read(&path).expect("the file just written");
    // The second block's payload: behind the second magic.
    let mut starts = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"\xF5MB\x01"));
    let second = starts.nth(1).expect("three blocks");
    bytes[second + 45] ^= 1;
    fs::write(&path, bytes).expect("the damaged file");
    let result = millpond(&[], &path);
    assert_eq!(result.status.code(), Some(1));
    assert_eq!(text(&result.stdout).lines().count(), 2);
    let said = text(&result.stderr);
    assert!(said.contains("1 record lost"), "{said}");
    let printed = text(&millpond(&["--stats"], &path).stdout);
    assert!(printed.contains("lost       1 record, "), "{printed}");
    assert!(printed.contains(" bytes, in 1 place\n"), "{printed}");
}

#[test]
fn what_is_no_record_file_is_refused() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("none.mpr");
    fs::write(&path, "something else").expect("a file");
    for path in [&path, Path::new("/does/not/exist")] {
        let result = millpond(&[], path);
        assert_eq!(result.status.code(), Some(2));
        assert!(text(&result.stderr).starts_with("millpond records: /"));
    }
}
