//! Every order in which two or three threads can take and give back blocks of a small pool.
//!
//! Runs only with `RUSTFLAGS="--cfg loom"`: `cargo xtask test` does that.
#![cfg(loom)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loom::model::Builder;
use loom::thread;
use millpond_pool::{Ask, Freed, NotLive, Options, Order, PAGE, Pool, Shard};

const BYTES: u64 = 1024;

/// All work has passed: only the threads matter here.
struct Over;

impl Order for Over {
    fn known(&self, _: u64) -> u64 {
        u64::MAX
    }

    fn passed(&self, _: u64) -> u64 {
        u64::MAX
    }

    fn now(&self) -> u64 {
        1
    }
}

/// A pool of one page, and who has which block. The table is not part of the model: only the pool is.
struct Shared {
    pool: Pool,
    one: Arc<Shard>,
    two: Arc<Shard>,
    taken: [AtomicBool; 16],
}

impl Shared {
    fn new() -> Arc<Self> {
        Self::over(Pool::new(Options::new(PAGE)))
    }

    fn over(pool: Pool) -> Arc<Self> {
        let (one, two) = (shard(&pool, 1), shard(&pool, 2));
        Arc::new(Self {
            pool,
            one,
            two,
            taken: Default::default(),
        })
    }

    /// A block and its number, if there is room.
    fn take(&self, shard: &Shard, bytes: u64) -> Option<(u64, u64)> {
        let ask = Ask::of(bytes);
        if let Some(quick) = self.pool.alloc(shard, &ask) {
            return Some(self.mark(quick.offset, quick.serial));
        }
        let grant = self.pool.alloc_slow(shard, &ask, &Over).ok()?;
        if let Some(growth) = grant.growth {
            self.pool.grown(*growth);
        }
        Some(self.mark(grant.offset, grant.serial))
    }

    fn mark(&self, offset: u64, serial: u64) -> (u64, u64) {
        let before = self.token(offset).swap(true, Ordering::SeqCst);
        assert!(!before, "the block at {offset} is somebody's");
        (offset, serial)
    }

    fn token(&self, offset: u64) -> &AtomicBool {
        &self.taken[usize::try_from(offset / 512).expect("a small offset") % 16]
    }

    fn give(&self, likely: &Shard, (offset, serial): (u64, u64)) -> Result<(), NotLive> {
        let token = self.token(offset);
        let note = |_: Freed<'_>, _| token.store(false, Ordering::SeqCst);
        self.pool
            .free(likely, offset, Some(serial), None, |_| u64::MAX, note)
    }

    /// What each stream is charged is what its live blocks count, and no block is lost.
    fn assert_whole(&self, live: &[u64]) {
        let numbers = self.pool.statistics();
        let charged: Vec<u64> = numbers
            .streams
            .iter()
            .map(|one| one.bytes.current)
            .collect();
        assert_eq!(charged.iter().sum::<u64>(), live.iter().sum::<u64>());
        assert!(
            charged.iter().all(|&charged| charged <= PAGE),
            "{charged:?}"
        );
        assert_eq!(numbers.blocks, live.len() as u64);
        assert_eq!(self.pool.live().len(), live.len());
        if live.is_empty() {
            for going in self.pool.begin_return(0, &Over) {
                self.pool.end_return(&going, true);
            }
            assert_eq!((self.pool.reserved(), self.pool.free_pieces()), (0, (0, 0)));
        }
    }
}

fn shard(pool: &Pool, stream: u64) -> Arc<Shard> {
    pool.shard(stream).expect("the first few")
}

/// Explores all orders; a pool takes more steps than the checker expects.
fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Takes a block and gives it back.
fn pass_through(shared: &Shared, shard: &Shard) {
    let block = shared.take(shard, BYTES).expect("there is room");
    assert_eq!(shared.give(shard, block), Ok(()));
}

#[test]
fn two_threads_on_one_shard_never_have_the_same_block() {
    explore(|| {
        let shared = Shared::new();
        // One block is kept for whoever comes first.
        pass_through(&shared, &shared.one);
        pass_through(&shared, &shared.one);
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || pass_through(&shared, &shared.one))
        };
        pass_through(&shared, &shared.one);
        other.join().expect("it ends");
        shared.assert_whole(&[]);
    });
}

#[test]
fn a_block_can_be_freed_by_another_thread_while_its_stream_allocates() {
    explore(|| {
        let shared = Shared::new();
        let block = shared.take(&shared.one, BYTES).expect("there is room");
        let other = {
            let shared = Arc::clone(&shared);
            // It does not know whose block it is.
            thread::spawn(move || shared.give(&shared.two, block))
        };
        shared.take(&shared.one, BYTES).expect("there is room");
        assert_eq!(other.join().expect("it ends"), Ok(()));
        shared.assert_whole(&[BYTES]);
    });
}

