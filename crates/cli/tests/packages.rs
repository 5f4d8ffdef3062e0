//! Exports and queries with the packages of others: the queries of the documentation on `DuckDB`, Perfetto's published schema, and
//! PyTorch's own code for snapshots. Every figure is compared with those of `millpond view`, `replay` and `advise`.
//!
//! `cargo xtask test "recording: with packages"` fetches the packages. Without them these tests are skipped.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod common;
mod recordings;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Stage, all, output, path, stdout};
use millpond_recording::{Kind, Reserved, open, owner, read_all};
use millpond_replay::holders::holders;
use millpond_replay::recorded::Recording;
use millpond_view::protocol::answer;
use serde_json::Value;

/// The Python that has the packages, if there is one.
fn python() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("MILLPOND_TEST_PYTHON") {
        return Some(named.into());
    }
    let found = environment("recording/env");
    if found.is_none() {
        eprintln!(
            "skipped: cargo xtask test \"recording: with packages\" fetches DuckDB and Perfetto's schema"
        );
    }
    found
}

/// The Python of an environment below `target`, if all of it was installed.
fn environment(folder: &str) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let folder = target.join(folder);
    let whole = folder.join(".requirements").exists();
    whole.then(|| folder.join("bin/python"))
}

/// A table in which several recordings are ranks.
struct Table {
    stage: Stage,
    folder: PathBuf,
    python: PathBuf,
}

impl Table {
    /// `None` if the packages are missing.
    fn of(name: &str, ranks: &[(u32, &Path)]) -> Option<Self> {
        let python = python()?;
        let stage = Stage::bare(name);
        let folder = stage.folder.join("table");
        fs::create_dir_all(&folder).expect("a folder for the test");
        for (rank, file) in ranks {
            let out = folder.join(format!("rank{rank}.parquet"));
            let rank = rank.to_string();
            let mut export = stage.millpond(&[
                "export",
                path(file),
                "--to",
                "parquet",
                "--rank",
                &rank,
                "-o",
                path(&out),
            ]);
            let result = output(&mut export);
            assert!(result.status.success(), "{}", all(&result));
        }
        Some(Self {
            stage,
            folder,
            python,
        })
    }

    /// The rows that `millpond query` prints for a query of the documentation, by the names of their columns.
    fn ask(&self, query: &str) -> Vec<BTreeMap<String, String>> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs/queries")
            .join(query);
        let mut command = self
            .stage
            .millpond(&["query", "--csv", path(&file), path(&self.folder)]);
        let result = output(command.env("PYTHON", &self.python));
        assert!(result.status.success(), "{query}: {}", all(&result));
        let text = stdout(&result);
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let names = lines.next().expect("names of columns");
        let row = |cells: Vec<&str>| {
            assert_eq!(cells.len(), names.len(), "{query}: {cells:?}");
            let pairs = names.iter().zip(cells);
            pairs
                .map(|(name, cell)| ((*name).to_owned(), cell.to_owned()))
                .collect()
        };
        lines.map(row).collect()
    }
}

fn number(row: &BTreeMap<String, String>, column: &str) -> u64 {
    let cell = &row[column];
    cell.parse()
        .unwrap_or_else(|_| panic!("{column} is not a number: {row:?}"))
}

fn json(stage: &Stage, arguments: &[&str]) -> Value {
    let result = output(&mut stage.millpond(arguments));
    assert!(result.status.success(), "{}", all(&result));
    serde_json::from_slice(&result.stdout).expect("JSON")
}

fn question(runs: &[millpond_view::Index], words: &str) -> Value {
    let text = answer(runs, words).unwrap_or_else(|| panic!("no answer to {words}"));
    serde_json::from_str(&text).expect("JSON")
}

