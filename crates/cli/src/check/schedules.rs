//! Many runs, each with a seed of its own.

use std::collections::HashSet;

use millpond_report::Report;

use super::arguments::Check;
use super::child::Ended;
use super::report::Output;
use super::{findings, run};
use crate::program::Refusal;

/// Runs the program with the seeds from 1, says how each went, and names the smallest that failed.
/// The answer is how the first run ended that did not end well.
pub(super) fn run_all(
    check: &Check,
    count: u64,
    output: &Output,
    report: &mut Report,
) -> Result<Ended, Refusal> {
    let mut smallest = None;
    let mut worst = Ended::Exited(0);
    let mut said = HashSet::new();
    for seed in 1..=count {
        let (ended, processes) = check.run_once(Some(seed), output)?;
        // A report of its own, so that what was seen under an earlier seed counts here too.
        let mut single = Report::new("", report.suppressions().clone());
        let told = report.findings.len();
        let notes = report.notes.len();
        for process in &processes {
            for finding in process.findings() {
                single.add(finding.clone());
            }
        }
        findings::merge(processes, ended, report);
        // Twenty runs that end alike say so once.
        for note in report.notes.split_off(notes) {
            if said.insert(without_numbers(&note)) {
                report.notes.push(format!("seed={seed}: {note}"));
            }
        }
        output.findings(&report.findings[told..]);

        let found = single.findings.iter().filter(|told| told.counts()).count();
        let verdict = match (found, ended) {
            (0, Ended::Exited(0)) => "no findings".to_owned(),
            (0, ended) => format!("no findings, {ended}"),
            (1, ended) => format!("1 finding, {ended}"),
            (found, ended) => format!("{found} findings, {ended}"),
        };
        eprintln!("millpond check: seed={seed}: {verdict}");
        report
            .runs
            .push(run(format!("seed={seed}"), found as u64, ended));
        let bad_end = ended != Ended::Exited(0);
        if bad_end && worst == Ended::Exited(0) {
            worst = ended;
        }
        if found > 0 || bad_end {
            smallest.get_or_insert(seed);
        }
        if ended == Ended::Killed(libc::SIGINT) {
            report.notes.push(format!(
                "stopped after {seed} of {count} seeds, because the program was interrupted"
            ));
            break;
        }
    }
    if let Some(seed) = smallest {
        report.notes.push(format!(
            "the smallest seed that fails is {seed}; to repeat it: {}",
            check.again(seed)
        ));
    }
    Ok(worst)
}

/// A note without what differs from run to run: the number of the process.
fn without_numbers(note: &str) -> String {
    let Some(rest) = note.strip_prefix("process ") else {
        return note.to_owned();
    };
    rest.trim_start_matches(|c: char| c.is_ascii_digit())
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_end_alike_say_the_same() {
        let note = |pid| without_numbers(&format!("process {pid} (./a) did not come to its end"));
        assert_eq!(note(7), note(4711));
        let killed =
            |signal| without_numbers(&format!("the program was killed by signal {signal}"));
        assert_ne!(killed(9), killed(11));
    }
}
