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
    /// How many frees were left out because the block is older than the trace.
    pub unknown_frees: usize,
}

impl Trace {
    /// Allocations and frees, which are what time is divided by.
    pub fn calls(&self) -> usize {
        let is_call = |op: &&Op| matches!(op, Op::Alloc { .. } | Op::Free { .. });
        self.ops.iter().filter(is_call).count()
    }

    /// The streams that blocks are allocated on.
    pub fn streams(&self) -> BTreeSet<u32> {
        let stream = |op: &Op| match *op {
            Op::Alloc { stream, .. } => Some(stream),
            _ => None,
        };
        self.ops.iter().filter_map(stream).collect()
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
