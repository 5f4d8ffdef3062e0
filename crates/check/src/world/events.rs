//! Events: what each recording captured, and who waits for one that is still to come.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use millpond_trace::{EventRef, Position, Record};

use super::Doer;
use crate::clock::Clock;

/// Recordings of one event whose clocks are remembered.
const RECORDINGS: usize = 64;

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) made: Arc<Doer>,
    pub(crate) ended: Option<Arc<Doer>>,
    /// Its recordings, the oldest first; the clock is there once the recording had its turn.
    recordings: VecDeque<(Position, Option<Clock>)>,
    /// Waits that are bound to the next recording.
    awaiting: Vec<Position>,
}

/// All events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    events: HashMap<EventRef, Event>,
}

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

    /// What the latest recording captured, as far as it had its turn.
    pub(super) fn latest(&self, event: EventRef) -> Option<&Clock> {
        let event = self.events.get(&event)?;
        event.recordings.back()?.1.as_ref()
    }

    /// Whether it was ever recorded, as far as is remembered.
    pub(crate) fn was_recorded(&self, event: EventRef) -> bool {
        self.events
            .get(&event)
            .is_some_and(|event| !event.recordings.is_empty())
    }

    pub(crate) fn books(&self) -> u64 {
        let recordings: usize = self.events.values().map(|it| it.recordings.len()).sum();
        (self.events.len() * size_of::<Event>() + recordings * size_of::<Clock>()) as u64
    }

    pub(super) fn created(&mut self, event: EventRef, made: Arc<Doer>) {
        let fresh = Event {
            made,
            ended: None,
            recordings: VecDeque::new(),
            awaiting: Vec::new(),
        };
        self.events.insert(event, fresh);
    }

    pub(super) fn destroyed(&mut self, event: EventRef, record: &Record) {
        if let Some(known) = self.events.get_mut(&event) {
            known.ended = Some(Doer::of(record));
        }
        // What queued waits have captured stays known; the rest is for nobody.
        if self.events.len() > 4 * RECORDINGS {
            self.events
                .retain(|_, event| event.ended.is_none() || !event.awaiting.is_empty());
        }
    }

    /// A recording was enqueued. Answers the waits that were for it.
    pub(super) fn recorded(&mut self, event: EventRef, position: Position) -> Vec<Position> {
        let Some(event) = self.events.get_mut(&event) else {
            return Vec::new();
        };
        if event.recordings.len() == RECORDINGS {
            event.recordings.pop_front();
        }
        event.recordings.push_back((position, None));
        std::mem::take(&mut event.awaiting)
    }

    /// A wait for the next recording was enqueued.
    pub(super) fn awaited(&mut self, event: EventRef, wait: Position) {
        if let Some(event) = self.events.get_mut(&event) {
            event.awaiting.push(wait);
        }
    }

    /// A recording had its turn.
    pub(super) fn captured(&mut self, event: EventRef, position: Position, clock: &Clock) {
        let event = self.events.get_mut(&event);
        let recording = event.and_then(|event| {
            let mut recordings = event.recordings.iter_mut().rev();
            recordings.find(|(at, _)| *at == position)
        });
        if let Some((_, captured)) = recording {
            *captured = Some(clock.clone());
        }
    }

    /// What a recording captured: `None` if it had no turn yet, an empty answer if it is forgotten.
    pub(super) fn capture(&self, event: EventRef, position: Position) -> Option<Option<&Clock>> {
        let Some(event) = self.events.get(&event) else {
            return Some(None);
        };
        match event
            .recordings
            .iter()
            .rev()
            .find(|(at, _)| *at == position)
        {
            Some((_, Some(clock))) => Some(Some(clock)),
            Some((_, None)) => None,
            None => Some(None),
        }
    }
}
