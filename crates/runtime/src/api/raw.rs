//! Memory by address, for language bindings.
//!
//! The C interface names memory by bare addresses, so no type keeps it alive. Every call checks
//! addresses of the runtime's memory; any other address is taken for the program's own host memory,
//! which the caller promises to be valid.
#![expect(
    unsafe_code,
    reason = "declares unsafe functions; see each one's contract"
)]

use std::sync::Arc;

use millpond_device::DeviceError;
use millpond_trace::{Accesses, Operation, Outcome, Space};

use crate::api::device::Device;
use crate::api::runtime::Runtime;
use crate::api::stream::{Stream, plan_copy};
use crate::error::{Boxed, Error};
use crate::memory::{Direction, Operand, Request};
use crate::shared::Shared;
use crate::stream::Motion;
use crate::virtual_memory::MappingError;

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

/// How an asynchronous request was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// It is queued.
    Queued,
    /// It is done: the program's own memory is not pinned, so the call waited for the stream.
    AtOnce,
}

impl Runtime {
    /// Allocates pinned host memory that [`Runtime::free_host_at`] frees, and returns its address.
    pub fn alloc_host_at(&self, bytes: u64) -> Result<u64, Box<Error>> {
        Ok(self.alloc_host_raw(bytes)?.address)
    }

    /// Frees the block of device memory that starts at `address` if no queued work uses it and
    /// nothing records: the fast path for the common case. On `None`, call
    /// [`Runtime::free_at`].
    #[inline(always)]
    pub fn free_plainly_at(&self, address: u64) -> Option<()> {
        let (store, space) = self.shared.store_of(address)?;
        (matches!(space, Space::Device(_)) && store.free_plainly(address)).then_some(())
    }

    /// Frees the block of device memory that starts at `address`, on any device.
    pub fn free_at(&self, address: u64) -> Result<(), Box<Error>> {
        self.free_where(address, "device memory", |space| {
            matches!(space, Space::Device(_))
        })
    }

    /// Frees the block of pinned host memory that starts at `address`.
    pub fn free_host_at(&self, address: u64) -> Result<(), Box<Error>> {
        self.free_where(address, "pinned host memory", |space| {
            space == Space::Pinned
        })
    }

    fn free_where(
        &self,
        address: u64,
        expected: &'static str,
        fits: impl FnOnce(Space) -> bool,
    ) -> Boxed<()> {
        let found = self.shared.store_of(address);
        let error = match found {
            Some((store, space)) if fits(space) => {
                let freed = store.free(address, None);
                return freed.map_err(|error| self.shared.refused_free(address, error));
            }
            Some((_, found)) => Error::WrongSpace {
                address,
                found,
                expected,
            },
            None if self.shared.virtual_memory.holds(address) => {
                Error::Mapping(MappingError::NotABlock { address })
            }
            None => Error::NotABlock {
                address,
                inside: None,
                space: Space::Foreign,
            },
        };
        Err(self.shared.refused_free(address, error.into()))
    }
}

impl Shared {
    /// Records a free that was refused.
    #[cold]
    pub(crate) fn refused_free(&self, address: u64, error: Box<Error>) -> Box<Error> {
        self.tap.emit(|| Operation::FreeRefused {
            address,
            reason: error.to_string(),
        });
        error
    }

    fn plan_rows(&self, rows: &RawRows) -> Boxed<Option<Motion>> {
        if rows.width == 0 || rows.height == 0 {
            return Ok(None);
        }
        let span = |start, pitch: u64| -> Boxed<Operand> {
            let bytes = pitch
                .checked_mul(rows.height - 1)
                .and_then(|gaps| gaps.checked_add(rows.width))
                .ok_or(Error::BadRange {
                    address: start,
                    bytes: u64::MAX,
                })?;
            self.operand(start, bytes)
        };
        let (to, from) = (
            span(rows.to, rows.to_pitch)?,
            span(rows.from, rows.from_pitch)?,
        );
        rows.direction.check(&to, &from)?;
        self.note_direction(rows.direction, &to, &from);
        Ok(Some(Motion::Rows {
            to,
            to_pitch: rows.to_pitch,
            from,
            from_pitch: rows.from_pitch,
            width: rows.width,
            height: rows.height,
        }))
    }

    #[inline(always)]
    fn plan_fill(&self, fill: &RawFill) -> Boxed<Option<Motion>> {
        if fill.bytes == 0 {
            return Ok(None);
        }
        if fill.bytes > fill.room {
            return Err(Error::DestinationTooSmall {
                count: fill.bytes,
                room: fill.room,
            }
            .into());
        }
        let to = self.operand(fill.to, fill.bytes)?;
        Ok(Some(match fill.value {
            FillValue::Byte(value) => Motion::Fill { to, value },
            FillValue::Word(_) if !fill.to.is_multiple_of(4) => {
                return Err(Error::Unaligned {
                    address: fill.to,
                    alignment: 4,
                }
                .into());
            }
            FillValue::Word(value) => Motion::FillWords { to, value },
        }))
    }
}

