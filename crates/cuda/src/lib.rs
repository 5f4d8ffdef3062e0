//! The CUDA driver, opened at run time.
//!
//! Nothing of CUDA is needed to build this crate. [`Driver::open`] opens `libcuda.so.1`, or the library that
//! `MILLPOND_CUDA_DRIVER` names, and finds every function that it uses; where one is missing it says so. Calls take and
//! return numbers: addresses are `u64`, and handles are small types that only the driver, or a caller who promises that a
//! number is one, can make.
//!
//! - [`Driver`]: the open library. Its methods are in the files of their subjects: devices and contexts, memory, virtual
//!   memory, streams, events, copies.
//! - [`Error`]: the call that failed, with the driver's own name and text of the code.
//! - [`Current`]: makes a context the thread's own while it lives.
//! - `testing`: a stand-in for the driver over host memory, built from C by tests.
//!
//! There is no policy and no state here, except the library itself: who calls when, and what an address is used for, is
//! decided above. No call is made twice, and nothing is remembered.

mod calls;
mod context;
mod copies;
mod driver;
mod error;
mod library;
mod memory;
mod streams;
#[doc(hidden)]
pub mod testing;
mod virtual_memory;

pub use context::{Context, Current, Device};
pub use driver::Driver;
pub use error::{Code, Error};
pub use library::NAME;
pub use memory::HostFlags;
pub use streams::{Capture, Event, Ready, Stream};
pub use virtual_memory::{Handle, Physical};
