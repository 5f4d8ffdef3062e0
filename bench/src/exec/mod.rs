//! `cargo xtask bench exec`: operators and models through the C interface, beside the engine called directly.
//!
//! Both sides compute the same numbers, and that is checked before anything is timed.

mod direct;
mod models;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use crate::acl::Acl;
use crate::acl::work::{Operator, asked, register_counting};
use crate::machine::{self, Machine};
use crate::measure::{Comparison, compare, nanoseconds};
use crate::report::{Bound, Report, Row};
use direct::{Direct, Tensor};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What to measure: operators, models, steady, shapes; everything if nothing is named
    cases: Vec<String>,
    /// ONNX Runtime: the library, or a Python environment that has it
    #[arg(long, value_name = "PATH", env = "MILLPOND_ONNXRUNTIME")]
    engine: PathBuf,
    /// Also write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep the table in bench/results, with date, machine and commit
    #[arg(long)]
    save: bool,
    /// The library to measure, if not the one beside this program
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

/// Measures and reports; whether all cases ran and no bound was missed.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build; its figures mean nothing");
    }
    let machine = Machine::describe();
    let acl = Acl::load(options.library.as_deref())?;
    // First, as in a program that has no engine of its own: who comes first makes what the two share.
    drop(acl.model(&models::small())?);
    let engine = Direct::load(&library_in(&options.engine)?)?;
    let mut report = Report::default();
    let cases: [(&'static str, Case); 4] = [
        ("operators", operators),
        ("models", large_models),
        ("steady", steady),
        ("shapes", shapes),
    ];
    let chosen =
        |name: &str| options.cases.is_empty() || options.cases.iter().any(|case| case == name);
    if let Some(unknown) = options
        .cases
        .iter()
        .find(|case| cases.iter().all(|(name, _)| name != case))
    {
        return Err(format!(
            "there is no case '{unknown}'\nhint: operators, models, steady, shapes"
        ));
    }
    for (name, measure) in cases.into_iter().filter(|(name, _)| chosen(name)) {
        eprintln!("measuring {name} …");
        report.add(name, measure(&acl, &engine));
    }
    print!("{machine}\n{report}");
    if let Some(file) = &options.json {
        machine::write(file, &format!("{:#}\n", report.json(&machine)))?;
    }
    if options.save {
        let file = machine.named_results_file("exec");
        let text =
            format!("# Operators and models beside ONNX Runtime alone\n\n{machine}\n{report}");
        machine::write(&file, &text)?;
        println!("\nkept in {}", file.display());
    }
    Ok(report.all_well())
}

/// The library that a file or an environment stands for, as Millpond finds it too.
fn library_in(named: &Path) -> Result<PathBuf, String> {
    if named.is_file() {
        return Ok(named.to_owned());
    }
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries(&named.join("lib"))
        .map(|python| python.path().join("site-packages/onnxruntime/capi"))
        .flat_map(|folder| entries(&folder).collect::<Vec<_>>())
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().contains("libonnxruntime.so"))
        .ok_or_else(|| format!("there is no libonnxruntime.so in {}", named.display()))
}

type Case = fn(&Acl, &Direct) -> Result<Vec<Row>, String>;

/// How many operators are queued before the stream is waited for.
const QUEUE: u32 = 1000;

fn number(index: usize) -> f32 {
    let small = u8::try_from(index % 17).unwrap_or(0);
    f32::from(small) / 8.0 - 1.0
}

fn agree(ours: &[f32], peer: &[f32]) -> Result<(), String> {
    let worst = ours
        .iter()
        .zip(peer)
        .map(|(a, b)| (a - b).abs() / (1.0 + b.abs()));
    let worst = worst.fold(0.0, f32::max);
    if ours.len() == peer.len() && worst < 1e-4 {
        return Ok(());
    }
    Err(format!(
        "the two sides differ by {worst}, so their times mean nothing"
    ))
}

