//! The objects that C handles refer to.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use millpond::{Context, Event, MemoryPool, Stream};
use millpond_trace::{HandleKind, Operation};
use parking_lot::Mutex;

use crate::boundary::{CallError, Cause};
use crate::process;
use crate::registry::{HandleGuard, Kind, Registry, Unresolved};

pub(crate) static CONTEXTS: Registry<Arc<ContextEntry>> = Registry::new(Kind::Context);
pub(crate) static STREAMS: Registry<StreamEntry> = Registry::new(Kind::Stream);
pub(crate) static EVENTS: Registry<Event> = Registry::new(Kind::Event);
pub(crate) static POOLS: Registry<MemoryPool> = Registry::new(Kind::MemoryPool);

/// A context and what C adds to it.
#[derive(Debug)]
pub(crate) struct ContextEntry {
    pub(crate) context: Context,
    /// The one that all threads share after `aclrtSetDevice`.
    pub(crate) primary: bool,
    pub(crate) handle: AtomicU64,
    /// Handles of its streams: the default one first, if it was ever asked for.
    pub(crate) streams: Mutex<Vec<u64>>,
    pub(crate) default_stream: AtomicU64,
    /// Options set by `aclrtCtxSetSysParamOpt`.
    pub(crate) options: Mutex<HashMap<i32, i64>>,
}

/// A stream and what C adds to it.
#[derive(Debug)]
pub(crate) struct StreamEntry {
    pub(crate) stream: Stream,
    pub(crate) context: Arc<ContextEntry>,
    pub(crate) is_default: bool,
    /// `aclrtSetStreamFailureMode` may be called once.
    pub(crate) failure_mode_set: AtomicBool,
}

/// The word behind a handle.
pub(crate) fn word(handle: *const c_void) -> u64 {
    handle.addr() as u64
}

/// The pointer that C holds for a handle or a device address: never dereferenced here.
pub(crate) fn pointer(word: u64) -> *mut c_void {
    std::ptr::without_provenance_mut(usize::try_from(word).unwrap_or(0))
}

/// The pointer for an address of host memory.
pub(crate) fn host_pointer<T>(address: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(usize::try_from(address).unwrap_or(0))
}

/// What a handle names, or a error that says what is wrong with it.
#[inline]
pub(crate) fn resolve<T>(
    registry: &'static Registry<T>,
    kind: Kind,
    handle: *const c_void,
    argument: &'static str,
) -> Result<HandleGuard<'static, T>, CallError> {
    registry
        .get(word(handle))
        .map_err(|problem| unresolved(argument, handle, kind, problem))
}

/// The error of a handle that names nothing of its kind.
#[cold]
fn unresolved(
    argument: &'static str,
    handle: *const c_void,
    kind: Kind,
    problem: Unresolved,
) -> CallError {
    if problem == Unresolved::Stale {
        process::emit(|| Operation::HandleStale {
            what: kind.name().into(),
            handle: word(handle),
        });
    }
    CallError::handle(argument, word(handle), kind, problem)
}

/// Records that a handle is stale, for kinds without a record of their own.
pub(crate) fn expired(kind: Kind, handle: u64) {
    process::emit(|| Operation::HandleExpired {
        what: kind.name().into(),
        handle,
    });
}

/// Destroys a handle and returns what it named.
pub(crate) fn withdraw<T>(
    registry: &'static Registry<T>,
    kind: Kind,
    handle: *const c_void,
    argument: &'static str,
) -> Result<HandleGuard<'static, T>, CallError> {
    let gone = registry
        .remove(word(handle))
        .map_err(|problem| unresolved(argument, handle, kind, problem))?;
    match recorded(kind) {
        Some(kind) => destroyed(kind, word(handle)),
        None => expired(kind, word(handle)),
    }
    Ok(gone)
}

/// Destroys a handle, of a kind without a record of its own, and what it named.
pub(crate) fn discard<T>(
    registry: &'static Registry<T>,
    kind: Kind,
    handle: *const c_void,
    argument: &'static str,
) -> Result<(), CallError> {
    debug_assert!(recorded(kind).is_none());
    registry
        .discard(word(handle))
        .map_err(|problem| unresolved(argument, handle, kind, problem))?;
    expired(kind, word(handle));
    Ok(())
}

