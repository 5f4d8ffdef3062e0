//! `acl/acl_rt_memory_soma.h`: stream-ordered pools.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond::{Error, MemoryPool, Reuse};
use millpond_abi as abi;

use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::handles::{POOLS, mint, pointer, resolve, withdraw};
use crate::registry::Kind;
use crate::{current, process};

/// Creates a pool on a device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemPoolCreate(
    memPool: *mut abi::aclrtMemPool,
    poolProps: *const abi::aclrtMemPoolProps,
) -> abi::aclError {
    entry("aclrtMemPoolCreate", || {
        let out = out!(memPool);
        // SAFETY: not null is checked; that it points to properties is the caller's promise.
        let props = unsafe { boundary::read(poolProps, "poolProps") }?;
        let device = device_of(&props)?;
        let limit = (props.maxSize > 0).then_some(props.maxSize as u64);
        let pool = process::runtime()?.device(device)?.create_pool(limit)?;
        out.write(pointer(mint(&POOLS, Kind::MemoryPool, pool)?));
        Ok(())
    })
}
const _: abi::aclrtMemPoolCreateFn = aclrtMemPoolCreate;

/// Checks the properties of a pool and returns its device.
fn device_of(props: &abi::aclrtMemPoolProps) -> Result<i64, CallError> {
    if props.allocType != abi::ACL_MEM_ALLOCATION_TYPE_PINNED {
        return bad_value(
            "poolProps->allocType",
            props.allocType,
            "it must be ACL_MEM_ALLOCATION_TYPE_PINNED",
        );
    }
    if props.handleType != abi::ACL_MEM_HANDLE_TYPE_NONE {
        return Err(CallError::coded(
            abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "pools that are shared with other processes are not supported: poolProps->handleType \
             must be ACL_MEM_HANDLE_TYPE_NONE",
        ));
    }
    if props.location.r#type != abi::ACL_MEM_LOCATION_TYPE_DEVICE {
        return bad_value(
            "poolProps->location.type",
            props.location.r#type,
            "it must be ACL_MEM_LOCATION_TYPE_DEVICE",
        );
    }
    if props.reserved.iter().any(|&byte| byte != 0) {
        return bad_value("poolProps->reserved", "not all zero", "it must be zeroed");
    }
    Ok(i64::from(props.location.id))
}

fn on_pool<T>(
    memPool: abi::aclrtMemPool,
    act: impl FnOnce(&MemoryPool) -> Result<T, CallError>,
) -> Result<T, CallError> {
    not_null(memPool, "memPool")?;
    let pool = resolve(&POOLS, Kind::MemoryPool, memPool, "memPool")?;
    act(&pool)
}

/// Ends a pool, all of whose blocks have been freed.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemPoolDestroy(memPool: abi::aclrtMemPool) -> abi::aclError {
    entry("aclrtMemPoolDestroy", || {
        on_pool(memPool, |pool| Ok(pool.destroy()?))?;
        withdraw(&POOLS, Kind::MemoryPool, memPool, "memPool")?;
        Ok(())
    })
}
const _: abi::aclrtMemPoolDestroyFn = aclrtMemPoolDestroy;

/// The permission that a switch controls.
fn switch(attr: abi::aclrtMemPoolAttr) -> Option<Reuse> {
    match attr {
        abi::ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES => Some(Reuse::FollowEvents),
        abi::ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC => Some(Reuse::Opportunistic),
        abi::ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES => Some(Reuse::InternalWaits),
        _ => None,
    }
}

fn unknown_attribute<T>(attr: abi::aclrtMemPoolAttr) -> Result<T, CallError> {
    bad_value("attr", attr, "it must be one of aclrtMemPoolAttr")
}

