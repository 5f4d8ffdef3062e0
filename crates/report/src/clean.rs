//! Helpers to build text, and to make text from outside harmless.

use std::fmt::{self, Write as _};

pub use millpond_trace::{clean, clean_lines};

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
