//! How a finding looks: for people, and as one line of JSON.

use millpond_check::{Act, Finding, Severity};
use millpond_trace::Record;
use serde_json::{Value, json};

use crate::caller;

/// Tells findings.
#[derive(Debug)]
pub(super) struct Teller {
    pub(super) colour: bool,
}

impl Teller {
    /// Learns what a record says about call stacks and modules.
    #[expect(clippy::unused_self, reason = "stacks are not told yet")]
    pub(super) fn learn(&mut self, record: &Record) {
        let _ = record;
    }

    pub(super) fn text(&self, finding: &Finding) -> String {
        let (on, off) = match (self.colour, finding.severity()) {
            (false, _) => ("", ""),
            (true, Severity::Error) => ("\x1b[1;31m", "\x1b[0m"),
            (true, Severity::Warning) => ("\x1b[1;33m", "\x1b[0m"),
            (true, Severity::Hint) => ("\x1b[1;36m", "\x1b[0m"),
        };
        let severity = finding.severity();
        let mut text = format!(
            "{on}{severity}{off}: {} [{}]\n",
            finding.message, finding.rule.id
        );
        let mut line = |what: &str, value: &str| {
            text.extend(["  ", what, value, "\n"]);
        };
        line("rule: ", finding.rule.sentence);
        for act in &finding.operations {
            line("", &told(act));
        }
        if let Some(block) = &finding.block {
            line(
                "",
                &format!("{}, made by {}", block.name, told(&block.made)),
            );
            if let Some(ended) = &block.ended {
                line("", &format!("{}, ended by {}", block.name, told(ended)));
            }
        }
        if let Some(missing) = &finding.missing {
            line("missing: ", missing);
        }
        if let Some(advice) = &finding.advice {
            line("advice: ", advice);
        }
        text
    }

    #[expect(clippy::unused_self, reason = "stacks are not told yet")]
    pub(super) fn json(&self, finding: &Finding) -> Value {
        let act = |act: &Act| {
            json!({
                "what": act.what,
                "record": act.order,
                "thread": act.thread,
                "stream": act.stream,
                "call": act.site.call,
                "place": caller::place(act.site.caller),
            })
        };
        json!({
            "rule": finding.rule.id,
            "severity": finding.severity().to_string(),
            "message": finding.message,
            "operations": finding.operations.iter().map(act).collect::<Vec<_>>(),
            "missing": finding.missing,
            "advice": finding.advice,
            "times": finding.times,
        })
    }
}

fn told(act: &Act) -> String {
    let place = caller::place(act.site.caller);
    format!("{} ({} from {place})", act.what, act.site.call)
}
