//! Memory by address, for language bindings.
//!
//! The C interface names memory by bare addresses, so nothing in the types can keep it alive. What
//! belongs to the runtime is checked against its books at every call; what does not is taken for
//! the program's own host memory, and that it is valid is the caller's promise.
#![expect(
    unsafe_code,
    reason = "declares unsafe functions; see each one's contract"
)]

use millpond_trace::{Operation, Outcome, Space};

use crate::device::Device;
use crate::error::Error;
use crate::memory::{BlockInfo, Direction, Operand, Request};
use crate::runtime::Runtime;
use crate::stream::Motion;
use crate::stream_handle::{Stream, plan_copy};

/// A copy between two addresses.
#[derive(Debug, Clone, Copy)]
pub struct RawCopy {
    /// Where to.
    pub to: u64,
    /// How many bytes there is room for.
    pub room: u64,
    /// Where from.
    pub from: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What the program says about the direction.
    pub direction: Direction,
}

/// A copy of rows between two addresses.
#[derive(Debug, Clone, Copy)]
pub struct RawRows {
    /// Where to.
    pub to: u64,
    /// Bytes from one row to the next there.
    pub to_pitch: u64,
    /// Where from.
    pub from: u64,
    /// Bytes from one row to the next there.
    pub from_pitch: u64,
    /// Bytes of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// What the program says about the direction.
    pub direction: Direction,
}

/// Bytes or words to be set.
#[derive(Debug, Clone, Copy)]
pub struct RawFill {
    /// Where.
    pub to: u64,
    /// How many bytes there is room for.
    pub room: u64,
    /// How many bytes.
    pub bytes: u64,
    /// To what.
    pub value: FillValue,
}

/// What memory is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillValue {
    /// Every byte.
    Byte(u8),
    /// Every 32-bit word.
    Word(u32),
}

/// How an asynchronous request was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// It is queued.
    Queued,
    /// It is done: the program's own memory is not pinned, so the stream was waited for.
    AtOnce,
}

impl Runtime {
    /// Allocates pinned host memory that [`Runtime::free_host_at`] frees.
    pub fn alloc_host_at(&self, bytes: u64) -> Result<BlockInfo, Error> {
        self.alloc_host_raw(bytes)
    }

    /// Frees the block of device memory that starts at `address`, of whichever device.
    #[inline]
    pub fn free_at(&self, address: u64) -> Result<(), Error> {
        self.free_where(address, "device memory", |space| {
            matches!(space, Space::Device(_))
        })
    }

    /// Frees the block of pinned host memory that starts at `address`.
    pub fn free_host_at(&self, address: u64) -> Result<(), Error> {
        self.free_where(address, "pinned host memory", |space| {
            space == Space::Pinned
        })
    }

    #[inline]
    fn free_where(
        &self,
        address: u64,
        expected: &'static str,
        fits: impl FnOnce(Space) -> bool,
    ) -> Result<(), Error> {
        let freed = match self.shared.store_of(address) {
            None => Err(Error::NotABlock {
                address,
                inside: None,
                space: Space::Foreign,
            }),
            Some((_, found)) if !fits(found) => Err(Error::WrongSpace {
                address,
                found,
                expected,
            }),
            Some((store, _)) => store.free(address, None, self.shared.fence()),
        };
        if let Err(error) = &freed {
            self.shared.tap.emit(|| Operation::FreeRefused {
                address,
                reason: error.to_string(),
            });
        }
        freed
    }

    fn plan_rows(&self, rows: &RawRows) -> Result<Option<Motion>, Error> {
        if rows.width == 0 || rows.height == 0 {
            return Ok(None);
        }
        let span = |start, pitch: u64| -> Result<Operand, Error> {
            let bytes = pitch
                .checked_mul(rows.height - 1)
                .and_then(|gaps| gaps.checked_add(rows.width))
                .ok_or(Error::BadRange {
                    address: start,
                    bytes: u64::MAX,
                })?;
            self.shared.operand(start, bytes)
        };
        let (to, from) = (
            span(rows.to, rows.to_pitch)?,
            span(rows.from, rows.from_pitch)?,
        );
        rows.direction.check(&to, &from)?;
        Ok(Some(Motion::Rows {
            to,
            to_pitch: rows.to_pitch,
            from,
            from_pitch: rows.from_pitch,
            width: rows.width,
            height: rows.height,
        }))
    }

    fn plan_fill(&self, fill: &RawFill) -> Result<Option<Motion>, Error> {
        if fill.bytes == 0 {
            return Ok(None);
        }
        if fill.bytes > fill.room {
            return Err(Error::DestinationTooSmall {
                count: fill.bytes,
                room: fill.room,
            });
        }
        let to = self.shared.operand(fill.to, fill.bytes)?;
        Ok(Some(match fill.value {
            FillValue::Byte(value) => Motion::Fill { to, value },
            FillValue::Word(_) if !fill.to.is_multiple_of(4) => {
                return Err(Error::Unaligned {
                    address: fill.to,
                    alignment: 4,
                });
            }
            FillValue::Word(value) => Motion::FillWords { to, value },
        }))
    }
}

impl Device {
    /// Allocates a block that [`Runtime::free_at`] frees.
    #[inline]
    pub fn alloc_at(&self, request: Request) -> Result<BlockInfo, Error> {
        self.alloc_raw(request)
    }

