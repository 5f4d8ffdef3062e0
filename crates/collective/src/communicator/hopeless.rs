//! Whether operations wait in vain: for ranks that are gone, or for too long.

use std::sync::atomic::Ordering;
use std::time::Instant;

use millpond_sharing::{is_running, monotonic_milliseconds};

use super::problems::listed;
use super::{Communicator, Fault, Queue, Work};
use crate::board::{LEFT, LOST, PRESENT};
use crate::trouble::Trouble;

/// Milliseconds that a process may take to end after a rank of it has left.
const LONGEST_END: u64 = 3000;

impl Communicator {
    /// Looks whether operations wait for ranks that are gone, or for too long.
    pub(crate) fn tick(&self, now: Instant) {
        self.with_queue(|queue, endings| {
            if let Some(fault) = self.abandoned(queue) {
                self.fail(queue, fault, endings);
            } else if let Some(fault) = self.why_hopeless(queue, now) {
                // What the others did before they ended may be enough.
                self.advance_locked(queue, endings);
                if self.why_hopeless(queue, now).is_some() {
                    self.fail(queue, fault, endings);
                }
            }
        });
    }

    fn why_hopeless(&self, queue: &Queue, now: Instant) -> Option<Fault> {
        queue.begun.iter().find_map(|(number, begun)| {
            let (missing, what) = match &begun.work {
                Work::Waiting { .. } => return None,
                Work::Group(rounds) => (
                    rounds.missing(&self.board, self.rank),
                    rounds.description().summary(),
                ),
                Work::Transfers(transfers, _) => (
                    transfers.missing(&self.board, self.rank),
                    transfers.summary(&self.board, self.rank),
                ),
            };
            let name = &self.settings.name;
            if let Some(gone) = missing.iter().find(|&&other| self.is_gone(other)) {
                let process = self.board.process(*gone).load(Ordering::Relaxed);
                let how = self.how_gone(*gone);
                return Some(Fault {
                    is_own: false,
                    text: format!(
                        "EI0002: {what} on communicator {name} cannot complete: rank {gone} (pid {process}) {how}. Cluster Exception \
                         Location [rank {gone}]: Heartbeat Lost"
                    ),
                    problem: self.problem(|it| {
                        let reason = format!(
                            "{what} of rank {} on communicator {name} waits for rank {gone} (pid {process}), which {how}",
                            it.rank
                        );
                        it.trouble(Trouble::Gone, reason, it.waiting(queue, *number, &[*gone]))
                    }),
                });
            }
            let limit = self.settings.limit?;
            let waited = now.saturating_duration_since(begun.since);
            (waited >= limit).then(|| {
                let seconds = limit.as_secs();
                let names: Vec<String> = missing.iter().map(usize::to_string).collect();
                Fault {
                    is_own: false,
                    text: format!(
                        "EI0002: {what} on communicator {name} waited {seconds} s: Notify register not received from remote rank [{}]. Check that \
                         every rank calls the same operations in the same order; HCCL_EXEC_TIMEOUT sets the limit",
                        names.join(", ")
                    ),
                    problem: self.problem(|it| {
                        let reason = format!(
                            "{what} of rank {} on communicator {name} waited {seconds} s for {}",
                            it.rank,
                            listed(&missing)
                        );
                        it.trouble(Trouble::TimedOut, reason, it.waiting(queue, *number, &missing))
                    }),
                }
            })
        })
    }

    /// What happened to a rank that is gone.
    fn how_gone(&self, other: usize) -> String {
        let process = self.board.process(other).load(Ordering::Relaxed);
        let is_here = self.board.is_here(other);
        match self.board.presence(other).load(Ordering::Acquire) {
            LOST => format!("cannot be reached any more: {}", self.board.lost()),
            PRESENT if !is_here => {
                "cannot be reached any more: the process that connects this machine to the others has ended".to_owned()
            }
            LEFT if !is_here || is_running(process.cast_signed()) => {
                "has destroyed its communicator".to_owned()
            }
            _ => "has ended".to_owned(),
        }
    }

