//! Why a function cannot be planned.

use std::fmt;

/// What kind of mistake it is; decides the code that C gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// An argument that has to be there is missing.
    Missing,
    /// An argument has a type, shape or value that the function does not take.
    Invalid,
    /// The function takes it, but Millpond does not.
    Unsupported,
}

/// Why a function cannot be planned, in a sentence.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// What kind of mistake it is.
    pub reason: Reason,
    /// The sentence.
    pub text: String,
}

impl Refusal {
    /// An argument does not fit.
    #[cold]
    pub fn invalid(text: impl Into<String>) -> Self {
        Self {
            reason: Reason::Invalid,
            text: text.into(),
        }
    }

    /// Millpond does not have this.
    #[cold]
    pub fn unsupported(text: impl Into<String>) -> Self {
        Self {
            reason: Reason::Unsupported,
            text: text.into(),
        }
    }

    /// An argument is missing.
    #[cold]
    pub fn missing(argument: &str) -> Self {
        Self {
            reason: Reason::Missing,
            text: format!("argument '{argument}' is NULL"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

/// Returns a refusal unless a condition holds.
#[macro_export]
macro_rules! require {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err($crate::Refusal::invalid(format!($($text)+)));
        }
    };
}
