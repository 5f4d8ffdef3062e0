//! Options whose width in C depends on which option it is.
#![expect(unsafe_code, reason = "calls C functions")]

use std::ffi::{c_char, c_void};

use millpond_abi as abi;

use crate::Owned;
use crate::arguments::{Args, Text};
use crate::bindings::c;
use crate::ffi;
use crate::object::{Answer, Raised, ToObject, is_bytes, is_text, list, none, text_in, tuple};

/// A value as C reads it.
enum Value {
    Narrow(i32),
    Wide(u64),
    /// The address of a text, and the text.
    Path(
        *const c_char,
        #[expect(dead_code, reason = "kept until C has read it")] Text,
    ),
}

impl Value {
    fn of(args: Args<'_>, index: usize, narrow: bool) -> Result<Self, Raised> {
        let object = args.get(index);
        if is_text(object) || is_bytes(object) {
            let text = args.text(index)?;
            return Ok(Self::Path(text.as_ptr(), text));
        }
        if narrow {
            return args.i32(index).map(Self::Narrow);
        }
        args.u64(index).map(Self::Wide)
    }

    fn place(&self) -> (*const c_void, usize) {
        match self {
            Self::Narrow(value) => ((&raw const *value).cast(), size_of::<i32>()),
            Self::Wide(value) => ((&raw const *value).cast(), size_of::<u64>()),
            Self::Path(value, _) => ((&raw const *value).cast(), size_of::<*const c_char>()),
        }
    }
}

pub(crate) fn mdl_set_config_opt(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let attr = args.i32(1)?;
    let narrow = matches!(
        attr,
        abi::ACL_MDL_PRIORITY_INT32 | abi::ACL_MDL_WITHOUT_GRAPH_INT32
    );
    let value = Value::of(args, 2, narrow)?;
    let (place, size) = value.place();
    // SAFETY: the value lives until the call returns. One that is an address is the script's own affair.
    let ret = unsafe { c::aclmdlSetConfigOpt(handle, attr, place, size) };
    ret.object()
}

pub(crate) fn mdl_set_exec_config_opt(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let attr = args.i32(1)?;
    let narrow = matches!(
        attr,
        abi::ACL_MDL_STREAM_SYNC_TIMEOUT
            | abi::ACL_MDL_EVENT_SYNC_TIMEOUT
            | abi::ACL_MDL_EXEC_PRIORITY_INT32
    );
    let value = Value::of(args, 2, narrow)?;
    let (place, size) = value.place();
    // SAFETY: as above.
    let ret = unsafe { c::aclmdlSetExecConfigOpt(handle, attr, place, size) };
    ret.object()
}

pub(crate) fn rt_set_stream_config_opt(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let attr = args.i32(1)?;
    let value = Value::of(args, 2, attr == abi::ACL_RT_STREAM_PRIORITY)?;
    let (place, size) = value.place();
    // SAFETY: as above.
    let ret = unsafe { c::aclrtSetStreamConfigOpt(handle, attr, place, size) };
    ret.object()
}

pub(crate) fn acl_get_compileopt(args: Args<'_>) -> Answer {
    let opt = args.i32(0)?;
    let mut room = if args.get(1) == none() {
        // SAFETY: takes any number.
        vec![0; unsafe { c::aclGetCompileoptSize(opt) }.clamp(1, 1 << 20)]
    } else {
        args.room(1)?
    };
    let length = room.len();
    // SAFETY: the buffer has the length that is passed.
    let ret = unsafe { c::aclGetCompileopt(opt, room.as_mut_ptr(), length) };
    tuple([text_in(&room)?, ret.object()?])
}

pub(crate) fn acl_get_cann_attribute_list(_: Args<'_>) -> Answer {
    let mut first = std::ptr::null();
    let mut count = 0;
    // SAFETY: both places are writable.
    let ret = unsafe { c::aclGetCannAttributeList(&raw mut first, &raw mut count) };
    let features = if first.is_null() {
        &[]
    } else {
        // SAFETY: the list is the runtime's, as long as it says, and stays forever.
        unsafe { std::slice::from_raw_parts(first, count) }
    };
    tuple([list(features.iter().map(ToObject::object))?, ret.object()?])
}

pub(crate) fn rt_device_get_uuid(args: Args<'_>) -> Answer {
    let device = args.i32(0)?;
    let mut uuid = abi::aclrtUuid { bytes: [0; 16] };
    // SAFETY: the place is writable.
    let ret = unsafe { c::aclrtDeviceGetUuid(device, &raw mut uuid) };
    // SAFETY: the text is that long, and copied.
    let bytes = unsafe { ffi::PyBytes_FromStringAndSize(uuid.bytes.as_ptr(), 16) };
    tuple([Owned::new(bytes)?, ret.object()?])
}
