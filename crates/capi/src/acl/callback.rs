//! `acl/rt/callback.h`: functions of the program that streams run, and hooks.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::time::Duration;

use millpond::lock::assert_none_held;
use millpond::{Error, Reports, Stream};
use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::{CallError, bad_value, entry, not_null, text};
use crate::hooks::{self, UserData};
use crate::{current, handles, process};

/// The receiving ends of reports, by the thread that processes them.
static REPORTS: Mutex<Option<HashMap<u64, Reports>>> = Mutex::new(None);

fn not_subscribed(thread: u64) -> CallError {
    CallError::coded(
        abi::ACL_ERROR_RT_THREAD_SUBSCRIBE,
        format!("thread {thread:#x} is not subscribed: call aclrtSubscribeReport first"),
    )
}

fn this_thread() -> u64 {
    // SAFETY: takes nothing and cannot fail.
    let thread = unsafe { libc::pthread_self() };
    #[allow(
        clippy::unnecessary_cast,
        reason = "an integer or a pointer, by platform"
    )]
    {
        thread as u64
    }
}

/// A function of the program and the pointer it gets, to be run later on another thread.
fn later(
    run: unsafe extern "C-unwind" fn(*mut c_void),
    data: UserData,
) -> impl FnOnce() + Send + 'static {
    move || {
        let data = data;
        assert_none_held();
        // SAFETY: the program passed function and pointer to be called like this: once, or, if it is captured, at every launch.
        unsafe { run(data.0) };
    }
}

/// Queues a function for the thread that processes the stream's reports.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtLaunchCallback(
    r#fn: abi::aclrtCallback,
    userData: *mut c_void,
    blockType: abi::aclrtCallbackBlockType,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtLaunchCallback", || {
        let Some(run) = r#fn else {
            return Err(CallError::null("fn"));
        };
        let blocks = match blockType {
            abi::ACL_CALLBACK_NO_BLOCK => false,
            abi::ACL_CALLBACK_BLOCK => true,
            _ => {
                return bad_value(
                    "blockType",
                    blockType,
                    "it must be 0 (do not block) or 1 (block)",
                );
            }
        };
        current::on_stream(stream, "stream", |stream| {
            let data = UserData(userData);
            // A launch passes it to the thread that was subscribed to the captured stream.
            if !stream.has_subscriber() {
                return Err(Error::NotSubscribed.into());
            }
            let captured = stream.clone();
            let asked = stream.clone();
            let check = move |_: &Stream| {
                if asked.has_subscriber() {
                    Ok(())
                } else {
                    Err(Error::NotSubscribed.into())
                }
            };
            let name = "aclrtLaunchCallback";
            Ok(stream.call_using(name, &[], check, move |stream| {
                let data = data;
                Ok(stream.report_as(&captured, later(run, data), blocks)?)
            })?)
        })
    })
}
const _: abi::aclrtLaunchCallbackFn = aclrtLaunchCallback;

/// Queues a function that runs on a thread of its own; the stream waits for it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtLaunchHostFunc(
    stream: abi::aclrtStream,
    r#fn: abi::aclrtHostFunc,
    args: *mut c_void,
) -> abi::aclError {
    entry("aclrtLaunchHostFunc", || {
        let Some(run) = r#fn else {
            return Err(CallError::null("fn"));
        };
        current::on_stream(stream, "stream", |stream| {
            let data = UserData(args);
            Ok(stream.call("aclrtLaunchHostFunc", move |stream| {
                let data = data;
                Ok(stream.host_function(later(run, data))?)
            })?)
        })
    })
}
const _: abi::aclrtLaunchHostFuncFn = aclrtLaunchHostFunc;

/// Sends a stream's reports to a thread.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSubscribeReport(
    threadId: u64,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtSubscribeReport", || {
        let entry = handles::stream(stream, "stream")?;
        let mut known = REPORTS.lock();
        let known = known.get_or_insert_default();
        let runtime = process::runtime()?;
        let reports = known
            .entry(threadId)
            .or_insert_with(|| runtime.create_reports());
        let subscribed = entry.stream.subscribe(reports);
        if !reports.has_streams() {
            known.remove(&threadId);
        }
        Ok(subscribed?)
    })
}
const _: abi::aclrtSubscribeReportFn = aclrtSubscribeReport;

/// Waits for reports of the calling thread's streams and runs them; the limit is in milliseconds.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtProcessReport(timeout: i32) -> abi::aclError {
    entry("aclrtProcessReport", || {
        let limit = match u64::try_from(timeout) {
            Ok(0) => {
                return bad_value(
                    "timeout",
                    0,
                    "it must be -1 (no limit) or a number of milliseconds",
                );
            }
            Ok(limit) => Some(Duration::from_millis(limit)),
            Err(_) if timeout == -1 => None,
            Err(_) => {
                return bad_value(
                    "timeout",
                    timeout,
                    "it must be -1 (no limit) or a number of milliseconds",
                );
            }
        };
        let thread = this_thread();
        let reports = REPORTS
            .lock()
            .as_ref()
            .and_then(|known| known.get(&thread).cloned());
        let reports = reports.ok_or_else(|| not_subscribed(thread))?;
        match reports.process(limit) {
            // Its last stream has gone, and the subscription with it.
            Err(Error::NotSubscribed) => {
                let mut known = REPORTS.lock();
                if !reports.has_streams() {
                    known.get_or_insert_default().remove(&thread);
                }
                Err(not_subscribed(thread))
            }
            other => other.map(drop).map_err(CallError::from),
        }
    })
}
const _: abi::aclrtProcessReportFn = aclrtProcessReport;

