//! Random programs against a model.
//!
//! The programs have no races by construction: each block belongs to one stream at a time, and is
//! handed to another by recording an event on the one and waiting for it on the other. So the effect
//! of the whole program is that of its operations one after the other, whatever the schedule, and the
//! model is a vector of bytes per block.

#[path = "common/mod.rs"]
mod common;

use common::{LONG, MIB, config, within};
use millpond::{
    Device, DeviceBlock, Error, Event, EventKind, HostBlock, Runtime, Schedule, Slice, Stream,
};
use proptest::prelude::*;

const STREAMS: usize = 4;

/// One step of a program. Numbers pick streams, blocks and places, modulo what there is.
#[derive(Debug, Clone, Copy)]
enum Step {
    Alloc {
        stream: u8,
        size: u16,
        host: bool,
    },
    AllocLarge {
        stream: u8,
    },
    Free {
        block: u8,
    },
    Fill {
        block: u8,
        from: u16,
        value: u8,
    },
    Copy {
        to: u8,
        from: u8,
        at: u16,
    },
    HandOver {
        block: u8,
        stream: u8,
        event: u8,
    },
    /// The stream is blocked until the gates are opened.
    Park {
        stream: u8,
    },
    OpenGates,
    SyncStream {
        stream: u8,
    },
    SyncDevice,
    Query {
        stream: u8,
        event: u8,
    },
    Trim,
}

fn step() -> impl Strategy<Value = Step> {
    let n = any::<u8>;
    prop_oneof![
        6 => (n(), any::<u16>(), any::<bool>())
            .prop_map(|(stream, size, host)| Step::Alloc { stream, size, host }),
        1 => n().prop_map(|stream| Step::AllocLarge { stream }),
        3 => n().prop_map(|block| Step::Free { block }),
        6 => (n(), any::<u16>(), n())
            .prop_map(|(block, from, value)| Step::Fill { block, from, value }),
        8 => (n(), n(), any::<u16>()).prop_map(|(to, from, at)| Step::Copy { to, from, at }),
        5 => (n(), n(), n())
            .prop_map(|(block, stream, event)| Step::HandOver { block, stream, event }),
        2 => n().prop_map(|stream| Step::Park { stream }),
        2 => Just(Step::OpenGates),
        2 => n().prop_map(|stream| Step::SyncStream { stream }),
        1 => Just(Step::SyncDevice),
        3 => (n(), n()).prop_map(|(stream, event)| Step::Query { stream, event }),
        1 => Just(Step::Trim),
    ]
}

enum Memory {
    Device(DeviceBlock),
    Host(HostBlock),
}

impl Memory {
    fn slice(&self, start: usize, bytes: usize) -> Slice<'_> {
        let range = start as u64..(start + bytes) as u64;
        match self {
            Self::Device(block) => block.slice(range),
            Self::Host(block) => block.slice(range),
        }
    }

    fn info(&self) -> &millpond::BlockInfo {
        match self {
            Self::Device(block) => block.info(),
            Self::Host(block) => block.info(),
        }
    }

    fn read(&mut self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Device(block) => {
                let mut bytes = vec![0; usize::try_from(block.len()).unwrap_or(0)];
                block.read(&mut bytes)?;
                Ok(bytes)
            }
            Self::Host(block) => block.bytes().map(|bytes| bytes.to_vec()),
        }
    }
}

/// A block, whose it is, and what the model says its bytes are.
struct Owned {
    memory: Memory,
    owner: usize,
    model: Vec<u8>,
}

struct Program {
    runtime: Runtime,
    device: Device,
    streams: Vec<Stream>,
    opener: Stream,
    events: Vec<Event>,
    gates: Vec<Event>,
    blocks: Vec<Owned>,
}

impl Program {
    fn new(schedule: Schedule) -> Result<Self, Error> {
        let runtime = Runtime::new(config(schedule))?;
        let device = runtime.device(0)?;
        Ok(Self {
            streams: (0..STREAMS)
                .map(|_| device.create_stream())
                .collect::<Result<_, _>>()?,
            opener: device.create_stream()?,
            events: (0..3)
                .map(|_| runtime.create_event(EventKind::Rerecordable))
                .collect::<Result<_, _>>()?,
            gates: Vec::new(),
            blocks: Vec::new(),
            runtime,
            device,
        })
    }

    fn pick(&self, number: u8) -> Option<usize> {
        usize::from(number).checked_rem(self.blocks.len())
    }

    fn run(&mut self, step: Step) -> Result<(), Error> {
        match step {
            Step::Alloc { stream, size, host } => self.alloc(stream, u64::from(size) + 1, host)?,
            Step::AllocLarge { stream } => self.alloc(stream, MIB + 4097, false)?,
            Step::Free { block } => {
                if let Some(block) = self.pick(block) {
                    self.blocks.swap_remove(block);
                }
            }
            Step::Fill { block, from, value } => {
                if let Some(block) = self.pick(block) {
                    let Owned {
                        memory,
                        owner,
                        model,
                    } = &mut self.blocks[block];
                    let start = usize::from(from) % model.len();
                    let part = memory.slice(start, model.len() - start);
                    self.streams[*owner].fill(part, value)?;
                    model[start..].fill(value);
                }
            }
            Step::Copy { to, from, at } => self.copy(to, from, at)?,
            Step::HandOver {
                block,
                stream,
                event,
            } => {
                if let Some(block) = self.pick(block) {
                    self.hand_over(block, usize::from(stream) % STREAMS, event)?;
                }
            }
            Step::Park { stream } => {
                let gate = self.runtime.create_event(EventKind::Resettable)?;
                self.streams[usize::from(stream) % STREAMS].wait_event(&gate, None)?;
                self.gates.push(gate);
            }
            Step::OpenGates => self.open_gates()?,
            Step::SyncStream { stream } => {
                self.open_gates()?;
                let stream = usize::from(stream) % STREAMS;
                self.streams[stream].synchronize()?;
                self.compare(Some(stream))?;
            }
            Step::SyncDevice => {
                self.open_gates()?;
                self.device.synchronize()?;
                self.compare(None)?;
            }
            Step::Query { stream, event } => {
                self.streams[usize::from(stream) % STREAMS].is_done();
                self.events[usize::from(event) % self.events.len()].status();
            }
            Step::Trim => {
                self.device.trim()?;
            }
        }
        Ok(())
    }

