//! The values that one dimension may have.

use std::fmt;

use crate::{Error, onnx::OPEN};

/// From the least to the most that a dimension may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The least.
    pub least: i64,
    /// The most; `None` if nothing bounds it.
    pub most: Option<i64>,
}

impl Span {
    /// Anything.
    pub const ANY: Self = Self {
        least: 0,
        most: None,
    };

    /// Exactly this; what a model calls open may be anything.
    pub fn of(dim: i64) -> Self {
        if dim < 0 {
            return Self::ANY;
        }
        Self {
            least: dim,
            most: Some(dim),
        }
    }

    /// The one value it may have.
    pub fn fixed(self) -> Option<i64> {
        self.most.filter(|most| *most == self.least)
    }

    /// As descriptions show it: the one value, or [`OPEN`].
    pub fn dim(self) -> i64 {
        self.fixed().unwrap_or(OPEN)
    }

    /// Whether a dimension may be this.
    pub fn holds(self, dim: i64) -> bool {
        dim >= self.least && self.most.is_none_or(|most| dim <= most)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.fixed(), self.most) {
            (Some(dim), _) => write!(to, "{dim}"),
            (None, Some(most)) => write!(to, "{}~{most}", self.least),
            (None, None) if self.least == 0 => write!(to, "-1"),
            (None, None) => write!(to, "{}~-1", self.least),
        }
    }
}

/// Spans as the options of `atc` write them.
pub fn show(spans: &[Span]) -> String {
    let texts: Vec<String> = spans.iter().map(Span::to_string).collect();
    texts.join(",")
}

/// Whether a shape is one of those that the spans allow; the sentence says which dimension is not.
pub fn check_shape(name: &str, spans: &[Span], shape: &[i64]) -> Result<(), Error> {
    let name = name.escape_debug();
    if shape.len() != spans.len() {
        return Err(Error::argument(format!(
            "input '{name}' has {} dimensions, and the shape {shape:?} has {}",
            spans.len(),
            shape.len()
        )));
    }
    for (index, (span, dim)) in spans.iter().zip(shape).enumerate() {
        if !span.holds(*dim) {
            return Err(Error::argument(format!(
                "the shape {shape:?} does not fit input '{name}': dimension {index} is {dim}, and {} may be {span}",
                show(spans)
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_fits_or_the_sentence_says_where_not() {
        let spans = [
            Span {
                least: 1,
                most: Some(10),
            },
            Span::of(3),
            Span::ANY,
        ];
        assert_eq!(show(&spans), "1~10,3,-1");
        assert_eq!(spans.map(Span::dim), [OPEN, 3, OPEN]);
        for shape in [[1, 3, 0], [10, 3, i64::MAX]] {
            assert_eq!(check_shape("x", &spans, &shape), Ok(()));
        }
        for (shape, expected) in [
            (&[11, 3, 1][..], "dimension 0 is 11"),
            (&[0, 3, 1], "dimension 0 is 0"),
            (&[1, 2, 1], "dimension 1 is 2"),
            (&[1, 3, -1], "dimension 2 is -1"),
            (&[1, 3], "has 3 dimensions"),
        ] {
            let error = check_shape("x", &spans, shape).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
