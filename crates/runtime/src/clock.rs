//! The time that limits of waits are measured with: the machine's, or one of its own for tests.
//!
//! In *virtual* time the clock stands still while anything can run. When nothing can, it jumps to the earliest deadline, so
//! that a wait of a minute takes no time and always ends in the same way. In *manual* time it moves only when the program
//! moves it. Everything else stays as it is: work takes the time that it takes, and counts as none.
//!
//! Whoever waits with a limit says so ([`Clock::expect`]), looks from time to time whether its deadline has come
//! ([`Clock::now`]), and lets time pass meanwhile ([`Clock::let_pass`]). Looking is done in steps of a millisecond, and only in these
//! modes: no wait can be missed, whichever condition variable it sleeps at.
//!
//! *Nothing can run* means: no stream has a task that could run or runs, no work is under way between ranks or processes, and
//! all threads of the program, functions that streams run among them, sleep at two looks in a row or wait in here for something that has
//! not come yet.
//!
//! Invariants: [`Clock::now`] never goes back, also when the mode changes. A deadline that was expected is not jumped over: the
//! clock stops at each until whoever expected it has seen it, or a second of the machine's time has passed.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::lock::{Mutex, rank};
use crate::stall::this_thread;

/// How time passes for waits with a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Time {
    /// As for everybody.
    #[default]
    Real,
    /// It stands still until nothing can run, then jumps to the earliest deadline.
    Virtual,
    /// It stands still until [`Clock::advance`].
    Manual,
}

impl FromStr for Time {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "real" => Ok(Self::Real),
            "virtual" => Ok(Self::Virtual),
            "manual" => Ok(Self::Manual),
            _ => Err(()),
        }
    }
}

/// From one look to the next, where time does not pass by itself.
pub const STEP: Duration = Duration::from_millis(1);
/// How long the clock stops at a deadline for whoever expects it.
const AT_A_STOP: Duration = Duration::from_secs(1);

type Question = Box<dyn Fn() -> bool + Send + Sync>;
/// Whether what a thread waits for has come; the thread itself may not know yet.
type Reached = Arc<dyn Fn() -> bool + Send + Sync>;

/// The clock of one runtime.
pub struct Clock {
    mode: AtomicU8,
    /// When the runtime was made, by the machine's clock.
    began: Instant,
    /// Nanoseconds from `began`: of the time itself where it stands still, of what it is ahead of the machine's otherwise.
    offset: AtomicU64,
    expected: Mutex<rank::Clock, Expectations>,
    /// Whether no stream can go on.
    streams_rest: OnceLock<Question>,
    /// Whether none goes on without a call of the program.
    streams_stand: OnceLock<Question>,
}

#[derive(Default)]
struct Expectations {
    next: u64,
    deadlines: BTreeSet<(Instant, u64)>,
    /// Threads that wait in here.
    waiting: Vec<Sleeper>,
}

/// A thread that waits in here.
#[derive(Clone)]
struct Sleeper {
    number: u64,
    thread: u64,
    reached: Option<Reached>,
}

/// A deadline that somebody waits for, and the thread that does, if it is one.
#[derive(Debug)]
pub struct Expected {
    clock: Arc<Clock>,
    number: u64,
    deadline: Option<Instant>,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock")
            .field("mode", &self.mode())
            .finish_non_exhaustive()
    }
}

impl Clock {
    pub(crate) fn new(mode: Time) -> Self {
        let clock = Self {
            mode: AtomicU8::new(0),
            began: Instant::now(),
            offset: AtomicU64::new(0),
            expected: Mutex::default(),
            streams_rest: OnceLock::new(),
            streams_stand: OnceLock::new(),
        };
        clock.set_mode(mode);
        clock
    }

