//! Memory that was allocated and never accessed.

use millpond_trace::{HandleKind, Operation, Record};

use super::{Judge, families, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Origin, World};

/// Examines blocks that are freed.
#[derive(Debug, Default)]
pub(crate) struct Unused {
    /// Blocks up to this record may have been given to a model, which uses them unseen.
    given: u64,
    /// Blocks that existed at the last `aclFinalize` were reported then.
    reported: u64,
}

impl Judge for Unused {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Freed { .. } | Operation::DeviceReset { .. } => {
                for block in world.blocks.ended_now() {
                    if !block.used {
                        self.report(world, block, record, verdict);
                    }
                }
            }
            Operation::Finalized => {
                for block in world.blocks.live() {
                    if !world.blocks.is_used(block) {
                        self.report(world, block, record, verdict);
                    }
                }
                self.reported = record.order;
            }
            Operation::HandleCreated {
                kind: HandleKind::Model,
                ..
            } => self.given = record.order,
            _ => {}
        }
    }
}

impl Unused {
    fn report(&self, world: &World, block: &Block, record: &Record, verdict: &mut Verdict) {
        let unknown = block.made.order <= self.given.max(self.reported)
            || matches!(block.kind, BlockKind::Mapping(_))
            || !families::hands_out(&block.call)
            || !world.sees_all_of(block.space);
        if unknown {
            return;
        }
        let ending = match &record.operation {
            Operation::Freed { .. } => "was freed",
            _ => "was left",
        };
        let message = format!(
            "{} {ending}, and no byte of it was ever read or written",
            words::block(block)
        );
        let operation = block.made.operation("allocated it");
        let mut finding = Finding::new(&memory::NEVER_USED, message, operation);
        finding
            .operations
            .push(Origin::of(record).operation(ending));
        finding.bytes = Some(block.usable());
        finding.block = Some(block.lifetime());
        finding.advice = Some("remove the allocation, or allocate where it is needed".to_owned());
        verdict.report(finding);
    }
}
