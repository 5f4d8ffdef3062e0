//! The part of the SARIF 2.1.0 object model that reports use. Names and meanings are the standard's.

use std::borrow::Cow;

use serde::Serialize;

use super::Results;
use crate::resolved::ResolvedFinding;

#[derive(Serialize)]
pub(super) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [RunLog<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunLog<'a> {
    pub(super) tool: Tool<'a>,
    pub(super) invocations: [Invocation<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) original_uri_base_ids: Option<BaseIds>,
    pub(super) column_kind: &'static str,
    pub(super) results: Results<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tool<'a> {
    pub(super) driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver<'a> {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<ReportingDescriptor<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportingDescriptor<'a> {
    pub(super) id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) short_description: Option<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) full_description: Option<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<Help>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) default_configuration: Option<Configuration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<RuleProperties>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Help {
    pub(super) text: String,
    pub(super) markdown: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleProperties {
    pub(super) tags: [&'static str; 1],
}

#[derive(Serialize)]
pub(super) struct Message<'a> {
    text: Cow<'a, str>,
}

impl<'a> Message<'a> {
    pub(super) fn of(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation<'a> {
    pub(super) command_line: &'a str,
    pub(super) execution_successful: bool,
    pub(super) tool_execution_notifications: Vec<Notification<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Notification<'a> {
    pub(super) level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) descriptor: Option<NotificationId>,
    pub(super) message: Message<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NotificationId {
    pub(super) id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BaseIds {
    #[serde(rename = "%SRCROOT%")]
    pub(super) root: UriBase,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UriBase {
    pub(super) uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult<'a> {
    pub(super) rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: &'static str,
    pub(super) message: Message<'a>,
    pub(super) locations: Vec<Location<'a>>,
    pub(super) related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code_flows: Option<[CodeFlow<'a>; 1]>,
    pub(super) stacks: Vec<Stack<'a>>,
    pub(super) occurrence_count: u64,
    pub(super) partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppressions: Option<[Suppression<'a>; 1]>,
    pub(super) properties: Properties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fingerprints {
    #[serde(rename = "millpondPlaces/v1")]
    pub(super) places: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Suppression<'a> {
    pub(super) kind: &'static str,
    pub(super) justification: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Properties<'a> {
    pub(super) finding: &'a ResolvedFinding,
}

#[expect(clippy::struct_field_names, reason = "the standard's names")]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) logical_locations: Option<[LogicalLocation<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Message<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation<'a> {
    pub(super) fully_qualified_name: &'a str,
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeFlow<'a> {
    pub(super) thread_flows: [ThreadFlow<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadFlow<'a> {
    pub(super) locations: Vec<ThreadFlowLocation<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadFlowLocation<'a> {
    pub(super) location: Location<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stack<'a> {
    pub(super) message: Message<'a>,
    pub(super) frames: Vec<StackFrame<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StackFrame<'a> {
    pub(super) location: Location<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) module: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread_id: Option<u64>,
}
