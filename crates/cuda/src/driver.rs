//! The open driver.
#![expect(unsafe_code, reason = "calls functions of the driver")]

use std::ffi::{OsStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use crate::calls::Calls;
use crate::error::Error;
use crate::library::{Library, NAME};

/// The open driver. Cheap to share; every method is one call of the driver, and any thread may make it.
#[derive(Debug)]
pub struct Driver {
    pub(crate) calls: Calls,
    library: Library,
}

impl Driver {
    /// Opens the driver that `MILLPOND_CUDA_DRIVER` names, or [`NAME`], and initialises it.
    pub fn open() -> Result<Arc<Self>, Error> {
        let named = std::env::var_os("MILLPOND_CUDA_DRIVER").filter(|name| !name.is_empty());
        Self::open_at(named.as_deref().unwrap_or_else(|| OsStr::new(NAME)))
    }

    /// Opens a driver by path, or by name through the system's loader, and initialises it.
    pub fn open_at(name: &OsStr) -> Result<Arc<Self>, Error> {
        let library = Library::open(name)?;
        let calls = Calls::find(&library)?;
        // SAFETY: takes no address.
        unsafe { calls.init(0) }?;
        Ok(Arc::new(Self { calls, library }))
    }

    /// What was opened.
    pub fn library(&self) -> &str {
        self.library.name()
    }

    /// The newest CUDA that this driver supports: 13.0 is (13, 0).
    pub fn version(&self) -> Result<(u32, u32), Error> {
        let mut version = 0;
        // SAFETY: one number is written.
        unsafe { self.calls.driver_version(&raw mut version) }?;
        let version = u32::try_from(version).unwrap_or(0);
        Ok((version / 1000, version % 1000 / 10))
    }

    /// The address of any function of the library, for callers with a table of their own.
    pub fn symbol(&self, name: &std::ffi::CStr) -> Option<NonNull<c_void>> {
        self.library.look_up(name)
    }
}
