//! ONNX Runtime, found and loaded at run time.
//!
//! An [`Engine`] is the loaded library with its one environment; a [`Session`] is a graph that it can run.
//! Memory that a run needs beyond its inputs and outputs comes from the [`RunMemory`] passed to the run. The
//! engine has one allocator for everything; it forwards each request to the run on the current thread.
//!
//! Invariants:
//! - A library is loaded once and never unloaded: its threads and its environment belong to the process.
//! - Its symbols stay local (`RTLD_LOCAL`), so other copies in the process are not affected.
//! - No result of a [`RunMemory`] can crash the engine, not even out of memory (`memory.rs`).
//!
//! `find.rs` searches for the library, `library.rs` opens it, `api.rs` turns statuses into errors, `memory.rs` is
//! the allocators, `gpu.rs` has sessions on GPUs, `heap.rs` serves requests outside of runs, `load.rs` loads models, `session.rs` runs
//! them.

mod api;
mod engine;
mod error;
mod find;
mod gpu;
mod heap;
mod library;
mod load;
mod memory;
mod session;
mod values;

pub use engine::Engine;
pub use error::{EngineError, RunError};
pub use find::Search;
pub use gpu::{Gpu, GpuHeap};
pub use heap::Scratch;
pub use memory::RunMemory;
pub use session::{Bound, Open, Place, Session, SessionOptions, SlotInfo, Tensor, Workers};
