//! Gears: the few shapes that a model was compiled for, and the choice among them before a run.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::sync::Arc;

use millpond_abi as abi;
use millpond_model::shapes::GearKind;
use millpond_trace::{Accesses, Bytes, Operation, Outcome, TaskKind};

use super::describe::{self, dims_of};
use super::description::{Description, Geared};
use super::{dataset, models};
use crate::acl::data_buffer;
use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::process;

/// The gears of a description, if they are of this kind.
fn of_kind(description: &Description, kind: GearKind) -> Option<&Geared> {
    description
        .gears
        .as_ref()
        .filter(|gears| gears.kind() == kind)
}

/// The batch sizes that a model was compiled for; none for other models.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetDynamicBatch(
    modelDesc: *const abi::aclmdlDesc,
    batch: *mut abi::aclmdlBatch,
) -> abi::aclError {
    entry("aclmdlGetDynamicBatch", || {
        let out = out!(batch);
        let (description, _) = describe::of(modelDesc)?;
        let mut batch = abi::aclmdlBatch {
            batchCount: 0,
            batch: [0; abi::ACL_MAX_BATCH_NUM],
        };
        let rows = of_kind(&description, GearKind::Batch).map_or(&[][..], Geared::rows);
        for (place, row) in batch.batch.iter_mut().zip(rows) {
            *place = row.first().map_or(0, |value| value.unsigned_abs());
            batch.batchCount += 1;
        }
        out.write(batch);
        Ok(())
    })
}
const _: abi::aclmdlGetDynamicBatchFn = aclmdlGetDynamicBatch;

/// The image sizes that a model was compiled for; none for other models.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetDynamicHW(
    modelDesc: *const abi::aclmdlDesc,
    _index: usize,
    hw: *mut abi::aclmdlHW,
) -> abi::aclError {
    entry("aclmdlGetDynamicHW", || {
        let out = out!(hw);
        let (description, _) = describe::of(modelDesc)?;
        let mut hw = abi::aclmdlHW {
            hwCount: 0,
            hw: [[0; 2]; abi::ACL_MAX_HW_NUM],
        };
        let rows = of_kind(&description, GearKind::Image).map_or(&[][..], Geared::rows);
        for (place, row) in hw.hw.iter_mut().zip(rows) {
            for (place, value) in place.iter_mut().zip(row) {
                *place = value.unsigned_abs();
            }
            hw.hwCount += 1;
        }
        out.write(hw);
        Ok(())
    })
}
const _: abi::aclmdlGetDynamicHWFn = aclmdlGetDynamicHW;

/// How many sets of dimensions a model was compiled for; 0 for other models.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputDynamicGearCount(
    modelDesc: *const abi::aclmdlDesc,
    _index: usize,
    gearCount: *mut usize,
) -> abi::aclError {
    entry("aclmdlGetInputDynamicGearCount", || {
        let out = out!(gearCount);
        let (description, _) = describe::of(modelDesc)?;
        out.write(of_kind(&description, GearKind::Dims).map_or(0, |gears| gears.rows().len()));
        Ok(())
    })
}
const _: abi::aclmdlGetInputDynamicGearCountFn = aclmdlGetInputDynamicGearCount;

/// The dimensions of all inputs, one behind the other, for each set that a model was compiled for.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetInputDynamicDims(
    modelDesc: *const abi::aclmdlDesc,
    _index: usize,
    dims: *mut abi::aclmdlIODims,
    gearCount: usize,
) -> abi::aclError {
    entry("aclmdlGetInputDynamicDims", || {
        not_null(dims, "dims")?;
        let (description, _) = describe::of(modelDesc)?;
        let gears = of_kind(&description, GearKind::Dims);
        let count = gears.map_or(0, |gears| gears.rows().len());
        if gearCount < count {
            return bad_value(
                "gearCount",
                gearCount,
                "it must be at least what aclmdlGetInputDynamicGearCount returns",
            );
        }
        for gear in 0..count {
            let shapes = gears.map(|gears| gears.shapes(gear).concat());
            let shown = dims_of(c"", &shapes.unwrap_or_default());
            // SAFETY: the caller says that there is room for `gearCount` structures, and that is enough.
            unsafe { boundary::put(dims, gear, shown) };
        }
        Ok(())
    })
}
const _: abi::aclmdlGetInputDynamicDimsFn = aclmdlGetInputDynamicDims;

/// The shape of an output in the gear that was chosen last.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetCurOutputDims(
    modelDesc: *const abi::aclmdlDesc,
    index: usize,
    dims: *mut abi::aclmdlIODims,
) -> abi::aclError {
    entry("aclmdlGetCurOutputDims", || {
        let out = out!(dims);
        let (description, model) = describe::of(modelDesc)?;
        let Some(port) = description.outputs.get(index) else {
            return bad_value(
                "index",
                index,
                "it must be below the number of outputs of the model",
            );
        };
        if description.is_ranged() {
            return Err(CallError::coded(
                abi::ACL_ERROR_API_NOT_SUPPORT,
                "the shapes of this model's outputs depend on the run: read them with \
                 aclmdlGetDatasetTensorDesc after it",
            ));
        }
        if description.gears.is_none() {
            out.write(dims_of(port.name(), &port.dims));
            return Ok(());
        }
        let Some(model) = model else {
            return bad_value(
                "modelDesc",
                "the description of a model that is not loaded",
                "gears can be chosen only for a loaded model: use aclmdlGetDesc",
            );
        };
        let loaded = models::find(model)?;
        let Some(gear) = *loaded.gear.lock() else {
            return bad_value(
                "modelDesc",
                "the description of a model without a chosen gear",
                "a gear must be chosen first, for example with aclmdlSetDynamicBatchSize",
            );
        };
        let shapes = loaded
            .geared()?
            .get(gear)
            .and_then(|shapes| shapes.get(index));
        out.write(dims_of(port.name(), shapes.map_or(&[], Vec::as_slice)));
        Ok(())
    })
}
const _: abi::aclmdlGetCurOutputDimsFn = aclmdlGetCurOutputDims;

