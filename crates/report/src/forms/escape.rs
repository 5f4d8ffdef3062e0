//! Text inside XML and HTML.

use crate::clean::clean;

/// Text inside an attribute or an element, on one line.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in clean(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
    }
    out
}

/// Text of several lines.
pub(super) fn escape_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escape).collect();
    lines.join("\n")
}
