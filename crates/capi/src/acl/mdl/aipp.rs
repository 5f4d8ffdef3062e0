//! Image preprocessing that is compiled into a model: which inputs have it, and what it does.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::sync::Arc;

use millpond_abi as abi;
use millpond_model::aipp::{Aipp, ImageFormat};

use super::describe::dims_of;
use super::description::{Port, bytes_of};
use super::models::{self, Loaded};
use crate::boundary::{CallError, bad_value, entry, out};

/// The input of a loaded model, and the model, which it lives in.
fn input(id: u32, index: usize) -> Result<(Arc<Loaded>, usize), CallError> {
    let model = models::find(id)?;
    if index >= model.description.inputs.len() {
        return bad_value(
            "index",
            index,
            "it must be below the number of inputs of the model",
        );
    }
    Ok((model, index))
}

/// Whether an input is an image that the model preprocesses.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetAippType(
    modelId: u32,
    index: usize,
    r#type: *mut abi::aclmdlInputAippType,
    dynamicAttachedDataIndex: *mut usize,
) -> abi::aclError {
    entry("aclmdlGetAippType", || {
        let (kind, attached) = (out!(r#type), out!(dynamicAttachedDataIndex));
        let (model, index) = input(modelId, index)?;
        kind.write(match &model.description.inputs[index].aipp {
            Some(_) => abi::ACL_DATA_WITH_STATIC_AIPP,
            None => abi::ACL_DATA_WITHOUT_AIPP,
        });
        attached.write(abi::ACL_INVALID_NODE_INDEX as usize);
        Ok(())
    })
}
const _: abi::aclmdlGetAippTypeFn = aclmdlGetAippType;

/// What the preprocessing of an input does.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlGetFirstAippInfo(
    modelId: u32,
    index: usize,
    aippInfo: *mut abi::aclAippInfo,
) -> abi::aclError {
    entry("aclmdlGetFirstAippInfo", || {
        let out = out!(aippInfo);
        let (model, index) = input(modelId, index)?;
        let port = &model.description.inputs[index];
        let Some(aipp) = &port.aipp else {
            return Err(CallError::coded(
                abi::ACL_ERROR_NOT_STATIC_AIPP,
                format!(
                    "input {index} has no image preprocessing: compile the model with --insert_op_conf"
                ),
            ));
        };
        let mut info = describe(aipp);
        info.srcDimNum = port.dims.len();
        let shapes = match &model.description.gears {
            Some(gears) => (0..gears.rows().len())
                .map(|gear| gears.shapes(gear)[index].clone())
                .collect(),
            None => vec![port.dims.clone()],
        };
        info.shapeCount = shapes.len().min(abi::ACL_MAX_SHAPE_COUNT);
        for (place, dims) in info.outDims.iter_mut().zip(&shapes) {
            *place = sizes(port, aipp, dims);
        }
        out.write(*info);
        Ok(())
    })
}
const _: abi::aclmdlGetFirstAippInfoFn = aclmdlGetFirstAippInfo;

/// The shape of an image, and of what it becomes.
fn sizes(port: &Port, aipp: &Aipp, dims: &[i64]) -> abi::aclAippDims {
    let batch = dims.first().copied().unwrap_or(1);
    let [channels, rows, columns] = aipp.result;
    let after = [batch, channels, rows, columns];
    abi::aclAippDims {
        srcDims: dims_of(port.name(), dims),
        srcSize: bytes_of(dims, port.element).unwrap_or(0),
        aippOutdims: dims_of(port.name(), &after),
        aippOutSize: bytes_of(&after, aipp.element).unwrap_or(0),
    }
}

fn narrow(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

fn describe(aipp: &Aipp) -> Box<abi::aclAippInfo> {
    // SAFETY: it has only numbers and one pointer, for which zero is a value.
    let mut info: Box<abi::aclAippInfo> =
        unsafe { Box::<abi::aclAippInfo>::new_zeroed().assume_init() };
    info.inputFormat = match aipp.format {
        ImageFormat::Yuv420Sp => abi::ACL_YUV420SP_U8,
        ImageFormat::Xrgb8888 => abi::ACL_XRGB8888_U8,
        ImageFormat::Rgb888 => abi::ACL_RGB888_U8,
        ImageFormat::Yuv400 => abi::ACL_YUV400_U8,
    };
    (info.srcImageSizeW, info.srcImageSizeH) = (narrow(aipp.width), narrow(aipp.height));
    if let Some(crop) = aipp.crop {
        info.cropSwitch = 1;
        (info.loadStartPosW, info.loadStartPosH) = (narrow(crop.left), narrow(crop.top));
        (info.cropSizeW, info.cropSizeH) = (narrow(crop.width), narrow(crop.height));
    }
    if let Some((padding, _)) = aipp.padding {
        info.paddingSwitch = 1;
        (info.leftPaddingSize, info.rightPaddingSize) =
            (narrow(padding.left), narrow(padding.right));
        (info.topPaddingSize, info.bottomPaddingSize) =
            (narrow(padding.top), narrow(padding.bottom));
    }
    info.rbuvSwapSwitch = aipp.swaps_colours.into();
    info.axSwapSwitch = aipp.swaps_alpha.into();
    if let Some(conversion) = aipp.conversion {
        let (matrix, before, after) = (conversion.matrix, conversion.before, conversion.after);
        info.cscSwitch = 1;
        [info.matrixR0C0, info.matrixR0C1, info.matrixR0C2] = matrix[0];
        [info.matrixR1C0, info.matrixR1C1, info.matrixR1C2] = matrix[1];
        [info.matrixR2C0, info.matrixR2C1, info.matrixR2C2] = matrix[2];
        [info.outputBias0, info.outputBias1, info.outputBias2] = after;
        [info.inputBias0, info.inputBias1, info.inputBias2] = before;
    }
    [info.meanChn0, info.meanChn1, info.meanChn2, info.meanChn3] = aipp.mean;
    [info.minChn0, info.minChn1, info.minChn2, info.minChn3] = aipp.least;
    [
        info.varReciChn0,
        info.varReciChn1,
        info.varReciChn2,
        info.varReciChn3,
    ] = aipp.factor;
    info.srcFormat = abi::ACL_FORMAT_NCHW;
    info.srcDatatype = aipp.element.acl();
    info
}
