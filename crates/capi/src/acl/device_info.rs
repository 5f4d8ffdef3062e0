//! What a device is, in numbers.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use millpond_abi as abi;

use crate::boundary::{Fault, entry, out};
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
        let runtime = process::runtime()?;
        let device = runtime.device(i64::from(deviceId))?;
        let profile = &runtime.config().profile;
        let number = match attr {
            abi::ACL_DEV_ATTR_AICORE_CORE_NUM | abi::ACL_DEV_ATTR_CUBE_CORE_NUM => {
                i64::from(profile.cube_cores)
            }
            abi::ACL_DEV_ATTR_VECTOR_CORE_NUM => i64::from(profile.vector_cores),
            abi::ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE => {
                i64::try_from(device.room().1).unwrap_or(i64::MAX)
            }
            abi::ACL_DEV_ATTR_L2_CACHE_SIZE => i64::try_from(profile.l2_bytes).unwrap_or(i64::MAX),
            abi::ACL_DEV_ATTR_PHY_CHIP_ID => i64::from(deviceId),
            abi::ACL_DEV_ATTR_IS_VIRTUAL => 0,
            _ => {
                return Err(Fault::coded(
                    abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    format!("the argument 'attr' is {attr}, which this device does not have"),
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
        process::runtime()?.device(i64::from(deviceId))?;
        out.write(abi::ACL_RT_DEVICE_STATUS_NORMAL);
        Ok(())
    })
}
const _: abi::aclrtQueryDeviceStatusFn = aclrtQueryDeviceStatus;
