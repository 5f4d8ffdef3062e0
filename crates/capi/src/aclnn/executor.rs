//! `aclOpExecutor`: one run of an operator, put together by the first of its two functions.
//!
//! It is a request to the table of operators with the memory of its tensors, as `aclopCompileAndExecute` makes
//! one. Inputs whose elements do not lie one behind the other are laid out so in the workspace first, each by an
//! operator of its own in front of the run.

use std::ffi::c_void;

use millpond::{Element, Stream};
use millpond_abi as abi;
use millpond_operators::{Attributes, Request};

use super::tensor::{self, Tensor};
use crate::acl::data_buffer::Extent;
use crate::acl::mdl::description::bytes_of;
use crate::acl::op::compiled;
use crate::acl::op::run::Call;
use crate::acl::op::tensors::{self, Described, Given};
use crate::boundary::{Fault, bad_value};
use crate::current;
use crate::handles::{mint, pointer, withdraw};
use crate::registry::{Kind, Registry};

static EXECUTORS: Registry<Executor> = Registry::new(Kind::Executor);

/// Where pieces of a workspace begin.
const ALIGNMENT: u64 = 512;

/// One run of an operator.
#[derive(Debug)]
pub(super) struct Executor {
    /// Which operator.
    kind: &'static str,
    inputs: Vec<Described>,
    places: Vec<Place>,
    outputs: Vec<Described>,
    results: Vec<Given>,
    attributes: Attributes,
    gathers: Vec<Gather>,
    /// How many bytes the run needs.
    workspace: u64,
}

/// Where an input is.
#[derive(Debug, Clone, Copy)]
enum Place {
    At(Extent),
    /// So far into the workspace, with so many bytes.
    Workspace(u64, usize),
}

/// A view that is laid out anew, in the workspace.
#[derive(Debug)]
struct Gather {
    view: Tensor,
    into: Place,
}

