//! What comes out of the tap: one record per operation, in an order that tells the story.

#[path = "common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use common::{LONG, MIB, SCHEDULES, fill, gate, open, within};
use millpond::trace::{
    Bytes, Collector, Operation, Outcome, Position, Record, Sink, Space, Target, TaskKind,
};
use millpond::{BlockInfo, EventKind, OnFailure, Runtime, Schedule, Slice};

fn listen(runtime: &Runtime) -> Arc<Collector> {
    let collector = Arc::new(Collector::default());
    runtime.tap().attach(collector.clone());
    collector
}

fn range(slice: Slice<'_>) -> Bytes {
    Bytes {
        start: slice.address(),
        bytes: slice.bytes(),
    }
}

fn at(stream: &millpond::Stream, task: u64) -> Position {
    let stream = stream.id();
    Position { stream, task }
}

fn completed(position: Position) -> Operation {
    Operation::Completed {
        position,
        outcome: Outcome::Done,
    }
}

fn allocated(block: &BlockInfo, charged: u64) -> Operation {
    Operation::Allocated {
        block: block.serial,
        space: block.space,
        range: block.range(),
        requested: block.requested,
        charged,
    }
}

fn freed(block: &BlockInfo, retired: bool) -> Operation {
    Operation::Freed {
        block: block.serial,
        range: block.range(),
        retired,
    }
}

fn synchronized(target: Target) -> Operation {
    Operation::Synchronized {
        target,
        outcome: Outcome::Done,
    }
}

/// The record of a task that touches no memory.
fn enqueued(
    position: Position,
    task: TaskKind,
    event: Option<u64>,
    captured: Option<Position>,
) -> Operation {
    Operation::Enqueued {
        position,
        task,
        reads: Vec::new(),
        writes: Vec::new(),
        event,
        captured,
    }
}

/// Numbers are dense and unique, and every task that was enqueued ends exactly once, afterwards.
fn assert_whole(records: &[Record]) {
    let first = records.first().map_or(1, |record| record.order);
    for (expected, record) in (first..).zip(records) {
        assert_eq!(record.order, expected, "{record:?}");
    }
    let mut open: BTreeMap<(u64, u64), u32> = BTreeMap::new();
    for record in records {
        match &record.operation {
            Operation::Enqueued { position, .. } => {
                let before = open.insert((position.stream, position.task), 0);
                assert_eq!(before, None, "{position:?} was enqueued twice");
            }
            Operation::Completed { position, .. } => {
                let ended = open.get_mut(&(position.stream, position.task));
                *ended.unwrap_or_else(|| panic!("{position:?} ended before it was enqueued")) += 1;
            }
            _ => {}
        }
    }
    let wrong: Vec<_> = open.iter().filter(|(_, ended)| **ended != 1).collect();
    assert!(
        wrong.is_empty(),
        "(stream, task) and how often it ended: {wrong:?}"
    );
}

