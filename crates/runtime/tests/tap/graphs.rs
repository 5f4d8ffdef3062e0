//! What captures and launches leave: nothing while a stream is captured, then the launch and each task of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use millpond::raw::RawCopy;
use millpond::trace::{CallSite, Operation, Position, Record, TaskKind};
use millpond::{Direction, EventKind};

use crate::common::{MIB, fill, open_under_every_schedule};
use crate::{accesses, assert_whole, at, enqueued, listen, range};

/// Launches, and what is enqueued.
fn story(records: Vec<Record>) -> Vec<Operation> {
    let told = |operation: &Operation| {
        matches!(
            operation,
            Operation::GraphLaunched { .. }
                | Operation::GraphMemoryFreed { .. }
                | Operation::Enqueued { .. }
        )
    };
    let operations = records.into_iter().map(|record| record.operation);
    operations.filter(told).collect()
}

/// The event of a task: edges of a graph have events of its own.
fn event_of(operation: &Operation) -> Option<u64> {
    match operation {
        Operation::Enqueued { event, .. } => *event,
        _ => None,
    }
}

#[test]
fn a_capture_leaves_no_tasks_and_a_launch_all_of_them() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let (a, b) = (device.alloc(512).unwrap(), device.alloc(512).unwrap());
        let collector = listen(&runtime);
        let ran = Arc::new(AtomicUsize::new(0));
        let runs = Arc::clone(&ran);
        stream.begin_capture().unwrap();
        fill(&stream, &a, 1);
        stream.copy(b.all(), a.all()).unwrap();
        stream
            .call("note", move |on| {
                let runs = Arc::clone(&runs);
                Ok(on.host_function(move || {
                    runs.fetch_add(1, Ordering::SeqCst);
                })?)
            })
            .unwrap();
        let graph = stream.end_capture().unwrap();
        assert_eq!(story(collector.records()), [], "{schedule:?}");
        assert_eq!(ran.load(Ordering::SeqCst), 0);

        graph.launch(&stream).unwrap();
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        let tasks = |first: u64| {
            [
                Operation::Enqueued {
                    position: at(&stream, first),
                    accesses: accesses(TaskKind::Fill, &[], &[range(a.all())]),
                    event: None,
                    captured: None,
                },
                Operation::Enqueued {
                    position: at(&stream, first + 1),
                    accesses: accesses(TaskKind::Copy, &[range(a.all())], &[range(b.all())]),
                    event: None,
                    captured: None,
                },
                enqueued(at(&stream, first + 2), TaskKind::HostFunction, None, None),
            ]
        };
        let launched = |before: Option<Position>| Operation::GraphLaunched {
            graph: graph.id(),
            stream: stream.id(),
            before,
        };
        let mut expected = vec![launched(None)];
        expected.extend(tasks(1));
        expected.push(launched(Some(at(&stream, 3))));
        expected.extend(tasks(4));
        assert_eq!(story(collector.records()), expected, "{schedule:?}");
        assert_whole(&collector.records());
        assert_eq!(ran.load(Ordering::SeqCst), 2);
    });
}

/// Whoever reads the records learns the edges of a graph as edges between streams.
#[test]
fn a_launch_of_two_streams_shows_its_edges() {
    open_under_every_schedule(|schedule, runtime, device| {
        let [stream, side] = [(); 2].map(|()| device.create_stream().unwrap());
        let [forked, joined] =
            [(); 2].map(|()| runtime.create_event(EventKind::Rerecordable).unwrap());
        let block = device.alloc(512).unwrap();
        stream.begin_capture().unwrap();
        stream.record(&forked).unwrap();
        side.wait_event(&forked, None).unwrap();
        fill(&side, &block, 1);
        side.record(&joined).unwrap();
        stream.wait_event(&joined, None).unwrap();
        let graph = stream.end_capture().unwrap();
        let collector = listen(&runtime);
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        let records = collector.records();
        assert_whole(&records);
        let lane = records.iter().find_map(|record| match record.operation {
            Operation::StreamCreated { stream, .. } => Some(stream),
            _ => None,
        });
        let lane = lane.expect("the lane has a stream of its own");
        assert_ne!(lane, side.id());
        let on_lane = |task| Position { stream: lane, task };
        let story = story(records);
        let (forked, joined) = (event_of(&story[1]), event_of(&story[4]));
        let expected = [
            Operation::GraphLaunched {
                graph: graph.id(),
                stream: stream.id(),
                before: None,
            },
            enqueued(at(&stream, 1), TaskKind::RecordEvent, forked, None),
            enqueued(
                on_lane(1),
                TaskKind::WaitEvent,
                forked,
                Some(at(&stream, 1)),
            ),
            Operation::Enqueued {
                position: on_lane(2),
                accesses: accesses(TaskKind::Fill, &[], &[range(block.all())]),
                event: None,
                captured: None,
            },
            enqueued(on_lane(3), TaskKind::RecordEvent, joined, None),
            enqueued(
                at(&stream, 2),
                TaskKind::WaitEvent,
                joined,
                Some(on_lane(3)),
            ),
        ];
        assert_eq!(story, expected, "{schedule:?}");
        assert!(forked.is_some() && joined.is_some() && forked != joined);
    });
}

