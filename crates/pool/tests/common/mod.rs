//! A pool against a simple model of it.
//!
//! The model knows of every byte which streams have used it and up to which position, and of every
//! stream what it has waited for. Whatever the pool hands out must be nobody's, and every use of it
//! must be ordered before the work that the new block is for. Programs may use blocks of other streams
//! without waiting: that is their fault, but nobody else may suffer from it.
//!
//! A program is a list of steps, and a step is a few bytes, so that a property test and a fuzzer can
//! make both.

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

    fn open(&mut self, twice: bool) {
        let open = self.streams.values().filter(|stream| !stream.closed);
        if open.count() >= 6 {
            return;
        }
        let number = self.next_stream;
        self.next_stream += 1;
        let shards = (0..=usize::from(twice)).map(|_| self.pool.shard(number).expect("few shards"));
        let shards: Vec<Arc<Shard>> = shards.collect();
        assert!(shards.iter().all(|shard| shard.stream() == number));
        self.streams.insert(
            number,
            Stream {
                shards,
                position: 0,
                clock: Clock::default(),
                knows: Knowledge::new(),
                waits: Vec::new(),
                passed: 0,
                closed: false,
                charged: 0,
                peak: 0,
                total: 0,
                refused: false,
            },
        );
    }

    fn close(&mut self, pick: u8) {
        if let Some(number) = self.pick_stream(pick) {
            let stream = &self.streams[&number];
            for shard in &stream.shards {
                self.pool.close(shard);
            }
            self.stream(number).closed = true;
        }
    }

    fn stream(&mut self, number: u64) -> &mut Stream {
        self.streams
            .get_mut(&number)
            .expect("a stream of the model")
    }

    /// A stream that has not ended.
    fn pick_stream(&self, pick: u8) -> Option<u64> {
        let open: Vec<u64> = self
            .streams
            .iter()
            .filter(|(_, s)| !s.closed)
            .map(|(&n, _)| n)
            .collect();
        usize::from(pick).checked_rem(open.len()).map(|at| open[at])
    }

    fn enqueue(&mut self, pick: u8) -> Option<(u64, u64)> {
        let number = self.pick_stream(pick)?;
        let stream = self.stream(number);
        stream.position += 1;
        Some((number, stream.position))
    }

    fn record(&mut self, pick: u8) {
        if let Some((number, position)) = self.enqueue(pick) {
            let stream = &self.streams[&number];
            let (mut captured, mut knows) = (stream.clock.clone(), stream.knows.clone());
            captured.learn(number, position);
            knows.insert(number, position);
            if self.events.len() >= 6 {
                self.events.remove(0);
            }
            self.events.push(Event { captured, knows });
        }
    }

    fn wait(&mut self, pick: u8, event: u8) {
        let Some(event) = usize::from(event).checked_rem(self.events.len()) else {
            return;
        };
        if let Some((number, position)) = self.enqueue(pick) {
            let Event { captured, knows } = &self.events[event];
            let stream = self.streams.get_mut(&number).expect("it was picked");
            stream.clock.merge(captured);
            learn(&mut stream.knows, knows);
            stream.waits.push((position, knows.clone()));
        }
    }

    /// The stream drops what is known to everybody from its clock.
    fn forget(&mut self, pick: u8) {
        if let Some(number) = self.pick_stream(pick) {
            let passed = self.told_passed();
            let is_over = |stream, position| passed.get(&stream).is_none_or(|&at| at >= position);
            self.stream(number).clock.forget(is_over);
        }
    }

    /// Work of a stream, also of one that has ended, is seen to have passed.
    fn pass(&mut self, pick: u8, amount: u8) {
        let numbers: Vec<u64> = self.streams.keys().copied().collect();
        let number = numbers[usize::from(pick) % numbers.len()];
        let amount = if amount.is_multiple_of(2) {
            u64::MAX
        } else {
            u64::from(amount / 2)
        };
        self.pass_by(number, amount);
    }

    fn pass_by(&mut self, number: u64, amount: u64) {
        let stream = self.stream(number);
        stream.passed = stream.position.min(stream.passed.saturating_add(amount));
        let passed = stream.passed;
        let mut now_over = Knowledge::from([(number, passed)]);
        for (_, knows) in stream.waits.iter().filter(|(at, _)| *at <= passed) {
            learn(&mut now_over, knows);
        }
        learn(&mut self.passed, &now_over);
        let passed = &self.passed;
        let is_open = |used: &Use| passed.get(&used.stream).copied().unwrap_or(0) < used.position;
        self.uses.retain(is_open);
        self.address_uses.retain(is_open);
    }

    /// What the pool is told of what has passed; streams that are over have no entry.
    fn told_passed(&self) -> BTreeMap<u64, u64> {
        let streams = self.streams.iter();
        let unfinished =
            streams.filter(|(_, stream)| !stream.closed || stream.passed < stream.position);
        unfinished
            .map(|(&number, stream)| (number, stream.passed))
            .collect()
    }

    fn told(&self, number: u64) -> Told {
        let stream = self.streams.get(&number);
        Told {
            stream: number,
            now: stream.map_or(0, |stream| stream.position),
            known: stream.map_or_else(Clock::default, |stream| stream.clock.clone()),
            passed: self.told_passed(),
            spare: self.spare,
            reserved: Cell::new(0),
        }
    }

    /// Whether work of a stream is over before what `observer` does next.
    fn is_before(&self, (stream, position): (u64, u64), observer: u64) -> bool {
        let at_least =
            |knowledge: &Knowledge| knowledge.get(&stream).is_some_and(|&at| at >= position);
        let known = || {
            self.streams
                .get(&observer)
                .is_some_and(|observer| at_least(&observer.knows))
        };
        position == 0 || stream == observer || at_least(&self.passed) || known()
    }

    // Blocks.

    fn pick_block(&self, pick: u8) -> Option<usize> {
        let ready: Vec<usize> = (0..self.live.len())
            .filter(|&at| self.live[at].growth.is_none())
            .collect();
        usize::from(pick)
            .checked_rem(ready.len())
            .map(|at| ready[at])
    }

    fn alloc(&mut self, who: u8, size: u8, more: u8, how: u8, wish: u8) {
        let number = if who % 8 == 7 {
            HOST
        } else {
            self.pick_stream(who / 8).unwrap_or(HOST)
        };
        let shard = match self.streams.get(&number) {
            Some(stream) => Arc::clone(&stream.shards[usize::from(who) % stream.shards.len()]),
            None => Arc::clone(self.pool.host()),
        };
        let bytes = match size % 16 {
            15 => self.home - u64::from(more) * 4096,
            14 => u64::from(more) * 100_000,
            13 => u64::MAX - u64::from(more),
            size => {
                let pages = [self.page.bytes(), 3 * self.page.bytes()];
                let sizes = [&SIZES[..], &pages[..]].concat();
                sizes[usize::from(size % 8)] * (1 + u64::from(more % 4))
            }
        };
        let align = [
            1,
            64,
            GRANULE,
            GRANULE,
            GRANULE,
            4096,
            1 << 20,
            self.page.bytes(),
        ][usize::from(how % 8)];
        let ask = Ask {
            align,
            charge: if how & 8 == 0 { bytes } else { bytes / 2 },
            requested: bytes.saturating_sub(1),
            kind: how >> 1,
            ..Ask::of(bytes)
        };
        let wish = match wish % 8 {
            0 => self.freed.last().copied(),
            1 => self
                .pick_block(more)
                .map(|at| self.live[at].offset + self.live[at].bytes),
            2 => Some(u64::from(wish) * u64::from(more) * 4096 % (self.home + self.page.bytes())),
            3 => Some(u64::from(more) * 17),
            _ => None,
        };
        if wish.is_none()
            && how & 16 == 0
            && let Some(quick) = self.pool.alloc(&shard, &ask)
        {
            let bytes = bytes.max(1).next_multiple_of(GRANULE);
            self.hand_out(
                number,
                shard,
                ask,
                (quick.id, quick.offset, bytes, quick.serial),
                None,
            );
            return;
        }
        let order = self.told(number);
        let fits = self
            .total()
            .checked_add(ask.charge)
            .is_some_and(|new| new <= self.limit);
        let answer = self.pool.alloc_near(&shard, &ask, &order, wish);
        let reserved = order.reserved.get();
        self.mark += reserved;
        self.highest_mark = self.highest_mark.max(self.mark);
        self.spare -= reserved;
        match answer {
            Ok(grant) => {
                let peak = self.peak;
                let growth = grant.growth.map(|growth| *growth);
                let grows = growth.is_some();
                self.hand_out(
                    number,
                    shard,
                    ask,
                    (grant.id, grant.offset, grant.bytes, grant.serial),
                    growth,
                );
                // One in four growths is settled by a later step.
                if grows && how >> 5 != 0 {
                    self.settle_one(self.live.len() - 1, how, more, Some(peak));
                }
            }
            Err(Refusal::Limit) => assert!(!fits, "{ask:?} would fit"),
            Err(Refusal::Reserve) => {
                let needs = self.total() + ask.charge;
                assert!(self.options.exact_peak && needs > self.mark);
                assert!(fits && needs - self.mark > self.spare);
            }
            Err(Refusal::Addresses) => {
                let idle = self.live.is_empty() && self.leaving.is_empty();
                let over = self
                    .streams
                    .values()
                    .all(|stream| stream.passed == stream.position);
                let small = bytes <= self.home && align <= GRANULE;
                assert!(!(idle && over && small), "{ask:?} from an empty pool");
            }
        }
    }

    fn hand_out(
        &mut self,
        stream: u64,
        shard: Arc<Shard>,
        ask: Ask,
        (id, offset, bytes, serial): (BlockId, u64, u64, u64),
        growth: Option<Growth>,
    ) {
        self.log.push((offset, serial));
        assert!(self.serials.insert(serial), "the number {serial} twice");
        let wanted = ask.bytes.max(1).next_multiple_of(GRANULE);
        assert_eq!(offset % ask.align.max(GRANULE), 0, "{ask:?} at {offset}");
        self.charge(ask.charge);
        assert!(self.total() <= self.limit, "more than the limit");
        if self.options.exact_peak {
            assert!(self.charged <= self.mark, "more than was set aside");
        }
        let (mut commit, mut places) = (BTreeSet::new(), Vec::new());
        if let Some(growth) = &growth {
            for page in growth
                .commit
                .iter()
                .flat_map(|pages| self.page.each(*pages))
            {
                assert!(page.offset + page.bytes <= self.home);
                assert!(
                    !self.backed.contains(&page.offset),
                    "{page:?} is backed already"
                );
                let asked_twice = self
                    .in_flight()
                    .any(|other| contains(&other.commit, page.offset));
                assert!(!asked_twice, "{page:?} was asked for already");
                assert!(commit.insert(page.offset));
            }
            for mapping in &growth.map {
                assert!(
                    mapping.at >= self.home
                        && mapping.at + self.page.bytes() <= self.home + self.options.windows
                );
                let user = self.address_uses.iter().find(|used| {
                    used.start < mapping.at + self.page.bytes() && used.end > mapping.at
                });
                assert!(user.is_none(), "{mapping:?} while {user:?}");
                self.mapped.insert(mapping.at, mapping.page);
            }
        }
        if offset < self.home {
            assert_eq!(bytes, wanted);
            assert!(offset + bytes <= self.home);
            places.push((offset, offset + bytes));
        } else {
            assert_eq!(bytes, wanted);
            let pages = self.page.at(offset)..self.page.from(offset + bytes);
            let mut shown = BTreeSet::new();
            for at in pages.map(|page| self.page.start(page)) {
                let page = *self
                    .mapped
                    .get(&at)
                    .expect("a window shows something everywhere");
                assert!(shown.insert(page), "a page twice");
                let (from, to) = (offset.max(at), (offset + bytes).min(at + self.page.bytes()));
                places.push((page + from - at, page + to - at));
            }
        }
        for &(start, end) in &places {
            for page in (self.page.down(start)..end)
                .step_by(usize::try_from(self.page.bytes()).expect("a small number"))
            {
                assert!(
                    self.backed.contains(&page) || commit.contains(&page),
                    "nothing is at {page}"
                );
                assert!(
                    !self
                        .leaving
                        .iter()
                        .any(|going| contains(&[going.pages], page)),
                    "{page} leaves"
                );
            }
            let holder = self
                .live
                .iter()
                .find(|block| block.places.iter().any(|&(s, e)| s < end && e > start));
            assert!(holder.is_none(), "{start} to {end} is in {holder:?}");
            for used in self
                .uses
                .iter()
                .filter(|used| used.start < end && used.end > start)
            {
                assert!(
                    self.is_before((used.stream, used.position), stream),
                    "{start} to {end} for stream {stream} while {used:?}"
                );
            }
        }
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.charged += ask.charge;
            stream.peak = stream.peak.max(stream.charged);
            stream.total += bytes;
        }
        self.live.push(Block {
            id,
            offset,
            bytes,
            ask,
            serial,
            stream,
            shard,
            places,
            uses: Vec::new(),
            growth,
        });
        self.note_settled();
    }

    fn in_flight(&self) -> impl Iterator<Item = &Growth> {
        self.live.iter().filter_map(|block| block.growth.as_ref())
    }

    fn total(&self) -> u64 {
        self.charged + self.held.iter().sum::<u64>()
    }

    fn charge(&mut self, charge: u64) {
        self.charged += charge;
        self.peak = self.peak.max(self.total());
    }

    /// The peak of what was not refused later.
    fn note_settled(&mut self) {
        let in_flight = self.live.iter().filter(|block| block.growth.is_some());
        let in_flight: u64 = in_flight.map(|block| block.ask.charge).sum();
        self.settled_peak = self.settled_peak.max(self.total() - in_flight);
    }

    /// The device answers a growth: with all pages, with some or with none. `peak_before` is what was
    /// charged at most before it, if nothing has happened since.
    fn settle_one(&mut self, at: usize, how: u8, which: u8, peak_before: Option<u64>) {
        let growth = self.live[at].growth.take().expect("it waits for pages");
        let pages: Vec<Pages> = growth
            .commit
            .iter()
            .flat_map(|pages| self.page.each(*pages))
            .collect();
        if how >> 5 < 6 {
            self.backed.extend(pages.iter().map(|page| page.offset));
            self.pool.grown(growth);
            self.note_settled();
            return;
        }
        let fails = |nth: usize| how >> 5 == 7 || which >> (nth % 8) & 1 == 1;
        let (mut failed, mut came) = (Vec::new(), Vec::new());
        for (nth, page) in pages.into_iter().enumerate() {
            if fails(nth) {
                failed.push(page);
            } else {
                came.push(page);
            }
        }
        self.backed.extend(came.iter().map(|page| page.offset));
        let block = self.live.remove(at);
        let now = self
            .streams
            .get(&block.stream)
            .map_or(0, |stream| stream.position);
        self.pool.not_grown(&block.shard, growth, &failed, now);
        self.mapped
            .retain(|at, _| !(block.offset..block.offset + block.bytes).contains(at));
        self.charged -= block.ask.charge;
        if let Some(stream) = self.streams.get_mut(&block.stream) {
            stream.charged -= block.ask.charge;
            stream.total -= block.bytes;
            stream.refused = true;
        }
        // If nothing else happened meanwhile, it is as if nothing had been asked.
        match peak_before {
            Some(peak) => self.peak = peak,
            None => self.peak_is_loose = true,
        }
    }

    fn settle(&mut self, pick: u8, how: u8, which: u8) {
        let waiting: Vec<usize> = (0..self.live.len())
            .filter(|&at| self.live[at].growth.is_some())
            .collect();
        if pick.is_multiple_of(2) {
            if let Some(at) = usize::from(pick / 2).checked_rem(waiting.len()) {
                self.settle_one(waiting[at], how | 32, which, None);
            }
        } else if let Some(at) = usize::from(pick / 2).checked_rem(self.leaving.len()) {
            let leaving = self.leaving.remove(at);
            self.end_return(&leaving, how.is_multiple_of(2));
        }
    }

    /// Queued work of a stream uses a block, or some of its bytes.
    fn use_block(&mut self, pick: u8, who: u8, part: u8) {
        let Some(at) = self.pick_block(pick) else {
            return;
        };
        let Some(number) = self.pick_stream(who) else {
            return;
        };
        let block = &self.live[at];
        let (offset, bytes) = (block.offset, block.bytes);
        let from = u64::from(part) * GRANULE % bytes;
        let stream = self.stream(number);
        stream.position += 1;
        let user = (number, stream.position);
        let passed = self.told(HOST);
        // Threads that share a stream may note their uses in another order.
        let earlier = (number, user.1 - u64::from(part % 2));
        for user in [user, earlier] {
            let (from, bytes) = (offset + from, bytes - from);
            let checked = self
                .pool
                .check(from, bytes, Some(user), |stream| passed.passed(stream));
            assert_eq!(checked, Ok(Ok(())));
        }
        self.note_use(at, user);
        let noted = self.pool.uses(offset + from);
        for &(stream, position) in &self.live[at].uses {
            let known = noted
                .iter()
                .any(|&(other, last)| other == stream && last >= position);
            assert!(
                known || passed.passed(stream) >= position,
                "a use is forgotten"
            );
        }
    }

    fn note_use(&mut self, at: usize, (stream, position): (u64, u64)) {
        let block = &mut self.live[at];
        block.uses.retain(|&(other, _)| other != stream);
        block.uses.push((stream, position));
        // Nothing of a stream is open that has passed, or that nothing was put into yet.
        if self.passed.get(&stream).copied().unwrap_or(0) >= position {
            return;
        }
        for &(start, end) in &block.places {
            self.uses
                .retain(|used| (used.start, used.end, used.stream) != (start, end, stream));
            self.uses.push(Use {
                start,
                end,
                stream,
                position,
            });
        }
        if block.offset >= self.home {
            let (start, end) = (block.offset, block.offset + block.bytes);
            self.address_uses.push(Use {
                start,
                end,
                stream,
                position,
            });
        }
    }

    /// Questions about bytes that are in a block, reach beyond it, or are in none.
    fn check_only(&mut self, pick: u8, at: u8, more: u8) {
        let Some(block) = self.pick_block(pick).map(|at| &self.live[at]) else {
            assert!(
                self.pool.find(u64::from(at) * self.page.bytes()).is_none()
                    || !self.live.is_empty()
            );
            return;
        };
        let inside = block.offset + (u64::from(at) * 331).min(block.bytes - 1);
        let left = block.offset + block.bytes - inside;
        let found = expected(block);
        assert_eq!(self.pool.find(inside), Some(found));
        let bytes = u64::from(more) * 300;
        let answer = if bytes > left { Err(found) } else { Ok(()) };
        assert_eq!(self.pool.check(inside, bytes, None, |_| 0), Ok(answer));
        let behind = block.offset + block.bytes + u64::from(more) * 4096;
        let holder = self.live.iter().find(|block| covers(block, behind));
        assert_eq!(self.pool.find(behind), holder.map(expected));
    }

    fn free(&mut self, pick: u8, who: u8, how: u8) {
        let Some(at) = self.pick_block(pick) else {
            return;
        };
        let by = match who % 4 {
            0 => None,
            1 => Some(self.live[at].stream)
                .filter(|home| self.streams.get(home).is_some_and(|s| !s.closed)),
            _ => self.pick_stream(who / 4),
        };
        let by = by.map(|number| (number, self.streams[&number].position));
        self.free_by(at, by, how);
    }

    fn free_by(&mut self, at: usize, by: Option<(u64, u64)>, how: u8) {
        if let Some(by) = by {
            self.note_use(at, by);
        }
        let passed = self.told(HOST);
        let block = self.live.remove(at);
        let others = block
            .uses
            .iter()
            .filter(|&&(stream, _)| stream != block.stream);
        let mut others = others.filter(|&&(stream, position)| passed.passed(stream) < position);
        let must_wait = others.next().is_some();
        let likely = match how % 4 {
            0 => Arc::clone(self.pool.host()),
            1 => Arc::clone(&self.streams.values().next().expect("streams stay").shards[0]),
            _ => Arc::clone(&block.shard),
        };
        let passed = |stream| passed.passed(stream);
        if how & 4 == 0 {
            assert_eq!(self.pool.free_block(&likely, block.id, by, passed), Ok(()));
        } else {
            let serial = (how & 8 == 0).then_some(block.serial);
            let mut told = None;
            let freed =
                self.pool
                    .free(&likely, block.offset, serial, by, passed, |freed, waits| {
                        told = Some((freed.found(), waits));
                    });
            assert_eq!(freed, Ok(()));
            assert_eq!(told, Some((expected(&block), must_wait)));
        }
        self.charged -= block.ask.charge;
        if let Some(stream) = self.streams.get_mut(&block.stream) {
            stream.charged -= block.ask.charge;
        }
        self.freed.push(block.offset);
    }

    /// What must not be freed: a block twice, the inside of one, another block than was meant.
    fn free_wrongly(&mut self, pick: u8, how: u8) {
        let free = |pool: &Pool, offset, serial| {
            pool.free(
                pool.host(),
                offset,
                serial,
                None,
                |_| 0,
                |_, _| unreachable!("nothing is freed"),
            )
        };
        if let Some(&offset) = self.freed.last()
            && self.live.iter().all(|block| block.offset != offset)
        {
            let inside = self
                .live
                .iter()
                .find(|block| covers(block, offset))
                .map(|block| block.offset);
            assert_eq!(free(&self.pool, offset, None), Err(NotLive { inside }));
        }
        if let Some(block) = self.pick_block(pick).map(|at| &self.live[at]) {
            let inside = Err(NotLive {
                inside: Some(block.offset),
            });
            let further = (1 + u64::from(how) * 64).min(block.bytes - 1);
            assert_eq!(free(&self.pool, block.offset + further, None), inside);
            assert_eq!(
                free(&self.pool, block.offset, Some(block.serial + 1)),
                inside
            );
        }
    }

    // Pages and limits.

    fn trim(&mut self, keep: u8, who: u8, how: u8, which: u8) {
        let order = self.told(
            self.pick_stream(who)
                .filter(|_| who.is_multiple_of(2))
                .unwrap_or(HOST),
        );
        let leaving = if how.is_multiple_of(3) {
            self.pool.begin_decay(&order)
        } else {
            let keep = u64::from(keep % 8) * self.page.bytes();
            let leaving = self.pool.begin_return(keep, &order);
            let bytes: u64 = leaving.iter().map(|going| going.pages.bytes).sum();
            assert!(bytes <= self.reserved().saturating_sub(keep));
            leaving
        };
        for (nth, going) in leaving.into_iter().enumerate() {
            let (start, end) = (going.pages.offset, going.pages.offset + going.pages.bytes);
            for page in self.page.each(going.pages) {
                assert!(self.backed.contains(&page.offset));
                assert!(
                    !self
                        .leaving
                        .iter()
                        .any(|other| contains(&[other.pages], page.offset))
                );
            }
            let holder = self
                .live
                .iter()
                .find(|block| block.places.iter().any(|&(s, e)| s < end && e > start));
            assert!(holder.is_none(), "{going:?} is in {holder:?}");
            let user = self
                .uses
                .iter()
                .find(|used| used.start < end && used.end > start);
            assert!(user.is_none(), "{going:?} while {user:?}");
            match which >> (nth % 8) & 1 {
                1 if how & 4 == 0 => self.leaving.push(going),
                refused => self.end_return(&going, refused == 0),
            }
        }
    }

    fn end_return(&mut self, going: &Leaving, returned: bool) {
        self.pool.end_return(going, returned);
        if returned {
            for page in self.page.each(going.pages) {
                self.backed.remove(&page.offset);
            }
            self.mapped
                .retain(|_, page| !contains(&[going.pages], *page));
        }
    }

    fn reserved(&self) -> u64 {
        self.backed.len() as u64 * self.page.bytes()
    }

    fn charge_others(&mut self, what: u8, amount: u8) {
        let bytes = u64::from(amount) * 100_000;
        match what % 8 {
            0 | 1 => {
                let fits = self
                    .total()
                    .checked_add(bytes)
                    .is_some_and(|new| new <= self.limit);
                assert_eq!(self.pool.hold(bytes), fits);
                if fits {
                    self.held.push(bytes);
                    self.charge(0);
                    self.note_settled();
                }
            }
            2 | 3 => {
                if let Some(bytes) = self.held.pop() {
                    self.pool.let_go(bytes);
                }
            }
            4 | 5 => {
                let limit = if amount < 16 { u64::MAX } else { bytes * 2 };
                let fits = self.total() <= limit;
                assert_eq!(self.pool.set_limit(limit), fits);
                if fits {
                    self.limit = limit;
                }
            }
            6 if amount.is_multiple_of(2) => self.pool.set_slack(u32::from(amount)),
            6 => {
                let lower = self.mark.min(self.total().max(bytes));
                assert_eq!(self.pool.lower_mark(bytes), self.mark - lower);
                self.spare = self.spare.saturating_add(self.mark - lower);
                self.mark = lower;
            }
            7 if amount.is_multiple_of(4) => {
                self.pool.reset_highest_mark();
                self.highest_mark = self.mark;
            }
            _ => {
                self.pool.reset_peak();
                (self.peak, self.settled_peak) = (self.total(), 0);
                self.note_settled();
                for stream in self.streams.values_mut() {
                    stream.peak = stream.charged;
                }
            }
        }
    }

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
