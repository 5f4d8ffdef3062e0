//! `acl/acl_mdl.h`: models: loading, describing, running.

use core::ffi::{CStr, c_char};

use crate::acl_base_rt::{aclDataType, aclFormat};

enums! {
    /// Attributes of a loaded model.
    aclmdlAttr {
        ACL_MDL_ATTR_PRIORITY_INT32 = 0,
    }

    /// Options of loading. The name's ending tells the type of the value.
    aclmdlConfigAttr {
        ACL_MDL_PRIORITY_INT32 = 0,
        ACL_MDL_LOAD_TYPE_SIZET = 1,
        ACL_MDL_PATH_PTR = 2,
        ACL_MDL_MEM_ADDR_PTR = 3,
        ACL_MDL_MEM_SIZET = 4,
        ACL_MDL_WEIGHT_ADDR_PTR = 5,
        ACL_MDL_WEIGHT_SIZET = 6,
        ACL_MDL_WORKSPACE_ADDR_PTR = 7,
        ACL_MDL_WORKSPACE_SIZET = 8,
        ACL_MDL_INPUTQ_NUM_SIZET = 9,
        ACL_MDL_INPUTQ_ADDR_PTR = 10,
        ACL_MDL_OUTPUTQ_NUM_SIZET = 11,
        ACL_MDL_OUTPUTQ_ADDR_PTR = 12,
        ACL_MDL_WORKSPACE_MEM_OPTIMIZE = 13,
        ACL_MDL_WEIGHT_PATH_PTR = 14,
        ACL_MDL_MODEL_DESC_PTR = 15,
        ACL_MDL_MODEL_DESC_SIZET = 16,
        ACL_MDL_KERNEL_PTR = 17,
        ACL_MDL_KERNEL_SIZET = 18,
        ACL_MDL_KERNEL_ARGS_PTR = 19,
        ACL_MDL_KERNEL_ARGS_SIZET = 20,
        ACL_MDL_STATIC_TASK_PTR = 21,
        ACL_MDL_STATIC_TASK_SIZET = 22,
        ACL_MDL_DYNAMIC_TASK_PTR = 23,
        ACL_MDL_DYNAMIC_TASK_SIZET = 24,
        ACL_MDL_MEM_MALLOC_POLICY_SIZET = 25,
        ACL_MDL_FIFO_PTR = 26,
        ACL_MDL_FIFO_SIZET = 27,
        ACL_MDL_WITHOUT_GRAPH_INT32 = 28,
        ACL_NPU_PERF_MODE = 29,
        ACL_MDL_RESERVED = 0xffff,
    }

    /// Options of one run.
    aclmdlExecConfigAttr {
        ACL_MDL_STREAM_SYNC_TIMEOUT = 0,
        ACL_MDL_EVENT_SYNC_TIMEOUT = 1,
        ACL_MDL_WORK_ADDR_PTR = 2,
        ACL_MDL_WORK_SIZET = 3,
        ACL_MDL_MPAIMID_SIZET = 4,
        ACL_MDL_AICQOS_SIZET = 5,
        ACL_MDL_AICOST_SIZET = 6,
        ACL_MDL_MEC_TIMETHR_SIZET = 7,
        ACL_MDL_EXEC_PRIORITY_INT32 = 8,
        ACL_MDL_NPU_PERF_MODE = 9,
    }

    /// Image preprocessing of an input.
    aclmdlInputAippType {
        ACL_DATA_WITHOUT_AIPP = 0,
        ACL_DATA_WITH_STATIC_AIPP = 1,
        ACL_DATA_WITH_DYNAMIC_AIPP = 2,
        ACL_DYNAMIC_AIPP_NODE = 3,
    }

    /// Pixel format that image preprocessing takes.
    aclAippInputFormat {
        ACL_YUV420SP_U8 = 1,
        ACL_XRGB8888_U8 = 2,
        ACL_RGB888_U8 = 3,
        ACL_YUV400_U8 = 4,
        ACL_NC1HWC0DI_FP16 = 5,
        ACL_NC1HWC0DI_S8 = 6,
        ACL_ARGB8888_U8 = 7,
        ACL_YUYV_U8 = 8,
        ACL_YUV422SP_U8 = 9,
        ACL_AYUV444_U8 = 10,
        ACL_RAW10 = 11,
        ACL_RAW12 = 12,
        ACL_RAW16 = 13,
        ACL_RAW24 = 14,
        ACL_AIPP_RESERVED = 0xFFFF,
    }
}

