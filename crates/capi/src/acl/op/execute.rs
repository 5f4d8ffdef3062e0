//! Compiling and running operators by name.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_int};

use millpond_abi as abi;

use super::compiled::{self, Named, NotCompiled};
use super::run::Call;
use super::tensors::{self, Described};
use super::views;
use super::{attributes, native};
use crate::boundary::{CallError, bad_value, entry, not_null, text};
use crate::current;

/// The arguments of the functions that run an operator by name, as C passes them.
#[derive(Clone, Copy)]
struct Arguments {
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const abi::aclTensorDesc,
    inputs: *const *const abi::aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *const *const abi::aclTensorDesc,
    outputs: *const *const abi::aclDataBuffer,
    attr: *const abi::aclopAttr,
    stream: abi::aclrtStream,
}

/// Whether the operator has to have been compiled before, or is compiled now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compiling {
    Before,
    Now,
}

/// Whether the shapes of the outputs are written back into their descriptions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    Nothing,
    Shapes,
}

/// The checks of the interface in their documented order, then the run.
///
/// # Safety
/// The arguments are as the header says.
unsafe fn execute(
    given: Arguments,
    compiling: Compiling,
    telling: Telling,
) -> Result<(), CallError> {
    // SAFETY: the header's contract for this argument.
    let kind = unsafe { text(given.opType, "opType") }?;
    let input_count = tensors::count(given.numInputs, "numInputs")?;
    let output_count = tensors::count(given.numOutputs, "numOutputs")?;
    // SAFETY: the header's contract for these arguments.
    let mut input_descs = unsafe { tensors::described(given.inputDesc, input_count, "inputDesc") }?;
    // SAFETY: as above.
    let mut output_descs =
        unsafe { tensors::described(given.outputDesc, output_count, "outputDesc") }?;
    if tensors::nothing_to_do(&output_descs) {
        return Ok(());
    }
    // SAFETY: as above.
    let mut inputs = unsafe { tensors::given(given.inputs, input_count, "inputs") }?;
    // SAFETY: as above.
    let mut outputs = unsafe { tensors::given(given.outputs, output_count, "outputs") }?;
    tensors::need_shapes(&input_descs, "inputDesc")?;
    tensors::need_shapes(&output_descs, "outputDesc")?;
    need_device_outputs(&output_descs)?;
    let attributes = attributes::of(given.attr, "attr")?;
    let named = Named {
        kind: &kind,
        inputs: &input_descs,
        outputs: &output_descs,
        attributes: &attributes,
    };
    let number = named.number();
    if compiling == Compiling::Before {
        compiled::need(&named, number)?;
    }
    // SAFETY: the program says which buffers are its own memory.
    unsafe { tensors::take(&input_descs, &mut inputs, "inputDesc") }?;
    // SAFETY: as above; none of them is.
    unsafe { tensors::take(&output_descs, &mut outputs, "outputDesc") }?;
    views::cut(
        &kind,
        &mut input_descs,
        &inputs,
        &mut output_descs,
        &outputs,
    );
    let mut call = Call {
        kind: &kind,
        input_descs: &input_descs,
        inputs: &mut inputs,
        output_descs: &output_descs,
        outputs: &outputs,
        attributes: &attributes,
        whole: telling == Telling::Nothing,
    };
    if let Some(work) = native::plan(&call)? {
        if compiling == Compiling::Now {
            compiled::note_whole(number);
        }
        return current::on_stream(given.stream, "stream", |stream| native::run(work, stream));
    }
    let ready = call.ready()?;
    if compiling == Compiling::Now {
        compiled::note_whole(number);
    }
    let (operator, shapes) = current::on_stream(given.stream, "stream", |stream| {
        let operator = match ready {
            Some(operator) => operator,
            None => call.operator(stream)?,
        };
        let shapes = call.run(&operator, stream)?;
        Ok((operator, shapes))
    })?;
    if telling == Telling::Shapes {
        let indices = operator.outputs.iter().copied();
        let shapes = indices.zip(shapes.iter().map(|dims| &**dims));
        // SAFETY: as above.
        unsafe { tensors::write_shapes(given.outputDesc, output_count, shapes) }?;
    }
    Ok(())
}

