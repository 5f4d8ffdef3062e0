//! SARIF 2.1.0, which code hosts and editors show beside the source.

use std::path::Path;

use millpond_check::{Rule, Severity, rules};

use super::{VERSION, page};
use crate::json::Json;
use crate::report::Report;
use crate::text::Style;
use crate::text::finding::{begun, bytes_text, over};
use crate::told::{self, Place, Told, ToldAct};

/// The folder that relative files are relative to.
const ROOT: &str = "%SRCROOT%";

impl Report {
    /// The report as text of SARIF. Files below the folder of the style are relative to it.
    pub fn sarif(&self, style: &Style) -> String {
        let ids = self.rule_ids();
        let writer = Writer { style, ids: &ids };
        let driver = Json::object([
            ("name", "millpond check".into()),
            ("version", VERSION.into()),
            ("semanticVersion", VERSION.into()),
            ("rules", Json::list(ids.iter().map(|id| rule(id)))),
        ]);
        let lost = self.losses();
        let losses = lost.iter().map(|loss| {
            Json::object([
                ("level", "error".into()),
                (
                    "descriptor",
                    Json::object([("id", loss.kind.name().into())]),
                ),
                ("message", message(&loss.what)),
            ])
        });
        let given_up = self.given_up();
        let notes = given_up
            .iter()
            .chain(&self.notes)
            .map(|note| Json::object([("level", "note".into()), ("message", message(note))]));
        let invocation = Json::object([
            ("commandLine", (&self.program).into()),
            ("executionSuccessful", lost.is_empty().into()),
            (
                "toolExecutionNotifications",
                Json::list(losses.chain(notes)),
            ),
        ]);
        let mut results: Vec<Json> = self
            .findings
            .iter()
            .map(|told| writer.result(told, None))
            .collect();
        for (by, told) in &self.suppressed {
            let reason = self.suppressions().iter().nth(*by).map(|by| &by.reason);
            results.push(writer.result(told, reason));
        }
        let run = Json::object([
            ("tool", Json::object([("driver", driver)])),
            ("invocations", Json::list([invocation])),
            ("originalUriBaseIds", base(style)),
            ("columnKind", "unicodeCodePoints".into()),
            ("results", results.into()),
        ]);
        Json::object([
            (
                "$schema",
                "https://json.schemastore.org/sarif-2.1.0.json".into(),
            ),
            ("version", "2.1.0".into()),
            ("runs", Json::list([run])),
        ])
        .pretty()
    }

    /// Every rule that was looked for or has results, in order.
    fn rule_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.rules.iter().map(|rule| rule.id.to_owned()).collect();
        let found = self.findings.iter();
        for told in found.chain(self.suppressed.iter().map(|(_, told)| told)) {
            if !ids.contains(&told.rule) {
                ids.push(told.rule.clone());
            }
        }
        ids
    }
}

fn rule(id: &str) -> Json {
    let Some(rule) = rules::all().find(|rule| rule.id == id) else {
        return Json::object([("id", id.into())]);
    };
    let Rule {
        severity,
        title,
        sentence,
        source,
        ..
    } = *rule;
    let help = format!("{sentence} ({source}) See {}.", page(id));
    let markdown = format!(
        "{sentence}\n\nFrom: {source}\n\nThe whole page: `{}`",
        page(id)
    );
    Json::object([
        ("id", id.into()),
        ("shortDescription", message(title)),
        ("fullDescription", message(sentence)),
        (
            "help",
            Json::object([("text", help.into()), ("markdown", markdown.into())]),
        ),
        (
            "defaultConfiguration",
            Json::object([("level", level(severity).into())]),
        ),
        (
            "properties",
            Json::object([("tags", Json::list([rule.group()]))]),
        ),
    ])
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    }
}

fn message(text: &str) -> Json {
    Json::object([("text", text.into())])
}

fn base(style: &Style) -> Json {
    let Some(folder) = style.folder.as_deref().and_then(Path::to_str) else {
        return Json::Null;
    };
    let uri = format!("file://{}/", uri(folder.trim_end_matches('/')));
    Json::Object(vec![(ROOT, Json::object([("uri", uri.into())]))])
}

/// A path with everything that means something else in an address written as `%xx`.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~+".contains(&byte) {
            out.push(char::from(byte));
        } else {
            crate::clean::put!(&mut out, "%{byte:02X}");
        }
    }
    out
}

