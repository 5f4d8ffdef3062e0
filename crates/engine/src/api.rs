//! The library's function table, and its statuses as errors.
#![expect(unsafe_code, reason = "calls functions of the engine")]

use std::ffi::c_char;

use ort_sys::{OrtApi, OrtStatusPtr};

use crate::error::EngineError;
use crate::library::{GetApiBase, text};

/// The oldest table version with all functions used here. Newer libraries provide it too.
pub(crate) const VERSION: u32 = 17;

/// The function table. The library is never unloaded, so the table stays valid.
#[derive(Clone, Copy)]
pub(crate) struct Api {
    pub(crate) table: &'static OrtApi,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Api")
    }
}

impl Api {
    /// Gets the table of a library, and its version.
    pub(crate) fn of(base: GetApiBase) -> Result<(Self, String), String> {
        // SAFETY: takes nothing and returns a constant of the library.
        let base = unsafe { base() };
        // SAFETY: either null or the library's constant.
        let base = unsafe { base.as_ref() }.ok_or("OrtGetApiBase returned NULL")?;
        // SAFETY: takes nothing.
        let version = text(unsafe { (base.GetVersionString)() });
        // SAFETY: any version may be requested.
        let table = unsafe { (base.GetApi)(VERSION) };
        // SAFETY: either null or the library's constant, which has all functions of that version.
        match unsafe { table.as_ref() } {
            Some(table) => Ok((Self { table }, version)),
            None => Err(format!(
                "unsupported version {version}; 1.{VERSION} or newer is required"
            )),
        }
    }

    /// Converts a status to a result and releases it.
    #[inline]
    pub(crate) fn check(&self, status: OrtStatusPtr) -> Result<(), EngineError> {
        if status.0.is_null() {
            return Ok(());
        }
        Err(self.refusal(status))
    }

    #[cold]
    fn refusal(&self, status: OrtStatusPtr) -> EngineError {
        // SAFETY: the status is live until it is released below.
        let message: *const c_char = unsafe { (self.table.GetErrorMessage)(status.0) };
        let message = text(message);
        // SAFETY: released once, here.
        unsafe { (self.table.ReleaseStatus)(status.0) };
        EngineError::Refused(message)
    }
}
