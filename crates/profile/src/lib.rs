//! Turns the records of a profile into a trace for Perfetto and into tables.
//!
//! - `collect`: records to a [`Profile`]: calls, tasks, marks and the use of memory, with times since 1970.
//! - `clock`: the times of records by the clock of the folder.
//! - `timeline`: the trace. `tables`: the tables. `overlap`: when a device computed, communicated or did neither.
//! - `folder`: finds the folders that `aclprofInit` was given, and writes what was made beside the records.
//!
//! Invariants: every task that ran is in exactly one row of `task_time`, and every operator in exactly one of `op_summary`; what the
//! records do not say is absent or `N/A`, never estimated.
#![forbid(unsafe_code)]

mod clock;
mod collect;
mod folder;
mod overlap;
mod tables;
mod timeline;

pub use clock::Clock;
pub use collect::{Call, Mark, MemoryUse, Profile, Task};
pub use folder::{Exported, Failed, export, find};
pub use tables::{Table, tables};
pub use timeline::timeline;

/// Nanoseconds as microseconds with three decimals, which a number in JSON could not hold for a time since 1970.
pub(crate) fn microseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}
