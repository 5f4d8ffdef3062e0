//! `acl/acl_prof.h`: profiling.

/// A bit of `dataTypeConfig`.
pub const ACL_PROF_ACL_API: u64 = 0x0001;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_TASK_TIME: u64 = 0x0002;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_AICORE_METRICS: u64 = 0x0004;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_AICPU: u64 = 0x0008;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_L2CACHE: u64 = 0x0010;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_HCCL_TRACE: u64 = 0x0020;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_TRAINING_TRACE: u64 = 0x0040;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_MSPROFTX: u64 = 0x0080;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_RUNTIME_API: u64 = 0x0100;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_TASK_TIME_L0: u64 = 0x0800;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_TASK_MEMORY: u64 = 0x1000;
/// A bit of `dataTypeConfig`.
pub const ACL_PROF_OP_ATTR: u64 = 0x4000;
/// The longest path that `aclprofInit` takes.
pub const ACL_PROF_MAX_PATH_LENGTH: usize = 4096;
/// The longest value of `aclprofSetConfig`.
pub const ACL_PROF_MAX_CONFIG_LENGTH: usize = 256;

enums! {
    /// Counters of a core.
    aclprofAicoreMetrics {
        ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
        ACL_AICORE_PIPE_UTILIZATION = 1,
        ACL_AICORE_MEMORY_BANDWIDTH = 2,
        ACL_AICORE_L0B_AND_WIDTH = 3,
        ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
        ACL_AICORE_MEMORY_UB = 5,
        ACL_AICORE_L2_CACHE = 6,
        ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
        ACL_AICORE_MEMORY_ACCESS = 8,
        ACL_AICORE_NONE = 0xFF,
    }
    /// Options of `aclprofSetConfig`.
    aclprofConfigType {
        ACL_PROF_ARGS_MIN = 0,
        ACL_PROF_STORAGE_LIMIT = 1,
        ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
        ACL_PROF_LLC_MODE = 4,
        ACL_PROF_SYS_IO_FREQ = 5,
        ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
        ACL_PROF_DVPP_FREQ = 7,
        ACL_PROF_HOST_SYS = 8,
        ACL_PROF_HOST_SYS_USAGE = 9,
        ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
        ACL_PROF_LOW_POWER_FREQ = 11,
        ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
        ACL_PROF_SYS_CPU_FREQ = 13,
        ACL_PROF_SCALE = 14,
        ACL_PROF_ARGS_MAX = 15,
    }
    /// The two ends of a step.
    aclprofStepTag {
        ACL_STEP_START = 0,
        ACL_STEP_END = 1,
    }
    /// What an entry of a subscription is.
    aclprofSubscribeOpFlag {
        ACL_SUBSCRIBE_OP = 0,
        ACL_SUBSCRIBE_SUBGRAPH = 1,
        ACL_SUBSCRIBE_OP_THREAD = 2,
        ACL_SUBSCRIBE_NONE = 3,
    }
    /// What can be asked about an entry of a subscription.
    aclprofSubscribeOpAttri {
        ACL_SUBSCRIBE_ATTRI_THREADID = 0,
        ACL_SUBSCRIBE_ATTRI_NONE = 1,
    }
}

opaque! {
    /// The C object of the same name, only ever behind a pointer.
    aclprofConfig
    /// The C object of the same name, only ever behind a pointer.
    aclprofAicoreEvents
    /// The C object of the same name, only ever behind a pointer.
    aclprofSubscribeConfig
    /// The C object of the same name, only ever behind a pointer.
    aclprofStepInfo
}
