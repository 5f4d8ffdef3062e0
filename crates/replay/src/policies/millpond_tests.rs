//! What the pool promises of its memory, on the traces that are there.

use std::io::{self, Write};

use super::*;
use crate::pool::generate::{AHEAD, PATTERNS};
use crate::pool::trace::Trace;
use crate::pool::{oracle, own_traces, read, replay, shared_traces};

/// A recorded trace, or `None` after a word about it. Past the harness, which shows only what a test
/// that failed has written.
fn recorded(name: &str) -> Option<Trace> {
    let file = shared_traces().map(|folder| folder.join(format!("{name}.csv.gz")));
    let file = file.filter(|file| file.is_file());
    if file.is_none() {
        drop(writeln!(io::stderr(), "skipped: there is no {name}"));
    }
    file.map(|file| read::file(&file).expect("it can be read"))
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

fn expansion(trace: &Trace, mut pool: Replayed) -> f64 {
    let (held, _) = replay::memory(trace, &mut pool).expect("nothing is refused");
    ratio(held, trace.peak_live())
}

#[test]
fn several_streams_hold_little_more_than_their_order_allows() {
    for (name, pattern) in PATTERNS {
        for ahead in AHEAD {
            let trace = pattern(ahead);
            let held = replay::memory(&trace, &mut economising());
            let (held, _) = held.expect("nothing is refused");
            let over = ratio(held, oracle::least_held(&trace));
            assert!(over <= 1.1, "{name}, {ahead} ahead: {over}");
        }
    }
}

#[test]
fn streams_that_know_nothing_of_each_other_hold_what_each_needs() {
    if let Some(trace) = recorded("multistream_prefetch") {
        let held = replay::memory(&trace, &mut economising());
        let (held, _) = held.expect("nothing is refused");
        let over = ratio(held, oracle::least_held(&trace));
        assert!(over <= 1.02, "{over}");
    }
}

#[test]
fn one_stream_holds_little_more_than_is_live() {
    let traces = read::folder(&own_traces()).expect("they can be read");
    for trace in &traces {
        let over = expansion(trace, economising());
        assert!(over <= 1.03, "{}: {over}", trace.name);
    }
}

#[test]
fn below_the_floor_a_device_holds_at_most_twice_what_is_live() {
    for trace in &read::folder(&own_traces()).expect("they can be read") {
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
            let figures = replay::memory(trace, &mut Replayed::with(options));
            figures.expect("nothing is refused").1
        };
        assert!(moved(&trace, 0) > 0, "there is something to see");
        let all = moved(&trace, 20);
        trace.ops.truncate(trace.ops.len() / 2);
        assert_eq!(all - moved(&trace, 20), 0, "of {all}");
    }
}

#[test]
fn both_settings_have_a_name_in_the_lines_of_json() {
    let names = crate::pool::memory::ALLOCATORS.map(|(name, _)| name);
    assert_eq!(names[..2], ["millpond", "millpond-mempool"]);
}
