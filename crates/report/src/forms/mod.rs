//! The report as a file: for people, programs, services that collect results, and browsers.

mod escape;
mod html;
mod json;
mod junit;
mod sarif;

use std::io::{self, Write};

use crate::report::Report;
use crate::text::Style;

/// The version that reports name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// Every finding on a screen, and the summary.
    Text,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// `JUnit` XML.
    Junit,
    /// One HTML page.
    Html,
}

impl Report {
    /// Writes the report. Files below the style's folder are shown relative to it.
    pub fn write(
        &self,
        format: ReportFormat,
        style: &Style,
        mut out: impl Write,
    ) -> io::Result<()> {
        match format {
            ReportFormat::Text => {
                for finding in &self.findings {
                    out.write_all(finding.text(style).as_bytes())?;
                }
                out.write_all(self.summary(style).as_bytes())
            }
            ReportFormat::Json => self.write_json(out),
            ReportFormat::Sarif => self.write_sarif(out, style),
            ReportFormat::Junit => out.write_all(self.junit(style).as_bytes()),
            ReportFormat::Html => out.write_all(self.html(style).as_bytes()),
        }
    }
}

/// The page of a rule, as a path in the project.
fn page(rule: &str) -> String {
    format!("docs/rules/{rule}.md")
}