/// The tasks of a launch have the call sites of the capture, and the launch its own.
#[test]
fn tasks_of_a_launch_come_from_where_they_were_captured() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let block = device.alloc(512).unwrap();
        let collector = listen(&runtime);
        stream.begin_capture().unwrap();
        {
            let _site = CallSite::note("aclrtMemsetAsync", 0x1234, 7);
            fill(&stream, &block, 1);
        }
        let graph = stream.end_capture().unwrap();
        {
            let _site = CallSite::note("aclmdlRIExecuteAsync", 0x5678, 8);
            graph.launch(&stream).unwrap();
        }
        stream.synchronize().unwrap();
        let sites: Vec<_> = collector
            .records()
            .into_iter()
            .filter(|record| {
                matches!(
                    record.operation,
                    Operation::GraphLaunched { .. } | Operation::Enqueued { .. }
                )
            })
            .map(|record| (record.site.call, record.site.caller, record.site.stack))
            .collect();
        let expected = [
            ("aclmdlRIExecuteAsync".into(), 0x5678, 8),
            ("aclrtMemsetAsync".into(), 0x1234, 7),
        ];
        assert_eq!(sites, expected, "{schedule:?}");
    });
}

#[test]
fn a_launch_names_memory_that_was_freed_since_the_capture() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let (kept, gone) = (device.alloc(512).unwrap(), device.alloc(512).unwrap());
        let collector = listen(&runtime);
        stream.begin_capture().unwrap();
        fill(&stream, &kept, 1);
        stream.copy(kept.all(), gone.all()).unwrap();
        let graph = stream.end_capture().unwrap();
        let bytes = range(gone.all());
        drop(gone);
        assert!(graph.launch(&stream).is_err());
        let freed = |reused| Operation::GraphMemoryFreed {
            graph: graph.id(),
            name: "copy".into(),
            range: bytes,
            reused,
        };
        assert!(
            collector.operations().contains(&freed(false)),
            "{schedule:?}: {:?}",
            collector.operations()
        );
        // Another block at the same place is not the same memory.
        let other = device.alloc(512).unwrap();
        assert_eq!(other.all().address(), bytes.start);
        graph.launch(&stream).unwrap();
        assert!(collector.operations().contains(&freed(true)));
        stream.synchronize().unwrap();
        assert_whole(&collector.records());
    });
}

/// A model that sleeps gives its memory away and gets other memory at the same addresses before it is used again.
#[test]
fn mapped_memory_may_come_back_at_its_address_before_a_launch() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let place = runtime.reserve(4 * MIB).unwrap();
        let piece = device.alloc_physical(2 * MIB).unwrap();
        let mapping = place.map(0, &piece).unwrap();
        let collector = listen(&runtime);
        stream.begin_capture().unwrap();
        stream.fill(mapping.all(), 1).unwrap();
        let graph = stream.end_capture().unwrap();
        let bytes = range(mapping.all());
        let freed = Operation::GraphMemoryFreed {
            graph: graph.id(),
            name: "fill".into(),
            range: bytes,
            reused: false,
        };
        drop(mapping);
        assert!(graph.launch(&stream).is_err());
        let seen = collector.operations();
        assert!(seen.contains(&freed), "{schedule:?}: {seen:?}");

        let collector = listen(&runtime);
        let other = device.alloc_physical(2 * MIB).unwrap();
        let mapping = place.map(0, &other).unwrap();
        assert_eq!(range(mapping.all()), bytes);
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        let seen = collector.operations();
        assert!(!seen.contains(&freed), "{schedule:?}: {seen:?}");
    });
}

