//! Who gets freed memory, and when.

use std::time::Duration;

use millpond::{Config, Error, EventStatus, Reuse, Runtime, Schedule};

use crate::common::{
    LONG, MIB, SCHEDULES, comes_true, config, flag, gate, is_set, promptly, under_every_schedule,
    within,
};
use crate::{PAGE, Pond};

#[test]
fn a_stream_gets_back_at_once_what_was_freed_on_it_although_its_work_has_not_run() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let stream = pond.stream();
        let closed = pond.park(&stream);
        for bytes in [1, 512, 4096, 100_000, PAGE, 3 * PAGE] {
            let first = pond.pool.alloc(&stream, bytes).unwrap();
            let address = first.address();
            stream.fill(first.all(), 1).unwrap();
            drop(first);
            for _ in 0..20 {
                let again = pond.pool.alloc(&stream, bytes).unwrap();
                assert_eq!(again.address(), address, "{schedule:?}: {bytes} bytes");
                stream.fill(again.all(), 2).unwrap();
            }
        }
        assert!(!stream.is_done(), "{schedule:?}: all that time it was held");
        closed.open();
        stream.synchronize().unwrap();
    });
}

/// Every way in which a program is told that work has passed.
#[derive(Debug, Clone, Copy)]
enum Told {
    SynchronizeStream,
    SynchronizeStreamWithin,
    SynchronizeEvent,
    SynchronizeEventWithin,
    SynchronizeDevice,
    QueryStream,
    QueryEvent,
    DestroyStream,
}

#[test]
fn another_stream_gets_it_when_the_program_was_told_that_the_work_has_passed() {
    const WAYS: [Told; 8] = [
        Told::SynchronizeStream,
        Told::SynchronizeStreamWithin,
        Told::SynchronizeEvent,
        Told::SynchronizeEventWithin,
        Told::SynchronizeDevice,
        Told::QueryStream,
        Told::QueryEvent,
        Told::DestroyStream,
    ];
    for schedule in SCHEDULES {
        for way in WAYS {
            within(LONG, move || {
                let pond = Pond::open(schedule);
                let (a, b) = (pond.stream(), pond.stream());
                let closed = pond.park(&a);
                let address = pond.spent(&a);
                let passed = pond.event();
                a.record(&passed).unwrap();
                assert!(pond.misses(&b, address), "{schedule:?}: {way:?}: too early");
                assert!(!a.is_done() && passed.status() == EventStatus::Pending);
                assert!(
                    pond.misses(&b, address),
                    "{schedule:?}: {way:?}: told: not yet"
                );
                closed.open();
                match way {
                    Told::SynchronizeStream => a.synchronize().unwrap(),
                    Told::SynchronizeStreamWithin => a.synchronize_within(Some(LONG)).unwrap(),
                    Told::SynchronizeEvent => passed.synchronize().unwrap(),
                    Told::SynchronizeEventWithin => passed.synchronize_within(Some(LONG)).unwrap(),
                    Told::SynchronizeDevice => pond.device.synchronize().unwrap(),
                    Told::QueryStream => assert!(comes_true(LONG, || a.is_done())),
                    Told::QueryEvent => {
                        assert!(comes_true(LONG, || passed.status() == EventStatus::Reached));
                    }
                    Told::DestroyStream => a.destroy().unwrap(),
                }
                assert!(pond.gets(&b, address), "{schedule:?}: {way:?}");
            });
        }
    }
}

#[test]
fn a_synchronisation_that_timed_out_tells_nothing() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let (a, b) = (pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        let passed = pond.event();
        a.record(&passed).unwrap();
        let soon = Some(Duration::from_millis(2));
        assert!(matches!(
            a.synchronize_within(soon),
            Err(Error::TimedOut { .. })
        ));
        assert!(matches!(
            passed.synchronize_within(soon),
            Err(Error::TimedOut { .. })
        ));
        assert!(matches!(
            pond.device.synchronize_within(soon),
            Err(Error::TimedOut { .. })
        ));
        assert!(pond.misses(&b, address), "{schedule:?}");
        closed.open();
        a.synchronize().unwrap();
    });
}

