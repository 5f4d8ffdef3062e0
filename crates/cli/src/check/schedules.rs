//! Many runs, each with its own seed.

use std::collections::HashSet;

use millpond_report::{Lost, LostKind, Report};
use millpond_trace::count as counted;

use super::arguments::Check;
use super::child::{Ended, signal_name};
use super::orphans::Orphan;
use super::report::Output;
use super::{run, signals};
use crate::program::Refusal;
use crate::say::say;

/// Runs the program with the seeds from 1, prints the result of each run, and notes the smallest seed that failed.
/// Returns how the first bad run ended.
pub(super) fn run_all(
    check: &Check,
    count: u64,
    output: &Output,
    report: &mut Report,
) -> Result<Ended, Refusal> {
    let mut smallest = None;
    let mut worst = Ended::Exited(0);
    let mut noted = HashSet::new();
    let mut abandoned: Vec<Orphan> = Vec::new();
    for seed in 1..=count {
        let once = check.run_once(Some(seed), output, &abandoned)?;
        abandoned.extend(once.orphans.iter().cloned());
        // A separate report, so that findings of earlier seeds count here too.
        let mut single = Report::new("", report.suppressions().clone());
        let (known, notes, lost) = (report.findings.len(), report.notes.len(), report.lost.len());
        for process in &once.received.processes {
            for finding in process.findings() {
                single.add(finding.clone());
            }
        }
        let (ended, _) = check.merge(once, report);
        // Each note appears once, whatever the number of runs.
        for note in report.notes.split_off(notes) {
            if noted.insert(without_numbers(&note)) {
                report.notes.push(format!("seed={seed}: {note}"));
            }
        }
        for loss in report.lost.split_off(lost) {
            if noted.insert(without_numbers(&loss.what)) {
                let what = format!("seed={seed}: {}", loss.what);
                report.lost.push(Lost::new(loss.kind, what));
            }
        }
        output.findings(&report.findings[known..]);

        let found = single
            .findings
            .iter()
            .filter(|finding| finding.counts())
            .count();
        let verdict = match (found, ended) {
            (0, Ended::Exited(0)) => "no findings".to_owned(),
            (0, ended) => format!("no findings, {ended}"),
            (found, ended) => format!("{}, {ended}", counted(found as u64, "finding")),
        };
        say!("millpond check: seed={seed}: {verdict}\n");
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
        if seed < count
            && let Some(why) = stopped(ended)
        {
            report.lost.push(Lost::new(
                LostKind::Stopped,
                format!("stopped after {seed} of {count} seeds by {why}"),
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

/// The signal that ends the series: one that this process received, or an interrupt that killed the program.
fn stopped(ended: Ended) -> Option<String> {
    let program = (ended == Ended::Killed(libc::SIGINT)).then_some(libc::SIGINT);
    let signal = signals::ending().or(program)?;
    Some(match signal_name(signal) {
        "" => format!("signal {signal}"),
        name => format!("signal {signal} ({name})"),
    })
}

/// A note without the process id, which differs from run to run.
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
    fn notes_that_differ_in_the_process_id_are_one() {
        let note = |pid| without_numbers(&format!("process {pid} (./a) did not exit cleanly"));
        assert_eq!(note(7), note(4711));
        let killed =
            |signal| without_numbers(&format!("the program was killed by signal {signal}"));
        assert_ne!(killed(9), killed(11));
    }
}