impl Shared {
    /// Records a direction that the addresses correct. Where code of the program reaches device memory, the host and the
    /// device are one.
    #[inline]
    pub(crate) fn note_direction(&self, stated: Direction, to: &Operand, from: &Operand) {
        if self.tap.listening() && !self.config.unified && stated.is_corrected(to, from) {
            self.tap.emit(|| Operation::DirectionCorrected {
                stated: stated.name().into(),
                to: to.space,
                from: from.space,
            });
        }
    }

    /// Records that the calling thread begins work of its own, if somebody wants times.
    #[inline]
    pub(crate) fn record_work_began(&self, device: Option<u32>, stream: Option<u64>) {
        self.tap
            .emit_time(|| Operation::WorkBegan { device, stream });
    }

    /// Records a motion that the calling thread carried out.
    #[inline]
    fn record_move(&self, motion: &Motion, room: u64, moved: &Result<(), DeviceError>) {
        self.tap.emit(|| Operation::Moved {
            accesses: motion.accesses(room),
            outcome: moved.as_ref().map_or_else(
                |error| Outcome::Failed(error.to_string()),
                |()| Outcome::Done,
            ),
        });
    }
}

impl Device {
    /// Allocates a block that [`Runtime::free_at`] frees, and returns its address.
    pub fn alloc_at(&self, request: Request) -> Result<u64, Box<Error>> {
        Ok(self.alloc_raw(request)?.address)
    }

    /// The same if the pool has a cached block of the size and nothing records: the fast path for the
    /// common case. On `None`, call [`Device::alloc_at`].
    #[inline(always)]
    pub fn alloc_kept_at(&self, request: Request) -> Option<u64> {
        let (bytes, pages) = request.first_attempt(&self.shared.config.profile)?;
        self.core.store.alloc_kept(request.bytes, bytes, pages)
    }

    /// Copies now, on this thread. Streams are not waited for.
    ///
    /// # Safety
    /// A side that is not memory of the runtime must be valid for the whole call.
    pub unsafe fn copy_at(&self, copy: &RawCopy) -> Result<(), Box<Error>> {
        plan_copy(&self.shared, copy)
            .and_then(|planned| self.move_now(planned, copy.room))
            .map_err(|error| self.shared.refused_work(None, |_| copy.accesses(), error))
    }

    /// Copies rows now, on this thread.
    ///
    /// # Safety
    /// As for [`Device::copy_at`].
    pub unsafe fn copy_rows_at(&self, rows: &RawRows) -> Result<(), Box<Error>> {
        let planned = self.shared.plan_rows(rows);
        planned
            .and_then(|planned| self.move_now(planned, 0))
            .map_err(|error| self.shared.refused_work(None, |_| rows.accesses(), error))
    }

    /// Fills now, on this thread.
    ///
    /// # Safety
    /// As for [`Device::copy_at`].
    pub unsafe fn fill_at(&self, fill: &RawFill) -> Result<(), Box<Error>> {
        let planned = self.shared.plan_fill(fill);
        planned
            .and_then(|planned| self.move_now(planned, fill.room))
            .map_err(|error| self.shared.refused_work(None, |_| fill.accesses(), error))
    }

    /// `room` is what the program says of the destination, for the record.
    fn move_now(&self, planned: Option<Motion>, room: u64) -> Boxed<()> {
        let Some(motion) = planned else {
            return Ok(());
        };
        self.shared.check(&motion, None)?;
        let _kept = self.shared.keep(&motion)?;
        self.shared.record_work_began(Some(self.core.index), None);
        let moved = motion.ready().perform(&*self.core.device);
        self.shared.record_move(&motion, room, &moved);
        self.shared.words.changed(&self.shared.tap);
        moved.map_err(|error| Error::Device(error).into())
    }
}

impl Stream {
    /// Copies in the order of the stream. `snapshot` takes the bytes of a host source now, so that
    /// the program may change them at once.
    ///
    /// # Safety
    /// A side that is not memory of the runtime must be valid for the whole call.
    #[inline(always)]
    pub unsafe fn copy_at(&self, copy: &RawCopy, snapshot: bool) -> Result<Carried, Box<Error>> {
        self.plan_and_copy(copy, snapshot)
            .map_err(|error| self.refused(|_| copy.accesses(), error))
    }

