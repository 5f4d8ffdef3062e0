//! A stream that waits for an event which nobody can record any more. Alone in its process, to count
//! threads.

#[path = "common/mod.rs"]
mod common;

use std::thread;
use std::time::Duration;

use common::{SCHEDULES, comes_true, gate, open, runtime_threads};

/// Nobody holds the event, the stream or the runtime: nothing can happen any more, and nothing of it
/// may stay behind.
#[test]
fn a_runtime_that_is_dropped_with_a_stream_parked_for_ever_leaves_no_threads() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let never = gate(&runtime);
        stream.wait_event(&never, None).unwrap();
        thread::sleep(Duration::from_millis(15));
        drop((never, stream, device, runtime));
        let ended = comes_true(Duration::from_secs(3), || runtime_threads().is_empty());
        assert!(ended, "{schedule:?}: {:?} are left", runtime_threads());
    }
}
