//! The things that C holds handles of.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use millpond::trace::{HandleKind, Operation};
use millpond::{Context, Event, MemoryPool, Stream};
use parking_lot::Mutex;

use crate::boundary::{Cause, Fault};
use crate::process;
use crate::registry::{Held, Kind, Registry, Unresolved};

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

/// A handle from its word.
pub(crate) fn pointer(word: u64) -> *mut c_void {
    std::ptr::without_provenance_mut(usize::try_from(word).unwrap_or(0))
}

/// What a handle names, or a fault that says what is wrong with it.
#[inline]
pub(crate) fn resolve<T>(
    registry: &'static Registry<T>,
    kind: Kind,
    handle: *const c_void,
    argument: &'static str,
) -> Result<Held<'static, T>, Fault> {
    registry
        .get(word(handle))
        .map_err(|problem| unresolved(argument, handle, kind, problem))
}

/// The fault of a handle that names nothing of its kind.
#[cold]
fn unresolved(
    argument: &'static str,
    handle: *const c_void,
    kind: Kind,
    problem: Unresolved,
) -> Fault {
    if problem == Unresolved::Stale {
        process::emit(|| Operation::HandleStale {
            what: kind.name().into(),
            handle: word(handle),
        });
    }
    Fault::handle(argument, word(handle), kind, problem)
}

/// Tells that a handle names nothing any more, where nothing else does.
pub(crate) fn expired(kind: Kind, handle: u64) {
    process::emit(|| Operation::HandleExpired {
        what: kind.name().into(),
        handle,
    });
}

/// Takes a handle out of use and answers what it named.
pub(crate) fn withdraw<T>(
    registry: &'static Registry<T>,
    kind: Kind,
    handle: *const c_void,
    argument: &'static str,
) -> Result<Held<'static, T>, Fault> {
    let gone = registry
        .remove(word(handle))
        .map_err(|problem| unresolved(argument, handle, kind, problem))?;
    match told(kind) {
        Some(kind) => destroyed(kind, word(handle)),
        None => expired(kind, word(handle)),
    }
    Ok(gone)
}

/// Mints a handle, or says that there are too many.
pub(crate) fn mint<T>(registry: &Registry<T>, kind: Kind, value: T) -> Result<u64, Fault> {
    let handle = registry
        .insert(value)
        .ok_or_else(|| Fault::from(Cause::TooMany { kind }))?;
    if let Some(kind) = told(kind) {
        created(kind, handle);
    }
    Ok(handle)
}

/// What records call a kind of handle. The runtime tells of the others itself.
fn told(kind: Kind) -> Option<HandleKind> {
    Some(match kind {
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
        | Kind::Executor => return None,
    })
}

/// Tells of something that a program holds from now on.
pub(crate) fn created(kind: HandleKind, handle: u64) {
    process::emit(|| Operation::HandleCreated { kind, handle });
}

/// Tells that a program gave it up.
pub(crate) fn destroyed(kind: HandleKind, handle: u64) {
    process::emit(|| Operation::HandleDestroyed { kind, handle });
}

/// The stream that a handle names, of whatever context. NULL is refused.
#[inline]
pub(crate) fn stream(
    handle: *mut c_void,
    argument: &'static str,
) -> Result<Held<'static, StreamEntry>, Fault> {
    resolve(&STREAMS, Kind::Stream, handle, argument)
}

/// The event that a handle names.
pub(crate) fn event(
    handle: *mut c_void,
    argument: &'static str,
) -> Result<Held<'static, Event>, Fault> {
    resolve(&EVENTS, Kind::Event, handle, argument)
}
