//! The library's table of functions, and its statuses as errors.
#![expect(unsafe_code, reason = "calls functions of the engine")]

use std::ffi::c_char;

use ort_sys::{OrtApi, OrtStatusPtr};

use crate::error::EngineError;
use crate::library::{GetApiBase, text};

/// The oldest table that has everything used here. Every newer library offers it too.
pub(crate) const VERSION: u32 = 17;

/// The table of functions. The library is never unloaded, so it is there for good.
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
    /// Asks a library for its table; answers its version too.
    pub(crate) fn of(base: GetApiBase) -> Result<(Self, String), String> {
        // SAFETY: takes nothing and answers a constant of the library.
        let base = unsafe { base() };
        // SAFETY: either null or the library's constant.
        let base = unsafe { base.as_ref() }.ok_or("it has no table of functions")?;
        // SAFETY: takes nothing.
        let version = text(unsafe { (base.GetVersionString)() });
        // SAFETY: any number may be asked for.
        let table = unsafe { (base.GetApi)(VERSION) };
        // SAFETY: either null or the library's constant, which has all functions of that version.
        match unsafe { table.as_ref() } {
            Some(table) => Ok((Self { table }, version)),
            None => Err(format!(
                "it is version {version}, and 1.{VERSION} or newer is needed"
            )),
        }
    }

    /// A status as an answer. The status is given back to the engine.
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
