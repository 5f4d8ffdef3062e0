//! Any bytes are a memory snapshot, behind the protocol's number.
//!
//! `cargo fuzz run snapshot` from this folder's parent; seeds: [README.md](../README.md).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    millpond_fuzz::snapshot(bytes);
});
