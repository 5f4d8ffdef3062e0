//! Random programs of copies and fills on several streams, with the events that make them correct: in
//! the end every byte is what a program without any asynchrony would have left, whatever memory was
//! reused on the way.

use std::sync::Arc;

use millpond::trace::{Collector, Operation};
use millpond::{Config, EventKind, MemoryPool, PoolBlock, Reuse, Runtime, Schedule, Stream};

use crate::PAGE;
use crate::common::{LONG, SCHEDULES, config, within};

const STREAMS: usize = 4;
const FOLLOW: &[Reuse] = &[Reuse::FollowEvents];
const ALL: &[Reuse] = &[
    Reuse::FollowEvents,
    Reuse::Opportunistic,
    Reuse::InternalWaits,
];

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

/// A block, what its bytes are to be, and the stream that it belongs to at this moment.
struct Owned {
    block: PoolBlock,
    model: Vec<u8>,
    stream: usize,
    /// The stream it was allocated on, and on which it is freed when it is dropped.
    home: usize,
}

struct Program {
    runtime: Runtime,
    pool: MemoryPool,
    streams: Vec<Stream>,
    /// Streams that wait, and what opens them.
    gates: Vec<(usize, millpond::Event)>,
    opener: Stream,
    random: Random,
    live: Vec<Owned>,
}

impl Program {
    fn stream(&mut self) -> usize {
        self.random.below(STREAMS)
    }

    fn alloc(&mut self) {
        let stream = self.stream();
        let bytes = [64, 700, 5000, 60_000, 300_000][self.random.below(5)];
        let bytes = bytes + self.random.below(bytes);
        let Ok(block) = self.pool.alloc(&self.streams[stream], bytes as u64) else {
            self.live.clear();
            return;
        };
        let value = u8::try_from(self.random.below(256)).unwrap();
        self.streams[stream].fill(block.all(), value).unwrap();
        self.live.push(Owned {
            block,
            model: vec![value; bytes],
            stream,
            home: stream,
        });
    }

    fn pick(&mut self) -> Option<usize> {
        (!self.live.is_empty()).then(|| self.random.below(self.live.len()))
    }

    /// Makes a block another stream's: that waits for an event of the first.
    fn hand_over(&mut self, at: usize, to: usize) {
        let from = self.live[at].stream;
        if from == to {
            return;
        }
        let event = self.runtime.create_event(EventKind::Rerecordable).unwrap();
        self.streams[from].record(&event).unwrap();
        self.streams[to].wait_event(&event, None).unwrap();
        self.live[at].stream = to;
    }

    fn copy(&mut self) {
        let (Some(to), Some(from)) = (self.pick(), self.pick()) else {
            return;
        };
        if to == from {
            return;
        }
        let stream = self.live[to].stream;
        self.hand_over(from, stream);
        let length = self.live[to].model.len().min(self.live[from].model.len());
        let part = 1 + self.random.below(length);
        let (target, source) = (&self.live[to].block, &self.live[from].block);
        let bytes = part as u64;
        self.streams[stream]
            .copy(target.slice(..bytes), source.slice(..bytes))
            .unwrap();
        let copied = self.live[from].model[..part].to_vec();
        self.live[to].model[..part].copy_from_slice(&copied);
    }

    /// A stream is blocked, but none that another depends on in a circle: only one at a time.
    fn park(&mut self) {
        if self.gates.is_empty() {
            let stream = self.stream();
            let event = crate::common::gate(&self.runtime);
            self.streams[stream].wait_event(&event, None).unwrap();
            self.gates.push((stream, event));
        }
    }

    fn open(&mut self) {
        for (_, event) in self.gates.drain(..) {
            self.opener.record(&event).unwrap();
        }
    }

