//! The type of every function that the headers declare.
//!
//! Generated from `include/` by `cargo xtask generate`: change the header, not this file.

use core::ffi::{c_char, c_int, c_void};

use crate::{
    ACL_TENSOR_SHAPE_RANGE_NUM, ACL_TENSOR_VALUE_RANGE_NUM, HcclComm, HcclCommConfig, HcclConfig,
    HcclConfigValue, HcclDataType, HcclReduceOp, HcclResult, HcclRootInfo, HcclSendRecvItem,
    aclAippInfo, aclAippInputFormat, aclBoolArray, aclCANNPackageName, aclCANNPackageVersion,
    aclCannAttr, aclCompileOpt, aclComputeType, aclDataBuffer, aclDataDeallocator, aclDataType,
    aclDeviceInfo, aclError, aclFinalizeCallbackFunc, aclFloat16, aclFloatArray, aclFormat,
    aclGraphDumpOption, aclInitCallbackFunc, aclIntArray, aclLogLevel, aclMemType,
    aclOpCompileFlag, aclOpExecutor, aclRegisterCallbackType, aclScalar, aclScalarList,
    aclSysParamOpt, aclTensor, aclTensorDesc, aclTensorList, aclTransType, acldvppBatchPicDesc,
    acldvppChannelDesc, acldvppChannelDescParamType, acldvppJpegFormat, acldvppJpegeConfig,
    acldvppPicDesc, acldvppPixelFormat, acldvppResizeConfig, acldvppRoiConfig, acldvppStreamDesc,
    acldvppStreamFormat, aclmdlAIPP, aclmdlAttr, aclmdlAttrValue_t, aclmdlBatch,
    aclmdlBundleQueryInfo, aclmdlConfigAttr, aclmdlConfigHandle, aclmdlDataset, aclmdlDesc,
    aclmdlExeOMDesc, aclmdlExecConfigAttr, aclmdlExecConfigHandle, aclmdlHW, aclmdlIODims,
    aclmdlIODimsRange, aclmdlInputAippType, aclmdlModel, aclmdlRI, aclmdlRICaptureMode,
    aclmdlRICaptureStatus, aclmdlRICondHandle, aclmdlRICondTaskParams, aclnnStatus, aclopAttr,
    aclopCompileFunc, aclopCompileType, aclopEngineType, aclopHandle, aclopKernelDesc,
    aclprofAicoreEvents, aclprofAicoreMetrics, aclprofConfig, aclprofConfigType, aclprofStepInfo,
    aclprofStepTag, aclprofSubscribeConfig, aclprofSubscribeOpAttri, aclprofSubscribeOpFlag,
    aclrtAllocator, aclrtAllocatorAllocAdviseFunc, aclrtAllocatorAllocFunc, aclrtAllocatorDesc,
    aclrtAllocatorFreeFunc, aclrtAllocatorGetAddrFromBlockFunc, aclrtArgsHandle,
    aclrtBarrierTaskInfo, aclrtBinHandle, aclrtBinary, aclrtBinaryLoadOptions, aclrtCallback,
    aclrtCallbackBlockType, aclrtCmoType, aclrtCntNotify, aclrtCntNotifyRecordInfo,
    aclrtCntNotifyWaitInfo, aclrtCompareDataType, aclrtCondition, aclrtContext, aclrtDevAttr,
    aclrtDevFeatureType, aclrtDevResLimitType, aclrtDeviceLimit, aclrtDeviceStateCallback,
    aclrtDeviceStatus, aclrtDeviceTaskAbortCallback, aclrtDrvMemHandle, aclrtErrorInfo, aclrtEvent,
    aclrtEventRecordedStatus, aclrtEventStatus, aclrtEventWaitStatus, aclrtExceptionInfo,
    aclrtExceptionInfoCallback, aclrtFloatOverflowMode, aclrtFuncHandle, aclrtGroupAttr,
    aclrtGroupInfo, aclrtHacType, aclrtHostFunc, aclrtHostMemMapCapability, aclrtHostRegisterType,
    aclrtIpcEventHandle, aclrtIpcMemAttrType, aclrtLabel, aclrtLabelList, aclrtLastErrLevel,
    aclrtLaunchKernelCfg, aclrtMallocConfig, aclrtMemAccessDesc, aclrtMemAttr,
    aclrtMemGranularityOptions, aclrtMemHandleType, aclrtMemLinkType, aclrtMemLocation,
    aclrtMemMallocPolicy, aclrtMemManagedAdviseType, aclrtMemManagedLocation,
    aclrtMemManagedRangeAttribute, aclrtMemPool, aclrtMemPoolAttr, aclrtMemPoolProps,
    aclrtMemSharedHandleType, aclrtMemUceInfo, aclrtMemUsageInfo, aclrtMemcpyBatchAttr,
    aclrtMemcpyKind, aclrtNotify, aclrtParamHandle, aclrtPhysicalMemProp, aclrtPlaceHolderInfo,
    aclrtPtrAttributes, aclrtReduceKind, aclrtRunMode, aclrtServerPid, aclrtStream,
    aclrtStreamAttr, aclrtStreamAttrValue, aclrtStreamConfigAttr, aclrtStreamConfigHandle,
    aclrtStreamStateCallback, aclrtStreamStatus, aclrtTaskGrp, aclrtTsId, aclrtUtilizationInfo,
    aclrtUuid, acltdtChannelHandle, acltdtDataItem, acltdtDataset, acltdtTensorType,
    aclvdecCallback, aclvdecChannelDesc, aclvdecFrameConfig, aclvencCallback, aclvencChannelDesc,
    aclvencFrameConfig, drvError_t, millpondCheckFinding, millpondCheckFormat,
    millpondCheckOptions, millpondCheckSeverity, millpondCompileOption, millpondFrameProvider,
    millpondMemStatistics, millpondResetLevel, millpondStreamStatistics, millpondTimeMode,
    mstxDomainHandle_t, mstxGetModuleFuncTableFunc, mstxMemHeapDesc_t, mstxMemHeapHandle_t,
    mstxMemPermissionsAssignBatch_t, mstxMemRegionsRegisterBatch_t,
    mstxMemRegionsUnregisterBatch_t, mstxRangeId,
};

// acl/acl_base_mdl.h

/// `aclCreateTensorDesc` of `acl/acl_base_mdl.h`.
pub type aclCreateTensorDescFn = unsafe extern "C" fn(
    dataType: aclDataType,
    numDims: c_int,
    dims: *const i64,
    format: aclFormat,
) -> *mut aclTensorDesc;

/// `aclDestroyTensorDesc` of `acl/acl_base_mdl.h`.
pub type aclDestroyTensorDescFn = unsafe extern "C" fn(desc: *const aclTensorDesc);

/// `aclSetTensorShapeRange` of `acl/acl_base_mdl.h`.
pub type aclSetTensorShapeRangeFn = unsafe extern "C" fn(
    desc: *mut aclTensorDesc,
    dimsCount: usize,
    dimsRange: *mut [i64; ACL_TENSOR_SHAPE_RANGE_NUM],
) -> aclError;

/// `aclSetTensorValueRange` of `acl/acl_base_mdl.h`.
pub type aclSetTensorValueRangeFn = unsafe extern "C" fn(
    desc: *mut aclTensorDesc,
    valueCount: usize,
    valueRange: *mut [i64; ACL_TENSOR_VALUE_RANGE_NUM],
) -> aclError;

/// `aclGetTensorDescType` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescTypeFn = unsafe extern "C" fn(desc: *const aclTensorDesc) -> aclDataType;

/// `aclGetTensorDescFormat` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescFormatFn = unsafe extern "C" fn(desc: *const aclTensorDesc) -> aclFormat;

/// `aclGetTensorDescSize` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescSizeFn = unsafe extern "C" fn(desc: *const aclTensorDesc) -> usize;

/// `aclGetTensorDescElementCount` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescElementCountFn = unsafe extern "C" fn(desc: *const aclTensorDesc) -> usize;

/// `aclGetTensorDescNumDims` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescNumDimsFn = unsafe extern "C" fn(desc: *const aclTensorDesc) -> usize;

/// `aclGetTensorDescDim` of `acl/acl_base_mdl.h`. Deprecated: use aclGetTensorDescDimV2.
pub type aclGetTensorDescDimFn =
    unsafe extern "C" fn(desc: *const aclTensorDesc, index: usize) -> i64;

/// `aclGetTensorDescDimV2` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescDimV2Fn =
    unsafe extern "C" fn(desc: *const aclTensorDesc, index: usize, dimSize: *mut i64) -> aclError;

/// `aclGetTensorDescDimRange` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescDimRangeFn = unsafe extern "C" fn(
    desc: *const aclTensorDesc,
    index: usize,
    dimRangeNum: usize,
    dimRange: *mut i64,
) -> aclError;

/// `aclSetTensorDescName` of `acl/acl_base_mdl.h`.
pub type aclSetTensorDescNameFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, name: *const c_char);

/// `aclGetTensorDescName` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescNameFn = unsafe extern "C" fn(desc: *mut aclTensorDesc) -> *const c_char;

/// `aclTransTensorDescFormat` of `acl/acl_base_mdl.h`.
pub type aclTransTensorDescFormatFn = unsafe extern "C" fn(
    srcDesc: *const aclTensorDesc,
    dstFormat: aclFormat,
    dstDesc: *mut *mut aclTensorDesc,
) -> aclError;

/// `aclSetTensorStorageFormat` of `acl/acl_base_mdl.h`. Deprecated: use aclSetTensorFormat.
pub type aclSetTensorStorageFormatFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, format: aclFormat) -> aclError;

/// `aclSetTensorStorageShape` of `acl/acl_base_mdl.h`. Deprecated: use aclSetTensorShape.
pub type aclSetTensorStorageShapeFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, numDims: c_int, dims: *const i64) -> aclError;

/// `aclSetTensorFormat` of `acl/acl_base_mdl.h`.
pub type aclSetTensorFormatFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, format: aclFormat) -> aclError;

/// `aclSetTensorShape` of `acl/acl_base_mdl.h`.
pub type aclSetTensorShapeFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, numDims: c_int, dims: *const i64) -> aclError;

/// `aclSetTensorOriginFormat` of `acl/acl_base_mdl.h`.
pub type aclSetTensorOriginFormatFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, format: aclFormat) -> aclError;

/// `aclSetTensorOriginShape` of `acl/acl_base_mdl.h`.
pub type aclSetTensorOriginShapeFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, numDims: c_int, dims: *const i64) -> aclError;

/// `aclGetTensorDescByIndex` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescByIndexFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, index: usize) -> *mut aclTensorDesc;

/// `aclGetTensorDescAddress` of `acl/acl_base_mdl.h`.
pub type aclGetTensorDescAddressFn =
    unsafe extern "C" fn(desc: *const aclTensorDesc) -> *mut c_void;

/// `aclSetTensorDynamicInput` of `acl/acl_base_mdl.h`.
pub type aclSetTensorDynamicInputFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, dynamicInputName: *const c_char) -> aclError;

/// `aclSetTensorConst` of `acl/acl_base_mdl.h`.
pub type aclSetTensorConstFn = unsafe extern "C" fn(
    desc: *mut aclTensorDesc,
    dataBuffer: *mut c_void,
    length: usize,
) -> aclError;

/// `aclSetTensorPlaceMent` of `acl/acl_base_mdl.h`.
pub type aclSetTensorPlaceMentFn =
    unsafe extern "C" fn(desc: *mut aclTensorDesc, memType: aclMemType) -> aclError;

// acl/acl_base_rt.h

/// `aclFloat16ToFloat` of `acl/acl_base_rt.h`.
pub type aclFloat16ToFloatFn = unsafe extern "C" fn(value: aclFloat16) -> f32;

/// `aclFloatToFloat16` of `acl/acl_base_rt.h`.
pub type aclFloatToFloat16Fn = unsafe extern "C" fn(value: f32) -> aclFloat16;

/// `aclCreateDataBuffer` of `acl/acl_base_rt.h`.
pub type aclCreateDataBufferFn =
    unsafe extern "C" fn(data: *mut c_void, size: usize) -> *mut aclDataBuffer;

/// `aclDestroyDataBuffer` of `acl/acl_base_rt.h`.
pub type aclDestroyDataBufferFn =
    unsafe extern "C" fn(dataBuffer: *const aclDataBuffer) -> aclError;

/// `aclUpdateDataBuffer` of `acl/acl_base_rt.h`.
pub type aclUpdateDataBufferFn = unsafe extern "C" fn(
    dataBuffer: *mut aclDataBuffer,
    data: *mut c_void,
    size: usize,
) -> aclError;

/// `aclGetDataBufferAddr` of `acl/acl_base_rt.h`.
pub type aclGetDataBufferAddrFn =
    unsafe extern "C" fn(dataBuffer: *const aclDataBuffer) -> *mut c_void;

/// `aclGetDataBufferSize` of `acl/acl_base_rt.h`. Deprecated: use aclGetDataBufferSizeV2.
pub type aclGetDataBufferSizeFn = unsafe extern "C" fn(dataBuffer: *const aclDataBuffer) -> u32;

/// `aclGetDataBufferSizeV2` of `acl/acl_base_rt.h`.
pub type aclGetDataBufferSizeV2Fn = unsafe extern "C" fn(dataBuffer: *const aclDataBuffer) -> usize;

/// `aclDataTypeSize` of `acl/acl_base_rt.h`.
pub type aclDataTypeSizeFn = unsafe extern "C" fn(dataType: aclDataType) -> usize;

/// `aclrtGetSocName` of `acl/acl_base_rt.h`.
pub type aclrtGetSocNameFn = unsafe extern "C" fn() -> *const c_char;

/// `aclGetCannAttributeList` of `acl/acl_base_rt.h`.
pub type aclGetCannAttributeListFn =
    unsafe extern "C" fn(cannAttrList: *mut *const aclCannAttr, num: *mut usize) -> aclError;

/// `aclGetCannAttribute` of `acl/acl_base_rt.h`.
pub type aclGetCannAttributeFn =
    unsafe extern "C" fn(cannAttr: aclCannAttr, value: *mut i32) -> aclError;

/// `aclGetDeviceCapability` of `acl/acl_base_rt.h`.
pub type aclGetDeviceCapabilityFn =
    unsafe extern "C" fn(deviceId: u32, deviceInfo: aclDeviceInfo, value: *mut i64) -> aclError;

/// `aclAppLog` of `acl/acl_base_rt.h`.
pub type aclAppLogFn = unsafe extern "C" fn(
    logLevel: aclLogLevel,
    func: *const c_char,
    file: *const c_char,
    line: u32,
    fmt: *const c_char,
    ...
);

// acl/acl_mdl.h

/// `aclmdlCreateDesc` of `acl/acl_mdl.h`.
pub type aclmdlCreateDescFn = unsafe extern "C" fn() -> *mut aclmdlDesc;

/// `aclmdlDestroyDesc` of `acl/acl_mdl.h`.
pub type aclmdlDestroyDescFn = unsafe extern "C" fn(modelDesc: *mut aclmdlDesc) -> aclError;

/// `aclmdlGetDesc` of `acl/acl_mdl.h`.
pub type aclmdlGetDescFn =
    unsafe extern "C" fn(modelDesc: *mut aclmdlDesc, modelId: u32) -> aclError;

/// `aclmdlGetDescFromFile` of `acl/acl_mdl.h`.
pub type aclmdlGetDescFromFileFn =
    unsafe extern "C" fn(modelDesc: *mut aclmdlDesc, modelPath: *const c_char) -> aclError;

/// `aclmdlGetDescFromMem` of `acl/acl_mdl.h`.
pub type aclmdlGetDescFromMemFn = unsafe extern "C" fn(
    modelDesc: *mut aclmdlDesc,
    model: *const c_void,
    modelSize: usize,
) -> aclError;

/// `aclmdlGetNumInputs` of `acl/acl_mdl.h`.
pub type aclmdlGetNumInputsFn = unsafe extern "C" fn(modelDesc: *mut aclmdlDesc) -> usize;

/// `aclmdlGetNumOutputs` of `acl/acl_mdl.h`.
pub type aclmdlGetNumOutputsFn = unsafe extern "C" fn(modelDesc: *mut aclmdlDesc) -> usize;

/// `aclmdlGetInputSizeByIndex` of `acl/acl_mdl.h`.
pub type aclmdlGetInputSizeByIndexFn =
    unsafe extern "C" fn(modelDesc: *mut aclmdlDesc, index: usize) -> usize;

/// `aclmdlGetOutputSizeByIndex` of `acl/acl_mdl.h`.
pub type aclmdlGetOutputSizeByIndexFn =
    unsafe extern "C" fn(modelDesc: *mut aclmdlDesc, index: usize) -> usize;

/// `aclmdlGetInputDims` of `acl/acl_mdl.h`.
pub type aclmdlGetInputDimsFn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    index: usize,
    dims: *mut aclmdlIODims,
) -> aclError;

/// `aclmdlGetInputDimsV2` of `acl/acl_mdl.h`.
pub type aclmdlGetInputDimsV2Fn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    index: usize,
    dims: *mut aclmdlIODims,
) -> aclError;

/// `aclmdlGetInputDimsRange` of `acl/acl_mdl.h`.
pub type aclmdlGetInputDimsRangeFn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    index: usize,
    dimsRange: *mut aclmdlIODimsRange,
) -> aclError;

/// `aclmdlGetOutputDims` of `acl/acl_mdl.h`.
pub type aclmdlGetOutputDimsFn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    index: usize,
    dims: *mut aclmdlIODims,
) -> aclError;

/// `aclmdlGetCurOutputDims` of `acl/acl_mdl.h`.
pub type aclmdlGetCurOutputDimsFn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    index: usize,
    dims: *mut aclmdlIODims,
) -> aclError;

/// `aclmdlGetInputNameByIndex` of `acl/acl_mdl.h`.
pub type aclmdlGetInputNameByIndexFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, index: usize) -> *const c_char;

/// `aclmdlGetOutputNameByIndex` of `acl/acl_mdl.h`.
pub type aclmdlGetOutputNameByIndexFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, index: usize) -> *const c_char;

/// `aclmdlGetInputIndexByName` of `acl/acl_mdl.h`.
pub type aclmdlGetInputIndexByNameFn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    name: *const c_char,
    index: *mut usize,
) -> aclError;

/// `aclmdlGetOutputIndexByName` of `acl/acl_mdl.h`.
pub type aclmdlGetOutputIndexByNameFn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    name: *const c_char,
    index: *mut usize,
) -> aclError;

/// `aclmdlGetInputFormat` of `acl/acl_mdl.h`.
pub type aclmdlGetInputFormatFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, index: usize) -> aclFormat;

/// `aclmdlGetOutputFormat` of `acl/acl_mdl.h`.
pub type aclmdlGetOutputFormatFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, index: usize) -> aclFormat;

/// `aclmdlGetInputDataType` of `acl/acl_mdl.h`.
pub type aclmdlGetInputDataTypeFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, index: usize) -> aclDataType;

/// `aclmdlGetOutputDataType` of `acl/acl_mdl.h`.
pub type aclmdlGetOutputDataTypeFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, index: usize) -> aclDataType;

/// `aclmdlGetTensorRealName` of `acl/acl_mdl.h`.
pub type aclmdlGetTensorRealNameFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, name: *const c_char) -> *const c_char;

/// `aclmdlGetOpAttr` of `acl/acl_mdl.h`.
pub type aclmdlGetOpAttrFn = unsafe extern "C" fn(
    modelDesc: *mut aclmdlDesc,
    opName: *const c_char,
    attr: *const c_char,
) -> *const c_char;

/// `aclmdlCreateDataset` of `acl/acl_mdl.h`.
pub type aclmdlCreateDatasetFn = unsafe extern "C" fn() -> *mut aclmdlDataset;

/// `aclmdlDestroyDataset` of `acl/acl_mdl.h`.
pub type aclmdlDestroyDatasetFn = unsafe extern "C" fn(dataset: *const aclmdlDataset) -> aclError;

/// `aclmdlAddDatasetBuffer` of `acl/acl_mdl.h`.
pub type aclmdlAddDatasetBufferFn =
    unsafe extern "C" fn(dataset: *mut aclmdlDataset, dataBuffer: *mut aclDataBuffer) -> aclError;

/// `aclmdlGetDatasetNumBuffers` of `acl/acl_mdl.h`.
pub type aclmdlGetDatasetNumBuffersFn =
    unsafe extern "C" fn(dataset: *const aclmdlDataset) -> usize;

/// `aclmdlGetDatasetBuffer` of `acl/acl_mdl.h`.
pub type aclmdlGetDatasetBufferFn =
    unsafe extern "C" fn(dataset: *const aclmdlDataset, index: usize) -> *mut aclDataBuffer;

/// `aclmdlSetDatasetTensorDesc` of `acl/acl_mdl.h`.
pub type aclmdlSetDatasetTensorDescFn = unsafe extern "C" fn(
    dataset: *mut aclmdlDataset,
    tensorDesc: *mut aclTensorDesc,
    index: usize,
) -> aclError;

/// `aclmdlGetDatasetTensorDesc` of `acl/acl_mdl.h`.
pub type aclmdlGetDatasetTensorDescFn =
    unsafe extern "C" fn(dataset: *const aclmdlDataset, index: usize) -> *mut aclTensorDesc;

/// `aclmdlQuerySize` of `acl/acl_mdl.h`.
pub type aclmdlQuerySizeFn = unsafe extern "C" fn(
    fileName: *const c_char,
    workSize: *mut usize,
    weightSize: *mut usize,
) -> aclError;

/// `aclmdlQuerySizeFromMem` of `acl/acl_mdl.h`.
pub type aclmdlQuerySizeFromMemFn = unsafe extern "C" fn(
    model: *const c_void,
    modelSize: usize,
    workSize: *mut usize,
    weightSize: *mut usize,
) -> aclError;

/// `aclmdlQueryExeOMDesc` of `acl/acl_mdl.h`.
pub type aclmdlQueryExeOMDescFn = unsafe extern "C" fn(
    fileName: *const c_char,
    mdlPartitionSize: *mut aclmdlExeOMDesc,
) -> aclError;

/// `aclmdlLoadFromFile` of `acl/acl_mdl.h`.
pub type aclmdlLoadFromFileFn =
    unsafe extern "C" fn(modelPath: *const c_char, modelId: *mut u32) -> aclError;

/// `aclmdlLoadFromMem` of `acl/acl_mdl.h`.
pub type aclmdlLoadFromMemFn =
    unsafe extern "C" fn(model: *const c_void, modelSize: usize, modelId: *mut u32) -> aclError;

/// `aclmdlLoadFromFileWithMem` of `acl/acl_mdl.h`.
pub type aclmdlLoadFromFileWithMemFn = unsafe extern "C" fn(
    modelPath: *const c_char,
    modelId: *mut u32,
    workPtr: *mut c_void,
    workSize: usize,
    weightPtr: *mut c_void,
    weightSize: usize,
) -> aclError;

/// `aclmdlLoadFromMemWithMem` of `acl/acl_mdl.h`.
pub type aclmdlLoadFromMemWithMemFn = unsafe extern "C" fn(
    model: *const c_void,
    modelSize: usize,
    modelId: *mut u32,
    workPtr: *mut c_void,
    workSize: usize,
    weightPtr: *mut c_void,
    weightSize: usize,
) -> aclError;

/// `aclmdlLoadFromFileWithQ` of `acl/acl_mdl.h`.
pub type aclmdlLoadFromFileWithQFn = unsafe extern "C" fn(
    modelPath: *const c_char,
    modelId: *mut u32,
    inputQ: *const u32,
    inputQNum: usize,
    outputQ: *const u32,
    outputQNum: usize,
) -> aclError;

/// `aclmdlLoadFromMemWithQ` of `acl/acl_mdl.h`.
pub type aclmdlLoadFromMemWithQFn = unsafe extern "C" fn(
    model: *const c_void,
    modelSize: usize,
    modelId: *mut u32,
    inputQ: *const u32,
    inputQNum: usize,
    outputQ: *const u32,
    outputQNum: usize,
) -> aclError;

/// `aclmdlLoadFromModel` of `acl/acl_mdl.h`.
pub type aclmdlLoadFromModelFn = unsafe extern "C" fn(
    model: *const aclmdlModel,
    handle: *const aclmdlConfigHandle,
    modelId: *mut u32,
) -> aclError;

/// `aclmdlUnload` of `acl/acl_mdl.h`.
pub type aclmdlUnloadFn = unsafe extern "C" fn(modelId: u32) -> aclError;

/// `aclmdlCreateConfigHandle` of `acl/acl_mdl.h`.
pub type aclmdlCreateConfigHandleFn = unsafe extern "C" fn() -> *mut aclmdlConfigHandle;

/// `aclmdlDestroyConfigHandle` of `acl/acl_mdl.h`.
pub type aclmdlDestroyConfigHandleFn =
    unsafe extern "C" fn(handle: *mut aclmdlConfigHandle) -> aclError;

/// `aclmdlSetConfigOpt` of `acl/acl_mdl.h`.
pub type aclmdlSetConfigOptFn = unsafe extern "C" fn(
    handle: *mut aclmdlConfigHandle,
    attr: aclmdlConfigAttr,
    attrValue: *const c_void,
    valueSize: usize,
) -> aclError;

