//! The model of PyTorch's allocator against what is computed by hand, and against what PyTorch
//! itself did in recorded runs.

use std::io::{self, Write as _};

use super::caching::{Caching, Growth};
use crate::policy::Policy;
use crate::{read, replay, shared_traces};

const MIB: u64 = 1 << 20;

fn segments() -> Caching {
    Caching::new(Growth::Segments)
}

fn expanding() -> Caching {
    Caching::new(Growth::Expanding)
}

#[test]
fn segments_are_as_long_as_is_said() {
    let rows = [
        (1, 2 * MIB),
        (MIB, 2 * MIB),
        (MIB + 1, 20 * MIB),
        (10 * MIB - 512, 20 * MIB),
        (10 * MIB, 10 * MIB),
        (10 * MIB + 1, 12 * MIB),
        (131_072_000, 132_120_576),
    ];
    for (bytes, reserved) in rows {
        let mut policy = segments();
        policy.alloc(0, bytes).unwrap();
        assert_eq!(policy.reserved(), reserved, "{bytes} bytes");
    }
}

#[test]
fn a_large_block_is_cut_only_if_more_than_a_mebibyte_is_left() {
    let mut policy = segments();
    let first = policy.alloc(0, 16 * MIB).unwrap();
    policy.free(first, 0);
    // Exactly one MiB over: the whole block goes, and the next request needs a segment.
    assert_eq!(policy.alloc(0, 15 * MIB), Some(first));
    policy.alloc(0, MIB + 512).unwrap();
    assert_eq!(policy.reserved(), 36 * MIB);
    policy.free(first, 0);
    // A little more over: it is cut, and the rest serves the next.
    assert_eq!(policy.alloc(0, 15 * MIB - 512), Some(first));
    assert_eq!(policy.alloc(0, MIB + 512), Some(first + 15 * MIB - 512));
    assert_eq!(policy.reserved(), 36 * MIB);
}

#[test]
fn the_best_fit_is_taken_and_neighbours_merge() {
    let mut policy = segments();
    let blocks: Vec<u64> = (0..4).map(|_| policy.alloc(0, 4 * MIB).unwrap()).collect();
    assert_eq!(policy.reserved(), 20 * MIB);
    // Free: the 4 MiB at the end of the segment, and then the second block.
    policy.free(blocks[1], 0);
    assert_eq!(
        policy.alloc(0, 4 * MIB),
        Some(blocks[1]),
        "the lower of two equals"
    );
    policy.free(blocks[1], 0);
    policy.free(blocks[2], 0);
    // 8 MiB in the middle and 4 at the end: 3 MiB come from the end, 8 from the middle.
    assert_eq!(policy.alloc(0, 3 * MIB), Some(16 * MIB));
    assert_eq!(policy.alloc(0, 8 * MIB), Some(blocks[1]));
    assert_eq!(policy.reserved(), 20 * MIB);
}

#[test]
fn segments_streams_and_kinds_do_not_share() {
    let mut policy = segments();
    for bytes in [10 * MIB, 10 * MIB] {
        policy.alloc(0, bytes).unwrap();
    }
    policy.free(0, 0);
    policy.free(10 * MIB, 0);
    policy.alloc(0, 20 * MIB).unwrap();
    assert_eq!(policy.reserved(), 40 * MIB, "two segments do not merge");
    policy.alloc(1, 10 * MIB).unwrap();
    assert_eq!(
        policy.reserved(),
        50 * MIB,
        "another stream's are not for this one"
    );
    policy.alloc(0, MIB).unwrap();
    assert_eq!(
        policy.reserved(),
        52 * MIB,
        "nor are large ones for small requests"
    );
}

#[test]
fn an_expanding_range_grows_by_what_its_end_lacks() {
    let mut policy = expanding();
    let first = policy.alloc(0, 16 * MIB).unwrap();
    assert_eq!(policy.reserved(), 20 * MIB);
    // 4 MiB are free at the end: 30 MiB need 26 more, in steps of 20.
    let second = policy.alloc(0, 30 * MIB).unwrap();
    assert_eq!((second - first, policy.reserved()), (16 * MIB, 60 * MIB));
    // 14 MiB are free at the end, and 16 in front once the first is freed: the end is kept for last.
    policy.free(first, 0);
    assert_eq!(policy.alloc(0, 12 * MIB), Some(first));
    assert_eq!(policy.alloc(0, 4 * MIB), Some(first + 12 * MIB));
    assert_eq!(policy.reserved(), 60 * MIB);
}

#[test]
fn a_block_that_another_stream_used_comes_back_when_that_is_seen_to_have_passed() {
    for mut policy in [segments(), expanding()] {
        policy.begin(0);
        let block = policy.alloc(0, 16 * MIB).unwrap();
        policy.record_use(block, 1);
        policy.free(block, 1);
        assert_ne!(policy.alloc(0, 16 * MIB), Some(block));
        policy.begin(1);
        policy.completed(1, 0);
        assert_eq!(policy.alloc(0, 16 * MIB), Some(block));
    }
}

/// Says it past the test harness, which shows nothing of a test that passes.
fn say(text: &str) {
    // Where standard error is closed there is nobody to tell.
    drop(writeln!(io::stderr(), "{text}"));
}

/// The test of the model: on every recorded run with one stream it holds what PyTorch held.
#[test]
fn it_holds_what_pytorch_held() {
    let Some(folder) = shared_traces() else {
        say("skipped: no recorded traces here; set MILLPOND_TRACES to a folder of them");
        return;
    };
    for trace in read::folder(&folder).unwrap() {
        let Some(recorded) = trace
            .recorded_reserved
            .filter(|_| trace.streams().len() == 1)
        else {
            say(&format!(
                "skipped: {} has several streams or no segments",
                trace.name
            ));
            continue;
        };
        let (held, _) = replay::memory(&trace, &mut segments()).unwrap();
        let off = held.abs_diff(recorded);
        assert!(
            off * 100 <= recorded * 3,
            "{}: {held} for {recorded}",
            trace.name
        );
    }
}
