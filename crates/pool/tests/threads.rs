//! Many threads on one pool: nobody gets what another has, and in the end everything is there again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use millpond_pool::{Ask, Freed, GRANULE, NotLive, Options, Order, PAGE, Pool, Refusal, Shard};

const PAGES: u64 = 24;
const THREADS: u64 = 4;
const STEPS: u32 = 20_000;

/// What threads put into streams has passed when they free it: blocks go from stream to stream.
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

#[derive(Debug, Clone, Copy)]
struct Block {
    offset: u64,
    bytes: u64,
    serial: u64,
}

/// A block that another thread is to free, and whose it was.
type Given = (Block, u32);

struct Table {
    pool: Pool,
    limit: u64,
    /// Who has each granule, 0 for nobody.
    holders: Vec<AtomicU32>,
    /// What is charged to the pool, counted before it is freed and after it was handed out.
    charged: AtomicU64,
}

impl Table {
    fn tokens(&self, block: Block) -> &[AtomicU32] {
        let at = |offset: u64| usize::try_from(offset / GRANULE).unwrap_or(usize::MAX);
        &self.holders[at(block.offset)..at(block.offset + block.bytes)]
    }

    /// Large blocks are marked at their ends and here and there.
    fn mark(&self, block: Block, from: u32, to: u32) {
        let tokens = self.tokens(block);
        let step = (tokens.len() / 16).max(1);
        let last = tokens.len() - 1;
        for (at, token) in tokens.iter().enumerate() {
            if at.is_multiple_of(step) || at == last {
                let before = token.swap(to, SeqCst);
                assert_eq!(before, from, "whose {block:?} is");
            }
        }
    }

    fn take(&self, shard: &Shard, ask: &Ask, who: u32, device: u32) -> Option<Block> {
        let bytes = ask.bytes.next_multiple_of(GRANULE);
        let block = if let Some(quick) = self.pool.alloc(shard, ask) {
            Block {
                offset: quick.offset,
                bytes,
                serial: quick.serial,
            }
        } else {
            let grant = match self.pool.alloc_slow(shard, ask, &Over) {
                Ok(grant) => grant,
                Err(Refusal::Limit | Refusal::Addresses) => return None,
                Err(Refusal::Reserve) => unreachable!("everything may be set aside"),
            };
            if let Some(growth) = grant.growth {
                if device.is_multiple_of(5) {
                    let failed = growth.commit.iter().copied().step_by(2);
                    let failed: Vec<_> = failed.collect();
                    self.pool.not_grown(shard, *growth, &failed, 1);
                    return None;
                }
                self.pool.grown(*growth);
            }
            Block {
                offset: grant.offset,
                bytes: grant.bytes,
                serial: grant.serial,
            }
        };
        self.mark(block, 0, who);
        let charged = self.charged.fetch_add(ask.charge, SeqCst) + ask.charge;
        assert!(charged <= self.limit, "{charged} are charged");
        Some(block)
    }

    fn give(&self, likely: &Shard, block: Block, who: u32) -> Result<(), NotLive> {
        let note = |freed: Freed<'_>, _| {
            let found = freed.found();
            assert_eq!((found.bytes, found.serial), (block.bytes, block.serial));
            self.charged.fetch_sub(found.charge, SeqCst);
            self.mark(block, who, 0);
        };
        let serial = Some(block.serial);
        self.pool
            .free(likely, block.offset, serial, None, |_| u64::MAX, note)
    }
}

fn work(
    table: &Table,
    own: &Arc<Shard>,
    shared: &Arc<Shard>,
    thread: u64,
    to_next: &Sender<Given>,
    from_last: &Receiver<Given>,
) {
    let who = u32::try_from(thread + 1).unwrap_or(u32::MAX);
    let mut number = 0x2545_f491_4f6c_dd1d_u64.wrapping_mul(thread + 1);
    let mut mine = Vec::new();
    for step in 0..STEPS {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        let shard = if number.is_multiple_of(4) {
            shared
        } else {
            own
        };
        match number >> 8 & 15 {
            0..=6 if mine.len() < 40 => {
                let bytes = match number >> 12 & 15 {
                    0 => PAGE,
                    1 => (number >> 20 & 255) * 8192 + 1,
                    _ => [512, 1024, 4096, 70_000][usize::from(number.to_le_bytes()[2] & 3)],
                };
                mine.extend(table.take(shard, &Ask::of(bytes), who, step));
            }
            7..=10 if !mine.is_empty() => {
                let block = mine.swap_remove(number.to_le_bytes()[3] as usize % mine.len());
                assert_eq!(table.give(shard, block, who), Ok(()));
                assert!(table.give(own, block, who).is_err(), "twice");
            }
            11 | 12 if !mine.is_empty() => {
                // Somebody else frees it.
                let block = mine.swap_remove(0);
                to_next.send((block, who)).expect("the others are there");
            }
            13 => {
                while let Ok((block, whose)) = from_last.try_recv() {
                    assert_eq!(
                        table.pool.find(block.offset).map(|found| found.serial),
                        Some(block.serial)
                    );
                    assert_eq!(table.give(own, block, whose), Ok(()));
                }
            }
            14 if (number >> 40).is_multiple_of(8) => {
                for going in table.pool.begin_return((number >> 50 & 7) * PAGE, &Over) {
                    table.pool.end_return(&going, number >> 45 & 1 == 0);
                }
            }
            15 if (number >> 40).is_multiple_of(32) => {
                let numbers = table.pool.statistics();
                assert!(numbers.charged <= table.limit && numbers.peak <= table.limit);
                assert!(numbers.reserved <= PAGES * PAGE);
            }
            _ => {}
        }
    }
    for block in mine {
        assert_eq!(table.give(own, block, who), Ok(()));
    }
}

fn run(exact_peak: bool) {
    let limit = 16 * PAGE;
    let pool = Pool::new(Options {
        limit,
        exact_peak,
        ..Options::new(PAGES * PAGE)
    });
    let granules = usize::try_from(PAGES * PAGE / GRANULE).unwrap_or(0);
    let table = Table {
        pool,
        limit,
        holders: std::iter::repeat_with(AtomicU32::default)
            .take(granules)
            .collect(),
        charged: AtomicU64::new(0),
    };
    let shard = |stream| table.pool.shard(stream).expect("a few");
    let shared = shard(100);
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    for _ in 0..THREADS {
        let (sender, receiver) = channel();
        senders.push(sender);
        receivers.push(receiver);
    }
    senders.rotate_left(1);
    thread::scope(|scope| {
        let workers = senders.iter().zip(receivers.iter_mut()).zip(0..);
        for ((to_next, from_last), thread) in workers {
            let (table, shared, own, to_next) =
                (&table, &shared, shard(thread + 1), to_next.clone());
            scope.spawn(move || work(table, &own, shared, thread, &to_next, from_last));
        }
    });
    drop(senders);
    for (block, whose) in receivers.into_iter().flatten() {
        assert_eq!(table.give(&shared, block, whose), Ok(()));
    }
    assert!(table.holders.iter().all(|holder| holder.load(SeqCst) == 0));
    assert_eq!((table.pool.charged().0, table.pool.live_blocks()), (0, 0));
    for going in table.pool.begin_return(0, &Over) {
        table.pool.end_return(&going, true);
    }
    assert_eq!(
        (table.pool.reserved(), table.pool.free_pieces()),
        (0, (0, 0))
    );
}

#[test]
fn threads_never_have_the_same_bytes() {
    run(false);
}

#[test]
fn threads_never_have_the_same_bytes_where_the_peak_is_exact() {
    run(true);
}
