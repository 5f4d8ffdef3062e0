//! The model of PyTorch's allocator against what is computed by hand. `tests/traces.rs` compares it with what PyTorch did.

use super::*;

fn segments() -> Caching {
    Caching::new(Settings::DEFAULT, u64::MAX)
}

fn expanding() -> Caching {
    Caching::new(
        Settings {
            expandable: true,
            ..Settings::DEFAULT
        },
        u64::MAX,
    )
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

#[test]
fn an_uncut_block_serves_only_requests_of_its_kind() {
    let settings = Settings {
        max_split: 64 * MIB,
        ..Settings::DEFAULT
    };
    let mut policy = Caching::new(settings, u64::MAX);
    let large = policy.alloc(0, 100 * MIB).unwrap();
    policy.free(large, 0);
    // Below 64 MiB a request may not have it.
    policy.alloc(0, 50 * MIB).unwrap();
    assert_eq!(policy.reserved(), 150 * MIB);
    // Above, it may be up to 20 MiB smaller, and gets all of it.
    policy.alloc(0, 80 * MIB).unwrap();
    assert_eq!(policy.reserved(), 230 * MIB);
    assert_eq!(policy.alloc(0, 81 * MIB), Some(large));
    policy.free(large, 0);
    assert_eq!(policy.alloc(0, 100 * MIB), Some(large));
    assert_eq!(policy.reserved(), 230 * MIB);
}

#[test]
fn rounding_to_parts_of_a_power_of_two_lets_near_sizes_share() {
    let divided = |divisions| Settings {
        divisions: Divisions::all(divisions),
        ..Settings::DEFAULT
    };
    // 33 and 39 MiB are both 40 with four divisions.
    for (divisions, held) in [(0, 34 + 40), (4, 40)] {
        let mut policy = Caching::new(divided(divisions), u64::MAX);
        let first = policy.alloc(0, 33 * MIB).unwrap();
        policy.free(first, 0);
        policy.alloc(0, 39 * MIB).unwrap();
        assert_eq!(policy.reserved(), held * MIB, "{divisions}");
    }
}

#[test]
fn a_full_device_gets_segments_without_blocks_back() {
    let mut policy = Caching::new(Settings::DEFAULT, 64 * MIB);
    let first = policy.alloc(0, 30 * MIB).unwrap();
    let second = policy.alloc(0, 30 * MIB).unwrap();
    assert_eq!(policy.alloc(0, 20 * MIB), None);
    policy.free(first, 0);
    // 28 MiB would be cut from it; 34 need the segment to go back.
    assert!(policy.alloc(0, 34 * MIB).is_some());
    assert_eq!((policy.reserved(), policy.device_calls()), (64 * MIB, 7));
    policy.free(second, 0);
    policy.trim();
    assert_eq!(policy.reserved(), 34 * MIB);
}

#[test]
fn a_full_device_makes_the_host_wait_for_other_streams() {
    let mut policy = Caching::new(Settings::DEFAULT, 40 * MIB);
    let first = policy.alloc(0, 30 * MIB).unwrap();
    policy.free_held(first, 0);
    assert_eq!(policy.alloc(0, 30 * MIB), Some(40 * MIB - 10 * MIB));
    // What the recording tells afterwards changes nothing.
    policy.settled(first);
    assert_eq!(policy.reserved(), 30 * MIB);
}

#[test]
fn expandable_pages_move_when_the_device_is_full() {
    let settings = Settings {
        expandable: true,
        ..Settings::DEFAULT
    };
    let mut policy = Caching::new(settings, 100 * MIB);
    let blocks: Vec<u64> = (0..5).map(|_| policy.alloc(0, 20 * MIB).unwrap()).collect();
    policy.free(blocks[1], 0);
    policy.free(blocks[3], 0);
    // 40 MiB are free in two pages, and their memory is needed at the end of the range.
    let last = policy.alloc(0, 40 * MIB).unwrap();
    assert_eq!(last, blocks[4] + 20 * MIB);
    assert_eq!(policy.reserved(), 100 * MIB);
    policy.free(blocks[2], 0);
    // The hole of three pages has memory behind the middle one only; 20 MiB fit there.
    assert_eq!(policy.alloc(0, 20 * MIB), Some(blocks[2]));
    assert_eq!(policy.alloc(0, 20 * MIB), None);
}

#[test]
fn garbage_is_collected_above_the_threshold() {
    let settings = Settings {
        garbage_threshold: 0.5,
        ..Settings::DEFAULT
    };
    let mut policy = Caching::new(settings, 200 * MIB);
    let blocks: Vec<u64> = [40, 40, 40]
        .map(|it| policy.alloc(0, it * MIB).unwrap())
        .to_vec();
    policy.free(blocks[0], 0);
    policy.free(blocks[1], 0);
    // 120 MiB are held, which is 20 more than half of the device: one segment goes back before the next comes.
    policy.alloc(0, 50 * MIB).unwrap();
    assert_eq!(policy.reserved(), 130 * MIB);
}
