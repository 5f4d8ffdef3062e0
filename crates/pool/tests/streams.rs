//! What several streams make of one pool.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Barrier};
use std::thread;

use millpond_pool::{Ask, Clock, Options, Order, PAGE, Pool, Shard};

/// Streams with their clocks, and a device that does everything at once.
struct Streams {
    pool: Pool,
    shards: Vec<Arc<Shard>>,
    clocks: Vec<Clock>,
    positions: Vec<u64>,
    passed: HashMap<u64, u64>,
}

struct Known<'a> {
    clock: &'a Clock,
    passed: &'a HashMap<u64, u64>,
    now: u64,
}

impl Order for Known<'_> {
    fn known(&self, stream: u64) -> u64 {
        self.clock.of(stream)
    }

    fn passed(&self, stream: u64) -> u64 {
        self.passed.get(&stream).copied().unwrap_or(0)
    }

    fn now(&self) -> u64 {
        self.now
    }
}

fn number(stream: usize) -> u64 {
    stream as u64 + 1
}

impl Streams {
    fn new(count: usize, windows: u64) -> Self {
        Self::sized(count, 1 << 30, windows)
    }

    fn sized(count: usize, bytes: u64, windows: u64) -> Self {
        let pool = Pool::new(Options {
            windows,
            // What is tested here is how a pool economises.
            slack: 0,
            ..Options::new(bytes)
        });
        let shards = (0..count).map(|stream| pool.shard(number(stream)).expect("few"));
        Self {
            shards: shards.collect(),
            pool,
            clocks: vec![Clock::default(); count],
            positions: vec![1; count],
            passed: HashMap::new(),
        }
    }

    fn alloc(&self, stream: usize, bytes: u64) -> u64 {
        let (shard, ask) = (&self.shards[stream], Ask::of(bytes));
        if let Some(quick) = self.pool.alloc(shard, &ask) {
            return quick.offset;
        }
        let order = Known {
            clock: &self.clocks[stream],
            passed: &self.passed,
            now: self.positions[stream],
        };
        let grant = self.pool.alloc_slow(shard, &ask, &order).expect("it fits");
        if let Some(growth) = grant.growth {
            self.pool.grown(*growth);
        }
        grant.offset
    }

    fn step(&mut self, stream: usize) -> u64 {
        self.positions[stream] += 1;
        self.positions[stream]
    }

    /// Queued work of the stream uses a block.
    fn record_use(&mut self, offset: u64, stream: usize) {
        let user = (number(stream), self.step(stream));
        let passed = |stream| self.passed.get(&stream).copied().unwrap_or(0);
        assert_eq!(self.pool.check(offset, 1, Some(user), passed), Ok(Ok(())));
    }

    fn free(&mut self, offset: u64, stream: usize) {
        let by = (number(stream), self.step(stream));
        let passed = |stream| self.passed.get(&stream).copied().unwrap_or(0);
        let shard = &self.shards[stream];
        let freed = self
            .pool
            .free(shard, offset, None, Some(by), passed, |_, _| {});
        assert!(freed.is_ok());
    }

    /// `later` waits for all that was put into `earlier`.
    fn edge(&mut self, earlier: usize, later: usize) {
        let position = self.step(earlier);
        let mut captured = self.clocks[earlier].clone();
        captured.learn(number(earlier), position);
        self.step(later);
        self.clocks[later].merge(&captured);
    }

    fn pages(&self) -> u64 {
        self.pool.reserved() / PAGE
    }
}

#[test]
fn what_another_stream_might_have_had_is_still_its_owners() {
    for windows in [0, 1 << 30] {
        let mut streams = Streams::new(2, windows);
        // Four blocks that lie apart: no large piece can be cut from what is free.
        let blocks: Vec<u64> = (0..8).map(|_| streams.alloc(0, 2 * PAGE)).collect();
        for block in blocks.iter().step_by(2) {
            streams.free(*block, 0);
        }
        streams.edge(0, 1);
        // It finds nothing that is large enough, or borrows half of it.
        streams.alloc(1, 4 * PAGE);
        let held = streams.pages();
        // Nobody has to wait for the second stream, which did not take the rest.
        for _ in 0..2 {
            streams.alloc(0, 2 * PAGE);
        }
        assert_eq!(streams.pages(), held, "windows: {windows}");
    }
}

