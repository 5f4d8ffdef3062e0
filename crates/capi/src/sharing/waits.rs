//! What streams and threads of this process wait for until another process does it.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

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
    condition: Condition,
    deadline: Option<Instant>,
    then: Then,
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
    /// Returns whether the thread has to look once more: the condition may have come true while it was put on the list.
    #[must_use]
    pub(super) fn add(
        &self,
        mut condition: impl FnMut() -> Option<Waited> + Send + 'static,
        limit: Option<Duration>,
        then: impl FnOnce(Waited) + Send + 'static,
    ) -> bool {
        if let Some(waited) = condition() {
            then(waited);
            return false;
        }
        let wait = Wait {
            condition: Box::new(condition),
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            then: Box::new(then),
        };
        let mut list = self.list.lock();
        list.push(wait);
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
        let first = list.iter().filter_map(|wait| wait.deadline).min();
        let left = first.map(|at| at.saturating_duration_since(Instant::now()));
        (!list.is_empty()).then(|| left.map_or(PAUSE, |left| left.min(PAUSE)))
    }

    /// Looks at every condition, and ends what is over.
    pub(super) fn look(&self) {
        if self.is_empty() {
            return;
        }
        let now = Instant::now();
        let mut over = Vec::new();
        {
            let mut list = self.list.lock();
            let mut index = 0;
            while index < list.len() {
                let wait = &mut list[index];
                let late = wait.deadline.is_some_and(|at| at <= now);
                match (wait.condition)().or(late.then_some(Waited::TimedOut)) {
                    // In the order in which they began: a notification goes to the first that waits.
                    Some(waited) => over.push((list.remove(index).then, waited)),
                    None => index += 1,
                }
            }
            self.count.store(list.len(), Ordering::SeqCst);
        }
        for (then, waited) in over {
            then(waited);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
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
        assert!(!waits.add(|| Some(Waited::Done), None, tell(1)));
        assert_eq!(ended.try_recv(), Ok((1, Waited::Done)));
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let when = move || seen.load(Ordering::SeqCst).then_some(Waited::Done);
        assert_eq!(waits.pause(), None);
        assert!(waits.add(when, None, tell(2)));
        assert!(waits.add(|| None, Some(Duration::ZERO), tell(3)));
        assert_eq!(waits.pause(), Some(Duration::ZERO));
        waits.look();
        assert_eq!(ended.try_recv(), Ok((3, Waited::TimedOut)));
        assert!(ended.try_recv().is_err() && !waits.is_empty());
        flag.store(true, Ordering::SeqCst);
        waits.look();
        assert_eq!(ended.try_recv(), Ok((2, Waited::Done)));
        assert!(waits.is_empty());
    }
}