/// Outputs are written in the order of a stream, to where only device memory and pinned memory can be.
pub(crate) fn need_device_outputs(outputs: &[Described]) -> Result<(), CallError> {
    for (index, output) in outputs.iter().enumerate() {
        if output.element.is_none() {
            return bad_value(
                "outputDesc",
                format!("undefined at {index}"),
                "every output must have a data type",
            );
        }
        if output.on_host {
            return bad_value(
                "outputDesc",
                format!("described as host memory at {index}"),
                "outputs must be in device memory",
            );
        }
    }
    Ok(())
}

/// Checks the arguments that only the compiler has.
fn check_compile_flag(
    compileFlag: abi::aclopCompileType,
    opPath: *const c_char,
) -> Result<(), CallError> {
    match compileFlag {
        abi::ACL_COMPILE_SYS => Ok(()),
        abi::ACL_COMPILE_UNREGISTERED => {
            not_null(opPath, "opPath")?;
            Err(CallError::coded(
                abi::ACL_ERROR_API_NOT_SUPPORT,
                "custom operators in 'opPath' are kernels for NPU cores, which Millpond cannot run",
            ))
        }
        other => Err(CallError::coded(
            abi::ACL_ERROR_API_NOT_SUPPORT,
            format!(
                "the argument 'compileFlag' is {other}, but must be a value of aclopCompileType"
            ),
        )),
    }
}

/// Runs an operator that was compiled before.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopExecute(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const abi::aclTensorDesc,
    inputs: *const *const abi::aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *const *const abi::aclTensorDesc,
    outputs: *const *mut abi::aclDataBuffer,
    attr: *const abi::aclopAttr,
    stream: abi::aclrtStream,
) -> abi::aclError {
    let given = Arguments {
        opType,
        numInputs,
        inputDesc,
        inputs,
        numOutputs,
        outputDesc,
        outputs: outputs.cast(),
        attr,
        stream,
    };
    // SAFETY: the header's contract for these arguments.
    entry("aclopExecute", || unsafe {
        execute(given, Compiling::Before, Telling::Nothing)
    })
}
const _: abi::aclopExecuteFn = aclopExecute;

/// Runs an operator that was compiled before, and returns the shapes of its outputs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopExecuteV2(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *mut *mut abi::aclTensorDesc,
    inputs: *mut *mut abi::aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *mut *mut abi::aclTensorDesc,
    outputs: *mut *mut abi::aclDataBuffer,
    attr: *mut abi::aclopAttr,
    stream: abi::aclrtStream,
) -> abi::aclError {
    let given = Arguments {
        opType,
        numInputs,
        inputDesc: inputDesc.cast(),
        inputs: inputs.cast(),
        numOutputs,
        outputDesc: outputDesc.cast(),
        outputs: outputs.cast(),
        attr,
        stream,
    };
    // SAFETY: the header's contract for these arguments.
    entry("aclopExecuteV2", || unsafe {
        execute(given, Compiling::Before, Telling::Shapes)
    })
}
const _: abi::aclopExecuteV2Fn = aclopExecuteV2;

