//! `millpond oracle compare`: where a file of answers differs from ours.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use millpond_oracle::{Comparison, File, OURS, Verdict, compare};

use crate::say::say;

/// Arguments of `millpond oracle`.
#[derive(Debug, clap::Args)]
pub(crate) struct Oracle {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show where a file of oracle/run.py differs from Millpond's answers
    #[command(after_help = "\
Exit code: 0 if no answer differs, 1 if one does, 2 if a file cannot be read.
How to make a file on a machine with an NPU: docs/oracle.md")]
    Compare(Compare),
}

/// Arguments of `millpond oracle compare`.
#[derive(Debug, clap::Args)]
struct Compare {
    /// The file of answers
    file: PathBuf,

    /// Compare with this file instead of Millpond's own answers
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,

    /// Also list questions that were not answered, and those that only one file has
    #[arg(long)]
    all: bool,
}

impl Oracle {
    pub(crate) fn start(&self) -> ExitCode {
        let Command::Compare(wanted) = &self.command;
        match wanted.show() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(message) => {
                say!("millpond oracle: {message}\n");
                ExitCode::from(2)
            }
        }
    }
}

impl Compare {
    /// Prints the comparison. Returns whether nothing differs.
    fn show(&self) -> Result<bool, String> {
        let theirs = read(&self.file)?;
        let ours = match &self.with {
            Some(path) => read(path)?,
            None => File::read(OURS)?,
        };
        let comparisons = compare(&ours, &theirs);
        let mut out = BufWriter::new(io::stdout().lock());
        match self.write(&theirs, &comparisons, &mut out) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Err(error) => return Err(error.to_string()),
        }
        Ok(count(&comparisons, |verdict| {
            matches!(verdict, Verdict::Differs(_))
        }) == 0)
    }

    fn write(
        &self,
        theirs: &File,
        comparisons: &[Comparison<'_>],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let about = &theirs.about;
        writeln!(
            out,
            "{}: {}, CANN {}, {}",
            self.file.display(),
            about.soc,
            about.cann,
            about.machine
        )?;
        for comparison in comparisons {
            let question = comparison.question;
            match &comparison.verdict {
                Verdict::Differs(differences) => {
                    writeln!(
                        out,
                        "\n{}  ({})",
                        question.id,
                        question.functions.join(", ")
                    )?;
                    writeln!(out, "  {}", question.asks)?;
                    for difference in differences {
                        let say = |value: &Option<String>| value.clone().unwrap_or("-".to_owned());
                        writeln!(
                            out,
                            "  {}: Millpond {}, this file {}",
                            difference.fact,
                            say(&difference.ours),
                            say(&difference.theirs)
                        )?;
                    }
                    for note in &question.notes {
                        writeln!(out, "  {note}")?;
                    }
                }
                Verdict::NotAnswered if self.all => {
                    writeln!(out, "\n{}: not answered: {}", question.id, question.text())?;
                }
                Verdict::NotAsked if self.all => {
                    writeln!(out, "\n{}: in one of the files only", question.id)?;
                }
                Verdict::Agrees | Verdict::NotAnswered | Verdict::NotAsked => {}
            }
        }
        let of = |wanted: fn(&Verdict) -> bool| count(comparisons, wanted);
        writeln!(
            out,
            "\n{} questions: {} agree, {} differ, {} not answered, {} in one file only",
            comparisons.len(),
            of(|verdict| matches!(verdict, Verdict::Agrees)),
            of(|verdict| matches!(verdict, Verdict::Differs(_))),
            of(|verdict| matches!(verdict, Verdict::NotAnswered)),
            of(|verdict| matches!(verdict, Verdict::NotAsked)),
        )?;
        out.flush()
    }
}

fn count(comparisons: &[Comparison<'_>], wanted: impl Fn(&Verdict) -> bool) -> usize {
    comparisons
        .iter()
        .filter(|comparison| wanted(&comparison.verdict))
        .count()
}

fn read(path: &Path) -> Result<File, String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    File::read(&text).map_err(|error| format!("{name}: {error}"))
}
