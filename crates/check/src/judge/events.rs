//! Events that are waited for but never recorded, or reset too early.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use millpond_trace::{EventRef, NumberMap, Operation, Outcome, Position, Record, Target, TaskKind};

use super::Judge;
use crate::Finding;
use crate::clock::Epoch;
use crate::rules::event;
use crate::verdict::Verdict;
use crate::world::{Origin, Turn, World};

/// Checks the use of events.
#[derive(Debug, Default)]
pub(crate) struct EventJudge {
    /// Waits for each event since it was last put back, the latest of each stream.
    waits: NumberMap<EventRef, Vec<Wait>>,
    /// Tasks that reset events and have not had their turn.
    resets: VecDeque<Reset>,
    /// The first wait for each event that had no effect. It is reported when the event is destroyed and was not recorded
    /// until then: a loop that waits for what the round before has recorded begins with such a wait.
    skipped: NumberMap<EventRef, Finding>,
    /// Endless waits that were reported.
    reported: HashSet<Position>,
    dropped_facts: u64,
}

#[derive(Debug)]
struct Wait {
    position: Position,
    origin: Arc<Origin>,
}

#[derive(Debug)]
struct Reset {
    position: Position,
    event: EventRef,
    waits: Vec<Wait>,
}

/// Kept of each kind.
const MOST: usize = 4096;

impl Judge for EventJudge {
    fn sees_requests(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Enqueued {
                position,
                accesses,
                event: Some(event),
                ..
            } => match accesses.task {
                TaskKind::WaitEvent => self.wait(world, *event, *position, record),
                TaskKind::ResetEvent => self.reset(*event, *position),
                TaskKind::RecordEvent => {
                    self.skipped.remove(event);
                }
                _ => {}
            },
            Operation::EventDestroyed { event } => {
                self.waits.remove(event);
                if let Some(finding) = self.skipped.remove(event) {
                    verdict.report(finding);
                }
            }
            Operation::WaitSkipped { stream, event } => {
                let message = format!(
                    "stream {stream} waits for event {event}, which was never recorded, so the wait has no effect"
                );
                let operation = Origin::of(record)
                    .operation(format!("stream {stream} waits for event {event}"));
                self.skip(*event, never_recorded(world, *event, message, operation));
            }
            Operation::Synchronized {
                target: Target::Event(event),
                outcome: Outcome::Done,
            } if !world.events.is_recorded(*event) => {
                let message = format!(
                    "the host waits for event {event}, which was never recorded, so the wait has no effect"
                );
                let operation = Origin::of(record).operation(format!("waits for event {event}"));
                self.skip(*event, never_recorded(world, *event, message, operation));
            }
            Operation::Queried {
                target: Target::Waits(event),
                outcome: Outcome::Done,
            } => {
                // A discarded wait too: it does not use the event any more.
                self.waits.remove(event);
            }
            Operation::ResetBegan { device } => self.in_vain(world, Some(*device), verdict),
            Operation::Finalized => self.in_vain(world, None, verdict),
            _ => {}
        }
    }

    fn turn(&mut self, world: &World, turn: &Turn, verdict: &mut Verdict) {
        let (TaskKind::ResetEvent, Epoch::Task(position)) = (turn.accesses.task, turn.epoch) else {
            return;
        };
        let index = self.resets.iter().position(|it| it.position == position);
        let Some(reset) = index.and_then(|index| self.resets.remove(index)) else {
            return;
        };
        let mut unordered = reset
            .waits
            .iter()
            .filter(|wait| !world.ordered(Epoch::Task(wait.position), &turn.clock));
        let Some(wait) = unordered.next() else {
            return;
        };
        let (mine, theirs, event) = (position.stream, wait.position.stream, reset.event);
        let message = format!(
            "stream {mine} resets event {event} while stream {theirs} may still wait for it"
        );
        let operation = turn.origin.operation(format!("resets event {event}"));
        let mut finding = Finding::new(&event::RESET_IN_USE, message, operation);
        finding
            .operations
            .push(wait.origin.operation(format!("waits for event {event}")));
        finding.missing = Some(format!(
            "nothing orders the reset in stream {mine} after the wait in stream {theirs}"
        ));
        finding.advice = Some(format!(
            "reset the event in stream {theirs} after its wait, or synchronise stream {theirs} before the reset"
        ));
        verdict.report(finding);
    }

    fn end(&mut self, world: &World, verdict: &mut Verdict) {
        self.in_vain(world, None, verdict);
        let mut skipped: Vec<_> = self.skipped.drain().collect();
        skipped.sort_by_key(|(event, _)| *event);
        for (_, finding) in skipped {
            verdict.report(finding);
        }
    }

    fn state_bytes(&self) -> u64 {
        let waits: usize = self.waits.values().map(Vec::capacity).sum();
        let origins = waits * (size_of::<Wait>() + size_of::<Origin>());
        let maps = self.waits.capacity() * 40
            + self.reported.capacity() * 24
            + self.skipped.capacity() * size_of::<(EventRef, Finding)>();
        (origins + maps + self.resets.capacity() * size_of::<Reset>()) as u64
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }
}

