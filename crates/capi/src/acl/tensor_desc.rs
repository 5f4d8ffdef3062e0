//! `acl/acl_base_mdl.h`: descriptions of tensors. Plain host objects.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use millpond_abi as abi;
use parking_lot::Mutex;

use super::data_type::size_of_type;
use crate::boundary::{self, CallError, bad_value, entry, not_null, out, text, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{HandleGuard, Kind, Registry};

pub(crate) static TENSOR_DESCS: Registry<Mutex<TensorDesc>> = Registry::new(Kind::TensorDesc);

/// What a first dimension of this value says: not even the number of dimensions is known.
const UNKNOWN_RANK: i64 = -2;
/// The shape of the last dimension that `aclGetTensorDescDim` could not find.
const NO_DIM: i64 = -1;

/// What a description says.
#[derive(Debug, Clone, Default)]
pub(crate) struct TensorDesc {
    pub(crate) data_type: abi::aclDataType,
    pub(crate) format: abi::aclFormat,
    pub(crate) dims: Vec<i64>,
    /// Least and greatest value of each dimension, once they were set.
    pub(crate) ranges: Vec<[i64; 2]>,
    pub(crate) value_ranges: Vec<[i64; 2]>,
    pub(crate) name: CString,
    pub(crate) storage_format: Option<abi::aclFormat>,
    pub(crate) storage_dims: Option<Vec<i64>>,
    pub(crate) origin_format: Option<abi::aclFormat>,
    pub(crate) origin_dims: Option<Vec<i64>>,
    pub(crate) dynamic_input: String,
    pub(crate) constant: Option<Vec<u8>>,
    pub(crate) placement: abi::aclMemType,
}

impl TensorDesc {
    /// How many elements it has: 1 for a scalar, 0 when a dimension is unknown.
    pub(crate) fn elements(&self) -> usize {
        if self.dims.iter().any(|dim| *dim < 0) {
            return 0;
        }
        let mut dims = self
            .dims
            .iter()
            .map(|dim| usize::try_from(*dim).unwrap_or(0));
        dims.try_fold(1_usize, usize::checked_mul).unwrap_or(0)
    }

    /// Bytes of all elements; 0 when a dimension is unknown.
    pub(crate) fn bytes(&self) -> usize {
        self.elements()
            .checked_mul(size_of_type(self.data_type))
            .unwrap_or(0)
    }

    fn rank(&self) -> usize {
        if self.dims.first() == Some(&UNKNOWN_RANK) {
            return usize::try_from(abi::ACL_UNKNOWN_RANK).unwrap_or(usize::MAX);
        }
        self.dims.len()
    }
}

/// A description that a handle names.
pub(crate) type Desc = HandleGuard<'static, Mutex<TensorDesc>>;

/// The description in an argument.
pub(crate) fn find(
    desc: *const abi::aclTensorDesc,
    argument: &'static str,
) -> Result<Desc, CallError> {
    resolve(&TENSOR_DESCS, Kind::TensorDesc, desc.cast(), argument)
}

/// Mints the handle of a description.
pub(crate) fn adopt(desc: TensorDesc) -> Result<*mut abi::aclTensorDesc, CallError> {
    Ok(pointer(mint(&TENSOR_DESCS, Kind::TensorDesc, Mutex::new(desc))?).cast())
}

/// Destroys a description that the library created. That the program destroyed it before is
/// no concern.
pub(crate) fn discard(desc: *const abi::aclTensorDesc) {
    drop(withdraw(
        &TENSOR_DESCS,
        Kind::TensorDesc,
        desc.cast(),
        "desc",
    ));
}

fn described(desc: *const abi::aclTensorDesc) -> Result<Desc, CallError> {
    find(desc, "desc")
}

fn read<T>(
    function: &'static str,
    desc: *const abi::aclTensorDesc,
    otherwise: T,
    read: impl FnOnce(&TensorDesc) -> T,
) -> T {
    value_entry(function, otherwise, || Ok(read(&described(desc)?.lock())))
}

fn change(
    function: &'static str,
    desc: *mut abi::aclTensorDesc,
    change: impl FnOnce(&mut TensorDesc) -> Result<(), CallError>,
) -> abi::aclError {
    entry(function, || change(&mut described(desc)?.lock()))
}

/// # Safety
/// `dims` is null or points to `numDims` values.
unsafe fn shape(numDims: c_int, dims: *const i64) -> Result<Vec<i64>, CallError> {
    let Ok(count) = usize::try_from(numDims) else {
        return bad_value("numDims", numDims, "it must not be negative");
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::array(dims, count, "dims") }
}

/// Creates a description; without dimensions it is a scalar.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclCreateTensorDesc(
    dataType: abi::aclDataType,
    numDims: c_int,
    dims: *const i64,
    format: abi::aclFormat,
) -> *mut abi::aclTensorDesc {
    value_entry("aclCreateTensorDesc", std::ptr::null_mut(), || {
        let desc = TensorDesc {
            data_type: dataType,
            format,
            // SAFETY: the header's contract for these arguments.
            dims: unsafe { shape(numDims, dims) }?,
            ..TensorDesc::default()
        };
        adopt(desc)
    })
}
const _: abi::aclCreateTensorDescFn = aclCreateTensorDesc;