#[test]
fn a_block_spans_what_is_free_of_several_streams() {
    let mut streams = Streams::new(3, 0);
    let blocks: Vec<u64> = (0..3)
        .map(|stream| streams.alloc(stream, 3 * PAGE / 2))
        .collect();
    let behind = streams.alloc(2, PAGE);
    for (stream, block) in blocks.iter().enumerate() {
        streams.free(*block, stream);
    }
    let held = streams.pages();
    streams.edge(0, 2);
    streams.edge(1, 2);
    let block = streams.alloc(2, 4 * PAGE);
    assert_eq!(streams.pages(), held, "no new page");
    assert!(block < behind);
    streams.free(block, 2);
    // It waits for the third stream now, whoever had it before.
    streams.alloc(0, 3 * PAGE / 2);
    assert!(streams.pages() > held);
}

#[test]
fn of_blocks_that_wait_only_those_are_taken_that_are_needed() {
    let mut streams = Streams::new(2, 0);
    // Blocks of the first stream that the second has used.
    let blocks: Vec<u64> = (0..4).map(|_| streams.alloc(0, 2 * PAGE)).collect();
    for &block in &blocks {
        streams.record_use(block, 1);
        streams.free(block, 0);
    }
    let held = streams.pages();
    streams.edge(0, 1);
    // The second stream has passed its own uses, and knows of the frees.
    streams.alloc(1, 2 * PAGE);
    streams.alloc(1, PAGE);
    assert_eq!(streams.pages(), held);
    // Now the first learns of the uses: the other two blocks are its again.
    streams.edge(1, 0);
    for _ in 0..2 {
        streams.alloc(0, 2 * PAGE);
    }
    assert_eq!(streams.pages(), held);
}

#[test]
fn of_a_block_that_waits_only_that_part_is_taken_that_is_needed() {
    for windows in [0, 1 << 30] {
        let mut streams = Streams::new(2, windows);
        let block = streams.alloc(0, 8 * PAGE);
        streams.record_use(block, 1);
        streams.free(block, 0);
        streams.edge(0, 1);
        assert_eq!(streams.alloc(1, 2 * PAGE), block);
        streams.alloc(1, PAGE / 2);
        // The first stream is past the uses of what is left, but not past the new blocks.
        streams.edge(1, 0);
        assert_eq!(streams.alloc(0, 5 * PAGE), block + 5 * PAGE / 2);
        assert_eq!(streams.pages(), 8, "windows: {windows}");
    }
}

#[test]
fn a_block_fills_up_the_pages_of_a_window_with_parts_of_pages() {
    let mut streams = Streams::new(1, 1 << 30);
    let half = PAGE / 2;
    // Free: the end of the first page, the third page, the beginning of the sixth.
    let sizes = [half, half, PAGE, PAGE, 2 * PAGE, half, half];
    let blocks: Vec<u64> = sizes.iter().map(|&bytes| streams.alloc(0, bytes)).collect();
    for free in [1, 3, 5] {
        streams.free(blocks[free], 0);
    }
    assert_eq!(streams.pages(), 6);
    let block = streams.alloc(0, 2 * PAGE);
    assert!(block >= 1 << 30, "in a window");
    assert_eq!(block % PAGE, half);
    assert_eq!((streams.pages(), streams.pool.pages_moved()), (6, 3));
    // Just as often again, and nothing has to be mapped.
    streams.free(block, 0);
    assert_eq!(streams.alloc(0, 2 * PAGE), block);
    assert_eq!((streams.pages(), streams.pool.pages_moved()), (6, 3));
}

#[test]
fn who_frees_anothers_block_may_have_it_at_once() {
    let mut streams = Streams::new(2, 0);
    let block = streams.alloc(0, 2 * PAGE);
    streams.edge(0, 1);
    streams.free(block, 1);
    let held = streams.pages();
    // The stream that it came from knows nothing of the other's work yet.
    let other = streams.alloc(0, 2 * PAGE);
    assert_ne!(other, block);
    assert_eq!(streams.pages(), 2 * held);
    assert_eq!(streams.alloc(1, 2 * PAGE), block);
    assert_eq!(streams.pages(), 2 * held);
}

#[test]
fn a_stream_uses_its_own_pages_before_it_takes_anothers() {
    let mut streams = Streams::new(2, 1 << 30);
    // The first stream has pages that do not lie side by side, the second a piece that is large enough.
    let others = streams.alloc(1, 4 * PAGE);
    let own: Vec<u64> = (0..4).map(|_| streams.alloc(0, 2 * PAGE)).collect();
    for block in own.iter().step_by(2) {
        streams.free(*block, 0);
    }
    streams.free(others, 1);
    streams.edge(1, 0);
    let held = streams.pages();
    streams.alloc(0, 4 * PAGE);
    assert_eq!(streams.alloc(1, 4 * PAGE), others, "it is still there");
    assert_eq!(streams.pages(), held);
}

