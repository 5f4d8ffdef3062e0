//! Device memory, streams and events on any Linux machine.
//!
//! A [`Runtime`] has [`Device`]s; a device has memory, which [`DeviceBlock`]s are cut from, and runs
//! [`Stream`]s; [`Event`]s order streams among each other. By default the device is the machine's own
//! CPU and memory, with the manners of an accelerator: the program cannot touch device memory, and
//! work on a stream really runs beside the program.
//!
//! ```
//! use millpond::{Config, Runtime};
//!
//! let runtime = Runtime::new(Config::from_env()?)?;
//! let device = runtime.device(0)?;
//! let stream = device.create_stream()?;
//! let block = device.alloc(1024)?;
//! let mut host = runtime.alloc_host(1024)?;
//! host.bytes()?.fill(7);
//! stream.copy(block.all(), host.all())?;
//! stream.fill(block.slice(512..), 9)?;
//! stream.copy(host.all(), block.all())?;
//! stream.synchronize()?;
//! assert_eq!(&host.bytes()?[510..514], [7, 7, 9, 9]);
//! # Ok::<(), millpond::Error>(())
//! ```
//!
//! What the types keep you from: touching a [`HostBlock`] while queued work uses it is
//! [`Error::InUse`]; a block that is dropped with work queued is reused only when that work has
//! passed; a stale handle cannot exist. What no type can see, such as two streams using one block
//! without an event between them, is left to the checker that reads the [`Runtime::tap`].

mod allocator;
mod block;
mod config;
mod context;
mod device;
mod error;
mod event;
mod execution;
mod memory;
mod memory_pool;
mod order;
mod profile;
pub mod raw;
mod refusal;
mod runtime;
mod schedule;
mod shared;
mod stall;
mod stream;
mod stream_handle;
mod virtual_memory;

pub use allocator::{AllocatorBlock, StreamAllocator};
pub use block::{DeviceBlock, HostBlock, Slice};
pub use config::{Config, Pinned};
pub use context::Context;
pub use device::Device;
pub use error::{Error, Limited, TaskFailure, Waited};
pub use event::Event;
pub use execution::{
    Argument, Data, EngineInfo, LoadOptions, Model, Output, Place, Produced, RunsFrom, Shapes,
    Slot, Threads,
};
pub use memory::{
    BlockInfo, Direction, PageChoice, PageKind, PoolNumbers, Request, Reuse, Tail, Usage,
};
pub use memory_pool::{MemoryPool, PoolBlock};
/// What a [`MemorySource`] gives: see the crate `millpond-device`.
pub use millpond_device as device_api;
pub use millpond_device::{
    DeviceError, FailingAddressSpace, FailingDevice, FailingPinned, FailurePlan, HostAddressSpace,
    HostDevice, HostOptions, PinnedMemory,
};
/// The type of a tensor's elements.
pub use millpond_model::Element;
pub use millpond_pool::{CLASSES, ClassCount, Statistics, StreamStatistics};
pub use millpond_trace as trace;
pub use profile::{EVENT_LIMIT, MemoryKind, PROFILES, Profile};
pub use runtime::Runtime;
pub use schedule::Schedule;
pub use shared::{HostSource, MemorySource};
pub use stream::{EventKind, EventStatus, OnFailure, Reports};
pub use stream_handle::{Stream, StreamOptions};
pub use virtual_memory::{
    Location, Mapping, MappingError, MappingInfo, PhysicalMemory, PhysicalRequest, Reservation,
};
