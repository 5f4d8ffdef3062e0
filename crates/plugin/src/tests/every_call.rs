//! Each call of the runtime is refused once: what is live stays, and nothing leaks.

use super::world::{MIB, World};
use crate::fake::Fake;
use crate::options::Settings;

/// Something of everything. What is refused is tried no second time.
fn script(world: &mut World) {
    for bytes in [100, 3 * MIB, 70_000, 30 * MIB, 9 * MIB] {
        world.alloc(0, bytes);
        world.alloc(1, bytes / 2);
    }
    for _ in 0..200 {
        if let Some(at) = world.alloc(0, 5000) {
            world.free(at, 0);
        }
    }
    while world.live.len() > 4 {
        let lane = world.live[2].lane;
        world.free(2, lane);
    }
    world.arena.trim(16 * MIB);
    // More than there is without what the other stream has freed.
    world.alloc(1, 40 * MIB);
    world.fake.run(1);
    world.alloc(1, 40 * MIB);
    world.arena.trim(0);
    world.alloc(0, 20 * MIB);
}

#[test]
fn every_call_may_be_refused() {
    for virtual_memory in [true, false] {
        let settings = Settings {
            allow_wait: true,
            ..Settings::default()
        };
        let run = |refuse| {
            let fake = Fake::new(virtual_memory, 96 * MIB);
            let mut world = World::new(fake, settings, 2);
            let begin = world.fake.calls();
            world.fake.refuse(refuse);
            script(&mut world);
            let calls = world.fake.calls() - begin;
            world.end();
            calls
        };
        let calls = run(None);
        assert!(calls > 20, "only {calls} calls");
        for refused in 1..=calls {
            run(Some(refused));
        }
    }
}

#[test]
fn virtual_memory_that_does_not_work_is_not_used() {
    let calls = {
        let fake = Fake::new(true, 96 * MIB);
        let world = World::new(fake, Settings::default(), 1);
        let calls = world.fake.calls();
        world.end();
        calls
    };
    // The first asks for the device's memory: an error without a limit.
    for refused in 2..=calls {
        let fake = Fake::new(true, 96 * MIB);
        fake.refuse(Some(refused));
        let mut world = World::new(fake, Settings::default(), 1);
        assert!(world.alloc(0, 3 * MIB).is_some(), "call {refused}");
        world.end();
    }
}
