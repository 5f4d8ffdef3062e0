//! Judges the records of many ranks together: each process wrote a file of its own.
//!
//! First every file is read once for its [`Roster`]: which ranks of which communicators it has. Then [`Job`] reads all files side by
//! side. It says which file it wants next ([`Job::wants`]): the one with the fewest calls that wait for other ranks. So its memory depends
//! on how far the ranks of a job are apart, not on how long they ran.
//!
//! - `job.rs`: the calls of all ranks, matched by communicator and place. `lanes.rs`: streams, and which call each has reached.
//! - `found.rs`: findings. `picture.rs`: what ranks did around one.
//!
//! Streams are followed as if nothing took time: a call is over when every rank that it needs has reached it. Where the model cannot
//! know what a stream waits for, it goes on. So what does not end here cannot end in the program either.

mod found;
mod job;
mod lanes;
mod picture;

use std::collections::{BTreeMap, HashMap};

use millpond_trace::{Operation, RankProblem, Record};

pub use found::RankFinding;
pub use job::{Job, JobStatistics};
pub(crate) use picture::chosen;
pub use picture::{MOST_LANES, RankCell, RankColumn, RankLane, RankMatrix, RankPicture, RankState};

/// Which file has which ranks.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    communicators: Vec<Members>,
    by_id: HashMap<String, usize>,
    /// Names of communicators about which a process recorded a problem itself.
    failed: Vec<String>,
    /// Communicators beyond the limit.
    dropped: u64,
}

/// The ranks of one communicator.
#[derive(Debug, Clone)]
pub(crate) struct Members {
    pub(crate) name: String,
    pub(crate) ranks: u32,
    /// The file of each rank that has one.
    pub(crate) files: BTreeMap<u32, usize>,
}

/// Communicators of a job that are followed.
const MOST_COMMUNICATORS: usize = 1 << 16;

impl Roster {
    /// Reads a record of a file.
    pub fn learn(&mut self, file: usize, record: &Record) {
        match &record.operation {
            Operation::RankJoined {
                communicator,
                name,
                rank,
                ranks,
            } => {
                let next = self.communicators.len();
                if next >= MOST_COMMUNICATORS && !self.by_id.contains_key(communicator) {
                    self.dropped += 1;
                    return;
                }
                let index = *self.by_id.entry(communicator.clone()).or_insert(next);
                if index == next {
                    self.communicators.push(Members {
                        name: name.clone(),
                        ranks: *ranks,
                        files: BTreeMap::new(),
                    });
                }
                self.communicators[index].files.insert(*rank, file);
            }
            Operation::RanksFailed {
                problem,
                communicator,
                ..
            } if ends(*problem) => {
                // A cycle may be about several.
                let names = communicator.split(" and ").chain([&**communicator]);
                self.failed.extend(names.map(str::to_owned));
                self.failed.sort_unstable();
                self.failed.dedup();
            }
            _ => {}
        }
    }

    /// Whether there is something to compare: a communicator with ranks in the files.
    pub fn has_ranks(&self) -> bool {
        !self.communicators.is_empty()
    }

    /// Communicators of which ranks have no file: the name, how many are missing, and how many there are.
    pub fn incomplete(&self) -> Vec<(&str, u32, u32)> {
        let missing = |members: &Members| {
            let known = u32::try_from(members.files.len()).unwrap_or(u32::MAX);
            members.ranks.saturating_sub(known)
        };
        self.communicators
            .iter()
            .filter(|members| missing(members) > 0)
            .map(|members| (&*members.name, missing(members), members.ranks))
            .collect()
    }

    fn find(&self, communicator: &str) -> Option<usize> {
        self.by_id.get(communicator).copied()
    }
}

/// Whether a problem ends the communicator.
fn ends(problem: RankProblem) -> bool {
    match problem {
        RankProblem::Mismatch
        | RankProblem::Message
        | RankProblem::Gone
        | RankProblem::Cycle
        | RankProblem::TimedOut
        | RankProblem::Closed => true,
        RankProblem::Meeting
        | RankProblem::SharedDevice
        | RankProblem::OtherDevice
        | RankProblem::NotANumber => false,
    }
}
