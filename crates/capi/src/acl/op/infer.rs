//! `aclopInferShape`: what shapes an operator's outputs will have.
//!
//! The operator is run on copies of its inputs, and what it gives is thrown away: so the answer is exact
//! also where contents decide. An input without contents is taken as zeros where only its shape matters.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use millpond::raw::RawCopy;
use millpond::{Argument, Data, Direction, Output, Place};
use millpond_abi as abi;
use millpond_operators::{Attributes, Request, Tensor};

use super::attributes;
use super::compiled::{self, Operator, Unready};
use super::tensors::{self, Described, Given};
use crate::acl::mdl::description::MadeUp;
use crate::boundary::{self, Fault, entry, text};
use crate::{current, process};

/// Where the contents of an input are, for a run that happens now.
enum Contents {
    /// In memory of the runtime.
    There,
    Copied(Vec<u8>),
    /// Nowhere: they are made up.
    Unknown,
}

impl Contents {
    /// # Safety
    /// A buffer that is not the runtime's memory points to as many bytes as it says.
    unsafe fn of(desc: &Described, given: &Given, index: usize) -> Result<Self, Fault> {
        if let Some(constant) = &desc.constant {
            return Ok(Self::Copied(constant.clone()));
        }
        let bytes = desc.bytes().unwrap_or(0);
        if given.extent.address == 0 {
            return Ok(Self::Unknown);
        }
        if given.extent.bytes < bytes {
            return Err(Fault::coded(
                abi::ACL_ERROR_INVALID_PARAM,
                format!(
                    "the buffer of 'inputDesc[{index}]' has {} bytes, but its description has {bytes}",
                    given.extent.bytes
                ),
            ));
        }
        if is_ours(given.extent.address)? {
            return Ok(Self::There);
        }
        let start = usize::try_from(given.extent.address).unwrap_or(0);
        let start = std::ptr::with_exposed_provenance::<u8>(start);
        // SAFETY: the caller's promise.
        Ok(Self::Copied(unsafe {
            boundary::array(start, bytes, "inputs")
        }?))
    }

    fn known(&self) -> Option<&[u8]> {
        match self {
            Self::Copied(bytes) => Some(bytes),
            Self::There | Self::Unknown => None,
        }
    }
}

/// Writes the shapes that an operator's outputs will have into their descriptions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopInferShape(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *mut *mut abi::aclTensorDesc,
    inputs: *mut *mut abi::aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *mut *mut abi::aclTensorDesc,
    attr: *mut abi::aclopAttr,
) -> abi::aclError {
    entry("aclopInferShape", || {
        // SAFETY: the header's contract for this argument.
        let kind = unsafe { text(opType, "opType") }?;
        let input_count = tensors::count(numInputs, "numInputs")?;
        let output_count = tensors::count(numOutputs, "numOutputs")?;
        // SAFETY: the header's contract for these arguments.
        let descs = unsafe { tensors::described(inputDesc.cast(), input_count, "inputDesc") }?;
        // SAFETY: as above.
        let results = unsafe { tensors::described(outputDesc.cast(), output_count, "outputDesc") }?;
        // SAFETY: as above.
        let given = unsafe { tensors::given(inputs.cast(), input_count, "inputs") }?;
        tensors::need_shapes(&descs, "inputDesc")?;
        let attributes = attributes::of(attr, "attr")?;
        let contents = descs.iter().zip(&given).enumerate();
        // SAFETY: the header's contract for the buffers.
        let contents =
            contents.map(|(index, (desc, given))| unsafe { Contents::of(desc, given, index) });
        let mut contents = contents.collect::<Result<Vec<_>, Fault>>()?;
        let operator = loop {
            let unready = match ready(&kind, &descs, &results, &contents, &attributes) {
                Ok(operator) => break operator,
                Err(unready) => unready,
            };
            let Unready::Needs { input, refused } = unready else {
                return Err(unready.into());
            };
            let bytes = descs.get(input).and_then(Described::bytes);
            match (contents.get_mut(input), given.get(input), bytes) {
                (Some(unread @ Contents::There), Some(given), Some(bytes)) => {
                    *unread = Contents::Copied(read(given.extent.address, bytes)?);
                }
                _ => return Err(refused),
            }
        };
        let shapes = MadeUp::either(&operator.model, |made_up| {
            trial(&operator, &descs, &given, &contents, made_up)
        })?;
        let indices = operator.outputs.iter().copied();
        let shapes = indices.zip(shapes.iter().map(Vec::as_slice));
        // SAFETY: as above.
        unsafe { tensors::tell_shapes(outputDesc.cast(), output_count, shapes) }
    })
}
const _: abi::aclopInferShapeFn = aclopInferShape;

