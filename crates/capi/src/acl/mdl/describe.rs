//! `aclmdlDesc`: what a description says.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use millpond_abi as abi;
use parking_lot::Mutex;

use super::description::{Description, Port};
use super::file::File;
use super::models;
use crate::boundary::{CallError, bad_value, entry, not_null, out, value_entry, write_text};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{HandleGuard, Kind, Registry};

pub(crate) static DESCRIPTIONS: Registry<Mutex<Filled>> = Registry::new(Kind::ModelDescription);

/// A description and where it came from.
#[derive(Debug, Default)]
pub(crate) struct Filled {
    description: Arc<Description>,
    /// The number of the loaded model that it was taken from.
    pub(crate) model: Option<u32>,
}

fn find(desc: *const abi::aclmdlDesc) -> Result<HandleGuard<'static, Mutex<Filled>>, CallError> {
    resolve(
        &DESCRIPTIONS,
        Kind::ModelDescription,
        desc.cast(),
        "modelDesc",
    )
}

/// What the description in an argument says, and the loaded model that it was taken from.
pub(crate) fn of(
    desc: *const abi::aclmdlDesc,
) -> Result<(Arc<Description>, Option<u32>), CallError> {
    let filled = find(desc)?;
    let filled = filled.lock();
    Ok((Arc::clone(&filled.description), filled.model))
}

/// Creates an empty description.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlCreateDesc() -> *mut abi::aclmdlDesc {
    value_entry("aclmdlCreateDesc", std::ptr::null_mut(), || {
        let minted = mint(&DESCRIPTIONS, Kind::ModelDescription, Mutex::default())?;
        Ok(pointer(minted).cast())
    })
}
const _: abi::aclmdlCreateDescFn = aclmdlCreateDesc;

/// Ends a description.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlDestroyDesc(
    modelDesc: *mut abi::aclmdlDesc,
) -> abi::aclError {
    entry("aclmdlDestroyDesc", || {
        withdraw(
            &DESCRIPTIONS,
            Kind::ModelDescription,
            modelDesc.cast(),
            "modelDesc",
        )
        .map(drop)
    })
}
const _: abi::aclmdlDestroyDescFn = aclmdlDestroyDesc;

/// Describes a loaded model.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetDesc(
    modelDesc: *mut abi::aclmdlDesc,
    modelId: u32,
) -> abi::aclError {
    entry("aclmdlGetDesc", || {
        let desc = find(modelDesc)?;
        let model = models::find(modelId)?;
        *desc.lock() = Filled {
            description: Arc::clone(&model.description),
            model: Some(modelId),
        };
        Ok(())
    })
}
const _: abi::aclmdlGetDescFn = aclmdlGetDesc;

/// Describes the model in a file, without loading it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetDescFromFile(
    modelDesc: *mut abi::aclmdlDesc,
    modelPath: *const c_char,
) -> abi::aclError {
    entry("aclmdlGetDescFromFile", || {
        let desc = find(modelDesc)?;
        // SAFETY: the header's contract for this argument.
        let file = unsafe { File::at(modelPath, "modelPath") }?;
        fill(&desc, file);
        Ok(())
    })
}
const _: abi::aclmdlGetDescFromFileFn = aclmdlGetDescFromFile;

/// Describes the model in memory, without loading it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetDescFromMem(
    modelDesc: *mut abi::aclmdlDesc,
    model: *const c_void,
    modelSize: usize,
) -> abi::aclError {
    entry("aclmdlGetDescFromMem", || {
        let desc = find(modelDesc)?;
        // SAFETY: the header's contract for these arguments.
        let file = unsafe { File::in_memory(model, modelSize) }?;
        fill(&desc, file);
        Ok(())
    })
}
const _: abi::aclmdlGetDescFromMemFn = aclmdlGetDescFromMem;

fn fill(desc: &Mutex<Filled>, file: File) {
    let filled = Filled {
        description: Arc::new(file.description),
        model: None,
    };
    let before = std::mem::replace(&mut *desc.lock(), filled);
    drop(before);
}

/// Which list of ports a function speaks of.
#[derive(Clone, Copy)]
enum Side {
    Input,
    Output,
}

impl Side {
    fn of(self, description: &Description) -> &[Port] {
        match self {
            Self::Input => &description.inputs,
            Self::Output => &description.outputs,
        }
    }

    /// One of them; the reference lasts as long as the description does not change.
    fn read<T>(
        self,
        desc: *const abi::aclmdlDesc,
        index: usize,
        read: impl FnOnce(&Port) -> T,
    ) -> Result<T, CallError> {
        let (description, _) = of(desc)?;
        match self.of(&description).get(index) {
            Some(port) => Ok(read(port)),
            None => bad_value("index", index, "it must be below their number in the model"),
        }
    }
}

/// How many inputs there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetNumInputs(modelDesc: *mut abi::aclmdlDesc) -> usize {
    value_entry("aclmdlGetNumInputs", 0, || {
        Ok(of(modelDesc)?.0.inputs.len())
    })
}
const _: abi::aclmdlGetNumInputsFn = aclmdlGetNumInputs;

