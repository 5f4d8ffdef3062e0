//! Scalars, lists of numbers, and lists of tensors and scalars.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::Element;
use millpond_abi as abi;
use millpond_functions::kernels::{Complex64, bf16, f16};
use millpond_functions::{Number, Scalar};

use super::{status, tensor};
use crate::boundary::{self, CallError, bad_value, out, value_entry};
use crate::handles::{discard, mint, pointer, resolve, withdraw, word};
use crate::registry::{Kind, Registry};

pub(crate) static SCALARS: Registry<Scalar> = Registry::new(Kind::Scalar);
pub(crate) static INTS: Registry<Vec<i64>> = Registry::new(Kind::IntArray);
pub(crate) static FLOATS: Registry<Vec<f32>> = Registry::new(Kind::FloatArray);
pub(crate) static BOOLS: Registry<Vec<bool>> = Registry::new(Kind::BoolArray);
pub(crate) static TENSOR_LISTS: Registry<Vec<Member>> = Registry::new(Kind::TensorList);
pub(crate) static SCALAR_LISTS: Registry<Vec<Member>> = Registry::new(Kind::ScalarList);

/// A member of a list, by the word of its handle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member(u64);

impl Member {
    pub(super) fn pointer<T>(self) -> *const T {
        pointer(self.0).cast_const().cast()
    }
}

/// Reads a number of a type that C names.
///
/// # Safety
/// `value` must point to a readable number of that type.
unsafe fn number(value: *const c_void, element: Element) -> Result<Number, CallError> {
    macro_rules! read {
        ($type:ty) => {
            // SAFETY: the caller's promise.
            unsafe { boundary::read(value.cast::<$type>(), "value") }?
        };
    }
    #[expect(
        clippy::cast_possible_wrap,
        reason = "numbers of 64 bits wrap, as in C"
    )]
    Ok(match element {
        Element::Bool => Number::Bool(read!(u8) != 0),
        Element::U8 => Number::Int(read!(u8).into()),
        Element::I8 => Number::Int(read!(i8).into()),
        Element::U16 => Number::Int(read!(u16).into()),
        Element::I16 => Number::Int(read!(i16).into()),
        Element::U32 => Number::Int(read!(u32).into()),
        Element::I32 => Number::Int(read!(i32).into()),
        Element::U64 => Number::Int(read!(u64) as i64),
        Element::I64 => Number::Int(read!(i64)),
        Element::F16 => Number::Float(f16::from_bits(read!(u16)).to_f64()),
        Element::BF16 => Number::Float(bf16::from_bits(read!(u16)).to_f64()),
        Element::F32 => Number::Float(read!(f32).into()),
        Element::F64 => Number::Float(read!(f64)),
        Element::C64 => {
            let [real, imaginary] = read!([f32; 2]);
            Number::Complex(Complex64::new(real.into(), imaginary.into()))
        }
        Element::C128 => {
            let [real, imaginary] = read!([f64; 2]);
            Number::Complex(Complex64::new(real, imaginary))
        }
        Element::C32 | Element::F8E4M3 | Element::F8E5M2 | Element::F8E8M0 => {
            return bad_value("dataType", element.name(), "scalars have other types");
        }
    })
}

/// Creates a scalar.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclCreateScalar(
    value: *mut c_void,
    dataType: abi::aclDataType,
) -> *mut abi::aclScalar {
    value_entry("aclCreateScalar", std::ptr::null_mut(), || {
        let Some(element) = Element::from_acl(dataType) else {
            return bad_value(
                "dataType",
                dataType,
                "a scalar must have a numeric type or bool",
            );
        };
        // SAFETY: the header's contract for this argument.
        let number = unsafe { number(value, element) }?;
        Ok(pointer(mint(&SCALARS, Kind::Scalar, Scalar { element, number })?).cast())
    })
}
const _: abi::aclCreateScalarFn = aclCreateScalar;

fn count(size: u64) -> Result<usize, CallError> {
    usize::try_from(size).or_else(|_| bad_value("size", size, "it is more than memory can hold"))
}

macro_rules! arrays {
    ($($create:ident, $create_type:ident, $type:ident, $from:ty, $registry:ident, $kind:ident, $convert:expr;)*) => {$(
        /// Creates a list of numbers.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $create(value: *const $from, size: u64) -> *mut abi::$type {
            value_entry(stringify!($create), std::ptr::null_mut(), || {
                // A truth value may be any byte.
                // SAFETY: the header's contract for this argument.
                let values = unsafe { boundary::array(value.cast(), count(size)?, "value") }?;
                let values = values.into_iter().map($convert).collect();
                Ok(pointer(mint(&$registry, Kind::$kind, values)?).cast())
            })
        }
        const _: abi::$create_type = $create;
    )*};
}
arrays! {
    aclCreateIntArray, aclCreateIntArrayFn, aclIntArray, i64, INTS, IntArray, |value: i64| value;
    aclCreateFloatArray, aclCreateFloatArrayFn, aclFloatArray, f32, FLOATS, FloatArray, |value: f32| value;
    aclCreateBoolArray, aclCreateBoolArrayFn, aclBoolArray, bool, BOOLS, BoolArray, |value: u8| value != 0;
}

