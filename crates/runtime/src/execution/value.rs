//! Values that determine a graph, read from memory in stream order.
//!
//! A graph is built for its axes, offsets or sizes, so these must be known first. If a program passes them in device memory,
//! a task reads them in stream order, and the call waits for the stream.

use std::sync::Arc;

use millpond_trace::{Accesses, Bytes, Span, TaskKind, Text};
use parking_lot::Mutex;

use super::call::Call;
use super::site::Site;
use super::staging::{Stage, sentence};
use super::task::Move;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::stream::{Computation, Work};

impl Stream {
    /// Bytes of the runtime's memory as they are after everything that is queued now, which is waited for. `reader` is
    /// the operator that needs them, for records.
    ///
    /// If the stream waits for an event that this thread was to record later, this deadlocks.
    pub fn read_value(
        &self,
        address: u64,
        bytes: u64,
        reader: &str,
    ) -> Result<Vec<u8>, Box<Error>> {
        let range = Bytes {
            start: address,
            bytes,
        };
        let accesses = || Accesses {
            reads: [Span::from(range)].into_iter().collect(),
            name: Text::Owned(reader.to_owned()),
            ..Accesses::none(TaskKind::Compute)
        };
        let call = Call::reading(&self.core().shared, address, bytes);
        call.and_then(|call| self.read_now(&call, bytes, accesses))
            .map_err(|error| self.refused(|_| accesses(), error))
    }

    fn read_now(&self, call: &Call, bytes: u64, accesses: impl Fn() -> Accesses) -> Boxed<Vec<u8>> {
        let core = self.core();
        if core.is_closed() {
            return Err(Error::StreamGone.into());
        }
        if core.is_inside() {
            return Err(Error::WouldDeadlock.into());
        }
        let value = Arc::new(Mutex::new(None));
        let reading = Reading {
            from: call.inputs().first().copied().unwrap_or(0),
            bytes,
            into: Arc::clone(&value),
            stage: call.stage(&Site::Host, &core.shared),
        };
        call.enqueue_as(accesses, self, Work::Compute(Box::new(reading)))?;
        // After the task: a free after the call knows that the memory has been read.
        self.drain()?;
        self.record_drain();
        if let Some(stopped) = core.stop_reason() {
            return Err(stopped.into());
        }
        let read = value.lock().take();
        read.ok_or_else(|| Error::StreamAborted.into())
    }
}

/// The task that reads.
#[derive(Debug)]
struct Reading {
    from: u64,
    bytes: u64,
    into: Arc<Mutex<Option<Vec<u8>>>>,
    stage: Option<Stage>,
}

impl Computation for Reading {
    fn run(mut self: Box<Self>) -> Result<(), String> {
        let staged = self.stage.take().map(Stage::bring).transpose();
        let _staged = staged.map_err(sentence)?;
        let too_many = || format!("there is no memory for a value of {} bytes", self.bytes);
        let length = usize::try_from(self.bytes).map_err(|_| too_many())?;
        let mut value = Vec::new();
        value.try_reserve_exact(length).map_err(|_| too_many())?;
        value.resize(length, 0_u8);
        let copy = Move {
            from: self.from,
            to: value.as_mut_ptr().expose_provenance() as u64,
            bytes: self.bytes,
        };
        copy.perform();
        *self.into.lock() = Some(value);
        Ok(())
    }
}
