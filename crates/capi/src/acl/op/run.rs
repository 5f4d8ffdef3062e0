//! One operator, run in the order of a stream.

use std::sync::Arc;

use millpond::{Argument, Data, Error, Output, Place, Shapes, Stream};
use millpond_operators::{Attributes, Request, Tensor};

use super::compiled::{self, Operator};
use super::tensors::{Described, Given};
use crate::boundary::{Cause, Fault};

/// An operator with its tensors, all checked.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) kind: &'a str,
    pub(crate) input_descs: &'a [Described],
    pub(crate) inputs: &'a [Given],
    pub(crate) output_descs: &'a [Described],
    pub(crate) outputs: &'a [Given],
    pub(crate) attributes: &'a Attributes,
    /// Whether outputs have to be as large as described: not where the program is told their shapes.
    pub(crate) whole: bool,
}

impl Call<'_> {
    /// The operator, made now if it is not ready.
    pub(crate) fn operator(&self) -> Result<Arc<Operator>, Fault> {
        self.request(|request| {
            compiled::operator(request).map_err(|fault| with_request(fault, request))
        })
    }

    /// What the table of operators is asked for.
    fn request<T>(&self, then: impl FnOnce(&Request<'_>) -> T) -> T {
        let inputs: Vec<Option<Tensor<'_>>> = self
            .input_descs
            .iter()
            .zip(self.inputs)
            .map(|(desc, given)| desc.tensor(Some(given)))
            .collect();
        let outputs: Vec<Tensor<'_>> = self
            .output_descs
            .iter()
            .filter_map(|desc| desc.tensor(None))
            .collect();
        then(&Request {
            kind: self.kind,
            inputs: &inputs,
            outputs: &outputs,
            attributes: self.attributes,
        })
    }

    /// Runs the operator and answers the shapes of its outputs, in the order of the operator's model.
    pub(crate) fn run(&self, operator: &Operator, stream: &Stream) -> Result<Shapes, Fault> {
        let inputs: Vec<Argument<'_>> = operator
            .inputs
            .iter()
            .filter_map(|index| argument(self.input_descs.get(*index)?, self.inputs.get(*index)?))
            .collect();
        let outputs: Vec<Output<'_>> = operator
            .outputs
            .iter()
            .filter_map(|index| {
                let (desc, given) = (self.output_descs.get(*index)?, self.outputs.get(*index)?);
                output(desc, given, self.whole)
            })
            .collect();
        let ran = operator.model.run_on(stream, &inputs, &outputs);
        ran.map_err(|error| self.request(|request| with_request(error.into(), request)))
    }
}

/// Says what the operator was given where the engine's own words do not tell.
#[cold]
fn with_request(fault: Fault, request: &Request<'_>) -> Fault {
    let Cause::Runtime(error) = fault.cause() else {
        return fault;
    };
    match **error {
        Error::ModelRefused { .. }
        | Error::ComputationFailed(_)
        | Error::BadArgument { .. }
        | Error::OutputTooSmall { .. } => {
            let text = error.to_string();
            let text = text.trim_end_matches('.');
            Fault::coded(fault.code(), format!("{text}. It has {request}"))
        }
        _ => fault,
    }
}

/// An input as the runtime takes it: contents that are known by value, others where they lie.
fn argument<'a>(desc: &'a Described, given: &'a Given) -> Option<Argument<'a>> {
    let element = desc.element?;
    let known = desc.constant.as_deref().or(given.host.as_deref());
    let data = match known {
        Some(bytes) => Data::Host(bytes),
        None if given.extent.address == 0 => Data::Host(&[]),
        None => Data::At {
            address: given.extent.address,
            bytes: desc.bytes()? as u64,
        },
    };
    Some(Argument {
        data,
        element,
        dims: &desc.dims,
    })
}

/// An output as the runtime takes it. It may never be larger than the description says. Smaller it may be where
/// contents decide, as such operators are given the most that there can be; elsewhere what is
/// behind a result that is too short would be taken for a part of it.
fn output<'a>(desc: &'a Described, given: &'a Given, whole: bool) -> Option<Output<'a>> {
    Some(Output {
        place: Place::At {
            address: given.extent.address,
            room: desc.bytes()? as u64,
        },
        dims: None,
        likely: Some(&desc.dims),
        whole,
    })
}
