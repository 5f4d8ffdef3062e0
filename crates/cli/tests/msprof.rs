//! `msprof`: profiles of whole programs with the real library, and what it says when there is nothing to export.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use common::{Real, all, compile, output, stderr, stdout};

fn files(real: &Real, folder: &str) -> Vec<String> {
    let inside = |path: PathBuf| fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
    let profiles: Vec<_> = inside(real.stage.folder.join(folder)).collect();
    assert_eq!(profiles.len(), 1, "one profile");
    let output = profiles[0].path().join("mindstudio_profiler_output");
    let mut names: Vec<String> = inside(output)
        .map(|entry| entry.file_name().into_string().unwrap())
        .map(|name| {
            let end = name.find(|letter: char| letter.is_ascii_digit()).unwrap();
            name[..end].to_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_whole_program_is_profiled_and_exported() {
    let real = Real::new("msprof-program");
    let folder = real.stage.folder.join("profile");
    let into = format!("--output={}", folder.display());
    let program = real.program();
    let program = program.to_str().unwrap();
    let words = ["msprof", &into, program, "open", "race", "tidy"];
    let result = output(&mut real.stage.millpond(&words));
    assert!(result.status.success(), "{}", all(&result));
    assert!(stdout(&result).contains("tasks"), "{}", all(&result));
    let names = files(&real, "profile");
    assert_eq!(
        names,
        ["api_statistic_", "msprof_", "npu_mem_", "task_time_"]
    );
    // Exporting again gives the same, and analysing changes nothing.
    for what in ["--export=on", "--analyze=on"] {
        let result = output(&mut real.stage.millpond(&["msprof", what, &into]));
        assert!(result.status.success(), "{}", all(&result));
        assert_eq!(files(&real, "profile"), names);
    }
}

#[test]
fn nothing_to_profile_or_to_export_is_an_error() {
    let real = Real::new("msprof-nothing");
    let into = format!("--output={}", real.stage.folder.join("empty").display());
    fs::create_dir(real.stage.folder.join("empty")).unwrap();
    for (words, says) in [
        (["msprof", into.as_str(), "true"], "used no device"),
        (["msprof", "--export=on", &into], "no profile"),
        (["msprof", "--analyze=on", &into], "no profile"),
        (["msprof", "--export=on", "--output=/nowhere"], "/nowhere"),
        (["msprof", "--nonsense", &into], "not supported"),
    ] {
        let result = output(&mut real.stage.millpond(&words));
        assert!(!result.status.success(), "{words:?}: {}", all(&result));
        assert!(
            stderr(&result).contains(says),
            "{words:?}: {}",
            all(&result)
        );
    }
}

/// The tables of a profile that a C program of the interface's tests makes.
struct Profiled(PathBuf);

impl Profiled {
    fn of(program: &str) -> Self {
        let real = Real::new(&format!("msprof-{program}"));
        let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
        let made = real.stage.folder.join(program);
        let mut cc = Command::new("cc");
        cc.arg("-g")
            .arg("-I")
            .arg(crates.join("../../include"))
            .arg(crates.join(format!("../capi/tests/c/{program}.c")))
            .arg("-L")
            .arg(real.stage.lib())
            .args(["-lascendcl", "-o"])
            .arg(&made);
        compile(&mut cc);
        let folder = real.stage.folder.join("profile");
        fs::create_dir(&folder).unwrap();
        let words = [
            "run",
            "--",
            made.to_str().unwrap(),
            folder.to_str().unwrap(),
        ];
        let result = output(&mut real.stage.millpond(&words));
        assert!(result.status.success(), "{}", all(&result));
        let into = format!("--output={}", folder.display());
        let result = output(&mut real.stage.millpond(&["msprof", "--export=on", &into]));
        assert!(result.status.success(), "{}", all(&result));
        assert_eq!(stderr(&result), "", "nothing is missing");
        let profile = fs::read_dir(&folder).unwrap().next().unwrap().unwrap();
        Self(profile.path().join("mindstudio_profiler_output"))
    }

    fn text(&self, table: &str) -> String {
        let mut files = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap());
        let file = files.find(|file| {
            let name = file.file_name().into_string().unwrap();
            name.starts_with(table)
        });
        fs::read_to_string(file.unwrap().path()).unwrap()
    }

    fn count(&self, table: &str, word: &str) -> usize {
        let text = self.text(table);
        text.lines().filter(|line| line.contains(word)).count()
    }
}

/// The counts in the tables are those of the calls in `profiling.c`: no more, although work came before and after, and no less.
#[test]
fn a_profile_that_a_program_makes_counts_its_launches() {
    let profile = Profiled::of("profiling");
    let count = |table: &str, word: &str| profile.count(table, word);
    // 20 queued, and 2 inside calls.
    assert_eq!(count("task_time", "MEMCPY_ASYNC"), 22);
    // One inside a call, and one in the second part.
    assert_eq!(count("task_time", "MEMSET_ASYNC"), 2);
    assert_eq!(count("task_time", "EVENT_RECORD"), 1);
    assert_eq!(count("task_time", "EVENT_WAIT"), 1);
    assert_eq!(count("api_statistic", ",aclrtMemcpyAsync,"), 1);
    let marks = ["the copies", "one mark", "on the stream", ",step,"];
    assert_eq!(marks.map(|mark| count("msprof_tx", mark)), [1; 4]);
    assert_eq!(count("msprof_tx", "push/pop"), 2);
    // 64 MiB on pages of 2 MiB, once.
    let peak = (4 + (64 << 10) + (2 << 10)).to_string();
    assert_eq!(count("npu_mem", &format!(",{peak},")), 1);
}

/// A launch of a graph is no operator; what it runs is, on every lane, in task groups and in branches. `profiling_graphs.c` launches five times.
#[test]
fn operators_of_graphs_are_counted_once_for_each_launch() {
    let profile = Profiled::of("profiling_graphs");
    let launched = [("Add", 3), ("Mul", 2), ("Sub", 2)].map(|(name, times)| (name, times * 5));
    for (name, times) in launched {
        assert_eq!(
            profile.count("op_summary", &format!(",aclnn{name},")),
            times
        );
        assert_eq!(
            profile.count("op_statistic", &format!(",{name},HOST_CPU,{times},")),
            1
        );
        assert_eq!(profile.count("task_time", &format!(",aclnn{name},")), times);
    }
    assert_eq!(profile.count("op_summary", ",aclmdlRIExecuteAsync,"), 0);
    assert_eq!(profile.count("api_statistic", ",aclmdlRIExecuteAsync,"), 1);

    let events: Vec<Value> = serde_json::from_str(&profile.text("msprof_")).unwrap();
    let is = |event: &&Value, phase: &str| event["ph"] == phase;
    // Everything was launched by a call of the program, also what a branch queues later.
    let tasks = events.iter().filter(|event| is(event, "X"));
    let mut launchers: Vec<&str> = tasks
        .filter_map(|task| task["args"]["Launched by"].as_str())
        .collect();
    launchers.sort_unstable();
    launchers.dedup();
    assert_eq!(
        launchers,
        ["aclmdlRICaptureTaskUpdateEnd", "aclmdlRIExecuteAsync"]
    );
    // Every arrow begins on a thread that has a name: the program's, or one of those that queue what branches do.
    let lane_of = |thread: &Value| {
        let named = |event: &&Value| {
            is(event, "M") && event["name"] == "thread_name" && event["tid"] == *thread
        };
        let lane = events.iter().find(named);
        lane.map(|lane| lane["args"]["name"].as_str().unwrap().to_owned())
    };
    let arrows = events.iter().filter(|event| is(event, "s"));
    let mut from: Vec<String> = arrows
        .map(|arrow| lane_of(&arrow["tid"]).unwrap())
        .collect();
    let all = from.len();
    from.retain(|lane| lane.contains("(profiling_graph"));
    assert!(from.len() >= 5 * 7 && from.len() < all, "{from:?} of {all}");
}
