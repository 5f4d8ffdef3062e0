//! Functions of Python that the runtime calls.
#![expect(unsafe_code, reason = "calls C functions, and is called by C")]

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, Mutex};

use millpond_abi as abi;

use super::table::{ObjectTable, as_pointer, lock};
use crate::arguments::Args;
use crate::bindings::c;
use crate::ffi;
use crate::gil;
use crate::object::{self, Answer, Owned, Raised, ToObject};

/// A function and the object it gets.
struct Callback {
    callable: Owned,
    data: Owned,
    /// Which stream it is queued in; 0 for hooks, and for streams that have no handle.
    stream: usize,
}

/// Callbacks that run once. What never runs is dropped when its stream is aborted or destroyed.
static ONCE: ObjectTable<Callback> = ObjectTable::new();
/// Callbacks that run whenever something happens.
static HOOKS: ObjectTable<Callback> = ObjectTable::new();

/// Calls a function of Python from C. What it raises goes to `sys.unraisablehook`.
fn run<const N: usize>(
    callback: &Callback,
    arguments: Result<[Owned; N], Raised>,
) -> Option<Owned> {
    let answer = arguments.and_then(|arguments| object::call(&callback.callable, arguments));
    if answer.is_err() {
        object::unraisable(&callback.callable);
    }
    answer.ok()
}

unsafe extern "C-unwind" fn run_once(number: *mut c_void) {
    gil::attach(|| {
        if let Some(callback) = ONCE.take(number.addr()) {
            run(&callback, Ok([callback.data.another()]));
        }
    });
}

/// Hands a callback to C, which calls it once or says why not.
fn launch(
    args: Args<'_>,
    [callable, data]: [usize; 2],
    stream: abi::aclrtStream,
    tell: impl FnOnce(*mut c_void) -> abi::aclError,
) -> Answer {
    let callback = Callback {
        callable: args.callable(callable)?,
        data: args.owned(data)?,
        stream: stream.addr(),
    };
    let number = ONCE.put(Arc::new(callback));
    // A schedule with a seed may run what is queued before the call returns, and waits for functions of Python then.
    let ret = gil::detach(|| tell(as_pointer(number)));
    if ret != 0 {
        drop(ONCE.take(number));
    }
    ret.object()
}

pub(crate) fn rt_launch_callback(args: Args<'_>) -> Answer {
    let block_type = args.i32(2)?;
    let stream: *mut c_void = args.pointer(3)?;
    launch(args, [0, 1], stream, |number| {
        // SAFETY: the function is never unloaded; the number is carried and not looked at.
        unsafe { c::aclrtLaunchCallback(Some(run_once), number, block_type, stream) }
    })
}

pub(crate) fn rt_launch_host_func(args: Args<'_>) -> Answer {
    let stream: *mut c_void = args.pointer(0)?;
    launch(args, [1, 2], stream, |number| {
        // SAFETY: as above.
        unsafe { c::aclrtLaunchHostFunc(stream, Some(run_once), number) }
    })
}

/// Destroys a stream or its work, and drops the callbacks that will not run. Those that are queued by others
/// meanwhile are left.
fn end(args: Args<'_>, tell: impl FnOnce(abi::aclrtStream) -> abi::aclError) -> Answer {
    let stream: abi::aclrtStream = args.pointer(0)?;
    let (last, key) = (ONCE.last(), stream.addr());
    let ret = gil::detach(|| tell(stream));
    if ret == 0 && key != 0 {
        drop(ONCE.take_all(last, |callback| callback.stream == key));
    }
    ret.object()
}

pub(crate) fn rt_destroy_stream(args: Args<'_>) -> Answer {
    // SAFETY: streams are looked up.
    end(args, |stream| unsafe { c::aclrtDestroyStream(stream) })
}

pub(crate) fn rt_destroy_stream_force(args: Args<'_>) -> Answer {
    // SAFETY: as above.
    end(args, |stream| unsafe { c::aclrtDestroyStreamForce(stream) })
}

pub(crate) fn rt_stream_abort(args: Args<'_>) -> Answer {
    // SAFETY: as above.
    end(args, |stream| unsafe { c::aclrtStreamAbort(stream) })
}

unsafe extern "C-unwind" fn stream_state(
    stream: abi::aclrtStream,
    state: abi::aclrtStreamState,
    number: *mut c_void,
) {
    gil::attach(|| {
        if let Some(hook) = HOOKS.get(number.addr()) {
            let arguments = || Ok([stream.object()?, state.object()?, hook.data.another()]);
            run(&hook, arguments());
        }
    });
}

