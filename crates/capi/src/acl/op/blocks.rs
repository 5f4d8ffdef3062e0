//! Copies by name between plain tensors and tensors in blocks.
//!
//! A program that changes the format of a tensor runs `Identity` or `TransData` with descriptions whose storage differs. No graph is needed for
//! that, and none reads blocks.
#![expect(unsafe_code, reason = "runs plans on memory that the runtime resolved")]

use millpond::{Stream, Touch};
use millpond_abi as abi;
use millpond_functions::{Access, FRACTAL_NZ, Plan, Tensor, table};

use super::run::Call;
use super::tensors::{Described, OperandBuffer};
use crate::boundary::CallError;

/// The plan of a copy into blocks or out of them; `None` for all other calls.
pub(super) fn copy(call: &Call<'_>) -> Result<Option<(&'static str, Plan)>, CallError> {
    let name = match call.kind {
        "Identity" => "Identity",
        "TransData" => "TransData",
        _ => return Ok(None),
    };
    let ([from], [to]) = (call.input_descs, call.output_descs) else {
        return Ok(None);
    };
    let ([source], [target]) = (&*call.inputs, call.outputs) else {
        return Ok(None);
    };
    let in_blocks = |desc: &Described| desc.format == FRACTAL_NZ;
    let by_value = from.constant.is_some() || source.host.is_some();
    if by_value || !(in_blocks(from) || in_blocks(to)) {
        return Ok(None);
    }
    let (mut from, mut to) = (
        tensor(from, source, "inputs")?,
        tensor(to, target, "outputs")?,
    );
    if from.has_blocks() && to.has_blocks() && from.storage == to.storage {
        // The same blocks: whatever they stand for, they are copied as they are.
        (from, to) = (whole(&from), whole(&to));
    }
    let plan = table::npu_format_cast(&from, &to).map_err(|refusal| {
        CallError::coded(
            abi::ACL_ERROR_FORMAT_NOT_MATCH,
            format!("{name}: {}", refusal.text),
        )
    })?;
    if plan.scratch() > 0 {
        return Err(CallError::coded(
            abi::ACL_ERROR_FORMAT_NOT_MATCH,
            format!(
                "{name}: the blocks of input 0 and output 0 differ; copy to a plain tensor first"
            ),
        ));
    }
    Ok(Some((name, plan)))
}

/// Queues it.
pub(super) fn run((name, plan): (&'static str, Plan), stream: &Stream) -> Result<(), CallError> {
    let touches: Vec<Touch> = plan
        .operands()
        .iter()
        .map(|operand| Touch {
            address: operand.address,
            bytes: operand.bytes,
            reads: operand.access != Access::Write,
            writes: operand.access != Access::Read,
        })
        .collect();
    Ok(
        stream.compute(name, &touches, None, false, move |operands, _| {
            // SAFETY: the runtime has resolved every operand and keeps them until this returns; the plan needs no scratch memory.
            unsafe { plan.run(operands, 0) }
        })?,
    )
}

/// A tensor as its description and its buffer say.
fn tensor(desc: &Described, given: &OperandBuffer, argument: &str) -> Result<Tensor, CallError> {
    let wrong = |text: String| CallError::coded(abi::ACL_ERROR_INVALID_PARAM, text);
    let element = desc
        .element
        .ok_or_else(|| wrong(format!("'{argument}[0]' has no data type")))?;
    let mut tensor = Tensor::dense(element, &desc.dims, given.extent.address);
    if desc.format == FRACTAL_NZ {
        let Some(storage) = &desc.storage else {
            return Err(CallError::coded(
                abi::ACL_ERROR_FORMAT_NOT_MATCH,
                format!(
                    "'{argument}[0]' is stored in FRACTAL_NZ, but has no storage shape: call aclSetTensorShape"
                ),
            ));
        };
        tensor.format = FRACTAL_NZ;
        tensor.storage = storage.as_slice().into();
        let needed = bytes_of(storage, element.bytes());
        if needed.is_none_or(|needed| needed > given.extent.bytes) {
            return Err(wrong(format!(
                "the buffer of '{argument}[0]' has {} bytes, but its storage has the shape {storage:?}",
                given.extent.bytes
            )));
        }
        if !tensor.has_blocks() {
            return Err(CallError::coded(
                abi::ACL_ERROR_FORMAT_NOT_MATCH,
                format!(
                    "'{argument}[0]' is stored in FRACTAL_NZ, but its storage {storage:?} has no blocks for {:?}",
                    desc.dims
                ),
            ));
        }
    }
    Ok(tensor)
}

fn bytes_of(dims: &[i64], size: usize) -> Option<usize> {
    let all = dims.iter().try_fold(1_usize, |all, dim| {
        all.checked_mul(usize::try_from(*dim).ok()?)
    });
    all?.checked_mul(size)
}

/// The storage of a tensor, as it lies in memory.
fn whole(tensor: &Tensor) -> Tensor {
    Tensor::dense(tensor.element(), &tensor.storage, tensor.address)
}
