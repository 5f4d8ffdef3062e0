//! Functions that a thread of the program runs for a stream.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use millpond::{Error, Waited};

use crate::common::{
    LONG, comes_true, fill, flag, is_set, open, open_under_every_schedule, value_of, within,
};

#[test]
fn reports_run_on_the_thread_that_processes_them_in_the_order_of_the_stream() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let reports = runtime.create_reports();
        assert!(!reports.has_streams());
        stream.subscribe(&reports).unwrap();
        assert!(reports.has_streams());
        let log = Arc::new(Mutex::new(Vec::new()));
        for number in 0..10 {
            let log = Arc::clone(&log);
            let note = move || log.lock().unwrap().push((number, thread::current().id()));
            stream.report(note, number % 2 == 0).unwrap();
        }
        let mut ran = 0;
        while ran < 10 {
            ran += reports.process(Some(LONG)).unwrap();
        }
        stream.synchronize().unwrap();
        let own = thread::current().id();
        let expected: Vec<_> = (0..10).map(|number| (number, own)).collect();
        assert_eq!(*log.lock().unwrap(), expected, "{schedule:?}");
    });
}

#[test]
fn a_blocking_report_holds_the_stream_until_it_has_run() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let reports = runtime.create_reports();
        stream.subscribe(&reports).unwrap();
        let block = device.alloc(64).unwrap();
        fill(&stream, &block, 1);
        let (ran, run) = flag();
        stream.report(run, true).unwrap();
        fill(&stream, &block, 2);
        assert_eq!(
            stream.synchronize_within(Some(Duration::from_millis(30))),
            Err(Error::TimedOut {
                what: Waited::Stream,
                milliseconds: 30
            })
        );
        assert!(!is_set(&ran), "{schedule:?}");
        assert_eq!(value_of(&block), 1, "{schedule:?}: the stream went on");
        assert_eq!(reports.process(Some(LONG)), Ok(1));
        assert!(is_set(&ran));
        stream.synchronize().unwrap();
        assert_eq!(value_of(&block), 2);
    });
}

#[test]
fn a_report_that_does_not_block_lets_the_stream_go_on() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let reports = runtime.create_reports();
        stream.subscribe(&reports).unwrap();
        let block = device.alloc(64).unwrap();
        let (ran, run) = flag();
        stream.report(run, false).unwrap();
        fill(&stream, &block, 2);
        stream.synchronize().unwrap();
        assert!(!is_set(&ran), "{schedule:?}");
        assert_eq!(value_of(&block), 2);
        assert_eq!(reports.process(Some(LONG)), Ok(1));
        assert!(is_set(&ran));
    });
}

#[test]
fn processing_reports_forces_the_work_before_them() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let reports = runtime.create_reports();
        stream.subscribe(&reports).unwrap();
        let event = runtime
            .create_event(millpond::EventKind::Rerecordable)
            .unwrap();
        let block = Arc::new(device.alloc(64).unwrap());
        fill(&other, &block, 5);
        other.record(&event).unwrap();
        stream.wait_event(&event, None).unwrap();
        let seen = Arc::new(Mutex::new(0));
        let inside = (Arc::clone(&block), Arc::clone(&seen));
        stream
            .report(
                move || *inside.1.lock().unwrap() = value_of(&inside.0),
                true,
            )
            .unwrap();
        assert_eq!(reports.process(None), Ok(1));
        assert_eq!(*seen.lock().unwrap(), 5, "{schedule:?}");
    });
}

#[test]
fn a_thread_that_waits_for_reports_is_woken_by_them_and_gives_up_without() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let reports = runtime.create_reports();
        stream.subscribe(&reports).unwrap();
        assert_eq!(
            reports.process(Some(Duration::from_millis(20))),
            Err(Error::TimedOut {
                what: Waited::Report,
                milliseconds: 20
            })
        );
        let processes = {
            let reports = reports.clone();
            thread::spawn(move || reports.process(None))
        };
        thread::sleep(Duration::from_millis(10));
        let (ran, run) = flag();
        stream.report(run, true).unwrap();
        assert_eq!(processes.join().unwrap(), Ok(1), "{schedule:?}");
        assert!(is_set(&ran));
        assert!(comes_true(LONG / 2, || stream.is_done()), "{schedule:?}");
    });
}

#[test]
fn a_stream_has_one_subscriber_at_a_time() {
    let (runtime, device) = open(millpond::Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let (first, second) = (runtime.create_reports(), runtime.create_reports());
    assert_eq!(stream.report(|| (), true), Err(Error::NotSubscribed));
    assert_eq!(stream.unsubscribe(&first), Err(Error::NotSubscribed));
    stream.subscribe(&first).unwrap();
    assert_eq!(stream.subscribe(&second), Err(Error::AlreadySubscribed));
    assert_eq!(stream.subscribe(&first), Err(Error::AlreadySubscribed));
    assert_eq!(stream.unsubscribe(&second), Err(Error::NotSubscribed));
    stream.unsubscribe(&first).unwrap();
    assert!(!first.has_streams());
    stream.subscribe(&second).unwrap();
    assert!(second.has_streams());
}

/// It would wait for itself, as a host function would.
#[test]
fn a_blocking_report_cannot_wait_for_its_own_stream() {
    within(LONG, || {
        let (runtime, device) = open(millpond::Schedule::Eager);
        let stream = device.create_stream().unwrap();
        let reports = runtime.create_reports();
        stream.subscribe(&reports).unwrap();
        let answer = Arc::new(Mutex::new(None));
        let inside = (stream.clone(), Arc::clone(&answer));
        let wait = move || {
            let outcome = inside.0.synchronize_within(Some(LONG / 10));
            *inside.1.lock().unwrap() = Some(outcome);
        };
        stream.report(wait, true).unwrap();
        assert_eq!(reports.process(Some(LONG)), Ok(1));
        let answer = answer.lock().unwrap().clone();
        assert_eq!(answer, Some(Err(Error::WouldDeadlock)));
    });
}