/// Addresses depend on what the program was told, not on how fast a thread was.
#[test]
fn work_that_has_passed_unseen_hands_on_nothing_unless_that_is_allowed() {
    within(LONG, || {
        for (right, polls) in [
            (None, false),
            (Some(Reuse::FollowEvents), false),
            (Some(Reuse::InternalWaits), false),
            (Some(Reuse::Opportunistic), false),
            (None, true),
        ] {
            let runtime = Runtime::new(Config {
                polls,
                ..config(Schedule::Eager)
            })
            .unwrap();
            let device = runtime.device(0).unwrap();
            let pool = device.create_pool(Some(16 * PAGE)).unwrap();
            let pond = Pond {
                runtime,
                device,
                pool,
            };
            if let Some(right) = right {
                pond.pool.set_reuse(right, true).unwrap();
            }
            let (a, b) = (pond.stream(), pond.stream());
            let closed = pond.park(&a);
            let address = pond.spent(&a);
            let (done, sets) = flag();
            a.host_function(sets).unwrap();
            assert!(pond.misses(&b, address), "{right:?}: it is held");
            closed.open();
            assert!(comes_true(LONG, || is_set(&done)));
            let allowed = polls || right == Some(Reuse::Opportunistic);
            assert_eq!(pond.gets(&b, address), allowed, "{right:?}, polls: {polls}");
            a.synchronize().unwrap();
        }
    });
}

#[test]
fn an_event_hands_memory_on_only_with_the_right_and_only_what_came_before_it() {
    for schedule in SCHEDULES {
        for follows in [true, false] {
            within(LONG, move || {
                let pond = Pond::open(schedule);
                pond.pool.set_reuse(Reuse::FollowEvents, follows).unwrap();
                let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
                let closed = pond.park(&a);
                let early = pond.event();
                a.record(&early).unwrap();
                let address = pond.spent(&a);
                let late = pond.event();
                a.record(&late).unwrap();

                b.wait_event(&early, None).unwrap();
                assert!(
                    pond.misses(&b, address),
                    "{schedule:?}: before its last use"
                );
                c.wait_event(&late, None).unwrap();
                assert_eq!(pond.gets(&c, address), follows, "{schedule:?}");
                assert!(!a.is_done(), "nothing has run");

                closed.open();
                pond.device.synchronize().unwrap();
            });
        }
    }
}

#[test]
fn a_wait_with_a_time_limit_is_no_order() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        pond.pool.set_reuse(Reuse::FollowEvents, true).unwrap();
        let (a, b) = (pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        let late = pond.event();
        a.record(&late).unwrap();
        b.wait_event(&late, Some(Duration::from_millis(1))).unwrap();
        assert!(pond.misses(&b, address), "{schedule:?}");
        assert!(b.synchronize().is_err(), "the time was up");
        assert!(pond.misses(&b, address), "{schedule:?}");
        closed.open();
        a.synchronize().unwrap();
    });
}

#[test]
fn a_right_can_be_given_and_taken_at_any_time() {
    let pond = Pond::open(Schedule::Latest);
    let (a, b) = (pond.stream(), pond.stream());
    let closed = pond.park(&a);
    let address = pond.spent(&a);
    let late = pond.event();
    a.record(&late).unwrap();
    b.wait_event(&late, None).unwrap();
    assert!(pond.misses(&b, address));
    pond.pool.set_reuse(Reuse::FollowEvents, true).unwrap();
    assert!(pond.gets(&b, address), "what it waited for before counts");
    pond.pool.set_reuse(Reuse::FollowEvents, false).unwrap();
    assert!(pond.gets(&b, address), "it is B's by now");
    closed.open();
    pond.device.synchronize().unwrap();
}

/// B has the block by an event while A is held; a third stream must not get it from B for nothing.
#[test]
fn memory_that_came_by_an_event_is_handed_on_by_what_its_new_stream_does() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        pond.pool.set_reuse(Reuse::FollowEvents, true).unwrap();
        let (a, b, c) = (pond.stream(), pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        let (from_a, from_b) = (pond.event(), pond.event());
        // An event of B from before it waited for A.
        b.record(&from_b).unwrap();
        c.wait_event(&from_b, None).unwrap();
        a.record(&from_a).unwrap();
        b.wait_event(&from_a, None).unwrap();
        // B gets it and never uses it.
        assert!(pond.gets(&b, address), "{schedule:?}");
        assert!(
            pond.misses(&c, address),
            "{schedule:?}: C is behind neither"
        );
        b.record(&from_b).unwrap();
        c.wait_event(&from_b, None).unwrap();
        assert!(pond.gets(&c, address), "{schedule:?}: C is behind both");
        closed.open();
        pond.device.synchronize().unwrap();
    });
}