unsafe extern "C-unwind" fn device_state(
    device: i32,
    state: abi::aclrtDeviceState,
    number: *mut c_void,
) {
    gil::attach(|| {
        if let Some(hook) = HOOKS.get(number.addr()) {
            let arguments = || Ok([device.object()?, state.object()?, hook.data.another()]);
            run(&hook, arguments());
        }
    });
}

unsafe extern "C-unwind" fn task_abort(
    device: i32,
    stage: abi::aclrtDeviceTaskAbortStage,
    timeout: u32,
    number: *mut c_void,
) -> i32 {
    let code = gil::attach(|| {
        let Some(hook) = HOOKS.get(number.addr()) else {
            return 0;
        };
        let arguments = || {
            Ok([
                device.object()?,
                stage.object()?,
                timeout.object()?,
                hook.data.another(),
            ])
        };
        let answer = run(&hook, arguments());
        answer.map_or(abi::ACL_ERROR_FAILURE, |answer| code_in(&answer))
    });
    code.unwrap_or(0)
}

/// Hooks by what they are for and their name: the number of the one that C has.
static NAMED: Mutex<Option<HashMap<Hook, usize>>> = Mutex::new(None);
/// What it is for, and its name.
type Hook = (Of, Vec<u8>);

/// What a hook with a name is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    Streams,
    Devices,
    Aborts,
}

/// Registers a hook under a name, or ends it.
fn register(
    args: Args<'_>,
    of: Of,
    tell: impl FnOnce(*const c_char, Option<*mut c_void>) -> abi::aclError,
) -> Answer {
    let name = args.text(0)?;
    let callable = args.callable_or_none(1)?;
    let data = args.owned(2)?;
    let number = callable.map(|callable| {
        HOOKS.put(Arc::new(Callback {
            callable,
            data,
            stream: 0,
        }))
    });
    let ret = tell(name.as_ptr(), number.map(as_pointer));
    // SAFETY: the text ends in a zero.
    let key = unsafe { CStr::from_ptr(name.as_ptr()) }.to_bytes().to_vec();
    let old = {
        let mut named = lock(&NAMED);
        let named = named.get_or_insert_default();
        let key = (of, key);
        match number {
            _ if ret != 0 => number,
            Some(number) => named.insert(key, number),
            None => named.remove(&key),
        }
    };
    drop(old.and_then(|number| HOOKS.take(number)));
    ret.object()
}

pub(crate) fn rt_reg_stream_state_callback(args: Args<'_>) -> Answer {
    register(args, Of::Streams, |name, number| {
        let hook = number.map(|_| stream_state as unsafe extern "C-unwind" fn(_, _, _));
        let number = number.unwrap_or_default_pointer();
        // SAFETY: the name is copied; the function is never unloaded.
        unsafe { c::aclrtRegStreamStateCallback(name, hook, number) }
    })
}

pub(crate) fn rt_reg_device_state_callback(args: Args<'_>) -> Answer {
    register(args, Of::Devices, |name, number| {
        let hook = number.map(|_| device_state as unsafe extern "C-unwind" fn(_, _, _));
        let number = number.unwrap_or_default_pointer();
        // SAFETY: as above.
        unsafe { c::aclrtRegDeviceStateCallback(name, hook, number) }
    })
}

pub(crate) fn rt_set_device_task_abort_callback(args: Args<'_>) -> Answer {
    register(args, Of::Aborts, |name, number| {
        let hook = number.map(|_| task_abort as unsafe extern "C-unwind" fn(_, _, _, _) -> _);
        let number = number.unwrap_or_default_pointer();
        // SAFETY: as above.
        unsafe { c::aclrtSetDeviceTaskAbortCallback(name, hook, number) }
    })
}

/// Functions that learn of failed tasks: the one that was set, and those that were added. C has one of ours for each.
static SET_FOR_FAILURES: Mutex<Option<Arc<Callback>>> = Mutex::new(None);
static ADDED_FOR_FAILURES: Mutex<Vec<Arc<Callback>>> = Mutex::new(Vec::new());

fn tell_failure(hooks: &[Arc<Callback>], info: *mut abi::aclrtExceptionInfo) {
    for hook in hooks {
        let arguments = || Ok([info.cast::<c_void>().object()?]);
        run(hook, arguments());
    }
}

