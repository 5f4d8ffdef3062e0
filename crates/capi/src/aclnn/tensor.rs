//! `aclTensor`: a view of elements in memory. It owns nothing.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use millpond::Element;
use millpond_abi as abi;
use millpond_functions::Tensor;
use millpond_functions::kernels::{Dims, contiguous_strides};
use parking_lot::RwLock;

use super::status;
use crate::boundary::{self, CallError, bad_value, out, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{HandleGuard, Kind, Registry};

pub(super) static TENSORS: Registry<Entry> = Registry::new(Kind::Tensor);

/// What a handle names. A tensor is replaced as a whole when it is initialised again, so whoever has it sees one description.
#[derive(Debug)]
pub(super) struct Entry {
    first: Tensor,
    /// Whether there is a later one. Few tensors are initialised again, and the others need no lock.
    changed: AtomicBool,
    later: RwLock<Option<Arc<Tensor>>>,
}

impl Entry {
    fn new(first: Tensor) -> Self {
        Self {
            first,
            changed: AtomicBool::new(false),
            later: RwLock::new(None),
        }
    }

    fn replace(&self, tensor: Tensor) {
        *self.later.write() = Some(Arc::new(tensor));
        self.changed.store(true, Ordering::Release);
    }
}

/// A tensor in use.
pub(super) enum Found {
    First(HandleGuard<'static, Entry>),
    Later(Arc<Tensor>),
}

impl Deref for Found {
    type Target = Tensor;

    #[inline(always)]
    fn deref(&self) -> &Tensor {
        match self {
            Self::First(entry) => &entry.first,
            Self::Later(tensor) => tensor,
        }
    }
}

/// The tensor in an argument.
#[inline]
pub(super) fn find(
    handle: *const abi::aclTensor,
    argument: &'static str,
) -> Result<Found, CallError> {
    let entry = resolve(&TENSORS, Kind::Tensor, handle.cast(), argument)?;
    if entry.changed.load(Ordering::Acquire) {
        let later = entry.later.read().clone();
        if let Some(later) = later {
            return Ok(Found::Later(later));
        }
    }
    Ok(Found::First(entry))
}

/// How many elements a view reaches over from its first one; 0 if it has none.
fn reach(dims: &[i64], strides: &[i64]) -> Option<i64> {
    if dims.contains(&0) {
        return Some(0);
    }
    let mut axes = dims.iter().zip(strides);
    let last = axes.try_fold(0_i64, |last, (dim, stride)| {
        last.checked_add((dim - 1).checked_mul(*stride)?)
    })?;
    last.checked_add(1)
}

fn wrong(text: String) -> CallError {
    CallError::coded(abi::ACLNN_ERR_PARAM_INVALID, text)
}

#[cold]
fn uncountable(dims: &[i64]) -> CallError {
    wrong(format!("a view of {dims:?} is larger than any memory"))
}

/// A view as C describes it.
struct Description {
    dims: Dims,
    strides: Option<Dims>,
    offset: i64,
    storage: Dims,
    element: Element,
    format: abi::aclFormat,
    address: u64,
}

impl Description {
    fn tensor(self) -> Result<Tensor, CallError> {
        if let Some(dim) = self.dims.iter().chain(&self.storage).find(|dim| **dim < 0) {
            return bad_value("viewDims", dim, "dimensions are 0 or more");
        }
        let uncountable = || uncountable(&self.dims);
        let all = |dims: &[i64]| {
            dims.iter()
                .try_fold(1_i64, |all, dim| all.checked_mul((*dim).max(1)))
        };
        all(&self.dims).ok_or_else(uncountable)?;
        let strides = self
            .strides
            .unwrap_or_else(|| contiguous_strides(&self.dims));
        if self.offset < 0 || strides.iter().any(|stride| *stride < 0) {
            return Err(wrong(format!(
                "the view begins at element {} and has strides {strides:?}; neither may be negative",
                self.offset
            )));
        }
        let reach = reach(&self.dims, &strides).ok_or_else(uncountable)?;
        let storage = self
            .storage
            .iter()
            .try_fold(1_i64, |all, dim| all.checked_mul(*dim));
        let storage = storage.ok_or_else(uncountable)?;
        let end = self.offset.checked_add(reach).ok_or_else(uncountable)?;
        if reach > 0 && end > storage {
            return Err(wrong(format!(
                "the view {:?} with strides {strides:?} and offset {} reaches element {end}, but the storage has {storage}",
                self.dims, self.offset
            )));
        }
        let size = self.element.bytes() as u64;
        let offset = self.offset.unsigned_abs().checked_mul(size);
        let address = offset.and_then(|offset| self.address.checked_add(offset));
        let bytes = reach.unsigned_abs().checked_mul(size);
        bytes.ok_or_else(uncountable)?;
        // Without a base the address comes later.
        let address = if self.address == 0 {
            0
        } else {
            address.ok_or_else(uncountable)?
        };
        let mut tensor = Tensor::new(self.element, self.dims, strides, address, reach);
        tensor.offset = self.offset;
        tensor.storage = self.storage;
        tensor.format = self.format;
        Ok(tensor)
    }
}

/// How long an array is.
fn length(count: u64, argument: &'static str) -> Result<usize, CallError> {
    match usize::try_from(count) {
        Ok(count) if count <= 64 => Ok(count),
        _ => bad_value(argument, count, "tensors have at most 64 axes"),
    }
}

/// A list of dimensions that C points to.
///
/// # Safety
/// As for [`boundary::array`].
unsafe fn dims(
    pointer: *const i64,
    count: usize,
    argument: &'static str,
) -> Result<Dims, CallError> {
    if count > 0 && pointer.is_null() {
        return Err(CallError::null(argument));
    }
    let mut dims = Dims::new();
    for index in 0..count {
        // SAFETY: the caller's promise.
        dims.push(unsafe { pointer.wrapping_add(index).read_unaligned() });
    }
    Ok(dims)
}

/// The tensor that the nine arguments describe.
///
/// # Safety
/// The header's contract: arrays have as many members as their counts say.
#[expect(
    clippy::too_many_arguments,
    reason = "as many as the function of C has"
)]
unsafe fn described(
    viewDims: *const i64,
    viewDimsNum: u64,
    dataType: abi::aclDataType,
    stride: *const i64,
    offset: i64,
    format: abi::aclFormat,
    storageDims: *const i64,
    storageDimsNum: u64,
    tensorData: *mut c_void,
) -> Result<Tensor, CallError> {
    let rank = length(viewDimsNum, "viewDimsNum")?;
    let storage = length(storageDimsNum, "storageDimsNum")?;
    let element = Element::stored_from_acl(dataType).ok_or_else(|| {
        wrong(format!(
            "operators do not support elements of type {dataType}"
        ))
    })?;
    let strides = if stride.is_null() {
        None
    } else {
        // SAFETY: the caller's promise: one for each axis.
        Some(unsafe { dims(stride, rank, "stride") }?)
    };
    let description = Description {
        // SAFETY: the caller's promise.
        dims: unsafe { dims(viewDims, rank, "viewDims") }?,
        strides,
        offset,
        // SAFETY: as above.
        storage: unsafe { dims(storageDims, storage, "storageDims") }?,
        element,
        format,
        address: tensorData.addr() as u64,
    };
    description.tensor()
}