/// One recording, everywhere: peak live and reserved, fragmentation, who holds most at the peak, who leaks, and what is left at the end.
#[test]
fn every_tool_tells_the_same_figures() {
    let mut files = recordings::all("figures");
    let leaking = Stage::bare("packages-leaking");
    let file = leaking.folder.join("leaking.csv");
    fs::write(&file, steps_that_leak()).expect("a file for the test");
    files.push(file);
    let (mut compared, mut leaks, mut fragmented) = (0, 0, 0);
    for file in &files {
        let Some(table) = Table::of("packages-figures", &[(7, file)]) else {
            return;
        };
        let peaks = table.ask("peak_by_rank.sql");
        let top = table.ask("top_holders.sql");
        let growth = table.ask("growth_by_step.sql");
        let replayed = json(
            &table.stage,
            &[
                "replay",
                path(file),
                "--no-time",
                "--json",
                "--allocator",
                "best-fit",
            ],
        );
        let advised = json(&table.stage, &["advise", path(file), "--json"]);
        let recording = Recording::open(file, |_| ()).expect("a recording");
        let mut source = open(file).expect("a recording");
        let runs = millpond_view::read(&mut *source, "it", &mut |_| ()).expect("a recording");
        let summary = question(&runs, "summary");
        let traces = replayed["traces"].as_array().unwrap();
        let mut live = 0;
        // Devices that only have marks have no trace.
        let with_blocks = peaks.iter().filter(|row| number(row, "peak_live") > 0);
        for ((row, trace), place) in with_blocks.zip(traces).zip(0..) {
            let run = (0..runs.len())
                .filter(|&run| summary["runs"][run]["peak"] != 0)
                .nth(place)
                .expect("a run of the page");
            let shown = &summary["runs"][run];
            let told = format!("{}: {row:?} {trace} {shown}", file.display());
            let peak = number(row, "peak_live");
            live += peak;
            assert_eq!(trace["peak_live"], peak, "{told}");
            assert_eq!(shown["peak"], peak, "{told}");
            let reserved = Some(number(row, "peak_reserved")).filter(|&bytes| bytes > 0);
            assert_eq!(trace["recorded_reserved"].as_u64(), reserved, "{told}");
            assert_eq!(shown["reserved"].as_u64(), reserved, "{told}");
            let of_device = |rows: &[BTreeMap<String, String>]| {
                let rows = rows.iter().filter(|it| it["device"] == row["device"]);
                rows.cloned().collect::<Vec<_>>()
            };
            let top = of_device(&top);
            same_holders(
                &top,
                &question(&runs, &format!("moment/{run}/{}", shown["peak_time"])),
            );
            let holder = holders(&recording).owner.expect("blocks at the peak");
            let device = &recording.tables().devices()[usize::from(holder.device)];
            if u64::from(device.index) == number(row, "device") {
                let first = &top[0];
                assert_eq!(first["owner"], holder.name, "{told}");
                assert_eq!(number(first, "bytes"), holder.bytes, "{told}");
                assert_eq!(number(first, "blocks"), holder.blocks, "{told}");
                leaks += usize::from(same_leak(shown, &recording, &advised));
                let walked = fragmentation(file);
                let near = |shown: f64| walked.is_some_and(|it| (it - shown).abs() < 1e-12);
                let same = shown["fragmentation"]
                    .as_f64()
                    .map_or(walked.is_none(), near);
                assert!(same, "{walked:?}: {told}");
                fragmented += usize::from(walked.is_some_and(|share| share > 0.0));
            }
            let growth = of_device(&growth);
            let last = growth.last().expect("a step");
            assert_eq!(shown["left_bytes"], number(last, "live_at_end"), "{told}");
            let highest = growth.iter().map(|step| number(step, "peak")).max();
            assert_eq!(highest, Some(peak), "{told}");
            compared += 1;
        }
        assert_eq!(advised["peak_live"], live, "{}", file.display());
        assert_eq!(
            traces.len(),
            peaks
                .iter()
                .filter(|row| number(row, "peak_live") > 0)
                .count()
        );
    }
    assert!(compared > files.len(), "one of them has several devices");
    assert!(leaks > 0 && fragmented > 0, "{leaks} {fragmented}");
}