unsafe extern "C-unwind" fn failure_for_set(info: *mut abi::aclrtExceptionInfo) {
    gil::attach(|| {
        let hook = lock(&SET_FOR_FAILURES).clone();
        tell_failure(hook.as_slice(), info);
    });
}

unsafe extern "C-unwind" fn failure_for_added(info: *mut abi::aclrtExceptionInfo) {
    gil::attach(|| {
        let hooks = lock(&ADDED_FOR_FAILURES).clone();
        tell_failure(&hooks, info);
    });
}

fn for_failures(callable: Owned) -> Result<Arc<Callback>, Raised> {
    Ok(Arc::new(Callback {
        callable,
        data: Owned::none()?,
        stream: 0,
    }))
}

pub(crate) fn rt_set_exception_info_callback(args: Args<'_>) -> Answer {
    let hook = args.callable_or_none(0)?.map(for_failures).transpose()?;
    let function = hook
        .is_some()
        .then_some(failure_for_set as unsafe extern "C-unwind" fn(_));
    let before = std::mem::replace(&mut *lock(&SET_FOR_FAILURES), hook);
    drop(before);
    // SAFETY: the function is never unloaded.
    let ret = unsafe { c::aclrtSetExceptionInfoCallback(function) };
    ret.object()
}

pub(crate) fn rt_exception_info_callback_register(args: Args<'_>) -> Answer {
    let hook = for_failures(args.callable(0)?)?;
    // SAFETY: as above. C has the function once, however often it is added.
    let ret = unsafe { c::aclrtExceptionInfoCallbackRegister(Some(failure_for_added)) };
    if ret == 0 {
        lock(&ADDED_FOR_FAILURES).push(hook);
    }
    ret.object()
}

pub(crate) fn rt_exception_info_callback_unregister(args: Args<'_>) -> Answer {
    let callable = args.callable(0)?;
    let hooks = lock(&ADDED_FOR_FAILURES).clone();
    let Some(found) = find(&hooks, &callable)? else {
        return abi::ACL_ERROR_INVALID_PARAM.object();
    };
    let is_empty = {
        let mut added = lock(&ADDED_FOR_FAILURES);
        added.retain(|hook| !Arc::ptr_eq(hook, &found));
        added.is_empty()
    };
    if !is_empty {
        return 0_i32.object();
    }
    // SAFETY: as above.
    let ret = unsafe { c::aclrtExceptionInfoCallbackUnregister(Some(failure_for_added)) };
    ret.object()
}

/// The hook whose function equals another. Methods are made anew each time they are named, so hooks are compared as Python
/// compares.
fn find(hooks: &[Arc<Callback>], callable: &Owned) -> Result<Option<Arc<Callback>>, Raised> {
    const EQUAL: i32 = 2;
    let mut found = None;
    for hook in hooks {
        // SAFETY: both live; comparing may run code, and raise.
        let same = unsafe {
            ffi::PyObject_RichCompareBool(hook.callable.as_ptr(), callable.as_ptr(), EQUAL)
        };
        match same {
            0 => {}
            1 => found = Some(Arc::clone(hook)),
            _ => return Err(Raised),
        }
    }
    Ok(found)
}

/// A pointer that may be missing.
trait OrNull {
    fn unwrap_or_default_pointer(self) -> *mut c_void;
}
impl OrNull for Option<*mut c_void> {
    fn unwrap_or_default_pointer(self) -> *mut c_void {
        self.unwrap_or(std::ptr::null_mut())
    }
}

/// Hooks of `init` or `finalize`, by type. C identifies its hooks by their functions, and has one of ours for each
/// type; the list is kept here.
type Lists = Mutex<Option<HashMap<i32, Vec<Arc<Callback>>>>>;
static AT_INIT: Lists = Mutex::new(None);
static AT_FINALIZE: Lists = Mutex::new(None);

/// Runs all hooks of a type; returns the first code that is not 0.
fn run_all(lists: &Lists, kind: i32, config: Option<&[u8]>) -> abi::aclError {
    let code = gil::attach(|| {
        let hooks = lock(lists)
            .as_ref()
            .and_then(|lists| lists.get(&kind).cloned());
        for hook in hooks.unwrap_or_default() {
            let answer = match config {
                Some(config) => {
                    let config = String::from_utf8_lossy(config);
                    let arguments = || Ok([config.object()?, hook.data.another()]);
                    run(&hook, arguments())
                }
                None => run(&hook, Ok([hook.data.another()])),
            };
            let code = answer.map_or(abi::ACL_ERROR_FAILURE, |answer| code_in(&answer));
            if code != 0 {
                return code;
            }
        }
        0
    });
    code.unwrap_or(0)
}

