//! The rungs of the ladder, one by one, with both kinds of memory.

use super::world::{MIB, World};
use crate::fake::Fake;
use crate::lane::EPOCH_FREES;
use crate::options::Settings;

fn worlds(limit: u64, settings: Settings) -> impl Iterator<Item = World> {
    [true, false].into_iter().map(move |virtual_memory| {
        let settings = Settings {
            limit: Some(limit),
            ..settings
        };
        World::new(Fake::new(virtual_memory, 1 << 40), settings, 2)
    })
}

#[test]
fn a_stream_has_its_own_memory_back_at_once() {
    for mut world in worlds(32 * MIB, Settings::default()) {
        for _ in 0..1000 {
            let at = world.alloc(0, 25 * MIB).unwrap();
            world.free(at, 0);
        }
        assert_eq!(world.arena.statistics(&world.lanes[0]).growths, 1);
        world.end();
    }
}

#[test]
fn another_stream_has_it_when_the_first_is_past_it() {
    for mut world in worlds(32 * MIB, Settings::default()) {
        let at = world.alloc(0, 25 * MIB).unwrap();
        world.free(at, 0);
        assert_eq!(
            world.alloc(1, 25 * MIB),
            None,
            "the first stream has not run"
        );
        let recorded = world.arena.statistics(&world.lanes[1]).epochs_recorded;
        assert_eq!(world.alloc(1, 25 * MIB), None);
        assert_eq!(
            world.arena.statistics(&world.lanes[1]).epochs_recorded,
            recorded,
            "one epoch at a time"
        );
        world.fake.run(1);
        assert!(world.alloc(1, 25 * MIB).is_some());
        assert_eq!(world.fake.waits(), 0);
        world.end();
    }
}

#[test]
fn waiting_is_the_last_resort_and_only_if_allowed() {
    let settings = Settings {
        allow_wait: true,
        ..Settings::default()
    };
    for mut world in worlds(32 * MIB, settings) {
        let at = world.alloc(0, 25 * MIB).unwrap();
        world.free(at, 0);
        assert!(world.alloc(0, 20 * MIB).is_some());
        assert_eq!(world.fake.waits(), 0);
        world.free(0, 0);
        assert!(world.alloc(1, 25 * MIB).is_some());
        assert_eq!(world.fake.waits(), 1);
        world.end();
    }
}

#[test]
fn epochs_are_recorded_now_and_then_if_there_are_others_to_learn() {
    for lanes in [1, 2] {
        let mut world = World::new(Fake::new(true, 1 << 40), Settings::default(), lanes);
        for _ in 0..10 * EPOCH_FREES {
            let at = world.alloc(0, 100).unwrap();
            world.free(at, 0);
            world.fake.run(1);
        }
        let numbers = world.arena.statistics(&world.lanes[0]);
        let expected = if lanes == 1 { 0 } else { 10 };
        assert_eq!(numbers.epochs_recorded, expected);
        world.end();
    }
}

#[test]
fn idle_memory_makes_room() {
    for mut world in worlds(64 * MIB, Settings::default()) {
        // Small blocks of the first stream leave holes that no large block fits in.
        let small: Vec<usize> = (0..6).filter_map(|_| world.alloc(0, 9 * MIB)).collect();
        assert_eq!(small.len(), 6);
        world.free_all();
        world.fake.run(1);
        assert!(world.alloc(1, 55 * MIB).is_some());
        world.end();
    }
}

#[test]
fn the_limit_holds_and_the_report_says_so() {
    for mut world in worlds(32 * MIB, Settings::default()) {
        assert!(world.alloc(0, 20 * MIB).is_some());
        let report = world
            .arena
            .alloc(&world.lanes[1], 20 * MIB, None)
            .unwrap_err();
        let report = world.arena.report(report);
        assert!(report.contains("the limit is 33554432 bytes"), "{report}");
        assert!(report.contains("in 1 block;"), "{report}");
        assert!(report.contains("20971520"), "{report}");
        assert_eq!(world.arena.statistics(&world.lanes[1]).failures, 1);
        assert!(world.fake.used() <= 32 * MIB);
        world.end();
    }
}

