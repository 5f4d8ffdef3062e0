//! Functions of the program: a stream that waits for one, and the thread that runs it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_trace::{Operation, Position, Tap};

use super::StreamCore;
use crate::error::TaskFailure;
use crate::execution::OnStage;
use crate::lock::assert_none_held;
use crate::stream::HostWork;
use crate::stream::Progress;

/// A task that another thread runs. When this is dropped, the stream continues: also if the
/// function was dropped instead of run.
pub(super) struct Away {
    pub(super) stream: Arc<StreamCore>,
    pub(super) position: u64,
    pub(super) result: Result<(), TaskFailure>,
}

impl Away {
    pub(super) fn end(mut self, result: Result<(), TaskFailure>) {
        self.result = result;
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        let result = std::mem::replace(&mut self.result, Ok(()));
        self.stream.come_back(self.position, result);
    }
}

/// The right, and the duty, to end a task that something outside the runtime carries out. The stream waits at the task until then.
/// One that is dropped ends the task with a failure.
#[derive(Debug)]
pub struct Ending {
    stream: Option<Arc<StreamCore>>,
    position: u64,
    /// How often the stream was aborted before.
    aborts: u64,
    /// Operands that go back to a GPU before the end.
    staged: Option<OnStage>,
}

impl Ending {
    pub(super) fn new(stream: &Arc<StreamCore>, position: u64) -> Self {
        Self {
            stream: Some(Arc::clone(stream)),
            position,
            aborts: stream.aborts.load(Ordering::Acquire),
            staged: None,
        }
    }

    /// Operands were brought for the task: what it may have written goes back when it ends.
    pub(crate) fn stage(&mut self, staged: Option<OnStage>) {
        self.staged = staged;
    }

    /// Asks whether the stream was aborted since: then nobody wants the task any more, but the stream still waits for its end.
    pub fn watch_aborts(&self) -> impl Fn() -> bool + Send + use<> {
        let (stream, aborts) = (self.stream.clone(), self.aborts);
        move || {
            let now = stream.as_ref().map(|stream| &stream.aborts);
            now.is_some_and(|now| now.load(Ordering::Acquire) != aborts)
        }
    }

    /// The task, unless it has ended.
    pub(crate) fn position(&self) -> Option<Position> {
        let stream = self.stream.as_ref()?.id;
        Some(Position {
            stream,
            task: self.position,
        })
    }

    /// The task as memory notes those that use it, unless it has ended.
    pub(crate) fn user(&self) -> Option<(&Arc<Progress>, u64)> {
        let stream = self.stream.as_ref()?;
        Some((&stream.progress, self.position))
    }

    /// Ends the task; the stream continues, or fails with the cause. No lock of the runtime is held.
    pub fn end(mut self, result: Result<(), TaskFailure>) {
        self.finish(result);
    }

    fn finish(&mut self, result: Result<(), TaskFailure>) {
        if let Some(stream) = self.stream.take() {
            let sent = self.staged.take().filter(|_| result.is_ok());
            let sent = sent.map_or(Ok(()), OnStage::send);
            let result = result.and_then(|()| sent.map_err(TaskFailure::Device));
            stream.come_back(self.position, result);
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let abandoned = "nothing is left that could end this task".to_owned();
        self.finish(Err(TaskFailure::Remote(abandoned)));
    }
}

thread_local! {
    /// The stream whose host function this thread runs; 0 for none.
    static INSIDE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

thread_local! {
    /// The task whose function this thread runs.
    static FUNCTION: std::cell::Cell<Option<Position>> = const { std::cell::Cell::new(None) };
}

/// The stream whose host function the calling thread runs; 0 for none.
pub(super) fn stream_of_thread() -> u64 {
    INSIDE.with(std::cell::Cell::get)
}

/// The task whose function the calling thread runs, if it does.
pub(crate) fn function_of_thread() -> Option<Position> {
    // A thread that is ending runs none.
    FUNCTION.try_with(std::cell::Cell::get).ok().flatten()
}

/// A function of the program runs on this thread as long as this lives.
pub(super) struct Inside {
    outer: Option<Position>,
}

impl Inside {
    /// Records that the function at a position begins.
    pub(super) fn begin(tap: &Tap, stream: u64, task: u64) -> Self {
        let position = Position { stream, task };
        tap.emit(|| Operation::FunctionBegan { position });
        Self {
            outer: FUNCTION.replace(Some(position)),
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        FUNCTION.set(self.outer);
    }
}

/// Runs a function of the program that `stream` waits for.
pub(super) fn caught_inside(stream: u64, run: HostWork) -> Result<(), TaskFailure> {
    let outer = INSIDE.replace(stream);
    let ran = caught(run);
    INSIDE.set(outer);
    ran
}

/// Runs a function of the program; a panic becomes a failed task.
fn caught(run: HostWork) -> Result<(), TaskFailure> {
    assert_none_held();
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned());
        TaskFailure::Panicked(text.unwrap_or_else(|| "no message".to_owned()))
    })
}
