//! What records say of stream-ordered pools.

use millpond::trace::{Operation, PoolSetting, Position};
use millpond::{Reuse, Schedule};

use crate::common::{MIB, fill, open};
use crate::{allocated, at, freed, listen};

/// Everything but the pages that went back, of which there may be more or fewer.
fn without_pages(operations: Vec<Operation>) -> Vec<Operation> {
    let pages = |operation: &Operation| matches!(operation, Operation::PagesReturned { .. });
    operations.into_iter().filter(|one| !pages(one)).collect()
}

/// The record of a block of a pool, with its place in the order of a stream.
fn in_order(operation: Operation, number: u64, place: Position) -> Operation {
    match operation {
        Operation::Allocated {
            block,
            space,
            range,
            requested,
            charged,
            ..
        } => Operation::Allocated {
            block,
            space,
            range,
            requested,
            charged,
            pool: Some(number),
            ordered: Some(place),
        },
        Operation::Freed {
            block,
            range,
            retired,
            ..
        } => Operation::Freed {
            block,
            range,
            retired,
            ordered: Some(place),
        },
        other => other,
    }
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
        in_order(allocated(&info, 2 * MIB), number, at(&stream, 0)),
        in_order(freed(&info, false), number, at(&stream, 0)),
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

/// A block of a pool may be used after the tasks that were there when it was allocated, and not after those that
/// were there when it was freed.
#[test]
fn blocks_of_a_pool_have_a_place_in_the_order_of_their_stream() {
    let (runtime, device) = open(Schedule::Eager);
    let (stream, other) = (
        device.create_stream().unwrap(),
        device.create_stream().unwrap(),
    );
    let pool = device.create_pool(Some(8 * MIB)).unwrap();
    let plain = device.alloc(64).unwrap();
    fill(&stream, &plain, 1);
    let collector = listen(&runtime);
    let block = pool.alloc(&stream, 100).unwrap();
    let info = *block.info();
    fill(&stream, &plain, 2);
    fill(&other, &plain, 3);
    other.record_use(block.address() + 8).unwrap();
    assert!(other.record_use(64).is_err());
    drop(block);
    let plain_info = *plain.info();
    stream.free_at(plain.address()).unwrap();
    let again = stream.free_at(plain.address()).unwrap_err();
    device.synchronize().unwrap();
    let told: Vec<_> = collector
        .operations()
        .into_iter()
        .map(|operation| match operation {
            // How far the stream is does not matter here.
            Operation::Freed {
                block,
                range,
                ordered,
                ..
            } => Operation::Freed {
                block,
                range,
                retired: false,
                ordered,
            },
            other => other,
        })
        .collect();
    let expected = [
        in_order(allocated(&info, 2 * MIB), pool.id(), at(&stream, 1)),
        Operation::UseRecorded {
            address: info.address + 8,
            position: at(&other, 1),
        },
        in_order(freed(&info, false), pool.id(), at(&stream, 2)),
        in_order(freed(&plain_info, false), pool.id(), at(&stream, 2)),
        Operation::FreeRefused {
            address: plain_info.address,
            reason: again.to_string(),
        },
    ];
    let mut rest = told.iter();
    for one in &expected {
        assert!(rest.any(|found| found == one), "{one:?} in {told:?}");
    }
}
