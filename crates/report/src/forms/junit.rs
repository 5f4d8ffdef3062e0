//! `JUnit` XML, which services for continuous integration show. Each rule is a test, and a broken rule is a failed
//! test. Each loss is a test that ended in an error.

use millpond_check::Severity;

use super::escape::{escape, escape_lines};
use crate::clean::put;
use crate::report::Report;
use crate::resolved::ResolvedFinding;
use crate::text::Style;

impl Report {
    pub(super) fn junit(&self, style: &Style) -> String {
        let style = Style {
            colour: false,
            ..style.clone()
        };
        let cases = self.cases();
        let failed = cases
            .iter()
            .filter(|(_, findings)| findings.iter().any(|finding| finding.counts()))
            .count();
        let lost = self.losses();
        let counts = format!(
            "tests=\"{}\" failures=\"{failed}\" errors=\"{}\" skipped=\"0\"",
            cases.len() + lost.len(),
            lost.len()
        );
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        put!(
            &mut out,
            "<testsuites name=\"millpond check\" {counts}>\n  <testsuite name=\"{}\" {counts}>\n",
            escape(&self.program)
        );
        for loss in &lost {
            put!(
                &mut out,
                "    <testcase classname=\"millpond.check\" name=\"{0}\">\n      <error type=\"{0}\" \
                 message=\"{1}\"/>\n    </testcase>\n",
                loss.kind.name(),
                escape(&loss.what)
            );
        }
        for (rule, findings) in cases {
            case(&mut out, rule, &findings, &style);
        }
        put!(
            &mut out,
            "    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n",
            escape_lines(&self.summary(&style))
        );
        out
    }

    /// Every rule that was looked for, and every other one that has findings.
    fn cases(&self) -> Vec<(&str, Vec<&ResolvedFinding>)> {
        let mut cases: Vec<(&str, Vec<&ResolvedFinding>)> = self
            .rules
            .iter()
            .map(|rule| (rule.id, Vec::new()))
            .collect();
        for finding in &self.findings {
            match cases.iter_mut().find(|(rule, _)| *rule == finding.rule) {
                Some((_, findings)) => findings.push(finding),
                None => cases.push((&finding.rule, vec![finding])),
            }
        }
        cases
    }
}

fn case(out: &mut String, rule: &str, findings: &[&ResolvedFinding], style: &Style) {
    let group = rule.split('.').next().unwrap_or(rule);
    put!(
        out,
        "    <testcase classname=\"millpond.{}\" name=\"{}\"",
        escape(group),
        escape(rule)
    );
    // The first of the worst.
    let worst = findings.iter().map(|finding| finding.severity).max();
    let first = findings
        .iter()
        .find(|finding| Some(finding.severity) == worst);
    let Some(first) = first else {
        out.push_str("/>\n");
        return;
    };
    let text: Vec<String> = findings.iter().map(|finding| finding.text(style)).collect();
    let text = escape_lines(&text.concat());
    if first.severity == Severity::Hint {
        put!(
            out,
            ">\n      <system-out>{text}</system-out>\n    </testcase>\n"
        );
        return;
    }
    let mut message = first.message.clone();
    if findings.len() > 1 {
        put!(&mut message, " (and {} more)", findings.len() - 1);
    }
    let kind = first.severity;
    put!(
        out,
        ">\n      <failure type=\"{kind}\" message=\"{}\">{text}</failure>\n    </testcase>\n",
        escape(&message)
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// Walks over the tags; panics where they do not match. Enough to see that text cannot escape.
    fn tags(xml: &str) -> Vec<String> {
        let mut open: Vec<String> = Vec::new();
        let mut seen = Vec::new();
        for part in xml.split('<').skip(1) {
            let (tag, text) = part.split_once('>').expect("a tag has an end");
            assert!(!text.contains('>'), "{text}");
            assert!(
                text.split('&').skip(1).all(|entity| entity.contains(';')),
                "{text}"
            );
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name));
            } else if !tag.starts_with('?') {
                let name = tag.split([' ', '/']).next().unwrap().to_owned();
                assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
                seen.push(name.clone());
                if !tag.ends_with('/') {
                    open.push(name);
                }
            }
        }
        assert!(open.is_empty());
        seen
    }

    #[test]
    fn every_rule_is_a_test_and_hints_do_not_fail() {
        let xml = sample::report().junit(&Style::plain());
        let seen = tags(&xml);
        let count = |name: &str| seen.iter().filter(|tag| *tag == name).count();
        assert_eq!(count("testsuite"), 1);
        assert_eq!(count("testcase"), millpond_check::rules::all().count() + 1);
        assert_eq!(count("error"), 1);
        assert!(xml.contains("errors=\"1\""));
        assert_eq!(count("failure"), 2);
        assert!(xml.contains("failures=\"2\""));
        assert!(xml.contains("name=\"stream.race\">\n      <failure type=\"error\""));
        assert!(xml.contains("name=\"memory.never-used\">\n      <system-out>"));
    }

    #[test]
    fn no_character_that_xml_forbids_is_in_it() {
        let xml = sample::report().junit(&Style::plain());
        assert!(
            xml.chars()
                .all(|c| c == '\n' || (!c.is_control() && c != '\u{fffe}'))
        );
    }
}