/// Tiny operators, a thousand in a row with one synchronisation.
fn operators(acl: &Acl, engine: &Direct) -> Result<Vec<Row>, String> {
    let cases = [
        (c"Add", "Add", [1, 8], "Add [1,8]"),
        (c"MatMul", "MatMul", [4, 4], "MatMul [4,4]"),
    ];
    let mut rows = Vec::new();
    for (kind, node, dims, name) in cases {
        let stream = acl.stream()?;
        let (a, b, y) = (acl.tensor(&dims)?, acl.tensor(&dims)?, acl.tensor(&dims)?);
        let mut inputs = [
            ("a", Tensor::new(&dims, number)),
            ("b", Tensor::new(&dims, |index| number(index + 5))),
        ];
        a.write(&inputs[0].1.numbers)?;
        b.write(&inputs[1].1.numbers)?;
        let mut output = Tensor::new(&dims, |_| 0.0);
        let operator = Operator::new(kind, &[&a, &b], &y);
        let mut session = engine.session(&models::single(node, 2), 1, &mut inputs, &mut output)?;
        acl.check(name, operator.run(&stream))?;
        stream.synchronize()?;
        if session.run() != 0 {
            return Err(format!("the engine alone cannot run {name}"));
        }
        let found = compare(
            51,
            || {
                let start = Instant::now();
                let failed = (0..QUEUE).fold(0, |failed, _| failed | operator.run(&stream));
                acl.check(name, failed)?;
                stream.synchronize()?;
                Ok(nanoseconds(start.elapsed()) / f64::from(QUEUE))
            },
            || {
                let start = Instant::now();
                let failed = (0..QUEUE).fold(0, |failed, _| failed | session.run());
                if failed != 0 {
                    return Err("the engine alone failed".to_owned());
                }
                Ok(nanoseconds(start.elapsed()) / f64::from(QUEUE))
            },
        )?;
        drop(session);
        agree(&y.read()?, &output.numbers)?;
        rows.push(Row::times(name, "ONNX Runtime alone", found, Bound::None));
        rows.push(over(name, found));
    }
    Ok(rows)
}

/// What a call costs over the engine alone.
fn over(name: &str, found: Comparison) -> Row {
    let (median, best) = (
        (found.ours.median - found.peer.median) / 1e3,
        (found.ours.least - found.peer.least) / 1e3,
    );
    Row::number(
        format!("{name}: more than the engine alone, µs"),
        "",
        format!("{median:.2} ({best:.2}) µs"),
        median,
        Bound::AtMost(1.5),
    )
}

/// Models that compute for milliseconds.
fn large_models(acl: &Acl, engine: &Direct) -> Result<Vec<Row>, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let cases = [
        ("ResNet-50", models::resnet50 as fn() -> models::Sized),
        ("transformer, 6 x 512, 128 tokens", models::transformer),
    ];
    let mut rows = Vec::new();
    for (name, make) in cases {
        let model = make();
        let stream = acl.stream()?;
        let (x, y) = (acl.tensor(&model.input)?, acl.tensor(&model.output)?);
        let mut inputs = [("x", Tensor::new(&model.input, number))];
        x.write(&inputs[0].1.numbers)?;
        let mut output = Tensor::new(&model.output, |_| 0.0);
        let loaded = acl.model(&model.bytes)?;
        let bound = loaded.bind(&x, &y)?;
        let mut session = engine.session(&model.bytes, threads, &mut inputs, &mut output)?;
        drop(model.bytes);
        let found = compare(
            15,
            || {
                let start = Instant::now();
                acl.check(name, bound.run(&stream))?;
                stream.synchronize()?;
                Ok(nanoseconds(start.elapsed()))
            },
            || {
                let start = Instant::now();
                match session.run() {
                    0 => Ok(nanoseconds(start.elapsed())),
                    _ => Err("the engine alone failed".to_owned()),
                }
            },
        )?;
        drop(session);
        agree(&y.read()?, &output.numbers)?;
        let against = format!("ONNX Runtime alone, {threads} threads");
        rows.push(Row::times(name, against, found, Bound::AtMost(1.03)));
    }
    Ok(rows)
}

