//! Calls that wait for a stalled stream.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{
    Accesses, Bytes, EventRef, Operation, Position, Record, Stall, TaskKind, Text,
};

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

/// A wait, or a report.
#[derive(Debug)]
struct Hold {
    position: Position,
    event: Option<EventRef>,
    /// The function and the word, of a wait for something outside.
    name: Text,
    word: Option<Bytes>,
    origin: Arc<Origin>,
}

/// The functions that queue a wait for something outside, as their tasks are called.
const OUTSIDE: [&str; 4] = [
    "aclrtValueWait",
    "aclrtStreamWaitEvent",
    "aclrtWaitAndResetNotify",
    "aclrtCntNotifyWaitWithTimeout",
];

/// Whether a stream may be stalled at a task.
fn holds(accesses: &Accesses) -> bool {
    match accesses.task {
        TaskKind::WaitEvent | TaskKind::Report => true,
        TaskKind::Compute => OUTSIDE.contains(&&*accesses.name),
        _ => false,
    }
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
            } if holds(accesses) => {
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
                    name: accesses.name.clone(),
                    word: accesses.reads.first().map(|span| Bytes {
                        start: span.start,
                        bytes: span.width,
                    }),
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
    let outside = || match hold {
        Some(Hold {
            word: Some(word), ..
        }) => format!("the word at {:#x}", word.start),
        Some(hold) if hold.name.contains("Notify") => "a notification".to_owned(),
        _ => "an event of graphs (ACL_EVENT_EXTERNAL) or of several processes".to_owned(),
    };
    let stalled = match why {
        Stall::Outside => {
            let name = hold.map_or("an operation", |hold| &*hold.name);
            format!(
                "stream {stream} waits in its task {}, {name}, for {}, which nothing has set",
                at.task,
                outside()
            )
        }
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
        (_, Stall::Outside) | (false, _) => (&stream::STALLED, "for ten seconds so far"),
    };
    let message = format!("{call} does not return: {stalled}, {ends}");
    let operation = Origin::of(record).operation("waits inside the call");
    let mut finding = Finding::new(rule, message, operation);
    if let Some(hold) = hold {
        let what = match why {
            Stall::Report => format!("queues the callback in stream {stream}"),
            Stall::Outside => format!("stream {stream} waits for {}", outside()),
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
        Stall::Outside => (
            format!("nothing that ends the wait for {}", outside()),
            "record the event, set the notification or write the word, from another stream, thread or process; after an update of a task \
             group, if a launch waits for that"
                .to_owned(),
        ),
        Stall::Report => (
            "no thread that processes the reports of the stream".to_owned(),
            "keep the subscribed thread in aclrtProcessReport until the stream is synchronised, and unsubscribe then"
                .to_owned(),
        ),
    };
    finding.bytes = hold.and_then(|hold| hold.word);
    finding.missing = Some(missing);
    finding.advice = Some(advice);
    finding
}