/// Compiles an operator: makes it ready where its shapes are known, and notes that it may be run.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopCompile(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const abi::aclTensorDesc,
    numOutputs: c_int,
    outputDesc: *const *const abi::aclTensorDesc,
    attr: *const abi::aclopAttr,
    _engineType: abi::aclopEngineType,
    compileFlag: abi::aclopCompileType,
    opPath: *const c_char,
) -> abi::aclError {
    entry("aclopCompile", || {
        // SAFETY: the header's contract for this argument.
        let kind = unsafe { text(opType, "opType") }?;
        let inputs = tensors::count(numInputs, "numInputs")?;
        let outputs = tensors::count(numOutputs, "numOutputs")?;
        // SAFETY: the header's contract for these arguments.
        let inputs = unsafe { tensors::described(inputDesc, inputs, "inputDesc") }?;
        // SAFETY: as above.
        let outputs = unsafe { tensors::described(outputDesc, outputs, "outputDesc") }?;
        check_compile_flag(compileFlag, opPath)?;
        tensors::refuse_host(&inputs, "inputDesc")?;
        tensors::refuse_host(&outputs, "outputDesc")?;
        let attributes = attributes::of(attr, "attr")?;
        compile(&Named {
            kind: &kind,
            inputs: &inputs,
            outputs: &outputs,
            attributes: &attributes,
        })
    })
}
const _: abi::aclopCompileFn = aclopCompile;

/// Makes an operator ready and notes it. With open dimensions only its name can be checked; where contents that come with
/// a run decide what is computed, it is made then.
fn compile(named: &Named<'_>) -> Result<(), CallError> {
    let inputs: Vec<_> = named.inputs.iter().map(|desc| desc.tensor(None)).collect();
    let outputs: Vec<_> = named
        .outputs
        .iter()
        .filter_map(|desc| desc.tensor(None))
        .collect();
    let request = millpond_operators::Request {
        kind: named.kind,
        inputs: &inputs,
        outputs: &outputs,
        attributes: named.attributes,
    };
    let is_alone = native::is_alone(named.kind);
    let is_known = is_alone || millpond_operators::known().any(|known| known == named.kind);
    if (!named.is_open() && !is_alone) || !is_known {
        match compiled::operator(&request) {
            Ok(_) | Err(NotCompiled::Needs { .. }) => {}
            Err(NotCompiled::Refused(error)) => return Err(error),
        }
    }
    compiled::note(named);
    Ok(())
}

/// Compiles and runs an operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopCompileAndExecute(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const abi::aclTensorDesc,
    inputs: *const *const abi::aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *const *const abi::aclTensorDesc,
    outputs: *const *mut abi::aclDataBuffer,
    attr: *const abi::aclopAttr,
    _engineType: abi::aclopEngineType,
    compileFlag: abi::aclopCompileType,
    opPath: *const c_char,
    stream: abi::aclrtStream,
) -> abi::aclError {
    let given = Arguments {
        opType,
        numInputs,
        inputDesc,
        inputs,
        numOutputs,
        outputDesc,
        outputs: outputs.cast(),
        attr,
        stream,
    };
    entry("aclopCompileAndExecute", || {
        not_null(opType, "opType")?;
        check_compile_flag(compileFlag, opPath)?;
        // SAFETY: the header's contract for these arguments.
        unsafe { execute(given, Compiling::Now, Telling::Nothing) }
    })
}
const _: abi::aclopCompileAndExecuteFn = aclopCompileAndExecute;

/// Compiles and runs an operator, and returns the shapes of its outputs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopCompileAndExecuteV2(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *mut *mut abi::aclTensorDesc,
    inputs: *mut *mut abi::aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *mut *mut abi::aclTensorDesc,
    outputs: *mut *mut abi::aclDataBuffer,
    attr: *mut abi::aclopAttr,
    _engineType: abi::aclopEngineType,
    compileFlag: abi::aclopCompileType,
    opPath: *const c_char,
    stream: abi::aclrtStream,
) -> abi::aclError {
    let given = Arguments {
        opType,
        numInputs,
        inputDesc: inputDesc.cast(),
        inputs: inputs.cast(),
        numOutputs,
        outputDesc: outputDesc.cast(),
        outputs: outputs.cast(),
        attr,
        stream,
    };
    entry("aclopCompileAndExecuteV2", || {
        not_null(opType, "opType")?;
        check_compile_flag(compileFlag, opPath)?;
        // SAFETY: the header's contract for these arguments.
        unsafe { execute(given, Compiling::Now, Telling::Shapes) }
    })
}
const _: abi::aclopCompileAndExecuteV2Fn = aclopCompileAndExecuteV2;