/// Ends a description. NULL is ignored.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclDestroyTensorDesc(desc: *const abi::aclTensorDesc) {
    if desc.is_null() {
        return;
    }
    value_entry("aclDestroyTensorDesc", (), || {
        withdraw(&TENSOR_DESCS, Kind::TensorDesc, desc.cast(), "desc").map(drop)
    });
}
const _: abi::aclDestroyTensorDescFn = aclDestroyTensorDesc;

/// Sets the least and greatest value of each dimension.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorShapeRange(
    desc: *mut abi::aclTensorDesc,
    dimsCount: usize,
    dimsRange: *mut [i64; abi::ACL_TENSOR_SHAPE_RANGE_NUM],
) -> abi::aclError {
    change("aclSetTensorShapeRange", desc, |desc| {
        // SAFETY: the header's contract for these arguments.
        desc.ranges = unsafe { boundary::array(dimsRange, dimsCount, "dimsRange") }?;
        Ok(())
    })
}
const _: abi::aclSetTensorShapeRangeFn = aclSetTensorShapeRange;

/// Sets the range of the values of a tensor.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorValueRange(
    desc: *mut abi::aclTensorDesc,
    valueCount: usize,
    valueRange: *mut [i64; abi::ACL_TENSOR_VALUE_RANGE_NUM],
) -> abi::aclError {
    change("aclSetTensorValueRange", desc, |desc| {
        // SAFETY: the header's contract for these arguments.
        desc.value_ranges = unsafe { boundary::array(valueRange, valueCount, "valueRange") }?;
        Ok(())
    })
}
const _: abi::aclSetTensorValueRangeFn = aclSetTensorValueRange;

/// The type of the elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescType(
    desc: *const abi::aclTensorDesc,
) -> abi::aclDataType {
    read(
        "aclGetTensorDescType",
        desc,
        abi::ACL_DT_UNDEFINED,
        |desc| desc.data_type,
    )
}
const _: abi::aclGetTensorDescTypeFn = aclGetTensorDescType;

/// The order of the dimensions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescFormat(
    desc: *const abi::aclTensorDesc,
) -> abi::aclFormat {
    read(
        "aclGetTensorDescFormat",
        desc,
        abi::ACL_FORMAT_UNDEFINED,
        |desc| desc.format,
    )
}
const _: abi::aclGetTensorDescFormatFn = aclGetTensorDescFormat;

/// Bytes of all elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescSize(desc: *const abi::aclTensorDesc) -> usize {
    read("aclGetTensorDescSize", desc, 0, TensorDesc::bytes)
}
const _: abi::aclGetTensorDescSizeFn = aclGetTensorDescSize;

/// How many elements there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescElementCount(
    desc: *const abi::aclTensorDesc,
) -> usize {
    read(
        "aclGetTensorDescElementCount",
        desc,
        0,
        TensorDesc::elements,
    )
}
const _: abi::aclGetTensorDescElementCountFn = aclGetTensorDescElementCount;

/// How many dimensions there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescNumDims(desc: *const abi::aclTensorDesc) -> usize {
    read("aclGetTensorDescNumDims", desc, 0, TensorDesc::rank)
}
const _: abi::aclGetTensorDescNumDimsFn = aclGetTensorDescNumDims;

/// One dimension; -1 if the index is out of range.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescDim(
    desc: *const abi::aclTensorDesc,
    index: usize,
) -> i64 {
    value_entry("aclGetTensorDescDim", NO_DIM, || dim(desc, index))
}
const _: abi::aclGetTensorDescDimFn = aclGetTensorDescDim;

fn dim(desc: *const abi::aclTensorDesc, index: usize) -> Result<i64, CallError> {
    let desc = described(desc)?;
    let found = desc.lock().dims.get(index).copied();
    found.map_or_else(
        || bad_value("index", index, "it must be below the number of dimensions"),
        Ok,
    )
}

/// One dimension.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescDimV2(
    desc: *const abi::aclTensorDesc,
    index: usize,
    dimSize: *mut i64,
) -> abi::aclError {
    entry("aclGetTensorDescDimV2", || {
        let out = out!(dimSize);
        out.write(dim(desc, index)?);
        Ok(())
    })
}
const _: abi::aclGetTensorDescDimV2Fn = aclGetTensorDescDimV2;

