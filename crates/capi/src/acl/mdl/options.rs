//! Options for loading and running a model: values by number, each of the type that the suffix of
//! its name says.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};

use millpond_abi as abi;
use parking_lot::Mutex;

use crate::boundary::{self, CallError, bad_value, entry, not_null, text, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{Kind, Registry};

pub(crate) static LOAD_OPTIONS: Registry<Mutex<LoadOptions>> = Registry::new(Kind::LoadOptions);
pub(crate) static RUN_OPTIONS: Registry<Mutex<RunOptions>> = Registry::new(Kind::RunOptions);

/// What `aclmdlLoadWithConfig` is to do.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoadOptions {
    /// The file, copied when the option was set.
    pub(crate) path: Option<String>,
    numbers: BTreeMap<abi::aclmdlConfigAttr, u64>,
}

impl LoadOptions {
    /// An option's value: a number or an address.
    pub(crate) fn number(&self, attr: abi::aclmdlConfigAttr) -> Option<u64> {
        self.numbers.get(&attr).copied()
    }
}

/// What one run is to heed.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunOptions {
    numbers: BTreeMap<abi::aclmdlExecConfigAttr, u64>,
    /// Time limit of a synchronous run in milliseconds; negative for none.
    pub(crate) patience: Option<i32>,
}

/// What an option's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Int32,
    /// A size or an address: eight bytes.
    Word,
    /// An address of a NUL-terminated text.
    Text,
    /// Nothing that the host could heed, for this reason.
    Refused(&'static str),
}

const QUEUES: &str = "it feeds a model from queues";
const PARTS: &str = "it places a part of a model that exists only on an NPU";
const WEIGHTS: &str = "the weights must be in the file of the model";
const HARDWARE: &str = "it tunes hardware that Millpond does not have";

fn load_option(attr: abi::aclmdlConfigAttr) -> Option<Value> {
    Some(match attr {
        abi::ACL_MDL_PRIORITY_INT32 | abi::ACL_MDL_WITHOUT_GRAPH_INT32 => Value::Int32,
        abi::ACL_MDL_LOAD_TYPE_SIZET
        | abi::ACL_MDL_MEM_ADDR_PTR
        | abi::ACL_MDL_MEM_SIZET
        | abi::ACL_MDL_WEIGHT_ADDR_PTR
        | abi::ACL_MDL_WEIGHT_SIZET
        | abi::ACL_MDL_WORKSPACE_ADDR_PTR
        | abi::ACL_MDL_WORKSPACE_SIZET
        | abi::ACL_MDL_WORKSPACE_MEM_OPTIMIZE
        | abi::ACL_MDL_MEM_MALLOC_POLICY_SIZET => Value::Word,
        abi::ACL_MDL_PATH_PTR => Value::Text,
        abi::ACL_MDL_INPUTQ_NUM_SIZET
        | abi::ACL_MDL_INPUTQ_ADDR_PTR
        | abi::ACL_MDL_OUTPUTQ_NUM_SIZET
        | abi::ACL_MDL_OUTPUTQ_ADDR_PTR => Value::Refused(QUEUES),
        abi::ACL_MDL_WEIGHT_PATH_PTR => Value::Refused(WEIGHTS),
        abi::ACL_MDL_MODEL_DESC_PTR..=abi::ACL_MDL_DYNAMIC_TASK_SIZET
        | abi::ACL_MDL_FIFO_PTR
        | abi::ACL_MDL_FIFO_SIZET => Value::Refused(PARTS),
        abi::ACL_NPU_PERF_MODE => Value::Refused(HARDWARE),
        _ => return None,
    })
}

fn run_option(attr: abi::aclmdlExecConfigAttr) -> Option<Value> {
    Some(match attr {
        abi::ACL_MDL_STREAM_SYNC_TIMEOUT
        | abi::ACL_MDL_EVENT_SYNC_TIMEOUT
        | abi::ACL_MDL_EXEC_PRIORITY_INT32 => Value::Int32,
        abi::ACL_MDL_WORK_ADDR_PTR | abi::ACL_MDL_WORK_SIZET => Value::Word,
        abi::ACL_MDL_MPAIMID_SIZET
        | abi::ACL_MDL_AICQOS_SIZET
        | abi::ACL_MDL_AICOST_SIZET
        | abi::ACL_MDL_MEC_TIMETHR_SIZET
        | abi::ACL_MDL_NPU_PERF_MODE => Value::Refused(HARDWARE),
        _ => return None,
    })
}

/// The value of an option.
enum OptionValue {
    Int(i32),
    Word(u64),
    Text(String),
}

/// Reads an option's value.
///
/// # Safety
/// `place` is null or points to `size` bytes that hold a value of the option's type.
unsafe fn given(
    attr: c_int,
    kind: Option<Value>,
    place: *const c_void,
    size: usize,
) -> Result<OptionValue, CallError> {
    not_null(place, "attrValue")?;
    let Some(kind) = kind else {
        return bad_value(
            "attr",
            attr,
            "it must be one of the options that the header lists",
        );
    };
    let wanted = match kind {
        Value::Int32 => size_of::<i32>(),
        Value::Word | Value::Text => size_of::<u64>(),
        Value::Refused(reason) => {
            return Err(CallError::coded(
                abi::ACL_ERROR_API_NOT_SUPPORT,
                format!("option {attr} is not supported by this version of Millpond: {reason}"),
            ));
        }
    };
    if size != wanted {
        return Err(CallError::coded(
            abi::ACL_ERROR_INVALID_PARAM,
            format!(
                "the argument 'valueSize' is {size}, but must be {wanted} bytes for option {attr}"
            ),
        ));
    }
    Ok(match kind {
        Value::Int32 => {
            // SAFETY: as many bytes as the option's type has, as the caller promises.
            OptionValue::Int(unsafe { boundary::read(place.cast::<i32>(), "attrValue") }?)
        }
        Value::Text => {
            // SAFETY: as above.
            let start = unsafe { boundary::read(place.cast::<*const c_char>(), "attrValue") }?;
            // SAFETY: this option's value is the address of a text, by the header's contract.
            OptionValue::Text(unsafe { text(start, "attrValue") }?)
        }
        // SAFETY: as above.
        _ => OptionValue::Word(unsafe { boundary::read(place.cast::<u64>(), "attrValue") }?),
    })
}

