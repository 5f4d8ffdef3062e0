//! Events of our own, which show how far a stream is where the program does not say it.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use super::clocks::{Captured, Stream};
use super::device::{Device, Refused};
use super::pools;

/// Outstanding epochs of a stream: more would only take time.
const MOST: usize = 64;

/// The outstanding epochs of one stream, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Epochs {
    queue: VecDeque<Epoch>,
}

#[derive(Debug)]
struct Epoch {
    event: u64,
    captured: Captured,
}

impl Epochs {
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

/// Events that can be used again. None is ever destroyed: a thread that asks for one holds no lock, and another may find meanwhile
/// that it has passed. There are no more of them than were outstanding at one time.
#[derive(Debug, Default)]
pub(crate) struct Spare(Mutex<Vec<u64>>);

impl Spare {
    fn take(&self, device: &dyn Device) -> Result<u64, Refused> {
        let spare = self.0.lock().pop();
        spare.map_or_else(|| device.event(), Ok)
    }

    fn put(&self, event: u64) {
        self.0.lock().push(event);
    }
}

/// Records an epoch, unless there are too many; one that `is_last` is recorded all the same. Answers whether it did. Called inside
/// the device.
pub(crate) fn record(
    stream: &Arc<Stream>,
    device: &dyn Device,
    spare: &Spare,
    is_last: bool,
) -> bool {
    // Its handle would mean the stream of this thread.
    if stream.is_gone() || !pools::is_within_reach(&stream.key) {
        return false;
    }
    if !is_last && stream.epochs.lock().queue.len() >= MOST {
        return false;
    }
    // An event that is recorded there would become part of the graph.
    if device.captures(stream.key.handle) {
        return false;
    }
    let Ok(event) = spare.take(device) else {
        return false;
    };
    let captured = stream.capture();
    // Without it, memory only stays with its stream for longer.
    if device.record(event, stream.key.handle).is_err() {
        spare.put(event);
        return false;
    }
    let mut epochs = stream.epochs.lock();
    let at = epochs
        .queue
        .partition_point(|epoch| epoch.captured.moment() < captured.moment());
    epochs.queue.insert(at, Epoch { event, captured });
    true
}

/// Asks for the outstanding epochs of a stream, the oldest first, as long as they have passed; returns how many have.
pub(crate) fn poll(
    stream: &Arc<Stream>,
    device: &dyn Device,
    spare: &Spare,
) -> Result<u64, Refused> {
    let mut passed = 0;
    loop {
        let Some(front) = stream
            .epochs
            .lock()
            .queue
            .front()
            .map(|epoch| (epoch.event, epoch.captured.moment()))
        else {
            return Ok(passed);
        };
        match device.passed(front.0) {
            Ok(true) => {}
            Err(refused) if refused.is_final => return Err(refused),
            // An event that cannot be queried shows nothing: its stream may be gone with its context.
            Ok(false) | Err(_) => return Ok(passed),
        }
        let mut epochs = stream.epochs.lock();
        // Another thread may have been faster.
        let same = epochs
            .queue
            .front()
            .is_some_and(|epoch| (epoch.event, epoch.captured.moment()) == front);
        let Some(epoch) = same.then(|| epochs.queue.pop_front()).flatten() else {
            continue;
        };
        drop(epochs);
        epoch.captured.is_over();
        spare.put(epoch.event);
        passed += 1;
    }
}
