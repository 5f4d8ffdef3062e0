//! Synchronising, giving up, aborting and destroying.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use millpond::{Error, Schedule, Waited};

use crate::common::{
    LONG, comes_true, fill, flag, gate, is_set, open, open_under_every_schedule, value_of, within,
};

const SHORT: Duration = Duration::from_millis(30);

#[test]
fn a_synchronise_with_a_limit_gives_up_and_the_work_goes_on() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        let timed_out = |what| {
            Err(Error::TimedOut {
                what,
                milliseconds: 30,
            })
        };
        assert_eq!(
            stream.synchronize_within(Some(SHORT)),
            timed_out(Waited::Stream)
        );
        assert_eq!(
            device.synchronize_within(Some(SHORT)),
            timed_out(Waited::Device)
        );
        assert!(!is_set(&ran), "{schedule:?}: nothing has opened the gate");
        device.create_stream().unwrap().record(&gate).unwrap();
        stream.synchronize().unwrap();
        assert!(is_set(&ran), "{schedule:?}");
    });
}

#[test]
fn a_limit_longer_than_the_clock_can_count_is_not_a_limit() {
    open_under_every_schedule(|_, runtime, device| {
        let stream = device.create_stream().unwrap();
        let block = device.alloc(64).unwrap();
        fill(&stream, &block, 3);
        stream.synchronize_within(Some(Duration::MAX)).unwrap();
        device.synchronize_within(Some(Duration::MAX)).unwrap();
        let event = gate(&runtime);
        stream.record(&event).unwrap();
        event.synchronize_within(Some(Duration::MAX)).unwrap();
    });
}

#[test]
fn a_wait_for_an_event_may_have_a_limit_longer_than_the_clock_can_count() {
    open_under_every_schedule(|_, runtime, device| {
        let stream = device.create_stream().unwrap();
        let gate = gate(&runtime);
        stream.wait_event(&gate, Some(Duration::MAX)).unwrap();
        thread::sleep(Duration::from_millis(20));
        device.create_stream().unwrap().record(&gate).unwrap();
        stream.synchronize_within(Some(LONG / 2)).unwrap();
    });
}

#[test]
fn a_circle_of_waits_times_out_instead_of_hanging() {
    open_under_every_schedule(|schedule, runtime, device| {
        let streams = [0, 1, 2].map(|_| device.create_stream().unwrap());
        let events = [0, 1, 2].map(|_| gate(&runtime));
        for (index, stream) in streams.iter().enumerate() {
            let next = &events[(index + 1) % 3];
            stream.wait_event(next, Some(SHORT)).unwrap();
            stream.record(&events[index]).unwrap();
        }
        let outcomes = streams
            .each_ref()
            .map(|stream| stream.synchronize_within(Some(LONG / 2)));
        // The first to give up records its event and so helps the one that waits for it.
        assert!(
            outcomes.iter().any(Result::is_err),
            "{schedule:?}: {outcomes:?}"
        );
        for outcome in outcomes {
            assert!(
                matches!(outcome, Ok(()) | Err(Error::TaskFailed { .. })),
                "{schedule:?}: {outcome:?}"
            );
        }
        device.synchronize_within(Some(LONG / 2)).unwrap();
    });
}

/// The clock of an earlier wait, already passed, may run out just after that of a later one.
#[test]
fn the_end_of_an_earlier_waits_time_does_not_prolong_a_later_wait() {
    within(LONG, || {
        let (runtime, device) = open(Schedule::Latest);
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let (early, never) = (gate(&runtime), gate(&runtime));
        let began = Instant::now();
        stream
            .wait_event(&early, Some(Duration::from_millis(60)))
            .unwrap();
        // Starts the first clock.
        assert!(!stream.is_done());
        other.record(&early).unwrap();
        stream.synchronize().unwrap();
        stream
            .wait_event(&never, Some(Duration::from_millis(20)))
            .unwrap();
        // Starts the second. It runs out first; calls keep the stream from running on its own.
        assert!(!stream.is_done());
        while began.elapsed() < Duration::from_millis(80) {
            assert!(other.is_done());
        }
        let outcome = stream.synchronize_within(Some(LONG / 4));
        assert!(
            matches!(outcome, Err(Error::TaskFailed { .. })),
            "{outcome:?}"
        );
    });
}

