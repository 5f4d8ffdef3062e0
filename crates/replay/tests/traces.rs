//! The models against what was recorded and measured: `shared/traces` beside the checkout, or the folder `MILLPOND_TRACES`.

use std::io::{self, Write as _};
use std::path::PathBuf;

use millpond_replay::advise;
use millpond_replay::recorded::Recording;
use millpond_replay::trace::Trace;

/// A recorded trace, or `None` after a word about it, past the harness, which shows only what a test that failed has written.
fn recorded(name: &str) -> Option<Trace> {
    let folder = std::env::var_os("MILLPOND_TRACES").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces"),
        PathBuf::from,
    );
    let file = folder.join(format!("{name}.csv.gz"));
    if !file.is_file() {
        drop(writeln!(
            io::stderr(),
            "skipped: there is no {}",
            file.display()
        ));
        return None;
    }
    let recording = Recording::open(&file, |_part| ()).expect("it can be read");
    Some(recording.traces().remove(0))
}

fn off(found: u64, expected: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
    let ratio = found as f64 / expected as f64;
    (ratio - 1.0).abs()
}

/// Also the run with several streams: the recording says when each block was really free again.
#[test]
fn the_default_holds_what_pytorch_held() {
    let names = [
        "gpt_train_fixed",
        "gpt_train_varlen",
        "llm_decode_growing_kv",
        "moe_train",
        "multistream_prefetch",
    ];
    for name in names {
        let Some(trace) = recorded(name) else {
            continue;
        };
        let held = advise::held("pytorch", std::slice::from_ref(&trace), None).unwrap();
        let expected = trace.recorded_reserved.expect("it has segments");
        assert!(off(held, expected) <= 0.02, "{name}: {held} for {expected}");
    }
}

/// Peak reserved over peak live as measured in runs with `expandable_segments:True`. Of the run with several streams, how much it holds
/// depends on when streams pass, which another run has differently: it has a bound of its own, so that the model cannot drift.
#[test]
fn expandable_segments_hold_what_was_measured() {
    let rows = [
        ("gpt_train_fixed", 1.109, 0.02),
        ("gpt_train_varlen", 1.042, 0.02),
        ("llm_decode_growing_kv", 1.014, 0.02),
        ("moe_train", 1.031, 0.02),
        ("multistream_prefetch", 20.2, 0.1),
    ];
    for (name, measured, bound) in rows {
        let Some(trace) = recorded(name) else {
            continue;
        };
        let traces = std::slice::from_ref(&trace);
        let held = advise::held("pytorch,expandable_segments=True", traces, None).unwrap();
        #[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
        let ratio = held as f64 / trace.peak_live() as f64;
        assert!(
            (ratio / measured - 1.0_f64).abs() <= bound,
            "{name}: {ratio} for {measured}, at most {bound} off"
        );
    }
}