/// `aclmdlSetExternalWeightAddress` of `acl/acl_mdl.h`.
pub type aclmdlSetExternalWeightAddressFn = unsafe extern "C" fn(
    handle: *mut aclmdlConfigHandle,
    weightFileName: *const c_char,
    devPtr: *mut c_void,
    size: usize,
) -> aclError;

/// `aclmdlLoadWithConfig` of `acl/acl_mdl.h`.
pub type aclmdlLoadWithConfigFn =
    unsafe extern "C" fn(handle: *const aclmdlConfigHandle, modelId: *mut u32) -> aclError;

/// `aclmdlExecute` of `acl/acl_mdl.h`.
pub type aclmdlExecuteFn = unsafe extern "C" fn(
    modelId: u32,
    input: *const aclmdlDataset,
    output: *mut aclmdlDataset,
) -> aclError;

/// `aclmdlExecuteV2` of `acl/acl_mdl.h`.
pub type aclmdlExecuteV2Fn = unsafe extern "C" fn(
    modelId: u32,
    input: *const aclmdlDataset,
    output: *mut aclmdlDataset,
    stream: aclrtStream,
    handle: *const aclmdlExecConfigHandle,
) -> aclError;

/// `aclmdlExecuteAsync` of `acl/acl_mdl.h`.
pub type aclmdlExecuteAsyncFn = unsafe extern "C" fn(
    modelId: u32,
    input: *const aclmdlDataset,
    output: *mut aclmdlDataset,
    stream: aclrtStream,
) -> aclError;

/// `aclmdlExecuteAsyncV2` of `acl/acl_mdl.h`.
pub type aclmdlExecuteAsyncV2Fn = unsafe extern "C" fn(
    modelId: u32,
    input: *const aclmdlDataset,
    output: *mut aclmdlDataset,
    stream: aclrtStream,
    handle: *const aclmdlExecConfigHandle,
) -> aclError;

/// `aclmdlCreateExecConfigHandle` of `acl/acl_mdl.h`.
pub type aclmdlCreateExecConfigHandleFn = unsafe extern "C" fn() -> *mut aclmdlExecConfigHandle;

/// `aclmdlDestroyExecConfigHandle` of `acl/acl_mdl.h`.
pub type aclmdlDestroyExecConfigHandleFn =
    unsafe extern "C" fn(handle: *const aclmdlExecConfigHandle) -> aclError;

/// `aclmdlSetExecConfigOpt` of `acl/acl_mdl.h`.
pub type aclmdlSetExecConfigOptFn = unsafe extern "C" fn(
    handle: *mut aclmdlExecConfigHandle,
    attr: aclmdlExecConfigAttr,
    attrValue: *const c_void,
    valueSize: usize,
) -> aclError;

/// `aclmdlSetAttribute` of `acl/acl_mdl.h`.
pub type aclmdlSetAttributeFn = unsafe extern "C" fn(
    modelId: u32,
    attr: aclmdlAttr,
    attrValue: *mut aclmdlAttrValue_t,
) -> aclError;

/// `aclmdlGetAttribute` of `acl/acl_mdl.h`.
pub type aclmdlGetAttributeFn = unsafe extern "C" fn(
    modelId: u32,
    attr: aclmdlAttr,
    attrValue: *mut aclmdlAttrValue_t,
) -> aclError;

/// `aclmdlCreateAndGetOpDesc` of `acl/acl_mdl.h`.
pub type aclmdlCreateAndGetOpDescFn = unsafe extern "C" fn(
    deviceId: u32,
    streamId: u32,
    taskId: u32,
    opName: *mut c_char,
    opNameLen: usize,
    inputDesc: *mut *mut aclTensorDesc,
    numInputs: *mut usize,
    outputDesc: *mut *mut aclTensorDesc,
    numOutputs: *mut usize,
) -> aclError;

/// `aclRecoverAllHcclTasks` of `acl/acl_mdl.h`.
pub type aclRecoverAllHcclTasksFn = unsafe extern "C" fn(deviceId: i32) -> aclError;

/// `aclmdlGetDynamicBatch` of `acl/acl_mdl.h`.
pub type aclmdlGetDynamicBatchFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, batch: *mut aclmdlBatch) -> aclError;

/// `aclmdlSetDynamicBatchSize` of `acl/acl_mdl.h`.
pub type aclmdlSetDynamicBatchSizeFn = unsafe extern "C" fn(
    modelId: u32,
    dataset: *mut aclmdlDataset,
    index: usize,
    batchSize: u64,
) -> aclError;

/// `aclmdlGetDynamicHW` of `acl/acl_mdl.h`.
pub type aclmdlGetDynamicHWFn =
    unsafe extern "C" fn(modelDesc: *const aclmdlDesc, index: usize, hw: *mut aclmdlHW) -> aclError;

/// `aclmdlSetDynamicHWSize` of `acl/acl_mdl.h`.
pub type aclmdlSetDynamicHWSizeFn = unsafe extern "C" fn(
    modelId: u32,
    dataset: *mut aclmdlDataset,
    index: usize,
    height: u64,
    width: u64,
) -> aclError;

/// `aclmdlGetInputDynamicGearCount` of `acl/acl_mdl.h`.
pub type aclmdlGetInputDynamicGearCountFn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    index: usize,
    gearCount: *mut usize,
) -> aclError;

/// `aclmdlGetInputDynamicDims` of `acl/acl_mdl.h`.
pub type aclmdlGetInputDynamicDimsFn = unsafe extern "C" fn(
    modelDesc: *const aclmdlDesc,
    index: usize,
    dims: *mut aclmdlIODims,
    gearCount: usize,
) -> aclError;

/// `aclmdlSetInputDynamicDims` of `acl/acl_mdl.h`.
pub type aclmdlSetInputDynamicDimsFn = unsafe extern "C" fn(
    modelId: u32,
    dataset: *mut aclmdlDataset,
    index: usize,
    dims: *const aclmdlIODims,
) -> aclError;

/// `aclmdlCreateAIPP` of `acl/acl_mdl.h`.
pub type aclmdlCreateAIPPFn = unsafe extern "C" fn(batchSize: u64) -> *mut aclmdlAIPP;

/// `aclmdlDestroyAIPP` of `acl/acl_mdl.h`.
pub type aclmdlDestroyAIPPFn = unsafe extern "C" fn(aippParmsSet: *const aclmdlAIPP) -> aclError;

/// `aclmdlGetAippDataSize` of `acl/acl_mdl.h`.
pub type aclmdlGetAippDataSizeFn =
    unsafe extern "C" fn(batchSize: u64, size: *mut usize) -> aclError;

/// `aclmdlSetAIPPInputFormat` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPInputFormatFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    inputFormat: aclAippInputFormat,
) -> aclError;

/// `aclmdlSetAIPPCscParams` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPCscParamsFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    cscSwitch: i8,
    cscMatrixR0C0: i16,
    cscMatrixR0C1: i16,
    cscMatrixR0C2: i16,
    cscMatrixR1C0: i16,
    cscMatrixR1C1: i16,
    cscMatrixR1C2: i16,
    cscMatrixR2C0: i16,
    cscMatrixR2C1: i16,
    cscMatrixR2C2: i16,
    cscOutputBiasR0: u8,
    cscOutputBiasR1: u8,
    cscOutputBiasR2: u8,
    cscInputBiasR0: u8,
    cscInputBiasR1: u8,
    cscInputBiasR2: u8,
) -> aclError;

/// `aclmdlSetAIPPRbuvSwapSwitch` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPRbuvSwapSwitchFn =
    unsafe extern "C" fn(aippParmsSet: *mut aclmdlAIPP, rbuvSwapSwitch: i8) -> aclError;

/// `aclmdlSetAIPPAxSwapSwitch` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPAxSwapSwitchFn =
    unsafe extern "C" fn(aippParmsSet: *mut aclmdlAIPP, axSwapSwitch: i8) -> aclError;

/// `aclmdlSetAIPPSrcImageSize` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPSrcImageSizeFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    srcImageSizeW: i32,
    srcImageSizeH: i32,
) -> aclError;

/// `aclmdlSetAIPPScfParams` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPScfParamsFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    scfSwitch: i8,
    scfInputSizeW: i32,
    scfInputSizeH: i32,
    scfOutputSizeW: i32,
    scfOutputSizeH: i32,
    batchIndex: u64,
) -> aclError;

/// `aclmdlSetAIPPCropParams` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPCropParamsFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    cropSwitch: i8,
    cropStartPosW: i32,
    cropStartPosH: i32,
    cropSizeW: i32,
    cropSizeH: i32,
    batchIndex: u64,
) -> aclError;

/// `aclmdlSetAIPPPaddingParams` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPPaddingParamsFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    paddingSwitch: i8,
    paddingSizeTop: i32,
    paddingSizeBottom: i32,
    paddingSizeLeft: i32,
    paddingSizeRight: i32,
    batchIndex: u64,
) -> aclError;

/// `aclmdlSetAIPPDtcPixelMean` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPDtcPixelMeanFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    dtcPixelMeanChn0: i16,
    dtcPixelMeanChn1: i16,
    dtcPixelMeanChn2: i16,
    dtcPixelMeanChn3: i16,
    batchIndex: u64,
) -> aclError;

/// `aclmdlSetAIPPDtcPixelMin` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPDtcPixelMinFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    dtcPixelMinChn0: f32,
    dtcPixelMinChn1: f32,
    dtcPixelMinChn2: f32,
    dtcPixelMinChn3: f32,
    batchIndex: u64,
) -> aclError;

/// `aclmdlSetAIPPPixelVarReci` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPPixelVarReciFn = unsafe extern "C" fn(
    aippParmsSet: *mut aclmdlAIPP,
    dtcPixelVarReciChn0: f32,
    dtcPixelVarReciChn1: f32,
    dtcPixelVarReciChn2: f32,
    dtcPixelVarReciChn3: f32,
    batchIndex: u64,
) -> aclError;

/// `aclmdlSetInputAIPP` of `acl/acl_mdl.h`.
pub type aclmdlSetInputAIPPFn = unsafe extern "C" fn(
    modelId: u32,
    dataset: *mut aclmdlDataset,
    index: usize,
    aippParmsSet: *const aclmdlAIPP,
) -> aclError;

/// `aclmdlSetAIPPByInputIndex` of `acl/acl_mdl.h`.
pub type aclmdlSetAIPPByInputIndexFn = unsafe extern "C" fn(
    modelId: u32,
    dataset: *mut aclmdlDataset,
    index: usize,
    aippParmsSet: *const aclmdlAIPP,
) -> aclError;

/// `aclmdlGetAippType` of `acl/acl_mdl.h`.
pub type aclmdlGetAippTypeFn = unsafe extern "C" fn(
    modelId: u32,
    index: usize,
    r#type: *mut aclmdlInputAippType,
    dynamicAttachedDataIndex: *mut usize,
) -> aclError;

/// `aclmdlGetFirstAippInfo` of `acl/acl_mdl.h`.
pub type aclmdlGetFirstAippInfoFn =
    unsafe extern "C" fn(modelId: u32, index: usize, aippInfo: *mut aclAippInfo) -> aclError;

/// `aclmdlBundleLoadFromFile` of `acl/acl_mdl.h`.
pub type aclmdlBundleLoadFromFileFn =
    unsafe extern "C" fn(modelPath: *const c_char, bundleId: *mut u32) -> aclError;

/// `aclmdlBundleLoadFromMem` of `acl/acl_mdl.h`.
pub type aclmdlBundleLoadFromMemFn =
    unsafe extern "C" fn(model: *const c_void, modelSize: usize, bundleId: *mut u32) -> aclError;

/// `aclmdlBundleUnload` of `acl/acl_mdl.h`.
pub type aclmdlBundleUnloadFn = unsafe extern "C" fn(bundleId: u32) -> aclError;

/// `aclmdlBundleGetModelNum` of `acl/acl_mdl.h`.
pub type aclmdlBundleGetModelNumFn =
    unsafe extern "C" fn(bundleId: u32, modelNum: *mut usize) -> aclError;

/// `aclmdlBundleGetModelId` of `acl/acl_mdl.h`.
pub type aclmdlBundleGetModelIdFn =
    unsafe extern "C" fn(bundleId: u32, index: usize, modelId: *mut u32) -> aclError;

/// `aclmdlBundleCreateQueryInfo` of `acl/acl_mdl.h`.
pub type aclmdlBundleCreateQueryInfoFn = unsafe extern "C" fn() -> *mut aclmdlBundleQueryInfo;

/// `aclmdlBundleDestroyQueryInfo` of `acl/acl_mdl.h`.
pub type aclmdlBundleDestroyQueryInfoFn =
    unsafe extern "C" fn(queryInfo: *mut aclmdlBundleQueryInfo) -> aclError;

/// `aclmdlBundleQueryInfoFromFile` of `acl/acl_mdl.h`.
pub type aclmdlBundleQueryInfoFromFileFn = unsafe extern "C" fn(
    fileName: *const c_char,
    queryInfo: *mut aclmdlBundleQueryInfo,
) -> aclError;

/// `aclmdlBundleQueryInfoFromMem` of `acl/acl_mdl.h`.
pub type aclmdlBundleQueryInfoFromMemFn = unsafe extern "C" fn(
    model: *const c_void,
    modelSize: usize,
    queryInfo: *mut aclmdlBundleQueryInfo,
) -> aclError;

/// `aclmdlBundleGetQueryModelNum` of `acl/acl_mdl.h`.
pub type aclmdlBundleGetQueryModelNumFn =
    unsafe extern "C" fn(queryInfo: *const aclmdlBundleQueryInfo, modelNum: *mut usize) -> aclError;

/// `aclmdlBundleGetVarWeightSize` of `acl/acl_mdl.h`.
pub type aclmdlBundleGetVarWeightSizeFn = unsafe extern "C" fn(
    queryInfo: *const aclmdlBundleQueryInfo,
    variableWeightSize: *mut usize,
) -> aclError;

/// `aclmdlBundleGetSize` of `acl/acl_mdl.h`.
pub type aclmdlBundleGetSizeFn = unsafe extern "C" fn(
    queryInfo: *const aclmdlBundleQueryInfo,
    index: usize,
    workSize: *mut usize,
    constWeightSize: *mut usize,
) -> aclError;

/// `aclmdlBundleInitFromFile` of `acl/acl_mdl.h`.
pub type aclmdlBundleInitFromFileFn = unsafe extern "C" fn(
    modelPath: *const c_char,
    varWeightPtr: *mut c_void,
    varWeightSize: usize,
    bundleId: *mut u32,
) -> aclError;

/// `aclmdlBundleInitFromMem` of `acl/acl_mdl.h`.
pub type aclmdlBundleInitFromMemFn = unsafe extern "C" fn(
    model: *const c_void,
    modelSize: usize,
    varWeightPtr: *mut c_void,
    varWeightSize: usize,
    bundleId: *mut u32,
) -> aclError;

/// `aclmdlBundleLoadModel` of `acl/acl_mdl.h`.
pub type aclmdlBundleLoadModelFn =
    unsafe extern "C" fn(bundleId: u32, index: usize, modelId: *mut u32) -> aclError;

/// `aclmdlBundleLoadModelWithMem` of `acl/acl_mdl.h`.
pub type aclmdlBundleLoadModelWithMemFn = unsafe extern "C" fn(
    bundleId: u32,
    index: usize,
    workPtr: *mut c_void,
    workSize: usize,
    weightPtr: *mut c_void,
    weightSize: usize,
    modelId: *mut u32,
) -> aclError;

/// `aclmdlBundleLoadModelWithConfig` of `acl/acl_mdl.h`.
pub type aclmdlBundleLoadModelWithConfigFn = unsafe extern "C" fn(
    bundleId: u32,
    index: usize,
    handle: *mut aclmdlConfigHandle,
    modelId: *mut u32,
) -> aclError;

/// `aclmdlBundleUnloadModel` of `acl/acl_mdl.h`.
pub type aclmdlBundleUnloadModelFn = unsafe extern "C" fn(bundleId: u32, modelId: u32) -> aclError;

// acl/acl_op.h

/// `aclopSetModelDir` of `acl/acl_op.h`.
pub type aclopSetModelDirFn = unsafe extern "C" fn(modelDir: *const c_char) -> aclError;

/// `aclopLoad` of `acl/acl_op.h`.
pub type aclopLoadFn = unsafe extern "C" fn(model: *const c_void, modelSize: usize) -> aclError;

/// `aclopSetMaxOpQueueNum` of `acl/acl_op.h`.
pub type aclopSetMaxOpQueueNumFn = unsafe extern "C" fn(maxOpNum: u64) -> aclError;

/// `aclopCreateAttr` of `acl/acl_op.h`.
pub type aclopCreateAttrFn = unsafe extern "C" fn() -> *mut aclopAttr;

/// `aclopDestroyAttr` of `acl/acl_op.h`.
pub type aclopDestroyAttrFn = unsafe extern "C" fn(attr: *const aclopAttr);

/// `aclopSetAttrBool` of `acl/acl_op.h`.
pub type aclopSetAttrBoolFn =
    unsafe extern "C" fn(attr: *mut aclopAttr, attrName: *const c_char, attrValue: u8) -> aclError;

/// `aclopSetAttrInt` of `acl/acl_op.h`.
pub type aclopSetAttrIntFn =
    unsafe extern "C" fn(attr: *mut aclopAttr, attrName: *const c_char, attrValue: i64) -> aclError;

/// `aclopSetAttrFloat` of `acl/acl_op.h`.
pub type aclopSetAttrFloatFn =
    unsafe extern "C" fn(attr: *mut aclopAttr, attrName: *const c_char, attrValue: f32) -> aclError;

/// `aclopSetAttrString` of `acl/acl_op.h`.
pub type aclopSetAttrStringFn = unsafe extern "C" fn(
    attr: *mut aclopAttr,
    attrName: *const c_char,
    attrValue: *const c_char,
) -> aclError;

/// `aclopSetAttrDataType` of `acl/acl_op.h`.
pub type aclopSetAttrDataTypeFn = unsafe extern "C" fn(
    attr: *mut aclopAttr,
    attrName: *const c_char,
    attrValue: aclDataType,
) -> aclError;

/// `aclopSetAttrListDataType` of `acl/acl_op.h`.
pub type aclopSetAttrListDataTypeFn = unsafe extern "C" fn(
    attr: *mut aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *const aclDataType,
) -> aclError;

/// `aclopSetAttrListBool` of `acl/acl_op.h`.
pub type aclopSetAttrListBoolFn = unsafe extern "C" fn(
    attr: *mut aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *const u8,
) -> aclError;

/// `aclopSetAttrListInt` of `acl/acl_op.h`.
pub type aclopSetAttrListIntFn = unsafe extern "C" fn(
    attr: *mut aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *const i64,
) -> aclError;

/// `aclopSetAttrListFloat` of `acl/acl_op.h`.
pub type aclopSetAttrListFloatFn = unsafe extern "C" fn(
    attr: *mut aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *const f32,
) -> aclError;

/// `aclopSetAttrListString` of `acl/acl_op.h`.
pub type aclopSetAttrListStringFn = unsafe extern "C" fn(
    attr: *mut aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *mut *const c_char,
) -> aclError;

/// `aclopSetAttrListListInt` of `acl/acl_op.h`.
pub type aclopSetAttrListListIntFn = unsafe extern "C" fn(
    attr: *mut aclopAttr,
    attrName: *const c_char,
    numLists: c_int,
    numValues: *const c_int,
    values: *const *const i64,
) -> aclError;

/// `aclopExecute` of `acl/acl_op.h`. Deprecated: use aclopExecuteV2.
pub type aclopExecuteFn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const aclTensorDesc,
    inputs: *const *const aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *const *const aclTensorDesc,
    outputs: *const *mut aclDataBuffer,
    attr: *const aclopAttr,
    stream: aclrtStream,
) -> aclError;

/// `aclopExecuteV2` of `acl/acl_op.h`.
pub type aclopExecuteV2Fn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *mut *mut aclTensorDesc,
    inputs: *mut *mut aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *mut *mut aclTensorDesc,
    outputs: *mut *mut aclDataBuffer,
    attr: *mut aclopAttr,
    stream: aclrtStream,
) -> aclError;

/// `aclopInferShape` of `acl/acl_op.h`.
pub type aclopInferShapeFn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *mut *mut aclTensorDesc,
    inputs: *mut *mut aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *mut *mut aclTensorDesc,
    attr: *mut aclopAttr,
) -> aclError;

/// `aclopCreateHandle` of `acl/acl_op.h`.
pub type aclopCreateHandleFn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const aclTensorDesc,
    numOutputs: c_int,
    outputDesc: *const *const aclTensorDesc,
    opAttr: *const aclopAttr,
    handle: *mut *mut aclopHandle,
) -> aclError;

/// `aclopDestroyHandle` of `acl/acl_op.h`.
pub type aclopDestroyHandleFn = unsafe extern "C" fn(handle: *mut aclopHandle);

/// `aclopExecWithHandle` of `acl/acl_op.h`.
pub type aclopExecWithHandleFn = unsafe extern "C" fn(
    handle: *mut aclopHandle,
    numInputs: c_int,
    inputs: *const *const aclDataBuffer,
    numOutputs: c_int,
    outputs: *const *mut aclDataBuffer,
    stream: aclrtStream,
) -> aclError;

/// `aclopCast` of `acl/acl_op.h`.
pub type aclopCastFn = unsafe extern "C" fn(
    srcDesc: *const aclTensorDesc,
    srcBuffer: *const aclDataBuffer,
    dstDesc: *const aclTensorDesc,
    dstBuffer: *mut aclDataBuffer,
    truncate: u8,
    stream: aclrtStream,
) -> aclError;

/// `aclopCreateHandleForCast` of `acl/acl_op.h`.
pub type aclopCreateHandleForCastFn = unsafe extern "C" fn(
    srcDesc: *mut aclTensorDesc,
    dstDesc: *mut aclTensorDesc,
    truncate: u8,
    handle: *mut *mut aclopHandle,
) -> aclError;

/// `aclopCreateKernel` of `acl/acl_op.h`.
pub type aclopCreateKernelFn = unsafe extern "C" fn(
    opType: *const c_char,
    kernelId: *const c_char,
    kernelName: *const c_char,
    binData: *mut c_void,
    binSize: c_int,
    enginetype: aclopEngineType,
    deallocator: aclDataDeallocator,
) -> aclError;

/// `aclopRegisterCompileFunc` of `acl/acl_op.h`.
pub type aclopRegisterCompileFuncFn =
    unsafe extern "C" fn(opType: *const c_char, func: aclopCompileFunc) -> aclError;

/// `aclopUnregisterCompileFunc` of `acl/acl_op.h`.
pub type aclopUnregisterCompileFuncFn = unsafe extern "C" fn(opType: *const c_char) -> aclError;

/// `aclopSetKernelArgs` of `acl/acl_op.h`.
pub type aclopSetKernelArgsFn = unsafe extern "C" fn(
    kernelDesc: *mut aclopKernelDesc,
    kernelId: *const c_char,
    blockDim: u32,
    args: *const c_void,
    argSize: u32,
) -> aclError;

/// `aclopSetKernelWorkspaceSizes` of `acl/acl_op.h`.
pub type aclopSetKernelWorkspaceSizesFn = unsafe extern "C" fn(
    kernelDesc: *mut aclopKernelDesc,
    numWorkspaces: c_int,
    workspaceSizes: *mut usize,
) -> aclError;

/// `aclopUpdateParams` of `acl/acl_op.h`.
pub type aclopUpdateParamsFn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const aclTensorDesc,
    numOutputs: c_int,
    outputDesc: *const *const aclTensorDesc,
    attr: *const aclopAttr,
) -> aclError;

// acl/acl_op_compiler.h

/// `aclopCompile` of `acl/acl_op_compiler.h`.
pub type aclopCompileFn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const aclTensorDesc,
    numOutputs: c_int,
    outputDesc: *const *const aclTensorDesc,
    attr: *const aclopAttr,
    engineType: aclopEngineType,
    compileFlag: aclopCompileType,
    opPath: *const c_char,
) -> aclError;

/// `aclopCompileAndExecute` of `acl/acl_op_compiler.h`.
pub type aclopCompileAndExecuteFn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const aclTensorDesc,
    inputs: *const *const aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *const *const aclTensorDesc,
    outputs: *const *mut aclDataBuffer,
    attr: *const aclopAttr,
    engineType: aclopEngineType,
    compileFlag: aclopCompileType,
    opPath: *const c_char,
    stream: aclrtStream,
) -> aclError;

/// `aclopCompileAndExecuteV2` of `acl/acl_op_compiler.h`.
pub type aclopCompileAndExecuteV2Fn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *mut *mut aclTensorDesc,
    inputs: *mut *mut aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *mut *mut aclTensorDesc,
    outputs: *mut *mut aclDataBuffer,
    attr: *mut aclopAttr,
    engineType: aclopEngineType,
    compileFlag: aclopCompileType,
    opPath: *const c_char,
    stream: aclrtStream,
) -> aclError;

/// `aclSetCompileopt` of `acl/acl_op_compiler.h`.
pub type aclSetCompileoptFn =
    unsafe extern "C" fn(opt: aclCompileOpt, value: *const c_char) -> aclError;

/// `aclGetCompileoptSize` of `acl/acl_op_compiler.h`.
pub type aclGetCompileoptSizeFn = unsafe extern "C" fn(opt: aclCompileOpt) -> usize;

