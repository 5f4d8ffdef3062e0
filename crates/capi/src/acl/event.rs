//! `acl/rt/event.h`: events, in their three kinds.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use millpond::{EventKind, EventStatus};
use millpond_abi as abi;

use super::device::timeout_of;
use super::{external_event, ipc_event};
use crate::boundary::{CallError, bad_value, entry, out};
use crate::handles::{self, EVENTS, mint, pointer, withdraw};
use crate::registry::Kind;
use crate::{current, process};

/// Seconds that a stream waits for an event at most, unless the wait says otherwise; 0 for no limit.
static WAIT_LIMIT: AtomicU32 = AtomicU32::new(0);

const KNOWN_FLAGS: u32 = abi::ACL_EVENT_SYNC
    | abi::ACL_EVENT_CAPTURE_STREAM_PROGRESS
    | abi::ACL_EVENT_TIME_LINE
    | abi::ACL_EVENT_DEVICE_USE_ONLY
    | abi::ACL_EVENT_EXTERNAL
    | abi::ACL_EVENT_IPC;

/// Forgets the limit that the program has set.
pub(crate) fn forget_limit() {
    WAIT_LIMIT.store(0, Ordering::Relaxed);
}

pub(crate) fn wait_limit() -> Option<Duration> {
    let seconds = WAIT_LIMIT.load(Ordering::Relaxed);
    (seconds > 0).then(|| Duration::from_secs(u64::from(seconds)))
}

/// Whether a record or wait is external: part of a graph, but of an event that is used outside of it.
pub(crate) fn is_external(flag: u32) -> Result<bool, CallError> {
    match flag {
        0 => Ok(false),
        1 => Ok(true),
        _ => bad_value("flag", flag, "it must be 0 (default) or 1 (external)"),
    }
}

fn create(kind: EventKind, orders: bool, times: bool, flags: u32) -> Result<u64, CallError> {
    current::with(|_| Ok(()))?;
    let event = process::runtime()?.create_event_with(kind, orders, times, flags)?;
    mint(&EVENTS, Kind::Event, event)
}

fn known_flags(flag: u32) -> Result<(), CallError> {
    if flag == 0 || flag & !KNOWN_FLAGS != 0 {
        return bad_value(
            "flag",
            format!("{flag:#x}"),
            "it must be a combination of ACL_EVENT_* values",
        );
    }
    if flag & abi::ACL_EVENT_IPC != 0 {
        return Err(CallError::coded(
            abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "ACL_EVENT_IPC stands alone, and belongs to aclrtCreateEventExWithFlag",
        ));
    }
    Ok(())
}

/// Creates an event that orders streams and keeps time.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateEvent(event: *mut abi::aclrtEvent) -> abi::aclError {
    entry("aclrtCreateEvent", || {
        let out = out!(event);
        let flags = abi::ACL_EVENT_SYNC | abi::ACL_EVENT_TIME_LINE;
        out.write(pointer(create(EventKind::Resettable, true, true, flags)?));
        Ok(())
    })
}
const _: abi::aclrtCreateEventFn = aclrtCreateEvent;

/// Creates an event with what the flags ask for.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateEventWithFlag(
    event: *mut abi::aclrtEvent,
    flag: u32,
) -> abi::aclError {
    entry("aclrtCreateEventWithFlag", || {
        let out = out!(event);
        known_flags(flag)?;
        if flag & abi::ACL_EVENT_EXTERNAL != 0 {
            out.write(pointer(external_event::create()?));
            return Ok(());
        }
        let orders = flag & abi::ACL_EVENT_SYNC != 0;
        let times = flag & abi::ACL_EVENT_TIME_LINE != 0;
        out.write(pointer(create(EventKind::Resettable, orders, times, flag)?));
        Ok(())
    })
}
const _: abi::aclrtCreateEventWithFlagFn = aclrtCreateEventWithFlag;