    fn alloc(&mut self, stream: u8, size: u64, host: bool) -> Result<(), Error> {
        let memory = if host {
            Memory::Host(self.runtime.alloc_host(size)?)
        } else {
            Memory::Device(self.device.alloc(size)?)
        };
        let new = memory.info().range();
        for other in &self.blocks {
            let old = other.memory.info().range();
            let apart = new.start + new.bytes <= old.start || old.start + old.bytes <= new.start;
            assert!(apart, "{new:?} and {old:?} overlap");
        }
        let owner = usize::from(stream) % STREAMS;
        let length = usize::try_from(size).unwrap_or(0);
        // The contents of a fresh block are anything; the program sets them first.
        self.streams[owner].fill(memory.slice(0, length), 0xa5)?;
        self.blocks.push(Owned {
            memory,
            owner,
            model: vec![0xa5; length],
        });
        Ok(())
    }

    fn copy(&mut self, to: u8, from: u8, at: u16) -> Result<(), Error> {
        let (Some(to), Some(from)) = (self.pick(to), self.pick(from)) else {
            return Ok(());
        };
        let owner = self.blocks[to].owner;
        self.hand_over(from, owner, 0)?;
        let (room, length) = (self.blocks[to].model.len(), self.blocks[from].model.len());
        let (write, read) = (usize::from(at) % room, usize::from(at) % length);
        let bytes = (room - write).min(length - read);
        let taken = self.blocks[from].model[read..read + bytes].to_vec();
        self.streams[owner].copy(
            self.blocks[to].memory.slice(write, bytes),
            self.blocks[from].memory.slice(read, bytes),
        )?;
        self.blocks[to].model[write..write + bytes].copy_from_slice(&taken);
        Ok(())
    }

    fn hand_over(&mut self, block: usize, stream: usize, event: u8) -> Result<(), Error> {
        let owner = self.blocks[block].owner;
        if owner != stream {
            let event = &self.events[usize::from(event) % self.events.len()];
            self.streams[owner].record(event)?;
            self.streams[stream].wait_event(event, None)?;
            self.blocks[block].owner = stream;
        }
        Ok(())
    }

    fn open_gates(&mut self) -> Result<(), Error> {
        for gate in self.gates.drain(..) {
            self.opener.record(&gate)?;
        }
        Ok(())
    }

    /// Compares the blocks of a stream that was just synchronised, or all of them.
    fn compare(&mut self, stream: Option<usize>) -> Result<(), Error> {
        for block in &mut self.blocks {
            if stream.is_none_or(|stream| stream == block.owner) {
                let found = block.memory.read()?;
                let differs = found.iter().zip(&block.model).position(|(a, b)| a != b);
                assert_eq!(
                    differs,
                    None,
                    "the first wrong byte of a block of {}",
                    block.model.len()
                );
            }
        }
        let live = |host| {
            let is_host = |block: &&Owned| matches!(block.memory, Memory::Host(_)) == host;
            self.blocks.iter().filter(is_host).count()
        };
        assert_eq!(self.device.usage().blocks, live(false));
        assert_eq!(self.runtime.host_usage()?.blocks, live(true));
        Ok(())
    }

    fn end(mut self) -> Result<(), Error> {
        self.run(Step::SyncDevice)?;
        self.blocks.clear();
        let usage = self.device.usage();
        assert_eq!((usage.blocks, usage.charged), (0, 0));
        let pinned = self.runtime.host_usage()?;
        assert_eq!((pinned.blocks, pinned.charged), (0, 0));
        // Nothing is retired any more: every page can go.
        self.device.trim()?;
        assert_eq!(self.device.usage().promised, 0);
        assert_eq!(self.device.resident()?, 0);
        Ok(())
    }
}

fn execute(schedule: Schedule, steps: &[Step]) -> Result<(), Error> {
    let mut program = Program::new(schedule)?;
    for step in steps {
        program.run(*step)?;
    }
    program.end()
}

proptest! {
    #![proptest_config(ProptestConfig {
        // Each opens a GPU of its own several times, which takes a third of a second.
        cases: if common::on_gpu() { 4 } else { 64 },
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_program_without_races_does_what_the_model_says_under_every_schedule(
        steps in prop::collection::vec(step(), 1..80),
        seed in any::<u64>(),
    ) {
        for schedule in [Schedule::Eager, Schedule::Latest, Schedule::Seeded(seed)] {
            let steps = steps.clone();
            let outcome = within(LONG, move || execute(schedule, &steps));
            prop_assert!(outcome.is_ok(), "{schedule:?}: {outcome:?}");
        }
    }
}
