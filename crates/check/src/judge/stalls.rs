//! Calls that wait while the stream they depend on stands still.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{EventRef, Operation, Position, Record, Stall, TaskKind};

use super::Judge;
use crate::Finding;
use crate::rules::stream;
use crate::verdict::Verdict;
use crate::world::{Doer, World};

/// Tells of such calls.
#[derive(Debug, Default)]
pub(crate) struct Stalls {
    /// Tasks that streams may stand at, the oldest first.
    holds: VecDeque<Hold>,
    forgotten: u64,
}

/// A wait for an event, or a report.
#[derive(Debug)]
struct Hold {
    position: Position,
    event: Option<EventRef>,
    doer: Arc<Doer>,
}

/// Tasks that are remembered.
const MOST: usize = 1024;

impl Judge for Stalls {
    fn hears_work(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Enqueued {
                position,
                deed,
                event,
                ..
            } if matches!(deed.task, TaskKind::WaitEvent | TaskKind::Report) => {
                while let Some(oldest) = self.holds.front()
                    && world.host_knows(oldest.position)
                {
                    self.holds.pop_front();
                }
                if self.holds.len() == MOST {
                    self.holds.pop_front();
                    self.forgotten += 1;
                }
                self.holds.push_back(Hold {
                    position: *position,
                    event: *event,
                    doer: Doer::of(record),
                });
            }
            Operation::CallStalled { at, why, certain } => {
                let hold = self.holds.iter().find(|it| it.position == *at);
                verdict.report(tell(*at, *why, *certain, hold, record));
            }
            _ => {}
        }
    }

    fn books(&self) -> u64 {
        (self.holds.capacity() * (size_of::<Hold>() + size_of::<Doer>())) as u64
    }

    fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

fn tell(at: Position, why: Stall, certain: bool, hold: Option<&Hold>, record: &Record) -> Finding {
    let (call, stream) = (&record.site.call, at.stream);
    let event = match hold.and_then(|hold| hold.event) {
        Some(event) => format!("event {event}"),
        None => "an event".to_owned(),
    };
    let stands = match why {
        Stall::Unrecorded => format!("stream {stream} waits for {event}, which is not recorded"),
        Stall::Circle => format!(
            "stream {stream} waits for {event}, which is recorded behind work that waits for stream {stream}"
        ),
        Stall::Report => format!(
            "stream {stream} has a callback for the thread that processes its reports, which does not fetch it"
        ),
    };
    let (rule, ends) = match (certain, why) {
        (true, Stall::Unrecorded) => (
            &stream::DEADLOCK,
            "and the thread that waits is the only one that could record it",
        ),
        (true, Stall::Circle) => (&stream::DEADLOCK, "and nothing can end that"),
        (true, Stall::Report) => (
            &stream::DEADLOCK,
            "and that thread has ended, or is the one that waits",
        ),
        (false, _) => (&stream::STALLED, "for ten seconds so far"),
    };
    let message = format!("{call} does not return: {stands}, {ends}");
    let act = Doer::of(record).act("waits inside the call");
    let mut finding = Finding::new(rule, message, act);
    if let Some(hold) = hold {
        let what = match why {
            Stall::Report => format!("queues the callback in stream {stream}"),
            Stall::Unrecorded | Stall::Circle => format!("stream {stream} waits for {event}"),
        };
        finding.operations.push(hold.doer.act(what));
    }
    let (missing, advice) = match why {
        Stall::Unrecorded => (
            format!("no aclrtRecordEvent of {event} before the call"),
            format!("record {event} before {call}, or record it from another thread"),
        ),
        Stall::Circle => (
            "no order in which these waits can end".to_owned(),
            "record an event before the wait that depends on it".to_owned(),
        ),
        Stall::Report => (
            "no thread that processes the reports of the stream".to_owned(),
            "keep the subscribed thread in aclrtProcessReport until the stream was synchronised, and unsubscribe then"
                .to_owned(),
        ),
    };
    finding.missing = Some(missing);
    finding.advice = Some(advice);
    finding
}
