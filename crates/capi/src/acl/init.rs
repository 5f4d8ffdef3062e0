//! `acl/rt/init.h`: initialisation, finalisation and errors.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use millpond_abi as abi;
use millpond_model::read_regular;
use parking_lot::Mutex;

use crate::acl::op::compiled;
use crate::boundary::{CallError, bad_value, entry, out, value_entry};
use crate::{check, current, hooks, message, process};

/// How often `aclInit` was called, and with what.
static STATE: Mutex<State> = Mutex::new(State {
    count: 0,
    config: None,
    finalized: false,
});

struct State {
    count: u64,
    config: Option<String>,
    /// `aclFinalize` was called and no `aclInit` since.
    finalized: bool,
}

/// Takes all calls of `aclInit` back, without the functions that `aclFinalize` runs.
pub(crate) fn forget() {
    let mut state = STATE.lock();
    state.count = 0;
    state.config = None;
    state.finalized = false;
    drop(state);
    message::set_per_process(false);
}

/// The most bytes of a configuration file.
const LARGEST_CONFIG: u64 = 1 << 24;

/// The configuration file's text; without a file an empty object.
///
/// # Safety
/// `path` is null or a NUL-terminated string.
unsafe fn read_config(path: *const c_char) -> Result<String, CallError> {
    if path.is_null() {
        return Ok("{}".to_owned());
    }
    // SAFETY: not null as just checked; NUL-terminated as the caller promises.
    let path = Path::new(OsStr::from_bytes(
        unsafe { CStr::from_ptr(path) }.to_bytes(),
    ));
    if path.as_os_str().is_empty() {
        return Ok("{}".to_owned());
    }
    let unreadable = |why: &dyn std::fmt::Display| {
        let path = path.display();
        CallError::coded(
            abi::ACL_ERROR_INVALID_FILE,
            format!("cannot read the file '{path}' in 'configPath': {why}"),
        )
    };
    let bytes = read_regular(path, LARGEST_CONFIG).map_err(|error| unreadable(&error))?;
    String::from_utf8(bytes).map_err(|_| unreadable(&"it is not UTF-8"))
}

fn apply(text: &str) -> Result<(), CallError> {
    let document: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        CallError::coded(
            abi::ACL_ERROR_PARSE_FILE,
            format!("invalid JSON in the file of 'configPath': {error}"),
        )
    })?;
    process::configure(&document)?;
    if let Some(mode) = document.get("err_msg_mode") {
        match mode.as_str() {
            Some("0") => message::set_per_process(false),
            Some("1") => message::set_per_process(true),
            _ => return bad_value("err_msg_mode", mode, "it must be \"0\" or \"1\""),
        }
    }
    if let Some(number) = document.get("max_opqueue_num") {
        keep_operators(number)?;
    }
    let device = document
        .get("defaultDevice")
        .and_then(|own| own.get("default_device"));
    if let Some(device) = device {
        let text = device
            .as_str()
            .map_or_else(|| device.to_string(), str::to_owned);
        let index = text.parse::<i64>().ok().filter(|index| *index >= 0);
        let Some(index) = index else {
            return bad_value("default_device", text, "it must be the number of a device");
        };
        process::settings()?.physical(index)?;
        current::set_default_device(index);
    }
    Ok(())
}

/// Sets how many operators are kept ready.
fn keep_operators(number: &serde_json::Value) -> Result<(), CallError> {
    let text = number
        .as_str()
        .map_or_else(|| number.to_string(), str::to_owned);
    match text.parse::<usize>() {
        Ok(count) if count > 0 => {
            compiled::keep(count);
            Ok(())
        }
        _ => Err(CallError::coded(
            abi::ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG,
            format!("'max_opqueue_num' is {text}, but must be a positive number"),
        )),
    }
}

