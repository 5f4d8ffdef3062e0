//! What belongs to the module itself: messages, the log, bytes, the beginning and the end.
#![expect(unsafe_code, reason = "calls C functions and Python's C interface")]

use std::ffi::{CStr, c_char};

use super::allocator;
use crate::arguments::{Args, pointer_to};
use crate::bindings::c;
use crate::object::{self, Answer, Owned, ToObject, tuple};
use crate::{ffi, frames, gil};

/// The library's message, and what a Python allocator raised, which the library could not know.
pub(crate) fn acl_get_recent_err_msg(_: Args<'_>) -> Answer {
    // SAFETY: takes nothing.
    let message = unsafe { c::aclGetRecentErrMsg() };
    let complaint = allocator::complaint();
    if message.is_null() && complaint.is_none() {
        return Owned::none();
    }
    let mut text = if message.is_null() {
        String::new()
    } else {
        // SAFETY: a text that lives until this thread's next call.
        unsafe { CStr::from_ptr(message) }
            .to_string_lossy()
            .into_owned()
    };
    if let Some(complaint) = complaint {
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&complaint);
    }
    text.object()
}

pub(crate) fn acl_app_log(args: Args<'_>) -> Answer {
    let level = args.i32(0)?;
    let function = args.text_or_none(1)?;
    let file = args.text_or_none(2)?;
    let line = args.u32(3)?;
    let message = args.text(4)?;
    let (function, file) = (pointer_to(function.as_ref()), pointer_to(file.as_ref()));
    // The message is not a format string: percent signs of a script are text.
    let (pattern, message) = (c"%s".as_ptr(), message.as_ptr());
    // SAFETY: the texts live until the call returns, and the pattern asks for one text.
    unsafe { c::aclAppLog(level, function, file, line, pattern, message) };
    Owned::none()
}

pub(crate) fn millpond_nothing(_: Args<'_>) -> Answer {
    Owned::none()
}

/// An address and a number go through as they came.
pub(crate) fn millpond_empty(args: Args<'_>) -> Answer {
    let address = args.usize(0)?;
    let code = args.i32(1)?;
    tuple([address.object()?, code.object()?])
}

/// For the thread that ended it.
pub(crate) fn millpond_set_frame_provider(_: Args<'_>) -> Answer {
    frames::provide();
    Owned::none()
}

pub(crate) fn millpond_close(_: Args<'_>) -> Answer {
    gil::close();
    Owned::none()
}

pub(crate) fn millpond_forked(_: Args<'_>) -> Answer {
    gil::forget_others();
    Owned::none()
}

pub(crate) fn millpond_bytes_address(args: Args<'_>) -> Answer {
    let object = args.get(0);
    if object::is_bytes(object) {
        let bytes = args.owned(0)?;
        return object::bytes_of(&bytes)?.as_ptr().object();
    }
    if object::is(object, &raw mut ffi::PyByteArray_Type) {
        // SAFETY: a live bytearray.
        let start = unsafe { ffi::PyByteArray_AsString(object) };
        return start.object();
    }
    Err(args.place(0).wrong_type("bytes or a bytearray", object))
}

pub(crate) fn millpond_bytes_at(args: Args<'_>) -> Answer {
    let start = args.constant::<c_char>(0)?;
    let size =
        isize::try_from(args.u64(1)?).map_err(|_| args.out_of_range(1, "a number of bytes"))?;
    if start.is_null() && size > 0 {
        return Err(object::value_error(
            "acl.util.ptr_to_bytes(): the address is 0",
        ));
    }
    // SAFETY: that the bytes are there is the script's own affair; Python's side has refused device memory.
    Owned::new(unsafe { ffi::PyBytes_FromStringAndSize(start, size) })
}