/// Twenty steps, in a segment of 64 MiB. Each leaves a block of 300 kB behind.
fn steps_that_leak() -> String {
    let base = 0x7000_0000_u64;
    let mut text = format!("t_us,op,addr,size,stream\n0,S,{base:x},67108864,0\n");
    for step in 0..20_u64 {
        let (time, kept) = (10 * step, base + (8 << 20) + step * (1 << 20));
        writeln!(
            text,
            "{time},a,{base:x},5000000,0\n{time},a,{kept:x},300000,0\n{time},f,{base:x},5000000,0\n{time},c,{base:x},5000000,0"
        )
        .expect("memory");
    }
    text
}

/// The first leak of the page is the one that `millpond advise` sees, which tells of it if it is worth that. Returns whether there is one.
fn same_leak(shown: &Value, recording: &Recording, advised: &Value) -> bool {
    let first = shown["leaks"].as_array().unwrap().first();
    let found = holders(recording).leak;
    assert_eq!(
        first.map(|leak| (
            leak["place"].as_str().unwrap(),
            leak["grown"].as_u64().unwrap()
        )),
        found.as_ref().map(|leak| (leak.name.as_str(), leak.bytes)),
        "{shown}"
    );
    let mut advice = advised["advice"].as_array().unwrap().iter();
    if let Some(told) = advice.find(|it| it["kind"] == "leak") {
        let name = &found.as_ref().expect("a leak").name;
        assert!(told["sentence"].as_str().unwrap().contains(name), "{told}");
    }
    found.is_some()
}

/// The share of what was reserved that was not live when most was reserved, by a walk through the events of the device that has blocks.
fn fragmentation(file: &Path) -> Option<f64> {
    let mut source = open(file).expect("a recording");
    let mut events = source.before().to_vec();
    events.extend(read_all(&mut *source).expect("a recording"));
    let device = events
        .iter()
        .find(|event| event.kind == Kind::Alloc)?
        .device;
    let (mut reserved, mut live, mut most) = (Reserved::default(), 0, (0, 0));
    for event in events.iter().filter(|event| event.device == device) {
        reserved.apply(event);
        match event.kind {
            Kind::Alloc => live += event.bytes,
            Kind::FreeRequested => live -= event.bytes,
            _ => {}
        }
        most = most.max((reserved.bytes(), live));
    }
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = 1.0 - most.1.min(most.0) as f64 / most.0.max(1) as f64;
    reserved.has_segments().then_some(share)
}

/// The lines of the page at the peak are the rows of the query, which has the 20 largest. Blocks without a stack are one line there, and
/// several owners here.
fn same_holders(rows: &[BTreeMap<String, String>], moment: &Value) {
    let all = rows.len() < 20;
    let least = rows.last().map_or(0, |row| number(row, "bytes"));
    let mut here: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        here.insert(&row["owner"], number(row, "bytes"));
    }
    let mut unknown = 0;
    for line in moment["lines"].as_array().unwrap() {
        let (place, bytes) = (
            line["place"].as_str().unwrap(),
            line["bytes"].as_u64().unwrap(),
        );
        match here.remove(place) {
            _ if place == owner::UNKNOWN => unknown += bytes,
            Some(found) => assert_eq!(found, bytes, "{place}: {rows:?}"),
            None => assert!(!all && bytes <= least, "{place}: {rows:?}"),
        }
    }
    let rest: u64 = here.values().sum();
    assert!(rest == unknown || !all && rest < unknown, "{rows:?}");
}

