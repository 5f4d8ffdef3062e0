//! Copies and fills, queued in a stream.
//!
//! All of them name memory by address only, so that their callers promise what is there and for how long.
#![expect(unsafe_code, reason = "calls functions of the driver")]

use crate::context::Context;
use crate::driver::Driver;
use crate::error::Error;
use crate::memory::{length, pointer};
use crate::streams::Stream;

impl Driver {
    /// Copies between any two of: host memory, memory of GPUs. The driver finds out which each is.
    ///
    /// # Safety
    /// Both ranges are mapped until the stream has passed the copy; nobody writes `from` or uses `to` before.
    pub unsafe fn copy(&self, to: u64, from: u64, bytes: u64, stream: Stream) -> Result<(), Error> {
        // SAFETY: the caller promises it.
        unsafe { self.calls.copy(to, from, length(bytes), stream.0) }
    }

    /// Copies from host memory.
    ///
    /// # Safety
    /// As [`Driver::copy`].
    pub unsafe fn copy_to_device(
        &self,
        to: u64,
        from: u64,
        bytes: u64,
        stream: Stream,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises it.
        unsafe {
            self.calls
                .copy_to_device(to, pointer(from), length(bytes), stream.0)
        }
    }

    /// Copies to host memory.
    ///
    /// # Safety
    /// As [`Driver::copy`].
    pub unsafe fn copy_to_host(
        &self,
        to: u64,
        from: u64,
        bytes: u64,
        stream: Stream,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises it.
        unsafe {
            self.calls
                .copy_to_host(pointer(to), from, length(bytes), stream.0)
        }
    }

    /// Copies within one GPU.
    ///
    /// # Safety
    /// As [`Driver::copy`].
    pub unsafe fn copy_within(
        &self,
        to: u64,
        from: u64,
        bytes: u64,
        stream: Stream,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises it.
        unsafe { self.calls.copy_within(to, from, length(bytes), stream.0) }
    }

    /// Copies from the GPU of one context to that of another.
    ///
    /// # Safety
    /// As [`Driver::copy`].
    pub unsafe fn copy_to_peer(
        &self,
        (to, there): (u64, Context),
        (from, here): (u64, Context),
        bytes: u64,
        stream: Stream,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises it.
        unsafe {
            self.calls
                .copy_to_peer(to, there.0, from, here.0, length(bytes), stream.0)
        }
    }

    /// Fills bytes.
    ///
    /// # Safety
    /// As [`Driver::copy`], for `to`.
    pub unsafe fn fill(&self, to: u64, value: u8, count: u64, stream: Stream) -> Result<(), Error> {
        // SAFETY: the caller promises it.
        unsafe { self.calls.fill_bytes(to, value, length(count), stream.0) }
    }

    /// Fills halves of words; `to` is a multiple of 2.
    ///
    /// # Safety
    /// As [`Driver::copy`], for `to`.
    pub unsafe fn fill_halves(
        &self,
        to: u64,
        value: u16,
        count: u64,
        stream: Stream,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises it.
        unsafe { self.calls.fill_halves(to, value, length(count), stream.0) }
    }

    /// Fills words; `to` is a multiple of 4.
    ///
    /// # Safety
    /// As [`Driver::copy`], for `to`.
    pub unsafe fn fill_words(
        &self,
        to: u64,
        value: u32,
        count: u64,
        stream: Stream,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises it.
        unsafe { self.calls.fill_words(to, value, length(count), stream.0) }
    }
}
