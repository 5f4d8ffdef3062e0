//! Pieces, the places they are mapped at, and what they cost.

use millpond::{
    Config, DeviceError, Error, Location, PageKind, PhysicalRequest, Runtime, Schedule,
};

use crate::common::{MIB, SCHEDULES, config, open};
use crate::{PIECE, bytes_of, value_of};

#[test]
fn a_piece_keeps_its_bytes_when_it_is_mapped_elsewhere() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let range = runtime.reserve(16 * MIB).unwrap();
        let piece = device.alloc_physical(PIECE).unwrap();
        let mapping = range.map(0, &piece).unwrap();
        stream.fill(mapping.all(), 7).unwrap();
        stream.synchronize().unwrap();
        drop(mapping);
        let other = runtime.reserve(4 * MIB).unwrap();
        let mapping = other.map(PIECE, &piece).unwrap();
        assert_eq!(mapping.address(), other.address() + PIECE);
        assert_eq!(
            value_of(&runtime, &stream, mapping.all()),
            7,
            "{schedule:?}"
        );
    }
}

#[test]
fn a_copy_spans_neighbours_and_one_piece_may_have_several_places() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let range = runtime.reserve(64 * MIB).unwrap();
        let pieces = [1, 2, 3].map(|_| device.alloc_physical(PIECE).unwrap());
        // Neither in the order in which they were made.
        let order = [&pieces[2], &pieces[0], &pieces[1]];
        let places = [0, PIECE, 2 * PIECE];
        let mappings: Vec<_> = std::iter::zip(places, order)
            .map(|(place, piece)| range.map(place, piece).unwrap())
            .collect();
        stream.fill(range.slice(..3 * PIECE), 1).unwrap();
        let border = PIECE - 100..2 * PIECE + 100;
        stream.fill(range.slice(border), 2).unwrap();
        let again = range.map(32 * MIB, &pieces[0]).unwrap();
        assert_eq!(value_of(&runtime, &stream, again.all()), 2, "{schedule:?}");
        let bytes = bytes_of(&runtime, &stream, mappings[0].all());
        let tail = bytes.len() - 100;
        assert!(bytes[..tail].iter().all(|byte| *byte == 1));
        assert!(bytes[tail..].iter().all(|byte| *byte == 2));
        // What is written here is seen there.
        stream.fill(again.slice(..64), 3).unwrap();
        assert_eq!(
            value_of(&runtime, &stream, mappings[1].slice(..64)),
            3,
            "{schedule:?}"
        );
        // Between a block and several mappings, in both directions.
        let block = device.alloc(3 * PIECE).unwrap();
        stream.copy(block.all(), range.slice(..3 * PIECE)).unwrap();
        stream.fill(block.all(), 4).unwrap();
        stream.copy(range.slice(..3 * PIECE), block.all()).unwrap();
        assert_eq!(value_of(&runtime, &stream, again.all()), 4);
    }
}

#[test]
fn physical_memory_is_charged_until_it_is_neither_named_nor_mapped() {
    let (runtime, device) = open(Schedule::Eager);
    let before = device.usage();
    let range = runtime.reserve(1 << 40).unwrap();
    assert_eq!(device.usage(), before, "addresses cost nothing");
    let piece = device.alloc_physical(20 * MIB).unwrap();
    assert_eq!(device.usage().charged, 20 * MIB);
    let mapping = range.map(0, &piece).unwrap();
    drop(piece);
    assert_eq!(device.usage().charged, 20 * MIB, "it is mapped");
    let again = runtime.physical_at(mapping.address() + 5).unwrap();
    assert_eq!(
        (again.len(), again.location()),
        (20 * MIB, Location::Device(0))
    );
    drop(mapping);
    assert_eq!(device.usage().charged, 20 * MIB, "it has a name");
    drop(again);
    assert_eq!(device.usage().charged, 0);
    // All of it can be had, and no more.
    let capacity = device.usage().capacity;
    let all = device.alloc_physical(capacity).unwrap();
    let refused = device.alloc_physical(PIECE);
    assert!(
        matches!(refused, Err(Error::OutOfMemory { .. })),
        "{refused:?}"
    );
    assert!(matches!(device.alloc(1), Err(Error::OutOfMemory { .. })));
    drop(all);
    drop(device.alloc(capacity).unwrap());
}

