//! `cargo xtask bench pool`: what allocation policies make of the same requests.
//!
//! Traces of allocations are replayed with Millpond's policy and with others', without a device: how
//! much memory each would have held, and how long its bookkeeping took. See README.md for the parts.

mod host;
mod memory;
mod micro;
mod millpond;
mod peers;
mod show;

use std::path::{Path, PathBuf};

use clap::Args;
use millpond_replay::patterns;
use millpond_replay::recorded::Recording;
use millpond_replay::trace::Trace;

use self::memory::Results;
use crate::machine::{self, Machine};

/// Replays allocation traces with Millpond's pool and its peers.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are switches of a command line"
)]
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Replay the traces of this folder (*.csv.gz, *.csv), and nothing else
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,
    /// Replay the patterns with several streams, and nothing else
    #[arg(long, conflicts_with = "traces")]
    streams_only: bool,
    /// Time sizes on both sides of each border, and nothing else
    #[arg(long, conflicts_with_all = ["traces", "streams_only", "json"])]
    borders_only: bool,
    /// Time the calls whose names have this in them, and nothing else
    #[arg(long, value_name = "NAME", conflicts_with_all = ["traces", "streams_only", "borders_only", "json", "save"])]
    only: Option<String>,
    /// Print one JSON object for each trace and allocator instead of tables
    #[arg(long)]
    json: bool,
    /// Keep the tables in bench/results, with date, machine and commit
    #[arg(long)]
    save: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build; its times mean nothing");
    }
    if let Some(part) = &options.only {
        let rows = micro::measure_only(part)?;
        println!("{}\n{rows}", Machine::describe());
        return Ok(());
    }
    // The lines of JSON are the memory part's, and so is a folder.
    let everything = options.traces.is_none() && !options.streams_only && !options.borders_only;
    let timed = everything && !options.json;
    let mut times = String::new();
    if timed {
        times += &micro::measure().to_string();
    }
    if timed || options.borders_only {
        times += &micro::borders::measure().to_string();
    }
    let folders = match &options.traces {
        Some(folder) => vec![folder.clone()],
        None if options.streams_only || options.borders_only => Vec::new(),
        None => [Some(own_traces()), shared_traces()]
            .into_iter()
            .flatten()
            .collect(),
    };
    let mut results = Results::default();
    for folder in folders {
        for trace in traces(&folder)? {
            results.replay(&trace);
        }
    }
    if options.traces.is_none() && !options.borders_only {
        for (_, pattern) in patterns::PATTERNS {
            for ahead in patterns::AHEAD {
                results.replay_ordered(&pattern(ahead));
            }
        }
    }
    let host = if timed { on_host() } else { String::new() };
    let machine = Machine::describe();
    if options.json {
        results.print_json();
    } else {
        println!("{machine}\n{times}{results}{host}");
    }
    if options.save {
        let file = machine.named_results_file("pool");
        machine::write(
            &file,
            &format!("# Pool benchmarks\n\n{machine}\n{times}{results}{host}"),
        )?;
        eprintln!("kept in {}", file.display());
    }
    Ok(())
}

/// The smallest of our own traces on the host's memory.
fn on_host() -> String {
    let found = traces(&own_traces());
    let smallest = found.map(|traces| traces.into_iter().min_by_key(Trace::peak_live));
    let found = match smallest {
        Ok(Some(trace)) => host::measure(&trace).map(|found| found.to_string()),
        Ok(None) => Err("there are no traces".to_owned()),
        Err(error) => Err(error),
    };
    let found = found.unwrap_or_else(|error| format!("not measured: {error}\n"));
    format!("## On the host's own memory\n\n{found}\n")
}

/// All traces of a folder, in the order of their names.
fn traces(folder: &Path) -> Result<Vec<Trace>, String> {
    let failed = |error| format!("{}: {error}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(|error| {
        format!(
            "{}\nhint: give the folder that holds the traces",
            failed(error)
        )
    })?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_trace(path))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(format!(
            "there are no traces in {}\nhint: traces are files *.csv.gz or *.csv",
            folder.display()
        ));
    }
    let mut traces = Vec::new();
    for file in files {
        let recording = Recording::open(&file, |_part| ()).map_err(|error| error.to_string())?;
        traces.extend(recording.traces());
    }
    Ok(traces)
}

fn is_trace(path: &Path) -> bool {
    let ends = |path: &Path, ending: &str| path.extension().is_some_and(|it| it == ending);
    let plain = if ends(path, "gz") {
        path.with_extension("")
    } else {
        path.to_owned()
    };
    ends(&plain, "csv")
}

/// The small traces of this repository.
fn own_traces() -> PathBuf {
    machine::crate_folder().join("traces")
}

/// Recorded traces, which are too large to be kept here: the folder that `MILLPOND_TRACES` names, or
/// `shared/traces` beside the checkout.
fn shared_traces() -> Option<PathBuf> {
    std::env::var_os("MILLPOND_TRACES")
        .map_or_else(
            || machine::crate_folder().join("../../shared/traces"),
            PathBuf::from,
        )
        .canonicalize()
        .ok()
        .filter(|folder| folder.is_dir())
}