/// `aclGetCompileopt` of `acl/acl_op_compiler.h`.
pub type aclGetCompileoptFn =
    unsafe extern "C" fn(opt: aclCompileOpt, value: *mut c_char, length: usize) -> aclError;

/// `aclopSetCompileFlag` of `acl/acl_op_compiler.h`.
pub type aclopSetCompileFlagFn = unsafe extern "C" fn(flag: aclOpCompileFlag) -> aclError;

/// `aclGenGraphAndDumpForOp` of `acl/acl_op_compiler.h`.
pub type aclGenGraphAndDumpForOpFn = unsafe extern "C" fn(
    opType: *const c_char,
    numInputs: c_int,
    inputDesc: *const *const aclTensorDesc,
    inputs: *const *const aclDataBuffer,
    numOutputs: c_int,
    outputDesc: *const *const aclTensorDesc,
    outputs: *const *mut aclDataBuffer,
    attr: *const aclopAttr,
    engineType: aclopEngineType,
    graphDumpPath: *const c_char,
    graphDumpOpt: *const aclGraphDumpOption,
) -> aclError;

/// `aclCreateGraphDumpOpt` of `acl/acl_op_compiler.h`.
pub type aclCreateGraphDumpOptFn = unsafe extern "C" fn() -> *mut aclGraphDumpOption;

/// `aclDestroyGraphDumpOpt` of `acl/acl_op_compiler.h`.
pub type aclDestroyGraphDumpOptFn =
    unsafe extern "C" fn(graphDumpOpt: *const aclGraphDumpOption) -> aclError;

// acl/acl_prof.h

/// `aclprofInit` of `acl/acl_prof.h`.
pub type aclprofInitFn =
    unsafe extern "C" fn(profilerResultPath: *const c_char, length: usize) -> aclError;

/// `aclprofFinalize` of `acl/acl_prof.h`.
pub type aclprofFinalizeFn = unsafe extern "C" fn() -> aclError;

/// `aclprofCreateConfig` of `acl/acl_prof.h`.
pub type aclprofCreateConfigFn = unsafe extern "C" fn(
    deviceIdList: *mut u32,
    deviceNums: u32,
    aicoreMetrics: aclprofAicoreMetrics,
    aicoreEvents: *const aclprofAicoreEvents,
    dataTypeConfig: u64,
) -> *mut aclprofConfig;

/// `aclprofDestroyConfig` of `acl/acl_prof.h`.
pub type aclprofDestroyConfigFn =
    unsafe extern "C" fn(profilerConfig: *const aclprofConfig) -> aclError;

/// `aclprofSetConfig` of `acl/acl_prof.h`.
pub type aclprofSetConfigFn = unsafe extern "C" fn(
    configType: aclprofConfigType,
    config: *const c_char,
    configLength: usize,
) -> aclError;

/// `aclprofWarmup` of `acl/acl_prof.h`.
pub type aclprofWarmupFn = unsafe extern "C" fn(profilerConfig: *const aclprofConfig) -> aclError;

/// `aclprofStart` of `acl/acl_prof.h`.
pub type aclprofStartFn = unsafe extern "C" fn(profilerConfig: *const aclprofConfig) -> aclError;

/// `aclprofStop` of `acl/acl_prof.h`.
pub type aclprofStopFn = unsafe extern "C" fn(profilerConfig: *const aclprofConfig) -> aclError;

/// `aclprofCreateStepInfo` of `acl/acl_prof.h`.
pub type aclprofCreateStepInfoFn = unsafe extern "C" fn() -> *mut aclprofStepInfo;

/// `aclprofDestroyStepInfo` of `acl/acl_prof.h`.
pub type aclprofDestroyStepInfoFn = unsafe extern "C" fn(stepinfo: *mut aclprofStepInfo);

/// `aclprofGetStepTimestamp` of `acl/acl_prof.h`.
pub type aclprofGetStepTimestampFn = unsafe extern "C" fn(
    stepInfo: *mut aclprofStepInfo,
    tag: aclprofStepTag,
    stream: aclrtStream,
) -> aclError;

/// `aclprofCreateStamp` of `acl/acl_prof.h`.
pub type aclprofCreateStampFn = unsafe extern "C" fn() -> *mut c_void;

/// `aclprofDestroyStamp` of `acl/acl_prof.h`.
pub type aclprofDestroyStampFn = unsafe extern "C" fn(stamp: *mut c_void);

/// `aclprofSetStampTraceMessage` of `acl/acl_prof.h`.
pub type aclprofSetStampTraceMessageFn =
    unsafe extern "C" fn(stamp: *mut c_void, msg: *const c_char, msgLen: u32) -> aclError;

/// `aclprofMark` of `acl/acl_prof.h`.
pub type aclprofMarkFn = unsafe extern "C" fn(stamp: *mut c_void) -> aclError;

/// `aclprofPush` of `acl/acl_prof.h`.
pub type aclprofPushFn = unsafe extern "C" fn(stamp: *mut c_void) -> aclError;

/// `aclprofPop` of `acl/acl_prof.h`.
pub type aclprofPopFn = unsafe extern "C" fn() -> aclError;

/// `aclprofRangeStart` of `acl/acl_prof.h`.
pub type aclprofRangeStartFn =
    unsafe extern "C" fn(stamp: *mut c_void, rangeId: *mut u32) -> aclError;

/// `aclprofRangeStop` of `acl/acl_prof.h`.
pub type aclprofRangeStopFn = unsafe extern "C" fn(rangeId: u32) -> aclError;

/// `aclprofMarkEx` of `acl/acl_prof.h`.
pub type aclprofMarkExFn =
    unsafe extern "C" fn(msg: *const c_char, msgLen: usize, stream: aclrtStream) -> aclError;

/// `aclprofCreateSubscribeConfig` of `acl/acl_prof.h`.
pub type aclprofCreateSubscribeConfigFn = unsafe extern "C" fn(
    timeInfoSwitch: i8,
    aicoreMetrics: aclprofAicoreMetrics,
    fd: *mut c_void,
) -> *mut aclprofSubscribeConfig;

/// `aclprofDestroySubscribeConfig` of `acl/acl_prof.h`.
pub type aclprofDestroySubscribeConfigFn =
    unsafe extern "C" fn(profSubscribeConfig: *const aclprofSubscribeConfig) -> aclError;

/// `aclprofModelSubscribe` of `acl/acl_prof.h`.
pub type aclprofModelSubscribeFn = unsafe extern "C" fn(
    modelId: u32,
    profSubscribeConfig: *const aclprofSubscribeConfig,
) -> aclError;

/// `aclprofModelUnSubscribe` of `acl/acl_prof.h`.
pub type aclprofModelUnSubscribeFn = unsafe extern "C" fn(modelId: u32) -> aclError;

/// `aclprofGetOpDescSize` of `acl/acl_prof.h`.
pub type aclprofGetOpDescSizeFn = unsafe extern "C" fn(opDescSize: *mut usize) -> aclError;

/// `aclprofGetOpNum` of `acl/acl_prof.h`.
pub type aclprofGetOpNumFn =
    unsafe extern "C" fn(opInfo: *const c_void, opInfoLen: usize, opNumber: *mut u32) -> aclError;

/// `aclprofGetOpTypeLen` of `acl/acl_prof.h`.
pub type aclprofGetOpTypeLenFn = unsafe extern "C" fn(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    opTypeLen: *mut usize,
) -> aclError;

/// `aclprofGetOpType` of `acl/acl_prof.h`.
pub type aclprofGetOpTypeFn = unsafe extern "C" fn(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    opType: *mut c_char,
    opTypeLen: usize,
) -> aclError;

/// `aclprofGetOpNameLen` of `acl/acl_prof.h`.
pub type aclprofGetOpNameLenFn = unsafe extern "C" fn(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    opNameLen: *mut usize,
) -> aclError;

/// `aclprofGetOpName` of `acl/acl_prof.h`.
pub type aclprofGetOpNameFn = unsafe extern "C" fn(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    opName: *mut c_char,
    opNameLen: usize,
) -> aclError;

/// `aclprofGetOpStart` of `acl/acl_prof.h`.
pub type aclprofGetOpStartFn =
    unsafe extern "C" fn(opInfo: *const c_void, opInfoLen: usize, index: u32) -> u64;

/// `aclprofGetOpEnd` of `acl/acl_prof.h`.
pub type aclprofGetOpEndFn =
    unsafe extern "C" fn(opInfo: *const c_void, opInfoLen: usize, index: u32) -> u64;

/// `aclprofGetOpDuration` of `acl/acl_prof.h`.
pub type aclprofGetOpDurationFn =
    unsafe extern "C" fn(opInfo: *const c_void, opInfoLen: usize, index: u32) -> u64;

/// `aclprofGetModelId` of `acl/acl_prof.h`.
pub type aclprofGetModelIdFn =
    unsafe extern "C" fn(opInfo: *const c_void, opInfoLen: usize, index: u32) -> usize;

/// `aclprofGetOpFlag` of `acl/acl_prof.h`.
pub type aclprofGetOpFlagFn = unsafe extern "C" fn(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
) -> aclprofSubscribeOpFlag;

/// `aclprofGetOpAttriValue` of `acl/acl_prof.h`.
pub type aclprofGetOpAttriValueFn = unsafe extern "C" fn(
    opInfo: *const c_void,
    opInfoLen: usize,
    index: u32,
    attri: aclprofSubscribeOpAttri,
) -> *const c_char;

// acl/acl_rt_allocator.h

/// `aclrtAllocatorCreateDesc` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorCreateDescFn = unsafe extern "C" fn() -> aclrtAllocatorDesc;

/// `aclrtAllocatorDestroyDesc` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorDestroyDescFn =
    unsafe extern "C" fn(allocatorDesc: aclrtAllocatorDesc) -> aclError;

/// `aclrtAllocatorSetObjToDesc` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorSetObjToDescFn =
    unsafe extern "C" fn(allocatorDesc: aclrtAllocatorDesc, allocator: aclrtAllocator) -> aclError;

/// `aclrtAllocatorSetAllocFuncToDesc` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorSetAllocFuncToDescFn = unsafe extern "C" fn(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocFunc,
) -> aclError;

/// `aclrtAllocatorSetFreeFuncToDesc` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorSetFreeFuncToDescFn = unsafe extern "C" fn(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorFreeFunc,
) -> aclError;

/// `aclrtAllocatorSetAllocAdviseFuncToDesc` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorSetAllocAdviseFuncToDescFn = unsafe extern "C" fn(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocAdviseFunc,
) -> aclError;

/// `aclrtAllocatorSetGetAddrFromBlockFuncToDesc` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorSetGetAddrFromBlockFuncToDescFn = unsafe extern "C" fn(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorGetAddrFromBlockFunc,
) -> aclError;

/// `aclrtAllocatorRegister` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorRegisterFn =
    unsafe extern "C" fn(stream: aclrtStream, allocatorDesc: aclrtAllocatorDesc) -> aclError;

/// `aclrtAllocatorGetByStream` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorGetByStreamFn = unsafe extern "C" fn(
    stream: aclrtStream,
    allocatorDesc: *mut aclrtAllocatorDesc,
    allocator: *mut aclrtAllocator,
    allocFunc: *mut aclrtAllocatorAllocFunc,
    freeFunc: *mut aclrtAllocatorFreeFunc,
    allocAdviseFunc: *mut aclrtAllocatorAllocAdviseFunc,
    getAddrFromBlockFunc: *mut aclrtAllocatorGetAddrFromBlockFunc,
) -> aclError;

/// `aclrtAllocatorUnregister` of `acl/acl_rt_allocator.h`.
pub type aclrtAllocatorUnregisterFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

// acl/acl_rt_memory_soma.h

/// `aclrtMemPoolCreate` of `acl/acl_rt_memory_soma.h`.
pub type aclrtMemPoolCreateFn = unsafe extern "C" fn(
    memPool: *mut aclrtMemPool,
    poolProps: *const aclrtMemPoolProps,
) -> aclError;

/// `aclrtMemPoolDestroy` of `acl/acl_rt_memory_soma.h`.
pub type aclrtMemPoolDestroyFn = unsafe extern "C" fn(memPool: aclrtMemPool) -> aclError;

/// `aclrtMemPoolSetAttr` of `acl/acl_rt_memory_soma.h`.
pub type aclrtMemPoolSetAttrFn = unsafe extern "C" fn(
    memPool: aclrtMemPool,
    attr: aclrtMemPoolAttr,
    value: *mut c_void,
) -> aclError;

/// `aclrtMemPoolGetAttr` of `acl/acl_rt_memory_soma.h`.
pub type aclrtMemPoolGetAttrFn = unsafe extern "C" fn(
    memPool: aclrtMemPool,
    attr: aclrtMemPoolAttr,
    value: *mut c_void,
) -> aclError;

/// `aclrtMemPoolMallocAsync` of `acl/acl_rt_memory_soma.h`.
pub type aclrtMemPoolMallocAsyncFn = unsafe extern "C" fn(
    ptr: *mut *mut c_void,
    size: usize,
    memPool: aclrtMemPool,
    stream: aclrtStream,
) -> aclError;

/// `aclrtMemPoolFreeAsync` of `acl/acl_rt_memory_soma.h`.
pub type aclrtMemPoolFreeAsyncFn =
    unsafe extern "C" fn(ptr: *mut c_void, stream: aclrtStream) -> aclError;

/// `aclrtMemPoolTrimTo` of `acl/acl_rt_memory_soma.h`.
pub type aclrtMemPoolTrimToFn =
    unsafe extern "C" fn(memPool: aclrtMemPool, minBytesToKeep: usize) -> aclError;

// acl/acl_tdt.h

/// `acltdtCreateDataItem` of `acl/acl_tdt.h`.
pub type acltdtCreateDataItemFn = unsafe extern "C" fn(
    tdtType: acltdtTensorType,
    dims: *const i64,
    dimNum: usize,
    dataType: aclDataType,
    data: *mut c_void,
    size: usize,
) -> *mut acltdtDataItem;

/// `acltdtDestroyDataItem` of `acl/acl_tdt.h`.
pub type acltdtDestroyDataItemFn = unsafe extern "C" fn(dataItem: *mut acltdtDataItem) -> aclError;

/// `acltdtGetTensorTypeFromItem` of `acl/acl_tdt.h`.
pub type acltdtGetTensorTypeFromItemFn =
    unsafe extern "C" fn(dataItem: *const acltdtDataItem) -> acltdtTensorType;

/// `acltdtGetDataTypeFromItem` of `acl/acl_tdt.h`.
pub type acltdtGetDataTypeFromItemFn =
    unsafe extern "C" fn(dataItem: *const acltdtDataItem) -> aclDataType;

/// `acltdtGetDataAddrFromItem` of `acl/acl_tdt.h`.
pub type acltdtGetDataAddrFromItemFn =
    unsafe extern "C" fn(dataItem: *const acltdtDataItem) -> *mut c_void;

/// `acltdtGetDataSizeFromItem` of `acl/acl_tdt.h`.
pub type acltdtGetDataSizeFromItemFn =
    unsafe extern "C" fn(dataItem: *const acltdtDataItem) -> usize;

/// `acltdtGetDimNumFromItem` of `acl/acl_tdt.h`.
pub type acltdtGetDimNumFromItemFn = unsafe extern "C" fn(dataItem: *const acltdtDataItem) -> usize;

/// `acltdtGetDimsFromItem` of `acl/acl_tdt.h`.
pub type acltdtGetDimsFromItemFn = unsafe extern "C" fn(
    dataItem: *const acltdtDataItem,
    dims: *mut i64,
    dimNum: usize,
) -> aclError;

/// `acltdtGetSliceInfoFromItem` of `acl/acl_tdt.h`.
pub type acltdtGetSliceInfoFromItemFn = unsafe extern "C" fn(
    dataItem: *const acltdtDataItem,
    sliceNum: *mut usize,
    sliceId: *mut usize,
) -> aclError;

/// `acltdtCreateDataset` of `acl/acl_tdt.h`.
pub type acltdtCreateDatasetFn = unsafe extern "C" fn() -> *mut acltdtDataset;

/// `acltdtDestroyDataset` of `acl/acl_tdt.h`.
pub type acltdtDestroyDatasetFn = unsafe extern "C" fn(dataset: *mut acltdtDataset) -> aclError;

/// `acltdtAddDataItem` of `acl/acl_tdt.h`.
pub type acltdtAddDataItemFn =
    unsafe extern "C" fn(dataset: *mut acltdtDataset, dataItem: *mut acltdtDataItem) -> aclError;

/// `acltdtGetDataItem` of `acl/acl_tdt.h`.
pub type acltdtGetDataItemFn =
    unsafe extern "C" fn(dataset: *const acltdtDataset, index: usize) -> *mut acltdtDataItem;

/// `acltdtGetDatasetSize` of `acl/acl_tdt.h`.
pub type acltdtGetDatasetSizeFn = unsafe extern "C" fn(dataset: *const acltdtDataset) -> usize;

/// `acltdtGetDatasetName` of `acl/acl_tdt.h`.
pub type acltdtGetDatasetNameFn =
    unsafe extern "C" fn(dataset: *const acltdtDataset) -> *const c_char;

/// `acltdtCreateChannel` of `acl/acl_tdt.h`.
pub type acltdtCreateChannelFn =
    unsafe extern "C" fn(deviceId: u32, name: *const c_char) -> *mut acltdtChannelHandle;

/// `acltdtCreateChannelWithCapacity` of `acl/acl_tdt.h`.
pub type acltdtCreateChannelWithCapacityFn = unsafe extern "C" fn(
    deviceId: u32,
    name: *const c_char,
    capacity: usize,
) -> *mut acltdtChannelHandle;

/// `acltdtDestroyChannel` of `acl/acl_tdt.h`.
pub type acltdtDestroyChannelFn =
    unsafe extern "C" fn(handle: *mut acltdtChannelHandle) -> aclError;

/// `acltdtStopChannel` of `acl/acl_tdt.h`.
pub type acltdtStopChannelFn = unsafe extern "C" fn(handle: *mut acltdtChannelHandle) -> aclError;

/// `acltdtCleanChannel` of `acl/acl_tdt.h`.
pub type acltdtCleanChannelFn = unsafe extern "C" fn(handle: *mut acltdtChannelHandle) -> aclError;

/// `acltdtSendTensor` of `acl/acl_tdt.h`.
pub type acltdtSendTensorFn = unsafe extern "C" fn(
    handle: *const acltdtChannelHandle,
    dataset: *const acltdtDataset,
    timeout: i32,
) -> aclError;

/// `acltdtReceiveTensor` of `acl/acl_tdt.h`.
pub type acltdtReceiveTensorFn = unsafe extern "C" fn(
    handle: *const acltdtChannelHandle,
    dataset: *mut acltdtDataset,
    timeout: i32,
) -> aclError;

/// `acltdtQueryChannelSize` of `acl/acl_tdt.h`.
pub type acltdtQueryChannelSizeFn =
    unsafe extern "C" fn(handle: *const acltdtChannelHandle, size: *mut usize) -> aclError;

// acl/ops/acl_cblas.h

/// `aclblasGemvEx` of `acl/ops/acl_cblas.h`.
pub type aclblasGemvExFn = unsafe extern "C" fn(
    transA: aclTransType,
    m: c_int,
    n: c_int,
    alpha: *const c_void,
    a: *const c_void,
    lda: c_int,
    dataTypeA: aclDataType,
    x: *const c_void,
    incx: c_int,
    dataTypeX: aclDataType,
    beta: *const c_void,
    y: *mut c_void,
    incy: c_int,
    dataTypeY: aclDataType,
    r#type: aclComputeType,
    stream: aclrtStream,
) -> aclError;

/// `aclblasCreateHandleForGemvEx` of `acl/ops/acl_cblas.h`.
pub type aclblasCreateHandleForGemvExFn = unsafe extern "C" fn(
    transA: aclTransType,
    m: c_int,
    n: c_int,
    dataTypeA: aclDataType,
    dataTypeX: aclDataType,
    dataTypeY: aclDataType,
    r#type: aclComputeType,
    handle: *mut *mut aclopHandle,
) -> aclError;

/// `aclblasHgemv` of `acl/ops/acl_cblas.h`.
pub type aclblasHgemvFn = unsafe extern "C" fn(
    transA: aclTransType,
    m: c_int,
    n: c_int,
    alpha: *const aclFloat16,
    a: *const aclFloat16,
    lda: c_int,
    x: *const aclFloat16,
    incx: c_int,
    beta: *const aclFloat16,
    y: *mut aclFloat16,
    incy: c_int,
    r#type: aclComputeType,
    stream: aclrtStream,
) -> aclError;

/// `aclblasCreateHandleForHgemv` of `acl/ops/acl_cblas.h`.
pub type aclblasCreateHandleForHgemvFn = unsafe extern "C" fn(
    transA: aclTransType,
    m: c_int,
    n: c_int,
    r#type: aclComputeType,
    handle: *mut *mut aclopHandle,
) -> aclError;

/// `aclblasS8gemv` of `acl/ops/acl_cblas.h`.
pub type aclblasS8gemvFn = unsafe extern "C" fn(
    transA: aclTransType,
    m: c_int,
    n: c_int,
    alpha: *const i32,
    a: *const i8,
    lda: c_int,
    x: *const i8,
    incx: c_int,
    beta: *const i32,
    y: *mut i32,
    incy: c_int,
    r#type: aclComputeType,
    stream: aclrtStream,
) -> aclError;

/// `aclblasCreateHandleForS8gemv` of `acl/ops/acl_cblas.h`.
pub type aclblasCreateHandleForS8gemvFn = unsafe extern "C" fn(
    transA: aclTransType,
    m: c_int,
    n: c_int,
    r#type: aclComputeType,
    handle: *mut *mut aclopHandle,
) -> aclError;

/// `aclblasGemmEx` of `acl/ops/acl_cblas.h`.
pub type aclblasGemmExFn = unsafe extern "C" fn(
    transA: aclTransType,
    transB: aclTransType,
    transC: aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const c_void,
    matrixA: *const c_void,
    lda: c_int,
    dataTypeA: aclDataType,
    matrixB: *const c_void,
    ldb: c_int,
    dataTypeB: aclDataType,
    beta: *const c_void,
    matrixC: *mut c_void,
    ldc: c_int,
    dataTypeC: aclDataType,
    r#type: aclComputeType,
    stream: aclrtStream,
) -> aclError;

/// `aclblasCreateHandleForGemmEx` of `acl/ops/acl_cblas.h`.
pub type aclblasCreateHandleForGemmExFn = unsafe extern "C" fn(
    transA: aclTransType,
    transB: aclTransType,
    transC: aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    dataTypeA: aclDataType,
    dataTypeB: aclDataType,
    dataTypeC: aclDataType,
    r#type: aclComputeType,
    handle: *mut *mut aclopHandle,
) -> aclError;

/// `aclblasHgemm` of `acl/ops/acl_cblas.h`.
pub type aclblasHgemmFn = unsafe extern "C" fn(
    transA: aclTransType,
    transB: aclTransType,
    transC: aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const aclFloat16,
    matrixA: *const aclFloat16,
    lda: c_int,
    matrixB: *const aclFloat16,
    ldb: c_int,
    beta: *const aclFloat16,
    matrixC: *mut aclFloat16,
    ldc: c_int,
    r#type: aclComputeType,
    stream: aclrtStream,
) -> aclError;

/// `aclblasCreateHandleForHgemm` of `acl/ops/acl_cblas.h`.
pub type aclblasCreateHandleForHgemmFn = unsafe extern "C" fn(
    transA: aclTransType,
    transB: aclTransType,
    transC: aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    r#type: aclComputeType,
    handle: *mut *mut aclopHandle,
) -> aclError;

/// `aclblasS8gemm` of `acl/ops/acl_cblas.h`.
pub type aclblasS8gemmFn = unsafe extern "C" fn(
    transA: aclTransType,
    transB: aclTransType,
    transC: aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const i32,
    matrixA: *const i8,
    lda: c_int,
    matrixB: *const i8,
    ldb: c_int,
    beta: *const i32,
    matrixC: *mut i32,
    ldc: c_int,
    r#type: aclComputeType,
    stream: aclrtStream,
) -> aclError;

/// `aclblasCreateHandleForS8gemm` of `acl/ops/acl_cblas.h`.
pub type aclblasCreateHandleForS8gemmFn = unsafe extern "C" fn(
    transA: aclTransType,
    transB: aclTransType,
    transC: aclTransType,
    m: c_int,
    n: c_int,
    k: c_int,
    r#type: aclComputeType,
    handle: *mut *mut aclopHandle,
) -> aclError;

// acl/ops/acl_dvpp.h

/// `acldvppMalloc` of `acl/ops/acl_dvpp.h`.
pub type acldvppMallocFn = unsafe extern "C" fn(devPtr: *mut *mut c_void, size: usize) -> aclError;

/// `acldvppFree` of `acl/ops/acl_dvpp.h`.
pub type acldvppFreeFn = unsafe extern "C" fn(devPtr: *mut c_void) -> aclError;

// acl/ops/dvpp/picture.h

/// `acldvppCreatePicDesc` of `acl/ops/dvpp/picture.h`.
pub type acldvppCreatePicDescFn = unsafe extern "C" fn() -> *mut acldvppPicDesc;

/// `acldvppDestroyPicDesc` of `acl/ops/dvpp/picture.h`.
pub type acldvppDestroyPicDescFn = unsafe extern "C" fn(picDesc: *mut acldvppPicDesc) -> aclError;

