//! ONNX Runtime, found and loaded at run time.
//!
//! An [`Engine`] is the loaded library with its one environment; a [`Session`] is a graph that it can run.
//! What a run needs beside its inputs and outputs comes from the [`RunMemory`] that the run was
//! given, on the thread that runs: the engine has one allocator for everything, and it asks whoever runs on this thread.
//!
//! What must always hold:
//! - A library is loaded once and never unloaded: its threads and its environment are the process's.
//! - Its symbols stay its own (`RTLD_LOCAL`), so that another copy in the process is not disturbed.
//! - No answer of a [`RunMemory`] can crash the engine, also not a refusal (`memory.rs`).
//!
//! `find.rs` knows where to look, `library.rs` opens, `api.rs` turns statuses into errors, `memory.rs` is
//! the allocator, `heap.rs` what it gives when nobody runs, `load.rs` loads models, `session.rs` runs
//! them.

mod api;
mod engine;
mod error;
mod find;
mod heap;
mod library;
mod load;
mod memory;
mod session;
mod values;

pub use engine::Engine;
pub use error::{EngineError, RunError};
pub use find::Search;
pub use heap::Scratch;
pub use memory::RunMemory;
pub use session::{Bound, Open, Session, SessionOptions, SlotInfo, Tensor, Workers};
