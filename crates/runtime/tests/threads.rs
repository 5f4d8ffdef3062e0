//! Many threads of the program at once, on the same streams and events.
//!
//! What they do to each other is allowed to fail, with an error; it may not hang or panic. Each test
//! has a watchdog.

#[path = "common/mod.rs"]
mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::{SCHEDULES, bytes_of, fill, gate, is_set, open, value_of, within};
use millpond::{Error, EventKind, Schedule, Stream};

/// After this long a test has hung, however busy the machine is.
const WATCHDOG: Duration = Duration::from_mins(8);

#[test]
fn threads_that_share_a_stream_each_find_their_work_done() {
    for schedule in SCHEDULES {
        within(WATCHDOG, move || {
            let (_runtime, device) = open(schedule);
            let shared = device.create_stream().unwrap();
            thread::scope(|scope| {
                for number in 1..=4 {
                    let (device, shared) = (&device, &shared);
                    scope.spawn(move || {
                        let own = device.create_stream().unwrap();
                        let (here, there) =
                            (device.alloc(512).unwrap(), device.alloc(512).unwrap());
                        for _ in 0..40 {
                            fill(&own, &here, number);
                            own.synchronize().unwrap();
                            shared.copy(there.all(), here.all()).unwrap();
                            shared.synchronize().unwrap();
                            assert_eq!(value_of(&there), number, "{schedule:?}");
                        }
                    });
                }
            });
            assert!(shared.is_done());
        });
    }
}

#[test]
fn threads_record_and_wait_for_the_same_events() {
    for schedule in SCHEDULES {
        within(WATCHDOG, move || {
            let (runtime, device) = open(schedule);
            let events: Vec<_> = (0..3)
                .map(|_| runtime.create_event(EventKind::Rerecordable).unwrap())
                .collect();
            let ran = Arc::new(AtomicU32::new(0));
            thread::scope(|scope| {
                for number in 0..4 {
                    let (device, events, ran) = (&device, &events, &ran);
                    scope.spawn(move || {
                        let own = device.create_stream().unwrap();
                        for round in 0..50 {
                            let event = &events[(number + round) % 3];
                            own.wait_event(event, None).unwrap();
                            let ran = Arc::clone(ran);
                            own.host_function(move || {
                                ran.fetch_add(1, Ordering::SeqCst);
                            })
                            .unwrap();
                            own.record(&events[(number * round) % 3]).unwrap();
                            if round % 10 == 0 {
                                event.status();
                                event.synchronize().unwrap();
                            }
                        }
                        own.synchronize().unwrap();
                    });
                }
            });
            assert_eq!(ran.load(Ordering::SeqCst), 200, "{schedule:?}");
        });
    }
}