#[test]
fn what_the_machine_does_not_have_is_refused() {
    if crate::common::skipped_on_gpu("a device has no more memory than its GPU") {
        return;
    }
    let runtime = Runtime::new(Config {
        capacity: 1 << 45,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let device = runtime.device(0).unwrap();
    let refused = device.alloc_physical(1 << 44);
    assert!(
        matches!(
            refused,
            Err(Error::MachineFull {
                cause: DeviceError::MachineFull { .. },
                ..
            })
        ),
        "{refused:?}"
    );
    assert_eq!(device.usage().charged, 0);
    drop(device.alloc_physical(PIECE).unwrap());
}

#[test]
fn memory_of_the_host_is_pinned_memory() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let range = runtime.reserve(4 * MIB).unwrap();
    let before = runtime.host_usage().unwrap().charged;
    let piece = runtime
        .alloc_physical(PhysicalRequest {
            bytes: PIECE,
            location: Location::HostNode(0),
            pages: PageKind::Huge,
            flags: 0,
        })
        .unwrap();
    assert_eq!(runtime.host_usage().unwrap().charged, before + PIECE);
    assert_eq!(device.usage().charged, 0);
    let mapping = range.map(0, &piece).unwrap();
    let block = device.alloc(PIECE).unwrap();
    stream.fill(block.all(), 9).unwrap();
    // Only pinned memory can be one side of a queued copy.
    stream.copy(mapping.all(), block.all()).unwrap();
    assert_eq!(value_of(&runtime, &stream, mapping.all()), 9);
}

#[test]
fn normal_pages_are_as_small_as_the_system_has_them() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let location = Location::Device(0);
    let unit = |pages| runtime.physical_granularity(location, pages).unwrap();
    assert_eq!(unit(PageKind::Huge), PIECE);
    assert_eq!(unit(PageKind::Gigabyte), 1 << 30);
    let page = unit(PageKind::Normal);
    if crate::common::on_gpu() {
        assert_eq!(page, PIECE, "its driver has no smaller ones");
    } else {
        assert_eq!(page, millpond::device_api::os_page().max(4096));
    }
    let range = runtime.reserve(4 * page).unwrap();
    let request = PhysicalRequest {
        bytes: 3 * page,
        location,
        pages: PageKind::Normal,
        flags: 0,
    };
    let piece = runtime.alloc_physical(request).unwrap();
    let mapping = range.map(page, &piece).unwrap();
    stream.fill(mapping.all(), 5).unwrap();
    assert_eq!(value_of(&runtime, &stream, mapping.all()), 5);
    assert_eq!(device.usage().charged, 3 * page);
}

#[test]
fn a_reset_ends_the_devices_mappings_and_memory_but_not_the_addresses() {
    let runtime = Runtime::new(Config {
        devices: 2,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let devices = [runtime.device(0).unwrap(), runtime.device(1).unwrap()];
    let ranges = [1, 2].map(|_| runtime.reserve(4 * MIB).unwrap());
    let pieces = [0, 1].map(|index| devices[index].alloc_physical(PIECE).unwrap());
    let mappings = [0, 1].map(|index| ranges[index].map(0, &pieces[index]).unwrap());
    devices[0].reset().unwrap();
    assert_eq!(devices[0].usage().charged, 0);
    assert_eq!(devices[1].usage().charged, PIECE);
    let stream = devices[1].create_stream().unwrap();
    assert!(stream.fill(mappings[0].all(), 1).is_err());
    stream.fill(mappings[1].all(), 1).unwrap();
    let error = crate::refusal(ranges[0].map(0, &pieces[0]));
    assert_eq!(error, millpond::MappingError::Gone);
    // The names of what is gone do no harm, and the addresses can be used again.
    let fresh = devices[0].alloc_physical(PIECE).unwrap();
    let again = ranges[0].map(0, &fresh).unwrap();
    drop(mappings);
    drop(pieces);
    assert_eq!(value_of(&runtime, &stream, again.all()), 0);
}

#[test]
fn many_pieces_need_no_descriptors() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let count = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let range = runtime.reserve(8 << 30).unwrap();
    // A GPU's pieces are larger, so fewer of them fit.
    let (bytes, pieces) = if crate::common::on_gpu() {
        (PIECE, 100)
    } else {
        (64 << 10, 1000)
    };
    let request = PhysicalRequest {
        bytes,
        location: Location::Device(0),
        pages: PageKind::Normal,
        flags: 0,
    };
    let first = runtime.alloc_physical(request).unwrap();
    let before = count();
    let mappings: Vec<_> = (0..pieces)
        .map(|number| {
            let piece = runtime.alloc_physical(request).unwrap();
            range.map(number * request.bytes, &piece).unwrap()
        })
        .collect();
    assert!(count() < before + 50, "other tests open files too");
    stream.fill(range.slice(..pieces * bytes), 6).unwrap();
    let last = range.slice((pieces - 1) * bytes..pieces * bytes);
    assert_eq!(value_of(&runtime, &stream, last), 6);
    drop(mappings);
    assert_eq!(device.usage().charged, request.bytes);
    drop(first);
}
