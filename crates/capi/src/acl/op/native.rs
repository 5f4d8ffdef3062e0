//! Operators by name that need no graph: their functions compute them.
//!
//! - Copies between plain tensors and tensors in blocks. A program that changes the format of a tensor runs `Identity` or `TransData` with
//!   descriptions whose storage differs, and no graph reads blocks.
//! - Factors of matrices, for which the engine has no kernels.
#![expect(
    unsafe_code,
    reason = "runs plans on memory that the runtime resolved, or that is its own"
)]

use millpond::{Stream, Touch};
use millpond_abi as abi;
use millpond_functions::{Access, FRACTAL_NZ, Plan, Refusal, Tensor, table};
use millpond_operators::Value;

use super::run::Call;
use super::tensors::{Described, OperandBuffer};
use crate::acl::overflow;
use crate::aclnn::executor::run_watched;
use crate::boundary::CallError;

/// How many bytes the address of scratch memory is a multiple of.
const ALIGNMENT: usize = 64;

/// Operators that have no graph at all.
pub(super) fn is_alone(kind: &str) -> bool {
    matches!(kind, "Svd" | "Qr")
}

/// The plan of a call that needs no graph; `None` for all other calls.
pub(super) fn plan(call: &Call<'_>) -> Result<Option<(&'static str, Plan)>, CallError> {
    match call.kind {
        "Identity" => copy(call, "Identity"),
        "TransData" => copy(call, "TransData"),
        "Svd" => factors(call, "Svd").map(Some),
        "Qr" => factors(call, "Qr").map(Some),
        _ => Ok(None),
    }
}

fn refused(name: &str, code: abi::aclError) -> impl FnOnce(Refusal) -> CallError {
    move |refusal| CallError::coded(code, format!("{name}: {}", refusal.text))
}

/// Singular values and vectors, or an orthogonal and a triangular factor.
fn factors(call: &Call<'_>, name: &'static str) -> Result<(&'static str, Plan), CallError> {
    let wrong =
        |text: &str| CallError::coded(abi::ACL_ERROR_INVALID_PARAM, format!("{name}: {text}"));
    let ([desc], [given]) = (call.input_descs, &*call.inputs) else {
        return Err(wrong("one input is expected"));
    };
    if desc.constant.is_some() || given.host.is_some() {
        return Err(wrong("the input must be in device memory"));
    }
    let results = call.output_descs.iter().zip(call.outputs).enumerate();
    let results = results.map(|(index, (desc, given))| tensor(desc, given, "outputs", index));
    let results = results.collect::<Result<Vec<Tensor>, CallError>>()?;
    let x = tensor(desc, given, "inputs", 0)?;
    let vectors = !matches!(call.attributes.get("compute_uv"), Some(Value::Bool(false)));
    let plan = match (name, &*results) {
        ("Svd", [sigma, u, v]) => table::svd(&x, true, vectors, sigma, u, v),
        ("Qr", [q, r]) => table::linalg_qr(&x, 0, q, r),
        ("Svd", _) => return Err(wrong("three outputs are expected: sigma, u and v")),
        _ => return Err(wrong("two outputs are expected: q and r")),
    };
    let plan = plan.map_err(refused(name, abi::ACL_ERROR_INVALID_PARAM))?;
    Ok((name, plan))
}

/// The plan of a copy into blocks or out of them; `None` for all other copies.
fn copy(call: &Call<'_>, name: &'static str) -> Result<Option<(&'static str, Plan)>, CallError> {
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
        tensor(from, source, "inputs", 0)?,
        tensor(to, target, "outputs", 0)?,
    );
    if from.has_blocks() && to.has_blocks() && from.storage == to.storage {
        // The same blocks: whatever they stand for, they are copied as they are.
        (from, to) = (whole(&from), whole(&to));
    }
    let plan = table::npu_format_cast(&from, &to)
        .map_err(refused(name, abi::ACL_ERROR_FORMAT_NOT_MATCH))?;
    Ok(Some((name, plan)))
}

/// Queues it. Calls by name bring no workspace, so scratch memory is the process's own, for as long as the task runs.
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
    let watch = overflow::watch(stream);
    Ok(
        stream.compute(name, &touches, None, false, move |operands, _| {
            let needed = usize::try_from(plan.scratch()).unwrap_or(usize::MAX);
            let mut scratch: Vec<u8> = Vec::new();
            if scratch
                .try_reserve_exact(needed.saturating_add(ALIGNMENT))
                .is_err()
            {
                return Err(format!(
                    "there is no memory for {needed} bytes of scratch memory"
                ));
            }
            let begin = scratch.as_mut_ptr().expose_provenance();
            let begin = begin.next_multiple_of(ALIGNMENT) as u64;
            // SAFETY: the runtime has resolved every operand and keeps them until this returns; the vector has room for the scratch memory
            // behind a multiple of 64, and lives as long.
            unsafe { run_watched(&plan, operands, begin, watch) }
        })?,
    )
}

/// A tensor as its description and its buffer say.
fn tensor(
    desc: &Described,
    given: &OperandBuffer,
    argument: &str,
    index: usize,
) -> Result<Tensor, CallError> {
    let wrong = |text: String| CallError::coded(abi::ACL_ERROR_INVALID_PARAM, text);
    let element = desc
        .element
        .ok_or_else(|| wrong(format!("'{argument}[{index}]' has no data type")))?;
    let mut tensor = Tensor::dense(element, &desc.dims, given.extent.address);
    if desc.format == FRACTAL_NZ {
        let Some(storage) = &desc.storage else {
            return Err(CallError::coded(
                abi::ACL_ERROR_FORMAT_NOT_MATCH,
                format!(
                    "'{argument}[{index}]' is stored in FRACTAL_NZ, but has no storage shape: call aclSetTensorShape"
                ),
            ));
        };
        tensor.format = FRACTAL_NZ;
        tensor.storage = storage.as_slice().into();
        let needed = bytes_of(storage, element.bytes());
        if needed.is_none_or(|needed| needed > given.extent.bytes) {
            return Err(wrong(format!(
                "the buffer of '{argument}[{index}]' has {} bytes, but its storage has the shape {storage:?}",
                given.extent.bytes
            )));
        }
        if !tensor.has_blocks() {
            return Err(CallError::coded(
                abi::ACL_ERROR_FORMAT_NOT_MATCH,
                format!(
                    "'{argument}[{index}]' is stored in FRACTAL_NZ, but its storage {storage:?} has no blocks for {:?}",
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
