//! Beginnings and ends: of pools, of streams that have blocks, of the device.
#![expect(
    unsafe_code,
    reason = "dereferences device addresses, which unified mode allows"
)]

use millpond::{Config, Error, Runtime, Schedule};

use crate::common::{LONG, MIB, config, open, under_every_schedule, within};
use crate::{PAGE, Pond};

#[test]
fn a_pool_with_live_blocks_is_not_destroyed() {
    let pond = Pond::open(Schedule::Eager);
    let stream = pond.stream();
    let blocks = [pond.page(&stream), pond.page(&stream)];
    assert_eq!(pond.pool.destroy(), Err(Error::PoolInUse { blocks: 2 }));
    stream.fill(blocks[0].all(), 1).unwrap();
    drop(pond.page(&stream));
    drop(blocks);
    pond.pool.destroy().unwrap();
    assert_eq!(pond.pool.destroy(), Err(Error::PoolGone));
    stream.synchronize().unwrap();
    assert_eq!(pond.device.usage().charged, 0);
}

#[test]
fn a_destroyed_pool_refuses_everything_also_when_its_addresses_serve_another() {
    let pond = Pond::open(Schedule::Eager);
    let stream = pond.stream();
    pond.pool.destroy().unwrap();
    let check = || {
        let pool = &pond.pool;
        assert_eq!(pool.alloc(&stream, 1).unwrap_err(), Error::PoolGone);
        assert_eq!(*pool.alloc_at(&stream, 1).unwrap_err(), Error::PoolGone);
        assert_eq!(pool.numbers(), Err(Error::PoolGone));
        assert!(pool.statistics().is_err());
        assert_eq!(pool.trim_to(0), Err(Error::PoolGone));
        assert_eq!(pool.set_release_threshold(0), Err(Error::PoolGone));
        let right = millpond::Reuse::FollowEvents;
        assert_eq!(pool.set_reuse(right, true), Err(Error::PoolGone));
        assert_eq!(pool.reuse(right), Err(Error::PoolGone));
        assert_eq!(pool.reset_used_high(), Err(Error::PoolGone));
        assert_eq!(pool.reset_reserved_high(), Err(Error::PoolGone));
        assert_eq!(pool.destroy(), Err(Error::PoolGone));
    };
    check();
    let other = pond.device.create_pool(Some(16 * PAGE)).unwrap();
    assert_ne!(other.id(), pond.pool.id());
    let block = other.alloc(&stream, 100).unwrap();
    check();
    drop(block);
    other.destroy().unwrap();
}

#[test]
fn a_new_pool_knows_nothing_of_the_one_whose_addresses_it_has() {
    let pond = Pond::open(Schedule::Eager);
    let stream = pond.stream();
    pond.pool
        .set_reuse(millpond::Reuse::Opportunistic, true)
        .unwrap();
    pond.pool.set_release_threshold(PAGE).unwrap();
    drop(pond.pool.alloc(&stream, 5 * PAGE).unwrap());
    pond.pool.destroy().unwrap();
    let pool = pond.device.create_pool(Some(16 * PAGE)).unwrap();
    assert_eq!(
        pool.numbers().unwrap(),
        millpond::PoolNumbers {
            limit: 16 * PAGE,
            ..millpond::PoolNumbers::default()
        }
    );
    assert_eq!(pool.reuse(millpond::Reuse::Opportunistic), Ok(false));
    let numbers = pool.statistics().unwrap();
    assert_eq!((numbers.charged, numbers.peak, numbers.blocks), (0, 0, 0));
}

#[test]
fn a_new_pool_has_no_counts_of_the_one_whose_addresses_it_has() {
    let pond = Pond::open(Schedule::Eager);
    let stream = pond.stream();
    drop(pond.pool.alloc(&stream, 5 * PAGE).unwrap());
    pond.pool.destroy().unwrap();
    let pool = pond.device.create_pool(Some(16 * PAGE)).unwrap();
    let numbers = pool.statistics().unwrap();
    assert_eq!(numbers.peak_reserved, 0);
    assert!(numbers.streams.iter().all(|part| part.bytes.total == 0));
}

/// Memory of a destroyed pool that queued work still names is nobody else's before that has passed.
#[test]
fn a_new_pool_does_not_get_what_queued_work_of_the_last_one_names() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let (a, b) = (pond.stream(), pond.stream());
        let mut host = pond.runtime.alloc_host(PAGE).unwrap();
        let block = pond.page(&a);
        a.fill(block.all(), 1).unwrap();
        a.synchronize().unwrap();
        let closed = pond.park(&a);
        a.copy(host.all(), block.all()).unwrap();
        let address = block.address();
        drop(block);
        pond.pool.destroy().unwrap();

        let next = Pond {
            pool: pond.device.create_pool(Some(16 * PAGE)).unwrap(),
            runtime: pond.runtime.clone(),
            device: pond.device.clone(),
        };
        assert!(next.misses(&b, address), "{schedule:?}: A's copy reads it");
        let taken: Vec<_> = (0..16).map(|_| next.page(&b)).collect();
        for block in &taken {
            b.fill(block.all(), 9).unwrap();
        }
        b.synchronize().unwrap();
        closed.open();
        a.synchronize().unwrap();
        assert!(host.bytes().unwrap().iter().all(|byte| *byte == 1));
    });
}

