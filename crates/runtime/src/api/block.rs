//! Memory that programs own: blocks on a device and in pinned host memory.
//!
//! A block is freed when it is dropped, without waiting: its bytes are reused after the queued
//! work that still uses it.
#![expect(unsafe_code, reason = "lends pinned memory as slices")]

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::api::device::Device;
use crate::api::raw::RawCopy;
use crate::error::Error;
use crate::memory::{BlockInfo, Direction};
use crate::shared::Shared;

/// A block of device memory. The program cannot touch its bytes, only copy them.
#[derive(Debug)]
pub struct DeviceBlock {
    info: BlockInfo,
    device: Device,
}

impl DeviceBlock {
    pub(crate) fn new(info: BlockInfo, device: Device) -> Self {
        Self { info, device }
    }

    /// Its description.
    pub fn info(&self) -> &BlockInfo {
        &self.info
    }

    /// Its start address on the device.
    pub fn address(&self) -> u64 {
        self.info.address
    }

    /// How many bytes were requested.
    pub fn len(&self) -> u64 {
        self.info.requested
    }

    /// Never: a block has at least one byte.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All requested bytes.
    pub fn all(&self) -> Slice<'_> {
        Slice::new(&self.info, ..)
    }

    /// A part of them. Panics if the range extends beyond the block.
    pub fn slice(&self, range: impl RangeBounds<u64>) -> Slice<'_> {
        Slice::new(&self.info, range)
    }

    /// Copies `bytes` into the beginning of the block, now.
    ///
    /// Streams are not waited for: synchronise first if queued work uses the block.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        let from = bytes.as_ptr().expose_provenance() as u64;
        self.move_now(self.address(), self.len(), from, bytes.len() as u64)
    }

    /// Copies the beginning of the block into `bytes`, now.
    pub fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let to = bytes.as_mut_ptr().expose_provenance() as u64;
        let count = bytes.len() as u64;
        if count > self.len() {
            return Err(Error::OutOfBlock {
                address: self.address(),
                bytes: count,
                block: self.address(),
                length: self.info.bytes,
                requested: self.len(),
            });
        }
        self.move_now(to, count, self.address(), count)
    }

    fn move_now(&self, to: u64, room: u64, from: u64, bytes: u64) -> Result<(), Error> {
        let copy = RawCopy {
            to,
            room,
            from,
            bytes,
            direction: Direction::FromAddresses,
        };
        // SAFETY: the callers pass a slice that they borrow for the call, and this block.
        Ok(unsafe { self.device.copy_at(&copy) }?)
    }
}

impl Drop for DeviceBlock {
    fn drop(&mut self) {
        let freed = self
            .device
            .core
            .store
            .free(self.info.address, Some(self.info.serial));
        // A reset of the device has freed it already: nothing is left to do.
        drop(freed);
    }
}

/// A block of pinned host memory, which the program and the device can both access.
#[derive(Debug)]
pub struct HostBlock {
    info: BlockInfo,
    shared: Arc<Shared>,
}

impl HostBlock {
    pub(crate) fn new(info: BlockInfo, shared: Arc<Shared>) -> Self {
        Self { info, shared }
    }

    /// Its description.
    pub fn info(&self) -> &BlockInfo {
        &self.info
    }

    /// How many bytes were requested.
    pub fn len(&self) -> u64 {
        self.info.requested
    }

    /// Never: a block has at least one byte.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All its bytes, for a copy.
    pub fn all(&self) -> Slice<'_> {
        Slice::new(&self.info, ..)
    }

    /// A part of them. Panics if the range extends beyond the block.
    pub fn slice(&self, range: impl RangeBounds<u64>) -> Slice<'_> {
        Slice::new(&self.info, range)
    }

    /// Its bytes, to read and write. [`Error::InUse`] while queued work names them.
    pub fn bytes(&mut self) -> Result<&mut [u8], Error> {
        let store = self.shared.pinned.of(self.info.address);
        if store.is_some_and(|store| store.is_in_use(self.info.address)) {
            return Err(Error::InUse);
        }
        let start = usize::try_from(self.info.address).unwrap_or(usize::MAX);
        let length = usize::try_from(self.info.requested).unwrap_or(0);
        let start = std::ptr::with_exposed_provenance_mut::<u8>(start);
        // SAFETY: the block is live as long as `self`, its pages are mapped and start as zeros, no
        // queued work names it (checked above) and none can begin to while it is borrowed mutably.
        Ok(unsafe { std::slice::from_raw_parts_mut(start, length) })
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        if let Some((store, _)) = self.shared.store_of(self.info.address) {
            drop(store.free(self.info.address, Some(self.info.serial)));
        }
    }
}

/// Bytes of a block, named for a copy.
#[derive(Debug, Clone, Copy)]
pub struct Slice<'a> {
    address: u64,
    bytes: u64,
    /// The block outlives the slice.
    block: PhantomData<&'a BlockInfo>,
}

impl<'a> Slice<'a> {
    pub(crate) fn new(info: &'a BlockInfo, range: impl RangeBounds<u64>) -> Self {
        Self::of(info.address, info.requested, range)
    }

    /// A part of `length` bytes at `address`, which whoever lends the slice keeps.
    pub(crate) fn of(address: u64, length: u64, range: impl RangeBounds<u64>) -> Self {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => end + 1,
            Bound::Excluded(&end) => end,
            Bound::Unbounded => length,
        };
        assert!(
            start <= end && end <= length,
            "{start}..{end} reaches beyond a block of {length} bytes"
        );
        Self {
            address: address + start,
            bytes: end - start,
            block: PhantomData,
        }
    }

    /// Where it starts.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// How long it is.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
