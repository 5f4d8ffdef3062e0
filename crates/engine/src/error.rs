//! Errors of the engine.

use std::fmt;

/// The engine is missing, or it returned an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineError {
    /// No usable library. The text lists where it was searched and what to install.
    Missing(String),
    /// The library returned an error; this is its message.
    Refused(String),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(text) | Self::Refused(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for EngineError {}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunError {
    /// The run's memory returned `None` for a request.
    NoMemory {
        /// The requested bytes.
        bytes: usize,
    },
    /// The engine failed; the text names the node.
    Failed(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMemory { bytes } => write!(f, "out of memory: {bytes} bytes were requested"),
            Self::Failed(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for RunError {}
