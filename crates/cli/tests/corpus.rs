//! How many mistakes does `millpond check` find, and is it silent on correct programs?
//!
//! `tests/corpus` has pairs of programs: one source, which is wrong when it is compiled with `-DWRONG` and correct
//! without. The wrong form runs once, as a user would check it. The correct form runs under four schedules, compares its
//! own results each time, and must stay silent. `docs/corpus.md` describes the format.
//!
//! `MILLPOND_TEST_PAIR=word` runs the pairs whose name has the word in it, and shows what they print.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test harness stops at the first surprise, and its table is what it is for"
)]

mod common;
mod pairs;

#[path = "../../capi/tests/support/library.rs"]
mod library;
#[path = "../../capi/tests/support/models.rs"]
mod models;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::Stage;
use millpond_check::Rule;
use pairs::{Pair, Run, Workshop};

/// What each correct program runs under. The first is the default.
const SCHEDULES: [&str; 4] = ["eager", "latest", "seed=1", "seed=7"];

/// What became of one pair.
struct Outcome<'p> {
    pair: &'p Pair,
    wrong: Verdict,
    /// Rules of the wrong program that the expectation does not name.
    also: BTreeSet<String>,
    /// False findings and other failures of the correct program, one line each.
    alarms: Vec<String>,
    hints: BTreeSet<String>,
}

enum Verdict {
    Found,
    /// Reported with another severity than the pair says.
    OtherSeverity(String),
    /// Only other rules were reported.
    WrongRule,
    Missed,
    /// It hung, or could not be built or run.
    Broken(String),
}

impl Verdict {
    fn text(&self) -> &str {
        match self {
            Self::Found => "found",
            Self::OtherSeverity(_) => "severity",
            Self::WrongRule => "wrong rule",
            Self::Missed => "missed",
            Self::Broken(_) => "broken",
        }
    }
}

#[test]
fn wrong_programs_are_found_and_correct_ones_are_silent() {
    let only = std::env::var("MILLPOND_TEST_PAIR").unwrap_or_default();
    let mut pairs = pairs::all(&library::repository().join("tests/corpus"), &only);
    if !pairs::has_cxx() {
        println!("no C++ compiler: pairs in C++ are left out");
        pairs.retain(|pair| !pair.is_cxx());
    }
    assert!(!pairs.is_empty(), "no pair is called {only}");
    for pair in &pairs {
        for rule in &pair.rules {
            assert!(
                Rule::find(rule).is_some() || pair.known_miss.is_some(),
                "{}: there is no rule {rule}",
                pair.name
            );
        }
    }
    let stage = Stage::bare("corpus");
    let installed = stage.lib().join("libascendcl.so");
    let built = library::library_dir().join("libascendcl.so");
    fs::hard_link(&built, &installed)
        .or_else(|_| fs::copy(&built, &installed).map(drop))
        .unwrap();
    let workshop = Workshop::new(&stage, models::folder(), !only.is_empty());

    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(pair) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = judge(&workshop, pair);
                    outcomes.lock().unwrap().push(outcome);
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap();
    outcomes.sort_by(|a, b| a.pair.name.cmp(&b.pair.name));
    let problems = tell(&outcomes);
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_records_of_ranks_show_what_was_found_when_they_ran() {
    let folder = library::repository().join("tests/corpus");
    let stage = Stage::bare("corpus-records");
    common::same_file(
        &library::library_dir().join("libascendcl.so"),
        &stage.lib().join("libascendcl.so"),
    );
    let workshop = Workshop::new(&stage, models::folder(), false);
    for (name, rule) in [
        ("ranks/last_batch_is_smaller", "collective.mismatch"),
        ("ranks/counts_not_transposed", "collective.message-mismatch"),
    ] {
        let pair = &pairs::all(&folder, name)[0];
        for wrong in [true, false] {
            let program = workshop.build(pair, wrong).unwrap();
            let records = stage.folder.join(if wrong { "wrong" } else { "correct" });
            drop(fs::remove_dir_all(&records));
            fs::create_dir_all(&records).unwrap();
            let record = records.join("%p.records");
            let mut command = stage.millpond(&["check", "--record"]);
            command.arg(record).arg("--").arg(program);
            common::output(command.env("MILLPOND_DEVICES", "3"));
            let options = ["check", "--format", "json", "--from"];
            let judged = common::output(stage.millpond(&options).arg(&records));
            let report = String::from_utf8_lossy(&judged.stdout).into_owned();
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            let findings = report["findings"].as_array().unwrap();
            if !wrong {
                assert_eq!(judged.status.code(), Some(0), "{report:#}");
                continue;
            }
            assert_eq!(findings.len(), 1, "{report:#}");
            assert_eq!(findings[0]["rule"], rule);
            // Each rank's call has the line of its own file.
            for operation in findings[0]["operations"].as_array().unwrap() {
                let file = operation["stack"][0]["file"].as_str().unwrap();
                assert!(file.ends_with(&format!("{name}.c")), "{report:#}");
            }
            let ranks = &findings[0]["ranks"];
            assert_eq!(ranks["ranks"], 3, "{report:#}");
            if rule == "collective.message-mismatch" {
                let rows = ranks["matrix"]["sent"].as_array().unwrap();
                assert_eq!(rows.len(), 3, "{report:#}");
            }
        }
    }
}

fn judge<'p>(workshop: &Workshop, pair: &'p Pair) -> Outcome<'p> {
    let (wrong, also) = match workshop
        .build(pair, true)
        .and_then(|program| workshop.run(pair, &program, "eager"))
    {
        Ok(run) => judge_wrong(pair, &run),
        Err(problem) => (Verdict::Broken(problem), BTreeSet::new()),
    };
    let mut outcome = Outcome {
        pair,
        wrong,
        also,
        alarms: Vec::new(),
        hints: BTreeSet::new(),
    };
    match workshop.build(pair, false) {
        Ok(program) => judge_correct(workshop, pair, &program, &mut outcome),
        Err(problem) => outcome.alarms.push(problem),
    }
    outcome
}

