//! Any bytes are read as RMM logs, and what becomes events holds what a source promises.
//!
//! `cargo fuzz run rmm` from this folder's parent. The bytes are lines under the header.
#![no_main]

#[path = "../../crates/recording/tests/common/promises.rs"]
mod promises;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let file = [&b"Thread,Time,Action,Pointer,Size,Stream\\n"[..], bytes].concat();
    if let Ok(mut source) = millpond_recording::from_bytes(&file, "fuzzed") {
        promises::hold(&mut *source);
    }
});
