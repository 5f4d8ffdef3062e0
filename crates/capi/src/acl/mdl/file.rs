//! A model in a file or in memory: what it is, and what it says.
#![expect(unsafe_code, reason = "reads what C pointers point to")]

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use millpond_abi as abi;
use millpond_model::{Error, LARGEST_MODEL, Opened, read_regular};

use super::description::Description;
use crate::boundary::{self, CallError, bad_value, not_null};

/// A model that was read and understood, and is not loaded.
#[derive(Debug)]
pub(crate) struct File {
    /// Its name in error messages.
    pub(crate) name: String,
    /// The bytes that the engine takes.
    pub(crate) onnx: Vec<u8>,
    pub(crate) description: Description,
    pub(crate) weight_bytes: u64,
    /// Whether contents of inputs decide shapes.
    pub(crate) by_contents: bool,
}

impl File {
    /// Reads the file that an argument names.
    ///
    /// # Safety
    /// `path` is null or a NUL-terminated string.
    pub(crate) unsafe fn at(
        path: *const c_char,
        argument: &'static str,
    ) -> Result<Self, CallError> {
        not_null(path, argument)?;
        // SAFETY: not null as just checked; NUL-terminated as the caller promises.
        let path = unsafe { CStr::from_ptr(path) };
        Self::read(Path::new(OsStr::from_bytes(path.to_bytes())))
    }

    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self, CallError> {
        let bytes = read_regular(path, LARGEST_MODEL).map_err(|error| {
            CallError::coded(
                abi::ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID,
                format!("cannot read the model '{}': {error}", path.display()),
            )
        })?;
        Self::parse(&bytes, Some(path))
    }

    /// Copies a model out of memory.
    ///
    /// # Safety
    /// `model` is null or points to `size` bytes.
    pub(crate) unsafe fn in_memory(model: *const c_void, size: usize) -> Result<Self, CallError> {
        not_null(model, "model")?;
        if size == 0 {
            return bad_value("modelSize", size, "it must be at least 1");
        }
        // SAFETY: the caller's promise.
        let bytes = unsafe { boundary::array(model.cast::<u8>(), size, "model") }?;
        Self::parse(&bytes, None)
    }

    fn parse(bytes: &[u8], path: Option<&Path>) -> Result<Self, CallError> {
        let name = path.map_or_else(
            || "the model in memory".to_owned(),
            |path| format!("the model '{}'", path.display()),
        );
        let opened = millpond_model::open(bytes, path).map_err(|error| refused(&name, &error))?;
        match opened {
            Opened::Model {
                interface,
                model,
                onnx,
                ..
            } => Ok(Self {
                name,
                onnx: onnx.into_owned(),
                description: Description::new(&interface, &model.outputs),
                weight_bytes: model.weight_bytes,
                by_contents: model.data_dependent,
            }),
            Opened::Operator(operator) => Err(CallError::coded(
                abi::ACL_ERROR_API_NOT_SUPPORT,
                format!(
                    "{name} is a single operator, {}: run it with aclopExecuteV2 after aclopLoad",
                    operator.op
                ),
            )),
        }
    }
}

/// The code for an error of a file.
fn refused(name: &str, error: &Error) -> CallError {
    let code = match error {
        Error::Damaged(_) => abi::ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
        Error::Unsupported(_) => abi::ACL_ERROR_API_NOT_SUPPORT,
        Error::Argument(_) => abi::ACL_ERROR_INVALID_PARAM,
    };
    CallError::coded(code, format!("{name}: {error}"))
}