    fn step(&mut self) {
        match self.random.below(20) {
            0..=5 => self.alloc(),
            6..=8 => {
                let Some(at) = self.pick() else { return };
                if self.random.below(2) == 0 {
                    // On the stream that has it.
                    let owned = self.live.swap_remove(at);
                    let address = owned.block.address();
                    self.streams[owned.stream].free_at(address).unwrap();
                } else {
                    self.hand_over(at, self.live[at].home);
                    drop(self.live.swap_remove(at));
                }
            }
            9..=13 => self.copy(),
            14..=15 => {
                if let Some(at) = self.pick() {
                    let to = self.stream();
                    self.hand_over(at, to);
                    let owned = &mut self.live[at];
                    let value = owned.model[0].wrapping_add(1);
                    self.streams[to].fill(owned.block.all(), value).unwrap();
                    owned.model.fill(value);
                }
            }
            16 => self.park(),
            17 => self.open(),
            18 => {
                let stream = self.stream();
                self.open();
                match self.random.below(3) {
                    0 => self.streams[stream].synchronize().unwrap(),
                    1 => drop(self.streams[stream].is_done()),
                    _ => self
                        .pool
                        .trim_to(self.pool.numbers().unwrap().limit)
                        .unwrap(),
                }
            }
            _ => {
                let used = self.pool.numbers().unwrap().used;
                self.pool.trim_to(used).unwrap();
            }
        }
    }

    fn check(&mut self, when: &str) {
        self.open();
        for stream in &self.streams {
            stream.synchronize().unwrap();
        }
        for owned in &self.live {
            let mut host = self.runtime.alloc_host(owned.model.len() as u64).unwrap();
            let stream = &self.streams[owned.stream];
            stream.copy(host.all(), owned.block.all()).unwrap();
            stream.synchronize().unwrap();
            assert!(host.bytes().unwrap() == owned.model, "{when}");
        }
    }
}

fn run(schedule: Schedule, seed: u64, rights: &[Reuse], steps: u32, guards: bool) {
    let config = Config {
        guards,
        ..config(schedule)
    };
    let runtime = Runtime::new(config).unwrap();
    let collector = Arc::new(Collector::default());
    if guards {
        runtime.tap().attach(collector.clone());
    }
    let device = runtime.device(0).unwrap();
    let pool = device.create_pool(Some(16 * PAGE)).unwrap();
    for right in rights {
        pool.set_reuse(*right, true).unwrap();
    }
    let mut program = Program {
        streams: (0..STREAMS)
            .map(|_| device.create_stream().unwrap())
            .collect(),
        opener: device.create_stream().unwrap(),
        gates: Vec::new(),
        random: Random(seed),
        live: Vec::new(),
        runtime,
        pool,
    };
    for step in 0..steps {
        program.step();
        if step % 100 == 99 {
            let when = format!("{schedule:?}, seed {seed}, {rights:?}, step {step}");
            program.check(&when);
        }
    }
    let when = format!("{schedule:?}, seed {seed}, {rights:?}, the end");
    program.check(&when);
    program.runtime.check_guards();
    program.live.clear();
    program.pool.destroy().unwrap();
    let changed = |operation: &Operation| matches!(operation, Operation::GuardChanged { .. });
    let records = collector.operations();
    assert!(!records.iter().any(changed), "{when}");
}

#[test]
fn whatever_is_reused_the_bytes_are_right() {
    for schedule in SCHEDULES {
        within(2 * LONG, move || {
            for seed in 1..=6 {
                run(schedule, seed * 1_000_003, &[], 300, false);
                run(schedule, seed * 7_000_001, FOLLOW, 300, false);
                run(schedule, seed * 9_000_011, ALL, 300, false);
            }
        });
    }
}

/// Guards and poison must be where no queued work can write, however memory is reused.
#[test]
fn guards_and_poison_stay_intact_however_memory_is_reused() {
    for schedule in SCHEDULES {
        within(2 * LONG, move || {
            for seed in 1..=4 {
                run(schedule, seed * 2_000_003, &[], 300, true);
                run(schedule, seed * 5_000_011, FOLLOW, 300, true);
                run(schedule, seed * 3_000_017, ALL, 300, true);
            }
        });
    }
}
