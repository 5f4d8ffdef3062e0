//! The order of records, and who gets them.

use std::sync::Arc;
use std::thread;

use millpond::trace::{Collector, Operation, Outcome, Sink, Target, TaskKind};
use millpond::{Config, EventKind, Runtime, Schedule};

use crate::common::{MIB, PATIENCE, config, fill, open, promptly, under_every_schedule};
use crate::{
    accesses, allocated, assert_whole, at, completed, enqueued, freed, listen, range, synchronized,
};

/// Under the latest schedule the whole sequence is known.
#[test]
fn a_small_program_leaves_exactly_these_records() {
    // Quick enough that nothing runs on its own.
    let prepare = || {
        let patient = Config {
            patience: PATIENCE,
            ..config(Schedule::Latest)
        };
        let runtime = Runtime::new(patient).unwrap();
        // Reserves pinned memory, which takes a while and leaves no record.
        runtime.host_usage().unwrap();
        let collector = listen(&runtime);
        let device = runtime.device(0).unwrap();
        (runtime, collector, device)
    };
    let (records, expected) = promptly(prepare, |(runtime, collector, device)| {
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
                unified: false,
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
                accesses: accesses(TaskKind::Fill, &[], &[range(a.slice(10..20))]),
                event: None,
                captured: None,
            },
            Operation::Enqueued {
                position: at(&stream, 2),
                accesses: accesses(
                    TaskKind::Copy,
                    &[range(a.slice(..50))],
                    &[range(b.slice(5..55))],
                ),
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
                accesses: accesses(
                    TaskKind::Copy,
                    &[range(b.slice(100..164))],
                    &[range(host.all())],
                ),
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
            Operation::FunctionBegan {
                position: at(&stream, 4),
            },
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
    under_every_schedule(|schedule| {
        let runtime = Runtime::new(config(schedule)).unwrap();
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
