//! Bytes live and reserved, event by event.

use crate::error::Error;
use crate::event::{Event, Kind};
use crate::reserved::Reserved;
use crate::source::Source;

/// Totals of one device.
#[derive(Debug, Clone, Default)]
struct Total {
    live: u64,
    reserved: Reserved,
    has_segments: bool,
}

/// What an event changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Now {
    /// Bytes of blocks that the program has.
    pub(super) live: u64,
    /// Bytes that the allocator has from the device; 0 if the recording has no segments of the device, because then only the pages of
    /// blocks would be known.
    pub(super) reserved: u64,
    /// Whether the event changed `reserved`.
    pub(super) reserved_changed: bool,
}

/// Totals of all devices.
#[derive(Debug, Default)]
pub(super) struct Totals(Vec<Total>);

impl Totals {
    /// For a recording that is read from its first event on: once here, to see which devices have segments, and once by the caller.
    pub(super) fn of(source: &mut dyn Source) -> Result<Self, Error> {
        let mut totals = Self::default();
        for event in source.before() {
            totals.look(event);
        }
        let mut events = Vec::new();
        // Most recordings have segments before their first event, or none.
        while !totals.all_known(source.tables().devices().len()) && source.read(&mut events)? {
            for event in events.drain(..) {
                totals.look(&event);
            }
        }
        source.rewind()?;
        Ok(totals)
    }

    fn all_known(&self, devices: usize) -> bool {
        self.0.len() >= devices && self.0.iter().all(|total| total.has_segments)
    }

    fn look(&mut self, event: &Event) {
        let is_segment = matches!(event.kind, Kind::SegmentAlloc | Kind::SegmentMap);
        self.device(event).has_segments |= is_segment;
    }

    fn device(&mut self, event: &Event) -> &mut Total {
        let place = usize::from(event.device);
        if self.0.len() <= place {
            self.0.resize_with(place + 1, Total::default);
        }
        &mut self.0[place]
    }

    /// Applies an event. Returns the totals of its device after it.
    pub(super) fn apply(&mut self, event: &Event) -> Now {
        let total = self.device(event);
        match event.kind {
            Kind::Alloc => total.live = total.live.saturating_add(event.bytes),
            Kind::FreeRequested => total.live = total.live.saturating_sub(event.bytes),
            _ => {}
        }
        let before = total.reserved.bytes();
        let mut reserved = 0;
        if total.has_segments {
            total.reserved.apply(event);
            reserved = total.reserved.bytes();
        }
        Now {
            live: total.live,
            reserved,
            reserved_changed: reserved != before,
        }
    }
}