/// Ends what `aclrtSubscribeReport` began.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtUnSubscribeReport(
    threadId: u64,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtUnSubscribeReport", || {
        let entry = handles::stream(stream, "stream")?;
        // One lock for all of it, so that a stream that is subscribed meanwhile is not lost.
        let mut known = REPORTS.lock();
        let known = known.get_or_insert_default();
        let reports = known
            .get(&threadId)
            .ok_or_else(|| not_subscribed(threadId))?;
        match entry.stream.unsubscribe(reports) {
            Err(Error::NotSubscribed) => {
                return Err(CallError::coded(
                    abi::ACL_ERROR_RT_STREAM_SUBSCRIBE,
                    "it is not the thread that the stream is subscribed to",
                ));
            }
            other => other?,
        }
        if !reports.has_streams() {
            known.remove(&threadId);
        }
        Ok(())
    })
}
const _: abi::aclrtUnSubscribeReportFn = aclrtUnSubscribeReport;

/// Registers a callback for the creation and destruction of streams; NULL removes it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtRegStreamStateCallback(
    regName: *const c_char,
    callback: abi::aclrtStreamStateCallback,
    args: *mut c_void,
) -> abi::aclError {
    entry("aclrtRegStreamStateCallback", || {
        // SAFETY: the header's contract for this argument.
        let name = unsafe { text(regName, "regName") }?;
        hooks::register_stream(name, callback, UserData(args));
        Ok(())
    })
}
const _: abi::aclrtRegStreamStateCallbackFn = aclrtRegStreamStateCallback;

/// Registers a callback for setting and resetting devices; NULL removes it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtRegDeviceStateCallback(
    regName: *const c_char,
    callback: abi::aclrtDeviceStateCallback,
    args: *mut c_void,
) -> abi::aclError {
    entry("aclrtRegDeviceStateCallback", || {
        // SAFETY: the header's contract for this argument.
        let name = unsafe { text(regName, "regName") }?;
        hooks::register_device(name, callback, UserData(args));
        Ok(())
    })
}
const _: abi::aclrtRegDeviceStateCallbackFn = aclrtRegDeviceStateCallback;

/// The parts that callbacks of initialisation belong to.
fn known_part(part: abi::aclRegisterCallbackType) -> Result<(), CallError> {
    let parts = abi::ACL_REG_TYPE_ACL_MODEL..=abi::ACL_REG_TYPE_ACL_RETR;
    if parts.contains(&part) || part == abi::ACL_REG_TYPE_OTHER {
        return Ok(());
    }
    bad_value(
        "type",
        part,
        "it must be a value of aclRegisterCallbackType",
    )
}

/// Registers a function that `aclInit` calls.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclInitCallbackRegister(
    r#type: abi::aclRegisterCallbackType,
    cbFunc: abi::aclInitCallbackFunc,
    userData: *mut c_void,
) -> abi::aclError {
    entry("aclInitCallbackRegister", || {
        known_part(r#type)?;
        not_null(
            cbFunc.map_or(std::ptr::null(), |f| f as *const c_void),
            "cbFunc",
        )?;
        hooks::add_init(r#type, cbFunc, UserData(userData));
        Ok(())
    })
}
const _: abi::aclInitCallbackRegisterFn = aclInitCallbackRegister;

/// Takes it back.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclInitCallbackUnRegister(
    r#type: abi::aclRegisterCallbackType,
    cbFunc: abi::aclInitCallbackFunc,
) -> abi::aclError {
    entry("aclInitCallbackUnRegister", || {
        known_part(r#type)?;
        not_null(
            cbFunc.map_or(std::ptr::null(), |f| f as *const c_void),
            "cbFunc",
        )?;
        if hooks::remove_init(r#type, cbFunc) {
            return Ok(());
        }
        bad_value("cbFunc", "a function", "it is not registered for this type")
    })
}
const _: abi::aclInitCallbackUnRegisterFn = aclInitCallbackUnRegister;

/// Registers a function that `aclFinalize` calls.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclFinalizeCallbackRegister(
    r#type: abi::aclRegisterCallbackType,
    cbFunc: abi::aclFinalizeCallbackFunc,
    userData: *mut c_void,
) -> abi::aclError {
    entry("aclFinalizeCallbackRegister", || {
        known_part(r#type)?;
        not_null(
            cbFunc.map_or(std::ptr::null(), |f| f as *const c_void),
            "cbFunc",
        )?;
        hooks::add_finalize(r#type, cbFunc, UserData(userData));
        Ok(())
    })
}
const _: abi::aclFinalizeCallbackRegisterFn = aclFinalizeCallbackRegister;

/// Takes it back.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclFinalizeCallbackUnRegister(
    r#type: abi::aclRegisterCallbackType,
    cbFunc: abi::aclFinalizeCallbackFunc,
) -> abi::aclError {
    entry("aclFinalizeCallbackUnRegister", || {
        known_part(r#type)?;
        not_null(
            cbFunc.map_or(std::ptr::null(), |f| f as *const c_void),
            "cbFunc",
        )?;
        if hooks::remove_finalize(r#type, cbFunc) {
            return Ok(());
        }
        bad_value("cbFunc", "a function", "it is not registered for this type")
    })
}
const _: abi::aclFinalizeCallbackUnRegisterFn = aclFinalizeCallbackUnRegister;
