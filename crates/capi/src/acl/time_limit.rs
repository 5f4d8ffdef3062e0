//! The time limit of operators: stored and returned, never enforced. An operator is a task on the
//! host, and stopping it would leave its outputs half written.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::sync::atomic::{AtomicU64, Ordering};

use millpond_abi as abi;

use crate::boundary::{entry, out};

/// In microseconds, which is the finest unit that any of the functions takes.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Limits can be set in steps of so many microseconds.
const STEP: u64 = 1;

/// Forgets what the program has set.
pub(crate) fn forget() {
    set(0);
}

fn set(microseconds: u64) {
    LIMIT.store(microseconds, Ordering::Relaxed);
}

/// The limit in seconds.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetOpExecuteTimeOut(timeout: u32) -> abi::aclError {
    entry("aclrtSetOpExecuteTimeOut", || {
        set(u64::from(timeout) * 1_000_000);
        Ok(())
    })
}
const _: abi::aclrtSetOpExecuteTimeOutFn = aclrtSetOpExecuteTimeOut;

/// The limit in milliseconds.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> abi::aclError {
    entry("aclrtSetOpExecuteTimeOutWithMs", || {
        set(u64::from(timeout) * 1000);
        Ok(())
    })
}
const _: abi::aclrtSetOpExecuteTimeOutWithMsFn = aclrtSetOpExecuteTimeOutWithMs;

/// The limit in microseconds, and what became of it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetOpExecuteTimeOutV2(
    timeout: u64,
    actualTimeout: *mut u64,
) -> abi::aclError {
    entry("aclrtSetOpExecuteTimeOutV2", || {
        let out = out!(actualTimeout);
        set(timeout);
        out.write(timeout);
        Ok(())
    })
}
const _: abi::aclrtSetOpExecuteTimeOutV2Fn = aclrtSetOpExecuteTimeOutV2;

/// The limit in milliseconds, rounded up; 0 if none was set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetOpExecuteTimeout(timeoutMs: *mut u32) -> abi::aclError {
    entry("aclrtGetOpExecuteTimeout", || {
        let out = out!(timeoutMs);
        let limit = LIMIT.load(Ordering::Relaxed).div_ceil(1000);
        out.write(u32::try_from(limit).unwrap_or(u32::MAX));
        Ok(())
    })
}
const _: abi::aclrtGetOpExecuteTimeoutFn = aclrtGetOpExecuteTimeout;

/// The step in which limits can be set, in microseconds.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetOpTimeOutInterval(interval: *mut u64) -> abi::aclError {
    entry("aclrtGetOpTimeOutInterval", || {
        let out = out!(interval);
        out.write(STEP);
        Ok(())
    })
}
const _: abi::aclrtGetOpTimeOutIntervalFn = aclrtGetOpTimeOutInterval;
