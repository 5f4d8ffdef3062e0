//! Threads with a stream each, on one arena.

use std::sync::Arc;
use std::thread;

use super::world::MIB;
use crate::arena::Arena;
use crate::calls::Calls;
use crate::fake::Fake;
use crate::options::Settings;

const THREADS: u64 = 4;

#[test]
fn threads_share_an_arena() {
    for virtual_memory in [true, false] {
        let fake = Fake::new(virtual_memory, 512 * MIB);
        let calls = Arc::clone(&fake) as Arc<dyn Calls>;
        let arena = Arena::new(calls, 0, Settings::default()).unwrap();
        thread::scope(|scope| {
            for stream in 1..=THREADS {
                let (arena, fake) = (&arena, &fake);
                scope.spawn(move || work(arena, fake, stream));
            }
        });
        arena.trim(0);
        assert!(arena.is_empty());
        arena.end();
        assert_eq!(fake.outstanding(), [0; 4]);
    }
}

fn work(arena: &Arena, fake: &Fake, stream: u64) {
    let lane = arena.open(stream, None).unwrap();
    let mut live = Vec::new();
    let mut random = stream;
    for turn in 0..4000_u64 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let bytes = 1 << (random >> 59).min(23);
        match arena.alloc(&lane, bytes, None) {
            Ok(header) => {
                let address = header.block().unwrap().address;
                assert!(fake.backs(address, bytes));
                fake.enqueue(stream);
                live.push(header);
            }
            Err(_) => fake.run(stream),
        }
        if live.len() > 12 || turn % 3 == 0 {
            let at = usize::try_from(random >> 33).unwrap() % live.len().max(1);
            if at < live.len() {
                arena.free(&lane, live.swap_remove(at)).unwrap();
            }
        }
        if turn % 50 == 0 {
            fake.run(stream);
        }
        if turn % 500 == 0 {
            arena.trim(random % (64 * MIB));
        }
    }
    for header in live {
        arena.free(&lane, header).unwrap();
    }
    fake.run(stream);
    lane.end(fake).unwrap();
    arena.close(&lane);
}
