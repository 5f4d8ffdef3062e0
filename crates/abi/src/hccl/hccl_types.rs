//! `hccl/hccl_types.h`: types of collective communication.

use core::ffi::{c_char, c_void};

/// A rank's end of a communicator.
pub type HcclComm = *mut c_void;

enums! {
    /// What the functions return.
    HcclResult {
        HCCL_SUCCESS = 0,
        HCCL_E_PARA = 1,
        HCCL_E_PTR = 2,
        HCCL_E_MEMORY = 3,
        HCCL_E_INTERNAL = 4,
        HCCL_E_NOT_SUPPORT = 5,
        HCCL_E_NOT_FOUND = 6,
        HCCL_E_UNAVAIL = 7,
        HCCL_E_SYSCALL = 8,
        HCCL_E_TIMEOUT = 9,
        HCCL_E_OPEN_FILE_FAILURE = 10,
        HCCL_E_TCP_CONNECT = 11,
        HCCL_E_ROCE_CONNECT = 12,
        HCCL_E_TCP_TRANSFER = 13,
        HCCL_E_ROCE_TRANSFER = 14,
        HCCL_E_RUNTIME = 15,
        HCCL_E_DRV = 16,
        HCCL_E_PROFILING = 17,
        HCCL_E_CCE = 18,
        HCCL_E_NETWORK = 19,
        HCCL_E_AGAIN = 20,
        HCCL_E_REMOTE = 21,
        HCCL_E_SUSPENDING = 22,
    }
    /// How elements of several ranks become one.
    HcclReduceOp {
        HCCL_REDUCE_SUM = 0,
        HCCL_REDUCE_PROD = 1,
        HCCL_REDUCE_MAX = 2,
        HCCL_REDUCE_MIN = 3,
    }
    /// The type of an element.
    HcclDataType {
        HCCL_DATA_TYPE_INT8 = 0,
        HCCL_DATA_TYPE_INT16 = 1,
        HCCL_DATA_TYPE_INT32 = 2,
        HCCL_DATA_TYPE_FP16 = 3,
        HCCL_DATA_TYPE_FP32 = 4,
        HCCL_DATA_TYPE_INT64 = 5,
        HCCL_DATA_TYPE_UINT64 = 6,
        HCCL_DATA_TYPE_UINT8 = 7,
        HCCL_DATA_TYPE_UINT16 = 8,
        HCCL_DATA_TYPE_UINT32 = 9,
        HCCL_DATA_TYPE_FP64 = 10,
        HCCL_DATA_TYPE_BFP16 = 11,
        HCCL_DATA_TYPE_INT128 = 12,
        HCCL_DATA_TYPE_HIF8 = 14,
        HCCL_DATA_TYPE_FP8E4M3 = 15,
        HCCL_DATA_TYPE_FP8E5M2 = 16,
        HCCL_DATA_TYPE_FP8E8M0 = 17,
        HCCL_DATA_TYPE_RESERVED = 255,
    }
    /// The direction of one message.
    HcclSendRecvType {
        HCCL_SEND = 0,
        HCCL_RECV = 1,
        HCCL_SEND_RECV_RESERVED = 2,
    }
    /// What `HcclSetConfig` sets.
    HcclConfig {
        HCCL_DETERMINISTIC = 0,
        HCCL_CONFIG_RESERVED = 1,
    }
    /// Which fields of `HcclCommConfig` a library knows.
    HcclCommConfigCapability {
        HCCL_COMM_CONFIG_BUFFER_SIZE = 0,
        HCCL_COMM_CONFIG_DETERMINISTIC = 1,
        HCCL_COMM_CONFIG_COMM_NAME = 2,
        HCCL_COMM_CONFIG_OP_EXPANSION_MODE = 3,
        HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV = 4,
        HCCL_COMM_CONFIG_WORLD_RANKID = 5,
        HCCL_COMM_CONFIG_JOBID = 6,
        HCCL_COMM_CONFIG_ACLGRAPH_ZEROCOPY_ENABLE = 7,
        HCCL_COMM_CONFIG_EXEC_TIMEOUT = 8,
        HCCL_COMM_CONFIG_ALGO = 9,
        HCCL_COMM_CONFIG_RETRY = 10,
        HCCL_COMM_CONFIG_RESERVED = 11,
    }
}

defines! {
    usize {
        HCCL_ROOT_INFO_BYTES = 4108,
        HCCL_COMM_NAME_MAX_LENGTH = 128,
        HCCL_UDI_MAX_LENGTH = 128,
        HCCL_COMM_ALGO_MAX_LENGTH = 1600,
        HCCL_COMM_RETRY_ENABLE_MAX_LENGTH = 50,
        HCCL_COMM_RETRY_PARAMS_MAX_LENGTH = 128,
        HCCL_COMM_BUFFER_NAME_MAX_LENGTH = 128,
    }
    u32 {
        HCCL_COMM_CONFIG_MAGIC_WORD = 0xf0f0_f0f0,
        HCCL_COMM_CONFIG_VERSION = 10,
        HCCL_COMM_VALUE_NOT_SET = 0xffff_ffff,
    }
}

structs! {
    /// What ranks need in order to meet.
    HcclRootInfo {
        internal: [c_char; HCCL_ROOT_INFO_BYTES],
    }
    /// One message of `HcclBatchSendRecv`.
    HcclSendRecvItem {
        sendRecvType: HcclSendRecvType,
        buf: *mut c_void,
        count: u64,
        dataType: HcclDataType,
        remoteRank: u32,
    }
    /// Settings of one communicator.
    HcclCommConfig {
        size: u64,
        magicWord: u32,
        version: u32,
        reserved: u64,
        hcclBufferSize: u32,
        hcclDeterministic: u32,
        hcclCommName: [c_char; HCCL_COMM_NAME_MAX_LENGTH],
        hcclUdi: [c_char; HCCL_UDI_MAX_LENGTH],
        hcclOpExpansionMode: u32,
        hcclRdmaTrafficClass: u32,
        hcclRdmaServiceLevel: u32,
        hcclWorldRankID: u32,
        hcclJobID: u64,
        aclGraphZeroCopyEnable: u8,
        hcclExecTimeOut: i32,
        hcclAlgo: [c_char; HCCL_COMM_ALGO_MAX_LENGTH],
        hcclRetryEnable: [c_char; HCCL_COMM_RETRY_ENABLE_MAX_LENGTH],
        hcclRetryParams: [c_char; HCCL_COMM_RETRY_PARAMS_MAX_LENGTH],
        hcclBufferName: [c_char; HCCL_COMM_BUFFER_NAME_MAX_LENGTH],
        hcclQos: u32,
        reservedTail: u64,
    }
}

unions! {
    /// The value of a setting.
    HcclConfigValue {
        value: i32,
    }
}
