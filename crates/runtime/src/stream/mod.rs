//! Streams, the tasks in them and the events between them.
//!
//! `core.rs` is the queue and the life of one stream, `progress.rs` how far it is; `task.rs` what a
//! task does; `event.rs` marks in streams that others wait for; `report.rs` functions that a thread
//! of the program runs for a stream.

mod core;
mod event;
mod progress;
mod report;
mod task;

pub use self::core::{Ending, OnFailure};
pub(crate) use self::core::{Head, Rest, Stand, Stepped, StreamCore, Waiting, function_of_thread};
pub(crate) use event::{EventCore, Mark, Marks};
pub use event::{EventKind, EventStatus};
pub(crate) use progress::Progress;
pub(crate) use report::ReportQueue;
pub use report::Reports;
pub use task::EndedBy;
pub(crate) use task::{Computation, External, HostWork, Motion, ReadyMotion, Task, Watched, Work};