defines! {
    // Sizes of the arrays below.
    usize {
        ACL_DIM_ENDPOINTS = 2,
        ACL_MAX_DIM_CNT = 128,
        ACL_MAX_TENSOR_NAME_LEN = 128,
        ACL_MAX_BATCH_NUM = 128,
        ACL_MAX_HW_NUM = 128,
        ACL_MAX_SHAPE_COUNT = 128,
    }

    // No such node.
    u32 {
        ACL_INVALID_NODE_INDEX = 0xFFFFFFFF,
    }

    // Values of `ACL_MDL_LOAD_TYPE_SIZET`.
    usize {
        ACL_MDL_LOAD_FROM_FILE = 1,
        ACL_MDL_LOAD_FROM_FILE_WITH_MEM = 2,
        ACL_MDL_LOAD_FROM_MEM = 3,
        ACL_MDL_LOAD_FROM_MEM_WITH_MEM = 4,
        ACL_MDL_LOAD_FROM_FILE_WITH_Q = 5,
        ACL_MDL_LOAD_FROM_MEM_WITH_Q = 6,
    }

    // Values of `ACL_MDL_WORKSPACE_MEM_OPTIMIZE`.
    usize {
        ACL_WORKSPACE_MEM_OPTIMIZE_DEFAULT = 0,
        ACL_WORKSPACE_MEM_OPTIMIZE_INPUTOUTPUT = 1,
    }
}

/// Names of inputs and attributes that compiled models carry.
pub const ACL_DYNAMIC_TENSOR_NAME: &CStr = c"ascend_mbatch_shape_data";

/// Names of inputs and attributes that compiled models carry.
pub const ACL_DYNAMIC_AIPP_NAME: &CStr = c"ascend_dynamic_aipp_data";

/// Names of inputs and attributes that compiled models carry.
pub const ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES: &CStr = c"_datadump_original_op_names";

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclmdlDesc
    /// The C object of the same name, only ever behind a pointer.
    aclmdlDataset
    /// The C object of the same name, only ever behind a pointer.
    aclmdlConfigHandle
    /// The C object of the same name, only ever behind a pointer.
    aclmdlExecConfigHandle
    /// The C object of the same name, only ever behind a pointer.
    aclmdlAIPP
    /// The C object of the same name, only ever behind a pointer.
    aclmdlBundleQueryInfo
    /// The C object of the same name, only ever behind a pointer.
    aclmdlModel
    /// The C object of the same name, only ever behind a pointer.
    aclAippExtendInfo
    /// The C object of the same name, only ever behind a pointer.
    aclmdlAttrValue_t
}

structs! {
    /// Name and dimensions of an input or output.
    aclmdlIODims {
        name: [c_char; ACL_MAX_TENSOR_NAME_LEN],
        dimCount: usize,
        dims: [i64; ACL_MAX_DIM_CNT],
    }

    /// Lowest and highest value of each dimension.
    aclmdlIODimsRange {
        rangeCount: usize,
        range: [[i64; ACL_DIM_ENDPOINTS]; ACL_MAX_DIM_CNT],
    }

    /// Batch sizes that a model was made for.
    aclmdlBatch {
        batchCount: usize,
        batch: [u64; ACL_MAX_BATCH_NUM],
    }

    /// Heights and widths that a model was made for.
    aclmdlHW {
        hwCount: usize,
        hw: [[u64; 2]; ACL_MAX_HW_NUM],
    }

    /// Memory that the parts of a model need, in bytes.
    aclmdlExeOMDesc {
        workSize: usize,
        weightSize: usize,
        modelDescSize: usize,
        kernelSize: usize,
        kernelArgsSize: usize,
        staticTaskSize: usize,
        dynamicTaskSize: usize,
        reserved: [usize; 9],
    }

    /// Dimensions before and after image preprocessing.
    aclAippDims {
        srcDims: aclmdlIODims,
        srcSize: usize,
        aippOutdims: aclmdlIODims,
        aippOutSize: usize,
    }

    /// Image preprocessing that is compiled into a model.
    aclAippInfo {
        inputFormat: aclAippInputFormat,
        srcImageSizeW: i32,
        srcImageSizeH: i32,
        cropSwitch: i8,
        loadStartPosW: i32,
        loadStartPosH: i32,
        cropSizeW: i32,
        cropSizeH: i32,
        resizeSwitch: i8,
        resizeOutputW: i32,
        resizeOutputH: i32,
        paddingSwitch: i8,
        leftPaddingSize: i32,
        rightPaddingSize: i32,
        topPaddingSize: i32,
        bottomPaddingSize: i32,
        cscSwitch: i8,
        rbuvSwapSwitch: i8,
        axSwapSwitch: i8,
        singleLineMode: i8,
        matrixR0C0: i32,
        matrixR0C1: i32,
        matrixR0C2: i32,
        matrixR1C0: i32,
        matrixR1C1: i32,
        matrixR1C2: i32,
        matrixR2C0: i32,
        matrixR2C1: i32,
        matrixR2C2: i32,
        outputBias0: i32,
        outputBias1: i32,
        outputBias2: i32,
        inputBias0: i32,
        inputBias1: i32,
        inputBias2: i32,
        meanChn0: i32,
        meanChn1: i32,
        meanChn2: i32,
        meanChn3: i32,
        minChn0: f32,
        minChn1: f32,
        minChn2: f32,
        minChn3: f32,
        varReciChn0: f32,
        varReciChn1: f32,
        varReciChn2: f32,
        varReciChn3: f32,
        srcFormat: aclFormat,
        srcDatatype: aclDataType,
        srcDimNum: usize,
        shapeCount: usize,
        outDims: [aclAippDims; ACL_MAX_SHAPE_COUNT],
        aippExtend: *mut aclAippExtendInfo,
    }
}
