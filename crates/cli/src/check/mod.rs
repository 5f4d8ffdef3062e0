//! `millpond check`: runs a program with the checker inside, or judges a record file; then summary,
//! report and exit status.
//!
//! - `arguments`: what may be asked for; `faults`: which calls are to fail. `rules`: lists and pages of rules.
//! - `child`: the program, from its start to its end. `signals`: what is handed on to it.
//! - `findings`: what its processes left behind. `from`: a record file instead of a program.
//! - `schedules`: many runs. `report`: where everything goes.

mod arguments;
mod child;
mod faults;
mod findings;
mod from;
mod report;
mod rules;
mod schedules;
mod scratch;
mod signals;

use std::process::ExitCode;

use millpond_report::{Report, Run, Suppressions};

pub(crate) use arguments::Check;
use child::Ended;
use report::Output;
use scratch::Scratch;

use crate::program::{NO_LIBRARY, Refusal};

/// Wrong arguments, as for every other command.
const WRONG_ARGUMENTS: u8 = 2;

/// There are findings.
const FINDINGS: u8 = 1;

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
            rules::list();
            return Ok(ExitCode::SUCCESS);
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
            return Ok(finish(&report, Ended::Exited(0)));
        }
        let ended = if let Some(count) = self.schedules {
            schedules::run_all(self, count, &output, &mut report)?
        } else {
            let (ended, processes) = self.run_once(None, &output)?;
            findings::merge(processes, ended, &mut report);
            ended
        };
        if let Some(file) = self.record.as_deref().filter(|file| !file.exists()) {
            report
                .notes
                .push(format!("no records were written to {}", file.display()));
        }
        output.finished(&report)?;
        Ok(finish(&report, ended))
    }

    /// Runs the program once, and reads what its processes left behind.
    fn run_once(
        &self,
        seed: Option<u64>,
        output: &Output,
    ) -> Result<(Ended, Vec<findings::Process>), Refusal> {
        let scratch = Scratch::new()?;
        let variables = self.variables(&scratch, seed)?;
        let ended = child::run(&self.program, variables, output.takes_stdout())?;
        Ok((ended, findings::read(scratch.folder())))
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

/// Findings decide; without any it is the program that does.
fn finish(report: &Report, ended: Ended) -> ExitCode {
    ExitCode::from(if report.fails() {
        FINDINGS
    } else {
        ended.code()
    })
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
