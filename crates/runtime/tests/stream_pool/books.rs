//! Numbers: limits, peaks, what is set aside, and what the device says about it.

use millpond::{Error, PoolNumbers, Reuse, Schedule};

use crate::common::{MIB, open, open_under_every_schedule, under_every_schedule};
use crate::{PAGE, Pond};

const RIGHTS: [Reuse; 3] = [
    Reuse::FollowEvents,
    Reuse::Opportunistic,
    Reuse::InternalWaits,
];

#[test]
fn a_new_pool_has_its_limit_and_nothing_else() {
    let (_runtime, device) = open(Schedule::Eager);
    for (asked, limit) in [
        (None, 256 * MIB),
        (Some(1), PAGE),
        (Some(PAGE), PAGE),
        (Some(PAGE + 1), 2 * PAGE),
        (Some(256 * MIB), 256 * MIB),
    ] {
        let pool = device.create_pool(asked).unwrap();
        let expected = PoolNumbers {
            limit,
            ..PoolNumbers::default()
        };
        assert_eq!(pool.numbers(), Ok(expected), "{asked:?}");
        for right in RIGHTS {
            assert_eq!(pool.reuse(right), Ok(false), "{asked:?}: {right:?}");
        }
        pool.destroy().unwrap();
    }
    for wrong in [0, 256 * MIB + 1, u64::MAX - 1, u64::MAX] {
        assert!(
            matches!(
                device.create_pool(Some(wrong)),
                Err(Error::PoolBounds { .. })
            ),
            "{wrong}"
        );
    }
    assert_eq!(device.usage().charged, 0, "a pool costs nothing by itself");
}

#[test]
fn switches_are_independent() {
    let pond = Pond::open(Schedule::Eager);
    for on in RIGHTS {
        pond.pool.set_reuse(on, true).unwrap();
        for right in RIGHTS {
            assert_eq!(pond.pool.reuse(right), Ok(right == on));
        }
        pond.pool.set_reuse(on, false).unwrap();
    }
}

#[test]
fn used_and_reserved_are_told_in_whole_pages_per_block() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let stream = pond.stream();
        let numbers = || {
            let now = pond.pool.numbers().unwrap();
            let pages = [now.used, now.used_high, now.reserved, now.reserved_high];
            pages.map(|bytes| {
                assert!(bytes.is_multiple_of(PAGE));
                bytes / PAGE
            })
        };
        let small = pond.pool.alloc(&stream, 1).unwrap();
        assert_eq!(numbers(), [1, 1, 1, 1], "{schedule:?}");
        let large = pond.pool.alloc(&stream, 2 * PAGE + 1).unwrap();
        assert_eq!(numbers(), [4, 4, 4, 4]);
        drop(large);
        assert_eq!(numbers(), [1, 4, 4, 4], "freed at once, kept until later");
        let again = pond.pool.alloc(&stream, PAGE).unwrap();
        assert_eq!(numbers(), [2, 4, 4, 4], "what is set aside is used first");
        pond.pool.reset_used_high().unwrap();
        assert_eq!(numbers(), [2, 2, 4, 4]);
        stream.synchronize().unwrap();
        assert_eq!(numbers(), [2, 2, 2, 4], "the threshold is 0");
        pond.pool.reset_reserved_high().unwrap();
        assert_eq!(numbers(), [2, 2, 2, 2]);
        drop((small, again));
        assert_eq!(numbers(), [0, 2, 2, 2]);
        pond.device.synchronize().unwrap();
        assert_eq!(numbers(), [0, 2, 0, 2], "{schedule:?}");
    });
}

#[test]
fn a_synchronisation_keeps_what_the_threshold_says() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let stream = pond.stream();
        let reserved = || pond.pool.numbers().unwrap().reserved / PAGE;
        let too_much = pond.pool.set_release_threshold(16 * PAGE + 1);
        assert!(matches!(too_much, Err(Error::PoolBounds { .. })));
        pond.pool.set_release_threshold(16 * PAGE).unwrap();
        drop(pond.pool.alloc(&stream, 10 * PAGE).unwrap());
        stream.synchronize().unwrap();
        assert_eq!(reserved(), 10, "{schedule:?}");
        pond.pool.set_release_threshold(3 * PAGE).unwrap();
        assert_eq!(reserved(), 10, "only a synchronisation gives back");
        assert!(stream.is_done());
        assert_eq!(reserved(), 10, "a query is none");
        stream.synchronize().unwrap();
        assert_eq!(reserved(), 3);
        let block = pond.pool.alloc(&stream, 5 * PAGE).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(reserved(), 5, "what is used stays");
        drop(block);
        pond.pool.set_release_threshold(0).unwrap();
        pond.device.synchronize().unwrap();
        assert_eq!(reserved(), 0, "{schedule:?}");
    });
}