/// The operator for these tensors.
fn ready(
    kind: &str,
    descs: &[Described],
    results: &[Described],
    contents: &[Contents],
    attributes: &Attributes,
) -> Result<Arc<Operator>, Unready> {
    let inputs: Vec<Option<Tensor<'_>>> = descs
        .iter()
        .zip(contents)
        .map(|(desc, contents)| {
            let tensor = desc.tensor(None)?;
            let constant = tensor.constant.or(contents.known());
            Some(Tensor { constant, ..tensor })
        })
        .collect();
    let outputs: Vec<Tensor<'_>> = results.iter().filter_map(|it| it.tensor(None)).collect();
    let request = Request {
        kind,
        inputs: &inputs,
        outputs: &outputs,
        attributes,
    };
    let operator = compiled::operator(&request)?;
    need_contents(&request, contents)?;
    Ok(operator)
}

/// Bytes of the runtime's memory as they are now: no stream is waited for, as there is none in the call.
fn read(address: u64, bytes: usize) -> Result<Vec<u8>, Fault> {
    let mut value = vec![0_u8; bytes];
    let copy = RawCopy {
        to: value.as_mut_ptr().expose_provenance() as u64,
        room: bytes as u64,
        from: address,
        bytes: bytes as u64,
        direction: Direction::FromAddresses,
    };
    // SAFETY: the destination has so many bytes and lives until the call is over.
    current::with(|entry| Ok(unsafe { entry.context.device().copy_at(&copy) }?))?;
    Ok(value)
}

/// Refuses an input without contents where contents decide a shape.
fn need_contents(request: &Request<'_>, contents: &[Contents]) -> Result<(), Fault> {
    let unknown = |index: &usize| matches!(contents.get(*index), Some(Contents::Unknown));
    if !(0..contents.len()).any(|index| unknown(&index)) {
        return Ok(());
    }
    let built =
        millpond_operators::build(request).map_err(|refusal| compiled::refused(&refusal))?;
    let Ok(read) = millpond_model::onnx::read(&built.model) else {
        return Ok(());
    };
    let deciding = read
        .shape_inputs
        .iter()
        .filter_map(|input| built.inputs.get(*input));
    match deciding.copied().find(unknown) {
        Some(index) => Err(Fault::coded(
            abi::ACL_ERROR_INVALID_PARAM,
            format!(
                "the buffer 'inputs[{index}]' is NULL, but its contents decide the shape of an output"
            ),
        )),
        None => Ok(()),
    }
}

/// Runs an operator on its inputs, frees what it gives and answers the shapes.
fn trial(
    operator: &Operator,
    descs: &[Described],
    given: &[Given],
    contents: &[Contents],
    made_up: MadeUp,
) -> Result<Vec<Vec<i64>>, Fault> {
    let unknown = descs.iter().zip(contents).map(|(desc, contents)| {
        match (contents, desc.element, desc.bytes()) {
            (Contents::Unknown, Some(element), Some(bytes)) => made_up.contents(element, bytes),
            _ => Ok(Vec::new()),
        }
    });
    let unknown = unknown.collect::<Result<Vec<_>, Fault>>()?;
    let arguments: Vec<Argument<'_>> = operator
        .inputs
        .iter()
        .filter_map(|index| {
            let desc = descs.get(*index)?;
            let data = match contents.get(*index)? {
                Contents::There => Data::At {
                    address: given.get(*index)?.extent.address,
                    bytes: desc.bytes()? as u64,
                },
                Contents::Copied(bytes) => Data::Host(bytes),
                Contents::Unknown => Data::Host(unknown.get(*index)?),
            };
            Some(Argument {
                data,
                element: desc.element?,
                dims: &desc.dims,
            })
        })
        .collect();
    let open = Output {
        place: Place::New,
        dims: None,
        likely: None,
        whole: false,
    };
    let outputs = vec![open; operator.outputs.len()];
    let device = current::with(|entry| Ok(entry.context.device().clone()))?;
    let produced = operator.model.run(&device, &arguments, &outputs)?;
    for block in produced.blocks.iter().flatten() {
        process::runtime()?.free_at(block.address)?;
    }
    Ok(produced.shapes.iter().map(|dims| dims.to_vec()).collect())
}

/// Whether an address is in memory of the runtime.
fn is_ours(address: u64) -> Result<bool, Fault> {
    let runtime = process::runtime()?;
    Ok(runtime.is_reserved(address) || runtime.find_block(address).is_ok())
}
