//! A model of what programs may rely on, and the arena tried against it.
//!
//! Each allocation and each free comes with a task of the stream that uses the block. A block may be on
//! memory that another stream freed only when that stream has run its last task with it.

use std::sync::Arc;

use proptest::prelude::*;

use crate::arena::Arena;
use crate::blocks::Header;
use crate::calls::Calls;
use crate::fake::Fake;
use crate::lane::Lane;
use crate::options::Settings;

pub(super) const MIB: u64 = 1 << 20;

/// Memory that was freed: where, and the task after which it is free.
struct Freed {
    address: u64,
    bytes: u64,
    lane: usize,
    task: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Live {
    pub(super) header: &'static Header,
    pub(super) bytes: u64,
    pub(super) address: u64,
    pub(super) lane: usize,
}

/// A device with streams, an arena, and what is live.
pub(super) struct World {
    pub(super) fake: Arc<Fake>,
    pub(super) arena: Arena,
    pub(super) lanes: Vec<Arc<Lane>>,
    pub(super) live: Vec<Live>,
    freed: Vec<Freed>,
}

impl World {
    pub(super) fn new(fake: Arc<Fake>, settings: Settings, lanes: usize) -> Self {
        let calls = Arc::clone(&fake) as Arc<dyn Calls>;
        let arena = Arena::new(calls, 0, settings).unwrap();
        let lanes = (0..lanes)
            .map(|lane| arena.open(lane as u64 + 1, None).unwrap())
            .collect();
        Self {
            fake,
            arena,
            lanes,
            live: Vec::new(),
            freed: Vec::new(),
        }
    }

    fn stream(lane: usize) -> u64 {
        lane as u64 + 1
    }

    pub(super) fn alloc(&mut self, lane: usize, bytes: u64) -> Option<usize> {
        self.alloc_near(lane, bytes, None)
    }

    pub(super) fn alloc_near(
        &mut self,
        lane: usize,
        bytes: u64,
        near: Option<u64>,
    ) -> Option<usize> {
        let header = self.arena.alloc(&self.lanes[lane], bytes, near).ok()?;
        let address = header.block().unwrap().address;
        // The documented rule for memory that is cut from a larger piece.
        assert!(address.is_multiple_of(64));
        let whole = bytes.max(1).next_multiple_of(32) + 32;
        assert!(self.fake.backs(address, whole), "{bytes} bytes are backed");
        let overlaps =
            |start: u64, length: u64| start < address + whole && address < start + length;
        for other in &self.live {
            let length = other.bytes.max(1).next_multiple_of(32) + 32;
            assert!(!overlaps(other.address, length), "two live blocks meet");
        }
        for old in &self.freed {
            let past = old.lane == lane || self.fake.over(Self::stream(old.lane)) >= old.task;
            assert!(
                past || !overlaps(old.address, old.bytes),
                "a stream still uses it"
            );
        }
        self.fake.enqueue(Self::stream(lane));
        self.live.push(Live {
            header,
            bytes,
            address,
            lane,
        });
        Some(self.live.len() - 1)
    }

    /// Frees a live block in the order of a stream, behind the last task that uses it.
    pub(super) fn free(&mut self, at: usize, lane: usize) {
        let block = self.live.swap_remove(at);
        if block.lane != lane {
            // The program orders the one stream behind the other, so the other has run.
            self.fake.run(Self::stream(block.lane));
        }
        let task = self.fake.enqueue(Self::stream(lane));
        self.freed.push(Freed {
            address: block.address,
            bytes: block.bytes.max(1),
            lane,
            task,
        });
        assert_eq!(self.arena.free(&self.lanes[lane], block.header), Ok(()));
        let fake = &self.fake;
        self.freed
            .retain(|old| fake.over(Self::stream(old.lane)) < old.task);
    }

    pub(super) fn free_all(&mut self) {
        while let Some(last) = self.live.last() {
            let lane = last.lane;
            self.free(self.live.len() - 1, lane);
        }
    }

