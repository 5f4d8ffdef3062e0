//! Trials: runs on private scratch memory, to learn what a model does with inputs of some shapes.
//!
//! This is the only place that uses synthetic contents. A trial learns a plan if the contents of inputs do not determine
//! shapes, or only the shapes of outputs ([`Model::shapes_of`]). Every element without known contents is 1: with zeros,
//! some engines fail at a division. If ones are invalid, because they are indices into something with a
//! single element, every element is 0, unless a division is not guarded.

use std::ptr::NonNull;
use std::sync::Arc;

use millpond_engine::{Bound, Open, Place, Tensor};
use millpond_model::Element;

use super::argument::{Argument, Data, Shapes};
use super::memory::Trial;
use super::model::{Model, ModelCore};
use super::plan::{Plan, Planned, Traced, contents_of};
use super::site::Site;
use crate::error::{Boxed, Error};

/// An input of a trial.
#[derive(Debug, Clone, Copy)]
pub struct TrialInput<'a> {
    /// Its elements, if they are known.
    pub contents: Option<&'a [u8]>,
    /// Their type.
    pub element: Element,
    /// Its dimensions; none for a single number.
    pub dims: &'a [i64],
}

/// What came out, and what the engine did for it.
type Outcome = (Box<[Planned]>, Vec<Traced>);

impl Model {
    /// The dimensions of the outputs for these inputs. Unknown contents are synthetic, and no memory of the program
    /// is used.
    pub fn shapes_of(&self, inputs: &[TrialInput<'_>]) -> Result<Shapes, Box<Error>> {
        let core = &self.core;
        let arguments: Vec<Argument<'_>> = inputs.iter().map(TrialInput::argument).collect();
        core.check_counts(&arguments, core.outputs.len())?;
        // Shapes do not depend on where the model computes.
        let site = &Site::Host;
        if let Some(plan) = core.plan_for(site, &arguments) {
            return Ok(plan.shapes.clone());
        }
        let planned = core.check_dims(&arguments)?;
        let contents = contents_of(&arguments, &core.deciding).filter(|_| !core.by_contents);
        let (outputs, traced) = core.try_out(site, &arguments, &planned)?;
        let shapes = outputs.iter().map(|output| output.dims.clone()).collect();
        if let Some(contents) = contents {
            let plan = Plan::new(contents, planned, outputs, &traced, site.alignment());
            core.plans.remember(&Arc::new(plan));
        }
        Ok(shapes)
    }
}

impl<'a> TrialInput<'a> {
    fn argument(&self) -> Argument<'a> {
        Argument {
            data: match self.contents {
                Some(contents) => Data::Host(contents),
                // It is not read.
                None => Data::At {
                    address: 0,
                    bytes: 0,
                },
            },
            element: self.element,
            dims: self.dims,
        }
    }
}

impl ModelCore {
    /// A plan for inputs of these dimensions; `None` if the engine cannot run on made-up contents, or
    /// there is no memory for them.
    pub(super) fn plan_by_trial(
        &self,
        site: &Site,
        inputs: &[Argument<'_>],
        planned: Box<[Planned]>,
        contents: Vec<u8>,
    ) -> Option<Plan> {
        let (outputs, traced) = self.try_out(site, inputs, &planned).ok()?;
        let alignment = site.alignment();
        Some(Plan::new(contents, planned, outputs, &traced, alignment))
    }

    /// Runs on made-up contents, where the program gave none by value. If neither ones nor zeros fit, the ones say why.
    fn try_out(&self, site: &Site, inputs: &[Argument<'_>], planned: &[Planned]) -> Boxed<Outcome> {
        let tried = self.watch(site, inputs, planned, Element::one);
        tried.or_else(|error| {
            if self.divides {
                return Err(error);
            }
            let zeros = self.watch(site, inputs, planned, |_| &[0]);
            zeros.map_err(|_| error)
        })
    }

    /// Watches a run on elements that are made up.
    fn watch(
        &self,
        site: &Site,
        inputs: &[Argument<'_>],
        planned: &[Planned],
        pattern: impl Fn(Element) -> &'static [u8],
    ) -> Boxed<Outcome> {
        let mut made_up = Vec::new();
        let mut tensors = Vec::new();
        for (index, (input, planned)) in inputs.iter().zip(planned).enumerate() {
            let too_large = || self.not_tried(index, planned.bytes);
            let bytes = usize::try_from(planned.bytes).map_err(|_| too_large())?;
            let (place, start) = match input.data {
                Data::Host(data) => {
                    let data = data.get(..bytes).ok_or_else(|| {
                        Box::new(Error::InputTooSmall {
                            model: self.name.clone(),
                            input: index,
                            needed: planned.bytes,
                            given: data.len() as u64,
                        })
                    })?;
                    (Place::Host, NonNull::from(data).cast())
                }
                Data::At { .. } => {
                    let scratch = site.filled(bytes, pattern(input.element));
                    let scratch = scratch.ok_or_else(too_large)?;
                    let start = scratch.start();
                    made_up.push(scratch);
                    (site.place(), start)
                }
            };
            tensors.push(Tensor {
                place,
                start,
                bytes,
                dims: &planned.dims,
            });
        }
        let memory = Trial::new(site);
        let mut outputs = Vec::new();
        let mut held = Vec::new();
        let mut show = |open: Open<'_>| {
            held.push(open.start.addr());
            outputs.push(Planned::new(self.outputs[open.index].element, open.dims));
        };
        let open = self.outputs.iter().map(|_| Bound::Open);
        let ran = self.compute(site, tensors.into_iter(), open, &memory, &mut show);
        site.over(memory.left());
        ran.map_err(|error| Box::new(Error::ComputationFailed(self.failure(&error))))?;
        let outputs: Option<Box<[Planned]>> = outputs.into_iter().collect();
        let outputs = outputs.ok_or_else(|| self.bad("an output is too large".to_owned()))?;
        Ok((outputs, memory.traced(&held)))
    }

    #[cold]
    fn not_tried(&self, input: usize, bytes: u64) -> Box<Error> {
        Box::new(Error::NoTrialMemory {
            model: self.name.clone(),
            input,
            bytes,
        })
    }
}
