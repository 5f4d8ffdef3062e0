//! Each thread's current context, and the primary context of each device.
//!
//! A thread's context is a reference to a shared entry. Another thread may end that context at any
//! time, so every use checks whether it is alive.
#![expect(
    unsafe_code,
    reason = "a thread finds its own context by a pointer to what it keeps"
)]

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use millpond::{Context, Error, Stream};
use parking_lot::Mutex;

use crate::acl::{capture_mode, overflow};
use crate::boundary::{CallError, Cause};
use crate::handles::{self, CONTEXTS, ContextEntry, STREAMS, StreamEntry};
use crate::registry::Kind;
use crate::{hooks, process, testing, thread_end};

thread_local! {
    /// What the thread's context is, to be found in one load.
    static CURRENT: Cell<*const ContextEntry> = const { Cell::new(std::ptr::null()) };
    /// What keeps it. Without a destructor, because destructors of the program use it: see `thread_end`.
    static KEPT: ManuallyDrop<RefCell<Option<Arc<ContextEntry>>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

static PRIMARIES: Mutex<Option<HashMap<i64, Primary>>> = Mutex::new(None);
/// The contexts of `aclrtCreateContext` that have not ended.
static EXPLICIT: Mutex<Vec<Arc<ContextEntry>>> = Mutex::new(Vec::new());
/// The library has been finalised and not initialised since: threads remember which device they were on.
static OVER: AtomicBool = AtomicBool::new(false);
/// The device of threads that never chose one; negative for none.
static DEFAULT_DEVICE: AtomicI64 = AtomicI64::new(-1);

#[derive(Debug)]
struct Primary {
    entry: Arc<ContextEntry>,
    /// How often `aclrtSetDevice` asked for it and was not taken back.
    count: u64,
    /// How many of these are being reset: that was announced, and hooks are being called.
    leaving: u64,
}

/// The right to take back one `aclrtSetDevice`, or all of them.
#[derive(Debug)]
pub(crate) struct Leave {
    entry: Arc<ContextEntry>,
    all: bool,
}

/// Calls `act` on the current context. It must not change which context is current.
#[inline(always)]
pub(crate) fn with<T>(
    act: impl FnOnce(&ContextEntry) -> Result<T, CallError>,
) -> Result<T, CallError> {
    let current = CURRENT.get();
    // SAFETY: `CURRENT` points to what `KEPT` of the same thread keeps, which changes only in
    // `set`, and that is not called while `act` runs.
    let known = unsafe { current.as_ref() };
    let adopted;
    // One place that calls `act`, so that it is compiled into its callers.
    let entry = match known {
        Some(entry) if !entry.context.has_ended() => entry,
        _ => {
            adopted = adopt_default()?;
            &*adopted
        }
    };
    act(entry)
}

/// Calls `act` on the current context, if there is one that has not ended.
#[inline(always)]
pub(crate) fn with_known<T>(act: impl FnOnce(&ContextEntry) -> Option<T>) -> Option<T> {
    let current = CURRENT.get();
    // SAFETY: as in `with`.
    let entry = unsafe { current.as_ref() }?;
    if entry.context.has_ended() {
        return None;
    }
    act(entry)
}

/// The device that this thread uses; after `aclFinalize` the one that it used, because libraries ask for it when they
/// are torn down.
pub(crate) fn device() -> Result<u32, CallError> {
    with(|entry| Ok(entry.context.device().index())).or_else(|error| {
        let kept = KEPT.with(|kept| kept.borrow().clone());
        let kept = kept.filter(|_| OVER.load(Ordering::Relaxed));
        kept.map(|entry| entry.context.device().index())
            .ok_or(error)
    })
}

/// From now on threads whose context ends remember their device.
pub(crate) fn keep_numbers() {
    OVER.store(true, Ordering::Relaxed);
}

/// The library has been initialised: what was before is forgotten.
pub(crate) fn begin() {
    OVER.store(false, Ordering::Relaxed);
}

/// The current context, for bodies that may run user code while they hold it.
pub(crate) fn context() -> Result<Arc<ContextEntry>, CallError> {
    with(|_| Ok(()))?;
    let kept = KEPT.with(|kept| kept.borrow().clone());
    kept.ok_or_else(|| Cause::NoContext.into())
}

/// A thread without a context gets the default device's, if one is configured.
#[cold]
fn adopt_default() -> Result<Arc<ContextEntry>, CallError> {
    let device = DEFAULT_DEVICE.load(Ordering::Relaxed);
    if device < 0 {
        return Err(Cause::NoContext.into());
    }
    let entry = retain_primary(device)?;
    set(Some(Arc::clone(&entry)));
    Ok(entry)
}

pub(crate) fn set_default_device(device: i64) {
    DEFAULT_DEVICE.store(device, Ordering::Relaxed);
}

/// Makes `entry` the current context of this thread.
pub(crate) fn set(entry: Option<Arc<ContextEntry>>) {
    let pointer = entry.as_ref().map_or(std::ptr::null(), Arc::as_ptr);
    if entry.is_some() {
        thread_end::register();
    }
    CURRENT.set(pointer);
    // The old value is dropped after the borrow: dropping may end a context.
    let before = KEPT.with(|kept| kept.replace(entry));
    drop(before);
}

/// Takes the context away from this thread if it is the current one.
pub(crate) fn unset_if(ended: &Arc<ContextEntry>) {
    let is_current = KEPT.with(|kept| {
        let kept = kept.borrow();
        kept.as_ref().is_some_and(|entry| Arc::ptr_eq(entry, ended))
    });
    if is_current && !OVER.load(Ordering::Relaxed) {
        set(None);
    }
}

/// Creates a context on a device and mints its handle.
pub(crate) fn create(device: i64, primary: bool) -> Result<Arc<ContextEntry>, CallError> {
    let device = process::runtime()?.device(device)?;
    process::print_note(&device);
    let context = device.create_context()?;
    overflow::stream_created(context.default_stream());
    let entry = Arc::new(ContextEntry {
        context,
        primary,
        handle: AtomicU64::new(0),
        streams: Mutex::default(),
        default_stream: AtomicU64::new(0),
        options: Mutex::default(),
    });
    let handle = handles::mint(&CONTEXTS, Kind::Context, Arc::clone(&entry))?;
    entry.handle.store(handle, Ordering::Release);
    if !primary {
        EXPLICIT.lock().push(Arc::clone(&entry));
    }
    Ok(entry)
}

/// Whether a context of `aclrtCreateContext` uses a device.
pub(crate) fn has_explicit_context(device: i64) -> bool {
    let known = EXPLICIT.lock();
    known
        .iter()
        .any(|entry| i64::from(entry.context.device().index()) == device)
}

/// Destroys every context of `aclrtCreateContext` and returns their devices.
pub(crate) fn end_explicit_contexts() -> Vec<i64> {
    let entries = std::mem::take(&mut *EXPLICIT.lock());
    let mut devices = Vec::new();
    for entry in entries {
        devices.push(i64::from(entry.context.device().index()));
        // By force nothing is waited for and nothing can fail.
        drop(end(&entry, true));
    }
    devices
}

/// Counts one more user of a device's primary context, which is created for the first.
pub(crate) fn retain_primary(device: i64) -> Result<Arc<ContextEntry>, CallError> {
    let mut primaries = PRIMARIES.lock();
    let primaries = primaries.get_or_insert_default();
    if let Some(primary) = primaries.get_mut(&device) {
        primary.count += 1;
        return Ok(Arc::clone(&primary.entry));
    }
    let entry = create(device, true)?;
    let primary = Primary {
        entry: Arc::clone(&entry),
        count: 1,
        leaving: 0,
    };
    primaries.insert(device, primary);
    Ok(entry)
}

/// Says that one user less is to be counted, or none at all. The context stays until [`release_primary`]; but of
/// two threads that reset the same `aclrtSetDevice` only one succeeds.
pub(crate) fn begin_release(device: i64, all: bool) -> Result<Leave, CallError> {
    let mut primaries = PRIMARIES.lock();
    let primary = primaries
        .as_mut()
        .and_then(|primaries| primaries.get_mut(&device))
        .filter(|primary| primary.leaving < primary.count);
    let Some(primary) = primary else {
        return Err(CallError::coded(
            millpond_abi::ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
            format!("device {device} is not set, or was reset as often as it was set"),
        ));
    };
    primary.leaving = if all {
        primary.count
    } else {
        primary.leaving + 1
    };
    let entry = Arc::clone(&primary.entry);
    Ok(Leave { entry, all })
}

/// Decrements the number of users, or sets it to 0; returns the context if none is left.
pub(crate) fn release_primary(device: i64, leave: &Leave) -> Option<Arc<ContextEntry>> {
    let mut primaries = PRIMARIES.lock();
    let primaries = primaries.as_mut()?;
    // If all were taken back meanwhile, what was asked for has happened.
    let primary = primaries
        .get_mut(&device)
        .filter(|primary| Arc::ptr_eq(&primary.entry, &leave.entry))?;
    primary.count -= 1;
    primary.leaving -= 1;
    if primary.count > 0 && !leave.all {
        return None;
    }
    primaries.remove(&device).map(|primary| primary.entry)
}

/// Whether a device's primary context is in use.
pub(crate) fn primary_is_active(device: i64) -> bool {
    let primaries = PRIMARIES.lock();
    primaries
        .as_ref()
        .is_some_and(|known| known.contains_key(&device))
}

/// The devices whose primary context is in use.
pub(crate) fn active_devices() -> Vec<i64> {
    let primaries = PRIMARIES.lock();
    primaries.iter().flat_map(HashMap::keys).copied().collect()
}

/// Ends a context: its streams' handles become stale, its work is waited for, or dropped by force.
pub(crate) fn end(entry: &Arc<ContextEntry>, force: bool) -> Result<(), CallError> {
    let streams = std::mem::take(&mut *entry.streams.lock());
    for &handle in &streams {
        if let Ok(stream) = STREAMS.get(handle)
            && !stream.is_default
        {
            hooks::stream_state(handle, hooks::StreamState::DestroyPre);
        }
    }
    let ended = if force {
        entry.context.destroy_force();
        Ok(())
    } else {
        entry.context.destroy()
    };
    for handle in streams {
        if STREAMS.remove(handle).is_ok() {
            handles::expired(Kind::Stream, handle);
        }
    }
    let handle = entry.handle.load(Ordering::Acquire);
    if CONTEXTS.remove(handle).is_ok() {
        handles::expired(Kind::Context, handle);
    }
    EXPLICIT.lock().retain(|other| !Arc::ptr_eq(other, entry));
    unset_if(entry);
    match ended {
        // Ended by another thread meanwhile: what was asked for has happened.
        Err(Error::ContextGone) => Ok(()),
        other => other.map_err(CallError::from),
    }
}

/// Mints the handle of a stream of `entry`.
pub(crate) fn register_stream(
    entry: &Arc<ContextEntry>,
    stream: Stream,
    is_default: bool,
) -> Result<u64, CallError> {
    let handle = handles::mint(
        &STREAMS,
        Kind::Stream,
        StreamEntry {
            stream,
            context: Arc::clone(entry),
            is_default,
            failure_mode_set: false.into(),
        },
    )?;
    entry.streams.lock().push(handle);
    Ok(handle)
}

/// The handle of a context's default stream.
pub(crate) fn default_stream_handle(entry: &Arc<ContextEntry>) -> Result<u64, CallError> {
    let known = entry.default_stream.load(Ordering::Acquire);
    if known != 0 {
        return Ok(known);
    }
    let stream = entry.context.default_stream().clone();
    let minted = register_stream(entry, stream, true)?;
    match entry
        .default_stream
        .compare_exchange(0, minted, Ordering::AcqRel, Ordering::Acquire)
    {
        Ok(_) => Ok(minted),
        Err(other) => {
            drop(STREAMS.remove(minted));
            Ok(other)
        }
    }
}

/// Calls `act` on the stream that an argument names: NULL is the current context's default stream,
/// others must belong to the current context. A thread that has none works in the stream's.
#[inline(always)]
pub(crate) fn on_stream<T>(
    handle: *mut std::ffi::c_void,
    argument: &'static str,
    act: impl FnOnce(&Stream) -> Result<T, CallError>,
) -> Result<T, CallError> {
    if handle.is_null() {
        let context: Context = with(|entry| Ok(entry.context.clone()))?;
        let stream = context.default_stream();
        capture_mode::forbid_default_stream(stream.context_id())?;
        testing::on_stream(stream)?;
        return act(stream);
    }
    let named = handles::stream(handle, argument)?;
    let fits = with(|entry| Ok(std::ptr::eq(entry, Arc::as_ptr(&named.context))));
    if !matches!(fits, Ok(true)) {
        without_its_context(&named, argument, fits)?;
    }
    if named.is_default {
        capture_mode::forbid_default_stream(named.stream.context_id())?;
    }
    testing::on_stream(&named.stream)?;
    act(&named.stream)
}

/// As [`on_stream`], but the stream may also be one of another device: the call puts devices in order, and none of them has
/// to be the current one.
pub(crate) fn on_stream_of_any_device<T>(
    handle: *mut std::ffi::c_void,
    argument: &'static str,
    act: impl FnOnce(&Stream) -> Result<T, CallError>,
) -> Result<T, CallError> {
    if !handle.is_null() {
        let named = handles::stream(handle, argument)?;
        let device = named.context.context.device().index();
        let current = with_known(|entry| Some(entry.context.device().index()));
        if current.is_some_and(|current| current != device) {
            testing::on_stream(&named.stream)?;
            return act(&named.stream);
        }
    }
    on_stream(handle, argument, act)
}

/// Whether a stream may be used that does not belong to the current context.
#[cold]
fn without_its_context(
    named: &StreamEntry,
    argument: &'static str,
    fits: Result<bool, CallError>,
) -> Result<(), CallError> {
    // Inside a host function of the stream the thread has no context, but that is not what is wrong.
    if named.stream.is_inside() {
        return Err(Error::WouldDeadlock.into());
    }
    match fits {
        // The stream says which device is meant.
        Err(error) if matches!(error.cause(), Cause::NoContext) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Err(Cause::OtherContext { argument }.into()),
    }
}
