//! What records say of work that was refused: what the program asked for, as it asked.

use millpond::raw::{FillValue, RawCopy, RawFill, RawRows};
use millpond::trace::{Accesses, Operation, Outcome, Space, Span, TaskKind};
use millpond::{Direction, EventKind, Schedule};

use crate::common::{SCHEDULES, open};
use crate::{at, listen};

/// Nothing of it is touched: every copy below is refused, or is between blocks.
macro_rules! raw {
    ($call:expr) => {{
        #[expect(
            unsafe_code,
            reason = "copies between addresses that are given as such"
        )]
        // SAFETY: no side is memory of this program.
        unsafe {
            $call
        }
    }};
}

fn copy(to: u64, room: u64, from: u64, bytes: u64) -> RawCopy {
    RawCopy {
        to,
        room,
        from,
        bytes,
        direction: Direction::DeviceToDevice,
    }
}

#[test]
fn what_is_refused_is_reported_as_it_was_asked_for() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let (a, b) = (device.alloc(64).unwrap(), device.alloc(64).unwrap());
    let (from, to) = (a.address(), b.address());
    let long = copy(to, 4096, from, 4096);
    let cramped = copy(to, 10, from, 20);
    let foreign = copy(to, 64, 64, 64);
    let beyond = copy(to, 64, u64::MAX - 8, 64);
    let rows = RawRows {
        to,
        to_pitch: 100,
        from,
        from_pitch: 16,
        width: 16,
        height: 40,
        direction: Direction::FromAddresses,
    };
    let fill = RawFill {
        to: to + 2,
        room: 32,
        bytes: 8,
        value: FillValue::Word(7),
    };
    let collector = listen(&runtime);
    for copy in [long, cramped, foreign, beyond] {
        raw!(device.copy_at(&copy)).unwrap_err();
        raw!(stream.copy_at(&copy, false)).unwrap_err();
    }
    raw!(device.copy_rows_at(&rows)).unwrap_err();
    raw!(stream.copy_rows_at(&rows)).unwrap_err();
    raw!(device.fill_at(&fill)).unwrap_err();
    raw!(stream.fill_at(&fill)).unwrap_err();
    stream.copy(b.slice(..8), a.all()).unwrap_err();
    let refused: Vec<_> = collector
        .operations()
        .into_iter()
        .map(|operation| match operation {
            Operation::WorkRefused {
                stream,
                accesses,
                reason,
            } => {
                assert!(!reason.is_empty());
                (stream, accesses)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let number = Some(stream.id());
    let mut expected = Vec::new();
    let all_accesses = [long, cramped, foreign, beyond].map(|copy| copy.accesses());
    for accesses in all_accesses
        .into_iter()
        .chain([rows.accesses(), fill.accesses()])
    {
        expected.extend([(None, accesses.clone()), (number, accesses)]);
    }
    expected.push((number, copy(to, 8, from, 64).accesses()));
    assert_eq!(refused, expected);
    let wide = Span {
        start: to,
        width: 16,
        pitch: 100,
        rows: 40,
    };
    assert_eq!(rows.accesses().writes.as_slice(), [wide]);
    assert_eq!(cramped.accesses().room, 10);
}

#[test]
fn what_a_stopped_or_closed_stream_refuses_is_not_a_mistake_in_the_ranges() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let block = device.alloc(64).unwrap();
    stream.destroy().unwrap();
    let collector = listen(&runtime);
    assert!(stream.fill(block.all(), 1).is_err());
    assert_eq!(collector.operations(), []);
}

/// The program says more room than there is; only a judge finds that wrong.
#[test]
fn the_stated_room_is_in_the_records() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let (a, b) = (device.alloc(64).unwrap(), device.alloc(64).unwrap());
    let copy = copy(b.address(), 1 << 20, a.address(), 64);
    let collector = listen(&runtime);
    raw!(device.copy_at(&copy)).unwrap();
    raw!(stream.copy_at(&copy, false)).unwrap();
    stream.synchronize().unwrap();
    let all_accesses: Vec<Accesses> = collector
        .operations()
        .into_iter()
        .filter_map(|operation| match operation {
            Operation::Moved { accesses, .. } | Operation::Enqueued { accesses, .. } => {
                Some(accesses)
            }
            _ => None,
        })
        .collect();
    assert_eq!(all_accesses, [copy.accesses(), copy.accesses()]);
    assert_eq!(all_accesses[0].room, 1 << 20);
}

