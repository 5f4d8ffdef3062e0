//! The handle of a device.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use millpond_trace::{Operation, Outcome, Target};

use crate::api::block::DeviceBlock;
use crate::api::context::Context;
use crate::api::memory_pool::MemoryPool;
use crate::api::stream::{Stream, StreamOptions, milliseconds};
use crate::error::{Boxed, Error, Waited};
use crate::memory::{BlockInfo, PageKind, Request, Usage};
use crate::schedule::Goal;
use crate::shared::{DeviceCore, Shared};

/// Pages that a pool's limit is a multiple of.
const POOL_PAGE: u64 = 2 << 20;

/// A device: it has memory and runs streams.
#[derive(Debug, Clone)]
pub struct Device {
    pub(crate) core: Arc<DeviceCore>,
    pub(crate) shared: Arc<Shared>,
}

impl Device {
    /// Its number.
    pub fn index(&self) -> u32 {
        self.core.index
    }

    /// Allocates `bytes` bytes, rounded up to a multiple of 32. The contents are not initialised.
    ///
    /// Neither this nor dropping the block waits for any stream.
    pub fn alloc(&self, bytes: u64) -> Result<DeviceBlock, Error> {
        self.alloc_with(Request::of(bytes))
    }

    /// Allocates what a [`Request`] describes.
    pub fn alloc_with(&self, request: Request) -> Result<DeviceBlock, Error> {
        self.shared
            .testing
            .enter("Device.alloc", Some(request.bytes))?;
        let info = self.alloc_raw(request)?;
        Ok(DeviceBlock::new(info, self.clone()))
    }

    /// The same, at `address` if the bytes there are free. This is a hint; blocks on huge pages ignore
    /// it.
    pub fn alloc_near(&self, request: Request, address: u64) -> Result<DeviceBlock, Error> {
        let profile = &self.shared.config.profile;
        let bytes = request.rounded(profile)?;
        let info = match request.attempts(profile)? {
            [PageKind::Normal] => {
                let near = self.core.store.alloc_near(request.bytes, bytes, address);
                // Somewhere else others may make room.
                near.or_else(|_| self.alloc_raw(request))?
            }
            _ => self.alloc_raw(request)?,
        };
        Ok(DeviceBlock::new(info, self.clone()))
    }

    /// A stream outside any context.
    pub fn create_stream(&self) -> Result<Stream, Error> {
        self.shared.testing.enter("Device.create_stream", None)?;
        Stream::create(&self.shared, &self.core, 0, StreamOptions::default())
    }

    /// A context: a group of streams that end together.
    pub fn create_context(&self) -> Result<Context, Error> {
        Context::create(self)
    }

    /// A pool that may hand out `limit` bytes, rounded up to whole pages; without a limit, as much as
    /// the device has.
    pub fn create_pool(&self, limit: Option<u64>) -> Result<MemoryPool, Error> {
        let (_, whole) = self.room();
        let bytes = match limit {
            None => whole / POOL_PAGE * POOL_PAGE,
            Some(limit) => limit
                .checked_next_multiple_of(POOL_PAGE)
                .unwrap_or(u64::MAX),
        };
        if bytes == 0 || bytes > whole {
            return Err(Error::PoolBounds {
                what: "limit",
                bytes: limit.unwrap_or(bytes),
                least: 1,
                most: whole,
            });
        }
        let (core, id) = self.shared.open_pool(&self.core, bytes)?;
        Ok(MemoryPool::new(core, id))
    }

