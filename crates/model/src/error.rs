//! Why a file or an option was refused, in a sentence that says what to do.

/// What is wrong with a model's bytes or with what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes are not what they claim to be: cut short, altered, or another format.
    #[error("{0}")]
    Damaged(String),
    /// The bytes were understood, and what they describe does not run here.
    #[error("{0}")]
    Unsupported(String),
    /// An option or argument does not fit the model or the rules for it.
    #[error("{0}")]
    Argument(String),
}

impl Error {
    pub(crate) fn damaged(sentence: impl Into<String>) -> Self {
        Self::Damaged(sentence.into())
    }

    pub(crate) fn unsupported(sentence: impl Into<String>) -> Self {
        Self::Unsupported(sentence.into())
    }

    pub(crate) fn argument(sentence: impl Into<String>) -> Self {
        Self::Argument(sentence.into())
    }
}
