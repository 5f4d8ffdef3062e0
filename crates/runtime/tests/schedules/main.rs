//! Streams, events and host functions under every schedule.
//!
//! A correct program gives the same result whatever the schedule; what differs is when tasks run,
//! and that is tested too: `latest` and `seeded` hold back everything that nobody asked for.

#[path = "../common/mod.rs"]
mod common;

mod events;
mod failures;
mod latest;
mod reports;
mod results;
mod seeded;
mod waiting;
