//! What a person wants to know when a request got nothing.

use super::Arena;
use super::growth::Why;
use crate::message::count;

/// How many of the largest blocks are named.
const HOLDERS: usize = 3;

impl Arena {
    pub(super) fn report(&self, bytes: u64, why: Why) -> String {
        let why = match why {
            Why::Limit | Why::Held => format!("the limit is {} bytes", self.limit),
            Why::Device(refused) => refused.to_string(),
            Why::Addresses => "no range of addresses is left for it".to_owned(),
            Why::Headers => "no more blocks can be described".to_owned(),
        };
        let report = self.pool.report(HOLDERS);
        let numbers = &report.statistics;
        let mut parts = vec![
            format!("no block of {bytes} bytes on device {}: {why}", self.device),
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
}