/// The options in an argument.
pub(crate) fn load_options(
    handle: *const abi::aclmdlConfigHandle,
    argument: &'static str,
) -> Result<LoadOptions, CallError> {
    let options = resolve(&LOAD_OPTIONS, Kind::LoadOptions, handle.cast(), argument)?;
    let options = options.lock().clone();
    Ok(options)
}

/// The options in an argument; NULL means none.
pub(crate) fn run_options(
    handle: *const abi::aclmdlExecConfigHandle,
    argument: &'static str,
) -> Result<RunOptions, CallError> {
    if handle.is_null() {
        return Ok(RunOptions::default());
    }
    let options = resolve(&RUN_OPTIONS, Kind::RunOptions, handle.cast(), argument)?;
    let options = options.lock().clone();
    Ok(options)
}

/// Creates a set of options for loading, with nothing set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlCreateConfigHandle() -> *mut abi::aclmdlConfigHandle {
    value_entry("aclmdlCreateConfigHandle", std::ptr::null_mut(), || {
        Ok(pointer(mint(&LOAD_OPTIONS, Kind::LoadOptions, Mutex::default())?).cast())
    })
}
const _: abi::aclmdlCreateConfigHandleFn = aclmdlCreateConfigHandle;

/// Ends a set of options for loading.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlDestroyConfigHandle(
    handle: *mut abi::aclmdlConfigHandle,
) -> abi::aclError {
    entry("aclmdlDestroyConfigHandle", || {
        withdraw(&LOAD_OPTIONS, Kind::LoadOptions, handle.cast(), "handle").map(drop)
    })
}
const _: abi::aclmdlDestroyConfigHandleFn = aclmdlDestroyConfigHandle;

/// Sets one option for loading. A path is copied; memory is only named.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlSetConfigOpt(
    handle: *mut abi::aclmdlConfigHandle,
    attr: abi::aclmdlConfigAttr,
    attrValue: *const c_void,
    valueSize: usize,
) -> abi::aclError {
    entry("aclmdlSetConfigOpt", || {
        let options = resolve(&LOAD_OPTIONS, Kind::LoadOptions, handle.cast(), "handle")?;
        // SAFETY: the header's contract for these arguments.
        let given = unsafe { given(attr, load_option(attr), attrValue, valueSize) }?;
        let mut options = options.lock();
        match given {
            OptionValue::Text(path) => options.path = Some(path),
            OptionValue::Word(word) => drop(options.numbers.insert(attr, word)),
            OptionValue::Int(number) => {
                let word = i64::from(number).cast_unsigned();
                options.numbers.insert(attr, word);
            }
        }
        Ok(())
    })
}
const _: abi::aclmdlSetConfigOptFn = aclmdlSetConfigOpt;

/// Creates a set of options for running, with nothing set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlCreateExecConfigHandle() -> *mut abi::aclmdlExecConfigHandle {
    value_entry("aclmdlCreateExecConfigHandle", std::ptr::null_mut(), || {
        Ok(pointer(mint(&RUN_OPTIONS, Kind::RunOptions, Mutex::default())?).cast())
    })
}
const _: abi::aclmdlCreateExecConfigHandleFn = aclmdlCreateExecConfigHandle;

/// Ends a set of options for running.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlDestroyExecConfigHandle(
    handle: *const abi::aclmdlExecConfigHandle,
) -> abi::aclError {
    entry("aclmdlDestroyExecConfigHandle", || {
        withdraw(&RUN_OPTIONS, Kind::RunOptions, handle.cast(), "handle").map(drop)
    })
}
const _: abi::aclmdlDestroyExecConfigHandleFn = aclmdlDestroyExecConfigHandle;

/// Sets one option for running.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlSetExecConfigOpt(
    handle: *mut abi::aclmdlExecConfigHandle,
    attr: abi::aclmdlExecConfigAttr,
    attrValue: *const c_void,
    valueSize: usize,
) -> abi::aclError {
    entry("aclmdlSetExecConfigOpt", || {
        let options = resolve(&RUN_OPTIONS, Kind::RunOptions, handle.cast(), "handle")?;
        // SAFETY: the header's contract for these arguments.
        let given = unsafe { given(attr, run_option(attr), attrValue, valueSize) }?;
        let mut options = options.lock();
        match given {
            OptionValue::Int(number) if attr == abi::ACL_MDL_STREAM_SYNC_TIMEOUT => {
                options.patience = Some(number);
            }
            OptionValue::Int(number) => {
                let word = i64::from(number).cast_unsigned();
                options.numbers.insert(attr, word);
            }
            OptionValue::Word(word) => drop(options.numbers.insert(attr, word)),
            // No option for running is a text.
            OptionValue::Text(_) => {}
        }
        Ok(())
    })
}
const _: abi::aclmdlSetExecConfigOptFn = aclmdlSetExecConfigOpt;
