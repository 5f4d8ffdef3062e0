//! Findings for people and machines.
//!
//! A finding names records; a report names functions, files and lines.
#![forbid(unsafe_code)]
