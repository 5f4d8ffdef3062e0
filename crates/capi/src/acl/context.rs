//! `acl/rt/context.h`: contexts, and which one a thread uses.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_abi as abi;

use crate::boundary::{CallError, bad_value, entry, not_null, out};
use crate::handles::{self, CONTEXTS, ContextEntry, pointer};
use crate::registry::Kind;
use crate::{current, process};

fn resolve(context: abi::aclrtContext) -> Result<Arc<ContextEntry>, CallError> {
    not_null(context, "context")?;
    handles::resolve(&CONTEXTS, Kind::Context, context, "context").map(|entry| Arc::clone(&entry))
}

/// Creates a context on a device and makes it the thread's current one.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateContext(
    context: *mut abi::aclrtContext,
    deviceId: i32,
) -> abi::aclError {
    entry("aclrtCreateContext", || {
        let out = out!(context);
        let entry = current::create(i64::from(deviceId), false)?;
        let handle = entry.handle.load(Ordering::Acquire);
        current::set(Some(entry));
        out.write(pointer(handle));
        Ok(())
    })
}
const _: abi::aclrtCreateContextFn = aclrtCreateContext;

/// Ends a context after its work; the one of `aclrtSetDevice` is ended by `aclrtResetDevice`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDestroyContext(context: abi::aclrtContext) -> abi::aclError {
    entry("aclrtDestroyContext", || {
        let entry = resolve(context)?;
        if entry.primary {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_CONTEXT_NULL,
                "the argument 'context' is the context of aclrtSetDevice: destroy it with \
                       aclrtResetDevice"
                    .to_owned(),
            ));
        }
        current::end(&entry, false)
    })
}
const _: abi::aclrtDestroyContextFn = aclrtDestroyContext;

/// Makes a context the thread's current one, and its device with it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetCurrentContext(
    context: abi::aclrtContext,
) -> abi::aclError {
    entry("aclrtSetCurrentContext", || {
        current::set(Some(resolve(context)?));
        Ok(())
    })
}
const _: abi::aclrtSetCurrentContextFn = aclrtSetCurrentContext;

/// The thread's current context.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetCurrentContext(
    context: *mut abi::aclrtContext,
) -> abi::aclError {
    entry("aclrtGetCurrentContext", || {
        let out = out!(context);
        let handle = current::with(|entry| Ok(entry.handle.load(Ordering::Acquire)))?;
        out.write(pointer(handle));
        Ok(())
    })
}
const _: abi::aclrtGetCurrentContextFn = aclrtGetCurrentContext;

/// The default stream of the current context, which NULL means.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCtxGetCurrentDefaultStream(
    stream: *mut abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtCtxGetCurrentDefaultStream", || {
        let out = out!(stream);
        let entry = current::context()?;
        out.write(pointer(current::default_stream_handle(&entry)?));
        Ok(())
    })
}
const _: abi::aclrtCtxGetCurrentDefaultStreamFn = aclrtCtxGetCurrentDefaultStream;

/// Whether a device's primary context is in use.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetPrimaryCtxState(
    deviceId: i32,
    flags: *mut u32,
    active: *mut i32,
) -> abi::aclError {
    entry("aclrtGetPrimaryCtxState", || {
        if !flags.is_null() {
            return bad_value("flags", "not NULL", "it is reserved and must be NULL");
        }
        let out = out!(active);
        process::settings()?.physical(i64::from(deviceId))?;
        out.write(i32::from(current::primary_is_active(i64::from(deviceId))));
        Ok(())
    })
}
const _: abi::aclrtGetPrimaryCtxStateFn = aclrtGetPrimaryCtxState;
