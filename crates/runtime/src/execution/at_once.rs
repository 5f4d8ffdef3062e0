//! A run inside the call, on the calling thread, with memory that is allocated tensor by tensor.
//!
//! A graph runs like this if its shapes are new and the stream is idle, if its shapes depend on contents, or if
//! the program waits for the run anyway. The run is observed, and becomes a plan.

use millpond_device::AddressRange;
use millpond_engine::{Bound, Open, RunError, Tensor};
use smallvec::SmallVec;

use super::argument::{Argument, Destination, Output, Shapes};
use super::call::{Call, resolve};
use super::model::ModelCore;
use super::piecewise::Piecewise;
use super::plan::{Plan, Planned, contents_of};
use super::site::Site;
use super::source::BlockSource;
use super::staging::Stage;
use super::task::{Move, elsewhere};
use crate::api::device::Device;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::memory::{BlockInfo, Operand, Request};
use crate::shared::Shared;
use crate::stream::{Computation, Motion, Work};

/// What came of a run.
pub(super) struct Ran {
    /// What it used.
    pub(super) call: Call,
    /// The dimensions of the outputs, as far as they are known.
    pub(super) shapes: Option<Shapes>,
    /// What was allocated for outputs.
    pub(super) blocks: Vec<Option<BlockInfo>>,
    /// Why the engine failed.
    pub(super) failure: Option<String>,
}

/// Outputs on their way from the engine's memory to where they belong.
struct Landing<'a> {
    site: &'a Site,
    model: &'a ModelCore,
    shared: &'a Shared,
    /// Where blocks for outputs come from.
    device: Option<&'a Device>,
    outputs: &'a [Output<'a>],
    open: Vec<bool>,
    /// Where the engine had them.
    held: Vec<usize>,
    planned: Vec<Planned>,
    operands: Vec<Operand>,
    blocks: Vec<Option<BlockInfo>>,
    problem: Option<Box<Error>>,
}

impl Landing<'_> {
    fn land(&mut self, open: &Open<'_>) -> Boxed<()> {
        let Open { index, start, dims } = *open;
        let element = self.model.outputs[index].element;
        let planned = Planned::new(element, dims);
        self.planned.extend(planned);
        if !self.open[index] {
            return Ok(());
        }
        self.held.push(start.addr());
        let output = &self.outputs[index];
        let bytes = self.model.check_output(index, output, dims)?;
        if bytes == 0 {
            return Ok(());
        }
        let address = match (output.destination, self.device) {
            (Destination::At { address, .. }, _) => address,
            (Destination::New, Some(device)) => {
                let block = device.alloc_raw(Request::of(bytes))?;
                self.blocks[index] = Some(block);
                block.address
            }
            (Destination::New, None) => return Ok(()),
        };
        let to = resolve(self.shared, address, bytes)?;
        self.shared.check_side(&to, None)?;
        let _kept = self.shared.keep(&Motion::Fill { to, value: 0 })?;
        self.operands.push(to);
        let copy = Move {
            from: start.expose_provenance() as u64,
            to: to.kernel,
            bytes,
        };
        copy.land(self.site)
            .map_err(|text| Error::ComputationFailed(text).into())
    }
}

/// A call with its outputs, as far as they are known before the run.
struct Prepared {
    call: Call,
    inputs: Box<[Planned]>,
    /// What is known of each output.
    known: Vec<Option<Planned>>,
    /// Where the engine writes each output itself; `None` where it gives it and we copy.
    places: Vec<Option<u64>>,
}

impl Landing<'_> {
    /// Gives the blocks back that were allocated for outputs.
    fn free_blocks(&mut self) {
        let Some(device) = self.device else { return };
        for block in self.blocks.iter_mut().filter_map(Option::take) {
            drop(device.core.store.free(block.address, Some(block.serial)));
        }
    }
}

