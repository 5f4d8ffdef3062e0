//! Addresses and physical memory, apart from each other and joined by mapping.
//!
//! A handle of physical memory may be mapped at many addresses, which then are the same bytes. It lives until it is released
//! and mapped nowhere. No call here waits for work of the GPU.
#![expect(unsafe_code, reason = "calls functions of the driver")]

use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::calls::{Access, Location, Property};
use crate::context::Device;
use crate::driver::Driver;
use crate::error::Error;
use crate::memory::length;

/// Physical memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub(crate) u64);

impl Handle {
    /// The driver's own value.
    pub fn raw(self) -> u64 {
        self.0
    }

    /// A handle from the driver's own value.
    ///
    /// # Safety
    /// The driver that it is passed to gave it out.
    pub unsafe fn from_raw(raw: u64) -> Self {
        Self(raw)
    }
}

/// What physical memory is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Physical {
    /// Of this GPU.
    pub device: Device,
    /// With [`Driver::export`], for other processes.
    pub exported: bool,
}

const DEVICE: c_int = 1;
const PINNED: c_int = 1;
const FILE_DESCRIPTOR: c_int = 1;
const READ_WRITE: c_int = 3;

impl Physical {
    fn property(self) -> Property {
        Property {
            kind: PINNED,
            exported_as: if self.exported { FILE_DESCRIPTOR } else { 0 },
            location: Location {
                kind: DEVICE,
                id: self.device.0,
            },
            windows_only: std::ptr::null_mut(),
            compression: 0,
            rdma: 0,
            usage: 0,
            reserved: [0; 4],
        }
    }
}

impl Driver {
    /// What sizes and addresses of handles are multiples of: the least, or what the driver recommends.
    pub fn granularity(&self, physical: Physical, recommended: bool) -> Result<u64, Error> {
        let property = physical.property();
        let mut bytes = 0;
        // SAFETY: one number is written, and the property is only read.
        unsafe {
            self.calls.granularity(
                &raw mut bytes,
                &raw const property,
                c_int::from(recommended),
            )
        }?;
        Ok(bytes as u64)
    }

    /// Reserves addresses: at `wanted` if that is free and not zero, else anywhere.
    pub fn reserve(&self, bytes: u64, alignment: u64, wanted: u64) -> Result<u64, Error> {
        let mut address = 0;
        // SAFETY: one address is written.
        unsafe {
            self.calls.reserve(
                &raw mut address,
                length(bytes),
                length(alignment),
                wanted,
                0,
            )
        }?;
        Ok(address)
    }

    /// Gives addresses back, as they were reserved. Nothing is mapped there.
    pub fn address_free(&self, address: u64, bytes: u64) -> Result<(), Error> {
        // SAFETY: the driver looks the address up and refuses others.
        unsafe { self.calls.address_free(address, length(bytes)) }
    }

    /// Makes physical memory. Its contents are whatever was there.
    pub fn create(&self, bytes: u64, physical: Physical) -> Result<Handle, Error> {
        let property = physical.property();
        let mut handle = 0;
        // SAFETY: one handle is written, and the property is only read.
        unsafe {
            self.calls
                .create(&raw mut handle, length(bytes), &raw const property, 0)
        }?;
        Ok(Handle(handle))
    }

    /// Gives up a handle. Its memory goes back when it is mapped nowhere.
    pub fn release(&self, handle: Handle) -> Result<(), Error> {
        // SAFETY: the handle is one of this driver, which refuses one that is gone.
        unsafe { self.calls.release(handle.0) }
    }

    /// Maps a whole handle at `address`. Nobody can access it before [`Driver::set_access`].
    pub fn map(&self, address: u64, bytes: u64, handle: Handle) -> Result<(), Error> {
        // SAFETY: the driver refuses addresses that are not reserved or not free.
        unsafe { self.calls.map(address, length(bytes), 0, handle.0, 0) }
    }

    /// Unmaps whole mappings. Does not wait for work that uses them.
    pub fn unmap(&self, address: u64, bytes: u64) -> Result<(), Error> {
        // SAFETY: the driver looks the addresses up, and does nothing where nothing is mapped.
        unsafe { self.calls.unmap(address, length(bytes)) }
    }

    /// Lets `devices` read and write what is mapped in a range.
    pub fn set_access(&self, address: u64, bytes: u64, devices: &[Device]) -> Result<(), Error> {
        let access: Vec<Access> = devices
            .iter()
            .map(|device| Access {
                location: Location {
                    kind: DEVICE,
                    id: device.0,
                },
                flags: READ_WRITE,
            })
            .collect();
        // SAFETY: the descriptions are only read, and there are as many as is said.
        unsafe {
            self.calls
                .set_access(address, length(bytes), access.as_ptr(), access.len())
        }
    }

    /// Makes a file descriptor that stands for a handle; another process can [import](Driver::import) it.
    pub fn export(&self, handle: Handle) -> Result<OwnedFd, Error> {
        let mut descriptor: c_int = -1;
        // SAFETY: one number is written, which is what this kind of shared handle is.
        unsafe {
            self.calls.export(
                (&raw mut descriptor).cast::<c_void>(),
                handle.0,
                FILE_DESCRIPTOR,
                0,
            )
        }?;
        // SAFETY: the driver made it for the caller.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    /// The handle that a file descriptor of [`Driver::export`] stands for.
    pub fn import(&self, descriptor: BorrowedFd<'_>) -> Result<Handle, Error> {
        let mut handle = 0;
        let descriptor = usize::try_from(descriptor.as_raw_fd()).unwrap_or(usize::MAX);
        // SAFETY: one handle is written. The number of the descriptor is passed as the pointer itself.
        unsafe {
            self.calls.import(
                &raw mut handle,
                std::ptr::without_provenance_mut(descriptor),
                FILE_DESCRIPTOR,
            )
        }?;
        Ok(Handle(handle))
    }
}
