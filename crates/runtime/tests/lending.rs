//! Pages that two runtimes map: lent by one, imported by the other.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "common/mod.rs"]
mod common;

use common::{MIB, config, open};
use millpond::{
    Config, Device, DeviceBlock, Error, Lent, Location, Mapping, Reservation, Runtime, Schedule,
};

/// What was imported, with the addresses that it has.
struct Imported {
    mapping: Mapping,
    /// Bytes of whole pages in front of what was lent, and how many that was.
    skip: u64,
    bytes: u64,
    _range: Reservation,
}

impl Imported {
    fn all(&self) -> millpond::Slice<'_> {
        self.mapping.slice(self.skip..self.skip + self.bytes)
    }
}

fn import(runtime: &Runtime, lent: Lent, bytes: u64) -> (Imported, millpond::Lease) {
    let range = runtime.reserve(lent.request.bytes).unwrap();
    let memory = runtime
        .import_pages(lent.pages, lent.request, Box::new(()))
        .unwrap();
    let mapping = range.map(0, &memory).unwrap();
    let imported = Imported {
        mapping,
        skip: lent.skip,
        bytes,
        _range: range,
    };
    (imported, lent.lease)
}

fn fill(device: &Device, at: millpond::Slice<'_>, byte: u8) {
    let stream = device.create_stream().unwrap();
    stream.fill(at, byte).unwrap();
    stream.synchronize().unwrap();
}

fn first_and_last(runtime: &Runtime, device: &Device, at: &Imported) -> (u8, u8) {
    let mut host = runtime.alloc_host(2).unwrap();
    let stream = device.create_stream().unwrap();
    let (first, last) = (at.skip, at.skip + at.bytes - 1);
    for (place, from) in [(0, first), (1, last)] {
        let byte = at.mapping.slice(from..=from);
        stream.copy(host.slice(place..=place), byte).unwrap();
    }
    stream.synchronize().unwrap();
    let bytes = host.bytes().unwrap();
    (bytes[0], bytes[1])
}

#[test]
fn both_see_the_same_bytes_and_freeing_takes_nothing_away() {
    for guards in [false, true] {
        let one = Runtime::new(Config {
            guards,
            ..config(Schedule::Eager)
        })
        .unwrap();
        let device = one.device(0).unwrap();
        let (other, theirs) = open(Schedule::Eager);
        let block = device.alloc(4 * MIB).unwrap();
        fill(&device, block.all(), 5);
        let range = one.shared_range(block.address(), block.len()).unwrap();
        let (imported, lease) = import(&other, one.lend(&range).unwrap(), 4 * MIB);
        assert_eq!(first_and_last(&other, &theirs, &imported), (5, 5));
        fill(&theirs, imported.all(), 6);
        let mut bytes = vec![0; 4 << 20];
        block.read(&mut bytes).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 6));
        assert_eq!(theirs.usage().charged, 0, "the pages are the lender's");

        // Freed, and every byte of the device is written; the importer still has its own.
        drop(block);
        assert!(matches!(one.lend(&range), Err(Error::NotABlock { .. })));
        let fresh: Vec<DeviceBlock> = (0..60).map(|_| device.alloc(4 * MIB).unwrap()).collect();
        for block in &fresh {
            fill(&device, block.all(), 9);
        }
        drop(fresh);
        device.reset().unwrap();
        let fresh = device.alloc(200 * MIB).unwrap();
        fill(&device, fresh.all(), 9);
        drop(fresh);
        device.trim().unwrap();
        assert_eq!(first_and_last(&other, &theirs, &imported), (6, 6));

        drop((imported, lease));
        let before = device.resident().unwrap();
        device.trim().unwrap();
        assert!(device.resident().unwrap() < before || guards, "they go now");
    }
}

#[test]
fn pages_that_are_not_in_order_arrive_in_order() {
    let (one, device) = open(Schedule::Eager);
    let (other, theirs) = open(Schedule::Eager);
    // Holes of 4 MiB all over the device, which a large block is made of.
    let mut small: Vec<Option<DeviceBlock>> =
        (0..64).map(|_| device.alloc(4 * MIB - 64).ok()).collect();
    for hole in small.iter_mut().step_by(2) {
        *hole = None;
    }
    let large = device.alloc(64 * MIB).unwrap();
    assert!(device.statistics().pages_moved > 0, "pages were borrowed");
    for (number, byte) in (0..64).zip(1..) {
        fill(&device, large.slice(number * MIB..(number + 1) * MIB), byte);
    }
    let range = one.shared_range(large.address() + MIB, 62 * MIB).unwrap();
    let lent = one.lend(&range).unwrap();
    assert!(lent.pages.parts.len() > 1);
    // Pages of a GPU are whole handles.
    assert_eq!(lent.skip, if common::on_gpu() { MIB } else { 0 });
    let (imported, _lease) = import(&other, lent, 62 * MIB);
    assert_eq!(first_and_last(&other, &theirs, &imported), (2, 63));
}

#[test]
fn a_range_inside_a_page_and_a_piece_can_be_lent() {
    let (one, device) = open(Schedule::Eager);
    let (other, theirs) = open(Schedule::Eager);
    let block = device.alloc(1000).unwrap();
    let range = one.shared_range(block.address() + 100, 200).unwrap();
    let lent = one.lend(&range).unwrap();
    let page = if common::on_gpu() { 2 * MIB } else { 4096 };
    assert_eq!(lent.skip, (block.address() + 100) % page);
    assert!(one.shared_range(block.address() + 100, 20_000).is_err());
    assert!(one.shared_range(block.address(), 0).is_err());
    let host = one.alloc_host(64).unwrap();
    assert!(matches!(
        one.shared_range(host.info().address, 64),
        Err(Error::WrongSpace { .. })
    ));
    assert!(one.shared_range(16, 64).is_err());
    drop(lent);

    let piece = device.alloc_physical(2 * MIB).unwrap();
    let number = piece.export_as(Some(1234), false).unwrap();
    assert_eq!(number, 1234);
    assert!(one.lend_physical(number, 7).unwrap().is_none());
    one.allow_importers(number, &[7]).unwrap();
    let lent = one.lend_physical(number, 7).unwrap().unwrap();
    assert_eq!(lent.request.location, Location::Device(0));
    let (imported, lease) = import(&other, lent, 2 * MIB);
    let reserved = one.reserve(2 * MIB).unwrap();
    let own = reserved.map(0, &piece).unwrap();
    fill(&device, own.all(), 3);
    assert_eq!(first_and_last(&other, &theirs, &imported), (3, 3));
    let inside = one.shared_range(own.address() + MIB, MIB).unwrap();
    let part = one.lend(&inside).unwrap();
    let whole = if common::on_gpu() { MIB } else { 0 };
    assert_eq!(part.pages.bytes(), Some(whole + MIB));
    assert_eq!(part.skip, whole);
    drop(part);
    drop((own, piece));
    assert!(one.lend_physical(number, 7).is_err(), "it was freed");
    let next = device.alloc_physical(2 * MIB).unwrap();
    let reserved = one.reserve(2 * MIB).unwrap();
    let next = reserved.map(0, &next).unwrap();
    fill(&device, next.all(), 4);
    assert_eq!(first_and_last(&other, &theirs, &imported), (3, 3));
    drop((imported, lease));
    one.leases_ended();
}
