//! Blocks that queued work still names.

use millpond::{Error, HostBlock, Schedule};

use crate::common::{LONG, MIB, fill, gate, open, open_under_every_schedule, value_of};

/// Nobody can name a dropped block, but a queued copy still reads it.
#[test]
fn a_block_that_is_dropped_with_work_queued_is_not_reused_before_that_work() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        for length in [1000, 3 * MIB] {
            let source = device.alloc(length).unwrap();
            let target = device.alloc(length).unwrap();
            fill(&stream, &source, 7);
            stream.synchronize().unwrap();
            let gate = gate(&runtime);
            stream.wait_event(&gate, None).unwrap();
            stream.copy(target.all(), source.all()).unwrap();
            let address = source.address();
            drop(source);
            assert_eq!(device.usage().blocks, 1, "{schedule:?}: free at once");

            // As many of the same size as would surely come by the old bytes.
            let others: Vec<_> = (0..8).map(|_| device.alloc(length).unwrap()).collect();
            for block in &others {
                assert_ne!(block.address(), address, "{schedule:?}");
                fill(&other, block, 99);
            }
            other.synchronize().unwrap();
            device.trim().unwrap();
            other.record(&gate).unwrap();
            stream.synchronize().unwrap();
            assert_eq!(value_of(&target), 7, "{schedule:?}");

            drop(others);
            let reused: Vec<_> = (0..9).map(|_| device.alloc(length).unwrap()).collect();
            // Large blocks may as well get fresh addresses.
            assert!(
                length > MIB || reused.iter().any(|block| block.address() == address),
                "{schedule:?}: bytes come back when the work has passed"
            );
        }
    });
}

#[test]
fn pinned_memory_cannot_be_touched_while_queued_work_uses_it() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let mut host = runtime.alloc_host(4096).unwrap();
        let block = device.alloc(4096).unwrap();
        host.bytes().unwrap().fill(3);
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        stream.copy(block.all(), host.all()).unwrap();
        fill(&stream, &block, 4);
        stream.copy(host.slice(..100), block.slice(..100)).unwrap();
        assert_eq!(host.bytes(), Err(Error::InUse), "{schedule:?}");
        other.record(&gate).unwrap();
        stream.synchronize().unwrap();
        let bytes = host.bytes().unwrap();
        assert_eq!((bytes[99], bytes[100]), (4, 3), "{schedule:?}");

        // A copy that was thrown away uses nothing any more.
        stream.reset_event(&gate).unwrap();
        stream.wait_event(&gate, None).unwrap();
        stream.copy(block.all(), host.all()).unwrap();
        assert_eq!(host.bytes(), Err(Error::InUse));
        stream.abort();
        stream.synchronize_within(Some(LONG / 2)).unwrap();
        assert!(host.bytes().is_ok(), "{schedule:?}");
    });
}

#[test]
fn pinned_memory_that_is_dropped_with_work_queued_is_not_reused_before_that_work() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let mut source = runtime.alloc_host(4096).unwrap();
        source.bytes().unwrap().fill(7);
        let target = device.alloc(4096).unwrap();
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        stream.copy(target.all(), source.all()).unwrap();
        drop(source);
        let mut others: Vec<HostBlock> =
            (0..8).map(|_| runtime.alloc_host(4096).unwrap()).collect();
        for block in &mut others {
            block.bytes().unwrap().fill(99);
        }
        assert_eq!(runtime.host_usage().unwrap().blocks, 8);
        device.create_stream().unwrap().record(&gate).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&target), 7, "{schedule:?}");
    });
}

#[test]
fn a_block_that_no_queued_task_names_is_reused_although_streams_are_blocked() {
    let (runtime, device) = open(Schedule::Eager);
    let parked = device.create_stream().unwrap();
    let named = device.alloc(64 * 1024).unwrap();
    let closed = gate(&runtime);
    parked.wait_event(&closed, None).unwrap();
    fill(&parked, &named, 1);
    // Far more than the device has addresses for.
    for _ in 0..1000 {
        drop(device.alloc(32 * MIB).unwrap());
    }
    let other = device.create_stream().unwrap();
    other.record(&closed).unwrap();
    device.synchronize().unwrap();
    assert_eq!(value_of(&named), 1);
}

#[test]
fn a_retired_block_does_not_keep_later_ones_from_being_reused() {
    let (runtime, device) = open(Schedule::Eager);
    let (parked, busy) = (
        device.create_stream().unwrap(),
        device.create_stream().unwrap(),
    );
    let closed = gate(&runtime);
    parked.wait_event(&closed, None).unwrap();
    let held = device.alloc(MIB).unwrap();
    fill(&parked, &held, 1);
    drop(held);
    for _ in 0..1000 {
        let block = device.alloc(32 * MIB).unwrap();
        busy.fill(block.slice(..512), 2).unwrap();
        drop(block);
        busy.synchronize().unwrap();
    }
    busy.record(&closed).unwrap();
    device.synchronize().unwrap();
}
