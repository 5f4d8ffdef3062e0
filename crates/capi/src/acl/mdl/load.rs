//! Loading and unloading models.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_void};
use std::path::Path;

use millpond::WorkspaceSource;
use millpond_abi as abi;
use millpond_trace::Bytes;

use super::file::File;
use super::{models, options};
use crate::boundary::{CallError, bad_value, entry, out};
use crate::handles::{host_pointer, pointer};

/// Reported sizes are multiples of this, and never 0: programs allocate the reported size, and there is no
/// allocation of nothing.
const STEP: u64 = 512;

fn reported_size(bytes: u64) -> usize {
    let bytes = bytes.max(1).next_multiple_of(STEP);
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Memory that a program offers a model.
#[derive(Debug, Clone, Copy)]
struct Offer {
    address: *mut c_void,
    bytes: usize,
}

impl Offer {
    /// Checks that it is large enough. NULL means none.
    fn check(
        self,
        wanted: usize,
        place: &'static str,
        size: &'static str,
    ) -> Result<(), CallError> {
        if self.address.is_null() {
            if self.bytes > 0 {
                return Err(CallError::null(place));
            }
            return Ok(());
        }
        if self.bytes < wanted {
            return Err(CallError::coded(
                abi::ACL_ERROR_INVALID_PARAM,
                format!(
                    "the argument '{size}' is {}, but must be at least the {wanted} bytes of aclmdlQuerySize",
                    self.bytes
                ),
            ));
        }
        Ok(())
    }
}

fn weight_size(file: &File) -> usize {
    reported_size(file.weight_bytes)
}

/// Work memory serves the runs of the model. Weights stay with the engine, which keeps them in an order of its
/// own: the memory for them has to be large enough, and live as long as the model runs, and is left as it is.
fn load_with(file: File, work: Offer, weights: Offer) -> Result<u32, CallError> {
    weights.check(weight_size(&file), "weightPtr", "weightSize")?;
    let given = (!work.address.is_null()).then(|| WorkspaceSource::Provided {
        address: work.address.addr() as u64,
        bytes: work.bytes as u64,
    });
    let weights = (!weights.address.is_null()).then(|| Bytes {
        start: weights.address.addr() as u64,
        bytes: weights.bytes as u64,
    });
    let memory = models::Memory { given, weights };
    models::load(file, memory, |model| {
        work.check(
            reported_size(models::work_size_of(model)),
            "workPtr",
            "workSize",
        )
    })
}

/// Loads the model in a file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlLoadFromFile(
    modelPath: *const c_char,
    modelId: *mut u32,
) -> abi::aclError {
    entry("aclmdlLoadFromFile", || {
        let out = out!(modelId);
        // SAFETY: the header's contract for this argument.
        out.write(models::load_plainly(unsafe {
            File::at(modelPath, "modelPath")
        }?)?);
        Ok(())
    })
}
const _: abi::aclmdlLoadFromFileFn = aclmdlLoadFromFile;

/// Loads a model from memory, which is free again when the call ends.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlLoadFromMem(
    model: *const c_void,
    modelSize: usize,
    modelId: *mut u32,
) -> abi::aclError {
    entry("aclmdlLoadFromMem", || {
        let out = out!(modelId);
        // SAFETY: the header's contract for these arguments.
        out.write(models::load_plainly(unsafe {
            File::in_memory(model, modelSize)
        }?)?);
        Ok(())
    })
}
const _: abi::aclmdlLoadFromMemFn = aclmdlLoadFromMem;

/// Loads the model in a file. The memory that the program offers for work serves its runs; that
/// for weights has to be large enough, and is left as it is: the engine has its own.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlLoadFromFileWithMem(
    modelPath: *const c_char,
    modelId: *mut u32,
    workPtr: *mut c_void,
    workSize: usize,
    weightPtr: *mut c_void,
    weightSize: usize,
) -> abi::aclError {
    entry("aclmdlLoadFromFileWithMem", || {
        let out = out!(modelId);
        // SAFETY: the header's contract for this argument.
        let file = unsafe { File::at(modelPath, "modelPath") }?;
        let work = Offer {
            address: workPtr,
            bytes: workSize,
        };
        let weights = Offer {
            address: weightPtr,
            bytes: weightSize,
        };
        out.write(load_with(file, work, weights)?);
        Ok(())
    })
}
const _: abi::aclmdlLoadFromFileWithMemFn = aclmdlLoadFromFileWithMem;

/// The same for a model in memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlLoadFromMemWithMem(
    model: *const c_void,
    modelSize: usize,
    modelId: *mut u32,
    workPtr: *mut c_void,
    workSize: usize,
    weightPtr: *mut c_void,
    weightSize: usize,
) -> abi::aclError {
    entry("aclmdlLoadFromMemWithMem", || {
        let out = out!(modelId);
        // SAFETY: the header's contract for these arguments.
        let file = unsafe { File::in_memory(model, modelSize) }?;
        let work = Offer {
            address: workPtr,
            bytes: workSize,
        };
        let weights = Offer {
            address: weightPtr,
            bytes: weightSize,
        };
        out.write(load_with(file, work, weights)?);
        Ok(())
    })
}
const _: abi::aclmdlLoadFromMemWithMemFn = aclmdlLoadFromMemWithMem;

