//! Findings of `millpond check`, as marks on the time and the addresses of a recording.

use serde::Serialize;
use serde_json::Value;

use crate::index::{Index, What};

/// Findings that a page shows; a report has up to 10,000.
const MOST: usize = 2_000;

/// One finding, and where it lies in a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The id of its rule.
    pub rule: String,
    /// `error`, `warning` or `hint`.
    pub severity: String,
    /// What happened, in one sentence.
    pub message: String,
    /// How to fix it.
    pub advice: String,
    /// How often it happened.
    pub times: u64,
    /// The operations, the offending one first: what each did, and the lines of its call stack.
    pub operations: Vec<Operation>,
    /// The first of the affected bytes.
    pub address: Option<String>,
    /// How many those are.
    pub bytes: Option<u64>,
    /// When it happened in the recording, if that is known.
    pub time: Option<u64>,
    /// The block that had the bytes then, or the last one that did.
    pub block: Option<usize>,
}

/// One operation of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Operation {
    /// What it did.
    pub what: String,
    /// The number of its record; 0 if it has none.
    pub record: u64,
    /// The call stack, the innermost frame first.
    pub lines: Vec<String>,
}

/// The findings of a report that `millpond check --format json` wrote.
pub fn read(report: &[u8]) -> Result<Vec<Finding>, String> {
    let report: Value = serde_json::from_slice(report).map_err(|error| {
        format!("this is not a report of millpond check --format json: {error}")
    })?;
    let Some(findings) = report["findings"].as_array() else {
        return Err(
            "this is JSON without a list of findings: give the report of millpond check --format json"
                .to_owned(),
        );
    };
    Ok(findings.iter().take(MOST).map(finding).collect())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn finding(value: &Value) -> Finding {
    let operations = value["operations"].as_array();
    let range = [&value["bytes"], &value["block"]]
        .into_iter()
        .find(|range| range["start"].is_string());
    let title = text(&value["title"]);
    let message = text(&value["message"]);
    Finding {
        rule: text(&value["rule"]),
        severity: text(&value["severity"]),
        message: if message.is_empty() { title } else { message },
        advice: text(&value["advice"]),
        times: value["times"].as_u64().unwrap_or(1),
        operations: operations.into_iter().flatten().map(operation).collect(),
        address: range.map(|range| text(&range["start"])),
        bytes: range.and_then(|range| range["count"].as_u64()),
        time: None,
        block: None,
    }
}

fn operation(value: &Value) -> Operation {
    let frames = value["stack"].as_array().into_iter().flatten();
    Operation {
        what: text(&value["what"]),
        record: value["record"].as_u64().unwrap_or(0),
        lines: frames
            .map(|frame| {
                let function = text(&frame["function"]);
                match (frame["file"].as_str(), frame["line"].as_u64()) {
                    (Some(file), Some(line)) => format!("{file}:{line} {function}"),
                    _ => format!("{function} {}", text(&frame["module"])),
                }
                .trim()
                .to_owned()
            })
            .collect(),
    }
}

/// Puts findings into the recordings that have their bytes. `time_of` says when a record was made, if the recording's file has records.
/// Findings without a place go to the first recording.
pub fn place(runs: &mut [Index], findings: Vec<Finding>, time_of: &dyn Fn(u64) -> Option<u64>) {
    for mut finding in findings {
        let records = finding.operations.iter().map(|operation| operation.record);
        finding.time = records.filter(|&record| record > 0).find_map(time_of);
        let address = finding
            .address
            .as_deref()
            .and_then(|address| u64::from_str_radix(address.trim_start_matches("0x"), 16).ok());
        let found = address.and_then(|address| {
            let places = runs.iter().enumerate();
            let mut blocks = places
                .filter_map(|(run, index)| Some((run, block_at(index, address, finding.time)?)));
            blocks.next()
        });
        let run = found.map_or(0, |(run, _)| run);
        let Some(index) = runs.get_mut(run) else {
            return;
        };
        finding.block = found.map(|(_, block)| block);
        // Without a record, its block's begin is what is known of its time.
        let begin = finding.block.map(|block| index.blocks[block].start);
        finding.time = finding.time.or(begin);
        index.findings.push(finding);
    }
    for index in runs {
        index.findings.sort_by_key(|finding| finding.time);
    }
}

/// The last block that had an address at a moment or before it.
fn block_at(index: &Index, address: u64, time: Option<u64>) -> Option<usize> {
    let events = time.map_or(index.events.len(), |time| index.events_by(time));
    index.events[..events].iter().rev().find_map(|event| {
        let block = &index.blocks[event.block()];
        let inside = block.address <= address && address - block.address < block.bytes;
        (event.what() == What::Allocated && inside).then_some(event.block())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_report_is_told() {
        assert!(read(b"{").unwrap_err().starts_with("this is not a report"));
        assert!(
            read(b"{\"findings\":3}")
                .unwrap_err()
                .contains("without a list")
        );
        assert_eq!(read(b"{\"findings\":[]}").unwrap(), []);
    }

    #[test]
    fn a_finding_needs_nothing_but_a_rule() {
        let findings = read(br#"{"findings":[{"rule":"memory.leak"}]}"#).unwrap();
        assert_eq!(findings[0].rule, "memory.leak");
        assert_eq!((findings[0].times, findings[0].address.as_ref()), (1, None));
    }
}
