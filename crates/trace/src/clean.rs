//! Makes text from outside harmless: names of functions, files and marks may contain anything.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes control characters and the like as `\u{..}`: everything that a terminal or a parser might act on.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(special) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push(' '),
            _ if special(character) => {
                // Writing to a string cannot fail.
                write!(out, "\\u{{{:x}}}", u32::from(character)).unwrap_or_default();
            }
            _ => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// The same for text of several lines; line breaks stay.
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|one| one != '\n' && special(one)) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(clean).collect();
    Cow::Owned(lines.join("\n"))
}

/// Control characters, and those that change the direction of the text around them.
fn special(character: char) -> bool {
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
    fn control_characters_are_escaped() {
        assert_eq!(clean("plain ü text"), "plain ü text");
        assert_eq!(clean("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(clean("a\nb\tc\0"), "a\\nb c\\u{0}");
        assert_eq!(clean("\u{202e}gnp.exe"), "\\u{202e}gnp.exe");
        assert_eq!(clean_lines("a\nb\u{7}\n"), "a\nb\\u{7}\n");
        assert_eq!(clean_lines("a\nb"), "a\nb");
    }
}
