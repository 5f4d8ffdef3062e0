//! What streams knew of each other when a wait was thrown away, and other ways to lose an order.

use millpond::{OnFailure, Reuse, Schedule};

use crate::Pond;
use crate::common::{LONG, within};

fn following(schedule: Schedule) -> Pond {
    let pond = Pond::open(schedule);
    pond.pool.set_reuse(Reuse::FollowEvents, true).unwrap();
    pond
}

/// B waited for A's event BEFORE A was aborted.
#[test]
fn a_stream_that_waited_for_an_aborted_one_knows_nothing_by_it() {
    within(LONG, || {
        let pond = following(Schedule::Eager);
        let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&c);
        let address = pond.spent(&c);
        let (of_a, of_c) = (pond.event(), pond.event());
        c.record(&of_c).unwrap();
        a.wait_event(&of_c, None).unwrap();
        a.record(&of_a).unwrap();
        b.wait_event(&of_a, None).unwrap();
        a.abort();
        b.synchronize().unwrap();
        let bad = !pond.misses(&b, address);
        closed.open();
        pond.device.synchronize().unwrap();
        assert!(!bad, "B has C's page while C is held");
    });
}

/// Same, plain device memory: B's synchronisation makes everybody believe that C passed.
#[test]
fn nor_does_a_synchronisation_of_it_speak_for_others() {
    within(LONG, || {
        let pond = following(Schedule::Eager);
        let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&c);
        let old = pond.device.alloc(4096).unwrap();
        let at = old.address();
        c.fill(old.all(), 0xee).unwrap();
        let (of_a, of_c) = (pond.event(), pond.event());
        c.record(&of_c).unwrap();
        a.wait_event(&of_c, None).unwrap();
        a.record(&of_a).unwrap();
        b.wait_event(&of_a, None).unwrap();
        a.abort();
        b.synchronize().unwrap();
        drop(old);
        let new = pond.device.alloc(4096).unwrap();
        new.write(&[1; 4096]).unwrap();
        let same = new.address() == at;
        closed.open();
        pond.device.synchronize().unwrap();
        let value = crate::common::value_of(&new);
        assert_eq!(
            (same, value),
            (false, 1),
            "C's queued fill hit somebody else's block"
        );
    });
}

/// A stops at a failure instead.
#[test]
fn nor_of_one_that_stopped() {
    within(LONG, || {
        let pond = following(Schedule::Eager);
        let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&c);
        let hold_a = pond.park(&a);
        let address = pond.spent(&c);
        let (of_a, of_c) = (pond.event(), pond.event());
        c.record(&of_c).unwrap();
        a.set_on_failure(OnFailure::Stop);
        a.host_function(|| panic!("on purpose")).unwrap();
        a.wait_event(&of_c, None).unwrap();
        a.record(&of_a).unwrap();
        b.wait_event(&of_a, None).unwrap();
        hold_a.open();
        b.synchronize().unwrap();
        let d = pond.stream();
        let bad = !pond.misses(&d, address);
        closed.open();
        c.synchronize().unwrap();
        assert!(!bad, "D has C's page while C is held");
    });
}

/// B took A's page by right of a wait, freed it, and was aborted: the wait is gone.
#[test]
fn memory_that_was_taken_by_a_wait_is_nobodys_when_the_wait_is_thrown_away() {
    within(LONG, || {
        let pond = following(Schedule::Eager);
        let (a, b, d) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        let event = pond.event();
        a.record(&event).unwrap();
        b.wait_event(&event, None).unwrap();
        assert!(pond.gets(&b, address));
        b.abort();
        let own = !pond.misses(&b, address);
        b.synchronize().unwrap();
        let others = !pond.misses(&d, address);
        closed.open();
        pond.device.synchronize().unwrap();
        assert!(!own && !others, "B {own}, D {others}: A is held");
    });
}

/// The aborted stream's own running task.
#[test]
fn a_task_that_still_runs_keeps_its_memory_when_its_stream_is_aborted() {
    within(LONG, || {
        let pond = following(Schedule::Eager);
        let (a, b) = (pond.stream(), pond.stream());
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (began, begun) = std::sync::mpsc::channel::<()>();
        a.host_function(move || {
            began.send(()).unwrap();
            wait.recv().unwrap();
        })
        .unwrap();
        begun.recv().unwrap();
        let block = pond.page(&a);
        let address = block.address();
        a.record_use(address).unwrap();
        drop(block);
        let event = pond.event();
        a.record(&event).unwrap();
        b.wait_event(&event, None).unwrap();
        a.abort();
        b.synchronize().unwrap();
        let bad = !pond.misses(&b, address);
        go.send(()).unwrap();
        a.synchronize().unwrap();
        assert!(!bad, "A's function still runs and uses it");
    });
}

/// The stream has stopped and skips the wait; then it is told to go on.
#[test]
fn a_wait_that_was_skipped_orders_nothing_although_the_stream_goes_on() {
    within(LONG, || {
        let pond = following(Schedule::Latest);
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
        a.is_done();
        a.set_on_failure(OnFailure::Continue);
        of_a.synchronize_within(Some(std::time::Duration::from_millis(500)))
            .ok();
        let reached = of_a.status();
        let bad = !pond.misses(&b, address);
        closed.open();
        c.synchronize().unwrap();
        assert!(!bad, "{reached:?}");
    });
}

