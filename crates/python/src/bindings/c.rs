//! The C functions that the module calls.
//!
//! Generated from `functions.tsv` and the headers by `cargo xtask generate`: change the table, not this file.
#![expect(unsafe_code, reason = "declares C functions")]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_int, c_void};

use millpond_abi as abi;

unsafe extern "C-unwind" {
    pub(crate) fn aclCreateTensorDesc(
        dataType: abi::aclDataType,
        numDims: c_int,
        dims: *const i64,
        format: abi::aclFormat,
    ) -> *mut abi::aclTensorDesc;
    pub(crate) fn aclDestroyTensorDesc(desc: *const abi::aclTensorDesc);
    pub(crate) fn aclSetTensorShapeRange(
        desc: *mut abi::aclTensorDesc,
        dimsCount: usize,
        dimsRange: *mut [i64; abi::ACL_TENSOR_SHAPE_RANGE_NUM],
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorValueRange(
        desc: *mut abi::aclTensorDesc,
        valueCount: usize,
        valueRange: *mut [i64; abi::ACL_TENSOR_VALUE_RANGE_NUM],
    ) -> abi::aclError;
    pub(crate) fn aclGetTensorDescType(desc: *const abi::aclTensorDesc) -> abi::aclDataType;
    pub(crate) fn aclGetTensorDescFormat(desc: *const abi::aclTensorDesc) -> abi::aclFormat;
    pub(crate) fn aclGetTensorDescSize(desc: *const abi::aclTensorDesc) -> usize;
    pub(crate) fn aclGetTensorDescElementCount(desc: *const abi::aclTensorDesc) -> usize;
    pub(crate) fn aclGetTensorDescNumDims(desc: *const abi::aclTensorDesc) -> usize;
    pub(crate) fn aclGetTensorDescDim(desc: *const abi::aclTensorDesc, index: usize) -> i64;
    pub(crate) fn aclGetTensorDescDimV2(
        desc: *const abi::aclTensorDesc,
        index: usize,
        dimSize: *mut i64,
    ) -> abi::aclError;
    pub(crate) fn aclGetTensorDescDimRange(
        desc: *const abi::aclTensorDesc,
        index: usize,
        dimRangeNum: usize,
        dimRange: *mut i64,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorDescName(desc: *mut abi::aclTensorDesc, name: *const c_char);
    pub(crate) fn aclGetTensorDescName(desc: *mut abi::aclTensorDesc) -> *const c_char;
    pub(crate) fn aclTransTensorDescFormat(
        srcDesc: *const abi::aclTensorDesc,
        dstFormat: abi::aclFormat,
        dstDesc: *mut *mut abi::aclTensorDesc,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorStorageFormat(
        desc: *mut abi::aclTensorDesc,
        format: abi::aclFormat,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorStorageShape(
        desc: *mut abi::aclTensorDesc,
        numDims: c_int,
        dims: *const i64,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorFormat(
        desc: *mut abi::aclTensorDesc,
        format: abi::aclFormat,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorShape(
        desc: *mut abi::aclTensorDesc,
        numDims: c_int,
        dims: *const i64,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorOriginFormat(
        desc: *mut abi::aclTensorDesc,
        format: abi::aclFormat,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorOriginShape(
        desc: *mut abi::aclTensorDesc,
        numDims: c_int,
        dims: *const i64,
    ) -> abi::aclError;
    pub(crate) fn aclGetTensorDescByIndex(
        desc: *mut abi::aclTensorDesc,
        index: usize,
    ) -> *mut abi::aclTensorDesc;
    pub(crate) fn aclGetTensorDescAddress(desc: *const abi::aclTensorDesc) -> *mut c_void;
    pub(crate) fn aclSetTensorDynamicInput(
        desc: *mut abi::aclTensorDesc,
        dynamicInputName: *const c_char,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorConst(
        desc: *mut abi::aclTensorDesc,
        dataBuffer: *mut c_void,
        length: usize,
    ) -> abi::aclError;
    pub(crate) fn aclSetTensorPlaceMent(
        desc: *mut abi::aclTensorDesc,
        memType: abi::aclMemType,
    ) -> abi::aclError;
    pub(crate) fn aclFloat16ToFloat(value: abi::aclFloat16) -> f32;
    pub(crate) fn aclFloatToFloat16(value: f32) -> abi::aclFloat16;
    pub(crate) fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut abi::aclDataBuffer;
    pub(crate) fn aclDestroyDataBuffer(dataBuffer: *const abi::aclDataBuffer) -> abi::aclError;
    pub(crate) fn aclUpdateDataBuffer(
        dataBuffer: *mut abi::aclDataBuffer,
        data: *mut c_void,
        size: usize,
    ) -> abi::aclError;
    pub(crate) fn aclGetDataBufferAddr(dataBuffer: *const abi::aclDataBuffer) -> *mut c_void;
    pub(crate) fn aclGetDataBufferSize(dataBuffer: *const abi::aclDataBuffer) -> u32;
    pub(crate) fn aclGetDataBufferSizeV2(dataBuffer: *const abi::aclDataBuffer) -> usize;
    pub(crate) fn aclDataTypeSize(dataType: abi::aclDataType) -> usize;
    pub(crate) fn aclrtGetSocName() -> *const c_char;
    pub(crate) fn aclGetCannAttributeList(
        cannAttrList: *mut *const abi::aclCannAttr,
        num: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclGetCannAttribute(cannAttr: abi::aclCannAttr, value: *mut i32)
    -> abi::aclError;
    pub(crate) fn aclGetDeviceCapability(
        deviceId: u32,
        deviceInfo: abi::aclDeviceInfo,
        value: *mut i64,
    ) -> abi::aclError;
    pub(crate) fn aclAppLog(
        logLevel: abi::aclLogLevel,
        func: *const c_char,
        file: *const c_char,
        line: u32,
        fmt: *const c_char,
        ...
    );
    pub(crate) fn aclmdlCreateDesc() -> *mut abi::aclmdlDesc;
    pub(crate) fn aclmdlDestroyDesc(modelDesc: *mut abi::aclmdlDesc) -> abi::aclError;
    pub(crate) fn aclmdlGetDesc(modelDesc: *mut abi::aclmdlDesc, modelId: u32) -> abi::aclError;
    pub(crate) fn aclmdlGetDescFromFile(
        modelDesc: *mut abi::aclmdlDesc,
        modelPath: *const c_char,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetDescFromMem(
        modelDesc: *mut abi::aclmdlDesc,
        model: *const c_void,
        modelSize: usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetNumInputs(modelDesc: *mut abi::aclmdlDesc) -> usize;
    pub(crate) fn aclmdlGetNumOutputs(modelDesc: *mut abi::aclmdlDesc) -> usize;
    pub(crate) fn aclmdlGetInputSizeByIndex(modelDesc: *mut abi::aclmdlDesc, index: usize)
    -> usize;
    pub(crate) fn aclmdlGetOutputSizeByIndex(
        modelDesc: *mut abi::aclmdlDesc,
        index: usize,
    ) -> usize;
    pub(crate) fn aclmdlGetInputDims(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
        dims: *mut abi::aclmdlIODims,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetInputDimsV2(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
        dims: *mut abi::aclmdlIODims,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetInputDimsRange(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
        dimsRange: *mut abi::aclmdlIODimsRange,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetOutputDims(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
        dims: *mut abi::aclmdlIODims,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetCurOutputDims(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
        dims: *mut abi::aclmdlIODims,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetInputNameByIndex(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
    ) -> *const c_char;
    pub(crate) fn aclmdlGetOutputNameByIndex(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
    ) -> *const c_char;
    pub(crate) fn aclmdlGetInputIndexByName(
        modelDesc: *const abi::aclmdlDesc,
        name: *const c_char,
        index: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetOutputIndexByName(
        modelDesc: *const abi::aclmdlDesc,
        name: *const c_char,
        index: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetInputFormat(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
    ) -> abi::aclFormat;
    pub(crate) fn aclmdlGetOutputFormat(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
    ) -> abi::aclFormat;
    pub(crate) fn aclmdlGetInputDataType(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
    ) -> abi::aclDataType;
    pub(crate) fn aclmdlGetOutputDataType(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
    ) -> abi::aclDataType;
    pub(crate) fn aclmdlGetTensorRealName(
        modelDesc: *const abi::aclmdlDesc,
        name: *const c_char,
    ) -> *const c_char;
    pub(crate) fn aclmdlGetOpAttr(
        modelDesc: *mut abi::aclmdlDesc,
        opName: *const c_char,
        attr: *const c_char,
    ) -> *const c_char;
    pub(crate) fn aclmdlCreateDataset() -> *mut abi::aclmdlDataset;
    pub(crate) fn aclmdlDestroyDataset(dataset: *const abi::aclmdlDataset) -> abi::aclError;
    pub(crate) fn aclmdlAddDatasetBuffer(
        dataset: *mut abi::aclmdlDataset,
        dataBuffer: *mut abi::aclDataBuffer,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetDatasetNumBuffers(dataset: *const abi::aclmdlDataset) -> usize;
    pub(crate) fn aclmdlGetDatasetBuffer(
        dataset: *const abi::aclmdlDataset,
        index: usize,
    ) -> *mut abi::aclDataBuffer;
    pub(crate) fn aclmdlSetDatasetTensorDesc(
        dataset: *mut abi::aclmdlDataset,
        tensorDesc: *mut abi::aclTensorDesc,
        index: usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetDatasetTensorDesc(
        dataset: *const abi::aclmdlDataset,
        index: usize,
    ) -> *mut abi::aclTensorDesc;
    pub(crate) fn aclmdlQuerySize(
        fileName: *const c_char,
        workSize: *mut usize,
        weightSize: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlQuerySizeFromMem(
        model: *const c_void,
        modelSize: usize,
        workSize: *mut usize,
        weightSize: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlLoadFromFile(modelPath: *const c_char, modelId: *mut u32) -> abi::aclError;
    pub(crate) fn aclmdlLoadFromMem(
        model: *const c_void,
        modelSize: usize,
        modelId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlLoadFromFileWithMem(
        modelPath: *const c_char,
        modelId: *mut u32,
        workPtr: *mut c_void,
        workSize: usize,
        weightPtr: *mut c_void,
        weightSize: usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlLoadFromMemWithMem(
        model: *const c_void,
        modelSize: usize,
        modelId: *mut u32,
        workPtr: *mut c_void,
        workSize: usize,
        weightPtr: *mut c_void,
        weightSize: usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlLoadFromModel(
        model: *const abi::aclmdlModel,
        handle: *const abi::aclmdlConfigHandle,
        modelId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlUnload(modelId: u32) -> abi::aclError;
    pub(crate) fn aclmdlCreateConfigHandle() -> *mut abi::aclmdlConfigHandle;
    pub(crate) fn aclmdlDestroyConfigHandle(handle: *mut abi::aclmdlConfigHandle) -> abi::aclError;
    pub(crate) fn aclmdlSetConfigOpt(
        handle: *mut abi::aclmdlConfigHandle,
        attr: abi::aclmdlConfigAttr,
        attrValue: *const c_void,
        valueSize: usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetExternalWeightAddress(
        handle: *mut abi::aclmdlConfigHandle,
        weightFileName: *const c_char,
        devPtr: *mut c_void,
        size: usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlLoadWithConfig(
        handle: *const abi::aclmdlConfigHandle,
        modelId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlExecute(
        modelId: u32,
        input: *const abi::aclmdlDataset,
        output: *mut abi::aclmdlDataset,
    ) -> abi::aclError;
    pub(crate) fn aclmdlExecuteV2(
        modelId: u32,
        input: *const abi::aclmdlDataset,
        output: *mut abi::aclmdlDataset,
        stream: abi::aclrtStream,
        handle: *const abi::aclmdlExecConfigHandle,
    ) -> abi::aclError;
    pub(crate) fn aclmdlExecuteAsync(
        modelId: u32,
        input: *const abi::aclmdlDataset,
        output: *mut abi::aclmdlDataset,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclmdlExecuteAsyncV2(
        modelId: u32,
        input: *const abi::aclmdlDataset,
        output: *mut abi::aclmdlDataset,
        stream: abi::aclrtStream,
        handle: *const abi::aclmdlExecConfigHandle,
    ) -> abi::aclError;
    pub(crate) fn aclmdlCreateExecConfigHandle() -> *mut abi::aclmdlExecConfigHandle;
    pub(crate) fn aclmdlDestroyExecConfigHandle(
        handle: *const abi::aclmdlExecConfigHandle,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetExecConfigOpt(
        handle: *mut abi::aclmdlExecConfigHandle,
        attr: abi::aclmdlExecConfigAttr,
        attrValue: *const c_void,
        valueSize: usize,
    ) -> abi::aclError;
    pub(crate) fn aclRecoverAllHcclTasks(deviceId: i32) -> abi::aclError;
    pub(crate) fn aclmdlGetDynamicBatch(
        modelDesc: *const abi::aclmdlDesc,
        batch: *mut abi::aclmdlBatch,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetDynamicBatchSize(
        modelId: u32,
        dataset: *mut abi::aclmdlDataset,
        index: usize,
        batchSize: u64,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetDynamicHW(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
        hw: *mut abi::aclmdlHW,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetDynamicHWSize(
        modelId: u32,
        dataset: *mut abi::aclmdlDataset,
        index: usize,
        height: u64,
        width: u64,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetInputDynamicGearCount(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
        gearCount: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetInputDynamicDims(
        modelDesc: *const abi::aclmdlDesc,
        index: usize,
        dims: *mut abi::aclmdlIODims,
        gearCount: usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetInputDynamicDims(
        modelId: u32,
        dataset: *mut abi::aclmdlDataset,
        index: usize,
        dims: *const abi::aclmdlIODims,
    ) -> abi::aclError;
    pub(crate) fn aclmdlCreateAIPP(batchSize: u64) -> *mut abi::aclmdlAIPP;
    pub(crate) fn aclmdlDestroyAIPP(aippParmsSet: *const abi::aclmdlAIPP) -> abi::aclError;
    pub(crate) fn aclmdlGetAippDataSize(batchSize: u64, size: *mut usize) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPInputFormat(
        aippParmsSet: *mut abi::aclmdlAIPP,
        inputFormat: abi::aclAippInputFormat,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPRbuvSwapSwitch(
        aippParmsSet: *mut abi::aclmdlAIPP,
        rbuvSwapSwitch: i8,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPAxSwapSwitch(
        aippParmsSet: *mut abi::aclmdlAIPP,
        axSwapSwitch: i8,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPSrcImageSize(
        aippParmsSet: *mut abi::aclmdlAIPP,
        srcImageSizeW: i32,
        srcImageSizeH: i32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPScfParams(
        aippParmsSet: *mut abi::aclmdlAIPP,
        scfSwitch: i8,
        scfInputSizeW: i32,
        scfInputSizeH: i32,
        scfOutputSizeW: i32,
        scfOutputSizeH: i32,
        batchIndex: u64,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPCropParams(
        aippParmsSet: *mut abi::aclmdlAIPP,
        cropSwitch: i8,
        cropStartPosW: i32,
        cropStartPosH: i32,
        cropSizeW: i32,
        cropSizeH: i32,
        batchIndex: u64,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPPaddingParams(
        aippParmsSet: *mut abi::aclmdlAIPP,
        paddingSwitch: i8,
        paddingSizeTop: i32,
        paddingSizeBottom: i32,
        paddingSizeLeft: i32,
        paddingSizeRight: i32,
        batchIndex: u64,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPDtcPixelMin(
        aippParmsSet: *mut abi::aclmdlAIPP,
        dtcPixelMinChn0: f32,
        dtcPixelMinChn1: f32,
        dtcPixelMinChn2: f32,
        dtcPixelMinChn3: f32,
        batchIndex: u64,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPPixelVarReci(
        aippParmsSet: *mut abi::aclmdlAIPP,
        dtcPixelVarReciChn0: f32,
        dtcPixelVarReciChn1: f32,
        dtcPixelVarReciChn2: f32,
        dtcPixelVarReciChn3: f32,
        batchIndex: u64,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetInputAIPP(
        modelId: u32,
        dataset: *mut abi::aclmdlDataset,
        index: usize,
        aippParmsSet: *const abi::aclmdlAIPP,
    ) -> abi::aclError;
    pub(crate) fn aclmdlSetAIPPByInputIndex(
        modelId: u32,
        dataset: *mut abi::aclmdlDataset,
        index: usize,
        aippParmsSet: *const abi::aclmdlAIPP,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetAippType(
        modelId: u32,
        index: usize,
        r#type: *mut abi::aclmdlInputAippType,
        dynamicAttachedDataIndex: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlGetFirstAippInfo(
        modelId: u32,
        index: usize,
        aippInfo: *mut abi::aclAippInfo,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleLoadFromFile(
        modelPath: *const c_char,
        bundleId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleLoadFromMem(
        model: *const c_void,
        modelSize: usize,
        bundleId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleUnload(bundleId: u32) -> abi::aclError;
    pub(crate) fn aclmdlBundleGetModelNum(bundleId: u32, modelNum: *mut usize) -> abi::aclError;
    pub(crate) fn aclmdlBundleGetModelId(
        bundleId: u32,
        index: usize,
        modelId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleCreateQueryInfo() -> *mut abi::aclmdlBundleQueryInfo;
    pub(crate) fn aclmdlBundleDestroyQueryInfo(
        queryInfo: *mut abi::aclmdlBundleQueryInfo,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleQueryInfoFromFile(
        fileName: *const c_char,
        queryInfo: *mut abi::aclmdlBundleQueryInfo,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleQueryInfoFromMem(
        model: *const c_void,
        modelSize: usize,
        queryInfo: *mut abi::aclmdlBundleQueryInfo,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleGetQueryModelNum(
        queryInfo: *const abi::aclmdlBundleQueryInfo,
        modelNum: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleGetVarWeightSize(
        queryInfo: *const abi::aclmdlBundleQueryInfo,
        variableWeightSize: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleGetSize(
        queryInfo: *const abi::aclmdlBundleQueryInfo,
        index: usize,
        workSize: *mut usize,
        constWeightSize: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleInitFromFile(
        modelPath: *const c_char,
        varWeightPtr: *mut c_void,
        varWeightSize: usize,
        bundleId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleInitFromMem(
        model: *const c_void,
        modelSize: usize,
        varWeightPtr: *mut c_void,
        varWeightSize: usize,
        bundleId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleLoadModel(
        bundleId: u32,
        index: usize,
        modelId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleLoadModelWithMem(
        bundleId: u32,
        index: usize,
        workPtr: *mut c_void,
        workSize: usize,
        weightPtr: *mut c_void,
        weightSize: usize,
        modelId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleLoadModelWithConfig(
        bundleId: u32,
        index: usize,
        handle: *mut abi::aclmdlConfigHandle,
        modelId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlBundleUnloadModel(bundleId: u32, modelId: u32) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureBegin(
        stream: abi::aclrtStream,
        mode: abi::aclmdlRICaptureMode,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureGetInfo(
        stream: abi::aclrtStream,
        status: *mut abi::aclmdlRICaptureStatus,
        modelRI: *mut abi::aclmdlRI,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureEnd(
        stream: abi::aclrtStream,
        modelRI: *mut abi::aclmdlRI,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureThreadExchangeMode(
        mode: *mut abi::aclmdlRICaptureMode,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRIExecuteAsync(
        modelRI: abi::aclmdlRI,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRIExecute(modelRI: abi::aclmdlRI, timeout: i32) -> abi::aclError;
    pub(crate) fn aclmdlRIDestroy(modelRI: abi::aclmdlRI) -> abi::aclError;
    pub(crate) fn aclmdlRIGetId(modelRI: abi::aclmdlRI, modelRIId: *mut u32) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureTaskGrpBegin(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureTaskGrpEnd(
        stream: abi::aclrtStream,
        handle: *mut abi::aclrtTaskGrp,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureTaskUpdateBegin(
        stream: abi::aclrtStream,
        handle: abi::aclrtTaskGrp,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureTaskUpdateEnd(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclmdlRICondHandleCreate(
        modelRI: abi::aclmdlRI,
        defaultLaunchValue: u32,
        flag: u32,
        handle: *mut abi::aclmdlRICondHandle,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRICondHandleGetCondPtr(
        handle: abi::aclmdlRICondHandle,
        devPtr: *mut *mut u64,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRIAddCondTask(
        params: abi::aclmdlRICondTaskParams,
        stream: abi::aclrtStream,
        flags: u32,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRICaptureToModelRIBegin(
        stream: abi::aclrtStream,
        modelRI: abi::aclmdlRI,
        mode: abi::aclmdlRICaptureMode,
    ) -> abi::aclError;
    pub(crate) fn aclmdlRIDebugPrint(modelRI: abi::aclmdlRI) -> abi::aclError;
    pub(crate) fn aclmdlRIDebugJsonPrint(
        modelRI: abi::aclmdlRI,
        path: *const c_char,
        flags: u32,
    ) -> abi::aclError;
    pub(crate) fn aclopSetModelDir(modelDir: *const c_char) -> abi::aclError;
    pub(crate) fn aclopLoad(model: *const c_void, modelSize: usize) -> abi::aclError;
    pub(crate) fn aclopSetMaxOpQueueNum(maxOpNum: u64) -> abi::aclError;
    pub(crate) fn aclopCreateAttr() -> *mut abi::aclopAttr;
    pub(crate) fn aclopDestroyAttr(attr: *const abi::aclopAttr);
    pub(crate) fn aclopSetAttrBool(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        attrValue: u8,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrInt(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        attrValue: i64,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrFloat(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        attrValue: f32,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrString(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        attrValue: *const c_char,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrDataType(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        attrValue: abi::aclDataType,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrListDataType(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        numValues: c_int,
        values: *const abi::aclDataType,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrListBool(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        numValues: c_int,
        values: *const u8,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrListInt(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        numValues: c_int,
        values: *const i64,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrListFloat(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        numValues: c_int,
        values: *const f32,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrListString(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        numValues: c_int,
        values: *mut *const c_char,
    ) -> abi::aclError;
    pub(crate) fn aclopSetAttrListListInt(
        attr: *mut abi::aclopAttr,
        attrName: *const c_char,
        numLists: c_int,
        numValues: *const c_int,
        values: *const *const i64,
    ) -> abi::aclError;
    pub(crate) fn aclopExecute(
        opType: *const c_char,
        numInputs: c_int,
        inputDesc: *const *const abi::aclTensorDesc,
        inputs: *const *const abi::aclDataBuffer,
        numOutputs: c_int,
        outputDesc: *const *const abi::aclTensorDesc,
        outputs: *const *mut abi::aclDataBuffer,
        attr: *const abi::aclopAttr,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclopExecuteV2(
        opType: *const c_char,
        numInputs: c_int,
        inputDesc: *mut *mut abi::aclTensorDesc,
        inputs: *mut *mut abi::aclDataBuffer,
        numOutputs: c_int,
        outputDesc: *mut *mut abi::aclTensorDesc,
        outputs: *mut *mut abi::aclDataBuffer,
        attr: *mut abi::aclopAttr,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclopInferShape(
        opType: *const c_char,
        numInputs: c_int,
        inputDesc: *mut *mut abi::aclTensorDesc,
        inputs: *mut *mut abi::aclDataBuffer,
        numOutputs: c_int,
        outputDesc: *mut *mut abi::aclTensorDesc,
        attr: *mut abi::aclopAttr,
    ) -> abi::aclError;
    pub(crate) fn aclopCreateHandle(
        opType: *const c_char,
        numInputs: c_int,
        inputDesc: *const *const abi::aclTensorDesc,
        numOutputs: c_int,
        outputDesc: *const *const abi::aclTensorDesc,
        opAttr: *const abi::aclopAttr,
        handle: *mut *mut abi::aclopHandle,
    ) -> abi::aclError;
    pub(crate) fn aclopDestroyHandle(handle: *mut abi::aclopHandle);
    pub(crate) fn aclopExecWithHandle(
        handle: *mut abi::aclopHandle,
        numInputs: c_int,
        inputs: *const *const abi::aclDataBuffer,
        numOutputs: c_int,
        outputs: *const *mut abi::aclDataBuffer,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclopCast(
        srcDesc: *const abi::aclTensorDesc,
        srcBuffer: *const abi::aclDataBuffer,
        dstDesc: *const abi::aclTensorDesc,
        dstBuffer: *mut abi::aclDataBuffer,
        truncate: u8,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclopCreateHandleForCast(
        srcDesc: *mut abi::aclTensorDesc,
        dstDesc: *mut abi::aclTensorDesc,
        truncate: u8,
        handle: *mut *mut abi::aclopHandle,
    ) -> abi::aclError;
    pub(crate) fn aclopCompile(
        opType: *const c_char,
        numInputs: c_int,
        inputDesc: *const *const abi::aclTensorDesc,
        numOutputs: c_int,
        outputDesc: *const *const abi::aclTensorDesc,
        attr: *const abi::aclopAttr,
        engineType: abi::aclopEngineType,
        compileFlag: abi::aclopCompileType,
        opPath: *const c_char,
    ) -> abi::aclError;
    pub(crate) fn aclopCompileAndExecute(
        opType: *const c_char,
        numInputs: c_int,
        inputDesc: *const *const abi::aclTensorDesc,
        inputs: *const *const abi::aclDataBuffer,
        numOutputs: c_int,
        outputDesc: *const *const abi::aclTensorDesc,
        outputs: *const *mut abi::aclDataBuffer,
        attr: *const abi::aclopAttr,
        engineType: abi::aclopEngineType,
        compileFlag: abi::aclopCompileType,
        opPath: *const c_char,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclopCompileAndExecuteV2(
        opType: *const c_char,
        numInputs: c_int,
        inputDesc: *mut *mut abi::aclTensorDesc,
        inputs: *mut *mut abi::aclDataBuffer,
        numOutputs: c_int,
        outputDesc: *mut *mut abi::aclTensorDesc,
        outputs: *mut *mut abi::aclDataBuffer,
        attr: *mut abi::aclopAttr,
        engineType: abi::aclopEngineType,
        compileFlag: abi::aclopCompileType,
        opPath: *const c_char,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclSetCompileopt(opt: abi::aclCompileOpt, value: *const c_char) -> abi::aclError;
    pub(crate) fn aclGetCompileoptSize(opt: abi::aclCompileOpt) -> usize;
    pub(crate) fn aclGetCompileopt(
        opt: abi::aclCompileOpt,
        value: *mut c_char,
        length: usize,
    ) -> abi::aclError;
    pub(crate) fn aclopSetCompileFlag(flag: abi::aclOpCompileFlag) -> abi::aclError;
    pub(crate) fn aclCreateGraphDumpOpt() -> *mut abi::aclGraphDumpOption;
    pub(crate) fn aclDestroyGraphDumpOpt(
        graphDumpOpt: *const abi::aclGraphDumpOption,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorCreateDesc() -> abi::aclrtAllocatorDesc;
    pub(crate) fn aclrtAllocatorDestroyDesc(
        allocatorDesc: abi::aclrtAllocatorDesc,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorSetObjToDesc(
        allocatorDesc: abi::aclrtAllocatorDesc,
        allocator: abi::aclrtAllocator,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorSetAllocFuncToDesc(
        allocatorDesc: abi::aclrtAllocatorDesc,
        func: abi::aclrtAllocatorAllocFunc,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorSetFreeFuncToDesc(
        allocatorDesc: abi::aclrtAllocatorDesc,
        func: abi::aclrtAllocatorFreeFunc,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorSetAllocAdviseFuncToDesc(
        allocatorDesc: abi::aclrtAllocatorDesc,
        func: abi::aclrtAllocatorAllocAdviseFunc,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
        allocatorDesc: abi::aclrtAllocatorDesc,
        func: abi::aclrtAllocatorGetAddrFromBlockFunc,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorRegister(
        stream: abi::aclrtStream,
        allocatorDesc: abi::aclrtAllocatorDesc,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorGetByStream(
        stream: abi::aclrtStream,
        allocatorDesc: *mut abi::aclrtAllocatorDesc,
        allocator: *mut abi::aclrtAllocator,
        allocFunc: *mut abi::aclrtAllocatorAllocFunc,
        freeFunc: *mut abi::aclrtAllocatorFreeFunc,
        allocAdviseFunc: *mut abi::aclrtAllocatorAllocAdviseFunc,
        getAddrFromBlockFunc: *mut abi::aclrtAllocatorGetAddrFromBlockFunc,
    ) -> abi::aclError;
    pub(crate) fn aclrtAllocatorUnregister(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtMemPoolCreate(
        memPool: *mut abi::aclrtMemPool,
        poolProps: *const abi::aclrtMemPoolProps,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemPoolDestroy(memPool: abi::aclrtMemPool) -> abi::aclError;
    pub(crate) fn aclrtMemPoolSetAttr(
        memPool: abi::aclrtMemPool,
        attr: abi::aclrtMemPoolAttr,
        value: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemPoolGetAttr(
        memPool: abi::aclrtMemPool,
        attr: abi::aclrtMemPoolAttr,
        value: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemPoolMallocAsync(
        ptr: *mut *mut c_void,
        size: usize,
        memPool: abi::aclrtMemPool,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemPoolFreeAsync(
        ptr: *mut c_void,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemPoolTrimTo(
        memPool: abi::aclrtMemPool,
        minBytesToKeep: usize,
    ) -> abi::aclError;
    pub(crate) fn aclblasGemvEx(
        transA: abi::aclTransType,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        dataTypeA: abi::aclDataType,
        x: *const c_void,
        incx: c_int,
        dataTypeX: abi::aclDataType,
        beta: *const c_void,
        y: *mut c_void,
        incy: c_int,
        dataTypeY: abi::aclDataType,
        r#type: abi::aclComputeType,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclblasCreateHandleForGemvEx(
        transA: abi::aclTransType,
        m: c_int,
        n: c_int,
        dataTypeA: abi::aclDataType,
        dataTypeX: abi::aclDataType,
        dataTypeY: abi::aclDataType,
        r#type: abi::aclComputeType,
        handle: *mut *mut abi::aclopHandle,
    ) -> abi::aclError;
    pub(crate) fn aclblasHgemv(
        transA: abi::aclTransType,
        m: c_int,
        n: c_int,
        alpha: *const abi::aclFloat16,
        a: *const abi::aclFloat16,
        lda: c_int,
        x: *const abi::aclFloat16,
        incx: c_int,
        beta: *const abi::aclFloat16,
        y: *mut abi::aclFloat16,
        incy: c_int,
        r#type: abi::aclComputeType,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclblasCreateHandleForHgemv(
        transA: abi::aclTransType,
        m: c_int,
        n: c_int,
        r#type: abi::aclComputeType,
        handle: *mut *mut abi::aclopHandle,
    ) -> abi::aclError;
    pub(crate) fn aclblasS8gemv(
        transA: abi::aclTransType,
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
        r#type: abi::aclComputeType,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclblasCreateHandleForS8gemv(
        transA: abi::aclTransType,
        m: c_int,
        n: c_int,
        r#type: abi::aclComputeType,
        handle: *mut *mut abi::aclopHandle,
    ) -> abi::aclError;
    pub(crate) fn aclblasGemmEx(
        transA: abi::aclTransType,
        transB: abi::aclTransType,
        transC: abi::aclTransType,
        m: c_int,
        n: c_int,
        k: c_int,
        alpha: *const c_void,
        matrixA: *const c_void,
        lda: c_int,
        dataTypeA: abi::aclDataType,
        matrixB: *const c_void,
        ldb: c_int,
        dataTypeB: abi::aclDataType,
        beta: *const c_void,
        matrixC: *mut c_void,
        ldc: c_int,
        dataTypeC: abi::aclDataType,
        r#type: abi::aclComputeType,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclblasCreateHandleForGemmEx(
        transA: abi::aclTransType,
        transB: abi::aclTransType,
        transC: abi::aclTransType,
        m: c_int,
        n: c_int,
        k: c_int,
        dataTypeA: abi::aclDataType,
        dataTypeB: abi::aclDataType,
        dataTypeC: abi::aclDataType,
        r#type: abi::aclComputeType,
        handle: *mut *mut abi::aclopHandle,
    ) -> abi::aclError;
    pub(crate) fn aclblasHgemm(
        transA: abi::aclTransType,
        transB: abi::aclTransType,
        transC: abi::aclTransType,
        m: c_int,
        n: c_int,
        k: c_int,
        alpha: *const abi::aclFloat16,
        matrixA: *const abi::aclFloat16,
        lda: c_int,
        matrixB: *const abi::aclFloat16,
        ldb: c_int,
        beta: *const abi::aclFloat16,
        matrixC: *mut abi::aclFloat16,
        ldc: c_int,
        r#type: abi::aclComputeType,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclblasCreateHandleForHgemm(
        transA: abi::aclTransType,
        transB: abi::aclTransType,
        transC: abi::aclTransType,
        m: c_int,
        n: c_int,
        k: c_int,
        r#type: abi::aclComputeType,
        handle: *mut *mut abi::aclopHandle,
    ) -> abi::aclError;
    pub(crate) fn aclblasS8gemm(
        transA: abi::aclTransType,
        transB: abi::aclTransType,
        transC: abi::aclTransType,
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
        r#type: abi::aclComputeType,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclblasCreateHandleForS8gemm(
        transA: abi::aclTransType,
        transB: abi::aclTransType,
        transC: abi::aclTransType,
        m: c_int,
        n: c_int,
        k: c_int,
        r#type: abi::aclComputeType,
        handle: *mut *mut abi::aclopHandle,
    ) -> abi::aclError;
    pub(crate) fn acldvppMalloc(devPtr: *mut *mut c_void, size: usize) -> abi::aclError;
    pub(crate) fn acldvppFree(devPtr: *mut c_void) -> abi::aclError;
    pub(crate) fn acldvppCreatePicDesc() -> *mut abi::acldvppPicDesc;
    pub(crate) fn acldvppDestroyPicDesc(picDesc: *mut abi::acldvppPicDesc) -> abi::aclError;
    pub(crate) fn acldvppSetPicDescData(
        picDesc: *mut abi::acldvppPicDesc,
        dataDev: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetPicDescSize(
        picDesc: *mut abi::acldvppPicDesc,
        size: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetPicDescData(picDesc: *const abi::acldvppPicDesc) -> *mut c_void;
    pub(crate) fn acldvppGetPicDescSize(picDesc: *const abi::acldvppPicDesc) -> u32;
    pub(crate) fn acldvppSetPicDescFormat(
        picDesc: *mut abi::acldvppPicDesc,
        format: abi::acldvppPixelFormat,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetPicDescFormat(
        picDesc: *const abi::acldvppPicDesc,
    ) -> abi::acldvppPixelFormat;
    pub(crate) fn acldvppSetPicDescWidth(
        picDesc: *mut abi::acldvppPicDesc,
        width: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetPicDescHeight(
        picDesc: *mut abi::acldvppPicDesc,
        height: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetPicDescWidth(picDesc: *const abi::acldvppPicDesc) -> u32;
    pub(crate) fn acldvppGetPicDescHeight(picDesc: *const abi::acldvppPicDesc) -> u32;
    pub(crate) fn acldvppSetPicDescWidthStride(
        picDesc: *mut abi::acldvppPicDesc,
        widthStride: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetPicDescHeightStride(
        picDesc: *mut abi::acldvppPicDesc,
        heightStride: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetPicDescWidthStride(picDesc: *const abi::acldvppPicDesc) -> u32;
    pub(crate) fn acldvppGetPicDescHeightStride(picDesc: *const abi::acldvppPicDesc) -> u32;
    pub(crate) fn acldvppSetPicDescRetCode(
        picDesc: *mut abi::acldvppPicDesc,
        retCode: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetPicDescRetCode(picDesc: *const abi::acldvppPicDesc) -> u32;
    pub(crate) fn acldvppCreateBatchPicDesc(batchSize: u32) -> *mut abi::acldvppBatchPicDesc;
    pub(crate) fn acldvppGetPicDesc(
        batchPicDesc: *mut abi::acldvppBatchPicDesc,
        index: u32,
    ) -> *mut abi::acldvppPicDesc;
    pub(crate) fn acldvppDestroyBatchPicDesc(
        batchPicDesc: *mut abi::acldvppBatchPicDesc,
    ) -> abi::aclError;
    pub(crate) fn acldvppCreateRoiConfig(
        left: u32,
        right: u32,
        top: u32,
        bottom: u32,
    ) -> *mut abi::acldvppRoiConfig;
    pub(crate) fn acldvppDestroyRoiConfig(roiConfig: *mut abi::acldvppRoiConfig) -> abi::aclError;
    pub(crate) fn acldvppSetRoiConfigLeft(
        config: *mut abi::acldvppRoiConfig,
        left: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetRoiConfigRight(
        config: *mut abi::acldvppRoiConfig,
        right: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetRoiConfigTop(
        config: *mut abi::acldvppRoiConfig,
        top: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetRoiConfigBottom(
        config: *mut abi::acldvppRoiConfig,
        bottom: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetRoiConfig(
        config: *mut abi::acldvppRoiConfig,
        left: u32,
        right: u32,
        top: u32,
        bottom: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppCreateResizeConfig() -> *mut abi::acldvppResizeConfig;
    pub(crate) fn acldvppDestroyResizeConfig(
        resizeConfig: *mut abi::acldvppResizeConfig,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetResizeConfigInterpolation(
        resizeConfig: *mut abi::acldvppResizeConfig,
        interpolation: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetResizeConfigInterpolation(
        resizeConfig: *const abi::acldvppResizeConfig,
    ) -> u32;
    pub(crate) fn acldvppCreateChannelDesc() -> *mut abi::acldvppChannelDesc;
    pub(crate) fn acldvppDestroyChannelDesc(
        channelDesc: *mut abi::acldvppChannelDesc,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetChannelDescChannelId(
        channelDesc: *const abi::acldvppChannelDesc,
    ) -> u64;
    pub(crate) fn acldvppSetChannelDescMode(
        channelDesc: *mut abi::acldvppChannelDesc,
        mode: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetChannelDescParam(
        channelDesc: *mut abi::acldvppChannelDesc,
        paramType: abi::acldvppChannelDescParamType,
        length: usize,
        param: *const c_void,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetChannelDescParam(
        channelDesc: *const abi::acldvppChannelDesc,
        paramType: abi::acldvppChannelDescParamType,
        length: usize,
        paramRetSize: *mut usize,
        param: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn acldvppCreateChannel(channelDesc: *mut abi::acldvppChannelDesc) -> abi::aclError;
    pub(crate) fn acldvppDestroyChannel(channelDesc: *mut abi::acldvppChannelDesc)
    -> abi::aclError;
    pub(crate) fn acldvppVpcResizeAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        inputDesc: *mut abi::acldvppPicDesc,
        outputDesc: *mut abi::acldvppPicDesc,
        resizeConfig: *mut abi::acldvppResizeConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcCropAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        inputDesc: *mut abi::acldvppPicDesc,
        outputDesc: *mut abi::acldvppPicDesc,
        cropArea: *mut abi::acldvppRoiConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcCropResizeAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        inputDesc: *mut abi::acldvppPicDesc,
        outputDesc: *mut abi::acldvppPicDesc,
        cropArea: *mut abi::acldvppRoiConfig,
        resizeConfig: *mut abi::acldvppResizeConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcCropAndPasteAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        inputDesc: *mut abi::acldvppPicDesc,
        outputDesc: *mut abi::acldvppPicDesc,
        cropArea: *mut abi::acldvppRoiConfig,
        pasteArea: *mut abi::acldvppRoiConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcCropResizePasteAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        inputDesc: *mut abi::acldvppPicDesc,
        outputDesc: *mut abi::acldvppPicDesc,
        cropArea: *mut abi::acldvppRoiConfig,
        pasteArea: *mut abi::acldvppRoiConfig,
        resizeConfig: *mut abi::acldvppResizeConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcConvertColorAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        inputDesc: *mut abi::acldvppPicDesc,
        outputDesc: *mut abi::acldvppPicDesc,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcBatchCropAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        srcBatchPicDescs: *mut abi::acldvppBatchPicDesc,
        roiNums: *mut u32,
        size: u32,
        dstBatchPicDescs: *mut abi::acldvppBatchPicDesc,
        cropAreas: *mut *mut abi::acldvppRoiConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcBatchCropResizeAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        srcBatchPicDescs: *mut abi::acldvppBatchPicDesc,
        roiNums: *mut u32,
        size: u32,
        dstBatchPicDescs: *mut abi::acldvppBatchPicDesc,
        cropAreas: *mut *mut abi::acldvppRoiConfig,
        resizeConfig: *mut abi::acldvppResizeConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcBatchCropAndPasteAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        srcBatchPicDescs: *mut abi::acldvppBatchPicDesc,
        roiNums: *mut u32,
        size: u32,
        dstBatchPicDescs: *mut abi::acldvppBatchPicDesc,
        cropAreas: *mut *mut abi::acldvppRoiConfig,
        pasteAreas: *mut *mut abi::acldvppRoiConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppVpcBatchCropResizePasteAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        srcBatchPicDescs: *mut abi::acldvppBatchPicDesc,
        roiNums: *mut u32,
        size: u32,
        dstBatchPicDescs: *mut abi::acldvppBatchPicDesc,
        cropAreas: *mut *mut abi::acldvppRoiConfig,
        pasteAreas: *mut *mut abi::acldvppRoiConfig,
        resizeConfig: *mut abi::acldvppResizeConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppJpegGetImageInfo(
        data: *const c_void,
        size: u32,
        width: *mut u32,
        height: *mut u32,
        components: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn acldvppJpegGetImageInfoV2(
        data: *const c_void,
        size: u32,
        width: *mut u32,
        height: *mut u32,
        components: *mut i32,
        format: *mut abi::acldvppJpegFormat,
    ) -> abi::aclError;
    pub(crate) fn acldvppJpegPredictDecSize(
        data: *const c_void,
        dataSize: u32,
        outputPixelFormat: abi::acldvppPixelFormat,
        decSize: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppJpegDecodeAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        data: *const c_void,
        size: u32,
        outputDesc: *mut abi::acldvppPicDesc,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppCreateJpegeConfig() -> *mut abi::acldvppJpegeConfig;
    pub(crate) fn acldvppDestroyJpegeConfig(
        jpegeConfig: *mut abi::acldvppJpegeConfig,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetJpegeConfigLevel(
        jpegeConfig: *mut abi::acldvppJpegeConfig,
        level: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppGetJpegeConfigLevel(jpegeConfig: *const abi::acldvppJpegeConfig) -> u32;
    pub(crate) fn acldvppJpegPredictEncSize(
        inputDesc: *const abi::acldvppPicDesc,
        config: *const abi::acldvppJpegeConfig,
        size: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppJpegEncodeAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        inputDesc: *mut abi::acldvppPicDesc,
        data: *const c_void,
        size: *mut u32,
        config: *mut abi::acldvppJpegeConfig,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppPngGetImageInfo(
        data: *const c_void,
        dataSize: u32,
        width: *mut u32,
        height: *mut u32,
        components: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn acldvppPngPredictDecSize(
        data: *const c_void,
        dataSize: u32,
        outputPixelFormat: abi::acldvppPixelFormat,
        decSize: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppPngDecodeAsync(
        channelDesc: *mut abi::acldvppChannelDesc,
        data: *const c_void,
        size: u32,
        outputDesc: *mut abi::acldvppPicDesc,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn acldvppCreateStreamDesc() -> *mut abi::acldvppStreamDesc;
    pub(crate) fn acldvppDestroyStreamDesc(
        streamDesc: *mut abi::acldvppStreamDesc,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetStreamDescData(
        streamDesc: *mut abi::acldvppStreamDesc,
        dataDev: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetStreamDescSize(
        streamDesc: *mut abi::acldvppStreamDesc,
        size: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetStreamDescFormat(
        streamDesc: *mut abi::acldvppStreamDesc,
        format: abi::acldvppStreamFormat,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetStreamDescTimestamp(
        streamDesc: *mut abi::acldvppStreamDesc,
        timestamp: u64,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetStreamDescRetCode(
        streamDesc: *mut abi::acldvppStreamDesc,
        retCode: u32,
    ) -> abi::aclError;
    pub(crate) fn acldvppSetStreamDescEos(
        streamDesc: *mut abi::acldvppStreamDesc,
        eos: u8,
    ) -> abi::aclError;
    pub(crate) fn aclvdecCreateChannelDesc() -> *mut abi::aclvdecChannelDesc;
    pub(crate) fn aclvdecDestroyChannelDesc(
        channelDesc: *mut abi::aclvdecChannelDesc,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescChannelId(
        channelDesc: *mut abi::aclvdecChannelDesc,
        channelId: u32,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescThreadId(
        channelDesc: *mut abi::aclvdecChannelDesc,
        threadId: u64,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescCallback(
        channelDesc: *mut abi::aclvdecChannelDesc,
        callback: abi::aclvdecCallback,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescEnType(
        channelDesc: *mut abi::aclvdecChannelDesc,
        enType: abi::acldvppStreamFormat,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescOutPicFormat(
        channelDesc: *mut abi::aclvdecChannelDesc,
        outPicFormat: abi::acldvppPixelFormat,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescOutPicWidth(
        channelDesc: *mut abi::aclvdecChannelDesc,
        outPicWidth: u32,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescOutPicHeight(
        channelDesc: *mut abi::aclvdecChannelDesc,
        outPicHeight: u32,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescRefFrameNum(
        channelDesc: *mut abi::aclvdecChannelDesc,
        refFrameNum: u32,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSetChannelDescOutMode(
        channelDesc: *mut abi::aclvdecChannelDesc,
        outMode: u32,
    ) -> abi::aclError;
    pub(crate) fn aclvdecCreateFrameConfig() -> *mut abi::aclvdecFrameConfig;
    pub(crate) fn aclvdecDestroyFrameConfig(
        vdecFrameConfig: *mut abi::aclvdecFrameConfig,
    ) -> abi::aclError;
    pub(crate) fn aclvdecCreateChannel(channelDesc: *mut abi::aclvdecChannelDesc) -> abi::aclError;
    pub(crate) fn aclvdecDestroyChannel(channelDesc: *mut abi::aclvdecChannelDesc)
    -> abi::aclError;
    pub(crate) fn aclvdecSendFrame(
        channelDesc: *mut abi::aclvdecChannelDesc,
        input: *mut abi::acldvppStreamDesc,
        output: *mut abi::acldvppPicDesc,
        config: *mut abi::aclvdecFrameConfig,
        userData: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclvdecSendSkippedFrame(
        channelDesc: *mut abi::aclvdecChannelDesc,
        input: *mut abi::acldvppStreamDesc,
        config: *mut abi::aclvdecFrameConfig,
        userData: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclvencCreateChannelDesc() -> *mut abi::aclvencChannelDesc;
    pub(crate) fn aclvencDestroyChannelDesc(
        channelDesc: *mut abi::aclvencChannelDesc,
    ) -> abi::aclError;
    pub(crate) fn aclvencSetChannelDescThreadId(
        channelDesc: *mut abi::aclvencChannelDesc,
        threadId: u64,
    ) -> abi::aclError;
    pub(crate) fn aclvencSetChannelDescCallback(
        channelDesc: *mut abi::aclvencChannelDesc,
        callback: abi::aclvencCallback,
    ) -> abi::aclError;
    pub(crate) fn aclvencSetChannelDescEnType(
        channelDesc: *mut abi::aclvencChannelDesc,
        enType: abi::acldvppStreamFormat,
    ) -> abi::aclError;
    pub(crate) fn aclvencSetChannelDescPicFormat(
        channelDesc: *mut abi::aclvencChannelDesc,
        picFormat: abi::acldvppPixelFormat,
    ) -> abi::aclError;
    pub(crate) fn aclvencSetChannelDescPicWidth(
        channelDesc: *mut abi::aclvencChannelDesc,
        picWidth: u32,
    ) -> abi::aclError;
    pub(crate) fn aclvencSetChannelDescPicHeight(
        channelDesc: *mut abi::aclvencChannelDesc,
        picHeight: u32,
    ) -> abi::aclError;
    pub(crate) fn aclvencSetChannelDescKeyFrameInterval(
        channelDesc: *mut abi::aclvencChannelDesc,
        keyFrameInterval: u32,
    ) -> abi::aclError;
    pub(crate) fn aclvencCreateFrameConfig() -> *mut abi::aclvencFrameConfig;
    pub(crate) fn aclvencDestroyFrameConfig(config: *mut abi::aclvencFrameConfig) -> abi::aclError;
    pub(crate) fn aclvencSetFrameConfigForceIFrame(
        config: *mut abi::aclvencFrameConfig,
        forceIFrame: u8,
    ) -> abi::aclError;
    pub(crate) fn aclvencSetFrameConfigEos(
        config: *mut abi::aclvencFrameConfig,
        eos: u8,
    ) -> abi::aclError;
    pub(crate) fn aclvencCreateChannel(channelDesc: *mut abi::aclvencChannelDesc) -> abi::aclError;
    pub(crate) fn aclvencDestroyChannel(channelDesc: *mut abi::aclvencChannelDesc)
    -> abi::aclError;
    pub(crate) fn aclvencSendFrame(
        channelDesc: *mut abi::aclvencChannelDesc,
        input: *mut abi::acldvppPicDesc,
        reserve: *mut c_void,
        config: *mut abi::aclvencFrameConfig,
        userdata: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtLaunchCallback(
        r#fn: abi::aclrtCallback,
        userData: *mut c_void,
        blockType: abi::aclrtCallbackBlockType,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtLaunchHostFunc(
        stream: abi::aclrtStream,
        r#fn: abi::aclrtHostFunc,
        args: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtSubscribeReport(threadId: u64, stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtProcessReport(timeout: i32) -> abi::aclError;
    pub(crate) fn aclrtUnSubscribeReport(threadId: u64, stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtSubscribeHostFunc(
        hostFuncThreadId: u64,
        exeStream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtProcessHostFunc(timeout: i32) -> abi::aclError;
    pub(crate) fn aclrtUnSubscribeHostFunc(
        hostFuncThreadId: u64,
        exeStream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtRegStreamStateCallback(
        regName: *const c_char,
        callback: abi::aclrtStreamStateCallback,
        args: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtRegDeviceStateCallback(
        regName: *const c_char,
        callback: abi::aclrtDeviceStateCallback,
        args: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtSetDeviceTaskAbortCallback(
        regName: *const c_char,
        callback: abi::aclrtDeviceTaskAbortCallback,
        args: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtSetExceptionInfoCallback(
        callback: abi::aclrtExceptionInfoCallback,
    ) -> abi::aclError;
    pub(crate) fn aclrtExceptionInfoCallbackRegister(
        callback: abi::aclrtExceptionInfoCallback,
    ) -> abi::aclError;
    pub(crate) fn aclrtExceptionInfoCallbackUnregister(
        callback: abi::aclrtExceptionInfoCallback,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetTaskIdFromExceptionInfo(info: *const abi::aclrtExceptionInfo) -> u32;
    pub(crate) fn aclrtGetStreamIdFromExceptionInfo(info: *const abi::aclrtExceptionInfo) -> u32;
    pub(crate) fn aclrtGetThreadIdFromExceptionInfo(info: *const abi::aclrtExceptionInfo) -> u32;
    pub(crate) fn aclrtGetDeviceIdFromExceptionInfo(info: *const abi::aclrtExceptionInfo) -> u32;
    pub(crate) fn aclrtGetErrorCodeFromExceptionInfo(info: *const abi::aclrtExceptionInfo) -> u32;
    pub(crate) fn aclrtGetDeviceResLimit(
        deviceId: i32,
        r#type: abi::aclrtDevResLimitType,
        value: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtSetDeviceResLimit(
        deviceId: i32,
        r#type: abi::aclrtDevResLimitType,
        value: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtResetDeviceResLimit(deviceId: i32) -> abi::aclError;
    pub(crate) fn aclrtGetStreamResLimit(
        stream: abi::aclrtStream,
        r#type: abi::aclrtDevResLimitType,
        value: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtSetStreamResLimit(
        stream: abi::aclrtStream,
        r#type: abi::aclrtDevResLimitType,
        value: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtResetStreamResLimit(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtUseStreamResInCurrentThread(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtUnuseStreamResInCurrentThread(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtGetResInCurrentThread(
        r#type: abi::aclrtDevResLimitType,
        value: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclInitCallbackRegister(
        r#type: abi::aclRegisterCallbackType,
        cbFunc: abi::aclInitCallbackFunc,
        userData: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclInitCallbackUnRegister(
        r#type: abi::aclRegisterCallbackType,
        cbFunc: abi::aclInitCallbackFunc,
    ) -> abi::aclError;
    pub(crate) fn aclFinalizeCallbackRegister(
        r#type: abi::aclRegisterCallbackType,
        cbFunc: abi::aclFinalizeCallbackFunc,
        userData: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclFinalizeCallbackUnRegister(
        r#type: abi::aclRegisterCallbackType,
        cbFunc: abi::aclFinalizeCallbackFunc,
    ) -> abi::aclError;
    pub(crate) fn aclrtCreateContext(
        context: *mut abi::aclrtContext,
        deviceId: i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtDestroyContext(context: abi::aclrtContext) -> abi::aclError;
    pub(crate) fn aclrtSetCurrentContext(context: abi::aclrtContext) -> abi::aclError;
    pub(crate) fn aclrtGetCurrentContext(context: *mut abi::aclrtContext) -> abi::aclError;
    pub(crate) fn aclrtCtxGetCurrentDefaultStream(stream: *mut abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtGetPrimaryCtxState(
        deviceId: i32,
        flags: *mut u32,
        active: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpy(
        dst: *mut c_void,
        destMax: usize,
        src: *const c_void,
        count: usize,
        kind: abi::aclrtMemcpyKind,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpyAsync(
        dst: *mut c_void,
        destMax: usize,
        src: *const c_void,
        count: usize,
        kind: abi::aclrtMemcpyKind,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpyAsyncWithCondition(
        dst: *mut c_void,
        destMax: usize,
        src: *const c_void,
        count: usize,
        kind: abi::aclrtMemcpyKind,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpy2d(
        dst: *mut c_void,
        dpitch: usize,
        src: *const c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: abi::aclrtMemcpyKind,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpy2dAsync(
        dst: *mut c_void,
        dpitch: usize,
        src: *const c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: abi::aclrtMemcpyKind,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpyBatch(
        dsts: *mut *mut c_void,
        destMaxs: *mut usize,
        srcs: *mut *mut c_void,
        sizes: *mut usize,
        numBatches: usize,
        attrs: *mut abi::aclrtMemcpyBatchAttr,
        attrsIndexes: *mut usize,
        numAttrs: usize,
        failIndex: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpyBatchV2(
        dsts: *mut *mut c_void,
        destMaxs: *mut usize,
        srcs: *mut *mut c_void,
        sizes: *mut usize,
        numBatches: usize,
        attrs: *mut abi::aclrtMemcpyBatchAttr,
        attrsIndexes: *mut usize,
        numAttrs: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpyBatchAsync(
        dsts: *mut *mut c_void,
        destMaxs: *mut usize,
        srcs: *mut *mut c_void,
        sizes: *mut usize,
        numBatches: usize,
        attrs: *mut abi::aclrtMemcpyBatchAttr,
        attrsIndexes: *mut usize,
        numAttrs: usize,
        failIndex: *mut usize,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpyBatchAsyncV2(
        dsts: *mut *mut c_void,
        destMaxs: *mut usize,
        srcs: *mut *mut c_void,
        sizes: *mut usize,
        numBatches: usize,
        attrs: *mut abi::aclrtMemcpyBatchAttr,
        attrsIndexes: *mut usize,
        numAttrs: usize,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetMemcpyDescSize(
        kind: abi::aclrtMemcpyKind,
        descSize: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtSetMemcpyDesc(
        desc: *mut c_void,
        kind: abi::aclrtMemcpyKind,
        srcAddr: *mut c_void,
        dstAddr: *mut c_void,
        count: usize,
        config: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpyAsyncWithOffset(
        dst: *mut *mut c_void,
        destMax: usize,
        dstDataOffset: usize,
        src: *mut *const c_void,
        count: usize,
        srcDataOffset: usize,
        kind: abi::aclrtMemcpyKind,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemcpyAsyncWithDesc(
        desc: *mut c_void,
        kind: abi::aclrtMemcpyKind,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemset(
        devPtr: *mut c_void,
        maxCount: usize,
        value: i32,
        count: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemsetAsync(
        devPtr: *mut c_void,
        maxCount: usize,
        value: i32,
        count: usize,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemsetD32(
        ptr: *mut c_void,
        memSize: usize,
        value: u32,
        N: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemsetD32Async(
        ptr: *mut c_void,
        memSize: usize,
        value: u32,
        N: usize,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtReduceAsync(
        dst: *mut c_void,
        src: *const c_void,
        count: u64,
        kind: abi::aclrtReduceKind,
        r#type: abi::aclDataType,
        stream: abi::aclrtStream,
        reserve: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtValueWrite(
        devAddr: *mut c_void,
        value: u64,
        flag: u32,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtValueWait(
        devAddr: *mut c_void,
        value: u64,
        flag: u32,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtSetDevice(deviceId: i32) -> abi::aclError;
    pub(crate) fn aclrtResetDevice(deviceId: i32) -> abi::aclError;
    pub(crate) fn aclrtResetDeviceForce(deviceId: i32) -> abi::aclError;
    pub(crate) fn aclrtGetDevice(deviceId: *mut i32) -> abi::aclError;
    pub(crate) fn aclrtGetDeviceCount(count: *mut u32) -> abi::aclError;
    pub(crate) fn aclrtGetRunMode(runMode: *mut abi::aclrtRunMode) -> abi::aclError;
    pub(crate) fn aclrtSetTsDevice(tsId: abi::aclrtTsId) -> abi::aclError;
    pub(crate) fn aclrtSynchronizeDevice() -> abi::aclError;
    pub(crate) fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> abi::aclError;
    pub(crate) fn aclrtDeviceTaskAbort(deviceId: i32, timeout: u32) -> abi::aclError;
    pub(crate) fn aclrtDeviceCanAccessPeer(
        canAccessPeer: *mut i32,
        deviceId: i32,
        peerDeviceId: i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtDeviceEnablePeerAccess(peerDeviceId: i32, flags: u32) -> abi::aclError;
    pub(crate) fn aclrtDeviceDisablePeerAccess(peerDeviceId: i32) -> abi::aclError;
    pub(crate) fn aclrtDevicePeerAccessStatus(
        deviceId: i32,
        peerDeviceId: i32,
        status: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtCtxGetSysParamOpt(
        opt: abi::aclSysParamOpt,
        value: *mut i64,
    ) -> abi::aclError;
    pub(crate) fn aclrtCtxSetSysParamOpt(opt: abi::aclSysParamOpt, value: i64) -> abi::aclError;
    pub(crate) fn aclrtGetSysParamOpt(opt: abi::aclSysParamOpt, value: *mut i64) -> abi::aclError;
    pub(crate) fn aclrtSetSysParamOpt(opt: abi::aclSysParamOpt, value: i64) -> abi::aclError;
    pub(crate) fn aclrtSetOpWaitTimeout(timeout: u32) -> abi::aclError;
    pub(crate) fn aclrtSetOpExecuteTimeOut(timeout: u32) -> abi::aclError;
    pub(crate) fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> abi::aclError;
    pub(crate) fn aclrtSetOpExecuteTimeOutV2(
        timeout: u64,
        actualTimeout: *mut u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetOpExecuteTimeout(timeoutMs: *mut u32) -> abi::aclError;
    pub(crate) fn aclrtGetOpTimeOutInterval(interval: *mut u64) -> abi::aclError;
    pub(crate) fn aclrtSetDeviceSatMode(mode: abi::aclrtFloatOverflowMode) -> abi::aclError;
    pub(crate) fn aclrtGetDeviceSatMode(mode: *mut abi::aclrtFloatOverflowMode) -> abi::aclError;
    pub(crate) fn aclrtGetOverflowStatus(
        outputAddr: *mut c_void,
        outputSize: usize,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtResetOverflowStatus(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtCmoAsync(
        src: *mut c_void,
        size: usize,
        cmoType: abi::aclrtCmoType,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtCmoGetDescSize(size: *mut usize) -> abi::aclError;
    pub(crate) fn aclrtCmoSetDesc(
        cmoDesc: *mut c_void,
        src: *mut c_void,
        size: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtCmoAsyncWithDesc(
        cmoDesc: *mut c_void,
        cmoType: abi::aclrtCmoType,
        stream: abi::aclrtStream,
        reserve: *const c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtDeviceGetUuid(deviceId: i32, uuid: *mut abi::aclrtUuid) -> abi::aclError;
    pub(crate) fn aclrtGetDeviceInfo(
        deviceId: u32,
        attr: abi::aclrtDevAttr,
        value: *mut i64,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetDeviceCapability(
        deviceId: i32,
        devFeatureType: abi::aclrtDevFeatureType,
        value: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtQueryDeviceStatus(
        deviceId: i32,
        deviceStatus: *mut abi::aclrtDeviceStatus,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetDeviceUtilizationRate(
        deviceId: i32,
        utilizationInfo: *mut abi::aclrtUtilizationInfo,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetErrorVerbose(
        deviceId: i32,
        errorInfo: *mut abi::aclrtErrorInfo,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetMemUceInfo(
        deviceId: i32,
        memUceInfoArray: *mut abi::aclrtMemUceInfo,
        arraySize: usize,
        retSize: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtDeviceSetLimit(limit: abi::aclrtDeviceLimit, value: usize) -> abi::aclError;
    pub(crate) fn aclrtDeviceGetLimit(
        limit: abi::aclrtDeviceLimit,
        value: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtDeviceGetPCIBusId(
        deviceId: i32,
        pciBusId: *mut c_char,
        len: i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtDeviceGetByPCIBusId(
        pciBusId: *const c_char,
        deviceId: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetDevicesTopo(
        deviceId: u32,
        otherDeviceId: u32,
        value: *mut u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetLogicDevIdByUserDevId(
        userDevid: i32,
        logicDevId: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetUserDevIdByLogicDevId(
        logicDevId: i32,
        userDevid: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetLogicDevIdByPhyDevId(
        phyDevId: i32,
        logicDevId: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetPhyDevIdByLogicDevId(
        logicDevId: i32,
        phyDevId: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetUserDevIdByPhyDevId(phyDevId: i32, userDevId: *mut i32) -> abi::aclError;
    pub(crate) fn aclrtGetPhyDevIdByUserDevId(userDevId: i32, phyDevId: *mut i32) -> abi::aclError;
    pub(crate) fn aclrtCreateEvent(event: *mut abi::aclrtEvent) -> abi::aclError;
    pub(crate) fn aclrtCreateEventWithFlag(event: *mut abi::aclrtEvent, flag: u32)
    -> abi::aclError;
    pub(crate) fn aclrtCreateEventExWithFlag(
        event: *mut abi::aclrtEvent,
        flag: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtDestroyEvent(event: abi::aclrtEvent) -> abi::aclError;
    pub(crate) fn aclrtRecordEvent(
        event: abi::aclrtEvent,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtRecordEventWithFlag(
        event: abi::aclrtEvent,
        stream: abi::aclrtStream,
        flag: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtResetEvent(
        event: abi::aclrtEvent,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtQueryEvent(
        event: abi::aclrtEvent,
        status: *mut abi::aclrtEventStatus,
    ) -> abi::aclError;
    pub(crate) fn aclrtQueryEventStatus(
        event: abi::aclrtEvent,
        status: *mut abi::aclrtEventRecordedStatus,
    ) -> abi::aclError;
    pub(crate) fn aclrtQueryEventWaitStatus(
        event: abi::aclrtEvent,
        status: *mut abi::aclrtEventWaitStatus,
    ) -> abi::aclError;
    pub(crate) fn aclrtSynchronizeEvent(event: abi::aclrtEvent) -> abi::aclError;
    pub(crate) fn aclrtSynchronizeEventWithTimeout(
        event: abi::aclrtEvent,
        timeout: i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtEventElapsedTime(
        ms: *mut f32,
        startEvent: abi::aclrtEvent,
        endEvent: abi::aclrtEvent,
    ) -> abi::aclError;
    pub(crate) fn aclrtEventGetTimestamp(
        event: abi::aclrtEvent,
        timestamp: *mut u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetEventId(event: abi::aclrtEvent, eventId: *mut u32) -> abi::aclError;
    pub(crate) fn aclrtGetEventAvailNum(eventCount: *mut u32) -> abi::aclError;
    pub(crate) fn aclrtHostRegister(
        ptr: *mut c_void,
        size: u64,
        r#type: abi::aclrtHostRegisterType,
        devPtr: *mut *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtHostRegisterV2(ptr: *mut c_void, size: u64, flag: u32) -> abi::aclError;
    pub(crate) fn aclrtHostGetDevicePointer(
        pHost: *mut c_void,
        pDevice: *mut *mut c_void,
        flag: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtHostUnregister(ptr: *mut c_void) -> abi::aclError;
    pub(crate) fn aclrtHostMemMapCapabilities(
        deviceId: u32,
        hacType: abi::aclrtHacType,
        capabilities: *mut abi::aclrtHostMemMapCapability,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemAllocManaged(
        ptr: *mut *mut c_void,
        size: u64,
        flag: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemManagedAdvise(
        ptr: *const c_void,
        size: u64,
        advise: abi::aclrtMemManagedAdviseType,
        location: abi::aclrtMemManagedLocation,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemManagedGetAttr(
        attribute: abi::aclrtMemManagedRangeAttribute,
        ptr: *const c_void,
        size: usize,
        data: *mut c_void,
        dataSize: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemManagedGetAttrs(
        attributes: *mut abi::aclrtMemManagedRangeAttribute,
        numAttributes: usize,
        ptr: *const c_void,
        size: usize,
        data: *mut *mut c_void,
        dataSizes: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemManagedPrefetchAsync(
        ptr: *const c_void,
        size: usize,
        location: abi::aclrtMemManagedLocation,
        flags: u32,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemManagedPrefetchBatchAsync(
        ptrs: *mut *const c_void,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut abi::aclrtMemManagedLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: u64,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclInit(configPath: *const c_char) -> abi::aclError;
    pub(crate) fn aclFinalize() -> abi::aclError;
    pub(crate) fn aclFinalizeReference(refCount: *mut u64) -> abi::aclError;
    pub(crate) fn aclGetRecentErrMsg() -> *const c_char;
    pub(crate) fn aclrtPeekAtLastError(level: abi::aclrtLastErrLevel) -> abi::aclError;
    pub(crate) fn aclrtGetLastError(level: abi::aclrtLastErrLevel) -> abi::aclError;
    pub(crate) fn aclsysGetCANNVersion(
        name: abi::aclCANNPackageName,
        version: *mut abi::aclCANNPackageVersion,
    ) -> abi::aclError;
    pub(crate) fn aclsysGetVersionStr(
        pkgName: *mut c_char,
        versionStr: *mut c_char,
    ) -> abi::aclError;
    pub(crate) fn aclsysGetVersionNum(pkgName: *mut c_char, versionNum: *mut i32) -> abi::aclError;
    pub(crate) fn aclrtGetVersion(
        majorVersion: *mut i32,
        minorVersion: *mut i32,
        patchVersion: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtIpcMemGetExportKey(
        devPtr: *mut c_void,
        size: usize,
        key: *mut c_char,
        len: usize,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtIpcMemImportByKey(
        devPtr: *mut *mut c_void,
        key: *const c_char,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtIpcMemClose(key: *const c_char) -> abi::aclError;
    pub(crate) fn aclrtIpcMemSetImportPid(
        key: *const c_char,
        pid: *mut i32,
        num: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtIpcGetEventHandle(
        event: abi::aclrtEvent,
        handle: *mut abi::aclrtIpcEventHandle,
    ) -> abi::aclError;
    pub(crate) fn aclrtIpcOpenEventHandle(
        handle: abi::aclrtIpcEventHandle,
        event: *mut abi::aclrtEvent,
    ) -> abi::aclError;
    pub(crate) fn aclrtIpcMemSetAttr(
        key: *const c_char,
        r#type: abi::aclrtIpcMemAttrType,
        attr: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtMalloc(
        devPtr: *mut *mut c_void,
        size: usize,
        policy: abi::aclrtMemMallocPolicy,
    ) -> abi::aclError;
    pub(crate) fn aclrtMallocAlign32(
        devPtr: *mut *mut c_void,
        size: usize,
        policy: abi::aclrtMemMallocPolicy,
    ) -> abi::aclError;
    pub(crate) fn aclrtMallocCached(
        devPtr: *mut *mut c_void,
        size: usize,
        policy: abi::aclrtMemMallocPolicy,
    ) -> abi::aclError;
    pub(crate) fn aclrtMallocWithCfg(
        devPtr: *mut *mut c_void,
        size: usize,
        policy: abi::aclrtMemMallocPolicy,
        cfg: *mut abi::aclrtMallocConfig,
    ) -> abi::aclError;
    pub(crate) fn aclrtMallocForTaskScheduler(
        devPtr: *mut *mut c_void,
        size: usize,
        policy: abi::aclrtMemMallocPolicy,
        cfg: *mut abi::aclrtMallocConfig,
    ) -> abi::aclError;
    pub(crate) fn aclrtFree(devPtr: *mut c_void) -> abi::aclError;
    pub(crate) fn aclrtFreeWithDevSync(devPtr: *mut c_void) -> abi::aclError;
    pub(crate) fn aclrtMallocHost(hostPtr: *mut *mut c_void, size: usize) -> abi::aclError;
    pub(crate) fn aclrtMallocHostWithCfg(
        ptr: *mut *mut c_void,
        size: u64,
        cfg: *mut abi::aclrtMallocConfig,
    ) -> abi::aclError;
    pub(crate) fn aclrtFreeHost(hostPtr: *mut c_void) -> abi::aclError;
    pub(crate) fn aclrtFreeHostWithDevSync(hostPtr: *mut c_void) -> abi::aclError;
    pub(crate) fn aclrtMemFlush(devPtr: *mut c_void, size: usize) -> abi::aclError;
    pub(crate) fn aclrtMemInvalidate(devPtr: *mut c_void, size: usize) -> abi::aclError;
    pub(crate) fn aclrtDeviceL2CacheFlush(rsv: *mut c_void) -> abi::aclError;
    pub(crate) fn aclrtGetMemInfo(
        attr: abi::aclrtMemAttr,
        free: *mut usize,
        total: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetMemUsageInfo(
        deviceId: i32,
        memUsageInfo: *mut abi::aclrtMemUsageInfo,
        inputNum: usize,
        outputNum: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtPointerGetAttributes(
        ptr: *const c_void,
        attributes: *mut abi::aclrtPtrAttributes,
    ) -> abi::aclError;
    pub(crate) fn aclrtCreateNotify(notify: *mut abi::aclrtNotify, flag: u64) -> abi::aclError;
    pub(crate) fn aclrtDestroyNotify(notify: abi::aclrtNotify) -> abi::aclError;
    pub(crate) fn aclrtRecordNotify(
        notify: abi::aclrtNotify,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtWaitAndResetNotify(
        notify: abi::aclrtNotify,
        stream: abi::aclrtStream,
        timeout: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetNotifyId(notify: abi::aclrtNotify, notifyId: *mut u32) -> abi::aclError;
    pub(crate) fn aclrtNotifyBatchReset(
        notifies: *mut abi::aclrtNotify,
        num: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtNotifyGetExportKey(
        notify: abi::aclrtNotify,
        key: *mut c_char,
        len: usize,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtNotifyImportByKey(
        notify: *mut abi::aclrtNotify,
        key: *const c_char,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtNotifySetImportPid(
        notify: abi::aclrtNotify,
        pid: *mut i32,
        num: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtCntNotifyCreate(
        cntNotify: *mut abi::aclrtCntNotify,
        flag: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtCntNotifyDestroy(cntNotify: abi::aclrtCntNotify) -> abi::aclError;
    pub(crate) fn aclrtCntNotifyRecord(
        cntNotify: abi::aclrtCntNotify,
        stream: abi::aclrtStream,
        info: *mut abi::aclrtCntNotifyRecordInfo,
    ) -> abi::aclError;
    pub(crate) fn aclrtCntNotifyWaitWithTimeout(
        cntNotify: abi::aclrtCntNotify,
        stream: abi::aclrtStream,
        info: *mut abi::aclrtCntNotifyWaitInfo,
    ) -> abi::aclError;
    pub(crate) fn aclrtCntNotifyReset(
        cntNotify: abi::aclrtCntNotify,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtCntNotifyGetId(
        cntNotify: abi::aclrtCntNotify,
        notifyId: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtCreateStream(stream: *mut abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtCreateStreamWithConfig(
        stream: *mut abi::aclrtStream,
        priority: u32,
        flag: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtDestroyStream(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtDestroyStreamForce(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtSynchronizeStream(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtSynchronizeStreamWithTimeout(
        stream: abi::aclrtStream,
        timeout: i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtStreamQuery(
        stream: abi::aclrtStream,
        status: *mut abi::aclrtStreamStatus,
    ) -> abi::aclError;
    pub(crate) fn aclrtStreamGetId(stream: abi::aclrtStream, streamId: *mut i32) -> abi::aclError;
    pub(crate) fn aclrtStreamGetPriority(
        stream: abi::aclrtStream,
        priority: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtStreamGetFlags(stream: abi::aclrtStream, flags: *mut u32) -> abi::aclError;
    pub(crate) fn aclrtGetStreamAvailableNum(streamCount: *mut u32) -> abi::aclError;
    pub(crate) fn aclrtDeviceGetStreamPriorityRange(
        leastPriority: *mut i32,
        greatestPriority: *mut i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtStreamWaitEvent(
        stream: abi::aclrtStream,
        event: abi::aclrtEvent,
    ) -> abi::aclError;
    pub(crate) fn aclrtStreamWaitEventWithTimeout(
        stream: abi::aclrtStream,
        event: abi::aclrtEvent,
        timeout: i32,
    ) -> abi::aclError;
    pub(crate) fn aclrtStreamWaitEventWithFlag(
        stream: abi::aclrtStream,
        event: abi::aclrtEvent,
        timeout: u32,
        flag: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtSetStreamFailureMode(stream: abi::aclrtStream, mode: u64) -> abi::aclError;
    pub(crate) fn aclrtStreamAbort(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtSetStreamAttribute(
        stream: abi::aclrtStream,
        stmAttrType: abi::aclrtStreamAttr,
        value: *mut abi::aclrtStreamAttrValue,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetStreamAttribute(
        stream: abi::aclrtStream,
        stmAttrType: abi::aclrtStreamAttr,
        value: *mut abi::aclrtStreamAttrValue,
    ) -> abi::aclError;
    pub(crate) fn aclrtStreamStop(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtCreateStreamConfigHandle() -> *mut abi::aclrtStreamConfigHandle;
    pub(crate) fn aclrtDestroyStreamConfigHandle(
        handle: *mut abi::aclrtStreamConfigHandle,
    ) -> abi::aclError;
    pub(crate) fn aclrtSetStreamConfigOpt(
        handle: *mut abi::aclrtStreamConfigHandle,
        attr: abi::aclrtStreamConfigAttr,
        attrValue: *const c_void,
        valueSize: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtCreateStreamV2(
        stream: *mut abi::aclrtStream,
        handle: *const abi::aclrtStreamConfigHandle,
    ) -> abi::aclError;
    pub(crate) fn aclrtActiveStream(
        activeStream: abi::aclrtStream,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtSwitchStream(
        leftValue: *mut c_void,
        cond: abi::aclrtCondition,
        rightValue: *mut c_void,
        dataType: abi::aclrtCompareDataType,
        trueStream: abi::aclrtStream,
        falseStream: abi::aclrtStream,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetThreadLastTaskId(taskId: *mut u32) -> abi::aclError;
    pub(crate) fn aclrtSetStreamOverflowSwitch(
        stream: abi::aclrtStream,
        flag: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtGetStreamOverflowSwitch(
        stream: abi::aclrtStream,
        flag: *mut u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtPersistentTaskClean(stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn aclrtReserveMemAddress(
        virPtr: *mut *mut c_void,
        size: usize,
        alignment: usize,
        expectPtr: *mut c_void,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtReserveMemAddressNoUCMemory(
        virPtr: *mut *mut c_void,
        size: usize,
        alignment: usize,
        expectPtr: *mut c_void,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtReleaseMemAddress(virPtr: *mut c_void) -> abi::aclError;
    pub(crate) fn aclrtMallocPhysical(
        handle: *mut abi::aclrtDrvMemHandle,
        size: usize,
        prop: *const abi::aclrtPhysicalMemProp,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtFreePhysical(handle: abi::aclrtDrvMemHandle) -> abi::aclError;
    pub(crate) fn aclrtMemGetAllocationGranularity(
        prop: *mut abi::aclrtPhysicalMemProp,
        option: abi::aclrtMemGranularityOptions,
        granularity: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemRetainAllocationHandle(
        virPtr: *mut c_void,
        handle: *mut abi::aclrtDrvMemHandle,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemGetAllocationPropertiesFromHandle(
        handle: abi::aclrtDrvMemHandle,
        prop: *mut abi::aclrtPhysicalMemProp,
    ) -> abi::aclError;
    pub(crate) fn aclrtMapMem(
        virPtr: *mut c_void,
        size: usize,
        offset: usize,
        handle: abi::aclrtDrvMemHandle,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemMapNoAccess(
        virPtr: *mut c_void,
        size: usize,
        offset: usize,
        handle: abi::aclrtDrvMemHandle,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtUnmapMem(virPtr: *mut c_void) -> abi::aclError;
    pub(crate) fn aclrtMemSetAccess(
        virPtr: *mut c_void,
        size: usize,
        desc: *mut abi::aclrtMemAccessDesc,
        count: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemGetAccess(
        virPtr: *mut c_void,
        location: *mut abi::aclrtMemLocation,
        flag: *mut u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemGetAddressRange(
        ptr: *mut c_void,
        pbase: *mut *mut c_void,
        psize: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemExportToShareableHandle(
        handle: abi::aclrtDrvMemHandle,
        handleType: abi::aclrtMemHandleType,
        flags: u64,
        shareableHandle: *mut u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemExportToShareableHandleV2(
        handle: abi::aclrtDrvMemHandle,
        flags: u64,
        shareType: abi::aclrtMemSharedHandleType,
        shareableHandle: *mut c_void,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemImportFromShareableHandle(
        shareableHandle: u64,
        deviceId: i32,
        handle: *mut abi::aclrtDrvMemHandle,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemImportFromShareableHandleV2(
        shareableHandle: *mut c_void,
        shareType: abi::aclrtMemSharedHandleType,
        flags: u64,
        handle: *mut abi::aclrtDrvMemHandle,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemSetPidToShareableHandle(
        shareableHandle: u64,
        pid: *mut i32,
        pidNum: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemSetPidToShareableHandleV2(
        shareableHandle: *mut c_void,
        shareType: abi::aclrtMemSharedHandleType,
        pid: *mut i32,
        pidNum: usize,
    ) -> abi::aclError;
    pub(crate) fn aclrtDeviceGetBareTgid(pid: *mut i32) -> abi::aclError;
    pub(crate) fn aclrtMemP2PMap(
        devPtr: *mut c_void,
        size: usize,
        dstDevId: i32,
        flags: u64,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemMapSelectedLink(
        virPtrDst: *mut c_void,
        size: usize,
        virPtrSrc: *mut c_void,
        linkIdx: u32,
    ) -> abi::aclError;
    pub(crate) fn aclrtMemMapSetLink(
        handle: abi::aclrtDrvMemHandle,
        adviceLink: abi::aclrtMemLinkType,
    ) -> abi::aclError;
    pub(crate) fn millpondVersion() -> *const c_char;
    pub(crate) fn millpondOperatorsGpu(gpu: *mut i32) -> abi::aclError;
    pub(crate) fn millpondMemTrim(bytesReturned: *mut usize) -> abi::aclError;
    pub(crate) fn millpondRecordUse(ptr: *mut c_void, stream: abi::aclrtStream) -> abi::aclError;
    pub(crate) fn millpondMemGetStatistics(
        pool: abi::aclrtMemPool,
        statistics: *mut abi::millpondMemStatistics,
    ) -> abi::aclError;
    pub(crate) fn millpondMemGetStreamStatistics(
        pool: abi::aclrtMemPool,
        part: u64,
        statistics: *mut abi::millpondStreamStatistics,
    ) -> abi::aclError;
    pub(crate) fn aclprofInit(profilerResultPath: *const c_char, length: usize) -> abi::aclError;
    pub(crate) fn aclprofFinalize() -> abi::aclError;
    pub(crate) fn aclprofCreateConfig(
        deviceIdList: *mut u32,
        deviceNums: u32,
        aicoreMetrics: abi::aclprofAicoreMetrics,
        aicoreEvents: *const abi::aclprofAicoreEvents,
        dataTypeConfig: u64,
    ) -> *mut abi::aclprofConfig;
    pub(crate) fn aclprofDestroyConfig(profilerConfig: *const abi::aclprofConfig) -> abi::aclError;
    pub(crate) fn aclprofSetConfig(
        configType: abi::aclprofConfigType,
        config: *const c_char,
        configLength: usize,
    ) -> abi::aclError;
    pub(crate) fn aclprofWarmup(profilerConfig: *const abi::aclprofConfig) -> abi::aclError;
    pub(crate) fn aclprofStart(profilerConfig: *const abi::aclprofConfig) -> abi::aclError;
    pub(crate) fn aclprofStop(profilerConfig: *const abi::aclprofConfig) -> abi::aclError;
    pub(crate) fn aclprofCreateStepInfo() -> *mut abi::aclprofStepInfo;
    pub(crate) fn aclprofDestroyStepInfo(stepinfo: *mut abi::aclprofStepInfo);
    pub(crate) fn aclprofGetStepTimestamp(
        stepInfo: *mut abi::aclprofStepInfo,
        tag: abi::aclprofStepTag,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn aclprofCreateStamp() -> *mut c_void;
    pub(crate) fn aclprofDestroyStamp(stamp: *mut c_void);
    pub(crate) fn aclprofSetStampTraceMessage(
        stamp: *mut c_void,
        msg: *const c_char,
        msgLen: u32,
    ) -> abi::aclError;
    pub(crate) fn aclprofMark(stamp: *mut c_void) -> abi::aclError;
    pub(crate) fn aclprofPush(stamp: *mut c_void) -> abi::aclError;
    pub(crate) fn aclprofPop() -> abi::aclError;
    pub(crate) fn aclprofRangeStart(stamp: *mut c_void, rangeId: *mut u32) -> abi::aclError;
    pub(crate) fn aclprofRangeStop(rangeId: u32) -> abi::aclError;
    pub(crate) fn aclprofMarkEx(
        msg: *const c_char,
        msgLen: usize,
        stream: abi::aclrtStream,
    ) -> abi::aclError;
    pub(crate) fn millpondCheckBegin(options: *const abi::millpondCheckOptions) -> abi::aclError;
    pub(crate) fn millpondCheckEnd() -> abi::aclError;
    pub(crate) fn millpondCheckCount(
        least: abi::millpondCheckSeverity,
        count: *mut usize,
    ) -> abi::aclError;
    pub(crate) fn millpondCheckGet(
        index: usize,
        finding: *mut abi::millpondCheckFinding,
    ) -> abi::aclError;
    pub(crate) fn millpondCheckReport(
        format: abi::millpondCheckFormat,
        path: *const c_char,
    ) -> abi::aclError;
    pub(crate) fn millpondSetFaults(plans: *const c_char) -> abi::aclError;
    pub(crate) fn millpondSetFrameProvider(provider: abi::millpondFrameProvider) -> abi::aclError;
    pub(crate) fn millpondFramesWanted() -> u32;
    pub(crate) fn millpondFaultAdd(rule: *const c_char, id: *mut u64) -> abi::aclError;
    pub(crate) fn millpondFaultRemove(id: u64) -> abi::aclError;
    pub(crate) fn millpondFaultClear() -> abi::aclError;
    pub(crate) fn millpondFaultSeen(id: u64, calls: *mut u64, hits: *mut u64) -> abi::aclError;
    pub(crate) fn millpondCallsBegin() -> abi::aclError;
    pub(crate) fn millpondCallsEnd() -> abi::aclError;
    pub(crate) fn millpondCallsGet(
        function: *const c_char,
        calls: *mut u64,
        failures: *mut u64,
    ) -> abi::aclError;
    pub(crate) fn millpondCallsWrite(path: *const c_char) -> abi::aclError;
    pub(crate) fn millpondReset(level: abi::millpondResetLevel, left: *mut u64) -> abi::aclError;
    pub(crate) fn millpondResetReport(text: *mut c_char, size: usize) -> abi::aclError;
    pub(crate) fn millpondTimeSetMode(mode: abi::millpondTimeMode) -> abi::aclError;
    pub(crate) fn millpondTimeGetMode(mode: *mut abi::millpondTimeMode) -> abi::aclError;
    pub(crate) fn millpondTimeAdvance(microseconds: u64) -> abi::aclError;
    pub(crate) fn millpondTimeNow(microseconds: *mut u64) -> abi::aclError;
}