/// How many outputs there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetNumOutputs(modelDesc: *mut abi::aclmdlDesc) -> usize {
    value_entry("aclmdlGetNumOutputs", 0, || {
        Ok(of(modelDesc)?.0.outputs.len())
    })
}
const _: abi::aclmdlGetNumOutputsFn = aclmdlGetNumOutputs;

/// Bytes of an input; 0 when they depend on the run.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputSizeByIndex(
    modelDesc: *mut abi::aclmdlDesc,
    index: usize,
) -> usize {
    value_entry("aclmdlGetInputSizeByIndex", 0, || {
        Side::Input.read(modelDesc, index, |port| port.bytes)
    })
}
const _: abi::aclmdlGetInputSizeByIndexFn = aclmdlGetInputSizeByIndex;

/// Bytes of an output; 0 when they depend on the run.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetOutputSizeByIndex(
    modelDesc: *mut abi::aclmdlDesc,
    index: usize,
) -> usize {
    value_entry("aclmdlGetOutputSizeByIndex", 0, || {
        let (description, model) = of(modelDesc)?;
        if let (Some(_), Some(model)) = (&description.gears, model) {
            return models::find(model)?.largest_output(index);
        }
        Side::Output.read(modelDesc, index, |port| port.bytes)
    })
}
const _: abi::aclmdlGetOutputSizeByIndexFn = aclmdlGetOutputSizeByIndex;

/// A shape as the interface hands it out. Long names are cut there.
pub(crate) fn dims_of(name: &CStr, dims: &[i64]) -> abi::aclmdlIODims {
    let mut out = abi::aclmdlIODims {
        name: [0; abi::ACL_MAX_TENSOR_NAME_LEN],
        dimCount: dims.len().min(abi::ACL_MAX_DIM_CNT),
        dims: [0; abi::ACL_MAX_DIM_CNT],
    };
    for (place, dim) in out.dims.iter_mut().zip(dims) {
        *place = *dim;
    }
    write_text(&mut out.name, shortened(name));
    out
}

/// As much of a name as a structure has room for, with the terminator.
fn shortened(name: &CStr) -> &[u8] {
    let bytes = name.to_bytes();
    &bytes[..bytes.len().min(abi::ACL_MAX_TENSOR_NAME_LEN - 1)]
}

/// # Safety
/// `dims` is null or points to a structure.
unsafe fn shape(
    side: Side,
    desc: *const abi::aclmdlDesc,
    index: usize,
    dims: *mut abi::aclmdlIODims,
) -> Result<(), CallError> {
    let out = out!(dims);
    out.write(side.read(desc, index, |port| dims_of(port.name(), &port.dims))?);
    Ok(())
}

/// The dimensions of an input; -1 for open ones.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputDims(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
    dims: *mut abi::aclmdlIODims,
) -> abi::aclError {
    entry("aclmdlGetInputDims", || {
        // SAFETY: the header's contract for this argument.
        unsafe { shape(Side::Input, modelDesc, index, dims) }
    })
}
const _: abi::aclmdlGetInputDimsFn = aclmdlGetInputDims;

/// The same: the two differ only for models with image preprocessing.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputDimsV2(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
    dims: *mut abi::aclmdlIODims,
) -> abi::aclError {
    entry("aclmdlGetInputDimsV2", || {
        // SAFETY: the header's contract for this argument.
        unsafe { shape(Side::Input, modelDesc, index, dims) }
    })
}
const _: abi::aclmdlGetInputDimsV2Fn = aclmdlGetInputDimsV2;

/// The dimensions of an output; -1 for open ones.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetOutputDims(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
    dims: *mut abi::aclmdlIODims,
) -> abi::aclError {
    entry("aclmdlGetOutputDims", || {
        // SAFETY: the header's contract for this argument.
        unsafe { shape(Side::Output, modelDesc, index, dims) }
    })
}
const _: abi::aclmdlGetOutputDimsFn = aclmdlGetOutputDims;

/// Least and greatest value of each dimension of an input; -1 where there is no greatest.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputDimsRange(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
    dimsRange: *mut abi::aclmdlIODimsRange,
) -> abi::aclError {
    entry("aclmdlGetInputDimsRange", || {
        let out = out!(dimsRange);
        let ranges = Side::Input.read(modelDesc, index, |port| port.ranges.clone())?;
        let mut range = abi::aclmdlIODimsRange {
            rangeCount: ranges.len().min(abi::ACL_MAX_DIM_CNT),
            range: [[0; abi::ACL_DIM_ENDPOINTS]; abi::ACL_MAX_DIM_CNT],
        };
        for (place, bounds) in range.range.iter_mut().zip(ranges) {
            *place = bounds;
        }
        out.write(range);
        Ok(())
    })
}
const _: abi::aclmdlGetInputDimsRangeFn = aclmdlGetInputDimsRange;

