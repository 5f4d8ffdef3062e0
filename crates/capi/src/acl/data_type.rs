//! How many bytes an element of each type has, and the name of the chip.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};

use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::value_entry;
use crate::process;

/// Bytes of one element. Types of less than a byte count as one; numbers that name no type, and
/// some newer types, count as eight: programs see this table from other implementations.
pub(crate) fn size_of_type(data_type: abi::aclDataType) -> usize {
    match data_type {
        abi::ACL_DT_UNDEFINED | abi::ACL_STRING => 0,
        abi::ACL_INT8
        | abi::ACL_UINT8
        | abi::ACL_BOOL
        | abi::ACL_INT4
        | abi::ACL_UINT1
        | abi::ACL_HIFLOAT8
        | abi::ACL_FLOAT8_E5M2
        | abi::ACL_FLOAT8_E4M3FN
        | abi::ACL_FLOAT8_E8M0 => 1,
        abi::ACL_FLOAT16 | abi::ACL_INT16 | abi::ACL_UINT16 | abi::ACL_BF16 => 2,
        abi::ACL_FLOAT | abi::ACL_INT32 | abi::ACL_UINT32 | abi::ACL_COMPLEX32 => 4,
        abi::ACL_COMPLEX128 => 16,
        _ => 8,
    }
}

/// Bytes of one element of a type.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclDataTypeSize(dataType: abi::aclDataType) -> usize {
    size_of_type(dataType)
}
const _: abi::aclDataTypeSizeFn = aclDataTypeSize;

/// The name of the chip of the profile.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetSocName() -> *const c_char {
    // One for each name: the profile may change until a device is used.
    static NAMES: Mutex<BTreeMap<&str, CString>> = Mutex::new(BTreeMap::new());
    value_entry("aclrtGetSocName", std::ptr::null(), || {
        let name = process::settings()?.profile.soc_name;
        let mut names = NAMES.lock();
        let kept = names.entry(name);
        Ok(kept
            .or_insert_with(|| CString::new(name).unwrap_or_default())
            .as_ptr())
    })
}
const _: abi::aclrtGetSocNameFn = aclrtGetSocName;
