//! One operator, run in the order of a stream.

use std::sync::Arc;

use millpond::{Argument, Data, Destination, Error, Output, Shapes, Stream};
use millpond_operators::{Attributes, Request, Tensor};

use super::compiled::{self, NotCompiled, Operator};
use super::tensors::{Described, OperandBuffer};
use crate::acl::overflow;
use crate::boundary::{CallError, Cause};

/// An operator with its tensors, all checked.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) kind: &'a str,
    pub(crate) input_descs: &'a [Described],
    pub(crate) inputs: &'a mut [OperandBuffer],
    pub(crate) output_descs: &'a [Described],
    pub(crate) outputs: &'a [OperandBuffer],
    pub(crate) attributes: &'a Attributes,
    /// Whether outputs must be as large as described: not where the call returns their shapes.
    pub(crate) whole: bool,
}

impl Call<'_> {
    /// The operator, made now if it is not ready; `None` if that needs contents of an input.
    pub(crate) fn ready(&self) -> Result<Option<Arc<Operator>>, CallError> {
        match self.request(compiled::operator) {
            Ok(operator) => Ok(Some(operator)),
            Err(NotCompiled::Needs { .. }) => Ok(None),
            Err(NotCompiled::Refused(error)) => {
                Err(self.request(|request| with_request(error, request)))
            }
        }
    }

    /// The operator, made now if it is not ready. Contents that decide what is computed are read in the order of the
    /// stream if they are in device memory: the call then waits for the stream.
    pub(crate) fn operator(&mut self, stream: &Stream) -> Result<Arc<Operator>, CallError> {
        loop {
            let unready = match self.request(compiled::operator) {
                Ok(operator) => return Ok(operator),
                Err(unready) => unready,
            };
            let NotCompiled::Needs { input, refused } = unready else {
                return Err(self.request(|request| with_request(unready.into(), request)));
            };
            let value = self.value(input, stream)?.ok_or(refused)?;
            if let Some(given) = self.inputs.get_mut(input) {
                given.host = Some(value);
            }
        }
    }

    /// The contents of an input, read now; `None` if it has none or they are known already.
    #[cold]
    fn value(&self, input: usize, stream: &Stream) -> Result<Option<Vec<u8>>, CallError> {
        let (Some(desc), Some(given)) = (self.input_descs.get(input), self.inputs.get(input))
        else {
            return Ok(None);
        };
        if desc.constant.is_some() || given.host.is_some() {
            return Ok(None);
        }
        match desc.bytes() {
            Some(0) => Ok(Some(Vec::new())),
            Some(bytes) if given.extent.address != 0 => {
                let bytes = bytes as u64;
                let value = stream.read_value(given.extent.address, bytes, self.kind)?;
                Ok(Some(value))
            }
            _ => Ok(None),
        }
    }

    /// What the table of operators is asked for.
    fn request<T>(&self, then: impl FnOnce(&Request<'_>) -> T) -> T {
        let inputs: Vec<Option<Tensor<'_>>> = self
            .input_descs
            .iter()
            .zip(&*self.inputs)
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

    /// Runs the operator and returns the shapes of its outputs, in the order of the operator's model.
    pub(crate) fn run(&self, operator: &Operator, stream: &Stream) -> Result<Shapes, CallError> {
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
        let shapes =
            ran.map_err(|error| self.request(|request| with_request(error.into(), request)))?;
        let results = operator.outputs.iter().zip(shapes.iter());
        let results = results.filter_map(|(index, dims)| {
            let (desc, given) = (self.output_descs.get(*index)?, self.outputs.get(*index)?);
            Some((desc.element?, &**dims, given.extent.address))
        });
        overflow::watch_results(stream, results)?;
        Ok(shapes)
    }
}

/// Adds the operands to an error of the engine that does not name them.
#[cold]
fn with_request(error: CallError, request: &Request<'_>) -> CallError {
    let Cause::Runtime(cause) = error.cause() else {
        return error;
    };
    match **cause {
        Error::ModelRefused { .. }
        | Error::ComputationFailed(_)
        | Error::BadArgument { .. }
        | Error::OutputTooSmall { .. } => {
            let text = cause.to_string();
            let text = text.trim_end_matches('.');
            CallError::coded(error.code(), format!("{text}. It has {request}"))
        }
        _ => error,
    }
}

/// An input for the runtime: by value if its contents are known, else by address.
fn argument<'a>(desc: &'a Described, given: &'a OperandBuffer) -> Option<Argument<'a>> {
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
fn output<'a>(desc: &'a Described, given: &'a OperandBuffer, whole: bool) -> Option<Output<'a>> {
    Some(Output {
        destination: Destination::At {
            address: given.extent.address,
            room: desc.bytes()? as u64,
        },
        dims: None,
        likely: Some(&desc.dims),
        whole,
    })
}