/// Destroys the handle of something that is in use.
#[inline]
pub(crate) fn retire<T>(
    guard: &HandleGuard<'static, T>,
    kind: Kind,
    handle: *const c_void,
    argument: &'static str,
) -> Result<(), CallError> {
    if !Registry::end(guard, word(handle)) {
        return Err(unresolved(argument, handle, kind, Unresolved::Stale));
    }
    expired(kind, word(handle));
    Ok(())
}

/// Mints a handle, or says that there are too many.
pub(crate) fn mint<T>(registry: &Registry<T>, kind: Kind, value: T) -> Result<u64, CallError> {
    let handle = registry
        .insert(value)
        .ok_or_else(|| CallError::from(Cause::TooMany { kind }))?;
    if let Some(kind) = recorded(kind) {
        created(kind, handle);
    }
    Ok(handle)
}

/// Mints a handle for a value that `make` makes where it stays. For kinds without a record of their own.
#[inline]
pub(crate) fn mint_with<T>(
    registry: &Registry<T>,
    kind: Kind,
    make: impl FnOnce(&mut Option<T>) -> Result<(), CallError>,
) -> Result<u64, CallError> {
    debug_assert!(recorded(kind).is_none());
    registry
        .insert_with(make)
        .unwrap_or_else(|| Err(CallError::from(Cause::TooMany { kind })))
}

/// The kind of handle in records. The runtime emits records of the others.
fn recorded(kind: Kind) -> Option<HandleKind> {
    Some(match kind {
        Kind::Communicator => HandleKind::Communicator,
        Kind::DataBuffer => HandleKind::DataBuffer,
        Kind::TensorDesc => HandleKind::TensorDesc,
        Kind::OperatorAttributes => HandleKind::OperatorAttributes,
        Kind::Operator => HandleKind::Operator,
        Kind::Dataset => HandleKind::Dataset,
        Kind::ModelDescription => HandleKind::ModelDescription,
        Kind::LoadOptions => HandleKind::LoadOptions,
        Kind::RunOptions => HandleKind::RunOptions,
        Kind::Context
        | Kind::Stream
        | Kind::Event
        | Kind::PhysicalMemory
        | Kind::MemoryPool
        | Kind::MstxDomain
        | Kind::MstxHeap
        | Kind::MstxRegion
        | Kind::Tensor
        | Kind::IntArray
        | Kind::Executor
        | Kind::Scalar
        | Kind::FloatArray
        | Kind::BoolArray
        | Kind::TensorList
        | Kind::ScalarList
        | Kind::SharedEvent
        | Kind::Notify
        | Kind::CountedNotify
        | Kind::ExternalEvent
        | Kind::Graph
        | Kind::TaskGroup
        | Kind::Condition
        | Kind::TensorItem
        | Kind::TensorSet
        | Kind::Channel
        | Kind::Picture
        | Kind::PictureBatch
        | Kind::PictureArea
        | Kind::ResizeOptions
        | Kind::MediaChannel
        | Kind::ProfileConfig
        | Kind::ProfileStep
        | Kind::Stamp => return None,
    })
}

/// Records a new handle.
pub(crate) fn created(kind: HandleKind, handle: u64) {
    process::emit(|| Operation::HandleCreated { kind, handle });
}

/// Records that a handle was destroyed.
pub(crate) fn destroyed(kind: HandleKind, handle: u64) {
    process::emit(|| Operation::HandleDestroyed { kind, handle });
}

/// The stream that a handle names, of any context. NULL is refused.
#[inline]
pub(crate) fn stream(
    handle: *mut c_void,
    argument: &'static str,
) -> Result<HandleGuard<'static, StreamEntry>, CallError> {
    resolve(&STREAMS, Kind::Stream, handle, argument)
}

/// The event that a handle names. Those that other processes use are in `acl/ipc_event.rs`, and can do less.
pub(crate) fn event(
    handle: *mut c_void,
    argument: &'static str,
) -> Result<HandleGuard<'static, Event>, CallError> {
    if Kind::SharedEvent.is_of(word(handle)) {
        return Err(CallError::coded(
            millpond_abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "an event with ACL_EVENT_IPC has no time and no number, and can only be recorded, waited for, synchronised and \
             queried with aclrtQueryEventStatus",
        ));
    }
    resolve(&EVENTS, Kind::Event, handle, argument)
}
