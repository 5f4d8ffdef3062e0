use std::sync::Arc;

use millpond_trace::{Collector, Sink};

use super::*;

const COMPUTE: Lane = Lane {
    device: 0,
    handle: 0,
};
const COPIES: Lane = Lane {
    device: 0,
    handle: 0x5500,
};

struct Program {
    book: Book,
    tap: Tap,
    seen: Arc<Collector>,
}

impl Program {
    fn new(everything: bool) -> Self {
        let seen = Arc::new(Collector::default());
        let tap = Tap::default();
        tap.attach(Arc::clone(&seen) as Arc<dyn Sink>);
        Self {
            book: Book::new(everything),
            tap,
            seen,
        }
    }

    fn says(&mut self, act: impl FnOnce(&mut Book, &Tap)) -> Vec<Operation> {
        let before = self.seen.operations().len();
        act(&mut self.book, &self.tap);
        self.seen.operations().split_off(before)
    }
}

fn bytes(start: u64, bytes: u64) -> Bytes {
    Bytes { start, bytes }
}

#[test]
fn a_block_is_ordered_by_the_tasks_of_its_stream() {
    let mut program = Program::new(true);
    program.says(|book, tap| {
        book.device(tap, 0, 1 << 30);
        book.work(tap, COPIES, "aten::copy_", Spans::new(), Spans::new());
    });
    let allocated = program.says(|book, tap| book.allocated(tap, COPIES, bytes(512, 512), 100));
    let [
        Operation::Allocated {
            ordered: Some(at),
            requested: 100,
            ..
        },
    ] = allocated[..]
    else {
        panic!("{allocated:?}");
    };
    assert_eq!(at.task, 1);
    let freed = program.says(|book, tap| {
        book.work(tap, COPIES, "aten::add", Spans::new(), Spans::new());
        book.freed(tap, 512);
    });
    let Operation::Freed {
        ordered: Some(end),
        retired: false,
        ..
    } = freed[1]
    else {
        panic!("{freed:?}");
    };
    assert_eq!((end.stream, end.task), (at.stream, 2));
    assert!(program.says(|book, tap| book.freed(tap, 512)).is_empty());
}

#[test]
fn a_wait_names_the_recording_that_it_waits_for() {
    let mut program = Program::new(false);
    let recorded = program.says(|book, tap| book.event_recorded(tap, 77, COPIES));
    let Some(Operation::Enqueued {
        position: first,
        event: Some(event),
        ..
    }) = recorded.last()
    else {
        panic!("{recorded:?}");
    };
    let later = program.says(|book, tap| {
        book.event_recorded(tap, 77, COPIES);
        book.stream_waits(tap, COMPUTE, 77);
    });
    let Some(Operation::Enqueued {
        captured: Some(captured),
        event: Some(waited),
        ..
    }) = later.last()
    else {
        panic!("{later:?}");
    };
    assert_eq!(
        (captured.stream, captured.task),
        (first.stream, first.task + 1)
    );
    assert_eq!(waited, event);
    // An event that is not known is no wait, and neither is one that took the place of another.
    assert!(
        program
            .says(|book, tap| book.stream_waits(tap, COMPUTE, 78))
            .is_empty()
    );
    program.says(|book, tap| book.event_gone(tap, 77));
    assert!(
        program
            .says(|book, tap| book.stream_waits(tap, COMPUTE, 77))
            .is_empty()
    );
}

#[test]
fn only_the_use_by_another_stream_is_a_use() {
    let mut program = Program::new(false);
    program.says(|book, tap| book.allocated(tap, COMPUTE, bytes(512, 512), 512));
    let same = Lane {
        device: 0,
        handle: LEGACY,
    };
    assert!(
        program
            .says(|book, tap| book.used(tap, 512, same))
            .is_empty()
    );
    let used = program.says(|book, tap| book.used(tap, 512, COPIES));
    assert!(
        matches!(
            used.last(),
            Some(Operation::UseRecorded { address: 512, .. })
        ),
        "{used:?}"
    );
    let freed = program.says(|book, tap| book.freed(tap, 512));
    assert!(
        matches!(freed[..], [Operation::Freed { retired: true, .. }]),
        "{freed:?}"
    );
}

#[test]
fn the_default_stream_of_each_device_is_its_own() {
    let mut program = Program::new(false);
    let other = Lane {
        device: 1,
        handle: 0,
    };
    program.says(|book, tap| {
        book.allocated(tap, COMPUTE, bytes(512, 512), 512);
        book.allocated(tap, other, bytes(4096, 512), 512);
    });
    let created = program.seen.operations();
    let streams: Vec<_> = created
        .iter()
        .filter_map(|operation| match operation {
            Operation::StreamCreated { stream, device, .. } => Some((*stream, *device)),
            _ => None,
        })
        .collect();
    let [(one, 0), (two, 1)] = streams[..] else {
        panic!("{streams:?}");
    };
    assert_ne!(one, two);
}

#[test]
fn pages_are_in_recordings_and_work_is_in_checks() {
    for everything in [false, true] {
        let mut program = Program::new(everything);
        program.says(|book, tap| book.device(tap, 0, 1 << 30));
        let pages = program.says(|book, tap| {
            book.mapped(tap, 0, bytes(0, 4096), 2048);
            book.unmapped(tap, bytes(2048, 2048));
        });
        let unmapped = pages
            .iter()
            .filter(|operation| matches!(operation, Operation::Unmapped { range, .. } if range.start == 2048))
            .count();
        assert_eq!(unmapped, usize::from(!everything));
        let work = program
            .says(|book, tap| book.work(tap, COMPUTE, "aten::add", Spans::new(), Spans::new()));
        assert_eq!(
            work.iter()
                .any(|it| matches!(it, Operation::Enqueued { .. })),
            everything
        );
    }
}
