//! Opens the library and finds its functions.
#![expect(unsafe_code, reason = "calls the system's loader")]

use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::ptr::NonNull;

use crate::error::Error;

/// The driver's name for the system's loader.
pub const NAME: &str = "libcuda.so.1";

/// An open library. It is never closed: the driver has threads of its own.
#[derive(Debug, Clone)]
pub(crate) struct Library {
    handle: NonNull<c_void>,
    name: String,
}

// SAFETY: the handle is only passed to `dlsym`, which any thread may call.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Opens a library by path, or by name through the system's loader. Its symbols stay local, so that a stand-in does not
    /// replace a real driver that something else in the process uses.
    pub(crate) fn open(name: &OsStr) -> Result<Self, Error> {
        let shown = name.to_string_lossy().into_owned();
        let absent = |reason| Error::Absent {
            library: shown.clone(),
            reason,
        };
        let text = CString::new(name.as_bytes())
            .map_err(|_| absent("the path contains a NUL byte".to_owned()))?;
        // SAFETY: the name is a string; the library's own initialisation is the user's choice of library.
        let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let handle = NonNull::new(handle).ok_or_else(|| absent(last_error()))?;
        Ok(Self {
            handle,
            name: shown,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The address of a function.
    pub(crate) fn find(&self, symbol: &'static CStr) -> Result<NonNull<c_void>, Error> {
        self.look_up(symbol).ok_or_else(|| Error::Missing {
            library: self.name.clone(),
            symbol: symbol.to_string_lossy().into_owned(),
        })
    }

    pub(crate) fn look_up(&self, symbol: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the handle is open and never closed.
        NonNull::new(unsafe { libc::dlsym(self.handle.as_ptr(), symbol.as_ptr()) })
    }
}

/// The loader's own words.
fn last_error() -> String {
    // SAFETY: takes nothing.
    let error = unsafe { libc::dlerror() };
    if error.is_null() {
        return "the loader gives no reason".to_owned();
    }
    // SAFETY: a string of the loader, which ends with a zero and lives until this thread's next call.
    let text = unsafe { CStr::from_ptr(error) };
    text.to_string_lossy().into_owned()
}