    /// Waits until everything that is queued on this device now has ended.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.synchronize_within(None)
    }

    /// The same, for at most `limit`.
    pub fn synchronize_within(&self, limit: Option<Duration>) -> Result<(), Error> {
        self.shared.testing.enter("Device.synchronize", None)?;
        let deadline = limit.and_then(|limit| self.shared.clock.after(limit));
        let streams = self.shared.streams(Some(self.core.index));
        if streams.iter().any(|stream| stream.is_inside()) {
            return Err(Error::WouldDeadlock);
        }
        for stream in &streams {
            stream.not_while_captured("synchronising the device")?;
        }
        let waits: Vec<_> = streams
            .into_iter()
            .map(|stream| (stream.clock(), stream.target(), stream))
            .collect();
        let mut first = Ok(());
        for (clock, waiting, stream) in waits {
            let goal = Goal::Stream(Arc::clone(&stream), waiting);
            let reached = self.shared.wait_for(&goal, deadline);
            if reached {
                stream.saw(waiting, &clock);
            }
            // One failure is returned at a time: the others surface at a later synchronisation.
            if first.is_err() {
                continue;
            }
            first = if reached {
                // A stream that was thrown away meanwhile has nothing left to wait for.
                match stream.verdict(waiting) {
                    Err(Error::StreamAborted) => Ok(()),
                    other => other,
                }
            } else {
                Err(Error::TimedOut {
                    what: Waited::Device,
                    milliseconds: milliseconds(limit),
                })
            };
        }
        self.shared.release_pools(self.core.index);
        self.shared.tap.emit(|| Operation::Synchronized {
            target: Target::Device(self.core.index),
            outcome: outcome_of(&first),
        });
        first
    }

    /// Releases idle pages of the device and its pools to the machine, and returns how many resident bytes that freed.
    pub fn trim(&self) -> Result<u64, Error> {
        let mut bytes = self.core.store.trim()?;
        for pool in self.shared.pools() {
            if pool.device.index == self.core.index {
                bytes += pool.store.trim()?;
            }
        }
        Ok(bytes)
    }

    /// Free bytes and total bytes. Free memory is limited by the machine's memory, which devices and pinned memory
    /// share; on a GPU by what its driver says. Programs query this often, so unlike [`Device::usage`] it does not visit every block.
    pub fn room(&self) -> (u64, u64) {
        let store = &self.core.store;
        let free = store.free_bytes();
        let machine = match self.core.device.own_room() {
            // What the pool keeps and does not use is free for the program.
            Some((free, _)) => {
                let used = self.charged().0.saturating_sub(store.held_bytes());
                free.saturating_add(store.promised().saturating_sub(used))
            }
            None => self.shared.machine_room(),
        };
        (free.min(machine), store.capacity())
    }

    /// Bytes of its memory that are in use, as whole pages, and how many can be.
    pub fn charged(&self) -> (u64, u64) {
        let store = &self.core.store;
        let capacity = store.capacity();
        (capacity.saturating_sub(store.free_bytes()), capacity)
    }

    /// How its memory is used. Visits every live block.
    pub fn usage(&self) -> Usage {
        self.core.store.usage()
    }

    /// How its memory is used, by size and by stream.
    pub fn statistics(&self) -> millpond_pool::Statistics {
        self.core.store.statistics()
    }

    /// How many bytes of its memory the machine holds now.
    pub fn resident(&self) -> Result<u64, Error> {
        self.core.store.resident()
    }

    /// How many more streams can be created.
    pub fn streams_available(&self) -> u32 {
        let limit = self.shared.config.profile.streams;
        limit.saturating_sub(self.core.streams.load(Ordering::Relaxed))
    }

    /// What it is, for people: the machine's memory, or which GPU.
    pub fn describe(&self) -> String {
        self.core.device.describe()
    }

    /// A note for the user about how the device was opened, such as less memory than its profile says.
    pub fn note(&self) -> Option<String> {
        self.core.device.note()
    }

    /// Drops the work of all its streams that has not begun, and waits for the rest, as long as `limit` allows. False if the
    /// time was up first.
    pub fn abort(&self, limit: Option<Duration>) -> bool {
        let streams = self.shared.streams(Some(self.core.index));
        for stream in &streams {
            stream.abort(false);
        }
        let deadline = limit.and_then(|limit| self.shared.clock.after(limit));
        let mut waits = streams.into_iter();
        waits.all(|stream| {
            let waiting = stream.target();
            let goal = Goal::Stream(stream, waiting);
            self.shared.wait_until(&goal, deadline, None)
        })
    }

    /// Ends everything on the device: queued work that has not begun is dropped, all streams are
    /// closed, all blocks freed, all its physical memory unmapped, all pages returned.
    pub fn reset(&self) -> Result<(), Error> {
        for stream in self.shared.streams(Some(self.core.index)) {
            stream.abort(true);
            stream.settle();
        }
        // What a task that is running still names, here or on a stream of another device, is retired.
        self.shared.end_mappings_of(self.core.index);
        let mut cleared = self.core.store.clear();
        for pool in self.shared.pools() {
            if pool.device.index == self.core.index {
                cleared = cleared.and(pool.clear());
            }
        }
        self.shared.tap.emit(|| Operation::DeviceReset {
            device: self.core.index,
        });
        cleared
    }

    #[inline(always)]
    pub(crate) fn alloc_raw(&self, request: Request) -> Boxed<BlockInfo> {
        let profile = &self.shared.config.profile;
        let bytes = request.rounded(profile)?;
        let pages = request.attempts(profile)?;
        let allocated = self.core.store.alloc(request.bytes, bytes, pages);
        match allocated {
            Err(error) if matches!(*error, Error::MachineFull { .. }) => {
                // Idle pages of other devices are in the way too.
                self.shared.relieve();
                self.core.store.alloc(request.bytes, bytes, pages)
            }
            // What pools keep and do not use is in the way.
            Err(error)
                if matches!(*error, Error::OutOfMemory { .. })
                    && self.shared.squeeze_pools(self.core.index) =>
            {
                self.core.store.alloc(request.bytes, bytes, pages)
            }
            answer => answer,
        }
    }
}

pub(crate) fn outcome_of(result: &Result<(), Error>) -> Outcome {
    match result {
        Ok(()) => Outcome::Done,
        Err(Error::TimedOut { .. }) => Outcome::NotReady,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}
