//! The arguments, and the variables that pass them to the library.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use millpond_report::{ReportFormat, known_rule};

use super::channel::Channel;
use super::faults::fault;
use super::wrong;
use crate::program::Refusal;
use crate::settings::{Machine, absolute};

/// Arguments of `millpond check`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "millpond check [OPTIONS] -- PROGRAM [ARGS]...\n       \
                            millpond check [OPTIONS] --from FILE...\n       \
                            millpond check --rules list\n       \
                            millpond check --explain RULE"
)]
#[command(after_help = "\
Findings are printed to stderr as they happen, a summary at the end. docs/check.md is the guide.

Exit code: 1 if there are findings (hints do not count); 125 if the check is incomplete (something was
lost, nothing was checked, the report cannot be written, Millpond's library is missing); otherwise the
program's own, or 128 and the number of the signal that killed it. 127 program not found, 126 found but not
executable, 2 wrong arguments.")]
pub(crate) struct Check {
    #[command(flatten)]
    pub(super) machine: Machine,

    #[arg(long, value_name = "N", conflicts_with_all = ["schedule", "record", "from"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    #[arg(help = "Run the program with the seeds 1 to N and report the smallest that fails")]
    pub(super) schedules: Option<u64>,

    #[arg(long, value_enum)]
    #[arg(help = "Format of the report; by default taken from the file name after -o, else text")]
    pub(super) format: Option<Format>,

    #[arg(short, long, value_name = "FILE")]
    #[arg(
        help = "Write the report to this file; may be repeated, for several formats. Without it, formats other than text go to stdout \
                  when the program has exited, and the program's own output goes to stderr"
    )]
    pub(super) output: Vec<PathBuf>,

    #[arg(long, value_name = "FILE")]
    #[arg(
        help = "Suppress the findings that this file describes; may be repeated \
                  [MILLPOND_CHECK_SUPPRESSIONS]"
    )]
    pub(super) suppressions: Vec<PathBuf>,

    #[arg(long, value_name = "LIST")]
    #[arg(
        help = "Check only these rules, such as stream.race,memory.*; 'list' prints all \
                  [MILLPOND_CHECK_RULES]"
    )]
    pub(super) rules: Option<String>,

    #[arg(long, value_name = "RULE", exclusive = true)]
    #[arg(help = "Print the page of a rule")]
    pub(super) explain: Option<String>,

    #[arg(
        long = "leak-check",
        value_enum,
        value_name = "yes|no",
        hide_possible_values = true
    )]
    #[arg(
        help = "Whether to report leaks at aclrtResetDevice and aclFinalize, yes by default [MILLPOND_CHECK_LEAKS]"
    )]
    pub(super) leaks: Option<YesNo>,

    #[arg(
        long = "pinned-access",
        value_enum,
        value_name = "yes|no",
        hide_possible_values = true
    )]
    #[arg(
        help = "Whether to report code that accesses pinned memory while a queued copy uses it, yes by default \
                  [MILLPOND_CHECK_PINNED]"
    )]
    pub(super) pinned: Option<YesNo>,

    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=64))]
    #[arg(
        help = "Frames of each call stack, 8 by default; 0 is fastest and keeps only the caller \
                  [MILLPOND_CHECK_STACKS]"
    )]
    pub(super) stacks: Option<u16>,

    #[arg(long, value_name = "SPEC", value_parser = fault)]
    #[arg(
        help = "Make a call fail: aclrtMalloc:nth=3:code=207001; may be repeated \
                  [MILLPOND_FAULT]"
    )]
    pub(super) fault: Vec<String>,

    #[arg(long, conflicts_with = "from")]
    #[arg(help = "Accept a program that never uses Millpond's library")]
    pub(super) allow_unused: bool,

    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "30")]
    #[arg(
        help = "How long to wait for processes that the program leaves running; 0 means not at all"
    )]
    pub(super) wait: Duration,

    #[arg(long, value_name = "FILE")]
    #[arg(help = "Write every record to this file, for --from [MILLPOND_RECORD]")]
    pub(super) record: Option<PathBuf>,

    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["program", "record", "fault", "stacks", "pinned"])]
    #[arg(
        help = "Judge record files instead of running a program. Several are the ranks of one job and are judged \
                  together; a folder stands for the record files in it"
    )]
    pub(super) from: Vec<PathBuf>,

    #[arg(
        long,
        value_enum,
        alias = "color",
        value_name = "WHEN",
        default_value = "auto"
    )]
    #[arg(help = "When to use colours [MILLPOND_CHECK_COLOUR]")]
    pub(super) colour: When,

    /// The program and its arguments
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    pub(super) program: Vec<OsString>,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    Sarif,
    Junit,
    Html,
}

impl From<Format> for ReportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
            Format::Sarif => Self::Sarif,
            Format::Junit => Self::Junit,
            Format::Html => Self::Html,
        }
    }
}

/// A choice of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum YesNo {
    Yes,
    No,
}

/// When text has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

impl Check {
    pub(super) fn wants_list(&self) -> bool {
        self.rules.as_deref() == Some("list") && self.program.is_empty()
    }

    /// The rules to check, empty for all. An unknown rule is an error.
    pub(super) fn chosen_rules(&self) -> Result<Vec<String>, Refusal> {
        let list = self
            .rules
            .clone()
            .or_else(|| variable("MILLPOND_CHECK_RULES"));
        let Some(list) = list else {
            return Ok(Vec::new());
        };
        let mut chosen = Vec::new();
        for word in list.split(',').map(str::trim) {
            if word.is_empty() {
                continue;
            }
            known_rule(word)
                .map_err(|what| wrong(what, "millpond check --rules list prints all rules"))?;
            if word == "*" {
                return Ok(Vec::new());
            }
            chosen.push(word.to_owned());
        }
        if chosen.is_empty() {
            return Err(wrong(
                "the rule list is empty",
                "omit --rules to check all rules",
            ));
        }
        Ok(chosen)
    }

