//! `acl/acl_prof.h`: starting and stopping profiles, and steps. Marks and ranges are in `stamp`.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use millpond_abi as abi;
use millpond_trace::Operation;
use parking_lot::Mutex;

use super::stamp;
use crate::boundary::{self, CallError, bad_value, entry, not_null, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw, word};
use crate::profile::{self, Wanted};
use crate::registry::{HandleGuard, Kind, Registry};
use crate::{handles, process};

static CONFIGS: Registry<Wanted> = Registry::new(Kind::ProfileConfig);
static STEPS: Registry<Mutex<Step>> = Registry::new(Kind::ProfileStep);

/// The least and the most megabytes that a profile can be limited to.
const LIMITS: std::ops::RangeInclusive<u64> = 200..=4_294_967_295;
/// How often a second memory can be sampled. It is sampled at every change, whatever is set.
const FREQUENCIES: std::ops::RangeInclusive<u64> = 1..=100;

/// A step, and the range that stands for it.
#[derive(Debug, Default)]
struct Step {
    range: Option<u64>,
    ended: bool,
}

fn config(handle: *const abi::aclprofConfig) -> Result<HandleGuard<'static, Wanted>, CallError> {
    resolve(
        &CONFIGS,
        Kind::ProfileConfig,
        handle.cast(),
        "profilerConfig",
    )
}

/// Reads a text that comes with its length.
///
/// # Safety
/// A pointer that is not null must point to `length` readable characters, or to fewer of which the last is NUL.
unsafe fn measured(
    text: *const c_char,
    length: usize,
    most: usize,
    argument: &'static str,
) -> Result<Vec<u8>, CallError> {
    not_null(text, argument)?;
    if length == 0 || length > most {
        return bad_value(
            "length",
            length,
            "it must be that of the text, and within the limits of acl_prof.h",
        );
    }
    // SAFETY: promised by the caller; it stops at the first NUL.
    let found = unsafe { libc::strnlen(text, length) };
    if found != length {
        return bad_value(
            argument,
            format!("a text of {found} bytes"),
            "the length that was given is another one",
        );
    }
    // SAFETY: as many bytes were just read.
    unsafe { boundary::array(text.cast::<u8>(), length, argument) }
}

/// Chooses the folder that profiles are written to.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofInit(
    profilerResultPath: *const c_char,
    length: usize,
) -> abi::aclError {
    entry("aclprofInit", || {
        // SAFETY: the header's contract for the arguments.
        let path = unsafe {
            measured(
                profilerResultPath,
                length,
                abi::ACL_PROF_MAX_PATH_LENGTH,
                "profilerResultPath",
            )
        }?;
        profile::begin(Path::new(OsStr::from_bytes(&path)))
    })
}
const _: abi::aclprofInitFn = aclprofInit;

/// Stops what runs and forgets the folder.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofFinalize() -> abi::aclError {
    entry("aclprofFinalize", profile::end)
}
const _: abi::aclprofFinalizeFn = aclprofFinalize;

