//! `acl/ops/dvpp/video.h`: the functions that video would call.

use core::ffi::c_void;

use super::types::{acldvppPicDesc, acldvppStreamDesc};

/// Gets a decoded picture.
pub type aclvdecCallback = Option<
    unsafe extern "C-unwind" fn(
        input: *mut acldvppStreamDesc,
        output: *mut acldvppPicDesc,
        userData: *mut c_void,
    ),
>;

/// Gets a coded picture.
pub type aclvencCallback = Option<
    unsafe extern "C-unwind" fn(
        input: *mut acldvppPicDesc,
        output: *mut acldvppStreamDesc,
        userdata: *mut c_void,
    ),
>;
