//! Traces that are made here: the same on every run and every machine.
//!
//! Those with several streams have the edges that recorded traces lack, and a host that runs ahead
//! of the device by a number of layers.

mod fsdp;
mod prefetch;
#[cfg(test)]
mod single;
mod workers;

use crate::trace::{Op, Trace};

/// By how many layers the host runs ahead.
pub const AHEAD: [u64; 6] = [1, 2, 4, 8, 16, 32];

type Pattern = fn(u64) -> Trace;

/// The patterns with several streams, by how far the host runs ahead.
pub const PATTERNS: [(&str, Pattern); 3] = [
    ("fsdp", fsdp::trace),
    ("prefetch", prefetch::trace),
    ("workers", workers::trace),
];

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Numbers that look random and are the same every time (splitmix64).
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// Each seed has its own.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` up to and including `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.draw() % (high - low + 1)
    }
}

/// Writes a trace down call by call.
#[derive(Debug)]
pub struct Builder {
    trace: Trace,
    streams: u32,
    ahead: u64,
    next_mark: u64,
    next_event: u32,
}

impl Builder {
    /// A trace on the first `streams` streams, whose host runs `ahead` layers ahead of them.
    pub fn new(name: impl Into<String>, streams: u32, ahead: u64) -> Self {
        Self {
            trace: Trace {
                name: name.into(),
                ..Trace::default()
            },
            streams,
            ahead,
            next_mark: 0,
            next_event: 0,
        }
    }

    /// The host comes to the next layer, and could see by now that the device has completed the
    /// one that lies `ahead` layers back.
    pub fn layer(&mut self) {
        let mark = self.next_mark;
        self.next_mark += 1;
        self.trace.ops.push(Op::Begin { mark });
        if let Some(mark) = mark.checked_sub(self.ahead) {
            let completed = |stream| Op::Completed { stream, mark };
            self.trace.ops.extend((0..self.streams).map(completed));
        }
    }

    /// A new block.
    pub fn alloc(&mut self, stream: u32, bytes: u64) -> u32 {
        let block = u32::try_from(self.trace.blocks).unwrap_or(u32::MAX);
        self.trace.blocks += 1;
        self.trace.ops.push(Op::Alloc {
            block,
            bytes,
            stream,
        });
        block
    }

    /// The block is given back in the order of `stream`.
    pub fn free(&mut self, block: u32, stream: u32) {
        self.trace.ops.push(Op::Free {
            block,
            stream,
            held: false,
        });
    }

    /// The block is also used on `stream`.
    pub fn record_use(&mut self, block: u32, stream: u32) {
        self.trace.ops.push(Op::Use { block, stream });
    }

    /// Records an event of its own.
    pub fn record(&mut self, stream: u32) -> u32 {
        let event = self.next_event;
        self.next_event += 1;
        self.trace.ops.push(Op::Record { event, stream });
        event
    }

    /// `stream` waits for what the event captured.
    pub fn wait(&mut self, event: u32, stream: u32) {
        self.trace.ops.push(Op::Wait { event, stream });
    }

    /// The host waits for everything, as programs do at their end.
    pub fn synchronize(&mut self) {
        let synchronize = |stream| Op::Synchronize { stream };
        self.trace.ops.extend((0..self.streams).map(synchronize));
    }

    /// Work on one stream that needs memory only while it runs.
    pub fn temporary(&mut self, stream: u32, bytes: u64) {
        let block = self.alloc(stream, bytes);
        self.free(block, stream);
    }

    /// The trace.
    pub fn finish(self) -> Trace {
        self.trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;

    #[test]
    fn a_pattern_is_the_same_every_time_and_frees_what_it_allocates() {
        for (name, pattern) in PATTERNS {
            let trace = pattern(4);
            assert_eq!(trace, pattern(4), "{name}");
            assert!(trace.streams().len() >= 2, "{name}");
            let frees = trace.ops.iter().filter(|op| matches!(op, Op::Free { .. }));
            assert_eq!(frees.count(), trace.blocks, "{name}");
        }
    }

    #[test]
    fn what_the_order_allows_does_not_depend_on_how_far_the_host_runs_ahead() {
        for (name, pattern) in PATTERNS {
            let least = AHEAD.map(|ahead| oracle::least_held(&pattern(ahead)));
            assert!(least.iter().all(|it| *it == least[0]), "{name}: {least:?}");
            let live = pattern(1).peak_live();
            assert!(
                (live..2 * live).contains(&least[0]),
                "{name}: {live} {}",
                least[0]
            );
        }
    }

    #[test]
    fn the_device_completes_what_lies_as_many_layers_back() {
        let mut builder = Builder::new("layers", 1, 2);
        for _ in 0..4 {
            builder.layer();
        }
        let completed = |op: &Op| match *op {
            Op::Completed { mark, .. } => Some(mark),
            _ => None,
        };
        let ops = builder.finish().ops;
        let marks: Vec<u64> = ops.iter().filter_map(completed).collect();
        assert_eq!(marks, [0, 1]);
    }
}
