//! `acl/rt/stream.h`: streams.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::sync::atomic::Ordering;
use std::time::Duration;

use millpond::{OnFailure, StreamOptions};
use millpond_abi as abi;

use super::device::timeout_of;
use super::{capture_mode, external_event, ipc_event, overflow, resource_limit, stream_attribute};
use crate::boundary::{CallError, bad_value, entry, out};
use crate::handles::{self, STREAMS, pointer, withdraw, word};
use crate::hooks::{self, StreamState};
use crate::registry::Kind;
use crate::{current, process};

/// Priorities: 0 is the most urgent.
pub(super) const LEAST_PRIORITY: u32 = 7;
const KNOWN_FLAGS: u32 = abi::ACL_STREAM_FAST_LAUNCH
    | abi::ACL_STREAM_FAST_SYNC
    | abi::ACL_STREAM_PERSISTENT
    | abi::ACL_STREAM_HUGE
    | abi::ACL_STREAM_CPU_SCHEDULE
    | abi::ACL_STREAM_DEVICE_USE_ONLY;

fn create(options: StreamOptions) -> Result<u64, CallError> {
    let entry = current::context()?;
    let stream = entry.context.create_stream(options)?;
    overflow::stream_created(&stream);
    let handle = current::register_stream(&entry, stream, false)?;
    hooks::stream_state(handle, StreamState::CreatePost);
    Ok(handle)
}

/// Creates a stream in the current context.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateStream(stream: *mut abi::aclrtStream) -> abi::aclError {
    entry("aclrtCreateStream", || {
        let out = out!(stream);
        out.write(pointer(create(StreamOptions::default())?));
        Ok(())
    })
}
const _: abi::aclrtCreateStreamFn = aclrtCreateStream;

/// The same with a priority, brought into the range, and flags.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateStreamWithConfig(
    stream: *mut abi::aclrtStream,
    priority: u32,
    flag: u32,
) -> abi::aclError {
    entry("aclrtCreateStreamWithConfig", || {
        let out = out!(stream);
        out.write(pointer(create_with(priority, flag)?));
        Ok(())
    })
}
const _: abi::aclrtCreateStreamWithConfigFn = aclrtCreateStreamWithConfig;

pub(super) fn create_with(priority: u32, flag: u32) -> Result<u64, CallError> {
    if flag & !KNOWN_FLAGS != 0 {
        return bad_value(
            "flag",
            format!("{flag:#x}"),
            "it must be a combination of ACL_STREAM_* values",
        );
    }
    create(StreamOptions {
        priority: priority.min(LEAST_PRIORITY),
        flags: flag,
    })
}

fn destroy(stream: abi::aclrtStream, force: bool) -> Result<(), CallError> {
    {
        let entry = handles::stream(stream, "stream")?;
        if entry.is_default {
            return bad_value(
                "stream",
                "a default stream",
                "it is destroyed with its context",
            );
        }
        if !force {
            current::on_stream(stream, "stream", |_| Ok(()))?;
        }
    }
    hooks::stream_state(word(stream), StreamState::DestroyPre);
    let entry = withdraw(&STREAMS, Kind::Stream, stream, "stream")?;
    entry
        .context
        .streams
        .lock()
        .retain(|handle| *handle != word(stream));
    stream_attribute::forget(entry.stream.id());
    resource_limit::forget(entry.stream.id());
    if force {
        entry.stream.destroy_force();
        return Ok(());
    }
    Ok(entry.stream.destroy()?)
}

/// Waits for a stream's work and ends it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDestroyStream(stream: abi::aclrtStream) -> abi::aclError {
    entry("aclrtDestroyStream", || destroy(stream, false))
}
const _: abi::aclrtDestroyStreamFn = aclrtDestroyStream;

/// Ends a stream without waiting; work that has not begun is dropped.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDestroyStreamForce(stream: abi::aclrtStream) -> abi::aclError {
    entry("aclrtDestroyStreamForce", || destroy(stream, true))
}
const _: abi::aclrtDestroyStreamForceFn = aclrtDestroyStreamForce;

/// Waits for everything that is queued on a stream. A task that failed surfaces here.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSynchronizeStream(stream: abi::aclrtStream) -> abi::aclError {
    entry("aclrtSynchronizeStream", || synchronize(stream, None))
}
const _: abi::aclrtSynchronizeStreamFn = aclrtSynchronizeStream;

/// The same with a limit in milliseconds; -1 waits as long as it takes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSynchronizeStreamWithTimeout(
    stream: abi::aclrtStream,
    timeout: i32,
) -> abi::aclError {
    entry("aclrtSynchronizeStreamWithTimeout", || {
        synchronize(stream, timeout_of(timeout)?)
    })
}
const _: abi::aclrtSynchronizeStreamWithTimeoutFn = aclrtSynchronizeStreamWithTimeout;

