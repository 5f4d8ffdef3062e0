//! Memory functions whose arguments are more than numbers.
#![expect(unsafe_code, reason = "calls C functions")]

use std::ffi::{c_char, c_void};

use millpond_abi as abi;

use crate::arguments::{Args, ArgumentRef};
use crate::bindings::c;
use crate::ffi::{self, PyObject};
use crate::items::{Item, list_of};
use crate::object::{self, Answer, Owned, Raised, ToObject, tuple, value_error};
use crate::structs::{Dict, Struct, zeroed};

/// Lists that C fills are at most this long.
const MODULES: usize = 4096;

/// One attribute of an allocation.
struct Attribute(abi::aclrtMallocAttribute);

impl Item for Attribute {
    fn of(object: *mut PyObject, place: ArgumentRef) -> Result<Self, Raised> {
        let dict = Dict::of(object, place)?;
        let number = |keys| -> Result<u32, Raised> {
            dict.item(keys)
                .map_or(Ok(0), |item| u32::of(item.as_ptr(), place))
        };
        let attr = number([c"attr", c"attr_type"])?;
        let value = number([c"value", c"value"])?;
        dict.all_known()?;
        let attr = abi::aclrtMallocAttrType::try_from(attr)
            .map_err(|_| value_error(&format!("{place}: unknown attribute")))?;
        // The narrow field is in the low bytes of the wide one only on some machines.
        let value = match u16::try_from(value) {
            Ok(module) if attr == abi::ACL_RT_MEM_ATTR_MODULE_ID => {
                abi::aclrtMallocAttrValue { moduleId: module }
            }
            _ => abi::aclrtMallocAttrValue { deviceId: value },
        };
        Ok(Self(abi::aclrtMallocAttribute { attr, value }))
    }
}

/// The attributes of `{'attrs': [...]}`, or of a list; none for `None`.
fn attributes(args: Args<'_>, index: usize) -> Result<Vec<abi::aclrtMallocAttribute>, Raised> {
    let (object, place) = (args.get(index), args.place(index));
    if object == object::none() {
        return Ok(Vec::new());
    }
    let list: Vec<Attribute> = if object::is(object, &raw mut ffi::PyDict_Type) {
        let dict = Dict::of(object, place)?;
        let list = dict.item([c"attrs", c"attrs"]);
        // How many there are is known.
        let _count = dict.item([c"num_attrs", c"numAttrs"]);
        dict.all_known()?;
        list.map_or(Ok(Vec::new()), |list| list_of(list.as_ptr(), place))?
    } else {
        list_of(object, place)?
    };
    Ok(list.into_iter().map(|one| one.0).collect())
}

fn configuration(attributes: &mut [abi::aclrtMallocAttribute]) -> abi::aclrtMallocConfig {
    abi::aclrtMallocConfig {
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len(),
    }
}

pub(crate) fn rt_malloc_with_cfg(args: Args<'_>) -> Answer {
    let size = args.usize(0)?;
    let policy = args.i32(1)?;
    let mut list = attributes(args, 2)?;
    let mut config = configuration(&mut list);
    let config = if list.is_empty() {
        std::ptr::null_mut()
    } else {
        &raw mut config
    };
    let mut ptr: *mut c_void = std::ptr::null_mut();
    // SAFETY: the configuration and its attributes live until the call returns.
    let ret = unsafe { c::aclrtMallocWithCfg(&raw mut ptr, size, policy, config) };
    tuple([ptr.object()?, ret.object()?])
}

pub(crate) fn rt_malloc_for_task_scheduler(args: Args<'_>) -> Answer {
    let size = args.usize(0)?;
    let policy = args.i32(1)?;
    let mut list = attributes(args, 2)?;
    let mut config = configuration(&mut list);
    let config = if list.is_empty() {
        std::ptr::null_mut()
    } else {
        &raw mut config
    };
    let mut ptr: *mut c_void = std::ptr::null_mut();
    // SAFETY: as above.
    let ret = unsafe { c::aclrtMallocForTaskScheduler(&raw mut ptr, size, policy, config) };
    tuple([ptr.object()?, ret.object()?])
}

