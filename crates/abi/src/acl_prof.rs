//! `acl/acl_prof.h`: profiling.

defines! {
    // Bits of `dataTypeConfig`.
    u64 {
        ACL_PROF_ACL_API = 0x0001,
        ACL_PROF_TASK_TIME = 0x0002,
        ACL_PROF_AICORE_METRICS = 0x0004,
        ACL_PROF_AICPU = 0x0008,
        ACL_PROF_L2CACHE = 0x0010,
        ACL_PROF_HCCL_TRACE = 0x0020,
        ACL_PROF_TRAINING_TRACE = 0x0040,
        ACL_PROF_MSPROFTX = 0x0080,
        ACL_PROF_RUNTIME_API = 0x0100,
        ACL_PROF_TASK_TIME_L0 = 0x0800,
        ACL_PROF_TASK_MEMORY = 0x1000,
        ACL_PROF_OP_ATTR = 0x4000,
    }
    // The longest path of `aclprofInit`, and the longest value of `aclprofSetConfig`.
    usize {
        ACL_PROF_MAX_PATH_LENGTH = 4096,
        ACL_PROF_MAX_CONFIG_LENGTH = 256,
    }
}

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
