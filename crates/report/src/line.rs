//! The findings file: one line of JSON for each thing that was to be said, flushed at once.
//!
//! A process begins with `begin`, appends `finding` for each new finding (also for those that a
//! suppression hides: who reads the file decides that again), and `times` and `end` when it ends in
//! order. A process without `end` was killed or still runs. Several processes may append to one file, so each
//! line names its process.

use std::fmt;

use serde_json::Value;

use crate::Told;
use crate::json::Json;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A process has our library, in checking mode.
    Begin {
        /// Its process id.
        pid: u64,
        /// The version of the library.
        version: String,
        /// What it runs, as far as it knows.
        program: String,
    },
    /// A new finding.
    Finding(Box<Told>),
    /// How often each finding happened, in the order in which they were appended.
    Times(Vec<u64>),
    /// The process ended in order.
    End {
        /// Records that were judged.
        records: u64,
        /// The most bytes that the checker's books took.
        books_peak: u64,
        /// Pieces of knowledge that were given up because a bound was reached.
        forgotten: u64,
        /// Blocks that it left without saying that it is done.
        unasked: u64,
    },
}

/// A line as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The process that wrote it: what makes it different from all others. Empty if the file does not say.
    pub process: String,
    /// What it says.
    pub line: Line,
}

impl fmt::Display for Entry {
    /// Without the line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, value) = self.line.field();
        Json::Object(vec![("process", (&self.process).into()), (name, value)]).fmt(f)
    }
}

impl Entry {
    /// Reads one line.
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let value: Value =
            serde_json::from_str(line).map_err(|error| LineError(format!("no JSON: {error}")))?;
        let process = value.get("process").and_then(Value::as_str);
        Ok(Self {
            process: process.unwrap_or_default().to_owned(),
            line: Line::of(&value)?,
        })
    }
}

/// A line that says nothing we know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError(String);

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LineError {}

impl Line {
    /// The one field that it is.
    fn field(&self) -> (&'static str, Json) {
        match self {
            Self::Begin {
                pid,
                version,
                program,
            } => (
                "begin",
                Json::object([
                    ("pid", (*pid).into()),
                    ("version", version.into()),
                    ("program", program.into()),
                ]),
            ),
            Self::Finding(told) => ("finding", told.json()),
            Self::Times(times) => ("times", Json::list(times.iter().copied())),
            Self::End {
                records,
                books_peak,
                forgotten,
                unasked,
            } => (
                "end",
                Json::object([
                    ("records", (*records).into()),
                    ("books_peak", (*books_peak).into()),
                    ("forgotten", (*forgotten).into()),
                    ("unasked", (*unasked).into()),
                ]),
            ),
        }
    }

    fn of(value: &Value) -> Result<Self, LineError> {
        let number = |value: &Value, name| value.get(name).and_then(Value::as_u64).unwrap_or(0);
        let text = |value: &Value, name| {
            let text = value.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        if let Some(finding) = value.get("finding") {
            return Told::parse(finding)
                .map(|told| Self::Finding(Box::new(told)))
                .ok_or_else(|| LineError("a finding without a rule".to_owned()));
        }
        if let Some(begin) = value.get("begin") {
            return Ok(Self::Begin {
                pid: number(begin, "pid"),
                version: text(begin, "version"),
                program: text(begin, "program"),
            });
        }
        if let Some(times) = value.get("times").and_then(Value::as_array) {
            let times = times.iter().map(|times| times.as_u64().unwrap_or(1));
            return Ok(Self::Times(times.collect()));
        }
        if let Some(end) = value.get("end") {
            return Ok(Self::End {
                records: number(end, "records"),
                books_peak: number(end, "books_peak"),
                forgotten: number(end, "forgotten"),
                unasked: number(end, "unasked"),
            });
        }
        Err(LineError(
            "expected one of begin, finding, times and end".to_owned(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn every_line_is_read_back_as_it_was() {
        for line in [
            Line::Begin {
                pid: 42,
                version: "0.1.0".to_owned(),
                program: "a \"b\"\n".to_owned(),
            },
            Line::Finding(Box::new(sample::race())),
            Line::Finding(Box::new(sample::hostile())),
            Line::Finding(Box::new(sample::hint())),
            Line::Times(vec![3, 1, u64::MAX]),
            Line::End {
                records: 7,
                books_peak: 8,
                forgotten: 9,
                unasked: 10,
            },
        ] {
            let entry = Entry {
                process: "42.7".to_owned(),
                line,
            };
            let text = entry.to_string();
            assert!(!text.contains('\n'), "{text}");
            assert_eq!(Entry::parse(&text), Ok(entry), "{text}");
        }
    }

    #[test]
    fn a_line_that_is_cut_or_foreign_is_an_error_and_not_a_crash() {
        let entry = Entry {
            process: String::new(),
            line: Line::Finding(Box::new(sample::race())),
        };
        let whole = entry.to_string();
        for length in (0..whole.len()).filter(|length| whole.is_char_boundary(*length)) {
            assert!(Entry::parse(&whole[..length]).is_err());
        }
        for foreign in [
            "",
            "null",
            "[]",
            "{}",
            "{\"finding\":3}",
            "{\"finding\":{}}",
            "{\"other\":1}",
        ] {
            assert!(Entry::parse(foreign).is_err(), "{foreign}");
        }
    }
}
