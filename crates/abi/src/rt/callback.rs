//! `acl/rt/callback.h`: functions of the program that the runtime calls.

use core::ffi::{c_char, c_void};

use crate::acl_base_rt::{aclError, aclrtStream};

enums! {
    /// Whether a callback holds its stream until it has returned.
    aclrtCallbackBlockType {
        ACL_CALLBACK_NO_BLOCK = 0,
        ACL_CALLBACK_BLOCK = 1,
    }

    /// When a stream's callback is called.
    aclrtStreamState {
        ACL_RT_STREAM_STATE_CREATE_POST = 1,
        ACL_RT_STREAM_STATE_DESTROY_PRE = 2,
    }

    /// When a device's callback is called.
    aclrtDeviceState {
        ACL_RT_DEVICE_STATE_SET_PRE = 0,
        ACL_RT_DEVICE_STATE_SET_POST = 1,
        ACL_RT_DEVICE_STATE_RESET_PRE = 2,
        ACL_RT_DEVICE_STATE_RESET_POST = 3,
    }

    /// When an abort's callback is called.
    aclrtDeviceTaskAbortStage {
        ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
        ACL_RT_DEVICE_TASK_ABORT_POST = 1,
    }

    /// Which part's start or end a callback belongs to.
    aclRegisterCallbackType {
        ACL_REG_TYPE_ACL_MODEL = 0,
        ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
        ACL_REG_TYPE_ACL_OP_CBLAS = 2,
        ACL_REG_TYPE_ACL_OP_COMPILER = 3,
        ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
        ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
        ACL_REG_TYPE_ACL_DVPP = 6,
        ACL_REG_TYPE_ACL_RETR = 7,
        ACL_REG_TYPE_OTHER = 0xffff,
    }
}

/// Run by a stream through `aclrtLaunchCallback`.
pub type aclrtCallback = Option<unsafe extern "C-unwind" fn(userData: *mut c_void)>;

/// Run by a stream through `aclrtLaunchHostFunc`.
pub type aclrtHostFunc = Option<unsafe extern "C-unwind" fn(args: *mut c_void)>;

/// Told of a failed task.
pub type aclrtExceptionInfoCallback =
    Option<unsafe extern "C-unwind" fn(exceptionInfo: *mut aclrtExceptionInfo)>;

/// Told of a failed task, with the program's own data.
pub type aclrtOpExceptionCallback = Option<
    unsafe extern "C-unwind" fn(exceptionInfo: *mut aclrtExceptionInfo, userData: *mut c_void),
>;

/// Told when a stream has been created or will be destroyed.
pub type aclrtStreamStateCallback = Option<
    unsafe extern "C-unwind" fn(stream: aclrtStream, state: aclrtStreamState, args: *mut c_void),
>;

/// Told before and after a device is set or reset.
pub type aclrtDeviceStateCallback =
    Option<unsafe extern "C-unwind" fn(deviceId: i32, state: aclrtDeviceState, args: *mut c_void)>;

/// Told before and after a device's tasks are aborted.
pub type aclrtDeviceTaskAbortCallback = Option<
    unsafe extern "C-unwind" fn(
        deviceId: i32,
        stage: aclrtDeviceTaskAbortStage,
        timeout: u32,
        args: *mut c_void,
    ) -> i32,
>;

/// Called by `aclInit` with the text of the configuration.
pub type aclInitCallbackFunc = Option<
    unsafe extern "C-unwind" fn(
        configStr: *const c_char,
        len: usize,
        userData: *mut c_void,
    ) -> aclError,
>;

/// Called by `aclFinalize`.
pub type aclFinalizeCallbackFunc =
    Option<unsafe extern "C-unwind" fn(userData: *mut c_void) -> aclError>;

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclrtExceptionInfo
}
