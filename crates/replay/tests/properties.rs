//! What holds for every policy, whatever the program does.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use millpond_replay::allocator::{Allocator, USUAL};
use millpond_replay::engine;
use millpond_replay::policy::Policy;
use millpond_replay::recorded::Recording;
use millpond_replay::trace::{Op, Trace};
use proptest::prelude::*;

const MORE: [&str; 6] = [
    "millpond,reuse=polling,windows=False",
    "torch_npu",
    "pytorch,max_split_size_mb=32",
    "pytorch,roundup_power2_divisions=4",
    "rmm-pool,initial_pool_size=64M",
    "rmm-arena,arena_size=64M",
];

fn every() -> impl Iterator<Item = &'static str> {
    USUAL.into_iter().chain(MORE)
}

/// A call: allocate so many bytes on a stream, or free one of the live blocks, perhaps while another stream uses it.
#[derive(Debug, Clone)]
enum Call {
    Alloc(u32, u64),
    Free(usize, bool),
    Settle,
}

fn call() -> impl Strategy<Value = Call> {
    let bytes = prop_oneof![1..2000_u64, 1000..2_000_000_u64, 900_000..60_000_000_u64];
    prop_oneof![
        5 => (0..3_u32, bytes).prop_map(|(stream, bytes)| Call::Alloc(stream, bytes)),
        4 => (any::<usize>(), prop::bool::weighted(0.2)).prop_map(|(which, held)| Call::Free(which, held)),
        1 => Just(Call::Settle),
    ]
}

/// The calls as a trace that frees and settles everything at its end.
fn trace(calls: &[Call]) -> Trace {
    let mut trace = Trace::default();
    let (mut live, mut held): (Vec<(u32, u32)>, Vec<u32>) = (Vec::new(), Vec::new());
    for call in calls {
        match *call {
            Call::Alloc(stream, bytes) => {
                let block = u32::try_from(trace.blocks).expect("few blocks");
                trace.blocks += 1;
                live.push((block, stream));
                trace.ops.push(Op::Alloc {
                    block,
                    bytes,
                    stream,
                });
            }
            Call::Free(which, keep) if !live.is_empty() => {
                let (block, stream) = live.swap_remove(which % live.len());
                if keep {
                    held.push(block);
                }
                trace.ops.push(Op::Free {
                    block,
                    stream,
                    held: keep,
                });
            }
            Call::Settle => trace
                .ops
                .extend(held.pop().map(|block| Op::Settled { block })),
            Call::Free(..) => {}
        }
    }
    let free = |(block, stream)| Op::Free {
        block,
        stream,
        held: false,
    };
    trace.ops.extend(live.into_iter().map(free));
    trace
        .ops
        .extend(held.into_iter().map(|block| Op::Settled { block }));
    trace
}

/// Watches that no two live blocks overlap.
struct Watched {
    policy: Box<dyn Policy>,
    live: BTreeMap<u64, u64>,
}

impl Policy for Watched {
    fn alloc(&mut self, stream: u32, bytes: u64) -> Option<u64> {
        let start = self.policy.alloc(stream, bytes)?;
        let end = start + bytes;
        let before = self.live.range(..end).next_back();
        assert!(
            before.is_none_or(|(_, behind)| *behind <= start),
            "{start}..{end} overlaps {before:?}"
        );
        self.live.insert(start, end);
        Some(start)
    }

    fn free(&mut self, offset: u64, stream: u32) {
        assert!(self.live.remove(&offset).is_some());
        self.policy.free(offset, stream);
    }

    fn free_held(&mut self, offset: u64, stream: u32) {
        assert!(self.live.remove(&offset).is_some());
        self.policy.free_held(offset, stream);
    }

    fn settled(&mut self, offset: u64) {
        self.policy.settled(offset);
    }

    fn reserved(&self) -> u64 {
        self.policy.reserved()
    }

    fn lift_limit(&mut self) {
        self.policy.lift_limit();
    }

    fn trim(&mut self) {
        self.policy.trim();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn blocks_do_not_overlap_and_all_memory_comes_back(calls in prop::collection::vec(call(), 1..160)) {
        let trace = trace(&calls);
        for name in every() {
            // A device that is never full, and one that soon is.
            for device in [None, Some(256 << 20)] {
                let allocator = Allocator::parse(name).unwrap();
                let mut watched = Watched {
                    policy: allocator.build(device, 0).unwrap(),
                    live: BTreeMap::new(),
                };
                let figures = engine::memory(&trace, &mut watched);
                prop_assert_eq!(figures.peak_live, trace.peak_live());
                prop_assert!(figures.peak_reserved >= figures.peak_live, "{}: {:?}", name, figures);
                prop_assert!(figures.live_at_peak <= figures.peak_live);
                prop_assert!(device.is_some() || figures.refused.is_none() || name.starts_with("rmm-arena,"), "{}", name);
                watched.trim();
                prop_assert_eq!(watched.reserved(), 0, "{}", name);
            }
        }
    }

    #[test]
    fn who_fits_never_holds_more_than_the_device_has(calls in prop::collection::vec(call(), 1..120)) {
        let trace = trace(&calls);
        for name in every() {
            let device = 300 << 20;
            let mut policy = Allocator::parse(name).unwrap().build(Some(device), 0).unwrap();
            let figures = engine::memory(&trace, policy.as_mut());
            prop_assert!(figures.refused.is_some() || figures.peak_reserved <= device, "{}: {:?}", name, figures);
        }
    }
}

#[test]
fn sizes_that_no_device_has_take_neither_long_nor_much_memory() {
    // As large as readers let through, at ever other addresses.
    let half = 1_u64 << 47;
    let mut lines = String::new();
    for time in 0..100 {
        for op in ["a", "f", "c"] {
            writeln!(lines, "{time},{op},{:x},{half},0", time * half).expect("a text grows");
        }
    }
    let text = format!("t_us,op,addr,size,stream\n0,S,1000,4096,0\n{lines}");
    let source = millpond_recording::from_bytes(text.as_bytes(), "large.csv").expect("a trace");
    let recording = Recording::read(source, |_part| ()).expect("it can be read");
    let traces = recording.traces();
    assert_eq!(traces[0].peak_live(), half);
    assert_eq!(traces[0].recorded_reserved, Some(100 * half + 4096));
    for name in USUAL {
        let mut policy = Allocator::parse(name)
            .and_then(|allocator| allocator.build(None, half))
            .expect("it needs no settings");
        engine::memory(&traces[0], policy.as_mut());
    }
}
