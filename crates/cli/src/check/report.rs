//! Output: findings and the summary to stderr, the report to a file or to stdout.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use millpond_report::{Colour, Report, ReportFormat, ResolvedFinding, Style};

use super::arguments::{Check, Format, When};
use super::failed;
use crate::program::Refusal;
use crate::say::{self, say};

/// Where the report goes, and how it looks.
#[derive(Debug)]
pub(super) struct Output {
    /// What goes to stdout, if no file is named.
    format: Format,
    files: Vec<(PathBuf, Format)>,
    colour: Colour,
}

impl Output {
    /// Opens the files now, so that an error appears before a program runs for hours.
    pub(super) fn prepare(check: &Check) -> Result<Self, Refusal> {
        let mut files = Vec::new();
        for file in &check.output {
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(file)
                .map_err(|error| unwritable(file, &error))?;
            let format = check.format.or_else(|| by_name(file));
            files.push((file.clone(), format.unwrap_or(Format::Text)));
        }
        Ok(Self {
            format: check.format.unwrap_or(Format::Text),
            files,
            colour: match check.colour {
                When::Auto => Colour::Auto,
                When::Always => Colour::Always,
                When::Never => Colour::Never,
            },
        })
    }

    /// Whether the report goes to stdout, so that nothing else may.
    pub(super) fn takes_stdout(&self) -> bool {
        self.files.is_empty() && self.format != Format::Text
    }

    /// Prints findings that no process has printed to stderr.
    pub(super) fn findings<'a>(&self, findings: impl IntoIterator<Item = &'a ResolvedFinding>) {
        let style = Style::of_environment(self.colour, io::stderr().is_terminal());
        for finding in findings {
            say!("{}", finding.text(&style));
        }
    }

    /// Writes report and summary of a program, which printed its findings itself.
    pub(super) fn finished(&self, report: &Report) -> Result<(), Refusal> {
        let written = self.write(report);
        let style = Style::of_environment(self.colour, io::stderr().is_terminal());
        say!("{}", report.summary(&style));
        written?;
        self.say_where();
        Ok(())
    }

    /// Writes the report of a record file. Its text was asked for, so it goes to stdout.
    pub(super) fn records(&self, report: &Report) -> Result<(), Refusal> {
        if self.format != Format::Text || !self.files.is_empty() {
            return self.finished(report);
        }
        let style = Style::of_environment(self.colour, io::stdout().is_terminal());
        to_stdout(|out| report.write(ReportFormat::Text, &style, out))
    }

    fn say_where(&self) {
        for (file, _) in &self.files {
            say!("  report: {}\n", file.display());
        }
    }

    fn write(&self, report: &Report) -> Result<(), Refusal> {
        if self.files.is_empty() && self.format == Format::Text {
            return Ok(());
        }
        let style = Style {
            folder: std::env::current_dir().ok(),
            ..Style::plain()
        };
        if self.files.is_empty() {
            return to_stdout(|out| report.write(self.format.into(), &style, out));
        }
        for (file, format) in &self.files {
            write_file(file, |out| report.write((*format).into(), &style, out))
                .map_err(|error| unwritable(file, &error))?;
        }
        Ok(())
    }
}

/// Writes a file from its start. The report is written piece by piece: it may be large.
fn write_file(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    write(&mut out)?;
    out.flush()
}

/// Writes the report to stdout. If its reader has gone away, that is an error too.
fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Refusal> {
    say::to_stdout(write).map_err(|error| {
        failed(
            format!("cannot write the report to stdout: {error}"),
            "give a file with -o",
        )
    })
}

fn by_name(file: &Path) -> Option<Format> {
    match file.extension()?.to_str()? {
        "json" => Some(Format::Json),
        "sarif" => Some(Format::Sarif),
        "xml" => Some(Format::Junit),
        "html" | "htm" => Some(Format::Html),
        _ => None,
    }
}

fn unwritable(file: &Path, error: &io::Error) -> Refusal {
    failed(
        format!("cannot write the report to {}: {error}", file.display()),
        "give another file with -o",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_selects_the_format() {
        for (name, format) in [
            ("a.json", Some(Format::Json)),
            ("b.sarif", Some(Format::Sarif)),
            ("c.xml", Some(Format::Junit)),
            ("d.html", Some(Format::Html)),
            ("e.txt", None),
            ("json", None),
        ] {
            assert_eq!(by_name(Path::new(name)), format, "{name}");
        }
    }
}
