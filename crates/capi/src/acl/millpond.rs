//! What Millpond offers beyond AscendCL.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_char;

use millpond_abi as abi;

use crate::boundary::{entry, out};
use crate::{current, process};

/// The version of this library.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondVersion() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
const _: abi::millpondVersionFn = millpondVersion;

/// Returns idle pages of the current device, and of pinned host memory, to the operating system.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondMemTrim(bytesReturned: *mut usize) -> abi::aclError {
    entry("millpondMemTrim", || {
        let device = current::with(|entry| Ok(entry.context.device().trim()?))?;
        let bytes = device + process::runtime()?.trim_host()?;
        if !bytesReturned.is_null() {
            out!(bytesReturned).write(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        Ok(())
    })
}
const _: abi::millpondMemTrimFn = millpondMemTrim;
