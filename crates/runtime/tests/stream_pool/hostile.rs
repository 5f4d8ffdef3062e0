//! Many threads, many pools, and calls at the worst moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use millpond::{Config, Error, MemoryPool, Runtime, Schedule};

use crate::common::{LONG, MIB, config, open, within};
use crate::{PAGE, Pond};

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Each thread has a stream, writes its own number into its blocks and reads it again.
#[test]
fn threads_that_hammer_one_pool_never_share_bytes() {
    within(2 * LONG, || {
        let (runtime, device) = open(Schedule::Eager);
        let pool = device.create_pool(Some(64 * MIB)).unwrap();
        pool.set_reuse(millpond::Reuse::FollowEvents, true).unwrap();
        pool.set_reuse(millpond::Reuse::Opportunistic, true)
            .unwrap();
        let (threads, rounds) = (4_u8, 400);
        thread::scope(|scope| {
            for number in 1..=threads {
                let (runtime, device, pool) = (&runtime, &device, &pool);
                scope.spawn(move || {
                    let stream = device.create_stream().unwrap();
                    let mut host = runtime.alloc_host(4096).unwrap();
                    let mut random = Random(u64::from(number) * 7919);
                    let mut kept = Vec::new();
                    for round in 0..rounds {
                        let bytes = 1 + random.below([4096, 100_000, MIB][round % 3]);
                        let block = match pool.alloc(&stream, bytes) {
                            Ok(block) => block,
                            Err(Error::OutOfMemory { .. }) => {
                                kept.clear();
                                continue;
                            }
                            Err(other) => panic!("{other}"),
                        };
                        let part = bytes.min(4096);
                        stream.fill(block.slice(..part), number).unwrap();
                        kept.push((block, part));
                        if kept.len() > 6 {
                            let at = random.below(kept.len() as u64);
                            let (block, part) = kept.swap_remove(usize::try_from(at).unwrap());
                            stream
                                .copy(host.slice(..part), block.slice(..part))
                                .unwrap();
                            drop(block);
                            if round % 4 == 0 {
                                stream.synchronize().unwrap();
                                let part = usize::try_from(part).unwrap();
                                let bytes = &host.bytes().unwrap()[..part];
                                assert!(
                                    bytes.iter().all(|byte| *byte == number),
                                    "thread {number}, round {round}"
                                );
                            }
                        }
                        match random.below(40) {
                            // Refused while others use more: both are right.
                            0 => drop(pool.trim_to(random.below(65) * MIB)),
                            1 => drop(pool.statistics().unwrap()),
                            2 => assert!(device.usage().charged <= 256 * MIB),
                            3 => pool.set_release_threshold(random.below(65) * MIB).unwrap(),
                            _ => {}
                        }
                        let numbers = pool.numbers().unwrap();
                        assert!(numbers.used <= numbers.limit);
                    }
                });
            }
        });
        device.synchronize().unwrap();
        let numbers = pool.numbers().unwrap();
        assert_eq!(numbers.used, 0);
        pool.trim_to(0).unwrap();
        assert_eq!(device.usage().charged, 0);
        pool.destroy().unwrap();
    });
}

/// What is charged can never be less than nothing, whoever asks when.
#[test]
fn numbers_can_be_asked_for_while_threads_allocate() {
    within(LONG, || {
        let (_runtime, device) = open(Schedule::Eager);
        let pool = device.create_pool(None).unwrap();
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let stream = device.create_stream().unwrap();
                    while !stop.load(Ordering::Relaxed) {
                        drop(device.alloc(MIB).unwrap());
                        drop(device.alloc(4 * MIB).unwrap());
                        drop(pool.alloc(&stream, PAGE).unwrap());
                        pool.trim_to(pool.numbers().unwrap().limit).unwrap();
                    }
                });
            }
            for _ in 0..3000 {
                let usage = device.usage();
                assert!(usage.charged_huge <= usage.capacity);
                assert!(usage.free() <= usage.capacity);
                drop(device.statistics());
            }
            stop.store(true, Ordering::Relaxed);
        });
    });
}

#[test]
fn pools_come_and_go_without_end() {
    within(3 * LONG, || {
        let (_runtime, device) = open(Schedule::Eager);
        let stream = device.create_stream().unwrap();
        for round in 0..10_000_u64 {
            // Of many sizes: none but the last is there.
            let pool = device.create_pool(Some((1 + round % 100) * PAGE));
            let pool = pool.unwrap_or_else(|error| panic!("pool {round}: {error}"));
            if round % 10 == 0 {
                let block = pool.alloc(&stream, PAGE).unwrap();
                stream.fill(block.slice(..64), 1).unwrap();
            }
            pool.destroy().unwrap();
        }
        stream.synchronize().unwrap();
        assert_eq!(device.usage().charged, 0);
    });
}