#[test]
fn what_cannot_be_had_yet_counts_as_needed() {
    let mut streams = Streams::new(2, 1 << 30);
    let first = streams.alloc(0, 8 * PAGE);
    streams.free(first, 0);
    // The second stream knows nothing of that: it needs as much again.
    let blocks: Vec<u64> = (0..8).map(|_| streams.alloc(1, PAGE)).collect();
    for block in blocks.iter().step_by(2) {
        streams.free(*block, 1);
    }
    // Only half of it is live, but pages are borrowed only when there are as many as were needed.
    streams.alloc(1, 4 * PAGE);
    assert_eq!((streams.pages(), streams.pool.pages_moved()), (16, 4));
}

#[test]
fn a_window_that_waits_is_taken_for_a_small_block_when_nothing_else_is_there() {
    let mut streams = Streams::sized(2, 4 * PAGE, 1 << 30);
    let blocks: Vec<u64> = (0..4).map(|_| streams.alloc(0, PAGE)).collect();
    for block in [blocks[0], blocks[2]] {
        streams.free(block, 0);
    }
    let window = streams.alloc(0, 2 * PAGE);
    assert!(window >= 4 * PAGE);
    streams.record_use(window, 1);
    streams.free(window, 0);
    streams.edge(0, 1);
    assert!(streams.alloc(1, 512) < 4 * PAGE);
    assert_eq!(streams.pages(), 4);
}

/// The pages that a pool that grows freely to this many, and with this slack, holds after half a page of ever other sizes came
/// and went, each so many times and one at a time, beside 16 that are always in use.
fn held_after_many_sizes(freely: u64, slack: u32, times: usize) -> u64 {
    let mut streams = Streams::new(0, 0);
    streams.pool = Pool::new(Options {
        freely: freely * PAGE,
        slack,
        ..Options::new(1 << 30)
    });
    let shard = streams.pool.shard(number(0));
    streams.shards = vec![shard.expect("the first")];
    (streams.clocks, streams.positions) = (vec![Clock::default()], vec![1]);
    streams.alloc(0, 16 * PAGE);
    for size in 1..100 {
        for _ in 0..times {
            let block = streams.alloc(0, PAGE / 2 + size * 512);
            streams.free(block, 0);
        }
    }
    streams.pool.reserved() / PAGE
}

#[test]
fn a_pool_grows_freely_while_it_holds_little() {
    assert_eq!(held_after_many_sizes(0, 0, 2), 17, "it economises");
    let all = held_after_many_sizes(100, 0, 2);
    assert!((66..=70).contains(&all), "{all}: each size is kept");
    let some = held_after_many_sizes(24, 0, 2);
    assert!((23..=24).contains(&some), "{some}: no more than that");
}

#[test]
fn a_size_that_does_not_come_again_is_not_kept() {
    for freely in [0, 24, 100] {
        assert_eq!(
            held_after_many_sizes(freely, 0, 1),
            17,
            "freely to {freely} pages"
        );
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 1 to 32,768"
)]
fn granules_of(number: f64) -> u64 {
    number as u64
}

/// Blocks of 256 sizes in turn come and go one at a time, among 256 live blocks and as many holes, in a pool with this floor.
/// Returns how many of 100 requests find no cached block, and the percentage of the peak that the pool holds.
fn misses_and_held_at_one_level(floor: u64) -> (usize, u64) {
    const SIZES: usize = 256;
    let mut streams = Streams::new(1, 0);
    streams.pool = Pool::new(Options {
        windows: 1 << 32,
        exact_peak: true,
        floor,
        ..Options::new(1 << 33)
    });
    streams.shards = vec![streams.pool.shard(number(0)).expect("the first")];
    let mut random = 7_u64;
    let mut size = || {
        random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // From 512 bytes to 16 MiB, as many small as large ones on a logarithmic scale, in whole granules.
        let part = f64::from(u32::try_from(mixed >> 32).unwrap_or(0)) / f64::from(u32::MAX);
        granules_of((15.0 * part).exp2().round()) * 512
    };
    let sizes: Vec<u64> = std::iter::repeat_with(&mut size).take(SIZES).collect();
    let all = (0..2 * SIZES).map(|at| streams.alloc(0, sizes[at * 37 % SIZES]));
    for block in all.collect::<Vec<u64>>().into_iter().step_by(2) {
        streams.free(block, 0);
    }
    let (_, peak) = streams.pool.charged();
    let mut missed = 0;
    for turn in 0..200 {
        for bytes in &sizes {
            let quick = streams.pool.alloc(&streams.shards[0], &Ask::of(*bytes));
            missed += usize::from(turn >= 100 && quick.is_none());
            let block = quick.map(|quick| quick.offset);
            let block = block.unwrap_or_else(|| streams.alloc(0, *bytes));
            streams.free(block, 0);
        }
    }
    (
        missed.div_ceil(SIZES),
        streams.pool.reserved().div_ceil(peak / 100),
    )
}