/// Loads a model as a set of options says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlLoadWithConfig(
    handle: *const abi::aclmdlConfigHandle,
    modelId: *mut u32,
) -> abi::aclError {
    entry("aclmdlLoadWithConfig", || {
        let out = out!(modelId);
        let options = options::load_options(handle, "handle")?;
        let number = |attr| options.number(attr).unwrap_or(0);
        let size = |attr| usize::try_from(number(attr)).unwrap_or(usize::MAX);
        let offer = |address, bytes| Offer {
            address: pointer(number(address)),
            bytes: size(bytes),
        };
        let missing = |what: &str| {
            let text =
                format!("the options in 'handle' do not set {what}: call aclmdlSetConfigOpt first");
            CallError::coded(abi::ACL_ERROR_INVALID_PARAM, text)
        };
        let how = options.number(abi::ACL_MDL_LOAD_TYPE_SIZET);
        let how = how.ok_or_else(|| missing("how to load (ACL_MDL_LOAD_TYPE_SIZET)"))?;
        let how = usize::try_from(how).unwrap_or(usize::MAX);
        let file = match how {
            abi::ACL_MDL_LOAD_FROM_FILE | abi::ACL_MDL_LOAD_FROM_FILE_WITH_MEM => {
                let path = options.path.as_deref();
                let path = path.ok_or_else(|| missing("which file (ACL_MDL_PATH_PTR)"))?;
                File::read(Path::new(path))?
            }
            abi::ACL_MDL_LOAD_FROM_MEM | abi::ACL_MDL_LOAD_FROM_MEM_WITH_MEM => {
                let start = options.number(abi::ACL_MDL_MEM_ADDR_PTR);
                let start =
                    start.ok_or_else(|| missing("where the model is (ACL_MDL_MEM_ADDR_PTR)"))?;
                let start: *mut c_void = host_pointer(start);
                // SAFETY: the options name a model in memory, by the header's contract.
                unsafe { File::in_memory(start, size(abi::ACL_MDL_MEM_SIZET)) }?
            }
            abi::ACL_MDL_LOAD_FROM_FILE_WITH_Q | abi::ACL_MDL_LOAD_FROM_MEM_WITH_Q => {
                return Err(CallError::coded(
                    abi::ACL_ERROR_API_NOT_SUPPORT,
                    "not supported by this version of Millpond: models that are fed from queues",
                ));
            }
            other => {
                return bad_value("ACL_MDL_LOAD_TYPE_SIZET", other, "it must be from 1 to 6");
            }
        };
        let with_memory = [
            abi::ACL_MDL_LOAD_FROM_FILE_WITH_MEM,
            abi::ACL_MDL_LOAD_FROM_MEM_WITH_MEM,
        ];
        let id = if with_memory.contains(&how) {
            let work = offer(
                abi::ACL_MDL_WORKSPACE_ADDR_PTR,
                abi::ACL_MDL_WORKSPACE_SIZET,
            );
            let weights = offer(abi::ACL_MDL_WEIGHT_ADDR_PTR, abi::ACL_MDL_WEIGHT_SIZET);
            load_with(file, work, weights)?
        } else {
            models::load_plainly(file)?
        };
        out.write(id);
        Ok(())
    })
}
const _: abi::aclmdlLoadWithConfigFn = aclmdlLoadWithConfig;

/// Takes a model's number away. Runs of it that are queued still run.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlUnload(modelId: u32) -> abi::aclError {
    entry("aclmdlUnload", || models::unload(modelId))
}
const _: abi::aclmdlUnloadFn = aclmdlUnload;

/// What is asked for beside the work itself: room to begin at a good place.
const LEAST: u64 = 64;

/// # Safety
/// The places are null or point to numbers.
unsafe fn write_sizes(
    file: impl FnOnce() -> Result<File, CallError>,
    workSize: *mut usize,
    weightSize: *mut usize,
) -> Result<(), CallError> {
    let (work, weights) = (out!(workSize), out!(weightSize));
    let file = file()?;
    // Programs allocate the reported size, and 0 bytes cannot be allocated.
    work.write(reported_size(models::work_size(&file)? + LEAST));
    weights.write(weight_size(&file));
    Ok(())
}

/// Bytes of memory that a program may offer the model in a file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlQuerySize(
    fileName: *const c_char,
    workSize: *mut usize,
    weightSize: *mut usize,
) -> abi::aclError {
    entry("aclmdlQuerySize", || {
        // SAFETY: the header's contract for this argument.
        let file = || unsafe { File::at(fileName, "fileName") };
        // SAFETY: the header's contract for the places.
        unsafe { write_sizes(file, workSize, weightSize) }
    })
}
const _: abi::aclmdlQuerySizeFn = aclmdlQuerySize;

/// The same for a model in memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlQuerySizeFromMem(
    model: *const c_void,
    modelSize: usize,
    workSize: *mut usize,
    weightSize: *mut usize,
) -> abi::aclError {
    entry("aclmdlQuerySizeFromMem", || {
        // SAFETY: the header's contract for these arguments.
        let file = || unsafe { File::in_memory(model, modelSize) };
        // SAFETY: the header's contract for the places.
        unsafe { write_sizes(file, workSize, weightSize) }
    })
}
const _: abi::aclmdlQuerySizeFromMemFn = aclmdlQuerySizeFromMem;
