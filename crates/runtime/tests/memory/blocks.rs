//! One block: its life, its bounds, its number.

use millpond::{Config, Error, Request, Runtime, Schedule};

use crate::common::{bytes_of, config, open, value_of};
use crate::nothing_used;

#[test]
fn a_block_is_there_until_it_is_dropped() {
    let (runtime, device) = open(Schedule::Eager);
    assert!(nothing_used(device.usage()));
    let block = device.alloc(100).unwrap();
    assert_eq!((block.len(), block.info().requested), (100, 100));
    assert!(block.info().bytes >= 128 && !block.is_empty());
    assert_eq!(block.address() % 64, 0);
    assert_eq!(runtime.find_block(block.address() + 99), Ok(*block.info()));
    block.write(&[5; 100]).unwrap();
    assert_eq!(value_of(&block), 5);
    let address = block.address();
    drop(block);
    assert!(nothing_used(device.usage()));
    assert!(matches!(
        runtime.find_block(address),
        Err(Error::NotABlock { .. })
    ));
    let again = device.alloc(100).unwrap();
    assert_eq!(
        again.address(),
        address,
        "a recurring size gets the same bytes"
    );
}

#[test]
fn an_access_beyond_a_block_is_refused() {
    let (_runtime, device) = open(Schedule::Eager);
    let block = device.alloc(100).unwrap();
    assert_eq!(
        block.write(&[0; 101]),
        Err(Error::DestinationTooSmall {
            count: 101,
            room: 100
        })
    );
    let read = block.read(&mut [0; 101]);
    assert!(matches!(read, Err(Error::OutOfBlock { bytes: 101, .. })));
    let (small, stream) = (device.alloc(50).unwrap(), device.create_stream().unwrap());
    assert!(matches!(
        stream.copy(small.all(), block.all()),
        Err(Error::DestinationTooSmall { .. })
    ));
}

#[test]
#[should_panic(expected = "reaches beyond a block of 100 bytes")]
fn a_slice_beyond_a_block_panics() {
    let (_runtime, device) = open(Schedule::Eager);
    let block = device.alloc(100).unwrap();
    block.slice(50..101);
}

/// A program that computes its ranges comes by empty ones, also at the very end of a block.
#[test]
fn an_empty_slice_is_nothing_to_do_wherever_it_is() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    for length in [100, 512, 4096] {
        let (block, other) = (device.alloc(length).unwrap(), device.alloc(length).unwrap());
        let host = runtime.alloc_host(length).unwrap();
        for at in [0, length] {
            let outcomes = [
                stream.fill(block.slice(at..at), 1),
                stream.copy(other.slice(at..at), block.slice(at..at)),
                stream.copy(host.slice(at..at), block.slice(at..at)),
                stream.copy(block.slice(at..at), host.slice(at..at)),
            ];
            assert_eq!(outcomes, [Ok(()), Ok(()), Ok(()), Ok(())], "{length} {at}");
        }
    }
    stream.synchronize().unwrap();
}

#[test]
fn a_size_of_zero_or_beyond_all_bounds_is_refused() {
    let (runtime, device) = open(Schedule::Eager);
    for bytes in [0, u64::MAX, u64::MAX - 30] {
        let refused = Error::BadSize { requested: bytes };
        assert_eq!(device.alloc(bytes).unwrap_err(), refused);
        assert_eq!(runtime.alloc_host(bytes).unwrap_err(), refused);
    }
    for bytes in [u64::MAX / 2, 1 << 60, u64::MAX - 31] {
        assert!(device.alloc(bytes).is_err());
        assert!(runtime.alloc_host(bytes).is_err());
    }
    assert!(nothing_used(device.usage()));
    assert!(nothing_used(runtime.host_usage().unwrap()));
}

#[test]
fn copies_between_overlapping_parts_of_one_block_move_the_bytes_as_they_were() {
    let (_runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let block = device.alloc(256).unwrap();
    let start: Vec<u8> = (0..=255).collect();
    block.write(&start).unwrap();
    stream.copy(block.slice(10..), block.slice(..246)).unwrap();
    stream.synchronize().unwrap();
    let expected: Vec<u8> = (0..10).chain(0..246).collect();
    assert_eq!(bytes_of(&block), expected);
}

#[test]
fn each_block_of_a_runtime_has_a_number_of_its_own() {
    let runtime = Runtime::new(Config {
        devices: 2,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let (first, second) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
    let (a, b) = (first.alloc(64).unwrap(), second.alloc(64).unwrap());
    let c = runtime.alloc_host(64).unwrap();
    let mut numbers = vec![a.info().serial, b.info().serial, c.info().serial];
    drop(a);
    numbers.push(first.alloc(64).unwrap().info().serial);
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 4, "{numbers:?}");
}

#[test]
fn memory_of_another_runtime_is_refused() {
    let (_here, device) = open(Schedule::Eager);
    let (there, other) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let own = device.alloc(4096).unwrap();
    let foreign = other.alloc(4096).unwrap();
    let host = there.alloc_host(4096).unwrap();
    for answer in [
        stream.fill(foreign.all(), 7),
        stream.copy(own.all(), foreign.all()),
        stream.copy(foreign.all(), own.all()),
        stream.copy(own.all(), host.all()),
    ] {
        assert!(matches!(answer, Err(Error::NotABlock { .. })), "{answer:?}");
    }
    stream.synchronize().unwrap();
}

#[test]
fn a_hint_is_followed_where_the_bytes_are_free() {
    let (_runtime, device) = open(Schedule::Eager);
    let request = Request::of(4096);
    let blocks: Vec<_> = (0..4).map(|_| device.alloc(4096).unwrap()).collect();
    let address = blocks[2].address();
    let taken = device.alloc_near(request, address).unwrap();
    assert_ne!(taken.address(), address, "somebody has it");
    drop(blocks);
    let placed = device.alloc_near(request, address).unwrap();
    assert_eq!(placed.address(), address);
    // Hints that cannot be followed do no harm.
    for hint in [0, 1, address + 1, u64::MAX] {
        device.alloc_near(request, hint).unwrap();
    }
    let large = Request::of(3 << 20);
    device.alloc_near(large, address).unwrap();
}