#[test]
fn a_stream_may_go_while_its_blocks_live() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let other = pond.stream();
        let stream = pond.stream();
        let block = pond.page(&stream);
        let loose = pond.pool.alloc_at(&stream, PAGE).unwrap();
        let spent = pond.spent(&stream);
        stream.destroy().unwrap();
        drop(stream);
        // The block still has its stream; it is used and freed as before.
        other.fill(block.all(), 1).unwrap();
        assert_eq!(pond.pool.numbers().unwrap().used, 2 * PAGE);
        drop(block);
        other.free_at(loose).unwrap();
        other.synchronize().unwrap();
        assert_eq!(pond.pool.numbers().unwrap().used, 0, "{schedule:?}");
        assert!(pond.gets(&other, loose), "{schedule:?}");
        assert!(pond.gets(&other, spent), "{schedule:?}");
    });
}

#[test]
fn a_stream_that_is_thrown_away_gives_its_memory_to_others() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        let (stream, other) = (pond.stream(), pond.stream());
        let _closed = pond.park(&stream);
        let address = pond.spent(&stream);
        let shared = pond.page(&other);
        stream.fill(shared.all(), 1).unwrap();
        let waits = shared.address();
        drop(shared);
        assert!(pond.misses(&other, address), "{schedule:?}");
        assert!(pond.misses(&other, waits), "{schedule:?}");
        stream.destroy_force();
        drop(stream);
        // A worker may still be on its way out of it.
        let mut got = false;
        for count in 5..16 {
            got = pond.among(count, &other, address) && pond.among(count, &other, waits);
            if got {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(got, "{schedule:?}");
    });
}

/// A pool has parts for 65,535 streams, and looks at all of them when it is short of memory.
#[test]
fn streams_that_are_gone_leave_nothing_behind_in_a_pool() {
    within(2 * LONG, || {
        let pond = Pond::open(Schedule::Eager);
        for round in 0..4000_u32 {
            let stream = pond.stream();
            let block = pond.pool.alloc(&stream, 4096);
            let block = block.unwrap_or_else(|error| panic!("stream {round}: {error}"));
            drop(block);
        }
        let parts = pond.pool.statistics().unwrap().streams.len();
        assert!(parts < 100, "{parts} parts");
        assert!(pond.pool.statistics().unwrap().reserved <= 2 * PAGE);
    });
}

#[test]
fn a_reset_of_the_device_frees_blocks_of_pools_and_what_they_set_aside() {
    under_every_schedule(|schedule| {
        let pond = Pond::open(schedule);
        pond.pool.set_release_threshold(16 * PAGE).unwrap();
        let stream = pond.stream();
        let block = pond.page(&stream);
        let loose = pond.pool.alloc_at(&stream, 3 * PAGE).unwrap();
        let _closed = pond.park(&stream);
        stream.fill(block.all(), 1).unwrap();
        assert_eq!(pond.device.usage().charged, 4 * PAGE);
        pond.device.reset().unwrap();
        let usage = pond.device.usage();
        assert_eq!(
            (usage.charged, usage.free()),
            (0, usage.capacity),
            "{schedule:?}"
        );
        let numbers = pond.pool.numbers().unwrap();
        assert_eq!((numbers.used, numbers.reserved), (0, 0), "{schedule:?}");
        let again = pond.stream();
        let refused = again.free_at(loose).map_err(|error| *error);
        assert!(matches!(refused, Err(Error::NotABlock { .. })));

        // The pool serves on.
        let new = pond.pool.alloc(&again, 16 * PAGE).unwrap();
        drop(block);
        assert_eq!(pond.pool.numbers().unwrap().used, 16 * PAGE);
        again.fill(new.all(), 2).unwrap();
        again.synchronize().unwrap();
        drop(new);
        pond.pool.destroy().unwrap();
    });
}

