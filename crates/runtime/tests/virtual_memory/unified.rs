//! Where program and device are one, and memory that the program may touch in any mode.
#![expect(
    unsafe_code,
    reason = "dereferences mapped addresses, which these modes allow"
)]

use millpond::{Config, Location, PageKind, PhysicalRequest, Runtime, Schedule};

use crate::common::{MIB, config};
use crate::{PIECE, value_of};

fn bytes_at(address: u64) -> &'static mut [u8] {
    let start = std::ptr::with_exposed_provenance_mut(usize::try_from(address).unwrap());
    // SAFETY: tests name mappings that the program may touch, that live as long as the answer is used,
    // and that no queued work names.
    unsafe { std::slice::from_raw_parts_mut(start, usize::try_from(PIECE).unwrap()) }
}

#[test]
fn in_unified_mode_the_program_touches_what_is_mapped() {
    if crate::common::skipped_on_gpu("the program cannot touch its memory") {
        return;
    }
    let runtime = Runtime::new(Config {
        unified: true,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let device = runtime.device(0).unwrap();
    let stream = device.create_stream().unwrap();
    let range = runtime.reserve(8 * MIB).unwrap();
    let piece = device.alloc_physical(PIECE).unwrap();
    let mapping = range.map(PIECE, &piece).unwrap();
    stream.fill(mapping.all(), 7).unwrap();
    stream.synchronize().unwrap();
    let bytes = bytes_at(mapping.address());
    assert!(bytes.iter().all(|byte| *byte == 7));
    bytes.fill(8);
    drop(mapping);
    // Without access nobody may, and then the program too.
    let base = range.address();
    runtime.map_at(base, &piece, false).unwrap();
    assert!(stream.fill(range.slice(..1), 1).is_err());
    runtime.grant_at(base, PIECE, Location::Device(0)).unwrap();
    assert!(bytes_at(base).iter().all(|byte| *byte == 8));
    bytes_at(base).fill(9);
    assert_eq!(value_of(&runtime, &stream, range.slice(..PIECE)), 9);
    runtime.unmap_at(base).unwrap();
}

#[test]
fn memory_of_the_host_is_touched_by_the_program_in_any_mode() {
    for unified in [false, true] {
        if unified && crate::common::skipped_on_gpu("the program cannot touch its memory") {
            break;
        }
        let runtime = Runtime::new(Config {
            unified,
            ..config(Schedule::Eager)
        })
        .unwrap();
        let device = runtime.device(0).unwrap();
        let stream = device.create_stream().unwrap();
        let range = runtime.reserve(4 * MIB).unwrap();
        let request = PhysicalRequest {
            bytes: PIECE,
            location: Location::Host,
            pages: PageKind::Huge,
            flags: 0,
        };
        let piece = runtime.alloc_physical(request).unwrap();
        let mapping = range.map(0, &piece).unwrap();
        bytes_at(mapping.address()).fill(3);
        let block = device.alloc(PIECE).unwrap();
        stream.copy(block.all(), mapping.all()).unwrap();
        stream.fill(mapping.all(), 4).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(crate::common::value_of(&block), 3, "unified: {unified}");
        assert!(bytes_at(mapping.address()).iter().all(|byte| *byte == 4));
    }
}

#[test]
fn a_program_that_asks_for_it_touches_memory_of_a_device() {
    let runtime = Runtime::new(config(Schedule::Eager)).unwrap();
    let device = runtime.device(0).unwrap();
    let stream = device.create_stream().unwrap();
    let range = runtime.reserve(4 * MIB).unwrap();
    let piece = device.alloc_physical(PIECE).unwrap();
    let mapping = range.map(0, &piece).unwrap();
    stream.fill(mapping.all(), 6).unwrap();
    stream.synchronize().unwrap();
    let (base, bytes) = (mapping.address(), mapping.len());
    let granted = runtime.grant_at(base, bytes, Location::Host);
    if crate::common::on_gpu() {
        let refused = granted.unwrap_err().to_string();
        assert!(refused.contains("the program cannot touch"), "{refused}");
        assert_eq!(value_of(&runtime, &stream, mapping.all()), 6);
        return;
    }
    granted.unwrap();
    assert!(bytes_at(base).iter().all(|byte| *byte == 6));
}
