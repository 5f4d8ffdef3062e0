//! A sequence of calls to replay.

use std::collections::BTreeSet;

/// One call. Blocks are numbers from 0, in the order of their allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Alloc {
        block: u32,
        bytes: u64,
        stream: u32,
    },
    /// `held`: the trace's recorder could not reuse the block until `Settled`.
    Free {
        block: u32,
        stream: u32,
        held: bool,
    },
    Settled {
        block: u32,
    },
    Use {
        block: u32,
        stream: u32,
    },
    Record {
        event: u32,
        stream: u32,
    },
    Wait {
        event: u32,
        stream: u32,
    },
    Synchronize {
        stream: u32,
    },
    Begin {
        mark: u64,
    },
    Completed {
        stream: u32,
        mark: u64,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    pub name: String,
    pub ops: Vec<Op>,
    /// How many blocks are allocated in all.
    pub blocks: usize,
    /// The most that the allocator which was recorded held, if the trace says so.
    pub recorded_reserved: Option<u64>,
    /// Nanoseconds since the recording began, for each operation; empty if the trace was not recorded.
    pub times: Vec<u64>,
    /// How many blocks were there before the recording began. They are the first to be allocated.
    pub older: usize,
    /// How many bytes the device has; 0 if the recording does not say.
    pub capacity: u64,
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
