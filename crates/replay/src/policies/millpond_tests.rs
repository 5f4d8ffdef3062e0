//! What the pool promises of its memory, on the traces that are there.

use std::io::{self, Write};

use super::*;
use crate::patterns::{AHEAD, Builder, Numbers, PATTERNS};
use crate::recorded::Recording;
use crate::trace::Trace;
use crate::{engine, oracle};

/// The small traces of this repository.
fn own_traces() -> Vec<Trace> {
    ["made_decode", "made_train_lengths", "made_train_steps"]
        .iter()
        .map(|name| {
            read(&format!(
                "{}/../../bench/traces/{name}.csv.gz",
                env!("CARGO_MANIFEST_DIR")
            ))
        })
        .collect()
}

fn read(file: &str) -> Trace {
    let recording = Recording::open(file.as_ref(), |_part| ()).expect("it can be read");
    recording.traces().remove(0)
}

/// A recorded trace, or `None` after a word about it. Past the harness, which shows only what a test
/// that failed has written.
fn recorded(name: &str) -> Option<Trace> {
    let folder = std::env::var("MILLPOND_TRACES")
        .unwrap_or_else(|_| format!("{}/../../../shared/traces", env!("CARGO_MANIFEST_DIR")));
    let file = format!("{folder}/{name}.csv.gz");
    if !std::path::Path::new(&file).is_file() {
        drop(writeln!(io::stderr(), "skipped: there is no {name}"));
        return None;
    }
    Some(read(&file))
}

#[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other as f64
}

/// One that economises from the first byte.
fn economising() -> Replayed {
    Replayed::with(Options {
        slack: 0,
        freely: 0,
        floor: 0,
        ..DEFAULT
    })
}

fn held_by(trace: &Trace, pool: &mut Replayed) -> u64 {
    let figures = engine::memory(trace, pool);
    assert_eq!(figures.refused, None);
    figures.peak_reserved
}

fn expansion(trace: &Trace, mut pool: Replayed) -> f64 {
    ratio(held_by(trace, &mut pool), trace.peak_live())
}

#[test]
fn several_streams_hold_little_more_than_their_order_allows() {
    for (name, pattern) in PATTERNS {
        for ahead in AHEAD {
            let trace = pattern(ahead);
            let held = held_by(&trace, &mut economising());
            let over = ratio(held, oracle::least_held(&trace));
            assert!(over <= 1.1, "{name}, {ahead} ahead: {over}");
        }
    }
}

#[test]
fn streams_that_know_nothing_of_each_other_hold_what_each_needs() {
    if let Some(trace) = recorded("multistream_prefetch") {
        let held = held_by(&trace, &mut economising());
        let over = ratio(held, oracle::least_held(&trace));
        assert!(over <= 1.02, "{over}");
    }
}

#[test]
fn one_stream_holds_little_more_than_is_live() {
    for trace in &own_traces() {
        let over = expansion(trace, economising());
        assert!(over <= 1.1, "{}: {over}", trace.name);
    }
}

#[test]
fn below_the_floor_a_device_holds_at_most_twice_what_is_live() {
    for trace in &own_traces() {
        let over = expansion(trace, Replayed::new());
        assert!(over <= 2.0, "{}: {over}", trace.name);
    }
}

#[test]
fn one_recorded_stream_holds_little_more_than_is_live() {
    let names = [
        "gpt_train_fixed",
        "gpt_train_varlen",
        "llm_decode_growing_kv",
        "moe_train",
    ];
    let traces = names.iter().filter_map(|name| recorded(name));
    let over: Vec<f64> = traces
        .map(|trace| expansion(&trace, Replayed::new()))
        .collect();
    assert!(over.iter().all(|&over| over <= 1.1), "{over:?}");
}

#[test]
fn a_repeated_step_moves_no_pages_after_a_while() {
    if let Some(mut trace) = recorded("gpt_train_fixed") {
        let moved = |trace: &Trace, slack: u32| {
            let options = Options { slack, ..DEFAULT };
            engine::memory(trace, &mut Replayed::with(options)).pages_moved
        };
        assert!(moved(&trace, 0) > 0, "there is something to see");
        let all = moved(&trace, 20);
        trace.ops.truncate(trace.ops.len() / 2);
        assert_eq!(all - moved(&trace, 20), 0, "of {all}");
    }
}

#[test]
fn on_a_gpu_training_and_serving_hold_little_more_than_is_live() {
    // The first is small: a page is half a hundredth of it.
    let bounds = [1.04, 1.02, 1.02];
    for (trace, bound) in own_traces().iter().zip(bounds) {
        let over = expansion(trace, Replayed::with(of_gpu(DEVICE)));
        assert!(over <= bound, "{}: {over}", trace.name);
    }
    let bounds = [
        ("gpt_train_fixed", 1.02),
        ("gpt_train_varlen", 1.02),
        ("llm_decode_growing_kv", 1.01),
        ("moe_train", 1.02),
        ("multistream_prefetch", 2.0),
    ];
    for (name, bound) in bounds {
        if let Some(trace) = recorded(name) {
            let over = expansion(&trace, Replayed::with(of_gpu(DEVICE)));
            assert!(over <= bound, "{name}: {over}");
        }
    }
}

/// A server: the blocks of all its requests, two in each layer, grow by concatenation in every step.
fn all_blocks_grow() -> Trace {
    const BLOCKS: usize = 48;
    const TOKEN: u64 = 8192;
    let mut run = Builder::new("all_blocks_grow", 1, 1);
    let mut numbers = Numbers::new(3);
    let mut requests: Vec<(u64, Vec<u32>)> = (0..14)
        .map(|_| {
            let tokens = numbers.between(200, 1400);
            let blocks = (0..BLOCKS).map(|_| run.alloc(0, tokens * TOKEN));
            (tokens, blocks.collect())
        })
        .collect();
    for _ in 0..80 {
        for (tokens, _) in &mut requests {
            *tokens += numbers.between(1, 8);
        }
        for layer in 0..BLOCKS {
            for (tokens, blocks) in &mut requests {
                let grown = run.alloc(0, *tokens * TOKEN);
                run.free(blocks[layer], 0);
                blocks[layer] = grown;
            }
        }
        // One leaves, another joins.
        let leaves = usize::try_from(numbers.between(0, 13)).unwrap_or(0);
        let (tokens, blocks) = &mut requests[leaves];
        *tokens = numbers.between(200, 1400);
        for block in blocks {
            run.free(*block, 0);
            *block = run.alloc(0, *tokens * TOKEN);
        }
    }
    run.finish()
}

/// A pool that cached freed blocks and borrowed pages for every block would move thousands.
#[test]
fn on_a_gpu_a_server_whose_blocks_all_grow_moves_few_pages() {
    let trace = all_blocks_grow();
    let mut pool = Replayed::with(of_gpu(DEVICE));
    let figures = engine::memory(&trace, &mut pool);
    assert!(figures.pages_moved <= 80, "{} pages", figures.pages_moved);
    let over = ratio(figures.peak_reserved, trace.peak_live());
    assert!(over <= 1.1, "{over}");
}
