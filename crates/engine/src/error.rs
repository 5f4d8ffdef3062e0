//! What can go wrong with an engine.

use std::fmt;

/// There is no engine, or it refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineError {
    /// No library could be used. The text says where it was looked for and what to install.
    Missing(String),
    /// The library said no, in its own words.
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

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunError {
    /// The run's memory gave nothing for so many bytes.
    NoMemory {
        /// What was asked for.
        bytes: usize,
    },
    /// The engine failed; the text names the node.
    Failed(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMemory { bytes } => write!(f, "there was no memory for {bytes} bytes"),
            Self::Failed(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for RunError {}