struct Writer<'a> {
    style: &'a Style,
    ids: &'a [String],
}

impl Writer<'_> {
    fn result(&self, told: &Told, suppressed: Option<&String>) -> Json {
        let index = self.ids.iter().position(|id| *id == told.rule);
        let main = told.operations.first();
        let related: Vec<(String, &ToldAct)> = related(told);
        let suppressions = suppressed.map(|reason| {
            Json::list([Json::object([
                ("kind", "external".into()),
                ("justification", reason.into()),
            ])])
        });
        let locations = main.and_then(|act| self.location(act, None, None));
        Json::object([
            ("ruleId", (&told.rule).into()),
            ("ruleIndex", index.into()),
            ("level", level(told.severity).into()),
            ("message", message(&sentence(told))),
            ("locations", Json::list(locations)),
            (
                "relatedLocations",
                Json::list(
                    related
                        .iter()
                        .enumerate()
                        .filter_map(|(index, (text, act))| {
                            self.location(act, Some(index + 1), Some(text))
                        }),
                ),
            ),
            ("codeFlows", self.flow(told).into()),
            (
                "stacks",
                Json::list(told.operations.iter().map(|act| self.stack(act))),
            ),
            ("occurrenceCount", told.times.into()),
            (
                "partialFingerprints",
                Json::object([("millpondPlaces/v1", fingerprint(told, self.style).into())]),
            ),
            ("suppressions", suppressions.into()),
            ("properties", Json::object([("finding", told.json())])),
        ])
    }

    /// Where an operation was asked for; `None` if nothing is known of that.
    fn location(&self, act: &ToldAct, id: Option<usize>, text: Option<&str>) -> Option<Json> {
        let place = top(act)?;
        Some(self.place(place, id, text))
    }

    fn place(&self, place: &Place, id: Option<usize>, text: Option<&str>) -> Json {
        let artifact = (!place.file.is_empty()).then(|| {
            let shown = self.style.path(&place.file);
            let below = shown.len() < place.file.len();
            let address = if shown.starts_with('/') {
                format!("file://{}", uri(&shown))
            } else {
                uri(&shown)
            };
            let file = Json::object([
                ("uri", address.into()),
                ("uriBaseId", below.then_some(ROOT).into()),
            ]);
            let region = (place.line > 0).then(|| Json::object([("startLine", place.line.into())]));
            Json::object([("artifactLocation", file), ("region", region.into())])
        });
        let logical = (!place.function.is_empty()).then(|| {
            Json::list([Json::object([
                ("fullyQualifiedName", (&place.function).into()),
                ("kind", "function".into()),
            ])])
        });
        Json::object([
            ("id", id.into()),
            ("physicalLocation", artifact.into()),
            ("logicalLocations", logical.into()),
            ("message", text.map(message).into()),
        ])
    }

    /// What happened, in the order in which the program asked for it.
    fn flow(&self, told: &Told) -> Option<Json> {
        let mut steps = related(told);
        if let Some(act) = told.operations.first() {
            steps.push((act_text(act), act));
        }
        steps.sort_by_key(|(_, act)| act.record);
        let steps: Vec<Json> = steps
            .iter()
            .filter_map(|(text, act)| {
                let location = self.location(act, None, Some(text))?;
                Some(Json::object([("location", location)]))
            })
            .collect();
        if steps.len() < 2 {
            return None;
        }
        let flow = Json::object([("locations", steps.into())]);
        Some(Json::list([Json::object([(
            "threadFlows",
            Json::list([flow]),
        )])]))
    }

    fn stack(&self, act: &ToldAct) -> Json {
        let frames = act.stack.iter().map(|place| {
            Json::object([
                ("location", self.place(place, None, None)),
                (
                    "module",
                    (!place.module.is_empty())
                        .then(|| place.module.clone())
                        .into(),
                ),
                ("threadId", (act.thread > 0).then_some(act.thread).into()),
            ])
        });
        Json::object([
            ("message", message(&act_text(act))),
            ("frames", Json::list(frames)),
        ])
    }
}

/// Where somebody who reads the program's files looks first.
fn top(act: &ToldAct) -> Option<&Place> {
    told::own(&act.stack)
}

