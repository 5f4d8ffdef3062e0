//! The task of a planned run.
#![expect(
    unsafe_code,
    reason = "runs a graph on addresses that were checked when the run was made"
)]

use std::ptr::NonNull;
use std::sync::Arc;

use millpond_engine::{Bound, Open, RunError, RunMemory, Scratch, Tensor};
use smallvec::SmallVec;

use super::memory::{Planned, pointer};
use super::model::ModelCore;
use super::plan::{self, Plan};
use super::staging::{OnStage, Stage, sentence};
use crate::stream::Computation;

/// Addresses of a run. Most have few.
pub(super) type Addresses = SmallVec<[u64; 8]>;

/// A run that owns everything it needs.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) model: Arc<ModelCore>,
    pub(super) plan: Arc<Plan>,
    /// Operands that have to be brought.
    pub(super) stage: Option<Stage>,
    /// Where work touches the inputs, then the outputs.
    pub(super) places: Addresses,
    /// Where work touches the run's block.
    pub(super) block: u64,
    /// Results that go elsewhere when all is done.
    pub(super) moves: Vec<Move>,
    /// Inputs that were taken by value: they only have to be there.
    pub(super) _host: Option<Scratch>,
}

/// Bytes that are copied after a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) bytes: u64,
}

impl Run {
    /// Runs it, on this thread. A failure is a sentence.
    pub(super) fn perform(mut self) -> Result<(), String> {
        let staged = self.stage.take().map(Stage::bring).transpose();
        let staged = staged.map_err(sentence)?;
        let ran = self.perform_here();
        ran.map_err(|error| self.model.failure(&error))?;
        staged.map_or(Ok(()), OnStage::send).map_err(sentence)
    }

    /// Runs it where its operands are.
    fn perform_here(&self) -> Result<(), RunError> {
        let plan = &*self.plan;
        let (inputs, outputs) = self.places.split_at(plan.inputs.len());
        let memory = Planned::new(plan, self.block);
        let inputs = inputs.iter().zip(&plan.inputs).map(tensor);
        let outputs = outputs.iter().zip(&plan.outputs).map(tensor).map(Bound::To);
        self.model.compute(inputs, outputs, &memory, &mut |_| {})?;
        for copy in &self.moves {
            copy.perform();
        }
        if let Some(traced) = memory.went_astray() {
            self.model.correct(plan, &traced);
        }
        Ok(())
    }
}

impl Computation for Run {
    fn run(self: Box<Self>) -> Result<(), String> {
        self.perform()
    }
}

impl Move {
    pub(super) fn perform(self) {
        let (Some(from), Some(to)) = (pointer(self.from), pointer(self.to)) else {
            return;
        };
        let bytes = usize::try_from(self.bytes).unwrap_or(0);
        // SAFETY: both were checked to have that many bytes when the run was made, and one of them is memory of
        // the run alone.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_ptr(), bytes) };
    }
}

/// A tensor of planned dimensions at an address. One without elements needs no address.
pub(super) fn tensor<'a>((&place, planned): (&u64, &'a plan::Planned)) -> Tensor<'a> {
    Tensor {
        start: pointer(place).unwrap_or(NonNull::dangling()),
        bytes: usize::try_from(planned.bytes).unwrap_or(0),
        dims: &planned.dims,
    }
}

impl ModelCore {
    /// Has the engine run it.
    ///
    /// Device and pinned memory stay mapped as long as the runtime lives, freed blocks are not reused before the
    /// tasks that name them have passed, and mappings are kept. Outputs do not overlap inputs: whoever calls
    /// this has put such outputs elsewhere.
    pub(super) fn compute<'a>(
        &self,
        inputs: impl ExactSizeIterator<Item = Tensor<'a>>,
        outputs: impl ExactSizeIterator<Item = Bound<'a>>,
        memory: &dyn RunMemory,
        opened: &mut dyn FnMut(Open<'_>),
    ) -> Result<(), RunError> {
        // SAFETY: see above; every range was checked when the run was made.
        unsafe { self.session.run(inputs, outputs, memory, opened) }
    }
}
