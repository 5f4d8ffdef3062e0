//! `millpond check`: runs a program with the checker inside, or judges a record file; then prints the summary, writes
//! the report and sets the exit status.
//!
//! - `arguments`: the arguments; `faults`: the value of `--fault`. `rules`: lists and pages of rules.
//! - `child`: the program, from start to exit. `signals`: which signals it gets. `orphans`: processes that it leaves running.
//! - `channel`: how its processes report. `findings`: reads that. `from`: record files instead of a program; `job`: those of many ranks.
//! - `cuda`: records of PyTorch on CUDA.
//! - `schedules`: many runs. `report`: output.
//!
//! Invariant: a check that could not check, lost a finding or could not print its findings does not exit with 0. Whatever
//! was lost is in the report's list of losses (`millpond_report::Lost`), and only `status` turns that into an exit
//! status.

mod arguments;
mod channel;
mod child;
mod cuda;
mod faults;
mod findings;
mod from;
mod job;
mod orphans;
mod report;
mod rules;
mod schedules;
mod signals;

use std::path::Path;
use std::process::ExitCode;

use millpond_report::{Lost, LostKind, Report, Run, Suppressions};
use millpond_trace::{count, was_or_were};

pub(crate) use arguments::Check;
use channel::{Channel, Received};
use child::Ended;
use orphans::Orphan;
use report::Output;

use crate::program::{NO_LIBRARY, Refusal};
use crate::say;

/// Wrong arguments, as for every other command.
const WRONG_ARGUMENTS: u8 = 2;

/// There are findings.
const FINDINGS: u8 = 1;

/// The check is incomplete, or could not be done at all.
const INCOMPLETE: u8 = NO_LIBRARY;

/// One run of the program.
#[derive(Debug)]
struct Once {
    ended: Ended,
    received: Received,
    /// Processes that were still running after the wait.
    orphans: Vec<Orphan>,
    /// What its processes did on CUDA.
    cuda: cuda::Folder,
}

impl Check {
    /// Runs the check and returns the exit status of this process.
    pub(crate) fn start(&self) -> ExitCode {
        match self.carry_out() {
            Ok(code) => code,
            Err(refusal) => refusal.report(),
        }
    }

    fn carry_out(&self) -> Result<ExitCode, Refusal> {
        if self.wants_list() {
            return rules::list();
        }
        if let Some(rule) = &self.explain {
            return rules::explain(rule);
        }
        if self.program.is_empty() && self.from.is_empty() {
            return Err(wrong(
                "missing program",
                "millpond check [OPTIONS] -- PROGRAM [ARGS]...",
            ));
        }
        let chosen = self.chosen_rules()?;
        let output = Output::prepare(self)?;
        let mut report = Report::new(self.subject(), self.suppressions()?);
        report.rules = rules::looked_for(&chosen, self.wants_leaks());
        if !self.from.is_empty() {
            from::judge(&self.from, &chosen, self.wants_leaks(), &mut report)?;
            output.records(&report)?;
            return Ok(ExitCode::from(status(&report, Ended::Exited(0))));
        }
        let ended = if let Some(seeds) = self.schedules {
            schedules::run_all(self, seeds, &output, &mut report)?
        } else {
            let once = self.run_once(None, &output, &[])?;
            let (ended, judged) = self.merge(once, &mut report);
            // Processes have printed their own findings.
            output.findings(&report.findings[..judged]);
            ended
        };
        if let Some(file) = &self.record
            && !report.nothing_checked
            && !records_in(file)
        {
            report.lost.push(Lost::new(
                LostKind::RecordsUnwritten,
                format!("no records were written to {}", file.display()),
            ));
        }
        output.finished(&report)?;
        Ok(ExitCode::from(status(&report, ended)))
    }

    /// Adds one run to the report. Returns also up to where its findings are those that were judged here.
    fn merge(&self, once: Once, report: &mut Report) -> (Ended, usize) {
        let Once {
            ended,
            received,
            orphans,
            cuda,
        } = once;
        // The rules were read before the run.
        let rules = self.chosen_rules().unwrap_or_default();
        let seen = cuda.judge(&rules, report) > 0;
        let judged = report.findings.len();
        findings::merge(received, ended, self.allow_unused || seen, report);
        if !orphans.is_empty() {
            let number = orphans.len() as u64;
            let what = format!(
                "{} {} still running when the check ended: {}",
                count(number, "process"),
                was_or_were(number),
                orphans::names(&orphans)
            );
            if self.wait.is_zero() {
                report.notes.push(what);
            } else {
                let what = format!("{what}; --wait SECONDS waits longer, --wait 0 ignores them");
                report.lost.push(Lost::new(LostKind::StillRunning, what));
            }
        }
        (ended, judged)
    }

    /// Runs the program once and reads what its processes reported.
    fn run_once(
        &self,
        seed: Option<u64>,
        output: &Output,
        known: &[Orphan],
    ) -> Result<Once, Refusal> {
        let mut channel = Channel::new()?;
        let cuda = cuda::Folder::new();
        let mut variables = self.variables(&mut channel, seed)?;
        variables.push(("MILLPOND_CHECK_CUDA", cuda.file()));
        let ended = child::run(&self.program, variables, output.takes_stdout())?;
        let orphans = orphans::wait_for_all(self.wait, known);
        let received = channel.read();
        Ok(Once {
            ended,
            received,
            orphans,
            cuda,
        })
    }

    fn suppressions(&self) -> Result<Suppressions, Refusal> {
        let mut all = Suppressions::default();
        for file in self.suppression_files() {
            let read = Suppressions::read(&file).map_err(|error| {
                wrong(
                    error.to_string(),
                    "docs/suppressions.md describes the format",
                )
            })?;
            all.extend(read);
        }
        Ok(all)
    }
}

/// The exit status: findings first, then losses, then the program's own. If stderr could not be written, the check is
/// incomplete in any case.
fn status(report: &Report, ended: Ended) -> u8 {
    if say::write_failed() {
        INCOMPLETE
    } else if report.fails() {
        FINDINGS
    } else if !report.losses().is_empty() {
        INCOMPLETE
    } else {
        ended.code()
    }
}

/// Whether a record file has content. A name with `%p` stands for several files and is not examined.
fn records_in(file: &Path) -> bool {
    file.to_string_lossy().contains("%p")
        || file
            .metadata()
            .is_ok_and(|data| data.len() > 0 || !data.is_file())
}

fn wrong(what: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal {
        code: WRONG_ARGUMENTS,
        what: what.into(),
        hint: hint.into(),
    }
}

/// The check itself failed.
fn failed(what: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal {
        code: NO_LIBRARY,
        ..wrong(what, hint)
    }
}

/// One run of several, for the report.
fn run(schedule: String, findings: u64, ended: Ended) -> Run {
    Run {
        schedule,
        findings,
        exit: ended.to_string(),
    }
}
