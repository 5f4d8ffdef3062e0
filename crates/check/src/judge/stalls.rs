//! Calls that wait for a stalled stream.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{EventRef, Operation, Position, Record, Stall, TaskKind};

use super::Judge;
use crate::Finding;
use crate::rules::stream;
use crate::verdict::Verdict;
use crate::world::{Origin, World};

/// Reports such calls.
#[derive(Debug, Default)]
pub(crate) struct Stalls {
    /// Tasks at which streams may be stalled, the oldest first.
    holds: VecDeque<Hold>,
    dropped_facts: u64,
}

/// A wait for an event, or a report.
#[derive(Debug)]
struct Hold {
    position: Position,
    event: Option<EventRef>,
    origin: Arc<Origin>,
}

/// How many tasks are remembered.
const MOST: usize = 1024;

impl Judge for Stalls {
    fn sees_requests(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Enqueued {
                position,
                accesses,
                event,
                ..
            } if matches!(accesses.task, TaskKind::WaitEvent | TaskKind::Report) => {
                while let Some(oldest) = self.holds.front()
                    && world.host_knows(oldest.position)
                {
                    self.holds.pop_front();
                }
                if self.holds.len() == MOST {
                    self.holds.pop_front();
                    self.dropped_facts += 1;
                }
                self.holds.push_back(Hold {
                    position: *position,
                    event: *event,
                    origin: Origin::of(record),
                });
            }
            Operation::CallStalled { at, why, certain } => {
                let hold = self.holds.iter().find(|it| it.position == *at);
                verdict.report(finding(*at, *why, *certain, hold, record));
            }
            _ => {}
        }
    }

    fn state_bytes(&self) -> u64 {
        (self.holds.capacity() * (size_of::<Hold>() + size_of::<Origin>())) as u64
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }
}

fn finding(
    at: Position,
    why: Stall,
    certain: bool,
    hold: Option<&Hold>,
    record: &Record,
) -> Finding {
    let (call, stream) = (&record.site.call, at.stream);
    let event = match hold.and_then(|hold| hold.event) {
        Some(event) => format!("event {event}"),
        None => "an event".to_owned(),
    };
    let stalled = match why {
        Stall::Unrecorded => format!("stream {stream} waits for {event}, which was not recorded"),
        Stall::Circle => format!(
            "stream {stream} waits for {event}, which is recorded after work that waits for stream {stream}"
        ),
        Stall::Report => format!(
            "stream {stream} waits for the thread that processes its reports, which does not fetch a callback"
        ),
    };
    let (rule, ends) = match (certain, why) {
        (true, Stall::Unrecorded) => (
            &stream::DEADLOCK,
            "and only the waiting thread could record it",
        ),
        (true, Stall::Circle) => (&stream::DEADLOCK, "which is a deadlock"),
        (true, Stall::Report) => (
            &stream::DEADLOCK,
            "and that thread has ended, or is the waiting one",
        ),
        (false, _) => (&stream::STALLED, "for ten seconds so far"),
    };
    let message = format!("{call} does not return: {stalled}, {ends}");
    let operation = Origin::of(record).operation("waits inside the call");
    let mut finding = Finding::new(rule, message, operation);
    if let Some(hold) = hold {
        let what = match why {
            Stall::Report => format!("queues the callback in stream {stream}"),
            Stall::Unrecorded | Stall::Circle => format!("stream {stream} waits for {event}"),
        };
        finding.operations.push(hold.origin.operation(what));
    }
    let (missing, advice) = match why {
        Stall::Unrecorded => (
            format!("no aclrtRecordEvent of {event} before the call"),
            format!("record {event} before {call}, or record it from another thread"),
        ),
        Stall::Circle => (
            "no order of events can end these waits".to_owned(),
            "record an event before the wait that depends on it".to_owned(),
        ),
        Stall::Report => (
            "no thread that processes the reports of the stream".to_owned(),
            "keep the subscribed thread in aclrtProcessReport until the stream is synchronised, and unsubscribe then"
                .to_owned(),
        ),
    };
    finding.missing = Some(missing);
    finding.advice = Some(advice);
    finding
}
