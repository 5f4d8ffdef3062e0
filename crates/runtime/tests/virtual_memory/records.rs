//! What comes out of the tap.

use std::sync::Arc;

use millpond::trace::{Bytes, Collector, Operation, Space};
use millpond::{Location, Schedule};

use crate::PIECE;
use crate::common::{MIB, gate, open};

#[test]
fn every_step_leaves_a_record() {
    let (runtime, device) = open(Schedule::Latest);
    let stream = device.create_stream().unwrap();
    let gate = gate(&runtime);
    let collector = Arc::new(Collector::default());
    runtime.tap().attach(collector.clone());

    let range = runtime.reserve(8 * MIB).unwrap();
    let base = range.address();
    let piece = device.alloc_physical(PIECE).unwrap();
    let number = piece.number();
    // The host cannot touch what is on a GPU.
    let place = if crate::common::on_gpu() {
        Location::Device(0)
    } else {
        Location::Host
    };
    let first = range.map(0, &piece).unwrap();
    runtime.map_at(base + PIECE, &piece, false).unwrap();
    runtime.grant_at(base + PIECE, PIECE, place).unwrap();
    drop(piece);
    runtime.unmap_at(base + PIECE).unwrap();
    let refused = runtime.unmap_at(base + PIECE).unwrap_err();
    let full = device.alloc_physical(1 << 40).unwrap_err();
    stream.wait_event(&gate, None).unwrap();
    stream.fill(first.slice(..1), 1).unwrap();
    drop(first);
    drop(range);

    let seen: Vec<Operation> = collector
        .records()
        .into_iter()
        .map(|record| record.operation)
        .filter(|operation| !matches!(operation, Operation::Enqueued { .. }))
        .collect();
    let part = |offset, bytes| Bytes {
        start: base + offset,
        bytes,
    };
    assert_eq!(
        seen,
        [
            Operation::AddressesReserved {
                range: part(0, 8 * MIB)
            },
            Operation::PhysicalAllocated {
                piece: number,
                space: Space::Device(0),
                bytes: PIECE
            },
            Operation::Mapped {
                piece: number,
                range: part(0, PIECE),
                access: Some(Space::Device(0))
            },
            Operation::Mapped {
                piece: number,
                range: part(PIECE, PIECE),
                access: None
            },
            Operation::AccessGranted {
                range: part(PIECE, PIECE),
                access: place.space()
            },
            Operation::Unmapped {
                piece: number,
                range: part(PIECE, PIECE),
                retired: false
            },
            Operation::MappingRefused {
                address: base + PIECE,
                reason: refused.to_string()
            },
            Operation::AllocationFailed {
                space: Space::Device(0),
                requested: 1 << 40,
                reason: full.to_string()
            },
            Operation::Unmapped {
                piece: number,
                range: part(0, PIECE),
                retired: true
            },
            Operation::PhysicalFreed {
                piece: number,
                bytes: PIECE,
                retired: true
            },
            Operation::AddressesReleased {
                range: part(0, 8 * MIB),
                retired: true
            },
        ]
    );
}
