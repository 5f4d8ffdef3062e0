//! The functions that this version does not support.
//!
//! Each returns an error, or the value that means *nothing*, and leaves its reason for
//! `aclGetRecentErrMsg`. Generated from `compatibility.tsv` and `extra_symbols.tsv` by
//! `cargo xtask generate`: change the tables, not this file.

#![expect(unsafe_code, reason = "exported symbols have their C names")]
#![allow(non_snake_case, reason = "names are the C names")]
#![allow(clippy::too_many_arguments, reason = "signatures are the C signatures")]

use core::ffi::{c_char, c_int, c_void};
use core::ptr::{null, null_mut};

use millpond_abi as abi;

use crate::boundary::{refused, refused_feature, refused_value};

// acl/acl_mdl.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlGetOpAttr(
    _modelDesc: *mut abi::aclmdlDesc,
    _opName: *const c_char,
    _attr: *const c_char,
) -> *const c_char {
    refused_value(
        "aclmdlGetOpAttr",
        "models are ONNX graphs and have no vendor operators with attributes",
        null(),
    )
}
const _: abi::aclmdlGetOpAttrFn = aclmdlGetOpAttr;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlQueryExeOMDesc(
    _fileName: *const c_char,
    _mdlPartitionSize: *mut abi::aclmdlExeOMDesc,
) -> abi::aclError {
    refused(
        "aclmdlQueryExeOMDesc",
        "its parts exist only in a model for an NPU; use aclmdlQuerySize",
    )
}
const _: abi::aclmdlQueryExeOMDescFn = aclmdlQueryExeOMDesc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlLoadFromFileWithQ(
    _modelPath: *const c_char,
    _modelId: *mut u32,
    _inputQ: *const u32,
    _inputQNum: usize,
    _outputQ: *const u32,
    _outputQNum: usize,
) -> abi::aclError {
    refused(
        "aclmdlLoadFromFileWithQ",
        "feeding models from queues is not supported",
    )
}
const _: abi::aclmdlLoadFromFileWithQFn = aclmdlLoadFromFileWithQ;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlLoadFromMemWithQ(
    _model: *const c_void,
    _modelSize: usize,
    _modelId: *mut u32,
    _inputQ: *const u32,
    _inputQNum: usize,
    _outputQ: *const u32,
    _outputQNum: usize,
) -> abi::aclError {
    refused(
        "aclmdlLoadFromMemWithQ",
        "feeding models from queues is not supported",
    )
}
const _: abi::aclmdlLoadFromMemWithQFn = aclmdlLoadFromMemWithQ;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlLoadFromModel(
    _model: *const abi::aclmdlModel,
    _handle: *const abi::aclmdlConfigHandle,
    _modelId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlLoadFromModel",
        "models are loaded from files and memory only",
    )
}
const _: abi::aclmdlLoadFromModelFn = aclmdlLoadFromModel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetExternalWeightAddress(
    _handle: *mut abi::aclmdlConfigHandle,
    _weightFileName: *const c_char,
    _devPtr: *mut c_void,
    _size: usize,
) -> abi::aclError {
    refused(
        "aclmdlSetExternalWeightAddress",
        "weights must be in the model's own file, or next to it",
    )
}
const _: abi::aclmdlSetExternalWeightAddressFn = aclmdlSetExternalWeightAddress;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAttribute(
    _modelId: u32,
    _attr: abi::aclmdlAttr,
    _attrValue: *mut abi::aclmdlAttrValue_t,
) -> abi::aclError {
    refused(
        "aclmdlSetAttribute",
        "the layout of its argument, aclmdlAttrValue_t, is unknown",
    )
}
const _: abi::aclmdlSetAttributeFn = aclmdlSetAttribute;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlGetAttribute(
    _modelId: u32,
    _attr: abi::aclmdlAttr,
    _attrValue: *mut abi::aclmdlAttrValue_t,
) -> abi::aclError {
    refused(
        "aclmdlGetAttribute",
        "the layout of its argument, aclmdlAttrValue_t, is unknown",
    )
}
const _: abi::aclmdlGetAttributeFn = aclmdlGetAttribute;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlCreateAndGetOpDesc(
    _deviceId: u32,
    _streamId: u32,
    _taskId: u32,
    _opName: *mut c_char,
    _opNameLen: usize,
    _inputDesc: *mut *mut abi::aclTensorDesc,
    _numInputs: *mut usize,
    _outputDesc: *mut *mut abi::aclTensorDesc,
    _numOutputs: *mut usize,
) -> abi::aclError {
    refused(
        "aclmdlCreateAndGetOpDesc",
        "a model is a single task, so there are no operators of tasks to describe",
    )
}
const _: abi::aclmdlCreateAndGetOpDescFn = aclmdlCreateAndGetOpDesc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclRecoverAllHcclTasks(_deviceId: i32) -> abi::aclError {
    refused(
        "aclRecoverAllHcclTasks",
        "recovery from hardware faults is not supported",
    )
}
const _: abi::aclRecoverAllHcclTasksFn = aclRecoverAllHcclTasks;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlCreateAIPP(_batchSize: u64) -> *mut abi::aclmdlAIPP {
    refused_value(
        "aclmdlCreateAIPP",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
        null_mut(),
    )
}
const _: abi::aclmdlCreateAIPPFn = aclmdlCreateAIPP;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlDestroyAIPP(_aippParmsSet: *const abi::aclmdlAIPP) -> abi::aclError {
    refused(
        "aclmdlDestroyAIPP",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlDestroyAIPPFn = aclmdlDestroyAIPP;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlGetAippDataSize(
    _batchSize: u64,
    _size: *mut usize,
) -> abi::aclError {
    refused(
        "aclmdlGetAippDataSize",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlGetAippDataSizeFn = aclmdlGetAippDataSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPInputFormat(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _inputFormat: abi::aclAippInputFormat,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPInputFormat",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPInputFormatFn = aclmdlSetAIPPInputFormat;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPCscParams(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _cscSwitch: i8,
    _cscMatrixR0C0: i16,
    _cscMatrixR0C1: i16,
    _cscMatrixR0C2: i16,
    _cscMatrixR1C0: i16,
    _cscMatrixR1C1: i16,
    _cscMatrixR1C2: i16,
    _cscMatrixR2C0: i16,
    _cscMatrixR2C1: i16,
    _cscMatrixR2C2: i16,
    _cscOutputBiasR0: u8,
    _cscOutputBiasR1: u8,
    _cscOutputBiasR2: u8,
    _cscInputBiasR0: u8,
    _cscInputBiasR1: u8,
    _cscInputBiasR2: u8,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPCscParams",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPCscParamsFn = aclmdlSetAIPPCscParams;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPRbuvSwapSwitch(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _rbuvSwapSwitch: i8,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPRbuvSwapSwitch",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPRbuvSwapSwitchFn = aclmdlSetAIPPRbuvSwapSwitch;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPAxSwapSwitch(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _axSwapSwitch: i8,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPAxSwapSwitch",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPAxSwapSwitchFn = aclmdlSetAIPPAxSwapSwitch;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPSrcImageSize(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _srcImageSizeW: i32,
    _srcImageSizeH: i32,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPSrcImageSize",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPSrcImageSizeFn = aclmdlSetAIPPSrcImageSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPScfParams(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _scfSwitch: i8,
    _scfInputSizeW: i32,
    _scfInputSizeH: i32,
    _scfOutputSizeW: i32,
    _scfOutputSizeH: i32,
    _batchIndex: u64,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPScfParams",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPScfParamsFn = aclmdlSetAIPPScfParams;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPCropParams(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _cropSwitch: i8,
    _cropStartPosW: i32,
    _cropStartPosH: i32,
    _cropSizeW: i32,
    _cropSizeH: i32,
    _batchIndex: u64,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPCropParams",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPCropParamsFn = aclmdlSetAIPPCropParams;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPPaddingParams(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _paddingSwitch: i8,
    _paddingSizeTop: i32,
    _paddingSizeBottom: i32,
    _paddingSizeLeft: i32,
    _paddingSizeRight: i32,
    _batchIndex: u64,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPPaddingParams",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPPaddingParamsFn = aclmdlSetAIPPPaddingParams;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPDtcPixelMean(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _dtcPixelMeanChn0: i16,
    _dtcPixelMeanChn1: i16,
    _dtcPixelMeanChn2: i16,
    _dtcPixelMeanChn3: i16,
    _batchIndex: u64,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPDtcPixelMean",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPDtcPixelMeanFn = aclmdlSetAIPPDtcPixelMean;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPDtcPixelMin(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _dtcPixelMinChn0: f32,
    _dtcPixelMinChn1: f32,
    _dtcPixelMinChn2: f32,
    _dtcPixelMinChn3: f32,
    _batchIndex: u64,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPDtcPixelMin",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPDtcPixelMinFn = aclmdlSetAIPPDtcPixelMin;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPPixelVarReci(
    _aippParmsSet: *mut abi::aclmdlAIPP,
    _dtcPixelVarReciChn0: f32,
    _dtcPixelVarReciChn1: f32,
    _dtcPixelVarReciChn2: f32,
    _dtcPixelVarReciChn3: f32,
    _batchIndex: u64,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPPixelVarReci",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPPixelVarReciFn = aclmdlSetAIPPPixelVarReci;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetInputAIPP(
    _modelId: u32,
    _dataset: *mut abi::aclmdlDataset,
    _index: usize,
    _aippParmsSet: *const abi::aclmdlAIPP,
) -> abi::aclError {
    refused(
        "aclmdlSetInputAIPP",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetInputAIPPFn = aclmdlSetInputAIPP;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetAIPPByInputIndex(
    _modelId: u32,
    _dataset: *mut abi::aclmdlDataset,
    _index: usize,
    _aippParmsSet: *const abi::aclmdlAIPP,
) -> abi::aclError {
    refused(
        "aclmdlSetAIPPByInputIndex",
        "preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the model with static AIPP",
    )
}
const _: abi::aclmdlSetAIPPByInputIndexFn = aclmdlSetAIPPByInputIndex;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleLoadFromFile(
    _modelPath: *const c_char,
    _bundleId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlBundleLoadFromFile",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleLoadFromFileFn = aclmdlBundleLoadFromFile;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleLoadFromMem(
    _model: *const c_void,
    _modelSize: usize,
    _bundleId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlBundleLoadFromMem",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleLoadFromMemFn = aclmdlBundleLoadFromMem;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleUnload(_bundleId: u32) -> abi::aclError {
    refused(
        "aclmdlBundleUnload",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleUnloadFn = aclmdlBundleUnload;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleGetModelNum(
    _bundleId: u32,
    _modelNum: *mut usize,
) -> abi::aclError {
    refused(
        "aclmdlBundleGetModelNum",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleGetModelNumFn = aclmdlBundleGetModelNum;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleGetModelId(
    _bundleId: u32,
    _index: usize,
    _modelId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlBundleGetModelId",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleGetModelIdFn = aclmdlBundleGetModelId;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleCreateQueryInfo() -> *mut abi::aclmdlBundleQueryInfo {
    refused_value(
        "aclmdlBundleCreateQueryInfo",
        "bundles of models are not supported; load each model from its own file",
        null_mut(),
    )
}
const _: abi::aclmdlBundleCreateQueryInfoFn = aclmdlBundleCreateQueryInfo;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleDestroyQueryInfo(
    _queryInfo: *mut abi::aclmdlBundleQueryInfo,
) -> abi::aclError {
    refused(
        "aclmdlBundleDestroyQueryInfo",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleDestroyQueryInfoFn = aclmdlBundleDestroyQueryInfo;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleQueryInfoFromFile(
    _fileName: *const c_char,
    _queryInfo: *mut abi::aclmdlBundleQueryInfo,
) -> abi::aclError {
    refused(
        "aclmdlBundleQueryInfoFromFile",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleQueryInfoFromFileFn = aclmdlBundleQueryInfoFromFile;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleQueryInfoFromMem(
    _model: *const c_void,
    _modelSize: usize,
    _queryInfo: *mut abi::aclmdlBundleQueryInfo,
) -> abi::aclError {
    refused(
        "aclmdlBundleQueryInfoFromMem",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleQueryInfoFromMemFn = aclmdlBundleQueryInfoFromMem;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleGetQueryModelNum(
    _queryInfo: *const abi::aclmdlBundleQueryInfo,
    _modelNum: *mut usize,
) -> abi::aclError {
    refused(
        "aclmdlBundleGetQueryModelNum",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleGetQueryModelNumFn = aclmdlBundleGetQueryModelNum;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleGetVarWeightSize(
    _queryInfo: *const abi::aclmdlBundleQueryInfo,
    _variableWeightSize: *mut usize,
) -> abi::aclError {
    refused(
        "aclmdlBundleGetVarWeightSize",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleGetVarWeightSizeFn = aclmdlBundleGetVarWeightSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleGetSize(
    _queryInfo: *const abi::aclmdlBundleQueryInfo,
    _index: usize,
    _workSize: *mut usize,
    _constWeightSize: *mut usize,
) -> abi::aclError {
    refused(
        "aclmdlBundleGetSize",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleGetSizeFn = aclmdlBundleGetSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleInitFromFile(
    _modelPath: *const c_char,
    _varWeightPtr: *mut c_void,
    _varWeightSize: usize,
    _bundleId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlBundleInitFromFile",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleInitFromFileFn = aclmdlBundleInitFromFile;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleInitFromMem(
    _model: *const c_void,
    _modelSize: usize,
    _varWeightPtr: *mut c_void,
    _varWeightSize: usize,
    _bundleId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlBundleInitFromMem",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleInitFromMemFn = aclmdlBundleInitFromMem;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleLoadModel(
    _bundleId: u32,
    _index: usize,
    _modelId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlBundleLoadModel",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleLoadModelFn = aclmdlBundleLoadModel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleLoadModelWithMem(
    _bundleId: u32,
    _index: usize,
    _workPtr: *mut c_void,
    _workSize: usize,
    _weightPtr: *mut c_void,
    _weightSize: usize,
    _modelId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlBundleLoadModelWithMem",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleLoadModelWithMemFn = aclmdlBundleLoadModelWithMem;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleLoadModelWithConfig(
    _bundleId: u32,
    _index: usize,
    _handle: *mut abi::aclmdlConfigHandle,
    _modelId: *mut u32,
) -> abi::aclError {
    refused(
        "aclmdlBundleLoadModelWithConfig",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleLoadModelWithConfigFn = aclmdlBundleLoadModelWithConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlBundleUnloadModel(_bundleId: u32, _modelId: u32) -> abi::aclError {
    refused(
        "aclmdlBundleUnloadModel",
        "bundles of models are not supported; load each model from its own file",
    )
}
const _: abi::aclmdlBundleUnloadModelFn = aclmdlBundleUnloadModel;

// acl/acl_op.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclopCreateKernel(
    _opType: *const c_char,
    _kernelId: *const c_char,
    _kernelName: *const c_char,
    _binData: *mut c_void,
    _binSize: c_int,
    _enginetype: abi::aclopEngineType,
    _deallocator: abi::aclDataDeallocator,
) -> abi::aclError {
    refused(
        "aclopCreateKernel",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclopCreateKernelFn = aclopCreateKernel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclopRegisterCompileFunc(
    _opType: *const c_char,
    _func: abi::aclopCompileFunc,
) -> abi::aclError {
    refused(
        "aclopRegisterCompileFunc",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclopRegisterCompileFuncFn = aclopRegisterCompileFunc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclopUnregisterCompileFunc(_opType: *const c_char) -> abi::aclError {
    refused(
        "aclopUnregisterCompileFunc",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclopUnregisterCompileFuncFn = aclopUnregisterCompileFunc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclopSetKernelArgs(
    _kernelDesc: *mut abi::aclopKernelDesc,
    _kernelId: *const c_char,
    _blockDim: u32,
    _args: *const c_void,
    _argSize: u32,
) -> abi::aclError {
    refused(
        "aclopSetKernelArgs",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclopSetKernelArgsFn = aclopSetKernelArgs;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclopSetKernelWorkspaceSizes(
    _kernelDesc: *mut abi::aclopKernelDesc,
    _numWorkspaces: c_int,
    _workspaceSizes: *mut usize,
) -> abi::aclError {
    refused(
        "aclopSetKernelWorkspaceSizes",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclopSetKernelWorkspaceSizesFn = aclopSetKernelWorkspaceSizes;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclopUpdateParams(
    _opType: *const c_char,
    _numInputs: c_int,
    _inputDesc: *const *const abi::aclTensorDesc,
    _numOutputs: c_int,
    _outputDesc: *const *const abi::aclTensorDesc,
    _attr: *const abi::aclopAttr,
) -> abi::aclError {
    refused(
        "aclopUpdateParams",
        "operators take their parameters from the descriptions of each call",
    )
}
const _: abi::aclopUpdateParamsFn = aclopUpdateParams;

// acl/acl_op_compiler.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclGenGraphAndDumpForOp(
    _opType: *const c_char,
    _numInputs: c_int,
    _inputDesc: *const *const abi::aclTensorDesc,
    _inputs: *const *const abi::aclDataBuffer,
    _numOutputs: c_int,
    _outputDesc: *const *const abi::aclTensorDesc,
    _outputs: *const *mut abi::aclDataBuffer,
    _attr: *const abi::aclopAttr,
    _engineType: abi::aclopEngineType,
    _graphDumpPath: *const c_char,
    _graphDumpOpt: *const abi::aclGraphDumpOption,
) -> abi::aclError {
    refused(
        "aclGenGraphAndDumpForOp",
        "Millpond's operators are ONNX graphs; writing the vendor's graph format is not supported",
    )
}
const _: abi::aclGenGraphAndDumpForOpFn = aclGenGraphAndDumpForOp;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclCreateGraphDumpOpt() -> *mut abi::aclGraphDumpOption {
    refused_value(
        "aclCreateGraphDumpOpt",
        "Millpond's operators are ONNX graphs; writing the vendor's graph format is not supported",
        null_mut(),
    )
}
const _: abi::aclCreateGraphDumpOptFn = aclCreateGraphDumpOpt;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclDestroyGraphDumpOpt(
    _graphDumpOpt: *const abi::aclGraphDumpOption,
) -> abi::aclError {
    refused(
        "aclDestroyGraphDumpOpt",
        "Millpond's operators are ONNX graphs; writing the vendor's graph format is not supported",
    )
}
const _: abi::aclDestroyGraphDumpOptFn = aclDestroyGraphDumpOpt;

// acl/acl_prof.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofCreateSubscribeConfig(
    _timeInfoSwitch: i8,
    _aicoreMetrics: abi::aclprofAicoreMetrics,
    _fd: *mut c_void,
) -> *mut abi::aclprofSubscribeConfig {
    refused_value(
        "aclprofCreateSubscribeConfig",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
        null_mut(),
    )
}
const _: abi::aclprofCreateSubscribeConfigFn = aclprofCreateSubscribeConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofDestroySubscribeConfig(
    _profSubscribeConfig: *const abi::aclprofSubscribeConfig,
) -> abi::aclError {
    refused(
        "aclprofDestroySubscribeConfig",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofDestroySubscribeConfigFn = aclprofDestroySubscribeConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofModelSubscribe(
    _modelId: u32,
    _profSubscribeConfig: *const abi::aclprofSubscribeConfig,
) -> abi::aclError {
    refused(
        "aclprofModelSubscribe",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofModelSubscribeFn = aclprofModelSubscribe;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofModelUnSubscribe(_modelId: u32) -> abi::aclError {
    refused(
        "aclprofModelUnSubscribe",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofModelUnSubscribeFn = aclprofModelUnSubscribe;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpDescSize(_opDescSize: *mut usize) -> abi::aclError {
    refused(
        "aclprofGetOpDescSize",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofGetOpDescSizeFn = aclprofGetOpDescSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpNum(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _opNumber: *mut u32,
) -> abi::aclError {
    refused(
        "aclprofGetOpNum",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofGetOpNumFn = aclprofGetOpNum;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpTypeLen(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
    _opTypeLen: *mut usize,
) -> abi::aclError {
    refused(
        "aclprofGetOpTypeLen",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofGetOpTypeLenFn = aclprofGetOpTypeLen;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpType(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
    _opType: *mut c_char,
    _opTypeLen: usize,
) -> abi::aclError {
    refused(
        "aclprofGetOpType",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofGetOpTypeFn = aclprofGetOpType;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpNameLen(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
    _opNameLen: *mut usize,
) -> abi::aclError {
    refused(
        "aclprofGetOpNameLen",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofGetOpNameLenFn = aclprofGetOpNameLen;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpName(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
    _opName: *mut c_char,
    _opNameLen: usize,
) -> abi::aclError {
    refused(
        "aclprofGetOpName",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
    )
}
const _: abi::aclprofGetOpNameFn = aclprofGetOpName;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpStart(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
) -> u64 {
    refused_value(
        "aclprofGetOpStart",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
        0,
    )
}
const _: abi::aclprofGetOpStartFn = aclprofGetOpStart;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpEnd(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
) -> u64 {
    refused_value(
        "aclprofGetOpEnd",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
        0,
    )
}
const _: abi::aclprofGetOpEndFn = aclprofGetOpEnd;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpDuration(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
) -> u64 {
    refused_value(
        "aclprofGetOpDuration",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
        0,
    )
}
const _: abi::aclprofGetOpDurationFn = aclprofGetOpDuration;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetModelId(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
) -> usize {
    refused_value(
        "aclprofGetModelId",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
        0,
    )
}
const _: abi::aclprofGetModelIdFn = aclprofGetModelId;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpFlag(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
) -> abi::aclprofSubscribeOpFlag {
    refused_value(
        "aclprofGetOpFlag",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
        abi::ACL_SUBSCRIBE_NONE,
    )
}
const _: abi::aclprofGetOpFlagFn = aclprofGetOpFlag;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofGetOpAttriValue(
    _opInfo: *const c_void,
    _opInfoLen: usize,
    _index: u32,
    _attri: abi::aclprofSubscribeOpAttri,
) -> *const c_char {
    refused_value(
        "aclprofGetOpAttriValue",
        "the operators inside a model are the engine's, and it does not time them; aclprofStart profiles the runs of models",
        null(),
    )
}
const _: abi::aclprofGetOpAttriValueFn = aclprofGetOpAttriValue;

// acl/acl_tdt.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetSliceInfoFromItem(
    _dataItem: *const abi::acltdtDataItem,
    _sliceNum: *mut usize,
    _sliceId: *mut usize,
) -> abi::aclError {
    refused_feature(
        "acltdtGetSliceInfoFromItem",
        "tensors are not sent in slices",
    )
}
const _: abi::acltdtGetSliceInfoFromItemFn = acltdtGetSliceInfoFromItem;

// acl/ops/dvpp/process.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppCreateJpegeConfig() -> *mut abi::acldvppJpegeConfig {
    refused_value(
        "acldvppCreateJpegeConfig",
        "JPEG files are not encoded; copy the picture to the host and encode it there",
        null_mut(),
    )
}
const _: abi::acldvppCreateJpegeConfigFn = acldvppCreateJpegeConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppDestroyJpegeConfig(
    _jpegeConfig: *mut abi::acldvppJpegeConfig,
) -> abi::aclError {
    refused(
        "acldvppDestroyJpegeConfig",
        "JPEG files are not encoded; copy the picture to the host and encode it there",
    )
}
const _: abi::acldvppDestroyJpegeConfigFn = acldvppDestroyJpegeConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppSetJpegeConfigLevel(
    _jpegeConfig: *mut abi::acldvppJpegeConfig,
    _level: u32,
) -> abi::aclError {
    refused(
        "acldvppSetJpegeConfigLevel",
        "JPEG files are not encoded; copy the picture to the host and encode it there",
    )
}
const _: abi::acldvppSetJpegeConfigLevelFn = acldvppSetJpegeConfigLevel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppGetJpegeConfigLevel(
    _jpegeConfig: *const abi::acldvppJpegeConfig,
) -> u32 {
    refused_value(
        "acldvppGetJpegeConfigLevel",
        "JPEG files are not encoded; copy the picture to the host and encode it there",
        0,
    )
}
const _: abi::acldvppGetJpegeConfigLevelFn = acldvppGetJpegeConfigLevel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppJpegPredictEncSize(
    _inputDesc: *const abi::acldvppPicDesc,
    _config: *const abi::acldvppJpegeConfig,
    _size: *mut u32,
) -> abi::aclError {
    refused(
        "acldvppJpegPredictEncSize",
        "JPEG files are not encoded; copy the picture to the host and encode it there",
    )
}
const _: abi::acldvppJpegPredictEncSizeFn = acldvppJpegPredictEncSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppJpegEncodeAsync(
    _channelDesc: *mut abi::acldvppChannelDesc,
    _inputDesc: *mut abi::acldvppPicDesc,
    _data: *const c_void,
    _size: *mut u32,
    _config: *mut abi::acldvppJpegeConfig,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused(
        "acldvppJpegEncodeAsync",
        "JPEG files are not encoded; copy the picture to the host and encode it there",
    )
}
const _: abi::acldvppJpegEncodeAsyncFn = acldvppJpegEncodeAsync;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppPngGetImageInfo(
    _data: *const c_void,
    _dataSize: u32,
    _width: *mut u32,
    _height: *mut u32,
    _components: *mut i32,
) -> abi::aclError {
    refused(
        "acldvppPngGetImageInfo",
        "PNG files are not decoded; decode them on the host and copy the pixels to the device",
    )
}
const _: abi::acldvppPngGetImageInfoFn = acldvppPngGetImageInfo;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppPngPredictDecSize(
    _data: *const c_void,
    _dataSize: u32,
    _outputPixelFormat: abi::acldvppPixelFormat,
    _decSize: *mut u32,
) -> abi::aclError {
    refused(
        "acldvppPngPredictDecSize",
        "PNG files are not decoded; decode them on the host and copy the pixels to the device",
    )
}
const _: abi::acldvppPngPredictDecSizeFn = acldvppPngPredictDecSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppPngDecodeAsync(
    _channelDesc: *mut abi::acldvppChannelDesc,
    _data: *const c_void,
    _size: u32,
    _outputDesc: *mut abi::acldvppPicDesc,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused(
        "acldvppPngDecodeAsync",
        "PNG files are not decoded; decode them on the host and copy the pixels to the device",
    )
}
const _: abi::acldvppPngDecodeAsyncFn = acldvppPngDecodeAsync;

// acl/ops/dvpp/video.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppCreateStreamDesc() -> *mut abi::acldvppStreamDesc {
    refused_value(
        "acldvppCreateStreamDesc",
        "video is not decoded or encoded; use pictures, or a library on the host",
        null_mut(),
    )
}
const _: abi::acldvppCreateStreamDescFn = acldvppCreateStreamDesc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppDestroyStreamDesc(
    _streamDesc: *mut abi::acldvppStreamDesc,
) -> abi::aclError {
    refused(
        "acldvppDestroyStreamDesc",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::acldvppDestroyStreamDescFn = acldvppDestroyStreamDesc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppSetStreamDescData(
    _streamDesc: *mut abi::acldvppStreamDesc,
    _dataDev: *mut c_void,
) -> abi::aclError {
    refused(
        "acldvppSetStreamDescData",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::acldvppSetStreamDescDataFn = acldvppSetStreamDescData;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppSetStreamDescSize(
    _streamDesc: *mut abi::acldvppStreamDesc,
    _size: u32,
) -> abi::aclError {
    refused(
        "acldvppSetStreamDescSize",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::acldvppSetStreamDescSizeFn = acldvppSetStreamDescSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppSetStreamDescFormat(
    _streamDesc: *mut abi::acldvppStreamDesc,
    _format: abi::acldvppStreamFormat,
) -> abi::aclError {
    refused(
        "acldvppSetStreamDescFormat",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::acldvppSetStreamDescFormatFn = acldvppSetStreamDescFormat;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppSetStreamDescTimestamp(
    _streamDesc: *mut abi::acldvppStreamDesc,
    _timestamp: u64,
) -> abi::aclError {
    refused(
        "acldvppSetStreamDescTimestamp",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::acldvppSetStreamDescTimestampFn = acldvppSetStreamDescTimestamp;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppSetStreamDescRetCode(
    _streamDesc: *mut abi::acldvppStreamDesc,
    _retCode: u32,
) -> abi::aclError {
    refused(
        "acldvppSetStreamDescRetCode",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::acldvppSetStreamDescRetCodeFn = acldvppSetStreamDescRetCode;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldvppSetStreamDescEos(
    _streamDesc: *mut abi::acldvppStreamDesc,
    _eos: u8,
) -> abi::aclError {
    refused(
        "acldvppSetStreamDescEos",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::acldvppSetStreamDescEosFn = acldvppSetStreamDescEos;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecCreateChannelDesc() -> *mut abi::aclvdecChannelDesc {
    refused_value(
        "aclvdecCreateChannelDesc",
        "video is not decoded or encoded; use pictures, or a library on the host",
        null_mut(),
    )
}
const _: abi::aclvdecCreateChannelDescFn = aclvdecCreateChannelDesc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecDestroyChannelDesc(
    _channelDesc: *mut abi::aclvdecChannelDesc,
) -> abi::aclError {
    refused(
        "aclvdecDestroyChannelDesc",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecDestroyChannelDescFn = aclvdecDestroyChannelDesc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescChannelId(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _channelId: u32,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescChannelId",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescChannelIdFn = aclvdecSetChannelDescChannelId;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescThreadId(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _threadId: u64,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescThreadId",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescThreadIdFn = aclvdecSetChannelDescThreadId;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescCallback(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _callback: abi::aclvdecCallback,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescCallback",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescCallbackFn = aclvdecSetChannelDescCallback;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescEnType(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _enType: abi::acldvppStreamFormat,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescEnType",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescEnTypeFn = aclvdecSetChannelDescEnType;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescOutPicFormat(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _outPicFormat: abi::acldvppPixelFormat,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescOutPicFormat",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescOutPicFormatFn = aclvdecSetChannelDescOutPicFormat;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescOutPicWidth(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _outPicWidth: u32,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescOutPicWidth",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescOutPicWidthFn = aclvdecSetChannelDescOutPicWidth;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescOutPicHeight(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _outPicHeight: u32,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescOutPicHeight",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescOutPicHeightFn = aclvdecSetChannelDescOutPicHeight;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescRefFrameNum(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _refFrameNum: u32,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescRefFrameNum",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescRefFrameNumFn = aclvdecSetChannelDescRefFrameNum;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSetChannelDescOutMode(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _outMode: u32,
) -> abi::aclError {
    refused(
        "aclvdecSetChannelDescOutMode",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSetChannelDescOutModeFn = aclvdecSetChannelDescOutMode;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecCreateFrameConfig() -> *mut abi::aclvdecFrameConfig {
    refused_value(
        "aclvdecCreateFrameConfig",
        "video is not decoded or encoded; use pictures, or a library on the host",
        null_mut(),
    )
}
const _: abi::aclvdecCreateFrameConfigFn = aclvdecCreateFrameConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecDestroyFrameConfig(
    _vdecFrameConfig: *mut abi::aclvdecFrameConfig,
) -> abi::aclError {
    refused(
        "aclvdecDestroyFrameConfig",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecDestroyFrameConfigFn = aclvdecDestroyFrameConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecCreateChannel(
    _channelDesc: *mut abi::aclvdecChannelDesc,
) -> abi::aclError {
    refused(
        "aclvdecCreateChannel",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecCreateChannelFn = aclvdecCreateChannel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecDestroyChannel(
    _channelDesc: *mut abi::aclvdecChannelDesc,
) -> abi::aclError {
    refused(
        "aclvdecDestroyChannel",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecDestroyChannelFn = aclvdecDestroyChannel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSendFrame(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _input: *mut abi::acldvppStreamDesc,
    _output: *mut abi::acldvppPicDesc,
    _config: *mut abi::aclvdecFrameConfig,
    _userData: *mut c_void,
) -> abi::aclError {
    refused(
        "aclvdecSendFrame",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSendFrameFn = aclvdecSendFrame;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvdecSendSkippedFrame(
    _channelDesc: *mut abi::aclvdecChannelDesc,
    _input: *mut abi::acldvppStreamDesc,
    _config: *mut abi::aclvdecFrameConfig,
    _userData: *mut c_void,
) -> abi::aclError {
    refused(
        "aclvdecSendSkippedFrame",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvdecSendSkippedFrameFn = aclvdecSendSkippedFrame;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencCreateChannelDesc() -> *mut abi::aclvencChannelDesc {
    refused_value(
        "aclvencCreateChannelDesc",
        "video is not decoded or encoded; use pictures, or a library on the host",
        null_mut(),
    )
}
const _: abi::aclvencCreateChannelDescFn = aclvencCreateChannelDesc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencDestroyChannelDesc(
    _channelDesc: *mut abi::aclvencChannelDesc,
) -> abi::aclError {
    refused(
        "aclvencDestroyChannelDesc",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencDestroyChannelDescFn = aclvencDestroyChannelDesc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetChannelDescThreadId(
    _channelDesc: *mut abi::aclvencChannelDesc,
    _threadId: u64,
) -> abi::aclError {
    refused(
        "aclvencSetChannelDescThreadId",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetChannelDescThreadIdFn = aclvencSetChannelDescThreadId;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetChannelDescCallback(
    _channelDesc: *mut abi::aclvencChannelDesc,
    _callback: abi::aclvencCallback,
) -> abi::aclError {
    refused(
        "aclvencSetChannelDescCallback",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetChannelDescCallbackFn = aclvencSetChannelDescCallback;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetChannelDescEnType(
    _channelDesc: *mut abi::aclvencChannelDesc,
    _enType: abi::acldvppStreamFormat,
) -> abi::aclError {
    refused(
        "aclvencSetChannelDescEnType",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetChannelDescEnTypeFn = aclvencSetChannelDescEnType;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetChannelDescPicFormat(
    _channelDesc: *mut abi::aclvencChannelDesc,
    _picFormat: abi::acldvppPixelFormat,
) -> abi::aclError {
    refused(
        "aclvencSetChannelDescPicFormat",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetChannelDescPicFormatFn = aclvencSetChannelDescPicFormat;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetChannelDescPicWidth(
    _channelDesc: *mut abi::aclvencChannelDesc,
    _picWidth: u32,
) -> abi::aclError {
    refused(
        "aclvencSetChannelDescPicWidth",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetChannelDescPicWidthFn = aclvencSetChannelDescPicWidth;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetChannelDescPicHeight(
    _channelDesc: *mut abi::aclvencChannelDesc,
    _picHeight: u32,
) -> abi::aclError {
    refused(
        "aclvencSetChannelDescPicHeight",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetChannelDescPicHeightFn = aclvencSetChannelDescPicHeight;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetChannelDescKeyFrameInterval(
    _channelDesc: *mut abi::aclvencChannelDesc,
    _keyFrameInterval: u32,
) -> abi::aclError {
    refused(
        "aclvencSetChannelDescKeyFrameInterval",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetChannelDescKeyFrameIntervalFn = aclvencSetChannelDescKeyFrameInterval;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencCreateFrameConfig() -> *mut abi::aclvencFrameConfig {
    refused_value(
        "aclvencCreateFrameConfig",
        "video is not decoded or encoded; use pictures, or a library on the host",
        null_mut(),
    )
}
const _: abi::aclvencCreateFrameConfigFn = aclvencCreateFrameConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencDestroyFrameConfig(
    _config: *mut abi::aclvencFrameConfig,
) -> abi::aclError {
    refused(
        "aclvencDestroyFrameConfig",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencDestroyFrameConfigFn = aclvencDestroyFrameConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetFrameConfigForceIFrame(
    _config: *mut abi::aclvencFrameConfig,
    _forceIFrame: u8,
) -> abi::aclError {
    refused(
        "aclvencSetFrameConfigForceIFrame",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetFrameConfigForceIFrameFn = aclvencSetFrameConfigForceIFrame;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSetFrameConfigEos(
    _config: *mut abi::aclvencFrameConfig,
    _eos: u8,
) -> abi::aclError {
    refused(
        "aclvencSetFrameConfigEos",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSetFrameConfigEosFn = aclvencSetFrameConfigEos;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencCreateChannel(
    _channelDesc: *mut abi::aclvencChannelDesc,
) -> abi::aclError {
    refused(
        "aclvencCreateChannel",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencCreateChannelFn = aclvencCreateChannel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencDestroyChannel(
    _channelDesc: *mut abi::aclvencChannelDesc,
) -> abi::aclError {
    refused(
        "aclvencDestroyChannel",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencDestroyChannelFn = aclvencDestroyChannel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclvencSendFrame(
    _channelDesc: *mut abi::aclvencChannelDesc,
    _input: *mut abi::acldvppPicDesc,
    _reserve: *mut c_void,
    _config: *mut abi::aclvencFrameConfig,
    _userdata: *mut c_void,
) -> abi::aclError {
    refused(
        "aclvencSendFrame",
        "video is not decoded or encoded; use pictures, or a library on the host",
    )
}
const _: abi::aclvencSendFrameFn = aclvencSendFrame;

// acl/rt/cache.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCmoAsyncWithBarrier(
    _src: *mut c_void,
    _size: usize,
    _cmoType: abi::aclrtCmoType,
    _barrierId: u32,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused_feature(
        "aclrtCmoAsyncWithBarrier",
        "devices of this kind have no barriers for cached memory",
    )
}
const _: abi::aclrtCmoAsyncWithBarrierFn = aclrtCmoAsyncWithBarrier;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCmoWaitBarrier(
    _taskInfo: *mut abi::aclrtBarrierTaskInfo,
    _stream: abi::aclrtStream,
    _flag: u32,
) -> abi::aclError {
    refused_feature(
        "aclrtCmoWaitBarrier",
        "devices of this kind have no barriers for cached memory",
    )
}
const _: abi::aclrtCmoWaitBarrierFn = aclrtCmoWaitBarrier;

// acl/rt/callback.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtSubscribeHostFunc(
    _hostFuncThreadId: u64,
    _exeStream: abi::aclrtStream,
) -> abi::aclError {
    refused(
        "aclrtSubscribeHostFunc",
        "Millpond runs host functions on its own threads; use aclrtLaunchHostFunc",
    )
}
const _: abi::aclrtSubscribeHostFuncFn = aclrtSubscribeHostFunc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtProcessHostFunc(_timeout: i32) -> abi::aclError {
    refused(
        "aclrtProcessHostFunc",
        "Millpond runs host functions on its own threads; use aclrtLaunchHostFunc",
    )
}
const _: abi::aclrtProcessHostFuncFn = aclrtProcessHostFunc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtUnSubscribeHostFunc(
    _hostFuncThreadId: u64,
    _exeStream: abi::aclrtStream,
) -> abi::aclError {
    refused(
        "aclrtUnSubscribeHostFunc",
        "Millpond runs host functions on its own threads; use aclrtLaunchHostFunc",
    )
}
const _: abi::aclrtUnSubscribeHostFuncFn = aclrtUnSubscribeHostFunc;

// acl/rt/device_info.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtDeviceGetPCIBusId(
    _deviceId: i32,
    _pciBusId: *mut c_char,
    _len: i32,
) -> abi::aclError {
    refused_feature("aclrtDeviceGetPCIBusId", "devices are not on a PCI bus")
}
const _: abi::aclrtDeviceGetPCIBusIdFn = aclrtDeviceGetPCIBusId;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtDeviceGetByPCIBusId(
    _pciBusId: *const c_char,
    _deviceId: *mut i32,
) -> abi::aclError {
    refused_feature("aclrtDeviceGetByPCIBusId", "devices are not on a PCI bus")
}
const _: abi::aclrtDeviceGetByPCIBusIdFn = aclrtDeviceGetByPCIBusId;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetDevicesTopo(
    _deviceId: u32,
    _otherDeviceId: u32,
    _value: *mut u64,
) -> abi::aclError {
    refused_feature(
        "aclrtGetDevicesTopo",
        "there are no links between devices; see aclrtDeviceCanAccessPeer",
    )
}
const _: abi::aclrtGetDevicesTopoFn = aclrtGetDevicesTopo;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtRepairError(
    _deviceId: i32,
    _errorInfo: *const abi::aclrtErrorInfo,
) -> abi::aclError {
    refused_feature(
        "aclrtRepairError",
        "devices have no hardware faults to repair",
    )
}
const _: abi::aclrtRepairErrorFn = aclrtRepairError;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtMemUceRepair(
    _deviceId: i32,
    _memUceInfoArray: *mut abi::aclrtMemUceInfo,
    _arraySize: usize,
) -> abi::aclError {
    refused_feature(
        "aclrtMemUceRepair",
        "device memory has no faulty addresses to repair",
    )
}
const _: abi::aclrtMemUceRepairFn = aclrtMemUceRepair;

// acl/rt/ipc.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtIpcMemImportPidInterServer(
    _key: *const c_char,
    _serverPids: *mut abi::aclrtServerPid,
    _num: usize,
) -> abi::aclError {
    refused(
        "aclrtIpcMemImportPidInterServer",
        "memory is shared on one machine only; use aclrtIpcMemSetImportPid",
    )
}
const _: abi::aclrtIpcMemImportPidInterServerFn = aclrtIpcMemImportPidInterServer;

// acl/rt/kernel.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCreateBinary(
    _data: *const c_void,
    _dataLen: usize,
) -> abi::aclrtBinary {
    refused_value(
        "aclrtCreateBinary",
        "Millpond cannot run kernels for NPU cores",
        null_mut(),
    )
}
const _: abi::aclrtCreateBinaryFn = aclrtCreateBinary;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtDestroyBinary(_binary: abi::aclrtBinary) -> abi::aclError {
    refused(
        "aclrtDestroyBinary",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtDestroyBinaryFn = aclrtDestroyBinary;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinaryLoad(
    _binary: abi::aclrtBinary,
    _binHandle: *mut abi::aclrtBinHandle,
) -> abi::aclError {
    refused(
        "aclrtBinaryLoad",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtBinaryLoadFn = aclrtBinaryLoad;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinaryLoadFromFile(
    _binPath: *const c_char,
    _options: *mut abi::aclrtBinaryLoadOptions,
    _binHandle: *mut abi::aclrtBinHandle,
) -> abi::aclError {
    refused(
        "aclrtBinaryLoadFromFile",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtBinaryLoadFromFileFn = aclrtBinaryLoadFromFile;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinaryLoadFromData(
    _data: *const c_void,
    _length: usize,
    _options: *const abi::aclrtBinaryLoadOptions,
    _binHandle: *mut abi::aclrtBinHandle,
) -> abi::aclError {
    refused(
        "aclrtBinaryLoadFromData",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtBinaryLoadFromDataFn = aclrtBinaryLoadFromData;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinaryUnLoad(_binHandle: abi::aclrtBinHandle) -> abi::aclError {
    refused(
        "aclrtBinaryUnLoad",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtBinaryUnLoadFn = aclrtBinaryUnLoad;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinaryGetDevAddress(
    _binHandle: abi::aclrtBinHandle,
    _binAddr: *mut *mut c_void,
    _binSize: *mut usize,
) -> abi::aclError {
    refused(
        "aclrtBinaryGetDevAddress",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtBinaryGetDevAddressFn = aclrtBinaryGetDevAddress;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinaryGetFunction(
    _binHandle: abi::aclrtBinHandle,
    _kernelName: *const c_char,
    _funcHandle: *mut abi::aclrtFuncHandle,
) -> abi::aclError {
    refused(
        "aclrtBinaryGetFunction",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtBinaryGetFunctionFn = aclrtBinaryGetFunction;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinaryGetFunctionByEntry(
    _binHandle: abi::aclrtBinHandle,
    _funcEntry: u64,
    _funcHandle: *mut abi::aclrtFuncHandle,
) -> abi::aclError {
    refused(
        "aclrtBinaryGetFunctionByEntry",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtBinaryGetFunctionByEntryFn = aclrtBinaryGetFunctionByEntry;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetFunctionAddr(
    _funcHandle: abi::aclrtFuncHandle,
    _aicAddr: *mut *mut c_void,
    _aivAddr: *mut *mut c_void,
) -> abi::aclError {
    refused(
        "aclrtGetFunctionAddr",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtGetFunctionAddrFn = aclrtGetFunctionAddr;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetFunctionName(
    _funcHandle: abi::aclrtFuncHandle,
    _maxLen: u32,
    _name: *mut c_char,
) -> abi::aclError {
    refused(
        "aclrtGetFunctionName",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtGetFunctionNameFn = aclrtGetFunctionName;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtRegisterCpuFunc(
    _handle: abi::aclrtBinHandle,
    _funcName: *const c_char,
    _kernelName: *const c_char,
    _funcHandle: *mut abi::aclrtFuncHandle,
) -> abi::aclError {
    refused(
        "aclrtRegisterCpuFunc",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtRegisterCpuFuncFn = aclrtRegisterCpuFunc;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsInit(
    _funcHandle: abi::aclrtFuncHandle,
    _argsHandle: *mut abi::aclrtArgsHandle,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsInit",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsInitFn = aclrtKernelArgsInit;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsGetHandleMemSize(
    _funcHandle: abi::aclrtFuncHandle,
    _memSize: *mut usize,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsGetHandleMemSize",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsGetHandleMemSizeFn = aclrtKernelArgsGetHandleMemSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsGetMemSize(
    _funcHandle: abi::aclrtFuncHandle,
    _userArgsSize: usize,
    _actualArgsSize: *mut usize,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsGetMemSize",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsGetMemSizeFn = aclrtKernelArgsGetMemSize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsInitByUserMem(
    _funcHandle: abi::aclrtFuncHandle,
    _argsHandle: abi::aclrtArgsHandle,
    _userHostMem: *mut c_void,
    _actualArgsSize: usize,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsInitByUserMem",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsInitByUserMemFn = aclrtKernelArgsInitByUserMem;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsAppend(
    _argsHandle: abi::aclrtArgsHandle,
    _param: *mut c_void,
    _paramSize: usize,
    _paramHandle: *mut abi::aclrtParamHandle,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsAppend",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsAppendFn = aclrtKernelArgsAppend;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsAppendPlaceHolder(
    _argsHandle: abi::aclrtArgsHandle,
    _paramHandle: *mut abi::aclrtParamHandle,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsAppendPlaceHolder",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsAppendPlaceHolderFn = aclrtKernelArgsAppendPlaceHolder;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsGetPlaceHolderBuffer(
    _argsHandle: abi::aclrtArgsHandle,
    _paramHandle: abi::aclrtParamHandle,
    _dataSize: usize,
    _bufferAddr: *mut *mut c_void,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsGetPlaceHolderBuffer",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsGetPlaceHolderBufferFn = aclrtKernelArgsGetPlaceHolderBuffer;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsParaUpdate(
    _argsHandle: abi::aclrtArgsHandle,
    _paramHandle: abi::aclrtParamHandle,
    _param: *mut c_void,
    _paramSize: usize,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsParaUpdate",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsParaUpdateFn = aclrtKernelArgsParaUpdate;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtKernelArgsFinalize(
    _argsHandle: abi::aclrtArgsHandle,
) -> abi::aclError {
    refused(
        "aclrtKernelArgsFinalize",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtKernelArgsFinalizeFn = aclrtKernelArgsFinalize;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtLaunchKernel(
    _funcHandle: abi::aclrtFuncHandle,
    _numBlocks: u32,
    _argsData: *const c_void,
    _argsSize: usize,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused(
        "aclrtLaunchKernel",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtLaunchKernelFn = aclrtLaunchKernel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtLaunchKernelV2(
    _funcHandle: abi::aclrtFuncHandle,
    _numBlocks: u32,
    _argsData: *const c_void,
    _argsSize: usize,
    _cfg: *mut abi::aclrtLaunchKernelCfg,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused(
        "aclrtLaunchKernelV2",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtLaunchKernelV2Fn = aclrtLaunchKernelV2;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtLaunchKernelWithConfig(
    _funcHandle: abi::aclrtFuncHandle,
    _numBlocks: u32,
    _stream: abi::aclrtStream,
    _cfg: *mut abi::aclrtLaunchKernelCfg,
    _argsHandle: abi::aclrtArgsHandle,
    _reserve: *mut c_void,
) -> abi::aclError {
    refused(
        "aclrtLaunchKernelWithConfig",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtLaunchKernelWithConfigFn = aclrtLaunchKernelWithConfig;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtLaunchKernelWithHostArgs(
    _funcHandle: abi::aclrtFuncHandle,
    _numBlocks: u32,
    _stream: abi::aclrtStream,
    _cfg: *mut abi::aclrtLaunchKernelCfg,
    _hostArgs: *mut c_void,
    _argsSize: usize,
    _placeHolderArray: *mut abi::aclrtPlaceHolderInfo,
    _placeHolderNum: usize,
) -> abi::aclError {
    refused(
        "aclrtLaunchKernelWithHostArgs",
        "Millpond cannot run kernels for NPU cores",
    )
}
const _: abi::aclrtLaunchKernelWithHostArgsFn = aclrtLaunchKernelWithHostArgs;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCreateLabel(_label: *mut abi::aclrtLabel) -> abi::aclError {
    refused(
        "aclrtCreateLabel",
        "streams run their tasks in order and do not jump; use conditional graphs (aclmdlRIAddCondTask)",
    )
}
const _: abi::aclrtCreateLabelFn = aclrtCreateLabel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtSetLabel(
    _label: abi::aclrtLabel,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused(
        "aclrtSetLabel",
        "streams run their tasks in order and do not jump; use conditional graphs (aclmdlRIAddCondTask)",
    )
}
const _: abi::aclrtSetLabelFn = aclrtSetLabel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtDestroyLabel(_label: abi::aclrtLabel) -> abi::aclError {
    refused(
        "aclrtDestroyLabel",
        "streams run their tasks in order and do not jump; use conditional graphs (aclmdlRIAddCondTask)",
    )
}
const _: abi::aclrtDestroyLabelFn = aclrtDestroyLabel;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCreateLabelList(
    _labels: *mut abi::aclrtLabel,
    _num: usize,
    _labelList: *mut abi::aclrtLabelList,
) -> abi::aclError {
    refused(
        "aclrtCreateLabelList",
        "streams run their tasks in order and do not jump; use conditional graphs (aclmdlRIAddCondTask)",
    )
}
const _: abi::aclrtCreateLabelListFn = aclrtCreateLabelList;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtDestroyLabelList(_labelList: abi::aclrtLabelList) -> abi::aclError {
    refused(
        "aclrtDestroyLabelList",
        "streams run their tasks in order and do not jump; use conditional graphs (aclmdlRIAddCondTask)",
    )
}
const _: abi::aclrtDestroyLabelListFn = aclrtDestroyLabelList;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtSwitchLabelByIndex(
    _ptr: *mut c_void,
    _maxValue: u32,
    _labelList: abi::aclrtLabelList,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused(
        "aclrtSwitchLabelByIndex",
        "streams run their tasks in order and do not jump; use conditional graphs (aclmdlRIAddCondTask)",
    )
}
const _: abi::aclrtSwitchLabelByIndexFn = aclrtSwitchLabelByIndex;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtSetGroup(_groupId: i32) -> abi::aclError {
    refused(
        "aclrtSetGroup",
        "the cores of a device are not divided into groups",
    )
}
const _: abi::aclrtSetGroupFn = aclrtSetGroup;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetGroupCount(_count: *mut u32) -> abi::aclError {
    refused(
        "aclrtGetGroupCount",
        "the cores of a device are not divided into groups",
    )
}
const _: abi::aclrtGetGroupCountFn = aclrtGetGroupCount;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCreateGroupInfo() -> *mut abi::aclrtGroupInfo {
    refused_value(
        "aclrtCreateGroupInfo",
        "the cores of a device are not divided into groups",
        null_mut(),
    )
}
const _: abi::aclrtCreateGroupInfoFn = aclrtCreateGroupInfo;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtDestroyGroupInfo(
    _groupInfo: *mut abi::aclrtGroupInfo,
) -> abi::aclError {
    refused(
        "aclrtDestroyGroupInfo",
        "the cores of a device are not divided into groups",
    )
}
const _: abi::aclrtDestroyGroupInfoFn = aclrtDestroyGroupInfo;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetAllGroupInfo(
    _groupInfo: *mut abi::aclrtGroupInfo,
) -> abi::aclError {
    refused(
        "aclrtGetAllGroupInfo",
        "the cores of a device are not divided into groups",
    )
}
const _: abi::aclrtGetAllGroupInfoFn = aclrtGetAllGroupInfo;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetGroupInfoDetail(
    _groupInfo: *const abi::aclrtGroupInfo,
    _groupIndex: i32,
    _attr: abi::aclrtGroupAttr,
    _attrValue: *mut c_void,
    _valueLen: usize,
    _paramRetSize: *mut usize,
) -> abi::aclError {
    refused(
        "aclrtGetGroupInfoDetail",
        "the cores of a device are not divided into groups",
    )
}
const _: abi::aclrtGetGroupInfoDetailFn = aclrtGetGroupInfoDetail;

// acl/rt/memory.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCheckMemType(
    _addrList: *mut *mut c_void,
    _size: u32,
    _memType: u32,
    _checkResult: *mut u32,
    _reserve: u32,
) -> abi::aclError {
    refused_feature(
        "aclrtCheckMemType",
        "memory is not divided by engine; use aclrtPointerGetAttributes",
    )
}
const _: abi::aclrtCheckMemTypeFn = aclrtCheckMemType;

// acl/rt/notify.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtNotifySetImportPidInterServer(
    _notify: abi::aclrtNotify,
    _serverPids: *mut abi::aclrtServerPid,
    _num: usize,
) -> abi::aclError {
    refused(
        "aclrtNotifySetImportPidInterServer",
        "notifications are shared on one machine only; use aclrtNotifySetImportPid",
    )
}
const _: abi::aclrtNotifySetImportPidInterServerFn = aclrtNotifySetImportPidInterServer;

// acl/rt/stream.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtStreamStop(_stream: abi::aclrtStream) -> abi::aclError {
    refused_feature(
        "aclrtStreamStop",
        "pausing a stream is not supported; use aclrtStreamAbort to drop its work",
    )
}
const _: abi::aclrtStreamStopFn = aclrtStreamStop;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtActiveStream(
    _activeStream: abi::aclrtStream,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused_feature(
        "aclrtActiveStream",
        "streams cannot launch other streams; decide on the host and enqueue there",
    )
}
const _: abi::aclrtActiveStreamFn = aclrtActiveStream;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtSwitchStream(
    _leftValue: *mut c_void,
    _cond: abi::aclrtCondition,
    _rightValue: *mut c_void,
    _dataType: abi::aclrtCompareDataType,
    _trueStream: abi::aclrtStream,
    _falseStream: abi::aclrtStream,
    _stream: abi::aclrtStream,
) -> abi::aclError {
    refused_feature(
        "aclrtSwitchStream",
        "streams cannot launch other streams; decide on the host and enqueue there",
    )
}
const _: abi::aclrtSwitchStreamFn = aclrtSwitchStream;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetThreadLastTaskId(_taskId: *mut u32) -> abi::aclError {
    refused_feature(
        "aclrtGetThreadLastTaskId",
        "tasks are numbered per stream, not per thread",
    )
}
const _: abi::aclrtGetThreadLastTaskIdFn = aclrtGetThreadLastTaskId;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtPersistentTaskClean(_stream: abi::aclrtStream) -> abi::aclError {
    refused_feature(
        "aclrtPersistentTaskClean",
        "streams do not store completed tasks",
    )
}
const _: abi::aclrtPersistentTaskCleanFn = aclrtPersistentTaskClean;

// hccl/hccl.h

#[unsafe(no_mangle)]
pub(crate) extern "C" fn HcclCommSuspend(_comm: abi::HcclComm) -> abi::HcclResult {
    refused_value(
        "HcclCommSuspend",
        "recovery from hardware faults is not supported; destroy the communicator and make a new one",
        abi::HCCL_E_NOT_SUPPORT,
    )
}
const _: abi::HcclCommSuspendFn = HcclCommSuspend;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn HcclCommResume(_comm: abi::HcclComm) -> abi::HcclResult {
    refused_value(
        "HcclCommResume",
        "recovery from hardware faults is not supported; destroy the communicator and make a new one",
        abi::HCCL_E_NOT_SUPPORT,
    )
}
const _: abi::HcclCommResumeFn = HcclCommResume;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn HcclCommWorkingDevNicSet(
    _comm: abi::HcclComm,
    _ranks: *mut u32,
    _useBackup: *mut bool,
    _nRanks: u32,
) -> abi::HcclResult {
    refused_value(
        "HcclCommWorkingDevNicSet",
        "there are no network cards to choose from",
        abi::HCCL_E_NOT_SUPPORT,
    )
}
const _: abi::HcclCommWorkingDevNicSetFn = HcclCommWorkingDevNicSet;

// No header declares these; programs bind them when they are loaded.

#[unsafe(no_mangle)]
pub(crate) extern "C" fn MsprofGetHashId() -> usize {
    refused_value(
        "MsprofGetHashId",
        "nothing is taken from a program's own profiler: aclprofStart collects what the runtime knows",
        0,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn MsprofSysCycleTime() -> usize {
    refused_value(
        "MsprofSysCycleTime",
        "nothing is taken from a program's own profiler: aclprofStart collects what the runtime knows",
        0,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn MsprofRegisterCallback() -> c_int {
    refused_value(
        "MsprofRegisterCallback",
        "nothing is taken from a program's own profiler: aclprofStart collects what the runtime knows",
        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn MsprofReportAdditionalInfo() -> c_int {
    refused_value(
        "MsprofReportAdditionalInfo",
        "nothing is taken from a program's own profiler: aclprofStart collects what the runtime knows",
        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn MsprofReportApi() -> c_int {
    refused_value(
        "MsprofReportApi",
        "nothing is taken from a program's own profiler: aclprofStart collects what the runtime knows",
        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn MsprofReportCompactInfo() -> c_int {
    refused_value(
        "MsprofReportCompactInfo",
        "nothing is taken from a program's own profiler: aclprofStart collects what the runtime knows",
        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlInitDump() -> abi::aclError {
    refused(
        "aclmdlInitDump",
        "the tensors inside a model are the engine's and cannot be dumped",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlSetDump() -> abi::aclError {
    refused(
        "aclmdlSetDump",
        "the tensors inside a model are the engine's and cannot be dumped",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclmdlFinalizeDump() -> abi::aclError {
    refused(
        "aclmdlFinalizeDump",
        "the tensors inside a model are the engine's and cannot be dumped",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclopStartDumpArgs() -> abi::aclError {
    refused(
        "aclopStartDumpArgs",
        "arguments of operators are not dumped; MILLPOND_RECORDS shows what ran",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclopStopDumpArgs() -> abi::aclError {
    refused(
        "aclopStopDumpArgs",
        "arguments of operators are not dumped; MILLPOND_RECORDS shows what ran",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn rtDevBinaryRegister() -> c_int {
    refused_value(
        "rtDevBinaryRegister",
        "Millpond cannot run kernels for NPU cores",
        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn rtFunctionRegister() -> c_int {
    refused_value(
        "rtFunctionRegister",
        "Millpond cannot run kernels for NPU cores",
        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn rtKernelLaunch() -> c_int {
    refused_value(
        "rtKernelLaunch",
        "Millpond cannot run kernels for NPU cores",
        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn rtGetC2cCtrlAddr() -> c_int {
    refused_value(
        "rtGetC2cCtrlAddr",
        "there are no links between NPU cores",
        abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofStr2Id() -> usize {
    refused_value(
        "aclprofStr2Id",
        "its arguments are not documented; aclprofPush, aclprofPop and MSTX do the same",
        0,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofRangePushEx() -> abi::aclError {
    refused(
        "aclprofRangePushEx",
        "its arguments are not documented; aclprofPush, aclprofPop and MSTX do the same",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclprofRangePop() -> abi::aclError {
    refused(
        "aclprofRangePop",
        "its arguments are not documented; aclprofPush, aclprofPop and MSTX do the same",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetArgsFromExceptionInfo() -> abi::aclError {
    refused(
        "aclrtGetArgsFromExceptionInfo",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetFuncHandleFromExceptionInfo() -> abi::aclError {
    refused(
        "aclrtGetFuncHandleFromExceptionInfo",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinarySetExceptionCallback() -> abi::aclError {
    refused(
        "aclrtBinarySetExceptionCallback",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetSymbolAddress() -> abi::aclError {
    refused(
        "aclrtGetSymbolAddress",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetSymbolSize() -> abi::aclError {
    refused(
        "aclrtGetSymbolSize",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtMemcpyFromSymbol() -> abi::aclError {
    refused(
        "aclrtMemcpyFromSymbol",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtMemcpyFromSymbolAsync() -> abi::aclError {
    refused(
        "aclrtMemcpyFromSymbolAsync",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtMemcpyToSymbol() -> abi::aclError {
    refused(
        "aclrtMemcpyToSymbol",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtMemcpyToSymbolAsync() -> abi::aclError {
    refused(
        "aclrtMemcpyToSymbolAsync",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtBinaryGetGlobal() -> abi::aclError {
    refused(
        "aclrtBinaryGetGlobal",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetFuncBySymbol() -> abi::aclError {
    refused(
        "aclrtGetFuncBySymbol",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetFunctionSize() -> abi::aclError {
    refused(
        "aclrtGetFunctionSize",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtLaunchKernelWithArgsArray() -> abi::aclError {
    refused(
        "aclrtLaunchKernelWithArgsArray",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtLaunchSIMTKernelWithArgsArray() -> abi::aclError {
    refused(
        "aclrtLaunchSIMTKernelWithArgsArray",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtLaunchSIMTKernelWithHostArgs() -> abi::aclError {
    refused(
        "aclrtLaunchSIMTKernelWithHostArgs",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCheckArchCompatibility() -> abi::aclError {
    refused(
        "aclrtCheckArchCompatibility",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetFunctionAttribute() -> abi::aclError {
    refused(
        "aclrtGetFunctionAttribute",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtFunctionGetBinary() -> abi::aclError {
    refused(
        "aclrtFunctionGetBinary",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtFunctionGetParamCount() -> abi::aclError {
    refused(
        "aclrtFunctionGetParamCount",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtFunctionGetParamInfo() -> abi::aclError {
    refused(
        "aclrtFunctionGetParamInfo",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtFunctionGetAvailDynUbufPerBlock() -> abi::aclError {
    refused(
        "aclrtFunctionGetAvailDynUbufPerBlock",
        "Millpond cannot run kernels for NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCtxGetFloatOverflowAddr() -> abi::aclError {
    refused(
        "aclrtCtxGetFloatOverflowAddr",
        "use aclrtGetOverflowStatus and aclrtResetOverflowStatus",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetFloatOverflowStatus() -> abi::aclError {
    refused(
        "aclrtGetFloatOverflowStatus",
        "use aclrtGetOverflowStatus and aclrtResetOverflowStatus",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtResetFloatOverflowStatus() -> abi::aclError {
    refused(
        "aclrtResetFloatOverflowStatus",
        "use aclrtGetOverflowStatus and aclrtResetOverflowStatus",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtNpuGetFloatOverFlowStatus() -> abi::aclError {
    refused(
        "aclrtNpuGetFloatOverFlowStatus",
        "use aclrtGetOverflowStatus and aclrtResetOverflowStatus",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtNpuClearFloatOverFlowStatus() -> abi::aclError {
    refused(
        "aclrtNpuClearFloatOverFlowStatus",
        "use aclrtGetOverflowStatus and aclrtResetOverflowStatus",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetHardwareSyncAddr() -> abi::aclError {
    refused(
        "aclrtGetHardwareSyncAddr",
        "there are no links between NPU cores",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtRandomNumAsync() -> abi::aclError {
    refused("aclrtRandomNumAsync", "use the random operators of aclnnop")
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtProfTrace() -> abi::aclError {
    refused(
        "aclrtProfTrace",
        "nothing is taken from a program's own profiler: aclprofStart collects what the runtime knows",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtDeviceGetHostAtomicCapabilities() -> abi::aclError {
    refused(
        "aclrtDeviceGetHostAtomicCapabilities",
        "it asks for properties of NPU hardware",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtDeviceGetP2PAtomicCapabilities() -> abi::aclError {
    refused(
        "aclrtDeviceGetP2PAtomicCapabilities",
        "it asks for properties of NPU hardware",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclplatformGetDeviceInfo() -> abi::aclError {
    refused(
        "aclplatformGetDeviceInfo",
        "it asks for properties of NPU hardware",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclplatformGetInstructionInfo() -> abi::aclError {
    refused(
        "aclplatformGetInstructionInfo",
        "it asks for properties of NPU hardware",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtAllocBuf() -> abi::aclError {
    refused(
        "aclrtAllocBuf",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtFreeBuf() -> abi::aclError {
    refused(
        "aclrtFreeBuf",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtSetBufDataLen() -> abi::aclError {
    refused(
        "aclrtSetBufDataLen",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetBufDataLen() -> abi::aclError {
    refused(
        "aclrtGetBufDataLen",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetBufData() -> abi::aclError {
    refused(
        "aclrtGetBufData",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetBufUserData() -> abi::aclError {
    refused(
        "aclrtGetBufUserData",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtSetBufUserData() -> abi::aclError {
    refused(
        "aclrtSetBufUserData",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtCopyBufRef() -> abi::aclError {
    refused(
        "aclrtCopyBufRef",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtAppendBufChain() -> abi::aclError {
    refused(
        "aclrtAppendBufChain",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetBufChainNum() -> abi::aclError {
    refused(
        "aclrtGetBufChainNum",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn aclrtGetBufFromChain() -> abi::aclError {
    refused(
        "aclrtGetBufFromChain",
        "buffers that processes share through queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtCreateQueue() -> abi::aclError {
    refused(
        "acltdtCreateQueue",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtDestroyQueue() -> abi::aclError {
    refused(
        "acltdtDestroyQueue",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtEnqueue() -> abi::aclError {
    refused(
        "acltdtEnqueue",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtDequeue() -> abi::aclError {
    refused(
        "acltdtDequeue",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtEnqueueData() -> abi::aclError {
    refused(
        "acltdtEnqueueData",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtDequeueData() -> abi::aclError {
    refused(
        "acltdtDequeueData",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGrantQueue() -> abi::aclError {
    refused(
        "acltdtGrantQueue",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtAttachQueue() -> abi::aclError {
    refused(
        "acltdtAttachQueue",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtBindQueueRoutes() -> abi::aclError {
    refused(
        "acltdtBindQueueRoutes",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtUnbindQueueRoutes() -> abi::aclError {
    refused(
        "acltdtUnbindQueueRoutes",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtQueryQueueRoutes() -> abi::aclError {
    refused(
        "acltdtQueryQueueRoutes",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtAllocBuf() -> abi::aclError {
    refused(
        "acltdtAllocBuf",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtFreeBuf() -> abi::aclError {
    refused(
        "acltdtFreeBuf",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetBufData() -> abi::aclError {
    refused(
        "acltdtGetBufData",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtSetBufDataLen() -> abi::aclError {
    refused(
        "acltdtSetBufDataLen",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetBufDataLen() -> abi::aclError {
    refused(
        "acltdtGetBufDataLen",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtAppendBufChain() -> abi::aclError {
    refused(
        "acltdtAppendBufChain",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetBufChainNum() -> abi::aclError {
    refused(
        "acltdtGetBufChainNum",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetBufFromChain() -> abi::aclError {
    refused(
        "acltdtGetBufFromChain",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetBufUserData() -> abi::aclError {
    refused(
        "acltdtGetBufUserData",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtSetBufUserData() -> abi::aclError {
    refused(
        "acltdtSetBufUserData",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtCopyBufRef() -> abi::aclError {
    refused(
        "acltdtCopyBufRef",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtDestroyQueueAttr() -> abi::aclError {
    refused(
        "acltdtDestroyQueueAttr",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtSetQueueAttr() -> abi::aclError {
    refused(
        "acltdtSetQueueAttr",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetQueueAttr() -> abi::aclError {
    refused(
        "acltdtGetQueueAttr",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtDestroyQueueRoute() -> abi::aclError {
    refused(
        "acltdtDestroyQueueRoute",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetQueueRouteParam() -> abi::aclError {
    refused(
        "acltdtGetQueueRouteParam",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtDestroyQueueRouteList() -> abi::aclError {
    refused(
        "acltdtDestroyQueueRouteList",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtAddQueueRoute() -> abi::aclError {
    refused(
        "acltdtAddQueueRoute",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetQueueRoute() -> abi::aclError {
    refused(
        "acltdtGetQueueRoute",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtDestroyQueueRouteQueryInfo() -> abi::aclError {
    refused(
        "acltdtDestroyQueueRouteQueryInfo",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtSetQueueRouteQueryInfo() -> abi::aclError {
    refused(
        "acltdtSetQueueRouteQueryInfo",
        "queues are not supported; use channels (acltdtCreateChannel)",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtCreateQueueAttr() -> *mut c_void {
    refused_value(
        "acltdtCreateQueueAttr",
        "queues are not supported; use channels (acltdtCreateChannel)",
        null_mut(),
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtCreateQueueRoute() -> *mut c_void {
    refused_value(
        "acltdtCreateQueueRoute",
        "queues are not supported; use channels (acltdtCreateChannel)",
        null_mut(),
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtCreateQueueRouteList() -> *mut c_void {
    refused_value(
        "acltdtCreateQueueRouteList",
        "queues are not supported; use channels (acltdtCreateChannel)",
        null_mut(),
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtCreateQueueRouteQueryInfo() -> *mut c_void {
    refused_value(
        "acltdtCreateQueueRouteQueryInfo",
        "queues are not supported; use channels (acltdtCreateChannel)",
        null_mut(),
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acltdtGetQueueRouteNum() -> usize {
    refused_value(
        "acltdtGetQueueRouteNum",
        "queues are not supported; use channels (acltdtCreateChannel)",
        0,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldumpRegCallback() -> abi::aclError {
    refused(
        "acldumpRegCallback",
        "arguments of operators are not dumped; MILLPOND_RECORDS shows what ran",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldumpSaveExceptionInfo() -> abi::aclError {
    refused(
        "acldumpSaveExceptionInfo",
        "arguments of operators are not dumped; MILLPOND_RECORDS shows what ran",
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldumpUnregCallback() {
    refused_value(
        "acldumpUnregCallback",
        "arguments of operators are not dumped; MILLPOND_RECORDS shows what ran",
        (),
    );
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldumpGetPath() -> *mut c_void {
    refused_value(
        "acldumpGetPath",
        "arguments of operators are not dumped; MILLPOND_RECORDS shows what ran",
        null_mut(),
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn acldumpGetExceptionInfoPath() -> *mut c_void {
    refused_value(
        "acldumpGetExceptionInfoPath",
        "arguments of operators are not dumped; MILLPOND_RECORDS shows what ran",
        null_mut(),
    )
}
