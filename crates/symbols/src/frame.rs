//! A frame of a call stack with names instead of an address.

use serde::{Deserialize, Serialize};

/// One frame of a call stack. In the JSON of a finding it has the same fields, so docs/report.md lists them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolvedFrame {
    /// The function; empty if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// The source file; empty if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line in the file; 0 if unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    /// The program or library, with the offset in it if the line is unknown. Empty for frames of interpreted
    /// languages.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub module: String,
    /// The compiler inlined it into the next frame.
    #[serde(skip_serializing_if = "is_false")]
    pub inlined: bool,
}

// `skip_serializing_if` passes references.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !*flag
}