/// `acldvppSetPicDescData` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetPicDescDataFn =
    unsafe extern "C" fn(picDesc: *mut acldvppPicDesc, dataDev: *mut c_void) -> aclError;

/// `acldvppSetPicDescSize` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetPicDescSizeFn =
    unsafe extern "C" fn(picDesc: *mut acldvppPicDesc, size: u32) -> aclError;

/// `acldvppGetPicDescData` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescDataFn =
    unsafe extern "C" fn(picDesc: *const acldvppPicDesc) -> *mut c_void;

/// `acldvppGetPicDescSize` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescSizeFn = unsafe extern "C" fn(picDesc: *const acldvppPicDesc) -> u32;

/// `acldvppSetPicDescFormat` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetPicDescFormatFn =
    unsafe extern "C" fn(picDesc: *mut acldvppPicDesc, format: acldvppPixelFormat) -> aclError;

/// `acldvppGetPicDescFormat` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescFormatFn =
    unsafe extern "C" fn(picDesc: *const acldvppPicDesc) -> acldvppPixelFormat;

/// `acldvppSetPicDescWidth` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetPicDescWidthFn =
    unsafe extern "C" fn(picDesc: *mut acldvppPicDesc, width: u32) -> aclError;

/// `acldvppSetPicDescHeight` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetPicDescHeightFn =
    unsafe extern "C" fn(picDesc: *mut acldvppPicDesc, height: u32) -> aclError;

/// `acldvppGetPicDescWidth` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescWidthFn = unsafe extern "C" fn(picDesc: *const acldvppPicDesc) -> u32;

/// `acldvppGetPicDescHeight` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescHeightFn = unsafe extern "C" fn(picDesc: *const acldvppPicDesc) -> u32;

/// `acldvppSetPicDescWidthStride` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetPicDescWidthStrideFn =
    unsafe extern "C" fn(picDesc: *mut acldvppPicDesc, widthStride: u32) -> aclError;

/// `acldvppSetPicDescHeightStride` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetPicDescHeightStrideFn =
    unsafe extern "C" fn(picDesc: *mut acldvppPicDesc, heightStride: u32) -> aclError;

/// `acldvppGetPicDescWidthStride` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescWidthStrideFn =
    unsafe extern "C" fn(picDesc: *const acldvppPicDesc) -> u32;

/// `acldvppGetPicDescHeightStride` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescHeightStrideFn =
    unsafe extern "C" fn(picDesc: *const acldvppPicDesc) -> u32;

/// `acldvppSetPicDescRetCode` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetPicDescRetCodeFn =
    unsafe extern "C" fn(picDesc: *mut acldvppPicDesc, retCode: u32) -> aclError;

/// `acldvppGetPicDescRetCode` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescRetCodeFn = unsafe extern "C" fn(picDesc: *const acldvppPicDesc) -> u32;

/// `acldvppCreateBatchPicDesc` of `acl/ops/dvpp/picture.h`.
pub type acldvppCreateBatchPicDescFn =
    unsafe extern "C" fn(batchSize: u32) -> *mut acldvppBatchPicDesc;

/// `acldvppGetPicDesc` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetPicDescFn =
    unsafe extern "C" fn(batchPicDesc: *mut acldvppBatchPicDesc, index: u32) -> *mut acldvppPicDesc;

/// `acldvppDestroyBatchPicDesc` of `acl/ops/dvpp/picture.h`.
pub type acldvppDestroyBatchPicDescFn =
    unsafe extern "C" fn(batchPicDesc: *mut acldvppBatchPicDesc) -> aclError;

/// `acldvppCreateRoiConfig` of `acl/ops/dvpp/picture.h`.
pub type acldvppCreateRoiConfigFn =
    unsafe extern "C" fn(left: u32, right: u32, top: u32, bottom: u32) -> *mut acldvppRoiConfig;

/// `acldvppDestroyRoiConfig` of `acl/ops/dvpp/picture.h`.
pub type acldvppDestroyRoiConfigFn =
    unsafe extern "C" fn(roiConfig: *mut acldvppRoiConfig) -> aclError;

/// `acldvppSetRoiConfigLeft` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetRoiConfigLeftFn =
    unsafe extern "C" fn(config: *mut acldvppRoiConfig, left: u32) -> aclError;

/// `acldvppSetRoiConfigRight` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetRoiConfigRightFn =
    unsafe extern "C" fn(config: *mut acldvppRoiConfig, right: u32) -> aclError;

/// `acldvppSetRoiConfigTop` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetRoiConfigTopFn =
    unsafe extern "C" fn(config: *mut acldvppRoiConfig, top: u32) -> aclError;

/// `acldvppSetRoiConfigBottom` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetRoiConfigBottomFn =
    unsafe extern "C" fn(config: *mut acldvppRoiConfig, bottom: u32) -> aclError;

/// `acldvppSetRoiConfig` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetRoiConfigFn = unsafe extern "C" fn(
    config: *mut acldvppRoiConfig,
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
) -> aclError;

/// `acldvppCreateResizeConfig` of `acl/ops/dvpp/picture.h`.
pub type acldvppCreateResizeConfigFn = unsafe extern "C" fn() -> *mut acldvppResizeConfig;

/// `acldvppDestroyResizeConfig` of `acl/ops/dvpp/picture.h`.
pub type acldvppDestroyResizeConfigFn =
    unsafe extern "C" fn(resizeConfig: *mut acldvppResizeConfig) -> aclError;

/// `acldvppSetResizeConfigInterpolation` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetResizeConfigInterpolationFn =
    unsafe extern "C" fn(resizeConfig: *mut acldvppResizeConfig, interpolation: u32) -> aclError;

/// `acldvppGetResizeConfigInterpolation` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetResizeConfigInterpolationFn =
    unsafe extern "C" fn(resizeConfig: *const acldvppResizeConfig) -> u32;

/// `acldvppCreateChannelDesc` of `acl/ops/dvpp/picture.h`.
pub type acldvppCreateChannelDescFn = unsafe extern "C" fn() -> *mut acldvppChannelDesc;

/// `acldvppDestroyChannelDesc` of `acl/ops/dvpp/picture.h`.
pub type acldvppDestroyChannelDescFn =
    unsafe extern "C" fn(channelDesc: *mut acldvppChannelDesc) -> aclError;

/// `acldvppGetChannelDescChannelId` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetChannelDescChannelIdFn =
    unsafe extern "C" fn(channelDesc: *const acldvppChannelDesc) -> u64;

/// `acldvppSetChannelDescMode` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetChannelDescModeFn =
    unsafe extern "C" fn(channelDesc: *mut acldvppChannelDesc, mode: u32) -> aclError;

/// `acldvppSetChannelDescParam` of `acl/ops/dvpp/picture.h`.
pub type acldvppSetChannelDescParamFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    paramType: acldvppChannelDescParamType,
    length: usize,
    param: *const c_void,
) -> aclError;

/// `acldvppGetChannelDescParam` of `acl/ops/dvpp/picture.h`.
pub type acldvppGetChannelDescParamFn = unsafe extern "C" fn(
    channelDesc: *const acldvppChannelDesc,
    paramType: acldvppChannelDescParamType,
    length: usize,
    paramRetSize: *mut usize,
    param: *mut c_void,
) -> aclError;

/// `acldvppCreateChannel` of `acl/ops/dvpp/picture.h`.
pub type acldvppCreateChannelFn =
    unsafe extern "C" fn(channelDesc: *mut acldvppChannelDesc) -> aclError;

/// `acldvppDestroyChannel` of `acl/ops/dvpp/picture.h`.
pub type acldvppDestroyChannelFn =
    unsafe extern "C" fn(channelDesc: *mut acldvppChannelDesc) -> aclError;

// acl/ops/dvpp/process.h

/// `acldvppVpcResizeAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcResizeAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    inputDesc: *mut acldvppPicDesc,
    outputDesc: *mut acldvppPicDesc,
    resizeConfig: *mut acldvppResizeConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcCropAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcCropAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    inputDesc: *mut acldvppPicDesc,
    outputDesc: *mut acldvppPicDesc,
    cropArea: *mut acldvppRoiConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcCropResizeAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcCropResizeAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    inputDesc: *mut acldvppPicDesc,
    outputDesc: *mut acldvppPicDesc,
    cropArea: *mut acldvppRoiConfig,
    resizeConfig: *mut acldvppResizeConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcCropAndPasteAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcCropAndPasteAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    inputDesc: *mut acldvppPicDesc,
    outputDesc: *mut acldvppPicDesc,
    cropArea: *mut acldvppRoiConfig,
    pasteArea: *mut acldvppRoiConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcCropResizePasteAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcCropResizePasteAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    inputDesc: *mut acldvppPicDesc,
    outputDesc: *mut acldvppPicDesc,
    cropArea: *mut acldvppRoiConfig,
    pasteArea: *mut acldvppRoiConfig,
    resizeConfig: *mut acldvppResizeConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcConvertColorAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcConvertColorAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    inputDesc: *mut acldvppPicDesc,
    outputDesc: *mut acldvppPicDesc,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcBatchCropAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcBatchCropAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    srcBatchPicDescs: *mut acldvppBatchPicDesc,
    roiNums: *mut u32,
    size: u32,
    dstBatchPicDescs: *mut acldvppBatchPicDesc,
    cropAreas: *mut *mut acldvppRoiConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcBatchCropResizeAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcBatchCropResizeAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    srcBatchPicDescs: *mut acldvppBatchPicDesc,
    roiNums: *mut u32,
    size: u32,
    dstBatchPicDescs: *mut acldvppBatchPicDesc,
    cropAreas: *mut *mut acldvppRoiConfig,
    resizeConfig: *mut acldvppResizeConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcBatchCropAndPasteAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcBatchCropAndPasteAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    srcBatchPicDescs: *mut acldvppBatchPicDesc,
    roiNums: *mut u32,
    size: u32,
    dstBatchPicDescs: *mut acldvppBatchPicDesc,
    cropAreas: *mut *mut acldvppRoiConfig,
    pasteAreas: *mut *mut acldvppRoiConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppVpcBatchCropResizePasteAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppVpcBatchCropResizePasteAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    srcBatchPicDescs: *mut acldvppBatchPicDesc,
    roiNums: *mut u32,
    size: u32,
    dstBatchPicDescs: *mut acldvppBatchPicDesc,
    cropAreas: *mut *mut acldvppRoiConfig,
    pasteAreas: *mut *mut acldvppRoiConfig,
    resizeConfig: *mut acldvppResizeConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppJpegGetImageInfo` of `acl/ops/dvpp/process.h`.
pub type acldvppJpegGetImageInfoFn = unsafe extern "C" fn(
    data: *const c_void,
    size: u32,
    width: *mut u32,
    height: *mut u32,
    components: *mut i32,
) -> aclError;

/// `acldvppJpegGetImageInfoV2` of `acl/ops/dvpp/process.h`.
pub type acldvppJpegGetImageInfoV2Fn = unsafe extern "C" fn(
    data: *const c_void,
    size: u32,
    width: *mut u32,
    height: *mut u32,
    components: *mut i32,
    format: *mut acldvppJpegFormat,
) -> aclError;

/// `acldvppJpegPredictDecSize` of `acl/ops/dvpp/process.h`.
pub type acldvppJpegPredictDecSizeFn = unsafe extern "C" fn(
    data: *const c_void,
    dataSize: u32,
    outputPixelFormat: acldvppPixelFormat,
    decSize: *mut u32,
) -> aclError;

/// `acldvppJpegDecodeAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppJpegDecodeAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    data: *const c_void,
    size: u32,
    outputDesc: *mut acldvppPicDesc,
    stream: aclrtStream,
) -> aclError;

/// `acldvppCreateJpegeConfig` of `acl/ops/dvpp/process.h`.
pub type acldvppCreateJpegeConfigFn = unsafe extern "C" fn() -> *mut acldvppJpegeConfig;

/// `acldvppDestroyJpegeConfig` of `acl/ops/dvpp/process.h`.
pub type acldvppDestroyJpegeConfigFn =
    unsafe extern "C" fn(jpegeConfig: *mut acldvppJpegeConfig) -> aclError;

/// `acldvppSetJpegeConfigLevel` of `acl/ops/dvpp/process.h`.
pub type acldvppSetJpegeConfigLevelFn =
    unsafe extern "C" fn(jpegeConfig: *mut acldvppJpegeConfig, level: u32) -> aclError;

/// `acldvppGetJpegeConfigLevel` of `acl/ops/dvpp/process.h`.
pub type acldvppGetJpegeConfigLevelFn =
    unsafe extern "C" fn(jpegeConfig: *const acldvppJpegeConfig) -> u32;

/// `acldvppJpegPredictEncSize` of `acl/ops/dvpp/process.h`.
pub type acldvppJpegPredictEncSizeFn = unsafe extern "C" fn(
    inputDesc: *const acldvppPicDesc,
    config: *const acldvppJpegeConfig,
    size: *mut u32,
) -> aclError;

/// `acldvppJpegEncodeAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppJpegEncodeAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    inputDesc: *mut acldvppPicDesc,
    data: *const c_void,
    size: *mut u32,
    config: *mut acldvppJpegeConfig,
    stream: aclrtStream,
) -> aclError;

/// `acldvppPngGetImageInfo` of `acl/ops/dvpp/process.h`.
pub type acldvppPngGetImageInfoFn = unsafe extern "C" fn(
    data: *const c_void,
    dataSize: u32,
    width: *mut u32,
    height: *mut u32,
    components: *mut i32,
) -> aclError;

/// `acldvppPngPredictDecSize` of `acl/ops/dvpp/process.h`.
pub type acldvppPngPredictDecSizeFn = unsafe extern "C" fn(
    data: *const c_void,
    dataSize: u32,
    outputPixelFormat: acldvppPixelFormat,
    decSize: *mut u32,
) -> aclError;

/// `acldvppPngDecodeAsync` of `acl/ops/dvpp/process.h`.
pub type acldvppPngDecodeAsyncFn = unsafe extern "C" fn(
    channelDesc: *mut acldvppChannelDesc,
    data: *const c_void,
    size: u32,
    outputDesc: *mut acldvppPicDesc,
    stream: aclrtStream,
) -> aclError;

// acl/ops/dvpp/video.h

/// `acldvppCreateStreamDesc` of `acl/ops/dvpp/video.h`.
pub type acldvppCreateStreamDescFn = unsafe extern "C" fn() -> *mut acldvppStreamDesc;

/// `acldvppDestroyStreamDesc` of `acl/ops/dvpp/video.h`.
pub type acldvppDestroyStreamDescFn =
    unsafe extern "C" fn(streamDesc: *mut acldvppStreamDesc) -> aclError;

/// `acldvppSetStreamDescData` of `acl/ops/dvpp/video.h`.
pub type acldvppSetStreamDescDataFn =
    unsafe extern "C" fn(streamDesc: *mut acldvppStreamDesc, dataDev: *mut c_void) -> aclError;

/// `acldvppSetStreamDescSize` of `acl/ops/dvpp/video.h`.
pub type acldvppSetStreamDescSizeFn =
    unsafe extern "C" fn(streamDesc: *mut acldvppStreamDesc, size: u32) -> aclError;

/// `acldvppSetStreamDescFormat` of `acl/ops/dvpp/video.h`.
pub type acldvppSetStreamDescFormatFn = unsafe extern "C" fn(
    streamDesc: *mut acldvppStreamDesc,
    format: acldvppStreamFormat,
) -> aclError;

/// `acldvppSetStreamDescTimestamp` of `acl/ops/dvpp/video.h`.
pub type acldvppSetStreamDescTimestampFn =
    unsafe extern "C" fn(streamDesc: *mut acldvppStreamDesc, timestamp: u64) -> aclError;

/// `acldvppSetStreamDescRetCode` of `acl/ops/dvpp/video.h`.
pub type acldvppSetStreamDescRetCodeFn =
    unsafe extern "C" fn(streamDesc: *mut acldvppStreamDesc, retCode: u32) -> aclError;

/// `acldvppSetStreamDescEos` of `acl/ops/dvpp/video.h`.
pub type acldvppSetStreamDescEosFn =
    unsafe extern "C" fn(streamDesc: *mut acldvppStreamDesc, eos: u8) -> aclError;

/// `aclvdecCreateChannelDesc` of `acl/ops/dvpp/video.h`.
pub type aclvdecCreateChannelDescFn = unsafe extern "C" fn() -> *mut aclvdecChannelDesc;

/// `aclvdecDestroyChannelDesc` of `acl/ops/dvpp/video.h`.
pub type aclvdecDestroyChannelDescFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc) -> aclError;

/// `aclvdecSetChannelDescChannelId` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescChannelIdFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc, channelId: u32) -> aclError;

/// `aclvdecSetChannelDescThreadId` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescThreadIdFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc, threadId: u64) -> aclError;

/// `aclvdecSetChannelDescCallback` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescCallbackFn = unsafe extern "C" fn(
    channelDesc: *mut aclvdecChannelDesc,
    callback: aclvdecCallback,
) -> aclError;

/// `aclvdecSetChannelDescEnType` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescEnTypeFn = unsafe extern "C" fn(
    channelDesc: *mut aclvdecChannelDesc,
    enType: acldvppStreamFormat,
) -> aclError;

/// `aclvdecSetChannelDescOutPicFormat` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescOutPicFormatFn = unsafe extern "C" fn(
    channelDesc: *mut aclvdecChannelDesc,
    outPicFormat: acldvppPixelFormat,
) -> aclError;

/// `aclvdecSetChannelDescOutPicWidth` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescOutPicWidthFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc, outPicWidth: u32) -> aclError;

/// `aclvdecSetChannelDescOutPicHeight` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescOutPicHeightFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc, outPicHeight: u32) -> aclError;

/// `aclvdecSetChannelDescRefFrameNum` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescRefFrameNumFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc, refFrameNum: u32) -> aclError;

/// `aclvdecSetChannelDescOutMode` of `acl/ops/dvpp/video.h`.
pub type aclvdecSetChannelDescOutModeFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc, outMode: u32) -> aclError;

/// `aclvdecCreateFrameConfig` of `acl/ops/dvpp/video.h`.
pub type aclvdecCreateFrameConfigFn = unsafe extern "C" fn() -> *mut aclvdecFrameConfig;

/// `aclvdecDestroyFrameConfig` of `acl/ops/dvpp/video.h`.
pub type aclvdecDestroyFrameConfigFn =
    unsafe extern "C" fn(vdecFrameConfig: *mut aclvdecFrameConfig) -> aclError;

/// `aclvdecCreateChannel` of `acl/ops/dvpp/video.h`.
pub type aclvdecCreateChannelFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc) -> aclError;

/// `aclvdecDestroyChannel` of `acl/ops/dvpp/video.h`.
pub type aclvdecDestroyChannelFn =
    unsafe extern "C" fn(channelDesc: *mut aclvdecChannelDesc) -> aclError;

/// `aclvdecSendFrame` of `acl/ops/dvpp/video.h`.
pub type aclvdecSendFrameFn = unsafe extern "C" fn(
    channelDesc: *mut aclvdecChannelDesc,
    input: *mut acldvppStreamDesc,
    output: *mut acldvppPicDesc,
    config: *mut aclvdecFrameConfig,
    userData: *mut c_void,
) -> aclError;

/// `aclvdecSendSkippedFrame` of `acl/ops/dvpp/video.h`.
pub type aclvdecSendSkippedFrameFn = unsafe extern "C" fn(
    channelDesc: *mut aclvdecChannelDesc,
    input: *mut acldvppStreamDesc,
    config: *mut aclvdecFrameConfig,
    userData: *mut c_void,
) -> aclError;

/// `aclvencCreateChannelDesc` of `acl/ops/dvpp/video.h`.
pub type aclvencCreateChannelDescFn = unsafe extern "C" fn() -> *mut aclvencChannelDesc;

/// `aclvencDestroyChannelDesc` of `acl/ops/dvpp/video.h`.
pub type aclvencDestroyChannelDescFn =
    unsafe extern "C" fn(channelDesc: *mut aclvencChannelDesc) -> aclError;

/// `aclvencSetChannelDescThreadId` of `acl/ops/dvpp/video.h`.
pub type aclvencSetChannelDescThreadIdFn =
    unsafe extern "C" fn(channelDesc: *mut aclvencChannelDesc, threadId: u64) -> aclError;

/// `aclvencSetChannelDescCallback` of `acl/ops/dvpp/video.h`.
pub type aclvencSetChannelDescCallbackFn = unsafe extern "C" fn(
    channelDesc: *mut aclvencChannelDesc,
    callback: aclvencCallback,
) -> aclError;

/// `aclvencSetChannelDescEnType` of `acl/ops/dvpp/video.h`.
pub type aclvencSetChannelDescEnTypeFn = unsafe extern "C" fn(
    channelDesc: *mut aclvencChannelDesc,
    enType: acldvppStreamFormat,
) -> aclError;

/// `aclvencSetChannelDescPicFormat` of `acl/ops/dvpp/video.h`.
pub type aclvencSetChannelDescPicFormatFn = unsafe extern "C" fn(
    channelDesc: *mut aclvencChannelDesc,
    picFormat: acldvppPixelFormat,
) -> aclError;

/// `aclvencSetChannelDescPicWidth` of `acl/ops/dvpp/video.h`.
pub type aclvencSetChannelDescPicWidthFn =
    unsafe extern "C" fn(channelDesc: *mut aclvencChannelDesc, picWidth: u32) -> aclError;

/// `aclvencSetChannelDescPicHeight` of `acl/ops/dvpp/video.h`.
pub type aclvencSetChannelDescPicHeightFn =
    unsafe extern "C" fn(channelDesc: *mut aclvencChannelDesc, picHeight: u32) -> aclError;

/// `aclvencSetChannelDescKeyFrameInterval` of `acl/ops/dvpp/video.h`.
pub type aclvencSetChannelDescKeyFrameIntervalFn =
    unsafe extern "C" fn(channelDesc: *mut aclvencChannelDesc, keyFrameInterval: u32) -> aclError;

/// `aclvencCreateFrameConfig` of `acl/ops/dvpp/video.h`.
pub type aclvencCreateFrameConfigFn = unsafe extern "C" fn() -> *mut aclvencFrameConfig;

/// `aclvencDestroyFrameConfig` of `acl/ops/dvpp/video.h`.
pub type aclvencDestroyFrameConfigFn =
    unsafe extern "C" fn(config: *mut aclvencFrameConfig) -> aclError;

/// `aclvencSetFrameConfigForceIFrame` of `acl/ops/dvpp/video.h`.
pub type aclvencSetFrameConfigForceIFrameFn =
    unsafe extern "C" fn(config: *mut aclvencFrameConfig, forceIFrame: u8) -> aclError;

/// `aclvencSetFrameConfigEos` of `acl/ops/dvpp/video.h`.
pub type aclvencSetFrameConfigEosFn =
    unsafe extern "C" fn(config: *mut aclvencFrameConfig, eos: u8) -> aclError;

/// `aclvencCreateChannel` of `acl/ops/dvpp/video.h`.
pub type aclvencCreateChannelFn =
    unsafe extern "C" fn(channelDesc: *mut aclvencChannelDesc) -> aclError;

/// `aclvencDestroyChannel` of `acl/ops/dvpp/video.h`.
pub type aclvencDestroyChannelFn =
    unsafe extern "C" fn(channelDesc: *mut aclvencChannelDesc) -> aclError;

/// `aclvencSendFrame` of `acl/ops/dvpp/video.h`.
pub type aclvencSendFrameFn = unsafe extern "C" fn(
    channelDesc: *mut aclvencChannelDesc,
    input: *mut acldvppPicDesc,
    reserve: *mut c_void,
    config: *mut aclvencFrameConfig,
    userdata: *mut c_void,
) -> aclError;

// acl/rt/cache.h

/// `aclrtCmoAsync` of `acl/rt/cache.h`.
pub type aclrtCmoAsyncFn = unsafe extern "C" fn(
    src: *mut c_void,
    size: usize,
    cmoType: aclrtCmoType,
    stream: aclrtStream,
) -> aclError;

/// `aclrtCmoGetDescSize` of `acl/rt/cache.h`.
pub type aclrtCmoGetDescSizeFn = unsafe extern "C" fn(size: *mut usize) -> aclError;

/// `aclrtCmoSetDesc` of `acl/rt/cache.h`.
pub type aclrtCmoSetDescFn =
    unsafe extern "C" fn(cmoDesc: *mut c_void, src: *mut c_void, size: usize) -> aclError;

/// `aclrtCmoAsyncWithDesc` of `acl/rt/cache.h`.
pub type aclrtCmoAsyncWithDescFn = unsafe extern "C" fn(
    cmoDesc: *mut c_void,
    cmoType: aclrtCmoType,
    stream: aclrtStream,
    reserve: *const c_void,
) -> aclError;

/// `aclrtCmoAsyncWithBarrier` of `acl/rt/cache.h`.
pub type aclrtCmoAsyncWithBarrierFn = unsafe extern "C" fn(
    src: *mut c_void,
    size: usize,
    cmoType: aclrtCmoType,
    barrierId: u32,
    stream: aclrtStream,
) -> aclError;

