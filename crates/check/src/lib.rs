//! Judges records: which documented rule was broken, by which operation, and what was missing.
//!
//! A [`Checker`] reads records in order, live from a tap or from a file, and returns findings. It calls nothing and
//! depends on no time, so the same records give the same findings.
#![forbid(unsafe_code)]

mod checker;
mod clock;
mod finding;
mod gate;
mod judge;
pub mod limits;
mod range_map;
pub mod ranks;
pub mod rules;
mod touches;
mod verdict;
mod watcher;
mod world;

pub use checker::{Checker, Options, Statistics};
pub use finding::{BlockLifetime, Finding, ReportedOperation};
pub use gate::{Change, GateOptions, Open};
pub use rules::{Rule, Severity};
pub use watcher::Watcher;
