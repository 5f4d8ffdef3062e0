//! Memory that a program provides when it loads a model: work memory and weight memory.
//!
//! It belongs to the model as long as it may run, so every run counts as using all of it, whether the engine does or
//! not: weights stay with the engine, and a run without a plan asks our pool for pieces.

use millpond_trace::{Accesses, Bytes, Operation, Outcome, Space};

use super::model::ModelCore;
use super::source::WorkspaceSource;
use crate::error::Boxed;
use crate::memory::Operand;
use crate::shared::Shared;

/// What a program gave a model, found.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ModelMemory {
    pub(super) work: Option<Operand>,
    pub(super) weights: Option<Operand>,
}

impl ModelCore {
    /// The range that the program gave for work.
    pub(super) fn work_memory(&self) -> Option<Bytes> {
        match self.workspace {
            WorkspaceSource::Provided { address, bytes } => Some(Bytes {
                start: address,
                bytes,
            }),
            WorkspaceSource::Allocator | WorkspaceSource::Pool => None,
        }
    }

    /// Finds what the program gave, which has to be there still.
    pub(super) fn given(&self, shared: &Shared) -> Boxed<ModelMemory> {
        let find = |range: Bytes| -> Boxed<Operand> {
            let operand = shared.operand(range.start, range.bytes)?;
            shared.check_side(&operand, None)?;
            Ok(operand)
        };
        Ok(ModelMemory {
            work: self.work_memory().map(find).transpose()?,
            weights: self.weights_at.map(find).transpose()?,
        })
    }

    /// Takes the memory for the weights, if it is memory of the runtime: they are there from now on, as far as the program
    /// knows.
    pub(super) fn take_weights(&mut self, shared: &Shared, range: Bytes) {
        let found = shared.operand(range.start, range.bytes);
        let usable = found.is_ok_and(|operand| {
            operand.space != Space::Foreign && shared.check_side(&operand, None).is_ok()
        });
        if !usable {
            return;
        }
        self.weights_at = Some(range);
        shared.tap.emit(|| Operation::Moved {
            accesses: Accesses {
                writes: [range.into()].into_iter().collect(),
                ..self.accesses()
            },
            outcome: Outcome::Done,
        });
    }
}
