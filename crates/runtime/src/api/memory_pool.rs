//! The handle of a pool that a program creates.

use std::sync::Arc;

use millpond_trace::{Operation, PoolSetting};

use crate::api::block::Slice;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::memory::{BlockInfo, MemoryPoolCore, PoolNumbers, Reuse};

/// A pool with its own limit, whose memory is allocated and freed in stream order.
///
/// Memory that was freed on a stream is reused on that stream at once; on another stream once
/// a synchronisation has shown that it is safe, or as [`Reuse`] permits.
///
/// It ends when it is destroyed or its last clone is dropped; each block holds a clone.
#[derive(Debug, Clone)]
pub struct MemoryPool {
    owner: Arc<Owner>,
}

#[derive(Debug)]
struct Owner {
    core: Arc<MemoryPoolCore>,
    id: u64,
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Destroyed already, or blocks that were allocated by address live on: then so does the pool.
        drop(self.core.destroy(self.id));
    }
}

/// A block of a pool. Dropping it frees it in the order of its stream.
#[derive(Debug)]
pub struct PoolBlock {
    info: BlockInfo,
    pool: MemoryPool,
    stream: Stream,
}

impl MemoryPool {
    pub(crate) fn new(core: Arc<MemoryPoolCore>, id: u64) -> Self {
        Self {
            owner: Arc::new(Owner { core, id }),
        }
    }

    /// Its number; no other pool of the runtime ever has it.
    pub fn id(&self) -> u64 {
        self.owner.id
    }

    /// The number of its device.
    pub fn device_index(&self) -> u32 {
        self.owner.core.device.index
    }

    /// What is left of it after [`MemoryPool::destroy`]: nothing that can be used.
    fn alive(&self) -> Boxed<&MemoryPoolCore> {
        if self.owner.core.is(self.owner.id) {
            return Ok(&self.owner.core);
        }
        Err(Error::PoolGone.into())
    }

    fn record_setting(&self, setting: PoolSetting) {
        let pool = self.id();
        let core = &self.owner.core;
        core.emit(|| Operation::PoolSet { pool, setting });
    }

    /// Allocates `bytes` bytes in the order of `stream`.
    pub fn alloc(&self, stream: &Stream, bytes: u64) -> Result<PoolBlock, Error> {
        Ok(PoolBlock {
            info: self.alive()?.alloc(self.id(), stream.core(), bytes)?,
            pool: self.clone(),
            stream: stream.clone(),
        })
    }

    /// The same for bindings: returns the address of the block, which [`Stream::free_at`] frees.
    pub fn alloc_at(&self, stream: &Stream, bytes: u64) -> Result<u64, Box<Error>> {
        Ok(self
            .alive()?
            .alloc(self.id(), stream.core(), bytes)?
            .address)
    }

    /// Whether a kind of reuse between streams is allowed.
    pub fn reuse(&self, right: Reuse) -> Result<bool, Error> {
        Ok(self.alive()?.reuse(right))
    }

    /// Allows or forbids a kind of reuse between streams. All are forbidden at first.
    pub fn set_reuse(&self, right: Reuse, allowed: bool) -> Result<(), Error> {
        self.alive()?.set_reuse(right, allowed);
        self.record_setting(match right {
            Reuse::FollowEvents => PoolSetting::FollowEvents(allowed),
            Reuse::Opportunistic => PoolSetting::Opportunistic(allowed),
            Reuse::InternalWaits => PoolSetting::InternalWaits(allowed),
        });
        Ok(())
    }

    /// How many unused bytes the pool keeps at a synchronisation: 0 at first.
    pub fn set_release_threshold(&self, bytes: u64) -> Result<(), Error> {
        self.alive()?.set_threshold(bytes)?;
        self.record_setting(PoolSetting::ReleaseThreshold(bytes));
        Ok(())
    }

    /// Its numbers.
    pub fn numbers(&self) -> Result<PoolNumbers, Error> {
        Ok(self.alive()?.numbers())
    }

    /// The same by size and by stream.
    pub fn statistics(&self) -> Result<millpond_pool::Statistics, Error> {
        Ok(self.alive()?.statistics())
    }

    /// Resets the peak of used bytes.
    pub fn reset_used_high(&self) -> Result<(), Error> {
        self.alive()?.reset_used_high();
        Ok(())
    }

    /// Resets the peak of bytes taken from the device.
    pub fn reset_reserved_high(&self) -> Result<(), Error> {
        self.alive()?.reset_reserved_high();
        Ok(())
    }

    /// Releases unused memory down to `keep` bytes, which must be at least the used bytes and at
    /// most the limit.
    pub fn trim_to(&self, keep: u64) -> Result<(), Error> {
        let core = self.alive()?;
        core.trim_to(keep)?;
        let pool = self.id();
        core.emit(|| Operation::PoolTrimmed { pool, keep });
        Ok(())
    }

    /// Ends it. Its blocks must have been freed; queued work may still use them.
    pub fn destroy(&self) -> Result<(), Error> {
        self.alive()?.destroy(self.id())
    }
}

impl PoolBlock {
    /// Its description.
    pub fn info(&self) -> &BlockInfo {
        &self.info
    }

    /// Its start address on the device.
    pub fn address(&self) -> u64 {
        self.info.address
    }

    /// How many bytes were requested.
    pub fn len(&self) -> u64 {
        self.info.requested
    }

    /// Never: a block has at least one byte.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All requested bytes.
    pub fn all(&self) -> Slice<'_> {
        Slice::new(&self.info, ..)
    }

    /// A part of them. Panics if the range extends beyond the block.
    pub fn slice(&self, range: impl std::ops::RangeBounds<u64>) -> Slice<'_> {
        Slice::new(&self.info, range)
    }
}

impl Drop for PoolBlock {
    fn drop(&mut self) {
        let pool = &self.pool.owner.core;
        let freed = pool.free(
            self.stream.core(),
            self.info.address,
            Some(self.info.serial),
        );
        // A reset of the device has freed it already: nothing is left to do.
        drop(freed);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Error, Runtime};

    /// A pool may be destroyed between the two times that an allocation looks whether it is still there.
    #[test]
    fn an_allocation_that_loses_its_pool_leaves_nothing_charged() {
        let runtime = Runtime::new(Config::default()).unwrap();
        let device = runtime.device(0).unwrap();
        let stream = device.create_stream().unwrap();
        let pool = device.create_pool(None).unwrap();
        let gone = pool.id() + 1;
        let lost = pool.owner.core.alloc(gone, stream.core(), 100);
        assert_eq!(*lost.unwrap_err(), Error::PoolGone);
        assert_eq!(device.usage().charged, 0);
    }
}
