//! SARIF 2.1.0, which code hosts and editors show beside the source.
//!
//! `log` has the part of the standard's object model that is used here; the functions below fill it.

mod log;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use millpond_check::{Rule, Severity, rules};
use serde::{Serialize, Serializer};

use self::log::{
    ArtifactLocation, BaseIds, CodeFlow, Configuration, Driver, Fingerprints, Help, Invocation,
    Location, Log, LogicalLocation, Message, Notification, NotificationId, PhysicalLocation,
    Region, ReportingDescriptor, RuleProperties, RunLog, SarifResult, Stack, StackFrame,
    Suppression, ThreadFlow, ThreadFlowLocation, Tool, UriBase,
};
use super::{VERSION, page};
use crate::json;
use crate::report::Report;
use crate::resolved::{self, ResolvedFinding, ResolvedFrame, ResolvedOperation};
use crate::text::Style;
use crate::text::finding::{begun, bytes_text, over};

/// The folder that relative files are relative to.
const ROOT: &str = "%SRCROOT%";

impl Report {
    /// Writes the report as SARIF, one result after the other. Files below the style's folder are relative to it.
    pub(super) fn write_sarif(&self, out: impl Write, style: &Style) -> io::Result<()> {
        let ids = self.rule_ids();
        let lost = self.losses();
        let dropped = self.dropped_facts_note();
        let losses = lost.iter().map(|loss| Notification {
            level: "error",
            descriptor: Some(NotificationId {
                id: loss.kind.name(),
            }),
            message: Message::of(&loss.what),
        });
        let notes = dropped.iter().chain(&self.notes).map(|note| Notification {
            level: "note",
            descriptor: None,
            message: Message::of(note),
        });
        let run = RunLog {
            tool: Tool {
                driver: Driver {
                    name: "millpond check",
                    version: VERSION,
                    semantic_version: VERSION,
                    rules: ids.iter().map(|id| rule(id)).collect(),
                },
            },
            invocations: [Invocation {
                command_line: &self.program,
                execution_successful: lost.is_empty(),
                tool_execution_notifications: losses.chain(notes).collect(),
            }],
            original_uri_base_ids: base(style),
            column_kind: "unicodeCodePoints",
            results: Results {
                report: self,
                writer: Writer { style, ids: &ids },
            },
        };
        json::write_pretty(
            out,
            &Log {
                schema: "https://json.schemastore.org/sarif-2.1.0.json",
                version: "2.1.0",
                runs: [run],
            },
        )
    }

    /// Every rule that was checked or has results, in order.
    fn rule_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.rules.iter().map(|rule| rule.id.to_owned()).collect();
        let found = self.findings.iter();
        for finding in found.chain(self.suppressed.iter().map(|(_, finding)| finding)) {
            if !ids.contains(&finding.rule) {
                ids.push(finding.rule.clone());
            }
        }
        ids
    }
}

/// All findings, made into results one after the other while they are written.
struct Results<'a> {
    report: &'a Report,
    writer: Writer<'a>,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = self.report.findings.iter().map(|finding| (finding, None));
        let suppressed = self.report.suppressed.iter().map(|(index, finding)| {
            let suppression = self.report.suppressions().iter().nth(*index);
            (finding, suppression.map(|one| one.reason.as_str()))
        });
        serializer.collect_seq(
            found
                .chain(suppressed)
                .map(|(finding, reason)| self.writer.result(finding, reason)),
        )
    }
}

fn rule(id: &str) -> ReportingDescriptor<'_> {
    let Some(rule) = rules::all().find(|rule| rule.id == id) else {
        return ReportingDescriptor {
            id,
            short_description: None,
            full_description: None,
            help: None,
            default_configuration: None,
            properties: None,
        };
    };
    let Rule {
        severity,
        title,
        requirement,
        source,
        ..
    } = *rule;
    let page = page(id);
    ReportingDescriptor {
        id,
        short_description: Some(Message::of(title)),
        full_description: Some(Message::of(requirement)),
        help: Some(Help {
            text: format!("{requirement} ({source}) See {page}."),
            markdown: format!("{requirement}\n\nFrom: {source}\n\nThe whole page: `{page}`"),
        }),
        default_configuration: Some(Configuration {
            level: level(severity),
        }),
        properties: Some(RuleProperties {
            tags: [rule.group()],
        }),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    }
}

fn base(style: &Style) -> Option<BaseIds> {
    let folder = style.folder.as_deref().and_then(Path::to_str)?;
    let uri = format!("file://{}/", uri(folder.trim_end_matches('/')));
    Some(BaseIds {
        root: UriBase { uri },
    })
}

