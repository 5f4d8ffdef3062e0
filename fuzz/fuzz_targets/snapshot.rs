//! Any bytes are read as memory snapshots, and what becomes events holds what a source promises.
//!
//! `cargo fuzz run snapshot` from this folder's parent. The bytes are pickles: the fuzzer's bytes follow the protocol's number.
#![no_main]

#[path = "../../crates/recording/tests/common/promises.rs"]
mod promises;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let file = [&b"\x80\x04"[..], bytes].concat();
    if let Ok(mut source) = millpond_recording::from_bytes(&file, "fuzzed") {
        promises::hold(&mut *source);
    }
});
