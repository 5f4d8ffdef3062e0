//! What C calls: the functions of all allocators of Python.
#![expect(unsafe_code, reason = "is called by C")]

use std::ffi::c_void;
use std::sync::Arc;

use millpond_abi as abi;

use super::super::table::as_pointer;
use super::{BLOCKS, Block, COMPLAINT, VERSIONS, Version};
use crate::ffi::{self, PyObject};
use crate::gil;
use crate::object::{self, Answer, Owned, Raised, ToObject};

/// Passes the exception that is set to `sys.unraisablehook`, and remembers its words.
fn complain(callable: &Owned, what: &str) {
    let text = format!(
        "{what} of the Python allocator raised {}",
        object::exception_text()
    );
    object::unraisable(callable);
    drop(COMPLAINT.try_with(|complaint| complaint.replace(Some(text))));
}

/// The number of a block that Python returned; null for none.
fn block(version: Arc<Version>, callable: &Owned, answer: Answer, what: &str) -> *mut c_void {
    let Ok(value) = answer else {
        complain(callable, what);
        return std::ptr::null_mut();
    };
    if value.as_ptr() == object::none() || is_zero(&value) {
        return std::ptr::null_mut();
    }
    as_pointer(BLOCKS.put(Arc::new(Block { version, value })))
}

/// Whether a block is the number 0, which means that there is none.
fn is_zero(value: &Owned) -> bool {
    if !object::is(value.as_ptr(), &raw mut ffi::PyLong_Type) {
        return false;
    }
    // SAFETY: a live number; one that is too large raises, and is not 0.
    let number = unsafe { ffi::PyLong_AsUnsignedLongLong(value.as_ptr()) };
    // SAFETY: clears what it may have set.
    unsafe { ffi::PyErr_Clear() };
    number == 0
}

fn object_of(version: &Version) -> Answer {
    version
        .object
        .as_ref()
        .map_or_else(Owned::none, |object| Ok(object.another()))
}

pub(super) unsafe extern "C-unwind" fn alloc(
    allocator: abi::aclrtAllocator,
    size: usize,
) -> *mut c_void {
    gil::attach(|| {
        let Some(version) = VERSIONS.get(allocator.addr()) else {
            return std::ptr::null_mut();
        };
        let Some(callable) = &version.alloc else {
            return std::ptr::null_mut();
        };
        let answer =
            object_of(&version).and_then(|object| object::call(callable, [object, size.object()?]));
        block(Arc::clone(&version), callable, answer, "alloc")
    })
    .unwrap_or(std::ptr::null_mut())
}

pub(super) unsafe extern "C-unwind" fn advise(
    allocator: abi::aclrtAllocator,
    size: usize,
    near: abi::aclrtAllocatorAddr,
) -> *mut c_void {
    gil::attach(|| {
        let Some(version) = VERSIONS.get(allocator.addr()) else {
            return std::ptr::null_mut();
        };
        let Some(callable) = &version.advise else {
            return std::ptr::null_mut();
        };
        let answer = object_of(&version)
            .and_then(|object| object::call(callable, [object, size.object()?, near.object()?]));
        block(Arc::clone(&version), callable, answer, "alloc_advise")
    })
    .unwrap_or(std::ptr::null_mut())
}

pub(super) unsafe extern "C-unwind" fn free(
    _: abi::aclrtAllocator,
    block: abi::aclrtAllocatorBlock,
) {
    let freed = gil::attach(|| {
        let Some(block) = BLOCKS.take(block.addr()) else {
            return;
        };
        let Some(callable) = &block.version.free else {
            return;
        };
        let answer = object_of(&block.version)
            .and_then(|object| object::call(callable, [object, block.value.another()]));
        if let Err(Raised) = answer {
            complain(callable, "free");
        }
    });
    // When the interpreter is gone, so is the allocator.
    freed.unwrap_or(());
}

pub(super) unsafe extern "C-unwind" fn address(block: abi::aclrtAllocatorBlock) -> *mut c_void {
    gil::attach(|| {
        let Some(block) = BLOCKS.get(block.addr()) else {
            return std::ptr::null_mut();
        };
        let Some(callable) = &block.version.address else {
            return std::ptr::null_mut();
        };
        let answer = object::call(callable, [block.value.another()]);
        if let Ok(address) = answer.and_then(|answer| address_in(answer.as_ptr())) {
            return as_pointer(address);
        }
        complain(callable, "get_addr_from_block");
        std::ptr::null_mut()
    })
    .unwrap_or(std::ptr::null_mut())
}

/// The address that Python returned.
fn address_in(answer: *mut PyObject) -> Result<usize, Raised> {
    // SAFETY: a live object; what has no __index__ raises.
    let number = Owned::new(unsafe { ffi::PyNumber_Index(answer) })?;
    // SAFETY: a live number; one that is out of range raises.
    let address = unsafe { ffi::PyLong_AsUnsignedLongLong(number.as_ptr()) };
    // SAFETY: asks whether it did.
    if address == u64::MAX && !unsafe { ffi::PyErr_Occurred() }.is_null() {
        return Err(Raised);
    }
    usize::try_from(address).map_err(|_| object::overflow_error("not a valid address"))
}
