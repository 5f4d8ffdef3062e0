//! The variables that a process was started with.
//!
//! A program may clear its environment before its first call; what it was asked to do by `millpond check` holds all the
//! same. So in a process that is checked our own variables are noted when the library is loaded. What the program has
//! set itself since then wins.

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
