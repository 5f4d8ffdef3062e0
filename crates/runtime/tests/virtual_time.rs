//! Limits of waits in virtual time: they end without anybody waiting, in the same way every time, and not while something can run.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use common::{SCHEDULES, config};
use millpond::{Config, Device, Error, EventKind, Runtime, Schedule, TaskFailure, Time, Waited};

const HOUR: Duration = Duration::from_hours(1);

fn open(schedule: Schedule, time: Time) -> (Runtime, Device) {
    let config = Config {
        time,
        ..config(schedule)
    };
    let runtime = Runtime::new(config).expect("a configuration that is in order");
    let device = runtime.device(0).expect("address space for a small device");
    (runtime, device)
}

#[test]
fn a_synchronisation_ends_at_its_limit_and_the_delay_later() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule, Time::Virtual);
        let began = runtime.clock().now();
        let stream = device.create_stream().unwrap();
        stream.delay(3 * HOUR).unwrap();
        let late = stream.synchronize_within(Some(HOUR));
        let is_timeout = matches!(
            late,
            Err(Error::TimedOut {
                what: Waited::Stream,
                ..
            })
        );
        assert!(is_timeout, "{schedule:?}: {late:?}");
        assert_eq!(runtime.clock().now(), began + HOUR, "{schedule:?}");
        stream.synchronize().unwrap();
        assert_eq!(runtime.clock().now(), began + 3 * HOUR, "{schedule:?}");
    }
}

#[test]
fn the_time_between_events_is_that_of_the_clock() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule, Time::Virtual);
        let stream = device.create_stream().unwrap();
        let [start, end] =
            [(), ()].map(|()| runtime.create_event(EventKind::Rerecordable).unwrap());
        stream.record(&start).unwrap();
        stream.delay(Duration::from_millis(250)).unwrap();
        stream.record(&end).unwrap();
        stream.synchronize().unwrap();
        let milliseconds = end.milliseconds_since(&start).unwrap();
        assert!((milliseconds - 250.0).abs() < 0.001, "{milliseconds}");
    }
}

#[test]
fn a_wait_of_a_stream_fails_at_its_limit() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule, Time::Virtual);
        let stream = device.create_stream().unwrap();
        let event = runtime.create_event(EventKind::Resettable).unwrap();
        stream.wait_event(&event, Some(HOUR)).unwrap();
        let failed = stream.synchronize();
        let is_late = matches!(
            failed,
            Err(Error::TaskFailed {
                cause: TaskFailure::WaitedTooLong { .. },
                ..
            })
        );
        assert!(is_late, "{schedule:?}: {failed:?}");
    }
}

#[test]
fn a_function_that_sleeps_does_not_stop_the_clock() {
    for schedule in SCHEDULES {
        let (_runtime, device) = open(schedule, Time::Virtual);
        let stream = device.create_stream().unwrap();
        let (go, gone) = mpsc::channel::<()>();
        stream
            .host_function(move || gone.recv().unwrap_or_default())
            .unwrap();
        let late = stream.synchronize_within(Some(HOUR));
        assert!(matches!(late, Err(Error::TimedOut { .. })), "{late:?}");
        go.send(()).unwrap();
        stream.synchronize().unwrap();
    }
}

#[test]
fn work_that_can_run_comes_before_any_limit() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule, Time::Virtual);
        let began = runtime.clock().now();
        let stream = device.create_stream().unwrap();
        let block = device.alloc(1 << 20).unwrap();
        for value in 0..200 {
            stream.fill(block.all(), value).unwrap();
        }
        let other = device.create_stream().unwrap();
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        stream.record(&event).unwrap();
        other
            .wait_event(&event, Some(Duration::from_millis(1)))
            .unwrap();
        // One millisecond is much less than this takes, but it is no time at all.
        other
            .synchronize_within(Some(Duration::from_millis(2)))
            .unwrap();
        event
            .synchronize_within(Some(Duration::from_millis(1)))
            .unwrap();
        assert_eq!(runtime.clock().now(), began, "{schedule:?}");
    }
}

#[test]
fn manual_time_waits_for_the_program() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule, Time::Manual);
        let stream = device.create_stream().unwrap();
        stream.delay(2 * HOUR).unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let waiter = {
            let (stream, over) = (stream.clone(), Arc::clone(&over));
            std::thread::spawn(move || {
                let result = stream.synchronize_within(Some(HOUR));
                over.store(true, Ordering::SeqCst);
                result
            })
        };
        runtime.clock().advance(HOUR / 2);
        assert!(!over.load(Ordering::SeqCst));
        // The thread may begin to wait only now; then its hour begins now.
        while !over.load(Ordering::SeqCst) {
            runtime.clock().advance(Duration::from_mins(10));
        }
        assert!(matches!(
            waiter.join().unwrap(),
            Ok(()) | Err(Error::TimedOut { .. })
        ));
        runtime.clock().advance(2 * HOUR);
        stream.synchronize().unwrap();
    }
}

#[test]
fn advancing_stops_at_each_deadline_on_the_way() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule, Time::Manual);
        let stream = device.create_stream().unwrap();
        let events = [(), (), ()].map(|()| runtime.create_event(EventKind::Rerecordable).unwrap());
        stream.record(&events[0]).unwrap();
        stream.delay(HOUR).unwrap();
        stream.record(&events[1]).unwrap();
        stream.delay(HOUR).unwrap();
        stream.record(&events[2]).unwrap();
        // Without this, nothing has begun where nothing runs on its own.
        events[0].synchronize().unwrap();
        while !stream.is_done() {
            runtime.clock().advance(HOUR / 2);
        }
        let hours = |from: usize, to: usize| {
            events[to].milliseconds_since(&events[from]).unwrap() / 3_600_000.0
        };
        if schedule == Schedule::Eager {
            assert!((hours(0, 1) - 1.0).abs() < 0.01, "{}", hours(0, 1));
            assert!((hours(1, 2) - 1.0).abs() < 0.01, "{}", hours(1, 2));
        } else {
            // Where tasks run late, a delay may begin late.
            assert!(hours(0, 1) >= 0.99 && hours(1, 2) >= 0.99);
        }
    }
}

#[test]
fn rules_and_counts_of_methods() {
    let (runtime, device) = open(Schedule::Eager, Time::Virtual);
    runtime.calls().start();
    runtime
        .faults()
        .set("Device.alloc:bytes>=1M:code=7; Stream.synchronize:nth=2; Event.*:always:delay=60000")
        .unwrap();
    assert!(device.alloc(100).is_ok());
    let refused = device.alloc(1 << 20).unwrap_err();
    assert!(
        matches!(refused, Error::Injected { code: 7, .. }),
        "{refused}"
    );
    let stream = device.create_stream().unwrap();
    stream.synchronize().unwrap();
    stream.synchronize().unwrap_err();
    let event = runtime.create_event(EventKind::Rerecordable).unwrap();
    let began = runtime.clock().now();
    event.synchronize().unwrap();
    assert_eq!(runtime.clock().now(), began + Duration::from_mins(1));
    assert_eq!(runtime.faults().hits(), 3);
    let count = runtime.calls().of("Device.alloc");
    assert_eq!((count.calls, count.failures), (2, 1));
    assert_eq!(runtime.calls().of("Stream.*").calls, 2);
    let wrong = runtime.faults().set("alloc:nth=1").unwrap_err().to_string();
    assert!(wrong.contains("Device.alloc"), "{wrong}");
    stream.fail(507_899, "on purpose").unwrap();
    let failed = stream.synchronize().unwrap_err();
    assert!(failed.to_string().contains("on purpose"), "{failed}");
}
