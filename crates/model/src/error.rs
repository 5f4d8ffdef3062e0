//! Errors of files and options, with a sentence that says what to do.

/// An error in the bytes of a model or in its options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes are invalid: truncated, modified, or of another format.
    #[error("{0}")]
    Damaged(String),
    /// The bytes are valid but describe something unsupported.
    #[error("{0}")]
    Unsupported(String),
    /// An option or argument is invalid, or does not fit the model.
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
