//! What the pool promises of its memory, on the traces that are there.

use std::io::{self, Write};

use super::*;
use crate::patterns::{AHEAD, PATTERNS};
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
    recording.traces(&[]).remove(0)
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
        assert!(over <= 1.03, "{}: {over}", trace.name);
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
    assert!(over.iter().all(|&over| over <= 1.03), "{over:?}");
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