#[test]
fn up_to_the_floor_a_stream_that_stays_at_one_level_finds_cached_blocks() {
    let (missed, held) = misses_and_held_at_one_level(1 << 33);
    assert!(missed <= 2, "{missed} % found none");
    assert!(held <= 145, "holds {held} % of the peak");
}

#[test]
fn above_the_floor_it_saves_memory_instead() {
    let (missed, held) = misses_and_held_at_one_level(0);
    assert!(missed <= 60, "{missed} % found none");
    assert!(held <= 108, "holds {held} % of the peak");
}

/// The pages of a pool with this floor after four that were in use, of which two are idle apart from each other, had to serve
/// a block of two; and whether the block is in a window.
fn held_with_a_hole_too_few(floor: u64, others: usize) -> (u64, bool) {
    let mut streams = Streams::new(0, 0);
    let bytes = 64 * PAGE;
    streams.pool = Pool::new(Options {
        windows: 8 * PAGE,
        floor: floor * PAGE,
        slack: 0,
        ..Options::new(bytes)
    });
    let shard = streams.pool.shard(number(0));
    streams.shards = vec![shard.expect("the first")];
    (streams.clocks, streams.positions) = (vec![Clock::default()], vec![1]);
    let blocks: Vec<u64> = (0..others).map(|_| streams.alloc(0, PAGE)).collect();
    for block in [blocks[0], blocks[2]] {
        streams.free(block, 0);
    }
    let window = streams.alloc(0, 2 * PAGE) >= bytes;
    (streams.pages(), window)
}

#[test]
fn up_to_its_floor_a_pool_borrows_no_pages_within_a_quarter_more_than_it_needs() {
    assert_eq!(held_with_a_hole_too_few(0, 8), (8, true), "no floor");
    assert_eq!(held_with_a_hole_too_few(10, 8), (10, false), "10 of 8");
    assert_eq!(held_with_a_hole_too_few(9, 8), (8, true), "10 are too many");
    assert_eq!(held_with_a_hole_too_few(64, 7), (7, true), "9 of 7");
}

#[test]
fn a_pool_grows_freely_within_its_slack() {
    // 25 thousandths of 320 MiB are four pages.
    assert_eq!(held_after_many_sizes(0, 25, 2), 20);
    assert_eq!(held_after_many_sizes(0, 50, 2), 24);
}

/// A program of one stream that frees and requests blocks at random, all of them near its peak.
struct Churn {
    pool: Pool,
    shard: Arc<Shard>,
    blocks: Vec<u64>,
    random: u64,
}

impl Churn {
    fn new(options: Options) -> Self {
        let pool = Pool::new(options);
        let shard = pool.shard(1).expect("the first");
        Self {
            pool,
            shard,
            blocks: Vec::new(),
            random: 1,
        }
    }

    fn alloc(&mut self) {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let ask = Ask::of((1 + (self.random >> 33) % 64) * 100_000);
        let quick = self.pool.alloc(&self.shard, &ask).map(|it| it.offset);
        let offset = quick.unwrap_or_else(|| {
            let grant = self.pool.alloc_slow(&self.shard, &ask, &Alone);
            let grant = grant.expect("it fits");
            if let Some(growth) = grant.growth {
                self.pool.grown(*growth);
            }
            grant.offset
        });
        self.blocks.push(offset);
    }

    fn free(&mut self, block: usize) {
        let offset = self.blocks.swap_remove(block);
        let by = Some((1, 1));
        let freed = self
            .pool
            .free(&self.shard, offset, None, by, |_| 0, |_, _| {});
        assert_eq!(freed, Ok(()));
    }

    /// The pages that it holds more than live ones, in hundredths.
    fn surplus(&mut self, times: usize) -> u64 {
        for _ in 0..times {
            let block = usize::try_from(self.random >> 40).unwrap_or(0) % self.blocks.len();
            self.free(block);
            self.alloc();
        }
        let (charged, peak) = self.pool.charged();
        assert!(charged <= peak);
        (self.pool.reserved() * 100 / peak).saturating_sub(100)
    }
}

