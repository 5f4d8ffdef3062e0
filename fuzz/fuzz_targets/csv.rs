//! Any bytes are lines of a CSV trace, under its header.
//!
//! `cargo fuzz run csv` from this folder's parent; seeds: [README.md](../README.md).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    millpond_fuzz::csv(bytes);
});
