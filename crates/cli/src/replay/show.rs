//! Replays as a table and as JSON: the same figures.

use std::fmt;

use millpond_replay::engine::Figures;
use millpond_replay::sizes;
use millpond_replay::table::{Table, decimals};
use millpond_trace::{clean, count};
use serde_json::{Value, json};

use super::Replayed;

/// The figures of one row, rounded as they are shown: the table and JSON have the same.
struct Row<'a> {
    allocator: &'a str,
    figures: &'a Figures,
}

impl Row<'_> {
    fn ratio(&self) -> f64 {
        rounded(self.figures.expansion(), 3)
    }

    fn fragmentation(&self) -> f64 {
        rounded(self.figures.fragmentation() * 100.0, 1)
    }

    fn time(&self) -> Option<f64> {
        let time = self.figures.ns_per_op;
        (time > 0.0).then(|| rounded(time, 1))
    }

    /// Some allocators, such as a region that never grows, have a limit of their own.
    fn fits_in(&self, device: Option<u64>) -> Option<bool> {
        match self.figures.refused {
            Some(_) => Some(false),
            None => device.map(|_| true),
        }
    }

    fn fits(&self, device: Option<u64>) -> String {
        match (self.fits_in(device), &self.figures.refused) {
            (_, Some(refused)) => format!(
                "no: operation {} wants {}",
                refused.operation,
                sizes::text(refused.bytes)
            ),
            (Some(_), None) => "yes".to_owned(),
            (None, None) => "no limit".to_owned(),
        }
    }

    fn json(&self, device: Option<u64>) -> Value {
        let figures = self.figures;
        let refused = figures.refused.map(|refused| {
            json!({
                "operation": refused.operation,
                "bytes": refused.bytes,
                "live": refused.live,
                "time_ns": refused.time_ns,
            })
        });
        json!({
            "allocator": self.allocator,
            "peak_reserved": figures.peak_reserved,
            "reserved_to_live": self.ratio(),
            "fragmentation_percent": self.fragmentation(),
            "device_calls": figures.device_calls,
            "pages_moved": figures.pages_moved,
            "fits": self.fits_in(device),
            "refused": refused,
            "ns_per_operation": self.time(),
        })
    }
}

fn rounded(number: f64, places: i32) -> f64 {
    let scale = 10_f64.powi(places);
    (number * scale).round() / scale
}

pub(super) fn table(all: &[Replayed], device: Option<u64>) -> String {
    let mut text = String::new();
    for replayed in all {
        add(&mut text, replayed, device);
    }
    if all.len() > 1 {
        add_sums(&mut text, all);
    }
    text
}