/// Steps of two ranks that differ, in the smallest unit of time, against a walk through the events.
#[test]
fn steps_and_ranks_are_those_of_the_events() {
    let [first, second] = recordings::ranks("steps");
    let Some(table) = Table::of("packages-steps", &[(0, &first), (1, &second)]) else {
        return;
    };
    let (expected, ranks) = (recordings::steps(&first), recordings::steps(&second));
    let growth = table.ask("growth_by_step.sql");
    let mut compared = 0;
    for (rank, steps) in [&expected, &ranks].into_iter().enumerate() {
        let rows = growth.iter().filter(|row| row["rank"] == rank.to_string());
        let told: Vec<(u64, u64)> = rows
            .clone()
            .map(|row| (number(row, "peak"), number(row, "live_at_end")))
            .collect();
        assert_eq!(&told, steps, "rank {rank}");
        for (pair, row) in steps.windows(2).zip(rows.skip(1)) {
            let growth = i128::from(pair[1].1) - i128::from(pair[0].1);
            assert_eq!(row["growth"], growth.to_string(), "rank {rank}");
            compared += 1;
        }
    }
    assert!(compared > 8, "{compared}");
    let rows = table.ask("imbalance.sql");
    assert_eq!(rows.len(), expected.len());
    for row in &rows {
        let step = usize::try_from(number(row, "step")).unwrap();
        let (one, other) = (expected[step].0, ranks[step].0);
        assert_eq!(number(row, "largest"), one.max(other));
        assert_eq!(number(row, "smallest"), one.min(other));
        assert_eq!(number(row, "difference"), one.abs_diff(other));
        // Of equal ranks the first is named.
        assert_eq!(row["largest_rank"], if other > one { "1" } else { "0" });
        assert_eq!(row["smallest_rank"], if other < one { "1" } else { "0" });
    }
    let differences: Vec<u64> = rows.iter().map(|row| number(row, "difference")).collect();
    assert!(differences.is_sorted_by(|one, other| one >= other) && differences[0] > 0);
    // Every rank has its holders.
    let top = table.ask("top_holders.sql");
    for rank in ["0", "1"] {
        let rows = top.iter().filter(|row| row["rank"] == rank);
        assert_eq!(
            rows.count(),
            20,
            "rank {rank} has more than 20 owners at its peak"
        );
    }
}

#[test]
fn an_answer_is_shown_as_a_table_too() {
    let [first, _] = recordings::ranks("shown");
    let Some(table) = Table::of("packages-shown", &[(3, &first)]) else {
        return;
    };
    let ask = |sql: &str| {
        let mut command = table.stage.millpond(&["query", sql, path(&table.folder)]);
        output(command.env("PYTHON", &table.python))
    };
    let result = ask("SELECT DISTINCT rank AS of_rank FROM events");
    assert!(result.status.success(), "{}", all(&result));
    assert!(
        stdout(&result).contains("of_rank") && stdout(&result).contains('3'),
        "{}",
        all(&result)
    );
    // What the engine refuses is an error of the query, not of this command.
    let result = ask("SELECT nothing FROM events");
    assert_eq!(result.status.code(), Some(1), "{}", all(&result));
    assert!(
        common::stderr(&result).contains("millpond query: "),
        "{}",
        all(&result)
    );
}

/// Decoded with the schema of the published package, Perfetto's counters are those of the events.
#[test]
fn perfetto_decodes() {
    let Some(python) = python() else { return };
    let stage = Stage::bare("packages-perfetto");
    for file in recordings::all("perfetto") {
        let (trace, wanted) = (stage.folder.join("trace"), stage.folder.join("wanted.json"));
        let mut export = stage.millpond(&[
            "export",
            path(&file),
            "--to",
            "perfetto",
            "-o",
            path(&trace),
        ]);
        let result = output(&mut export);
        assert!(result.status.success(), "{}", all(&result));
        fs::write(&wanted, counters(&file).to_string()).expect("a file for the test");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/decode_trace.py");
        let result = output(Command::new(&python).arg(script).arg(&trace).arg(&wanted));
        assert!(
            result.status.success(),
            "{}: {}",
            file.display(),
            all(&result)
        );
        eprint!("{}", common::stderr(&result));
    }
}

