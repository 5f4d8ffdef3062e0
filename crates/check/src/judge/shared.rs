//! Memory that is freed while another process has it mapped.
//!
//! When the other process ends its use it says when. The process that exported the memory hears of it later, so a finding comes then, and
//! only if the use ended after the free. The end of a process says nothing: it may have ended before.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_trace::{Bytes, Operation, Record};

use super::{Judge, words};
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Origin, World};
use crate::{BlockLifetime, Finding};

/// Judges such frees.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Where memory was exported, by its address.
    exports: HashMap<u64, Arc<Origin>>,
    lent: HashMap<u64, Lent>,
    dropped_facts: u64,
}

/// Memory that another process has mapped.
#[derive(Debug)]
struct Lent {
    range: Bytes,
    process: u32,
    freed: Option<Freed>,
}

#[derive(Debug)]
struct Freed {
    nanoseconds: u64,
    origin: Arc<Origin>,
    block: Option<Arc<BlockLifetime>>,
}

/// Exports and uses that are followed.
const MOST: usize = 1 << 14;

impl Judge for Shared {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::MemoryShared { range } if self.exports.len() < MOST => {
                self.exports.insert(range.start, Origin::of(record));
            }
            Operation::MemoryLent {
                range,
                lease,
                process,
            } => {
                if self.lent.len() < MOST {
                    let lent = Lent {
                        range: *range,
                        process: *process,
                        freed: None,
                    };
                    self.lent.insert(*lease, lent);
                } else {
                    self.dropped_facts += 1;
                }
            }
            Operation::Freed { block, range, .. } => {
                let is_inside = |lent: &Lent| {
                    lent.range.start >= range.start && lent.range.start - range.start < range.bytes
                };
                let lent = self.lent.values_mut();
                for lent in lent.filter(|lent| lent.freed.is_none() && is_inside(lent)) {
                    lent.freed = Some(Freed {
                        nanoseconds: record.nanoseconds,
                        origin: Origin::of(record),
                        block: world
                            .blocks
                            .ended_with(*block)
                            .map(|block| block.lifetime()),
                    });
                }
                let kept =
                    |start: &u64| *start < range.start || *start - range.start >= range.bytes;
                if self.lent.is_empty() {
                    self.exports.retain(|start, _| kept(start));
                }
            }
            Operation::MemoryReturned { lease, until } => {
                if let Some(Lent {
                    range,
                    process,
                    freed: Some(freed),
                }) = self.lent.remove(lease)
                    && *until > freed.nanoseconds
                {
                    verdict.report(self.finding(range, process, &freed));
                }
            }
            _ => {}
        }
    }

    fn state_bytes(&self) -> u64 {
        let each = size_of::<Lent>() + size_of::<Origin>();
        ((self.lent.capacity() + self.exports.capacity()) * each) as u64
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }
}

impl Shared {
    fn finding(&self, range: Bytes, process: u32, freed: &Freed) -> Finding {
        let name = freed.block.as_ref().map_or("memory", |block| &block.name);
        let message = format!(
            "{name} was freed while process {process} had {} of it mapped",
            words::count(range.bytes, "byte")
        );
        let operation = freed.origin.operation(format!("{name} is freed"));
        let mut finding = Finding::new(&memory::FREED_WHILE_SHARED, message, operation);
        if let Some(export) = self.exports.get(&range.start) {
            let what = format!(
                "exports {} at {:#x}",
                words::count(range.bytes, "byte"),
                range.start
            );
            finding.operations.push(export.operation(what));
        }
        finding.bytes = Some(range);
        finding.block.clone_from(&freed.block);
        finding.missing = Some(format!(
            "nothing waits until process {process} has called aclrtIpcMemClose"
        ));
        finding.advice = Some(
            "let the other process say that it has closed the memory, and free it then".to_owned(),
        );
        finding
    }
}
