//! Attributes of a device.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond_abi as abi;

use super::version::put;
use crate::boundary::{CallError, bad_value, entry, not_null, out};
use crate::{process, testing};

/// A number that the profile knows; others belong to hardware that is not here.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetDeviceInfo(
    deviceId: u32,
    attr: abi::aclrtDevAttr,
    value: *mut i64,
) -> abi::aclError {
    entry("aclrtGetDeviceInfo", || {
        let out = out!(value);
        let config = process::settings()?;
        let physical = config.physical(i64::from(deviceId))?;
        let profile = &config.profile;
        let number = match attr {
            abi::ACL_DEV_ATTR_AICORE_CORE_NUM | abi::ACL_DEV_ATTR_CUBE_CORE_NUM => {
                i64::from(profile.cube_cores)
            }
            abi::ACL_DEV_ATTR_VECTOR_CORE_NUM => i64::from(profile.vector_cores),
            abi::ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE => {
                i64::try_from(config.capacity).unwrap_or(i64::MAX)
            }
            abi::ACL_DEV_ATTR_L2_CACHE_SIZE => i64::try_from(profile.l2_bytes).unwrap_or(i64::MAX),
            abi::ACL_DEV_ATTR_PHY_CHIP_ID => i64::from(physical),
            abi::ACL_DEV_ATTR_IS_VIRTUAL => 0,
            _ => {
                return Err(CallError::coded(
                    abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    format!(
                        "the argument 'attr' is {attr}, an attribute that this device does not have"
                    ),
                ));
            }
        };
        out.write(number);
        Ok(())
    })
}
const _: abi::aclrtGetDeviceInfoFn = aclrtGetDeviceInfo;

/// Whether a device works. It does, unless a rule of a test made it lost.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtQueryDeviceStatus(
    deviceId: i32,
    deviceStatus: *mut abi::aclrtDeviceStatus,
) -> abi::aclError {
    entry("aclrtQueryDeviceStatus", || {
        let out = out!(deviceStatus);
        process::settings()?.physical(i64::from(deviceId))?;
        out.write(if testing::is_lost(deviceId.cast_unsigned()) {
            abi::ACL_RT_DEVICE_STATUS_ABNORMAL
        } else {
            abi::ACL_RT_DEVICE_STATUS_NORMAL
        });
        Ok(())
    })
}
const _: abi::aclrtQueryDeviceStatusFn = aclrtQueryDeviceStatus;

/// What the software offers, and whether it does: arithmetic with infinities and NaN as IEEE 754 has
/// it, bfloat16, and operators that are compiled at their first call.
const FEATURES: [abi::aclCannAttr; 3] = [
    abi::ACL_CANN_ATTR_INF_NAN,
    abi::ACL_CANN_ATTR_BF16,
    abi::ACL_CANN_ATTR_JIT_COMPILE,
];

/// The features that can be asked for.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetCannAttributeList(
    cannAttrList: *mut *const abi::aclCannAttr,
    num: *mut usize,
) -> abi::aclError {
    entry("aclGetCannAttributeList", || {
        let (list, count) = (out!(cannAttrList), out!(num));
        list.write(FEATURES.as_ptr());
        count.write(FEATURES.len());
        Ok(())
    })
}
const _: abi::aclGetCannAttributeListFn = aclGetCannAttributeList;

/// Whether a feature is there: every one of the list is.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetCannAttribute(
    cannAttr: abi::aclCannAttr,
    value: *mut i32,
) -> abi::aclError {
    entry("aclGetCannAttribute", || {
        let out = out!(value);
        if !FEATURES.contains(&cannAttr) {
            return bad_value(
                "cannAttr",
                cannAttr,
                "it must be one that aclGetCannAttributeList returns",
            );
        }
        out.write(1);
        Ok(())
    })
}
const _: abi::aclGetCannAttributeFn = aclGetCannAttribute;

/// The numbers of a device under their older names.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclGetDeviceCapability(
    deviceId: u32,
    deviceInfo: abi::aclDeviceInfo,
    value: *mut i64,
) -> abi::aclError {
    entry("aclGetDeviceCapability", || {
        let out = out!(value);
        let config = process::settings()?;
        config.physical(i64::from(deviceId))?;
        let profile = &config.profile;
        out.write(match deviceInfo {
            abi::ACL_DEVICE_INFO_AI_CORE_NUM => i64::from(profile.cube_cores),
            abi::ACL_DEVICE_INFO_VECTOR_CORE_NUM => i64::from(profile.vector_cores),
            abi::ACL_DEVICE_INFO_L2_SIZE => i64::try_from(profile.l2_bytes).unwrap_or(i64::MAX),
            _ => {
                return bad_value(
                    "deviceInfo",
                    deviceInfo,
                    "it must be a value of aclDeviceInfo",
                );
            }
        });
        Ok(())
    })
}
const _: abi::aclGetDeviceCapabilityFn = aclGetDeviceCapability;

