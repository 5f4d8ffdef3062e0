//! `acl/rt/notify.h`: notifications, which are set or not, and counted ones, which are a number.
//!
//! Both are signals in shared memory (`sharing/signal.rs`), whether other processes use them or not. Records and waits are tasks of
//! streams; a wait holds no worker.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_char;
use std::sync::Arc;
use std::time::Duration;

use millpond::EndedBy;
use millpond_abi as abi;

use super::ipc_event::{outcome, unless_aborted};
use super::ipc_memory::{processes, read_key, room_for_key, write_key};
use crate::boundary::{self, CallError, bad_value, entry, out};
use crate::current;
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{HandleGuard, Kind, Registry};
use crate::sharing::signal::{Signal, SignalKind};
use crate::sharing::{self, Waited};

pub(crate) static NOTIFIES: Registry<Arc<Signal>> = Registry::new(Kind::Notify);
pub(crate) static COUNTED: Registry<Arc<Signal>> = Registry::new(Kind::CountedNotify);

fn get(notify: abi::aclrtNotify) -> Result<HandleGuard<'static, Arc<Signal>>, CallError> {
    resolve(&NOTIFIES, Kind::Notify, notify, "notify")
}

fn get_counted(
    notify: abi::aclrtCntNotify,
) -> Result<HandleGuard<'static, Arc<Signal>>, CallError> {
    resolve(&COUNTED, Kind::CountedNotify, notify, "cntNotify")
}

fn create(
    registry: &'static Registry<Arc<Signal>>,
    kind: Kind,
    of: SignalKind,
    flag: u64,
) -> Result<u64, CallError> {
    if flag > abi::ACL_NOTIFY_DEVICE_USE_ONLY {
        return bad_value(
            "flag",
            flag,
            "it must be ACL_NOTIFY_DEFAULT or ACL_NOTIFY_DEVICE_USE_ONLY",
        );
    }
    current::with(|_| Ok(()))?;
    mint(registry, kind, Arc::new(Signal::create(of)?))
}

/// Queues a change of the number.
fn queue_change(
    signal: &Arc<Signal>,
    stream: abi::aclrtStream,
    name: &'static str,
    change: impl Fn(u32) -> u32 + Copy + Send + Sync + 'static,
) -> Result<(), CallError> {
    let signal = Arc::clone(signal);
    current::on_stream(stream, "stream", |stream| {
        stream.call(name, move |stream| {
            let signal = Arc::clone(&signal);
            let queued = stream.external(name, &[], EndedBy::Others, move |_, ending| {
                signal.change(change);
                ending.end(Ok(()));
            });
            queued.map(drop)
        })?;
        Ok(())
    })
}

/// Queues a wait until `take` says what becomes of the number.
fn queue_wait(
    signal: &Arc<Signal>,
    stream: abi::aclrtStream,
    name: &'static str,
    milliseconds: u32,
    take: impl Fn(u32) -> Option<u32> + Copy + Send + Sync + 'static,
) -> Result<(), CallError> {
    let hub = sharing::hub()?;
    let signal = Arc::clone(signal);
    let limit = (milliseconds > 0).then(|| Duration::from_millis(u64::from(milliseconds)));
    current::on_stream(stream, "stream", |stream| {
        stream.call(name, move |stream| {
            let signal = Arc::clone(&signal);
            let queued = stream.external(name, &[], EndedBy::Program, move |_, ending| {
                let key = Some(signal.key());
                let condition = move || signal.try_take(take).then_some(Waited::Done);
                let condition = unless_aborted(&ending, condition);
                hub.when(key, condition, limit, move |waited| {
                    ending.end(outcome(waited, limit));
                });
            });
            queued.map(drop)
        })?;
        Ok(())
    })
}

/// Makes a notification, which is not set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCreateNotify(
    notify: *mut abi::aclrtNotify,
    flag: u64,
) -> abi::aclError {
    entry("aclrtCreateNotify", || {
        let out = out!(notify);
        out.write(pointer(create(
            &NOTIFIES,
            Kind::Notify,
            SignalKind::Notify,
            flag,
        )?));
        Ok(())
    })
}
const _: abi::aclrtCreateNotifyFn = aclrtCreateNotify;

/// Ends the use of a notification. Queued tasks keep what they need.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDestroyNotify(notify: abi::aclrtNotify) -> abi::aclError {
    entry("aclrtDestroyNotify", || {
        let gone = withdraw(&NOTIFIES, Kind::Notify, notify, "notify")?;
        sharing::hub()?.withdraw_object(&gone);
        Ok(())
    })
}
const _: abi::aclrtDestroyNotifyFn = aclrtDestroyNotify;

