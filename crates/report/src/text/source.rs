//! Lines of a source file, shown below a frame.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use crate::clean::clean;

/// How much of a file is read.
const MOST_BYTES: u64 = 16 << 20;

/// How many characters of a line are shown.
const MOST_CHARACTERS: usize = 100;

/// The line with this number, from 1, trimmed. `None` if it is empty.
pub(crate) fn line(file: &str, number: u32) -> Option<String> {
    let (_, text) = around(file, number, 0).pop()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The line with this number and `beside` lines on each side; none if there is no such line.
pub(crate) fn around(file: &str, number: u32, beside: u32) -> Vec<(u32, String)> {
    read(file, number, beside).unwrap_or_default()
}

fn read(file: &str, number: u32, beside: u32) -> Option<Vec<(u32, String)>> {
    // Opening a pipe would block until it has a writer.
    if number == 0 || !std::fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut reader = BufReader::new(File::open(file).ok()?.take(MOST_BYTES));
    let mut bytes = Vec::new();
    let mut lines = Vec::new();
    for at in 1..=number.saturating_add(beside) {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).ok()? == 0 {
            break;
        }
        if at.saturating_add(beside) >= number {
            lines.push((at, shown(&bytes)));
        }
    }
    let found = lines.iter().any(|(at, _)| *at == number);
    found.then_some(lines)
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\t', "    ");
    let text = clean(text.trim_end());
    let mut short: String = text.chars().take(MOST_CHARACTERS).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/source.rs");

    #[test]
    fn a_line_is_found_by_its_number() {
        assert!(line(OWN, 1).unwrap().starts_with("//! Lines of"));
        for number in [0, 2, u32::MAX] {
            assert_eq!(line(OWN, number), None, "{number}");
        }
        assert_eq!(line("/no/such/file", 1), None);
        assert_eq!(line("/dev/zero", 1), None);
        assert_eq!(line("/", 1), None);
    }

    #[test]
    fn the_lines_around_it_end_where_the_file_does() {
        let numbers = |number, beside| -> Vec<u32> {
            let lines = around(OWN, number, beside);
            lines.into_iter().map(|(number, _)| number).collect()
        };
        assert_eq!(numbers(1, 2), [1, 2, 3]);
        assert_eq!(numbers(10, 1), [9, 10, 11]);
        assert_eq!(numbers(u32::MAX, 3), [0; 0]);
    }
}
