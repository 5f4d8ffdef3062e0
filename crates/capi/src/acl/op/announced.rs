//! Operators that were compiled ahead of time, and the size of the operator cache.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_void};
use std::path::Path;

use millpond_abi as abi;
use millpond_model::singleop::{self, Attribute};
use millpond_model::{Error, FileKind, LARGEST_MODEL, Opened, read_regular};
use millpond_operators::{Attributes, Value};
use parking_lot::Mutex;

use super::compiled::{self, Named};
use super::tensors::Described;
use crate::acl::mdl::description::{NO_LIMIT, UNKNOWN_RANK};
use crate::boundary::{self, CallError, bad_value, entry, not_null, text};

/// How deep a folder of operators is searched.
const DEPTH: usize = 3;

/// The folder that was set. It may be set once.
static FOLDER: Mutex<Option<String>> = Mutex::new(None);

/// Announces a folder of compiled operators. Those of `millpond atc` are noted one by one. A file for NPU
/// cores cannot be read; as the operators in it are those of our own table, each of them counts as compiled.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetModelDir(modelDir: *const c_char) -> abi::aclError {
    entry("aclopSetModelDir", || {
        // SAFETY: the header's contract for this argument.
        let path = unsafe { text(modelDir, "modelDir") }?;
        let mut folder = FOLDER.lock();
        if let Some(folder) = &*folder {
            return Err(CallError::coded(
                abi::ACL_ERROR_REPEAT_INITIALIZE,
                format!("the folder of compiled operators is already set, to '{folder}'"),
            ));
        }
        let unreadable = |why: &dyn std::fmt::Display| {
            CallError::coded(
                abi::ACL_ERROR_READ_MODEL_FAILURE,
                format!("cannot read the folder '{path}' in 'modelDir': {why}"),
            )
        };
        let found = std::fs::metadata(Path::new(&path)).map_err(|error| unreadable(&error))?;
        if !found.is_dir() {
            return Err(unreadable(&"it is not a folder"));
        }
        announce_folder(Path::new(&path), DEPTH)?;
        *folder = Some(path);
        Ok(())
    })
}
const _: abi::aclopSetModelDirFn = aclopSetModelDir;

/// Announces the compiled operators in a folder and those below it.
fn announce_folder(folder: &Path, depth: usize) -> Result<(), CallError> {
    let unreadable = |path: &Path, why: &dyn std::fmt::Display| {
        CallError::coded(
            abi::ACL_ERROR_READ_MODEL_FAILURE,
            format!("cannot read '{}': {why}", path.display()),
        )
    };
    let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.is_dir() {
            if depth > 1 {
                announce_folder(&path, depth - 1)?;
            }
        } else if path.extension().is_some_and(|ending| ending == "om") {
            let bytes = read_regular(&path, LARGEST_MODEL);
            let bytes = bytes.map_err(|error| unreadable(&path, &error))?;
            announce_bytes(&bytes).map_err(|error| unreadable(&path, &error))?;
        }
    }
    Ok(())
}

/// Announces a compiled operator.
fn announce_bytes(bytes: &[u8]) -> Result<(), Error> {
    match millpond_model::classify(bytes) {
        FileKind::Npu(_) | FileKind::NpuArchive => compiled::announce(),
        _ => match millpond_model::open(bytes, None)? {
            Opened::Operator(operator) => announce_operator(&operator),
            Opened::Model { .. } => {
                return Err(Error::Argument(
                    "it is a model and not an operator: load it with aclmdlLoadFromFile".to_owned(),
                ));
            }
        },
    }
    Ok(())
}

fn announce_operator(operator: &singleop::Operator) {
    let tensors = |tensors: &[singleop::Tensor]| tensors.iter().map(described).collect::<Vec<_>>();
    let (inputs, outputs) = (tensors(&operator.inputs), tensors(&operator.outputs));
    let mut attributes = Attributes::new();
    for (name, attribute) in &operator.attributes {
        attributes.set(name, value(attribute));
    }
    compiled::note(&Named {
        kind: &operator.op,
        inputs: &inputs,
        outputs: &outputs,
        attributes: &attributes,
    });
}

fn described(tensor: &singleop::Tensor) -> Described {
    let spans = tensor.spans.iter().flatten();
    Described {
        element: tensor.element,
        dims: tensor.dims().unwrap_or_else(|| vec![UNKNOWN_RANK]),
        ranges: spans
            .map(|span| [span.least, span.most.unwrap_or(NO_LIMIT)])
            .collect(),
        format: tensor.format.acl(),
        storage: None,
        constant: None,
        on_host: false,
    }
}

/// An attribute in the terms of the table. Numbers are as narrow there as programs set them.
fn value(attribute: &Attribute) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it must be within the range of a 32-bit float"
    )]
    let narrow = |wide: &f64| *wide as f32;
    match attribute {
        Attribute::Bool(value) => Value::Bool(*value),
        Attribute::Int(value) => Value::Int(*value),
        Attribute::Float(value) => Value::Float(narrow(value)),
        Attribute::Text(value) => Value::Text(value.clone()),
        Attribute::Element(value) => Value::Element(value.acl()),
        Attribute::Bools(values) => Value::Bools(values.clone()),
        Attribute::Ints(values) => Value::Ints(values.clone()),
        Attribute::Floats(values) => Value::Floats(values.iter().map(narrow).collect()),
        Attribute::Texts(values) => Value::Texts(values.clone()),
        Attribute::Elements(values) => {
            Value::Elements(values.iter().map(|element| element.acl()).collect())
        }
        Attribute::IntLists(values) => Value::IntLists(values.clone()),
    }
}

/// Announces a compiled operator in memory, in the same way.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopLoad(model: *const c_void, modelSize: usize) -> abi::aclError {
    entry("aclopLoad", || {
        not_null(model, "model")?;
        if modelSize == 0 {
            return bad_value("modelSize", modelSize, "it must be at least 1");
        }
        // SAFETY: the header's contract for these arguments.
        let bytes = unsafe { boundary::array(model.cast::<u8>(), modelSize, "model") }?;
        announce_bytes(&bytes).map_err(|error| {
            CallError::coded(
                abi::ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
                format!("cannot read the operator in 'model': {error}"),
            )
        })
    })
}
const _: abi::aclopLoadFn = aclopLoad;

/// Sets how many operators are kept ready.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetMaxOpQueueNum(maxOpNum: u64) -> abi::aclError {
    entry("aclopSetMaxOpQueueNum", || {
        if maxOpNum == 0 {
            return bad_value("maxOpNum", maxOpNum, "it must be at least 1");
        }
        compiled::keep(usize::try_from(maxOpNum).unwrap_or(usize::MAX));
        Ok(())
    })
}
const _: abi::aclopSetMaxOpQueueNumFn = aclopSetMaxOpQueueNum;
