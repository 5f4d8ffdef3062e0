//! What the pool of an AscendCL runtime reports to `records`: its callbacks report blocks, its sources of memory report pages.
//!
//! Each begins with `records::on`, one load and a branch, so that a program that records nothing pays no more.

use millpond_pool::GRANULE;
use millpond_trace::Bytes;

use crate::lane::Lane;
use crate::records;

/// The types of the descriptor's functions; a call has no other name.
const ALLOC: &str = "aclrtAllocatorAllocFunc";
const FREE: &str = "aclrtAllocatorFreeFunc";

/// An arena was made on a device of so many bytes.
pub(crate) fn began(runtime_records: bool, device: i32, bytes: u64) {
    records::begin_pool(runtime_records);
    records::device("millpondAllocatorCreate", device, bytes);
}

fn lane(device: i32, lane: &Lane) -> records::Lane {
    records::Lane {
        device,
        handle: lane.stream,
    }
}

#[inline]
pub(crate) fn allocated(device: i32, stream: &Lane, address: u64, requested: u64) {
    if records::on() {
        let range = Bytes {
            start: address,
            bytes: requested.max(1).next_multiple_of(GRANULE),
        };
        records::allocated(ALLOC, lane(device, stream), range, requested);
    }
}

#[inline]
pub(crate) fn refused(device: i32, requested: u64, reason: impl std::fmt::Display) {
    if records::on() {
        records::refused(ALLOC, device, requested, &reason.to_string());
    }
}

/// A block will be freed in the order of a stream, which may be another than it was allocated for.
#[inline]
pub(crate) fn freed(device: i32, stream: &Lane, address: u64) {
    if records::on() {
        records::used(address, lane(device, stream));
        records::freed(FREE, address);
    }
}

/// A piece of device memory was added.
#[inline]
pub(crate) fn added(device: i32, address: u64, bytes: u64) {
    if records::on() {
        let start = address;
        records::mapped(ALLOC, device, Bytes { start, bytes }, bytes);
    }
}

/// A piece goes back to the device.
#[inline]
pub(crate) fn returned(address: u64, bytes: u64) {
    if records::on() {
        let start = address;
        records::unmapped("millpondAllocatorTrim", Bytes { start, bytes });
    }
}
