//! The task of a planned run.
#![expect(
    unsafe_code,
    reason = "runs a graph on addresses that were checked when the run was made"
)]

use std::sync::Arc;

use millpond_device::AddressRange;
use millpond_engine::{Bound, Open, RunError, RunMemory, Scratch, Tensor};
use smallvec::SmallVec;

use super::memory::{Planned, pointer};
use super::model::ModelCore;
use super::plan::Plan;
use super::site::{KEEPS, Site};
use super::staging::{OnStage, Stage, sentence};
use crate::stream::Computation;

/// Addresses of a run. Most have few.
pub(super) type Addresses = SmallVec<[u64; 8]>;

/// A run that owns everything it needs.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) model: Arc<ModelCore>,
    pub(super) site: Site,
    pub(super) plan: Arc<Plan>,
    /// Operands that have to be brought, if it does not compute on a GPU.
    pub(super) stage: Option<Stage>,
    /// Where work touches the inputs, then the outputs.
    pub(super) places: Addresses,
    /// Where work touches the run's block.
    pub(super) block: u64,
    /// Results that go elsewhere when all is done.
    pub(super) moves: Vec<Move>,
    /// Inputs that were taken by value.
    pub(super) host: Option<Scratch>,
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
        if self.site.keeps() {
            // Another run showed it after this one was queued.
            self.site = Site::Host;
        }
        let stage = self.stage.take().filter(|_| self.site.gpu().is_none());
        let staged = stage.map(Stage::bring).transpose();
        let staged = staged.map_err(sentence)?;
        let ran = match self.site.access() {
            None => self.perform_here(),
            Some(access) => {
                // No user code runs in a planned run.
                let _writing = access.writing();
                self.perform_here()
            }
        };
        ran.map_err(|error| self.model.failure(&error))?;
        staged.map_or(Ok(()), OnStage::send).map_err(sentence)
    }

    /// Runs it where its operands are.
    fn perform_here(&self) -> Result<(), RunError> {
        let plan = &*self.plan;
        let block = match (self.site.access(), plan.bytes) {
            (Some(access), 1..) => {
                let range = AddressRange::new(self.block, plan.bytes);
                access.address_of(range).ok_or_else(|| elsewhere(range))?
            }
            _ => self.block,
        };
        let memory = Planned::new(&self.site, plan, block);
        let tensors = self.tensors()?;
        let (inputs, outputs) = tensors.split_at(plan.inputs.len());
        let (inputs, outputs) = (inputs.iter().copied(), outputs.iter().copied());
        let outputs = outputs.map(Bound::To);
        let ran = self
            .model
            .compute(&self.site, inputs, outputs, &memory, &mut |_| {});
        if self.site.gpu().is_some() {
            self.site.over(memory.left());
        }
        ran?;
        for copy in &self.moves {
            copy.perform_at(&self.site).map_err(RunError::Failed)?;
        }
        if let Some(traced) = memory.went_astray() {
            self.model.correct(&self.site, plan, &traced);
        }
        Ok(())
    }

    /// The inputs, then the outputs, at the addresses that the engine uses.
    fn tensors(&self) -> Result<SmallVec<[Tensor<'_>; 8]>, RunError> {
        let planned = self.plan.inputs.iter().chain(&self.plan.outputs);
        let all = self.places.iter().zip(planned);
        all.map(|pair| {
            let tensor = self.site.tensor(pair, self.host.as_ref());
            tensor.ok_or_else(|| elsewhere(AddressRange::new(*pair.0, pair.1.bytes)))
        })
        .collect()
    }
}

/// The error for memory that was the GPU's when the run was queued, but no longer is.
#[cold]
pub(super) fn elsewhere(range: AddressRange) -> RunError {
    RunError::Failed(format!(
        "the {} bytes at {:#x} are no longer memory of the GPU that runs the model",
        range.bytes, range.start
    ))
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

    /// The same for a result that the engine left at an address of its own, where the run computed.
    pub(super) fn land(self, site: &Site) -> Result<(), String> {
        let Some(access) = site.access() else {
            self.perform();
            return Ok(());
        };
        let range = AddressRange::new(self.to, self.bytes);
        let to = access.address_of(range);
        let to = to.ok_or_else(|| elsewhere(range).to_string())?;
        // SAFETY: the destination was checked, and the result is memory of the run alone.
        unsafe { access.copy(to, self.from, self.bytes) }.map_err(sentence)
    }

    /// The same where a run computed.
    fn perform_at(self, site: &Site) -> Result<(), String> {
        let Some(access) = site.access() else {
            self.perform();
            return Ok(());
        };
        let find = |place| {
            let range = AddressRange::new(place, self.bytes);
            access.address_of(range).ok_or_else(|| elsewhere(range))
        };
        let found = find(self.from).and_then(|from| Ok((from, find(self.to)?)));
        let (from, to) = found.map_err(|error| error.to_string())?;
        // SAFETY: as above.
        unsafe { access.copy(to, from, self.bytes) }.map_err(sentence)
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
        site: &Site,
        inputs: impl ExactSizeIterator<Item = Tensor<'a>>,
        outputs: impl ExactSizeIterator<Item = Bound<'a>>,
        memory: &dyn RunMemory,
        opened: &mut dyn FnMut(Open<'_>),
    ) -> Result<(), RunError> {
        let Some((gpu, session)) = site.gpu().and_then(|gpu| Some((gpu, gpu.session()?))) else {
            // SAFETY: see above; every range was checked when the run was made.
            return unsafe { self.session.run(inputs, outputs, memory, opened) };
        };
        if site.keeps() {
            return Err(RunError::Failed(KEEPS.to_owned()));
        }
        let lost = |error| RunError::Failed(sentence(error));
        let ran = gpu.access.enter(|| {
            // SAFETY: as above, and the addresses are the GPU's.
            unsafe { session.run(inputs, outputs, memory, opened) }
        });
        let ran = ran.map_err(lost)?;
        if ran.is_err() {
            // The engine does not wait for the kernels that it started before the failure.
            gpu.access.synchronize().map_err(lost)?;
        }
        ran
    }
}