/// A path as a URI, with special characters written as `%xx`.
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
    fn result<'a>(
        &self,
        finding: &'a ResolvedFinding,
        suppressed: Option<&'a str>,
    ) -> SarifResult<'a> {
        let main = finding.operations.first();
        let locations = main.and_then(|operation| self.location(operation, None, None));
        let related = related(finding).into_iter().enumerate();
        SarifResult {
            rule_id: &finding.rule,
            rule_index: self.ids.iter().position(|id| *id == finding.rule),
            level: level(finding.severity),
            message: Message::of(sentence(finding)),
            locations: locations.into_iter().collect(),
            related_locations: related
                .filter_map(|(index, (text, operation))| {
                    self.location(operation, Some(index + 1), Some(text))
                })
                .collect(),
            code_flows: self.flow(finding),
            stacks: finding
                .operations
                .iter()
                .map(|operation| self.stack(operation))
                .collect(),
            occurrence_count: finding.times,
            partial_fingerprints: Fingerprints {
                places: fingerprint(finding, self.style),
            },
            suppressions: suppressed.map(|justification| {
                [Suppression {
                    kind: "external",
                    justification,
                }]
            }),
            properties: log::Properties { finding },
        }
    }

    /// Where an operation was requested; `None` if that is unknown.
    fn location<'a>(
        &self,
        operation: &'a ResolvedOperation,
        id: Option<usize>,
        text: Option<Cow<'a, str>>,
    ) -> Option<Location<'a>> {
        // Where a reader of the program looks first.
        let frame = resolved::own(&operation.stack)?;
        Some(self.frame(frame, id, text))
    }

    fn frame<'a>(
        &self,
        frame: &'a ResolvedFrame,
        id: Option<usize>,
        text: Option<Cow<'a, str>>,
    ) -> Location<'a> {
        let physical = (!frame.file.is_empty()).then(|| {
            let shown = self.style.path(&frame.file);
            let below = shown.len() < frame.file.len();
            let uri = if shown.starts_with('/') {
                format!("file://{}", uri(&shown))
            } else {
                uri(&shown)
            };
            PhysicalLocation {
                artifact_location: ArtifactLocation {
                    uri,
                    uri_base_id: below.then_some(ROOT),
                },
                region: (frame.line > 0).then_some(Region {
                    start_line: frame.line,
                }),
            }
        });
        let logical = (!frame.function.is_empty()).then_some([LogicalLocation {
            fully_qualified_name: &frame.function,
            kind: "function",
        }]);
        Location {
            id,
            physical_location: physical,
            logical_locations: logical,
            message: text.map(Message::of),
        }
    }

    /// What happened, in the order in which the program requested it.
    fn flow<'a>(&self, finding: &'a ResolvedFinding) -> Option<[CodeFlow<'a>; 1]> {
        let mut steps = related(finding);
        if let Some(operation) = finding.operations.first() {
            steps.push((operation_text(operation), operation));
        }
        steps.sort_by_key(|(_, operation)| operation.record);
        let locations: Vec<_> = steps
            .into_iter()
            .filter_map(|(text, operation)| {
                let location = self.location(operation, None, Some(text))?;
                Some(ThreadFlowLocation { location })
            })
            .collect();
        let thread_flows = [ThreadFlow { locations }];
        (thread_flows[0].locations.len() >= 2).then_some([CodeFlow { thread_flows }])
    }

    fn stack<'a>(&self, operation: &'a ResolvedOperation) -> Stack<'a> {
        let frames = operation.stack.iter().map(|frame| StackFrame {
            location: self.frame(frame, None, None),
            module: (!frame.module.is_empty()).then_some(frame.module.as_str()),
            thread_id: (operation.thread > 0).then_some(operation.thread),
        });
        Stack {
            message: Message::of(operation_text(operation)),
            frames: frames.collect(),
        }
    }
}

/// Everything but the offending operation: the others, and the allocation and free of the block.
fn related(finding: &ResolvedFinding) -> Vec<(Cow<'_, str>, &ResolvedOperation)> {
    let mut operations: Vec<_> = finding
        .operations
        .iter()
        .skip(1)
        .map(|operation| (operation_text(operation), operation))
        .collect();
    if let Some(block) = &finding.block {
        let verb = begun(&block.allocated.call);
        let text = format!("{} was {verb} here", block.name);
        operations.push((text.into(), &block.allocated));
        if let Some(freed) = &block.freed {
            let text = format!("{} was {} here", block.name, over(&freed.call));
            operations.push((text.into(), freed));
        }
    }
    operations
}

fn operation_text(operation: &ResolvedOperation) -> Cow<'_, str> {
    match operation.stream {
        Some(stream) => format!("stream {stream}: {}", operation.what).into(),
        None => operation.what.as_str().into(),
    }
}

/// The message, what is missing, the bytes and the advice, for readers that show nothing else.
fn sentence(finding: &ResolvedFinding) -> String {
    let mut parts = vec![format!("{}: {}", finding.title, finding.message)];
    if let Some(missing) = &finding.missing {
        parts.push(format!("Missing: {missing}"));
    }
    if let Some(bytes) = finding.bytes {
        let text = bytes_text(bytes, finding.block.as_ref());
        parts.push(format!("Bytes: {text}"));
    }
    parts.push(format!("Rule: {}", finding.requirement));
    if let Some(advice) = &finding.advice {
        parts.push(format!("Help: {advice}"));
    }
    parts.join("\n")
}

/// A number that stays the same while lines move: it depends on the rule and the functions, not on the lines.
fn fingerprint(finding: &ResolvedFinding, style: &Style) -> String {
    // FNV-1a: the number must not change with the version of a library.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut feed = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    feed(&finding.rule);
    for operation in &finding.operations {
        feed(&operation.call);
        for frame in operation.stack.iter().take(3) {
            feed(&frame.function);
            feed(&style.path(&frame.file));
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
        let mut text = Vec::new();
        sample::report().write_sarif(&mut text, &style).unwrap();
        serde_json::from_slice(&text).unwrap()
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
    fn a_path_that_is_not_an_address_becomes_one() {
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
