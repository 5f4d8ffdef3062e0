//! `aclopInferShape`: what shapes an operator's outputs will have.
//!
//! The operator is tried on copies of its inputs, and its results are dropped: so the shapes are exact
//! also where contents decide. Contents that are not given are made up where only the shape matters.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use millpond::raw::RawCopy;
use millpond::{Direction, Shapes, TrialInput};
use millpond_abi as abi;
use millpond_operators::{Attributes, Request, Tensor};

use super::attributes;
use super::compiled::{self, NotCompiled, Operator};
use super::tensors::{self, Described, OperandBuffer};
use crate::boundary::{self, CallError, entry, text};
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
    unsafe fn of(desc: &Described, given: &OperandBuffer, index: usize) -> Result<Self, CallError> {
        if let Some(constant) = &desc.constant {
            return Ok(Self::Copied(constant.clone()));
        }
        let bytes = desc.bytes().unwrap_or(0);
        if given.extent.address == 0 {
            return Ok(Self::Unknown);
        }
        if given.extent.bytes < bytes {
            return Err(CallError::coded(
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
        let mut contents = contents.collect::<Result<Vec<_>, CallError>>()?;
        let operator = loop {
            let unready = match ready(&kind, &descs, &results, &contents, &attributes) {
                Ok(operator) => break operator,
                Err(unready) => unready,
            };
            let NotCompiled::Needs { input, refused } = unready else {
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
        let shapes = trial(&operator, &descs, &given, &contents)?;
        let indices = operator.outputs.iter().copied();
        let shapes = indices.zip(shapes.iter().map(|dims| &**dims));
        // SAFETY: as above.
        unsafe { tensors::write_shapes(outputDesc.cast(), output_count, shapes) }
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
) -> Result<Arc<Operator>, NotCompiled> {
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
fn read(address: u64, bytes: usize) -> Result<Vec<u8>, CallError> {
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
fn need_contents(request: &Request<'_>, contents: &[Contents]) -> Result<(), CallError> {
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
        Some(index) => Err(CallError::coded(
            abi::ACL_ERROR_INVALID_PARAM,
            format!(
                "the buffer 'inputs[{index}]' is NULL, but the shape of an output depends on its contents"
            ),
        )),
        None => Ok(()),
    }
}

/// The shapes that an operator gives for its inputs.
fn trial(
    operator: &Operator,
    descs: &[Described],
    given: &[OperandBuffer],
    contents: &[Contents],
) -> Result<Shapes, CallError> {
    // Contents in memory of the runtime are read as they are now.
    let there = descs.iter().zip(given).zip(contents);
    let there = there.map(|((desc, given), contents)| match (contents, desc.bytes()) {
        (Contents::There, Some(bytes)) => read(given.extent.address, bytes),
        _ => Ok(Vec::new()),
    });
    let there = there.collect::<Result<Vec<_>, CallError>>()?;
    let inputs: Vec<TrialInput<'_>> = operator
        .inputs
        .iter()
        .filter_map(|index| {
            let desc = descs.get(*index)?;
            Some(TrialInput {
                contents: match contents.get(*index)? {
                    Contents::There => Some(there.get(*index)?),
                    Contents::Copied(bytes) => Some(bytes),
                    Contents::Unknown => None,
                },
                element: desc.element?,
                dims: &desc.dims,
            })
        })
        .collect();
    Ok(operator.model.shapes_of(&inputs)?)
}

/// Whether an address is in memory of the runtime.
fn is_ours(address: u64) -> Result<bool, CallError> {
    let runtime = process::runtime()?;
    Ok(runtime.is_reserved(address) || runtime.find_block(address).is_ok())
}