/// The value of an attribute of a stream: 64 bits for the failure mode, the low half of them for the others.
pub(crate) fn rt_set_stream_attribute(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let attribute = args.i32(1)?;
    let mut value = abi::aclrtStreamAttrValue { reserve: [0; 4] };
    value.failureMode = args.u64(2)?.to_le();
    // SAFETY: the value lives until the call returns.
    let ret = unsafe { c::aclrtSetStreamAttribute(stream, attribute, &raw mut value) };
    ret.object()
}

pub(crate) fn rt_get_stream_attribute(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let attribute = args.i32(1)?;
    let mut value = abi::aclrtStreamAttrValue { reserve: [0; 4] };
    // SAFETY: as above.
    let ret = unsafe { c::aclrtGetStreamAttribute(stream, attribute, &raw mut value) };
    // SAFETY: all members are integers, and all bytes were initialised.
    let value = u64::from_le(unsafe { value.failureMode });
    tuple([value.object()?, ret.object()?])
}

pub(crate) fn rt_get_mem_uce_info(args: Args<'_>) -> Answer {
    let device = args.i32(0)?;
    let count = args.usize(1)?;
    if count > MODULES {
        return Err(args.out_of_range(1, "the length of a list, at most 4096"));
    }
    let mut ranges: Vec<abi::aclrtMemUceInfo> = vec![zeroed(); count.max(1)];
    let mut filled = 0;
    // SAFETY: the list has the length that is passed.
    let ret = unsafe { c::aclrtGetMemUceInfo(device, ranges.as_mut_ptr(), count, &raw mut filled) };
    ranges.truncate(filled);
    let ranges = object::list(ranges.iter().map(Struct::dict))?;
    tuple([ranges, ret.object()?])
}

pub(crate) fn rt_malloc_host_with_cfg(args: Args<'_>) -> Answer {
    let size = args.u64(0)?;
    let mut list = attributes(args, 1)?;
    let mut config = configuration(&mut list);
    let config = if list.is_empty() {
        std::ptr::null_mut()
    } else {
        &raw mut config
    };
    let mut ptr: *mut c_void = std::ptr::null_mut();
    // SAFETY: as above.
    let ret = unsafe { c::aclrtMallocHostWithCfg(&raw mut ptr, size, config) };
    tuple([ptr.object()?, ret.object()?])
}

pub(crate) fn rt_mem_pool_set_attr(args: Args<'_>) -> Answer {
    let pool = args.pointer(0)?;
    let attr = args.i32(1)?;
    // Switches are 32 bits wide, numbers 64. A number that fits serves both where the low bytes come first.
    let mut value = args.u64(2)?.to_le();
    // SAFETY: the value lives until the call returns, and is as wide as the widest.
    let ret = unsafe { c::aclrtMemPoolSetAttr(pool, attr, (&raw mut value).cast()) };
    ret.object()
}

pub(crate) fn rt_mem_pool_get_attr(args: Args<'_>) -> Answer {
    let pool = args.pointer(0)?;
    let attr = args.i32(1)?;
    let mut value = 0_u64;
    // SAFETY: as above.
    let ret = unsafe { c::aclrtMemPoolGetAttr(pool, attr, (&raw mut value).cast()) };
    tuple([u64::from_le(value).object()?, ret.object()?])
}

/// Exported handles are bytes: as many as the largest kind has.
const HANDLE: usize = size_of::<abi::aclrtMemFabricHandle>();

fn size_of_kind(kind: abi::aclrtMemSharedHandleType) -> usize {
    if kind == abi::ACL_MEM_SHARE_HANDLE_TYPE_FABRIC {
        HANDLE
    } else {
        size_of::<u64>()
    }
}

pub(crate) fn rt_mem_export_to_shareable_handle_v2(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let flags = args.u64(1)?;
    let kind = args.i32(2)?;
    let mut exported = [0_u64; HANDLE / size_of::<u64>()];
    let place = (&raw mut exported).cast();
    // SAFETY: the place has room for the largest kind.
    let ret = unsafe { c::aclrtMemExportToShareableHandleV2(handle, flags, kind, place) };
    let length = isize::try_from(size_of_kind(kind)).unwrap_or(0);
    // SAFETY: as many bytes as there are, at most.
    let bytes = unsafe { ffi::PyBytes_FromStringAndSize(exported.as_ptr().cast(), length) };
    tuple([Owned::new(bytes)?, ret.object()?])
}

