//! One stream's part of an arena: its shard of the pool, how far it is, and its epoch.
//!
//! The plugin sees only the callbacks of a stream, so a stream's position is their number.
//! An *epoch* is an event that is recorded on the stream at some position. When it has completed, so
//! has all work before that position, and other streams may use what was freed there. A lane has
//! at most one epoch outstanding, and records one at most every [`EPOCH_FREES`] frees, unless a
//! request would fail otherwise.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use millpond_pool::Shard;
use parking_lot::Mutex;

use crate::blocks::Spare;
use crate::calls::{Calls, Refused, within};

/// Frees between two epochs.
pub(crate) const EPOCH_FREES: u64 = 64;

/// On its own cache lines, so that threads with one stream each do not share any.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Lane {
    /// Its number in the pool; never reused.
    pub(crate) id: u64,
    pub(crate) stream: u64,
    context: Option<usize>,
    pub(crate) shard: Arc<Shard>,
    pub(crate) spare: Spare,
    position: AtomicU64,
    /// Up to which position its work has passed; `u64::MAX` when it has ended.
    passed: AtomicU64,
    pub(crate) live: AtomicU64,
    pub(crate) allocations: AtomicU64,
    frees: AtomicU64,
    /// Its descriptor is gone: there will be no more callbacks.
    ended: AtomicBool,
    epoch: Mutex<Option<Epoch>>,
}

/// An event that was recorded.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    event: u64,
    position: u64,
    /// Smaller is older, over all lanes.
    number: u64,
}

static NUMBERS: AtomicU64 = AtomicU64::new(0);

impl Lane {
    pub(crate) fn new(id: u64, stream: u64, context: Option<usize>, shard: Arc<Shard>) -> Self {
        Self {
            id,
            stream,
            context,
            shard,
            spare: Spare::default(),
            position: AtomicU64::new(0),
            passed: AtomicU64::new(0),
            live: AtomicU64::new(0),
            allocations: AtomicU64::new(0),
            frees: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            epoch: Mutex::default(),
        }
    }

    /// Counts one more callback and returns its position.
    pub(crate) fn step(&self) -> u64 {
        self.position.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(crate) fn now(&self) -> u64 {
        self.position.load(Ordering::Acquire)
    }

    pub(crate) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Acquire)
    }

    pub(crate) fn frees(&self) -> u64 {
        self.frees.load(Ordering::Relaxed)
    }

    /// Whether its descriptor is gone. Its stream may be gone too, and is not queried.
    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// The context of its stream, as long as there is one.
    pub(crate) fn context(&self) -> Option<usize> {
        self.context.filter(|_| !self.has_ended())
    }

    /// Counts a free; returns whether an epoch is due.
    pub(crate) fn count_free(&self) -> bool {
        let frees = self.frees.fetch_add(1, Ordering::Relaxed) + 1;
        frees.is_multiple_of(EPOCH_FREES)
    }

    /// Records an epoch, unless one is outstanding or there is nothing new to learn. Answers whether
    /// it did.
    pub(crate) fn record(&self, calls: &dyn Calls) -> Result<bool, Refused> {
        // Whoever has the lock is at it already.
        let Some(mut epoch) = self.epoch.try_lock() else {
            return Ok(false);
        };
        if epoch.is_some() || self.now() <= self.passed() || self.has_ended() {
            return Ok(false);
        }
        *epoch = Some(self.recorded(calls)?);
        Ok(true)
    }

    fn recorded(&self, calls: &dyn Calls) -> Result<Epoch, Refused> {
        // Read before recording: what came in front of this position was enqueued before the event.
        let position = self.now();
        let event = within(calls, self.context, || {
            let event = calls.create_event()?;
            match calls.record_event(event, self.stream) {
                Ok(()) => Ok(event),
                Err(why) => {
                    calls.destroy_event(event);
                    Err(why)
                }
            }
        })?;
        Ok(Epoch {
            event,
            position,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Checks whether the outstanding epoch has passed; returns whether something was learned.
    pub(crate) fn poll(&self, calls: &dyn Calls) -> bool {
        self.settle_if(calls, |event| calls.event_passed(event) == Ok(true))
    }

    /// Waits for the outstanding epoch; returns whether something was learned.
    pub(crate) fn wait(&self, calls: &dyn Calls) -> bool {
        self.settle_if(calls, |event| calls.wait_for_event(event).is_ok())
    }

    fn settle_if(&self, calls: &dyn Calls, passed: impl FnOnce(u64) -> bool) -> bool {
        let Some(mut epoch) = self.epoch.try_lock() else {
            return false;
        };
        let Some(Epoch {
            event, position, ..
        }) = *epoch
        else {
            return false;
        };
        within(calls, self.context, || {
            let over = passed(event);
            if over {
                calls.destroy_event(event);
                *epoch = None;
                self.learn(position);
            }
            over
        })
    }

    /// Checks whether the stream is idle; returns whether something was learned.
    pub(crate) fn look(&self, calls: &dyn Calls) -> bool {
        let position = self.now();
        if position <= self.passed() || self.has_ended() {
            return false;
        }
        let idle = within(calls, self.context, || calls.stream_idle(self.stream));
        idle == Ok(true) && self.learn(position)
    }

    /// The work in front of a position has passed.
    fn learn(&self, position: u64) -> bool {
        let before = self.passed.fetch_max(position, Ordering::AcqRel);
        self.conclude();
        before < position
    }

    /// The age of the outstanding epoch: smaller is older.
    pub(crate) fn pending(&self) -> Option<u64> {
        let epoch = self.epoch.try_lock()?;
        epoch.map(|epoch| epoch.number)
    }

    /// Its descriptor goes: the last epoch is recorded, unless the stream is known to be past it. If
    /// that fails nothing has changed.
    pub(crate) fn end(&self, calls: &dyn Calls) -> Result<(), Refused> {
        let mut epoch = self.epoch.lock();
        self.look(calls);
        let last = if self.now() > self.passed() {
            Some(self.recorded(calls)?)
        } else {
            None
        };
        if let Some(old) = std::mem::replace(&mut *epoch, last) {
            within(calls, self.context, || calls.destroy_event(old.event));
        }
        self.ended.store(true, Ordering::Release);
        self.conclude();
        Ok(())
    }

    /// A lane that has ended and whose last work has passed is past everything.
    fn conclude(&self) {
        if self.has_ended() && self.passed() >= self.now() {
            self.passed.store(u64::MAX, Ordering::Release);
        }
    }

    /// Whether it has ended and all its work has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.passed() == u64::MAX
    }
}