#[test]
fn a_pool_at_the_addresses_of_another_has_no_past() {
    let (_r, device) = crate::common::open(Schedule::Eager);
    let s = device.create_stream().unwrap();
    let p = device.create_pool(Some(32 << 20)).unwrap();
    drop(p.alloc(&s, 8 << 20).unwrap());
    s.synchronize().unwrap();
    p.destroy().unwrap();
    let q = device.create_pool(Some(32 << 20)).unwrap();
    let st = q.statistics().unwrap();
    let total: u64 = st.streams.iter().map(|p| p.bytes.total).sum();
    assert_eq!(
        (total, st.peak_reserved, st.peak),
        (0, st.reserved, 0),
        "{:?}",
        st.streams.len()
    );
}

/// A block of A whose bytes A's queued work uses is freed on B.
#[test]
fn a_block_freed_on_another_stream_waits_for_its_own_too() {
    within(LONG, || {
        let pond = Pond::open(Schedule::Eager);
        let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        let got = pond.pool.alloc_at(&a, crate::PAGE).unwrap();
        assert_eq!(got, address);
        let hb = pond.park(&b);
        b.free_at(got).unwrap();
        hb.open();
        b.synchronize().unwrap();
        let bad = !pond.misses(&c, address);
        closed.open();
        pond.device.synchronize().unwrap();
        assert!(!bad, "A's queued fill still uses it");
    });
}

/// Destroyed meanwhile.
#[test]
fn a_destroy_that_is_refused_has_no_effect() {
    within(6 * LONG, || {
        let (_r, device) = crate::common::open(Schedule::Eager);
        let s = device.create_stream().unwrap();
        let p = device.create_pool(Some(32 << 20)).unwrap();
        let _keep = p.alloc(&s, 4096).unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        let mut bad = 0;
        std::thread::scope(|t| {
            t.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    assert!(p.destroy().is_err());
                }
            });
            for _ in 0..20000 {
                if p.alloc(&s, 4096).is_err() {
                    bad += 1;
                }
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(bad, 0);
    });
}

/// One thread says that a stream uses a block while another queues a fill of it.
#[test]
fn sizes_near_the_end_of_all_numbers_are_refused() {
    let (r, device) = crate::common::open(Schedule::Eager);
    for b in [
        u64::MAX,
        u64::MAX - 31,
        u64::MAX - 63,
        u64::MAX - (2 << 20),
        u64::MAX - (2 << 20) + 1,
        1 << 63,
        1 << 48,
    ] {
        assert!(r.reserve(b).is_err(), "{b:#x}");
        assert!(device.alloc_physical(b).is_err());
        assert!(device.create_pool(Some(b)).is_err());
        assert!(device.alloc(b).is_err());
        for pages in [
            millpond::PageChoice::HugeFirst,
            millpond::PageChoice::HugeOnly,
            millpond::PageChoice::NormalOnly,
            millpond::PageChoice::BySize,
        ] {
            assert!(
                device
                    .alloc_with(millpond::Request {
                        bytes: b,
                        tail: millpond::Tail::Padding,
                        pages
                    })
                    .is_err()
            );
            assert!(
                device
                    .alloc_near(
                        millpond::Request {
                            bytes: b,
                            tail: millpond::Tail::Padding,
                            pages
                        },
                        u64::MAX
                    )
                    .is_err()
            );
        }
        assert!(r.alloc_host(b).is_err());
    }
    let s = device.create_stream().unwrap();
    let pool = device.create_pool(None).unwrap();
    for b in [0, u64::MAX, u64::MAX - 31, u64::MAX - 511, 1 << 63] {
        assert!(pool.alloc(&s, b).is_err());
    }
    assert!(
        device
            .alloc_near(millpond::Request::of(64), u64::MAX)
            .is_ok()
    );
    assert!(device.alloc_near(millpond::Request::of(64), 0).is_ok());
    assert!(
        device
            .alloc_near(millpond::Request::of(64), u64::MAX - 511)
            .is_ok()
    );
    assert!(s.record_use(u64::MAX).is_err());
    assert!(s.free_at(u64::MAX).is_err());
}

#[test]
fn a_stopped_stream_learns_nothing() {
    within(LONG, || {
        let pond = following(Schedule::Eager);
        let (a, c, d) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&c);
        let address = pond.spent(&c);
        let of_c = pond.event();
        c.record(&of_c).unwrap();
        a.set_on_failure(OnFailure::Stop);
        a.host_function(|| panic!("on purpose")).unwrap();
        assert!(a.synchronize().is_err());
        a.wait_event(&of_c, None).unwrap();
        let took = pond.gets(&a, address);
        assert!(a.synchronize().is_err());
        let bad = !pond.misses(&d, address);
        closed.open();
        c.synchronize().unwrap();
        assert!(!bad, "A took it: {took}; D has C's page while C is held");
    });
}

/// A hint costs nothing.
#[test]
fn a_hint_does_not_keep_others_from_making_room() {
    let (_r, device) = crate::common::open(Schedule::Eager);
    let s = device.create_stream().unwrap();
    let pool = device.create_pool(None).unwrap();
    pool.set_release_threshold(200 << 20).unwrap();
    drop(pool.alloc(&s, 200 << 20).unwrap());
    s.synchronize().unwrap();
    let request = millpond::Request {
        pages: millpond::PageChoice::NormalOnly,
        ..millpond::Request::of(100 << 20)
    };
    let near = device.alloc_near(request, 0x1000).is_ok();
    let plain = device.alloc_with(request).is_ok();
    assert_eq!((near, plain), (true, true));
}