/// It was freed before the capture ended: a launch must not use whatever is there by then.
#[test]
fn memory_that_was_freed_during_the_capture_counts_as_freed() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let (kept, gone) = (device.alloc(512).unwrap(), device.alloc(512).unwrap());
        let collector = listen(&runtime);
        stream.begin_capture().unwrap();
        stream.copy(kept.all(), gone.all()).unwrap();
        let bytes = range(gone.all());
        drop(gone);
        let other = device.alloc(512).unwrap();
        assert_eq!(other.all().address(), bytes.start);
        let graph = stream.end_capture().unwrap();
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        let freed = Operation::GraphMemoryFreed {
            graph: graph.id(),
            name: "copy".into(),
            range: bytes,
            reused: true,
        };
        assert!(
            collector.operations().contains(&freed),
            "{schedule:?}: {:?}",
            collector.operations()
        );
    });
}

/// What was captured is told when it is captured, with the graph's beginning and end.
#[test]
fn a_capture_tells_what_it_captures() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let (a, b) = (device.alloc(512).unwrap(), device.alloc(512).unwrap());
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        let collector = listen(&runtime);
        stream.begin_capture().unwrap();
        fill(&stream, &a, 1);
        stream.record(&event).unwrap();
        stream.copy(b.all(), a.all()).unwrap();
        let graph = stream.end_capture().unwrap();
        let id = graph.id();
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(graph);
        // One that ends without a graph is over as well.
        let lost = stream.begin_capture().unwrap();
        lost.invalidate("a test");
        assert!(stream.end_capture().is_err());
        let lost_id = lost.id();
        drop(lost);
        let told: Vec<_> = collector
            .operations()
            .into_iter()
            .filter(|operation| {
                matches!(
                    operation,
                    Operation::CaptureBegan { .. }
                        | Operation::WorkCaptured { .. }
                        | Operation::CaptureEnded { .. }
                        | Operation::GraphLaunched { .. }
                        | Operation::GraphDestroyed { .. }
                )
            })
            .collect();
        let work = |accesses| Operation::WorkCaptured {
            graph: id,
            accesses,
        };
        let began = |graph| Operation::CaptureBegan {
            graph,
            stream: stream.id(),
        };
        let expected = [
            began(id),
            work(accesses(TaskKind::Fill, &[], &[range(a.all())])),
            work(accesses(
                TaskKind::Copy,
                &[range(a.all())],
                &[range(b.all())],
            )),
            Operation::CaptureEnded { graph: id },
            Operation::GraphLaunched {
                graph: id,
                stream: stream.id(),
                before: None,
            },
            Operation::GraphDestroyed { graph: id },
            began(lost_id),
            Operation::CaptureEnded { graph: lost_id },
            Operation::GraphDestroyed { graph: lost_id },
        ];
        assert_eq!(told, expected, "{schedule:?}");
        assert_whole(&collector.records());
    });
}

/// A copy that reads its addresses from memory says what they are when it has read them, from where it was queued.
#[test]
fn a_copy_that_finds_its_addresses_tells_them() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let (a, b) = (device.alloc(512).unwrap(), device.alloc(512).unwrap());
        let places = device.alloc(64).unwrap();
        fill(&stream, &a, 3);
        fill(&stream, &places, 0);
        stream.synchronize().unwrap();
        let collector = listen(&runtime);
        let (to, from) = (range(b.all()).start, range(a.all()).start);
        {
            let _site = CallSite::note("aclrtMemcpyAsyncWithDesc", 0x1234, 7);
            let place = range(places.all());
            stream
                .copy_found("aclrtMemcpyAsyncWithDesc", &[place], move |words| {
                    if words.len() != 8 || words[0] != 0 {
                        return Err(format!("{words:?}"));
                    }
                    Ok(RawCopy {
                        to,
                        room: 512,
                        from,
                        bytes: 512,
                        direction: Direction::DeviceToDevice,
                    })
                })
                .unwrap();
        }
        stream.synchronize().unwrap();
        let found = |record: &&Record| matches!(record.operation, Operation::CopyFound { .. });
        let records = collector.records();
        let found: Vec<&Record> = records.iter().filter(found).collect();
        assert_eq!(found.len(), 1, "{schedule:?}");
        let mut expected = accesses(TaskKind::Copy, &[range(a.all())], &[range(b.all())]);
        expected.room = 512;
        assert_eq!(
            found[0].operation,
            Operation::CopyFound {
                position: at(&stream, 3),
                accesses: expected,
            }
        );
        assert_eq!(found[0].site.call, "aclrtMemcpyAsyncWithDesc");
        assert_eq!((found[0].site.caller, found[0].site.stack), (0x1234, 7));
        assert_whole(&records);
    });
}