/// A name for a device that stays the same from run to run: programs compare it, and print it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtDeviceGetUuid(
    deviceId: i32,
    uuid: *mut abi::aclrtUuid,
) -> abi::aclError {
    entry("aclrtDeviceGetUuid", || {
        let out = out!(uuid);
        let physical = process::settings()?.physical(i64::from(deviceId))?;
        let mut name = abi::aclrtUuid { bytes: [0; 16] };
        put(&mut name.bytes, &format!("millpond-{physical:06}"));
        out.write(name);
        Ok(())
    })
}
const _: abi::aclrtDeviceGetUuidFn = aclrtDeviceGetUuid;

/// Whether a device has a feature. Tasks of a graph can be updated.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetDeviceCapability(
    deviceId: i32,
    devFeatureType: abi::aclrtDevFeatureType,
    value: *mut i32,
) -> abi::aclError {
    entry("aclrtGetDeviceCapability", || {
        let out = out!(value);
        process::settings()?.physical(i64::from(deviceId))?;
        match devFeatureType {
            abi::ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV => out.write(1),
            abi::ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV => out.write(0),
            other => {
                return bad_value(
                    "devFeatureType",
                    other,
                    "it must be a value of aclrtDevFeatureType",
                );
            }
        }
        Ok(())
    })
}
const _: abi::aclrtGetDeviceCapabilityFn = aclrtGetDeviceCapability;

/// How much of a device's memory is in use, in percent. How busy its cores are is not measured.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetDeviceUtilizationRate(
    deviceId: i32,
    utilizationInfo: *mut abi::aclrtUtilizationInfo,
) -> abi::aclError {
    const NOT_MEASURED: i32 = -1;
    entry("aclrtGetDeviceUtilizationRate", || {
        let out = out!(utilizationInfo);
        let device = process::runtime()?.device(i64::from(deviceId))?;
        // Not what is free: that is less where the machine has less memory than the device.
        let used = device.usage().charged.saturating_mul(100);
        let percent = used.checked_div(device.room().1).unwrap_or(0);
        out.write(abi::aclrtUtilizationInfo {
            cubeUtilization: NOT_MEASURED,
            vectorUtilization: NOT_MEASURED,
            aicpuUtilization: NOT_MEASURED,
            memoryUtilization: i32::try_from(percent).unwrap_or(100),
            utilizationExtend: std::ptr::null_mut(),
        });
        Ok(())
    })
}
const _: abi::aclrtGetDeviceUtilizationRateFn = aclrtGetDeviceUtilizationRate;

/// What is wrong with a device. Nothing is: there is no hardware that could fail.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetErrorVerbose(
    deviceId: i32,
    errorInfo: *mut abi::aclrtErrorInfo,
) -> abi::aclError {
    entry("aclrtGetErrorVerbose", || {
        let out = out!(errorInfo);
        process::settings()?.physical(i64::from(deviceId))?;
        out.write(abi::aclrtErrorInfo {
            tryRepair: 0,
            hasDetail: 0,
            reserved: [0; 2],
            errorType: abi::ACL_RT_NO_ERROR,
            detail: [0; 321],
        });
        Ok(())
    })
}
const _: abi::aclrtGetErrorVerboseFn = aclrtGetErrorVerbose;

/// Which addresses of a device are faulty. None are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetMemUceInfo(
    deviceId: i32,
    memUceInfoArray: *mut abi::aclrtMemUceInfo,
    arraySize: usize,
    retSize: *mut usize,
) -> abi::aclError {
    entry("aclrtGetMemUceInfo", || {
        let out = out!(retSize);
        not_null(memUceInfoArray, "memUceInfoArray")?;
        if arraySize == 0 {
            return bad_value("arraySize", 0, "it must be at least 1");
        }
        process::settings()?.physical(i64::from(deviceId))?;
        out.write(0);
        Ok(())
    })
}
const _: abi::aclrtGetMemUceInfoFn = aclrtGetMemUceInfo;

/// Whether a part of a device reaches registered host memory: all do, because its address is the host's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtHostMemMapCapabilities(
    deviceId: u32,
    hacType: abi::aclrtHacType,
    capabilities: *mut abi::aclrtHostMemMapCapability,
) -> abi::aclError {
    entry("aclrtHostMemMapCapabilities", || {
        let out = out!(capabilities);
        process::settings()?.physical(i64::from(deviceId))?;
        if !(abi::ACL_RT_HAC_TYPE_STARS..=abi::ACL_RT_HAC_TYPE_CCU).contains(&hacType) {
            return bad_value("hacType", hacType, "it must be a value of aclrtHacType");
        }
        out.write(abi::ACL_RT_HOST_MEM_MAP_SUPPORTED);
        Ok(())
    })
}
const _: abi::aclrtHostMemMapCapabilitiesFn = aclrtHostMemMapCapabilities;
