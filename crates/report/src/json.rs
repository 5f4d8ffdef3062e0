//! Writes JSON whose text is harmless wherever it is shown.
//!
//! `serde_json` escapes what JSON requires. This also escapes the other control characters, line separators and
//! characters that change the direction of text: a report may be shown on a terminal, and some readers of JSON lines
//! take a line separator for the end of a line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Writes a value on one line, without a line break at the end.
pub(crate) fn write_line(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    write(out, CompactFormatter, value)
}

/// Writes a value on several lines; the last one ends with a line break.
pub(crate) fn write_pretty(mut out: impl Write, value: &impl Serialize) -> io::Result<()> {
    write(&mut out, PrettyFormatter::new(), value)?;
    out.write_all(b"\n")
}

fn write(out: impl Write, form: impl Formatter, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Harmless(form));
    value.serialize(&mut serializer).map_err(Into::into)
}

/// A formatter that escapes more characters than JSON requires.
struct Harmless<F>(F);

impl<F: Formatter> Formatter for Harmless<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut plain = 0;
        for (at, character) in fragment.char_indices() {
            // All of them have four hexadecimal digits.
            if matches!(character, '\u{7f}'..='\u{9f}' | '\u{2028}'..='\u{202e}') {
                out.write_all(&fragment.as_bytes()[plain..at])?;
                write!(out, "\\u{:04x}", u32::from(character))?;
                plain = at + character.len_utf8();
            }
        }
        out.write_all(&fragment.as_bytes()[plain..])
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back_and_has_no_control_characters() {
        let nasty =
            "quote \" slash \\ line \n\r tab \t zero \0 esc \u{1b} del \u{7f} sep \u{2028} ü 🦀";
        let value = serde_json::json!({ "text": nasty, "list": [1, u64::MAX], "empty": {} });
        let (mut line, mut pretty) = (Vec::new(), Vec::new());
        write_line(&mut line, &value).unwrap();
        write_pretty(&mut pretty, &value).unwrap();
        for (text, lines) in [(line, 0), (pretty, 8)] {
            let text = String::from_utf8(text).unwrap();
            let breaks = text.chars().filter(|one| *one == '\n').count();
            let controls = text
                .chars()
                .filter(|one| one.is_control() || *one == '\u{2028}');
            assert_eq!((breaks, controls.count()), (lines, lines), "{text}");
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read, value);
        }
    }
}
