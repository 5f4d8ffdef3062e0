//! Where everything goes: text to people, the report to a file or to stdout.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use millpond_report::{Colour, Report, Style, Told};

use super::arguments::{Check, Format, When};
use super::failed;
use crate::program::Refusal;
use crate::say::{self, say};

/// Where the report goes, and how it looks.
#[derive(Debug)]
pub(super) struct Output {
    format: Format,
    file: Option<PathBuf>,
    colour: Colour,
}

impl Output {
    /// Finds out whether the file can be written before a program runs for hours.
    pub(super) fn prepare(check: &Check) -> Result<Self, Refusal> {
        let file = check.output.clone();
        if let Some(file) = &file {
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(file)
                .map_err(|error| unwritable(file, &error))?;
        }
        let format = check
            .format
            .or_else(|| by_name(file.as_deref()?))
            .unwrap_or(Format::Text);
        Ok(Self {
            format,
            file,
            colour: match check.colour {
                When::Auto => Colour::Auto,
                When::Always => Colour::Always,
                When::Never => Colour::Never,
            },
        })
    }

    /// Whether stdout is for the report alone.
    pub(super) fn takes_stdout(&self) -> bool {
        self.file.is_none() && self.format != Format::Text
    }

    /// Findings that nobody has printed yet, to stderr.
    pub(super) fn findings<'a>(&self, findings: impl IntoIterator<Item = &'a Told>) {
        let style = Style::of_environment(self.colour, io::stderr().is_terminal());
        for told in findings {
            say!("{}", told.text(&style));
        }
    }

    /// A program has ended, which printed its findings itself.
    pub(super) fn finished(&self, report: &Report) -> Result<(), Refusal> {
        let written = self.write(report);
        let style = Style::of_environment(self.colour, io::stderr().is_terminal());
        say!("{}", report.summary(&style));
        written?;
        self.say_where();
        Ok(())
    }

    /// A record file was judged: the text is what was asked for, so it goes to stdout.
    pub(super) fn records(&self, report: &Report) -> Result<(), Refusal> {
        if self.format != Format::Text || self.file.is_some() {
            return self.finished(report);
        }
        let style = Style::of_environment(self.colour, io::stdout().is_terminal());
        to_stdout(&whole_text(report, &style))
    }

    fn say_where(&self) {
        if let Some(file) = &self.file {
            say!("  report: {}\n", file.display());
        }
    }

    fn write(&self, report: &Report) -> Result<(), Refusal> {
        if self.file.is_none() && self.format == Format::Text {
            return Ok(());
        }
        let text = self.text(report);
        if let Some(file) = &self.file {
            return fs::write(file, text).map_err(|error| unwritable(file, &error));
        }
        to_stdout(&text)
    }

    fn text(&self, report: &Report) -> String {
        let style = Style {
            folder: std::env::current_dir().ok(),
            ..Style::plain()
        };
        match self.format {
            Format::Text => whole_text(report, &style),
            Format::Json => report.json(),
            Format::Sarif => report.sarif(&style),
            Format::Junit => report.junit(&style),
            Format::Html => report.html(&style),
        }
    }
}

/// All findings and the summary.
fn whole_text(report: &Report, style: &Style) -> String {
    let mut text = String::new();
    for told in &report.findings {
        text.push_str(&told.text(style));
    }
    text.push_str(&report.summary(style));
    text
}

/// The report to stdout. A reader that has gone away did not get it either.
fn to_stdout(text: &str) -> Result<(), Refusal> {
    say::to_stdout(text).map_err(|error| {
        failed(
            format!("the report cannot be written to stdout: {error}"),
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
        format!(
            "the report cannot be written to {}: {error}",
            file.display()
        ),
        "give another file with -o",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_says_its_form() {
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
