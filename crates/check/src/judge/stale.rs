//! Handles that are used after their object was destroyed.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{HandleKind, NumberMap, Operation, Record};

use super::Judge;
use crate::Finding;
use crate::rules::handle;
use crate::verdict::Verdict;
use crate::world::{Origin, World};

/// Checks for handles of destroyed objects.
#[derive(Debug, Default)]
pub(crate) struct Stale {
    /// Who ended what a handle named.
    ended: NumberMap<u64, Arc<Origin>>,
    /// The same handles, the oldest first.
    order: VecDeque<u64>,
}

/// Handles that are remembered. Programs destroy descriptions at every operator, so older ones are no loss worth counting.
const MOST: usize = 1 << 16;

/// Calls of clean-up code on objects that were already released.
const CLEAN_UP: [&str; 3] = ["Destroy", "Synchronize", "Query"];

impl Judge for Stale {
    fn record(&mut self, _: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            // A model is known by a small number, which is not a handle.
            Operation::HandleDestroyed {
                kind: HandleKind::Model,
                ..
            } => {}
            Operation::HandleDestroyed { handle, .. } | Operation::HandleExpired { handle, .. } => {
                self.end(*handle, record);
            }
            Operation::HandleStale { what, handle } => {
                if let Some(ended) = self.ended.get(handle) {
                    judge(what, ended, record, verdict);
                }
            }
            _ => {}
        }
    }

    fn state_bytes(&self) -> u64 {
        let each = size_of::<Origin>() + 2 * size_of::<u64>() + size_of::<Arc<Origin>>();
        (self.ended.len() * each) as u64
    }
}

impl Stale {
    fn end(&mut self, handle: u64, record: &Record) {
        if self.ended.insert(handle, Origin::of(record)).is_none() {
            self.order.push_back(handle);
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.ended.remove(&oldest);
        }
    }
}

fn judge(what: &str, ended: &Origin, record: &Record, verdict: &mut Verdict) {
    let (call, ender) = (&*record.site.call, &*ended.site.call);
    let went_along = went_along(what, ender);
    // Objects of Python, and static ones, often outlive the device. What they clean up has ended, and nothing is left to wait for.
    if went_along && CLEAN_UP.iter().any(|word| call.contains(word)) {
        return;
    }
    let how = if went_along {
        format!("that {ender} released")
    } else if ender.is_empty() {
        "that was destroyed".to_owned()
    } else {
        format!("that {ender} destroyed")
    };
    let message = format!("{call} uses the {what} {how}");
    let operation = Origin::of(record).operation(format!("uses the destroyed {what}"));
    let mut finding = Finding::new(&handle::USE_AFTER_DESTROY, message, operation);
    let what_ended = if went_along {
        format!("releases the {what} with everything else")
    } else {
        format!("destroys the {what}")
    };
    finding.operations.push(ended.operation(what_ended));
    finding.advice = Some(format!(
        "destroy the {what} after its last use, and then set the variable to NULL"
    ));
    verdict.report(finding);
}

/// Whether something ended because its context or device did, not by a call that destroys it.
fn went_along(what: &str, ender: &str) -> bool {
    let by_context = ender.starts_with("aclrtDestroyContext") && what != "context";
    by_context || ender.starts_with("aclrtResetDevice") || ender.starts_with("aclFinalize")
}
