//! A pool against a simple model of it.
//!
//! The model knows of every byte which streams have used it and up to which position, and of every
//! stream what it has waited for. Whatever the pool hands out must be nobody's, and every use of it
//! must be ordered before the work that the new block is for. Programs may use blocks of other streams
//! without waiting: that is their fault, but nobody else may suffer from it.
//!
//! A program is a list of steps, and a step is a few bytes, so that a property test and a fuzzer can
//! make both.

mod blocks;
mod room;
mod streams;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use millpond_pool::{
    Ask, BlockId, Clock, Found, GRANULE, Growth, HOST, Leaving, NotLive, Options, Order, PageSize,
    Pages, Pool, Refusal, Shard,
};

/// One step of a program: what to do, and numbers that say with what.
pub(crate) type Step = [u8; 6];

/// How a pool is made: the first step of a program.
fn options(step: Step) -> Options {
    let [bytes, windows, floor, limit, slack, exact] = step.map(u64::from);
    let page_bytes = [2 << 20, 8 << 20, 16 << 20][usize::from(step[5] / 2 % 3)];
    Options {
        page: PageSize::new(page_bytes).expect("a power of two"),
        bytes: (3 + bytes % 18) * page_bytes + bytes % 2 * GRANULE,
        windows: [0, 6, 200][usize::from(step[1] % 3)] * page_bytes + windows % 2,
        limit: if limit % 2 == 0 {
            u64::MAX
        } else {
            (1 + limit % 30) * page_bytes
        },
        most_slack: [0, 1000][usize::from(step[4] % 2)],
        slack: u32::from(step[4]) % 20 * u32::from(slack < 128),
        freely: [0, 0, 1, 8][usize::from(step[2] % 4)] * page_bytes,
        floor: [0, 0, 4, 64][usize::from(step[2] % 4)] * page_bytes + floor % 2,
        exact_peak: exact % 2 == 0,
        few_streams: u32::MAX,
    }
}

/// The program that bytes stand for: what is left at the end is no step.
pub(crate) fn decode(bytes: &[u8]) -> Vec<Step> {
    let (steps, _) = bytes.as_chunks();
    steps.to_vec()
}

/// Runs a program. Answers where its blocks were and what they were called.
pub(crate) fn run(program: &[Step]) -> Vec<(u64, u64)> {
    let (first, steps) = program.split_first().unwrap_or((&[0; 6], &[]));
    let mut model = Model::new(options(*first));
    for &step in steps {
        model.step(step);
    }
    model.end()
}

/// What the pool is told of the order of streams.
struct Told {
    stream: u64,
    now: u64,
    known: Clock,
    passed: BTreeMap<u64, u64>,
    /// What may be set aside, and what of that has been.
    spare: u64,
    reserved: Cell<u64>,
}

impl Order for Told {
    fn known(&self, stream: u64) -> u64 {
        if self.stream != HOST && stream == self.stream {
            self.now
        } else {
            self.known.of(stream)
        }
    }

    fn passed(&self, stream: u64) -> u64 {
        self.passed.get(&stream).copied().unwrap_or(u64::MAX)
    }

    fn now(&self) -> u64 {
        self.now
    }

    fn reserve(&self, more: u64) -> bool {
        assert_eq!(self.reserved.get(), 0, "asked once");
        if more <= self.spare {
            self.reserved.set(more);
        }
        more <= self.spare
    }
}

/// For each stream a position.
type Knowledge = BTreeMap<u64, u64>;

fn learn(knowledge: &mut Knowledge, other: &Knowledge) {
    for (&stream, &position) in other {
        let known = knowledge.entry(stream).or_default();
        *known = position.max(*known);
    }
}

struct Stream {
    shards: Vec<Arc<Shard>>,
    position: u64,
    /// What the pool is told of what it knows, and what it does know.
    clock: Clock,
    knows: Knowledge,
    /// What it learned at which position.
    waits: Vec<(u64, Knowledge)>,
    /// Up to where it was seen to have passed.
    passed: u64,
    closed: bool,
    /// What its blocks were charged at most at one time, and the bytes of all of them.
    charged: u64,
    peak: u64,
    total: u64,
    /// One of its blocks was charged for a while and then refused.
    refused: bool,
}

struct Event {
    captured: Clock,
    knows: Knowledge,
}

/// Queued work of a stream uses bytes up to a position.
#[derive(Debug, Clone, Copy)]
struct Use {
    start: u64,
    end: u64,
    stream: u64,
    position: u64,
}