#[test]
fn blocks_of_a_pool_are_freed_once() {
    let pond = Pond::open(Schedule::Eager);
    let (a, b) = (pond.stream(), pond.stream());
    let refused = |outcome: Result<(), Box<Error>>| match outcome.map_err(|error| *error) {
        Err(Error::NotABlock { inside, .. }) => inside,
        other => panic!("{other:?}"),
    };
    let address = pond.pool.alloc_at(&a, PAGE).unwrap();
    assert_eq!(refused(a.free_at(address + 512)), Some(address));
    assert_eq!(refused(pond.runtime.free_at(address + 1)), Some(address));
    assert_eq!(refused(a.free_at(address + PAGE)), None);
    a.free_at(address).unwrap();
    assert_eq!(refused(a.free_at(address)), None);
    assert_eq!(refused(b.free_at(address)), None);
    assert_eq!(refused(pond.runtime.free_at(address)), None);
    let local = 0_u8;
    let foreign = std::ptr::from_ref(&local).expose_provenance() as u64;
    assert_eq!(refused(a.free_at(foreign)), None);
    let pinned = pond.runtime.alloc_host_at(100).unwrap();
    let wrong = a.free_at(pinned).map_err(|error| *error);
    assert!(matches!(wrong, Err(Error::WrongSpace { .. })));
    pond.runtime.free_host_at(pinned).unwrap();
    // A block that was freed by its address is not freed again by its owner, also if the bytes are
    // another's by then.
    let block = pond.page(&a);
    a.free_at(block.address()).unwrap();
    let other = pond.page(&a);
    assert_eq!(other.address(), block.address());
    drop(block);
    assert_eq!(pond.pool.numbers().unwrap().used, PAGE);
    drop(other);
}

#[test]
fn a_block_of_a_pool_is_known_by_any_of_its_addresses() {
    let pond = Pond::open(Schedule::Eager);
    let stream = pond.stream();
    let block = pond.pool.alloc(&stream, 5000).unwrap();
    let found = pond.runtime.find_block(block.address() + 4999).unwrap();
    assert_eq!(found, *block.info());
    assert_eq!(found.pages, millpond::PageKind::Huge);
    assert_eq!(found.requested, 5000);
    assert!(pond.runtime.find_block(block.address() - 1).is_err());
    assert!(block.address().is_multiple_of(512));
    let address = block.address();
    drop(block);
    assert!(pond.runtime.find_block(address).is_err());
}

#[test]
fn in_unified_mode_the_program_touches_memory_of_pools_by_its_address() {
    if crate::common::skipped_on_gpu("the program cannot touch its memory") {
        return;
    }
    let runtime = Runtime::new(Config {
        unified: true,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let device = runtime.device(0).unwrap();
    let pool = device.create_pool(Some(16 * PAGE)).unwrap();
    let stream = device.create_stream().unwrap();
    let block = pool.alloc(&stream, 4096).unwrap();
    stream.fill(block.all(), 7).unwrap();
    stream.synchronize().unwrap();
    let address = usize::try_from(block.address()).unwrap();
    let start = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: in unified mode the block's bytes are at its address; it lives until the end of this
    // function and no queued work names it.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start, 4096) };
    assert!(bytes.iter().all(|byte| *byte == 7));
    bytes.fill(8);
    let mut host = runtime.alloc_host(4096).unwrap();
    stream.copy(host.all(), block.all()).unwrap();
    stream.synchronize().unwrap();
    assert!(host.bytes().unwrap().iter().all(|byte| *byte == 8));
}

#[test]
fn pools_of_two_devices_count_against_their_own() {
    let runtime = Runtime::new(Config {
        devices: 2,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let devices = [runtime.device(0).unwrap(), runtime.device(1).unwrap()];
    let pools = devices.each_ref().map(|d| d.create_pool(None).unwrap());
    let streams = devices.each_ref().map(|d| d.create_stream().unwrap());
    let charged = || {
        devices
            .each_ref()
            .map(|device| device.usage().charged / MIB)
    };
    let first = pools[0].alloc(&streams[0], 30 * MIB).unwrap();
    let second = pools[1].alloc(&streams[1], 50 * MIB).unwrap();
    assert_eq!(charged(), [30, 50]);
    assert_eq!((pools[0].device_index(), pools[1].device_index()), (0, 1));
    drop(second);
    devices[0].synchronize().unwrap();
    assert_eq!(charged(), [30, 50], "something of the other was waited for");
    devices[1].synchronize().unwrap();
    assert_eq!(charged(), [30, 0]);
    // A destroyed pool's addresses serve only its own device.
    pools[1].destroy().unwrap();
    let third = devices[0].create_pool(None).unwrap();
    assert_eq!(third.device_index(), 0);
    drop(first);
}

#[test]
fn a_runtime_that_is_dropped_drops_its_pools() {
    let (runtime, device) = open(Schedule::Eager);
    let pool = device.create_pool(None).unwrap();
    let stream = device.create_stream().unwrap();
    let block = pool.alloc(&stream, PAGE).unwrap();
    stream.fill(block.all(), 1).unwrap();
    drop((runtime, device, pool));
    stream.synchronize().unwrap();
    drop(stream);
    drop(block);
}