#[test]
fn pools_of_more_sizes_than_there_may_be_pools_come_and_go() {
    within(LONG, || {
        let runtime = Runtime::new(Config {
            capacity: 4096 * MIB,
            ..config(Schedule::Eager)
        })
        .unwrap();
        let device = runtime.device(0).unwrap();
        for pages in 1..=600 {
            let pool = device.create_pool(Some(pages * PAGE));
            let pool = pool.unwrap_or_else(|error| panic!("{pages} pages: {error}"));
            assert_eq!(pool.numbers().unwrap().limit, pages * PAGE);
            pool.destroy().unwrap();
        }
    });
}

#[test]
fn too_many_pools_at_once_are_refused_with_a_sentence() {
    within(LONG, || {
        let (_runtime, device) = open(Schedule::Eager);
        let mut pools: Vec<MemoryPool> = Vec::new();
        let error = loop {
            match device.create_pool(Some((1 + pools.len() as u64 % 3) * PAGE)) {
                Ok(pool) => pools.push(pool),
                Err(error) => break error,
            }
            assert!(pools.len() <= 300, "no limit in sight");
        };
        assert_eq!(error, Error::TooManyPools { limit: 256 });
        assert_eq!(
            error.to_string(),
            "too many pools: the limit is 256; destroy some first"
        );
        assert_eq!(pools.len(), 256);
        // All of them work.
        let stream = device.create_stream().unwrap();
        let blocks: Vec<_> = pools
            .iter()
            .take(100)
            .map(|pool| pool.alloc(&stream, 1).unwrap())
            .collect();
        let mut addresses: Vec<_> = blocks.iter().map(millpond::PoolBlock::address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        assert_eq!(addresses.len(), 100);
        drop(blocks);
        pools.pop().unwrap().destroy().unwrap();
        let another = device.create_pool(Some(50 * PAGE)).unwrap();
        assert!(device.create_pool(Some(PAGE)).is_err());
        another.destroy().unwrap();
        for pool in pools {
            pool.destroy().unwrap();
        }
    });
}

/// A pool is destroyed while others allocate from it: whoever gets a block keeps the pool.
#[test]
fn a_pool_is_not_destroyed_under_a_block() {
    within(LONG, || {
        let pond = Pond::open(Schedule::Eager);
        for _ in 0..2000 {
            let pool = pond.device.create_pool(Some(16 * PAGE)).unwrap();
            let stream = pond.stream();
            thread::scope(|scope| {
                let allocates = scope.spawn(|| pool.alloc(&stream, 100));
                let destroyed = pool.destroy();
                match (allocates.join().unwrap(), destroyed) {
                    (Ok(block), Err(Error::PoolInUse { .. })) => {
                        assert_eq!(pool.numbers().unwrap().used, PAGE);
                        drop(block);
                    }
                    (Err(Error::PoolGone), _) => {}
                    (Ok(_), destroyed) => panic!("a block, and {destroyed:?}"),
                    (Err(other), destroyed) => panic!("{other}, and {destroyed:?}"),
                }
            });
            // Whoever was first, what is left can be ended.
            let again = pool.destroy();
            assert!(matches!(again, Ok(()) | Err(Error::PoolGone)), "{again:?}");
        }
        assert_eq!(pond.device.usage().charged, 0);
    });
}

#[test]
fn streams_come_and_go_beside_a_pool_that_is_used() {
    within(LONG, || {
        let pond = Pond::open(Schedule::Eager);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..150 {
                        let stream = pond.stream();
                        let block = pond.pool.alloc(&stream, 4096).unwrap();
                        stream.fill(block.all(), 1).unwrap();
                        drop(block);
                        let waits = pond.pool.alloc(&stream, 4096).unwrap();
                        drop(stream);
                        drop(waits);
                    }
                });
            }
        });
        pond.device.synchronize().unwrap();
        assert_eq!(pond.pool.numbers().unwrap().used, 0);
        pond.pool.destroy().unwrap();
    });
}

/// Threads put work that names one block into one stream: the block is in use until the last of it has
/// passed, whoever came first.
#[test]
fn a_block_is_in_use_until_the_last_of_many_threads_work_has_passed() {
    within(3 * LONG, || {
        let runtime = Runtime::new(Config {
            patience: 6 * LONG,
            ..config(Schedule::Latest)
        })
        .unwrap();
        let device = runtime.device(0).unwrap();
        let stream = device.create_stream().unwrap();
        let mut host = runtime.alloc_host(64).unwrap();
        let block = device.alloc(64).unwrap();
        let barrier = std::sync::Barrier::new(3);
        for round in 0..2000 {
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        barrier.wait();
                        for _ in 0..4 {
                            stream.copy(block.all(), host.all()).unwrap();
                        }
                    });
                }
            });
            // Each query runs one task.
            while !stream.is_done() {
                assert_eq!(host.bytes(), Err(Error::InUse), "round {round}");
            }
            assert!(host.bytes().is_ok());
        }
    });
}
