//! The arena against a simple model: an ordered map of live ranges.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::PAGE;

const RANGE: u64 = 64 << 20;

fn nothing((): &mut ()) {}

#[derive(Debug, Clone)]
enum Step {
    Alloc { bytes: u64, align: u64 },
    Retire { nth: usize },
    Reclaim { nth: usize },
    Find { offset: u64 },
    MergeKept,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let bytes = prop_oneof![
        1_u64..2000,
        1_u64..300_000,
        Just(PAGE),
        Just(3 * PAGE),
        Just(RANGE),
        Just(u64::MAX)
    ];
    let align = prop_oneof![Just(1_u64), Just(512), Just(4096), Just(PAGE)];
    let step = prop_oneof![
        4 => (bytes, align).prop_map(|(bytes, align)| Step::Alloc { bytes, align }),
        3 => any::<usize>().prop_map(|nth| Step::Retire { nth }),
        3 => any::<usize>().prop_map(|nth| Step::Reclaim { nth }),
        1 => Just(Step::MergeKept),
        1 => (0..RANGE + 10).prop_map(|offset| Step::Find { offset }),
    ];
    prop::collection::vec(step, 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn blocks_never_overlap_and_everything_merges_again(steps in steps()) {
        let mut arena = Arena::new(RANGE);
        let mut live: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        let mut retired: Vec<(BlockId, u64, u64)> = Vec::new();
        let mut serial = 0_u64;
        for step in steps {
            match step {
                Step::Alloc { bytes, align } => {
                    serial += 1;
                    let free = arena.free_bytes();
                    match arena.alloc(bytes, align, |tag| *tag = serial) {
                        Ok(grant) => {
                            prop_assert!(grant.bytes >= bytes && grant.bytes < bytes + GRANULE);
                            prop_assert_eq!(grant.offset % align.max(GRANULE), 0);
                            prop_assert!(grant.offset + grant.bytes <= RANGE);
                            let end = grant.offset + grant.bytes;
                            let neighbour = live.range(..end).next_back();
                            prop_assert!(neighbour.is_none_or(|(at, (len, _))| at + len <= grant.offset));
                            prop_assert!(retired.iter().all(|(_, at, len)| at + len <= grant.offset || *at >= end));
                            live.insert(grant.offset, (grant.bytes, serial));
                        }
                        Err(exhausted) => {
                            prop_assert!(exhausted.largest_free < bytes.saturating_add(align));
                            prop_assert!(arena.free_bytes() >= free);
                        }
                    }
                }
                Step::Retire { nth } if !live.is_empty() => {
                    let offset = *live.keys().nth(nth % live.len()).unwrap();
                    let (bytes, serial) = live.remove(&offset).unwrap();
                    let (id, length) = arena.retire(offset).unwrap();
                    prop_assert_eq!((length, *arena.tag(id)), (bytes, serial));
                    prop_assert!(arena.retire(offset).is_err(), "twice");
                    retired.push((id, offset, bytes));
                }
                Step::Reclaim { nth } if !retired.is_empty() => {
                    let (id, _, _) = retired.swap_remove(nth % retired.len());
                    arena.reclaim(id);
                }
                Step::MergeKept => arena.merge_kept(),
                Step::Find { offset } => {
                    let model = live.range(..=offset).next_back()
                        .filter(|(at, (len, _))| offset - **at < *len)
                        .map(|(at, (_, serial))| (*at, *serial));
                    let found = arena.find(offset).map(|found| (found.offset, *found.tag));
                    prop_assert_eq!(found, model);
                }
                _ => {}
            }
            arena.assert_sound(RANGE);
            prop_assert_eq!(arena.live(), live.len());
        }
        for offset in live.into_keys() {
            let (id, _) = arena.retire(offset).unwrap();
            arena.reclaim(id);
        }
        for (id, _, _) in retired {
            arena.reclaim(id);
        }
        arena.merge_kept();
        arena.assert_sound(RANGE);
        prop_assert_eq!(arena.largest_free(), RANGE, "everything coalesces");
    }
}

#[test]
fn an_interior_offset_is_told_from_an_unknown_one() {
    let mut arena = Arena::new(RANGE);
    let grant = arena.alloc(5000, 1, nothing).unwrap();
    let inside = NotLive {
        inside: Some(grant.offset),
    };
    assert_eq!(arena.retire(grant.offset + 512).unwrap_err(), inside);
    assert_eq!(arena.retire(grant.offset + 1).unwrap_err(), inside);
    assert_eq!(
        arena.retire(grant.offset + (1 << 20)).unwrap_err(),
        NotLive { inside: None }
    );
    assert_eq!(
        arena.retire(u64::MAX - 511).unwrap_err(),
        NotLive { inside: None }
    );
}

#[test]
fn the_last_bytes_can_be_taken() {
    let mut arena = Arena::new(RANGE);
    let one = arena.alloc(33 * 512, 1, nothing).unwrap();
    let rest = RANGE - one.bytes;
    arena.alloc(rest, 1, nothing).unwrap();
    assert_eq!(arena.free_bytes(), 0);
    assert_eq!(
        arena.alloc(1, 1, nothing).unwrap_err(),
        Exhausted { largest_free: 0 }
    );
}

#[test]
fn the_same_calls_give_the_same_offsets() {
    let run = || {
        let mut arena = Arena::new(RANGE);
        let mut offsets = Vec::new();
        for size in [100, 5000, 70_000, 100, 2 << 20, 512] {
            let grant = arena.alloc(size, 1, nothing).unwrap();
            offsets.push(grant.offset);
            if size == 5000 {
                let (id, _) = arena.retire(grant.offset).unwrap();
                arena.reclaim(id);
            }
        }
        offsets
    };
    assert_eq!(run(), run());
}

#[test]
fn kept_blocks_of_this_period_stay_and_older_ones_merge() {
    let mut arena = Arena::new(RANGE);
    let give_back = |arena: &mut Arena<()>, grant: Grant| {
        let (id, _) = arena.retire(grant.offset).unwrap();
        assert!(arena.reclaim(id), "kept");
    };
    let old = arena.alloc(1000, 1, nothing).unwrap();
    let new = arena.alloc(5000, 1, nothing).unwrap();
    give_back(&mut arena, old);
    let period = arena.next_period();
    give_back(&mut arena, new);
    arena.merge_kept_before(period);
    assert!(
        !arena.alloc(1000, 1, nothing).unwrap().kept,
        "the old one was merged"
    );
    let again = arena.alloc(5000, 1, nothing).unwrap();
    assert!(
        again.kept && again.offset == new.offset,
        "the new one was not"
    );
}
