//! What a person wants to know when a request got nothing.
//!
//! The text looks at every block, and programs that find out how much there is by trying ask often. So a request that fails notes
//! what it was, and the text is made when somebody asks for it.

use std::fmt;
use std::sync::atomic::Ordering;

use super::Arena;
use super::growth::Why;
use crate::message::count;

/// How many of the largest blocks are named.
const HOLDERS: usize = 3;

/// A request that got nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoBlock {
    pub(super) bytes: u64,
    pub(super) device: i32,
    pub(super) limit: u64,
    pub(super) why: Why,
}

impl fmt::Display for NoBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, device, .. } = self;
        write!(formatter, "no block of {bytes} bytes on device {device}: ")?;
        match self.why {
            Why::Limit | Why::Held => write!(formatter, "the limit is {} bytes", self.limit),
            Why::Device(refused) => write!(formatter, "{refused}"),
            Why::Addresses => formatter.write_str("no range of addresses is left for it"),
            Why::Headers => formatter.write_str("no more blocks can be described"),
        }
    }
}

impl Arena {
    /// Why a request got nothing, and where the memory is now.
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
                "{} bytes are held of the device in {}",
                self.held(),
                count(self.source.pieces() as u64, "piece")
            ),
            format!("{} bytes of whole pages are idle", report.idle),
            format!("the largest free piece has {} bytes", report.largest_free),
        ];
        for lane in self.all_lanes() {
            let (now, passed) = (lane.now(), lane.passed());
            if now > passed {
                parts.push(format!(
                    "stream {:#x} is known to be past callback {passed} of {now}",
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
                "the largest blocks were asked for with {} bytes",
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
