//! What records say of stream-ordered pools.

use millpond::trace::{Operation, PoolSetting};
use millpond::{Reuse, Schedule};

use crate::common::{MIB, open};
use crate::{allocated, freed, listen};

/// Everything but the pages that went back, of which there may be more or fewer.
fn without_pages(operations: Vec<Operation>) -> Vec<Operation> {
    let pages = |operation: &Operation| matches!(operation, Operation::PagesReturned { .. });
    operations.into_iter().filter(|one| !pages(one)).collect()
}

#[test]
fn the_life_of_a_pool_is_recorded() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let collector = listen(&runtime);
    let pool = device.create_pool(Some(8 * MIB)).unwrap();
    let number = pool.id();
    let rights = [
        Reuse::FollowEvents,
        Reuse::Opportunistic,
        Reuse::InternalWaits,
    ];
    for right in rights {
        pool.set_reuse(right, true).unwrap();
    }
    pool.set_release_threshold(2 * MIB).unwrap();
    assert!(pool.set_release_threshold(9 * MIB).is_err());
    let block = pool.alloc(&stream, 100).unwrap();
    let info = *block.info();
    assert!(pool.destroy().is_err());
    drop(block);
    pool.trim_to(0).unwrap();
    pool.destroy().unwrap();
    assert!(pool.destroy().is_err());
    drop(pool);
    let set = |setting| Operation::PoolSet {
        pool: number,
        setting,
    };
    let expected = [
        Operation::PoolCreated {
            pool: number,
            device: 0,
            limit: 8 * MIB,
        },
        set(PoolSetting::FollowEvents(true)),
        set(PoolSetting::Opportunistic(true)),
        set(PoolSetting::InternalWaits(true)),
        set(PoolSetting::ReleaseThreshold(2 * MIB)),
        allocated(&info, 2 * MIB),
        freed(&info, false),
        Operation::PoolTrimmed {
            pool: number,
            keep: 0,
        },
        Operation::PoolDestroyed { pool: number },
    ];
    assert_eq!(without_pages(collector.operations()), expected);
}

/// The second pool gets the first one's addresses. Its records begin with its own creation.
#[test]
fn a_pool_that_is_dropped_and_one_that_follows_are_recorded() {
    let (runtime, device) = open(Schedule::Eager);
    let collector = listen(&runtime);
    let numbers = [0, 1].map(|_| device.create_pool(Some(4 * MIB)).unwrap().id());
    let life = |pool| {
        let created = Operation::PoolCreated {
            pool,
            device: 0,
            limit: 4 * MIB,
        };
        [created, Operation::PoolDestroyed { pool }]
    };
    let expected = numbers.map(life).concat();
    assert_eq!(without_pages(collector.operations()), expected);
}
