//! What went wrong between ranks, for whoever reports it.
//!
//! A call has its *lane*: the stream that it is queued in. Ranks that have an observer show, for each line of a communicator (operations
//! of all ranks; messages of one ordered pair), the call that is first in it: its number, its lane, and whether its stream has reached it.
//! A call that has started waits for a lane if the rank that it needs shows a call there that is queued: that call comes after
//! whatever the lane is doing. A lane may do several calls at a time, a group; it has reached all of them before the first starts.
//! Lanes that wait for each other in a cycle never continue (`waits.rs`).

use std::fmt;
use std::sync::Arc;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Ranks do different things at one place of their order.
    Mismatch,
    /// A message is received with another size or type than it was sent with.
    Message,
    /// A rank that others wait for is gone.
    Gone,
    /// Ranks wait for each other.
    Cycle,
    /// Ranks waited for longer than the limit.
    TimedOut,
    /// A rank has closed its communicator while its operations were in flight.
    Closed,
    /// What a rank gives to an operation has a NaN, and no rank had one before. The communicator goes on.
    NotANumber,
}

/// One thing that went wrong. One rank reports it for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What.
    pub trouble: Trouble,
    /// The communicator's name.
    pub communicator: String,
    /// The rank that reports.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
    /// What happened, in a sentence.
    pub reason: String,
    /// What ranks were doing.
    pub doings: Vec<Doing>,
    /// The last operation that all did together; empty if there is none.
    pub before: String,
    /// The operation's number among those of all ranks, from 1; 0 if it is none of these.
    pub place: u64,
}

/// What a rank does, or did last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// Which rank.
    pub rank: usize,
    /// In words.
    pub what: String,
    /// The call's site, as its program gave it.
    pub site: String,
    /// Other ranks that do the same.
    pub also: Vec<usize>,
}

/// Who wants to know. It is called under locks of this crate, and must not call back.
#[derive(Clone)]
pub struct Observer(pub Arc<dyn Fn(&Problem) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// Who makes a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// Where the program made it. What follows a unit separator is for observers, not for messages.
    pub site: String,
    /// The stream that it is queued in: a number that no other stream of the machine has. 0 if unknown.
    pub lane: u64,
}

/// The part of a site that people read.
pub(crate) fn readable(site: &str) -> &str {
    site.split('\u{1f}').next().unwrap_or_default()
}
