//! Threads with a stream each, on one arena.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::world::MIB;
use crate::arena::Arena;
use crate::calls::Calls;
use crate::fake::Fake;
use crate::lane::Lane;
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

/// A program that frees a block on two threads at once. The slower one may come so late that the header is another
/// block's; it must not end that one with what it read of the first.
#[test]
fn a_block_that_two_threads_free_goes_back_once() {
    let fake = Fake::new(true, 512 * MIB);
    let calls = Arc::clone(&fake) as Arc<dyn Calls>;
    let arena = Arena::new(calls, 0, Settings::default()).unwrap();
    let lanes = [1, 2].map(|stream| arena.open(stream, None).unwrap());
    let (sender, receiver) = mpsc::sync_channel(1);
    let freed = AtomicU64::new(0);
    let free = |lane: &Lane, header| {
        freed.fetch_add(
            u64::from(arena.free(lane, header).is_ok()),
            Ordering::Relaxed,
        );
    };
    let allocated = thread::scope(|scope| {
        scope.spawn(|| {
            for header in receiver {
                // While the other reuses headers, the one that it has freed among them.
                for _ in 0..200 {
                    free(&lanes[1], header);
                }
            }
        });
        let (until, mut allocated) = (Instant::now() + Duration::from_millis(300), 0);
        while Instant::now() < until {
            let header = arena.alloc(&lanes[0], 100, None).unwrap();
            allocated += 1;
            sender.send(header).unwrap();
            free(&lanes[0], header);
            for _ in 0..100 {
                free(&lanes[0], arena.alloc(&lanes[0], 100, None).unwrap());
                allocated += 1;
            }
        }
        drop(sender);
        allocated
    });
    assert_eq!(freed.into_inner(), allocated);
    assert_eq!(arena.statistics(&lanes[0]).live_blocks, 0);
}