/// Under the latest schedule the whole sequence is known.
#[test]
fn a_small_program_leaves_exactly_these_records() {
    // Quick enough that nothing runs by itself.
    let (records, expected) = common::promptly(|| {
        let runtime = Runtime::new(common::config(Schedule::Latest)).unwrap();
        let collector = listen(&runtime);
        let device = runtime.device(0).unwrap();
        let stream = device.create_stream().unwrap();
        let other = device.create_stream().unwrap();
        let (a, b) = (device.alloc(100).unwrap(), device.alloc(3 * MIB).unwrap());
        let host = runtime.alloc_host(64).unwrap();
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        let (id, infos) = (event.id(), [*a.info(), *b.info(), *host.info()]);
        let mut expected = vec![
            Operation::DeviceOpened {
                device: 0,
                capacity: 256 * MIB,
            },
            Operation::StreamCreated {
                stream: stream.id(),
                context: 0,
                device: 0,
            },
            Operation::StreamCreated {
                stream: other.id(),
                context: 0,
                device: 0,
            },
            allocated(&infos[0], 4096),
            allocated(&infos[1], 4 * MIB),
            allocated(&infos[2], 4096),
            Operation::EventCreated { event: id },
        ];

        stream.fill(a.slice(10..20), 1).unwrap();
        stream.copy(b.slice(5..), a.slice(..50)).unwrap();
        stream.record(&event).unwrap();
        other.wait_event(&event, None).unwrap();
        other.copy(host.all(), b.slice(100..164)).unwrap();
        expected.extend([
            Operation::Enqueued {
                position: at(&stream, 1),
                task: TaskKind::Fill,
                reads: Vec::new(),
                writes: vec![range(a.slice(10..20))],
                event: None,
                captured: None,
            },
            Operation::Enqueued {
                position: at(&stream, 2),
                task: TaskKind::Copy,
                reads: vec![range(a.slice(..50))],
                writes: vec![range(b.slice(5..55))],
                event: None,
                captured: None,
            },
            enqueued(at(&stream, 3), TaskKind::RecordEvent, Some(id), None),
            enqueued(
                at(&other, 1),
                TaskKind::WaitEvent,
                Some(id),
                Some(at(&stream, 3)),
            ),
            Operation::Enqueued {
                position: at(&other, 2),
                task: TaskKind::Copy,
                reads: vec![range(b.slice(100..164))],
                writes: vec![range(host.all())],
                event: None,
                captured: None,
            },
        ]);

        drop(a);
        assert!(!stream.is_done());
        other.synchronize().unwrap();
        stream.host_function(|| ()).unwrap();
        device.synchronize().unwrap();
        event.synchronize().unwrap();
        event.status();
        drop((b, event));
        stream.destroy().unwrap();
        other.destroy_force();
        expected.extend([
            freed(&infos[0], true),
            completed(at(&stream, 1)),
            Operation::Queried {
                target: Target::Stream(stream.id()),
                outcome: Outcome::NotReady,
            },
            completed(at(&stream, 2)),
            completed(at(&stream, 3)),
            completed(at(&other, 1)),
            completed(at(&other, 2)),
            synchronized(Target::Stream(other.id())),
            enqueued(at(&stream, 4), TaskKind::HostFunction, None, None),
            completed(at(&stream, 4)),
            synchronized(Target::Device(0)),
            synchronized(Target::Event(id)),
            Operation::Queried {
                target: Target::Event(id),
                outcome: Outcome::Done,
            },
            freed(&infos[1], false),
            Operation::EventDestroyed { event: id },
            synchronized(Target::Stream(stream.id())),
            Operation::StreamDestroyed {
                stream: stream.id(),
                dropped: 0,
            },
            Operation::StreamDestroyed {
                stream: other.id(),
                dropped: 0,
            },
        ]);
        (collector.records(), expected)
    });
    assert_whole(&records);
    let operations: Vec<_> = records.into_iter().map(|record| record.operation).collect();
    for (number, (found, expected)) in operations.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "record {}", number + 1);
    }
    assert_eq!(operations.len(), expected.len());
}

#[test]
fn records_of_many_threads_are_dense_and_every_task_ends_once() {
    for schedule in SCHEDULES {
        within(LONG, move || {
            let runtime = Runtime::new(common::config(schedule)).unwrap();
            let collector = listen(&runtime);
            let device = runtime.device(0).unwrap();
            let shared = device.create_stream().unwrap();
            thread::scope(|scope| {
                for number in 0..3 {
                    let (runtime, device, shared) = (&runtime, &device, &shared);
                    scope.spawn(move || {
                        let own = device.create_stream().unwrap();
                        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
                        for _ in 0..30 {
                            let block = device.alloc(64).unwrap();
                            fill(&own, &block, number);
                            own.record(&event).unwrap();
                            shared.wait_event(&event, None).unwrap();
                            shared.fill(block.all(), number).unwrap();
                            own.host_function(|| ()).unwrap();
                        }
                        own.synchronize().unwrap();
                    });
                }
            });
            device.synchronize().unwrap();
            assert_whole(&collector.records());
        });
    }
}

