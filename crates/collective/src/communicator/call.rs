//! A call of the program, from its place in the order until its stream reaches it.

use std::sync::Arc;
use std::time::Instant;

use super::{Abandoned, Begun, Communicator, Ended, Fault, Line, Work, remove};
use crate::operation::Request;

/// A call with its place in the order. One that is dropped without having begun ends the communicator: the other ranks would wait for
/// it.
#[derive(Debug)]
pub struct Call {
    pub(super) communicator: Arc<Communicator>,
    pub(super) number: u64,
    pub(super) lines: Vec<Line>,
    pub(super) begun: bool,
}

impl Call {
    /// Its number among the calls of this rank, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The stream has reached it together with others, which begin one after the other. Said of all of them before the first begins:
    /// none of those that have begun waits for one that has not.
    pub fn reach(&self) {
        if self.communicator.settings.observer.is_none() {
            return;
        }
        self.communicator.with_queue(|queue, _| {
            if let Some(shown) = queue.shown.get_mut(&self.number) {
                shown.is_reached = true;
            }
            self.communicator.show_lines(queue, &self.lines);
        });
    }

    /// The stream has reached it: `buffers` are where work finds the operation's buffers, `site` is where the program called it.
    /// `ended` is called when it has ended, on any thread; `is_abandoned` says whether the program has given it up.
    ///
    /// The buffers stay valid until then: the stream's task owns them.
    pub fn begin(
        mut self,
        request: Request,
        site: String,
        buffers: &[u64],
        is_abandoned: Abandoned,
        ended: Ended,
    ) {
        self.begun = true;
        let communicator = Arc::clone(&self.communicator);
        let begun = Begun {
            lines: std::mem::take(&mut self.lines),
            work: Work::Waiting {
                request,
                site,
                buffers: buffers.to_vec(),
            },
            since: Instant::now(),
            ended,
            is_abandoned,
        };
        let is_left = communicator.with_queue(|queue, endings| {
            if let Some(failure) = queue.failure.clone() {
                endings.push((begun.ended, Err(failure)));
                return false;
            }
            queue.begun.insert(self.number, begun);
            communicator.advance_locked(queue, endings);
            !queue.begun.is_empty()
        });
        if is_left == Some(true) {
            communicator.hub.watch(&communicator);
        }
    }

    /// The program's call failed before the operation was queued: it has no place.
    pub fn withdraw(mut self) {
        self.begun = true;
        let mut queue = self.communicator.queue.lock();
        remove(&mut queue, &self.lines, self.number);
        if queue.calls == self.number {
            queue.calls -= 1;
        }
        self.communicator.show_lines(&queue, &self.lines);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.begun {
            return;
        }
        let communicator = &self.communicator;
        communicator.with_queue(|queue, endings| {
            if !queue.closed {
                let text = format!(
                    "operation {} of rank {} on communicator {} was dropped before it began: its stream was aborted or had failed",
                    self.number, communicator.rank, communicator.settings.name
                );
                communicator.fail(queue, Fault::of_this_rank(text, None), endings);
            }
        });
    }
}
