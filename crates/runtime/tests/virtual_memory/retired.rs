//! Unmapping while queued work uses what is mapped: nothing waits, and the work finds its bytes.

use millpond::{MappingError, Runtime, Schedule};

use crate::common::{LONG, MIB, gate, open, open_under_every_schedule, within};
use crate::{PIECE, refusal, value_of};

#[test]
fn work_that_was_queued_before_an_unmap_finds_its_bytes() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let other = device.create_stream().unwrap();
        let block = device.alloc(PIECE).unwrap();
        let range = runtime.reserve(8 * MIB).unwrap();
        let base = range.address();
        let piece = device.alloc_physical(PIECE).unwrap();
        let mapping = range.map(0, &piece).unwrap();
        stream.fill(mapping.all(), 7).unwrap();
        stream.synchronize().unwrap();
        // Stands still until this thread, which must not wait, records the event.
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        stream.copy(block.all(), mapping.all()).unwrap();
        drop(mapping);
        drop(piece);
        assert_eq!(device.usage().charged, PIECE, "only the block");
        let unseen = refusal(runtime.unmap_at(base));
        assert_eq!(unseen, MappingError::NotMapped { address: base });
        assert!(other.fill(range.slice(..1), 1).is_err());

        let fresh = device.alloc_physical(PIECE).unwrap();
        let queued = refusal(range.map(0, &fresh));
        let task = Some((stream.id(), 3));
        assert_eq!(queued, MappingError::StillQueued { start: base, task });
        let text = queued.to_string();
        assert!(
            text.contains(&format!("stream {}", stream.id())) && text.contains("synchronise"),
            "{text}"
        );
        // Beside it there is no reason to wait.
        let beside = range.map(PIECE, &fresh).unwrap();
        other.fill(beside.all(), 1).unwrap();
        drop(beside);
        other.synchronize().unwrap();

        other.record(&gate).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(crate::common::value_of(&block), 7, "{schedule:?}");
        let mapping = range.map(0, &fresh).unwrap();
        assert_eq!(
            value_of(&runtime, &stream, mapping.all()),
            1,
            "{schedule:?}"
        );
    });
}

#[test]
fn addresses_and_memory_go_when_the_work_has_passed() {
    within(LONG, || {
        let (runtime, device) = open(Schedule::Latest);
        let stream = device.create_stream().unwrap();
        let range = runtime.reserve(8 * MIB).unwrap();
        let base = range.address();
        let piece = device.alloc_physical(PIECE).unwrap();
        let mapping = range.map(0, &piece).unwrap();
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        stream.fill(mapping.all(), 7).unwrap();
        drop((mapping, piece, range));
        assert!(runtime.is_reserved(base), "work will touch it");
        let error = refusal(runtime.release_at(base));
        assert_eq!(error, MappingError::NotReserved { address: base });
        let other = device.create_stream().unwrap();
        other.record(&gate).unwrap();
        stream.synchronize().unwrap();
        // The next call of this kind tidies up.
        drop(runtime.reserve(MIB).unwrap());
        assert!(!runtime.is_reserved(base));
    });
}

#[test]
fn several_streams_are_all_waited_for() {
    within(LONG, || {
        let (runtime, device) = open(Schedule::Latest);
        let range = runtime.reserve(8 * MIB).unwrap();
        let piece = device.alloc_physical(PIECE).unwrap();
        let mapping = range.map(0, &piece).unwrap();
        let streams = [1, 2, 3].map(|_| device.create_stream().unwrap());
        let gates = [1, 2, 3].map(|_| gate(&runtime));
        for (stream, gate) in std::iter::zip(&streams, &gates) {
            stream.wait_event(gate, None).unwrap();
            stream.fill(mapping.all(), 1).unwrap();
        }
        drop(mapping);
        let other = device.create_stream().unwrap();
        let still = |runtime: &Runtime| {
            let again = runtime.map_at(range.address(), &piece, true);
            match again {
                Ok(()) => None,
                Err(error) => match refusal::<()>(Err(error)) {
                    MappingError::StillQueued { task, .. } => task,
                    other => panic!("{other}"),
                },
            }
        };
        for (stream, gate) in std::iter::zip(&streams, &gates) {
            assert_eq!(still(&runtime), Some((stream.id(), 2)));
            other.record(gate).unwrap();
            stream.synchronize().unwrap();
        }
        assert_eq!(still(&runtime), None);
        runtime.unmap_at(range.address()).unwrap();
    });
}

#[test]
fn work_that_is_thrown_away_keeps_nothing() {
    open_under_every_schedule(|schedule, runtime, device| {
        let stream = device.create_stream().unwrap();
        let range = runtime.reserve(8 * MIB).unwrap();
        let piece = device.alloc_physical(PIECE).unwrap();
        let mapping = range.map(0, &piece).unwrap();
        let gate = gate(&runtime);
        stream.wait_event(&gate, None).unwrap();
        stream.fill(mapping.all(), 7).unwrap();
        drop(mapping);
        stream.destroy_force();
        let mapping = range.map(0, &piece).unwrap();
        let other = device.create_stream().unwrap();
        assert_eq!(value_of(&runtime, &other, mapping.all()), 0, "{schedule:?}");
    });
}

#[test]
fn a_runtime_that_is_dropped_with_work_queued_drops_its_mappings() {
    open_under_every_schedule(|_, runtime, device| {
        let stream = device.create_stream().unwrap();
        let range = runtime.reserve(8 * MIB).unwrap();
        let piece = device.alloc_physical(PIECE).unwrap();
        let mapping = range.map(0, &piece).unwrap();
        for _ in 0..20 {
            stream.fill(mapping.all(), 7).unwrap();
        }
        drop((mapping, piece, range));
        drop((stream, device, runtime));
    });
}
