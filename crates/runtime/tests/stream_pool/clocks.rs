//! Order is a clock: what was captured when an event was recorded counts, and nothing that came later.

use millpond::{OnFailure, Reuse};

use crate::common::{LONG, under_every_schedule, within};
use crate::{PAGE, Pond};

fn following(schedule: millpond::Schedule) -> Pond {
    let pond = Pond::open(schedule);
    pond.pool.set_reuse(Reuse::FollowEvents, true).unwrap();
    pond
}

/// Record e on A; A then waits for C; B waits for e: nothing orders B behind C.
#[test]
fn an_event_does_not_hand_on_what_its_stream_learned_after_it() {
    under_every_schedule(|schedule| {
        let pond = following(schedule);
        let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&c);
        let address = pond.spent(&c);
        let (of_a, of_c) = (pond.event(), pond.event());
        c.record(&of_c).unwrap();

        a.record(&of_a).unwrap();
        a.wait_event(&of_c, None).unwrap();
        b.wait_event(&of_a, None).unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}: B is not behind C");

        // The same event recorded again is another matter, for those who wait for it then.
        let d = pond.stream();
        d.wait_event(&of_a, None).unwrap();
        a.record(&of_a).unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}: B waited before");
        assert!(pond.misses(&d, address), "{schedule:?}: D waited before");
        d.wait_event(&of_a, None).unwrap();
        assert!(pond.gets(&d, address), "{schedule:?}: D is behind C");
        closed.open();
        pond.device.synchronize().unwrap();
    });
}

/// What a synchronisation of e tells is what e captured.
#[test]
fn seeing_an_event_does_not_tell_what_its_stream_learned_after_it() {
    under_every_schedule(|schedule| {
        let pond = following(schedule);
        let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&c);
        let address = pond.spent(&c);
        let (of_a, of_c) = (pond.event(), pond.event());
        c.record(&of_c).unwrap();
        a.record(&of_a).unwrap();
        a.wait_event(&of_c, None).unwrap();
        of_a.synchronize().unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}: C is held");
        closed.open();
        // A is behind C, so whoever sees A done sees C's work done too.
        a.synchronize().unwrap();
        assert!(pond.gets(&b, address), "{schedule:?}");
    });
}

#[test]
fn order_goes_through_a_chain_of_events() {
    under_every_schedule(|schedule| {
        let pond = following(schedule);
        let streams: Vec<_> = (0..8).map(|_| pond.stream()).collect();
        let closed = pond.park(&streams[0]);
        let address = pond.spent(&streams[0]);
        for pair in streams.windows(2) {
            let event = pond.event();
            pair[0].record(&event).unwrap();
            pair[1].wait_event(&event, None).unwrap();
            // The event may go: what it captured stays known.
        }
        assert!(pond.gets(&streams[7], address), "{schedule:?}");
        closed.open();
        pond.device.synchronize().unwrap();
    });
}

#[test]
fn an_event_that_was_reset_hands_on_nothing_to_later_waits() {
    under_every_schedule(|schedule| {
        let pond = following(schedule);
        let (a, b) = (pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        let event = crate::common::gate(&pond.runtime);
        a.record(&event).unwrap();
        a.reset_event(&event).unwrap();
        b.wait_event(&event, None).unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}");
        a.record(&event).unwrap();
        closed.open();
        pond.device.synchronize().unwrap();
    });
}

/// A stream that was aborted is behind nothing: its waits were thrown away.
#[test]
fn a_stream_that_was_aborted_forgets_what_it_waited_for() {
    under_every_schedule(|schedule| {
        let pond = following(schedule);
        let (a, b) = (pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        let event = pond.event();
        a.record(&event).unwrap();
        b.wait_event(&event, None).unwrap();
        b.abort();
        assert!(
            pond.misses(&b, address),
            "{schedule:?}: B does not wait for A any more"
        );
        b.synchronize().unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}");
        closed.open();
        a.synchronize().unwrap();
    });
}

/// Its events are reached all the same, or others would deadlock; but they stand for nothing.
#[test]
fn an_event_that_an_abort_reached_hands_on_nothing() {
    under_every_schedule(|schedule| {
        let pond = following(schedule);
        let (a, b, c, d) = (pond.stream(), pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&c);
        let address = pond.spent(&c);
        let (of_a, of_c) = (pond.event(), pond.event());
        c.record(&of_c).unwrap();
        a.wait_event(&of_c, None).unwrap();
        a.record(&of_a).unwrap();
        a.abort();
        of_a.synchronize().unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}: C is held");
        assert_eq!(of_a.status(), millpond::EventStatus::Reached);
        b.wait_event(&of_a, None).unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}: C is held");
        a.synchronize().unwrap();
        assert!(pond.misses(&d, address), "{schedule:?}: C is held");
        closed.open();
        pond.device.synchronize().unwrap();
        assert!(pond.gets(&d, address), "{schedule:?}");
    });
}

/// A stream that stops at a failure skips its waits but reaches its events.
#[test]
fn a_stopped_stream_that_skips_a_wait_is_not_behind_it() {
    under_every_schedule(|schedule| {
        let pond = following(schedule);
        let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&c);
        let address = pond.spent(&c);
        let (of_a, of_c) = (pond.event(), pond.event());
        c.record(&of_c).unwrap();
        a.set_on_failure(OnFailure::Stop);
        a.host_function(|| panic!("on purpose")).unwrap();
        assert!(a.synchronize().is_err());
        a.wait_event(&of_c, None).unwrap();
        a.record(&of_a).unwrap();
        // The wait is skipped, so this comes although C is held.
        of_a.synchronize().unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}: C is held");
        b.wait_event(&of_a, None).unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}: C is held");
        assert!(a.synchronize().is_err(), "it stays stopped");
        assert!(pond.misses(&b, address), "{schedule:?}: C is held");
        closed.open();
        c.synchronize().unwrap();
    });
}

/// One thread synchronises A again and again while another makes A wait for C, which is held: the first
/// must not take what A will know for what it has seen.
#[test]
fn a_synchronisation_does_not_see_what_another_thread_queued_meanwhile() {
    within(LONG, || {
        let pond = following(millpond::Schedule::Eager);
        for _ in 0..300 {
            let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
            let closed = pond.park(&c);
            let address = pond.spent(&c);
            let of_c = pond.event();
            c.record(&of_c).unwrap();
            std::thread::scope(|scope| {
                let other = a.clone();
                let syncs = scope.spawn(move || {
                    // Ends when A waits for what is held.
                    let limit = std::time::Duration::from_millis(3);
                    while other.synchronize_within(Some(limit)).is_ok() {}
                });
                a.wait_event(&of_c, None).unwrap();
                syncs.join().unwrap();
            });
            assert!(pond.misses(&b, address), "C is held");
            closed.open();
            pond.device.synchronize().unwrap();
        }
    });
}

/// A's own page comes first, whatever it knows of others.
#[test]
fn own_memory_comes_before_that_of_others() {
    let pond = following(millpond::Schedule::Latest);
    let (a, b) = (pond.stream(), pond.stream());
    let of_a = pond.spent(&a);
    let event = pond.event();
    a.record(&event).unwrap();
    let of_b = pond.spent(&b);
    b.wait_event(&event, None).unwrap();
    assert_ne!(of_a, of_b);
    let first = pond.pool.alloc(&b, PAGE).unwrap();
    let second = pond.pool.alloc(&b, PAGE).unwrap();
    assert_eq!((first.address(), second.address()), (of_b, of_a));
    pond.device.synchronize().unwrap();
}