/// The range of one dimension, as it was set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescDimRange(
    desc: *const abi::aclTensorDesc,
    index: usize,
    dimRangeNum: usize,
    dimRange: *mut i64,
) -> abi::aclError {
    entry("aclGetTensorDescDimRange", || {
        not_null(dimRange, "dimRange")?;
        let desc = described(desc)?;
        let range = desc.lock().ranges.get(index).copied();
        let Some(range) = range else {
            return bad_value("index", index, "that dimension has no range");
        };
        if dimRangeNum < range.len() {
            return bad_value("dimRangeNum", dimRangeNum, "it must be at least 2");
        }
        for (place, bound) in range.into_iter().enumerate() {
            // SAFETY: the caller says that there is room for `dimRangeNum` numbers, at least two.
            unsafe { boundary::put(dimRange, place, bound) };
        }
        Ok(())
    })
}
const _: abi::aclGetTensorDescDimRangeFn = aclGetTensorDescDimRange;

/// Names a tensor.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorDescName(
    desc: *mut abi::aclTensorDesc,
    name: *const c_char,
) {
    value_entry("aclSetTensorDescName", (), || {
        not_null(name, "name")?;
        // SAFETY: not null as just checked; NUL-terminated by the header's contract. Kept byte by byte.
        let name = unsafe { CStr::from_ptr(name) }.to_owned();
        described(desc)?.lock().name = name;
        Ok(())
    });
}
const _: abi::aclSetTensorDescNameFn = aclSetTensorDescName;

/// A tensor's name. The text is good until the name is set again or the description ends.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescName(
    desc: *mut abi::aclTensorDesc,
) -> *const c_char {
    read("aclGetTensorDescName", desc, std::ptr::null(), |desc| {
        desc.name.as_ptr()
    })
}
const _: abi::aclGetTensorDescNameFn = aclGetTensorDescName;

/// The places of batch, channels, height and width in a format that has just these.
fn layout(format: abi::aclFormat) -> Option<[usize; 4]> {
    match format {
        abi::ACL_FORMAT_NCHW => Some([0, 1, 2, 3]),
        abi::ACL_FORMAT_NHWC => Some([0, 3, 1, 2]),
        abi::ACL_FORMAT_HWCN => Some([3, 2, 0, 1]),
        _ => None,
    }
}

/// Describes the same tensor in another format: between NCHW, NHWC and HWCN, or to the same one.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclTransTensorDescFormat(
    srcDesc: *const abi::aclTensorDesc,
    dstFormat: abi::aclFormat,
    dstDesc: *mut *mut abi::aclTensorDesc,
) -> abi::aclError {
    entry("aclTransTensorDescFormat", || {
        let out = out!(dstDesc);
        let source = find(srcDesc, "srcDesc")?;
        let mut desc = source.lock().clone();
        if desc.format != dstFormat {
            let (Some(from), Some(to)) = (layout(desc.format), layout(dstFormat)) else {
                return Err(CallError::coded(
                    abi::ACL_ERROR_FORMAT_NOT_MATCH,
                    format!(
                        "a tensor of format {} cannot be converted to format {dstFormat}: only \
                         NCHW, NHWC and HWCN can be converted into each other",
                        desc.format
                    ),
                ));
            };
            if desc.dims.len() != 4 {
                return bad_value(
                    "srcDesc",
                    format!("of {} dimensions", desc.dims.len()),
                    "it must have four",
                );
            }
            let mut dims = vec![0; 4];
            for (source, target) in from.into_iter().zip(to) {
                dims[target] = desc.dims[source];
            }
            desc.dims = dims;
            desc.format = dstFormat;
        }
        out.write(adopt(desc)?);
        Ok(())
    })
}
const _: abi::aclTransTensorDescFormatFn = aclTransTensorDescFormat;

/// The format in which the tensor is stored.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorStorageFormat(
    desc: *mut abi::aclTensorDesc,
    format: abi::aclFormat,
) -> abi::aclError {
    change("aclSetTensorStorageFormat", desc, |desc| {
        desc.storage_format = Some(format);
        Ok(())
    })
}
const _: abi::aclSetTensorStorageFormatFn = aclSetTensorStorageFormat;

/// The shape in which the tensor is stored.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorStorageShape(
    desc: *mut abi::aclTensorDesc,
    numDims: c_int,
    dims: *const i64,
) -> abi::aclError {
    change("aclSetTensorStorageShape", desc, |desc| {
        // SAFETY: the header's contract for these arguments.
        desc.storage_dims = Some(unsafe { shape(numDims, dims) }?);
        Ok(())
    })
}
const _: abi::aclSetTensorStorageShapeFn = aclSetTensorStorageShape;

