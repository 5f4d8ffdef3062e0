//! Callbacks of the program for the creation and end of streams and devices, and when the
//! library is initialised and finalised. No lock is held while they run.
#![expect(unsafe_code, reason = "calls functions of the program")]

use std::collections::BTreeMap;
use std::ffi::c_void;

use millpond::lock::assert_none_held;
use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::CallError;
use crate::handles::pointer;

/// When a stream's hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamState {
    CreatePost = abi::ACL_RT_STREAM_STATE_CREATE_POST as isize,
    DestroyPre = abi::ACL_RT_STREAM_STATE_DESTROY_PRE as isize,
}

/// When a device's hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceState {
    SetPre = abi::ACL_RT_DEVICE_STATE_SET_PRE as isize,
    SetPost = abi::ACL_RT_DEVICE_STATE_SET_POST as isize,
    ResetPre = abi::ACL_RT_DEVICE_STATE_RESET_PRE as isize,
    ResetPost = abi::ACL_RT_DEVICE_STATE_RESET_POST as isize,
}

/// A pointer of the program that is passed back to it, on any thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UserData(pub(crate) *mut c_void);

// SAFETY: never dereferenced here, only given back to the program, which chose to have its
// functions called from several threads when it registered them.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

/// Hooks by the name they were registered under, called in the order of the names.
type Named<F> = Mutex<BTreeMap<String, (F, UserData)>>;

static STREAM_HOOKS: Named<abi::aclrtStreamStateCallback> = Mutex::new(BTreeMap::new());
static DEVICE_HOOKS: Named<abi::aclrtDeviceStateCallback> = Mutex::new(BTreeMap::new());

fn register<F: Copy>(hooks: &Named<Option<F>>, name: String, hook: Option<F>, data: UserData) {
    let mut hooks = hooks.lock();
    match hook {
        Some(_) => hooks.insert(name, (hook, data)),
        None => hooks.remove(&name),
    };
}

/// Forgets all functions that the program has registered.
pub(crate) fn forget_all() {
    STREAM_HOOKS.lock().clear();
    DEVICE_HOOKS.lock().clear();
    ABORT_HOOKS.lock().clear();
    INIT_HOOKS.lock().clear();
    FINALIZE_HOOKS.lock().clear();
}

pub(crate) fn register_stream(name: String, hook: abi::aclrtStreamStateCallback, data: UserData) {
    register(&STREAM_HOOKS, name, hook, data);
}

pub(crate) fn register_device(name: String, hook: abi::aclrtDeviceStateCallback, data: UserData) {
    register(&DEVICE_HOOKS, name, hook, data);
}

fn all<F: Copy>(hooks: &Named<F>) -> Vec<(F, UserData)> {
    hooks.lock().values().copied().collect()
}

pub(crate) fn stream_state(stream: u64, state: StreamState) {
    for (hook, data) in all(&STREAM_HOOKS) {
        if let Some(hook) = hook {
            assert_none_held();
            // SAFETY: the program registered this function for this purpose.
            unsafe { hook(pointer(stream), state as abi::aclrtStreamState, data.0) };
        }
    }
}

pub(crate) fn device_state(device: i32, state: DeviceState) {
    for (hook, data) in all(&DEVICE_HOOKS) {
        if let Some(hook) = hook {
            assert_none_held();
            // SAFETY: the program registered this function for this purpose.
            unsafe { hook(device, state as abi::aclrtDeviceState, data.0) };
        }
    }
}

static ABORT_HOOKS: Named<abi::aclrtDeviceTaskAbortCallback> = Mutex::new(BTreeMap::new());

pub(crate) fn register_abort(
    name: String,
    hook: abi::aclrtDeviceTaskAbortCallback,
    data: UserData,
) {
    register(&ABORT_HOOKS, name, hook, data);
}

