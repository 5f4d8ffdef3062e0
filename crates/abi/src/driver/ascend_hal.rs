//! `driver/ascend_hal.h`: what programs ask the driver before they use a device.

use core::ffi::c_int;

/// A result; everything but 0 is an error.
pub type drvError_t = c_int;

defines! {
    // Results.
    drvError_t {
        DRV_ERROR_NONE = 0,
        DRV_ERROR_INVALID_VALUE = 3,
        DRV_ERROR_NOT_SUPPORT = 0xfffe,
    }
}
