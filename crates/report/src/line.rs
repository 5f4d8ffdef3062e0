//! The findings file: one line of JSON for each event, written immediately.
//!
//! A process writes `begin` first, then `finding` for each new finding (suppressed ones too: the reader applies
//! suppressions itself), and `times` and `end` when it exits cleanly. A process without `end` was killed or is still
//! running. Several processes may append to one file, so each line names its process.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{ResolvedFinding, json};

/// What a line says. In JSON it is one field, with the name of the variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// A process has loaded the library in checking mode.
    Begin {
        /// Its process id.
        #[serde(default)]
        pid: u64,
        /// The version of the library.
        #[serde(default)]
        version: String,
        /// The program that it runs.
        #[serde(default)]
        program: String,
    },
    /// A new finding.
    Finding(Box<ResolvedFinding>),
    /// How often each finding happened, in the order in which they were appended.
    Times(Vec<u64>),
    /// The process exited cleanly.
    End(ProcessEnd),
}

/// What a process reports when it exits cleanly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessEnd {
    /// Records that were judged.
    pub records: u64,
    /// Peak size of the checker's state, in bytes.
    pub peak_state_bytes: u64,
    /// Facts that the checker dropped to limit its memory.
    pub dropped_facts: u64,
    /// Blocks that were not freed, in a process that called neither `aclrtResetDevice` nor `aclFinalize`. They are not
    /// reported as leaks.
    pub unfreed_blocks: u64,
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The process that wrote it, by a text that no other process uses. Empty if the line does not say.
    #[serde(default)]
    pub process: String,
    /// What it says.
    #[serde(flatten)]
    pub line: Line,
}

impl fmt::Display for Entry {
    /// Without the line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        json::write_line(&mut text, self).map_err(|_| fmt::Error)?;
        f.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl Entry {
    /// Reads one line.
    pub fn parse(line: &str) -> Result<Self, LineError> {
        serde_json::from_str(line).map_err(|error| LineError(error.to_string()))
    }
}

/// Why a line could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError(String);

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LineError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn entry(line: Line) -> Entry {
        Entry {
            process: "42.7".to_owned(),
            line,
        }
    }

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
            Line::End(ProcessEnd {
                records: 7,
                peak_state_bytes: 8,
                dropped_facts: 9,
                unfreed_blocks: 10,
            }),
        ] {
            let entry = entry(line);
            let text = entry.to_string();
            assert!(!text.contains('\n'), "{text}");
            assert_eq!(Entry::parse(&text), Ok(entry), "{text}");
        }
    }

    #[test]
    fn the_keys_of_the_lines_are_those_of_the_document() {
        let begin = Line::Begin {
            pid: 42,
            version: "0.1.0".to_owned(),
            program: "train".to_owned(),
        };
        assert_eq!(
            entry(begin).to_string(),
            r#"{"process":"42.7","begin":{"pid":42,"version":"0.1.0","program":"train"}}"#
        );
        assert_eq!(
            entry(Line::Times(vec![3])).to_string(),
            r#"{"process":"42.7","times":[3]}"#
        );
        let end = ProcessEnd {
            records: 1,
            peak_state_bytes: 2,
            dropped_facts: 3,
            unfreed_blocks: 4,
        };
        assert_eq!(
            entry(Line::End(end)).to_string(),
            r#"{"process":"42.7","end":{"records":1,"peak_state_bytes":2,"dropped_facts":3,"unfreed_blocks":4}}"#
        );
    }

    #[test]
    fn a_line_that_is_cut_or_foreign_is_an_error_and_not_a_crash() {
        let whole = entry(Line::Finding(Box::new(sample::race()))).to_string();
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
