//! `millpond/binding.h`: for bindings of other languages.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{CStr, c_char};

use millpond_abi as abi;

use crate::boundary::{CallError, bad_value, entry};
use crate::{caller, testing};

/// Takes the call stacks of a language from its binding.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondSetFrameProvider(
    provider: abi::millpondFrameProvider,
) -> abi::aclError {
    if caller::set_provider(provider) {
        return abi::ACL_SUCCESS;
    }
    entry("millpondSetFrameProvider", || {
        bad_value(
            "provider",
            "an address",
            "it must be a function of a loaded library",
        )
    })
}
const _: abi::millpondSetFrameProviderFn = millpondSetFrameProvider;

/// How many frames of each call are wanted.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondFramesWanted() -> u32 {
    u32::try_from(caller::depth_wanted()).unwrap_or(u32::MAX)
}
const _: abi::millpondFramesWantedFn = millpondFramesWanted;

/// Replaces the plans of `MILLPOND_FAULT`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondSetFaults(plans: *const c_char) -> abi::aclError {
    entry("millpondSetFaults", || {
        let text = if plans.is_null() {
            c""
        } else {
            // SAFETY: not null; the header says that it is a text.
            unsafe { CStr::from_ptr(plans) }
        };
        testing::set_rules(&text.to_string_lossy())
            .map_err(|problem| CallError::coded(abi::ACL_ERROR_INVALID_PARAM, problem))
    })
}
const _: abi::millpondSetFaultsFn = millpondSetFaults;