/// Chooses a gear for the next runs with a dataset.
fn choose(
    modelId: u32,
    dataset: *mut abi::aclmdlDataset,
    index: usize,
    kind: GearKind,
    find: impl FnOnce(&Geared) -> Result<usize, CallError>,
) -> Result<(), CallError> {
    let dataset = dataset::find(dataset, "dataset")?;
    let loaded = models::find(modelId)?;
    let description = Arc::clone(&loaded.description);
    let Some(gears) = of_kind(&description, kind) else {
        return Err(CallError::coded(
            abi::ACL_ERROR_MODEL_NOT_DYNAMIC,
            format!("the model was not compiled with {}", kind.option()),
        ));
    };
    let place = description.inputs.len() - 1;
    if index != place {
        return Err(CallError::coded(
            abi::ACL_ERROR_INVALID_PARAM,
            format!(
                "the argument 'index' is {index}, but gears are chosen by input {place}, ACL_DYNAMIC_TENSOR_NAME"
            ),
        ));
    }
    let mut dataset = dataset.lock();
    let Some(buffer) = dataset.entries.get(index) else {
        return bad_value(
            "index",
            index,
            "it must be below the number of buffers of the dataset",
        );
    };
    let extent = data_buffer::find(buffer.buffer(), "dataset")?.extent();
    if extent.address == 0 {
        return Err(CallError::coded(
            abi::ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID,
            format!("the buffer of input {index}, which chooses the gear, is NULL"),
        ));
    }
    let wanted = description.inputs.last().map_or(0, |port| port.bytes);
    if extent.bytes < wanted {
        return Err(CallError::coded(
            abi::ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID,
            format!(
                "the buffer of input {index}, which chooses the gear, has {} bytes instead of {wanted}",
                extent.bytes
            ),
        ));
    }
    let gear = find(gears)?;
    dataset.gear = Some((modelId, gear));
    *loaded.gear.lock() = Some(gear);
    record_chosen(extent.address, wanted as u64);
    Ok(())
}

/// Tells that a choice was written into its input. No run reads it from there, because the dataset knows it, but the program
/// has to have memory for it.
fn record_chosen(address: u64, bytes: u64) {
    process::emit(|| Operation::Moved {
        accesses: Accesses {
            writes: [Bytes {
                start: address,
                bytes,
            }
            .into()]
            .into_iter()
            .collect(),
            ..Accesses::none(TaskKind::Fill)
        },
        outcome: Outcome::Done,
    });
}

/// What is wrong with values that no gear has.
fn no_gear(code: abi::aclError, values: &[i64], gears: &Geared) -> CallError {
    let rows: Vec<String> = gears.rows().iter().map(|row| format!("{row:?}")).collect();
    CallError::coded(
        code,
        format!(
            "the model was not compiled for {values:?}; it was compiled for {}",
            rows.join(", ")
        ),
    )
}

/// A value as gears have it.
fn value(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Chooses a batch size.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlSetDynamicBatchSize(
    modelId: u32,
    dataset: *mut abi::aclmdlDataset,
    index: usize,
    batchSize: u64,
) -> abi::aclError {
    entry("aclmdlSetDynamicBatchSize", || {
        if batchSize == 0 {
            return bad_value("batchSize", batchSize, "it must be at least 1");
        }
        choose(modelId, dataset, index, GearKind::Batch, |gears| {
            let values = [value(batchSize)];
            let code = abi::ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID;
            gears
                .find(&values)
                .ok_or_else(|| no_gear(code, &values, gears))
        })
    })
}
const _: abi::aclmdlSetDynamicBatchSizeFn = aclmdlSetDynamicBatchSize;

/// Chooses an image size.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlSetDynamicHWSize(
    modelId: u32,
    dataset: *mut abi::aclmdlDataset,
    index: usize,
    height: u64,
    width: u64,
) -> abi::aclError {
    entry("aclmdlSetDynamicHWSize", || {
        if height == 0 || width == 0 {
            return bad_value(
                "height and width",
                format!("{height} and {width}"),
                "both must be at least 1",
            );
        }
        choose(modelId, dataset, index, GearKind::Image, |gears| {
            let values = [value(height), value(width)];
            let code = abi::ACL_ERROR_GE_PARAM_INVALID;
            gears
                .find(&values)
                .ok_or_else(|| no_gear(code, &values, gears))
        })
    })
}
const _: abi::aclmdlSetDynamicHWSizeFn = aclmdlSetDynamicHWSize;

/// Chooses the dimensions of all inputs, given one behind the other.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlSetInputDynamicDims(
    modelId: u32,
    dataset: *mut abi::aclmdlDataset,
    index: usize,
    dims: *const abi::aclmdlIODims,
) -> abi::aclError {
    entry("aclmdlSetInputDynamicDims", || {
        // SAFETY: the header's contract for this argument.
        let dims = unsafe { boundary::read(dims, "dims") }?;
        let Some(values) = dims.dims.get(..dims.dimCount) else {
            return bad_value(
                "dims",
                format!("of {} dimensions", dims.dimCount),
                "at most 128 are supported",
            );
        };
        choose(modelId, dataset, index, GearKind::Dims, |gears| {
            let code = abi::ACL_ERROR_GE_PARAM_INVALID;
            gears
                .find_dims(values)
                .ok_or_else(|| no_gear(code, values, gears))
        })
    })
}
const _: abi::aclmdlSetInputDynamicDimsFn = aclmdlSetInputDynamicDims;