#[test]
fn the_device_may_have_less_than_the_limit() {
    for virtual_memory in [true, false] {
        let settings = Settings {
            limit: Some(1 << 40),
            ..Settings::default()
        };
        let mut world = World::new(Fake::new(virtual_memory, 11 * MIB), settings, 1);
        // Less than a segment of the usual length is left.
        assert!(world.alloc(0, 9 * MIB).is_some());
        let report = world
            .arena
            .alloc(&world.lanes[0], 9 * MIB, None)
            .unwrap_err();
        let report = world.arena.report(report);
        assert!(report.contains("returned 207001"), "{report}");
        world.end();
    }
}

#[test]
fn advice_is_followed_where_the_memory_is_free() {
    for mut world in worlds(64 * MIB, Settings::default()) {
        let first = world.alloc(0, MIB).unwrap();
        let address = world.live[first].address;
        world.alloc(0, MIB).unwrap();
        world.free(first, 0);
        world.alloc(0, 5000).unwrap();
        let near = world.alloc_near(0, 4096, Some(address + 64 * 512)).unwrap();
        assert_eq!(world.live[near].address, address + 64 * 512);
        let taken = world.alloc_near(0, 4096, Some(address + 64 * 512)).unwrap();
        assert_ne!(world.live[taken].address, address + 64 * 512);
        assert!(world.alloc_near(0, 4096, Some(12345)).is_some());
        world.end();
    }
}

#[test]
fn memory_that_is_idle_for_long_goes_back() {
    for (threshold, expected) in [(0, 90 * MIB), (u64::MAX, 0)] {
        let settings = Settings {
            limit: Some(256 * MIB),
            release_threshold: threshold,
            ..Settings::default()
        };
        let mut world = World::new(Fake::new(true, 1 << 40), settings, 1);
        world.alloc(0, 100).unwrap();
        let large = world.alloc(0, 90 * MIB).unwrap();
        world.free(large, 0);
        let before = world.fake.used();
        for _ in 0..3 * millpond_pool::DECAY_PERIOD {
            let header = world.arena.alloc(&world.lanes[0], 100, None).unwrap();
            world.arena.free(&world.lanes[0], header).unwrap();
            world.fake.run(1);
            world.lanes[0].look(&*world.fake);
        }
        // A page that the small block shares with the large one stays.
        let gone = before - world.fake.used();
        assert!(gone <= expected && gone + 2 * MIB >= expected, "{gone}");
        assert!((gone == 0) == (expected == 0), "{gone}");
        world.end();
    }
}

#[test]
fn what_several_streams_had_a_part_of_goes_back_whole() {
    for mut world in worlds(256 * MIB, Settings::default()) {
        for _ in 0..3 {
            for (lane, bytes) in [(0, 5 * MIB), (1, 7 * MIB + 512), (0, 3000), (1, 33 * MIB)] {
                world.alloc(lane, bytes).unwrap();
            }
            world.free_all();
            assert_eq!(world.arena.trim(0), 0, "no stream has run");
            world.fake.run(1);
            world.fake.run(2);
            assert!(world.arena.trim(0) > 0);
            assert_eq!(world.fake.used(), 0);
        }
        world.end();
    }
}

#[test]
fn a_block_is_freed_once() {
    for mut world in worlds(64 * MIB, Settings::default()) {
        let at = world.alloc(0, 100).unwrap();
        let header = world.live[at].header;
        world.free(at, 0);
        assert!(world.arena.free(&world.lanes[0], header).is_err());
        let other = World::new(Fake::new(true, 1 << 30), Settings::default(), 1);
        let at = world.alloc(0, 100).unwrap();
        assert!(
            other
                .arena
                .free(&other.lanes[0], world.live[at].header)
                .is_err()
        );
        other.end();
        world.end();
    }
}

#[test]
fn a_size_that_no_device_has_is_refused() {
    for world in worlds(64 * MIB, Settings::default()) {
        for bytes in [u64::MAX, u64::MAX - 63, 1 << 60, 65 * MIB] {
            assert!(world.arena.alloc(&world.lanes[0], bytes, None).is_err());
        }
        world.end();
    }
}
