//! A stream that waits for an event which nobody can record any more. Alone in its process, to count
//! threads.

#[path = "common/mod.rs"]
mod common;

use std::thread;
use std::time::Duration;

use common::{LONG, SCHEDULES, comes_true, gate, open, thread_names, threads};
use millpond::{Error, Event, EventKind, Runtime, Schedule, Stream};

/// Nobody holds the event, the stream or the runtime: nothing can happen any more, and nothing of it
/// may stay behind.
fn leaves_no_threads(
    what: &str,
    prepare: impl Fn(&Runtime, &[Stream; 2], &Event) -> Result<(), Error>,
) {
    for schedule in SCHEDULES {
        for event_goes_first in [true, false] {
            run(schedule, event_goes_first, &prepare)
                .unwrap_or_else(|error| panic!("{schedule:?}, {what}: {error}"));
            // The harness and the thread of the one test.
            let ended = comes_true(LONG, || threads() <= 2);
            assert!(
                ended,
                "{schedule:?}, {what}, event first: {event_goes_first}: {:?}",
                thread_names()
            );
        }
    }
}

fn run(
    schedule: Schedule,
    event_goes_first: bool,
    prepare: impl Fn(&Runtime, &[Stream; 2], &Event) -> Result<(), Error>,
) -> Result<(), Error> {
    let (runtime, device) = open(schedule);
    let streams = [device.create_stream()?, device.create_stream()?];
    let never = gate(&runtime);
    prepare(&runtime, &streams, &never)?;
    if event_goes_first {
        drop(never);
        drop(streams);
    } else {
        drop(streams);
        drop(never);
    }
    Ok(())
}

/// One test, because each part counts all threads of the process.
#[test]
fn a_runtime_that_is_dropped_with_a_stream_parked_forever_leaves_no_threads() {
    let pause = Duration::from_millis(15);
    leaves_no_threads("parked", |_, [stream, _], never| {
        stream.wait_event(never, None)?;
        thread::sleep(pause);
        Ok(())
    });
    leaves_no_threads("on its way to the wait", |_, [stream, _], never| {
        stream.host_function(move || thread::sleep(pause * 2))?;
        stream.wait_event(never, None)?;
        stream.host_function(|| ())
    });
    leaves_no_threads(
        "behind another stream",
        |runtime, [stream, other], never| {
            let event = runtime.create_event(EventKind::Rerecordable)?;
            stream.wait_event(never, None)?;
            stream.record(&event)?;
            other.wait_event(&event, None)?;
            other.host_function(|| ())?;
            thread::sleep(pause);
            Ok(())
        },
    );
}
