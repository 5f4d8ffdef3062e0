//! Native work: a function of ours that computes on the program's memory, in stream order.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use millpond_trace::{Accesses, Bytes, Span, TaskKind, Text};
use smallvec::SmallVec;

use super::call::{Call, resolve};
use super::staging::Stage;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error, TaskFailure};
use crate::graph::{Kernel, Run};
use crate::memory::Store;
use crate::shared::Shared;
use crate::stream::{Computation, EndedBy, Ending, External, Work};

/// How external work begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begin {
    /// It may begin on the calling thread, if the stream is idle.
    pub(super) on_caller: bool,
    /// Bytes that only a GPU can touch are brought before it and sent after it.
    pub(super) staged: bool,
}

impl Default for Begin {
    fn default() -> Self {
        Self {
            on_caller: true,
            staged: true,
        }
    }
}

/// Bytes that native work uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// Where they start, as the program sees it.
    pub address: u64,
    /// How many there are.
    pub bytes: u64,
    /// Whether they are read.
    pub reads: bool,
    /// Whether they are written.
    pub writes: bool,
}

impl Touch {
    pub(super) fn range(&self) -> Bytes {
        Bytes {
            start: self.address,
            bytes: self.bytes,
        }
    }
}

impl Stream {
    /// Queues native work. When it executes, `run` gets the work addresses of every touch and of the scratch memory; it must
    /// use nothing else. `name` is for records and errors. Work that is `small` may run inside the call.
    pub fn compute(
        &self,
        name: &'static str,
        touches: &[Touch],
        scratch: Option<(u64, u64)>,
        small: bool,
        run: impl Fn(&[u64], u64) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<(), Box<Error>> {
        self.compute_rows(name, touches, &[], scratch, small, run)
    }

    /// As [`compute`](Self::compute), for work that uses only rows of its touches: `rows` has the bytes of each of them that
    /// records name, in the order of the touches; without any, it is all bytes.
    pub fn compute_rows(
        &self,
        name: &'static str,
        touches: &[Touch],
        rows: &[Span],
        scratch: Option<(u64, u64)>,
        small: bool,
        run: impl Fn(&[u64], u64) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<(), Box<Error>> {
        if let Some(recording) = self.core().recording() {
            let captured = || -> Boxed<()> {
                let scratch = scratch.map(|(start, bytes)| Bytes { start, bytes });
                let ranges = touches.iter().map(Touch::range);
                Call::using(self.shared(), ranges, scratch)?.check(self.shared())?;
                recording.add_kernel(Kernel {
                    name,
                    touches: touches.into(),
                    rows: rows.into(),
                    scratch: scratch.map(|range| (range.start, range.bytes)),
                    small,
                    run: Arc::new(run),
                })
            };
            return captured().map_err(|error| {
                let scratch = scratch.map(|(start, bytes)| Bytes { start, bytes });
                self.refused(|_| accesses(name, touches, rows, scratch), error)
            });
        }
        let scratch = scratch.map(|(start, bytes)| Bytes { start, bytes });
        let mut run = Some(run);
        if small && self.compute_here(name, touches, scratch, &mut run) {
            return Ok(());
        }
        let Some(run) = run else {
            return Ok(());
        };
        let accesses = || accesses(name, touches, rows, scratch);
        let queue = || -> Boxed<()> {
            let core = self.core();
            let call = Call::using(&core.shared, touches.iter().map(Touch::range), scratch)?;
            let work = Native {
                name,
                stage: stage(&core.shared, touches, &call.places),
                places: SmallVec::from_slice(&call.places),
                scratch: call.scratch(),
                run,
            };
            call.enqueue_native(accesses, self, Work::Compute(Box::new(work)), small)?;
            Ok(())
        };
        queue().map_err(|error| self.refused(|_| accesses(), error))
    }
}

impl Shared {
    /// Runs native work on this thread, now, on memory that is resolved now and kept until it is done.
    pub(crate) fn run_resolved(
        &self,
        touches: &[Touch],
        scratch: Option<(u64, u64)>,
        run: &Run,
    ) -> Result<(), String> {
        let scratch = scratch.map(|(start, bytes)| Bytes { start, bytes });
        let resolved = Call::using(self, touches.iter().map(Touch::range), scratch);
        let call = resolved.map_err(|error| error.to_string())?;
        call.check(self).map_err(|error| error.to_string())?;
        let _kept = call.keep(self).map_err(|error| error.to_string())?;
        let work = || run(&call.places, call.scratch());
        match stage(self, touches, &call.places) {
            Some(stage) => stage.compute(work),
            None => work(),
        }
    }

    /// Checks that memory is in a live block. Memory that the runtime does not know, for example because it is not registered any more, is
    /// none.
    pub(crate) fn check_touch(&self, touch: &Touch) -> Boxed<()> {
        let operand = resolve(self, touch.address, touch.bytes)?;
        self.check_side(&operand, None)
    }

    /// The number of the block that contains an address; none for memory that is in no block of the runtime.
    pub(crate) fn block_at(&self, address: u64) -> Option<u64> {
        let (store, _) = self.store_of(address)?;
        Some(store.find(address).ok()?.serial)
    }
}

/// What work needs whose touches are at these places.
fn stage(shared: &Shared, touches: &[Touch], places: &[u64]) -> Option<Stage> {
    let operands = touches.iter().zip(places);
    let staged = |(touch, place): (&Touch, &u64)| (*place, touch.bytes, touch.writes);
    Stage::of(shared, operands.map(staged))
}

/// What the work does, for records.
pub(crate) fn accesses(
    name: &'static str,
    touches: &[Touch],
    rows: &[Span],
    scratch: Option<Bytes>,
) -> Accesses {
    let spans = |wanted: fn(&Touch) -> bool| {
        let touches = touches.iter().enumerate();
        touches
            .filter(move |(_, touch)| touch.bytes > 0 && wanted(touch))
            .map(|(index, touch)| match rows.get(index) {
                Some(rows) => *rows,
                None => Span::from(touch.range()),
            })
    };
    Accesses {
        reads: spans(|touch| touch.reads).collect(),
        writes: spans(|touch| touch.writes)
            .chain(scratch.map(Span::from))
            .collect(),
        scratch: u64::from(scratch.is_some()),
        name: Text::Borrowed(name),
        ..Accesses::none(TaskKind::Compute)
    }
}

impl Stream {
    /// Queues work that something outside the runtime ends, another process for example. When the stream reaches it, `begin`
    /// gets the work addresses of every touch, and the [`Ending`] that lets the stream continue. It must not block, and
    /// runs on the calling thread if the stream is idle. Until the end, whatever carries the work out may use those bytes
    /// and nothing else. Calls that wait for queued work wait for this one only if others end it. Returns the task's number.
    pub fn external(
        &self,
        name: &'static str,
        touches: &[Touch],
        ended_by: EndedBy,
        begin: impl FnOnce(&[u64], Ending) + Send + 'static,
    ) -> Result<u64, Box<Error>> {
        self.external_as(name, touches, ended_by, Begin::default(), begin)
    }

    /// The same, begun in another way.
    pub(super) fn external_as(
        &self,
        name: &'static str,
        touches: &[Touch],
        ended_by: EndedBy,
        how: Begin,
        begin: impl FnOnce(&[u64], Ending) + Send + 'static,
    ) -> Result<u64, Box<Error>> {
        let accesses = || accesses(name, touches, &[], None);
        let queue = || -> Boxed<u64> {
            let core = self.core();
            let call = Call::using(&core.shared, touches.iter().map(Touch::range), None)?;
            let work = Outside {
                name,
                stage: how
                    .staged
                    .then(|| stage(&core.shared, touches, &call.places))
                    .flatten(),
                places: SmallVec::from_slice(&call.places),
                ended_by,
                begin,
            };
            let work = Work::External(Box::new(work));
            call.enqueue_native(accesses, self, work, how.on_caller)
        };
        queue().map_err(|error| self.refused(|_| accesses(), error))
    }
}

/// The task of external work.
struct Outside<F> {
    name: &'static str,
    stage: Option<Stage>,
    places: SmallVec<[u64; 8]>,
    ended_by: EndedBy,
    begin: F,
}

impl<F> fmt::Debug for Outside<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outside")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<F: FnOnce(&[u64], Ending) + Send> External for Outside<F> {
    fn begin(self: Box<Self>, mut ending: Ending) {
        match self.stage.map(Stage::bring).transpose() {
            Ok(staged) => {
                ending.stage(staged);
                (self.begin)(&self.places, ending);
            }
            Err(error) => ending.end(Err(TaskFailure::Device(error))),
        }
    }

    fn ended_by(&self) -> EndedBy {
        self.ended_by
    }
}

impl Stream {
    /// Takes small work and runs it on this thread, without a task, if the stream has nothing else to do and nobody listens.
    /// False, and nothing has happened, if it has to be queued, or refused with a reason.
    fn compute_here<F: FnOnce(&[u64], u64) -> Result<(), String>>(
        &self,
        name: &'static str,
        touches: &[Touch],
        scratch: Option<Bytes>,
        run: &mut Option<F>,
    ) -> bool {
        let core = self.core();
        let mut used: SmallVec<[(&Store, Bytes); 8]> = SmallVec::new();
        let mut places: SmallVec<[u64; 8]> = SmallVec::new();
        for range in touches.iter().map(Touch::range).chain(scratch) {
            if range.bytes == 0 {
                places.push(0);
                continue;
            }
            // Reserved addresses and memory of the program take the long way.
            let Some((store, _)) = core.shared.store_of(range.start) else {
                return false;
            };
            places.push(store.kernel(range.start));
            used.push((store, range));
        }
        let scratch = match scratch {
            Some(_) => places.pop().unwrap_or(0),
            None => 0,
        };
        let note = |position| {
            used.iter().all(|(store, range)| {
                let user = Some((core.id, position));
                store.check(range.start, range.bytes, user).is_ok()
            })
        };
        let stage = stage(&core.shared, touches, &places);
        core.run_here(note, || {
            let mut work = || match run.take() {
                Some(run) => caught(name, || run(&places, scratch)),
                None => Ok(()),
            };
            match &stage {
                Some(stage) => stage.compute(work),
                None => work(),
            }
        })
    }
}

/// Runs native work. A kernel that panics must not end the worker, and threads that wait for the stream must see the failure.
fn caught(name: &str, run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let ran = catch_unwind(AssertUnwindSafe(run));
    let ran = ran.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_default();
        Err(format!("a bug in Millpond; please report it: {text}"))
    });
    ran.map_err(|text| format!("{name}: {text}"))
}

/// The task.
struct Native<F> {
    name: &'static str,
    stage: Option<Stage>,
    places: SmallVec<[u64; 8]>,
    scratch: u64,
    run: F,
}

impl<F> fmt::Debug for Native<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<F: FnOnce(&[u64], u64) -> Result<(), String> + Send> Computation for Native<F> {
    fn run(self: Box<Self>) -> Result<(), String> {
        let Self {
            name,
            stage,
            places,
            scratch,
            run,
        } = *self;
        let work = || caught(name, || run(&places, scratch));
        match stage {
            Some(stage) => stage.compute(work),
            None => work(),
        }
    }
}
