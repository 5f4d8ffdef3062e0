//! Any bytes are lines of an RMM log, under its header.
//!
//! `cargo fuzz run rmm` from this folder's parent; seeds: [README.md](../README.md).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    millpond_fuzz::rmm(bytes);
});