/// Creates a tensor.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclCreateTensor(
    viewDims: *const i64,
    viewDimsNum: u64,
    dataType: abi::aclDataType,
    stride: *const i64,
    offset: i64,
    format: abi::aclFormat,
    storageDims: *const i64,
    storageDimsNum: u64,
    tensorData: *mut c_void,
) -> *mut abi::aclTensor {
    value_entry("aclCreateTensor", std::ptr::null_mut(), || {
        // SAFETY: the header's contract.
        let tensor = unsafe {
            described(
                viewDims,
                viewDimsNum,
                dataType,
                stride,
                offset,
                format,
                storageDims,
                storageDimsNum,
                tensorData,
            )
        }?;
        Ok(pointer(mint(&TENSORS, Kind::Tensor, Entry::new(tensor))?).cast())
    })
}
const _: abi::aclCreateTensorFn = aclCreateTensor;

/// Describes an existing tensor anew.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclInitTensor(
    tensor: *mut abi::aclTensor,
    viewDims: *const i64,
    viewDimsNum: u64,
    dataType: abi::aclDataType,
    stride: *const i64,
    offset: i64,
    format: abi::aclFormat,
    storageDims: *const i64,
    storageDimsNum: u64,
    tensorData: *mut c_void,
) -> abi::aclnnStatus {
    status::entry("aclInitTensor", || {
        let entry = resolve(&TENSORS, Kind::Tensor, tensor.cast(), "tensor")?;
        // SAFETY: the header's contract.
        let described = unsafe {
            described(
                viewDims,
                viewDimsNum,
                dataType,
                stride,
                offset,
                format,
                storageDims,
                storageDimsNum,
                tensorData,
            )
        }?;
        entry.replace(described);
        Ok(())
    })
}
const _: abi::aclInitTensorFn = aclInitTensor;

/// Destroys a tensor; the memory it names is untouched.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclDestroyTensor(
    tensor: *const abi::aclTensor,
) -> abi::aclnnStatus {
    status::entry("aclDestroyTensor", || destroy(tensor))
}
const _: abi::aclDestroyTensorFn = aclDestroyTensor;

