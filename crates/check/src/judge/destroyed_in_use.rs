//! Objects that are destroyed while queued work needs them.
//!
//! Destroying a stream waits for its work, and a recorded event may be destroyed at any time: both are documented.
//! What remains are models with queued runs, and events that a stream waits for and that can no longer be recorded.

use std::sync::Arc;

use millpond_trace::{HandleKind, NumberMap, Operation, Position, Record};

use super::Judge;
use super::events::waiting_origin;
use crate::Finding;
use crate::clock::Epoch;
use crate::rules::handle;
use crate::verdict::Verdict;
use crate::world::{Origin, Turn, World};

/// Looks for objects that are destroyed too early.
#[derive(Debug, Default)]
pub(crate) struct DestroyedInUse {
    /// The last run of each model in each stream.
    runs: NumberMap<u64, Vec<Run>>,
}

#[derive(Debug)]
struct Run {
    position: Position,
    origin: Arc<Origin>,
}

/// Models whose runs are kept.
const MOST: usize = 4096;

impl Judge for DestroyedInUse {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::HandleDestroyed {
                kind: HandleKind::Model,
                handle,
            } => self.unloaded(world, *handle, record, verdict),
            Operation::EventDestroyed { event } => {
                let known = world.events.get(*event);
                let waits = known.map_or(&[][..], |known| known.awaiting());
                let Some(wait) = waits.first() else {
                    return;
                };
                let stream = wait.stream;
                let message = format!(
                    "event {event} is destroyed while stream {stream} waits for a recording of it, which is now impossible"
                );
                let operation = Origin::of(record).operation(format!("destroys event {event}"));
                let mut finding = Finding::new(&handle::DESTROYED_IN_USE, message, operation);
                if let Some(origin) = waiting_origin(world, *wait) {
                    let what = format!("stream {stream} waits for event {event}");
                    finding.operations.push(origin.operation(what));
                }
                finding.missing = Some(format!("no recording of event {event} ends the wait"));
                finding.advice = Some(format!(
                    "record the event, and destroy it after the wait of stream {stream} has ended"
                ));
                verdict.report(finding);
            }
            _ => {}
        }
    }

    fn turn(&mut self, world: &World, turn: &Turn, _: &mut Verdict) {
        let (Epoch::Task(position), 1..) = (turn.epoch, turn.accesses.model) else {
            return;
        };
        if self.runs.len() >= MOST && !self.runs.contains_key(&turn.accesses.model) {
            self.runs.clear();
        }
        let runs = self.runs.entry(turn.accesses.model).or_default();
        runs.retain(|run| {
            run.position.stream != position.stream && !world.host_knows(run.position)
        });
        runs.push(Run {
            position,
            origin: Arc::clone(&turn.origin),
        });
    }

    fn state_bytes(&self) -> u64 {
        let runs: usize = self.runs.values().map(Vec::capacity).sum();
        (runs * size_of::<Run>() + self.runs.capacity() * 40) as u64
    }
}

impl DestroyedInUse {
    fn unloaded(&mut self, world: &World, model: u64, record: &Record, verdict: &mut Verdict) {
        let runs = self.runs.remove(&model).unwrap_or_default();
        let queued = runs.iter().find(|run| !world.host_knows(run.position));
        let queued = queued.map(|run| (run.position.stream, Arc::clone(&run.origin)));
        let waiting = || {
            world.streams.behind().find_map(|(number, stream)| {
                let turn = stream.waiting().find(|turn| turn.accesses.model == model)?;
                Some((number, Arc::clone(&turn.origin)))
            })
        };
        let Some((stream, origin)) = queued.or_else(waiting) else {
            return;
        };
        // What still exists at the end is released.
        if !record.site.call.starts_with("aclmdl") {
            return;
        }
        let message =
            format!("model {model} is unloaded while a run of it is queued in stream {stream}");
        let operation = Origin::of(record).operation(format!("unloads model {model}"));
        let mut finding = Finding::new(&handle::DESTROYED_IN_USE, message, operation);
        finding
            .operations
            .push(origin.operation(format!("runs model {model}")));
        finding.missing = Some(format!(
            "nothing waits for stream {stream} between the run and the call"
        ));
        finding.advice = Some(format!(
            "synchronise stream {stream} before {}",
            record.site.call
        ));
        verdict.report(finding);
    }
}