/// Begins the use of the library. A second call counts, and returns that it was one.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclInit(configPath: *const c_char) -> abi::aclError {
    let mut repeated = false;
    let code = entry("aclInit", || {
        // SAFETY: the header's contract for this argument.
        let text = unsafe { read_config(configPath) }?;
        {
            let mut state = STATE.lock();
            if state.count > 0 {
                if state.config.as_deref() != Some(&text) {
                    return bad_value(
                        "configPath",
                        "a different configuration",
                        "all calls of aclInit must pass the same one",
                    );
                }
                state.count += 1;
                repeated = true;
                return Ok(());
            }
            apply(&text)?;
            process::settings()?;
            state.count = 1;
            state.config = Some(text.clone());
            state.finalized = false;
        }
        current::begin();
        process::began();
        hooks::run_init(&text).inspect_err(|_| {
            // What a callback refused has not begun.
            let mut state = STATE.lock();
            state.count = 0;
            state.config = None;
        })
    });
    // Not a failure, so no message is left: clients take a message for one.
    if repeated {
        abi::ACL_ERROR_REPEAT_INITIALIZE
    } else {
        code
    }
}
const _: abi::aclInitFn = aclInit;

fn finalize() -> Result<(), CallError> {
    let hooks = hooks::run_finalize();
    // Hooks are the program's, and may free things yet.
    check::look();
    process::ended();
    current::set_default_device(-1);
    current::keep_numbers();
    let bare = current::end_explicit_contexts();
    let mut first = hooks;
    for device in current::active_devices() {
        first = first.and(super::device::reset(device, true));
    }
    // Devices that were used only through contexts are not reset anywhere else.
    for device in bare {
        first = first.and(super::device::release_memory(device));
    }
    first
}

fn already_finalized() -> CallError {
    CallError::coded(
        abi::ACL_ERROR_REPEAT_FINALIZE,
        "the library is already finalised",
    )
}

/// Ends the use of the library, however often it was initialised. Devices are reset.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclFinalize() -> abi::aclError {
    entry("aclFinalize", || {
        {
            let mut state = STATE.lock();
            if state.finalized {
                return Err(already_finalized());
            }
            state.finalized = true;
            state.count = 0;
        }
        finalize()
    })
}
const _: abi::aclFinalizeFn = aclFinalize;

/// Takes one call of `aclInit` back; the last one finalises.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclFinalizeReference(refCount: *mut u64) -> abi::aclError {
    entry("aclFinalizeReference", || {
        let remaining = {
            let mut state = STATE.lock();
            if state.count == 0 {
                return Err(already_finalized());
            }
            state.count -= 1;
            state.finalized = state.count == 0;
            state.count
        };
        let ended = if remaining == 0 { finalize() } else { Ok(()) };
        if !refCount.is_null() {
            out!(refCount).write(remaining);
        }
        ended
    })
}
const _: abi::aclFinalizeReferenceFn = aclFinalizeReference;

/// The text of the last error, once; NULL when there is none.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetRecentErrMsg() -> *const c_char {
    // Also in a forked child: this is where it reads why its calls fail.
    std::panic::catch_unwind(message::take).unwrap_or(std::ptr::null())
}
const _: abi::aclGetRecentErrMsgFn = aclGetRecentErrMsg;

fn last_error(level: abi::aclrtLastErrLevel, clear: bool) -> Result<abi::aclError, CallError> {
    if level != abi::ACL_RT_THREAD_LEVEL {
        return bad_value("level", level, "it must be ACL_RT_THREAD_LEVEL");
    }
    let code = message::peek_code();
    if clear {
        message::put_code(0);
    }
    Ok(code)
}

/// The last code of the runtime's own layer on this thread.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtPeekAtLastError(
    level: abi::aclrtLastErrLevel,
) -> abi::aclError {
    let wrong = abi::ACL_ERROR_INVALID_PARAM;
    value_entry("aclrtPeekAtLastError", wrong, || last_error(level, false))
}
const _: abi::aclrtPeekAtLastErrorFn = aclrtPeekAtLastError;

/// The same, and forgets it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetLastError(level: abi::aclrtLastErrLevel) -> abi::aclError {
    let wrong = abi::ACL_ERROR_INVALID_PARAM;
    value_entry("aclrtGetLastError", wrong, || last_error(level, true))
}
const _: abi::aclrtGetLastErrorFn = aclrtGetLastError;
