//! The public face: the types that programs hold.
//!
//! Each is a handle to something inside, which has the same name with `Core` behind it: [`Stream`](stream::Stream) and `StreamCore`,
//! [`Event`](event::Event) and `EventCore`, [`MemoryPool`](memory_pool::MemoryPool) and `MemoryPoolCore`. A handle checks arguments,
//! calls its core and emits the records of refused calls; order, memory and schedules are the business of the cores.
//!
//! - [`runtime`], [`device`], [`context`], [`stream`], [`event`]: what there is and what runs.
//! - [`block`], [`memory_pool`]: memory that frees itself.
//! - [`raw`]: the same by address, for callers that keep no values; `capi` is the one that matters.
//! - [`allocator`]: the trait of allocators that programs register.
//!
//! Two parts are with what they are made of: models in `execution`, mapped memory in `virtual_memory/owned.rs`.

pub(crate) mod allocator;
pub(crate) mod block;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod memory_pool;
pub mod raw;
pub(crate) mod runtime;
pub(crate) mod stream;
