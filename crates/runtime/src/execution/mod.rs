//! Work that computes: operators and models, run by the engine.
//!
//! An operator is a small model, so there is one type, [`Model`]: an engine's session with what was learned
//! about running it. `argument.rs` is what a run is given and gives back.

mod argument;
mod model;

pub use argument::{Argument, Data, Output, Place, Produced, Shapes};
pub use model::{LoadOptions, Model, Slot, Threads};
