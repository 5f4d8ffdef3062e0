//! Work that computes: operators and models, run by the engine.
//!
//! An operator is a small model, so there is one type, [`Model`]: an engine's session with what was learned
//! about running it.
//!
//! ```text
//!   run_on ──▶ is there a plan? ── yes ──▶ queue.rs: one block, one task
//!                   │ no
//!                   ├─ stream idle ──────▶ at_once.rs: inside the call, learning the plan
//!                   ├─ stream busy ──────▶ trial.rs: plan on made-up inputs, then queue.rs
//!                   └─ contents decide ──▶ wait for the stream, then at_once.rs
//! ```
//!
//! `argument.rs` is what a run is given and gives back; `call.rs` checks and resolves it; `plan.rs` is what
//! was learned; `model_memory.rs` is what a program gives a model; `source.rs` says whose memory a run gets, `memory.rs` and `piecewise.rs` hand it to
//! the engine; `task.rs` is a run when its turn comes; `records.rs` is what records say of it; `value.rs` reads values that a graph is
//! built for.
//!
//! What must always hold:
//! - A task owns everything it needs: session, plan, host inputs by value; its block is given back behind it.
//! - An allocator of the program is asked on the calling thread, with no lock of ours held. If it gives nothing,
//!   nothing is queued.
//! - No output is written where an input is read: such outputs are made in the block and copied after.

mod argument;
mod at_once;
mod call;
mod memory;
mod model;
mod model_memory;
mod native;
mod piecewise;
mod plan;
mod queue;
mod records;
mod source;
mod task;
mod trial;
mod value;

pub use argument::{Argument, Data, Destination, Output, Produced, Shapes};
pub use model::{EngineInfo, LoadOptions, Model, Slot, Threads};
pub use native::Touch;
pub use source::WorkspaceSource;
pub(crate) use source::Workspaces;
pub use trial::TrialInput;
