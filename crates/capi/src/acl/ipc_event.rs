//! `acl/rt/ipc.h`: events that several processes use.
//!
//! The object is a signal in shared memory (`sharing/signal.rs`). A process that records also has an event of its own beside it:
//! waits for its own records use that, so that schedules and the checker know their order.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_char;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use millpond::{EndedBy, Ending, Event, EventKind, EventStatus, Stream, TaskFailure};
use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::{CallError, Out, entry, out};
use crate::handles::{mint, pointer, resolve, withdraw, word};
use crate::registry::{Kind, Registry};
use crate::sharing::signal::{Record, RecordState, Signal, SignalKind};
use crate::sharing::wire::{KEY, Key};
use crate::sharing::{self, Waited};
use crate::{current, process};

/// What 64 bytes that were made here begin with.
const HEADER: &[u8; 8] = b"mp-event";

pub(crate) static SHARED_EVENTS: Registry<Arc<SharedEvent>> = Registry::new(Kind::SharedEvent);

/// The events of this process, so that a handle that is opened twice is one event.
static KNOWN: Mutex<Vec<Weak<SharedEvent>>> = Mutex::new(Vec::new());

/// An event that several processes use.
#[derive(Debug)]
pub(crate) struct SharedEvent {
    signal: Arc<Signal>,
    /// This process's own records, and the name of the latest. Records that this process made with an earlier handle are not among them.
    own: Event,
    latest: AtomicU64,
    /// A record is the newest one for both at the same time.
    order: Mutex<()>,
    /// How many handles of this process name it. Changed while `KNOWN` is locked.
    handles: AtomicUsize,
}

/// A record that is on its way. If its task is dropped, those who wait must know.
struct Pending {
    record: Record,
    reached: bool,
    /// If the event is opened again meanwhile it is found, with what it knows of the record.
    _event: Arc<SharedEvent>,
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.record.finish(self.reached);
    }
}

/// The failure of a task that waits, if it is one.
pub(super) fn outcome(waited: Waited, limit: Option<Duration>) -> Result<(), TaskFailure> {
    match waited {
        Waited::Done => Ok(()),
        Waited::Failed(why) => Err(TaskFailure::Remote(why)),
        Waited::TimedOut => Err(TaskFailure::WaitedTooLong {
            milliseconds: limit.map_or(0, |limit| {
                u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
            }),
        }),
    }
}

/// The same condition, which also holds once the stream was aborted: the task is not wanted any more.
pub(super) fn unless_aborted(
    ending: &Ending,
    mut condition: impl FnMut() -> Option<Waited> + Send + 'static,
) -> impl FnMut() -> Option<Waited> + Send + 'static {
    let is_aborted = ending.watch_aborts();
    move || {
        if is_aborted() {
            Some(Waited::Done)
        } else {
            condition()
        }
    }
}

/// Whether a record is over, as a condition to wait for.
fn condition(record: Record) -> impl FnMut() -> Option<Waited> + Send + 'static {
    move || match record.state() {
        RecordState::Pending => None,
        RecordState::Done => Some(Waited::Done),
        RecordState::Failed(why) => Some(Waited::Failed(why.to_owned())),
    }
}

impl SharedEvent {
    /// A handle of a signal's event: the one that the process has, or a new one.
    fn handle_of(signal: Signal) -> Result<u64, CallError> {
        let event = Self::of(signal)?;
        let minted = mint(&SHARED_EVENTS, Kind::SharedEvent, Arc::clone(&event));
        minted.inspect_err(|_| event.let_go())
    }

    /// The event of a signal, with one more handle.
    fn of(signal: Signal) -> Result<Arc<Self>, CallError> {
        let own = process::runtime()?.create_event_with(
            EventKind::Rerecordable,
            true,
            false,
            abi::ACL_EVENT_IPC,
        )?;
        let mut known = KNOWN.lock();
        known.retain(|event| event.strong_count() > 0);
        let mut same = known.iter().filter_map(Weak::upgrade);
        if let Some(event) = same.find(|event| event.signal.is_same(&signal)) {
            event.handles.fetch_add(1, Ordering::Relaxed);
            return Ok(event);
        }
        let event = Arc::new(Self {
            signal: Arc::new(signal),
            own,
            latest: AtomicU64::new(0),
            order: Mutex::new(()),
            handles: AtomicUsize::new(1),
        });
        known.push(Arc::downgrade(&event));
        Ok(event)
    }