/// Creates an event that can be recorded again and again.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateEventExWithFlag(
    event: *mut abi::aclrtEvent,
    flag: u32,
) -> abi::aclError {
    entry("aclrtCreateEventExWithFlag", || {
        let out = out!(event);
        if flag == abi::ACL_EVENT_IPC {
            out.write(pointer(ipc_event::create()?));
            return Ok(());
        }
        known_flags(flag)?;
        if flag & abi::ACL_EVENT_EXTERNAL != 0 {
            out.write(pointer(external_event::create()?));
            return Ok(());
        }
        let times = flag & abi::ACL_EVENT_TIME_LINE != 0;
        out.write(pointer(create(EventKind::Rerecordable, true, times, flag)?));
        Ok(())
    })
}
const _: abi::aclrtCreateEventExWithFlagFn = aclrtCreateEventExWithFlag;

/// Ends an event. Waits that were enqueued keep what they wait for.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDestroyEvent(event: abi::aclrtEvent) -> abi::aclError {
    entry("aclrtDestroyEvent", || {
        if ipc_event::get(event).is_some() {
            return ipc_event::destroy(event);
        }
        if external_event::get(event).is_some() {
            return external_event::destroy(event);
        }
        // Another thread may still be using it; the handle is destroyed nevertheless.
        withdraw(&EVENTS, Kind::Event, event, "event").map(|event| event.retire())
    })
}
const _: abi::aclrtDestroyEventFn = aclrtDestroyEvent;

fn record(
    event: abi::aclrtEvent,
    stream: abi::aclrtStream,
    external: bool,
) -> Result<(), CallError> {
    if let Some(event) = ipc_event::get(event) {
        let event = event?;
        return current::on_stream(stream, "stream", |stream| event.record(stream));
    }
    if let Some(event) = external_event::get(event) {
        let event = event?;
        return current::on_stream(stream, "stream", |stream| {
            external_event::set(&event, stream, "aclrtRecordEvent", 1)
        });
    }
    let event = handles::event(event, "event")?;
    current::on_stream(stream, "stream", |stream| {
        if !external {
            return Ok(stream.record(&event)?);
        }
        let event = event.clone();
        let again = move |stream: &millpond::Stream| stream.record(&event).map_err(Box::new);
        Ok(stream.call("aclrtRecordEventWithFlag", again)?)
    })
}

/// Marks the present place of a stream in an event.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtRecordEvent(
    event: abi::aclrtEvent,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtRecordEvent", || record(event, stream, false))
}
const _: abi::aclrtRecordEventFn = aclrtRecordEvent;

/// The same with a flag.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtRecordEventWithFlag(
    event: abi::aclrtEvent,
    stream: abi::aclrtStream,
    flag: u32,
) -> abi::aclError {
    entry("aclrtRecordEventWithFlag", || {
        record(event, stream, is_external(flag)?)
    })
}
const _: abi::aclrtRecordEventWithFlagFn = aclrtRecordEventWithFlag;

/// Puts an event back into its unrecorded state.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtResetEvent(
    event: abi::aclrtEvent,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtResetEvent", || {
        if let Some(event) = external_event::get(event) {
            let event = event?;
            return current::on_stream(stream, "stream", |stream| {
                external_event::set(&event, stream, "aclrtResetEvent", 0)
            });
        }
        let event = handles::event(event, "event")?;
        current::on_stream(stream, "stream", |stream| Ok(stream.reset_event(&event)?))
    })
}
const _: abi::aclrtResetEventFn = aclrtResetEvent;

/// The older questions are for events that cannot be recorded again.
fn old_kind(event: &millpond::Event, operation: &'static str) -> Result<(), CallError> {
    match event.kind() {
        EventKind::Resettable => Ok(()),
        EventKind::Rerecordable => Err(millpond::Error::EventCannot { operation }.into()),
    }
}