impl EventJudge {
    /// A wait did not wait.
    fn skip(&mut self, event: EventRef, finding: Finding) {
        if self.skipped.len() < MOST {
            self.skipped.entry(event).or_insert(finding);
        } else {
            self.dropped_facts += 1;
        }
    }

    /// A wait was enqueued.
    fn wait(&mut self, world: &World, event: EventRef, position: Position, record: &Record) {
        if self.waits.len() >= MOST && !self.waits.contains_key(&event) {
            self.waits.clear();
            self.dropped_facts += 1;
        }
        let waits = self.waits.entry(event).or_default();
        waits.retain(|it| it.position.stream != position.stream && !world.host_knows(it.position));
        waits.push(Wait {
            position,
            origin: Origin::of(record),
        });
    }

    /// A task that puts an event back was enqueued: it is for the waits until now.
    fn reset(&mut self, event: EventRef, position: Position) {
        let Some(waits) = self.waits.remove(&event) else {
            return;
        };
        if self.resets.len() == MOST {
            self.resets.pop_front();
            self.dropped_facts += 1;
        }
        self.resets.push_back(Reset {
            position,
            event,
            waits,
        });
    }

    /// Nobody will record events any more on which streams of a device wait.
    fn in_vain(&mut self, world: &World, device: Option<u32>, verdict: &mut Verdict) {
        let mut waits: Vec<_> = world
            .events
            .awaited_in_vain()
            .filter(|(_, event)| event.ended.is_none())
            .flat_map(|(event, it)| it.awaiting().iter().map(move |wait| (event, *wait)))
            .filter(|(_, wait)| {
                let stream = world.streams.get(wait.stream);
                stream.is_some_and(|it| device.is_none_or(|device| it.device == device))
            })
            .collect();
        // The same order on every run.
        waits.sort_unstable_by_key(|(event, wait)| (*event, wait.stream, wait.task));
        for (event, wait) in waits {
            let Some(origin) = waiting_origin(world, wait) else {
                continue;
            };
            if self.reported.len() >= MOST || !self.reported.insert(wait) {
                continue;
            }
            let message = format!(
                "stream {} waits for event {event}, which was never recorded, so the stream is stalled",
                wait.stream
            );
            let operation =
                origin.operation(format!("stream {} waits for event {event}", wait.stream));
            verdict.report(never_recorded(world, event, message, operation));
        }
    }
}

/// The origin of a wait that has not had its turn.
pub(super) fn waiting_origin(world: &World, wait: Position) -> Option<&Arc<Origin>> {
    let stream = world.streams.get(wait.stream)?;
    let mut waiting = stream.waiting();
    let turn = waiting.find(|turn| turn.epoch == Epoch::Task(wait))?;
    Some(&turn.origin)
}

fn never_recorded(
    world: &World,
    event: EventRef,
    message: String,
    operation: crate::ReportedOperation,
) -> Finding {
    let mut finding = Finding::new(&event::NEVER_RECORDED, message, operation);
    if let Some(known) = world.events.get(event) {
        let made = known.made.operation(format!("creates event {event}"));
        finding.operations.push(made);
    }
    finding.missing = Some(format!(
        "no recording of event {event} comes before the wait"
    ));
    finding.advice = Some(
        "record the event with aclrtRecordEvent in the stream that is to be waited for, before the wait"
            .to_owned(),
    );
    finding
}
