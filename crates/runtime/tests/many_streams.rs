//! Many streams, few threads. Alone in its process, so that its threads can be counted.

#[path = "common/mod.rs"]
mod common;

use std::collections::BTreeMap;

use common::{LONG, bytes_of, open, threads, within};
use millpond::Schedule;

/// Each stream passes one byte through `copies` slots of a block of its own.
fn relay(schedule: Schedule, streams: u64, copies: u64) -> usize {
    let (_runtime, device) = open(schedule);
    let lanes: Vec<_> = (0..streams)
        .map(|_| {
            let stream = device
                .create_stream()
                .expect("fewer streams than the limit");
            let block = device.alloc(copies + 1).expect("a small block");
            (stream, block)
        })
        .collect();
    for (value, (_, block)) in (0_u64..).zip(&lanes) {
        let value = value.to_le_bytes()[0];
        block.write(&[value]).expect("a live block");
    }
    for slot in 0..copies {
        for (stream, block) in &lanes {
            let (from, to) = (block.slice(slot..=slot), block.slice(slot + 1..slot + 2));
            stream.copy(to, from).expect("an open stream");
        }
    }
    let most = threads();
    device.synchronize().expect("nothing fails");
    for (value, (_, block)) in (0_u64..).zip(&lanes) {
        let bytes = bytes_of(block);
        let value = value.to_le_bytes()[0];
        assert!(bytes.iter().all(|byte| *byte == value), "{schedule:?}");
    }
    most.max(threads())
}

#[test]
fn a_thousand_streams_copy_with_a_handful_of_threads() {
    // The test's own threads: the harness, this one, and the one that the body runs on.
    let own = threads() + 1;
    let mut most = BTreeMap::new();
    for schedule in [Schedule::Eager, Schedule::Latest, Schedule::Seeded(1)] {
        let threads = within(2 * LONG, move || relay(schedule, 1000, 25));
        most.insert(format!("{schedule:?}"), threads - own);
    }
    // Two workers, or one keeper; those of the last schedule may still be on their way out.
    assert!(most.values().all(|threads| *threads <= 5), "{most:?}");
}
