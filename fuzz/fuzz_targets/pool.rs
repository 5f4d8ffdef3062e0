//! Any bytes are a program for a pool, and a model says what it may do: see
//! `crates/pool/tests/common/mod.rs`.
//!
//! `cargo fuzz run pool` from this folder's parent. The test `programs_out_of_any_bytes_run` of the pool
//! does the same without a fuzzer.
#![no_main]

#[path = "../../crates/pool/tests/common/mod.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    common::run(&common::decode(bytes));
});
