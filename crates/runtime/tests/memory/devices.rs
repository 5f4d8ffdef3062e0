//! Several devices, and the end of everything on one.

use std::sync::Arc;

use millpond::{Config, DeviceBlock, Error, HostSource, MemorySource, Runtime, Schedule};
use millpond_device::{AddressSpace, Device, DeviceError, Memory};

use crate::common::{
    LONG, MIB, comes_true, config, fill, flag, gate, is_set, open, open_under_every_schedule,
    value_of,
};
use crate::nothing_used;

#[test]
fn several_devices_have_memory_and_streams_of_their_own() {
    let runtime = Runtime::new(Config {
        devices: 4,
        visible: Some(vec![2, 0]),
        ..config(Schedule::Eager)
    })
    .unwrap();
    assert_eq!(runtime.device_count(), 2);
    for index in [-1, 2, i64::MAX] {
        assert_eq!(
            runtime.device(index).unwrap_err(),
            Error::NoSuchDevice { index, count: 2 }
        );
    }
    let (first, second) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
    assert_eq!((first.index(), second.index()), (0, 1));
    let whole = first.alloc(256 * MIB).unwrap();
    assert!(first.alloc(1).is_err());
    let (here, there) = (second.alloc(4096).unwrap(), second.alloc(4096).unwrap());
    assert_eq!(second.usage().blocks, 2);
    assert_eq!(second.usage().charged, 8192);

    // A stream of either device copies between both.
    for (device, value) in [(&first, 11), (&second, 22)] {
        let stream = device.create_stream().unwrap();
        assert_eq!(stream.device_index(), device.index());
        fill(&stream, &here, value);
        stream.copy(whole.slice(..4096), here.all()).unwrap();
        stream.copy(there.all(), whole.slice(..4096)).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&there), value);
    }
}

#[test]
fn a_reset_ends_the_streams_frees_the_blocks_and_returns_the_pages() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let blocks: Vec<DeviceBlock> = (0..3).map(|_| device.alloc(4 * MIB).unwrap()).collect();
        for block in &blocks {
            fill(&stream, block, 1);
        }
        stream.synchronize().unwrap();
        let never = gate(&runtime);
        stream.wait_event(&never, None).unwrap();
        let (ran, run) = flag();
        stream.host_function(run).unwrap();
        device.reset().unwrap();
        assert!(nothing_used(device.usage()), "{schedule:?}");
        // What a worker was just looking at keeps its pages for another moment.
        let returned = comes_true(LONG / 2, || {
            device.trim().is_ok() && device.resident() == Ok(0)
        });
        assert!(returned, "{schedule:?}");
        assert_eq!(stream.host_function(|| ()), Err(Error::StreamGone));
        device.synchronize_within(Some(LONG / 2)).unwrap();
        assert!(!is_set(&ran));

        // The device works on, and what was freed by the reset is not freed again.
        let fresh = device.alloc(4 * MIB).unwrap();
        assert!(blocks.iter().any(|old| old.address() == fresh.address()));
        drop(blocks);
        assert_eq!(device.usage().blocks, 1, "{schedule:?}");
        let stream = device.create_stream().unwrap();
        fill(&stream, &fresh, 2);
        stream.synchronize().unwrap();
        assert_eq!(value_of(&fresh), 2);
    });
}

/// A stream of another device is not ended by the reset; what it still reads must stay.
#[test]
fn a_reset_does_not_hand_out_bytes_that_another_devices_stream_still_names() {
    let runtime = Runtime::new(Config {
        devices: 2,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let (first, second) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
    let source = first.alloc(4 * MIB).unwrap();
    let target = second.alloc(4 * MIB).unwrap();
    let stream = second.create_stream().unwrap();
    fill(&stream, &source, 7);
    stream.synchronize().unwrap();
    let gate = gate(&runtime);
    stream.wait_event(&gate, None).unwrap();
    stream.copy(target.all(), source.all()).unwrap();
    first.reset().unwrap();
    let others: Vec<_> = (0..4).map(|_| first.alloc(4 * MIB).unwrap()).collect();
    let filler = first.create_stream().unwrap();
    for block in &others {
        fill(&filler, block, 99);
    }
    filler.synchronize().unwrap();
    filler.record(&gate).unwrap();
    stream.synchronize_within(Some(LONG)).unwrap();
    assert_eq!(value_of(&target), 7);
}

/// A machine with less memory than its devices claim.
#[derive(Debug)]
struct Small(HostSource);

impl MemorySource for Small {
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn Device>, DeviceError> {
        self.0.device(index, config)
    }
    fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError> {
        self.0.pinned(config)
    }
    fn address_space(&self, config: &Config) -> Result<Arc<dyn AddressSpace>, DeviceError> {
        self.0.address_space(config)
    }
    fn limit(&self) -> Option<u64> {
        Some(100 * MIB)
    }
}

#[test]
fn what_the_machine_cannot_give_is_not_free() {
    let config = Config {
        devices: 2,
        ..config(Schedule::Eager)
    };
    let runtime = Runtime::with_source(config, Box::new(Small(HostSource::default()))).unwrap();
    let (one, two) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
    let free = || (one.room().0 / MIB, two.room().0 / MIB);
    let whole = one.room().1;
    assert_eq!((free(), two.room().1), ((100, 100), whole));
    let block = one.alloc(60 * MIB).unwrap();
    assert_eq!(free(), (40, 40));
    let host = runtime.alloc_host(10 * MIB).unwrap();
    assert_eq!(free(), (30, 30));
    let piece = two.alloc_physical(20 * MIB).unwrap();
    assert_eq!(free(), (10, 10));
    drop(block);
    assert_eq!(free(), (70, 70));
    drop((host, piece));
    assert_eq!((free(), one.room().1), ((100, 100), whole));
    // More is charged than the machine has: the limit is what is said, not what is granted.
    let _all = [one.alloc(80 * MIB).unwrap(), two.alloc(80 * MIB).unwrap()];
    assert_eq!(free(), (0, 0));
}

#[test]
fn what_is_free_is_what_the_blocks_leave() {
    let (_runtime, device) = open(Schedule::Eager);
    let blocks: Vec<_> = (0..2_000).map(|_| device.alloc(64).unwrap()).collect();
    let usage = device.usage();
    assert_eq!(device.room(), (usage.free(), usage.capacity));
    assert_eq!(usage.blocks, blocks.len());
}