struct Alone;

impl Order for Alone {
    fn known(&self, _: u64) -> u64 {
        0
    }

    fn passed(&self, _: u64) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        1
    }
}

#[test]
fn the_slack_of_a_pool_that_economises_all_the_time_is_raised_until_pages_are_returned() {
    let surplus = |most_slack, floor| {
        let mut churn = Churn::new(Options {
            most_slack,
            floor,
            ..Options::new(1 << 36)
        });
        for _ in 0..1000 {
            churn.alloc();
        }
        let surplus = churn.surplus(40_000);
        (churn, surplus)
    };
    let (_, fixed) = surplus(25, 0);
    let (_, bounded) = surplus(1000, 0);
    assert!(bounded < fixed + 10, "{bounded} hundredths above the floor");
    let (mut churn, raised) = surplus(1000, 1 << 36);
    assert!(raised > fixed + 20, "{fixed} and {raised} hundredths");
    assert!(raised <= 101, "{raised} hundredths: at most twice the peak");
    while !churn.blocks.is_empty() {
        churn.free(0);
    }
    for leaving in churn.pool.begin_return(0, &Alone) {
        churn.pool.end_return(&leaving, true);
    }
    assert_eq!(churn.pool.reserved(), 0);
    for _ in 0..1000 {
        churn.alloc();
    }
    let again = churn.surplus(300);
    assert!(
        again < raised / 2,
        "{again} hundredths after it was trimmed"
    );
}

/// Its first search lasts until another thread has to wait for it.
struct Slow<'a> {
    pool: &'a Pool,
    searches: &'a Barrier,
    begun: Cell<bool>,
}

impl Order for Slow<'_> {
    fn known(&self, _: u64) -> u64 {
        0
    }

    fn passed(&self, _: u64) -> u64 {
        1
    }

    /// Called while the pool is locked, because its stream has nothing free.
    fn now(&self) -> u64 {
        if !self.begun.replace(true) {
            let before = self.pool.disputes();
            self.searches.wait();
            while self.pool.disputes() == before {
                thread::yield_now();
            }
        }
        1
    }
}

/// The pages beyond the peak, in hundredths, after threads have waited for each other so many times.
fn surplus_after(few_streams: u32, disputes: usize) -> u64 {
    let mut churn = Churn::new(Options {
        slack: 15,
        most_slack: 60,
        few_streams,
        ..Options::new(1 << 36)
    });
    let pool = &churn.pool;
    let grow = |stream, order: &dyn Order| {
        let shard = pool.shard(stream).expect("one of a few");
        let grant = pool.alloc_slow(&shard, &Ask::of(PAGE), order);
        pool.grown(*grant.expect("it fits").growth.expect("a page"));
    };
    for stream in 10..14 {
        grow(stream, &Alone);
    }
    let searches = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            for stream in 0..disputes {
                let order = Slow {
                    pool,
                    searches: &searches,
                    begun: Cell::new(false),
                };
                grow(100 + stream as u64, &order);
                // The next search must not keep the other thread from the end of this one.
                searches.wait();
            }
        });
        for stream in 0..disputes {
            searches.wait();
            grow(1000 + stream as u64, &Alone);
            searches.wait();
        }
    });
    for _ in 0..1000 {
        churn.alloc();
    }
    churn.surplus(40_000)
}

#[test]
fn with_many_streams_whose_threads_wait_for_each_other_the_slack_is_raised_further() {
    let (few, many) = (surplus_after(1000, 80), surplus_after(4, 80));
    assert!(many > few + 20, "{few} and {many} hundredths");
    // One thread with as many streams waits for nobody.
    let alone = surplus_after(4, 0);
    assert!(many > alone + 20, "{alone} and {many} hundredths");
}

#[test]
fn without_windows_a_pool_grows_and_open_windows_stay() {
    let mut streams = Streams::new(1, 1 << 30);
    let blocks: Vec<u64> = (0..6).map(|_| streams.alloc(0, PAGE)).collect();
    for at in [0, 2] {
        streams.free(blocks[at], 0);
    }
    let window = streams.alloc(0, 2 * PAGE);
    assert!(window >= 1 << 30, "it borrows both pages");
    streams.pool.end_windows();
    streams.free(blocks[4], 0);
    let next = streams.alloc(0, 2 * PAGE);
    assert!(next < 1 << 30);
    assert_eq!(streams.pages(), 8);
    streams.free(window, 0);
    for at in [0, 2] {
        assert_eq!(streams.alloc(0, PAGE), blocks[at], "the pages went home");
    }
}
