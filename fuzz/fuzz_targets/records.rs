//! Any bytes are a record file, and those that become records come back when they are written again.
//!
//! `cargo fuzz run records` from this folder's parent; seeds: [README.md](../README.md).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    millpond_fuzz::records(bytes);
});
