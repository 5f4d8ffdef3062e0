//! Memory that the driver allocates, and host memory that GPUs can reach.
#![expect(unsafe_code, reason = "calls functions of the driver")]

use std::ffi::{c_uint, c_void};

use crate::driver::Driver;
use crate::error::Error;

/// How host memory is made reachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostFlags {
    /// For all contexts, not only for the one that registers it.
    pub portable: bool,
    /// With an address for GPUs.
    pub mapped: bool,
}

impl HostFlags {
    fn bits(self) -> c_uint {
        c_uint::from(self.portable) | c_uint::from(self.mapped) << 1
    }
}

impl Driver {
    /// Allocates memory of the device of the thread's context. May wait for the device.
    pub fn alloc(&self, bytes: u64) -> Result<u64, Error> {
        let mut address = 0;
        // SAFETY: one address is written.
        unsafe { self.calls.memory_alloc(&raw mut address, length(bytes)) }?;
        Ok(address)
    }

    /// Frees it. Waits for the device.
    pub fn free(&self, address: u64) -> Result<(), Error> {
        // SAFETY: the driver looks the address up and refuses others.
        unsafe { self.calls.memory_free(address) }
    }

    /// Allocates host memory that the GPUs can reach.
    pub fn host_alloc(&self, bytes: u64, flags: HostFlags) -> Result<u64, Error> {
        let mut address = std::ptr::null_mut();
        // SAFETY: one address is written.
        unsafe {
            self.calls
                .host_alloc(&raw mut address, length(bytes), flags.bits())
        }?;
        Ok(address.expose_provenance() as u64)
    }

    /// Frees it.
    ///
    /// # Safety
    /// `address` is of [`Driver::host_alloc`], and nobody uses the bytes any more.
    pub unsafe fn host_free(&self, address: u64) -> Result<(), Error> {
        // SAFETY: the caller promises that it ends here.
        unsafe { self.calls.host_free(pointer(address)) }
    }

    /// Makes host memory reachable for GPUs, and keeps its pages where they are.
    ///
    /// # Safety
    /// The range is mapped, and stays so until it is unregistered.
    pub unsafe fn host_register(
        &self,
        address: u64,
        bytes: u64,
        flags: HostFlags,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises that the range is mapped.
        unsafe {
            self.calls
                .host_register(pointer(address), length(bytes), flags.bits())
        }
    }

    /// Ends what [`Driver::host_register`] began.
    pub fn host_unregister(&self, address: u64) -> Result<(), Error> {
        // SAFETY: the driver looks the address up and refuses others.
        unsafe { self.calls.host_unregister(pointer(address)) }
    }

    /// The address at which GPUs reach host memory that was allocated or registered with [`HostFlags::mapped`].
    pub fn host_address(&self, host: u64) -> Result<u64, Error> {
        let mut address = 0;
        // SAFETY: one address is written; the driver looks the other up.
        unsafe { self.calls.host_address(&raw mut address, pointer(host), 0) }?;
        Ok(address)
    }
}

pub(crate) fn pointer(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(length(address))
}

pub(crate) fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
