//! A sequence of calls to replay.

use std::collections::BTreeSet;

use crate::holders::Sum;

/// One call. Blocks are numbers from 0, in the order of their allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// A request.
    Alloc {
        /// What the block is called from now on.
        block: u32,
        /// What was asked for.
        bytes: u64,
        /// The stream that it is for.
        stream: u32,
    },
    /// The program gives a block back.
    Free {
        /// Which.
        block: u32,
        /// In the order of this stream.
        stream: u32,
        /// The trace's recorder could not reuse the block until `Settled`.
        held: bool,
    },
    /// The recorder could reuse the block.
    Settled {
        /// Which.
        block: u32,
    },
    /// A block is also used on another stream, from now until it is freed.
    Use {
        /// Which.
        block: u32,
        /// The other stream.
        stream: u32,
    },
    /// An event is recorded.
    Record {
        /// Its number.
        event: u32,
        /// On this stream.
        stream: u32,
    },
    /// A stream waits for an event's latest recording.
    Wait {
        /// Its number.
        event: u32,
        /// Who waits.
        stream: u32,
    },
    /// The host waits for a stream.
    Synchronize {
        /// Which.
        stream: u32,
    },
    /// Work from here on belongs to a mark: see [`Policy::begin`](crate::policy::Policy::begin).
    Begin {
        /// Its number, which rises.
        mark: u64,
    },
    /// The host could see that a stream has completed a mark.
    Completed {
        /// The stream.
        stream: u32,
        /// Up to and including this one.
        mark: u64,
    },
}

/// The calls of one device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// What it is called.
    pub name: String,
    /// In their order.
    pub ops: Vec<Op>,
    /// How many blocks are allocated in all.
    pub blocks: usize,
    /// The most that the allocator which was recorded held, if the trace says so.
    pub recorded_reserved: Option<u64>,
    /// Nanoseconds since the recording began, for each operation; empty if the trace was not recorded.
    pub times: Vec<u64>,
    /// How many blocks were there before the recording began. They are the first to be allocated.
    pub older: usize,
    /// The blocks that were left out on request.
    pub left_out: Sum,
}

impl Trace {
    /// Allocations and frees, which are what time is divided by.
    pub fn calls(&self) -> usize {
        let is_call = |op: &&Op| matches!(op, Op::Alloc { .. } | Op::Free { .. });
        self.ops.iter().filter(is_call).count()
    }

    /// Blocks that were given back while other streams still used them.
    pub fn held_frees(&self) -> usize {
        let held = |op: &&Op| matches!(op, Op::Free { held: true, .. });
        self.ops.iter().filter(held).count()
    }

    /// Whether it says which streams wait for which.
    pub fn has_waits(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Wait { .. }))
    }

    /// Whether every size is a multiple of 512, as if the recorder had rounded them.
    pub fn is_rounded(&self) -> bool {
        let rounded =
            |op: &Op| !matches!(op, Op::Alloc { bytes, .. } if !bytes.is_multiple_of(512));
        self.ops.iter().all(rounded)
    }

    /// The streams that blocks are allocated on.
    pub fn streams(&self) -> BTreeSet<u32> {
        let stream = |op: &Op| match *op {
            Op::Alloc { stream, .. } => Some(stream),
            _ => None,
        };
        self.ops.iter().filter_map(stream).collect()
    }

    /// What the program had asked for and not given back at the end.
    pub fn live_at_end(&self) -> u64 {
        let mut sizes = vec![0; self.blocks];
        let mut live = 0;
        for op in &self.ops {
            match *op {
                Op::Alloc { block, bytes, .. } => {
                    sizes[block as usize] = bytes;
                    live += bytes;
                }
                Op::Free { block, .. } => live -= sizes[block as usize],
                _ => {}
            }
        }
        live
    }

    /// The most bytes that the program had asked for and not given back.
    pub fn peak_live(&self) -> u64 {
        let mut sizes = vec![0; self.blocks];
        let (mut live, mut peak) = (0, 0);
        for op in &self.ops {
            match *op {
                Op::Alloc { block, bytes, .. } => {
                    sizes[block as usize] = bytes;
                    live += bytes;
                    peak = live.max(peak);
                }
                Op::Free { block, .. } => live -= sizes[block as usize],
                _ => {}
            }
        }
        peak
    }
}