    /// Says whom to ask whether no stream can go on, and whether none goes on without a call of the program.
    pub(crate) fn ask(
        &self,
        streams_rest: impl Fn() -> bool + Send + Sync + 'static,
        streams_stand: impl Fn() -> bool + Send + Sync + 'static,
    ) {
        self.streams_rest.get_or_init(|| Box::new(streams_rest));
        self.streams_stand.get_or_init(|| Box::new(streams_stand));
    }

    /// How time passes.
    pub fn mode(&self) -> Time {
        match self.mode.load(Ordering::Acquire) {
            0 => Time::Real,
            1 => Time::Virtual,
            _ => Time::Manual,
        }
    }

    /// Whether time passes by itself.
    #[inline]
    pub fn is_real(&self) -> bool {
        self.mode.load(Ordering::Acquire) == 0
    }

    /// Changes how time passes from now on. Waits that have begun end by the time that they began with, or later.
    pub fn set_mode(&self, mode: Time) {
        let _expected = self.expected.lock();
        let now = self.now();
        let of_machine = self.began.elapsed();
        let since = now.saturating_duration_since(self.began);
        let offset = match mode {
            Time::Real => since.saturating_sub(of_machine),
            // Whole microseconds, so that differences are what a test expects.
            Time::Virtual | Time::Manual => {
                let micros = u64::try_from(since.as_micros()).unwrap_or(u64::MAX);
                Duration::from_micros(micros.saturating_add(1))
            }
        };
        self.offset.store(nanoseconds(offset), Ordering::Release);
        let mode = match mode {
            Time::Real => 0,
            Time::Virtual => 1,
            Time::Manual => 2,
        };
        self.mode.store(mode, Ordering::Release);
    }

    /// The time.
    pub fn now(&self) -> Instant {
        let offset = Duration::from_nanos(self.offset.load(Ordering::Acquire));
        if self.is_real() {
            Instant::now() + offset
        } else {
            self.began + offset
        }
    }

    /// How much time has passed since the runtime was made.
    pub fn elapsed(&self) -> Duration {
        self.now().saturating_duration_since(self.began)
    }

    /// The time when `limit` has passed; `None` beyond what can be counted.
    pub fn after(&self, limit: Duration) -> Option<Instant> {
        self.now().checked_add(limit)
    }

    /// When a deadline comes by the machine's clock, where time passes by itself.
    pub fn on_machine(&self, deadline: Instant) -> Instant {
        let offset = Duration::from_nanos(self.offset.load(Ordering::Acquire));
        deadline.checked_sub(offset).unwrap_or(deadline)
    }

    /// Says that somebody waits for a deadline, from now until the result is dropped. The thread that calls this waits itself if
    /// `here`: it does not count as one that could do something.
    pub fn expect(self: &Arc<Self>, deadline: Option<Instant>, here: bool) -> Expected {
        let thread = if here { this_thread() } else { None };
        self.expect_here(deadline, thread, None)
    }

