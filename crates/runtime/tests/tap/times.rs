//! Records that tell times: only for sinks that want them, and in the order of what happened.

use std::collections::HashMap;
use std::sync::Arc;

use millpond::trace::{Collector, Operation, Record, Sink};
use millpond::{EventKind, Runtime, Schedule};

use crate::common::{open, open_under_every_schedule};
use crate::listen;

/// A sink that wants times.
#[derive(Debug, Default)]
struct Timed(Collector);

impl Sink for Timed {
    fn record(&self, record: &Record) {
        self.0.record(record);
    }

    fn wants_times(&self) -> bool {
        true
    }
}

fn listen_to_times(runtime: &Runtime) -> Arc<Timed> {
    let timed = Arc::new(Timed::default());
    runtime.tap().attach(timed.clone());
    timed
}

fn is_time(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::TaskBegan { .. } | Operation::WorkBegan { .. }
    )
}

#[test]
fn every_task_begins_after_it_was_queued_and_before_it_ends() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, other) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let timed = listen_to_times(&runtime);
        let block = device.alloc(1 << 16).unwrap();
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        for byte in 0..20 {
            stream.fill(block.slice(..), byte).unwrap();
            stream.record(&event).unwrap();
            other.wait_event(&event, None).unwrap();
            other.host_function(|| ()).unwrap();
        }
        stream.synchronize().unwrap();
        other.synchronize().unwrap();
        let mut places: HashMap<_, [Option<usize>; 3]> = HashMap::new();
        for (index, operation) in timed.0.operations().into_iter().enumerate() {
            let (position, which) = match operation {
                Operation::Enqueued { position, .. } => (position, 0),
                Operation::TaskBegan { position } => (position, 1),
                Operation::Completed { position, .. } => (position, 2),
                _ => continue,
            };
            // A wait that was parked begins again.
            places.entry(position).or_default()[which].get_or_insert(index);
        }
        assert_eq!(places.len(), 80);
        for (position, [queued, began, ended]) in places {
            let queued = queued.expect("it was queued");
            assert!(ended.is_some_and(|ended| queued < ended));
            assert!(
                began.is_some_and(|began| queued < began && Some(began) < ended),
                "{schedule:?}: {position:?} was queued at {queued}, began at {began:?} and ended at {ended:?}"
            );
        }
    });
}

#[test]
fn sinks_without_times_get_none() {
    let (runtime, device) = open(Schedule::Eager);
    let collector = listen(&runtime);
    let stream = device.create_stream().unwrap();
    let block = device.alloc(64).unwrap();
    stream.fill(block.slice(..), 1).unwrap();
    stream.synchronize().unwrap();
    assert!(!collector.operations().iter().any(is_time));
}

#[test]
fn streams_and_devices_that_exist_are_listed() {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    assert_eq!(runtime.live_streams(), [(stream.id(), 0, 0)]);
    let open: Vec<u32> = runtime
        .open_devices()
        .iter()
        .map(millpond::Device::index)
        .collect();
    assert_eq!(open, [0]);
    let (before, capacity) = device.charged();
    let block = device.alloc(1 << 20).unwrap();
    assert_eq!(device.charged(), (before + (1 << 20), capacity));
    drop(block);
    drop(stream);
    assert_eq!(runtime.live_streams(), []);
}
