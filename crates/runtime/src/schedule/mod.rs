//! Who runs next.
//!
//! A stream that has something to do is *ready*; the schedule decides which ready stream's task is
//! run when, and on which thread. For a correct program the choice changes nothing but the time.
//!
//! - [`Schedule::Eager`]: worker threads run whatever is ready, as fast as possible (`eager.rs`).
//! - [`Schedule::Latest`], [`Schedule::Seeded`]: nothing runs on its own; the threads that call the
//!   runtime run tasks inside their calls, as late as possible or in an order chosen
//!   by a seed (`director.rs`). These schedules expose many missing synchronisations.
//!
//! Functions of the program never run on the workers: they run on separate threads
//! (`host_threads.rs`), so that a waiting function cannot stop the others.

mod director;
mod eager;
mod host_threads;
mod threads;
mod timer;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use self::director::Director;
use self::eager::Eager;
use self::host_threads::HostThreads;
use self::threads::spawn;
use self::timer::Timer;
use crate::clock::Clock;
use crate::config::Config;
use crate::stream::{HostWork, Mark, ReportQueue, StreamCore, Waiting};

/// The order in which streams run. See the module's comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Schedule {
    /// As soon as possible, on worker threads.
    #[default]
    Eager,
    /// As late as possible: what a synchronisation depends on runs inside it, the rest later.
    Latest,
    /// In a legal order chosen by this seed. The same calls from one thread give the same order.
    Seeded(u64),
}

impl FromStr for Schedule {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "eager" => Ok(Self::Eager),
            "latest" => Ok(Self::Latest),
            _ => {
                let seed = text
                    .strip_prefix("seed=")
                    .and_then(|number| number.parse().ok());
                seed.map(Self::Seeded).ok_or(())
            }
        }
    }
}

/// Something a thread waits for.
#[derive(Debug, Clone)]
pub(crate) enum Goal {
    Stream(Arc<StreamCore>, Waiting),
    Mark(Arc<Mark>),
    Report(Arc<ReportQueue>),
}

impl Goal {
    pub(crate) fn reached(&self) -> bool {
        match self {
            Self::Stream(stream, waiting) => stream.is_over(*waiting),
            Self::Mark(mark) => mark.reached(),
            Self::Report(reports) => reports.is_over(),
        }
    }

    fn block(&self, deadline: Option<Instant>) -> bool {
        match self {
            Self::Stream(stream, waiting) => stream.block(*waiting, deadline),
            Self::Mark(mark) => mark.block(deadline),
            Self::Report(reports) => reports.block(deadline),
        }
    }
}

/// Runs the streams of one runtime.
#[derive(Debug)]
pub(crate) struct Scheduler {
    policy: Policy,
    host: HostThreads,
    timer: Timer,
}

#[derive(Debug)]
enum Policy {
    Eager(Eager),
    Directed(Director),
}

impl Scheduler {
    pub(crate) fn new(config: &Config, clock: &Arc<Clock>) -> Self {
        let patience = config.patience;
        Self {
            policy: match config.schedule {
                Schedule::Eager => Policy::Eager(Eager::new(config.workers)),
                Schedule::Latest => Policy::Directed(Director::latest(patience)),
                Schedule::Seeded(seed) => Policy::Directed(Director::seeded(seed, patience)),
            },
            host: HostThreads::default(),
            timer: Timer::new(clock),
        }
    }

    /// Whether tasks run inside calls instead of on workers.
    #[inline]
    pub(crate) fn is_directed(&self) -> bool {
        matches!(self.policy, Policy::Directed(_))
    }

    /// A stream has become ready.
    pub(crate) fn ready(&self, stream: &Arc<StreamCore>) {
        match &self.policy {
            Policy::Eager(eager) => eager.ready(stream),
            Policy::Directed(director) => director.ready(stream),
        }
    }

    /// A stream has got its first task. Called under the stream's lock, like [`Scheduler::idle`], so
    /// that the two come in the order in which they happen.
    pub(crate) fn busy(&self, stream: &Arc<StreamCore>) {
        if let Policy::Directed(director) = &self.policy {
            director.busy(stream);
        }
    }

    /// A stream has nothing left to do. Called under the stream's lock.
    pub(crate) fn idle(&self, stream: u64) {
        if let Policy::Directed(director) = &self.policy {
            director.idle(stream);
        }
    }

    /// The program has put something into a stream; no lock is held.
    #[inline]
    pub(crate) fn called(&self) {
        if let Policy::Directed(director) = &self.policy {
            director.called();
        }
    }

    /// Something has moved that a waiting thread may want to know.
    #[inline]
    pub(crate) fn progressed(&self) {
        if let Policy::Directed(director) = &self.policy {
            director.progressed();
        }
    }

    /// Waits for a goal; false if the machine's clock came to the deadline first.
    pub(crate) fn wait(&self, goal: &Goal, deadline: Option<Instant>) -> bool {
        match &self.policy {
            Policy::Eager(eager) => eager.wait(goal, deadline),
            Policy::Directed(director) => director.wait(goal, deadline),
        }
    }

    /// Returns whether a goal is reached, after giving it the chance to come one task nearer.
    pub(crate) fn query(&self, goal: &Goal) -> bool {
        if let Policy::Directed(director) = &self.policy {
            director.nudge(goal);
        }
        goal.reached()
    }

    /// Runs a function of the program on a thread of its own.
    pub(crate) fn run_on_host(&self, run: HostWork) -> Result<(), String> {
        self.host.run(run)
    }

    /// Ends the wait of a stream at `position` when `deadline` comes.
    pub(crate) fn wake_later(&self, deadline: Instant, stream: &Arc<StreamCore>, position: u64) {
        self.timer.add(deadline, stream, position);
    }

    /// Whether tasks run only inside calls of the program.
    pub(crate) fn runs_by_calls(&self) -> bool {
        matches!(self.policy, Policy::Directed(_))
    }

    /// Whether a call is under way that runs tasks of streams of its own choice.
    pub(crate) fn is_choosing(&self) -> bool {
        match &self.policy {
            Policy::Eager(_) => false,
            Policy::Directed(director) => director.is_choosing(),
        }
    }

    /// Calls a function when `deadline` comes, on the timer's thread. It must not block.
    pub(crate) fn call_later(&self, deadline: Instant, call: HostWork) {
        self.timer.call(deadline, call);
    }

    /// How many functions are to be called later.
    pub(crate) fn calls_left(&self) -> usize {
        self.timer.calls_left()
    }

    /// The mode of the clock has changed.
    pub(crate) fn time_changed(&self) {
        self.timer.look_again();
    }

    /// Ends all threads that are not needed for what is running. Called once, at the very end.
    pub(crate) fn shut_down(&self) {
        match &self.policy {
            Policy::Eager(eager) => eager.shut_down(),
            Policy::Directed(director) => director.shut_down(),
        }
        self.host.shut_down();
        self.timer.shut_down();
    }
}