/// Refuses to ask for a recording in a capture; except if the event tells an allocator how far a stream is, which may always be asked.
fn status_in_capture(
    event: &millpond::Event,
    function: &'static str,
) -> Result<Option<EventStatus>, CallError> {
    let is_polled = event.flags() & abi::ACL_EVENT_CAPTURE_STREAM_PROGRESS != 0;
    let over = is_polled.then(|| event.is_over_for_good()).flatten();
    match over {
        Some(true) => Ok(Some(EventStatus::Reached)),
        Some(false) => Ok(Some(EventStatus::Pending)),
        None => {
            event.not_while_captured(function)?;
            Ok(None)
        }
    }
}

/// Whether an event is reached; never recorded counts as reached.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtQueryEvent(
    event: abi::aclrtEvent,
    status: *mut abi::aclrtEventStatus,
) -> abi::aclError {
    entry("aclrtQueryEvent", || {
        let out = out!(status);
        let event = handles::event(event, "event")?;
        let captured = status_in_capture(&event, "aclrtQueryEvent")?;
        old_kind(&event, "be queried with aclrtQueryEvent")?;
        out.write(match captured.unwrap_or_else(|| event.status()) {
            EventStatus::Unrecorded | EventStatus::Reached => abi::ACL_EVENT_STATUS_COMPLETE,
            EventStatus::Pending => abi::ACL_EVENT_STATUS_NOT_READY,
        });
        Ok(())
    })
}
const _: abi::aclrtQueryEventFn = aclrtQueryEvent;

/// Whether an event is reached; never recorded counts by its kind. The numbers are the other way
/// round than those of `aclrtQueryEvent`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtQueryEventStatus(
    event: abi::aclrtEvent,
    status: *mut abi::aclrtEventRecordedStatus,
) -> abi::aclError {
    entry("aclrtQueryEventStatus", || {
        let out = out!(status);
        let reached =
            if let Some(event) = ipc_event::get(event) {
                event?.is_reached()?
            } else if let Some(event) = external_event::get(event) {
                external_event::is_set(&*event?)
            } else {
                let event = handles::event(event, "event")?;
                let captured = status_in_capture(&event, "aclrtQueryEventStatus")?;
                let status = captured.unwrap_or_else(|| event.status());
                match (status, event.kind()) {
                    (EventStatus::Reached, _)
                    | (EventStatus::Unrecorded, EventKind::Rerecordable) => true,
                    (EventStatus::Pending, _)
                    | (EventStatus::Unrecorded, EventKind::Resettable) => false,
                }
            };
        out.write(if reached {
            abi::ACL_EVENT_RECORDED_STATUS_COMPLETE
        } else {
            abi::ACL_EVENT_RECORDED_STATUS_NOT_READY
        });
        Ok(())
    })
}
const _: abi::aclrtQueryEventStatusFn = aclrtQueryEventStatus;

/// Whether the streams that wait for an event have gone on.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtQueryEventWaitStatus(
    event: abi::aclrtEvent,
    status: *mut abi::aclrtEventWaitStatus,
) -> abi::aclError {
    entry("aclrtQueryEventWaitStatus", || {
        let out = out!(status);
        let event = handles::event(event, "event")?;
        event.not_while_captured("aclrtQueryEventWaitStatus")?;
        old_kind(&event, "be queried with aclrtQueryEventWaitStatus")?;
        out.write(if event.is_waited_for() {
            abi::ACL_EVENT_WAIT_STATUS_NOT_READY
        } else {
            abi::ACL_EVENT_WAIT_STATUS_COMPLETE
        });
        Ok(())
    })
}
const _: abi::aclrtQueryEventWaitStatusFn = aclrtQueryEventWaitStatus;

/// Blocks until an event is reached.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSynchronizeEvent(event: abi::aclrtEvent) -> abi::aclError {
    entry("aclrtSynchronizeEvent", || {
        if let Some(event) = ipc_event::get(event) {
            return event?.synchronize(None);
        }
        let event = handles::event(event, "event")?;
        event.not_while_captured("aclrtSynchronizeEvent")?;
        Ok(event.synchronize()?)
    })
}
const _: abi::aclrtSynchronizeEventFn = aclrtSynchronizeEvent;

