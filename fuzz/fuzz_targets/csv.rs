//! Any bytes are read as CSV traces, and what becomes events holds what a source promises.
//!
//! `cargo fuzz run csv` from this folder's parent. The bytes are lines under the header.
#![no_main]

#[path = "../../crates/recording/tests/common/promises.rs"]
mod promises;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let file = [&b"t_us,op,addr,size,stream\\n"[..], bytes].concat();
    if let Ok(mut source) = millpond_recording::from_bytes(&file, "fuzzed") {
        promises::hold(&mut *source);
    }
});
