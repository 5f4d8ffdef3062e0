//! Attributes of a device.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond_abi as abi;

use super::version::put;
use crate::boundary::{CallError, bad_value, entry, out};
use crate::process;

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

/// Whether a device works. It does.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtQueryDeviceStatus(
    deviceId: i32,
    deviceStatus: *mut abi::aclrtDeviceStatus,
) -> abi::aclError {
    entry("aclrtQueryDeviceStatus", || {
        let out = out!(deviceStatus);
        process::settings()?.physical(i64::from(deviceId))?;
        out.write(abi::ACL_RT_DEVICE_STATUS_NORMAL);
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
