//! Operators that are looked up once and run many times, and conversions.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use millpond_abi as abi;
use millpond_operators::{Attributes, Value};

use super::attributes;
use super::compiled::{self, Named, NotCompiled, Operator};
use super::execute::need_device_outputs;
use super::run::Call;
use super::tensors::{self, Described, OperandBuffer};
use crate::boundary::{CallError, entry, not_null, out, text, value_entry};
use crate::current;
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{Kind, Registry};

pub(crate) static OPERATORS: Registry<Ready> = Registry::new(Kind::Operator);

/// An operator with everything that is known of it before its buffers are.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) kind: String,
    pub(crate) inputs: Vec<Described>,
    pub(crate) outputs: Vec<Described>,
    pub(crate) attributes: Attributes,
    /// `None` where contents that come with a run decide what is computed.
    pub(crate) operator: Option<Arc<Operator>>,
}

impl Ready {
    /// Makes an operator of the table ready.
    fn new(
        kind: String,
        inputs: Vec<Described>,
        outputs: Vec<Described>,
        attributes: Attributes,
    ) -> Result<Self, CallError> {
        let tensors: Vec<_> = inputs.iter().map(|desc| desc.tensor(None)).collect();
        let results: Vec<_> = outputs
            .iter()
            .filter_map(|desc| desc.tensor(None))
            .collect();
        let operator = compiled::operator(&millpond_operators::Request {
            kind: &kind,
            inputs: &tensors,
            outputs: &results,
            attributes: &attributes,
        });
        let operator = match operator {
            Ok(operator) => Some(operator),
            Err(NotCompiled::Needs { .. }) => None,
            Err(NotCompiled::Refused(error)) => return Err(error),
        };
        Ok(Self {
            kind,
            inputs,
            outputs,
            attributes,
            operator,
        })
    }

    /// Mints its handle.
    pub(crate) fn adopt(self) -> Result<*mut abi::aclopHandle, CallError> {
        Ok(pointer(mint(&OPERATORS, Kind::Operator, self)?).cast())
    }

    /// Runs it.
    ///
    /// # Safety
    /// The arrays are null or point to as many handles as the operator has inputs and outputs.
    pub(crate) unsafe fn run(
        &self,
        inputs: *const *const abi::aclDataBuffer,
        outputs: *const *const abi::aclDataBuffer,
        stream: abi::aclrtStream,
    ) -> Result<(), CallError> {
        // SAFETY: the caller's promise.
        let inputs = unsafe { tensors::given(inputs, self.inputs.len(), "inputs") }?;
        // SAFETY: as above.
        let outputs = unsafe { tensors::given(outputs, self.outputs.len(), "outputs") }?;
        self.run_on(inputs, outputs, stream)
    }

    /// Runs it on buffers that are known.
    pub(crate) fn run_on(
        &self,
        mut inputs: Vec<OperandBuffer>,
        mut outputs: Vec<OperandBuffer>,
        stream: abi::aclrtStream,
    ) -> Result<(), CallError> {
        // SAFETY: no buffer of such an operator is the program's own memory.
        unsafe { tensors::take(&self.inputs, &mut inputs, "inputs") }?;
        // SAFETY: as above.
        unsafe { tensors::take(&self.outputs, &mut outputs, "outputs") }?;
        let mut call = Call {
            kind: &self.kind,
            input_descs: &self.inputs,
            inputs: &mut inputs,
            output_descs: &self.outputs,
            outputs: &outputs,
            attributes: &self.attributes,
            whole: true,
        };
        current::on_stream(stream, "stream", |stream| {
            let operator = match &self.operator {
                Some(operator) => Arc::clone(operator),
                None => call.operator(stream)?,
            };
            call.run(&operator, stream).map(drop)
        })
    }
}

/// Looks up an operator that was compiled before, for many runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopCreateHandle(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const abi::aclTensorDesc,
    numOutputs: c_int,
    outputDesc: *const *const abi::aclTensorDesc,
    opAttr: *const abi::aclopAttr,
    handle: *mut *mut abi::aclopHandle,
) -> abi::aclError {
    entry("aclopCreateHandle", || {
        // SAFETY: the header's contract for this argument.
        let kind = unsafe { text(opType, "opType") }?;
        let out = out!(handle);
        let inputs = tensors::count(numInputs, "numInputs")?;
        let outputs = tensors::count(numOutputs, "numOutputs")?;
        // SAFETY: the header's contract for these arguments.
        let inputs = unsafe { tensors::described(inputDesc, inputs, "inputDesc") }?;
        // SAFETY: as above.
        let outputs = unsafe { tensors::described(outputDesc, outputs, "outputDesc") }?;
        tensors::refuse_host(&inputs, "inputDesc")?;
        tensors::refuse_host(&outputs, "outputDesc")?;
        tensors::need_shapes(&inputs, "inputDesc")?;
        tensors::need_shapes(&outputs, "outputDesc")?;
        need_device_outputs(&outputs)?;
        let attributes = attributes::of(opAttr, "opAttr")?;
        let named = Named {
            kind: &kind,
            inputs: &inputs,
            outputs: &outputs,
            attributes: &attributes,
        };
        compiled::need(&named, named.number())?;
        out.write(Ready::new(kind, inputs, outputs, attributes)?.adopt()?);
        Ok(())
    })
}
const _: abi::aclopCreateHandleFn = aclopCreateHandle;

