//! Values that decide what is computed, read from memory in the order of a stream.
//!
//! A graph is made for axes, offsets or sizes, so they have to be known before it is. Where a program gives them in device
//! memory, the stream is waited for, and the bytes are read then. In the records this is a task of its own behind the wait.

use millpond_trace::{Bytes, Deed, Span, TaskKind, Text};

use super::call::Call;
use super::task::Move;
use crate::error::{Boxed, Error};
use crate::stream::Work;
use crate::stream_handle::Stream;

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
        let deed = || Deed {
            reads: [Span::from(range)].into_iter().collect(),
            name: Text::Owned(reader.to_owned()),
            ..Deed::untouching(TaskKind::Compute)
        };
        let call = Call::reading(&self.core().shared, address, bytes);
        call.and_then(|call| self.read_now(&call, bytes, deed))
            .map_err(|error| self.refused(|_| deed(), error))
    }

    fn read_now(&self, call: &Call, bytes: u64, deed: impl Fn() -> Deed) -> Boxed<Vec<u8>> {
        let core = self.core();
        if core.is_closed() {
            return Err(Error::StreamGone.into());
        }
        call.check(&core.shared)?;
        if !core.is_settled() {
            self.drain()?;
        }
        self.record_drain();
        if let Some(stopped) = core.stop_reason() {
            return Err(stopped.into());
        }
        let too_many = || Error::BadSize { requested: bytes };
        let mut value = Vec::new();
        let length = usize::try_from(bytes).map_err(|_| too_many())?;
        value.try_reserve_exact(length).map_err(|_| too_many())?;
        value.resize(length, 0);
        let kept = call.keep(&core.shared)?;
        for place in call.inputs() {
            let copy = Move {
                from: *place,
                to: value.as_mut_ptr().expose_provenance() as u64,
                bytes,
            };
            copy.perform();
        }
        drop(kept);
        let before = core.progress.enqueued();
        let settled = core.is_settled();
        let position = call.enqueue_as(deed, self, 0, Work::Nothing)?;
        if settled && position == before + 1 {
            core.settle_at(position);
        }
        Ok(value)
    }
}
