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
    print(&lines.concat())
}

/// Prints the page of a rule.
pub(super) fn explain(id: &str) -> Result<ExitCode, Refusal> {
    let Some(rule) = Rule::find(id) else {
        let what = known_rule(id)
            .err()
            .unwrap_or_else(|| format!("'{id}' is a group; expected the id of one rule"));
        return Err(wrong(what, "millpond check --rules list prints all rules"));
    };
    match PAGES.iter().find(|(page, _)| *page == id) {
        Some((_, text)) => print(text),
        None => print(&short_page(rule)),
    }
}

/// Prints text. A closed pipe is not an error: the reader does not want the rest.
fn print(text: &str) -> Result<ExitCode, Refusal> {
    match say::to_stdout(|out| out.write_all(text.as_bytes())) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(
            format!("cannot write to stdout: {error}"),
            "redirect it to another file",
        )),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn short_page(rule: &Rule) -> String {
    format!(
        "# {}\n\n*{}*: {}.\n\n{}\n\nFrom the documentation of: {}\n",
        rule.id, rule.severity, rule.title, rule.requirement, rule.source
    )
}

/// The chosen rules; all for an empty choice.
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
    fn a_rule_without_a_page_shows_its_requirement() {
        let rule = rules::all().next().unwrap();
        assert!(short_page(rule).contains(rule.requirement));
    }

    #[test]
    fn every_page_belongs_to_a_rule() {
        for (id, text) in PAGES {
            assert!(Rule::find(id).is_some(), "{id}");
            assert!(!text.is_empty(), "{id}");
        }
    }
}
