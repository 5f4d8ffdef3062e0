//! What a person wants to know when a request got nothing.
//!
//! The text looks at every block, and programs that find out how much there is by trying ask often. So a request that fails notes
//! what it was, and the text is built when it is read.

use std::fmt;
use std::sync::atomic::Ordering;

use super::Arena;
use super::growth::Reason;
use crate::message::count;

/// How many of the largest blocks are named.
const HOLDERS: usize = 3;

/// A request that got nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoBlock {
    pub(super) bytes: u64,
    pub(super) device: i32,
    pub(super) limit: u64,
    pub(super) why: Reason,
}

impl fmt::Display for NoBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, device, .. } = self;
        write!(formatter, "no block of {bytes} bytes on device {device}: ")?;
        match self.why {
            Reason::Limit | Reason::Held => write!(formatter, "the limit is {} bytes", self.limit),
            Reason::Device(refused) => write!(formatter, "{refused}"),
            Reason::Addresses => formatter.write_str("no address space is left"),
            Reason::Headers => formatter.write_str("the table of blocks is full"),
        }
    }
}

impl Arena {
    /// Reason a request got nothing, and where the memory is now.
    pub(crate) fn report(&self, no_block: NoBlock) -> String {
        self.counts.reports.fetch_add(1, Ordering::Relaxed);
        let report = self.pool.report(HOLDERS);
        let numbers = &report.statistics;
        let mut parts = vec![
            no_block.to_string(),
            format!(
                "{} bytes are in use in {}",
                numbers.charged,
                count(numbers.blocks, "block")
            ),
            format!(
                "{} bytes of device memory are held in {}",
                self.held(),
                count(self.source.pieces() as u64, "segment")
            ),
            format!("{} bytes in whole pages are idle", report.idle),
            format!("the largest free range has {} bytes", report.largest_free),
        ];
        for lane in self.all_lanes() {
            let (now, passed) = (lane.now(), lane.passed());
            if now > passed {
                parts.push(format!(
                    "stream {:#x} has passed callback {passed} of {now}",
                    lane.stream
                ));
            }
        }
        let largest: Vec<String> = report
            .holders
            .iter()
            .map(|holder| holder.requested.to_string())
            .collect();
        if !largest.is_empty() {
            parts.push(format!(
                "the largest requests were {} bytes",
                largest.join(", ")
            ));
        }
        parts.join("; ")
    }

    /// How many such texts were made.
    #[cfg(test)]
    pub(crate) fn reports(&self) -> u64 {
        self.counts.reports.load(Ordering::Relaxed)
    }
}
