//! Bytes live and reserved, event by event.

use crate::event::{Event, Kind};
use crate::ranges::Ranges;

/// Totals of one device.
#[derive(Debug, Clone, Default)]
pub(super) struct Total {
    /// Bytes of blocks that the program has.
    pub(super) live: u64,
    /// Bytes that the allocator has from the device.
    pub(super) reserved: u64,
    mapped: Ranges,
}

/// Totals of all devices.
#[derive(Debug, Default)]
pub(super) struct Totals(Vec<Total>);

impl Totals {
    /// Applies an event. Returns the totals of its device after it.
    pub(super) fn apply(&mut self, event: &Event) -> &Total {
        let place = usize::from(event.device);
        if self.0.len() <= place {
            self.0.resize_with(place + 1, Total::default);
        }
        let total = &mut self.0[place];
        let end = event.address.saturating_add(event.bytes);
        match event.kind {
            Kind::Alloc => total.live = total.live.saturating_add(event.bytes),
            Kind::FreeRequested => total.live = total.live.saturating_sub(event.bytes),
            Kind::SegmentAlloc | Kind::SegmentMap => {
                let new: u64 = total
                    .mapped
                    .missing(event.address, end)
                    .iter()
                    .map(|(a, b)| b - a)
                    .sum();
                total.mapped.add(event.address, end);
                total.reserved += new;
            }
            Kind::SegmentFree | Kind::SegmentUnmap => {
                let missing: u64 = total
                    .mapped
                    .remove(event.address, end)
                    .iter()
                    .map(|(a, b)| b - a)
                    .sum();
                total.reserved -= event.bytes - missing;
            }
            _ => {}
        }
        total
    }
}
