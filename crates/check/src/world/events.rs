//! Events: what each recording captured, and which waits are for a future recording.

use std::sync::Arc;

use millpond_trace::{EventRef, NumberMap, Position, Record};
use smallvec::SmallVec;

use super::Origin;
use crate::clock::Clock;

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) made: Arc<Origin>,
    pub(crate) ended: Option<Arc<Origin>>,
    /// The latest recording, and before it those for which waits are queued.
    recordings: SmallVec<[Recording; 1]>,
    /// It was reset since the latest recording.
    reset: bool,
    /// Waits that are bound to the next recording.
    awaiting: Vec<Position>,
    /// The last wait of each stream, for whichever recording, since it was known that all had passed.
    waits: Vec<Position>,
    /// What earlier recordings captured, one for each stream: another thread may still wait for one of them.
    earlier: Vec<(Position, Clock)>,
}

#[derive(Debug)]
struct Recording {
    at: Position,
    /// The thread that requested it.
    thread: u64,
    /// What it captured, once it had its turn.
    clock: Option<Clock>,
    /// Waits for it that have not had their turn.
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

    /// Drops recordings that cannot be referred to any more.
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

    /// Keeps what an earlier recording captured.
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
    /// How many of them were destroyed.
    ended: usize,
}

/// How many destroyed events are remembered, apart from those with queued waits.
const REMEMBERED: usize = 256;

/// For how many streams earlier recordings of an event are remembered.
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

    /// All events with queued waits and without a recording.
    pub(crate) fn awaited_in_vain(&self) -> impl Iterator<Item = (EventRef, &Event)> {
        self.events
            .iter()
            .filter(|(_, event)| !event.awaiting.is_empty())
            .map(|(number, event)| (*number, event))
    }

    /// What a thread knows after it waited for an event: what the latest recording captured, if it has had its turn. If
    /// another thread has recorded the event meanwhile, the wait may have been for an earlier recording.
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

    /// Whether it is recorded, and not reset since.
    pub(crate) fn is_recorded(&self, event: EventRef) -> bool {
        self.events
            .get(&event)
            .is_some_and(|event| !event.reset && !event.recordings.is_empty())
    }

    pub(crate) fn state_bytes(&self) -> u64 {
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

    pub(super) fn created(&mut self, event: EventRef, made: Arc<Origin>) {
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

    /// An event that is used. One without a creation record is created here.
    fn used(&mut self, event: EventRef, origin: &Arc<Origin>) -> &mut Event {
        self.events.entry(event).or_insert_with(|| Event {
            made: Arc::clone(origin),
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
            known.ended = Some(Origin::of(record));
            self.ended += 1;
        }
        if self.ended > REMEMBERED {
            // The one that was just destroyed is examined after this.
            self.events.retain(|number, known| {
                *number == event || known.ended.is_none() || known.is_waited_for()
            });
            self.ended = self.events.values().filter(|it| it.ended.is_some()).count() / 2;
        }
    }

    /// A recording was enqueued. Returns the waits that were for it.
    pub(super) fn recorded(
        &mut self,
        event: EventRef,
        at: Position,
        origin: &Arc<Origin>,
    ) -> Vec<Position> {
        let event = self.used(event, origin);
        let awaiting = std::mem::take(&mut event.awaiting);
        event.reset = false;
        if let Some((at, clock)) = event.latest_captured() {
            event.keep(at, clock);
        }
        event.recordings.push(Recording {
            at,
            thread: origin.thread,
            clock: None,
            waits: u32::try_from(awaiting.len()).unwrap_or(u32::MAX),
        });
        event.prune();
        awaiting
    }

    /// It was reset: later waits are for the next recording.
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
        origin: &Arc<Origin>,
    ) {
        let event = self.used(event, origin);
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

    /// The host knows that all waits for an event have ended.
    pub(super) fn take_waits(&mut self, event: EventRef) -> Vec<Position> {
        let event = self.events.get_mut(&event);
        event.map_or_else(Vec::new, |event| std::mem::take(&mut event.waits))
    }

    /// A wait has had its turn, or will never have one.
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

    /// A recording has its turn.
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
    /// It has not had its turn.
    NotYet,
    /// What it captured.
    Known(&'a Clock),
    /// Only its position is known.
    Forgotten,
}