    /// Whether another rank will never do anything again.
    fn is_gone(&self, other: usize) -> bool {
        if other == self.rank {
            return false;
        }
        if !self.board.is_here(other) {
            return self.board.presence(other).load(Ordering::Acquire) != PRESENT
                || self.board.is_relay_gone();
        }
        match self.board.presence(other).load(Ordering::Acquire) {
            PRESENT => {
                let process = self.board.process(other).load(Ordering::Relaxed);
                process != std::process::id()
                    && matches!(self.board.segment().is_claimed(other as u64), Ok(false))
            }
            LEFT => {
                let since = self.board.left(other).load(Ordering::Relaxed);
                !self.is_ending(other, since, monotonic_milliseconds())
            }
            _ => false,
        }
    }

    /// Why a rank has ended the communicator for all, if it has.
    pub(super) fn broken(&self) -> Option<String> {
        let text = self.board.broken()?;
        match self.board.broken_by() {
            Some((rank, since)) if self.is_ending(rank, since, monotonic_milliseconds()) => None,
            _ => Some(text),
        }
    }

    /// Whether a rank that has left, or failed, may be about to end with its process. Who started the ranks takes the first one that
    /// ends for the cause, so the others do not end before it.
    fn is_ending(&self, rank: usize, since: u64, now: u64) -> bool {
        let process = self.board.process(rank).load(Ordering::Relaxed);
        // A clock that is behind is that of another namespace.
        let waited = now.checked_sub(since);
        // What a process on another machine does is not known here.
        rank != self.rank
            && self.board.is_here(rank)
            && process != std::process::id()
            && waited.is_some_and(|waited| waited < LONGEST_END)
            && is_running(process.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::{Hub, Invitation, Member, Settings, join};

    /// Two ranks of this process.
    fn two_ranks() -> Vec<Arc<Communicator>> {
        let hub = Hub::new().unwrap();
        let invitation = Invitation::open(&hub).unwrap();
        std::thread::scope(|scope| {
            let joins = [0, 1].map(|rank| {
                let member = Member {
                    ranks: 2,
                    rank,
                    patience: Duration::from_mins(4),
                    settings: Settings {
                        name: "test".to_owned(),
                        limit: None,
                        shuffled: false,
                        observer: None,
                        device: None,
                    },
                };
                let hub = &hub;
                scope.spawn(move || join(hub, invitation, member).unwrap())
            });
            joins.map(|thread| thread.join().unwrap()).into()
        })
    }

    #[test]
    fn a_rank_that_has_left_is_given_time_to_end_with_its_process() {
        let ranks = two_ranks();
        let [first, second] = &ranks[..] else {
            panic!("two ranks")
        };
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let is_ending = |now| first.is_ending(1, 1000, now);
        assert!(!is_ending(1000), "a rank of this process");
        first.board.process(1).store(child.id(), Ordering::Relaxed);
        assert!(is_ending(1000) && is_ending(1000 + LONGEST_END - 1));
        assert!(
            !is_ending(1000 + LONGEST_END),
            "it stays, so it has left on purpose"
        );
        assert!(!is_ending(999), "another clock");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_ending(1000), "it has ended");
        second.close();
        assert!(first.is_gone(1), "at once: its process has ended");
        assert_eq!(first.failure(), None, "nothing was in flight");
    }

    #[test]
    fn a_failure_of_one_rank_is_that_of_all_when_its_process_has_ended() {
        let ranks = two_ranks();
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        ranks[0]
            .board
            .process(1)
            .store(child.id(), Ordering::Relaxed);
        assert!(ranks[0].board.claim_break());
        // Longer ago than ranks wait, then just now.
        ranks[0].board.break_with("why", Some((1, 0)));
        assert_eq!(ranks[0].broken().as_deref(), Some("why"));
        child.kill().unwrap();
        child.wait().unwrap();
        ranks[0]
            .board
            .break_with("why", Some((1, monotonic_milliseconds())));
        assert_eq!(ranks[0].failure().as_deref(), Some("why"));
    }
}
