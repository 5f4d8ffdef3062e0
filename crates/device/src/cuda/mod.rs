//! Devices whose memory is a GPU's.
//!
//! ```text
//!   addresses (reserved once, never moved)          physical memory
//!   ┌────────────────────────────────────┐          ┌──────┐
//!   │ home: page n is mapped when it is  │────────▶ │ page │ one handle of the driver per page
//!   │ committed, unmapped when given back│          └──────┘
//!   ├────────────────────────────────────┤             ▲
//!   │ windows: a page of home, mapped a  │─────────────┘
//!   │ second time                        │
//!   └────────────────────────────────────┘
//!          + D: the mirror, where work of this process finds bytes that were brought (`staging.rs`)
//! ```
//!
//! - [`Cuda`]: the driver and its GPUs, shared by all memories of a source. Moves bytes between any of them and the host.
//! - [`CudaDevice`]: the memory of one device on a GPU, with its windows.
//! - [`CudaAddressSpace`]: addresses that programs reserve, and memory of GPUs that they map there.
//! - [`RegisteredPinned`]: pinned host memory that GPUs reach without a detour.
//! - [`GpuAccess`]: a GPU for a library of this process that computes there itself.
//! - [`BesideCuda`]: a host device whose streams may also copy from and to GPUs.
//!
//! The order of work stays the runtime's: a copy or fill is queued in a stream of the driver and waited for, on the worker
//! that runs the task. So nothing is in flight on the GPU when a task is over, and unmapping a page, which waits
//! for nothing, is safe when no task uses it.

mod access;
mod beside;
mod memory;
mod moving;
mod pinned;
mod space;
mod staging;
mod system;

pub use access::{GpuAccess, Writing};
pub use beside::BesideCuda;
pub use memory::{CudaDevice, CudaOptions};
pub use pinned::RegisteredPinned;
pub use space::CudaAddressSpace;
pub use staging::{Brought, Staged};
pub use system::Cuda;