impl ModelCore {
    /// Runs it now, on this thread.
    pub(super) fn run_now(
        &self,
        site: &Site,
        shared: &Shared,
        memory: &Piecewise<'_>,
        device: Option<&Device>,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Boxed<Ran> {
        let mut prepared = self.prepare(shared, inputs, outputs)?;
        let mut landing = Landing {
            site,
            model: self,
            shared,
            device,
            outputs,
            open: prepared.places.iter().map(Option::is_none).collect(),
            held: Vec::new(),
            planned: Vec::new(),
            operands: Vec::new(),
            blocks: vec![None; outputs.len()],
            problem: None,
        };
        let staged = prepared.call.stage(site, shared);
        let staged = staged.map(Stage::bring).transpose();
        let staged = staged.map_err(Error::Device)?;
        let ran = self.run_prepared(site, shared, memory, &prepared, &mut landing);
        memory.end();
        let ran = ran?;
        site.over(memory.left());
        let operands = std::mem::take(&mut landing.operands);
        if let Some(mut staged) = staged {
            staged.add(&operands);
            staged.send().map_err(Error::Device)?;
        }
        prepared.call.operands.extend(operands);
        let failure = match ran {
            Ok(()) => None,
            Err(RunError::NoMemory { bytes }) => {
                let bytes = bytes as u64;
                let refused = || Box::new(Error::AllocatorRefused { bytes });
                return Err(memory.refusal().unwrap_or_else(refused));
            }
            Err(error @ RunError::Failed(_)) => Some(self.failure(&error)),
        };
        if let Some(problem) = landing.problem.take() {
            landing.free_blocks();
            return Err(problem);
        }
        let blocks = std::mem::take(&mut landing.blocks);
        let shapes = if failure.is_some() {
            let known: Option<Vec<Planned>> = prepared.known.into_iter().collect();
            known.map(|known| known.into_iter().map(|one| one.dims).collect())
        } else {
            let (inputs_planned, known) = (prepared.inputs, prepared.known);
            Some(self.learn(site, inputs, inputs_planned, known, landing, memory))
        };
        Ok(Ran {
            call: prepared.call,
            shapes,
            blocks,
            failure,
        })
    }

    /// Checks and finds what was given. An output that is known and overlaps nothing is written where it belongs.
    fn prepare(
        &self,
        shared: &Shared,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Boxed<Prepared> {
        let planned = self.check_dims(inputs)?;
        let mut call = Call::new(self, shared, inputs, |index| planned[index].bytes)?;
        let known = self.known_outputs(outputs)?;
        let mut places = Vec::new();
        for (output, known) in outputs.iter().zip(&known) {
            let place = match (known, output.destination) {
                (Some(known), Destination::At { .. }) => {
                    let place = call.add_output(shared, output.destination, known.bytes)?;
                    // What is empty overlaps nothing.
                    let clear = known.bytes == 0 || !call.overlaps(call.operands.len() - 1);
                    clear.then_some(place)
                }
                _ => None,
            };
            places.push(place);
        }
        call.check(shared)?;
        Ok(Prepared {
            call,
            inputs: planned,
            known,
            places,
        })
    }

    /// Runs the engine. What is mapped stays where it is meanwhile.
    fn run_prepared<'p>(
        &self,
        site: &Site,
        shared: &Shared,
        memory: &Piecewise<'_>,
        prepared: &'p Prepared,
        landing: &mut Landing<'_>,
    ) -> Boxed<Result<(), RunError>> {
        let _kept = prepared.call.keep(shared)?;
        let find = |pair: (&u64, &'p Planned)| {
            let tensor = site.tensor(pair, prepared.call.by_value());
            tensor.ok_or_else(|| elsewhere(AddressRange::new(*pair.0, pair.1.bytes)))
        };
        let given = prepared.call.inputs().iter().zip(&prepared.inputs);
        let bound = prepared.places.iter().zip(&prepared.known);
        let bound = bound.map(|pair| match pair {
            (Some(place), Some(known)) => find((place, known)).map(Bound::To),
            _ => Ok(Bound::Open),
        });
        let given: Result<SmallVec<[Tensor<'_>; 8]>, _> = given.map(find).collect();
        let bound: Result<SmallVec<[Bound<'_>; 8]>, _> = bound.collect();
        let (given, bound) = match (given, bound) {
            (Ok(given), Ok(bound)) => (given.into_iter(), bound.into_iter()),
            (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
        };
        memory.begin();
        Ok(self.compute(site, given, bound, memory, &mut |open| {
            if landing.problem.is_none() {
                landing.problem = landing.land(&open).err();
            }
        }))
    }

    /// Makes a plan of a run that came to its end, and remembers it unless contents decide; returns the shapes of the outputs.
    fn learn(
        &self,
        site: &Site,
        inputs: &[Argument<'_>],
        planned: Box<[Planned]>,
        known: Vec<Option<Planned>>,
        landing: Landing<'_>,
        memory: &Piecewise<'_>,
    ) -> Shapes {
        let traced = memory.traced(&landing.held);
        let known: Option<Vec<Planned>> = known.into_iter().collect();
        let made = if landing.held.is_empty() {
            known.unwrap_or(landing.planned)
        } else {
            landing.planned
        };
        let contents = contents_of(inputs, &self.deciding);
        let remembers = contents.is_some() && !self.by_contents;
        let contents = contents.unwrap_or_default();
        let plan = Plan::new(contents, planned, made.into(), &traced, site.alignment());
        let shapes = plan.shapes.clone();
        if remembers {
            self.plans_at(site).remember(&plan.into());
        }
        shapes
    }

    /// What is known of the outputs before the run: what the program says, else what the model says.
    fn known_outputs(&self, outputs: &[Output<'_>]) -> Boxed<Vec<Option<Planned>>> {
        let slots = outputs.iter().zip(&self.outputs).enumerate();
        slots
            .map(|(index, (output, slot))| {
                let fixed = slot.dims.as_deref();
                let fixed = fixed.filter(|dims| dims.iter().all(|&dim| dim >= 0));
                let Some(dims) = output.dims.or(fixed) else {
                    return Ok(None);
                };
                self.check_output(index, output, dims)?;
                Ok(Planned::new(slot.element, dims))
            })
            .collect()
    }

    /// The outputs with the dimensions that the program supposes, where there is room for them.
    fn supposed<'o>(&self, outputs: &[Output<'o>]) -> Vec<Output<'o>> {
        let mut supposed = outputs.to_vec();
        for (index, output) in supposed.iter_mut().enumerate() {
            let likely = output.likely.filter(|_| !self.by_contents);
            let fits = |dims: &&[i64]| self.check_output(index, &outputs[index], dims).is_ok();
            output.dims = output.dims.or(likely.filter(fits));
        }
        supposed
    }

    /// Runs it inside the call, after what the stream has, and leaves its place in the stream. `decided`: contents
    /// decide shapes, so it has to.
    pub(super) fn run_in_call(
        &self,
        site: &Site,
        stream: &Stream,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
        decided: bool,
    ) -> Boxed<Shapes> {
        let core = stream.core();
        if core.is_closed() {
            return Err(Error::StreamGone.into());
        }
        if !core.is_settled() {
            stream.drain()?;
        }
        if decided {
            stream.record_drain();
        }
        if let Some(stopped) = core.stop_reason() {
            return Err(stopped.into());
        }
        let given = self.given(&core.shared)?;
        let source = BlockSource::of(core, self.workspace.in_pieces())?;
        // How much comes out is then not the program's to know.
        let mut outputs = outputs.to_vec();
        for output in &mut outputs {
            output.whole &= !decided;
        }
        let supposed = self.supposed(&outputs);
        // It gives back what it got when the run has its place in the stream: as in a queued run, what the
        // allocator puts into the stream then, such as an event, is behind the run.
        let memory = Piecewise::new(site, &source, &core.shared);
        core.shared
            .record_work_began(Some(core.device.index), Some(core.id));
        let mut ran = self.run_now(site, &core.shared, &memory, None, inputs, &supposed)?;
        if ran.failure.is_some() && supposed != outputs {
            if site.keeps() {
                drop(memory);
                return self.run_in_call(&Site::Host, stream, inputs, &outputs, decided);
            }
            // The engine takes no output of other dimensions than it was given, and inputs are as before.
            ran = self.run_now(site, &core.shared, &memory, None, inputs, &outputs)?;
        }
        self.record_place(&core.shared, site, &source, memory.asked());
        ran.call.add_given(given);
        for operand in memory.held() {
            ran.call.add_scratch(operand);
        }
        match (ran.failure, ran.shapes) {
            (None, Some(shapes)) => {
                let before = core.progress.enqueued();
                let settled = core.is_settled();
                let position = ran.call.enqueue(self, stream, Work::Nothing)?;
                if settled && position == before + 1 {
                    core.settle_at(position);
                }
                Ok(shapes)
            }
            // Reported where failures of queued runs are: at the next synchronisation.
            (Some(text), Some(shapes)) => {
                let work = Work::Compute(Box::new(Failed(text)));
                ran.call.enqueue(self, stream, work)?;
                Ok(shapes)
            }
            (failure, None) => Err(Error::ComputationFailed(failure.unwrap_or_default()).into()),
        }
    }
}

/// A run that has failed already.
#[derive(Debug)]
struct Failed(String);

impl Computation for Failed {
    fn run(self: Box<Self>) -> Result<(), String> {
        Err(self.0)
    }
}