fn synchronize(stream: abi::aclrtStream, limit: Option<Duration>) -> Result<(), CallError> {
    const NEVER_WAITED_FOR: u32 = abi::ACL_STREAM_PERSISTENT | abi::ACL_STREAM_DEVICE_USE_ONLY;
    current::on_stream(stream, "stream", |stream| {
        if stream.flags() & NEVER_WAITED_FOR != 0 {
            return Ok(());
        }
        Ok(stream.synchronize_within(limit)?)
    })
}

/// Whether everything that is queued on a stream has ended.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtStreamQuery(
    stream: abi::aclrtStream,
    status: *mut abi::aclrtStreamStatus,
) -> abi::aclError {
    entry("aclrtStreamQuery", || {
        let out = out!(status);
        let done = current::on_stream(stream, "stream", |stream| {
            stream.not_while_captured("aclrtStreamQuery")?;
            Ok(stream.is_done())
        })?;
        out.write(if done {
            abi::ACL_STREAM_STATUS_COMPLETE
        } else {
            abi::ACL_STREAM_STATUS_NOT_READY
        });
        Ok(())
    })
}
const _: abi::aclrtStreamQueryFn = aclrtStreamQuery;

/// Reads something of a stream that does not depend on the current context, unless it is NULL.
pub(super) fn look<T>(
    stream: abi::aclrtStream,
    read: impl FnOnce(&millpond::Stream) -> T,
) -> Result<T, CallError> {
    if stream.is_null() {
        return current::with(|entry| Ok(read(entry.context.default_stream())));
    }
    Ok(read(&handles::stream(stream, "stream")?.stream))
}

/// A stream's number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtStreamGetId(
    stream: abi::aclrtStream,
    streamId: *mut i32,
) -> abi::aclError {
    entry("aclrtStreamGetId", || {
        let out = out!(streamId);
        let id = look(stream, millpond::Stream::id)?;
        out.write(i32::try_from(id & 0x7fff_ffff).unwrap_or(i32::MAX));
        Ok(())
    })
}
const _: abi::aclrtStreamGetIdFn = aclrtStreamGetId;

/// A stream's priority.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtStreamGetPriority(
    stream: abi::aclrtStream,
    priority: *mut u32,
) -> abi::aclError {
    entry("aclrtStreamGetPriority", || {
        let out = out!(priority);
        let (id, created) = look(stream, |stream| (stream.id(), stream.priority()))?;
        out.write(stream_attribute::priority(id).unwrap_or(created));
        Ok(())
    })
}
const _: abi::aclrtStreamGetPriorityFn = aclrtStreamGetPriority;

/// The flags a stream was created with.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtStreamGetFlags(
    stream: abi::aclrtStream,
    flags: *mut u32,
) -> abi::aclError {
    entry("aclrtStreamGetFlags", || {
        let out = out!(flags);
        out.write(look(stream, millpond::Stream::flags)?);
        Ok(())
    })
}
const _: abi::aclrtStreamGetFlagsFn = aclrtStreamGetFlags;

/// How many more streams the current device can have.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetStreamAvailableNum(streamCount: *mut u32) -> abi::aclError {
    entry("aclrtGetStreamAvailableNum", || {
        let out = out!(streamCount);
        out.write(current::with(|entry| {
            Ok(entry.context.device().streams_available())
        })?);
        Ok(())
    })
}
const _: abi::aclrtGetStreamAvailableNumFn = aclrtGetStreamAvailableNum;

/// The range of priorities; the greatest is the smallest number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceGetStreamPriorityRange(
    leastPriority: *mut i32,
    greatestPriority: *mut i32,
) -> abi::aclError {
    entry("aclrtDeviceGetStreamPriorityRange", || {
        let outs = (out!(leastPriority), out!(greatestPriority));
        current::with(|_| Ok(()))?;
        outs.0.write(i32::try_from(LEAST_PRIORITY).unwrap_or(0));
        outs.1.write(0);
        Ok(())
    })
}
const _: abi::aclrtDeviceGetStreamPriorityRangeFn = aclrtDeviceGetStreamPriorityRange;

fn is_default(stream: abi::aclrtStream) -> Result<bool, CallError> {
    Ok(stream.is_null() || handles::stream(stream, "stream")?.is_default)
}