    /// A handle of it has gone. With the last one its keys go.
    fn let_go(&self) {
        let _known = KNOWN.lock();
        if self.handles.fetch_sub(1, Ordering::Relaxed) > 1 {
            return;
        }
        // The hub is there: it came with the signal.
        if let Ok(hub) = sharing::hub() {
            hub.withdraw_object(&self.signal);
        }
    }

    /// Records the present place of a stream.
    pub(super) fn record(self: &Arc<Self>, stream: &Stream) -> Result<(), CallError> {
        not_in_a_graph(stream)?;
        let _order = self.order.lock();
        let mut pending = Pending {
            record: self.signal.new_record()?,
            reached: false,
            _event: Arc::clone(self),
        };
        stream.record(&self.own)?;
        self.signal.publish(&pending.record);
        self.latest.store(pending.record.name(), Ordering::Release);
        stream.external(
            "aclrtRecordEvent",
            &[],
            EndedBy::Others,
            move |_, ending| {
                pending.reached = true;
                drop(pending);
                ending.end(Ok(()));
            },
        )?;
        Ok(())
    }

    /// The newest record, and whether the event of this process knows it.
    fn newest(&self) -> Option<(Record, bool)> {
        let _order = self.order.lock();
        self.newest_in_order()
    }

    fn newest_in_order(&self) -> Option<(Record, bool)> {
        let record = self.signal.newest()?;
        let is_own = self.latest.load(Ordering::Acquire) == record.name();
        Some((record, is_own))
    }

    /// Makes a stream wait for the newest record there is now.
    pub(super) fn wait(&self, stream: &Stream, limit: Option<Duration>) -> Result<(), CallError> {
        not_in_a_graph(stream)?;
        let hub = sharing::hub()?;
        let _order = self.order.lock();
        let Some((record, is_own)) = self.newest_in_order() else {
            return Ok(());
        };
        if is_own {
            return Ok(stream.wait_event(&self.own, limit)?);
        }
        if record.state() == RecordState::Done {
            return Ok(());
        }
        let over = condition(record);
        let program = EndedBy::Program;
        stream.external("aclrtStreamWaitEvent", &[], program, move |_, ending| {
            let over = unless_aborted(&ending, over);
            hub.when(None, over, limit, move |waited| {
                ending.end(outcome(waited, limit));
            });
        })?;
        Ok(())
    }

    /// Blocks until the newest record is reached.
    pub(super) fn synchronize(&self, limit: Option<Duration>) -> Result<(), CallError> {
        let Some((record, is_own)) = self.newest() else {
            return Ok(());
        };
        if is_own {
            return Ok(self.own.synchronize_within(limit)?);
        }
        match sharing::hub()?.wait_for(condition(record), limit) {
            Waited::Done => Ok(()),
            Waited::Failed(why) => Err(failed(why)),
            Waited::TimedOut => Err(CallError::coded(
                abi::ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                "the event was not reached in time",
            )),
        }
    }

    /// Whether the newest record is reached; none counts as reached.
    pub(super) fn is_reached(&self) -> Result<bool, CallError> {
        let Some((record, is_own)) = self.newest() else {
            return Ok(true);
        };
        if is_own {
            return Ok(self.own.status() != EventStatus::Pending);
        }
        match record.state() {
            RecordState::Pending => Ok(false),
            RecordState::Done => Ok(true),
            RecordState::Failed(why) => Err(failed(why)),
        }
    }
}

/// A record is named anew each time, and the other processes know of it when the call is made: a launch could not repeat it.
fn not_in_a_graph(stream: &Stream) -> Result<(), CallError> {
    let reason = "record it or wait for it before the capture or after a launch, or use a notification (aclrtCreateNotify), which can be \
                  captured";
    Ok(stream.not_captured("an event of several processes", reason)?)
}