/// Calls the hooks of an abort; the first that fails ends it.
pub(crate) fn abort_stage(
    device: i32,
    stage: abi::aclrtDeviceTaskAbortStage,
    timeout: u32,
) -> Result<(), CallError> {
    for (hook, data) in all(&ABORT_HOOKS) {
        let Some(hook) = hook else { continue };
        assert_none_held();
        // SAFETY: the program registered this function for this purpose.
        let code = unsafe { hook(device, stage, timeout, data.0) };
        answered(code, "a callback of aclrtSetDeviceTaskAbortCallback")?;
    }
    Ok(())
}

type InitHook = (i32, abi::aclInitCallbackFunc, UserData);
type FinalizeHook = (i32, abi::aclFinalizeCallbackFunc, UserData);

static INIT_HOOKS: Mutex<Vec<InitHook>> = Mutex::new(Vec::new());
static FINALIZE_HOOKS: Mutex<Vec<FinalizeHook>> = Mutex::new(Vec::new());

fn is_init(one: abi::aclInitCallbackFunc, other: abi::aclInitCallbackFunc) -> bool {
    matches!((one, other), (Some(one), Some(other)) if std::ptr::fn_addr_eq(one, other))
}

fn is_finalize(one: abi::aclFinalizeCallbackFunc, other: abi::aclFinalizeCallbackFunc) -> bool {
    matches!((one, other), (Some(one), Some(other)) if std::ptr::fn_addr_eq(one, other))
}

pub(crate) fn add_init(kind: i32, hook: abi::aclInitCallbackFunc, data: UserData) {
    let mut hooks = INIT_HOOKS.lock();
    hooks.retain(|(known, other, _)| *known != kind || !is_init(*other, hook));
    hooks.push((kind, hook, data));
}

pub(crate) fn remove_init(kind: i32, hook: abi::aclInitCallbackFunc) -> bool {
    let mut hooks = INIT_HOOKS.lock();
    let before = hooks.len();
    hooks.retain(|(known, other, _)| *known != kind || !is_init(*other, hook));
    hooks.len() != before
}

pub(crate) fn add_finalize(kind: i32, hook: abi::aclFinalizeCallbackFunc, data: UserData) {
    let mut hooks = FINALIZE_HOOKS.lock();
    hooks.retain(|(known, other, _)| *known != kind || !is_finalize(*other, hook));
    hooks.push((kind, hook, data));
}

pub(crate) fn remove_finalize(kind: i32, hook: abi::aclFinalizeCallbackFunc) -> bool {
    let mut hooks = FINALIZE_HOOKS.lock();
    let before = hooks.len();
    hooks.retain(|(known, other, _)| *known != kind || !is_finalize(*other, hook));
    hooks.len() != before
}

/// Calls the hooks of `aclInit` with the text of its file; the first that fails ends it.
pub(crate) fn run_init(config: &str) -> Result<(), CallError> {
    let hooks = INIT_HOOKS.lock().clone();
    for (_, hook, data) in hooks {
        let Some(hook) = hook else { continue };
        assert_none_held();
        // SAFETY: the program registered this function; the text is valid during the call.
        let code = unsafe { hook(config.as_ptr().cast(), config.len(), data.0) };
        answered(code, "an initialisation callback")?;
    }
    Ok(())
}

/// Calls the hooks of `aclFinalize`, the last one registered first.
pub(crate) fn run_finalize() -> Result<(), CallError> {
    let hooks = FINALIZE_HOOKS.lock().clone();
    for (_, hook, data) in hooks.into_iter().rev() {
        let Some(hook) = hook else { continue };
        assert_none_held();
        // SAFETY: the program registered this function for this purpose.
        let code = unsafe { hook(data.0) };
        answered(code, "a finalisation callback")?;
    }
    Ok(())
}

fn answered(code: abi::aclError, who: &str) -> Result<(), CallError> {
    if code == abi::ACL_SUCCESS {
        return Ok(());
    }
    Err(CallError::coded(code, format!("{who} returned {code}")))
}
