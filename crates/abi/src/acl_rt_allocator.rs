//! `acl/acl_rt_allocator.h`: allocators of the program for the work of a stream.

use core::ffi::c_void;

/// The handle of an allocator's description.
pub type aclrtAllocatorDesc = *mut c_void;

/// The program's allocator object.
pub type aclrtAllocator = *mut c_void;

/// One block of the program's allocator.
pub type aclrtAllocatorBlock = *mut c_void;

/// An address inside device memory.
pub type aclrtAllocatorAddr = *mut c_void;

/// Gives a block of at least `size` bytes, or null when there is no memory.
pub type aclrtAllocatorAllocFunc =
    Option<unsafe extern "C-unwind" fn(allocator: aclrtAllocator, size: usize) -> *mut c_void>;

/// Takes a block back.
pub type aclrtAllocatorFreeFunc =
    Option<unsafe extern "C-unwind" fn(allocator: aclrtAllocator, block: aclrtAllocatorBlock)>;

/// Like [`aclrtAllocatorAllocFunc`], with an address near which the block would be welcome.
pub type aclrtAllocatorAllocAdviseFunc = Option<
    unsafe extern "C-unwind" fn(
        allocator: aclrtAllocator,
        size: usize,
        addr: aclrtAllocatorAddr,
    ) -> *mut c_void,
>;

/// The device address of a block. It does not get the allocator.
pub type aclrtAllocatorGetAddrFromBlockFunc =
    Option<unsafe extern "C-unwind" fn(block: aclrtAllocatorBlock) -> *mut c_void>;
