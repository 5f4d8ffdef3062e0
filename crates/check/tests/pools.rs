//! Programs with pools, made at random, right or wrong: the checker says exactly what a plain model of
//! single bytes says, step by step.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Block, HOST, Script};
use millpond_trace::{Bytes, Operation, Outcome, Target};

/// Numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    /// One of so many.
    fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count as u64)).expect("is below a usize")
    }
}

/// Bytes of the block that contains the heaps.
const BLOCK: u64 = 1024;
const OBJECTS: usize = 2;

struct Region {
    number: u64,
    range: (u64, u64),
    flags: u32,
}

struct Heap {
    number: u64,
    range: (u64, u64),
    regions: Vec<Region>,
    /// Bytes that were in a region that ended.
    ended: BTreeSet<u64>,
    /// Streams with work in it that nobody waited for.
    work: BTreeSet<u64>,
}

struct Arena {
    block: Block,
    /// Streams with work in it that nobody waited for.
    used: BTreeSet<u64>,
    next: u64,
}

/// The program, and what a plain model knows of it.
struct Model {
    script: Script,
    random: Random,
    streams: Vec<u64>,
    block: Block,
    heap: Option<Heap>,
    arenas: Vec<Arena>,
    /// Objects and streams with work of theirs that nobody waited for.
    users: BTreeSet<(u64, u64)>,
    told: BTreeSet<(u64, u64, u64)>,
}

fn shares(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 < other.1 && other.0 < one.1
}

impl Model {
    fn new(seed: u64) -> Self {
        let mut script = Script::about(&["allocator.*", "heap.*"]);
        let streams: Vec<_> = (0..3).map(|_| script.stream()).collect();
        let block = script.alloc(BLOCK);
        let mut model = Self {
            script,
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            streams,
            block,
            heap: None,
            arenas: Vec::new(),
            users: BTreeSet::new(),
            told: BTreeSet::new(),
        };
        for _ in 0..OBJECTS {
            let arena = model.arena();
            model.arenas.push(arena);
        }
        model
    }

    fn arena(&mut self) -> Arena {
        Arena {
            block: self.script.alloc(1 << 20),
            used: BTreeSet::new(),
            next: 0,
        }
    }

    fn stream(&mut self) -> u64 {
        self.streams[self.random.index(3)]
    }

    /// Some bytes of the block.
    fn range(&mut self) -> (u64, u64) {
        let start = self.random.below(BLOCK - 1);
        let bytes = 1 + self.random.below((BLOCK - start).min(300));
        (start, start + bytes)
    }

    fn part(&self, (start, end): (u64, u64)) -> Bytes {
        self.block.part(start, end - start)
    }