/// The bytes of a source that is taken at once are written to a block of the runtime, which goes in the order of
/// the stream: no reader of records may take that for a mistake of the program.
#[test]
fn a_source_that_is_taken_at_once_is_reported_whole() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let block = device.alloc(64).unwrap();
        let host = [3_u8; 64];
        let copy = RawCopy {
            to: block.address(),
            room: 64,
            from: host.as_ptr().expose_provenance() as u64,
            bytes: 64,
            direction: Direction::HostToDevice,
        };
        let collector = listen(&runtime);
        raw!(stream.copy_at(&copy, true)).unwrap();
        stream.synchronize().unwrap();
        let operations = collector.operations();
        let Some(Operation::Allocated {
            block: staged,
            space: Space::Pinned,
            range,
            ..
        }) = operations.first()
        else {
            panic!("{operations:?}");
        };
        assert!(operations.iter().any(|operation| matches!(
            operation,
            Operation::Moved { accesses, outcome: Outcome::Done }
                if accesses.writes[0].start == range.start && accesses.reads[0].start == copy.from
        )));
        assert!(operations.iter().any(|operation| matches!(
            operation,
            Operation::Enqueued { position, accesses, .. }
                if *position == at(&stream, 1) && accesses.reads[0].start == range.start
        )));
        assert!(operations.iter().any(|operation| matches!(
            operation,
            Operation::Freed { block, ordered, .. }
                if block == staged && *ordered == Some(at(&stream, 1))
        )));
    }
}

#[test]
fn questions_that_tell_the_host_something_are_recorded() {
    let (runtime, device) = open(Schedule::Eager);
    let (stream, other) = (
        device.create_stream().unwrap(),
        device.create_stream().unwrap(),
    );
    let event = runtime.create_event(EventKind::Resettable).unwrap();
    stream.record(&event).unwrap();
    other.wait_event(&event, None).unwrap();
    device.synchronize().unwrap();
    let collector = listen(&runtime);
    assert!(!event.is_waited_for());
    event.reached_at().unwrap();
    let kept = event.clone();
    event.retire();
    drop((event, kept));
    let asked = |operation: &Operation| {
        matches!(
            operation,
            Operation::Queried {
                outcome: Outcome::Done,
                ..
            }
        )
    };
    let operations = collector.operations();
    assert_eq!(operations.iter().filter(|one| asked(one)).count(), 2);
    // Once, where the program said so, and not again when the last holder goes.
    assert_eq!(operations.len(), 3, "{operations:?}");
    assert!(matches!(operations[2], Operation::EventDestroyed { .. }));
}

#[test]
fn functions_of_the_program_tell_when_they_begin() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let reports = runtime.create_reports();
        stream.subscribe(&reports).unwrap();
        let collector = listen(&runtime);
        stream.host_function(|| ()).unwrap();
        stream.report(|| (), true).unwrap();
        stream.report(|| (), false).unwrap();
        let mut ran = 0;
        while ran < 2 {
            ran += reports.process(None).unwrap();
        }
        stream.synchronize().unwrap();
        let operations = collector.operations();
        let place = |wanted: &Operation| operations.iter().position(|one| one == wanted);
        for task in 1..=3 {
            let began = Operation::FunctionBegan {
                position: at(&stream, task),
            };
            let began = place(&began).unwrap_or_else(|| panic!("{schedule:?}: {task}"));
            // What came before has ended by then.
            let before = |operation: &Operation| matches!(operation, Operation::Completed { position, .. } if position.task < task);
            let ended = operations[..began].iter().filter(|one| before(one)).count();
            assert_eq!(ended as u64, task - 1, "{schedule:?}");
        }
        assert!(operations.iter().any(|operation| matches!(
            operation,
            Operation::Enqueued { accesses, .. } if accesses.task == TaskKind::Report
        )));
    }
}
