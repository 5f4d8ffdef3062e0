//! Text from outside, made harmless: names of functions, files and marks are whatever a program says.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// Appends formatted text to a string.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {
        $crate::clean::append(&mut *$out, format_args!($($text)*))
    };
}
pub(crate) use put;

/// What `put!` calls. Writing to a string cannot fail.
pub(crate) fn append(out: &mut String, text: fmt::Arguments<'_>) {
    out.write_fmt(text).unwrap_or_default();
}

/// The text with every character that a terminal or a reader could obey written out as `\u{..}`.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push(' '),
            _ if obeyed(character) => {
                put!(&mut out, "\\u{{{:x}}}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Control characters, and those that change the direction of the text around them.
fn obeyed(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
        // What XML does not allow even as a number.
        || matches!(character, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        assert_eq!(clean("plain ü text"), "plain ü text");
        assert_eq!(clean("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(clean("a\nb\tc\0"), "a\\nb c\\u{0}");
        assert_eq!(clean("\u{202e}gnp.exe"), "\\u{202e}gnp.exe");
    }
}
