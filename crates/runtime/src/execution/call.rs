//! One call: its arguments, checked and resolved.

use std::sync::Arc;

use millpond_engine::Scratch;
use millpond_trace::{Accesses, Bytes, Operation, Position, Space, Span, Spans};
use smallvec::SmallVec;

use super::argument::{Argument, Data, Destination, Output};
use super::model::ModelCore;
use super::model_memory::ModelMemory;
use super::native::Touch;
use super::plan::{ALIGNMENT, Plan, Planned, bytes_of};
use super::site::Site;
use super::staging::Stage;
use super::task::{Addresses, Move, Run};
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::memory::Operand;
use crate::shared::Shared;
use crate::stream::{Motion, Work};
use crate::virtual_memory::{Keep, User};

/// Ranges of a run. Most have few.
pub(super) type Operands = SmallVec<[Operand; 8]>;

/// What a call was given, resolved.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// Inputs in memory of the runtime, then outputs; how many of them are inputs, and those among them of
    /// which only the shape is used.
    pub(super) operands: Operands,
    reads: usize,
    unread: SmallVec<[usize; 2]>,
    /// Memory of the program that the run works in. What it takes from our pool is freed behind it anyway.
    scratch: SmallVec<[Operand; 1]>,
    /// Memory of the program for the model's weights.
    weights: Option<Operand>,
    /// Where work touches the inputs, then the outputs.
    pub(super) places: Addresses,
    inputs: usize,
    host: Option<Scratch>,
}

/// Ranges in the order of their addresses; those that touch each other come as one.
fn joined(mut ranges: Vec<Bytes>) -> Spans {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, before| {
        let until = before.start + before.bytes;
        let touches = next.start <= until;
        if touches {
            before.bytes = until.max(next.start + next.bytes) - before.start;
        }
        touches
    });
    ranges.into_iter().map(Span::from).collect()
}

/// Finds a range of an input or output, which is in memory of the runtime.
pub(super) fn resolve(shared: &Shared, address: u64, bytes: u64) -> Boxed<Operand> {
    let operand = shared.operand(address, bytes)?;
    if operand.space == Space::Foreign {
        return Err(Error::NotABlock {
            address,
            inside: None,
            space: Space::Foreign,
        }
        .into());
    }
    Ok(operand)
}

