//! Which end belongs to which begin of a span, and where there is room to draw it.
//!
//! Spans of a program may overlap without one being inside the other, on one stream or on several. So each open span has a lane of its
//! stream for itself, the lowest that is free.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::event::{Event, TextId};

/// An open span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// A number of its own, from 1.
    pub(super) number: u64,
    /// The stream that it began on: a span may end elsewhere.
    pub(super) stream: u32,
    /// Its lane on that stream, from 0.
    pub(super) lane: u32,
}

/// The lanes of a stream.
#[derive(Debug, Default)]
struct Lanes {
    free: BinaryHeap<Reverse<u32>>,
    all: u32,
}

/// All spans that are open.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// By what their ends have in common with them.
    open: HashMap<(u16, u64, TextId), Vec<Span>>,
    lanes: HashMap<u32, Lanes>,
    last: u64,
}

/// The number of the span, or, where there is none, its name.
fn key(event: &Event) -> (u16, u64, TextId) {
    let label = if event.address == 0 {
        event.label
    } else {
        TextId(0)
    };
    (event.device, event.address, label)
}

impl Spans {
    /// A span begins.
    pub(super) fn begin(&mut self, event: &Event) -> Span {
        let lanes = self.lanes.entry(event.stream).or_default();
        let lane = lanes.free.pop().map_or(lanes.all, |Reverse(lane)| lane);
        lanes.all = lanes.all.max(lane.saturating_add(1));
        self.last += 1;
        let span = Span {
            number: self.last,
            stream: event.stream,
            lane,
        };
        self.open.entry(key(event)).or_default().push(span);
        span
    }

    /// The span that ends, if its begin was seen: of several with that name the latest.
    pub(super) fn end(&mut self, event: &Event) -> Option<Span> {
        let open = self.open.get_mut(&key(event))?;
        let span = open.pop()?;
        if open.is_empty() {
            self.open.remove(&key(event));
        }
        let lanes = self.lanes.entry(span.stream).or_default();
        lanes.free.push(Reverse(span.lane));
        Some(span)
    }
}
