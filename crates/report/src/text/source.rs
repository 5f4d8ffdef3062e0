//! One line of a source file, to be shown under the place that names it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use crate::clean::clean;

/// Beyond this a file is not read for one line of it.
const MOST_BYTES: u64 = 16 << 20;

/// As many characters of a line are shown.
const MOST_CHARACTERS: usize = 100;

/// The line with this number, from 1, without the space around it.
pub(crate) fn line(file: &str, number: u32) -> Option<String> {
    let wanted = usize::try_from(number).ok()?.checked_sub(1)?;
    // Opening a pipe would wait for its writer.
    if !std::fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut reader = BufReader::new(File::open(file).ok()?.take(MOST_BYTES));
    let mut bytes = Vec::new();
    for _ in 0..=wanted {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = clean(text.trim());
    if text.is_empty() {
        return None;
    }
    if text.chars().count() <= MOST_CHARACTERS {
        return Some(text.into_owned());
    }
    let mut short: String = text.chars().take(MOST_CHARACTERS).collect();
    short.push('…');
    Some(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_its_number_and_nothing_else_is_invented() {
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/source.rs");
        assert!(line(own, 1).unwrap().starts_with("//! One line"));
        for number in [0, 2, u32::MAX] {
            assert_eq!(line(own, number), None, "{number}");
        }
        assert_eq!(line("/no/such/file", 1), None);
        assert_eq!(line("/dev/zero", 1), None);
        assert_eq!(line("/", 1), None);
    }
}