/// Destroys a tensor. NULL, an absent optional argument, is fine.
pub(super) fn destroy(tensor: *const abi::aclTensor) -> Result<(), CallError> {
    if tensor.is_null() {
        return Ok(());
    }
    withdraw(&TENSORS, Kind::Tensor, tensor.cast(), "tensor").map(drop)
}

/// Copies numbers into memory that C frees.
pub(super) fn hand_out(values: &[i64]) -> Result<*mut i64, CallError> {
    let bytes = values.len().max(1) * size_of::<i64>();
    // SAFETY: any size may be asked for.
    let copy = unsafe { libc::malloc(bytes) }.cast::<i64>();
    if copy.is_null() {
        return Err(CallError::coded(
            abi::ACLNN_ERR_INNER,
            format!("there is no memory for {bytes} bytes"),
        ));
    }
    for (index, value) in values.iter().enumerate() {
        // SAFETY: the array has room for all of them.
        unsafe { boundary::put(copy, index, *value) };
    }
    Ok(copy)
}

macro_rules! array_getters {
    ($($function:ident, $type:ident, $array:ident, $count:ident, $get:expr;)*) => {$(
        /// Returns a copy of the numbers, for the caller to free.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $function(
            tensor: *const abi::aclTensor,
            $array: *mut *mut i64,
            $count: *mut u64,
        ) -> abi::aclnnStatus {
            status::entry(stringify!($function), || {
                let tensor = find(tensor, "tensor")?;
                let (array, count) = (out!($array), out!($count));
                let get: fn(&Tensor) -> Dims = $get;
                let values = get(&tensor);
                array.write(hand_out(&values)?);
                count.write(values.len() as u64);
                Ok(())
            })
        }
        const _: abi::$type = $function;
    )*};
}
array_getters! {
    aclGetViewShape, aclGetViewShapeFn, viewDims, viewDimsNum, Tensor::actual_dims;
    aclGetStorageShape, aclGetStorageShapeFn, storageDims, storageDimsNum, |tensor| tensor.storage.clone();
    aclGetViewStrides, aclGetViewStridesFn, stridesValue, stridesNum, |tensor| tensor.strides.clone();
}

macro_rules! getters {
    ($($function:ident, $type:ident, $result:ident: $kind:ty, $get:expr;)*) => {$(
        /// Returns one property of a tensor.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $function(tensor: *const abi::aclTensor, $result: *mut $kind) -> abi::aclnnStatus {
            status::entry(stringify!($function), || {
                let tensor = find(tensor, "tensor")?;
                let get: fn(&Tensor) -> $kind = $get;
                out!($result).write(get(&tensor));
                Ok(())
            })
        }
        const _: abi::$type = $function;
    )*};
}
getters! {
    aclGetViewOffset, aclGetViewOffsetFn, offset: i64, |tensor| tensor.offset;
    aclGetFormat, aclGetFormatFn, format: abi::aclFormat, |tensor| tensor.format;
    aclGetDataType, aclGetDataTypeFn, dataType: abi::aclDataType, |tensor| tensor.element().acl();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(
        dims: &[i64],
        strides: Option<&[i64]>,
        offset: i64,
        storage: i64,
    ) -> Result<Tensor, CallError> {
        Description {
            dims: dims.into(),
            strides: strides.map(Into::into),
            offset,
            storage: Dims::from_slice(&[storage]),
            element: Element::F32,
            format: abi::ACL_FORMAT_ND,
            address: 0x1000,
        }
        .tensor()
    }

    #[test]
    fn a_view_lies_inside_its_storage() {
        let whole = described(&[2, 3], None, 1, 7).unwrap();
        assert_eq!((whole.address, whole.reach), (0x1004, 6));
        assert!(described(&[2, 3], None, 2, 7).is_err());
        assert_eq!(described(&[3, 2], Some(&[1, 3]), 0, 6).unwrap().reach, 6);
        assert_eq!(described(&[4, 3], Some(&[0, 1]), 0, 3).unwrap().reach, 3);
        assert_eq!(described(&[], None, 0, 1).unwrap().reach, 1);
    }

    #[test]
    fn a_view_without_elements_needs_no_memory() {
        assert_eq!(described(&[0, 3], None, 0, 0).unwrap().reach, 0);
        assert_eq!(described(&[0, 3], Some(&[5, 5]), 0, 0).unwrap().reach, 0);
    }

    #[test]
    fn impossible_views_are_refused() {
        assert!(described(&[-1], None, 0, 1).is_err());
        assert!(described(&[2], Some(&[-1]), 1, 2).is_err());
        assert!(described(&[1], None, -1, 1).is_err());
        assert!(described(&[i64::MAX, i64::MAX], None, 0, 1).is_err());
        assert!(described(&[2], Some(&[i64::MAX]), 0, 1).is_err());
        assert!(described(&[1], None, i64::MAX, i64::MAX).is_err());
    }
}