/// Sets a notification when the stream reaches the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtRecordNotify(
    notify: abi::aclrtNotify,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtRecordNotify", || {
        queue_change(&*get(notify)?, stream, "aclrtRecordNotify", |_| 1)
    })
}
const _: abi::aclrtRecordNotifyFn = aclrtRecordNotify;

/// Makes a stream wait until a notification is set, and clears it. The limit is in milliseconds; 0 for none.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtWaitAndResetNotify(
    notify: abi::aclrtNotify,
    stream: abi::aclrtStream,
    timeout: u32,
) -> abi::aclError {
    entry("aclrtWaitAndResetNotify", || {
        let take = |value| (value != 0).then_some(0);
        queue_wait(
            &*get(notify)?,
            stream,
            "aclrtWaitAndResetNotify",
            timeout,
            take,
        )
    })
}
const _: abi::aclrtWaitAndResetNotifyFn = aclrtWaitAndResetNotify;

/// A notification's number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetNotifyId(
    notify: abi::aclrtNotify,
    notifyId: *mut u32,
) -> abi::aclError {
    entry("aclrtGetNotifyId", || {
        let out = out!(notifyId);
        out.write(get(notify)?.id());
        Ok(())
    })
}
const _: abi::aclrtGetNotifyIdFn = aclrtGetNotifyId;

/// Clears notifications now.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtNotifyBatchReset(
    notifies: *mut abi::aclrtNotify,
    num: usize,
) -> abi::aclError {
    entry("aclrtNotifyBatchReset", || {
        boundary::not_null(notifies, "notifies")?;
        if num == 0 {
            return bad_value("num", 0, "it must be at least 1");
        }
        // SAFETY: the header's contract for the arguments.
        let notifies = unsafe { boundary::array(notifies, num, "notifies") }?;
        let found: Result<Vec<_>, CallError> = notifies.into_iter().map(get).collect();
        for notify in found? {
            notify.change(|_| 0);
        }
        Ok(())
    })
}
const _: abi::aclrtNotifyBatchResetFn = aclrtNotifyBatchReset;

/// Exports a notification under a key.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtNotifyGetExportKey(
    notify: abi::aclrtNotify,
    key: *mut c_char,
    len: usize,
    flags: u64,
) -> abi::aclError {
    entry("aclrtNotifyGetExportKey", || {
        room_for_key(key, len)?;
        let open = match flags {
            abi::ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT => false,
            abi::ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION => true,
            other => {
                return bad_value(
                    "flags",
                    other,
                    "it must be 0 or ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION",
                );
            }
        };
        let made = sharing::hub()?.export_object(&*get(notify)?, open)?;
        // SAFETY: there is room for a key, as was checked, where the header's contract says.
        unsafe { write_key(key, &made) };
        Ok(())
    })
}
const _: abi::aclrtNotifyGetExportKeyFn = aclrtNotifyGetExportKey;

/// Opens a notification of another process.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtNotifyImportByKey(
    notify: *mut abi::aclrtNotify,
    key: *const c_char,
    flags: u64,
) -> abi::aclError {
    entry("aclrtNotifyImportByKey", || {
        let out = out!(notify);
        // SAFETY: the header's contract for the arguments.
        let key = unsafe { read_key(key) }?;
        if flags != abi::ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT
            && flags != abi::ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS
        {
            return bad_value(
                "flags",
                flags,
                "it must be 0 or ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS",
            );
        }
        current::with(|_| Ok(()))?;
        let signal = sharing::import_object(&key, SignalKind::Notify)?;
        out.write(pointer(mint(&NOTIFIES, Kind::Notify, Arc::new(signal))?));
        Ok(())
    })
}
const _: abi::aclrtNotifyImportByKeyFn = aclrtNotifyImportByKey;

/// Lets processes open an exported notification.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtNotifySetImportPid(
    notify: abi::aclrtNotify,
    pid: *mut i32,
    num: usize,
) -> abi::aclError {
    entry("aclrtNotifySetImportPid", || {
        let notify = get(notify)?;
        // SAFETY: the header's contract for the arguments.
        let processes = unsafe { processes(pid, num) }?;
        if !sharing::hub()?.allow_object(&notify, &processes) {
            return Err(CallError::coded(
                abi::ACL_ERROR_RT_PARAM_INVALID,
                "the notification has no key: call aclrtNotifyGetExportKey first",
            ));
        }
        Ok(())
    })
}
const _: abi::aclrtNotifySetImportPidFn = aclrtNotifySetImportPid;

