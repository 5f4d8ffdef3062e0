//! When the last clone of a runtime goes, its threads go too. Alone in its process, to count them.

#[path = "common/mod.rs"]
mod common;

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use common::{LONG, SCHEDULES, comes_true, fill, flag, gate, is_set, open, thread_names, threads};
use millpond::Schedule;

/// Threads end by themselves, idle ones of host functions after a second.
fn all_end(schedule: Schedule, what: &str) {
    // The harness and the thread of the one test.
    let ended = comes_true(LONG, || threads() <= 2);
    assert!(ended, "{schedule:?}, {what}: {:?}", thread_names());
}

fn after_work() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().expect("a stream");
        let block = device.alloc(64).expect("a block");
        fill(&stream, &block, 1);
        stream.host_function(|| ()).expect("an open stream");
        let (never, limit) = (gate(&runtime), Some(Duration::from_millis(5)));
        stream.wait_event(&never, limit).expect("an event");
        assert!(stream.synchronize().is_err(), "the wait runs out of time");
        assert!(threads() > 2, "{schedule:?}");
        drop((never, stream, block, device, runtime));
        all_end(schedule, "after some work");
    }
}

fn with_work_queued() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().expect("a stream");
        let (ran, run) = flag();
        stream.host_function(run).expect("an open stream");
        drop((stream, device, runtime));
        assert!(comes_true(LONG, || is_set(&ran)), "{schedule:?}");
        all_end(schedule, "with work queued");
    }
}

/// Threads that put work into a stream while others run it, then nobody holds the runtime.
fn after_many_threads() {
    for schedule in [Schedule::Eager, Schedule::Latest, Schedule::Seeded(2)] {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().expect("a stream");
        let block = device.alloc(64).expect("a block");
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for value in 0..200 {
                        fill(&stream, &block, value);
                        if value % 2 == 0 {
                            stream.synchronize().expect("nothing fails");
                        }
                    }
                });
            }
        });
        stream.synchronize().expect("nothing fails");
        drop((stream, block, device, runtime));
        all_end(schedule, "after many threads");
    }
}

/// One thread puts work into a stream, another runs it at once: whoever comes last, the stream is
/// idle and forgotten in the end.
fn with_streams_that_were_busy_for_a_moment() {
    // It takes an unlucky moment, so there are many.
    for schedule in [Schedule::Latest; 6]
        .into_iter()
        .chain([Schedule::Seeded(2)])
    {
        let (runtime, device) = open(schedule);
        let block = device.alloc(64).expect("a block");
        let meeting = Barrier::new(2);
        let streams: Vec<_> = (0..1500)
            .map(|_| device.create_stream().expect("a stream"))
            .collect();
        thread::scope(|scope| {
            scope.spawn(|| {
                for stream in &streams {
                    meeting.wait();
                    fill(stream, &block, 1);
                }
            });
            for stream in &streams {
                meeting.wait();
                for _ in 0..30 {
                    stream.is_done();
                }
            }
        });
        for stream in &streams {
            stream.synchronize().expect("nothing fails");
        }
        drop((streams, block, device, runtime));
        all_end(schedule, "with streams that were busy for a moment");
    }
}

/// One test, because each part counts all threads of the process.
#[test]
fn no_thread_outlives_its_runtime() {
    after_work();
    with_work_queued();
    after_many_threads();
    with_streams_that_were_busy_for_a_moment();
}
