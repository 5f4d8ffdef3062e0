//! Functions that exist but cannot be computed: each says what Millpond lacks.

use crate::plan::Planned;
use crate::refusal::Refusal;

/// Refuses a call of a function that Millpond does not have; `what` says what is missing.
pub(crate) fn lacks(what: &str) -> Planned {
    Err(Refusal::unsupported(format!(
        "Millpond does not support {what}"
    )))
}
