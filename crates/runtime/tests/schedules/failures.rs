//! A task that fails: when the program learns of it, and what later tasks do.

use std::time::Duration;

use millpond::{Error, OnFailure, Schedule, TaskFailure};

use crate::common::{LONG, fill, flag, gate, is_set, open, open_under_every_schedule, value_of};

const LIMIT: Duration = Duration::from_millis(15);

fn waited_too_long(stream: u64, task: u64) -> Result<(), Error> {
    Err(Error::TaskFailed {
        stream,
        task,
        cause: TaskFailure::WaitedTooLong { milliseconds: 15 },
    })
}

#[test]
fn a_failure_surfaces_once_and_later_tasks_run() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let block = device.alloc(64).unwrap();
        fill(&stream, &block, 1);
        let never = gate(&runtime);
        stream.wait_event(&never, Some(LIMIT)).unwrap();
        fill(&stream, &block, 2);
        assert_eq!(stream.synchronize(), waited_too_long(stream.id(), 2));
        assert_eq!(value_of(&block), 2, "{schedule:?}");
        stream.synchronize().unwrap();
        fill(&stream, &block, 3);
        stream.synchronize().unwrap();
    });
}

#[test]
fn a_failure_stops_a_stream_that_was_told_so_and_surfaces_every_time() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        stream.set_on_failure(OnFailure::Stop);
        let block = device.alloc(64).unwrap();
        fill(&stream, &block, 1);
        let never = gate(&runtime);
        stream.wait_event(&never, Some(LIMIT)).unwrap();
        fill(&stream, &block, 2);
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        for _ in 0..3 {
            assert_eq!(stream.synchronize(), waited_too_long(stream.id(), 2));
        }
        fill(&stream, &block, 3);
        assert_eq!(stream.synchronize(), waited_too_long(stream.id(), 2));
        assert!(!is_set(&ran), "{schedule:?}");
        assert_eq!(value_of(&block), 1, "{schedule:?}: a later task ran");
    });
}

#[test]
fn a_stopped_stream_still_reaches_its_events() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, waiter) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        stream.set_on_failure(OnFailure::Stop);
        let event = gate(&runtime);
        stream.host_function(|| panic!("planned")).unwrap();
        stream.record(&event).unwrap();
        waiter.wait_event(&event, None).unwrap();
        waiter.synchronize_within(Some(LONG / 2)).unwrap();
        assert!(stream.synchronize().is_err(), "{schedule:?}");
    });
}

/// A stopped stream skips its waits too: nothing may wait for an event that never comes.
#[test]
fn a_stopped_stream_skips_a_wait_that_would_never_end() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        stream.set_on_failure(OnFailure::Stop);
        let never = gate(&runtime);
        stream.wait_event(&never, Some(LIMIT)).unwrap();
        stream.wait_event(&never, None).unwrap();
        assert_eq!(
            stream.synchronize_within(Some(LONG / 5)),
            waited_too_long(stream.id(), 1),
            "{schedule:?}"
        );
    });
}

#[test]
fn a_panic_in_a_host_function_is_a_failed_task_and_nothing_worse() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        stream.host_function(|| panic!("a planned panic")).unwrap();
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        assert_eq!(
            stream.synchronize(),
            Err(Error::TaskFailed {
                stream: stream.id(),
                task: 1,
                cause: TaskFailure::Panicked("a planned panic".to_owned()),
            })
        );
        assert!(is_set(&ran), "{schedule:?}");
        stream.synchronize().unwrap();
    });
}

#[test]
fn the_first_of_several_failures_is_the_one_that_surfaces() {
    let (_runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    for number in 1..=3 {
        stream
            .host_function(move || panic!("number {number}"))
            .unwrap();
    }
    let failed = stream.synchronize().unwrap_err();
    assert!(
        matches!(&failed, Error::TaskFailed { task: 1, cause, .. }
            if *cause == TaskFailure::Panicked("number 1".to_owned())),
        "{failed}"
    );
    stream.synchronize().unwrap();
}

#[test]
fn destroying_a_stream_says_what_failed_in_it() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        stream.host_function(|| panic!("planned")).unwrap();
        assert!(matches!(
            stream.destroy(),
            Err(Error::TaskFailed { task: 1, .. })
        ));
        assert!(stream.is_closed(), "{schedule:?}");
    });
}

/// One error is all that a device synchronise can answer; the others are not lost by that.
#[test]
fn failures_of_two_streams_both_surface_although_the_device_is_synchronised() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let streams = [0, 1].map(|_| device.create_stream().unwrap());
        for stream in &streams {
            stream.host_function(|| panic!("planned")).unwrap();
        }
        let mut failed = Vec::new();
        for outcome in [
            device.synchronize(),
            streams[0].synchronize(),
            streams[1].synchronize(),
        ] {
            if let Err(Error::TaskFailed { stream, .. }) = outcome {
                failed.push(stream);
            }
        }
        failed.sort_unstable();
        let ids = streams.each_ref().map(millpond::Stream::id);
        assert_eq!(failed, ids, "{schedule:?}");
    });
}
