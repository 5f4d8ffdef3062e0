//! `driver/ascend_hal.h`: what programs ask the driver before they use a device.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_int;

use millpond::Error;
use millpond_abi as abi;

use crate::boundary::{out, value_entry};
use crate::process;

/// How many devices the machine has. The driver knows nothing of `ASCEND_RT_VISIBLE_DEVICES`: programs filter its number themselves.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn drvGetDevNum(num_dev: *mut u32) -> abi::drvError_t {
    value_entry("drvGetDevNum", abi::DRV_ERROR_INVALID_VALUE, || {
        let out = out!(num_dev);
        out.write(process::settings()?.devices);
        Ok(abi::DRV_ERROR_NONE)
    })
}
const _: abi::drvGetDevNumFn = drvGetDevNum;

/// A number about a part of a device; there are none.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn halGetDeviceInfo(
    devId: u32,
    moduleType: i32,
    infoType: i32,
    value: *mut i64,
) -> abi::drvError_t {
    let _ = (moduleType, infoType);
    value_entry("halGetDeviceInfo", abi::DRV_ERROR_INVALID_VALUE, || {
        let _room = out!(value);
        let count = process::settings()?.devices;
        if devId >= count {
            let index = i64::from(devId);
            return Err(Error::NoSuchDevice { index, count }.into());
        }
        Ok(abi::DRV_ERROR_NOT_SUPPORT)
    })
}
const _: abi::halGetDeviceInfoFn = halGetDeviceInfo;

/// The version of the driver's interface.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn halGetAPIVersion(halAPIVersion: *mut c_int) -> abi::drvError_t {
    value_entry("halGetAPIVersion", abi::DRV_ERROR_INVALID_VALUE, || {
        let out = out!(halAPIVersion);
        out.write(0);
        Ok(abi::DRV_ERROR_NONE)
    })
}
const _: abi::halGetAPIVersionFn = halGetAPIVersion;