/// Ends an operator; runs that are queued still run. NULL is ignored.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopDestroyHandle(handle: *mut abi::aclopHandle) {
    if handle.is_null() {
        return;
    }
    value_entry("aclopDestroyHandle", (), || {
        withdraw(&OPERATORS, Kind::Operator, handle.cast(), "handle").map(drop)
    });
}
const _: abi::aclopDestroyHandleFn = aclopDestroyHandle;

/// Runs an operator that was looked up before.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopExecWithHandle(
    handle: *mut abi::aclopHandle,
    numInputs: c_int,
    inputs: *const *const abi::aclDataBuffer,
    numOutputs: c_int,
    outputs: *const *mut abi::aclDataBuffer,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclopExecWithHandle", || {
        let ready = resolve(&OPERATORS, Kind::Operator, handle.cast(), "handle")?;
        let given = tensors::count(numInputs, "numInputs")?;
        matches(
            given,
            ready.inputs.len(),
            "input",
            abi::ACL_ERROR_OP_INPUT_NOT_MATCH,
        )?;
        let given = tensors::count(numOutputs, "numOutputs")?;
        matches(
            given,
            ready.outputs.len(),
            "output",
            abi::ACL_ERROR_OP_OUTPUT_NOT_MATCH,
        )?;
        // SAFETY: as many as the operator has, as just checked; the header's contract for the rest.
        unsafe { ready.run(inputs, outputs.cast(), stream) }
    })
}
const _: abi::aclopExecWithHandleFn = aclopExecWithHandle;

fn matches(given: usize, wanted: usize, which: &str, code: abi::aclError) -> Result<(), CallError> {
    if given == wanted {
        return Ok(());
    }
    Err(CallError::coded(
        code,
        format!("{given} {which}s are given, but the handle was created for {wanted}"),
    ))
}

/// # Safety
/// The handles are as the header says.
unsafe fn conversion(
    srcDesc: *const abi::aclTensorDesc,
    dstDesc: *const abi::aclTensorDesc,
) -> Result<Ready, CallError> {
    // SAFETY: one handle each, in these arguments themselves.
    let inputs = unsafe { tensors::described(&raw const srcDesc, 1, "srcDesc") }?;
    // SAFETY: as above.
    let outputs = unsafe { tensors::described(&raw const dstDesc, 1, "dstDesc") }?;
    tensors::need_shapes(&inputs, "srcDesc")?;
    tensors::need_shapes(&outputs, "dstDesc")?;
    need_device_outputs(&outputs)?;
    tensors::refuse_host(&inputs, "srcDesc")?;
    let mut attributes = Attributes::new();
    if let Some(element) = outputs.first().and_then(|output| output.element) {
        attributes.set("dst_type", Value::Int(element.acl().into()));
    }
    Ready::new("Cast".to_owned(), inputs, outputs, attributes)
}

/// Converts the elements of a tensor to another type.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopCast(
    srcDesc: *const abi::aclTensorDesc,
    srcBuffer: *const abi::aclDataBuffer,
    dstDesc: *const abi::aclTensorDesc,
    dstBuffer: *mut abi::aclDataBuffer,
    _truncate: u8,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclopCast", || {
        not_null(srcDesc, "srcDesc")?;
        not_null(srcBuffer, "srcBuffer")?;
        not_null(dstDesc, "dstDesc")?;
        not_null(dstBuffer, "dstBuffer")?;
        // SAFETY: the header's contract for these arguments.
        let ready = unsafe { conversion(srcDesc, dstDesc) }?;
        let target = dstBuffer.cast_const();
        // SAFETY: one handle each, in these variables.
        unsafe { ready.run(&raw const srcBuffer, &raw const target, stream) }
    })
}
const _: abi::aclopCastFn = aclopCast;

/// A conversion for many runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopCreateHandleForCast(
    srcDesc: *mut abi::aclTensorDesc,
    dstDesc: *mut abi::aclTensorDesc,
    _truncate: u8,
    handle: *mut *mut abi::aclopHandle,
) -> abi::aclError {
    entry("aclopCreateHandleForCast", || {
        not_null(srcDesc, "srcDesc")?;
        not_null(dstDesc, "dstDesc")?;
        let out = out!(handle);
        // SAFETY: the header's contract for these arguments.
        out.write(unsafe { conversion(srcDesc, dstDesc) }?.adopt()?);
        Ok(())
    })
}
const _: abi::aclopCreateHandleForCastFn = aclopCreateHandleForCast;
