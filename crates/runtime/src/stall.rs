//! Calls that wait while the stream they depend on is blocked, in the checking mode.
//!
//! A long wait is examined from time to time: which task blocks the stream, and what could unblock it. If two examinations find
//! the same, and nothing moved in between, it is recorded, once, while the call still waits. Two, because one
//! examination visits the streams one after the other.
//!
//! It is *certain* that a call never returns if streams wait for each other in a cycle, if only the waiting thread could
//! record the missing event, or if the thread that processes the reports is this one or has ended. Otherwise another
//! thread of the program may still end the wait, and the record only says that the call has waited for long.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_trace::{Operation, Position, Stall};

use crate::clock::STEP;
use crate::schedule::Goal;
use crate::shared::Shared;
use crate::stream::{Rest, Stand, StreamCore};

/// How long a wait lasts before it is looked at, and from one look to the next.
const LOOK: Duration = Duration::from_millis(100);
/// How long it lasts before it is reported, though it may still end.
const LONG: Duration = Duration::from_secs(10);

/// What holds a wait up, as one look saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    at: Position,
    why: Stall,
    certain: bool,
    /// How many tasks had ended in all streams together.
    ended: u64,
}

impl Shared {
    /// Waits for a goal, for a call of the program; false if the time was up first.
    pub(crate) fn wait_for(&self, goal: &Goal, deadline: Option<Instant>) -> bool {
        if deadline.is_some() || !self.config.guards {
            return self.wait_until(goal, deadline, None);
        }
        let began = Instant::now();
        let mut before: Option<Seen> = None;
        loop {
            if self.wait_until(goal, None, Some(Instant::now() + LOOK)) {
                return true;
            }
            let seen = self.look(goal);
            if let Some(seen) = seen
                && before == Some(seen)
                && (seen.certain || began.elapsed() >= LONG)
            {
                let Seen {
                    at, why, certain, ..
                } = seen;
                self.tap
                    .emit(|| Operation::CallStalled { at, why, certain });
                return self.wait_until(goal, None, None);
            }
            before = seen;
        }
    }

    /// Waits for a goal; false if the deadline came first, or the machine's clock came to `look`.
    pub(crate) fn wait_until(
        &self,
        goal: &Goal,
        deadline: Option<Instant>,
        look: Option<Instant>,
    ) -> bool {
        if self.clock.is_real() {
            let deadline = deadline.map(|deadline| self.clock.on_machine(deadline));
            let first = deadline.into_iter().chain(look).min();
            return self.scheduler.wait(goal, first);
        }
        let awaited = goal.clone();
        let _expected = self.clock.expect_until(deadline, move || awaited.reached());
        loop {
            if self.scheduler.wait(goal, Some(Instant::now() + STEP)) {
                return true;
            }
            if deadline.is_some_and(|deadline| self.clock.now() >= deadline)
                || look.is_some_and(|look| Instant::now() >= look)
            {
                return false;
            }
            self.clock.let_pass();
        }
    }

    /// Whether no stream can go on, but for what waits for the program or for time.
    pub(crate) fn streams_rest(&self) -> bool {
        if self.scheduler.is_choosing() {
            return false;
        }
        let mut others = 0;
        for stream in self.streams(None) {
            match stream.rest() {
                Rest::No => return false,
                Rest::UntilOthers => others += 1,
                Rest::Yes => {}
            }
        }
        // What the timer lets go on waits for time; what is left waits for ranks and processes, which take as long as they take.
        others <= self.scheduler.calls_left()
    }

    /// Whether no stream goes on without a call of the program.
    pub(crate) fn streams_stand(&self) -> bool {
        if self.scheduler.runs_by_calls() {
            let runs = |stream: &Arc<StreamCore>| stream.runs_a_task();
            !self.scheduler.is_choosing() && !self.streams(None).iter().any(runs)
        } else {
            self.streams_rest()
        }
    }

    fn look(&self, goal: &Goal) -> Option<Seen> {
        let first = match goal {
            Goal::Stream(stream, _) => Arc::clone(stream),
            Goal::Mark(mark) => mark.stream()?,
            // Whoever processes reports waits for them as a matter of course.
            Goal::Report(_) => return None,
        };
        let (at, why, ended_by_thread) = follow(first)?;
        let certain = match why {
            Stall::Circle => true,
            Stall::Report => ended_by_thread || is_alone(),
            // A function of the program that still runs may record the event.
            Stall::Unrecorded => is_alone() && !self.any_moves(),
            // So may another process, or a store of the program to a word that it shares with the device.
            Stall::Outside => false,
        };
        let streams = self.streams(None);
        let ended = streams.iter().map(|it| it.progress.completed()).sum();
        Some(Seen {
            at,
            why,
            certain,
            ended,
        })
    }

    /// Streams that wait for an event that another stream has yet to record: the task that waits, and the one that records.
    pub(crate) fn event_waits(&self) -> Vec<(Position, Position)> {
        let waits = |stream: &Arc<StreamCore>| match stream.stand() {
            Stand::Waits { task, mark } if !mark.reached() => {
                let stream = stream.id;
                Some((Position { stream, task }, mark.place()?))
            }
            _ => None,
        };
        self.streams(None).iter().filter_map(waits).collect()
    }

    fn any_moves(&self) -> bool {
        let streams = self.streams(None);
        streams
            .iter()
            .any(|stream| matches!(stream.stand(), Stand::Moves | Stand::Outside { .. }))
    }
}

/// Follows waits from stream to stream, to the task that holds all of them up; with whether the thread that could let it go
/// on is this one or has ended. `None` if something moves.
fn follow(mut stream: Arc<StreamCore>) -> Option<(Position, Stall, bool)> {
    let mut seen = HashSet::from([stream.id]);
    loop {
        let at = |task| Position {
            stream: stream.id,
            task,
        };
        match stream.stand() {
            Stand::Moves | Stand::Idle => return None,
            Stand::Outside { task } => return Some((at(task), Stall::Outside, false)),
            Stand::Reported { task, reports } => {
                let thread = reports.thread();
                let gone = thread.is_some_and(|it| Some(it) == this_thread() || !exists(it));
                return Some((at(task), Stall::Report, gone));
            }
            Stand::Waits { task, mark } => match mark.stream() {
                Some(next) if seen.insert(next.id) => stream = next,
                Some(_) => return Some((at(task), Stall::Circle, false)),
                None if mark.reached() => return None,
                None => return Some((at(task), Stall::Unrecorded, false)),
            },
        }
    }
}

/// The number that the system knows the calling thread by.
pub(crate) fn this_thread() -> Option<u64> {
    let link = std::fs::read_link("/proc/thread-self").ok()?;
    link.file_name()?.to_str()?.parse().ok()
}

fn exists(thread: u64) -> bool {
    std::path::Path::new(&format!("/proc/self/task/{thread}")).exists()
}

/// Whether the program has no thread but the calling one. What cannot be read may have any.
fn is_alone() -> bool {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return false;
    };
    let ours = |task: std::io::Result<std::fs::DirEntry>| {
        let name = task.and_then(|task| std::fs::read_to_string(task.path().join("comm")));
        name.is_ok_and(|name| name.starts_with("millpond-"))
    };
    tasks.map(ours).filter(|ours| !ours).count() == 1
}