fn failed(why: impl Into<String>) -> CallError {
    CallError::coded(abi::ACL_ERROR_RT_DRV_INTERNAL_ERROR, why)
}

/// The event that a handle of this kind names; `None` for handles of other kinds.
pub(super) fn get(event: abi::aclrtEvent) -> Option<Result<Arc<SharedEvent>, CallError>> {
    Kind::SharedEvent.is_of(word(event)).then(|| {
        let found = resolve(&SHARED_EVENTS, Kind::SharedEvent, event, "event")?;
        Ok(Arc::clone(&found))
    })
}

/// Makes an event.
pub(super) fn create() -> Result<u64, CallError> {
    current::with(|_| Ok(()))?;
    SharedEvent::handle_of(Signal::create(SignalKind::Event)?)
}

/// Ends a handle. Records and waits that are queued keep what they need.
pub(super) fn destroy(event: abi::aclrtEvent) -> Result<(), CallError> {
    withdraw(&SHARED_EVENTS, Kind::SharedEvent, event, "event")?.let_go();
    Ok(())
}

/// FNV-1a: enough to detect made-up or damaged bytes.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn to_bytes(key: &Key) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..8].copy_from_slice(HEADER);
    bytes[8..8 + KEY].copy_from_slice(key);
    let sum = checksum(&bytes[..56]);
    bytes[56..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn from_bytes(bytes: &[u8; 64]) -> Option<Key> {
    let sum = u64::from_le_bytes(bytes[56..].try_into().ok()?);
    let is_ours = bytes[..8] == *HEADER && sum == checksum(&bytes[..56]);
    is_ours.then(|| bytes[8..8 + KEY].try_into().ok())?
}

/// The 64 bytes by which other processes open an event.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtIpcGetEventHandle(
    event: abi::aclrtEvent,
    handle: *mut abi::aclrtIpcEventHandle,
) -> abi::aclError {
    entry("aclrtIpcGetEventHandle", || {
        let out: Out<abi::aclrtIpcEventHandle> = out!(handle);
        let Some(event) = get(event) else {
            // Says what is wrong with it, if it is not an event at all.
            crate::handles::event(event, "event")?;
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_PARAM_INVALID,
                "the event was not created with ACL_EVENT_IPC, so other processes cannot use it",
            ));
        };
        let event = event?;
        let key = sharing::hub()?.export_object(&event.signal, true)?;
        let reserved = to_bytes(&key).map(|byte| c_char::from_le_bytes([byte]));
        out.write(abi::aclrtIpcEventHandle { reserved });
        Ok(())
    })
}
const _: abi::aclrtIpcGetEventHandleFn = aclrtIpcGetEventHandle;

/// Opens an event of another process.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtIpcOpenEventHandle(
    handle: abi::aclrtIpcEventHandle,
    event: *mut abi::aclrtEvent,
) -> abi::aclError {
    entry("aclrtIpcOpenEventHandle", || {
        let out = out!(event);
        current::with(|_| Ok(()))?;
        let bytes = handle.reserved.map(|character| character.to_le_bytes()[0]);
        let key = from_bytes(&bytes).ok_or_else(|| {
            CallError::coded(
                abi::ACL_ERROR_RT_PARAM_INVALID,
                "the handle is not what aclrtIpcGetEventHandle returned, or it was changed",
            )
        })?;
        let signal = sharing::import_object(&key, SignalKind::Event)?;
        out.write(pointer(SharedEvent::handle_of(signal)?));
        Ok(())
    })
}
const _: abi::aclrtIpcOpenEventHandleFn = aclrtIpcOpenEventHandle;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_that_were_made_here_are_taken() {
        let made = to_bytes(&[9; KEY]);
        assert_eq!(from_bytes(&made), Some([9; KEY]));
        for place in 0..made.len() {
            let mut changed = made;
            changed[place] ^= 4;
            assert_eq!(from_bytes(&changed), None, "byte {place}");
        }
    }
}
