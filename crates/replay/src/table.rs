//! Tables that read well as they are and as Markdown.

use std::fmt;

/// Lines of cells under headings.
#[derive(Debug)]
pub struct Table {
    lines: Vec<Vec<String>>,
}

impl Table {
    /// One without lines.
    pub fn new(headings: Vec<String>) -> Self {
        Self {
            lines: vec![headings],
        }
    }

    /// One line more, with a cell for each heading.
    pub fn add(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.lines[0].len());
        self.lines.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.lines[0].len();
        let width = |column: usize| {
            let cells = self.lines.iter().map(|cells| cells[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (number, cells) in self.lines.iter().enumerate() {
            for (cell, &width) in cells.iter().zip(&widths) {
                write!(f, "| {cell:width$} ")?;
            }
            writeln!(f, "|")?;
            if number == 0 {
                for &width in &widths {
                    write!(f, "| {:-<width$} ", "")?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// A number with `places` decimals; nothing for none.
pub fn decimals(number: f64, places: usize) -> String {
    if number.is_finite() {
        format!("{number:.places$}")
    } else {
        String::new()
    }
}

/// Bytes in powers of 1000.
#[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
pub fn gigabytes(bytes: u64) -> String {
    match bytes as f64 {
        large if large >= 1e9 => format!("{:.2} GB", large / 1e9),
        small => format!("{:.1} MB", small / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_equally_wide() {
        let mut table = Table::new(vec!["a".to_owned(), "wide heading".to_owned()]);
        table.add(vec!["a long cell".to_owned(), gigabytes(1_500_000_000)]);
        let text = table.to_string();
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths.len(), 3);
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }
}