    /// Does something, and returns what should be found.
    fn step(&mut self) -> Vec<&'static str> {
        match self.random.below(20) {
            0 => self.change_heap(),
            1..=5 => self.register_region(),
            6..=7 => self.end_region(),
            8 => self.permit(),
            9..=13 => self.touch(),
            14..=16 => self.run(),
            17..=18 => self.wait(),
            _ => self.change_arena(),
        }
    }

    fn change_heap(&mut self) -> Vec<&'static str> {
        let Some(heap) = self.heap.take() else {
            let range = (self.random.below(4) * 64, BLOCK - self.random.below(4) * 64);
            let number = self.script.heap(self.part(range));
            self.heap = Some(Heap {
                number,
                range,
                regions: Vec::new(),
                ended: BTreeSet::new(),
                work: BTreeSet::new(),
            });
            return Vec::new();
        };
        self.script.end_heap(heap.number);
        let busy = !heap.regions.is_empty() || !heap.work.is_empty();
        busy.then_some("heap.ended-in-use").into_iter().collect()
    }

    fn register_region(&mut self) -> Vec<&'static str> {
        let range = self.range();
        let bytes = self.part(range);
        let Some(heap) = &mut self.heap else {
            return Vec::new();
        };
        let number = self.script.region(heap.number, bytes);
        let mut expected = Vec::new();
        if range.0 < heap.range.0 || range.1 > heap.range.1 {
            expected.push("heap.region-outside");
        }
        if shares(range, heap.range) && heap.regions.iter().any(|it| shares(it.range, range)) {
            expected.push("heap.region-overlap");
        }
        heap.regions.push(Region {
            number,
            range,
            flags: 3,
        });
        expected
    }

    fn end_region(&mut self) -> Vec<&'static str> {
        let count = self.heap.as_ref().map_or(0, |heap| heap.regions.len());
        if count > 0
            && let Some(heap) = &mut self.heap
        {
            let index = self.random.index(count);
            let region = heap.regions.remove(index);
            heap.ended.extend(region.range.0..region.range.1);
            self.script.end_region(region.number);
        }
        Vec::new()
    }

    fn permit(&mut self) -> Vec<&'static str> {
        let flags = [0, 1, 2, 3, 3, 4][self.random.index(6)];
        if let Some(region) = self.heap.as_mut().and_then(|heap| heap.regions.last_mut()) {
            region.flags = flags;
            let region = region.number;
            self.script
                .call("mstxMemPermissionsAssign")
                .say(Operation::RegionPermitted { region, flags });
        }
        Vec::new()
    }

    fn touch(&mut self) -> Vec<&'static str> {
        let range = self.range();
        let bytes = self.part(range);
        let writes = self.random.below(2) == 0;
        let stream = (self.random.below(4) > 0).then(|| self.stream());
        match (stream, writes) {
            (Some(stream), true) => drop(self.script.fill(stream, bytes)),
            (Some(stream), false) => drop(self.script.copy(stream, HOST, bytes)),
            (None, true) => drop(self.script.fill_now(bytes)),
            (None, false) => drop(self.script.copy_now(HOST, bytes)),
        }
        let Some(heap) = &mut self.heap else {
            return Vec::new();
        };
        if let Some(stream) = stream
            && (heap.range.0..heap.range.1).contains(&range.0)
        {
            heap.work.insert(stream);
        }
        let bare = |byte: &u64| {
            let covered = |region: &Region| (region.range.0..region.range.1).contains(byte);
            (heap.range.0..heap.range.1).contains(byte) && !heap.regions.iter().any(covered)
        };
        let mut expected = Vec::new();
        if let Some(first) = (range.0..range.1).find(bare) {
            let mut piece = (first..range.1).take_while(bare);
            let was = piece.any(|byte| heap.ended.contains(&byte));
            expected.push(if was {
                "heap.use-after-unregister"
            } else {
                "heap.outside-region"
            });
        }
        let needed = if writes { 2 } else { 1 };
        for region in &heap.regions {
            let forbidden = region.flags & needed == 0 && region.flags != 4;
            if forbidden && shares(region.range, range) {
                expected.push("heap.permission");
            }
        }
        expected
    }

    /// An operator with memory of an allocator, queued or inside the call.
    fn run(&mut self) -> Vec<&'static str> {
        let stream = self.stream();
        let index = self.random.index(OBJECTS);
        let object = 0x5000 + 16 * index as u64;
        let inside = self.random.below(3) == 0;
        let arena = &mut self.arenas[index];
        arena.next = (arena.next + 256) % (1 << 20);
        arena.used.insert(stream);
        let given = arena.block.part(arena.next, 256);
        if inside {
            self.script.run_inside(stream, object, given);
        } else {
            self.script.run(stream, object, given);
        }
        let mut expected = Vec::new();
        for (used, other) in &self.users {
            let pair = (object, stream.min(*other), stream.max(*other));
            if *used == object && *other != stream && self.told.insert(pair) {
                expected.push("allocator.shared");
            }
        }
        self.users.insert((object, stream));
        expected
    }

    fn wait(&mut self) -> Vec<&'static str> {
        let mut waited = vec![self.stream()];
        if self.random.below(4) == 0 {
            waited.clone_from(&self.streams);
            for stream in &waited {
                self.script.complete(*stream);
            }
            self.script.say(Operation::Synchronized {
                target: Target::Device(0),
                outcome: Outcome::Done,
            });
        } else {
            self.script.synchronize(waited[0]);
        }
        for stream in waited {
            self.users.retain(|(_, user)| *user != stream);
            for arena in &mut self.arenas {
                arena.used.remove(&stream);
            }
            if let Some(heap) = &mut self.heap {
                heap.work.remove(&stream);
            }
        }
        Vec::new()
    }

    fn change_arena(&mut self) -> Vec<&'static str> {
        let index = self.random.index(OBJECTS);
        let busy = !self.arenas[index].used.is_empty();
        self.script.free(self.arenas[index].block);
        self.arenas[index] = self.arena();
        busy.then_some("allocator.returned-early")
            .into_iter()
            .collect()
    }
}

#[test]
fn exactly_what_a_plain_model_says_is_found() {
    let mut found = BTreeMap::new();
    for seed in 1..=400 {
        let mut model = Model::new(seed);
        for step in 0..150 {
            model.script.findings.clear();
            let mut expected = model.step();
            let mut rules = model.script.rules();
            expected.sort_unstable();
            rules.sort_unstable();
            assert_eq!(
                rules, expected,
                "seed {seed}, step {step}: {:#?}",
                model.script.findings
            );
            for rule in rules {
                *found.entry(rule).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(found.len(), 8, "{found:?}");
    assert!(found.values().all(|times| *times > 100), "{found:?}");
}
