//! `aclIntArray`: a list of integers, copied in.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond_abi as abi;

use crate::boundary::{self, Fault, bad_value, entry, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{Kind, Registry};

static ARRAYS: Registry<Vec<i64>> = Registry::new(Kind::IntArray);

/// The integers in an argument; NULL stands for none.
pub(super) fn integers(
    array: *const abi::aclIntArray,
    argument: &'static str,
) -> Result<Vec<i64>, Fault> {
    if array.is_null() {
        return Ok(Vec::new());
    }
    Ok(resolve(&ARRAYS, Kind::IntArray, array.cast(), argument)?.to_vec())
}

/// Creates a list.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclCreateIntArray(
    value: *const i64,
    size: u64,
) -> *mut abi::aclIntArray {
    value_entry("aclCreateIntArray", std::ptr::null_mut(), || {
        let Ok(size) = usize::try_from(size) else {
            return bad_value("size", size, "the machine cannot hold so much");
        };
        // SAFETY: the header's contract for this argument.
        let values = unsafe { boundary::array(value, size, "value") }?;
        Ok(pointer(mint(&ARRAYS, Kind::IntArray, values)?).cast())
    })
}
const _: abi::aclCreateIntArrayFn = aclCreateIntArray;

/// Ends a list.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclDestroyIntArray(
    array: *const abi::aclIntArray,
) -> abi::aclnnStatus {
    entry("aclDestroyIntArray", || {
        withdraw(&ARRAYS, Kind::IntArray, array.cast(), "array").map(drop)
    })
}
const _: abi::aclDestroyIntArrayFn = aclDestroyIntArray;