#[test]
fn the_limit_is_exact() {
    let pond = Pond::open(Schedule::Eager);
    let (a, b) = (pond.stream(), pond.stream());
    let full = |bytes| {
        let error = pond.pool.alloc(&b, bytes).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    };
    // One byte each, on two streams in turn: every block counts a page.
    let mut blocks: Vec<_> = (0..16)
        .map(|n| pond.pool.alloc([&a, &b][n % 2], 1).unwrap())
        .collect();
    full(1);
    assert_eq!(pond.pool.numbers().unwrap().used, 16 * PAGE);
    blocks.pop();
    full(PAGE + 1);
    blocks.push(pond.pool.alloc(&b, PAGE).unwrap());
    full(1);
    blocks.clear();
    let whole = pond.pool.alloc(&a, 16 * PAGE).unwrap();
    full(1);
    drop(whole);
    full(16 * PAGE + 1);
    for absurd in [u64::MAX, u64::MAX - 31, u64::MAX - PAGE, 1 << 63] {
        assert!(pond.pool.alloc(&a, absurd).is_err(), "{absurd}");
    }
    assert_eq!(
        pond.pool.alloc(&a, 0).unwrap_err(),
        Error::BadSize { requested: 0 }
    );
    let numbers = pond.pool.numbers().unwrap();
    assert_eq!((numbers.used, numbers.used_high), (0, 16 * PAGE));
}

#[test]
fn a_full_pool_says_where_its_memory_is() {
    let pond = Pond::open(Schedule::Eager);
    let (a, b) = (pond.stream(), pond.stream());
    let closed = pond.park(&b);
    let waiting = pond.pool.alloc(&a, 3 * PAGE).unwrap();
    b.fill(waiting.slice(..64), 1).unwrap();
    drop(waiting);
    let large = pond.pool.alloc(&a, 9 * PAGE).unwrap();
    let small = pond.pool.alloc(&a, 5000).unwrap();
    let error = pond.pool.alloc(&a, 8 * PAGE).unwrap_err();
    let text = error.to_string();
    let Error::OutOfMemory {
        requested,
        charge,
        free,
        capacity,
        ..
    } = error
    else {
        panic!("{text}");
    };
    assert_eq!(
        (requested, charge, free, capacity),
        (8 * PAGE, 8 * PAGE, 6 * PAGE, 16 * PAGE)
    );
    for part in [
        "live: 20 MiB in 2 blocks, peak 20 MiB".to_owned(),
        "reserved: 26 MiB".to_owned(),
        "largest free range: ".to_owned(),
        format!(
            "freed on stream {} and waiting for queued work: 6 MiB in 1 block",
            a.id()
        ),
        format!("largest blocks: {:#x} (18 MiB)", large.address()),
        format!("{:#x} (5000 bytes)", small.address()),
    ] {
        assert!(text.contains(&part), "'{part}' is not in: {text}");
    }
    closed.open();
    pond.device.synchronize().unwrap();
}

#[test]
fn a_full_device_says_where_its_memory_is() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let gate = crate::common::gate(&runtime);
    stream.wait_event(&gate, None).unwrap();
    let waiting = device.alloc(30 * MIB).unwrap();
    stream.fill(waiting.slice(..64), 1).unwrap();
    drop(waiting);
    let large = device.alloc(200 * MIB).unwrap();
    let small = device.alloc(40 * MIB).unwrap();
    let text = device.alloc(20 * MIB).unwrap_err().to_string();
    for part in [
        "20971520 bytes were requested".to_owned(),
        "16777216 of 268435456 bytes are free".to_owned(),
        "live: 240 MiB in 2 blocks, peak 240 MiB".to_owned(),
        "reserved: 270 MiB".to_owned(),
        "largest free range: ".to_owned(),
        "freed by the program and waiting for queued work: 30 MiB in 1 block".to_owned(),
        format!(
            "largest blocks: {:#x} (200 MiB) {:#x} (40 MiB)",
            large.address(),
            small.address()
        ),
    ] {
        assert!(text.contains(&part), "'{part}' is not in: {text}");
    }
    stream.abort();
}

