//! What streams and threads of this process wait for until another process does it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::testing;

/// How often conditions are looked at without a call of the bell: for processes that ended, and for limits of time.
const PAUSE: Duration = Duration::from_millis(100);

/// How a wait ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waited {
    /// The condition holds.
    Done,
    /// It never will, and why.
    Failed(String),
    /// The time is up first.
    TimedOut,
}

/// Asks whether a condition holds: `None` for not yet.
type Condition = Box<dyn FnMut() -> Option<Waited> + Send>;
type Then = Box<dyn FnOnce(Waited) + Send>;

struct Wait {
    /// What it waits for, if only one wait gets it.
    key: Option<u64>,
    condition: Condition,
    expected: Option<Limit>,
    then: Then,
}

/// When a wait ends without success, by the clock of the runtime.
#[derive(Debug)]
struct Limit {
    at: Instant,
    /// Where time does not pass by itself, it stops at the limit.
    clock: Option<Arc<millpond::Clock>>,
    _expected: Option<millpond::Expected>,
}

impl Limit {
    fn new(limit: Duration) -> Option<Self> {
        let clock = testing::clock().cloned();
        let now = clock
            .as_ref()
            .map_or_else(Instant::now, |clock| clock.now());
        let at = now.checked_add(limit)?;
        let expected = clock.as_ref().map(|clock| clock.expect(Some(at), false));
        Some(Self {
            at,
            clock,
            _expected: expected,
        })
    }

    fn now(&self) -> Instant {
        self.clock
            .as_ref()
            .map_or_else(Instant::now, |clock| clock.now())
    }

    fn is_over(&self) -> bool {
        self.at <= self.now()
    }

    /// How long the thread may sleep before it looks again.
    fn left(&self) -> Duration {
        let left = self.at.saturating_duration_since(self.now());
        match &self.clock {
            Some(clock) if !clock.is_real() => {
                // Nobody else may be there to do it.
                clock.let_pass();
                left.min(millpond::STEP)
            }
            _ => left,
        }
    }
}

/// All of them.
#[derive(Default)]
pub(crate) struct Waits {
    list: Mutex<Vec<Wait>>,
    count: AtomicUsize,
}

impl fmt::Debug for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waits")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

impl Waits {
    /// Calls `then` when the condition holds: at once and on this thread, or later on the thread of the hub. Neither may block.
    /// One with a key is not asked before all earlier ones with this key have got what they wait for.
    /// Returns whether the thread has to look once more: the condition may have come true while it was put on the list.
    #[must_use]
    pub(super) fn add(
        &self,
        key: Option<u64>,
        mut condition: impl FnMut() -> Option<Waited> + Send + 'static,
        limit: Option<Duration>,
        then: impl FnOnce(Waited) + Send + 'static,
    ) -> bool {
        let mut list = self.list.lock();
        let is_behind = key.is_some() && list.iter().any(|wait| wait.key == key);
        if !is_behind && let Some(waited) = ask(&mut condition) {
            drop(list);
            then(waited);
            return false;
        }
        list.push(Wait {
            key,
            condition: Box::new(condition),
            expected: limit.and_then(Limit::new),
            then: Box::new(then),
        });
        self.count.store(list.len(), Ordering::SeqCst);
        true
    }

    /// Whether nothing is waited for.
    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Ordering::SeqCst) == 0
    }

    /// How long the thread may sleep.
    pub(super) fn pause(&self) -> Option<Duration> {
        let list = self.list.lock();
        let limits = list.iter().filter_map(|wait| wait.expected.as_ref());
        let left = limits.map(Limit::left).min();
        (!list.is_empty()).then(|| left.map_or(PAUSE, |left| left.min(PAUSE)))
    }

    /// Looks at every condition, and ends what is over.
    pub(super) fn look(&self) {
        if self.is_empty() {
            return;
        }
        let mut over = Vec::new();
        {
            let mut list = self.list.lock();
            let mut index = 0;
            while index < list.len() {
                let wait = &mut list[index];
                let late = wait.expected.as_ref().is_some_and(Limit::is_over);
                match ask(&mut wait.condition).or(late.then_some(Waited::TimedOut)) {
                    // In the order in which they began: a notification goes to the first that waits.
                    Some(waited) => over.push((list.remove(index).then, waited)),
                    None => index += 1,
                }
            }
            self.count.store(list.len(), Ordering::SeqCst);
        }
        for (then, waited) in over {
            // What it owned ends with a failure when it is dropped.
            drop(catch_unwind(AssertUnwindSafe(|| then(waited))));
        }
    }
}

