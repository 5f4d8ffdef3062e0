//! The text of a suppression file; docs/suppressions.md describes it.

use std::fmt;
use std::io::Read;
use std::path::Path;

use millpond_check::{Rule, rules};
use millpond_trace::file::open_regular;

use super::{Suppression, Suppressions};
use crate::nearest::nearest;

/// Larger files are not suppression files.
const MOST_BYTES: u64 = 1 << 20;

/// Why a suppression file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressionError {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 if the file could not be read.
    pub line: usize,
    /// What is wrong and what was expected.
    pub what: String,
}

impl fmt::Display for SuppressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.what),
            line => write!(f, "{}:{line}: {}", self.file, self.what),
        }
    }
}

impl std::error::Error for SuppressionError {}

impl Suppressions {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, SuppressionError> {
        let name = path.display().to_string();
        let error = |what: String| SuppressionError {
            file: name.clone(),
            line: 0,
            what,
        };
        let mut bytes = Vec::new();
        open_regular(path)
            .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|cause| error(format!("cannot read the suppressions: {cause}")))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(error(format!(
                "the file is larger than {MOST_BYTES} bytes, so it is not a suppression file"
            )));
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            error("the file is not UTF-8 text, so it is not a suppression file".to_owned())
        })?;
        Self::parse(&text, &name)
    }

    /// Reads text. Errors refer to it by `name`.
    pub fn parse(text: &str, name: &str) -> Result<Self, SuppressionError> {
        let mut found: Vec<Suppression> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let number = index + 1;
            let error = |what: String| SuppressionError {
                file: name.to_owned(),
                line: number,
                what,
            };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(rest) = line.strip_prefix('[') {
                let rule = rest
                    .strip_suffix(']')
                    .ok_or_else(|| error("expected a rule between [ and ]".to_owned()))?
                    .trim();
                known_rule(rule).map_err(error)?;
                finished(found.last(), name)?;
                found.push(Suppression::new(rule, name, number));
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                return Err(error(
                    "expected [rule], key = value, or a comment after #".to_owned(),
                ));
            };
            let Some(current) = found.last_mut() else {
                return Err(error(
                    "expected [rule] first, such as [stream.race]".to_owned(),
                ));
            };
            current.set(key.trim(), unquoted(value)).map_err(error)?;
        }
        finished(found.last(), name)?;
        Ok(Self(found))
    }
}

/// Checks a rule id, a group such as `stream.*`, or `*`. The error suggests what may be meant.
pub fn known_rule(rule: &str) -> Result<(), String> {
    if rule == "*" || Rule::find(rule).is_some() {
        return Ok(());
    }
    if let Some(group) = rule.strip_suffix(".*") {
        if rules::all().any(|rule| rule.group() == group) {
            return Ok(());
        }
        let near = nearest(group, rules::all().map(Rule::group));
        return Err(match near {
            Some(near) => format!("unknown group '{group}'; did you mean {near}.*?"),
            None => {
                format!("unknown group '{group}'; millpond check --rules list prints all rules")
            }
        });
    }
    Err(match nearest(rule, rules::all().map(|rule| rule.id)) {
        Some(near) => format!("unknown rule '{rule}'; did you mean {near}?"),
        None => format!("unknown rule '{rule}'; millpond check --rules list prints all rules"),
    })
}

fn finished(last: Option<&Suppression>, name: &str) -> Result<(), SuppressionError> {
    match last {
        Some(last) if last.reason.is_empty() => Err(SuppressionError {
            file: name.to_owned(),
            line: last.line,
            what: format!("[{}] has no reason; add a line reason = TEXT", last.rule),
        }),
        _ => Ok(()),
    }
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'))
        .unwrap_or(value)
}

impl Suppression {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        const KEYS: [&str; 7] = [
            "reason", "function", "file", "call", "library", "message", "frames",
        ];
        if value.is_empty() {
            return Err(format!("expected a value after {key} ="));
        }
        if key == "frames" {
            self.top_only = match value {
                "any" => false,
                "top" => true,
                _ => return Err("invalid value of frames; expected any or top".to_owned()),
            };
            return Ok(());
        }
        let field = match key {
            "reason" => {
                value.clone_into(&mut self.reason);
                return Ok(());
            }
            "function" => &mut self.function,
            "file" => &mut self.file,
            "call" => &mut self.call,
            "library" => &mut self.library,
            "message" => &mut self.message,
            _ => {
                let keys = KEYS.join(", ");
                return Err(match nearest(key, KEYS) {
                    Some(near) => format!("unknown key '{key}'; did you mean {near}?"),
                    None => format!("unknown key '{key}'; expected one of {keys}"),
                });
            }
        };
        if field.is_some() {
            return Err(format!("duplicate key '{key}'; write one block per value"));
        }
        *field = Some(value.to_owned());
        Ok(())
    }
}