/// Makes a configuration.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofCreateConfig(
    deviceIdList: *mut u32,
    deviceNums: u32,
    aicoreMetrics: abi::aclprofAicoreMetrics,
    aicoreEvents: *const abi::aclprofAicoreEvents,
    dataTypeConfig: u64,
) -> *mut abi::aclprofConfig {
    value_entry("aclprofCreateConfig", std::ptr::null_mut(), || {
        if deviceNums == 0 {
            return bad_value("deviceNums", 0, "a profile needs at least one device");
        }
        let counted = process::settings()?.visible_devices();
        if deviceNums > counted {
            return bad_value("deviceNums", deviceNums, "there are fewer devices");
        }
        let count = usize::try_from(deviceNums).unwrap_or(0);
        // SAFETY: the header's contract for the arguments.
        let devices = unsafe { boundary::array(deviceIdList.cast_const(), count, "deviceIdList") }?;
        for (index, device) in devices.iter().enumerate() {
            if *device >= counted {
                return bad_value("deviceIdList", device, "there is no such device");
            }
            if devices[..index].contains(device) {
                return bad_value("deviceIdList", device, "each device may be named once");
            }
        }
        let metrics = abi::ACL_AICORE_ARITHMETIC_UTILIZATION..=abi::ACL_AICORE_MEMORY_ACCESS;
        if !metrics.contains(&aicoreMetrics) && aicoreMetrics != abi::ACL_AICORE_NONE {
            let expected = "it must be a value of aclprofAicoreMetrics";
            return bad_value("aicoreMetrics", aicoreMetrics, expected);
        }
        if !aicoreEvents.is_null() {
            return bad_value(
                "aicoreEvents",
                "not NULL",
                "events of cores are not defined",
            );
        }
        if dataTypeConfig == 0 {
            return bad_value("dataTypeConfig", 0, "nothing would be collected");
        }
        let wanted = Wanted {
            devices,
            switches: dataTypeConfig,
        };
        Ok(pointer(mint(&CONFIGS, Kind::ProfileConfig, wanted)?).cast())
    })
}
const _: abi::aclprofCreateConfigFn = aclprofCreateConfig;

/// Destroys a configuration that does not run.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofDestroyConfig(
    profilerConfig: *const abi::aclprofConfig,
) -> abi::aclError {
    entry("aclprofDestroyConfig", || {
        config(profilerConfig)?;
        if profile::runs(word(profilerConfig.cast())) {
            return Err(CallError::coded(
                abi::ACL_ERROR_PROF_ALREADY_RUN,
                "this configuration is in use: call aclprofStop first",
            ));
        }
        withdraw(
            &CONFIGS,
            Kind::ProfileConfig,
            profilerConfig.cast(),
            "profilerConfig",
        )
        .map(drop)
    })
}
const _: abi::aclprofDestroyConfigFn = aclprofDestroyConfig;

/// Sets an option.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofSetConfig(
    configType: abi::aclprofConfigType,
    config: *const c_char,
    configLength: usize,
) -> abi::aclError {
    entry("aclprofSetConfig", || {
        let known = abi::ACL_PROF_ARGS_MIN + 1..abi::ACL_PROF_ARGS_MAX;
        // 2 is not a value of the enumeration.
        if !known.contains(&configType) || configType == 2 {
            let expected = "it must be a value of aclprofConfigType";
            return bad_value("configType", configType, expected);
        }
        let most = abi::ACL_PROF_MAX_CONFIG_LENGTH;
        // SAFETY: the header's contract for the arguments.
        let text = unsafe { measured(config, configLength, most, "config") }?;
        let text = String::from_utf8_lossy(&text);
        let number = |range: std::ops::RangeInclusive<u64>, expected| {
            let number: Option<u64> = text.parse().ok();
            match number.filter(|number| range.contains(number)) {
                Some(number) => Ok(number),
                None => bad_value("config", format!("'{text}'"), expected),
            }
        };
        match configType {
            abi::ACL_PROF_STORAGE_LIMIT => {
                let megabytes = number(LIMITS, "it must be from 200 to 4294967295 megabytes")?;
                profile::set(|options| options.limit = Some(megabytes << 20))
            }
            abi::ACL_PROF_SYS_HARDWARE_MEM_FREQ => {
                number(FREQUENCIES, "it must be a number from 1 to 100")?;
                profile::set(|options| options.memory = true)
            }
            _ => Err(CallError::coded(
                abi::ACL_ERROR_PROF_MODULES_UNSUPPORTED,
                format!(
                    "option {configType} asks for what only hardware or the system knows; nothing is collected for it"
                ),
            )),
        }
    })
}
const _: abi::aclprofSetConfigFn = aclprofSetConfig;