/// `aclrtCmoWaitBarrier` of `acl/rt/cache.h`.
pub type aclrtCmoWaitBarrierFn = unsafe extern "C" fn(
    taskInfo: *mut aclrtBarrierTaskInfo,
    stream: aclrtStream,
    flag: u32,
) -> aclError;

// acl/rt/callback.h

/// `aclrtLaunchCallback` of `acl/rt/callback.h`.
pub type aclrtLaunchCallbackFn = unsafe extern "C" fn(
    r#fn: aclrtCallback,
    userData: *mut c_void,
    blockType: aclrtCallbackBlockType,
    stream: aclrtStream,
) -> aclError;

/// `aclrtLaunchHostFunc` of `acl/rt/callback.h`.
pub type aclrtLaunchHostFuncFn =
    unsafe extern "C" fn(stream: aclrtStream, r#fn: aclrtHostFunc, args: *mut c_void) -> aclError;

/// `aclrtSubscribeReport` of `acl/rt/callback.h`.
pub type aclrtSubscribeReportFn =
    unsafe extern "C" fn(threadId: u64, stream: aclrtStream) -> aclError;

/// `aclrtProcessReport` of `acl/rt/callback.h`.
pub type aclrtProcessReportFn = unsafe extern "C" fn(timeout: i32) -> aclError;

/// `aclrtUnSubscribeReport` of `acl/rt/callback.h`.
pub type aclrtUnSubscribeReportFn =
    unsafe extern "C" fn(threadId: u64, stream: aclrtStream) -> aclError;

/// `aclrtSubscribeHostFunc` of `acl/rt/callback.h`.
pub type aclrtSubscribeHostFuncFn =
    unsafe extern "C" fn(hostFuncThreadId: u64, exeStream: aclrtStream) -> aclError;

/// `aclrtProcessHostFunc` of `acl/rt/callback.h`.
pub type aclrtProcessHostFuncFn = unsafe extern "C" fn(timeout: i32) -> aclError;

/// `aclrtUnSubscribeHostFunc` of `acl/rt/callback.h`.
pub type aclrtUnSubscribeHostFuncFn =
    unsafe extern "C" fn(hostFuncThreadId: u64, exeStream: aclrtStream) -> aclError;

/// `aclrtRegStreamStateCallback` of `acl/rt/callback.h`.
pub type aclrtRegStreamStateCallbackFn = unsafe extern "C" fn(
    regName: *const c_char,
    callback: aclrtStreamStateCallback,
    args: *mut c_void,
) -> aclError;

/// `aclrtRegDeviceStateCallback` of `acl/rt/callback.h`.
pub type aclrtRegDeviceStateCallbackFn = unsafe extern "C" fn(
    regName: *const c_char,
    callback: aclrtDeviceStateCallback,
    args: *mut c_void,
) -> aclError;

/// `aclrtSetDeviceTaskAbortCallback` of `acl/rt/callback.h`.
pub type aclrtSetDeviceTaskAbortCallbackFn = unsafe extern "C" fn(
    regName: *const c_char,
    callback: aclrtDeviceTaskAbortCallback,
    args: *mut c_void,
) -> aclError;

/// `aclInitCallbackRegister` of `acl/rt/callback.h`.
pub type aclInitCallbackRegisterFn = unsafe extern "C" fn(
    r#type: aclRegisterCallbackType,
    cbFunc: aclInitCallbackFunc,
    userData: *mut c_void,
) -> aclError;

/// `aclInitCallbackUnRegister` of `acl/rt/callback.h`.
pub type aclInitCallbackUnRegisterFn =
    unsafe extern "C" fn(r#type: aclRegisterCallbackType, cbFunc: aclInitCallbackFunc) -> aclError;

/// `aclFinalizeCallbackRegister` of `acl/rt/callback.h`.
pub type aclFinalizeCallbackRegisterFn = unsafe extern "C" fn(
    r#type: aclRegisterCallbackType,
    cbFunc: aclFinalizeCallbackFunc,
    userData: *mut c_void,
) -> aclError;

/// `aclFinalizeCallbackUnRegister` of `acl/rt/callback.h`.
pub type aclFinalizeCallbackUnRegisterFn = unsafe extern "C" fn(
    r#type: aclRegisterCallbackType,
    cbFunc: aclFinalizeCallbackFunc,
) -> aclError;

/// `aclrtSetExceptionInfoCallback` of `acl/rt/callback.h`. Deprecated: use aclrtExceptionInfoCallbackRegister.
pub type aclrtSetExceptionInfoCallbackFn =
    unsafe extern "C" fn(callback: aclrtExceptionInfoCallback) -> aclError;

/// `aclrtExceptionInfoCallbackRegister` of `acl/rt/callback.h`.
pub type aclrtExceptionInfoCallbackRegisterFn =
    unsafe extern "C" fn(callback: aclrtExceptionInfoCallback) -> aclError;

/// `aclrtExceptionInfoCallbackUnregister` of `acl/rt/callback.h`.
pub type aclrtExceptionInfoCallbackUnregisterFn =
    unsafe extern "C" fn(callback: aclrtExceptionInfoCallback) -> aclError;

/// `aclrtGetTaskIdFromExceptionInfo` of `acl/rt/callback.h`.
pub type aclrtGetTaskIdFromExceptionInfoFn =
    unsafe extern "C" fn(info: *const aclrtExceptionInfo) -> u32;

/// `aclrtGetStreamIdFromExceptionInfo` of `acl/rt/callback.h`.
pub type aclrtGetStreamIdFromExceptionInfoFn =
    unsafe extern "C" fn(info: *const aclrtExceptionInfo) -> u32;

/// `aclrtGetThreadIdFromExceptionInfo` of `acl/rt/callback.h`.
pub type aclrtGetThreadIdFromExceptionInfoFn =
    unsafe extern "C" fn(info: *const aclrtExceptionInfo) -> u32;

/// `aclrtGetDeviceIdFromExceptionInfo` of `acl/rt/callback.h`.
pub type aclrtGetDeviceIdFromExceptionInfoFn =
    unsafe extern "C" fn(info: *const aclrtExceptionInfo) -> u32;

/// `aclrtGetErrorCodeFromExceptionInfo` of `acl/rt/callback.h`.
pub type aclrtGetErrorCodeFromExceptionInfoFn =
    unsafe extern "C" fn(info: *const aclrtExceptionInfo) -> u32;

// acl/rt/context.h

/// `aclrtCreateContext` of `acl/rt/context.h`.
pub type aclrtCreateContextFn =
    unsafe extern "C" fn(context: *mut aclrtContext, deviceId: i32) -> aclError;

/// `aclrtDestroyContext` of `acl/rt/context.h`.
pub type aclrtDestroyContextFn = unsafe extern "C" fn(context: aclrtContext) -> aclError;

/// `aclrtSetCurrentContext` of `acl/rt/context.h`.
pub type aclrtSetCurrentContextFn = unsafe extern "C" fn(context: aclrtContext) -> aclError;

/// `aclrtGetCurrentContext` of `acl/rt/context.h`.
pub type aclrtGetCurrentContextFn = unsafe extern "C" fn(context: *mut aclrtContext) -> aclError;

/// `aclrtCtxGetCurrentDefaultStream` of `acl/rt/context.h`.
pub type aclrtCtxGetCurrentDefaultStreamFn =
    unsafe extern "C" fn(stream: *mut aclrtStream) -> aclError;

/// `aclrtGetPrimaryCtxState` of `acl/rt/context.h`.
pub type aclrtGetPrimaryCtxStateFn =
    unsafe extern "C" fn(deviceId: i32, flags: *mut u32, active: *mut i32) -> aclError;

// acl/rt/copy.h

/// `aclrtMemcpy` of `acl/rt/copy.h`.
pub type aclrtMemcpyFn = unsafe extern "C" fn(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
) -> aclError;

/// `aclrtMemcpyAsync` of `acl/rt/copy.h`.
pub type aclrtMemcpyAsyncFn = unsafe extern "C" fn(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError;

/// `aclrtMemcpyAsyncWithCondition` of `acl/rt/copy.h`. Deprecated: use aclrtMemcpyAsync.
pub type aclrtMemcpyAsyncWithConditionFn = unsafe extern "C" fn(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError;

/// `aclrtMemcpy2d` of `acl/rt/copy.h`.
pub type aclrtMemcpy2dFn = unsafe extern "C" fn(
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: aclrtMemcpyKind,
) -> aclError;

/// `aclrtMemcpy2dAsync` of `acl/rt/copy.h`.
pub type aclrtMemcpy2dAsyncFn = unsafe extern "C" fn(
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError;

/// `aclrtMemcpyBatch` of `acl/rt/copy.h`.
pub type aclrtMemcpyBatchFn = unsafe extern "C" fn(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    failIndex: *mut usize,
) -> aclError;

/// `aclrtMemcpyBatchV2` of `acl/rt/copy.h`.
pub type aclrtMemcpyBatchV2Fn = unsafe extern "C" fn(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
) -> aclError;

/// `aclrtMemcpyBatchAsync` of `acl/rt/copy.h`.
pub type aclrtMemcpyBatchAsyncFn = unsafe extern "C" fn(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    failIndex: *mut usize,
    stream: aclrtStream,
) -> aclError;

/// `aclrtMemcpyBatchAsyncV2` of `acl/rt/copy.h`.
pub type aclrtMemcpyBatchAsyncV2Fn = unsafe extern "C" fn(
    dsts: *mut *mut c_void,
    destMaxs: *mut usize,
    srcs: *mut *mut c_void,
    sizes: *mut usize,
    numBatches: usize,
    attrs: *mut aclrtMemcpyBatchAttr,
    attrsIndexes: *mut usize,
    numAttrs: usize,
    stream: aclrtStream,
) -> aclError;

/// `aclrtGetMemcpyDescSize` of `acl/rt/copy.h`.
pub type aclrtGetMemcpyDescSizeFn =
    unsafe extern "C" fn(kind: aclrtMemcpyKind, descSize: *mut usize) -> aclError;

/// `aclrtSetMemcpyDesc` of `acl/rt/copy.h`.
pub type aclrtSetMemcpyDescFn = unsafe extern "C" fn(
    desc: *mut c_void,
    kind: aclrtMemcpyKind,
    srcAddr: *mut c_void,
    dstAddr: *mut c_void,
    count: usize,
    config: *mut c_void,
) -> aclError;

/// `aclrtMemcpyAsyncWithDesc` of `acl/rt/copy.h`.
pub type aclrtMemcpyAsyncWithDescFn =
    unsafe extern "C" fn(desc: *mut c_void, kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError;

/// `aclrtMemcpyAsyncWithOffset` of `acl/rt/copy.h`.
pub type aclrtMemcpyAsyncWithOffsetFn = unsafe extern "C" fn(
    dst: *mut *mut c_void,
    destMax: usize,
    dstDataOffset: usize,
    src: *mut *const c_void,
    count: usize,
    srcDataOffset: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError;

/// `aclrtMemset` of `acl/rt/copy.h`.
pub type aclrtMemsetFn = unsafe extern "C" fn(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
) -> aclError;

/// `aclrtMemsetAsync` of `acl/rt/copy.h`.
pub type aclrtMemsetAsyncFn = unsafe extern "C" fn(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
    stream: aclrtStream,
) -> aclError;

/// `aclrtMemsetD32` of `acl/rt/copy.h`.
pub type aclrtMemsetD32Fn =
    unsafe extern "C" fn(ptr: *mut c_void, memSize: usize, value: u32, N: usize) -> aclError;

/// `aclrtMemsetD32Async` of `acl/rt/copy.h`.
pub type aclrtMemsetD32AsyncFn = unsafe extern "C" fn(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
    stream: aclrtStream,
) -> aclError;

/// `aclrtValueWrite` of `acl/rt/copy.h`.
pub type aclrtValueWriteFn = unsafe extern "C" fn(
    devAddr: *mut c_void,
    value: u64,
    flag: u32,
    stream: aclrtStream,
) -> aclError;

/// `aclrtValueWait` of `acl/rt/copy.h`.
pub type aclrtValueWaitFn = unsafe extern "C" fn(
    devAddr: *mut c_void,
    value: u64,
    flag: u32,
    stream: aclrtStream,
) -> aclError;

/// `aclrtReduceAsync` of `acl/rt/copy.h`.
pub type aclrtReduceAsyncFn = unsafe extern "C" fn(
    dst: *mut c_void,
    src: *const c_void,
    count: u64,
    kind: aclrtReduceKind,
    r#type: aclDataType,
    stream: aclrtStream,
    reserve: *mut c_void,
) -> aclError;

// acl/rt/device.h

/// `aclrtSetDevice` of `acl/rt/device.h`.
pub type aclrtSetDeviceFn = unsafe extern "C" fn(deviceId: i32) -> aclError;

/// `aclrtResetDevice` of `acl/rt/device.h`.
pub type aclrtResetDeviceFn = unsafe extern "C" fn(deviceId: i32) -> aclError;

/// `aclrtResetDeviceForce` of `acl/rt/device.h`.
pub type aclrtResetDeviceForceFn = unsafe extern "C" fn(deviceId: i32) -> aclError;

/// `aclrtGetDevice` of `acl/rt/device.h`.
pub type aclrtGetDeviceFn = unsafe extern "C" fn(deviceId: *mut i32) -> aclError;

/// `aclrtGetDeviceCount` of `acl/rt/device.h`.
pub type aclrtGetDeviceCountFn = unsafe extern "C" fn(count: *mut u32) -> aclError;

/// `aclrtGetRunMode` of `acl/rt/device.h`.
pub type aclrtGetRunModeFn = unsafe extern "C" fn(runMode: *mut aclrtRunMode) -> aclError;

/// `aclrtSetTsDevice` of `acl/rt/device.h`.
pub type aclrtSetTsDeviceFn = unsafe extern "C" fn(tsId: aclrtTsId) -> aclError;

/// `aclrtSynchronizeDevice` of `acl/rt/device.h`.
pub type aclrtSynchronizeDeviceFn = unsafe extern "C" fn() -> aclError;

/// `aclrtSynchronizeDeviceWithTimeout` of `acl/rt/device.h`.
pub type aclrtSynchronizeDeviceWithTimeoutFn = unsafe extern "C" fn(timeout: i32) -> aclError;

/// `aclrtDeviceTaskAbort` of `acl/rt/device.h`.
pub type aclrtDeviceTaskAbortFn = unsafe extern "C" fn(deviceId: i32, timeout: u32) -> aclError;

/// `aclrtDeviceCanAccessPeer` of `acl/rt/device.h`.
pub type aclrtDeviceCanAccessPeerFn =
    unsafe extern "C" fn(canAccessPeer: *mut i32, deviceId: i32, peerDeviceId: i32) -> aclError;

/// `aclrtDeviceEnablePeerAccess` of `acl/rt/device.h`.
pub type aclrtDeviceEnablePeerAccessFn =
    unsafe extern "C" fn(peerDeviceId: i32, flags: u32) -> aclError;

/// `aclrtDeviceDisablePeerAccess` of `acl/rt/device.h`.
pub type aclrtDeviceDisablePeerAccessFn = unsafe extern "C" fn(peerDeviceId: i32) -> aclError;

/// `aclrtDevicePeerAccessStatus` of `acl/rt/device.h`.
pub type aclrtDevicePeerAccessStatusFn =
    unsafe extern "C" fn(deviceId: i32, peerDeviceId: i32, status: *mut i32) -> aclError;

/// `aclrtCtxGetSysParamOpt` of `acl/rt/device.h`.
pub type aclrtCtxGetSysParamOptFn =
    unsafe extern "C" fn(opt: aclSysParamOpt, value: *mut i64) -> aclError;

/// `aclrtCtxSetSysParamOpt` of `acl/rt/device.h`.
pub type aclrtCtxSetSysParamOptFn =
    unsafe extern "C" fn(opt: aclSysParamOpt, value: i64) -> aclError;

/// `aclrtGetSysParamOpt` of `acl/rt/device.h`.
pub type aclrtGetSysParamOptFn =
    unsafe extern "C" fn(opt: aclSysParamOpt, value: *mut i64) -> aclError;

/// `aclrtSetSysParamOpt` of `acl/rt/device.h`.
pub type aclrtSetSysParamOptFn = unsafe extern "C" fn(opt: aclSysParamOpt, value: i64) -> aclError;

/// `aclrtSetOpWaitTimeout` of `acl/rt/device.h`.
pub type aclrtSetOpWaitTimeoutFn = unsafe extern "C" fn(timeout: u32) -> aclError;

/// `aclrtSetOpExecuteTimeOut` of `acl/rt/device.h`.
pub type aclrtSetOpExecuteTimeOutFn = unsafe extern "C" fn(timeout: u32) -> aclError;

/// `aclrtSetOpExecuteTimeOutWithMs` of `acl/rt/device.h`.
pub type aclrtSetOpExecuteTimeOutWithMsFn = unsafe extern "C" fn(timeout: u32) -> aclError;

/// `aclrtSetOpExecuteTimeOutV2` of `acl/rt/device.h`.
pub type aclrtSetOpExecuteTimeOutV2Fn =
    unsafe extern "C" fn(timeout: u64, actualTimeout: *mut u64) -> aclError;

/// `aclrtGetOpExecuteTimeout` of `acl/rt/device.h`.
pub type aclrtGetOpExecuteTimeoutFn = unsafe extern "C" fn(timeoutMs: *mut u32) -> aclError;

/// `aclrtGetOpTimeOutInterval` of `acl/rt/device.h`.
pub type aclrtGetOpTimeOutIntervalFn = unsafe extern "C" fn(interval: *mut u64) -> aclError;

/// `aclrtSetDeviceSatMode` of `acl/rt/device.h`.
pub type aclrtSetDeviceSatModeFn = unsafe extern "C" fn(mode: aclrtFloatOverflowMode) -> aclError;

/// `aclrtGetDeviceSatMode` of `acl/rt/device.h`.
pub type aclrtGetDeviceSatModeFn =
    unsafe extern "C" fn(mode: *mut aclrtFloatOverflowMode) -> aclError;

/// `aclrtGetOverflowStatus` of `acl/rt/device.h`.
pub type aclrtGetOverflowStatusFn = unsafe extern "C" fn(
    outputAddr: *mut c_void,
    outputSize: usize,
    stream: aclrtStream,
) -> aclError;

/// `aclrtResetOverflowStatus` of `acl/rt/device.h`.
pub type aclrtResetOverflowStatusFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

// acl/rt/device_info.h

/// `aclrtGetDeviceInfo` of `acl/rt/device_info.h`.
pub type aclrtGetDeviceInfoFn =
    unsafe extern "C" fn(deviceId: u32, attr: aclrtDevAttr, value: *mut i64) -> aclError;

/// `aclrtGetDeviceCapability` of `acl/rt/device_info.h`.
pub type aclrtGetDeviceCapabilityFn = unsafe extern "C" fn(
    deviceId: i32,
    devFeatureType: aclrtDevFeatureType,
    value: *mut i32,
) -> aclError;

/// `aclrtQueryDeviceStatus` of `acl/rt/device_info.h`.
pub type aclrtQueryDeviceStatusFn =
    unsafe extern "C" fn(deviceId: i32, deviceStatus: *mut aclrtDeviceStatus) -> aclError;

/// `aclrtGetDeviceUtilizationRate` of `acl/rt/device_info.h`.
pub type aclrtGetDeviceUtilizationRateFn =
    unsafe extern "C" fn(deviceId: i32, utilizationInfo: *mut aclrtUtilizationInfo) -> aclError;

/// `aclrtDeviceGetUuid` of `acl/rt/device_info.h`.
pub type aclrtDeviceGetUuidFn =
    unsafe extern "C" fn(deviceId: i32, uuid: *mut aclrtUuid) -> aclError;

/// `aclrtDeviceSetLimit` of `acl/rt/device_info.h`.
pub type aclrtDeviceSetLimitFn =
    unsafe extern "C" fn(limit: aclrtDeviceLimit, value: usize) -> aclError;

/// `aclrtDeviceGetLimit` of `acl/rt/device_info.h`.
pub type aclrtDeviceGetLimitFn =
    unsafe extern "C" fn(limit: aclrtDeviceLimit, value: *mut usize) -> aclError;

/// `aclrtDeviceGetPCIBusId` of `acl/rt/device_info.h`.
pub type aclrtDeviceGetPCIBusIdFn =
    unsafe extern "C" fn(deviceId: i32, pciBusId: *mut c_char, len: i32) -> aclError;

/// `aclrtDeviceGetByPCIBusId` of `acl/rt/device_info.h`.
pub type aclrtDeviceGetByPCIBusIdFn =
    unsafe extern "C" fn(pciBusId: *const c_char, deviceId: *mut i32) -> aclError;

/// `aclrtGetDevicesTopo` of `acl/rt/device_info.h`.
pub type aclrtGetDevicesTopoFn =
    unsafe extern "C" fn(deviceId: u32, otherDeviceId: u32, value: *mut u64) -> aclError;

/// `aclrtGetLogicDevIdByUserDevId` of `acl/rt/device_info.h`.
pub type aclrtGetLogicDevIdByUserDevIdFn =
    unsafe extern "C" fn(userDevid: i32, logicDevId: *mut i32) -> aclError;

/// `aclrtGetUserDevIdByLogicDevId` of `acl/rt/device_info.h`.
pub type aclrtGetUserDevIdByLogicDevIdFn =
    unsafe extern "C" fn(logicDevId: i32, userDevid: *mut i32) -> aclError;

/// `aclrtGetLogicDevIdByPhyDevId` of `acl/rt/device_info.h`.
pub type aclrtGetLogicDevIdByPhyDevIdFn =
    unsafe extern "C" fn(phyDevId: i32, logicDevId: *mut i32) -> aclError;

/// `aclrtGetPhyDevIdByLogicDevId` of `acl/rt/device_info.h`.
pub type aclrtGetPhyDevIdByLogicDevIdFn =
    unsafe extern "C" fn(logicDevId: i32, phyDevId: *mut i32) -> aclError;

/// `aclrtGetUserDevIdByPhyDevId` of `acl/rt/device_info.h`.
pub type aclrtGetUserDevIdByPhyDevIdFn =
    unsafe extern "C" fn(phyDevId: i32, userDevId: *mut i32) -> aclError;

/// `aclrtGetPhyDevIdByUserDevId` of `acl/rt/device_info.h`.
pub type aclrtGetPhyDevIdByUserDevIdFn =
    unsafe extern "C" fn(userDevId: i32, phyDevId: *mut i32) -> aclError;

/// `aclrtGetErrorVerbose` of `acl/rt/device_info.h`.
pub type aclrtGetErrorVerboseFn =
    unsafe extern "C" fn(deviceId: i32, errorInfo: *mut aclrtErrorInfo) -> aclError;

/// `aclrtRepairError` of `acl/rt/device_info.h`.
pub type aclrtRepairErrorFn =
    unsafe extern "C" fn(deviceId: i32, errorInfo: *const aclrtErrorInfo) -> aclError;

/// `aclrtGetMemUceInfo` of `acl/rt/device_info.h`.
pub type aclrtGetMemUceInfoFn = unsafe extern "C" fn(
    deviceId: i32,
    memUceInfoArray: *mut aclrtMemUceInfo,
    arraySize: usize,
    retSize: *mut usize,
) -> aclError;

/// `aclrtMemUceRepair` of `acl/rt/device_info.h`.
pub type aclrtMemUceRepairFn = unsafe extern "C" fn(
    deviceId: i32,
    memUceInfoArray: *mut aclrtMemUceInfo,
    arraySize: usize,
) -> aclError;

// acl/rt/event.h

/// `aclrtCreateEvent` of `acl/rt/event.h`.
pub type aclrtCreateEventFn = unsafe extern "C" fn(event: *mut aclrtEvent) -> aclError;

/// `aclrtCreateEventWithFlag` of `acl/rt/event.h`.
pub type aclrtCreateEventWithFlagFn =
    unsafe extern "C" fn(event: *mut aclrtEvent, flag: u32) -> aclError;

/// `aclrtCreateEventExWithFlag` of `acl/rt/event.h`.
pub type aclrtCreateEventExWithFlagFn =
    unsafe extern "C" fn(event: *mut aclrtEvent, flag: u32) -> aclError;

/// `aclrtDestroyEvent` of `acl/rt/event.h`.
pub type aclrtDestroyEventFn = unsafe extern "C" fn(event: aclrtEvent) -> aclError;

/// `aclrtRecordEvent` of `acl/rt/event.h`.
pub type aclrtRecordEventFn =
    unsafe extern "C" fn(event: aclrtEvent, stream: aclrtStream) -> aclError;

/// `aclrtRecordEventWithFlag` of `acl/rt/event.h`.
pub type aclrtRecordEventWithFlagFn =
    unsafe extern "C" fn(event: aclrtEvent, stream: aclrtStream, flag: u32) -> aclError;

/// `aclrtResetEvent` of `acl/rt/event.h`.
pub type aclrtResetEventFn =
    unsafe extern "C" fn(event: aclrtEvent, stream: aclrtStream) -> aclError;

/// `aclrtQueryEvent` of `acl/rt/event.h`. Deprecated: use aclrtQueryEventStatus.
pub type aclrtQueryEventFn =
    unsafe extern "C" fn(event: aclrtEvent, status: *mut aclrtEventStatus) -> aclError;

/// `aclrtQueryEventStatus` of `acl/rt/event.h`.
pub type aclrtQueryEventStatusFn =
    unsafe extern "C" fn(event: aclrtEvent, status: *mut aclrtEventRecordedStatus) -> aclError;

/// `aclrtQueryEventWaitStatus` of `acl/rt/event.h`.
pub type aclrtQueryEventWaitStatusFn =
    unsafe extern "C" fn(event: aclrtEvent, status: *mut aclrtEventWaitStatus) -> aclError;

/// `aclrtSynchronizeEvent` of `acl/rt/event.h`.
pub type aclrtSynchronizeEventFn = unsafe extern "C" fn(event: aclrtEvent) -> aclError;

/// `aclrtSynchronizeEventWithTimeout` of `acl/rt/event.h`.
pub type aclrtSynchronizeEventWithTimeoutFn =
    unsafe extern "C" fn(event: aclrtEvent, timeout: i32) -> aclError;

/// `aclrtEventElapsedTime` of `acl/rt/event.h`.
pub type aclrtEventElapsedTimeFn =
    unsafe extern "C" fn(ms: *mut f32, startEvent: aclrtEvent, endEvent: aclrtEvent) -> aclError;

/// `aclrtEventGetTimestamp` of `acl/rt/event.h`.
pub type aclrtEventGetTimestampFn =
    unsafe extern "C" fn(event: aclrtEvent, timestamp: *mut u64) -> aclError;

/// `aclrtGetEventId` of `acl/rt/event.h`.
pub type aclrtGetEventIdFn = unsafe extern "C" fn(event: aclrtEvent, eventId: *mut u32) -> aclError;

/// `aclrtGetEventAvailNum` of `acl/rt/event.h`.
pub type aclrtGetEventAvailNumFn = unsafe extern "C" fn(eventCount: *mut u32) -> aclError;

// acl/rt/graph.h

/// `aclmdlRICaptureBegin` of `acl/rt/graph.h`.
pub type aclmdlRICaptureBeginFn =
    unsafe extern "C" fn(stream: aclrtStream, mode: aclmdlRICaptureMode) -> aclError;

/// `aclmdlRICaptureGetInfo` of `acl/rt/graph.h`.
pub type aclmdlRICaptureGetInfoFn = unsafe extern "C" fn(
    stream: aclrtStream,
    status: *mut aclmdlRICaptureStatus,
    modelRI: *mut aclmdlRI,
) -> aclError;

/// `aclmdlRICaptureEnd` of `acl/rt/graph.h`.
pub type aclmdlRICaptureEndFn =
    unsafe extern "C" fn(stream: aclrtStream, modelRI: *mut aclmdlRI) -> aclError;

/// `aclmdlRICaptureThreadExchangeMode` of `acl/rt/graph.h`.
pub type aclmdlRICaptureThreadExchangeModeFn =
    unsafe extern "C" fn(mode: *mut aclmdlRICaptureMode) -> aclError;

/// `aclmdlRIExecuteAsync` of `acl/rt/graph.h`.
pub type aclmdlRIExecuteAsyncFn =
    unsafe extern "C" fn(modelRI: aclmdlRI, stream: aclrtStream) -> aclError;

/// `aclmdlRIExecute` of `acl/rt/graph.h`.
pub type aclmdlRIExecuteFn = unsafe extern "C" fn(modelRI: aclmdlRI, timeout: i32) -> aclError;

/// `aclmdlRIDestroy` of `acl/rt/graph.h`.
pub type aclmdlRIDestroyFn = unsafe extern "C" fn(modelRI: aclmdlRI) -> aclError;

/// `aclmdlRIGetId` of `acl/rt/graph.h`.
pub type aclmdlRIGetIdFn = unsafe extern "C" fn(modelRI: aclmdlRI, modelRIId: *mut u32) -> aclError;

/// `aclmdlRICaptureTaskGrpBegin` of `acl/rt/graph.h`.
pub type aclmdlRICaptureTaskGrpBeginFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclmdlRICaptureTaskGrpEnd` of `acl/rt/graph.h`.
pub type aclmdlRICaptureTaskGrpEndFn =
    unsafe extern "C" fn(stream: aclrtStream, handle: *mut aclrtTaskGrp) -> aclError;

/// `aclmdlRICaptureTaskUpdateBegin` of `acl/rt/graph.h`.
pub type aclmdlRICaptureTaskUpdateBeginFn =
    unsafe extern "C" fn(stream: aclrtStream, handle: aclrtTaskGrp) -> aclError;

/// `aclmdlRICaptureTaskUpdateEnd` of `acl/rt/graph.h`.
pub type aclmdlRICaptureTaskUpdateEndFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclmdlRICondHandleCreate` of `acl/rt/graph.h`.
pub type aclmdlRICondHandleCreateFn = unsafe extern "C" fn(
    modelRI: aclmdlRI,
    defaultLaunchValue: u32,
    flag: u32,
    handle: *mut aclmdlRICondHandle,
) -> aclError;

/// `aclmdlRICondHandleGetCondPtr` of `acl/rt/graph.h`.
pub type aclmdlRICondHandleGetCondPtrFn =
    unsafe extern "C" fn(handle: aclmdlRICondHandle, devPtr: *mut *mut u64) -> aclError;

/// `aclmdlRIAddCondTask` of `acl/rt/graph.h`.
pub type aclmdlRIAddCondTaskFn = unsafe extern "C" fn(
    params: aclmdlRICondTaskParams,
    stream: aclrtStream,
    flags: u32,
) -> aclError;

/// `aclmdlRICaptureToModelRIBegin` of `acl/rt/graph.h`.
pub type aclmdlRICaptureToModelRIBeginFn = unsafe extern "C" fn(
    stream: aclrtStream,
    modelRI: aclmdlRI,
    mode: aclmdlRICaptureMode,
) -> aclError;

/// `aclmdlRIDebugPrint` of `acl/rt/graph.h`.
pub type aclmdlRIDebugPrintFn = unsafe extern "C" fn(modelRI: aclmdlRI) -> aclError;

/// `aclmdlRIDebugJsonPrint` of `acl/rt/graph.h`.
pub type aclmdlRIDebugJsonPrintFn =
    unsafe extern "C" fn(modelRI: aclmdlRI, path: *const c_char, flags: u32) -> aclError;

// acl/rt/host_memory.h

/// `aclrtHostRegister` of `acl/rt/host_memory.h`.
pub type aclrtHostRegisterFn = unsafe extern "C" fn(
    ptr: *mut c_void,
    size: u64,
    r#type: aclrtHostRegisterType,
    devPtr: *mut *mut c_void,
) -> aclError;

/// `aclrtHostRegisterV2` of `acl/rt/host_memory.h`.
pub type aclrtHostRegisterV2Fn =
    unsafe extern "C" fn(ptr: *mut c_void, size: u64, flag: u32) -> aclError;

/// `aclrtHostGetDevicePointer` of `acl/rt/host_memory.h`.
pub type aclrtHostGetDevicePointerFn =
    unsafe extern "C" fn(pHost: *mut c_void, pDevice: *mut *mut c_void, flag: u32) -> aclError;

/// `aclrtHostUnregister` of `acl/rt/host_memory.h`.
pub type aclrtHostUnregisterFn = unsafe extern "C" fn(ptr: *mut c_void) -> aclError;

/// `aclrtHostMemMapCapabilities` of `acl/rt/host_memory.h`.
pub type aclrtHostMemMapCapabilitiesFn = unsafe extern "C" fn(
    deviceId: u32,
    hacType: aclrtHacType,
    capabilities: *mut aclrtHostMemMapCapability,
) -> aclError;

/// `aclrtMemAllocManaged` of `acl/rt/host_memory.h`.
pub type aclrtMemAllocManagedFn =
    unsafe extern "C" fn(ptr: *mut *mut c_void, size: u64, flag: u32) -> aclError;

/// `aclrtMemManagedAdvise` of `acl/rt/host_memory.h`.
pub type aclrtMemManagedAdviseFn = unsafe extern "C" fn(
    ptr: *const c_void,
    size: u64,
    advise: aclrtMemManagedAdviseType,
    location: aclrtMemManagedLocation,
) -> aclError;

/// `aclrtMemManagedGetAttr` of `acl/rt/host_memory.h`.
pub type aclrtMemManagedGetAttrFn = unsafe extern "C" fn(
    attribute: aclrtMemManagedRangeAttribute,
    ptr: *const c_void,
    size: usize,
    data: *mut c_void,
    dataSize: usize,
) -> aclError;

/// `aclrtMemManagedGetAttrs` of `acl/rt/host_memory.h`.
pub type aclrtMemManagedGetAttrsFn = unsafe extern "C" fn(
    attributes: *mut aclrtMemManagedRangeAttribute,
    numAttributes: usize,
    ptr: *const c_void,
    size: usize,
    data: *mut *mut c_void,
    dataSizes: *mut usize,
) -> aclError;

/// `aclrtMemManagedPrefetchAsync` of `acl/rt/host_memory.h`.
pub type aclrtMemManagedPrefetchAsyncFn = unsafe extern "C" fn(
    ptr: *const c_void,
    size: usize,
    location: aclrtMemManagedLocation,
    flags: u32,
    stream: aclrtStream,
) -> aclError;

/// `aclrtMemManagedPrefetchBatchAsync` of `acl/rt/host_memory.h`.
pub type aclrtMemManagedPrefetchBatchAsyncFn = unsafe extern "C" fn(
    ptrs: *mut *const c_void,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut aclrtMemManagedLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    stream: aclrtStream,
) -> aclError;

// acl/rt/init.h

/// `aclInit` of `acl/rt/init.h`.
pub type aclInitFn = unsafe extern "C" fn(configPath: *const c_char) -> aclError;

/// `aclFinalize` of `acl/rt/init.h`.
pub type aclFinalizeFn = unsafe extern "C" fn() -> aclError;

/// `aclFinalizeReference` of `acl/rt/init.h`.
pub type aclFinalizeReferenceFn = unsafe extern "C" fn(refCount: *mut u64) -> aclError;

/// `aclGetRecentErrMsg` of `acl/rt/init.h`.
pub type aclGetRecentErrMsgFn = unsafe extern "C" fn() -> *const c_char;

/// `aclrtPeekAtLastError` of `acl/rt/init.h`.
pub type aclrtPeekAtLastErrorFn = unsafe extern "C" fn(level: aclrtLastErrLevel) -> aclError;

/// `aclrtGetLastError` of `acl/rt/init.h`.
pub type aclrtGetLastErrorFn = unsafe extern "C" fn(level: aclrtLastErrLevel) -> aclError;

/// `aclsysGetCANNVersion` of `acl/rt/init.h`. Deprecated: use aclsysGetVersionStr.
pub type aclsysGetCANNVersionFn =
    unsafe extern "C" fn(name: aclCANNPackageName, version: *mut aclCANNPackageVersion) -> aclError;

/// `aclsysGetVersionStr` of `acl/rt/init.h`.
pub type aclsysGetVersionStrFn =
    unsafe extern "C" fn(pkgName: *mut c_char, versionStr: *mut c_char) -> aclError;

/// `aclsysGetVersionNum` of `acl/rt/init.h`.
pub type aclsysGetVersionNumFn =
    unsafe extern "C" fn(pkgName: *mut c_char, versionNum: *mut i32) -> aclError;

/// `aclrtGetVersion` of `acl/rt/init.h`. Deprecated: use aclsysGetVersionNum.
pub type aclrtGetVersionFn = unsafe extern "C" fn(
    majorVersion: *mut i32,
    minorVersion: *mut i32,
    patchVersion: *mut i32,
) -> aclError;

// acl/rt/ipc.h

/// `aclrtIpcMemGetExportKey` of `acl/rt/ipc.h`.
pub type aclrtIpcMemGetExportKeyFn = unsafe extern "C" fn(
    devPtr: *mut c_void,
    size: usize,
    key: *mut c_char,
    len: usize,
    flags: u64,
) -> aclError;

/// `aclrtIpcMemImportByKey` of `acl/rt/ipc.h`.
pub type aclrtIpcMemImportByKeyFn =
    unsafe extern "C" fn(devPtr: *mut *mut c_void, key: *const c_char, flags: u64) -> aclError;

/// `aclrtIpcMemClose` of `acl/rt/ipc.h`.
pub type aclrtIpcMemCloseFn = unsafe extern "C" fn(key: *const c_char) -> aclError;

/// `aclrtIpcMemSetImportPid` of `acl/rt/ipc.h`.
pub type aclrtIpcMemSetImportPidFn =
    unsafe extern "C" fn(key: *const c_char, pid: *mut i32, num: usize) -> aclError;

/// `aclrtIpcMemImportPidInterServer` of `acl/rt/ipc.h`.
pub type aclrtIpcMemImportPidInterServerFn = unsafe extern "C" fn(
    key: *const c_char,
    serverPids: *mut aclrtServerPid,
    num: usize,
) -> aclError;

/// `aclrtIpcMemSetAttr` of `acl/rt/ipc.h`.
pub type aclrtIpcMemSetAttrFn =
    unsafe extern "C" fn(key: *const c_char, r#type: aclrtIpcMemAttrType, attr: u64) -> aclError;

/// `aclrtIpcGetEventHandle` of `acl/rt/ipc.h`.
pub type aclrtIpcGetEventHandleFn =
    unsafe extern "C" fn(event: aclrtEvent, handle: *mut aclrtIpcEventHandle) -> aclError;

/// `aclrtIpcOpenEventHandle` of `acl/rt/ipc.h`.
pub type aclrtIpcOpenEventHandleFn =
    unsafe extern "C" fn(handle: aclrtIpcEventHandle, event: *mut aclrtEvent) -> aclError;

// acl/rt/kernel.h

/// `aclrtCreateBinary` of `acl/rt/kernel.h`.
pub type aclrtCreateBinaryFn =
    unsafe extern "C" fn(data: *const c_void, dataLen: usize) -> aclrtBinary;

/// `aclrtDestroyBinary` of `acl/rt/kernel.h`.
pub type aclrtDestroyBinaryFn = unsafe extern "C" fn(binary: aclrtBinary) -> aclError;

/// `aclrtBinaryLoad` of `acl/rt/kernel.h`.
pub type aclrtBinaryLoadFn =
    unsafe extern "C" fn(binary: aclrtBinary, binHandle: *mut aclrtBinHandle) -> aclError;

/// `aclrtBinaryLoadFromFile` of `acl/rt/kernel.h`.
pub type aclrtBinaryLoadFromFileFn = unsafe extern "C" fn(
    binPath: *const c_char,
    options: *mut aclrtBinaryLoadOptions,
    binHandle: *mut aclrtBinHandle,
) -> aclError;

/// `aclrtBinaryLoadFromData` of `acl/rt/kernel.h`.
pub type aclrtBinaryLoadFromDataFn = unsafe extern "C" fn(
    data: *const c_void,
    length: usize,
    options: *const aclrtBinaryLoadOptions,
    binHandle: *mut aclrtBinHandle,
) -> aclError;

/// `aclrtBinaryUnLoad` of `acl/rt/kernel.h`.
pub type aclrtBinaryUnLoadFn = unsafe extern "C" fn(binHandle: aclrtBinHandle) -> aclError;

/// `aclrtBinaryGetDevAddress` of `acl/rt/kernel.h`.
pub type aclrtBinaryGetDevAddressFn = unsafe extern "C" fn(
    binHandle: aclrtBinHandle,
    binAddr: *mut *mut c_void,
    binSize: *mut usize,
) -> aclError;

/// `aclrtBinaryGetFunction` of `acl/rt/kernel.h`.
pub type aclrtBinaryGetFunctionFn = unsafe extern "C" fn(
    binHandle: aclrtBinHandle,
    kernelName: *const c_char,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError;

/// `aclrtBinaryGetFunctionByEntry` of `acl/rt/kernel.h`.
pub type aclrtBinaryGetFunctionByEntryFn = unsafe extern "C" fn(
    binHandle: aclrtBinHandle,
    funcEntry: u64,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError;

/// `aclrtGetFunctionAddr` of `acl/rt/kernel.h`.
pub type aclrtGetFunctionAddrFn = unsafe extern "C" fn(
    funcHandle: aclrtFuncHandle,
    aicAddr: *mut *mut c_void,
    aivAddr: *mut *mut c_void,
) -> aclError;

/// `aclrtGetFunctionName` of `acl/rt/kernel.h`.
pub type aclrtGetFunctionNameFn =
    unsafe extern "C" fn(funcHandle: aclrtFuncHandle, maxLen: u32, name: *mut c_char) -> aclError;

/// `aclrtRegisterCpuFunc` of `acl/rt/kernel.h`.
pub type aclrtRegisterCpuFuncFn = unsafe extern "C" fn(
    handle: aclrtBinHandle,
    funcName: *const c_char,
    kernelName: *const c_char,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError;

/// `aclrtKernelArgsInit` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsInitFn =
    unsafe extern "C" fn(funcHandle: aclrtFuncHandle, argsHandle: *mut aclrtArgsHandle) -> aclError;

/// `aclrtKernelArgsGetHandleMemSize` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsGetHandleMemSizeFn =
    unsafe extern "C" fn(funcHandle: aclrtFuncHandle, memSize: *mut usize) -> aclError;

/// `aclrtKernelArgsGetMemSize` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsGetMemSizeFn = unsafe extern "C" fn(
    funcHandle: aclrtFuncHandle,
    userArgsSize: usize,
    actualArgsSize: *mut usize,
) -> aclError;

/// `aclrtKernelArgsInitByUserMem` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsInitByUserMemFn = unsafe extern "C" fn(
    funcHandle: aclrtFuncHandle,
    argsHandle: aclrtArgsHandle,
    userHostMem: *mut c_void,
    actualArgsSize: usize,
) -> aclError;

/// `aclrtKernelArgsAppend` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsAppendFn = unsafe extern "C" fn(
    argsHandle: aclrtArgsHandle,
    param: *mut c_void,
    paramSize: usize,
    paramHandle: *mut aclrtParamHandle,
) -> aclError;

/// `aclrtKernelArgsAppendPlaceHolder` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsAppendPlaceHolderFn = unsafe extern "C" fn(
    argsHandle: aclrtArgsHandle,
    paramHandle: *mut aclrtParamHandle,
) -> aclError;

/// `aclrtKernelArgsGetPlaceHolderBuffer` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsGetPlaceHolderBufferFn = unsafe extern "C" fn(
    argsHandle: aclrtArgsHandle,
    paramHandle: aclrtParamHandle,
    dataSize: usize,
    bufferAddr: *mut *mut c_void,
) -> aclError;

/// `aclrtKernelArgsParaUpdate` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsParaUpdateFn = unsafe extern "C" fn(
    argsHandle: aclrtArgsHandle,
    paramHandle: aclrtParamHandle,
    param: *mut c_void,
    paramSize: usize,
) -> aclError;

/// `aclrtKernelArgsFinalize` of `acl/rt/kernel.h`.
pub type aclrtKernelArgsFinalizeFn = unsafe extern "C" fn(argsHandle: aclrtArgsHandle) -> aclError;

/// `aclrtLaunchKernel` of `acl/rt/kernel.h`.
pub type aclrtLaunchKernelFn = unsafe extern "C" fn(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    argsData: *const c_void,
    argsSize: usize,
    stream: aclrtStream,
) -> aclError;

/// `aclrtLaunchKernelV2` of `acl/rt/kernel.h`.
pub type aclrtLaunchKernelV2Fn = unsafe extern "C" fn(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    argsData: *const c_void,
    argsSize: usize,
    cfg: *mut aclrtLaunchKernelCfg,
    stream: aclrtStream,
) -> aclError;

/// `aclrtLaunchKernelWithConfig` of `acl/rt/kernel.h`.
pub type aclrtLaunchKernelWithConfigFn = unsafe extern "C" fn(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    argsHandle: aclrtArgsHandle,
    reserve: *mut c_void,
) -> aclError;

/// `aclrtLaunchKernelWithHostArgs` of `acl/rt/kernel.h`.
pub type aclrtLaunchKernelWithHostArgsFn = unsafe extern "C" fn(
    funcHandle: aclrtFuncHandle,
    numBlocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    hostArgs: *mut c_void,
    argsSize: usize,
    placeHolderArray: *mut aclrtPlaceHolderInfo,
    placeHolderNum: usize,
) -> aclError;

/// `aclrtCreateLabel` of `acl/rt/kernel.h`.
pub type aclrtCreateLabelFn = unsafe extern "C" fn(label: *mut aclrtLabel) -> aclError;

/// `aclrtSetLabel` of `acl/rt/kernel.h`.
pub type aclrtSetLabelFn = unsafe extern "C" fn(label: aclrtLabel, stream: aclrtStream) -> aclError;

/// `aclrtDestroyLabel` of `acl/rt/kernel.h`.
pub type aclrtDestroyLabelFn = unsafe extern "C" fn(label: aclrtLabel) -> aclError;

/// `aclrtCreateLabelList` of `acl/rt/kernel.h`.
pub type aclrtCreateLabelListFn = unsafe extern "C" fn(
    labels: *mut aclrtLabel,
    num: usize,
    labelList: *mut aclrtLabelList,
) -> aclError;

/// `aclrtDestroyLabelList` of `acl/rt/kernel.h`.
pub type aclrtDestroyLabelListFn = unsafe extern "C" fn(labelList: aclrtLabelList) -> aclError;

/// `aclrtSwitchLabelByIndex` of `acl/rt/kernel.h`.
pub type aclrtSwitchLabelByIndexFn = unsafe extern "C" fn(
    ptr: *mut c_void,
    maxValue: u32,
    labelList: aclrtLabelList,
    stream: aclrtStream,
) -> aclError;

/// `aclrtSetGroup` of `acl/rt/kernel.h`.
pub type aclrtSetGroupFn = unsafe extern "C" fn(groupId: i32) -> aclError;

/// `aclrtGetGroupCount` of `acl/rt/kernel.h`.
pub type aclrtGetGroupCountFn = unsafe extern "C" fn(count: *mut u32) -> aclError;

/// `aclrtCreateGroupInfo` of `acl/rt/kernel.h`.
pub type aclrtCreateGroupInfoFn = unsafe extern "C" fn() -> *mut aclrtGroupInfo;

/// `aclrtDestroyGroupInfo` of `acl/rt/kernel.h`.
pub type aclrtDestroyGroupInfoFn = unsafe extern "C" fn(groupInfo: *mut aclrtGroupInfo) -> aclError;

/// `aclrtGetAllGroupInfo` of `acl/rt/kernel.h`.
pub type aclrtGetAllGroupInfoFn = unsafe extern "C" fn(groupInfo: *mut aclrtGroupInfo) -> aclError;

/// `aclrtGetGroupInfoDetail` of `acl/rt/kernel.h`.
pub type aclrtGetGroupInfoDetailFn = unsafe extern "C" fn(
    groupInfo: *const aclrtGroupInfo,
    groupIndex: i32,
    attr: aclrtGroupAttr,
    attrValue: *mut c_void,
    valueLen: usize,
    paramRetSize: *mut usize,
) -> aclError;

// acl/rt/memory.h

/// `aclrtMalloc` of `acl/rt/memory.h`.
pub type aclrtMallocFn = unsafe extern "C" fn(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: aclrtMemMallocPolicy,
) -> aclError;

/// `aclrtMallocAlign32` of `acl/rt/memory.h`.
pub type aclrtMallocAlign32Fn = unsafe extern "C" fn(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: aclrtMemMallocPolicy,
) -> aclError;

/// `aclrtMallocCached` of `acl/rt/memory.h`.
pub type aclrtMallocCachedFn = unsafe extern "C" fn(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: aclrtMemMallocPolicy,
) -> aclError;

/// `aclrtMallocWithCfg` of `acl/rt/memory.h`.
pub type aclrtMallocWithCfgFn = unsafe extern "C" fn(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: aclrtMemMallocPolicy,
    cfg: *mut aclrtMallocConfig,
) -> aclError;

/// `aclrtMallocForTaskScheduler` of `acl/rt/memory.h`.
pub type aclrtMallocForTaskSchedulerFn = unsafe extern "C" fn(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: aclrtMemMallocPolicy,
    cfg: *mut aclrtMallocConfig,
) -> aclError;

/// `aclrtFree` of `acl/rt/memory.h`.
pub type aclrtFreeFn = unsafe extern "C" fn(devPtr: *mut c_void) -> aclError;

/// `aclrtFreeWithDevSync` of `acl/rt/memory.h`.
pub type aclrtFreeWithDevSyncFn = unsafe extern "C" fn(devPtr: *mut c_void) -> aclError;

/// `aclrtMallocHost` of `acl/rt/memory.h`.
pub type aclrtMallocHostFn =
    unsafe extern "C" fn(hostPtr: *mut *mut c_void, size: usize) -> aclError;

/// `aclrtMallocHostWithCfg` of `acl/rt/memory.h`.
pub type aclrtMallocHostWithCfgFn =
    unsafe extern "C" fn(ptr: *mut *mut c_void, size: u64, cfg: *mut aclrtMallocConfig) -> aclError;

/// `aclrtFreeHost` of `acl/rt/memory.h`.
pub type aclrtFreeHostFn = unsafe extern "C" fn(hostPtr: *mut c_void) -> aclError;

/// `aclrtFreeHostWithDevSync` of `acl/rt/memory.h`.
pub type aclrtFreeHostWithDevSyncFn = unsafe extern "C" fn(hostPtr: *mut c_void) -> aclError;

/// `aclrtMemFlush` of `acl/rt/memory.h`.
pub type aclrtMemFlushFn = unsafe extern "C" fn(devPtr: *mut c_void, size: usize) -> aclError;

/// `aclrtMemInvalidate` of `acl/rt/memory.h`.
pub type aclrtMemInvalidateFn = unsafe extern "C" fn(devPtr: *mut c_void, size: usize) -> aclError;

/// `aclrtDeviceL2CacheFlush` of `acl/rt/memory.h`.
pub type aclrtDeviceL2CacheFlushFn = unsafe extern "C" fn(rsv: *mut c_void) -> aclError;

/// `aclrtGetMemInfo` of `acl/rt/memory.h`.
pub type aclrtGetMemInfoFn =
    unsafe extern "C" fn(attr: aclrtMemAttr, free: *mut usize, total: *mut usize) -> aclError;

/// `aclrtGetMemUsageInfo` of `acl/rt/memory.h`.
pub type aclrtGetMemUsageInfoFn = unsafe extern "C" fn(
    deviceId: i32,
    memUsageInfo: *mut aclrtMemUsageInfo,
    inputNum: usize,
    outputNum: *mut usize,
) -> aclError;

/// `aclrtPointerGetAttributes` of `acl/rt/memory.h`.
pub type aclrtPointerGetAttributesFn =
    unsafe extern "C" fn(ptr: *const c_void, attributes: *mut aclrtPtrAttributes) -> aclError;

/// `aclrtCheckMemType` of `acl/rt/memory.h`.
pub type aclrtCheckMemTypeFn = unsafe extern "C" fn(
    addrList: *mut *mut c_void,
    size: u32,
    memType: u32,
    checkResult: *mut u32,
    reserve: u32,
) -> aclError;

// acl/rt/notify.h

/// `aclrtCreateNotify` of `acl/rt/notify.h`.
pub type aclrtCreateNotifyFn =
    unsafe extern "C" fn(notify: *mut aclrtNotify, flag: u64) -> aclError;

/// `aclrtDestroyNotify` of `acl/rt/notify.h`.
pub type aclrtDestroyNotifyFn = unsafe extern "C" fn(notify: aclrtNotify) -> aclError;

/// `aclrtRecordNotify` of `acl/rt/notify.h`.
pub type aclrtRecordNotifyFn =
    unsafe extern "C" fn(notify: aclrtNotify, stream: aclrtStream) -> aclError;

/// `aclrtWaitAndResetNotify` of `acl/rt/notify.h`.
pub type aclrtWaitAndResetNotifyFn =
    unsafe extern "C" fn(notify: aclrtNotify, stream: aclrtStream, timeout: u32) -> aclError;

/// `aclrtGetNotifyId` of `acl/rt/notify.h`.
pub type aclrtGetNotifyIdFn =
    unsafe extern "C" fn(notify: aclrtNotify, notifyId: *mut u32) -> aclError;

/// `aclrtNotifyBatchReset` of `acl/rt/notify.h`.
pub type aclrtNotifyBatchResetFn =
    unsafe extern "C" fn(notifies: *mut aclrtNotify, num: usize) -> aclError;

/// `aclrtNotifyGetExportKey` of `acl/rt/notify.h`.
pub type aclrtNotifyGetExportKeyFn =
    unsafe extern "C" fn(notify: aclrtNotify, key: *mut c_char, len: usize, flags: u64) -> aclError;

/// `aclrtNotifyImportByKey` of `acl/rt/notify.h`.
pub type aclrtNotifyImportByKeyFn =
    unsafe extern "C" fn(notify: *mut aclrtNotify, key: *const c_char, flags: u64) -> aclError;

/// `aclrtNotifySetImportPid` of `acl/rt/notify.h`.
pub type aclrtNotifySetImportPidFn =
    unsafe extern "C" fn(notify: aclrtNotify, pid: *mut i32, num: usize) -> aclError;

/// `aclrtNotifySetImportPidInterServer` of `acl/rt/notify.h`.
pub type aclrtNotifySetImportPidInterServerFn = unsafe extern "C" fn(
    notify: aclrtNotify,
    serverPids: *mut aclrtServerPid,
    num: usize,
) -> aclError;

/// `aclrtCntNotifyCreate` of `acl/rt/notify.h`.
pub type aclrtCntNotifyCreateFn =
    unsafe extern "C" fn(cntNotify: *mut aclrtCntNotify, flag: u64) -> aclError;

/// `aclrtCntNotifyDestroy` of `acl/rt/notify.h`.
pub type aclrtCntNotifyDestroyFn = unsafe extern "C" fn(cntNotify: aclrtCntNotify) -> aclError;

/// `aclrtCntNotifyRecord` of `acl/rt/notify.h`.
pub type aclrtCntNotifyRecordFn = unsafe extern "C" fn(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyRecordInfo,
) -> aclError;

/// `aclrtCntNotifyWaitWithTimeout` of `acl/rt/notify.h`.
pub type aclrtCntNotifyWaitWithTimeoutFn = unsafe extern "C" fn(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyWaitInfo,
) -> aclError;

/// `aclrtCntNotifyReset` of `acl/rt/notify.h`.
pub type aclrtCntNotifyResetFn =
    unsafe extern "C" fn(cntNotify: aclrtCntNotify, stream: aclrtStream) -> aclError;

/// `aclrtCntNotifyGetId` of `acl/rt/notify.h`.
pub type aclrtCntNotifyGetIdFn =
    unsafe extern "C" fn(cntNotify: aclrtCntNotify, notifyId: *mut u32) -> aclError;

// acl/rt/resource_limit.h

/// `aclrtGetDeviceResLimit` of `acl/rt/resource_limit.h`.
pub type aclrtGetDeviceResLimitFn =
    unsafe extern "C" fn(deviceId: i32, r#type: aclrtDevResLimitType, value: *mut u32) -> aclError;

/// `aclrtSetDeviceResLimit` of `acl/rt/resource_limit.h`.
pub type aclrtSetDeviceResLimitFn =
    unsafe extern "C" fn(deviceId: i32, r#type: aclrtDevResLimitType, value: u32) -> aclError;

/// `aclrtResetDeviceResLimit` of `acl/rt/resource_limit.h`.
pub type aclrtResetDeviceResLimitFn = unsafe extern "C" fn(deviceId: i32) -> aclError;

/// `aclrtGetStreamResLimit` of `acl/rt/resource_limit.h`.
pub type aclrtGetStreamResLimitFn = unsafe extern "C" fn(
    stream: aclrtStream,
    r#type: aclrtDevResLimitType,
    value: *mut u32,
) -> aclError;

/// `aclrtSetStreamResLimit` of `acl/rt/resource_limit.h`.
pub type aclrtSetStreamResLimitFn =
    unsafe extern "C" fn(stream: aclrtStream, r#type: aclrtDevResLimitType, value: u32) -> aclError;

/// `aclrtResetStreamResLimit` of `acl/rt/resource_limit.h`.
pub type aclrtResetStreamResLimitFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclrtUseStreamResInCurrentThread` of `acl/rt/resource_limit.h`.
pub type aclrtUseStreamResInCurrentThreadFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclrtUnuseStreamResInCurrentThread` of `acl/rt/resource_limit.h`.
pub type aclrtUnuseStreamResInCurrentThreadFn =
    unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclrtGetResInCurrentThread` of `acl/rt/resource_limit.h`.
pub type aclrtGetResInCurrentThreadFn =
    unsafe extern "C" fn(r#type: aclrtDevResLimitType, value: *mut u32) -> aclError;

// acl/rt/stream.h

/// `aclrtCreateStream` of `acl/rt/stream.h`.
pub type aclrtCreateStreamFn = unsafe extern "C" fn(stream: *mut aclrtStream) -> aclError;

/// `aclrtCreateStreamWithConfig` of `acl/rt/stream.h`.
pub type aclrtCreateStreamWithConfigFn =
    unsafe extern "C" fn(stream: *mut aclrtStream, priority: u32, flag: u32) -> aclError;

/// `aclrtDestroyStream` of `acl/rt/stream.h`.
pub type aclrtDestroyStreamFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclrtDestroyStreamForce` of `acl/rt/stream.h`.
pub type aclrtDestroyStreamForceFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclrtSynchronizeStream` of `acl/rt/stream.h`.
pub type aclrtSynchronizeStreamFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclrtSynchronizeStreamWithTimeout` of `acl/rt/stream.h`.
pub type aclrtSynchronizeStreamWithTimeoutFn =
    unsafe extern "C" fn(stream: aclrtStream, timeout: i32) -> aclError;

/// `aclrtStreamQuery` of `acl/rt/stream.h`.
pub type aclrtStreamQueryFn =
    unsafe extern "C" fn(stream: aclrtStream, status: *mut aclrtStreamStatus) -> aclError;

/// `aclrtStreamGetId` of `acl/rt/stream.h`.
pub type aclrtStreamGetIdFn =
    unsafe extern "C" fn(stream: aclrtStream, streamId: *mut i32) -> aclError;

/// `aclrtStreamGetPriority` of `acl/rt/stream.h`.
pub type aclrtStreamGetPriorityFn =
    unsafe extern "C" fn(stream: aclrtStream, priority: *mut u32) -> aclError;

/// `aclrtStreamGetFlags` of `acl/rt/stream.h`.
pub type aclrtStreamGetFlagsFn =
    unsafe extern "C" fn(stream: aclrtStream, flags: *mut u32) -> aclError;

/// `aclrtGetStreamAvailableNum` of `acl/rt/stream.h`.
pub type aclrtGetStreamAvailableNumFn = unsafe extern "C" fn(streamCount: *mut u32) -> aclError;

/// `aclrtDeviceGetStreamPriorityRange` of `acl/rt/stream.h`.
pub type aclrtDeviceGetStreamPriorityRangeFn =
    unsafe extern "C" fn(leastPriority: *mut i32, greatestPriority: *mut i32) -> aclError;

/// `aclrtStreamWaitEvent` of `acl/rt/stream.h`.
pub type aclrtStreamWaitEventFn =
    unsafe extern "C" fn(stream: aclrtStream, event: aclrtEvent) -> aclError;

/// `aclrtStreamWaitEventWithTimeout` of `acl/rt/stream.h`.
pub type aclrtStreamWaitEventWithTimeoutFn =
    unsafe extern "C" fn(stream: aclrtStream, event: aclrtEvent, timeout: i32) -> aclError;

/// `aclrtStreamWaitEventWithFlag` of `acl/rt/stream.h`.
pub type aclrtStreamWaitEventWithFlagFn = unsafe extern "C" fn(
    stream: aclrtStream,
    event: aclrtEvent,
    timeout: u32,
    flag: u32,
) -> aclError;

/// `aclrtSetStreamFailureMode` of `acl/rt/stream.h`.
pub type aclrtSetStreamFailureModeFn =
    unsafe extern "C" fn(stream: aclrtStream, mode: u64) -> aclError;

/// `aclrtStreamAbort` of `acl/rt/stream.h`.
pub type aclrtStreamAbortFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclrtStreamStop` of `acl/rt/stream.h`.
pub type aclrtStreamStopFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

/// `aclrtSetStreamAttribute` of `acl/rt/stream.h`.
pub type aclrtSetStreamAttributeFn = unsafe extern "C" fn(
    stream: aclrtStream,
    stmAttrType: aclrtStreamAttr,
    value: *mut aclrtStreamAttrValue,
) -> aclError;

/// `aclrtGetStreamAttribute` of `acl/rt/stream.h`.
pub type aclrtGetStreamAttributeFn = unsafe extern "C" fn(
    stream: aclrtStream,
    stmAttrType: aclrtStreamAttr,
    value: *mut aclrtStreamAttrValue,
) -> aclError;

/// `aclrtCreateStreamConfigHandle` of `acl/rt/stream.h`.
pub type aclrtCreateStreamConfigHandleFn = unsafe extern "C" fn() -> *mut aclrtStreamConfigHandle;

/// `aclrtDestroyStreamConfigHandle` of `acl/rt/stream.h`.
pub type aclrtDestroyStreamConfigHandleFn =
    unsafe extern "C" fn(handle: *mut aclrtStreamConfigHandle) -> aclError;

/// `aclrtSetStreamConfigOpt` of `acl/rt/stream.h`.
pub type aclrtSetStreamConfigOptFn = unsafe extern "C" fn(
    handle: *mut aclrtStreamConfigHandle,
    attr: aclrtStreamConfigAttr,
    attrValue: *const c_void,
    valueSize: usize,
) -> aclError;

/// `aclrtCreateStreamV2` of `acl/rt/stream.h`.
pub type aclrtCreateStreamV2Fn = unsafe extern "C" fn(
    stream: *mut aclrtStream,
    handle: *const aclrtStreamConfigHandle,
) -> aclError;

/// `aclrtActiveStream` of `acl/rt/stream.h`.
pub type aclrtActiveStreamFn =
    unsafe extern "C" fn(activeStream: aclrtStream, stream: aclrtStream) -> aclError;

/// `aclrtSwitchStream` of `acl/rt/stream.h`.
pub type aclrtSwitchStreamFn = unsafe extern "C" fn(
    leftValue: *mut c_void,
    cond: aclrtCondition,
    rightValue: *mut c_void,
    dataType: aclrtCompareDataType,
    trueStream: aclrtStream,
    falseStream: aclrtStream,
    stream: aclrtStream,
) -> aclError;

/// `aclrtGetThreadLastTaskId` of `acl/rt/stream.h`.
pub type aclrtGetThreadLastTaskIdFn = unsafe extern "C" fn(taskId: *mut u32) -> aclError;

/// `aclrtSetStreamOverflowSwitch` of `acl/rt/stream.h`.
pub type aclrtSetStreamOverflowSwitchFn =
    unsafe extern "C" fn(stream: aclrtStream, flag: u32) -> aclError;

/// `aclrtGetStreamOverflowSwitch` of `acl/rt/stream.h`.
pub type aclrtGetStreamOverflowSwitchFn =
    unsafe extern "C" fn(stream: aclrtStream, flag: *mut u32) -> aclError;

/// `aclrtPersistentTaskClean` of `acl/rt/stream.h`.
pub type aclrtPersistentTaskCleanFn = unsafe extern "C" fn(stream: aclrtStream) -> aclError;

// acl/rt/virtual_memory.h

/// `aclrtReserveMemAddress` of `acl/rt/virtual_memory.h`.
pub type aclrtReserveMemAddressFn = unsafe extern "C" fn(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> aclError;

/// `aclrtReserveMemAddressNoUCMemory` of `acl/rt/virtual_memory.h`.
pub type aclrtReserveMemAddressNoUCMemoryFn = unsafe extern "C" fn(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> aclError;

/// `aclrtReleaseMemAddress` of `acl/rt/virtual_memory.h`.
pub type aclrtReleaseMemAddressFn = unsafe extern "C" fn(virPtr: *mut c_void) -> aclError;

/// `aclrtMallocPhysical` of `acl/rt/virtual_memory.h`.
pub type aclrtMallocPhysicalFn = unsafe extern "C" fn(
    handle: *mut aclrtDrvMemHandle,
    size: usize,
    prop: *const aclrtPhysicalMemProp,
    flags: u64,
) -> aclError;

/// `aclrtFreePhysical` of `acl/rt/virtual_memory.h`.
pub type aclrtFreePhysicalFn = unsafe extern "C" fn(handle: aclrtDrvMemHandle) -> aclError;

/// `aclrtMemGetAllocationGranularity` of `acl/rt/virtual_memory.h`.
pub type aclrtMemGetAllocationGranularityFn = unsafe extern "C" fn(
    prop: *mut aclrtPhysicalMemProp,
    option: aclrtMemGranularityOptions,
    granularity: *mut usize,
) -> aclError;

/// `aclrtMemRetainAllocationHandle` of `acl/rt/virtual_memory.h`.
pub type aclrtMemRetainAllocationHandleFn =
    unsafe extern "C" fn(virPtr: *mut c_void, handle: *mut aclrtDrvMemHandle) -> aclError;

/// `aclrtMemGetAllocationPropertiesFromHandle` of `acl/rt/virtual_memory.h`.
pub type aclrtMemGetAllocationPropertiesFromHandleFn =
    unsafe extern "C" fn(handle: aclrtDrvMemHandle, prop: *mut aclrtPhysicalMemProp) -> aclError;

/// `aclrtMapMem` of `acl/rt/virtual_memory.h`.
pub type aclrtMapMemFn = unsafe extern "C" fn(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError;

/// `aclrtMemMapNoAccess` of `acl/rt/virtual_memory.h`.
pub type aclrtMemMapNoAccessFn = unsafe extern "C" fn(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError;

/// `aclrtUnmapMem` of `acl/rt/virtual_memory.h`.
pub type aclrtUnmapMemFn = unsafe extern "C" fn(virPtr: *mut c_void) -> aclError;

/// `aclrtMemSetAccess` of `acl/rt/virtual_memory.h`.
pub type aclrtMemSetAccessFn = unsafe extern "C" fn(
    virPtr: *mut c_void,
    size: usize,
    desc: *mut aclrtMemAccessDesc,
    count: usize,
) -> aclError;

/// `aclrtMemGetAccess` of `acl/rt/virtual_memory.h`.
pub type aclrtMemGetAccessFn = unsafe extern "C" fn(
    virPtr: *mut c_void,
    location: *mut aclrtMemLocation,
    flag: *mut u64,
) -> aclError;

/// `aclrtMemGetAddressRange` of `acl/rt/virtual_memory.h`.
pub type aclrtMemGetAddressRangeFn =
    unsafe extern "C" fn(ptr: *mut c_void, pbase: *mut *mut c_void, psize: *mut usize) -> aclError;

/// `aclrtMemExportToShareableHandle` of `acl/rt/virtual_memory.h`.
pub type aclrtMemExportToShareableHandleFn = unsafe extern "C" fn(
    handle: aclrtDrvMemHandle,
    handleType: aclrtMemHandleType,
    flags: u64,
    shareableHandle: *mut u64,
) -> aclError;

/// `aclrtMemExportToShareableHandleV2` of `acl/rt/virtual_memory.h`.
pub type aclrtMemExportToShareableHandleV2Fn = unsafe extern "C" fn(
    handle: aclrtDrvMemHandle,
    flags: u64,
    shareType: aclrtMemSharedHandleType,
    shareableHandle: *mut c_void,
) -> aclError;

/// `aclrtMemImportFromShareableHandle` of `acl/rt/virtual_memory.h`.
pub type aclrtMemImportFromShareableHandleFn = unsafe extern "C" fn(
    shareableHandle: u64,
    deviceId: i32,
    handle: *mut aclrtDrvMemHandle,
) -> aclError;

/// `aclrtMemImportFromShareableHandleV2` of `acl/rt/virtual_memory.h`.
pub type aclrtMemImportFromShareableHandleV2Fn = unsafe extern "C" fn(
    shareableHandle: *mut c_void,
    shareType: aclrtMemSharedHandleType,
    flags: u64,
    handle: *mut aclrtDrvMemHandle,
) -> aclError;

/// `aclrtMemSetPidToShareableHandle` of `acl/rt/virtual_memory.h`.
pub type aclrtMemSetPidToShareableHandleFn =
    unsafe extern "C" fn(shareableHandle: u64, pid: *mut i32, pidNum: usize) -> aclError;

/// `aclrtMemSetPidToShareableHandleV2` of `acl/rt/virtual_memory.h`.
pub type aclrtMemSetPidToShareableHandleV2Fn = unsafe extern "C" fn(
    shareableHandle: *mut c_void,
    shareType: aclrtMemSharedHandleType,
    pid: *mut i32,
    pidNum: usize,
) -> aclError;

/// `aclrtDeviceGetBareTgid` of `acl/rt/virtual_memory.h`.
pub type aclrtDeviceGetBareTgidFn = unsafe extern "C" fn(pid: *mut i32) -> aclError;

/// `aclrtMemP2PMap` of `acl/rt/virtual_memory.h`.
pub type aclrtMemP2PMapFn =
    unsafe extern "C" fn(devPtr: *mut c_void, size: usize, dstDevId: i32, flags: u64) -> aclError;

/// `aclrtMemMapSelectedLink` of `acl/rt/virtual_memory.h`.
pub type aclrtMemMapSelectedLinkFn = unsafe extern "C" fn(
    virPtrDst: *mut c_void,
    size: usize,
    virPtrSrc: *mut c_void,
    linkIdx: u32,
) -> aclError;

/// `aclrtMemMapSetLink` of `acl/rt/virtual_memory.h`.
pub type aclrtMemMapSetLinkFn =
    unsafe extern "C" fn(handle: aclrtDrvMemHandle, adviceLink: aclrtMemLinkType) -> aclError;

// aclnn/acl_meta.h

/// `aclCreateTensor` of `aclnn/acl_meta.h`.
pub type aclCreateTensorFn = unsafe extern "C" fn(
    viewDims: *const i64,
    viewDimsNum: u64,
    dataType: aclDataType,
    stride: *const i64,
    offset: i64,
    format: aclFormat,
    storageDims: *const i64,
    storageDimsNum: u64,
    tensorData: *mut c_void,
) -> *mut aclTensor;

/// `aclInitTensor` of `aclnn/acl_meta.h`.
pub type aclInitTensorFn = unsafe extern "C" fn(
    tensor: *mut aclTensor,
    viewDims: *const i64,
    viewDimsNum: u64,
    dataType: aclDataType,
    stride: *const i64,
    offset: i64,
    format: aclFormat,
    storageDims: *const i64,
    storageDimsNum: u64,
    tensorData: *mut c_void,
) -> aclnnStatus;

/// `aclDestroyTensor` of `aclnn/acl_meta.h`.
pub type aclDestroyTensorFn = unsafe extern "C" fn(tensor: *const aclTensor) -> aclnnStatus;

/// `aclCreateScalar` of `aclnn/acl_meta.h`.
pub type aclCreateScalarFn =
    unsafe extern "C" fn(value: *mut c_void, dataType: aclDataType) -> *mut aclScalar;

/// `aclDestroyScalar` of `aclnn/acl_meta.h`.
pub type aclDestroyScalarFn = unsafe extern "C" fn(scalar: *const aclScalar) -> aclnnStatus;

/// `aclCreateIntArray` of `aclnn/acl_meta.h`.
pub type aclCreateIntArrayFn =
    unsafe extern "C" fn(value: *const i64, size: u64) -> *mut aclIntArray;

/// `aclDestroyIntArray` of `aclnn/acl_meta.h`.
pub type aclDestroyIntArrayFn = unsafe extern "C" fn(array: *const aclIntArray) -> aclnnStatus;

/// `aclCreateFloatArray` of `aclnn/acl_meta.h`.
pub type aclCreateFloatArrayFn =
    unsafe extern "C" fn(value: *const f32, size: u64) -> *mut aclFloatArray;

/// `aclDestroyFloatArray` of `aclnn/acl_meta.h`.
pub type aclDestroyFloatArrayFn = unsafe extern "C" fn(array: *const aclFloatArray) -> aclnnStatus;

/// `aclCreateBoolArray` of `aclnn/acl_meta.h`.
pub type aclCreateBoolArrayFn =
    unsafe extern "C" fn(value: *const bool, size: u64) -> *mut aclBoolArray;

/// `aclDestroyBoolArray` of `aclnn/acl_meta.h`.
pub type aclDestroyBoolArrayFn = unsafe extern "C" fn(array: *const aclBoolArray) -> aclnnStatus;

/// `aclCreateTensorList` of `aclnn/acl_meta.h`.
pub type aclCreateTensorListFn =
    unsafe extern "C" fn(value: *const *const aclTensor, size: u64) -> *mut aclTensorList;

/// `aclDestroyTensorList` of `aclnn/acl_meta.h`.
pub type aclDestroyTensorListFn = unsafe extern "C" fn(array: *const aclTensorList) -> aclnnStatus;

/// `aclCreateScalarList` of `aclnn/acl_meta.h`.
pub type aclCreateScalarListFn =
    unsafe extern "C" fn(value: *const *const aclScalar, size: u64) -> *mut aclScalarList;

/// `aclDestroyScalarList` of `aclnn/acl_meta.h`.
pub type aclDestroyScalarListFn = unsafe extern "C" fn(array: *const aclScalarList) -> aclnnStatus;

/// `aclGetViewShape` of `aclnn/acl_meta.h`.
pub type aclGetViewShapeFn = unsafe extern "C" fn(
    tensor: *const aclTensor,
    viewDims: *mut *mut i64,
    viewDimsNum: *mut u64,
) -> aclnnStatus;

/// `aclGetStorageShape` of `aclnn/acl_meta.h`.
pub type aclGetStorageShapeFn = unsafe extern "C" fn(
    tensor: *const aclTensor,
    storageDims: *mut *mut i64,
    storageDimsNum: *mut u64,
) -> aclnnStatus;

/// `aclGetViewStrides` of `aclnn/acl_meta.h`.
pub type aclGetViewStridesFn = unsafe extern "C" fn(
    tensor: *const aclTensor,
    stridesValue: *mut *mut i64,
    stridesNum: *mut u64,
) -> aclnnStatus;

/// `aclGetViewOffset` of `aclnn/acl_meta.h`.
pub type aclGetViewOffsetFn =
    unsafe extern "C" fn(tensor: *const aclTensor, offset: *mut i64) -> aclnnStatus;

/// `aclGetFormat` of `aclnn/acl_meta.h`.
pub type aclGetFormatFn =
    unsafe extern "C" fn(tensor: *const aclTensor, format: *mut aclFormat) -> aclnnStatus;

/// `aclGetDataType` of `aclnn/acl_meta.h`.
pub type aclGetDataTypeFn =
    unsafe extern "C" fn(tensor: *const aclTensor, dataType: *mut aclDataType) -> aclnnStatus;

/// `aclGetIntArraySize` of `aclnn/acl_meta.h`.
pub type aclGetIntArraySizeFn =
    unsafe extern "C" fn(array: *const aclIntArray, size: *mut u64) -> aclnnStatus;

/// `aclGetFloatArraySize` of `aclnn/acl_meta.h`.
pub type aclGetFloatArraySizeFn =
    unsafe extern "C" fn(array: *const aclFloatArray, size: *mut u64) -> aclnnStatus;

/// `aclGetBoolArraySize` of `aclnn/acl_meta.h`.
pub type aclGetBoolArraySizeFn =
    unsafe extern "C" fn(array: *const aclBoolArray, size: *mut u64) -> aclnnStatus;

/// `aclGetTensorListSize` of `aclnn/acl_meta.h`.
pub type aclGetTensorListSizeFn =
    unsafe extern "C" fn(tensorList: *const aclTensorList, size: *mut u64) -> aclnnStatus;

/// `aclGetScalarListSize` of `aclnn/acl_meta.h`.
pub type aclGetScalarListSizeFn =
    unsafe extern "C" fn(scalarList: *const aclScalarList, size: *mut u64) -> aclnnStatus;

/// `aclSetAclOpExecutorRepeatable` of `aclnn/acl_meta.h`.
pub type aclSetAclOpExecutorRepeatableFn =
    unsafe extern "C" fn(executor: *mut aclOpExecutor) -> aclnnStatus;

/// `aclDestroyAclOpExecutor` of `aclnn/acl_meta.h`.
pub type aclDestroyAclOpExecutorFn =
    unsafe extern "C" fn(executor: *mut aclOpExecutor) -> aclnnStatus;

/// `aclSetInputTensorAddr` of `aclnn/acl_meta.h`.
pub type aclSetInputTensorAddrFn = unsafe extern "C" fn(
    executor: *mut aclOpExecutor,
    index: usize,
    tensor: *mut aclTensor,
    addr: *mut c_void,
) -> aclnnStatus;

/// `aclSetOutputTensorAddr` of `aclnn/acl_meta.h`.
pub type aclSetOutputTensorAddrFn = unsafe extern "C" fn(
    executor: *mut aclOpExecutor,
    index: usize,
    tensor: *mut aclTensor,
    addr: *mut c_void,
) -> aclnnStatus;

/// `aclSetTensorAddr` of `aclnn/acl_meta.h`.
pub type aclSetTensorAddrFn = unsafe extern "C" fn(
    executor: *mut aclOpExecutor,
    index: usize,
    tensor: *mut aclTensor,
    addr: *mut c_void,
) -> aclnnStatus;

/// `aclSetDynamicInputTensorAddr` of `aclnn/acl_meta.h`.
pub type aclSetDynamicInputTensorAddrFn = unsafe extern "C" fn(
    executor: *mut aclOpExecutor,
    irIndex: usize,
    relativeIndex: usize,
    tensors: *mut aclTensorList,
    addr: *mut c_void,
) -> aclnnStatus;

/// `aclSetDynamicOutputTensorAddr` of `aclnn/acl_meta.h`.
pub type aclSetDynamicOutputTensorAddrFn = unsafe extern "C" fn(
    executor: *mut aclOpExecutor,
    irIndex: usize,
    relativeIndex: usize,
    tensors: *mut aclTensorList,
    addr: *mut c_void,
) -> aclnnStatus;

/// `aclSetDynamicTensorAddr` of `aclnn/acl_meta.h`.
pub type aclSetDynamicTensorAddrFn = unsafe extern "C" fn(
    executor: *mut aclOpExecutor,
    irIndex: usize,
    relativeIndex: usize,
    tensors: *mut aclTensorList,
    addr: *mut c_void,
) -> aclnnStatus;

/// `aclnnNpuFormatCastCalculateSizeAndFormat` of `aclnn/acl_meta.h`.
pub type aclnnNpuFormatCastCalculateSizeAndFormatFn = unsafe extern "C" fn(
    srcTensor: *const aclTensor,
    dstFormat: c_int,
    additionalDtype: c_int,
    dstShape: *mut *mut i64,
    dstShapeSize: *mut u64,
    actualFormat: *mut c_int,
) -> aclnnStatus;

/// `aclnnCalculateMatmulWeightSizeV2` of `aclnn/acl_meta.h`.
pub type aclnnCalculateMatmulWeightSizeV2Fn = unsafe extern "C" fn(
    tensorShape: *const aclIntArray,
    dataType: aclDataType,
    weightTensorSize: *mut u64,
) -> aclnnStatus;

// aclnn/aclnn_base.h

/// `aclnnInit` of `aclnn/aclnn_base.h`.
pub type aclnnInitFn = unsafe extern "C" fn(configPath: *const c_char) -> aclnnStatus;

/// `aclnnFinalize` of `aclnn/aclnn_base.h`.
pub type aclnnFinalizeFn = unsafe extern "C" fn() -> aclnnStatus;

// driver/ascend_hal.h

/// `drvGetDevNum` of `driver/ascend_hal.h`.
pub type drvGetDevNumFn = unsafe extern "C" fn(num_dev: *mut u32) -> drvError_t;

/// `halGetDeviceInfo` of `driver/ascend_hal.h`.
pub type halGetDeviceInfoFn =
    unsafe extern "C" fn(devId: u32, moduleType: i32, infoType: i32, value: *mut i64) -> drvError_t;

/// `halGetAPIVersion` of `driver/ascend_hal.h`.
pub type halGetAPIVersionFn = unsafe extern "C" fn(halAPIVersion: *mut c_int) -> drvError_t;

// hccl/hccl.h

/// `HcclGetRootInfo` of `hccl/hccl.h`.
pub type HcclGetRootInfoFn = unsafe extern "C" fn(rootInfo: *mut HcclRootInfo) -> HcclResult;

/// `HcclCommInitRootInfo` of `hccl/hccl.h`.
pub type HcclCommInitRootInfoFn = unsafe extern "C" fn(
    nRanks: u32,
    rootInfo: *const HcclRootInfo,
    rank: u32,
    comm: *mut HcclComm,
) -> HcclResult;

/// `HcclCommInitRootInfoConfig` of `hccl/hccl.h`.
pub type HcclCommInitRootInfoConfigFn = unsafe extern "C" fn(
    nRanks: u32,
    rootInfo: *const HcclRootInfo,
    rank: u32,
    config: *const HcclCommConfig,
    comm: *mut HcclComm,
) -> HcclResult;

/// `HcclCommInitClusterInfo` of `hccl/hccl.h`.
pub type HcclCommInitClusterInfoFn =
    unsafe extern "C" fn(clusterInfo: *const c_char, rank: u32, comm: *mut HcclComm) -> HcclResult;

/// `HcclCommInitClusterInfoConfig` of `hccl/hccl.h`.
pub type HcclCommInitClusterInfoConfigFn = unsafe extern "C" fn(
    clusterInfo: *const c_char,
    rank: u32,
    config: *mut HcclCommConfig,
    comm: *mut HcclComm,
) -> HcclResult;

/// `HcclCommInitAll` of `hccl/hccl.h`.
pub type HcclCommInitAllFn =
    unsafe extern "C" fn(ndev: u32, devices: *mut i32, comms: *mut HcclComm) -> HcclResult;

/// `HcclCreateSubCommConfig` of `hccl/hccl.h`.
pub type HcclCreateSubCommConfigFn = unsafe extern "C" fn(
    comm: *mut HcclComm,
    rankNum: u32,
    rankIds: *mut u32,
    subCommId: u64,
    subCommRankId: u32,
    config: *mut HcclCommConfig,
    subComm: *mut HcclComm,
) -> HcclResult;

/// `HcclCommDestroy` of `hccl/hccl.h`.
pub type HcclCommDestroyFn = unsafe extern "C" fn(comm: HcclComm) -> HcclResult;

/// `HcclCommSuspend` of `hccl/hccl.h`.
pub type HcclCommSuspendFn = unsafe extern "C" fn(comm: HcclComm) -> HcclResult;

/// `HcclCommResume` of `hccl/hccl.h`.
pub type HcclCommResumeFn = unsafe extern "C" fn(comm: HcclComm) -> HcclResult;

/// `HcclGetCommName` of `hccl/hccl.h`.
pub type HcclGetCommNameFn =
    unsafe extern "C" fn(comm: HcclComm, commName: *mut c_char) -> HcclResult;

/// `HcclGetRankId` of `hccl/hccl.h`.
pub type HcclGetRankIdFn = unsafe extern "C" fn(comm: HcclComm, rank: *mut u32) -> HcclResult;

/// `HcclGetRankSize` of `hccl/hccl.h`.
pub type HcclGetRankSizeFn = unsafe extern "C" fn(comm: HcclComm, rankSize: *mut u32) -> HcclResult;

/// `HcclGetCommAsyncError` of `hccl/hccl.h`.
pub type HcclGetCommAsyncErrorFn =
    unsafe extern "C" fn(comm: HcclComm, asyncError: *mut HcclResult) -> HcclResult;

/// `HcclGetErrorString` of `hccl/hccl.h`.
pub type HcclGetErrorStringFn = unsafe extern "C" fn(code: HcclResult) -> *const c_char;

/// `HcclGetCommConfigCapability` of `hccl/hccl.h`.
pub type HcclGetCommConfigCapabilityFn = unsafe extern "C" fn() -> u32;

/// `HcclSetConfig` of `hccl/hccl.h`.
pub type HcclSetConfigFn =
    unsafe extern "C" fn(config: HcclConfig, configValue: HcclConfigValue) -> HcclResult;

/// `HcclAllReduce` of `hccl/hccl.h`.
pub type HcclAllReduceFn = unsafe extern "C" fn(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    count: u64,
    dataType: HcclDataType,
    op: HcclReduceOp,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclBroadcast` of `hccl/hccl.h`.
pub type HcclBroadcastFn = unsafe extern "C" fn(
    buf: *mut c_void,
    count: u64,
    dataType: HcclDataType,
    root: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclAllGather` of `hccl/hccl.h`.
pub type HcclAllGatherFn = unsafe extern "C" fn(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    sendCount: u64,
    dataType: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclAllGatherV` of `hccl/hccl.h`.
pub type HcclAllGatherVFn = unsafe extern "C" fn(
    sendBuf: *const c_void,
    sendCount: u64,
    recvBuf: *const c_void,
    recvCounts: *const c_void,
    recvDispls: *const c_void,
    dataType: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclReduceScatter` of `hccl/hccl.h`.
pub type HcclReduceScatterFn = unsafe extern "C" fn(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    recvCount: u64,
    dataType: HcclDataType,
    op: HcclReduceOp,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclReduceScatterV` of `hccl/hccl.h`.
pub type HcclReduceScatterVFn = unsafe extern "C" fn(
    sendBuf: *const c_void,
    sendCounts: *const c_void,
    sendDispls: *const c_void,
    recvBuf: *const c_void,
    recvCount: u64,
    dataType: HcclDataType,
    op: HcclReduceOp,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclReduce` of `hccl/hccl.h`.
pub type HcclReduceFn = unsafe extern "C" fn(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    count: u64,
    dataType: HcclDataType,
    op: HcclReduceOp,
    root: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclScatter` of `hccl/hccl.h`.
pub type HcclScatterFn = unsafe extern "C" fn(
    sendBuf: *mut c_void,
    recvBuf: *mut c_void,
    recvCount: u64,
    dataType: HcclDataType,
    root: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclAlltoAll` of `hccl/hccl.h`.
pub type HcclAlltoAllFn = unsafe extern "C" fn(
    sendBuf: *const c_void,
    sendCount: u64,
    sendType: HcclDataType,
    recvBuf: *const c_void,
    recvCount: u64,
    recvType: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclAlltoAllV` of `hccl/hccl.h`.
pub type HcclAlltoAllVFn = unsafe extern "C" fn(
    sendBuf: *const c_void,
    sendCounts: *const c_void,
    sdispls: *const c_void,
    sendType: HcclDataType,
    recvBuf: *const c_void,
    recvCounts: *const c_void,
    rdispls: *const c_void,
    recvType: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclAlltoAllVC` of `hccl/hccl.h`.
pub type HcclAlltoAllVCFn = unsafe extern "C" fn(
    sendBuf: *const c_void,
    sendCountMatrix: *const c_void,
    sendType: HcclDataType,
    recvBuf: *const c_void,
    recvType: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclBarrier` of `hccl/hccl.h`.
pub type HcclBarrierFn = unsafe extern "C" fn(comm: HcclComm, stream: aclrtStream) -> HcclResult;

/// `HcclSend` of `hccl/hccl.h`.
pub type HcclSendFn = unsafe extern "C" fn(
    sendBuf: *mut c_void,
    count: u64,
    dataType: HcclDataType,
    destRank: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclRecv` of `hccl/hccl.h`.
pub type HcclRecvFn = unsafe extern "C" fn(
    recvBuf: *mut c_void,
    count: u64,
    dataType: HcclDataType,
    srcRank: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclBatchSendRecv` of `hccl/hccl.h`.
pub type HcclBatchSendRecvFn = unsafe extern "C" fn(
    sendRecvInfo: *mut HcclSendRecvItem,
    itemNum: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult;

/// `HcclGroupStart` of `hccl/hccl.h`.
pub type HcclGroupStartFn = unsafe extern "C" fn() -> HcclResult;

/// `HcclGroupEnd` of `hccl/hccl.h`.
pub type HcclGroupEndFn = unsafe extern "C" fn() -> HcclResult;

/// `HcclCommRegister` of `hccl/hccl.h`.
pub type HcclCommRegisterFn = unsafe extern "C" fn(
    comm: HcclComm,
    addr: *mut c_void,
    size: u64,
    handle: *mut *mut c_void,
    flag: u32,
) -> HcclResult;

/// `HcclCommDeregister` of `hccl/hccl.h`.
pub type HcclCommDeregisterFn =
    unsafe extern "C" fn(comm: HcclComm, handle: *mut c_void) -> HcclResult;

/// `HcclCommExchangeMem` of `hccl/hccl.h`.
pub type HcclCommExchangeMemFn = unsafe extern "C" fn(
    comm: HcclComm,
    handle: *mut c_void,
    peerRanks: *mut u32,
    peerRankNum: u32,
) -> HcclResult;

/// `HcclCommSetMemoryRange` of `hccl/hccl.h`.
pub type HcclCommSetMemoryRangeFn = unsafe extern "C" fn(
    comm: HcclComm,
    baseVirPtr: *mut c_void,
    size: usize,
    alignment: usize,
    flags: u64,
) -> HcclResult;

/// `HcclCommUnsetMemoryRange` of `hccl/hccl.h`.
pub type HcclCommUnsetMemoryRangeFn =
    unsafe extern "C" fn(comm: HcclComm, baseVirPtr: *mut c_void) -> HcclResult;

/// `HcclCommActivateCommMemory` of `hccl/hccl.h`.
pub type HcclCommActivateCommMemoryFn = unsafe extern "C" fn(
    comm: HcclComm,
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> HcclResult;

/// `HcclCommDeactivateCommMemory` of `hccl/hccl.h`.
pub type HcclCommDeactivateCommMemoryFn =
    unsafe extern "C" fn(comm: HcclComm, virPtr: *mut c_void) -> HcclResult;

/// `HcclCommWorkingDevNicSet` of `hccl/hccl.h`.
pub type HcclCommWorkingDevNicSetFn = unsafe extern "C" fn(
    comm: HcclComm,
    ranks: *mut u32,
    useBackup: *mut bool,
    nRanks: u32,
) -> HcclResult;

// mstx/ms_tools_ext.h

/// `mstxMarkA` of `mstx/ms_tools_ext.h`.
pub type mstxMarkAFn = unsafe extern "C" fn(message: *const c_char, stream: aclrtStream);

/// `mstxRangeStartA` of `mstx/ms_tools_ext.h`.
pub type mstxRangeStartAFn =
    unsafe extern "C" fn(message: *const c_char, stream: aclrtStream) -> mstxRangeId;

/// `mstxRangeEnd` of `mstx/ms_tools_ext.h`.
pub type mstxRangeEndFn = unsafe extern "C" fn(id: mstxRangeId);

/// `mstxGetToolId` of `mstx/ms_tools_ext.h`.
pub type mstxGetToolIdFn = unsafe extern "C" fn(id: *mut u64);

/// `mstxDomainCreateA` of `mstx/ms_tools_ext.h`.
pub type mstxDomainCreateAFn = unsafe extern "C" fn(name: *const c_char) -> mstxDomainHandle_t;

/// `mstxDomainDestroy` of `mstx/ms_tools_ext.h`.
pub type mstxDomainDestroyFn = unsafe extern "C" fn(domain: mstxDomainHandle_t);

/// `mstxDomainMarkA` of `mstx/ms_tools_ext.h`.
pub type mstxDomainMarkAFn =
    unsafe extern "C" fn(domain: mstxDomainHandle_t, message: *const c_char, stream: aclrtStream);

/// `mstxDomainRangeStartA` of `mstx/ms_tools_ext.h`.
pub type mstxDomainRangeStartAFn = unsafe extern "C" fn(
    domain: mstxDomainHandle_t,
    message: *const c_char,
    stream: aclrtStream,
) -> mstxRangeId;

/// `mstxDomainRangeEnd` of `mstx/ms_tools_ext.h`.
pub type mstxDomainRangeEndFn = unsafe extern "C" fn(domain: mstxDomainHandle_t, id: mstxRangeId);

// mstx/ms_tools_ext_mem.h

/// `mstxMemHeapRegister` of `mstx/ms_tools_ext_mem.h`.
pub type mstxMemHeapRegisterFn = unsafe extern "C" fn(
    domain: mstxDomainHandle_t,
    desc: *const mstxMemHeapDesc_t,
) -> mstxMemHeapHandle_t;

/// `mstxMemHeapUnregister` of `mstx/ms_tools_ext_mem.h`.
pub type mstxMemHeapUnregisterFn =
    unsafe extern "C" fn(domain: mstxDomainHandle_t, heap: mstxMemHeapHandle_t);

/// `mstxMemRegionsRegister` of `mstx/ms_tools_ext_mem.h`.
pub type mstxMemRegionsRegisterFn =
    unsafe extern "C" fn(domain: mstxDomainHandle_t, desc: *const mstxMemRegionsRegisterBatch_t);

/// `mstxMemRegionsUnregister` of `mstx/ms_tools_ext_mem.h`.
pub type mstxMemRegionsUnregisterFn =
    unsafe extern "C" fn(domain: mstxDomainHandle_t, desc: *const mstxMemRegionsUnregisterBatch_t);

/// `mstxMemPermissionsAssign` of `mstx/ms_tools_ext_mem.h`.
pub type mstxMemPermissionsAssignFn =
    unsafe extern "C" fn(domain: mstxDomainHandle_t, desc: *const mstxMemPermissionsAssignBatch_t);

// mstx/ms_tools_ext_tool.h

/// `InitInjectionMstx` of `mstx/ms_tools_ext_tool.h`.
pub type InitInjectionMstxFn =
    unsafe extern "C" fn(getFuncTable: mstxGetModuleFuncTableFunc) -> c_int;

// millpond/binding.h

/// `millpondSetFrameProvider` of `millpond/binding.h`.
pub type millpondSetFrameProviderFn =
    unsafe extern "C" fn(provider: millpondFrameProvider) -> aclError;

/// `millpondFramesWanted` of `millpond/binding.h`.
pub type millpondFramesWantedFn = unsafe extern "C" fn() -> u32;

/// `millpondSetFaults` of `millpond/binding.h`.
pub type millpondSetFaultsFn = unsafe extern "C" fn(plans: *const c_char) -> aclError;

// millpond/check.h

/// `millpondCheckBegin` of `millpond/check.h`.
pub type millpondCheckBeginFn =
    unsafe extern "C" fn(options: *const millpondCheckOptions) -> aclError;

/// `millpondCheckEnd` of `millpond/check.h`.
pub type millpondCheckEndFn = unsafe extern "C" fn() -> aclError;

/// `millpondCheckCount` of `millpond/check.h`.
pub type millpondCheckCountFn =
    unsafe extern "C" fn(least: millpondCheckSeverity, count: *mut usize) -> aclError;

/// `millpondCheckGet` of `millpond/check.h`.
pub type millpondCheckGetFn =
    unsafe extern "C" fn(index: usize, finding: *mut millpondCheckFinding) -> aclError;

/// `millpondCheckReport` of `millpond/check.h`.
pub type millpondCheckReportFn =
    unsafe extern "C" fn(format: millpondCheckFormat, path: *const c_char) -> aclError;

// millpond/compile.h

/// `millpondCompileModel` of `millpond/compile.h`.
pub type millpondCompileModelFn = unsafe extern "C" fn(
    name: *const c_char,
    onnx: *const c_void,
    onnxSize: usize,
    options: *const millpondCompileOption,
    optionCount: usize,
    model: *mut *mut c_void,
    modelSize: *mut usize,
) -> aclError;

/// `millpondSaveModel` of `millpond/compile.h`.
pub type millpondSaveModelFn =
    unsafe extern "C" fn(path: *const c_char, model: *const c_void, modelSize: usize) -> aclError;

/// `millpondFreeModel` of `millpond/compile.h`.
pub type millpondFreeModelFn = unsafe extern "C" fn(model: *mut c_void) -> aclError;

// millpond/millpond.h

/// `millpondVersion` of `millpond/millpond.h`.
pub type millpondVersionFn = unsafe extern "C" fn() -> *const c_char;

/// `millpondOperatorsGpu` of `millpond/millpond.h`.
pub type millpondOperatorsGpuFn = unsafe extern "C" fn(gpu: *mut i32) -> aclError;

/// `millpondMemTrim` of `millpond/millpond.h`.
pub type millpondMemTrimFn = unsafe extern "C" fn(bytesReturned: *mut usize) -> aclError;

/// `millpondRecordUse` of `millpond/millpond.h`.
pub type millpondRecordUseFn =
    unsafe extern "C" fn(ptr: *mut c_void, stream: aclrtStream) -> aclError;

/// `millpondMemGetStatistics` of `millpond/millpond.h`.
pub type millpondMemGetStatisticsFn =
    unsafe extern "C" fn(pool: aclrtMemPool, statistics: *mut millpondMemStatistics) -> aclError;

/// `millpondMemGetStreamStatistics` of `millpond/millpond.h`.
pub type millpondMemGetStreamStatisticsFn = unsafe extern "C" fn(
    pool: aclrtMemPool,
    part: u64,
    statistics: *mut millpondStreamStatistics,
) -> aclError;

// millpond/testing.h

/// `millpondFaultAdd` of `millpond/testing.h`.
pub type millpondFaultAddFn = unsafe extern "C" fn(rule: *const c_char, id: *mut u64) -> aclError;

/// `millpondFaultRemove` of `millpond/testing.h`.
pub type millpondFaultRemoveFn = unsafe extern "C" fn(id: u64) -> aclError;

/// `millpondFaultClear` of `millpond/testing.h`.
pub type millpondFaultClearFn = unsafe extern "C" fn() -> aclError;

/// `millpondFaultSeen` of `millpond/testing.h`.
pub type millpondFaultSeenFn =
    unsafe extern "C" fn(id: u64, calls: *mut u64, hits: *mut u64) -> aclError;

/// `millpondCallsBegin` of `millpond/testing.h`.
pub type millpondCallsBeginFn = unsafe extern "C" fn() -> aclError;

/// `millpondCallsEnd` of `millpond/testing.h`.
pub type millpondCallsEndFn = unsafe extern "C" fn() -> aclError;

/// `millpondCallsGet` of `millpond/testing.h`.
pub type millpondCallsGetFn =
    unsafe extern "C" fn(function: *const c_char, calls: *mut u64, failures: *mut u64) -> aclError;

/// `millpondCallsWrite` of `millpond/testing.h`.
pub type millpondCallsWriteFn = unsafe extern "C" fn(path: *const c_char) -> aclError;

/// `millpondReset` of `millpond/testing.h`.
pub type millpondResetFn =
    unsafe extern "C" fn(level: millpondResetLevel, left: *mut u64) -> aclError;

/// `millpondResetReport` of `millpond/testing.h`.
pub type millpondResetReportFn = unsafe extern "C" fn(text: *mut c_char, size: usize) -> aclError;

/// `millpondTimeSetMode` of `millpond/testing.h`.
pub type millpondTimeSetModeFn = unsafe extern "C" fn(mode: millpondTimeMode) -> aclError;

/// `millpondTimeGetMode` of `millpond/testing.h`.
pub type millpondTimeGetModeFn = unsafe extern "C" fn(mode: *mut millpondTimeMode) -> aclError;

/// `millpondTimeAdvance` of `millpond/testing.h`.
pub type millpondTimeAdvanceFn = unsafe extern "C" fn(microseconds: u64) -> aclError;

/// `millpondTimeNow` of `millpond/testing.h`.
pub type millpondTimeNowFn = unsafe extern "C" fn(microseconds: *mut u64) -> aclError;