/// A tensor in an argument, and what the argument is called.
pub(super) type Argument = (*const abi::aclTensor, &'static str);

fn at(extent: Extent) -> Given {
    Given { extent, host: None }
}

/// An input that is left out.
fn absent() -> Described {
    Described {
        element: None,
        dims: Vec::new(),
        ranges: Vec::new(),
        format: abi::ACL_FORMAT_UNDEFINED,
        constant: None,
        on_host: false,
    }
}

fn described(element: Element, dims: Vec<i64>, format: abi::aclFormat) -> Described {
    Described {
        element: Some(element),
        dims,
        format,
        ..absent()
    }
}

/// Integers that are known before the run.
fn known(values: &[i64]) -> Described {
    let dims = vec![values.len().cast_signed() as i64];
    Described {
        constant: Some(
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        ),
        ..described(Element::I64, dims, abi::ACL_FORMAT_ND)
    }
}

const NOWHERE: Extent = Extent {
    address: 0,
    bytes: 0,
};

/// Where a piece of a workspace begins and ends, behind those that take `used` bytes.
fn piece(used: u64, bytes: usize) -> Option<(u64, u64)> {
    let begin = used.checked_next_multiple_of(ALIGNMENT)?;
    Some((begin, begin.checked_add(bytes as u64)?))
}

fn too_large(tensor: &Tensor, argument: &str) -> Fault {
    let text = format!(
        "no memory holds '{argument}' with the shape {:?}",
        tensor.dims
    );
    Fault::coded(abi::ACL_ERROR_INVALID_PARAM, text)
}

impl Executor {
    pub(super) fn new(kind: &'static str, attributes: Attributes) -> Self {
        Self {
            kind,
            inputs: Vec::new(),
            places: Vec::new(),
            outputs: Vec::new(),
            results: Vec::new(),
            attributes,
            gathers: Vec::new(),
            workspace: 0,
        }
    }

    /// Adds an input that has to be there.
    pub(super) fn input(&mut self, (handle, name): Argument) -> Result<(), Fault> {
        let tensor = tensor::find(handle, name)?;
        let Some(bytes) = bytes_of(&tensor.dims, tensor.element) else {
            return Err(too_large(&tensor, name));
        };
        let place = if tensor.is_whole() {
            let address = if bytes == 0 { 0 } else { tensor.address };
            Place::At(Extent { address, bytes })
        } else {
            let piece = piece(self.workspace, bytes);
            let (begin, end) = piece.ok_or_else(|| too_large(&tensor, name))?;
            self.workspace = end;
            let into = Place::Workspace(begin, bytes);
            self.gathers.push(Gather {
                view: tensor.clone(),
                into,
            });
            into
        };
        self.places.push(place);
        let desc = described(tensor.element, tensor.dims.clone(), tensor.format);
        self.inputs.push(desc);
        Ok(())
    }

    /// Adds an input that may be left out.
    pub(super) fn optional(&mut self, argument: Argument) -> Result<(), Fault> {
        if !argument.0.is_null() {
            return self.input(argument);
        }
        self.inputs.push(absent());
        self.places.push(Place::At(NOWHERE));
        Ok(())
    }

    /// Adds an output.
    pub(super) fn output(&mut self, (handle, name): Argument) -> Result<(), Fault> {
        let tensor = tensor::find(handle, name)?;
        if !tensor.is_whole() {
            let steps = format!("a view with steps {:?}", tensor.strides);
            return bad_value(
                name,
                steps,
                "results are written one element behind the other: pass a tensor of its own",
            );
        }
        let Some(bytes) = bytes_of(&tensor.dims, tensor.element) else {
            return Err(too_large(&tensor, name));
        };
        let address = if bytes == 0 { 0 } else { tensor.address };
        self.results.push(at(Extent { address, bytes }));
        let desc = described(tensor.element, tensor.dims.clone(), tensor.format);
        self.outputs.push(desc);
        Ok(())
    }

    /// Adds an output that nobody wants; one without elements stands for it.
    pub(super) fn optional_output(&mut self, argument: Argument) -> Result<(), Fault> {
        if !argument.0.is_null() {
            return self.output(argument);
        }
        self.results.push(at(NOWHERE));
        let nothing = described(Element::F32, vec![0], abi::ACL_FORMAT_ND);
        self.outputs.push(nothing);
        Ok(())
    }

    /// Makes the operator ready, so that what cannot be run is refused here, and hands the run to C: how many
    /// bytes it needs, and its handle.
    pub(super) fn hand_over(self) -> Result<(u64, *mut abi::aclOpExecutor), Fault> {
        let inputs: Vec<_> = self.inputs.iter().map(|desc| desc.tensor(None)).collect();
        let outputs: Vec<_> = self
            .outputs
            .iter()
            .filter_map(|desc| desc.tensor(None))
            .collect();
        if !tensors::nothing_to_do(&self.outputs) {
            compiled::operator(&Request {
                kind: self.kind,
                inputs: &inputs,
                outputs: &outputs,
                attributes: &self.attributes,
            })?;
        }
        drop((inputs, outputs));
        let workspace = self.workspace;
        Ok((
            workspace,
            pointer(mint(&EXECUTORS, Kind::Executor, self)?).cast(),
        ))
    }

    fn run(&self, workspace: u64, stream: &Stream) -> Result<(), Fault> {
        let given = |place: Place| match place {
            Place::At(extent) => at(extent),
            Place::Workspace(begin, bytes) => at(Extent {
                address: workspace + begin,
                bytes,
            }),
        };
        for gather in &self.gathers {
            let view = &gather.view;
            let bytes = bytes_of(&[view.reach], view.element).unwrap_or(0);
            let address = view.address;
            let storage = described(view.element, vec![view.reach], abi::ACL_FORMAT_ND);
            let shape = described(view.element, view.dims.clone(), abi::ACL_FORMAT_ND);
            one(
                "AsStrided",
                &[
                    storage,
                    known(&view.dims),
                    known(&view.strides),
                    known(&[0]),
                ],
                &mut [
                    at(Extent { address, bytes }),
                    at(NOWHERE),
                    at(NOWHERE),
                    at(NOWHERE),
                ],
                &[shape],
                &[given(gather.into)],
                &Attributes::new(),
                stream,
            )?;
        }
        let mut inputs: Vec<Given> = self.places.iter().map(|place| given(*place)).collect();
        one(
            self.kind,
            &self.inputs,
            &mut inputs,
            &self.outputs,
            &self.results,
            &self.attributes,
            stream,
        )
    }
}

/// Runs one operator of the table.
fn one(
    kind: &str,
    input_descs: &[Described],
    inputs: &mut [Given],
    output_descs: &[Described],
    outputs: &[Given],
    attributes: &Attributes,
    stream: &Stream,
) -> Result<(), Fault> {
    let mut call = Call {
        kind,
        input_descs,
        inputs,
        output_descs,
        outputs,
        attributes,
        whole: true,
    };
    let operator = call.operator(stream)?;
    call.run(&operator, stream).map(drop)
}

/// The second of an operator's two functions: queues the run, which uses the executor up.
pub(super) fn execute(
    kind: &'static str,
    workspace: *mut c_void,
    size: u64,
    executor: *mut abi::aclOpExecutor,
    stream: abi::aclrtStream,
) -> Result<(), Fault> {
    let executor = withdraw(&EXECUTORS, Kind::Executor, executor.cast(), "executor")?;
    if executor.kind != kind {
        return bad_value(
            "executor",
            format!("one for {}", executor.kind),
            "each operator has its own",
        );
    }
    if tensors::nothing_to_do(&executor.outputs) {
        return Ok(());
    }
    if executor.workspace > 0 && workspace.is_null() {
        return Err(Fault::null("workspace"));
    }
    if executor.workspace > size {
        let needed = format!(
            "{size}, less than the {} that were asked for",
            executor.workspace
        );
        return bad_value("workspaceSize", needed, "the run needs all of them");
    }
    let workspace = workspace.addr() as u64;
    if workspace.checked_add(executor.workspace).is_none() {
        return bad_value(
            "workspace",
            format!("{workspace:#x}"),
            "there is no memory behind it",
        );
    }
    current::on_stream(stream, "stream", |stream| executor.run(workspace, stream))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_lie_one_behind_the_other_and_end_where_numbers_do() {
        assert_eq!(piece(0, 5), Some((0, 5)));
        assert_eq!(piece(5, 5), Some((512, 517)));
        assert_eq!(piece(u64::MAX - 5, 5), None);
        assert_eq!(piece(1024, usize::MAX), None);
    }
}