#[test]
fn a_block_that_several_streams_use_comes_back_when_all_have_passed() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let home = pond.stream();
        let users: Vec<_> = (0..4).map(|_| pond.stream()).collect();
        let gates: Vec<_> = users.iter().map(|user| pond.park(user)).collect();
        let block = pond.page(&home);
        let address = block.address();
        for user in &users {
            user.fill(block.slice(..512), 7).unwrap();
        }
        drop(block);
        for order in [2, 0, 3, 1] {
            assert!(pond.misses(&home, address), "{schedule:?}: others use it");
            gates[order].open();
            users[order].synchronize().unwrap();
        }
        assert!(pond.gets(&home, address), "{schedule:?}: all have passed");
    });
}

#[test]
fn a_use_that_the_runtime_cannot_see_keeps_a_block_when_it_is_recorded() {
    for schedule in SCHEDULES {
        for recorded in [true, false] {
            within(LONG, move || {
                let pond = Pond::open(schedule);
                let (a, b) = (pond.stream(), pond.stream());
                let closed = pond.park(&b);
                let block = pond.page(&a);
                let address = block.address();
                if recorded {
                    // Any byte of the block will do.
                    b.record_use(address + PAGE - 1).unwrap();
                }
                drop(block);
                assert_eq!(pond.misses(&a, address), recorded, "{schedule:?}");
                closed.open();
                b.synchronize().unwrap();
                assert!(pond.gets(&a, address), "{schedule:?}");
            });
        }
    }
}

/// What a stream does itself need not be seen: the free comes behind it.
#[test]
fn the_order_of_a_free_counts_although_no_work_was_seen_to_use_the_block() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let (a, b) = (pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let block = pond.page(&a);
        let address = block.address();
        a.host_function(|| {}).unwrap();
        drop(block);
        assert!(pond.misses(&b, address), "{schedule:?}: A may use it");
        assert!(pond.gets(&a, address), "{schedule:?}");

        // A block of B that is freed in the order of A: not even B gets it back at once.
        let lent = pond.pool.alloc_at(&b, PAGE).unwrap();
        a.free_at(lent).unwrap();
        assert!(pond.misses(&b, lent), "{schedule:?}: A may use it");
        closed.open();
        a.synchronize().unwrap();
        assert!(pond.gets(&b, lent), "{schedule:?}");
    });
}

#[test]
fn recording_a_use_of_what_is_no_block_is_refused() {
    let pond = Pond::open(Schedule::Eager);
    let stream = pond.stream();
    let block = pond.page(&stream);
    let address = block.address();
    let local = 0_u8;
    for wrong in [
        address - 1,
        address + PAGE,
        std::ptr::from_ref(&local).expose_provenance() as u64,
        0,
        u64::MAX,
    ] {
        assert!(
            matches!(
                stream.record_use(wrong).map_err(|error| *error),
                Err(Error::NotABlock { .. })
            ),
            "{wrong:#x}"
        );
    }
    drop(block);
    assert!(stream.record_use(address).is_err(), "it is freed");
}

#[test]
fn freeing_waits_for_nobody() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let (a, b) = (pond.stream(), pond.stream());
        let (first, second) = (pond.park(&a), pond.park(&b));
        // Freed on its own stream, on another, by nobody's order, and with uses on both.
        let blocks: Vec<_> = (0..3).map(|_| pond.page(&a)).collect();
        for block in &blocks {
            a.fill(block.slice(..64), 1).unwrap();
            b.fill(block.slice(64..128), 1).unwrap();
        }
        let loose = pond.pool.alloc_at(&a, PAGE).unwrap();
        b.free_at(loose).unwrap();
        let loose = pond.pool.alloc_at(&a, PAGE).unwrap();
        b.record_use(loose).unwrap();
        pond.runtime.free_at(loose).unwrap();
        drop(blocks);
        assert_eq!(pond.pool.numbers().unwrap().used, 0, "{schedule:?}");
        let destroyed = pond.pool.destroy();
        assert_eq!(destroyed, Ok(()), "{schedule:?}: nothing is live");
        first.open();
        second.open();
        pond.device.synchronize().unwrap();
    });
}

/// A block of device memory that is freed in the order of a stream.
#[test]
fn device_memory_can_be_freed_in_the_order_of_a_stream() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let (a, b) = (pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let request = millpond::Request::of(PAGE);
        let address = pond.device.alloc_at(request).unwrap();
        // No task names it: only the order of the free keeps it.
        a.free_at(address).unwrap();
        assert_eq!(pond.device.usage().blocks, 0);
        let refused = b.free_at(address).map_err(|error| *error);
        assert!(matches!(refused, Err(Error::NotABlock { .. })));
        let others: Vec<_> = (0..8)
            .map(|_| pond.device.alloc_at(request).unwrap())
            .collect();
        assert!(!others.contains(&address), "{schedule:?}: too early");
        closed.open();
        a.synchronize().unwrap();
        for other in others {
            pond.runtime.free_at(other).unwrap();
        }
    });
}