    /// Copies now, on this thread. Streams are not waited for.
    ///
    /// # Safety
    /// A side that is not memory of the runtime must be valid for the whole call.
    pub unsafe fn copy_at(&self, copy: &RawCopy) -> Result<(), Error> {
        let RawCopy {
            to,
            room,
            from,
            bytes,
            direction,
        } = *copy;
        self.move_now(plan_copy(&self.shared, to, room, from, bytes, direction)?)
    }

    /// Copies rows now, on this thread.
    ///
    /// # Safety
    /// As for [`Device::copy_at`].
    pub unsafe fn copy_rows_at(&self, rows: &RawRows) -> Result<(), Error> {
        self.move_now(self.runtime().plan_rows(rows)?)
    }

    /// Fills now, on this thread.
    ///
    /// # Safety
    /// As for [`Device::copy_at`].
    pub unsafe fn fill_at(&self, fill: &RawFill) -> Result<(), Error> {
        self.move_now(self.runtime().plan_fill(fill)?)
    }

    fn runtime(&self) -> Runtime {
        Runtime {
            shared: std::sync::Arc::clone(&self.shared),
        }
    }

    pub(crate) fn move_now(&self, planned: Option<Motion>) -> Result<(), Error> {
        let Some(motion) = planned else {
            return Ok(());
        };
        let moved = motion.perform(&*self.core.device);
        self.shared.tap.emit(|| Operation::Moved {
            task: motion.kind(),
            reads: motion.reads(),
            writes: motion.writes(),
            outcome: moved.as_ref().map_or_else(
                |error| Outcome::Failed(error.to_string()),
                |()| Outcome::Done,
            ),
        });
        moved.map_err(Error::Device)
    }
}

impl Stream {
    /// Copies in the order of the stream. `snapshot` takes the bytes of a host source now, so that
    /// the program may change them at once.
    ///
    /// # Safety
    /// A side that is not memory of the runtime must be valid for the whole call.
    pub unsafe fn copy_at(&self, copy: &RawCopy, snapshot: bool) -> Result<Carried, Error> {
        let RawCopy {
            to,
            room,
            from,
            bytes,
            direction,
        } = *copy;
        let shared = &self.core().shared;
        let Some(motion) = plan_copy(shared, to, room, from, bytes, direction)? else {
            return Ok(Carried::Queued);
        };
        if let Motion::Copy { to, from } = motion
            && snapshot
            && !matches!(from.space, Space::Device(_))
        {
            return self.copy_snapshot(to, from);
        }
        self.carry(motion)
    }

    /// Copies rows in the order of the stream.
    ///
    /// # Safety
    /// As for [`Stream::copy_at`].
    pub unsafe fn copy_rows_at(&self, rows: &RawRows) -> Result<Carried, Error> {
        match self.runtime().plan_rows(rows)? {
            Some(motion) => self.carry(motion),
            None => Ok(Carried::Queued),
        }
    }

    /// Fills in the order of the stream.
    ///
    /// # Safety
    /// As for [`Stream::copy_at`].
    pub unsafe fn fill_at(&self, fill: &RawFill) -> Result<Carried, Error> {
        match self.runtime().plan_fill(fill)? {
            Some(motion) => self.carry(motion),
            None => Ok(Carried::Queued),
        }
    }

    fn runtime(&self) -> Runtime {
        Runtime {
            shared: std::sync::Arc::clone(&self.core().shared),
        }
    }

    /// Queues the motion, or waits for the stream and does it at once where a side is host memory
    /// that is not pinned: the device could not reach that by itself.
    fn carry(&self, motion: Motion) -> Result<Carried, Error> {
        let (to, from) = match motion {
            Motion::Copy { to, from } | Motion::Rows { to, from, .. } => (to, Some(from)),
            Motion::Fill { to, .. } | Motion::FillWords { to, .. } => (to, None),
        };
        let is_host = |side: &Operand| !matches!(side.space, Space::Device(_));
        if from.as_ref().is_some_and(is_host) && is_host(&to) {
            return Err(Error::HostToHost);
        }
        let foreign = |side: &Operand| side.space == Space::Foreign;
        // The engine that sets words does not reach host memory at all, pinned or not.
        let host_words = matches!(motion, Motion::FillWords { .. }) && is_host(&to);
        if host_words || foreign(&to) || from.as_ref().is_some_and(foreign) {
            self.synchronize()?;
            let device = Device {
                core: std::sync::Arc::clone(&self.core().device),
                shared: std::sync::Arc::clone(&self.core().shared),
            };
            device.move_now(Some(motion))?;
            return Ok(Carried::AtOnce);
        }
        self.enqueue_motion(motion)?;
        Ok(Carried::Queued)
    }

    fn copy_snapshot(&self, to: Operand, from: Operand) -> Result<Carried, Error> {
        let bytes = from.range.bytes;
        let staged = self.runtime().alloc_host_raw(bytes)?;
        let staging = self.core().shared.operand(staged.address, bytes)?;
        let taken = Motion::Copy { to: staging, from }.perform(&*self.core().device.device);
        let queued = taken.map_err(Error::Device).and_then(|()| {
            self.enqueue_motion(Motion::Copy { to, from: staging })
                .map(|_| Carried::Queued)
        });
        // Reused only when the copy that was just queued has passed.
        self.runtime().free_host_at(staged.address)?;
        queued
    }
}
