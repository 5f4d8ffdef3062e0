//! Allocators that a program registers on a stream.
//!
//! A trait, because the layer above knows how to call one: `capi` implements it over five C functions, tests with closures.
//! Registering is [`Stream::set_allocator`](crate::Stream::set_allocator). Runs of operators and models request memory from it; without one they
//! use our pool. `execution/source.rs` distinguishes the two: only blocks of an allocator have records.

use std::any::Any;
use std::fmt;

/// A block of a program's allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocatorBlock {
    /// The allocator's own name for the block.
    pub token: usize,
    /// Where its memory is.
    pub address: u64,
}

/// Provides memory for the work of one stream.
///
/// The runtime calls it on the thread that enqueues, during the call and without holding a lock. A
/// block is freed in stream order: work that was enqueued before may still use
/// it.
pub trait StreamAllocator: Send + Sync + fmt::Debug {
    /// A block of at least `bytes` bytes, or `None` if there is none to be had.
    fn alloc(&self, bytes: u64) -> Option<AllocatorBlock>;

    /// Takes a block back.
    fn free(&self, block: AllocatorBlock);

    /// Where it says that a block is now. Asked only for records, before the block goes back.
    fn address_now(&self, block: AllocatorBlock) -> u64 {
        block.address
    }

    /// What records know it by: the description that it was registered with, and the object behind it; 0 and 0 if
    /// it has none.
    fn identity(&self) -> (u64, u64) {
        (0, 0)
    }

    /// The value behind the trait, for the layer that registered it.
    fn as_any(&self) -> &dyn Any;
}