#[test]
fn the_device_counts_what_pools_have_set_aside() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        let (first, second) = (
            device.create_pool(None).unwrap(),
            device.create_pool(None).unwrap(),
        );
        let free = || device.usage().free() / MIB;
        let block = first.alloc(&stream, 100 * MIB).unwrap();
        assert_eq!((free(), device.usage().charged_huge), (156, 100 * MIB));
        assert_eq!(device.usage().blocks, 0, "its blocks are the pool's");
        let own = device.alloc(100 * MIB).unwrap();
        assert_eq!(free(), 56, "{schedule:?}");
        // Neither gets more than is left, whatever its own limit says.
        let error = second.alloc(&stream, 57 * MIB).unwrap_err();
        assert!(error.to_string().contains("device has no more room"));
        assert!(device.alloc(57 * MIB).is_err());
        let other = second.alloc(&stream, 56 * MIB).unwrap();
        assert_eq!(free(), 0);
        assert!(device.alloc(1).is_err());
        drop(other);
        drop(block);
        assert_eq!(free(), 0, "kept until something is waited for");
        stream.synchronize().unwrap();
        assert_eq!(free(), 156, "{schedule:?}");
        drop(own);
        let whole = second.alloc(&stream, 256 * MIB).unwrap();
        assert_eq!(free(), 0);
        drop(whole);
        second.trim_to(0).unwrap();
        assert_eq!(free(), 256);
        let peak = device.usage().peak;
        assert_eq!(peak, 256 * MIB, "{schedule:?}");
    });
}

/// The manual: before an allocation is refused, what pools do not use is given back, and it is tried
/// again.
#[test]
fn nobody_is_refused_memory_that_pools_only_keep() {
    open_under_every_schedule(|_, _runtime, device| {
        let stream = device.create_stream().unwrap();
        let keeps = device.create_pool(None).unwrap();
        let wants = device.create_pool(None).unwrap();
        keeps.set_release_threshold(256 * MIB).unwrap();
        let fill = || {
            let live = keeps.alloc(&stream, 10 * MIB).unwrap();
            drop(keeps.alloc(&stream, 246 * MIB).unwrap());
            assert_eq!(device.usage().free(), 0);
            live
        };
        let live = fill();
        let block = device.alloc(246 * MIB).unwrap();
        assert_eq!(keeps.numbers().unwrap().reserved, 10 * MIB);
        assert!(device.alloc(1).is_err(), "what is used stays");
        drop(block);
        drop(live);

        let live = fill();
        let block = wants.alloc(&stream, 200 * MIB).unwrap();
        assert!(keeps.numbers().unwrap().reserved <= 56 * MIB);
        drop((live, block));
    });
}

#[test]
fn trimming_gives_back_what_is_not_used_and_checks_its_number() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let stream = pond.stream();
        let numbers = || pond.pool.numbers().unwrap();
        let live = pond.pool.alloc(&stream, 2 * PAGE).unwrap();
        let large = pond.pool.alloc(&stream, 6 * PAGE).unwrap();
        stream.fill(large.all(), 1).unwrap();
        stream.fill(live.all(), 3).unwrap();
        stream.synchronize().unwrap();
        drop(large);
        for wrong in [0, 2 * PAGE - 1, 16 * PAGE + 1, u64::MAX] {
            let trimmed = pond.pool.trim_to(wrong);
            assert!(
                matches!(trimmed, Err(Error::PoolBounds { .. })),
                "{schedule:?}: {wrong}"
            );
        }
        assert_eq!(numbers().reserved, 8 * PAGE, "a refusal changes nothing");
        for enough in [8 * PAGE, 9 * PAGE, 16 * PAGE] {
            pond.pool.trim_to(enough).unwrap();
            assert_eq!(numbers().reserved, 8 * PAGE);
        }
        pond.pool.trim_to(5 * PAGE).unwrap();
        assert_eq!(numbers().reserved, 5 * PAGE);
        pond.pool.trim_to(2 * PAGE).unwrap();
        assert_eq!((numbers().used, numbers().reserved), (2 * PAGE, 2 * PAGE));
        assert_eq!(pond.pool.statistics().unwrap().reserved, 2 * PAGE);
        assert_eq!(pond.device.usage().charged, 2 * PAGE);
        // What is live is untouched.
        let mut host = pond.runtime.alloc_host(2 * PAGE).unwrap();
        stream.copy(host.all(), live.all()).unwrap();
        stream.synchronize().unwrap();
        assert!(host.bytes().unwrap().iter().all(|byte| *byte == 3));
    });
}