    #[inline(always)]
    fn plan_and_copy(&self, copy: &RawCopy, snapshot: bool) -> Boxed<Carried> {
        let Some(motion) = plan_copy(self.shared(), copy)? else {
            return Ok(Carried::Queued);
        };
        if let Motion::Copy { to, from } = motion
            && snapshot
            && !matches!(from.space, Space::Device(_))
        {
            return self.copy_snapshot(to, from, copy.room);
        }
        self.carry(motion, copy.room)
    }

    #[cold]
    pub(crate) fn refused(
        &self,
        accesses: impl FnOnce(&Error) -> Accesses,
        error: Box<Error>,
    ) -> Box<Error> {
        self.shared().refused_work(Some(self.id()), accesses, error)
    }

    /// Copies rows in the order of the stream.
    ///
    /// # Safety
    /// As for [`Stream::copy_at`].
    pub unsafe fn copy_rows_at(&self, rows: &RawRows) -> Result<Carried, Box<Error>> {
        let planned = self.shared().plan_rows(rows);
        planned
            .and_then(|planned| self.carry_planned(planned, 0))
            .map_err(|error| self.refused(|_| rows.accesses(), error))
    }

    /// Fills in the order of the stream.
    ///
    /// # Safety
    /// As for [`Stream::copy_at`].
    #[inline(always)]
    pub unsafe fn fill_at(&self, fill: &RawFill) -> Result<Carried, Box<Error>> {
        let planned = self.shared().plan_fill(fill);
        planned
            .and_then(|planned| self.carry_planned(planned, fill.room))
            .map_err(|error| self.refused(|_| fill.accesses(), error))
    }

    fn runtime(&self) -> Runtime {
        Runtime {
            shared: Arc::clone(self.shared()),
        }
    }

    #[inline(always)]
    fn carry_planned(&self, planned: Option<Motion>, room: u64) -> Boxed<Carried> {
        match planned {
            Some(motion) => self.carry(motion, room),
            None => Ok(Carried::Queued),
        }
    }

    /// Whether bytes are host memory that is not pinned.
    pub fn is_foreign(&self, address: u64, bytes: u64) -> bool {
        let operand = self.shared().operand(address, bytes);
        operand.is_ok_and(|operand| operand.space == Space::Foreign)
    }

    /// Queues the motion, or waits for the stream and does it at once where a side is host memory
    /// that is not pinned: a device could not reach that.
    #[inline(always)]
    fn carry(&self, motion: Motion, room: u64) -> Boxed<Carried> {
        let (to, from) = motion.sides();
        let is_host = |side: &Operand| !matches!(side.space, Space::Device(_));
        if from.is_some_and(is_host) && is_host(to) {
            return Err(Error::HostToHost.into());
        }
        let foreign = |side: &Operand| side.space == Space::Foreign;
        // The engine that sets words does not reach host memory at all, pinned or not.
        let host_words = matches!(motion, Motion::FillWords { .. }) && is_host(to);
        if host_words || foreign(to) || from.is_some_and(foreign) {
            return self.carry_at_once(motion, room);
        }
        self.enqueue_motion(&motion, room)?;
        Ok(Carried::Queued)
    }

    #[cold]
    fn carry_at_once(&self, motion: Motion, room: u64) -> Boxed<Carried> {
        self.not_recorded("an asynchronous copy or fill with host memory that is not pinned")?;
        self.synchronize()?;
        let device = Device {
            core: Arc::clone(&self.core().device),
            shared: Arc::clone(self.shared()),
        };
        device.move_now(Some(motion), room)?;
        Ok(Carried::AtOnce)
    }

    fn copy_snapshot(&self, to: Operand, from: Operand, room: u64) -> Boxed<Carried> {
        if !matches!(to.space, Space::Device(_)) {
            return Err(Error::HostToHost.into());
        }
        self.not_recorded("a copy that takes its source when it is called")?;
        let motion = Motion::Copy { to, from };
        self.shared().check(&motion, None)?;
        let _kept = self.shared().keep(&motion)?;
        let bytes = from.range.bytes;
        let staged = self.runtime().alloc_host_raw(bytes)?;
        let staging = self.core().shared.operand(staged.address, bytes)?;
        let take = Motion::Copy { to: staging, from };
        let device = self.core().device.index;
        self.shared().record_work_began(Some(device), None);
        let taken = take.ready().perform(&*self.core().device.device);
        self.shared().record_move(&take, 0, &taken);
        let queued = taken
            .map_err(|error| Box::new(Error::Device(error)))
            .and_then(|()| {
                self.enqueue_motion(&Motion::Copy { to, from: staging }, room)
                    .map(|_| Carried::Queued)
            });
        // Reused only when the copy that was just queued has passed.
        let place = self.core().last_place();
        if let Some(store) = self.shared().pinned.of(staged.address) {
            store.free_by(staged.address, (place.stream, place.task))?;
        }
        queued
    }
}
