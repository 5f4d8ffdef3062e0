//! Numbers and ranges in messages.

use millpond_trace::{Bytes, Span};

pub(crate) use millpond_trace::{count, grouped, plural};

use crate::world::Block;

/// `512 bytes at 0x1200`.
pub(crate) fn range(range: Bytes) -> String {
    format!("{} at {:#x}", count(range.bytes, "byte"), range.start)
}

/// `512 bytes at 0x1200`, or the rows of a two-dimensional copy.
pub(crate) fn place(span: Span) -> String {
    let bytes = count(span.width, "byte");
    if span.rows == 1 {
        return format!("{bytes} at {:#x}", span.start);
    }
    format!(
        "{} of {bytes} at {:#x}, {} apart",
        count(span.rows, "row"),
        span.start,
        count(span.pitch, "byte")
    )
}

/// `block 7 (256 bytes)`: by its name and the bytes that the program asked for.
pub(crate) fn block(block: &Block) -> String {
    format!("{} ({})", block.name(), count(block.requested, "byte"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_described() {
        let span = Span {
            start: 0x1000,
            width: 3,
            pitch: 10,
            rows: 2,
        };
        assert_eq!(place(span), "2 rows of 3 bytes at 0x1000, 10 bytes apart");
    }
}