    pub(super) fn wants_leaks(&self) -> bool {
        match self.leaks {
            Some(answer) => answer == YesNo::Yes,
            None => !matches!(
                variable("MILLPOND_CHECK_LEAKS").as_deref(),
                Some("no" | "0")
            ),
        }
    }

    /// The name of what is checked, for the report.
    pub(super) fn subject(&self) -> String {
        match self.from.as_slice() {
            [] => shell_words(&self.program),
            [file] => file.display().to_string(),
            [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
        }
    }

    pub(super) fn suppression_files(&self) -> Vec<PathBuf> {
        if !self.suppressions.is_empty() {
            return self.suppressions.clone();
        }
        let file = variable("MILLPOND_CHECK_SUPPRESSIONS");
        file.map(PathBuf::from).into_iter().collect()
    }

    /// The variables for one run.
    pub(super) fn variables(
        &self,
        channel: &mut Channel,
        seed: Option<u64>,
    ) -> Result<Vec<(&'static str, OsString)>, Refusal> {
        let mut variables = self.machine.variables();
        let mut set = |name, value: OsString| variables.push((name, value));
        set("MILLPOND_CHECK", "1".into());
        set("MILLPOND_CHECK_FINDINGS", channel.findings());
        set("MILLPOND_CHECK_LEDGER", channel.ledger());
        if let Some(seed) = seed {
            set("MILLPOND_SCHEDULE", format!("seed={seed}").into());
            // Findings are printed after each run, and only new ones.
            set("MILLPOND_CHECK_TEXT", "no".into());
        }
        let rules = self.chosen_rules()?.join(",");
        if !rules.is_empty() {
            set("MILLPOND_CHECK_RULES", rules.into());
        }
        let leaks = if self.wants_leaks() { "yes" } else { "no" };
        set("MILLPOND_CHECK_LEAKS", leaks.into());
        match self.pinned {
            None => {}
            Some(YesNo::Yes) => set("MILLPOND_CHECK_PINNED", "yes".into()),
            Some(YesNo::No) => set("MILLPOND_CHECK_PINNED", "no".into()),
        }
        if let Some(stacks) = self.stacks {
            set("MILLPOND_CHECK_STACKS", stacks.to_string().into());
        }
        if !self.fault.is_empty() {
            set("MILLPOND_FAULT", self.fault.join(";").into());
        }
        if let Some(record) = &self.record {
            set("MILLPOND_RECORD", absolute(record).into());
        }
        match self.colour {
            When::Auto => {}
            When::Always => set("MILLPOND_CHECK_COLOUR", "always".into()),
            When::Never => set("MILLPOND_CHECK_COLOUR", "never".into()),
        }
        match self.suppression_files().as_slice() {
            [] => {}
            [one] => set("MILLPOND_CHECK_SUPPRESSIONS", absolute(one).into()),
            // Blocks are independent, so files can be concatenated.
            several => set("MILLPOND_CHECK_SUPPRESSIONS", channel.joined(several)?),
        }
        Ok(variables)
    }

    /// The command line that repeats a run with one seed.
    pub(super) fn again(&self, seed: u64) -> String {
        let mut words: Vec<OsString> = vec!["millpond".into(), "check".into()];
        words.push("--schedule".into());
        words.push(format!("seed={seed}").into());
        for (variable, value) in self.machine.variables() {
            let option = match variable {
                "MILLPOND_PROFILE" => "--profile",
                "MILLPOND_DEVICES" => "--devices",
                "MILLPOND_CAPACITY" => "--capacity",
                _ => continue,
            };
            words.push(option.into());
            words.push(value);
        }
        for (option, values) in [
            ("--rules", self.rules.iter().map(OsString::from).collect()),
            ("--fault", self.fault.iter().map(OsString::from).collect()),
            (
                "--suppressions",
                self.suppressions
                    .iter()
                    .map(OsString::from)
                    .collect::<Vec<_>>(),
            ),
        ] {
            for value in values {
                words.push(option.into());
                words.push(value);
            }
        }
        if self.leaks == Some(YesNo::No) {
            words.push("--leak-check".into());
            words.push("no".into());
        }
        if self.pinned == Some(YesNo::No) {
            words.push("--pinned-access".into());
            words.push("no".into());
        }
        if let Some(stacks) = self.stacks {
            words.push("--stacks".into());
            words.push(stacks.to_string().into());
        }
        if self.allow_unused {
            words.push("--allow-unused".into());
        }
        words.push("--".into());
        words.extend(self.program.iter().cloned());
        shell_words(&words)
    }
}

/// A duration in seconds, possibly with a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| *time <= Duration::from_secs(1_000_000_000))
        .ok_or_else(|| "expected a number of seconds, such as 30 or 0.5".to_owned())
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Words quoted for a shell.
fn shell_words(words: &[OsString]) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|word| {
            let word = word.to_string_lossy();
            let plain = |c: char| c.is_ascii_alphanumeric() || "/-._=:,+@%".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                word.into_owned()
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_report::Suppressions;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        let words: Vec<OsString> = ["./a", "b c", "it's", "", "x=1"]
            .iter()
            .map(OsString::from)
            .collect();
        assert_eq!(shell_words(&words), "./a 'b c' 'it'\\''s' '' x=1");
    }

    #[test]
    fn suppression_files_can_be_concatenated() {
        let one = "[stream.*]\nreason = a";
        let joined = format!("{one}\n{one}\n");
        assert!(Suppressions::parse(&joined, "joined").is_ok());
    }
}
