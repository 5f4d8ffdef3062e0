//! The tensors of an operator: descriptions and buffers that a program passes.
#![expect(unsafe_code, reason = "reads what C pointers point to")]

use std::ffi::c_int;

use millpond::Element;
use millpond_abi as abi;
use millpond_operators::Tensor;

use crate::acl::data_buffer::{self, Extent};
use crate::acl::mdl::description::bytes_of;
use crate::acl::tensor_desc::{self, TensorDesc};
use crate::boundary::{self, CallError, bad_value};

/// What a description says of one tensor of an operator.
#[derive(Debug, Clone)]
pub(crate) struct Described {
    /// `None`: an optional input that is left out.
    pub(crate) element: Option<Element>,
    pub(crate) dims: Vec<i64>,
    pub(crate) ranges: Vec<[i64; 2]>,
    pub(crate) format: abi::aclFormat,
    /// The shape of the storage, if the program has set one.
    pub(crate) storage: Option<Vec<i64>>,
    /// Contents that the program fixed.
    pub(crate) constant: Option<Vec<u8>>,
    /// Whether the buffer is the program's own memory.
    pub(crate) on_host: bool,
}

fn wrong(text: String) -> CallError {
    CallError::coded(abi::ACL_ERROR_INVALID_PARAM, text)
}

