//! Options for compiling operators. They are stored and returned, but have no effect, because none
//! of them changes what the host computes.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::BTreeMap;
use std::ffi::c_char;

use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::{self, CallError, bad_value, entry, not_null, text, value_entry};

/// What was set, by option.
static OPTIONS: Mutex<BTreeMap<abi::aclCompileOpt, String>> = Mutex::new(BTreeMap::new());

/// Forgets what the program has set.
pub(crate) fn forget() {
    OPTIONS.lock().clear();
}

/// The values that an option may have, where the host knows them all.
fn allowed(opt: abi::aclCompileOpt) -> Option<[&'static str; 2]> {
    match opt {
        abi::ACL_OP_JIT_COMPILE => Some(["enable", "disable"]),
        abi::ACL_OP_DETERMINISTIC => Some(["0", "1"]),
        _ => None,
    }
}

fn check(opt: abi::aclCompileOpt) -> Result<(), CallError> {
    if (abi::ACL_PRECISION_MODE..=abi::ACL_OP_DEBUG_OPTION).contains(&opt) {
        return Ok(());
    }
    bad_value("opt", opt, "it must be a value of aclCompileOpt")
}

/// What an option is: as it was set, or as it is without that.
fn value_of(opt: abi::aclCompileOpt) -> Result<String, CallError> {
    check(opt)?;
    let set = OPTIONS.lock().get(&opt).cloned();
    Ok(set.unwrap_or_else(|| match opt {
        // As on the chips that this one is like: programs then call operators by function where they can.
        abi::ACL_OP_JIT_COMPILE => "disable".to_owned(),
        abi::ACL_OP_DETERMINISTIC => "0".to_owned(),
        _ => String::new(),
    }))
}

/// Sets an option.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetCompileopt(
    opt: abi::aclCompileOpt,
    value: *const c_char,
) -> abi::aclError {
    entry("aclSetCompileopt", || {
        // SAFETY: the header's contract for this argument.
        let value = unsafe { text(value, "value") }?;
        check(opt)?;
        // Says nothing, so nothing changes: torch_npu sets this where several threads issue their first operators
        // at once, because one of them reads its own settings while another fills them in.
        if allowed(opt).is_some() && value.is_empty() {
            return Ok(());
        }
        if let Some([one, other]) = allowed(opt)
            && ![one, other].contains(&value.as_str())
        {
            return Err(CallError::coded(
                abi::ACL_ERROR_INVALID_PARAM,
                format!(
                    "the argument 'value' is \"{value}\", but must be \"{one}\" or \"{other}\" for option {opt}"
                ),
            ));
        }
        OPTIONS.lock().insert(opt, value);
        Ok(())
    })
}
const _: abi::aclSetCompileoptFn = aclSetCompileopt;

/// The length of an option's value with the terminator; 0 for an unknown option.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetCompileoptSize(opt: abi::aclCompileOpt) -> usize {
    value_entry("aclGetCompileoptSize", 0, || Ok(value_of(opt)?.len() + 1))
}
const _: abi::aclGetCompileoptSizeFn = aclGetCompileoptSize;

/// An option's value.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetCompileopt(
    opt: abi::aclCompileOpt,
    value: *mut c_char,
    length: usize,
) -> abi::aclError {
    entry("aclGetCompileopt", || {
        not_null(value, "value")?;
        let kept = value_of(opt)?;
        if length <= kept.len() {
            return bad_value(
                "length",
                length,
                "it must be at least what aclGetCompileoptSize returns",
            );
        }
        for (index, byte) in kept.bytes().chain([0]).enumerate() {
            // SAFETY: the caller says that there is room for `length` characters, and that is enough.
            unsafe { boundary::put(value.cast::<u8>(), index, byte) };
        }
        Ok(())
    })
}
const _: abi::aclGetCompileoptFn = aclGetCompileopt;

/// Chooses whether operators are compiled for one shape or many. Here they serve many anyway.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetCompileFlag(flag: abi::aclOpCompileFlag) -> abi::aclError {
    entry("aclopSetCompileFlag", || {
        if [abi::ACL_OP_COMPILE_DEFAULT, abi::ACL_OP_COMPILE_FUZZ].contains(&flag) {
            return Ok(());
        }
        bad_value("flag", flag, "it must be a value of aclOpCompileFlag")
    })
}
const _: abi::aclopSetCompileFlagFn = aclopSetCompileFlag;