/// The code that a hook returned; 0 for `None` and anything but a number.
fn code_in(answer: &Owned) -> i32 {
    if !object::is(answer.as_ptr(), &raw mut ffi::PyLong_Type) {
        return 0;
    }
    // SAFETY: a live number; one that is too large raises.
    let code = unsafe { ffi::PyLong_AsLongLong(answer.as_ptr()) };
    // SAFETY: clears what it may have set.
    unsafe { ffi::PyErr_Clear() };
    i32::try_from(code).unwrap_or(abi::ACL_ERROR_FAILURE)
}

unsafe extern "C-unwind" fn at_init(
    config: *const c_char,
    length: usize,
    kind: *mut c_void,
) -> abi::aclError {
    let config = if config.is_null() || length == 0 {
        &[]
    } else {
        // SAFETY: as many bytes as C says, there until this returns. No zero ends them.
        unsafe { std::slice::from_raw_parts(config.cast::<u8>(), length) }
    };
    run_all(&AT_INIT, kind_in(kind), Some(config))
}

unsafe extern "C-unwind" fn at_finalize(kind: *mut c_void) -> abi::aclError {
    run_all(&AT_FINALIZE, kind_in(kind), None)
}

/// The type travels as the pointer.
fn kind_in(pointer: *mut c_void) -> i32 {
    i32::try_from(pointer.addr()).unwrap_or(-1)
}

/// Adds a hook; the first of a type is registered with C.
fn add(
    args: Args<'_>,
    lists: &Lists,
    tell: impl FnOnce(i32, *mut c_void) -> abi::aclError,
) -> Answer {
    let kind = args.i32(0)?;
    let hook = Arc::new(Callback {
        callable: args.callable(1)?,
        data: args.owned(2)?,
        stream: 0,
    });
    let first = {
        let mut lists = lock(lists);
        let list = lists.get_or_insert_default().entry(kind).or_default();
        list.push(Arc::clone(&hook));
        list.len() == 1
    };
    let ret = if first {
        tell(
            kind,
            as_pointer(usize::try_from(kind).unwrap_or(usize::MAX)),
        )
    } else {
        0
    };
    if ret != 0 {
        let removed = lock(lists).as_mut().and_then(|lists| lists.remove(&kind));
        drop(removed);
    }
    ret.object()
}

/// Removes a hook; the last of its type is unregistered from C.
fn remove(args: Args<'_>, lists: &Lists, tell: impl FnOnce(i32) -> abi::aclError) -> Answer {
    let kind = args.i32(0)?;
    let callable = args.callable(1)?;
    let hooks = lock(lists)
        .as_ref()
        .and_then(|lists| lists.get(&kind).cloned());
    let Some(found) = find(&hooks.unwrap_or_default(), &callable)? else {
        return abi::ACL_ERROR_INVALID_PARAM.object();
    };
    let is_empty = {
        let mut lists = lock(lists);
        let list = lists.get_or_insert_default().entry(kind).or_default();
        list.retain(|hook| !Arc::ptr_eq(hook, &found));
        list.is_empty()
    };
    let ret = if is_empty { tell(kind) } else { 0 };
    ret.object()
}

pub(crate) fn acl_init_callback_register(args: Args<'_>) -> Answer {
    add(args, &AT_INIT, |kind, data| {
        // SAFETY: the function is never unloaded; the pointer is a number.
        unsafe { c::aclInitCallbackRegister(kind, Some(at_init), data) }
    })
}

pub(crate) fn acl_init_callback_unregister(args: Args<'_>) -> Answer {
    remove(args, &AT_INIT, |kind| {
        // SAFETY: as above.
        unsafe { c::aclInitCallbackUnRegister(kind, Some(at_init)) }
    })
}

pub(crate) fn acl_finalize_callback_register(args: Args<'_>) -> Answer {
    add(args, &AT_FINALIZE, |kind, data| {
        // SAFETY: as above.
        unsafe { c::aclFinalizeCallbackRegister(kind, Some(at_finalize), data) }
    })
}

pub(crate) fn acl_finalize_callback_unregister(args: Args<'_>) -> Answer {
    remove(args, &AT_FINALIZE, |kind| {
        // SAFETY: as above.
        unsafe { c::aclFinalizeCallbackUnRegister(kind, Some(at_finalize)) }
    })
}