/// An exported handle that a script passed back.
fn exported(args: Args<'_>, index: usize, kind: i32) -> Result<[u64; HANDLE / 8], Raised> {
    let object = args.get(index);
    if !object::is_bytes(object) {
        return Err(args.place(index).wrong_type("bytes", object));
    }
    let owned = args.owned(index)?;
    let bytes = object::bytes_of(&owned)?;
    if bytes.len() != size_of_kind(kind) {
        return Err(value_error(&format!(
            "{} has {} bytes, but must have {}",
            args.place(index),
            bytes.len(),
            size_of_kind(kind)
        )));
    }
    let mut words = [0_u64; HANDLE / 8];
    for (word, part) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut eight = [0; 8];
        eight[..part.len()].copy_from_slice(part);
        *word = u64::from_le_bytes(eight).to_le();
    }
    Ok(words)
}

pub(crate) fn rt_mem_import_from_shareable_handle_v2(args: Args<'_>) -> Answer {
    let kind = args.i32(1)?;
    let flags = args.u64(2)?;
    let mut words = exported(args, 0, kind)?;
    let mut handle = std::ptr::null_mut();
    // SAFETY: the words are as long as the largest kind.
    let ret = unsafe {
        c::aclrtMemImportFromShareableHandleV2(
            (&raw mut words).cast(),
            kind,
            flags,
            &raw mut handle,
        )
    };
    tuple([handle.object()?, ret.object()?])
}

pub(crate) fn rt_mem_set_pid_to_shareable_handle_v2(args: Args<'_>) -> Answer {
    let kind = args.i32(1)?;
    let mut pids: Vec<i32> = args.list(2)?;
    let mut words = exported(args, 0, kind)?;
    let (place, count) = (pids.as_mut_ptr(), pids.len());
    // SAFETY: as above, and as many numbers as are counted.
    let ret = unsafe {
        c::aclrtMemSetPidToShareableHandleV2((&raw mut words).cast(), kind, place, count)
    };
    ret.object()
}

/// Bytes of an exported event.
const EVENT: usize = size_of::<abi::aclrtIpcEventHandle>();

pub(crate) fn rt_ipc_get_event_handle(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let mut handle = abi::aclrtIpcEventHandle {
        reserved: [0; EVENT],
    };
    // SAFETY: the place has room for a handle.
    let ret = unsafe { c::aclrtIpcGetEventHandle(event, &raw mut handle) };
    let length = isize::try_from(EVENT).unwrap_or(0);
    // SAFETY: as many bytes as there are.
    let bytes = unsafe { ffi::PyBytes_FromStringAndSize(handle.reserved.as_ptr().cast(), length) };
    tuple([Owned::new(bytes)?, ret.object()?])
}

pub(crate) fn rt_ipc_open_event_handle(args: Args<'_>) -> Answer {
    let object = args.get(0);
    if !object::is_bytes(object) {
        return Err(args.place(0).wrong_type("bytes", object));
    }
    let owned = args.owned(0)?;
    let bytes = object::bytes_of(&owned)?;
    let Ok(bytes) = <[u8; EVENT]>::try_from(bytes) else {
        return Err(value_error(&format!(
            "{} has {} bytes, but must have {EVENT}",
            args.place(0),
            bytes.len(),
        )));
    };
    let handle = abi::aclrtIpcEventHandle {
        reserved: bytes.map(|byte| c_char::from_le_bytes([byte])),
    };
    let mut event = std::ptr::null_mut();
    // SAFETY: the place has room for a handle of an event.
    let ret = unsafe { c::aclrtIpcOpenEventHandle(handle, &raw mut event) };
    tuple([event.object()?, ret.object()?])
}

pub(crate) fn rt_get_mem_usage_info(args: Args<'_>) -> Answer {
    let device = args.i32(0)?;
    let count = args.usize(1)?;
    if count > MODULES {
        return Err(args.out_of_range(1, "the length of a list, at most 4096"));
    }
    let mut modules: Vec<abi::aclrtMemUsageInfo> = vec![zeroed(); count.max(1)];
    let mut filled = 0;
    // SAFETY: the list has the length that is passed.
    let ret =
        unsafe { c::aclrtGetMemUsageInfo(device, modules.as_mut_ptr(), count, &raw mut filled) };
    modules.truncate(filled);
    let modules = object::list(modules.iter().map(Struct::dict))?;
    tuple([modules, ret.object()?])
}
