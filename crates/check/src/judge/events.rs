//! Events that are waited for in vain, or put back too early.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use millpond_trace::{EventRef, NumberMap, Operation, Outcome, Position, Record, Target, TaskKind};

use super::Judge;
use crate::Finding;
use crate::clock::Place;
use crate::rules::event;
use crate::verdict::Verdict;
use crate::world::{Doer, Turn, World};

/// Looks for misused events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// Waits for each event since it was last put back, the latest of each stream.
    waits: NumberMap<EventRef, Vec<Wait>>,
    /// Tasks that put events back and had no turn yet.
    resets: VecDeque<Reset>,
    /// The first wait for each event that did not wait. It is told when the event goes and was not recorded
    /// until then: a loop that waits for what the round before has recorded begins with such a wait.
    skipped: NumberMap<EventRef, Finding>,
    /// Waits in vain that were told.
    told: HashSet<Position>,
    forgotten: u64,
}

#[derive(Debug)]
struct Wait {
    position: Position,
    doer: Arc<Doer>,
}

#[derive(Debug)]
struct Reset {
    position: Position,
    event: EventRef,
    waits: Vec<Wait>,
}

/// Kept of each kind.
const MOST: usize = 4096;

impl Judge for Events {
    fn hears_work(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Enqueued {
                position,
                deed,
                event: Some(event),
                ..
            } => match deed.task {
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
                let act = Doer::of(record).act(format!("stream {stream} waits for event {event}"));
                self.skip(*event, never_recorded(world, *event, message, act));
            }
            Operation::Synchronized {
                target: Target::Event(event),
                outcome: Outcome::Done,
            } if !world.events.is_recorded(*event) => {
                let message = format!(
                    "the host waits for event {event}, which is not recorded, so the wait has no effect"
                );
                let act = Doer::of(record).act(format!("waits for event {event}"));
                self.skip(*event, never_recorded(world, *event, message, act));
            }
            Operation::Queried {
                target: Target::Waits(event),
                outcome: Outcome::Done,
            } => {
                // Also a wait that was thrown away: it looks at the event no more.
                self.waits.remove(event);
            }
            Operation::ResetBegan { device } => self.in_vain(world, Some(*device), verdict),
            Operation::Finalized => self.in_vain(world, None, verdict),
            _ => {}
        }
    }

    fn turn(&mut self, world: &World, turn: &Turn, verdict: &mut Verdict) {
        let (TaskKind::ResetEvent, Place::Task(position)) = (turn.deed.task, turn.place) else {
            return;
        };
        let index = self.resets.iter().position(|it| it.position == position);
        let Some(reset) = index.and_then(|index| self.resets.remove(index)) else {
            return;
        };
        let mut unordered = reset
            .waits
            .iter()
            .filter(|wait| !world.ordered(Place::Task(wait.position), &turn.clock));
        let Some(wait) = unordered.next() else {
            return;
        };
        let (mine, theirs, event) = (position.stream, wait.position.stream, reset.event);
        let message = format!(
            "stream {mine} resets event {event} while stream {theirs} may not have passed its wait for it"
        );
        let act = turn.doer.act(format!("resets event {event}"));
        let mut finding = Finding::new(&event::RESET_IN_USE, message, act);
        finding
            .operations
            .push(wait.doer.act(format!("waits for event {event}")));
        finding.missing = Some(format!(
            "stream {mine} does not know that stream {theirs} has passed its wait"
        ));
        finding.advice = Some(format!(
            "reset the event in stream {theirs} behind its wait, or synchronise stream {theirs} before the reset"
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

    fn books(&self) -> u64 {
        let waits: usize = self.waits.values().map(Vec::capacity).sum();
        let doers = waits * (size_of::<Wait>() + size_of::<Doer>());
        let maps = self.waits.capacity() * 40
            + self.told.capacity() * 24
            + self.skipped.capacity() * size_of::<(EventRef, Finding)>();
        (doers + maps + self.resets.capacity() * size_of::<Reset>()) as u64
    }

    fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

impl Events {
    /// A wait did not wait.
    fn skip(&mut self, event: EventRef, finding: Finding) {
        if self.skipped.len() < MOST {
            self.skipped.entry(event).or_insert(finding);
        } else {
            self.forgotten += 1;
        }
    }

    /// A wait was enqueued.
    fn wait(&mut self, world: &World, event: EventRef, position: Position, record: &Record) {
        if self.waits.len() >= MOST && !self.waits.contains_key(&event) {
            self.waits.clear();
            self.forgotten += 1;
        }
        let waits = self.waits.entry(event).or_default();
        waits.retain(|it| it.position.stream != position.stream && !world.host_knows(it.position));
        waits.push(Wait {
            position,
            doer: Doer::of(record),
        });
    }

    /// A task that puts an event back was enqueued: it is for the waits until now.
    fn reset(&mut self, event: EventRef, position: Position) {
        let Some(waits) = self.waits.remove(&event) else {
            return;
        };
        if self.resets.len() == MOST {
            self.resets.pop_front();
            self.forgotten += 1;
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
            let Some(doer) = waiting_doer(world, wait) else {
                continue;
            };
            if self.told.len() >= MOST || !self.told.insert(wait) {
                continue;
            }
            let message = format!(
                "stream {} waits for event {event}, which was never recorded: the stream never proceeds",
                wait.stream
            );
            let act = doer.act(format!("stream {} waits for event {event}", wait.stream));
            verdict.report(never_recorded(world, event, message, act));
        }
    }
}

/// Who asked for a wait that had no turn yet.
pub(super) fn waiting_doer(world: &World, wait: Position) -> Option<&Arc<Doer>> {
    let stream = world.streams.get(wait.stream)?;
    let mut waiting = stream.waiting();
    let turn = waiting.find(|turn| turn.place == Place::Task(wait))?;
    Some(&turn.doer)
}

fn never_recorded(world: &World, event: EventRef, message: String, act: crate::Act) -> Finding {
    let mut finding = Finding::new(&event::NEVER_RECORDED, message, act);
    if let Some(known) = world.events.get(event) {
        let made = known.made.act(format!("creates event {event}"));
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