/// The name of an input. The text is good until the description is filled anew or ends.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputNameByIndex(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
) -> *const c_char {
    value_entry("aclmdlGetInputNameByIndex", c"".as_ptr(), || {
        Side::Input.read(modelDesc, index, |port| port.name().as_ptr())
    })
}
const _: abi::aclmdlGetInputNameByIndexFn = aclmdlGetInputNameByIndex;

/// The name of an output. The text is good until the description is filled anew or ends.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetOutputNameByIndex(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
) -> *const c_char {
    value_entry("aclmdlGetOutputNameByIndex", c"".as_ptr(), || {
        Side::Output.read(modelDesc, index, |port| port.name().as_ptr())
    })
}
const _: abi::aclmdlGetOutputNameByIndexFn = aclmdlGetOutputNameByIndex;

/// # Safety
/// `name` is null or a NUL-terminated string, `index` null or points to a number.
unsafe fn index_of(
    side: Side,
    desc: *const abi::aclmdlDesc,
    name: *const c_char,
    index: *mut usize,
) -> Result<(), CallError> {
    let out = out!(index);
    not_null(name, "name")?;
    // SAFETY: not null as just checked; NUL-terminated as the caller promises.
    let name = unsafe { CStr::from_ptr(name) };
    let (description, _) = of(desc)?;
    let found = side
        .of(&description)
        .iter()
        .position(|port| port.name() == name);
    let Some(found) = found else {
        return bad_value(
            "name",
            format!("{name:?}"),
            "the model has no tensor of that name",
        );
    };
    out.write(found);
    Ok(())
}

/// The place of the input with a name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputIndexByName(
    modelDesc: *const abi::aclmdlDesc,
    name: *const c_char,
    index: *mut usize,
) -> abi::aclError {
    entry("aclmdlGetInputIndexByName", || {
        // SAFETY: the header's contract for these arguments.
        unsafe { index_of(Side::Input, modelDesc, name, index) }
    })
}
const _: abi::aclmdlGetInputIndexByNameFn = aclmdlGetInputIndexByName;

/// The place of the output with a name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetOutputIndexByName(
    modelDesc: *const abi::aclmdlDesc,
    name: *const c_char,
    index: *mut usize,
) -> abi::aclError {
    entry("aclmdlGetOutputIndexByName", || {
        // SAFETY: the header's contract for these arguments.
        unsafe { index_of(Side::Output, modelDesc, name, index) }
    })
}
const _: abi::aclmdlGetOutputIndexByNameFn = aclmdlGetOutputIndexByName;

/// The order of an input's dimensions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputFormat(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
) -> abi::aclFormat {
    value_entry("aclmdlGetInputFormat", abi::ACL_FORMAT_UNDEFINED, || {
        Side::Input.read(modelDesc, index, |port| port.format)
    })
}
const _: abi::aclmdlGetInputFormatFn = aclmdlGetInputFormat;

/// The order of an output's dimensions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetOutputFormat(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
) -> abi::aclFormat {
    value_entry("aclmdlGetOutputFormat", abi::ACL_FORMAT_UNDEFINED, || {
        Side::Output.read(modelDesc, index, |port| port.format)
    })
}
const _: abi::aclmdlGetOutputFormatFn = aclmdlGetOutputFormat;

/// The type of an input's elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputDataType(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
) -> abi::aclDataType {
    value_entry("aclmdlGetInputDataType", abi::ACL_DT_UNDEFINED, || {
        Side::Input.read(modelDesc, index, |port| port.element.acl())
    })
}
const _: abi::aclmdlGetInputDataTypeFn = aclmdlGetInputDataType;

/// The type of an output's elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetOutputDataType(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
) -> abi::aclDataType {
    value_entry("aclmdlGetOutputDataType", abi::ACL_DT_UNDEFINED, || {
        Side::Output.read(modelDesc, index, |port| port.element.acl())
    })
}
const _: abi::aclmdlGetOutputDataTypeFn = aclmdlGetOutputDataType;

/// The whole name of an input or output whose name was cut to fit a structure; NULL if there is none.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetTensorRealName(
    modelDesc: *const abi::aclmdlDesc,
    name: *const c_char,
) -> *const c_char {
    value_entry("aclmdlGetTensorRealName", std::ptr::null(), || {
        not_null(name, "name")?;
        // SAFETY: not null as just checked; NUL-terminated by the header's contract.
        let name = unsafe { CStr::from_ptr(name) };
        let (description, _) = of(modelDesc)?;
        let mut ports = description.inputs.iter().chain(&description.outputs);
        let found =
            ports.find(|port| port.name() == name || shortened(port.name()) == name.to_bytes());
        match found {
            Some(port) => Ok(port.name().as_ptr()),
            None => bad_value(
                "name",
                format!("{name:?}"),
                "the model has no tensor of that name",
            ),
        }
    })
}
const _: abi::aclmdlGetTensorRealNameFn = aclmdlGetTensorRealName;
