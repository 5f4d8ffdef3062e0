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

/// The rules that are broken by what has happened so far.
fn findings(program: &Program) -> Vec<&'static str> {
    let mut checker = millpond_check::Checker::new(millpond_check::Options {
        rules: vec![
            "stream.race".to_owned(),
            "stream.missing-record-use".to_owned(),
        ],
        leaks: false,
        ..millpond_check::Options::default()
    });
    for record in program.seen.records() {
        checker.read(&record);
    }
    checker.end();
    let found = checker.drain();
    found.iter().map(|finding| finding.rule.id).collect()
}

fn span(range: Bytes) -> Spans {
    [range.into()].into_iter().collect()
}

/// A batch that is copied on one stream and used on another, as a prefetching loader does; then the next batch, which gets the
/// same memory.
#[derive(Clone, Copy)]
struct Prefetch {
    waits: bool,
    records: bool,
    /// The event that the computing stream waits for was recorded before the copy.
    early: bool,
}

impl Prefetch {
    fn run(self) -> Vec<&'static str> {
        let mut program = Program::new(true);
        let batch = bytes(0x10_0000, 4096);
        let loss = bytes(0x20_0000, 512);
        program.says(|book, tap| {
            book.device(tap, 0, 1 << 30);
            book.allocated(tap, COMPUTE, loss, 512);
            for step in 0..2 {
                book.allocated(tap, COPIES, batch, 4000);
                if self.early {
                    book.event_recorded(tap, 7, COPIES);
                }
                book.work(tap, COPIES, "aten::_to_copy", Spans::new(), span(batch));
                if !self.early {
                    book.event_recorded(tap, 7, COPIES);
                }
                if self.waits {
                    book.stream_waits(tap, COMPUTE, 7);
                }
                if self.records {
                    book.used(tap, batch.start, COMPUTE);
                }
                book.work(tap, COMPUTE, "aten::sum", span(batch), span(loss));
                if step == 1 {
                    book.synchronized(tap, Awaited::Stream(COMPUTE));
                }
                book.freed(tap, batch.start);
            }
        });
        findings(&program)
    }
}

#[test]
fn a_missing_record_stream_and_a_missing_wait_are_found() {
    let right = Prefetch {
        waits: true,
        records: true,
        early: false,
    };
    assert!(right.run().is_empty());
    let unrecorded = Prefetch {
        records: false,
        ..right
    };
    assert_eq!(unrecorded.run(), ["stream.missing-record-use"]);
    let unwaited = Prefetch {
        waits: false,
        ..right
    };
    assert_eq!(unwaited.run().first(), Some(&"stream.race"));
    let early = Prefetch {
        early: true,
        ..right
    };
    assert_eq!(early.run().first(), Some(&"stream.race"));
}

#[test]
fn a_synchronisation_orders_what_follows() {
    let mut program = Program::new(true);
    let block = bytes(0x10_0000, 4096);
    for awaited in [
        Awaited::Stream(COPIES),
        Awaited::Device(0),
        Awaited::Event(7),
    ] {
        program.says(|book, tap| {
            book.allocated(tap, COPIES, block, 4096);
            book.work(tap, COPIES, "aten::_to_copy", Spans::new(), span(block));
            book.event_recorded(tap, 7, COPIES);
            book.synchronized(tap, awaited);
            book.work(tap, COMPUTE, "aten::sum", span(block), Spans::new());
            book.synchronized(tap, Awaited::Stream(COMPUTE));
            book.freed(tap, block.start);
        });
    }
    assert!(findings(&program).is_empty());
}

/// Where pages are, by the records.
fn places(program: &Program) -> Vec<(u64, u64)> {
    let mut places = std::collections::BTreeMap::new();
    for operation in program.seen.operations() {
        match operation {
            Operation::Mapped { piece, range, .. } => {
                assert_eq!(
                    places.insert(piece, range.start),
                    None,
                    "page {piece} is there"
                );
            }
            Operation::Unmapped { piece, range, .. } => {
                assert_eq!(places.remove(&piece), Some(range.start));
            }
            _ => {}
        }
    }
    places.into_iter().collect()
}

#[test]
fn a_page_at_a_second_address_counts_once() {
    const PAGE: u64 = 1 << 21;
    let mut program = Program::new(false);
    program.says(|book, tap| book.mapped(tap, 0, bytes(0, 2 * PAGE), PAGE));
    let [(first, 0), (second, PAGE)] = places(&program)[..] else {
        panic!("{:?}", places(&program));
    };
    let window = 64 * PAGE;
    program.says(|book, tap| {
        book.moved(tap, PAGE, window);
        book.allocated(tap, COMPUTE, bytes(window, 512), 512);
    });
    assert_eq!(places(&program), [(first, 0), (second, window)]);
    // Another page at that address, and a block at the first address of the one that was there.
    program.says(|book, tap| {
        book.moved(tap, 0, window);
        book.allocated(tap, COMPUTE, bytes(PAGE + 512, 512), 512);
    });
    assert_eq!(places(&program), [(first, window), (second, PAGE)]);
    program.says(|book, tap| book.allocated(tap, COMPUTE, bytes(0, 2 * PAGE), 512));
    assert_eq!(places(&program), [(first, 0), (second, PAGE)]);
    // The window still shows the page, so a block there needs no other.
    program.says(|book, tap| book.allocated(tap, COMPUTE, bytes(window + 512, 512), 512));
    assert_eq!(places(&program), [(first, window), (second, PAGE)]);
    program.says(|book, tap| {
        book.moved(tap, PAGE, window);
        book.unmapped(tap, bytes(0, 2 * PAGE));
    });
    assert_eq!(places(&program), []);
    // Nothing is at the window any more, also when there are pages at the first addresses again.
    program.says(|book, tap| {
        book.mapped(tap, 0, bytes(0, PAGE), PAGE);
        book.allocated(tap, COMPUTE, bytes(window, 512), 512);
    });
    let [(_, 0)] = places(&program)[..] else {
        panic!("{:?}", places(&program));
    };
    program.says(|book, tap| book.unmapped(tap, bytes(0, PAGE)));
    assert_eq!(places(&program), []);
}
