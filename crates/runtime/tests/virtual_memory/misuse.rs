//! What is refused, and that a refusal changes nothing.
#![expect(unsafe_code, reason = "the interface by address")]

use millpond::raw::{FillValue, RawFill};
use millpond::{Config, Error, Location, MappingError, Runtime, Schedule};

use crate::common::{MIB, config, open};
use crate::{PIECE, refusal};

#[test]
fn copies_find_holes_ends_and_missing_access() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let range = runtime.reserve(8 * MIB).unwrap();
    let base = range.address();
    let pieces = [1, 2].map(|_| device.alloc_physical(PIECE).unwrap());
    let fill = |from: u64, bytes: u64| refusal(stream.fill(range.slice(from..from + bytes), 1));
    let hole = |offset| MappingError::NotMapped {
        address: base + offset,
    };
    assert_eq!(fill(0, 1), hole(0));
    let _low = range.map(0, &pieces[0]).unwrap();
    assert_eq!(fill(0, PIECE + 1), hole(PIECE));
    assert_eq!(fill(PIECE, 1), hole(PIECE));
    let _high = range.map(2 * PIECE, &pieces[1]).unwrap();
    assert_eq!(fill(0, 3 * PIECE), hole(PIECE));
    runtime
        .map_at(base + PIECE, &pieces[1], false)
        .expect("a second place, without access");
    let no_access = MappingError::NoAccess {
        address: base + PIECE,
    };
    assert_eq!(fill(PIECE - 1, 2), no_access);
    let own = Location::Device(0);
    assert_eq!(runtime.has_access_at(base + PIECE, own), Ok(false));
    runtime.grant_at(base, 3 * PIECE, own).unwrap();
    assert_eq!(runtime.has_access_at(base + PIECE, own), Ok(true));
    stream.fill(range.slice(..3 * PIECE), 1).unwrap();
    stream.synchronize().unwrap();
    // At once, too.
    let now = RawFill {
        to: base + 3 * PIECE - 1,
        room: 2,
        bytes: 2,
        value: FillValue::Byte(1),
    };
    // SAFETY: all of the range is memory of the runtime, or of nobody.
    let moved = unsafe { device.fill_at(&now) };
    assert_eq!(refusal(moved.map_err(|error| *error)), hole(3 * PIECE));
    runtime.unmap_at(base + PIECE).unwrap();
}

#[test]
fn mapping_fits_its_reservation_and_overlaps_nothing() {
    let (runtime, device) = open(Schedule::Eager);
    let range = runtime.reserve(4 * PIECE).unwrap();
    let base = range.address();
    let piece = device.alloc_physical(2 * PIECE).unwrap();
    let beyond = refusal(range.map(3 * PIECE, &piece));
    assert!(matches!(beyond, MappingError::BeyondReservation { .. }));
    let outside = refusal(range.map(4 * PIECE, &piece));
    assert!(matches!(outside, MappingError::NotReserved { .. }));
    assert!(range.map(u64::MAX, &piece).is_err());
    let askew = range.map(4096, &piece);
    assert!(matches!(askew, Err(Error::Unaligned { .. })), "{askew:?}");
    let mapping = range.map(PIECE, &piece).unwrap();
    for offset in [0, PIECE, 2 * PIECE] {
        let occupied = refusal(range.map(offset, &piece));
        assert_eq!(
            occupied,
            MappingError::Occupied {
                address: base + offset,
                bytes: 2 * PIECE,
                start: base + PIECE,
                length: 2 * PIECE,
            }
        );
    }
    let inside = refusal(runtime.unmap_at(base + 2 * PIECE));
    assert!(matches!(inside, MappingError::InsideMapping { .. }));
    let nothing = refusal(runtime.unmap_at(base));
    assert_eq!(nothing, MappingError::NotMapped { address: base });
    let left = refusal(runtime.release_at(base));
    assert_eq!(
        left,
        MappingError::MappingsLeft {
            start: base,
            left: 1
        }
    );
    let part = refusal(runtime.grant_at(base + PIECE, PIECE, Location::Host));
    assert!(matches!(part, MappingError::PartOfMapping { .. }));
    let middle = refusal(runtime.release_at(base + 4096));
    assert!(matches!(middle, MappingError::InsideReservation { .. }));
    drop(mapping);
    assert!(runtime.find_mapping(base + PIECE).is_err());
}

#[test]
fn reserved_addresses_are_not_blocks() {
    let (runtime, device) = open(Schedule::Eager);
    let range = runtime.reserve(4 * MIB).unwrap();
    let base = range.address();
    let piece = device.alloc_physical(PIECE).unwrap();
    let mapping = range.map(0, &piece).unwrap();
    for address in [base, base + PIECE] {
        for freed in [runtime.free_at(address), runtime.free_host_at(address)] {
            let error = refusal(freed.map_err(|error| *error));
            assert_eq!(error, MappingError::NotABlock { address });
        }
    }
    assert!(runtime.find_block(base).is_err());
    assert_eq!(
        runtime.find_mapping(base + 1).unwrap().memory,
        piece.number()
    );
    drop(mapping);
    drop(range);
    assert!(!runtime.is_reserved(base));
    let error = refusal(runtime.release_at(base));
    assert_eq!(error, MappingError::NotReserved { address: base });
}

#[test]
fn one_reservation_takes_memory_of_one_device_at_a_time() {
    let runtime = Runtime::new(Config {
        devices: 2,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let [one, two] = [0, 1].map(|index| {
        let device = runtime.device(index).unwrap();
        device.alloc_physical(PIECE).unwrap()
    });
    let range = runtime.reserve(4 * MIB).unwrap();
    let mapping = range.map(0, &one).unwrap();
    let error = refusal(range.map(PIECE, &two));
    assert!(matches!(error, MappingError::OtherPlace { .. }), "{error}");
    drop(mapping);
    drop(range.map(PIECE, &two).unwrap());
}

#[test]
fn sizes_are_whole_pages_and_places_exist() {
    let (runtime, device) = open(Schedule::Eager);
    for bytes in [1, PIECE - 1, PIECE + 4096] {
        let error = refusal(device.alloc_physical(bytes));
        assert_eq!(error, MappingError::NotWholePages { bytes, page: PIECE });
    }
    assert!(matches!(
        device.alloc_physical(0),
        Err(Error::BadSize { .. })
    ));
    assert!(matches!(runtime.reserve(0), Err(Error::BadSize { .. })));
    assert!(matches!(runtime.reserve(u64::MAX), Err(Error::Device(_))));
    let nowhere = runtime.physical_granularity(Location::Device(0), millpond::PageKind::Huge);
    assert_eq!(nowhere, Ok(PIECE));
    let error = runtime.alloc_physical(millpond::PhysicalRequest {
        bytes: PIECE,
        location: Location::Device(7),
        pages: millpond::PageKind::Huge,
        flags: 0,
    });
    assert!(matches!(error, Err(Error::NoSuchDevice { index: 7, .. })));
}