/// The same under a newer name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorFormat(
    desc: *mut abi::aclTensorDesc,
    format: abi::aclFormat,
) -> abi::aclError {
    change("aclSetTensorFormat", desc, |desc| {
        desc.storage_format = Some(format);
        Ok(())
    })
}
const _: abi::aclSetTensorFormatFn = aclSetTensorFormat;

/// The same under a newer name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorShape(
    desc: *mut abi::aclTensorDesc,
    numDims: c_int,
    dims: *const i64,
) -> abi::aclError {
    change("aclSetTensorShape", desc, |desc| {
        // SAFETY: the header's contract for these arguments.
        desc.storage_dims = Some(unsafe { shape(numDims, dims) }?);
        Ok(())
    })
}
const _: abi::aclSetTensorShapeFn = aclSetTensorShape;

/// The format in which the tensor was before it was stored otherwise.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorOriginFormat(
    desc: *mut abi::aclTensorDesc,
    format: abi::aclFormat,
) -> abi::aclError {
    change("aclSetTensorOriginFormat", desc, |desc| {
        desc.origin_format = Some(format);
        Ok(())
    })
}
const _: abi::aclSetTensorOriginFormatFn = aclSetTensorOriginFormat;

/// The shape of the tensor before it was stored otherwise.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorOriginShape(
    desc: *mut abi::aclTensorDesc,
    numDims: c_int,
    dims: *const i64,
) -> abi::aclError {
    change("aclSetTensorOriginShape", desc, |desc| {
        // SAFETY: the header's contract for these arguments.
        desc.origin_dims = Some(unsafe { shape(numDims, dims) }?);
        Ok(())
    })
}
const _: abi::aclSetTensorOriginShapeFn = aclSetTensorOriginShape;

/// One description of a list. A description made here is a list of one.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescByIndex(
    desc: *mut abi::aclTensorDesc,
    index: usize,
) -> *mut abi::aclTensorDesc {
    value_entry("aclGetTensorDescByIndex", std::ptr::null_mut(), || {
        drop(described(desc)?);
        if index == 0 {
            return Ok(desc);
        }
        bad_value(
            "index",
            index,
            "it must be 0: there is only one description",
        )
    })
}
const _: abi::aclGetTensorDescByIndexFn = aclGetTensorDescByIndex;

/// The address of a described tensor. Only models assign addresses.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetTensorDescAddress(
    desc: *const abi::aclTensorDesc,
) -> *mut c_void {
    let none = std::ptr::null_mut();
    read("aclGetTensorDescAddress", desc, none, |_| none)
}
const _: abi::aclGetTensorDescAddressFn = aclGetTensorDescAddress;

/// Makes the tensor part of an operator's input of variable length.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorDynamicInput(
    desc: *mut abi::aclTensorDesc,
    dynamicInputName: *const c_char,
) -> abi::aclError {
    change("aclSetTensorDynamicInput", desc, |desc| {
        // SAFETY: the header's contract for this argument.
        desc.dynamic_input = unsafe { text(dynamicInputName, "dynamicInputName") }?;
        Ok(())
    })
}
const _: abi::aclSetTensorDynamicInputFn = aclSetTensorDynamicInput;

/// Gives the tensor fixed contents; they are copied.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorConst(
    desc: *mut abi::aclTensorDesc,
    dataBuffer: *mut c_void,
    length: usize,
) -> abi::aclError {
    change("aclSetTensorConst", desc, |desc| {
        not_null(dataBuffer, "dataBuffer")?;
        if length == 0 {
            return bad_value("length", 0, "it must be at least 1");
        }
        // SAFETY: the header's contract for these arguments.
        let bytes =
            unsafe { boundary::array(dataBuffer.cast::<u8>().cast_const(), length, "dataBuffer") }?;
        desc.constant = Some(bytes);
        Ok(())
    })
}
const _: abi::aclSetTensorConstFn = aclSetTensorConst;

/// Sets the memory that the tensor is in.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetTensorPlaceMent(
    desc: *mut abi::aclTensorDesc,
    memType: abi::aclMemType,
) -> abi::aclError {
    change("aclSetTensorPlaceMent", desc, |desc| {
        if !(abi::ACL_MEMTYPE_DEVICE..=abi::ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT).contains(&memType)
        {
            return bad_value("memType", memType, "it must be a value of aclMemType");
        }
        desc.placement = memType;
        Ok(())
    })
}
const _: abi::aclSetTensorPlaceMentFn = aclSetTensorPlaceMent;
