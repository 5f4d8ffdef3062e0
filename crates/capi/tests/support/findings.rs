//! What the checker is expected to find in a test program.
//!
//! Most programs are correct and nothing is found. Some break rules on purpose, to see what the
//! library answers: `tests/c/findings.tsv` says which. Hints are not compared.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What is expected.
pub(crate) enum Expected {
    /// Exactly these rules are broken.
    Rules(BTreeSet<String>),
    /// The program is not run so; the file says why.
    Unchecked,
}

/// What the file in `folder` says of a test.
pub(crate) fn expected(folder: &Path, test: &str) -> Expected {
    let text = fs::read_to_string(folder.join("findings.tsv")).unwrap();
    let line = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| line.split_once('\t').filter(|(name, _)| *name == test));
    match line {
        None => Expected::Rules(BTreeSet::new()),
        Some((_, reason)) if reason.starts_with("unchecked:") => Expected::Unchecked,
        Some((_, rules)) => Expected::Rules(rules.split_whitespace().map(str::to_owned).collect()),
    }
}

/// The rules that a file of findings names, without hints. A rule may be broken so little that it is one.
pub(crate) fn found(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let rule = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let loud = value["finding"]["severity"] != "hint";
        let rule = value["finding"]["rule"].as_str().filter(|_| loud);
        rule.map(str::to_owned)
    };
    text.lines().filter_map(rule).collect()
}

/// How many processes began and came to their end, by a file of findings.
pub(crate) fn processes(file: &Path) -> (usize, usize) {
    let text = fs::read_to_string(file).unwrap_or_default();
    let count = |key: &str| {
        let has = |line: &&str| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value.get(key).is_some()
        };
        text.lines().filter(has).count()
    };
    (count("begin"), count("end"))
}