fn add(text: &mut String, replayed: &Replayed, device: Option<u64>) {
    let trace = &replayed.trace;
    let live = trace.peak_live();
    let device = device.map_or_else(String::new, |it| format!(", device of {}", sizes::text(it)));
    add_line(
        text,
        format_args!(
            "{}: {} calls, {} streams, peak live {}{device}",
            clean(&trace.name),
            trace.calls(),
            trace.streams().len(),
            sizes::text(live),
        ),
    );
    let headings = [
        "allocator",
        "peak reserved",
        "reserved/live",
        "fragmentation",
        "device calls",
        "pages moved",
        "fits",
        "ns/call",
    ];
    let mut table = Table::new(headings.map(str::to_owned).to_vec());
    let limit = (!device.is_empty()).then_some(0);
    for (allocator, figures) in &replayed.rows {
        let row = Row { allocator, figures };
        table.add(vec![
            allocator.clone(),
            sizes::text(figures.peak_reserved),
            decimals(row.ratio(), 3),
            format!("{:.1} %", row.fragmentation()),
            figures.device_calls.to_string(),
            figures.pages_moved.to_string(),
            row.fits(limit),
            row.time()
                .map_or_else(|| "-".to_owned(), |it| decimals(it, 1)),
        ]);
    }
    add_line(text, format_args!("{table}"));
    let mut notes = Vec::new();
    if let Some(plan) = replayed.plan {
        notes.push(format!(
            "plan: with all requests known in advance and no page moved, {} are enough ({:.3} of what is live); nothing can hold less than {}",
            sizes::text(plan.found),
            ratio(plan.found, live),
            sizes::text(plan.bound),
        ));
    }
    if let Some(recorded) = trace.recorded_reserved {
        notes.push(format!(
            "recorded: the program's own allocator held {} ({:.3})",
            sizes::text(recorded),
            ratio(recorded, live),
        ));
    }
    if trace.held_frees() > 0 && trace.has_waits() {
        notes.push(format!(
            "{} blocks were freed while other streams used them. millpond and rmm reuse them as the recorded waits between streams allow; \
             pytorch, cuda-malloc-async, acl-mempool, mindspore, best-fit, buddy, tlsf and millpond,reuse=polling keep them until the \
             program synchronised or the recorded allocator reused their bytes",
            trace.held_frees(),
        ));
    } else if trace.held_frees() > 0 {
        notes.push(format!(
            "{} blocks were freed while other streams used them. The recording does not say how streams wait for each other: \
             pytorch, cuda-malloc-async, acl-mempool, mindspore, best-fit, buddy, tlsf and millpond,reuse=polling keep them until they were \
             completed; millpond and rmm reuse them in the order of the stream that frees them",
            trace.held_frees(),
        ));
    }
    if trace.is_rounded() {
        notes.push("every size is a multiple of 512: the recorder may have rounded them, and live bytes include that".to_owned());
    }
    if trace.left_out.blocks > 0 {
        notes.push(format!(
            "left out: {} with {} ({} bytes)",
            count(trace.left_out.blocks, "block"),
            sizes::text(trace.left_out.bytes),
            trace.left_out.bytes,
        ));
    }
    if trace.older > 0 {
        notes.push(format!(
            "{} blocks are older than the recording; they are allocated first",
            trace.older
        ));
    }
    for note in &notes {
        add_line(text, format_args!("{note}"));
    }
    text.push('\n');
}

fn add_sums(text: &mut String, all: &[Replayed]) {
    add_line(
        text,
        format_args!("all {} together: sums of the peaks", all.len()),
    );
    let headings = ["allocator", "peak reserved", "reserved/live", "largest"];
    let mut table = Table::new(headings.map(str::to_owned).to_vec());
    let live: u64 = all.iter().map(|it| it.trace.peak_live()).sum();
    for (number, (allocator, _)) in all[0].rows.iter().enumerate() {
        let peaks = all.iter().map(|it| it.rows[number].1.peak_reserved);
        let sum: u64 = peaks.clone().sum();
        table.add(vec![
            allocator.clone(),
            sizes::text(sum),
            decimals(ratio(sum, live), 3),
            sizes::text(peaks.max().unwrap_or(0)),
        ]);
    }
    add_line(text, format_args!("{table}"));
}

/// A line more.
pub(crate) fn add_line(text: &mut String, line: fmt::Arguments<'_>) {
    text.push_str(&line.to_string());
    text.push('\n');
}

#[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
fn ratio(one: u64, other: u64) -> f64 {
    if other == 0 {
        1.0
    } else {
        rounded(one as f64 / other as f64, 3)
    }
}

pub(super) fn json(all: &[Replayed], device: Option<u64>) -> Value {
    let one = |replayed: &Replayed| {
        let trace = &replayed.trace;
        let row =
            |(allocator, figures): &(String, Figures)| Row { allocator, figures }.json(device);
        json!({
            "trace": trace.name,
            "calls": trace.calls(),
            "streams": trace.streams().len(),
            "peak_live": trace.peak_live(),
            "recorded_reserved": trace.recorded_reserved,
            "held_frees": trace.held_frees(),
            "older_blocks": trace.older,
            "left_out": {"blocks": trace.left_out.blocks, "bytes": trace.left_out.bytes},
            "sizes_are_rounded": trace.is_rounded(),
            "plan": replayed.plan.map(|plan| json!({"found": plan.found, "bound": plan.bound})),
            "allocators": replayed.rows.iter().map(row).collect::<Vec<_>>(),
        })
    };
    json!({
        "device_memory": device,
        "traces": all.iter().map(one).collect::<Vec<_>>(),
    })
}