    /// Says that this thread waits for a deadline or for something that comes before it. Time does not pass once that has come, also
    /// while the thread has yet to wake up.
    pub(crate) fn expect_until(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        reached: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Expected {
        self.expect_here(deadline, this_thread(), Some(Arc::new(reached)))
    }

    fn expect_here(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        thread: Option<u64>,
        reached: Option<Reached>,
    ) -> Expected {
        let mut expected = self.expected.lock();
        expected.next += 1;
        let number = expected.next;
        expected.deadlines.extend(deadline.map(|at| (at, number)));
        expected.waiting.extend(thread.map(|thread| Sleeper {
            number,
            thread,
            reached,
        }));
        drop(expected);
        Expected {
            clock: Arc::clone(self),
            number,
            deadline,
        }
    }

    /// Waits until `time` has passed.
    pub fn sleep(self: &Arc<Self>, time: Duration) {
        let Some(deadline) = self.after(time) else {
            return;
        };
        if self.is_real() {
            std::thread::sleep(time);
            return;
        }
        let _expected = self.expect(Some(deadline), true);
        while self.now() < deadline {
            std::thread::sleep(STEP);
            self.let_pass();
        }
    }

    /// Lets time pass, if it is virtual and nothing can run: it jumps to the next deadline. Does nothing otherwise.
    pub fn let_pass(&self) {
        if self.mode() != Time::Virtual || self.is_at_a_stop() || !self.nothing_runs() {
            return;
        }
        std::thread::sleep(STEP);
        let first = self.expected.lock().next_stop();
        if let Some(first) = first
            && self.nothing_runs()
            && self.expected.lock().next_stop() == Some(first)
        {
            self.move_to(first);
        }
    }

    /// Moves time forward, where it does not pass by itself, and stops at each deadline on the way until whoever expected it has
    /// seen it and nothing runs. It waits for that before the first step, too: what is queued and can run does so at the time that it was
    /// queued at.
    pub fn advance(&self, by: Duration) {
        if self.is_real() {
            return;
        }
        let Some(target) = self.now().checked_add(by) else {
            return;
        };
        self.settle();
        loop {
            let stop = self.expected.lock().next_stop();
            let Some(stop) = stop.filter(|stop| *stop <= target) else {
                break;
            };
            self.move_to(stop);
            self.settle();
            if self.is_at_a_stop() {
                // Whoever expected it does not look; it is not waited for again.
                self.expected.lock().forget_before(stop);
            }
        }
        self.move_to(target);
    }

    /// Waits until the deadlines that have come were seen and no stream runs, or a second of the machine's time has passed.
    fn settle(&self) {
        let stand = || self.streams_stand.get().is_none_or(|ask| ask());
        let patience = Instant::now() + AT_A_STOP;
        while (self.is_at_a_stop() || !stand()) && Instant::now() < patience {
            std::thread::sleep(STEP);
        }
    }

    fn move_to(&self, at: Instant) {
        let offset = nanoseconds(at.saturating_duration_since(self.began));
        self.offset.fetch_max(offset, Ordering::AcqRel);
    }

    /// Whether somebody has yet to see that the deadline which the clock stopped at has come.
    fn is_at_a_stop(&self) -> bool {
        let now = self.now();
        let stop = self.expected.lock().next_stop();
        stop.is_some_and(|stop| stop <= now)
    }

    fn streams_rest(&self) -> bool {
        self.streams_rest.get().is_none_or(|ask| ask())
    }

    fn nothing_runs(&self) -> bool {
        self.streams_rest() && {
            // The streams first: while they rest, nothing comes that a thread waits for.
            let waiting = self.expected.lock().waiting.clone();
            let wakes = |it: &Sleeper| it.reached.as_ref().is_some_and(|reached| reached());
            !waiting.iter().any(wakes) && others_sleep(&waiting)
        }
    }
}

impl Expectations {
    fn next_stop(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    fn forget_before(&mut self, last: Instant) {
        self.deadlines.retain(|(at, _)| *at > last);
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        let mut expected = self.clock.expected.lock();
        if let Some(at) = self.deadline {
            expected.deadlines.remove(&(at, self.number));
        }
        expected
            .waiting
            .retain(|sleeper| sleeper.number != self.number);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Whether all threads sleep but this one, those that wait in here, and those of the runtime that run nothing of the program. What
/// cannot be read counts as asleep, or time would stand still.
fn others_sleep(waiting: &[Sleeper]) -> bool {
    let this = this_thread();
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return true;
    };
    threads.flatten().all(|thread| {
        let number = thread.file_name().to_string_lossy().parse::<u64>().ok();
        let waits = |number| waiting.iter().any(|sleeper| sleeper.thread == number);
        if number == this || number.is_some_and(waits) {
            return true;
        }
        let text = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        sleeps(&text)
    })
}

/// Whether a line of the kernel about a thread says that it sleeps, or is one of the runtime's own: what those do is known from the
/// streams.
fn sleeps(stat: &str) -> bool {
    let (Some(open), Some(close)) = (stat.find('('), stat.rfind(')')) else {
        return true;
    };
    let name = stat.get(open + 1..close).unwrap_or_default();
    let ours = name.starts_with("millpond-") && !name.starts_with("millpond-host");
    let state = stat.get(close + 1..).unwrap_or_default().trim_start();
    // A thread in state D has a page or a file brought to it, and goes on.
    ours || !state.starts_with(['R', 'D'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    /// As all waits do, this sleeps between two looks. Two tests in one process that only look see each other run, and never end.
    fn until_it_leaves(clock: &Clock, time: Instant) {
        while clock.now() == time {
            std::thread::sleep(STEP);
            clock.let_pass();
        }
    }

    #[test]
    fn time_that_stands_still_moves_only_when_it_is_moved() {
        let clock = Arc::new(Clock::new(Time::Manual));
        let began = clock.now();
        assert_eq!(clock.now(), began);
        clock.let_pass();
        assert_eq!(clock.now(), began, "only by hand");
        clock.advance(MINUTE);
        assert_eq!(clock.now(), began + MINUTE);
    }

    #[test]
    fn virtual_time_jumps_to_the_earliest_deadline_when_nothing_runs() {
        let clock = Arc::new(Clock::new(Time::Virtual));
        let began = clock.now();
        let late = clock.expect(clock.after(2 * MINUTE), true);
        let early = clock.expect(clock.after(MINUTE), false);
        until_it_leaves(&clock, began);
        assert_eq!(clock.now(), began + MINUTE);
        clock.let_pass();
        assert_eq!(clock.now(), began + MINUTE, "nobody has seen it yet");
        drop(early);
        until_it_leaves(&clock, began + MINUTE);
        assert_eq!(clock.now(), began + 2 * MINUTE);
        drop(late);
        clock.let_pass();
        assert_eq!(clock.now(), began + 2 * MINUTE, "nothing is waited for");
    }

    #[test]
    fn it_stands_still_when_what_a_thread_waits_for_has_come() {
        use std::sync::atomic::AtomicBool;

        let clock = Arc::new(Clock::new(Time::Virtual));
        let began = clock.now();
        let come = Arc::new(AtomicBool::new(true));
        let reached = Arc::clone(&come);
        let expected =
            clock.expect_until(clock.after(MINUTE), move || reached.load(Ordering::Relaxed));
        let _left_over = clock.expect(clock.after(MINUTE), false);
        clock.let_pass();
        assert_eq!(clock.now(), began, "its thread has yet to wake up");
        come.store(false, Ordering::Relaxed);
        until_it_leaves(&clock, began);
        drop(expected);
    }

    #[test]
    fn it_stands_still_while_a_stream_can_run() {
        let clock = Arc::new(Clock::new(Time::Virtual));
        clock.ask(|| false, || false);
        let began = clock.now();
        let _expected = clock.expect(clock.after(MINUTE), true);
        clock.let_pass();
        assert_eq!(clock.now(), began);
    }

    #[test]
    fn it_never_goes_back_when_the_mode_changes() {
        let clock = Clock::new(Time::Virtual);
        clock.advance(60 * MINUTE);
        let ahead = clock.now();
        clock.set_mode(Time::Real);
        assert!(clock.now() >= ahead);
        let at = clock.now() + MINUTE;
        assert!(clock.on_machine(at) < Instant::now() + 2 * MINUTE);
        clock.set_mode(Time::Manual);
        assert!(clock.now() >= ahead);
    }

    #[test]
    fn states_of_threads() {
        for (line, asleep) in [
            ("7 (a) b) S 1 2", true),
            ("7 (python3) R 1", false),
            ("7 (millpond-worker) R 1", true),
            ("7 (millpond-host) R 1", false),
            ("", true),
        ] {
            assert_eq!(sleeps(line), asleep, "{line}");
        }
    }
}
