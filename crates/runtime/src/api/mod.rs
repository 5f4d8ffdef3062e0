//! The public API: the types that programs hold.
//!
//! Each is a handle to an internal object of the same name with the suffix `Core`: [`Stream`](stream::Stream) and `StreamCore`,
//! [`Event`](event::Event) and `EventCore`, [`MemoryPool`](memory_pool::MemoryPool) and `MemoryPoolCore`. A handle checks arguments,
//! calls its core and emits the records of refused calls; the cores implement order, memory and schedules.
//!
//! - [`runtime`], [`device`], [`context`], [`stream`], [`event`]: what there is and what runs.
//! - [`block`], [`memory_pool`]: memory that frees itself.
//! - [`raw`]: the same by address, for callers that cannot hold Rust values, such as `capi`.
//! - [`allocator`]: the trait of allocators that programs register.
//!
//! Two parts of the API are beside their implementation: models in `execution`, mapped memory in `virtual_memory/owned.rs`.

pub(crate) mod allocator;
pub(crate) mod block;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod memory_pool;
pub mod raw;
pub(crate) mod runtime;
pub(crate) mod stream;
