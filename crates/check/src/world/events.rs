//! Events: what each recording captured, and who waits for one that is still to come.

use std::sync::Arc;

use millpond_trace::{EventRef, NumberMap, Position, Record};
use smallvec::SmallVec;

use super::Doer;
use crate::clock::Clock;

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) made: Arc<Doer>,
    pub(crate) ended: Option<Arc<Doer>>,
    /// The latest recording, and before it those that queued waits are for.
    recordings: SmallVec<[Recording; 1]>,
    /// It was put back since the latest recording.
    reset: bool,
    /// Waits that are bound to the next recording.
    awaiting: Vec<Position>,
    /// The last wait of each stream, for whichever recording, since it was known that all had passed.
    waits: Vec<Position>,
    /// What recordings before the latest captured, one for each stream: another thread may still be
    /// waiting for one of them.
    earlier: Vec<(Position, Clock)>,
}

#[derive(Debug)]
struct Recording {
    at: Position,
    /// The thread that asked for it.
    thread: u64,
    /// What it captured, once it had its turn.
    clock: Option<Clock>,
    /// Waits for it that had no turn yet.
    waits: u32,
}

impl Event {
    /// Waits for a recording that has not been enqueued.
    pub(crate) fn awaiting(&self) -> &[Position] {
        &self.awaiting
    }

    fn find(&mut self, at: Position) -> Option<&mut Recording> {
        self.recordings.iter_mut().rev().find(|it| it.at == at)
    }

    /// Forgets recordings that nobody can ask for any more.
    fn prune(&mut self) {
        let last = self.recordings.len().saturating_sub(1);
        let mut index = 0;
        self.recordings.retain(|recording| {
            index += 1;
            recording.waits > 0 || index > last
        });
    }

    fn latest_captured(&self) -> Option<(Position, Clock)> {
        let latest = self.recordings.last()?;
        Some((latest.at, latest.clock.clone()?))
    }

    /// Keeps what a recording captured that is not the latest any more.
    fn keep(&mut self, at: Position, clock: Clock) {
        self.earlier.retain(|(known, _)| known.stream != at.stream);
        if self.earlier.len() == EARLIER {
            self.earlier.remove(0);
        }
        self.earlier.push((at, clock));
    }

    fn is_waited_for(&self) -> bool {
        !self.awaiting.is_empty() || self.recordings.iter().any(|it| it.waits > 0)
    }
}

/// All events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    events: NumberMap<EventRef, Event>,
    /// How many of them have ended.
    ended: usize,
}

/// Events that ended and are remembered, apart from those that are still waited for.
const REMEMBERED: usize = 256;

/// Streams whose earlier recordings of an event are remembered.
const EARLIER: usize = 4;

impl Events {
    pub(crate) fn get(&self, event: EventRef) -> Option<&Event> {
        self.events.get(&event)
    }

    /// All that were created and not destroyed.
    pub(crate) fn live(&self) -> impl Iterator<Item = (EventRef, &Event)> {
        self.events
            .iter()
            .filter(|(_, event)| event.ended.is_none())
            .map(|(number, event)| (*number, event))
    }

    /// All that queued work waits for although nobody has recorded them.
    pub(crate) fn awaited_in_vain(&self) -> impl Iterator<Item = (EventRef, &Event)> {
        self.events
            .iter()
            .filter(|(_, event)| !event.awaiting.is_empty())
            .map(|(number, event)| (*number, event))
    }

    /// What a thread knows that has waited for an event: what the latest recording captured, as far as it
    /// had its turn. If another thread has recorded it meanwhile the wait may have been for an earlier one.
    pub(super) fn waited_for(&self, event: EventRef, thread: u64) -> impl Iterator<Item = &Clock> {
        let event = self.events.get(&event).filter(|event| !event.reset);
        let latest = event.and_then(|event| event.recordings.last());
        let earlier = event
            .filter(|_| latest.is_some_and(|latest| latest.thread != thread))
            .into_iter()
            .flat_map(|event| event.earlier.iter().map(|(_, clock)| clock));
        latest
            .and_then(|latest| latest.clock.as_ref())
            .into_iter()
            .chain(earlier)
    }

    /// Whether it is recorded, and not put back since.
    pub(crate) fn is_recorded(&self, event: EventRef) -> bool {
        self.events
            .get(&event)
            .is_some_and(|event| !event.reset && !event.recordings.is_empty())
    }

    pub(crate) fn books(&self) -> u64 {
        let inside: usize = self
            .events
            .values()
            .map(|it| {
                it.recordings.len() * size_of::<Recording>()
                    + (it.awaiting.capacity() + it.waits.capacity()) * size_of::<Position>()
                    + it.earlier.capacity() * size_of::<(Position, Clock)>()
            })
            .sum();
        (self.events.capacity() * (size_of::<Event>() + 8) + inside) as u64
    }