/// What was handed out before, used, freed and handed out again is named by the queued work of its first
/// life, whatever happens in its second.
#[test]
fn a_block_that_was_never_used_in_its_second_life_still_waits_for_its_first() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let (a, b) = (pond.stream(), pond.stream());
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        let second = pond.pool.alloc_at(&a, PAGE).unwrap();
        assert_eq!(second, address);
        pond.runtime.free_at(second).unwrap();
        assert!(
            pond.misses(&b, address),
            "{schedule:?}: a queued fill of A will write there"
        );
        closed.open();
        a.synchronize().unwrap();
    });
}

#[test]
fn the_same_program_gets_the_same_addresses() {
    // Work runs beside the program, faster or slower; addresses do not depend on it.
    let run = || {
        let pond = Pond::open(Schedule::Eager);
        pond.pool.set_reuse(Reuse::FollowEvents, true).unwrap();
        let streams: Vec<_> = (0..3).map(|_| pond.stream()).collect();
        let event = pond.event();
        let origin = pond.page(&streams[0]).address();
        let mut addresses = Vec::new();
        let mut kept = Vec::new();
        let mut random = 12345_u64;
        for step in 0..600_u32 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let pick = random >> 33;
            let stream = &streams[(pick % 3) as usize];
            let bytes = [100, 5000, 300_000, MIB][(pick / 3 % 4) as usize];
            let block = pond.pool.alloc(stream, bytes).unwrap();
            addresses.push(block.address().wrapping_sub(origin));
            stream.fill(block.all(), 1).unwrap();
            if (pick / 12).is_multiple_of(3) {
                kept.push(block);
            }
            if kept.len() > 4 {
                kept.remove((pick / 36 % 4) as usize);
            }
            match step % 40 {
                13 => stream.record(&event).unwrap(),
                17 => stream.wait_event(&event, None).unwrap(),
                39 => stream.synchronize().unwrap(),
                _ => {}
            }
        }
        addresses
    };
    let first = run();
    let distinct: std::collections::BTreeSet<_> = first.iter().collect();
    assert!(distinct.len() < first.len() / 4, "memory is reused");
    for again in 0..5 {
        assert_eq!(run(), first, "run {again}");
    }
}

/// A program that never synchronises does not get new memory forever.
#[test]
fn much_memory_that_waits_is_asked_for() {
    within(LONG, || {
        let runtime = Runtime::new(config(Schedule::Eager)).unwrap();
        let device = runtime.device(0).unwrap();
        let pool = device.create_pool(Some(128 * MIB)).unwrap();
        let (a, b) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        for _ in 0..60 {
            let block = pool.alloc(&a, 32 * MIB).unwrap();
            b.fill(block.slice(..512), 1).unwrap();
            // It has passed, but nobody in the runtime has been told.
            let (done, sets) = flag();
            b.host_function(sets).unwrap();
            assert!(comes_true(LONG, || is_set(&done)));
        }
        assert!(pool.statistics().unwrap().reserved <= 512 * MIB);
        device.synchronize().unwrap();
    });
}

#[test]
fn under_the_latest_schedule_a_query_tells_what_it_ran() {
    promptly(
        || (),
        |()| {
            let pond = Pond::open(Schedule::Latest);
            let (a, b) = (pond.stream(), pond.stream());
            let address = pond.spent(&a);
            assert!(pond.misses(&b, address), "nothing has run");
            assert!(comes_true(LONG, || a.is_done()));
            assert!(pond.gets(&b, address));
        },
    );
}

/// A stream that waits for an event that is recorded later knows nothing of what came before.
#[test]
fn a_wait_that_came_before_the_record_learns_nothing_wrong() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        pond.pool.set_reuse(Reuse::FollowEvents, true).unwrap();
        let (a, b) = (pond.stream(), pond.stream());
        let ahead = gate(&pond.runtime);
        b.wait_event(&ahead, None).unwrap();
        let closed = pond.park(&a);
        let address = pond.spent(&a);
        assert!(pond.misses(&b, address), "{schedule:?}: it is not recorded");
        a.record(&ahead).unwrap();
        // It would be allowed now; what matters is that the data stays right, which the model
        // checks. A second wait learns it in any case.
        b.wait_event(&ahead, None).unwrap();
        assert!(pond.gets(&b, address), "{schedule:?}");
        closed.open();
        pond.device.synchronize().unwrap();
    });
}