impl Call {
    /// Finds the inputs; `bytes` says how many each has.
    pub(super) fn new(
        model: &ModelCore,
        shared: &Shared,
        inputs: &[Argument<'_>],
        bytes: impl Fn(usize) -> u64,
    ) -> Boxed<Self> {
        let mut call = Self {
            inputs: inputs.len(),
            ..Self::default()
        };
        let mut by_value = 0;
        for (index, input) in inputs.iter().enumerate() {
            let needed = bytes(index);
            let (address, given) = match input.data {
                Data::At { address, bytes } => (address, bytes),
                Data::Host(data) => (0, data.len() as u64),
            };
            if given < needed {
                return Err(Error::InputTooSmall {
                    model: model.name.clone(),
                    input: index,
                    needed,
                    given,
                }
                .into());
            }
            let place = match input.data {
                Data::Host(_) => {
                    by_value += needed.next_multiple_of(ALIGNMENT);
                    0
                }
                Data::At { .. } if needed == 0 => 0,
                Data::At { .. } => {
                    if model.unread.contains(&index) {
                        call.unread.push(call.operands.len());
                    }
                    call.add(shared, address, needed)?
                }
            };
            call.places.push(place);
        }
        call.reads = call.operands.len();
        if by_value > 0 {
            call.take_by_value(inputs, by_value, bytes)?;
        }
        Ok(call)
    }

    /// A call that reads one range and does nothing else.
    pub(super) fn reading(shared: &Shared, address: u64, bytes: u64) -> Boxed<Self> {
        let mut call = Self {
            inputs: 1,
            reads: 1,
            ..Self::default()
        };
        let place = call.add(shared, address, bytes)?;
        call.places.push(place);
        Ok(call)
    }

    /// A call that uses these ranges, and one of the program's as scratch memory.
    pub(super) fn using(
        shared: &Shared,
        ranges: impl Iterator<Item = Bytes>,
        scratch: Option<Bytes>,
    ) -> Boxed<Self> {
        let mut call = Self::default();
        for range in ranges {
            let place = match range.bytes {
                0 => 0,
                bytes => call.add(shared, range.start, bytes)?,
            };
            call.places.push(place);
        }
        if let Some(range) = scratch {
            call.scratch
                .push(resolve(shared, range.start, range.bytes)?);
        }
        Ok(call)
    }

    /// Where work finds the scratch memory; 0 if there is none.
    pub(super) fn scratch(&self) -> u64 {
        self.scratch.first().map_or(0, |operand| operand.kernel)
    }

    /// Finds a range and returns where work touches it.
    fn add(&mut self, shared: &Shared, address: u64, bytes: u64) -> Boxed<u64> {
        let operand = resolve(shared, address, bytes)?;
        self.operands.push(operand);
        Ok(operand.kernel)
    }

    fn take_by_value(
        &mut self,
        inputs: &[Argument<'_>],
        all: u64,
        bytes: impl Fn(usize) -> u64,
    ) -> Boxed<()> {
        let bad = || Error::BadSize { requested: all };
        let scratch = usize::try_from(all).ok().and_then(Scratch::new);
        let scratch = scratch.ok_or_else(bad)?;
        let mut place = scratch.start().as_ptr().expose_provenance() as u64;
        for (index, input) in inputs.iter().enumerate() {
            if let Data::Host(data) = input.data {
                let copy = Move {
                    from: data.as_ptr().expose_provenance() as u64,
                    to: place,
                    bytes: bytes(index),
                };
                copy.perform();
                self.places[index] = place;
                place += copy.bytes.next_multiple_of(ALIGNMENT);
            }
        }
        self.host = Some(scratch);
        Ok(())
    }

    /// Finds an output of so many bytes, and returns where work touches it.
    pub(super) fn add_output(
        &mut self,
        shared: &Shared,
        at: Destination,
        bytes: u64,
    ) -> Boxed<u64> {
        match at {
            Destination::At { address, .. } if bytes > 0 => self.add(shared, address, bytes),
            Destination::At { .. } | Destination::New => Ok(0),
        }
    }

    /// The run works in these bytes of the program's.
    pub(super) fn add_scratch(&mut self, operand: Operand) {
        self.scratch.push(operand);
    }

    /// The run uses what the program gave the model.
    pub(super) fn add_given(&mut self, given: ModelMemory) {
        self.scratch.extend(given.work);
        self.weights = given.weights;
    }

    /// All that the run touches.
    fn touched(&self) -> impl Iterator<Item = &Operand> {
        self.operands
            .iter()
            .chain(&self.scratch)
            .chain(&self.weights)
    }

    /// The inputs of the run, as work finds them.
    pub(super) fn inputs(&self) -> &[u64] {
        &self.places[..self.inputs]
    }

    /// Inputs that were taken by value.
    pub(super) fn by_value(&self) -> Option<&Scratch> {
        self.host.as_ref()
    }

    /// Whether the operand with this number, an output, touches one that comes before it.
    pub(super) fn overlaps(&self, index: usize) -> bool {
        let one = &self.operands[index];
        let touches = |other: &Operand| {
            // Whether they are in live blocks is not known yet.
            let end = |side: &Operand| side.kernel.saturating_add(side.range.bytes);
            one.kernel < end(other) && other.kernel < end(one)
        };
        self.operands[..index].iter().any(touches)
    }

    /// The memory that the program gave for it.
    pub(super) fn touches(&self) -> Vec<Touch> {
        let touch = |operand: &Operand, writes: bool| Touch {
            address: operand.range.start,
            bytes: operand.range.bytes,
            reads: !writes,
            writes,
        };
        let operands = self.operands.iter().enumerate();
        let operands = operands.map(|(index, one)| touch(one, index >= self.reads));
        let weights = self.weights.iter().map(|one| touch(one, false));
        operands.chain(weights).collect()
    }

    /// What a run needs where this process has to ask for bytes.
    pub(super) fn stage(&self, site: &Site, shared: &Shared) -> Option<Stage> {
        if site.gpu().is_some() {
            return None;
        }
        let operands = self.operands.iter().enumerate();
        let operands = operands.map(|(index, one)| one.staged(index >= self.reads));
        let weights = self.weights.iter().map(|one| one.staged(false));
        Stage::of(shared, operands.chain(weights))
    }

    /// Checks that all that was given is in live blocks.
    pub(super) fn check(&self, shared: &Shared) -> Boxed<()> {
        let mut touched = self.touched();
        touched.try_for_each(|operand| shared.check_side(operand, None))
    }

    /// Keeps what is mapped where it is.
    pub(super) fn keep<'s>(&self, shared: &'s Shared) -> Boxed<Vec<Keep<'s>>> {
        let mapped = self.touched().filter(|operand| operand.mapped);
        mapped
            .map(|&to| shared.keep_mapped(&Motion::Fill { to, value: 0 }))
            .collect()
    }