#[derive(Debug)]
struct Block {
    id: BlockId,
    offset: u64,
    bytes: u64,
    ask: Ask,
    serial: u64,
    stream: u64,
    shard: Arc<Shard>,
    /// Where its bytes are at home: several ranges for a window.
    places: Vec<(u64, u64)>,
    uses: Vec<(u64, u64)>,
    /// What the device has not done yet.
    growth: Option<Growth>,
}

struct Model {
    pool: Pool,
    options: Options,
    page: PageSize,
    home: u64,
    streams: BTreeMap<u64, Stream>,
    next_stream: u64,
    events: Vec<Event>,
    live: Vec<Block>,
    /// Uses that may not be over yet: of bytes, and of addresses in windows.
    uses: Vec<Use>,
    address_uses: Vec<Use>,
    /// Up to where the work of streams has passed, also by what was waited for.
    passed: Knowledge,
    backed: BTreeSet<u64>,
    leaving: Vec<Leaving>,
    /// What the pages of windows show.
    mapped: BTreeMap<u64, u64>,
    charged: u64,
    held: Vec<u64>,
    limit: u64,
    peak: u64,
    /// A block that was charged for a while was refused: the peak is not what was handed out.
    peak_is_loose: bool,
    settled_peak: u64,
    /// What is set aside, the most that was, and what more could be.
    mark: u64,
    highest_mark: u64,
    spare: u64,
    freed: Vec<u64>,
    serials: BTreeSet<u64>,
    log: Vec<(u64, u64)>,
}

/// Sizes of blocks; the last two are pages.
const SIZES: [u64; 6] = [512, 1, 700, 4096, 70_000, 300_000];

impl Model {
    fn new(options: Options) -> Self {
        let mut model = Self {
            pool: Pool::new(options),
            options,
            home: options.page.down(options.bytes),
            page: options.page,
            streams: BTreeMap::new(),
            next_stream: 1,
            events: Vec::new(),
            live: Vec::new(),
            uses: Vec::new(),
            address_uses: Vec::new(),
            passed: Knowledge::new(),
            backed: BTreeSet::new(),
            leaving: Vec::new(),
            mapped: BTreeMap::new(),
            charged: 0,
            held: Vec::new(),
            limit: options.limit,
            peak: 0,
            peak_is_loose: false,
            settled_peak: 0,
            mark: 0,
            highest_mark: 0,
            spare: if options.slack.is_multiple_of(2) {
                u64::MAX
            } else {
                options.bytes
            },
            freed: Vec::new(),
            serials: BTreeSet::new(),
            log: Vec::new(),
        };
        for _ in 0..3 {
            model.open(false);
        }
        model
    }

    fn step(&mut self, step: Step) {
        let [what, one, two, three, four, five] = step;
        match what % 32 {
            0..=8 => self.alloc(one, two, three, four, five),
            9..=13 => self.free(one, two, three),
            14..=16 => self.use_block(one, two, three),
            17 => self.check_only(one, two, three),
            18 | 19 => self.record(one),
            20..=22 => self.wait(one, two),
            23 => {
                self.enqueue(one);
            }
            24 | 25 => self.pass(one, two),
            26 => self.trim(one, two, three, four),
            27 => self.settle(one, two, three),
            28 => self.charge_others(one, two),
            29 => match one % 4 {
                0 => self.close(two),
                1 | 2 => self.open(two.is_multiple_of(4)),
                _ => self.forget(two),
            },
            30 => self.free_wrongly(one, two),
            _ => self.look(),
        }
    }

    // Streams.

