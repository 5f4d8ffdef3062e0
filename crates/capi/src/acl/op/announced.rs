//! Operators that were compiled elsewhere, and how many are kept ready.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_void};
use std::path::Path;

use millpond_abi as abi;
use parking_lot::Mutex;

use super::compiled;
use crate::boundary::{Fault, bad_value, entry, not_null, text};

/// The folder that was set. It may be set once.
static FOLDER: Mutex<Option<String>> = Mutex::new(None);

/// Announces a folder of compiled operators. Its files are for NPU cores and are not read: the operators
/// in them are those of our own table, and from now on each of them counts as compiled.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetModelDir(modelDir: *const c_char) -> abi::aclError {
    entry("aclopSetModelDir", || {
        // SAFETY: the header's contract for this argument.
        let path = unsafe { text(modelDir, "modelDir") }?;
        let mut folder = FOLDER.lock();
        if let Some(folder) = &*folder {
            return Err(Fault::coded(
                abi::ACL_ERROR_REPEAT_INITIALIZE,
                format!("the folder of compiled operators has been set before, to '{folder}'"),
            ));
        }
        let unreadable = |why: &dyn std::fmt::Display| {
            Fault::coded(
                abi::ACL_ERROR_READ_MODEL_FAILURE,
                format!("the folder '{path}' in 'modelDir' cannot be read: {why}"),
            )
        };
        let found = std::fs::metadata(Path::new(&path)).map_err(|error| unreadable(&error))?;
        if !found.is_dir() {
            return Err(unreadable(&"it is no folder"));
        }
        *folder = Some(path);
        compiled::announce();
        Ok(())
    })
}
const _: abi::aclopSetModelDirFn = aclopSetModelDir;

/// Announces a compiled operator in memory, in the same way.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopLoad(model: *const c_void, modelSize: usize) -> abi::aclError {
    entry("aclopLoad", || {
        not_null(model, "model")?;
        if modelSize == 0 {
            return bad_value("modelSize", modelSize, "a model has at least one byte");
        }
        compiled::announce();
        Ok(())
    })
}
const _: abi::aclopLoadFn = aclopLoad;

/// Sets how many operators are kept ready.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetMaxOpQueueNum(maxOpNum: u64) -> abi::aclError {
    entry("aclopSetMaxOpQueueNum", || {
        if maxOpNum == 0 {
            return bad_value("maxOpNum", maxOpNum, "at least one operator is kept");
        }
        compiled::keep(usize::try_from(maxOpNum).unwrap_or(usize::MAX));
        Ok(())
    })
}
const _: abi::aclopSetMaxOpQueueNumFn = aclopSetMaxOpQueueNum;
