//! Two streams share one range: a stream gets back at once what it freed itself, another one only when an event orders them.

use millpond_pool::{Ask, Clock, Options, Order, PAGE, Pool, Shard};

/// What a stream knows of the others.
#[derive(Default)]
struct View {
    knows: Clock,
    now: u64,
}

impl Order for View {
    fn known(&self, stream: u64) -> u64 {
        self.knows.of(stream)
    }

    fn passed(&self, _: u64) -> u64 {
        0
    }

    fn now(&self) -> u64 {
        self.now
    }
}

/// A block of one page. The pool says which pages it needs; here every page is granted.
fn take(pool: &Pool, shard: &Shard, view: &View) -> u64 {
    let ask = Ask::of(PAGE);
    if let Some(quick) = pool.alloc(shard, &ask) {
        return quick.offset;
    }
    let grant = pool
        .alloc_slow(shard, &ask, view)
        .expect("the range is large enough");
    if let Some(growth) = grant.growth {
        pool.grown(*growth);
    }
    grant.offset
}

#[expect(clippy::print_stdout, reason = "an example says what it did")]
pub(crate) fn main() {
    const FIRST: u64 = 1;
    const SECOND: u64 = 2;
    let pool = Pool::new(Options::new(4 * PAGE));
    let first = pool.shard(FIRST).expect("two streams fit");
    let second = pool.shard(SECOND).expect("two streams fit");
    let mut view = View {
        now: 1,
        ..View::default()
    };

    // The first stream uses a block with its task 1 and frees it: its next request gets the same bytes.
    let block = take(&pool, &first, &view);
    let free = |offset, by| {
        pool.free(&first, offset, None, Some(by), |_| 0, |_, _| {})
            .expect("the block is live");
    };
    free(block, (FIRST, 1));
    assert_eq!(take(&pool, &first, &view), block);
    free(block, (FIRST, 1));

    // The second stream does not know that task 1 is done, so it gets other bytes.
    let other = take(&pool, &second, &view);
    assert_ne!(other, block);

    // It waits for an event that the first stream recorded after task 1: now the bytes are its own.
    view.knows.learn(FIRST, 2);
    let mut offsets = Vec::new();
    while offsets.len() < 3 {
        offsets.push(take(&pool, &second, &view));
    }
    assert!(offsets.contains(&block));
    println!(
        "the second stream got the bytes at {block:#x} after an event ordered it behind the first"
    );
}