fn judge_wrong(pair: &Pair, run: &Run) -> (Verdict, BTreeSet<String>) {
    let expected = |rule: &str| pair.rules.iter().any(|expected| expected == rule);
    let mut also: BTreeSet<String> = run.rules().map(str::to_owned).collect();
    also.retain(|rule| !expected(rule));
    let found: Vec<_> = run.findings.iter().filter(|f| expected(&f.rule)).collect();
    let verdict = if found.iter().any(|f| f.severity == pair.severity) {
        Verdict::Found
    } else if let Some(finding) = found.first() {
        Verdict::OtherSeverity(finding.severity.clone())
    } else if run.findings.iter().any(|f| f.severity != "hint") {
        Verdict::WrongRule
    } else {
        Verdict::Missed
    };
    (verdict, also)
}

fn judge_correct(workshop: &Workshop, pair: &Pair, program: &Path, outcome: &mut Outcome<'_>) {
    for schedule in SCHEDULES {
        match workshop.run(pair, program, schedule) {
            Ok(run) => {
                for finding in &run.findings {
                    if finding.severity == "hint" {
                        outcome.hints.insert(finding.rule.clone());
                    } else {
                        outcome
                            .alarms
                            .push(format!("{schedule}: {}: {}", finding.rule, finding.message));
                    }
                }
                let loud = run.findings.iter().any(|f| f.severity != "hint");
                if run.status != Some(0) && !loud {
                    outcome.alarms.push(format!(
                        "{schedule}: the correct program ended with {:?}: {}",
                        run.status,
                        run.last_words()
                    ));
                }
            }
            Err(problem) => outcome.alarms.push(format!("{schedule}: {problem}")),
        }
    }
}

/// Prints the table and the counts; returns what must not be.
fn tell(outcomes: &[Outcome<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    let (mut found, mut misses, mut alarms) = (0, 0, 0);
    for outcome in outcomes {
        let (pair, name) = (outcome.pair, &outcome.pair.name);
        let silent = outcome.alarms.is_empty();
        let list = |rules: &BTreeSet<String>| rules.iter().cloned().collect::<Vec<_>>().join(" ");
        println!(
            "{name:45} {:10} {:12} {}{}{}",
            outcome.wrong.text(),
            if silent { "silent" } else { "FALSE ALARM" },
            pair.rules.join(" "),
            if outcome.also.is_empty() {
                String::new()
            } else {
                format!("; also {}", list(&outcome.also))
            },
            if outcome.hints.is_empty() {
                String::new()
            } else {
                format!("; hints to the correct one: {}", list(&outcome.hints))
            },
        );
        match (&outcome.wrong, &pair.known_miss) {
            (Verdict::Found | Verdict::Missed, _) if pair.sometimes.is_some() => misses += 1,
            (Verdict::Found, None) => found += 1,
            (Verdict::Found, Some(_)) => {
                found += 1;
                problems.push(format!("{name}: is found now; remove its known-miss line"));
            }
            (Verdict::Broken(problem), _) => problems.push(format!("{name}: {problem}")),
            (_, Some(_)) => misses += 1,
            (Verdict::OtherSeverity(severity), None) => problems.push(format!(
                "{name}: reported as {severity} instead of {}",
                pair.severity
            )),
            (_, None) => problems.push(format!(
                "{name}: {} is not reported, but {:?}: {}",
                pair.rules.join(" or "),
                outcome.also,
                pair.mistake
            )),
        }
        match (silent, &pair.known_alarm) {
            (true, None) => {}
            (true, Some(_)) => {
                problems.push(format!(
                    "{name}: is silent now; remove its known-alarm line"
                ));
            }
            (false, known) => {
                alarms += 1;
                if known.is_none() {
                    problems.extend(outcome.alarms.iter().map(|line| format!("{name}: {line}")));
                }
            }
        }
    }
    println!(
        "corpus: {count} wrong programs, {found} found, {misses} known misses; {count} correct programs, {alarms} false alarms",
        count = outcomes.len()
    );
    problems
}
