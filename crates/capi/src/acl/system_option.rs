//! System options: numbers that are stored for a process or a context. They only affect kernels of an NPU.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashMap;

use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::{CallError, bad_value, entry, out};
use crate::current;

static OPTIONS: Mutex<Option<HashMap<i32, i64>>> = Mutex::new(None);

/// Forgets what the program has set.
pub(crate) fn forget() {
    *OPTIONS.lock() = None;
}

fn known(opt: abi::aclSysParamOpt) -> Result<(), CallError> {
    if (abi::ACL_OPT_DETERMINISTIC..=abi::ACL_OPT_ENABLE_KERNEL_EARLY_START).contains(&opt) {
        return Ok(());
    }
    bad_value("opt", opt, "it must be a value of aclSysParamOpt")
}

fn unset(opt: abi::aclSysParamOpt) -> CallError {
    CallError::coded(
        abi::ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
        format!("option {opt} is not set"),
    )
}

/// Reads an option of the current context.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCtxGetSysParamOpt(
    opt: abi::aclSysParamOpt,
    value: *mut i64,
) -> abi::aclError {
    entry("aclrtCtxGetSysParamOpt", || {
        let out = out!(value);
        known(opt)?;
        let set = current::with(|entry| Ok(entry.options.lock().get(&opt).copied()))?;
        out.write(set.ok_or_else(|| unset(opt))?);
        Ok(())
    })
}
const _: abi::aclrtCtxGetSysParamOptFn = aclrtCtxGetSysParamOpt;

/// Sets an option of the current context.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCtxSetSysParamOpt(
    opt: abi::aclSysParamOpt,
    value: i64,
) -> abi::aclError {
    entry("aclrtCtxSetSysParamOpt", || {
        known(opt)?;
        current::with(|entry| {
            entry.options.lock().insert(opt, value);
            Ok(())
        })
    })
}
const _: abi::aclrtCtxSetSysParamOptFn = aclrtCtxSetSysParamOpt;

/// Reads an option of the process. One that was never set is off: programs read it to restore it later.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetSysParamOpt(
    opt: abi::aclSysParamOpt,
    value: *mut i64,
) -> abi::aclError {
    entry("aclrtGetSysParamOpt", || {
        let out = out!(value);
        known(opt)?;
        let set = OPTIONS
            .lock()
            .as_ref()
            .and_then(|known| known.get(&opt).copied());
        out.write(set.unwrap_or(0));
        Ok(())
    })
}
const _: abi::aclrtGetSysParamOptFn = aclrtGetSysParamOpt;

/// Sets an option of the process.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetSysParamOpt(
    opt: abi::aclSysParamOpt,
    value: i64,
) -> abi::aclError {
    entry("aclrtSetSysParamOpt", || {
        known(opt)?;
        OPTIONS.lock().get_or_insert_default().insert(opt, value);
        Ok(())
    })
}
const _: abi::aclrtSetSysParamOptFn = aclrtSetSysParamOpt;
