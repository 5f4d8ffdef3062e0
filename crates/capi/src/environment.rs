//! The variables that a process was started with.
//!
//! A program may clear its environment before its first call, but the settings of `millpond check` must still apply. So
//! in a checked process our own variables are read when the library is loaded. Values that the program sets later take
//! precedence.

use std::ffi::OsString;
use std::sync::OnceLock;

static NOTED: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();

/// Notes what is set now.
pub(crate) fn note() {
    NOTED.get_or_init(|| {
        let ours = |name: &OsString| name.as_encoded_bytes().starts_with(b"MILLPOND_");
        std::env::vars_os().filter(|(name, _)| ours(name)).collect()
    });
}

/// The value of a variable.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).or_else(|| {
        let noted = NOTED.get()?;
        let (_, value) = noted.iter().find(|(known, _)| known == name)?;
        Some(value.clone())
    })
}

/// The same as text.
pub(crate) fn text(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned())
}