/// The same with a limit in milliseconds; -1 waits as long as it takes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSynchronizeEventWithTimeout(
    event: abi::aclrtEvent,
    timeout: i32,
) -> abi::aclError {
    entry("aclrtSynchronizeEventWithTimeout", || {
        if let Some(event) = ipc_event::get(event) {
            return event?.synchronize(timeout_of(timeout)?);
        }
        let event = handles::event(event, "event")?;
        event.not_while_captured("aclrtSynchronizeEventWithTimeout")?;
        Ok(event.synchronize_within(timeout_of(timeout)?)?)
    })
}
const _: abi::aclrtSynchronizeEventWithTimeoutFn = aclrtSynchronizeEventWithTimeout;

/// Milliseconds between two events.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtEventElapsedTime(
    ms: *mut f32,
    startEvent: abi::aclrtEvent,
    endEvent: abi::aclrtEvent,
) -> abi::aclError {
    entry("aclrtEventElapsedTime", || {
        let out = out!(ms);
        let start = handles::event(startEvent, "startEvent")?;
        let end = handles::event(endEvent, "endEvent")?;
        for event in [&start, &end] {
            event.not_while_captured("aclrtEventElapsedTime")?;
        }
        out.write(end.milliseconds_since(&start)?);
        Ok(())
    })
}
const _: abi::aclrtEventElapsedTimeFn = aclrtEventElapsedTime;

/// Microseconds at which an event was reached, on a clock that only goes forward.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtEventGetTimestamp(
    event: abi::aclrtEvent,
    timestamp: *mut u64,
) -> abi::aclError {
    entry("aclrtEventGetTimestamp", || {
        let out = out!(timestamp);
        let event = handles::event(event, "event")?;
        event.not_while_captured("aclrtEventGetTimestamp")?;
        let at = event.reached_at()?;
        out.write(microseconds(at));
        Ok(())
    })
}
const _: abi::aclrtEventGetTimestampFn = aclrtEventGetTimestamp;

/// An instant on the machine's monotonic clock. Where the two clocks meet is read once: read at every
/// call, it would differ by however long the thread stood still between the two readings, and so
/// would the time between two events.
fn microseconds(at: Instant) -> u64 {
    static MEETING: OnceLock<(Instant, u64)> = OnceLock::new();
    let (instant, reading) = *MEETING.get_or_init(|| (Instant::now(), monotonic()));
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let forward = micros(at.saturating_duration_since(instant));
    let backward = micros(instant.saturating_duration_since(at));
    reading.saturating_add(forward).saturating_sub(backward)
}

/// The machine's monotonic clock, in microseconds.
pub(crate) fn monotonic() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a writable timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0) / 1000
}

/// An event's number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetEventId(
    event: abi::aclrtEvent,
    eventId: *mut u32,
) -> abi::aclError {
    entry("aclrtGetEventId", || {
        let out = out!(eventId);
        let id = handles::event(event, "event")?.id();
        out.write(u32::try_from(id & 0xffff_ffff).unwrap_or(u32::MAX));
        Ok(())
    })
}
const _: abi::aclrtGetEventIdFn = aclrtGetEventId;

/// How many more events can be created.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetEventAvailNum(eventCount: *mut u32) -> abi::aclError {
    entry("aclrtGetEventAvailNum", || {
        let out = out!(eventCount);
        current::with(|_| Ok(()))?;
        out.write(process::runtime()?.events_available());
        Ok(())
    })
}
const _: abi::aclrtGetEventAvailNumFn = aclrtGetEventAvailNum;

/// Sets the limit for waits that have none of their own, in seconds; 0 for no limit.
///
/// It is the process's, so no context is needed: `torch_npu` sets it when a process group is created, which `accelerate` does before it
/// selects a device.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetOpWaitTimeout(timeout: u32) -> abi::aclError {
    entry("aclrtSetOpWaitTimeout", || {
        WAIT_LIMIT.store(timeout, Ordering::Relaxed);
        Ok(())
    })
}
const _: abi::aclrtSetOpWaitTimeoutFn = aclrtSetOpWaitTimeout;