#[test]
fn an_abort_wakes_waiting_threads_and_the_stream_lives_on() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        // A thread that comes too late finds an empty stream. Then the next one gets more time.
        for pause in [1, 5, 20, 100, 500]
            .map(Duration::from_millis)
            .into_iter()
            .cycle()
        {
            let waits = {
                let stream = stream.clone();
                thread::spawn(move || stream.synchronize())
            };
            thread::sleep(pause);
            assert!(!waits.is_finished());
            stream.abort();
            match waits.join().unwrap() {
                Err(Error::StreamAborted) => break,
                outcome => assert_eq!(outcome, Ok(()), "{schedule:?}"),
            }
            stream.wait_event(&gate, None).unwrap();
        }
        assert!(!gate.is_waited_for(), "{schedule:?}");
        stream.synchronize_within(Some(LONG / 2)).unwrap();
        assert!(!is_set(&ran), "{schedule:?}: what was thrown away ran");

        let block = device.alloc(64).unwrap();
        fill(&stream, &block, 9);
        stream.synchronize().unwrap();
        assert_eq!(value_of(&block), 9);
        // The gate opens for nobody.
        device.create_stream().unwrap().record(&gate).unwrap();
        gate.synchronize().unwrap();
        stream.synchronize_within(Some(LONG / 2)).unwrap();
    });
}

#[test]
fn an_abort_lets_go_of_streams_that_wait_for_a_recording_it_throws_away() {
    open_under_every_schedule(|_, runtime, device| {
        let (stream, waiter) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let (gate, event) = (gate(&runtime), gate(&runtime));
        stream.wait_event(&gate, None).unwrap();
        stream.record(&event).unwrap();
        waiter.wait_event(&event, None).unwrap();
        stream.abort();
        waiter.synchronize_within(Some(LONG / 2)).unwrap();
        event.synchronize_within(Some(LONG / 2)).unwrap();
    });
}

#[test]
fn an_abort_leaves_a_host_function_that_runs_alone() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        let (began, go, ended) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let inside = (Arc::clone(&began), Arc::clone(&go), Arc::clone(&ended));
        stream
            .host_function(move || {
                let (began, go, ended) = inside;
                began.store(true, Ordering::SeqCst);
                assert!(comes_true(LONG, || is_set(&go)));
                ended.store(true, Ordering::SeqCst);
            })
            .unwrap();
        let (dropped, run) = flag();
        stream.host_function(run).unwrap();
        assert!(comes_true(LONG / 2, || is_set(&began)), "{schedule:?}");
        stream.abort();
        let (later, run) = flag();
        stream.host_function(run).unwrap();
        go.store(true, Ordering::SeqCst);
        stream.synchronize().unwrap();
        assert!(
            is_set(&ended) && is_set(&later) && !is_set(&dropped),
            "{schedule:?}"
        );
    });
}

#[test]
fn destroying_a_stream_waits_for_its_work_and_ends_it() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        let opens = thread::spawn(move || {
            thread::sleep(SHORT);
            other.record(&gate).unwrap();
        });
        stream.destroy().unwrap();
        assert!(
            is_set(&ran),
            "{schedule:?}: destroy came back before the work"
        );
        opens.join().unwrap();
        let block = device.alloc(64).unwrap();
        assert_eq!(stream.fill(block.all(), 1), Err(Error::StreamGone));
        assert_eq!(stream.host_function(|| ()), Err(Error::StreamGone));
        assert!(stream.is_closed());
    });
}

#[test]
fn destroying_a_stream_by_force_does_not_wait() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        stream.destroy_force();
        assert_eq!(stream.host_function(|| ()), Err(Error::StreamGone));
        device.create_stream().unwrap().record(&gate).unwrap();
        device.synchronize_within(Some(LONG / 2)).unwrap();
        thread::sleep(Duration::from_millis(15));
        assert!(!is_set(&ran), "{schedule:?}");
    });
}

#[test]
fn dropping_a_stream_lets_its_work_run() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        let free = device.streams_available();
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        drop(stream);
        assert_eq!(device.streams_available(), free + 1);
        device.synchronize().unwrap();
        assert!(is_set(&ran), "{schedule:?}");
    });
}

#[test]
fn a_host_function_cannot_wait_for_its_own_stream() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        let (answers, received) = std::sync::mpsc::channel();
        let own = (stream.clone(), device.clone());
        stream
            .host_function(move || {
                let (stream, device) = own;
                answers.send(stream.synchronize()).unwrap();
                answers.send(device.synchronize()).unwrap();
                answers.send(stream.destroy()).unwrap();
            })
            .unwrap();
        for _ in 0..3 {
            assert_eq!(received.recv(), Ok(Err(Error::WouldDeadlock)));
        }
        // What was refused has changed nothing.
        assert!(!stream.is_closed(), "{schedule:?}");
        stream.synchronize().unwrap();
    });
}