    pub(super) fn created(&mut self, event: EventRef, made: Arc<Doer>) {
        let fresh = Event {
            made,
            ended: None,
            recordings: SmallVec::new(),
            reset: false,
            awaiting: Vec::new(),
            waits: Vec::new(),
            earlier: Vec::new(),
        };
        self.events.insert(event, fresh);
    }

    /// An event that is used; one that records do not say the beginning of begins here.
    fn used(&mut self, event: EventRef, doer: &Arc<Doer>) -> &mut Event {
        self.events.entry(event).or_insert_with(|| Event {
            made: Arc::clone(doer),
            ended: None,
            recordings: SmallVec::new(),
            reset: false,
            awaiting: Vec::new(),
            waits: Vec::new(),
            earlier: Vec::new(),
        })
    }

    pub(super) fn destroyed(&mut self, event: EventRef, record: &Record) {
        if let Some(known) = self.events.get_mut(&event)
            && known.ended.is_none()
        {
            known.ended = Some(Doer::of(record));
            self.ended += 1;
        }
        if self.ended > REMEMBERED {
            // The one that just ended is looked at after this.
            self.events.retain(|number, known| {
                *number == event || known.ended.is_none() || known.is_waited_for()
            });
            self.ended = self.events.values().filter(|it| it.ended.is_some()).count() / 2;
        }
    }

    /// A recording was enqueued. Answers the waits that were for it.
    pub(super) fn recorded(
        &mut self,
        event: EventRef,
        at: Position,
        doer: &Arc<Doer>,
    ) -> Vec<Position> {
        let event = self.used(event, doer);
        let awaiting = std::mem::take(&mut event.awaiting);
        event.reset = false;
        if let Some((at, clock)) = event.latest_captured() {
            event.keep(at, clock);
        }
        event.recordings.push(Recording {
            at,
            thread: doer.thread,
            clock: None,
            waits: u32::try_from(awaiting.len()).unwrap_or(u32::MAX),
        });
        event.prune();
        awaiting
    }

    /// It was put back: whoever waits for it from now on waits for the next recording.
    pub(super) fn reset(&mut self, event: EventRef) {
        if let Some(event) = self.events.get_mut(&event) {
            event.reset = true;
        }
    }

    /// A wait was enqueued: for a recording, or for the next one.
    pub(super) fn awaited(
        &mut self,
        event: EventRef,
        captured: Option<Position>,
        wait: Position,
        doer: &Arc<Doer>,
    ) {
        let event = self.used(event, doer);
        event.waits.retain(|known| known.stream != wait.stream);
        event.waits.push(wait);
        match captured {
            None => event.awaiting.push(wait),
            Some(at) => {
                if let Some(recording) = event.find(at) {
                    recording.waits = recording.waits.saturating_add(1);
                }
            }
        }
    }

    /// The waits of streams for an event, which are all known to have passed.
    pub(super) fn take_waits(&mut self, event: EventRef) -> Vec<Position> {
        let event = self.events.get_mut(&event);
        event.map_or_else(Vec::new, |event| std::mem::take(&mut event.waits))
    }

    /// A wait had its turn, or will never have one.
    pub(super) fn passed(&mut self, event: EventRef, captured: Option<Position>, wait: Position) {
        let Some(event) = self.events.get_mut(&event) else {
            return;
        };
        match captured {
            None => event.awaiting.retain(|it| *it != wait),
            Some(at) => {
                if let Some(recording) = event.find(at) {
                    recording.waits = recording.waits.saturating_sub(1);
                    event.prune();
                }
            }
        }
    }

    /// A recording had its turn.
    pub(super) fn captured(&mut self, event: EventRef, at: Position, clock: &Clock) {
        let Some(event) = self.events.get_mut(&event) else {
            return;
        };
        let is_latest = event.recordings.last().is_some_and(|it| it.at == at);
        if let Some(recording) = event.find(at) {
            recording.clock = Some(clock.clone());
        }
        if !is_latest {
            event.keep(at, clock.clone());
        }
    }

    /// What a recording captured.
    pub(super) fn capture(&self, event: EventRef, at: Position) -> Capture<'_> {
        let event = self.events.get(&event);
        let recording =
            event.and_then(|event| event.recordings.iter().rev().find(|it| it.at == at));
        match recording {
            Some(recording) => match &recording.clock {
                Some(clock) => Capture::Known(clock),
                None => Capture::NotYet,
            },
            None => Capture::Forgotten,
        }
    }
}

/// What is known of a recording.
pub(super) enum Capture<'a> {
    /// It had no turn yet.
    NotYet,
    /// What it captured.
    Known(&'a Clock),
    /// Only where it is.
    Forgotten,
}