/// What a thread may see of a stream that another one destroys or aborts under its hands.
fn tolerable(outcome: Result<(), Error>) {
    match outcome {
        Ok(()) | Err(Error::StreamGone | Error::StreamAborted | Error::TaskFailed { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn streams_that_others_use_can_be_destroyed_aborted_and_dropped() {
    for schedule in SCHEDULES {
        within(WATCHDOG, move || {
            let (runtime, device) = open(schedule);
            for round in 0..15 {
                let victim = device.create_stream().unwrap();
                let event = gate(&runtime);
                let block = Arc::new(device.alloc(4096).unwrap());
                thread::scope(|scope| {
                    for number in 0..3 {
                        let (victim, event, block) = (victim.clone(), &event, &block);
                        let device = &device;
                        scope.spawn(move || {
                            let own = device.create_stream().unwrap();
                            for _ in 0..10 {
                                tolerable(victim.fill(block.all(), number));
                                let limit = Some(Duration::from_millis(20));
                                tolerable(victim.wait_event(event, limit));
                                tolerable(victim.host_function(|| ()));
                                tolerable(victim.record(event));
                                tolerable(own.wait_event(event, limit));
                                victim.is_done();
                                if number == 0 {
                                    tolerable(victim.synchronize());
                                }
                            }
                            tolerable(own.synchronize());
                        });
                    }
                    let victim = victim.clone();
                    scope.spawn(move || {
                        thread::sleep(Duration::from_micros(200 * round));
                        match round % 3 {
                            0 => tolerable(victim.destroy()),
                            1 => victim.destroy_force(),
                            _ => victim.abort(),
                        }
                    });
                });
                drop(victim);
                tolerable(device.synchronize());
            }
            assert_eq!(device.usage().blocks, 0);
        });
    }
}

/// An abort drops a wait that has not begun; one that has just been looked at is no exception.
#[test]
fn an_abort_never_leaves_a_stream_parked() {
    for schedule in [Schedule::Eager, Schedule::Latest] {
        within(WATCHDOG, move || {
            let (runtime, device) = open(schedule);
            let stream = device.create_stream().unwrap();
            let never = gate(&runtime);
            let asks = stream.clone();
            let ended = Arc::new(AtomicBool::new(false));
            let ends = Arc::clone(&ended);
            // Under the latest schedule somebody has to make the stream look at its wait.
            let asking = thread::spawn(move || {
                while !is_set(&ends) {
                    asks.is_done();
                }
            });
            let began = Instant::now();
            let mut spins = 0_u32;
            while began.elapsed() < Duration::from_millis(1500) {
                stream.wait_event(&never, None).unwrap();
                // Each round meets the stream at another moment.
                spins = (spins + 7) % 3000;
                for _ in 0..spins {
                    std::hint::spin_loop();
                }
                stream.abort();
                let outcome = stream.synchronize_within(Some(WATCHDOG / 2));
                assert_eq!(outcome, Ok(()), "{schedule:?}: nothing is queued any more");
            }
            ended.store(true, Ordering::SeqCst);
            asking.join().unwrap();
        });
    }
}

/// One thread puts work into a stream while another one runs it, at the moment it becomes empty.
#[test]
fn work_that_comes_just_when_a_stream_runs_empty_is_not_forgotten() {
    for schedule in [Schedule::Latest, Schedule::Seeded(9), Schedule::Eager] {
        within(WATCHDOG, move || {
            let (_runtime, device) = open(schedule);
            let stream = device.create_stream().unwrap();
            let block = device.alloc(64).unwrap();
            let ended = AtomicBool::new(false);
            thread::scope(|scope| {
                scope.spawn(|| {
                    while !is_set(&ended) {
                        stream.is_done();
                    }
                });
                let began = Instant::now();
                while began.elapsed() < Duration::from_millis(1500) {
                    for value in 0..50 {
                        fill(&stream, &block, value);
                    }
                    let outcome = stream.synchronize_within(Some(WATCHDOG / 2));
                    if outcome.is_err() {
                        ended.store(true, Ordering::SeqCst);
                    }
                    outcome.unwrap_or_else(|error| panic!("{schedule:?}: {error}"));
                }
                ended.store(true, Ordering::SeqCst);
            });
            assert_eq!(value_of(&block), 49);
        });
    }
}

#[test]
fn blocks_are_allocated_and_freed_by_all_threads_at_once() {
    for schedule in SCHEDULES {
        within(WATCHDOG, move || {
            let (runtime, device) = open(schedule);
            thread::scope(|scope| {
                for number in 0_u8..4 {
                    let (runtime, device) = (&runtime, &device);
                    scope.spawn(move || {
                        let stream = device.create_stream().unwrap();
                        for round in 0..25_u64 {
                            let size = 1 + (round * 7919) % 300_000;
                            let block = device.alloc(size).unwrap();
                            let mut host = runtime.alloc_host(size).unwrap();
                            fill(&stream, &block, number);
                            stream.copy(host.all(), block.all()).unwrap();
                            if round % 3 == 0 {
                                device.trim().unwrap();
                            }
                            if round % 2 == 0 {
                                stream.synchronize().unwrap();
                                let bytes = host.bytes().unwrap();
                                assert!(bytes.iter().all(|byte| *byte == number));
                                assert!(bytes_of(&block).iter().all(|byte| *byte == number));
                            }
                        }
                        stream.synchronize().unwrap();
                    });
                }
            });
            let usage = device.usage();
            assert_eq!((usage.blocks, usage.charged), (0, 0), "{schedule:?}");
            device.trim().unwrap();
            assert_eq!(device.usage().promised, 0, "{schedule:?}");
        });
    }
}

#[test]
fn host_functions_enqueue_from_their_own_threads() {
    fn chain(stream: &Stream, left: u32, ran: &Arc<AtomicU32>) {
        let (next, ran) = (stream.clone(), Arc::clone(ran));
        let outcome = stream.host_function(move || {
            ran.fetch_add(1, Ordering::SeqCst);
            if left > 1 {
                chain(&next, left - 1, &ran);
            }
        });
        tolerable(outcome);
    }
    for schedule in SCHEDULES {
        within(WATCHDOG, move || {
            let (_runtime, device) = open(schedule);
            let ran = Arc::new(AtomicU32::new(0));
            let streams: Vec<_> = (0..4).map(|_| device.create_stream().unwrap()).collect();
            for stream in &streams {
                chain(stream, 20, &ran);
            }
            while ran.load(Ordering::SeqCst) < 80 {
                device.synchronize().unwrap();
            }
            device.synchronize().unwrap();
            assert!(streams.iter().all(Stream::is_done), "{schedule:?}");
        });
    }
}