    /// What it reads and writes, for records.
    pub(super) fn accesses(&self, model: &ModelCore) -> Accesses {
        let span = |operand: &Operand| operand.range.into();
        let (reads, writes) = self.operands.split_at(self.reads);
        let is_read = |index: &usize| !self.unread.contains(index);
        let scratch = joined(self.scratch.iter().map(|operand| operand.range).collect());
        Accesses {
            reads: (0..reads.len())
                .filter(is_read)
                .map(|index| span(&reads[index]))
                .chain(self.weights.iter().map(span))
                .collect(),
            scratch: scratch.len() as u64,
            writes: writes.iter().map(span).chain(scratch).collect(),
            ..model.accesses()
        }
    }

    /// Puts a task into the stream that uses what was given, and returns its position.
    pub(super) fn enqueue(&self, model: &ModelCore, stream: &Stream, work: Work) -> Boxed<u64> {
        self.enqueue_as(|| self.accesses(model), stream, work)
    }

    /// The same for a task that is not a run of a model.
    pub(super) fn enqueue_as(
        &self,
        accesses: impl Fn() -> Accesses,
        stream: &Stream,
        work: Work,
    ) -> Boxed<u64> {
        self.enqueue_native(accesses, stream, work, false)
    }

    /// The same for native work. A task that is `small` runs on this thread if the stream has nothing else to do.
    pub(super) fn enqueue_native(
        &self,
        accesses: impl Fn() -> Accesses,
        stream: &Stream,
        work: Work,
        small: bool,
    ) -> Boxed<u64> {
        let core = stream.core();
        let shared = &core.shared;
        let note = |task| {
            let user = Some((&core.progress, task));
            self.touched()
                .try_for_each(|operand| shared.check_side(operand, user))
        };
        let describe = |position: Position| Operation::Enqueued {
            position,
            accesses: accesses(),
            event: None,
            captured: None,
        };
        let kept = self.keep(shared)?;
        // As for copies: the blocks note the task before it is queued.
        let likely = core.progress.enqueued() + 1;
        note(likely)?;
        let position = if small {
            core.enqueue_small(|_| work, describe)?
        } else {
            core.enqueue(|_| work, describe)?
        };
        if position != likely {
            note(position)?;
        }
        for one in kept {
            one.hand_over(&User {
                stream: core.id,
                progress: Arc::clone(&core.progress),
                task: position,
            });
        }
        stream.called();
        Ok(position)
    }

