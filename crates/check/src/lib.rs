//! Judges records: which documented rule was broken, by whom, and what was missing.
//!
//! A [`Checker`] reads records one after the other, live from a tap or from a file, and yields
//! findings. It calls nothing and knows no clock, so the same records give the same findings.
#![forbid(unsafe_code)]

mod checker;
mod clock;
mod finding;
mod gate;
mod judge;
pub mod rules;
mod segments;
mod touches;
mod verdict;
mod watcher;
mod world;

pub use checker::{Checker, Options, Statistics};
pub use finding::{Act, BlockStory, Finding};
pub use gate::{Change, GateOptions, Open};
pub use rules::{Rule, Severity};
pub use watcher::Watcher;
