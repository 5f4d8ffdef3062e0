//! What waits, recordings and queries of events mean.

use std::time::Duration;

use millpond::{Error, EventKind, EventStatus, OnFailure, Waited};

use crate::common::{
    LONG, SCHEDULES, fill, flag, gate, is_set, open, open_under_every_schedule, value_of,
};

#[test]
fn a_stream_that_waits_for_an_event_not_yet_recorded_is_blocked() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let block = device.alloc(4096).unwrap();
        fill(&stream, &block, 1);
        stream.synchronize().unwrap();

        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        fill(&stream, &block, 2);
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        for _ in 0..10 {
            assert!(!stream.is_done(), "{schedule:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(!is_set(&ran), "{schedule:?}: a task behind the wait ran");
        assert_eq!(value_of(&block), 1, "{schedule:?}: a fill ran");
        assert_eq!(gate.status(), EventStatus::Unrecorded);
        assert!(gate.is_waited_for());

        other.record(&gate).unwrap();
        stream.synchronize().unwrap();
        assert!(is_set(&ran));
        assert_eq!(value_of(&block), 2);
        assert_eq!(gate.status(), EventStatus::Reached);
        assert!(!gate.is_waited_for());
    });
}

#[test]
fn a_wait_belongs_to_the_recording_that_was_current_when_it_was_enqueued() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (recorder, waiter) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        let gate = gate(&runtime);
        recorder.record(&event).unwrap();
        waiter.wait_event(&event, None).unwrap();
        // The second recording comes behind a gate that is still closed.
        recorder.wait_event(&gate, None).unwrap();
        recorder.record(&event).unwrap();
        assert_eq!(event.status(), EventStatus::Pending, "{schedule:?}");
        waiter.synchronize_within(Some(LONG)).unwrap();
        let late = waiter.wait_event(&event, None);
        late.unwrap();
        let out = waiter.synchronize_within(Some(Duration::from_millis(20)));
        assert!(matches!(out, Err(Error::TimedOut { .. })), "{schedule:?}");
        waiter.abort();
        recorder.abort();
    });
}

#[test]
fn an_event_recorded_again_and_again_orders_each_use() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (writer, reader) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let written = runtime.create_event(EventKind::Rerecordable).unwrap();
        let read = runtime.create_event(EventKind::Rerecordable).unwrap();
        let source = device.alloc(3000).unwrap();
        let copies: Vec<_> = (0..10).map(|_| device.alloc(3000).unwrap()).collect();
        for (value, copy) in (0_u8..).zip(&copies) {
            writer.wait_event(&read, None).unwrap();
            fill(&writer, &source, value);
            writer.record(&written).unwrap();
            reader.wait_event(&written, None).unwrap();
            reader.copy(copy.all(), source.all()).unwrap();
            reader.record(&read).unwrap();
        }
        device.synchronize().unwrap();
        let values: Vec<_> = copies.iter().map(value_of).collect();
        assert_eq!(values, (0..10).collect::<Vec<_>>(), "{schedule:?}");
    });
}

#[test]
fn an_event_of_the_newer_kind_that_was_never_recorded_counts_as_reached() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        stream.wait_event(&event, None).unwrap();
        stream.synchronize_within(Some(LONG)).unwrap();
        event.synchronize_within(Some(LONG)).unwrap();
        assert_eq!(event.status(), EventStatus::Unrecorded);
        assert_eq!(event.reached_at(), Err(Error::EventNotRecorded));
        assert_eq!(
            stream.reset_event(&event),
            Err(Error::EventCannot {
                operation: "be reset"
            })
        );
    }
}

#[test]
fn a_reset_event_is_waited_for_until_its_next_recording() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let event = gate(&runtime);
        other.record(&event).unwrap();
        stream.wait_event(&event, None).unwrap();
        stream.reset_event(&event).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(event.status(), EventStatus::Unrecorded);

        stream.wait_event(&event, None).unwrap();
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        let out = stream.synchronize_within(Some(Duration::from_millis(20)));
        assert!(matches!(out, Err(Error::TimedOut { .. })), "{schedule:?}");
        assert!(!is_set(&ran));
        other.record(&event).unwrap();
        stream.synchronize().unwrap();
        assert!(is_set(&ran), "{schedule:?}");
    });
}

#[test]
fn an_event_synchronise_waits_for_what_comes_before_the_recording_and_for_no_more() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        let gate = gate(&runtime);
        let (before, run) = flag();
        stream.host_function(run).unwrap();
        stream.record(&event).unwrap();
        stream.wait_event(&gate, None).unwrap();
        let (behind, run) = flag();
        stream.host_function(run).unwrap();
        event.synchronize().unwrap();
        assert!(is_set(&before) && !is_set(&behind), "{schedule:?}");
        assert!(event.reached_at().is_ok());

        stream.record(&event).unwrap();
        assert_eq!(
            event.synchronize_within(Some(Duration::from_millis(20))),
            Err(Error::TimedOut {
                what: Waited::Event,
                milliseconds: 20
            })
        );
        other.record(&gate).unwrap();
        event.synchronize().unwrap();
        assert!(is_set(&behind));
    });
}

#[test]
fn time_between_two_events_is_what_passed_between_them() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let [start, end] = [0, 1].map(|_| {
            let kind = EventKind::Rerecordable;
            runtime.create_event(kind).unwrap()
        });
        stream.record(&start).unwrap();
        stream
            .host_function(|| std::thread::sleep(Duration::from_millis(20)))
            .unwrap();
        stream.record(&end).unwrap();
        end.synchronize().unwrap();
        let forward = end.milliseconds_since(&start).unwrap();
        let backward = start.milliseconds_since(&end).unwrap();
        assert!(forward >= 19.0, "{schedule:?}: {forward} ms");
        assert!((forward + backward).abs() < 0.001);
        let untimed = runtime
            .create_event_with(EventKind::Rerecordable, true, false, 0)
            .unwrap();
        stream.record(&untimed).unwrap();
        untimed.synchronize().unwrap();
        assert!(matches!(
            untimed.reached_at(),
            Err(Error::NoTimestamp { .. })
        ));
    });
}

#[test]
fn an_event_made_without_the_right_to_order_streams_is_refused_as_such() {
    let (runtime, device) = open(millpond::Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let event = runtime
        .create_event_with(EventKind::Rerecordable, false, true, 0)
        .unwrap();
    stream.record(&event).unwrap();
    assert!(matches!(
        stream.wait_event(&event, None),
        Err(Error::EventCannot { .. })
    ));
    event.synchronize().unwrap();
}

#[test]
fn a_wait_that_a_stopped_stream_skips_is_no_longer_a_wait() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        stream.set_on_failure(OnFailure::Stop);
        stream.host_function(|| panic!("planned")).unwrap();
        assert!(stream.synchronize().is_err());
        let event = gate(&runtime);
        device.create_stream().unwrap().record(&event).unwrap();
        event.synchronize().unwrap();
        stream.wait_event(&event, None).unwrap();
        assert!(stream.synchronize_within(Some(LONG)).is_err());
        assert!(!event.is_waited_for(), "{schedule:?}");
    });
}
