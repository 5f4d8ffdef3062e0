//! What records say of tasks and streams: the truth, also when something went wrong.

use std::time::Duration;

use millpond::trace::{Accesses, Operation, Outcome, TaskKind};
use millpond::{Comparison, EventKind, OnFailure, Schedule};

use crate::common::{fill, gate, open, open_under_every_schedule};
use crate::{assert_whole, at, completed, enqueued, listen};

/// Who reads the records must learn the edge, whether or not the event was reached by then.
#[test]
fn a_wait_names_the_place_it_waits_for_also_when_that_was_reached_already() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        let collector = listen(&runtime);
        stream.host_function(|| ()).unwrap();
        stream.record(&event).unwrap();
        stream.synchronize().unwrap();
        other.wait_event(&event, None).unwrap();
        let expected = enqueued(
            at(&other, 1),
            TaskKind::WaitEvent,
            Some(event.id()),
            Some(at(&stream, 2)),
        );
        let operations = collector.operations();
        assert!(
            operations.contains(&expected),
            "{schedule:?}: {:?}",
            operations.iter().rev().find(|operation| matches!(
                operation,
                Operation::Enqueued {
                    accesses: Accesses {
                        task: TaskKind::WaitEvent,
                        ..
                    },
                    ..
                }
            ))
        );
    });
}

#[test]
fn a_wait_for_a_recording_to_come_names_no_place() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let collector = listen(&runtime);
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    let expected = enqueued(at(&stream, 1), TaskKind::WaitEvent, Some(event.id()), None);
    assert!(collector.operations().contains(&expected));
    stream.destroy_force();
    let gone = Operation::StreamDestroyed {
        stream: stream.id(),
        dropped: 1,
    };
    assert!(collector.operations().contains(&gone));
}

#[test]
fn a_failed_task_and_its_synchronisation_say_why() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let collector = listen(&runtime);
        let (never, limit) = (gate(&runtime), Some(Duration::from_millis(5)));
        stream.wait_event(&never, limit).unwrap();
        assert!(stream.synchronize().is_err());
        let failed = collector
            .operations()
            .into_iter()
            .filter(|operation| {
                matches!(
                    operation,
                    Operation::Completed {
                        outcome: Outcome::Failed(why),
                        ..
                    } | Operation::Synchronized {
                        outcome: Outcome::Failed(why),
                        ..
                    } if why.contains("within 5 ms")
                )
            })
            .count();
        assert_eq!(failed, 2, "{schedule:?}");
        assert_whole(&collector.records());
    });
}

/// A copy that a stopped stream skipped has written nothing; a record must not claim it has.
#[test]
fn a_task_that_was_skipped_is_not_recorded_as_done() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        stream.set_on_failure(OnFailure::Stop);
        let block = device.alloc(64).unwrap();
        let collector = listen(&runtime);
        stream.host_function(|| panic!("planned")).unwrap();
        fill(&stream, &block, 1);
        assert!(stream.synchronize().is_err());
        let operations = collector.operations();
        assert!(
            !operations.contains(&completed(at(&stream, 2))),
            "{schedule:?}"
        );
        assert_whole(&collector.records());
    });
}

#[test]
fn tasks_that_an_abort_threw_away_end_in_the_records_too() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let block = device.alloc(64).unwrap();
        let collector = listen(&runtime);
        let never = gate(&runtime);
        stream.wait_event(&never, None).unwrap();
        fill(&stream, &block, 1);
        stream.abort();
        // The wait may just have been looked at.
        let aborted = collector.operations().into_iter().any(|operation| {
            matches!(operation, Operation::StreamAborted { stream: number, begun: 0 | 1 }
                if number == stream.id())
        });
        assert!(aborted, "{schedule:?}");
        fill(&stream, &block, 2);
        stream.synchronize().unwrap();
        assert_whole(&collector.records());
    });
}

#[test]
fn a_stream_that_is_dropped_ends_in_the_records_as_one_that_is_destroyed() {
    let (runtime, device) = open(Schedule::Eager);
    let (dropped, destroyed) = (
        device.create_stream().unwrap(),
        device.create_stream().unwrap(),
    );
    let ids = [destroyed.id(), dropped.id()];
    let collector = listen(&runtime);
    destroyed.destroy().unwrap();
    drop(destroyed);
    drop(dropped);
    let ended: Vec<_> = collector
        .operations()
        .into_iter()
        .filter_map(|operation| match operation {
            Operation::StreamDestroyed { stream, .. } => Some(stream),
            _ => None,
        })
        .collect();
    assert_eq!(ended, ids);
}

/// Who reads the records must learn which write ended a wait, and that nothing is known if something else wrote the word.
#[test]
fn a_wait_for_a_word_names_the_write_that_it_saw() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let block = device.alloc(64).unwrap();
        fill(&stream, &block, 0);
        stream.synchronize().unwrap();
        let collector = listen(&runtime);
        let word = block.all().address();
        let until = |value| (Comparison::Equal, value);
        stream
            .wait_word("aclrtValueWait", word, until(7), || ())
            .unwrap();
        other.write_word("aclrtValueWrite", word, 6).unwrap();
        other.write_word("aclrtValueWrite", word, 7).unwrap();
        stream.synchronize().unwrap();
        fill(&other, &block, 0);
        stream
            .wait_word("aclrtValueWait", word, until(0), || ())
            .unwrap();
        stream.synchronize().unwrap();
        other.synchronize().unwrap();
        let met: Vec<_> = collector
            .operations()
            .into_iter()
            .filter(|operation| matches!(operation, Operation::WordMet { .. }))
            .collect();
        let expected = [
            Operation::WordMet {
                position: at(&stream, 2),
                writer: Some(at(&other, 2)),
            },
            Operation::WordMet {
                position: at(&stream, 3),
                writer: None,
            },
        ];
        assert_eq!(met, expected, "{schedule:?}");
        assert_whole(&collector.records());
    });
}
