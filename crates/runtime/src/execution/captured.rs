//! A run that is captured: its arguments, kept for every replay.

use std::sync::Arc;

use millpond_model::Element;

use super::argument::{Argument, Data, Destination, Output, Shapes};
use super::call::Call;
use super::model::Model;
use super::plan::{Plan, contents_of};
use super::site::Site;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::graph::GraphError;

struct KeptInput {
    data: KeptData,
    element: Element,
    dims: Vec<i64>,
}

enum KeptData {
    At { address: u64, bytes: u64 },
    Host(Vec<u8>),
}

struct KeptOutput {
    destination: Destination,
    dims: Option<Vec<i64>>,
    likely: Option<Vec<i64>>,
    whole: bool,
}

impl KeptInput {
    fn of(input: &Argument<'_>) -> Self {
        Self {
            data: match input.data {
                Data::At { address, bytes } => KeptData::At { address, bytes },
                Data::Host(data) => KeptData::Host(data.to_vec()),
            },
            element: input.element,
            dims: input.dims.to_vec(),
        }
    }

    fn again(&self) -> Argument<'_> {
        Argument {
            data: match &self.data {
                KeptData::At { address, bytes } => Data::At {
                    address: *address,
                    bytes: *bytes,
                },
                KeptData::Host(data) => Data::Host(data),
            },
            element: self.element,
            dims: &self.dims,
        }
    }
}

impl KeptOutput {
    fn of(output: &Output<'_>) -> Self {
        Self {
            destination: output.destination,
            dims: output.dims.map(<[i64]>::to_vec),
            likely: output.likely.map(<[i64]>::to_vec),
            whole: output.whole,
        }
    }

    fn again(&self) -> Output<'_> {
        Output {
            destination: self.destination,
            dims: self.dims.as_deref(),
            likely: self.likely.as_deref(),
            whole: self.whole,
        }
    }
}

impl Model {
    /// The plan for these inputs, found by a trial if there is none yet.
    fn plan_of(&self, site: &Site, inputs: &[Argument<'_>]) -> Boxed<Arc<Plan>> {
        let core = &self.core;
        if let Some(plan) = core.plan_for(site, inputs) {
            return Ok(plan);
        }
        let planned = core.check_dims(inputs)?;
        let contents = contents_of(inputs, &core.deciding).filter(|_| !core.by_contents);
        let made =
            contents.and_then(|contents| core.plan_by_trial(site, inputs, planned, contents));
        let plan = Arc::new(made.ok_or(GraphError::NotCapturable {
            what: "this run",
            reason: "the dimensions of its outputs are known only after it has run",
        })?);
        core.plans_at(site).remember(&plan);
        Ok(plan)
    }

    /// Captures a run. Nothing runs now but a trial, if the shapes are new: the outputs' dimensions come from a plan.
    pub(super) fn capture(
        &self,
        stream: &Stream,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Result<Shapes, Box<Error>> {
        let core = &self.core;
        let shared = stream.shared();
        let captured = || -> Boxed<Shapes> {
            let site = core.site(shared, &stream.core().device, inputs, outputs);
            let plan = self.plan_of(&site, inputs)?;
            let mut call = Call::new(core, shared, inputs, |index| plan.inputs[index].bytes)?;
            for (index, (output, planned)) in outputs.iter().zip(&plan.outputs).enumerate() {
                core.check_output(index, output, &planned.dims)?;
                call.add_output(shared, output.destination, planned.bytes)?;
            }
            call.check(shared)?;
            let inputs: Vec<KeptInput> = inputs.iter().map(KeptInput::of).collect();
            let outputs: Vec<KeptOutput> = outputs.iter().map(KeptOutput::of).collect();
            let model = self.clone();
            let touches = call.touches();
            stream.call_using(
                "a model",
                &touches,
                |_| Ok(()),
                move |stream| {
                    let inputs: Vec<Argument<'_>> = inputs.iter().map(KeptInput::again).collect();
                    let outputs: Vec<Output<'_>> = outputs.iter().map(KeptOutput::again).collect();
                    model.run_on(stream, &inputs, &outputs).map(drop)
                },
            )?;
            Ok(plan.shapes.clone())
        };
        captured().map_err(|error| {
            let accesses = |error: &Error| core.refused_deed(inputs, outputs, error);
            stream.refused(accesses, error)
        })
    }
}
