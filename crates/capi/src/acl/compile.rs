//! `millpond/compile.h`: compiling models inside a program.
//!
//! Compiled models are stored here by address until they are freed, so that a foreign address is an error and not
//! a crash.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use millpond_abi as abi;
use millpond_model::Error;
use millpond_model::compile::{Options, compile};
use parking_lot::Mutex;

use crate::boundary::{CallError, array, bad_value, entry, not_null, out};

static MADE: Mutex<BTreeMap<usize, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// What graphs are built with, and the option of the tool that means the same.
const GRAPH_NAMES: [(&str, &str); 9] = [
    ("ge.socVersion", "soc_version"),
    ("ge.inputShape", "input_shape"),
    ("ge.dynamicBatchSize", "dynamic_batch_size"),
    ("ge.dynamicImageSize", "dynamic_image_size"),
    ("ge.dynamicDims", "dynamic_dims"),
    ("ge.outputDatatype", "output_type"),
    ("ge.INPUT_NODES_SET_FP16", "input_fp16_nodes"),
    ("ge.outputNodeName", "out_nodes"),
    ("ge.insertOpFile", "insert_op_conf"),
];

fn set(options: &mut Options, name: &str, value: &str) -> Result<(), Error> {
    match GRAPH_NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, name)) => options.set(name, value),
        // The rest of them steers how an NPU's code is made.
        None if name.starts_with("ge.") => Ok(()),
        None => options.set(name, value),
    }
}

fn refused(error: &Error) -> CallError {
    let code = match error {
        Error::Damaged(_) => abi::ACL_ERROR_PARSE_MODEL,
        Error::Unsupported(_) => abi::ACL_ERROR_API_NOT_SUPPORT,
        Error::Argument(_) => abi::ACL_ERROR_INVALID_PARAM,
    };
    CallError::coded(code, error.to_string())
}

/// A text that C points to.
///
/// # Safety
/// `text` is null or a NUL-terminated string that stays as it is.
unsafe fn text<'a>(text: *const c_char, argument: &'static str) -> Result<Cow<'a, str>, CallError> {
    not_null(text, argument)?;
    // SAFETY: not null as just checked; NUL-terminated as the caller promises.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

/// Makes of an ONNX model what can be loaded.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCompileModel(
    name: *const c_char,
    onnx: *const c_void,
    onnxSize: usize,
    options: *const abi::millpondCompileOption,
    optionCount: usize,
    model: *mut *mut c_void,
    modelSize: *mut usize,
) -> abi::aclError {
    entry("millpondCompileModel", || {
        let (out, size_out) = (out!(model), out!(modelSize));
        not_null(onnx, "onnx")?;
        if onnxSize == 0 {
            return bad_value("onnxSize", onnxSize, "it must be at least 1");
        }
        let name = if name.is_null() {
            Cow::Borrowed("")
        } else {
            // SAFETY: the header says that it is a text.
            unsafe { text(name, "name") }?
        };
        let mut given = Options::default();
        // SAFETY: the header says that there are so many.
        for option in unsafe { array(options, optionCount, "options") }? {
            // SAFETY: the header says that it is a text.
            let name = unsafe { text(option.name, "options->name") }?;
            // SAFETY: as above.
            let value = unsafe { text(option.value, "options->value") }?;
            set(&mut given, &name, &value).map_err(|error| refused(&error))?;
        }
        // SAFETY: the header says that there are so many bytes.
        let bytes = unsafe { array(onnx.cast::<u8>(), onnxSize, "onnx") }?;
        let compiled =
            compile(bytes.into(), None, &name, &given).map_err(|error| refused(&error))?;
        // A vector may be moved while C points into it; a box would claim its bytes anew.
        let mut bytes = compiled.bytes;
        let (address, size) = (bytes.as_mut_ptr(), bytes.len());
        MADE.lock().insert(address.addr(), bytes);
        out.write(address.cast());
        size_out.write(size);
        Ok(())
    })
}
const _: abi::millpondCompileModelFn = millpondCompileModel;

/// Writes a compiled model to a file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondSaveModel(
    path: *const c_char,
    model: *const c_void,
    modelSize: usize,
) -> abi::aclError {
    entry("millpondSaveModel", || {
        not_null(path, "path")?;
        // SAFETY: not null; the header says that it is a text.
        let path = unsafe { CStr::from_ptr(path) };
        let path = Path::new(OsStr::from_bytes(path.to_bytes()));
        not_null(model, "model")?;
        if modelSize == 0 {
            return bad_value("modelSize", modelSize, "it must be at least 1");
        }
        // SAFETY: the header says that there are so many bytes.
        let bytes = unsafe { array(model.cast::<u8>(), modelSize, "model") }?;
        fs::write(path, bytes).map_err(|error| {
            CallError::coded(
                abi::ACL_ERROR_INVALID_FILE,
                format!("cannot write the model '{}': {error}", path.display()),
            )
        })
    })
}
const _: abi::millpondSaveModelFn = millpondSaveModel;

/// Gives back what was made.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondFreeModel(model: *mut c_void) -> abi::aclError {
    entry("millpondFreeModel", || {
        if model.is_null() || MADE.lock().remove(&model.addr()).is_some() {
            return Ok(());
        }
        bad_value(
            "model",
            format!("{model:p}"),
            "it must come from millpondCompileModel and not have been freed before",
        )
    })
}
const _: abi::millpondFreeModelFn = millpondFreeModel;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_options_mean_those_of_the_tool() {
        let mut options = Options::default();
        set(&mut options, "ge.socVersion", "Ascend910B2").unwrap();
        set(&mut options, "ge.exec.precision_mode", "force_fp16").unwrap();
        set(&mut options, "input_shape", "x:1").unwrap();
        assert_eq!(options.get("soc_version"), Some("Ascend910B2"));
        assert_eq!(options.get("input_shape"), Some("x:1"));
        set(&mut options, "ge.insertOpFile", "aipp.cfg").unwrap();
        assert_eq!(options.get("insert_op_conf"), Some("aipp.cfg"));
        assert!(set(&mut options, "no_such_option", "1").is_err());
    }
}