/// Changes an attribute of a pool.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemPoolSetAttr(
    memPool: abi::aclrtMemPool,
    attr: abi::aclrtMemPoolAttr,
    value: *mut c_void,
) -> abi::aclError {
    entry("aclrtMemPoolSetAttr", || {
        not_null(value, "value")?;
        on_pool(memPool, |pool| {
            if let Some(right) = switch(attr) {
                // SAFETY: not null; that a switch is 32 bits wide is the documented contract.
                let value = unsafe { boundary::read(value.cast::<u32>(), "value") }?;
                return match value {
                    0 | 1 => Ok(pool.set_reuse(right, value == 1)?),
                    _ => Err(CallError::coded(
                        abi::ACL_ERROR_RT_PARAM_INVALID,
                        format!("the value is {value}, but must be 0 or 1"),
                    )),
                };
            }
            // SAFETY: not null; that the others are 64 bits wide is the documented contract.
            let value = unsafe { boundary::read(value.cast::<u64>(), "value") }?;
            match attr {
                abi::ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD => {
                    Ok(pool.set_release_threshold(value)?)
                }
                abi::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH
                | abi::ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH
                    if value != 0 =>
                {
                    Err(CallError::coded(
                        abi::ACL_ERROR_RT_PARAM_INVALID,
                        format!("the value is {value}, but a peak can only be set to 0"),
                    ))
                }
                abi::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH => Ok(pool.reset_reserved_high()?),
                abi::ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH => Ok(pool.reset_used_high()?),
                abi::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT
                | abi::ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT => Err(CallError::coded(
                    abi::ACL_ERROR_RT_PARAM_INVALID,
                    format!("attribute {attr} is read-only"),
                )),
                _ => unknown_attribute(attr),
            }
        })
    })
}
const _: abi::aclrtMemPoolSetAttrFn = aclrtMemPoolSetAttr;

/// Reads an attribute of a pool.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemPoolGetAttr(
    memPool: abi::aclrtMemPool,
    attr: abi::aclrtMemPoolAttr,
    value: *mut c_void,
) -> abi::aclError {
    entry("aclrtMemPoolGetAttr", || {
        not_null(value, "value")?;
        on_pool(memPool, |pool| {
            if let Some(right) = switch(attr) {
                let allowed = pool.reuse(right)?;
                let value = value.cast::<u32>();
                out!(value).write(u32::from(allowed));
                return Ok(());
            }
            let numbers = pool.numbers()?;
            let number = match attr {
                abi::ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD => numbers.threshold,
                abi::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT => numbers.reserved,
                abi::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH => numbers.reserved_high,
                abi::ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT => numbers.used,
                abi::ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH => numbers.used_high,
                _ => return unknown_attribute(attr),
            };
            let value = value.cast::<u64>();
            out!(value).write(number);
            Ok(())
        })
    })
}
const _: abi::aclrtMemPoolGetAttrFn = aclrtMemPoolGetAttr;

/// Allocates in the order of a stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemPoolMallocAsync(
    ptr: *mut *mut c_void,
    size: usize,
    memPool: abi::aclrtMemPool,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemPoolMallocAsync", || {
        let out = out!(ptr);
        not_null(stream, "stream")?;
        on_pool(memPool, |pool| {
            if size == 0 {
                return Ok(());
            }
            let allocated = current::on_stream(stream, "stream", |stream| {
                if stream.device_index() != pool.device_index() {
                    return bad_value(
                        "stream",
                        "a stream of another device",
                        "it must belong to the pool's device",
                    );
                }
                not_in_a_graph(stream)?;
                pool.alloc_at(stream, size as u64).map_err(exhausted)
            });
            out.write(pointer(allocated?));
            Ok(())
        })
    })
}
const _: abi::aclrtMemPoolMallocAsyncFn = aclrtMemPoolMallocAsync;

/// A pool that has nothing left has a code of its own.
fn exhausted(error: Box<Error>) -> CallError {
    match *error {
        Error::OutOfMemory { .. } | Error::MachineFull { .. } => {
            CallError::coded(abi::ACL_ERROR_RT_INTERNAL_ERROR, error.to_string())
        }
        error => error.into(),
    }
}

/// Frees in the order of a stream: memory of a pool, or of `aclrtMalloc`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemPoolFreeAsync(
    ptr: *mut c_void,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtMemPoolFreeAsync", || {
        let address = not_null(ptr, "ptr")?;
        not_null(stream, "stream")?;
        current::on_stream(stream, "stream", |stream| {
            not_in_a_graph(stream)?;
            Ok(stream.free_at(address)?)
        })
    })
}
const _: abi::aclrtMemPoolFreeAsyncFn = aclrtMemPoolFreeAsync;

/// Gives back what a pool does not use.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtMemPoolTrimTo(
    memPool: abi::aclrtMemPool,
    minBytesToKeep: usize,
) -> abi::aclError {
    entry("aclrtMemPoolTrimTo", || {
        on_pool(memPool, |pool| Ok(pool.trim_to(minBytesToKeep as u64)?))
    })
}
const _: abi::aclrtMemPoolTrimToFn = aclrtMemPoolTrimTo;

/// A launch would need its own block each time, at the address that was captured.
fn not_in_a_graph(stream: &millpond::Stream) -> Result<(), CallError> {
    let what = "memory of a pool in stream order";
    let reason = "allocate it before the capture, and free it after the graph is destroyed";
    Ok(stream.not_captured(what, reason)?)
}
