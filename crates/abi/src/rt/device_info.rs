//! `acl/rt/device_info.h`: what a device is: attributes, identity, limits, load and faults.

use core::ffi::{c_char, c_void};

enums! {
    /// Limits of kernels for NPU cores. The two functions that take them are refused.
    aclrtDeviceLimit {
        ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
        ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
        ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
        ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
        ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4,
    }

    /// Attributes that `aclrtGetDeviceInfo` reports. Two numbers have two names.
    aclrtDevAttr {
        ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
        ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
        ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
        ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
        ACL_DEV_ATTR_WARP_SIZE = 202,
        ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
        ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
        ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
        ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
        ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
        ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
        ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
        ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
        ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
        ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
        ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
        ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
        ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
        ACL_DEV_ATTR_SMP_ID = 401,
        ACL_DEV_ATTR_PHY_CHIP_ID = 402,
        ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
        ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
        ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
        ACL_DEV_ATTR_SUPER_POD_ID = 405,
        ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
        ACL_DEV_ATTR_MAINBOARD_ID = 407,
        ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
        ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
        ACL_DEV_ATTR_IS_VIRTUAL = 501,
        ACL_DEV_ATTR_NPU_ARCH = 601,
    }

    /// Features that `aclrtGetDeviceCapability` reports.
    aclrtDevFeatureType {
        ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
        ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
    }

    /// Health of a device.
    aclrtDeviceStatus {
        ACL_RT_DEVICE_STATUS_NORMAL = 0,
        ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
        ACL_RT_DEVICE_STATUS_END = 0xffff,
    }

    /// Kind of a device fault.
    aclrtErrorType {
        ACL_RT_NO_ERROR = 0,
        ACL_RT_ERROR_MEMORY = 1,
        ACL_RT_ERROR_L2 = 2,
        ACL_RT_ERROR_AICORE = 3,
        ACL_RT_ERROR_LINK = 4,
        ACL_RT_ERROR_L3_PORT = 5,
        ACL_RT_ERROR_OTHERS = 0xffff,
    }

    /// Cause of a compute core's fault.
    aclrtAicoreErrorType {
        ACL_RT_AICORE_ERROR_UNKNOWN = 0,
        ACL_RT_AICORE_ERROR_SW = 1,
        ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
    }
}

defines! {
    // How a host reaches its device: values of `ACL_DEV_ATTR_HD_CONNECT_TYPE`.
    i64 {
        ACL_HOST_DEVICE_CONNECT_TYPE_PCIE = 0,
        ACL_HOST_DEVICE_CONNECT_TYPE_HCCS = 1,
        ACL_HOST_DEVICE_CONNECT_TYPE_UB = 2,
    }

    // Most damaged addresses that one device reports.
    u32 {
        ACL_RT_MAX_RECORD_PA_NUM_PER_DEV = 20,
    }
}

structs! {
    /// Load of a device in percent; -1 where it is not measured.
    aclrtUtilizationInfo {
        cubeUtilization: i32,
        vectorUtilization: i32,
        aicpuUtilization: i32,
        memoryUtilization: i32,
        utilizationExtend: *mut c_void,
    }

    /// Identity of a device.
    aclrtUuid {
        bytes: [c_char; 16],
    }

    /// A range of device memory with an uncorrectable error.
    aclrtMemUceInfo {
        addr: *mut c_void,
        len: usize,
        reserved: [usize; 14],
    }

    /// A fault of a device. What detail holds depends on `errorType` and is not laid open.
    aclrtErrorInfo {
        tryRepair: u8,
        hasDetail: u8,
        reserved: [u8; 2],
        errorType: aclrtErrorType,
        detail: [u64; 321],
    }
}