/// Everything but the offending operation: the others, and the block's story.
fn related(told: &Told) -> Vec<(String, &ToldAct)> {
    let mut acts: Vec<(String, &ToldAct)> = told
        .operations
        .iter()
        .skip(1)
        .map(|act| (act_text(act), act))
        .collect();
    if let Some(block) = &told.block {
        let verb = begun(&block.made.call);
        acts.push((format!("{} was {verb} here", block.name), &block.made));
        if let Some(ended) = &block.ended {
            let verb = over(&ended.call);
            acts.push((format!("{} was {verb} here", block.name), ended));
        }
    }
    acts
}

fn act_text(act: &ToldAct) -> String {
    match act.stream {
        Some(stream) => format!("stream {stream}: {}", act.what),
        None => act.what.clone(),
    }
}

/// The message, what is missing, the bytes and what to do, for readers that show nothing else.
fn sentence(told: &Told) -> String {
    let mut parts = vec![format!("{}: {}", told.title, told.message)];
    if let Some(missing) = &told.missing {
        parts.push(format!("Missing: {missing}"));
    }
    if let Some(bytes) = told.bytes {
        let text = bytes_text(bytes, told.block.as_ref());
        parts.push(format!("Bytes: {text}"));
    }
    parts.push(format!("Rule: {}", told.sentence));
    if let Some(advice) = &told.advice {
        parts.push(format!("Help: {advice}"));
    }
    parts.join("\n")
}

/// A number that stays the same while lines move: the rule and the functions, not the lines.
fn fingerprint(told: &Told, style: &Style) -> String {
    // FNV-1a: the number must not change with the version of a library.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut feed = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    feed(&told.rule);
    for act in &told.operations {
        feed(&act.call);
        for place in act.stack.iter().take(3) {
            feed(&place.function);
            feed(&style.path(&place.file));
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use serde_json::Value;

    fn written() -> Value {
        let style = Style {
            folder: Some("/home/a".into()),
            ..Style::plain()
        };
        serde_json::from_str(&sample::report().sarif(&style)).unwrap()
    }

    #[test]
    fn what_the_standard_requires_is_there() {
        let value = written();
        assert_eq!(value["version"], "2.1.0");
        let run = &value["runs"][0];
        let driver = &run["tool"]["driver"];
        assert!(driver["name"].is_string());
        let rules = driver["rules"].as_array().unwrap();
        assert!(rules.iter().all(|rule| rule["id"].is_string()));
        for result in run["results"].as_array().unwrap() {
            assert!(result["message"]["text"].is_string());
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            let level = result["level"].as_str().unwrap();
            assert!(["error", "warning", "note"].contains(&level));
            for key in ["locations", "relatedLocations"] {
                for location in result[key].as_array().unwrap() {
                    let line = &location["physicalLocation"]["region"]["startLine"];
                    assert!(line.is_null() || line.as_u64() > Some(0));
                }
            }
        }
        assert_eq!(run["results"].as_array().unwrap().len(), 4);
        assert_eq!(run["results"][3]["suppressions"][0]["kind"], "external");
    }

    #[test]
    fn both_operations_and_the_allocation_are_a_flow_in_the_order_of_the_program() {
        let value = written();
        let result = &value["runs"][0]["results"][0];
        let file = &result["locations"][0]["physicalLocation"];
        assert_eq!(file["artifactLocation"]["uri"], "race.c");
        assert_eq!(file["artifactLocation"]["uriBaseId"], "%SRCROOT%");
        assert_eq!(file["region"]["startLine"], 42);
        assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 2);
        let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        let lines: Vec<_> = steps
            .as_array()
            .unwrap()
            .iter()
            .map(|step| &step["location"]["physicalLocation"]["region"]["startLine"])
            .collect();
        assert_eq!(lines, [12, 39, 42]);
        assert_eq!(result["stacks"][0]["frames"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_path_that_is_no_address_becomes_one() {
        assert_eq!(uri("/a b/ü#%.c"), "/a%20b/%C3%BC%23%25.c");
    }

    #[test]
    fn a_finding_keeps_its_number_when_lines_move() {
        let style = Style::plain();
        let mut moved = sample::race();
        moved.operations[0].stack[0].line += 7;
        assert_eq!(
            fingerprint(&moved, &style),
            fingerprint(&sample::race(), &style)
        );
        moved.operations[0].stack[0].function = "other".to_owned();
        assert_ne!(
            fingerprint(&moved, &style),
            fingerprint(&sample::race(), &style)
        );
    }
}
