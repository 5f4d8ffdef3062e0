//! Lists and pages of rules.

use std::io;
use std::process::ExitCode;

use millpond_check::{Rule, rules};
use millpond_report::known_rule;

use super::{failed, wrong};
use crate::program::Refusal;
use crate::say;

/// The pages of docs/rules.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Prints every rule.
pub(super) fn list() -> Result<ExitCode, Refusal> {
    let width = rules::all().map(|rule| rule.id.len()).max().unwrap_or(0);
    let lines: Vec<String> = rules::all()
        .map(|rule| {
            let severity = rule.severity.to_string();
            format!("{:width$}  {severity:7}  {}\n", rule.id, rule.title)
        })
        .collect();
    shown(&lines.concat())
}

/// Prints the page of a rule.
pub(super) fn explain(id: &str) -> Result<ExitCode, Refusal> {
    let Some(rule) = Rule::find(id) else {
        let what = known_rule(id)
            .err()
            .unwrap_or_else(|| format!("{id} is a group; a page belongs to one rule"));
        return Err(wrong(what, "millpond check --rules list prints all rules"));
    };
    match PAGES.iter().find(|(page, _)| *page == id) {
        Some((_, text)) => shown(text),
        None => shown(&short_page(rule)),
    }
}

/// Prints text. A reader that has gone away does not want the rest.
fn shown(text: &str) -> Result<ExitCode, Refusal> {
    match say::to_stdout(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(
            format!("stdout cannot be written: {error}"),
            "look at where it goes",
        )),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn short_page(rule: &Rule) -> String {
    format!(
        "# {}\n\n*{}*: {}.\n\n{}\n\nFrom the documentation of: {}\n",
        rule.id, rule.severity, rule.title, rule.sentence, rule.source
    )
}

/// The rules that a choice looks for; an empty one is all.
pub(super) fn looked_for(chosen: &[String], leaks: bool) -> Vec<&'static Rule> {
    let wanted = |rule: &Rule| {
        chosen.is_empty()
            || chosen
                .iter()
                .any(|word| word == rule.id || word.strip_suffix(".*") == Some(rule.group()))
    };
    rules::all()
        .filter(|rule| wanted(rule) && (leaks || !rule.id.contains("leak")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_ids_and_groups() {
        let ids = |words: &[&str], leaks| -> Vec<&str> {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            looked_for(&words, leaks)
                .iter()
                .map(|rule| rule.id)
                .collect()
        };
        assert_eq!(ids(&[], true).len(), rules::all().count());
        assert_eq!(ids(&["stream.race"], true), ["stream.race"]);
        let stream = ids(&["stream.*", "memory.leak"], true);
        assert!(stream.contains(&"stream.host-buffer") && stream.contains(&"memory.leak"));
        assert!(!ids(&["memory.*"], false).contains(&"memory.leak"));
    }

    #[test]
    fn a_page_that_is_not_written_yet_has_the_sentence() {
        let rule = rules::all().next().unwrap();
        assert!(short_page(rule).contains(rule.sentence));
    }

    #[test]
    fn every_page_belongs_to_a_rule() {
        for (id, text) in PAGES {
            assert!(Rule::find(id).is_some(), "{id}");
            assert!(!text.is_empty(), "{id}");
        }
    }
}
