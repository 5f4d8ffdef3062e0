//! The arena over a runtime that records every call: see [`crate::fake`].

mod every_call;
mod registry;
mod rungs;
mod threads;
mod world;