impl Described {
    fn of(desc: &TensorDesc, argument: &str, index: usize) -> Result<Self, CallError> {
        let element = match desc.data_type {
            abi::ACL_DT_UNDEFINED => None,
            number => Some(Element::from_acl(number).ok_or_else(|| {
                CallError::coded(
                    abi::ACL_ERROR_UNSUPPORTED_DATA_TYPE,
                    format!("'{argument}[{index}]' has data type {number}, which operators do not support"),
                )
            })?),
        };
        Ok(Self {
            element,
            dims: desc.dims.clone(),
            ranges: desc.ranges.clone(),
            format: desc.storage_format.unwrap_or(desc.format),
            storage: desc.storage_dims.clone(),
            constant: desc.constant.clone(),
            on_host: desc.placement != abi::ACL_MEMTYPE_DEVICE,
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.dims.iter().any(|dim| *dim < 0)
    }

    /// Bytes of all elements.
    pub(crate) fn bytes(&self) -> Option<usize> {
        bytes_of(&self.dims, self.element?)
    }

    /// What the table of operators takes; `None` for an input that is left out.
    pub(crate) fn tensor<'a>(&'a self, given: Option<&'a OperandBuffer>) -> Option<Tensor<'a>> {
        let host = given.and_then(|given| given.host.as_deref());
        Some(Tensor {
            element: self.element?,
            dims: &self.dims,
            format: self.format,
            constant: self.constant.as_deref().or(host),
        })
    }
}

/// How many there are of something.
pub(crate) fn count(number: c_int, argument: &'static str) -> Result<usize, CallError> {
    match usize::try_from(number) {
        Ok(count) => Ok(count),
        Err(_) => bad_value(argument, number, "it must not be negative"),
    }
}

/// Refuses an element of an array that is missing, and says which.
fn not_null_at<T>(handle: *const T, argument: &'static str, index: usize) -> Result<(), CallError> {
    if handle.is_null() {
        return Err(wrong(format!("'{argument}[{index}]' is NULL")));
    }
    Ok(())
}

/// Reads an array of descriptions.
///
/// # Safety
/// `descs` is null or points to `count` handles.
pub(crate) unsafe fn described(
    descs: *const *const abi::aclTensorDesc,
    count: usize,
    argument: &'static str,
) -> Result<Vec<Described>, CallError> {
    // SAFETY: the caller's promise.
    let handles = unsafe { boundary::array(descs, count, argument) }?;
    let described = handles.into_iter().enumerate().map(|(index, handle)| {
        not_null_at(handle, argument, index)?;
        let desc = tensor_desc::find(handle, argument)?;
        let desc = desc.lock();
        Described::of(&desc, argument, index)
    });
    described.collect()
}

/// Whether every output has no elements, so that there is nothing to do.
pub(crate) fn nothing_to_do(outputs: &[Described]) -> bool {
    !outputs.is_empty() && outputs.iter().all(|output| output.dims.contains(&0))
}

/// Refuses shapes that are not fixed.
pub(crate) fn need_shapes(tensors: &[Described], argument: &str) -> Result<(), CallError> {
    for (index, tensor) in tensors.iter().enumerate() {
        if tensor.is_open() {
            return Err(wrong(format!(
                "'{argument}[{index}]' has the shape {:?}, but a run needs all dimensions to be known",
                tensor.dims
            )));
        }
    }
    Ok(())
}

/// Refuses descriptions of the program's own memory, where contents are not there yet.
pub(crate) fn refuse_host(tensors: &[Described], argument: &str) -> Result<(), CallError> {
    match tensors.iter().position(|tensor| tensor.on_host) {
        Some(index) => Err(CallError::coded(
            abi::ACL_ERROR_API_NOT_SUPPORT,
            format!(
                "'{argument}[{index}]' is host memory, whose contents are not known before the run: use \
                 aclSetTensorConst, or aclopCompileAndExecute"
            ),
        )),
        None => Ok(()),
    }
}

/// The buffer of an operand, and its contents if it is host memory.
#[derive(Debug)]
pub(crate) struct OperandBuffer {
    pub(crate) extent: Extent,
    /// The contents, where the buffer is the program's own memory: taken now, so that the program may
    /// have the memory back.
    pub(crate) host: Option<Vec<u8>>,
}

/// Reads an array of buffers.
///
/// # Safety
/// `buffers` is null or points to `count` handles.
pub(crate) unsafe fn given(
    buffers: *const *const abi::aclDataBuffer,
    count: usize,
    argument: &'static str,
) -> Result<Vec<OperandBuffer>, CallError> {
    // SAFETY: the caller's promise.
    let handles = unsafe { boundary::array(buffers, count, argument) }?;
    let given = handles.into_iter().enumerate().map(|(index, handle)| {
        not_null_at(handle, argument, index)?;
        let extent = data_buffer::find(handle, argument)?.extent();
        if extent.address == 0 && extent.bytes > 0 {
            return Err(wrong(format!(
                "the buffer '{argument}[{index}]' is NULL with {} bytes",
                extent.bytes
            )));
        }
        Ok(OperandBuffer { extent, host: None })
    });
    given.collect()
}

/// Checks that each buffer fits its description, and copies contents from host memory.
///
/// # Safety
/// Buffers that are described as host memory point to as many bytes as they say.
pub(crate) unsafe fn take(
    tensors: &[Described],
    buffers: &mut [OperandBuffer],
    argument: &str,
) -> Result<(), CallError> {
    for (index, (tensor, given)) in tensors.iter().zip(buffers).enumerate() {
        if tensor.element.is_none() || tensor.constant.is_some() {
            continue;
        }
        let Some(bytes) = tensor.bytes() else {
            return Err(wrong(format!(
                "'{argument}[{index}]' has the shape {:?}, which is too large",
                tensor.dims
            )));
        };
        if given.extent.bytes < bytes {
            return Err(wrong(format!(
                "the buffer of '{argument}[{index}]' has {} bytes, but its description has {bytes}",
                given.extent.bytes
            )));
        }
        if tensor.on_host {
            let start = usize::try_from(given.extent.address).unwrap_or(0);
            let start = std::ptr::with_exposed_provenance::<u8>(start);
            // SAFETY: at least as many bytes as the buffer says, as the caller promises.
            given.host = Some(unsafe { boundary::array(start, bytes, "inputs") }?);
        }
    }
    Ok(())
}

/// Writes the shapes that outputs have into their descriptions.
///
/// # Safety
/// `descs` is null or points to `count` handles.
pub(crate) unsafe fn write_shapes<'a>(
    descs: *const *const abi::aclTensorDesc,
    count: usize,
    shapes: impl Iterator<Item = (usize, &'a [i64])>,
) -> Result<(), CallError> {
    // SAFETY: the caller's promise.
    let handles = unsafe { boundary::array(descs, count, "outputDesc") }?;
    for (index, dims) in shapes {
        let Some(handle) = handles.get(index) else {
            continue;
        };
        let desc = tensor_desc::find(*handle, "outputDesc")?;
        let mut desc = desc.lock();
        if desc.dims != dims {
            desc.dims = dims.to_vec();
            desc.ranges.clear();
        }
    }
    Ok(())
}
