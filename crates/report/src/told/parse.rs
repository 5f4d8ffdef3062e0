//! Findings read back from JSON. What is missing is empty; only a rule's id is needed.

use millpond_check::{Rule, Severity};
use millpond_trace::Bytes;
use serde_json::Value;

use super::{Place, Told, ToldAct, ToldBlock};

impl Told {
    /// Reads what [`Told::json`] wrote; `None` if it is no finding.
    pub fn parse(value: &Value) -> Option<Self> {
        let rule = value.get("rule")?.as_str()?;
        let known = Rule::find(rule);
        let said = |name: &str, own: Option<&'static str>| {
            let text = text(value, name);
            if text.is_empty() {
                own.unwrap_or_default().to_owned()
            } else {
                text
            }
        };
        Some(Self {
            rule: rule.to_owned(),
            severity: severity(value, known),
            title: said("title", known.map(|rule| rule.title)),
            sentence: said("sentence", known.map(|rule| rule.sentence)),
            source: said("source", known.map(|rule| rule.source)),
            message: text(value, "message"),
            operations: list(value, "operations").map(act).collect(),
            bytes: value.get("bytes").and_then(bytes),
            block: value.get("block").and_then(block),
            missing: option(value, "missing"),
            advice: option(value, "advice"),
            times: number(value, "times").max(1),
        })
    }
}

/// What the file says. Without a word of ours it is an error: silence would hide it.
fn severity(value: &Value, known: Option<&Rule>) -> Severity {
    match value.get("severity").and_then(Value::as_str) {
        Some("hint") => Severity::Hint,
        Some("warning") => Severity::Warning,
        Some("error") => Severity::Error,
        _ => known.map_or(Severity::Error, |rule| rule.severity),
    }
}

fn act(value: &Value) -> ToldAct {
    ToldAct {
        what: text(value, "what"),
        record: number(value, "record"),
        thread: number(value, "thread"),
        stream: value.get("stream").and_then(Value::as_u64),
        call: text(value, "call"),
        library: text(value, "library"),
        stack: list(value, "stack").map(place).collect(),
    }
}

fn place(value: &Value) -> Place {
    Place {
        function: text(value, "function"),
        file: text(value, "file"),
        line: u32::try_from(number(value, "line")).unwrap_or(0),
        module: text(value, "module"),
        inlined: value.get("inlined").and_then(Value::as_bool) == Some(true),
    }
}

fn block(value: &Value) -> Option<ToldBlock> {
    Some(ToldBlock {
        name: text(value, "name"),
        space: text(value, "space"),
        range: bytes(value)?,
        made: value.get("made").map(act).unwrap_or_default(),
        ended: value.get("ended").map(act),
    })
}

fn bytes(value: &Value) -> Option<Bytes> {
    let start = value.get("start")?.as_str()?.strip_prefix("0x")?;
    Some(Bytes {
        start: u64::from_str_radix(start, 16).ok()?,
        bytes: value.get("count")?.as_u64()?,
    })
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn text(value: &Value, name: &str) -> String {
    option(value, name).unwrap_or_default()
}

fn option(value: &Value, name: &str) -> Option<String> {
    Some(value.get(name)?.as_str()?.to_owned())
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}
