//! What is ordered before what, on streams and through events. Written for being right, not fast.
//!
//! A stream's clock says how far it has passed each stream, itself included. Recording an event
//! captures the clock as it is then; waiting merges what was captured, never what the recording
//! stream has learnt since.

use std::collections::HashMap;

/// For each stream, how many of its points lie behind.
pub(crate) type Clock = HashMap<u32, u64>;

#[derive(Debug, Default)]
pub(crate) struct Order {
    streams: HashMap<u32, Clock>,
    events: HashMap<u32, Clock>,
    /// What the host has waited for. Everything issued later comes after it.
    host: Clock,
}

impl Order {
    /// A new point on each of the streams, now.
    pub(crate) fn points(&mut self, streams: impl IntoIterator<Item = u32>) -> Clock {
        let point = |stream| {
            let own = self.streams.entry(stream).or_default();
            let number = own.entry(stream).or_default();
            *number += 1;
            (stream, *number)
        };
        streams.into_iter().map(point).collect()
    }

    pub(crate) fn record(&mut self, event: u32, stream: u32) {
        let mut clock = self.streams.entry(stream).or_default().clone();
        merge(&mut clock, &self.host);
        self.events.insert(event, clock);
    }

    /// An event that was never recorded is not waited for.
    pub(crate) fn wait(&mut self, event: u32, stream: u32) {
        if let Some(captured) = self.events.get(&event) {
            merge(self.streams.entry(stream).or_default(), captured);
        }
    }

    pub(crate) fn synchronize(&mut self, stream: u32) {
        if let Some(clock) = self.streams.get(&stream) {
            merge(&mut self.host, clock);
        }
    }

    /// Whether what `stream` is given next runs after all of the points.
    pub(crate) fn passed(&self, points: &Clock, stream: u32) -> bool {
        let knows = |of: &u32| {
            let own = self.streams.get(&stream).and_then(|clock| clock.get(of));
            own.max(self.host.get(of)).copied().unwrap_or(0)
        };
        points.iter().all(|(of, point)| knows(of) >= *point)
    }
}

fn merge(into: &mut Clock, from: &Clock) {
    for (stream, point) in from {
        let known = into.entry(*stream).or_default();
        *known = point.max(known).to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u32 = 0;
    const B: u32 = 1;
    const C: u32 = 2;

    #[test]
    fn a_stream_passes_its_own_points_and_those_it_waits_for() {
        let mut order = Order::default();
        let point = order.points([A]);
        assert!(order.passed(&point, A));
        assert!(!order.passed(&point, B));
        order.record(0, A);
        order.wait(0, B);
        assert!(order.passed(&point, B));
        // What B knows goes on to C through B's event.
        order.record(1, B);
        order.wait(1, C);
        assert!(order.passed(&point, C));
        let later = order.points([A]);
        assert!(!order.passed(&later, B));
    }

    #[test]
    fn a_wait_merges_what_was_captured_and_nothing_newer() {
        let mut order = Order::default();
        let work = order.points([C]);
        order.record(0, A);
        // A learns of C's work after the event was recorded: who waits for the event does not.
        order.record(1, C);
        order.wait(1, A);
        order.wait(0, B);
        assert!(order.passed(&work, A));
        assert!(!order.passed(&work, B));
    }

    #[test]
    fn recording_again_changes_nothing_for_earlier_waits() {
        let mut order = Order::default();
        order.record(0, A);
        order.wait(0, B);
        let work = order.points([A]);
        order.record(0, A);
        assert!(!order.passed(&work, B));
        order.wait(0, B);
        assert!(order.passed(&work, B));
    }

    #[test]
    fn points_on_several_streams_are_passed_when_all_are() {
        let mut order = Order::default();
        let both = order.points([A, B]);
        order.record(0, A);
        order.wait(0, C);
        assert!(!order.passed(&both, C));
        order.record(1, B);
        order.wait(1, C);
        assert!(order.passed(&both, C));
    }

    #[test]
    fn what_the_host_waited_for_is_behind_everybody() {
        let mut order = Order::default();
        let point = order.points([A]);
        order.synchronize(A);
        assert!(order.passed(&point, B));
        let later = order.points([A]);
        assert!(!order.passed(&later, B));
    }
}