/// Live bytes after each event that changes them, and the largest of the reserved ones, by device.
fn counters(file: &Path) -> Value {
    let mut source = open(file).expect("a recording");
    let mut events = source.before().to_vec();
    events.extend(read_all(&mut *source).expect("a recording"));
    let mut live: BTreeMap<String, (u64, Vec<u64>)> = BTreeMap::new();
    let mut reserved: BTreeMap<String, (Reserved, u64)> = BTreeMap::new();
    let tables = source.tables();
    let mut marks = 0;
    // Name, begin and end. Numbers or names say what belongs together.
    let mut open_spans: BTreeMap<(u16, u64, &str), Vec<u64>> = BTreeMap::new();
    let mut spans: Vec<(&str, u64, u64)> = Vec::new();
    let allocations = events[source.before().len()..].iter();
    let allocations = allocations
        .filter(|event| event.kind == Kind::Alloc)
        .count();
    for event in &events {
        let device = &tables.devices()[usize::from(event.device)];
        let rank = device
            .rank
            .map_or_else(String::new, |rank| format!("rank {rank}, "));
        let name = format!("{rank}device {}", device.index);
        let (now, all) = live.entry(name.clone()).or_default();
        match event.kind {
            Kind::Alloc => *now += event.bytes,
            Kind::FreeRequested => *now -= event.bytes,
            Kind::Mark | Kind::RangeBegin | Kind::OutOfMemory => marks += 1,
            _ => {}
        }
        if matches!(event.kind, Kind::Alloc | Kind::FreeRequested) {
            all.push(*now);
        }
        let label = tables.text(event.label);
        let key = (event.device, event.address, label);
        match event.kind {
            Kind::RangeBegin => open_spans.entry(key).or_default().push(event.time_ns),
            Kind::RangeEnd => {
                let began = open_spans.get_mut(&key).and_then(Vec::pop);
                spans.extend(began.map(|began| (label, began, event.time_ns)));
            }
            _ => {}
        }
        let (reserved, most) = reserved.entry(name).or_default();
        reserved.apply(event);
        *most = (*most).max(reserved.bytes());
    }
    let live: BTreeMap<_, _> = live
        .into_iter()
        .map(|(name, (_, all))| (name, all))
        .collect();
    let reserved: BTreeMap<_, _> = reserved
        .into_iter()
        .filter(|(_, (reserved, _))| reserved.has_segments())
        .map(|(name, (_, most))| (name, most))
        .collect();
    spans.sort_unstable();
    let unended: usize = open_spans.values().map(Vec::len).sum();
    serde_json::json!({
        "live": live, "reserved": reserved, "named": marks, "allocations": allocations, "spans": spans, "unended": unended,
    })
}

/// PyTorch's own code reads the exported snapshot: its summaries by segment and event, flame graphs, and the data of both pictures.
#[test]
fn the_code_of_pytorch_reads_snapshots() {
    let Some(python) = environment("torch/env") else {
        eprintln!("skipped: PyTorch is not installed; cargo xtask torch fetches it");
        return;
    };
    let stage = Stage::bare("packages-torch");
    for file in recordings::all("torch") {
        let (out, wanted) = (
            stage.folder.join("out.pickle"),
            stage.folder.join("wanted.json"),
        );
        let mut export =
            stage.millpond(&["export", path(&file), "--to", "snapshot", "-o", path(&out)]);
        let result = output(&mut export);
        assert!(result.status.success(), "{}", all(&result));
        fs::write(&wanted, counters(&file).to_string()).expect("a file for the test");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/memory_viz.py");
        let result = output(Command::new(&python).arg(script).arg(&out).arg(&wanted));
        assert!(
            result.status.success(),
            "{}: {}",
            file.display(),
            all(&result)
        );
    }
}
