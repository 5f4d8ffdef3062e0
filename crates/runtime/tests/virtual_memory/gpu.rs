//! What is different where a device is a GPU: `MILLPOND_DEVICE=cuda` chooses it, and without it nothing runs here.
#![expect(
    unsafe_code,
    reason = "dereferences mapped addresses of memory that the program may touch"
)]

use millpond::{
    Config, Device, DeviceKind, Error, Location, PageKind, PhysicalRequest, Runtime, Schedule,
};

use crate::common::{config, on_gpu, open};
use crate::{PIECE, value_of};

/// A GPU, and memory of this machine beside it.
fn mixed() -> Option<(Runtime, [Device; 2])> {
    if !on_gpu() {
        return None;
    }
    let runtime = Runtime::new(Config {
        devices: 2,
        kinds: vec![DeviceKind::Cuda(0), DeviceKind::Host],
        ..config(Schedule::Eager)
    });
    let runtime = runtime.unwrap();
    let devices = [0, 1].map(|index| runtime.device(index).unwrap());
    Some((runtime, devices))
}

fn bytes_at(address: u64) -> &'static mut [u8] {
    let start = std::ptr::with_exposed_provenance_mut(usize::try_from(address).unwrap());
    // SAFETY: tests name mappings that the program may touch, that live as long as the answer is used,
    // and that no queued work names.
    unsafe { std::slice::from_raw_parts_mut(start, usize::try_from(PIECE).unwrap()) }
}

#[test]
fn a_piece_is_where_its_device_is() {
    let Some((runtime, devices)) = mixed() else {
        return;
    };
    let unit = |device| {
        let location = Location::Device(device);
        runtime.physical_granularity(location, PageKind::Normal)
    };
    assert_eq!(unit(0).unwrap(), PIECE);
    assert_eq!(
        unit(1).unwrap(),
        millpond::device_api::os_page().max(4096),
        "a GPU beside it changes nothing"
    );
    let ranges = [0, 1].map(|_| runtime.reserve(2 * PIECE).unwrap());
    let pieces = [0, 1].map(|index| devices[index].alloc_physical(PIECE).unwrap());
    let mappings = [0, 1].map(|index| ranges[index].map(PIECE, &pieces[index]).unwrap());
    // Streams of both devices reach both, and blocks, too.
    for (device, value) in [(0, 3), (1, 4)] {
        let stream = devices[device].create_stream().unwrap();
        let blocks = [0, 1].map(|index| devices[index].alloc(PIECE).unwrap());
        for (to, from) in [(0, 1), (1, 0)] {
            stream.fill(mappings[from].all(), value).unwrap();
            stream
                .copy(mappings[to].all(), mappings[from].all())
                .unwrap();
            stream.copy(blocks[from].all(), mappings[to].all()).unwrap();
            stream.synchronize().unwrap();
            assert_eq!(crate::common::value_of(&blocks[from]), value);
            assert_eq!(value_of(&runtime, &stream, mappings[to].all()), value);
        }
    }
    let show = |index: usize| {
        let mapping = &mappings[index];
        runtime.grant_at(mapping.address(), PIECE, Location::Host)
    };
    assert!(show(0).is_err());
    let host = Location::Host;
    assert_eq!(
        runtime.has_access_at(mappings[0].address(), host),
        Ok(false)
    );
    show(1).unwrap();
    assert_eq!(bytes_at(mappings[1].address())[5], 4);
}

#[test]
fn memory_that_the_program_may_touch_belongs_to_a_gpu_all_the_same() {
    if !on_gpu() {
        return;
    }
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let request = PhysicalRequest {
        bytes: PIECE,
        location: Location::Device(0),
        pages: PageKind::Huge,
        flags: 0,
    };
    let shared = runtime.alloc_touchable(request).unwrap();
    assert_eq!(shared.location(), Location::Device(0));
    assert_eq!(device.usage().charged, PIECE);
    let own = device.alloc_physical(PIECE).unwrap();
    let range = runtime.reserve(4 * PIECE).unwrap();
    let shown = range.map(0, &shared).unwrap();
    let beside = range.map(PIECE, &own).unwrap();
    let host = Location::Host;
    runtime.grant_at(shown.address(), PIECE, host).unwrap();
    bytes_at(shown.address()).fill(5);
    stream.copy(beside.all(), shown.all()).unwrap();
    assert_eq!(value_of(&runtime, &stream, beside.all()), 5);
    // Both are one range for copies, although only one is the GPU's.
    stream.fill(range.slice(100..2 * PIECE), 6).unwrap();
    assert_eq!(value_of(&runtime, &stream, range.slice(100..2 * PIECE)), 6);
    let bytes = bytes_at(shown.address());
    assert_eq!((bytes[99], bytes[100]), (5, 6));
    device.reset().unwrap();
    assert_eq!(device.usage().charged, 0);
    assert!(runtime.find_mapping(shown.address()).is_err());
}

#[test]
fn a_piece_gets_what_other_memories_of_the_gpu_do_not_use() {
    if !on_gpu() {
        return;
    }
    let runtime = Runtime::new(Config {
        devices: 2,
        kinds: vec![DeviceKind::Cuda(0)],
        whole_gpus: true,
        ..config(Schedule::Eager)
    });
    let runtime = runtime.unwrap();
    let [one, two] = [0, 1].map(|index| runtime.device(index).unwrap());
    let (_, total) = one.room();
    let most = total / 8 * 5 / PIECE * PIECE;
    let block = one.alloc(most).unwrap();
    let refused = two.alloc_physical(most).unwrap_err();
    assert!(
        matches!(&refused, Error::MachineFull { cause, .. } if cause.is_full()),
        "{refused}"
    );
    assert!(refused.to_string().contains("cuMemCreate"), "{refused}");
    assert_eq!(two.usage().charged, 0);
    // The pool keeps the pages until somebody needs them.
    drop(block);
    let piece = two.alloc_physical(most).unwrap();
    assert!(one.alloc(most).is_err());
    drop(piece);
    drop(one.alloc(most).unwrap());
}
