//! The arena over a runtime that keeps books: see [`crate::fake`].

mod every_call;
mod registry;
mod rungs;
mod threads;
mod world;
