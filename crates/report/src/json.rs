//! JSON as it is written: fields keep their order, so that a reader finds the rule first.

use std::fmt;

use crate::clean::put;

/// A value to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Number(u64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// Fields in this order.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// An object without those fields that are `null`.
    pub fn object(fields: impl IntoIterator<Item = (&'static str, Json)>) -> Self {
        Self::Object(
            fields
                .into_iter()
                .filter(|(_, value)| *value != Self::Null)
                .collect(),
        )
    }

    /// A list of what can be written.
    pub fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// On several lines, for people; ends with a line break.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Some(0));
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, depth: Option<usize>) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Number(number) => {
                put!(out, "{number}");
            }
            Self::Text(text) => write_text(out, text),
            Self::List(items) if items.is_empty() => out.push_str("[]"),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    separate(out, index, depth);
                    item.write(out, depth.map(|depth| depth + 1));
                }
                finish(out, depth);
                out.push(']');
            }
            Self::Object(fields) if fields.is_empty() => out.push_str("{}"),
            Self::Object(fields) => {
                out.push('{');
                for (index, (name, value)) in fields.iter().enumerate() {
                    separate(out, index, depth);
                    write_text(out, name);
                    out.push_str(if depth.is_some() { ": " } else { ":" });
                    value.write(out, depth.map(|depth| depth + 1));
                }
                finish(out, depth);
                out.push('}');
            }
        }
    }
}

fn separate(out: &mut String, index: usize, depth: Option<usize>) {
    if index > 0 {
        out.push(',');
    }
    if let Some(depth) = depth {
        indent(out, depth + 1);
    }
}

fn finish(out: &mut String, depth: Option<usize>) {
    if let Some(depth) = depth {
        indent(out, depth);
    }
}

fn indent(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Line separators end a line for some readers of JSON lines. The last ones before the
            // surrogates are control characters of terminals.
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}'..='\u{202e}' => {
                put!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

impl fmt::Display for Json {
    /// On one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out, None);
        f.write_str(&out)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

impl From<bool> for Json {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_stays_on_one_line() {
        let nasty =
            "quote \" slash \\ line \n\r tab \t zero \0 esc \u{1b} del \u{7f} sep \u{2028} ü 🦀";
        let value = Json::object([
            ("text", nasty.into()),
            ("none", Json::Null),
            ("list", Json::list([1u64, u64::MAX])),
            ("empty", Json::Object(Vec::new())),
            ("flag", true.into()),
        ]);
        let line = value.to_string();
        assert!(!line.chars().any(char::is_control), "{line}");
        for text in [line, value.pretty()] {
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read["text"], nasty);
            assert_eq!(read["list"][1], u64::MAX);
            assert!(read.get("none").is_none());
            assert_eq!(read["flag"], true);
        }
    }
}
