//! Decoders whose requests join and leave, and whose keys and values grow by concatenation: no size recurs for long.
//!
//! Recordings of one such program do not show how others fare, so these are generated, with lengths from fixed seeds. They do what
//! `bench/gpu/workloads/decode.py` does.

use millpond_replay::engine;
use millpond_replay::policies::millpond::{Replayed, of_device, of_gpu};
use millpond_replay::trace::{Op, Trace};

const LAYERS: usize = 24;
/// Bytes that one token takes in the model: a row of its width.
const ROW: u64 = 4096;

/// A decoder: how many requests it serves at a time, and how many bytes one token adds to the keys, and to the values, of a layer.
#[derive(Debug, Clone, Copy)]
struct Decoder {
    seed: u64,
    requests: usize,
    token: u64,
    steps: usize,
}

/// A request: the tokens so far, the tokens until it ends, and its blocks.
struct Request {
    tokens: u64,
    left: u64,
    blocks: Vec<u32>,
}

impl Decoder {
    fn trace(self) -> Trace {
        let mut trace = Trace::default();
        let mut state = self.seed;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        // The weights: they are square matrices of the width, 12 of them in each layer.
        for parts in [3, 1, 4, 4].repeat(LAYERS) {
            alloc(&mut trace, parts * ROW * ROW / 2);
        }
        let mut requests: Vec<Request> = Vec::new();
        for _ in 0..self.steps {
            if requests.len() < self.requests {
                requests.push(Request {
                    tokens: 256 + random(2800),
                    left: 16 + random(80),
                    blocks: Vec::new(),
                });
            }
            for layer in 0..LAYERS {
                self.layer(&mut trace, &mut requests, layer);
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

    fn layer(self, trace: &mut Trace, requests: &mut [Request], layer: usize) {
        let is_new = |request: &Request| request.blocks.len() <= 2 * layer;
        let rows = |request: &Request| if is_new(request) { request.tokens } else { 1 };
        let all: u64 = requests.iter().map(rows).sum();
        let qkv = alloc(trace, 3 * all * ROW);
        let mut parts = Vec::new();
        for request in requests {
            let mine = rows(request);
            for half in 0..2 {
                let grown = alloc(trace, request.tokens * self.token);
                match request.blocks.get_mut(2 * layer + half) {
                    Some(block) => free(trace, std::mem::replace(block, grown)),
                    None => request.blocks.push(grown),
                }
            }
            parts.push(alloc(trace, mine * ROW));
        }
        for part in parts {
            free(trace, part);
        }
        free(trace, qkv);
        let wide = [4, 4].map(|times| alloc(trace, times * all * ROW));
        for block in wide {
            free(trace, block);
        }
    }
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

/// They held 2.4 times what was live when the slack could be raised regardless of how much memory that took, and 1.05 to 1.1
/// times when freed blocks were cached although their sizes did not recur.
#[test]
fn devices_hold_little_more_than_growing_caches_need() {
    let some = Decoder {
        seed: 0x9e37_79b9_7f4a_7c15,
        requests: 14,
        token: 4096,
        steps: 200,
    };
    let decoders = [
        some,
        Decoder {
            seed: 12345,
            ..some
        },
        Decoder { seed: 777, ..some },
        Decoder {
            seed: 99,
            steps: 80,
            ..some
        },
        Decoder {
            seed: 5,
            requests: 40,
            token: 1024,
            steps: 80,
        },
    ];
    for decoder in decoders {
        let trace = decoder.trace();
        let pools = [
            ("device", of_device(64 << 30), 1.055),
            ("GPU", of_gpu(140 << 30), 1.035),
        ];
        for (name, options, most) in pools {
            let figures = engine::memory(&trace, &mut Replayed::with(options));
            assert!(figures.peak_live > 4 << 30, "{name}: {figures:?}");
            let held = figures.expansion();
            assert!(
                held <= most,
                "{name}, {decoder:?} holds {held:.3}: {figures:?}"
            );
        }
    }
}