    /// Ends everything; nothing may be left with the runtime.
    pub(super) fn end(mut self) {
        self.free_all();
        self.fake.refuse(None);
        for (lane, at) in self.lanes.iter().zip(0..) {
            self.fake.run(Self::stream(at));
            lane.end(&*self.fake).unwrap();
            self.arena.close(lane);
        }
        self.arena.trim(0);
        assert!(self.arena.is_empty());
        self.arena.end();
        assert_eq!(self.fake.outstanding(), [0; 4]);
        assert_eq!(self.fake.used(), 0);
    }
}

#[derive(Debug, Clone)]
enum Step {
    Alloc(usize, u64),
    Near(usize, u64, prop::sample::Index, u64),
    Free(prop::sample::Index),
    FreeElsewhere(prop::sample::Index, usize),
    Run(usize),
    RunTo(usize, u64),
    Trim(u64),
}

const LANES: usize = 3;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let lane = 0..LANES;
    let bytes = prop_oneof![
        4 => 0_u64..4096,
        3 => 4096_u64..MIB,
        2 => MIB..12 * MIB,
        1 => 12 * MIB..40 * MIB,
    ];
    let step = prop_oneof![
        8 => (lane.clone(), bytes.clone()).prop_map(|(lane, bytes)| Step::Alloc(lane, bytes)),
        1 => (lane.clone(), bytes, any::<prop::sample::Index>(), 0..4 * MIB)
            .prop_map(|(lane, bytes, at, far)| Step::Near(lane, bytes, at, far)),
        6 => any::<prop::sample::Index>().prop_map(Step::Free),
        1 => (any::<prop::sample::Index>(), lane.clone())
            .prop_map(|(at, lane)| Step::FreeElsewhere(at, lane)),
        1 => lane.clone().prop_map(Step::Run),
        1 => (lane, 0_u64..200).prop_map(|(lane, task)| Step::RunTo(lane, task)),
        1 => (0..64 * MIB).prop_map(Step::Trim),
    ];
    prop::collection::vec(step, 1..200)
}

fn settings() -> impl Strategy<Value = Settings> {
    (any::<bool>(), any::<bool>(), any::<bool>(), 0..3_u64).prop_map(
        |(allow_wait, poll, decays, floor)| Settings {
            limit: Some(96 * MIB),
            release_threshold: if decays { 0 } else { u64::MAX },
            floor: floor * 16 * MIB,
            allow_wait,
            poll,
            ..Settings::default()
        },
    )
}

proptest! {
    #[test]
    fn blocks_never_meet(
        virtual_memory: bool,
        settings in settings(),
        steps in steps(),
        refuse in prop::option::of(0_u64..300),
    ) {
        let fake = Fake::new(virtual_memory, 80 * MIB);
        let mut world = World::new(fake, settings, LANES);
        world.fake.refuse(refuse);
        for step in steps {
            match step {
                Step::Alloc(lane, bytes) => {
                    world.alloc(lane, bytes);
                }
                Step::Near(lane, bytes, at, far) => {
                    let near = match world.live.len() {
                        0 => far,
                        live => world.live[at.index(live)].address + far / 512 * 512,
                    };
                    world.alloc_near(lane, bytes, Some(near));
                }
                Step::Free(at) => {
                    if !world.live.is_empty() {
                        let at = at.index(world.live.len());
                        world.free(at, world.live[at].lane);
                    }
                }
                Step::FreeElsewhere(at, lane) => {
                    if !world.live.is_empty() {
                        world.free(at.index(world.live.len()), lane);
                    }
                }
                Step::Run(lane) => world.fake.run(World::stream(lane)),
                Step::RunTo(lane, task) => world.fake.run_to(World::stream(lane), task),
                Step::Trim(keep) => {
                    world.arena.trim(keep);
                }
            }
        }
        world.end();
    }
}
