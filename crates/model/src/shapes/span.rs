//! The values that a dimension accepts.

use std::fmt;

use crate::{Error, onnx::OPEN};

/// The inclusive range of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The minimum.
    pub least: i64,
    /// The maximum; `None` if unbounded.
    pub most: Option<i64>,
}

impl Span {
    /// Any value.
    pub const ANY: Self = Self {
        least: 0,
        most: None,
    };

    /// Exactly this value; [`OPEN`] gives any value.
    pub fn of(dim: i64) -> Self {
        if dim < 0 {
            return Self::ANY;
        }
        Self {
            least: dim,
            most: Some(dim),
        }
    }

    /// The only value, if it is fixed.
    pub fn fixed(self) -> Option<i64> {
        self.most.filter(|most| *most == self.least)
    }

    /// As shown in descriptions: the fixed value, or [`OPEN`].
    pub fn dim(self) -> i64 {
        self.fixed().unwrap_or(OPEN)
    }

    /// Whether the range contains this value.
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

/// Spans in the syntax of `atc`'s options.
pub fn show(spans: &[Span]) -> String {
    let texts: Vec<String> = spans.iter().map(Span::to_string).collect();
    texts.join(",")
}

/// Checks a shape against the spans; the error names the dimension that does not match.
pub fn check_shape(name: &str, spans: &[Span], shape: &[i64]) -> Result<(), Error> {
    let name = name.escape_debug();
    if shape.len() != spans.len() {
        return Err(Error::argument(format!(
            "input '{name}' has {} dimensions, but the shape {shape:?} has {}",
            spans.len(),
            shape.len()
        )));
    }
    for (index, (span, dim)) in spans.iter().zip(shape).enumerate() {
        if !span.holds(*dim) {
            return Err(Error::argument(format!(
                "the shape {shape:?} does not match input '{name}' ({}): dimension {index} is {dim}, expected {span}",
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
