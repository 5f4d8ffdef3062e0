//! The reference: a fast allocator of host memory, asked for 1/512 of each size.
//!
//! It touches what it manages and knows no streams, so it is no peer; but what it takes is what a
//! fast path can take on this machine now.
#![expect(unsafe_code, reason = "calls an allocator of C")]

use std::ffi::c_void;
use std::ptr::NonNull;

use super::timed::Timed;

#[derive(Debug)]
pub(crate) struct Mimalloc;

/// A block, which any thread may free.
#[derive(Debug)]
pub(crate) struct Block(NonNull<c_void>);

// SAFETY: mimalloc's blocks belong to no thread.
unsafe impl Send for Block {}

impl Timed for Mimalloc {
    type Token = Block;

    fn new() -> Result<Self, String> {
        Ok(Self)
    }

    #[inline]
    fn alloc(&self, _stream: u32, bytes: u64) -> Option<Block> {
        let bytes = usize::try_from(bytes / 512).ok()?;
        // SAFETY: any size may be asked for.
        NonNull::new(unsafe { libmimalloc_sys::mi_malloc(bytes) }).map(Block)
    }

    #[inline]
    fn free(&self, _stream: u32, token: Block) {
        // SAFETY: the block comes from `alloc` and is given up here.
        unsafe { libmimalloc_sys::mi_free(token.0.as_ptr()) };
    }
}