#[test]
fn of_two_that_free_a_block_one_succeeds() {
    explore(|| {
        let shared = Shared::new();
        let block = shared.take(&shared.one, BYTES).expect("there is room");
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.give(&shared.one, block).is_ok())
        };
        let mine = shared.give(&shared.two, block).is_ok();
        assert!(mine ^ other.join().expect("it ends"));
        shared.assert_whole(&[]);
    });
}

#[test]
fn what_one_keeps_another_takes_only_when_the_first_has_not() {
    explore(|| {
        let shared = Shared::new();
        pass_through(&shared, &shared.one);
        pass_through(&shared, &shared.one);
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                if let Some(block) = shared.take(&shared.one, BYTES) {
                    assert_eq!(shared.give(&shared.one, block), Ok(()));
                }
            })
        };
        // There is room for it only when everything that is kept is merged.
        if let Some(block) = shared.take(&shared.two, PAGE) {
            assert_eq!(shared.give(&shared.two, block), Ok(()));
        }
        other.join().expect("it ends");
        shared.assert_whole(&[]);
    });
}

#[test]
fn blocks_go_from_shard_to_shard_over_the_ground() {
    explore(|| {
        let shared = Shared::over(Pool::new(Options::new(2 * PAGE)));
        let block = shared.take(&shared.one, BYTES).expect("there is room");
        let freeing = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.give(&shared.one, block))
        };
        let taking = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || pass_through(&shared, &shared.two))
        };
        for going in shared.pool.begin_return(0, &Over) {
            shared.pool.end_return(&going, false);
        }
        assert_eq!(freeing.join().expect("it ends"), Ok(()));
        taking.join().expect("it ends");
        shared.assert_whole(&[]);
    });
}

#[test]
fn a_wrong_free_never_meets_a_block_on_its_way_to_another_shard() {
    explore(|| {
        let shared = Shared::new();
        let block = shared.take(&shared.one, BYTES).expect("there is room");
        let other = {
            let shared = Arc::clone(&shared);
            // A wrong program frees the block twice. It may hit the next block at this place.
            thread::spawn(move || {
                let (offset, passed) = (block.0, |_| u64::MAX);
                let note = |_: Freed<'_>, _| shared.token(offset).store(false, Ordering::SeqCst);
                let pool = &shared.pool;
                pool.free(&shared.one, offset, None, None, passed, note)
                    .is_ok()
            })
        };
        let mine = shared.give(&shared.one, block).is_ok();
        shared.take(&shared.two, BYTES).expect("there is room");
        match (mine, other.join().expect("it ends")) {
            (true, true) => shared.assert_whole(&[]),
            (true, false) | (false, true) => shared.assert_whole(&[BYTES]),
            (false, false) => panic!("somebody freed it"),
        }
    });
}

#[test]
fn the_limit_holds_while_one_charges_and_another_shares_out() {
    explore(|| {
        let shared = Shared::over(Pool::new(Options {
            limit: 4 * BYTES,
            ..Options::new(PAGE)
        }));
        shared.take(&shared.one, BYTES).expect("there is room");
        pass_through(&shared, &shared.one);
        pass_through(&shared, &shared.one);
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.take(&shared.one, BYTES).is_some())
        };
        let mine = shared.take(&shared.two, 3 * BYTES).is_some();
        assert!(mine ^ other.join().expect("it ends"));
        assert!(shared.pool.charged().0 <= 4 * BYTES);
    });
}

#[test]
fn the_limit_holds_while_two_streams_charge() {
    explore(|| {
        let pool = Pool::new(Options {
            limit: 3 * BYTES,
            exact_peak: true,
            ..Options::new(PAGE)
        });
        let shared = Shared::over(pool);
        pass_through(&shared, &shared.one);
        pass_through(&shared, &shared.two);
        let charge = |shared: &Shared, shard: &Shard| {
            let blocks = [0, 1].map(|_| shared.take(shard, BYTES));
            u64::try_from(blocks.iter().flatten().count()).expect("two at most")
        };
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || charge(&shared, &shared.one))
        };
        let mine = charge(&shared, &shared.two);
        let all = mine + other.join().expect("it ends");
        assert_eq!(all, 3, "one of four is refused");
        assert_eq!(shared.pool.charged(), (3 * BYTES, 3 * BYTES));
    });
}
