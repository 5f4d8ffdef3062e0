//! `millpond check` for PyTorch on CUDA, with a program that leaves the records that `libmillpond_plugin.so` would write.

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{Stage, output, path, stderr};
use millpond_trace::file::Writer;
use millpond_trace::{
    Accesses, Bytes, Operation, Position, Record, Sink, Site, Space, TaskKind, Text,
};

const COPIES: u64 = 1;
const COMPUTE: u64 = 2;
const BATCH: Bytes = Bytes {
    start: 0x10_0000,
    bytes: 4096,
};

fn at(stream: u64, task: u64) -> Position {
    Position { stream, task }
}

fn work(position: Position, reads: bool) -> Operation {
    let mut accesses = Accesses::none(TaskKind::Compute);
    let spans = if reads {
        &mut accesses.reads
    } else {
        &mut accesses.writes
    };
    spans.push(BATCH.into());
    Operation::Enqueued {
        position,
        accesses,
        event: None,
        captured: None,
    }
}

fn event(position: Position, task: TaskKind, captured: Option<Position>) -> Operation {
    Operation::Enqueued {
        position,
        accesses: Accesses::none(task),
        event: Some(9),
        captured,
    }
}

/// A batch is copied on one stream and read on another, which waits for it; then it is freed in the order of the first.
fn write(file: &Path, use_is_recorded: bool, ends: bool) {
    let writer = Writer::create(file).expect("a file");
    let mut operations = vec![
        Operation::DeviceOpened {
            device: 0,
            capacity: 1 << 30,
            unified: false,
        },
        Operation::ContextCreated {
            context: 7,
            device: 0,
        },
        Operation::PoolCreated {
            pool: 1,
            device: 0,
            limit: 1 << 30,
        },
    ];
    operations.extend([COPIES, COMPUTE].map(|stream| Operation::StreamCreated {
        stream,
        context: 7,
        device: 0,
    }));
    operations.extend([
        Operation::Allocated {
            block: 3,
            space: Space::Device(0),
            range: BATCH,
            requested: 4000,
            charged: 4096,
            pool: Some(1),
            ordered: Some(at(COPIES, 0)),
        },
        work(at(COPIES, 1), false),
        event(at(COPIES, 2), TaskKind::RecordEvent, None),
        event(at(COMPUTE, 1), TaskKind::WaitEvent, Some(at(COPIES, 2))),
        work(at(COMPUTE, 2), true),
    ]);
    if use_is_recorded {
        operations.push(Operation::UseRecorded {
            address: BATCH.start,
            position: at(COMPUTE, 2),
        });
    }
    operations.push(Operation::Freed {
        block: 3,
        range: BATCH,
        retired: use_is_recorded,
        ordered: Some(at(COPIES, 2)),
    });
    for (operation, order) in operations.into_iter().zip(1..) {
        let call = if order == 1 {
            "millpondCudaCreate"
        } else {
            "millpondCudaWork"
        };
        writer.record(&Record {
            order,
            nanoseconds: order * 1000,
            thread: 1,
            site: Site {
                call: Text::Borrowed(call),
                ..Site::default()
            },
            operation,
        });
    }
    if !ends {
        writer.flush();
        // A killed process closes nothing.
        let _open = std::mem::ManuallyDrop::new(writer);
    }
}

/// Checks a program that writes this file where the library would.
fn check(stage: &Stage, file: &Path) -> Output {
    let program = r#"f=$(echo "$MILLPOND_CHECK_CUDA" | sed "s/%p/$$/"); mkdir -p "${f%/*}"; cp "$0" "$f"; exit 5"#;
    let mut command = stage.millpond(&["check", "--", "/bin/sh", "-c", program, path(file)]);
    output(command.env("TMPDIR", &stage.folder))
}

#[test]
fn records_of_cuda_are_judged_when_the_program_has_ended() {
    let stage = Stage::new("check-cuda");
    let file = stage.folder.join("records");
    write(&file, false, true);
    let result = check(&stage, &file);
    let text = stderr(&result);
    assert_eq!(result.status.code(), Some(1), "{text}");
    assert!(text.contains("error[stream.missing-record-use]"), "{text}");
    assert!(text.contains("call record_stream on"), "{text}");
    assert!(!text.contains("never used"), "{text}");

    write(&file, true, true);
    let result = check(&stage, &file);
    let text = stderr(&result);
    // Nothing is wrong, so the program's own status counts. Rules that need to see every access are not judged.
    assert_eq!(result.status.code(), Some(5), "{text}");
    assert!(text.contains("no findings"), "{text}");

    let left = fs::read_dir(&stage.folder).expect("the folder").flatten();
    let left = left.filter(|it| {
        it.file_name()
            .to_string_lossy()
            .starts_with("millpond-check")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_file_without_an_end_is_an_incomplete_check() {
    let stage = Stage::new("check-cuda-cut");
    let file = stage.folder.join("records");
    write(&file, true, false);
    let result = check(&stage, &file);
    let text = stderr(&result);
    assert_eq!(result.status.code(), Some(125), "{text}");
    assert!(text.contains("was not closed"), "{text}");
}