/// Creates the folder in advance.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofWarmup(
    profilerConfig: *const abi::aclprofConfig,
) -> abi::aclError {
    entry("aclprofWarmup", || {
        profile::prepare(&*config(profilerConfig)?)
    })
}
const _: abi::aclprofWarmupFn = aclprofWarmup;

/// Starts collecting.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofStart(
    profilerConfig: *const abi::aclprofConfig,
) -> abi::aclError {
    entry("aclprofStart", || {
        profile::start(word(profilerConfig.cast()), &*config(profilerConfig)?)
    })
}
const _: abi::aclprofStartFn = aclprofStart;

/// Stops collecting.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofStop(
    profilerConfig: *const abi::aclprofConfig,
) -> abi::aclError {
    entry("aclprofStop", || {
        config(profilerConfig)?;
        profile::stop(word(profilerConfig.cast()))
    })
}
const _: abi::aclprofStopFn = aclprofStop;

/// Makes a step.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofCreateStepInfo() -> *mut abi::aclprofStepInfo {
    value_entry("aclprofCreateStepInfo", std::ptr::null_mut(), || {
        Ok(pointer(mint(&STEPS, Kind::ProfileStep, Mutex::default())?).cast())
    })
}
const _: abi::aclprofCreateStepInfoFn = aclprofCreateStepInfo;

/// Destroys a step.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofDestroyStepInfo(stepinfo: *mut abi::aclprofStepInfo) {
    value_entry("aclprofDestroyStepInfo", (), || {
        let stepinfo = stepinfo.cast_const().cast();
        withdraw(&STEPS, Kind::ProfileStep, stepinfo, "stepinfo").map(drop)
    });
}
const _: abi::aclprofDestroyStepInfoFn = aclprofDestroyStepInfo;

/// Sets one end of a step.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclprofGetStepTimestamp(
    stepInfo: *mut abi::aclprofStepInfo,
    tag: abi::aclprofStepTag,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclprofGetStepTimestamp", || {
        let found = resolve(
            &STEPS,
            Kind::ProfileStep,
            stepInfo.cast_const().cast(),
            "stepInfo",
        )?;
        let mut step = found.lock();
        match tag {
            abi::ACL_STEP_START if step.range.is_none() => {
                let stream = stamp::stream_number(stream)?;
                let range = stamp::next_range();
                step.range = Some(u64::from(range));
                process::emit(|| Operation::RangeStarted {
                    range: stamp::number_of(range),
                    domain: 0,
                    message: "step".to_owned(),
                    stream,
                });
                Ok(())
            }
            abi::ACL_STEP_END if step.range.is_some() && !step.ended => {
                stamp::stream_number(stream)?;
                step.ended = true;
                let range = step.range.unwrap_or(0);
                process::emit(|| Operation::RangeEnded {
                    range: stamp::number_of(u32::try_from(range).unwrap_or(0)),
                });
                Ok(())
            }
            abi::ACL_STEP_START | abi::ACL_STEP_END => bad_value(
                "tag",
                tag,
                "each end of a step is set once, the start before the end",
            ),
            _ => bad_value("tag", tag, "it must be a value of aclprofStepTag"),
        }
    })
}
const _: abi::aclprofGetStepTimestampFn = aclprofGetStepTimestamp;

/// Reads the message of a mark.
///
/// # Safety
/// As for [`measured`].
pub(super) unsafe fn message(
    text: *const c_char,
    length: usize,
    argument: &'static str,
) -> Result<String, CallError> {
    /// As MSTX: longer messages are cut there, and refused here, where they come with a length.
    const MOST: usize = 1023;
    // SAFETY: promised by the caller.
    let text = unsafe { measured(text, length, MOST, argument) }?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The number of a stream for records; none for the default one of a thread without a context.
pub(super) fn number_of_stream(stream: abi::aclrtStream) -> Result<Option<u64>, CallError> {
    if stream.is_null() {
        return Ok(None);
    }
    Ok(Some(handles::stream(stream, "stream")?.stream.id()))
}