fn wait(
    stream: abi::aclrtStream,
    event: abi::aclrtEvent,
    limit: Option<Duration>,
    external: bool,
) -> Result<(), CallError> {
    let limit = limit.or_else(super::event::wait_limit);
    if let Some(event) = ipc_event::get(event) {
        let event = event?;
        return current::on_stream_of_any_device(stream, "stream", |stream| {
            event.wait(stream, limit)
        });
    }
    if let Some(event) = external_event::get(event) {
        let event = event?;
        return current::on_stream_of_any_device(stream, "stream", |stream| {
            external_event::wait(&event, stream, limit)
        });
    }
    let event = handles::event(event, "event")?;
    if capture_mode::any() && !external && is_default(stream)? {
        // It would join the capture.
        let joins = event.not_while_captured("aclrtStreamWaitEvent on a default stream");
        joins.map_err(|_| millpond::Error::from(millpond::GraphError::DefaultStream))?;
    }
    current::on_stream_of_any_device(stream, "stream", |stream| {
        if !external {
            return Ok(stream.wait_event(&event, limit)?);
        }
        let event = event.clone();
        let again =
            move |stream: &millpond::Stream| stream.wait_event(&event, limit).map_err(Box::new);
        Ok(stream.call("aclrtStreamWaitEventWithFlag", again)?)
    })
}

/// Makes a stream wait for an event.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtStreamWaitEvent(
    stream: abi::aclrtStream,
    event: abi::aclrtEvent,
) -> abi::aclError {
    entry("aclrtStreamWaitEvent", || wait(stream, event, None, false))
}
const _: abi::aclrtStreamWaitEventFn = aclrtStreamWaitEvent;

/// The same with a limit in seconds; 0 waits as long as it takes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtStreamWaitEventWithTimeout(
    stream: abi::aclrtStream,
    event: abi::aclrtEvent,
    timeout: i32,
) -> abi::aclError {
    entry("aclrtStreamWaitEventWithTimeout", || {
        let Ok(seconds) = u64::try_from(timeout) else {
            return bad_value(
                "timeout",
                timeout,
                "it must be a number of seconds, or 0 for no limit",
            );
        };
        wait(
            stream,
            event,
            (seconds > 0).then(|| Duration::from_secs(seconds)),
            false,
        )
    })
}
const _: abi::aclrtStreamWaitEventWithTimeoutFn = aclrtStreamWaitEventWithTimeout;

/// The same with a flag. An external wait is part of a graph, for an event that is recorded outside of it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtStreamWaitEventWithFlag(
    stream: abi::aclrtStream,
    event: abi::aclrtEvent,
    timeout: u32,
    flag: u32,
) -> abi::aclError {
    entry("aclrtStreamWaitEventWithFlag", || {
        let external = super::event::is_external(flag)?;
        let limit = (timeout > 0).then(|| Duration::from_secs(u64::from(timeout)));
        wait(stream, event, limit, external)
    })
}
const _: abi::aclrtStreamWaitEventWithFlagFn = aclrtStreamWaitEventWithFlag;

/// Sets the failure mode of a stream.
pub(super) fn failure_mode(stream: abi::aclrtStream, mode: u64) -> Result<(), CallError> {
    let on_failure = match mode {
        abi::ACL_CONTINUE_ON_FAILURE => OnFailure::Continue,
        abi::ACL_STOP_ON_FAILURE => OnFailure::Stop,
        _ => return bad_value("mode", mode, "it must be 0 (continue) or 1 (stop)"),
    };
    let refused = |text: &str| {
        Err(CallError::coded(
            abi::ACL_ERROR_RT_PARAM_INVALID,
            text.to_owned(),
        ))
    };
    if stream.is_null() {
        return refused("the mode of the default stream cannot be set");
    }
    let entry = handles::stream(stream, "stream")?;
    if entry.is_default {
        return refused("the mode of the default stream cannot be set");
    }
    if entry.failure_mode_set.swap(true, Ordering::AcqRel) {
        return refused("the mode of this stream is already set");
    }
    entry.stream.set_on_failure(on_failure);
    stream_attribute::note_failure_mode(entry.stream.id(), mode);
    Ok(())
}

/// Says what later tasks of a stream do when one has failed. Once per stream.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtSetStreamFailureMode(
    stream: abi::aclrtStream,
    mode: u64,
) -> abi::aclError {
    entry("aclrtSetStreamFailureMode", || failure_mode(stream, mode))
}
const _: abi::aclrtSetStreamFailureModeFn = aclrtSetStreamFailureMode;

/// Drops what has not started on a stream; threads that wait for it get an error.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtStreamAbort(stream: abi::aclrtStream) -> abi::aclError {
    entry("aclrtStreamAbort", || {
        process::runtime()?;
        handles::stream(stream, "stream")?.stream.abort();
        Ok(())
    })
}
const _: abi::aclrtStreamAbortFn = aclrtStreamAbort;
