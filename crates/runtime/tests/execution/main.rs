//! Models and operators: what they compute, whose memory they use, in which order, and how they fail.
//!
//! These tests need ONNX Runtime and fail without it: `cargo xtask engine` installs it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::float_cmp, reason = "small whole numbers come out exactly")]

#[path = "../common/mod.rs"]
mod common;

mod allocators;
mod arguments;
mod at_once;
mod failures;
mod gpu;
mod lives;
mod missing;
mod order;
mod records;
mod results;
mod trial;
mod world;