    /// The run that this call becomes. Results that `moves` takes elsewhere are in the block at first. A run on a GPU may have to
    /// compute here after all.
    pub(super) fn make_run(
        &mut self,
        shared: &Shared,
        (model, site): (&Arc<ModelCore>, &Site),
        plan: Arc<Plan>,
        block: u64,
        moves: Vec<Move>,
    ) -> Run {
        Run {
            model: Arc::clone(model),
            site: site.clone(),
            plan,
            stage: self.stage(&Site::Host, shared),
            places: std::mem::take(&mut self.places),
            block,
            moves,
            host: self.host.take(),
        }
    }
}

/// Who checks shapes: here, for every caller, inputs against the model and outputs against what comes out, so that the engine is
/// never given what it cannot take. `capi/acl/mdl/run.rs` checks what only the C interface knows, before: datasets and their
/// descriptions, gears, buffers; its messages name the program's arguments.
impl ModelCore {
    /// Checks how many inputs and outputs there are, and the types of the inputs.
    pub(super) fn check_counts(&self, inputs: &[Argument<'_>], outputs: usize) -> Boxed<()> {
        if inputs.len() != self.inputs.len() || outputs != self.outputs.len() {
            return Err(self.bad(format!(
                "it has {} inputs and {} outputs, but {} and {} were given",
                self.inputs.len(),
                self.outputs.len(),
                inputs.len(),
                outputs
            )));
        }
        for (index, (input, slot)) in inputs.iter().zip(&self.inputs).enumerate() {
            if input.element != slot.element {
                return Err(self.bad(format!(
                    "input {index} ({}) is {}, but {} was given",
                    slot.name,
                    slot.element.name(),
                    input.element.name()
                )));
            }
        }
        Ok(())
    }

    /// Checks the dimensions of the inputs, and returns what is planned for each.
    pub(super) fn check_dims(&self, inputs: &[Argument<'_>]) -> Boxed<Box<[Planned]>> {
        let planned = inputs.iter().zip(&self.inputs).enumerate();
        planned
            .map(|(index, (input, slot))| {
                let fits = slot.dims.as_ref().is_none_or(|dims| {
                    dims.len() == input.dims.len()
                        && dims
                            .iter()
                            .zip(input.dims)
                            .all(|(&is, &given)| is < 0 || is == given)
                });
                let planned = Planned::new(input.element, input.dims).filter(|_| fits);
                planned.ok_or_else(|| {
                    let expected = slot.dims.as_deref().unwrap_or_default();
                    self.bad(format!(
                        "input {index} ({}) has dimensions {expected:?}, but {:?} were given",
                        slot.name, input.dims
                    ))
                })
            })
            .collect()
    }

    /// Checks one output against its dimensions, as they turned out, and returns its bytes.
    pub(super) fn check_output(
        &self,
        index: usize,
        output: &Output<'_>,
        dims: &[i64],
    ) -> Boxed<u64> {
        if let Some(expected) = output.dims
            && expected != dims
        {
            let text = format!("output {index} has dimensions {dims:?}, not {expected:?}");
            return Err(self.bad(text));
        }
        let needed = bytes_of(self.outputs[index].element, dims);
        let needed = needed.ok_or_else(|| self.bad(format!("output {index} is too large")))?;
        match output.destination {
            Destination::At { room, .. } if room < needed => Err(Error::OutputTooSmall {
                model: self.name.clone(),
                output: index,
                needed,
                room,
            }
            .into()),
            Destination::At { room, .. } if output.whole && room > needed => {
                let described = output.likely.or(output.dims).unwrap_or_default();
                Err(self.bad(format!(
                    "output {index} ({}) is described as {described:?}, but the result has {dims:?}",
                    self.outputs[index].name
                )))
            }
            Destination::At { .. } | Destination::New => Ok(needed),
        }
    }

    #[cold]
    pub(super) fn bad(&self, reason: String) -> Box<Error> {
        Box::new(Error::BadArgument {
            model: self.name.clone(),
            reason,
        })
    }
}