    /// Compares what the pool says of itself. Not at every step: looking changes what is known.
    fn look(&mut self) {
        let numbers = self.pool.statistics();
        assert_eq!((numbers.charged, numbers.limit), (self.total(), self.limit));
        assert_eq!(numbers.blocks, self.live.len() as u64);
        assert_eq!(numbers.reserved, self.reserved());
        assert!(numbers.peak_reserved >= numbers.reserved && numbers.peak_reserved <= self.home);
        if self.options.exact_peak && !self.peak_is_loose {
            assert_eq!(numbers.peak, self.peak);
        } else {
            assert!(numbers.peak >= self.total() && numbers.peak <= self.peak.max(self.total()));
            let exact = self.options.exact_peak;
            assert!(
                !exact || numbers.peak >= self.settled_peak,
                "{} < {}",
                numbers.peak,
                self.settled_peak
            );
        }
        assert_eq!(self.pool.charged(), (numbers.charged, numbers.peak));
        assert_eq!(self.pool.reserved(), self.reserved());
        let (mark, highest) = self.pool.marks();
        assert_eq!(mark, self.mark);
        // What was set aside for a request that got nothing, or has not been settled, does not count.
        assert!(highest <= self.highest_mark);
        assert_eq!(self.pool.live_blocks(), numbers.blocks);
        let mut live: Vec<Found> = self.live.iter().map(expected).collect();
        live.sort_unstable_by_key(|block| block.offset);
        assert_eq!(self.pool.live(), live);
        for (number, stream) in self.streams.iter().filter(|(_, stream)| !stream.closed) {
            let parts = || numbers.streams.iter().filter(|part| part.stream == *number);
            assert_eq!(parts().count(), stream.shards.len());
            assert_eq!(
                parts().map(|part| part.bytes.current).sum::<u64>(),
                stream.charged
            );
            assert_eq!(
                parts().map(|part| part.bytes.total).sum::<u64>(),
                stream.total
            );
            let peak = parts().map(|part| part.bytes.peak).sum::<u64>();
            assert!(peak >= stream.peak);
            if stream.shards.len() == 1 && !stream.refused {
                assert_eq!(peak, stream.peak);
            }
            let own = || self.live.iter().filter(|block| block.stream == *number);
            let counts = parts().flat_map(|part| &part.classes);
            assert_eq!(
                counts.map(|class| class.current).sum::<u64>(),
                own().count() as u64
            );
            for part in parts() {
                for (class, count) in part.classes.iter().enumerate() {
                    let alike = own()
                        .filter(|block| block.bytes.ilog2() as usize == class)
                        .count() as u64;
                    assert!(count.current <= alike && count.peak >= count.current);
                    assert!(count.total >= count.current);
                }
            }
        }
        let kinds: [u64; 128] = self.pool.charged_by_kind();
        assert_eq!(kinds.iter().sum::<u64>(), self.charged);
        let report = self.pool.report(3);
        assert_eq!(report.holders.len(), self.live.len().min(3));
        assert_eq!(
            report.holders.first().map(|holder| holder.bytes),
            live.iter().map(|block| block.bytes).max()
        );
        let (pieces, bytes) = self.pool.free_pieces();
        assert_eq!(pieces == 0, bytes == 0);
        assert!(bytes <= self.reserved() && report.largest_free <= bytes && report.idle <= bytes);
    }

    /// Gives everything back: it must all be there again. Answers where blocks were.
    fn end(mut self) -> Vec<(u64, u64)> {
        self.look();
        while let Some(at) = self.live.iter().position(|block| block.growth.is_some()) {
            self.settle_one(at, 32, 0, None);
        }
        for going in std::mem::take(&mut self.leaving) {
            self.end_return(&going, false);
        }
        while !self.live.is_empty() {
            self.free_by(self.live.len() - 1, None, 4);
        }
        for bytes in std::mem::take(&mut self.held) {
            self.pool.let_go(bytes);
        }
        self.look();
        // Whether streams have ended makes no difference.
        while self.log.len().is_multiple_of(2) && self.pick_stream(0).is_some() {
            self.close(0);
        }
        for number in self.streams.keys().copied().collect::<Vec<_>>() {
            self.pass_by(number, u64::MAX);
        }
        let order = self.told(HOST);
        for going in self.pool.begin_return(0, &order) {
            self.pool.end_return(&going, false);
        }
        let starts_run =
            |page: &&u64| **page == 0 || !self.backed.contains(&(**page - self.page.bytes()));
        let runs = self.backed.iter().filter(starts_run).count();
        let everything = (runs, self.reserved());
        assert_eq!(self.pool.free_pieces(), everything, "everything merges");
        for going in self.pool.begin_return(0, &order) {
            self.pool.end_return(&going, true);
        }
        assert_eq!((self.pool.reserved(), self.pool.free_pieces()), (0, (0, 0)));
        assert_eq!((self.pool.charged().0, self.pool.live_blocks()), (0, 0));
        self.log
    }
}

fn contains(pages: &[Pages], offset: u64) -> bool {
    pages
        .iter()
        .any(|run| (run.offset..run.offset + run.bytes).contains(&offset))
}

fn covers(block: &Block, offset: u64) -> bool {
    (block.offset..block.offset + block.bytes).contains(&offset)
}

/// What the pool must say of a block.
fn expected(block: &Block) -> Found {
    Found {
        offset: block.offset,
        bytes: block.bytes,
        requested: block.ask.requested,
        charge: block.ask.charge,
        serial: block.serial,
        kind: block.ask.kind & 0x7f,
    }
}
