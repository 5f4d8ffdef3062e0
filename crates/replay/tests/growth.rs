//! A decoder whose requests join and leave, and whose keys and values grow by concatenation: no size recurs for long.
//!
//! Recordings of one such program do not show how others fare, so this one is generated, with lengths from a fixed seed.

use millpond_replay::engine;
use millpond_replay::policies::millpond::{Replayed, of_device, of_gpu};
use millpond_replay::trace::{Op, Trace};

const LAYERS: usize = 24;
const REQUESTS: usize = 14;
/// What one token adds to the keys, or the values, of a layer.
const TOKEN: u64 = 4096;

/// A request: the tokens so far, the tokens until it ends, and its blocks.
struct Request {
    tokens: u64,
    left: u64,
    blocks: Vec<u32>,
}

fn decoder(steps: usize) -> Trace {
    let mut trace = Trace::default();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut requests: Vec<Request> = Vec::new();
    for _ in 0..steps {
        if requests.len() < REQUESTS {
            requests.push(Request {
                tokens: 256 + random(2800),
                left: 16 + random(80),
                blocks: Vec::new(),
            });
        }
        for layer in 0..LAYERS {
            for request in &mut requests {
                for half in 0..2 {
                    let at = 2 * layer + half;
                    let grown = alloc(&mut trace, request.tokens * TOKEN);
                    match request.blocks.get_mut(at) {
                        Some(block) => free(&mut trace, std::mem::replace(block, grown)),
                        None => request.blocks.push(grown),
                    }
                }
                // What attention needs for a moment.
                let scores = alloc(&mut trace, request.tokens * 16 * 2);
                free(&mut trace, scores);
            }
        }
        for request in &mut requests {
            request.tokens += 1;
            request.left -= 1;
        }
        let over = requests.extract_if(.., |request| request.left == 0);
        for block in over.flat_map(|request| request.blocks) {
            free(&mut trace, block);
        }
    }
    trace
}

fn alloc(trace: &mut Trace, bytes: u64) -> u32 {
    let block = u32::try_from(trace.blocks).expect("few blocks");
    trace.blocks += 1;
    trace.ops.push(Op::Alloc {
        block,
        bytes,
        stream: 0,
    });
    block
}

fn free(trace: &mut Trace, block: u32) {
    trace.ops.push(Op::Free {
        block,
        stream: 0,
        held: false,
    });
}

/// It held 2.4 times what was live while the slack could be raised without regard to how much memory that is.
#[test]
fn a_device_holds_a_tenth_more_than_a_growing_cache_needs() {
    let trace = decoder(80);
    let pools = [
        ("device", of_device(64 << 30), 1.11),
        ("GPU", of_gpu(140 << 30), 1.08),
    ];
    for (name, options, most) in pools {
        let figures = engine::memory(&trace, &mut Replayed::with(options));
        assert!(figures.peak_live > 4 << 30, "{name}: {figures:?}");
        let held = figures.expansion();
        assert!(held <= most, "{name} holds {held:.3}: {figures:?}");
    }
}
