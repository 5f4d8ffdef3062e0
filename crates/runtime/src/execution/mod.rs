//! Computing work: operators and models, run by the engine.
//!
//! An operator is a small model, so there is one type, [`Model`]: a session of the engine, with plans for
//! its runs.
//!
//! ```text
//!   run_on ──▶ is there a plan? ── yes ──▶ queue.rs: one block, one task
//!                   │ no
//!                   ├─ stream idle ──────▶ at_once.rs: inside the call, learning the plan
//!                   ├─ stream busy ──────▶ trial.rs: plan on made-up inputs, then queue.rs
//!                   └─ contents decide ──▶ wait for the stream, then at_once.rs
//! ```
//!
//! `argument.rs` has inputs and results; `call.rs` checks and resolves them; `plan.rs` has plans; `model_memory.rs`
//! the memory that a program provides for a model; `site.rs` decides whether this machine or a GPU computes, and `places.rs`
//! which models have a session on a GPU, made from what `model_file.rs` has; `source.rs` chooses where a run's memory comes from, `memory.rs` and `piecewise.rs` pass
//! it to the engine; `task.rs` executes a run; `records.rs` writes its records; `value.rs` reads values that a graph is built
//! for. `native.rs` is work that needs no engine, `word.rs` words that streams write and wait for,
//! `found.rs` copies whose addresses are in memory.
//!
//! What must always hold:
//! - A task owns everything it needs: session, plan, copies of host inputs; its block is freed after it in stream order.
//! - A program's allocator is called on the calling thread, with no lock of ours held. If it returns nothing,
//!   nothing is queued.
//! - No output is written where an input is read: such outputs are computed in the block and copied afterwards.

mod argument;
mod at_once;
mod call;
mod captured;
mod found;
mod memory;
mod model;
mod model_file;
mod model_memory;
mod native;
mod piecewise;
mod places;
mod plan;
mod queue;
mod records;
mod site;
mod source;
mod staging;
mod task;
mod trial;
mod value;
mod word;

pub use argument::{Argument, Data, Destination, Output, Produced, Shapes};
pub use model::{ComputesOn, EngineInfo, LoadOptions, Model, Slot, Threads};
pub use native::Touch;
pub(crate) use native::accesses;
pub(crate) use places::GpuPlaces;
pub use source::WorkspaceSource;
pub(crate) use source::Workspaces;
pub(crate) use staging::OnStage;
pub use trial::TrialInput;
pub use word::Comparison;
pub(crate) use word::Words;
