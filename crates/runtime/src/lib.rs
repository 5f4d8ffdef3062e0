//! Device memory, streams and events on any Linux machine.
//!
//! A [`Runtime`] has [`Device`]s; a device has memory, which is allocated as [`DeviceBlock`]s, and
//! runs [`Stream`]s; [`Event`]s order streams. By default the device is the machine's own
//! CPU and memory, and behaves like an accelerator: the program cannot access device memory, and
//! work on a stream runs concurrently with the program.
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
//! The types prevent some mistakes: accessing a [`HostBlock`] while queued work uses it
//! is [`Error::InUse`]; a block that is dropped with work queued is reused only when that work
//! is done; a stale handle cannot exist. Other mistakes, such as two streams using one block without
//! an event between them, are found by the checker, which reads the [`Runtime::tap`].
#![deny(missing_docs)]

mod api;
mod clock;
mod config;
mod error;
mod execution;
mod gpu_source;
mod graph;
mod kind;
#[doc(hidden)]
pub mod lock;
mod memory;
mod order;
mod profile;
mod refusal;
mod schedule;
mod shared;
mod source;
mod stall;
mod stream;
pub mod testing;
mod virtual_memory;

pub use api::allocator::{AllocatorBlock, StreamAllocator};
pub use api::block::{DeviceBlock, HostBlock, Slice};
pub use api::context::Context;
pub use api::device::Device;
pub use api::event::Event;
pub use api::memory_pool::{MemoryPool, PoolBlock};
pub use api::raw;
pub use api::runtime::Runtime;
pub use api::stream::{Stream, StreamOptions};
pub use clock::{Clock, Expected, STEP, Time};
pub use config::{Config, Pinned};
pub use error::{Error, Limited, TaskFailure, Waited};
pub use execution::{
    Argument, Comparison, ComputesOn, Data, Destination, EngineInfo, LoadOptions, Model, Output,
    Produced, Shapes, Slot, Threads, Touch, TrialInput, WorkspaceSource,
};
pub use gpu_source::GpuSource;
pub use graph::{
    CaptureStatus, Condition, ConditionKind, Graph, GraphError, NodeDescription, TaskGroup,
};
pub use kind::{DeviceKind, describe_devices};
pub use memory::{
    BlockInfo, Direction, PageChoice, PageKind, PoolNumbers, Request, Reuse, Tail, Usage,
};
/// The devices that a [`MemorySource`] returns: see the crate `millpond-device`.
pub use millpond_device as device_api;
pub use millpond_device::{
    DeviceError, HostAddressSpace, HostDevice, HostOptions, PinnedMemory, PinnedOptions,
};
/// The type of a tensor's elements.
pub use millpond_model::Element;
pub use millpond_pool::{CLASSES, ClassCount, Statistics, StreamStatistics};
pub use millpond_trace as trace;
pub use profile::{EVENT_LIMIT, MemoryKind, PROFILES, Profile};
pub use schedule::Schedule;
pub use shared::FailedTask;
pub use source::{HostSource, MemorySource};
pub use stream::{EndedBy, Ending, EventKind, EventStatus, OnFailure, Reports};
pub use virtual_memory::{
    Lease, Lent, Location, Mapping, MappingError, MappingInfo, PhysicalMemory, PhysicalRequest,
    Reservation, SharedRange,
};
