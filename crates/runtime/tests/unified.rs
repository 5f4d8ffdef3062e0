//! Unified mode: the program runs "on the device" and may touch its memory.
#![expect(
    unsafe_code,
    reason = "dereferences device addresses, which this mode allows"
)]

#[path = "common/mod.rs"]
mod common;

use common::{config, fill, value_of};
use millpond::{Config, Runtime, Schedule};

#[test]
fn in_unified_mode_the_program_touches_device_memory_by_its_address() {
    if common::skipped_on_gpu("the program cannot touch its memory") {
        return;
    }
    let runtime = Runtime::new(Config {
        unified: true,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let device = runtime.device(0).unwrap();
    let stream = device.create_stream().unwrap();
    let block = device.alloc(4096).unwrap();
    fill(&stream, &block, 7);
    stream.synchronize().unwrap();
    let address = usize::try_from(block.address()).unwrap();
    let start = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: in unified mode the block's bytes are at its address; it lives until the end of this
    // function and no queued work names it.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start, 4096) };
    assert!(bytes.iter().all(|byte| *byte == 7));
    bytes.fill(8);
    assert_eq!(value_of(&block), 8);
}