/// Trimming must not take pages away under work that is queued.
#[test]
fn trimming_leaves_what_queued_work_names() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let stream = pond.stream();
        let mut host = pond.runtime.alloc_host(PAGE).unwrap();
        let block = pond.page(&stream);
        let closed = pond.park(&stream);
        stream.fill(block.all(), 5).unwrap();
        stream.copy(host.all(), block.all()).unwrap();
        drop(block);
        pond.pool.trim_to(0).unwrap();
        assert_eq!(pond.pool.numbers().unwrap().reserved, 0, "{schedule:?}");
        assert_eq!(pond.device.usage().charged, 0);
        closed.open();
        stream.synchronize().unwrap();
        assert!(host.bytes().unwrap().iter().all(|byte| *byte == 5));
    });
}

#[test]
fn statistics_tell_streams_and_sizes_apart() {
    let pond = Pond::open(Schedule::Eager);
    let (a, b) = (pond.stream(), pond.stream());
    let closed = pond.park(&b);
    let first = pond.pool.alloc(&a, 1000).unwrap();
    let second = pond.pool.alloc(&a, PAGE).unwrap();
    let third = pond.pool.alloc(&b, 512).unwrap();
    b.fill(second.slice(..1), 1).unwrap();
    drop(second);
    let all = pond.pool.statistics().unwrap();
    assert_eq!(
        (all.charged, all.peak, all.limit, all.blocks),
        (2 * PAGE, 3 * PAGE, 16 * PAGE, 2)
    );
    let of = |id| {
        let mut found = all.streams.iter().filter(move |part| part.stream == id);
        let part = found.next().unwrap();
        assert!(found.next().is_none(), "one part for a stream");
        part
    };
    let part = of(a.id());
    assert_eq!((part.bytes.current, part.bytes.peak), (PAGE, 2 * PAGE));
    assert_eq!(part.bytes.total, 1024 + PAGE);
    assert_eq!((part.pending, part.kept), ((1, PAGE), 0));
    for (class, count) in part.classes.iter().enumerate() {
        let expected = match class {
            10 => (1, 1, 1),
            21 => (0, 1, 1),
            _ => (0, 0, 0),
        };
        assert_eq!(
            (count.current, count.peak, count.total),
            expected,
            "class {class}"
        );
    }
    assert_eq!(of(b.id()).bytes.total, 512);
    drop((first, third));
    closed.open();
    pond.device.synchronize().unwrap();
}

#[test]
fn a_new_stream_starts_with_no_counts() {
    let pond = Pond::open(Schedule::Eager);
    let old = pond.stream();
    drop(pond.page(&old));
    old.destroy().unwrap();
    drop(old);
    // Whatever is left of it goes.
    pond.pool.trim_to(0).unwrap();
    let new = pond.stream();
    let block = pond.pool.alloc(&new, 100).unwrap();
    let all = pond.pool.statistics().unwrap();
    let part = all.streams.iter().find(|part| part.stream == new.id());
    let part = part.unwrap();
    assert_eq!(part.bytes.total, 512, "what the stream itself was handed");
    assert_eq!(part.bytes.peak, PAGE);
    assert_eq!(part.classes[21].total, 0);
    drop(block);
}

/// Small blocks of two streams are on one page. When both are done the page is idle.
#[test]
fn a_page_that_two_streams_shared_goes_back() {
    let pond = Pond::open(Schedule::Eager);
    let (a, b) = (pond.stream(), pond.stream());
    let blocks = [
        pond.pool.alloc(&a, 1000).unwrap(),
        pond.pool.alloc(&b, 1000).unwrap(),
    ];
    assert_eq!(pond.pool.statistics().unwrap().reserved, PAGE, "they share");
    drop(blocks);
    pond.device.synchronize().unwrap();
    pond.pool.destroy().unwrap();
    let next = pond.device.create_pool(Some(16 * PAGE)).unwrap();
    assert_eq!(next.statistics().unwrap().reserved, 0, "nobody uses any");
}
