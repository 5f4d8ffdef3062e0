//! Which thread queued which tasks of a stream.

use std::cell::Cell;
use std::collections::VecDeque;

use crate::stall;

thread_local! {
    /// The number of this thread, once it was asked for.
    static NUMBER: Cell<Option<u32>> = const { Cell::new(None) };
}

/// The number that the system knows the calling thread by.
fn this_thread() -> Option<u32> {
    let known = NUMBER.get();
    if known.is_some() {
        return known;
    }
    let found = stall::this_thread().and_then(|thread| u32::try_from(thread).ok());
    NUMBER.set(found);
    found
}

/// The threads that queued the tasks which are left. Most streams have one, so what is kept is where the thread changes.
#[derive(Debug, Default)]
pub(super) struct Queuers(VecDeque<(u64, Option<u32>)>);

impl Queuers {
    /// The calling thread queues a task; those up to `done` have ended.
    pub(super) fn note(&mut self, position: u64, done: u64) {
        self.note_of(position, done, this_thread());
    }

    fn note_of(&mut self, position: u64, done: u64, thread: Option<u32>) {
        while self.0.get(1).is_some_and(|(first, _)| *first <= done + 1) {
            self.0.pop_front();
        }
        if self.0.back().is_none_or(|(_, last)| *last != thread) {
            self.0.push_back((position, thread));
        }
    }

    /// The thread that queued a task that has not ended.
    pub(super) fn of(&self, position: u64) -> Option<u32> {
        let before = |(first, _): &&(u64, Option<u32>)| *first <= position;
        self.0.iter().rev().find(before)?.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_has_the_thread_that_queued_it() {
        let mut queuers = Queuers::default();
        for (position, thread) in [(3, 10), (4, 10), (5, 11), (6, 10)] {
            queuers.note_of(position, 0, Some(thread));
        }
        assert_eq!(queuers.0.len(), 3);
        let of = |position| queuers.of(position);
        assert_eq!([of(2), of(3), of(4)], [None, Some(10), Some(10)]);
        assert_eq!([of(5), of(6), of(7)], [Some(11), Some(10), Some(10)]);
    }

    #[test]
    fn threads_of_ended_tasks_are_forgotten() {
        let mut queuers = Queuers::default();
        for position in 1..100 {
            let thread = Some(u32::from(position % 2 == 0));
            queuers.note_of(position, position - 1, thread);
            assert!(queuers.0.len() <= 2, "{queuers:?}");
            assert_eq!(queuers.of(position), thread);
        }
    }
}
