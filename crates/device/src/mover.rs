//! What moves bytes.
#![expect(
    unsafe_code,
    reason = "whoever moves bytes relies on the caller for the ranges"
)]

use std::fmt;

use crate::DeviceError;

/// Copies and fills bytes. Addresses are those that work may touch: see [`crate::Memory::distance`].
pub trait Mover: Send + Sync + fmt::Debug {
    /// Copies `bytes` bytes; the ranges may overlap.
    ///
    /// # Safety
    /// Both ranges must be mapped, `to` writable, for the whole call, and no other thread may access
    /// the destination meanwhile in a way that the program did not ask for itself.
    unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError>;

    /// Sets `bytes` bytes to `value`.
    ///
    /// # Safety
    /// As for [`Mover::copy`], for the destination.
    unsafe fn fill(&self, to: u64, value: u8, bytes: u64) -> Result<(), DeviceError>;

    /// Sets `count` 32-bit words, little endian as on the device, to `value`. `to` is a multiple of 4.
    ///
    /// # Safety
    /// As for [`Mover::copy`], for the destination of `4 * count` bytes.
    unsafe fn fill_words(&self, to: u64, value: u32, count: u64) -> Result<(), DeviceError>;
}
