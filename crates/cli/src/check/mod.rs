//! `millpond check`: runs a program with the checker inside, or judges a record file; then summary,
//! report and exit status.
//!
//! - `arguments`: what may be asked for; `faults`: which calls are to fail. `rules`: lists and pages of rules.
//! - `child`: the program, from its start to its end. `signals`: what is handed on to it. `left`: what it leaves running.
//! - `channel`: how its processes are heard. `findings`: what they said. `from`: a record file instead of a program.
//! - `schedules`: many runs. `report`: where everything goes.
//!
//! What must always hold: a check that could not check, lost a finding or could not say what it found does not exit
//! with 0. Whatever was lost is in the report's list of losses (`millpond_report::Lost`), and `status` is the only place
//! that makes an exit status of it.

mod arguments;
mod channel;
mod child;
mod faults;
mod findings;
mod from;
mod left;
mod report;
mod rules;
mod schedules;
mod signals;

use std::path::Path;
use std::process::ExitCode;

use millpond_report::{Lost, LostKind, Report, Run, Suppressions};

pub(crate) use arguments::Check;
use channel::{Channel, Heard};
use child::Ended;
use left::Left;
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
    heard: Heard,
    /// Processes that were still there when the time was over.
    left: Vec<Left>,
}

impl Check {
    /// Checks, and says with which status this process ends.
    pub(crate) fn start(&self) -> ExitCode {
        match self.carry_out() {
            Ok(code) => code,
            Err(refusal) => refusal.told(),
        }
    }

    fn carry_out(&self) -> Result<ExitCode, Refusal> {
        if self.wants_list() {
            return rules::list();
        }
        if let Some(rule) = &self.explain {
            return rules::explain(rule);
        }
        if self.program.is_empty() && self.from.is_none() {
            return Err(wrong(
                "no program was given",
                "millpond check [OPTIONS] -- PROGRAM [ARGS]...",
            ));
        }
        let chosen = self.chosen_rules()?;
        let output = Output::prepare(self)?;
        let mut report = Report::new(self.subject(), self.suppressions()?);
        report.rules = rules::looked_for(&chosen, self.wants_leaks());
        if let Some(file) = &self.from {
            from::judge(file, &chosen, self.wants_leaks(), &mut report)?;
            output.records(&report)?;
            return Ok(ExitCode::from(status(&report, Ended::Exited(0))));
        }
        let ended = if let Some(count) = self.schedules {
            schedules::run_all(self, count, &output, &mut report)?
        } else {
            let once = self.run_once(None, &output, &[])?;
            self.merge(once, &mut report)
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

    /// Puts one run into the report.
    fn merge(&self, once: Once, report: &mut Report) -> Ended {
        let Once { ended, heard, left } = once;
        findings::merge(heard, ended, self.allow_unused, report);
        if !left.is_empty() {
            let were = if left.len() == 1 {
                "process was"
            } else {
                "processes were"
            };
            let what = format!(
                "{} {were} still running when the check ended: {}",
                left.len(),
                left::names(&left)
            );
            if self.wait.is_zero() {
                report.notes.push(what);
            } else {
                let what = format!("{what}; --wait SECONDS waits longer, --wait 0 ignores them");
                report.lost.push(Lost::new(LostKind::StillRunning, what));
            }
        }
        ended
    }

    /// Runs the program once, and reads what its processes left behind.
    fn run_once(
        &self,
        seed: Option<u64>,
        output: &Output,
        known: &[Left],
    ) -> Result<Once, Refusal> {
        let mut channel = Channel::new()?;
        let variables = self.variables(&mut channel, seed)?;
        let ended = child::run(&self.program, variables, output.takes_stdout())?;
        let left = left::wait_for_all(self.wait, known);
        let heard = channel.read();
        Ok(Once { ended, heard, left })
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

/// Findings decide, then losses, then the program. What could not be said was lost whatever it was.
fn status(report: &Report, ended: Ended) -> u8 {
    if say::unheard() {
        INCOMPLETE
    } else if report.fails() {
        FINDINGS
    } else if !report.losses().is_empty() {
        INCOMPLETE
    } else {
        ended.code()
    }
}

/// Whether there is something in a record file, or in one of those that `%p` stands for.
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

/// The check itself could not be done.
fn failed(what: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal {
        code: NO_LIBRARY,
        ..wrong(what, hint)
    }
}

/// How one run of several went, as reports tell it.
fn run(schedule: String, findings: u64, ended: Ended) -> Run {
    Run {
        schedule,
        findings,
        ended: ended.to_string(),
    }
}
