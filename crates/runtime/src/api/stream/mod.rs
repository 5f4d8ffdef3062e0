//! The handle of a stream: creating, querying, destroying. `enqueue.rs` has the calls that queue work, `order.rs` those that
//! order streams and wait for them.

mod enqueue;
mod order;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_trace::{AllocatorChange, Operation, Position};

use crate::api::allocator::StreamAllocator;
use crate::error::{Error, Limited};
use crate::shared::{DeviceCore, Shared};
use crate::stream::{OnFailure, Reports, StreamCore, function_of_thread};

pub(crate) use enqueue::plan_copy;
pub(crate) use order::milliseconds;

/// A queue of tasks that run one after the other; tasks of different streams run concurrently.
///
/// Dropping the last clone closes the stream without waiting; queued tasks still run.
#[derive(Debug, Clone)]
pub struct Stream {
    owner: Arc<Owner>,
}

#[derive(Debug)]
struct Owner {
    core: Arc<StreamCore>,
}

/// Options of a new stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamOptions {
    /// 0 is the most urgent, 7 the least.
    pub priority: u32,
    /// Stored and returned, without an effect.
    pub flags: u32,
}

impl Stream {
    pub(crate) fn create(
        shared: &Arc<Shared>,
        device: &Arc<DeviceCore>,
        context: u64,
        options: StreamOptions,
    ) -> Result<Self, Error> {
        let limit = shared.config.profile.streams;
        if device.streams.fetch_add(1, Ordering::Relaxed) >= limit {
            device.streams.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::TooMany {
                what: Limited::Streams,
                limit,
            });
        }
        Ok(Self::opened(shared, device, context, options))
    }

    /// A stream of the runtime's own, which counts for no limit.
    pub(crate) fn internal(shared: &Arc<Shared>, device: &Arc<DeviceCore>, context: u64) -> Self {
        device.streams.fetch_add(1, Ordering::Relaxed);
        Self::opened(shared, device, context, StreamOptions::default())
    }

    /// A stream that is counted already.
    fn opened(
        shared: &Arc<Shared>,
        device: &Arc<DeviceCore>,
        context: u64,
        options: StreamOptions,
    ) -> Self {
        let core = Arc::new(StreamCore::new(
            shared.next_id(),
            context,
            Arc::clone(device),
            Arc::clone(shared),
            options.priority.min(7),
            options.flags,
        ));
        shared.order.add(core.id, &core.progress);
        shared.adopt(&core);
        shared.tap.emit(|| Operation::StreamCreated {
            stream: core.id,
            context,
            device: device.index,
        });
        Self {
            owner: Arc::new(Owner { core }),
        }
    }

    #[inline]
    pub(crate) fn core(&self) -> &Arc<StreamCore> {
        &self.owner.core
    }

    #[inline]
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.owner.core.shared
    }

    /// Its number; no other stream of the runtime ever has it.
    pub fn id(&self) -> u64 {
        self.core().id
    }

    /// The number of its context; 0 if it has none.
    pub fn context_id(&self) -> u64 {
        self.core().context
    }

    /// The number of its device.
    pub fn device_index(&self) -> u32 {
        self.core().device.index
    }

    /// How urgent it is: 0 is the most.
    pub fn priority(&self) -> u32 {
        self.core().priority
    }

    /// The flags it was created with.
    pub fn flags(&self) -> u32 {
        self.core().flags
    }

    /// Sends the stream's reports to `reports` from now on.
    pub fn subscribe(&self, reports: &Reports) -> Result<(), Error> {
        reports.subscribe(self.core())
    }

    /// Ends what [`Stream::subscribe`] began.
    pub fn unsubscribe(&self, reports: &Reports) -> Result<(), Error> {
        reports.unsubscribe(self.core())
    }

    /// Frees the block that starts at `address` in the order of this stream: of a pool, or of device
    /// memory.
    pub fn free_at(&self, address: u64) -> Result<(), Box<Error>> {
        let shared = self.shared();
        let freed = if let Some(pool) = shared.pool_of(address) {
            pool.free(self.core(), address, None)
        } else {
            let by = (self.core().id, self.core().progress.enqueued());
            shared.free_in_order(address, by)
        };
        freed.map_err(|error| shared.refused_free(address, error))
    }

    /// Declares that work of this stream which the runtime cannot see uses the block that contains `address`,
    /// up to the end of the queue now. The block is not reused before that work is done, as for a
    /// copy in this stream.
    pub fn record_use(&self, address: u64) -> Result<(), Box<Error>> {
        let position = self.core().last_place();
        let user = (position.stream, position.task);
        self.shared().note_use(address, user)?;
        self.shared()
            .tap
            .emit(|| Operation::UseRecorded { address, position });
        Ok(())
    }

    /// Whether this thread runs a host function of the stream, and so cannot wait for it.
    pub fn is_inside(&self) -> bool {
        self.core().is_inside()
    }

    /// The task whose function the calling thread runs, of any stream; `None` outside such functions.
    pub fn function_of_thread() -> Option<Position> {
        function_of_thread()
    }

    /// Whether it was destroyed.
    pub fn is_closed(&self) -> bool {
        self.core().is_closed()
    }

    /// Waits for the queued work, then closes the stream.
    pub fn destroy(&self) -> Result<(), Error> {
        Self::finish_core(self.core())
    }

    pub(crate) fn finish_core(core: &Arc<StreamCore>) -> Result<(), Error> {
        if core.is_inside() {
            return Err(Error::WouldDeadlock);
        }
        core.leave_capture();
        core.close();
        core.abort_if_lost();
        let outcome = Self::wait_core(core, None);
        core.drop_allocator();
        core.forget_reports();
        core.shared.tap.emit(|| Operation::StreamDestroyed {
            stream: core.id,
            dropped: 0,
        });
        outcome
    }

    /// Closes the stream at once and drops tasks that have not begun.
    pub fn destroy_force(&self) {
        self.core().leave_capture();
        let dropped = self.core().abort(true);
        self.core().let_go();
        self.core().drop_allocator();
        self.shared().tap.emit(|| Operation::StreamDestroyed {
            stream: self.id(),
            dropped,
        });
    }

    /// Drops tasks that have not begun. Threads that wait for the stream get [`Error::StreamAborted`].
    pub fn abort(&self) {
        self.core().abort(false);
    }

    /// Sets whether later tasks run after one has failed.
    pub fn set_on_failure(&self, on_failure: OnFailure) {
        self.core().set_on_failure(on_failure);
    }

    /// Registers the allocator that provides memory for work on this stream, in place of an earlier one.
    pub fn set_allocator(&self, allocator: Option<Arc<dyn StreamAllocator>>) {
        let change = allocator
            .as_ref()
            .map_or(AllocatorChange::Unregistered, |known| {
                let (descriptor, object) = known.identity();
                AllocatorChange::Registered { descriptor, object }
            });
        let before = std::mem::replace(&mut *self.core().allocator.lock(), allocator);
        drop(before);
        self.shared().tap.emit(|| Operation::Allocator {
            stream: self.id(),
            change,
        });
    }

    /// The allocator that is registered.
    pub fn allocator(&self) -> Option<Arc<dyn StreamAllocator>> {
        self.core().allocator.lock().clone()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if !self.core.is_closed() {
            self.core.leave_capture();
            self.core.close();
            self.core.shared.tap.emit(|| Operation::StreamDestroyed {
                stream: self.core.id,
                dropped: 0,
            });
        }
        self.core.abort_if_lost();
        self.core.device.streams.fetch_sub(1, Ordering::Relaxed);
    }
}