/// Who reads the records must learn the edge, whether or not the event was reached by then.
#[test]
fn a_wait_names_the_place_it_waits_for_also_when_that_was_reached_already() {
    for schedule in SCHEDULES {
        within(LONG, move || {
            let (runtime, device) = open(schedule);
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
                        task: TaskKind::WaitEvent,
                        ..
                    }
                ))
            );
        });
    }
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
    for schedule in SCHEDULES {
        within(LONG, move || {
            let (runtime, device) = open(schedule);
            let stream = device.create_stream().unwrap();
            let collector = listen(&runtime);
            let limit = Some(Duration::from_millis(5));
            stream.wait_event(&gate(&runtime), limit).unwrap();
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
}

/// A copy that a stopped stream skipped has written nothing; a record must not claim it has.
#[test]
fn a_task_that_was_skipped_is_not_recorded_as_done() {
    for schedule in SCHEDULES {
        within(LONG, move || {
            let (runtime, device) = open(schedule);
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
}

#[test]
fn tasks_that_an_abort_threw_away_end_in_the_records_too() {
    for schedule in SCHEDULES {
        within(LONG, move || {
            let (runtime, device) = open(schedule);
            let stream = device.create_stream().unwrap();
            let block = device.alloc(64).unwrap();
            let collector = listen(&runtime);
            stream.wait_event(&gate(&runtime), None).unwrap();
            fill(&stream, &block, 1);
            stream.abort();
            fill(&stream, &block, 2);
            stream.synchronize().unwrap();
            assert_whole(&collector.records());
        });
    }
}

#[test]
fn refusals_are_recorded_with_their_reason() {
    let (runtime, device) = open(Schedule::Eager);
    let block = device.alloc(64).unwrap();
    let collector = listen(&runtime);
    let refused = device.alloc(300 * MIB).unwrap_err();
    let inside = runtime.free_at(block.address() + 1).unwrap_err();
    let foreign = runtime.free_at(64).unwrap_err();
    let wrong = runtime.free_host_at(block.address()).unwrap_err();
    let free_refused = |address, reason: &millpond::Error| Operation::FreeRefused {
        address,
        reason: reason.to_string(),
    };
    assert_eq!(
        collector.operations(),
        [
            Operation::AllocationFailed {
                space: Space::Device(0),
                requested: 300 * MIB,
                reason: refused.to_string(),
            },
            free_refused(block.address() + 1, &inside),
            free_refused(64, &foreign),
            free_refused(block.address(), &wrong),
        ]
    );
}

#[test]
fn bytes_that_the_program_moves_itself_are_recorded() {
    let (runtime, device) = open(Schedule::Eager);
    let block = device.alloc(64).unwrap();
    let collector = listen(&runtime);
    let mut bytes = [3; 10];
    block.write(&bytes).unwrap();
    block.read(&mut bytes).unwrap();
    let touched: Vec<_> = collector
        .operations()
        .into_iter()
        .filter_map(|operation| match operation {
            Operation::Moved {
                task: TaskKind::Copy,
                reads,
                writes,
                outcome: Outcome::Done,
            } => Some((reads, writes)),
            _ => None,
        })
        .collect();
    let host = Bytes {
        start: bytes.as_ptr().addr() as u64,
        bytes: 10,
    };
    let own = range(block.slice(..10));
    assert_eq!(touched, [(vec![host], vec![own]), (vec![own], vec![host])]);
}

#[test]
fn pages_that_go_back_and_a_reset_are_recorded() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let (block, kept) = (device.alloc(4 * MIB).unwrap(), device.alloc(64).unwrap());
    fill(&stream, &block, 1);
    stream.synchronize().unwrap();
    drop(block);
    let collector = listen(&runtime);
    device.trim().unwrap();
    device.reset().unwrap();
    drop(kept);
    let returned = |bytes| Operation::PagesReturned {
        space: Space::Device(0),
        bytes,
    };
    let operations = collector.operations();
    assert_eq!(operations[0], returned(4 * MIB));
    assert!(operations.contains(&Operation::DeviceReset { device: 0 }));
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

#[test]
fn nothing_comes_out_after_a_sink_is_detached_and_numbers_go_on_for_the_next() {
    let (runtime, device) = open(Schedule::Eager);
    let collector = Arc::new(Collector::default());
    let sink: Arc<dyn Sink> = collector.clone();
    runtime.tap().attach(Arc::clone(&sink));
    assert!(runtime.tap().listening());
    let stream = device.create_stream().unwrap();
    let block = device.alloc(64).unwrap();
    fill(&stream, &block, 1);
    stream.synchronize().unwrap();
    runtime.tap().detach(&sink);
    assert!(!runtime.tap().listening());
    let records = collector.records();
    fill(&stream, &block, 2);
    stream.synchronize().unwrap();
    drop(block);
    assert_eq!(collector.records(), records);
    assert_whole(&records);

    let next = listen(&runtime);
    fill(&stream, &device.alloc(64).unwrap(), 3);
    stream.synchronize().unwrap();
    let later = next.records();
    assert_whole(&later);
    assert!(later[0].order > records[records.len() - 1].order);
    assert_eq!(collector.records(), records);
}
