//! The report as one object; docs/report.md lists its fields.

use millpond_check::Severity;

use super::VERSION;
use crate::json::Json;
use crate::lost::Lost;
use crate::report::{Report, Run};
use crate::told::Told;

impl Report {
    /// The report as text of JSON.
    pub fn json(&self) -> String {
        let tool = Json::object([
            ("name", "millpond check".into()),
            ("version", VERSION.into()),
        ]);
        let summary = Json::object([
            ("errors", self.count(Severity::Error).into()),
            ("warnings", self.count(Severity::Warning).into()),
            ("hints", self.count(Severity::Hint).into()),
            ("suppressed", self.suppressed.len().into()),
            ("repeats", self.repeats().into()),
            ("dropped", self.dropped.into()),
            ("records", self.records.into()),
            ("books_peak", self.books_peak.into()),
            ("forgotten", self.forgotten.into()),
        ]);
        let suppressed = self.suppressed.iter().map(|(by, told)| {
            let by = self.suppressions().iter().nth(*by);
            Json::object([
                ("by", by.map(ToString::to_string).into()),
                ("reason", by.map(|by| by.reason.clone()).into()),
                ("finding", told.json()),
            ])
        });
        Json::object([
            ("tool", tool),
            ("program", (&self.program).into()),
            ("findings", Json::list(self.findings.iter().map(Told::json))),
            ("suppressed", Json::list(suppressed)),
            ("unused_suppressions", Json::list(self.unused())),
            ("rules", Json::list(self.rules.iter().map(|rule| rule.id))),
            ("runs", Json::list(self.runs.iter().map(Run::json))),
            ("complete", self.losses().is_empty().into()),
            ("lost", Json::list(self.losses().iter().map(Lost::json))),
            ("notes", Json::list(&self.notes)),
            ("summary", summary),
        ])
        .pretty()
    }
}

impl Lost {
    fn json(&self) -> Json {
        Json::object([
            ("kind", self.kind.name().into()),
            ("what", (&self.what).into()),
        ])
    }
}

impl Run {
    fn json(&self) -> Json {
        Json::object([
            ("schedule", (&self.schedule).into()),
            ("findings", self.findings.into()),
            ("ended", (&self.ended).into()),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use serde_json::Value;

    #[test]
    fn a_report_is_one_object_whose_findings_are_read_back() {
        let report = sample::report();
        let value: Value = serde_json::from_str(&report.json()).unwrap();
        let findings = value["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 3);
        for (value, told) in findings.iter().zip(&report.findings) {
            for field in ["rule", "severity", "message", "operations"] {
                assert!(!value[field].is_null(), "{field}");
            }
            assert_eq!(Told::parse(value).as_ref(), Some(told));
        }
        assert_eq!(value["summary"]["errors"], 2);
        assert_eq!(value["suppressed"][0]["reason"], "known");
        assert_eq!(value["findings"][0]["bytes"]["start"], "0x7f0000000200");
        assert_eq!(value["runs"][0]["schedule"], "seed=1");
        assert_eq!(value["complete"], false);
        assert_eq!(value["lost"][0]["kind"], "still-running");
    }
}
