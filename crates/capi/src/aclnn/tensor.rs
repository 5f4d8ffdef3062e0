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
use crate::handles::{discard, mint_with, pointer, resolve};
use crate::registry::{HandleGuard, Kind, Registry};

pub(crate) static TENSORS: Registry<Entry> = Registry::new(Kind::Tensor);

/// What a handle names. A tensor is replaced as a whole when it is initialised again, so whoever has it sees one description.
#[derive(Debug)]
pub(crate) struct Entry {
    first: Tensor,
    /// Whether there is a later one. Few tensors are initialised again, and the others need no lock.
    changed: AtomicBool,
    later: RwLock<Option<Arc<Tensor>>>,
}

impl Entry {
    #[inline(always)]
    fn blank() -> Self {
        Self {
            first: Tensor::blank(),
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

fn wrong(text: String) -> CallError {
    CallError::coded(abi::ACLNN_ERR_PARAM_INVALID, text)
}

/// Finds where a view begins and how far it reaches; everything else of `tensor` is known. `base` is where its storage begins.
fn place(tensor: &mut Tensor, base: u64) -> Result<(), CallError> {
    let Some((address, reach)) = placed(tensor, base) else {
        return Err(misplaced(tensor));
    };
    (tensor.address, tensor.reach) = (address, reach);
    Ok(())
}

/// Where the first element is, and how many elements there are from it to the last one, both counted; `None` if there is no such view.
fn placed(tensor: &Tensor, base: u64) -> Option<(u64, i64)> {
    let mut lowest = tensor.offset;
    let (mut all, mut last, mut room) = (1_i64, Some(0_i64), 1_i64);
    let mut empty = false;
    for (dim, stride) in tensor.dims.iter().zip(&tensor.strides) {
        lowest = lowest.min(*dim).min(*stride);
        empty |= *dim == 0;
        all = all.checked_mul((*dim).max(1))?;
        let step = dim.wrapping_sub(1).checked_mul(*stride);
        last = step.and_then(|step| last?.checked_add(step));
    }
    // The storage of a plain layout says nothing: programs describe views that lie beyond it, or one of fewer than no elements
    // (llama.cpp does both). Whether there is memory is known when the tensor is used.
    if tensor.has_blocks() {
        for dim in &tensor.storage {
            lowest = lowest.min(*dim);
            room = room.checked_mul(*dim)?;
        }
    }
    // A view without elements reaches nowhere, whatever its strides are.
    let reach = if empty { 0 } else { last?.checked_add(1)? };
    let end = tensor.offset.checked_add(reach)?;
    let is_outside = tensor.has_blocks() && reach > 0 && end > room;
    if lowest < 0 || is_outside {
        return None;
    }
    let size = tensor.element().bytes() as u64;
    reach.unsigned_abs().checked_mul(size)?;
    // Without a base the address comes later.
    let address = match base {
        0 => 0,
        _ => base.checked_add(tensor.offset.unsigned_abs().checked_mul(size)?)?,
    };
    Some((address, reach))
}

/// Why there is no such view.
#[cold]
fn misplaced(tensor: &Tensor) -> CallError {
    let (dims, strides, offset) = (&tensor.dims, &tensor.strides, tensor.offset);
    if let Some(dim) = dims.iter().chain(&tensor.storage).find(|dim| **dim < 0) {
        return CallError::value("viewDims", dim, "dimensions are 0 or more");
    }
    let product = |dims: &Dims, least: i64| {
        dims.iter()
            .try_fold(1_i64, |all, dim| all.checked_mul((*dim).max(least)))
    };
    let uncountable = || wrong(format!("a view of {dims:?} is larger than any memory"));
    if product(dims, 1).is_none() {
        return uncountable();
    }
    if offset < 0 || strides.iter().any(|stride| *stride < 0) {
        return wrong(format!(
            "the view begins at element {offset} and has strides {strides:?}; neither may be negative"
        ));
    }
    let mut axes = dims.iter().zip(strides);
    let end = axes.try_fold(offset, |end, (dim, stride)| {
        end.checked_add((dim - 1).checked_mul(*stride)?)
    });
    let end = end.and_then(|last| last.checked_add(1));
    match (end, product(&tensor.storage, 0)) {
        (Some(end), Some(room)) if end > room => wrong(format!(
            "the view {dims:?} with strides {strides:?} and offset {offset} reaches element {end}, but the storage has {room}"
        )),
        _ => uncountable(),
    }
}

/// How long an array is.
fn length(count: u64, argument: &'static str) -> Result<usize, CallError> {
    match usize::try_from(count) {
        Ok(count) if count <= 64 => Ok(count),
        _ => bad_value(argument, count, "tensors have at most 64 axes"),
    }
}

/// Reads a list of dimensions that C points to.
///
/// # Safety
/// As for [`boundary::array`].
#[inline(always)]
unsafe fn read_dims(
    into: &mut Dims,
    pointer: *const i64,
    count: usize,
    argument: &'static str,
) -> Result<(), CallError> {
    if count > 0 && pointer.is_null() {
        return Err(CallError::null(argument));
    }
    into.assign(count, |index| {
        // SAFETY: the caller's promise.
        unsafe { pointer.wrapping_add(index).read_unaligned() }
    });
    Ok(())
}

/// Makes `tensor`, which is blank, the one that the nine arguments describe.
///
/// # Safety
/// The header's contract: arrays have as many members as their counts say.
#[expect(
    clippy::too_many_arguments,
    reason = "as many as the function of C has"
)]
unsafe fn describe(
    tensor: &mut Tensor,
    viewDims: *const i64,
    viewDimsNum: u64,
    dataType: abi::aclDataType,
    stride: *const i64,
    offset: i64,
    format: abi::aclFormat,
    storageDims: *const i64,
    storageDimsNum: u64,
    tensorData: *mut c_void,
) -> Result<(), CallError> {
    let rank = length(viewDimsNum, "viewDimsNum")?;
    let storage = length(storageDimsNum, "storageDimsNum")?;
    tensor.element = Element::stored_from_acl(dataType);
    if tensor.element.is_none() {
        return Err(wrong(format!(
            "operators do not support elements of type {dataType}"
        )));
    }
    // SAFETY: the caller's promise.
    unsafe { read_dims(&mut tensor.dims, viewDims, rank, "viewDims") }?;
    if stride.is_null() {
        tensor.strides = contiguous_strides(&tensor.dims);
    } else {
        // SAFETY: the caller's promise: one for each axis.
        unsafe { read_dims(&mut tensor.strides, stride, rank, "stride") }?;
    }
    // SAFETY: as above.
    unsafe { read_dims(&mut tensor.storage, storageDims, storage, "storageDims") }?;
    tensor.offset = offset;
    tensor.format = format;
    place(tensor, tensorData.addr() as u64)
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
        let handle = mint_with(&TENSORS, Kind::Tensor, |place| {
            let entry = place.insert(Entry::blank());
            // SAFETY: the header's contract.
            unsafe {
                describe(
                    &mut entry.first,
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
            }
        })?;
        Ok(pointer(handle).cast())
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
        let mut described = Tensor::blank();
        // SAFETY: the header's contract.
        unsafe {
            describe(
                &mut described,
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
    discard(&TENSORS, Kind::Tensor, tensor.cast(), "tensor")
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
        let mut tensor = Tensor::blank();
        tensor.dims = dims.into();
        tensor.strides = strides.map_or_else(|| contiguous_strides(dims), Into::into);
        tensor.offset = offset;
        tensor.storage = Dims::from_slice(&[storage]);
        tensor.element = Some(Element::F32);
        place(&mut tensor, 0x1000).map(|()| tensor)
    }

    fn refusal(dims: &[i64], strides: Option<&[i64]>, offset: i64, storage: i64) -> String {
        described(dims, strides, offset, storage)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_view_may_lie_outside_its_storage() {
        let whole = described(&[2, 3], None, 1, 7).unwrap();
        assert_eq!((whole.address, whole.reach), (0x1004, 6));
        let beyond = described(&[2, 3], None, 640, 7).unwrap();
        assert_eq!((beyond.address, beyond.reach), (0x1000 + 640 * 4, 6));
        assert_eq!(described(&[1], None, 0, -127).unwrap().reach, 1);
        assert_eq!(described(&[3, 2], Some(&[1, 3]), 0, 6).unwrap().reach, 6);
        assert_eq!(described(&[4, 3], Some(&[0, 1]), 0, 3).unwrap().reach, 3);
        assert_eq!(described(&[], None, 0, 1).unwrap().reach, 1);
    }

    #[test]
    fn a_view_without_elements_needs_no_memory() {
        assert_eq!(described(&[0, 3], None, 0, 0).unwrap().reach, 0);
        assert_eq!(described(&[0, 3], Some(&[5, 5]), 0, 0).unwrap().reach, 0);
        let far = [i64::MAX, i64::MAX];
        assert_eq!(described(&[0, 3], Some(&far), 0, 0).unwrap().reach, 0);
    }

    #[test]
    fn impossible_views_are_refused() {
        for (why, dims, strides, offset, storage) in [
            ("dimensions are 0 or more", &[-1][..], None, 0, 1),
            ("dimensions are 0 or more", &[i64::MIN], None, 0, 1),
            ("neither may be negative", &[2], Some(&[-1][..]), 1, 2),
            ("neither may be negative", &[1], None, -1, 1),
            ("larger than any memory", &[i64::MAX, i64::MAX], None, 0, 1),
            ("larger than any memory", &[3], Some(&[i64::MAX]), 0, 1),
            ("larger than any memory", &[2], Some(&[i64::MAX]), 0, 1),
            ("larger than any memory", &[1], None, i64::MAX, i64::MAX),
        ] {
            let text = refusal(dims, strides, offset, storage);
            assert!(text.contains(why), "{dims:?} {strides:?}: {text}");
        }
    }
}