macro_rules! destroys {
    ($($destroy:ident, $destroy_type:ident, $type:ident, $registry:ident, $kind:ident, $argument:ident;)*) => {$(
        /// Destroys it. NULL, an absent optional argument, is accepted.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $destroy($argument: *const abi::$type) -> abi::aclnnStatus {
            status::entry(stringify!($destroy), || {
                if $argument.is_null() {
                    return Ok(());
                }
                discard(&$registry, Kind::$kind, $argument.cast(), stringify!($argument))
            })
        }
        const _: abi::$destroy_type = $destroy;
    )*};
}
destroys! {
    aclDestroyScalar, aclDestroyScalarFn, aclScalar, SCALARS, Scalar, scalar;
    aclDestroyIntArray, aclDestroyIntArrayFn, aclIntArray, INTS, IntArray, array;
    aclDestroyFloatArray, aclDestroyFloatArrayFn, aclFloatArray, FLOATS, FloatArray, array;
    aclDestroyBoolArray, aclDestroyBoolArrayFn, aclBoolArray, BOOLS, BoolArray, array;
}

macro_rules! lists {
    ($($create:ident, $create_type:ident, $destroy:ident, $destroy_type:ident, $type:ident, $member:ident, $registry:ident, $kind:ident, $end:expr;)*) => {$(
        /// Creates a list, which owns its members from now on.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $create(value: *const *const abi::$member, size: u64) -> *mut abi::$type {
            value_entry(stringify!($create), std::ptr::null_mut(), || {
                // SAFETY: the header's contract for this argument.
                let members = unsafe { boundary::array(value, count(size)?, "value") }?;
                let members = members.into_iter().map(|member| Member(word(member.cast()))).collect();
                Ok(pointer(mint(&$registry, Kind::$kind, members)?).cast())
            })
        }
        const _: abi::$create_type = $create;

        /// Destroys a list and its members. NULL is accepted.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $destroy(array: *const abi::$type) -> abi::aclnnStatus {
            status::entry(stringify!($destroy), || {
                if array.is_null() {
                    return Ok(());
                }
                let members = withdraw(&$registry, Kind::$kind, array.cast(), "array")?;
                let end: fn(Member) -> Result<(), CallError> = $end;
                members.iter().try_for_each(|member| end(*member))
            })
        }
        const _: abi::$destroy_type = $destroy;
    )*};
}
lists! {
    aclCreateTensorList, aclCreateTensorListFn, aclDestroyTensorList, aclDestroyTensorListFn, aclTensorList, aclTensor, TENSOR_LISTS, TensorList,
        |member| tensor::destroy(member.pointer());
    aclCreateScalarList, aclCreateScalarListFn, aclDestroyScalarList, aclDestroyScalarListFn, aclScalarList, aclScalar, SCALAR_LISTS, ScalarList,
        |member| discard(&SCALARS, Kind::Scalar, member.pointer(), "scalar");
}

macro_rules! sizes {
    ($($get:ident, $get_type:ident, $type:ident, $registry:ident, $kind:ident, $argument:ident;)*) => {$(
        /// Returns how many members a list has.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $get($argument: *const abi::$type, size: *mut u64) -> abi::aclnnStatus {
            status::entry(stringify!($get), || {
                let list = resolve(&$registry, Kind::$kind, $argument.cast(), stringify!($argument))?;
                out!(size).write(list.len() as u64);
                Ok(())
            })
        }
        const _: abi::$get_type = $get;
    )*};
}
sizes! {
    aclGetIntArraySize, aclGetIntArraySizeFn, aclIntArray, INTS, IntArray, array;
    aclGetFloatArraySize, aclGetFloatArraySizeFn, aclFloatArray, FLOATS, FloatArray, array;
    aclGetBoolArraySize, aclGetBoolArraySizeFn, aclBoolArray, BOOLS, BoolArray, array;
    aclGetTensorListSize, aclGetTensorListSizeFn, aclTensorList, TENSOR_LISTS, TensorList, tensorList;
    aclGetScalarListSize, aclGetScalarListSizeFn, aclScalarList, SCALAR_LISTS, ScalarList, scalarList;
}