/// Asks a condition. One that panics must not end the thread that serves all of them.
fn ask(condition: &mut dyn FnMut() -> Option<Waited>) -> Option<Waited> {
    catch_unwind(AssertUnwindSafe(condition)).unwrap_or_else(|_| {
        let text = "a bug in Millpond; please report it: a condition panicked";
        Some(Waited::Failed(text.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn what_holds_ends_and_what_is_late_too() {
        let waits = Waits::default();
        let (send, ended) = mpsc::channel();
        let tell = |number: u32| {
            let send = send.clone();
            move |waited| send.send((number, waited)).unwrap()
        };
        assert!(!waits.add(None, || Some(Waited::Done), None, tell(1)));
        assert_eq!(ended.try_recv(), Ok((1, Waited::Done)));
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let when = move || seen.load(Ordering::SeqCst).then_some(Waited::Done);
        assert_eq!(waits.pause(), None);
        assert!(waits.add(None, when, None, tell(2)));
        assert!(waits.add(None, || None, Some(Duration::ZERO), tell(3)));
        assert_eq!(waits.pause(), Some(Duration::ZERO));
        waits.look();
        assert_eq!(ended.try_recv(), Ok((3, Waited::TimedOut)));
        assert!(ended.try_recv().is_err() && !waits.is_empty());
        flag.store(true, Ordering::SeqCst);
        waits.look();
        assert_eq!(ended.try_recv(), Ok((2, Waited::Done)));
        assert!(waits.is_empty());
    }
    #[test]
    fn what_only_one_gets_goes_to_the_first_that_waits() {
        let waits = Waits::default();
        let (send, ended) = mpsc::channel();
        let left = Arc::new(AtomicUsize::new(0));
        let take = || {
            let left = Arc::clone(&left);
            move || {
                let taken =
                    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| it.checked_sub(1));
                taken.is_ok().then_some(Waited::Done)
            }
        };
        let tell = |number: u32| {
            let send = send.clone();
            move |_| send.send(number).unwrap()
        };
        assert!(waits.add(Some(7), take(), None, tell(1)));
        left.store(1, Ordering::SeqCst);
        assert!(
            waits.add(Some(7), take(), None, tell(2)),
            "not before the first"
        );
        waits.look();
        assert_eq!(ended.try_iter().collect::<Vec<_>>(), [1]);
        left.store(2, Ordering::SeqCst);
        assert!(!waits.add(Some(8), take(), None, tell(3)), "another one");
        waits.look();
        assert_eq!(ended.try_iter().collect::<Vec<_>>(), [3, 2]);
    }

    #[test]
    fn a_condition_that_panics_fails_and_the_others_go_on() {
        let waits = Waits::default();
        let (send, ended) = mpsc::channel();
        let calls = AtomicUsize::new(0);
        let panics =
            move || (calls.fetch_add(1, Ordering::SeqCst) > 0).then(|| panic!("on purpose"));
        let tell = send.clone();
        assert!(waits.add(None, panics, None, move |waited| tell.send(waited).unwrap()));
        assert!(waits.add(
            None,
            || None,
            Some(Duration::ZERO),
            move |waited| send.send(waited).unwrap()
        ));
        waits.look();
        assert!(matches!(ended.try_recv(), Ok(Waited::Failed(_))));
        assert_eq!(ended.try_recv(), Ok(Waited::TimedOut));
    }
}
