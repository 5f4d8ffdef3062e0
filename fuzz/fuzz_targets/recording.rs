//! Any bytes are a record file, or the calls of a program that one was written of, and are read as a recording.
//!
//! `cargo fuzz run recording` from this folder's parent; seeds: [README.md](../README.md).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    millpond_fuzz::recording(bytes);
});
