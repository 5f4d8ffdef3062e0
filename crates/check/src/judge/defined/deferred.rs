//! Findings that depend on what comes next.
//!
//! An operator that PyTorch for Ascend lacks is computed on the host. All its operands are copied there first,
//! including the result, which is still undefined; the computed result is copied back. So a tensor that was never
//! written may be copied to the host as a whole if the next write to it comes from the host. Anything else, or its
//! end, turns the copy into a finding.

use millpond_trace::{Bytes, TaskKind};

use crate::Finding;
use crate::verdict::Verdict;
use crate::world::{Turn, overlap};

/// A copy of a tensor that was never written.
#[derive(Debug)]
struct Copied {
    /// All bytes of the tensor.
    tensor: Bytes,
    finding: Finding,
}

/// Deferred copies, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    copies: Vec<Copied>,
}

/// Deferred copies at a time. Beyond that, the oldest is reported.
const MOST: usize = 256;

impl Deferred {
    /// A tensor was copied to the host that has no content. The first such copy counts.
    pub(super) fn add(&mut self, tensor: Bytes, finding: Finding, verdict: &mut Verdict) {
        if self.copies.iter().any(|it| it.tensor == tensor) {
            return;
        }
        if self.copies.len() == MOST {
            verdict.report(self.copies.remove(0).finding);
        }
        self.copies.push(Copied { tensor, finding });
    }

    /// Work writes tensors: the copy of one that gets something from the host was right.
    pub(super) fn write(&mut self, turn: &Turn, moves: bool, verdict: &mut Verdict) {
        if self.copies.is_empty() {
            return;
        }
        let brings = moves || turn.accesses.task == TaskKind::Copy;
        for (span, _) in turn.writes() {
            let hull = span.hull();
            if brings {
                self.copies.retain(|it| !overlap(it.tensor, hull));
            } else {
                self.end(hull, verdict);
            }
        }
    }

    /// Memory is freed: copies of it are reported.
    pub(super) fn end(&mut self, range: Bytes, verdict: &mut Verdict) {
        let ended = |it: &mut Copied| overlap(it.tensor, range);
        for copied in self.copies.extract_if(.., ended) {
            verdict.report(copied.finding);
        }
    }

    /// The program is done.
    pub(super) fn end_all(&mut self, verdict: &mut Verdict) {
        for copied in self.copies.drain(..) {
            verdict.report(copied.finding);
        }
    }

    pub(super) fn state_bytes(&self) -> u64 {
        (self.copies.capacity() * size_of::<Copied>()) as u64
    }
}
