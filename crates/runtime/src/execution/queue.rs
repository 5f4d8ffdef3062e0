//! A run with a plan: one block, one task, and the block freed after it in stream order.

use std::sync::Arc;

use super::argument::{Argument, Destination, Output, Produced, Shapes};
use super::call::Call;
use super::model::ModelCore;
use super::model_memory::ModelMemory;
use super::plan::{Plan, contents_of};
use super::site::Site;
use super::source::BlockSource;
use super::task::Move;
use crate::api::device::Device;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::memory::{BlockInfo, Request};
use crate::shared::Shared;
use crate::stream::Work;

/// A call whose outputs are found, and what its block must have room for.
struct Ready {
    call: Call,
    /// Results that overlap something: `from` counts from the beginning of the block.
    moves: Vec<Move>,
    /// The numbers of these outputs.
    moved: Vec<usize>,
    bytes: u64,
}

impl Ready {
    /// The block has come: results that wait in it find their place.
    fn settle(&mut self, inputs: usize, block: u64) {
        for (copy, output) in self.moves.iter_mut().zip(&self.moved) {
            copy.from += block;
            self.call.places[inputs + output] = copy.from;
        }
    }
}

impl ModelCore {
    fn ready(
        &self,
        site: &Site,
        shared: &Shared,
        plan: &Plan,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Boxed<Ready> {
        let mut ready = Ready {
            call: Call::new(self, shared, inputs, |index| plan.inputs[index].bytes)?,
            moves: Vec::new(),
            moved: Vec::new(),
            bytes: plan.bytes,
        };
        let call = &mut ready.call;
        for (index, (output, planned)) in outputs.iter().zip(&plan.outputs).enumerate() {
            let bytes = planned.bytes;
            let other_dims = output.dims.is_some_and(|dims| dims != &*planned.dims);
            let other_room =
                matches!(output.destination, Destination::At { room, .. } if room != bytes);
            if other_dims || other_room {
                self.check_output(index, output, &planned.dims)?;
            }
            let place = call.add_output(shared, output.destination, bytes)?;
            call.places.push(place);
            if place != 0 && call.overlaps(call.operands.len() - 1) {
                ready.moved.push(index);
                ready.moves.push(Move {
                    from: ready.bytes,
                    to: place,
                    bytes,
                });
                ready.bytes += bytes.next_multiple_of(site.alignment());
            }
        }
        Ok(ready)
    }

    /// Queues a run.
    pub(super) fn queue(
        self: &Arc<Self>,
        site: &Site,
        stream: &Stream,
        plan: Arc<Plan>,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Boxed<Shapes> {
        let core = stream.core();
        let shared = &*core.shared;
        let shapes = plan.shapes.clone();
        let mut ready = self.ready(site, shared, &plan, inputs, outputs)?;
        ready.call.add_given(self.given(shared)?);
        if ready.bytes == 0 {
            self.record_no_place(shared, core.id);
            let run = ready
                .call
                .make_run(shared, (self, site), plan, 0, Vec::new());
            let work = Work::Compute(Box::new(run));
            ready.call.enqueue(self, stream, work)?;
            return Ok(shapes);
        }
        // Nobody is asked for memory for a run that cannot be.
        if core.is_closed() {
            return Err(Error::StreamGone.into());
        }
        ready.call.check(shared)?;
        let source = BlockSource::of(core, self.workspace)?;
        self.record_place(shared, site, &source, ready.bytes);
        let block = source.alloc(shared, site, ready.bytes)?;
        ready.settle(inputs.len(), block.operand.kernel);
        if source.is_registered() {
            ready.call.add_scratch(block.operand);
        }
        let moves = std::mem::take(&mut ready.moves);
        let run = ready
            .call
            .make_run(shared, (self, site), plan, block.operand.kernel, moves);
        let work = Work::Compute(Box::new(run));
        let queued = ready.call.enqueue(self, stream, work);
        // The program may reuse its own memory as soon as it has it back, and cannot be made to wait.
        let waited = if queued.is_ok() && block.is_foreign() {
            stream.drain().inspect(|()| stream.record_drain())
        } else {
            Ok(())
        };
        source.free(block);
        queued?;
        waited.map(|()| shapes)
    }

    /// Queues a run for which there is no plan, or runs it.
    pub(super) fn first_run(
        self: &Arc<Self>,
        site: &Site,
        stream: &Stream,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Boxed<Shapes> {
        let planned = self.check_dims(inputs)?;
        let contents = contents_of(inputs, &self.deciding).filter(|_| !self.by_contents);
        // Then the call waits for the stream, by its contract and not by chance.
        let decided = contents.is_none();
        let core = stream.core();
        let settled = core.is_settled();
        if !settled {
            // Nothing is tried or waited for with inputs that are not there: a trial makes up as many bytes as they have.
            let call = Call::new(self, &core.shared, inputs, |index| planned[index].bytes)?;
            call.check(&core.shared)?;
        }
        let plan = contents
            .filter(|_| !settled)
            .and_then(|contents| self.plan_by_trial(site, inputs, planned, contents));
        if site.keeps() {
            // The trial showed it, and its memory is gone.
            return self.first_run(&Site::Host, stream, inputs, outputs);
        }
        if let Some(plan) = plan {
            let plan = Arc::new(plan);
            self.plans_at(site).remember(&plan);
            return self.queue(site, stream, plan, inputs, outputs);
        }
        self.run_in_call(site, stream, inputs, outputs, decided)
    }

    /// Runs it on this thread, with a plan.
    pub(super) fn run_planned(
        self: &Arc<Self>,
        site: &Site,
        device: &Device,
        plan: Arc<Plan>,
        memory: ModelMemory,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Boxed<Produced> {
        let shared = &*device.shared;
        let shapes = plan.shapes.clone();
        let mut blocks = NewBlocks::new(device, outputs.len());
        let given = blocks.place(outputs, &plan)?;
        let mut ready = self.ready(site, shared, &plan, inputs, &given)?;
        ready.call.add_given(memory);
        ready.call.check(shared)?;
        let _kept = ready.call.keep(shared)?;
        let source = BlockSource::Device(device);
        self.record_place(shared, site, &source, ready.bytes);
        let block = match ready.bytes {
            0 => None,
            bytes => Some(source.alloc(shared, site, bytes)?),
        };
        let start = block.map_or(0, |block| block.operand.kernel);
        ready.settle(inputs.len(), start);
        let moves = std::mem::take(&mut ready.moves);
        let run = ready
            .call
            .make_run(shared, (self, site), plan, start, moves);
        shared.record_work_began(Some(device.index()), None);
        let ran = run.perform();
        if let Some(block) = block {
            source.free(block);
        }
        let failure = ran.err();
        self.record_run(device, &ready.call, failure.as_deref());
        match failure {
            Some(text) => Err(Error::ComputationFailed(text).into()),
            None => Ok(Produced {
                shapes,
                blocks: blocks.keep(),
            }),
        }
    }
}

/// Blocks for outputs, which go again unless they are kept.
struct NewBlocks<'a> {
    device: &'a Device,
    blocks: Vec<Option<BlockInfo>>,
}

impl<'a> NewBlocks<'a> {
    fn new(device: &'a Device, outputs: usize) -> Self {
        Self {
            device,
            blocks: vec![None; outputs],
        }
    }

    /// The outputs, with places for those that had none.
    fn place<'o>(&mut self, outputs: &[Output<'o>], plan: &Plan) -> Boxed<Vec<Output<'o>>> {
        let mut placed = outputs.to_vec();
        for (index, output) in placed.iter_mut().enumerate() {
            let Some(planned) = plan.outputs.get(index).filter(|one| one.bytes > 0) else {
                continue;
            };
            if output.destination == Destination::New {
                let block = self.device.alloc_raw(Request::of(planned.bytes))?;
                self.blocks[index] = Some(block);
                output.destination = Destination::At {
                    address: block.address,
                    room: planned.bytes,
                };
            }
        }
        Ok(placed)
    }

    fn keep(mut self) -> Vec<Option<BlockInfo>> {
        std::mem::take(&mut self.blocks)
    }
}

impl Drop for NewBlocks<'_> {
    fn drop(&mut self) {
        for block in self.blocks.iter().flatten() {
            let store = &self.device.core.store;
            drop(store.free(block.address, Some(block.serial)));
        }
    }
}