/// The same shape again and again: what the registered allocator is asked, and what the process grows by.
fn steady(acl: &Acl, _: &Direct) -> Result<Vec<Row>, String> {
    const RUNS: u32 = 2000;
    let stream = acl.stream()?;
    register_counting(acl, &stream)?;
    let loaded = acl.model(&models::small())?;
    let dims = [64, 16];
    let (x, y) = (acl.tensor(&dims)?, acl.tensor(&dims)?);
    let bound = loaded.bind(&x, &y)?;
    let runs = |count: u32| {
        for _ in 0..count {
            acl.check("aclmdlExecuteAsync", bound.run(&stream))?;
            stream.synchronize()?;
        }
        Ok::<_, String>(())
    };
    runs(100)?;
    let before = asked();
    runs(RUNS)?;
    let asked = asked() - before;
    let each = f64::from(u32::try_from(asked).unwrap_or(u32::MAX)) / f64::from(RUNS);
    drop(bound);

    // Without an allocator that keeps everything, for the size of the process.
    let stream = acl.stream()?;
    let bound = loaded.bind(&x, &y)?;
    let run = |count: u32| {
        for _ in 0..count {
            acl.check("aclmdlExecuteAsync", bound.run(&stream))?;
        }
        stream.synchronize()
    };
    run(RUNS)?;
    let before = resident()?;
    for _ in 0..10 {
        run(RUNS)?;
    }
    let grown = resident()? - before;
    Ok(vec![
        Row::number(
            "allocations asked for, each run",
            "",
            format!("{asked} in {RUNS} runs"),
            each,
            Bound::AtMost(1.0),
        ),
        grown_row("20,000 runs of one shape: growth, MiB", grown, 1.0),
    ])
}

/// Ever other shapes: caches are bounded.
fn shapes(acl: &Acl, _: &Direct) -> Result<Vec<Row>, String> {
    let stream = acl.stream()?;
    let loaded = acl.model(&models::small())?;
    let thousand = |first: i64| {
        for rows in first..first + 1000 {
            let dims = [rows, 16];
            let (x, y) = (acl.tensor(&dims)?, acl.tensor(&dims)?);
            let bound = loaded.bind(&x, &y)?;
            acl.check("aclmdlExecuteAsync", bound.run(&stream))?;
            let (a, b) = (acl.tensor(&dims)?, acl.tensor(&dims)?);
            let operator = Operator::new(c"Add", &[&x, &a], &b);
            acl.check("aclopCompileAndExecute", operator.run(&stream))?;
            stream.synchronize()?;
        }
        Ok::<_, String>(())
    };
    thousand(1)?;
    let before = resident()?;
    let start = Instant::now();
    thousand(1001)?;
    let each = start.elapsed().as_secs_f64() * 1e3;
    let grown = resident()? - before;
    Ok(vec![
        grown_row("1,000 more shapes after 1,000: growth, MiB", grown, 4.0),
        Row::number(
            "a model run and an operator of a new shape, µs",
            "",
            format!("{each:.1} µs"),
            each,
            Bound::None,
        ),
    ])
}

fn grown_row(what: &str, bytes: i64, bound: f64) -> Row {
    let mebibytes = f64::from(i32::try_from(bytes / 1024).unwrap_or(i32::MAX)) / 1024.0;
    let shown = format!("{mebibytes:.2} MiB");
    Row::number(what, "", shown, mebibytes.max(0.0), Bound::AtMost(bound))
}

/// Bytes of the process that are in memory, without what the device's own memory touches.
fn resident() -> Result<i64, String> {
    let status = std::fs::read_to_string(Path::new("/proc/self/status"))
        .map_err(|error| format!("/proc/self/status: {error}"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next());
    let number = kibibytes.and_then(|text| text.parse::<i64>().ok());
    number
        .map(|number| number * 1024)
        .ok_or_else(|| "no RssAnon".to_owned())
}