/// Makes a counted notification, which is 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCntNotifyCreate(
    cntNotify: *mut abi::aclrtCntNotify,
    flag: u64,
) -> abi::aclError {
    entry("aclrtCntNotifyCreate", || {
        let out = out!(cntNotify);
        let kind = SignalKind::CountedNotify;
        out.write(pointer(create(&COUNTED, Kind::CountedNotify, kind, flag)?));
        Ok(())
    })
}
const _: abi::aclrtCntNotifyCreateFn = aclrtCntNotifyCreate;

/// Ends the use of a counted notification. Queued tasks keep what they need.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCntNotifyDestroy(
    cntNotify: abi::aclrtCntNotify,
) -> abi::aclError {
    entry("aclrtCntNotifyDestroy", || {
        withdraw(&COUNTED, Kind::CountedNotify, cntNotify, "cntNotify").map(drop)
    })
}
const _: abi::aclrtCntNotifyDestroyFn = aclrtCntNotifyDestroy;

/// Changes the number when the stream reaches the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCntNotifyRecord(
    cntNotify: abi::aclrtCntNotify,
    stream: abi::aclrtStream,
    info: *mut abi::aclrtCntNotifyRecordInfo,
) -> abi::aclError {
    entry("aclrtCntNotifyRecord", || {
        // SAFETY: the header's contract for the arguments.
        let info = unsafe { boundary::read(info, "info") }?;
        let value = info.value;
        let change: fn(u32, u32) -> u32 = match info.mode {
            abi::ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE => |_, value| value,
            abi::ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE => u32::wrapping_add,
            abi::ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE => |old, value| old | value,
            abi::ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE => |old, value| old & value,
            other => {
                return bad_value(
                    "info->mode",
                    other,
                    "it must be a value of aclrtCntNotifyRecordMode",
                );
            }
        };
        let notify = get_counted(cntNotify)?;
        queue_change(&notify, stream, "aclrtCntNotifyRecord", move |old| {
            change(old, value)
        })
    })
}
const _: abi::aclrtCntNotifyRecordFn = aclrtCntNotifyRecord;

/// Makes a stream wait until the number fits. The limit is in milliseconds; 0 for none.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCntNotifyWaitWithTimeout(
    cntNotify: abi::aclrtCntNotify,
    stream: abi::aclrtStream,
    info: *mut abi::aclrtCntNotifyWaitInfo,
) -> abi::aclError {
    entry("aclrtCntNotifyWaitWithTimeout", || {
        // SAFETY: the header's contract for the arguments.
        let info = unsafe { boundary::read(info, "info") }?;
        let (value, clears) = (info.value, info.isClear != 0);
        let fits: fn(u32, u32) -> bool = match info.mode {
            abi::ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE => |now, value| now < value,
            abi::ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE => |now, value| now == value,
            abi::ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE => |now, value| now > value,
            abi::ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE => |now, value| now >= value,
            abi::ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE => {
                |now, value| now & value == value
            }
            other => {
                return bad_value(
                    "info->mode",
                    other,
                    "it must be a value of aclrtCntNotifyWaitMode",
                );
            }
        };
        let notify = get_counted(cntNotify)?;
        let take = move |now| fits(now, value).then_some(if clears { 0 } else { now });
        let name = "aclrtCntNotifyWaitWithTimeout";
        queue_wait(&notify, stream, name, info.timeout, take)
    })
}
const _: abi::aclrtCntNotifyWaitWithTimeoutFn = aclrtCntNotifyWaitWithTimeout;

/// Makes the number 0 when the stream reaches the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCntNotifyReset(
    cntNotify: abi::aclrtCntNotify,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtCntNotifyReset", || {
        queue_change(
            &*get_counted(cntNotify)?,
            stream,
            "aclrtCntNotifyReset",
            |_| 0,
        )
    })
}
const _: abi::aclrtCntNotifyResetFn = aclrtCntNotifyReset;

/// A counted notification's number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtCntNotifyGetId(
    cntNotify: abi::aclrtCntNotify,
    notifyId: *mut u32,
) -> abi::aclError {
    entry("aclrtCntNotifyGetId", || {
        let out = out!(notifyId);
        out.write(get_counted(cntNotify)?.id());
        Ok(())
    })
}
const _: abi::aclrtCntNotifyGetIdFn = aclrtCntNotifyGetId;
